"""Answers that are compressed, conditional, partial, or in memory."""
import glob
import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
import zlib

from support import AFLAMED, Server, ServiceTest, eventually, heavy_trace, id_of, in_parallel, token_of, trace

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
HTML = 'text/html'
SUFFIX = {'gzip': '.gz', 'zstd': '.zst'}
OTHER = b'/* Another '      # what another script begins with
ZSTD_MAGIC = b'\x28\xb5\x2f\xfd'
# What an answer without body says as one with it does.
SAME = ('Content-Type', 'Content-Length', 'Content-Encoding', 'ETag', 'Vary', 'Cache-Control', 'Accept-Ranges',
        'Content-Security-Policy', 'Content-Disposition')


class Stored(ServiceTest):
    CONTENT = heavy_trace(threads=3, methods=150, depth=40)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.path = '/p/' + id_of(cls.server.upload_form(('trace', 'x.trace', cls.CONTENT)))

    def get(self, suffix, **headers):
        return self.server.get(self.path + suffix, **headers)


class Compression(Stored):
    def test_each_coding_is_the_same_view(self):
        for suffix in ('/t/1.svg', '/t/all.json', '/t/2.folded.txt?value=cpu', '/t/1.svg?width=777'):
            plain = self.get(suffix)
            self.assertIsNone(plain['Content-Encoding'])
            for again in range(4):     # made, from the store, into memory, from memory
                with self.subTest(suffix=suffix, again=again):
                    zipped = self.get(suffix, Accept_Encoding='gzip')
                    self.assertEqual(zipped['Content-Encoding'], 'gzip')
                    self.assertEqual(gzip.decompress(zipped.body), plain.body)
                    self.assertLess(len(zipped.body), len(plain.body))
                    zstd = self.get(suffix, Accept_Encoding='gzip, zstd')
                    self.assertEqual(zstd['Content-Encoding'], 'zstd')
                    self.assertEqual(zstd.body[:4], ZSTD_MAGIC)
                    self.assertEqual(len({a['ETag'] for a in (plain, zipped, zstd)}), 3)
                    for answer in (zipped, zstd):
                        self.assertEqual(answer['Content-Type'], plain['Content-Type'])
                        self.assertEqual(answer['Content-Security-Policy'], plain['Content-Security-Policy'])
                        self.assertIn('Accept-Encoding', answer['Vary'])
                        self.assertEqual(answer['Content-Length'], str(len(answer.body)))

    def test_each_coding_is_the_same_page(self):
        """Pages are no views: they are compressed for each answer."""
        for suffix in ('.html', '/t/1', '/methods', '/t/all?value=cpu'):
            with self.subTest(suffix=suffix):
                plain = self.get(suffix, Accept='text/html')
                zipped = self.get(suffix, Accept='text/html', Accept_Encoding='gzip')
                self.assertEqual((plain.status, zipped.status), (200, 200))
                self.assertEqual(zipped['Content-Encoding'], 'gzip')
                self.assertEqual(gzip.decompress(zipped.body), plain.body)

    def test_kept_beside_the_view(self):
        for coding in ('identity', 'gzip', 'zstd'):
            tag = self.get('/t/3.svg', Accept_Encoding=coding)['ETag'].strip('"')
            self.assertIn(tag, [os.path.basename(key) for key in self.server.files('views')])
            self.assertTrue(tag.endswith(SUFFIX.get(coding, '')))

    def test_preferences(self):
        for field, coding in (('gzip;q=1, zstd;q=0.9', 'gzip'), ('identity, gzip;q=0.5', None), ('br', None),
                              ('*', 'zstd'), ('gzip;q=0', None), ('*;q=0, gzip', 'gzip'), ('', None)):
            with self.subTest(field):
                self.assertEqual(self.get('/t/1.svg', Accept_Encoding=field)['Content-Encoding'], coding)

    def test_small_views_stay_plain(self):
        path = '/p/' + id_of(self.stored(b'a;b 1\n'))
        for _ in range(4):
            answer = self.server.get(path + '/t/merged.folded.txt', Accept_Encoding='gzip, zstd')
            self.assertEqual((answer['Content-Encoding'], answer.body), (None, b'a;b 1\n'))

    def test_pages_and_files(self):
        page = self.get('', Accept=HTML)
        self.assertGreater(len(page.body), 4096)
        zipped = self.get('', Accept=HTML, Accept_Encoding='gzip')
        self.assertEqual(zipped['Content-Encoding'], 'gzip')
        self.assertIn('</html>', gzip.decompress(zipped.body).decode())
        for link in re.findall(r'(?:href|src)="(/static/[^"]*)"', page.text):
            plain = self.server.get(link)
            for _ in range(2):
                coded = self.server.get(link, Accept_Encoding='gzip')
                if len(plain.body) >= 1024:
                    self.assertEqual(coded['Content-Encoding'], 'gzip')
                    self.assertEqual(gzip.decompress(coded.body), plain.body)
            self.assertIn('immutable', coded['Cache-Control'])
            self.assertIn('Accept-Encoding', coded['Vary'])

    def test_the_answer_to_an_upload(self):
        content = trace(threads=60, records=6000)
        plain = self.server.upload(content, Accept='application/json')
        self.assertGreater(len(plain.body), 4096)
        zipped = self.server.upload(content, Accept='application/json', Accept_Encoding='gzip')
        self.assertEqual((zipped.status, zipped['Content-Encoding']), (201, 'gzip'))
        self.assertEqual(json.loads(gzip.decompress(zipped.body))['sha256'], json.loads(plain.body)['sha256'])

    def test_all_at_once(self):
        views = ['/t/%s.svg?width=%d' % (t, w) for t in ('1', 'all') for w in (901, 902, 903)]
        asked = [(v, c) for v in views for c in ('identity', 'gzip', 'zstd') for _ in range(4)]
        answers = in_parallel(lambda a: self.get(a[0], Accept_Encoding=a[1]), asked)
        self.assertEqual({a.status for a in answers}, {200})
        plain = {a[0]: answer.body for a, answer in zip(asked, answers) if a[1] == 'identity'}
        for (view, coding), answer in zip(asked, answers):
            if coding == 'gzip':
                self.assertEqual(gzip.decompress(answer.body), plain[view])


class Conditions(Stored):
    def test_unchanged(self):
        for coding in ('identity', 'gzip', 'zstd'):
            for _ in range(3):
                tag = self.get('/t/1.svg', Accept_Encoding=coding)['ETag']
                for field in (tag, 'W/' + tag, '"x", ' + tag, '*'):
                    answer = self.get('/t/1.svg', Accept_Encoding=coding, If_None_Match=field)
                    self.assertEqual((answer.status, answer.body, answer['ETag']), (304, b'', tag), field)
                    self.assertIn('Accept-Encoding', answer['Vary'])

    def test_unchanged_page(self):
        """Of the workspace; it changes with what can be changed of the upload, too."""
        answer = self.server.upload_form(('trace', 'x.trace', self.CONTENT + b'\0'))
        path = '/p/' + id_of(answer)
        for suffix in ('', '/t/1', '/t/all?value=cpu', '/methods', '/t/1?focus=m1'):
            for coding in ('identity', 'gzip'):
                headers = {'Accept': 'text/html', 'Accept_Encoding': coding}
                page = self.server.get(path + suffix, **headers)
                self.assertEqual(page.status, 200, page)
                tag = page['ETag']
                self.assertRegex(tag, r'\AW/"[0-9a-f]{32}"\Z')
                again = self.server.get(path + suffix, If_None_Match=tag, **headers)
                self.assertEqual((again.status, again.body, again['ETag']), (304, b'', tag), suffix)
                self.assertEqual(self.server.get(path + suffix, If_None_Match='W/"x"', **headers).status, 200)
                self.assertEqual(self.server.get(path + suffix, If_Match=tag, **headers).status, 412, 'a weak tag')
        changed = self.server.request('POST', path + '/rename', 'name=other&token=' + token_of(answer),
                                      Content_Type='application/x-www-form-urlencoded')
        self.assertEqual(changed.status, 200)
        self.assertEqual(self.server.get(path + '/t/1?focus=m1', If_None_Match=tag, **headers).status, 200)

    def test_another_coding_is_another_thing(self):
        tag = self.get('/t/1.svg', Accept_Encoding='gzip')['ETag']
        self.assertEqual(self.get('/t/1.svg', Accept_Encoding='zstd', If_None_Match=tag).status, 200)
        self.assertEqual(self.get('/t/1.svg', If_None_Match=tag).status, 200)

    def test_errors_have_no_condition(self):
        for field in ('*', '"x"'):
            self.assertEqual(self.get('/t/9.svg', If_None_Match=field).status, 404)
            self.assertEqual(self.server.get('/p/' + 'a' * 26 + '/t/1.svg', If_None_Match=field).status, 404)

    def test_raw(self):
        tag = self.get('/raw')['ETag']
        answer = self.get('/raw', If_None_Match=tag, Range='bytes=0-1')
        self.assertEqual((answer.status, answer.body, answer['ETag']), (304, b'', tag))

    def test_raw_is_whole_or_nothing(self):
        content = trace(threads=1, methods=3, records=77)
        path = '/p/' + id_of(self.server.upload(content))
        self.assertEqual(self.server.get(path + '/raw').body, content)
        os.truncate(os.path.join(self.server.store, 'bytes', path[3:]), len(content) - 1)
        answer = self.server.get(path + '/raw')
        self.assertEqual(answer.status, 502, answer)
        self.assertIn('The stored bytes are not those that were uploaded.', answer.text)

    def test_only_what_is_known(self):
        for suffix in ('/raw', '/t/1.svg', '/t/1.svg?width=889', '/t/2/thumb.svg', '/t/1/tree?node=0'):
            for coding in ('identity', 'gzip', 'zstd'):
                for _ in range(4):     # made, from the store, into memory, from memory
                    with self.subTest(suffix, coding=coding):
                        whole = self.get(suffix, Accept_Encoding=coding)
                        tag = whole['ETag']
                        for field in (tag, '"x", ' + tag, '*'):
                            answer = self.get(suffix, Accept_Encoding=coding, If_Match=field)
                            self.assertEqual((answer.status, answer.body), (200, whole.body), field)
                        for field in ('"x"', '"x", "y"', 'W/' + tag, ''):
                            answer = self.get(suffix, Accept_Encoding=coding, If_Match=field)
                            self.assertEqual((answer.status, answer['ETag']), (412, None), field)

    def test_conditions_have_an_order(self):
        tag = self.get('/raw')['ETag']
        for match, none_match, status in ((tag, tag, 304), ('"x"', tag, 412), (tag, '"x"', 206), ('"x"', '"x"', 412)):
            answer = self.get('/raw', If_Match=match, If_None_Match=none_match, Range='bytes=0-1')
            self.assertEqual(answer.status, status, (match, none_match))
        self.assertEqual(self.server.request('HEAD', self.path + '/raw', If_Match='"x"').status, 412)
        self.assertEqual(self.get('/t/9.svg', If_Match='"x"').status, 404)
        self.assertEqual(self.get('/raw', If_Match='"x"', Range='bytes=%d-' % (1 << 60)).status, 416)
        self.assertEqual(self.stored(self.CONTENT, target='/?output=svg', If_Match='"x"').status, 201)

    def test_head(self):
        page = self.get('', Accept=HTML)
        static = re.search(r'/static/[^"]+', page.text).group()
        targets = [self.path + s for s in ('', '.json', '.html', '/raw', '/t/1.svg', '/t/1.svg?width=888',
                                           '/t/all.json', '/t/9.svg')] + ['/', '/healthz', static, '/nothing']
        for target in targets:
            for coding in ('identity', 'gzip', 'zstd'):
                for _ in range(4):
                    with self.subTest(target, coding=coding):
                        seen = self.server.request('HEAD', target, Accept_Encoding=coding)
                        whole = self.server.get(target, Accept_Encoding=coding)
                        self.assertEqual((seen.status, seen.body), (whole.status, b''))
                        if whole.status == 200:
                            self.assertEqual(seen['Content-Length'], str(len(whole.body)))
                            for name in SAME:
                                self.assertEqual(seen[name], whole[name], name)


class Ranges(Stored):
    def test_parts(self):
        size = len(self.CONTENT)
        for field, first, last in (('0-0', 0, 0), ('5-99', 5, 99), ('%d-' % (size - 7), size - 7, size - 1),
                                   ('-7', size - 7, size - 1), ('0-%d' % (size * 2), 0, size - 1),
                                   ('-%d' % (size * 2), 0, size - 1), ('100-%d' % (1 << 70), 100, size - 1)):
            with self.subTest(field):
                answer = self.get('/raw', Range='bytes=' + field)
                self.assertEqual((answer.status, answer.body), (206, self.CONTENT[first:last + 1]))
                self.assertEqual(answer['Content-Range'], 'bytes %d-%d/%d' % (first, last, size))
                self.assertEqual(answer['Content-Length'], str(last - first + 1))
                self.assertEqual(answer['ETag'], '"%s"' % hashlib.sha256(self.CONTENT).hexdigest())

    def test_whole(self):
        for field in ('bytes=0-1,5-6', 'bytes=x-', 'lines=1-2', 'bytes=5-2', 'bytes', ''):
            with self.subTest(field):
                answer = self.get('/raw', Range=field)
                self.assertEqual((answer.status, answer.body), (200, self.CONTENT))
                self.assertEqual(answer['Accept-Ranges'], 'bytes')
                self.assertIsNone(answer['Content-Range'])

    def test_outside(self):
        size = len(self.CONTENT)
        for field in ('%d-' % size, '%d-%d' % (size, size + 5), '-0', '%d-' % (1 << 70)):
            with self.subTest(field):
                answer = self.get('/raw', Range='bytes=' + field)
                self.assertEqual((answer.status, answer['Content-Range']), (416, 'bytes */%d' % size))

    def test_only_of_these_bytes(self):
        tag = self.get('/raw')['ETag']
        self.assertEqual(self.get('/raw', Range='bytes=0-1', If_Range=tag).status, 206)
        for field in ('W/' + tag, '"x"', 'Fri, 20 Nov 2026 10:00:00 GMT'):
            self.assertEqual(self.get('/raw', Range='bytes=0-1', If_Range=field).body, self.CONTENT)

    def test_only_of_get(self):
        answer = self.server.request('HEAD', self.path + '/raw', Range='bytes=0-1')
        self.assertEqual((answer.status, answer['Content-Length']), (200, str(len(self.CONTENT))))


class Memory(ServiceTest):
    def setUp(self):
        self.content = trace(threads=2, methods=60, records=2000, salt=zlib.crc32(self.id().encode()))
        self.upload = self.stored(self.content)
        self.path = '/p/' + id_of(self.upload)

    def heat(self, path=None):
        answers = [self.server.get((path or self.path) + '/t/1.svg', Accept_Encoding='gzip') for _ in range(4)]
        self.assertEqual(len({a.body for a in answers}), 1)
        return answers[0]

    def test_hot_views_need_no_store(self):
        self.path = '/p/' + id_of(self.stored(heavy_trace(threads=2, methods=60)))
        before = self.heat()
        self.assertTrue(self.server.files('views'))
        # Moved, not removed: the service may still write other views there.
        os.rename(os.path.join(self.server.store, 'views'), os.path.join(self.server.folder, 'views-away'))
        again = self.server.get(self.path + '/t/1.svg', Accept_Encoding='gzip')
        self.assertEqual((again.body, again['ETag']), (before.body, before['ETag']))

    def test_views_of_a_small_upload_are_in_memory_alone(self):
        server = Server(log_level='debug')
        self.addCleanup(server.clean)
        path = '/p/' + id_of(server.upload(trace(threads=2)))
        looks = [server.get(path + '/t/1.svg', Accept_Encoding=coding) for coding in ('identity', 'zstd', 'gzip', 'zstd', 'identity')]
        self.assertEqual([look['Content-Encoding'] for look in looks], [None, 'zstd', 'gzip', 'zstd', None])
        self.assertEqual(looks[0].body, looks[4].body)
        self.assertEqual(server.files('views'), [])
        drawn = [line for line in server.log().splitlines() if ' drawn ' in line]
        self.assertEqual(len(drawn), 2, drawn)     # the summary, which the answer waited for, and this

    def test_what_is_large_or_has_names_goes_to_the_disk(self):
        server = Server()
        self.addCleanup(server.clean)
        packed = gzip.compress(b''.join(b'com.example.of.a.package.Class%d.method;leaf 1\n' % i for i in range(8000)))
        self.assertLess(len(packed), 64 << 10)
        path = '/p/' + id_of(server.upload(packed, Prefer=''))
        self.assertEqual(server.files('views'), [])
        text = server.get(path + '/t/merged.folded.txt')
        self.assertGreater(len(text.body), 256 << 10)
        self.assertEqual([os.path.basename(key) for key in server.files('views')], [text['ETag'].strip('"')])
        named = server.upload_form(('trace', 'x', trace(salt=5)), ('mapping', 'm', b'com.real.Shop -> com.example.Class0:\n'))
        self.assertEqual(named.status, 201)
        self.assertTrue(eventually(lambda: len(server.files('views')) > 3))

    def test_deleted_is_gone_at_once(self):
        """What is in memory is not served for an upload that is gone; one with the same bytes keeps its views."""
        self.heat()
        twin = '/p/' + id_of(self.stored(self.content))
        self.heat(twin)
        deleted = self.server.request('DELETE', self.path, X_Delete_Token=token_of(self.upload))
        self.assertEqual(deleted.status, 200)
        for suffix in ('/t/1.svg', '/t/1.svg?width=444', '', '/raw'):
            self.assertEqual(self.server.get(self.path + suffix, Accept_Encoding='gzip').status, 410)
        tag = self.server.get(twin + '/t/1.svg')['ETag']
        self.assertEqual(self.server.get(self.path + '/t/1.svg', If_None_Match=tag).status, 410)
        self.assertEqual(self.heat(twin).status, 200)

    def test_every_upload_of_the_same_bytes_and_none_of_another(self):
        views = [self.heat()['ETag'], self.heat('/p/' + id_of(self.stored(self.content)))['ETag'],
                 self.heat('/p/' + id_of(self.stored(self.content + b'\0')))['ETag']]
        self.assertEqual(views[0], views[1])
        self.assertNotEqual(views[0], views[2])


class NoMemory(unittest.TestCase):
    def test_without_a_cache(self):
        server = Server(views_in_memory_bytes=0)
        try:
            path = '/p/' + id_of(server.upload(trace(threads=2, methods=60, records=2000))) + '/t/1.svg'
            bodies = {server.get(path, Accept_Encoding='gzip').body for _ in range(5)}
            self.assertEqual(len(bodies), 1)
            self.assertEqual(gzip.decompress(bodies.pop()), server.get(path).body)
            self.assertEqual(server.stop(), 0)
        finally:
            server.clean()


class AnotherScript(unittest.TestCase):
    """Views hold the script of the program that drew them: one with another script must not serve them."""
    def setUp(self):
        if not AFLAMED:
            self.skipTest('AFLAMED names no program')
        self.folder = tempfile.mkdtemp(prefix='aflamed-script-')
        self.addCleanup(shutil.rmtree, self.folder)

    def serve(self, work, program=AFLAMED):
        """What work(server) gives, of a service over the store of this test."""
        class Program(Server):
            PROGRAM = program
        server = Program(store=os.path.join(self.folder, 'store'))
        try:
            result = work(server)
            self.assertEqual(server.stop(), 0)
            return result
        finally:
            server.clean()

    def digest(self):
        """That of the files in the folder, as the build takes it."""
        folder = os.path.join(self.folder, 'static')
        files = [os.path.join(folder, f) for f in os.listdir(folder) if f.endswith(('.css', '.js', '.html', '.txt', '.svg', '.xml', '.json', '.gz', '.png'))]
        table = subprocess.run([os.path.join(ROOT, 'tools', 'static_files'), *files],
                               stdout=subprocess.PIPE, text=True, check=True).stdout
        return re.search(r'STATIC_FILES_DIGEST = STR_INIT\("([0-9a-f]{16})"\)', table).group(1).encode()

    def other_program(self):
        """The program, as it would be built with another script."""
        static = os.path.join(self.folder, 'static')
        shutil.copytree(os.path.join(ROOT, 'static'), static)
        for part in glob.glob(os.path.join(static, '*.js')):
            os.unlink(part)
        for made in glob.glob(os.path.join(os.path.dirname(AFLAMED), 'static', '*')):
            shutil.copy(made, static)
        digest = self.digest()
        with open(os.path.join(static, 'flame.js'), 'r+b') as file:
            script = file.read()
            other_script = OTHER + script[len(OTHER):]
            file.seek(0)
            file.write(other_script)
        other_digest = self.digest()
        self.assertNotEqual(digest, other_digest)
        with open(AFLAMED, 'rb') as file:
            code = file.read()
        self.assertEqual((code.count(script), code.count(digest)), (1, 1))
        path = os.path.join(self.folder, 'aflamed')
        with open(path, 'wb') as file:
            file.write(code.replace(script, other_script).replace(digest, other_digest))
        os.chmod(path, 0o755)
        return path

    def test_views_are_drawn_anew(self):
        def first(server):
            path = '/p/' + id_of(server.upload(trace())) + '/t/1.svg'
            return path, server.get(path)

        path, drawn = self.serve(first)
        again = self.serve(lambda server: server.get(path))
        self.assertEqual((again.body, again['ETag']), (drawn.body, drawn['ETag']))
        other = self.serve(lambda server: server.get(path, If_None_Match=drawn['ETag']), self.other_program())
        self.assertEqual(other.status, 200)
        self.assertEqual((drawn.body.count(OTHER), other.body.count(OTHER)), (0, 1))


if __name__ == '__main__':
    unittest.main()
