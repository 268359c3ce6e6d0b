"""THE TABLE of cases. A case is a generator of `Row`s: what is run in turn, aflamed first."""
import contextlib
import json
import os
import shutil
import sys
import time

import client
import programs
from programs import Aflamed, Nginx, Sample

UPLOADS_AT_ONCE = 64
UPLOADS_AT_ONCE_MAX_BYTES = 8 << 30
CONNECTIONS = 32
LAYOUTS = (('stream', 'streaming'), ('a', 'version 2, Android 14 QPR3'), ('b', 'version 2, Android 15'),
           ('c', 'version 2, Android 15 QPR1'), ('d', 'version 2, Android 16'), ('e', 'version 2, 2026'))
LAYOUTS_MAX_BYTES = 100 << 20     # of the regular trace; above it the layouts are left out: they differ by the record
HALF = 'half of it'
FAMILIES = {'wide': (50000, 'one method calls so many others'), 'deep': (500000, 'a stack so deep'),
            'methods': (500000, 'so many methods'), 'threads': (32767, 'so many threads'),
            'turns': (2000000, 'so many records, each of another thread than the one before'),
            'exits': (500000, 'so many exits, and no enter'), 'enters': (500000, 'so many enters, and no exit'),
            'equal-names': (100000, 'so many methods of one name'),
            'aliens': (500000, 'a stack so deep, and exits of what is not on it'),
            'missed': (1000000, 'a stack so deep, of which every second exit is missing')}
WRK_SECONDS = 1


class Row:
    """`ours` and each of `yardsticks`, by name, make one Sample a call; a yardstick is None if it is not there.
    `why_not` instead of `ours` says why the row cannot be measured."""

    def __init__(self, case, title, ours=None, yardsticks=None, note='', why_not=''):
        self.case, self.title, self.ours, self.yardsticks = case, title, ours, yardsticks or {}
        self.note, self.why_not = note, why_not


class Place:
    """A trace and a folder for one case, which is removed afterwards."""

    def __init__(self, trace, folder):
        self.trace, self.folder, self.count = trace, folder, 0

    def fresh(self):
        """An empty folder; others of before stay until the case ends, unless they are `drop`ped."""
        self.count += 1
        path = os.path.join(self.folder, str(self.count))
        os.makedirs(path)
        return path


def process_if_there(name, *arguments):
    path = programs.find(name)
    return (lambda: programs.run(path, *arguments)) if path else None


def openssl(place):
    return {'openssl SHA-256': process_if_there('openssl', 'dgst', '-sha256', place.trace)}


def render(place):
    def ours():
        out = place.fresh()
        sample = programs.run(programs.AFLAMED, 'render', '-q', '--out-dir', out, place.trace)
        shutil.rmtree(out)
        return sample
    yardsticks = openssl(place)
    yardsticks['dmtracedump -h'] = process_if_there('dmtracedump', '-h', place.trace)
    yield Row('render', 'render, all threads', ours, yardsticks,
              'file to files: one SVG per thread, as `aflamed render --out-dir` does')


def fold(place):
    yield Row('fold', 'fold only', lambda: programs.run(programs.AFLAMED, 'info', place.trace), openssl(place),
              'reading and folding, as `aflamed info` does')


def made(place, name, *options):
    path = os.path.join(place.folder, name)
    programs.run(programs.MKTRACE, *options, '-o', path)
    return path


def layouts(place):
    if os.path.getsize(place.trace) > LAYOUTS_MAX_BYTES:
        return
    preset = os.path.basename(place.trace).partition('.')[0]
    for layout, title in LAYOUTS:
        path = made(place, layout, '--preset', preset, '--layout', layout)

        def read(trace):
            return lambda: programs.run(programs.AFLAMED, 'info', trace, of_processor=True)
        yield Row('layouts', 'fold ' + title, read(path), {'regular file': read(place.trace)},
                  'in time of a processor; the same calls as in the regular file, so that the ratio is that of the cost '
                  'of a record')
        os.unlink(path)


def families(place):
    """Twice the size must not take much more than twice the time, whatever it is that grows. What a picture carries for
    its script is bounded; the bound is lowered, so that both sizes meet it: where it is met, time makes a step."""
    for family, (size, what) in FAMILIES.items():
        half, whole = (made(place, str(n), '--family', family, '--size', str(n)) for n in (size, 2 * size))

        def draw(trace):
            picture = os.path.join(place.folder, 'x.svg')
            return lambda: programs.run(programs.AFLAMED, 'render', '-q', '--embed-nodes', '20000', '--track', 'all',
                                        '-o', picture, trace, of_processor=True)
        yield Row('families', 'hard: ' + family, draw(whole), {HALF: draw(half)},
                  '%d: %s; read and drawn, in time of a processor' % (2 * size, what))
        os.unlink(half)
        os.unlink(whole)


@contextlib.contextmanager
def nginx_if_there(place):
    try:
        nginx = Nginx(place.fresh()) if programs.find('nginx') else None
    except programs.PROBLEMS as problem:
        print('nginx does not start: %s' % problem, file=sys.stderr)
        nginx = None
    with nginx or contextlib.nullcontext():
        yield nginx


def timed_puts(port, place, count):
    """What others wrote is not to be waited for by those who are measured."""
    os.sync()
    return client.put_at_once(port, place.trace, count)


def store_uploads(place, count):
    """A service and a store of its own each time: bytes that are there already would be cheaper."""
    store = place.fresh()
    with Aflamed(store) as service:
        sample = Sample(timed_puts(service.port, place, count), service.peak_bytes())
    shutil.rmtree(store)
    return sample


def nginx_stores(nginx, place, count):
    def run():
        sample = Sample(timed_puts(nginx.port, place, count))
        nginx.forget_uploads()
        return sample
    return run if nginx else None


def write_and_sync(place):
    def run():
        os.sync()
        path = os.path.join(place.fresh(), 'copy')
        sample = programs.run('dd', 'if=' + place.trace, 'of=' + path, 'bs=1M', 'conv=fsync', 'status=none')
        os.unlink(path)
        return sample
    return run


def upload(place):
    with nginx_if_there(place) as nginx:
        yardsticks = {'nginx storing it': nginx_stores(nginx, place, 1), 'dd with fsync': write_and_sync(place)}
        yardsticks.update(openssl(place))
        yield Row('upload', 'upload', lambda: store_uploads(place, 1), yardsticks,
                  'loopback, until the answer: stored and synced to the disk, folded, all threads drawn; nginx only '
                  'writes to the page cache and does not sync')


def uploads64(place):
    size = UPLOADS_AT_ONCE * os.path.getsize(place.trace)
    title = '%d uploads at once' % UPLOADS_AT_ONCE
    if size > UPLOADS_AT_ONCE_MAX_BYTES or 3 * size > shutil.disk_usage(place.folder).free:
        yield Row('uploads64', title, why_not='not run: %d GB of uploads' % round(size / 1e9))
        return
    with nginx_if_there(place) as nginx:
        yield Row('uploads64', title, lambda: store_uploads(place, UPLOADS_AT_ONCE),
                  {'nginx storing them': nginx_stores(nginx, place, UPLOADS_AT_ONCE)},
                  'different contents, until the last answer; each is stored and drawn as a single upload is')


def upload_once(store, place):
    """The path of the picture of the busiest thread."""
    with Aflamed(store) as service:
        answer = client.put(service.port, place.trace, headers='Accept: application/json\r\n')
    return json.loads(answer)['tracks'][0]['svg']


def rerender(place):
    store = place.fresh()
    picture, widths = upload_once(store, place), iter(range(1201, 9999))

    def another_view(service):
        began = time.perf_counter()
        client.get(service.port, '%s?width=%d' % (picture, next(widths)))
        return Sample(time.perf_counter() - began, service.peak_bytes())
    for title, flags, note in (
            ('another view, read again', ('--profile-cache-bytes', '0'),
             'a width nobody asked for, of the busiest thread: the upload is read and folded again'),
            ('another view, from memory', (), 'the same while the folded profile is still in memory')):
        with Aflamed(store, *flags) as service:
            yield Row('rerender', title, lambda s=service: another_view(s), openssl(place), note)


# Title, nginx's file, headers of the request. nginx knows no zstd and has its own gzip: it sends the same bytes.
CODINGS = (('cached SVG', 'plain.svg', ()),
           ('cached SVG, gzip', 'gzip.svg', ('Accept-Encoding: gzip',)),
           ('cached SVG, zstd', 'zstd.svg', ('Accept-Encoding: zstd',)))


def per_request(port, path, headers):
    return 1 / programs.requests_per_second(port, path, headers, CONNECTIONS, WRK_SECONDS)


def cached(place):
    if not programs.find('wrk'):
        yield Row('cached', 'cached SVG', why_not='not run: wrk is not there')
        return
    store = place.fresh()
    picture = upload_once(store, place)
    with Aflamed(store) as service, nginx_if_there(place) as nginx:
        for title, file, headers in CODINGS:
            _, content = client.get(service.port, picture, ''.join(h + '\r\n' for h in headers))
            if nginx:
                nginx.put_file(file, content)
            yield Row('cached', title,
                      lambda: Sample(per_request(service.port, picture, headers), service.peak_bytes()),
                      {'nginx serving it': nginx and (lambda: Sample(per_request(nginx.port, '/' + file, headers)))},
                      'a request of %d connections that ask at once, by throughput (wrk, one thread); '
                      '%.0f kB' % (CONNECTIONS, len(content) / 1e3))


def start(place):
    store = place.fresh()

    def ours():
        with Aflamed(store) as service:
            time.sleep(0.1)
            return Sample(service.start_s, service.idle_bytes())

    def theirs():
        with Nginx(place.fresh()) as nginx:
            return Sample(nginx.start_s)
    yield Row('start', 'start to first answer', ours, {'nginx likewise': theirs if programs.find('nginx') else None},
              'the memory is what the idle service holds')


# Name, generator, whether it depends on the size of a trace.
CASES = (('start', start, False), ('fold', fold, True), ('layouts', layouts, True), ('families', families, False),
         ('render', render, True), ('upload', upload, True),
         ('rerender', rerender, True), ('cached', cached, True), ('uploads64', uploads64, True))
