"""What machines read of the service: the log as JSON, whether it is ready, what the service manager is told."""
import json
import os
import re
import signal
import socket
import unittest

from support import TIMEOUT_S, Server, ServiceTest, eventually, head, id_of, token_of, trace


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
