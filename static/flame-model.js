/* The half of the pictures' script that knows no document, in three files: here are numbers, names, and the data. */

/* --- numbers, in the words of core/number.c --- */

const SCALES = {
  ns: [[1, ' ns'], [1e3, ' µs'], [1e6, ' ms'], [1e9, ' s']], count: [[1, '']],
  bytes: [' B', ' KiB', ' MiB', ' GiB', ' TiB', ' PiB'].map((word, i) => [1024 ** i, word]),
};

const grouped = n => String(n).replace(/\B(?=(\d{3})+$)/g, ',');
const counted = (n, noun) => `${grouped(n)} ${noun}${n === 1 ? '' : 's'}`;
const ratio = (part, whole, factor) =>
  Number((BigInt(part) * BigInt(factor) + BigInt(whole) / 2n) / BigInt(whole));
const fixed = (value, decimals) => grouped(Math.floor(value / 10 ** decimals)) +
  `.${String(value % 10 ** decimals).padStart(decimals, '0')}`.replace(/\.?0*$/, '');

/* 1 min 23 s, 2 h 5 min */
function minuteWords(ns) {
  const whole = ratio(ns, 1e9, 1), seconds = whole < 3600 ? whole : Math.floor((whole + 30) / 60) * 60;
  return [[Math.floor(seconds / 3600), 'h'], [Math.floor(seconds / 60) % 60, 'min'], [seconds % 60, 's']]
    .filter(([n]) => n > 0).map(([n, word]) => `${grouped(n)} ${word}`).join(' ');
}

function valueWords(unit, value) {
  if (unit === 'ns' && value >= 59e9 && ratio(value, 1e9, 10) >= 600)     /* 59.96 s is 1 min */
    return minuteWords(value);
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

/* --- changes, in the words and steps of render/view/view.c --- */

/* Of pairs: what A and B have. */
const sizeOf = ([a, b]) => Math.abs(b - a), signOf = ([a, b]) => (a === b ? '' : b > a ? '+' : '-');
function changePercent(pair) {
  const [a, b] = pair, part = a && b && ratio(sizeOf(pair), a, 10000);
  return a === b ? '0 %' : !a ? 'new' : !b ? 'gone' :
    `${signOf(pair)}${part ? fixed(part < 10000 ? part : Math.floor((part + 50) / 100) * 100, 2) : '<0.01'} %`;
}
function changeStep(pair) {
  const larger = Math.max(...pair), percent = larger && ratio(sizeOf(pair), larger, 100);
  const steps = [5, 20, 50, Math.min(...pair) ? Infinity : 100].filter(least => percent >= least).length;
  return 4 + Number(`${signOf(pair)}${steps}`);
}
/* The values of a comparison, by their places (profile/transform/transform.h): three sizes, then calls. */
const SIDES = [0, 1], LARGER = 2, CALLS = [3, 4];

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

/* com.example.foo.Foo.bar, c.e.f.Foo.bar, Foo.bar, bar, ba..: the longest that fits; `tail` tells overloads
 * apart. A class is whole or left out: of its first letter alone nobody knows it. Or as a person calls it: bar lambda in
 * Foo, bar lambda. */
function fitName({ scope, name, text, short, least }, cells, tail = '', full = false) {
  if (short && !full)
    return cut(([text, short].find(one => stands(one + tail, cells)) ?? least) + tail, cells);
  const packages = scope.split('.'), cls = packages.pop(), simple = joined(cls, name) + tail;
  const initial = part => ([...part.slice(0, 2)][0] ?? '') + '.', initials = packages.map(initial).join('');
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
const TRACK = 9, IDLE = 6;

function damaged() {
  throw new Error('the data is damaged');
}

/* Puts the numbers from text[at] on into row[from .. to - 1]; where they end. */
function take(text, at, row, from, to) {
  for (let k = from; k < to; k++) {
    let digit = DIGIT_OF[text.charCodeAt(at++)], value = digit & 31;
    for (let unit = 32; digit >= 32; unit *= 32) {
      digit = DIGIT_OF[text.charCodeAt(at++)];
      value += (digit & 31) * unit;
    }
    row[k] = digit >= 0 ? value : damaged();
  }
  return at;
}

/* `at`: where its numbers begin. */
function partOf(text) {
  const head = text.indexOf('\n\n'), [first, ...lines] = text.slice(0, head).split('\n'), header = JSON.parse(first);
  return header.format === 'aflamed-flame' && header.version === 2 ?
    { header, lines, text, at: head + 2, end: text.trimEnd().length } : damaged();
}

/* What links call it: 30 bits. */
const keyOf = frame => frame.key ??=
  [0, 6, 12, 18, 24].map(shift => DIGITS[fnv(frame.text + frame.signature) >>> shift & 63]).join('');

/* Of a line of the data: a picture shows a few hundred of its thousands of frames, and only those are taken apart. */
class Frame {
  /* `group`: what is coloured in one colour, see colourPackages. */
  constructor(rank, origin, given, line) {
    Object.assign(this, { rank, given, line, origin: `o${origin}`, key: undefined, group: undefined, fields: undefined,
      isMethod: origin !== TRACK, isBusy: origin !== TRACK && origin !== IDLE });     /* what stands for the root or a track is no method */
  }
  get text() { return joined(this.scope, this.name); }
}
['scope', 'name', 'signature', 'short', 'least'].forEach((key, i) =>
  Object.defineProperty(Frame.prototype, key, { get() { return (this.fields ??= this.line.split('\t'))[i]; } }));

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
    Object.assign(this, { header, values, calls, n, frame, parent, size, nodes: header.nodes, frames: [], stubs: new Map(),
      made: {}, last: 0, self: [...values.map(() => new Float64Array(n)), new Uint8Array(n).fill(1)] });
    this.called = this.self[calls] ?? new Uint8Array(n);
    this.read(first, [0], parts);
    if (this.last !== n - 1)
      damaged();
    this.addSizes();
  }
  addSizes() {
    const { n, parent, size } = this;
    for (let i = n - 1; i > 1; i--)
      size[parent[i]] += size[i];
  }
  /* What the steps leave; `emptiedBy`: the number of the step behind which nothing was left, or -1. What is not in the data
   * goes with the node that it stands below. */
  filtered(steps, presets) {
    const work = this.once('filtering', () => new Filtering(this)).begin();
    const emptiedBy = steps.map(step => plainSteps([step], presets).map(one => work.apply(one)).at(-1)).indexOf(false);
    const { number, n, frame, parent } = work.result(), { calls, values, stubs } = this;
    const self = [...values, new Uint8Array(n).fill(1)], made = Object.assign(Object.create(Data.prototype), this, { made: {} }), move = work.mover(number, n);
    values.forEach((_, v) => Object.defineProperty(self, v, { get: () => made.once(`self ${v}`, () => (this.header.compared && v === LARGER ?
      self[0].map((a, i) => Math.max(a, self[1][i])) : move(this.self[v], v === calls))) }));
    const left = new Map();
    for (const [i, stub] of stubs) {
      const at = number[work.to[i]], known = left.get(at);
      if (at > 0)
        left.set(at, known ? { ...known, sums: known.sums.map((sum, v) => sum + stub.sums[v]) } : stub);
    }
    Object.assign(made, { n, frame, parent, size: new Uint32Array(n).fill(1), self, stubs: left, emptiedBy,
      called: self[calls] ?? new Uint8Array(n) });
    made.addSizes();
    made.nodes = n - 2 + [...left.values()].reduce((sum, { sums }) => sum + sums[values.length], 0);
    return made;
  }
  /* By the numbers that they have in a part; `at`: where those of the nodes begin. */
  framesOf({ header, lines, text, at }) {
    const { frames } = this, known = frames.length > 0 ? this.once('known', () => new Map(frames.map(({ rank }, f) => [rank, f]))) : null;
    const numberOf = frame => known?.get(frame.rank) ?? (known?.set(frame.rank, frames.length), frames.push(frame) - 1);
    let last = new Frame(-1, TRACK, 0, `\t${header.root}\t`);
    const frameAt = [numberOf(last)], row = new Float64Array(4);
    for (const line of lines) {
      at = take(text, at, row, 0, 4);
      last = new Frame(Math.max(0, last.rank) + row[0], row[2], row[3], last.line.slice(0, row[1]) + line);
      frameAt.push(numberOf(last));
    }
    return { frameAt, at };
  }
  /* A piece begins with the node at the end of the path, which is there already. The loop is the longest of a page's start:
   * it has no closures and no iterators, which cost as much as all else in it. */
  read(part, path, parts) {
    const { frame, parent, self, stubs } = this, { header: { values }, text, end } = part;
    const isPiece = path.length > 1, top = Math.max(1, path.length - 1), count = values.length;
    const [wall, cpu] = ['wall', 'cpu'].map(role => self[values.findIndex(value => value.role === role)]);
    const scales = values.map(({ derived, scale }) => (derived ? 0 : scale)), bits = values.map(({ role }) => ({ cpu: 4, calls: 2 }[role] ?? 0));
    const most = 2 + scales.filter(scale => scale > 0).length, row = new Float64Array(6 + 2 * count);
    let { frameAt, at } = this.framesOf(part);
    for (let depth = top - 1, isFirst = true; at < end; isFirst = false) {
      at = take(text, at, row, 0, 1);
      const first = row[0] | 0, k = most - (first >> 2 & 1) - (first >> 1 & 1);
      at = take(text, at, row, 1, first & 1 ? k + 4 + count : k);
      const f = frameAt[row[1]];
      depth += 1 - (first >> 3);
      if (f === undefined || depth < top || (depth === top) !== isFirst)
        damaged();
      const node = isFirst && isPiece ? path[top] : ++this.last;
      path[depth] = node;
      frame[node] = f;
      parent[node] = path[depth - 1];
      /* A derived one, waiting, is behind those it comes from; where no method is open nobody waits. */
      for (let v = 0, next = 2; v < count; v++)
        self[v][node] = scales[v] === 0 ? (this.frames[f].isMethod ? Math.max(0, wall[node] - cpu[node]) : 0) :
          (first & bits[v]) === 0 ? row[next++] * scales[v] : bits[v] === 2 ? 1 : wall[node];
      if ((first & 1) === 0)
        continue;
      const [place, shown, , nodes] = row.subarray(k), stub = `${place} ${shown}`;
      const sums = [...scales.map((_, v) => row[k + 4 + v] * values[v].scale), nodes];
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

