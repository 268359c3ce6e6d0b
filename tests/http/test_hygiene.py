"""Clients that are slow, many, or gone: they get what is theirs, and hold up nobody else."""
import os
import re
import socket
import time
import unittest

from support import SOON_S, ServiceTest, amount, eventually, form, head, id_of, in_parallel, large_trace, read_answers, trace

LENGTH = 'Content-Length: %d' % len(trace())


class Hygiene(ServiceTest):
    def test_head_on_a_connection_that_goes_on(self):
        answers = self.server.raw(head('HEAD', '/') + head('GET', '/healthz'), ('HEAD', 'GET'))
        self.assertEqual([(a.status, len(a.body)) for a in answers], [(200, 0), (200, 3)])

    def test_half_closed_after_the_request(self):
        """Answered if nothing has to be made first; else the client counts as gone; nothing stays open."""
        path = '/p/' + id_of(self.stored())
        before = self.server.settled_descriptors()
        for target in (path, path + '/raw', path + '/t/1.svg'):
            answers = self.server.raw(head('GET', target), half_close=True)
            self.assertEqual([a.status for a in answers], [200])
        for sent in (head('POST', '/', LENGTH) + trace(), head('GET', path + '/t/1.svg?width=987')):
            self.assertLessEqual({a.status for a in self.server.raw(sent, half_close=True)}, {200, 201})
        self.assertEqual(self.server.settled_descriptors(before), before)

    def test_half_closed_uploads_are_answered_or_not_kept(self):
        for i in range(20):
            content = trace(salt=7000 + i)
            answers = self.server.raw(head('POST', '/', 'Content-Length: %d' % len(content)) + content, half_close=True)
            answered = [a for a in answers if a.status == 201]
            self.assertTrue(eventually(lambda: (content in self.kept_bytes()) == bool(answered)), answers)

    def kept_bytes(self):
        found = []
        for name in self.server.files('bytes'):
            with open(os.path.join(self.server.store, name), 'rb') as file:
                found.append(file.read())
        return found

    def test_what_the_library_refuses_by_itself(self):
        """docs/security.md lists it. It must cost nothing else, and the log has it."""
        post = ('POST', '/', 'Transfer-Encoding: chunked')
        for sent, status, where in (
                (head('GET', '/' + 'a' * 40000), 414, None), (b'GET /\r\n\r\n', 400, None),
                (b'GET / HTTP/2.0\r\nHost: x\r\n\r\n', 505, None), (head('GET', '/', 'A: ' + 'a' * 40000), 431, 'header'),
                (head('GET', '/', 'foo'), 400, 'header'), (head('POST', '/', 'Content-Length: x'), 400, 'header'),
                (head('POST', '/', 'Content-Length: ' + '9' * 30), 413, 'header'),
                (head('GET', '/', 'Cookie: ' + '; '.join('a%d=b' % i for i in range(600))), 431, 'header'),
                (head(*post) + b'zz\r\n', 400, 'body'), (head(*post) + b'1\r\nab\r\n0\r\n\r\n', 400, 'body'),
                (head(*post) + b'f' * 20 + b'\r\n', 413, 'body'), (head(*post) + b'0\r\nA: ' + b'b' * 40000 + b'\r\n\r\n', 431, 'body')):
            before = self.server.log()
            with self.subTest(sent[:60], status=status):
                self.assertEqual([a.status for a in self.server.raw(sent)], [status])
                if where is not None:
                    self.assertTrue(self.server.says(r'request .* status=0 .* why=no\\ answer:\\ the\\ %s' % where, before))

    def test_host_goes_into_links_only_if_it_is_one(self):
        for host in ('x', 'x:80', '[::1]:1', 'a-b_c.example'):
            answer = self.server.raw(head('POST', '/', LENGTH, host=host) + trace())[0]
            self.assertTrue(answer['Location'].startswith('http://%s/p/' % host))

    def test_authority_of_the_target_wins_over_host(self):
        for origin in ('http://good.example', 'http://good.example:81', 'https://[::1]:1'):
            for target in (origin, origin + '/', origin + '?name=x', origin + '/?name=http://else.example/'):
                answer = self.server.raw(head('POST', target, LENGTH, host='evil.example') + trace())[0]
                self.assertEqual(answer.status, 201, target)
                self.assertTrue(answer['Location'].startswith(origin + '/p/'), answer)
        answer = self.server.raw(head('POST', '/?name=http://else.example/', LENGTH, host='x') + trace())[0]
        self.assertTrue(answer['Location'].startswith('http://x/p/'), answer)

    def test_byte_by_byte(self):
        kind, body = form(('trace', 'x', trace(records=12)))
        sent = head('POST', '/', 'Content-Type: ' + kind, 'Content-Length: %d' % len(body)) + body
        with self.server.connect() as connection:
            connection.setsockopt(6, 1, 1)     # TCP_NODELAY: each byte is a packet
            for i in range(len(sent)):
                connection.send(sent[i:i + 1])
            self.assertEqual(read_answers(connection, ('POST',))[0].status, 201)

    def test_500_that_do_nothing(self):
        before = self.server.settled_descriptors()
        idle = [self.server.connect() for _ in range(500)]
        for connection in idle[::2]:
            connection.sendall(b'GET /heal')
        began = time.monotonic()
        self.assert_alive()
        self.assertLess(time.monotonic() - began, SOON_S)     # they are closed after a minute
        for connection in idle[:10:2]:
            connection.sendall(b'thz HTTP/1.1\r\nHost: x\r\n\r\n')
            self.assertEqual(read_answers(connection)[0].status, 200)
        for connection in idle:
            connection.close()
        self.assertEqual(self.server.settled_descriptors(before), before)


class Impatient(ServiceTest):
    CONFIG = {'request_timeout_s': 2, 'header_timeout_s': 2}

    def test_slow_reader(self):
        """Others are answered meanwhile; then its time is over, and nothing of it is left."""
        content = large_trace(5 << 20)     # a second is given for each MB
        path = '/p/%s/raw' % id_of(self.stored(content))
        before = self.server.settled_descriptors()
        with self.server.connect() as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            began = time.monotonic()
            connection.sendall(head('GET', path))
            while True:
                self.assertNotEqual(connection.recv(100), b'')
                self.assert_alive()
                if self.server.settled_descriptors(before, seconds=0.2) == before:
                    break
                self.assertLess(time.monotonic() - began, SOON_S)
            self.assertGreater(time.monotonic() - began, 1)
        self.assertEqual(self.server.get(path).body, content)


class Deadline(ServiceTest):
    CONFIG = {'request_timeout_s': 4, 'header_timeout_s': 4}
    PART_S = 3      # two of them are too long together, even for a watch that looks once a second

    def kept(self):
        """A connection that has had an answer and has been idle."""
        connection = self.connection()
        connection.sendall(head('GET', '/healthz'))
        self.assertEqual(read_answers(connection)[0].status, 200)
        time.sleep(self.PART_S)
        return connection

    def test_time_before_a_request_is_not_its_own(self):
        def upload(connection):
            connection.sendall(head('POST', '/', LENGTH))
            time.sleep(self.PART_S)
            connection.sendall(trace())
            return [answer.status for answer in read_answers(connection, ('POST',))]

        def late():
            connection = self.connection()
            time.sleep(self.PART_S)
            return connection

        self.assertEqual(in_parallel(lambda begin: upload(begin()), (self.kept, late)), [[201], [201]])

    def test_heads_that_never_end(self):
        def ends_after(sent):
            connection = self.kept()
            connection.settimeout(0.5)
            began = time.monotonic()
            try:
                connection.sendall(sent)
                while time.monotonic() < began + SOON_S:
                    try:
                        if connection.recv(100) == b'':
                            break
                    except TimeoutError:
                        connection.sendall(b'x')
            except (BrokenPipeError, ConnectionResetError):
                pass
            return time.monotonic() - began

        for took in in_parallel(ends_after, (b'GET /', b'GET / HTTP/1.1\r\nHost: ', b'GET / HTTP/1.1\r\nHost: x\r\nX: ')):
            self.assertLess(took, SOON_S)     # bytes that come keep it from being idle


class Left(ServiceTest):
    CONFIG = {'workers': 1, 'log_level': 'debug'}

    def test_work_of_clients_that_have_left_is_dropped(self):
        """It would take some seconds; that they have left is seen within one."""
        path = '/p/' + id_of(self.server.upload(large_trace(amount(24 << 20, 6 << 20))))
        before, asked = self.server.log(), 200
        connections = [self.server.connect() for _ in range(asked)]
        for i, connection in enumerate(connections):
            connection.sendall(head('GET', '%s/t/1.svg?view=chart&width=%d' % (path, 700 + i)))
        for connection in connections:
            connection.close()
        self.assertTrue(self.server.says(r'width\\=\d+ status=0 .* why=the.\ client.\ left', before))
        self.assertEqual(self.server.get(path + '/t/1.svg?view=chart&width=600').status, 200)
        drawn = re.findall(' debug drawn ', self.server.log()[len(before):])
        self.assertLess(len(drawn), asked)


if __name__ == '__main__':
    unittest.main()
