"""Spaces: uploads with labels, their list, what is looked for, changes, ends, and who may."""
import datetime
import json
import os
import unittest
import urllib.parse

import support
from support import Server, ServiceTest, form, id_of, token_of, trace
from test_doors import DoorsTest, bearer

FORM = 'application/x-www-form-urlencoded'
HTML, JSON = 'text/html', 'application/json'


def fields(**values):
    return [(name.replace('__', '.'), None, value.encode()) for name, value in values.items()]


class SpacesTest(ServiceTest):
    def put(self, name='x.trace', **values):
        answer = self.server.upload_form(*fields(name=name, **values), ('trace', 'x.trace', trace()))
        self.assertEqual(answer.status, 201, answer.text)
        return answer

    def list(self, space, query='', **more):
        answer = self.server.get('/s/%s.json?%s' % (space, urllib.parse.urlencode({'q': query, **more})))
        self.assertEqual(answer.status, 200, answer.text)
        return json.loads(answer.body)

    def told(self, space, n=1):
        """The rows, when all of them have their words: these come behind the answer to an upload."""
        self.assertTrue(support.eventually(lambda: sum('headline' in row for row in self.list(space)['profiles']) == n))
        return self.list(space)['profiles']

    def names(self, space, query='', **more):
        return [row['name'] for row in self.list(space, query, **more)['profiles']]

    def entries(self):
        return sorted(name for _, _, names in os.walk(os.path.join(self.server.store, 'spaces')) for name in names)


class Uploads(SpacesTest):
    def test_say_space_and_labels(self):
        answer = self.put('first', space='say', label__branch='main', label__device='Pixel 8', labels='a=1\n b = 2\n')
        said = json.loads(self.server.get('/p/%s.json' % id_of(answer)).body)
        labels = {'a': '1', 'b': '2', 'branch': 'main', 'device': 'Pixel 8'}
        self.assertEqual((said['space'], said['label']), ('say', labels))
        row, = self.told('say')
        self.assertEqual((row['id'], row['name'], row['label']), (said['id'], 'first', labels))
        self.assertEqual(row['url'], said['url'])
        self.assertEqual(row['known']['format'], 'android-trace')
        self.assertTrue(row['headline'])
        self.assertEqual(row['size'], len(trace()))
        self.assertEqual({total['value'] for total in row['totals']}, set(said['whole']['totals']))

    def test_say_them_in_the_url_too(self):
        answer = self.server.request('PUT', '/x.trace?space=url&label.branch=a%20b', trace(), Accept=JSON)
        said = json.loads(answer.body)
        self.assertEqual((said['space'], said['label']), ('url', {'branch': 'a b'}))
        self.assertEqual(self.names('url', 'branch:"a b"'), ['x.trace'])

    def test_single_labels_of_a_url_count_before_lines(self):
        answer = self.server.request('PUT', '/x.trace?label.branch=single&label.run=1&labels=branch%3Dlines', trace(), Accept=JSON)
        self.assertEqual(json.loads(answer.body)['label'], {'branch': 'single', 'run': '1'})

    def test_without_a_space_are_listed_nowhere(self):
        for answer in (self.put(label__branch='main'), self.put(label__branch='main', space='')):
            self.assertEqual(json.loads(self.server.get('/p/%s.json' % id_of(answer)).body)['label'], {'branch': 'main'})
            self.assertFalse(any(id_of(answer) in name for name in self.entries()))

    def test_with_what_is_no_label_are_refused(self):
        many = '\n'.join('k%d=v' % i for i in range(33))
        for values, words in (({'space': 'A b'}, 'name of a space'), ({'space': '..'}, 'name of a space'),
                              ({'space': 'x' * 65}, 'at most 64'), ({'space': 'x.json'}, '.json'),
                              ({'label.Key': 'x'}, 'key of a label'), ({'label.x': 'v' * 201}, '200 bytes'),
                              ({'label.' + 'k' * 65: 'v'}, 'at most 64'), ({'label.x': 'a\x01b'}, 'control characters'),
                              ({'labels': many}, '32 labels'), ({'labels': 'nothing'}, 'KEY=VALUE')):
            sent = [(name, None, value.encode()) for name, value in values.items()]
            for answer in (self.server.upload_form(*sent, ('trace', 'x.trace', trace())),
                           self.server.upload_form(('trace', 'x.trace', trace()), *sent),
                           self.server.upload(trace(), '/?' + urllib.parse.urlencode(values))):
                self.assertEqual(answer.status, 400, (values, answer.text))
                self.assertTrue(words in answer.text or 'malformed request' in answer.text, answer.text)
        self.assertEqual(self.server.upload_form(('label.', None, b'x'), ('trace', 'x', trace())).status, 400)

    def test_may_have_many_and_long_ones(self):
        labels = {('k%02d' % i).ljust(64, 'k'): 'ä"\\' * 40 + 'v' * 40 for i in range(32)}
        sent = [('label.' + key, None, value.encode()) for key, value in labels.items()]
        answer = self.server.upload_form(*sent, ('space', None, b'many'), ('trace', 'x.trace', trace()))
        self.assertEqual(answer.status, 201, answer.text)
        row, = self.told('many')
        self.assertEqual(row['label'], labels)
        self.assertEqual(json.loads(self.server.get('/p/%s.json' % row['id']).body)['label'], labels)

    def test_hostile_text_is_text(self):
        self.put('<script>', space='hostile', label__x='"><script>alert(1)</script>')
        page = self.server.get('/s/hostile?q=%22%3E%3Cscript%3E', Accept=HTML).text
        self.assertNotIn('<script>', page.replace('<script type="module" src=', ''))
        page = self.server.get('/s/hostile', Accept=HTML).text
        self.assertIn('&lt;script&gt;', page)
        self.assertNotIn('<script>', page)

    def test_all_of_an_archive_are_listed(self):
        import io
        import zipfile
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, 'w') as archive:
            for i in range(3):
                archive.writestr('%d.trace' % i, trace(salt=i))
        answer = self.server.upload_form(*fields(member='all', space='archive', label__run='7'),
                                         ('trace', 'x.zip', packed.getvalue()), Accept=JSON)
        self.assertEqual(answer.status, 201, answer.text)
        rows = self.told('archive', 3)
        self.assertEqual(sorted(row['name'] for row in rows), ['x.zip/%d.trace' % i for i in range(3)])
        self.assertEqual(len(self.names('archive', 'run:7')), 3)

    def test_outlive_a_restart(self):
        self.put('before', space='restart', label__branch='main')
        self.server.stop()
        self.server.start()
        self.assertEqual(self.names('restart', 'branch:main'), ['before'])
        self.put('behind', space='restart')
        self.assertEqual(sorted(self.names('restart')), ['before', 'behind'])


class Lists(SpacesTest):
    def setUp(self):
        if self.names('list'):
            return
        for i in range(7):
            self.put('run-%d' % i, space='list', label__branch='main' if i % 2 == 0 else 'fix', label__i=str(i))
        self.told('list', 7)

    def test_of_nothing(self):
        self.assertEqual(self.list('empty'), {'space': 'empty', 'profiles': []})
        self.assertIn('nothing is listed', self.server.get('/s/empty').text)
        self.assertIn('Nothing is listed here yet', self.server.get('/s/empty', Accept=HTML).text)
        self.assertEqual(self.server.get('/s/No').status, 404)
        self.assertEqual(self.server.get('/s/.x').status, 404)

    def test_what_is_looked_for(self):
        self.assertEqual(sorted(self.names('list', 'branch:main')), ['run-0', 'run-2', 'run-4', 'run-6'])
        self.assertEqual(self.names('list', 'branch:fix i:3'), ['run-3'])
        self.assertEqual(self.names('list', 'RUN-5'), ['run-5'])
        self.assertEqual(self.names('list', 'branch:mai'), [])
        self.assertEqual(len(self.names('list', 'after:2026-01-01')), 7)
        self.assertEqual(self.names('list', 'before:2026-01-01'), [])
        self.assertEqual(len(self.names('list', 'format:android-trace')), 7)
        row = self.told('list', 7)[0]
        self.assertIn('headline', row['rules'])
        self.assertTrue(row['methods'])
        self.assertEqual(len(self.names('list', 'verdict:headl method:"%s"' % row['methods'][0].upper())), 7)
        self.assertEqual(self.names('list', 'verdict:no-such-rule'), [])
        self.assertEqual(self.names('list', 'method:headline'), [])
        for query in ('after:soon', 'x ' * 33, 'x' * 1001):
            self.assertEqual(self.server.get('/s/list.json?q=' + urllib.parse.quote(query)).status, 400)
        self.assertEqual(self.server.get('/s/list.json?rows=0').status, 400)
        self.assertEqual(self.server.get('/s/list.json?next=x').status, 400)
        self.assertEqual(self.server.get('/s/list.json?what=x').status, 400)

    def test_is_continued(self):
        seen, more = [], {}
        while True:
            answer = self.list('list', 'branch:main', rows=3, **more)
            seen += [row['name'] for row in answer['profiles']]
            if 'next' not in answer:
                break
            more = {'next': answer['next']}
        self.assertEqual(sorted(seen), ['run-0', 'run-2', 'run-4', 'run-6'])
        rows = self.list('list')['profiles']
        self.assertEqual([(r['created'], r['id']) for r in rows], sorted(((r['created'], r['id']) for r in rows), reverse=True))

    def test_is_a_page_and_text(self):
        page = self.server.get('/s/list?rows=3&q=branch:main', Accept=HTML).text
        self.assertEqual(page.count('<h2>'), 3)
        self.assertIn('rel="next"', page)
        self.assertIn('href="?q=branch%3Amain"', page)
        self.assertIn('value="branch:main"', page)
        text = self.server.get('/s/list?rows=3').text.splitlines()
        self.assertEqual(len(text), 4)
        self.assertRegex(text[0], r'^http://\S+/p/[a-z2-7]{26} \S+Z run-\d branch:(main|fix) i:\d \| ')
        self.assertRegex(text[3], r'^# more: next=\S+$')
        self.assertEqual(self.server.get('/s/list.txt', Accept=HTML).text.splitlines()[0].split()[0][:4], 'http')


class Changes(SpacesTest):
    def rename(self, answer, status=200, query='', **values):
        values = {name.replace('__', '.'): value for name, value in values.items()}
        body = urllib.parse.urlencode({'token': token_of(answer), **values})
        changed = self.server.request('POST', '/p/%s/rename%s' % (id_of(answer), query), body, Content_Type=FORM)
        self.assertEqual(changed.status, status, changed.text)

    def test_labels_are_changed(self):
        answer = self.put(space='change', label__branch='main', label__run='1')
        self.rename(answer, label__branch='fix', label__run='', label__new='x')
        self.assertEqual(self.list('change')['profiles'][0]['label'], {'branch': 'fix', 'new': 'x'})
        self.assertTrue(self.told('change'))
        self.rename(answer, labels='only=this')
        self.assertEqual(self.list('change', 'only:this')['profiles'][0]['label'], {'only': 'this'})
        self.rename(answer, name='other')
        self.assertEqual(self.names('change'), ['other'])
        self.rename(answer, 400, label__branch='\n')
        self.rename(answer, 400, label__X='y')
        self.rename(answer, 400, space='../x')
        self.rename(answer, labels='')
        said = json.loads(self.server.get('/p/%s.json' % id_of(answer)).body)
        self.assertEqual((said['space'], 'label' in said), ('change', False))
        self.assertTrue(support.eventually(lambda: sum(id_of(answer) in name for name in self.entries()) == 1))

    def test_single_labels_count_before_lines_and_the_form_before_the_url(self):
        answer = self.put(space='order')
        self.rename(answer, query='?label.branch=url&label.run=1', label__branch='single', labels='branch=lines\nrun=0')
        self.assertEqual(self.list('order')['profiles'][0]['label'], {'branch': 'single', 'run': '1'})

    def test_it_goes_into_a_space_and_out(self):
        answer = self.put('moves', label__branch='main')
        self.rename(answer, space='one')
        self.assertEqual(self.names('one', 'branch:main'), ['moves'])
        self.assertTrue(self.told('one'))
        self.rename(answer, space='two')
        self.assertEqual((self.names('one'), self.names('two')), ([], ['moves']))
        self.rename(answer, space='')
        self.assertEqual((self.names('one'), self.names('two')), ([], []))
        self.assertTrue(support.eventually(lambda: not any(id_of(answer) in name for name in self.entries())))

    def test_what_is_deleted_is_not_listed(self):
        first, second = self.put('first', space='end'), self.put('second', space='end')
        self.assertEqual(sorted(self.names('end')), ['first', 'second'])
        self.rename(first, label__x='y')
        self.assertEqual(self.server.request('DELETE', '/p/' + id_of(first), X_Delete_Token=token_of(first)).status, 200)
        self.assertEqual(self.names('end'), ['second'])
        self.assertTrue(support.eventually(lambda: not any(id_of(first) in name for name in self.entries())))

    def test_what_another_machine_has_put_is_seen(self):
        self.put('own', space='both')
        self.told('both')
        folder = os.path.join(self.server.store, 'spaces', 'both')
        period, = os.listdir(folder)
        name = min(os.listdir(os.path.join(folder, period)))
        with open(os.path.join(folder, period, name)) as file:
            text = file.read()
        foreign = name[:13] + 'a' * 26
        with open(os.path.join(folder, period, foreign), 'w') as file:
            file.write(text.replace(name[13:], 'a' * 26).replace('"own"', '"foreign"'))
        self.assertTrue(support.eventually(lambda: sorted(self.names('both')) == ['foreign', 'own']))
        os.unlink(os.path.join(folder, period, foreign))
        self.assertTrue(support.eventually(lambda: self.names('both') == ['own']))


class Kept(SpacesTest):
    CONFIG = {'keep_labels': 'branch=main 60d; release=* 90d', 'expires_days': 5}

    def test_as_long_as_their_labels_say(self):
        for labels, days in (({}, 5), ({'label__branch': 'main'}, 60), ({'label__branch': 'fix', 'label__release': '1'}, 90),
                             ({'label__branch': 'main', 'expires': '7'}, 7)):
            answer = self.put(space='kept', **labels)
            expires = datetime.datetime.strptime(answer['X-Expires'], '%Y-%m-%dT%H:%M:%SZ').replace(tzinfo=datetime.timezone.utc)
            left = expires - datetime.datetime.now(datetime.timezone.utc)
            self.assertAlmostEqual(left / datetime.timedelta(days=1), days, delta=0.1)


class Doors(DoorsTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.inside = cls.tokens.new('inside', 'upload,read,spaces:mine')
        cls.outside = cls.tokens.new('outside', 'upload,read,change,delete,spaces:other')
        cls.server.stop()
        cls.server.start()

    def status(self, method, target, token, body=None, **headers):
        return self.server.request(method, target, body, **headers, **(bearer(token) if token else {})).status

    def test_a_token_of_a_space_uploads_there_alone(self):
        for space, status in (('mine', 201), ('other', 403), (None, 403)):
            target = '/x.trace' + ('?space=' + space if space else '')
            self.assertEqual(self.status('PUT', target, self.inside, trace()), status)
        kind, body = form(('trace', 'x.trace', trace()), ('space', None, b'mine'))
        self.assertEqual(self.status('POST', '/', self.inside, body, Content_Type=kind), 201)

    def test_a_list_is_read_by_who_may_read_the_space(self):
        self.uploaded(self.ann, space='mine')
        for target in ('/s/mine', '/s/mine.json', '/s/mine?q=x', '/s/unheard-of', '/s/mine/series', '/s/mine/series.json',
                       '/s/unheard-of/series'):
            may = 403 if 'unheard' in target else 200
            self.assertEqual(self.status('GET', target, None), 401, target)
            self.assertEqual(self.status('GET', target, self.inside), may, target)
            self.assertEqual(self.status('GET', target, self.outside), 403, target)
            self.assertEqual(self.status('GET', target, self.of['upload']), 403, target)
            for token in (self.ann, self.of['read']):
                self.assertEqual(self.status('GET', target, token), 200, target)
        answer = self.server.get('/s/mine', Accept=HTML)
        self.assertEqual((answer.status, answer['Location']), (303, '../login?next=s%2Fmine'))

    def test_a_check_reads_the_space(self):
        self.uploaded(self.ann, space='mine')
        target = '/s/mine/check.json?baseline=branch:main'
        for token, status in ((None, 401), (self.outside, 403), (self.of['upload'], 403), (self.inside, 200), (self.of['read'], 200)):
            self.assertEqual(self.status('GET', target, token), status)
        for token, status in ((self.of['upload'], 403), (self.outside, 403), (self.inside, 200)):
            self.assertEqual(self.status('POST', '/?space=mine&check=branch:main', token, trace()), status)
        self.assertEqual(len(json.loads(self.server.get('/s/mine.json', **bearer(self.ann)).body)['profiles']), 2)

    def test_a_token_of_a_space_touches_nothing_else(self):
        mine, none = self.uploaded(self.ann, space='mine', readers='team'), self.uploaded(self.ann, readers='team')
        for path in (mine, none):
            self.assertEqual(self.status('GET', path, self.outside), 403)
            self.assertEqual(self.status('POST', path + '/rename', self.outside, 'name=x', Content_Type=FORM), 403)
            self.assertEqual(self.status('DELETE', path, self.outside), 403)
        self.assertEqual(self.status('GET', mine, self.inside), 200)
        self.assertEqual(self.status('GET', none, self.inside), 403)
        self.assertEqual(self.status('DELETE', mine, self.inside), 403)
        other = self.uploaded(self.ann, space='other', readers='team')
        self.assertEqual(self.status('POST', other + '/rename', self.outside, 'label.x=y', Content_Type=FORM), 200)
        for space in ('mine', ''):
            self.assertEqual(self.status('POST', other + '/rename', self.outside, 'space=' + space, Content_Type=FORM), 403)
        self.assertEqual(self.status('POST', other + '/rename', self.of['change'], 'space=mine', Content_Type=FORM), 403)
        self.assertEqual(self.status('DELETE', other, self.outside), 200)

    def test_a_tool_lists_no_more(self):
        self.uploaded(self.ann, space='mine')
        body = json.dumps({'jsonrpc': '2.0', 'id': 1, 'method': 'tools/call',
                           'params': {'name': 'find', 'arguments': {'space': 'mine'}}})
        self.assertEqual(self.status('POST', '/mcp', None, body, Content_Type=JSON), 401)
        for token, fails in ((self.inside, False), (self.outside, True), (self.of['upload'], True)):
            said = json.loads(self.server.request('POST', '/mcp', body, Content_Type=JSON, **bearer(token)).body)
            self.assertEqual(said['result']['isError'], fails)

    def test_the_list_says_who(self):
        self.uploaded(self.ann, space='who')
        row, = json.loads(self.server.get('/s/who.json', **bearer(self.bob)).body)['profiles']
        self.assertEqual(row['owner'], 'ann')


del DoorsTest, SpacesTest     # their tests are those of the classes above

if __name__ == '__main__':
    unittest.main()
