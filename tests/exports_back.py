"""Part of the oracle suite: what is exported from a real profile and read again has the same stacks, for each value that the
format carries. What formats cannot carry is left out of both sides: the signatures by which overloads are told apart; of pprof,
which tracks there are, unless they are threads; of Perfetto, threads but those of method traces, which are of one process."""
import glob
import json
import os
import re
import tempfile
from collections import Counter

import cases
from result import FAILED, PASSED, SKIPPED, Result

LARGEST_BYTES = 200_000     # all kinds of files have small ones
FOLDERS = ('art/*.trace', 'art-variants/*', 'perfetto/*.pb', 'pprof/*', 'hprof/*', 'json/*', 'system-trace/*.pb')
VALUES_MAX = 2              # of a format that carries one at a time

DESCRIPTOR = re.compile(r'\([^;() ]*\)\[*(?:[VZBCSIJFD]|L[^;() ]*:)(?=[; ])')
TRACK = re.compile(r'^\[(.*?)(?: (?:tid|pid|heap)=[^\] ;]*)+\](?=[; ])')

# Two threads of one number; a thread of the number that a process gets of which none is told.
OTHER = {'trace-multiprocess.json', 'firefox-edge.json', 'track_event_same_tids_slices.pb', 'perflib-exception.v1.trace'}


def folded(path, value):
    run = cases.succeeded(cases.aflamed('render', '--quiet', '--output', 'folded', '--track', 'all', '--value', value, path))
    stacks = Counter()
    for line in run.decode('utf-8', 'replace').split('\n'):
        if line:
            stack, _, number = DESCRIPTOR.sub('', TRACK.sub(r'[\1]', line)).rpartition(' ')
            stacks[stack] += int(number)
    return stacks


def without_tracks(stacks):
    joined = Counter()
    for stack, number in stacks.items():
        joined[stack.partition(';')[2]] += number
    return joined


def keeps_tracks(form, info):
    if form == 'pprof':
        return all('kind' not in t for t in info['tracks'])
    return form != 'perfetto' or info['format'].startswith('android')


def compare(path, info, form, scratch):
    """Raises cases.Wrong. False: the format does not take this profile, or there is nothing to write."""
    values = [v['name'] for v in info['values']]
    for value in values[:VALUES_MAX] if form in ('speedscope', 'firefox') else [None]:
        out = os.path.join(scratch, 'x.' + form)
        chosen = [] if form in ('chrome', 'perfetto') else ['--track', 'all']
        run = cases.aflamed('export', form, '--quiet', '-o', out, *chosen, *(['--value', value] if value else []), path)
        if run.returncode != 0:
            return False
        back = cases.aflamed('info', '--json', out)
        carried = [v['name'] for v in json.loads(back.stdout)['values']] if back.returncode == 0 else []
        for one in [value] if value else [v for v in values if v in carried]:
            before = folded(path, one)
            if not before:
                continue
            if back.returncode != 0:
                raise cases.Wrong('%s of %s is refused: %s' % (form, one, back.stderr.decode()))
            after = folded(out, one if one in carried else carried[0])
            if not keeps_tracks(form, info):
                before, after = without_tracks(before), without_tracks(after)
            for stack in {*before, *after}:
                if before[stack] != after[stack]:
                    raise cases.Wrong('%s: %s of %r is %d, and was %d' % (form, one, stack, after[stack], before[stack]))
    return True


def suite(wanted, folder):
    if not folder:
        yield Result('oracle/exports', SKIPPED, 'AFLAMED_SAMPLES does not name the folder of real profiles')
        return
    paths = [p for place in FOLDERS for p in sorted(glob.glob(os.path.join(folder, 'samples', place)))
             if os.path.isfile(p) and os.path.getsize(p) <= LARGEST_BYTES and os.path.basename(p) not in OTHER]
    with tempfile.TemporaryDirectory(prefix='aflamed-exports-') as scratch:
        for path in paths:
            name = 'oracle/exports/' + os.path.basename(path)
            if wanted not in name:
                continue
            run = cases.aflamed('info', '--json', path)
            if run.returncode != 0:
                continue
            try:
                info = json.loads(run.stdout)
                for form in ('speedscope', 'firefox', 'chrome', 'perfetto', 'pprof'):
                    compare(path, info, form, scratch)
                yield Result(name, PASSED)
            except cases.Wrong as wrong:
                yield Result(name, FAILED, str(wrong))
