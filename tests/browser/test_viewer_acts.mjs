/* What can be done in a picture: filters, keys, the menu, touch, and how it reads without eyes. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { encode, picture } from '../support/flame_data.mjs';
import { findings, openPage, until } from './support.mjs';
import { asked, browser, chipsOf, clickRow, close, few, filtersOf, folder, halved, open, origin, skip, stateOf, textOf, tree } from './viewer_support.mjs';

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
  assert.equal(await page.locator('.menu dt').count(), await page.evaluate(() => document.documentElement.flame.commands.length));
  assert.deepEqual(await findings(page), []);
  await press('Escape');
  assert.equal(await page.evaluate(() => document.activeElement.classList.contains('graph')), true);
  await page.evaluate(link => document.documentElement.flame.set({ selected: link }, false), selected);
  await press('s');
  await until(page, () => document.documentElement.flame.state.view === 'sandwich');
  await press('Escape');
  await until(page, () => document.documentElement.flame.state.view === 'flame');
  assert.equal((await stateOf(page)).selected, selected, 'where one was before');
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
