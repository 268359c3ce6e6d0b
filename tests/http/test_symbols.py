"""Names of native code from symbols: on the command line, and with an upload."""
import collections
import io
import json
import os
import re
import subprocess
import tarfile
import tempfile
import unittest
import zipfile

from support import AFLAMED, ServiceTest, eventually, id_of, token_of
import exports
import native

PNG = b'\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0\0\0\1\0\x08\6\0\0\0'


def run(*arguments, status=0):
    done = subprocess.run([AFLAMED, *arguments], capture_output=True, timeout=120, check=False)
    if done.returncode != status:
        raise AssertionError((arguments, done.returncode, done.stderr[-500:]))
    return done.stdout.decode() if status == 0 else done.stderr.decode()


class Libraries:
    """Of one build: with all symbols, without any, and the like; and recordings of it."""

    def __init__(self, folder):
        self.folder = folder
        self.full = native.build(self.path('full/libnative.so'))
        self.id = native.build_id(self.full)
        self.library = native.Library('/data/app/~~x==/com.example-1/base.apk!libnative.so', self.id)
        functions = native.functions(self.full)
        leaf, size = functions['leaf']
        inside = [a for a in native.addresses(self.full) if leaf <= a < leaf + size]
        self.stack = [(self.library, functions['outer'][0] + 4), (self.library, functions['middle'][0] + 4),
                      (self.library, inside[1])]

    def path(self, name):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def write(self, name, content):
        path = self.path(name)
        with open(path, 'wb') as f:
            f.write(content)
        return path

    def read(self, path):
        with open(path, 'rb') as f:
            return f.read()


def libraries(test):
    # pylint: disable=consider-using-with
    folder = tempfile.TemporaryDirectory()
    test.addClassCleanup(folder.cleanup)
    return Libraries(folder.name)


class NamedFrames(unittest.TestCase):
    """On the command line."""

    @classmethod
    def setUpClass(cls):
        cls.of = libraries(cls)
        cls.heap = cls.of.write('heap.pftrace', native.perfetto_heap([(cls.of.stack, 4096)]))

    def folded(self, recording, *symbols, track='all'):
        arguments = [a for s in symbols for a in ('--symbols', s)]
        text = run('render', '--output', 'folded', '--track', track, *arguments, recording)
        return [re.sub(r'^\[[^]]*\];', '', line) for line in text.splitlines()]

    def codes(self, recording, *symbols):
        arguments = [a for s in symbols for a in ('--symbols', s)]
        return {w['code']: w['text'] for w in json.loads(run('info', '--json', *arguments, recording))['warnings']}

    def recorded(self, name, content):
        return self.of.write(name, content)

    NAMED = 'outer;middle;leaf;inlined;innermost'

    def test_every_format_with_addresses(self):
        stacks = [(self.of.stack, 3)]
        for name, content, last in (('cpu.pftrace', native.perfetto_cpu(stacks), '3'), ('x.pb', native.pprof(stacks), '3'),
                                    ('x.sp', native.simpleperf(stacks), '3000')):
            recording = self.recorded(name, content)
            self.assertNotIn('outer', ''.join(self.folded(recording)))
            self.assertEqual(self.folded(recording, self.of.full), [self.NAMED + ' ' + last], name)
        self.assertIn('symbols-by-name', self.codes(recording, self.of.full))

    def check_all_addresses(self, library):
        """Each has the functions that addr2line says."""
        bodies = native.functions(library).values()
        places = [a for a in native.addresses(library) if any(start <= a < start + size for start, size in bodies)]
        of = native.Library('/data/app/libnative.so', native.build_id(library))
        recording = self.recorded('all.pb', native.pprof([([(of, a)], 1) for a in places]))
        said = native.call('addr2line', '-f', '-i', '-a', '-e', library, *map(hex, places)).splitlines()
        expected, chain = [], None
        for line in said:
            if line.startswith('0x'):
                chain = []
                expected.append(chain)
            elif ':' not in line:
                chain.insert(0, line)
        self.assertEqual(len(expected), len(places))
        counts = collections.Counter(';'.join(chain) for chain in expected)
        named = dict(line.rsplit(' ', 1) for line in self.folded(recording, library))
        self.assertEqual(named, {k: str(v) for k, v in counts.items()})
        return named

    def test_all_addresses_as_addr2line_says(self):
        self.check_all_addresses(self.of.full)

    def test_inlined_code_outside_of_its_caller(self):
        """DWARF 2 has one range for each function, and so only a part of one that is in several pieces."""
        named = self.check_all_addresses(native.build(self.of.path('strict/libstrict.so'), native.PIECES,
                                                      ('-gdwarf-2', '-gstrict-dwarf', '-O2')))
        self.assertIn('outer;lvl1;lvl2;lvl3', named)

    def test_lines(self):
        leaf, size = native.functions(self.of.full)['leaf']
        for place in [a for a in native.addresses(self.of.full) if leaf <= a < leaf + size]:
            said = native.call('addr2line', '-f', '-i', '-e', self.of.full, hex(place)).split('\n')
            expected = {said[i]: said[i + 1] for i in range(0, len(said) - 1, 2)}
            recording = self.recorded('one.pb', native.pprof([([(self.of.library, place)], 1)]))
            out = self.of.path('one.out.pb.gz')
            run('export', 'pprof', '--symbols', self.of.full, '-o', out, recording)
            made = exports.Pprof(self.of.read(out))
            found = {name: line for name, _, line in made.locations.values()}
            self.assertEqual(found, {k: int(v.split(' (')[0].rsplit(':', 1)[1]) for k, v in expected.items()}, hex(place))
            self.assertEqual(set(made.files.values()), {v.split(' (')[0].rsplit(':', 1)[0] for v in expected.values()})

    def test_other_readings_have_the_names(self):
        """Charts, windows and calls read the file a second time."""
        recording = self.recorded('timed.sp', native.simpleperf([(self.of.stack, 3), (self.of.stack[:2], 2), (self.of.stack, 2)]))
        symbols = ('--symbols', self.of.full)
        chart = run('render', '--view', 'chart', '--track', '9', *symbols, recording)
        for name in ('outer', 'inlined', 'innermost'):
            self.assertIn(name, chart)
        window = run('render', '--output', 'folded', '--from', '0', '--to', '2500', '--track', '9', *symbols, recording)
        self.assertIn(self.NAMED, window)
        whole = run('render', '--output', 'folded', '--track', '9', *symbols, recording)
        self.assertEqual(sum(int(line.rsplit(' ', 1)[1]) for line in whole.splitlines()), 7000)

    def test_numbers_stay(self):
        def numbers(*more):
            return [(t['id'], t['totals']) for t in json.loads(run('info', '--json', *more, self.heap))['tracks']]
        self.assertEqual(numbers(), numbers('--symbols', self.of.full))

    def test_tables_of_functions(self):
        """Without debug information there are neither inlined functions nor lines."""
        for name, path in (('symtab', native.strip(self.of.full, self.of.path('symtab/libnative.so'), '--strip-debug')),
                           ('mini', native.mini(self.of.full, self.of.path('mini/libnative.so'))),
                           ('dynsym', native.strip(self.of.full, self.of.path('dyn/libnative.so')))):
            self.assertEqual(self.folded(self.heap, path), ['outer;middle;leaf 4096'], name)
        static = native.build(self.of.path('static/libhidden.so'), native.SOURCE.replace('"default"', '"hidden"'))
        bare = native.strip(static, self.of.path('bare/libhidden.so'))
        mini = native.mini(static, self.of.path('minihidden/libhidden.so'))
        start = native.functions(static)['leaf'][0]
        recording = self.recorded('hidden.pb', native.pprof([([(native.Library('/x/libhidden.so', native.build_id(static)), start)], 1)]))
        self.assertEqual(self.folded(recording, mini), ['leaf 1'])
        self.assertIn('libhidden.so+0x', self.folded(recording, bare)[0])

    def test_debug_files_and_shifted_code(self):
        """A recorder that knows offsets only, and files without code, whose own offsets mean nothing."""
        flags = ('-g', '-O2', '-Wl,-Ttext-segment=0x400000', '-Wl,-z,max-page-size=4096')
        shifted = native.build(self.of.path('shifted/libshifted.so'), flags=flags)
        debug = native.strip(shifted, self.of.path('debug/libshifted.so.debug'), '--only-keep-debug')
        leaf = native.functions(shifted)['leaf'][0]
        segment = next(line.split() for line in native.call('readelf', '-lW', shifted).splitlines()
                       if line.split()[:1] == ['LOAD'] and 'E' in line.split()[6:8])
        offset, vaddr = int(segment[1], 16), int(segment[2], 16)
        self.assertNotEqual(offset, vaddr)
        library = native.Library('/x/libshifted.so', native.build_id(shifted), bias=0, offset=offset)
        place = leaf - vaddr + offset
        for name, content in (('shifted.pb', native.pprof([([(library, place)], 1)], offset=offset)),
                              ('shifted.pftrace', native.perfetto_heap([([(library, place)], 1)]))):
            recording = self.recorded(name, content)
            for symbols in (shifted, debug):
                self.assertRegex(self.folded(recording, symbols)[0], '^leaf', (name, symbols))
        right = native.Library('/x/libshifted.so', native.build_id(shifted), bias=vaddr - offset, offset=offset)
        recording = self.recorded('right.pftrace', native.perfetto_heap([([(right, leaf)], 1)]))
        for symbols in (shifted, debug):
            self.assertRegex(self.folded(recording, symbols)[0], '^leaf')

    def test_folders(self):
        """Wherever it lies and whatever it is called."""
        content, some = self.of.read(self.of.full), self.of.id
        for i, name in enumerate(('data/app/~~x==/com.example-1/base.apk!libnative.so', 'libnative.so', 'a/b/c/d/e/f/renamed.bin',
                                  '.build-id/%s/%s.debug' % (some[:2], some[2:]), '.hidden/deep/x.so')):
            folder = self.of.path('found%d/' % i)
            self.of.write('found%d/%s' % (i, name), content)
            self.of.write('found%d/readme.txt' % i, b'no symbols')
            self.assertEqual(self.folded(self.heap, folder), [self.NAMED + ' 4096'], name)
        folder = self.of.path('both/')
        native.strip(self.of.full, self.of.path('both/libnative.so'))
        self.of.write('both/unstripped/libnative.so', content)
        self.assertEqual(self.folded(self.heap, folder), [self.NAMED + ' 4096'])

    def test_what_is_missing_is_listed(self):
        other = native.build(self.of.path('other/libnative.so'), build_id='0x00112233')
        unrelated = native.build(self.of.path('unrelated/libelse.so'), build_id='0x44556677')
        codes = self.codes(self.heap, other)
        self.assertIn(self.of.id, codes['symbols-other-build'])
        self.assertIn('100 %', codes['symbols-other-build'])
        self.assertNotIn('symbols-missing', codes)
        codes = self.codes(self.heap, unrelated)
        self.assertIn('libnative.so (build id ' + self.of.id, codes['symbols-missing'])
        self.assertNotIn('symbols-other-build', codes)
        self.assertNotIn('symbols-missing', self.codes(self.heap, unrelated, self.of.full))
        text = run('info', '--symbols', other, self.heap)
        self.assertIn('symbols of another build', text)
        self.assertIn(self.of.id, run('info', self.heap))
        self.assertIn('symbols-unused', self.codes(self.demo(), self.of.full))

    def demo(self):
        path = self.of.path('demo.trace')
        run('demo', '-o', path)
        return path

    def test_two_names_are_kept_where_one_is_missing(self):
        library = native.Library('/x/libgone.so', 'ab' * 20)
        recording = self.recorded('two.pftrace', native.perfetto_heap([(self.of.stack[:1] + [(library, 16)], 100), (self.of.stack, 300)]))
        self.assertEqual(self.folded(recording, self.of.full), [self.NAMED + ' 300', 'outer;unknown 100'])
        self.assertIn('25 %', self.codes(recording, self.of.full)['symbols-missing'])

    def test_breakpad(self):
        swapped = bytes.fromhex(self.of.id)
        guid = (swapped[3::-1] + swapped[5:3:-1] + swapped[7:5:-1] + swapped[8:16]).hex().upper() + '0'
        functions = native.functions(self.of.full)
        lines = ['FILE 0 /src/native.c', 'INLINE_ORIGIN 0 inlined', 'INLINE_ORIGIN 1 innermost']
        for name, (start, size) in sorted(functions.items(), key=lambda f: f[1]):
            lines.append('FUNC %x %x 0 %s' % (start, size, name))
            if name == 'leaf':
                lines += ['INLINE 0 14 0 0 %x %x' % (start, size), 'INLINE 1 8 0 1 %x %x' % (start, size)]
            lines.append('%x %x 4 0' % (start, size))
        for first in ('MODULE Linux arm64 %s libnative.so' % guid,
                      'MODULE Linux arm64 %s libnative.so\nINFO CODE_ID %s' % ('0' * 33, self.of.id.upper())):
            text = self.of.write('native.sym', '\n'.join([first, *lines, '']).encode())
            self.assertEqual(self.folded(self.heap, text), [self.NAMED + ' 4096'])
        other = self.of.write('other.sym', '\n'.join(['MODULE Linux arm64 %s libnative.so' % ('1' * 33), *lines, '']).encode())
        self.assertIn('symbols-other-build', self.codes(self.heap, other))
        public = ['MODULE Linux arm64 %s libnative.so' % guid] + ['PUBLIC %x 0 %s' % (start, name) for name, (start, _) in functions.items()]
        self.assertEqual(self.folded(self.heap, self.of.write('public.sym', '\n'.join(public).encode())), ['outer;middle;leaf 4096'])

    def test_names_of_cpp(self):
        source = 'namespace a { struct B { int c(int); }; __attribute__((noinline)) int B::c(int x) { return x * 3; } }'
        path = native.build(self.of.path('cpp/libcpp.so'), source, ('-g', '-O1', '-x', 'c++'))
        start = native.functions(path)['_ZN1a1B1cEi'][0]
        recording = self.recorded('cpp.pb', native.pprof([([(native.Library('/x/libcpp.so', native.build_id(path)), start)], 1)]))
        self.assertEqual(self.folded(recording, path), ['a::B::c(int) 1'])

    def test_damaged_files(self):
        """Each is a warning at most, and the profile is drawn."""
        content = self.of.read(self.of.full)
        plain = self.folded(self.heap)
        for size in (4, 64, 1000, len(content) - 70):
            cut = self.of.write('cut.so', content[:size])
            lines = self.folded(self.heap, cut)
            self.assertEqual(sum(int(x.rsplit(' ', 1)[1]) for x in lines), 4096)
        for start in range(64, len(content), 2999):
            changed = self.of.write('changed.so', content[:start] + b'\xff' * 16 + content[start + 16:])
            self.assertEqual(sum(int(x.rsplit(' ', 1)[1]) for x in self.folded(self.heap, changed)), 4096)
        for bad in (PNG, b'', b'nothing\n'):
            said = run('render', '--symbols', self.of.write('bad.so', bad), self.heap, status=1)
            self.assertIn('not symbols', said)
        inside = self.of.path('pictures/')
        self.of.write('pictures/libnative.so', PNG)
        self.assertEqual(self.folded(self.heap, inside), plain)
        self.assertIn('/nowhere/x.so', run('render', '--symbols', '/nowhere/x.so', self.heap, status=1))
        self.assertIn('--symbols', run('render', '--symbols', '', self.heap, status=2))

    def test_symbols_and_mapping(self):
        mapping = self.of.write('mapping.txt', b'com.real.App -> a.b:\n    void run() -> c\n')
        text = run('render', '--output', 'folded', '--track', 'all', '--symbols', self.of.full, '--mapping', mapping, self.heap)
        self.assertIn(self.NAMED, text)

    def test_a_library_is_not_overwritten(self):
        before = self.of.read(self.of.full)
        run('render', '--symbols', self.of.full, '-o', self.of.full, self.heap, status=2)
        run('methods', '--symbols', self.of.full, '-o', self.of.full, self.heap, status=2)
        self.assertEqual(self.of.read(self.of.full), before)

    def test_both_sides_of_a_comparison(self):
        text = run('diff', '--symbols-a', self.of.full, '--symbols-b', self.of.full, '--all', self.heap, self.heap)
        self.assertIn('innermost', text)
        self.assertNotIn('unknown', text)


class UploadedSymbols(ServiceTest):
    CONFIG = {'delete_within_s': 3}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.of = libraries(cls)
        cls.recording = native.perfetto_heap([(cls.of.stack, 4096), (cls.of.stack[:2], 100)])
        cls.symbols = cls.of.read(cls.of.full)

    def folded(self, upload):
        return self.server.get('/p/%s/t/1.folded.txt' % id_of(upload)).text

    def parts(self, symbols=None):
        return (('trace', 'x.pftrace', self.recording),
                ('symbols', 'libnative.so', self.symbols if symbols is None else symbols))

    def attach(self, upload, *parts, **headers):
        parts = (('token', None, token_of(upload).encode()), *parts)
        return self.server.upload_form(*parts, target='/p/%s/symbols' % id_of(upload), **headers)

    def summary(self, upload):
        return json.loads(self.server.get('/p/%s.json' % id_of(upload)).body)

    def test_with_the_upload(self):
        for parts in (self.parts(), self.parts()[::-1]):
            upload = self.server.upload_form(*parts)
            self.assertEqual(upload.status, 201, upload.text)
            self.assertRegex(self.folded(upload), r'(?m)^outer;middle;leaf;inlined;innermost 4096$')
            self.assertNotIn('unnamed', self.summary(upload))

    def test_they_come_later(self):
        bare = self.stored(self.recording)
        before = self.folded(bare)
        self.assertNotIn('outer', before)
        [library] = self.summary(bare)['unnamed']
        self.assertEqual((library['build_id'], library['percent'], library['symbols']), (self.of.id, 100, 'missing'))
        answer = self.attach(bare, self.parts()[1])
        self.assertEqual((answer.status, answer.text), (200, 'changed\n'))
        self.assertIn('outer;middle;leaf;inlined;innermost 4096', self.folded(bare))
        page = self.server.get('/p/%s/t/1' % id_of(bare), Accept='text/html').text
        self.assertIn('Take the symbols away', page)
        self.assertEqual(self.attach(bare, ('symbols', None, b'')).status, 200)
        self.assertEqual(self.folded(bare), before)
        page = self.server.get('/p/%s/t/1' % id_of(bare), Accept='text/html').text
        self.assertIn('/symbols"', page)
        self.assertIn(self.of.id, page)
        self.assertNotIn('Take the symbols away', page)

    def test_an_archive(self):
        packed, tarred = io.BytesIO(), io.BytesIO()
        with zipfile.ZipFile(packed, 'w', zipfile.ZIP_DEFLATED) as z:
            z.writestr('readme.txt', 'nothing')
            z.writestr('arm64-v8a/libnative.so.dbg', self.symbols)
        with tarfile.open(fileobj=tarred, mode='w:gz') as t:
            t.add(self.of.full, 'lib/libnative.so')
        for content in (packed.getvalue(), tarred.getvalue()):
            upload = self.server.upload_form(*self.parts(content))
            self.assertIn('outer;middle;leaf;inlined;innermost 4096', self.folded(upload))

    def test_who_may_and_what_is_refused(self):
        upload, before = self.stored(self.recording), len(self.server.files('names'))
        answer = self.server.upload_form(('token', None, b'a' * 26), self.parts()[1], target='/p/%s/symbols' % id_of(upload))
        self.assertEqual(answer.status, 403)
        for parts, status in (((('symbols', 'x', PNG),), 415), ((('symbols', '', b''),), 400), ((), 400),
                              ((('mapping', 'x', b'a.b -> c:\n'),), 400), ((self.parts()[1], self.parts()[1]), 400)):
            answer = self.attach(upload, *parts)
            self.assertEqual(answer.status, status, (parts and parts[0][0], answer.text))
        self.assertEqual(self.server.upload_form(*self.parts(PNG)).status, 415)
        eventually(lambda: len(self.server.files('names')) <= before)
        self.assert_alive()

    def test_equal_files_are_kept_once(self):
        content, before = self.symbols + b'once', len(self.server.files('names'))
        for _ in range(2):
            self.assertEqual(self.server.upload_form(*self.parts(content)).status, 201)
        self.assertEqual(len(self.server.files('names')), before + 3)     # it, and that each upload needs it


class LittleMemory(ServiceTest):
    CONFIG = {'job_memory_bytes': 64 << 20}

    def test_more_than_the_child_has(self):
        """An archive of one file that unpacks to more memory than there is for a profile."""
        of, packed = libraries(type(self)), io.BytesIO()
        with zipfile.ZipFile(packed, 'w', zipfile.ZIP_DEFLATED) as z:
            with z.open('libnative.so', 'w') as f:
                f.write(b'\x7fELF')
                for _ in range(200):
                    f.write(bytes(1 << 20))
            z.write(of.full, 'lib/libnative.so')
        upload = self.server.upload_form(('trace', 'x', native.perfetto_heap([(of.stack, 4096)])),
                                         ('symbols', 'bomb.zip', packed.getvalue()))
        self.assertEqual(upload.status, 201, upload.text)
        self.assertTrue(self.server.get('/p/%s/t/1.folded.txt' % id_of(upload)).text.endswith(' 4096\n'))
        self.assert_alive()


if __name__ == '__main__':
    unittest.main()
