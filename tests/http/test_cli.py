"""The command line: exit statuses, what goes to which stream, names of files, and what happens when something is in the
way. The program is the one that AFLAMED names; every file is made here."""
import gzip
import json
import os
import pty
import resource
import stat
import struct
import subprocess
import unittest

from support import folder_of

TIMEOUT_S = 60
METHODS = {0x10: 'a.B\trun\t()V\tB.java', 0x14: 'a.B\tcall\t(I)I\tB.java', 0x18: 'c.D\tidle\t()V\tD.java'}


def trace(threads=((1, b'main'), (2, b'worker')), busy_us=(100, 20), cut=0):
    """A dual-clock trace: each thread runs a.B.run and, within it, a.B.call."""
    text = b'*version\n3\nclock=dual\nvm=art\npid=77\n*threads\n'
    text += b''.join(b'%d\t%s\n' % thread for thread in threads) + b'*methods\n'
    text += b''.join(b'0x%x\t%s\n' % (number, line.encode()) for number, line in METHODS.items()) + b'*end\n'
    records = b''
    for (number, _), busy in zip(threads, busy_us):
        for word, time in ((0x10, 0), (0x14, busy // 2), (0x15, busy), (0x11, busy)):
            records += struct.pack('<HIII', number, word, time, time)
    whole = text + struct.pack('<4sHHQH', b'SLOW', 3, 32, 0, 14).ljust(32, b'\0') + records
    return whole[:len(whole) - cut]


class Command(unittest.TestCase):
    def setUp(self):
        self.folder = folder_of(self, 'cli')

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def file(self, name='x.trace', content=None):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), 'wb') as file:
            file.write(trace() if content is None else content)
        return self.path(name)

    def read(self, *names):
        with open(self.path(*names), 'rb') as file:
            return file.read()

    def command(self, *arguments, status=0, stdin=b'', stdout=subprocess.PIPE, **more):
        run = subprocess.run([os.environ['AFLAMED'], *arguments], input=stdin, stdout=stdout, stderr=subprocess.PIPE,
                             timeout=TIMEOUT_S, cwd=self.folder, check=False, **more)
        run.stderr = run.stderr.decode('utf-8', 'strict')
        self.assertEqual(run.returncode, status, '%s\n%s' % (arguments, run.stderr))
        return run

    def refused(self, *arguments, status, said, **more):
        """The error has its form, says the words, and nothing stands on standard output."""
        run = self.command(*arguments, status=status, **more)
        first, _, hint = run.stderr.partition('\n')
        self.assertRegex(first, '^error: [^:]+: .+')
        self.assertRegex(hint, '^hint: .+\n$')
        for word in [said] if isinstance(said, str) else said:
            self.assertIn(word, first)
        if run.stdout is not None:
            self.assertEqual(run.stdout, b'')
        return run


class General(Command):
    def test_help(self):
        text = self.command('--help').stdout.decode()
        for word in ('usage:', 'serve', 'render', 'info', 'demo', '--version', 'Exit status'):
            self.assertIn(word, text)
        self.assertLess(text.count('\n'), 24)
        self.assertEqual(self.command('-h').stdout.decode(), text)
        self.assertEqual(self.command('help').stdout.decode(), text)

    def test_help_of_commands(self):
        for command, words in (('serve', ('--listen', '--print-config', '--max-upload-bytes SIZE', 'AFLAMED_')),
                               ('render', ('--output', '--track', '--out-dir', '-q, --quiet', '--width', 'svg', 'folded')),
                               ('info', ('--json', '--member NAME')), ('demo', ('-o FILE',))):
            text = self.command(command, '--help').stdout.decode()
            self.assertTrue(text.startswith('usage: aflamed %s ' % command), text)
            for word in words:
                self.assertIn(word, text)
            for line in text.splitlines():
                self.assertLessEqual(len(line), 110)
            self.assertEqual(self.command(command, '-h').stdout.decode(), text)
            self.assertEqual(self.command('help', command).stdout.decode(), text)
        self.assertNotIn('--listen', self.command('render', '--help').stdout.decode())
        self.assertNotIn('--width', self.command('serve', '--help').stdout.decode())
        self.assertEqual(self.command('--workers', '3', '--help').stdout, self.command('serve', '--help').stdout)

    def test_version(self):
        self.assertRegex(self.command('--version').stdout, rb'^aflamed [0-9]\S*\n$')

    def test_unknown_command(self):
        self.refused('draw', self.file(), status=2, said='draw')
        self.refused('dr\x1b[31maw', status=2, said='draw'[:2])

    def test_no_escape_sequence_reaches_the_terminal(self):
        for arguments in (('dr\x1b[31m',), ('render', '\x1b[31m'), ('render', '--\x1b[31m=1', 'x'), ('info', '-\x1b')):
            run = subprocess.run([os.environ['AFLAMED'], *arguments], capture_output=True, timeout=TIMEOUT_S, check=False,
                                 cwd=self.folder)
            self.assertNotEqual(run.returncode, 0)
            self.assertNotIn(b'\x1b', run.stderr)

    def test_help_into_a_full_disk(self):
        with open('/dev/full', 'wb') as full:
            self.refused('--help', status=1, said='No space left', stdout=full)


class Serve(Command):
    def test_configuration_is_printed(self):
        config = json.loads(self.command('--print-config', '--workers', '3').stdout)
        self.assertEqual(config['workers'], 3)
        self.assertEqual(config, json.loads(self.command('serve', '--workers=3', '--print-config').stdout))

    def test_configuration_is_checked(self):
        self.command('--check-config')
        self.refused('--check-config', '--workers', 'many', status=2, said=['workers', 'many'])
        self.refused('--no-such-key', '1', status=2, said='no-such-key')
        self.refused('serve', 'render', status=2, said='render')
        self.refused('serve', '--workers', status=2, said='--workers')

    def test_what_does_not_start_is_not_usable(self):
        """Keys that do not fit each other, and files that are not there or are none of that kind."""
        bad = self.file('bad', b'no token\n')
        for flags, said in ((('--tls-key', bad), 'no tls_certificate'), (('--tls-certificate', bad), 'no tls_key'),
                            (('--tls-certificate', bad, '--tls-key', bad), 'the certificate cannot be used'),
                            (('--tokens-file', '/nowhere/tokens'), '/nowhere/tokens'), (('--tokens-file', bad), 'Line 1'),
                            (('--readers', 'team'), 'readers=team'), (('--share-views',), 'share_views'),
                            (('--durability', 'local'), 'durability=local'), (('--redirect-listen', ':80'), 'external_url')):
            for more in ('--check-config', '--store=' + self.path('store')):
                run = subprocess.run([os.environ['AFLAMED'], 'serve', '--listen', '127.0.0.1:0', more, *flags], text=True,
                                     stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_S)
                self.assertIn(run.returncode, (1, 2), flags)
                self.assertIn(said, run.stderr)

    def test_only_for_this_machine_unless_told(self):
        self.refused('--listen', '0.0.0.0:0', '--check-config', status=2, said='0.0.0.0:0')
        self.refused('--listen', '0.0.0.0:0', status=2, said='0.0.0.0:0')
        self.refused('--listen', ':0', '--check-config', status=2, said=':0')
        self.command('--listen', '0.0.0.0:0', '--open', '--check-config')
        self.command('--listen', '[::1]:0', '--check-config')

    @unittest.skipUnless(os.path.ismount('/sys'), 'no sysfs is mounted')
    def test_why_the_store_cannot_be_made(self):
        """Not even root can make a folder there."""
        run = self.refused('--listen', '127.0.0.1:0', '--store', '/sys/aflamed/store', status=1, said='/sys/aflamed/store')
        self.assertNotIn('No such file', run.stderr)

    def test_configuration_into_a_full_disk(self):
        with open('/dev/full', 'wb') as full:
            self.refused('--print-config', status=1, said='configuration', stdout=full)


class Render(Command):
    def test_folded_goes_to_standard_output(self):
        run = self.command('render', '--output', 'folded', self.file())
        self.assertEqual(run.stdout, b'a.B.run 50\na.B.run;a.B.call 50\n')
        self.assertEqual(run.stderr, '')

    def test_the_busiest_track_unless_named(self):
        path = self.file(content=trace(busy_us=(20, 100)))
        self.assertIn(b'a.B.run 50\n', self.command('render', '--output=folded', path).stdout)
        self.assertIn(b'a.B.run 10\n', self.command('render', '--output=folded', '--track', '1', path).stdout)

    def test_tracks_by_name(self):
        path = self.file(content=trace(((1, b'main'), (2, b'pool,1'), (3, b'pool'), (4, b'pool'), (5, b'7'), (7, b'x\ty')),
                                       (90, 80, 70, 60, 50, 40)))

        def folded(tracks, **how):
            return self.command('render', '--output', 'folded', '--track', tracks, path, **how).stdout
        self.assertEqual(folded('main'), folded('1'))
        self.assertEqual(folded('pool,1'), folded('2'))      # the whole is a name
        self.assertEqual(folded('main,2'), folded('1,2'))
        self.assertEqual(folded('7'), folded('7,7'))         # a number is an id, though a thread is called so
        self.refused('render', '--track', 'pool', path, status=2, said=['pool', '2 tracks', '3, 4'])
        self.refused('render', '--track', 'main,pool', path, status=2, said=['pool', '3, 4'])
        self.refused('render', '--track', 'nobody', path, status=2, said=['nobody', '1 main'])
        self.refused('render', '--track', 'main,', path, status=2, said='track=:')
        self.refused('render', '--track', 'all,main', path, status=2, said='track=all:')
        self.command('render', '--out-dir', 'named', '--track', 'main', path)
        self.assertEqual(os.listdir(self.path('named')), ['1-main.svg'])

    def test_several_tracks(self):
        path = self.file()
        for tracks in ('all', '1,2', '2,1'):
            lines = self.command('render', '--output', 'folded', '--track', tracks, path).stdout.splitlines()
            self.assertIn(b'[main tid=1];a.B.run 50', lines)
            self.assertIn(b'[worker tid=2];a.B.run 10', lines)
        merged = self.command('render', '--output', 'folded', '--track=merged', path).stdout
        self.assertEqual(merged, b'a.B.run 60\na.B.run;a.B.call 60\n')

    def test_standard_input(self):
        run = self.command('render', '--output', 'folded', '-', stdin=trace())
        self.assertEqual(run.stdout, b'a.B.run 50\na.B.run;a.B.call 50\n')
        self.refused('render', '-', stdin=b'', status=1, said='empty')

    def test_picture_into_a_pipe_and_into_a_file(self):
        piped = self.command('render', self.file()).stdout
        self.assertIn(b'<svg', piped)
        self.command('render', '-o', 'x.svg', 'x.trace')
        self.command('render', 'x.trace', '-o', 'y.svg')
        self.assertEqual(self.read('x.svg'), piped)
        self.assertEqual(self.read('y.svg'), piped)
        self.assertEqual(self.command('render', '-o', '-', 'x.trace').stdout, piped)

    def test_no_picture_onto_a_terminal(self):
        self.file()
        terminal, side = pty.openpty()
        try:
            self.refused('render', 'x.trace', status=2, said='terminal', stdout=side)
            self.command('render', '--output', 'folded', '-q', 'x.trace', stdout=side)
            self.assertIn(b'a.B.run 50', os.read(terminal, 1000))
        finally:
            os.close(side)
            os.close(terminal)

    def test_options_of_the_view(self):
        path = self.file()
        plain = self.command('render', path).stdout
        for options in (['--view', 'icicle'], ['--width=600'], ['--value', 'calls'], ['--view', 'inverted'],
                        ['--palette', 'self'], ['--names=full'], ['--embed-nodes', '0'], ['--embed-bytes=10'],
                        ['--view', 'sandwich', '--method', 'a.B.run']):
            self.assertNotEqual(self.command('render', *options, path).stdout, plain)
        for options in (['--view', 'flame'], ['--order', 'name'], ['--min', '0.5'], ['--width', '1200'],
                        ['--palette', 'origin'], ['--names', 'short'], ['--method='], ['--embed-nodes', '200000']):
            self.assertEqual(self.command('render', *options, path).stdout, plain)

    def test_bad_values(self):
        path = self.file()
        for option, value in (('output', 'png'), ('output', ''), ('view', 'round'), ('order', 'random'), ('width', '0'),
                              ('width', '99999999999999999999'), ('width', '-5'), ('width', '12px'), ('min', 'x'),
                              ('min', '-1'), ('track', ''), ('track', 'nobody'), ('track', '1,,2'), ('track', '4294967296'),
                              ('value', ''), ('palette', 'x'), ('names', ''), ('method', 'm' * 501), ('embed-nodes', '-1'),
                              ('embed-bytes', '4M'), ('embed-', '1'), ('no-such-option', '1')):
            with self.subTest(option=option, value=value):
                self.refused('render', '--%s=%s' % (option, value), path, status=2, said='--' + option if option in ('output', 'embed-', 'no-such-option') else '=')
                self.refused('render', '--' + option, value, path, status=2, said='')

    def test_misspelt_options(self):
        for command, option, meant in (('render', '--widht', '--width'), ('methods', '--longset', '--longest'), ('diff', '--fro-b', '--from-b'),
                                       ('diff', '--nomalise', '--normalise')):
            self.assertIn('Perhaps %s is meant.' % meant, self.command(command, option, '1', self.file(), status=2).stderr)

    def test_what_the_profile_does_not_have(self):
        self.refused('render', '--track', '9', self.file(), status=2, said='9')
        self.refused('render', '--value', 'joules', self.file(), status=2, said='joules')
        self.refused('render', '--view', 'sandwich', '--method', 'a.B.rush', self.file(), status=2, said='method')
        for view in ('inverted', 'sandwich', 'chart'):
            self.refused('render', '--output', 'folded', '--view', view, self.file(), status=2, said='cannot show the view ' + view)
        self.refused('render', '--view', 'chart', '--value', 'calls', self.file(), status=2, said='value=calls')

    def test_usage(self):
        path = self.file()
        self.refused('render', status=2, said='file')
        self.refused('render', '--output', 'folded', status=2, said='file')
        self.refused('render', path, '--width', status=2, said='--width')
        self.refused('render', path, '-o', status=2, said='-o')
        self.refused('render', '-o=', path, status=2, said='-o')
        self.refused('render', '--out-dir=', path, status=2, said='--out-dir')
        self.refused('render', '--quiet=yes', path, status=2, said='--quiet')
        self.refused('render', '-x', path, status=2, said='-x')
        self.refused('render', '-o', 'a', '--out-dir', 'b', path, status=2, said='--out-dir')
        self.refused('render', path, path, status=2, said='--out-dir')
        self.assertEqual(os.listdir(self.folder), ['x.trace'])

    def test_a_file_whose_name_is_an_option(self):
        self.file('--width')
        self.assertIn(b'a.B.run 50', self.command('render', '--output', 'folded', '--', '--width').stdout)

    def test_warnings(self):
        path = self.file(content=trace(cut=3))
        run = self.command('render', '--output', 'folded', path)
        self.assertRegex(run.stderr, '(?m)^warning: .*cut')
        for quiet in ('-q', '--quiet'):
            self.assertEqual(self.command('render', quiet, '--output', 'folded', path).stderr, '')

    def test_warnings_say_what_was_chosen(self):
        path = self.file(content=trace(cut=28))     # the worker never leaves its two methods
        for command in (('methods',), ('calls',), ('render', '-o', self.path('x.svg'))):
            self.assertIn('time counts up to', self.command(*command, path).stderr)
            said = self.command(*command, '--open', 'end', path).stderr
            self.assertIn('as was chosen, their wall time goes on', said)
            self.assertNotIn('up to', said)


class OutDir(Command):
    def test_every_track(self):
        names = ((1, b'main'), (2, 'Ä/b c..\x01'.encode()), (3, b'x' * 300), (4, b'..'))
        self.file(content=trace(names, (10, 20, 30, 40)))
        self.command('render', '-q', '--out-dir', 'new/er', 'x.trace')
        self.assertEqual(sorted(os.listdir(self.path('new/er'))),
                         ['1-main.svg', '2-___b_c.._.svg', '3-' + 'x' * 80 + '.svg', '4-_...svg'])
        for name in os.listdir(self.path('new/er')):
            self.assertTrue(self.read('new/er', name).rstrip().endswith(b'</svg>'))
        self.assertEqual(self.read('new/er/1-main.svg'), self.command('render', '--track', '1', 'x.trace').stdout)

    def test_another_output(self):
        self.file()
        self.command('render', '--out-dir', 'd', '--output', 'folded', 'x.trace')
        self.assertEqual(sorted(os.listdir(self.path('d'))), ['1-main.folded.txt', '2-worker.folded.txt'])
        self.assertEqual(self.read('d/2-worker.folded.txt'), b'a.B.run 10\na.B.run;a.B.call 10\n')

    def test_named_tracks(self):
        self.file()
        for tracks, name in (('all', 'all.svg'), ('merged', 'merged.svg'), ('2', '2-worker.svg'), ('1,2', '1_2.svg')):
            self.command('render', '--out-dir', tracks, '--track', tracks, 'x.trace')
            self.assertEqual(os.listdir(self.path(tracks)), [name])

    def test_several_files(self):
        self.file('a/x.trace')
        self.file('b/y z.trace')
        self.command('render', '--out-dir', 'd', 'a/x.trace', 'b/y z.trace', '-', stdin=trace())
        self.assertEqual(sorted(os.listdir(self.path('d'))), ['stdin', 'x.trace', 'y_z.trace'])
        for folder in os.listdir(self.path('d')):
            self.assertEqual(sorted(os.listdir(self.path('d', folder))), ['1-main.svg', '2-worker.svg'])

    def test_one_bad_file_among_several(self):
        self.file('a.trace')
        self.file('b.trace', b'\x89PNG\r\n\x1a\n')
        self.file('c.trace')
        run = self.command('render', '--out-dir', 'd', 'a.trace', 'b.trace', 'c.trace', status=1)
        self.assertRegex(run.stderr, '^error: b.trace: unknown file format: ')
        self.assertEqual(sorted(os.listdir(self.path('d'))), ['a.trace', 'c.trace'])

    def test_two_files_of_one_name(self):
        self.file('a/x.trace')
        self.file('b/x.trace')
        self.refused('render', '--out-dir', 'd', 'a/x.trace', 'b/x.trace', status=2, said='x.trace')
        self.assertFalse(os.path.exists(self.path('d')))

    def test_many_tracks(self):
        threads = tuple((n, b'Thread #%d' % n) for n in range(1, 301))
        self.file(content=trace(threads, tuple(range(2, 602, 2))))
        self.command('render', '-q', '--out-dir', 'd', '--output', 'folded', 'x.trace')
        self.assertEqual(len(os.listdir(self.path('d'))), 300)
        self.assertEqual(self.read('d', '7-Thread__7.folded.txt'), b'a.B.run 7\na.B.run;a.B.call 7\n')

    def test_folder_in_the_way(self):
        self.file()
        self.refused('render', '--out-dir', 'x.trace', 'x.trace', status=1, said='x.trace')
        self.refused('render', '--out-dir', 'x.trace/d', 'x.trace', status=1, said='x.trace/d')
        self.assertIn('a folder by --out-dir', self.command('render', '-o', '.', 'x.trace', status=1).stderr)
        os.makedirs(self.path('d/1-main.svg'))
        self.refused('render', '--out-dir', 'd', 'x.trace', status=1, said='1-main.svg')


class TwoFiles(Command):
    """A key file and its data file side by side are one trace; so are a streaming trace and its summary."""

    def halves(self):
        whole = trace()
        end = whole.index(b'*end\n') + 5
        self.file('x.key', whole[:end])
        self.file('x.data', whole[end:])
        return self.command('render', '--output', 'folded', '--track', 'all', '-', stdin=whole).stdout

    def test_either_order(self):
        whole = self.halves()
        for pair in (('x.key', 'x.data'), ('x.data', 'x.key')):
            self.assertEqual(self.command('render', '--output', 'folded', '--track', 'all', *pair).stdout, whole)
            info = json.loads(self.command('info', '--json', *pair).stdout)
            self.assertEqual((info['file'], [t['id'] for t in info['tracks']]), ('x.data', [1, 2]))

    def test_stream_and_summary(self):
        stream = struct.pack('<4sHHQH', b'SLOW', 0xF3, 32, 0, 14).ljust(32, b'\0')
        stream += b''.join(struct.pack('<HIII', 1, word, at, at) for at, word in enumerate((0x10, 0x14, 0x15, 0x11)))
        text = trace()
        self.file('s.trace', stream)
        self.file('s.trace.sec', text[:text.index(b'*end\n') + 5])
        for pair in (('s.trace', 's.trace.sec'), ('s.trace.sec', 's.trace')):
            run = self.command('render', '--output', 'folded', *pair)
            self.assertEqual((run.stdout, run.stderr), (b'a.B.run 2\na.B.run;a.B.call 1\n', ''))
        alone = self.command('render', '--output', 'folded', 's.trace')
        self.assertIn(b'unknown[0x10]', alone.stdout)
        self.assertIn('.trace.sec', alone.stderr)

    def test_among_others(self):
        self.halves()
        self.file('y.trace')
        self.command('render', '--out-dir', 'd', 'y.trace', 'x.key', 'x.data')
        self.assertEqual(sorted(os.listdir(self.path('d'))), ['x.data', 'y.trace'])
        self.assertEqual(self.read('d/x.data/1-main.svg'), self.read('d/y.trace/1-main.svg'))

    def test_what_is_no_pair(self):
        self.halves()
        self.file('y.trace')
        self.file('cut.key', self.read('x.key')[:-2])
        for half, said in (('x.key', 'key file'), ('x.data', 'data file')):
            self.refused('render', half, status=1, said=said)
            self.assertIn('aflamed render x.key x.data', self.command('render', half, status=1).stderr)
        for pair in (('y.trace', 'x.data'), ('x.data', 'x.data'), ('cut.key', 'x.data'), ('x.key', 'y.trace')):
            self.refused('info', *pair, status=2, said='one')
            self.refused('render', *pair, status=2, said='several files')
        self.refused('info', 'x.key', 'x.data', 'y.trace', status=2, said='one')

    def test_no_room_to_join(self):
        self.halves()
        self.refused('render', 'x.key', 'x.data', status=1, said='join', env={**os.environ, 'TMPDIR': '/proc/nothing'})

    def test_nothing_stays(self):
        self.halves()
        os.mkdir(self.path('tmp'))
        self.command('render', 'x.key', 'x.data', env={**os.environ, 'TMPDIR': self.path('tmp')})
        self.assertEqual(os.listdir(self.path('tmp')), [])


class Writing(Command):
    def test_replaces_whole_files_only(self):
        self.file()
        with open(self.path('x.svg'), 'w', encoding='utf-8') as old:
            old.write('old')
        os.chmod(self.path('x.svg'), 0o640)
        with open(self.path('x.svg'), encoding='utf-8') as reader:
            self.command('render', '-o', 'x.svg', 'x.trace')
            self.assertEqual(reader.read(), 'old')
        self.assertIn(b'<svg', self.read('x.svg'))
        self.assertEqual(stat.S_IMODE(os.stat(self.path('x.svg')).st_mode), 0o640)
        self.assertEqual(sorted(os.listdir(self.folder)), ['x.svg', 'x.trace'])

    def test_a_new_file_has_the_usual_mode(self):
        self.file()
        self.command('render', '-o', 'x.svg', 'x.trace', preexec_fn=lambda: os.umask(0o027))
        self.assertEqual(stat.S_IMODE(os.stat(self.path('x.svg')).st_mode), 0o640)

    def test_a_link_stays_a_link(self):
        self.file()
        os.mkdir(self.path('d'))
        with open(self.path('d/real.svg'), 'wb'):
            pass
        os.symlink('d/real.svg', self.path('x.svg'))
        self.command('render', '-o', 'x.svg', 'x.trace')
        self.assertTrue(os.path.islink(self.path('x.svg')))
        self.assertIn(b'<svg', self.read('d/real.svg'))
        self.assertEqual(os.listdir(self.path('d')), ['real.svg'])

    def overwriting(self, *arguments, **more):
        """Refused, and every file is as it was."""
        def contents():
            return {name: self.read(name) for name in os.listdir(self.folder) if os.path.isfile(self.path(name))}

        before = contents()
        self.refused(*arguments, status=2, said='would be overwritten', **more)
        self.assertEqual(contents(), before)

    def test_no_input_is_overwritten(self):
        self.file()
        self.file('x.gz', gzip.compress(trace()))
        os.symlink('x.trace', self.path('link'))
        os.link(self.path('x.trace'), self.path('hard'))
        for name in ('x.trace', './x.trace', 'link', 'hard', self.path('x.trace')):
            self.overwriting('render', '-o', name, 'x.trace')
            self.overwriting('render', '-o', 'x.trace', '--output', 'folded', name)
        self.overwriting('render', '-o', 'x.gz', 'x.gz')
        self.overwriting('render', '-o', 'x.trace', '/dev/../' + self.path('x.trace'))

    def test_no_half_is_overwritten(self):
        whole = trace()
        end = whole.index(b'*end\n') + 5
        self.file('x.key', whole[:end])
        self.file('x.data', whole[end:])
        for half in ('x.key', 'x.data'):
            self.overwriting('render', '-o', half, 'x.key', 'x.data')

    def test_no_input_is_overwritten_by_a_standard_stream(self):
        path = self.file()
        for arguments in (['render', '-'], ['render', 'x.trace'], ['info', 'x.trace']):
            with open(path, 'rb') as stdin, open(path, 'ab') as stdout:
                self.overwriting(*arguments, stdin=None, stdout=stdout, preexec_fn=lambda: os.dup2(stdin.fileno(), 0))
        with open(path, 'rb') as stdin:
            self.overwriting('render', '-o', 'x.trace', '-', stdin=None, preexec_fn=lambda: os.dup2(stdin.fileno(), 0))

    def test_no_input_is_overwritten_in_a_folder(self):
        self.file('2-worker.svg')
        self.file('y.trace')
        os.makedirs(self.path('d/y.trace'))
        os.link(self.path('2-worker.svg'), self.path('d/y.trace/1-main.svg'))
        self.overwriting('render', '--out-dir', '.', '2-worker.svg')
        self.assertFalse(os.path.exists(self.path('1-main.svg')))
        before = self.read('2-worker.svg')
        self.command('render', '-q', '--out-dir', 'd', 'y.trace', '2-worker.svg', status=2)
        self.assertEqual(self.read('d/y.trace/1-main.svg'), before)
        self.assertEqual(os.listdir(self.path('d/y.trace')), ['1-main.svg'])

    def test_full_disk(self):
        self.file()
        self.refused('render', '-o', '/dev/full', 'x.trace', status=1, said=['/dev/full', 'No space left'])
        with open('/dev/full', 'wb') as full:
            for arguments in (['render', 'x.trace'], ['render', '--output', 'folded', 'x.trace'], ['info', 'x.trace'],
                              ['info', '--json', 'x.trace']):
                self.refused(*arguments, status=1, said='No space left', stdout=full)

    def test_device(self):
        self.file()
        self.command('render', '-o', '/dev/null', 'x.trace')
        self.assertTrue(stat.S_ISCHR(os.stat('/dev/null').st_mode))

    def test_no_half_file_stays(self):
        """A limit on the size of files stands for a disk that fills up."""
        self.file()
        self.refused('render', '-o', 'x.svg', 'x.trace', status=1, said='x.svg',
                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)))
        self.assertEqual(os.listdir(self.folder), ['x.trace'])

    def test_no_such_folder(self):
        self.file()
        self.refused('render', '-o', 'no/x.svg', 'x.trace', status=1, said='no/x.svg')

    def test_reader_that_goes_away(self):
        self.file()
        reader, writer = os.pipe()
        os.close(reader)
        with open(writer, 'wb') as pipe:
            self.refused('render', 'x.trace', status=1, said='Broken pipe', stdout=pipe)

    def test_closed_streams(self):
        """A file that is opened must not become the stream that is missing."""
        self.file()
        for closed in (0, 1, 2):
            run = subprocess.run([os.environ['AFLAMED'], 'render', '-o', 'x%d.svg' % closed, 'x.trace'], cwd=self.folder,
                                 timeout=TIMEOUT_S, check=False, preexec_fn=lambda fd=closed: os.close(fd))
            self.assertEqual(run.returncode, 0)
            self.assertTrue(self.read('x%d.svg' % closed).startswith(b'<'))
        run = subprocess.run([os.environ['AFLAMED'], 'render', 'x.trace'], cwd=self.folder, timeout=TIMEOUT_S, check=False,
                             stderr=subprocess.PIPE, preexec_fn=lambda: os.close(1))
        self.assertEqual(run.returncode, 1)
        self.assertIn(b'standard output', run.stderr)


class Refused(Command):
    def test_broken_inputs(self):
        whole = trace()
        damaged = whole[:whole.index(b'SLOW')] + b'FAST' + whole[whole.index(b'SLOW') + 4:]
        for name, content, said in (('empty', b'', 'empty'), ('png', b'\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'PNG image'),
                                    ('gzip', b'\x1f\x8b\x08' + bytes(60), 'gzip stream is damaged'),
                                    ('text', b'Dear reader,\nthis is a letter.\n', 'unknown'),
                                    ('magic', damaged, 'at byte'), ('cut', whole[:40], '')):
            with self.subTest(name):
                path = self.file(name, content)
                for arguments in (['render', path], ['info', path], ['info', '--json', path]):
                    self.refused(*arguments, status=1, said=said)

    def test_unreadable(self):
        self.refused('render', 'nothing.trace', status=1, said=['nothing.trace', 'No such file'])
        self.refused('info', '.', status=1, said='directory')

    def test_every_length_of_a_trace_ends_well(self):
        """No length crashes it: a profile, with or without warnings, or an error in its form."""
        whole = trace()
        for length in range(0, len(whole), 3):
            run = subprocess.run([os.environ['AFLAMED'], 'render', '--output', 'folded', '-'], input=whole[:length],
                                 capture_output=True, timeout=TIMEOUT_S, check=False)
            self.assertIn(run.returncode, (0, 1))
            self.assertEqual(run.stderr.startswith(b'error: '), run.returncode == 1)
            self.assertTrue(run.stdout == b'' or run.returncode == 0)


class Info(Command):
    def test_for_people(self):
        text = self.command('info', self.file(content=trace(((1, b'main'), (2, b'w\x1b[1m')), (15000, 25)))).stdout.decode()
        self.assertNotIn('\x1b', text)
        self.assertRegex(text, r'(?m)^File +\S*x\.trace$')
        self.assertRegex(text, r'(?m)^Format +Android method trace$')
        self.assertRegex(text, r'(?m)^Clock +dual$')
        self.assertRegex(text, r'(?m)^Values +wall, cpu, calls$')
        self.assertRegex(text, r'(?m)^ +id +wall time +thread CPU time +calls +stacks +name$')
        self.assertRegex(text, r'(?m)^ +1 +15 ms +15 ms +2 +3 +main$')
        rows = text.splitlines()[-3:]
        self.assertEqual(len({row.index(name) for row, name in zip(rows, ('name', 'main', 'w'))}), 1)

    def test_warnings(self):
        self.assertRegex(self.command('info', self.file(content=trace(cut=3))).stdout.decode(),
                         r'(?m)^Warnings\n  .*cut.* \(first at byte \d+\)$')

    def test_json(self):
        path = self.file('quote".trace', trace(cut=3))
        run = self.command('info', '--json', path)
        info = json.loads(run.stdout)
        self.assertEqual(run.stderr, '')
        self.assertEqual(info['file'], path)
        self.assertEqual(info['format'], 'android-trace')
        self.assertEqual(info['facts']['pid'], 77)
        self.assertEqual([v['name'] for v in info['values']], ['wall', 'cpu', 'calls'])
        self.assertIn('cut-record', [w['code'] for w in info['warnings']])
        self.assertEqual([t['id'] for t in info['tracks']], [1, 2])
        self.assertEqual(info['tracks'][0]['totals'], {'wall': 100, 'cpu': 100})
        self.assertEqual(json.loads(self.command('info', path, '--json').stdout), info)

    def test_standard_input(self):
        self.assertEqual(json.loads(self.command('info', '--json', '-', stdin=trace()).stdout)['file'], '-')

    def test_usage(self):
        path = self.file()
        self.refused('info', status=2, said='file')
        self.refused('info', path, path, status=2, said='one')
        self.refused('info', '--json=1', path, status=2, said='--json')
        self.refused('info', '--track', '1', path, status=2, said='--track')
