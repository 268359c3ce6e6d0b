"""Traces that hold sections, the states of threads, CPU samples and dumps of heaps: what a Perfetto recording of one app is made of.

    m = Mixed()
    m.trace.begin(..)                          sections and the scheduler: system_trace.Trace
    m.sample(ns, tid, ['main', 'decode'])      a CPU sample of that thread, its stack from the root
    m.dump(ns, {('main', 'malloc'): (bytes, freed)})    what stacks have allocated and freed since the dump before
    m.bytes()

All is of one process, PID. Stacks are of functions with names.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import system_trace  # noqa: E402
from native import number, text  # noqa: E402

PID = 4242
RECORDER = 9  # the sequence of packets that samples are of


class Mixed:
    def __init__(self):
        self.trace = system_trace.Trace()
        self.trace.process(PID, 'com.example.app', 10042)
        self.samples, self.dumps = [], []
        self.functions, self.stacks = {}, {}

    def stack(self, frames):
        for name in frames:
            self.functions.setdefault(name, len(self.functions) + 1)
        return self.stacks.setdefault(tuple(frames), len(self.stacks) + 1)

    def sample(self, ns, tid, frames):
        self.stack(frames)
        self.samples.append((ns, tid, tuple(frames)))

    def dump(self, ns, sizes):
        for frames in sizes:
            self.stack(frames)
        self.dumps.append((ns, {tuple(frames): of for frames, of in sizes.items()}))

    def interned(self):
        """A mapping without a name; a function and a frame of each name; each stack."""
        out = text(19, number(1, 1) + number(4, 0x1000) + number(5, 0x900000))
        for name, i in self.functions.items():
            out += text(5, number(1, i) + text(2, name)) + text(6, number(1, i) + number(2, i) + number(3, 1) + number(4, 16 * i))
        for frames, i in self.stacks.items():
            out += text(7, number(1, i) + b''.join(number(2, self.functions[name]) for name in frames))
        return out

    def sample_packets(self):
        return b''.join(text(1, number(8, ns) + number(10, RECORDER) +
                             text(66, number(1, 0) + number(2, PID) + number(3, tid) + number(4, self.stacks[frames]) + number(5, 2)))
                        for ns, tid, frames in self.samples)

    def dump_packets(self):
        """Of heapprofd each dump has all since its beginning."""
        out, sums = b'', {}
        for index, (ns, sizes) in enumerate(self.dumps):
            for frames, (made, freed) in sizes.items():
                before = sums.get(frames, (0, 0, 0, 0))
                sums[frames] = (before[0] + made, before[1] + freed, before[2] + (made > 0), before[3] + (freed > 0))
            body = b''.join(text(2, number(1, self.stacks[frames]) + number(2, of[0]) + number(3, of[1]) + number(5, of[2]) +
                                 number(6, of[3])) for frames, of in sums.items())
            out += text(1, number(8, ns) + number(10, RECORDER) +
                        text(37, text(5, number(1, PID) + number(9, ns) + body) + number(7, index)))
        return out

    def bytes(self, sections=True):
        head = text(1, number(8, 1) + number(10, RECORDER) + number(13, 1) + number(41, 1) + text(12, self.interned()))
        return (self.trace.bytes() if sections else b'') + head + self.sample_packets() + self.dump_packets()


def start_of_an_app(r, samples=True, dumps=True):
    """An app that starts, by chance. Returns the trace and the sections of its threads: [(begin, end, name, depth, tid)]."""
    m, sections = Mixed(), []
    threads = {PID: 'com.example.app', PID + 1: 'RenderThread', PID + 2: 'worker'}
    begin, end = 1_000_000_000, 1_400_000_000
    for cpu, (tid, name) in enumerate(threads.items()):
        m.trace.thread(PID, tid, name)
        system_trace.live(m.trace, r, cpu, tid, begin, end)
        sections += [(b, e, n, d, tid) for b, e, n, d in
                     system_trace.nest(m.trace, r, PID, tid, begin + 1000, end - 1000, cpu,
                                       names=('bindApplication', 'inflate', 'measure', 'decodeBitmap', 'onBind'))]
    for at in range(begin, end, 1_000_000):
        for tid in threads:
            if samples and r.random() < 0.6:
                where = [s[2] for s in sorted(sections, key=lambda s: s[3]) if s[4] == tid and s[0] <= at < s[1]]
                m.sample(at + r.randrange(1_000_000), tid, ['start', 'run'] + ['do_' + name for name in where] +
                         r.choice([[], ['memcpy'], ['art::Lookup', 'strcmp'], ['deflate']]))
    for at in range(begin + 50_000_000, end, 50_000_000) if dumps else ():
        m.dump(at, {('start', 'run', r.choice(['decode', 'parse', 'load']), 'malloc'): (r.randrange(1, 1 << 20), r.randrange(1 << 10))
                    for _ in range(5)})
    return m, sections
