"""Another reader's figures: times and calls of each method, in the tree and in `aflamed methods`, are those of Debian's
dmtracedump, on every real regular trace that it reads. It takes the first clock of a record: CPU time, where there are both.

Methods of which a thread has an exit without enter are left out: what was before that exit is within them here, and
there it is nobody's. Their differences have to cancel each other."""
import collections
import glob
import json
import os
import re
import shutil
import subprocess

import cases
from result import FAILED, PASSED, SKIPPED, Result

TIMEOUT_S = 120
TOP = '(toplevel)'
UNKNOWN = '(unknown)'


class Times:
    """{method: µs}, and {method: calls}, (not recursive, recursive). `doubtful`: methods of several ids, whose inclusive times
    cannot be added."""

    def __init__(self):
        self.total, self.doubtful = 0, {TOP, UNKNOWN}
        self.exclusive, self.inclusive = collections.Counter(), collections.Counter()
        self.calls = {}


def section(output, title):
    return output[output.index(title):].partition('=====')[0].splitlines()


def theirs(path):
    """None: it cannot read the file."""
    run = subprocess.run(['dmtracedump', path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, timeout=TIMEOUT_S, check=False)
    output = run.stdout.decode('utf-8', 'replace').replace('\r', '')
    total = re.search(r'Total cycles: (\d+)', output)
    if run.returncode != 0 or run.stderr or not total:
        return None
    times = Times()
    times.total = int(total.group(1))
    for line in section(output, 'Exclusive elapsed times for each method'):
        found = re.match(r' *(\d+) +[\d.]+ +[\d.]+ +\[\d+\] (.*)', line)
        if found:
            times.exclusive[text_of(found.group(2))] += int(found.group(1))
    for line in section(output, 'Inclusive elapsed times for each method'):
        found = re.match(r'\[\d+\] +[\d.]+% +(\d+)\+(\d+) +(\d+) (.*)', line)
        if found:
            method = text_of(found.group(4))
            if method in times.inclusive:
                times.doubtful.add(method)
            times.inclusive[method] += int(found.group(3))
            times.calls[method] = (int(found.group(1)), int(found.group(2)))
    return times


def text_of(method):
    """Class and method as we write them: class/with/Slashes.method (Lsignature;)V."""
    name, blank, signature = method.partition('\t')[0].partition(' ')
    return name.replace('/', '.') + blank + signature


def table(path, value):
    """What `aflamed methods` says."""
    output = cases.succeeded(cases.aflamed('methods', '-q', path)).decode()
    lines = [line.split('\t') for line in output.splitlines()]
    times = Times()
    for row in (dict(zip(lines[0], line)) for line in lines[1:]):
        method = '%s.%s %s' % (row['class'], row['method'], row['signature']) if row['class'] else UNKNOWN
        times.exclusive[method] += int(row[value + '_excl'])
        times.inclusive[method] += int(row[value + '_incl'])
        times.calls[method] = (int(row['calls']) - int(row['recursive']), int(row['recursive']))
    return times


def ours(path, value):
    tree = json.loads(cases.succeeded(cases.aflamed('render', '-q', '--output', 'json', '--track', 'all', path)))
    column = [v['name'] for v in tree['values']].index(value)
    strings, frames, nodes = tree['strings'], tree['frames'], tree['nodes']
    texts = ['%s.%s %s' % (strings[scope], strings[name], strings[signature]) if strings[scope] else UNKNOWN
             for scope, name, signature in zip(frames['scope'], frames['name'], frames['signature'])]
    times = Times()
    times.total = nodes['total'][column][0] // 1000
    for node, frame in enumerate(nodes['frame']):
        text = TOP if frame < 0 else texts[frame]
        times.exclusive[text] += nodes['self'][column][node] // 1000
        if frame >= 0 and not nodes['recursive'][node]:
            times.inclusive[text] += nodes['total'][column][node] // 1000
    return times


def exits_without_enter(reference, path):
    """Methods that a thread leaves when it is in none."""
    trace, depth, found = reference.parse(cases.read(path)), collections.Counter(), {TOP}
    for thread, method, action, _, _ in trace.events:
        if action == 0:
            depth[thread] += 1
        elif depth[thread] > 0:
            depth[thread] -= 1
        elif method in trace.methods:
            found.add(text_of('%s.%s %s' % trace.methods[method][:3]))
    return found


def differences(a, b):
    return {m: (a[m], b[m]) for m in {*a, *b} if a[m] != b[m]}


def check_table(expected, got, doubtful):
    """The table has no row for the time in no method."""
    exclusive = differences(expected.exclusive, got.exclusive)
    inclusive = differences(expected.inclusive, got.inclusive)
    calls = {m: (expected.calls[m], got.calls.get(m)) for m in expected.calls if expected.calls[m] != got.calls.get(m)}
    for what, found in (('exclusive', exclusive), ('inclusive', inclusive), ('calls', calls)):
        wrong = found.keys() - doubtful - (expected.doubtful if what != 'exclusive' else {TOP})
        if wrong:
            raise cases.Wrong('table, %s (expected, got): %s' % (what, {m: found[m] for m in wrong}))


def check(reference, path):
    """False: it cannot read the file, so that there is nothing to compare."""
    expected = theirs(path)
    if expected is None:
        return False
    carried = {value['name'] for value in cases.info(path)['values']}
    value, doubtful = 'cpu' if 'cpu' in carried else 'wall', exits_without_enter(reference, path)
    got = ours(path, value)
    if got.total != expected.total:
        raise cases.Wrong('total: %d µs, expected %d' % (got.total, expected.total))
    exclusive = differences(expected.exclusive, got.exclusive)
    if exclusive.keys() - doubtful or sum(b - a for a, b in exclusive.values()) != 0:
        raise cases.Wrong('exclusive (expected, got): %s; may differ: %s' % (exclusive, doubtful))
    inclusive = differences(expected.inclusive, got.inclusive)
    if inclusive.keys() - doubtful - expected.doubtful or not expected.inclusive:
        raise cases.Wrong('inclusive (expected, got): %s; may differ: %s' % (inclusive or 'none', doubtful))
    check_table(expected, table(path, value), doubtful)
    return True


def suite(wanted, folder, reference):
    """`folder` holds the samples; None: there are none. `reference` reads traces, slowly."""
    name = 'oracle/dmtracedump'
    if folder is None or not shutil.which('dmtracedump'):
        missing = 'AFLAMED_SAMPLES does not name the folder of real profiles' if folder is None else \
            'not there: dmtracedump'
        yield Result(name, SKIPPED, missing)
        return
    read = 0
    for path in sorted(glob.glob(os.path.join(folder, 'samples/art*/*.trace'))):
        test = '%s/%s' % (name, os.path.basename(path))
        if wanted not in test:
            continue
        try:
            if not check(reference, path):
                continue
            yield Result(test, PASSED)
        except cases.Wrong as wrong:
            yield Result(test, FAILED, str(wrong))
        read += 1
    if read == 0 and wanted in name:
        yield Result(name, FAILED, 'it read none of the files')
