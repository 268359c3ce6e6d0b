"""A trace in two files, in either order of its two fields: the stored whole is the file that it would be as one."""
import json
import socket
import struct
import unittest

from support import ServiceTest, binary_header, form, head, id_of, large_trace, method_lines, text_part, trace

WHOLE = trace(records=240)
KEY_BYTES = WHOLE.index(b'*end\n') + 5
KEY, DATA = WHOLE[:KEY_BYTES], WHOLE[KEY_BYTES:]

SUMMARY = text_part(3, 'dual', [(1, 'main')], method_lines(4))
STREAM = binary_header(0xF3, 14) + struct.pack('<HBHH', 0, 2, 1, 4) + b'main' + b''.join(
    struct.pack('<HIII', 1, word, at, at) for at, word in enumerate((0, 4, 5, 1)))


def joined_stream(stream, summary):
    return stream + struct.pack('<HBI', 0, 3, len(summary)) + summary


class TwoFiles(ServiceTest):
    def tearDown(self):
        self.assertEqual(self.server.files('tmp'), [])

    def both(self, key, data):
        """The two orders of the fields."""
        parts = ('key', 'app.key', key), ('data', 'app.data', data)
        return parts, parts[::-1]

    def assert_whole(self, answer, whole, name):
        self.assertEqual(answer.status, 201, answer)
        path = '/p/' + id_of(answer)
        self.assertEqual(self.server.get(path + '/raw').body, whole)
        self.assertEqual(json.loads(self.server.get(path + '.json').body)['name'], name)
        return path

    def test_regular(self):
        for parts in self.both(KEY, DATA):
            path = self.assert_whole(self.server.upload_form(*parts), WHOLE, 'app')
        one = id_of(self.stored(WHOLE))
        self.assertEqual(self.server.get(path + '/t/all.folded.txt').body,
                         self.server.get('/p/%s/t/all.folded.txt' % one).body)

    def test_streaming_and_its_summary(self):
        for parts in (('data', 'app.trace', STREAM), ('key', 'app.trace.sec', SUMMARY)), \
                (('key', 'app.trace.sec', SUMMARY), ('data', 'app.trace', STREAM)):
            path = self.assert_whole(self.server.upload_form(*parts), joined_stream(STREAM, SUMMARY), 'app.trace')
            answer = json.loads(self.server.get(path + '.json').body)
            self.assertEqual(answer['warnings'], [])
            self.assertEqual(answer['facts']['clock'], 'dual')
            self.assertEqual(answer['facts']['listed_methods'], 4)
            folded = self.server.get(path + '/t/1.folded.txt').text
            self.assertEqual(folded, 'com.example.Class0.method0 2\n'
                                     'com.example.Class0.method0;com.example.Class1.method1 1\n')

    def test_in_pieces_of_one_byte(self):
        for parts, whole in [(p, WHOLE) for p in self.both(KEY, DATA)] + \
                [(p, joined_stream(STREAM, SUMMARY)) for p in self.both(SUMMARY, STREAM)]:
            kind, body = form(*parts)
            answer = self.server.upload([body[i:i + 1] for i in range(len(body))], Content_Type=kind)
            self.assert_whole(answer, whole, 'app')

    def test_fields_around(self):
        parts = ('name', None, b'cold'), ('key', 'a.key', KEY), ('expires', None, b'2'), ('data', 'a.data', DATA)
        self.assert_whole(self.server.upload_form(*parts), WHOLE, 'cold')
        self.assert_whole(self.server.upload_form(*parts[::-1]), WHOLE, 'cold')

    def test_fields_without_file_names(self):
        self.assert_whole(self.server.upload_form(('key', None, KEY), ('data', None, DATA)), WHOLE, '')

    def test_form_of_the_page(self):
        page = self.server.get('/', Accept='text/html').text
        self.assertIn('name="key" type="file"', page)
        self.assertIn('name="data" type="file"', page)
        self.assertEqual(self.server.upload_form(*self.both(KEY, DATA)[0], Accept='text/html').status, 303)
        self.assertIn('-F key=@', self.server.get('/').text)

    def test_a_whole_trace_in_one_of_the_fields(self):
        for field in ('key', 'data'):
            for whole in (WHOLE, joined_stream(STREAM, SUMMARY)):
                answer = self.server.upload_form((field, 'x.trace', whole))
                self.assertEqual(answer.status, 201, answer)
                self.assertEqual(self.server.get('/p/%s/raw' % id_of(answer)).body, whole)

    def test_the_other_field_left_empty(self):
        """As a browser sends a form in which one file was not chosen."""
        for parts in (('key', '', b''), ('data', 'x.trace', WHOLE)), (('data', '', b''), ('key', 'x.trace', WHOLE)):
            self.assertEqual(self.server.upload_form(*parts).status, 201)
        answer = self.server.upload_form(('key', '', b''), ('data', '', b''))
        self.assertEqual(answer.status, 400)
        self.assertIn('no file', answer.text)

    def refused(self, *parts, status, said, hint):
        kind, body = form(*parts)
        for sent in (body, [body[i:i + 1] for i in range(len(body))]):
            answer = self.server.upload(sent, Content_Type=kind)
            self.assertEqual(answer.status, status, answer)
            self.assertIn(said, answer.text)
            self.assertIn(hint, answer.text)

    def test_one_half_alone(self):
        self.refused(('key', 'a.key', KEY), status=422, said='key file of a trace in two files', hint='-F data=@')
        self.refused(('data', 'a.data', DATA), status=422, said='data file of a method trace', hint='-F key=@')
        self.refused(('trace', 'a.key', KEY), status=422, said='key file of a trace in two files', hint='-F data=@')

    def test_what_does_not_belong_together(self):
        gzip = b'\x1f\x8b\x08' + bytes(40)
        for key, data, said, hint in ((DATA, KEY, 'exchanged', '-F key=@'),
                                      (SUMMARY, KEY, 'no data file', '-F trace=@'),
                                      (WHOLE, DATA, 'line *end', 'adb pull'), (KEY[:-3], DATA, 'line *end', 'adb pull'),
                                      (b'hello\n' * 9, DATA, 'no key file', '-F key=@'), (b'', DATA, 'no key file', ''),
                                      (KEY, b'SLOW', 'no data file', ''), (KEY, gzip, 'packed', 'Unpack'),
                                      (gzip, DATA, 'packed', 'Unpack'), (KEY, b'', 'no data file', '')):
            for parts in self.both(key, data):
                with self.subTest(said, first=parts[0][0]):
                    self.refused(*parts, status=422, said=said, hint=hint)

    def test_too_many(self):
        key, data = self.both(KEY, DATA)[0]
        for parts in (key, data, key), (data, key, data), (key, key), (data, data), \
                (key, data, ('trace', 'x', WHOLE)), (('trace', 'x', WHOLE), key):
            self.refused(*parts, status=400, said='more than one file', hint='curl')


class Large(ServiceTest):
    CONFIG = {'queue_bytes': '256K', 'open_jobs': 1, 'max_upload_bytes': '20M'}

    def test_more_than_the_queue_holds(self):
        """What waits goes on no faster than it is worked on; a key file may be large, too."""
        whole = large_trace(12_000_000)
        end = whole.index(b'*end\n')
        filler = b''.join(b'0x%x\tcom.example.Filler\tm%d\t()V\n' % (0x100000 + 4 * i, i) for i in range(60000))
        key, data = whole[:end] + filler + b'*end\n', whole[end + 5:]
        for parts in (('key', 'k', key), ('data', 'd', data)), (('data', 'd', data), ('key', 'k', key)):
            answer = self.server.upload_form(*parts)
            self.assertEqual(answer.status, 201, answer)
            self.assertEqual(self.server.get('/p/%s/raw' % id_of(answer)).body, key + data)
        self.assertEqual(self.server.files('tmp'), [])

    def test_what_waits_counts(self):
        for parts in (('data', 'd', DATA + bytes(25_000_000)), ('key', 'k', KEY)), \
                (('key', 'k', KEY + b'\n' * 12_500_000), ('data', 'd', DATA + bytes(12_500_000))):
            answer = self.server.upload_form(*parts)
            self.assertEqual(answer.status, 413, answer)
            self.assertIn('max_upload_bytes', answer.text)


class Broken(ServiceTest):
    def test_cut_at_every_byte(self):
        """Not acknowledged, and nothing of it stays."""
        before = self.server.settled_descriptors()
        for parts in (('key', 'k', KEY), ('data', 'd', DATA[:200])), (('data', 'd', DATA[:200]), ('key', 'k', KEY)):
            kind, body = form(*parts)
            sent = head('POST', '/', 'Content-Type: ' + kind, 'Content-Length: %d' % len(body))
            for cut in range(0, len(body), 37):
                with self.server.connect() as connection:
                    connection.sendall(sent + body[:cut])
                    connection.shutdown(socket.SHUT_WR)
                    connection.recv(4096)
        self.assertEqual(self.server.settled_descriptors(before), before)
        for folder in ('blobs', 'uploads', 'refs', 'tmp'):
            self.assertEqual(self.server.files(folder), [])


if __name__ == '__main__':
    unittest.main()
