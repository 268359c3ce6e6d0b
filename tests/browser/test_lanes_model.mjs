/* The pure parts of lanes: no browser. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { asked, bestOf, callAt, decodeCounts, decodeRuns, decodeShares, durationWords, mergedMethods, mergedShares, messageWords, neighbour, panned, pauses, readAnswer, recordedPlaces, rowsOf, stepped, ticks, timeWords, within, zoomed }
    from '../../static/lanes-model.js';
import { counterRows, rangeWithin, rangeWords, readCounters, stepAt, valueWords } from '../../static/lanes-counters.js';
import { frameAt, frameWords, nextLate, readScreen } from '../../static/lanes-screen.js';
import { Time } from '../../static/lanes-time.js';
import { lanesOf, lanesPart, withLanes } from '../../static/lanes-link.js';
import { laneStore } from '../../static/lanes-store.js';

const WHOLE = { from: 1000, to: 10_001_000 };

test('shares and counts are read as they are written', () => {
    assert.deepEqual([...decodeShares('A2Bz3a', 9)], [0, 0, 1, 51, 51, 51, 26, 0, 0]);
    assert.deepEqual([...decodeShares('', 2)], [0, 0]);
    assert.deepEqual([...decodeShares('z99', 3)], [51, 51, 51]);
    assert.deepEqual([...decodeCounts([-2, 5, 0, 7], 6)], [0, 0, 5, 0, 7, 0]);
});

test('windows stay within the recording, and no shorter than a microsecond', () => {
    assert.deepEqual(within({ from: -50, to: 1_000_000 }, WHOLE), { from: 1000, to: 1_001_050 });
    assert.deepEqual(within({ from: 0, to: 1e12 }, WHOLE), WHOLE);
    assert.deepEqual(within({ from: 5000, to: 5001 }, WHOLE), { from: 5000, to: 6000 });
    assert.deepEqual(panned({ from: 2000, to: 4000 }, WHOLE, 1e12), { from: 9_999_000, to: 10_001_000 });
    const half = zoomed(WHOLE, WHOLE, 0.5, 2_501_000);
    assert.equal((2_501_000 - half.from) / (half.to - half.from), 0.25);     /* what was under the pointer stays there */
    let window = WHOLE;
    for (let i = 0; i < 100; i++)
        window = zoomed(window, WHOLE, 0.5, 5_000_000);
    assert.equal(window.to - window.from, 1000);
});

test('what is asked for reaches beyond the window, and small steps ask for the same', () => {
    const all = asked({ from: 5_000_000, to: 5_100_000 }, WHOLE);
    assert.ok(all.from <= 4_950_000 && all.to >= 5_150_000 && all.to - all.from < 300_000);
    assert.deepEqual(asked({ from: 5_000_100, to: 5_100_100 }, WHOLE), all);
    assert.deepEqual(asked(WHOLE, WHOLE), WHOLE);
});

test('the best answer has all of the window, and the finest places', () => {
    const coarse = { from: 0, to: 1000, places: 10 }, fine = { from: 200, to: 400, places: 100 };
    assert.equal(bestOf([coarse, fine], { from: 250, to: 300 }), fine);
    assert.equal(bestOf([coarse, fine], { from: 250, to: 500 }), coarse);
    assert.equal(bestOf([fine], { from: 250, to: 500 }), undefined);
});

test('the ruler has round steps and sensible units', () => {
    assert.deepEqual(ticks({ from: 0, to: 1e9 }, 1000), { step: 1e8, list: Array.from({ length: 11 }, (_, i) => i * 1e8) });
    assert.equal(ticks({ from: 0, to: 6.22e9 }, 1100).step, 1e9);
    assert.equal(timeWords(1.25e9, 5e7), '1.25 s');
    assert.equal(timeWords(12_500_000, 500_000), '12.5 ms');
    assert.equal(timeWords(12_500, 500), '12.5 \u00b5s');
    assert.equal(timeWords(0, 1e9), '0 s');
    assert.equal(durationWords(1_234_567), '1.23 ms');
    assert.equal(durationWords(999), '999 ns');
    for (const length of [1000, 12_345, 1e6, 3e9]) {
        const { list } = ticks({ from: 777, to: 777 + length }, 1600);
        assert.ok(list.length >= 2 && list.length <= 18, String(list.length));
    }
});

const lane = (track, name, work) => ({ track, name, work });
const LANES = [lane(1, 'main', 1e9), lane(2, 'pool-1-thread-1', 5e8), lane(3, 'pool-1-thread-2', 4e8), lane(4, 'io', 3e8), lane(5, 'pool-2-thread-1', 2e8), lane(6, 'a', 10), lane(7, 'b', 0)];
const state = (more = {}) => ({ unfolded: new Set(), pinned: new Set(), filter: '', ...more });
const words = rows => rows.map(({ lane: one, label }) => one?.name ?? label);

test('pools and idle threads stand behind one row each', () => {
    assert.deepEqual(words(rowsOf(LANES, state())), ['main', 'pool-#-thread-# (3)', 'io', '2 that did almost nothing']);
    assert.deepEqual(words(rowsOf(LANES, state({ unfolded: new Set(['idle']) }))).slice(-3), ['2 that did almost nothing', 'a', 'b']);
    assert.deepEqual(words(rowsOf(LANES, state({ pinned: new Set([4]) }))), ['io', 'main', 'pool-#-thread-# (3)', '2 that did almost nothing']);
    assert.deepEqual(words(rowsOf(LANES, state({ filter: 'THREAD-1 pool' }))), ['pool-1-thread-1', 'pool-2-thread-1']);
    assert.deepEqual(words(rowsOf(LANES, state({ filter: '7' }))), ['b']);
    assert.deepEqual(rowsOf([], state()), []);
});

const JSON_ = {
    version: 1, clock: 'wall', waits: true, whole_from_ns: 0, whole_to_ns: 1000, from_ns: 0, to_ns: 1000, overflow: false, left_out: 0, width: 4, step: 1,
    lanes: [{ track: 1, name: 'main', begin_ns: 100, end_ns: 900, work_ns: 800, ns: [1, 2, 3, 4], calls: 4, shares: ['z', '', 'A2z', ''], counts: [3, -2, 1] }],
    stacks: [{ track: 1, levels: 2, calls: 4, deep: 0, least_ns: 1, spans: [2, 2, 0, 100, 100, 1, 0, 0, 2, 150, 50, 30, 2, 0, 1, 1, 0, 800, 650, 1, 2] }],
    messages: [], frames: [['a.A.outer', 0, 'aaaaaaaaaaaa'], ['a.A.inner', 3, 'bbbbbbbbbbbb']],
};

test('threads of other processes are told apart, found by them, and in pools of their own', () => {
    const lanes = [['main'], ['RenderThread'], ['RenderThread', 'com.android.systemui'], ['logd', 'logd'], ['writer', '/system/bin/logd'], ['io', 'Some App 1.2 (7)'], ['gc', 'com.a.ui. (8)'],
                   ...[1, 2, 3].map(i => [`Binder:${i}`]), ...[4, 5, 6].map(i => [`Binder:${i}`, 'com.android.systemui'])]
        .map(([name, group], i) => ({ ...JSON_.lanes[0], track: i + 1, name, group }));
    const all = [...readAnswer({ ...JSON_, lanes }).lanes.values()];
    assert.deepEqual(all.slice(0, 7).map(({ behind }) => behind), ['', '', ' \u00b7 systemui', '', ' \u00b7 logd', ' \u00b7 Some App 1.2 (7)', ' \u00b7 ui. (8)']);
    assert.deepEqual(rowsOf(all, state()).slice(7).map(({ label, behind, lanes: list }) => [label, behind, list.length]),
                     [['Binder:# (3)', '', 3], ['Binder:# (3)', ' \u00b7 systemui', 3]]);
    assert.equal(new Set(rowsOf(all, state()).slice(7).map(({ group }) => group)).size, 2);
    assert.deepEqual(rowsOf(all, state({ filter: 'SystemUI render' })).map(({ lane }) => lane.track), [3]);
});

test('an answer becomes lanes and stacks of calls', () => {
    const answer = readAnswer(JSON_), { rows } = answer.stacks.get(1), [outer] = rows[0], [inner, run] = rows[1];
    assert.deepEqual([outer.frame.text, outer.begin, outer.length, outer.flags], ['a.A.outer', 100, 800, 2]);
    assert.deepEqual([run.frame, run.calls, run.begin], [null, 2, 250]);
    assert.equal(callAt(rows[1], 120), inner);
    assert.equal(callAt(rows[1], 225), undefined);
    assert.equal(callAt(rows[1], 240, 20), run);
    const stack = answer.stacks.get(1);
    assert.equal(neighbour(stack, inner, 'next'), run);
    assert.equal(neighbour(stack, run, 'previous'), inner);
    assert.equal(neighbour(stack, run, 'next'), undefined);
    assert.equal(neighbour(stack, inner, 'parent'), outer);
    assert.equal(neighbour(stack, outer, 'child'), inner);
    assert.equal(neighbour(stack, outer, 'parent'), undefined);
    assert.equal(readAnswer({ ...JSON_, version: 2 }), null);
});

const RESTED_MS = 300;     /* behind which a window has come to rest */

test('the store asks for what is seen, once it rests for what is beside it, and again only for what is finer', async () => {
    const urls = [];
    globalThis.fetch = async url => {
        urls.push(String(url));
        const { searchParams: query } = new URL(url), from = Number(query.get('from') ?? 0) * 1000, to = Number(query.get('to') ?? 1000) * 1000;
        return { ok: true, json: async () => ({ ...JSON_, whole_to_ns: 1e6, from_ns: from, to_ns: to, width: Number(query.get('width')) }) };
    };
    const store = laneStore('http://x/lanes.json', () => {}), settle = (ms = 5) => new Promise(resolve => setTimeout(resolve, ms));
    const want = { window: { from: 0, to: 1e6 }, px: 1000, stacks: [], mark: '' };
    store.want(want);
    store.want(want);
    await settle();
    assert.deepEqual(urls, ['http://x/lanes.json?width=1000']);
    store.want({ ...want, window: { from: 400_000, to: 500_000 } });
    await settle();
    assert.deepEqual(urls.slice(1), ['http://x/lanes.json?from=400&to=500&width=1000']);
    await settle(RESTED_MS);
    assert.equal(urls.length, 3);
    const { from, to, width } = store.best({ from: 390_000, to: 490_000 });
    assert.ok(from <= 350_000 && to >= 550_000 && to - from < 300_000 && (to - from) / width <= 100, 'what is beside it, as fine');
    store.want({ ...want, window: { from: 401_000, to: 501_000 } });
    await settle(RESTED_MS);
    assert.equal(urls.length, 3);
    store.want({ ...want, window: { from: 600_000, to: 700_000 } });     /* who moves along gets what comes next, too */
    await settle();
    assert.match(urls[3], /from=5\d\d[.\d]*&to=7\d\d/);
    store.want({ ...want, window: { from: 900_000, to: 910_000 }, stacks: [1] });
    await settle();
    assert.match(urls.at(-1), /from=900&to=910&.*stacks=1/);
    store.end();
});

test('what was asked for beside a window gives way to what is seen', async () => {
    const asking = new Map();
    globalThis.fetch = (url, { signal }) => new Promise((resolve, reject) => {
        const query = url.searchParams, [from, to] = ['from', 'to'].map((key, i) => (query.has(key) ? Number(query.get(key)) * 1000 : i * 1e9));
        asking.set(url.search, { signal, answer: () => resolve({ ok: true, json: async () => ({ ...JSON_, whole_to_ns: 1e9, from_ns: from, to_ns: to, width: Number(query.get('width')) }) }) });
        signal.addEventListener('abort', () => reject(signal.reason));
    });
    const store = laneStore('http://x/lanes.json', () => {}), settle = (ms = 5) => new Promise(resolve => setTimeout(resolve, ms));
    const want = { px: 1000, stacks: [], mark: '' }, last = () => [...asking.values()].at(-1), seen = async (from, to) => {
        store.want({ ...want, window: { from, to } });
        await settle();
    };
    await seen(0, 1e9);
    last().answer();
    await settle();
    await seen(4e8, 5e8);
    await settle(RESTED_MS);
    assert.equal(asking.size, 2, 'nothing beside a window that is not here yet');
    last().answer();
    await settle();
    assert.equal(asking.size, 3);
    const beside = last();
    await seen(4.01e8, 5.01e8);
    assert.equal(beside.signal.aborted, false, 'it has all of this one');
    await seen(4.1e8, 4.6e8);
    assert.equal(beside.signal.aborted, true, 'it is too coarse for this one');
    store.end();
});

test('of many threads the service gives fewer places, and is not asked for them again when the picture becomes narrower', async () => {
    const urls = [];
    globalThis.fetch = async url => {
        urls.push(String(url));
        const { searchParams: query } = new URL(url), from = Number(query.get('from') ?? 0) * 1000, to = Number(query.get('to') ?? 1e6) * 1000;
        return { ok: true, json: async () => ({ ...JSON_, whole_to_ns: 1e9, from_ns: from, to_ns: to, width: Number(query.get('width')), step: 4, lanes: [], stacks: [] }) };
    };
    const store = laneStore('http://x/lanes.json', () => {}), settle = () => new Promise(resolve => setTimeout(resolve, 5));
    const want = { window: { from: 0, to: 1 }, px: 1000, stacks: [], mark: '' };     /* as long as the whole is not known */
    store.want(want);
    await settle();
    store.want({ ...want, window: { from: 0, to: 1e9 }, px: 960 });
    await settle();
    assert.deepEqual(urls, ['http://x/lanes.json?width=1000']);
    assert.equal(store.isFine, true);
    store.want({ ...want, window: { from: 0, to: 5e8 }, px: 960 });
    await settle();
    assert.equal(urls.length, 2, 'a part of it has finer places');
});

test('what nobody waits for any more is not asked to its end, and what failed is not asked again', async () => {
    const asking = new Map(), problems = [];
    globalThis.fetch = (url, { signal }) => new Promise((resolve, reject) => {
        asking.set(url.href, answer => resolve({ ok: true, json: async () => answer }));
        signal.addEventListener('abort', () => reject(signal.reason));
        if (url.href.includes('mark=bad'))
            reject(new Error('no way'));
    });
    const store = laneStore('http://x/lanes.json', error => error && problems.push(error.message)), settle = () => new Promise(resolve => setTimeout(resolve, 5));
    const want = { window: { from: 0, to: 1e9 }, px: 1000, stacks: [], mark: '' };
    store.want(want);
    asking.get('http://x/lanes.json?width=1000')({ version: 1, width: 1000, step: 1, whole_from_ns: 0, whole_to_ns: 1e9, from_ns: 0, to_ns: 1e9, frames: [], lanes: [], stacks: [], messages: [] });
    await settle();
    asking.clear();
    const at = ms => store.want({ ...want, window: { from: ms * 1e6, to: (ms + 10) * 1e6 } });
    [100, 102, 104, 300, 500, 700].forEach(at);     /* of those near each other two are asked at a time; what lies elsewhere ends them */
    await settle();
    assert.equal(asking.size, 5, [...asking.keys()].join('\n'));
    assert.match([...asking.keys()].at(-1), /from=69/);
    assert.deepEqual(problems, []);
    for (let i = 0; i < 3; i++) {
        store.want({ ...want, mark: 'bad' });
        await settle();
    }
    assert.deepEqual(problems, ['no way']);
    assert.equal(asking.size, 6);
});

test('the part of a link that is of lanes', () => {
    const none = { window: WHOLE, whole: WHOLE, open: new Set(), pinned: new Set(), unfolded: new Set() };
    const some = { ...none, window: { from: 1500, to: 2_000_000 }, open: new Set([7, 3]), pinned: new Set([1]), unfolded: new Set(['pool a #', 'idle']) };
    assert.equal(withLanes('', none), '');
    const hash = withLanes('#zoom=abcde&lanes=1-2&search=x', some);
    assert.equal(hash, '#zoom=abcde&search=x&lanes=1.5-2000&lanes-open=7-3&lanes-pinned=1&lanes-group=pool+a+%23&lanes-group=idle');
    const { window, open, pinned, unfolded } = lanesOf(hash);
    assert.deepEqual({ window, open, pinned, unfolded, whole: WHOLE }, some);
    assert.equal(withLanes(hash, none), '#zoom=abcde&search=x');
    assert.equal(lanesPart(hash), lanesPart('#' + hash.slice(hash.indexOf('lanes='))));
    for (const bad of ['#lanes=', '#lanes=2-1', '#lanes=1-1', '#lanes=a-b', '#lanes=1e3-2e3'])
        assert.equal(lanesOf(bad).window, null, bad);
    assert.deepEqual([...lanesOf('#lanes-open=x-1--2-%00').open], [1, 2]);
});

test('a group of lanes has the kinds of time that its lanes have', () => {
    const lane = (...texts) => ({ shares: texts.map(text => decodeShares(text, 2)) });
    assert.deepEqual(mergedShares([lane('z', '', '', ''), lane('', '', 'Az', '')], 2).map(share => [...share]), [[26, 0], [0, 0], [0, 26], [0, 0]]);
    assert.deepEqual(mergedShares([lane('', '', '', '', 'z2'), {}], 2).map(share => [...share]), [[0, 0], [0, 0], [0, 0], [0, 0], [51, 51]]);
});

test('a group of lanes has in each place the method of the lane that works most', () => {
    assert.deepEqual([...decodeRuns([3, 2, 0, 1, 7, 1], 6)], [3, 3, 0, 7, 0, 0]);
    const lane = (texts, runs) => ({ shares: texts.map(text => decodeShares(text, 3)), methods: decodeRuns(runs, 3) });
    const lanes = [lane(['zAA', 'A', 'A', 'z3'], [1, 3]), lane(['AzA', 'A', 'A', 'A'], [2, 2]), {}];
    assert.deepEqual([...mergedMethods(lanes, 3)], [1, 2, 1]);
});

test('pauses are places with no open call, between the first record of a thread and its last', () => {
    const answer = { from: 0, to: 1000, places: 10 }, lanes = [{ begin: 150, end: 420 }, { begin: 300, end: 990 }];
    assert.deepEqual(recordedPlaces(lanes, answer), [2, 9]);
    assert.deepEqual(recordedPlaces([{ begin: 2000, end: 3000 }], answer), [10, 10]);
    const shares = ['AAzAAABAAA', 'AAAAAAAAAA', 'AAAAAAAAAA', 'AAAzAAAAAA'].map(text => decodeShares(text, 10));
    assert.deepEqual(pauses(shares, [2, 9], 1), [[4, 6], [7, 9]]);
    assert.deepEqual(pauses(shares, [2, 10], 3), [[7, 10]]);
    assert.deepEqual(pauses(shares, [10, 10], 1), []);
});

test('long calls in words', () => {
    const call = (text, length) => ({ frame: { text }, length });
    assert.equal(messageWords([call('android.os.Handler.dispatchMessage', 20e6)]), 'a long call of Handler.dispatchMessage, 20 ms');
    assert.equal(messageWords([call('a.b.C.d', 2e6), call('a.b.E.f', 3e9), call('a.b.C.d', 1e6)]), '3 long calls, the longest of E.f, 3 s');
});

const callsAt = (...begins) => begins.map((begin, i) => ({ track: 1, begin, length: 1, depth: i + 1, frame: { text: 'a.b', id: 'x' } }));

test('calls are stepped through in order, from one that is none of them, too', () => {
    const [first, nested, last] = callsAt(10, 10, 30), all = [last, nested, first];
    assert.deepEqual(['next', 'previous'].map(way => stepped(all, null, way)), [first, last]);
    assert.deepEqual([first, nested, last].map(one => stepped(all, one, 'next')), [nested, last, undefined], 'also two that begin at once');
    assert.deepEqual([first, nested, last].map(one => stepped(all, one, 'previous')), [undefined, first, nested]);
    assert.deepEqual(['next', 'previous'].map(way => stepped(all, { track: 1, begin: 20, depth: 1 }, way)), [last, nested]);
    assert.deepEqual(['next', 'previous'].map(way => stepped([], null, way)), [undefined, undefined]);
});

test('each step begins where the one before it has led; what cannot be had is told, and asked again', async () => {
    const listed = calls => calls.map(({ track, begin, length, depth }) => [track, begin, length, depth, 0, 0]), list = callsAt(10, 20, 30);
    const mark = { calls: 3, first: listed(list), last: listed(list), longest: listed(list.slice(2)) };
    const answer = { version: 1, width: 10, step: 1, frames: [['a.b', 0, 'x']], lanes: [], stacks: [], messages: [], mark }, ok = { ok: true, json: async () => answer };
    const time = new Time('http://x/lanes.json');
    time.window = { from: 0, to: 100 };
    globalThis.fetch = async () => ({ ok: false, status: 503 });
    time.markMethod('x', 'a.b');
    await time.mark.asked;
    assert.equal(time.mark.isLost, true);
    globalThis.fetch = async () => ok;
    time.markMethod('x', 'a.b');
    await Promise.all([time.step('next'), time.step('next')]);
    assert.equal(time.selected.begin, 20);
    await Promise.all([time.step('longest'), time.step('previous')]);
    assert.equal(time.selected.begin, 20);
    /* Of more calls than are listed the service is asked. Where it does not answer nothing else is chosen, nor behind another mark. */
    time.mark.lists.calls = 1000;
    globalThis.fetch = async () => { throw new Error('broken'); };
    await time.step('next');
    assert.equal(time.selected.begin, 20);
    let go;
    const goes = new Promise(resolve => { go = resolve; });
    globalThis.fetch = async () => { await goes; return ok; };    /* stores of other tests may still ask */
    const step = time.step('next');
    await new Promise(resolve => setTimeout(resolve));
    time.markMethod('', '');
    go();
    await step;
    assert.equal(time.selected.begin, 20);
});

test('a store that is not needed any more asks for nothing more', async () => {
    let signal;
    globalThis.fetch = (url, asked) => new Promise((resolve, reject) => {
        if (url.host === 'ended')     /* stores of other tests may still ask */
            ({ signal } = asked);
        asked.signal.addEventListener('abort', () => reject(asked.signal.reason));
    });
    const store = laneStore('http://ended/lanes.json', () => assert.fail('nobody listens'));
    store.want({ window: { from: 0, to: 1e6 }, px: 1000, stacks: [], mark: '' });
    store.end();
    await new Promise(resolve => setTimeout(resolve));
    assert.equal(signal.aborted, true);
});

/* ---- counters ---- */

const counted = (name, kind = 'other', group = undefined) => ({ name, kind, group, decimals: 0, least: 0, most: 9, steps: [] });

test('a counter holds from one reading to the next; of a place its least, its most and its last value are known', () => {
    const [load] = readCounters({ width: 100, counter_step: 2, counters: [{ name: 'load', kind: 'app', unit: 'jobs', decimals: 3, least: -500, most: 2000, steps: [3, 1000, 1000, 1000, 7, -500, 2000, 500] }] }).values();
    assert.equal(load.places, 50);
    assert.equal(stepAt(load, 2), undefined);
    assert.equal(stepAt(load, 6).last, 1000);
    assert.equal(stepAt(load, 49).last, 500);
    assert.deepEqual(rangeWithin(load, 4, 7), { least: 1000, most: 1000 });
    assert.deepEqual(rangeWithin(load, 0, 8), { least: -500, most: 2000 });
    assert.equal(rangeWithin(load, 0, 3), undefined);
    assert.equal(valueWords(-500, load), '-0.5 jobs');
});

test('values of counters in words', () => {
    const heap = { unit: 'bytes', decimals: 0 }, cpu = { unit: 'MHz', decimals: 3 }, items = { unit: '', decimals: 0 };
    assert.deepEqual([valueWords(3 << 20, heap), valueWords(-1536, heap)], ['3 MiB', '-1.5 KiB']);
    assert.deepEqual([valueWords(1_803_000, cpu), valueWords(300_000, cpu), valueWords(12_345, items)], ['1.803 GHz', '300 MHz', '12,345']);
    assert.equal(rangeWords(2 << 20, 3 << 20, heap), '2 to 3 MiB');
    assert.equal(rangeWords(300_000, 1_803_000, cpu), '300 MHz to 1.803 GHz');
    assert.equal(rangeWords(7, 7, items), '7');
    assert.equal(rangeWords(1, 7, items), '1 to 7');
});

test('two of the app are seen, the others stand behind one row; a filter finds all', () => {
    const counters = [...readCounters({ width: 10, counters: [counted('a', 'app'), counted('b', 'app'), counted('heap', 'memory'), counted('CPU 0', 'frequency'), counted('heap', 'other', 'system_server')] }).values()];
    const names = state => counterRows(counters, { unfolded: new Set(), filter: '', ...state }).map(({ counter, label }) => label ?? counter.name);
    assert.deepEqual(names({}), ['a', 'b', '3 more counters']);
    assert.deepEqual(names({ unfolded: new Set(['counters']) }), ['a', 'b', '3 more counters', 'heap', 'CPU 0', 'heap']);
    assert.deepEqual(names({ filter: 'Heap' }), ['heap', 'heap']);
    assert.deepEqual(names({ filter: 'server' }), ['heap']);
    assert.deepEqual(counterRows(counters.slice(0, 3), { unfolded: new Set(), filter: '' }).map(({ counter }) => counter.name), ['a', 'b', 'heap']);
    assert.deepEqual(counterRows([], { unfolded: new Set(), filter: '' }), []);
});

/* ---- frames ---- */

test('frames on the screen: overlapping ones have two levels, late ones a cause', () => {
    const screen = readScreen({ screen: { frames: 9, late: 3, list: [[100, 50, 60, 1, 0, 0, 7], [130, 100, 60, 1, 1, 64, 8], [400, 30, 0, 4, 2, 2, 9]], phases: [['bindApplication', 280, 60]] } });
    assert.deepEqual(screen.list.map(({ level, isOfApp }) => [level, isOfApp]), [[0, false], [1, true], [0, false]]);
    assert.equal(frameAt(screen, 140, 0).number, 7);
    assert.equal(frameAt(screen, 140, 1).number, 8);
    assert.equal(frameAt(screen, 200, 0).number, 8);     /* there is none on that level */
    assert.equal(frameAt(screen, 300, 0).name, 'bindApplication');
    assert.equal(frameWords(frameAt(screen, 300, 0), ns => `${ns} ns`), 'bindApplication \u00b7 60 ns from 280 ns');
    assert.equal(frameAt(screen, 350, 0), undefined);
    assert.deepEqual([-1, 130, 400].map(ns => nextLate(screen, ns).number), [8, 9, 8]);
    const words = screen.list.map(one => frameWords(one, ns => `${ns} ns`));
    assert.deepEqual(words, ['frame 7 \u00b7 50 ns from 100 ns \u00b7 in time', 'frame 8 \u00b7 100 ns from 130 ns \u00b7 40 ns late: the app missed its deadline',
                             '4 frames from 400 ns \u00b7 2 of them late: SurfaceFlinger began too late']);
    assert.equal(readScreen({}), null);
});
