"""What the HTTP tests share: a service process, requests (ordinary and raw), forms, traces.

Environment: AFLAMED (the program). AFLAMED_TEST_SLOW=1 stretches what is otherwise kept short; under a
sanitizer the heavy tests do less. Everything here is bounded in time."""
import collections
import functools
import glob
import http.client
import os
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

# What other tests share can be imported behind this module.
sys.path += [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), name) for name in ('support', 'faults')]

AFLAMED = os.environ.get('AFLAMED', '')
TIMEOUT_S = 180           # of one answer, also of a build with sanitizers on a busy machine
START_TIMEOUT_S = 60
STOP_TIMEOUT_S = 60
PATIENT = 'wait=600'    # RFC 7240
SOON_S = 120              # what takes a second or two has happened by then, also with sanitizers on a busy machine
GRACE_S = 10              # the service's own when it is told to stop
SLOW = os.environ.get('AFLAMED_TEST_SLOW') == '1'


@functools.lru_cache
def sanitized():
    """Whether the program was built with a sanitizer, which makes it several times slower and larger."""
    with open(AFLAMED, 'rb') as program:
        code = program.read()
    return b'__asan_init' in code or b'__tsan_init' in code


@functools.lru_cache
def counted():
    """Whether the program counts the lines that it runs, which it writes when it ends."""
    with open(AFLAMED, 'rb') as program:
        return b'__gcov' in program.read()


def amount(normal, under_sanitizer, stretched=None):
    """How often a heavy test does what it does."""
    if SLOW:
        return stretched if stretched is not None else normal
    return under_sanitizer if sanitized() else normal


def eventually(what, seconds=SOON_S):
    """Whether it becomes true."""
    end = time.monotonic() + seconds
    while not what():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def answers(port):
    """Whether somebody listens there."""
    try:
        socket.create_connection(('127.0.0.1', port), 1).close()
        return True
    except OSError:
        return False


def folder_of(test, what='http'):
    """A folder of its own for a test, or for a class of tests, with which it ends."""
    folder = tempfile.mkdtemp(prefix='aflamed-%s-' % what)
    (test.addClassCleanup if isinstance(test, type) else test.addCleanup)(shutil.rmtree, folder, ignore_errors=True)
    return folder


# ---- traces ----
METHOD_ID_STEP = 4


def record_layout(version, clock):
    if version == 1:
        return '<BII'
    if version == 2 or clock in ('wall', 'thread-cpu', 'global'):
        return '<HII'
    return '<HIII'


def text_part(version, clock, threads, methods, keys=()):
    lines = ['*version', str(version), 'clock=' + clock, *keys, '*threads']
    lines += ['%d\t%s' % thread for thread in threads]
    lines.append('*methods')
    lines += methods
    lines.append('*end\n')
    return '\n'.join(lines).encode()


def binary_header(version, record_bytes, offset=32, magic=b'SLOW'):
    fields = struct.pack('<4sHHQH', magic, version, offset, 1_600_000_000_000_000, record_bytes)
    return fields.ljust(32, b'\0')


def method_lines(n):
    return ['0x%x\tcom.example.Class%d\tmethod%d\t()V\tClass%d.java' %
            (i * METHOD_ID_STEP, i % 97, i, i % 97) for i in range(n)]


@functools.lru_cache(maxsize=32)
def trace(version=3, clock=None, threads=1, methods=8, records=64, salt=0, depth=6):
    """A valid trace: each thread in turn enters `depth` methods and leaves them again, one time unit per
    record. `salt` changes the bytes and nothing else."""
    clock = clock or ('dual' if version >= 3 else 'global')
    layout = struct.Struct(record_layout(version, clock))
    clocks = layout.size // 4 - 1
    names = [(t + 1, 'main' if t == 0 else 'Thread-%d' % t) for t in range(threads)]
    text = text_part(version, clock, names, method_lines(methods), ['pid=%d' % salt])
    out = [text, binary_header(version, layout.size if version >= 3 else 0)]
    pack = layout.pack
    records -= records % (2 * depth)     # all that is entered is left
    for i in range(records):
        turn, step = divmod(i, 2 * depth)
        level = step if step < depth else 2 * depth - 1 - step
        method = (turn // threads * 7 + level) % methods * METHOD_ID_STEP
        out.append(pack(turn % threads + 1, method | (step >= depth), *([i] * clocks)))
    return b''.join(out)


def heavy_trace(**options):
    """More than 64 KiB: views of it are made ahead, and kept in the store."""
    return trace(**{'records': 6000, **options})


SALT = 10 ** 9


def large_trace(size_bytes):
    """About this many bytes."""
    return trace(threads=8, methods=200, records=size_bytes // 14, salt=SALT)


def salted(content, n):
    """A large trace with other bytes, which fold to the same."""
    return content.replace(b'pid=%d' % SALT, b'pid=%d' % (SALT + n), 1)


# ---- requests ----
class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def __getitem__(self, name):
        """A header's value; None if it is not there."""
        return self.headers.get(name)

    @property
    def text(self):
        return self.body.decode()

    def __repr__(self):
        return '<%d %s %r>' % (self.status, dict(self.headers), self.body[:300])


def form(*parts, boundary='----aflamedTestBoundary7MA4YWxk'):
    """(Content-Type, body) of parts (name, file name or None, bytes)."""
    body = b''
    for name, file, content in parts:
        named = '' if file is None else ('; filename="%s"\r\nContent-Type: application/octet-stream' %
                                         file.replace('"', '\\"'))
        body += ('--%s\r\nContent-Disposition: form-data; name="%s"%s\r\n\r\n' %
                 (boundary, name, named)).encode()
        body += content + b'\r\n'
    body += ('--%s--\r\n' % boundary).encode()
    return 'multipart/form-data; boundary=' + boundary, body


def fields_of(**values):
    """Parts of a form; names may have dots as **{'label.x': ..}."""
    return [(name, None, value.encode()) for name, value in values.items()]


def head(method, target, *lines, host='127.0.0.1'):
    """Bytes of a request's head."""
    fields = ['Host: ' + host] if host is not None else []
    return ('%s %s HTTP/1.1\r\n' % (method, target) + ''.join(l + '\r\n' for l in [*fields, *lines]) +
            '\r\n').encode('latin-1')


def read_answers(connection, methods=('GET',)):
    """The answers on a socket to requests of these methods, in order; fewer if the connection ends."""
    answers = []
    stream = connection.makefile('rb')
    for method in methods:
        reader = http.client.HTTPResponse(Borrowed(stream), method=method)
        try:
            reader.begin()
            answers.append(Answer(reader.status, reader.headers, reader.read()))
        except (http.client.HTTPException, ConnectionError):
            break
    return answers


class Borrowed:
    """A stream for one of several readers: HTTPResponse closes its own when the answer ends."""

    def __init__(self, stream):
        self.stream = stream

    def makefile(self, _mode):
        return self

    def close(self):
        pass

    def flush(self):
        pass

    def __getattr__(self, name):
        return getattr(self.stream, name)


# ---- the service ----
class Server:
    """A process of the program on a port of its own. Keys of the configuration are keyword arguments."""
    PROGRAM, ENVIRONMENT, SCHEME = AFLAMED, {}, 'http'

    def __init__(self, store=None, **config):
        self.folder = tempfile.mkdtemp(prefix='aflamed-http-')
        self.store = store or os.path.join(self.folder, 'store')
        self.log_path = os.path.join(self.folder, 'log')
        # Tests that are about answers that come early say so; others do not depend on the machine's speed.
        self.config = {'answer_within_ms': 600_000, **config}
        self.process = self.port = None
        self.start()

    def start(self):
        flags = [part for key, value in self.config.items()
                 for part in ('--' + key.replace('_', '-'), str(value))]
        environment = {k: v for k, v in os.environ.items() if not k.startswith('AFLAMED')}
        with open(self.log_path, 'ab') as log:
            self.process = subprocess.Popen(
                [self.PROGRAM, 'serve', '--listen', '127.0.0.1:0', '--store', self.store, *flags],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, env={**environment, **self.ENVIRONMENT})
        ready, _, _ = select.select([self.process.stdout], [], [], START_TIMEOUT_S)
        line = self.process.stdout.readline().decode() if ready else ''
        if not line.startswith('aflamed listens on %s://127.0.0.1:' % self.SCHEME):
            self.kill()
            raise AssertionError('the service did not start: %r\n%s' % (line, self.log_tail()))
        self.port = int(line.rsplit(':', 1)[1].strip('/\n'))
        self.own_sockets = self.descriptors()['socket']

    @property
    def pid(self):
        return self.process.pid

    @property
    def url(self):
        return '%s://127.0.0.1:%d' % (self.SCHEME, self.port)

    def log(self):
        with open(self.log_path, errors='replace') as file:
            return file.read()

    def says(self, pattern, before=''):
        """Whether the log gets it, after what it had before; a request's own line is written after its answer."""
        return eventually(lambda: re.search(pattern, self.log()[len(before):]))

    def log_tail(self, lines=6):
        return '\n'.join(self.log().splitlines()[-lines:])

    def kill(self):
        """At once, as a power cut would."""
        self.process.kill()
        self.process.wait(STOP_TIMEOUT_S)
        self.process.stdout.close()

    def stop(self):
        """As an operator would. The exit status; None if it had to be killed."""
        self.process.send_signal(signal.SIGTERM)
        return self.wait_end()

    def wait_end(self):
        try:
            status = self.process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self.kill()
            return None
        self.process.stdout.close()
        return status

    def clean(self):
        """What it left on the disk."""
        if self.process.poll() is None:
            self.stop() if counted() else self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    # -- what it holds --
    def files(self, folder):
        """Objects of the store below this folder."""
        found = glob.glob(os.path.join(self.store, folder, '**'), recursive=True)
        return sorted(os.path.relpath(path, self.store) for path in found if os.path.isfile(path))

    def gets_rid_of(self, *folders):
        """Whether there comes to be nothing below these folders: what is refused is told before its bytes are removed."""
        return eventually(lambda: not any(self.files(folder) for folder in folders))

    def descriptors(self):
        """What the descriptors of the process are, counted."""
        kinds = collections.Counter()
        for number in os.listdir('/proc/%d/fd' % self.pid):
            try:
                kinds[os.readlink('/proc/%d/fd/%s' % (self.pid, number)).split(':')[0]] += 1
            except FileNotFoundError:
                pass
        return kinds

    def settled_descriptors(self, expected=None, seconds=SOON_S):
        """After connections have gone: when there are no more than expected, or else when they do not change any more."""
        end = time.monotonic() + seconds
        while True:
            kinds = self.descriptors()
            if expected is not None and not kinds - expected:     # a file may have been open for a moment then
                return expected
            if time.monotonic() > end:
                return kinds
            time.sleep(0.05)
            if expected is None and self.descriptors() == kinds:
                return kinds

    def settled_connections(self, count):
        """Whether it comes to hold so many: those who connect or leave are seen some time later."""
        return eventually(lambda: self.descriptors()['socket'] == self.own_sockets + count)

    def uploads_under_way(self):
        """How many have a temporary file: their bytes have begun to arrive. The first sweep has one for a moment, too."""
        eventually(lambda: os.path.exists(os.path.join(self.store, 'clock', 'seen')))
        place = os.path.join(os.path.realpath(self.store), 'tmp') + '/'
        return sum(n for what, n in self.descriptors().items() if what.startswith(place))

    def cpu_s(self):
        """Processor time it has used so far."""
        with open('/proc/%d/stat' % self.pid) as stat:
            fields = stat.read().rsplit(')', 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')

    def peak_bytes(self):
        """Largest resident set so far."""
        with open('/proc/%d/status' % self.pid) as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith('VmHWM'))

    # -- requests --
    def connect(self, timeout=TIMEOUT_S):
        return socket.create_connection(('127.0.0.1', self.port), timeout)

    def request(self, method, target, body=None, **headers):
        """Header names are written with _ for -. A body that is a list goes in chunks."""
        connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=TIMEOUT_S)
        fields = {name.replace('_', '-'): value for name, value in headers.items()}
        chunked = isinstance(body, (list, tuple))
        if chunked:
            fields['Transfer-Encoding'] = 'chunked'
        try:
            try:
                connection.request(method, target, iter(body) if chunked else body, fields,
                                   encode_chunked=chunked)
            except (BrokenPipeError, ConnectionResetError):
                pass     # it may have said why before it closed
            if connection.sock is None:
                raise ConnectionResetError('the service is gone')
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read())
        finally:
            connection.close()

    def get(self, target, **headers):
        """A page of an upload that is still being drawn says how far it is; it is asked for until it is whole."""
        end = time.monotonic() + TIMEOUT_S
        while True:
            answer = self.request('GET', target, **headers)
            if headers.get('Accept') != 'text/html' or b' data-waiting' not in answer.body or time.monotonic() > end:
                return answer
            time.sleep(0.01)

    # The answers of these come when what the upload's page shows first is made: what a test asks for next is there then. An empty
    # Prefer is for tests that are about answers which come before.
    def upload(self, content, target='/', **headers):
        return self.request('POST', target, content, **{'Prefer': PATIENT, **headers})

    def upload_form(self, *parts, target='/', **headers):
        kind, body = form(*parts)
        return self.request('POST', target, body, Content_Type=kind, **{'Prefer': PATIENT, **headers})

    def raw(self, sent, methods=('GET',), half_close=False):
        """Answers to bytes that are sent as they are."""
        with self.connect() as connection:
            try:
                connection.sendall(sent)
                if half_close:
                    connection.shutdown(socket.SHUT_WR)
            except (BrokenPipeError, ConnectionResetError):
                pass
            return read_answers(connection, methods)


def id_of(answer):
    """Id of an acknowledged upload."""
    return answer['Location'].split('#')[0].rsplit('/', 1)[1]


def token_of(answer):
    return answer['X-Delete-URL'].rsplit('=', 1)[1]


class ServiceFailure(unittest.TestCase.failureException):
    """A failure that shows what the service wrote last."""
    server = None

    def __str__(self):
        said = ServiceFailure.server.log_tail() if ServiceFailure.server else ''
        return '%s\nthe service wrote:\n%s' % (super().__str__(), said)


class ServiceTest(unittest.TestCase):
    """One service for all tests of the class, started with CONFIG. It must end cleanly when told to."""
    CONFIG = {}
    failureException = ServiceFailure
    server = None

    @classmethod
    def setUpClass(cls):
        if not AFLAMED:
            raise unittest.SkipTest('AFLAMED names no program')
        cls.server = ServiceFailure.server = Server(**cls.CONFIG)
        cls.addClassCleanup(cls.end)

    @classmethod
    def end(cls):
        status, said = cls.server.stop(), cls.server.log()
        cls.server.clean()
        ServiceFailure.server = None
        if status != 0 or 'Sanitizer' in said or 'runtime error' in said:
            raise AssertionError('the service ended with %s:\n%s' % (status, said[-6000:]))

    def stored(self, content=None, **headers):
        """An upload that is acknowledged."""
        answer = self.server.upload(trace() if content is None else content, **headers)
        self.assertEqual(answer.status, 201, answer)
        return answer

    def connection(self):
        """Open until the test ends."""
        connection = self.server.connect()
        self.addCleanup(connection.close)
        return connection

    def assert_alive(self):
        self.assertEqual(self.server.get('/healthz').status, 200)


def demo(path):
    """Writes the demo's trace there."""
    subprocess.run([AFLAMED, 'demo', '-o', path], check=True, timeout=60)


class DemoTest(ServiceTest):
    """With the demo's trace in `file`, stored at `path`."""
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.file = os.path.join(cls.server.folder, 'demo.trace')
        demo(cls.file)
        with open(cls.file, 'rb') as f:
            cls.path = '/p/' + id_of(cls.server.upload(f.read()))


def in_parallel(work, arguments, threads=16):
    """Results of work(argument), in order; the first exception is raised here."""
    arguments = list(arguments)
    results, errors, lock = [None] * len(arguments), [], threading.Lock()
    pending = list(enumerate(arguments))[::-1]

    def run():
        while True:
            with lock:
                if not pending or errors:
                    return
                index, argument = pending.pop()
            try:
                results[index] = work(argument)
            except BaseException as error:     # raised again below, in the test's own thread
                errors.append(error)

    workers = [threading.Thread(target=run, daemon=True) for _ in range(min(threads, len(arguments)))]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(4 * TIMEOUT_S)
        if worker.is_alive():
            raise TimeoutError('a request did not end')
    if errors:
        raise errors[0]
    return results
