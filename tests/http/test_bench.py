"""The performance section of the README: written from a result of `make bench`, and from a whole one only."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MEASURE = os.path.join(ROOT, 'tests', 'bench', 'measure.py')
BEGIN = '<!-- performance: written by `make bench-readme`, from the last `make bench` -->'
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
    rows += [row(case, 5, case, 0.001, []) for case in ('render', 'upload', 'rerender')]
    rows.append(row('layouts', 5, 'fold streaming', 0.003, [yardstick('regular file', 0.002, 0.003)]))
    rows.append(row('families', None, 'hard: deep', 0.005, [yardstick('half of it', 0.002, 0.005)], 600 << 20))
    rows.append(row('cached', 5, 'cached SVG', 0.0001, [yardstick('nginx serving it', 0.00008, 0.0001)]))
    return {'machine': MACHINE, 'rows': rows, 'goals': goals_of(rows)}


def goals_of(rows):
    code = 'import json, report, sys; json.dump(report.goals(json.load(sys.stdin)), sys.stdout)'
    done = subprocess.run([sys.executable, '-B', '-c', code], input=json.dumps(rows), cwd=os.path.dirname(MEASURE),
                          stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


class Section(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix='aflamed-bench-test-')
        self.addCleanup(shutil.rmtree, self.folder)
        self.readme = os.path.join(self.folder, 'README.md')

    def write(self, before, result):
        """(README afterwards, exit status, errors)"""
        with open(self.readme, 'w') as file:
            file.write(before)
        path = os.path.join(self.folder, 'result.json')
        with open(path, 'w') as file:
            json.dump(result, file)
        done = subprocess.run([sys.executable, '-B', MEASURE, '--readme', self.readme, '--json', path],
                              stderr=subprocess.PIPE, text=True)
        with open(self.readme) as file:
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

    def test_each_yardstick_has_a_line_and_each_note_stands_once(self):
        text, _, _ = self.write(BEGIN + END, whole_result())
        for line in ('| fold only | 5 | 25.0 | openssl SHA-256 | 10.0 | 2.50 | 1.0 |',
                     '|  |  |  | dmtracedump -h | not there |  |  |',
                     '| fold only | 57 | 1500 | openssl SHA-256 | 1000 | 1.50 | 1.0 |',
                     '| 64 uploads | 500 |  | not run: 32 GB |  |  |  |',
                     '| render | 5 | 1.00 |  |  |  | 1.0 |',
                     '- fold only: to the end'):
            self.assertEqual(text.splitlines().count(line), 1, (line, text))

    def test_says_which_goals_were_missed(self):
        text, _, _ = self.write(BEGIN + END, whole_result())
        for line in ('- start to first answer under 50 ms: 60.0 ms (missed)', '- idle memory under 12 MiB: 9.0 MiB',
                     '- cached SVG, 5 MB: at least 0.9 times the requests per second of nginx: 0.80 times (missed)',
                     '- fold streaming, 5 MB: at most 2 times what the regular file takes: 1.50 times',
                     '- hard: deep: at most 2.3 times what the half of it takes: 2.50 times (missed)',
                     '- hard: deep: memory of a job (512 MiB) is enough: 600.0 MiB (missed)'):
            self.assertIn(line, text.splitlines())

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

    def test_the_readme_has_a_place_for_it(self):
        with open(os.path.join(ROOT, 'README.md')) as file:
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
