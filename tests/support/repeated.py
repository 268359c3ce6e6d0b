"""A recording repeated until it is long: the same records again with later times, threads and methods as they were."""
import struct

RECORD = struct.Struct('<HIII')     # thread, method and action, thread CPU time, wall time: version 3 with both clocks


def balanced(records):
    """Without exits that leave nothing, and with exits behind the last record for what is still open: else each
    repetition would stand on the stacks of the one before."""
    out, stacks, times = [], {}, {}
    for thread, word, cpu, wall in records:
        stack = stacks.setdefault(thread, [])
        times[thread] = cpu, wall
        if word & 3 == 0:
            stack.append(word & ~3)
        elif stack and stack[-1] == word & ~3:
            stack.pop()
        else:
            continue
        out.append((thread, word, cpu, wall))
    for thread, stack in stacks.items():
        out += [(thread, method | 1, *times[thread]) for method in reversed(stack)]
    return out


def is_repeatable(trace):
    """Whether it is a regular file of version 3 with both clocks."""
    begin = trace.find(b'*end\n') + len(b'*end\n')
    return trace.startswith(b'*version\n3\n') and b'\nclock=dual\n' in trace[:begin] and \
        trace[begin:begin + 6] == b'SLOW\3\0' and trace[begin + 16:begin + 18] == b'\x0e\0'


def repeated(trace, size_bytes):
    """The bytes, at least as many as asked for."""
    header = trace.index(b'*end\n') + len(b'*end\n')
    begin = header + struct.unpack_from('<H', trace, header + 6)[0]
    whole = (len(trace) - begin) // RECORD.size * RECORD.size
    records = balanced(RECORD.iter_unpack(memoryview(trace)[begin:begin + whole]))
    first, last = {}, {}
    for thread, _, cpu, _ in records:
        first.setdefault(thread, cpu)
        last[thread] = cpu
    wall_step = max(r[3] for r in records) - min(r[3] for r in records) + 1
    step = {thread: last[thread] - first[thread] for thread in first}
    out, done = bytearray(trace[:begin]), 0
    while len(out) < size_bytes:
        for thread, word, cpu, wall in records:
            out += RECORD.pack(thread, word, cpu + done * step[thread] & 0xffffffff, wall + done * wall_step & 0xffffffff)
        done += 1
    return bytes(out)
