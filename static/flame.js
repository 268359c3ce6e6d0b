/* Behind static/flame-model.js, flame-filters.js and flame-views.js, in one function with them. The picture comes to life.
 *
 * What a page around it may use, as `flame` of the <svg>:
 *   state           a copy: value, view, order, palette, names, method, zoom, selected, search, matchCase, and `filters`: all
 *                   steps in their order as a query (`hide=a&focus=b`), those of the service first
 *   chosen          null, or numbers of what is selected: {name, signature, words: of the signature, isMethod, link, parent: its link,
 *                   calls or null, compared: null or what A and B have: {unit, total, self, calls}, pairs or null; values: [{value, unit, isShown, total, self; totals of all, of the zoomed frame, of the one up}]}
 *   filters         the steps one by one: {key, text, words, isGiven: applied by the service, isFirst: of the first view}
 *   emptiedBy       the number of the step that left nothing, or -1
 *   said            the state that links from here take along: it has nothing of the first view while that is shown
 *   set(some)       changes parts of the state
 *   filter(key, text), filterSelected('focus' | 'ignore' | 'hide' | 'hide package'), unfilter(i), moveFilter(i, by), undoFilter()
 *   search(text, {matchCase}), next(), previous() by weight, selectMethod(name and signature), hasMethod(the same), zoomTo(link), sandwich(method), reset(): also to what the first view leaves out
 *   press(key)      as if the key were pressed in the picture: whether it means something; commands: {name, keys, words, frame}; help()
 * Events, which bubble: `flame-state` with the new state; `flame-said` with words for the person, '' if they are over;
 * `flame-tab` with the number of the tab that somebody wants; `flame-drawn`; and `flame-filters` with {filters} where a step of the
 * service would have to go or to move: then the page asks the service for a picture with these. Elsewhere the script goes
 * there by itself. And `flame-search` where the page has the field. `flame-rest`: the rest of the tree is fetched now; a page that
 * prevents it calls rest() later.
 * A page that puts another picture in place of one has it started by the event `flame-start` of the document. */

function start(svg, prefix, text) {
const isHttp = /^http/.test(location.protocol), standalone = svg === document.documentElement;

/* --- elements --- */

const PAD = 10, LEVEL = matchMedia('(pointer: coarse)').matches ? 24 : 16, HIGH = 10 * (LEVEL - 1), CELL = 7.2, TEXTS_MAX = 1800, PIECES_MAX = 8, BUNCH = 1000, GAPLESS = 20, LISTED_MAX = 100, ITEMS_MAX = 50, PRESS_MS = 500;
const AWAY = 'Other frames are where this file came from';

const setAll = (element, attributes) =>
  Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
const makerFor = ({ namespaceURI }) => (tag, attributes, ...children) => {
  const made = document.createElementNS(namespaceURI, tag);
  setAll(made, attributes);
  made.append(...children);
  return made;
};
const isForced = matchMedia('(forced-colors: active)');
const rectOf = element => element.getBoundingClientRect();

/* By the filters that are not in the embedded tree already: {text, pieces: by place and shown children of their stubs, data}.
 * Those that the script applied itself have no text of their own. */
const sourceOf = text => ({ text, pieces: new Map(), data: new Data(text) });
const sources = new Map([['', sourceOf(text)]]), SOURCES_MAX = 8;
let { data } = sources.get('');
const { header, values } = data, { presets, compared } = header;
const scroller = standalone ? window : svg.parentElement, shown = { turn: 0 };
const stepsOf = query => [...new URLSearchParams(query)].filter(([key]) => STEP_KEYS.includes(key));
const queryOf = steps => `${new URLSearchParams(steps)}`;
const given = stepsOf(header.options.filters);     /* what the service has applied */
const usual = { ...header.options, filters: queryOf(given), zoom: '', selected: '', search: '', matchCase: false };
const colours = new Map();     /* of the packages in view */
let first = {};     /* what the first view has instead of that: see flame-views.js */
let state = usual, tree, v, zoom, selected = null, hovered = null, parts = [], boxes = [], levels = [];
let hits, stops = [], turn = 0, trouble = '', widthPx = 0, topPx = 0, heightPx = 0, scrolledPx = 0, middlePx = 0;

/* static/flame-controls.xml: inputs are of parts of the state, `data-do` is what svg.flame is to do. */
const live = svg.querySelector('.live');
const { head, bar, menu, items, title, tools, chips, status, matches, list, crumbs, details, graph, shapes, matched, texts, chosen,
  under, tip } = Object.fromEntries(Array.from(live.querySelectorAll('[class]'), one => [one.getAttribute('class'), one]));
const shape = makerFor(svg), html = makerFor(bar), rows = words => words.map(row => html('p', {}, row));
const barBox = bar.parentNode;
const inputs = Object.fromEntries(Array.from(tools.querySelectorAll('[name]'), one => [one.name, one]));

/* --- state --- */

const valueOf = ({ value }) => values.findIndex(({ name }) => name === value);
const inWords = value => valueWords(values[v].unit, value);
/* Of a comparison: "1.2 ms in A, 2 ms in B: +0.8 ms (+66.7 %)". */
const sidesWords = pair => `${inWords(pair[0])} in A, ${inWords(pair[1])} in B: ${signOf(pair)}${inWords(sizeOf(pair))} (${changePercent(pair)})`;
const shareOf = (part, whole = data.total(v)[1]) =>
  `${percentWords(part, whole)} of the ${values[v].unit.replace('ns', 'time')}`;
const ofLoaded = () => (data.stubs.size === 0 ? '' :
  `, in the ${grouped(data.n - 2)} of ${grouped(data.nodes)} frames loaded`);
const rootOf = node => pathTo(node)[0];
/* Of a callers' tree it begins with a dot. */
const linkOf = node => (tree.roots.length > 1 && node.isUpward ? '.' : '') +
  pathTo(node).slice(1).map(one => keyOf(one.frame)).join('');
const nameOf = node => (node ? linkOf(node) || 'root' : '');

const methodOf = (wanted, of) => (wanted.view === 'sandwich' ? of.methodNamed(wanted.method, valueOf(wanted)) : 0);
/* Links lead to the same places in all trees of a family. */
const familyOf = (wanted, of) => wanted.view.replace('icicle', 'flame') + of.frames[methodOf(wanted, of)].line;
const treeOf = (wanted, of) => of.once(`tree ${valueOf(wanted)} ${familyOf(wanted, of)}`, () =>
  new Tree(of, wanted.view, valueOf(wanted), methodOf(wanted, of)));
/* As far as it leads, and what stands in its way. `mayPass`: frames may have been taken out on the way. */
function follow(link, within, mayPass) {
  let node = within.roots.at(/^\../.test(link) ? 0 : -1), kid = node;
  for (const key of link.match(/[^.]{5}/g) ?? []) {
    kid = within.kidsOf(node).find(one => keyOf(one.frame) === key);
    node = kid ?? node;
    if (!kid && !mayPass)
      break;
  }
  return { node, stubs: kid || mayPass || node.isUpward ? [] : node.stubs };
}
const isKnown = ([key, value]) => (inputs[key]?.options ? [...inputs[key].options].some(one => one.value === value) :
  typeof value === typeof usual[key]);

const tell = (type, detail) => svg.dispatchEvent(new CustomEvent(type, { bubbles: true, cancelable: true, detail }));

/* Filters that take back what the service has applied need another picture of it. */
function leaveFor(filters) {
  if (!standalone)
    return tell('flame-filters', { filters });
  const query = new URLSearchParams(location.search), hash = fragment();
  STEP_KEYS.forEach(key => [query.delete(key), hash.delete(key)]);
  if (isHttp)
    location.assign(`?${[`${query}`, filters].filter(Boolean).join('&')}#${hash}`);
  else
    say('This file was made with its first filters: they stay');
}
function showTrouble(words) {
  trouble = words;
  showWords();
}
const say = words => showTrouble(`. ${words}`);

/* `push`: an entry of its own in the history. Awaits only what must be fetched. */
async function set(partial, push = true, stubs = []) {
  const mine = ++turn, changes = Object.fromEntries(Object.entries(partial).filter(isKnown));
  let wanted = { ...state, ...changes }, source, within, places;
  if (wanted.view === 'chart')
    return location.assign('?view=chart');
  const steps = stepsOf(wanted.filters), own = queryOf(steps.slice(given.length)), problem = stepsProblem(steps, presets);
  if (problem)
    return say(`Not used: ${problem}`);
  if (queryOf(steps.slice(0, given.length)) !== usual.filters)
    return leaveFor(wanted.filters);
  trouble = '';
  source = sources.get(own) ?? await sourceFor(own);
  if (mine !== turn || !source)
    return showWords();
  if (familyOf(wanted, source.data) !== familyOf(state, data))
    wanted = { ...wanted, zoom: '', selected: '', ...changes };
  do {
    if (stubs.length)
      await fetchHidden(source, own, stubs);
    within = treeOf(wanted, source.data);
    places = [wanted.zoom, wanted.selected].map(link => follow(link, within, wanted.filters !== state.filters));
    stubs = trouble ? [] : places.flatMap(place => place.stubs);
  } while (stubs.length);
  if (mine !== turn)
    return shown.turn === turn && source.data !== data && set({}, false);
  [tree, data, v, zoom] = [within, within.data, valueOf(wanted), places[0].node];
  selected = wanted.selected ? places[1].node : null;
  state = { ...wanted, filters: queryOf(steps), zoom: linkOf(zoom), selected: nameOf(selected) };
  shown.turn = mine;
  redraw();
  isAwaited && !push || writeLink(push);     /* a link that leads into the rest stays, unless somebody goes elsewhere */
  tell('flame-state', { ...state });
}
const zoomInto = node => set({ zoom: linkOf(node), selected: nameOf(node) });

const around = svg.closest('[data-flame-tree]');     /* of a page: where parts of the tree are */
function failed({ message }) {
  trouble = `. Frames could not be fetched: ${message}`;
  return null;
}
/* A part of the tree that some filters leave, or null: `trouble` says why. */
async function fetchPart(place, skip, own) {
  const pass = fragment().get('pass'), path = location.pathname.replace(/(\/methods)?(\.svg)?$/, '/tree');
  const source = around?.dataset.flameTree ??
    (pass ? path.replace(/(?=(\/t\/[^/]*)?\/tree$)/, `/k/${encodeURIComponent(pass)}`) : path);
  try {
    const answer = await fetch(`${source}?node=${place}&skip=${skip}&${[header.query, own].filter(Boolean).join('&')}`);
    if (answer.ok)
      return await answer.text();
    throw new Error(`${answer.status} ${answer.statusText}`);
  } catch (error) {
    return failed(error);
  }
}
/* The script filters what is here itself. What is not, the service has to filter. */
async function sourceFor(own) {
  const steps = stepsOf(own), { data: base } = sources.get('');
  let made = null, why = needsService(plainSteps(steps, presets));
  try {
    if (!why && (isAwaited || !isHttp || base.stubs.size === 0))
      made = { data: base.filtered(steps, presets) };
  } catch ({ message }) {
    why = message;
  }
  if (!made && isHttp) {
    const part = await fetchPart(0, 0, own);
    made = part && sourceOf(part);
  } else if (!made) {
    trouble = `. ${why}`;
  }
  if (made)
    sources.set(own, made);
  if (sources.size > SOURCES_MAX)
    sources.delete([...sources.keys()][1]);
  return made;
}
async function fetchHidden(source, own, stubs) {
  trouble = isHttp ? '' : `. ${AWAY}`;
  const some = await Promise.all(stubs.slice(0, isHttp ? PIECES_MAX : 0).map(async ({ place, shown: skip }) =>
    [`${place} ${skip}`, await fetchPart(place, skip, own)]));
  const all = new Map([...source.pieces ?? [], ...some.filter(([, piece]) => piece)]);
  try {
    if (all.size > (source.pieces?.size ?? 0))
      Object.assign(source, { pieces: all, data: new Data(source.text, all) });
  } catch (error) {
    failed(error);
  }
}
/* The picture of a page begins with its heaviest frames. The rest comes when nobody waits for anything, or at once where the link
 * says something; until then the script filters what it has. */
let isAwaited = isHttp && around && data.stubs.size > 0, rest;
async function fetchRest() {
  const text = await fetchPart(0, 0, ''), whole = sources.get('');
  isAwaited = false;
  if (!text || !svg.isConnected)     /* another picture has its place */
    return false;
  sources.clear();
  return sources.set('', Object.assign(whole, sourceOf(text)));
}
const complete = () => rest ??= fetchRest().catch(failed);
const fragment = () => new URLSearchParams(location.hash.slice(1));
const ownOf = hash => [...hash].filter(([key]) => key.startsWith(prefix)).map(([key, value]) => [key.slice(prefix.length), value]);
const says = hash => ownOf(hash).some(([key]) => key in usual || STEP_KEYS.includes(key));
const isUntouched = () => Object.entries({ ...usual, ...first }).every(([key, value]) => state[key] === value);
/* By location, since history.pushState throws where a policy gives us no origin. An empty one would scroll. */
function writeLink(push) {
  const hash = fragment();
  if (isUntouched() && !says(hash))
    return;
  for (const [key, value] of Object.entries(state))
    value === usual[key] || key === 'filters' ? hash.delete(prefix + key) : hash.set(prefix + key, value);
  STEP_KEYS.forEach(key => hash.delete(prefix + key));
  stepsOf(state.filters).slice(given.length).forEach(([key, pattern]) => hash.append(prefix + key, pattern));
  if (`${Object.keys(first)}` && !says(hash))
    hash.set(`${prefix}view`, state.view);     /* an address that says nothing would lead to the first view */
  const next = location.hash && `${hash}` === '' ? `#${prefix}view=${state.view}` : `#${hash}`;
  if (next !== (location.hash || '#'))
    push ? location.hash = next : location.replace(next);
}
/* Draws at once, unless a part of the tree has to be fetched for the first place. */
async function readLink() {
  if (mayBegin && !says(fragment())) {
    mayBegin = false;
    const filters = presets[IDLE_STEP[1]] && isMostlyIdle(sources.get('').data, valueOf(usual)) ? queryOf([IDLE_STEP]) : '';
    const source = sources.get(filters) ?? await sourceFor(filters), place = source && !compared && linkOf(firstBranching(treeOf(usual, source.data)));
    if (place || source && filters)
      first = { filters, zoom: place || '' };
  }
  const hash = fragment(), wanted = Object.fromEntries(Object.entries(usual).map(([key, value]) =>
    [key, value === false ? hash.get(prefix + key) === 'true' : hash.get(prefix + key) ?? value]));
  wanted.filters = queryOf([...given, ...stepsOf(queryOf(ownOf(hash)))]);
  if (!says(hash))
    Object.assign(wanted, first);
  if (`${Object.values(wanted)}` !== `${Object.values(state)}`)
    set(wanted, false);
  const mine = turn;
  if (isAwaited && says(hash) && await complete())     /* what the link names may not have been there */
    set(mine === turn ? wanted : {}, false);
}
/* What links say is shown as it is, and so are files; of a comparison all is shown but idle time. */
let mayBegin = svg.closest('[data-flame-controls]') && !location.search;

/* --- words --- */

/* What the filters left of the whole. */
const wholeTotal = () => header.before?.[v] ?? sources.get('').data.total(v)[1];
const stepWords = ([key, text]) => `${key} ${/^(\w+:)?\/\^(.*?)(\(\\\.\|\$\))?\$?\/$/.test(text) ?
  text.replace(/\/\^|\(\\\.\|\$\)|\$?\/$/g, '').replace(/\\(.)/g, '$1') : text}`;
/* The number of the step behind which nothing was left, or -1. */
const emptiedBy = () => (data.total(v)[1] > 0 ? -1 : Number(svg.dataset.emptiedBy ??
  (data.emptiedBy >= 0 ? given.length + data.emptiedBy : stepsOf(state.filters).length - 1)));
const isFirstFilter = () => first.filters && first.filters === state.filters;
function emptyWords() {
  const by = stepsOf(state.filters)[emptiedBy()];
  return by ? `the filters leave nothing: take out ${stepWords(by)}` : 'nothing recorded for this value';
}
/* Of a sandwich: whose, and what it has in all. */
function whoseWords() {
  if (state.view !== 'sandwich' || !tree.roots[0].frame.isMethod)
    return '';
  const { f, frame } = tree.roots[0], { total, self, calls } = data.instancesOf(f, v);
  return `Callers (above) and callees (below) of ${frame.text}${signatureWords(frame.signature)}: ${inWords(total)} (${shareOf(total)}), self ${inWords(self)}` +
    `${data.calls < 0 ? '' : `, ${counted(calls, 'call')}`}. `;
}
function showSteps() {
  const steps = stepsOf(state.filters), left = data.total(v)[1];
  chips.replaceChildren(...steps.map((step, i) => html('span', { class: 'chip' }, stepWords(step), ...isHttp || i >= given.length ? [
    ...i > 0 && (isHttp || i > given.length) ? [button('◀', `Earlier: ${stepWords(step)}`, 'moveFilter', i)] : [],
    button('×', `Take out ${stepWords(step)}`, 'unfilter', i)] : [])));
  if (steps.length > 0)
    chips.append(html('span', {}, `${percentWords(left, wholeTotal())} of ${inWords(wholeTotal())} left` +
      (isHttp || data.stubs.size === 0 ? '' : '; what is not in this file was not filtered')));
}

const button = (words, label, what, to) =>
  html('button', { type: 'button', 'aria-label': label, title: label, 'data-do': what, 'data-to': to }, words);
function describe({ node, hides, total: part }) {
  if (hides === NARROW)
    return [`Frames too narrow to be drawn: ${inWords(part)}`, 'Click to zoom in.'];
  if (hides > 0)
    return [`${counted(tree.hiddenOf(node, values.length), 'frame')} not in this file: ${inWords(part)}` +
      (data.calls < 0 ? '' : `, ${counted(tree.hiddenOf(node, data.calls), 'call')}`), isHttp ? 'Click to fetch them.' : AWAY];
  const { f, frame: { isMethod, text: name, signature }, total, self, calls } = node;
  const path = pathTo(node), hasCalls = data.calls >= 0, all = data.instancesOf(f, v);
  const isRecursive = tree.isWhole && calls > 0 && path.some(one => one !== node && one.f === f);
  const shares = [[data.total(v)[1], header.merged || header.side_by_side ? 'all' : header.track],
    [(path[0] === rootOf(zoom) ? zoom : path[0]).total, 'zoom'], [(node.up ?? node).total, 'parent'],
  ].map(([whole, of]) => `${percentWords(total, whole)} of ${of}`);
  return [`${name} ${signatureWords(signature)}`,
    compared && sidesWords(node.sides),
    `total ${inWords(total)}: ${shares.join(', ')}` +
      (tree.isWhole || !isMethod ? `; self ${inWords(self)}` : ''),
    isMethod && hasCalls && `calls ${grouped(calls)}${isRecursive ? ` (${grouped(calls)} recursive)` : ''}` +
      (calls > 0 ? `, ${inWords(ratio(total, calls, 1))} per call` : ''),
    isMethod && `${counted(all.nodes, 'instance')} of this method: total ${inWords(all.total)} ` +
      `(${shareOf(all.total)}), self ${inWords(all.self)}${hasCalls ? `, ${counted(all.calls, 'call')}` : ''}` + ofLoaded(),
    isMethod && noteOf(node.frame),
  ].filter(Boolean);
}
/* What must be known of a frame to understand it. */
function noteOf({ origin, text }) {
  return origin === 'o8' ? 'No function: the stack could not be followed further.' :
    text.includes('[DEDUPED]') && 'Several methods share this code: it may be another one.';
}
/* By all values, where the tree has them. */
function numbersOf(node) {
  const { frame: { text: name, signature, isMethod }, up, at, self, calls } = node, { isWhole } = tree, root = pathTo(node)[0];
  const totalOf = (one, k) => (isWhole ? data.total(k)[one.at] : one.total);
  const bothOf = sides => (isWhole && values[sides[0]] ? sides.map(side => data.self[side][at]) : null);
  const both = compared ? { unit: values[0].unit, total: node.sides, self: bothOf(SIDES), calls: bothOf(CALLS) } : null;
  return { name, signature, words: signatureWords(signature), isMethod, compared: both, link: linkOf(node), parent: up && linkOf(up), calls: data.calls < 0 ? null : calls, sampledBytes: header.sampled_bytes,
    values: values.flatMap(({ name: value, unit }, k) => ((isWhole ? k === data.calls : k !== v) ? [] : [{ value, unit, isShown: k === v, total: totalOf(node, k),
      self: isWhole ? data.self[k][at] : self, all: data.total(k)[1], zoom: totalOf(root === rootOf(zoom) ? zoom : root, k), up: totalOf(up ?? node, k) }])) };
}
function labelOf(box) {
  const { node: { frame, up, sides }, hides, x, end } = box, cells = Math.floor(((end - x) / 10 - 6) / CELL);
  const isTwin = up && tree.kidsOf(up).some(one => one.frame !== frame && one.frame.text === frame.text);
  const change = compared && frame.isMethod && signOf(sides), percent = change && `${changePercent(sides)} `;
  const mark = change ? (percent.length + 6 > cells ? change : percent) : isForced.matches && state.palette === 'origin' && frame.isMethod ? `${LETTERS[frame.origin.slice(1)]}:` : '';
  return hides > 0 ? cut(describe(box)[0], cells) :
    mark + fitName(frame, cells - mark.length, isTwin ? signatureWords(frame.signature) : '', state.names === 'full');
}
/* Instead of all boxes: those around what is selected. */
function showItems() {
  const node = selected ?? zoom, path = pathTo(node), all = node.up ? tree.kidsOf(node.up) : [node];
  const near = byWeight => [...byWeight].sort((a, b) => b.total - a.total).slice(0, ITEMS_MAX);
  const siblings = near(all), kids = near(tree.kidsOf(node));
  const item = (one, level, among) => {
    const { frame: { text: name, signature, isMethod }, total, self, calls, box, sides } = one, isOpen = one === node && kids.length > 0;
    return shape('g', { role: 'treeitem', 'aria-level': level, 'aria-selected': one === selected, 'aria-setsize': among.length,
      'aria-posinset': among.indexOf(one) + 1, ...tree.kidsOf(one).length > 0 ? { 'aria-expanded': isOpen || path.includes(one) } : {},
      'aria-label': `${name} ${signatureWords(signature)}, ${shareOf(total)}, ${inWords(total)}, self ${inWords(self)}` + (compared ? `, ${sidesWords(sides)}` : '') +
        (isMethod && data.calls >= 0 ? `, ${counted(calls, 'call')}` : ''), ...one === node ? { id: `${prefix}frame` } : {} },
    ...box ? [shape('rect', { x: box.x / 10, y: box.level * LEVEL, width: (box.end - box.x) / 10, height: LEVEL - 1 })] : []);
  };
  items.replaceChildren(...path.slice(0, -1).map((one, i) => item(one, i + 1, [one])),
    ...(siblings.includes(node) ? siblings : [node, ...siblings]).flatMap(one => [item(one, path.length, all),
      ...one === node ? kids.map(kid => item(kid, path.length + 1, kids)) : []]));
  graph.setAttribute('aria-activedescendant', `${prefix}frame`);
}
function showWords() {
  const { dropped } = parts[tree.roots.indexOf(rootOf(zoom))], { total, at, up } = zoom, { isWhole } = tree;
  const drawn = grouped(parts.reduce((sum, part) => sum + part.drawn, parts.length - 1));
  const of = isWhole ? ` of ${grouped(up ? data.total(values.length)[at] : data.nodes)}` : '';
  title.textContent = [header.root, values[v].label, inWords(data.total(v)[1]),
    ...head.firstElementChild ? [counted(head.childElementCount, 'warning')] : []].join(' · ');
  showSteps();
  status.textContent = whoseWords() + (total === 0 ? emptyWords() :
    `${drawn}${of} frames drawn; ${shareOf(total - dropped, total)}`) +
    (isWhole ? '' : ofLoaded()) + trouble;
  if (isNews('said', trouble))
    tell('flame-said', trouble.slice(2));
  const trail = pathTo(zoom).map((node, _, path) =>
    button(fitName(node.frame, path.length > 1 ? 32 : 64), `Zoom to ${node.frame.text}`, 'zoomTo', linkOf(node)));
  if (trail.length > 6)
    trail.splice(2, trail.length - 5, html('span', {}, '…'));
  const all = wholeTotal(), idle = all - data.total(v)[1];
  crumbs.replaceChildren(...trail, ...isFirstFilter() ? [html('span', { class: 'apart', title: 'Time in frames that wait, and in no frame' },
    `without ${inWords(idle)} idle (${percentWords(idle, all)}) `, button('Show all', 'Show idle time, too', 'reset'))] : []);
  details.replaceChildren(
    ...rows(selected ? describe({ node: selected }) : ['Click a frame to zoom in.']));
  const { text: name, signature, isMethod } = selected?.frame ?? {}, words = 'Callers and callees';
  if (isMethod)
    details.lastChild.append(...[button(words, `${words} of ${name}`, 'sandwich', name + signature), button('More …', `Commands of ${name}`, 'menu')]
      .flatMap(one => [' ', one]));
}

/* --- drawing --- */

const yOf = box => topPx + box.level * LEVEL;
const roomPx = () => Math.max(200, Math.floor(rectOf(svg).width));
const isNews = (what, ...all) => shown[what] !== (shown[what] = all.join());
/* The method of a sandwich is in both of its trees, and drawn once. */
function arrange() {
  const { roots } = tree, isFlame = state.view === 'flame', leastPx = Math.max(header.min, 1 / devicePixelRatio);
  parts = roots.map(root => layout(tree, root === rootOf(zoom) ? zoom : root, widthPx - 2 * PAD, leastPx,
    state.order === 'weight'));
  levels = parts.flatMap(({ rows: all }, i) => (isFlame ? [...all].reverse() :
    i + 1 < roots.length ? all.slice(1).reverse() : all));
  boxes.forEach(({ node }) => { node.box = undefined; });
  boxes = levels.flat();
  levels.forEach((row, level) => row.forEach(box => {
    box.level = level;
    if (box.hides === 0)
      box.node.box = box;
  }));
  roots[0].box = roots.at(-1).box;
}
function redraw() {
  const began = performance.now(), anchor = zoom, { box } = anchor, oldPx = box && yOf(box), isFirst = widthPx === 0;
  if (roomPx() !== widthPx)
    svg.removeAttribute('viewBox');     /* it would be measured by */
  widthPx = roomPx();
  const { view, order, palette, names, search: wanted, matchCase } = state;
  const isNew = isNews('drawn', linkOf(zoom), widthPx, view, order, palette, names) || shown.tree !== tree;
  shown.tree = tree;
  if (isNews('coloured', state.filters, data.n)) {
    const packages = colourPackages(data, valueOf(usual), colours);
    live.querySelector('.legend.package').replaceChildren(...packages.map(([words, colour]) => html('span', {},
      shape('svg', { class: 'swatch', width: 11, height: 11 }, shape('rect', { class: `c${colour}`, width: 11, height: 11 })), ` ${words}`)));
  }
  const isFound = isNews('found', v, data.n, state.filters, wanted, matchCase);
  if (isNew)
    arrange();
  if (isFound)
    find();
  svg.dataset.palette = palette;
  showWords();
  for (const [name, input] of Object.entries(inputs))
    if (Object.hasOwn(state, name) && input.value !== state[name] && (document.activeElement !== input || input.localName === 'select'))
      Object.assign(input, { value: state[name], checked: state[name] === true });
  const [headPx, barPx] = [head, bar].map(inner => Math.ceil(rectOf(inner).height));
  topPx = headPx + barPx + 6;
  heightPx = topPx + Math.max(1, levels.length) * LEVEL + PAD;
  setAll(barBox, { y: headPx });
  setAll(svg, { height: heightPx, viewBox: `0 0 ${widthPx} ${heightPx}` });
  if (isFitted())
    scrollBy(0);
  setAll(graph, { transform: `translate(${PAD} ${topPx})` });
  if (isNew)
    drawShapes();
  if (isNew || isFound)
    matched.replaceChildren(...bunches(wanted ? boxes.filter(isHit) : [])
      .map(some => shape('path', { d: pathOf(some, 15) })));
  graph.classList.toggle('searched', matched.childElementCount > 0);
  outline(chosen, boxOf(selected ?? zoom));
  chosen.classList.toggle('none', !selected);
  showItems();
  point(null);
  if (isFirst && view === 'flame' && !linkOf(zoom))
    scrollBy(heightPx);
  else if (isNews('place', linkOf(zoom), view, order))
    settle(zoom);
  else if (oldPx !== undefined && anchor.box && yOf(anchor.box) !== oldPx)
    scrollBy(yOf(anchor.box) - oldPx);
  if (isNew)
    drawTexts();
  stick();
  tell('flame-drawn', { drawn: boxes.length, total: data.nodes, ms: performance.now() - began });
}
/* Many elements are slow, and so are paths all over the picture: boxes near each other are one path. */
const bunches = some => Array.from({ length: Math.ceil(some.length / BUNCH) }, (_, i) =>
  some.slice(i * BUNCH, (i + 1) * BUNCH));
/* In tenths of a pixel. Boxes that touch, too narrow for a gap, are drawn as one. A border is filled: a stroke takes
 * ten times as long. */
function pathOf(some, border = 0) {
  const isNarrow = box => box.end - box.x <= GAPLESS;
  let d = '';
  for (let i = 0; i < some.length; i++) {
    const { x, level } = some[i], y = level * LEVEL * 10, high = HIGH - 2 * border;
    let end = some[i].end - (isNarrow(some[i]) ? 0 : 5);
    while (some[i + 1]?.x === end && some[i + 1].level === level && isNarrow(some[i + 1]))
      end = some[++i].end;
    d += `M${x} ${y}h${end - x}v${HIGH}h${x - end}z`;
    if (border > 0 && end - x > 2 * border)
      d += `M${x + border} ${y + border}v${high}H${end - border}v${-high}z`;
  }
  return d;
}
/* Of what is too narrow, that of the frame which it stands in. */
function boxOf(node) {
  while (node && !node.box)
    node = node.up;
  return node?.box;
}
const outline = (path, box) => path.setAttribute('d', box ? pathOf([box]) : '');
function drawShapes() {
  const { palette } = state, largest = palette === 'self' ? data.largestSelf(v) : 0;
  shapes.replaceChildren(...bunches(boxes).flatMap(some => {
    const made = {};
    for (const box of some) {
      const { frame } = box.node;
      const cls = box.hides > 0 ? 'st' : frame.isMethod ? classOf(palette, box.node, largest) : 'cr';
      (made[cls] ??= []).push(box);
    }
    return Object.entries(made).map(([cls, its]) => shape('path', { class: cls, d: pathOf(its) }));
  }));
}
const byWidth = (a, b) => b.end - b.x - a.end + a.x;
/* Names near the window, not too many. */
function drawTexts() {
  const all = svg.matches('.paper');
  middlePx = innerHeight / 2 - topOf();
  const wide = boxes.filter(box => box.end - box.x >= 10 * (CELLS_LEAST * CELL + 6) &&
    (all || Math.abs(yOf(box) - middlePx) < innerHeight * 0.75));
  texts.replaceChildren(...wide.sort(byWidth).slice(0, TEXTS_MAX).flatMap(box =>
    [labelOf(box)].filter(words => words)
      .map(words => shape('text', { x: (box.x + 30) / 10, y: box.level * LEVEL + LEVEL / 2 + 3 }, words))));
}
/* A frame without an origin gives its document no more room than it has: then the picture scrolls itself. */
const isFitted = () => standalone && parent !== window && rectOf(svg).height !== heightPx;
const topOf = () => rectOf(svg).top - scrolledPx;
function scrollBy(px) {
  const { height } = rectOf(svg);
  if (!isFitted()) {
    scroller.scrollBy(0, px);
    return stick();     /* at once: the event comes a frame later */
  }
  scrolledPx = Math.max(0, Math.min(heightPx - height, scrolledPx + px));
  setAll(svg, { viewBox: `0 ${scrolledPx} ${widthPx} ${height}` });
  onScroll();
}
function onScroll() {
  stick();
  if (Math.abs(innerHeight / 2 - topOf() - middlePx) > innerHeight / 4)
    drawTexts();
}
/* Where in the window the picture can be seen; the toolbar stays in sight if it leaves room. */
function port() {
  const { top, bottom } = standalone ? { top: 0, bottom: innerHeight } : rectOf(scroller), { height } = rectOf(bar);
  const seen = { top: Math.max(0, top), bottom: Math.min(innerHeight, bottom) };
  return { ...seen, barPx: seen.bottom - seen.top - height > 6 * LEVEL ? height : 0 };
}
function stick() {
  const { top, barPx } = port(), above = barPx > 0 ? top - topOf() - barBox.getAttribute('y') : 0;
  setAll(barBox, { transform: `translate(0 ${Math.max(0, Math.min(above, heightPx - topPx - LEVEL))})` });
}
/* Where what is above it, in a flame, or below it can be seen. */
function settle({ box }) {
  const y = topOf() + yOf(box), { top, bottom, barPx } = port();
  if (state.view === 'sandwich')
    reveal({ box });
  else
    scrollBy(state.view === 'flame' ? y + LEVEL + PAD - bottom : y - top - barPx);
}
function reveal({ box }) {
  const y = box && topOf() + yOf(box), { top, bottom, barPx } = port();
  if (y < top + barPx || y + LEVEL > bottom)
    scrollBy(y - (top + barPx + bottom) / 2);
}

/* --- search --- */

const isHit = ({ node, hides }) => hides === 0 && hits[node.f] === 1;
function find() {
  let found = search(data, v, ''), words = '';
  try {
    found = search(data, v, state.search, state.matchCase);
    words = `${counted(found.nodes, 'frame')} of ${counted(found.methods, 'method')}: ${shareOf(found.total)}` + ofLoaded();
  } catch ({ message }) {
    words = message;
  }
  hits = found.hits;
  matches.textContent = state.search && words;
  const listed = state.search ? matchesByWeight(data, v, hits) : [];
  list.parentNode.hidden = listed.length === 0;
  list.replaceChildren(...listed.slice(0, LISTED_MAX).map(({ frame: { text: name, signature }, total, calls }) => html('li', {},
    button(name + signatureWords(signature), `Select the heaviest ${name}`, 'selectMethod', name + signature),
    ` ${percentWords(total, data.total(v)[1])}, ${inWords(total)}${data.calls < 0 ? '' : `, ${counted(calls, 'call')}`}`)));
}
const linkOfNode = at => {
  let link = '';
  for (let i = at; i > 1; i = data.parent[i])
    link = keyOf(data.frames[data.frame[i]]) + link;
  return link;
};
/* The heaviest frame of a method that is in view, or, in a tree that is made of several, drawn. */
function matchesIn(which) {
  return tree.isWhole ? Array.from(nodesByWeight(data, v, which, zoom.at), linkOfNode) :
    boxes.filter(({ node, hides }) => hides === 0 && which[node.f] === 1).sort((a, b) => b.total - a.total).map(({ node }) => nameOf(node));
}
function selectMethod(name) {
  const [link] = matchesIn(Uint8Array.from(data.frames, frame => frame.text + frame.signature === name));
  if (link)
    choose(link);
}
function choose(link) {
  set({ selected: link }, false);
  reveal({ box: boxOf(selected) });
}
/* By weight, within what is zoomed into; neither zooms nor goes into the history. */
function step(by) {
  if (isNews('stops', shown.found, state.filters, linkOf(zoom), state.view))
    stops = matchesIn(hits);
  const { length } = stops, at = stops.indexOf(state.selected);
  if (length > 0)
    choose(stops[at < 0 ? (by < 0 ? length - 1 : 0) : (at + by + length) % length]);
}

/* --- filters --- */

const setSteps = steps => set({ filters: queryOf(steps) });
const addStep = (key, pattern) => setSteps([...stepsOf(state.filters), [key, pattern]]);
const addFilter = () => inputs.pattern.value && addStep(inputs.step.value, inputs.pattern.value);
const exactly = words => words.replace(/[\^$.*+?()[\]{}|/]/g, '\\$&');
/* What is selected: its frames, or all frames of its package and those below. */
function filterSelected(what) {
  const { frame } = selected ?? {}, inside = frame?.isMethod && PARTS.package(frame);
  if (frame?.isMethod)
    addStep(what.split(' ')[0], / package/.test(what) && inside ? `package:/^${exactly(asFolded(inside))}(\\.|$)/` :
      `/^${exactly(asFolded(frame.text))}$/`);
}
const unfilter = at => setSteps(stepsOf(state.filters).filter((_, i) => i !== Number(at)));
function moveFilter(from, by = -1) {
  const steps = stepsOf(state.filters), at = Number(from), [step] = steps.splice(at, 1);
  steps.splice(at + by, 0, step);
  setSteps(steps);
}

/* --- pointer and keys --- */

function placeOf({ clientX, clientY }) {
  const x = clientX - rectOf(svg).left, y = clientY - topOf(), at = 10 * (x - PAD);
  const row = levels[Math.floor((y - topPx) / LEVEL)];
  return { x, y, box: row?.find(box => at >= box.x && at < box.end) ?? null };
}
function point(box) {
  hovered = box;
  outline(under, box);
  tip.replaceChildren(...rows(box ? describe(box) : []));
}
function hover(event) {
  const { x, y, box } = placeOf(event);
  if (box !== hovered)
    point(box);
  const { width, height } = rectOf(tip), { top, bottom } = port();
  const most = Math.min(bottom - topOf(), heightPx) - height;
  setAll(tip.parentNode, { x: Math.max(0, Math.min(x + 12, widthPx - width)),
    y: y + 18 < most ? y + 18 : Math.max(top - topOf(), y - height - 8) });
}
/* A tap selects, a second one zooms, also where the frame has moved since by what is said of it; a click of a mouse zooms
 * at once. */
let tapped = {};
function click(event) {
  const { box } = placeOf(event), { clientX, clientY } = event, isTouch = pressed.pointerType === 'touch';
  const isSecond = isTouch && selected && tapped.node === selected && Math.hypot(clientX - tapped.clientX, clientY - tapped.clientY) < 20;
  closeMenu();
  if (!box || pressed.isMenu)
    return;
  if (box.hides > NARROW)
    set({}, false, box.node.stubs);
  else if (isTouch && !isSecond && box.node !== selected)
    set({ selected: nameOf(box.node) }, false);
  else
    zoomInto(isSecond ? selected : box.node);
  tapped = { clientX, clientY, node: selected };
}
/* To a neighbour, or to the widest box that touches this one. */
function move(key) {
  const box = boxOf(selected) ?? zoom.box, row = levels[box.level], by = /Up|Left/.test(key) ? -1 : 1;
  const touching = (levels[box.level + by] ?? []).filter(one => one.x < box.end && one.end > box.x);
  const next = !selected ? box : /Left|Right/.test(key) ? row[row.indexOf(box) + by] :
    touching.sort(byWidth).find(one => one.hides === 0);
  if (next?.hides === 0)
    set({ selected: nameOf(next.node) }, false);
  reveal({ box: boxOf(selected) ?? zoom.box });
}

/* --- commands --- */

const after = (list, one) => list[(list.indexOf(one) + 1) % list.length];
const ofSelected = action => () => (selected?.frame.isMethod ? action(selected) : say('Select a frame first'));
const fullName = ({ frame: { text: name, signature } }) => name + signatureWords(signature);
/* Where it may not be copied, it stands there to be copied by hand. */
async function copy(words, what) {
  try {
    await navigator.clipboard.writeText(words);
    say(`Copied: ${what}`);
  } catch {
    const field = html('textarea', { readonly: '', rows: 6, cols: 60, 'aria-label': what });
    field.value = words;
    openMenu(what, [field], 'dialog');
    field.select();
  }
}
const commands = COMMANDS.filter(one => !one.page || svg.closest('[data-flame-controls]'));
/* Callers and callees of a method; `left`: where somebody was before. */
let left = { view: 'flame', zoom: '', selected: '' };
function sandwich(method) {
  const { view, zoom: place, selected: frame } = state;
  if (view !== 'sandwich')
    left = { view, zoom: place, selected: frame };
  return set({ view: 'sandwich', method });
}
const acts = {
  move, tab: key => tell('flame-tab', key), out: () => set(zoom.up ? { zoom: linkOf(zoom.up) } : selected || state.view !== 'sandwich' ? { selected: '' } : left), zoom: () => selected && zoomInto(selected),
  callers: ofSelected(({ frame }) => sandwich(frame.text + frame.signature)),
  search: () => (inputs.search.isConnected ? inputs.search.focus() : tell('flame-search')),
  next: () => step(1), previous: () => step(-1),
  nextValue: () => set({ value: after(Array.from(inputs.value.options, one => one.value), state.value) }),
  nextOrder: () => set({ order: after(['name', 'weight'], state.order) }),
  focus: ofSelected(() => filterSelected('focus')), ignore: ofSelected(() => filterSelected('ignore')),
  hide: ofSelected(() => filterSelected('hide')), hidePackage: ofSelected(() => filterSelected('hide package')),
  undoFilter: () => state.filters && unfilter(stepsOf(state.filters).length - 1),
  copyName: ofSelected(node => copy(fullName(node), 'name')),
  copyStack: ofSelected(node => copy(pathTo(node).filter(({ frame }) => frame.isMethod).map(fullName).join('\n'), 'stack, from the outermost frame on')),
  copyLink: () => copy(location.href, 'link'), menu: () => showMenu(selected?.box ?? zoom.box), help: showHelp,
};

/* At a place of the picture, within what is seen of it. */
function openMenu(words, content, role, at = { x: PAD, y: port().top - topOf() + port().barPx + 8 }) {
  setAll(menu, { role, 'aria-label': words });
  point(null);
  menu.replaceChildren(...content);
  const { top, bottom } = port();
  menu.style.maxHeight = `${bottom - top - 16}px`;
  const { width, height } = rectOf(menu);
  setAll(menu.parentNode, { x: Math.max(0, Math.min(at.x, widthPx - width - 20)),
    y: Math.max(top - topOf(), Math.min(at.y, bottom - topOf() - height - 4)) });
  (menu.querySelector('button, textarea') ?? menu).focus();
}
function closeMenu() {
  const had = menu.contains(document.activeElement);
  menu.replaceChildren();
  if (had)
    graph.focus();
}
function showMenu(box, at = { x: PAD + box.x / 10 + 8, y: yOf(box) + LEVEL }) {
  if (!box || box.hides > 0)
    return;
  if (box.node !== selected)
    set({ selected: nameOf(box.node) }, false);
  const { frame } = box.node, some = commands.filter(one => one.frame && (frame.isMethod || /zoom|Link/.test(one.name)));
  openMenu(`Commands of ${frame.text}`, some.map(one => html('button', { type: 'button', role: 'menuitem', tabindex: -1, 'data-act': one.name },
    html('span', {}, one.words), html('kbd', {}, keyWords(one).join(' ')))), 'menu', at);
}
function showHelp() {
  openMenu('Keys', [button('Close', 'Close', 'closeMenu'),
    html('dl', {}, ...commands.map(one => html('div', {}, html('dt', {}, keyWords(one).join(' ')), html('dd', {}, one.words))))], 'dialog');
}
function onMenuKey(event) {
  const all = [...menu.querySelectorAll('button')], at = all.indexOf(document.activeElement), by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key === 'Escape' || event.key === 'Tab')
    closeMenu();
  else if (by && at >= 0)
    all[(at + by + all.length) % all.length].focus();
  else
    return false;
  return true;
}
/* Whether the key means something. */
function press(key) {
  const command = commands.find(({ keys }) => keys.includes(key));
  if (command) {
    closeMenu();
    acts[command.name](key);
  }
  return command !== undefined;
}
function onKey(event) {
  const { key, ctrlKey, altKey, metaKey, target } = event, isMenu = menu.contains(target);
  if (ctrlKey || altKey || metaKey || (!isMenu && target.closest?.('input, select, button, summary')))
    return;
  if (isMenu ? onMenuKey(event) || (key.length === 1 && key !== ' ' && target.localName === 'button' && press(key)) : press(key)) {
    event.preventDefault();
    event.stopPropagation();
  }
}
function onMenuClick({ target }) {
  const act = target.closest('[data-act]')?.dataset.act;
  if (target.closest('button'))
    closeMenu();
  if (act)
    acts[act]();
}
function openAt(event) {
  const at = placeOf(event);
  event.preventDefault();
  pressed.isMenu = true;
  showMenu(at.box, at);
}
/* What the pointer that is down has become: a long touch opens the menu. */
let pressed = {};
function onDown(event) {
  const { pointerType, clientX, clientY } = event;
  clearTimeout(pressed.timer);
  pressed = { pointerType, clientX, clientY };
  if (pointerType === 'touch')
    pressed.timer = setTimeout(() => openAt(event), PRESS_MS);
}
function onRelease({ clientX, clientY, type }) {
  if (type !== 'pointermove' || Math.hypot(clientX - pressed.clientX, clientY - pressed.clientY) > 10)
    clearTimeout(pressed.timer);
}

/* --- start --- */

/* What a parser still adds to it needs no layout. */
svg.querySelector('.still').remove();
live.removeAttribute('display');
if (!isHttp)
  live.querySelector('.service')?.remove();
setAll(svg, { role: 'group', width: '100%' });
if (svg.closest('[data-flame-controls]'))
  [tools, chips].forEach(one => one.remove());
inputs.step.append(...Object.keys(presets).map(name => html('option', { value: `preset=${name}` }, name.replace(/-/g, ' '))));
const on = (element, actions) =>
  Object.entries(actions).forEach(([type, action]) => element.addEventListener(type, action));
on(tools, { input: ({ target: { name, type, checked, value, localName } }) => Object.hasOwn(state, name) &&
  set({ [name]: type === 'checkbox' ? checked : value }, localName === 'select') });
on(inputs.step, { input: () => {
  const [key, pattern] = inputs.step.value.split('=');
  if (pattern)
    addStep(key, pattern);
  inputs.step.value = key === 'preset' || pattern ? 'hide' : key;
} });
on(inputs.pattern, { keydown: ({ key }) => key === 'Enter' && addFilter() });
on(inputs.search, { keydown: ({ key, shiftKey }) =>
  (key === 'Enter' ? step(shiftKey ? -1 : 1) : key === 'Escape' && graph.focus()) });
on(bar, { click: ({ target: { dataset } }) => svg.flame[dataset.do]?.(dataset.to) });
on(graph, { pointerleave: () => point(null), click, contextmenu: openAt, pointerdown: onDown, pointerup: onRelease, pointercancel: onRelease,
  pointermove: event => {
    onRelease(event);
    if (!menu.firstChild)
      hover(event);
  } });
on(menu, { click: onMenuClick });
/* Of what outlives the picture: until a page has taken it away. */
const gone = new AbortController();
const watch = (what, actions) => Object.entries(actions).forEach(([type, action]) =>
  what.addEventListener(type, event => (svg.isConnected ? action(event) : gone.abort()), { capture: type === 'scroll', signal: gone.signal }));
watch(document, { pointerdown: ({ target }) => !menu.contains(target) && menu.replaceChildren(), scroll: onScroll });
if (isForced.matches)
  live.querySelectorAll('.legend.origin > span')
    .forEach(one => one.prepend(`${LETTERS[one.querySelector('rect')?.getAttribute('class').slice(1)] ?? ''} `));
if (!standalone)
  on(svg, { keydown: onKey });
const onPaper = ({ type }) => {
  svg.classList.toggle('paper', type === 'beforeprint');
  redraw();
  drawTexts();
};
watch(window, { resize: drawTexts, hashchange: readLink, beforeprint: onPaper, afterprint: onPaper,
  wheel: ({ deltaY }) => isFitted() && scrollBy(deltaY), ...standalone ? { keydown: onKey } : {} });
new ResizeObserver(() => requestAnimationFrame(() =>
  (roomPx() !== widthPx ? redraw() : isFitted() && scrollBy(0)))).observe(svg);
svg.flame = {
  get state() { return { ...state }; }, get chosen() { return selected && numbersOf(selected); }, set, next: () => step(1), previous: () => step(-1),
  get said() { return { ...isUntouched() ? usual : state }; },
  reset: () => set({ zoom: '', selected: '', search: '', ...isFirstFilter() && { filters: '' } }),
  zoomTo: link => set({ zoom: link }), selectMethod, press, help: showHelp, menu: acts.menu, closeMenu,
  get commands() { return commands.map(one => ({ ...one, keys: keyWords(one) })); },
  sandwich,
  hasMethod: method => data.frames.some(({ isMethod, text, signature }) => isMethod && text + signature === method),
  get filters() { return stepsOf(state.filters).map(([key, pattern], i) =>
    ({ key, text: pattern, words: stepWords([key, pattern]), isGiven: i < given.length, isFirst: isFirstFilter() })); },
  get emptiedBy() { return emptiedBy(); }, filter: addStep, addFilter, filterSelected, unfilter, moveFilter, undoFilter: () => unfilter(stepsOf(state.filters).length - 1),
  search: (wanted, how) => set({ search: wanted, ...how }, false),
  rest: () => (self.requestIdleCallback ?? setTimeout)(async () => !rest && await complete() && shown.turn === turn && set({}, false)),     /* else somebody waits for a change */
};
[v, tree] = [valueOf(state), treeOf(state, data)];
zoom = tree.roots.at(-1);
readLink();
if (widthPx === 0)
  redraw();     /* the link says nothing else, or it is on its way */
svg.dataset.state = 'ready';
if (isAwaited && !rest && tell('flame-rest'))
  svg.flame.rest();
}

const begun = new WeakSet();
const startAll = () => document.querySelectorAll('svg.af').forEach((svg, i) => {
  const text = !begun.has(svg) && svg.querySelector('metadata.d')?.textContent;
  begun.add(svg);
  try {
    if (text)
      start(svg, i > 0 ? `${i + 1}.` : '', text);
  } catch (error) {
    console.error(error);   /* the drawing is there */
  }
});
document.addEventListener('flame-start', startAll);
/* A page with a workspace asks for its words before it starts its picture; where it could not, it is started all the same. */
if (document.querySelector('script[type="module"][src]'))
  addEventListener('load', startAll);
else
  startAll();
