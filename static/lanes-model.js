/* Lanes without a page: what the service's answer says, windows of time, the ruler, which rows there are. Times are ns. */
import { readCounters } from './lanes-counters.js';
import { readScreen } from './lanes-screen.js';

const LEAST_NS = 1000;     /* no window is shorter */
const NUMBERS = 7, LETTERS = 26, HUES = 8;

/* ---- the answer ---- */

/* The letters of a text of shares as 0 .. 51; what is missing at its end is 0. */
export function decodeShares(text, places) {
    const shares = new Uint8Array(places);
    let at = 0;
    for (let i = 0; i < text.length;) {
        const code = text.charCodeAt(i++), value = code >= 97 ? code - 97 + LETTERS : code - 65;
        let times = 0;
        for (; i < text.length && text.charCodeAt(i) < 58; i++)
            times = times * 10 + text.charCodeAt(i) - 48;
        const end = Math.min(at + (times || 1), places);
        if (value > 0)
            shares.fill(value, at, end);
        at = end;
    }
    return shares;
}

/* Two numbers for each run: the value, and how often it comes; what is missing at the end is 0. */
export function decodeRuns(list, places) {
    const values = new Uint32Array(places);
    for (let i = 0, at = 0; i < list.length; at += list[i + 1], i += 2)
        values.fill(list[i], at, at + list[i + 1]);
    return values;
}

const hueOf = text => (new TextEncoder().encode(text).reduce((h, byte) => Math.imul(h ^ byte, 0x01000193), 0x811c9dc5) >>> 0) % HUES;
/* The colour that the picture's classic palette gives a frame, one of eight, as the name of a colour here. */
export const hueName = frame => `y${frame.hue ??= hueOf(frame.text)}`;

/* Numbers of which -n stands for n zeros. */
export function decodeCounts(list, places) {
    const counts = new Float64Array(places);
    let at = 0;
    for (const n of list)
        if (n < 0)
            at -= n;
        else
            counts[at++] = n;
    return counts;
}

function readStack({ track, levels, spans, least_ns: least }, beginNs, frames) {
    const rows = Array.from({ length: levels }, () => []);
    for (let i = 0; i < spans.length; i += NUMBERS) {
        const [frame, depth, begin, length, self, calls, flags] = spans.slice(i, i + NUMBERS);
        rows[depth - 1].push({ track, frame: frame === 0 ? null : frames[frame - 1], depth, begin: beginNs + begin, length, self, calls, flags });
    }
    rows.forEach(row => row.sort((a, b) => a.begin - b.begin || a.length - b.length));
    return { track, rows, least };
}

/* com.android.systemui -> systemui, /system/bin/logd -> logd; other words as they are. */
const shortProcess = name => name.replace(/^\S*[./](?=[^\s./])/, '');

/* Behind the name of a thread, if it is of another process than the first one. */
const processWords = (name, process) => (process === '' || process === name ? '' : ` \u00b7 ${shortProcess(process)}`);

/* Of /lanes; null if it is of another version. */
export function readAnswer(json) {
    if (json.version !== 1)
        return null;
    const places = Math.ceil(json.width / json.step);
    const frames = json.frames.map(([text, origin, id]) => ({ text, origin, id }));
    const listed = list => list.map(([track, begin, length, depth, frame, flags]) =>
        ({ track, begin, length, depth, frame: frames[frame], flags, calls: 1 }));
    const lanes = new Map(json.lanes.map(lane => [lane.track, {
        track: lane.track, name: lane.name, process: lane.group ?? '', behind: processWords(lane.name, lane.group ?? ''), begin: lane.begin_ns, end: lane.end_ns,
        work: lane.samples === undefined ? durationWords(lane.work_ns) : `${lane.samples.toLocaleString('en')} samples`,
        ns: lane.ns, calls: lane.calls, beside: lane.beside,
        shares: lane.shares?.map(text => decodeShares(text, places)), counts: lane.counts && decodeCounts(lane.counts, places),
        marked: lane.marked, markShares: lane.mark_shares && decodeShares(lane.mark_shares, places),
        markCounts: lane.mark_counts && decodeCounts(lane.mark_counts, places),
        methods: lane.methods && decodeRuns(lane.methods, places),
    }]));
    const counters = readCounters(json);
    for (const counter of counters.values())
        counter.behind = processWords(counter.name, counter.process);
    return {
        frames, clock: json.clock, waits: json.waits, overflow: json.overflow, leftOut: json.left_out, places, width: json.width,
        whole: { from: json.whole_from_ns, to: json.whole_to_ns }, from: json.from_ns, to: json.to_ns,
        lanes, stacks: new Map(json.stacks.map(stack => [stack.track, readStack(stack, lanes.get(stack.track).begin, frames)])),
        messages: listed(json.messages), counters, screen: readScreen(json),
        mark: json.mark && { calls: json.mark.calls, first: listed(json.mark.first), last: listed(json.mark.last), longest: listed(json.mark.longest) },
    };
}

/* ---- windows of time ---- */

/* The window nearest to this one that is within the whole and not too short. */
export function within({ from, to }, whole) {
    const length = Math.min(Math.max(to - from, LEAST_NS), whole.to - whole.from);
    const at = Math.min(Math.max(from, whole.from), whole.to - length);
    return { from: Math.round(at), to: Math.round(at + length) };
}

/* Longer by a factor, with the time `at` in its place. */
export function zoomed({ from, to }, whole, factor, at) {
    const length = Math.min(Math.max((to - from) * factor, LEAST_NS), whole.to - whole.from);
    const share = (at - from) / (to - from);
    return within({ from: at - share * length, to: at + (1 - share) * length }, whole);
}

export const panned = ({ from, to }, whole, ns) => within({ from: from + ns, to: to + ns }, whole);

/* What to ask for so that small steps need no other answer: half a window more on both sides, on a grid, since equal questions
 * have one answer. */
export function asked({ from, to }, whole) {
    const length = to - from, grid = 2 ** Math.floor(Math.log2(Math.max(length / 4, 1)));
    const begin = Math.max(Math.floor((from - length / 2) / grid) * grid, whole.from);
    const end = Math.min(Math.ceil((to + length / 2) / grid) * grid, whole.to);
    return { from: begin, to: Math.max(end, begin + 1) };
}

/* Of answers {from, to, places} the one that shows the window best: all of it, with the finest places. */
export function bestOf(answers, { from, to }) {
    let best;
    for (const one of answers)
        if (one.from <= from && one.to >= to && (best === undefined || fineness(one) < fineness(best)))
            best = one;
    return best;
}

export const fineness = ({ from, to, places }) => (to - from) / places;

/* ---- the ruler ---- */

const UNITS = [[1e9, 's'], [1e6, 'ms'], [1e3, '\u00b5s'], [1, 'ns']];

/* Ticks at 1, 2 or 5 times a power of ten, no nearer than leastPx. */
export function ticks({ from, to }, px, leastPx = 90) {
    const least = Math.max((to - from) / px * leastPx, 1), power = 10 ** Math.floor(Math.log10(least));
    const step = [1, 2, 5, 10].map(n => n * power).find(n => n >= least) ?? 10 * power;
    const list = [];
    for (let at = Math.ceil(from / step) * step; at <= to && list.length <= px; at += step)
        list.push(at);
    return { step, list };
}

/* In the unit in which the step is no fraction of a thousandth: 1.25 s, 12.5 ms. */
export function timeWords(ns, stepNs) {
    const [factor, unit] = UNITS.find(([n]) => Math.max(Math.abs(ns), stepNs) >= n) ?? UNITS[3];
    const digits = Math.max(0, Math.min(9, Math.ceil(Math.log10(factor / stepNs))));
    return `${(ns / factor).toFixed(digits)} ${unit}`;
}

/* 1234567 -> "1.23 ms" */
export function durationWords(ns) {
    const [factor, unit] = UNITS.find(([n]) => ns >= n) ?? UNITS[3], value = ns / factor;
    return `${Number(value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2))} ${unit}`;
}

/* ---- rows ---- */

/* Pools: threads of one process whose names differ only in their numbers. */
const poolOf = ({ name, process = '' }) => [name.replace(/\d+/g, '#'), ...process === '' ? [] : [process]].join(' of ');

/* Lanes in the order of the answer, with pools of three or more behind one row and those that did nearly nothing behind
 * another. `state`: open (tracks with calls), unfolded (names of groups), pinned (tracks, on top), filter (text). */
export function rowsOf(lanes, { unfolded, pinned, filter }) {
    const words = filter.trim().toLowerCase().split(/\s+/);
    const meant = lanes.filter(({ name, track, process = '' }) => words.every(word => `${name} ${process} ${track}`.toLowerCase().includes(word)));
    if (filter.trim() !== '')
        return meant.map(lane => ({ lane }));
    const rows = lanes.filter(({ track }) => pinned.has(track)).map(lane => ({ lane, isPinned: true }));
    const rest = lanes.filter(({ track }) => !pinned.has(track));
    const most = Math.max(...lanes.map(({ work }) => work), 1), isIdle = ({ work, name }) => name !== 'main' && work < most / 1000;
    const pools = new Map(), idle = [];
    for (const lane of rest) {
        const pool = poolOf(lane);
        if (!isIdle(lane))
            pools.has(pool) ? pools.get(pool).push(lane) : pools.set(pool, [lane]);
    }
    const put = (key, label, list, { process, behind } = {}) => {
        rows.push({ group: key, label, process, behind, lanes: list, isUnfolded: unfolded.has(key) });
        if (unfolded.has(key))
            rows.push(...list.map(lane => ({ lane, isInner: true })));
    };
    const done = new Set();
    for (const lane of rest) {
        const pool = poolOf(lane), list = pools.get(pool);
        if (isIdle(lane))
            idle.push(lane);
        else if (list.length < 3)
            rows.push({ lane });
        else if (!done.has(pool)) {
            done.add(pool);
            put(`pool ${pool}`, `${poolOf({ name: lane.name })} (${list.length})`, list, lane);
        }
    }
    if (idle.length > 0)
        put('idle', `${idle.length} that did almost nothing`, idle);
    return rows;
}

/* The shares of several lanes as those of one: the mean. */
export function mergedShares(lanes, places) {
    const known = lanes.filter(({ shares }) => shares), sums = (known[0]?.shares ?? []).map(() => new Float64Array(places));
    for (const { shares } of known)
        for (let k = 0; k < sums.length; k++)
            for (let i = 0; i < places; i++)
                sums[k][i] += shares[k][i];
    return sums.map(sum => Uint8Array.from(sum, n => Math.ceil(n / Math.max(known.length, 1))));
}

/* Of several lanes the method of each place that is most of one of them; 1 + its place among the frames, or 0. */
export function mergedMethods(lanes, places) {
    const known = lanes.filter(({ methods }) => methods), works = ({ shares }, i) => shares[0][i] + shares[1][i] + shares[2][i] + (shares[4]?.[i] ?? 0);
    return Uint32Array.from({ length: places }, (_, i) => known.reduce((most, lane) => (most === null || works(lane, i) > works(most, i) ? lane : most), null)?.methods[i] ?? 0);
}

/* Where these lanes have records: [first place, the one behind the last]. */
export function recordedPlaces(lanes, { from, to, places }) {
    const perPlace = (to - from) / places, at = ns => Math.min(Math.max((ns - from) / perPlace, 0), places);
    return [Math.ceil(at(Math.min(...lanes.map(({ begin }) => begin)))), Math.floor(at(Math.max(...lanes.map(({ end }) => end))))];
}

/* Runs of places in which no call is open, though there are records before and behind them: lists of [first, end]. Shorter ones
 * than `least` are moments between two calls. */
export function pauses(shares, [first, end], least) {
    const list = [];
    for (let x = first, begin = first; x <= end; x++)
        if (x === end || shares.some(share => share[x] > 0)) {
            if (x - begin >= least)
                list.push([begin, x]);
            begin = x + 1;
        }
    return list;
}

/* ---- calls ---- */

/* In a row, sorted by begin: the last that begins at or before the time and goes on behind it. `slackNs` is a distance from
 * which a short one is still meant. */
export function callAt(row, ns, slackNs = 0) {
    let lo = 0, hi = row?.length ?? 0;
    while (lo < hi) {
        const middle = (lo + hi) >> 1;
        if (row[middle].begin <= ns)
            lo = middle + 1;
        else
            hi = middle;
    }
    const before = row?.[lo - 1], after = row?.[lo];
    if (before !== undefined && before.begin + before.length >= ns - slackNs)
        return before;
    return after !== undefined && after.begin <= ns + slackNs ? after : undefined;
}

const sameCall = (a, b) => a.begin === b.begin && a.length === b.length && a.frame === b.frame;

/* 'parent', 'child', 'next', 'previous' of a call in its stack; undefined: there is none. */
export function neighbour({ rows }, call, way) {
    const row = rows[call.depth - 1] ?? [], i = row.findIndex(one => sameCall(one, call));
    const end = call.begin + call.length;
    if (way === 'parent')
        return callAt(rows[call.depth - 2], call.begin + call.length / 2);
    if (way === 'child')
        return rows[call.depth]?.find(({ begin, length }) => begin >= call.begin && begin + length <= end);
    return row[i + (way === 'next' ? 1 : -1)];
}

const inOrder = (a, b) => a.begin - b.begin || a.depth - b.depth || a.track - b.track;

/* The one of the calls that is 'next' or 'previous' to the chosen one, which need not be one of them; without one (null) the first or
 * the last. Undefined: there is none. */
export function stepped(calls, chosen, way) {
    const sorted = [...calls].sort(inOrder);
    if (chosen === null)
        return sorted.at(way === 'next' ? 0 : -1);
    return way === 'next' ? sorted.find(one => inOrder(one, chosen) > 0) : sorted.findLast(one => inOrder(one, chosen) < 0);
}

/* What is said of long calls by which the system runs code on the main thread. */
export function messageWords(list) {
    const longest = list.reduce((a, b) => (b.length > a.length ? b : a)), name = longest.frame.text.split('.').slice(-2).join('.');
    return `${list.length === 1 ? 'a long call' : `${list.length} long calls, the longest`} of ${name}, ${durationWords(longest.length)}`;
}

/* What is said of a call. */
export function callWords({ frame, calls, length, self, begin, flags, depth }, thread) {
    const name = frame === null ? `${calls.toLocaleString('en')} short calls` : frame.text;
    return [name, `${durationWords(length)} from ${durationWords(begin)}`, ...self === undefined ? [] : [`${durationWords(self)} ${frame === null ? 'in them' : 'of its own'}`],
        `depth ${depth}, ${thread}`, ...flags & 1 ? ['began before the recording'] : [], ...flags & 2 ? ['unfinished'] : []].join(' \u00b7 ');
}
