"""The section of docs/performance.md: written from a result of `make bench`, and from a whole one only."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MEASURE = os.path.join(ROOT, 'tests', 'bench', 'measure.py')
BEGIN = '<!-- performance: written by `make bench-docs`, from the last `make bench` -->'
END = '<!-- performance: end -->'
MACHINE = {'processor': 'Abacus 3', 'processors': 2, 'memory_bytes': 8 << 30, 'system': 'Debian, Linux 6',
           'program': 'aflamed 9.9', 'load_before': 0.25, 'load_after': 1.5}


def row(case, size_mb, title, seconds, yardsticks, peak_bytes=1 << 20, note=''):
    return {'case': case, 'title': title, 'size_mb': size_mb, 'note': note, 'ours_s': seconds, 'all_s': [seconds],
            'peak_bytes': peak_bytes, 'yardsticks': yardsticks}


def yardstick(name, seconds, ours):
    return {'name': name, 'median_s': seconds, 'all_s': [seconds], 'ratio': ours / seconds, 'peak_bytes': None}


def whole_result():
    """A row for each case and size that is measured."""
    rows = [row('start', None, 'start to first answer', 0.06, [yardstick('nginx likewise', 0.03, 0.06)], 9 << 20),
            row('fold', 5, 'fold only', 0.025, [yardstick('openssl SHA-256', 0.01, 0.025),
                                                {'name': 'dmtracedump -h', 'problem': 'not there'}], note='to the end'),
            row('fold', 57, 'fold only', 1.5, [yardstick('openssl SHA-256', 1.0, 1.5)], note='to the end'),
            {'case': 'uploads64', 'title': '64 uploads', 'size_mb': 500, 'note': '', 'yardsticks': [],
             'why_not': 'not run: 32 GB'}]
    rows += [row(case, 5, case, 0.001, []) for case in ('render', 'upload', 'rerender', 'mapping', 'diff', 'tables', 'ranges')]
    rows += [row('exports', size, 'export chrome', ours, [yardstick('render, all threads', 0.1, ours)]) for size, ours in ((5, 0.5), (57, 0.27))]
    rows += [row('lanes', 57, 'first lanes of all', 0.9, [yardstick('render, all threads', 0.6, 0.9)]),
             row('lanes', 500, 'lanes of 1 %', 0.1, [yardstick('lanes of all, again', 4.0, 0.1)])]
    rows += [row('real', None, 'a real recording', 0.001, []), row('small', None, 'small uploads', 0.0005, []), row('bucket', 5, 'upload', 0.001, []), row('doors', 5, 'cached SVG with a token', 0.001, [])]
    rows += [row('simpleperf', 5, 'simpleperf', 0.2, [yardstick('method trace', 0.125, 0.2)]),
             row('perfetto', 5, 'Perfetto, heap samples', 0.3, []), {**row('perfetto', 57, 'Perfetto, other packets', 0.0475, []), 'read_bytes': 57_000_000},
             {**row('json', None, 'JSON, trace events', 0.5, []), 'read_bytes': 60_000_000}]
    rows += [row('layouts', size, 'fold ' + title, 0.003, [yardstick('regular file', ours, 0.003)], note='same calls')
             for size, title, ours in ((5, 'streaming', 0.002), (5, 'version 2, new', 0.0025),
                                       (57, 'streaming', 0.0024), (57, 'version 2, new', 0.001))]
    rows.append(row('families', None, 'hard: deep', 0.005, [yardstick('half of it', 0.002, 0.005)], 600 << 20,
                    note='7: a stack so deep; drawn'))
    rows.append(row('families', None, 'hard: wide', 0.005, [yardstick('half of it', 0.0025, 0.005)], 60 << 20,
                    note='9: so many; drawn'))
    rows += [row('cached', size, 'cached SVG' + coding, 0.0001, [yardstick('nginx serving it', theirs, 0.0001)],
                 note='by throughput; %d kB' % (size * scale))
             for size, coding, theirs, scale in ((5, '', 0.00008, 10), (5, ', gzip', 0.0002, 1),
                                                 (57, '', 0.0001, 10), (57, ', gzip', 0.0003, 1))]
    return {'machine': MACHINE, 'rows': rows}


class Section(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix='aflamed-bench-test-')
        self.addCleanup(shutil.rmtree, self.folder)
        self.document = os.path.join(self.folder, 'performance.md')

    def write(self, before, result):
        """(the document afterwards, exit status, errors)"""
        with open(self.document, 'w') as file:
            file.write(before)
        path = os.path.join(self.folder, 'result.json')
        with open(path, 'w') as file:
            json.dump(result, file)
        done = subprocess.run([sys.executable, '-B', MEASURE, '--document', self.document, '--json', path],
                              stderr=subprocess.PIPE, text=True)
        with open(self.document) as file:
            return file.read(), done.returncode, done.stderr

    def test_stands_between_the_marks_and_nothing_else_changes(self):
        text, status, errors = self.write('# top\n\n%s\nformer text\n%s\n\n# below\n' % (BEGIN, END), whole_result())
        self.assertEqual(status, 0, errors)
        self.assertTrue(text.startswith('# top\n\n' + BEGIN + '\n\nMeasured on 2 processors (Abacus 3) '), text)
        self.assertTrue(text.endswith('\n\n' + END + '\n\n# below\n'), text)
        self.assertNotIn('former', text)
        self.assertIn('8 GiB', text)
        self.assertIn('Debian, Linux 6', text)
        self.assertIn('1.5 after', ' '.join(text.split()))

    def test_each_yardstick_has_a_line(self):
        text, _, _ = self.write(BEGIN + END, whole_result())
        for line in ('| fold only | 5 | 25.0 | openssl SHA-256 | 10.0 | 2.50 | 1.0 |',
                     '|  |  |  | dmtracedump -h | not there |  |  |',
                     '| fold only | 57 | 1500 | openssl SHA-256 | 1000 | 1.50 | 1.0 |',
                     '| 64 uploads | 500 |  | not run: 32 GB |  |  |  |',
                     '| render | 5 | 1.00 |  |  |  | 1.0 |'):
            self.assertEqual(text.splitlines().count(line), 1, (line, text))

    def test_sizes_of_a_case_follow_each_other(self):
        text, _, _ = self.write(BEGIN + END, whole_result())
        begun = [line.split(' | ')[:2] for line in text.splitlines() if line.startswith('| fold ')]
        self.assertEqual(begun, [['| fold ' + title, size] for title in ('only', 'streaming', 'version 2, new')
                                 for size in ('5', '57')])

    def test_what_notes_have_in_common_stands_once(self):
        text, _, _ = self.write(BEGIN + END, whole_result())
        notes = text[text.index('\n- '):text.index('\n\nPromised')].strip().splitlines()
        self.assertEqual(notes, ['- fold only: to the end', '- fold streaming, fold version 2: same calls',
                                 '- hard: drawn', '  - deep: 7: a stack so deep', '  - wide: 9: so many',
                                 '- cached SVG: by throughput', '  - cached SVG: 50 kB at 5 MB, 570 kB at 57 MB',
                                 '  - gzip: 5 kB at 5 MB, 57 kB at 57 MB'])

    def test_says_which_goals_were_missed(self):
        text, _, _ = self.write(BEGIN + END, whole_result())
        self.assertEqual(text[text.index('Promised, and found:'):text.index(END)].split('\n')[2:-2], [
            '- start to first answer: under 50 ms: 60.0 ms (missed)',
            '- idle memory: under 12 MiB: 9.0 MiB',
            '- mapping: within 3 s: 0.0 s', '- mapping: within 256 MiB: 1.0 MiB',
            '- export chrome: at most 3 times what the render, all threads takes: 2.70 times',
            '- first lanes of all: at most 3 times what the render, all threads takes: 1.50 times',
            '- lanes of 1 %: at most 0.05 times what the lanes of all, again takes: 0.03 times',
            '- small uploads: at least 1,500 a second: 2000.0 a second',
            '- simpleperf: at most 2 times what the method trace takes: 1.60 times',
            '- Perfetto, other packets: at least 1000 MB/s: 1200.0 MB/s',
            '- JSON, trace events: at least 150 MB/s: 120.0 MB/s (missed)',
            '- fold streaming, fold version 2: at most 2 times what the regular file takes: 1.20 to 1.50 times; '
            'new, 57 MB: 3.00 times (missed)',
            '- hard: at most 2.3 times what the half of it takes: 2.00 times; deep: 2.50 times (missed)',
            '- hard: memory of a job (512 MiB) is enough: 60.0 MiB; deep: 600.0 MiB (missed)',
            '- cached SVG: at least 0.9 times the requests per second of nginx: 1.00 to 3.00 times; '
            'cached SVG, 5 MB: 0.80 times (missed)'])

    def test_the_terminal_has_a_line_for_each_goal(self):
        code = 'import json, report, sys; print(*report.goal_lines(json.load(sys.stdin)), sep="\\n")'
        said = subprocess.run([sys.executable, '-B', '-c', code], input=json.dumps(whole_result()['rows']),
                              cwd=os.path.dirname(MEASURE), stdout=subprocess.PIPE, text=True, check=True).stdout
        for line in ('MISSED: start to first answer: under 50 ms: 60.0 ms', 'met: idle memory: under 12 MiB: 9.0 MiB',
                     'met: fold streaming, 5 MB: at most 2 times what the regular file takes: 1.50 times',
                     'MISSED: hard: deep: at most 2.3 times what the half of it takes: 2.50 times'):
            self.assertIn(line, said.splitlines())

    def test_twice_is_the_same_as_once(self):
        once, _, _ = self.write(BEGIN + END, whole_result())
        self.assertEqual(self.write(once, whole_result())[0], once)

    def test_result_of_a_narrowed_run_changes_nothing(self):
        result = whole_result()
        result['rows'] = [r for r in result['rows'] if r['case'] != 'cached' and r['size_mb'] != 57]
        text, status, errors = self.write(BEGIN + END, result)
        self.assertEqual((text, status), (BEGIN + END, 1))
        self.assertIn('missing: cached, 57 MB', errors)

    def test_no_marks_or_twice_the_marks(self):
        for before in ('nothing', BEGIN, END + BEGIN, (BEGIN + END) * 2):
            text, status, errors = self.write(before, whole_result())
            self.assertEqual((text, status), (before, 1))
            self.assertIn('marks', errors)

    def test_the_document_has_a_place_for_it(self):
        with open(os.path.join(ROOT, 'docs', 'performance.md')) as file:
            text, status, errors = self.write(file.read(), whole_result())
        self.assertEqual(status, 0, errors)
        self.assertIn('Abacus 3', text)


class Yardsticks(unittest.TestCase):
    ROWS = """if True:
        import cases, json, measure, programs, sys
        def fails(): raise programs.Failed('it broke')
        def works(): return programs.Sample(0.5, 7)
        measure.ROUNDS_MIN = measure.ROUNDS_SECONDS = 0
        row = cases.Row('c', 't', %s, {'absent': None, 'broken': fails, 'fine': works})
        json.dump(measure.measure_row(row, 5), sys.stdout)"""

    def measured(self, ours):
        return subprocess.run([sys.executable, '-B', '-c', self.ROWS % ours], cwd=os.path.dirname(MEASURE),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)

    def test_absent_or_broken_is_no_failure(self):
        done = self.measured('works')
        self.assertEqual(done.returncode, 0, done.stderr)
        row = json.loads(done.stdout)
        self.assertEqual((row['ours_s'], row['peak_bytes']), (0.5, 7))
        self.assertEqual(row['yardsticks'][:2], [{'name': 'absent', 'problem': 'not there'},
                                                 {'name': 'broken', 'problem': 'failed'}])
        self.assertEqual(row['yardsticks'][2]['ratio'], 1)
        self.assertIn('it broke', done.stderr)

    def test_what_is_measured_must_work(self):
        done = self.measured('fails')
        self.assertNotEqual(done.returncode, 0)
        self.assertIn('it broke', done.stderr)


class CommandLine(unittest.TestCase):
    def refused(self, *arguments):
        done = subprocess.run([sys.executable, '-B', MEASURE, *arguments], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stdout, '')
        return done.stderr

    def test_unknown_case_and_size(self):
        self.assertIn('start, fold', self.refused('--cases', 'fold,nonsense'))
        self.assertIn('5, 57, 500', self.refused('--sizes', '6'))


if __name__ == '__main__':
    unittest.main()
