"""aflamed diff: what two recordings differ by, held against the tables and folded stacks of each side by itself."""
import collections
import csv
import gzip
import io
import json
import random
import struct
import subprocess

import test_cli
from native import number, text, varint


def pprof(stacks):
    """A profile of pprof, in the folded form of stacks; values may be below 0."""
    strings, out = ['', 'inuse_space', 'bytes'], text(1, number(1, 1) + number(2, 2))
    for stack, value in stacks:
        for name in stack.split(';'):
            if name not in strings:
                strings.append(name)
                i = len(strings) - 1
                out += text(4, number(1, i) + text(4, number(1, i))) + text(5, number(1, i) + number(2, i))
        ids = b''.join(varint(strings.index(name)) for name in reversed(stack.split(';')))
        out += text(2, text(1, ids) + text(2, varint(value)))
    return out + b''.join(text(6, name) for name in strings)


KEYS = ('class', 'method', 'signature', 'module')


class Recording:
    """A method trace, version 3 with both clocks, from calls."""

    def __init__(self, threads=((1, 'main'),)):
        self.threads, self.methods, self.records = list(threads), {}, []
        self.clock = collections.Counter()

    def method(self, name):
        """`a.B.c(I)V`; the signature may be missing."""
        if name not in self.methods:
            self.methods[name] = 4 * (len(self.methods) + 1)
        return self.methods[name]

    def record(self, thread, word, wall_us, cpu_us=None):
        self.clock[thread, 'wall'] += wall_us
        self.clock[thread, 'cpu'] += wall_us if cpu_us is None else cpu_us
        self.records.append(struct.pack('<HIII', thread, word, self.clock[thread, 'cpu'], self.clock[thread, 'wall']))

    def call(self, thread, name, self_us=10, inner=(), cpu_us=None, before_us=0):
        """`inner`: calls made within, as arguments of this method."""
        self.record(thread, self.method(name), before_us)
        for arguments in inner:
            self.call(thread, *arguments)
        self.record(thread, self.method(name) | 1, self_us, cpu_us)
        return self

    def bytes(self, more=()):
        """`more`: lines of the key section, beside the least that there must be."""
        lines = ['*version', '3', 'clock=dual', *more, 'vm=art', '*threads', *('%d\t%s' % thread for thread in self.threads), '*methods']
        for name, number in self.methods.items():
            text, paren, rest = name.partition('(')
            scope, _, method = text.rpartition('.')
            lines.append('0x%x\t%s\t%s\t%s\tX.java' % (number, scope, method, (paren + rest) or '()V'))
        head = struct.pack('<4sHHQH', b'SLOW', 3, 32, 0, 14).ljust(32, b'\0')
        return '\n'.join([*lines, '*end\n']).encode() + head + b''.join(self.records)


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text), delimiter='\t', quoting=csv.QUOTE_NONE))


def table_of(rows):
    return {tuple(row[key] for key in KEYS): row for row in rows}


def random_recording(seed, methods, calls, slow=None, factor=1.0, noise=0.0, threads=3):
    """The same calls for the same seed; times vary by the noise, those of the method `slow` are multiplied."""
    plan, vary = random.Random(seed), random.Random((seed, slow, noise).__repr__())
    recording = Recording([(i + 1, 'main' if i == 0 else 'worker %s' % 'abc'[i % 3]) for i in range(threads)])
    names = ['com.app.p%d.Class%d.method%d' % (i % 7, i % 61, i) for i in range(methods)]
    cost = [plan.randrange(5, 40) for _ in names]
    stacks = collections.defaultdict(list)
    for _ in range(calls):
        thread = plan.randrange(threads) + 1
        stack = stacks[thread]
        while stack and (len(stack) > 12 or plan.random() < 0.55):
            chosen = stack.pop()
            us = cost[chosen] * (1 + noise * vary.uniform(-1, 1)) * (factor if chosen == slow else 1)
            recording.record(thread, recording.method(names[chosen]) | 1, round(us), round(us * 0.75))
        chosen = plan.randrange(methods)
        stack.append(chosen)
        recording.record(thread, recording.method(names[chosen]), 1)
    for thread, stack in stacks.items():
        while stack:
            recording.record(thread, recording.method(names[stack.pop()]) | 1, 5)
    return recording, names


class Diff(test_cli.Command):
    def diff(self, *arguments, **more):
        return rows_of(self.command('diff', *arguments, **more).stdout.decode())

    def json(self, *arguments):
        return json.loads(self.command('diff', '--format', 'json', *arguments).stdout)

    def two(self, seed=1, **more):
        a, names = random_recording(seed, 60, 600)
        b, _ = random_recording(seed, 60, 600, slow=7, factor=5, noise=0.2, **more)
        b.call(2, 'com.app.New.made').call(1, names[0])
        return self.file('a.trace', a.bytes()), self.file('b.trace', b.bytes())

    def test_equal_ones_do_not_differ(self):
        a, _ = self.two()
        self.assertEqual(self.diff(a, a), [])
        rows = self.diff('--all', a, a)
        self.assertEqual(len(rows), len(rows_of(self.command('methods', a).stdout.decode())))
        demo = self.path('demo.trace')
        self.command('demo', '-o', demo)
        self.assertEqual(self.diff(demo, demo), [])

    def test_the_other_way_round(self):
        for seed in range(4):
            a, b = self.two(seed)
            there, back = self.diff(a, b), self.diff(b, a)
            self.assertGreater(len(there), 30)
            self.assertEqual([row['method'] for row in there], [row['method'] for row in back])
            other = table_of(back)
            for key, row in table_of(there).items():
                for column in row:
                    if column.endswith('_a'):
                        self.assertEqual(row[column], other[key][column[:-1] + 'b'], (key, column))
                        self.assertEqual(row[column[:-1] + 'b'], other[key][column], (key, column))

    def check_tables(self, a, b, *arguments, of_b=None, of_diff=()):
        """Every cell, from the tables of both sides; B may have arguments of its own, which the comparison has as `of_diff`."""
        sides = [table_of(rows_of(self.command('methods', *own, path).stdout.decode()))
                 for path, own in ((a, arguments), (b, arguments if of_b is None else of_b))]
        arguments = [*arguments, *of_diff]
        found = table_of(self.diff('--all', *arguments, a, b))
        self.assertEqual(set(found), set(sides[0]) | set(sides[1]))
        changed = set()
        for key, row in found.items():
            for column, cell in row.items():
                if column in KEYS:
                    continue
                name, side = column[:-2], column[-1]
                expected = sides['ab'.index(side)].get(key, {}).get(name, '0')
                self.assertEqual(cell, expected, (key, column))
                if cell != row[name + ('_b' if side == 'a' else '_a')]:
                    changed.add(key)
        self.assertEqual(set(table_of(self.diff(*arguments, a, b))), changed)
        return found

    def test_tables_of_both_sides(self):
        for seed in range(3):
            a, b = self.two(seed)
            self.check_tables(a, b)
        for arguments in (['--track', 'main'], ['--track', 'worker b,main'], ['--focus', 'Class7'], ['--hide', 'p3', '--ignore', 'p5'],
                          ['--recursion', 'collapse-all'], ['--open', 'end'], ['--from', '900', '--to', '4000'],
                          ['--from', '900', '--focus', 'Class7']):
            self.check_tables(a, b, *arguments)
        self.check_tables(a, b, '--from', '900', '--to', '4000', of_b=['--from', '1500', '--to', '5000'],
                          of_diff=['--from-b', '1500', '--to-b', '5000'])
        self.check_tables(a, b, of_b=['--to', '3000'], of_diff=['--to-b', '3000'])
        self.refused('diff', '--to-b', 'soon', a, b, status=2, said='soon')
        self.refused('diff', '--from-b', '9', '--to-b', '5', a, b, status=2, said='5')

    def test_folded_stacks_of_both_sides(self):
        """Inclusive and exclusive values, from the lines of folded stacks; times here are whole microseconds."""
        a, b = self.two(5)
        sums = collections.defaultdict(collections.Counter)
        for side, path in (('a', a), ('b', b)):
            text = self.command('render', '-q', '--output', 'folded', '--track', 'all', path).stdout.decode()
            for line in text.splitlines():
                stack, _, value = line.rpartition(' ')
                frames = stack.split(';')[1:]
                for frame in set(frames):
                    sums['wall_incl_' + side][frame] += int(value)
                if frames:
                    sums['wall_excl_' + side][frames[-1]] += int(value)
        found = self.diff('--all', a, b)
        for row in found:
            for column, counted in sums.items():
                self.assertEqual(int(row[column]), counted['%(class)s.%(method)s' % row], row)

    def test_folded_stacks_of_the_comparison(self):
        """Each stack with both of its numbers, as the folded stacks of either side have them; and they are read again."""
        for seed, arguments in ((5, []), (6, ['--hide', 'p3']), (7, ['--value', 'cpu'])):
            a, b = self.two(seed)
            expected = collections.defaultdict(lambda: ['0', '0'])
            for side, path in enumerate((a, b)):
                run = self.command('render', '-q', '--output', 'folded', '--track', 'all', *arguments, path)
                for line in run.stdout.decode().splitlines():
                    stack, _, value = line.rpartition(' ')
                    expected[stack][side] = value
            text = self.command('diff', '-q', '--format', 'folded', *arguments, a, b).stdout.decode()
            self.assertEqual(text.splitlines(), ['%s %s %s' % (stack, *expected[stack]) for stack in sorted(expected, key=str.encode)])
        again = self.command('info', '--json', self.file('both.folded', text.encode())).stdout
        self.assertEqual([value['name'] for value in json.loads(again)['values']], ['before', 'after'])

    def test_changes_add_up(self):
        """For each thread and value: the exclusive changes, those of the threads' own time among them, are the change of the total."""
        for seed in range(3):
            a, b = self.two(seed)
            for track in (['--track', 'main'], ['--track', 'worker b'], ['--track', 'worker c'], []):
                table = self.json('--all', *track, a, b)
                for value in table['values']:
                    name, columns = value['name'], table['columns']
                    for side in 'ab':
                        own = sum(row[columns.index('%s_excl_%s' % (name, side))] for row in table['rows'])
                        self.assertEqual(own + value['toplevel_' + side], value['total_' + side], (track, value))
                self.assertEqual([value['name'] for value in table['values']], ['wall', 'cpu', 'waiting'])

    def test_slow_method_is_first_of_5000(self):
        for seed in range(3):
            slow = 100 + 997 * seed
            a, names = random_recording(seed, 5000, 40000, noise=0.1)
            b, _ = random_recording(seed, 5000, 40000, slow=slow, factor=12, noise=0.1)
            rows = self.diff(self.file('a.trace', a.bytes()), self.file('b.trace', b.bytes()))
            self.assertGreater(len(rows), 4000)
            self.assertEqual('%(class)s.%(method)s' % rows[0], names[slow])

    def test_order(self):
        a, b = self.two()
        sizes = [abs(int(row['cpu_incl_b']) - int(row['cpu_incl_a'])) for row in self.diff('--sort', 'cpu_incl', a, b)]
        self.assertEqual(sizes, sorted(sizes, reverse=True))
        sizes = [int(row['wall_excl_b']) for row in self.diff('--sort', '-wall_excl_b', a, b)]
        self.assertEqual(sizes, sorted(sizes))
        sizes = [abs(int(row['cpu_excl_b']) - int(row['cpu_excl_a'])) for row in self.diff('--value', 'cpu', a, b)]
        self.assertEqual(sizes, sorted(sizes, reverse=True))
        self.assertEqual(len(self.diff('--limit', '3', '--grep', 'class', a, b)), 3)
        self.refused('diff', '--sort', 'nothing', a, b, status=2, said=['sort=nothing', 'wall_incl_a', 'calls'])
        self.refused('diff', '--longest', a, b, status=2, said='--longest')

    # ---- noise ----

    def verdict(self, a, b, *arguments):
        return [sentence['text'] for sentence in self.json(*arguments, self.file('a', a), self.file('b', b))['verdict']]

    def test_noise_of_the_clock(self):
        """A change of self within calls x what a reading of the clock costs is noise; above it, or where the cost is not known, it is none."""
        def recording(us, far_us):
            made = Recording()
            for _ in range(10):
                made.call(1, 'a.B.near', us).call(1, 'a.B.far', far_us)
            return made
        costs = ['clock-call-overhead-nsec=1000']
        # 10 calls x 1 us: 10 us are within, 20 us are not.
        said = self.verdict(recording(100, 100).bytes(costs), recording(101, 102).bytes(costs))
        self.assertIn('Left out as noise: 1 method that changed by no more than reading the clock costs, 1 \u00b5s a call: '
                      '10 \u00b5s together.', said)
        self.assertFalse(any('near' in words for words in said), said)
        self.assertTrue(any('a.B.far +20 \u00b5s' in words for words in said), said)
        said = self.verdict(recording(100, 100).bytes(), recording(101, 102).bytes())
        self.assertFalse(any('noise' in words for words in said), said)
        self.assertTrue(any('a.B.near +10 \u00b5s' in words for words in said), said)
        # The side where it is more counts, and only for times.
        said = self.verdict(recording(100, 100).bytes(), recording(102, 102).bytes(['clock-call-overhead-nsec=3000']))
        self.assertTrue(any('2 methods that changed by no more' in words for words in said), said)

    def test_noise_of_few_calls_and_samples(self):
        large, few = 100000, 2
        for calls, is_noise in ((few, True), (3, False)):
            a, b = (Recording().call(1, 'a.B.large', large) for _ in range(2))
            for _ in range(calls):
                a.call(1, 'a.B.rare', 10)
                b.call(1, 'a.B.rare', 20)
            said = ' '.join(self.verdict(a.bytes(), b.bytes()))
            self.assertEqual(('1 method called fewer than 3 times' in said, 'a.B.rare' in said), (is_noise, not is_noise), said)
        # Of a folded file with samples: 1 to 4 of them in 20,000 say nothing, 5 do; and of a small file all do.
        for a, b, whole, is_noise in ((1, 4, 20000, True), (0, 4, 20000, True), (1, 5, 20000, False), (1, 4, 2000, False)):
            text = 'm;x.Y.z %d\nm;x.Y.rare %d\n'
            said = ' '.join(self.verdict((text % (whole, a)).encode(), (text % (whole, b)).encode()))
            self.assertEqual(('1 method seen in fewer than 5 samples' in said, 'rare' in said), (is_noise, not is_noise), said)

    def test_sampled_recordings_have_no_numbers_of_calls(self):
        """Changes between samples are no calls: neither more often nor longer ones are told."""
        def sampled(calls):
            r = Recording()
            for i in range(300):
                r.call(1, 'com.example.shop.Cart.add' if i < calls else 'okio.Buffer.read', 1000)
            return r.bytes()
        said = ' '.join(self.verdict(sampled(50), sampled(200)))
        self.assertIn('com.example.shop.Cart.add +150 ms (+300 %).', said)
        self.assertNotIn('call', said.replace('with what they call', ''))
        rare = Recording()
        for i in range(1300):
            rare.call(1, 'com.example.shop.Cart.add', 2000).call(1, 'okio.Buffer.read%d' % i, 1000)
        self.assertIn('Left out as noise: 1,300 methods seen fewer than 3 times, 1.3 s together.', self.verdict(sampled(50), rare.bytes()))

    # ---- values below 0 ----

    def test_values_below_zero(self):
        """What goes down is a value of its own: profiles that are differences themselves are compared like others."""
        a = self.file('a.pb', pprof([('main;up', 100), ('main;down', -30), ('main;both', 5)]))
        b = self.file('b.pb', pprof([('main;up', 90), ('main;down', -70), ('main;both', -5)]))
        plain = self.file('c.pb', pprof([('main;up', 90)]))
        table = self.json('--all', a, b)
        self.assertEqual([(value['name'], value['total_a'], value['total_b']) for value in table['values']],
                         [('inuse-space', 105, 90), ('inuse-space-less', 30, 75)])
        rows = {row['method']: row for row in self.diff('--all', a, b)}
        self.assertEqual([(rows[name]['inuse-space_excl_' + side], rows[name]['inuse-space-less_excl_' + side])
                          for name in ('up', 'down', 'both') for side in 'ab'],
                         [('100', '0'), ('90', '0'), ('0', '30'), ('0', '70'), ('5', '0'), ('0', '5')])
        back = {row['method']: row for row in self.diff('--all', b, a)}
        for name, row in rows.items():
            for column, cell in row.items():
                if column[-2:] in ('_a', '_b'):
                    self.assertEqual(cell, back[name][column[:-1] + ('b' if column[-1] == 'a' else 'a')])
        self.assertEqual(self.diff(a, a), [])
        self.assertEqual(self.json('--all', a, plain)['values'][1]['total_b'], 0)
        self.assertEqual(self.json('--all', plain, a)['values'][1]['total_b'], 30)
        for value in ('inuse-space', 'inuse-space-less'):
            self.assertIn('compared":true', self.command('diff', '-q', '--format', 'svg', '--value', value, a, b).stdout.decode())
        self.command('diff', '--fail-if', 'inuse-space-less_excl:down>100%', a, b, status=3)
        self.command('diff', '--fail-if', 'inuse-space-less_excl:down>140%', a, b)

    def test_what_went_down_is_said(self):
        """Where a number is of what grew only, what shrank stands beside it."""
        path = self.file('a.pb', pprof([('main;com.x.A.up', 100), ('main;com.x.A.up;com.x.A.down', -30), ('main;com.x.A.both', 5)]))
        info = json.loads(self.command('info', '--json', path).stdout)
        for part in (info['whole'], info['tracks'][0]):
            self.assertEqual((part['totals'], part['shrunk']), ({'inuse-space': 105}, {'inuse-space': 30}))
        self.assertEqual([warning['code'] for warning in info['warnings']], ['differences'])
        self.assertRegex(self.command('info', path).stdout.decode(), r'memory in use  memory in use less .*\n +1 +105 B +30 B ')
        self.assertIn('of the 105 B more of memory in use', self.command('verdict', path).stdout.decode())
        for name in ('speedscope', 'firefox'):
            exported = self.command('export', name, '-q', '-o', '-', path).stdout
            file = json.loads(exported if name == 'speedscope' else gzip.decompress(exported))
            self.assertEqual(file.get('aflamed', file.get('meta', {}).get('aflamed'))['shrunk'], 30)
            self.assertIn(b'grew', self.command('export', name, '-o', '-', path).stderr.encode())

    # ---- frames and threads ----

    def test_names_that_are_numbered_anew(self):
        a = Recording().call(1, 'a.A$1.run', 10).call(1, 'a.A$2.run', 20)
        a.call(1, 'a.A$$ExternalSyntheticLambda0.run', 5).call(1, 'a.A.lambda$go$0', 7).call(1, 'a.Same$1.x', 1)
        a.call(1, 'a.Gone.x', 3).call(1, 'a.A.access$000(La/A;)I', 4).call(1, '$Proxy3.call', 2)
        b = Recording().call(1, 'a.A$12.run', 20).call(1, 'a.A$9.run', 10).call(1, 'a.Same$1.x', 1)
        b.call(1, 'a.A$$ExternalSyntheticLambda3.run', 6).call(1, 'a.A.lambda$go$4', 7).call(1, 'a.Came.x', 3)
        b.call(1, 'a.A.-$$Nest$fgetx(La/A;)I', 4).call(1, '$Proxy14.call', 2)
        paths = self.file('a.trace', a.bytes()), self.file('b.trace', b.bytes())
        rows = {'%(class)s.%(method)s' % row: (row['wall_excl_a'], row['wall_excl_b']) for row in self.diff('--all', *paths)}
        self.assertEqual(rows, {'a.A$1.run': ('10', '10'), 'a.A$12.run': ('20', '20'), 'a.Same$1.x': ('1', '1'),
                                'a.A$$ExternalSyntheticLambda0.run': ('5', '6'), 'a.A.lambda$go$0': ('7', '7'), 'a.Gone.x': ('3', '0'),
                                'a.Came.x': ('0', '3'), 'a.A.-$$Nest$fgetx': ('4', '4'), '$Proxy14.call': ('2', '2')})
        said = self.command('diff', *paths).stderr
        self.assertIn('6 methods are paired by a rule', said)
        self.assertIn('lambdas 1', said)
        self.assertIn('anonymous classes 2', said)
        self.assertEqual([row['method'] for row in self.diff(*paths)], [row['method'] for row in self.diff(*reversed(paths))])
        self.assertIn('a.A$12.run (by rule)', self.command('diff', '--all', '--format', 'txt', *paths).stdout.decode())

    def test_threads(self):
        """By name, pools together, of one name by weight; ids do not matter."""
        a = Recording([(1, 'main'), (5, 'pool-1-thread-1'), (6, 'pool-1-thread-2'), (7, 'twin'), (8, 'twin'), (9, 'gone')])
        b = Recording([(9, 'main'), (1, 'pool-4-thread-7'), (2, 'twin'), (3, 'twin'), (4, 'came')])
        for thread, us in ((1, 10), (5, 3), (6, 4), (7, 100), (8, 20), (9, 50)):
            a.call(thread, 'a.B.c', us)
        for thread, us in ((9, 11), (1, 5), (2, 21), (3, 101), (4, 60)):
            b.call(thread, 'a.B.c', us)
        paths = self.file('a.trace', a.bytes()), self.file('b.trace', b.bytes())
        rows = {row['name']: (row['wall_incl_a'], row['wall_incl_b']) for row in self.diff('--all', '--group', 'thread', *paths)
                if row['name'] != 'twin'}
        self.assertEqual(rows, {'main': ('10', '11'), 'pool-#-thread-#': ('7', '5'), 'gone': ('50', '0'), 'came': ('0', '60')})
        twins = sorted((row['wall_incl_a'], row['wall_incl_b']) for row in self.diff('--all', '--group', 'thread', *paths)
                       if row['name'] == 'twin')
        self.assertEqual(twins, [('100', '101'), ('20', '21')])
        for name in ('pool-1-thread-2', 'pool-4-thread-7', 'pool-#-thread-#'):
            self.assertEqual(self.diff('--track', name, *paths)[0]['wall_incl_a'], '7')
        self.refused('diff', '--track', 'nobody', *paths, status=2, said='track=nobody')

    def test_other_formats(self):
        folded = self.file('x.folded', b'a.b.C.m;a.b.D.n 7\n')
        other = self.file('y.folded', b'a.b.C.m;a.b.D.n 9\n')
        self.assertEqual([row['samples_excl_b'] for row in self.diff(folded, other)], ['9', '0'])
        a, _ = self.two()
        self.refused('diff', a, folded, status=1, said=['No value is measured by all', 'wall, cpu, calls', 'samples'])
        picture = self.file('not-a-profile.png', b'\x89PNG\r\n\x1a\n' + bytes(100))
        self.refused('diff', a, picture, status=1, said='not-a-profile.png')

    # ---- rules ----

    def test_rules(self):
        a = Recording().call(1, 'com.foo.A.run', 100, [('com.foo.B.run', 50), ('com.bar.C.run', 10)])
        b = Recording().call(1, 'com.foo.A.run', 100, [('com.foo.B.run', 60), ('com.bar.C.run', 10), ('com.bar.New.x', 1)])
        paths = self.file('a.trace', a.bytes()), self.file('b.trace', b.bytes())
        passed = {'total>6%': True, 'total>6.875%': False, 'total>6.87%': True, 'wall_incl:com.foo.*>10%': True,
                  'wall_incl:com.foo.*>20%': False, 'com.foo.B.run>9us': True, 'com.foo.B.run>0.009ms': True,
                  'com.foo.B.run>10us': False, 'com.foo.A.run>0%': True, 'wall_excl:com.foo.A.run>0%': False,
                  'com.bar.C.*>0%': False, 'com.bar.New.x>1000000%': True, 'com.bar.New.x>1us': False, 'COM.*>0%': False,
                  '*.B.*>1%': True, 'com.foo.B>1%': False, 'cpu_incl:total>5%': True, 'waiting_excl:*>0%': False}
        for rule, expected in passed.items():
            run = self.command('diff', '--fail-if', rule, *paths, status=3 if expected else 0)
            self.assertEqual('passed: %s: ' % rule in run.stderr, expected, rule)
            self.assertEqual(run.stdout, self.command('diff', *paths).stdout)
        run = self.command('diff', '--fail-if', 'total>1%', '--fail-if', 'total>90%', '--fail-if', '*>5us', *paths, status=3)
        self.assertEqual(run.stderr.count('passed: '), 2)
        self.assertIn('com.foo.B.run +10 \u00b5s (+20 %, 50 \u00b5s -> 60 \u00b5s)', run.stderr)
        self.command('diff', '--fail-if', 'total>0%', *reversed(paths))
        run = self.command('diff', '--fail-if', 'com.fo.*>5%', *paths)
        self.assertEqual(run.stderr, 'warning: --fail-if com.fo.*>5%: no method on either side has such a name.\n')

    def test_rules_that_make_no_sense(self):
        a, b = self.two()
        for rule in ('', 'total', 'total>', '>5%', 'total>-5%', 'total>x%', 'total>5 apples', 'total>%', 'total>1e3%', 'total>5MiB',
                     'total>99999999999999999999%', 'nothing_incl:total>5%', 'wall_incl:>5%', 'total>5', 'total>=5%'):
            self.refused('diff', '--fail-if', rule, a, b, status=2, said='--fail-if')
        self.refused('diff', '--fail-if', 'total>5%', a, status=2, said='two files')

    def test_script_of_ci(self):
        """One line in a shell script: a build that is slower fails, with a table for the review."""
        script = self.file('ci.sh', b"""set -eu
if "$AFLAMED" diff --fail-if 'wall_incl:com.app.*>10%' --fail-if 'total>5%' --format md "$1" "$2" > diff.md; then
    echo "not slower"
else
    test $? = 3
    echo "slower"
    exit 1
fi
""")
        slow, _ = random_recording(3, 40, 800, slow=9, factor=30)
        fast, _ = random_recording(3, 40, 800)
        paths = self.file('fast.trace', fast.bytes()), self.file('slow.trace', slow.bytes())
        for arguments, status, said in ((paths, 1, b'slower\n'), (paths[::-1], 0, b'not slower\n'), (paths[:1] * 2, 0, b'not slower\n')):
            run = subprocess.run(['sh', script, *arguments], cwd=self.folder, capture_output=True, timeout=60, check=False)
            self.assertEqual((run.returncode, run.stdout), (status, said), run.stderr)
            self.assertEqual(b'passed: total>5%' in run.stderr, status == 1)
            self.assertIn(b'| change |', self.read('diff.md'))

    # ---- several runs, and scales ----

    def test_several_runs(self):
        paths = {}
        for name, us in (('a1', 100), ('a2', 110), ('a3', 104), ('b1', 108), ('b2', 130), ('b3', 112), ('c1', 190), ('c2', 200)):
            paths[name] = self.file(name, Recording().call(1, 'a.B.c', us).call(1, 'a.B.d', 5).bytes())
        side = {s: ','.join(paths[name] for name in paths if name[0] == s) for s in 'abc'}
        self.assertEqual(self.diff(side['a'], side['b']), [])
        row = self.diff('--all', side['a'], side['b'])[0]
        self.assertEqual((row['method'], row['wall_excl_a'], row['wall_excl_b']), ('c', '104', '112'))
        rows = self.diff(side['a'], side['c'])
        self.assertEqual([(row['wall_excl_a'], row['wall_excl_b']) for row in rows], [('104', '195')])
        self.command('diff', '--fail-if', 'total>1%', side['a'], side['b'])
        self.command('diff', '--fail-if', 'total>1%', side['a'], side['c'], status=3)
        many = ','.join([paths['a1']] * 9)
        self.refused('diff', many, many, status=2, said='There is room for 8 runs')

    def test_commas_in_names(self):
        a, b = self.two()
        comma = self.file('a,b.trace', self.read('a.trace'))
        self.assertEqual(self.diff(comma, b), self.diff(a, b))

    def test_scales(self):
        a = Recording().call(1, 'a.B.c', 100).call(1, 'a.B.frame', 20)
        b = Recording()
        for _ in range(3):
            b.call(1, 'a.B.c', 100).call(1, 'a.B.frame', 20)
        paths = self.file('a.trace', a.bytes()), self.file('b.trace', b.bytes())
        self.assertEqual(len(self.diff(*paths)), 2)
        for scale in ('total', 'calls:a.B.frame', 'time'):
            self.assertEqual(self.diff('--normalise', scale, *paths), [], scale)
        self.refused('diff', '--normalise', 'calls:a.B.x', *paths, status=2, said='no method')
        self.refused('diff', '--normalise', 'weather', *paths, status=2, said='weather')

    # ---- formats ----

    def test_formats(self):
        a = Recording().call(1, 'com.foo.A|`x.run', 100)
        b = Recording().call(1, 'com.foo.A|`x.run', 150)
        paths = self.file('a.trace', a.bytes()), self.file('b.trace', b.bytes())
        self.assertEqual(self.command('diff', '--format', 'md', *paths).stdout.decode(), '''\
- B has 150 \u00b5s of wall time, 50 \u00b5s more than A's 100 \u00b5s (+50 %).
- More time in your methods, with what they call: com.foo.A\\|\\`x.run +50 \u00b5s (+50 %, 1 call as before).

wall time: 100 \u00b5s in A, 150 \u00b5s in B: +50 \u00b5s (+50 %) in 1 track; 1 of 1 rows differ, by wall_excl

| change | % | excl A | excl B | incl change | % | calls A | calls B | method |
| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | :--- |
| 0 ns | 0 % | 0 ns | 0 ns | +50 \u00b5s | +50 % |  |  | `(toplevel)` |
| +50 \u00b5s | +50 % | 100 \u00b5s | 150 \u00b5s | +50 \u00b5s | +50 % | 1 | 1 | `com.foo.A\\|'x.run` |
''')
        txt = self.command('diff', '--format', 'txt', *paths).stdout.decode()
        self.assertRegex(txt, r'(?m)^ +\+50 .s +\+50 % +100 .s +150 .s +\+50 .s +\+50 % +1 +1  com.foo')
        self.assertEqual(self.json(*paths)['format'], 'aflamed-diff')
        self.command('diff', '-o', self.path('out.csv'), '--format', 'csv', *paths)
        self.assertIn(b'calls_a,calls_b,wall_incl_a', self.read('out.csv'))
        self.refused('diff', '-o', paths[0], *paths, status=2, said='a.trace')
        self.refused('diff', '--format', 'png', *paths, status=2, said=['png', 'md'])
