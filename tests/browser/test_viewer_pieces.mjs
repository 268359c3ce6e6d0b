/* What was left out of a picture: its script asks for it. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { encode, heaviest, picture, pureHalf, totalsOf } from '../support/flame_data.mjs';
import { openPage, until } from './support.mjs';
import { asked, browser, clickStub, close, few, folder, open, several, skip, stateOf, textOf, threads, tree } from './viewer_support.mjs';

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
