"""Files of other kinds: each is named with a next step, by the service as by the command line."""
import gzip
import json
import os
import re
import subprocess
import unittest

from support import AFLAMED, ServiceTest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DATA = os.path.join(ROOT, 'tests', 'data')
SAMPLES = os.path.join(os.environ.get('AFLAMED_SAMPLES', ''), 'samples')

# Where real files of other kinds are, below the samples: pattern of the path, title of the answer.
REAL = [(r'perfetto/.*\.textproto$', 'Perfetto trace as text'),
        (r'perfetto/.*counter_only', 'Perfetto trace without a profile'),
        (r'not-profiles/pprof-legacy', 'profile of the old pprof'),
        (r'mapping/.*\.json$', None), (r'mapping/', 'mapping file')]


def read(path):
    with open(path, 'rb') as file:
        return file.read()


def unpacked(content):
    return gzip.decompress(content) if content.startswith(b'\x1f\x8b') else content


def status_of(code):
    """Traces that were changed on their way, or are not whole, are a known format."""
    return 422 if code.startswith('trace-') or code in ('data-file', 'unknown-version') else 415


def codes():
    return re.findall(r'\.code = "([^"]+)"', read(os.path.join(ROOT, 'parser', 'refuse', 'foreign_table.c')).decode())


class Table(unittest.TestCase):
    def test_every_row_has_a_case(self):
        self.assertGreater(len(codes()), 15)
        for code in codes():
            self.assertTrue(os.path.exists(os.path.join(DATA, 'error-' + code, 'expected.error')), code)


class WrongFiles(ServiceTest):
    def assert_named(self, content, title=None, status=415):
        answer = self.server.upload(content, Accept='application/json')
        problem = json.loads(answer.body)
        self.assertEqual((answer.status, problem['status']), (status, status), problem)
        if title is not None:
            self.assertEqual(problem['title'], title)
        self.assertTrue(problem['detail'].endswith('.') and problem['hint'].endswith('.'), problem)
        self.assertNotIn('It looks like', problem['detail'])
        said = subprocess.run([AFLAMED, 'info', '-'], input=content, stderr=subprocess.PIPE, check=False).stderr
        self.assertEqual(said.decode(), 'error: %s: %s\nhint: %s\n' % (problem['title'], problem['detail'],
                                                                      problem['hint']))

    def test_service_and_command_line_say_the_same(self):
        for code in codes():
            folder = os.path.join(DATA, 'error-' + code)
            for name in os.listdir(folder):
                if name.startswith('input.') and not name.endswith('.calls'):
                    with self.subTest(code):
                        self.assert_named(read(os.path.join(folder, name)), status=status_of(code))
        self.assertTrue(self.server.gets_rid_of('bytes'))

    def test_real_files(self):
        folders = sorted({pattern.split('/')[0] for pattern, _ in REAL})
        if not os.path.isdir(SAMPLES):
            self.skipTest('AFLAMED_SAMPLES names no samples')
        count = 0
        for folder in folders:
            for name in sorted(os.listdir(os.path.join(SAMPLES, folder))):
                path = '%s/%s' % (folder, name)
                title = next((t for pattern, t in REAL if re.match(pattern, path)), None)
                if title is not None:
                    count += 1
                    with self.subTest(path):
                        self.assert_named(unpacked(read(os.path.join(SAMPLES, path))), title)
        self.assertGreater(count, 35)


if __name__ == '__main__':
    unittest.main()
