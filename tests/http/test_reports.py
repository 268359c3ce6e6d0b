"""Reports of an upload: the profile table, one method, the verdict. The command line makes the same bytes of the same file."""
import html
import json
import os
import re
import subprocess

import test_cli
from support import DemoTest, ServiceTest, demo, id_of, trace
import native

GAME = native.Library('/data/app/com.example-1/libgame.so', 'ab' * 20)
ENGINE = native.Library('/data/app/com.example-1/libengine.so', 'cd' * 20)


class Heaps(ServiceTest):
    def test_what_grew_since_earlier_dumps(self):
        dumps = ((4096, 8000, 0), (6144, 8000, 3000), (8192, 9024, 4024))
        content = b''.join(native.perfetto_heap([([(GAME, 16)], game), ([(ENGINE, 32)], engine, freed)], index=i)
                           for i, (game, engine, freed) in enumerate(dumps))
        path = '/p/' + id_of(self.stored(content))

        def grew(query):
            said = json.loads(self.server.get(path + '/verdict.json' + query).body)['sentences']
            return [s['text'].partition('; asked for by ')[0] for s in said if s['rule'].startswith('grew')]
        self.assertEqual(grew(''), ['Since dump 1, the first one, unreleased malloc size grew by 1.07 KiB (4 KiB came, 2.93 KiB went): '
                                    'by library libgame.so 4 KiB',
                                    'Since dump 2, the one before, unreleased malloc size grew by 2 KiB: by library libgame.so 2 KiB'])
        self.assertEqual(grew('?moment=2'), ['Since dump 1, the first one, unreleased malloc size shrank by 952 B (2 KiB came, '
                                             '2.93 KiB went): by library libgame.so 2 KiB'])
        for query in ('?moment=1', '?moment=1..3', '?mode=interval'):
            self.assertEqual(grew(query), [], query)
        for query in ('?moment=2', '?moment=1..3', '?mode=interval', '?moment=2&amp;mode=interval'):     # the page's words are of what it shows
            self.assertIn('/verdict%s">In words' % query, self.server.get(path + query.replace('&amp;', '&'), Accept='text/html').text)


class Reports(DemoTest):
    def report(self, name, status=200, **headers):
        answer = self.server.get(self.path + name, **headers)
        self.assertEqual(answer.status, status, name)
        return answer

    def command(self, *arguments):
        run = subprocess.run([os.environ['AFLAMED'], *arguments, '-q', self.file], check=True, timeout=60, capture_output=True)
        return run.stdout.decode()

    def test_methods_are_those_of_the_command_line(self):
        for suffix, media_type in (('tsv', 'text/tab-separated-values; charset=utf-8'), ('csv', 'text/csv; charset=utf-8'),
                                   ('txt', 'text/plain; charset=utf-8'), ('json', 'application/json')):
            answer = self.report('/methods.%s?sort=-calls&limit=7&track=9417' % suffix)
            self.assertEqual(answer['Content-Type'], media_type)
            self.assertEqual(answer.text, self.command('methods', '--format', suffix, '--sort=-calls', '--limit=7', '--track=9417'))
            self.assertIn("default-src 'none'", answer['Content-Security-Policy'])

    def test_verdict_is_that_of_the_command_line(self):
        self.assertEqual(self.report('/verdict.txt').text, self.command('verdict'))
        answer = self.report('/verdict.json')
        self.assertEqual(answer.text, self.command('verdict', '--format', 'json'))
        sentences = json.loads(answer.text)['sentences']
        self.assertTrue(3 <= len(sentences) <= 8)
        self.assertEqual(sentences[0]['rule'], 'headline')
        for sentence in sentences:
            self.assertEqual(''.join(part['text'] for part in sentence['parts']), sentence['text'])
            self.assertEqual([part['text'] for part in sentence['parts'] if part.get('method')], sentence['methods'])
        self.assertLessEqual(self.report('/verdict').text.count('\n'), 15)

    def test_verdict_as_a_page(self):
        page = self.report('/verdict?app=com.example', Accept='text/html')
        sentences = json.loads(self.report('/verdict.json?app=com.example').text)['sentences']
        inside = page.text[page.text.index('id="sentences"'):]
        self.assertEqual(inside.count('<li>'), 2 * len(sentences))
        self.assertEqual(html.unescape(re.sub('<[^>]*>', '', inside[inside.index('<li>'):].split('</li>')[0])), sentences[0]['text'])
        links = [html.unescape(link) for link in re.findall('href="([^"]*)"', inside)]
        self.assertGreaterEqual(len(links), len(sentences))
        longest, = [p for s in sentences for p in s['parts'] if s['rule'] == 'long-messages' and 'to_ns' in p]
        link, = [link for link in links if 'from=' in link]
        self.assertIn('from=%s&to=%s' % (longest['from_ns'] // 1000, longest['to_ns'] // 1000), link)
        for link in links:
            self.assertEqual(self.server.get('/p/' + link.removeprefix('../../p/'), Accept='text/html').status, 200, link)
        self.assertIn('/verdict?app=com.example"', self.report('?app=com.example', Accept='text/html').text)

    def test_longest_calls(self):
        self.assertEqual(self.report('/methods.tsv?longest=1').text, self.command('methods', '--longest'))
        table = json.loads(self.report('/methods.json?longest=1&sort=wall_longest&group=method').text)
        at = {column: i for i, column in enumerate(table['columns'])}
        self.assertEqual([row[at['wall_longest']] for row in table['rows']], sorted((row[at['wall_longest']] for row in table['rows']), reverse=True))
        for row in table['rows']:
            once = row[at['calls']] - row[at['recursive']]
            self.assertLessEqual(row[at['wall_longest']], row[at['wall_incl']] + once)
            self.assertLessEqual(row[at['wall_incl']], once * (row[at['wall_longest']] + 1))
            if once == 1:
                self.assertEqual(row[at['wall_longest']], row[at['wall_incl']], row)
        for row in table['rows'][::7]:
            one = json.loads(self.report(f"/m/{row[at['id']]}.json?longest=1").text)
            self.assertEqual(one['durations']['calls'], one['calls'] - one['recursive'])
            for clock in one['durations']['clocks']:
                times = [clock[key + '_ns'] for key in ('min', 'median', 'p95', 'p99', 'max')]
                self.assertEqual(times, sorted(times))
                self.assertEqual(sum(bar['calls'] for bar in clock['bars']), one['durations']['calls'])
                self.assertEqual(len(clock['longest']), min(10, one['durations']['calls']))
                self.assertEqual(clock['longest'][0][clock['name'] + '_ns'], clock['max_ns'])
                self.assertEqual(clock['max_ns'] // 1000, row[at[clock['name'] + '_longest']])
        name = f"{row[at['class']]}.{row[at['method']]}"
        self.assertEqual(self.report(f"/m/{row[at['id']]}.txt?longest=1").text, self.command('methods', '--method', row[at['id']], '--longest'), name)
        self.assertNotIn('durations', json.loads(self.report(f"/m/{row[at['id']]}.json").text))
        self.report('/methods?longest=yes', 400)
        self.report('/verdict?longest=1', 400)
        self.report(f"/m/{row[at['id']]}.json?group=class", 400)

    def test_longest_of_groups(self):
        for group in ('class', 'package', 'origin'):
            table = json.loads(self.report(f'/methods.json?longest=1&group={group}&track=9417').text)
            self.assertIn('cpu_longest', table['columns'])
        self.assertNotIn('wall_longest', json.loads(self.report('/methods.json?longest=1&group=thread').text)['columns'])

    def test_samples_have_no_longest_calls(self):
        samples = '/p/' + id_of(self.server.upload(b'main;a 3\nmain;b 4\n'))
        for path, offered in ((self.path, True), (samples, False)):
            page = self.server.get(path + '/methods', Accept='text/html').text
            self.assertEqual('id="longest"' in page, offered, path)

    def test_longest_of_what_can_be_read_only_once(self):
        def longest(place, **given):
            return subprocess.run([os.environ['AFLAMED'], 'methods', '--longest', '-q', place], check=True, timeout=60, capture_output=True,
                                  **given).stdout
        with open(self.file, 'rb') as f:
            self.assertEqual(longest('-', input=f.read()), longest(self.file))
        self.assertIn(b'longest', longest(self.file))
        folded = os.path.join(self.server.folder, 'x.folded')
        with open(folded, 'w') as f:
            f.write('a;b 5\n')
        run = subprocess.run([os.environ['AFLAMED'], 'methods', '--longest', '-q', folded], check=True, timeout=60, capture_output=True)
        self.assertNotIn(b'longest', run.stdout)

    def test_what_filters_took_out(self):
        whole = json.loads(self.report('/methods.json').text)
        some = json.loads(self.report('/methods.json?ignore=MessageQueue&hide=android.').text)
        for before, after in zip(whole['values'], some['values']):
            self.assertNotIn('before', before)
            self.assertEqual(after['before'], before['total'], after['name'])
            self.assertLess(after['total'], before['total'])
        self.assertNotIn('emptied_by', some)

    def test_filters_that_leave_nothing(self):
        path = '/methods%s?hide=android&focus=no-such-frame&ignore=x'
        self.assertEqual(json.loads(self.report(path % '.json').text)['emptied_by'], 1)
        page = self.report(path % '', Accept='text/html').text
        self.assertIn('; 0 of 0 rows by wall_incl', page)
        chip = re.search('<li class="chip"><span title="focus=no-such-frame">.*?</li>', page, re.S).group()
        without = '/' + html.unescape(re.findall('<a [^>]*href="([^"]*)"', chip)[-1]).removeprefix('../../').split('/', 2)[2]
        self.assertEqual(without, '/methods?track=all&hide=android&ignore=x')
        self.assertIn('  (toplevel)\n', self.report(without, Accept='text/html').text)

    def test_pictures_that_filters_leave_nothing_of(self):
        page = self.report('/t/merged?hide=android&focus=no-such-frame&ignore=x', Accept='text/html').text
        said = re.search('id="emptied".*?<strong>focus no-such-frame</strong>.*?href="([^"]*)"', page)
        without = '/' + html.unescape(said.group(1)).removeprefix('../../../').split('/', 2)[2]
        self.assertEqual(without, '/t/merged?hide=android&ignore=x')
        self.assertNotIn('emptied', self.report(without, Accept='text/html').text)
        svg = self.report('/t/merged.svg?hide=android&focus=no-such-frame&ignore=x').text
        self.assertIn('the filters leave nothing: take out focus=no-such-frame', svg)
        self.assertIn(' data-emptied-by="1" ', svg)

    def test_a_form_may_keep_the_column_of_other_rows(self):
        for query in ('sort=wall_longest', 'sort=-cpu_longest&group=thread&longest=1', 'sort=class&group=package', 'sort=method&group=class',
                      'sort=track&group=method', 'sort=-origin&group=thread'):
            self.assertEqual(self.report('/methods.json?' + query, 400).status, 400)
            page = self.report('/methods?' + query, Accept='text/html').text
            self.assertNotIn('name="sort"', page, query)
            self.assertIn('  (toplevel)\n' if 'thread' not in query else '  main (', page, query)
        self.assertIn('name="sort" value="-class"', self.report('/methods?group=class&sort=-class', Accept='text/html').text)
        self.assertEqual(self.report('/methods?sort=nothing', 400, Accept='text/html').status, 400)

    def test_the_form_of_filters(self):
        for path in ('/t?track=merged&focus=&hide=x&preset=&recursion=', '/methods?focus=&hide=x&preset='):
            answer = self.server.get(self.path + path, Accept='text/html')
            self.assertIn(answer.status, (200, 303), path)
            self.assertIn(answer['Location'], ('t/merged?hide=x', None))
        page = self.report('/t/merged?focus=%2F(%2F', 400, Accept='text/html').text
        self.assertIn('a ( has no ) behind it', page)

    def test_own_code_may_be_said(self):
        self.assertEqual(json.loads(self.report('/verdict.json?app=java.util,org.json').text)['app'], ['java.util', 'org.json'])
        self.report('/verdict?app=java..util', 400)
        self.report('/verdict?grep=x', 400)

    def test_accept_chooses_where_no_suffix_does(self):
        self.assertEqual(self.report('/methods', Accept='application/json')['Content-Type'], 'application/json')
        self.assertEqual(self.report('/methods')['Content-Type'], 'text/plain; charset=utf-8')
        self.assertEqual(self.report('/methods.json', Accept='text/plain')['Content-Type'], 'application/json')

    def test_a_report_is_made_once(self):
        first = self.report('/methods.json?group=class')
        answer = self.server.get(self.path + '/methods.json?group=class', **{'If-None-Match': first['ETag']})
        self.assertEqual(answer.status, 304)
        other = self.report('/methods.json?group=package')
        self.assertNotEqual(first['ETag'], other['ETag'])
        packed = self.report('/methods.json', **{'Accept-Encoding': 'gzip'})
        self.assertEqual(packed['Content-Encoding'], 'gzip')

    def rows(self, query=''):
        table = json.loads(self.report('/methods.json' + query).text)
        return [dict(zip(table['columns'], row)) for row in table['rows']]

    def test_one_method(self):
        for row in self.rows()[::17]:
            method = json.loads(self.report('/m/%s.json' % row['id']).text)
            for key in ('id', 'class', 'method', 'signature', 'origin', 'calls', 'recursive'):
                self.assertEqual(method[key], row[key])
            for i, value in enumerate(method['values']):
                name = value['name']
                self.assertEqual((value['incl'], value['excl']), (row[name + '_incl'], row[name + '_excl']))
                if name == 'waiting':
                    continue
                slack = 2 + len(method['parents']) + len(method['children']) + len(method['threads'])   # each is rounded down
                parents = sum(edge[name] for edge in method['parents'])
                children = sum(edge[name] for edge in method['children']) + method['self'][name]
                threads = sum(thread[name + '_incl'] for thread in method['threads'])
                for total in (parents, children, threads):
                    self.assertTrue(value['incl'] - slack <= total <= value['incl'], (name, total, value))
            self.assertEqual(sum(thread['calls'] for thread in method['threads']), row['calls'])
            for edge in method['parents'] + method['recursive_parents']:
                self.assertEqual(edge['of_calls'], row['calls'])

    def test_the_heaviest_edges_of_one_method(self):
        lists = ('parents', 'children', 'recursive_parents', 'recursive_children')

        def method(row, query=''):
            return json.loads(self.report('/m/%s.json%s' % (row['id'], query)).text)
        wholes = [(row, method(row)) for row in self.rows()[:40]]
        row, whole = max(wholes, key=lambda pair: len(pair[1]['children']))
        self.assertGreater(len(whole['children']), 3)
        self.assertEqual(whole['edges'], {key: len(whole[key]) for key in lists})
        for query, part in (('?limit=2', slice(0, 2)), ('?limit=2&offset=1', slice(1, 3)), ('?offset=3', slice(3, None)),
                            ('?limit=0', slice(0, 0)), ('?limit=100000&offset=100000', slice(0, 0))):
            self.assertEqual(method(row, query), {**whole, **{key: whole[key][part] for key in lists}}, query)
        self.assertEqual(self.report('/m/%s.json?limit=2' % row['id']).text,
                         self.command('methods', '--method', row['id'], '--format', 'json', '--limit', '2'))
        text = self.report('/m/%s.txt?limit=2&offset=1' % row['id']).text
        self.assertIn('  and %d more\n' % (len(whole['children']) - 3), text)

    def test_one_method_by_name(self):
        row = self.rows('?limit=1')[0]
        name = '%s.%s' % (row['class'], row['method'])
        by_name = self.report('/m/%s%s.json' % (name, row['signature'].replace('/', '%2F')))
        self.assertEqual(by_name.text, self.report('/m/%s.json' % row['id']).text)
        text = self.report('/m/%s' % row['id']).text
        self.assertTrue(text.startswith(name))
        self.assertEqual(text, self.command('methods', '--method', row['id'], '--format', 'txt'))
        self.assertEqual(self.report('/m/%s.json' % row['id']).text,
                         self.command('methods', '--method', row['id'], '--format', 'json'))

    def test_a_name_of_several(self):
        rows = self.rows()
        names = ['%s.%s' % (row['class'], row['method']) for row in rows]
        several = next(name for name in names if names.count(name) > 1)
        answer = self.report('/m/' + several, 300)
        for row, name in zip(rows, names):
            if name == several:
                self.assertIn(row['id'], answer.text)

    def test_bad_requests(self):
        for name, status, says in (
                ('/m/no.such.Method.at.all', 404, 'no.such.Method.at.all'), ('/m/123456789012', 404, 'No method'),
                ('/methods.xml', 404, ''), ('/verdicts', 404, ''), ('/verdict.csv', 404, ''), ('/methods?group=nothing', 400, 'method, class'),
                ('/methods?sort=nothing', 400, 'nothing'), ('/methods?track=1', 404, ''), ('/methods?value=nothing', 400, 'wall'),
                ('/methods?limit=-1', 400, 'limit'), ('/methods?nothing=1', 400, 'nothing'), ('/m/' + 'x' * 600, 404, '')):
            self.assertIn(says, self.report(name, status).text)
        self.assertEqual(self.server.request('POST', self.path + '/methods.json', b'').status, 405)
        self.assertEqual(self.server.get('/p/' + 'a' * 26 + '/methods').status, 404)


class Presets(ServiceTest):
    """Of the configuration: beside the built-in ones, or in their place."""
    CONFIG = {'filter_presets': 'no-class1:hide=class:Class1;ignore=method5;;hide-idle:hide=Class2'}

    def test_they_are_filters_as_others(self):
        path = '/p/' + id_of(self.stored(trace()))

        def folded(query):
            answer = self.server.get('%s/t/all.folded.txt?%s' % (path, query))
            self.assertEqual(answer.status, 200, answer)
            return answer.body
        self.assertEqual(folded('preset=no-class1'), folded('hide=class:Class1&ignore=method5'))
        self.assertEqual(folded('preset=hide-idle'), folded('hide=Class2'))
        self.assertNotEqual(folded('preset=hide-idle'), folded(''))
        self.assertIn(b'"no-class1"', self.server.get(path + '/t/1.svg').body)
        self.assertEqual(self.server.get(path + '/t?track=1&preset=no-class1').status, 303)
        self.assertEqual(self.server.get(path + '/t/1.svg?preset=nothing').status, 400)

    def test_they_are_in_the_form(self):
        page = self.server.get('/p/%s/t/1' % id_of(self.stored(trace())), Accept='text/html').text
        self.assertIn('<option value="no-class1">no-class1: hide=class:Class1;ignore=method5</option>', page)
        self.assertEqual(re.findall('<option value="hide-idle">(.*?)</option>', page), ['hide-idle: hide=Class2'])
        self.assertIn('<option value="own-code">', page)


class OnTheCommandLine(test_cli.Command):
    def test_one_method(self):
        path = self.path('demo.trace')
        demo(path)
        self.assertIn('called by', self.command('methods', '-q', '--method', 'java.lang.Object.wait()V', '--format', 'txt', path).stdout.decode())
        for arguments, says in ((('--method', 'nothing'), 'No method is called nothing'), (('--method', 'java.lang.Object.wait', '--format', 'tsv'), '--format'),
                                (('--method', 'java.lang.Object.wait()V', '--grep', 'x'), '--grep is about the table'),
                                (('--sort=calls', '--method', 'java.lang.Object.wait()V'), '--sort is about the table'),
                                (('--group', 'method', '--method', 'java.lang.Object.wait()V'), '--group is about the table'),
                                (('--method', ''), 'method')):
            self.assertIn(says, self.command('methods', *arguments, path, status=2).stderr)

    def test_verdict(self):
        path = self.path('demo.trace')
        demo(path)
        run = self.command('verdict', path)
        self.assertTrue(run.stdout.decode().startswith('com.example.recipes.RecipesApp.onCreate took '))
        with open(path, 'rb') as f:
            content = f.read()
        piped = self.command('verdict', '-q', '-', stdin=content)
        self.assertTrue(piped.stdout.decode().startswith('com.example.recipes.RecipesApp.onCreate took '))
        self.assertIn('txt, json', self.command('verdict', '--format', 'xml', path, status=2).stderr)
        self.assertIn('own code', self.command('verdict', '--app', 'a..b', path, status=2).stderr)
