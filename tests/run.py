#!/usr/bin/env python3
"""Runs all tests and counts them; `make test` calls it. Last line: `N passed, N failed, N skipped`.

usage: run.py [FILTER]      only tests whose full name (suite/program/test) contains FILTER

Environment: AFLAMED (the program), AFLAMED_TEST_UNIT (folder of the unit test programs), AFLAMED_SAMPLES (folder
of real profiles, may be empty), JOBS (how many programs run at a time; default: one per processor).
AFLAMED_TEST_THREADS, where it is not empty, says that only what may have threads is to be run: it is a regular
expression that the source of such a unit or fuzz program contains. The rest is skipped.
AFLAMED_TEST_AGAIN=1: files of which a test failed are run once more at the end, each alone. What then succeeds is named with how it
failed beside others, and does not count as failed.
Every program is bounded in time; one that crashes or hangs has failed."""
import importlib
import os
import re
import resource
import shutil
import subprocess
import sys
import time
import traceback
import unittest
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, 'support')]

import cases      # noqa: E402
import oracle     # noqa: E402
from result import Result, FAILED, PASSED, SKIPPED     # noqa: E402

UNIT_TIMEOUT_S = 300
HTTP_TIMEOUT_S = 900
BROWSER_TIMEOUT_S = 600
SLOWEST = int(os.environ.get('AFLAMED_TEST_SLOWEST', '10'))     # so many are named at the end of a whole run
JOBS = int(os.environ.get('JOBS') or os.cpu_count())
AGAIN = os.environ.get('AFLAMED_TEST_AGAIN') == '1'
AGAIN_AT_MOST = 5     # files; more that fail have a common reason
CRASHED = r'Sanitizer|runtime error|the service ended with|ended with: -'     # in a failure's text: the program's fault at any speed
THREADS = os.environ.get('AFLAMED_TEST_THREADS', '')
NO_THREADS = 'has no threads, in which alone this build looks for mistakes'
BROKEN = '(end)'     # the name of what failed outside a test


def sanitizer_environment():
    """Findings end the program, so that they cannot pass for a test that succeeded."""
    defaults = {
        'ASAN_OPTIONS': 'detect_leaks=1:abort_on_error=1:strict_string_checks=1:'
                        'detect_stack_use_after_return=1:allocator_may_return_null=1',
        'UBSAN_OPTIONS': 'print_stacktrace=1:halt_on_error=1:abort_on_error=1',
        'TSAN_OPTIONS': 'halt_on_error=1:second_deadlock_stack=1:allocator_may_return_null=1:'
                        'suppressions=' + os.path.join(HERE, 'thread_suppressions.txt'),
    }
    for name, value in defaults.items():
        os.environ.setdefault(name, value)


# ---- unit: cmocka programs ----
def bounded(command, seconds, errors=subprocess.PIPE):
    """(output, errors, exit status or what went wrong)"""
    try:
        run = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors,
                             timeout=seconds)
        said, complaints, end = run.stdout, run.stderr, run.returncode
    except subprocess.TimeoutExpired as late:
        said, complaints, end = late.stdout, late.stderr, 'no end after %d s' % seconds
    except OSError as error:
        said, complaints, end = b'', b'', str(error)
    return (said or b'').decode('utf-8', 'replace'), (complaints or b'').decode('utf-8', 'replace'), end


def has_threads(source):
    if not THREADS:
        return True
    with open(source, encoding='utf-8') as file:
        return re.search(THREADS, file.read()) is not None


def unit_results(program):
    """One result per test of a cmocka program, from its progress lines; what a crash leaves out failed. The first has
    the time of all."""
    name = os.path.basename(program)
    start = time.monotonic()
    output, _, end = bounded([program], UNIT_TIMEOUT_S, subprocess.STDOUT)
    seconds = time.monotonic() - start
    results, running, said = [], None, []
    for line in output.splitlines():
        mark = re.match(r'\[ ([A-Z ]{8}) \] (?!---)(.*)', line)
        word = mark.group(1).strip() if mark else None
        if word == 'RUN':
            if running is not None:
                results.append(Result(running, FAILED, '\n'.join(said)))
            running, said = 'unit/%s/%s' % (name, mark.group(2)), []
        elif word in ('OK', 'FAILED', 'SKIPPED', 'ERROR') and running is not None:
            state = {'OK': PASSED, 'SKIPPED': SKIPPED}.get(word, FAILED)
            results.append(Result(running, state, '\n'.join(said)))
            running, said = None, []
        else:
            said.append(line)
    announced = re.search(r'Running (\d+) test\(s\)', output)
    unfinished = not announced or len(results) != int(announced.group(1))
    if running is not None or unfinished or (end != 0 and all(r.state != FAILED for r in results)):
        detail = '\n'.join(said + ['ended with: %s' % end])
        results.append(Result(running or 'unit/%s/%s' % (name, BROKEN), FAILED, detail))
    results[0].seconds = seconds
    return results


def unit_suite(wanted):
    folder = os.environ['AFLAMED_TEST_UNIT']
    source = os.path.join(HERE, 'unit')
    names = sorted(f[:-2] for f in os.listdir(source) if f.startswith('test_') and f.endswith('.c'))
    if wanted and any(wanted in 'unit/' + n for n in names):
        names = [n for n in names if wanted in 'unit/' + n]
    threaded = [n for n in names if has_threads(os.path.join(source, n + '.c'))]
    with ThreadPoolExecutor(JOBS) as pool:
        for results in pool.map(unit_results, [os.path.join(folder, n) for n in threaded]):
            yield from results
    for name in names:
        if name not in threaded:
            yield Result('unit/' + name, SKIPPED, NO_THREADS)


# ---- fuzz: the corpora, without a fuzzer ----
def fuzz_suite(wanted):
    """Each target with its corpus; one without any takes whole files, as the reader does."""
    folder = os.environ['AFLAMED_TEST_FUZZ']
    source = os.path.join(HERE, 'fuzz')
    for target in sorted(f[:-2] for f in os.listdir(source) if f.startswith('fuzz_') and f.endswith('.c')):
        corpus = os.path.join(source, 'corpus', target[len('fuzz_'):])
        if not os.path.isdir(corpus):
            corpus = os.path.join(source, 'corpus', 'reader')
        name = 'fuzz/%s/%s' % (target, os.path.basename(corpus))
        if wanted and wanted not in name:
            continue
        if not has_threads(os.path.join(source, target + '.c')):
            yield Result(name, SKIPPED, NO_THREADS)
            continue
        start = time.monotonic()
        output, _, end = bounded([os.path.join(folder, target), corpus], UNIT_TIMEOUT_S, subprocess.STDOUT)
        yield Result(name, PASSED if end == 0 else FAILED, '' if end == 0 else '%s\n%s' % (output, end),
                     time.monotonic() - start)


# ---- http: unittest modules ----
class Printer(unittest.TestResult):
    """Writes each result at once, so that those before a crash are not lost."""

    def __init__(self, prefix):
        super().__init__()
        self.prefix, self.broken_subtests, self.begun = prefix, set(), time.monotonic()

    def add(self, test, state, detail=''):
        """With the time since the result before it, which may be that of a service that was started."""
        now, name = time.monotonic(), test.id()
        outside = re.fullmatch(r'(\w+) \(([\w.]+)\)', name)     # setUpClass (test_x.Class): of no test, so of each
        if outside:
            name = '%s.%s/%s' % (outside.group(2), outside.group(1), BROKEN)
        print(Result(self.prefix + name, state, detail, now - self.begun).to_line(), flush=True)
        self.begun = now

    def addSuccess(self, test):
        if test not in self.broken_subtests:
            self.add(test, PASSED)

    def addFailure(self, test, error):
        self.add(test, FAILED, self._exc_info_to_string(error, test))

    addError = addFailure

    def addSubTest(self, test, subtest, error):
        if error is not None:
            self.broken_subtests.add(test)
            self.add(subtest, FAILED, self._exc_info_to_string(error, test))

    def addSkip(self, test, reason):
        self.add(test, SKIPPED, reason)

    def addExpectedFailure(self, test, error):
        self.add(test, PASSED)

    def addUnexpectedSuccess(self, test):
        self.add(test, FAILED, 'succeeded, but is marked as an expected failure')


def tests_of(suite):
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            yield from tests_of(item)
        else:
            yield item


def run_module(module, wanted):
    """In a process of its own, so that a module that hangs or kills it takes nothing else along."""
    folder = os.path.join(HERE, 'http')
    sys.path.insert(0, folder)
    prefix = 'http/'
    importlib.import_module(module)     # One that cannot be loaded ends the process: that is told, whatever was asked for.
    suite = unittest.defaultTestLoader.loadTestsFromName(module)
    tests = [t for t in tests_of(suite) if wanted in prefix + t.id()]
    unittest.TestSuite(tests).run(Printer(prefix))


def starts_the_service(module):
    with open(os.path.join(HERE, 'http', module + '.py'), encoding='utf-8') as file:
        return re.search(r'\b(Server|ServiceTest|DemoTest|BucketTest)\b', file.read()) is not None


def http_module(module, wanted):
    if THREADS and not starts_the_service(module):
        return [Result('http/' + module, SKIPPED, NO_THREADS)]
    command = [sys.executable, '-B', os.path.abspath(__file__), '--module', module, wanted]
    output, errors, end = bounded(command, HTTP_TIMEOUT_S)
    results = [r for r in map(Result.from_line, output.splitlines()) if r]
    if end != 0:
        results.append(Result('http/%s/%s' % (module, BROKEN), FAILED, '%s\nended with: %s' % (errors, end)))
    return results


def longest_first(folder, pattern):
    """Files whose name fits: the longest file should not be the last to begin."""
    names = sorted(f for f in os.listdir(folder) if re.fullmatch(pattern, f))
    return sorted(names, key=lambda name: -os.path.getsize(os.path.join(folder, name)))


def http_suite(wanted):
    """Several modules at a time, each with services of its own. They wait more than they work: for deadlines, for the disk, and
    for clients that are slow."""
    modules = [f[:-3] for f in longest_first(os.path.join(HERE, 'http'), r'test_\w+\.py')]
    named = [m for m in modules if re.match(r'http/%s(\.|$)' % m, wanted)]     # to load the others takes a while
    modules = named or modules
    with ThreadPoolExecutor(2 * JOBS) as pool:
        for results in pool.map(lambda module: http_module(module, wanted), modules):
            yield from results


# ---- browser: programs of node's test runner ----
def tap_results(file, output, end):
    """One result per test of a TAP report. A test with tests within it counts only if it failed and none of them
    did."""
    results, names = [], []
    failed_at = {}     # depth -> whether a test failed there since the last one that is not as deep
    for line in output.splitlines():
        depth = (len(line) - len(line.lstrip(' '))) // 4
        begun = re.match(r' *# Subtest: (.*)', line)
        ended = re.match(r' *(not )?ok \d+ - (.*?)(?: # (SKIP|TODO) ?(.*))?$', line)
        if begun:
            names[depth:] = [begun.group(1)]
        elif ended:
            failed = bool(ended.group(1)) and ended.group(3) != 'TODO'
            failed_within = failed_at.pop(depth + 1, None)
            failed_at[depth] = failed_at.get(depth, False) or failed
            if failed_within is None or (failed and not failed_within):
                name = 'browser/%s/%s' % (file, '/'.join(names[:depth] + [ended.group(2)]))
                state = FAILED if failed else SKIPPED if ended.group(3) == 'SKIP' else PASSED
                results.append(Result(name, state, ended.group(4) or ''))
        elif results:
            took = re.match(r' *duration_ms: ([\d.]+)', line)
            if took and failed_within is None:
                results[-1].seconds = float(took.group(1)) / 1000
            if results[-1].state == FAILED:
                results[-1].detail += '\n' + line
    if not results or (end != 0 and all(r.state != FAILED for r in results)):
        results.append(Result('browser/%s/%s' % (file, BROKEN), FAILED, '%s\nended with: %s' % (output, end)))
    return results


def plain_build():
    """Under a sanitizer the pages are the same, only slower than a person, and a test, would wait for."""
    with open(os.environ['AFLAMED'], 'rb') as program:
        code = program.read()
    return b'__asan_init' not in code and b'__tsan_init' not in code


def browser_names(folder, file):
    """What its tests are called, as far as that can be told without running it."""
    with open(os.path.join(folder, file), encoding='utf-8') as program:
        titles = re.findall(r'^\s*test\(\s*([\'"`])(.*?)\1', program.read(), re.M)
    pieces = [piece for _, title in titles for piece in re.split(r'\$\{.*?\}', title)]
    return ['browser/' + file, *('browser/%s/%s' % (file, piece) for piece in pieces)]


def browser_file(folder, file):
    command = ['node', '--test-reporter=tap', os.path.join(folder, file)]
    output, _, end = bounded(command, BROWSER_TIMEOUT_S, subprocess.STDOUT)
    return tap_results(file, output, end)


def browser_suite(wanted):
    """Needs a browser and what `npm ci` installs; without them its files are skipped, each by its name."""
    folder = os.path.join(HERE, 'browser')
    absent = [what for what, there in (('node', shutil.which('node')),
                                       ('chromium', os.path.exists(os.environ.get('CHROMIUM', '/usr/bin/chromium'))),
                                       ('tests/browser/node_modules', os.path.isdir(folder + '/node_modules')),
                                       ('a build without sanitizers', plain_build()))
              if not there]
    files = [f for f in longest_first(folder, r'test_\w+\.mjs') if any(wanted in name for name in browser_names(folder, f))]
    if absent:
        yield from (Result('browser/%s' % file, SKIPPED, 'not there: ' + ', '.join(absent)) for file in files)
        return
    # Each file has a browser and a service of its own, and waits for them.
    with ThreadPoolExecutor(JOBS + (JOBS + 1) // 2) as pool:
        for results in pool.map(lambda file: browser_file(folder, file), files):
            yield from results


# ---- all ----
def processor_s():
    """What this process and those that it started and that have ended have used."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


def count(results):
    return tuple(sum(r.state == s for r in results) for s in (PASSED, FAILED, SKIPPED))


def report(suite, results, seconds, used_s):
    print('%-8s %5d passed %5d failed %5d skipped %7.1f s, %7.1f s of processors' % (suite, *count(results), seconds, used_s),
          flush=True)
    reasons = {}
    for result in results:
        if result.state == SKIPPED:
            reasons.setdefault(result.detail.strip() or 'no reason given', []).append(result.name)
    for reason, names in sorted(reasons.items()):
        others = ' and %d more' % (len(names) - 1) if len(names) > 1 else ''
        print('  skipped: %s%s: %s' % (names[0], others, reason))
    for result in results:
        if result.state == FAILED:
            print('  FAILED: %s' % result.name)
            for line in result.detail.splitlines()[-60:]:
                print('      ' + line)


def is_wanted(result, wanted):
    """What failed outside a test is of each of them."""
    return wanted in result.name or result.name.endswith(BROKEN)


def file_of(name):
    """The suite and the file of a test, as a filter that fits all tests of the file."""
    return '/'.join(name.split('/')[:2]).split('.')[0]


def fails_only_beside_others(suites, results):
    """Runs the files of the failed results again, one by one. A file that now succeeds has no failed result any more; how its
    tests failed has been told. What crashed stays failed."""
    failed = [r for r in results if r.state == FAILED]
    files = sorted({file_of(r.name) for r in failed} - {file_of(r.name) for r in failed if re.search(CRASHED, r.detail)})
    if len(files) > AGAIN_AT_MOST:
        return
    for file in files:
        suite = file.split('/')[0]
        again = [r for r in whole(suite, suites[suite], file) if file_of(r.name) == file]
        alone = bool(again) and all(r.state != FAILED for r in again)
        print('  %s: %s' % ('FAILS ONLY BESIDE OTHERS' if alone else 'FAILED AGAIN', file), flush=True)
        if not alone:
            continue
        for result in failed:
            if file_of(result.name) == file:
                result.state = PASSED


def whole(name, suite, wanted):
    """The suite's results; one that breaks down itself has failed."""
    if THREADS and name in ('data', 'oracle'):     # what the command line prints
        yield Result(name, SKIPPED, NO_THREADS)
        return
    try:
        yield from suite(wanted)
    except Exception:
        yield Result('%s/%s' % (name, BROKEN), FAILED, traceback.format_exc())


def main(arguments):
    if arguments[:1] == ['--module']:
        run_module(*arguments[1:])
        return 0
    wanted = arguments[0] if arguments else ''
    sanitizer_environment()
    all_results = []
    suites = {'unit': unit_suite, 'fuzz': fuzz_suite, 'data': cases.suite, 'http': http_suite, 'browser': browser_suite,
              'oracle': oracle.suite if plain_build() else oracle.memory}
    for name, suite in suites.items():
        if wanted.split('/')[0] in suites and wanted.split('/')[0] != name:
            continue
        start, used_s = time.monotonic(), processor_s()
        results = [r for r in whole(name, suite, wanted) if is_wanted(r, wanted)]
        all_results += results
        if results or not wanted:
            report(name, results, time.monotonic() - start, processor_s() - used_s)
    if AGAIN:
        fails_only_beside_others(suites, all_results)
    for result in sorted(all_results, key=lambda r: -r.seconds)[:SLOWEST if not wanted else 0]:
        print('  slowest: %7.1f s  %s' % (result.seconds, result.name))
    for result in all_results:
        if result.state == FAILED:      # once more, where the end alone is kept
            found = re.search('.*(?:%s).*' % CRASHED, result.detail)
            print('  failed: %s%s' % (result.name, ': ' + found[0].strip() if found else ''))
    totals = count(all_results)
    if wanted and not all_results:
        print('no test has %r in its name' % wanted)
    print('%d passed, %d failed, %d skipped' % totals, flush=True)
    return 1 if totals[1] or not all_results else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
