"""What can be fetched of a stored upload, and the pages that are about none."""
import hashlib
import json
import re
import unittest

from support import ServiceTest, id_of, token_of, trace

HTML = 'text/html'
JSON = 'application/json'
VIEW_SUFFIXES = {'svg': 'image/svg+xml', 'folded.txt': 'text/plain', 'json': 'application/json'}


class Stored(ServiceTest):
    """One upload with three threads, and what is made of it."""
    CONTENT = trace(threads=3, records=900)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.upload = cls.server.upload_form(('trace', 'a b"ü.trace', cls.CONTENT))
        cls.path = '/p/' + id_of(cls.upload)

    def get(self, suffix, **headers):
        return self.server.get(self.path + suffix, **headers)


class Profile(Stored):
    def test_text(self):
        answer = self.get('', Accept='*/*')
        self.assertEqual((answer.status, answer['Content-Type']), (200, 'text/plain; charset=utf-8'))
        self.assertTrue(answer.text.startswith(self.server.url + self.path + ' '))
        self.assertEqual(answer.text.count('\n'), 1)

    def test_json(self):
        answer = self.get('', Accept=JSON)
        self.assertEqual((answer.status, answer['Content-Type']), (200, JSON))
        result = json.loads(answer.body)
        self.assertEqual(result['sha256'], hashlib.sha256(self.CONTENT).hexdigest())
        self.assertNotIn('token', answer.text)

    def test_html(self):
        answer = self.get('', Accept=HTML)
        self.assertEqual((answer.status, answer['Content-Type']), (200, 'text/html; charset=utf-8'))
        for link in set(re.findall(r'(?:href|src)="(/[^"]*)"', answer.text)):
            self.assertEqual(self.server.get(link.replace('&amp;', '&')).status, 200, link)
        self.assertNotIn('style=', answer.text)

    def test_suffix_wins_over_accept(self):
        for suffix, kind in (('.html', 'text/html'), ('.txt', 'text/plain'), ('.json', 'application/json')):
            for accept in ('*/*', HTML, JSON, 'image/svg+xml'):
                answer = self.get(suffix, Accept=accept)
                self.assertEqual(answer.status, 200)
                self.assertTrue(answer['Content-Type'].startswith(kind))

    def test_preference_of_accept(self):
        for accept, kind in (('application/json;q=0.1, text/html;q=0.9', 'text/html'),
                             ('text/html;q=0.1, application/json', 'application/json'),
                             ('text/html;q=0, */*', 'text/plain'), ('image/png', 'text/plain'),
                             ('', 'text/plain'), (',;,;q="', 'text/plain')):
            self.assertTrue(self.get('', Accept=accept)['Content-Type'].startswith(kind), accept)

    def test_head_has_the_headers_and_no_body(self):
        for suffix in ('', '.json', '.html', '/raw', '/t/1.svg', '/t/2.folded.txt', '/t/1.svg?width=901', '/t/9.svg'):
            with self.subTest(suffix):
                seen = self.server.request('HEAD', self.path + suffix)
                whole = self.get(suffix)
                self.assertEqual((seen.status, seen.body), (whole.status, b''))
                for name in ('Content-Type', 'Content-Length', 'ETag', 'Vary', 'Content-Security-Policy'):
                    self.assertEqual(seen[name], whole[name], name)

    def test_raw(self):
        answer = self.get('/raw')
        self.assertEqual((answer.status, answer.body), (200, self.CONTENT))
        self.assertEqual(answer['Content-Type'], 'application/octet-stream')
        self.assertEqual(answer['Content-Length'], str(len(self.CONTENT)))
        self.assertEqual(answer['Content-Disposition'],
                         "attachment; filename*=UTF-8''a%20b%22%C3%BC.trace")
        self.assertEqual(answer['ETag'], '"%s"' % hashlib.sha256(self.CONTENT).hexdigest())

    def test_unknown(self):
        for path in ('/p/' + 'a' * 26, '/p/short', '/p/' + 'A' * 26, '/p/' + 'a' * 26 + '/raw', '/p/x/t/1.svg',
                     '/p/', '/p', '/p/..%2f', self.path + '/nothing', self.path + '/t', self.path + '/t/1.svg/x',
                     self.path + '.pdf', '/nothing', '//', '/p//raw'):
            with self.subTest(path):
                self.assertIn(self.server.get(path).status, (404, 400) if '..' in path else (404,))


class Views(Stored):
    def test_every_output_of_every_track(self):
        for track in ('1', '2', '3', '1,2', '3,1,2', 'all', 'merged'):
            for suffix, kind in VIEW_SUFFIXES.items():
                with self.subTest(track=track, suffix=suffix):
                    answer = self.get('/t/%s.%s' % (track, suffix))
                    self.assertEqual(answer.status, 200, answer)
                    self.assertTrue(answer['Content-Type'].startswith(kind), answer)
                    self.assertGreater(len(answer.body), 20)

    def test_options_change_the_view(self):
        views = ['/t/1.svg' + q for q in ('', '?view=icicle', '?value=cpu', '?value=calls', '?order=weight',
                                         '?width=800', '?min=5', '?view=icicle&width=800')]
        answers = [self.get(v) for v in views]
        self.assertEqual({a.status for a in answers}, {200})
        self.assertEqual(len({a['ETag'] for a in answers}), len(views))

    def test_defaults_that_are_written_out_are_the_same_view(self):
        self.assertEqual(self.get('/t/1.svg?view=flame&width=1200')['ETag'], self.get('/t/1.svg')['ETag'])

    def test_bad_options(self):
        for query in ('view=round', 'value=heap', 'order=up', 'width=199', 'width=10001', 'width=12x', 'min=101',
                      'min=-1', 'colour=red', 'view=', '=', 'output=svg', 'track=1'):
            with self.subTest(query):
                answer = self.get('/t/1.svg?' + query)
                self.assertEqual(answer.status, 400, answer)
                self.assertIn('\nhint: ', answer.text)

    def test_bad_tracks(self):
        for track, status in (('9', 404), ('1,9', 404), ('x', 400), ('1,', 400), ('-1', 400), ('', 400),
                              ('4294967296', 400), ('1;2', 400), (',', 400)):
            with self.subTest(track):
                self.assertEqual(self.get('/t/%s.svg' % track).status, status)

    def test_unknown_suffix(self):
        self.assertEqual(self.get('/t/1.pdf').status, 404)

    def test_track_without_suffix_leads_to_its_graph(self):
        for track in ('1', 'all', '1,2'):
            answer = self.get('/t/' + track, Accept=HTML)
            self.assertEqual(answer.status, 303)
            self.assertEqual(answer['Location'], track + '.svg')

    def test_redirect_stays_on_this_service(self):
        for name in ('https:elsewhere', 'javascript:alert(1)', '%C3%BC', '%22', '9999999999'):
            with self.subTest(name):
                answer = self.get('/t/' + name)
                self.assertIn(answer.status, (400, 404))
                self.assertIsNone(answer['Location'])

    def test_etag(self):
        for view in ('/t/1.svg', '/t/all.json', '/t/2.folded.txt?value=cpu'):
            first = self.get(view)
            tag = first['ETag']
            self.assertRegex(tag, r'\A"[0-9a-f]{64}"\Z')
            for condition in (tag, 'W/' + tag, '"other", ' + tag, '*'):
                answer = self.get(view, If_None_Match=condition)
                self.assertEqual((answer.status, answer.body, answer['ETag']), (304, b'', tag), condition)
            for condition in ('"other"', '"%s"' % ('0' * 64), '', '"'):
                self.assertEqual(self.get(view, If_None_Match=condition).body, first.body, condition)

    def test_views_say_nothing_of_the_upload(self):
        other = self.stored(self.CONTENT)
        for view in ('/t/1.svg', '/t/1.svg?width=555'):
            one = self.get(view)
            two = self.server.get('/p/%s%s' % (id_of(other), view))
            self.assertEqual((one.body, one['ETag']), (two.body, two['ETag']))
            for secret in (id_of(self.upload), 'ü.trace', '127.0.0.1'):
                self.assertNotIn(secret, one.text)

    def test_get_with_a_body(self):
        """A view that is not made yet is waited for, whatever the request drags along."""
        for body in (b'x', b'x' * 100000):
            answer = self.server.request('GET', self.path + '/t/1.svg?width=%d' % (600 + len(body) % 97), body)
            self.assertEqual(answer.status, 200)


class Deletion(ServiceTest):
    def setUp(self):
        self.upload = self.stored()
        self.path = '/p/' + id_of(self.upload)
        self.token = token_of(self.upload)

    def assert_gone(self):
        for suffix in ('', '.json', '.html', '/raw', '/t/1.svg', '/t/1.svg?width=345', '/delete'):
            self.assertEqual(self.server.get(self.path + suffix).status, 410, suffix)
        again = self.server.request('DELETE', self.path, X_Delete_Token=self.token)
        self.assertEqual(again.status, 410)
        self.assertEqual([f for f in self.server.files('uploads') if id_of(self.upload) in f], [])

    def test_with_the_header(self):
        self.assertEqual(self.server.request('DELETE', self.path, X_Delete_Token=self.token).status, 200)
        self.assert_gone()

    def test_with_the_form(self):
        form = self.server.get(self.upload['X-Delete-URL'][len(self.server.url):], Accept=HTML)
        self.assertEqual(form.status, 200)
        self.assertIn('method="post"', form.text.lower())
        self.assertIn('value="%s"' % self.token, form.text)
        self.assertEqual(self.server.get(self.path).status, 200)
        answer = self.server.request('POST', self.path + '/delete', 'token=' + self.token, Accept=HTML,
                                     Content_Type='application/x-www-form-urlencoded')
        self.assertEqual((answer.status, answer['Content-Type']), (200, 'text/html; charset=utf-8'))
        self.assert_gone()

    def test_without_a_token(self):
        self.assertEqual(self.server.request('DELETE', self.path).status, 401)
        self.assertEqual(self.server.request('POST', self.path + '/delete', '').status, 401)
        self.assertEqual(self.server.get(self.path).status, 200)

    def test_with_a_wrong_token(self):
        for token in ('a' * 26, '', self.token[:-1], self.token + 'a', self.token.upper(), 'ü'.encode()):
            answer = self.server.request('DELETE', self.path, X_Delete_Token=token)
            self.assertEqual(answer.status, 403, token)
        self.assertEqual(self.server.request('POST', self.path + '/delete', 'token=x').status, 403)
        self.assertEqual(self.server.get(self.path).status, 200)

    def test_form_that_is_too_large(self):
        answer = self.server.request('POST', self.path + '/delete', b'token=' + b'a' * 100000)
        self.assertEqual(answer.status, 413)
        self.assertEqual(self.server.get(self.path).status, 200)

    def test_form_shows_a_hostile_token_escaped(self):
        page = self.server.get(self.path + '/delete?token=%22%3E%3Cscript%3E').text
        self.assertNotIn('<script', page)


class Site(ServiceTest):
    def test_home(self):
        manual, page = self.server.get('/'), self.server.get('/', Accept=HTML)
        self.assertEqual((manual.status, manual['Content-Type']), (200, 'text/plain; charset=utf-8'))
        self.assertIn('curl -F trace=@', manual.text)
        self.assertIn(self.server.url, manual.text)
        self.assertEqual((page.status, page['Content-Type']), (200, 'text/html; charset=utf-8'))
        self.assertIn('multipart/form-data', page.text)

    def test_health_and_version(self):
        self.assertEqual(self.server.get('/healthz').text, 'ok\n')
        self.assertRegex(self.server.get('/version').text, r'\Aaflamed \d+\.\d+\.\d+\n\Z')
        self.assertEqual(json.loads(self.server.get('/version', Accept=JSON).body)['name'], 'aflamed')

    def test_static(self):
        links = set(re.findall(r'/static/[^"]+', self.server.get('/', Accept=HTML).text))
        self.assertTrue(links)
        for link in links:
            file = self.server.get(link)
            self.assertEqual(file.status, 200)
            self.assertIn('immutable', file['Cache-Control'])
            digest = link.split('/')[2]
            for wrong in (link.replace(digest, '0' * len(digest)), link + 'x', '/static/' + digest):
                self.assertEqual(self.server.get(wrong).status, 404)

    def test_methods(self):
        path = '/p/' + id_of(self.stored())
        for method, target, allowed in (('DELETE', '/', {'GET', 'HEAD', 'POST'}), ('OPTIONS', '/', {'GET', 'HEAD', 'POST'}),
                                        ('GET', '/api/v1/profiles', {'POST'}),
                                        ('POST', path, {'GET', 'HEAD', 'DELETE'}),
                                        ('PUT', path, {'GET', 'HEAD', 'DELETE'}),
                                        ('DELETE', path + '/raw', {'GET', 'HEAD'}),
                                        ('DELETE', path + '/delete', {'GET', 'HEAD', 'POST'}),
                                        ('POST', '/healthz', {'GET', 'HEAD'}), ('BREW', '/version', {'GET', 'HEAD'})):
            with self.subTest(method=method, target=target):
                answer = self.server.request(method, target)
                self.assertEqual(answer.status, 405, answer)
                self.assertEqual(set(answer['Allow'].split(', ')), allowed)

    def test_protection_on_every_answer(self):
        upload = self.stored()
        path = '/p/' + id_of(upload)
        answers = {'upload': upload, 'refused': self.server.upload(b'not a trace'),
                   'refused as JSON': self.server.upload(b'not a trace', Accept=JSON),
                   'JSON': self.server.upload(trace(), Accept=JSON),
                   'missing': self.server.get('/nothing'), 'method': self.server.request('DELETE', '/')}
        for target in ('/', '/healthz', '/version', path, path + '.json', path + '.html', path + '/raw',
                       path + '/t/1.svg', path + '/t/1.json', path + '/t/1.folded.txt', path + '/t/1',
                       path + '/delete', path + '/t/9.svg'):
            answers[target] = self.server.get(target)
            answers[target + ' as a page'] = self.server.get(target, Accept=HTML)
        link = re.search(r'/static/[^"]+', self.server.get('/', Accept=HTML).text).group()
        answers[link] = self.server.get(link)
        for what, answer in answers.items():
            with self.subTest(what):
                self.assertEqual(answer['X-Content-Type-Options'], 'nosniff')
                self.assertEqual(answer['Referrer-Policy'], 'no-referrer')
                self.assertIn("default-src 'none'", answer['Content-Security-Policy'] or '')
                self.assertNotIn('unsafe', answer['Content-Security-Policy'])
                self.assertTrue(answer['X-Request-Id'].isdigit())
                self.assertIsNotNone(answer['Cache-Control'])

    def test_negotiated_answers_vary(self):
        path = '/p/' + id_of(self.stored())
        for target in ('/', '/version', path, '/nothing'):
            for accept in ('*/*', HTML, JSON):
                self.assertIn('Accept', self.server.get(target, Accept=accept)['Vary'] or '', (target, accept))

    def test_svg_policy_allows_its_own_style_only(self):
        policy = self.server.get('/p/%s/t/1.svg' % id_of(self.stored()))['Content-Security-Policy']
        self.assertRegex(policy, r"style-src 'sha256-[A-Za-z0-9+/=]+'")
        for word in ("base-uri 'none'", "form-action 'none'", 'sandbox'):
            self.assertIn(word, policy)
        self.assertNotIn('script-src', policy)


if __name__ == '__main__':
    unittest.main()
