/* Filters: the picture's script, the program, and an obvious model here that takes folded stacks line by line, on random
 * traces with random lists of steps. */
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encode, pureHalf, random } from '../support/flame_data.mjs';
import { randomTrace } from '../support/random_trace.mjs';
import { startService, upload } from './support.mjs';

const flame = pureHalf(), AFLAMED = process.env.AFLAMED;
const skip = AFLAMED ? false : 'AFLAMED names no program';
const TREES = 60;

/* ---- the model: a line is [frames, self] ---- */

const TRACK = /^\[.* tid=\d+\]$/;

function linesOf(folded) {
    return folded.trimEnd().split('\n').filter(Boolean).map(line => {
        const [, stack, self] = /^(.*) (\d+)$/.exec(line);
        return [stack.split(';'), Number(self)];
    });
}

function partOf(frame, prefix) {
    const scope = frame.includes('.') ? frame.slice(0, frame.lastIndexOf('.')) : '';
    return { 'class:': scope, 'package:': scope.includes('.') ? scope.slice(0, scope.lastIndexOf('.')) : '', '': frame }[prefix];
}

const lowered = text => text.replace(/[A-Z]/g, c => c.toLowerCase());

function matcher(pattern) {
    const [, prefix, text] = /^(class:|package:|)(.*)$/s.exec(pattern);
    const isRegex = text.length > 1 && text.startsWith('/') && text.endsWith('/'), regex = isRegex && new RegExp(text.slice(1, -1), 'i');
    return frame => (isRegex ? regex.test(partOf(frame, prefix)) : lowered(partOf(frame, prefix)).includes(lowered(text)));
}

/* The frames that are left of one stack, and whether its last one still is what it was; null: the stack is dropped. */
function stackAfter([key, text], frames, isLast) {
    const last = frames.length - 1;
    if (key === 'recursion') {
        const made = [];
        frames.forEach((frame, i) => {
            const at = text === 'collapse' ? (made.at(-1) === frame ? made.length - 1 : -1) : made.indexOf(frame);
            made.length = at < 0 ? made.length : at;
            made.push(frame);
            isLast = i === last ? isLast && at < 0 : isLast;
        });
        return [made, isLast];
    }
    const hits = frames.map(matcher(text)), at = hits.indexOf(true);
    if (key === 'hide')
        return [frames.filter((_, i) => !hits[i]), isLast && !hits[last]];
    if ((key === 'ignore') === (at >= 0))
        return null;
    return [key === 'show-from' ? frames.slice(at) : frames, isLast];
}

function model(lines, steps, isCalls) {
    const sums = new Map();
    for (const [stack, self] of lines) {
        const tracks = TRACK.test(stack[0]) ? [stack[0]] : [];
        let left = [stack.slice(tracks.length), true];
        for (const step of steps)
            left = left && stackAfter(step, ...left);
        if (left === null || (isCalls && !left[1]) || left[0].length === 0)
            continue;
        const name = [...tracks, ...left[0]].join(';');
        sums.set(name, (sums.get(name) ?? 0) + self);
    }
    return [...sums].map(([name, self]) => `${name} ${self}`).sort();
}

/* ---- the script's data as folded lines ---- */

const textOf = svg => /<metadata class="d">(.*?)<\/metadata>/s.exec(svg)[1].replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

/* `nameOf`: of a frame. Lines with nothing of their own are left out, and what threads have in no method. */
function fold(data, v, nameOf = frame => frame.text.replaceAll(';', ':')) {
    const names = [[], []], sums = new Map();
    for (let i = 2; i < data.n; i++) {
        names[i] = [...names[data.parent[i]], nameOf(data.frames[data.frame[i]])];
        const name = names[i].join(';'), self = data.self[v][i] / (data.values[v].unit === 'ns' ? 1000 : 1);
        if (self > 0 && data.frames[data.frame[i]].isMethod)
            sums.set(name, (sums.get(name) ?? 0) + self);
    }
    return [...sums].map(([name, self]) => `${name} ${self}`).sort();
}

/* ---- random steps ---- */

const PATTERNS = ['run', 'MAIN', 'Looper', 'née', 'nÉe', 'a<b>', 'package:com.example', 'class:Main', 'class:Object', '/^com\\..*\\.run$/', '/(loop|map)$/',
                  'class:/Main$/', '/\\w{3}[^a-c]\\$/', 'package:/^(android|java)/', '/^Bare/', 'nothing at all'];
const NOT_FOLDED = ['signature:(I)V', 'signature:/^\\(\\)/', 'origin:app', 'origin:/^(library|idle)$/', 'origin:/^(third party|idle)$/', 'origin:unknown'];

function stepsFrom(next, patterns) {
    const pick = list => list[Math.floor(next() * list.length)], n = 1 + Math.floor(next() * 4);
    return Array.from({ length: n }, () => {
        const key = pick(['hide', 'hide', 'focus', 'ignore', 'show-from', 'recursion']);
        return [key, key === 'recursion' ? pick(['collapse', 'collapse-all']) : pick(patterns)];
    });
}

const flagsOf = steps => steps.flatMap(([key, text]) => [`--${key}`, text]);
const inWords = (seed, track, value, steps) => `seed ${seed}, track ${track}, ${value}: ${steps.map(step => step.join('=')).join(' & ')}`;

/* Stacks are long: what differs first says enough. */
function same(actual, expected, words) {
    const at = expected.findIndex((one, i) => one !== actual[i]);
    assert.ok(at < 0 && actual.length === expected.length, `${words}: ${actual.length} instead of ${expected.length}, [${at}] is ${actual[at]} instead of ${expected[at]}`);
}

/* Most trees are asked of one service: to start the program for each takes longer than to draw it. */
let service, folder;
before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'aflamed-filters-'));
    service = skip ? undefined : await startService();
});
after(async () => {
    await service?.stop();
    rmSync(folder, { recursive: true });
});

/* Of an upload's track, {status, text}; `options`: [key, value] pairs. */
async function asked(url, track, suffix, options) {
    const answer = await fetch(`${url}/t/${track}.${suffix}?${new URLSearchParams(options)}`);
    return { status: answer.status, text: await answer.text() };
}

async function drawn(...what) {
    const { status, text } = await asked(...what);
    assert.equal(status, 200, text);
    return text;
}

const sorted = folded => folded.trimEnd().split('\n').filter(Boolean).sort();

/* `service`: (suffix, options) -> what the service answers about the trace and one of its tracks; `command`: (flags...) -> what the
 * command line prints. */
async function withTraces(action) {
    const file = join(folder, 'one.trace');
    for (let seed = 1; seed <= TREES; seed++) {
        const next = random(seed * 77), track = ['1', 'all', 'merged'][seed % 3];
        const bytes = randomTrace(seed, { threads: 1 + seed % 3, records: 20 + Math.floor(next() * 500) }), { url } = await upload(service, bytes, `${seed}.trace`);
        writeFileSync(file, bytes);
        await action(seed, next, track, (suffix, options) => drawn(url, track, suffix, options),
                     (...flags) => execFileSync(AFLAMED, ['render', '--quiet', '-o', '-', '--track', track, ...flags, file], { encoding: 'utf8' }));
    }
}

/* ---- tests ---- */

test('filters: script, service, command line and folded stacks taken line by line agree', { skip }, async () => {
    await withTraces(async (seed, next, track, ask, command) => {
        const values = ['wall', 'cpu', 'calls', 'waiting'], data = new flame.Data(textOf(await ask('svg', [])));
        for (const value of values) {
            const steps = stepsFrom(next, PATTERNS), words = inWords(seed, track, value, steps);
            const expected = model(linesOf(await ask('folded.txt', [['value', value]])), steps, value === 'calls');
            const v = data.values.findIndex(({ name }) => name === value);
            same(sorted(await ask('folded.txt', [['value', value], ...steps])), expected, `service, ${words}`);
            same(fold(data.filtered(steps, {}), v), expected, `script, ${words}`);
            if (value === values[seed % values.length])     /* it draws as the service does, and takes the steps from flags */
                same(sorted(command('--output', 'folded', '--value', value, ...flagsOf(steps))), expected, `command line, ${words}`);
        }
    });
});

const samples = process.env.AFLAMED_SAMPLES && `${process.env.AFLAMED_SAMPLES}/samples`;

test('filters: what is hidden of each real recording', { skip: skip || (samples ? false : 'AFLAMED_SAMPLES names no samples') }, async () => {
    const read = [];
    for (const path of readdirSync(samples, { recursive: true, withFileTypes: true }).filter(one => one.isFile()).map(one => join(one.path, one.name))) {
        const answer = await fetch(`${service.url}/`, { method: 'POST', body: readFileSync(path), headers: { Accept: 'application/json' } });
        const { url, facts } = await answer.json();
        /* Of nanoseconds, what is rounded to whole µs in two lines is not what is rounded in their sum. */
        if (answer.status !== 201 || 'time_unit' in facts || path.includes('/system-trace/'))
            continue;
        read.push(path);
        const whole = linesOf(await drawn(url, 'all', 'folded.txt', []));
        for (const pattern of ['java.', ...path.endsWith('.trace') ? ['class:android'] : [], '/\\.(run|invoke)$/'])     /* not all have classes */
            same(sorted(await drawn(url, 'all', 'folded.txt', [['hide', pattern]])), model(whole, [['hide', pattern]], false), `${path}, ${pattern}`);
    }
    assert.ok(read.length > 3, read.join());
});

test('filters: the script leaves the tree that the program draws', { skip }, async () => {
    const exact = ({ text, signature }) => text + signature;
    await withTraces(async (seed, next, track, ask) => {
        const steps = stepsFrom(next, [...PATTERNS, ...NOT_FOLDED]), words = inWords(seed, track, '', steps);
        const drawn = new flame.Data(textOf(await ask('svg', steps)));
        const made = new flame.Data(textOf(await ask('svg', []))).filtered(steps, {});
        assert.equal(made.n, drawn.n, words);
        assert.equal(made.nodes, drawn.nodes, words);
        for (let v = 0; v < made.values.length; v++) {
            const at = drawn.values.findIndex(({ name }) => name === made.values[v].name);
            same(fold(made, v, exact), fold(drawn, at, exact), `${words}: ${made.values[v].name}`);
        }
        for (const name of ['parent', 'size'])     /* in the same order */
            same([...made[name]], [...drawn[name]], `${words}: ${name}`);
        same([...made.frame].map(f => exact(made.frames[f])), [...drawn.frame].map(f => exact(drawn.frames[f])), words);
    });
});

test('filters: what is left of a method with many frames above each other', { skip }, () => {
    const nodes = [{ frame: -1, parent: -1, self: [0, 0, 0] }], frame = name => ({ scope: 'a.B', name, signature: '', origin: 0, colour: 0 });
    const frames = Array.from({ length: 2000 }, (_, i) => frame(`m${String(i).padStart(4, '0')}`));
    for (let i = 1; i <= 60_000; i++)
        nodes.push({ frame: i % 3 === 0 ? 0 : i % 2000, parent: i - 1, self: [1000, 1000, 1] });
    const data = new flame.Data(encode({ frames, nodes })), began = performance.now();
    for (const steps of [[['recursion', 'collapse-all']], [['hide', 'm0001'], ['recursion', 'collapse']], [['focus', 'm0003'], ['show-from', 'm0004']]]) {
        const left = data.filtered(steps, {});
        assert.ok(left.n > 1 && left.total(0)[1] <= data.total(0)[1], steps.join());
    }
    for (const line of fold(data.filtered([['recursion', 'collapse-all']], {}), 0)) {
        const stack = line.split(' ')[0].split(';');
        assert.equal(new Set(stack).size, stack.length, line);
    }
    assert.ok(performance.now() - began < 10_000, 'in a time that does not grow with the square of the depth');
});

/* ---- patterns ---- */

/* Expressions of the subset and beyond it. */
function randomExpression(next) {
    const pick = list => list[Math.floor(next() * list.length)];
    const pieces = ['a', 'b', 'c', 'Run', '\\.', '.', '\\d', '\\w', '[a-c]', '[^x]', '[-a]', '[a-]', '[a-b-c]', '[]', '[^]', '[^^]', '[a\\]b]', '[\\w-]', '[z-a]', '(', '(?:',
                    ')', '|', '*', '+', '?', '??', '{2}', '{2,}', '{1,3}', '{51}', '{3,1}', '{', '}', ']', '^', '$', '\\b', '\\', '/', '(?=', 'é', '\\-', '[--a]', '[a[b]', '+?'];
    return Array.from({ length: 1 + Math.floor(next() * 7) }, () => pick(pieces)).join('');
}

test('filters: script and program take the same expressions', { skip }, async () => {
    const next = random(5), names = ['a.Run.abc', 'a.B.aab', 'x.Y.run9', 'é.É.née', 'a-b.C.d]e', 'q.R.[x^y]'];
    const { url, tracks: [{ id }] } = await upload(service, Buffer.from(names.map(name => `main;${name} 7\n`).join('')), 'one.folded');
    const data = new flame.Data(textOf(await drawn(url, id, 'svg', [])));
    let taken = 0, refused = 0;
    for (let i = 0; i < 400; i++) {
        const pattern = `/${randomExpression(next)}/`, problem = flame.stepProblem(['focus', pattern], {});
        const { status, text } = await asked(url, id, 'folded.txt', [['focus', pattern]]);
        assert.equal(status, problem === '' ? 200 : 400, `${pattern}: ${problem}`);
        problem === '' ? taken++ : refused++;
        if (problem === '')
            same(fold(data.filtered([['focus', pattern]], {}), 0), sorted(text), pattern);
    }
    assert.ok(taken > 50 && refused > 50, `${taken} taken, ${refused} refused`);
});

/* Where the time goes that a match may take: only what stays short is tried in the browser, where nothing can end it. */
test('filters: expressions that take long are for the service', () => {
    const why = (...patterns) => flame.needsService(patterns.map(text => ['focus', text]));
    assert.equal(why('a', '/a/', '/^a.*b$/', '/(ab)*c+/', '/(a|b)c/', '/[*+?|]\\*\\+\\?\\|\\(/', 'class:/^$/', '/a*b*c*/'), '');
    for (const text of ['/(a+)+/', '/a*b*c*d*/', '/((a*)b)*/', '/(a|aa)*b/', '/(a?){50}a{50}/', '/(?:a?)+/', '/a?a?a?a?/', '/((a|b)c)*/'])
        assert.match(why('a', text), /too long/, text);
    assert.match(why('file:a'), /Source files/);
    assert.match(why('module:/a*b*c*d*/'), /Source files/);
});

test('filters: a search ends in time', () => {
    const many = Array.from({ length: 3000 }, (_, i) => `main;${'a'.repeat(i === 0 ? 2000 : 190)}b${i}x 7\n`).join(''), folder = mkdtempSync(join(tmpdir(), 'aflamed-long-'));
    const file = join(folder, 'long.folded');
    writeFileSync(file, many);
    try {
        const data = new flame.Data(textOf(execFileSync(AFLAMED, ['render', '-q', '-o', '-', file], { encoding: 'utf8' })));
        const begin = performance.now();
        assert.throws(() => data.filtered([['hide', '/a*a*[bc][yz]/']], {}), /too long/);
        assert.throws(() => data.filtered([['hide', '/a*a*a*[bc][yz]/']], {}), /too long/);
        assert.ok(performance.now() - begin < 5000);
    } finally {
        rmSync(folder, { recursive: true });
    }
});

test('filters: how much an expression may ask for', () => {
    const problem = text => flame.stepProblem(['focus', text], {});
    for (const text of ['a', '/a/', '/', '/(ab)*c{2,5}/', `/${'(a'.repeat(16)}${')'.repeat(16)}/`, `/${'a{50}'.repeat(99)}/`, '/a*b*c*/', '/(a+)+/', '/a*b*c*d*/', 'class:/^$/', 'origin:third party'])
        assert.equal(problem(text), '', text);
    for (const text of ['', '//', 'class:', `/${'(a'.repeat(17)}${')'.repeat(17)}/`, '/a{51}/', 'a\u0000b', 'x'.repeat(501), '/\u202e/'])
        assert.notEqual(problem(text), '', text);
    const presets = { idle: 'ignore=origin:idle' };
    assert.equal(flame.stepsProblem([['preset', 'idle'], ['recursion', 'collapse']], presets), '');
    assert.match(flame.stepsProblem([['hide', 'a'], ['preset', 'toString']], presets), /^preset=toString: there is no preset/);
    assert.match(flame.stepsProblem([['recursion', 'all']], presets), /recursion is/);
    assert.match(flame.stepsProblem(Array.from({ length: 33 }, () => ['hide', 'a']), presets), /too many/);
    assert.match(flame.stepsProblem(Array.from({ length: 5 }, () => ['hide', 'é'.repeat(250)]), presets), /too many/);
});
