/* A Perfetto trace with a heap profile, by the producer's rules (profile_packet.proto): what tests of heaps show. */

const varint = n => {
    const bytes = [];
    for (let rest = BigInt(n); ; rest >>= 7n) {
        const last = rest < 128n;
        bytes.push(Number(rest & 127n) | (last ? 0 : 128));
        if (last)
            return Buffer.from(bytes);
    }
};
export const number = (field, n) => Buffer.concat([varint(field << 3), varint(n)]);
export const text = (field, value) => message(field, Buffer.from(value));
export const message = (field, ...parts) => {
    const body = Buffer.concat(parts);
    return Buffer.concat([varint(field << 3 | 2), varint(body.length), body]);
};

export const HEAP_STACKS = [['main', 'grows'], ['main', 'shrinks'], ['ERROR MEMORY_INVALID', 'lost [DEDUPED]']];
/* Bytes of each stack at each dump: what was allocated, and what of it was freed. */
const ALLOCATED = [[100_000, 200_000, 300_000, 400_000], [200_000, 200_000, 200_000, 200_000], [8_192, 8_192, 8_192, 8_192]];
const FREED = [[0, 0, 0, 0], [0, 50_000, 100_000, 150_000], [0, 0, 0, 0]];
const SECOND_NS = 1_000_000_000;

/* `heaps` of one process, each with the same numbers; `dumps` of each: at most 4. An empty one was recorded by another session. */
export function heapTrace({ heaps = ['libc.malloc'], dumps = 4, isEmpty = false } = {}) {
    const names = [...new Set(HEAP_STACKS.flat())], idOf = name => names.indexOf(name) + 1;
    const packet = (flags, ...parts) => message(1, number(10, 1), number(13, flags), ...parts);
    const interned = message(12, message(17, number(1, 1), text(2, 'lib')), message(17, number(1, 2), text(2, 'libapp.so')),
        message(19, number(1, 1), number(7, 1), number(7, 2)),
        ...names.map(name => message(5, number(1, idOf(name)), text(2, name))),
        ...names.map(name => message(6, number(1, idOf(name)), number(2, idOf(name)), number(3, 1), number(4, 16 * idOf(name)))),
        ...HEAP_STACKS.map((stack, i) => message(7, number(1, i + 1), ...stack.map(name => number(2, idOf(name))))));
    const samples = dump => HEAP_STACKS.map((_, i) => message(2, number(1, i + 1), number(2, ALLOCATED[i][dump]), number(3, FREED[i][dump]),
        number(5, Math.ceil(ALLOCATED[i][dump] / 4096)), number(6, Math.ceil(FREED[i][dump] / 4096))));
    const dumpOf = (heap, dump) => message(5, number(1, 71), ...isEmpty ? [number(4, 1)] : samples(dump), number(3, 1), number(9, (dump + 1) * SECOND_NS),
                                           text(11, heap), number(12, 4096));
    return Buffer.concat([packet(1, interned, message(2, message(1, number(1, 71), text(3, 'com.example.app')))),
        ...Array.from({ length: dumps }, (_, dump) => packet(2, message(37, ...heaps.map(heap => dumpOf(heap, dump)), number(7, dump))))]);
}
