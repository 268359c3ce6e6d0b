/* What the tests of the picture's script share: its pure half, random trees, and DATA written from them, without the
 * program. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_';

const pathOf = name => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const MODEL = ['flame-model', 'flame-filters', 'flame-views'].map(name => pathOf(`static/${name}.js`));

/* As they stand in every picture. */
export const SCRIPT = execFileSync(pathOf('tools/viewer_script'), [...MODEL, pathOf('static/flame.js')], { encoding: 'utf8' });
export const STYLE = readFileSync(pathOf('static/flame.css'), 'utf8');
const CONTROLS = readFileSync(pathOf('static/flame-controls.xml'), 'utf8');

/* The functions that need no document. The script is no module. */
export function pureHalf() {
  const names = ['COMMANDS', 'Data', 'Filtering', 'Tree', 'changePercent', 'changeStep', 'classOf', 'colourPackages', 'cut', 'firstBranching', 'fitName', 'isMostlyIdle', 'keyOf', 'keyWords', 'layout', 'matchesByWeight', 'needsService', 'nodesByWeight', 'pathTo', 'percentWords', 'regexProblem', 'search', 'signatureWords', 'stepProblem', 'stepsProblem', 'valueWords'];
  return new Function(`${MODEL.map(file => readFileSync(file, 'utf8')).join('')}\nreturn { ${names.join()} };`)();
}

/* Numbers from 0 to 1, the same for the same seed. */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = state + 0x9e3779b9 >>> 0;
    const mixed = Math.imul(state ^ state >>> 16, 0x21f0aaad);
    return (Math.imul(mixed ^ mixed >>> 15, 0x735a2d97) >>> 0) / 2 ** 32;
  };
}

export function number(value) {
  let text = '';
  for (; value >= 32; value = Math.floor(value / 32))
    text += DIGITS[32 + value % 32];
  return text + DIGITS[value];
}

/* A tree: {frames: [{scope, name, signature, origin, colour}], nodes: [{frame (index, -1: root), parent, self: [..]}]} in
 * pre-order, children by frame, each frame once among them. Values: wall, cpu, calls. */
export function randomTree(next, { nodes: wanted = 60, frames: n = 8, depth: most = 30 } = {}) {
  const frames = Array.from({ length: n }, (_, i) => ({
    scope: `com.example.p${i % 3}.Class${String(i >> 1).padStart(5, '0')}`, name: 'run', signature: i % 2 === 0 ? '(I)V' : '(Ljava/lang/String;)V',
    origin: i % 8, colour: i % 14,
  }));
  frames.sort((a, b) => (a.scope + a.signature < b.scope + b.signature ? -1 : 1));
  const loose = [{ frame: -1, kids: new Map(), depth: 0 }];
  for (let tries = 0; loose.length <= wanted && tries < 20 * wanted; tries++) {
    const parent = loose[Math.floor(next() * loose.length)], frame = Math.floor(next() * n);
    if (parent.depth >= most || parent.kids.has(frame))
      continue;
    const kid = { frame, kids: new Map(), depth: parent.depth + 1 };
    parent.kids.set(frame, kid);
    loose.push(kid);
  }
  const nodes = [], stack = [[loose[0], -1]];
  while (stack.length > 0) {
    const [node, parent] = stack.pop(), wall = next() < 0.3 ? 0 : Math.floor(next() * 5000) * 1000;
    const cpu = Math.floor(wall / 1000 * next()) * 1000;
    nodes.push({ frame: node.frame, parent, self: parent < 0 ? [0, 0, 0] : [wall, cpu, Math.floor(next() * 4)] });
    const place = nodes.length - 1;
    [...node.kids.keys()].sort((a, b) => b - a).forEach(frame => stack.push([node.kids.get(frame), place]));
  }
  return { frames, nodes };
}

const VALUES = [
  { name: 'wall', label: 'wall time', unit: 'ns', role: 'wall', scale: 1000, derived: false },
  { name: 'cpu', label: 'CPU time', unit: 'ns', role: 'cpu', scale: 1000, derived: false },
  { name: 'calls', label: 'calls', unit: 'count', role: 'calls', scale: 1, derived: false },
  { name: 'waiting', label: 'waiting time', unit: 'ns', role: 'waiting', scale: 1000, derived: true },
];

/* The self of node i by value, `waiting` included. */
export function selfOf({ self: [wall, cpu, calls] }) {
  return [wall, cpu, calls, Math.max(0, wall - cpu)];
}

function childrenOf(nodes) {
  const kids = nodes.map(() => []);
  nodes.forEach(({ parent }, i) => parent >= 0 && kids[parent].push(i));
  return kids;
}

export function totalsOf(nodes) {
  const totals = nodes.map(selfOf);
  for (let i = nodes.length - 1; i > 0; i--)
    totals[i].forEach((total, v) => { totals[nodes[i].parent][v] += total; });
  return totals;
}

/* DATA of the nodes for which keep[i] is true (with a node its parents, and the heaviest of its siblings first): what is
 * left out becomes stubs. `piece`: {node, skip}, as a request for one asks: that node, and its children from the skip-th
 * heaviest on, all of them. */
export function encode({ frames, nodes }, { keep = nodes.map(() => true), piece = null, options = {}, header = {} } = {}) {
  const kids = childrenOf(nodes), totals = totalsOf(nodes), sizes = nodes.map(() => 1);
  for (let i = nodes.length - 1; i > 0; i--)
    sizes[nodes[i].parent] += sizes[i];
  const first = piece?.node ?? 0, end = first + sizes[first];
  const heaviest = i => [...kids[i]].sort((a, b) => totals[b][0] - totals[a][0] || a - b);
  const skipped = new Set(piece === null ? [] : heaviest(first).slice(0, piece.skip));
  const written = [];
  for (let i = first; i < end;) {
    const isLeftOut = skipped.has(i) || (piece === null && i > 0 && !keep[i]);
    if (!isLeftOut)
      written.push(i);
    i += isLeftOut ? sizes[i] : 1;
  }
  const used = [...new Set(written.map(i => nodes[i].frame))].filter(f => f >= 0).sort((a, b) => a - b);
  const lineOf = new Map(used.map((f, i) => [f, i + 1]));
  let rank = 0, before = '';
  let numbers = '';
  const lines = used.map(f => {
    const { scope, name, signature, origin, colour } = frames[f], text = [scope, name, signature].join('\t');
    let prefix = 0;
    while (prefix + 1 < text.length && before[prefix] === text[prefix] && text.charCodeAt(prefix) < 128)
      prefix++;
    numbers += number(f - rank) + number(prefix) + number(origin) + number(colour);
    [rank, before] = [f, text];
    return text.slice(prefix) + '\n';
  });
  const depth = nodes.map(() => 0);
  nodes.forEach(({ parent }, i) => { depth[i] = parent < 0 ? 0 : depth[parent] + 1; });
  let last = depth[first] - 1, records = '';
  for (const i of written) {
    const hidden = piece === null ? kids[i].filter(kid => !keep[kid]) : [], [wall, cpu, calls] = nodes[i].self;
    const first = 8 * (last + 1 - depth[i]) + (cpu === wall ? 4 : 0) + (calls === 1 ? 2 : 0) + (hidden.length > 0 ? 1 : 0);
    records += number(first) + number(lineOf.get(nodes[i].frame) ?? 0) + number(wall / 1000);
    records += (cpu === wall ? '' : number(cpu / 1000)) + (calls === 1 ? '' : number(calls));
    if (hidden.length > 0) {
      records += number(i) + number(kids[i].length - hidden.length) + number(hidden.length);
      records += number(hidden.reduce((sum, kid) => sum + sizes[kid], 0));
      VALUES.forEach(({ scale }, v) => { records += number(hidden.reduce((sum, kid) => sum + totals[kid][v], 0) / scale); });
    }
    last = depth[i];
  }
  const head = {
    format: 'aflamed-flame', version: 2, root: 'main (1)', values: VALUES,
    options: { view: 'flame', value: 'wall', order: 'name', palette: 'origin', names: 'short', method: '', filters: '', ...options },
    query: '', presets: {}, nodes: nodes.length - 1, embedded: written.length - 1, side_by_side: false, merged: false, track: 'thread',
    app: 'com.example', min: 0.5, node: first, skip: piece?.skip ?? 0, ...header,
  };
  return `${JSON.stringify(head)}\n${lines.join('')}\n${numbers}${records}\n`;
}

/* Which nodes a budget takes: the heaviest, equal ones by place, so that a parent comes before its children. */
export function heaviest(nodes, budget) {
  const totals = totalsOf(nodes), order = nodes.map((_, i) => i).sort((a, b) => totals[b][0] - totals[a][0] || a - b);
  const keep = nodes.map(() => false);
  order.slice(0, budget + 1).forEach(i => { keep[i] = true; });
  keep[0] = true;
  return keep;
}

const escaped = text => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/* A picture around the data, as render/svg/svg.c makes it, without static frames but one. `inPage`: without the code. */
export function picture(data, { title = 'main (1)', warnings = [], inPage = false, hasChart = true } = {}) {
  const style = inPage ? '' : `<style><![CDATA[${STYLE}]]></style>`, script = inPage ? '' : `<script><![CDATA[${SCRIPT}]]></script>`;
  const { values } = JSON.parse(data.slice(0, data.indexOf('\n')));
  const parts = {
    warnings: warnings.map(w => `<p>${escaped(w)}</p>`).join(''),
    chart: hasChart ? '<option class="service">chart</option>' : '',
    palettes: ['origin', 'package', 'self', 'classic'].map(name => `<option>${name}</option>`).join(''),
    values: values.map(({ name, label }) => `<option value="${escaped(name)}">${escaped(label)}</option>`).join(''),
    legends: ['origin', 'package', 'self', 'classic'].map(name => `<p class="legend ${name}"><span>${name}</span></p>`).join('\n'),
  };
  return `<svg xmlns="http://www.w3.org/2000/svg" class="af" role="img" aria-label="${escaped(title)}" width="1200" height="200"
 viewBox="0 0 1200 200">${style}<rect class="bg" width="100%" height="100%"/>
${CONTROLS.replace(/<\?(\w+)\?>/g, (_, word) => parts[word])}<g class="still"><text class="t" x="10" y="26">${escaped(title)}</text>
<text class="s" x="10" y="43">1 of 1 frames drawn; 100 % of the time</text>
${warnings.map((w, i) => `<text class="w" x="10" y="${60 + 17 * i}">${escaped(w)}</text>`).join('\n')}<g class="l"></g>
<metadata class="d">${escaped(data)}</metadata>
${script}<g class="f"><g><title>static</title><rect class="cr" x="10" y="80" width="1180" height="15"/></g></g></g>
</svg>`;
}
