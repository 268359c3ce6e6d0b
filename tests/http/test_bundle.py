"""The page that is one file: what is in it, and that it asks nobody."""
import base64
import gzip
import hashlib
import html
import json
import re
import unittest

from support import ServiceTest, id_of, trace

HTML = 'text/html'


def parts_of(page):
    """The packed texts of a page, by name."""
    found = re.findall(r'<script type="application/octet-stream" id="part-([a-z0-9-]+)">([A-Za-z0-9+/=]*)</script>', page)
    return {name: gzip.decompress(base64.b64decode(text)).decode() for name, text in found}


class Bundle(ServiceTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.path = '/p/' + id_of(cls.server.upload_form(('trace', 'a <b>&"ü.trace', trace(threads=3, records=900))))
        cls.answer = cls.server.get(cls.path + '/bundle.html')
        cls.page = cls.answer.text

    def test_it_is_a_file_to_keep(self):
        self.assertEqual((self.answer.status, self.answer['Content-Type']), (200, 'text/html; charset=utf-8'))
        self.assertEqual(self.answer['Content-Disposition'], "attachment; filename*=UTF-8''a%20%3Cb%3E&%22%C3%BC.trace.html")
        self.assertEqual(self.answer['Content-Security-Policy'], "default-src 'none'; sandbox")
        self.assertIn('bundle.html">The whole page as one file</a>', self.server.get(self.path, Accept=HTML).text)

    def test_everything_is_in_it(self):
        parts = parts_of(self.page)
        ids = [track['id'] for track in json.loads(self.server.get(self.path + '.json').body)['tracks']]
        self.assertEqual(list(parts), ['lanes', 'methods'] + ['picture-%d' % each for each in ids])
        for each in ids:
            whole = self.server.get('%s/t/%d.svg' % (self.path, each)).text
            self.assertTrue(parts['picture-%d' % each].split('<metadata')[1].split('</metadata')[0] in whole, each)
            self.assertFalse('<script' in parts['picture-%d' % each], each)
            self.assertTrue('<option value="%d">' % each in self.page, each)
        self.assertEqual(json.loads(parts['methods'])['rows'], json.loads(self.server.get(self.path + '/methods.json').body)['rows'])
        self.assertEqual([lane['track'] for lane in json.loads(parts['lanes'])['lanes']],
                         [lane['track'] for lane in json.loads(self.server.get(self.path + '/lanes.json?width=4000').body)['lanes']])
        said = html.unescape(re.search('<div id="sentences".*?</div>', self.page, re.S)[0])
        for sentence in json.loads(self.server.get(self.path + '/verdict.json').body)['sentences']:
            self.assertTrue(sentence['text'] in said, sentence['text'])

    def test_it_loads_nothing(self):
        policy = re.search('http-equiv="Content-Security-Policy" content="([^"]*)"', self.page)[1]
        self.assertTrue(policy.startswith("default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'unsafe-inline'; script-src 'sha256-"))
        scripts = re.findall(r'<script(?: type="module")?>(.*?)</script>', self.page, re.S)
        self.assertEqual(policy.split('script-src ')[1].split(),
                         ["'sha256-%s'" % base64.b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in scripts])
        without = re.sub(r'<(script|style).*?</\1>', '', self.page, flags=re.S)
        self.assertEqual(re.findall(r'(?:src|href|action|url)\s*[=(]', without), [])
        self.assertFalse(self.server.url in self.page or self.path[3:] in self.page)

    def test_what_needs_the_service_is_not_in_it(self):
        for words in ('Delete', 'Share', 'Compare', 'Upload</a>', 'Log in', 'delete_token', '<form'):
            self.assertFalse(words in re.sub(r'<script.*?</script>', '', self.page, flags=re.S), words)

    def test_names_are_escaped(self):
        self.assertEqual(re.search('<title>(.*)</title>', self.page)[1], 'a &lt;b&gt;&amp;&#34;ü.trace - aflamed')
        self.assertFalse('a <b>' in self.page)

    def test_the_same_again(self):
        self.assertEqual(self.server.get(self.path + '/bundle.html').body, self.answer.body)
        self.assertEqual(self.server.get(self.path + '/bundle.html', If_None_Match=self.answer['ETag']).status, 304)
        head = self.server.request('HEAD', self.path + '/bundle.html')
        self.assertEqual((head.status, head['Content-Length'], head.body), (200, str(len(self.answer.body)), b''))
        self.assertEqual(self.server.get(self.path + '/bundle.html?value=cpu').status, 400)

    def test_a_profile_without_times(self):
        path = '/p/' + id_of(self.server.upload_form(('trace', 'x.folded', b'main;a;b 10\nmain;</script><script>alert(1)</script> 5\n')))
        page = self.server.get(path + '/bundle.html').text
        parts = parts_of(page)
        self.assertEqual([name.split('-')[0] for name in parts], ['methods', 'picture'])
        self.assertFalse('id="lanes"' in page)
        self.assertFalse('<script>alert' in page)

    def test_what_is_not_there(self):
        self.assertEqual(self.server.get('/p/' + 'a' * 26 + '/bundle.html').status, 404)


class Small(ServiceTest):
    CONFIG = {'view_memory_bytes': '64K'}

    def test_too_much_for_the_service_is_said(self):
        path = '/p/' + id_of(self.stored(trace(threads=8, records=5000, methods=200)))
        answer = self.server.get(path + '/bundle.html')
        self.assertEqual(answer.status, 413)
        self.assertIn('view too large', answer.text)


if __name__ == '__main__':
    unittest.main()
