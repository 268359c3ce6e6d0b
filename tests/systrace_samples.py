"""Part of the oracle suite: the calls of system traces, and each thread's time in each state, are what a slow and clear
reference reader has, to the nanosecond: for real traces, and for generated ones with rings, losses and redaction."""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict

import cases
import systrace_starts
from result import FAILED, PASSED, SKIPPED, Result

VALUES = {'wall': 'wall', 'calls': 'calls', 'cpu': 'running', 'runnable': 'runnable', 'sleeping': 'sleeping',
          'blocked': 'blocked', 'io': 'io'}

LARGE_BYTES = 1 << 20   # the reference takes long, so fewer values are compared

FIRST_FREE_ID = 1 << 23   # of tracks whose thread's number is another one's, too

# Without sections and switches there is nothing to draw.
REFUSED = {'frame_timeline_metric.pb', 'task_newtask_waker_utid.pb'}

# Which of two processors comes first, where both have a record of one time, is nowhere said; failed transactions of binder
# are not followed; of two threads of one id, one after the other, sections may be taken for the later one's.
OTHER = {'android_startup_cpu.pb', 'android_binder.pb', 'track_event_tracks.pb'}

GENERATED = {'compact': [], 'plain': ['--plain-sched'], 'packed': ['--deflate'], 'old': ['--kernel', '4.4.100'],
             'older': ['--kernel', '4.9.100'], 'ring': ['--ring', '60'],
             'loss': ['--loss'], 'redacted': ['--redact'], 'cpus': ['--cpus', '8', '--plain-sched']}


# What we say of a section beyond its standard name: the owner's method, and whom a transaction asks for what.
SAID_BEYOND = re.compile(r'^(monitor contention with owner .*) at \S+$|^(binder transaction(?: async)?)(?: to .+| \(failed\))$')


def standard(text):
    match = SAID_BEYOND.match(text)
    return (match.group(1) or match.group(2)) if match else text


def add_nodes(tree, tids, seconds, sums):
    """Adds what each node has by itself to sums[value][tid, path]; but not what second tracks have outside of sections."""
    nodes, strings, frames = tree['nodes'], tree['strings'], tree['frames']
    names = [v['name'] for v in tree['values']]
    places = nodes.get('track')
    path, tid = {}, {}
    for i, parent in enumerate(nodes['parent']):
        track = (0 if parent < 0 else -1) if places is None else places[i]
        if track >= 0:
            path[i], tid[i] = '', tids[tree['tracks'][track]['id']]
        elif parent < 0:
            continue
        else:
            frame = nodes['frame'][i]
            scope, name, signature = (strings[frames[part][frame]] for part in ('scope', 'name', 'signature'))
            text = (scope + '.' if scope else '') + name + (': ' + signature if signature else '')
            path[i], tid[i] = path[parent] + ';' + standard(text).replace(';', ':'), tid[parent]
        for value, column in zip(names, nodes['self']):
            if tid[i] is not None and (path[i] or tree['tracks'][track]['id'] not in seconds):
                sums[value][tid[i], path[i]] += column[i]


def shown(path):
    info = cases.info(path)
    tids = {t['id']: None if t.get('kind') == 'async' else t['id'] for t in info['tracks']}
    tree = json.loads(cases.succeeded(cases.aflamed('render', '--quiet', '--output', 'json', '--track', 'all', path)))
    sums = defaultdict(lambda: defaultdict(int))
    add_nodes(tree, tids, {t['id'] for t in info['tracks'] if t.get('kind') == 'second'}, sums)
    return {v['name']: sums[v['name']] for v in tree['values']}


def expected(script, path, value):
    run = subprocess.run([sys.executable, '-B', script, '--norm', '--root', '--value', value, path], check=True,
                         stdout=subprocess.PIPE)
    sums = defaultdict(int)
    for line in run.stdout.decode('utf-8', 'replace').split('\n'):
        stack, _, number = line.rpartition(' ')
        at = stack.find(' tid=')
        if stack:
            end = stack.index(']', at)
            sums[int(stack[at + 5:end]), stack[end + 1:].replace('[NULL]', '[no name]')] += int(number)
    return sums


def without_tids(sums):
    joined = defaultdict(int)
    for (_, path), number in sums.items():
        joined[path] += number
    return joined


def compare(script, name, path):
    base = os.path.basename(path)
    try:
        if base in REFUSED:
            run = cases.aflamed('info', path)
            if run.returncode != 1 or not run.stderr.startswith(b'error: '):
                raise cases.Wrong('exit status %d, expected 1; %r' % (run.returncode, run.stderr))
            return Result(name, PASSED)
        got = shown(path)
        ids_differ = any(tid >= FIRST_FREE_ID for sums in got.values() for tid, _ in sums)
        for value, sums in got.items():
            if value not in VALUES or (os.path.getsize(path) > LARGE_BYTES and value not in ('wall', 'runnable')):
                continue
            wanted = expected(script, path, VALUES[value])
            if ids_differ:
                wanted, sums = without_tids(wanted), without_tids(sums)
            for key in {*wanted, *sums}:
                if wanted.get(key, 0) != sums.get(key, 0):
                    raise cases.Wrong('%s of %r is %d, expected %d' % (value, key, sums.get(key, 0), wanted.get(key, 0)))
        states = [got[value] for value in got if value not in ('wall', 'calls', 'waiting')]
        for key, wall in got['wall'].items():
            if states and wall != sum(sums.get(key, 0) for sums in states):
                raise cases.Wrong('the states of %r do not add up to its wall time' % (key,))
    except cases.Wrong as wrong:
        return Result(name, FAILED, str(wrong))
    return Result(name, PASSED)


def generated(folder, wanted, scratch):
    maker = os.path.join(folder, 'oracle/mk_systrace.py')
    for seed, (name, options) in enumerate(GENERATED.items(), 1):
        if wanted in 'oracle/systrace/generated/' + name:
            path = os.path.join(scratch, name + '.pb')
            subprocess.run([sys.executable, '-B', maker, '--seed', str(seed), '--events', '6000', '--no-truth', *options, path],
                           check=True, stdout=subprocess.DEVNULL)
            yield compare(os.path.join(folder, 'oracle/systrace.py'), 'oracle/systrace/generated/' + name, path)


def suite(wanted, folder):
    script = os.path.join(folder or '', 'oracle/systrace.py')
    if not folder or not os.path.exists(script):
        yield Result('oracle/systrace', SKIPPED, 'AFLAMED_SAMPLES does not name the folder of real profiles')
        return
    places = [os.path.join(folder, 'samples/system-trace', p) for p in ('*.pb', '*.perfetto-trace', 'real/*trace')]
    for path in sorted(p for place in places for p in glob.glob(place)):
        name = 'oracle/systrace/' + os.path.basename(path)
        if wanted in name and os.path.basename(path) not in OTHER:
            yield compare(script, name, path)
    with tempfile.TemporaryDirectory(prefix='aflamed-systrace-') as scratch:
        yield from generated(folder, wanted, scratch)
    yield from systrace_starts.suite(wanted, folder)
