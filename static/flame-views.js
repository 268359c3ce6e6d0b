/* Of the half that knows no document: commands, trees of views, layout, search, colours. */

/* --- commands --- */

/* THE TABLE: what there is to do: name, keys as a KeyboardEvent has them, words. The menu of a frame has those with `frame`, which
 * are of what is selected; those with `page` are of the page around the picture. docs/pictures.md has the same rows. */
const COMMANDS = [
  { name: 'move', keys: ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'], words: 'select the caller, a callee, or a neighbour' },
  { name: 'zoom', keys: ['Enter'], words: 'zoom in', frame: true },
  { name: 'out', keys: ['Backspace', 'Escape'], words: 'zoom out by one level; from callers and callees back' },
  { name: 'callers', keys: ['s'], words: 'callers and callees', frame: true },
  { name: 'search', keys: ['/'], words: 'search' },
  { name: 'next', keys: ['n'], words: 'next match, by weight' },
  { name: 'previous', keys: ['N'], words: 'match before' },
  { name: 'nextValue', keys: ['v'], words: 'next value' },
  { name: 'nextOrder', keys: ['o'], words: 'other order' },
  { name: 'focus', keys: ['f'], words: 'focus: only stacks with it', frame: true },
  { name: 'ignore', keys: ['x'], words: 'ignore: no stacks with it', frame: true },
  { name: 'hide', keys: ['h'], words: 'hide it', frame: true },
  { name: 'hidePackage', keys: ['X'], words: 'hide its package', frame: true },
  { name: 'undoFilter', keys: ['u'], words: 'take out the last filter' },
  { name: 'copyName', keys: ['c'], words: 'copy its name', frame: true },
  { name: 'copyStack', keys: ['C'], words: 'copy its stack', frame: true },
  { name: 'copyLink', keys: ['y'], words: 'copy the link', frame: true },
  { name: 'menu', keys: ['m', 'ContextMenu'], words: 'menu of the selected frame; so do a right click and a long press' },
  { name: 'tab', keys: ['1', '2', '3', '4'], words: 'tabs of the page', page: true },
  { name: 'help', keys: ['?'], words: 'these keys' },
];
const KEY_WORDS = { ArrowUp: '\u2191', ArrowDown: '\u2193', ArrowLeft: '\u2190', ArrowRight: '\u2192', ContextMenu: 'Menu' };
const keyWords = ({ keys }) => keys.map(key => KEY_WORDS[key] ?? key);

/* --- trees of views --- */

/* Of nodes made when they are asked for: {f, frame, up (null: a root), isUpward, total, self, calls, stubs, kids,
 * and of a comparison sides: what A and B have in all}. In the
 * tree as it was read each is the node `at` of the data; in others it stands for several, a chain from `first` on by
 * `next`. On the way to its children these go on into their callees; upward, their `cursor` to its caller. */
const NONE = [], byRank = (a, b) => a.frame.rank - b.frame.rank;
class Tree {
  /* Of the view of a method two roots: callers, callees. */
  constructor(data, view, v, method = 0) {
    const [total, self] = [data.total(v), data.self[v]], isWhole = !/inverted|sandwich/.test(view);
    const [cursor, up, down] = [0, 0, 0].map(() => new Uint32Array(isWhole ? 0 : data.n));
    this.sides = data.header.compared ? SIDES.map(side => data.total(side)) : [];
    Object.assign(this, { data, v, isWhole, total, self, calls: data.called,
      cursor, next: { true: up, false: down }, found: data.frames.map(() => null), weight: total });
    if (view === 'sandwich') {
      this.roots = [true, false].map(isUpward => this.group(null, isUpward,
        this.chain(f => f === method, false, isUpward))[0] ?? this.node(method, null, isUpward));
      return;
    }
    const root = this.node(0, null, !isWhole, 1);
    this.roots = [root];
    if (isWhole)
      return;
    this.weight = self;
    this.sides = this.sides.map((_, side) => data.self[side]);
    root.stubs = [...data.stubs.values()];
    root.kids = this.group(root, true, this.chain((f, i) =>
      f > 0 && (data.frames[f].isMethod || data.values.some((_, k) => data.self[k][i])), true, true));
  }
  /* Nodes of some frames, nested ones too if wanted. */
  chain(isMeant, nested, isUpward) {
    const { data: { n, frame, size }, cursor, next: { [isUpward]: next } } = this;
    let first = 0;
    for (let i = 1, is; i < n; i += is && !nested ? size[i] : 1)
      if (is = isMeant(frame[i], i)) {
        next[i] = first;
        first = cursor[i] = i;
      }
    return first;
  }
  node(f, up, isUpward, at = 0) {
    const { data: { frames, stubs }, isWhole, total, self, calls, sides } = this;
    return { sides: sides.map(side => side[at]), f, frame: frames[f], up, isUpward, at, total: total[at], self: self[at], calls: calls[at], kids: null,
      first: 0, box: undefined, stubs: !isWhole ? [] : stubs.has(at) ? [stubs.get(at)] : NONE };
  }
  /* A node for each frame at a cursor, by rank. */
  group(up, isUpward, first) {
    const { data: { frame, parent, stubs }, self, calls, weight, found, cursor, sides, next: { [isUpward]: next } } = this;
    const made = [];
    for (let id = first, after; id > 0; id = after) {
      const at = cursor[id], f = frame[at], node = found[f] ??= made[made.push(this.node(f, up, isUpward)) - 1];
      node.total += weight[id];
      sides.forEach((column, side) => { node.sides[side] += column[id]; });
      node.self += !isUpward ? self[id] : parent[at] > 1 ? 0 : weight[id];
      node.calls += calls[id];
      if (!isUpward && stubs.has(id))
        node.stubs.push(stubs.get(id));
      [after, next[id], node.first] = [next[id], node.first, id];
    }
    made.forEach(({ f }) => { found[f] = null; });
    return made.sort(byRank);
  }
  makeKids(node) {
    const { data: { frame, parent, size }, isWhole, cursor } = this, { at, isUpward } = node, made = [];
    const next = this.next[isUpward];
    for (let i = at + 1; isWhole && i < at + size[at]; i += size[i])
      made.push(this.node(frame[i], node, false, i));
    let first = 0;
    const add = (id, to) => {
      next[id] = first;
      cursor[id] = to;
      first = id;
    };
    for (let id = node.first, after; id > 0; id = after) {
      after = next[id];
      for (let i = id + 1; !isUpward && i < id + size[id]; i += size[i])
        add(i, i);
      if (isUpward && parent[cursor[id]] > 1)
        add(id, parent[cursor[id]]);
    }
    return isWhole ? made.sort(byRank) : this.group(node, isUpward, first);
  }
  kidsOf(node) { return node.kids ??= this.makeKids(node); }
  hiddenOf({ stubs }, v = this.v) { return stubs.reduce((sum, { sums }) => sum + sums[v], 0); }
}

/* From its root. */
function pathTo(node) {
  const made = [];
  for (let one = node; one; one = one.up)
    made.push(one);
  return made.reverse();
}

/* --- the first view --- */

/* A page whose address says nothing shows this of a picture first: no idle time if that is over a part of all, and no way that
 * leads through callers alone: each has one callee with nearly all of it. A way of fewer frames is shown. */
const IDLE_PART = 0.5, ALONE_PART = 0.95, ALONE_FRAMES = 3, IDLE_STEP = ['preset', 'no-idle'];

/* By what the preset would drop: time in frames that wait and below them, and time in no frame. */
function isMostlyIdle(data, v) {
  const { n, frame, frames, parent, self: { [v]: self } } = data, waits = new Uint8Array(n), all = data.total(v)[1];
  let idle = 0;
  for (let i = 1; i < n; i++) {
    const { isMethod, isBusy } = frames[frame[i]];
    waits[i] = isMethod && (!isBusy || waits[parent[i]]);
    idle += waits[i] || !isMethod ? self[i] : 0;
  }
  return data.values[v].unit === 'ns' && idle > IDLE_PART * all && idle < all;
}
/* Where callees part for the first time, or the first frame of own code before that; or the root. */
function firstBranching(tree) {
  const [root] = tree.roots;
  let node = root, frames = 0;
  for (; node.frame.origin !== 'o0'; frames++) {
    const alone = tree.kidsOf(node).find(kid => kid.total > ALONE_PART * node.total);
    if (!alone)
      break;
    node = alone;
  }
  return frames < ALONE_FRAMES || tree.kidsOf(node).length === 0 ? root : node;
}

/* --- layout --- */

const LEVELS_MAX = 2000, BOXES_MAX = 8000;
/* What a box may be instead: frames below it that are too narrow to be drawn, or not in the data. */
const NARROW = 1, ELSEWHERE = 2;

/* Rows of boxes {node, hides: NARROW, ELSEWHERE or 0, x, end (tenths of a pixel), at, total} of a zoomed node and what is
 * below it; with two roots what is between, too; `dropped`: total of the topmost frames that are not drawn. Too many boxes raise the least width. */
function layout(tree, zoom, widthPx, minPx, byWeight) {
  const whole = zoom.total, leastPx = Math.max(0.1, minPx), least = leastPx * whole / widthPx;
  const edge = at => Math.round(at / whole * widthPx * 10);
  const rows = (tree.roots.length > 1 ? pathTo(zoom).slice(-1 - LEVELS_MAX / 2) : [zoom])
    .map(node => [{ node, hides: 0, x: 0, end: widthPx * 10, at: 0, total: whole }]);
  const made = { rows, dropped: 0, drawn: 0 }, top = rows.length - 1;
  let next;
  const put = (node, hides, from, to) => {
    if (to - from >= least)
      next.push({ node, hides, x: edge(from), end: edge(to), at: from, total: to - from, level: 0 });
    made.dropped += hides > 0 ? to - from : 0;
  };
  for (let row = top, n = top; whole > 0 && row < rows.length; row++) {
    next = [];
    for (const { node, hides, at, total } of rows[row]) {
      if (hides > 0)
        continue;
      let kids = total - node.self >= least && row - top + 1 < LEVELS_MAX ? tree.kidsOf(node) : [];
      if (byWeight)
        kids = kids.filter(kid => kid.total >= least).sort((a, b) => b.total - a.total);
      const end = at + total, shown = end - tree.hiddenOf(node);
      let start = at + node.self, narrow = start;
      for (const kid of kids) {
        if (kid.total >= least) {
          put(node, NARROW, narrow, start);
          put(kid, 0, start, narrow = start + kid.total);
        }
        start += kid.total;
      }
      put(node, NARROW, narrow, shown);
      put(node, ELSEWHERE, shown, end);
      made.drawn += node.up ? 1 : 0;
    }
    n += next.length;
    if (n > BOXES_MAX && minPx < widthPx)
      return layout(tree, zoom, widthPx, 1.5 * leastPx, byWeight);
    if (next.length > 0)
      rows.push(next);
  }
  return made;
}

/* --- search, colours --- */

/* For a text or a /regexp/: by frame whether it matches, how many do, and their sums. */
function search(data, v, text, matchCase) {
  const slashed = /^\/(.+)\/$/.exec(text)?.[1] ?? text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const wanted = new RegExp(slashed, matchCase ? 'u' : 'iu');
  if (!text)
    return { hits: new Uint8Array(data.frames.length) };
  const hits = Uint8Array.from(data.frames, frame => frame.rank >= 0 && (wanted.test(frame.text) ||
    wanted.test(frame.full ??= frame.text + signatureWords(frame.signature))));
  return { hits, methods: hits.reduce((n, hit) => n + hit, 0), ...data.sums(hits, 2, v)(1) };
}

/* The methods that match: by total, the heaviest first. */
function matchesByWeight(data, v, hits) {
  return data.frames.flatMap((frame, f) => (hits[f] ? [{ frame, ...data.instancesOf(f, v) }] : []))
    .filter(({ nodes }) => nodes > 0).sort((a, b) => b.total - a.total || a.frame.rank - b.frame.rank);
}
/* Nodes that match, of a node of the data and all below it: the heaviest first, equal ones as they come. */
function nodesByWeight(data, v, hits, top) {
  const { frame, size } = data, total = data.total(v), made = [];
  for (let i = top; i < top + size[top]; i++)
    if (hits[frame[i]])
      made.push(i);
  return Uint32Array.from(made).sort((a, b) => total[b] - total[a] || a - b);
}

/* As profile/frame/frame_text.c tells it. */
function packageOf({ line }) {
  const [, found] = /^([^\t.]*(?:\.[^\t.]*(?=\.))?)\./.exec(line) ?? /^\t?([^\t.]*(?:\.[^\t.]*)?)/.exec(line);
  return found;
}

const OTHERS = 12;
/* Gives the heaviest packages of the data a class each: [package, class], the heaviest first; all others share one. Those in
 * `kept`, a map that is brought up to date, keep what they had. Where much was left out the data know which they are. */
function colourPackages(data, v, kept) {
  const { n, frame, frames, self: { [v]: self }, stubs } = data, numbers = new Map();
  const packages = Uint32Array.from(frames, one => {
    const name = one.group ??= packageOf(one);
    return numbers.get(name) ?? numbers.set(name, numbers.size).size - 1;
  });
  const sums = new Float64Array(frames.length), nodes = new Uint32Array(frames.length), weights = Array.from(numbers.keys(), name => [name, 0, 0]);
  for (let i = 2; i < n; i++) {
    sums[frame[i]] += self[i];
    nodes[frame[i]]++;
  }
  frames.forEach(({ isMethod }, f) => {
    weights[packages[f]][1] += isMethod ? sums[f] : 0;
    weights[packages[f]][2] += isMethod ? nodes[f] : 0;
  });
  const there = weights.filter(([, , some]) => some > 0);
  const isTold = stubs.size > 0 && data.emptiedBy === undefined;
  const top = isTold ? [...new Map(frames.map(({ group, given }) => [group, given]))].filter(([, colour]) => colour < OTHERS).sort((a, b) => a[1] - b[1]) :
    there.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, OTHERS);
  const used = new Set(top.map(([name]) => kept.get(name)));
  let free = 0;
  const made = top.map(([name]) => {
    if (!kept.has(name)) {
      while (used.has(free))
        free++;
      kept.set(name, free);
      used.add(free);
    }
    return [name, kept.get(name)];
  });
  kept.clear();
  made.forEach(([name, colour]) => kept.set(name, colour));
  const classes = Array.from(numbers.keys(), name => 'c' + (kept.get(name) ?? OTHERS));
  frames.forEach((one, f) => { one.package = classes[packages[f]]; });
  return made.concat(there.length > made.length ? [['all other packages', OTHERS]] : []);
}

/* Of a node. A frame has those that do not depend on its numbers. */
function classOf(palette, { frame, self, sides }, largest) {
  if (palette === 'change')
    return 'd' + changeStep(sides);
  if (palette === 'self')
    return 'h' + (self === 0 ? 0 : Math.min(7, 1 + Math.floor(7 * self / (largest + 1))));
  return frame[palette] ??= 'y' + fnv(frame.text) % 8;
}
