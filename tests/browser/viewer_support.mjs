/* What the tests of the picture with its script share: pictures that are made here, and served as the service serves them;
 * hooks that start the server and a browser. */
import { after, before } from 'node:test';
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encode, heaviest, picture, random, randomTree, SCRIPT, STYLE } from '../support/flame_data.mjs';
import { missing, openPage, startBrowser, until } from './support.mjs';

export const skip = missing();
const sha = code => `'sha256-${createHash('sha256').update(code).digest('base64')}'`;
const POLICY = `default-src 'none'; script-src ${sha(SCRIPT)}; style-src ${sha(STYLE)}; connect-src 'self'; img-src 'self'; base-uri 'none'; ` +
  'form-action \'none\'; sandbox allow-scripts';

export const tree = randomTree(random(5), { nodes: 400, frames: 12, depth: 12 });
export const few = heaviest(tree.nodes, 60);
export const HOSTILE = ['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', ']]>&amp;', 'javascript:alert(1)', '__proto__', 'constructor'];
const hostile = {
  frames: HOSTILE.map((name, i) => ({ scope: i % 2 === 0 ? '' : name, name, signature: `(${name})`, origin: i % 8, colour: 0 }))
    .sort((a, b) => (a.scope + a.name < b.scope + b.name ? -1 : 1)),
  nodes: [{ frame: -1, parent: -1, self: [0, 0, 0] }, ...HOSTILE.map((_, i) => ({ frame: i, parent: 0, self: [(i + 1) * 1e6, 0, 1] }))],
};
/* The same tree twice, below a node for each thread. */
export const threads = {
  frames: tree.frames.concat(['main', 'x'].map((name, i) => ({ scope: '', name: `[${name} tid=${i}]`, signature: '', origin: 9, colour: 0 }))),
  nodes: [tree.nodes[0], ...[0, 1].flatMap(t => tree.nodes.map(({ frame, parent, self }, i) =>
    ({ frame: i === 0 ? tree.frames.length + t : frame, parent: i === 0 ? 0 : 1 + t * tree.nodes.length + parent, self: self.map(one => one * (t + 1)) })))],
};
export const several = { side: { side_by_side: true }, merged: { merged: true } };
const deep = {
  frames: [{ scope: 'a.B', name: 'c', signature: '', origin: 0, colour: 0 }],
  nodes: Array.from({ length: 201 }, (_, i) => ({ frame: i === 0 ? -1 : 0, parent: i - 1, self: i === 200 ? [1e6, 1e6, 1] : [0, 0, 1] })),
};
/* One frame of 200 pixels, and 1,600 of half a pixel each, in a picture of 1,000. */
const fine = {
  frames: Array.from({ length: 1601 }, (_, i) => ({ scope: 'a.B', name: `m${String(i).padStart(4, '0')}`, signature: '', origin: 0, colour: 0 })),
  nodes: [{ frame: -1, parent: -1, self: [0, 0, 0] },
          ...Array.from({ length: 1601 }, (_, i) => ({ frame: i, parent: 0, self: [i === 0 ? 400_000 : 1000, 0, 1] }))],
};
const PRESETS = { 'hide-first': 'hide=class:p0;recursion=collapse' };
const queryOf = query => `${new URLSearchParams([...query].filter(([key]) => /^(hide|focus)$/.test(key)))}`;
/* What a service might have left of it. */
export const halved = { ...tree, nodes: tree.nodes.map(({ self, ...node }) => ({ ...node, self: self.map(one => (one % 2000 === 0 ? one / 2 : one)) })) };
export let server, origin, browser, folder;
export const asked = [];

function answerTo(url) {
  const query = new URL(url, 'http://x').searchParams;
  if (url.startsWith('/filter.svg'))
    return ['image/svg+xml', picture(encode(tree, { options: { filters: queryOf(query) }, header: { presets: PRESETS } }))];
  if (url.startsWith('/some.svg'))
    return ['image/svg+xml', picture(encode(tree, { keep: few, header: { nodes: tree.nodes.length - 1, query: 'value=wall' } }))];
  if (url.startsWith('/some/tree'))
    return ['text/plain', encode(query.has('hide') ? halved : tree, { piece: { node: Number(query.get('node')), skip: Number(query.get('skip')) } })];
  if (url.startsWith('/part/tree'))
    return ['text/plain', encode(tree, { piece: { node: Number(query.get('node')), skip: Number(query.get('skip')) } })];
  const [, kind, isPiece] = /^\/(side|merged)(\/tree)?/.exec(url) ?? [];
  if (kind !== undefined) {
    const of = kind === 'side' ? threads : tree, header = { ...several[kind], nodes: of.nodes.length - 1, query: `track=${kind}` };
    return isPiece ? ['text/plain', encode(of, { piece: { node: Number(query.get('node')), skip: Number(query.get('skip')) } })]
      : ['image/svg+xml', picture(encode(of, { keep: heaviest(of.nodes, 60), header }), { hasChart: false })];
  }
  if (url.startsWith('/deep.svg'))
    return ['image/svg+xml', picture(encode(deep))];
  if (url.startsWith('/fine.svg'))
    return ['image/svg+xml', picture(encode(fine))];
  if (url.startsWith('/gone/tree'))
    return null;
  if (url.startsWith('/hostile.svg'))
    return ['image/svg+xml', picture(encode(hostile, { header: { root: HOSTILE[0] } }), { title: HOSTILE[1], warnings: [HOSTILE[0]] })];
  if (/^\/(part|gone)\.svg/.test(url))
    return ['image/svg+xml', picture(encode(tree, { keep: few, header: { nodes: tree.nodes.length - 1, query: 'value=wall' } }))];
  if (url.startsWith('/frame.html'))
    return ['text/html', '<!doctype html><title>x</title><iframe src="/part.svg" width="900" height="700"></iframe>'];
  if (url.startsWith('/low.html'))
    return ['text/html', '<!doctype html><title>x</title><body style="margin:0"><iframe src="/whole.svg" width="900" height="330" style="border:0"></iframe>'];
  if (url.startsWith('/image.html'))
    return ['text/html', '<!doctype html><title>x</title><img src="/whole.svg" alt="">'];
  if (url.startsWith('/twice.html')) {
    const inline = picture(encode(tree), { inPage: true });
    return ['text/html', `<!doctype html><html lang="en"><title>x</title><style>${STYLE}</style><main><h1>x</h1><div>${inline}</div>
      <div data-flame-controls>${inline}</div></main><script>${SCRIPT}</script></html>`];
  }
  return ['image/svg+xml', picture(encode(tree), { warnings: ['a warning', 'and another one'] })];
}

before(async () => {
  if (skip)
    return;
  folder = mkdtempSync(join(tmpdir(), 'viewer-'));
  server = createServer((request, response) => {
    const made = answerTo(request.url);
    if (request.url !== '/favicon.ico')     /* the browser's own wish */
      asked.push(request.url);
    response.writeHead(made === null ? 404 : 200, { 'Content-Type': `${made?.[0]}; charset=utf-8`, 'Access-Control-Allow-Origin': '*',
                                                    ...(made?.[0] === 'image/svg+xml' ? { 'Content-Security-Policy': POLICY } : {}) });
    response.end(made?.[1] ?? '');
  });
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${server.address().port}`;
  browser = await startBrowser(true);
});

after(async () => {
  await browser?.close();
  server?.close();
  if (folder !== undefined)
    rmSync(folder, { recursive: true });
});

export async function open(path, options) {
  const page = await openPage(browser, { url: origin }, { acceptDownloads: true, ...options });
  await page.goto(origin + path);
  if (path.includes('.svg'))
    await until(page, () => document.documentElement.dataset.state === 'ready');
  return page;
}

export async function close(page) {
  assert.deepEqual(page.complaints, []);
  await page.context().close();
}

export const stateOf = page => page.evaluate(() => document.querySelector('svg.af').flame.state);
export const textOf = (page, name) => page.locator(`.${name}`).first().innerText();

export const filtersOf = async page => (await stateOf(page)).filters;
export const chipsOf = page => page.locator('.chip').allInnerTexts();

/* Clicks a box of what was left out. */
export async function clickStub(page) {
  const place = await page.evaluate(() => {
    const { left, top } = document.querySelector('.shapes').getBoundingClientRect();
    const boxes = Array.from(document.querySelectorAll('.graph .st'), path => path.getAttribute('d')).join('').match(/M\d+ \d+h\d+/g) ?? [];
    return boxes.map(d => /M(\d+) (\d+)h(\d+)/.exec(d).slice(1).map(Number)).map(([x, y, w]) => ({ x: left + (x + w / 2) / 10, y: top + y / 10 + 5 }));
  });
  for (const { x, y } of place.reverse()) {
    await page.evaluate(at => document.querySelector('.graph').dispatchEvent(new MouseEvent('pointermove', { bubbles: true, clientX: at.x, clientY: at.y })), { x, y });
    if (!/not in this file/.test(await page.locator('.tip').textContent()))
      continue;
    await page.evaluate(at => document.querySelector('.graph').dispatchEvent(new MouseEvent('click', { bubbles: true, clientX: at.x, clientY: at.y })), { x, y });
    return;
  }
  assert.fail('nothing was left out');
}

/* Clicks the box in the middle of the n-th row above the root. */
export async function clickRow(page, n, x = 0.5) {
  const box = await page.locator('.graph').boundingBox();
  await page.mouse.click(box.x + box.width * x, box.y + box.height - 8 - 16 * n);
}
