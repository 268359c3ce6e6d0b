/* The page of a profile, in a browser. */
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { findings, missing, openPage, overflows, startBrowser, startService, trace, until, upload }
    from './support.mjs';

const LONG = 'OkHttp https://api.example.com/' + 'segment/'.repeat(46);
const HOSTILE = '"><img src=x onerror=alert(1)><script>alert(2)</script>';
const skip = missing();
let service, browser, small, some, many;

/* Of both kinds of pool, of none, with the worst names. */
function threadsOf(n) {
    const threads = [{ id: 1, name: 'main', us: 400_000 }, { id: 2, name: LONG, us: 90_000 },
                     { id: 3, name: HOSTILE, us: 50_000 }];
    for (let i = 4; i <= n; i++) {
        const name = i < n / 3 ? `Binder:4711_${i}` : i < n * 2 / 3 ? `DefaultDispatcher-worker-${i}` : `task ${i}x`;
        threads.push({ id: i, us: 30_000 - 90 * i, name });
    }
    return threads;
}

before(async () => {
    if (skip)
        return;
    service = await startService();
    browser = await startBrowser();
    small = await upload(service, trace([{ id: 1, name: 'main' }]), 'one thread.trace');
    some = await upload(service, trace(threadsOf(20), { overflow: true }));
    many = await upload(service, trace(threadsOf(300), { overflow: true }), 'many <b>threads</b>.trace');
});

after(async () => {
    await browser?.close();
    await service?.stop();
});

function open(options) {
    return openPage(browser, service, options);
}

async function close(page) {
    assert.deepEqual(page.complaints, []);
    await page.context().close();
}

test('nothing serious for axe, nothing wider than the window, in every size and scheme', { skip }, async () => {
    for (const colorScheme of ['light', 'dark'])
        for (const width of [360, 800, 1600, 2560])
            for (const profile of [small, some, many]) {
                const page = await open({ viewport: { width, height: 900 }, colorScheme });
                await page.goto(profile.url);
                assert.equal(await overflows(page), false, `${width} px ${colorScheme}`);
                if (profile !== many && (width === 360 || width === 1600))
                    assert.deepEqual(await findings(page), [], `${width} px ${colorScheme}`);
                await close(page);
            }
});

test('warnings come first, hostile names stay words', { skip }, async () => {
    const page = await open();
    await page.goto(many.url);
    const order = await page.locator('article > *').evaluateAll(all => all.map(e => e.className || e.localName));
    assert.ok(order.indexOf('warnings') < order.indexOf('facts'));
    assert.equal(await page.locator('h1').textContent(), 'many <b>threads</b>.trace');
    assert.equal(await page.locator('.card h3', { hasText: 'onerror' }).textContent(), HOSTILE);
    assert.equal(await page.locator('img:not(.thumb)').count(), 0);
    await close(page);
});

test('threads of a pool stand together', { skip }, async () => {
    const page = await open();
    await page.goto(many.url);
    assert.deepEqual(await page.locator('.pool-name').allTextContents(), ['Binder:*', 'DefaultDispatcher-worker-*']);
    assert.equal(await page.locator('.pool').first().locator('.card').count(), 96);
    assert.equal(await page.locator('.card').count(), 300);
    await close(page);
});

test('the filter shows what is meant and opens its groups', { skip }, async () => {
    const page = await open();
    await page.goto(many.url);
    await page.getByLabel('Filter by name or id').fill('worker 15');
    assert.equal(await page.locator('.card:visible').count(), 11);
    assert.match(await page.locator('#filter-count').textContent(), /^11 of 300 threads$/);
    assert.equal(await page.locator('.pool:visible').count(), 1);
    await page.getByLabel('Filter by name or id').fill('1');
    assert.ok(await page.locator('.card h3', { hasText: /^main$/ }).isVisible());
    await page.getByLabel('Filter by name or id').fill('');
    assert.equal(await page.locator('#filter-count').textContent(), '');
    await close(page);
});

test('only previews in sight are fetched, and they are pictures', { skip }, async () => {
    const page = await open();
    const fetched = [];
    page.on('response', r => r.url().endsWith('/thumb.svg') && fetched.push(r));
    await page.goto(many.url, { waitUntil: 'networkidle' });
    assert.ok(fetched.length >= 3 && fetched.length < 200, `${fetched.length}`);
    assert.ok(fetched.every(r => r.status() === 200));
    assert.ok(await page.locator('.thumb').first().evaluate(img => img.complete && img.naturalWidth > 0));
    await close(page);
});

test('a card leads to its flame graph, by keyboard as well', { skip }, async () => {
    const page = await open();
    await page.goto(many.url);
    await page.locator('.card h3 a').first().focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/t\/1$/);
    assert.equal(await page.locator('h1').textContent(), 'main');
    await close(page);
});

test('the token of a form upload goes from the address into the list of the browser', { skip }, async () => {
    const one = await upload(service, trace([{ id: 1, name: 'main' }]), 'mine.trace');
    const page = await open();
    await page.goto(`${one.url}#token=${one.delete_token}`);
    await until(page, () => location.hash === '');
    const list = await page.evaluate(() => JSON.parse(localStorage.getItem('aflamed.uploads')));
    assert.equal(list.length, 1);
    assert.equal(list[0].id, one.id);
    assert.equal(list[0].token, one.delete_token);
    assert.equal(list[0].name, 'mine.trace');
    await page.reload();
    await page.locator('.manage summary').click();
    await page.getByLabel('Name', { exact: true }).fill('renamed <i>');
    await page.getByRole('button', { name: 'Change' }).click();
    await page.waitForURL(one.url);
    assert.equal(await page.locator('h1').textContent(), 'renamed <i>');
    const renamed = await page.evaluate(() => JSON.parse(localStorage.getItem('aflamed.uploads')));
    assert.equal(renamed[0].name, 'renamed <i>');
    await page.locator('.manage summary').click();
    await page.getByRole('button', { name: /^Delete/ }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'The profile is deleted' }).waitFor();
    assert.equal(await page.evaluate(() => localStorage.getItem('aflamed.uploads')), '[]');
    assert.equal((await fetch(one.url)).status, 410);
    await close(page);
});

test('a token in the address does not take the place of the one that is known', { skip }, async () => {
    const one = await upload(service, trace([{ id: 1, name: 'main' }]), 'mine.trace');
    const page = await open();
    await page.goto(`${one.url}#token=${one.delete_token}`);
    await until(page, () => location.hash === '');
    await page.goto('about:blank');
    await page.goto(`${one.url}#token=${'c'.repeat(26)}`);
    await until(page, () => location.hash === '');
    const list = await page.evaluate(() => JSON.parse(localStorage.getItem('aflamed.uploads')));
    assert.deepEqual(list.map(entry => entry.token), [one.delete_token]);
    assert.equal(await page.locator('.manage input.token').first().inputValue(), one.delete_token);
    await page.locator('.manage summary').click();
    await page.getByLabel('Name', { exact: true }).fill('still mine');
    await page.getByRole('button', { name: 'Change' }).click();
    await page.waitForURL(one.url);
    assert.equal(await page.locator('h1').textContent(), 'still mine');
    await close(page);
});

/* The service's own page, as it would be in progress: the text around it is what the unit tests see made. */
async function pretendProgress(page, state) {
    await page.route('**/p/*', async route => {
        const response = await route.fetch();
        const progress = `<section class="progress" id="progress" data-events="${small.id}/events"
            aria-labelledby="progress-words"><p id="progress-words" role="status"></p>
            <progress max="2" value="0" aria-labelledby="progress-words"></progress></section>`;
        const body = (await response.text()).replace('<h1', progress + '<h1');
        state.loads++;
        await route.fulfill({ response, body: state.loads > 1 ? body : body.replace('<article', '<article data-waiting') });
    });
    await page.route('**/events', async route => {
        const made = [1, 2].slice(0, state.loads);
        const events = made.map(n => `event: rendered\ndata: {"track":${n},"made":${n},"of":2}\n\n`).join('');
        await route.fulfill({ contentType: 'text/event-stream',
                              body: events + (state.ends && state.loads > 1 ? 'event: done\ndata: {}\n\n' : 'retry: 50\n\n') });
    });
}

test('the progress is followed to its end', { skip }, async () => {
    const page = await open();
    const state = { loads: 0, ends: false };
    await pretendProgress(page, state);
    await page.goto(small.url);
    await until(page, () => document.getElementById('progress-words')?.textContent === 'Drawing: 2 of 2 graphs are ready.');
    assert.equal(state.loads, 2, 'it was loaded again when the first graph was there');
    assert.deepEqual(await page.locator('progress').evaluate(bar => [bar.value, bar.max]), [2, 2]);
    state.ends = true;
    await until(page, () => document.getElementById('progress') === null);
    assert.equal(await page.locator('.card').count(), 1);
    assert.equal(state.loads, 2);
    await close(page);
});

test('without scripts all that matters is there', { skip }, async () => {
    const page = await open({ javaScriptEnabled: false });
    await page.goto(many.url);
    assert.equal(await page.locator('.card').count(), 300);
    assert.equal(await page.getByLabel('Filter by name or id').isVisible(), false);
    await page.locator('.manage summary').click();
    const form = page.locator('form[action$="/rename"]');
    await form.getByLabel('Delete token').fill(many.delete_token);
    await form.getByLabel('Keep it for how many more days').fill('3');
    await form.getByRole('button', { name: 'Change' }).click();
    await page.waitForURL(many.url);
    const days = (Date.parse((await (await fetch(many.url, { headers: { Accept: 'application/json' } })).json()).expires) - Date.now()) / 86_400_000;
    assert.ok(days > 2.9 && days <= 3, `${days}`);
    await close(page);
});
