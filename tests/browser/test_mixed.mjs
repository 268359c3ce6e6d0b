/* A trace of sections, CPU samples and dumps of a heap: from a section to what was sampled in it, and from track to track. */
import { execFileSync } from 'node:child_process';
import { dirname } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import assert from 'node:assert/strict';
import { browser, close, looksWell, openPage, serve, service, skip, until, upload } from './support.mjs';

const MAKE = `import random, sys
sys.path.insert(0, sys.argv[1])
import mixed_trace
sys.stdout.buffer.write(mixed_trace.start_of_an_app(random.Random(3))[0].bytes())`;
const bytes = execFileSync('python3', ['-B', '-c', MAKE, `${dirname(fileURLToPath(import.meta.url))}/../support`]);
let id;

serve(async () => {
    ({ id } = await upload(service, bytes, 'app.pftrace'));
});

const isReady = () => document.querySelector('#picture > svg')?.dataset.state === 'ready';
const whole = page => page.locator('#whole').textContent();

async function open(path) {
    const page = await openPage(browser, service, { viewport: { width: 1280, height: 900 } });
    await page.goto(`${service.url}/p/${id}${path}`);
    await until(page, isReady);
    return page;
}

/* The link in the menu of threads. */
const link = (page, name) => page.locator('#threads a[data-track]', { hasText: name }).first();

test('a chosen section leads to the samples within it', { skip }, async () => {
    const page = await open('');
    await page.locator('#lanes button[title^="main (4242)"]').click();
    await page.locator('#lanes .lane-canvas').focus();
    await until(page, () => document.querySelector('#lanes button[aria-expanded="true"]') !== null);
    for (let tries = 0; tries < 50 && await page.locator('#chosen-call').count() === 0; tries++) {     /* its calls are on their way */
        await page.keyboard.press('ArrowDown');
        await page.waitForTimeout(200);
    }
    await page.locator('#chosen-call').getByText('CPU samples in it').click();
    await until(page, () => /samples/.test(document.querySelector('#whole').textContent));
    assert.match(page.url(), /\/t\/\d+\?from=[\d.]+&to=[\d.]+/);
    assert.match(await whole(page), /^[\d,]+ · samples, .* · main, CPU samples \(4242\)/);
    assert.deepEqual(await page.locator('#value option').allInnerTexts(), ['samples']);
    await close(page);
});

test('a track of another kind is shown by a value of its own', { skip }, async () => {
    const page = await open('');
    await page.selectOption('#value', 'cpu');
    await until(page, () => /time on a processor/.test(document.querySelector('#whole').textContent));
    assert.match(await link(page, 'worker 4').getAttribute('href'), /value=cpu/);
    for (const [name, words] of [['worker, CPU samples', 'samples'], ['com.example.app', 'Unreleased malloc size']]) {
        assert.doesNotMatch(await link(page, name).getAttribute('href'), /value=/);
        await page.click('#threads > summary');
        await link(page, name).click();
        await until(page, say => document.querySelector('#whole').textContent.includes(say), words);
    }
    await close(page);
});

test('it looks well', { skip }, async () => {
    const page = await open('?from=70000&to=170000');
    await looksWell(page, [400, 1280], () => until(page, isReady));
    await close(page);
});
