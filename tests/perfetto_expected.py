"""Part of the oracle suite: what the producers of Perfetto samples expect of them. Rows of tables that another program's own tests
have of its files, as far as they speak of what is shown here: names of frames, bytes and counts. And files of whole results
(*.truth.json) beside generated samples."""
import csv
import io
import json
import os
import subprocess
from collections import defaultdict

import cases
from perfetto_samples import equal, folded, shown, value_of
from result import FAILED, PASSED, SKIPPED, Result

# Of two packages, of which the samples are of one: each residual name has a name in either.
NAMES_OF_OTHERS = {'profile_deobfuscation_default_package.pb'}


def rows_of(text):
    return [row for row in csv.DictReader(io.StringIO(text)) if None not in row]


def stacks_of(path, *options):
    run = cases.aflamed('render', '--output', 'folded', '--track', 'all', *options, path)
    return folded(cases.succeeded(run).decode())


def total(path, value, moment=None, mode='cumulative'):
    options = ['--moment', str(moment), '--mode', mode] if moment else []
    return sum(stacks_of(path, '--value', value, *options).values())


def check(what, expected, got):
    if expected != got:
        raise cases.Wrong('%s: %s, expected %s' % (what, got, expected))


def check_names(path, rows, column):
    """Every name is a frame's; of a residual name with names in several packages one of them is."""
    frames = {frame for stack in stacks_of(path) for frame in stack.split(';')}
    by_residual = defaultdict(set)
    for row in rows:
        by_residual[row.get('name', row.get('obfuscated_name', '')) if column == 'deobfuscated_name' else row[column]].add(row[column])
    for names in by_residual.values():
        some = names & frames
        if not some or (some != names and os.path.basename(path) not in NAMES_OF_OTHERS):
            raise cases.Wrong('no frame %s; there are %s' % (sorted(names - frames), sorted(frames)))


def check_allocations(path, rows):
    values = {v['name'] for v in cases.info(path)['values']}
    for column, suffix in (('size', ''), ('count', '-count')):
        numbers = [int(row[column]) for row in rows]
        if 'peak' in values:
            check('peak' + suffix, sum(numbers), total(path, 'peak' + suffix))
        else:
            check('allocated' + suffix, sum(n for n in numbers if n > 0), total(path, 'allocated' + suffix))
            check('unreleased' + suffix, sum(numbers), total(path, 'unreleased' + suffix))


def check_intervals(path, rows):
    """One row for each dump."""
    if 'peak' in {v['name'] for v in cases.info(path)['values']}:
        check('peak', sum(int(row['retained']) for row in rows), total(path, 'peak'))
        return
    check('dumps', len(rows), cases.info(path)['moments'])
    for moment, row in enumerate(rows, 1):
        check('retained at %d' % moment, int(row['retained']), total(path, 'unreleased', moment))
        check('delta at %d' % moment, int(row['delta']), total(path, 'unreleased', moment, 'interval'))
        if moment == 1 or int(row['delta']) > 0:
            check('allocated until %d' % moment, int(row['allocated']), total(path, 'allocated', moment))


def check_weights(path, rows):
    check('weights', sum(int(row['weight']) for row in rows), sum(stacks_of(path).values()))


# A table by its columns: the first that fits.
CHECKS = (({'deobfuscated_name'}, lambda path, rows: check_names(path, rows, 'deobfuscated_name')),
          ({'size', 'count', 'callsite_id'}, check_allocations),
          ({'retained', 'allocated', 'delta'}, check_intervals),
          ({'weight', 'frame_name'}, check_weights),
          ({'ts', 'frame_name'}, lambda path, rows: check_names(path, rows, 'frame_name')),
          ({'name', 'type'}, lambda path, rows: check_names(path, rows, 'name')))


def compare_row(path, entry):
    """None: the table speaks of what is not shown here, or the sample has no profile."""
    rows = rows_of(entry['expected'])
    columns = set(rows[0]) if rows else set()
    for needed, work in CHECKS:
        if needed <= columns and cases.aflamed('info', path).returncode == 0:
            work(path, rows)
            return True
    return None


# ---- whole results ----
def demangled(stacks):
    names = subprocess.run(['c++filt'], input='\n'.join(stacks), text=True, stdout=subprocess.PIPE, check=True).stdout.split('\n')
    sums = defaultdict(int)
    for name, number in zip(names, stacks.values()):
        sums[name] += number
    return sums


def frames_apart(stacks):
    """As names are demangled one by one, and `;` within one is no end of it."""
    out = defaultdict(int)
    for stack, number in stacks.items():
        out['\n'.join(stack.split(';'))] += number
    joined = demangled({stack.replace('\n', '\x01'): number for stack, number in out.items()})
    return {stack.replace('\x01', ';'): number for stack, number in joined.items() if number}


def compare_heaps(path, truth):
    """Of each dump and view; of an interval what has a count above 0."""
    info = cases.info(path)
    tracks = {(t['number'], t['part']): t['id'] for t in info['tracks'] if t.get('kind') == 'heap'}
    values, dumps = {v['name'] for v in info['values']}, defaultdict(list)
    for key in truth:
        pid, heap, stamp = key.split('|')
        dumps[int(pid), heap].append(int(stamp))
    check('heaps', sorted(dumps), sorted(tracks))
    for key, modes in truth.items():
        pid, heap, stamp = key.split('|')
        moment = 1 + sorted(dumps[int(pid), heap]).index(int(stamp))
        for mode, views in modes.items():
            for view, stacks in views.items():
                if heap == 'com.android.art' and view.startswith('Unreleased'):
                    continue     # of samples of Java nobody is told when they are freed
                value, track = value_of(view, values), tracks[int(pid), heap]
                got = shown(path, track, value, moment, mode)
                if mode == 'interval':     # here with its sign
                    counts = shown(path, track, value.removesuffix('-count') + '-count', moment, mode)
                    got = {stack: number for stack, number in got.items() if counts.get(stack, 0) > 0}
                equal('%s %s %s' % (key, mode, view), frames_apart(stacks), got)


def compare_threads(path, truth):
    """How many samples each thread has, as process/thread."""
    info = cases.info(path)
    check('samples', sorted(truth.values()), sorted(t['totals']['samples'] for t in info['tracks'] if t['totals']['samples']))


def compare_truth(path, truth):
    (compare_heaps if any('|' in key for key in truth) else compare_threads)(path, truth)


def result_of(name, work):
    try:
        return None if work() is False else Result(name, PASSED)
    except cases.Wrong as wrong:
        return Result(name, FAILED, str(wrong))


def suite(wanted, folder):
    samples = os.path.join(folder or '', 'samples/perfetto')
    index = os.path.join(samples, 'INDEX.json')
    if not folder or not os.path.exists(index):
        yield Result('oracle/expected', SKIPPED, 'AFLAMED_SAMPLES does not name the folder of real profiles')
        return
    with open(index, encoding='utf-8') as file:
        entries = json.load(file)
    for entry in entries:
        name, path = 'oracle/expected/' + entry['sample'], os.path.join(samples, entry['sample'])
        if wanted in name:
            result = result_of(name, lambda p=path, e=entry: compare_row(p, e) is not None)
            if result is not None:
                yield result
    for truth, sample in (('heap_continuous.truth.json', 'heap_continuous.pb'), ('perf_samples.truth.json', 'perf_samples.pb')):
        name = 'oracle/expected/' + truth
        if wanted in name:
            with open(os.path.join(samples, truth), encoding='utf-8') as file:
                content = json.load(file)
            yield result_of(name, lambda p=os.path.join(samples, sample), t=content: compare_truth(p, t))
