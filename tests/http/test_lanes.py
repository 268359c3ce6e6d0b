"""Lanes: what all threads did in a window of time, as JSON."""
import json
import os
import re
import struct
import subprocess
import xml.etree.ElementTree

from support import DemoTest, METHOD_ID_STEP, Server, ServiceTest, amount, binary_header, id_of, large_trace, method_lines, salted, text_part, trace
import trace_text
from native import number, text
from system_trace import SLEEPS, Trace


def decoded(shares, places):
    """The letters of a text of shares as numbers."""
    letters = []
    for letter, times in re.findall('([A-Za-z])([0-9]*)', shares):
        letters += [ord(letter) - 65 if letter < 'a' else ord(letter) - 97 + 26] * int(times or 1)
    return letters + [0] * (places - len(letters))


MIB = 1 << 20


def counted(counts):
    return sum(n for n in counts if n > 0)


def device(listed, recorded=400, turns=3):
    """What the scheduler of a device did: so many threads of 60 processes are listed, the first of which have sections."""
    t, pids = Trace(), [1000 + 100 * i for i in range(60)]
    for i, pid in enumerate(pids):
        t.process(pid, 'com.example.app%d' % i, 10001 + i)
    threads = [(pids[i % 60], pids[i % 60] + i // 60) for i in range(listed)]
    for pid, tid in threads:
        t.thread(pid, tid, 'worker-%d' % (tid - pid))
    ns = 1000000
    for turn in range(turns):
        for pid, tid in threads[:recorded]:
            t.run(ns, 0, tid)
            t.begin(ns + 100, pid, tid, 'work %c' % (65 + tid % 7))
            t.begin(ns + 200, pid, tid, 'step %c' % (65 + (tid + turn) % 5))
            t.end(ns + 3000, pid, tid)
            t.end(ns + 4000, pid, tid)
            t.stop(ns + 5000, 0, tid, SLEEPS)
            ns += 7000
    return t.bytes()


class Lanes(DemoTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.methods = json.loads(cls.server.get(cls.path + '/methods.json').text)

    def lanes(self, query='', path=None):
        answer = self.server.get('%s/lanes?%s' % (path or self.path, query))
        self.assertEqual(answer.status, 200, answer.text)
        self.assertEqual(answer['Content-Type'], 'application/json')
        return json.loads(answer.text)

    def column(self, name):
        at = self.methods['columns'].index(name)
        return [row[at] for row in self.methods['rows']]

    def test_all_of_the_recording(self):
        lanes = self.lanes('width=1600')
        self.assertEqual(lanes['version'], 1)
        self.assertEqual([lanes['from_ns'], lanes['to_ns']], [lanes['whole_from_ns'], lanes['whole_to_ns']])
        self.assertEqual(lanes['lanes'][0]['name'], 'main')
        for _track, begin, length, *_rest in lanes['messages']:
            self.assertTrue(length >= 16700000 and begin + length <= lanes['to_ns'])
        self.assertGreater(len(lanes['messages']), 0)
        work = [lane['work_ns'] for lane in lanes['lanes'][1:]]
        self.assertEqual(work, sorted(work, reverse=True))
        self.assertEqual(sum(lane['calls'] for lane in lanes['lanes']), sum(self.column('calls')))
        for lane in lanes['lanes']:
            self.assertEqual(counted(lane['counts']), lane['calls'])
            shares = [decoded(text, 1600) for text in lane['shares']]
            for ns, share in zip(lane['ns'], shares):
                self.assertEqual(len(share), 1600)
                self.assertEqual(ns > 0, any(share))
                self.assertAlmostEqual(ns, sum(share) / 51 * (lanes['to_ns'] / 1600), delta=lanes['to_ns'] / 51)

    def test_the_method_of_each_place(self):
        plain, lanes = self.lanes('width=700'), self.lanes('width=700&methods=1')
        self.assertTrue(all('methods' not in lane for lane in plain['lanes']))
        for lane in lanes['lanes']:
            runs = lane.pop('methods')
            methods = [method for method, times in zip(runs[::2], runs[1::2]) for _ in range(times)]
            work = [sum(shares) for shares in zip(*(decoded(lane['shares'][k], 700) for k in range(3)))]
            self.assertTrue(all(method > 0 for method, share in zip(methods, work) if share > 0))
            self.assertEqual(sum(1 for method in methods[len(work):]), 0)
            self.assertLessEqual(max(methods, default=0), len(lanes['frames']))
        lanes['frames'] = plain['frames'] = []
        self.assertEqual([lane['shares'] for lane in lanes['lanes']], [lane['shares'] for lane in plain['lanes']])

    def test_uploads_of_a_page(self):
        """The log of calls may be written while such an upload arrives, and is made of the stored bytes of others."""
        contents = [salted(large_trace(MIB), salt) for salt in (1, 2)]
        answers = []
        for content, headers in zip(contents, ({'Origin': self.server.url}, {})):
            pid = id_of(self.server.upload(content, **headers))
            answers.append(self.lanes('width=300', '/p/' + pid))
        self.assertEqual(*answers)

    def test_windows_add_up(self):
        whole, parts = self.lanes(), []
        cuts = [0, 1000, 77777.777, 500000, whole['to_ns'] / 1000]
        for begin, end in zip(cuts, cuts[1:]):
            parts.append(self.lanes('from=%s&to=%s&width=333' % (begin, end)))
        for i, lane in enumerate(whole['lanes']):
            self.assertEqual(lane['calls'], sum(part['lanes'][i]['calls'] for part in parts))
            for k in range(4):
                self.assertAlmostEqual(lane['ns'][k], sum(part['lanes'][i]['ns'][k] for part in parts), delta=4)

    def test_a_part_of_the_file_is_enough(self):
        """Windows are made from a part of the log; under filters calls are told from all of it."""
        path = '/p/' + id_of(self.stored(trace(threads=7, records=amount(400000, 60000), depth=9)))
        whole = self.lanes(path=path)
        method = json.loads(self.server.get(path + '/methods.json?limit=1').text)
        mark = '&mark=' + method['rows'][0][method['columns'].index('id')]
        for begin, end in ((0, 0.02), (0.3, 0.31), (0.5, 0.9), (0.99, 1)):
            query = 'width=300&stacks=1,2%s&from=%d&to=%d' % (
                mark, begin * whole['to_ns'] / 1000, end * whole['to_ns'] / 1000)
            part, full = self.lanes(query, path), self.lanes(query + '&hide=no.such.method', path)
            self.assertEqual(part, full)
            self.assertGreater(sum(lane['calls'] for lane in part['lanes']), 0)
            self.assertGreater(part['mark']['calls'], 0)

    def test_a_part_of_each_kind_of_trace_is_enough(self):
        """Also where methods are defined between the records, one of them anew, and where records of a thread count from its last."""
        records, stacks, clock = [], {1: [], 2: []}, 0
        for i in range(12000):
            thread, clock = 1 + i * i % 3 % 2, clock + 1 + i % 9
            stack = stacks[thread]
            if len(stack) > 9 or (stack and i * 5 % 7 < 3):
                records.append('exit %d %#x %d %d' % (thread, stack.pop(), clock // 2, clock))
            else:
                stack.append(16 + 4 * (i * 7 // 120))
                records.append('enter %d %#x %d %d' % (thread, stack[-1], clock // 2, clock))
        # Names that are long make a file long.
        methods = ['method %#x com.example.C%d%s run ()V X.java' % (i * 4 + 16, i, 'x' * 900) for i in range(700)]
        tree = ['thread 1 main', 'thread 2 other', *methods, *records]
        kinds = {'streaming': ['version 3', 'clock dual', 'streaming']}
        kinds.update({'art2 ' + layout: ['version 5', 'clock dual', 'art2 ' + layout, 'block 50'] + ['split'] * (layout == 'C')
                      for layout in 'ABCE'})
        for kind, lines in kinds.items():
            with self.subTest(kind=kind):
                path = '/p/' + id_of(self.stored(trace_text.parse('\n'.join(lines + tree)).bytes()))
                whole = self.lanes(path=path)
                self.assertEqual(sum(lane['calls'] for lane in whole['lanes']), sum(record.startswith('enter') for record in records))
                for begin, end in ((0, 0.02), (0.45, 0.46), (0.6, 0.9), (0.99, 1)):
                    query = 'width=300&stacks=1,2&from=%d&to=%d' % (
                        begin * whole['to_ns'] / 1000, end * whole['to_ns'] / 1000)
                    part = self.lanes(query, path)
                    self.assertEqual(part, self.lanes(query + '&hide=no.such.method', path))
                    self.assertGreater(sum(lane['calls'] for lane in part['lanes']), 0)

    def test_frames_of_unknown_origin(self):
        """They are no library's. Where there are none the answer does not speak of them."""
        tree = ['version 3', 'clock dual', 'thread 1 main', 'method 0x10 com.example.App run ()V X.java', 'method 0x14 Plain run ()V X.java',
                'enter 1 0x10 0 0', 'enter 1 0x14 1000 1000', 'exit 1 0x14 4000 4000', 'exit 1 0x10 5000 5000']
        path = '/p/' + id_of(self.stored(trace_text.parse('\n'.join(tree)).bytes()))
        (lane,) = self.lanes('width=500', path)['lanes']
        self.assertEqual(lane['ns'], [2000000, 0, 0, 0, 3000000])
        self.assertEqual([[decoded(text, 500)[at] for at in (50, 250)] for text in lane['shares']], [[51, 0], [0, 0], [0, 0], [0, 0], [0, 51]])
        self.assertIn('>unknown</text>', self.server.get(path + '/lanes.svg').text)
        self.assertEqual({len(lane['ns']) for lane in self.lanes()['lanes']}, {4})
        self.assertNotIn('>unknown</text>', self.server.get(self.path + '/lanes.svg').text)

    def test_stacks(self):
        track = self.lanes()['lanes'][0]['track']
        lanes = self.lanes('stacks=%d' % track)
        (stack,) = lanes['stacks']
        self.assertEqual(stack['track'], track)
        spans = [stack['spans'][i:i + 7] for i in range(0, len(stack['spans']), 7)]
        self.assertEqual(sum(span[5] for span in spans), lanes['lanes'][0]['calls'])
        for frame, depth, begin, length, own, calls, _flags in spans:
            self.assertTrue(1 <= depth <= stack['levels'] and own <= length and begin + length <= lanes['to_ns'])
            self.assertEqual(frame == 0, calls > 1)
        names = {lanes['frames'][span[0] - 1][0] for span in spans if span[0] > 0}
        self.assertIn('android.app.ActivityThread.main', names)
        ids = dict(zip(self.column('id'), zip(self.column('class'), self.column('method'))))
        for name, _origin, method in lanes['frames']:
            self.assertEqual(name, '.'.join(ids[method]))

    def test_stacks_under_filters(self):
        """They are what /calls tells of; what threads did per pixel stays as it is."""
        whole = self.lanes()
        track = whole['lanes'][0]['track']
        for filters in ('hide=android.os', 'focus=dispatchMessage&ignore=Choreographer', 'recursion=collapse'):
            with self.subTest(filters=filters):
                lanes = self.lanes('stacks=%d&width=10000&%s' % (track, filters))
                self.assertEqual(lanes['lanes'], self.lanes('width=10000')['lanes'])
                (stack,) = lanes['stacks']
                spans = [stack['spans'][i:i + 7] for i in range(0, len(stack['spans']), 7)]
                answer = self.server.get('%s/calls.json?track=%d&%s' % (self.path, track, filters))
                calls = json.loads(answer.text)['calls']
                rows = {tuple(row[key] for key in ('start', 'end', 'self', 'depth')) for row in calls}
                begun = whole['lanes'][0]['begin_ns']
                single = [((begin + begun) // 1000, (begin + begun + length) // 1000, own // 1000, depth)
                          for frame, depth, begin, length, own, _calls, _flags in spans if frame > 0]
                self.assertGreater(len(single), 3)
                self.assertEqual([span for span in single if span not in rows], [])
                self.assertEqual(stack['calls'], len(calls))

    def test_marks(self):
        for method, name, calls in zip(self.column('id'), map('.'.join, zip(self.column('class'), self.column('method'))), self.column('calls')):
            lanes = self.lanes('mark=' + method)
            mark = lanes['mark']
            self.assertEqual(mark['calls'], calls, name)
            self.assertEqual(sum(lane['marked'] for lane in lanes['lanes']), calls)
            self.assertEqual(sum(counted(lane['mark_counts']) for lane in lanes['lanes']), calls)
            for key, order in (('first', lambda c: c[1]), ('last', lambda c: -c[1]), ('longest', lambda c: -c[2])):
                self.assertEqual(len(mark[key]), min(calls, 200))
                self.assertEqual([order(c) for c in mark[key]], sorted(order(c) for c in mark[key]))
                self.assertEqual({lanes['frames'][c[4]][2] for c in mark[key]}, {method})
            if calls > 100:
                break
        self.assertGreater(self.lanes('mark=' + name)['mark']['calls'], 100)

    def test_only_what_counts_makes_another_answer(self):
        first = self.server.get(self.path + '/lanes')
        for query in ('value=cpu', 'view=icicle', 'focus=x', 'palette=self'):
            self.assertEqual(self.server.get(self.path + '/lanes?' + query)['ETag'], first['ETag'], query)
        tags = {self.server.get(self.path + '/lanes?' + query)['ETag']
                for query in ('', 'from=5', 'to=50', 'width=300', 'stacks=%d' % self.lanes()['lanes'][0]['track'], 'mark=java.lang.Object.wait', 'app=a.b')}
        self.assertEqual(len(tags), 7)

    def test_a_window_outside_is_empty(self):
        for query in ('from=99999999999', 'from=99999999998&to=99999999999'):
            for lane in self.lanes(query)['lanes']:
                self.assertEqual((lane['calls'], lane['ns']), (0, [0, 0, 0, 0]))

    def test_bad_requests(self):
        for query, status, says in (
                ('from=5&to=5', 400, 'from'), ('from=6&to=5', 400, 'range of time'), ('from=x', 400, 'from=x'), ('from=-1', 400, 'from'), ('width=0', 400, '200'),
                ('width=100000', 400, '10000'), ('stacks=1', 400, 'stacks=1'), ('stacks=a', 400, 'stacks'), ('stacks=1,,2', 400, 'stacks'),
                ('stacks=' + ','.join(map(str, range(33))), 400, '32'), ('mark=no.such.Method', 404, 'no.such.Method'), ('mark=123456789012', 404, 'mark'),
                ('mark=' + 'x' * 501, 400, 'mark'), ('nothing=1', 400, 'nothing'), ('track=1', 404, '')):
            answer = self.server.get('%s/lanes?%s' % (self.path, query))
            self.assertEqual(answer.status, status, query)
            self.assertIn(says, answer.text, query)
        self.assertEqual(self.server.get(self.path + '/lanes.txt').status, 404)
        self.assertEqual(self.server.get(self.path + '/methods?stacks=1').status, 400)

    def test_as_a_picture(self):
        answer = self.server.get(self.path + '/lanes.svg?width=700&from=100000')
        self.assertEqual((answer.status, answer['Content-Type']), (200, 'image/svg+xml'))
        self.assertIn("default-src 'none'", answer['Content-Security-Policy'])
        picture = xml.etree.ElementTree.fromstring(answer.text)
        texts = [text.text for text in picture.iter('{http://www.w3.org/2000/svg}text')]
        lanes = self.lanes()['lanes']
        self.assertEqual(texts[:4], ['your code', 'libraries', 'Android', 'waiting'])     # the words of the verdict
        self.assertTrue(all(any(lane['name'].startswith((text or ' ').rstrip('\u2026')) for text in texts) for lane in lanes))
        self.assertGreater(len(list(picture.iter('{http://www.w3.org/2000/svg}path'))), 2 * len(lanes))
        self.assertLess(len(answer.body), 1000000)
        page = self.server.get(self.path, Accept='text/html').text
        self.assertRegex(page, '<noscript><img src="[^"]*/lanes.svg"')

    def test_processes(self):
        """Said of threads of other processes than that of the first, in answers of which they are no part of nothing is said."""
        names = [(1, 'process_name', 'com.app'), (2, 'process_name', 'com.other')]
        events = [{'ph': 'M', 'name': kind, 'pid': pid, 'args': {'name': name}} for pid, kind, name in names]
        for pid, tid, thread, length in ((1, 11, 'main', 50), (1, 12, 'RenderThread', 40), (2, 21, 'RenderThread', 30)):
            events += [{'ph': 'M', 'name': 'thread_name', 'pid': pid, 'tid': tid, 'args': {'name': thread}},
                       {'ph': 'X', 'name': 'work', 'pid': pid, 'tid': tid, 'ts': 10, 'dur': length}]
        path = '/p/' + id_of(self.server.upload(json.dumps({'traceEvents': events}).encode()))
        tracks = json.loads(self.server.get(path + '.json').text)['tracks']
        other = next(track for track in tracks if track['group'].startswith('com.other'))
        self.assertEqual([(lane['name'], lane.get('group')) for lane in self.lanes(path=path)['lanes']],
                         [('main', None), ('RenderThread', None), ('RenderThread', other['group'])])
        self.assertNotIn('group', self.lanes('track=%d' % other['id'], path)['lanes'][0])

    def test_without_times(self):
        answer = self.server.get('/p/%s/lanes' % id_of(self.stored(b'a;b 1\na;c 2\n')))
        self.assertEqual(answer.status, 400)
        self.assertIn('no times', answer.text)
        self.assertNotIn('id="lanes"', self.server.get('/p/%s' % id_of(self.stored(b'a;b 1\na;c 2\n')), Accept='text/html').text)

    def test_clocks_that_repeat_or_are_lost(self):
        """Calls are neither lost nor counted twice, whatever the clocks say; a part of the file shows what all of it does."""
        count = 24000
        clocks = {'stands': lambda i: 500, 'ends': lambda i: i if i < count // 3 else 0, 'begins anew': lambda i: i % (count // 2),
                  'repeats': lambda i: i // 100, 'jumps': lambda i: i * 2654435761 % 65536}
        for name, clock in clocks.items():
            with self.subTest(clock=name):
                records = b''.join(struct.pack('<HIII', 1 + i // 4 % 2, i // 8 % 8 * METHOD_ID_STEP | i % 2, clock(i) // 2, clock(i))
                                   for i in range(count))
                text = text_part(3, 'dual', [(1, 'main'), (2, 'other')], method_lines(8))
                path = '/p/' + id_of(self.stored(text + binary_header(3, 14) + records))
                whole = self.lanes('stacks=1,2', path)
                self.assertEqual(sum(lane['calls'] for lane in whole['lanes']), count // 2)
                self.assertEqual(sum(stack['calls'] for stack in whole['stacks']), count // 2)
                begin, end = whole['whole_from_ns'], whole['whole_to_ns']
                edges = [begin + (end - begin) * i // 4 // 1000 * 1000 for i in range(5)]
                windows = sorted({(a, b) for a, b in zip(edges, edges[1:]) if a < b})
                parts = []
                for a, b in windows:
                    query = 'stacks=1,2&from=%d&to=%d' % (a // 1000, b // 1000)
                    parts.append(self.lanes(query, path))
                    self.assertEqual(parts[-1], self.lanes(query + '&hide=no.such.method', path))
                for i in range(2):
                    self.assertEqual(sum(part['lanes'][i]['calls'] for part in parts), whole['lanes'][i]['calls'])
                    self.assertEqual([sum(part['lanes'][i]['ns'][k] for part in parts) for k in range(4)], whole['lanes'][i]['ns'])
                self.assertEqual(self.server.get(path + '/t/1.svg?view=chart').status, 200)

    def test_threads_that_are_only_listed_cost_nothing(self):
        """A device has thousands of threads, of which a trace has hundreds."""
        sizes = []
        for listed in (400, 3500):
            path = '/p/' + id_of(self.stored(device(listed)))
            self.assertEqual(len(json.loads(self.server.get(path + '.json').text)['tracks']), 400)
            self.assertEqual(len(self.lanes('width=1600', path)['lanes']), 400)
            page = self.server.get(path, Accept='text/html').text
            self.assertLess(page.count('<'), 8000)
            sizes.append([len(page)] + [len(self.server.get(path + what, Accept='text/html').body) for what in
                                        ('/lanes?width=1600', '?from=2000&to=5000', '/lanes?width=1600&from=2000&to=5000', '/methods', '/methods?group=thread',
                                         '/verdict')])
        for few, many, bound in zip(*sizes, (200000, 600000, 200000, 300000, 200000, 300000, 200000)):
            self.assertLess(abs(many - few), 1000)
            self.assertLess(many, bound, sizes)

    def test_many_threads(self):
        """More than are told one by one; and an answer that stays small where every pixel is another one."""
        path = '/p/' + id_of(self.stored(trace(threads=4000, records=48000)))
        lanes = self.lanes('width=10000', path)
        self.assertEqual((len(lanes['lanes']), lanes['left_out']), (3000, 1000))
        self.assertLess(lanes['width'], 300)
        last = lanes['lanes'][-1]['track']
        window = self.lanes('width=200&stacks=%d&from=%d&to=%d' % (last, lanes['to_ns'] // 2000, lanes['to_ns'] // 1500), path)
        self.assertEqual((len(window['lanes']), window['left_out'], window['stacks'][0]['track']), (3000, 1000, last))
        shown = {lane['track'] for lane in lanes['lanes']}
        left_out = next(track for track in range(1, 4001) if track not in shown)
        refused = self.server.get(path + '/lanes?stacks=%d' % left_out)
        self.assertEqual(refused.status, 400)
        self.assertIn('none of the threads that are shown', refused.text)
        busy = '/p/' + id_of(self.stored(dense()))
        answer = self.server.get(busy + '/lanes?width=1600')
        self.assertLess(len(answer.body), 1000000)
        lanes = json.loads(answer.text)
        self.assertEqual((len(lanes['lanes']), lanes['step']), (300, 4))
        for lane in lanes['lanes']:
            self.assertEqual(counted(lane['counts']), lane['calls'])
        self.assertEqual(sum(lane['calls'] for lane in lanes['lanes']), 300 * 2000)


def dense():
    """300 threads whose calls change with every pixel."""
    records = bytearray()
    for i in range(2000):
        for thread in range(300):
            at = i * 1000 + thread * 3
            records += struct.pack('<HIII', thread + 1, (i * 7 + thread) % 3 * METHOD_ID_STEP, at, at)
            records += struct.pack('<HIII', thread + 1, (i * 7 + thread) % 3 * METHOD_ID_STEP | 1, at + 100 + i * thread % 800, at + 100 + i * thread % 700)
    return text_part(3, 'dual', [(i + 1, 'thread %d' % i) for i in range(300)], method_lines(3)) + binary_header(3, 14) + bytes(records)


def system_trace(events):
    """100 ms of an app, whose main thread is in one section, with these texts of atrace, and a frequency of CPU 0 and of CPU 1 each ms."""
    def event(ms, field, body):
        return text(2, number(1, int(ms * 1000000)) + number(2, 42) + text(field, body))
    prints = [(0, 'B|42|all'), *events, (100, 'E|42')]
    people = text(2, text(1, number(1, 42) + text(3, 'com.example.app')) + text(1, number(1, 7) + text(3, 'other')))
    bundle = number(1, 0) + b''.join(event(ms, 3, text(2, words)) for ms, words in prints)
    bundle += b''.join(event(ms, 11, number(1, 1000 * ms) + number(2, cpu)) for ms in range(1, 100) for cpu in (0, 1))
    return text(1, people) + text(1, text(1, bundle))


class Slices(ServiceTest):
    """Several threads make a slice of the time each, where turns are free."""
    CONFIG = {'workers': 3}

    def test_the_bytes_are_those_of_one_thread(self):
        content = large_trace(6 * MIB)      # a slice has 12 blocks of the log at least
        alone = Server(workers=1)
        self.addCleanup(alone.clean)
        paths = ['/p/' + id_of(server.upload(content)) for server in (alone, self.server)]
        whole = json.loads(alone.get(paths[0] + '/lanes').text)
        begin, length = whole['whole_from_ns'] / 1000, (whole['whole_to_ns'] - whole['whole_from_ns']) / 1000
        windows = [''] + ['from=%d&to=%d' % (begin + at * length, begin + (at + share) * length)
                          for at, share in ((0, 0.5), (0.3, 0.4), (0.123, 0.877), (0.5, 0.001))]
        table = json.loads(alone.get(paths[0] + '/methods.json?limit=1').text)
        method = table['rows'][0][table['columns'].index('id')]
        views = ['/lanes.json?width=%d&' % width for width in (200, 333, 1600)]
        views += ['/methods.json?longest=1&', '/m/%s.json?longest=1&' % method]
        for query in (view + window for view in views for window in windows):
            one, several = alone.get(paths[0] + query), self.server.get(paths[1] + query)
            self.assertEqual((one.status, several.status), (200, 200), several)
            self.assertEqual(one.body, several.body, query)
        self.assertEqual(alone.stop(), 0)


class Counters(DemoTest):
    def test_they_follow_the_window_and_merge_by_place(self):
        path = '/p/' + id_of(self.stored(system_trace([(10, 'C|42|items|-3'), (50, 'C|42|items|7'), (50, 'C|7|theirs|1')])))

        def counters(query=''):
            return json.loads(self.server.get('%s/lanes?%s' % (path, query)).text)
        whole = counters('width=200')
        self.assertEqual([(c['name'], c['kind'], c.get('group')) for c in whole['counters']],
                         [('items', 'app', None), ('CPU 0', 'frequency', None), ('CPU 1', 'frequency', None), ('theirs', 'other', 'other')])
        self.assertEqual(whole['counter_step'], 1)
        self.assertEqual(whole['counters'][0]['steps'], [19, -3, -3, -3, 99, -3, 7, 7])
        self.assertEqual([whole['counters'][0][key] for key in ('least', 'most', 'decimals')], [-3, 7, 0])
        # what held before the window is told
        part = counters('from=20000&to=22000&width=200')['counters']
        self.assertEqual(part[0]['steps'], [0, -3, -3, -3])
        self.assertEqual(part[1]['steps'], [0, 19000, 20000, 20000, 100, 20000, 21000, 21000])
        self.assertEqual(part[3]['steps'], [])
        self.assertEqual(counters('from=200000&to=300000&width=200')['counters'][0]['steps'], [0, 7, 7, 7])
        # a place of 10 ms has all that was read in it
        wide = counters('from=0&to=2000000&width=200')['counters']
        self.assertEqual(wide[1]['steps'][:8], [0, 1000, 9000, 9000, 1, 9000, 19000, 19000])
        self.assertEqual(wide[0]['steps'], [1, -3, -3, -3, 5, -3, 7, 7])

    def test_many_of_them_have_fewer_places(self):
        events = [(ms, 'C|42|counter %d|%d' % (i, 10**15 + ms * 7 % 13)) for i in range(300) for ms in range(1, 100)]
        url = '/p/' + id_of(self.stored(system_trace(events)))
        answer = self.server.get(url + '/lanes?width=1000')
        lanes = json.loads(answer.text)
        self.assertEqual(len(lanes['counters']), 256)
        self.assertGreater(lanes['counter_step'], 1)
        self.assertLess(len(json.dumps(lanes['counters'])), 300000)
        profile = json.loads(self.server.get(url, Accept='application/json').text)
        self.assertEqual(len(profile['counters']), 256)
        self.assertEqual([w['count'] for w in profile['warnings'] if w['code'] == 'counters-many'], [44 * 99 + 2 * 99])

    def test_they_are_in_the_picture(self):
        path = '/p/' + id_of(self.stored(system_trace([(10, 'C|42|items|-3'), (30, 'C|42|a <b> & c|5'), (50, 'C|42|items|7'), (50, 'C|7|theirs|1')])))
        picture = self.server.get(path + '/lanes.svg?width=200').text
        xml.etree.ElementTree.fromstring(picture)
        texts = re.findall('<text[^>]*>([^<]*)</text>', picture)
        self.assertEqual([text for text in texts if text in ('items', 'a &lt;b&gt; &amp; c', 'CPU 0', 'CPU 1', 'theirs')],
                         ['items', 'a &lt;b&gt; &amp; c', 'CPU 0', 'CPU 1', 'theirs'])
        self.assertIn('99 MHz', texts)
        # from the bottom at 10 ms, on at the least value to 50 ms, from there at the most to the end
        items, = (shape for shape in re.findall(' d="(M[^"]*)"', picture) if shape.startswith('M239 '))
        bottom = int(re.match(r'M239 (\d+)', items).group(1))
        self.assertEqual(items, 'M239 %dH239V%dH319V%dH420V%dZ' % (bottom, bottom, bottom - 12, bottom))
        many = system_trace([(ms, 'C|42|counter %d|%d' % (i, ms)) for i in range(30) for ms in (1, 2)])
        picture = self.server.get('/p/%s/lanes.svg' % id_of(self.stored(many))).text
        self.assertIn('>16 more counters<', picture)
        self.assertNotIn('more counters', self.server.get(self.path + '/lanes.svg').text)

    def test_exports_for_tools_with_counters_have_them(self):
        events = [(10, 'C|42|items|-3'), (20, 'C|42|Heap size (KB)|2'), (50, 'C|42|items|7'), (50, 'C|7|theirs|1')]
        path = '/p/' + id_of(self.stored(system_trace(events)))

        def readings(query=''):
            events = json.loads(self.server.get(path + '/calls.chrome' + query).text)['traceEvents']
            return [(e['name'], e['ts'], e['pid'], e['args']) for e in events if e['ph'] == 'C' and not e['name'].startswith('CPU')]
        self.assertEqual(readings(), [('items', 10000, 42, {'value': -3}), ('items', 50000, 42, {'value': 7}), ('Heap size', 20000, 42, {'bytes': 2048}),
                                      ('theirs', 50000, 0, {'value': 1})])
        self.assertEqual(readings('?from=30000&to=50000'), [('items', 30000, 42, {'value': -3}), ('Heap size', 30000, 42, {'bytes': 2048})])

        def counters(of):
            return {(c['name'], c.get('group'), c.get('unit'), c['least'], c['most'], c['readings'])
                    for c in json.loads(self.server.get(of, Accept='application/json').text)['counters']}
        again = '/p/' + id_of(self.stored(self.server.get(path + '/calls.perfetto').body))
        self.assertEqual({c for c in counters(again) if c[0] != 'theirs'}, {c for c in counters(path) if c[0] != 'theirs'})
        self.assertEqual([c[2:] for c in counters(again) if c[0] == 'theirs'], [(None, 1, 1, 1)])

    def test_the_summary_and_the_command_line_list_them(self):
        content = system_trace([(10, 'C|42|items|-3'), (20, 'B|42|Choreographer#doFrame 1'), (50, 'C|42|items|7000'), (60, 'E|42')])
        path = '/p/' + id_of(self.stored(content))
        profile = json.loads(self.server.get(path, Accept='application/json').text)
        self.assertEqual(profile['counters'][0], {'name': 'items', 'group': 'com.example.app', 'kind': 'app', 'decimals': 0, 'least': -3, 'most': 7000,
                                                  'readings': 2})
        self.assertEqual(profile['screen'], {'frames': 1, 'late': 1})
        run = subprocess.run([os.environ['AFLAMED'], 'info', '-'], input=content, stdout=subprocess.PIPE, check=True)
        self.assertRegex(run.stdout.decode(), r'Frames on the screen +1, 1 of them late\n')
        self.assertRegex(run.stdout.decode(), r'\n +-3 +7,000 +2  items of com.example.app\n')

    def test_frames_of_one_place_are_one_entry(self):
        events = [(ms, text) for i in range(20) for ms, text in ((5 * i + 1, 'B|42|Choreographer#doFrame %d' % i), (5 * i + 3, 'E|42'))]
        path = '/p/' + id_of(self.stored(system_trace(events[:-2] + [(75 + 1, 'B|42|Choreographer#doFrame 99'), (99, 'E|42')])))
        screen = json.loads(self.server.get(path + '/lanes?width=200').text)['screen']
        self.assertEqual([screen['frames'], screen['late']], [len(screen['list']), 1])
        self.assertEqual(screen['list'][0], [1000000, 2000000, 0, 1, 0, 0, 0])
        self.assertEqual([x[3:6] for x in screen['list'] if x[4]], [[1, 1, 65536]])
        wide = json.loads(self.server.get(path + '/lanes?from=0&to=2000000&width=200').text)['screen']
        self.assertEqual(sum(x[3] for x in wide['list']), screen['frames'])
        self.assertLess(len(wide['list']), 12)
        self.assertEqual(json.loads(self.server.get(path + '/lanes?from=200000&to=300000&width=200').text)['screen']['list'], [])

    def test_other_recordings_have_none(self):
        lanes = json.loads(self.server.get(self.path + '/lanes').text)
        self.assertFalse({'counters', 'screen'} & set(lanes))
