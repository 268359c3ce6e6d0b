"""Exports: what other tools read, against our own table of methods and folded stacks."""
import collections
import gzip
import json
import os
import random
import struct
import unittest

from support import ServiceTest, binary_header, id_of, text_part, trace
from test_cli import Command
import exports

CONTENT = trace(threads=3, methods=12, records=900, depth=7, salt=5)


def trace_of(methods, records):
    """Records are (thread, method, 0 enters or 1 leaves, wall time in us, CPU time in us)."""
    lines = ['0x%x\t%s' % (4 * number, '\t'.join(names)) for number, names in enumerate(methods)]
    threads = [(1, 'main'), (2, 'worker')]
    return text_part(3, 'dual', threads, lines) + binary_header(3, 14) + b''.join(
        struct.pack('<HIII', thread, 4 * method | leaves, cpu, wall) for thread, method, leaves, wall, cpu in records)


def wild_trace(seed):
    """Recursion, threads that take turns, calls that were entered before the first record or are never left."""
    numbers = random.Random(seed)
    methods = [('com.foo.A%d' % (n % 3), 'm%d' % (n // 2), '(I)V' if n % 2 else '()V', 'A.java') for n in range(10)]
    clocks, open_, records = {1: [100, 5], 2: [130, 0]}, {1: [], 2: []}, []
    for _ in range(600):
        thread = numbers.randint(1, 2)
        clocks[thread][0] += numbers.choice((0, 1, 3, 40))
        clocks[thread][1] += numbers.choice((0, 1, 2))
        stack = open_[thread]
        leaves = numbers.random() < 0.02 or (stack and numbers.random() < 0.25 + 0.05 * len(stack))
        method = stack.pop() if leaves and stack else numbers.randrange(len(methods))
        if not leaves:
            stack.append(method)
        records.append((thread, method, int(bool(leaves)), *clocks[thread]))
    return trace_of(methods, records)


def by_method(stacks):
    """Self, and inclusive with each method once in a stack."""
    own, inclusive = collections.Counter(), collections.Counter()
    for stack, value in stacks.items():
        if stack:
            own[stack[-1]] += value
        for frame in set(stack):
            inclusive[frame] += value
    return own, inclusive


class Exports(Command):
    def rows(self, path, *options):
        lines = self.command('methods', '-q', *options, path).stdout.decode().splitlines()
        head = lines[0].split('\t')
        return [dict(zip(head, line.split('\t'))) for line in lines[1:]]

    def exported(self, path, name, *options):
        return self.command('export', name, '-q', path, '-o', '-', *options).stdout

    def check(self, path, tracks, value, *options, unit=1000):
        """Totals of each method over all tracks are those of the table."""
        own, inclusive = collections.Counter(), collections.Counter()
        for stacks in tracks.values():
            for total, part in zip((own, inclusive), by_method(stacks)):
                total.update(part)
        rows = self.rows(path, *options)
        self.assertGreater(len(rows), 3)
        for row in rows:
            name = '.'.join(part for part in (row['class'], row['method']) if part)
            if name not in inclusive and int(row[value + '_incl']):
                name += row['signature']
            self.assertEqual(own[name] // unit, int(row[value + '_excl']), name)
            self.assertEqual(inclusive[name] // unit, int(row[value + '_incl']), name)

    def test_totals_of_methods(self):
        path = self.file(content=CONTENT)
        pprof = exports.Pprof(self.exported(path, 'pprof'))
        self.assertEqual(pprof.types[0], ('wall', 'nanoseconds'))
        self.assertIn(('calls', 'count'), pprof.types)
        self.assertEqual(pprof.default, 'wall')
        for value in ('wall', 'cpu'):
            self.check(path, exports.speedscope(self.exported(path, 'speedscope', '--value', value)), value)
            self.check(path, exports.firefox(self.exported(path, 'firefox', '--value', value)), value)
            self.check(path, pprof.tracks(value), value)
        calls = sum(int(row['calls']) for row in self.rows(path))
        self.assertEqual(sum(sum(t.values()) for t in pprof.tracks('calls').values()), calls)

    def test_each_call_with_its_times(self):
        path = self.file(content=CONTENT)
        content = self.exported(path, 'chrome')
        tracks = exports.chrome(content)
        self.assertEqual(sorted(tracks), ['Thread-1', 'Thread-2', 'main'])
        self.check(path, tracks, 'wall')
        events = [e for e in json.loads(content)['traceEvents'] if e['ph'] == 'B']
        self.assertEqual(len(events), sum(int(row['calls']) for row in self.rows(path)))
        self.assertEqual(content, self.command('calls', '--format', 'chrome', '-q', path).stdout)
        one = exports.chrome(self.exported(path, 'chrome', '--track', 'main', '--ignore', 'm3'))
        self.assertEqual(list(one), ['main'])
        self.assertFalse([s for s in one['main'] if any('m3' in frame for frame in s)])

    def folded(self, path, value):
        return self.command('render', '-q', '--output', 'folded', '--track', 'all', '--value', value, path).stdout

    def test_exports_come_back(self):
        """What is exported and read again has the same stacks, for each value that the format carries."""
        path = self.file(content=CONTENT)
        for value in ('wall', 'cpu', 'calls'):
            for form in ('speedscope', 'firefox'):
                back = self.path('%s.%s' % (value, form))
                self.command('export', form, '-q', '--track', 'all', '--value', value, '-o', back, path)
                self.assertEqual(self.folded(back, value), self.folded(path, value), (form, value))
        back = self.path('back.json')
        self.command('export', 'chrome', '-q', '-o', back, path)
        for value in ('wall', 'cpu', 'calls'):
            self.assertEqual(self.folded(back, value), self.folded(path, value), value)

    def test_a_trace_of_perfetto(self):
        path = self.file(content=CONTENT)
        trace_ = exports.Perfetto(self.exported(path, 'perfetto'))
        self.assertEqual(sorted(trace_.threads.values()), [(1, 'main'), (2, 'Thread-1'), (3, 'Thread-2')])
        self.assertEqual(trace_.pid, 5)     # as the trace says
        self.check(path, trace_.tracks, 'wall')
        self.check(path, trace_.cpu_tracks, 'cpu')
        begun = [event for events in trace_.events.values() for event in events if event[0] == trace_.BEGIN]
        self.assertEqual(len(begun), sum(int(row['calls']) for row in self.rows(path)))
        self.assertEqual({event[2] for event in begun}, {'app'})
        one = exports.Perfetto(self.exported(path, 'perfetto', '--track', 'main'))
        self.assertEqual((list(one.tracks), list(one.threads.values())), (['main'], [(1, 'main')]))

    def test_categories_and_repaired_threads(self):
        methods = [('android.os.Looper', 'loop', '()V', 'Looper.java'), ('com.foo.A', 'a', '()V', 'A.java'),
                   ('com.foo.A', 'a', '(I)V', 'A.java')]
        # loop encloses what was seen before it is left; the last call of a(int) never is.
        path = self.file(content=trace_of(methods, [(1, 1, 0, 10, 0), (1, 1, 1, 40, 3), (1, 0, 1, 50, 4), (1, 2, 0, 60, 5), (1, 2, 0, 95, 6)]))
        trace_ = exports.Perfetto(self.exported(path, 'perfetto'))
        (events,) = trace_.events.values()
        self.assertEqual([event[:4] for event in events[:5]],
                         [(1, 'android.os.Looper.loop', 'Android', 10000), (1, 'com.foo.A.a()V', 'app', 10000), (2, None, None, 40000),
                          (2, None, None, 50000), (1, 'com.foo.A.a(I)V', 'app', 60000)])
        self.assertEqual(sum(trace_.tracks['main'].values()), 75000)

    def test_what_filters_and_ranges_leave_is_what_the_table_has(self):
        for seed in (1, 2):
            self.filtered_like_the_table(self.file('%d.trace' % seed, content=wild_trace(seed)))

    def filtered_like_the_table(self, path):
        name = '%s.%s' % tuple(max(self.rows(path), key=lambda row: int(row['wall_incl']))[key] for key in ('class', 'method'))
        for options in ((), ('--open', 'end'), ('--ignore', 'm3'), ('--focus', name), ('--hide', name), ('--show-from', name), ('--recursion', 'collapse-all'),
                        ('--hide', 'm1', '--recursion', 'collapse'), ('--from', '300.25', '--to', '2500'), ('--from', '301', '--focus', name)):
            with self.subTest(options):
                trace_ = exports.Perfetto(self.exported(path, 'perfetto', *options))
                self.check(path, trace_.tracks, 'wall', *options)
                self.check(path, trace_.cpu_tracks, 'cpu', *options)
                for value in ('wall', 'cpu'):
                    tracks = exports.speedscope(self.exported(path, 'speedscope', '--value', value, *options))
                    self.check(path, tracks, value, *options)

    def test_what_has_no_times_has_no_calls(self):
        path = self.file('x.folded', b'main;a;b 3\n')
        self.refused('export', 'perfetto', path, status=2, said=('no calls in this file', 'none: Folded'))

    def test_speedscope_has_the_order_of_time(self):
        path = self.file(content=CONTENT)
        file = json.loads(self.exported(path, 'speedscope'))
        self.assertEqual(file['profiles'][file['activeProfileIndex']]['name'], 'main tid=1')
        events = sum(len(profile['events']) for profile in file['profiles'])
        self.assertEqual(events, 2 * sum(int(row['calls']) for row in self.rows(path)))
        for options in (('--track', 'merged'), ('--value', 'calls'), ('--value', 'waiting')):
            file = json.loads(self.exported(path, 'speedscope', *options))     # its stacks
            self.assertLess(sum(len(profile['events']) for profile in file['profiles']), events)
        self.command('export', 'speedscope', path, '--out-dir', self.path('d'))
        with open(os.path.join(self.path('d'), '2-Thread-1.speedscope.json'), 'rb') as one:
            self.assertEqual(exports.speedscope(one.read())['Thread-1 tid=2'],
                             exports.speedscope(self.exported(path, 'speedscope'))['Thread-1 tid=2'])

    def test_threads_stay_apart_and_agree(self):
        path = self.file(content=CONTENT)
        speedscope = exports.speedscope(self.exported(path, 'speedscope'))
        firefox = exports.firefox(self.exported(path, 'firefox'))
        pprof = exports.Pprof(self.exported(path, 'pprof')).tracks('wall')
        self.assertEqual(sorted(speedscope), ['Thread-1 tid=2', 'Thread-2 tid=3', 'main tid=1'])
        self.assertEqual(sorted(firefox), sorted(speedscope))
        self.assertEqual(sorted(pprof), sorted(speedscope))
        for name, stacks in speedscope.items():
            kept = {stack: value for stack, value in stacks.items() if value and stack}     # none of it is time in no frame
            self.assertEqual(kept, {stack: value for stack, value in firefox[name].items() if value and stack})
            self.assertEqual(kept, {stack: value for stack, value in pprof[name].items() if value})

    def check_processes(self, path, expected):
        """Each export has these (pid, tid, name, whether it is the main thread)."""
        threads = json.loads(gzip.decompress(self.exported(path, 'firefox')))['threads']
        self.assertEqual({(int(t['pid']), t['tid'], t['name'].split(' tid=')[0], t['isMainThread']) for t in threads}, expected)
        plain = {thread[:3] for thread in expected}
        events = json.loads(self.exported(path, 'chrome'))['traceEvents']
        self.assertEqual({(e['pid'], e['tid'], e['args']['name']) for e in events if e['ph'] == 'M'}, plain)
        self.assertEqual({(e['pid'], e['tid']) for e in events if e['ph'] != 'M'}, {thread[:2] for thread in plain})
        perfetto = exports.Perfetto(self.exported(path, 'perfetto'))
        self.assertEqual({(perfetto.pids[uuid], *thread) for uuid, thread in perfetto.threads.items()}, plain)

    def test_processes_have_their_numbers(self):
        calls = [(thread, 4 * n + leaves, n, n) for n in range(2) for leaves in (0, 1) for thread in (2630, 2631)]
        method = text_part(3, 'dual', [(2631, 'AsyncTask #1'), (2630, 'main')], ['0x0\ta.B\trun\t()V\tB.java', '0x4\ta.B\tgo\t()V\tB.java'],
                           ['pid=2630']) + binary_header(3, 14) + b''.join(struct.pack('<HIII', *call) for call in calls)
        self.check_processes(self.file('one.trace', method),
                             {(2630, 2630, 'main', True), (2630, 2631, 'AsyncTask #1', False)})
        threads = [(7, 7, 'com.one'), (7, 9, 'worker'), (8, 8, 'com.two')]
        events = [{'ph': 'M', 'name': 'thread_name', 'pid': pid, 'tid': tid, 'args': {'name': name}} for pid, tid, name in threads]
        events += [{'ph': 'X', 'name': 'a', 'ts': 5, 'dur': 3, 'pid': pid, 'tid': tid} for pid, tid, _ in threads]
        self.check_processes(self.file('two.json', json.dumps({'traceEvents': events}).encode()),
                             {(pid, tid, name, pid == tid) for pid, tid, name in threads})

    def test_a_filter_one_thread_and_all_merged(self):
        path = self.file(content=CONTENT)
        one = exports.speedscope(self.exported(path, 'speedscope', '--track', '2'))
        self.assertEqual(list(one), ['Thread-1 tid=2'])
        merged = exports.Pprof(self.exported(path, 'pprof', '--track', 'merged'))
        self.assertEqual(list(merged.tracks('wall')), ['merged'])
        self.check(path, merged.tracks('wall'), 'wall')
        row = max(self.rows(path), key=lambda row: int(row['wall_excl']))
        text = '%s.%s' % (row['class'], row['method'])
        hidden = exports.firefox(self.exported(path, 'firefox', '--hide', text))
        self.assertFalse([s for stacks in hidden.values() for s in stacks if text in s])
        self.check(path, hidden, 'wall', '--hide', text)

    def test_folded_stacks_of_counts(self):
        path = self.file('x.folded', b'main;a;b 3\nmain;a 4\nmain 1\n"q\\";a<b 2\n')
        for stacks in (exports.speedscope(self.exported(path, 'speedscope')),
                       exports.firefox(self.exported(path, 'firefox'))):
            (only,) = stacks.values()
            self.assertEqual({s: v for s, v in only.items() if v},
                             {('main', 'a', 'b'): 3, ('main', 'a'): 4, ('main',): 1, ('"q\\"', 'a<b'): 2})
        pprof = exports.Pprof(self.exported(path, 'pprof'))
        self.assertEqual(pprof.types, [('samples', 'count')])
        self.assertEqual(sum(values[0] for _, values, _ in pprof.samples), 10)

    def test_files_and_lines(self):
        path = self.file()
        file = json.loads(self.exported(path, 'speedscope'))
        self.assertIn({'name': 'a.B.run', 'file': 'B.java'}, file['shared']['frames'])
        self.assertIn('B.java', exports.Pprof(self.exported(path, 'pprof')).files.values())
        self.assertIn('B.java', json.loads(gzip.decompress(self.exported(path, 'firefox')))['threads'][0]['stringArray'])

    def test_nobody_takes_it(self):
        path = self.file(content=trace(threads=2, methods=12, records=60_000, depth=7, salt=8))
        for name in ('chrome', 'perfetto', 'speedscope'):
            self.refused('export', name, path, '-o', '/dev/full', status=1, said='/dev/full')
        # Few calls, whose names, behind them all, are what nobody takes.
        names = [('com.foo.' + 'A' * 300, 'm%d' % n, '()V', 'A.java') for n in range(1500)]
        calls = [(1, n, leaves, 2 * n + leaves, n) for n in range(1500) for leaves in (0, 1)]
        path = self.file('names.trace', trace_of(names, calls))
        self.refused('export', 'speedscope', path, '-o', '/dev/full', status=1, said=('/dev/full', 'No space left'))

    def test_usage(self):
        path = self.file()
        self.refused('export', status=2, said='no format')
        self.refused('export', 'svg', path, status=2, said=('svg', 'speedscope', 'pprof', 'firefox', 'folded', 'json'))
        self.refused('export', 'pprof', status=2, said='no file')
        self.refused('export', 'pprof', '--output', 'svg', path, status=2, said='output')
        self.refused('export', 'pprof', '--view', 'chart', path, '-o', self.path('y'), status=2, said='chart')
        self.command('export', 'speedscope', path, '--out-dir', self.path('d'))
        self.assertEqual(sorted(os.listdir(self.path('d'))), ['1-main.speedscope.json', '2-worker.speedscope.json'])


class Pieces(Command):
    """A log of many blocks is written by all cores, each block by itself; under a filter by one, from its beginning to its end."""
    def test_calls_are_the_same_on_one_core_on_all_and_in_one_piece(self):
        path = self.file(content=trace(threads=3, methods=12, records=200_000, depth=7, salt=6))
        cores = os.sched_getaffinity(0)

        def one_core():
            os.sched_setaffinity(0, {min(cores)})

        for name in ('tsv', 'csv', 'json', 'txt', 'chrome', 'perfetto', 'speedscope'):
            command = ('calls', '-q', '--format', name, path)
            listed = self.command(*command).stdout
            self.assertEqual(self.command(*command, preexec_fn=one_core).stdout, listed, name)
            whole = self.command(*command, '--hide', 'no.such.method').stdout
            if name == 'perfetto':          # whose names stand elsewhere
                listed, whole = exports.Perfetto(listed).tracks, exports.Perfetto(whole).tracks
            self.assertEqual(whole, listed, name)


class Suffixes(ServiceTest):
    def test_the_service_has_them_too(self):
        answer = self.stored(CONTENT)
        base = '/p/%s/t/all.' % id_of(answer)
        got = self.server.get(base + 'pb.gz', Accept_Encoding='gzip')
        self.assertEqual((got.status, got['Content-Type'], got['Content-Encoding']), (200, 'application/gzip', None))
        self.assertEqual(len(exports.Pprof(got.body).tracks('wall')), 3)
        self.assertEqual(len(exports.firefox(self.server.get(base + 'firefox.json.gz').body)), 3)
        self.assertEqual(len(exports.speedscope(self.server.get(base + 'speedscope.json').body)), 3)
        self.assertEqual(len(exports.chrome(self.server.get('/p/%s/calls.chrome' % id_of(answer)).body)), 3)
        page = self.server.get('/p/%s/t/all' % id_of(answer), Accept='text/html').text
        for label in ('speedscope', 'pprof', 'the Firefox Profiler'):
            self.assertIn('This view: Stacks for ' + label, page)

    def test_calls_in_the_order_of_time(self):
        id_ = id_of(self.stored(wild_trace(3)))
        perfetto = self.server.get('/p/%s/calls.perfetto?hide=m1' % id_)
        self.assertEqual((perfetto.status, perfetto['Content-Type']), (200, 'application/octet-stream'))
        tracks = exports.Perfetto(perfetto.body).tracks
        self.assertEqual(sorted(tracks), ['main', 'worker'])
        speedscope = exports.speedscope(self.server.get('/p/%s/calls.speedscope?hide=m1' % id_).body)
        for name, tid in (('main', 1), ('worker', 2)):
            kept = {stack: value for stack, value in speedscope['%s tid=%d' % (name, tid)].items() if value and stack}
            self.assertEqual(kept, {stack: value for stack, value in tracks[name].items() if value})
        page = self.server.get('/p/%s?hide=m1' % id_, Accept='text/html').text
        self.assertIn('calls.perfetto?hide=m1">All calls: for Perfetto', page)


class LittleMemory(ServiceTest):
    CONFIG = {'view_memory_bytes': '768K'}

    def test_threads_that_do_not_fit_are_read_again(self):
        """Three threads take turns; what two of them do while the first one is written is more than there is room for."""
        content = trace(threads=3, methods=12, records=450_000, depth=7, salt=6)
        stacks = exports.speedscope(self.server.get('/p/%s/calls.speedscope' % id_of(self.stored(content))).body)
        perfetto = exports.Perfetto(self.server.get('/p/%s/calls.perfetto' % id_of(self.stored(content))).body)
        self.assertEqual(list(stacks), ['main tid=1', 'Thread-1 tid=2', 'Thread-2 tid=3'])
        for name, stacks_ in stacks.items():
            self.assertEqual({stack: value for stack, value in stacks_.items() if value and stack},
                             {stack: value for stack, value in perfetto.tracks[name.partition(' ')[0]].items() if value})


if __name__ == '__main__':
    unittest.main()
