"""The demo trace: from the command line and from the service, and through the service."""
import json
import os
import pty
import re
import stat
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support', 'demo'))
import make_demo
from support import AFLAMED, ServiceTest, id_of

TIMEOUT_S = 60


def command(*arguments, **more):
    return subprocess.run([AFLAMED, *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_S,
                          check=False, **more)


@unittest.skipUnless(AFLAMED, 'AFLAMED names no program')
class CommandLine(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='aflamed-demo-')
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.path = os.path.join(self.folder, 'demo.trace')

    def test_pipe_and_file(self):
        piped = command('demo')
        self.assertEqual((piped.returncode, piped.stderr), (0, b''))
        self.assertTrue(piped.stdout.startswith(b'*version\n3\n'))
        self.assertEqual(command('demo', '-o', '-').stdout, piped.stdout)
        written = command('demo', '-o', self.path)
        self.assertEqual((written.returncode, written.stdout, written.stderr), (0, b'', b''))
        with open(self.path, 'rb') as file:
            self.assertEqual(file.read(), piped.stdout)

    def test_is_what_the_tool_makes(self):
        """static/demo.trace.gz is the packed output of tests/support/demo/make_demo.py."""
        self.assertEqual(command('demo').stdout, make_demo.demo_trace())

    def test_file_is_replaced_as_a_whole(self):
        with open(self.path, 'wb') as file:
            file.write(b'x' * 1_000_000)
        os.chmod(self.path, 0o640)
        self.assertEqual(command('demo', '-o', self.path).returncode, 0)
        self.assertEqual(os.path.getsize(self.path), len(command('demo').stdout))
        self.assertEqual(stat.S_IMODE(os.stat(self.path).st_mode), 0o640)
        self.assertEqual(os.listdir(self.folder), ['demo.trace'])

    def test_not_to_a_terminal(self):
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        run = subprocess.run([AFLAMED, 'demo'], stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.PIPE,
                             timeout=TIMEOUT_S, check=False)
        os.close(theirs)
        self.assertEqual(run.returncode, 2)
        self.assertIn(b'terminal', run.stderr)

    def test_refusals(self):
        for arguments, status in ((['x.trace'], 2), (['-o'], 2), (['-o', ''], 2), (['--seed', '1'], 2),
                                  (['--help=1'], 2), (['-o', os.path.join(self.folder, 'no', 'x')], 1)):
            with self.subTest(arguments):
                run = command('demo', *arguments, cwd=self.folder)
                self.assertEqual(run.returncode, status)
                self.assertRegex(run.stderr.decode(), r'\Aerror: [^:]+: .+\nhint: .+\n\Z')
                self.assertEqual(run.stdout, b'')
        self.assertEqual(os.listdir(self.folder), [])

    def test_full_disk(self):
        with open('/dev/full', 'wb') as full:
            run = subprocess.run([AFLAMED, 'demo', '-o', '-'], stdin=subprocess.DEVNULL, stdout=full,
                                 stderr=subprocess.PIPE, timeout=TIMEOUT_S, check=False)
        self.assertEqual(run.returncode, 1)
        self.assertTrue(run.stderr.startswith(b'error: '))

    def test_help(self):
        self.assertIn(b'  demo ', command('--help').stdout)
        for option in ('--help', '-h'):
            run = command('demo', option)
            self.assertEqual(run.returncode, 0)
            self.assertTrue(run.stdout.startswith(b'usage: aflamed demo [-o FILE]\n'))


class Service(ServiceTest):
    def demo(self):
        answer = self.server.get('/demo.trace')
        self.assertEqual(answer.status, 200, answer)
        return answer

    def test_is_served(self):
        answer = self.demo()
        self.assertEqual(answer.body, command('demo').stdout)
        self.assertEqual(answer['Content-Type'], 'application/octet-stream')
        self.assertEqual(answer['Content-Disposition'], 'attachment; filename="demo.trace"')
        self.assertEqual(answer['X-Content-Type-Options'], 'nosniff')
        self.assertEqual(int(answer['Content-Length']), len(answer.body))

    def test_head_and_other_methods(self):
        answer = self.server.request('HEAD', '/demo.trace')
        self.assertEqual((answer.status, answer.body), (200, b''))
        self.assertEqual(int(answer['Content-Length']), len(self.demo().body))
        self.assertEqual(self.server.request('DELETE', '/demo.trace').status, 405)

    def test_upload(self):
        stored = self.stored(self.demo().body, Accept='application/json')
        result = json.loads(stored.body)
        self.assertEqual(result['format'], 'android-trace')
        self.assertEqual(result['warnings'], [])
        self.assertEqual(result['tracks'][0]['name'], 'main')
        self.assertGreaterEqual(len(result['tracks']), 12)
        for track in result['tracks']:
            svg = self.server.get(track['svg'])
            self.assertEqual(svg.status, 200, track)
            self.assertEqual(svg['Content-Type'].split(';')[0], 'image/svg+xml')
        busiest = self.server.get(result['tracks'][0]['svg']).text
        for method in ('org.json.JSONTokener.nextValue', 'com.example.recipes.RecipesApp.onCreate'):
            self.assertIn(method, busiest)

    def test_put_under_its_name(self):
        answer = self.server.request('PUT', '/demo.trace', self.demo().body)
        self.assertEqual(answer.status, 201, answer)
        record = json.loads(self.server.get('/p/%s.json' % id_of(answer)).body)
        self.assertEqual(record['name'], 'demo.trace')
        self.assertTrue(re.fullmatch('[0-9a-f]{64}', record['sha256']))
