/* The picture comes to life: views, zoom, search, details. One script for every picture, standalone or in a page. It
 * reads the tree from the picture's metadata, and fetches only what was left out there. The first half knows no document.
 *
 * A node is a number: in the tree that was read, 0 is the root. Inverted and sandwich trees are gathered from that one,
 * and grow where they are looked at. ~n, below zero, stands for what node n hides. */
(() => {
'use strict';

/* ==== numbers, in the words of render/number.c ==== */

const DURATIONS = [[1, ' ns'], [1e3, ' µs'], [1e6, ' ms'], [1e9, ' s'], [6e10, ' min']];
const SIZES = [' B', ' KiB', ' MiB', ' GiB', ' TiB', ' PiB'].map((word, i) => [1024 ** i, word]);

const grouped = n => String(n).replace(/\B(?=(\d{3})+$)/g, ',');
const counted = (n, noun, nouns = noun + 's') => `${grouped(n)} ${n === 1 ? noun : nouns}`;

/* part * factor / whole, rounded half up. */
function ratio(part, whole, factor) {
  const product = part * factor + Math.floor(whole / 2);
  if (product <= Number.MAX_SAFE_INTEGER)
    return (product - product % whole) / whole;
  return Number((BigInt(part) * BigInt(factor) + BigInt(whole) / 2n) / BigInt(whole));
}

function fixed(value, decimals) {
  const fraction = String(value % 10 ** decimals).padStart(decimals, '0').replace(/0+$/, '');
  const whole = grouped(Math.floor(value / 10 ** decimals));
  return decimals > 0 && fraction !== '' ? `${whole}.${fraction}` : whole;
}

function scaled(value, digits, scales) {
  let i = scales.length - 1;
  while (i > 0 && value < scales[i][0])
    i--;
  for (;; i++) {
    const unit = scales[i][0], whole = String(Math.floor(value / unit)).length;
    const decimals = i === 0 ? 0 : Math.max(0, digits - whole), rounded = ratio(value, unit, 10 ** decimals);
    /* 999.6 µs is 1 ms, not 1,000 µs. */
    if (i + 1 === scales.length || rounded / 10 ** decimals < scales[i + 1][0] / unit)
      return fixed(rounded, decimals) + scales[i][1];
  }
}

function valueWords(unit, value, digits = 3) {
  return unit === 'count' ? grouped(value) : scaled(value, digits, unit === 'ns' ? DURATIONS : SIZES);
}

function percentWords(part, whole) {
  if (part === 0 || whole === 0)
    return '0 %';
  if (part >= whole)
    return '100 %';
  const hundredths = ratio(part, whole, 10000);
  if (hundredths === 0)
    return '<0.01 %';
  return (hundredths < 1000 ? fixed(hundredths, 2) : fixed(Math.min(999, ratio(part, whole, 1000)), 1)) + ' %';
}

/* ==== names ==== */

const MARK = /[\p{Mn}\p{Me}\u200b-\u200d]/u;
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const CELLS_LEAST = 3;

/* The longest start of the text that stands in so many cells of a monospace font. Marks take no cell, but a name is
 * not made of them: there is an end to those as well. */
function startWithin(text, cells) {
  if (/^[ -~]*$/.test(text))
    return text.slice(0, cells);
  let used = 0, length = 0, left = cells * 4;
  for (const c of text) {
    used += c < '\u0300' ? 1 : MARK.test(c) ? 0 : WIDE.test(c) ? 2 : 1;
    if (used > cells || left-- === 0)
      break;
    length += c.length;
  }
  return text.slice(0, length);
}

const stands = (text, cells) => startWithin(text, cells).length === text.length;

function cut(text, cells) {
  if (cells < CELLS_LEAST)
    return '';
  return stands(text, cells) ? text : startWithin(text, cells - 2) + '..';
}

const joined = (scope, name) => (scope && name ? `${scope}.${name}` : scope || name);

/* com.example.foo.Foo.bar, c.e.f.Foo.bar, Foo.bar, bar, ba..: the longest form that stands in the cells. `tail` tells
 * overloads apart and goes along with each. */
function fitName({ scope, name }, tail, cells, full) {
  const whole = joined(scope, name) + tail;
  if (full || stands(whole, cells) || cells < CELLS_LEAST)
    return cut(whole, cells);
  const packages = scope.split('.'), cls = packages.pop(), simple = joined(cls, name) + tail;
  const initials = packages.map(part => ([...part.slice(0, 2)][0] ?? '') + '.').join('');
  return [initials + simple, simple].find(form => stands(form, cells)) ?? cut((name || cls) + tail, cells);
}

const PRIMITIVES = { B: 'byte', C: 'char', D: 'double', F: 'float', I: 'int', J: 'long', S: 'short', Z: 'boolean' };

/* (ILjava/lang/String;)V -> (int, String); what has another form stays as it is. */
function signatureWords(signature) {
  if (!/^\((\[*([BCDFIJSZ]|L[^;()]+;))*\)(\[*([BCDFIJSVZ]|L[^;()]+;))?$/.test(signature))
    return signature;
  const types = signature.slice(1, signature.indexOf(')')).match(/\[*([BCDFIJSZ]|L[^;]+;)/g) ?? [];
  return '(' + types.map(type => {
    const element = type.replace(/^\[+/, '');
    const word = PRIMITIVES[element] ?? element.slice(1, -1).replace(/^.*\//, '');
    return word + '[]'.repeat(type.length - element.length);
  }).join(', ') + ')';
}

function fnv(text) {
  let h = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text))
    h = Math.imul(h ^ byte, 0x01000193);
  return h >>> 0;
}

/* ==== the data, as render/data.h writes it ==== */

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_';
const DIGIT_OF = new Int8Array(128).fill(-1);
[...DIGITS].forEach((digit, i) => { DIGIT_OF[digit.charCodeAt(0)] = i; });
function reader(text, at) {
  return {
    at: () => at,
    number() {
      let value = 0, unit = 1, digit;
      for (; (digit = DIGIT_OF[text.charCodeAt(at++)]) >= 32; unit *= 32)
        value += (digit - 32) * unit;
      if (!(digit >= 0))
        throw new Error('the data is damaged');
      return value + digit * unit;
    },
  };
}

/* A line is scope TAB name TAB signature. What stands for the root or a track is no method. */
function frameOf(rank, origin, colour, line) {
  const [scope, name, signature] = line.split('\t');
  return { rank, origin, colour, line, scope, name, signature, text: joined(scope, name), isMethod: origin !== 8 };
}

/* By which a link names a frame: 30 bits. */
function keyOf(frame) {
  const hash = frame.key ? 0 : fnv(frame.text + frame.signature);
  return frame.key ??= [0, 6, 12, 18, 24].map(shift => DIGITS[hash >>> shift & 63]).join('');
}

/* Throws for what is not DATA. */
function decode(text) {
  const header = JSON.parse(text.slice(0, text.indexOf('\n'))), framesEnd = text.indexOf('\n\n');
  if (header.format !== 'aflamed-flame' || header.version !== 1)
    throw new Error('another format');
  const frames = [frameOf(-1, 8, 0, `\t${header.root}\t`)];
  for (const line of text.slice(0, framesEnd).split('\n').slice(1)) {
    const { number, at } = reader(line, 0), before = frames[frames.length - 1];
    const rank = Math.max(0, before.rank) + number(), prefix = number(), origin = number(), colour = number();
    frames.push(frameOf(rank, origin, colour, before.line.slice(0, prefix) + line.slice(at())));
  }
  const n = header.embedded + 1, { number, at } = reader(text, framesEnd + 2), path = [], stubs = [];
  const [frame, parent, stub] = [0, 0, 0].map(() => new Uint32Array(n)), self = header.values.map(() => new Float64Array(n));
  const derived = header.values.map(value => value.derived), scale = header.values.map(value => value.scale);
  let depth = -1;
  for (let i = 0; i < n; i++) {
    const step = number();
    depth += 1 - Math.floor(step / 2);
    frame[i] = number();
    if (frame[i] >= frames.length || depth < 0 || (depth === 0) !== (i === 0))
      throw new Error('the data is damaged');
    path[depth] = i;
    parent[i] = path[Math.max(0, depth - 1)];
    for (let v = 0; v < self.length; v++)
      self[v][i] = derived[v] ? 0 : number() * scale[v];
    if (step % 2 === 1) {
      const [place, shown, , nodes] = [0, 0, 0, 0].map(number);
      stub[i] = stubs.push({ place, shown, nodes, totals: scale.map(unit => number() * unit) });
    }
  }
  if (at() < text.trimEnd().length)
    throw new Error('the data is damaged');
  const [wall, cpu] = ['wall', 'cpu'].map(role => self[header.values.findIndex(value => value.role === role)]);
  self.forEach((column, v) => derived[v] && column.forEach((_, i) => { column[i] = Math.max(0, wall[i] - cpu[i]); }));
  return new Data(header, frames, { frame, parent, stub, stubs, self });
}

/* Columns by node: frame, parent (never behind its child), stub (0, or 1 + its number in `stubs`), self (by value). */
class Data {
  constructor(header, frames, columns) {
    const calls = header.values.findIndex(value => value.role === 'calls');
    Object.assign(this, { header, frames, values: header.values, calls, mixed: new Set() });
    this.take(columns);
  }
  take(columns) {
    const { parent } = columns, n = parent.length, [first, next] = [0, 0].map(() => new Uint32Array(n));
    for (let i = n - 1; i > 0; i--) {
      next[i] = first[parent[i]];
      first[parent[i]] = i;
    }
    Object.assign(this, columns, { n, first, next, totals: [], instances: new Map() });
  }
  stubOf(node) { return this.stubs[this.stub[node] - 1]; }
  callsOf(node) { return this.calls < 0 ? 0 : this.self[this.calls][node]; }
  /* Adds to each node what is below it. */
  summed(column, ofStub) {
    for (let i = this.n - 1; i >= 0; i--) {
      if (this.stub[i] > 0)
        column[i] += ofStub(this.stubOf(i));
      if (i > 0)
        column[this.parent[i]] += column[i];
    }
    return column;
  }
  total(v) { return this.totals[v] ??= this.summed(this.self[v].slice(), stub => stub.totals[v]); }
  /* Nodes of each subtree, with those that were left out. */
  get sizes() { return this.totals.sizes ??= this.summed(new Float64Array(this.n).fill(1), stub => stub.nodes); }
  kids(node) {
    const made = [];
    for (let kid = this.first[node]; kid > 0; kid = this.next[kid])
      made.push(kid);
    return this.mixed.has(node) ? made.sort((a, b) => this.frames[this.frame[a]].rank - this.frames[this.frame[b]].rank) : made;
  }
  /* The nodes of frames for which `hits` is 1, and whether each is outermost: not within another one. */
  each(hits, action) {
    const { frame, parent } = this, within = new Uint8Array(this.n);
    for (let i = 1; i < this.n; i++) {
      within[i] = within[parent[i]] | hits[frame[parent[i]]];
      if (hits[frame[i]] === 1)
        action(i, within[i] === 0);
    }
  }
  hitsOf(isMeant) { return Uint8Array.from(this.frames, (frame, f) => f > 0 && isMeant(frame) ? 1 : 0); }
  /* Of all nodes of the frame together; nested ones are in the total once. */
  instancesOf(frame, v) {
    const key = `${frame} ${v}`, made = { count: 0, total: 0, self: 0, calls: 0 };
    if (!this.instances.has(key)) {
      this.each(this.hitsOf(one => one === this.frames[frame]), (i, isOutermost) => {
        made.count++;
        made.self += this.self[v][i];
        made.calls += this.callsOf(i);
        made.total += isOutermost ? this.total(v)[i] : 0;
      });
      this.instances.set(key, made);
    }
    return this.instances.get(key);
  }
  /* By which the palette of that name goes. */
  largestSelf(v) {
    return this.self[v].reduce((most, self, i) => (self > most && this.frames[this.frame[i]].isMethod ? self : most), 0);
  }
  selfByFrame(v) {
    const sums = new Float64Array(this.frames.length);
    this.frame.forEach((f, i) => { sums[f] += this.self[v][i]; });
    return sums;
  }
  /* The heaviest by self first. */
  packages(v) {
    const made = new Map();
    this.selfByFrame(v).forEach((self, f) => {
      const frame = this.frames[f], name = packageOf(frame);
      if (frame.isMethod)
        made.set(name, { name, colour: frame.colour, self: self + (made.get(name)?.self ?? 0) });
    });
    return [...made.values()].sort((a, b) => b.self - a.self || (a.name < b.name ? -1 : 1));
  }
  /* The frame of a text, with signature or without; else that with the largest self. -1: there is none. */
  methodNamed(text, v) {
    const { frames } = this, sums = this.selfByFrame(v), methods = [...frames.keys()].filter(f => frames[f].isMethod);
    methods.sort((a, b) => frames[a].rank - frames[b].rank);
    return methods.find(f => frames[f].text + frames[f].signature === text) ?? methods.find(f => frames[f].text === text) ??
      methods.reduce((best, f) => (best < 0 || sums[f] > sums[best] ? f : best), -1);
  }
}

/* Puts the nodes of a piece, but for its first one, below the node that it is of. Nodes and frames keep their numbers. */
function graft(data, node, piece) {
  const { frames } = data, byRank = new Map(frames.map(({ rank }, f) => [rank, f]));
  const frameAt = piece.frames.map(frame => byRank.get(frame.rank) ?? frames.push(frame) - 1);
  const append = (a, b, map = x => x) => {
    const made = new a.constructor(a.length + b.length - 1);
    made.set(a);
    made.set(b.subarray(1).map(map), a.length);
    return made;
  };
  const renumbered = s => (s > 0 ? s + data.stubs.length : 0);
  const stub = append(data.stub, piece.stub, renumbered);
  stub[node] = renumbered(piece.stub[0]);
  data.mixed.add(node);
  data.take({
    frame: append(data.frame, piece.frame, f => frameAt[f]), stub, stubs: data.stubs.concat(piece.stubs),
    parent: append(data.parent, piece.parent, i => (i === 0 ? node : i + data.n - 1)),
    self: data.self.map((column, v) => append(column, piece.self[v])),
  });
}

/* ==== trees of views: frame, parent, total, self by node; kids by rank; what they hide ==== */

function baseTree(data, v) {
  return {
    isBase: true, frame: data.frame, parent: data.parent, total: data.total(v), self: data.self[v],
    kids: node => data.kids(node),
    calls: node => data.callsOf(node),
    hidden: node => data.stubOf(node)?.totals[v] ?? 0,
    stubs: node => (data.stub[node] > 0 ? [data.stubOf(node)] : []),
  };
}

/* A tree whose nodes stand for several of the base tree, its members. From a node to its children, the cursors of its
 * members go on to their callers or into their callees. */
class Gathered {
  constructor(data, v, callers, weight) {
    Object.assign(this, { data, v, callers, weight, frame: [], parent: [], total: [], self: [], grown: [] });
    Object.assign(this, { lists: [], from: [], end: [], count: new Uint32Array(data.frames.length) });
  }
  /* Members: ids and cursors of the list, from one place to another. */
  add(frame, parent, list, from, end) {
    const { data, weight, callers } = this, ownSelf = data.self[this.v], { ids, cursors } = list;
    let total = 0, self = 0;
    for (let i = from; i < end; i++) {
      total += weight[ids[i]];
      self += !callers ? ownSelf[ids[i]] : data.parent[cursors[i]] === 0 ? weight[ids[i]] : 0;
    }
    this.parent.push(parent);
    this.total.push(total);
    this.self.push(self);
    this.lists.push(list);
    this.from.push(from);
    this.end.push(end);
    return this.frame.push(frame) - 1;
  }
  /* One child for each frame that a cursor stands at. Counted first, then placed: there can be all nodes of a tree. */
  group(node, ids, cursors) {
    const { frame, frames } = this.data, { count } = this, n = ids.length, there = [];
    for (let i = 0; i < n; i++)
      if (count[frame[cursors[i]]]++ === 0)
        there.push(frame[cursors[i]]);
    there.sort((a, b) => frames[a].rank - frames[b].rank);
    let from = 0;
    for (const f of there)
      [count[f], from] = [from, from + count[f]];
    const list = { ids: new Uint32Array(n), cursors: new Uint32Array(n) };
    for (let i = 0; i < n; i++) {
      const place = count[frame[cursors[i]]]++;
      list.ids[place] = ids[i];
      list.cursors[place] = cursors[i];
    }
    from = 0;
    return there.map(f => {
      const kid = this.add(f, node, list, from, count[f]);
      from = count[f];
      count[f] = 0;
      return kid;
    });
  }
  kids(node) {
    const { data } = this, { ids, cursors } = this.lists[node], next = { ids: [], cursors: [] };
    const put = (id, cursor) => {
      next.ids.push(id);
      next.cursors.push(cursor);
    };
    if (this.grown[node] !== undefined)
      return this.grown[node];
    for (let i = this.from[node]; i < this.end[node]; i++)
      if (!this.callers)
        data.kids(ids[i]).forEach(kid => put(kid, kid));
      else if (data.parent[cursors[i]] > 0)
        put(ids[i], data.parent[cursors[i]]);
    return this.grown[node] = this.end[node] - this.from[node] > 1 ? this.group(node, next.ids, next.cursors) :
      next.ids.map((_, i) => this.add(data.frame[next.cursors[i]], node, next, i, i + 1));
  }
  members(node) { return Array.from(this.lists[node].ids.slice(this.from[node], this.end[node])); }
  calls(node) { return this.members(node).reduce((sum, id) => sum + this.data.callsOf(id), 0); }
  stubs(node) {
    const { data } = this;
    return this.callers || data.stubs.length === 0 ? [] : this.members(node).filter(id => data.stub[id] > 0).map(id => data.stubOf(id));
  }
  hidden(node) { return this.stubs(node).reduce((sum, stub) => sum + stub.totals[this.v], 0); }
}

/* Bottom up: from each frame to its callers. */
function invertedTree(data, v) {
  const tree = new Gathered(data, v, true, data.self[v]), all = [];
  data.each(data.hitsOf(frame => frame.isMethod), i => all.push(i));
  tree.add(0, 0, { ids: [], cursors: [] }, 0, 0);
  tree.total[0] = data.total(v)[0];
  tree.self[0] = data.self[v][0];
  tree.grown[0] = tree.group(0, all, all);
  return tree;
}

/* [callers, callees] of a frame, each with it as its root. */
function sandwichTrees(data, v, frame) {
  const ids = [];
  data.each(data.hitsOf(one => one === data.frames[frame]), (i, isOutermost) => isOutermost && ids.push(i));
  return [true, false].map(callers => {
    const tree = new Gathered(data, v, callers, data.total(v));
    tree.add(frame, 0, { ids, cursors: ids }, 0, ids.length);
    return tree;
  });
}

/* Nodes from the root to this one. */
function pathTo(tree, node) {
  const made = [node];
  while (node > 0)
    made.push(node = tree.parent[node]);
  return made.reverse();
}

/* As far down as there is a child that is meant: {node, left: what remains of the path}. */
function walk(tree, path, isMeant) {
  let node = 0, i = 0;
  for (; i < path.length; i++) {
    const kid = tree.kids(node).find(one => isMeant(tree.frame[one], path[i]));
    if (kid === undefined)
      break;
    node = kid;
  }
  return { node, left: path.slice(i) };
}

/* ==== layout ==== */

const LEVELS_MAX = 2000, ANCESTORS_MAX = 1000, BOXES_MAX = 30000;

/* What can be seen of a zoomed node and of its ancestors: boxes {node, x, width (px, in tenths), row (0: the first one
 * shown)}; `dropped`: total of the topmost nodes that are too narrow or too deep; `drawn`: frames of the zoomed subtree.
 * Children stand right of their parent's self, as they come or the heaviest first. More boxes than can be drawn quickly
 * raise the least width until there are fewer. */
function layout(tree, zoom, widthPx, minPx, byWeight) {
  const whole = tree.total[zoom], least = Math.max(0.1, minPx) * whole / widthPx;
  const edge = at => Math.round(at / whole * widthPx * 10) / 10;
  const boxes = pathTo(tree, zoom).slice(0, -1).slice(-ANCESTORS_MAX).map((node, row) => ({ node, row, x: 0, width: widthPx }));
  const made = { boxes, dropped: 0, drawn: 0 }, top = boxes.length, stack = whole > 0 ? [{ node: zoom, row: top, at: 0 }] : [];
  if (stack.length === 0)
    boxes.push({ node: zoom, row: top, x: 0, width: widthPx });
  while (stack.length > 0) {
    const { node, row, at } = stack.pop(), x = edge(at), hides = node < 0;
    boxes.push({ node, row, x, width: edge(at + (hides ? tree.hidden(~node) : tree.total[node])) - x });
    if (boxes.length > BOXES_MAX && minPx < widthPx)
      return layout(tree, zoom, widthPx, 2 * Math.max(0.1, minPx), byWeight);
    if (hides)
      continue;
    made.drawn += node > 0 ? 1 : 0;
    let start = at + tree.self[node];
    const next = [], hidden = tree.hidden(node), kids = row - top + 1 < LEVELS_MAX ? tree.kids(node) : [];
    const wide = byWeight ? kids.filter(kid => tree.total[kid] >= least).sort((a, b) => tree.total[b] - tree.total[a]) : kids;
    for (const kid of wide) {
      const total = tree.total[kid];
      if (total >= least && edge(start + total) > edge(start))
        next.push({ node: kid, row: row + 1, at: start });
      else
        made.dropped += total;
      start += total;
    }
    made.dropped += at + tree.total[node] - start;   /* hidden, too deep, or the narrow ones of many */
    if (hidden >= least)
      next.push({ node: ~node, row: row + 1, at: start });
    stack.push(...next.reverse());
  }
  return made;
}

/* ==== search, colours ==== */

/* From text or /regexp/ a function from text to whether it is meant; null if nothing is looked for. Throws SyntaxError. */
function matcher(search, regexp, matchCase) {
  const slashed = /^\/(.+)\/$/.exec(search);
  if (search === '')
    return null;
  if (regexp || slashed !== null) {
    const wanted = new RegExp(slashed === null ? search : slashed[1], matchCase ? 'u' : 'iu');
    return text => wanted.test(text);
  }
  return matchCase ? text => text.includes(search) : text => text.toLowerCase().includes(search.toLowerCase());
}

/* Which frames match, how many nodes they have, and their total; nested matches count once. */
function search(data, v, isMeant) {
  const hits = data.hitsOf(frame => isMeant(frame.text) || isMeant(frame.text + (frame.words ??= signatureWords(frame.signature))));
  const made = { hits, methods: hits.reduce((sum, hit) => sum + hit, 0), nodes: 0, total: 0 }, total = data.total(v);
  data.each(hits, (i, isOutermost) => {
    made.nodes++;
    made.total += isOutermost ? total[i] : 0;
  });
  return made;
}

function colourClass(palette, frame, self, largest) {
  const selfClass = () => (self === 0 ? 0 : Math.min(7, 1 + Math.floor(7 * self / (largest + 1))));
  if (!frame.isMethod)
    return 'cr';
  switch (palette) {
  case 'package': return 'c' + frame.colour;
  case 'self': return 'h' + selfClass();
  case 'classic': return 'y' + (frame.classic ??= fnv(frame.text) % 8);
  default: return 'o' + frame.origin;
  }
}

/* What has one colour by package: its first two components. */
function packageOf({ scope, name }) {
  const packages = scope.split('.').slice(0, -1);
  return packages.slice(0, 2).join('.') || scope || name;
}

if (typeof module === 'object') {
  module.exports = { baseTree, colourClass, cut, decode, fitName, graft, invertedTree, keyOf, layout, matcher, packageOf, pathTo,
                     percentWords, sandwichTrees, search, signatureWords, valueWords, walk };
  return;
}

/* ==== the picture ==== */

const PAD = 10, LEVEL = 16, CELL = 7.2, TEXTS_MAX = 1900;
/* Keys of the fragment, and what they are of the state. */
const FIELDS = { view: 'view', value: 'value', order: 'order', palette: 'palette', names: 'names', method: 'method',
                 zoom: 'zoom', sel: 'selected', q: 'search', re: 'regexp', case: 'matchCase' };
const CHOICES = { view: ['flame', 'icicle', 'inverted', 'sandwich'], order: ['name', 'weight'],
                  palette: ['origin', 'package', 'self', 'classic'], names: ['short', 'full'] };
const ORIGINS = ['app', 'third party', 'AndroidX', 'Android', 'Java/Kotlin', 'native', 'idle', 'unknown'];

function setAll(element, attributes) {
  Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
  return element;
}
const maker = space => (name, attributes = {}, ...children) => {
  const made = setAll(document.createElementNS(space, name), attributes);
  made.append(...children);
  return made;
};
const shape = maker('http://www.w3.org/2000/svg'), html = maker('http://www.w3.org/1999/xhtml');
const rectOf = element => element.getBoundingClientRect();
const isHttp = () => location.protocol.startsWith('http');
const tenths = px => Math.round(px * 10) / 10;
/* Once per frame of the screen, however often it is asked for. */
function soon(action) {
  let asked = 0;
  return () => { asked ||= requestAnimationFrame(() => { asked = 0; action(); }); };
}

/* A chart is no tree: it is drawn by the service, and leads back there. */
function startChart(svg) {
  if (isHttp() && svg === document.documentElement)
    svg.append(shape('a', { href: '?view=flame' }, shape('text', { x: svg.getAttribute('width') - 90, y: 26 }, 'flame graph')));
  svg.dataset.state = 'ready';
}

function start(svg, prefix, text) {
  const data = decode(text), { header, values, frames } = data, standalone = svg === document.documentElement;
  const state = { ...header.options, zoom: '', selected: '', search: '', regexp: false, matchCase: false }, usual = { ...state };
  /* A place is {part, node}: of the one tree that is shown, or of callers (part 0) and callees of a sandwich. */
  let parts = [], built = {}, zoom = null, selected = null, hovered = null, found = {}, trouble = '', turn = 0;
  let boxes = [], levels = [], widthPx = 0, topPx = 0, hasAllTexts = true;

  /* ---- elements ---- */

  const textOf = row => (row.querySelector('title') ?? row).textContent;
  const title = textOf(svg.querySelector('.t')), warnings = Array.from(svg.querySelectorAll('.w'), textOf);
  const [legend, status, matches] = ['legend', 'status', 'matches'].map(name => html('p', { class: name, role: 'status' }));
  const tools = html('div', { class: 'tools', role: 'toolbar', 'aria-label': 'Flame graph' });
  const crumbs = html('nav', { class: 'crumbs', 'aria-label': 'Zoom' });
  const details = html('div', { class: 'details', 'aria-live': 'polite' }), tip = html('div', { class: 'tip' });
  const head = html('div', { class: 'head' }, html('p', { class: 'title' }, title),
                    ...warnings.map(words => html('p', { class: 'warning' }, words)), legend);
  const bar = html('div', { class: 'bar' }, tools, html('div', { class: 'found' }, status, matches), crumbs, details);
  const [headBox, barBox, tipBox] = [head, bar, tip].map(inner => shape('foreignObject', {}, inner));
  const shapes = shape('g'), texts = shape('g', { class: 'texts' });
  const [matched, chosen, under] = ['matched', 'chosen', 'under'].map(name => shape('path', { class: name }));
  const graph = shape('g', { class: 'graph', tabindex: 0, role: 'application',
    'aria-label': 'Frames: arrow keys select, Enter zooms in, Escape out' }, shapes, matched, texts, chosen, under);
  const inputs = {};

  function addField(key, label, input) {
    inputs[key] = setAll(input, { 'aria-label': label });
    input.addEventListener('input', () => {
      const value = input.type === 'checkbox' ? input.checked : input.value;
      if (value === 'chart')
        location.assign('?' + new URLSearchParams([...new URLSearchParams(location.search), ['view', value]]));
      else
        set(key === 'search' ? { search: value, regexp: false } : { [key]: value }, input.localName === 'select');
    });
    tools.append(html('label', {}, label + ' ', input));
  }
  function button(words, label, action) {
    const made = html('button', { type: 'button', 'aria-label': label, title: label }, words);
    made.addEventListener('click', action);
    return made;
  }
  function addTools() {
    const choices = { view: 'View', value: 'Value', order: 'Order', palette: 'Colours', names: 'Names' };
    for (const [key, label] of Object.entries(choices)) {
      const words = key === 'value' ? values.map(value => value.name) : CHOICES[key].concat(key === 'view' && isHttp() ? 'chart' : []);
      addField(key, label, html('select', {}, ...words.map(value =>
        html('option', { value }, values.find(one => key === 'value' && one.name === value)?.label ?? value))));
    }
    addField('search', 'Search', html('input', { type: 'search', placeholder: 'text or /regexp/' }));
    addField('matchCase', 'Match case', html('input', { type: 'checkbox' }));
    inputs.search.addEventListener('keydown', event => {
      if (event.key === 'Enter')
        step(event.shiftKey ? -1 : 1);
      else if (event.key === 'Escape')
        graph.focus();
    });
    tools.append(button('◀', 'Previous match', () => step(-1)), button('▶', 'Next match', () => step(1)),
                 button('Reset', 'Reset zoom, selection and search', reset), button('PNG', 'Download as PNG', png));
  }

  /* ---- state ---- */

  const valueNow = () => values.findIndex(value => value.name === state.value);
  const inWords = value => valueWords(values[valueNow()].unit, value);
  const shareOf = (part, whole) => `${percentWords(part, whole)} of the ${{ ns: 'time', bytes: 'bytes', count: 'count' }[values[valueNow()].unit]}`;
  const allTotal = () => data.total(valueNow())[0];
  const treeOf = place => parts[place.part].tree;
  const frameAt = place => frames[treeOf(place).frame[place.node]];
  const framesTo = place => pathTo(treeOf(place), place.node).slice(1).map(node => treeOf(place).frame[node]);
  const isSame = (a, b) => a?.part === b?.part && a?.node === b?.node;
  const boxOf = place => boxes.find(box => isSame(box, place));
  const linkOf = place => place && (parts.length > 1 && place.part === 0 ? '.' : '') + framesTo(place).map(f => keyOf(frames[f])).join('');

  /* The trees of the state. Places survive where there is such a path in the new ones. */
  function build() {
    const v = valueNow(), family = state.view === 'icicle' ? 'flame' : state.view;
    const method = family === 'sandwich' ? data.methodNamed(state.method, v) : 0, key = [family, method, v, data.n].join();
    if (key !== built.key) {
      const isKept = family === built.family && method === built.method, places = [zoom, selected];
      const paths = places.map(place => (isKept && place ? framesTo(place) : null));
      const trees = family === 'flame' ? [baseTree(data, v)] : family === 'inverted' ? [invertedTree(data, v)] : sandwichTrees(data, v, method);
      parts = trees.map(tree => ({ tree }));
      [zoom, selected] = places.map((place, i) =>
        paths[i] && { part: place.part, node: walk(trees[place.part], paths[i], (a, b) => a === b).node });
      built = { key, family, method };
    }
    zoom ??= { part: parts.length - 1, node: 0 };
  }
  /* Of a link; what it needs is fetched. */
  async function placeOf(link) {
    const part = link.startsWith('.') ? 0 : parts.length - 1, keys = link.replace('.', '').match(/.{5}/g) ?? [];
    for (;;) {
      const { tree } = parts[part], { node, left } = walk(tree, keys, (f, key) => keyOf(frames[f]) === key);
      if (left.length === 0 || !await fetchHidden(tree.stubs(node)))
        return link === '' ? null : { part, node };
    }
  }
  const isKnown = (key, value) => (key === 'value' ? values.some(one => one.name === value) : CHOICES[key]?.includes(value) ?? key in state);

  /* `push`: an entry of its own in the history. */
  async function set(partial, push = true) {
    const mine = ++turn, links = { zoom: state.zoom, selected: state.selected, ...partial };
    Object.assign(state, Object.fromEntries(Object.entries(partial).filter(([key, value]) => isKnown(key, value))));
    build();
    const first = links.zoom === linkOf(zoom) ? zoom : await placeOf(links.zoom);
    const second = links.selected === (linkOf(selected) ?? '') ? selected : await placeOf(links.selected);
    if (mine === turn)
      go(first, second, push);
  }
  function go(nextZoom, nextSelected, push = true) {
    turn++;
    [zoom, selected] = [nextZoom, nextSelected];
    build();
    Object.assign(state, { zoom: linkOf(zoom), selected: linkOf(selected) ?? '' });
    redraw();
    /* By location, since history.pushState throws where a policy gives us no origin. An empty one would scroll. */
    const hash = new URLSearchParams(location.hash.slice(1));
    for (const [key, field] of Object.entries(FIELDS))
      state[field] === usual[field] ? hash.delete(prefix + key) : hash.set(prefix + key, state[field]);
    const next = location.hash && `${hash}` === '' ? `#${prefix}view=${state.view}` : `#${hash}`;
    if (next !== (location.hash || '#'))
      push ? location.hash = next : location.replace(next);
    svg.dispatchEvent(new CustomEvent('flame-state', { bubbles: true, detail: { ...state } }));
  }
  function follow() {
    const hash = new URLSearchParams(location.hash.slice(1)), wanted = { ...usual };
    for (const [key, field] of Object.entries(FIELDS))
      if (hash.has(prefix + key))
        wanted[field] = typeof usual[field] === 'boolean' ? hash.get(prefix + key) === 'true' : hash.get(prefix + key);
    if (Object.keys(wanted).some(key => wanted[key] !== state[key]))
      set(wanted, false);
  }
  const reset = () => set({ zoom: '', selected: '', search: '' });

  async function fetchHidden(stubs) {
    const source = svg.closest('[data-flame-tree]')?.dataset.flameTree ?? location.pathname.replace(/(\.svg)?$/, '/tree');
    trouble = isHttp() ? '' : '. Frames that are not in this file can be had where it came from';
    for (const { place, shown } of isHttp() ? stubs.slice(0, 8) : [])
      try {
        const answer = await fetch(`${source}?node=${place}&skip=${shown}&${header.query}`);
        if (!answer.ok)
          throw new Error(`${answer.status} ${answer.statusText}`);
        const piece = decode(await answer.text());
        if (piece.n === 1)
          throw new Error('the answer is empty');
        graft(data, data.stub.findIndex(s => s > 0 && data.stubs[s - 1].place === place), piece);
      } catch (error) {
        trouble = `. Frames could not be fetched: ${error.message}`;
      }
    build();
    return stubs.length > 0 && trouble === '';
  }

  /* ---- words ---- */

  function hiddenWords({ part, node }) {
    const { tree } = parts[part], n = tree.stubs(~node).reduce((sum, stub) => sum + stub.nodes, 0);
    return `${counted(n, 'frame')} not in this file: ${inWords(tree.hidden(~node))}`;
  }
  /* What a frame is called in its box: with its signature where a sibling has the same text. */
  function labelOf(box) {
    const tree = treeOf(box), cells = Math.floor((box.width - 6) / CELL);
    if (box.node < 0)
      return cut(hiddenWords(box), cells);
    const frame = frameAt(box), { text } = frame, known = overloaded.names ??= overloaded();
    const isTwin = kid => kid !== box.node && frames[tree.frame[kid]].text === text;
    const tail = known.has(text) && box.node > 0 && tree.kids(tree.parent[box.node]).some(isTwin) ? signatureWords(frame.signature) : '';
    return fitName(frame, tail, cells, state.names === 'full');
  }
  function overloaded() {
    const seen = new Set();
    return new Set(frames.map(({ text }) => text).filter(text => seen.has(text) || !seen.add(text)));
  }
  /* What is known of a node: its name, then lines. */
  function describe(place) {
    if (place.node < 0)
      return [hiddenWords(place), 'Click to fetch them.'];
    const { node } = place, tree = treeOf(place), total = tree.total[node], f = tree.frame[node], path = pathTo(tree, node);
    const thread = tree.isBase && header.side_by_side ? tree.total[path[1] ?? 0] : allTotal();
    const near = tree.total[zoom.part === place.part ? zoom.node : 0], all = data.instancesOf(f, valueNow()), calls = tree.calls(node);
    const isRecursive = calls > 0 && tree.isBase && path.some(up => up !== node && tree.frame[up] === f);
    const lines = [`${frames[f].text} ${signatureWords(frames[f].signature)}`, `total ${inWords(total)}: ` +
      `${percentWords(total, thread)} of ${header.merged ? 'all' : 'thread'}, ${percentWords(total, near)} of zoom, ` +
      `${percentWords(total, tree.total[tree.parent[node]])} of parent; self ${inWords(tree.self[node])}`];
    if (!frames[f].isMethod)
      return lines;
    if (data.calls >= 0)
      lines.push(`calls ${grouped(calls)}` + (isRecursive ? ` (${grouped(calls)} recursive)` : '') +
                 (calls > 0 ? `, ${inWords(ratio(total, calls, 1))} per call` : ''));
    lines.push(`${counted(all.count, 'instance')} of this method: total ${inWords(all.total)} (${shareOf(all.total, allTotal())}), ` +
               `self ${inWords(all.self)}` + (data.calls < 0 ? '' : `, ${counted(all.calls, 'call')}`));
    return lines;
  }
  function showWords() {
    const { tree, shown } = parts[zoom.part], { node } = zoom, whole = tree.total[node], path = pathTo(tree, node);
    const of = tree.isBase ? ` of ${grouped(data.sizes[node] - (node === 0 ? 1 : 0))}` : '';
    status.textContent = (whole === 0 ? 'no calls recorded for this value' :
      `${grouped(parts.reduce((sum, part) => sum + part.shown.drawn, 0))}${of} frames drawn; ${shareOf(whole - shown.dropped, whole)}`) +
      (tree.isBase || data.stubs.length === 0 ? '' : ', from what is in this file') + trouble;
    const crumb = one => button(fitName(frames[tree.frame[one]], '', 32, false), `Zoom to ${frames[tree.frame[one]].text}`,
      () => go({ part: zoom.part, node: one }, selected));
    const some = (path.length > 6 ? [...path.slice(0, 2), '…', ...path.slice(-3)] : path).map(one => (one === '…' ? one : crumb(one)));
    crumbs.replaceChildren(...some.flatMap((one, i) => (i > 0 ? [' › ', one] : [one])));
    const lines = selected === null ? ['Click a frame to zoom into it.'] : describe(selected);
    details.replaceChildren(...lines.map(line => html('p', {}, line)));
    const method = selected === null ? null : frameAt(selected);
    if (method?.isMethod)
      details.lastChild.append(' ', button('Callers and callees', `Callers and callees of ${method.text}`,
        () => set({ view: 'sandwich', method: method.text + method.signature, zoom: '', selected: '' })));
  }
  function showLegend() {
    const swatch = (cls, word) => html('span', {}, shape('svg', { class: 'swatch', width: 10, height: 10 },
      shape('rect', { class: cls, width: 10, height: 10 })), ' ' + word);
    legend.replaceChildren(...{
      origin: () => [...new Set(frames.map(({ origin }) => origin))].filter(i => i < ORIGINS.length).sort()
        .map(i => swatch('o' + i, i === 0 && header.app ? `app: ${header.app}` : ORIGINS[i])),
      package: () => {
        const all = data.packages(valueNow());
        return [...all.slice(0, 8).map(({ name, colour }) => swatch('c' + colour, cut(name, 40))), all.length > 8 ? 'other' : ''];
      },
      self: () => ['no self', ...[0, 1, 2, 3, 4, 5, 6, 7].map(i => swatch('h' + i, '')), 'most self'],
      classic: () => ['classic: the colours mean nothing'],
    }[state.palette]());
  }

  /* ---- drawing ---- */

  const yOf = box => topPx + box.level * LEVEL;
  function outlineOf(box, inset = 0) {
    const width = tenths(Math.max(0.1, box.width - (box.width > 2 ? 0.5 : 0) - 2 * inset)), height = LEVEL - 1 - 2 * inset;
    return `M${tenths(PAD + box.x + inset)} ${yOf(box) + inset}h${width}v${height}h-${width}z`;
  }
  function outline(path, place) {
    const box = place && boxOf(place);
    path.setAttribute('d', box ? outlineOf(box, 0.5) : '');
  }
  function roomPx() {
    const { clientWidth } = svg.parentElement ?? {}, { paddingLeft, paddingRight } = getComputedStyle(svg.parentElement ?? svg);
    return Math.max(200, Math.floor(standalone ? visualViewport.width * visualViewport.scale :
      clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight)));
  }
  /* Boxes of all parts, in levels from the top. The method of a sandwich is in both of its trees, and drawn once. */
  function arrange() {
    let middle = 0;
    [boxes, levels] = [[], []];
    parts.forEach((part, p) => {
      const isUp = state.view !== 'icicle' && p === 0;
      part.shown = layout(part.tree, zoom.part === p ? zoom.node : 0, widthPx - 2 * PAD, header.min, state.order === 'weight');
      if (isUp)
        middle = part.shown.boxes.reduce((most, box) => Math.max(most, box.row), 0);
      for (const box of part.shown.boxes)
        if (p === parts.length - 1 || box.node !== 0)
          boxes.push(Object.assign(box, { part: p, level: isUp ? middle - box.row : middle + box.row }));
    });
    boxes.forEach(box => (levels[box.level] ??= []).push(box));
  }
  function redraw() {
    const began = performance.now(), before = boxOf(zoom), anchor = before && yOf(before);
    const key = [built.key, zoom.part, zoom.node, roomPx(), state.view, state.order, state.palette, state.names].join(), isSeen = key === redraw.key;
    [widthPx, redraw.key] = [roomPx(), key];
    if (!isSeen) {
      arrange();
      showLegend();
    }
    find();
    showWords();
    for (const [name, input] of Object.entries(inputs))
      if (document.activeElement !== input || input.localName === 'select')
        input[input.type === 'checkbox' ? 'checked' : 'value'] = state[name];
    [headBox, barBox].forEach(box => setAll(box, { x: PAD, width: widthPx - 2 * PAD, height: 1 }));
    const [headPx, barPx] = [head, bar].map(inner => Math.ceil(rectOf(inner).height)), isMoved = topPx !== headPx + barPx + 6;
    topPx = headPx + barPx + 6;
    setAll(headBox, { height: headPx });
    setAll(barBox, { y: headPx, height: barPx });
    const heightPx = topPx + Math.max(1, levels.length) * LEVEL + PAD;
    setAll(svg, { width: widthPx, height: heightPx, viewBox: `0 0 ${widthPx} ${heightPx}` });
    if (!isSeen || isMoved) {
      drawShapes();
      drawTexts();
    }
    matched.setAttribute('d', boxes.filter(isHit).map(box => outlineOf(box, 0.75)).join(''));
    graph.classList.toggle('searched', matched.getAttribute('d') !== '');
    outline(chosen, selected);
    point(null);
    if (anchor !== undefined && standalone)
      scrollBy(0, yOf(boxOf(zoom)) - anchor);
    if (standalone && !isSeen && svg.flame)
      reveal(zoom);
    stick();
    svg.dispatchEvent(new CustomEvent('flame-drawn', { bubbles: true, detail: {
      drawn: boxes.length, total: header.nodes, ms: performance.now() - began } }));
  }
  /* One path for each colour: elements are what makes large pictures slow. */
  function drawShapes() {
    const largest = state.palette === 'self' ? data.largestSelf(valueNow()) : 0, paths = {};
    for (const box of boxes)
      (paths[box.node < 0 ? 'st' : colourClass(state.palette, frameAt(box), treeOf(box).self[box.node], largest)] ??= []).push(outlineOf(box));
    shapes.replaceChildren(...Object.entries(paths).map(([cls, all]) => shape('path', { class: cls, d: all.join('') })));
  }
  /* Of more names than can be drawn quickly, the widest near the window. */
  function drawTexts() {
    let wide = boxes.filter(box => box.width >= CELLS_LEAST * CELL + 6);
    const { top } = rectOf(svg), isNear = box => Math.abs(top + yOf(box) - innerHeight / 2) < innerHeight;
    hasAllTexts = wide.length <= TEXTS_MAX;
    if (!hasAllTexts)
      wide = wide.filter(isNear).sort((a, b) => b.width - a.width).slice(0, TEXTS_MAX);
    texts.replaceChildren(...wide.map(box => shape('text', { x: tenths(PAD + 3 + box.x), y: yOf(box) + 11 }, labelOf(box))));
  }
  /* The toolbar stays in sight while there is picture below it. */
  function stick() {
    const above = -rectOf(svg).top - barBox.getAttribute('y'), most = svg.getAttribute('height') - topPx - LEVEL;
    barBox.setAttribute('transform', `translate(0 ${Math.max(0, Math.min(above, most))})`);
  }

  /* ---- search ---- */

  const isHit = box => box.node > 0 && found.hits?.[treeOf(box).frame[box.node]] === 1;
  function find() {
    const key = [state.search, state.regexp, state.matchCase, valueNow(), data.n].join('\t');
    if (found.key === key)
      return;
    found = { key };
    try {
      const isMeant = matcher(state.search, state.regexp, state.matchCase);
      if (isMeant !== null)
        found = { key, ...search(data, valueNow(), isMeant) };
      matches.textContent = isMeant === null ? '' :
        `${counted(found.nodes, 'match', 'matches')} of ${counted(found.methods, 'method')}: ${shareOf(found.total, allTotal())}`;
    } catch (error) {
      matches.textContent = error.message;
    }
  }
  /* In the tree that was read all matches come in turn; in others those that are drawn. */
  function step(by) {
    const { tree } = parts[0], shown = tree.isBase ? Array.from(tree.frame, (_, node) => ({ part: 0, node })) : boxes;
    const hits = shown.filter(isHit), at = hits.findIndex(one => isSame(one, selected));
    const next = hits[(Math.max(at, by < 0 ? 0 : -1) + by + hits.length) % hits.length];
    if (next === undefined)
      return;
    const { part, node } = next, isFar = () => boxOf(next) === undefined;
    go(isFar() ? { part, node: tree.parent[node] } : zoom, { part, node }, false);
    if (isFar())
      go(selected, selected, false);
    reveal(selected);
  }

  /* ---- pointer and keys ---- */

  function pointOf(event) {
    const { left, top, width } = rectOf(svg), scale = widthPx / width;
    return { x: (event.clientX - left) * scale, y: (event.clientY - top) * scale };
  }
  function boxAt({ x, y }) {
    return levels[Math.floor((y - topPx) / LEVEL)]?.find(box => x - PAD >= box.x && x - PAD < box.x + box.width) ?? null;
  }
  function point(box) {
    hovered = box;
    outline(under, box);
    tip.replaceChildren(...(box === null ? [] : describe(box)).map(line => html('p', {}, line)));
    setAll(tipBox, { visibility: box === null ? 'hidden' : 'visible', width: Math.min(480, widthPx), height: 1 });
  }
  function hover(event) {
    const at = pointOf(event), box = boxAt(at);
    if (box !== hovered)
      point(box);
    const { width, height } = rectOf(tip), isBelow = event.clientY + height + 24 < innerHeight;
    setAll(tipBox, { x: Math.max(0, Math.min(at.x + 12, widthPx - width)), y: isBelow ? at.y + 18 : at.y - height - 8 });
  }
  async function activate({ part, node }) {
    if (node < 0)
      await fetchHidden(parts[part].tree.stubs(~node));
    node < 0 ? go(zoom, selected, false) : go({ part, node }, { part, node });
  }
  function reveal(place) {
    const box = place && boxOf(place), y = box && rectOf(svg).top + yOf(box), { height } = rectOf(bar);
    if (y < height || y > innerHeight - LEVEL)
      scrollBy(0, y - (height + innerHeight) / 2);
  }
  /* To the box that the key points at: a neighbour, or the widest one that touches this one. */
  function move(key) {
    const box = boxOf(selected ?? zoom) ?? boxOf(zoom), row = levels[box.level], beside = row[row.indexOf(box) + (key === 'ArrowLeft' ? -1 : 1)];
    const touching = (levels[box.level + (key === 'ArrowUp' ? -1 : 1)] ?? [])
      .filter(one => one.x < box.x + box.width && one.x + one.width > box.x).sort((a, b) => b.width - a.width);
    const next = selected === null ? box : /Left|Right/.test(key) ? beside : touching[0];
    if (next?.node >= 0)
      go(zoom, { part: next.part, node: next.node }, false);
    reveal(selected);
  }
  function onKey(event) {
    const out = () => go({ part: zoom.part, node: treeOf(zoom).parent[zoom.node] }, zoom.node === 0 ? null : selected);
    const action = { ArrowUp: move, ArrowDown: move, ArrowLeft: move, ArrowRight: move, Escape: out, Backspace: out,
                     Enter: () => selected && go(selected, selected), '/': () => inputs.search?.focus(), n: () => step(1), N: () => step(-1) }[event.key];
    if (!action || event.ctrlKey || event.altKey || event.metaKey || event.target.closest?.('input, select, button'))
      return;
    action(event.key);
    event.preventDefault();
  }

  /* Painted anew: a policy that allows nothing forbids a picture of the picture as well. Resolves to the file. */
  function png() {
    const lines = [title, ...warnings, status.textContent, legend.textContent], top = 14 + lines.length * 18;
    const height = svg.getAttribute('height') - topPx + top, style = getComputedStyle(head);
    const scale = Math.min(2, 32000 / height, 32000 / widthPx, Math.sqrt(2e8 / (widthPx * height)));
    const canvas = html('canvas', { width: Math.round(widthPx * scale), height: Math.round(height * scale) }), pen = canvas.getContext('2d');
    Object.assign(pen, { font: style.font, fillStyle: style.backgroundColor });
    pen.scale(scale, scale);
    pen.fillRect(0, 0, widthPx, height);
    pen.fillStyle = style.color;
    lines.forEach((line, i) => pen.fillText(line, PAD, 20 + i * 18, widthPx - 2 * PAD));
    pen.translate(0, top - topPx);
    for (const one of [...shapes.children, matched]) {
      const { fill, stroke } = getComputedStyle(one), path = new Path2D(one.getAttribute('d'));
      Object.assign(pen, { fillStyle: fill, strokeStyle: stroke });
      one === matched ? pen.stroke(path) : pen.fill(path);
    }
    pen.fillStyle = style.color;
    for (const text of texts.children)
      pen.fillText(text.textContent, text.getAttribute('x'), text.getAttribute('y'));
    return new Promise(resolve => canvas.toBlob(blob => {
      const href = URL.createObjectURL(blob), download = title.replace(/[^\w.-]+/g, '-').slice(0, 80) + '.png';
      html('a', { href, download }).click();
      setTimeout(() => URL.revokeObjectURL(href), 60000);
      resolve(blob);
    }));
  }

  /* ---- start ---- */

  svg.querySelectorAll('.t, .s, .w, .l, .f').forEach(drawn => drawn.remove());
  setAll(svg, { role: 'group' }).append(headBox, graph, barBox, tipBox);
  if (svg.closest('[data-flame-controls]') === null)
    addTools();
  const fit = soon(() => roomPx() !== widthPx && redraw());
  graph.addEventListener('pointermove', hover);
  graph.addEventListener('pointerleave', () => point(null));
  graph.addEventListener('click', event => { const box = boxAt(pointOf(event)); if (box !== null) activate(box); });
  (standalone ? window : svg).addEventListener('keydown', onKey);
  document.addEventListener('scroll', soon(() => { stick(); if (!hasAllTexts) drawTexts(); }), true);
  standalone ? addEventListener('resize', fit) : new ResizeObserver(fit).observe(svg.parentElement);
  addEventListener('hashchange', follow);
  svg.flame = {
    get state() { return { ...state }; }, set, reset, png, next: () => step(1), previous: () => step(-1),
    zoomTo: link => set({ zoom: link }), select: link => set({ selected: link }),
    search: (text, how = {}) => set({ search: text, regexp: false, ...how }, false),
  };
  build();
  redraw();
  if (standalone)
    scrollTo(0, state.view === 'icicle' ? 0 : svg.getAttribute('height'));
  svg.dataset.state = 'ready';
  follow();
}

const all = Array.from(document.querySelectorAll('svg.af')), own = document.currentScript?.closest('svg.af');
for (const svg of own ? [own] : all) {
  const n = all.indexOf(svg) + 1, metadata = svg.querySelector('metadata.d');
  if (metadata === null || svg.flame !== undefined)
    continue;
  try {
    const text = metadata.textContent, { options } = JSON.parse(text.slice(0, text.indexOf('\n')));
    options.view === 'chart' ? startChart(svg) : start(svg, n > 1 ? `${n}.` : '', text);
  } catch (error) {
    console.error(error);   /* the drawing is there nevertheless */
  }
}
})();
