#!/usr/bin/env python3
"""What aflamed costs, each case beside a yardstick that is run in turn with it.

usage: measure.py [--cases NAME,...] [--sizes MB,...] [--json FILE]       measures; prints a table
       measure.py --document FILE --json FILE                             the performance section of FILE from a result

Medians over rounds; a first round warms up and does not count, unless it takes so long that there is no other. Only
the ratios of one run mean anything beyond this machine. A yardstick that is not installed is left out."""
import argparse
import contextlib
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import cases
import programs
import report

FOLDER = os.path.join(programs.ROOT, 'build', 'bench')
SIZES_MB = (5, 57, 500)     # what the generator of traces has presets for
ROUNDS_MIN, ROUNDS_MAX = 7, 40
ROUNDS_SECONDS = 2          # enough, if there were enough rounds
WORK_SECONDS = 6            # of one program in one row: no further round then


def fail(message):
    sys.exit('measure.py: ' + message)


# ---- traces ----
def trace_of(size_mb):
    """A made trace, kept for the next time; made again after the generator has changed."""
    path = os.path.join(FOLDER, '%d.trace' % size_mb)
    if not os.path.exists(path) or os.path.getmtime(path) < os.path.getmtime(programs.MKTRACE):
        subprocess.run([programs.MKTRACE, '--preset', str(size_mb), '-o', path + '.new'], check=True)
        os.rename(path + '.new', path)
    return path


# ---- rounds ----
class Takings:
    """The samples of one program, without those of the first round once there are others."""

    def __init__(self, work):
        self.work, self.samples, self.first, self.problem = work, [], None, None if work else 'not there'
        self.spent_s = 0

    def take(self):
        began = time.perf_counter()
        sample = self.work()
        self.spent_s += time.perf_counter() - began
        if self.first is None:
            self.first = sample
        else:
            self.samples.append(sample)

    def seconds(self):
        return [s.seconds for s in self.samples or [self.first]]

    def median_s(self):
        return statistics.median(self.seconds())

    def peak_bytes(self):
        return max((s.peak_bytes for s in [self.first, *self.samples] if s.peak_bytes), default=None)

    def try_again(self):
        """Whether another round fits; a yardstick that fails is out, and no reason to give up."""
        return self.problem is None and self.spent_s < WORK_SECONDS


def take_turns(row):
    """{name: Takings}, of aflamed under ''."""
    takings = {'': Takings(row.ours), **{name: Takings(work) for name, work in row.yardsticks.items()}}
    began = time.perf_counter()
    for done in range(ROUNDS_MAX + 1):
        if done > ROUNDS_MIN and time.perf_counter() - began > ROUNDS_SECONDS:
            break
        for name, taking in takings.items():
            if not taking.try_again():
                continue
            try:
                taking.take()
            except programs.PROBLEMS as error:
                if not name:
                    raise
                taking.problem = 'failed'
                print('measure.py: yardstick left out: %s' % error, file=sys.stderr)
    return takings


def measure_row(row, size_mb):
    """As report.py describes it."""
    result = {'case': row.case, 'title': row.title, 'size_mb': size_mb, 'note': row.note, 'yardsticks': []}
    if row.why_not:
        return {**result, 'why_not': row.why_not}
    takings = take_turns(row)
    ours = takings.pop('')
    if row.read_bytes:
        result['read_bytes'] = row.read_bytes
    result.update(ours_s=ours.median_s(), all_s=ours.seconds(), peak_bytes=ours.peak_bytes())
    for name, taking in takings.items():
        if taking.problem:
            result['yardsticks'].append({'name': name, 'problem': taking.problem})
        else:
            result['yardsticks'].append({'name': name, 'median_s': taking.median_s(), 'all_s': taking.seconds(),
                                         'ratio': ours.median_s() / taking.median_s(),
                                         'peak_bytes': taking.peak_bytes()})
    return result


def measure(names, sizes_mb):
    """Yields the rows as they are measured."""
    for name, work, sized in cases.CASES:
        if name not in names:
            continue
        for size_mb in sizes_mb if sized else [None]:
            trace = trace_of(size_mb) if sized else None
            with tempfile.TemporaryDirectory(prefix=name + '-', dir=FOLDER) as folder:
                with contextlib.closing(work(cases.Place(trace, folder))) as rows:
                    for row in rows:
                        yield measure_row(row, size_mb)


# ---- the machine ----
def first_line(path, start):
    with contextlib.suppress(OSError, StopIteration), open(path) as file:
        return next(line for line in file if line.startswith(start)).split(':', 1)[1].strip()
    return 'unknown'


def file_system():
    """The type of what FOLDER lies on: of the mounts that it lies in, the deepest."""
    with open('/proc/self/mounts') as file:
        mounts = [line.split() for line in file]
    inside = [m for m in mounts if os.path.commonpath((FOLDER, m[1])) == m[1]]
    return max(inside, key=lambda m: len(m[1]))[2] if inside else 'unknown'


def machine():
    system = platform.freedesktop_os_release().get('PRETTY_NAME', 'Linux') \
        if os.path.exists('/etc/os-release') else 'Linux'
    version = subprocess.run([programs.AFLAMED, '--version'], stdout=subprocess.PIPE, text=True, check=True).stdout
    return {'processor': first_line('/proc/cpuinfo', 'model name'), 'processors': os.cpu_count(),
            'memory_bytes': os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE'),
            'system': '%s, Linux %s' % (system, platform.release()), 'program': version.strip(), 'file_system': file_system(),
            'load_before': os.getloadavg()[0]}


# ---- command line ----
def chosen(text, known, what):
    """The words of a list with commas between them; all that are known if it is empty."""
    words = [w for w in text.split(',') if w] or known
    for word in words:
        if word not in known:
            fail('there is no %s %r; there are %s' % (what, word, ', '.join(known)))
    return words


def write_document(path, result_path):
    try:
        with open(result_path) as file:
            result = json.load(file)
        with open(path, encoding='utf-8') as file:
            before = file.read()
        after = report.replace_section(before, result, [name for name, _, _ in cases.CASES], SIZES_MB)
    except (OSError, ValueError) as error:
        fail(str(error))
    with open(path + '.new', 'w', encoding='utf-8') as file:
        file.write(after)
    shutil.copymode(path, path + '.new')
    os.replace(path + '.new', path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--cases', default='', metavar='NAME,...')
    parser.add_argument('--sizes', default='', metavar='MB,...')
    parser.add_argument('--json', default=os.path.join(FOLDER, 'result.json'), metavar='FILE')
    parser.add_argument('--document', metavar='FILE', help='write the section of this file, and measure nothing')
    arguments = parser.parse_args()
    if arguments.document:
        write_document(arguments.document, arguments.json)
        return
    names = chosen(arguments.cases, [name for name, _, _ in cases.CASES], 'case')
    sizes_mb = [int(s) for s in chosen(arguments.sizes, [str(s) for s in SIZES_MB], 'size')]
    for program in (programs.AFLAMED, programs.MKTRACE, programs.TIMED):
        if not os.path.exists(program):
            fail('%s is not built; `make bench` builds what is needed' % program)
    os.makedirs(FOLDER, exist_ok=True)
    result = {'machine': machine(), 'rows': []}
    print('on %s\n%s' % (result['machine']['file_system'], report.HEADING), flush=True)
    try:
        for row in measure(names, sizes_mb):
            result['rows'].append(row)
            print('\n'.join(report.table_lines(row)), flush=True)
    except programs.PROBLEMS as error:
        fail(str(error))
    result['machine']['load_after'] = os.getloadavg()[0]
    print('\n'.join(report.goal_lines(result['rows'])))
    with open(arguments.json, 'w') as file:
        json.dump(result, file, indent=1)
        file.write('\n')


if __name__ == '__main__':
    main()
