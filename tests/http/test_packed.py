"""Packed uploads: gzip, zstd and zip, by their first bytes and by Content-Encoding; on the command line as well."""
import gzip
import hashlib
import io
import json
import os
import random
import shutil
import struct
import subprocess
import tarfile
import tempfile
import time
import unittest
import zipfile
import zlib

from support import AFLAMED, TIMEOUT_S, ServiceTest, amount, form, head, id_of, large_trace, trace

MIB = 1 << 20
LARGE = large_trace(3 * MIB)


def zstd(content):
    """A frame of raw blocks, with its window as small as may be: what no library is needed for."""
    out = [b'\x28\xb5\x2f\xfd\x00\x38']
    blocks = [content[i:i + 100_000] for i in range(0, len(content), 100_000)] or [b'']
    for i, block in enumerate(blocks):
        out.append(struct.pack('<I', (i + 1 == len(blocks)) | len(block) << 3)[:3] + block)
    return b''.join(out)


def zstd_runs(blocks):
    """128 KiB of line ends in each of many blocks of four bytes, behind a line of folded stacks."""
    run = struct.pack('<I', 1 << 1 | 131072 << 3)[:3] + b'\n'
    last = struct.pack('<I', 1 | 1 << 1 | 131072 << 3)[:3] + b'\n'
    return b'\x28\xb5\x2f\xfd\x00\x38' + struct.pack('<I', 6 << 3)[:3] + b'a;b 1\n' + run * (blocks - 1) + last


def tarred(*members):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode='w') as tar:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return out.getvalue()


def zipped(*members, method=zipfile.ZIP_DEFLATED, streamed=False):
    class Stream(io.BytesIO):
        def seekable(self):
            return not streamed

        def seek(self, *at):
            if streamed:
                raise OSError('a stream')
            return super().seek(*at)

        def tell(self):
            if streamed:
                raise OSError('a stream')
            return super().tell()

    out = Stream()
    with zipfile.ZipFile(out, 'w', method) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return out.getvalue()


PACKERS = {
    'gzip': gzip.compress,
    'zstd': zstd,
    'zip': lambda content: zipped(('app.trace', content)),
    'zip, stored': lambda content: zipped(('app.trace', content), method=zipfile.ZIP_STORED),
    'zip, streamed': lambda content: zipped(('app.trace', content), streamed=True),
}


def bomb(n_bytes):
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    piece = b'\n' * MIB
    return packer.compress(b'a;b 1\n') + b''.join(packer.compress(piece) for _ in range(n_bytes // MIB)) + packer.flush()


class Packed(ServiceTest):
    def summary(self, answer, status=201):
        self.assertEqual(answer.status, status, answer)
        return json.loads(self.server.get('/p/%s.json' % id_of(answer)).body)

    def assert_refused(self, answer, status, *words):
        self.assertEqual(answer.status, status, answer)
        for word in words:
            self.assertIn(word, answer.text)
        self.assert_alive()

    def assert_tracks_of(self, summary, content):
        plain = self.summary(self.server.upload(content))
        for track in plain['tracks'] + summary['tracks']:
            track.pop('svg')
        self.assertEqual(summary['tracks'], plain['tracks'])
        self.assertEqual(summary['format'], plain['format'])

    def svg(self, answer, suffix='/t/all.folded.txt'):
        got = self.server.get('/p/' + id_of(answer) + suffix)
        self.assertEqual(got.status, 200, got)
        return got.body


class Uploads(Packed):
    def test_by_form_and_raw(self):
        for content in (trace(), LARGE):
            for name, pack in PACKERS.items():
                with self.subTest(name):
                    packed = pack(content)
                    for answer in (self.server.upload(packed), self.server.upload_form(('trace', 'x.gz', packed)),
                                   self.server.request('PUT', '/x.trace', [packed[:7], packed[7:1000], packed[1000:]])):
                        summary = self.summary(answer)
                        self.assert_tracks_of(summary, content)
                        self.assertEqual(summary['sha256'], hashlib.sha256(packed).hexdigest())
                        self.assertEqual(summary['size'], len(packed))
                        self.assertIn(name.split(',')[0], summary['facts']['packed'])
                        self.assertEqual(self.server.get('/p/%s/raw' % id_of(answer)).body, packed)

    def test_views_are_read_again(self):
        answer = self.server.upload(gzip.compress(LARGE))
        plain = self.server.upload(LARGE)
        view = '/t/1.svg?width=1713'
        self.assertEqual(self.svg(answer, view), self.svg(plain, view))
        self.server.stop()
        self.server.start()
        view = '/t/1.svg?width=1714'
        self.assertEqual(self.svg(answer, view), self.svg(plain, view))

    def test_page_says_so(self):
        answer = self.server.upload(gzip.compress(LARGE))
        page = self.server.get('/p/' + id_of(answer), Accept='text/html')
        self.assertRegex(page.text, r'gzip, [\d.]+ [KM]iB -&gt; [\d.]+ [KM]iB; ')
        self.assertIn('counted in unpacked bytes', page.text)

    def test_cut_and_damaged(self):
        for name in ('gzip', 'zstd', 'zip', 'zip, streamed'):
            packed = PACKERS[name](LARGE)
            with self.subTest(name):
                cut = self.summary(self.server.upload(packed[:len(packed) // 2]))
                self.assertIn('packed-cut', [w['code'] for w in cut['warnings']])
                text = [w['text'] for w in cut['warnings'] if w['code'] == 'packed-cut'][0]
                self.assertIn('{:,}'.format(len(packed) // 2), text)
        packed = bytearray(gzip.compress(LARGE))
        packed[-6] ^= 1
        self.assertIn('packed-checksum',
                      [w['code'] for w in self.summary(self.server.upload(bytes(packed)))['warnings']])
        answer = self.server.upload(gzip.compress(trace())[:14], Accept='application/json')
        self.assert_refused(answer, 422, 'ends early')
        self.assertEqual(json.loads(answer.body)['offset'], 14)

    def test_packed_twice(self):
        for outer_name, outer in PACKERS.items():
            for inner_name, inner in PACKERS.items():
                with self.subTest(outer=outer_name, inner=inner_name):
                    answer = self.server.upload(outer(inner(trace())))
                    if outer_name.startswith('zip'):
                        self.assertEqual(answer.status, 201)
                    else:
                        self.assert_refused(answer, 422, 'packed twice', 'Unpack it once')

    def test_what_is_in_it_is_named(self):
        png = bytes.fromhex('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489')
        self.assert_refused(self.server.upload(gzip.compress(png)), 415, 'PNG')
        self.assert_refused(self.server.upload(gzip.compress(b'A letter.\n\nDear reader,\n')), 415, 'ASCII text')
        self.assert_refused(self.server.upload(gzip.compress(b'')), 400, 'gzip stream unpacks to has no bytes')


class Archives(Packed):
    def setUp(self):
        self.other = trace(threads=3, salt=5)
        self.archive = zipped(('read me.txt', b'Dear reader,\n'), ('a/one.trace', trace()), ('a/<b>\x1b.trace', self.other),
                              ('__MACOSX/a/._one.trace', b'x'), ('a/empty', b''))

    def test_the_only_usable_member(self):
        archive = zipped(('a/', b''), ('__MACOSX/a/._one.trace', b'x'), ('a/one.trace', trace()), ('a/empty', b''))
        self.assert_tracks_of(self.summary(self.server.upload(archive)), trace())

    def test_several_are_listed(self):
        for answer in (self.server.upload(self.archive), self.server.upload_form(('trace', 'x.zip', self.archive))):
            self.assert_refused(answer, 422, '3 files: read me.txt, a/one.trace (Android method trace), '
                                'a/<b>␛.trace (Android method trace).', 'member=NAME',
                                '--member NAME')

    def test_member_by_field_and_by_query(self):
        file = ('trace', 'x.zip', self.archive)
        for name, content in (('a/one.trace', trace()), ('a/<b>␛.trace', self.other)):
            field = ('member', None, name.encode())
            quoted = name.replace('<', '%3c').replace('>', '%3e').replace('␛', '%e2%90%9b')
            for answer in (self.server.upload_form(field, file), self.server.upload_form(file, field),
                           self.server.upload(self.archive, '/?member=' + quoted),
                           self.server.upload_form(file, target='/?member=' + quoted)):
                summary = self.summary(answer)
                self.assertEqual(summary['member'], name)
                self.assert_tracks_of(summary, content)
        self.assert_refused(self.server.upload(self.archive, '/?member=one.trace'), 422, 'no such file', 'It has: ')
        self.assert_refused(self.server.upload(trace(), '/?member=one.trace'), 400, 'no archive')
        self.assert_refused(self.server.upload(gzip.compress(trace()), '/?member=x'), 400, 'no archive')

    def test_views_of_two_members_of_the_same_bytes(self):
        one = self.server.upload(self.archive, '/?member=a/one.trace')
        two = self.server.upload(self.archive, '/?member=a/%3cb%3e%e2%90%9b.trace')
        for restart in (False, True):
            if restart:
                self.server.stop()
                self.server.start()
            for suffix in ('/t/all.folded.txt', '/t/merged.json'):
                self.assertNotEqual(self.svg(one, suffix), self.svg(two, suffix))
            self.assertEqual(self.svg(one), self.svg(self.server.upload(trace())))
            self.assertEqual(self.svg(two), self.svg(self.server.upload(self.other)))
        self.assertEqual(self.server.get('/p/%s/raw' % id_of(two)).body, self.archive)

    def test_member_before_or_behind_the_file(self):
        """The answer is the same: also where another member, or the file, would be refused at once."""
        large = zipped(('first', b'a;b 1\n' + b'\n' * (amount(40, 20) * MIB)), ('second', trace()))
        for content, member, status in ((large, b'second', 201), (large, b'first', 413), (b'\x89PNG\r\n\x1a\n', b'x', 400),
                                        (large + b'\0' * (12 * MIB), b'second', 201)):
            answers = [self.server.upload_form(*fields, Accept='application/json')
                       for fields in ((('member', None, member), ('trace', 'x', content)),
                                      (('trace', 'x', content), ('member', None, member)))]
            answers.append(self.server.upload(content, '/?member=' + member.decode(), Accept='application/json'))
            self.assertEqual([answer.status for answer in answers], [status] * 3, answers[1].body)
        self.assert_refused(self.server.upload_form(('trace', 'x', large)), 422,
                            '2 files: first (Folded stacks), second (Android method trace).')

    def test_the_only_one_that_can_be_read(self):
        """What else is in the archive needs no choice."""
        notes, app = ('notes.bin', random.Random(1).randbytes(200_000)), ('app.trace', trace())
        for members in ((notes, app), (app, notes)):
            archive = zipped(*members)
            for answer in (self.server.upload(archive), self.server.upload_form(('trace', 'x', archive))):
                self.assertEqual(self.summary(answer)['format'], 'android-trace')
            member = ('member', None, b'app.trace')
            for fields in ((member, ('trace', 'x', archive)), (('trace', 'x', archive), member)):
                self.assertEqual(self.server.upload_form(*fields).status, 201)
        self.assert_refused(self.server.upload_form(('member', None, b'notes.bin'), ('trace', 'x', archive)), 415)

    def test_tar(self):
        """As it is, and packed by gzip or zstd."""
        app, large, log = ('app.trace', trace()), ('large.trace', LARGE), ('log.txt', b'Dear reader,\n' * 100_000)
        for pack in (bytes, gzip.compress, zstd):
            with self.subTest(pack=pack):
                answer = self.server.upload(pack(tarred(log, large)))
                self.assert_tracks_of(self.summary(answer), LARGE)
                self.assert_tracks_of(self.summary(self.server.upload(pack(tarred(app)))), trace())
                several = pack(tarred(log, app, large))
                self.assert_refused(self.server.upload(several), 422,
                                    '3 files: log.txt, app.trace (Android method trace), large.trace (Android')
                for field in ((('member', None, b'app.trace'), ('trace', 'x', several)),
                              (('trace', 'x', several), ('member', None, b'app.trace'))):
                    answer = self.server.upload_form(*field)
                    self.assert_tracks_of(self.summary(answer), trace())
                self.assertEqual(self.server.get('/p/%s/raw' % id_of(answer)).body, several)

    def test_an_empty_file_does_not_take_the_name(self):
        archive = zipped(('a.trace', b''), ('a.trace', trace()))
        self.assertEqual(self.server.upload(archive, '/?member=a.trace').status, 201)

    def test_member_without_a_place(self):
        """One that is folded from the spool, while others have the places."""
        with self.subTest('held'), self.connection() as held:
            held.sendall(head('POST', '/', 'Content-Length: 10000000') + LARGE[:100000])
            answers = [self.server.upload(self.archive, '/?member=a/one.trace') for _ in range(3)]
            for answer in answers:
                self.assert_tracks_of(self.summary(answer), trace())

    def test_what_cannot_be_unpacked(self):
        encrypted = bytearray(zipped(('secret.trace', trace())))
        encrypted[6] |= 1
        self.assert_refused(self.server.upload(bytes(encrypted)), 422, 'secret.trace', 'is encrypted')
        lzma = zipped(('a.trace', trace()), method=zipfile.ZIP_LZMA)
        self.assert_refused(self.server.upload(lzma), 422, 'a method that is not read here')
        self.assert_refused(self.server.upload(b'PK\7\x08' + self.archive), 422, 'several files', 'zip -s 0')
        stored = zipped(('a.trace', trace()), method=zipfile.ZIP_STORED, streamed=True)
        self.assert_tracks_of(self.summary(self.server.upload(stored)), trace())


class Coded(Packed):
    """Content-Encoding."""

    def test_raw_body(self):
        for coding, pack in (('gzip', gzip.compress), ('x-gzip', gzip.compress), ('zstd', zstd), ('GZIP', gzip.compress)):
            packed = pack(LARGE)
            answer = self.server.request('PUT', '/app.trace', packed, Content_Encoding=coding)
            self.assert_tracks_of(self.summary(answer), LARGE)
            self.assertEqual(self.server.get('/p/%s/raw' % id_of(answer)).body, packed)
        self.assert_tracks_of(self.summary(self.server.upload(trace(), Content_Encoding='identity')), trace())
        self.assert_tracks_of(self.summary(self.server.upload(gzip.compress(trace()), Content_Encoding='identity')),
                              trace())

    def test_form(self):
        for coding, pack in (('gzip', gzip.compress), ('zstd', zstd)):
            for content in (trace(), LARGE, gzip.compress(LARGE)):
                kind, body = form(('name', None, b'coded'), ('trace', 'x.trace', content))
                answer = self.server.request('POST', '/', pack(body), Content_Type=kind, Content_Encoding=coding)
                summary = self.summary(answer)
                self.assertEqual((summary['name'], summary['size']), ('coded', len(content)))
                self.assertEqual(self.server.get('/p/%s/raw' % id_of(answer)).body, content)

    def test_unknown_codings_and_chains(self):
        for coding in ('br', 'gzip, gzip', 'zstd,gzip', 'deflate', 'compress', 'gzip;q=1', '*'):
            answer = self.server.upload(gzip.compress(trace()), Content_Encoding=coding)
            self.assert_refused(answer, 415, 'unknown content coding')
            self.assertEqual(answer['Accept-Encoding'], 'gzip, zstd')
        twice = head('POST', '/', 'Content-Encoding: gzip', 'Content-Encoding: gzip', 'Content-Length: 3') + b'abc'
        self.assertEqual(self.server.raw(twice, ('POST',))[0].status, 400)

    def test_body_that_is_not_coded(self):
        for body in (trace(), zstd(trace()), zipped(('a', trace())), b''):
            self.assert_refused(self.server.upload(body, Content_Encoding='gzip'), 400, 'not in its coding')
        self.assert_refused(self.server.upload(gzip.compress(trace()), Content_Encoding='zstd'), 400, 'not in its coding')
        kind, body = form(('trace', 'x.trace', trace()))
        for coding in ('gzip', 'zstd'):
            answer = self.server.request('POST', '/', body, Content_Type=kind, Content_Encoding=coding)
            self.assert_refused(answer, 400, 'not in its coding')

    def test_damaged_form(self):
        kind, body = form(('trace', 'x.trace', LARGE))
        packed = bytearray(gzip.compress(body))
        for sent in (packed[:-5], packed[:-5] + b'12345', packed + b'1'):
            answer = self.server.request('POST', '/', bytes(sent), Content_Type=kind, Content_Encoding='gzip')
            self.assert_refused(answer, 400, 'damaged body')
        for coding in ('gzip', 'zstd'):
            answer = self.server.request('POST', '/', b'', Content_Type=kind, Content_Encoding=coding)
            self.assert_refused(answer, 400, 'damaged body', '%s stream ends early' % coding)
        self.assertTrue(self.server.gets_rid_of('tmp'))


class Bombs(Packed):
    def assert_bounded(self, send, *words):
        before, cpu_s, begin_s = self.server.peak_bytes(), self.server.cpu_s(), time.monotonic()
        self.assert_refused(send(), 413, *words)
        self.assertLess(time.monotonic() - begin_s, TIMEOUT_S / 2)
        self.assertLess(self.server.cpu_s() - cpu_s, 10)
        self.assertLess(self.server.peak_bytes() - before, amount(150, 800) * MIB)
        self.assertTrue(self.server.gets_rid_of('tmp'))

    def test_ratio(self):
        gz, runs = bomb(amount(300, 60) * MIB), zstd_runs(amount(80_000, 16_000))
        words = 'max_unpacked_ratio', '200'
        for content in (gz, runs, zipped(('a', b'a;b 1\n' + b'\n' * (amount(40, 20) * MIB)))):
            self.assert_bounded(lambda sent=content: self.server.upload(sent), *words)
            self.assert_bounded(lambda sent=content: self.server.upload_form(('trace', 'x', sent)), *words)
        for coding, content in (('gzip', gz), ('zstd', runs)):
            self.assert_bounded(lambda sent=content, c=coding: self.server.upload(sent, Content_Encoding=c), *words)

    def test_coded_form(self):
        kind, body = form(('trace', 'x.trace', b'a;b 1\n' + b'\n' * (amount(200, 60) * MIB)))
        self.assert_bounded(lambda: self.server.request('POST', '/', gzip.compress(body), Content_Type=kind,
                                                        Content_Encoding='gzip'), 'max_unpacked_ratio')

    def test_window(self):
        wide = b'\x28\xb5\x2f\xfd\x00' + bytes([18 << 3]) + zstd(trace())[6:]
        self.assert_refused(self.server.upload(wide), 422, 'window', '--long=27')
        kind, body = form(('trace', 'x.trace', trace()))
        wide = b'\x28\xb5\x2f\xfd\x00' + bytes([14 << 3]) + zstd(body)[6:]
        self.assert_refused(self.server.request('POST', '/', wide, Content_Type=kind, Content_Encoding='zstd'), 422,
                            'window')


class Size(Packed):
    CONFIG = {'max_unpacked_bytes': 100_000}

    def test_size(self):
        for pack in PACKERS.values():
            self.assert_refused(self.server.upload(pack(LARGE)), 413, 'max_unpacked_bytes', '100000')
            self.summary(self.server.upload(pack(trace())))
        kind, body = form(('trace', 'x.trace', LARGE))
        answer = self.server.request('POST', '/', gzip.compress(body), Content_Type=kind, Content_Encoding='gzip')
        self.assert_refused(answer, 413, 'max_unpacked_bytes')


class CommandLine(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix='aflamed-packed-')
        self.addCleanup(shutil.rmtree, self.folder)

    def file(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, 'wb') as file:
            file.write(content)
        return path

    def run_program(self, *arguments, status=0, stdin=b''):
        run = subprocess.run([AFLAMED, *arguments], input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             timeout=TIMEOUT_S, check=False, cwd=self.folder)
        self.assertEqual(run.returncode, status, run)
        return run

    def folded(self, *arguments, **how):
        return self.run_program('render', '--output', 'folded', '--track', 'all', *arguments, **how).stdout

    def test_render_and_info(self):
        plain = self.folded(self.file('x.trace', LARGE))
        for i, pack in enumerate(PACKERS.values()):
            path = self.file('x%d' % i, pack(LARGE))
            self.assertEqual(self.folded(path), plain)
            self.assertEqual(self.folded('-', stdin=pack(LARGE)), plain)
            facts = json.loads(self.run_program('info', '--json', path).stdout)['facts']
            self.assertIn('MiB', facts['packed'])
            self.assertIn(b'Packed', self.run_program('info', path).stdout)

    def test_member(self):
        path = self.file('two.zip', zipped(('one', trace()), ('two', LARGE)))
        self.assertIn(b'2 files: one (Android method trace), two (Android method trace).', self.run_program('info', path, status=1).stderr)
        for name, content in (('one', trace()), ('two', LARGE)):
            self.assertEqual(self.folded('--member', name, path), self.folded(self.file(name, content)))
            said = json.loads(self.run_program('info', '--json', '--member=' + name, path).stdout)
            self.assertIn('zip (%s)' % name, said['facts']['packed'])
        self.assertIn(b'no such file', self.run_program('info', '--member', 'three', path, status=1).stderr)
        self.assertIn(b'no archive', self.run_program('info', '--member', 'x', self.file('x', trace()), status=2).stderr)
        self.run_program('info', '--member', status=2)
        self.run_program('render', '--member', status=2)

    def test_folders_are_named_without_the_packing(self):
        files = [self.file('a.trace.gz', gzip.compress(trace())), self.file('b.zst', zstd(trace())),
                 self.file('c.trace.zip', zipped(('x', trace()))), self.file('.gz', gzip.compress(trace()))]
        self.run_program('render', '--out-dir', 'out', *files)
        self.assertEqual(sorted(os.listdir(os.path.join(self.folder, 'out'))), ['.gz', 'a.trace', 'b', 'c.trace'])
        self.assertIn(b'two files of one name', self.run_program('render', '--out-dir', 'o', files[0],
                                                                 self.file('a.trace', trace()), status=2).stderr)

    def test_bomb(self):
        self.assertIn(b'max_unpacked_ratio', self.run_program('info', '-', stdin=bomb(100 * MIB), status=1).stderr)


if __name__ == '__main__':
    unittest.main()
