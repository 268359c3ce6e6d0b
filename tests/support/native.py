"""Libraries with and without symbols, made by the compiler, and profiles whose nameless frames are in them: of Perfetto (heapprofd, and
CPU samples with times), simpleperf and pprof. All protocol buffers are written here."""
import os
import re
import struct
import subprocess

SOURCE = '''
static volatile int sink;
static inline __attribute__((always_inline)) void innermost(int x)
{
    sink = x * 3;
}
static inline __attribute__((always_inline)) void inlined(int x)
{
    innermost(x + 1);
    sink = x;
}
__attribute__((noinline, visibility("default"))) int leaf(int x)
{
    inlined(x);
    return sink + 1;
}
__attribute__((noinline, visibility("default"))) int middle(int x)
{
    return leaf(x) + leaf(x + 2);
}
__attribute__((noinline, visibility("default"))) int outer(int x)
{
    return middle(x) * 2;
}
'''

# The compiler moves what is behind the condition to the end of the function.
PIECES = '''
static volatile int sink, other;
static inline __attribute__((always_inline)) void lvl3(int x) { if (x & 4) sink = x * 3; }
static inline __attribute__((always_inline)) void lvl2(int x) { lvl3(x + 1); }
static inline __attribute__((always_inline)) void lvl1(int x) { lvl2(x + 2); }
__attribute__((noinline, visibility("default"))) int outer(int x)
{
    int a = x * 7, b = x * x;
    lvl1(x);
    other = a / (b + 1);
    lvl1(b);
    return other + a * sink;
}
'''


def compiler():
    return os.environ.get('CC', 'gcc').split()


def call(*command):
    return subprocess.run(command, check=True, capture_output=True, timeout=120).stdout.decode()


def build(path, source=SOURCE, flags=('-g', '-O2'), build_id='sha1'):
    """A library. `build_id` as the linker takes it."""
    text = path + '.c'
    with open(text, 'w', encoding='utf8') as f:
        f.write(source)
    call(*compiler(), *flags, '-fPIC', '-shared', '-nostdlib', '-Wl,--build-id=' + build_id,
         '-Wl,-soname,' + os.path.basename(path), '-o', path, text)
    return path


def build_id(path):
    return re.search(r'Build ID: ([0-9a-f]+)', call('readelf', '-n', path)).group(1)


def strip(path, to, *flags):
    call('objcopy', *(flags or ('--strip-all',)), path, to)
    return to


def mini(path, to):
    """Without symbols, but for those that are packed into .gnu_debugdata."""
    small = to + '.mini'
    call('objcopy', '--strip-debug', path, small)
    call('xz', '-k', '-f', small)
    call('objcopy', '--strip-all', '--add-section', '.gnu_debugdata=' + small + '.xz', path, to)
    return to


def functions(path):
    """Address and size of each function."""
    found = {}
    for line in call('readelf', '-sW', path).splitlines():
        f = line.split()
        if len(f) == 8 and f[3] == 'FUNC' and f[6] != 'UND':
            found[f[7]] = (int(f[1], 16), int(f[2], 0))
    return found


def addresses(path):
    """All instructions of all functions, as far as objdump knows them."""
    return [int(m.group(1), 16) for m in re.finditer(r'^ +([0-9a-f]+):\t', call('objdump', '-d', path), re.M)]


# ---- protocol buffers ----

def varint(n):
    n &= (1 << 64) - 1
    out = b''
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def number(field, n):
    return varint(field << 3) + varint(n)


def text(field, s):
    s = s.encode() if isinstance(s, str) else s
    return varint(field << 3 | 2) + varint(len(s)) + s


class Library:
    """As a process had it mapped. `bias` is what the recorder took for its shift."""

    def __init__(self, path, identity, bias=0, offset=0):
        self.path, self.identity, self.bias, self.offset = path, identity, bias, offset


def perfetto_interned(frames):
    """Interned data of frames (library, address), with a stack of each prefix: iid = how many frames; from the root."""
    libraries = list({id(library): library for library, _ in frames}.values())
    strings, maps = b'', b''
    for i, library in enumerate(libraries, 1):
        strings += text(16, number(1, i) + text(2, bytes.fromhex(library.identity)))
        parts = [p for p in library.path.split('/') if p]
        for k, part in enumerate(parts):
            strings += text(17, number(1, 100 * i + k) + text(2, part))
        maps += text(19, number(1, i) + number(2, i) + number(3, 0) + number(4, 0x7000000000) + number(5, 0x7000100000) +
                     number(6, library.bias) + b''.join(number(7, 100 * i + k) for k in range(len(parts))) +
                     number(8, library.offset))
    made = b''
    for i, (library, address) in enumerate(frames, 1):
        made += text(6, number(1, i) + number(2, 0) + number(3, libraries.index(library) + 1) + number(4, address))
    return strings + maps + made


def perfetto_heap(stacks, pid=77, index=0):
    """`stacks`: lists of (library, address), the root first, each with its bytes, and how many of them are freed. `index`: of several dumps."""
    frames, callstacks = [], b''
    for i, (stack, *_) in enumerate(stacks, 1):
        first = len(frames)
        frames += stack
        callstacks += text(7, number(1, i) + b''.join(number(2, first + k + 1) for k in range(len(stack))))
    samples = b''.join(text(2, number(1, i) + number(2, size) + number(3, sum(freed)) + number(5, 1) + number(6, 0))
                       for i, (_, size, *freed) in enumerate(stacks, 1))
    dump = text(5, number(1, pid) + number(9, 1000 * (index + 1)) + samples) + number(7, index)
    head = number(8, 1000 * (index + 1)) + number(10, 1)
    return (text(1, head + number(13, 1) + number(41, 1) + text(12, perfetto_interned(frames) + callstacks)) +
            text(1, head + text(37, dump)))


def perfetto_cpu(stacks, pid=77):
    """CPU samples, one a millisecond."""
    frames, callstacks, samples = [], b'', b''
    for i, (stack, count) in enumerate(stacks, 1):
        first = len(frames)
        frames += stack
        callstacks += text(7, number(1, i) + b''.join(number(2, first + k + 1) for k in range(len(stack))))
        for _ in range(count):
            samples += text(1, number(8, 1000000 * (1 + samples.count(b'\x92\x04'))) + number(10, 1) +
                            text(66, number(1, 0) + number(2, pid) + number(3, pid) + number(4, i) + number(5, 2)))
    return (text(1, number(8, 1) + number(10, 1) + number(13, 1) + number(41, 1) +
                 text(12, perfetto_interned(frames) + callstacks)) + samples)


def pprof(stacks, start=0x7000000000, offset=0, limit=0x100000):
    """Addresses are those of a process that had the library mapped at `start`, from `offset` on."""
    strings, libraries, out = ['', 'samples', 'count'], [], b''

    def place(s):
        if s not in strings:
            strings.append(s)
        return strings.index(s)
    locations, samples = b'', b''
    n = 0
    for stack, count in stacks:
        ids = []
        for library, address in stack:
            if library not in libraries:
                libraries.append(library)
            n += 1
            ids.append(n)
            locations += text(4, number(1, n) + number(2, libraries.index(library) + 1) + number(3, start + address - offset))
        samples += text(2, text(1, b''.join(varint(i) for i in reversed(ids))) + text(2, varint(count)))
    for i, library in enumerate(libraries, 1):
        out += text(3, number(1, i) + number(2, start) + number(3, start + limit) + number(4, offset) +
                    number(5, place(library.path)) + number(6, place(library.identity)))
    out = text(1, number(1, 1) + number(2, 2)) + samples + out + locations
    return out + b''.join(text(6, s) for s in strings)


def simpleperf(stacks):
    """It knows no build ids."""
    libraries, records = [], []
    time = 0
    for stack, count in stacks:
        for library, _ in stack:
            if library not in libraries:
                libraries.append(library)
        chain = b''.join(text(3, number(1, address) + number(2, libraries.index(library)) + number(3, -1))
                         for library, address in reversed(stack))
        for _ in range(count):
            time += 1000000
            records.append(text(1, number(1, time) + number(2, 9) + chain + number(4, 1000000)))
    for i, library in enumerate(libraries):
        records.append(text(3, number(1, i) + text(2, library.path)))
    records.append(text(4, number(1, 9) + number(2, 9) + text(3, 'main')))
    records.append(text(5, text(1, 'cpu-clock')))
    return b'SIMPLEPERF' + struct.pack('<H', 1) + b''.join(struct.pack('<I', len(r)) + r for r in records) + struct.pack('<I', 0)
