"""/d/<idA>..<idB>: two uploads compared. The command line says the same of the same files, and a comparison is there as long as both
of its sides are."""
import html
import json
import os
import re
import subprocess
import xml.etree.ElementTree

from support import ServiceTest, id_of, token_of
from test_diff import Recording, random_recording

SUFFIXES = {'tsv': 'text/tab-separated-values; charset=utf-8', 'csv': 'text/csv; charset=utf-8', 'txt': 'text/plain; charset=utf-8',
            'md': 'text/markdown; charset=utf-8', 'json': 'application/json', 'svg': 'image/svg+xml', 'folded': 'text/plain; charset=utf-8'}


def of_file(picture):
    """Without what a picture asks the service for, which one in a file cannot."""
    return re.sub(r'"query":"[^"]*"', '', picture)


class Compare(ServiceTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.files = []
        for name, more in (('a', {}), ('b', {'slow': 7, 'factor': 5, 'noise': 0.2})):
            recording, names = random_recording(1, 60, 600, **more)
            if name == 'b':
                recording.call(2, 'com.app.New<i>.made').call(1, names[0])
            cls.files.append(os.path.join(cls.server.folder, name + '.trace'))
            with open(cls.files[-1], 'wb') as file:
                file.write(recording.bytes())

    def upload_both(self):
        answers = []
        for path in self.files:
            with open(path, 'rb') as file:
                answers.append(self.server.upload(file.read()))
        return answers, '/d/%s..%s' % tuple(map(id_of, answers))

    def command(self, *arguments):
        return subprocess.run([os.environ['AFLAMED'], 'diff', '-q', *arguments, *self.files], check=True, timeout=60,
                              capture_output=True).stdout.decode()

    def test_as_the_command_line(self):
        _, path = self.upload_both()
        for query, arguments in (('', []), ('?all=1&sort=-cpu_incl_b&limit=9', ['--all', '--sort=-cpu_incl_b', '--limit=9']),
                                 ('?value=cpu&normalise=total&wide=larger', ['--value=cpu', '--normalise=total', '--wide=larger']),
                                 ('?hide=p3&focus=Class7', ['--hide=p3', '--focus=Class7']), ('?from=900&to=4000', ['--from=900', '--to=4000']),
                                 ('?to=4000&from_b=900&to_b=3000', ['--to=4000', '--from-b=900', '--to-b=3000']), ('?track=1', ['--track=1'])):
            for suffix, media_type in SUFFIXES.items():
                answer = self.server.get('%s/methods.%s%s' % (path, suffix, query))
                self.assertEqual((answer.status, answer['Content-Type']), (200, media_type), (suffix, query))
                self.assertEqual(of_file(answer.text), of_file(self.command('--format', suffix, *arguments)), (suffix, query))
                again = self.server.get('%s/methods.%s%s' % (path, suffix, query), If_None_Match=answer['ETag'])
                self.assertEqual(again.status, 304)
        self.assertEqual(self.server.get(path, Accept='application/json').text, self.command('--format=json'))
        self.assertEqual(self.server.get(path).text, self.command('--format=txt'))

    def test_page(self):
        _, path = self.upload_both()
        page = self.server.get(path + '?value=cpu&wide=larger&hide=p3', Accept='text/html')
        self.assertEqual(page.status, 200)
        self.assertIn("default-src 'none'", page['Content-Security-Policy'])
        self.assertNotRegex(page.text, r' style="|<style|<script>')
        self.assertIn('com.app.New&lt;i&gt;\tmade', page.text)
        self.assertIn('<option value="cpu" selected>', page.text)
        self.assertIn('<option value="larger" selected>', page.text)
        self.assertIn('<option value="change" selected>', page.text)
        self.assertIn('<input type="hidden" name="hide" value="p3">', page.text)
        self.assertIn(' of thread CPU time', page.text)
        picture = re.search(r'<metadata.*?</metadata>', page.text, re.S).group()
        self.assertIn(of_file(picture), of_file(self.command('--format=svg', '--value=cpu', '--wide=larger', '--hide=p3')))
        links = re.findall(r'href="\.\./(d/[^"#]+)[#"]', page.text)
        self.assertTrue(any('hide=p3' in link and 'value=cpu' in link and 'wide=larger' in link and '/methods' in link for link in links))
        for link in links:
            self.assertEqual(self.server.get('/' + link.replace('&amp;', '&'), Accept='text/html').status, 200, link)
        methods = self.server.get(path + '/methods?value=cpu&all=1&only=new', Accept='text/html').text
        self.assertIn('value=cpu&amp;all=1&amp;only=new&amp;sort=cpu_incl_a', methods)
        self.assertIn('<option value="new" selected>', methods)

    def test_verdict_links(self):
        """Each method that a sentence names leads to its callers and callees, each list of methods to the rows of the table."""
        _, path = self.upload_both()
        query = '?value=cpu&hide=p3&only=less&track=1'
        said = json.loads(self.server.get(path + '/methods.json' + query).text)['verdict']
        named = [part['text'] for sentence in said for part in sentence['parts'] if part.get('method')]
        for sentence in said:
            self.assertEqual(''.join(part['text'] for part in sentence['parts']), sentence['text'])
        self.assertGreater(len(named), 3)
        page = self.server.get(path + query, Accept='text/html').text
        inside = page[page.index('id="sentences"'):]
        inside = inside[:inside.index('</ol>')]
        links = [(html.unescape(link), html.unescape(words)) for link, words in re.findall('<a class="place" href="([^"]*)">([^<]*)</a>', inside)]
        self.assertEqual([words for link, words in links if 'view=sandwich' in link], named)
        self.assertEqual({link.split('&')[-1] for link, _ in links if '/methods?' in link}, {s['table'] for s in said if 'table' in s})
        for link, words in links:
            for part in ('value=cpu', 'hide=p3', 'track=1'):
                self.assertIn(part, link)
            answer = self.server.get('/' + link.removeprefix('../'), Accept='text/html')
            self.assertEqual(answer.status, 200, link)
            self.assertIn('data-flame-tree' if words in named else 'id="methods"', answer.text)

    def test_one_method(self):
        """What it has on both sides is what its row in the table has; its callers and its callees add up to that."""
        _, path = self.upload_both()
        for query, value in (('?value=cpu', 'cpu'), ('?track=1&hide=p3', 'wall')):
            table = json.loads(self.server.get(path + '/methods.json' + query).text)
            at = {name: i for i, name in enumerate(table['columns'])}
            for row in table['rows'][:12]:
                one = json.loads(self.server.get('%s/m/%s.json%s' % (path, row[at['id']], query)).text)
                values = {v['name']: v for v in one['values']}
                for side in 'ab':
                    mine = values['%s_%s' % (value, side)]
                    self.assertEqual((mine['incl'], mine['excl']), tuple(row[at['%s_%s_%s' % (value, end, side)]] for end in ('incl', 'excl')))
                    self.assertEqual(sum(edge[mine['name']] for edge in one['parents']), mine['incl'])
                    self.assertEqual(sum(edge[mine['name']] for edge in one['children']) + one['self'][mine['name']], mine['incl'])
                    self.assertEqual(sum(edge['calls_' + side] for edge in one['parents'] + one['recursive_parents']), row[at['calls_' + side]])
                larger = [edge[value + '_larger'] for edge in one['parents']]
                self.assertEqual(larger, sorted(larger, reverse=True))
        page = self.server.get('%s/m/com.app.New%%3Ci%%3E.made?value=cpu&wide=a' % path, Accept='text/html')
        self.assertEqual(page.status, 200)
        self.assertIn('<pre>com.app.New&lt;i&gt;.made', page.text)
        self.assertRegex(page.text, r'\n +cpu_a +cpu_b +cpu_larger .*\ninclusive +0 \S+ +[1-9]')
        self.assertIn(' of thread CPU time', page.text)
        for link in re.findall(r'href="\.\./\.\./\.\./(d/[^"#]+)[#"]', page.text):
            self.assertEqual(self.server.get('/' + html.unescape(link), Accept='text/html').status, 200, link)
        few = self.server.get(path + '/m/com.app.p0.Class7.method7?limit=1', Accept='text/html').text
        self.assertRegex(few, r'\n  and \d+ more')
        self.assertRegex(few, r'The heaviest first. <a [^>]*limit=1000000">All</a>')
        self.assertEqual(self.server.get(path + '/m/com.app.p0.Class7.method7').text, self.server.get(path + '/m/com.app.p0.Class7.method7.json').text)
        for target, status in (('/m/nothing.here', 404), ('/m/nothing.json', 404), ('/m/.json', 404), ('/m/' + 'x' * 501, 404), ('/m/x?longest=1', 400)):
            self.assertEqual(self.server.get(path + target).status, status, target)
        self.assertEqual(self.server.get(path + '/m/nothing.here', Accept='text/html').status, 404)

    def test_groups(self):
        """Rows that are no methods have their names, which lead to their methods at most."""
        _, path = self.upload_both()
        for group, name in (('class', 'com.app.p0.Class7'), ('package', 'com.app.p0'), ('origin', 'app'), ('thread', 'main')):
            page = self.server.get('%s/methods?group=%s&all=1' % (path, group), Accept='text/html')
            self.assertEqual(page.status, 200)
            self.assertRegex(page.text, r'\n +[^\n]*  (<a class="place" href="[^"]*/methods\?[^"]*">)?%s(</a>| \(1\))?(\n|</pre>)' % name, group)

    def test_one_method_without_calls(self):
        a, b = (id_of(self.server.upload(text)) for text in (b'a;b 5\na;c 2\n', b'a;b 7\na 1\n'))
        one = json.loads(self.server.get('/d/%s..%s/m/a.json' % (a, b)).text)
        self.assertEqual([value['name'] for value in one['values']], ['samples_a', 'samples_b', 'samples_larger'])
        self.assertEqual([(edge['method'], edge['samples_a'], edge['samples_b']) for edge in one['children']], [('b', 5, 7), ('c', 2, 0)])
        page = self.server.get('/d/%s..%s/m/a' % (a, b), Accept='text/html').text
        self.assertRegex(page, r'\n +samples_a +samples_b *samples_larger\n')
        self.assertRegex(page, r' +2 +0  <a [^>]*>c</a>')
        self.assertNotIn('calls_a', page)

    def test_form_without_scripts(self):
        """Fields that are left empty say nothing; all others stay in the links of the page, in its forms and in its downloads."""
        _, path = self.upload_both()
        query = '?track=1&value=wall&normalise=calls%3Acom.app.p0.Class7.method7&from=900&to=&from_b=1000&to_b=&moment=&moment_b=&wide=a&method='
        page = self.server.get(path + query, Accept='text/html').text
        self.assertIn('name="normalise" list="scales" autocomplete="off" spellcheck="false" placeholder="absolute" '
                      'value="calls:com.app.p0.Class7.method7"', page)
        self.assertIn('id="from_b" name="from_b" inputmode="decimal" size="10" autocomplete="off" value="1000"', page)
        for kind in ('methods?', 'methods.csv?', '"query":"'):
            link = re.search(re.escape(kind) + r'[^"#]*', page).group()
            for part in ('track=1', 'from_b=1000', 'normalise=calls%3Acom.app.p0.Class7.method7', 'from=900'):
                self.assertIn(part, link)
        choices = self.server.get(path + '/methods?wide=a&value=cpu', Accept='text/html').text
        self.assertIn('<input type="hidden" name="wide" value="a">', choices)
        self.assertIn('<input type="hidden" name="only" value="new">', self.server.get(path + '?only=new', Accept='text/html').text)
        adds = page[page.index('class="adds"'):]
        for field in ('name="from_b" value="1000"', 'name="track" value="1"', 'name="normalise" value="calls:com.app.p0.Class7.method7"'):
            self.assertIn(field, adds)

    def test_pieces(self):
        """What the script of the picture fetches is of the same comparison, and may be read from the picture's own origin."""
        _, path = self.upload_both()
        picture = self.server.get(path + '.svg?track=1&normalise=total')
        self.assertIn('sha256-', picture['Content-Security-Policy'])
        header = json.loads(re.search(r'<metadata[^>]*>(.*?)\n', picture.text, re.S).group(1).replace('&amp;', '&'))
        self.assertTrue(header['compared'])
        self.assertEqual([value['name'] for value in header['values']], ['wall_a', 'wall_b', 'wall_larger', 'calls_a', 'calls_b'])
        self.assertIn('track=1&normalise=total', header['query'])
        piece = self.server.get(path + '/tree?node=0&skip=0&' + header['query'])
        self.assertEqual((piece.status, piece['Access-Control-Allow-Origin']), (200, '*'))
        self.assertEqual(json.loads(piece.text.split('\n', 1)[0])['nodes'], header['nodes'])
        self.assertEqual(self.server.get(path + '/tree?node=x').status, 400)
        self.assertEqual(self.server.get(path + '/tree?node=99999999').status, 404)

    def test_only(self):
        _, path = self.upload_both()
        rows = json.loads(self.server.get(path + '.json?value=wall').text)
        at = {name: i for i, name in enumerate(rows['columns'])}
        for only, meant in (('new', lambda a, b, x, y: a == 0 < b), ('gone', lambda a, b, x, y: b == 0 < a), ('more', lambda a, b, x, y: y > x),
                            ('less', lambda a, b, x, y: y < x), ('any', lambda a, b, x, y: True)):
            expected = [row for row in rows['rows'] if meant(*(row[at['wall_' + name]] for name in ('incl_a', 'incl_b', 'excl_a', 'excl_b')))]
            self.assertEqual(json.loads(self.server.get('%s.json?value=wall&only=%s' % (path, only)).text)['rows'], expected, only)
        self.assertEqual(self.server.get(path + '.json?only=x').status, 400)
        ratio = [abs(row[at['wall_incl_b']] // max(1, row[at['calls_b']]) * (row[at['calls_b']] > 0) - row[at['wall_incl_a']] // max(1, row[at['calls_a']]) * (row[at['calls_a']] > 0))
                 for row in json.loads(self.server.get(path + '.json?value=wall&sort=wall_per_call').text)['rows']]
        self.assertTrue(all(a + 1 >= b for a, b in zip(ratio, ratio[1:])), ratio)     # these numbers were rounded twice

    def test_picture(self):
        """Widths add up, each frame has its numbers in words, and its sign stands in its label."""
        for wide in ('a', 'b', 'larger'):
            svg = xml.etree.ElementTree.fromstring(self.command('--format=svg', '--wide', wide, '--track=1'))
            frames = [g for g in svg.iter('{http://www.w3.org/2000/svg}g') if g.find('{*}title') is not None]
            self.assertGreater(len(frames), 50)
            rows = {}
            for frame in frames:
                rect = frame.find('{*}rect')
                rows.setdefault(rect.get('y'), []).append((float(rect.get('x')), float(rect.get('width'))))
                self.assertRegex(frame.find('{*}title').text, r'(?s)\n.* in A, .* in B: .* \(.*\)$')
                self.assertRegex(rect.get('class'), r'^(d[0-8]|cr)$')
            for row in rows.values():
                row.sort()
                for (x, width), (after, _) in zip(row, row[1:]):
                    self.assertLess(x + width, after + 0.02)
            root = max(rows, key=int)
            self.assertEqual(rows[root], [(10.0, 1180.0)])
            text = ' '.join(''.join(t.itertext()) for t in svg.iter('{http://www.w3.org/2000/svg}text'))
            self.assertRegex(text, r'\+\d[\d.]* % ')

    def test_either_side_ends_it(self):
        for side in range(2):
            answers, path = self.upload_both()
            for suffix in SUFFIXES:
                self.assertEqual(self.server.get('%s/methods.%s' % (path, suffix)).status, 200)
            gone = self.server.request('DELETE', '/p/' + id_of(answers[side]), X_Delete_Token=token_of(answers[side]))
            self.assertEqual(gone.status, 200)
            for suffix in SUFFIXES:
                self.assertEqual(self.server.get('%s/methods.%s' % (path, suffix)).status, 410)
            self.assertEqual(self.server.get(path, Accept='text/html').status, 410)

    def test_nothing_of_it_is_kept(self):
        """No file in the store is made of a comparison: it could outlive one of its sides."""
        _, path = self.upload_both()

        def files():
            return sorted(os.path.join(folder, name) for folder, _, names in os.walk(os.path.join(self.server.store, 'views'))
                          for name in names)
        self.server.get(path)
        before = files()
        for suffix in SUFFIXES:
            self.server.get('%s/methods.%s' % (path, suffix), Accept_Encoding='gzip')
        self.assertEqual(files(), before)

    def test_choice(self):
        answers, path = self.upload_both()
        ids = list(map(id_of, answers))
        for b in (ids[1], '%20%20' + ids[1] + '%20', '%20%20%20https://x/p/' + ids[1], 'http://other/p/%s' % ids[1], 'https://x/y/p/%s/t/1?value=cpu' % ids[1]):
            answer = self.server.get('/d?a=%s&b=%s' % (ids[0], b.replace('?', '%3F').replace('=', '%3D')))
            self.assertEqual((answer.status, '/' + answer['Location']), (303, path))
        for b in ('nonsense', '%20%20/p/x', '/p/', '%20/p'):
            self.assertEqual(self.server.get('/d?a=%s&b=%s' % (ids[0], b)).status, 400, b)
        self.assertEqual(self.server.get('/d').status, 400)
        page = self.server.get('/p/' + ids[0], Accept='text/html').text
        self.assertRegex(page, r'<form action="\.\./d">\s*<input type="hidden" name="a" value="%s">' % ids[0])

    def test_refused(self):
        answers, path = self.upload_both()
        for target, status in (('/d/' + id_of(answers[0]), 404), (path + 'x', 404), ('/d/x..y', 404), (path + '/methods.gif', 404),
                               (path + '?wide=c', 400), (path + '?value=nothing', 400), (path + '?normalise=x', 400),
                               (path + '?sort=x', 400), (path + '?longest=1', 400), (path + '?all=2', 400), (path + '?from_b=9&to_b=5', 400), (path + '?moment_b=x', 400), (path + '?track=99999', 404), (path + '?view=chart', 400), (path + '.gif', 404)):
            self.assertEqual(self.server.get(target).status, status, target)
        folded = id_of(self.server.upload(b'a.b.C.m;a.b.D.n 7\n'))
        answer = self.server.get('/d/%s..%s' % (id_of(answers[0]), folded))
        self.assertEqual(answer.status, 422)
        self.assertIn('No value is measured by all', answer.text)

    def test_archive_members_and_same_upload(self):
        answers, _ = self.upload_both()
        one = id_of(answers[0])
        self.assertIn(', as much as A', self.server.get('/d/%s..%s' % (one, one)).text)
        small = id_of(self.server.upload(Recording().call(1, 'a.B.c', 5).bytes()))
        self.assertIn('a.B.c', self.server.get('/d/%s..%s' % (one, small)).text)
