"""The command line under faults: a run that fails says so and leaves nothing behind, one that succeeds has done all."""
import glob
import gzip
import io
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile

from control import ON, PROGRAM, Control, points
from support import binary_header, method_lines, text_part, trace

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'support'))
import native     # noqa: E402  pylint: disable=wrong-import-position

TIMEOUT_S = 60
OLD = b'what was there before'
USAGE = 2
# Two operands that cannot be looked at are no pair, and then one too many.
LOOKS = ('stat', 'openat', 'pread')

SUMMARY = text_part(3, 'dual', [(1, 'main')], method_lines(4))
STREAM = binary_header(0xF3, 14) + struct.pack('<HBHH', 0, 2, 1, 4) + b'main' + b''.join(
    struct.pack('<HIII', 1, word, at, at) for at, word in enumerate((0, 4, 5, 1)))

MAPPING = (b'# pg_map_id: 1\ncom.real.Shop -> com.example.Class0:\n    1:2:void open(int):3:4 -> method0\n'
           b'    # {"id":"com.android.tools.r8.residualsignature","signature":"()V"}\n')


def zipped(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def inputs():
    """name -> content"""
    content = trace(threads=3, methods=24, records=600, depth=8)
    middle = content.index(b'*end\n') + len(b'*end\n')
    return {'x.trace': content, 'w.trace': trace(threads=4, methods=30, records=500, depth=7), 'y.key': content[:middle], 'y.data': content[middle:], 'x.gz': gzip.compress(content),
            'x.zip': zipped({'a/x.trace': content, 'b.txt': b'no trace'}), 'bad.png': b'\x89PNG\r\n\x1a\n' + bytes(400),
            'm.txt': MAPPING,
            'n.pb': native.pprof([([(native.Library('/lib/liba.so', 'ab' * 20), at) for at in (16, 48)], 3)]),
            'n.sym': b'MODULE Linux arm64 0 liba.so\nINFO CODE_ID ' + b'ab' * 20 + b'\nFUNC 10 8 0 one\n10 8 4 0\nPUBLIC 20 0 two\n',
            'tokens': b'# team\nann upload,read %s 2026-11-25T10:00:00Z\nbob read %s 2026-11-25T10:00:00Z\n' % (b'a' * 64, b'b' * 64),
            'z.trace': STREAM, 'z.sec': SUMMARY,
            'x.folded': b'main;run;draw 12\nmain;run;wait 30\nmain;stop 1\n'}


# Words behind the program; each runs in a folder of its own that has the inputs.
COMMANDS = {
    'render to standard output': 'render x.trace',
    'render to a file': 'render -o out.svg x.trace',
    'render over a file': 'render -o old.svg x.trace',
    'render a link': 'render -o link.svg x.trace',
    'render every thread': 'render --out-dir out/graphs x.trace',
    'render two files': 'render --out-dir out x.trace x.folded',
    'render a chart': 'render --view chart -o out.svg x.trace',
    'render inverted': 'render --view inverted --track all --value waiting -o out.svg x.trace',
    'render a sandwich': 'render --view sandwich --track merged --order weight -o out.svg x.trace',
    'render up to the end': 'render --open end --view icicle --palette package --names full -o out.svg x.trace',
    'render folded': 'render --output folded --track all x.trace',
    'render JSON': 'render --output json --track all x.trace',
    'render a key and its data': 'render -o out.svg y.key y.data',
    'render gzip': 'render -o out.svg x.gz',
    'render a member': 'render --member a/x.trace -o out.svg x.zip',
    'render every member': 'render --member all --out-dir out x.zip',
    'render with a mapping': 'render --mapping m.txt --view chart -o out.svg x.trace',
    'render with symbols': 'render --symbols n.sym -o out.svg n.pb',
    'render from standard input': 'render --view chart -',
    'render what is none': 'render bad.png',
    'info': 'info x.trace',
    'info as JSON': 'info --json x.trace',
    'info of folded stacks': 'info x.folded',
    'info of two files': 'info y.key y.data',
    'methods': 'methods --sort method x.trace',
    'methods as JSON': 'methods --format json --grep a -o out.json x.trace',
    'methods of two files': 'methods --format txt --group class y.key y.data',
    'methods of a filter': 'methods --focus /m[0-3]/ --recursion collapse x.trace',
    'methods as CSV': 'methods --format csv --open end --track all x.trace',
    'diff of two files': 'diff --format svg -o out.svg x.trace w.trace',
    'diff of several runs': 'diff --format md --all x.trace,x.gz w.trace',
    'render a streaming trace and its summary': 'render -o out.svg z.trace z.sec',
    'export for speedscope': 'export speedscope -o out.json x.trace',
    'export for Perfetto': 'export perfetto -o out.pftrace x.trace',
    'export for pprof': 'export pprof -o out.pb.gz x.trace',
    'export for Firefox': 'export firefox -o out.json.gz x.trace',
    'demo': 'demo -o out.trace',
    'list tokens': 'token list --tokens-file tokens',
    'revoke a token': 'token revoke ann --tokens-file tokens',
    'print the configuration': 'serve --config config.json --print-config',
    'help': '--help',
    'help of serve': 'serve --help',
    'help of render': 'render --help',
    'render of a named track': 'render --output folded --track main x.trace',
    'version': '--version',
}


class Place:
    """A folder with the inputs, the same for each run."""

    def __init__(self):
        self.top = tempfile.mkdtemp(prefix='aflamed-faults-')
        self.files = inputs()
        self.reset()

    def reset(self):
        for path in glob.glob(self.top + '/*') + glob.glob(self.top + '/.*'):
            shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)
        wanted = {**self.files, 'old.svg': OLD, 'linked.svg': OLD, 'config.json': b'{"workers": 2, "views_in_memory_bytes": "1M"}'}
        for name, content in wanted.items():
            with open(os.path.join(self.top, name), 'wb') as file:
                file.write(content)
        os.symlink('linked.svg', os.path.join(self.top, 'link.svg'))

    def made(self):
        """name -> content, of what is not as it was"""
        found = {}
        for path in glob.glob(self.top + '/**', recursive=True, include_hidden=True):
            name = os.path.relpath(path, self.top)
            if os.path.isfile(path):
                with open(path, 'rb') as file:
                    content = file.read()
                if content != self.files.get(name):
                    found[name] = content
        return found

    def remove(self):
        shutil.rmtree(self.top, ignore_errors=True)


class Run:
    def __init__(self, place, control, words):
        environment = {k: v for k, v in os.environ.items() if not k.startswith('AFLAMED')}
        with open(os.path.join(place.top, 'x.trace'), 'rb') as standard_input:
            try:
                done = subprocess.run([PROGRAM, *words.split(' ')], cwd=place.top, stdin=standard_input,
                                      capture_output=True, timeout=TIMEOUT_S, check=False,
                                      env={**environment, 'FAULTS_CONTROL': control.path})
                self.status, self.output, self.errors = done.returncode, done.stdout, done.stderr.decode()
            except subprocess.TimeoutExpired:
                self.status, self.output, self.errors = 'no end', b'', ''
        self.words, self.made = words, place.made()


def may_be_usage(run, control, series):
    """A configuration that cannot be read is one that is wrong."""
    return run.status == USAGE and (run.words.startswith('serve') or control.function in LOOKS or series == ON)


def problem_of(run, whole, control, series):
    """What is wrong with a run under faults, beside one without; '' if nothing is."""
    cannot_tidy = series == ON or control.function.startswith(('unlink', 'rename', 'write'))
    if run.status not in (0, 1, whole.status) and not may_be_usage(run, control, series):
        return 'status %s' % run.status
    if not control.ended() or 'Sanitizer' in run.errors or 'runtime error' in run.errors:
        return 'no regular end'
    if control.left_over():
        return control.left_over()
    if run.status == 0 and (run.output, run.made) != (whole.output, whole.made):
        return 'status 0, but not the result'
    if run.status != 0 and 'error: ' not in run.errors and control.function != 'write' and series != ON:
        return 'status %s without a word' % run.status
    for name, content in run.made.items():
        if content not in (OLD, whole.made.get(name), b'') and not cannot_tidy or name.startswith('.aflamed'):
            if not (name.startswith('.aflamed') and cannot_tidy):
                return '%s is left behind, with %d bytes' % (name, len(content))
    return ''


def walk(words, series, most=None):
    """(points, [findings]) of one command."""
    place, control, findings, n_done = Place(), Control(), [], 0
    try:
        control.arm(series=series)
        whole = Run(place, control, words)
        if control.left_over():
            findings.append('without a fault: ' + control.left_over())
        chosen = points(control.trace(), most)
        n = 0
        while chosen is None or n < len(chosen):
            place.reset()
            control.arm(n if chosen is None else chosen[n], series)
            run = Run(place, control, words)
            if control.failed == 0:
                break
            n_done += 1
            problem = problem_of(run, whole, control, series)
            if problem:
                findings.append('call %d, %s (%s): %s; it said %r' %
                                (n if chosen is None else chosen[n], control.where(), series, problem, run.errors[-300:]))
            n += 1
        return n_done, findings
    finally:
        place.remove()
