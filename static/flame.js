/* The picture comes to life: views, zoom, search, details. One script for every picture, standalone or in
 * a page. The first half knows no document. */
(() => {
'use strict';

/* ==== numbers, in the words of render/number.c ==== */

const DURATIONS = [[1, ' ns'], [1e3, ' µs'], [1e6, ' ms'], [1e9, ' s'], [6e10, ' min']];
const SIZES = [' B', ' KiB', ' MiB', ' GiB', ' TiB', ' PiB'].map((word, i) => [1024 ** i, word]);

const grouped = n => String(n).replace(/\B(?=(\d{3})+$)/g, ',');
const counted = (n, noun, nouns = noun + 's') => `${grouped(n)} ${n === 1 ? noun : nouns}`;

const ratio = (part, whole, factor) =>
  Number((BigInt(part) * BigInt(factor) + BigInt(whole) / 2n) / BigInt(whole));

function fixed(value, decimals) {
  const fraction = String(value % 10 ** decimals).padStart(decimals, '0').replace(/0+$/, '');
  return grouped(Math.floor(value / 10 ** decimals)) +
    (decimals > 0 && fraction !== '' ? '.' + fraction : '');
}

function valueWords(unit, value) {
  if (unit === 'count')
    return grouped(value);
  const scales = unit === 'ns' ? DURATIONS : SIZES;
  for (let i = scales.filter(([least]) => least <= Math.max(1, value)).length - 1;; i++) {
    const [least, word] = scales[i], whole = String(Math.floor(value / least)).length;
    const decimals = i === 0 ? 0 : Math.max(0, 3 - whole), rounded = ratio(value, least, 10 ** decimals);
    /* 999.6 µs is 1 ms. */
    if (i + 1 === scales.length || rounded / 10 ** decimals < scales[i + 1][0] / least)
      return fixed(rounded, decimals) + word;
  }
}

function percentWords(part, whole) {
  if (part === 0 || whole === 0)
    return '0 %';
  if (part >= whole)
    return '100 %';
  const hundredths = ratio(part, whole, 10000), tenths = Math.min(999, ratio(part, whole, 1000));
  return hundredths === 0 ? '<0.01 %' : (hundredths < 1000 ? fixed(hundredths, 2) : fixed(tenths, 1)) + ' %';
}

/* ==== names ==== */

const CELLS_LEAST = 3;

/* In cells of a monospace font. Beyond the alphabets a character is taken for a wide one. */
function startWithin(text, cells) {
  let length = 0;
  for (const c of text.slice(0, cells)) {
    cells -= c < '\u1100' ? 1 : 2;
    if (cells < 0)
      break;
    length += c.length;
  }
  return text.slice(0, length);
}

const stands = (text, cells) => startWithin(text, cells) === text;
const cut = (text, cells) =>
  (cells < CELLS_LEAST ? '' : stands(text, cells) ? text : startWithin(text, cells - 2) + '..');
const joined = (scope, name) => (scope && name ? `${scope}.${name}` : scope || name);

/* com.example.foo.Foo.bar, c.e.f.Foo.bar, Foo.bar, bar, ba..: the longest that fits; `tail` tells
 * overloads apart. */
function fitName({ scope, name, text = joined(scope, name) }, tail, cells, full) {
  const packages = scope.split('.'), cls = packages.pop(), simple = joined(cls, name) + tail;
  const initials = packages.map(part => ([...part.slice(0, 2)][0] ?? '') + '.').join('');
  const form = [text + tail, initials + simple, simple].find(one => full || stands(one, cells));
  return cut(form ?? (name || cls) + tail, cells);
}

const PRIMITIVES =
  { B: 'byte', C: 'char', D: 'double', F: 'float', I: 'int', J: 'long', S: 'short', Z: 'boolean' };
const SIGNATURE = /^\(((?:\[*(?:[BCDFIJSZ]|L[^;()]+;))*)\)(?:\[*(?:[BCDFIJSVZ]|L[^;()]+;))?$/;

/* (ILjava/lang/String;)V -> (int, String) */
function signatureWords(signature) {
  const [, types] = SIGNATURE.exec(signature) ?? [];
  const words = types?.replace(/(\[*)(?:L[^;]*?([^;/]+);|(.))/g, (_, arrays, path, letter) =>
    `, ${path ?? PRIMITIVES[letter]}${'[]'.repeat(arrays.length)}`);
  return words === undefined ? signature : `(${words.slice(2)})`;
}

const mix = (h, byte) => Math.imul(h ^ byte, 0x01000193);
const fnv = text => Array.from(new TextEncoder().encode(text)).reduce(mix, 0x811c9dc5) >>> 0;

/* ==== the data, as render/data.h writes it ==== */

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_';
const DIGIT_OF = new Int8Array(128).fill(-1);
[...DIGITS].forEach((digit, i) => { DIGIT_OF[digit.charCodeAt(0)] = i; });

function damaged() {
  throw new Error('the data is damaged');
}

function reader(text, at) {
  return {
    at: () => at,
    number() {
      let value = 0, unit = 1, digit;
      for (; (digit = DIGIT_OF[text.charCodeAt(at++)]) >= 32; unit *= 32)
        value += (digit - 32) * unit;
      return digit >= 0 ? value + digit * unit : damaged();
    },
  };
}

/* What stands for the root or a track is no method. */
function frameOf(rank, origin, colour, line) {
  const [scope, name, signature] = line.split('\t');
  return { rank, origin, colour, line, scope, name, signature, text: joined(scope, name),
    isMethod: origin !== 8 };
}

/* What links call it: 30 bits. */
function keyOf(frame) {
  const hash = frame.key ? 0 : fnv(frame.text + frame.signature);
  return frame.key ??= [0, 6, 12, 18, 24].map(shift => DIGITS[hash >>> shift & 63]).join('');
}

/* By node: frame, parent (before its children), self (by value), and what stands for those that were left
 * out. 0 is the root. */
class Data {
  constructor(text) {
    Object.assign(this, { n: 0, frames: [], frame: [], parent: [], self: [], stubs: new Map() });
    this.read(text, 0);
  }
  /* All, or what is below a node: its first node is there already. Nodes and frames keep their numbers. Throws,
   * and then nothing has changed. */
  read(text, below) {
    const framesEnd = text.indexOf('\n\n'), [head, ...lines] = text.slice(0, framesEnd).split('\n');
    const header = JSON.parse(head), { values } = header, old = Math.max(0, this.n - 1);
    const n = old + header.embedded + 1, stubs = new Map(this.stubs);
    if (header.format !== 'aflamed-flame' || header.version !== 1 || n <= this.n)
      damaged();
    const frames = [...this.frames], known = new Map(frames.map(({ rank }, f) => [rank, f]));
    let last = frameOf(-1, 8, 0, `\t${header.root}\t`);
    const take = () => known.get(last.rank) ?? frames.push(last) - 1, frameAt = [take()];
    for (const line of lines) {
      const { number, at } = reader(line, 0);
      const rank = Math.max(0, last.rank) + number(), prefix = number(), origin = number(), colour = number();
      last = frameOf(rank, origin, colour, last.line.slice(0, prefix) + line.slice(at()));
      frameAt.push(take());
    }
    const copied = (Column, column = []) => {
      const made = new Column(n);
      made.set(column);
      return made;
    };
    const [frame, parent] = [this.frame, this.parent].map(column => copied(Uint32Array, column));
    const self = values.map((_, v) => copied(Float64Array, this.self[v])), path = [];
    const [wall, cpu] = ['wall', 'cpu'].map(role => self[values.findIndex(value => value.role === role)]);
    const scales = values.map(({ derived, scale }) => (derived ? 0 : scale));
    const { number, at } = reader(text, framesEnd + 2);
    stubs.delete(below);
    for (let i = old, depth = -1; i < n; i++) {
      const step = number(), f = frameAt[number()], node = i === old ? below : i;
      depth += 1 - Math.floor(step / 2);
      if (f === undefined || depth < 0 || (depth === 0) !== (i === old))
        damaged();
      path[depth] = node;
      if (depth > 0) {
        frame[node] = f;
        parent[node] = path[depth - 1];
      }
      for (let v = 0; v < self.length; v++)     /* a derived one is behind those that it comes from */
        self[v][node] = scales[v] > 0 ? number() * scales[v] : Math.max(0, wall[node] - cpu[node]);
      if (step % 2 === 1) {
        const [place, shown, , nodes] = [0, 0, 0, 0].map(number);
        stubs.set(node, { place, shown, nodes, totals: values.map(({ scale }) => number() * scale) });
      }
    }
    if (at() < text.trimEnd().length)
      damaged();
    Object.assign(this, { header: this.header ?? header, values, n, frames, frame, parent, self, stubs });
    this.link();
  }
  link() {
    const { n, parent, frames, values } = this;
    const [child, sibling, ids, cursors] = [0, 0, 0, 0].map(() => new Uint32Array(n));
    for (let i = n - 1; i > 0; i--) {
      sibling[i] = child[parent[i]];
      child[parent[i]] = i;
    }
    const next = { ids, cursors, nodes: new Uint32Array(frames.length) };
    Object.assign(this, { child, sibling, next, made: {}, ranks: frames.map(({ rank }) => rank),
      calls: values.findIndex(({ role }) => role === 'calls') });
  }
  callsOf(i) { return this.self[this.calls]?.[i] ?? 0; }
  summed(column, ofStub) {
    const { n, parent, stubs } = this;
    stubs.forEach((stub, i) => { column[i] += ofStub(stub); });
    for (let i = n - 1; i > 0; i--)
      column[parent[i]] += column[i];
    return column;
  }
  total(v) { return this.made[`total ${v}`] ??= this.summed(this.self[v].slice(), stub => stub.totals[v]); }
  get sizes() { return this.made.sizes ??= this.summed(new Float64Array(this.n).fill(1), stub => stub.nodes); }
  /* Of all nodes of the frames for which it is so: 1; in the total nested ones are once. */
  sumOf(hits, v) {
    const { n, frame, parent } = this, total = this.total(v), self = this.self[v], within = new Uint8Array(n);
    const made = { nodes: 0, total: 0, self: 0, calls: 0, outermost: [] };
    for (let i = 1, hasAny = hits.includes(1); hasAny && i < n; i++) {
      within[i] = within[parent[i]] | hits[frame[parent[i]]];
      if (hits[frame[i]] === 0)
        continue;
      made.nodes++;
      made.self += self[i];
      made.calls += this.callsOf(i);
      if (within[i] === 0) {
        made.total += total[i];
        made.outermost.push(i);
      }
    }
    return made;
  }
  instancesOf(f, v) {
    return this.made[`${f} ${v}`] ??= this.sumOf(Uint8Array.from(this.frames, (_, one) => one === f), v);
  }
  methodsBy(v) {
    const sums = new Float64Array(this.frames.length), { frame, frames, self: { [v]: self } } = this;
    for (let i = 0; i < this.n; i++)
      sums[frame[i]] += self[i];
    return frames.map((one, f) => ({ f, frame: one, self: sums[f] })).filter(one => one.frame.isMethod)
      .sort((a, b) => a.frame.rank - b.frame.rank);
  }
  methods(v) { return this.made[`methods ${v}`] ??= this.methodsBy(v); }
  largestSelf(v) {
    return this.self[v].reduce((most, self, i) =>
      (self > most && this.frames[this.frame[i]].isMethod ? self : most), 0);
  }
  packages(v) {
    const made = new Map();
    for (const { frame: { scope, name, colour }, self } of this.methods(v)) {
      const key = scope.split('.').slice(0, -1).slice(0, 2).join('.') || scope || name;
      made.set(key, { name: key, colour, self: self + (made.get(key)?.self ?? 0) });
    }
    return [...made.values()].sort((a, b) => b.self - a.self || (a.name < b.name ? -1 : 1));
  }
  /* The frame of a text, with signature or without; else that with the largest self; of no methods the
   * root's. */
  methodNamed(wanted, v) {
    const all = this.methods(v);
    return (all.find(({ frame: { text, signature } }) => text + signature === wanted) ??
      all.find(({ frame }) => frame.text === wanted) ??
      all.reduce((best, one) => (best.self >= one.self ? best : one), { f: 0, self: -1 })).f;
  }
}

/* ==== trees of views ==== */

/* Columns of nodes, which are made when they are asked for. The first of them is none: `up` of a root is 0.
 * A node stands for nodes of the data, its members: ids[from .. end - 1], each with a cursor. On the way to
 * the node's children the cursors go on to their callers, if it is `upward`, or into their callees. */
class Tree {
  /* Of the view of a method two roots: callers, callees. */
  constructor(data, view, v, method = 0) {
    const { frame, frames, next } = data, total = data.total(v), isUpward = view === 'inverted';
    for (const column of ['frame', 'up', 'upward', 'total', 'self', 'from', 'end', 'kids'])
      this[column] = [];
    Object.assign(this, { data, v, weight: isUpward ? data.self[v] : total,
      isWhole: !isUpward && method === 0, placed: 0 });
    [this.ids, this.cursors] = [0, 0].map(() => new Uint32Array(2 * data.n));
    this.add(0, 0, 0);
    const begin = (up, upward, some) => {
      next.ids.set(some);
      next.cursors.set(some);
      return this.group(up, upward, some.length);
    };
    this.roots = this.isWhole ? begin(0, 0, [0]) : isUpward ? [this.add(0, 0, 1)] : [1, 0].map(upward =>
      begin(0, upward, data.instancesOf(method, v).outermost)[0] ?? this.add(method, 0, upward));
    if (!isUpward)
      return;
    const methods = [];
    for (let i = 0; i < data.n; i++)
      if (frames[frame[i]].isMethod)
        methods.push(i);
    [this.total[1], this.self[1], this.kids[1]] = [total[0], data.self[v][0], begin(1, 1, methods)];
  }
  add(f, up, upward) {
    this.frame.push(f);
    this.up.push(up);
    this.upward.push(upward);
    for (const column of [this.total, this.self, this.from, this.end])
      column.push(0);
    return this.kids.push(null) - 1;
  }
  /* Of the n next members a node for each frame at a cursor. Counted first, then placed: it can be all of
   * the data. Those that go upward stay in their place, whatever the depth. */
  group(above, upward, n) {
    const { data, v, weight, frame: { length: first }, total, self, from, end, ids, cursors } = this, made = [];
    const { frame, parent, next, ranks } = data, own = data.self[v];
    for (let i = 0; i < n; i++) {
      const f = frame[next.cursors[i]], part = weight[next.ids[i]];
      const node = next.nodes[f] ||= this.add(f, above, upward);
      total[node] += part;
      self[node] += upward === 0 ? own[next.ids[i]] : parent[next.cursors[i]] === 0 ? part : 0;
      end[node]++;
    }
    let place = upward === 1 && end[above] > 0 ? end[above] - n : this.placed;
    this.placed = Math.max(this.placed, place + n);
    for (let node = first; node < end.length; node++) {
      from[node] = place;
      place += end[node];
      end[node] = from[node];
      made.push(node);
    }
    for (let i = 0; i < n; i++) {
      const at = end[next.nodes[frame[next.cursors[i]]]]++;
      ids[at] = next.ids[i];
      cursors[at] = next.cursors[i];
    }
    made.forEach(node => { next.nodes[this.frame[node]] = 0; });
    return made.sort((a, b) => ranks[this.frame[a]] - ranks[this.frame[b]]);
  }
  makeKids(node) {
    const { data: { child, sibling, parent, next }, ids, cursors, from, end } = this;
    let n = 0;
    for (let i = from[node], ended = i; i < end[node]; i++)
      if (this.upward[node] === 0)
        for (let one = child[ids[i]]; one > 0; one = sibling[one])
          next.ids[n] = next.cursors[n++] = one;
      else if (parent[cursors[i]] > 0) {
        next.ids[n] = ids[i];
        next.cursors[n++] = parent[cursors[i]];
      } else
        ids[ended++] = ids[i];
    return this.group(node, this.upward[node], n);
  }
  /* By rank. */
  kidsOf(node) { return this.kids[node] ??= this.makeKids(node); }
  frameOf(node) { return this.data.frames[this.frame[node]]; }
  membersOf(node) { return [...this.ids.subarray(this.from[node], this.end[node])]; }
  callsOf(node) { return this.membersOf(node).reduce((sum, i) => sum + this.data.callsOf(i), 0); }
  stubsOf(node) {
    const { stubs } = this.data;
    return this.upward[node] === 1 || stubs.size === 0 ? [] :
      this.membersOf(node).map(i => stubs.get(i)).filter(stub => stub);
  }
  hiddenOf(node, of = ({ totals }) => totals[this.v]) {
    return this.stubsOf(node).reduce((sum, stub) => sum + of(stub), 0);
  }
  /* From its root. */
  pathTo(node) {
    const made = [];
    for (let one = node; one > 0; one = this.up[one])
      made.push(one);
    return made.reverse();
  }
}

/* ==== layout ==== */

const LEVELS_MAX = 2000, ANCESTORS_MAX = 1000, BOXES_MAX = 30000;

/* Rows of boxes {node, hides: whether it is what is not in the file, x, end (tenths of a pixel), at, total} of
 * a zoomed node and what is around it; `dropped`: total of the topmost that are too narrow or too deep. More
 * boxes than can be drawn quickly raise the least width. */
function layout(tree, zoom, widthPx, minPx, byWeight) {
  const whole = tree.total[zoom], leastPx = Math.max(0.1, minPx), least = leastPx * whole / widthPx;
  const edge = at => Math.round(at / whole * widthPx * 10);
  const rows = tree.pathTo(zoom).slice(-1 - ANCESTORS_MAX)
    .map(node => [{ node, hides: false, x: 0, end: widthPx * 10, at: 0, total: whole }]);
  const made = { rows, dropped: 0, drawn: 0 }, top = rows.length - 1;
  for (let row = top, n = top; whole > 0 && row < rows.length; row++) {
    const next = [];
    for (const { node, hides, at, total } of rows[row]) {
      const self = tree.self[node];
      let start = at + self, rest = total - self;
      const put = (one, part, isHidden) => {
        const x = edge(start), end = edge(start += part);
        if (part >= least && end > x) {
          next.push({ node: one, hides: isHidden, x, end, at: start - part, total: part });
          rest -= part;
        }
      };
      if (hides)
        continue;
      let kids = rest >= least && row - top + 1 < LEVELS_MAX ? tree.kidsOf(node) : [];
      if (byWeight)
        kids = kids.filter(kid => tree.total[kid] >= least).sort((a, b) => tree.total[b] - tree.total[a]);
      for (const kid of kids)
        put(kid, tree.total[kid], false);
      made.drawn += tree.up[node] === 0 ? 0 : 1;
      made.dropped += rest;
      put(node, tree.hiddenOf(node), true);
    }
    n += next.length;
    if (n > BOXES_MAX && minPx < widthPx)
      return layout(tree, zoom, widthPx, 2 * leastPx, byWeight);
    if (next.length > 0)
      rows.push(next);
  }
  return made;
}

/* ==== search, colours ==== */

/* Throws SyntaxError. */
function matcher(search, regexp, matchCase) {
  const slashed = /^\/(.+)\/$/.exec(search)?.[1] ??
    (regexp ? search : search.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  const wanted = new RegExp(slashed, matchCase ? 'u' : 'iu');
  return search === '' ? null : text => wanted.test(text);
}

/* By frame whether it matches, how many do, and their sums. */
function search(data, v, isMeant) {
  const hits = Uint8Array.from(data.frames, frame => isMeant !== null && frame.rank >= 0 &&
    (isMeant(frame.full ??= frame.text + signatureWords(frame.signature)) || isMeant(frame.text)));
  return { hits, methods: hits.reduce((n, hit) => n + hit, 0), ...data.sumOf(hits, v) };
}

function colourClass(palette, frame, self, largest) {
  if (!frame.isMethod)
    return 'cr';
  switch (palette) {
  case 'package': return 'c' + frame.colour;
  case 'self': return 'h' + (self === 0 ? 0 : Math.min(7, 1 + Math.floor(7 * self / (largest + 1))));
  case 'classic': return 'y' + (frame.classic ??= fnv(frame.text) % 8);
  default: return 'o' + frame.origin;
  }
}

if (typeof module === 'object') {
  module.exports = { Data, Tree, colourClass, cut, fitName, keyOf, layout, matcher, percentWords, search,
                     signatureWords, valueWords };
  return;
}

/* ==== the picture ==== */

const PAD = 10, LEVEL = 16, CELL = 7.2, TEXTS_MAX = 1800, PIECES_MAX = 8;
const BUNCH = 1000, GAPLESS = 20;
const ORIGINS = ['app', 'third party', 'AndroidX', 'Android', 'Java/Kotlin', 'native', 'idle', 'unknown'];
/* What the fragment calls parts of the state. */
const KEYS = { selected: 'sel', search: 'q', regexp: 're', matchCase: 'case' };
const AMOUNTS = { ns: 'time', bytes: 'bytes', count: 'count' };
const ELSEWHERE = 'Frames that are not in this file can be had where it came from';
const isHttp = location.protocol.startsWith('http');

/* The controls, of constant words: no name is ever markup. `name` is a part of the state, `data-do` what
 * svg.flame is to do. */
const chooser = (name, label, words) => `<label>${label} <select name="${name}" aria-label="${label}">` +
  `${words.replace(/\S+/g, '<option>$&</option>')}</select></label>`;
const doer = (name, words, label) =>
  `<button type="button" data-do="${name}" title="${label}" aria-label="${label}">${words}</button>`;
const boxed = (name, inner) => '<foreignObject><div xmlns="http://www.w3.org/1999/xhtml" ' +
  `class="${name}">${inner}</div></foreignObject>`;
const MARKUP = boxed('head', '<p class="title"></p><p class="legend"></p>') +
  '<g class="graph" tabindex="0" role="application" aria-label="Frames: arrow keys select, Enter zooms in, ' +
  'Escape out"><g class="shapes"/><g class="matched"/><g class="texts"/><path class="chosen"/>' +
  '<path class="under"/></g>' +
  boxed('bar', '<div class="tools" role="toolbar" aria-label="Flame graph">' +
    chooser('view', 'View', 'flame icicle inverted sandwich' + (isHttp ? ' chart' : '')) +
    chooser('value', 'Value', '') + chooser('order', 'Order', 'name weight') +
    chooser('palette', 'Colours', 'origin package self classic') + chooser('names', 'Names', 'short full') +
    '<label>Search <input type="search" name="search" aria-label="Search" placeholder="text or /regexp/"/>' +
    '</label><label>Match case <input type="checkbox" name="matchCase" aria-label="Match case"/></label>' +
    doer('previous', '◀', 'Previous match') + doer('next', '▶', 'Next match') +
    doer('reset', 'Reset', 'Reset zoom, selection and search') + doer('png', 'PNG', 'Download as PNG') +
    '</div><div class="found"><p class="status" role="status"></p><p class="matches" role="status"></p></div>' +
    '<nav class="crumbs" aria-label="Zoom"></nav><div class="details" aria-live="polite"></div>') +
  boxed('tip', '');

function setAll(element, attributes) {
  Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
  return element;
}
/* 'path.under': of that class. */
const maker = space => (name, attributes = {}, ...children) => {
  const [tag, cls = ''] = name.split('.'), made = document.createElementNS(`http://www.w3.org/${space}`, tag);
  made.append(...children);
  return setAll(made, cls === '' ? attributes : { class: cls, ...attributes });
};
const shape = maker('2000/svg'), html = maker('1999/xhtml');
const rows = (words, name = 'p') => words.map(row => html(name, {}, row));
const button = (words, title, what, to) =>
  html('button', { type: 'button', 'aria-label': title, title, 'data-do': what, 'data-to': to }, words);
const rectOf = element => element.getBoundingClientRect();

/* Elements are what makes large pictures slow, and so are paths that go all over the picture: some boxes that
 * are near each other are one path. */
const bunches = boxes => Array.from({ length: Math.ceil(boxes.length / BUNCH) }, (_, i) =>
  boxes.slice(i * BUNCH, (i + 1) * BUNCH));
/* Those that touch, too narrow for a gap, are drawn as one. A border (tenths of a pixel) is filled as well, in
 * a tenth of the time of a stroke. */
function pathOf(boxes, border = 0) {
  const runs = [];
  for (const { x, end, level } of boxes) {
    const last = runs[runs.length - 1];
    if (end - x <= GAPLESS && last?.end === x && last.level === level)
      last.end = end;
    else
      runs.push({ x, end: end - (end - x > GAPLESS ? 5 : 0), level });
  }
  return runs.map(({ x, end, level }) => {
    const [left, right, inset] = [x / 10, end / 10, border / 10], y = level * LEVEL;
    return `M${left} ${y}H${right}v15H${left}z` + (border === 0 || end - x <= 2 * border ? '' :
      `M${(x + border) / 10} ${y + inset}v${15 - 2 * inset}H${(end - border) / 10}v${2 * inset - 15}z`);
  }).join('');
}

/* The service draws it anew; a file has nowhere to lead to. */
function startChart(svg) {
  if (!isHttp)
    svg.querySelectorAll('a').forEach(link => link.removeAttribute('href'));
  else if (svg === document.documentElement)
    svg.append(shape('a', { href: '?view=flame' },
      shape('text', { x: svg.getAttribute('width') - 90, y: 26 }, 'flame graph')));
  svg.dataset.state = 'ready';
}

function start(svg, prefix, data) {
  const { header, values } = data, standalone = svg === document.documentElement;
  const scroller = standalone ? window : svg.parentElement;
  const usual = { ...header.options, zoom: '', selected: '', search: '', regexp: false, matchCase: false };
  let state = usual, tree = null, zoom = 0, selected = 0, hovered = null, parts = [], boxes = [], levels = [];
  let hits = [], twins = [];
  let v = 0, turn = 0, trouble = '', widthPx = 0, topPx = 0;

  const textOf = row => (row.querySelector('title') ?? row).textContent;
  const title = textOf(svg.querySelector('.t')), warnings = Array.from(svg.querySelectorAll('.w'), textOf);
  svg.querySelectorAll('.t, .s, .w, .l, .f').forEach(drawn => drawn.remove());
  svg.insertAdjacentHTML('beforeend', MARKUP);
  const { head, title: titleLine, legend, graph, shapes, matched, texts, chosen, under, bar, tools, status,
    matches, crumbs, details, tip } = Object.fromEntries(Array.from(svg.querySelectorAll('[class]'), one =>
    [one.getAttribute('class'), one]));
  const [headBox, barBox, tipBox] = [head, bar, tip].map(inner => inner.parentNode), made = {}, shown = {};
  const inputs = Object.fromEntries(Array.from(tools.querySelectorAll('[name]'), one => [one.name, one]));
  inputs.value.append(...values.map(({ name, label }) => new Option(label, name)));
  legend.before(...rows(warnings, 'p.warning'));

  /* ---- state ---- */

  const valueOf = ({ value }) => values.findIndex(({ name }) => name === value);
  const inWords = value => valueWords(values[v].unit, value);
  const shareOf = (part, whole = data.total(v)[0]) =>
    `${percentWords(part, whole)} of the ${AMOUNTS[values[v].unit]}`;
  const boxOf = node => boxes.find(box => box.node === node && !box.hides);
  /* Of a callers' tree it begins with a dot. */
  const linkOf = node => (tree.roots.length > 1 && tree.upward[node] === 1 ? '.' : '') +
    tree.pathTo(node).slice(1).map(one => keyOf(tree.frameOf(one))).join('');
  const nameOf = node => (node === 0 ? '' : linkOf(node) || 'root');

  const methodOf = wanted =>
    (wanted.view === 'sandwich' ? data.methodNamed(wanted.method, valueOf(wanted)) : 0);
  /* Links lead to the same places in all trees of a family. */
  const familyOf = wanted => wanted.view.replace('icicle', 'flame') + data.frames[methodOf(wanted)].line;
  function treeOf(wanted) {
    const of = valueOf(wanted), key = [familyOf(wanted), of, data.n].join();
    return made[key] ??= Object.assign(new Tree(data, wanted.view, of, methodOf(wanted)), { key });
  }
  /* As far as it leads, and what stands in its way. */
  function follow(link, within) {
    let node = within.roots[link.startsWith('.') ? 0 : within.roots.length - 1], kid = node;
    for (const key of link.match(/[^.]{5}/g) ?? []) {
      kid = within.kidsOf(node).find(one => keyOf(within.frameOf(one)) === key);
      if (kid === undefined)
        break;
      node = kid;
    }
    return { node, stubs: kid === undefined ? within.stubsOf(node) : [] };
  }
  const isKnown = ([key, value]) => (inputs[key]?.options === undefined ? typeof value === typeof usual[key] :
    Array.from(inputs[key].options).some(option => option.value === value));

  /* `push`: an entry of its own in the history. Awaits only what must be fetched. */
  async function set(partial, push = true, stubs = []) {
    const mine = ++turn, changes = Object.fromEntries(Object.entries(partial).filter(isKnown));
    let wanted = { ...state, ...changes }, within, places;
    if (wanted.view === 'chart')
      return location.assign('?view=chart');
    if (familyOf(wanted) !== familyOf(state))
      wanted = { ...wanted, zoom: '', selected: '', ...changes };
    trouble = '';
    do {
      if (stubs.length > 0)
        await fetchHidden(stubs);
      within = treeOf(wanted);
      places = [wanted.zoom, wanted.selected].map(link => follow(link, within));
      stubs = trouble === '' ? places.flatMap(place => place.stubs) : [];
    } while (stubs.length > 0);
    if (mine !== turn)
      return;
    [tree, zoom, selected] = [within, places[0].node, wanted.selected === '' ? 0 : places[1].node];
    v = valueOf(wanted);
    state = { ...wanted, zoom: linkOf(zoom), selected: nameOf(selected) };
    redraw();
    writeLink(push);
    svg.dispatchEvent(new CustomEvent('flame-state', { bubbles: true, detail: { ...state } }));
  }
  const select = node => set({ selected: nameOf(node) }, false);
  const zoomInto = node => set({ zoom: linkOf(node), selected: nameOf(node) });
  const reset = () => set({ zoom: '', selected: '', search: '' });

  async function fetchHidden(stubs) {
    const source = svg.closest('[data-flame-tree]')?.dataset.flameTree ??
      location.pathname.replace(/(\.svg)?$/, '/tree');
    trouble = isHttp ? '' : `. ${ELSEWHERE}`;
    for (const { place, shown } of isHttp ? stubs.slice(0, PIECES_MAX) : [])
      try {
        const answer = await fetch(`${source}?node=${place}&skip=${shown}&${header.query}`);
        if (!answer.ok)
          throw new Error(`${answer.status} ${answer.statusText}`);
        data.read(await answer.text(), [...data.stubs].find(([, stub]) => stub.place === place)[0]);
      } catch (error) {
        trouble = `. Frames could not be fetched: ${error.message}`;
      }
  }
  const keyed = () => Object.keys(usual).map(field => [field, prefix + (KEYS[field] ?? field)]);
  /* By location, since history.pushState throws where a policy gives us no origin. An empty one would
   * scroll. */
  function writeLink(push) {
    const hash = new URLSearchParams(location.hash.slice(1));
    for (const [field, key] of keyed())
      state[field] === usual[field] ? hash.delete(key) : hash.set(key, state[field]);
    const next = location.hash && `${hash}` === '' ? `#${prefix}view=${state.view}` : `#${hash}`;
    if (next !== (location.hash || '#'))
      push ? location.hash = next : location.replace(next);
  }
  function readLink() {
    const hash = new URLSearchParams(location.hash.slice(1));
    const wanted = Object.fromEntries(keyed().map(([field, key]) =>
      [field, typeof usual[field] === 'boolean' ? hash.get(key) === 'true' : hash.get(key) ?? usual[field]]));
    if (`${Object.values(wanted)}` !== `${Object.values(state)}`)
      set(wanted, false);
  }

  /* ---- words ---- */

  const hiddenWords = node =>
    `${counted(tree.hiddenOf(node, stub => stub.nodes), 'frame')} not in this file: ` +
    inWords(tree.hiddenOf(node)) + (data.calls < 0 ? '' :
      `, ${counted(tree.hiddenOf(node, ({ totals }) => totals[data.calls]), 'call')}`);
  /* Of the frames below a node, those that are called as another one. */
  function twinsBelow(node) {
    const seen = new Set();
    return twins[node] ??= new Set(tree.kidsOf(node).map(kid => tree.frameOf(kid).text).filter(text =>
      seen.size === seen.add(text).size));
  }
  function labelOf({ node, hides, x, end }) {
    const frame = tree.frameOf(node), up = tree.up[node], cells = Math.floor(((end - x) / 10 - 6) / CELL);
    return hides ? cut(hiddenWords(node), cells) :
      fitName(frame, up > 0 && twinsBelow(up).has(frame.text) ? signatureWords(frame.signature) : '', cells,
        state.names === 'full');
  }
  function describe({ node, hides }) {
    if (hides)
      return [hiddenWords(node), isHttp ? 'Click to fetch them.' : ELSEWHERE];
    const frame = tree.frameOf(node), total = tree.total[node], path = tree.pathTo(node);
    const calls = tree.callsOf(node), hasCalls = data.calls >= 0;
    const thread = tree.isWhole && header.side_by_side ? tree.total[path[1] ?? node] : data.total(v)[0];
    const near = path[0] === tree.pathTo(zoom)[0] ? zoom : path[0];
    const shares = [
      [thread, header.merged ? 'all' : 'thread'], [tree.total[near], 'zoom'],
      [tree.total[tree.up[node] || node], 'parent'],
    ].map(([whole, of]) => `${percentWords(total, whole)} of ${of}`);
    const isRecursive = tree.isWhole && path.some(one => one !== node && tree.frame[one] === tree.frame[node]);
    const all = data.instancesOf(tree.frame[node], v);
    const lines = [`${frame.text} ${signatureWords(frame.signature)}`,
                   `total ${inWords(total)}: ${shares.join(', ')}; self ${inWords(tree.self[node])}`];
    if (frame.isMethod && hasCalls)
      lines.push(`calls ${grouped(calls)}` +
        (isRecursive && calls > 0 ? ` (${grouped(calls)} recursive)` : '') +
        (calls > 0 ? `, ${inWords(ratio(total, calls, 1))} per call` : ''));
    if (frame.isMethod)
      lines.push(`${counted(all.nodes, 'instance')} of this method: total ${inWords(all.total)} ` +
        `(${shareOf(all.total)}), self ${inWords(all.self)}` +
        (hasCalls ? `, ${counted(all.calls, 'call')}` : ''));
    return lines;
  }
  /* It ends with the value that is shown. */
  const titleNow = () => state.value === usual.value ? title :
    [...title.split(' · ').slice(0, -2), values[v].label, inWords(data.total(v)[0])].join(' · ');
  function showWords() {
    titleLine.textContent = titleNow();
    const { dropped } = parts[tree.roots.indexOf(tree.pathTo(zoom)[0])], total = tree.total[zoom];
    const drawn = grouped(parts.reduce((sum, part) => sum + part.drawn, parts.length - 1));
    const of = tree.isWhole ?
      ` of ${grouped(data.sizes[tree.ids[tree.from[zoom]]] - (tree.up[zoom] === 0 ? 1 : 0))}` : '';
    const origin = tree.isWhole || data.stubs.size === 0 ? '' : ', from what is in this file';
    status.textContent = (total === 0 ? 'no calls recorded for this value' :
      `${drawn}${of} frames drawn; ${shareOf(total - dropped, total)}`) + origin + trouble;
    const trail = tree.pathTo(zoom).map(node => button(fitName(tree.frameOf(node), '', 32, false),
      `Zoom to ${tree.frameOf(node).text}`, 'zoomTo', linkOf(node)));
    if (trail.length > 6)
      trail.splice(2, trail.length - 5, '…');
    crumbs.replaceChildren(...trail.flatMap((one, i) => (i > 0 ? [' › ', one] : [one])));
    details.replaceChildren(
      ...rows(selected === 0 ? ['Click a frame to zoom into it.'] : describe({ node: selected })));
    const frame = tree.frameOf(selected);
    if (selected > 0 && frame.isMethod)
      details.lastChild.append(' ', button('Callers and callees', `Callers and callees of ${frame.text}`,
        'sandwich', frame.text + frame.signature));
  }
  function showLegend() {
    const swatch = (cls, word) => html('span', {}, shape('svg.swatch', { width: 10, height: 10 },
      shape('rect.' + cls, { width: 10, height: 10 })), ' ' + word);
    const used = new Set(data.frames.map(({ origin }) => origin));
    const all = state.palette === 'package' ? data.packages(v) : [];
    legend.replaceChildren(...{
      origin: ORIGINS.map((word, i) => used.has(i) &&
        swatch('o' + i, i === 0 && header.app ? `app: ${header.app}` : word)),
      package: [...all.slice(0, 8).map(({ name, colour }) => swatch('c' + colour, cut(name, 40))),
        all.length > 8 && 'other'],
      self: ['no self', ...[0, 1, 2, 3, 4, 5, 6, 7].map(i => swatch('h' + i, '')), 'most self'],
      classic: ['classic: the colours mean nothing'],
    }[state.palette].filter(one => one));
  }

  /* ---- drawing ---- */

  const yOf = box => topPx + box.level * LEVEL;
  const roomPx = () => Math.max(200, Math.floor(rectOf(svg).width));
  /* The method of a sandwich is in both of its trees, and drawn once. */
  function arrange() {
    const { roots } = tree, shown = tree.pathTo(zoom)[0], isFlame = state.view === 'flame';
    parts = roots.map(root => layout(tree, root === shown ? zoom : root, widthPx - 2 * PAD, header.min,
      state.order === 'weight'));
    levels = parts.flatMap(({ rows: all }, i) => (isFlame ? [...all].reverse() :
      i + 1 < roots.length ? all.slice(1).reverse() : all));
    boxes = levels.flatMap((row, level) => row.map(box => Object.assign(box, { level })));
  }
  const isNews = (what, ...all) => shown[what] !== (shown[what] = all.join());
  function redraw() {
    const began = performance.now(), anchor = boxOf(zoom), oldPx = anchor && yOf(anchor);
    const { view, order, palette, names } = state, isFirst = widthPx === 0;
    if (roomPx() !== widthPx)
      svg.removeAttribute('viewBox');     /* it would be measured by */
    widthPx = roomPx();
    const isNew = isNews('drawn', tree.key, linkOf(zoom), widthPx, view, order, palette, names);
    if (isNew) {
      arrange();
      showLegend();
    }
    const isFound = isNews('found', v, data.n, state.search, state.regexp, state.matchCase);
    if (isFound)
      find();
    showWords();
    for (const [name, input] of Object.entries(inputs))
      if (document.activeElement !== input || input.localName === 'select')
        Object.assign(input, { value: state[name], checked: state[name] === true });
    for (const outer of [headBox, barBox])
      setAll(outer, { x: PAD, width: widthPx - 2 * PAD, height: 1 });
    const [headPx, barPx] = [head, bar].map(inner => Math.ceil(rectOf(inner).height));
    setAll(headBox, { height: headPx });
    setAll(barBox, { y: headPx, height: barPx });
    topPx = headPx + barPx + 6;
    const heightPx = topPx + Math.max(1, levels.length) * LEVEL + PAD;
    setAll(svg, { height: heightPx, viewBox: `0 0 ${widthPx} ${heightPx}` });
    setAll(graph, { transform: `translate(${PAD} ${topPx})` });
    if (isNew) {
      drawShapes();
      drawTexts();
    }
    if (isNew || isFound)
      matched.replaceChildren(...bunches(boxes.filter(isHit)).map(some =>
        shape('path', { d: pathOf(some, 15) })));
    graph.classList.toggle('searched', matched.childElementCount > 0);
    outline(chosen, boxOf(selected));
    point(null);
    if (oldPx !== undefined && yOf(boxOf(zoom)) !== oldPx)
      scroller.scrollBy(0, yOf(boxOf(zoom)) - oldPx);
    if (isNew && !isFirst)
      reveal(zoom);
    stick();
    svg.dispatchEvent(new CustomEvent('flame-drawn', { bubbles: true, detail: {
      drawn: boxes.length, total: header.nodes, ms: performance.now() - began } }));
  }
  function drawShapes() {
    const { palette } = state, largest = palette === 'self' ? data.largestSelf(v) : 0;
    shapes.replaceChildren(...bunches(boxes).flatMap(some => {
      const ofClass = {};
      for (const one of some) {
        const { node, hides } = one;
        const cls = hides ? 'st' : colourClass(palette, tree.frameOf(node), tree.self[node], largest);
        (ofClass[cls] ??= []).push(one);
      }
      return Object.entries(ofClass).map(([cls, its]) => shape('path.' + cls, { d: pathOf(its) }));
    }));
  }
  const outline = (path, one) => path.setAttribute('d', one ? pathOf([one]) : '');
  const byWidth = (a, b) => b.end - b.x - a.end + a.x;
  /* Of more names than can be drawn quickly, the widest near the window. */
  function drawTexts() {
    const { top } = rectOf(svg);
    const isNear = box => svg.matches('.paper') || Math.abs(top + yOf(box) - innerHeight / 2) < innerHeight;
    let wide = boxes.filter(({ x, end }) => end - x >= 10 * (CELLS_LEAST * CELL + 6));
    if (wide.length > TEXTS_MAX)
      wide = wide.filter(isNear).sort(byWidth).slice(0, TEXTS_MAX);
    texts.replaceChildren(...wide.map(box =>
      shape('text', { x: (box.x + 30) / 10, y: box.level * LEVEL + 11 }, labelOf(box))));
  }
  /* Where in the window there is picture to be seen. */
  function port() {
    const { top, bottom } = standalone ? { top: 0, bottom: innerHeight } : rectOf(scroller);
    return { top: Math.max(0, top), bottom: Math.min(innerHeight, bottom) };
  }
  /* The toolbar stays in sight while there is picture below it. */
  function stick() {
    const above = port().top - rectOf(svg).top - barBox.getAttribute('y');
    const most = svg.getAttribute('height') - topPx - LEVEL;
    barBox.setAttribute('transform', `translate(0 ${Math.max(0, Math.min(above, most))})`);
  }

  /* ---- search ---- */

  const isHit = ({ node, hides }) => !hides && hits[tree.frame[node]] === 1;
  function find() {
    let isMeant = null, error = '';
    try {
      isMeant = matcher(state.search, state.regexp, state.matchCase);
    } catch ({ message }) {
      error = message;
    }
    const { nodes, methods, total, ...found } = search(data, v, isMeant);
    ({ hits } = found);
    matches.textContent = isMeant === null ? error :
      `${counted(nodes, 'match', 'matches')} of ${counted(methods, 'method')}: ${shareOf(total)}`;
  }
  /* In the tree that was read all matches come in turn; in others those that are drawn. */
  function step(by) {
    const n = tree.isWhole ? data.n : boxes.length, path = [], first = node => tree.ids[tree.from[node]];
    let at = !tree.isWhole ? Math.max(boxes.indexOf(boxOf(selected)), by < 0 ? 0 : -1) :
      selected > 0 ? first(selected) : 0;
    let left = n;
    do
      at = (at + by + n) % n;
    while (--left > 0 && !(tree.isWhole ? hits[data.frame[at]] === 1 : isHit(boxes[at])));
    for (let i = tree.isWhole ? at : 0; i > 0; i = data.parent[i])
      path.unshift(i);
    const node = !tree.isWhole ? boxes[at].node :
      path.reduce((up, i) => tree.kidsOf(up).find(kid => first(kid) === i), tree.roots[0]);
    const ways = [{}, { zoom: linkOf(tree.up[node] || node) }, { zoom: linkOf(node) }];
    for (const partial of left === 0 ? [] : ways)
      if (selected !== node || boxOf(node) === undefined)
        set({ ...partial, selected: nameOf(node) }, false);
    reveal(selected);
  }

  /* ---- pointer and keys ---- */

  function placeOf({ clientX, clientY }) {
    const { left, top } = rectOf(svg), x = clientX - left, y = clientY - top;
    const row = levels[Math.floor((y - topPx) / LEVEL)], at = 10 * (x - PAD);
    return { x, y, box: row?.find(box => at >= box.x && at < box.end) ?? null };
  }
  function point(box) {
    hovered = box;
    outline(under, box);
    tip.replaceChildren(...rows(box === null ? [] : describe(box)));
    setAll(tipBox, { width: Math.min(480, widthPx), height: 1 });
  }
  function hover(event) {
    const { x, y, box } = placeOf(event);
    if (box !== hovered)
      point(box);
    const { width, height } = rectOf(tip), isBelow = event.clientY + height + 24 < innerHeight;
    const top = isBelow ? y + 18 : y - height - 8;
    setAll(tipBox, { x: Math.max(0, Math.min(x + 12, widthPx - width)), y: top });
  }
  function click(event) {
    const { box } = placeOf(event);
    if (box !== null)
      box.hides ? set({}, false, tree.stubsOf(box.node)) : zoomInto(box.node);
  }
  function reveal(node) {
    const box = boxOf(node), y = box && rectOf(svg).top + yOf(box), { height } = rectOf(bar);
    const { top, bottom } = port();
    if (y < top + height || y + LEVEL > bottom)
      scroller.scrollBy(0, y - (top + height + bottom) / 2);
  }
  /* To a neighbour, or to the widest box that touches this one. */
  function move(key) {
    const box = boxOf(selected) ?? boxOf(zoom), row = levels[box.level], by = /Up|Left/.test(key) ? -1 : 1;
    const touching = (levels[box.level + by] ?? [])
      .filter(one => one.x < box.end && one.end > box.x).sort(byWidth);
    const next = selected === 0 ? box : /Left|Right/.test(key) ? row[row.indexOf(box) + by] : touching[0];
    if (next?.hides === false)
      select(next.node);
    reveal(selected || zoom);
  }
  const out = () => set(tree.up[zoom] === 0 ? { selected: '' } : { zoom: linkOf(tree.up[zoom]) });
  const keys = {
    ArrowUp: move, ArrowDown: move, ArrowLeft: move, ArrowRight: move, Escape: out, Backspace: out,
    Enter: () => selected > 0 && zoomInto(selected), '/': () => inputs.search.focus(),
    n: () => step(1), N: () => step(-1),
  };
  function onKey(event) {
    const { key, ctrlKey, altKey, metaKey, target } = event;
    if (!(key in keys) || ctrlKey || altKey || metaKey || target.closest?.('input, select, button'))
      return;
    keys[key](key);
    event.preventDefault();
  }

  /* Painted anew: a policy that allows nothing forbids a picture of the picture as well. */
  function png() {
    const said = [titleLine, ...head.querySelectorAll('.warning'), status, legend].map(one => one.textContent);
    const top = 14 + said.length * 18, height = svg.getAttribute('height') - topPx + top;
    const { font, color, backgroundColor } = getComputedStyle(head);
    const scale = Math.min(2, 32000 / height, 32000 / widthPx, Math.sqrt(2e8 / (widthPx * height)));
    const canvas = html('canvas', { width: widthPx * scale, height: height * scale });
    const pen = Object.assign(canvas.getContext('2d'), { font, fillStyle: backgroundColor });
    pen.scale(scale, scale);
    pen.fillRect(0, 0, widthPx, height);
    pen.fillStyle = color;
    said.forEach((words, i) => pen.fillText(words, PAD, 20 + i * 18, widthPx - 2 * PAD));
    pen.translate(PAD, top);
    for (const drawn of graph.querySelectorAll('g > *')) {
      pen.fillStyle = getComputedStyle(drawn).fill;
      if (drawn.localName === 'path')
        pen.fill(new Path2D(drawn.getAttribute('d')));
      else
        pen.fillText(drawn.textContent, drawn.getAttribute('x'), drawn.getAttribute('y'));
    }
    canvas.toBlob(blob => {
      const href = URL.createObjectURL(blob);
      html('a', { href, download: said[0].replace(/[^\w.-]+/g, '-').slice(0, 80) + '.png' }).click();
      setTimeout(() => URL.revokeObjectURL(href), 60000);
    });
  }

  /* ---- start ---- */

  /* A frame that is higher leaves room below, where the pointer does not mistake it. */
  setAll(svg, { role: 'group', width: '100%', preserveAspectRatio: 'xMinYMin' });
  if (svg.closest('[data-flame-controls]') !== null)
    tools.remove();
  tools.addEventListener('input', ({ target: { name, type, checked, value, localName } }) =>
    set({ regexp: false, [name]: type === 'checkbox' ? checked : value }, localName === 'select'));
  inputs.search.addEventListener('keydown', ({ key, shiftKey }) =>
    (key === 'Enter' ? step(shiftKey ? -1 : 1) : key === 'Escape' && graph.focus()));
  bar.addEventListener('click', ({ target: { dataset } }) => svg.flame[dataset.do]?.(dataset.to));
  graph.addEventListener('pointermove', hover);
  graph.addEventListener('pointerleave', () => point(null));
  graph.addEventListener('click', click);
  (standalone ? window : svg).addEventListener('keydown', onKey);
  addEventListener('hashchange', readLink);
  for (const type of ['beforeprint', 'afterprint'])
    addEventListener(type, () => {
      svg.classList.toggle('paper', type === 'beforeprint');
      redraw();
    });
  document.addEventListener('scroll', () => { stick(); if (boxes.length > TEXTS_MAX) drawTexts(); }, true);
  new ResizeObserver(() => requestAnimationFrame(() => roomPx() !== widthPx && redraw())).observe(svg);
  svg.flame = {
    get state() { return { ...state }; }, set, reset, png, next: () => step(1), previous: () => step(-1),
    zoomTo: link => set({ zoom: link }), select: link => set({ selected: link }),
    sandwich: method => set({ view: 'sandwich', method, zoom: '', selected: '' }),
    search: (wanted, how = {}) => set({ search: wanted, regexp: false, ...how }, false),
  };
  v = valueOf(state);
  tree = treeOf(state);
  zoom = tree.roots[tree.roots.length - 1];
  redraw();
  if (state.view === 'flame')
    scroller.scrollTo(0, svg.getAttribute('height'));
  else if (state.view === 'sandwich')
    reveal(zoom);
  svg.dataset.state = 'ready';
  readLink();
}

const all = Array.from(document.querySelectorAll('svg.af')), own = document.currentScript?.closest('svg.af');
all.forEach((svg, i) => {
  const text = svg.querySelector('metadata.d')?.textContent;
  if (text === undefined || svg.flame !== undefined || (own && svg !== own))
    return;
  try {
    /^.*"view":"chart"/.test(text) ? startChart(svg) : start(svg, i > 0 ? `${i + 1}.` : '', new Data(text));
  } catch (error) {
    console.error(error);   /* the drawing is there nevertheless */
  }
});
})();
