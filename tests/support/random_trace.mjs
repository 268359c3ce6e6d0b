/* Method traces that nobody would record: few methods in all orders, recursion, overloads, times that are zero, a CPU
 * clock that runs ahead of the wall clock. The bytes are those of version 3 with both clocks. */
import { random } from './flame_data.mjs';

const METHODS = [['com/example/app/Main', 'run', '()V'], ['com/example/app/Main', 'run', '(I)V'], ['com/example/app/Main', '<init>', '()V'],
                 ['android/os/Looper', 'loop', '()V'], ['kotlin/sequences/Sequence', 'map', '([[Ljava/lang/String;J)Z'],
                 ['java/lang/Object', 'wait', '()V'], ['Bare', 'née', ''], ['okhttp3/Call$Real', 'a<b> & "c"', '()V']];
const HEADER_BYTES = 32, RECORD_BYTES = 14, ENTER = 0, EXIT = 1;

function textOf(threads) {
    return ['*version', '3', 'data-file-overflow=false', 'clock=dual', 'elapsed-time-usec=1', 'clock-call-overhead-nsec=1', 'vm=art', 'pid=1',
            '*threads', ...threads.map(id => `${id}\tworker <${id}>`), '*methods',
            ...METHODS.map((method, i) => `0x${(i * 4).toString(16)}\t${method.join('\t')}\tA.java`), '*end', ''].join('\n');
}

/* [thread, method, action, cpu, wall], in the order of time. */
function recordsOf(next, threads, count) {
    const made = [], below = n => Math.floor(next() * n), stacks = threads.map(() => []), cpu = threads.map(() => 0), bias = below(5);
    let wall = 0;
    for (let i = 0; i < count; i++) {
        const t = below(threads.length), stack = stacks[t];
        const isEntered = stack.length === 0 || (stack.length < 40 && below(10) > bias);
        wall += below(3) * below(2000);
        cpu[t] += below(3) * below(900);
        const method = isEntered ? below(METHODS.length) : stack.pop();
        if (isEntered)
            stack.push(method);
        made.push([threads[t], method, isEntered ? ENTER : EXIT, cpu[t], wall]);
    }
    return made;
}

/* The same bytes for the same seed; threads are called 1, 2, .. */
export function randomTrace(seed, { threads: n = 2, records: count = 400 } = {}) {
    const next = random(seed), threads = Array.from({ length: n }, (_, i) => i + 1), records = recordsOf(next, threads, count);
    const header = Buffer.alloc(HEADER_BYTES), body = Buffer.alloc(records.length * RECORD_BYTES);
    header.write('SLOW', 0, 'latin1');
    header.writeUInt16LE(3, 4);
    header.writeUInt16LE(HEADER_BYTES, 6);
    header.writeUInt16LE(RECORD_BYTES, 16);
    records.forEach(([thread, method, action, cpu, wall], i) => {
        body.writeUInt16LE(thread, i * RECORD_BYTES);
        body.writeUInt32LE(method * 4 | action, i * RECORD_BYTES + 2);
        body.writeUInt32LE(cpu, i * RECORD_BYTES + 6);
        body.writeUInt32LE(wall, i * RECORD_BYTES + 10);
    });
    return Buffer.concat([Buffer.from(textOf(threads)), header, body]);
}
