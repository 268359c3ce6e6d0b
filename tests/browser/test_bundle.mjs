/* The page that is one file, opened from the disk after the service has ended: it asks nobody. */
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { looksWell, missing, openPage, startBrowser, startService, traceOf, until, upload } from './support.mjs';

const skip = missing(), folder = mkdtempSync(join(tmpdir(), 'aflamed-bundle-'));
const THREADS = [{ id: 1, name: 'main', us: 9000 }, { id: 7, name: 'worker <b>', us: 4000 }, { id: 9, name: 'RenderThread', us: 900 }];
const METHODS = ['android/os/Looper.loop', 'com/example/app/MainActivity.onCreate', 'kotlin/sequences/Sequence.map', 'java/util/HashMap.get'];
const MAIN_ONLY = 3;     /* the last of them */

/* Each thread goes down its methods and up again. */
function records() {
    return THREADS.flatMap(({ id, us }) => {
        const methods = [0, 1, 2, ...id === 1 ? [MAIN_ONLY] : []], steps = [...methods.map(m => 4 * m), ...methods.toReversed().map(m => 4 * m + 1)];
        return steps.map((step, i) => [id, step, i * us, 2 * i * us]);
    });
}
let browser;
const at = pathToFileURL(join(folder, 'saved.html')).href;

before(async () => {
    if (skip)
        return;
    const service = await startService();
    const { id } = await upload(service, traceOf(THREADS, METHODS, records()), 'start <i>.trace');
    const answer = await fetch(`${service.url}/p/${id}/bundle.html`);
    writeFileSync(join(folder, 'saved.html'), Buffer.from(await answer.arrayBuffer()));
    await service.stop();
    browser = await startBrowser();
});
after(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
});

/* Anything that it asks for beside itself is a complaint. */
async function open(hash = '', options = {}) {
    const page = await openPage(browser, { url: 'file://' }, options);
    page.asked = [];
    page.on('request', request => page.asked.push(request.url()));
    await page.goto(at + hash);
    await until(page, () => document.querySelector('#picture > svg')?.dataset.state === 'ready');
    return page;
}

async function close(page) {
    assert.deepEqual(page.complaints, []);
    assert.deepEqual([...new Set(page.asked.map(url => url.replace(/#.*/, '')))], [at]);
    await page.context().close();
}

const state = page => page.evaluate(() => document.querySelector('#picture > svg').flame.state);
const title = page => page.evaluate(() => document.querySelector('#picture > svg .title').textContent);

test('words, timeline, picture and table are there, and nothing is asked for', { skip }, async () => {
    const page = await open();
    assert.equal(await page.textContent('h1'), 'start <i>.trace');
    assert.match(await page.textContent('#sentences li'), /main/);
    assert.match(await title(page), /^main \(1\)/);
    await until(page, () => document.querySelectorAll('.lane-names li').length === 3);
    await page.click('[data-tab="methods"]');
    await until(page, () => document.querySelectorAll('#methods .row-name').length > 3);
    assert.equal(await page.isVisible('#picture'), false);
    await page.fill('#grep', 'hashmap');
    await until(page, () => document.querySelectorAll('#methods .row-name').length === 1);
    await page.click('#methods thead button >> nth=1');
    await close(page);
});

test('a thread is chosen in the list, in the timeline and by the link', { skip }, async () => {
    const page = await open();
    await page.selectOption('#thread', '7');
    await until(page, () => document.querySelector('#picture > svg .title')?.textContent.startsWith('worker <b> (7)'));
    assert.match(page.url(), /#track=7$/);
    await page.locator('.lane-names button', { hasText: 'RenderThread' }).click();
    await until(page, () => document.querySelector('#picture > svg .title')?.textContent.startsWith('RenderThread (9)'));
    await page.goBack();
    await until(page, () => document.querySelector('#picture > svg .title')?.textContent.startsWith('worker <b> (7)'));
    assert.equal(await page.inputValue('#thread'), '7');
    await close(page);
    const other = await open('#track=9&value=cpu');
    assert.match(await title(other), /^RenderThread \(9\)/);
    assert.equal((await state(other)).value, 'cpu');
    await close(other);
});

test('a picture searches, filters and changes its view', { skip }, async () => {
    const page = await open();
    await page.fill('#picture input[name="search"]', 'HashMap');
    await until(page, () => /1 frame/.test(document.querySelector('#picture .matches').textContent));
    await page.selectOption('#picture select[name="view"]', 'inverted');
    await until(page, () => document.querySelector('#picture > svg').flame.state.view === 'inverted');
    await page.evaluate(() => document.querySelector('#picture > svg').flame.filter('hide', 'Sequence'));
    await until(page, () => document.querySelector('#picture > svg').flame.filters.length === 1);
    assert.equal(await page.locator('#picture option', { hasText: /^chart$/ }).count(), 0);
    await close(page);
});

test('a row of the table leads to its callers and callees', { skip }, async () => {
    const page = await open();
    await page.click('[data-tab="methods"]');
    await page.locator('#methods .row-name', { hasText: 'HashMap.get' }).click();
    await until(page, () => document.querySelector('#picture > svg').flame.state.view === 'sandwich');
    assert.match((await state(page)).method, /^java\.util\.HashMap\.get/);
    assert.equal(await page.isVisible('#methods'), false);
    await page.selectOption('#thread', '7');
    await until(page, () => document.querySelector('#picture > svg .title')?.textContent.startsWith('worker'));
    await page.click('[data-tab="methods"]');
    await page.locator('#methods .row-name', { hasText: 'HashMap.get' }).click();
    await until(page, () => /^worker <b> .* does not call java.util.HashMap.get/.test(document.getElementById('said').textContent));
    assert.equal((await state(page)).view, 'flame');
    await close(page);
});

test('by keys: tabs, the list of threads, the timeline, frames, help', { skip }, async () => {
    const page = await open();
    await page.keyboard.press('2');
    await until(page, () => !document.getElementById('methods').hidden);
    await page.keyboard.press('1');
    await until(page, () => !document.getElementById('picture').hidden);
    await page.keyboard.press('?');
    await until(page, () => document.querySelector('#picture [role="dialog"]') !== null);
    await page.keyboard.press('Escape');
    await page.focus('.lane-canvas');
    await page.keyboard.press('w');
    await until(page, () => / from /.test(document.querySelector('.lane-window').textContent));
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('r');
    await page.keyboard.press('Escape');
    await until(page, () => !/ from /.test(document.querySelector('.lane-window').textContent));
    await page.focus('.lane-names button >> nth=1');
    await page.keyboard.press('Enter');
    await until(page, () => document.querySelector('#picture > svg .title')?.textContent.startsWith('worker'));
    await page.focus('#picture .graph');
    await page.keyboard.press('ArrowUp');
    await until(page, () => document.querySelector('#picture > svg').flame.state.selected !== '');
    await close(page);
});

test('it looks well', { skip }, async () => {
    const page = await open();
    await looksWell(page, [400, 1280], async () => {
        await page.reload();
        await until(page, () => document.querySelector('#picture > svg')?.dataset.state === 'ready' && document.querySelector('.lane-names li') !== null);
    });
    page.complaints.length = 0;     /* the reader of the page asks on its own */
    await page.context().close();
});
