"""THE TABLE of cases. A case is a generator of `Row`s: what is run in turn, aflamed first."""
import concurrent.futures
import contextlib
import glob
import http.client
import itertools
import json
import os
import shutil
import subprocess
import sys
import time
import unittest

import bucket
import client
import programs
from programs import Aflamed, Nginx, Sample

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
from obfuscate import letters, obfuscate  # pylint: disable=wrong-import-position
from repeated import is_repeatable, repeated  # pylint: disable=wrong-import-position
from twin import slowed  # pylint: disable=wrong-import-position

UPLOADS_AT_ONCE = 64
UPLOADS_AT_ONCE_MAX_BYTES = 8 << 30
CONNECTIONS = 32
LAYOUTS = (('stream', 'streaming'), ('a', 'version 2, Android 14 QPR3'), ('b', 'version 2, Android 15'),
           ('c', 'version 2, Android 15 QPR1'), ('d', 'version 2, Android 16'), ('e', 'version 2, 2026'))
LAYOUTS_MAX_BYTES = 100 << 20     # of the regular trace; above it the layouts are left out: they differ by the record
MAPPING_BYTES = 300 * 1000 * 1000
HALF = 'half of it'
REAL_BYTES = 50 * 1000 * 1000
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
    `why_not` instead of `ours` says why the row cannot be measured. `read_bytes`: of what is read, where its speed is promised."""

    def __init__(self, case, title, ours=None, yardsticks=None, note='', why_not='', read_bytes=0):
        self.case, self.title, self.ours, self.yardsticks = case, title, ours, yardsticks or {}
        self.note, self.why_not, self.read_bytes = note, why_not, read_bytes


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


def heaviest_method(path):
    """The id of the method with the most inclusive time."""
    told = subprocess.run([programs.AFLAMED, 'methods', '-q', '--format', 'json', '--limit', '1', path], stdout=subprocess.PIPE, check=True)
    table = json.loads(told.stdout)
    return table['rows'][0][table['columns'].index('id')]


def all_threads(place):
    def plain():
        out = place.fresh()
        sample = programs.run(programs.AFLAMED, 'render', '-q', '--out-dir', out, place.trace)
        shutil.rmtree(out)
        return sample
    return {'render, all threads': plain}


def to_nowhere(place, *arguments):
    return lambda: programs.run(programs.AFLAMED, *arguments, '-q', '-o', os.devnull, place.trace)


def exports(place):
    for name, note in (('pprof', 'stacks of all threads, packed'), ('firefox', 'likewise, packed'),
                       ('folded', 'likewise, every stack in full; written while it is made'),
                       ('perfetto', 'each call; the text is streamed'), ('speedscope', 'likewise'), ('chrome', 'likewise')):
        yield Row('exports', 'export ' + name, to_nowhere(place, 'export', name), all_threads(place), note)


def tables(place):
    def made_by(*arguments):
        return to_nowhere(place, *arguments)
    methods = ('methods', '--format', 'json')
    for title, work, note in (
            ('methods as JSON', made_by(*methods), 'the profile table of all threads, as `aflamed methods` writes it'),
            ('methods with longest calls', made_by(*methods, '--longest'), 'likewise'),
            ('durations of one method', made_by(*methods, '--longest', '--method', heaviest_method(place.trace)),
             'its calls by length'),
            ('verdict', made_by('verdict'), 'in words where the time went'),
            ('picture with a filter', made_by('render', '--hide', 'get'), 'of the busiest thread, by `--hide get`')):
        yield Row('tables', title, work, all_threads(place), note)


def fold(place):
    yield Row('fold', 'fold only', lambda: programs.run(programs.AFLAMED, 'info', place.trace), openssl(place),
              'reading and folding, as `aflamed info` does')


def made(place, name, *options):
    path = os.path.join(place.folder, name)
    programs.run(programs.MKTRACE, *options, '-o', path)
    return path


def sampled(place):
    if os.path.getsize(place.trace) > LAYOUTS_MAX_BYTES:
        return
    path = made(place, 'sampled', '--preset', size_mb_of(place), '--sampled', 'yes')
    yield Row('fold', 'fold only, sampled', lambda: programs.run(programs.AFLAMED, 'info', path), openssl(Place(path, place.folder)),
              'likewise, of as many records of a recorder that samples stacks')
    os.unlink(path)


def fold_all(place):
    yield from fold(place)
    yield from sampled(place)


def recordings_there():
    """Method traces of AFLAMED_SAMPLES that can be repeated, the largest first."""
    folder, found = os.environ.get('AFLAMED_SAMPLES'), []
    for path in glob.glob(os.path.join(folder, 'samples', 'art', '*.trace')) if folder else []:
        with open(path, 'rb') as file:
            trace = file.read()
        if is_repeatable(trace):
            found.append((len(trace), os.path.basename(path), trace))
    return sorted(found, reverse=True)


def real(place):
    recordings = recordings_there()[:2]
    if not recordings:
        yield Row('real', 'render, a real recording', why_not='not run: no recordings in AFLAMED_SAMPLES')
    for _, name, trace in recordings:
        path = os.path.join(place.folder, name)
        with open(path, 'wb') as file:
            file.write(repeated(trace, REAL_BYTES))
        there = Place(path, place.folder)
        for row in (*render(there), *fold(there)):
            yield Row('real', '%s: %s' % (row.title.split(',')[0], name), row.ours, openssl(there),
                      'a recording of a real app, repeated to 50 MB with later times')
        os.unlink(path)


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


def size_mb_of(place):
    return os.path.basename(place.trace).partition('.')[0]


def reading(trace):
    return lambda: programs.run(programs.AFLAMED, 'info', trace, of_processor=True)


def simpleperf(place):
    path = made(place, 'simpleperf', '--recording', 'simpleperf', '--size', size_mb_of(place))
    yield Row('simpleperf', 'simpleperf', reading(path), {'method trace': reading(place.trace)},
              'a report-sample file of as many bytes as the trace, in time of a processor')


def sha256_of(path):
    """The time that it had a processor."""
    tool = programs.find('openssl')
    return {'openssl SHA-256': (lambda: programs.run(tool, 'dgst', '-sha256', path, of_processor=True)) if tool else None}


def perfetto(place):
    for title, recording, note in (('Perfetto, heap samples', 'perfetto', 'a tenth of the bytes is a heap profile of many dumps'),
                                   ('Perfetto, other packets', 'skipped', 'one dump, and packets that are passed over'),
                                   ('Perfetto, system trace', 'system', 'sections and switches of 48 threads on 4 CPUs')):
        path = made(place, recording, '--recording', recording, '--size', size_mb_of(place))
        yield Row('perfetto', title, reading(path), sha256_of(path), note + '; in time of a processor', read_bytes=os.path.getsize(path))
        os.unlink(path)


def json_files(place):
    """What our own exports are in other tools' formats: each call once more, as text."""
    trace = made(place, 'small', '--preset', '5')
    for name, title in (('chrome', 'JSON, trace events'), ('speedscope', 'JSON, speedscope')):
        path = os.path.join(place.folder, name)
        programs.run(programs.AFLAMED, 'export', name, '-q', '-o', path, trace)
        yield Row('json', title, reading(path), sha256_of(path),
                  'a method trace of 5 MB, exported: %.0f MB; in time of a processor' % (os.path.getsize(path) / 1e6), read_bytes=os.path.getsize(path))
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
def large_mapping(path, text, size_bytes):
    """The mapping, within that of an app of this size: classes of other names stand before and behind it."""
    with open(path, 'w', encoding='utf8') as file:
        classes = 0
        while file.tell() < size_bytes:
            if classes == 50000:
                file.write(text)
            name = 'com.library.part%d.Class%d' % (classes % 97, classes)
            residual = 'q%d.%s' % (classes % 97, letters(classes))
            file.write('%s -> %s:\n# {"id":"sourceFile","fileName":"Class%d.kt"}\n' % (name, residual, classes))
            for k in range(12):
                file.write('    %d:%d:void method%d(java.lang.String,%s):%d:%d -> %s\n' %
                           (5 * k + 1, 5 * k + 4, k, name, 9 * k + 20, 9 * k + 23, letters(k)))
            classes += 1


def mapping(place):
    if os.path.getsize(place.trace) > LAYOUTS_MAX_BYTES:
        return
    release, names = os.path.join(place.folder, 'release.trace'), os.path.join(place.folder, 'mapping.txt')
    with open(place.trace, 'rb') as file:
        trace, text = obfuscate(file.read())
    with open(release, 'wb') as file:
        file.write(trace)
    large_mapping(names, text, MAPPING_BYTES)
    yield Row('mapping', 'names by a mapping of 300 MB',
              lambda: programs.run(programs.AFLAMED, 'info', '--mapping', names, release),
              {'openssl SHA-256': process_if_there('openssl', 'dgst', '-sha256', names)},
              'reading, folding and naming, as `aflamed info --mapping` does; openssl reads the mapping')


def diff(place):
    if os.path.getsize(place.trace) > LAYOUTS_MAX_BYTES:
        return
    both, ids = [place.trace, os.path.join(place.folder, 'twin.trace')], []
    with open(both[0], 'rb') as file:
        twin, _ = slowed(file.read())
    with open(both[1], 'wb') as file:
        file.write(twin)

    def rendered():
        samples = [programs.run(programs.AFLAMED, 'render', '-q', '-o', os.devnull, path) for path in both]
        return Sample(sum(sample.seconds for sample in samples), max(sample.peak_bytes for sample in samples))
    yield Row('diff', 'diff', lambda: programs.run(programs.AFLAMED, 'diff', '-q', '-o', os.devnull, *both),
              {'two plain renders': rendered}, 'a trace and its slowed twin, all threads, as `aflamed diff` does')
    store = place.fresh()
    with Aflamed(store) as service:
        for path in both:
            ids.append(json.loads(client.put(service.port, path, headers='Accept: application/json\r\n'))['id'])

    def page():
        with Aflamed(store) as service:
            began = time.perf_counter()
            client.get(service.port, '/d/%s..%s' % tuple(ids), headers='Accept: text/html\r\n')
            return Sample(time.perf_counter() - began, service.peak_bytes())
    yield Row('diff', 'diff, its page', page, {'two plain renders': rendered},
              'the same as a page of a service that has just started: both uploads are read and folded')


@contextlib.contextmanager
def nginx_if_there(place, certificate=None):
    try:
        nginx = Nginx(place.fresh(), certificate) if programs.find('nginx') else None
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


def nginx_stores(nginx, place, count, sync=False):
    def run():
        seconds = timed_puts(nginx.port, place, count)
        if sync:
            seconds += nginx.sync_uploads()
        nginx.forget_uploads()
        return Sample(seconds)
    return run if nginx else None


def write_and_sync(place):
    def run():
        os.sync()
        folder = place.fresh()
        sample = programs.run('dd', 'if=' + place.trace, 'of=' + os.path.join(folder, 'copy'), 'bs=1M', 'conv=fsync', 'status=none')
        shutil.rmtree(folder)
        return sample
    return run


def upload(place):
    with nginx_if_there(place) as nginx:
        yardsticks = {'nginx storing it': nginx_stores(nginx, place, 1),
                      'nginx, then fsync': nginx_stores(nginx, place, 1, sync=True), 'dd with fsync': write_and_sync(place)}
        yardsticks.update(openssl(place))
        yield Row('upload', 'upload', lambda: store_uploads(place, 1), yardsticks,
                  'loopback, until the answer: stored and synced to the disk, folded, all threads drawn; nginx only '
                  'writes to the page cache, unless its file is synced behind it')


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


def windows(folder, trace, kind=''):
    """Windows of time of one upload, that nobody asked for before, while its folded profile is in memory."""
    turns = iter(range(1, 10 ** 6))
    with Aflamed(os.path.join(folder, 'store')) as service:
        answer = json.loads(client.put(service.port, trace, headers='Accept: application/json\r\n'))
        path = answer['tracks'][0]['svg'].split('/t/')[0]

        def get(what):
            began = time.perf_counter()
            text = client.get(service.port, path + what)[1]
            return text, Sample(time.perf_counter() - began, service.peak_bytes())
        whole = json.loads(get('/lanes?width=200')[0])
        begin_us, whole_us = whole['whole_from_ns'] // 1000, (whole['whole_to_ns'] - whole['whole_from_ns']) // 1000

        def window(part):
            begin = begin_us + next(turns) * 7919 % (whole_us - whole_us // part)
            return get('.json?from=%d&to=%d' % (begin, begin + whole_us // part))[1]
        again = {'reading all of it': lambda: programs.run(programs.AFLAMED, 'info', trace)}
        window(2)
        for percent in (1, 10):
            yield Row('ranges', 'window of %d %%%s' % (percent, kind and ', ' + kind), lambda part=100 // percent: window(part), again,
                      'a range that nobody asked for, while the folded profile is in memory: its totals as JSON')


def ranges(place):
    yield from windows(place.fresh(), place.trace)
    for name, options in (('simpleperf', ('--recording', 'simpleperf', '--size', size_mb_of(place))),
                          ('CPU samples', ('--recording', 'samples', '--size', size_mb_of(place))),
                          ('streaming', ('--preset', size_mb_of(place), '--layout', 'stream')),
                          ('version 2', ('--preset', size_mb_of(place), '--layout', 'e'))):
        if os.path.getsize(place.trace) <= LAYOUTS_MAX_BYTES:
            path = made(place, 'other', *options)
            yield from windows(place.fresh(), path, name)
            os.unlink(path)

    def calls():
        return programs.run(programs.AFLAMED, 'calls', '-q', '-o', os.devnull, place.trace)
    yield Row('ranges', 'all calls as tsv', calls, openssl(place), 'one row for each, as `aflamed calls` writes them')


def lanes(place):
    """What all threads did by time: the first answer reads the file a second time, the others a part of it."""
    store, turns = place.fresh(), iter(range(1, 10 ** 6))

    def timed(service, address):
        began = time.perf_counter()
        client.get(service.port, address)
        return Sample(time.perf_counter() - began, service.peak_bytes())
    with Aflamed(store) as service:
        answer = json.loads(client.put(service.port, place.trace, headers='Accept: application/json\r\n'))
        path = answer['tracks'][0]['svg'].split('/t/')[0]
        ids = [track['id'] for track in answer['tracks'][:3]]

    def first():
        with Aflamed(store) as fresh:
            client.get(fresh.port, path + '/t/%d.svg?width=%d' % (ids[0], 1000 + next(turns)))
            return timed(fresh, path + '/lanes?width=%d' % (1000 + next(turns)))
    yield Row('lanes', 'first lanes of all', first, all_threads(place),
              'all of the recording, while the folded profile is in memory: the file is read a second time, which finds out where other '
              'readings can begin and end')
    mark = heaviest_method(place.trace)
    with Aflamed(store) as service:
        whole = json.loads(client.get(service.port, path + '/lanes?width=999')[1])
        whole_us = (whole['whole_to_ns'] - whole['whole_from_ns']) // 1000

        def window(part, what):
            begin = whole['whole_from_ns'] // 1000 + next(turns) * 7919 % (whole_us - whole_us // part)
            return timed(service, path + what + '&from=%d&to=%d' % (begin, begin + whole_us // part))
        again = {'lanes of all, again': lambda: timed(service, path + '/lanes?width=%d' % (1000 + next(turns)))}
        opened = '/lanes?width=1600&stacks=%s&mark=%s' % (','.join(map(str, ids)), mark)
        for title, work, note in (
                ('lanes of 1 %', lambda: window(100, '/lanes?width=1600'), 'a window that nobody asked for'),
                ('opened lanes of 1 %', lambda: window(100, opened), 'likewise, with the calls of three threads, and those of one method'),
                ('opened lanes of 10 %', lambda: window(10, opened), 'likewise'),
                ('chart of 1 %', lambda: window(100, '/t/%d.svg?view=chart' % ids[0]), 'a picture of the busiest thread by time'),
                ('lengths of calls in 1 %', lambda: window(100, '/m/%s.json?longest=1' % mark), 'of one method'),
                ('cached lanes', lambda: timed(service, path + '/lanes?width=999'), 'an answer that was given before')):
            yield Row('lanes', title, work, again, note)


# Title, nginx's file, headers of the request. nginx knows no zstd and has its own gzip: it sends the same bytes.
CODINGS = (('cached SVG', 'plain.svg', ()),
           ('cached SVG, gzip', 'gzip.svg', ('Accept-Encoding: gzip',)),
           ('cached SVG, zstd', 'zstd.svg', ('Accept-Encoding: zstd',)))


def per_request(port, path, headers, scheme='http'):
    return 1 / programs.requests_per_second(port, path, headers, CONNECTIONS, WRK_SECONDS, scheme)


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


def token_of(folder):
    """(file of tokens, the one in it)."""
    path = os.path.join(folder, 'tokens')
    said = subprocess.run([programs.AFLAMED, 'token', 'new', 'ann', '--tokens-file', path], stdout=subprocess.PIPE, text=True,
                          check=True, timeout=client.TIMEOUT_S).stdout
    return path, said.splitlines()[-1]


def session_of(port, token):
    connection = http.client.HTTPConnection('127.0.0.1', port, timeout=client.TIMEOUT_S)
    connection.request('POST', '/login', 'token=' + token, {'Content-Type': 'application/x-www-form-urlencoded'})
    cookie = connection.getresponse().headers['Set-Cookie'].split(';')[0]
    connection.close()
    return cookie


def doors(place):
    """Cached pictures for who is known, beside a service without doors; and over TLS."""
    if not programs.find('wrk') or not programs.find('openssl'):
        yield Row('doors', 'cached SVG with a token', why_not='not run: wrk or openssl is not there')
        return
    store, folder = place.fresh(), place.fresh()
    picture = upload_once(store, place)
    os.makedirs(folder, exist_ok=True)
    tokens, token = token_of(folder)
    open_store = place.fresh()
    open_picture = upload_once(open_store, place)
    with Aflamed(store, '--tokens-file', tokens) as service, Aflamed(open_store) as without:
        for title, header in (('cached SVG with a token', 'Authorization: Bearer ' + token),
                              ('cached SVG with a session', 'Cookie: ' + session_of(service.port, token))):
            yield Row('doors', title, lambda: Sample(per_request(service.port, picture, (header,)), service.peak_bytes()),
                      {'without doors': lambda: Sample(per_request(without.port, open_picture, ()))},
                      'a request of %d connections that ask at once, by throughput (wrk, one thread)' % CONNECTIONS)
    certificate = os.path.join(folder, 'c.pem'), os.path.join(folder, 'k.pem')
    subprocess.run([programs.find('openssl'), 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes',
                    '-out', certificate[0], '-keyout', certificate[1], '-subj', '/CN=localhost', '-days', '2'],
                   stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=client.TIMEOUT_S)
    with Aflamed(store, '--tls-certificate', certificate[0], '--tls-key', certificate[1]) as service, \
            nginx_if_there(place, certificate) as nginx, Aflamed(open_store) as plain:
        if nginx:
            nginx.put_file('plain.svg', client.get(plain.port, open_picture)[1])
        yield Row('doors', 'cached SVG over TLS', lambda: Sample(per_request(service.port, picture, (), 'https'), service.peak_bytes()),
                  {'nginx over TLS': nginx and (lambda: Sample(per_request(nginx.tls_port, '/plain.svg', (), 'https')))}, 'likewise')


SMALL_RECORDS = 400
# The process id tells the uploads apart, also those of two runs: none finds the profile of another.
POST = """local file = io.open("%s", "rb")
local trace, n = file:read("*a"), os.time() %% 100000 * 10000
request = function()
    n = n + 1
    local body, found = trace:gsub("\\npid=%%d+\\n", "\\npid=" .. n .. "\\n", 1)
    assert(found == 1)
    return wrk.format("POST", "/", nil, body)
end
"""


def files_synced_per_second(place):
    """Pairs of small files, each synced with its folder, by as many threads as there are connections."""
    folders = [place.fresh() for _ in range(2 * CONNECTIONS)]
    until = time.perf_counter() + WRK_SECONDS

    def pairs(thread):
        for made in itertools.count():
            if time.perf_counter() > until:
                return made
            for folder in folders[2 * thread:2 * thread + 2]:
                path = os.path.join(folder, str(made))
                with open(path, 'wb') as file:
                    file.write(bytes(4096))
                programs.sync(path)
                programs.sync(folder)
    with concurrent.futures.ThreadPoolExecutor(CONNECTIONS) as threads:
        return sum(threads.map(pairs, range(CONNECTIONS))) / WRK_SECONDS


def small(place):
    if not programs.find('wrk'):
        yield Row('small', 'small uploads', why_not='not run: wrk is not there')
        return
    trace, script = made(place, 'small', '--records', str(SMALL_RECORDS), '--threads', '2', '--methods', '40'), os.path.join(place.folder, 'post.lua')
    with open(script, 'w') as file:
        file.write(POST % trace)
    with Aflamed(place.fresh(), '--max-connections-per-address', str(2 * CONNECTIONS)) as service:
        yield Row('small', 'small uploads',
                  lambda: Sample(1 / programs.requests_per_second(service.port, '/', (), CONNECTIONS, WRK_SECONDS, script=script), service.peak_bytes()),
                  {'two files synced': lambda: Sample(1 / files_synced_per_second(place))},
                  'each until it is durable, of %d connections at once, by throughput (wrk, one thread); %.0f kB; beside it two '
                  'files with their folders, by as many threads (Python)' % (CONNECTIONS, os.path.getsize(trace) / 1e3))


def bucket_store(place):
    """Of one size: what an object store takes does not change with it."""
    if size_mb_of(place) != '57':
        return
    if not programs.find('curl') or not programs.find('wrk'):
        yield Row('bucket', 'upload to a bucket', why_not='not run: curl or wrk is not there')
        return
    try:
        for row in bucket.bucket(place, lambda *parts: Row('bucket', *parts), per_request):
            yield row
    except unittest.SkipTest as why:
        yield Row('bucket', 'upload to a bucket', why_not='not run: %s' % why)


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
    yield Row('start', 'start and end of a command', lambda: programs.run(programs.AFLAMED, '--help'),
              {'nginx -v': process_if_there('nginx', '-v')}, 'it serves nothing and unpacks nothing')


# Name, generator, whether it depends on the size of a trace.
CASES = (('start', start, False), ('fold', fold_all, True), ('real', real, False), ('layouts', layouts, True), ('families', families, False),
         ('simpleperf', simpleperf, True), ('perfetto', perfetto, True), ('json', json_files, False),
         ('mapping', mapping, True), ('diff', diff, True),
         ('render', render, True), ('tables', tables, True), ('exports', exports, True), ('upload', upload, True), ('small', small, False),
         ('rerender', rerender, True), ('ranges', ranges, True), ('lanes', lanes, True), ('cached', cached, True), ('doors', doors, True), ('bucket', bucket_store, True), ('uploads64', uploads64, True))
