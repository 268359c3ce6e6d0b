/* Answers that come late, in another order, or not at all, and a browser that keeps nothing: what was asked for last is shown. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { browser, close, openPage, PATIENCE_MS, serve, service, skip, trace, until, upload } from './support.mjs';

let one;

serve(async () => {
    one = await upload(service, trace([{ id: 1, name: 'main', us: 900_000 }, { id: 2, name: 'worker', us: 600_000 }]));
});

const isDrawn = () => document.querySelector('#picture > svg')?.dataset.state === 'ready' && !document.body.classList.contains('loading');
const isListed = () => document.getElementById('methods')?.dataset.state === 'ready';
const tabOf = page => page.locator('.tabs [aria-current]').textContent();

async function open(path = '', prepare = undefined) {
    const page = await openPage(browser, service);
    await prepare?.(page);
    await page.goto(one.url + path);
    await until(page, path === '/methods' ? isListed : isDrawn);
    return page;
}

/* Holds answers whose address matches until `go` is called; `come` is fulfilled when all that were held have been taken. */
async function hold(page, pattern) {
    const held = [];
    await page.route(pattern, route => new Promise(resolve => held.push({ route, resolve })));
    return {
        held,
        async until(n) {
            for (const end = Date.now() + PATIENCE_MS; held.length < n;) {
                assert.ok(Date.now() < end, `${held.length} of ${n} were asked for`);
                await page.waitForTimeout(20);
            }
        },
        async go(only = held.length) {
            for (const { route, resolve } of held.splice(0, only)) {
                const answer = route.request().response();
                await route.continue();
                await (await answer)?.finished();
                resolve();
            }
            await page.evaluate(() => new Promise(resolve => setTimeout(resolve)));     /* what waited for them has run */
        },
    };
}

test('Back while a place is on its way: the place that was left is shown again', { skip }, async () => {
    const page = await open(), late = await hold(page, /\/methods\?/), before = page.url();
    await page.keyboard.press('2');
    await late.until(1);
    await page.goBack();
    await until(page, isDrawn);
    assert.equal(page.url(), before);
    await late.go();
    assert.equal(await tabOf(page), 'Flame');
    await until(page, isDrawn);
    /* The same by a link. */
    await page.keyboard.press('2');
    await late.until(1);
    await page.keyboard.press('1');
    await late.go();
    await until(page, isDrawn);
    assert.equal(await tabOf(page), 'Flame');
    assert.match(page.url(), /\/t\/1/);
    await close(page);
});

test('a picture that another one has replaced listens to nothing', { skip }, async () => {
    const page = await open('', one => one.addInitScript(() => {
        const { addEventListener } = globalThis;
        globalThis.listening = [];
        globalThis.addEventListener = function (type, act, options) {
            if (type === 'hashchange' && options?.signal)
                globalThis.listening.push(options.signal);
            addEventListener.call(this, type, act, options);
        };
    }));
    await until(page, isDrawn);
    for (const track of [2, 1]) {
        await page.evaluate(id => document.querySelector(`#threads a[data-track="${id}"]`).click(), track);
        await page.waitForURL(new RegExp(`/t/${track}`));
        await until(page, () => !document.body.classList.contains('loading'));
        await until(page, isDrawn);
    }
    await page.evaluate(() => dispatchEvent(new Event('hashchange')));
    assert.deepEqual(await page.evaluate(() => globalThis.listening.map(signal => signal.aborted)), [true, true, false]);
    await close(page);
});

test('of the methods that are opened the last one is told, as long as the table is there', { skip }, async () => {
    const page = await open('/methods'), rows = page.locator('.row-name'), late = await hold(page, /\/m\/.*json/);
    const [first, second] = await Promise.all([0, 1].map(i => rows.nth(i).getAttribute('title')));
    await rows.nth(0).click();
    await late.until(1);
    await rows.nth(1).click();
    await late.until(2);
    late.held.reverse();
    await late.go(1);
    await page.locator('#panel .method', { hasText: second }).waitFor();
    await late.go();
    await until(page, () => document.querySelectorAll('.row-name[aria-expanded="true"]').length === 2);
    assert.equal(await page.locator('#panel .method').textContent(), second, first);
    /* An answer for a table that is not shown any more. */
    await page.locator('.row-name:not(.edge)').nth(2).click();
    await late.until(1);
    await page.keyboard.press('1');
    await until(page, isDrawn);
    await late.go();
    assert.equal(await page.locator('#panel > #chosen-frame').count(), 1);
    await close(page);
});

test('a method that cannot be had is said, and the next one can', { skip }, async () => {
    const page = await open('/methods'), rows = page.locator('.row-name');
    await page.route(/\/m\/.*json/, route => route.fulfill({ status: 503, body: '' }), { times: 1 });
    await rows.nth(0).click();
    await page.locator('#said', { hasText: 'The method could not be fetched: 503' }).waitFor();
    await rows.nth(0).click();
    await page.locator('#panel .method').waitFor();
    await close(page);
});

test('sorting changes the address of the place: Back through the lanes leaves the table as it is', { skip }, async () => {
    const page = await open('/methods');
    await page.locator('thead button', { hasText: 'Calls' }).click();
    await page.waitForURL(/sort=calls/);
    await page.locator('.row-name').first().click();
    await until(page, () => document.querySelectorAll('.row-name[aria-expanded="true"]').length === 1);
    await page.locator('#lanes .lane-canvas').focus();
    await page.keyboard.press('w');
    await page.waitForURL(/lanes=/);
    await page.goBack();
    await page.waitForURL(url => !url.hash.includes('lanes='));
    await page.evaluate(() => new Promise(resolve => setTimeout(resolve)));
    assert.equal(await page.evaluate(() => document.body.classList.contains('loading')), false);
    assert.equal(await page.locator('.row-name[aria-expanded="true"]').count(), 1);
    await close(page);
});

test('where the browser lets the page keep nothing all of it works', { skip }, async () => {
    const page = await open('', one => one.addInitScript(() => Object.defineProperty(globalThis, 'localStorage', {
        get() { throw new DOMException('forbidden', 'SecurityError'); },
    })));
    await until(page, () => document.querySelector('#lanes .lane-place')?.dataset.state === 'ready');
    await page.locator('#verdict li').first().waitFor();
    await page.locator('#verdict > summary').click();
    await page.locator('#picture .graph').press('ArrowUp');
    await page.locator('#panel-toggle').click();
    await page.locator('#panel').waitFor({ state: 'hidden' });
    await page.locator('#panel-toggle').click();
    await page.locator('#panel').waitFor();
    await page.locator('#lanes > summary').click();
    await page.locator('#lanes .lane-canvas').waitFor({ state: 'hidden' });
    await close(page);
});

test('a range that is dragged and taken from the pointer is none; charts that are gone listen to nothing', { skip }, async () => {
    const page = await open('', one => one.addInitScript(() => {
        globalThis.listening = [];
        const { addEventListener } = MediaQueryList.prototype;
        MediaQueryList.prototype.addEventListener = function (type, act, options) {
            globalThis.listening.push(options?.signal);
            addEventListener.call(this, type, act, options);
        };
    }));
    const isReady = () => document.querySelector('#lanes .lane-place')?.dataset.state === 'ready';
    await until(page, isReady);
    const box = await page.locator('#lanes .lane-ruler').boundingBox();
    await page.mouse.move(box.x + box.width / 4, box.y + 18);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + 18, { steps: 3 });
    await page.evaluate(() => document.querySelector('#lanes .lane-ruler').dispatchEvent(new PointerEvent('pointercancel', { pointerId: 1 })));
    await page.mouse.up();
    await page.locator('#lanes .lane-canvas').focus();
    await page.keyboard.press('w');
    await until(page, () => / from /.test(document.querySelector('.lane-window').textContent));
    await until(page, isReady);
    assert.doesNotMatch(page.url(), /from=/);
    for (const key of ['3', '1', '3']) {
        await page.keyboard.press('Control');     /* out of the canvas, which has keys of its own */
        await page.evaluate(() => document.activeElement.blur());
        await page.keyboard.press(key);
        await until(page, key === '1' ? isDrawn : () => document.getElementById('chart')?.dataset.state === 'ready');
    }
    assert.equal(await page.evaluate(() => globalThis.listening.filter(signal => !signal?.aborted).length), 4, 'two of the lanes, two of the chart');
    await close(page);
});
