/* Of the half that knows no document: filters. */

/* --- filters: docs/filters.md has the rules, profile/filter/filter.c the same in the service --- */

const LETTERS = 'ALXDJNIUE';     /* of them, where there are no colours */
const ORIGINS = ['app', 'library', 'AndroidX', 'Android', 'Java/Kotlin', 'native', 'idle', 'unknown', 'error'];
const STEP_KEYS = ['focus', 'ignore', 'hide', 'show-from', 'recursion', 'preset'];
const STEPS_MAX = 32, STEP_BYTES_MAX = 500, STEPS_BYTES_MAX = 2000;
const GROUPS_MAX = 16, REPEAT_MAX = 50;
/* What an expression may take here, where nothing can end a match: all of it, and one name, which is tried in so many ways. */
const SEARCH_MS = 1000, CHOICES_MAX = 3, WAYS_MAX = 4e9;

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
  const cut = /^\/(.*)\/$/s.exec(text), is = cut?.[1] ?? text;
  /* Links of version 0.2 call libraries so. */
  return { part, text: part === 'origin' ? is.replaceAll('third party', 'library') : is, isRegex: !!cut };
}
const TOKEN = new RegExp([/(?<atom>\\[dw^$\\.*+?()[\]{}|/]|\.|\[(?:\^(?!\])|(?![\^\]]))(?:[^\\[\]]|\\[dw^$\\.*+?()[\]{}|/-])*\]|[^^$\\.*+?()[\]{}|])/,
  /(?<edge>[\^$])/, /(?<open>\((?:\?:)?)/, /(?<close>\))/, /(?<bar>\|)/, /(?<repeat>(?:[*+?]|\{(\d+)(,?)(\d*)\})\??)/,
].map(one => one.source).join('|'), 'uy');
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
/* What is wrong with an expression, as profile/filter/filter_pattern.c sees it: '' if it is one that both understand. */
function regexProblem(expression) {
  let depth = 0, hasAtom = false;
  for (TOKEN.lastIndex = 0; TOKEN.lastIndex < expression.length;) {
    const at = TOKEN.lastIndex, found = TOKEN.exec(expression);
    if (!found)
      return `it is not understood from ${expression.slice(at, at + 12)} on`;
    const { groups: { atom, open, close, repeat }, 7: least, 8: comma, 9: most } = found;
    if (atom && atom[0] === '[' && classProblem(atom))
      return `${atom} is not understood`;
    if (repeat && !hasAtom)
      return 'nothing stands before a repetition';
    if (repeat && least && (Math.max(least, most) > REPEAT_MAX || comma && most && +least > +most))
      return `${repeat} is no repetition that is understood`;
    if (close && depth-- === 0)
      return 'a ) has no ( before it';
    if (open && ++depth > GROUPS_MAX)
      return `more than ${GROUPS_MAX} groups stand within each other`;
    hasAtom = !!(atom || close);
  }
  return !expression ? 'it is empty' : depth > 0 ? 'a ( has no ) behind it' : '';
}
/* How often an expression can match in another way: repetitions and alternatives. Infinity if these are repeated themselves. */
function choicesOf(expression) {
  const count = text => text.match(/[*+?{|]/g)?.length ?? 0;
  let bare = expression.replace(/\\./gsu, 'c').replace(/\[[^\]]*\]/gsu, 'c').replaceAll('(?:', '('), choices = 0;
  for (let before = ''; before !== bare;) {
    before = bare;
    bare = bare.replace(/\(([^()]*)\)([*+{]?)/g, (all, inside, repeat) => {
      choices += count(inside) && repeat ? Infinity : count(inside);
      return `c${count(inside) ? '|' : ''}${repeat}`;
    });
  }
  return choices + count(bare);
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
/* Why the service has to apply them, or ''. */
function needsService(steps) {
  const patterns = steps.filter(([key]) => key !== 'recursion').map(([, text]) => patternOf(text));
  return patterns.some(({ part }) => /^(file|module)$/.test(part)) ? 'Source files and modules of frames are not in this file' :
    patterns.some(({ text, isRegex }) => isRegex && choicesOf(text) > CHOICES_MAX) ? TOO_LONG : '';
}
const TOO_LONG = 'That expression takes too long here: use a simpler one';

/* By frame whether it matches. Throws if that takes longer than until the time `end` of performance.now(). */
function framesThatMatch(frames, pattern, end) {
  const { part, text, isRegex } = patternOf(pattern), look = PARTS[part], wanted = lowered(text);
  let inside = false;
  const regex = isRegex && new RegExp(text.replace(/\\(.)|(\[)|(\])/gsu, (all, c, open, close) => {
    inside = open ? true : close ? false : inside;
    const some = { d: '0-9', w: 'A-Za-z0-9_' }[c];
    return !some ? all : inside ? some : `[${some}]`;
  }), 'iu'), choices = isRegex ? choicesOf(text) : 0;
  return Uint8Array.from(frames, frame => {
    const seen = look ? asFolded(look(frame)) : frame.folded ??= asFolded(frame.text);
    if (regex && (seen.length ** (choices + 1) > WAYS_MAX || performance.now() > end))
      throw new Error(TOO_LONG);
    return frame.isMethod && (regex ? regex.test(seen) : (look ? lowered(seen) : frame.low ??= lowered(seen)).includes(wanted));
  });
}

/* The steps as profile/filter/filter.c takes them, on the nodes of some data. There: whether a node's frame is still there; up:
 * its caller by now; to: where its stack ends by now, 0 if that was dropped. What stands for a root or a track is fixed.
 * Arrays are used again by the next list of steps: new ones would take as long as the steps themselves. */
class Filtering {
  constructor({ n, frame, parent, frames }) {
    const [identity, home, up, to, image, ...spare] = Array.from({ length: 13 }, () => new Uint32Array(n)), fixed = new Uint8Array(n);
    for (let i = 1; i < n; i++) {
      identity[i] = i;
      fixed[i] = frames[frame[i]].isMethod ? 0 : 1;
      home[i] = fixed[i] ? i : home[i - 1];     /* tracks are in a row */
    }
    Object.assign(this, { n, frame, parent, frames, identity, home, fixed, up, to, image, spare,
      there: new Uint8Array(n), has: new Uint8Array(n), rank: Float64Array.from(frames, one => one.rank) });
  }
  begin() {
    this.up.set(this.parent);
    this.to.set(this.identity);
    this.there.fill(1);
    this.has.fill(0);
    this.isMoved = false;
    this.end = performance.now() + SEARCH_MS;
    delete this.collapseAll;
    return this;
  }
  /* Makes a column of the result from one of the data, when it is asked for: calls stay with the frame that was entered, all
   * else goes where a stack ends. */
  mover(number, n) {
    const { to } = this, goal = new Uint32Array(this.n), stay = new Uint32Array(this.n);
    for (let i = 1; i < this.n; i++) {
      goal[i] = number[to[i]];
      stay[i] = to[i] === i ? goal[i] : 0;
    }
    return (own, areCalls) => {
      const column = new Float64Array(n), where = areCalls ? stay : goal;
      for (let i = 1; i < own.length; i++)
        column[where[i]] += own[i];
      column[0] = 0;
      return column;
    };
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
      this[key](framesThatMatch(this.frames, text, this.end));
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
    const { spare: [number, newFrame, newParent] } = this;
    let made = 0;
    number.fill(0);
    for (let i = 1; i < n; i++)
      if (needed[i]) {
        number[i] = ++made;
        newFrame[made] = frame[i];
        newParent[made] = number[up[i]];
      }
    return { number, n: made + 1, frame: newFrame.slice(0, made + 1), parent: newParent.slice(0, made + 1) };
  }
  merged(needed) {
    const { n, frame, frames, up, rank, spare: [number, newFrame, newParent, first, next, same, below, stack] } = this;
    const [seen, seenBelow] = [0, 0].map(() => new Uint32Array(frames.length));
    [number, first, same].forEach(one => one.fill(0));
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

