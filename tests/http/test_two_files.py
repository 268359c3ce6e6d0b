"""A trace in two files: the service takes it as the one file that it becomes, and tells who sends one half how."""
import json
import struct
import unittest

from support import ServiceTest, binary_header, form, id_of, method_lines, text_part, trace

WHOLE = trace(records=240)
KEY_BYTES = WHOLE.index(b'*end\n') + 5
KEY, DATA = WHOLE[:KEY_BYTES], WHOLE[KEY_BYTES:]

SUMMARY = text_part(3, 'dual', [(1, 'main')], method_lines(4))
STREAM = binary_header(0xF3, 14) + struct.pack('<HBHH', 0, 2, 1, 4) + b'main' + b''.join(
    struct.pack('<HIII', 1, word, at, at) for at, word in enumerate((0, 4, 5, 1)))

REMEDY = 'cat x.key x.data | curl -T - URL/x.trace'


def joined_stream(stream, summary):
    return stream + struct.pack('<HBI', 0, 3, len(summary)) + summary


class TwoFiles(ServiceTest):
    def tearDown(self):
        self.assertTrue(self.server.gets_rid_of('tmp'))

    def test_joined(self):
        """As the manual says: one behind the other."""
        answer = self.server.request('PUT', '/app.trace', KEY + DATA)
        self.assertEqual(answer.status, 201, answer)
        self.assertEqual(self.server.get('/p/%s/raw' % id_of(answer)).body, WHOLE)
        self.assertIn('cat app.key app.data | curl -T - ', self.server.get('/').text)

    def test_a_stream_and_its_summary_joined(self):
        path = '/p/' + id_of(self.stored(joined_stream(STREAM, SUMMARY)))
        answer = json.loads(self.server.get(path + '.json').body)
        self.assertEqual(answer['warnings'], [])
        self.assertEqual(answer['facts']['clock'], 'dual')
        self.assertEqual(answer['facts']['listed_methods'], 4)
        self.assertEqual(self.server.get(path + '/t/1.folded.txt').text,
                         'com.example.Class0.method0 2\ncom.example.Class0.method0;com.example.Class1.method1 1\n')

    def test_a_stream_alone(self):
        """It can be read; the warning says where the summary may be."""
        path = '/p/' + id_of(self.stored(STREAM))
        warnings = json.loads(self.server.get(path + '.json').body)['warnings']
        self.assertIn('no-summary', [w['code'] for w in warnings])
        self.assertIn('.trace.sec', str(warnings))

    def refused(self, *parts, status, said, hint):
        kind, body = form(*parts)
        for sent in (body, [body[i:i + 1] for i in range(len(body))]):
            answer = self.server.upload(sent, Content_Type=kind)
            self.assertEqual(answer.status, status, answer)
            self.assertIn(said, answer.text)
            self.assertIn(hint, answer.text)

    def test_one_half_alone(self):
        for field in ('trace', 'key', 'data'):
            self.refused((field, 'a.key', KEY), status=422, said='key file of a trace in two files', hint=REMEDY)
            self.refused((field, 'a.data', DATA), status=422, said='data file of a method trace', hint=REMEDY)
        self.refused(('trace', 'a.trace.sec', SUMMARY), status=422, said='key file of a trace in two files', hint=REMEDY)

    def test_halves_in_the_wrong_order(self):
        self.refused(('trace', 'a.trace', DATA + KEY), status=422, said='data file of a method trace', hint=REMEDY)

    def test_two_fields(self):
        key, data = ('key', 'a.key', KEY), ('data', 'a.data', DATA)
        for parts in (key, data), (data, key), (key, key), (('trace', 'a.key', KEY), data):
            self.refused(*parts, status=422, said='of a', hint=REMEDY)

    def test_form_of_the_page(self):
        page = self.server.get('/', Accept='text/html').text
        self.assertEqual(page.count('type="file"'), 1)


if __name__ == '__main__':
    unittest.main()
