/* The picture with its script, in a browser: as a file, served, inline twice, in a sandbox, as an image. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { encode, picture } from '../support/flame_data.mjs';
import { findings, openPage, until } from './support.mjs';
import { browser, clickRow, close, few, folder, HOSTILE, open, origin, skip, stateOf, textOf, tree } from './viewer_support.mjs';

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
  await until(frame, () => {     /* in its own size, with the root in sight */
    const { width, bottom } = document.querySelector('.graph').getBoundingClientRect();
    return width > 850 && bottom <= 331;
  });
  const first = await shown();
  assert.ok(first.bar >= 0, 'the toolbar is in sight');
  const said = () => frame.evaluate(() => document.querySelector('.tip').textContent);
  for (let times = 0; !(await said()).startsWith('main (1)'); times++) {     /* the frame may not be drawn yet when the pointer comes */
    assert.ok(times < 600, 'waited in vain for the tooltip');
    await page.mouse.move(400 + times % 2, (await shown()).bottom - 8);
    await page.waitForTimeout(50);
  }
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

test('forced colours: letters tell origins', { skip }, async () => {
  const page = await open('/whole.svg', { forcedColors: 'active' });
  const labels = await page.locator('.texts text').allTextContents();
  assert.ok(labels.filter(words => /^[ALXDJNIU]:/.test(words)).length > labels.length / 2, labels.join());
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
