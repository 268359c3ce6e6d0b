"""The service under faults while it starts, sweeps its store and ends: it says why it does not start, or serves; what it
removes is what has expired; and it ends as it was told to."""
import glob
import os
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from control import FOREVER, ON, PROGRAM, Control, points
from support import Server, id_of, trace

START_S, SWEPT_S, QUIET_S, END_S = 20, 2, 0.2, 30
DAY_S = 86400
MISSES_MOST = 3


def make_doors(folder):
    """The flags of a service with a file of tokens and, where openssl can make one, a certificate."""
    tokens, certificate, key = (os.path.join(folder, name) for name in ('tokens', 'certificate.pem', 'key.pem'))
    with open(tokens, 'w') as file:
        file.write('ann upload,read %s 2026-11-25T10:00:00Z\n' % ('a' * 64))
    flags = ['--tokens-file', tokens]
    if shutil.which('openssl'):
        subprocess.run(['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes',
                        '-out', certificate, '-keyout', key, '-subj', '/CN=localhost', '-days', '2'],
                       stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=END_S)
        flags += ['--tls-certificate', certificate, '--tls-key', key]
    return flags


def make_store(folder):
    """A store to copy: id -> content of what stays, and ids of what is to go."""
    server = Server(store=os.path.join(folder, 'store'))
    stay, go = {}, []
    for n in range(4):
        content = trace(threads=2, records=240, salt=n)
        answer = server.upload(content)
        if n < 2:
            stay[id_of(answer)] = content
        else:
            go.append(id_of(answer))
    server.stop()
    server.clean()
    for path in glob.glob(server.store + '/uploads/*.json'):
        if os.path.basename(path)[:-len('.json')] in go:
            with open(path) as file:
                text = file.read()
            year = time.strftime('%Y')
            with open(path, 'w') as file:
                file.write(text.replace('"' + year, '"2001').replace('"%d' % (int(year) + 1), '"2001'))
    old = time.time() - 40 * DAY_S
    for path in glob.glob(server.store + '/**', recursive=True):
        os.utime(path, (old, old))
    with open(server.store + '/tmp/left', 'wb') as file:
        file.write(b'of a run that was killed')
    return stay, go


class Life:
    """One process of the service on a copy of the store."""

    def __init__(self, control, template):
        self.control, self.folder = control, tempfile.mkdtemp(prefix='aflamed-faults-')
        self.store, self.log_path = os.path.join(self.folder, 'store'), os.path.join(self.folder, 'log')
        shutil.copytree(os.path.join(template.folder, 'store'), self.store)
        self.flags = template.flags
        self.process = None

    def start(self):
        """False: it has ended again."""
        environment = {k: v for k, v in os.environ.items() if not k.startswith('AFLAMED')}
        with open(self.log_path, 'wb') as log:
            self.process = subprocess.Popen(
                [PROGRAM, 'serve', '--listen', 'unix:' + self.folder + '/socket', '--store', self.store, '--workers', '1',
                 '--log-level', 'debug', *self.flags], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log,
                env={**environment, 'FAULTS_CONTROL': self.control.path})
        until = time.monotonic() + START_S
        while time.monotonic() < until:
            if select.select([self.process.stdout], [], [], QUIET_S)[0]:
                return self.process.stdout.readline().startswith(b'aflamed listens on ')
            if self.control.failed > 0 and self.connects():
                return True
        return False

    def connects(self):
        """Serves, though it could not say so."""
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(self.folder + '/socket') == 0

    def log(self):
        with open(self.log_path, errors='replace') as file:
            return file.read()

    def swept(self):
        """Whether it said so. One that may not be able to is given until nothing happens any more."""
        calls, since = -1, time.monotonic()
        while ' swept ' not in self.log():
            if self.control.calls != calls:
                calls, since = self.control.calls, time.monotonic()
            elif time.monotonic() - since > (QUIET_S if self.control.failed else SWEPT_S):
                return False
            time.sleep(0.003)
        return True

    def end(self):
        """The exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.wait()

    def wait(self):
        try:
            status = self.process.wait(END_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = 'no end'
        self.process.stdout.close()
        return status

    def clean(self):
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def problem_of_end(self, wanted):
        status = self.wait() if wanted != 0 else self.end()
        if status != wanted:
            return 'its status is %s, not %s' % (status, wanted)
        if not self.control.ended() or 'Sanitizer' in self.log():
            return 'no regular end'
        return self.control.left_over()


def start(control, template, n, series):
    """From the first instruction until it listens and has swept. (what failed, problem)"""
    life = Life(control, template)
    try:
        control.arm(n, series)
        starts = life.start()
        swept = starts and life.swept()
        control.disarm()
        failed = control.failed
        problem = life.problem_of_end(0 if starts else 1)
        if not starts and series != ON and control.function != 'write' and 'error: ' not in life.log():
            problem = problem or 'ended without a word'
        if failed == 0 and not swept:
            problem = problem or 'did not sweep'
        return failed, problem or problem_of_store(life.store, *template.contents)
    finally:
        life.clean()


def end(control, template, n, series):
    """From the signal on."""
    life = Life(control, template)
    try:
        control.disarm()
        if not life.start() or not life.swept():
            return 0, 'does not start'
        control.arm(n, series)
        problem = life.problem_of_end(0)
        return control.failed, problem
    finally:
        life.clean()


def problem_of_store(store, stay, go):
    """After it, without faults: what stays is there, what is to go has gone."""
    server = Server(store=store, log_level='debug')
    try:
        for identity, content in stay.items():
            raw, view = server.get('/p/%s/raw' % identity), server.get('/p/%s/t/1.svg' % identity)
            if (raw.status, raw.body, view.status) != (200, content, 200):
                return 'then an upload that stays is %r' % raw
        for identity in go:
            if server.get('/p/%s/raw' % identity).status != 410:
                return 'then an upload that has expired is not gone'
        until = time.monotonic() + SWEPT_S
        while ' swept ' not in server.log() and time.monotonic() < until:
            time.sleep(0.003)
        left = server.files('uploads'), server.files('bytes'), server.files('tmp')
        if [len(found) for found in left] != [len(stay), len(stay), 0]:
            return 'then the store has %s' % (left,)
        return '' if server.stop() == 0 else 'then it did not end well'
    finally:
        server.clean()


LIVES = {'start and sweep': start, 'end': end}


class Template:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix='aflamed-faults-')
        self.contents = make_store(self.folder)
        self.flags = make_doors(self.folder)

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)


def walk(life, series, most=None):
    """(points, [findings])"""
    control, template, findings, n_done, misses = Control(), Template(), [], 0, 0
    try:
        control.arm()
        _, problem = life(control, template, FOREVER, series)
        if problem:
            findings.append('without a fault: ' + problem)
        chosen, i = points(control.trace(), most), 0
        while misses < MISSES_MOST and (chosen is None or i < len(chosen)):
            n = i if chosen is None else chosen[i]
            failed, problem = life(control, template, n, series)
            n_done, misses = n_done + (failed > 0), 0 if failed else misses + 1
            if problem:
                findings.append('call %d, %s (%s): %s' % (n, control.where(), series, problem))
            i += 1
        return n_done, findings
    finally:
        template.remove()
