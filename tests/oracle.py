"""The oracle suite: what `aflamed render --output folded` prints is what a slow and clear reference reader
prints, on real profiles and on generated ones, for every thread and clock.

The reader (oracle/artref.py), the generator (bench/mktrace.c) and the profiles (samples/) are not part of
this project: AFLAMED_SAMPLES names the folder above them, and without it the suite is skipped."""
import glob
import importlib.util
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import cases
import dmtracedump
import exports_back
import formats
import perfetto_expected
import perfetto_samples
import systrace_samples
from result import FAILED, PASSED, SKIPPED, Result

FOLDED_CLOCKS = {'dual': ('cpu', 'wall'), 'thread-cpu': ('cpu',), 'wall': ('wall',), 'global': ('wall',)}
RECORDS = 30000
SHAPE = ['-n', str(RECORDS), '-k', '2000', '-m', '500', '-t', '4']
BROKEN = ['-u', '5', '-x', '2000', '-r', '5000']
GENERATED = {
    'v1-global': ['-v', '1', '-c', 'global'],
    'v1-cpu': ['-v', '1', '-c', 'thread-cpu'],
    'v2-wall': ['-v', '2', '-c', 'wall'],
    'v2-cpu': ['-v', '2', '-c', 'thread-cpu'],
    'v3-dual': ['-v', '3', '-c', 'dual'],
    'v3-broken': ['-v', '3', '-c', 'dual', *BROKEN],
    'v2-broken': ['-v', '2', '-c', 'wall', *BROKEN],
    'v1-broken': ['-v', '1', '-c', 'global', *BROKEN],
    'v3-pointers': ['-v', '3', '-p', '1'],
    'v3-id-zero': ['-v', '3', '-z', '1'],
    'v3-closed': ['-v', '3', '-e', '1'],
    'v3-deep': ['-v', '3', '-d', '1000'],
}


def load(path):
    """The reference reader as a module: one start of the interpreter instead of one per thread and clock."""
    spec = importlib.util.spec_from_file_location('reference', path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def reference_blocks(reference, path):
    """{(clock, thread id): folded text}."""
    trace = reference.parse(cases.read(path))
    roots, _ = reference.fold(trace, 'ignore')
    blocks = {}
    for clock in FOLDED_CLOCKS[trace.keys.get('clock', 'thread-cpu')]:
        for thread, root in roots.items():
            out = {}
            reference.emit(trace, root, [], clock, out)
            lines = ['%s %d\n' % item for item in out.items()]
            blocks[clock, thread] = b''.join(sorted(line.encode() for line in lines))
    return blocks


def first_difference(expected, got):
    a, b = expected.splitlines(), got.splitlines()
    for i in range(max(len(a), len(b))):
        x, y = a[i] if i < len(a) else b'(end)', b[i] if i < len(b) else b'(end)'
        if x != y:
            return 'line %d\nexpected: %s\ngot:      %s' % (i + 1, cases.shown(x), cases.shown(y))
    return 'line ends differ'


def compare(reference, name, path):
    try:
        blocks = reference_blocks(reference, path)
        for (clock, thread), expected in sorted(blocks.items()):
            arguments = ['render', '--output', 'folded', '--value', clock, '--track', str(thread), path]
            got = cases.succeeded(cases.aflamed(*arguments))
            if got != expected:
                raise cases.Wrong('thread %d, %s: %s' % (thread, clock, first_difference(expected, got)))
    except cases.Wrong as wrong:
        return Result('oracle/' + name, FAILED, str(wrong))
    return Result('oracle/' + name, PASSED)


def samples(folder):
    art = [f for f in glob.glob(os.path.join(folder, 'samples/art/*.trace'))
           if not f.endswith('-header.trace')]
    return sorted(art + glob.glob(os.path.join(folder, 'samples/art-variants/*.trace')))


def self_times(folded):
    return {line.rpartition(b' ')[0]: int(line.rpartition(b' ')[2]) for line in folded.splitlines()}


def alike(expected, got, tolerance_us):
    a, b = self_times(expected), self_times(got)
    return all(abs(a.get(stack, 0) - b.get(stack, 0)) <= tolerance_us for stack in {*a, *b})


def variants(folder):
    """(name, variant, path, path of the original) of the files that were made from others, and hold the same
    calls. Version 1 has other thread ids. Layouts E and F do not say of what an exit without enter is."""
    for path in sorted(glob.glob(os.path.join(folder, 'samples/art-variants/*.trace'))):
        name, variant, _ = os.path.basename(path).split('.')
        if variant != 'v1' and not (name == 'perflib-exception' and variant[0] in 'EF'):
            yield name, variant, path, os.path.join(folder, 'samples/art', name + '.trace')


def compare_variant(reference, name, variant, path, original):
    tolerance_us = 1 if variant == 'E5tsc' else 0     # it counts ticks of 52 ns
    try:
        carried = {value['name'] for value in cases.info(path)['values']}
        for (clock, thread), expected in sorted(reference_blocks(reference, original).items()):
            if clock not in carried:
                continue
            got = cases.succeeded(cases.aflamed('render', '--output', 'folded', '--value', clock,
                                                '--track', str(thread), path))
            if not alike(expected, got, tolerance_us):
                raise cases.Wrong('thread %d, %s: %s' % (thread, clock, first_difference(expected, got)))
        if not carried & {'cpu', 'wall'}:
            raise cases.Wrong('no clock')
    except cases.Wrong as wrong:
        return Result('oracle/variants/%s.%s' % (name, variant), FAILED, str(wrong))
    return Result('oracle/variants/%s.%s' % (name, variant), PASSED)


def refused(folder):
    name = 'perflib-header.trace'
    run = cases.aflamed('render', '--output', 'folded', os.path.join(folder, 'samples/art', name))
    if run.returncode == 1 and run.stderr.startswith(b'error: '):
        return Result('oracle/refused/' + name, PASSED)
    detail = 'exit status %d, expected 1; %r' % (run.returncode, run.stderr)
    return Result('oracle/refused/' + name, FAILED, detail)


def generated(folder, reference, scratch, wanted):
    generator = os.path.join(scratch, 'mktrace')
    source = os.path.join(folder, 'bench/mktrace.c')
    subprocess.run([os.environ.get('CC', 'gcc'), '-O2', '-w', '-o', generator, source, '-lm'], check=True)
    for number, (name, options) in enumerate(GENERATED.items(), 1):
        if wanted not in 'oracle/generated/' + name:
            continue
        path = os.path.join(scratch, name + '.trace')
        subprocess.run([generator, '-o', path, '-s', str(number), *SHAPE, *options], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        yield compare(reference, 'generated/' + name, path)


def suite(wanted):
    folder = os.environ.get('AFLAMED_SAMPLES', '')
    script = os.path.join(folder, 'oracle/artref.py')
    if not folder or not os.path.exists(script):
        for name in ('samples', 'variants', 'refused', *('generated/' + n for n in GENERATED)):
            yield Result('oracle/' + name, SKIPPED, 'AFLAMED_SAMPLES does not name the folder of real profiles')
        yield from dmtracedump.suite(wanted, None, None)
        yield from formats.suite(wanted, None)
        yield from perfetto_samples.suite(wanted, None)
        yield from systrace_samples.suite(wanted, None)
        yield from perfetto_expected.suite(wanted, None)
        yield from exports_back.suite(wanted, None)
        return
    # The readers of the other formats are programs of their own, which take about as long as what is read here.
    with ThreadPoolExecutor(1) as beside:
        others = beside.submit(lambda: [*perfetto_samples.suite(wanted, folder), *formats.suite(wanted, folder),
                                        *systrace_samples.suite(wanted, folder)])
        yield from method_traces(folder, load(script), wanted)
        yield from perfetto_expected.suite(wanted, folder)
        yield from exports_back.suite(wanted, folder)
        yield from others.result()


def memory(wanted):
    """For a build with a sanitizer, whose results are those of the ordinary one: each file of real profiles is read, drawn and put in
    words, or refused, and nothing is found."""
    folder = os.path.join(os.environ.get('AFLAMED_SAMPLES', ''), 'samples')
    paths = sorted(path for path in glob.glob(folder + '/**', recursive=True) if os.path.isfile(path))
    if not os.environ.get('AFLAMED_SAMPLES') or not paths:
        yield Result('oracle/memory', SKIPPED, 'AFLAMED_SAMPLES does not name the folder of real profiles')
        return

    def one(path):
        name = 'oracle/memory/' + os.path.relpath(path, folder)
        try:
            for command in (('verdict',), ('render', '-o', '/dev/null')):
                cases.aflamed(*command, path)
        except cases.Wrong as wrong:
            return Result(name, FAILED, str(wrong))
        return Result(name, PASSED)
    with ThreadPoolExecutor(int(os.environ.get('JOBS') or os.cpu_count())) as pool:
        yield from pool.map(one, [path for path in paths if wanted in 'oracle/memory/' + os.path.relpath(path, folder)])


def method_traces(folder, reference, wanted):
    sys.setrecursionlimit(20000)
    for path in samples(folder):
        name = 'samples/' + os.path.basename(path)
        if wanted in 'oracle/' + name:
            yield compare(reference, name, path)
    for name, variant, path, original in variants(folder):
        if wanted in 'oracle/variants/%s.%s' % (name, variant):
            yield compare_variant(reference, name, variant, path, original)
    yield refused(folder)
    yield from dmtracedump.suite(wanted, folder, reference)
    with tempfile.TemporaryDirectory(prefix='aflamed-oracle-') as scratch:
        yield from generated(folder, reference, scratch, wanted)
