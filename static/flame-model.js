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

/* com.example.foo.Foo.bar, c.e.f.Foo.bar, Foo.bar, F.bar, bar, ba..: the longest that fits; `tail`
 * tells overloads apart. */
function fitName({ scope, name, text }, cells, tail = '', full = false) {
  const packages = scope.split('.'), cls = packages.pop(), simple = joined(cls, name) + tail;
  const initial = part => ([...part.slice(0, 2)][0] ?? '') + '.', initials = packages.map(initial).join('');
  const form = [text + tail, initials + simple, simple, ...cls && name ? [initial(cls) + name + tail] : []]
    .find(one => full || stands(one, cells));
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
    Object.assign(this, { header, values, calls, n, frame, parent, size, nodes: header.nodes, frames: [], stubs: new Map(), known: new Map(),
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
    const work = new Filtering(this);
    const emptiedBy = steps.map(step => plainSteps([step], presets).map(one => work.apply(one)).at(-1)).indexOf(false);
    const { number, n, frame, parent } = work.result(), { calls, values, stubs } = this;
    const self = [...values.map(() => new Float64Array(n)), new Uint8Array(n).fill(1)], made = Object.create(Data.prototype);
    for (let v = 0; v < values.length; v++)
      addMoved(self[v], this.self[v], work.to, number, v === calls);
    const left = new Map();
    for (const [i, stub] of stubs) {
      const at = number[work.to[i]], known = left.get(at);
      if (at > 0)
        left.set(at, known ? { ...known, sums: known.sums.map((sum, v) => sum + stub.sums[v]) } : stub);
    }
    Object.assign(made, this, { n, frame, parent, size: new Uint32Array(n).fill(1), self, stubs: left, made: {}, emptiedBy,
      called: self[calls] ?? new Uint8Array(n) });
    made.addSizes();
    made.nodes = made.total(values.length)[1] - 1;
    return made;
  }
  /* By the numbers that they have in a part. */
  framesOf({ header, lines, row, take }) {
    const { frames, known } = this;
    let last;
    const add = (rank, origin, colour, line) => {
      const [scope, name, signature] = line.split('\t');
      /* What stands for the root or a track is no method. */
      last = { rank, origin: 'o' + origin, given: colour, line, scope, name, signature,
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

/* --- filters: docs/filters.md has the rules, profile/filter.c the same in the service --- */

const LETTERS = 'ATXDJNIU';     /* of them, where there are no colours */
const ORIGINS = ['app', 'third party', 'AndroidX', 'Android', 'Java/Kotlin', 'native', 'idle', 'unknown'];
const STEP_KEYS = ['focus', 'ignore', 'hide', 'show-from', 'recursion', 'preset'];
const STEPS_MAX = 32, STEP_BYTES_MAX = 500, STEPS_BYTES_MAX = 2000;
const WAYS_MAX = 1e6, WRITTEN_MAX = 1000, GROUPS_MAX = 16, REPEAT_MAX = 50, WAYS_UNBOUNDED = 100;

/* What a prefix looks at; of `file:` and `module:` only the service knows. */
const PARTS = {
  class: frame => frame.scope, package: frame => frame.scope.replace(/(^|\.)[^.]*$/, ''), signature: frame => frame.signature,
  origin: frame => ORIGINS[frame.origin.slice(1)] ?? '', file: null, module: null,
};
const asFolded = text => text.replaceAll(';', ':');
const lowered = text => text.replace(/[A-Z]+/g, some => some.toLowerCase());
/* {part, text, isRegex} */
function patternOf(pattern) {
  const [, part, text] = /^(?:(class|package|signature|file|module|origin):)?(.*)$/s.exec(pattern);
  const slashed = /^\/(.*)\/$/s.exec(text);
  return { part, text: slashed?.[1] ?? text, isRegex: slashed !== null };
}
const TOKEN = new RegExp([/(?<atom>\\[dw^$\\.*+?()[\]{}|/]|\.|\[(?:\^(?!\])|(?![\^\]]))(?:[^\\[\]]|\\[dw^$\\.*+?()[\]{}|/-])*\]|[^^$\\.*+?()[\]{}|])/,
  /(?<edge>[\^$])/, /(?<open>\((?:\?:)?)/, /(?<close>\))/, /(?<bar>\|)/, /(?<repeat>(?:[*+?]|\{(\d+)(,?)(\d*)\})\??)/,
].map(one => one.source).join('|'), 'uy');
const capped = ways => Math.min(ways, WAYS_MAX + 1);
/* The members of brackets: characters, \d and \w, ranges; a - that is no range stands at an end. */
function classProblem(atom) {
  const members = atom.slice(1, -1).replace(/^\^/, '').match(/\\.|[^\\]/gsu), isWide = one => /^\\[dw]/.test(one);
  for (let i = 0; i < members.length; i++) {
    const [low, dash, high] = members.slice(i, i + 3);
    if (low === '-' && (i > 0 && i + 1 < members.length || dash === '-' && high))
      return true;
    if (dash !== '-' || !high)
      continue;
    if (low === '-' || high === '-' || isWide(low) || isWide(high) || low.replace(/^\\/, '').codePointAt() > high.replace(/^\\/, '').codePointAt())
      return true;
    i += 2;
  }
  return false;
}
/* What is wrong with an expression, as profile/filter_regex.c sees it: '' if it is one that both understand. */
function regexProblem(expression) {
  const levels = [{ sum: 0, product: 1, size: 0 }];
  let atom = null;
  const endAtom = () => {
    if (atom) {
      levels[0].product = capped(levels[0].product * atom.ways);
      levels[0].size = capped(levels[0].size + atom.size);
    }
    atom = null;
  };
  const endBranch = () => {
    endAtom();
    levels[0].sum = capped(levels[0].sum + levels[0].product);
    levels[0].product = 1;
  };
  for (TOKEN.lastIndex = 0; TOKEN.lastIndex < expression.length;) {
    const at = TOKEN.lastIndex, found = TOKEN.exec(expression);
    if (!found)
      return `it is not understood from ${expression.slice(at, at + 12)} on`;
    const { groups: { atom: one, open, close, bar, repeat }, 7: count, 8: comma, 9: to } = found;
    if (one && one[0] === '[' && classProblem(one))
      return `${one} is not understood`;
    if (repeat) {
      if (!atom)
        return 'nothing stands before a repetition';
      const isOpen = /^[*+]/.test(repeat) || (comma && !to), least = repeat[0] === '+' ? 1 : +(count ?? 0);
      const most = isOpen ? least : repeat[0] === '?' ? 1 : +(to || least), { ways, size } = atom;
      if (Math.max(least, most) > REPEAT_MAX || least > most)
        return `${repeat} is no repetition that is understood`;
      let all = 1;
      for (let i = 0; ways > 1 && i < most; i++)
        all = capped(all * ways);
      atom = { ways: isOpen ? (ways === 1 ? WAYS_UNBOUNDED : Infinity) : least === 0 && most === 1 ? ways + 1 : all * (most - least + 1),
        size: capped(size * Math.max(most, least + 1)) };
      atom.ways = capped(atom.ways);
      endAtom();
    } else if (bar) {
      endBranch();
    } else if (close) {
      if (levels.length === 1)
        return 'a ) has no ( before it';
      endBranch();
      const { sum, size } = levels.shift();
      endAtom();
      atom = { ways: sum, size: capped(size + 1) };
    } else {
      endAtom();
      if (open && levels.unshift({ sum: 0, product: 1, size: 0 }) > GROUPS_MAX + 1)
        return `more than ${GROUPS_MAX} groups stand within each other`;
      atom = one ? { ways: 1, size: 1 } : null;
    }
  }
  endBranch();
  return !expression ? 'it is empty' : levels.length > 1 ? 'a ( has no ) behind it' :
    levels[0].size > WRITTEN_MAX ? 'it is too long when its repetitions are written out' :
      levels[0].sum > WAYS_MAX ? 'it can match in too many ways' : '';
}

const bytesOf = text => new TextEncoder().encode(text).length;
/* What is wrong with one step [key, text], or ''. */
function stepProblem([key, text], presets) {
  if (key === 'recursion')
    return /^collapse(-all)?$/.test(text) ? '' : 'recursion is collapse or collapse-all';
  if (key === 'preset')
    return Object.hasOwn(presets, text) ? '' : 'there is no preset of that name';
  const { text: wanted, isRegex } = patternOf(text);
  return bytesOf(text) > STEP_BYTES_MAX ? `it is longer than ${STEP_BYTES_MAX} bytes` :
    /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/u.test(wanted) ? 'it has control characters' :
      isRegex ? regexProblem(wanted) : wanted ? '' : 'the pattern is empty';
}
function stepsProblem(steps, presets) {
  for (const step of steps) {
    const problem = stepProblem(step, presets);
    if (problem)
      return `${step.join('=')}: ${problem}`;
  }
  return steps.length > STEPS_MAX || steps.reduce((sum, [, text]) => sum + bytesOf(text), 0) > STEPS_BYTES_MAX ? 'too many filters' : '';
}
/* Presets written out. */
const plainSteps = (steps, presets) => steps.flatMap(([key, text]) => (key !== 'preset' ? [[key, text]] :
  presets[text].split(';').filter(Boolean).map(one => one.split(/=(.*)/s, 2).map(word => word.trim()))));
const needsService = steps => steps.some(([key, text]) => /^(file|module)$/.test(key !== 'recursion' && patternOf(text).part));

/* By frame whether it matches. */
function framesThatMatch(frames, pattern) {
  const { part, text, isRegex } = patternOf(pattern), look = PARTS[part], wanted = lowered(text);
  let inside = false;
  const regex = isRegex && new RegExp(text.replace(/\\(.)|(\[)|(\])/gsu, (all, c, open, close) => {
    inside = open ? true : close ? false : inside;
    const some = { d: '0-9', w: 'A-Za-z0-9_' }[c];
    return !some ? all : inside ? some : `[${some}]`;
  }), 'iu');
  return Uint8Array.from(frames, frame => {
    const seen = asFolded(look ? look(frame) : frame.text);
    return frame.isMethod && (regex ? regex.test(seen) : lowered(seen).includes(wanted));
  });
}

/* Calls stay with the frame that was entered; all else goes where a stack ends by now. */
function addMoved(column, from, to, number, areCalls) {
  for (let i = 1; i < to.length; i++) {
    const end = to[i];
    if (end === i || (end > 0 && !areCalls))
      column[number[end]] += from[i];
  }
}

/* The steps as profile/filter.c takes them, on the nodes of some data. There: whether a node's frame is still there; up:
 * its caller by now; to: where its stack ends by now, 0 if that was dropped. What stands for a root or a track is fixed. */
class Filtering {
  constructor({ n, frame, parent, frames }) {
    const identity = new Uint32Array(n), home = new Uint32Array(n), fixed = new Uint8Array(n);
    for (let i = 1; i < n; i++) {
      identity[i] = i;
      fixed[i] = frames[frame[i]].isMethod ? 0 : 1;
      home[i] = fixed[i] ? i : home[i - 1];     /* tracks are in a row */
    }
    Object.assign(this, { n, frame, frames, identity, home, fixed, up: parent.slice(), to: identity.slice(), image: new Uint32Array(n),
      there: new Uint8Array(n).fill(1), has: new Uint8Array(n), isMoved: false });
  }
  texts() {
    if (!this.textOf) {
      const known = new Map(), numbers = Uint32Array.from(this.frames, one => {
        const text = asFolded(one.text), number = known.get(text) ?? known.size;
        known.set(text, number);
        return number;
      });
      this.textOf = new Uint32Array(this.n);
      for (let i = 1; i < this.n; i++)
        this.textOf[i] = numbers[this.frame[i]];
      this.nTexts = known.size;
    }
    return this.textOf;
  }
  markStacks(hit) {
    const { n, frame, up, there, has } = this;
    for (let i = 1; i < n; i++)
      if (there[i])
        has[i] = hit[frame[i]] | has[up[i]];
  }
  drop(keep) {
    const { n, to, has } = this;
    for (let i = 1; i < n; i++)
      if (has[to[i]] !== keep)
        to[i] = 0;
  }
  focus(hit) { this.markStacks(hit); this.drop(1); }
  ignore(hit) { this.markStacks(hit); this.drop(0); }
  'show-from'(hit) {
    const { n, there, has, image, fixed } = this;
    this.focus(hit);
    for (let i = 1; i < n; i++)
      if (there[i] && !has[i] && !fixed[i])
        image[i] = 0;
    this.take();
  }
  hide(hit) {
    const { n, frame, up, there, image } = this;
    for (let i = 1; i < n; i++)
      if (there[i] && hit[frame[i]])
        image[i] = image[up[i]];
    this.take();
  }
  collapse() {
    const { n, up, there, image, fixed } = this, text = this.texts();
    for (let i = 1; i < n; i++) {
      const above = image[up[i]];
      if (there[i] && !fixed[i] && !fixed[above] && text[above] === text[i])
        image[i] = above;
    }
    this.take();
  }
  /* In pre-order, with the innermost frame of each text that is open: it is joined if it still stands above in the new
   * stack, which jumps of growing length tell quickly. A second time nothing is left to do. */
  collapseAll() {
    const { n, up, there, image, fixed } = this, text = this.texts();
    const [jump, depth, above, before] = [0, 0, 0, 0].map(() => new Uint32Array(n)), open = new Uint32Array(this.nTexts);
    const stands = (node, upper) => {
      while (depth[node] > depth[upper])
        node = depth[jump[node]] >= depth[upper] ? jump[node] : above[node];
      return node === upper;
    };
    for (let i = 1, now = 0; i < n; i++) {
      if (!there[i])
        continue;
      for (; now !== up[i]; now = up[now])
        if (!fixed[now])
          open[text[now]] = before[now];
      now = i;
      const over = image[up[i]], equal = fixed[i] ? 0 : open[text[i]], far = jump[over];
      if (!fixed[i]) {
        before[i] = equal;
        open[text[i]] = i;
      }
      if (equal && stands(over, image[equal])) {
        image[i] = image[equal];
        continue;
      }
      above[i] = over;
      depth[i] = depth[over] + 1;
      jump[i] = depth[over] - depth[far] === depth[far] - depth[jump[far]] ? jump[far] : over;
    }
    this.take();
    this.collapseAll = () => {};
  }
  take() {
    const { n, up, to, there, image, home } = this;
    this.isMoved = true;
    for (let i = 1; i < n; i++) {
      to[i] = image[to[i]];
      if (there[i] && i > 1)
        up[i] = image[up[i]] || home[i];
    }
    for (let i = 1; i < n; i++)
      there[i] &= image[i] === i;
  }
  /* False: nothing is left. */
  apply([key, text]) {
    this.image.set(this.identity);
    if (key === 'recursion')
      text === 'collapse' ? this.collapse() : this.collapseAll();
    else
      this[key](framesThatMatch(this.frames, text));
    return this.isLeft();
  }
  isLeft() {
    for (let i = 1; i < this.n; i++)
      if (this.to[i] > 0 && !this.fixed[this.to[i]])
        return true;
    return false;
  }
  /* Nodes at which a stack ends, and those above. */
  findNeeded() {
    const { n, up, to, fixed } = this, needed = fixed.slice();
    for (let i = 1; i < n; i++)
      needed[to[i]] = 1;
    for (let i = n - 1; i > 1; i--)
      if (needed[i])
        needed[up[i]] = 1;
    return needed;
  }
  /* The nodes that are left, equal siblings as one: {number: by old node, n, frame, parent}, in pre-order, by rank. */
  result() {
    const { n, frame, up } = this, needed = this.findNeeded();
    if (this.isMoved)
      return this.merged(needed);
    const number = new Uint32Array(n), newFrame = new Uint32Array(n), newParent = new Uint32Array(n);
    let made = 0;
    for (let i = 1; i < n; i++)
      if (needed[i]) {
        number[i] = ++made;
        newFrame[made] = frame[i];
        newParent[made] = number[up[i]];
      }
    return { number, n: made + 1, frame: newFrame.slice(0, made + 1), parent: newParent.slice(0, made + 1) };
  }
  merged(needed) {
    const { n, frame, frames, up } = this, rank = Float64Array.from(frames, one => one.rank);
    const [first, next, same, number, below, newFrame, newParent, stack] = Array.from({ length: 8 }, () => new Uint32Array(n));
    const [seen, seenBelow] = [0, 0].map(() => new Uint32Array(frames.length));
    for (let i = n - 1; i > 1; i--)
      if (needed[i]) {
        next[i] = first[up[i]];
        first[up[i]] = i;
      }
    let open = 0, made = 0;
    for (stack[open++] = 1; open > 0;) {
      const head = stack[--open], from = open;
      newFrame[++made] = frame[head];
      newParent[made] = below[head];
      let isSorted = true;
      for (let i = head; i > 0; i = same[i]) {
        number[i] = made;
        for (let kid = first[i]; kid > 0; kid = next[kid]) {
          const f = frame[kid];
          if (seenBelow[f] === made) {
            same[kid] = same[seen[f]];
            same[seen[f]] = kid;
            continue;
          }
          seen[f] = kid;
          seenBelow[f] = below[kid] = made;
          isSorted &&= open === from || rank[frame[stack[open - 1]]] < rank[f];
          stack[open++] = kid;
        }
      }
      if (!isSorted)
        stack.subarray(from, open).sort((a, b) => rank[frame[b]] - rank[frame[a]]);
      for (let low = from, high = open - 1; isSorted && low < high; low++, high--) {
        const kid = stack[low];
        stack[low] = stack[high];
        stack[high] = kid;
      }
    }
    return { number, n: made + 1, frame: newFrame.slice(0, made + 1), parent: newParent.slice(0, made + 1) };
  }
}

/* --- commands --- */

/* THE TABLE: what there is to do: name, keys as a KeyboardEvent has them, words. The menu of a frame has those with `frame`, which
 * are of what is selected. docs/pictures.md has the same rows. */
const COMMANDS = [
  { name: 'move', keys: ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'], words: 'select the caller, a callee, or a neighbour' },
  { name: 'zoom', keys: ['Enter'], words: 'zoom in', frame: true },
  { name: 'out', keys: ['Backspace', 'Escape'], words: 'zoom out by one level' },
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
  { name: 'help', keys: ['?'], words: 'these keys' },
];
const KEY_WORDS = { ArrowUp: '\u2191', ArrowDown: '\u2193', ArrowLeft: '\u2190', ArrowRight: '\u2192', ContextMenu: 'Menu' };
const keyWords = ({ keys }) => keys.map(key => KEY_WORDS[key] ?? key);

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

/* As profile/frame_text.c tells it. */
function packageOf({ scope, name }) {
  const key = scope.includes('.') ? scope.slice(0, scope.lastIndexOf('.')) : scope || name;
  return key.split('.').slice(0, 2).join('.');
}

const OTHERS = 12;
/* Gives the heaviest packages of the data a class each: [package, class], the heaviest first; all others share one. Those in
 * `kept`, a map that is brought up to date, keep what they had. Where much was left out the data know which they are. */
function colourPackages(data, v, kept) {
  const { n, frame, frames, self: { [v]: self }, stubs } = data, packages = frames.map(packageOf), weights = new Map();
  const sums = new Float64Array(frames.length), isThere = new Uint8Array(frames.length);
  for (let i = 2; i < n; i++) {
    sums[frame[i]] += self[i];
    isThere[frame[i]] = 1;
  }
  frames.forEach(({ isMethod }, f) => isMethod && isThere[f] && weights.set(packages[f], (weights.get(packages[f]) ?? 0) + sums[f]));
  const isTold = stubs.size > 0 && data.emptiedBy === undefined;
  const given = new Map(frames.map(({ given: colour }, f) => [packages[f], colour]));
  const top = isTold ? [...given].filter(([, colour]) => colour < OTHERS).sort((a, b) => a[1] - b[1]) :
    [...weights].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, OTHERS);
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
  frames.forEach((one, f) => { one.package = 'c' + (kept.get(packages[f]) ?? OTHERS); });
  return made.concat(weights.size > made.length ? [['all other packages', OTHERS]] : []);
}

/* A frame has those that do not depend on its numbers. */
function classOf(palette, frame, self, largest) {
  if (palette === 'self')
    return 'h' + (self === 0 ? 0 : Math.min(7, 1 + Math.floor(7 * self / (largest + 1))));
  return frame[palette] ??= 'y' + fnv(frame.text) % 8;
}
