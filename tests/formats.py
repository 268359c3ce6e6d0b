"""The oracle suite's part on other formats than method traces: what `aflamed render --output folded` prints of each value is
what another slow and clear reader prints (oracle/refdecode.py and oracle/simpleperf.py beside the samples; see oracle.py)."""
import glob
import gzip
import json
import os
import re
import subprocess
import sys

import cases
from result import FAILED, PASSED, SKIPPED, Result

FOLDERS = ('folded', 'hprof', 'pprof')
BLOCK = re.compile(r'^## (.*)view="(.*)" total=(-?\d+) stacks=(\d+)$')
NS_PER_US = 1000


SIMPLEPERF_BLOCK = re.compile(r'^# event (\S+) thread (\d+) ')
SIMPLEPERF = 'simpleperf-cpu-clock.trace'


def stem(name):
    return re.sub('[^a-z0-9]', '-', name.lower())


def expected_blocks(script, path):
    """{value: {stack: number}}"""
    said = subprocess.run([sys.executable, '-B', script, path], stdout=subprocess.PIPE, check=True,
                          timeout=cases.TIMEOUT_S).stdout.decode()
    blocks, at, divisor = {}, None, 1
    for line in said.split('\n'):
        block = BLOCK.match(line)
        if block:
            at = blocks.setdefault(stem(block.group(2)), {})
            divisor = NS_PER_US if 'unit=nanoseconds' in block.group(1) else 1
        elif line and not line.startswith('# ') and at is not None:
            stack, _, number = line.replace('\t', '\u2409').rpartition(' ')
            at[stack] = at.get(stack, 0) + int(number) // divisor
    return blocks


def folded(path, value, track):
    run = cases.aflamed('render', '--output', 'folded', '--value', value, '--track', track, path)
    stacks = {}
    for line in cases.succeeded(run).decode().splitlines():
        stack, _, number = line.rpartition(' ')
        stacks[stack] = stacks.get(stack, 0) + int(number)
    return stacks


def got_stacks(path, value, with_threads):
    """Of all tracks, each by itself; with its thread's name in front where the other reader has that."""
    stacks = {}
    for track in cases.info(path)['tracks']:
        is_thread = with_threads and track.get('kind', 'thread') == 'thread'
        for stack, number in folded(path, value, str(track['id'])).items():
            whole = '[%s];%s' % (track['name'], stack) if is_thread else stack
            stacks[whole] = stacks.get(whole, 0) + number
    return stacks


def difference(expected, got):
    for stack in sorted(set(expected) | set(got)):
        if expected.get(stack, 0) != got.get(stack, 0):
            return '%s\nexpected %d, got %d' % (stack, expected.get(stack, 0), got.get(stack, 0))
    return None


def compare(script, name, path):
    try:
        blocks = expected_blocks(script, path)
        if not blocks:
            raise cases.Wrong('the other reader finds nothing')
        for value, expected in blocks.items():
            wrong = difference(expected, got_stacks(path, value, '/hprof/' in name))
            if wrong is not None:
                raise cases.Wrong('%s: %s' % (value, wrong))
    except cases.Wrong as wrong:
        return Result('oracle/' + name, FAILED, str(wrong))
    return Result('oracle/' + name, PASSED)


def compare_simpleperf(script, path):
    """By event and thread."""
    said = subprocess.run([sys.executable, '-B', script, path], stdout=subprocess.PIPE, check=True,
                          timeout=cases.TIMEOUT_S).stdout.decode()
    blocks, at, divisor = {}, None, 1
    for line in said.splitlines():
        block = SIMPLEPERF_BLOCK.match(line)
        if block:
            at = blocks.setdefault((stem(block.group(1)), block.group(2)), {})
            divisor = NS_PER_US if block.group(1) == 'cpu-clock' else 1
        elif line:
            stack, _, number = line.rpartition(' ')
            at[stack] = at.get(stack, 0) + int(number) // divisor
    try:
        for (value, thread), expected in blocks.items():
            wrong = difference(expected, folded(path, value, thread))
            if wrong is not None:
                raise cases.Wrong('%s of %s: %s' % (value, thread, wrong))
        if len(blocks) < 2:
            raise cases.Wrong('the other reader finds nothing')
    except cases.Wrong as wrong:
        return Result('oracle/formats/' + SIMPLEPERF, FAILED, str(wrong))
    return Result('oracle/formats/' + SIMPLEPERF, PASSED)


def expected_file(path):
    with open(path, 'rb') as file:
        data = file.read()
    return gzip.decompress(data) if path.endswith('.gz') else data


def compare_json(folder, entry):
    """A sample with its row of the index: each value's folded stacks, or that it is refused."""
    path = os.path.join(folder, entry['file'])
    try:
        if 'refused' in entry:
            run = cases.aflamed('info', path)
            if run.returncode != 1 or entry['refused'] not in run.stderr.decode():
                raise cases.Wrong('is not refused: %r' % run.stderr)
            return Result('oracle/formats/json/' + entry['file'], PASSED)
        values = {v['name'] for v in cases.info(path)['values']}
        if values != set(entry['values']):
            raise cases.Wrong('has the values %s, expected %s' % (values, entry['values']))
        for name in entry['expected']:
            value = name.replace('.gz', '')[:-len('.folded')].rpartition('.')[2]
            got = cases.succeeded(cases.aflamed('render', '-q', '--output', 'folded', '--track', 'all', '--value', value, path))
            if got != expected_file(os.path.join(folder, 'expected', name)):
                raise cases.Wrong('%s differs from %s' % (value, name))
    except cases.Wrong as wrong:
        return Result('oracle/formats/json/' + entry['file'], FAILED, str(wrong))
    return Result('oracle/formats/json/' + entry['file'], PASSED)


def json_suite(wanted, folder):
    """Profiles in JSON, and texts of perf: samples with what an importer of their own and the other tools' make of them."""
    if folder is None:
        yield Result('oracle/formats/json', SKIPPED, 'AFLAMED_SAMPLES does not name the folder of real profiles')
        return
    folder = os.path.join(folder, 'samples', 'json')
    with open(os.path.join(folder, 'INDEX.json'), encoding='utf-8') as file:
        for entry in json.load(file):
            if wanted in 'oracle/formats/json/' + entry['file']:
                yield compare_json(folder, entry)


def suite(wanted, folder):
    """Without a folder: what is skipped."""
    yield from json_suite(wanted, folder)
    for kind in (*FOLDERS, *(() if folder else (SIMPLEPERF,))):
        if folder is None:
            yield Result('oracle/formats/' + kind, SKIPPED, 'AFLAMED_SAMPLES does not name the folder of real profiles')
            continue
        for path in sorted(glob.glob(os.path.join(folder, 'samples', kind, '*'))):
            name = 'formats/%s/%s' % (kind, os.path.basename(path))
            if wanted in 'oracle/' + name:
                yield compare(os.path.join(folder, 'oracle/refdecode.py'), name, path)
    if folder is not None and wanted in 'oracle/formats/' + SIMPLEPERF:
        yield compare_simpleperf(os.path.join(folder, 'oracle/simpleperf.py'),
                                 os.path.join(folder, 'samples/not-profiles', SIMPLEPERF))
