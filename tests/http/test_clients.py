"""What one client can take from others: requests that the library drops, slow headers, many connections, pages of other
sites; and a stop that waits for nobody."""
import contextlib
import os
import socket
import time
import unittest

from support import (SOON_S, STOP_TIMEOUT_S, Server, ServiceTest, amount, eventually, form, head, id_of, read_answers,
                     sanitized, trace)

PARAMETERS = head('GET', '/?' + '&' * 1000)
COOKIES = head('GET', '/', 'Cookie: ' + ''.join('a%d=b;' % i for i in range(600)))


class Dropped(ServiceTest):
    """Their header is too large for the library, which neither answers them nor says that they have ended."""

    def test_they_are_answered_and_logged(self):
        before = self.server.log()
        self.assertEqual(self.server.raw(PARAMETERS)[0].status, 431)
        self.assertTrue(self.server.says(r'target=/\?&+ status=431', before))
        before = self.server.log()
        self.server.raw(COOKIES)
        self.assertTrue(self.server.says(r'client=127\.0\.0\.1 .*target=/ ', before))
        self.assert_alive()

    def test_they_leave_nothing(self):
        def ask(n):
            for i in range(n):
                self.server.raw(COOKIES if i % 2 else PARAMETERS)

        ask(200)
        before, descriptors = self.memory(), self.server.settled_descriptors()
        ask(amount(2000, 200, 100_000))
        self.assertEqual(self.server.settled_descriptors(descriptors), descriptors)
        if not sanitized():     # which keep what was freed for a while
            self.assertLess(self.memory() - before, 8 << 20)     # 35 KiB each would be 70 MB

    def memory(self):
        with open('/proc/%d/status' % self.server.pid) as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith('VmRSS'))


class SlowHeaders(ServiceTest):
    CONFIG = {'header_timeout_s': 1}

    def test_a_header_has_a_deadline_however_busy_its_client_is(self):
        with self.server.connect() as connection:
            connection.sendall(b'GET / HTTP/1.1\r\n')
            began = time.monotonic()
            with self.assertRaises(OSError):
                while time.monotonic() - began < SOON_S:
                    connection.sendall(b'a')
                    time.sleep(0.05)
                    if connection.recv(1, socket.MSG_DONTWAIT) == b'':
                        raise OSError('ended')
        self.assertLess(time.monotonic() - began, SOON_S)

    def test_a_body_has_its_own_time(self):
        content = trace()
        with self.server.connect() as connection:
            connection.sendall(head('POST', '/', 'Content-Length: %d' % len(content)))
            connection.sendall(content[:10])
            time.sleep(3)     # longer than the deadline of a header, which is looked at once a second
            connection.sendall(content[10:])
            self.assertEqual(read_answers(connection, ('POST',))[0].status, 201)


class Shares(ServiceTest):
    CONFIG = {'max_connections_per_address': 4}

    def from_address(self, address):
        return socket.create_connection(('127.0.0.1', self.server.port), SOON_S, source_address=(address, 0))

    def ask(self, connection):
        connection.sendall(head('GET', '/healthz'))
        return [answer.status for answer in read_answers(connection)]

    def test_one_address_has_its_share_and_no_more(self):
        held = [self.from_address('127.0.0.1') for _ in range(4)]
        for connection in held:
            self.assertEqual(self.ask(connection), [200])
        with self.from_address('127.0.0.1') as one_too_many:
            self.assertEqual([a.status for a in read_answers(one_too_many)], [503])
        with self.from_address('127.0.0.2') as another:
            self.assertEqual(self.ask(another), [200])
        for connection in held:
            connection.close()
        self.assertTrue(eventually(self.has_room))

    def test_who_has_begun_to_send_a_file_hears_why(self):
        """It looks for an answer only when it cannot send any more, as some programs do."""
        held = [self.from_address('127.0.0.3') for _ in range(4)]
        for connection in held:
            self.assertEqual(self.ask(connection), [200])
        with self.from_address('127.0.0.3') as one_too_many:
            with contextlib.suppress(ConnectionError):
                one_too_many.sendall(head('PUT', '/x', 'Content-Length: %d' % (64 << 20)) + bytes(64 << 20))
            self.assertRegex(one_too_many.recv(100), b'^HTTP/1.1 503 ')
        for connection in held:
            connection.close()

    def has_room(self):
        with self.from_address('127.0.0.1') as connection:
            try:
                return self.ask(connection) == [200]
            except OSError:
                return False


class Reserve(ServiceTest):
    CONFIG = {'max_connections': 4}

    def test_health_is_answered_when_all_connections_are_taken(self):
        for _ in range(4):
            connection = self.connection()
            connection.sendall(head('GET', '/healthz'))
            self.assertEqual(read_answers(connection)[0].status, 200)
        self.assertEqual(self.server.raw(head('GET', '/'))[0].status, 503)
        self.assertEqual(self.server.raw(head('GET', '/healthz'))[0].status, 200)


class Proxies(ServiceTest):
    CONFIG = {'trusted_proxies': '127.0.0.1, 10.0.0.0/8'}

    def test_the_proxy_says_who_the_client_is(self):
        before = self.server.log()
        self.server.get('/healthz', X_Forwarded_For='198.51.100.9, 203.0.113.7')
        self.assertTrue(self.server.says(r'client=203\.0\.113\.7 ', before))
        before = self.server.log()
        self.server.get('/healthz', X_Forwarded_For='nobody')
        self.assertTrue(self.server.says(r'client=- ', before))
        before = self.server.log()
        self.server.raw(head('GET', '/healthz', 'X-Forwarded-For: 198.51.100.9', 'X-Forwarded-For: 203.0.113.8'))
        self.assertTrue(self.server.says(r'client=203\.0\.113\.8 ', before))

    def test_the_log_has_all_of_an_address(self):
        before = self.server.log()
        self.server.request('PUT', '/x.trace', trace(), X_Forwarded_For='2001:db8:1:2:3::4')
        for event in ('uploaded', 'request'):
            self.assertTrue(self.server.says(event + r' .*client=2001:db8:1:2:3::4\b', before), event)


class Sites(ServiceTest):
    CONFIG = {'external_url': 'http://flames.example'}

    def post(self, *lines, host='flames.example'):
        content = trace()
        return self.server.raw(head('POST', '/', 'Content-Length: %d' % len(content), *lines, host=host) + content,
                               ('POST',))[0]

    def test_pages_of_other_sites_write_nothing(self):
        before = self.server.files('uploads')
        self.assertEqual(self.post('Origin: http://evil.example').status, 403)
        self.assertEqual(self.post('Origin: null').status, 403)
        self.assertEqual(self.post('Sec-Fetch-Site: cross-site').status, 403)
        self.assertEqual(self.server.files('uploads'), before)

    def test_own_pages_and_programs_do(self):
        self.assertEqual(self.post('Origin: http://flames.example', 'Sec-Fetch-Site: same-origin').status, 201)
        self.assertEqual(self.post().status, 201)

    def test_who_asks_by_an_address_whether_it_is_well(self):
        """As the container's health check, and those of load balancers, do."""
        for target, text in (('/healthz', 'ok\n'), ('/readyz', 'ready\n')):
            self.assertEqual(self.server.raw(head('GET', target, host='10.0.0.5:8192'))[0].text, text)
            self.assertEqual(self.server.raw(('GET %s HTTP/1.0\r\n\r\n' % target).encode())[0].text, text)

    def test_other_names_are_not_ours(self):
        self.assertEqual(self.post(host='evil.example').status, 421)
        self.assertEqual(self.server.raw(head('GET', '/', host='evil.example'))[0].status, 421)
        self.assertEqual(self.server.raw(head('GET', '/healthz', host='localhost:8192'))[0].status, 200)


class Waiting(ServiceTest):
    CONFIG = {'max_waiting_per_address': 1, 'workers': 1}

    def test_one_address_waits_for_so_much_at_a_time(self):
        path = '/p/%s/t/1.svg?width=' % self.stored(trace(records=60000, threads=2))['Location'].rsplit('/', 1)[1]
        connections = [self.connection() for _ in range(12)]
        for i, connection in enumerate(connections):
            connection.sendall(head('GET', path + str(300 + i)))
        statuses = {read_answers(connection)[0].status for connection in connections}
        self.assertIn(200, statuses)
        self.assertLessEqual(statuses, {200, 503})


class ViewCache(ServiceTest):
    LIMIT = 400_000
    CONFIG = {'views_on_disk_bytes': LIMIT}

    def kept(self):
        """Bytes of whole blocks on the disk."""
        total = 0
        for name in self.server.files('views'):
            try:
                total += (os.path.getsize(os.path.join(self.server.store, name)) + 4095) // 4096 * 4096
            except FileNotFoundError:
                pass
        return total

    def test_its_limit_holds_at_every_moment(self):
        path = '/p/%s/t/1.svg?width=' % id_of(self.stored(trace(records=6000, threads=2, methods=60)))
        seen = []
        for i in range(amount(200, 60)):
            self.assertEqual(self.server.get(path + str(300 + i)).status, 200)
            seen.append(self.kept())
        self.assertLessEqual(max(seen), self.LIMIT)
        self.assertGreater(max(seen), self.LIMIT // 3)     # it is used
        self.assertTrue(self.server.says(r'swept .*views=[1-9]'))


class Stop(unittest.TestCase):
    def test_who_sends_slowly_does_not_hold_it_up(self):
        server = Server()
        self.addCleanup(server.clean)
        content = trace(records=6000)
        connection = server.connect()
        self.addCleanup(connection.close)
        connection.sendall(head('POST', '/', 'Content-Length: %d' % len(content)) + content[:1000])
        for _ in range(3):
            server.raw(PARAMETERS)
        began = time.monotonic()
        self.assertEqual(server.stop(), 0)
        self.assertLess(time.monotonic() - began, STOP_TIMEOUT_S)

    def test_new_requests_are_told(self):
        server = Server()
        self.addCleanup(server.clean)
        kind, body = form(('trace', 'x', trace()))
        busy, idle = server.connect(), server.connect()
        self.addCleanup(busy.close)
        self.addCleanup(idle.close)
        busy.sendall(head('POST', '/', 'Content-Type: ' + kind, 'Content-Length: %d' % len(body),
                          'Expect: 100-continue'))
        self.assertEqual(busy.recv(100), b'HTTP/1.1 100 Continue\r\n\r\n')     # it is under way
        busy.sendall(body[:50])
        idle.sendall(head('GET', '/healthz'))
        self.assertEqual(read_answers(idle)[0].status, 200)
        before = server.log()
        server.process.terminate()
        self.assertTrue(server.says('stopping', before))
        idle.sendall(head('GET', '/'))
        self.assertEqual([a.status for a in read_answers(idle)], [503])
        self.assertEqual([a.status for a in server.raw(head('GET', '/'))], [503])     # on a connection of its own
        busy.sendall(body[50:])
        self.assertEqual([a.status for a in read_answers(busy, ('POST',))], [201])
        self.assertEqual(server.wait_end(), 0)


if __name__ == '__main__':
    unittest.main()
