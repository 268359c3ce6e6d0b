/* Names of a release build, given on the page of its profile. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { browser, looksWell, openPage, serve, service, skip, startService, trace, until, upload } from './support.mjs';

const MAPPING = `# pg_map_id: 1a2b3c4
com.shop.Basket -> com.example.app.MainActivity:
    1:3:void fillBasket():10:12 -> onCreate
`;

serve();

const isReady = () => document.querySelector('#picture > svg')?.dataset.state === 'ready';
const picture = () => document.querySelector('#picture').textContent;

/* The browser that uploaded has the token, and fills it in. */
test('a mapping is applied and taken away', { skip }, async () => {
    const page = await openPage(browser, service);
    await page.goto(service.url);
    await page.setInputFiles('#trace', { name: 'app.trace', mimeType: 'application/octet-stream',
                                         buffer: Buffer.from(trace([{ id: 1, name: 'main', us: 400_000 }])) });
    await page.waitForURL(/\/p\//);
    await until(page, isReady);
    assert.match(await page.evaluate(picture), /onCreate/);
    await page.click('.rename > summary');
    await page.setInputFiles('#mapping', { name: 'mapping.txt', mimeType: 'text/plain', buffer: Buffer.from(MAPPING) });
    await page.click('text=Apply mapping');
    await until(page, () => /fillBasket/.test(document.querySelector('#picture')?.textContent));
    assert.doesNotMatch(await page.evaluate(picture), /onCreate/);
    await page.click('.about > summary');
    assert.match(await page.textContent('.about .sheet'), /1a2b3c4/);
    await page.click('.about > summary');
    await page.click('.rename > summary');
    await page.click('text=Take the mapping away');
    await until(page, () => /onCreate/.test(document.querySelector('#picture')?.textContent));
    assert.deepEqual(page.complaints, []);
    await page.context().close();
});

test('who cannot read the names is led to the field of their mapping', { skip }, async () => {
    const page = await openPage(browser, service), frames = Array.from('abcdefghijkl', letter => `a.${letter}.b`);
    const { url } = await upload(service, Buffer.from(`${frames.join(';')} 7\n`), 'release.folded');
    await page.goto(url);
    await page.click('.more-words');
    await page.click('#sentences a[href="#mapping"]');
    assert.ok(await page.isVisible('#mapping'));
    assert.equal(await page.evaluate(() => document.activeElement.id), 'mapping');
    assert.deepEqual(page.complaints, []);
    await page.context().close();
});

/* It is a choice of the owner's: nothing is applied by itself. */
test('a mapping is offered for the next upload of the same browser', { skip }, async () => {
    const page = await openPage(browser, service);
    const send = async (name, us) => {
        await page.goto(service.url);
        await page.setInputFiles('#trace', { name, mimeType: 'application/octet-stream', buffer: Buffer.from(trace([{ id: 1, name: 'main', us }])) });
        await page.waitForURL(/\/p\//);
        await until(page, isReady);
        await page.click('.rename > summary');
    };
    await send('first.trace', 500_000);
    assert.equal(await page.isVisible('#earlier-mappings'), false);
    await page.setInputFiles('#mapping', { name: 'mapping.txt', mimeType: 'text/plain', buffer: Buffer.from(MAPPING) });
    await page.click('text=Apply mapping');
    await until(page, () => /fillBasket/.test(document.querySelector('#picture')?.textContent));
    await send('second.trace', 600_000);
    assert.doesNotMatch(await page.evaluate(picture), /fillBasket/);
    assert.match(await page.textContent('#earlier-mappings option'), /^of first\.trace, /);
    await page.click('text=Apply that mapping');
    await until(page, () => /fillBasket/.test(document.querySelector('#picture')?.textContent));
    assert.deepEqual(page.complaints, []);
    await page.context().close();
});

/* A first click finds it, a second one applies it. */
test('a mapping of the service is found by names', { skip }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'aflamed-mappings-'));
    const team = await startService({ mappings_dir: folder });
    try {
        writeFileSync(join(folder, `fits-${'x'.repeat(120)}.txt`), MAPPING);
        writeFileSync(join(folder, 'other.txt'), 'org.Other -> a.b:\n');
        const page = await openPage(browser, team);
        await page.goto(team.url);
        await page.setInputFiles('#trace', { name: 'app.trace', mimeType: 'application/octet-stream',
                                             buffer: Buffer.from(trace([{ id: 1, name: 'main', us: 400_000 }])) });
        await page.waitForURL(/\/p\//);
        await until(page, isReady);
        await page.click('.rename > summary');
        await page.click('text=Find its mapping by names');
        await page.waitForSelector('text=Is this its mapping?');
        assert.match(await page.textContent('main'), /fits-x+\.txt knows \d+ of \d+ names?.*2 mappings were looked at\./);
        await looksWell(page, [320, 1280], async () => {});
        await page.click('text=Apply this mapping');
        await until(page, () => /fillBasket/.test(document.querySelector('#picture')?.textContent));
        assert.deepEqual(page.complaints, []);
        await page.context().close();
    } finally {
        await team.stop();
        rmSync(folder, { recursive: true });
    }
});
