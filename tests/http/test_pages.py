"""What can be fetched of a stored upload, and the pages that are about none."""
import base64
import hashlib
import html
import json
import os
import re
import unittest
import urllib.parse

from support import ServiceTest, form, id_of, trace
from native import number, text

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
        self.assert_links(self.path, answer.text)
        self.assertNotIn('style=', answer.text)
        self.assertIn('<p id="verdict"><a', answer.text)     # not the room that states of threads need

    def test_words_about_states_have_more_room(self):
        switches = ((1000, 7, 42), (2000, 42, 7))     # when which thread goes, and which comes
        bundle = number(1, 0) + b''.join(
            text(2, number(1, at) + number(2, one) + text(4, number(2, one) + number(4, 1) + text(5, 'x') + number(6, other)))
            for at, one, other in switches)
        path = '/p/' + id_of(self.stored(text(1, text(1, bundle))))
        self.assertIn('<p id="verdict" class="long"><a', self.server.get(path, Accept=HTML).text)

    def assert_links(self, path, page):
        """Relative, all of them, and each leads somewhere on this service."""
        links = {link.replace('&amp;', '&') for link in re.findall(r'(?:href|src)="([^"]*)"', page)}
        self.assertGreater(len(links), 5)
        for link in links:
            self.assertRegex(link, r'\A(?!/|https?:)', link)
            target = urllib.parse.urldefrag(urllib.parse.urljoin(self.server.url + path, link)).url[len(self.server.url):]
            self.assertEqual(self.server.get(target, Accept=HTML).status, 200, link)

    def test_flame_page(self):
        for track in ('1', 'all', 'merged', '1,3'):
            for query in ('', '?value=cpu&view=icicle', '?value=waiting&order=weight&width=700'):
                with self.subTest(track=track, query=query):
                    path = self.path + '/t/' + track
                    page = self.server.get(path + query, Accept=HTML)
                    self.assertEqual((page.status, page['Content-Type']), (200, 'text/html; charset=utf-8'))
                    self.assertIn('Accept', page['Vary'])
                    self.assertNotIn('<style', page.text)
                    picture = self.server.get(path + '.svg' + query).text
                    before = re.sub(r'<style><!\[CDATA\[.*?\]\]></style>\n', '', picture, flags=re.S).split('<script>')[0]
                    behind = page.text.partition(before)[2]
                    still = re.match(r'<foreignObject width="100%" height="100%"><noscript><img src="([^"]*)" alt="Flame graph"></noscript>'
                                     '</foreignObject>\n</g>\n</svg>\n', behind)
                    self.assertIsNotNone(still, behind[:200])
                    same = urllib.parse.urljoin(self.server.url + path, still[1].replace('&amp;', '&'))[len(self.server.url):]
                    self.assertEqual(self.server.get(same).text, picture)
                    self.assert_links(path, page.text)

    def test_flame_page_of_a_view_that_is_not_made_yet(self):
        """Both the summary and the picture are waited for."""
        other = self.stored(trace(threads=2, records=240, salt=7), Prefer='')
        page = self.server.get('/p/%s/t/2?value=cpu&width=777' % id_of(other), Accept=HTML)
        self.assertEqual(page.status, 200)
        self.assertIn(' width="777"', page.text)

    def test_flame_page_errors(self):
        for path, status in (('/t/9', 404), ('/t/x', 400), ('/t/1?view=round', 400), ('/t/1?value=heap', 400),
                             ('/t/1?track=1', 400), ('/t/1%22%3E%3Cscript%3E', 400)):
            with self.subTest(path):
                page = self.get(path, Accept=HTML)
                self.assertEqual(page.status, status)
                self.assertIn('href="../../../"', page.text)
                self.assertIn('href="../../..%s">Back to the profile<' % self.path, page.text)
                self.assertNotIn('<script>', page.text)

    def test_thumb(self):
        for track in ('1', 'all', 'merged'):
            answer = self.get('/t/%s/thumb.svg' % track)
            self.assertEqual((answer.status, answer['Content-Type']), (200, 'image/svg+xml'))
            self.assertLess(len(answer.body), 20_000)
            self.assertNotIn('<text', answer.text)
            self.assertIn("style-src 'sha256-", answer['Content-Security-Policy'])
            self.assertNotIn('frame-ancestors', answer['Content-Security-Policy'])     # a wiki may show it
            self.assertEqual(self.get('/t/%s/thumb.svg' % track, If_None_Match=answer['ETag']).status, 304)
        self.assertEqual(self.get('/t/9/thumb.svg').status, 404)

    def test_the_main_thread_is_shown_first(self):
        """However heavy others are; without one, the heaviest."""
        for names, shown in ((('other', 'main'), 'main'), (('one', 'other'), 'one')):
            text = ''.join('%s;a.b.c %d\n' % (name, 50 - i) for i, name in enumerate(names))
            page = self.server.get('/p/' + id_of(self.server.upload(text.encode())), Accept=HTML).text
            self.assertIn('<span class="shown">', page, shown)

    def test_methods(self):
        """In the workspace, with links to each method; by Accept and suffix as before."""
        for query in ('', '?track=2', '?track=1&value=cpu&sort=-cpu_excl&grep=m', '?group=class', '?group=thread&offset=1'):
            with self.subTest(query):
                page = self.get('/methods' + query, Accept=HTML)
                self.assertEqual((page.status, page['Content-Type']), (200, 'text/html; charset=utf-8'))
                self.assertIn('Accept', page['Vary'])
                self.assert_links(self.path + '/methods', page.text)
        self.assertNotIn('html', self.get('/methods')['Content-Type'])
        self.assertEqual(self.get('/methods.json', Accept=HTML)['Content-Type'], JSON)
        for query in ('?sort=nothing', '?group=x', '?track=x', '?colour=red', '?value=heap'):
            self.assertEqual(self.get('/methods' + query, Accept=HTML).status, 400, query)
        rows = json.loads(self.get('/methods.json?limit=1').text)['rows']
        link = '/m/%s?track=1' % rows[0][0]
        page = self.get(link, Accept=HTML)
        self.assertEqual(page.status, 200)
        self.assertIn('<pre>%s.%s(' % (rows[0][1], rows[0][2]), page.text)
        self.assert_links(self.path + link, page.text)
        self.assertEqual(self.get('/m/000000000000', Accept=HTML).status, 404)

    def test_state_in_the_query(self):
        page = self.get('?value=cpu&view=icicle', Accept=HTML)
        self.assertRegex(page.text, '<option value="cpu"[^>]* selected>')
        self.assertIn('<option value="icicle" selected>', page.text)
        self.assertEqual(self.get('?value=heap', Accept=HTML).status, 400)
        for accept in (HTML, JSON, '*/*'):
            self.assertEqual(self.get('?colour=red', Accept=accept).status, 400)

    def test_choice_of_a_track(self):
        for query, target in (('track=2', 't/2'), ('track=merged&value=wall&view=flame&order=name', 't/merged?value=wall'),
                              ('track=1&value=cpu&view=icicle&min=2', 't/1?value=cpu&view=icicle&min=2'),
                              ('', '../' + self.path[len('/p/'):]), ('value=cpu', '../%s?value=cpu' % self.path[len('/p/'):])):
            answer = self.get('/t?' + query, Accept=HTML)
            self.assertEqual((answer.status, answer['Location']), (303, target))
            there = urllib.parse.urljoin('http://x%s/t' % self.path, target)[len('http://x'):]
            self.assertEqual(self.server.get(there, Accept=HTML).status, 200)
        for query, status in (('track=', 400), ('track=x', 400), ('track=1&view=round', 400),
                              ('track=1%0d%0aX:y', 400), ('track=1&value=a%0d%0aX:y', 400)):
            answer = self.get('/t?' + query, Accept=HTML)
            self.assertEqual(answer.status, status, query)
            self.assertIsNone(answer['X'])

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
        for suffix in ('', '.json', '.html', '/raw', '/t/1.svg', '/t/2.folded.txt', '/t/1.svg?width=901',
                       '/t/9.svg'):
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
        for path in ('/p/' + 'a' * 26, '/p/short', '/p/' + 'A' * 26, '/p/' + 'a' * 26 + '/raw',
                     '/p/x/t/1.svg', '/p/', '/p', '/p/..%2f', self.path + '/nothing', self.path + '/t/1.svg/x',
                     self.path + '.pdf', '/nothing', '//', '/p//raw'):
            with self.subTest(path):
                answer = self.server.get(path, Accept=HTML)
                self.assertIn(answer.status, (404, 400) if '..' in path else (404,))


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
        for query in ('view=round', 'value=heap', 'order=up', 'width=199', 'width=10001', 'width=12x',
                      'min=101',
                      'min=-1', 'colour=red', 'view=', '=x', 'output=svg', 'track=1'):
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

    def test_track_without_suffix_leads_programs_to_its_graph(self):
        for track in ('1', 'all', '1,2'):
            answer = self.get('/t/' + track)
            self.assertEqual(answer.status, 303)
            self.assertEqual(answer['Location'], track + '.svg')
            self.assertIn('Accept', answer['Vary'])
        self.assertEqual(self.get('/t/1?view=icicle&value=cpu')['Location'], '1.svg?value=cpu&view=icicle')

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
            view = '/t/1.svg?width=%d' % (600 + len(body) % 97)
            answer = self.server.request('GET', self.path + view, body)
            self.assertEqual(answer.status, 200)


class ManyThreads(ServiceTest):
    """More than a page names."""
    THREADS = 2500

    def test_every_thread_can_be_found(self):
        path = '/p/' + id_of(self.stored(trace(threads=self.THREADS, records=40 * self.THREADS)))
        self.assertIn(' %d tracks ' % self.THREADS, self.server.get(path + '.txt').text)
        profile = json.loads(self.server.get(path + '.json').text)
        tracks = profile['tracks']
        self.assertEqual(len({track['id'] for track in tracks}), self.THREADS)
        self.assertEqual(profile['whole']['tracks'], self.THREADS)
        for key in ('records', 'calls', 'nodes'):
            self.assertEqual(profile['whole'][key], sum(track[key] for track in tracks))
        for key in ('wall', 'cpu'):
            self.assertEqual(profile['whole']['totals'][key], sum(track['totals'][key] for track in tracks))
        page = self.server.get(path, Accept=HTML).text
        named = re.findall(r'data-track="(\d+)"', page)
        self.assertEqual({int(track) for track in named}, {track['id'] for track in tracks})
        self.assertEqual(len(named), self.THREADS)
        for at in (0, 2000, self.THREADS - 1):
            with self.subTest(at):
                self.assertEqual(tracks[at]['svg'], '%s/t/%d.svg' % (path, tracks[at]['id']))
                page = self.server.get('%s/t/%d' % (path, tracks[at]['id']), Accept=HTML).text
                self.assertIn('aria-current="true">%s <' % tracks[at]['name'], page)


class BehindAProxy(ServiceTest):
    """Under a path of its own, which the proxy takes off: no link may leave it."""
    CONFIG = {'external_url': 'https://tools.example.com/profiles/aflamed'}

    def test_links_stay_below_the_path(self):
        base = self.CONFIG['external_url']
        upload = self.server.upload_form(('trace', 'a.trace', trace(threads=2)), Accept=HTML)
        self.assertTrue(upload['Location'].startswith(base + '/p/'))
        page = urllib.parse.urlsplit(upload['Location'].split('#')[0]).path[len('/profiles/aflamed'):]
        seen = set()
        for path in ('/', '/uploads', page, page + '.html', page + '/delete', page + '/t/1', page + '/t/all', '/nothing',
                     '/p/' + 'a' * 26 + '/t/1', page + '/t/1/x'):
            text = self.server.get(path, Accept=HTML).text
            for link in re.findall(r'(?:href|src|action|data-flame-tree|data-events)="([^"#][^"]*|)"', text):
                target = urllib.parse.urljoin(base + path, link.replace('&amp;', '&'))
                with self.subTest(path=path, link=link):
                    self.assertTrue(target.startswith(base + '/'), target)
                    seen.add(target[len(base):].split('#')[0])
        self.assertGreater(len(seen), 20)
        for target in seen:
            with self.subTest(target):
                self.assertIn(self.server.get(target, Accept=HTML).status, (200, 303, 400, 404, 405))
                if not target.endswith(('/rename', '/mapping', '/t', '/d')):
                    self.assertEqual(self.server.request('HEAD', target, Accept=HTML).status, 200)


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
        links = {'/' + link for link in re.findall(r'static/[^"]+', self.server.get('/', Accept=HTML).text)}
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
        for method, target, allowed in (('DELETE', '/', {'GET', 'HEAD', 'POST'}),
                                        ('OPTIONS', '/', {'GET', 'HEAD', 'POST'}),
                                        ('GET', '/api/v1/profiles', {'POST'}),
                                        ('POST', path, {'GET', 'HEAD', 'DELETE'}),
                                        ('PUT', path, {'GET', 'HEAD', 'DELETE'}),
                                        ('DELETE', path + '/raw', {'GET', 'HEAD'}),
                                        ('DELETE', path + '/delete', {'GET', 'HEAD', 'POST'}),
                                        ('POST', '/healthz', {'GET', 'HEAD'}),
                                        ('BREW', '/version', {'GET', 'HEAD'})):
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
        link = '/' + re.search(r'static/[^"]+', self.server.get('/', Accept=HTML).text).group()
        answers[link] = self.server.get(link)
        for what, answer in answers.items():
            with self.subTest(what):
                self.assertEqual(answer['X-Content-Type-Options'], 'nosniff')
                self.assertIn(answer['Referrer-Policy'], ('no-referrer', 'same-origin'))
                if 'text/html' in answer['Content-Type']:     # its forms say in their Origin that they are ours
                    self.assertEqual(answer['Referrer-Policy'], 'same-origin')
                self.assertIn("default-src 'none'", answer['Content-Security-Policy'] or '')
                self.assertNotIn('unsafe', answer['Content-Security-Policy'])
                if not (answer.status == 200 and '/t/1.' in what):   # which others may get as well
                    self.assertRegex(answer['X-Request-Id'], r'^[0-9a-f]{8}-\d+$')
                self.assertIsNotNone(answer['Cache-Control'])

    def test_negotiated_answers_vary(self):
        path = '/p/' + id_of(self.stored())
        for target in ('/', '/version', path, '/nothing'):
            for accept in ('*/*', HTML, JSON):
                answer = self.server.get(target, Accept=accept)
                self.assertIn('Accept', answer['Vary'] or '', (target, accept))

    def test_pictures_may_use_their_own_code_only(self):
        def digest(text, element):
            code = re.search(r'<%s><!\[CDATA\[(.*?)\]\]></%s>' % (element, element), text, re.S).group(1)
            return "'sha256-%s'" % base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
        path = '/p/' + id_of(self.stored())
        picture, thumb = self.server.get(path + '/t/1.svg'), self.server.get(path + '/t/1/thumb.svg')
        self.assertEqual(picture['Content-Security-Policy'],
                         "default-src 'none'; script-src %s; style-src %s; connect-src 'self'; img-src 'self'; base-uri 'none'; "
                         "form-action 'none'; sandbox allow-scripts" %
                         (digest(picture.text, 'script'), digest(picture.text, 'style')))
        self.assertEqual(thumb['Content-Security-Policy'],
                         "default-src 'none'; style-src %s; base-uri 'none'; form-action 'none'; sandbox" %
                         digest(thumb.text, 'style'))
        self.assertIsNone(picture['Access-Control-Allow-Origin'])

    def test_the_code_of_pictures_as_files(self):
        path = '/p/' + id_of(self.stored())
        picture, page = self.server.get(path + '/t/1.svg').text, self.server.get(path + '/t/1', Accept=HTML).text
        for name, element in (('flame.js', 'script'), ('flame.css', 'style')):
            link = re.search(r'"[./]*(/static/[0-9a-f]+/%s)"' % re.escape(name), page).group(1)
            self.assertIn('<%s><![CDATA[%s]]></%s>' % (element, self.server.get(link).text, element), picture)
        self.assertNotIn('<![CDATA[', page)
        self.assertNotIn('<style', page)
        self.assertIn('<metadata class="d">', page)


if __name__ == '__main__':
    unittest.main()
