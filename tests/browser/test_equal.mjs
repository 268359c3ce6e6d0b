/* The numbers of the picture's script and those of the program, which are worked out apart: equal in every view, value
 * and order, node by node, over random traces. No browser.
 *
 * The script has the data of one picture, that of the first value; the program is asked for each tree as JSON. */
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pureHalf, random } from '../support/flame_data.mjs';
import { randomTrace } from '../support/random_trace.mjs';

const TRACES = 10;
const VALUES = ['wall', 'cpu', 'calls', 'waiting'];
const flame = pureHalf();
let folder;

before(() => { folder = mkdtempSync(join(tmpdir(), 'equal-')); });
after(() => { rmSync(folder, { recursive: true }); });

function render(file, track, options) {
    const flags = Object.entries(options).flatMap(([key, value]) => ['--' + key, String(value)]);
    return execFileSync(process.env.AFLAMED, ['render', '-q', '-o', '-', '--track', track, ...flags, file], { encoding: 'utf8', maxBuffer: 1 << 28 });
}

const unescaped = text => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&#34;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');

function dataOf(svg) {
    return new flame.Data(unescaped(/<metadata class="d">([^]*?)<\/metadata>/.exec(svg)[1]));
}

/* ---- the same tree from both: [path, self, total, calls] in pre-order ---- */

/* What the program says: a line of text for each frame and track, as in the data. */
function ofProgram(json, nodes, v) {
    const text = index => json.strings[index], { frames } = json, paths = [];
    const lines = frames.scope.map((_, f) => [frames.scope, frames.name, frames.signature].map(column => text(column[f])).join('\t'));
    return nodes.parent.map((parent, i) => {
        const track = nodes.track?.[i] ?? -1, { name, id } = json.tracks[track] ?? {};
        const own = parent < 0 ? '' : track >= 0 ? `\t[${name} tid=${id}]\t` : lines[nodes.frame[i]];
        paths[i] = parent < 0 ? '' : `${paths[parent]} / ${own}`;
        return [paths[i], nodes.self[v][i], nodes.total[v][i], parent < 0 && nodes.frame[i] < 0 ? 0 : nodes.calls[i]];
    });
}

function ofScript(tree, root, byWeight) {
    const made = [], stack = [[root, '']];
    while (stack.length > 0) {
        const [node, path] = stack.pop(), kids = [...tree.kidsOf(node)];
        made.push([path, node.self, node.total, node.calls]);
        if (byWeight)
            kids.sort((a, b) => b.total - a.total);
        for (const kid of kids.reverse())
            stack.push([kid, `${path} / ${kid.frame.line}`]);
    }
    return made;
}

function assertSame(file, track, data, options, where) {
    const json = JSON.parse(render(file, track, { output: 'json', ...options }));
    const v = json.values.findIndex(value => value.name === options.value), mine = data.values.findIndex(value => value.name === options.value);
    const theirs = options.view === 'sandwich' ? [json.callers, json.callees] : [json.nodes];
    const tree = new flame.Tree(data, options.view, mine, options.view === 'sandwich' ? data.methodNamed(options.method ?? '', mine) : 0);
    if (options.view === 'sandwich') {
        const { scope, name, signature } = tree.roots[0].frame;
        assert.deepEqual([scope, name, signature], ['scope', 'name', 'signature'].map(key => json.strings[json.frames[key][json.method]]), where);
    }
    theirs.forEach((nodes, i) => assert.deepEqual(ofScript(tree, tree.roots[i], options.order === 'weight'), ofProgram(json, nodes, v), where));
    return theirs[0].parent.length;
}

/* ---- what is written about a frame ---- */

/* The titles that the drawn frames can have. */
function titlesOf(data, v, view, isSingle) {
    const { unit } = data.values[v], words = value => flame.valueWords(unit, value), share = flame.percentWords;
    const selves = data.frames.map((_, f) => data.frame.reduce((sum, one, i) => sum + (one === f ? data.self[v][i] : 0), 0));
    const made = [], tree = new flame.Tree(data, view, v, view === 'sandwich' ? data.methodNamed('', v) : 0), stack = [...tree.roots];
    const whole = data.total(v)[1], isPart = ({ isMethod }) => isMethod && view !== 'flame';
    while (stack.length > 0) {
        const node = stack.pop(), { f, frame, calls, total, up, isUpward } = node, path = flame.pathTo(node);
        const self = isPart(frame) ? `the method's self ${words(selves[f])}` : `self ${words(node.self)}`;
        const isRecursive = calls > 0 && !isUpward && path.slice(0, -1).some(one => one.frame === frame);
        const shares = [`${share(total, whole)} of ${isSingle ? 'thread' : 'all'}`, ...up === null ? [] : [`${share(total, up.total)} of parent`]];
        made.push(`${frame.text}${frame.signature}\ntotal ${words(total)}${f === 0 ? '' : ` (${shares.join(', ')})`}, ${self}` +
                  (frame.isMethod ? `\ncalls ${flame.valueWords('count', calls)}${isRecursive ? ` (${flame.valueWords('count', calls)} recursive)` : ''}` : ''));
        stack.push(...tree.kidsOf(node));
    }
    return new Set(made);
}

/* ---- tests ---- */

for (const tracks of ['1', 'all', 'merged'])
    test(`every node in every view, value and order: track ${tracks}`, () => {
        let nodes = 0;
        for (let seed = 0; seed < TRACES; seed++) {
            const file = join(folder, `${tracks}-${seed}.trace`), next = random(seed + 1000);
            const pick = list => list[Math.floor(next() * list.length)];
            writeFileSync(file, randomTrace(seed, { threads: 1 + seed % 3, records: 10 + seed * 60 }));
            const data = dataOf(render(file, tracks, { output: 'svg' }));
            assert.equal(data.header.embedded, data.header.nodes);
            const method = pick(data.frames.filter(frame => frame.isMethod));
            for (const view of [pick(['flame', 'icicle']), 'inverted', 'sandwich'])
                for (const [value, order] of [...VALUES.map(value => [value, 'weight']), [pick(VALUES), 'name']])
                    nodes += assertSame(file, tracks, data, { view, value, order }, `seed ${seed} ${view} ${value} ${order}`);
            nodes += assertSame(file, tracks, data, { view: 'sandwich', value: pick(VALUES), order: 'name', method: method.text + method.signature },
                                `seed ${seed} ${method.line}`);
        }
        assert.ok(nodes > 10_000, `${nodes} nodes were compared`);
    });

for (const tracks of ['1', 'all', 'merged'])
    test(`the words of the numbers: track ${tracks}`, () => {
        for (let seed = 0; seed < 3 * TRACES; seed++) {
            const file = join(folder, `words-${tracks}-${seed}.trace`), value = VALUES[seed % VALUES.length];
            writeFileSync(file, randomTrace(seed, { threads: 1 + seed % 3, records: 10 + seed * 40 }));
            const view = ['flame', 'inverted', 'sandwich'][seed % 3];
            const svg = render(file, tracks, { output: 'svg', width: 10_000, min: 0, value, view }), data = dataOf(svg);
            const titles = titlesOf(data, data.values.findIndex(one => one.name === value), view, tracks === '1');
            const drawn = [...svg.matchAll(/<g><title>([^]*?)<\/title><rect class="[a-z]+\d*"/g)].map(([, title]) => unescaped(title));
            assert.ok(drawn.length > 3 || data.n < 5);
            for (const title of drawn.filter(one => !titles.has(one))) {
                const [name] = title.split('\n'), others = [...titles].filter(one => one.startsWith(name));
                assert.fail(`seed ${seed} ${value}: ${title}\nis none of\n${others.join('\n')}`);
            }
        }
    });

/* What both write into a frame of the same width; of frames whose siblings have the same text, the script adds parameters. */
test('labels are cut alike', () => {
    let compared = 0;
    for (let seed = 1; seed <= TRACES; seed++)
        for (const width of [300, 900]) {
            const file = join(folder, 'cut.trace');
            writeFileSync(file, randomTrace(seed, { threads: 1, records: 150 }));
            const svg = render(file, '1', { width, min: 0 }), data = dataOf(svg), known = new Map(data.frames.map(frame => [frame.text + frame.signature, frame]));
            for (const [, title, px, label] of svg.matchAll(/<g><title>([^\n<]*)(?:(?!<\/g>)[^])*?<rect class="o\d" [^>]*width="([\d.]+)" height="15"\/>(?:<text [^>]*>([^<]*)<\/text>)?<\/g>/g)) {
                const frame = known.get(unescaped(title)), cells = Math.floor((Number(px) - 6) / 7.2 + 1e-9), written = unescaped(label ?? '');
                assert.ok(frame, title);
                const forms = [flame.fitName(frame, cells), flame.fitName(frame, cells, flame.signatureWords(frame.signature))];
                assert.ok(forms.includes(written) || cells < 5, `${frame.text} in ${cells} cells: ${written} instead of ${forms}`);
                compared++;
            }
        }
    assert.ok(compared > 300, `${compared} labels`);
});
