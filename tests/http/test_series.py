"""Series: one value of the uploads of a space over time, and the digests that it comes from; several files in one form."""
import json
import os
import random
import resource
import unittest
import urllib.parse

import support
from support import ServiceTest, fields_of, id_of, token_of, trace
from team import STARTUP, Team, changed

HTML, JSON = 'text/html', 'application/json'


class SeriesTest(ServiceTest):
    def series(self, space, **query):
        answer = self.server.get('/s/%s/series.json?%s' % (space, urllib.parse.urlencode(query)))
        self.assertEqual(answer.status, 200, answer.text)
        return json.loads(answer.body)

    def one(self, space, **query):
        series, = self.series(space, **query)['series']
        return series


class Digests(ServiceTest):
    def test_say_what_the_table_of_methods_says(self):
        for content in (trace(threads=3, methods=40, records=2000), self.server.get('/demo.trace').body):
            link = '/p/' + id_of(self.server.upload(content))
            lines = self.server.get(link + '/digest.tsv').text.split('\n')
            values = [line.split('\t')[1] for line in lines if line.startswith('value\t')]
            at = next(i for i, line in enumerate(lines) if line.startswith('methods\t'))
            told = {}
            for line in lines[at + 1:-1]:
                name, calls, *numbers = line.split('\t')
                told[name] = [int(calls), *map(int, numbers)]
            self.assertEqual(sorted(told), list(told))
            table = json.loads(self.server.get(link + '/methods.json?limit=100000').body)
            wanted = {}
            for row in (dict(zip(table['columns'], cells)) for cells in table['rows']):
                if row['class'] + row['method'] == '(toplevel)' or not row['method']:
                    continue
                name = (row['class'] + '.' if row['class'] else '') + row['method'] + row['signature']
                wanted[name] = [row['calls']]
                for value in values:
                    wanted[name] += [row[value + '_incl'], row[value + '_excl']]    # whole us
            told = {name: [calls, *(ns // 1000 for ns in numbers)] for name, (calls, *numbers) in told.items()}
            self.assertEqual(told, wanted)

    def test_have_room_for_the_heaviest_methods(self):
        """Of 6,000, each as deep in a stack of its own as its number says: those at the top of long stacks go."""
        methods = 6000
        content = b''.join(b';'.join(b'com.example.C%d.m%d' % (stack, depth) for depth in range(60)) + b' %d\n' % (stack + 1)
                           for stack in range(methods // 60))
        answer = self.server.upload(content)
        lines = self.server.get('/p/%s/digest.tsv' % id_of(answer)).text.split('\n')
        at = next(i for i, line in enumerate(lines) if line.startswith('methods\t'))
        self.assertEqual(lines[at], 'methods\t5000\t%d' % (methods - 5000))
        kept = [line.split('\t') for line in lines[at + 1:-1]]
        self.assertEqual(len(kept), 5000)
        self.assertEqual([row[0] for row in kept], sorted(row[0] for row in kept))
        weights = sorted((stack + 1 for stack in range(methods // 60) for _ in range(60)), reverse=True)
        self.assertEqual(sorted((int(row[2]) for row in kept), reverse=True), weights[:5000])


class Kept(SeriesTest):
    def remove(self, is_meant):
        """Files of the store, by their path in it."""
        removed = 0
        for folder, _, names in os.walk(self.server.store):
            for path in (os.path.join(folder, name) for name in names):
                if is_meant(os.path.relpath(path, self.server.store)):
                    os.unlink(path)
                    removed += 1
        return removed

    def test_digests_need_neither_views_nor_uploads(self):
        t = Team(self.server, 'kept', noise=0)
        answers = [t.upload(STARTUP, commit='c%d' % i) for i in range(3)]
        asked = {'of': 'com.example.feed.Db.query'}
        series = self.series('kept', **asked)
        self.assertEqual([p['median'] for p in series['series'][0]['points']], [28_000_000] * 3)
        self.server.stop()
        self.assertEqual(self.remove(lambda path: path.startswith('views/') and '/digest' not in path), 0)     # they are small
        self.assertEqual(self.remove(lambda path: path.startswith('bytes/')), 3)
        self.server.start()
        self.assertEqual(self.series('kept', **asked), series)
        # One that is nowhere any more has no value, and is counted.
        self.assertEqual(self.remove(lambda path: '/digest' in path and id_of(answers[1]) in path), 1)
        said = self.series('kept', **asked)
        self.assertEqual([p.get('median') for p in said['series'][0]['points']], [28_000_000, None, 28_000_000])
        self.assertEqual((said['not_read'], said['later']), (1, 0))
        self.assertIn('have no such value, or cannot be read', self.server.get('/s/kept/series', Accept=HTML).text)


class Points(SeriesTest):
    def test_are_commits_with_the_median_of_their_runs(self):
        chance, t = random.Random(3), Team(self.server, 'points', noise=0)
        times = {}
        for number in range(3):
            times[number] = [chance.randrange(1000, 5000) for _ in range(5)]
            for run, us in enumerate(times[number]):
                t.upload((('a.B.c', us, 0),), commit='c%d' % number, run=str(run), branch='main')
        series = self.one('points', of='a.B.c')
        self.assertEqual(series['labels'], {'branch': 'main'})
        self.assertEqual([p['at'] for p in series['points']], ['c0', 'c1', 'c2'])
        for number, point in enumerate(series['points']):
            ns = sorted(us * 1000 for us in times[number])
            self.assertEqual(sorted(run.get('value') for run in point['runs']), ns)
            self.assertEqual((point['least'], point['median'], point['most']), (ns[0], ns[2], ns[4]))
            self.assertEqual(sorted(run['value'] for run in point['runs']), ns)

    def test_are_of_one_series_by_what_people_said(self):
        t = Team(self.server, 'apart', noise=0)
        for scenario in ('start', 'scroll'):
            t.commits(range(2), 2, scenario=scenario)
        t.upload(STARTUP)
        t.upload(STARTUP)
        found = {json.dumps(s['labels']): s for s in self.series('apart')['series']}
        self.assertEqual(set(found), {'{"scenario": "start"}', '{"scenario": "scroll"}', '{}'})
        self.assertEqual([len(p['runs']) for p in found['{"scenario": "start"}']['points']], [2, 2])
        self.assertEqual([len(p['runs']) for p in found['{}']['points']], [1, 1])    # without a commit, each by itself
        self.assertEqual(len(self.one('apart', q='scenario:start', over='run')['points']), 2)

    def test_stand_in_the_order_of_their_dates(self):
        t = Team(self.server, 'dates', noise=0)
        for commit, date in (('c', '2026-11-03'), ('a', '1700000000'), ('e', 'soon'), ('b', '2026-11-01T10:00:00Z'), ('d', '2026-11-04')):
            t.upload(STARTUP, commit=commit, date=date)
        points = self.one('dates')['points']
        self.assertEqual([p['at'] for p in points], ['a', 'b', 'c', 'd', 'e'])
        self.assertEqual([p['created'] for p in points[:3]], ['2023-11-14T22:13:20Z', '2026-11-01T10:00:00Z', '2026-11-03T00:00:00Z'])

    def test_show_the_value_that_is_asked_for(self):
        Team(self.server, 'values', noise=0).commits([1], 1)
        total = 1000 * sum(runs + waits for _, runs, waits in STARTUP)
        for query, wanted in (({}, total), ({'of': 'total'}, total), ({'of': 'thread:main', 'value': 'cpu'},
                              1000 * sum(runs for _, runs, _ in STARTUP)), ({'of': 'com.example.feed.Net.await()V'}, 40_400_000),
                              ({'of': 'com.example.feed.Net.await', 'value': 'waiting'}, 40_000_000),
                              ({'of': 'com.example.feed.Start.run'}, total), ({'of': 'com.example.feed.Start.run', 'part': 'excl'}, 0),
                              ({'of': 'com.example.feed.Start.run', 'part': 'calls'}, 1), ({'of': 'no.such.method'}, 0)):
            point, = self.one('values', **query)['points']
            self.assertEqual(point['median'], wanted, query)
        point, = self.one('values', of='thread:no such')['points']
        self.assertNotIn('median', point)
        for query in ('value=nothing', 'part=all', 'q=after:never'):
            self.assertEqual(self.server.get('/s/values/series.json?' + query).status, 400, query)

    def test_of_uploads_that_are_deleted_go(self):
        t = Team(self.server, 'gone', noise=0)
        answers = [t.upload(STARTUP, commit=str(i)) for i in range(3)]
        self.server.request('DELETE', '/p/' + id_of(answers[1]), **{'X-Delete-Token': token_of(answers[1])})
        self.assertEqual([p['at'] for p in self.one('gone')['points']], ['0', '2'])


class Steps(SeriesTest):
    @unittest.skipUnless(os.environ.get('AFLAMED_SAMPLES'), 'needs AFLAMED_SAMPLES')
    def test_of_a_start_are_shown_and_checked(self):
        with open(os.path.join(os.environ['AFLAMED_SAMPLES'], 'samples', 'system-trace', 'start-small.pb'), 'rb') as f:
            content = f.read()
        for commit in ('a', 'b'):
            answer = self.server.upload_form(*fields_of(space='starts', **{'label.commit': commit}), ('trace', 'start.pb', content))
            self.assertEqual(answer.status, 201, answer.text)
        said = self.server.get('/p/%s/verdict.txt' % id_of(answer)).text
        for step, words in (('start', 'The start took 134 ms'), ('launching', 'the start took 145 ms'), ('fully-drawn', 'fully drawn 604 ms')):
            self.assertIn(words, said)
            points = self.one('starts', of='step:' + step)['points']
            self.assertEqual({round(p['median'] / 1e6) for p in points}, {int(words.split()[-2])})
        self.assertEqual({p['median'] for p in self.one('starts', of='step:frames')['points']}, {124})
        self.assertIn('<option value="step:start">', self.server.get('/s/starts/series', Accept=HTML).text)
        for rule, state in (('step:start>5%', 'PASS'), ('step:start>10ms', 'PASS'), ('step:nothing>5%', 'INCONCLUSIVE')):
            answer = self.server.get('/s/starts/check.txt?' + urllib.parse.urlencode({'q': 'commit:b', 'baseline': 'commit:a', 'fail-if': rule}))
            self.assertEqual((answer.status, answer['X-Check']), (200, state), answer.text)
        self.assertEqual(self.server.get('/s/starts/check.txt?q=commit:b&baseline=commit:a&fail-if=step:start%3E5KiB').status, 400)


class Changes(SeriesTest):
    def test_are_found_at_their_commits_and_nowhere_else(self):
        at = {12: lambda w: changed(w, 'ImageLoader.decode', 1.08), 24: lambda w: changed(w, 'Net.await', waits=0.9)}
        Team(self.server, 'changes', seed=11, noise=0.02).commits(range(36), 3, at, branch='main', scenario='start')
        for method, commits in (('ImageLoader.decode', ['c012']), ('Net.await', ['c024']), ('Json.parse', []), ('Db.query', [])):
            series = self.one('changes', of='com.example.feed.' + method)
            self.assertEqual([change['at'] for change in series['changes']], commits, method)
            self.assertAlmostEqual(series['noise_percent'], 2, delta=1)
        grew, = self.one('changes', of='com.example.feed.ImageLoader.decode')['changes']
        self.assertAlmostEqual(grew['after'] / grew['before'], 1.08, delta=0.02)
        text = self.server.get('/s/changes/series.txt?of=com.example.feed.Net.await').text
        self.assertIn('# At commit c024 wall time of com.example.feed.Net.await()V fell from ', text)
        page = self.server.get('/s/changes/series?of=com.example.feed.Net.await', Accept=HTML).text
        self.assertIn('<li class="fell">At commit c024', page)
        link = page.split('<li class="fell">')[1].split('href="../..')[1].split('"')[0]
        self.assertEqual(self.server.get(link, Accept=HTML).status, 200)

    def test_of_few_points_are_not_denied(self):
        t = Team(self.server, 'few', noise=0.01)
        t.commits(range(9), 1, {6: lambda w: changed(w, 'ImageLoader.decode', 3)}, branch='main')
        page, text = (self.server.get('/s/few/series%s?of=com.example.feed.ImageLoader.decode' % suffix, Accept=HTML).text
                      for suffix in ('', '.txt'))
        for answer in (page, text):
            self.assertIn('It takes at least 11 points to tell a change from noise, 5 of them on either side; here are 9.', answer)
            self.assertRegex(answer, r'At commit c006 wall time of com.example.feed.ImageLoader.decode\S* grew from \S+ ms to \S+ ms, by')
        link = page.split('<li class="grew">')[1].split('href="../..')[1].split('"')[0]
        self.assertEqual(self.server.get(link, Accept=HTML).status, 200)
        t.commits(range(9, 14), 1, branch='main')
        text = self.server.get('/s/few/series.txt?of=com.example.feed.Db.query').text
        self.assertIn('# No change is found that noise does not explain, with at least 5 points on either side of it.', text)


class Pages(SeriesTest):
    def test_hostile_text_is_text(self):
        for of in ('<script>alert(1)</script>', '"><script>', 'thread:<script>'):
            t = Team(self.server, 'hostile', noise=0)
            t.upload(STARTUP, commit='<script>alert(2)</script>', scenario='"><script>')
            page = self.server.get('/s/hostile/series?' + urllib.parse.urlencode({'of': of, 'q': of.replace('"', '')}), Accept=HTML)
            self.assertNotIn('<script>', page.text.replace('<script type="module" src=', ''))
        page = self.server.get('/s/hostile/series', Accept=HTML).text
        self.assertIn('&lt;script&gt;alert(2)', page)
        self.assertNotIn('<script>', page.replace('<script type="module" src=', ''))

    def test_a_long_chart_is_no_row_of_tab_stops(self):
        t = Team(self.server, 'stops', noise=0)
        t.commits(range(40), 1)
        page = self.server.get('/s/stops/series', Accept=HTML).text
        self.assertEqual((page.count('<circle'), page.count('tabindex="-1"')), (40, 0))
        t.upload(STARTUP, commit='one more')
        page = self.server.get('/s/stops/series', Accept=HTML).text
        self.assertEqual((page.count('<circle'), page.count('tabindex="-1"')), (41, 41))

    def test_of_nothing(self):
        for suffix, words in (('', 'Nothing that is listed'), ('.txt', 'nothing is listed'), ('.json', '"series":[]')):
            answer = self.server.get('/s/nothing/series' + suffix, Accept=HTML)
            self.assertEqual((answer.status, words in answer.text), (200, True), answer.text)
        self.assertEqual(self.server.get('/s/No%20Space/series').status, 404)


class SeveralFiles(ServiceTest):
    def test_of_one_form_are_an_upload_each(self):
        files = [('trace', '%d.trace' % i, trace(salt=i)) for i in range(5)]
        answer = self.server.upload_form(files[0], *fields_of(space='several', **{'label.commit': 'x'}), *files[1:], Accept=JSON)
        self.assertEqual(answer.status, 201, answer.text)
        said = json.loads(answer.body)
        self.assertEqual([r['name'] for r in said['results']], ['%d.trace' % i for i in range(5)])
        self.assertEqual(said['failed'], [])
        for result, file in zip(said['results'], files):
            self.assertEqual(self.server.get('/p/%s/raw' % result['id']).body, file[2])
            self.assertEqual(json.loads(self.server.get('/p/%s.json' % result['id']).body)['label'], {'commit': 'x'})
        text = self.server.upload_form(*files).text
        self.assertEqual(len(text.split()), 5)

    def test_one_token_deletes_them_all(self):
        answer = self.server.upload_form(*[('trace', 'x', trace(salt=i)) for i in range(3)], Accept=JSON)
        said = json.loads(answer.body)
        for result in said['results']:
            gone = self.server.request('DELETE', '/p/' + result['id'], **{'X-Delete-Token': said['delete_token']})
            self.assertIn(gone.status, (200, 204))

    def test_one_that_is_no_trace_is_said(self):
        good, bad = ('trace', 'good.trace', trace()), ('trace', 'bad.trace', b'nothing at all')
        for files in ((good, bad), (bad, good)):
            said = json.loads(self.server.upload_form(*files, Accept=JSON).body)
            self.assertEqual([r['name'] for r in said['results']], ['good.trace'])
            self.assertEqual([f['member'] for f in said['failed']], ['bad.trace'])
        answer = self.server.upload_form(bad, bad)
        self.assertEqual(answer.status, 415, answer.text)

    def test_with_what_is_of_one_file_are_refused(self):
        two = [('trace', 'x', trace()), ('trace', 'y', trace(salt=1))]
        for field in (('member', None, b'all'), ('mapping', 'mapping.txt', b'a.B -> c:\n')):
            for parts in ([field, *two], [two[0], field, two[1]], [*two, field]):
                answer = self.server.upload_form(*parts)
                self.assertEqual(answer.status, 400, answer.text)
                self.assertIn('several files', answer.text)
        answer = self.server.upload_form(*[('trace', 'x', trace())] * 51)
        self.assertEqual((answer.status, 'at most 50' in answer.text), (400, True), answer.text)

    def test_a_field_that_was_left_empty_is_no_file(self):
        file, empty = ('trace', 'x.trace', trace()), ('more', '', b'')
        for parts in ((file, empty), (empty, file), (empty, file, empty), (file, empty, empty)):
            answer = self.server.upload_form(*parts)
            self.assertEqual((answer.status, len(answer.text.split())), (201, 1), answer.text)
        answer = self.server.upload_form(file, empty, ('trace', 'y.trace', trace(salt=1)), empty)
        self.assertEqual((answer.status, len(answer.text.split())), (201, 2), answer.text)
        self.assertEqual(self.server.upload_form(empty, empty).status, 400)

    def test_of_which_nobody_hears_do_not_stay(self):
        with_none = support.Server()
        try:
            def kept():
                return with_none.log()[len(before):].count(' uploaded id=')

            for _ in range(10):
                before = with_none.log()
                kind, body = support.form(*fields_of(space='left'), *[('trace', 'x', trace(salt=i)) for i in range(50)])
                with with_none.connect() as connection:
                    connection.sendall(support.head('POST', '/', 'Content-Type: ' + kind, 'Content-Length: %d' % len(body)) + body)
                    self.assertTrue(support.eventually(lambda: kept() > 1))
                support.eventually(lambda: with_none.uploads_under_way() == 0)
                if kept() < 50:      # it left in the middle of them
                    break
            self.assertTrue(support.eventually(lambda: json.loads(with_none.get('/s/left.json').body)['profiles'] == []), with_none.log_tail())
        finally:
            with_none.clean()

    def test_one_for_which_there_is_no_room_leaves_the_form_whole(self):
        full = support.Server()
        try:
            _, hard = resource.prlimit(full.pid, resource.RLIMIT_FSIZE)
            resource.prlimit(full.pid, resource.RLIMIT_FSIZE, (300_000, hard))
            files = [('trace', 'a', trace()), ('trace', 'b', support.large_trace(1 << 20)), ('trace', 'c', trace(salt=1))]
            said = json.loads(full.upload_form(*files, *fields_of(space='room', **{'label.commit': 'x'}), Accept=JSON).body)
            self.assertEqual([(r['name'], r['space'], r['label']) for r in said['results']],
                             [('a', 'room', {'commit': 'x'}), ('c', 'room', {'commit': 'x'})])
            self.assertEqual([(f['member'], f['title']) for f in said['failed']], [('b', 'disk full')])
        finally:
            full.clean()

    def test_that_wait_for_their_form_are_bounded(self):
        small = support.Server(max_connections=10)
        try:
            kind, body = support.form(*[('trace', 'x', trace(salt=i)) for i in range(50)])
            request = support.head('POST', '/', 'Content-Type: ' + kind, 'Content-Length: %d' % len(body)) + body
            with small.connect() as first, small.connect() as second:
                first.sendall(request[:-10])
                self.assertTrue(support.eventually(lambda: small.uploads_under_way() == 50))
                second.sendall(request)
                refused, = support.read_answers(second, ['POST'])
                self.assertEqual((refused.status, 'too many files wait' in refused.text), (503, True), refused.text)
                self.assertEqual(small.upload(trace()).status, 201)
                first.sendall(request[-10:])
                taken, = support.read_answers(first, ['POST'])
                self.assertEqual((taken.status, len(taken.text.split())), (201, 50), taken.text)
            self.assertTrue(support.eventually(lambda: small.uploads_under_way() == 0))
            self.assertEqual(small.upload_form(*[('trace', 'x', trace(salt=i)) for i in range(50)]).status, 201)
        finally:
            small.clean()

    def test_count_together(self):
        with_limit = support.Server(max_upload_bytes=3 * len(trace()))
        try:
            self.assertEqual(with_limit.upload_form(*[('trace', 'x', trace(salt=i)) for i in range(2)]).status, 201)
            self.assertEqual(with_limit.upload_form(*[('trace', 'x', trace(salt=i)) for i in range(4)]).status, 413)
        finally:
            with_limit.clean()


if __name__ == '__main__':
    unittest.main()
