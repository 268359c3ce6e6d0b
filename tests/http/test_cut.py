"""Uploads that end too early, at every byte: not acknowledged, and nothing of them stays."""
import socket
import struct
import unittest

from support import ServiceTest, amount, form, head, in_parallel, read_answers, trace

CONTENT = trace(records=24, methods=4)


def reset(connection):
    """Ends the connection as a client that was killed does."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
    connection.close()


class Cut(ServiceTest):
    def setUp(self):
        self.before = self.server.settled_descriptors()

    def tearDown(self):
        self.assertEqual(self.server.settled_descriptors(self.before), self.before)
        for folder in ('bytes', 'names', 'uploads', 'views', 'tmp'):
            self.assertEqual(self.server.files(folder), [])
        self.assert_alive()

    def cut_everywhere(self, headers, body, first=0):
        sent = head('POST', '/', *headers)
        step = amount(1, 7)

        def shut(end):
            with self.server.connect() as connection:
                connection.sendall(sent + body[:end])
                connection.shutdown(socket.SHUT_WR)
                return read_answers(connection, ('POST',))

        def kill(end):
            connection = self.server.connect()
            connection.sendall(sent + body[:end])
            reset(connection)

        positions = range(first, len(body), step)
        for end, answers in zip(positions, in_parallel(shut, positions, threads=8)):
            self.assertTrue(all(a.status >= 400 for a in answers), (end, answers))
        in_parallel(kill, positions, threads=8)

    def test_raw(self):
        self.cut_everywhere(['Content-Length: %d' % len(CONTENT)], CONTENT)

    def test_form(self):
        kind, body = form(('name', None, b'a name'), ('trace', 'x.trace', CONTENT), ('expires', None, b'1'))
        self.cut_everywhere(['Content-Type: ' + kind, 'Content-Length: %d' % len(body)], body)

    def test_chunked(self):
        body = b'%x\r\n%s\r\n%x;a=b\r\n%s\r\n0\r\n\r\n' % (100, CONTENT[:100],
                                                          len(CONTENT) - 100, CONTENT[100:])
        self.cut_everywhere(['Transfer-Encoding: chunked'], body)

    def test_chunked_form(self):
        kind, form_body = form(('trace', 'x.trace', CONTENT))
        body = b'%x\r\n%s\r\n0\r\n\r\n' % (len(form_body), form_body)
        self.cut_everywhere(['Content-Type: ' + kind, 'Transfer-Encoding: chunked'], body)

    def test_form_that_says_too_small_a_length(self):
        """A complete request, but not a complete form."""
        kind, body = form(('trace', 'x.trace', CONTENT))
        positions = range(0, len(body) - 2, amount(1, 7))     # the last line end may be missing
        answers = in_parallel(lambda end: self.server.upload(body[:end], Content_Type=kind), positions,
                              threads=8)
        for end, answer in zip(positions, answers):
            self.assertEqual(answer.status, 400, (end, answer))

    def test_closed_in_mid_upload_many_times(self):
        content = bytes(200_000)
        for i in range(1000):
            connection = self.server.connect()
            connection.sendall(head('POST', '/', 'Content-Length: 10000000') + CONTENT + content[:i * 200])
            reset(connection) if i % 2 else connection.close()
        self.assertEqual(self.server.settled_descriptors(self.before), self.before)


if __name__ == '__main__':
    unittest.main()
