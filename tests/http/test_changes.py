"""What an owner can do with a stored upload: delete it, change its name and how long it is kept."""
import datetime
import gzip
import json
import re
import time
import unittest
import urllib.parse

from support import ServiceTest, form, id_of, token_of, trace

HTML = 'text/html'
JSON = 'application/json'


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
        """On the page of the question, and on that of the profile, which a script opens for X-Delete-URL."""
        self.assertEqual(self.upload['X-Delete-URL'], '%s%s#delete=%s' % (self.server.url, self.path, self.token))
        for target, action in ((self.path + '/delete', 'delete'), (self.path, '../p/%s/delete' % self.path[3:])):
            page = self.server.get(target, Accept=HTML)
            self.assertEqual(page.status, 200)
            self.assertRegex(page.text, r'<form method="post" action="(./|../)*%s">' % re.escape(action))
        self.assertEqual(self.server.get(self.path).status, 200)
        answer = self.server.request('POST', self.path + '/delete', 'token=' + self.token, Accept=HTML,
                                     Content_Type='application/x-www-form-urlencoded')
        self.assertEqual((answer.status, answer['Content-Type']), (200, 'text/html; charset=utf-8'))
        self.assert_gone()

    def test_without_a_token(self):
        answer = self.server.request('DELETE', self.path)
        self.assertEqual(answer.status, 403)     # and not 401, which must name a scheme to authenticate by
        self.assertIn('delete token missing', answer.text)
        self.assertEqual(self.server.request('POST', self.path + '/delete', '').status, 403)
        self.assertEqual(self.server.get(self.path).status, 200)

    def test_with_a_wrong_token(self):
        for token in ('a' * 26, '', self.token[:-1], self.token + 'a', self.token.upper(), 'ü'.encode()):
            answer = self.server.request('DELETE', self.path, X_Delete_Token=token)
            self.assertEqual(answer.status, 403, token)
        answer = self.server.request('POST', self.path + '/delete', 'token=x', Accept=HTML)
        self.assertEqual(answer.status, 403)
        self.assertIn('href="../..%s">Back to the profile<' % self.path, answer.text)
        self.assertEqual(self.server.get(self.path).status, 200)

    def test_form_that_is_too_large(self):
        answer = self.server.request('POST', self.path + '/delete', b'token=' + b'a' * 100000)
        self.assertEqual(answer.status, 413)
        self.assertEqual(self.server.get(self.path).status, 200)

    def test_no_token_in_an_address(self):
        page = self.server.get(self.path + '/delete?token=' + self.token, Accept=HTML)
        self.assertEqual(page.status, 400)
        self.assertNotIn(self.token, page.text)
        self.assertNotRegex(self.server.get(self.path, Accept=HTML).text, r'<form method="get"[^>]*>(?:(?!</form>).)*token')


class Changes(ServiceTest):
    CONFIG = {'expires_days': 30, 'max_expires_days': 60}

    def setUp(self):
        self.upload = self.stored()
        self.path = '/p/' + id_of(self.upload)
        self.token = token_of(self.upload)

    def change(self, **fields):
        accept = fields.pop('accept', '*/*')
        return self.server.request('POST', self.path + '/rename', urllib.parse.urlencode(fields), Accept=accept)

    def facts(self):
        return json.loads(self.server.get(self.path, Accept=JSON).body)

    def days_left(self):
        end = datetime.datetime.strptime(self.facts()['expires'], '%Y-%m-%dT%H:%M:%SZ')
        return (end - datetime.datetime.utcnow()).total_seconds() / 86400

    def test_own_code(self):
        def app():
            return json.loads(self.server.get(self.path + '.json').text)['app']
        guessed = app()
        self.assertEqual(self.change(token=self.token, app='java.util,org.json').status, 200)
        self.assertEqual(app(), ['java.util', 'org.json'])
        self.assertEqual(json.loads(self.server.get(self.path + '/verdict.json').text)['app'], ['java.util', 'org.json'])
        self.assertEqual(json.loads(self.server.get(self.path + '/verdict.json?app=com.foo').text)['app'], ['com.foo'])
        page = self.server.get(self.path, Accept='text/html').text
        self.assertIn('value="java.util,org.json"', page)
        for wrong in ('java..util', 'com.foo\u200e', '\ufeffcom.foo'):
            self.assertEqual(self.change(token=self.token, app=wrong).status, 400)
        self.assertEqual(self.change(token=self.token, name='other').status, 200)
        self.assertEqual(app(), ['java.util', 'org.json'], 'another change leaves it')
        self.assertEqual(self.change(token=self.token, app='').status, 200)
        self.assertEqual(app(), guessed)

    def test_name(self):
        self.assertEqual(self.change(token=self.token, name='cold start & <b>ü</b>').status, 200)
        self.assertEqual(self.facts()['name'], 'cold start & <b>ü</b>')
        self.assertAlmostEqual(self.days_left(), 30, delta=0.1)
        for name, shown in (('x' * 300, 'x' * 255), ('', ''), ('ü' * 200, 'ü' * 127), ('a\0b', 'a␀b'), ('\0', '␀'),
                            ('\0' * 300, '␀' * 85), ('\x1b[2J', '␛[2J')):
            self.assertEqual(self.change(token=self.token, name=name).status, 200)
            self.assertEqual(self.facts()['name'], shown)

    def test_expiry(self):
        for days in ('1', '59', ' 7 '):
            self.assertEqual(self.change(token=self.token, expires=days).status, 200)
            self.assertAlmostEqual(self.days_left(), int(days), delta=0.1)
        for days in ('0', '-1', '61', 'x', '1.5', '99999999999999999999'):
            self.assertEqual(self.change(token=self.token, name='n', expires=days).status, 400, days)
        self.assertAlmostEqual(self.days_left(), 7, delta=0.1)
        self.assertNotEqual(self.facts()['name'], 'n')
        self.assertEqual(self.change(token=self.token, expires='').status, 200)

    def test_token(self):
        self.assertEqual(self.change(name='x').status, 403)
        for token in ('', 'a' * 26, self.token + 'a'):
            self.assertEqual(self.change(token=token, name='x').status, 403)
        self.assertNotEqual(self.facts()['name'], 'x')

    def test_takes_what_an_upload_takes(self):
        fields = {'token': self.token, 'name': 'by form', 'expires': '12h'}
        kind, body = form(*[(name, None, value.encode()) for name, value in fields.items()])
        self.assertEqual(self.server.request('POST', self.path + '/rename', body, Content_Type=kind).status, 200)
        self.assertEqual(self.facts()['name'], 'by form')
        self.assertAlmostEqual(self.days_left(), 0.5, delta=0.1)
        answer = self.server.request('POST', self.path + '/rename?name=by%20query&expires=3d', '', X_Delete_Token=self.token)
        self.assertEqual(answer.status, 200)
        self.assertEqual(self.facts()['name'], 'by query')
        self.assertAlmostEqual(self.days_left(), 3, delta=0.1)
        self.assertEqual(self.change(token=self.token, name='n' * 60000).status, 200)
        self.assertEqual(self.facts()['name'], 'n' * 255)
        for wrong in ('61d', '1441h', '0h', 'h', '7m'):
            self.assertEqual(self.change(token=self.token, expires=wrong).status, 400, wrong)
        self.assertEqual(self.server.request('POST', self.path + '/rename', body[:-20], Content_Type=kind).status, 400)

    def test_only_of_a_form_as_it_is_read(self):
        fields = {'token': self.token, 'name': 'x'}
        plain = urllib.parse.urlencode(fields).encode()
        urlencoded = 'application/x-www-form-urlencoded'
        for target in ('/rename', '/delete'):
            for kind, sent in ((JSON, json.dumps(fields)), ('text/plain', plain), (urlencoded + 'x', plain)):
                answer = self.server.request('POST', self.path + target, sent, Content_Type=kind)
                self.assertEqual((answer.status, answer['Accept']), (415, urlencoded + ', multipart/form-data'), kind)
                self.assertIn(urlencoded, answer.text)
            for coding, sent in (('gzip', gzip.compress(plain)), ('br', plain), ('gzip, gzip', plain)):
                answer = self.server.request('POST', self.path + target, sent, Content_Type=urlencoded,
                                             Content_Encoding=coding)
                self.assertEqual((answer.status, answer['Accept-Encoding']), (415, 'identity'), coding)
        self.assertNotEqual(self.facts()['name'], 'x')
        for kind in (urlencoded, urlencoded.upper(), urlencoded + '; charset=UTF-8', urlencoded + ' ;x', ''):
            answer = self.server.request('POST', self.path + '/rename', plain, Content_Type=kind,
                                         Content_Encoding='identity')
            self.assertEqual(answer.status, 200, kind)

    def test_form_of_a_browser(self):
        answer = self.change(token=self.token, name='x', accept=HTML)
        self.assertEqual((answer.status, answer['Location']), (303, '../' + id_of(self.upload)))

    def test_deleted(self):
        self.assertEqual(self.server.request('DELETE', self.path, X_Delete_Token=self.token).status, 200)
        self.assertEqual(self.change(token=self.token, name='x').status, 410)

    def test_changes_survive_a_restart(self):
        self.assertEqual(self.change(token=self.token, name='kept').status, 200)
        self.server.kill()
        self.server.start()
        self.assertEqual(self.facts()['name'], 'kept')


class NoLonger(ServiceTest):
    CONFIG = {'expires_days': 1, 'max_expires_days': 1}

    def test_what_is_kept_for_as_long_as_may_be(self):
        upload = self.stored()
        time.sleep(1.1)     # less than a day is left
        path = '/p/%s/rename' % id_of(upload)
        last = self.facts_of(upload)['expires']
        answer = self.server.request('POST', path, urllib.parse.urlencode({'token': token_of(upload), 'expires': 2}))
        self.assertEqual(answer.status, 400)
        self.assertIn('1 more at most', answer.text)
        answer = self.server.request('POST', path, urllib.parse.urlencode({'token': token_of(upload), 'expires': '1h'}))
        self.assertEqual(answer.status, 200)
        self.assertLess(self.facts_of(upload)['expires'], last)
        answer = self.server.request('POST', path, urllib.parse.urlencode({'token': token_of(upload), 'expires': 1}))
        self.assertEqual(answer.status, 200)                # the day that is not whole any more, to its end
        self.assertEqual(self.facts_of(upload)['expires'], last)

    def facts_of(self, upload):
        return json.loads(self.server.get('/p/%s.json' % id_of(upload)).body)


class Token(ServiceTest):
    """A browser's form has no other way to the delete token than the address."""

    def test_form_upload(self):
        answer = self.server.upload_form(('trace', 'a.trace', trace()), Accept=HTML)
        self.assertEqual(answer.status, 303)
        page, token = answer['Location'].split('#token=')
        self.assertRegex(token, r'\A[a-z2-7]{26}\Z')
        self.assertEqual(token, token_of(answer))
        self.assertEqual(self.server.get(page[len(self.server.url):], Accept=HTML).status, 200)

    def test_others_get_a_plain_address(self):
        for accept in ('*/*', JSON):
            self.assertNotIn('#', self.server.upload_form(('trace', 'a.trace', trace()), Accept=accept)['Location'])


if __name__ == '__main__':
    unittest.main()
