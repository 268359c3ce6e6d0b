"""The data-driven suite: each folder of tests/data is one case.

    input.calls       call tree text, see trace_text.py; any other input.*: the bytes themselves
    args              extra arguments for `aflamed render`, one per line; optional
    expected.folded                     what `render --output folded` prints
    expected.<value>.<track>.folded     the same with --value and --track (an id, `all` or `merged`)
    expected.methods.<format>           what `methods --format` prints
    expected.warnings   all warnings of `info --json`, as lines `code count offset`. The offset is `-` where
                        there is none, else a number or, with input.calls, line:N (from 1), record:N (from 0),
                        header+N or end-N
    expected.error      the input is refused: lines `exit N` (default 1), `title TEXT`, `detail TEXT`,
                        `hint TEXT` (that part of the message contains the text, whatever its case),
                        `offset WHERE` (the message names it; written as above)

A case without an expectation fails."""
import json
import os
import re
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import trace_text
from result import FAILED, PASSED, Result

DATA = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'data')
TIMEOUT_S = 60


class Wrong(Exception):
    pass


def read(*path):
    with open(os.path.join(*path), 'rb') as file:
        return file.read()


def shown(content):
    text = content.decode('utf-8', 'replace')
    return text if len(text) < 4000 else text[:4000] + ' (%d characters more)' % (len(text) - 4000)


def aflamed(*arguments):
    try:
        run = subprocess.run([os.environ['AFLAMED'], *arguments], stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired as late:
        raise Wrong('no end after %d s: %s' % (TIMEOUT_S, ' '.join(arguments))) from late
    if run.returncode not in (0, 1, 2):
        raise Wrong('%s\nended with %d:\n%s' % (' '.join(arguments), run.returncode, shown(run.stderr)))
    return run


def succeeded(run):
    if run.returncode != 0:
        raise Wrong('exit status %d, expected 0; it said:\n%s' % (run.returncode, shown(run.stderr)))
    return run.stdout


def difference(expected, got):
    return 'expected:\n%s\ngot:\n%s' % (shown(expected), shown(got))


def position(trace, where):
    return int(where) if trace is None else trace.position(where)


def check_folded(file, expected, path, extra):
    arguments = ['render', '--output', 'folded', *extra]
    parts = file.split('.')
    if len(parts) == 4:
        arguments += ['--value', parts[1], '--track', parts[2]]
    got = succeeded(aflamed(*arguments, path))
    if got != expected:
        raise Wrong('%s: %s' % (file, difference(expected, got)))


def check_methods(file, expected, path):
    got = succeeded(aflamed('methods', '-q', '--format', file.rpartition('.')[2], path))
    if got != expected:
        raise Wrong('%s: %s' % (file, difference(expected, got)))


def info(path):
    output = succeeded(aflamed('info', '--json', path))
    try:
        return json.loads(output)
    except ValueError as error:
        raise Wrong('info --json is no JSON: %s\n%r' % (error, output[:400])) from error


def check_warnings(expected, path, trace):
    got = sorted('%s %d %s' % (w['code'], w['count'], '-' if w.get('offset') is None else w['offset'])
                 for w in info(path)['warnings'])
    wanted = []
    for line in expected.decode().splitlines():
        code, count, where = line.split()
        wanted.append('%s %s %s' % (code, count, where if where == '-' else position(trace, where)))
    if got != sorted(wanted):
        raise Wrong('warnings: ' + difference('\n'.join(sorted(wanted)).encode(), '\n'.join(got).encode()))


def message_parts(text):
    """{'title', 'detail', 'hint'} of `error: title: detail`, newline, `hint: ...`, behind any warnings."""
    text = ''.join(line for line in text.splitlines(True) if not line.startswith('warning: '))
    first, _, rest = text.partition('\n')
    if not first.startswith('error: '):
        raise Wrong('the message does not begin with `error: `:\n' + text)
    title, _, detail = first[len('error: '):].partition(': ')
    hint = rest[len('hint: '):] if rest.startswith('hint: ') else ''
    return {'title': title, 'detail': detail, 'hint': hint}


def check_error(expected, path, extra, trace):
    run = aflamed('render', '--output', 'folded', *extra, path)
    text = run.stderr.decode('utf-8', 'replace')
    wanted = [line.split(' ', 1) for line in expected.decode().splitlines() if line]
    status = [int(value) for key, value in wanted if key == 'exit'] or [1]
    if run.returncode != status[0]:
        raise Wrong('exit status %d, expected %d; it said:\n%s' % (run.returncode, status[0], text))
    if run.stdout:
        raise Wrong('output beside an error: %r' % run.stdout[:200])
    parts = message_parts(text)
    for key, value in wanted:
        if key == 'offset':
            if not re.search(r'\b%d\b' % position(trace, value), text):
                raise Wrong('the offset %d is not named:\n%s' % (position(trace, value), text))
        elif key != 'exit' and value.lower() not in parts[key].lower():
            raise Wrong('%s lacks %r:\n%s' % (key, value, text))
    if not parts['hint'].strip():
        raise Wrong('no hint:\n' + text)
    if aflamed('info', path).returncode != run.returncode and status[0] == 1:
        raise Wrong('info accepts what render refuses')


def input_of(folder):
    """(bytes, Trace or None)"""
    names = [n for n in os.listdir(folder) if n.startswith('input.')]
    if len(names) != 1:
        raise Wrong('needs one input.*')
    content = read(folder, names[0])
    if names[0] != 'input.calls':
        return content, None
    trace = trace_text.parse(content.decode())
    return trace.bytes(), trace


def check(folder, path):
    content, trace = input_of(folder)
    with open(path, 'wb') as file:
        file.write(content)
    args = os.path.join(folder, 'args')
    extra = read(args).decode().splitlines() if os.path.exists(args) else []
    files = sorted(n for n in os.listdir(folder) if n.startswith('expected.'))
    if not files:
        raise Wrong('nothing is expected')
    for name in files:
        expected = read(folder, name)
        if name.endswith('.folded'):
            check_folded(name, expected, path, extra)
        elif name.startswith('expected.methods.'):
            check_methods(name, expected, path)
        elif name == 'expected.warnings':
            check_warnings(expected, path, trace)
        elif name == 'expected.error':
            check_error(expected, path, extra, trace)
        else:
            raise Wrong('%s: no such kind of expectation' % name)


def timed_case(name):
    start = time.monotonic()
    result = run_case(name)
    result.seconds = time.monotonic() - start
    return result


def run_case(name):
    with tempfile.TemporaryDirectory(prefix='aflamed-case-') as scratch:
        try:
            check(os.path.join(DATA, name), os.path.join(scratch, 'input'))
        except Wrong as wrong:
            return Result('data/' + name, FAILED, str(wrong))
        except (OSError, ValueError, KeyError) as error:
            return Result('data/' + name, FAILED, '%s: %s' % (type(error).__name__, error))
    return Result('data/' + name, PASSED)


def suite(wanted):
    names = sorted(n for n in os.listdir(DATA)
                   if os.path.isdir(os.path.join(DATA, n)) and wanted in 'data/' + n)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(timed_case, names)
