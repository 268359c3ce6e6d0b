/* The picture with its script, in a browser: as a file, served, inline twice, in a sandbox, as an image. The pictures are
 * made here, and served as the service serves them. */
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { encode, heaviest, picture, pureHalf, random, randomTree, SCRIPT, STYLE, totalsOf } from '../support/flame_data.mjs';
import { findings, missing, openPage, startBrowser, until } from './support.mjs';

const skip = missing();
const sha = code => `'sha256-${createHash('sha256').update(code).digest('base64')}'`;
const POLICY = `default-src 'none'; script-src ${sha(SCRIPT)}; style-src ${sha(STYLE)}; connect-src 'self'; base-uri 'none'; ` +
  'form-action \'none\'; sandbox allow-scripts';

const tree = randomTree(random(5), { nodes: 400, frames: 12, depth: 12 });
const few = heaviest(tree.nodes, 60);
const HOSTILE = ['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', ']]>&amp;', 'javascript:alert(1)', '__proto__', 'constructor'];
const hostile = {
  frames: HOSTILE.map((name, i) => ({ scope: i % 2 === 0 ? '' : name, name, signature: `(${name})`, origin: i % 8, colour: 0 }))
    .sort((a, b) => (a.scope + a.name < b.scope + b.name ? -1 : 1)),
  nodes: [{ frame: -1, parent: -1, self: [0, 0, 0] }, ...HOSTILE.map((_, i) => ({ frame: i, parent: 0, self: [(i + 1) * 1e6, 0, 1] }))],
};
/* The same tree twice, below a node for each thread. */
const threads = {
  frames: tree.frames.concat(['main', 'x'].map((name, i) => ({ scope: '', name: `[${name} tid=${i}]`, signature: '', origin: 8, colour: 0 }))),
  nodes: [tree.nodes[0], ...[0, 1].flatMap(t => tree.nodes.map(({ frame, parent, self }, i) =>
    ({ frame: i === 0 ? tree.frames.length + t : frame, parent: i === 0 ? 0 : 1 + t * tree.nodes.length + parent, self: self.map(one => one * (t + 1)) })))],
};
const several = { side: { side_by_side: true }, merged: { merged: true } };
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
const halved = { ...tree, nodes: tree.nodes.map(({ self, ...node }) => ({ ...node, self: self.map(one => (one % 2000 === 0 ? one / 2 : one)) })) };
let server, origin, browser, folder;
const asked = [];

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
    asked.push(request.url);
    response.writeHead(made === null ? 404 : 200, { 'Content-Type': `${made?.[0]}; charset=utf-8`, 'Access-Control-Allow-Origin': '*',
                                                    ...(made?.[0] === 'image/svg+xml' ? { 'Content-Security-Policy': POLICY } : {}) });
    response.end(made?.[1] ?? '');
  });
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${server.address().port}`;
  browser = await startBrowser();
});

after(async () => {
  await browser?.close();
  server?.close();
  if (folder !== undefined)
    rmSync(folder, { recursive: true });
});

async function open(path, options) {
  const page = await openPage(browser, { url: origin }, { acceptDownloads: true, ...options });
  await page.goto(origin + path);
  if (path.includes('.svg'))
    await until(page, () => document.documentElement.dataset.state === 'ready');
  return page;
}

async function close(page) {
  assert.deepEqual(page.complaints, []);
  await page.context().close();
}

const stateOf = page => page.evaluate(() => document.querySelector('svg.af').flame.state);
const textOf = (page, name) => page.locator(`.${name}`).first().innerText();

const filtersOf = async page => (await stateOf(page)).filters;
const chipsOf = page => page.locator('.chip').allInnerTexts();

/* Clicks a box of what was left out. */
async function clickStub(page) {
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
async function clickRow(page, n, x = 0.5) {
  const box = await page.locator('.graph').boundingBox();
  await page.mouse.click(box.x + box.width * x, box.y + box.height - 8 - 16 * n);
}

test('a file: ready, everything drawn, the root in sight, no complaint', { skip }, async () => {
  const path = join(folder, 'a.svg');
  writeFileSync(path, picture(encode(tree)));
  const page = await openPage(browser, { url: 'file://' }, { viewport: { width: 1000, height: 400 } });
  await page.goto(pathToFileURL(path).href);
  await until(page, () => document.documentElement.dataset.state === 'ready');
  assert.match(await textOf(page, 'status'), /^[1-4]\d\d of 400 frames drawn; \d+(\.\d+)? % of the time$/);
  const root = await page.locator('.graph').boundingBox();
  assert.ok(root.y + root.height <= 401 && root.y + root.height > 300, 'the root is in sight');
  for (const name of ['bar', 'title', 'legend.origin', 'status'])
    assert.ok((await page.locator('.' + name).boundingBox()).y >= 0, `so is the ${name}`);
  assert.equal(await page.locator('option', { hasText: /^chart$/ }).count(), 0);
  await page.evaluate(() => document.documentElement.flame.set({ view: 'icicle' }));
  assert.equal((await stateOf(page)).view, 'icicle');
  await close(page);
});

test('a stub of a file says where its frames are', { skip }, async () => {
  const path = join(folder, 'b.svg');
  writeFileSync(path, picture(encode(tree, { keep: few, header: { nodes: 400 } })));
  const page = await openPage(browser, { url: 'file://' });
  await page.goto(pathToFileURL(path).href);
  const link = await page.evaluate(async () => {
    const { flame } = document.documentElement;
    await flame.zoomTo('00000');
    return document.querySelector('.status').textContent;
  });
  assert.match(link, /where this file came from/);
  await close(page);
});

test('click zooms, ancestors stay, the trail and the keys lead back', { skip }, async () => {
  const page = await open('/whole.svg');
  await clickRow(page, 3);
  const zoomed = await stateOf(page);
  assert.equal(zoomed.zoom.length, 15);
  assert.equal(zoomed.selected, zoomed.zoom);
  assert.equal(await page.locator('.crumbs button').count(), 4);
  assert.match(await textOf(page, 'details'), /100 % of zoom[\s\S]*per call[\s\S]*instances? of this method/);
  await page.locator('.crumbs button').nth(1).click();
  assert.equal((await stateOf(page)).zoom, zoomed.zoom.slice(0, 5));
  await page.locator('.graph').focus();
  await page.keyboard.press('Escape');
  assert.equal((await stateOf(page)).zoom, '');
  await page.goBack();
  await until(page, () => document.documentElement.flame.state.zoom.length === 5);
  await page.goBack();
  await until(page, () => document.documentElement.flame.state.zoom.length === 15);
  await page.goForward();
  await until(page, () => document.documentElement.flame.state.zoom.length === 5);
  await close(page);
});

test('arrow keys select parents, children and siblings; Enter zooms', { skip }, async () => {
  const page = await open('/whole.svg');
  await page.locator('.graph').focus();
  await page.keyboard.press('ArrowUp');
  assert.equal((await stateOf(page)).selected, 'root');
  for (const [key, levels] of [['ArrowUp', 1], ['ArrowUp', 2], ['ArrowRight', 2], ['ArrowDown', 1]]) {
    await page.keyboard.press(key);
    assert.equal((await stateOf(page)).selected.length, 5 * levels, key);
  }
  const { selected } = await stateOf(page);
  await page.keyboard.press('Enter');
  assert.equal((await stateOf(page)).zoom, selected);
  await page.keyboard.press('Backspace');
  assert.equal((await stateOf(page)).zoom, '');
  await close(page);
});

test('each choice takes effect, and stands in the link', { skip }, async () => {
  const page = await open('/whole.svg');
  const choices = [['View', 'icicle'], ['View', 'inverted'], ['View', 'sandwich'], ['View', 'flame'], ['Value', 'cpu'], ['Value', 'calls'],
                   ['Order', 'weight'], ['Colours', 'package'], ['Colours', 'self'], ['Colours', 'classic'], ['Names', 'full']];
  for (const [label, word] of choices) {
    const shapes = () => page.evaluate(() => Array.from(document.querySelectorAll('.graph > g:first-child path'), p => p.className.baseVal +
      p.getAttribute('d')).join() + Array.from(document.querySelectorAll('.texts text'), t => t.textContent).join());
    const old = await shapes();
    await page.getByLabel(label, { exact: true }).selectOption(word);
    await until(page, word_ => Object.values(document.documentElement.flame.state).includes(word_), word);
    assert.notEqual(await shapes(), old, `${label} ${word}`);
  }
  assert.match(page.url(), /#value=calls&order=weight&palette=classic&names=full$/);
  const again = await open(new URL(page.url()).pathname + new URL(page.url()).hash);
  await until(again, () => document.documentElement.flame.state.names === 'full');
  assert.deepEqual(await stateOf(again), await stateOf(page));
  await close(again);
  await close(page);
});

test('search: outlines, share, next and previous, case, expressions and their errors', { skip }, async () => {
  const page = await open('/whole.svg');
  await page.keyboard.press('/');
  await page.keyboard.type('class00001');
  await until(page, () => /frames of 2 methods: [\d.]+ % of the time/.test(document.querySelector('.matches').textContent));
  assert.ok((await page.locator('.matched path').getAttribute('d')).length > 20);
  await page.keyboard.press('Enter');
  const first = (await stateOf(page)).selected;
  await page.getByRole('button', { name: 'Next match' }).click();
  const second = (await stateOf(page)).selected;
  assert.ok(first !== '' && second !== '' && first !== second);
  await page.getByRole('button', { name: 'Previous match' }).click();
  assert.equal((await stateOf(page)).selected, first);
  await page.getByLabel('Match case').check();
  await until(page, () => document.querySelector('.matches').textContent.startsWith('0 frames'));
  await page.getByLabel('Search', { exact: true }).fill('/Class0000[12]\\./');
  await until(page, () => document.querySelector('.matches').textContent.includes('of 4 methods'));
  await page.getByLabel('Search', { exact: true }).fill('/(/');
  await until(page, () => document.querySelector('.matches').textContent.includes('Invalid regular expression'));
  await page.getByRole('button', { name: 'Reset zoom' }).click();
  await until(page, () => document.querySelector('.matches').textContent === '');
  await close(page);
});

test('matches are listed and stepped through by weight, without zoom and history', { skip }, async () => {
  const page = await open('/whole.svg');
  await clickRow(page, 1);
  const { zoom } = await stateOf(page), entries = await page.evaluate(() => history.length);
  await page.keyboard.press('/');
  await page.keyboard.type('run');
  await until(page, () => document.querySelectorAll('.list li').length > 2);
  const shares = await page.locator('.list li').evaluateAll(all => all.map(one => parseFloat(/ ([\d.]+) %/.exec(one.textContent)[1])));
  assert.deepEqual(shares, [...shares].sort((a, b) => b - a));
  await page.locator('.graph').focus();
  const totals = [], places = new Set();
  for (let i = 0; i < 12; i++) {
    await page.keyboard.press(i === 0 ? 'N' : 'n');     /* around the end */
    const { selected, zoom: now } = await stateOf(page);
    assert.equal(now, zoom);
    assert.ok(selected.startsWith(zoom));
    places.add(selected);
    totals.push(parseFloat(/, ([\d.]+) % of zoom|100 % of zoom/.exec(await textOf(page, 'details'))?.[1] ?? 100));
    assert.notEqual(await page.locator('.chosen').getAttribute('d'), '', 'what is too narrow has the outline of what it stands in');
  }
  assert.equal(places.size, 12);
  assert.equal(totals[1], 100, 'the heaviest one is what is zoomed into');
  assert.deepEqual(totals.slice(1), [...totals.slice(1)].sort((a, b) => b - a));
  assert.equal(await page.evaluate(() => history.length), entries);
  await page.locator('.found-methods summary').click();
  const second = page.locator('.list button').nth(1), name = await second.innerText();
  await second.click();
  assert.ok((await textOf(page, 'details')).startsWith(name.replace(/\(.*/, '')), name);
  assert.equal((await stateOf(page)).zoom, zoom);
  assert.deepEqual(await findings(page), []);
  await close(page);
});

test('zoom: the frame stands where its callees are seen, its callers in one line', { skip }, async () => {
  const page = await open('/deep.svg', { viewport: { width: 900, height: 500 } });
  for (const view of ['flame', 'icicle']) {
    await page.evaluate(async wanted => {
      const { flame } = document.documentElement;
      await flame.reset();
      await flame.set({ view: wanted });
      const { zoom } = await flame.zoomTo('').then(() => flame.state);
      return zoom;
    }, view);
    const link = await page.evaluate(async () => {
      const { flame } = document.documentElement;
      document.querySelector('.graph').focus();
      for (let i = 0; i < 100; i++)
        document.querySelector('.graph').dispatchEvent(new KeyboardEvent('keydown', { key: flame.state.view === 'flame' ? 'ArrowUp' : 'ArrowDown', bubbles: true }));
      await flame.zoomTo(flame.state.selected);
      return flame.state.zoom;
    });
    assert.ok(link.length > 400);
    const { chosen, bar, high, trail } = await page.evaluate(() => ({ chosen: document.querySelector('.chosen').getBoundingClientRect().toJSON(), high: innerHeight,
      bar: document.querySelector('.bar').getBoundingClientRect().bottom, trail: document.querySelector('.crumbs').getBoundingClientRect().height }));
    assert.ok(trail < 40, `${trail} px of trail`);
    assert.ok(view === 'flame' ? chosen.bottom > high - 40 && chosen.bottom <= high : chosen.top >= bar - 4 && chosen.top < bar + 30, `${view}: ${chosen.top} to ${chosen.bottom}, ${bar}`);
  }
  await close(page);
});

test('callers and callees of what is selected', { skip }, async () => {
  const page = await open('/whole.svg');
  await clickRow(page, 2);
  await page.getByRole('button', { name: 'Callers and callees' }).click();
  await until(page, () => document.documentElement.flame.state.view === 'sandwich');
  assert.match(page.url(), /view=sandwich&method=com\.example/);
  assert.match(await textOf(page, 'status'), /^Callers \(above\) and callees \(below\) of com\.example\.[\w.]+\(.*\): .* of the time\), self .*, [\d,]+ calls?\. /);
  assert.match(await textOf(page, 'crumbs'), /run/);
  await close(page);
});

test('in a window that is too low for the toolbar, what is selected is in sight', { skip }, async () => {
  const page = await open('/deep.svg', { viewport: { width: 320, height: 256 } });
  await page.locator('.graph').focus();
  for (let i = 0; i < 40; i++) {
    await page.keyboard.press('ArrowUp');
    const { top, bottom } = await page.evaluate(() => document.querySelector('.chosen').getBoundingClientRect().toJSON());
    assert.ok(top >= -2 && bottom <= 258, `${i}: ${top} to ${bottom}`);
  }
  await close(page);
});

test('forced colours: each frame has a border of its own', { skip }, async () => {
  const page = await open('/deep.svg', { forcedColors: 'active', viewport: { width: 400, height: 600 } });
  const graph = await page.locator('.graph').boundingBox(), at = { x: graph.x + 200, y: graph.y + graph.height - 80, width: 1, height: 64 };
  const shot = (await page.screenshot({ clip: at })).toString('base64'), blank = await browser.newPage();
  const borders = await blank.evaluate(async base64 => {
    const image = new Image();
    image.src = `data:image/png;base64,${base64}`;
    await image.decode();
    const pen = Object.assign(document.createElement('canvas'), { width: 1, height: 64 }).getContext('2d');
    pen.drawImage(image, 0, 0);
    const { data } = pen.getImageData(0, 0, 1, 64), [red] = [...data].filter((_, i) => i % 4 === 0).sort((a, b) => b - a);
    return Array.from({ length: 64 }, (_, y) => Math.abs(data[4 * y] - red) > 100).filter(isDark => isDark).length;
  }, shot);
  await blank.close();
  assert.ok(borders >= 4 && borders <= 24, `${borders} of 64 pixels are of borders`);
  await close(page);
});

test('on a finer screen narrower frames are drawn', { skip }, async () => {
  const drawn = [];
  for (const deviceScaleFactor of [1, 2]) {
    const page = await open('/fine.svg', { deviceScaleFactor, viewport: { width: 1020, height: 600 } });
    drawn.push(Number(/^([\d,]+) of/.exec(await textOf(page, 'status'))[1].replace(',', '')));
    await close(page);
  }
  assert.deepEqual(drawn, [1, 1601]);
});

test('out of the callers of a method, and on by keys', { skip }, async () => {
  const page = await open('/whole.svg');
  await page.evaluate(() => document.documentElement.flame.set({ view: 'sandwich' }));
  await page.locator('.graph').focus();
  for (const key of ['ArrowUp', 'ArrowUp', 'Enter'])
    await page.keyboard.press(key);
  assert.match((await stateOf(page)).zoom, /^\../);
  await page.keyboard.press('Escape');
  assert.equal((await stateOf(page)).zoom, '');
  await page.keyboard.press('Escape');
  for (const key of ['ArrowUp', 'ArrowDown', 'ArrowUp', 'ArrowUp'])
    await page.keyboard.press(key);
  assert.match((await stateOf(page)).selected, /^\..{5}$/);
  await page.evaluate(() => document.documentElement.flame.set({ zoom: '.xxxxx', selected: '' }));
  await page.keyboard.press('ArrowDown');
  await close(page);
});

test('names wherever there is picture: on paper, and in a window that has grown', { skip }, async () => {
  const page = await open('/deep.svg', { viewport: { width: 900, height: 400 } });
  const names = () => page.locator('.texts > text').count();
  await page.evaluate(() => document.documentElement.flame.set({ view: 'icicle' }));
  const low = await names();
  await page.setViewportSize({ width: 900, height: 1400 });
  await until(page, n => document.querySelectorAll('.texts > text').length > n, low + 40);
  const high = await names();
  assert.ok(high < 150, `${high} names`);
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  assert.equal(await names(), 201);
  await page.evaluate(() => dispatchEvent(new Event('afterprint')));
  assert.ok(await names() < 150, 'those near the window again');
  await close(page);
});

test('a tooltip follows the pointer, within the window', { skip }, async () => {
  const page = await open('/whole.svg', { viewport: { width: 500, height: 600 } });
  const graph = await page.locator('.graph').boundingBox();
  for (const x of [5, 250, 495]) {
    await page.mouse.move(x < 10 ? 12 : x > 490 ? 488 : x, graph.y + graph.height - 20);
    await until(page, () => document.querySelector('.tip').childElementCount >= 3);
    const tip = await page.locator('.tip').boundingBox();
    assert.ok(tip.x >= 0 && tip.x + tip.width <= 501 && tip.y + tip.height <= 601, JSON.stringify(tip));
  }
  await page.mouse.move(250, 5);
  assert.equal(await page.locator('.tip > *').count(), 0);
  await close(page);
});

test('what was left out is fetched under the sandbox: by a click, and for a link', { skip }, async () => {
  const page = await open('/frame.html');
  const [frame] = page.frames().slice(1);
  await until(frame, () => document.documentElement.dataset.state === 'ready').catch(() => null);
  assert.equal(await frame.evaluate(() => self.origin), 'null');
  assert.match(await frame.locator('.status').innerText(), /of 400 frames/);
  const stub = await frame.evaluate(() => {
    const d = document.querySelector('.graph .st').getAttribute('d'), [, x, y] = /M(\d+) (\d+)h/.exec(d);
    const { left, top } = document.querySelector('.shapes').getBoundingClientRect();
    document.querySelector('.graph').dispatchEvent(new MouseEvent('click', { bubbles: true, clientX: Math.ceil(Number(x) / 10 + left) + 1, clientY: Number(y) / 10 + top + 4 }));
    return d;
  });
  await until(frame, old => document.querySelector('.graph .st')?.getAttribute('d') !== old, stub);
  assert.ok(asked.some(url => /^\/part\/tree\?node=\d+&skip=\d+&value=wall$/.test(url)), asked.join());
  await close(page);
});

test('what was left out can be asked for in a file, and while something else is done', { skip }, async () => {
  const path = join(folder, 'c.svg');
  writeFileSync(path, picture(encode(tree, { keep: few, header: { nodes: 400 } })));
  const file = await openPage(browser, { url: 'file://' });
  await file.goto(pathToFileURL(path).href);
  await until(file, () => document.documentElement.dataset.state === 'ready');
  await file.locator('.graph').focus();
  await file.keyboard.press('ArrowUp');
  await file.keyboard.press('ArrowUp');
  await clickStub(file);
  await until(file, () => /where this file came from/.test(document.querySelector('.status').textContent));
  assert.match(await file.locator('.chosen').getAttribute('d'), /^M/, 'what was selected is still outlined');
  await file.keyboard.press('ArrowUp');
  assert.equal((await stateOf(file)).selected.length, 10);
  await close(file);

  const page = await open('/part.svg');
  let answer = null;
  await page.route(/\/part\/tree/, route => { answer = () => route.continue(); });
  const before = await textOf(page, 'status');
  await clickStub(page);
  while (answer === null)
    await page.waitForTimeout(20);
  await page.evaluate(() => document.documentElement.flame.search('run'));
  answer();
  await until(page, old => document.querySelector('.status').textContent !== old, before);
  assert.equal((await stateOf(page)).search, 'run');
  await close(page);
});

test('what was asked for last is what comes, whichever answer is first', { skip }, async () => {
  const whole = await open('/whole.svg');
  const far = await whole.evaluate(() => {
    const { flame } = document.documentElement;
    return flame.set({ search: 'class' }).then(() => { for (let i = 0; i < 300; i++) flame.next(); return flame.state.selected; });
  });
  await close(whole);
  const page = await open('/part.svg'), waiting = [];
  await page.route(/\/part\/tree/, route => { waiting.push(route); });
  await clickStub(page);
  while (waiting.length < 1)
    await page.waitForTimeout(20);
  const [first] = waiting;
  const last = page.evaluate(link => document.documentElement.flame.set({ zoom: link }).then(() => document.documentElement.flame.state.zoom), far);
  while (waiting.length < 2)
    await page.waitForTimeout(20);
  await first.continue();
  await page.waitForTimeout(300);
  await page.unroute(/\/part\/tree/);
  for (const route of waiting.slice(1))
    await route.continue();
  assert.equal(await last, far);
  await close(page);
});

test('bottom-up, what was left out is called that, and can be fetched', { skip }, async () => {
  const page = await open('/part.svg');
  await page.evaluate(() => document.documentElement.flame.set({ view: 'inverted' }));
  const before = await textOf(page, 'status');
  await clickStub(page);
  await until(page, old => document.querySelector('.status').textContent !== old, before);
  await page.evaluate(() => document.documentElement.flame.set({ zoom: 'xxxxx' }));
  assert.equal((await stateOf(page)).zoom, '', 'a link that leads nowhere');
  await close(page);
});

/* A document without an origin is as high as its frame, whatever height it asks for. */
test('in a frame that is lower than the picture, it scrolls, and the pointer meets what it shows', { skip }, async () => {
  const page = await open('/low.html'), [frame] = page.frames().slice(1), levelPx = 16;
  await until(frame, () => document.documentElement.dataset.state === 'ready');
  const height = await frame.evaluate(() => Number(document.documentElement.getAttribute('height')));
  assert.ok(height > 330 + levelPx, `${height} px of picture`);
  const shown = () => frame.evaluate(() => {
    const { top, width, bottom } = document.querySelector('.graph').getBoundingClientRect();
    return { top, width, bottom, bar: document.querySelector('.bar').getBoundingClientRect().top };
  });
  const first = await shown();
  assert.ok(first.width > 850 && first.bottom <= 331, 'in its own size, with the root in sight');
  assert.ok(first.bar >= 0, 'the toolbar is in sight');
  await page.mouse.move(400, first.bottom - 8);
  await until(frame, () => document.querySelector('.tip').textContent.startsWith('main (1)'));
  const tip = await frame.evaluate(() => document.querySelector('.tip').getBoundingClientRect().toJSON());
  assert.ok(tip.top >= 0 && tip.bottom <= 330, `the tooltip is in the frame: ${tip.top} to ${tip.bottom}`);
  await page.mouse.wheel(0, -40);
  await until(frame, bottom => document.querySelector('.graph').getBoundingClientRect().bottom > bottom + 30, first.bottom);
  await page.mouse.wheel(0, 10000);
  await until(frame, bottom => Math.abs(document.querySelector('.graph').getBoundingClientRect().bottom - bottom) < 1, first.bottom);
  await page.mouse.click(30, first.bottom - 8 - levelPx);
  await until(frame, () => document.documentElement.flame.state.zoom.length === 5);
  await page.locator('iframe').evaluate(element => { element.height = 200; });
  await until(frame, () => document.documentElement.getAttribute('viewBox').endsWith(' 200'));
  await close(page);
});

test('a link leads through what was left out; what cannot be had is said', { skip }, async () => {
  const whole = await open('/whole.svg');
  const link = await whole.evaluate(() => {
    const { flame } = document.documentElement;
    document.querySelector('.graph').focus();
    return flame.set({ search: 'class' }).then(() => { for (let i = 0; i < 300; i++) flame.next(); return flame.state.selected; });
  });
  await close(whole);
  const part = await open(`/part.svg#zoom=${link}`);
  await until(part, wanted => document.documentElement.flame.state.zoom === wanted, link);
  await close(part);
  const gone = await open(`/gone.svg#zoom=${link}`);
  await until(gone, () => /could not be fetched: 404/.test(document.querySelector('.status').textContent));
  await close(gone);
});

test('of several pieces, those that came are kept when another does not', { skip }, async () => {
  const whole = await open('/whole.svg');
  const links = await whole.evaluate(() => {
    const { flame } = document.documentElement, found = [];
    return flame.set({ search: 'class' }).then(() => { for (let i = 0; i < 300; i++) { flame.next(); found.push(flame.state.selected); } return found; });
  });
  await close(whole);
  const zoom = links.at(-1), selected = links.find(link => link.slice(0, 5) !== zoom.slice(0, 5) && link.length > 40);
  const page = await open('/part.svg'), urls = [];
  await page.route(/\/part\/tree/, route =>
    (urls.push(route.request().url()) === 2 ? route.fulfill({ status: 503 }) : route.continue()));
  const go = () => page.evaluate(wanted => document.documentElement.flame.set(wanted), { zoom, selected });
  await go();
  assert.equal(urls.length, 2);
  assert.match(await textOf(page, 'status'), /could not be fetched: 503/);
  await go();
  assert.equal((await stateOf(page)).zoom, zoom);
  assert.equal(new Set(urls).size, urls.length - 1, 'only what did not come is asked for again');
  await close(page);
});

test('filters: added, reordered, taken out, in the link, and back', { skip }, async () => {
  const page = await open('/filter.svg'), hash = () => new URL(page.url()).hash;
  await page.getByLabel('What to filter').fill('p1');
  await page.getByLabel('What to filter').press('Enter');
  await until(page, () => location.hash === '#hide=p1');
  const whole = await page.evaluate(() => document.querySelectorAll('.shapes path').length);
  await page.getByLabel('Filter', { exact: true }).selectOption('preset=hide-first');
  await page.getByLabel('Filter', { exact: true }).selectOption('recursion=collapse-all');
  await page.getByLabel('Filter', { exact: true }).selectOption('focus');
  await page.getByLabel('What to filter').fill('/p2/');
  await page.getByLabel('What to filter').press('Enter');
  await until(page, () => location.hash.endsWith('focus=%2Fp2%2F'));
  assert.equal(hash(), '#hide=p1&preset=hide-first&recursion=collapse-all&focus=%2Fp2%2F');
  assert.deepEqual((await chipsOf(page)).map(words => words.split('\n')[0].replace(/[◀×].*/, '').trim()), ['hide p1', 'preset hide-first', 'recursion collapse-all', 'focus /p2/']);
  assert.match(await textOf(page, 'chips'), /% of .* left/);
  assert.deepEqual(await findings(page), []);
  await page.getByRole('button', { name: 'Earlier: focus /p2/' }).click();
  await until(page, () => location.hash.endsWith('collapse-all'));
  await page.getByRole('button', { name: 'Take out preset hide-first' }).click();
  await until(page, () => location.hash === '#hide=p1&focus=%2Fp2%2F&recursion=collapse-all');
  await page.goBack();
  await until(page, () => location.hash.includes('preset'));
  await until(page, () => document.querySelectorAll('.chip').length === 4);
  await page.goto(`${origin}/filter.svg#hide=class:p1&ignore=nothing`);
  await until(page, () => document.querySelectorAll('.chip').length === 2);
  assert.ok(whole > 0);
  assert.equal(await filtersOf(page), 'hide=class%3Ap1&ignore=nothing');
  await page.evaluate(() => document.documentElement.flame.filter('hide', '/(/'));
  assert.match(await textOf(page, 'status'), /Not used: hide=\/\(\/: a \( has no \)/);
  await page.evaluate(() => document.documentElement.flame.filter('focus', 'nowhere to be found'));
  await until(page, () => document.querySelectorAll('.chip').length === 3);
  assert.match(await textOf(page, 'status'), /the filters leave nothing: take out focus nowhere to be found/);
  await page.evaluate(() => document.documentElement.flame.undoFilter());
  await until(page, () => document.querySelectorAll('.chip').length === 2);
  assert.match(await textOf(page, 'status'), /frames drawn/);
  await close(page);
});

test('filters: of what is selected; the selection stays where it can', { skip }, async () => {
  const page = await open('/filter.svg');
  await clickRow(page, 3);
  const { selected } = await stateOf(page), name = (await textOf(page, 'details')).split(' ')[0];
  await page.keyboard.press('f');
  await until(page, () => location.hash.includes('focus='));
  assert.equal(await filtersOf(page), `${new URLSearchParams([['focus', `/^${name.replaceAll('.', '\\.')}$/`]])}`);
  assert.equal((await stateOf(page)).selected, selected);
  assert.deepEqual(await page.evaluate(() => document.documentElement.flame.filters.map(({ words, isGiven }) => [words, isGiven])), [[`focus ${name}`, false]]);
  await page.keyboard.press('X');
  await until(page, () => location.hash.includes('hide=package'));
  assert.equal(await page.evaluate(pack => document.documentElement.flame.filters[1].words.includes(pack), name.split('.').slice(0, 3).join('.')), true);
  assert.ok((await stateOf(page)).selected.length < selected.length);
  await close(page);
});

test('filters: those of the service come first, and leaving one out asks for another picture', { skip }, async () => {
  const page = await open('/filter.svg?width=900&hide=p1');
  assert.equal(await filtersOf(page), 'hide=p1');
  await page.evaluate(() => document.documentElement.flame.filter('focus', 'p2'));
  await until(page, () => location.hash === '#focus=p2');
  await page.evaluate(() => document.documentElement.flame.moveFilter(1));
  await page.waitForURL(url => url.search === '?width=900&focus=p2&hide=p1' && !url.hash.includes('focus'));
  await until(page, () => document.documentElement.dataset.state === 'ready');
  assert.equal(await filtersOf(page), 'focus=p2&hide=p1');
  await page.evaluate(() => document.documentElement.flame.unfilter(0));
  await page.waitForURL(url => url.search === '?width=900&hide=p1');
  await close(page);
});

test('filters: where frames were left out the service filters', { skip }, async () => {
  const page = await open('/some.svg');
  asked.length = 0;
  await page.evaluate(() => document.documentElement.flame.filter('hide', 'x y'));
  await until(page, () => location.hash === '#hide=x+y');
  assert.deepEqual(asked, ['/some/tree?node=0&skip=0&value=wall&hide=x+y']);
  const total = halved.nodes.reduce((sum, { self }) => sum + self[0], 0), before = tree.nodes.reduce((sum, { self }) => sum + self[0], 0);
  const share = 100 * total / before;
  assert.ok((await textOf(page, 'chips')).includes(`${share.toFixed(1)} %`), `${share} % in ${await textOf(page, 'chips')}`);
  await page.evaluate(() => document.documentElement.flame.undoFilter());
  await until(page, () => document.querySelectorAll('.chip').length === 0);
  await page.evaluate(() => document.documentElement.flame.filter('hide', 'x y'));
  assert.equal(asked.length, 1, 'it is kept');
  await close(page);

  const file = join(folder, 'some.svg'), alone = await openPage(browser, { url: 'file://' });
  writeFileSync(file, picture(encode(tree, { keep: few, header: { nodes: tree.nodes.length - 1 } })));
  await alone.goto(`${pathToFileURL(file)}#hide=p1`);
  await until(alone, () => document.querySelectorAll('.chip').length === 1);
  assert.match(await textOf(alone, 'chips'), /what is not in this file was not filtered/);
  await alone.evaluate(() => document.documentElement.flame.filter('hide', 'file:Main.java'));
  assert.match(await textOf(alone, 'status'), /not in this file/);
  assert.equal(await alone.locator('.chip').count(), 1);
});

test('keys: values, order, filters of what is selected, copies, help', { skip }, async () => {
  const page = await open('/filter.svg', { permissions: ['clipboard-read', 'clipboard-write'] }), press = key => page.keyboard.press(key);
  await page.locator('.graph').focus();
  for (const key of ['v', 'o', 'v', 'v', 'v', 'o'])
    await press(key);
  const { value, order } = await stateOf(page);
  assert.deepEqual([value, order], ['wall', 'name'], 'all of them, and around');
  await press('f');
  assert.match(await textOf(page, 'status'), /Select a frame first/);
  for (let i = 0; i < 3; i++)
    await press('ArrowUp');
  const { selected } = await stateOf(page), name = (await textOf(page, 'details')).split(' ')[0];
  for (const [key, step] of [['f', 'focus'], ['x', 'ignore'], ['h', 'hide']]) {
    await press(key);
    await until(page, wanted => document.documentElement.flame.filters[0]?.key === wanted, step);
    assert.deepEqual(await page.evaluate(() => document.documentElement.flame.filters.map(one => one.words)), [`${step} ${name}`]);
    await press('u');
    await until(page, () => document.documentElement.flame.filters.length === 0);
    await page.evaluate(link => document.documentElement.flame.set({ selected: link }, false), selected);
  }
  await press('C');
  await until(page, () => /Copied|stack/.test(document.querySelector('.status').textContent + document.querySelector('.menu').textContent) ||
    document.querySelector('.menu textarea') !== null);
  const stack = await page.evaluate(() => document.querySelector('.menu textarea')?.value ?? navigator.clipboard.readText());
  assert.equal(stack.split('\n').length, 2);
  assert.ok(stack.split('\n')[1].startsWith(name), stack);
  await press('Escape');
  assert.equal(await page.locator('.menu').textContent(), '');
  await page.locator('.graph').focus();
  await press('?');
  assert.equal(await page.locator('.menu tr').count(), await page.evaluate(() => document.documentElement.flame.commands.length));
  assert.deepEqual(await findings(page), []);
  await press('Escape');
  assert.equal(await page.evaluate(() => document.activeElement.classList.contains('graph')), true);
  await page.evaluate(link => document.documentElement.flame.set({ selected: link }, false), selected);
  await press('s');
  await until(page, () => document.documentElement.flame.state.view === 'sandwich');
  await close(page);
});

test('the menu: by right click, its keys, and what it does', { skip }, async () => {
  const page = await open('/filter.svg'), box = await page.locator('.graph').boundingBox(), items = page.getByRole('menuitem');
  await page.mouse.click(box.x + box.width / 2, box.y + box.height - 8 - 16 * 2, { button: 'right' });
  const { selected, zoom } = await stateOf(page);
  assert.equal(selected.length, 10);
  assert.equal(zoom, '');
  assert.equal(await items.count(), 9);
  const place = await page.locator('.menu').boundingBox();
  assert.ok(place.x >= 0 && place.y >= 0 && place.x + place.width <= 1280 && place.y + place.height <= 800);
  for (const one of await items.all())
    assert.ok((await one.boundingBox()).height >= 24);
  assert.deepEqual(await findings(page), []);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  assert.match(await page.evaluate(() => document.activeElement.textContent), /^focus/);
  await page.keyboard.press('Enter');
  await until(page, () => document.documentElement.flame.filters[0]?.key === 'focus');
  assert.equal(await items.count(), 0);
  await page.locator('.graph').focus();
  await page.keyboard.press('m');
  assert.ok(await items.count() > 0);
  await page.mouse.click(5, 5);
  await until(page, () => document.querySelector('.menu').childElementCount === 0);
  await close(page);
});

test('touch: a tap selects, a second one zooms, a long one opens the menu; frames are 24 pixels high', { skip }, async () => {
  const page = await open('/whole.svg', { hasTouch: true, isMobile: true, viewport: { width: 800, height: 900 } });
  const box = await page.locator('.graph').boundingBox(), at = { x: box.x + box.width / 2, y: box.y + box.height - 12 - 24 };
  await page.touchscreen.tap(at.x, at.y);
  await until(page, () => document.documentElement.flame.state.selected !== '');
  const { selected, zoom } = await stateOf(page);
  assert.equal(selected.length, 5, 'the second row is 24 pixels above the first');
  assert.equal(zoom, '');
  await page.touchscreen.tap(at.x, at.y);
  await until(page, () => document.documentElement.flame.state.zoom.length === 5);
  const now = await page.locator('.graph').boundingBox();
  const touch = type => page.evaluate(([kind, { x, y }]) => document.querySelector('.graph').dispatchEvent(
    new PointerEvent(kind, { bubbles: true, pointerType: 'touch', clientX: x, clientY: y })), [type, { x: at.x, y: now.y + now.height - 12 }]);
  await touch('pointerdown');
  await until(page, () => document.querySelectorAll('.menu button').length > 0);
  await touch('pointerup');
  for (const one of await page.locator('.tools :is(button, select, label, input[type=search]):visible').all())
    assert.ok((await one.boundingBox()).height >= 24, await one.evaluate(e => e.outerHTML));
  await close(page);
});

test('the graph is a tree of what is around the selected frame', { skip }, async () => {
  const page = await open('/whole.svg');
  await page.locator('.graph').focus();
  const tree = page.getByRole('tree');
  assert.equal(await tree.count(), 1);
  for (let i = 0; i < 3; i++)
    await page.keyboard.press('ArrowUp');
  const current = await page.evaluate(() => {
    const e = document.getElementById(document.querySelector('.graph').getAttribute('aria-activedescendant'));
    return ['role', 'aria-level', 'aria-selected', 'aria-label'].map(name => e.getAttribute(name));
  });
  assert.deepEqual(current.slice(0, 3), ['treeitem', '3', 'true']);
  assert.match(current[3], /^com\.example\.\S+ \(.*\), [\d.]+ % of the time, [\d.]+ .?s, self .*, [\d,]+ calls?$/);
  assert.ok(await page.getByRole('treeitem').count() >= 3);
  assert.equal(await page.locator('.graph [tabindex], .graph :focus').count(), 0, 'one stop for all');
  assert.deepEqual(await findings(page), []);
  await close(page);
});

test('forced colours: letters tell origins', { skip }, async () => {
  const page = await open('/whole.svg', { forcedColors: 'active' });
  const labels = await page.locator('.texts text').allTextContents();
  assert.ok(labels.filter(words => /^[ATXDJNIU]:/.test(words)).length > labels.length / 2, labels.join());
  await close(page);
});

test('printed, the picture is on one page', { skip }, async () => {
  const page = await open('/deep.svg');
  const pdf = (await page.pdf({ format: 'A4' })).toString('latin1');
  assert.equal(pdf.match(/\/Type\s*\/Page\b(?!s)/g).length, 1);
  await close(page);
});

test('inline twice: own keys in the link, own controls of the page', { skip }, async () => {
  const page = await open('/twice.html');
  await until(page, () => document.querySelectorAll('svg.af[data-state=ready]').length === 2);
  assert.equal(await page.locator('[data-flame-controls] select').count(), 0);
  assert.equal(await page.locator('select').count(), 6);
  await page.evaluate(() => {
    const [one, two] = document.querySelectorAll('svg.af');
    one.flame.set({ view: 'icicle' });
    two.flame.set({ value: 'cpu', search: 'run' });
  });
  await until(page, () => location.hash.includes('2.value=cpu'));
  assert.match(page.url(), /#view=icicle&2\.value=cpu&2\.search=run$/);
  await page.setViewportSize({ width: 700, height: 800 });
  await until(page, () => document.querySelector('svg.af').viewBox.baseVal.width < 700);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
  assert.deepEqual(await findings(page), []);
  await close(page);
});

test('as an image it is the static one', { skip }, async () => {
  const page = await open('/image.html');
  await until(page, () => document.images[0].complete);
  assert.equal(await page.evaluate(() => document.images[0].naturalWidth), 1200);
  await close(page);
});

test('hostile names are inert in every view', { skip }, async () => {
  const page = await open('/hostile.svg');
  for (const view of ['flame', 'icicle', 'inverted', 'sandwich'])
    for (const palette of ['origin', 'package', 'self', 'classic']) {
      await page.evaluate(state => document.documentElement.flame.set(state), { view, palette, search: '<' });
      await clickRow(page, 1);
      assert.equal(await page.locator('img, script').count(), 0, 'its own script is gone as well');
    }
  assert.equal(await textOf(page, 'title'), HOSTILE[0] + ' · wall time · 21 ms · 1 warning');
  assert.equal(await textOf(page, 'head'), HOSTILE[0]);
  await close(page);
});

test('events and the API', { skip }, async () => {
  const page = await open('/whole.svg');
  const told = await page.evaluate(async () => {
    const made = [], root = document.documentElement;
    for (const name of ['flame-drawn', 'flame-state'])
      document.addEventListener(name, event => made.push([name, event.detail]));
    await root.flame.search('RUN', { matchCase: true });
    await root.flame.search('run');
    root.flame.next();
    await root.flame.reset();
    return made;
  });
  const [drawn] = told.find(([name]) => name === 'flame-drawn').slice(1);
  assert.ok(drawn.drawn > 50 && drawn.total === 400 && drawn.ms >= 0);
  assert.ok(told.filter(([name]) => name === 'flame-state').length >= 4);
  assert.equal((await stateOf(page)).search, '');
  assert.ok(await page.evaluate(() => document.querySelectorAll('*').length) < 2500);
  await close(page);
});

for (const [kind, { side_by_side: isSide }] of Object.entries(several))
  test(`several threads, ${kind}: shares of the right whole, in every view, and what was left out is fetched`, { skip }, async () => {
    const page = await open(`/${kind}.svg`), of = isSide ? threads : tree, flame = pureHalf(), totals = totalsOf(of.nodes).map(([wall]) => wall);
    const { frames } = new flame.Data(encode(of)), pathOf = i => (i === 0 ? [] : [...pathOf(of.nodes[i].parent), i]);
    const linkOf = i => pathOf(i).map(one => flame.keyOf(frames[of.nodes[one].frame + 1])).join('');
    const kept = heaviest(of.nodes, 60);
    const drawn = of.nodes.findIndex((_, i) => kept[i] && pathOf(i).length === 3);
    const far = of.nodes.findIndex((_, i) => !kept[i] && pathOf(i).length > 5 && totals[i] > 0);
    assert.match(await textOf(page, 'status'), new RegExp(`^[\\d,]+ of ${of.nodes.length - 1} frames drawn; `));
    for (const i of [drawn, far]) {
      await page.evaluate(link => document.documentElement.flame.set({ zoom: link, selected: link }), linkOf(i));
      assert.equal((await stateOf(page)).zoom, linkOf(i));
      const share = `${flame.percentWords(totals[i], totals[0])} of all, 100 % of zoom`;
      assert.ok((await textOf(page, 'details')).includes(share), `${await textOf(page, 'details')}: ${share}`);
      assert.match(await textOf(page, 'details'), /instances? of this method: [^\n]*, in the [\d,]+ of [\d,]+ frames loaded/);
    }
    assert.ok(asked.some(url => url.startsWith(`/${kind}/tree?`) && url.endsWith(`&track=${kind}`)));
    await page.evaluate(() => document.documentElement.flame.search('class'));
    assert.match(await page.locator('.matches').textContent(), /^\d[^:]*: .* of the time, in the [\d,]+ of [\d,]+ frames loaded$/);
    for (const view of ['inverted', 'sandwich', 'icicle']) {
      await page.evaluate(wanted => document.documentElement.flame.set({ view: wanted }), view);
      assert.match(await textOf(page, 'status'), view === 'icicle' ? / of \d+ frames drawn/ : /in the [\d,]+ of [\d,]+ frames loaded/);
      assert.ok((await page.locator('.shapes path').count()) > 3, view);
    }
    await close(page);
  });

test('on paper the picture stands right below its heading', { skip }, async () => {
  const page = await open('/whole.svg', { viewport: { width: 900, height: 600 } });
  const gap = () => page.evaluate(() => document.querySelector('.shapes').getBoundingClientRect().top - document.querySelector('.legend.origin').getBoundingClientRect().bottom);
  const before = await gap();
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  assert.ok(await gap() < 60, `${await gap()} px`);
  assert.equal(await page.locator('.tools').isVisible(), false);
  assert.equal(await page.locator('.status').isVisible(), true);
  await page.evaluate(() => dispatchEvent(new Event('afterprint')));
  assert.equal(await gap(), before);
  assert.equal(await page.locator('.tools').isVisible(), true);
  await close(page);
});

test('a chart is offered of one thread, where it can be had', { skip }, async () => {
  for (const [path, n] of [['/whole.svg', 1], ['/side.svg', 0], ['/merged.svg', 0]]) {
    const page = await open(path);
    assert.equal(await page.locator('option', { hasText: /^chart$/ }).count(), n, path);
    await close(page);
  }
});

test('with its controls it is no image', { skip }, async () => {
  const page = await open('/whole.svg');
  assert.equal(await page.evaluate(() => document.documentElement.getAttribute('role')), 'group');
  assert.ok(await page.getByRole('toolbar', { name: 'Flame graph' }).isVisible());
  await page.getByLabel('View').selectOption('chart');
  await page.waitForURL(/\?view=chart$/);
  await close(page);
});
