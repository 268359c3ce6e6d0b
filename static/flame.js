/* The picture comes to life. One script for every picture, standalone or in a page, which calls itself for
 * each. The first half knows no document. */
(function start(svg, prefix, text) {
'use strict';

/* ==== numbers, in the words of render/number.c ==== */

const SCALES = {
  ns: [[1, ' ns'], [1e3, ' µs'], [1e6, ' ms'], [1e9, ' s'], [6e10, ' min']], count: [[1, '']],
  bytes: [' B', ' KiB', ' MiB', ' GiB', ' TiB', ' PiB'].map((word, i) => [1024 ** i, word]),
};

const grouped = n => String(n).replace(/\B(?=(\d{3})+$)/g, ',');
const counted = (n, noun, nouns = noun + 's') => `${grouped(n)} ${n === 1 ? noun : nouns}`;
const ratio = (part, whole, factor) =>
  Number((BigInt(part) * BigInt(factor) + BigInt(whole) / 2n) / BigInt(whole));
const fixed = (value, decimals) => grouped(Math.floor(value / 10 ** decimals)) +
  `.${String(value % 10 ** decimals).padStart(decimals, '0')}`.replace(/\.?0*$/, '');

function valueWords(unit, value) {
  const scales = SCALES[unit];
  for (let i = Math.max(0, scales.filter(([least]) => least <= value).length - 1);; i++) {
    const [least, word] = scales[i], whole = String(Math.floor(value / least)).length;
    const decimals = i === 0 ? 0 : Math.max(0, 3 - whole), rounded = ratio(value, least, 10 ** decimals);
    /* 999.6 µs is 1 ms. */
    if (i + 1 === scales.length || rounded / 10 ** decimals < scales[i + 1][0] / least)
      return fixed(rounded, decimals) + word;
  }
}

function percentWords(part, whole) {
  if (part === 0 || whole === 0 || part >= whole)
    return part === 0 || whole === 0 ? '0 %' : '100 %';
  const hundredths = ratio(part, whole, 10000), tenths = Math.min(999, ratio(part, whole, 1000));
  return `${hundredths === 0 ? '<0.01' : hundredths < 1000 ? fixed(hundredths, 2) : fixed(tenths, 1)} %`;
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
const SIGNATURE = /^\(((?:\[*(?:[BCDFIJSZ]|L[^;()]*[^;()/];))*)\)(?:\[*(?:[BCDFIJSVZ]|L[^;()]+;))?$/;

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
const DIGIT_OF = Int8Array.from({ length: 128 }, (_, code) => DIGITS.indexOf(String.fromCharCode(code)));

function damaged() {
  throw new Error('the data is damaged');
}

const reader = (text, at) => ({
  at: () => at,
  number() {
    let value = 0, unit = 1, digit;
    for (; (digit = DIGIT_OF[text.charCodeAt(at++)]) >= 32; unit *= 32)
      value += (digit - 32) * unit;
    return digit >= 0 ? value + digit * unit : damaged();
  },
});

/* What links call it: 30 bits. */
const keyOf = frame => frame.key ??=
  [0, 6, 12, 18, 24].map(shift => DIGITS[fnv(frame.text + frame.signature) >>> shift & 63]).join('');

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
    let last;
    const take = (rank, origin, colour, line) => {
      const [scope, name, signature] = line.split('\t');
      /* What stands for the root or a track is no method. */
      last = { rank, origin, colour, line, scope, name, signature, text: joined(scope, name),
        isMethod: origin !== 8 };
      return known.get(rank) ?? frames.push(last) - 1;
    };
    const frameAt = [take(-1, 8, 0, `\t${header.root}\t`)];
    for (const line of lines) {
      const { number, at } = reader(line, 0);
      const rank = Math.max(0, last.rank) + number(), prefix = number(), origin = number(), colour = number();
      frameAt.push(take(rank, origin, colour, last.line.slice(0, prefix) + line.slice(at())));
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
        stubs.set(node, { place, shown, sums: [...values.map(({ scale }) => number() * scale), nodes] });
      }
    }
    if (at() < text.trimEnd().length)
      damaged();
    const [child, sibling, ids, cursors] = [0, 0, 0, 0].map(() => new Uint32Array(n));
    for (let i = n - 1; i > 0; i--) {
      sibling[i] = child[parent[i]];
      child[parent[i]] = i;
    }
    Object.assign(this, { header: this.header ?? header, values, n, frames, frame, parent, self, stubs, child,
      sibling, next: { ids, cursors, nodes: new Uint32Array(frames.length) }, made: {} });
  }
  get calls() { return this.values.findIndex(({ role }) => role === 'calls'); }
  once(key, make) { return this.made[key] ??= make(); }
  summed(column, v) {
    const { n, parent, stubs } = this;
    stubs.forEach(({ sums }, i) => { column[i] += sums[v]; });
    for (let i = n - 1; i > 0; i--)
      column[parent[i]] += column[i];
    return column;
  }
  total(v) { return this.once(`total ${v}`, () => this.summed(this.self[v].slice(), v)); }
  get sizes() {
    return this.once('sizes', () => this.summed(new Float64Array(this.n).fill(1), this.self.length));
  }
  /* Of all nodes of the frames for which it is so: 1; in the total nested ones are once. */
  sumOf(hits, v) {
    const { n, frame, parent, self: { [v]: self, [this.calls]: calls } } = this, total = this.total(v);
    const made = { nodes: 0, total: 0, self: 0, calls: 0, outermost: [] }, within = new Uint8Array(n);
    for (let i = 1, hasAny = hits.includes(1); hasAny && i < n; i++) {
      within[i] = within[parent[i]] | hits[frame[parent[i]]];
      if (hits[frame[i]] === 0)
        continue;
      made.nodes++;
      made.self += self[i];
      made.calls += calls?.[i] ?? 0;
      if (within[i] === 0) {
        made.total += total[i];
        made.outermost.push(i);
      }
    }
    return made;
  }
  instancesOf(f, v) {
    return this.once(`${f} ${v}`, () => this.sumOf(Uint8Array.from(this.frames, (_, one) => one === f), v));
  }
  /* [{f, frame, self}], by name */
  methods(v) {
    return this.once(`methods ${v}`, () => {
      const { n, frame, frames, self: { [v]: self } } = this, sums = new Float64Array(frames.length);
      for (let i = 0; i < n; i++)
        sums[frame[i]] += self[i];
      return frames.map((one, f) => ({ f, frame: one, self: sums[f] })).filter(one => one.frame.isMethod)
        .sort((a, b) => a.frame.rank - b.frame.rank);
    });
  }
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
    const all = this.methods(v), least = { f: 0, self: -1 };
    return (all.find(({ frame: { text, signature } }) => text + signature === wanted) ??
      all.find(({ frame }) => frame.text === wanted) ??
      all.reduce((best, one) => (best.self >= one.self ? best : one), least)).f;
  }
}

/* ==== trees of views ==== */

/* Columns of nodes, which are made when they are asked for. The first of them is none: `up` of a root is 0.
 * A node stands for nodes of the data, its members: ids[from .. end - 1], each with a cursor. On the way to
 * the node's children the cursors go on to their callers, if it is `upward`, or into their callees. */
class Tree {
  /* Of the view of a method two roots: callers, callees. */
  constructor(data, view, v, method = 0) {
    const total = data.total(v), self = data.self[v], isUpward = view === 'inverted', methods = [];
    for (const column of ['frame', 'up', 'upward', 'total', 'self', 'from', 'end', 'kids'])
      this[column] = [];
    Object.assign(this, { data, v, weight: isUpward ? self : total, isWhole: !isUpward && method === 0,
      placed: 0, ids: new Uint32Array(2 * data.n), cursors: new Uint32Array(2 * data.n) });
    this.add(0, 0, 0);
    if (!isUpward) {
      const some = this.isWhole ? [0] : data.instancesOf(method, v).outermost;
      this.roots = (this.isWhole ? [0] : [1, 0]).map(upward =>
        this.group(0, upward, some, some)[0] ?? this.add(method, 0, upward));
      return;
    }
    for (let i = 0; i < data.n; i++)
      if (data.frames[data.frame[i]].isMethod)
        methods.push(i);
    this.roots = [this.add(0, 0, 1)];
    [this.total[1], this.self[1], this.kids[1]] = [total[0], self[0], this.group(1, 1, methods, methods)];
  }
  add(f, up, upward) {
    this.frame.push(f);
    this.up.push(up);
    this.upward.push(upward);
    for (const column of [this.total, this.self, this.from, this.end])
      column.push(0);
    return this.kids.push(null) - 1;
  }
  /* Of the next members a node for each frame at a cursor, by rank. Counted first, then placed: it can be all
   * of the data. Those that go upward stay in their place, whatever the depth. */
  group(above, upward, nextIds, nextCursors, n = nextIds.length) {
    const { data, v, weight, frame: { length: first }, total, self, from, end, ids, cursors } = this, made = [];
    const { frame, parent, next: { nodes } } = data, own = data.self[v];
    for (let i = 0; i < n; i++) {
      const id = nextIds[i], at = nextCursors[i], f = frame[at], node = nodes[f] ||= this.add(f, above, upward);
      total[node] += weight[id];
      self[node] += upward === 0 ? own[id] : parent[at] === 0 ? weight[id] : 0;
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
      const at = end[nodes[frame[nextCursors[i]]]]++;
      ids[at] = nextIds[i];
      cursors[at] = nextCursors[i];
    }
    made.forEach(node => { nodes[this.frame[node]] = 0; });
    return made.sort((a, b) => this.frameOf(a).rank - this.frameOf(b).rank);
  }
  makeKids(node) {
    const { data: { child, sibling, parent, next }, ids, cursors, from, end } = this;
    const upward = this.upward[node];
    let n = 0;
    for (let i = from[node], ended = i; i < end[node]; i++)
      if (upward === 0)
        for (let one = child[ids[i]]; one > 0; one = sibling[one])
          next.ids[n] = next.cursors[n++] = one;
      else if (parent[cursors[i]] > 0) {
        next.ids[n] = ids[i];
        next.cursors[n++] = parent[cursors[i]];
      } else
        ids[ended++] = ids[i];
    return this.group(node, upward, next.ids, next.cursors, n);
  }
  kidsOf(node) { return this.kids[node] ??= this.makeKids(node); }
  frameOf(node) { return this.data.frames[this.frame[node]]; }
  membersOf(node) { return [...this.ids.subarray(this.from[node], this.end[node])]; }
  callsOf(node) {
    const calls = this.data.self[this.data.calls];
    return this.membersOf(node).reduce((sum, i) => sum + (calls?.[i] ?? 0), 0);
  }
  stubsOf(node) {
    const { stubs } = this.data;
    return this.upward[node] === 1 || stubs.size === 0 ? [] :
      this.membersOf(node).map(i => stubs.get(i)).filter(stub => stub);
  }
  hiddenOf(node, v = this.v) { return this.stubsOf(node).reduce((sum, { sums }) => sum + sums[v], 0); }
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

/* What a class is called by before the number of the colour. */
const LETTERS = { package: 'c', self: 'h', classic: 'y', origin: 'o' };
function colourOf(palette, frame, self, largest) {
  if (palette === 'self')
    return self === 0 ? 0 : Math.min(7, 1 + Math.floor(7 * self / (largest + 1)));
  return palette === 'package' ? frame.colour : palette === 'origin' ? frame.origin :
    frame.classic ??= fnv(frame.text) % 8;
}

if (typeof module === 'object') {
  module.exports = { Data, Tree, cut, fitName, keyOf, layout, matcher, percentWords, search,
                     signatureWords, valueWords };
  return;
}
if (svg === undefined) {
  const own = document.currentScript?.closest('svg.af');
  document.querySelectorAll('svg.af').forEach((one, i) => {
    const written = one.querySelector('metadata.d')?.textContent;
    try {
      if (written !== undefined && one.flame === undefined && (!own || one === own))
        start(one, i > 0 ? `${i + 1}.` : '', written);
    } catch (error) {
      console.error(error);   /* the drawing is there nevertheless */
    }
  });
  return;
}

/* ==== the picture ==== */

const isHttp = location.protocol.startsWith('http'), standalone = svg === document.documentElement;

function setAll(element, attributes) {
  Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
  return element;
}
const maker = space => (tag, attributes, ...children) => {
  const made = document.createElementNS(`http://www.w3.org/${space}`, tag);
  made.append(...children);
  return setAll(made, attributes);
};
const shape = maker('2000/svg'), html = maker('1999/xhtml');

/* The service draws a chart anew; a file has nowhere to lead to. */
if (/^.*"view":"chart"/.test(text)) {
  if (!isHttp)
    svg.querySelectorAll('a').forEach(link => link.removeAttribute('href'));
  else if (standalone)
    svg.append(shape('a', { href: '?view=flame' },
      shape('text', { x: svg.getAttribute('width') - 90, y: 26 }, 'flame graph')));
  svg.dataset.state = 'ready';
  return;
}

const PAD = 10, LEVEL = 16, CELL = 7.2, TEXTS_MAX = 1800, PIECES_MAX = 8, BUNCH = 1000, GAPLESS = 20;
const ORIGINS = ['app', 'third party', 'AndroidX', 'Android', 'Java/Kotlin', 'native', 'idle', 'unknown'];
/* What the fragment calls parts of the state. */
const KEYS = { selected: 'sel', search: 'q', regexp: 're', matchCase: 'case' };
const ELSEWHERE = 'Frames that are not in this file can be had where it came from';

const data = new Data(text), { header, values } = data;
/* Of one thread, and of times. */
const hasChart = isHttp && !header.side_by_side && !header.merged && values.some(({ unit }) => unit === 'ns');

/* The controls, of constant words: no name is ever markup. A select is of a part of the state, `data-do` is
 * what svg.flame is to do. */
const labelled = (label, inner) => `<label>${label} ${inner.replace(' ', ` aria-label="${label}" `)}</label>`;
const choosers = [['view', 'View', 'flame', 'icicle', 'inverted', 'sandwich', ...hasChart ? ['chart'] : []],
  ['value', 'Value'], ['order', 'Order', 'name', 'weight'],
  ['palette', 'Colours', 'origin', 'package', 'self', 'classic'], ['names', 'Names', 'short', 'full'],
].map(([name, label, ...words]) => labelled(label, `<select name="${name}">${
  words.map(word => `<option>${word}</option>`).join('')}</select>`));
const doers = [['previous', '◀', 'Previous match'], ['next', '▶', 'Next match'],
  ['reset', 'Reset', 'Reset zoom, selection and search'], ['png', 'PNG', 'Download as PNG'],
].map(([name, words, label]) =>
  `<button type="button" data-do="${name}" title="${label}" aria-label="${label}">${words}</button>`);
const boxed = (name, inner) => `<foreignObject x="${PAD}" height="1"><div class="${name}" ` +
  `xmlns="http://www.w3.org/1999/xhtml">${inner}</div></foreignObject>`;
const MARKUP = boxed('head', '<p class="title"></p><p class="legend"></p>') +
  '<g class="graph" tabindex="0" role="application" aria-label="Frames: arrow keys select, Enter zooms in, ' +
  'Escape out"><g class="shapes"/><g class="matched"/><g class="texts"/><path class="chosen"/>' +
  '<path class="under"/></g>' +
  boxed('bar', `<div class="tools" role="toolbar" aria-label="Flame graph">${choosers.join('')}` +
    labelled('Search', '<input type="search" name="search" placeholder="text or /regexp/"/>') +
    labelled('Match case', '<input type="checkbox" name="matchCase"/>') + `${doers.join('')}</div>` +
    '<div class="found"><p class="status" role="status"></p><p class="matches" role="status"></p></div>' +
    '<nav class="crumbs" aria-label="Zoom"></nav><div class="details" aria-live="polite"></div>') +
  boxed('tip', '');

const scroller = standalone ? window : svg.parentElement;
const usual = { ...header.options, zoom: '', selected: '', search: '', regexp: false, matchCase: false };
const fields = Object.keys(usual).map(field => [field, prefix + (KEYS[field] ?? field)]);
const made = {}, shown = {};
let state = usual, tree, v, zoom = 0, selected = 0, hovered = null, parts = [], boxes = [], levels = [];
let hits, turn = 0, trouble = '', widthPx = 0, topPx = 0, heightPx = 0, scrolledPx = 0;

const rows = (words, attributes = {}) => words.map(row => html('p', attributes, row));
const rectOf = element => element.getBoundingClientRect();
const textOf = row => (row.querySelector('title') ?? row).textContent;
const title = textOf(svg.querySelector('.t')), warnings = Array.from(svg.querySelectorAll('.w'), textOf);
svg.querySelectorAll('.t, .s, .w, .l, .f').forEach(drawn => drawn.remove());
svg.insertAdjacentHTML('beforeend', MARKUP);
const { head, title: titleLine, legend, graph, shapes, matched, texts, chosen, under, bar, tools, status,
  matches, crumbs, details, tip } = Object.fromEntries(Array.from(svg.querySelectorAll('[class]'), one =>
  [one.getAttribute('class'), one]));
const [headBox, barBox, tipBox] = [head, bar, tip].map(inner => inner.parentNode);
const inputs = Object.fromEntries(Array.from(tools.querySelectorAll('[name]'), one => [one.name, one]));
inputs.value.append(...values.map(({ name, label }) => new Option(label, name)));
legend.before(...rows(warnings, { class: 'warning' }));

/* ---- state ---- */

const valueOf = ({ value }) => values.findIndex(({ name }) => name === value);
const inWords = value => valueWords(values[v].unit, value);
const shareOf = (part, whole = data.total(v)[0]) =>
  `${percentWords(part, whole)} of the ${values[v].unit.replace('ns', 'time')}`;
const boxOf = node => boxes.find(box => box.node === node && !box.hides);
const rootOf = node => tree.pathTo(node)[0];
/* Of a callers' tree it begins with a dot. */
const linkOf = node => (tree.roots.length > 1 && tree.upward[node] === 1 ? '.' : '') +
  tree.pathTo(node).slice(1).map(one => keyOf(tree.frameOf(one))).join('');
const nameOf = node => (node === 0 ? '' : linkOf(node) || 'root');

const methodOf = wanted => (wanted.view === 'sandwich' ? data.methodNamed(wanted.method, valueOf(wanted)) : 0);
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
    node = kid ?? node;
    if (kid === undefined)
      break;
  }
  return { node, stubs: kid === undefined ? within.stubsOf(node) : [] };
}
const isKnown = ([key, value]) => (inputs[key]?.options === undefined ? typeof value === typeof usual[key] :
  [...inputs[key].options].some(one => one.value === value));

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
  [tree, v, zoom, selected] = [within, valueOf(wanted), places[0].node, wanted.selected && places[1].node || 0];
  state = { ...wanted, zoom: linkOf(zoom), selected: nameOf(selected) };
  redraw();
  writeLink(push);
  svg.dispatchEvent(new CustomEvent('flame-state', { bubbles: true, detail: { ...state } }));
}
const zoomInto = node => set({ zoom: linkOf(node), selected: nameOf(node) });

async function fetchHidden(stubs) {
  const source = svg.closest('[data-flame-tree]')?.dataset.flameTree ??
    location.pathname.replace(/(\.svg)?$/, '/tree');
  trouble = isHttp ? '' : `. ${ELSEWHERE}`;
  for (const { place, shown: skip } of isHttp ? stubs.slice(0, PIECES_MAX) : [])
    try {
      const answer = await fetch(`${source}?node=${place}&skip=${skip}&${header.query}`);
      if (!answer.ok)
        throw new Error(`${answer.status} ${answer.statusText}`);
      data.read(await answer.text(), [...data.stubs].find(([, stub]) => stub.place === place)[0]);
    } catch (error) {
      trouble = `. Frames could not be fetched: ${error.message}`;
    }
}
const fragment = () => new URLSearchParams(location.hash.slice(1));
/* By location, since history.pushState throws where a policy gives us no origin. An empty one would scroll. */
function writeLink(push) {
  const hash = fragment();
  for (const [field, key] of fields)
    state[field] === usual[field] ? hash.delete(key) : hash.set(key, state[field]);
  const next = location.hash && `${hash}` === '' ? `#${prefix}view=${state.view}` : `#${hash}`;
  if (next !== (location.hash || '#'))
    push ? location.hash = next : location.replace(next);
}
function readLink() {
  const hash = fragment();
  const wanted = Object.fromEntries(fields.map(([field, key]) =>
    [field, typeof usual[field] === 'boolean' ? hash.get(key) === 'true' : hash.get(key) ?? usual[field]]));
  if (`${Object.values(wanted)}` !== `${Object.values(state)}`)
    set(wanted, false);
}

/* ---- words ---- */

const button = (words, label, what, to) =>
  html('button', { type: 'button', 'aria-label': label, title: label, 'data-do': what, 'data-to': to }, words);
const hiddenWords = node => `${counted(tree.hiddenOf(node, values.length), 'frame')} not in this file: ` +
  inWords(tree.hiddenOf(node)) +
  (data.calls < 0 ? '' : `, ${counted(tree.hiddenOf(node, data.calls), 'call')}`);
function labelOf({ node, hides, x, end }) {
  const frame = tree.frameOf(node), cells = Math.floor(((end - x) / 10 - 6) / CELL);
  const isTwin = tree.kidsOf(tree.up[node]).some(one => one !== node && tree.frameOf(one).text === frame.text);
  return hides ? cut(hiddenWords(node), cells) :
    fitName(frame, isTwin ? signatureWords(frame.signature) : '', cells, state.names === 'full');
}
function describe({ node, hides }) {
  if (hides)
    return [hiddenWords(node), isHttp ? 'Click to fetch them.' : ELSEWHERE];
  const { isMethod, text: name, signature } = tree.frameOf(node), { [node]: f } = tree.frame;
  const total = tree.total[node], path = tree.pathTo(node), [root, track = node] = path;
  const calls = tree.callsOf(node), hasCalls = data.calls >= 0, all = data.instancesOf(f, v);
  const isRecursive = tree.isWhole && calls > 0 && path.some(one => one !== node && tree.frame[one] === f);
  const thread = tree.isWhole && header.side_by_side ? tree.total[track] : data.total(v)[0];
  const shares = [[thread, header.merged ? 'all' : 'thread'],
    [tree.total[root === rootOf(zoom) ? zoom : root], 'zoom'], [tree.total[tree.up[node] || node], 'parent'],
  ].map(([whole, of]) => `${percentWords(total, whole)} of ${of}`);
  return [`${name} ${signatureWords(signature)}`,
    `total ${inWords(total)}: ${shares.join(', ')}; self ${inWords(tree.self[node])}`,
    isMethod && hasCalls && `calls ${grouped(calls)}${isRecursive ? ` (${grouped(calls)} recursive)` : ''}` +
      (calls > 0 ? `, ${inWords(ratio(total, calls, 1))} per call` : ''),
    isMethod && `${counted(all.nodes, 'instance')} of this method: total ${inWords(all.total)} ` +
      `(${shareOf(all.total)}), self ${inWords(all.self)}${hasCalls ? `, ${counted(all.calls, 'call')}` : ''}`,
  ].filter(line => line);
}
function showWords() {
  const { dropped } = parts[tree.roots.indexOf(rootOf(zoom))], total = tree.total[zoom];
  const drawn = grouped(parts.reduce((sum, part) => sum + part.drawn, parts.length - 1));
  const of = tree.isWhole ?
    ` of ${grouped(data.sizes[tree.ids[tree.from[zoom]]] - (tree.up[zoom] === 0 ? 1 : 0))}` : '';
  /* It ends with the value that is shown. */
  titleLine.textContent = state.value === usual.value ? title :
    [...title.split(' · ').slice(0, -2), values[v].label, inWords(data.total(v)[0])].join(' · ');
  status.textContent = (total === 0 ? 'no calls recorded for this value' :
    `${drawn}${of} frames drawn; ${shareOf(total - dropped, total)}`) +
    (tree.isWhole || data.stubs.size === 0 ? '' : ', from what is in this file') + trouble;
  const trail = tree.pathTo(zoom).map(node => button(fitName(tree.frameOf(node), '', 32, false),
    `Zoom to ${tree.frameOf(node).text}`, 'zoomTo', linkOf(node)));
  if (trail.length > 6)
    trail.splice(2, trail.length - 5, '…');
  crumbs.replaceChildren(...trail.flatMap((one, i) => (i > 0 ? [' › ', one] : [one])));
  details.replaceChildren(
    ...rows(selected === 0 ? ['Click a frame to zoom into it.'] : describe({ node: selected })));
  const { text: name, signature, isMethod } = tree.frameOf(selected);
  if (selected > 0 && isMethod)
    details.lastChild.append(' ',
      button('Callers and callees', `Callers and callees of ${name}`, 'sandwich', name + signature));
}
function showLegend() {
  const size = { width: 10, height: 10 }, swatch = (colour, word) => html('span', {},
    shape('svg', { class: 'swatch', ...size }, shape('rect', { class: colour, ...size })), ' ' + word);
  const used = new Set(data.frames.map(({ origin }) => origin));
  const all = state.palette === 'package' ? data.packages(v) : [];
  legend.replaceChildren(...{
    origin: ORIGINS.map((word, i) => used.has(i) &&
      swatch('o' + i, i === 0 && header.app ? `app: ${header.app}` : word)),
    package: [...all.slice(0, 8).map(({ name, colour }) => swatch('c' + colour, cut(name, 40))),
      all.length > 8 && 'other'],
    self: ['no self', ...Array.from('01234567', i => swatch('h' + i, '')), 'most self'],
    classic: ['classic: the colours mean nothing'],
  }[state.palette].filter(one => one));
}

/* ---- drawing ---- */

const yOf = box => topPx + box.level * LEVEL;
const roomPx = () => Math.max(200, Math.floor(rectOf(svg).width));
const isNews = (what, ...all) => shown[what] !== (shown[what] = all.join());
/* The method of a sandwich is in both of its trees, and drawn once. */
function arrange() {
  const { roots } = tree, isFlame = state.view === 'flame';
  parts = roots.map(root => layout(tree, root === rootOf(zoom) ? zoom : root, widthPx - 2 * PAD, header.min,
    state.order === 'weight'));
  levels = parts.flatMap(({ rows: all }, i) => (isFlame ? [...all].reverse() :
    i + 1 < roots.length ? all.slice(1).reverse() : all));
  boxes = levels.flatMap((row, level) => row.map(box => Object.assign(box, { level })));
}
function redraw() {
  const began = performance.now(), anchor = boxOf(zoom), oldPx = anchor && yOf(anchor), isFirst = widthPx === 0;
  if (roomPx() !== widthPx)
    svg.removeAttribute('viewBox');     /* it would be measured by */
  widthPx = roomPx();
  const { view, order, palette, names, search: wanted, regexp, matchCase } = state;
  const isNew = isNews('drawn', tree.key, linkOf(zoom), widthPx, view, order, palette, names);
  const isFound = isNews('found', v, data.n, wanted, regexp, matchCase);
  if (isNew) {
    arrange();
    showLegend();
  }
  if (isFound)
    find();
  showWords();
  for (const [name, input] of Object.entries(inputs))
    if (document.activeElement !== input || input.localName === 'select')
      Object.assign(input, { value: state[name], checked: state[name] === true });
  for (const outer of [headBox, barBox])
    setAll(outer, { width: widthPx - 2 * PAD });
  const [headPx, barPx] = [head, bar].map(inner => Math.ceil(rectOf(inner).height));
  topPx = headPx + barPx + 6;
  heightPx = topPx + Math.max(1, levels.length) * LEVEL + PAD;
  setAll(headBox, { height: headPx });
  setAll(barBox, { y: headPx, height: barPx });
  setAll(svg, { height: heightPx, viewBox: `0 0 ${widthPx} ${heightPx}` });
  if (isFitted())
    scrollBy(0);
  setAll(graph, { transform: `translate(${PAD} ${topPx})` });
  if (isNew) {
    drawShapes();
    drawTexts();
  }
  if (isNew || isFound)
    matched.replaceChildren(...bunches(boxes.filter(isHit))
      .map(some => shape('path', { d: pathOf(some, 15) })));
  graph.classList.toggle('searched', matched.childElementCount > 0);
  outline(chosen, boxOf(selected));
  point(null);
  if (oldPx !== undefined && yOf(boxOf(zoom)) !== oldPx)
    scrollBy(yOf(boxOf(zoom)) - oldPx);
  if (isNew && !isFirst)
    reveal(zoom);
  stick();
  svg.dispatchEvent(new CustomEvent('flame-drawn', { bubbles: true, detail: {
    drawn: boxes.length, total: header.nodes, ms: performance.now() - began } }));
}
/* Elements are what makes large pictures slow, and so are paths that go all over the picture: boxes that are
 * near each other are one path. */
const bunches = some => Array.from({ length: Math.ceil(some.length / BUNCH) }, (_, i) =>
  some.slice(i * BUNCH, (i + 1) * BUNCH));
/* Boxes that touch, too narrow for a gap, are drawn as one. A border (tenths of a pixel) is filled as well: a
 * stroke takes ten times as long. */
function pathOf(some, border = 0) {
  const runs = [];
  let last = {}, d = '';
  for (const { x, end, level } of some)
    if (end - x <= GAPLESS && last.end === x && last.level === level)
      last.end = end;
    else
      runs.push(last = { x, end: end - (end - x > GAPLESS ? 5 : 0), level });
  for (const { x, end, level } of runs) {
    const left = x / 10, y = level * LEVEL, inset = border / 10, high = 15 - 2 * inset;
    d += `M${left} ${y}H${end / 10}v15H${left}z`;
    if (border > 0 && end - x > 2 * border)
      d += `M${left + inset} ${y + inset}v${high}H${(end - border) / 10}v${-high}z`;
  }
  return d;
}
const outline = (path, box) => path.setAttribute('d', box ? pathOf([box]) : '');
function drawShapes() {
  const { palette } = state, largest = palette === 'self' ? data.largestSelf(v) : 0;
  shapes.replaceChildren(...bunches(boxes).flatMap(some => {
    const plain = { st: [], cr: [] }, coloured = [];
    for (const box of some) {
      const frame = tree.frameOf(box.node), colour = colourOf(palette, frame, tree.self[box.node], largest);
      (box.hides ? plain.st : frame.isMethod ? coloured[colour] ??= [] : plain.cr).push(box);
    }
    coloured.forEach((its, colour) => { plain[LETTERS[palette] + colour] = its; });
    return Object.entries(plain).filter(([, its]) => its.length > 0)
      .map(([cls, its]) => shape('path', { class: cls, d: pathOf(its) }));
  }));
}
const byWidth = (a, b) => b.end - b.x - a.end + a.x;
/* Of more names than can be drawn quickly, the widest near the window. */
function drawTexts() {
  let wide = boxes.filter(({ x, end }) => end - x >= 10 * (CELLS_LEAST * CELL + 6));
  if (wide.length > TEXTS_MAX && !svg.matches('.paper')) {
    const middle = innerHeight / 2 - topOf();
    wide = wide.filter(box => Math.abs(yOf(box) - middle) < innerHeight);
  }
  texts.replaceChildren(...wide.sort(byWidth).slice(0, TEXTS_MAX).map(box =>
    shape('text', { x: (box.x + 30) / 10, y: box.level * LEVEL + 11 }, labelOf(box))));
}
/* A frame without an origin gives its document no more room than it has: then the picture scrolls itself. */
const isFitted = () =>
  standalone && parent !== window && rectOf(svg).height !== heightPx;
const topOf = () => rectOf(svg).top - scrolledPx;
function scrollBy(px) {
  const { height } = rectOf(svg);
  if (!isFitted())
    return scroller.scrollBy(0, px);
  scrolledPx = Math.max(0, Math.min(heightPx - height, scrolledPx + px));
  setAll(svg, { viewBox: `0 ${scrolledPx} ${widthPx} ${height}` });
  onScroll();
}
function onScroll() {
  stick();
  if (boxes.length > TEXTS_MAX)
    drawTexts();
}
/* Where in the window there is picture to be seen. */
function port() {
  const { top, bottom } = standalone ? { top: 0, bottom: innerHeight } : rectOf(scroller);
  return { top: Math.max(0, top), bottom: Math.min(innerHeight, bottom) };
}
/* The toolbar stays in sight while there is picture below it. */
function stick() {
  const above = port().top - topOf() - barBox.getAttribute('y');
  setAll(barBox, { transform: `translate(0 ${Math.max(0, Math.min(above, heightPx - topPx - LEVEL))})` });
}
function reveal(node) {
  const box = boxOf(node), y = box && topOf() + yOf(box), { height } = rectOf(bar);
  const { top, bottom } = port();
  if (y < top + height || y + LEVEL > bottom)
    scrollBy(y - (top + height + bottom) / 2);
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
  const { nodes, methods, total, hits: its } = search(data, v, isMeant);
  hits = its;
  matches.textContent = isMeant === null ? error :
    `${counted(nodes, 'match', 'matches')} of ${counted(methods, 'method')}: ${shareOf(total)}`;
}
/* In the tree that was read all matches come in turn; in others those that are drawn. */
function step(by) {
  const { isWhole } = tree, n = isWhole ? data.n : boxes.length, first = tree.ids[tree.from[selected]];
  let at = isWhole ? first : Math.max(boxes.indexOf(boxOf(selected)), by < 0 ? 0 : -1), left = n;
  do
    at = (at + by + n) % n;
  while (--left > 0 && !(isWhole ? hits[data.frame[at]] === 1 : isHit(boxes[at])));
  if (left === 0)
    return;
  let link = isWhole ? '' : nameOf(boxes[at].node);
  for (let i = isWhole ? at : 0; i > 0; i = data.parent[i])
    link = keyOf(data.frames[data.frame[i]]) + link;
  for (const zoomed of [state.zoom, link.slice(0, -5), link])
    if (state.selected !== link || boxOf(selected) === undefined)
      set({ zoom: zoomed, selected: link }, false);
  reveal(selected);
}

/* ---- pointer and keys ---- */

function placeOf({ clientX, clientY }) {
  const x = clientX - rectOf(svg).left, y = clientY - topOf(), at = 10 * (x - PAD);
  const row = levels[Math.floor((y - topPx) / LEVEL)];
  return { x, y, box: row?.find(box => at >= box.x && at < box.end) ?? null };
}
function point(box) {
  hovered = box;
  outline(under, box);
  tip.replaceChildren(...rows(box === null ? [] : describe(box)));
  setAll(tipBox, { width: Math.min(480, widthPx) });
}
function hover(event) {
  const { x, y, box } = placeOf(event);
  if (box !== hovered)
    point(box);
  const { width, height } = rectOf(tip), { top, bottom } = port();
  const most = Math.min(bottom - topOf(), heightPx) - height;
  setAll(tipBox, { x: Math.max(0, Math.min(x + 12, widthPx - width)),
    y: y + 18 < most ? y + 18 : Math.max(top - topOf(), y - height - 8) });
}
function click(event) {
  const { box } = placeOf(event);
  if (box !== null)
    box.hides ? set({}, false, tree.stubsOf(box.node)) : zoomInto(box.node);
}
/* To a neighbour, or to the widest box that touches this one. */
function move(key) {
  const box = boxOf(selected) ?? boxOf(zoom), row = levels[box.level], by = /Up|Left/.test(key) ? -1 : 1;
  const touching = (levels[box.level + by] ?? []).filter(one => one.x < box.end && one.end > box.x);
  const next = selected === 0 ? box : /Left|Right/.test(key) ? row[row.indexOf(box) + by] :
    touching.sort(byWidth)[0];
  if (next?.hides === false)
    set({ selected: nameOf(next.node) }, false);
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
  const said = [titleLine.textContent, ...warnings, status.textContent, legend.textContent];
  const top = 14 + said.length * 18, height = heightPx - topPx + top;
  const { font, color, backgroundColor } = getComputedStyle(head);
  const scale = Math.min(2, 32000 / height, 32000 / widthPx, Math.sqrt(2e8 / (widthPx * height)));
  const canvas = html('canvas', { width: widthPx * scale, height: height * scale });
  const pen = Object.assign(canvas.getContext('2d'), { font, fillStyle: backgroundColor });
  pen.scale(scale, scale);
  pen.fillRect(0, 0, widthPx, height);
  pen.fillStyle = color;
  said.forEach((words, i) => pen.fillText(words, PAD, 20 + i * 18, widthPx - 2 * PAD));
  pen.translate(PAD, top);
  for (const path of graph.querySelectorAll('g > g > path')) {
    pen.fillStyle = getComputedStyle(path).fill;
    pen.fill(new Path2D(path.getAttribute('d')));
  }
  pen.fillStyle = color;
  for (const name of texts.children)
    pen.fillText(name.textContent, name.getAttribute('x'), name.getAttribute('y'));
  canvas.toBlob(blob => {
    const href = URL.createObjectURL(blob);
    html('a', { href, download: said[0].replace(/[^\w.-]+/g, '-').slice(0, 80) + '.png' }).click();
    setTimeout(() => URL.revokeObjectURL(href), 60000);
  });
}

/* ---- start ---- */

setAll(svg, { role: 'group', width: '100%' });
if (svg.closest('[data-flame-controls]') !== null)
  tools.remove();
const on = (element, actions) =>
  Object.entries(actions).forEach(([type, action]) => element.addEventListener(type, action));
on(tools, { input: ({ target: { name, type, checked, value, localName } }) =>
  set({ regexp: false, [name]: type === 'checkbox' ? checked : value }, localName === 'select') });
on(inputs.search, { keydown: ({ key, shiftKey }) =>
  (key === 'Enter' ? step(shiftKey ? -1 : 1) : key === 'Escape' && graph.focus()) });
on(bar, { click: ({ target: { dataset } }) => svg.flame[dataset.do]?.(dataset.to) });
on(graph, { pointermove: hover, pointerleave: () => point(null), click });
on(standalone ? window : svg, { keydown: onKey });
const onPaper = ({ type }) => {
  svg.classList.toggle('paper', type === 'beforeprint');
  redraw();
};
on(window, { hashchange: readLink, beforeprint: onPaper, afterprint: onPaper,
  wheel: ({ deltaY }) => isFitted() && scrollBy(deltaY) });
document.addEventListener('scroll', onScroll, true);
new ResizeObserver(() => requestAnimationFrame(() =>
  (roomPx() !== widthPx ? redraw() : isFitted() && scrollBy(0)))).observe(svg);
svg.flame = {
  get state() { return { ...state }; }, set, png, next: () => step(1), previous: () => step(-1),
  reset: () => set({ zoom: '', selected: '', search: '' }),
  zoomTo: link => set({ zoom: link }),
  sandwich: method => set({ view: 'sandwich', method, zoom: '', selected: '' }),
  search: (wanted, how = {}) => set({ search: wanted, regexp: false, ...how }, false),
};
[v, tree] = [valueOf(state), treeOf(state)];
zoom = tree.roots[tree.roots.length - 1];
redraw();
if (state.view === 'flame')
  scrollBy(heightPx);
else if (state.view === 'sandwich')
  reveal(zoom);
svg.dataset.state = 'ready';
readLink();
})();
