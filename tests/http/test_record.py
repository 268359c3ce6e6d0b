"""aflamed record, with an adb that answers as devices do."""
import contextlib
import os
import pty
import re
import shutil
import signal
import subprocess
import unittest

import support
from support import AFLAMED, TIMEOUT_S, ServiceTest, trace
from team import STARTUP, Team, changed, run_trace

ADB = r'''#!/bin/sh
# The log has a line for each call; $PLAY says what kind of device this is; $FOLDER/trace is what the app writes.
printf '%s\n' "$*" >> "$FOLDER/log"
test "$1" != -s || shift 2
fails() { printf '%s\n' "$1" >&2; exit "${2:-255}"; }
if test "$PLAY" = shell; then    # it has a shell, and a folder and commands of its own
    kind=$1 && shift
    exec sh -c "$(printf '%s ' "$@" | sed "s|/data/local/tmp|$FOLDER/device|g")"
fi
case $PLAY in
    none) fails '* daemon started successfully
adb: no devices/emulators found' 1 ;;
    several) fails 'adb: more than one device/emulator' 1 ;;
    unauthorized) fails 'adb: device unauthorized.' 1 ;;
esac
case "$*" in
    'shell cmd package resolve-activity --brief '*)
        case $PLAY in
            unknown) echo 'No activity found' ;;
            strange) printf 'priority=0\ncom.example.app/.Main$(reboot)\n' ;;
            *) printf 'priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true\r\ncom.example.app/.MainActivity\r\n' ;;
        esac ;;
    'shell am start-activity '*) printf 'Starting: Intent { cmp=com.example.app/.MainActivity }\nStatus: ok\n' ;;
    'shell am profile start '*)
        case $PLAY in
            stopped) fails "
Exception occurred while executing 'profile':
java.lang.IllegalArgumentException: Unknown process: com.example.app
	at com.android.server.am.ActivityManagerService.profileControl" ;;
            release) fails "
Exception occurred while executing 'profile':
java.lang.SecurityException: Process not debuggable, and not profileable by shell: ProcessRecord{1 2:com.example.app/u0a1}
	at com.android.server.am.AppProfiler.profileControlLPf" ;;
            old) echo 'PROFILE FAILED on process com.example.app' ;;
            broken) exit 3 ;;
        esac ;;
    'shell am profile stop '*) ;;
    'shell stat -c %s /data/local/tmp/'*)
        looks=$(grep -c 'stat -c' "$FOLDER/log")
        if test "$PLAY" = empty; then echo 0
        elif test "$looks" -lt 3; then echo $((looks * 10 - 10))
        else wc -c < "$FOLDER/trace"; fi ;;
    'exec-out cat /data/local/tmp/'*) if test "$PLAY" = cut; then head -c 100 "$FOLDER/trace"; else cat "$FOLDER/trace"; fi ;;
    'shell rm -f /data/local/tmp/'*) ;;
    *) fails "an unexpected call: $*" 9 ;;
esac
'''

AM = r'''#!/bin/sh
for word; do case $word in *.trace) : > "$word"; echo "$word" > "$FOLDER/file" ;; esac; done
if test "$1 $2" = 'profile stop'; then (sleep 1; cp "$FOLDER/trace" "$(cat "$FOLDER/file")") > /dev/null 2>&1 & fi
'''
CMD = 'echo priority=0; echo com.example.app/.MainActivity'


class Record(ServiceTest):
    def setUp(self):
        self.folder = support.folder_of(self, 'record')
        os.mkdir(self.path('bin'))
        self.program('adb', ADB)
        self.trace = trace(salt=5)
        self.write(self.trace)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def program(self, name, text):
        with open(self.path('bin', name), 'w', encoding='utf-8') as file:
            file.write(text)
        os.chmod(self.path('bin', name), 0o755)

    def write(self, content):
        with open(self.path('trace'), 'wb') as file:
            file.write(content)

    def environment(self, play, path=None, **more):
        return {**os.environ, 'PATH': path or self.path('bin') + ':' + os.environ['PATH'], 'FOLDER': self.folder, 'PLAY': play, **more}

    def run_it(self, *arguments, play='', package='com.example.app', **environment):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.path('log'))
        return subprocess.run([AFLAMED, 'record', '--seconds', '1', *arguments, package], cwd=self.folder, stdin=subprocess.DEVNULL,
                              env=self.environment(play, **environment), capture_output=True, text=True, timeout=TIMEOUT_S, check=False)

    def calls(self):
        """What adb was asked, with the name of the file on the device left out."""
        with open(self.path('log'), encoding='utf-8') as file:
            lines = [re.sub(r'/data/local/tmp/aflamed-[0-9a-f]{8}\.trace', 'FILE', line.rstrip('\n')) for line in file]
        return [line for i, line in enumerate(lines) if line not in lines[:i]]

    def assert_says(self, done, title, words, hint=''):
        self.assertEqual((done.returncode, done.stdout), (1, ''), done)
        self.assertRegex(done.stderr, '(?m)^error: %s: .*%s' % (title, words))
        self.assertIn(hint, done.stderr)
        self.assertEqual([name for name in os.listdir(self.folder) if name.endswith('.trace')], [])


class Kept(Record):
    def test_a_file_with_a_name_of_its_own(self):
        done = self.run_it()
        self.assertEqual((done.returncode, done.stdout), (0, ''), done)
        name, = (name for name in os.listdir(self.folder) if name.endswith('.trace'))
        self.assertRegex(name, r'^com\.example\.app-\d{8}-\d{6}\.trace$')
        self.assertIn('Recording com.example.app for 1 s.\n%s: ' % name, done.stderr)
        with open(self.path(name), 'rb') as file:
            self.assertEqual(file.read(), self.trace)
        self.assertEqual(self.calls(), ['shell am profile start --sampling 1000 com.example.app FILE', 'shell am profile stop com.example.app',
                                        'shell stat -c %s FILE', 'exec-out cat FILE', 'shell rm -f FILE'])
        with open(self.path('log'), encoding='utf-8') as file:
            self.assertEqual(sum('stat -c' in line for line in file), 4)    # until it has not grown

    def test_from_the_start_on_with_every_call_of_one_of_several(self):
        done = self.run_it('--start', '--sampling', '0', '--serial', 'emulator-5554', '-o', 'it.trace')
        self.assertEqual((done.returncode, done.stdout), (0, ''), done)
        with open(self.path('it.trace'), 'rb') as file:
            self.assertEqual(file.read(), self.trace)
        self.assertEqual(self.calls()[:3], ['-s emulator-5554 ' + call for call in (
            'shell cmd package resolve-activity --brief com.example.app',
            'shell am start-activity -S -W --start-profiler FILE -n com.example.app/.MainActivity', 'shell am profile stop com.example.app')])

    def test_to_standard_output(self):
        done = subprocess.run([AFLAMED, 'record', '--seconds', '1', '-o', '-', 'com.example.app'], env=self.environment(''),
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_S, check=True)
        self.assertEqual(done.stdout, self.trace)

    def assert_ends(self, stdin, end):
        with subprocess.Popen([AFLAMED, 'record', '--seconds', '3000', '-o', 'it.trace', 'com.example.app'], cwd=self.folder,
                              env=self.environment(''), stdin=stdin, stderr=subprocess.PIPE, text=True) as process:
            self.assertIn('Recording', process.stderr.readline())
            end(process)
            said = process.communicate(timeout=TIMEOUT_S)[1]
        self.assertEqual((process.returncode, said), (0, ''))
        with open(self.path('it.trace'), 'rb') as file:
            self.assertEqual(file.read(), self.trace)

    def test_ctrl_c_ends_the_recording_and_keeps_it(self):
        self.assert_ends(subprocess.DEVNULL, lambda process: process.send_signal(signal.SIGINT))

    def test_enter_ends_the_recording(self):
        terminal, stdin = pty.openpty()
        self.addCleanup(os.close, terminal)
        self.addCleanup(os.close, stdin)
        self.assert_ends(stdin, lambda process: os.write(terminal, b'\n'))


class Uploaded(Record):
    def test_prints_the_link(self):
        done = self.run_it('--to', self.server.url + '/')
        self.assertEqual(done.returncode, 0, done)
        link, = re.findall(r'^%s(/p/[a-z2-7]{26})\n$' % re.escape(self.server.url), done.stdout)
        self.assertEqual(self.server.get(link + '/raw').body, self.trace)
        self.assertRegex(self.server.get(link + '.json').text, r'"name": ?"com\.example\.app-\d{8}-\d{6}\.trace"')
        self.assertEqual([name for name in os.listdir(self.folder) if name.endswith('.trace')], [])

    def test_may_be_checked(self):
        team = Team(self.server, 'device', seed=4, noise=0.01)
        team.commits(range(6), 5, branch='main')
        self.write(run_trace(changed(STARTUP, '', 1.5, 1.5), 0, team.chance, 77))
        for run in range(2):    # one run decides nothing
            done = self.run_it('--to', self.server.url + '/?space=device&label.branch=mine&label.commit=m&check=branch:main')
        self.assertEqual((done.returncode, done.stderr.count('error')), (3, 0), done)
        self.assertIn('FAIL', done.stdout.split('\n', 1)[0])

    def assert_kept(self, done, title, words):
        """It could not be put where it was to be, and is in a file."""
        name, = (name for name in os.listdir(self.folder) if name.endswith('.trace'))
        self.assertIn('%s: ' % name, done.stderr)
        with open(self.path(name), 'rb') as file:
            self.assertEqual(file.read(), self.trace)
        os.unlink(self.path(name))
        self.assert_says(done, title, words)

    def test_says_why_not_and_keeps_the_trace(self):
        self.assert_kept(self.run_it('--to', self.server.url + '/?expires=never'), 'not uploaded', 'The service answers 400: ')
        with support.socket.socket() as unused:
            unused.bind(('127.0.0.1', 0))
            self.assert_kept(self.run_it('--to', 'http://127.0.0.1:%d/' % unused.getsockname()[1]), 'not uploaded', '')
        self.assert_kept(self.run_it('-o', 'no/such/folder/x'), 'cannot write the result', 'No such file')


class Refused(Record):
    def test_what_the_device_does_not_do(self):
        for play, title, words, hint in (('none', 'no device', 'adb: no devices/emulators found', 'USB debugging'),
                                         ('several', 'several devices', 'adb: more than one device/emulator', '--serial'),
                                         ('unauthorized', 'the device does not trust this machine', 'adb: device unauthorized', 'screen'),
                                         ('stopped', 'the app does not run', r'IllegalArgumentException: Unknown process: com\.example\.app$', '--start'),
                                         ('old', 'the app does not run', 'PROFILE FAILED on process com', '--start'),
                                         ('release', 'the app cannot be recorded', 'SecurityException: Process not debuggable', 'profileable'),
                                         ('broken', 'adb failed', 'status 3', ''),
                                         ('cut', 'not all was fetched', r'has \d+ bytes', 'TMPDIR'),
                                         ('empty', 'nothing was recorded', 'stays empty', 'debuggable')):
            with self.subTest(play):
                self.assert_says(self.run_it(play=play), title, words, hint)
                self.assertEqual(self.calls()[-1], 'shell rm -f FILE')

    def test_what_cannot_be_started(self):
        for play, title, words in (('unknown', 'no such app', 'No activity found'), ('strange', 'no activity to start', 'names no activity')):
            self.assert_says(self.run_it('--start', play=play), title, words)
        self.assertFalse([call for call in self.calls() if 'reboot' in call])

    def test_what_a_shell_could_read(self):
        for arguments in (('--serial', 'a b'), ('--serial', '$(x)'), ('--serial', '-d'), ('--seconds', '0'), ('--seconds', '1;x'),
                          ('--sampling', '-1'), ('--to', 'ftp://x'), ('--to', "http://h/'"), ('--to', 'http://h/ x')):
            self.assertEqual(self.run_it(*arguments).returncode, 2, arguments)
        for package in ('a;b', 'a b', '$(a)', '`a`', 'a/b', "a'b", 'a\nb', '', 'ä'):
            self.assertEqual(self.run_it(package=package).returncode, 2, package)
        self.assertFalse(os.path.exists(self.path('log')))


class Printed(Record):
    def test_without_adb_the_commands_are_printed(self):
        done = self.run_it(path=self.path('nothing'))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, '^error: no adb: ')
        self.assertEqual(done.stdout.count('\n'), 1)
        self.assertRegex(done.stdout, r'^adb shell am profile start --sampling 1000 com\.example\.app /data')

    @unittest.skipUnless(shutil.which('curl'), 'curl is not installed')
    def test_a_shell_runs_them(self):
        os.mkdir(self.path('device'))
        self.program('am', AM)
        self.program('cmd', CMD)
        for more, call in ((('--seconds', '2'), 'am profile start --sampling 1000 com.example.app FILE'),
                           (('--start', '--serial', 'x:5555', '--sampling', '0'), 'am start-activity -S -W --start-profiler FILE -n $(cmd')):
            done = self.run_it('--print', '--to', self.server.url + '/?space=printed', *more)
            self.assertEqual((done.returncode, done.stderr), (0, ''), done)
            shell = subprocess.run(['sh', '-c', done.stdout], env=self.environment('shell'), stdin=subprocess.DEVNULL,
                                   capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
            link, = re.findall(r'^%s(/p/[a-z2-7]{26})$' % re.escape(self.server.url), shell.stdout, re.M)
            self.assertEqual(self.server.get(link + '/raw').body, self.trace)
            self.assertEqual(os.listdir(self.path('device')), [])
            self.assertTrue([line for line in self.calls() if call in line], self.calls())
        done = self.run_it('--print', '--seconds', '1')
        subprocess.run(['sh', '-c', done.stdout], cwd=self.folder, env=self.environment('shell'), stdin=subprocess.DEVNULL,
                       timeout=TIMEOUT_S, check=True)
        name, = (name for name in os.listdir(self.folder) if name.startswith('com.example.app-'))
        with open(self.path(name), 'rb') as file:
            self.assertEqual(file.read(), self.trace)

    def test_a_shell_writes_and_sends_what_was_asked_for(self):
        os.mkdir(self.path('device'))
        self.program('am', AM)
        self.program('curl', '#!/bin/sh\nprintf "%s\\n" "$@" > "$FOLDER/asked"\ncat > "$FOLDER/sent"\n')
        token, name = 'a"b$c', "it's $(x).trace"
        for more, made in ((('-o', name), (name,)), (('-o', name, '--to', 'http://[::1]/?q={a}'), (name, 'sent'))):
            done = self.run_it('--print', *more, AFLAMED_TOKEN=token)
            self.assertEqual((done.returncode, done.stderr), (0, ''), done)
            self.assertNotIn(token, done.stdout)
            subprocess.run(['sh', '-c', done.stdout], cwd=self.folder, env=self.environment('shell', AFLAMED_TOKEN=token),
                           stdin=subprocess.DEVNULL, timeout=TIMEOUT_S, check=True)
            for file in made:
                with open(self.path(file), 'rb') as opened:
                    self.assertEqual(opened.read(), self.trace)
                os.unlink(self.path(file))
        with open(self.path('asked'), encoding='utf-8') as file:
            asked = file.read().splitlines()
        self.assertIn('Authorization: Bearer ' + token, asked)
        self.assertIn('--globoff', asked)
        self.assertEqual(asked[-1], 'http://[::1]/?q={a}')
        self.assertEqual([file for file in os.listdir(self.folder) if file.endswith('.trace')], [])


if __name__ == '__main__':
    unittest.main()
