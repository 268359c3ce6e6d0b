"""Requests as no good client sends them: the answer, or none, and that nothing is confused by them."""
import socket
import unittest

from support import ServiceTest, form, head, id_of, read_answers, trace

LENGTH = 'Content-Length: %d' % len(trace())
GET = 'GET / HTTP/1.1\r\nHost: x\r\n'


def request(text, body=b''):
    return text.encode('latin-1') + b'\r\n' + body


def post(*lines, body=trace()):
    return head('POST', '/', *lines) + body


# name, bytes, status of the answer (0: closed without one)
REFUSED = [
    ('two lengths', post(LENGTH, LENGTH), 400),
    ('two different lengths', post(LENGTH, 'Content-Length: 5'), 400),
    ('list of lengths', post('Content-Length: %d, %d' % (len(trace()), len(trace()))), 400),
    ('length that is no number', post('Content-Length: abc'), 400),
    ('length with a sign', post('Content-Length: +5'), 400),
    ('negative length', post('Content-Length: -5'), 400),
    ('length in hex', post('Content-Length: 0x10'), 400),
    ('length of 2^64', post('Content-Length: 18446744073709551616'), 413),
    ('empty length', post('Content-Length:'), 400),
    ('length and chunked', post(LENGTH, 'Transfer-Encoding: chunked'), 400),
    ('chunked and length', post('Transfer-Encoding: chunked', LENGTH), 400),
    ('chunked twice', post('Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'), 400),
    ('unknown coding', post('Transfer-Encoding: gzip'), 501),
    ('coding before chunked', post('Transfer-Encoding: gzip, chunked'), 501),
    ('identity', post('Transfer-Encoding: identity'), 501),
    ('blank before chunked', post('Transfer-Encoding: xchunked'), 501),
    ('chunked with HTTP/1.0', request('POST / HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n'), 400),
    ('two hosts', request(GET + 'Host: y\r\n'), 400),
    ('no host', request('GET / HTTP/1.1\r\n'), 400),
    ('empty host', request('GET / HTTP/1.1\r\nHost:\r\n'), 400),
    ('host with a path', request('GET / HTTP/1.1\r\nHost: x/y\r\n'), 400),
    ('host with a quote', request('GET / HTTP/1.1\r\nHost: x"><script>\r\n'), 400),
    ('zero byte in the path', request('GET /%00 HTTP/1.1\r\nHost: x\r\n'), 400),
    ('line end in the path', request('GET /%0d%0aX:y HTTP/1.1\r\nHost: x\r\n'), 400),
    ('zero byte in the query', request('GET /?a=%00 HTTP/1.1\r\nHost: x\r\n'), 400),
    ('dot segments', request('GET /../etc/passwd HTTP/1.1\r\nHost: x\r\n'), 400),
    ('dot segment', request('GET /p/./x HTTP/1.1\r\nHost: x\r\n'), 400),
    ('dot segments, encoded', request('GET /%2e%2E/etc HTTP/1.1\r\nHost: x\r\n'), 400),
    ('dot segments behind an encoded slash', request('GET /p/..%2fx HTTP/1.1\r\nHost: x\r\n'), 400),
    ('dot segment at the end', request('GET /p/.. HTTP/1.1\r\nHost: x\r\n'), 400),
    ('broken escape', request('GET /%zz HTTP/1.1\r\nHost: x\r\n'), 400),
    ('cut escape', request('GET /%2 HTTP/1.1\r\nHost: x\r\n'), 400),
    ('blank before the colon', request('GET / HTTP/1.1\r\nHost : x\r\n'), 400),
    ('blank before the colon of a length',
     request('POST / HTTP/1.1\r\nHost: x\r\nContent-Length : 5\r\n', b'hello'), 400),
    ('control character in a value', request(GET + 'X: a\x01b\r\n'), 400),
    ('header larger than the connection may have', request(GET + 'X: ' + 'a' * 300_000 + '\r\n'), 431),
    ('more headers than the connection may have', request(GET + 'X: abcdefgh\r\n' * 20_000), 431),
    ('longer target than the connection may have',
     request('GET /' + 'a' * 300_000 + ' HTTP/1.1\r\nHost: x\r\n'), 414),
    ('upload without a length', request('POST / HTTP/1.1\r\nHost: x\r\n'), 411),
    ('unknown method', request('BREW / HTTP/1.1\r\nHost: x\r\n'), 405),
    ('tunnel', request('CONNECT / HTTP/1.1\r\nHost: x\r\n'), 405),
    ('not HTTP', b'\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03' + bytes(200) + b'\r\n\r\n', 0),
    ('other version', request('GET / HTTP/3.7\r\nHost: x\r\n'), 0),
    ('chunk size that is no number', post('Transfer-Encoding: chunked', body=b'zz\r\nabc\r\n0\r\n\r\n'), 0),
    ('chunk size without end', post('Transfer-Encoding: chunked', body=b'f' * 40 + b'\r\n'), 0),
    ('negative chunk size', post('Transfer-Encoding: chunked', body=b'-5\r\nhello\r\n0\r\n\r\n'), 0),
    ('chunk longer than its size', post('Transfer-Encoding: chunked', body=b'2\r\nhello\r\n0\r\n\r\n'), 0),
]

ANSWERED = [
    ('plain', request(GET), 200),
    ('absolute target', request('GET http://x/healthz HTTP/1.1\r\nHost: x\r\n'), 200),
    ('absolute target without a path', request('GET http://x HTTP/1.1\r\nHost: x\r\n'), 200),
    ('HTTP/1.0 without a host', request('GET / HTTP/1.0\r\n'), 200),
    ('HTTP/1.0 with a length', request('POST / HTTP/1.0\r\n' + LENGTH + '\r\n', trace()), 201),
    ('escapes in the path', request('GET /%68ealthz HTTP/1.1\r\nHost: x\r\n'), 200),
    ('three dots', request('GET /... HTTP/1.1\r\nHost: x\r\n'), 404),
    ('two dots in a word', request('GET /a..b HTTP/1.1\r\nHost: x\r\n'), 404),
    ('any query', request('GET /healthz?%3f&&=&x=%C3%BC HTTP/1.1\r\nHost: x\r\n'), 200),
    ('host of IPv6 with a port', request('GET / HTTP/1.1\r\nHost: [::1]:8192\r\n'), 200),
    ('header in another case', request('GET / HTTP/1.1\r\nhOST: x\r\n'), 200),
    ('empty line before the request', b'\r\n' + request(GET), 200),
    ('chunk extension and trailer',
     post('Transfer-Encoding: Chunked',
          body=b'%x;name="v"\r\n%s\r\n0\r\nTrailer: x\r\n\r\n' % (len(trace()), trace())), 201),
    ('length with zeros', post('Content-Length: 000%d' % len(trace())), 201),
]


class Hygiene(ServiceTest):
    def all_answers(self, sent):
        """The answer, and what comes when the service hears that nothing more will be sent."""
        with self.server.connect() as connection:
            try:
                connection.sendall(sent)
            except (BrokenPipeError, ConnectionResetError):
                pass
            answers = read_answers(connection)
            try:
                connection.shutdown(socket.SHUT_WR)
            except OSError:
                pass
            return answers + read_answers(connection)

    def test_refused(self):
        before = self.server.files('uploads')
        for name, sent, status in REFUSED:
            with self.subTest(name):
                answers = self.all_answers(sent)
                statuses = [a.status for a in answers]
                if status == 0:
                    self.assertLessEqual(set(statuses), {400, 413, 505}, answers)
                else:
                    self.assertEqual(statuses, [status], answers)
                self.assert_alive()
        self.assertEqual(self.server.files('uploads'), before)

    def test_what_follows_a_refused_request_is_not_read_as_one(self):
        smuggled = request('GET /healthz HTTP/1.1\r\nHost: x\r\n')
        for lines in ([LENGTH, LENGTH], ['Content-Length: 5', 'Content-Length: 0'],
                      ['Content-Length: 4', 'Transfer-Encoding: chunked'], ['Transfer-Encoding: xchunked'],
                      ['Content-Length: 99999999999']):
            answers = self.all_answers(head('POST', '/', *lines) + b'0\r\n\r\n' + smuggled)
            self.assertEqual(len(answers), 1, answers)
            self.assertGreaterEqual(answers[0].status, 400)

    def test_answered(self):
        for name, sent, status in ANSWERED:
            with self.subTest(name):
                answers = self.all_answers(sent)
                self.assertEqual([a.status for a in answers], [status], answers)

    def test_pipelined(self):
        sent = b''.join(request('GET /%s HTTP/1.1\r\nHost: x\r\n' % p)
                        for p in ('healthz', 'version', 'nothing', 'healthz'))
        answers = self.server.raw(sent + post(LENGTH) + request('GET /version HTTP/1.1\r\nHost: x\r\n'),
                                  ('GET',) * 6)
        self.assertEqual([a.status for a in answers], [200, 200, 404, 200, 201, 200])

    def test_head_on_a_connection_that_goes_on(self):
        sent = request('HEAD / HTTP/1.1\r\nHost: x\r\n') + request('GET /healthz HTTP/1.1\r\nHost: x\r\n')
        answers = self.server.raw(sent, ('HEAD', 'GET'))
        self.assertEqual([(a.status, len(a.body)) for a in answers], [(200, 0), (200, 3)])

    def test_close_is_honoured(self):
        answers = self.server.raw(request(GET + 'Connection: close\r\n') * 2, ('GET', 'GET'))
        self.assertEqual(len(answers), 1)
        answers = self.server.raw(request('GET / HTTP/1.0\r\n') * 2, ('GET', 'GET'))
        self.assertEqual(len(answers), 1)

    def test_half_closed_after_the_request(self):
        """Answered if nothing has to be made first; else the client counts as gone; nothing stays open."""
        path = '/p/' + id_of(self.stored())
        before = self.server.settled_descriptors()
        for target in (path, path + '/raw', path + '/t/1.svg'):
            answers = self.server.raw(head('GET', target), half_close=True)
            self.assertEqual([a.status for a in answers], [200])
        for sent in (post(LENGTH), head('GET', path + '/t/1.svg?width=987')):
            self.assertLessEqual({a.status for a in self.server.raw(sent, half_close=True)}, {200, 201})
        self.assertEqual(self.server.settled_descriptors(before), before)

    def test_host_goes_into_links_only_if_it_is_one(self):
        for host in ('x', 'x:80', '[::1]:1', 'a-b_c.example'):
            answer = self.server.raw(head('POST', '/', LENGTH, host=host) + trace())[0]
            self.assertTrue(answer['Location'].startswith('http://%s/p/' % host))

    def test_byte_by_byte(self):
        kind, body = form(('trace', 'x', trace(records=12)))
        sent = head('POST', '/', 'Content-Type: ' + kind, 'Content-Length: %d' % len(body)) + body
        with self.server.connect() as connection:
            connection.setsockopt(6, 1, 1)     # TCP_NODELAY: each byte is a packet
            for i in range(len(sent)):
                connection.send(sent[i:i + 1])
            self.assertEqual(read_answers(connection, ('POST',))[0].status, 201)


if __name__ == '__main__':
    unittest.main()
