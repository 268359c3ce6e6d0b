"""What is measured, and what it is measured against: processes from start to end, and servers.

Environment: AFLAMED, MKTRACE and TIMED name the programs that the Makefile built."""
import getpass
import os
import re
import shutil
import signal
import subprocess
import time

import client
from client import Failed

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PATH = os.environ.get('PATH', os.defpath) + ':/usr/sbin:/sbin'
STOP_TIMEOUT_S = 120
PROBLEMS = (Failed, OSError, subprocess.SubprocessError)     # of what is run, not of how it is run


def built(variable, name):
    return os.environ.get(variable) or os.path.join(ROOT, 'build', name)


AFLAMED = built('AFLAMED', 'aflamed')
MKTRACE = built('MKTRACE', 'mktrace')
TIMED = built('TIMED', 'bench/timed')


def find(name):
    """Its path, or None if it is not there."""
    return shutil.which(name, path=PATH)


class Sample:
    """What one run took. `peak_bytes` is None where it is not known."""

    def __init__(self, seconds, peak_bytes=None):
        self.seconds, self.peak_bytes = seconds, peak_bytes


def run(*command, of_processor=False):
    """A process from its start to its end; `of_processor`: the time that it had a processor."""
    try:
        done = subprocess.run([TIMED, *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=client.TIMEOUT_S)
    except subprocess.TimeoutExpired:
        raise Failed('%s: no end after %d s' % (command[0], client.TIMEOUT_S)) from None
    if done.returncode != 0:
        raise Failed('%s ended with %d: %s' % (' '.join(command), done.returncode,
                                               done.stderr.decode(errors='replace').strip()))
    nanoseconds, peak_bytes, cpu_nanoseconds = map(int, done.stdout.split())
    return Sample((cpu_nanoseconds if of_processor else nanoseconds) / 1e9, peak_bytes)


def memory_bytes(pid, field):
    """VmHWM (most so far) or VmRSS (now)."""
    with open('/proc/%d/status' % pid) as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(field + ':'))


class Server:
    """A process that serves on a port of the loopback address until it is told to stop; a context."""
    probe, tls = '/', False

    def start(self, command):
        self.began = time.perf_counter()
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE)
        try:
            self.start_s = client.first_answer(self.port, self.probe, self.began, self.process, self.tls)
        except Failed as error:
            self.process.kill()
            said = self.process.communicate()[1].decode(errors='replace').strip()
            raise Failed('%s: %s %s' % (command[0], error, said)) from None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.communicate(timeout=STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()


class Aflamed(Server):
    """`start_s` is the time to the first answer. Nothing is answered before it is complete: no upload is
    refused for its size, or answered early."""
    probe = '/healthz'

    def __init__(self, store, *flags):
        self.port, self.tls = client.free_port(), '--tls-certificate' in flags
        self.start([AFLAMED, 'serve', '--listen', '127.0.0.1:%d' % self.port, '--store', store,
                    '--log-level', 'error', '--answer-within-ms', '900000', '--max-upload-bytes', '1024G', *flags])

    def peak_bytes(self):
        return memory_bytes(self.process.pid, 'VmHWM')

    def idle_bytes(self):
        return memory_bytes(self.process.pid, 'VmRSS')


# Found by trial, on the loopback: large files go out faster by large buffers, small ones by sendfile alone.
NGINX_CONFIG = '''daemon off;
pid {folder}/nginx.pid;
worker_processes auto;
{user}
events {{ worker_connections 1024; }}
http {{
    access_log off;
    types {{ image/svg+xml svg; }}
    sendfile on;
    open_file_cache max=100;
    keepalive_requests 100000000;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    client_max_body_size 0;
    server {{
        listen 127.0.0.1:{port};
        {tls}
        root {folder}/files;
        dav_methods PUT;
        location /plain.svg {{ sendfile off; output_buffers 2 256k; }}
        location /gzip.svg {{ add_header Content-Encoding gzip; }}
        location /zstd.svg {{ add_header Content-Encoding zstd; }}
    }}
}}
'''


def sync(path):
    fd = os.open(path, os.O_RDONLY)
    os.fsync(fd)
    os.close(fd)


class Nginx(Server):
    """Stores what is put to it, and serves its files."""

    def __init__(self, folder, certificate=None):
        """`certificate`: the files of a certificate and its key, which are shown on tls_port."""
        self.tls_port = client.free_port() if certificate else None
        tls = '' if certificate is None else ('listen 127.0.0.1:%d ssl; ssl_certificate %s; ssl_certificate_key %s; '
                                              'ssl_protocols TLSv1.2 TLSv1.3;' % (self.tls_port, *certificate))
        self.port, self.files = client.free_port(), os.path.join(folder, 'files')
        os.makedirs(self.files)
        with open(os.path.join(self.files, 'index.html'), 'w') as file:
            file.write('ok\n')
        configuration, log = os.path.join(folder, 'nginx.conf'), os.path.join(folder, 'error.log')
        user = 'user %s;' % getpass.getuser() if os.geteuid() == 0 else ''
        with open(configuration, 'w') as file:
            file.write(NGINX_CONFIG.format(folder=folder, port=self.port, user=user, tls=tls))
        self.start([find('nginx'), '-p', folder, '-c', configuration, '-e', log])

    def put_file(self, name, content):
        with open(os.path.join(self.files, name), 'wb') as file:
            file.write(content)

    def uploads(self):
        return [os.path.join(self.files, name) for name in os.listdir(self.files) if name.endswith('.trace')]

    def sync_uploads(self):
        """Makes them durable, with their names. Seconds that it took."""
        began = time.perf_counter()
        for path in (*self.uploads(), self.files):
            sync(path)
        return time.perf_counter() - began

    def forget_uploads(self):
        """At once, as the stores of aflamed: pages that are kept make new ones dear, where free memory goes back to a host."""
        for path in self.uploads():
            os.unlink(path)


def requests_per_second(port, path, headers, connections, seconds, scheme='http', script=None):
    """By wrk, on one thread."""
    flags = [flag for header in headers for flag in ('-H', header)]
    flags += ['-s', script] if script else []
    said = subprocess.run([find('wrk'), '-t1', '-c%d' % connections, '-d%ds' % seconds, *flags,
                           '%s://127.0.0.1:%d%s' % (scheme, port, path)],
                          stdout=subprocess.PIPE, text=True, timeout=client.TIMEOUT_S, check=True).stdout
    rate = re.search(r'Requests/sec:\s+([\d.]+)', said)
    if not rate or float(rate.group(1)) == 0 or 'Non-2xx' in said or 'Socket errors' in said:
        raise Failed('wrk: ' + said.strip())
    return float(rate.group(1))
