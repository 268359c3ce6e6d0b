/* The tab of methods, in a browser: with a mouse, with the keyboard alone, without scripts. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { browser, close, findings, looksWell, openPage, serve, service, skip, trace, until, upload } from './support.mjs';

const MANY = 100_000;
let one, many;

serve(async () => {
    one = await upload(service, trace([{ id: 1, name: 'main', us: 900_000 }, { id: 2, name: 'worker', us: 600_000 }]));
    const lines = Array.from({ length: MANY }, (_, i) => `main;a.b.Caller${i % 100}.call;c.d.Class${i}.run ${i + 1}`);
    many = await upload(service, Buffer.from(lines.join('\n') + '\n'), 'many.folded');
});

/* While another place loads, the table is still that of the one before. */
const isReady = () => !document.body.classList.contains('loading') && document.getElementById('methods')?.dataset.state === 'ready';
const namesOf = page => page.locator('.virtual tbody .row-name').allInnerTexts();

async function open(of, path = 'methods', options = {}) {
    const page = await openPage(browser, service, options);
    await page.goto(`${of.url}/${path}`);
    if (options.javaScriptEnabled !== false)
        await until(page, isReady);
    return page;
}

test('nothing serious for axe, nothing wider than the window', { skip }, async () => {
    const page = await openPage(browser, service);
    await looksWell(page, [400, 1280, 2560], async () => {
        await page.goto(`${one.url}/methods`);
        await until(page, isReady);
        await page.locator('.row-name').nth(1).click();
        await page.locator('#panel .method').waitFor();
    });
    await page.goto(service.url + await page.evaluate(async () => {
        const { rows } = await (await fetch(document.getElementById('methods').dataset.json)).json();
        return location.pathname.replace(/methods$/, `m/${rows[0][0]}`);
    }));
    assert.deepEqual(await findings(page), []);
    await close(page);
});

test('sorts by each column, filters, opens callers and callees, goes to them', { skip }, async () => {
    const page = await open(one, 'methods?track=1');
    assert.equal(await page.locator('th[aria-sort]').innerText(), 'Incl. wall');
    await page.locator('thead button').first().click();
    const sorted = await namesOf(page);
    await page.locator('thead button').first().click();
    assert.deepEqual(await namesOf(page), [...sorted].reverse());
    assert.equal(new URL(page.url()).searchParams.get('sort'), '-class');
    await page.locator('#grep').fill('HASH');
    assert.deepEqual((await namesOf(page)).map(name => name.split(' ')[0]), ['HashMap.get']);
    await page.locator('.row-name').first().click();
    await page.locator('#panel .method').waitFor();
    assert.equal(await page.locator('#panel .method').innerText(), 'java.util.HashMap.get');
    assert.deepEqual((await namesOf(page)).slice(1).map(name => name.trim()), ['Caller MainActivity.onCreate', 'Callee Modifier.then']);
    assert.equal(await page.locator('tr.caller td').nth(4).innerText(), '1/1');
    await page.locator('.edge').first().click();
    await until(page, () => document.querySelector('#panel .method').textContent === 'com.example.app.MainActivity.onCreate');
    assert.equal(await page.locator('#grep').inputValue(), '', 'what hid it is taken away');
    await page.getByRole('link', { name: 'Callers & callees' }).click();
    await page.waitForURL(/\/t\/1\?.*view=sandwich.*method=com\.example\.app\.MainActivity\.onCreate/);
    await until(page, () => document.querySelector('#picture > svg')?.dataset.state === 'ready');
    await page.goBack();
    await until(page, isReady);
    await close(page);
});

test('the table is asked for once, with the page', { skip }, async () => {
    for (const place of ['methods', 'methods?sort=-calls&group=class']) {
        const page = await open(one, place);
        const asked = await page.evaluate(() => performance.getEntriesByType('resource').filter(({ name }) => name.includes('/methods.json')).map(({ initiatorType }) => initiatorType));
        assert.deepEqual(asked, ['link'], place);
        await page.context().close();
    }
});

test('of very many callees the heaviest, then all', { skip }, async () => {
    const calls = Array.from({ length: 150 }, (_, i) => `a.Main.loop;b.Class${i}.run ${1000 - i}`).join('\n');
    const page = await open(await upload(service, Buffer.from(calls + '\n'), 'loop.folded'));
    await page.locator('.row-name', { hasText: 'Main.loop' }).click();
    await page.locator('#panel .method').waitFor();
    assert.equal(await page.locator('#panel h3').last().innerText(), 'Callees, 12 of 150');
    await page.keyboard.press('End');
    await page.keyboard.press('Home');
    for (let i = 0; i < 102; i++)     /* (toplevel), 100 callees, the rest */
        await page.keyboard.press('ArrowDown');
    const focused = () => page.evaluate(() => document.activeElement.textContent);
    assert.equal(await focused(), 'Callee 50 more');
    await page.keyboard.press('ArrowUp');
    assert.equal(await focused(), 'Callee Class99.run');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await until(page, () => document.activeElement.textContent === 'Callee Class100.run');
    assert.equal(await page.locator('.virtual').getAttribute('aria-rowcount'), String(1 + 151 + 1 + 150));
    assert.deepEqual(await findings(page), []);
    await page.locator('#panel').getByRole('link', { name: /^by /i }).click();
    await page.locator('#method').waitFor();
    await close(page);
});

test('without scripts the page of a method has the heaviest callees, and a link to all', { skip }, async () => {
    const calls = Array.from({ length: 250 }, (_, i) => `a.Main.loop;b.Class${i}.run ${1000 - i}`).join('\n');
    const page = await open(await upload(service, Buffer.from(calls + '\n'), 'loop.folded'), 'm/a.Main.loop', { javaScriptEnabled: false });
    const callees = () => page.locator('#method pre a').count();
    assert.equal(await callees(), 200);
    assert.match(await page.locator('#method pre').innerText(), /\n {2}and 50 more\s*$/);
    await page.locator('#method').getByText('The heaviest first.').getByRole('link', { name: 'All' }).click();
    assert.equal(await callees(), 250);
    await close(page);
});

test('filters: from a row, from the form, as chips that go and move', { skip }, async () => {
    const page = await open(one, 'methods?track=1');
    const total = () => page.locator('#whole').innerText();
    const chips = () => page.locator('.chip > span').allInnerTexts();
    await page.locator('.row-name', { hasText: 'HashMap.get' }).click();
    await page.locator('#panel').getByRole('link', { name: 'Hide', exact: true }).click();
    await until(page, () => document.querySelector('.chip') !== null);
    await until(page, isReady);
    assert.deepEqual(await chips(), ['hide java.util.HashMap.get']);
    assert.equal(new URL(page.url()).searchParams.get('hide'), '/^java\\.util\\.HashMap\\.get$/');
    assert.ok(!(await namesOf(page)).some(name => name.startsWith('HashMap.get')));
    await page.locator('#add-filter > summary').click();
    await page.getByLabel('focus').fill('/(/');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('a ( has no ) behind it').waitFor();
    assert.deepEqual(await findings(page), []);
    await page.getByLabel('focus').fill('');
    await page.getByLabel('ignore').fill('modifier.then');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await until(page, () => document.querySelectorAll('.chip').length === 2);
    await until(page, isReady);
    assert.match(await total(), /^100 % = .* wall time; filters took out /);
    await page.getByRole('link', { name: 'Apply earlier' }).click();
    await until(page, () => document.querySelector('.chip > span')?.textContent.startsWith('ignore'));
    await page.getByRole('link', { name: 'Flame', exact: true }).click();
    await until(page, () => document.querySelector('#picture > svg')?.dataset.state === 'ready');
    assert.deepEqual(await chips(), ['ignore modifier.then', 'hide java.util.HashMap.get']);
    await page.getByRole('button', { name: 'Remove the filter: ignore modifier.then' }).click();
    await until(page, () => document.querySelectorAll('.chip').length === 1);
    await page.goBack();
    await until(page, () => document.querySelectorAll('.chip').length === 2);
    await close(page);
});

test('a filter that leaves nothing is named, with the way out', { skip }, async () => {
    const page = await openPage(browser, service);
    await page.goto(`${one.url}/methods?track=1&hide=HashMap&focus=no+such+frame`);
    await page.locator('#methods #emptied').waitFor();
    assert.equal(await page.locator('#emptied').innerText(), 'The filters leave nothing: behind focus no such frame no method is left. Remove this filter');
    await page.getByRole('link', { name: 'Remove this filter' }).click();
    await until(page, isReady);
    assert.equal(new URL(page.url()).search, '?track=1&hide=HashMap');
    await close(page);
});

test('the tools are as high as those of a picture', { skip }, async () => {
    const page = await open(one, 'methods?track=1', { viewport: { width: 1280, height: 800 } }), high = async () => (await page.locator('.tools').boundingBox()).height;
    const ofTable = await high();
    await page.getByRole('link', { name: 'Flame', exact: true }).click();
    await page.locator('#picture > svg').waitFor();
    assert.equal(ofTable, await high());
    await close(page);
});

test('how long calls were: of all methods, and of one', { skip }, async () => {
    const page = await open(one, 'methods?track=1');
    await page.getByLabel('longest calls').check();
    await page.waitForURL(/longest=1/);
    await until(page, () => /Longest/.test(document.querySelector('.virtual thead')?.textContent));
    await page.getByRole('button', { name: 'Longest', exact: true }).click();
    assert.equal(new URL(page.url()).searchParams.get('sort'), 'wall_longest');
    await page.getByLabel('longest calls').uncheck();
    await until(page, () => !location.search.includes('longest'));
    await until(page, isReady);
    await page.locator('.row-name', { hasText: 'HashMap.get' }).click();
    await page.getByRole('link', { name: 'Call durations, by thread' }).click();
    await page.locator('.bars meter').first().waitFor();
    assert.match(await page.locator('#durations > p').innerText(), /^1 call, which took [\d.]+ s\./);
    assert.deepEqual(await findings(page), []);
    await page.locator('#durations a').first().click();
    await page.waitForURL(/\/t\/1\?view=chart&from=/);
    await until(page, () => document.querySelector('#chart')?.dataset.state === 'ready');
    await close(page);
});

test('tabs, threads, values and groups without a new page', { skip }, async () => {
    const page = await openPage(browser, service);
    await page.goto(one.url);
    await until(page, () => document.querySelector('#picture > svg')?.dataset.state === 'ready');
    await page.evaluate(() => { globalThis.isSamePage = true; });
    await page.getByLabel('Value').selectOption('cpu');
    await page.getByRole('link', { name: 'Methods' }).click();
    await page.waitForURL(/\/methods\?track=1&value=cpu/);
    await until(page, isReady);
    assert.equal(await page.locator('th[aria-sort]').innerText(), 'Incl. cpu');
    await page.getByLabel('Rows', { exact: true }).selectOption('thread');
    await page.waitForURL(/group=thread/);
    await until(page, () => document.querySelector('.row-name')?.textContent === 'main 1');
    await page.locator('#threads > summary').click();
    await page.locator('#threads a[data-track="2"]').click();
    await page.waitForURL(/\/methods\?.*track=2/);
    await until(page, isReady);
    await until(page, () => document.querySelector('.row-name')?.textContent === 'worker 2');
    await page.getByRole('link', { name: 'Flame', exact: true }).click();
    await page.waitForURL(/\/t\/2\?value=cpu/);
    await until(page, () => document.querySelector('#picture > svg')?.dataset.state === 'ready');
    assert.equal((await page.evaluate(() => document.querySelector('#picture > svg').flame.state)).value, 'cpu');
    for (const path of [/track=2/, /track=1/, /track=1/]) {
        await page.goBack();
        await page.waitForURL(path);
        await until(page, isReady);
    }
    assert.ok(await page.evaluate(() => globalThis.isSamePage));
    await close(page);
});

test('100,000 methods scroll, and few of them are elements', { skip }, async () => {
    const page = await open(many);
    const count = () => page.locator('.virtual tbody tr').count();
    assert.ok(await count() < 100);
    assert.equal(await page.locator('.virtual').getAttribute('aria-rowcount'), String(MANY + 102));
    for (const share of [0.5, 1]) {
        const took = await page.evaluate(async part => {
            const box = document.getElementById('methods'), began = performance.now();
            box.scrollTop = part * box.scrollHeight;
            await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
            return performance.now() - began;
        }, share);
        assert.ok(await count() < 100 && took < 500, `${took} ms`);
    }
    assert.match((await namesOf(page)).at(-1), /^Class\d+\.run/);
    await page.locator('#grep').fill('class99999.');
    assert.match((await namesOf(page))[0], /^Class99999\.run/);
    await close(page);
});

test('without a mouse: which own method costs most, and who calls it', { skip }, async () => {
    const page = await openPage(browser, service);
    await page.goto(one.url);
    await until(page, () => document.querySelector('#picture > svg')?.dataset.state === 'ready');
    const tabTo = async wanted => {
        for (let i = 0; i < 60; i++) {
            await page.keyboard.press('Tab');
            if (await page.evaluate(text => document.activeElement.textContent.startsWith(text), wanted))
                return;
        }
        assert.fail(`no way to ${wanted}`);
    };
    await page.keyboard.press('1');
    await page.keyboard.press('2');
    await page.waitForURL(/\/methods/);
    await until(page, isReady);
    await tabTo('Excl. wall');
    await page.keyboard.press('Enter');
    await page.keyboard.press('/');
    await page.keyboard.type('example');
    await tabTo('MainActivity.onCreate');
    await page.keyboard.press('Enter');
    await page.locator('tr.caller').waitFor();
    await page.keyboard.press('ArrowDown');
    assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Caller Looper.loop');
    await close(page);
});

test('without scripts: longest calls, asked for and not asked for any more', { skip }, async () => {
    const page = await openPage(browser, service, { javaScriptEnabled: false });
    await page.goto(`${one.url}/methods`);
    await page.getByLabel('longest calls').check();
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByRole('link', { name: 'Longest' }).click();
    await page.waitForURL(/sort=wall_longest/);
    await page.getByLabel('longest calls').uncheck();
    await page.getByRole('button', { name: 'Show' }).click();
    assert.equal(await page.locator('.sorts [aria-current]').innerText(), 'Incl.');
    await page.getByLabel('Rows', { exact: true }).selectOption('package');
    await page.getByRole('button', { name: 'Show' }).click();
    assert.ok(await page.locator('#methods pre a').count() > 3);
    await page.context().close();
});

test('without scripts: the same', { skip }, async () => {
    const page = await openPage(browser, service, { javaScriptEnabled: false });
    await page.goto(one.url);
    await page.getByRole('link', { name: 'Methods' }).click();
    await page.getByRole('link', { name: 'Excl.' }).click();
    await page.waitForURL(/sort=wall_excl/);
    await page.locator('#grep').fill('example');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.waitForURL(/grep=example/);
    await page.locator('#methods pre a').first().click();
    assert.match(await page.locator('#method pre').innerText(), /^com\.example\.app\.MainActivity\.onCreate\(/);
    await page.getByRole('link', { name: 'Call durations' }).click();
    assert.match(await page.locator('#method pre').innerText(), /\ncalls, without those within others, by wall time\nshortest +1\.473 s/);
    await page.goBack();
    await page.getByRole('link', { name: 'Hide', exact: true }).click();
    assert.deepEqual(await page.locator('.chip > span').allInnerTexts(), ['hide com.example.app.MainActivity.onCreate']);
    await page.locator('#add-filter > summary').click();
    await page.getByLabel('preset').selectOption('hide-idle');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('link', { name: /^Remove the filter: hide com/ }).click();
    assert.deepEqual(await page.locator('.chip > span').allInnerTexts(), ['hide idle']);
    assert.match(await page.getByRole('link', { name: 'In words' }).innerText(), /without filters$/);
    await page.locator('#add-filter > summary').click();
    await page.getByLabel('focus').fill('no such frame');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    assert.equal(await page.locator('#emptied').innerText(), 'The filters leave nothing: behind focus no such frame no method is left. Remove this filter');
    await page.getByRole('link', { name: 'Remove this filter' }).click();
    assert.deepEqual(await page.locator('.chip > span').allInnerTexts(), ['hide idle']);
    assert.ok(await page.locator('#picture img').evaluate(async picture => (await picture.decode(), picture.naturalWidth > 500)));
    await page.goBack();
    await page.goBack();
    await page.goBack();
    await page.goBack();
    await page.goBack();
    await page.locator('#method pre').getByRole('link', { name: 'android.os.Looper.loop' }).click();
    assert.match(await page.locator('#method pre').innerText(), /^android\.os\.Looper\.loop\(\)V\n/);
    await close(page);
});

/* Which own method costs most, who calls it, are its calls equal? Of a real recording. */
const samples = process.env.AFLAMED_SAMPLES && `${process.env.AFLAMED_SAMPLES}/samples/art/yamp-legacy.trace`;
const without = skip || (samples && existsSync(samples) ? false : 'AFLAMED_SAMPLES names no samples');

async function answered(page) {
    assert.equal(await page.locator('h2.method').innerText(), 'com.github.grishberg.cad3d.util.SceneBuilderKeyboard.createAndAdd');
    assert.match(await page.locator('table', { hasText: 'Callers' }).first().innerText(), /SceneBuilderKeyboard/);
    await page.locator('#durations > p:not([role="status"])').first().waitFor();
    assert.match(await page.locator('#durations > p').first().innerText(), /^3 calls, which took from [\d.]+ ms to 2.52 s/);
    await close(page);
}

test('a real question, without a mouse', { skip: without }, async () => {
    const real = await upload(service, readFileSync(samples), 'yamp-legacy.trace');
    const page = await openPage(browser, service);
    await page.goto(real.url);
    await page.locator('#verdict li', { hasText: 'Your methods that took the most time' }).waitFor({ state: 'attached' });
    await until(page, () => document.querySelector('#picture > svg')?.dataset.state === 'ready');
    await page.keyboard.press('2');
    await until(page, isReady);
    await page.keyboard.press('/');
    await page.keyboard.type('createAndAdd');
    for (let i = 0; i < 40 && !await page.evaluate(() => document.activeElement.className === 'row-name'); i++)
        await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('#panel .method').waitFor();
    for (let i = 0; i < 60 && !await page.evaluate(() => document.activeElement.textContent === 'Call durations, by thread'); i++)
        await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/m\/[0-9a-f]{12}/);
    await page.locator('h2.method').waitFor();
    await answered(page);
});

test('a real question, without scripts', { skip: without }, async () => {
    const real = await upload(service, readFileSync(samples), 'yamp-legacy.trace');
    const page = await openPage(browser, service, { javaScriptEnabled: false });
    await page.goto(real.url);
    await page.getByRole('link', { name: 'In words' }).click();
    assert.match(await page.locator('#sentences').innerText(), /Your methods that took the most time.*createAndAdd/);
    await page.getByRole('link', { name: 'Methods' }).click();
    await page.locator('#grep').fill('createAndAdd');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.waitForURL(/grep=createAndAdd/);
    await page.waitForURL(/grep=createAndAdd/);
    await page.locator('#methods pre a').first().click(); // one of two methods of this name
    await page.getByRole('link', { name: 'Call durations' }).click();
    const text = await page.locator('#method pre').innerText();
    assert.match(text, /^com\.github\.grishberg\.cad3d\.util\.SceneBuilderKeyboard\.createAndAdd/);
    assert.match(text, /\ncalled by\n.*SceneBuilderKeyboard/);
    assert.match(text, /\ncalls +3, .*[^]*\nlongest +2\.5\d+ s/);
    await close(page);
});
