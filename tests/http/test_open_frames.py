"""Calls that are never left: up to their thread's last record, or, if asked for, up to the end of the trace."""
import json
import re
import struct
import unittest

from support import ServiceTest, binary_header, id_of, method_lines, text_part, trace

OPEN = text_part(3, 'dual', [(1, 'main'), (2, 'other')], method_lines(3)) + binary_header(3, 14) + b''.join(
    struct.pack('<HIII', *record) for record in ((1, 0, 0, 0), (1, 4, 10, 10), (2, 8, 0, 20), (2, 9, 5, 500)))


class OpenFrames(ServiceTest):
    def page(self, content):
        return '/p/' + id_of(self.stored(content))

    def test_outputs(self):
        path = self.page(OPEN)
        stack = 'com.example.Class0.method0 10\n'
        leaf = 'com.example.Class0.method0;com.example.Class1.method1 %d\n'
        self.assertEqual(self.server.get(path + '/t/1.folded.txt').text, stack)
        self.assertEqual(self.server.get(path + '/t/1.folded.txt?open=last').text, stack)
        self.assertEqual(self.server.get(path + '/t/1.folded.txt?open=end').text, stack + leaf % 490)
        self.assertEqual(self.server.get(path + '/t/1.folded.txt?open=end&value=cpu').text, stack)
        whole = json.loads(self.server.get(path + '/t/1.json?open=end').body)
        self.assertEqual(whole['nodes']['total'][0], [500_000, 500_000, 490_000])
        self.assertIn('end of the trace', whole['warnings'][0]['text'])
        plain, extended = (self.server.get(path + '/t/1.svg' + q) for q in ('', '?open=end'))
        self.assertNotEqual(plain['ETag'], extended['ETag'])
        self.assertIn('10 µs', plain.text)
        self.assertIn('500 µs', extended.text)

    def test_totals_of_the_summary_stay(self):
        path = self.page(OPEN)
        self.server.get(path + '/t/1.svg?open=end')
        tracks = json.loads(self.server.get(path + '.json').body)['tracks']
        self.assertEqual({t['id']: t['totals']['wall'] for t in tracks}, {1: 10, 2: 480})

    def test_choice_on_the_page(self):
        """Only where it means something."""
        for content, offered in ((OPEN, True), (trace(), False),
                                 (OPEN.replace(b'clock=dual', b'clock=thread-cpu'), False)):
            page = self.server.get(self.page(content) + '/t/1', Accept='text/html').text
            self.assertEqual('name="open"' in page, offered)
        path = self.page(OPEN)
        page = self.server.get(path + '/t/1?open=end', Accept='text/html').text
        warning = json.loads(self.server.get(path + '.json').body)['warnings'][0]['text']
        named = re.findall('"([^"]+)"', warning)
        self.assertEqual(len(named), 2, warning)
        for words in named:
            self.assertIn(words, page)
        self.assertRegex(page, '<option value="end" selected>')
        self.assertRegex(page, r'href="[./]*p/[a-z2-7]+/t/1\.svg\?[^"]*open=end')

    def test_refused(self):
        path = self.page(OPEN)
        answer = self.server.get(path + '/t/1.svg?open=never')
        self.assertEqual(answer.status, 400)
        self.assertIn('open=never', answer.text)
        path = self.page(OPEN.replace(b'clock=dual', b'clock=thread-cpu'))
        answer = self.server.get(path + '/t/1.svg?open=end')
        self.assertEqual(answer.status, 400)
        self.assertIn('wall time', answer.text)


if __name__ == '__main__':
    unittest.main()
