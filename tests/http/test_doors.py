"""Doors: who asks, by token, session or proxy; what each scope lets in, for every route of the table; what the team may
read; who owns an upload."""
import base64
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
import urllib.parse

import support
from support import Server, ServiceTest, form, id_of, trace

HTML, JSON = 'text/html', 'application/json'
FORM = 'application/x-www-form-urlencoded'
SCOPES = ('upload', 'read', 'change', 'delete', 'admin')


def token_command(*arguments, status=0):
    done = subprocess.run([support.AFLAMED, 'token', *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=support.TIMEOUT_S)
    if done.returncode != status:
        raise AssertionError('token %r: %d %s' % (arguments, done.returncode, done.stderr))
    return done.stdout + done.stderr


class Tokens:
    """A file of tokens in a folder of its own."""
    def __init__(self, test):
        folder = tempfile.mkdtemp(prefix='aflamed-http-')
        test.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
        self.path = os.path.join(folder, 'tokens')

    def new(self, name, scope='upload,read'):
        return token_command('new', name, '--scope', scope, '--tokens-file', self.path).splitlines()[-1]


def bearer(token):
    return {'Authorization': 'Bearer ' + token}


def basic(user, token):
    return {'Authorization': 'Basic ' + base64.b64encode(('%s:%s' % (user, token)).encode()).decode()}


class DoorsTest(ServiceTest):
    """A service with tokens: of ann and bob, and one of each scope alone, named by it."""
    CONFIG = {}

    @classmethod
    def setUpClass(cls):
        cls.tokens = Tokens(cls)
        cls.ann, cls.bob = cls.tokens.new('ann'), cls.tokens.new('bob')
        cls.of = {scope: cls.tokens.new(scope + '-only', scope) for scope in SCOPES}
        cls.server = support.ServiceFailure.server = Server(tokens_file=cls.tokens.path, **cls.CONFIG)
        cls.addClassCleanup(cls.end)

    def uploaded(self, token, **fields):
        parts = [(name, None, value.encode()) for name, value in fields.items()]
        kind, body = form(*parts, ('trace', 'x.trace', trace()))
        answer = self.server.request('POST', '/', body, Content_Type=kind, **bearer(token))
        self.assertEqual(answer.status, 201, answer.text)
        return '/p/' + id_of(answer)

    def session(self, token, **headers):
        body = urllib.parse.urlencode({'token': token, 'next': ''})
        answer = self.server.request('POST', '/login', body, Content_Type=FORM, **headers)
        self.assertEqual(answer.status, 303, answer.text)
        return answer['Set-Cookie'].split(';')[0]


class Who(DoorsTest):
    def test_a_token_comes_in_three_ways(self):
        for headers in (bearer(self.ann), basic('ann', self.ann), basic('', self.ann),
                        {'Cookie': 'other=1; ' + self.session(self.ann)}):
            answer = self.server.request('POST', '/', trace(), Origin=self.server.url, Accept=JSON, **headers)
            self.assertEqual(answer.status, 201, headers)
            self.assertEqual(json.loads(answer.body)['owner'], 'ann')

    def test_what_is_no_token_is_refused(self):
        for headers in (bearer('aflamed_' + 'a' * 26), bearer(''), bearer('x' * 5000), basic('ann', 'ann'),
                        {'Authorization': 'Digest x'}, {'Authorization': 'Basic !!!!'}, {'Authorization': ''},
                        {'Cookie': 'aflamed_session=1.2.3'}):
            answer = self.server.request('POST', '/', trace(), Origin=self.server.url, **headers)
            self.assertEqual(answer.status, 401, headers)
            self.assertRegex(answer['WWW-Authenticate'], '^Basic realm=')
            self.assertIn('hint: ', answer.text)

    def test_a_token_is_nowhere_but_with_its_owner(self):
        path = self.uploaded(self.ann)
        cookie = self.session(self.ann)
        self.server.get(path, Accept=HTML, Cookie=cookie)
        self.server.get('/?token=' + self.ann)
        self.assertNotIn(self.ann, self.server.log())
        self.assertNotIn(cookie.split('=')[1], self.server.log())
        for folder, _, names in os.walk(self.server.store):
            for name in names:
                with open(os.path.join(folder, name), 'rb') as file:
                    self.assertNotIn(self.ann.encode(), file.read(), name)
        with open(self.tokens.path) as file:
            self.assertNotIn(self.ann, file.read())

    def test_a_changed_file_is_taken_and_a_broken_one_is_not(self):
        token = self.tokens.new('zoe')
        self.assertTrue(support.eventually(lambda: self.server.get('/login?prompt=1', **bearer(token)).status == 303))
        cookie = self.session(token)
        self.assertEqual(self.server.get('/login?prompt=1', Cookie=cookie).status, 303)
        token_command('revoke', 'zoe', '--tokens-file', self.tokens.path)
        self.assertTrue(support.eventually(lambda: self.server.get('/login?prompt=1', **bearer(token)).status == 401))
        self.assertEqual(self.server.get('/login?prompt=1', Cookie=cookie).status, 401)
        with open(self.tokens.path) as file:
            good = file.read()
        before = self.server.log()
        with open(self.tokens.path, 'w') as file:
            file.write('ann everything\n')
        self.assertTrue(self.server.says(r'error tokens-kept why=Line\\ 1\\ ', before))
        self.assertEqual(self.server.get('/login?prompt=1', **bearer(self.ann)).status, 303)
        with open(self.tokens.path, 'w') as file:
            file.write(good)
        self.assertTrue(self.server.says(r'tokens-read tokens=\d+', before))

    def test_the_signal_reads_the_file_again(self):
        before = self.server.log()
        self.server.process.send_signal(support.signal.SIGHUP)
        self.assertTrue(self.server.says('tokens-read', before))
        self.assert_alive()

    def test_the_log_says_who(self):
        before = self.server.log()
        path = self.uploaded(self.ann)
        self.server.request('POST', path + '/rename', 'name=x', Content_Type=FORM, **bearer(self.bob))
        self.server.request('POST', path + '/rename', 'name=x', Content_Type=FORM, **bearer(self.ann))
        self.server.request('DELETE', path, **bearer(self.ann))
        self.server.upload(trace())
        for line in (r'uploaded id=\S+ .* who=ann', 'changed id=.* who=ann client=127.0.0.1', 'deleted id=.* who=ann',
                     'refused method=POST target=/ status=401 client=127.0.0.1',
                     'request id=.* status=403 .* who=bob'):
            self.assertTrue(self.server.says(line, before), line)
        self.assertNotIn(path[3:], self.server.log())


class Login(DoorsTest):
    def test_a_page_of_the_team_leads_there_and_back(self):
        path = self.uploaded(self.ann, readers='team')
        answer = self.server.get(path + '/methods?sort=cpu&value=cpu', Accept=HTML)
        self.assertEqual((answer.status, answer['Location'].split('=')[0]), (303, '../../login?next'))
        page = self.server.get('/' + answer['Location'].rsplit('/', 1)[1], Accept=HTML)
        self.assertEqual(page.status, 200)
        way = re.search('name="next" value="([^"]*)"', page.text).group(1).replace('&amp;', '&')
        body = urllib.parse.urlencode({'token': ' %s ' % self.bob, 'next': way})
        answer = self.server.request('POST', '/login', body, Content_Type=FORM, Accept=HTML, Origin=self.server.url)
        self.assertEqual((answer.status, answer['Location']), (303, '.%s/methods?sort=cpu&value=cpu' % path))
        cookie = answer['Set-Cookie']
        self.assertRegex(cookie, '^aflamed_session=[^;]+; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax$')
        answer = self.server.get(path + '/methods', Accept=HTML, Cookie=cookie.split(';')[0])
        self.assertEqual(answer.status, 200)
        self.assertIn('Uploaded by</dt><dd><bdi>ann<', answer.text)

    def test_it_leads_to_no_other_site(self):
        for way in ('//evil.example', 'https://evil.example', '\\\\evil.example', 'a b', 'a\r\nX: y', '/x', 'javascript:1',
                    'x' * 3000):
            body = urllib.parse.urlencode({'token': self.bob, 'next': way})
            answer = self.server.request('POST', '/login', body, Content_Type=FORM)
            self.assertRegex(answer['Location'], r'^\./', way)
            self.assertEqual(urllib.parse.urlsplit(urllib.parse.urljoin(self.server.url + '/login', answer['Location'])).netloc,
                             '127.0.0.1:%d' % self.server.port)

    def test_a_long_address_leads_to_the_front_page(self):
        path = self.uploaded(self.ann, readers='team')
        answer = self.server.get(path + '/t/all?hide=' + ',' * 1900, Accept=HTML)
        self.assertEqual((answer.status, answer['Location']), (303, '../../../login?next='))

    def test_it_leads_to_nothing_beside_the_service(self):
        for way, to in (('../x', ''), ('a/../../x', ''), ('%2e%2e/x', ''), ('a/.%2E', ''), ('d/x..y', 'd/x..y'), ('p/x?a=/../', 'p/x?a=/../')):
            answer = self.server.request('POST', '/login', urllib.parse.urlencode({'token': self.bob, 'next': way}), Content_Type=FORM)
            self.assertEqual(answer['Location'], './' + to, way)

    def test_the_cookie_of_a_neighbour_does_not_shut_out(self):
        cookie = 'aflamed_session=junk; ' + self.session(self.bob)
        self.assertEqual(self.server.get('/login?prompt=1', Cookie=cookie).status, 303)

    def test_a_wrong_token_is_asked_for_again(self):
        answer = self.server.request('POST', '/login', 'token=x&next=p%2Fabc', Content_Type=FORM, Accept=HTML)
        self.assertEqual(answer.status, 401)
        self.assertIn('There is no such token', answer.text)
        self.assertIn('name="next" value="p/abc"', answer.text)
        self.assertIsNone(answer['Set-Cookie'])
        self.assertEqual(self.server.request('POST', '/login', 'token=x', Content_Type=FORM).status, 401)

    def test_scripts_of_pages_get_no_prompt(self):
        path = self.uploaded(self.ann, readers='team')
        answer = self.server.get(path + '.json', Accept=JSON, Sec_Fetch_Mode='cors', Sec_Fetch_Site='same-origin')
        self.assertEqual((answer.status, answer['WWW-Authenticate']), (401, 'Bearer realm="aflamed"'))

    def test_the_header_says_who_is_logged_in(self):
        front = self.server.get('/', Accept=HTML).text
        self.assertIn('href="./login">Log in</a>', front)
        self.assertNotIn('id="upload"', front)
        for who, form_is_there in ((self.ann, True), (self.of['read'], False)):
            front = self.server.get('/', Accept=HTML, Cookie=self.session(who)).text
            self.assertIn('action="./logout"', front)
            self.assertEqual('id="upload"' in front, form_is_there)

    def test_logging_out_takes_the_cookie_away(self):
        answer = self.server.request('POST', '/logout', '', Content_Type=FORM, Origin=self.server.url,
                                     Cookie=self.session(self.ann))
        self.assertEqual((answer.status, answer['Location']), (303, './'))
        self.assertRegex(answer['Set-Cookie'], '^aflamed_session=; Path=/; Max-Age=0;')

    def test_the_log_says_who_came_in_and_who_did_not(self):
        before = self.server.log()
        self.session(self.ann)
        self.server.request('POST', '/login', 'token=x', Content_Type=FORM)
        for line in (r'logged-in .*who=ann client=127\.0\.0\.1', r'login-refused .*client=127\.0\.0\.1'):
            self.assertTrue(self.server.says(line, before), line)

    def test_a_session_outlives_a_restart(self):
        server = Server(tokens_file=self.tokens.path)
        self.addCleanup(server.clean)
        answer = server.request('POST', '/login', 'token=' + self.ann, Content_Type=FORM)
        cookie = answer['Set-Cookie'].split(';')[0]
        self.assertEqual(server.stop(), 0)
        server.start()
        self.assertEqual(server.get('/login?prompt=1', Cookie=cookie).status, 303)

    def test_a_service_without_tokens_has_no_login(self):
        server = Server()
        self.addCleanup(server.clean)
        self.assertEqual(server.get('/login', Accept=HTML).status, 404)
        self.assertEqual(server.request('POST', '/login', 'token=x', Content_Type=FORM).status, 404)
        self.assertNotIn('Log in', server.get('/', Accept=HTML).text)
        answer = server.upload(trace(), target='/?readers=team')
        self.assertEqual((answer.status, 'no team here' in answer.text), (400, True))


class HttpsLogin(DoorsTest):
    CONFIG = {'external_url': 'https://flames.example/team'}

    def test_the_cookie_is_for_the_service_alone(self):
        answer = self.server.request('POST', '/login', 'token=' + self.ann, Content_Type=FORM, Host='flames.example')
        self.assertRegex(answer['Set-Cookie'], 'Path=/team/; Max-Age=[0-9]+; HttpOnly; SameSite=Lax; Secure$')


class Team(DoorsTest):
    CONFIG = {'speedscope_url': 'https://www.speedscope.app'}

    def test_who_may_read(self):
        for readers, nobody in (('link', 200), ('team', 401)):
            path = self.uploaded(self.ann, readers=readers)
            for target in (path, path + '.json', path + '/raw', path + '/methods.json', path + '/verdict.txt',
                           path + '/t/all.folded.txt', path + '/events', '/d/%s..%s' % (path[3:], path[3:])):
                self.assertEqual(self.server.get(target).status, nobody, target)
                for token in (self.ann, self.bob, self.of['read']):
                    self.assertEqual(self.server.get(target, **bearer(token)).status, 200, target)
                for token in (self.of['upload'], self.of['admin'], self.of['change'], self.of['delete']):
                    self.assertEqual(self.server.get(target, **bearer(token)).status, 200 if nobody == 200 else 403, target)

    def test_a_picture_that_was_linked_by_a_page_fetches_its_rest(self):
        """It is an origin of its own, for which a browser sends no cookie: the pass in its link does instead."""
        path = self.uploaded(self.ann, readers='team')
        page = self.server.get(path, Accept=HTML, Cookie=self.session(self.bob))
        link = re.search(r'href="([^"]*/t/(\d+)\.svg)\?about=link#pass=([a-z2-7]+)"', page.text)
        tree = '%s/k/%s/t/%s/tree?node=0&skip=0' % (path, link.group(3), link.group(2))
        self.assertEqual(self.server.get(tree).status, 200)
        self.assertEqual(self.server.get(tree.replace(link.group(3), 'a' * 26)).status, 403)

    def test_a_pass_is_of_the_time_when_it_was_given(self):
        """Who had the link of an upload that is for the team now has a pass that lets nobody in any more."""
        path = self.uploaded(self.ann)
        given = re.search(r'/t/(\d+)\.svg\?about=link#pass=([a-z2-7]+)"', self.server.get(path, Accept=HTML).text)
        tree = '%s/k/%s/t/%s/tree?node=0&skip=0' % (path, given.group(2), given.group(1))
        self.assertEqual(self.server.get(tree).status, 200)
        self.server.request('POST', path + '/rename', 'readers=team', Content_Type=FORM, **bearer(self.ann))
        self.assertEqual(self.server.get(tree).status, 401)

    def test_pages_of_other_sites_do_not_read_it(self):
        """Nor where an equal upload, which everybody may read, was sent before."""
        for readers, allowed in (('link', '*'), ('team', None), ('link', '*')):
            path = self.uploaded(self.ann, readers=readers)
            for _ in range(2):
                answer = self.server.get(path + '/t/all/tree?node=0&skip=0', **bearer(self.bob))
                self.assertEqual((answer.status, answer['Access-Control-Allow-Origin']), (200, allowed), readers)

    def test_pages_of_other_tools_do_not_read_it(self):
        """speedscope's page fetches an export of what everybody may read, and of nothing else."""
        for readers, allowed in (('link', 'https://www.speedscope.app'), ('team', None)):
            path = self.uploaded(self.ann, readers=readers)
            answer = self.server.get(path + '/t/all.speedscope.json', **bearer(self.bob))
            self.assertEqual((answer.status, answer['Access-Control-Allow-Origin']), (200, allowed), readers)

    def test_its_own_uploads_are_seen_by_who_may_only_upload(self):
        path = self.uploaded(self.of['upload'], readers='team')
        self.assertEqual(self.server.get(path, **bearer(self.of['upload'])).status, 200)
        self.assertEqual(json.loads(self.server.get(path + '.json', **bearer(self.bob)).body)['owner'], 'upload-only')

    def test_names_are_not_told_to_who_is_not_known(self):
        path = self.uploaded(self.ann)
        said = json.loads(self.server.get(path + '.json').body)
        self.assertNotIn('owner', said)
        self.assertNotIn('readers', said)
        self.assertNotRegex(self.server.get(path, Accept=HTML).text, r'\bann\b')

    def test_the_owner_says_who_may_read(self):
        path = self.uploaded(self.ann)
        self.assertEqual(self.server.get(path).status, 200)
        for readers, status in (('team', 401), ('link', 200), ('', 200)):
            answer = self.server.request('POST', path + '/rename', 'readers=' + readers, Content_Type=FORM, **bearer(self.ann))
            self.assertEqual(answer.status, 200, answer.text)
            self.assertEqual(self.server.get(path).status, status)
        answer = self.server.request('POST', path + '/rename', 'readers=all', Content_Type=FORM, **bearer(self.ann))
        self.assertEqual(answer.status, 400)

    def test_what_was_for_the_team_is_for_nobody_without_doors(self):
        path = self.uploaded(self.ann, readers='team')
        self.server.stop()
        config = self.server.config.pop('tokens_file')
        try:
            self.server.start()
            self.assertEqual(self.server.get(path).status, 403)
        finally:
            self.server.stop()
            self.server.config['tokens_file'] = config
            self.server.start()
        self.assertEqual(self.server.get(path, **bearer(self.bob)).status, 200)


class TeamByDefault(DoorsTest):
    CONFIG = {'readers': 'team'}

    def test_an_upload_that_does_not_say(self):
        self.assertEqual(self.server.get(self.uploaded(self.ann)).status, 401)
        self.assertEqual(self.server.get(self.uploaded(self.ann, readers='link')).status, 200)
        answer = self.server.request('PUT', '/x.trace?readers=link', trace(), **bearer(self.ann))
        self.assertEqual(self.server.get('/p/' + id_of(answer)).status, 200)


class Owner(DoorsTest):
    def test_needs_no_delete_token(self):
        answer = self.server.request('POST', '/', trace(), Accept=JSON, **bearer(self.ann))
        said = json.loads(answer.body)
        self.assertEqual((said['owner'], said['readers'], 'delete_token' in said), ('ann', 'link', False))
        self.assertIsNone(answer['X-Delete-URL'])
        page = self.server.get('/p/' + said['id'], Accept=HTML, **bearer(self.ann)).text
        self.assertIn('You uploaded it', page)
        self.assertNotIn('name="token"', page)
        page = self.server.get('/p/' + said['id'], Accept=HTML, **bearer(self.bob)).text
        self.assertNotIn('name="token"', page)
        self.assertNotIn('/delete"', page)
        self.assertIn('Only the person who uploaded it', page)
        page = self.server.get('/p/' + said['id'] + '?view=icicle&value=cpu', Accept=HTML).text
        self.assertRegex(page, r'href="../login\?next=p%%2F%s%%3Fview%%3Dicicle%%26value%%3Dcpu">(<svg.*</svg>)?Log in' % said['id'])
        self.assertEqual(self.server.request('DELETE', '/p/' + said['id'], X_Delete_Token='', **bearer(self.bob)).status, 403)
        self.assertEqual(self.server.request('DELETE', '/p/' + said['id'], **bearer(self.ann)).status, 200)

    def test_is_one_only_with_a_token_that_may_upload(self):
        path = self.uploaded(self.ann, readers='team')
        other = self.tokens.new('ann', 'read')
        self.assertTrue(support.eventually(lambda: self.server.get('/login?prompt=1', **bearer(other)).status == 303))
        self.assertEqual(self.server.get(path, **bearer(other)).status, 200)
        self.assertEqual(self.server.request('POST', path + '/rename', 'name=x', Content_Type=FORM, **bearer(other)).status, 403)
        self.assertEqual(self.server.request('DELETE', path, **bearer(other)).status, 403)

    def test_alone_says_who_reads(self):
        path = self.uploaded(self.ann, readers='team')
        change = bearer(self.of['change'])
        self.assertEqual(self.server.request('POST', path + '/rename', 'name=x', Content_Type=FORM, **change).status, 200)
        self.assertEqual(self.server.request('POST', path + '/rename', 'readers=link', Content_Type=FORM, **change).status, 403)
        self.assertEqual(self.server.get(path, **change).status, 403)

    def test_a_file_of_names_is_not_taken_from_strangers(self):
        """They hear so before they have sent it."""
        path = self.uploaded(self.ann)
        for target, headers, status in (('/p/' + 'a' * 26, (), 404), (path, (), 403),
                                        (path, ('Authorization: Bearer ' + self.bob,), 403)):
            for what in ('/mapping', '/symbols'):
                head = support.head('POST', target + what, 'Content-Type: multipart/form-data; boundary=x',
                                    'Content-Length: 100000000', *headers)
                self.assertEqual(self.server.raw(head + b'--x\r\n', ('POST',))[0].status, status, target)

    def test_a_form_leads_to_the_result_without_a_token(self):
        kind, body = form(('trace', 'x.trace', trace()))
        answer = self.server.request('POST', '/', body, Content_Type=kind, Accept=HTML, **bearer(self.ann))
        self.assertRegex(answer['Location'], '/p/[a-z2-7]{26}$')

    def test_an_upload_of_before_keeps_its_delete_token(self):
        open_door = Server()
        self.addCleanup(open_door.clean)
        answer = open_door.upload(trace())
        open_door.stop()
        store = os.path.join(open_door.folder, 'store')
        server = Server(store=store, tokens_file=self.tokens.path)
        self.addCleanup(server.clean)
        path = '/p/' + id_of(answer)
        self.assertEqual(server.get(path).status, 200)
        self.assertEqual(server.request('DELETE', path, **bearer(self.ann)).status, 403)
        self.assertEqual(server.request('DELETE', path, X_Delete_Token=support.token_of(answer)).status, 200)


class EveryRoute(DoorsTest):
    """The table, as the interface describes itself, asked as everybody."""
    MARKS = {'{id}': 'ID', '{track}': 'all', '{method}': 'x', '{pair}': 'ID..ID', '{pass}': 'aaaaaaaaaaaaaaaaaaaaaaaaaa',
             '{name}': 'x.trace', '{space}': 'checkout', '{version}': 'x', '{file}': 'x'}
    FILES = {'/p/{id}/mapping': ('mapping', b'com.example.Foo -> a.b:\n'), '/p/{id}/symbols': ('symbols', b'')}
    BODIES = {'/p/{id}/rename': 'name=x', '/p/{id}/delete': '', '/login': 'token=x', '/logout': ''}

    def routes(self):
        document = json.loads(self.server.get('/api.json').body)
        for path, methods in document['paths'].items():
            for method, row in methods.items():
                yield method.upper(), path, row['x-who-may']

    def ask(self, method, path, **headers):
        """On an upload of ann's for the team, made anew for what may end it."""
        if method != 'GET' or self.upload is None:
            self.upload = self.uploaded(self.ann, readers='team')
        target = path
        for mark, value in self.MARKS.items():
            target = target.replace(mark, value.replace('ID', self.upload[3:]))
        body = self.BODIES.get(path)
        kind = FORM
        if method != 'GET' and body is None and method != 'DELETE':
            name, content = self.FILES.get(path, ('trace', trace()))
            kind, body = form((name, 'x' if content else None, content))
        if method == 'PUT':
            kind, body = 'application/octet-stream', trace()
        return self.server.request(method, target, body, Content_Type=kind, **headers)

    def test_as_everybody(self):
        self.upload = None
        people = {None: {}, 'ann': bearer(self.ann), 'bob': bearer(self.bob),
                  **{scope: bearer(token) for scope, token in self.of.items()}}
        lets_in = {'anybody': lambda who: True,
                   'scope upload': lambda who: who in ('ann', 'bob', 'upload'),
                   'scope read for the space': lambda who: who in ('ann', 'bob', 'read'),
                   'its readers': lambda who: who in ('ann', 'bob', 'read'),
                   'its owner, scope change': lambda who: who in ('ann', 'change'),
                   'its owner, scope delete': lambda who: who in ('ann', 'delete'),
                   'scope admin': lambda who: who == 'admin'}
        seen = set()
        for method, path, who_may in self.routes():
            seen.add(who_may)
            for who, headers in people.items():
                if (method, path) in (('POST', '/login'), ('GET', '/login')) or '{pass}' in path:
                    continue     # each has a test of its own above
                status = self.ask(method, path, **headers).status
                shut = 401 if who is None else 403
                self.assertEqual(status in (401, 403), not lets_in[who_may](who), (method, path, who, status))
                if not lets_in[who_may](who):
                    self.assertEqual(status, shut, (method, path, who))
        self.assertLessEqual({'anybody', 'scope upload', 'its readers', 'its owner, scope change', 'its owner, scope delete'}, seen)

    def test_a_session_changes_nothing_unless_a_page_of_ours_asks(self):
        self.upload = None
        cookie = self.session(self.ann)
        for method, path, _ in list(self.routes()):
            if method == 'GET':
                continue
            for sent in ({}, {'Origin': 'http://evil.example'}, {'Origin': 'null'}, {'Sec_Fetch_Site': 'cross-site'},
                         {'Sec_Fetch_Site': 'same-site', 'Origin': self.server.url}):
                self.assertEqual(self.ask(method, path, Cookie=cookie, **sent).status, 403, (method, path, sent))
        for sent in ({'Origin': self.server.url}, {'Sec_Fetch_Site': 'same-origin'}):
            self.assertEqual(self.ask('DELETE', '/p/{id}', Cookie=cookie, **sent).status, 200)


class Proxy(ServiceTest):
    """A proxy names the user: over a trusted address, or a Unix socket."""
    def start(self, **config):
        server = Server(user_header='X-Forwarded-User', **config)
        self.addCleanup(server.clean)
        return server

    def test_only_a_trusted_one_is_believed(self):
        for trusted, status in (('127.0.0.0/8', 201), ('192.0.2.1', 401)):
            server = self.start(trusted_proxies=trusted)
            answer = server.upload(trace(), X_Forwarded_User='ann@example.com', Accept=JSON)
            self.assertEqual(answer.status, status, answer.text)
            if status == 201:
                self.assertEqual(json.loads(answer.body)['owner'], 'ann@example.com')
                self.assertEqual(server.upload(trace()).status, 401)
                refused = server.upload(trace(), X_Forwarded_User='a b')
                self.assertEqual((refused.status, 'the proxy sends is no name' in refused.text), (401, True))
                self.assertEqual(server.request('DELETE', '/p/' + json.loads(answer.body)['id'],
                                                X_Forwarded_User='bob').status, 403)

    def test_one_that_nobody_is_believed_by_does_not_start(self):
        with self.assertRaisesRegex(AssertionError, 'trusted_proxies'):
            self.start()

    def test_two_names_are_none(self):
        server = self.start(trusted_proxies='127.0.0.1')
        sent = support.head('PUT', '/x.trace', 'X-Forwarded-User: ann', 'x-forwarded-user: bob', 'Content-Length: 0')
        self.assertEqual(server.raw(sent, ('PUT',))[0].status, 401)

    def test_what_users_may_is_configured(self):
        server = self.start(trusted_proxies='127.0.0.1', user_scopes='read,delete')
        self.assertEqual(server.upload(trace(), X_Forwarded_User='ann').status, 403)

    def test_it_comes_before_what_the_client_sent(self):
        tokens = Tokens(type(self))
        ann = tokens.new('ann')
        server = self.start(trusted_proxies='127.0.0.1', tokens_file=tokens.path)
        said = json.loads(server.upload(trace(), X_Forwarded_User='bob', Accept=JSON, **bearer(ann)).body)
        self.assertEqual(said['owner'], 'bob')
        said = json.loads(server.upload(trace(salt=1), Accept=JSON, **bearer(ann)).body)
        self.assertEqual(said['owner'], 'ann')

    def test_a_unix_socket_is_trusted(self):
        folder = support.folder_of(self)
        path = folder + '/socket'
        process = subprocess.Popen([support.AFLAMED, 'serve', '--listen', 'unix:' + path, '--store', folder + '/store',
                                    '--user-header', 'Remote-User'], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(lambda: (process.kill(), process.communicate(timeout=support.STOP_TIMEOUT_S)))
        process.stdout.readline()
        for lines, status in ((('Remote-User: ann',), 201), ((), 401)):
            with support.socket.socket(support.socket.AF_UNIX) as connection:
                connection.settimeout(support.TIMEOUT_S)
                connection.connect(path)
                content = trace()
                connection.sendall(support.head('PUT', '/x.trace', 'Content-Length: %d' % len(content), *lines) + content)
                self.assertEqual(support.read_answers(connection, ('PUT',))[0].status, status)


class Shares(DoorsTest):
    CONFIG = {'uploads_per_minute': 3, 'upload_bytes_per_day': '1M', 'uploads_at_once': 2}

    def test_a_share_is_of_a_person(self):
        for left in (2, 1, 0):
            answer = self.server.request('POST', '/', trace(), **bearer(self.ann))
            self.assertEqual(answer.status, 201)
            self.assertEqual(answer['RateLimit-Policy'], '"uploads";q=3;w=60, "bytes";q=1048576;w=86400')
            self.assertRegex(answer['RateLimit'], r'^"uploads";r=%d;t=\d+, "bytes";r=\d+;t=\d+$' % left)
        answer = self.server.request('POST', '/', trace(), Accept=JSON, **bearer(self.ann))
        self.assertEqual((answer.status, json.loads(answer.body)['title']), (429, 'too many uploads'))
        self.assertIn(int(answer['Retry-After']), range(1, 21))
        self.assertRegex(answer['RateLimit'], '^"uploads";r=0;')
        self.assertEqual(self.server.request('POST', '/', trace(), **bearer(self.bob)).status, 201)

    def test_bytes_are_paid_for_whatever_became_of_them(self):
        noise = b'no profile ' * 200_000
        self.assertEqual(self.server.request('POST', '/', noise, **bearer(self.of['upload'])).status, 415)
        answer = self.server.request('POST', '/', trace(), **bearer(self.of['upload']))
        self.assertEqual(answer.status, 429)
        self.assertIn('bytes', answer.text)

    def test_they_outlive_a_restart(self):
        token = self.tokens.new('carl')
        self.assertTrue(support.eventually(lambda: self.server.get('/login?prompt=1', **bearer(token)).status == 303))
        for _ in range(3):
            self.assertEqual(self.server.request('POST', '/', trace(), **bearer(token)).status, 201)
        self.server.stop()
        self.server.start()
        self.assertEqual(self.server.request('POST', '/', trace(), **bearer(token)).status, 429)

    def test_so_many_at_a_time(self):
        token = self.tokens.new('dora')
        self.assertTrue(support.eventually(lambda: self.server.get('/login?prompt=1', **bearer(token)).status == 303))
        head = support.head('PUT', '/x.trace', 'Content-Length: 1000000', 'Authorization: Bearer ' + token)
        held = [self.connection(), self.connection()]
        for connection in held:
            connection.sendall(head + b'x' * 1000)
        self.assertTrue(support.eventually(lambda: self.server.uploads_under_way() == 2))
        answer = self.server.request('POST', '/', trace(), **bearer(token))
        self.assertEqual((answer.status, 'at a time' in answer.text), (429, True))
        for connection in held:
            connection.close()
        self.assertTrue(support.eventually(lambda: 'at a time' not in
                                           self.server.request('POST', '/', trace(), **bearer(token)).text))


class Kept(DoorsTest):
    CONFIG = {'upload_bytes_kept': len(trace())}

    def test_so_much_is_kept_of_each(self):
        first = self.server.request('POST', '/', trace(), Accept=JSON, **bearer(self.ann))
        self.assertEqual(first.status, 201)
        for content, title in ((trace(), 'you keep enough uploads'), (b'x', 'you keep enough uploads')):
            answer = self.server.request('POST', '/', content, Accept=JSON, **bearer(self.ann))
            self.assertEqual((answer.status, json.loads(answer.body)['title']), (507, title))
        self.assertEqual(self.server.request('POST', '/', trace(salt=1), **bearer(self.bob)).status, 201)
        self.assertEqual(self.server.request('POST', '/', trace(records=100), **bearer(self.of['upload'])).status, 507)
        self.server.stop()
        self.server.start()
        self.assertTrue(support.eventually(lambda: self.server.request('POST', '/', b'x', **bearer(self.ann)).status == 507))
        path = '/p/' + json.loads(first.body)['id']
        self.assertEqual(self.server.request('DELETE', path, **bearer(self.ann)).status, 200)
        self.assertEqual(self.server.request('POST', '/', trace(salt=2), **bearer(self.ann)).status, 201)


class SharesOfAddresses(ServiceTest):
    CONFIG = {'uploads_per_minute': 2, 'trusted_proxies': '127.0.0.1'}

    def test_a_share_is_of_an_address(self):
        said = [self.server.upload(trace(), X_Forwarded_For=address).status
                for address in ('192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.2', '2001:db8::1', '2001:db8::2',
                                '2001:db8::3', '2001:db8:0:1::1')]
        self.assertEqual(said, [201, 201, 429, 201, 201, 201, 429, 201])
        self.assertEqual(self.server.get('/', X_Forwarded_For='192.0.2.1').status, 200)


class CommandLine(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tokens = Tokens(cls)

    def test_new_list_revoke(self):
        path = self.tokens.path
        said = token_command('new', 'ann', '--tokens-file', path)
        self.assertRegex(said, r'^Token of ann, who may: upload,read\. .*\naflamed_[a-z2-7]{26}\n$')
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
        os.chmod(path, 0o640)
        token_command('new', 'ann', '--scope', 'delete', '--tokens-file', path)
        token_command('new', 'bob', '--tokens-file', path)
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o640)
        rows = [line.split('\t')[:2] for line in token_command('list', '--tokens-file', path).splitlines()]
        self.assertEqual(rows, [['name', 'scopes'], ['ann', 'upload,read'], ['ann', 'delete'], ['bob', 'upload,read']])
        self.assertEqual(token_command('revoke', 'ann', '--tokens-file', path), '2 tokens revoked.\n')
        self.assertIn('ann has no token', token_command('revoke', 'ann', '--tokens-file', path, status=2))
        self.assertIn('\nbob\t', token_command('list', '--tokens-file', path))

    def test_comments_and_other_lines_stay(self):
        path = self.tokens.path + '-2'
        with open(path, 'w') as file:
            file.write('# the team\n\n')
        token_command('new', 'ann', '--tokens-file', path)
        token_command('new', 'bob', '--tokens-file', path)
        token_command('revoke', 'ann', '--tokens-file', path)
        with open(path) as file:
            self.assertRegex(file.read(), r'^# the team\n\nbob upload,read [0-9a-f]{64} \S+\n$')

    def test_what_makes_no_sense(self):
        path = self.tokens.path + '-3'
        for arguments, status, words in ((('new', 'a b'), 2, 'no name'), (('new',), 2, 'no name'), ((), 2, 'nothing to do'),
                                         (('make',), 2, 'nothing to do'), (('new', 'a', '--scope', 'fly'), 2, '--scope'),
                                         (('list',), 1, 'cannot be opened'), (('new', 'a', 'b'), 2, 'too many')):
            self.assertIn(words, token_command(*arguments, '--tokens-file', path, status=status), arguments)
        self.assertIn('no file of tokens', token_command('list', status=2))
        self.assertFalse(os.path.exists(path))

    def test_a_link_to_the_file_stays_one(self):
        path, link = self.tokens.path + '-5', self.tokens.path + '-5-link'
        token_command('new', 'ann', '--tokens-file', path)
        os.symlink(path, link)
        token_command('new', 'bob', '--tokens-file', link)
        token_command('revoke', 'ann', '--tokens-file', link)
        self.assertTrue(os.path.islink(link))
        with open(path) as file:
            self.assertRegex(file.read(), r'^bob \S+ \S+ \S+\n$')

    def test_a_revoke_that_a_service_does_not_take_is_told(self):
        path = self.tokens.path + '-6'
        token_command('new', 'ann', '--tokens-file', path)
        with open(path, 'a') as file:
            file.write('carl everything\n')
        said = token_command('revoke', 'ann', '--tokens-file', path, status=2)
        self.assertIn('revoked in the file, but not in a service that runs: Line 1 cannot be understood.', said)
        with open(path) as file:
            self.assertEqual(file.read(), 'carl everything\n')

    def test_what_is_no_file_is_not_waited_for(self):
        path = self.tokens.path + '-7'
        os.mkfifo(path)
        self.assertIn('cannot be read', token_command('list', '--tokens-file', path, status=1))

    def test_many_at_once(self):
        path = self.tokens.path + '-4'
        support.in_parallel(lambda i: token_command('new', 'p%d' % i, '--tokens-file', path), range(16))
        self.assertEqual(len(token_command('list', '--tokens-file', path).splitlines()), 17)

    def test_the_service_starts_with_a_good_file_only(self):
        folder = support.folder_of(self)
        too_many = ''.join('a%d read %064x 2026-11-25T10:00:00Z\n' % (n, n) for n in range(10_001))
        for text in (None, 'ann everything\n', too_many):
            if text is not None:
                with open(folder + '/tokens', 'w') as file:
                    file.write(text)
            done = subprocess.run([support.AFLAMED, 'serve', '--listen', '127.0.0.1:0', '--store', folder + '/store',
                                   '--tokens-file', folder + '/tokens'], stdin=subprocess.DEVNULL, capture_output=True,
                                  text=True, timeout=support.START_TIMEOUT_S)
            self.assertEqual(done.returncode, 1)
            self.assertIn('the file of tokens cannot be used', done.stderr)

    def test_a_team_needs_doors(self):
        folder = support.folder_of(self)
        done = subprocess.run([support.AFLAMED, 'serve', '--listen', '127.0.0.1:0', '--store', folder, '--readers', 'team'],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=support.START_TIMEOUT_S)
        self.assertEqual((done.returncode, 'no team here' in done.stderr), (1, True))

    def test_beyond_loopback_with_doors(self):
        def check(*flags):
            return subprocess.run([support.AFLAMED, 'serve', '--check-config', '--listen', '0.0.0.0:8192', *flags],
                                  stdin=subprocess.DEVNULL, capture_output=True, timeout=support.START_TIMEOUT_S).returncode
        with tempfile.NamedTemporaryFile() as tokens:
            self.assertEqual([check(), check('--tokens-file', tokens.name), check('--user-header', 'Remote-User')], [2, 0, 0])


if __name__ == '__main__':
    unittest.main()
