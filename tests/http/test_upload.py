"""Ways to upload, and what is answered."""
import datetime
import hashlib
import json
import re
import unittest
import urllib.parse

from support import ServiceTest, form, head, id_of, read_answers, token_of, trace

BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'
ID = r'[a-z2-7]{26}'


class Ways(ServiceTest):
    def assert_stored(self, answer, content, name=None):
        """The answer of the curl form, and that what it promises is there."""
        self.assertEqual(answer.status, 201, answer)
        self.assertRegex(answer.text, r'\A%s/p/%s\n\Z' % (re.escape(self.server.url), ID))
        self.assertEqual(answer['Location'] + '\n', answer.text)
        path = '/p/' + id_of(answer)
        self.assertEqual(self.server.get(path + '/raw').body, content)
        if name is not None:
            self.assertEqual(json.loads(self.server.get(path + '.json').body)['name'], name)

    def test_form_of_curl(self):
        answer = self.server.upload_form(('trace', 'app.trace', trace()), Accept='*/*')
        self.assert_stored(answer, trace(), 'app.trace')
        self.assertEqual(answer['Content-Type'], 'text/plain; charset=utf-8')
        self.assertEqual(answer['Cache-Control'], 'no-store')
        self.assertIn('Accept', answer['Vary'])

    def test_any_field_may_hold_the_file(self):
        for field in ('trace', 'file', 'upload', 'f', ''):
            with self.subTest(field):
                self.assert_stored(self.server.upload_form((field, 'x.trace', trace())), trace(), 'x.trace')

    def test_trace_field_without_a_file_name(self):
        self.assert_stored(self.server.upload_form(('trace', None, trace())), trace(), '')

    def test_form_of_a_browser(self):
        answer = self.server.upload_form(('name', None, b''), ('expires', None, b'30'),
                                         ('trace', 'my trace.trace', trace()), Accept=BROWSER)
        self.assertEqual(answer.status, 303, answer)
        page = self.server.get('/p/' + id_of(answer), Accept=BROWSER)
        self.assertEqual(page.status, 200)
        self.assertIn('my trace.trace', page.text)

    def test_name_field_wins_over_the_file_name_wherever_it_stands(self):
        name, file = ('name', None, 'Start of the app – cold'.encode()), ('trace', 'x.trace', trace())
        for parts in ((name, file), (file, name)):
            answer = self.server.upload_form(*parts)
            self.assert_stored(answer, trace(), 'Start of the app – cold')

    def test_raw_body(self):
        for kind in ('application/octet-stream', 'application/x-www-form-urlencoded', 'text/plain'):
            self.assert_stored(self.server.upload(trace(), Content_Type=kind), trace(), '')
        self.assert_stored(self.server.upload(trace(), '/?name=by%20query'), trace(), 'by query')

    def test_put(self):
        answer = self.server.request('PUT', '/some%20app.trace', trace())
        self.assert_stored(answer, trace(), 'some app.trace')

    def test_put_takes_a_multipart_type_as_a_raw_body(self):
        kind, _ = form()
        self.assert_stored(self.server.request('PUT', '/x.trace', trace(), Content_Type=kind), trace())

    def test_api_path(self):
        self.assert_stored(self.server.upload(trace(), '/api/v1/profiles'), trace())
        answer = self.server.upload_form(('f', 'x', trace()), target='/api/v1/profiles')
        self.assert_stored(answer, trace(), 'x')

    def test_chunked(self):
        content = trace(records=3000)
        for size in (1, 7, 4096, 100000):
            pieces = [content[i:i + size] for i in range(0, len(content), size)][:20000]
            self.assert_stored(self.server.upload(pieces), b''.join(pieces))

    def test_chunked_form(self):
        kind, body = form(('trace', 'x.trace', trace()))
        pieces = [body[i:i + 11] for i in range(0, len(body), 11)]
        self.assert_stored(self.server.upload(pieces, Content_Type=kind), trace(), 'x.trace')

    def test_expect_continue(self):
        with self.server.connect() as connection:
            connection.sendall(head('POST', '/', 'Content-Length: %d' % len(trace()), 'Expect: 100-continue'))
            self.assertTrue(connection.recv(4096).startswith(b'HTTP/1.1 100 '))
            connection.sendall(trace())
            self.assertEqual(read_answers(connection)[0].status, 201)

    def test_two_uploads_on_one_connection(self):
        one = head('POST', '/', 'Content-Length: %d' % len(trace())) + trace()
        self.assertEqual([a.status for a in self.server.raw(one * 2, ('POST', 'POST'))], [201, 201])

    def test_every_version_of_the_format(self):
        for version, clock in ((1, 'global'), (1, 'thread-cpu'), (2, 'global'), (2, 'thread-cpu'),
                               (3, 'dual'), (3, 'wall'), (3, 'thread-cpu')):
            with self.subTest(version=version, clock=clock):
                content = trace(version=version, clock=clock, threads=3, records=300)
                answer = self.server.upload(content, Accept='application/json')
                self.assertEqual(answer.status, 201, answer)
                result = json.loads(answer.body)
                self.assertEqual((len(result['tracks']), result['warnings']), (3, []))

    def test_folded_stacks(self):
        self.assert_stored(self.server.upload(b'main;a 3\nmain;b 4\n'), b'main;a 3\nmain;b 4\n')

    def test_hostile_names_are_cleaned_and_escaped(self):
        name = '"><script>alert(1)</script>\u202e\x1b[31m\x00\x7f'
        answer = self.server.upload_form(('name', None, name.encode()), ('trace', 'x', trace()))
        path = '/p/' + id_of(answer)
        shown = json.loads(self.server.get(path + '.json').body)['name']
        page, line = self.server.get(path + '.html').text, self.server.get(path + '.txt').text
        self.assertEqual(shown, '"><script>alert(1)</script>\ufffd␛[31m␀␡')
        self.assertNotIn('<script>', page)
        for text in (shown, page, line):
            self.assertFalse(set(text) & set('\u202e\x1b\x00\x7f'), text)
        self.assertEqual(line.count('\n'), 1)

    def test_name_that_is_not_utf8(self):
        answer = self.server.upload_form(('name', None, b'a\xff\xfe\xc3'), ('trace', 'x', trace()))
        shown = json.loads(self.server.get('/p/%s.json' % id_of(answer)).body)['name']
        self.assertTrue(shown.startswith('a'), shown)

    def test_long_names_are_cut_alike(self):
        for name, shown in (('x' * 255, 'x' * 255), ('x' * 300, 'x' * 255), ('x' * 600, 'x' * 255),
                            ('ü' * 300, 'ü' * 127), ('x' * 60_000, 'x' * 255)):
            answers = [self.server.upload_form(('name', None, name.encode()), ('trace', 'x', trace()))]
            if len(name) <= 600:
                query = urllib.parse.quote(name)
                answers.append(self.server.upload_form(('trace', name, trace())))
                answers.append(self.server.upload(trace(), '/?name=' + query))
                answers.append(self.server.request('PUT', '/' + query, trace()))
            for answer in answers:
                self.assertEqual(answer.status, 201, answer)
                self.assertEqual(json.loads(self.server.get('/p/%s.json' % id_of(answer)).body)['name'], shown)

    def test_other_fields_have_a_limit(self):
        for field, most in (('expires', 512), ('member', 65536)):
            answer = self.server.upload_form((field, None, b'1' * (most + 1)), ('trace', 'x', trace()))
            self.assertEqual(answer.status, 400)
            self.assertIn('form field too long', answer.text)
            self.assertIn('hint: Shorten', answer.text)

    def test_base_of_links_is_the_host_that_was_asked(self):
        sent = head('POST', '/', 'Content-Length: %d' % len(trace()), host='flames.example:80') + trace()
        self.assertTrue(self.server.raw(sent)[0].text.startswith('http://flames.example:80/p/'))


class Answers(ServiceTest):
    def test_json(self):
        content = trace(threads=2, records=200)
        answer = self.server.upload_form(('trace', 'x.trace', content), Accept='application/json')
        self.assertEqual((answer.status, answer['Content-Type']), (201, 'application/json'))
        self.assertIn('Accept', answer['Vary'])
        result = json.loads(answer.body)
        self.assertEqual(result['url'], answer['Location'])
        self.assertEqual(result['id'], id_of(answer))
        self.assertEqual(result['delete_token'], token_of(answer))
        self.assertEqual((result['name'], result['size']), ('x.trace', len(content)))
        self.assertEqual(result['sha256'], hashlib.sha256(content).hexdigest())
        self.assertEqual(result['warnings'], [])
        self.assertEqual([(v['name'], v['unit']) for v in result['values'][:2]],
                         [('wall', 'us'), ('cpu', 'us')])
        self.assertEqual({t['id'] for t in result['tracks']}, {1, 2})
        for track in result['tracks']:
            self.assertEqual(set(track) >= {'id', 'name', 'calls', 'totals', 'nodes', 'svg'}, True, track)
            self.assertEqual(self.server.get(track['svg']).status, 200)
        weights = [t['totals']['wall'] for t in result['tracks']]
        self.assertEqual(weights, sorted(weights, reverse=True))
        again = json.loads(self.server.get('/p/' + result['id'], Accept='application/json').body)
        self.assertNotIn('delete_token', again)
        self.assertEqual(again, {k: v for k, v in result.items() if k != 'delete_token'})

    def test_expiry(self):
        for text, days in ((b'', 30), (b'7', 7), (b'7d', 7), (b'12h', 0.5), (b' 1 ', 1)):
            with self.subTest(text):
                answer = self.server.upload_form(('expires', None, text), ('trace', 'x', trace()))
                self.assertEqual(answer.status, 201, answer)
                end = datetime.datetime.fromisoformat(answer['X-Expires'].replace('Z', '+00:00'))
                left = end - datetime.datetime.now(datetime.timezone.utc)
                self.assertAlmostEqual(left.total_seconds(), days * 86400, delta=60)

    def test_bad_expiry_is_refused(self):
        for text in (b'0', b'-1', b'soon', b'366', b'8761h', b'99999999999999999999', b'h', b'1w'):
            with self.subTest(text):
                answer = self.server.upload_form(('trace', 'x', trace()), ('expires', None, text))
                self.assertEqual(answer.status, 400, answer)
                self.assertIn('max_expires_days', answer.text)

    def test_an_output_instead_of_a_link(self):
        content = trace(threads=3, records=600)
        for query, kind, begins in (('output=svg', 'image/svg+xml', b'<'),
                                    ('output=folded', 'text/plain', b''),
                                    ('output=json', 'application/json', b'{')):
            answer = self.server.upload_form(('trace', 'x', content), target='/?' + query)
            self.assertEqual(answer.status, 201, answer)
            self.assertTrue(answer['Content-Type'].startswith(kind), answer)
            self.assertTrue(answer.body.startswith(begins))
            self.assertTrue(answer['X-Delete-URL'].startswith(answer['Location'] + '#delete='))
        answer = self.server.upload(content, Accept='image/svg+xml')
        self.assertEqual((answer.status, answer['Content-Type']), (201, 'image/svg+xml'))
        self.assertIn(b'<svg', answer.body)

    def test_view_options_of_the_output(self):
        content = trace(threads=3, records=600)
        path = '/p/' + id_of(self.stored(content))
        for query, view in (('output=svg&track=2', '/t/2.svg'),
                            ('output=svg&track=2&view=icicle&value=cpu', '/t/2.svg?view=icicle&value=cpu'),
                            ('output=folded&track=all', '/t/all.folded.txt'),
                            ('output=json&track=1,3&order=weight', '/t/1,3.json?order=weight'),
                            ('output=svg&track=merged&name=n&expires=3', '/t/merged.svg')):
            with self.subTest(query):
                answer = self.server.upload(content, '/?' + query)
                self.assertEqual(answer.status, 201, answer)
                self.assertEqual(answer.body, self.server.get(path + view).body)

    def test_bad_view_options_are_refused_before_the_body(self):
        before = self.server.files('')
        for query in ('output=nothing', 'output=svg&view=round', 'output=svg&track=x', 'colour=red',
                      'track=', 'expires=soon', 'name=x&expires=366'):
            with self.subTest(query):
                sent = head('POST', '/?' + query, 'Content-Length: 100000')
                self.assertEqual(self.server.raw(sent)[0].status, 400)
        self.assertEqual(self.server.files(''), before)

    def test_equal_bytes_are_deleted_apart(self):
        content = trace(salt=4711)
        one, two = self.stored(content), self.stored(content)
        self.assertNotEqual(id_of(one), id_of(two))
        self.assertNotEqual(token_of(one), token_of(two))
        deleted = self.server.request('DELETE', '/p/' + id_of(one), X_Delete_Token=token_of(one))
        self.assertEqual(deleted.status, 200)
        self.assertEqual([f for f in self.server.files('bytes') if id_of(one) in f or id_of(two) in f], ['bytes/' + id_of(two)])
        self.assertEqual(self.server.get('/p/%s/raw' % id_of(one)).status, 410)
        self.assertEqual(self.server.get('/p/%s/raw' % id_of(two)).body, content)
        self.assertEqual(self.server.get('/p/%s/t/1.svg?width=777' % id_of(two)).status, 200)

    def test_token_of_one_upload_does_not_delete_another(self):
        one, two = self.stored(), self.stored()
        refused = self.server.request('DELETE', '/p/' + id_of(one), X_Delete_Token=token_of(two))
        self.assertEqual(refused.status, 403)
        self.assertEqual(self.server.get('/p/' + id_of(one)).status, 200)


if __name__ == '__main__':
    unittest.main()
