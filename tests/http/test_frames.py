"""The table of frames that an app showed too late: as JSON, as text, and as a page."""
import html
import json
import random
import re

from support import DemoTest, id_of
import system_trace

MS = 1_000_000
APP, RENDER = 42, 50
STATES = ['running', 'runnable', 'waiting', 'io', 'unknown']


def app(r):
    """100 ms of an app by chance: its bytes, its frames, and per thread the states and sections."""
    t = system_trace.Trace()
    t.process(APP, 'com.example.app', 10001)
    t.thread(APP, APP, 'com.example.app')
    t.thread(APP, RENDER, 'RenderThread')
    spans = {APP: (0, 100 * MS), RENDER: (r.randrange(1, 20 * MS), r.randrange(70 * MS, 95 * MS))}
    states, sections = {}, {}
    for cpu, tid in enumerate((APP, RENDER)):
        begin, end = spans[tid]
        states[tid] = system_trace.live(t, r, cpu, tid, begin, end)
        sections[tid] = system_trace.nest(t, r, APP, tid, begin, end, cpu, names=('inflate', 'Choreographer#doFrame 7', 'load', 'draw'))
    frames, at = [], 0
    for token in range(1, 13):
        at += r.randrange(1, 9 * MS)
        took, due = r.randrange(2 * MS, 30 * MS), r.randrange(MS, 20 * MS)
        frames.append((token, at, at + took, at + due, r.choice([0x40, 0x40, 0x42, 1])))
        t.frame(token, APP, at, at + took, at + due, frames[-1][4])
    return t.bytes(), frames, states, sections


def spent(states, begin, end):
    return [sum(max(0, min(b, end) - max(a, begin)) for a, b, state in states if state == one) for one in STATES]


def longest(sections, begin, end):
    """How much of the frame the longest has that is no frame itself, and of which none within has more than half; a tenth at least."""
    best = 0
    for track in sections.values():
        for a, b, name, depth in track:
            inner = [y - x for x, y, _, d in track if d == depth + 1 and a <= x and y <= b]
            if not name.startswith('Choreographer') and max(inner, default=0) <= (b - a) // 2:
                best = max(best, min(b, end) - max(a, begin))
    return best if best > 0 and best >= (end - begin) // 10 else 0


class Frames(DemoTest):
    def path_of(self, content):
        return '/p/' + id_of(self.stored(content))

    def test_each_number_is_that_of_a_slow_count(self):
        for seed in range(6):
            content, frames, states, sections = app(random.Random(seed))
            table = json.loads(self.server.get(self.path_of(content) + '/frames.json').text)
            late = [f for f in frames if f[4] != 1]
            over = {f[0]: max(0, f[2] - f[3]) for f in late}
            self.assertEqual([table['frames'], table['late'], len(table['rows'])], [len(frames), len(late), len(late)])
            self.assertEqual(table['threads'], [{'name': 'main', 'track': APP}, {'name': 'RenderThread', 'track': RENDER}])
            self.assertEqual(table['states'], STATES)
            self.assertEqual([row['number'] for row in table['rows']],
                             sorted(over, key=lambda token: (-over[token], token)))
            for row in table['rows']:
                _, begin, end, due, jank = next(f for f in late if f[0] == row['number'])
                self.assertEqual([row['begin'], row['end'], row['due'], row['over'] or 0], [begin, end, due, over[row['number']]])
                self.assertEqual(row['causes'], ['app-deadline', 'surfaceflinger-scheduling'][:1 + (jank == 0x42)])
                for tid, told in zip((APP, RENDER), row['spent'], strict=True):
                    # behind the thread's last record all is its last state
                    exact = spent(states[tid] + [(states[tid][-1][1], 100 * MS, 'waiting')], begin, end)
                    self.assertEqual(told, exact, (seed, row['number'], tid))
                self.assertEqual((row['longest'] or {'ns': 0})['ns'], longest(sections, begin, end), (seed, row['number']))

    def test_a_range_has_those_that_are_partly_in_it(self):
        content, frames, _, _ = app(random.Random(1))
        table = json.loads(self.server.get(self.path_of(content) + '/frames.json?from=20000&to=30000').text)
        inside = [f for f in frames if f[1] < 30 * MS and f[2] > 20 * MS]
        self.assertEqual([table['frames'], table['late']], [len(inside), sum(f[4] != 1 for f in inside)])

    def test_it_is_a_text_and_a_page_of_links(self):
        content, _, _, _ = app(random.Random(2))
        path = self.path_of(content)
        rows = json.loads(self.server.get(path + '/frames.json').text)['rows']
        words = self.server.get(path + '/frames.txt')
        self.assertEqual(words['Content-Type'], 'text/plain; charset=utf-8')
        lines = words.text.splitlines()
        self.assertRegex(lines[0], r'^%d of 12 frames were late; the longest delay first$' % len(rows))
        self.assertRegex(lines[2], r'at +took +over +main runs +runnable +waits +I/O +RenderThread runs .* why; the longest section$')
        self.assertEqual(len(lines), 3 + len(rows))
        self.assertIn('the app missed its deadline', lines[3])
        page = self.server.get(path + '/frames', Accept='text/html').text
        table = page[page.index('<table>'):page.index('</table>')]
        self.assertEqual(table.count('<tr>'), 2 + len(rows))
        links = [html.unescape(x) for x in re.findall(r'<th scope="row"><a class="place" href="([^"]*)"', table)]
        self.assertEqual([re.search(r'/t/42\?from=([\d.]+)&to=([\d.]+)$', x).groups() for x in links],
                         [(('%.3f' % (row['begin'] / 1000)).rstrip('0').rstrip('.'), ('%.3f' % (row['end'] / 1000)).rstrip('0').rstrip('.'))
                          for row in rows])
        self.assertIn('aria-current="page">Frames</a>', page)
        self.assertIn('/frames"', self.server.get(path, Accept='text/html').text)

    def test_sections_are_frames_where_nobody_tells_of_them(self):
        t = system_trace.Trace()
        t.process(APP, 'com.example.app', 10001)
        t.begin(10 * MS, APP, APP, 'Choreographer#doFrame 7')
        t.begin(11 * MS, APP, APP, 'traversal')
        t.begin(12 * MS, APP, APP, 'inflate')
        for end in (39, 41, 42):
            t.end(end * MS, APP, APP)
        path = self.path_of(t.bytes())
        row, = json.loads(self.server.get(path + '/frames.json').text)['rows']
        self.assertEqual([row['begin'], row['end'], row['due'], row['over'], row['causes'], row['spent']],
                         [0, 32 * MS, None, 32 * MS - 16_700_000, ['slow-main'], []])
        self.assertEqual(row['longest'], {'method': 'inflate', 'track': APP, 'begin': 2 * MS, 'end': 29 * MS, 'ns': 27 * MS})
        self.assertNotIn('runs', self.server.get(path + '/frames.txt').text)

    def scroll(self, slow, n=20, start=''):
        """So many of `n` frames take 30 ms, the others 3 ms."""
        trace = system_trace.Trace()
        trace.process(APP, 'com.example.app', uid=10001)
        trace.thread(APP, APP, 'com.example.app')
        trace.run(0, 0, APP)
        if start:
            trace.begin(MS, APP, APP, start)
            trace.end(2 * MS, APP, APP)
        for i in range(n):
            trace.begin((10 + 40 * i) * MS, APP, APP, 'Choreographer#doFrame %d' % (1000 + i))
            trace.end((10 + 40 * i + (30 if i < slow else 3)) * MS, APP, APP)
        return self.server.get(self.path_of(trace.bytes()) + '/verdict.txt').text.splitlines()[0]

    def test_late_frames_are_the_headline(self):
        """Of a scroll, if they are at least a fiftieth; of a start, that is."""
        self.assertTrue(self.scroll(2).startswith('2 of 20 frames on main took over 16.7 ms'))
        self.assertTrue(self.scroll(1, n=49).startswith('1 of 49 frames on main'))
        self.assertTrue(self.scroll(1, n=100).startswith('Choreographer#doFrame took'))
        self.assertTrue(self.scroll(0).startswith('Choreographer#doFrame took'))
        self.assertTrue(self.scroll(2, start='bindApplication').startswith('The start took'))

    def test_other_recordings_have_none(self):
        table = json.loads(self.server.get(self.path + '/frames.json').text)
        self.assertEqual([table[key] for key in ('frames', 'late', 'states', 'rows')], [0, 0, [], []])
        self.assertEqual(self.server.get(self.path + '/frames.txt').text, 'The recording has no frames that an app showed.\n')
        self.assertIn('has no frames', self.server.get(self.path + '/frames', Accept='text/html').text)
        self.assertNotIn('>Frames</a>', self.server.get(self.path, Accept='text/html').text)
