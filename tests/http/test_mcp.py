"""/mcp, /llms.txt and budgets: what programs that read little at a time get, language models among them."""
import json
import unittest
import urllib.parse

import support
import test_doors
from support import ServiceTest, id_of, trace
from team import Team

JSON = 'application/json'


def message(method, number=1, **params):
    return {'jsonrpc': '2.0', 'id': number, 'method': method, 'params': params}


class McpTest(ServiceTest):
    def post(self, body, content_type=JSON, **headers):
        text = body if isinstance(body, (str, bytes)) else json.dumps(body)
        return self.server.request('POST', '/mcp', text, Content_Type=content_type,
                                   Accept='application/json, text/event-stream', **headers)

    def ask(self, method, status=200, **params):
        answer = self.post(message(method, 7, **params))
        self.assertEqual((answer.status, answer['Content-Type']), (status, JSON), answer.text)
        said = json.loads(answer.body)
        self.assertEqual((said['jsonrpc'], said['id']), ('2.0', 7))
        return said

    def call(self, tool, is_error=False, **arguments):
        result = self.ask('tools/call', name=tool, arguments=arguments)['result']
        self.assertEqual(result['isError'], is_error, result)
        self.assertEqual([part['type'] for part in result['content']], ['text'])
        return result['content'][0]['text']

    def uploaded(self, **shape):
        return id_of(self.server.upload(trace(**shape)))


class Protocol(McpTest):
    def test_the_revision_is_agreed_upon(self):
        for asked, chosen in (('2025-06-18', '2025-06-18'), ('2024-11-05', '2024-11-05'), ('1999-01-01', '2025-11-25')):
            result = self.ask('initialize', protocolVersion=asked, capabilities={}, clientInfo={'name': 'x'})['result']
            self.assertEqual((result['protocolVersion'], result['capabilities'], result['serverInfo']['name']),
                             (chosen, {'tools': {}}, 'aflamed'))
            self.assertIn(self.server.url, result['instructions'])

    def test_notifications_have_no_answer(self):
        answer = self.post({'jsonrpc': '2.0', 'method': 'notifications/initialized'})
        self.assertEqual((answer.status, answer.body), (202, b''))

    def test_ids_come_back_as_they_were(self):
        for number in (0, -5, 2 ** 53, 1.5, 'text', 'a"b\n\u202e\u00e9', ''):
            said = json.loads(self.post(message('ping', number)).body)
            self.assertEqual((said['id'], said['result']), (number, {}))

    def test_every_tool_has_a_schema_and_works(self):
        tools = self.ask('tools/list')['result']['tools']
        self.assertLessEqual(len(tools), 10)
        one = self.uploaded(threads=2)
        self.server.upload(trace(), '/?space=checkout')
        subjects = {'profile': one, 'a': one, 'b': self.uploaded(records=640), 'method': 'com.example.Class0.method0',
                    'space': 'checkout'}
        for tool in tools:
            with self.subTest(tool=tool['name']):
                schema = tool['inputSchema']
                self.assertEqual(schema['type'], 'object')
                self.assertLessEqual(set(schema['required']), set(schema['properties']))
                self.assertTrue(all(p['description'] and p['type'] in ('string', 'integer') for p in schema['properties'].values()))
                arguments = {name: subjects[name] for name in schema['required']}
                self.assertNotEqual(self.call(tool['name'], **arguments), '')
                for name in set(schema['properties']) - set(arguments):     # each is taken: its value may not fit
                    said = self.ask('tools/call', name=tool['name'], arguments={**arguments, name: '?'})
                    self.assertIn('result', said, name)

    def test_what_is_no_message(self):
        for body, status, code in (('{', 400, -32700), ('', 400, -32700), ('\xff', 400, -32700), ('[]', 400, -32600),
                                   ('[' + json.dumps(message('ping')) + ']', 400, -32600), ('"x"', 400, -32700),
                                   ('{"id":1}', 400, -32600), ('[' * 30000, 400, -32700), ('{"id":1,"id":2}', 400, -32700),
                                   ('{"method":"' + 'x' * 70000 + '"}', 413, -32600)):
            answer = self.post(body.encode('latin-1'))
            self.assertEqual((answer.status, json.loads(answer.body)['error']['code']), (status, code), body[:40])
        self.assertEqual(self.ask('resources/list')['error']['code'], -32601)
        self.assertEqual(self.post('{}', 'text/plain').status, 415)
        self.assertEqual(self.server.get('/mcp').status, 405)

    def test_a_page_of_another_site_is_refused(self):
        self.assertEqual(self.post(message('ping'), Origin='http://elsewhere.example').status, 403)


class Tools(McpTest):
    def test_the_list_of_a_space(self):
        for i in range(3):
            self.server.upload(trace(), '/?space=listed&name=run-%d&label.run=%d' % (i, i))
        self.assertTrue(support.eventually(lambda: self.server.get('/s/listed').text.count(' | ') == 3))
        self.assertEqual(self.call('find', space='listed'), self.server.get('/s/listed').text)
        self.assertEqual(self.call('find', space='listed', q='run:1', rows=5), self.server.get('/s/listed?q=run:1').text)
        self.assertEqual(self.call('find', space='listed', q=False, next=None, rows=None), self.server.get('/s/listed').text)
        self.assertRegex(self.call('find', space='listed', rows=1), r'\n# more: next=\S+\n$')
        for arguments in ({'space': 'No Such'}, {'space': 'listed', 'q': 'after:soon'}, {'space': 'listed', 'rows': 0}):
            result = self.ask('tools/call', name='find', arguments=arguments)['result']
            self.assertTrue(result['isError'], arguments)

    def test_series_and_check_of_a_space(self):
        team = Team(self.server, 'team', seed=3)
        team.commits(range(4), 3, branch='main')
        for arguments in ({}, {'of': 'com.example.feed.Json.parse', 'part': 'excl', 'q': 'branch:main'}, {'over': 'run'}):
            text = self.call('series', space='team', **arguments)
            self.assertEqual(text, self.server.get('/s/team/series.txt?' + urllib.parse.urlencode(arguments)).text)
            self.assertRegex(text, r' ms  \d runs\n')
        arguments = {'q': 'commit:c003', 'baseline': 'branch:main', 'fail-if': 'thread:main>10%'}
        text = self.call('check', space='team', **arguments)
        self.assertEqual(text, self.server.get('/s/team/check.txt?' + urllib.parse.urlencode(arguments)).text)
        self.assertIn('3 runs against 9', text)
        for tool, arguments in (('series', {'q': 'after:soon'}), ('series', {'part': 'all'}), ('check', {'fail-if': 'total'}),
                                ('check', {'q': 'commit:none'})):
            result = self.ask('tools/call', name=tool, arguments={'space': 'team', **arguments})['result']
            self.assertTrue(result['isError'], arguments)

    def test_the_same_texts_as_by_url(self):
        one = self.uploaded(threads=2, records=640)
        path = '/p/' + one
        self.assertEqual(self.call('verdict', profile=one), self.server.get(path + '/verdict.txt').text)
        self.assertEqual(self.call('verdict', profile=self.server.url + path + '/t/1'), self.server.get(path + '/verdict.txt').text)
        self.assertEqual(self.call('threads', profile=one), self.server.get(path + '/methods.txt?group=thread').text)
        self.assertEqual(self.call('methods', profile=one, limit=2, value='wall'),
                         self.server.get(path + '/methods.txt?limit=2&value=wall').text)
        self.assertEqual(self.call('tree', profile=one, track='all', view='inverted'),
                         self.server.get(path + '/t/all.txt?view=inverted').text)
        self.assertEqual(self.call('diff', a=one, b=one), self.server.get('/d/%s..%s.txt' % (one, one)).text)

    def test_the_inverted_outline_of_a_deep_profile(self):
        """With all callers of all methods it would have 4.5 million frames."""
        names = [chr(0x4e00 + i) for i in range(3000)]
        lines = ['%s %d' % (';'.join(names[:i + 1]), 100 if i == 9 else 1) for i in range(len(names))]
        deep = id_of(self.server.upload('\n'.join(lines).encode()))
        text = self.call('tree', profile=deep, view='inverted')
        self.assertIn('100: %s > (8) > %s\n' % (names[9], names[0]), text)
        self.assertRegex(text, r'of more than [\d,]+ frames')
        self.assertIn('The rest is lighter', text)

    def test_what_is_wrong_is_said_to_the_model(self):
        one = self.uploaded()
        self.assertIn('no upload with this id', self.call('verdict', True, profile='nope'))
        self.assertIn('no upload with this id', self.call('tree', True, profile='a' * 26))
        self.assertIn('hint: ', self.call('tree', True, profile=one, track='x'))
        self.assertIn('hint: ', self.call('methods', True, profile=one, value='nope'))
        for tool, arguments in (('verdict', {}), ('verdict', {'profile': 5}), ('diff', {'a': one}), ('method', {'profile': one})):
            self.assertEqual(self.ask('tools/call', name=tool, arguments=arguments)['error']['code'], -32602)
        for arguments in ({'profile': one, 'colour': 'red'}, {'profile': one, 'track': [1]}, {'profile': one, 'limit': 1.5}):
            self.assertEqual(self.ask('tools/call', name='methods', arguments=arguments)['error']['code'], -32602)
        self.assertEqual(self.ask('tools/call', name='rm')['error']['code'], -32602)
        self.assertEqual(self.ask('tools/call', name='verdict', arguments=[])['error']['code'], -32602)
        self.assertEqual(self.ask('tools/call')['error']['code'], -32602)

    def test_a_cause_is_found_in_four_calls(self):
        """As a model without ideas of its own would: words, then the tree, then the method that has most of it."""
        demo = id_of(self.server.upload(self.server.get('/demo.trace').body))
        self.assertIn('com.example.recipes', self.call('verdict', profile=demo))
        outline = self.call('tree', profile=demo, budget=1000)
        self.assertLessEqual(len(outline.encode()), 4000)
        own = [line for line in outline.splitlines() if 'com.example.recipes' in line]
        method = own[0].split(': ', 1)[1].split(', self')[0].split(' > ')[-1]
        self.assertIn('called by', self.call('method', profile=demo, method=method))


class Budget(McpTest):
    def test_no_text_is_longer_and_none_is_cut_in_silence(self):
        one, two = self.uploaded(threads=5, methods=200, records=4000), self.uploaded(threads=5, methods=180, records=2000)
        for path in ('/p/%s/verdict.txt' % one, '/p/%s/methods.txt' % one, '/p/%s/t/all.txt' % one, '/p/%s/t/merged.txt' % one,
                     '/d/%s..%s.txt' % (one, two)):
            whole = self.server.get(path).text
            for budget in (200, 300, 400, 1000, 100000):
                with self.subTest(path=path, budget=budget):
                    text = self.server.get('%s?budget=%d' % (path, budget)).text
                    self.assertLessEqual(len(text.encode()), 4 * budget)
                    if len(text) < len(whole):
                        self.assertRegex(text, r'For more: a larger budget')
                    elif '/t/' not in path:
                        self.assertEqual(text, whole)

    def test_only_texts_have_one(self):
        one = self.uploaded()
        for path in ('/p/%s/methods.json', '/p/%s/verdict.json', '/p/%s/t/1.svg', '/p/%s/t/1.folded.txt'):
            answer = self.server.get(path % one + '?budget=500')
            self.assertEqual((answer.status, 'budget' in answer.text), (400, True), path)
        self.assertEqual(self.server.get('/p/%s/verdict.txt?budget=199' % one).status, 400)

    def test_llms(self):
        answer = self.server.get('/llms.txt')
        self.assertEqual(answer.status, 200)
        self.assertTrue(answer.text.startswith('# aflamed\n'))
        self.assertIn(self.server.url, answer.text)


class Doors(test_doors.DoorsTest):
    def test_what_is_for_the_team_is_for_the_team(self):
        path = self.uploaded(self.ann, readers='team')
        body = json.dumps(message('tools/call', name='verdict', arguments={'profile': path[3:]}))
        nobody = self.server.request('POST', '/mcp', body, Content_Type=JSON)
        self.assertEqual((nobody.status, nobody['WWW-Authenticate'] is not None), (401, True))
        for token, known in ((self.bob, True), (self.of['delete'], False)):
            answer = self.server.request('POST', '/mcp', body, Content_Type=JSON, **test_doors.bearer(token))
            self.assertEqual(answer.status, 200)
            self.assertEqual(json.loads(answer.body)['result']['isError'], not known)


if __name__ == '__main__':
    unittest.main()
