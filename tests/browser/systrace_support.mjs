/* A small system trace, by the producers' rules (protos/perfetto/trace): what tests of counters and frames show. */
import { message, number, text } from './heap_support.mjs';

const APP = 42, MS = 1_000_000;

const event = (ms, field, ...body) => message(2, number(1, ms * MS), number(2, APP), message(field, ...body));
const print = (ms, words) => event(ms, 3, text(2, words));
const packet = (...parts) => message(1, ...parts);

/* 100 ms of an app: its main thread in sections, and what `events` has beside them. */
export function systemTrace(events = [], packets = []) {
    const people = message(2, message(1, number(1, APP), text(3, 'com.example.app'), number(5, 10_001)), message(1, number(1, 7), text(3, 'system_server'), number(5, 1000)));
    const sections = [print(0, 'B|42|bindApplication'), print(20, 'E|42'), print(20, 'B|42|inflate'), print(60, 'E|42'), print(60, 'B|42|later'), print(100, 'E|42')];
    return Buffer.concat([packet(people), packet(message(1, number(1, 0), ...sections, ...events)), ...packets]);
}

/* A section of main's from track events, with what the file says of it beside its name. */
export const annotated = (from, to) => {
    const at = (ms, ...fields) => packet(number(8, ms * MS), number(10, 1), number(13, 2), message(11, number(11, 7), ...fields));
    return [packet(number(10, 1), number(13, 1), message(60, number(1, 7), message(4, number(1, APP), number(2, APP)))),
            at(from, number(9, 1), text(23, 'request'), message(4, text(10, 'url'), text(6, 'https://example.com')), message(4, text(10, 'size'), number(3, 4711))), at(to, number(9, 2))];
};

const count = (ms, pid, name, value) => print(ms, `C|${pid}|${name}|${value}`);

/* Counters of the app, of a processor and of another process. */
export const counters = () => [count(10, APP, 'items', 3), count(50, APP, 'items', 12_345), count(10, APP, 'Heap size (KB)', 2048), count(70, APP, 'Heap size (KB)', 3072),
                               count(30, APP, 'queue', 1), count(20, 7, 'locks', 5), event(10, 11, number(1, 300_000), number(2, 0)), event(80, 11, number(1, 1_800_000), number(2, 0))];

const frameEvent = (ms, field, ...body) => packet(number(8, ms * MS), message(76, message(field, ...body)));

/* A frame of the app, its number, from one time to another in ms, when it should have ended, and what made it late (1: it was not). */
function frame(of, from, to, due, jank) {
    return [frameEvent(from, 3, number(1, 10 * of), number(2, of), number(4, APP)), frameEvent(due, 5, number(1, 10 * of)),
            frameEvent(from, 4, number(1, 10 * of + 1), number(2, of), number(4, APP), number(9, jank)), frameEvent(to, 5, number(1, 10 * of + 1))];
}

/* Three, of which the second one is late since the app was, and overlaps the third, which SurfaceFlinger began too late. */
export const frames = () => [...frame(7, 10, 20, 26, 1), ...frame(8, 30, 60, 46, 0x40), ...frame(9, 50, 70, 66, 2)];
