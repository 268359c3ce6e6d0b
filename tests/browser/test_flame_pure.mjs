/* The pure half of the picture's script: no browser. Trees of all views are held against slow and obvious sums over
 * paths, on many random trees. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { hueName } from '../../static/lanes-model.js';
import { encode, heaviest, pureHalf, random, randomTree, SCRIPT, selfOf, STYLE, totalsOf } from '../support/flame_data.mjs';

const flame = pureHalf();
const TREES = 60;

/* ---- what there is to expect ---- */

/* Frames from the outermost to the node itself. */
function stackOf({ nodes }, i) {
  const made = [];
  for (; nodes[i].parent >= 0; i = nodes[i].parent)
    made.unshift(nodes[i].frame);
  return made;
}

const sums = () => ({ total: 0, self: 0, calls: 0 });

function addTo(model, path, key, value) {
  const name = path.join(' ');
  if (!model.has(name))
    model.set(name, sums());
  model.get(name)[key] += value;
}

function inverted(tree, v) {
  const model = new Map();
  tree.nodes.forEach((node, i) => {
    const stack = stackOf(tree, i).reverse();
    stack.forEach((_, depth) => {
      const path = stack.slice(0, depth + 1);
      addTo(model, path, 'total', selfOf(node)[v]);
      addTo(model, path, 'calls', node.self[2]);
      addTo(model, path, 'self', depth + 1 === stack.length ? selfOf(node)[v] : 0);
    });
  });
  return model;
}

function sandwich(tree, v, method) {
  const [callers, callees] = [new Map(), new Map()], totals = totalsOf(tree.nodes);
  tree.nodes.forEach((node, i) => {
    const stack = stackOf(tree, i), at = stack.indexOf(method);
    if (at < 0)
      return;
    const below = stack.slice(at + 1);
    addTo(callees, below, 'self', selfOf(node)[v]);
    addTo(callees, below, 'total', totals[i][v]);
    addTo(callees, below, 'calls', node.self[2]);
    if (below.length > 0)
      return;
    const above = stack.slice(0, at).reverse();
    for (let depth = 0; depth <= above.length; depth++) {
      const path = above.slice(0, depth);
      addTo(callers, path, 'total', totals[i][v]);
      addTo(callers, path, 'calls', node.self[2]);
      addTo(callers, path, 'self', depth === above.length ? totals[i][v] : 0);
    }
  });
  return [callers, callees];
}

/* The script's tree in the same form: paths of frames, as ranks. */
function gathered(tree, root = tree.roots[0]) {
  const model = new Map(), stack = [[root, []]];
  while (stack.length > 0) {
    const [node, path] = stack.pop(), ranks = tree.kidsOf(node).map(kid => kid.frame.rank);
    model.set(path.join(' '), { total: node.total, self: node.self, calls: node.calls });
    assert.deepEqual(ranks, [...new Set(ranks)].sort((a, b) => a - b), 'children by rank, each once');
    tree.kidsOf(node).forEach((kid, i) => stack.push([kid, [...path, ranks[i]]]));
  }
  return model;
}

const sorted = model => [...model].sort(([a], [b]) => (a < b ? -1 : 1));

function forTrees(action) {
  for (let seed = 1; seed <= TREES; seed++) {
    const next = random(seed), nodes = 1 + Math.floor(next() * 80);
    action(randomTree(next, { nodes, frames: 2 + Math.floor(next() * 10), depth: 1 + Math.floor(next() * 20) }), next, seed);
  }
}

/* ---- tests ---- */

test('the data comes back as it was written', () => {
  forTrees((tree, next, seed) => {
    const data = new flame.Data(encode(tree)), totals = totalsOf(tree.nodes);
    assert.equal(data.n, tree.nodes.length + 1);
    tree.nodes.forEach((node, index) => {
      const i = index + 1, frame = data.frames[data.frame[i]], meant = tree.frames[node.frame];
      assert.equal(frame.text, meant === undefined ? 'main (1)' : `${meant.scope}.${meant.name}`, `seed ${seed}`);
      assert.equal(data.parent[i], node.parent + 1);
      assert.deepEqual(data.values.map((_, v) => data.self[v][i]), selfOf(node));
      assert.deepEqual(data.values.map((_, v) => data.total(v)[i]), totals[index]);
    });
  });
});

test('inverted and sandwich trees have the sums of all paths', () => {
  forTrees((tree, next, seed) => {
    const data = new flame.Data(encode(tree));
    for (let v = 0; v < 4; v++) {
      const bottomUp = gathered(new flame.Tree(data, 'inverted', v));
      assert.equal(bottomUp.get('').total, totalsOf(tree.nodes)[0][v]);
      bottomUp.delete('');
      assert.deepEqual(sorted(bottomUp), sorted(inverted(tree, v)), `seed ${seed}, value ${v}`);
      const f = 1 + Math.floor(next() * (data.frames.length - 1));
      const made = f < data.frames.length ? new flame.Tree(data, 'sandwich', v, f) : { roots: [] };
      made.roots.forEach((root, i) =>
        assert.deepEqual(sorted(gathered(made, root)), sorted(sandwich(tree, v, data.frames[f].rank)[i]), `seed ${seed}, part ${i}`));
    }
  });
});

test('what a budget leaves out is in the totals, and comes back piece by piece', () => {
  forTrees((tree, next, seed) => {
    const keep = heaviest(tree.nodes, Math.floor(next() * tree.nodes.length));
    const text = encode(tree, { keep }), totals = totalsOf(tree.nodes), pieces = new Map();
    let data = new flame.Data(text);
    assert.deepEqual(data.values.map((_, v) => data.total(v)[1]), totals[0], `seed ${seed}`);
    assert.equal(data.total(data.values.length)[1], tree.nodes.length);
    while (data.stubs.size > 0) {
      const [{ place, shown }] = data.stubs.values();
      pieces.set(`${place} ${shown}`, encode(tree, { piece: { node: place, skip: shown } }));
      data = new flame.Data(text, pieces);
      assert.deepEqual(data.values.map((_, v) => data.total(v)[1]), totals[0], `seed ${seed}`);
    }
    assert.equal(data.n, tree.nodes.length + 1);
    const whole = new flame.Data(encode(tree));
    for (let v = 0; v < 4; v++)
      assert.deepEqual(sorted(gathered(new flame.Tree(data, 'flame', v))), sorted(gathered(new flame.Tree(whole, 'flame', v))), `seed ${seed}`);
    assert.deepEqual(sorted(gathered(new flame.Tree(data, 'inverted', 0))), sorted(gathered(new flame.Tree(whole, 'inverted', 0))));
  });
});

test('damaged data is refused', () => {
  const text = encode(randomTree(random(7)));
  for (const bad of ['', '{}', text.replace('aflamed-flame', 'other'), text.slice(0, -3), text + '0', text.replace(/\n[^\n]*\n$/, '\n\n')])
    assert.throws(() => new flame.Data(bad), Error, bad.slice(-20));
  for (let at = 0; at < text.length; at += 7)     /* whatever comes of it, it ends */
    try {
      new flame.Data(text.slice(0, at) + '*' + text.slice(at + 1));
    } catch (error) {
      assert.ok(error instanceof Error);
    }
});

/* [at, total] of what stands for frames that are too narrow, in a picture 1,000 pixels wide. */
function narrowRuns(tree, rows, minPx, byWeight) {
  const least = Math.max(0.1, minPx) * rows[0][0].node.total / 1000, made = [];
  for (const { node, at } of rows.flat().filter(box => box.hides === 0)) {
    const kids = [...tree.kidsOf(node)].sort((a, b) => (byWeight ? b.total - a.total : 0)), runs = [];
    let start = at + node.self, isOpen = false;
    for (const kid of kids) {
      if (kid.total >= least)
        isOpen = false;
      else if (isOpen)
        runs.at(-1)[1] += kid.total;
      else {
        runs.push([start, kid.total]);
        isOpen = true;
      }
      start += kid.total;
    }
    made.push(...runs.filter(([, total]) => total >= least));
  }
  return made;
}

test('boxes: children within their parent, none overlap, nothing is lost', () => {
  forTrees((tree, next, seed) => {
    const data = new flame.Data(encode(tree, { keep: heaviest(tree.nodes, Math.floor(next() * tree.nodes.length)) }));
    const made = new flame.Tree(data, 'flame', 0);
    let [zoom] = made.roots;
    for (let steps = Math.floor(next() * 4); steps > 0 && made.kidsOf(zoom).length > 0; steps--)
      zoom = made.kidsOf(zoom)[Math.floor(next() * made.kidsOf(zoom).length)];
    for (const byWeight of [false, true])
      for (const min of [0, 5, 40]) {
        const { rows, dropped, drawn } = flame.layout(made, zoom, 1000, min, byWeight);
        for (const row of rows)
          row.forEach((box, i) => {
            assert.ok(box.end > box.x && box.x >= 0 && box.end <= 10_000);
            assert.ok(i === 0 || box.x >= row[i - 1].end, `seed ${seed}: overlap`);
          });
        if (zoom.total === 0)
          continue;
        const frames = rows.flat().filter(box => !box.hides);
        assert.deepEqual(rows[0].map(box => box.node), [zoom], 'what is above is in the trail');
        const shown = new Set(frames.map(box => box.node));
        const hidden = frames.reduce((sum, { node }) => sum + made.hiddenOf(node), 0);
        const narrow = frames.flatMap(({ node }) => made.kidsOf(node)).filter(kid => !shown.has(kid))
          .reduce((sum, kid) => sum + kid.total, 0);
        assert.equal(dropped, hidden + narrow, `seed ${seed}`);
        assert.deepEqual(rows.slice(1).flatMap(row => row.filter(box => box.hides === 1).map(box => [box.at, box.total])),
                         narrowRuns(made, rows, min, byWeight), `seed ${seed}: where narrow frames are`);
        assert.equal(drawn, frames.filter(({ node }) => node.up !== null).length);
        for (const row of byWeight ? rows.slice(1) : [])
          row.forEach((box, i) => assert.ok(i === 0 || box.hides || row[i - 1].hides || box.node.up !== row[i - 1].node.up ||
            box.node.total <= row[i - 1].node.total, `seed ${seed}: by weight`));
      }
  });
});

test('more boxes than can be drawn raise the least width; depth has no end', () => {
  const nodes = [{ frame: -1, parent: -1, self: [0, 0, 0] }];
  for (let i = 1; i <= 25_000; i++)
    nodes.push({ frame: i % 2, parent: i - 1, self: [1000, 0, 1] });
  const frames = randomTree(random(1), { frames: 2 }).frames;
  const deep = new flame.Data(encode({ frames, nodes })), made = new flame.Tree(deep, 'flame', 0);
  let [zoom] = made.roots;
  const levels = flame.layout(made, zoom, 1000, 0.1, false).rows;
  assert.equal(levels.length, 2001);
  assert.deepEqual(levels.at(-1).map(box => box.hides), [1], 'what is deeper is one box');
  for (let depth = 0; depth < 15_000; depth++)
    [zoom] = made.kidsOf(zoom);
  const { rows } = flame.layout(made, zoom, 1000, 0.1, false);
  assert.equal(rows.length, 2001);
  assert.equal(rows[0][0].node, zoom);
  const upward = new flame.Tree(deep, 'inverted', 0);
  assert.ok(flame.layout(upward, upward.roots[0], 1000, 0.1, false).rows.flat().length > 2000);

  const methods = Array.from({ length: 20_000 }, (_, i) => ({ scope: 'a.B', name: `m${String(i).padStart(5, '0')}`, signature: '', origin: 0, colour: 0 }));
  const leaves = methods.map((_, i) => ({ frame: i, parent: 0, self: [1000 * (1 + i % 7), 0, 1] }));
  const wide = new flame.Tree(new flame.Data(encode({ frames: methods, nodes: [nodes[0], ...leaves] })), 'flame', 0);
  const shown = flame.layout(wide, wide.roots[0], 100_000, 0.1, false).rows.flat().length;
  assert.ok(shown > 1000 && shown <= 8000, `${shown} boxes`);
});

/* Of lists [name, origin, self in µs, callees]. */
function dataOf(root, header = {}) {
  const frames = [], nodes = [{ frame: -1, parent: -1, self: [root[2] * 1000, 0, 0] }];
  const add = ([name, origin, us, kids = []], parent) => {
    frames.push({ scope: 'a.B', name, signature: '', origin, colour: 0 });
    const place = nodes.push({ frame: frames.length - 1, parent, self: [us * 1000, us * 1000, 1] }) - 1;
    kids.forEach(kid => add(kid, place));
  };
  root[3].forEach(kid => add(kid, 0));
  return new flame.Data(encode({ frames, nodes }, { header }));
}
const APP = 0, LIBRARY = 3, WAITS = 6;

test('a picture begins where callees part, with own code in view', () => {
  const first = kids => flame.pathTo(flame.firstBranching(new flame.Tree(dataOf(['root', 9, 0, kids]), 'flame', 0))).map(({ frame }) => frame.name).at(-1);
  const parted = [['x', LIBRARY, 50], ['y', LIBRARY, 50]];
  const way = (names, end) => names.reduceRight((kids, [name, origin, self = 0]) => [[name, origin, self, kids]], end);
  assert.equal(first(way([['a', LIBRARY], ['b', LIBRARY], ['c', LIBRARY]], parted)), 'c');
  assert.equal(first(way([['a', LIBRARY], ['b', LIBRARY]], parted)), 'main (1)', 'two rows are not worth a zoom');
  assert.equal(first(way([['a', LIBRARY], ['b', LIBRARY], ['c', APP], ['d', LIBRARY]], parted)), 'c', 'own code is not passed over');
  assert.equal(first(way([['a', LIBRARY], ['b', LIBRARY], ['c', LIBRARY]], [])), 'main (1)', 'nothing parts');
  assert.equal(first(way([['a', LIBRARY, 1], ['b', LIBRARY, 1], ['c', LIBRARY, 1], ['d', LIBRARY, 10]], parted)), 'd', 'a part of its own is small');
  assert.equal(first(way([['a', LIBRARY, 1], ['b', LIBRARY, 1], ['c', LIBRARY, 10], ['d', LIBRARY]], parted)), 'c', 'it is not small');
});

test('what is mostly idle: time in frames that wait, and in no frame', () => {
  const isIdle = (self, kids, v = 0) => flame.isMostlyIdle(dataOf(['root', 9, self, kids]), v);
  const work = ['work', LIBRARY, 40];
  assert.equal(isIdle(60, [work]), true);
  assert.equal(isIdle(30, [work, ['wait', WAITS, 30]]), true);
  assert.equal(isIdle(0, [work, ['loop', LIBRARY, 0, [['wait', WAITS, 20, [['native', 5, 30]]]]]]), true, 'what is below counts, too');
  assert.equal(isIdle(20, [work, ['wait', WAITS, 19]]), false);
  assert.equal(isIdle(60, [work], 2), false, 'calls are no time');
  assert.equal(isIdle(60, [['wait', WAITS, 40]]), false, 'nothing would be left');
});

test('search: nested matches count once in the total', () => {
  forTrees((tree, next, seed) => {
    const data = new flame.Data(encode(tree)), totals = totalsOf(tree.nodes);
    const isHit = i => tree.nodes[i].frame >= 0 && tree.frames[tree.nodes[i].frame].scope.endsWith('Class00001');
    const hits = tree.nodes.map((_, i) => i).filter(isHit);
    const outermost = hits.filter(i => {
      for (let up = tree.nodes[i].parent; up >= 0; up = tree.nodes[up].parent)
        if (isHit(up))
          return false;
      return true;
    });
    const found = flame.search(data, 0, 'class00001', false);
    assert.equal(found.nodes, hits.length, `seed ${seed}`);
    assert.equal(found.total, outermost.reduce((sum, i) => sum + totals[i][0], 0), `seed ${seed}`);
    if (hits.length > 0) {
      const f = data.frame[hits[0] + 1], all = hits.filter(i => data.frame[i + 1] === f), made = data.instancesOf(f, 1);
      assert.equal(made.nodes, all.length);
      assert.equal(made.self, all.reduce((sum, i) => sum + tree.nodes[i].self[1], 0));
      assert.equal(made.calls, all.reduce((sum, i) => sum + tree.nodes[i].self[2], 0));
    }
  });
});

test('matches by weight: methods, and nodes below one', () => {
  forTrees((tree, next, seed) => {
    const data = new flame.Data(encode(tree)), { hits } = flame.search(data, 0, 'p1', false), total = data.total(0);
    const methods = flame.matchesByWeight(data, 0, hits);
    assert.deepEqual(methods.map(({ total: one }) => one), methods.map(({ total: one }) => one).sort((a, b) => b - a), `seed ${seed}`);
    assert.equal(methods.length, hits.reduce((sum, hit) => sum + hit, 0));
    const top = 1 + Math.floor(next() * (data.n - 1)), nodes = flame.nodesByWeight(data, 0, hits, top);
    const expected = Array.from({ length: data.size[top] }, (_, i) => top + i).filter(i => hits[data.frame[i]]).sort((a, b) => total[b] - total[a] || a - b);
    assert.deepEqual([...nodes], expected, `seed ${seed}`);
  });
});

test('what is looked for', () => {
  const node = (frame, parent) => ({ frame, parent, self: [1000, 0, 1] }), FRAME = { name: 'bar', signature: '', origin: 0, colour: 0 };
  const frames = ['a.Foo', 'a//b'].map(scope => ({ ...FRAME, scope }));
  const data = new flame.Data(encode({ frames, nodes: [node(-1, -1), node(0, 0), node(1, 0)] }));
  const found = (text, matchCase) => data.frames.filter((_, f) => flame.search(data, 0, text, matchCase).hits[f] === 1).map(frame => frame.text);
  const [foo, slashes] = ['a.Foo.bar', 'a//b.bar'];
  for (const [text, matchCase, expected] of [['', false, []], ['foo', false, [foo]], ['foo', true, []], ['/^a.*o\\.bar$/', true, [foo]],
                                             ['^a.*bar$', true, []], ['/^A.*O.BAR$/', false, [foo]], ['//', false, [slashes]], ['main', false, []]])
    assert.deepEqual(found(text, matchCase), expected, text);
  assert.throws(() => flame.search(data, 0, '/(/', false), SyntaxError);
});

test('numbers, as the service writes them', () => {
  const words = [['ns', 0, '0 ns'], ['ns', 999, '999 ns'], ['ns', 1250, '1.25 µs'], ['ns', 999_600, '1 ms'], ['ns', 59_999_999_999, '1 min'],
                 ['ns', 12_345 * 6e10, '205 h 45 min'], ['ns', 95e9, '1 min 35 s'], ['ns', 59_940_000_000, '59.9 s'], ['ns', 3_599_500_000_000, '1 h'], ['ns', 7_529e9, '2 h 5 min'], ['bytes', 1023, '1,023 B'], ['bytes', 1536, '1.5 KiB'], ['bytes', 2 ** 50 * 3, '3 PiB'],
                 ['count', 12_345_678, '12,345,678'], ['ns', 2_500_000_000, '2.5 s'], ['ns', Number.MAX_SAFE_INTEGER, '2,502 h']];
  for (const [unit, value, expected] of words)
    assert.equal(flame.valueWords(unit, value), expected);
  const shares = [[0, 5, '0 %'], [5, 0, '0 %'], [5, 5, '100 %'], [6, 5, '100 %'], [1, 100_000, '<0.01 %'], [1, 3, '33.3 %'], [99_999, 100_000, '99.9 %'],
                  [456, 10_000, '4.56 %'], [450, 10_000, '4.5 %'], [2 ** 52, 2 ** 53 - 1, '50 %']];
  for (const [part, whole, expected] of shares)
    assert.equal(flame.percentWords(part, whole), expected, `${part} of ${whole}`);
});

test('names take the longest form that fits', () => {
  const it = { scope: 'com.example.foo.Foo', name: 'bar', text: 'com.example.foo.Foo.bar' };
  const forms = [[23, 'com.example.foo.Foo.bar'], [22, 'c.e.f.Foo.bar'], [13, 'c.e.f.Foo.bar'], [12, 'Foo.bar'], [7, 'Foo.bar'], [6, 'bar'], [4, 'bar'], [3, 'bar'], [2, '']];
  for (const [cells, expected] of forms)
    assert.equal(flame.fitName(it, cells), expected, `${cells} cells`);
  assert.equal(flame.fitName(it, 10, '', true), 'com.exam..');
  assert.equal(flame.fitName(it, 12, '(int)'), 'Foo.bar(int)');
  assert.equal(flame.fitName({ scope: '', name: 'nativePollOnce', text: 'nativePollOnce' }, 8), 'native..');
  const lambda = { scope: 'com.example.Foo$bar$1', name: 'invoke', text: 'com.example.Foo$bar$1.invoke', short: 'bar lambda in Foo', least: 'bar lambda' };
  for (const [cells, expected] of [[28, lambda.text], [27, 'bar lambda in Foo'], [17, 'bar lambda in Foo'], [16, 'bar lambda'], [9, 'bar lam..']])
    assert.equal(flame.fitName(lambda, cells), expected, `${cells} cells`);
  assert.equal(flame.fitName(lambda, 15, '(int)'), 'bar lambda(int)');
  assert.equal(flame.fitName(lambda, 10, '', true), 'com.exam..');
  assert.equal(flame.fitName({ scope: 'libc.so', name: '', text: 'libc.so' }, 7), 'libc.so');
  assert.equal(flame.cut('abcdef', 4), '', 'one or two letters say nothing');
  assert.equal(flame.cut('abcdef', 5), 'abc..');
  assert.equal(flame.cut('日本語テキスト', 8), '日本語..');
  assert.equal(flame.cut('a\u0301'.repeat(4), 8), 'a\u0301'.repeat(4));
  assert.ok(flame.cut('a' + '\u0301'.repeat(1000), 4).length <= 4);
});

test('signatures for people', () => {
  const pairs = [['(ILjava/lang/String;)V', '(int, String)'], ['()V', '()'], ['([[JLa/B$C;Z)Ljava/util/List;', '(long[][], B$C, boolean)'],
                 ['(LFoo;)', '(Foo)'], ['', ''], ['(int, String)', '(int, String)'], ['(L;)V', '(L;)V'], ['(La/;)V', '(La/;)V'], ['(<script>)', '(<script>)']];
  for (const [raw, expected] of pairs)
    assert.equal(flame.signatureWords(raw), expected);
  assert.equal(flame.signatureWords('(' + 'I'.repeat(5000) + ')X').length, 5003);
});

/* Of two colours as the WCAG measures it. */
function contrast(a, b) {
  const [x, y] = [a, b].map(colour => {
    const [red, green, blue] = colour.match(/[0-9a-f]{2}/g).map(hex => parseInt(hex, 16) / 255)
      .map(c => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
  });
  return Math.max(x, y) / Math.min(x, y);
}

test('text can be read on every colour, and outlines be seen, in both schemes', () => {
  const [light, dark] = STYLE.split(/@media screen and \(prefers-color-scheme: ?dark\)/).map(css => css.split('@media')[0]);
  for (const css of [light, dark]) {
    const ink = /\.af text\s*{\s*fill: ?(#[0-9a-f]{6})/.exec(css)[1];
    const fills = [...css.matchAll(/\.((?:[cohy]\d+|cr|st))(?:,\.af \.st)?\s*{\s*fill: ?(#[0-9a-f]{6})/g)];
    assert.equal(fills.length >= 13 + 8 + 8 + 8 + 1, true, `${fills.length} colours`);
    const [, outline] = /--focus: ?(#[0-9a-f]{6})/.exec(css);
    for (const [, cls, fill] of fills) {
      assert.ok(contrast(ink, fill) >= 4.5, `${cls} ${fill}: ${contrast(ink, fill)}`);
      assert.ok(contrast(outline, fill) >= 3, `the outline of what is chosen, on ${cls} ${fill}: ${contrast(outline, fill)}`);
    }
  }
});

/* In CIE's Lab. */
function lab(colour) {
  const [r, g, b] = colour.match(/[0-9a-f]{2}/g).map(hex => parseInt(hex, 16) / 255).map(c => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  const [x, y, z] = [(0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505, 0.2126 * r + 0.7152 * g + 0.0722 * b, (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089]
    .map(t => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116));
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

test('the colours of packages can be told apart', () => {
  for (const css of STYLE.split(/@media screen and \(prefers-color-scheme: ?dark\)/)) {
    const fills = [...css.matchAll(/\.af \.c(\d+){fill:(#[0-9a-f]{6})}/g)].map(([, number, fill]) => [number, lab(fill)]);
    assert.equal(fills.length, 13);
    fills.forEach(([a, from], i) => fills.slice(i + 1).forEach(([b, to]) =>
      assert.ok(Math.hypot(...from.map((one, k) => one - to[k])) > 14, `c${a} and c${b}: ${Math.hypot(...from.map((one, k) => one - to[k]))}`)));
  }
});

test('the timeline gives a method the colour that the picture gives it', () => {
  for (const text of ['', 'a', 'com.example.Foo.bar', 'com.example.Foo.baz', 'é', '日本', '🔥'])
    assert.equal(hueName({ text }), flame.classOf('classic', { frame: { text } }, 0), text);
});

test('the heaviest packages have colours of their own, which they keep', () => {
  const node = (frame, parent, us) => ({ frame, parent, self: [us * 1000, 0, 1] });
  const frames = Array.from({ length: 30 }, (_, i) => ({ scope: `com.p${String(i >> 1).padStart(2, '0')}.${i % 2 ? 'a.' : ''}Main`, name: 'run', signature: '', origin: 0, colour: 0 }));
  const nodes = [node(-1, -1, 0), ...frames.map((_, i) => node(i, 0, 100 - i))];
  const data = new flame.Data(encode({ frames, nodes })), kept = new Map(), classOf = scope => data.frames.find(one => one.scope === scope).package;
  const legend = flame.colourPackages(data, 0, kept);
  assert.deepEqual(legend, [...Array.from({ length: 12 }, (_, i) => [`com.p${String(i).padStart(2, '0')}`, i]), ['all other packages', 12]]);
  assert.deepEqual(['com.p00.Main', 'com.p11.a.Main', 'com.p12.Main', 'com.p14.a.Main'].map(classOf), ['c0', 'c11', 'c12', 'c12']);
  const left = data.filtered([['hide', 'com.p03'], ['hide', 'com.p07']], {});
  const second = flame.colourPackages(left, 0, kept);
  assert.equal(second.length, 13);
  assert.deepEqual(second.slice(-3), [['com.p12', 3], ['com.p13', 7], ['all other packages', 12]]);
  assert.deepEqual(['com.p00.Main', 'com.p11.a.Main', 'com.p12.Main', 'com.p14.Main'].map(classOf), ['c0', 'c11', 'c3', 'c12']);
  assert.equal(new Set(second.map(([, colour]) => colour)).size, 13);
});

test('the document has the table of commands', () => {
  const text = readFileSync(new URL('../../docs/pictures.md', import.meta.url), 'utf8');
  const rows = flame.COMMANDS.map(one => `| ${flame.keyWords(one).map(key => `\`${key}\``).join(' ')} | ${one.words} |\n`);
  assert.ok(text.includes(rows.join('')), rows.join(''));
  const keys = flame.COMMANDS.flatMap(one => one.keys);
  assert.equal(new Set(keys).size, keys.length, 'no key means two things');
});

/* As tests/unit/test_compare.c has them of the C. */
test('changes in words and steps', () => {
  for (const [a, b, percent, step] of [[0, 0, '0 %', 4], [100, 100, '0 %', 4], [100, 104, '+4 %', 4], [95, 100, '+5.26 %', 5], [100, 95, '-5 %', 3],
    [100, 80, '-20 %', 2], [80, 100, '+25 %', 6], [50, 100, '+100 %', 7], [100, 50, '-50 %', 1], [0, 1, 'new', 8], [1, 0, 'gone', 0],
    [1, 1000, '+99,900 %', 7], [1000, 1, '-99.9 %', 1], [100000, 100001, '+<0.01 %', 4]]) {
    assert.equal(flame.changePercent([a, b]), percent);
    assert.equal(flame.changeStep([a, b]), step, `${a} ${b}`);
  }
});

test('script and style fit into a picture', () => {
  assert.ok(!SCRIPT.includes(']]>') && !STYLE.includes(']]>'));
  assert.ok(Buffer.byteLength(STYLE) <= 8000, `${Buffer.byteLength(STYLE)} bytes of style`);
  assert.ok(Buffer.byteLength(SCRIPT) <= 63 * 1024, `${Buffer.byteLength(SCRIPT)} bytes of script`);
  assert.ok(!/innerHTML|\beval\b|https?:\/\/(?!www\.w3\.org\/)/.test(SCRIPT));
});
