#!/usr/bin/env python3
"""What one client can take from another: each case loads the service in one way, and says what others saw of it. A limit that
was passed is said, and ends the program with status 1; how fast the machine is shows in the figures.

Environment: AFLAMED, MKTRACE (the programs). Options: --cases dropped,slow,charts,beside,soak,deleted and --seconds of the soak."""
import argparse
import multiprocessing
import os
import random
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import client
import programs

FIRST, SECOND = '127.0.0.1', '127.0.0.2'    # addresses of clients
MIB = 1 << 20
ANSWER_S = 60
SMALL = ('--records', '20000', '--threads', '4', '--methods', '300', '--stacks', '800')


class Service(programs.Aflamed):
    def __init__(self, folder, *flags):
        self.port = client.free_port()
        self.store, self.log_path = os.path.join(folder, 'store'), os.path.join(folder, 'log')
        with open(self.log_path, 'wb') as log:
            self.process = subprocess.Popen(
                [programs.AFLAMED, 'serve', '--listen', '127.0.0.1:%d' % self.port, '--store', self.store, *flags],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log)
        client.first_answer(self.port, '/healthz', time.perf_counter(), self.process)

    def __exit__(self, *_):
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)
        self.stop_s = time.monotonic() - began

    def resident(self):
        return programs.memory_bytes(self.process.pid, 'VmRSS')

    def descriptors(self):
        """But for folders: the sweep walks through the store, for as long as that is large."""
        folder = '/proc/%d/fd' % self.process.pid
        return sum(not os.path.isdir(os.path.join(folder, name)) for name in os.listdir(folder))

    def bytes_of(self, folder):
        total = 0
        for top, _, names in os.walk(os.path.join(self.store, folder)):
            for name in names:
                try:
                    total += (os.stat(os.path.join(top, name)).st_size + 4095) // 4096 * 4096
                except FileNotFoundError:
                    pass
        return total

    def files(self, folder):
        return [name for _, _, names in os.walk(os.path.join(self.store, folder)) for name in names]


class Report:
    def __init__(self):
        self.missed = 0

    def row(self, case, what, value, limit=None, unit='ms'):
        met = limit is None or value <= limit
        self.missed += not met
        wanted = '' if limit is None else '  at most %s %s%s' % (amount(limit), unit, '' if met else '  MISSED')
        print('%-9s %-62s %10s %s%s' % (case, what, amount(value), unit, wanted), flush=True)


def amount(value):
    return '%d' % value if float(value).is_integer() else '%.1f' % value


def connect(port, address):
    return socket.create_connection(('127.0.0.1', port), ANSWER_S, source_address=(address, 0))


def ask(port, line, headers='', body=b'', address=SECOND):
    """(milliseconds, status, headers as text, body)"""
    began = time.perf_counter()
    with connect(port, address) as connection:
        connection.sendall(('%s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n%s\r\n' % (line, headers)).encode() + body)
        answer = bytearray()
        while piece := connection.recv(1 << 18):
            answer += piece
    top, _, rest = bytes(answer).partition(b'\r\n\r\n')
    status = int(top.split(b' ', 2)[1]) if top.startswith(b'HTTP/1.1 ') else 0
    return (time.perf_counter() - began) * 1000, status, top.decode('latin-1'), rest


def get(port, path):
    """(milliseconds, status)"""
    return ask(port, 'GET ' + path)[:2]


def put(port, content):
    """(milliseconds, status, path of the profile, delete token)"""
    took, status, top, body = ask(port, 'PUT /x.trace', 'Content-Length: %d\r\n' % len(content), content)
    path, token = re.search(rb'/p/[a-z2-7]{26}', body), re.search(r'X-Delete-URL: \S+#\w+=([a-z2-7]+)', top, re.I)
    return took, status, path.group().decode() if path else '', token.group(1) if token else ''


def percentile(values, part):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))]


TRACES = {}    # name -> path, or bytes


def made(name, *options):
    """The path of a trace that is made once."""
    if name not in TRACES:
        TRACES[name] = os.path.join(FOLDER, name + '.trace')
        subprocess.run([programs.MKTRACE, *options, '-o', TRACES[name]], check=True, stdout=subprocess.DEVNULL)
    return TRACES[name]


def small_trace(number):
    """280 kB, and never the same twice."""
    if 'small' not in TRACES:
        with open(made('small file', *SMALL), 'rb') as file:
            TRACES['small'] = file.read()
    return re.sub(rb'\npid=\d+\n', b'\npid=%d\n' % (20000 + number), TRACES['small'], count=1)


# ---- cases ----
def dropped(report, folder, _seconds):
    """Requests that the library drops: too many parameters, too many cookies."""
    count = 100_000
    heads = (b'GET /?' + b'&%' * 1000 + b' HTTP/1.1\r\nHost: x\r\n\r\n',
             b'GET / HTTP/1.1\r\nHost: x\r\nCookie: ' + b'; '.join(b'a%d=b' % i for i in range(600)) + b'\r\n\r\n')
    with Service(folder) as service:
        def send(n):
            for i in range(n):
                try:
                    with connect(service.port, FIRST) as connection:
                        connection.sendall(heads[i % 2])
                        while connection.recv(65536):
                            pass
                except ConnectionResetError:
                    pass
        send(2000)
        before, descriptors = service.resident(), service.descriptors()
        threads = [threading.Thread(target=send, args=(count // 8,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        time.sleep(1)
        report.row('dropped', 'memory taken by 100,000 requests', (service.resident() - before) / MIB, 4, 'MiB')
        report.row('dropped', 'descriptors taken', service.descriptors() - descriptors, 0, '')
    with open(service.log_path, 'rb') as log:
        report.row('dropped', 'requests that are not in the log', count + 2001 - log.read().count(b' request id='), 0, '')
    report.row('dropped', 'end after SIGTERM', service.stop_s * 1000, 10_000)


def slow(report, folder, _seconds):
    """1,050 clients of one address that send a byte a second of a header, for a minute; another address asks meanwhile."""
    with Service(folder) as service:
        sending, stop = [], time.monotonic() + 60

        def drip():
            while time.monotonic() < stop:
                for i in range(1050):
                    if len(sending) <= i:
                        sending.append(None)
                    try:
                        if sending[i] is None:
                            sending[i] = connect(service.port, FIRST)
                            sending[i].sendall(b'GET / HTTP/1.1\r\nX: ')
                        else:
                            sending[i].sendall(b'x')
                    except OSError:
                        sending[i] = None
                time.sleep(1)
        thread = threading.Thread(target=drip)
        thread.start()
        times = []
        while thread.is_alive():
            took, status = get(service.port, '/')
            times.append(took if status == 200 else 60_000)
            time.sleep(0.05)
        thread.join()
        for connection in sending:
            if connection is not None:
                connection.close()
    report.row('slow', 'front page for another address, longest of %d' % len(times), max(times), 1000)


def charts(report, folder, _seconds):
    """100 charts of a large trace asked by one address, half of which leave; another one uploads and reads."""
    large = made('133 MB', '--preset', '57', '--records', '9400000')
    with Service(folder, '--max-waiting-per-address', '256') as service:
        path = re.search(r'/p/\S+', client.put(service.port, large).decode()).group()
        tracks = re.findall(r'"id":\s*(\d+)', client.get(service.port, path + '.json')[1].decode())
        kept = put(service.port, small_trace(0))[2]
        get(service.port, kept + '/t/all.svg')
        asking = []
        for i in range(100):
            connection = connect(service.port, FIRST)
            connection.sendall(b'GET %s/t/%s.svg?view=chart&width=%d HTTP/1.1\r\nHost: x\r\n\r\n' %
                               (path.encode(), tracks[i % len(tracks)].encode(), 800 + i))
            asking.append(connection)
        time.sleep(0.5)
        for connection in asking[::2]:
            connection.close()
        uploads, views = [], []
        for i in range(40):
            took, status, _, _ = put(service.port, small_trace(1 + i))
            uploads.append(took if status == 201 else 60_000)
            views += [get(service.port, kept + '/t/all.svg')[0] for _ in range(5)]
            time.sleep(0.1)
        for connection in asking[1::2]:
            connection.close()
    report.row('charts', 'small upload of another address, p95', percentile(uploads, 0.95), 1000)
    report.row('charts', 'its cached view, p95', percentile(views, 0.95), 50)


def beside(report, folder, _seconds):
    """A small upload and a view that is drawn, alone and beside three large uploads."""
    large = made('57 MB', '--preset', '57')
    with Service(folder) as service:
        kept = put(service.port, small_trace(0))[2]

        def measure(first, count, going=lambda: True):
            uploads, views = [], []
            for i in range(count):
                uploads.append(put(service.port, small_trace(first + i))[0])
                views.append(get(service.port, kept + '/t/all.svg?width=%d' % (700 + first + i))[0])
                time.sleep(0.02)
                if not going():
                    break
            return percentile(uploads, 0.95), percentile(views, 0.95)
        alone = measure(1, 60)
        running = [threading.Thread(target=repeat, args=(service.port, large, n)) for n in range(3)]
        for thread in running:
            thread.start()
        time.sleep(0.3)
        with_others = measure(100, 60, lambda: any(thread.is_alive() for thread in running))
        for thread in running:
            thread.join()
    for what, a, b in zip(('small upload', 'view that is drawn'), alone, with_others):
        report.row('beside', '%s beside three of 57 MB, p95 (alone %.1f)' % (what, a), b, 3 * a + 50)


def repeat(port, trace, number):
    for i in range(6):
        client.put(port, trace, 1000 * (number + 1) + i)


# ---- the soak: clients in processes of their own ----
def soak_clients(port, seed, uploaders, readers, until, queue):
    paths, lock, results = [], threading.Lock(), []
    outputs = ('/t/all.svg', '/t/all.svg?view=inverted', '.json', '', '/methods.json?sort=-wall_incl', '/verdict.txt',
               '/t/all.folded.txt', '/t/merged.svg')

    def note(kind, took, status):
        with lock:
            results.append((kind, took, status))

    def upload(number):
        chance = random.Random(seed * 1000 + number)
        while time.time() < until:
            took, status, path, _ = put(port, small_trace(chance.randrange(40000)))
            note('upload', took, status)
            with lock:
                if path:
                    paths.append(path)
            time.sleep(chance.uniform(1, 3))

    def read(number):
        chance = random.Random(-seed * 1000 - number)
        while time.time() < until:
            with lock:
                path = chance.choice(paths[-200:]) if paths else ''
            if path and chance.random() < 0.5:
                note('cached', *get(port, chance.choice(paths[:3]) + '/t/all.svg'))
            elif path:
                target = chance.choice(outputs)
                if target == '/t/all.svg':
                    target += '?width=%d' % chance.randrange(400, 1600)
                note('view', *get(port, path + target))
            time.sleep(chance.uniform(0.5, 3.5))

    def guarded(work, number):
        try:
            work(number)
        except Exception as error:    # reported as a row: nothing may be lost
            note('error', 0, repr(error))
    threads = [threading.Thread(target=guarded, args=(upload, n)) for n in range(uploaders)]
    threads += [threading.Thread(target=guarded, args=(read, n)) for n in range(readers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    queue.put(results)


def settled(count, expected):
    """What is counted, once it is as expected or a minute has passed."""
    end = time.monotonic() + 60
    while count() > expected and time.monotonic() < end:
        time.sleep(0.5)
    return count()


def soak(report, folder, seconds):
    limit = 64 * MIB
    small_trace(0)
    with Service(folder, '--sweep-interval-s', '10', '--views-on-disk-bytes', str(limit), '--max-connections-per-address', '900',
                 '--max-waiting-per-address', '900') as service:
        before = service.descriptors()
        queue, until = multiprocessing.Queue(), time.time() + seconds
        workers = [multiprocessing.Process(target=soak_clients, args=(service.port, n + 1, 16, 64, until, queue))
                   for n in range(2)]
        for worker in workers:
            worker.start()
        began, samples, disk = time.time(), [], 0
        while time.time() < until - 1:
            time.sleep(min(5, seconds / 20))
            disk = max(disk, service.bytes_of('views'))
            samples.append((time.time() - began, service.resident()))
        results = sum((queue.get() for _ in workers), [])
        for worker in workers:
            worker.join()
        after = settled(service.descriptors, before)
    times = {kind: [took for k, took, _ in results if k == kind] for kind in ('upload', 'cached', 'view')}
    bad = [(kind, status) for kind, _, status in results if status not in (200, 201)]
    if bad:
        print('soak: not answered as wanted:', sorted(set(map(str, bad)))[:5])
    report.row('soak', 'answers that are none, of %d' % len(results), len(bad), 0, '')
    report.row('soak', 'cached reads, p99 of %d' % len(times['cached']), percentile(times['cached'], 0.99), 50)
    report.row('soak', 'all reads, p99', percentile(times['cached'] + times['view'], 0.99), 500)
    report.row('soak', 'uploads, p99 of %d' % len(times['upload']), percentile(times['upload'], 0.99))
    report.row('soak', 'descriptors open at the end (%d before)' % before, after, before, '')
    report.row('soak', 'most bytes of views on the disk', disk / MIB, limit / MIB, 'MiB')
    # Requests under way take a few MiB more or less from one reading to the next: levels are compared, not two readings; the
    # first once the caches are full.
    full = min(600, seconds / 4)
    early = statistics.median(memory for at, memory in samples if full <= at <= 1.2 * full)
    late = statistics.median(memory for at, memory in samples if at >= seconds - full / 5)
    report.row('soak', 'memory at the end (%.0f MiB after %.0f s)' % (early / MIB, full), late / MIB,
               early / MIB * 1.05, 'MiB')


def deleted(report, folder, _seconds):
    """All uploads are deleted while the store is looked through hourly."""
    with Service(folder, '--sweep-interval-s', '3600') as service:
        tokens = []
        for i in range(200):
            _, _, path, token = put(service.port, small_trace(i))
            get(service.port, path + '/t/all.svg?width=%d' % (600 + i))
            tokens.append((path, token))
        for path, token in tokens:
            ask(service.port, 'DELETE ' + path, 'X-Delete-Token: %s\r\n' % token)
        began = time.monotonic()
        while service.files('bytes') + service.files('views') and time.monotonic() < began + 120:
            time.sleep(0.5)
        report.row('deleted', 'until no file of 200 uploads is left', time.monotonic() - began, 60, 's')


CASES = {case.__name__: case for case in (dropped, slow, charts, beside, soak, deleted)}


def main():
    global FOLDER
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--cases', default='')
    parser.add_argument('--seconds', type=int, default=600)
    arguments = parser.parse_args()
    names = [name for name in arguments.cases.split(',') if name] or list(CASES)
    unknown = [name for name in names if name not in CASES]
    if unknown:
        sys.exit('load: no case %s; there are %s' % (', '.join(unknown), ', '.join(CASES)))
    report = Report()
    with tempfile.TemporaryDirectory(prefix='aflamed-load-') as FOLDER:
        for name in names:
            folder = os.path.join(FOLDER, name)
            os.makedirs(folder)
            CASES[name](report, folder, arguments.seconds)
            shutil.rmtree(folder)
    print('%d limits were passed' % report.missed)
    sys.exit(report.missed > 0)


if __name__ == '__main__':
    main()
