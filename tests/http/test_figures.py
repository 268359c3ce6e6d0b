"""What machines read of the service: figures, the log as JSON, whether it is ready, what the service manager is told."""
import collections
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import unittest

import support
from support import TIMEOUT_S, Server, ServiceTest, eventually, head, heavy_trace, id_of, read_answers, token_of, trace
from test_doors import Tokens, bearer

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROMTOOL = shutil.which('promtool')
OPEN_METRICS = 'application/openmetrics-text;version=1.0.0;q=0.7,text/plain;version=0.0.4;q=0.3,*/*;q=0.1'
SAMPLE = re.compile(r'([a-z_]+)(?:\{((?:[a-z]+="(?:[^"\\]|\\.)*",?)+)\})? (\d+(?:\.\d+)?)')


def figures_of(text):
    """{name with labels: number} of a text in either format. Each line is a comment or a sample."""
    figures = {}
    for line in text.splitlines():
        if line.startswith('#'):
            continue
        found = SAMPLE.fullmatch(line)
        assert found, line
        name = found[1] + ('{%s}' % found[2] if found[2] else '')
        assert name not in figures, 'twice: ' + name
        figures[name] = float(found[3])
    return figures


def deployed(*parts):
    with open(os.path.join(ROOT, 'deploy', *parts)) as file:
        return file.read()


class MonitoredTest(ServiceTest):
    """The service with a listener for figures, which is asked under a name that nobody told the service."""
    CONFIG = {'metrics_listen': '127.0.0.1:0', 'hosts': 'profiles.example.com, 127.0.0.1'}

    def ask(self, target, *lines, method='GET', body=b''):
        with self.connect() as connection:
            lines = [*lines, 'Content-Length: %d' % len(body)] if body else lines
            connection.sendall(head(method, target, 'Connection: close', *lines, host='monitored:9100') + body)
            return read_answers(connection, (method,))[0]

    def connect(self):
        port = int(re.findall(r'also-listening key=metrics_listen address=127\.0\.0\.1:(\d+)', self.server.log())[-1])
        return socket.create_connection(('127.0.0.1', port), TIMEOUT_S)

    def figures(self):
        answer = self.ask('/metrics')
        self.assertEqual(answer.status, 200, answer)
        return figures_of(answer.text)


class Figures(MonitoredTest):

    def assert_grows(self, name, by, act):
        """A request is counted when its answer was sent: soon after the client has it."""
        before = self.figures().get(name, 0)
        act()
        self.assertTrue(eventually(lambda: self.figures().get(name, 0) == before + by),
                        '%s: %s, and was %s' % (name, self.figures().get(name), before))

    def test_requests_are_counted_by_route_and_status(self):
        path = '/p/' + id_of(self.stored(trace(salt=1)))
        for target, route, method, code in ((path + '/raw', '/p/{id}/raw', 'GET', 200),
                                            (path + '/t/1.svg', '/p/{id}/t/{track}', 'GET', 200),
                                            ('/p/aaaaaaaaaaaaaaaaaaaaaaaaaa', '/p/{id}', 'GET', 404),
                                            ('/nothing/at/all', 'none', 'other', 404),
                                            (path + '/status.json?wrong=1', 'none', 'other', 400)):
            with self.subTest(target):
                self.assert_grows('aflamed_requests_total{method="%s",route="%s",code="%d"}' % (method, route, code), 2,
                                  lambda t=target: (self.server.get(t), self.server.request('HEAD', t)))
        self.assertNotIn(path[3:], self.ask('/metrics').text)

    def test_what_is_accepted_is_no_request_without_an_answer(self):
        said = json.dumps({'jsonrpc': '2.0', 'method': 'notifications/initialized'})
        self.assert_grows('aflamed_requests_total{method="POST",route="/mcp",code="202"}', 1,
                          lambda: self.server.request('POST', '/mcp', said, Content_Type='application/json'))

    def test_buckets_are_cumulative_and_agree(self):
        self.server.get('/')
        self.server.get('/version')
        for text in (self.ask('/metrics').text, self.ask('/metrics', 'Accept: ' + OPEN_METRICS).text):
            series = collections.defaultdict(list)
            figures = figures_of(text)
            for name, value in figures.items():
                found = re.fullmatch(r'([a-z_]+)_bucket\{(.*),le="(.*)"\}', name)
                if found:
                    series[found[1], found[2]].append((float(found[3]), value))
            self.assertTrue(series)
            for (name, labels), buckets in series.items():
                self.assertEqual(buckets, sorted(buckets))
                self.assertEqual([n for _, n in buckets], sorted(n for _, n in buckets))
                self.assertEqual(buckets[-1], (float('inf'), figures['%s_count{%s}' % (name, labels)]))
                self.assertIn('%s_sum{%s}' % (name, labels), figures)

    def test_both_formats(self):
        answer = self.ask('/metrics')
        self.assertEqual(answer['Content-Type'], 'text/plain; version=0.0.4; charset=utf-8')
        self.assertEqual(self.ask('/metrics', 'Accept: text/html')['Content-Type'], answer['Content-Type'])
        self.assertNotIn('# EOF', answer.text)
        newer = self.ask('/metrics', 'Accept: ' + OPEN_METRICS)
        self.assertEqual(newer['Content-Type'], 'application/openmetrics-text; version=1.0.0; charset=utf-8')
        self.assertTrue(newer.text.endswith('\n# EOF\n'))
        self.assertIn('# TYPE aflamed_requests counter\n', newer.text)
        self.assertIn('# TYPE aflamed_requests_total counter\n', answer.text)
        self.assertEqual({line.split()[2] for line in answer.text.splitlines() if line.startswith('# TYPE')},
                         {line.split()[2] + ('_total' if line.endswith(' counter') else '')
                          for line in newer.text.splitlines() if line.startswith('# TYPE')})

    def test_uploads_bytes_and_caches(self):
        content = heavy_trace(salt=3)
        path = []
        self.assert_grows('aflamed_uploads_total{format="android-trace"}', 1,
                          lambda: path.append('/p/' + id_of(self.stored(content))))
        before = self.figures()
        self.assertGreaterEqual(before['aflamed_reading_cpu_seconds_count{format="android-trace"}'], 1)
        self.assertGreaterEqual(before['aflamed_store_uploads_bytes'], len(content))
        self.assertGreater(before['aflamed_memory_bytes{kind="profiles"}'], 0)
        self.assertTrue(eventually(lambda: self.figures()['aflamed_received_bytes_total'] >= len(content)))
        for _ in range(4):                                   # drawn, from the disk, kept in memory, from there
            self.server.get(path[0] + '/t/1.svg?width=777')
        after = self.figures()
        for cache in ('views-in-memory', 'views-on-disk'):
            for result in ('hit', 'miss'):
                name = 'aflamed_cache_looks_total{cache="%s",result="%s"}' % (cache, result)
                self.assertGreater(after[name], before[name], name)

    def test_what_is_refused_has_a_reason(self):
        for reason, act in (('unknown-format', lambda: self.server.upload(b'\0\1\2' * 100)),
                            ('malformed', lambda: self.server.get('/?%00')),
                            ('other-site', lambda: self.server.request('POST', '/', b'', Origin='http://evil.example',
                                                                       Sec_Fetch_Site='cross-site'))):
            with self.subTest(reason):
                self.assert_grows('aflamed_refused_total{reason="%s"}' % reason, 1, act)

    def test_the_process_and_its_connections(self):
        figures = self.figures()
        self.assertGreater(figures['process_resident_memory_bytes'], 1 << 20)
        self.assertGreater(figures['process_open_fds'], 3)
        self.assertLess(figures['process_open_fds'], figures['process_max_fds'])
        self.assertGreater(figures['process_start_time_seconds'], 1_700_000_000)
        self.assertGreater(figures['process_cpu_seconds_total'], 0)
        self.assertRegex(self.server.get('/version').text, 'aflamed ' + re.search(
            r'aflamed_build_info\{version="([0-9.]+)"\} 1\n', self.ask('/metrics').text)[1])
        with socket.create_connection(('127.0.0.1', self.server.port), TIMEOUT_S):
            self.assertTrue(eventually(lambda: self.figures()['aflamed_connections'] == 2))    # and ours
        self.assertTrue(eventually(lambda: self.figures()['aflamed_connections'] == 1))

    def test_the_store_is_measured_at_the_start(self):
        self.stored(trace(salt=5))
        bytes_kept = self.figures()['aflamed_store_uploads_bytes']
        self.server.stop()
        self.server.start()
        self.assertEqual(self.figures()['aflamed_store_uploads_bytes'], bytes_kept)

    @unittest.skipUnless(PROMTOOL, 'promtool is not installed (package prometheus)')
    def test_promtool_finds_nothing(self):
        self.stored(trace(salt=6))
        done = subprocess.run([PROMTOOL, 'check', 'metrics'], input=self.ask('/metrics').body, timeout=TIMEOUT_S,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual((done.returncode, done.stdout), (0, b''))


class OwnListener(MonitoredTest):

    def test_figures_and_nothing_else(self):
        self.assertIn('aflamed_build_info', self.ask('/metrics').text)
        self.assertEqual(self.ask('/healthz').text, 'ok\n')
        self.assertEqual(self.ask('/readyz').text, 'ready\n')
        for target in ('/', '/uploads', '/api', '/static/x/app.css', '/metrics/', '/version'):
            self.assertEqual(self.ask(target).status, 404, target)

    def test_nothing_is_taken_there(self):
        """Nobody is asked for a token at this address."""
        for target in ('/metrics', '/healthz', '/readyz', '/x.trace', '/', '/api/v1/profiles'):
            for method in ('PUT', 'POST', 'DELETE'):
                answer = self.ask(target, method=method, body=trace())
                self.assertEqual(answer.status, 404, (method, target))
        self.assertEqual(self.server.files('uploads'), [])

    def test_an_address_that_is_taken_is_said(self):
        with socket.create_server(('127.0.0.1', 0)) as taken:
            with self.assertRaisesRegex(AssertionError, 'cannot listen: bind 127.0.0.1:[0-9]+: '):
                Server(metrics_listen='127.0.0.1:%d' % taken.getsockname()[1])

    def test_it_takes_so_many_connections_at_a_time(self):
        """Of its own: whoever asks for pages is not shut out by them."""
        held = [self.connect() for _ in range(64)]
        for connection in held:
            self.addCleanup(connection.close)
            connection.sendall(head('GET', '/healthz', host='monitored:9100'))
            self.assertEqual(read_answers(connection)[0].status, 200)
        self.assertEqual(self.ask('/metrics').status, 503)
        self.assertEqual(self.ask('/healthz').status, 200)
        self.assertEqual(self.server.get('/healthz').status, 200)
        for connection in held:
            connection.close()
        self.assertTrue(eventually(lambda: self.ask('/metrics').status == 200))

    def test_it_ends_with_the_service(self):
        server = Server(metrics_listen='127.0.0.1:0')
        self.addCleanup(server.clean)
        self.assertEqual(server.stop(), 0)

    def test_not_ready_while_the_service_stops(self):
        with socket.create_connection(('127.0.0.1', self.server.port), TIMEOUT_S) as upload:
            upload.sendall(head('PUT', '/x', 'Content-Length: 1000') + b'x')
            self.assertTrue(eventually(lambda: self.server.uploads_under_way() == 1))
            self.server.process.send_signal(signal.SIGTERM)
            self.assertTrue(eventually(lambda: 'is stopping' in self.ask('/readyz').text))
            self.assertEqual(self.ask('/readyz').status, 503)
            self.assertIn('aflamed_build_info', self.ask('/metrics').text)
        self.assertEqual(self.server.wait_end(), 0)
        self.server.start()


class OnTheMainAddress(ServiceTest):
    """The figures are for who has a token with the scope admin."""
    @classmethod
    def setUpClass(cls):
        tokens = Tokens(cls)
        cls.admin, cls.reader = tokens.new('prometheus', 'admin'), tokens.new('ann', 'upload,read')
        cls.server = support.ServiceFailure.server = Server(tokens_file=tokens.path)
        cls.addClassCleanup(cls.end)

    def test_a_token_is_asked_for(self):
        self.assertEqual(self.server.get('/metrics').status, 401)
        self.assertEqual(self.server.get('/metrics', **bearer(self.reader)).status, 403)
        self.assertEqual(self.server.get('/metrics', **bearer(self.admin)).status, 200)
        for name in ('requests_total{method="GET",route="/metrics",code="401"}', 'refused_total{reason="unknown-client"}',
                     'refused_total{reason="forbidden"}'):
            self.assertTrue(eventually(lambda n=name: figures_of(self.server.get(
                '/metrics', **bearer(self.admin)).text).get('aflamed_' + n) == 1), name)

    def test_load_balancers_need_none(self):
        self.assertEqual((self.server.get('/readyz').status, self.server.get('/healthz').status), (200, 200))

    def test_without_tokens_there_are_no_figures(self):
        server = Server()
        self.addCleanup(server.clean)
        self.assertEqual(server.get('/metrics').status, 403)


class Deployed(MonitoredTest):
    """What the dashboard and the alerts ask for is there."""

    def names(self):
        return {name.split('{')[0] for name in self.figures()}

    def test_the_dashboard_and_the_alerts_ask_for_what_there_is(self):
        dashboard, alerts = deployed('grafana', 'aflamed.json'), deployed('prometheus', 'alerts.yml')
        expressions = [t['expr'] for p in json.loads(dashboard)['panels'] for t in p['targets']]
        self.assertGreater(len(expressions), 10)
        asked = set(re.findall(r'\b((?:aflamed|process)_[a-z_]+)', ' '.join(expressions + re.findall('expr: .*', alerts))))
        self.stored(trace(salt=9))
        self.assertTrue(eventually(lambda: asked <= self.names()), asked - self.names())     # a request counts behind its answer

    @unittest.skipUnless(PROMTOOL, 'promtool is not installed (package prometheus)')
    def test_promtool_takes_the_alerts(self):
        done = subprocess.run([PROMTOOL, 'check', 'rules', os.path.join(ROOT, 'deploy', 'prometheus', 'alerts.yml')],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT_S, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn('2 rules found', done.stdout)


class LogAsJson(ServiceTest):
    CONFIG = {'log_format': 'json', 'log_level': 'debug'}

    def test_each_line_is_an_object_with_the_same_events(self):
        answer = self.stored(trace(salt=1))
        path, token = '/p/' + id_of(answer), token_of(answer)
        self.server.get(path + '/t/1.svg?"<&=%22%3c%0a')
        self.server.request('DELETE', path, X_Delete_Token=token)
        self.assertTrue(self.server.says('"method":"DELETE"'))
        lines = [json.loads(line) for line in self.server.log().splitlines()]
        for line in lines:
            self.assertRegex(line['ts'], r'^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$')
            self.assertIn(line['level'], ('error', 'warn', 'info', 'debug'))
        events = {line['event'] for line in lines}
        self.assertLessEqual({'listening', 'memory', 'request', 'uploaded', 'folded', 'deleted'}, events)
        requests = [line for line in lines if line['event'] == 'request']
        self.assertEqual([line['status'] for line in requests if line['method'] == 'DELETE'], [200])
        self.assertIn('/p/%s…' % id_of(answer)[:6], requests[0]['target'] + requests[1]['target'])

    def test_nothing_in_it_opens_an_upload(self):
        answer = self.stored(trace(salt=2))
        self.assertEqual(self.server.get('/p/%s.json' % id_of(answer)).status, 200)
        self.assertTrue(self.server.says('"target":"/p/'))
        self.assertIsNone(re.search(id_of(answer), self.server.log()))


class Ready(ServiceTest):
    def test_ready_as_long_as_the_store_takes_bytes(self):
        answer = self.server.get('/readyz')
        self.assertEqual((answer.status, answer.text, answer['Cache-Control']), (200, 'ready\n', 'no-store'))
        tmp = os.path.join(self.server.store, 'tmp')
        os.rename(tmp, tmp + '.away')
        with open(tmp, 'wb'):
            pass
        self.assertTrue(eventually(lambda: self.server.get('/readyz').status == 503))
        answer = self.server.get('/readyz')
        self.assertEqual(answer.status, 503)
        self.assertIn('not ready: The store cannot be written to', answer.text)
        self.assertEqual(self.server.get('/healthz').status, 200)
        self.assertTrue(self.server.says(r'error not-ready why=Not\\ a\\ directory'))
        os.unlink(tmp)
        os.rename(tmp + '.away', tmp)
        self.assertTrue(eventually(lambda: self.server.get('/readyz').status == 200))
        self.assertTrue(self.server.says('info ready-again'))
        self.assertEqual(os.listdir(tmp), [])

    def test_not_ready_while_it_stops(self):
        server = Server()
        self.addCleanup(server.clean)
        with socket.create_connection(('127.0.0.1', server.port), TIMEOUT_S) as upload:
            upload.sendall(head('PUT', '/x', 'Content-Length: 1000') + b'x')
            self.assertTrue(eventually(lambda: server.uploads_under_way() == 1))
            server.process.send_signal(signal.SIGTERM)
            self.assertTrue(server.says('info stopping'))
            self.assertTrue(eventually(lambda: server.get('/readyz').status == 503))
            self.assertIn('the service is stopping', server.get('/readyz').text)
        self.assertEqual(server.wait_end(), 0)


class Managed(unittest.TestCase):
    """A stand-in for the service manager."""

    def start(self, **environment):
        manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(manager.close)
        name = 'aflamed-test-manager-%d-%s' % (os.getpid(), self.id())
        manager.bind('\0' + name)
        manager.settimeout(TIMEOUT_S)

        class Watched(Server):
            ENVIRONMENT = {'NOTIFY_SOCKET': '@' + name, **environment}
        server = Watched()
        self.addCleanup(server.clean)
        return manager, server

    def test_it_says_when_it_is_ready_and_when_it_stops(self):
        manager, server = self.start()
        self.assertEqual(manager.recv(100), b'READY=1')
        self.assertEqual(server.stop(), 0)
        self.assertEqual(manager.recv(100), b'STOPPING=1')

    def test_a_watchdog_is_fed(self):
        manager, server = self.start(WATCHDOG_USEC='2000000')
        said = {manager.recv(100) for _ in range(3)}
        self.assertEqual(said, {b'READY=1', b'WATCHDOG=1'})
        self.assertEqual(server.stop(), 0)
