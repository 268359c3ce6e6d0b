/* The page of one flame graph, in a browser. */
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { findings, missing, openPage, overflows, startBrowser, startService, trace, until, upload } from './support.mjs';

const skip = missing();
let service, browser, one;

before(async () => {
    if (skip)
        return;
    service = await startService();
    browser = await startBrowser();
    one = await upload(service, trace([{ id: 1, name: 'main', us: 900_000 }, { id: 2, name: 'x'.repeat(400), us: 600_000 },
                                       { id: 7, name: 'Thread <7>', us: 3_000 }]));
});

after(async () => {
    await browser?.close();
    await service?.stop();
});

async function open(path, options) {
    const page = await openPage(browser, service, options);
    await page.goto(`${one.url}/t/${path}`);
    return page;
}

async function close(page) {
    assert.deepEqual(page.complaints, []);
    await page.context().close();
}

test('nothing serious for axe, nothing wider than the window, in every size and scheme', { skip }, async () => {
    for (const colorScheme of ['light', 'dark'])
        for (const width of [360, 800, 1600, 2560])
            for (const track of ['2', 'all']) {
                const page = await open(track, { viewport: { width, height: 900 }, colorScheme });
                assert.equal(await overflows(page), false, `${width} px ${colorScheme}`);
                assert.deepEqual(await findings(page), [], `${width} px ${colorScheme}`);
                await close(page);
            }
});

test('the picture has its colours, as wide as its place', { skip }, async () => {
    const page = await open('1', { viewport: { width: 1900, height: 900 } });
    await until(page, () => document.querySelector('#picture svg').getAttribute('width') > 1700);
    assert.equal(await page.locator('#picture style').count(), 0);
    const fills = await page.locator('#picture .f rect').evaluateAll(all => all.map(r => getComputedStyle(r).fill));
    assert.ok(fills.length > 5 && new Set(fills).size > 2 && !fills.includes('rgb(0, 0, 0)'), fills.join());
    await close(page);
});

test('a choice takes effect at once, and goes along to the next thread', { skip }, async () => {
    const page = await open('1');
    await page.getByLabel('Value').selectOption('cpu');
    await page.waitForURL(/\/t\/1\?value=cpu$/);
    await page.getByLabel('View').selectOption('icicle');
    await page.waitForURL(/\/t\/1\?value=cpu&view=icicle$/);
    assert.equal(await page.getByLabel('Value').inputValue(), 'cpu');
    await page.getByRole('link', { name: 'Next' }).click();
    await page.waitForURL(/\/t\/2\?value=cpu&view=icicle$/);
    await page.getByLabel('Thread', { exact: true }).selectOption('7');
    await page.waitForURL(/\/t\/7\?value=cpu&view=icicle$/);
    assert.equal(await page.locator('h1').textContent(), 'Thread <7>');
    assert.equal(await page.getByRole('link', { name: 'Next' }).count(), 0);
    await page.getByRole('link', { name: 'Previous' }).click();
    await page.waitForURL(/\/t\/2\?/);
    await close(page);
});

test('every link of the page leads somewhere', { skip }, async () => {
    const page = await open('2?value=waiting&order=weight&width=900');
    const links = await page.locator('main a').evaluateAll(all => all.map(a => a.href));
    assert.ok(links.length >= 5);
    for (const link of links) {
        const answer = await fetch(link);
        assert.equal(answer.status, 200, link);
        await answer.arrayBuffer();
    }
    await close(page);
});

test('it works without scripts', { skip }, async () => {
    const page = await open('1', { javaScriptEnabled: false });
    await page.getByLabel('Order').selectOption('weight');
    await page.getByLabel('Thread', { exact: true }).selectOption('merged');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.waitForURL(/\/t\/merged\?value=wall&order=weight$/);
    assert.equal(await page.locator('h1').textContent(), 'All threads merged');
    assert.ok(await page.locator('#picture svg .f rect').count() > 5);
    await close(page);
});
