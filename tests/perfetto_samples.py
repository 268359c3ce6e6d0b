"""Part of the oracle suite: the folded stacks of Perfetto traces, for each heap, moment, mode and value, and of their CPU
samples, are what a slow and clear reference reader prints.

An interval is compared where the net count of a stack is above 0: the reference leaves the others out, and this program has
them with their sign."""
import glob
import os
import re
import subprocess
import sys
from collections import defaultdict

import cases
from result import FAILED, PASSED, SKIPPED, Result

HEAP = re.compile(r'^## heapprofd pid=(\d+) process=.* heap=(.*) dump_ts=(-?\d+) mode=\S+ flags=\S+ view="(.*)" total=')
SAMPLES = re.compile(r'^## samples source=\S+ pid=(\d+) ')
THREAD = re.compile(r'^\[.* (?:tid=)?(\d+)\]$')

# Two call sites of one name, of which the reference leaves out one: here both are one frame, and their sum is 0.
SITES_OF_ONE_NAME = {'heap_profile_intervals_frees.pb': 'interval'}


def folded(text):
    stacks = defaultdict(int)
    for line in text.split('\n'):
        stack, _, number = line.rpartition(' ')
        if stack:
            stacks[stack] += int(number)
    return {stack: number for stack, number in stacks.items() if number}


def reference_blocks(script, path, mode):
    """[(header, {stack: number})]"""
    run = subprocess.run([sys.executable, '-B', script, '--mode', mode, '--demangle', path], check=True, text=True,
                         stdout=subprocess.PIPE)
    blocks = []
    for line in run.stdout.split('\n'):
        if line.startswith('## '):
            blocks.append((line, []))
        elif blocks and line and not line.startswith('# '):
            blocks[-1][1].append(line)
    return [(header, folded('\n'.join(lines))) for header, lines in blocks]


def value_of(view, values):
    """The view's value, by the words of its name."""
    first = 'peak' if 'peak' in values else 'unreleased' if view.startswith('Unreleased') else 'allocated'
    return first + ('-count' if view.endswith('count') else '')


def shown(path, track, value, moment, mode):
    run = cases.aflamed('render', '--output', 'folded', '--value', value, '--track', str(track), '--moment',
                        str(moment), '--mode', mode, path)
    return folded(cases.succeeded(run).decode())


def total_of_methods(path, track, value, moment, mode):
    """The table of methods has the same: what its rows have of their own, added up."""
    run = cases.aflamed('methods', '--quiet', '--track', str(track), '--moment', str(moment), '--mode', mode, path)
    rows = [line.split('\t') for line in cases.succeeded(run).decode().splitlines()]
    column = rows[0].index(value + '_excl')
    return sum(int(row[column]) for row in rows[1:])


def equal(what, expected, got):
    for stack in sorted({*expected, *got}):
        if expected.get(stack, 0) != got.get(stack, 0):
            raise cases.Wrong('%s: %s\nexpected: %d\ngot:      %d' % (what, stack, expected.get(stack, 0), got.get(stack, 0)))


def compare_heaps(path, mode, blocks, info):
    tracks = {(t['number'], t['part']): t['id'] for t in info['tracks'] if t.get('kind') == 'heap'}
    values = {v['name'] for v in info['values']}
    moments = defaultdict(list)
    for header, _ in blocks:
        pid, heap, stamp, _ = HEAP.match(header).groups()
        if stamp not in moments[pid, heap]:
            moments[pid, heap].append(stamp)
    if {(int(pid), heap) for pid, heap in moments} != set(tracks):
        raise cases.Wrong('heaps %s, expected %s' % (sorted(tracks), sorted(moments)))
    for header, expected in blocks:
        pid, heap, stamp, view = HEAP.match(header).groups()
        value, moment = value_of(view, values), moments[pid, heap].index(stamp) + 1
        track = tracks[int(pid), heap]
        got = shown(path, track, value, moment, mode)
        if view.startswith('Unreleased') and SITES_OF_ONE_NAME.get(os.path.basename(path)) == mode:
            continue
        if mode == 'interval' and (view.startswith('Unreleased') or heap == 'com.android.art'):
            counts = shown(path, track, value.removesuffix('-count') + '-count', moment, mode)
            got = {stack: number for stack, number in got.items() if counts.get(stack, 0) > 0}
        equal('%s %s moment %d %s %s' % (pid, heap, moment, mode, value), expected, got)
        if mode == 'cumulative' and total_of_methods(path, track, value, moment, mode) != sum(expected.values()):
            raise cases.Wrong('%s %s moment %d %s: the table of methods has another sum' % (pid, heap, moment, value))


def compare_intervals(path, blocks, info):
    """From any dump to any later one: the difference of what the reference has up to either, with its sign."""
    tracks = {(t['number'], t['part']): t['id'] for t in info['tracks'] if t.get('kind') == 'heap'}
    values = {v['name'] for v in info['values']}
    series = defaultdict(dict)     # by track and value, by dump
    for header, stacks in blocks:
        pid, heap, stamp, view = HEAP.match(header).groups()
        series[tracks[int(pid), heap], value_of(view, values)][stamp] = stacks
    for (track, value), by_stamp in series.items():
        dumps = list(by_stamp.values())
        for last in range(1, len(dumps)):
            for first in range(last):
                between = '%d..%d' % (first + 1, last + 1)
                expected = {stack: dumps[last].get(stack, 0) - dumps[first].get(stack, 0)
                            for stack in {*dumps[first], *dumps[last]}}
                equal('track %d %s %s' % (track, between, value), expected, shown(path, track, value, between, 'interval'))
                if total_of_methods(path, track, value, between, 'interval') != sum(expected.values()):
                    raise cases.Wrong('track %d %s %s: the table of methods has another sum' % (track, between, value))


def by_thread(stacks):
    sums = defaultdict(int)
    for stack, number in stacks.items():
        head, _, rest = stack.partition(';')
        sums[THREAD.match(head).group(1) + ';' + rest] += number
    return sums


def compare_samples(path, blocks):
    expected = defaultdict(int)
    for _, stacks in blocks:
        for stack, number in by_thread(stacks).items():
            expected[stack] += number
    run = cases.aflamed('render', '--output', 'folded', '--value', 'samples', '--track', 'all', path)
    got = by_thread({k: n for k, n in folded(cases.succeeded(run).decode()).items() if ' tid=' in k})
    equal('samples', expected, got)


def is_refused(path):
    run = cases.aflamed('render', '--output', 'folded', path)
    if run.returncode != 1 or not run.stderr.startswith(b'error: '):
        raise cases.Wrong('exit status %d, expected 1; %r' % (run.returncode, run.stderr))


def compare(script, path):
    name = 'oracle/perfetto/' + os.path.basename(path)
    try:
        for mode in ('cumulative', 'interval'):
            blocks = reference_blocks(script, path, mode)
            heaps = [block for block in blocks if HEAP.match(block[0])]
            samples = [block for block in blocks if SAMPLES.match(block[0])]
            if not heaps and not samples:
                is_refused(path)
                continue
            compare_heaps(path, mode, heaps, cases.info(path))
            if mode == 'cumulative':
                compare_intervals(path, heaps, cases.info(path))
            if samples:
                compare_samples(path, samples)
    except cases.Wrong as wrong:
        return Result(name, FAILED, str(wrong))
    return Result(name, PASSED)


def suite(wanted, folder):
    script = os.path.join(folder or '', 'oracle/refdecode.py')
    if not folder or not os.path.exists(script):
        yield Result('oracle/perfetto', SKIPPED, 'AFLAMED_SAMPLES does not name the folder of real profiles')
        return
    for path in sorted(glob.glob(os.path.join(folder, 'samples/perfetto/*.pb*'))):
        if wanted in 'oracle/perfetto/' + os.path.basename(path):
            yield compare(script, path)
