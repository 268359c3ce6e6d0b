"""Archives of which each file becomes a result: member=all, of uploads and on the command line."""
import gzip
import html
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
import urllib.parse
import zipfile

from support import AFLAMED, Server, ServiceTest, TIMEOUT_S, binary_header, eventually, form, head, id_of, large_trace, trace
from test_packed import tarred, zipped, zstd
import system_trace
from native import number, text as message

EACH = ('member', None, b'all')
FOLDED = b'main;load;read 3\nmain;draw 4\n'
CUT = trace()[:300]


def heap_profile(function=b'leak'):
    """A Perfetto trace with a heap profile of one stack."""
    interned = (message(16, number(1, 1) + message(2, b'\x12\xab')) + message(17, number(1, 1) + message(2, b'libfoo.so')) +
                message(5, number(1, 1) + message(2, function)) + message(19, number(1, 1) + number(2, 1) + number(7, 1)) +
                message(6, number(1, 1) + number(2, 1) + number(3, 1) + number(4, 0x40)) + message(7, number(1, 1) + number(2, 1)))
    sample = number(1, 1) + number(2, 4096) + number(3, 0) + number(4, 1) + number(5, 0) + number(6, 4)
    profile = message(5, number(1, 42) + number(9, 4096) + message(2, sample)) + number(7, 0)
    return message(1, number(8, 1) + number(10, 1) + number(13, 1) + message(12, interned)) + \
        message(1, number(8, 2) + number(10, 1) + number(13, 2) + message(37, profile))


def cpu_samples():
    """A Perfetto trace with two CPU samples of a thread, of a function without a name."""
    interned = (message(16, number(1, 1) + message(2, b'\x12\xab')) + message(17, number(1, 1) + message(2, b'libfoo.so')) +
                message(19, number(1, 1) + number(2, 1) + number(7, 1)) + message(6, number(1, 1) + number(3, 1) + number(4, 0x40)) +
                message(7, number(1, 1) + number(2, 1)))
    packets = [message(12, interned) + number(8, 1000) + number(13, 1)]
    packets += [message(66, number(2, 42) + number(3, 42) + number(4, 1)) + number(8, 1000 * i) + number(13, 2) for i in (2, 3)]
    return b''.join(message(1, number(10, 1) + packet) for packet in packets)


def iteration(n):
    """What AndroidX writes for an iteration of a benchmark: the trace, and one that the library kept in memory."""
    ms = 1_000_000
    t = system_trace.Trace()
    t.process(42, 'com.example.app', uid=10001)
    t.thread(42, 42, 'com.example.app')
    t.run(1 * ms, 0, 42)
    t.begin(1 * ms, 42, 42, 'bindApplication')
    t.begin(2 * ms, 42, 42, 'load')
    t.end((5 + n) * ms, 42, 42)
    t.stop((6 + n) * ms, 0, 42, system_trace.SLEEPS)
    t.run((90 + n) * ms, 0, 42)
    t.end(99 * ms, 42, 42)
    t.stop(100 * ms, 0, 42, system_trace.SLEEPS)
    memory = system_trace.Trace()
    memory.begin(30 * ms, 42, 42, 'measure')
    memory.end((40 + n) * ms, 42, 42)
    return zipped(('Trace.pb', t.bytes()), ('InMemoryTrace.pb', memory.bytes()), streamed=True)


def symbols():
    """What `traceconv symbolize` writes for it."""
    line = message(1, b'symbolized_leak') + message(2, b'leak.cc') + number(3, 7)
    return message(1, message(61, message(1, b'/libfoo.so') + message(2, b'\x12\xab') + message(3, number(1, 0x40) + message(2, line))))


# As Android writes it: a text with everything, and copies of files below FS.
BUG_REPORT = zipped(('main_entry.txt', b'bugreport-sdk.txt'), ('version.txt', b'2.0'),
                    ('bugreport-sdk.txt', b'========================================================\n== dumpstate: 2026\n' * 200),
                    ('FS/data/anr/anr_2026-01-01-00-00-00-000', b'----- pid 42 at 2026-01-01 00:00:00 -----\nCmd line: com.foo\n'),
                    ('FS/data/misc/perfetto-traces/bugreport/systrace.pftrace', heap_profile()),
                    ('FS/data/local/traces/app.trace', trace()),
                    ('proto/activity.proto', b'\x0a\x04\x08\x01\x10\x02\x12\x03abc'))


class Members(ServiceTest):
    def each(self, archive, *more, status=201, **headers):
        answer = self.server.upload_form(*more, EACH, ('trace', 'x.zip', archive), Accept='application/json', **headers)
        self.assertEqual(answer.status, status, answer)
        return json.loads(answer.body)

    def folded(self, result):
        got = self.server.get('/p/%s/t/all.folded.txt' % result['id'])
        self.assertEqual(got.status, 200, got)
        return got.body

    def alone(self, content):
        answer = self.server.upload(content, Accept='application/json')
        self.assertEqual(answer.status, 201, answer)
        return self.folded(json.loads(answer.body))


class Results(Members):
    def test_each_file_is_a_result(self):
        members = [('logs/app.trace', trace()), ('read me', b'Dear reader'), ('stacks.txt', FOLDED), ('cut.trace', CUT),
                   ('other.trace.gz', gzip.compress(trace(threads=3, salt=5)))]
        archives = [zipped(*members), tarred(*members), gzip.compress(tarred(*members)), zstd(tarred(*members))]
        for archive in archives:
            said = self.each(archive, ('name', None, b'Monday'))
            self.assertEqual([r['member'] for r in said['results']], ['logs/app.trace', 'stacks.txt', 'other.trace.gz'])
            self.assertEqual([r['name'] for r in said['results']],
                             ['Monday/logs/app.trace', 'Monday/stacks.txt', 'Monday/other.trace.gz'])
            self.assertEqual([r['format'] for r in said['results']], ['android-trace', 'folded-stacks', 'android-trace'])
            self.assertEqual([self.folded(r) for r in said['results']],
                             [self.alone(trace()), self.alone(FOLDED), self.alone(trace(threads=3, salt=5))])
            self.assertEqual([(f['member'], f['title']) for f in said['failed']], [('cut.trace', 'key section never ends')])
            self.assertIn('cut', said['failed'][0]['detail'])
            self.assertEqual((said['left_out'], said['cut']), (0, False))
            for result in said['results']:
                self.assertEqual(self.server.get('/p/%s/raw' % result['id']).body, archive)
                self.assertEqual(result['size'], len(archive))

    def test_in_any_order_and_by_query(self):
        archive = zipped(('a', FOLDED), ('b.trace', trace()))
        for answer in (self.server.upload_form(('trace', 'x', archive), EACH, Accept='application/json'),
                       self.server.upload(archive, '/?member=all', Accept='application/json'),
                       self.server.request('PUT', '/x.zip?member=all', archive, Accept='application/json')):
            self.assertEqual(answer.status, 201, answer)
            self.assertEqual([r['member'] for r in json.loads(answer.body)['results']], ['a', 'b.trace'])

    def test_text(self):
        answer = self.server.upload_form(EACH, ('trace', 'x.zip', zipped(('a', FOLDED), ('cut.trace', CUT), ('b', FOLDED))))
        lines = answer.text.splitlines()
        self.assertEqual(len(lines), 3, answer)
        for line in lines[:2]:
            self.assertEqual(self.server.get(line[line.index('/p/'):] + '/t/all.folded.txt').status, 200)
        self.assertRegex(lines[2], r'^# cut\.trace: key section never ends: ')

    def test_page(self):
        answer = self.server.upload_form(EACH, ('trace', '<x>.zip', zipped(('a&b', FOLDED), ('cut.trace', CUT), ('c', FOLDED))),
                                         Accept='text/html')
        self.assertEqual(answer.status, 201)
        self.assertNotIn('Location', answer.headers)
        links = re.findall(r'<a href="\./(p/[a-z2-7]{26})#token=([a-z2-7]{26})"><bdi>([^<]*)</bdi>', answer.text)
        self.assertEqual([html.unescape(name) for _, _, name in links], ['<x>.zip/a&b', '<x>.zip/c'])
        for path, _, _ in links:
            self.assertEqual(self.server.get('/' + path, Accept='text/html').status, 200)
        self.assertIn('key section never ends', answer.text)

    def test_one_token_ends_each(self):
        said = self.each(zipped(('a', FOLDED), ('b', FOLDED + b'x 1\n')))
        first, second = said['results']
        ended = self.server.request('DELETE', '/p/' + first['id'], X_Delete_Token=said['delete_token'])
        self.assertEqual(ended.status // 100, 2, ended)
        self.assertEqual(self.server.get('/p/' + first['id']).status, 410)
        self.assertEqual(self.folded(second), self.alone(FOLDED + b'x 1\n'))

    def test_the_same_names(self):
        """A name that several have chooses the first; the others are chosen by their place, and so is one that looks like a place."""
        said = self.each(zipped(('none', b''), ('a', FOLDED), ('a', b'other;one 7\n'), ('#1', b'third;x 1\n')))
        self.assertEqual([r['member'] for r in said['results']], ['a', '#2', '#3'])
        self.assertEqual([self.folded(r) for r in said['results']],
                         [self.alone(FOLDED), self.alone(b'other;one 7\n'), self.alone(b'third;x 1\n')])

    def test_what_is_no_archive_is_one_result(self):
        for content in (trace(), gzip.compress(trace())):
            said = self.each(content)
            self.assertEqual(said['format'], 'android-trace')
            self.assertNotIn('results', said)

    def test_an_archive_of_one(self):
        said = self.each(zipped(('a', FOLDED), ('picture', b'\x89PNG\r\n\x1a\n')))
        self.assertEqual([r['member'] for r in said['results']], ['a'])

    def test_after_a_restart(self):
        said = self.each(zipped(('a', FOLDED), ('b.trace.gz', gzip.compress(trace()))))
        before = [self.folded(r) for r in said['results']]
        self.server.stop()
        self.server.start()
        self.assertEqual([self.folded(r) for r in said['results']], before)

    def test_mapping(self):
        """The names of a release build are told to all."""
        archive = zipped(('a', b'main;a.b.c 5\n'), ('b', b'main;a.b.d 7\n'))
        said = self.each(archive, ('mapping', 'mapping.txt', b'com.example.Shop -> a.b:\n    void buy() -> c\n    void sell() -> d\n'))
        for result in said['results']:
            self.assertEqual(json.loads(self.server.get('/p/%s.json' % result['id']).body)['facts']['mapped_names'], 1)


class Refused(Members):
    def test_nothing_that_can_be_read(self):
        for archive, status in ((zipped(('a.png', b'\x89PNG\r\n\x1a\n'), ('b', b'Dear reader')), 422), (zipped(('a', b'')), 422)):
            self.each(archive, status=status)

    def test_none_works(self):
        said = self.each(zipped(('one.trace', CUT), ('two.trace', CUT)), status=422)
        self.assertEqual(said['title'], 'no file of the archive can be used')
        self.assertIn('one.trace: key section never ends', said['detail'])
        self.assertIn('two.trace: ', said['detail'])
        only = self.each(zipped(('one.trace', CUT)), status=422)
        self.assertEqual(only['title'], 'key section never ends')

    def test_what_cannot_be_unpacked_is_told(self):
        """By its name, beside what can be read."""
        archive = bytearray(zipped(('a.txt', FOLDED), ('secret.trace', trace())))
        for mark, at in ((b'PK\3\4', 6), (b'PK\1\2', 8)):     # encrypted, says the second header of each kind
            archive[archive.index(mark, archive.index(mark) + 1) + at] |= 1
        said = self.each(bytes(archive))
        self.assertEqual([r['member'] for r in said['results']], ['a.txt'])
        self.assertEqual([f['member'] for f in said['failed']], ['secret.trace'])
        self.assertIn('encrypted', said['failed'][0]['detail'])

    def test_no_output(self):
        """There is no one picture of several results; and nothing is kept."""
        before = self.server.files('uploads')
        archive = zipped(('a', FOLDED), ('b', FOLDED))
        for answer in (self.server.upload_form(EACH, ('trace', 'x', archive), target='/?output=svg'),
                       self.server.upload_form(EACH, ('trace', 'x', archive), Accept='image/svg+xml')):
            self.assertEqual(answer.status, 400, answer)
            self.assertIn('list of links', answer.text)
        eventually(lambda: self.server.files('uploads') == before)

    def test_a_cut_archive(self):
        members = tarred(('a', FOLDED), ('b', FOLDED), ('c.trace', trace()))
        said = self.each(members[:len(members) - 20_000] if len(members) > 30_000 else members[:2100])
        self.assertTrue(said['cut'])
        self.assertEqual(said['results'][0]['member'], 'a')


class Limit(Members):
    CONFIG = {'max_members': 2}

    def test_limit(self):
        archive = zipped(*(('%d' % i, b'main;f%d 1\n' % i) for i in range(5)))
        said = self.each(archive)
        self.assertEqual([r['member'] for r in said['results']], ['0', '1'])
        self.assertEqual(said['left_out'], 3)
        self.assertIn('# 3 more', self.server.upload_form(EACH, ('trace', 'x', archive)).text)


def endless_trace():
    """40 MB, whose reading takes much longer than an answer: the records of a small one, again and again."""
    once = large_trace(1 << 20)
    records = once.index(b'\n*end\n') + len(b'\n*end\n') + len(binary_header(3, 14))
    return once + once[records:] * 39


class Early(Members):
    """Answers that do not wait until all files were read."""
    CONFIG = {'workers': 1, 'profile_cache_bytes': 0}
    ARCHIVE = zipped(('large.trace', endless_trace()), ('none.txt', b'Dear reader'), ('cut.trace', CUT), ('small', FOLDED),
                     method=zipfile.ZIP_STORED)
    NAMES = ['large.trace', 'cut.trace', 'small']

    def done(self, result):
        while json.loads(self.server.get('/p/%s/status.json?wait=60' % result['id']).body)['state'] != 'done':
            pass

    def test_client_that_prefers_not_to_wait(self):
        """All files that were recognised have links, which are there from then on; what is wrong with one is said at its own."""
        answer = self.server.upload_form(EACH, ('trace', 'x.zip', self.ARCHIVE), Accept='application/json', Prefer='respond-async')
        said = json.loads(answer.body)
        self.assertEqual((answer.status, answer['Preference-Applied']), (202, 'respond-async'))
        self.assertEqual(([r['member'] for r in said['results']], said['failed'], said['complete']), (self.NAMES, [], False))
        self.assertEqual([r['format'] for r in said['results']], ['android-trace', 'android-trace', 'folded-stacks'])
        large, cut, small = said['results']
        state = json.loads(self.server.get('/p/%s/status.json' % small['id']).body)
        self.assertIn(state['state'], ('rendering', 'done'))
        self.assertEqual(self.folded(small), self.alone(FOLDED), 'who asks does not wait for the files before it')
        for result in said['results']:
            self.done(result)
            self.assertEqual(self.server.get('/p/%s/raw' % result['id']).body, self.ARCHIVE)
        self.assertEqual(self.server.get('/p/%s/t/all.folded.txt' % large['id']).status, 200)
        for end in ('', '/t/1.svg', '.json'):
            refused = self.server.get('/p/%s%s' % (cut['id'], end))
            self.assertEqual((refused.status, 'key section never ends' in refused.text), (422, True))
        page = self.server.get('/p/' + cut['id'], Accept='text/html')
        self.assertIn('key section never ends', page.text)
        gone = self.server.request('DELETE', '/p/' + cut['id'], X_Delete_Token=said['delete_token'])
        self.assertEqual(gone.status, 200)

    def test_text_and_page(self):
        for accept, words in (('text/plain', '# not all were read yet'), ('text/html', 'Not all of these files were read yet')):
            answer = self.server.upload_form(EACH, ('trace', 'x.zip', self.ARCHIVE), Accept=accept, Prefer='respond-async')
            self.assertEqual(answer.status, 202, answer)
            self.assertIn(words, answer.text)
            linked = set(re.findall(r'/p/(\w+)', answer.text))
            self.assertEqual(len(linked) + ('key section never ends' in answer.text), len(self.NAMES), 'each has a link, or is told to be none')
            self.assertIn('X-Delete-URL', answer.headers)

    def test_who_waits_hears_all(self):
        said = self.each(self.ARCHIVE)
        self.assertEqual([r['member'] for r in said['results']], ['large.trace', 'small'])
        self.assertEqual(([f['member'] for f in said['failed']], said['complete']), (['cut.trace'], True))

    def test_a_refused_one_is_not_kept(self):
        before = set(self.server.files('uploads'))
        said = self.each(zipped(('a', FOLDED), ('cut.trace', CUT)))
        self.assertEqual(set(self.server.files('uploads')) - before, {'uploads/%s.json' % said['results'][0]['id']})

    def test_of_none_that_works_nothing_is_kept(self):
        before = set(self.server.files('uploads'))
        content = zipped(('a.trace', CUT), ('b.trace', CUT + b'x'))
        self.assertEqual(self.server.upload_form(EACH, ('trace', 'x.zip', content)).status, 422)
        self.assertEqual(set(self.server.files('uploads')), before)


    def test_of_one_that_does_not_work(self):
        """It is known before the answer, or said at its link."""
        for i in range(10):
            content = zipped(('a.trace', CUT + b'\n' * i))
            answer = self.server.upload_form(EACH, ('trace', 'x.zip', content), Accept='application/json', Prefer='respond-async')
            if answer.status == 202:
                answer = self.server.get('/p/' + json.loads(answer.body)['results'][0]['id'])
            self.assertEqual((answer.status, 'key section never ends' in answer.text), (422, True))


class InTime(Members):
    CONFIG = {'answer_within_ms': 0, 'workers': 1}

    def test_answered_when_durable(self):
        answer = self.server.upload_form(EACH, ('trace', 'x.zip', Early.ARCHIVE), Accept='application/json', Prefer='')
        self.assertEqual((answer.status, answer['Preference-Applied']), (202, None))
        results = json.loads(answer.body)['results']
        self.assertEqual([r['member'] for r in results], Early.NAMES)
        self.server.kill()
        self.server.start()
        self.assertIn(b'main;load;read 3', self.folded(results[2]))


class Leaving(unittest.TestCase):
    def test_a_client_that_leaves(self):
        """Nothing of its upload stays: neither results nor bytes."""
        server = Server()
        self.addCleanup(server.clean)
        archive = zipped(*(('%d.trace' % i, trace(threads=4, records=4000, salt=i)) for i in range(12)))
        boundary, body = form(EACH, ('trace', 'x', archive))[:2]
        sent = head('POST', '/', 'Content-Type: ' + boundary, 'Content-Length: %d' % len(body)) + body
        for _ in range(4):
            with server.connect() as connection:
                connection.sendall(sent)
        eventually(lambda: not server.files('uploads') and not server.files('tmp') and not server.files('bytes'))
        self.assertEqual(server.get('/healthz').status, 200)


class Bundles(Members):
    def test_bug_report(self):
        """Of a bug report of Android the traces are found, also where several can be read."""
        said = self.each(BUG_REPORT)
        self.assertEqual([r['member'] for r in said['results']],
                         ['FS/data/misc/perfetto-traces/bugreport/systrace.pftrace', 'FS/data/local/traces/app.trace'])
        self.assertEqual([r['format'] for r in said['results']], ['perfetto', 'android-trace'])
        listed = self.server.upload(BUG_REPORT)
        self.assertEqual(listed.status, 422)
        self.assertIn('systrace.pftrace (Perfetto trace)', listed.text)
        self.assertIn('FS/data/local/traces/app.trace (Android method trace)', listed.text)
        self.assertIn('member=all', listed.text)

    def test_bug_report_without_a_trace(self):
        members = [('main_entry.txt', b'bugreport-sdk.txt'), ('version.txt', b'2.0'), ('bugreport-sdk.txt', b'== dumpstate\n' * 99)]
        self.assertIn('bug report of Android', self.server.upload(zipped(*members)).text)
        self.assertIn('bug report of Android', self.server.upload_form(EACH, ('trace', 'x', zipped(*members))).text)

    def test_trace_with_symbols(self):
        """A trace, and its symbols in a file beside it: one result, with the names."""
        readme = ('README', b'Dear reader')
        for members in ([('trace.perfetto-trace', heap_profile(b'')), ('symbols.pb', symbols()), readme],
                        [('symbols.pb.gz', gzip.compress(symbols())), readme, ('trace.perfetto-trace', heap_profile(b''))]):
            for pack in (zipped, tarred, lambda *m: gzip.compress(tarred(*m))):
                archive = pack(*members)
                answer = self.server.upload(archive, Accept='application/json')
                self.assertEqual(answer.status, 201, answer)
                self.assertIn(b'symbolized_leak', self.folded(json.loads(answer.body)))
                each = self.each(archive)
                self.assertEqual([r['member'] for r in each['results']], ['trace.perfetto-trace'])
                self.assertEqual(each['failed'], [])
                self.assertIn(b'symbolized_leak', self.folded(each['results'][0]))
        alone = self.server.upload(heap_profile(b''), Accept='application/json')
        self.assertNotIn(b'symbolized_leak', self.folded(json.loads(alone.body)))
        listed = self.server.upload(zipped(('a.pb', symbols()), ('b.trace', trace()), ('c.trace', trace(salt=2))))
        self.assertIn('a.pb (symbols for a trace)', listed.text)

    def test_symbols_beside_the_trace(self):
        """In a field of their own, or later, or in vain."""
        for field in (symbols(), gzip.compress(symbols())):
            for fields in ((('symbols', 's.pb', field), ('trace', 't', heap_profile(b''))),
                           (('trace', 't', gzip.compress(heap_profile(b''))), ('symbols', 's.pb', field))):
                answer = self.server.upload_form(*fields, Accept='application/json')
                self.assertEqual(answer.status, 201, answer)
                self.assertIn(b'symbolized_leak', self.folded(json.loads(answer.body)))
        kept = json.loads(self.server.upload(heap_profile(b''), Accept='application/json').body)
        self.assertNotIn(b'symbolized_leak', self.folded(kept))
        content_type, body = form(('token', None, kept['delete_token'].encode()), ('symbols', 's.pb', symbols()))
        later = self.server.request('POST', '/p/%s/symbols' % kept['id'], body, Content_Type=content_type)
        self.assertIn(later.status, (200, 303), later)
        self.assertIn(b'symbolized_leak', self.folded(kept))
        vain = self.server.upload_form(('symbols', 's.pb', symbols()), ('trace', 't', trace()), Accept='application/json')
        self.assertIn('symbols-other-kind', [w['code'] for w in json.loads(vain.body)['warnings']])

    def test_results_of_benchmarks(self):
        """The list that AndroidX's benchmarks write says of which benchmark and iteration each file is."""
        listed = {'context': {}, 'benchmarks': [
            {'name': 'startup', 'className': 'com.example.StartupBenchmark',
             'metrics': {'timeToInitialDisplayMs': {'median': 320.25, 'runs': [347.5, 301.5]}},
             'profilerOutputs': [{'label': 'Trace Iteration %d' % i, 'filename': 'startup_iter00%d.trace' % i} for i in (0, 1)]}]}
        archive = zipped(('out/a-benchmarkData.json', json.dumps(listed).encode()), ('out/startup_iter000.trace', trace()),
                         ('out/startup_iter001.trace', trace(salt=5)))
        refused = self.server.upload(archive)
        self.assertEqual(refused.status, 422)
        self.assertIn('StartupBenchmark.startup iteration 1 (#3) (Android method trace)', refused.text)
        results = self.each(archive, ('name', None, b'Monday'), ('space', None, b'bench'))['results']
        self.assertEqual([r['name'] for r in results], ['Monday/StartupBenchmark.startup iteration %d' % i for i in (0, 1)])
        self.assertEqual([r['member'] for r in results], ['out/startup_iter000.trace', 'out/startup_iter001.trace'])
        for i, result in enumerate(results):
            facts = json.loads(self.server.get('/p/%s.json' % result['id']).body)['facts']
            self.assertEqual({name: fact for name, fact in facts.items() if name.startswith('benchmark')},
                             {'benchmark': 'StartupBenchmark.startup', 'benchmark_iteration': i,
                              'benchmark_metrics': 'timeToInitialDisplayMs %s' % (347.5, 301.5)[i]})
        self.assertTrue(eventually(lambda: len(self.known()) == 2 and all('benchmark' in known for known in self.known())))
        self.assertEqual([(k['benchmark'], k['iteration'], k['metrics']) for k in sorted(self.known(), key=lambda k: k['iteration'])],
                         [('StartupBenchmark.startup', '0', 'timeToInitialDisplayMs 347.5'),
                          ('StartupBenchmark.startup', '1', 'timeToInitialDisplayMs 301.5')])

    def test_the_list_of_benchmarks_is_no_choice(self):
        listed = json.dumps({'benchmarks': [{'name': 'startup', 'className': 'com.example.StartupBenchmark',
                                             'profilerOutputs': [{'filename': 'startup_iter000.trace'}]}]}).encode()
        answer = self.server.upload(zipped(('a-benchmarkData.json', listed), ('startup_iter000.trace', trace())))
        self.assertEqual(answer.status, 201, answer.text)
        facts = json.loads(self.server.get('/p/%s.json' % id_of(answer)).body)['facts']
        self.assertEqual(facts['benchmark'], 'StartupBenchmark.startup')

    def test_the_whole_output_of_a_benchmark(self):
        """Recordings that are archives themselves, as AndroidX writes them: each as if it had come alone."""
        files = ['Startup_startup_iter00%d.perfetto-trace' % i for i in range(3)]
        listed = {'benchmarks': [{'name': 'startup', 'className': 'com.example.Startup',
                                  'metrics': {'timeToInitialDisplayMs': {'median': 2.0, 'runs': [1.5, 2.5, 2.0]}},
                                  'profilerOutputs': [{'label': 'Trace Iteration', 'filename': name} for name in files]}]}
        recordings = [iteration(i) for i in range(3)]
        members = [('out/app-benchmarkData.json', json.dumps(listed).encode())]
        members += [('out/' + name, content) for name, content in zip(files, recordings)]
        members += [('out/sources.zip', zipped(('a.kt', b'fun a() {}'), ('b.kt', b'fun b() {}')))]
        titles = ['Startup.startup iteration %d' % i for i in range(3)]
        alone = [self.view(self.upload(content, 'alone')) for content in recordings]
        self.assertEqual(len({folded for folded, _, _ in alone}), 3)
        for i, archive in enumerate((zipped(*members), tarred(*members), gzip.compress(tarred(*members)))):
            space = 'out%d' % i
            refused = self.server.upload(archive)
            self.assertEqual(refused.status, 422, refused)
            for place, title in enumerate(titles):
                self.assertIn('%s (#%d) (Perfetto trace)' % (title, place + 2), refused.text)
            said = self.each(archive, ('name', None, b'Monday'), ('space', None, space.encode()))
            self.assertEqual([r['name'] for r in said['results']], ['Monday/' + title for title in titles])
            self.assertEqual([r['member'] for r in said['results']], ['out/' + name for name in files])
            self.assertEqual((said['failed'], {r['format'] for r in said['results']}), ([], {'perfetto'}))
            self.assertEqual([self.view(result) for result in said['results']], alone)
            self.assertEqual(self.view(self.upload(archive, 'one', member='out/' + files[1])), alone[1])
            self.assertTrue(eventually(lambda: len(self.known(space)) == 3 and all('benchmark' in k for k in self.known(space))))
            theirs = sorted(self.known(space), key=lambda k: k['iteration'])
            self.assertEqual([(k.pop('benchmark'), k.pop('iteration'), k.pop('metrics')) for k in theirs],
                             [('Startup.startup', str(n), 'timeToInitialDisplayMs %s' % ms) for n, ms in enumerate((1.5, 2.5, 2.0))])
            self.assertTrue(eventually(lambda: len(self.known('alone')) == 3))
            self.assertEqual(theirs, [self.known('alone')[0]] * 3)

    def test_what_is_wrong_with_an_archive_within(self):
        two = zipped(('a.txt', FOLDED), ('b.txt', FOLDED))
        said = self.each(zipped(('two.zip', two), ('one.zip', zipped(('a.txt', FOLDED))), ('more.zip', zipped(('two.zip', two), ('x', b'x')))))
        self.assertEqual([r['member'] for r in said['results']], ['one.zip'])
        self.assertEqual([(f['member'], f['title']) for f in said['failed']], [('two.zip', 'archive within an archive')])
        self.assertIn('two.zip in the zip archive is a zip archive of 2 files: a.txt (Folded stacks), b.txt (Folded stacks).',
                      said['failed'][0]['detail'])
        self.assertIn('none of which is read here: two.zip', self.server.upload(zipped(('m', zipped(('two.zip', two), ('x', b'x'))))).text)

    def test_symbols_beside_an_archive_within(self):
        """In it, or in the outer one."""
        inner = zipped(('Trace.pb', heap_profile(b'')))
        for archive in (zipped(('x.perfetto-trace', inner), ('symbols.pb', symbols())),
                        tarred(('x.perfetto-trace', zipped(('symbols.pb', symbols()), ('Trace.pb', heap_profile(b'')))), ('y', b'Dear reader'))):
            for said in (json.loads(self.server.upload(archive, Accept='application/json').body), self.each(archive)['results'][0]):
                self.assertIn(b'symbolized_leak', self.folded(said))

    def test_a_check_of_the_whole_output(self):
        archive = zipped(*[('%d.perfetto-trace' % i, iteration(i)) for i in range(3)])
        for branch in ('main', 'mine'):
            fields = [(name, None, value.encode()) for name, value in
                      (('space', 'checked'), ('label.branch', branch), ('label.commit', branch), ('member', 'all'))]
            answer = self.server.upload_form(*fields, ('trace', 'x.zip', archive), target='/?check=branch:main', Accept='application/json')
            self.assertEqual(answer.status, 200, answer)
        said = json.loads(answer.body)
        self.assertEqual((said['state'], len(said['uploads'])), ('PASS', 3))
        self.assertEqual(said['groups'][0]['check']['runs'], {'baseline': 3, 'now': 3})

    def upload(self, content, space, **query):
        answer = self.server.upload(content, '/?' + urllib.parse.urlencode({'space': space, **query}), Accept='application/json')
        self.assertEqual(answer.status, 201, answer)
        return json.loads(answer.body)

    def view(self, result):
        """Stacks, words, and facts but those that tell of the archive."""
        facts = json.loads(self.server.get('/p/%s.json' % result['id']).body)['facts']
        words = self.server.get('/p/%s/verdict.txt' % result['id'])
        self.assertEqual(words.status, 200)
        return (self.folded(result), words.body,
                {name: fact for name, fact in facts.items() if name != 'packed' and not name.startswith('benchmark')})

    def known(self, space='bench'):
        return [row['known'] for row in json.loads(self.server.get('/s/%s.json' % space).body)['profiles'] if 'known' in row]

    def test_recordings_of_android_studio(self):
        """Recordings that Studio exported, in one archive: what each is, is known by its bytes."""
        archive = zipped(('cpu-art-20260101T100000.trace', trace()), ('memory-20260101T100100.heapprofd', heap_profile()),
                         ('session/cpu-20260101T100200.trace', trace(version=1)))
        self.assertEqual([r['format'] for r in self.each(archive)['results']], ['android-trace', 'perfetto', 'android-trace'])


class CommandLine(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def run_program(self, *arguments, status=0):
        done = subprocess.run([AFLAMED, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=TIMEOUT_S, check=False)
        self.assertEqual(done.returncode, status, done)
        return done.stderr.decode()

    def write(self, name, content):
        with open(os.path.join(self.folder, name), 'wb') as file:
            file.write(content)

    def read(self, name):
        with open(os.path.join(self.folder, name), 'rb') as file:
            return file.read()

    def made(self, folder):
        return sorted(os.path.relpath(os.path.join(at, name), os.path.join(self.folder, folder))
                      for at, _, names in os.walk(os.path.join(self.folder, folder)) for name in names)

    def test_each_into_a_folder(self):
        self.write('x.zip', zipped(('logs/a.txt', FOLDED), ('b/a.txt', b'other;one 7\n'), ('cut.trace', CUT)))
        said = self.run_program('render', '--member', 'all', '--output', 'folded', '--track', 'all', '--out-dir', 'out', 'x.zip', status=1)
        self.assertEqual(self.made('out'), ['1-a.txt/all.folded.txt', '2-a.txt/all.folded.txt'])
        with open(os.path.join(self.folder, 'out', '2-a.txt', 'all.folded.txt'), 'rb') as file:
            self.assertIn(b'other;one 7', file.read())
        self.assertIn('error: 3-cut.trace: key section never ends', said)

    def test_archives_within_an_archive(self):
        """By --member, with all, and as runs of a check."""
        recordings = [iteration(i) for i in range(3)]
        self.write('out.zip', zipped(*[('out/%d.perfetto-trace' % i, content) for i, content in enumerate(recordings)]))
        self.run_program('render', '--member', 'all', '--output', 'folded', '--track', 'all', '--out-dir', 'each', 'out.zip')
        for i, content in enumerate(recordings):
            self.write('%d' % i, content)
            self.run_program('render', '--output', 'folded', '--track', 'all', '-o', 'alone', '%d' % i)
            self.run_program('render', '--output', 'folded', '--track', 'all', '--member', 'out/%d.perfetto-trace' % i, '-o', 'chosen', 'out.zip')
            alone = self.read('alone')
            self.assertIn(b'bindApplication;load %d\n' % (3000 + 1000 * i), alone)
            self.assertEqual(self.read('chosen'), alone)
            self.assertEqual(self.read('each/%d-%d.perfetto-trace/all.folded.txt' % (i + 1, i)), alone)
        self.run_program('check', '--format', 'json', '--baseline', 'out.zip', '-o', 'check.json', 'out.zip', '0')
        self.assertEqual(json.loads(self.read('check.json'))['runs'], {'baseline': 3, 'now': 4})

    def test_several_archives(self):
        self.write('x.zip', zipped(('a.txt', FOLDED)))
        self.write('y.tar.gz', gzip.compress(tarred(('a.txt', FOLDED), ('b.txt', FOLDED))))
        self.run_program('render', '--member=all', '--track=all', '--out-dir=out', 'x.zip', 'y.tar.gz')
        self.assertEqual(self.made('out'), ['x/1-a.txt/all.svg', 'y.tar/1-a.txt/all.svg', 'y.tar/2-b.txt/all.svg'])

    def test_symbols(self):
        """Also where the file is read twice."""
        for name, content in (('heap', heap_profile(b'')), ('cpu', cpu_samples()), ('symbols.pb', symbols())):
            self.write(name, content)
        for words in (('methods', 'heap'), ('methods', 'cpu'), ('render', '--view', 'chart', 'cpu')):
            self.run_program(*words, '--symbols', 'symbols.pb', '-o', 'named', '-q')
            with open(os.path.join(self.folder, 'named'), 'rb') as file:
                self.assertIn(b'symbolized_leak', file.read(), words)

    def test_refused(self):
        self.write('x.zip', zipped(('a.txt', FOLDED)))
        self.write('plain.trace', trace())
        self.write('none.zip', zipped(('a.png', b'\x89PNG')))
        self.assertIn('--out-dir', self.run_program('render', '--member', 'all', '-o', 'x.svg', 'x.zip', status=2))
        self.assertIn('no archive', self.run_program('render', '--member', 'all', '--out-dir', 'o', 'plain.trace', status=2))
        self.assertIn('nothing usable', self.run_program('render', '--member', 'all', '--out-dir', 'o', 'none.zip', status=1))


if __name__ == '__main__':
    unittest.main()
