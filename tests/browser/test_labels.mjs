/* Labels of a pprof profile: its tracks become the values of the one that is chosen. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { message, number, text } from './heap_support.mjs';
import { browser, looksWell, openPage, serve, service, skip, until, upload } from './support.mjs';

let id;

/* Each sample: [stack, count, {key: value}]. */
function labelled(samples) {
    const strings = ['', 'samples', 'count'], functions = [];
    const place = (list, value) => list.includes(value) ? list.indexOf(value) : list.push(value) - 1;
    const bodies = samples.map(([stack, count, labels]) => message(2, ...[...stack].reverse().map(name => number(1, place(functions, name) + 1)),
        number(2, count), ...Object.entries(labels).map(([key, value]) => message(3, number(1, place(strings, key)), number(2, place(strings, value))))));
    const frames = functions.map((name, i) => Buffer.concat([message(4, number(1, i + 1), message(4, number(1, i + 1))),
                                                             message(5, number(1, i + 1), number(2, place(strings, name)))]));
    return Buffer.concat([message(1, number(1, 1), number(2, 2)), ...bodies, ...frames, ...strings.map(one => text(6, one))]);
}

serve(async () => {
    ({ id } = await upload(service, labelled([[['main', 'a'], 30, { endpoint: '/x', thread_name: 'ui' }], [['main', 'b'], 20, { endpoint: '/y', thread_name: 'ui' }],
                                              [['main', 'b'], 40, { endpoint: '/x', thread_name: 'io' }], [['main', 'c'], 10, {}]]), 'app.pb'));
});

const isReady = () => document.querySelector('#picture > svg')?.dataset.state === 'ready';
const tracks = page => page.locator('#threads a[data-track]').evaluateAll(links => links.filter(a => /^\d/.test(a.dataset.track)).map(a => a.firstChild.data.trim()));

test('the threads of the page become the values of a label, and threads again', { skip }, async () => {
    const page = await openPage(browser, service);
    await page.goto(`${service.url}/p/${id}`);
    await until(page, isReady);
    assert.deepEqual((await tracks(page)).sort(), ['all stacks', 'io', 'ui']);
    await page.click('#threads > summary');
    assert.deepEqual(await page.locator('#split a').allInnerTexts(), ['thread', 'label endpoint 2 values', 'label thread_name 2 values']);
    await page.fill('#thread-text', 'ui');
    assert.ok(await page.isVisible('#split a'), 'the filter is for threads');
    await page.click('#split a >> text=endpoint');
    await page.waitForURL(/split=endpoint/);
    await until(page, isReady);
    assert.deepEqual((await tracks(page)).sort(), ['(no endpoint)', '/x', '/y']);
    assert.match(await page.textContent('#whole'), /^70 .*\/x/);
    assert.match(await page.textContent('header'), /3 label values/);
    await page.click('#threads > summary');
    await page.click('#threads a[data-track] >> text=/y');
    await until(page, () => /^20 .*\/y/.test(document.querySelector('#whole').textContent));
    assert.match(page.url(), /\/t\/2\?split=endpoint$/);
    await page.selectOption('#view', 'inverted');
    await until(page, () => /split=endpoint/.test(location.search) && /view=inverted/.test(location.href));
    await page.click('.tabs >> text=Methods');
    await until(page, () => document.querySelector('#methods')?.dataset.state === 'ready');
    assert.match(page.url(), /split=endpoint/);
    assert.deepEqual((await page.locator('#methods tbody button').allInnerTexts()).map(name => name.trim()).sort(), ['b', 'main']);
    await page.click('#threads > summary');
    await page.click('#split a >> text=/^thread$/');
    await until(page, () => /methods$/.test(location.pathname) && !/split/.test(location.search) && document.querySelector('#methods')?.dataset.state === 'ready');
    assert.equal(await page.locator('#methods tbody button').count(), 4);
    assert.deepEqual(page.complaints, []);
    await page.context().close();
});

test('the list looks well', { skip }, async () => {
    const page = await openPage(browser, service);
    await looksWell(page, [400, 1280], async () => {
        await page.goto(`${service.url}/p/${id}?split=endpoint`);
        await until(page, isReady);
        await page.click('#threads > summary');
    });
    assert.deepEqual(page.complaints, []);
    await page.context().close();
});

test('without scripts it is a link', { skip }, async () => {
    const page = await openPage(browser, service, { javaScriptEnabled: false });
    await page.goto(`${service.url}/p/${id}?value=samples`);
    await page.click('#threads > summary');
    await page.click('#split a >> text=endpoint');
    assert.match(page.url(), /value=samples&split=endpoint$/);
    assert.equal((await page.textContent('#threads .shown')).trim(), '/x');
    await page.context().close();
});
