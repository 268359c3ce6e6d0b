"""aflamed methods: the profile table on the command line. What it says is held against figures that are made here from the
whole tree (`render --output json`), and its formats against each other."""
import collections
import csv
import gzip
import io
import json
import os
import struct
import subprocess

import test_cli
from test_cli import trace

DEMO_TOP = '''\
class	method	signature	file	line	module	calls	recursive	wall_incl	wall_excl	cpu_incl	cpu_excl	waiting_incl	waiting_excl
java.lang.Thread	run	()V	Thread.java			9	0	6111817	314	450018	272	5661799	42
java.lang.Daemons$Daemon	run	()V	Daemons.java			3	0	3707759	70	58744	70	3649015	0
java.lang.Object	wait	()V	Object.java			5	0	2433162	2433162	71	71	2433091	2433091
'''
TWICE = 'class\tmethod\tsignature\tfile\tline\tmodule\tcalls\trecursive\tsamples_incl\tsamples_excl\n'


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text), delimiter='\t', quoting=csv.QUOTE_NONE))


class Sums:
    """What the rows of one table must be, by method, from the nodes of a tree."""

    def __init__(self):
        self.inclusive, self.exclusive, self.top = (collections.defaultdict(collections.Counter) for _ in range(3))
        self.calls, self.recursive = collections.Counter(), collections.Counter()

    def add_node(self, tree, nodes, node):
        stack = []
        at = node
        while at > 0 and nodes['frame'][at] >= 0:
            stack.append(nodes['frame'][at])
            at = nodes['parent'][at]
        for column, value in enumerate(v['name'] for v in tree['values']):
            self_ns = nodes['self'][column][node]
            for frame in set(stack):
                self.inclusive[value][frame] += self_ns
            if stack:
                self.exclusive[value][stack[0]] += self_ns
            else:
                self.top[value][None] += self_ns
        if stack:
            self.calls[stack[0]] += nodes['calls'][node]
            self.recursive[stack[0]] += nodes['calls'][node] if stack[0] in stack[1:] else 0


class Methods(test_cli.Command):
    def table(self, *arguments, **more):
        return rows_of(self.command('methods', *arguments, **more).stdout.decode())

    def demo(self):
        path = self.path('demo.trace')
        self.command('demo', '-o', path)
        return path

    def test_demo(self):
        run = self.command('methods', '--limit', '3', self.demo())
        self.assertEqual(run.stdout.decode(), DEMO_TOP)

    def check_tree(self, path, *selected):
        """All rows of the table, from the tree of the same tracks."""
        tree = json.loads(self.command('render', '-q', '--output', 'json', *(selected or ('--track', 'all')), path).stdout)
        nodes, strings, frames, sums = tree['nodes'], tree['strings'], tree['frames'], Sums()
        for node in range(len(nodes['frame'])):
            sums.add_node(tree, nodes, node)
        expected = {}
        for frame in sums.calls:
            key = tuple(strings[frames[part][frame]] for part in ('scope', 'name', 'signature'))
            numbers = {'calls': sums.calls[frame], 'recursive': sums.recursive[frame]}
            for value in sums.inclusive:
                if value != 'calls':
                    numbers[value + '_incl'] = sums.inclusive[value][frame] // 1000
                    numbers[value + '_excl'] = sums.exclusive[value][frame] // 1000
            expected[key] = numbers
        got = {(row['class'], row['method'], row['signature']): row for row in self.table('-q', *selected, path)}
        self.assertEqual(expected.keys(), got.keys())
        for key, numbers in expected.items():
            self.assertEqual(numbers, {column: int(got[key][column]) for column in numbers}, key)
        return tree, sums

    def test_demo_as_the_tree(self):
        path = self.demo()
        tree, _ = self.check_tree(path)
        self.assertGreater(len(tree['tracks']), 10)
        self.check_tree(path, '--track', 'main')
        self.check_tree(path, '--open', 'end', '--track', '9417,9447')

    def test_totals_are_those_of_the_tree(self):
        path = self.demo()
        tree, sums = self.check_tree(path)
        made = json.loads(self.command('methods', '-q', '--format', 'json', path).stdout)
        totals = {v['name']: nodes[0] for v, nodes in zip(tree['values'], tree['nodes']['total'])}
        for value in made['values']:
            self.assertEqual(value['unit'], 'us')
            self.assertEqual(value['total'], totals[value['name']] // 1000)
            exclusive = sum(sums.exclusive[value['name']].values()) + sums.top[value['name']][None]
            self.assertEqual(exclusive, totals[value['name']])

    def test_json_has_the_cells_of_tsv(self):
        path = self.demo()
        for group, keys in (('method', ['class', 'method', 'signature', 'file', 'line', 'module']), ('class', ['class']),
                            ('package', ['package']), ('origin', ['origin']), ('thread', ['track', 'name'])):
            made = json.loads(self.command('methods', '-q', '--format', 'json', '--group', group, path).stdout)
            table = self.table('-q', '--group', group, path)
            self.assertEqual((made['format'], made['version'], made['group']), ('aflamed-methods', 1, group))
            self.assertEqual((made['present'], made['matching'], made['offset']), (len(table), len(table), 0))
            self.assertEqual((made['sort'], made['reversed']), ('wall_incl', False))
            self.assertEqual(list(table[0])[:len(keys)], keys)
            rows = [dict(zip(made['columns'], row)) for row in made['rows']]
            for row, line in zip(rows, table, strict=True):
                self.assertEqual(len(row), len(made['columns']))
                for column, cell in line.items():
                    self.assertEqual('' if row[column] is None else str(row[column]), cell)
                    self.assertEqual(isinstance(row[column], str), column in keys and column not in ('line', 'track'))
                if group == 'method':
                    self.assertRegex(row['id'], '^[0-9a-f]{12}$')
                    self.assertIn(row['origin'], ('app', 'library', 'AndroidX', 'Android', 'Java/Kotlin', 'idle'))
            self.assertEqual(len({row['id'] for row in rows}) if group == 'method' else len(rows), len(rows))

    def test_groups(self):
        path = self.demo()
        tracks = json.loads(self.command('info', '--json', path).stdout)['tracks']
        rows = {int(row['track']): row for row in self.table('-q', '--group', 'thread', path)}
        self.assertEqual(sorted(rows), sorted(track['id'] for track in tracks))
        for track in tracks:
            row = rows[track['id']]
            self.assertEqual((row['name'], int(row['calls'])), (track['name'], track['calls']))
            self.assertEqual({int(row['wall_incl']), int(row['wall_excl'])}, {track['totals']['wall']})
        methods = self.table('-q', path)
        for group, key in (('class', lambda row: row['class']), ('package', lambda row: row['class'].rpartition('.')[0])):
            calls = collections.Counter()
            for row in methods:
                calls[key(row)] += int(row['calls'])
            self.assertEqual(calls, {row[group]: int(row['calls']) for row in self.table('-q', '--group', group, path)})

    def test_recursion(self):
        self.check_tree(self.file('deep.trace', recursive_trace()))
        rows = {row['method']: row for row in self.table('-q', self.path('deep.trace'))}
        self.assertEqual((rows['run']['calls'], rows['run']['recursive']), ('4', '3'))
        self.assertEqual((rows['call']['calls'], rows['call']['recursive']), ('3', '2'))
        self.assertEqual((rows['run']['wall_incl'], rows['call']['wall_incl']), ('60', '50'))

    def test_order_filter_and_range(self):
        path = self.demo()
        everything = self.table('-q', path)
        for column in ('calls', 'wall_excl', 'cpu_incl', 'waiting_excl'):
            cells = [int(row[column]) for row in self.table('-q', '--sort', column, path)]
            self.assertEqual(cells, sorted(cells, reverse=True))
            self.assertEqual([int(row[column]) for row in self.table('-q', '--sort=-' + column, path)], sorted(cells))
        for column in ('class', 'method', 'file', 'signature'):
            cells = [row[column].encode() for row in self.table('-q', '--sort', column, path)]
            self.assertEqual(cells, sorted(cells))
        self.assertEqual([row['cpu_incl'] for row in self.table('-q', '--value', 'cpu', path)],
                         [row['cpu_incl'] for row in self.table('-q', '--sort', 'cpu_incl', path)])
        found = self.table('-q', '--grep', 'LANG.thread.', path)
        self.assertEqual(found, [row for row in everything if 'lang.thread.' in (row['class'] + '.' + row['method']).lower()])
        self.assertTrue(found)
        self.assertEqual(self.table('-q', '--limit', '5', '--offset', '3', path), everything[3:8])
        self.assertEqual(self.table('-q', '--offset', '100000', path), [])
        self.assertEqual(self.table('-q', '--grep', 'no such method', path), [])

    def test_text(self):
        text = self.command('methods', '-q', '--format', 'txt', self.file('deep.trace', recursive_trace())).stdout.decode()
        lines = text.splitlines()
        self.assertEqual(lines[0], 'wall time, 60 µs in 1 track; 2 of 2 rows by wall_incl')
        self.assertEqual(lines[2].split(), ['incl', '%', 'incl', 'excl', '%', 'excl', 'calls+recur', 'mean', 'method'])
        self.assertEqual(lines[3].split(), '100 % 60 µs 0 % 0 ns (toplevel)'.split())
        self.assertRegex(lines[4], r'^ +100 % +60 µs +[\d.]+ % +[\d.]+ µs +1\+3 +60 µs +a\.B\.run$')
        self.assertEqual(len({line.index(name) for line, name in zip(lines[2:], ('method', '(top', 'a.B', 'a.B'))}), 1)
        self.assertNotIn('toplevel', self.command('methods', '--format', 'txt', '--grep', 'run',
                                                  self.path('deep.trace')).stdout.decode())

    def test_csv(self):
        text = self.command('methods', '--format', 'csv', self.file()).stdout.decode()
        self.assertEqual(list(csv.DictReader(io.StringIO(text))), self.table(self.path('x.trace')))

    def test_hostile_names(self):
        line = test_cli.METHODS[0x10].encode()
        path = self.file(content=trace().replace(line, b'=cmd|\'c calc\'!A1\t@a"b\t()V\t+B\x1b[31m.java'))
        for format_name in ('tsv', 'csv', 'json', 'txt'):
            self.assertNotIn(b'\x1b', self.command('methods', '--format', format_name, path).stdout)
        row = list(csv.reader(io.StringIO(self.command('methods', '--format', 'csv', path).stdout.decode())))[1]
        self.assertEqual(row[:2], ["'=cmd|'c calc'!A1", '\'@a"b'])
        self.assertTrue(self.table(path)[0]['class'].startswith('=cmd'))
        self.assertEqual(json.loads(self.command('methods', '--format', 'json', path).stdout)['rows'][0][1],
                         "=cmd|'c calc'!A1")

    def test_folded_stacks(self):
        """No calls: their cells are empty; sums that have no room stay at the largest number."""
        path = self.file('x.folded', b'a.b.C.d;e 18446744073709551615\na.b.C.d;f 5\ne 7\n')
        run = self.command('methods', '-q', path)
        largest = '18446744073709551615'
        self.assertEqual(run.stdout.decode(), TWICE + 'a.b.C\td\t\t\t\t\t\t\t%s\t0\n' % largest +
                         '\te\t\t\t\t\t\t\t%s\t%s\n' % (largest, largest) + '\tf\t\t\t\t\t\t\t5\t5\n')
        self.assertNotIn('calls', self.command('methods', '-q', '--format', 'txt', path).stdout.decode())
        self.assertEqual(json.loads(self.command('methods', '-q', '--format', 'json', path).stdout)['rows'][2][8:],
                         [None, None, 5, 5])

    def test_inputs_and_results(self):
        path, expected = self.file(), self.command('methods', self.file()).stdout
        self.assertEqual(self.command('methods', '-', stdin=trace()).stdout, expected)
        self.assertEqual(self.command('methods', self.file('x.gz', gzip.compress(trace()))).stdout, expected)
        self.command('methods', '-o', 'out.tsv', path)
        self.assertEqual(self.read('out.tsv'), expected)
        content = trace()
        middle = content.index(b'*end\n') + len(b'*end\n')
        key, data = self.file('y.key', content[:middle]), self.file('y.data', content[middle:])
        self.assertEqual(self.command('methods', key, data).stdout, expected)
        self.assertEqual(self.command('methods', data, key).stdout, expected)
        self.refused('methods', '-o', path, path, status=2, said='overwritten')
        self.assertEqual(self.read('x.trace'), trace())

    def test_tracks(self):
        path = self.file()
        one = self.table('--track', '2', path)
        self.assertEqual([row['wall_incl'] for row in one], ['20', '10'])
        self.assertEqual(self.table('--track', 'worker', path), one)
        self.assertEqual(self.table('--track', '1,2', path), self.table(path))
        self.assertEqual(self.table('--track', 'all', path), self.table('--track', 'merged', path))
        self.refused('methods', '--track', '9', path, status=2, said='9')
        self.refused('methods', '--track', 'nobody', path, status=2, said='nobody')

    def test_warnings(self):
        path = self.file(content=trace(cut=3))
        self.assertIn('warning: ', self.command('methods', path).stderr)
        self.assertEqual(self.command('methods', '-q', path).stderr, '')

    def test_usage(self):
        path = self.file()
        self.refused('methods', status=2, said='file')
        self.refused('methods', path, path, status=2, said='one')
        self.refused('methods', self.path('none'), status=1, said='none')
        self.refused('methods', self.file('x.txt', b'no trace at all'), status=1, said='format')
        self.refused('methods', self.file('empty', b''), status=1, said='empty')
        for option, value in (('--format', 'xml'), ('--group', 'methods'), ('--sort', 'wall'), ('--sort', ''),
                              ('--limit', '-1'), ('--limit', 'all'), ('--offset', '1.5'), ('--value', 'time'),
                              ('--open', 'never'), ('--grep', 'x' * 501), ('--sort', 'x' * 101)):
            self.refused('methods', option, value, path, status=2, said=option[2:])
        self.refused('methods', '--width', '800', path, status=2, said='--width')
        self.refused('methods', '--group', status=2, said='--group')
        self.refused('methods', '-x', path, status=2, said='-x')
        self.assertIn('wall_incl', self.refused('methods', '--sort', 'wall', path, status=2, said='wall').stderr)

    def test_full_disk(self):
        with open('/dev/full', 'wb') as full:
            self.refused('methods', self.file(), status=1, said='No space left', stdout=full)

    def test_help(self):
        text = self.command('methods', '--help').stdout.decode()
        for word in ('--format', '--track', '--value', '--sort', '--group', '--grep', '--limit', '--offset', 'tsv'):
            self.assertIn(word, text)
        run = subprocess.run([os.environ['AFLAMED'], '--help'], capture_output=True, timeout=60, check=True)
        self.assertIn(b'methods', run.stdout)


def recursive_trace():
    """a.B.run > a.B.call > a.B.run > ... seven deep, each 10 µs before the next one, on one thread."""
    whole = trace(threads=((1, b'main'),), busy_us=(0,))
    head = whole[:whole.index(b'SLOW') + 32]
    events = [(0x10 if i % 2 == 0 else 0x14, i * 10) for i in range(7)]
    events += [((0x11 if i % 2 == 0 else 0x15), 60) for i in reversed(range(7))]
    return head + b''.join(struct.pack('<HIII', 1, word, at, at) for word, at in events)

