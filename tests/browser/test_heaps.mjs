/* The page of a heap profile: its dumps, what changed between any two, and that it talks of heaps. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { heapTrace } from './heap_support.mjs';
import { browser, close, frameShareOf, looksWell, openPage, serve, service, shiftOf, skip, until, upload, watchShift } from './support.mjs';

let id;

serve(async () => {
    ({ id } = await upload(service, heapTrace({ heaps: ['libc.malloc', 'com.example.pool'] }), 'heap.pftrace'));
});

const isReady = () => document.querySelector('#picture > svg')?.dataset.state === 'ready';
const heading = () => document.querySelector('#whole').textContent;

async function open(path, options) {
    const page = await openPage(browser, service, options);
    await page.goto(`${service.url}/p/${id}${path}`);
    return page;
}

test('the frames get most of the window, and nothing moves while the page loads', { skip }, async () => {
    const page = await openPage(browser, service, { viewport: { width: 1280, height: 800 } });
    await watchShift(page);
    await page.goto(`${service.url}/p/${id}`);
    await until(page, isReady);
    await page.locator('#verdict[open] li').first().waitFor();
    assert.ok(await frameShareOf(page) >= 0.65);
    assert.ok(await shiftOf(page) < 0.02);
    await close(page);
});

test('a dump is chosen by its diamond, and what changed since another one', { skip }, async () => {
    const page = await open('/t/1');
    await until(page, isReady);
    assert.equal(await page.locator('#dumps .heap .diamonds').count(), 2);
    assert.equal(await page.locator('#dumps .heap.chosen a .diamond').count(), 4);
    assert.match(await page.getAttribute('#dumps a.chosen', 'aria-label'), /^dump 4, 3 s: 447 KiB$/);
    await page.click('#dumps .heap.chosen a[aria-label^="dump 2,"]');
    await until(page, () => /moment=2$/.test(location.search) && /dump 2/.test(document.querySelector('#whole').textContent));
    assert.equal(await page.inputValue('#moment'), '2');
    await page.click('#dumps .since >> text="1"');
    await until(page, () => /moment=1\.\.2$/.test(location.search) && /from dump 1 to dump 2, and 48.8 KiB less/.test(document.querySelector('#whole').textContent));
    assert.equal(await page.inputValue('#moment'), '1..2');
    assert.equal(await page.locator('#dumps .between').count(), 1);
    await page.selectOption('#moment', '0');
    await until(page, () => !/moment/.test(location.search) && !/dump/.test(document.querySelector('#whole').textContent));
    await page.goBack();
    await until(page, () => /from dump 1 to dump 2/.test(document.querySelector('#whole').textContent));
    assert.deepEqual(page.complaints, []);
    await page.context().close();
});

test('the table shows what shrank with its sign', { skip }, async () => {
    const page = await open('/methods?track=1&moment=1..4');
    await until(page, () => document.querySelector('#methods')?.dataset.state === 'ready');
    const rows = await page.locator('#methods tbody tr').allInnerTexts();
    assert.ok(rows.some(row => /shrinks.*-146 KiB\s+-50 %/s.test(row)), rows.join('\n'));
    assert.ok(rows.some(row => /grows.*293 KiB\s+100 %/s.test(row)), rows.join('\n'));
    assert.match(await page.evaluate(heading), /100 % = 293 KiB .*146 KiB less elsewhere makes 146 KiB in all/);
    await page.click('#methods tbody button >> text=shrinks');
    await until(page, () => /-146 KiB/.test(document.querySelector('#panel').textContent));
    assert.deepEqual(page.complaints, []);
    await page.context().close();
});

test('without scripts each dump and interval is a link, and the table has signs', { skip }, async () => {
    const page = await open('/methods?track=1&moment=1..4', { javaScriptEnabled: false });
    assert.match(await page.textContent('#methods'), /-146\.5 KiB/);
    assert.equal(await page.locator('#dumps .since a[aria-current]').textContent(), '1');
    await page.click('#dumps .since >> text="3"');
    assert.match(page.url(), /moment=3\.\.4/);
    await page.click('#dumps .heap.chosen a[aria-label^="dump 1,"]');
    assert.match(page.url(), /\/methods\?track=1&moment=1$/);
    assert.equal(await page.locator('#dumps a.chosen').getAttribute('aria-label'), 'dump 1, 0 ns: 301 KiB');
    await page.context().close();
});

test('an error of unwinding has a colour of its own, and is explained as a shared name is', { skip }, async () => {
    const page = await open('/t/1');
    await until(page, isReady);
    assert.match(await page.textContent('#picture .legend.origin'), /native.*error/s);
    assert.ok(await page.locator('#picture .graph .o8').count() > 0);
    await page.goto(`${service.url}/p/${id}/methods?track=1`);
    await until(page, () => document.querySelector('#methods')?.dataset.state === 'ready');
    assert.match(await page.locator('#methods tbody tr', { hasText: 'ERROR' }).textContent(), /ERROR MEMORY_INVALID no function/);
    await page.click('#methods tbody button >> text=ERROR');
    await until(page, () => /could not be followed further/.test(document.querySelector('#panel').textContent));
    /* 8192 bytes in 2 allocations, one sample for each 4096 bytes. */
    assert.match(await page.locator('#methods tbody tr', { hasText: 'lost' }).last().textContent(), /~2, ±71 %/);
    await page.click('#methods tbody button >> text=lost');
    await until(page, () => /Several methods share this code/.test(document.querySelector('#panel').textContent));
    await page.goto(await page.getAttribute('#panel a[href*="/m/"] >> nth=0', 'href'));
    assert.match(await page.textContent('#method'), /Several methods share this code/);
    await page.context().close();
});

test('a single dump needs no chart', { skip }, async () => {
    const one = await upload(service, heapTrace({ dumps: 1 }), 'one.pftrace');
    const page = await openPage(browser, service);
    await page.goto(`${service.url}/p/${one.id}`);
    await until(page, isReady);
    assert.equal(await page.locator('#dumps').count(), 0);
    assert.equal(await page.locator('#moment').count(), 0);
    await page.context().close();
});

test('an empty heap says so, and why', { skip }, async () => {
    const empty = await upload(service, heapTrace({ heaps: ['libc.malloc'], isEmpty: true }), 'empty.pftrace');
    const page = await openPage(browser, service);
    await page.goto(`${service.url}/p/${empty.id}`);
    await until(page, isReady);
    assert.match(await page.textContent('#empty'), /This heap is empty\..*debuggable or profileable.*another session was recording/s);
    await page.goto(`${service.url}/p/${id}`);
    await until(page, isReady);
    assert.equal(await page.locator('#empty').count(), 0);
    await page.click('.about > summary');
    assert.match(await page.textContent('.about .sheet'), /Unreleased size\s*bytes: what was allocated and is not released yet/);
    await page.context().close();
});

test('it looks well in windows of all widths, and in the dark', { skip }, async () => {
    const page = await open('/t/1?moment=2..4');
    await looksWell(page, [320, 768, 1280], async () => {
        await page.reload();
        await until(page, isReady);
    });
    await page.context().close();
});

test('it talks of heaps and sizes, of no threads and of no time', { skip }, async () => {
    const page = await open('/t/1');
    await until(page, isReady);
    const texts = [];
    const read = async () => texts.push(await page.evaluate(() => Array.from(document.querySelectorAll('body, [title], [aria-label], [placeholder]'),
        one => (one === document.body ? one.innerText + one.querySelector('#picture')?.textContent
            : `${one.title}\n${one.getAttribute('aria-label')}\n${one.getAttribute('placeholder')}`)).join('\n')));
    await page.click('.about > summary');
    await read();
    await page.keyboard.press('Escape');
    await page.click('#threads > summary');
    await read();
    await page.keyboard.press('Escape');
    for (const key of ['ArrowUp', 'ArrowUp', 'Enter'])
        await page.locator('#picture .graph').press(key);
    await until(page, () => /of caller/.test(document.querySelector('#panel').textContent) && /Caller/.test(document.querySelector('#chosen').textContent));
    await read();
    await page.click('.tabs >> text=Methods');
    await until(page, () => document.querySelector('#methods')?.dataset.state === 'ready');
    await page.click('#methods tbody button >> text=grows');
    await until(page, () => /grows/.test(document.querySelector('#panel').textContent));
    await read();
    await page.goto(await page.getAttribute('#panel a[href*="/m/"] >> nth=0', 'href'));
    await read();
    await page.goto(`${service.url}/p/${id}/verdict`);
    await read();
    const words = texts.join('\n').split('\n').filter(line => /\b(threads?|time[sd]?|calls?|durations?|idle|µs)\b/i.test(line) && !/another time/.test(line));
    assert.deepEqual([...new Set(words)], []);
    await page.context().close();
});
