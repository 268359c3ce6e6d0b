"""The webhook: what another service is told of checks that fail and of changes in a series, and what becomes of it."""
import contextlib
import http.server
import json
import os
import re
import tempfile
import threading
import time
import unittest
import urllib.parse

import support
from support import Server, ServiceTest, eventually, fields_of
from team import STARTUP, Team, changed, run_trace
from test_figures import figures_of

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SECRET = 'a secret of some length'
CREDENTIALS = 'key=in-the-query'


def verify_of_the_document():
    """The receiver's function in docs/spaces.md."""
    with open(os.path.join(ROOT, 'docs', 'spaces.md'), encoding='utf-8') as file:
        block, = re.findall(r'^```python\n(.*?)^```$', file.read(), re.M | re.S)
    names = {}
    exec(block, names)    # pylint: disable=exec-used
    return names['is_signed']


class Receiver:
    """On a free port; answers what `answers` says, one after the other, and 200 behind that. None: nothing, until it ends."""

    def __init__(self):
        self.told, self.answers, self.ends = [], [], threading.Event()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                receiver.told.append((self.path, dict(self.headers), b''))
                self.send_response(200)
                self.end_headers()

            def do_POST(self):
                body = self.rfile.read(int(self.headers['Content-Length']))
                receiver.told.append((self.path, dict(self.headers), body))
                status = receiver.answers.pop(0) if receiver.answers else 200
                if status is None:
                    receiver.ends.wait(support.SOON_S)
                    return
                with contextlib.suppress(ConnectionError):
                    self.send_response(status)
                    if status in (302, 307):
                        self.send_header('Location', '/elsewhere')
                    self.send_header('Content-Length', '0')
                    self.end_headers()

        self.server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return 'http://127.0.0.1:%d/hook?%s' % (self.server.server_address[1], CREDENTIALS)

    def bodies(self):
        return [json.loads(body) for _, _, body in self.told]

    def close(self):
        self.ends.set()
        self.server.shutdown()
        self.server.server_close()


class WebhookTest(ServiceTest):
    @classmethod
    def setUpClass(cls):
        cls.receiver = Receiver()
        cls.addClassCleanup(cls.receiver.close)
        with tempfile.NamedTemporaryFile('w', delete=False) as file:
            file.write(SECRET + '\n')
        cls.addClassCleanup(os.unlink, file.name)
        cls.CONFIG = {'webhook_url': cls.receiver.url, 'webhook_secret_file': file.name, 'metrics_listen': '127.0.0.1:0'}
        super().setUpClass()

    def setUp(self):
        self.receiver.told.clear()

    def upload(self, team, work, query, **labels):
        files = [('trace', 'r%d.trace' % i, run_trace(work, team.noise, team.chance, 10_000 * (team.salt + 1) + i))
                 for i in range(5)]
        team.salt += 1
        return self.server.upload_form(*fields_of(space=team.space, **{'label.' + k: v for k, v in labels.items()}), *files,
                                       target='/?' + urllib.parse.urlencode(query, doseq=True))

    def figures(self):
        port = int(re.findall(r'also-listening key=metrics_listen address=127\.0\.0\.1:(\d+)', self.server.log())[-1])
        connection = support.http.client.HTTPConnection('127.0.0.1', port, timeout=support.TIMEOUT_S)
        connection.request('GET', '/metrics')
        figures = figures_of(connection.getresponse().read().decode())
        connection.close()
        return {result: figures['aflamed_webhook_total{result="%s"}' % result] for result in ('sent', 'failed', 'dropped')}

    def fails(self, space, seed=3):
        """A team whose check has just failed, and what it was answered."""
        team = Team(self.server, space, seed=seed)
        team.commits(range(4), 5, branch='main')
        answer = self.upload(team, changed(STARTUP, 'Net.await', waits=1.5), {'check': 'branch:main', 'fail-if': 'total>5%'},
                             branch='mine', commit='m1')
        self.assertEqual((answer.status, answer['X-Check']), (422, 'FAIL'), answer.text)
        return team, answer


class Checks(WebhookTest):
    def test_a_failure_is_told_once_and_signed(self):
        team, answer = self.fails('fails')
        self.assertTrue(eventually(lambda: self.receiver.told))
        # Neither what passes nor a look at what fails is told: the next thing that is, is the next failure.
        passes = self.upload(team, STARTUP, {'check': 'branch:main', 'fail-if': 'total>5%'}, branch='mine', commit='m2')
        self.assertEqual(passes['X-Check'], 'PASS')
        told, = self.receiver.bodies()
        look = self.server.get(told['url'][len(self.server.url):])
        self.assertEqual((look.status, look['X-Check']), (422, 'FAIL'))
        self.upload(team, changed(STARTUP, 'Net.await', waits=1.6), {'check': 'branch:main'}, branch='mine', commit='m3')
        self.assertTrue(eventually(lambda: len(self.receiver.told) > 1))
        self.assertEqual([body['commit'] for body in self.receiver.bodies()], ['m1', 'm3'])
        self.assertEqual((told['event'], told['space'], told['labels']), ('check-failed', 'fails', {}))
        self.assertRegex(told['sentence'], r'^total>5% fails: total \+\d+(\.\d)? %, from \d.* ms to \d.* ms; 5 runs against 20 of the baseline$')
        self.assertEqual(told['uploads'], re.findall(r'http\S*/p/[a-z2-7]{26}', answer.text.split('Uploaded: ')[1]))
        path, headers, body = self.receiver.told[0]
        self.assertEqual((path, headers['Content-Type']), ('/hook?' + CREDENTIALS, 'application/json'))
        is_signed = verify_of_the_document()
        self.assertTrue(is_signed(SECRET, body, headers['X-Aflamed-Signature']))
        self.assertFalse(is_signed(SECRET, body + b' ', headers['X-Aflamed-Signature']))
        self.assertNotEqual(headers['X-Aflamed-Delivery'], self.receiver.told[1][1]['X-Aflamed-Delivery'])

    def test_what_is_not_taken_is_tried_again(self):
        before = self.figures()
        self.receiver.answers[:] = [500, 429]
        self.fails('again')
        self.assertTrue(eventually(lambda: self.figures()['sent'] == before['sent'] + 1))
        self.assertEqual(len(self.receiver.told), 3)
        self.assertEqual(len({(headers['X-Aflamed-Delivery'], headers['X-Aflamed-Signature'], body)
                              for _, headers, body in self.receiver.told}), 1)

    def test_what_is_refused_is_not(self):
        for number, status in enumerate((404, 307)):
            before = self.figures()
            self.receiver.told.clear()
            self.receiver.answers[:] = [status]
            self.fails('refused%d' % number)
            self.assertTrue(eventually(lambda: self.figures()['failed'] == before['failed'] + 1))
            self.assertEqual([path for path, _, _ in self.receiver.told], ['/hook?' + CREDENTIALS])
            self.assertTrue(self.server.says(r'webhook-failed host=127\.0\.0\.1:\d+ delivery=[0-9a-f]{16} tries=1 status=%d' % status))
        self.assertNotIn(CREDENTIALS, self.server.log())
        self.assertNotIn(SECRET, self.server.log())

    def test_a_body_has_a_limit(self):
        team = Team(self.server, 'large', noise=0)
        labels = {'key%02d' % i: '"' * 200 for i in range(30)}
        for work, branch, query in ((STARTUP, 'main', {}), (changed(STARTUP, 'Net.await', waits=1.5), 'mine', {'check': 'branch:main'})):
            answer = self.upload(team, work, query, branch=branch, **labels)
        self.assertEqual(answer.status, 422, answer.text)
        self.assertTrue(eventually(lambda: self.receiver.told))
        self.assertLessEqual(len(self.receiver.told[0][2]), 16 << 10)
        self.assertIn('total +', self.receiver.bodies()[0]['sentence'])


class Hanging(WebhookTest):
    def test_a_receiver_that_hangs_holds_up_nobody(self):
        self.receiver.answers[:] = [None] * 10
        team, _ = self.fails('hangs')
        self.assertTrue(eventually(lambda: self.receiver.told))
        team.commits(range(10, 14), 2, branch='main')
        self.assertEqual(self.server.get('/s/hangs.json').status, 200)
        begin = time.monotonic()
        self.assertEqual(self.server.stop(), 0)
        self.assertLess(time.monotonic() - begin, support.STOP_TIMEOUT_S)
        self.assertNotIn('stopped-hard', self.server.log())
        self.server.start()


class Changes(WebhookTest):
    def test_a_step_is_told_once_and_a_flat_series_never(self):
        teams = [Team(self.server, 'step', seed=21, noise=0.01), Team(self.server, 'flat', seed=22, noise=0.01)]
        for number in range(24):
            teams[0].commits([number], 2, branch='main', scenario='start') if number < 12 else \
                teams[0].upload(changed(STARTUP, '', 1.1, 1.1), commit='c%03d' % number, branch='main', scenario='start')
            teams[1].commits([number], 1, branch='main')
        # A failure behind them is told when all of their series have been looked at.
        self.fails('last')
        self.assertTrue(eventually(lambda: any(body['space'] == 'last' for body in self.receiver.bodies())))
        changes = [body for body in self.receiver.bodies() if body['event'] == 'change-point']
        self.assertEqual([(body['space'], body['commit']) for body in changes], [('step', 'c012')], changes)
        told, = changes
        self.assertEqual((told['labels'], told['value'], told['unit']), ({'branch': 'main', 'scenario': 'start'}, 'wall', 'ns'))
        self.assertAlmostEqual(told['after'] / told['before'], 1.1, delta=0.03)
        self.assertRegex(told['sentence'], r'^At commit c012 the total wall time grew from \d.* ms to \d.* ms, by \d+(\.\d)? %$')
        page = self.server.get(told['url'][len(self.server.url):], Accept='application/json')
        series, = json.loads(page.body)['series']
        self.assertEqual([change['at'] for change in series['changes']], ['c012'])
        self.assertIn(told['uploads'][0].rsplit('/', 1)[1], page.text)


class Configuration(unittest.TestCase):
    @unittest.skipUnless(support.AFLAMED, 'AFLAMED names no program')
    def test_a_secret_that_cannot_be_had_is_said(self):
        with tempfile.NamedTemporaryFile('w') as file:
            for path, why in ((file.name, 'is empty'), (file.name + '.absent', 'cannot be read')):
                with self.assertRaisesRegex(AssertionError, why):
                    Server(webhook_url='http://127.0.0.1:9/', webhook_secret_file=path)


if __name__ == '__main__':
    unittest.main()
