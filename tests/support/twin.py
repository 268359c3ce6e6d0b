"""The slowed twin of a trace: the same calls, of which those of one method take longer."""
import struct

RECORD = struct.Struct('<HIII')     # thread, method and action, thread CPU time, wall time: version 3 with both clocks
SLOWER_US = 50


def slowed(trace):
    """The bytes of the twin, and `package.Class.method` of what is slower: the method with the most calls."""
    begin = trace.index(b'*end\n') + len(b'*end\n') + 32
    calls = {}
    for _, word, _, _ in RECORD.iter_unpack(memoryview(trace)[begin:]):
        if word & 3 == 0:
            calls[word] = calls.get(word, 0) + 1
    method = max(sorted(calls), key=calls.get)
    line = next(line for line in trace[:begin].split(b'*methods\n')[1].split(b'\n') if int(line.split(b'\t')[0], 16) == method)
    out, late, cpu_late = bytearray(trace), 0, {}
    for i, (thread, word, cpu, wall) in enumerate(RECORD.iter_unpack(memoryview(trace)[begin:])):
        if word & ~3 == method and word & 3 == 1:
            late += SLOWER_US
            cpu_late[thread] = cpu_late.get(thread, 0) + SLOWER_US
        RECORD.pack_into(out, begin + i * RECORD.size, thread, word, cpu + cpu_late.get(thread, 0) & 0xffffffff,
                         wall + late & 0xffffffff)
    return bytes(out), b'.'.join(line.split(b'\t')[1:3]).replace(b'/', b'.').decode()
