"""Names of a release build by its mapping.txt: on the command line, and with an upload."""
import hashlib
import json
import os
import subprocess
import tempfile
import unittest

from support import AFLAMED, Server, ServiceTest, eventually, fields_of, form, id_of, token_of
from obfuscate import obfuscate

PNG = b'\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0\0\0\1\0\x08\6\0\0\0'


def run(*arguments, status=0):
    done = subprocess.run([AFLAMED, *arguments], capture_output=True, timeout=60, check=False)
    if done.returncode != status:
        raise AssertionError((arguments, done.returncode, done.stderr[-500:]))
    return done.stdout if status == 0 else done.stderr.decode()


class MappedNames(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # pylint: disable=consider-using-with
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.plain = os.path.join(cls.folder.name, 'plain.trace')
        run('demo', '-o', cls.plain)
        with open(cls.plain, 'rb') as f:
            cls.trace, cls.text = obfuscate(f.read())
        cls.release = cls.write('release.trace', cls.trace)
        cls.mapping = cls.write('mapping.txt', cls.text)

    @classmethod
    def write(cls, name, content):
        path = os.path.join(cls.folder.name, name)
        with open(path, 'wb') as f:
            f.write(content.encode() if isinstance(content, str) else content)
        return path

    def assert_same(self, command, *arguments):
        """The mapped release has what the trace with its names has."""
        mapped = run(command, '--mapping', self.mapping, *arguments, self.release)
        self.assertEqual(mapped, run(command, *arguments, self.plain))
        self.assertNotEqual(mapped, run(command, *arguments, self.release))

    def test_the_tree_is_the_original_one(self):
        self.assert_same('render', '--output', 'folded', '--track', 'all')
        self.assert_same('methods', '--format', 'csv')

    def test_charts_and_durations_use_the_same_names(self):
        self.assert_same('render', '--view', 'chart', '--track', 'main')
        self.assert_same('methods', '--longest', '--format', 'json')
        self.assert_same('calls')
        self.assert_same('export', 'speedscope')
        self.assert_same('render', '--from', '200000', '--to', '400000', '--track', 'all', '--output', 'folded')
        name = 'com.example.recipes.config.FeatureFlags.load'
        self.assert_same_of_method(name)

    def assert_same_of_method(self, name):
        one, other = (json.loads(run('methods', '--method', name, '--longest', '--format', 'json', *more))
                      for more in ([self.plain], ['--mapping', self.mapping, self.release]))
        self.assertEqual(one, other)
        self.assertGreater(one['durations']['calls'], 0)

    def test_pictures_filters_and_words(self):
        self.assert_same('render', '--track', 'main')
        self.assert_same('render', '--track', 'main', '--preset', 'own-code', '--output', 'folded')
        self.assert_same('verdict')

    def test_times_calls_and_ids_survive(self):
        def numbers(path, *more):
            summary = json.loads(run('info', '--json', *more, path))
            return [(t['id'], t['totals'], t.get('calls')) for t in summary['tracks']]
        self.assertEqual(numbers(self.plain), numbers(self.release, '--mapping', self.mapping))

    def test_what_is_said_about_it(self):
        summary = json.loads(run('info', '--json', '--mapping', self.mapping, self.release))
        facts = summary['facts']
        self.assertEqual(facts['map_id'], '0123abc')
        self.assertEqual(facts['mapped_names'], facts['mappable_names'])
        self.assertFalse([w for w in summary['warnings'] if w['code'].startswith('mapping')])
        text = run('info', '--mapping', self.mapping, self.release).decode()
        self.assertIn('0123abc', text)

    def warnings(self, *mappings):
        arguments = [a for m in mappings for a in ('--mapping', m)]
        return {w['code']: w['text'] for w in json.loads(run('info', '--json', *arguments, self.release))['warnings']}

    def test_a_mapping_of_another_app(self):
        other = self.write('other.txt', 'org.other.App -> p0.a:\n    1:1:void x(double,double):1:1 -> a\n')
        warnings = self.warnings(other)
        self.assertRegex(warnings['mapping-misfit'], r'knows only \d+ of \d+ names')
        self.assertNotIn('mapping-misfit', self.warnings(other, self.mapping))

    def test_a_mapping_that_is_cut(self):
        self.assertIn('mapping-cut', self.warnings(self.write('cut.txt', self.text[:len(self.text) * 2 // 3 - 3])))

    def test_names_that_the_mapping_does_not_tell_apart(self):
        two = self.write('two.txt', 'a.B -> a.b:\n    1:2:void one(int):1:2 -> a\n    void two(long) -> a\n')
        stacks = self.write('stacks', 'r;a.b.a 10\n')
        self.assertEqual(run('render', '--mapping', two, '--output', 'folded', stacks), b'r;a.B.one | two 10\n')
        warnings = json.loads(run('info', '--json', '--mapping', two, stacks))['warnings']
        self.assertEqual([w['code'] for w in warnings], ['mapping-ambiguous'])

    def test_overloads_that_the_mapping_does_not_list(self):
        first = next(line.split(' -> ')[1][:-1] for line in self.text.splitlines() if line.endswith(':') and ' -> ' in line)
        two = self.write('two.txt', 'a.B -> %s:\n    void one(a.Q) -> a\n    void two(a.R) -> a\n' % first)
        self.assertNotIn('mapping-ambiguous', self.warnings(two))
        rows = [line.split('\t') for line in run('methods', '--mapping', two, self.release).decode().splitlines()]
        signatures = [row[2] for row in rows if row[:2] == ['a.B', 'a']]
        self.assertTrue(signatures)
        self.assertFalse([s for s in signatures if 'a/Q' in s or 'a/R' in s])
        self.assertFalse([row for row in rows if 'one' in row[1].split()])

    def test_a_mapping_that_is_asked_about_no_app(self):
        mapping = self.write('platform.txt', 'android.view.Loop -> android.view.a:\n    void run() -> b\n')
        stacks = self.write('stacks', 'r;android.view.a.b 10\n')
        self.assertEqual(run('render', '--mapping', mapping, '--output', 'folded', stacks), b'r;android.view.Loop.run 10\n')
        info = json.loads(run('info', '--json', '--mapping', mapping, stacks))
        self.assertEqual(info['warnings'], [])
        self.assertNotIn('mappable_names', info['facts'])

    def test_parts_of_a_mapping_in_several_files(self):
        classes = self.text.split('\n# {"id":"sourceFile"')
        lines = self.text.splitlines(keepends=True)
        middle = next(i for i in range(len(lines) // 2, len(lines)) if lines[i].endswith(':\n'))
        self.assertGreater(len(classes), 4)
        parts = [self.write('part1.txt', ''.join(lines[:middle])), self.write('part2.txt', ''.join(lines[middle:]))]
        both = [a for p in parts for a in ('--mapping', p)]
        folded = run('render', *both, '--output', 'folded', '--track', 'all', self.release)
        self.assertIn(b'com.example.recipes.config.FeatureFlags.load', folded)

    def test_what_is_no_mapping(self):
        for content in (PNG, b'', b'nothing\n', self.trace):
            said = run('render', '--mapping', self.write('bad.txt', content), self.release, status=1)
            self.assertIn('not a mapping', said)
            self.assertIn('mapping.txt', said)
        said = run('render', '--mapping', '/nowhere/mapping.txt', self.release, status=1)
        self.assertIn('/nowhere/mapping.txt', said)
        self.assertIn('--mapping', run('render', '--mapping', '', self.release, status=2))
        many = ['--mapping', self.mapping] * 17
        self.assertIn('16', run('render', *many, self.release, status=2))

    def test_packages(self):
        """The trace does not say of which process it is."""
        folded = ('render', '--output', 'folded', '--track', 'all')
        one = run(*folded, '--mapping', 'com.example.recipes=' + self.mapping, self.release)
        self.assertEqual(one, run(*folded, self.plain))
        self.assertIn('needs a path', run('render', '--mapping', 'com.example=', self.release, status=2))

    def test_a_mapping_is_not_overwritten(self):
        run('render', '--mapping', self.mapping, '-o', self.mapping, self.release, status=2)
        run('methods', '--mapping', self.mapping, '-o', self.mapping, self.release, status=2)
        with open(self.mapping, encoding='utf8') as f:
            self.assertEqual(f.read(), self.text)


class UploadedMapping(ServiceTest):
    """The same through the service."""
    CONFIG = {'delete_within_s': 3}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.trace, cls.text = obfuscate(run('demo'))
        cls.plain = run('demo')

    def folded(self, upload):
        return self.server.get('/p/%s/t/9417.folded.txt' % id_of(upload)).body

    def upload(self, *parts):
        return self.server.upload_form(*parts)

    def trace_part(self):
        return ('trace', 'release.trace', self.trace)

    def mapping_part(self):
        return ('mapping', 'mapping.txt', self.text.encode())

    def test_the_order_of_fields_does_not_matter(self):
        original = self.folded(self.stored(self.plain))
        for parts in ((self.trace_part(), self.mapping_part()), (self.mapping_part(), self.trace_part())):
            upload = self.upload(*parts)
            self.assertEqual(upload.status, 201)
            self.assertEqual(self.folded(upload), original)
        self.assertNotEqual(self.folded(self.stored(self.trace)), original)

    def test_names_are_kept_apart_by_upload(self):
        bare, mapped = self.stored(self.trace), self.upload(self.trace_part(), self.mapping_part())
        self.assertNotEqual(self.folded(bare), self.folded(mapped))
        summary = json.loads(self.server.get('/p/%s.json' % id_of(mapped)).body)
        self.assertEqual(summary['facts']['map_id'], '0123abc')
        self.assertNotIn('map_id', json.loads(self.server.get('/p/%s.json' % id_of(bare)).body)['facts'])

    def test_all_views_have_the_names(self):
        upload = self.upload(self.trace_part(), self.mapping_part())
        for path in ('/t/9417.svg?view=chart', '/methods.csv?longest=1', '/verdict.txt', '/t/9417.svg',
                     '/t/9417.svg?from=200000&to=400000', '/lanes?width=400&stacks=9417', '/calls.tsv'):
            answer = self.server.get('/p/%s%s' % (id_of(upload), path))
            self.assertEqual(answer.status, 200, path)
            self.assertIn('com.example.recipes', answer.text.replace('\n', ''), path)

    def attach(self, upload, *parts, token=None, **headers):
        parts = (('token', None, (token_of(upload) if token is None else token).encode()), *parts)
        return self.server.upload_form(*parts, target='/p/%s/mapping' % id_of(upload), **headers)

    def test_a_mapping_comes_later(self):
        original, bare = self.folded(self.stored(self.plain)), self.stored(self.trace)
        obfuscated = self.folded(bare)
        etag = self.server.get('/p/%s/t/9417.svg' % id_of(bare))['ETag']
        answer = self.attach(bare, self.mapping_part())
        self.assertEqual((answer.status, answer.text), (200, 'changed\n'))
        self.assertTrue(self.server.says('named id=.* by=mapping .* request=' + answer['X-Request-Id']))
        self.assertEqual(self.folded(bare), original)
        self.assertNotEqual(self.server.get('/p/%s/t/9417.svg' % id_of(bare))['ETag'], etag)
        renamed = self.server.upload_form(('token', None, token_of(bare).encode()), ('name', None, b'other'),
                                          target='/p/%s/rename' % id_of(bare))
        self.assertEqual(renamed.status, 200)
        self.assertEqual(self.folded(bare), original)
        other = b'a.B -> p0.a:\n    void one() -> a\n'
        self.assertEqual(self.attach(bare, ('mapping', 'm.txt', other)).status, 200)
        self.assertNotIn(self.folded(bare), (original, obfuscated))
        self.assertEqual(self.attach(bare, ('mapping', None, b'')).status, 200)
        self.assertEqual(self.folded(bare), obfuscated)

    def test_the_list_of_its_space_has_the_names(self):
        answer = self.server.upload_form(*fields_of(space='mapped', **{'label.commit': 'x'}), ('trace', 'release.trace', self.trace))

        def row():
            return json.loads(self.server.get('/s/mapped.json').body)['profiles'][0]

        self.assertTrue(eventually(lambda: 'headline' in row()))
        self.assertNotIn('com.example.recipes', row()['headline'])
        kind, body = form(('token', None, token_of(answer).encode()), ('mapping', 'mapping.txt', self.text.encode()))
        said = self.server.request('POST', '/p/%s/mapping' % id_of(answer), body, Content_Type=kind)
        self.assertIn(said.status, (200, 303), said.text)
        headline = row()['headline']
        verdict = json.loads(self.server.get('/p/%s/verdict.json' % id_of(answer)).body)
        self.assertEqual(headline, verdict['sentences'][0]['text'])
        self.assertEqual(row()['label'], {'commit': 'x'})
        self.assertTrue(any('com.example.recipes' in line for line in self.server.get('/p/%s/digest.tsv' % id_of(answer)).text.split('\n')))
        self.assertEqual(len(json.loads(self.server.get('/s/mapped.json').body)['profiles']), 1)

    def test_who_may_attach_one(self):
        upload, content = self.stored(self.trace), self.text.encode() + b'# who\n'
        part = ('mapping', 'mapping.txt', content)
        answer = self.attach(upload, part, token='a' * 26)
        self.assertEqual(answer.status, 403)
        self.assertEqual(self.server.upload_form(part, target='/p/%s/mapping' % id_of(upload)).status, 403)
        self.assertFalse(self.keeps(content))
        answer = self.server.upload_form(part, target='/p/%s/mapping' % id_of(upload),
                                         X_Delete_Token=token_of(upload))
        self.assertEqual(answer.status, 200)
        self.assertEqual(self.server.upload_form(part, target='/p/%s/mapping' % ('a' * 26)).status, 404)
        self.assertTrue(self.keeps(content))

    def test_bad_forms(self):
        upload = self.stored(self.trace)
        for parts, status in (((('mapping', 'x', PNG),), 422), ((('mapping', '', b''),), 400), ((), 400),
                              ((self.mapping_part(), self.mapping_part()), 400), ((('what', None, b'1'),), 400)):
            answer = self.attach(upload, *parts)
            self.assertEqual(answer.status, status, parts and parts[0][0])
        answer = self.server.request('POST', '/p/%s/mapping' % id_of(upload), b'token=1', Content_Type='application/x-www-form-urlencoded')
        self.assertEqual(answer.status, 400)
        self.assert_alive()

    def test_the_page_offers_it(self):
        upload = self.stored(self.trace)
        page = self.server.get('/p/' + id_of(upload) + '/t/9417', Accept='text/html').text
        self.assertIn('/mapping"', page)
        self.assertNotIn('Take the mapping away', page)
        answer = self.attach(upload, self.mapping_part(), Accept='text/html')
        self.assertEqual(answer.status, 303)
        self.assertTrue(answer['Location'].endswith(id_of(upload)))
        page = self.server.get('/p/' + id_of(upload) + '/t/9417', Accept='text/html').text
        self.assertIn('Take the mapping away', page)
        self.assertIn('0123abc', page)

    def keeps(self, content):
        """Whether the store has a file of this content. Files are not counted: those of other tests come and go."""
        digest = hashlib.sha256(content).hexdigest()
        return any(digest in f for f in self.server.files('names'))

    def test_equal_mappings_are_kept_once(self):
        mapping = self.text.encode() + b'# once\n'
        one, two = (self.upload(self.trace_part(), ('mapping', 'm', mapping)) for _ in range(2))
        self.assertEqual(self.folded(one), self.folded(two))
        digest = hashlib.sha256(mapping).hexdigest()
        self.assertEqual(len([f for f in self.server.files('names') if f.endswith(digest)]), 1)
        answer = self.server.request('DELETE', '/p/' + id_of(one), **{'X-Delete-Token': token_of(one)})
        self.assertEqual(answer.status, 200)
        self.assertIn(b'com.example.recipes', self.folded(two))

    def test_a_mapping_goes_weeks_behind_its_last_upload(self):
        """The folder of its period is made one of long ago."""
        server = Server()
        self.addCleanup(server.clean)
        form = (self.trace_part(), self.mapping_part())
        gone = server.upload_form(*form)
        self.assertEqual(server.request('DELETE', '/p/' + id_of(gone), **{'X-Delete-Token': token_of(gone)}).status, 200)
        server.stop()
        self.assertEqual(len(server.files('names')), 2)
        names = os.path.join(server.store, 'names')
        os.rename(os.path.join(names, os.listdir(names)[0]), os.path.join(names, '7'))
        server.start()
        self.assertTrue(eventually(lambda: server.files('names') == []), server.log())

    def test_what_is_no_mapping_is_refused(self):
        refused = (PNG, b'', b'nothing\n', self.trace + b'refused')
        for content in refused:
            for parts in ((self.trace_part(), ('mapping', 'x', content)), (('mapping', 'x', content), self.trace_part())):
                answer = self.upload(*parts)
                self.assertEqual(answer.status, 422, content[:20])
                self.assertIn('not a mapping', answer.text)
        self.assertEqual(self.upload(self.mapping_part(), self.mapping_part(), self.trace_part()).status, 400)
        self.assertEqual(self.upload(self.mapping_part()).status, 400)
        self.assertEqual(self.upload(self.mapping_part(), ('trace', 'x', b'nonsense')).status, 415)
        eventually(lambda: not any(self.keeps(content) for content in refused))

    def test_a_second_file_is_refused(self):
        """However its field says that it has none. Each file has the name of its bytes, and of no others."""
        second, symbols = b'a.B -> p0.a:\n    void one() -> a\n', b'MODULE Linux arm64 ' + b'0' * 33 + b' liba.so\n'
        upload = self.stored(self.trace)
        token = ('token', None, token_of(upload).encode())
        for field, first in (('mapping', self.text.encode() + b'# first\n'), ('symbols', symbols)):
            for name in (None, '', 'second'):
                parts = ((field, 'first', first), (field, name, second))
                later = self.server.upload_form(token, *parts, target='/p/%s/%s' % (id_of(upload), field))
                for answer in (self.upload(self.trace_part(), *parts), later):
                    self.assertEqual(answer.status, 400, (field, name))
                    self.assertIn('two fields "%s"' % field, answer.text)
            self.assertEqual(self.upload(self.trace_part(), (field, 'first', first), (field, '', b'')).status, 201)
        files = [f for f in self.server.files('names') if '.for/' not in f]
        self.assertGreater(len(files), 1)
        for name in files:
            with open(os.path.join(self.server.store, name), 'rb') as f:
                self.assertEqual(hashlib.sha256(f.read()).hexdigest(), os.path.basename(name))

    def test_a_field_without_file_is_none(self):
        upload = self.upload(('mapping', '', b''), self.trace_part())
        self.assertEqual(upload.status, 201)


class KnownMappings(ServiceTest):
    """Those in a folder of the service's own are offered, and applied when somebody asks."""

    @classmethod
    def setUpClass(cls):
        # pylint: disable=consider-using-with
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.plain = run('demo')
        cls.trace, cls.text = obfuscate(cls.plain, 'r8-map-id-0123abc')
        os.makedirs(os.path.join(folder.name, 'app', '1.2'))
        for name, content in (('other.txt', '# pg_map_id: 7654321\nx.Y -> a:\n'), ('app/1.2/mapping.txt', cls.text),
                              ('picture.txt', PNG.decode('latin-1')), ('empty.txt', '')):
            with open(os.path.join(folder.name, name), 'w', encoding='latin-1') as f:
                f.write(content)
        cls.CONFIG = {'mappings_dir': folder.name}
        super().setUpClass()

    def page(self, upload):
        return self.server.get('/p/%s/t/9417' % id_of(upload), Accept='text/html').text

    def apply(self, upload, known, *more):
        return self.server.upload_form(('token', None, token_of(upload).encode()), ('known', None, known), *more,
                                       target='/p/%s/mapping' % id_of(upload))

    def folded(self, upload):
        return self.server.get('/p/%s/t/9417.folded.txt' % id_of(upload)).body

    def test_it_is_offered_and_not_applied(self):
        original, upload = self.folded(self.stored(self.plain)), self.stored(self.trace)
        self.assertNotEqual(self.folded(upload), original)
        page = self.page(upload)
        self.assertIn('name="known" value="0123abc"', page)
        self.assertNotIn('by-names', page)
        self.assertEqual(self.apply(upload, b'0123abc').status, 200)
        self.assertEqual(self.folded(upload), original)
        self.assertNotIn('name="known"', self.page(upload))

    def test_a_build_that_is_not_known(self):
        upload = self.stored(obfuscate(self.plain, 'r8-map-id-ffff')[0])
        for one in (upload, self.stored(self.plain)):
            self.assertNotIn("Apply the build's mapping", self.page(one))
            self.assertIn('name="known" value="by-names"', self.page(one))
        self.assertEqual(self.apply(upload, b'ffff').status, 404)
        self.assertEqual(self.apply(upload, b'0123abc', ('mapping', 'm.txt', self.text.encode())).status, 400)
        self.assertEqual(self.apply(upload, b'../../etc/passwd').status, 404)

    def test_that_of_another_upload_with_its_token(self):
        original, earlier, later = self.folded(self.stored(self.plain)), self.stored(self.trace), self.stored(self.trace + b' ')
        self.assertEqual(self.apply(earlier, b'0123abc').status, 200)

        def take(*fields):
            return self.server.upload_form(('token', None, token_of(later).encode()), *fields, target='/p/%s/mapping' % id_of(later)).status
        from_ = ('from', None, id_of(earlier).encode())
        self.assertEqual(take(from_), 403)
        self.assertEqual(take(from_, ('from_token', None, token_of(later).encode())), 403)
        self.assertEqual(take(('from', None, b'a' * 26), ('from_token', None, b'a' * 26)), 404)
        self.assertEqual(take(('from', None, id_of(later).encode()), ('from_token', None, token_of(later).encode())), 404)
        self.assertNotEqual(self.folded(later), original)
        self.assertEqual(take(from_, ('from_token', None, token_of(earlier).encode())), 200)
        self.assertEqual(self.folded(later), original)
        self.server.request('DELETE', '/p/%s' % id_of(earlier), **{'X-Delete-Token': token_of(earlier)})
        self.assertEqual(self.folded(later), original)


class MappingsByNames(ServiceTest):
    """Of a folder the mapping that fits the names of a profile without id: named first, and applied by a second request."""

    @classmethod
    def setUpClass(cls):
        # pylint: disable=consider-using-with
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.CONFIG = {'mappings_dir': folder.name}
        cls.plain = run('demo')
        cls.trace, cls.text = obfuscate(cls.plain)
        super().setUpClass()

    def setUp(self):
        for root, _, files in os.walk(self.folder):
            for name in files:
                os.remove(os.path.join(root, name))

    def put(self, name, content, age_s=0):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'wb') as f:
            f.write(content.encode() if isinstance(content, str) else content)
        os.utime(path, (1_700_000_000 - age_s, 1_700_000_000 - age_s))

    def part(self, share):
        """The mapping without its last classes."""
        lines = self.text.splitlines(keepends=True)
        starts = [i for i, line in enumerate(lines) if ' -> ' in line and line.endswith(':\n')]
        return ''.join(lines[:starts[int(len(starts) * share)]])

    def post(self, upload, *fields, token=None, **headers):
        return self.server.upload_form(('token', None, (token or token_of(upload)).encode()),
                                       *((key, None, value.encode()) for key, value in fields),
                                       target='/p/%s/mapping' % id_of(upload), **headers)

    def find(self, upload, **more):
        return self.post(upload, ('known', 'by-names'), **more)

    def folded(self, upload):
        return self.server.get('/p/%s/t/9417.folded.txt' % id_of(upload)).body

    def test_the_best_of_several_is_offered_and_applied_by_a_second_request(self):
        self.put('app/1.2/mapping.txt', self.text, 300)
        self.put('app/1.3/mapping.txt', self.part(0.7), 200)
        self.put('other.txt', 'org.other.App -> p0.a:\n    1:1:void x(double,double):1:1 -> a\n', 100)
        self.put('picture.txt', PNG)
        self.put('empty.txt', '')
        self.put('mapping.bak', self.text)
        upload, original = self.stored(self.trace), self.folded(self.stored(self.plain))
        before = self.folded(upload)
        answer = self.find(upload)
        self.assertEqual(answer.status, 200, answer.text)
        self.assertRegex(answer.text, r"^app/1\.2/mapping\.txt knows (\d+) of \1 names that are not Android's\. "
                                      r'3 mappings were looked at\.\n')
        self.assertEqual(answer['Cache-Control'], 'no-store')
        self.assertEqual(self.folded(upload), before)
        self.assertEqual(self.post(upload, ('known_file', 'app/1.2/mapping.txt')).text, 'changed\n')
        self.assertEqual(self.folded(upload), original)
        facts = json.loads(self.server.get('/p/%s.json' % id_of(upload)).body)['facts']
        self.assertIn('knows %d of %d names' % (facts['mapped_names'], facts['mappable_names']), answer.text)

    def test_its_figures_are_those_of_the_profile_with_it(self):
        self.put('part.txt', self.part(0.8))
        upload = self.stored(self.trace)
        answer = self.find(upload)
        self.assertEqual(self.post(upload, ('known_file', 'part.txt')).status, 200)
        facts = json.loads(self.server.get('/p/%s.json' % id_of(upload)).body)['facts']
        self.assertLess(facts['mapped_names'], facts['mappable_names'])
        self.assertIn('part.txt knows %d of %d names' % (facts['mapped_names'], facts['mappable_names']), answer.text)
        # Names that were applied already are not what is looked for.
        self.assertEqual(self.find(upload).text, answer.text)

    def test_of_those_that_fit_alike_the_newest(self):
        for name, age_s in (('a.txt', 30), ('b.txt', 10), ('c.txt', 20)):
            self.put(name, self.text + '# %s\n' % name, age_s)
        self.put('newer.txt', self.part(0.8))
        answer = self.find(self.stored(self.trace))
        self.assertTrue(answer.text.startswith('b.txt knows '), answer.text)
        self.assertIn('4 mappings were looked at; 3 of them fit alike, and this is the newest of these.', answer.text)

    def test_none_fits(self):
        upload = self.stored(self.trace)
        self.put('other.txt', 'org.other.App -> p0.a:\n    1:1:void x(double,double):1:1 -> a\n')
        self.put('part.txt', self.part(0.2))
        answer = self.find(upload)
        self.assertEqual(answer.status, 404)
        self.assertRegex(answer.text, r'2 mappings were looked at\. The one that fits best knows only [1-9]\d* of \d+ names')
        self.assertIn('no mapping fits', answer.text)

    def test_classes_without_a_package(self):
        """As R8 leaves them with -repackageclasses: what it has not renamed is in every mapping of the app."""
        trace, text = obfuscate(self.plain, packages=0)
        self.put('right.txt', text, 300)
        self.put('newer.txt', 'com.example.recipes.RecipesApp -> com.example.recipes.RecipesApp:\n    void onCreate() -> onCreate\n')
        upload, original = self.stored(trace), self.folded(self.stored(self.plain))
        self.assertIn("methods that are not Android's have names of a release build", self.server.get('/p/%s/verdict.txt' % id_of(upload)).text)
        answer = self.find(upload)
        self.assertRegex(answer.text, r"^right\.txt knows (\d+) of \1 names that are not Android's\. 2 mappings were looked at\.\n")
        self.assertEqual(self.post(upload, ('known_file', 'right.txt')).status, 200)
        self.assertEqual(self.folded(upload), original)

    def test_there_is_nothing_to_look_at(self):
        upload = self.stored(self.trace)
        os.mkfifo(os.path.join(self.folder, 'pipe.txt'))
        os.symlink('/nowhere', os.path.join(self.folder, 'link.txt'))
        self.put('picture.txt', PNG)
        for _ in range(2):
            answer = self.find(upload)
            self.assertEqual(answer.status, 404)
            self.assertIn('No mapping was found.', answer.text)
            self.setUp()
        self.assertEqual(self.find(self.stored(b'main;read 10\nmain;write 20\n')).status, 404)

    def test_many_files(self):
        for i in range(70):
            self.put('%d/mapping.txt' % i, 'org.other.App%d -> p0.a:\n    void x(double,double) -> a\n' % i, i)
        self.put('old.txt', self.text, 1000)
        answer = self.find(self.stored(self.trace))
        self.assertTrue(answer.text.startswith('old.txt knows '), answer.text)
        self.assertIn('71 mappings were looked at.', answer.text)

    def test_who_may_look(self):
        self.put('mapping.txt', self.text)
        upload = self.stored(self.trace)
        self.assertEqual(self.find(upload, token='a' * 26).status, 403)
        answer = self.server.upload_form(('known', None, b'by-names'), target='/p/%s/mapping' % id_of(upload))
        self.assertEqual(answer.status, 403)
        answer = self.server.upload_form(('known', None, b'by-names'), target='/p/%s/mapping' % id_of(upload), X_Delete_Token=token_of(upload))
        self.assertEqual(answer.status, 200)

    def test_what_is_no_file_of_the_folder(self):
        upload = self.stored(self.trace)
        self.put('mapping.txt', self.text)
        self.put('picture.txt', PNG)
        for name in ('../mapping.txt', './mapping.txt', '/etc/passwd', self.folder + '/mapping.txt', 'mapping', '.', 'x/../mapping.txt'):
            self.assertEqual(self.post(upload, ('known_file', name)).status, 404, name)
        self.assertEqual(self.post(upload, ('known_file', 'picture.txt')).status, 422)
        self.assertEqual(self.post(upload, ('known_file', 'x' * 256)).status, 400)
        self.assertEqual(self.post(upload, ('known', 'by-names'), ('known_file', 'mapping.txt')).status, 400)

    def test_the_pages(self):
        self.put('<b>&"a\'.txt', self.text)
        upload = self.stored(self.trace)
        page = self.server.get('/p/%s/t/9417' % id_of(upload), Accept='text/html').text
        self.assertIn('Find its mapping by names', page)
        page = self.find(upload, Accept='text/html').text
        self.assertIn('&lt;b&gt;&amp;&#34;a&#39;.txt', page)
        self.assertNotIn('<b>', page)
        self.assertIn('name="token" value="%s"' % token_of(upload), page)
        self.assertIn('It is not applied yet', page)
        answer = self.post(upload, ('known_file', '<b>&"a\'.txt'), Accept='text/html')
        self.assertEqual(answer.status, 303)
        page = self.server.get('/p/%s/t/9417' % id_of(upload), Accept='text/html').text
        self.assertNotIn('Find its mapping by names', page)
        self.assertIn('Take the mapping away', page)


class NoMappings(ServiceTest):
    def test_without_a_folder(self):
        upload = self.stored(obfuscate(run('demo'))[0])
        answer = self.server.upload_form(('token', None, token_of(upload).encode()), ('known', None, b'by-names'),
                                         target='/p/%s/mapping' % id_of(upload))
        self.assertEqual(answer.status, 404)
        self.assertIn('mappings_dir', answer.text)
        self.assertNotIn('by names', self.server.get('/p/%s/t/9417' % id_of(upload), Accept='text/html').text)


class UnreadableMappings(ServiceTest):
    CONFIG = {'mappings_dir': '/nowhere/mappings'}

    def test_it_is_said(self):
        upload = self.stored(obfuscate(run('demo'))[0])
        answer = self.server.upload_form(('token', None, token_of(upload).encode()), ('known', None, b'by-names'),
                                         target='/p/%s/mapping' % id_of(upload))
        self.assertEqual(answer.status, 500)
        self.assertIn('cannot read the mappings', answer.text)


if __name__ == '__main__':
    unittest.main()
