"""Charts: one thread's calls in the order of time, by the service and on the command line."""
import os
import re
import struct
import subprocess
import unittest
import urllib.parse
import xml.etree.ElementTree as ElementTree

from support import ServiceTest, TIMEOUT_S, binary_header, folder_of, id_of, text_part

SVG = '{http://www.w3.org/2000/svg}'
METHODS = ['0x%x\tcom.example.%s\trun\t()V\tX.java' % (i * 4, name)
           for i, name in enumerate(('Outer', 'Inner', 'Wide', 'Before', 'Open', 'Last', 'Tiny'))]
ENTER, EXIT = 0, 1
# (thread, method, action, µs). Thread 1 leaves Before, which it entered before the recording, and never leaves Open.
EVENTS = [(1, 0, ENTER, 100), (1, 1, ENTER, 200), (1, 1, EXIT, 300), (1, 2, ENTER, 1000), (2, 0, ENTER, 1100),
          (1, 2, EXIT, 1500), (1, 0, EXIT, 2000), (1, 3, EXIT, 2500), (1, 4, ENTER, 3000), (1, 5, ENTER, 3100),
          (1, 5, EXIT, 3200), (2, 0, EXIT, 9000)]
FOLDED = b'main;a.B.run;c.D.idle 7\nmain;a.B.run 2\n'


def trace(events=tuple(EVENTS), names=('main', '<b>&"\x01')):
    text = text_part(3, 'dual', [(i + 1, name) for i, name in enumerate(names)], METHODS)
    records = b''.join(struct.pack('<HIII', thread, method * 4 | action, us // 2, us)
                       for thread, method, action, us in events)
    return text + binary_header(3, 14) + records


class Chart:
    """What a picture says."""

    def __init__(self, body):
        self.root = ElementTree.fromstring(body)
        boxes = self.root.findall(SVG + "g[@class='f']/" + SVG + 'g/' + SVG + 'a')
        self.boxes = [(box.find(SVG + 'title').text, box.get('href'), box.find(SVG + 'rect')) for box in boxes]
        self.steps = {a.find(SVG + 'text').text: a.get('href') for a in self.root.findall(SVG + 'a')}
        self.texts = [text.text for text in self.root.findall(SVG + 'text')]

    def box(self, name):
        found = [box for box in self.boxes if box[0].startswith('com.example.%s.run' % name)]
        assert len(found) == 1, (name, [box[0] for box in self.boxes])
        return found[0]

    def row(self, name):
        """0 is the thread."""
        return (int(self.box(name)[2].get('y')) - int(self.boxes[0][2].get('y'))) // 16

    def calls(self):
        return sorted(re.findall(r'com\.example\.(\w+)\.run', ' '.join(box[0] for box in self.boxes)))


def window(link):
    query = urllib.parse.parse_qs(link[1:])
    assert query['view'] == ['chart'], link
    return tuple(float(query[key][0]) if key in query else None for key in ('from', 'to'))


class Service(ServiceTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.path = '/p/' + id_of(cls.server.upload_form(('trace', 'x.trace', trace())))

    def chart(self, query='', track='1'):
        answer = self.server.get('%s/t/%s.svg?view=chart%s' % (self.path, track, query))
        self.assertEqual(answer.status, 200, answer.body)
        self.assertEqual(answer['Content-Type'], 'image/svg+xml')
        return Chart(answer.body)

    def refused(self, target, said, status=400):
        answer = self.server.get(self.path + target)
        self.assertEqual(answer.status, status, answer.body[:200])
        self.assertIn(said, answer.text)
        self.assertIn('hint: ', answer.text)

    def test_calls_with_their_times(self):
        chart = self.chart()
        self.assertEqual(chart.calls(), ['Before', 'Inner', 'Last', 'Open', 'Outer', 'Wide'])
        self.assertEqual({name: chart.row(name) for name in chart.calls()},
                         {'Before': 1, 'Outer': 2, 'Inner': 3, 'Wide': 3, 'Open': 1, 'Last': 2})
        self.assertIn('starts at 100 µs, takes 1.9 ms, self 1.3 ms', chart.box('Outer')[0])
        self.assertIn('starts at 200 µs, takes 100 µs, self 100 µs', chart.box('Inner')[0])
        self.assertIn('starts at 100 µs, takes 2.4 ms, self 500 µs\nentered before the recording',
                      chart.box('Before')[0])
        self.assertIn('starts at 3 ms, takes 200 µs, self 100 µs\nstill open', chart.box('Open')[0])
        self.assertIn('records from 100 µs to 3.2 ms, in no call 500 µs', chart.boxes[0][0])
        self.assertIn('100 µs to 3.2 ms: 6 calls', chart.texts)
        for tick in ('0.5 ms', '1 ms', '1.5 ms', '2 ms', '2.5 ms', '3 ms'):
            self.assertIn(tick, chart.texts)

    def test_a_call_leads_to_its_time_alone(self):
        link = self.chart().box('Wide')[1]
        self.assertEqual(window(link), (1000, 1500))
        chart = self.chart(link.partition('view=chart')[2])
        self.assertEqual(chart.calls(), ['Before', 'Outer', 'Wide'])
        for name in chart.calls():
            self.assertEqual(chart.box(name)[2].get('width'), '1180')
        self.assertEqual(window(chart.steps['whole thread']), (None, None))
        self.assertEqual(window(chart.steps['zoom out']), (750, 1750))
        self.assertEqual(window(chart.steps['zoom in']), (1125, 1375))
        self.assertEqual(window(chart.steps['earlier']), (750, 1250))
        self.assertEqual(window(chart.steps['later']), (1250, 1750))

    def test_links_end_where_the_records_do(self):
        self.assertEqual(list(self.chart().steps), ['zoom in', 'flame graph'])
        self.assertNotIn('view=', self.chart().steps['flame graph'])
        chart = self.chart('&from=150&to=1000')
        self.assertEqual(window(chart.steps['earlier']), (100, 950))
        self.assertEqual(window(chart.steps['zoom out']), (100, 1425))
        chart = self.chart('&from=3000')
        self.assertNotIn('later', chart.steps)
        self.assertEqual(window(chart.steps['earlier']), (2900, 3100))

    def test_links_keep_the_other_options(self):
        for options in ('palette=package', 'names=full', 'width=800', 'min=2', 'order=weight', 'open=end'):
            with self.subTest(options=options):
                chart = self.chart('&from=1000&to=2000&' + options)
                for link in (*chart.steps.values(), chart.box('Wide')[1]):
                    self.assertIn(options, link.lstrip('?').split('&'))
        self.assertNotIn('value', self.chart().box('Wide')[1])
        self.refused('/t/1.svg?view=chart&value=cpu', 'wall time')

    def test_filters_leave_calls_out(self):
        chart = self.chart('&hide=Outer')
        self.assertEqual({name: chart.row(name) for name in chart.calls()},
                         {'Before': 1, 'Inner': 2, 'Wide': 2, 'Open': 1, 'Last': 2})
        self.assertIn('starts at 100 µs, takes 2.4 ms, self 1.8 ms\nentered before', chart.box('Before')[0])
        self.assertIn('filters: hide=Outer; 3.1 ms of 3.1 ms left (100 %)', chart.texts)
        self.assertIn('hide=Outer', chart.box('Wide')[1])
        self.assertIn('hide=Outer', chart.steps['flame graph'])
        chart = self.chart('&focus=Wide')
        self.assertEqual(chart.calls(), ['Before', 'Outer', 'Wide'])
        self.assertIn('takes 1.9 ms, self 0 ns', chart.box('Outer')[0])
        self.assertEqual(self.chart('&focus=Wide&ignore=Outer').calls(), [])
        self.assertIn('the filters leave nothing: take out ignore=Outer', self.chart('&focus=Wide&ignore=Outer').texts)
        self.assertEqual(self.chart('&show-from=Inner&from=0&to=1000').calls(), ['Inner'])

    def test_filters_as_of_the_flame_graph(self):
        """What a call has by itself is what its method has in the filtered tree."""
        for filters in ('hide=Inner', 'ignore=Inner', 'focus=Wide', 'show-from=Outer', 'recursion=collapse-all&hide=Open'):
            with self.subTest(filters=filters):
                folded = self.server.get('%s/t/1.folded.txt?%s' % (self.path, filters)).text.splitlines()
                wanted = {}
                for line in folded:
                    stack, _, us = line.rpartition(' ')
                    name = stack.rpartition(';')[2].split('.')[-2]
                    wanted[name] = wanted.get(name, 0) + int(us)
                chart = self.chart('&' + filters)
                drawn = {name: int(float(value) * (1000 if unit == 'ms' else 1) + .5) for name, value, unit in re.findall(
                    r'com\.example\.(\w+)\.run[^\n]*\nstarts at [^,]*, takes [^,]*, self ([0-9.]+) (µs|ms)',
                    '\n'.join(box[0] for box in chart.boxes))}
                self.assertEqual(drawn, wanted)

    def test_the_same_time_of_another_thread(self):
        chart = self.chart('&from=1000&to=2000', track='2')
        self.assertEqual(chart.calls(), ['Outer'])
        self.assertTrue(chart.texts[0].startswith('<b>&"\u2401 (2) · wall time'), chart.texts[0])
        chart = self.chart('&from=20000&to=30000')
        self.assertEqual(chart.boxes, [])
        self.assertEqual(list(chart.steps), ['whole thread', 'flame graph'])

    def test_open_calls_may_last_to_the_end_of_the_trace(self):
        chart = self.chart('&open=end')
        self.assertIn('starts at 3 ms, takes 6 ms, self 5.9 ms', chart.box('Open')[0])
        self.assertIn('100 µs to 9 ms: 6 calls', chart.texts)

    def test_narrow_calls_are_counted_in_runs(self):
        tiny = [(1, 6, i % 2, 10 + i) for i in range(4000)]
        events = [(1, 0, ENTER, 0), *tiny, (1, 2, ENTER, 500_000), (1, 2, EXIT, 900_000), (1, 0, EXIT, 1_000_000)]
        path = '/p/' + id_of(self.server.upload(trace(events)))
        chart = Chart(self.server.get(path + '/t/1.svg?view=chart&min=10').body)
        self.assertEqual(chart.calls(), ['Outer', 'Wide'])
        run = chart.boxes[1]
        self.assertIn('2,000 calls, each under 10 px\nfrom 10 µs to 4.009 ms, together 2 ms', run[0])
        self.assertEqual(window(run[1]), (10, 4009))
        self.assertTrue(any('2,000 of them under 10 px, in 1 grey run' in text for text in chart.texts), chart.texts)
        zoomed = Chart(self.server.get(path + '/t/1.svg?view=chart&from=10&to=40').body)
        self.assertEqual(zoomed.calls().count('Tiny'), 15)

    def test_what_cannot_be_charted(self):
        self.refused('/t/all.svg?view=chart', 'one thread')
        self.refused('/t/1,2.svg?view=chart', 'one thread')
        self.refused('/t/merged.svg?view=chart', 'one thread')
        self.refused('/t/1.svg?view=chart&from=2000&to=2000', 'from 100 to 3200 µs')
        self.refused('/t/1.svg?view=chart&from=9000', 'from 100 to 3200 µs')
        for text in ('-1', '1.2345', '1e3', 'x', '9' * 17, '.5', '5.'):
            self.refused('/t/1.svg?view=chart&from=' + text, 'µs since the trace')
            self.refused('/t/1.svg?view=chart&to=' + text, 'µs since the trace')
        for suffix in ('json', 'folded.txt', 'thumb.svg'):
            self.refused('/t/1.%s?view=chart' % suffix, 'cannot show the view chart')
        folded = '/p/' + id_of(self.server.upload(FOLDED))
        answer = self.server.get(folded + '/t/0.svg?view=chart')
        if answer.status == 404:     # its only track has another id
            track = re.search(r'It has (\d+)', answer.text).group(1)
            answer = self.server.get('%s/t/%s.svg?view=chart' % (folded, track))
        self.assertEqual(answer.status, 400)
        self.assertIn('no times', answer.text)

    def test_each_window_is_kept_by_itself(self):
        def get(query, **headers):
            return self.server.get('%s/t/1.svg?view=chart%s' % (self.path, query), **headers)

        first = get('&from=1000&to=2000')
        self.assertEqual(get('&from=1000.000&to=2000.0')['ETag'], first['ETag'])
        self.assertEqual(get('&from=1000&to=2000').body, first.body)
        self.assertNotEqual(get('&from=1000.001&to=2000')['ETag'], first['ETag'])
        self.assertEqual(get('&from=1000&to=2000', If_None_Match=first['ETag']).status, 304)
        self.assertNotEqual(self.server.get(self.path + '/t/1.svg?from=5')['ETag'], self.server.get(self.path + '/t/1.svg')['ETag'])

    def test_the_page_of_a_chart(self):
        answer = self.server.get(self.path + '/t/1?view=chart&from=1000&to=2000', Accept='text/html')
        self.assertEqual(answer.status, 200)
        self.assertIn('com.example.Wide.run', answer.text)
        self.assertIn('?view=chart&amp;from=1000&amp;to=1500', answer.text)

    def test_as_the_answer_to_an_upload(self):
        answer = self.server.upload(trace(), target='/?output=svg&track=1&view=chart&from=1000&to=2000')
        self.assertEqual(answer.status, 201)
        self.assertEqual(Chart(answer.body).calls(), ['Before', 'Outer', 'Wide'])


class CommandLine(unittest.TestCase):
    def setUp(self):
        self.folder = folder_of(self, 'chart')
        self.file = os.path.join(self.folder, 'x.trace')
        with open(self.file, 'wb') as file:
            file.write(trace())

    def render(self, *arguments, status=0, **more):
        run = subprocess.run([os.environ['AFLAMED'], 'render', '--view', 'chart', *arguments], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, timeout=TIMEOUT_S, cwd=self.folder, check=False, **more)
        self.assertEqual(run.returncode, status, run.stderr)
        return run

    def test_a_window_of_the_busiest_thread(self):
        chart = Chart(self.render('--track', '1', '--from', '1000', '--to', '2000', self.file).stdout)
        self.assertEqual(chart.calls(), ['Before', 'Outer', 'Wide'])

    def test_every_thread_into_a_folder(self):
        self.render('--out-dir', 'out', self.file)
        self.assertEqual(len(os.listdir(os.path.join(self.folder, 'out'))), 2)

    def test_standard_input_that_is_a_file(self):
        with open(self.file, 'rb') as file:
            self.assertEqual(Chart(self.render('--track', '1', '-', stdin=file).stdout).calls()[0], 'Before')
        with open(self.file, 'rb') as file:     # by a pipe, which can be read only once
            self.assertEqual(Chart(self.render('--track', '1', '-', input=file.read()).stdout).calls()[0], 'Before')

    def test_refusals(self):
        self.assertIn(b'one thread', self.render('--track', 'all', self.file, status=2).stderr)
        self.assertIn(b'chart', self.render('--output', 'folded', self.file, status=2).stderr)
        folded = os.path.join(self.folder, 'x.folded')
        with open(folded, 'wb') as file:
            file.write(FOLDED)
        self.assertIn(b'no times', self.render(folded, status=2).stderr)


if __name__ == '__main__':
    unittest.main()
