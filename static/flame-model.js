/* The half of the pictures' script that knows no document. */

/* --- numbers, in the words of core/number.c --- */

const SCALES = {
  ns: [[1, ' ns'], [1e3, ' µs'], [1e6, ' ms'], [1e9, ' s'], [6e10, ' min']], count: [[1, '']],
  bytes: [' B', ' KiB', ' MiB', ' GiB', ' TiB', ' PiB'].map((word, i) => [1024 ** i, word]),
};

const grouped = n => String(n).replace(/\B(?=(\d{3})+$)/g, ',');
const counted = (n, noun) => `${grouped(n)} ${noun}${n === 1 ? '' : 's'}`;
const ratio = (part, whole, factor) =>
  Number((BigInt(part) * BigInt(factor) + BigInt(whole) / 2n) / BigInt(whole));
const fixed = (value, decimals) => grouped(Math.floor(value / 10 ** decimals)) +
  `.${String(value % 10 ** decimals).padStart(decimals, '0')}`.replace(/\.?0*$/, '');

function valueWords(unit, value) {
  const scales = SCALES[unit];
  for (let i = scales.findLastIndex(([least], at) => least <= value || at === 0);; i++) {
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
  const hundredths = ratio(part, whole, 10000), tenths = Math.min(999, ratio(part, whole, 1000));
  return part >= whole ? '100 %' :
    `${hundredths === 0 ? '<0.01' : hundredths < 1000 ? fixed(hundredths, 2) : fixed(tenths, 1)} %`;
}

/* --- names --- */

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
/* Of a name that is cut there are three letters at least. */
const cut = (text, cells) =>
  (stands(text, cells) ? text : cells < CELLS_LEAST + 2 ? '' : startWithin(text, cells - 2) + '..');
const joined = (scope, name) => (scope && name ? `${scope}.${name}` : scope || name);

/* com.example.foo.Foo.bar, c.e.f.Foo.bar, Foo.bar, bar, ba..: the longest that fits; `tail` tells
 * overloads apart. */
function fitName({ scope, name, text }, cells, tail = '', full = false) {
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

const fnv = text => new TextEncoder().encode(text)
  .reduce((h, byte) => Math.imul(h ^ byte, 0x01000193), 0x811c9dc5) >>> 0;

/* --- the data, as render/svg/data.h writes it --- */

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_';
const DIGIT_OF = Int8Array.from({ length: 256 }, (_, code) => DIGITS.indexOf(String.fromCharCode(code)));
const TRACK = 8, IDLE = 6;

function damaged() {
  throw new Error('the data is damaged');
}

/* `take` puts the next numbers into row[from .. to - 1], and tells where they end. */
function partOf(text) {
  const head = text.indexOf('\n\n'), [first, ...lines] = text.slice(0, head).split('\n');
  const header = JSON.parse(first), row = new Float64Array(6 + 2 * header.values.length);
  let at = head + 2;
  const take = (from, to) => {
    let i = at;
    for (let k = from; k < to; k++) {
      let value = 0, unit = 1, digit;
      do {
        digit = DIGIT_OF[text.charCodeAt(i++)];
        value += (digit & 31) * unit;
        unit *= 32;
      } while (digit >= 32);
      row[k] = digit >= 0 ? value : damaged();
    }
    at = i;
    return i;
  };
  return header.format === 'aflamed-flame' && header.version === 2 ?
    { header, lines, row, take, end: text.trimEnd().length } : damaged();
}

/* What links call it: 30 bits. */
const keyOf = frame => frame.key ??=
  [0, 6, 12, 18, 24].map(shift => DIGITS[fnv(frame.text + frame.signature) >>> shift & 63]).join('');

/* By node, in pre-order: frame, parent, size (with itself), self (by value; behind them all 1 for the node), and the
 * stubs: what stands for nodes that were left out. 1 is the root, 0 none. */
class Data {
  /* `pieces`: what has been fetched, by place and shown children of its stub. */
  constructor(text, pieces = new Map()) {
    const first = partOf(text), parts = new Map([...pieces].map(([stub, piece]) => [stub, partOf(piece)]));
    const n = [first, ...parts.values()].reduce((sum, part) => sum + part.header.embedded, 2);
    const { header, header: { values } } = first;
    const [frame, parent, size] = [0, 0, 1].map(filler => new Uint32Array(n).fill(filler));
    const calls = values.findIndex(({ role }) => role === 'calls');
    Object.assign(this, { header, values, calls, n, frame, parent, size, frames: [], stubs: new Map(), known: new Map(),
      made: {}, last: 0, self: [...values.map(() => new Float64Array(n)), new Uint8Array(n).fill(1)] });
    this.called = this.self[calls] ?? new Uint8Array(n);
    this.read(first, [0], parts);
    if (this.last !== n - 1)
      damaged();
    for (let i = n - 1; i > 1; i--)
      size[parent[i]] += size[i];
  }
  /* By the numbers that they have in a part. */
  framesOf({ header, lines, row, take }) {
    const { frames, known } = this;
    let last;
    const add = (rank, origin, colour, line) => {
      const [scope, name, signature] = line.split('\t');
      /* What stands for the root or a track is no method. */
      last = { rank, origin: 'o' + origin, package: 'c' + colour, line, scope, name, signature,
        text: joined(scope, name), isMethod: origin !== TRACK, isBusy: origin !== TRACK && origin !== IDLE };
      const f = known.get(rank) ?? frames.push(last) - 1;
      known.set(rank, f);
      return f;
    };
    const made = [add(-1, TRACK, 0, `\t${header.root}\t`)];
    for (const line of lines) {
      take(0, 4);
      made.push(add(Math.max(0, last.rank) + row[0], row[2], row[3], last.line.slice(0, row[1]) + line));
    }
    return made;
  }
  /* A piece begins with the node at the end of the path, which is there already. */
  read(part, path, parts) {
    const { frame, parent, self, stubs } = this, { header: { values }, row, take, end } = part;
    const frameAt = this.framesOf(part), isPiece = path.length > 1, top = Math.max(1, path.length - 1);
    const [wall, cpu] = ['wall', 'cpu'].map(role => self[values.findIndex(value => value.role === role)]);
    const columns = values.map(({ role, derived, scale }, v) =>
      ({ column: self[v], scale: derived ? 0 : scale, bit: { cpu: 4, calls: 2 }[role] ?? 0 }));
    const most = 2 + columns.filter(({ scale }) => scale > 0).length;
    for (let depth = top - 1, at = 0, isFirst = true; at < end; isFirst = false) {
      take(0, 1);
      const first = row[0] | 0, k = most - (first >> 2 & 1) - (first >> 1 & 1);
      at = take(1, first & 1 ? k + 4 + values.length : k);
      const f = frameAt[row[1]];
      depth += 1 - (first >> 3);
      if (f === undefined || depth < top || (depth === top) !== isFirst)
        damaged();
      const node = isFirst && isPiece ? path[top] : ++this.last;
      path[depth] = node;
      frame[node] = f;
      parent[node] = path[depth - 1];
      let next = 2;
      for (const { column, scale, bit } of columns)     /* a derived one behind those it comes from */
        column[node] = scale === 0 ? Math.max(0, wall[node] - cpu[node]) : (first & bit) === 0 ? row[next++] * scale :
          bit === 2 ? 1 : wall[node];
      if ((first & 1) === 0)
        continue;
      const [place, shown, , nodes] = row.subarray(k), stub = `${place} ${shown}`;
      const sums = [...values.map(({ scale }, v) => row[k + 4 + v] * scale), nodes];
      if (parts.has(stub))
        this.read(parts.get(stub), path.slice(0, depth + 1), parts);
      else
        stubs.set(node, { place, shown, sums });
    }
  }
  once(key, make) { return this.made[key] ??= make(); }
  /* With what was left out. */
  total(v) {
    return this.once(`total ${v}`, () => {
      const { n, parent, self, stubs } = this, column = new Float64Array(self[v]);
      stubs.forEach(({ sums }, i) => { column[i] += sums[v]; });
      for (let i = n - 1; i > 1; i--)
        column[parent[i]] += column[i];
      return column;
    });
  }
  /* What there is of each group of frames; `groupOf`: by frame. Nested nodes are once in a total. */
  sums(groupOf, groups, v) {
    const { n, frame, size, called: calls, self: { [v]: self } } = this, total = this.total(v);
    const [nodes, totals, selves, called, ends] = [0, 0, 0, 0, 0].map(() => new Float64Array(groups));
    for (let i = 2; i < n; i++) {
      const group = groupOf[frame[i]];
      nodes[group]++;
      selves[group] += self[i];
      called[group] += calls[i];
      if (i >= ends[group]) {
        ends[group] = i + size[i];
        totals[group] += total[i];
      }
    }
    return g => ({ nodes: nodes[g], total: totals[g], self: selves[g], calls: called[g] });
  }
  instancesOf(f, v) {
    const { frames } = this;
    return this.once(`frames ${v}`, () => this.sums(frames.map((_, i) => i), frames.length, v))(f);
  }
  /* Of a node of a method that does not just wait. */
  largestSelf(v) {
    const { frame, frames } = this;
    return this.self[v].reduce((most, self, i) => (self > most && frames[frame[i]].isBusy ? self : most), 0);
  }
  /* The frame of a text, with signature or without; else that with the largest self, if there is one of those
   * that do not just wait; or the root's. */
  methodNamed(wanted, v) {
    const weights = this.frames.map(({ isMethod, isBusy, text, signature }, f) =>
      (!isMethod ? -1 : text + signature === wanted ? Infinity : text === wanted ? Number.MAX_VALUE :
        isBusy ? 1 + this.instancesOf(f, v).self : this.instancesOf(f, v).self * 2 ** -64));
    return weights.reduce((best, weight, f) => (weight > weights[best] ? f : best), 0);
  }
}

/* --- trees of views --- */

/* Of nodes made when they are asked for: {f, frame, up (null: a root), isUpward, total, self, calls, stubs, kids}. In the
 * tree as it was read each is the node `at` of the data; in others it stands for several, a chain from `first` on by
 * `next`. On the way to its children these go on into their callees; upward, their `cursor` to its caller. */
const NONE = [], byRank = (a, b) => a.frame.rank - b.frame.rank;
class Tree {
  /* Of the view of a method two roots: callers, callees. */
  constructor(data, view, v, method = 0) {
    const [total, self] = [data.total(v), data.self[v]], isWhole = !/inverted|sandwich/.test(view);
    const [cursor, up, down] = [0, 0, 0].map(() => new Uint32Array(isWhole ? 0 : data.n));
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
    const { data: { frames, stubs }, isWhole, total, self, calls } = this;
    return { f, frame: frames[f], up, isUpward, at, total: total[at], self: self[at], calls: calls[at], kids: null,
      first: 0, box: undefined, stubs: !isWhole ? [] : stubs.has(at) ? [stubs.get(at)] : NONE };
  }
  /* A node for each frame at a cursor, by rank. */
  group(up, isUpward, first) {
    const { data: { frame, parent, stubs }, self, calls, weight, found, cursor, next: { [isUpward]: next } } = this;
    const made = [];
    for (let id = first, after; id > 0; id = after) {
      const at = cursor[id], f = frame[at], node = found[f] ??= made[made.push(this.node(f, up, isUpward)) - 1];
      node.total += weight[id];
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

/* --- layout --- */

const LEVELS_MAX = 2000, BOXES_MAX = 8000;
/* What a box may be instead: frames below it that are too narrow to be drawn, or not in the data. */
const NARROW = 1, ELSEWHERE = 2;

/* Rows of boxes {node, hides: NARROW, ELSEWHERE or 0, x, end (tenths of a pixel), at, total} of a zoomed node and what is
 * around it; `dropped`: total of the topmost frames that are not drawn. Too many boxes raise the least width. */
function layout(tree, zoom, widthPx, minPx, byWeight) {
  const whole = zoom.total, leastPx = Math.max(0.1, minPx), least = leastPx * whole / widthPx;
  const edge = at => Math.round(at / whole * widthPx * 10);
  const rows = pathTo(zoom).slice(-1 - LEVELS_MAX / 2)
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

/* A frame has those that do not depend on its numbers. */
function classOf(palette, frame, self, largest) {
  if (palette === 'self')
    return 'h' + (self === 0 ? 0 : Math.min(7, 1 + Math.floor(7 * self / (largest + 1))));
  return frame[palette] ??= 'y' + fnv(frame.text) % 8;
}
