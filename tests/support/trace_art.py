"""The binary-only kinds of Android method traces, for trace_text.py: streaming files, and ART's version 2 in its
layouts A to F. What they look like is written in parser/android/stream.c and parser/android/v2.h."""
import struct

COUNTER_HZ = 19200000
POINTERS = 0x70000000     # methods of the layouts B to F are pointers: this and their id


def uleb(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def sleb(value):
    out = bytearray()
    while not -64 <= value < 64:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value & 127]))


def text(trace, sections):
    lines = [b'*version', b'%d' % trace.version]
    if trace.clock is not None:
        lines.append(b'clock=' + trace.clock)
    lines += trace.keys
    if sections:
        lines += [b'*threads', *trace.threads, b'*methods']
    return b''.join(line + b'\n' for line in lines + [b'*end'])


class Stream:
    """bytes, and the offset of each record."""

    def __init__(self, trace):
        self.trace, self.offsets, self.defined = trace, [], set()
        size = trace.fields.get('record-size', trace.record_bytes())
        self.bytes = struct.pack('<4sHHQH', b'SLOW', trace.version | 0xF0, 32, 0, size).ljust(32, b'\0')
        for record in trace.records:
            self.put(record)
        if trace.summary:
            summary = text(trace, True)
            self.bytes += struct.pack('<HBI', 0, 3, len(summary)) + summary
        self.bytes += trace.behind

    def define(self, kind, key, lines):
        """The line of the table that begins with this id, once."""
        for line in lines:
            number, _, rest = line.partition(b'\t')
            if (kind, key) in self.defined or int(number, 0) != key:
                continue
            self.defined.add((kind, key))
            if kind == 'method':
                self.bytes += struct.pack('<HBH', 0, 1, len(line) + 1) + line + b'\n'
            else:
                self.bytes += struct.pack('<HBHH', 0, 2, key & 0xFFFF, len(rest)) + rest

    def put(self, record):
        if record[0] == 'event':
            self.define('method', record[2] & ~3, self.trace.methods)
            self.define('thread', record[1], self.trace.threads)
        self.offsets.append(len(self.bytes))
        self.bytes += self.trace.record_part(record)


class Version2:
    """bytes, and the offset of each thread's records, thread by thread."""

    def __init__(self, trace, layout):
        self.trace, self.layout, self.offsets = trace, layout, []
        self.dual = trace.version == 5
        start = 5 * 10**12 if layout in 'DEF' else 5 * 10**9
        counter = (777, COUNTER_HZ) if trace.counter else (0, 0)
        self.bytes = struct.pack('<4sHQQQ', b'SLOW', trace.version | 0xF0, start, *counter).ljust(32, b'\0')
        if layout == 'F':
            self.bytes += b'\x03' + bytes(16)
        else:
            self.infos()
        self.blocks()
        if layout == 'F':
            self.infos()
        elif trace.summary:
            summary = text(trace, False)
            self.bytes += struct.pack('<BH', 3, len(summary)) + summary
        self.bytes += trace.behind

    def method(self, word):
        return word >> 2 if self.layout == 'A' else POINTERS + (word & ~3)

    def word(self, word):
        return word if self.layout == 'A' else POINTERS + word

    def infos(self):
        for line in self.trace.threads:
            number, _, name = line.partition(b'\t')
            self.bytes += struct.pack('<BIH', 0, int(number), len(name)) + name
        for line in self.trace.methods:
            number, _, rest = line.partition(b'\t')
            shape = '<BIH' if self.layout == 'A' else '<BQH'
            self.bytes += struct.pack(shape, 1, self.method(int(number, 16)), len(rest) + 1) + rest + b'\n'

    def blocks(self):
        for thread in sorted({record[1] for record in self.trace.records if record[0] == 'event'}):
            own = [r for r in self.trace.records if r[0] == 'event' and r[1] == thread]
            step = self.trace.block or len(own)
            for at in range(0, len(own), step):
                self.block(thread, own[at:at + step])
        for record in self.trace.records:
            if record[0] == 'raw':
                self.bytes += record[1]

    def block(self, thread, records):
        before, counted = [0, 0, 0, 0], 0
        half = (len(records) + 1) // 2 if self.trace.split else len(records)
        for part in (records[:half], records[half:]):
            counted += len(part)
            if part:
                self.part(thread, part, before, counted)

    def part(self, thread, records, before, counted):
        head = struct.pack('<BI', 2, thread)
        at = len(self.bytes)
        bodies = []
        if self.layout in 'AB':
            word, times = self.word(records[0][2]), records[0][3]
            before[:] = [word, times[-1], times[0], word]
            head += struct.pack('<I' if self.layout == 'A' else '<Q', word)
            head += struct.pack('<%dI' % (2 if self.dual else 1), *times)
            bodies = [self.record(record, before) for record in records[1:]]
            head += struct.pack('<HH', len(records) - 1, sum(map(len, bodies)))
            self.offsets.append(at)
        else:
            bodies = [self.record(record, before) for record in records]
            head += counted.to_bytes(3, 'little') + struct.pack('<I', sum(map(len, bodies)))
        self.bytes += head
        for body in bodies:
            self.offsets.append(len(self.bytes))
            self.bytes += body

    def record(self, record, before):
        _, _, word, times = record
        scale = 1000 if self.layout in 'DEF' else 1
        wall, cpu, action = times[-1] * scale, times[0] * scale, word & 3
        if self.layout in 'ABCD':
            word = self.word(word)
            out = sleb(word - (before[3] if self.layout == 'A' else before[0])) + uleb(wall - before[1])
            if self.dual:
                out += uleb(cpu - before[2])
            before[:3] = [word, wall, cpu]
            return out
        ticks = -(-wall * COUNTER_HZ // 10**9) if self.trace.counter else wall
        step = ticks << 1 | min(action, 1) if self.layout == 'F' else ticks << 2 | action
        out = sleb(step - before[0])
        if self.dual:
            out += sleb(cpu - before[2])
        before[0], before[2] = step, cpu
        if action == 0:
            out += sleb(self.method(word) - before[3])
            before[3] = self.method(word)
        return out
