/* Questions that people come with, each answered with no more steps than it may take: a step is a click. */
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { heapTrace } from './heap_support.mjs';
import { browser, close, movedOf, openPage, serve, service, shiftOf, skip, trace, until, upload, watchShift } from './support.mjs';

const samples = process.env.AFLAMED_SAMPLES && `${process.env.AFLAMED_SAMPLES}/samples`;
const HEAP = samples && `${samples}/perfetto/heap_continuous.pb`;
const without = path => skip || (path && existsSync(path) ? false : 'AFLAMED_SAMPLES names no samples');
let demo;

serve(async () => {
    demo = await upload(service, Buffer.from(await (await fetch(`${service.url}/demo.trace`)).arrayBuffer()));
});

/* Samples of an app with Java and native code, on and off the CPU. */
const SAMPLES = samples && `${samples}/not-profiles/simpleperf-cpu-clock.trace`;
/* A page, and a function that counts the clicks. */
async function openAt(url) {
    const page = await openPage(browser, service, { viewport: { width: 1280, height: 800 } }), steps = { n: 0 };
    await page.goto(url);
    await until(page, () => document.querySelector('#picture > svg')?.dataset.state === 'ready' && document.querySelector('#verdict li') !== null);
    const step = async locator => {
        await locator.click();
        steps.n++;
    };
    return { page, step, steps };
}

const shownWords = page => page.locator('#verdict li:visible').allInnerTexts();
const others = page => page.getByRole('button', { name: /^\d+ more$/ });

test('which own method costs most, who calls it, how long its calls were: 2', { skip }, async () => {
    const { page, step, steps } = await openAt(demo.url);
    assert.match((await shownWords(page))[0], /^com\.example\.recipes\.RecipesApp\.onCreate took /);
    await step(page.locator('#verdict li').first().getByRole('link', { name: 'com.example.recipes.RecipesApp.onCreate' }));
    await page.locator('#panel h3', { hasText: 'Callers' }).waitFor();
    assert.match(await page.locator('#panel .edges').first().innerText(), /callApplicationOnCreate/);
    await step(page.locator('#panel').getByRole('link', { name: 'Call durations, by thread' }));
    await page.locator('#durations > p:not([role="status"])').first().waitFor();     /* behind the words that it is being measured */
    assert.match(await page.locator('#durations > p').first().innerText(), /^1 call, which took 5\d\d ms/);
    assert.equal(steps.n, 2);
    await close(page);
});

test('which library has most unreleased memory at a dump, and what grew since the one before: 2', { skip: without(HEAP) }, async () => {
    const heap = await upload(service, readFileSync(HEAP), 'heap.pb'), { page, step, steps } = await openAt(heap.url);
    await step(page.locator('#dumps .heap.chosen a[aria-label^="dump 3,"]'));
    await until(page, () => /moment=3/.test(location.search) && /dump 3/.test(document.querySelector('#whole').textContent));
    await step(others(page));
    const words = (await shownWords(page)).join('\n');
    assert.match(words, /^By library: base\.odex 1\.04 MiB \(39\.4 % of the 2\.63 MiB of unreleased size of all heaps\)/m);
    assert.match(words, /^Since dump 2, the one before, unreleased size grew by 601 KiB .* by library libc\.so 179 KiB/m);
    assert.equal(steps.n, 2);
    await close(page);
});

test('which native function has most CPU time on all threads: 1, and who calls it: 2', { skip: without(SAMPLES) }, async () => {
    const recording = await upload(service, readFileSync(SAMPLES), 'app.trace'), { page, step, steps } = await openAt(recording.url);
    await step(others(page));
    const sentence = page.locator('#verdict li:visible', { hasText: 'Native functions' });
    assert.match(await sentence.innerText(), /^Native functions with the most self time on a CPU: art::Constructor_newInstance0 10\.8 ms \(4\.64 % of the 232 ms of CPU time of all threads\), .*; the kernel 77 ms \(33\.2 %\)\.$/);
    await step(sentence.getByRole('link', { name: 'art::Constructor_newInstance0' }));
    await page.locator('#panel h3', { hasText: 'Callers' }).waitFor();
    assert.match(page.url(), /\/t\/merged\?/);
    assert.match(await page.locator('#panel').innerText(), /10\.8 ms/);
    assert.equal(steps.n, 2);
    await close(page);
});

test('what else took time: 1, and all of it is in sight', { skip }, async () => {
    const { page, step } = await openAt(demo.url);
    await step(others(page));
    assert.ok((await shownWords(page)).length > 6);
    assert.ok(await page.evaluate(() => document.querySelector('#verdict .sentences').scrollHeight <= document.querySelector('#verdict .sentences').clientHeight + 1));
    const { y, height } = await page.locator('#picture').boundingBox();
    assert.ok(y < 500 && height > 250, 'the picture stays in sight');
    await close(page);
});

test('where the time went, on a telephone: 0', { skip }, async () => {
    const page = await openPage(browser, service, { viewport: { width: 400, height: 800 } });
    await watchShift(page);
    await page.goto(demo.url);
    const summary = page.locator('#verdict:not([open]) > summary', { hasText: ' took ' });
    await summary.waitFor();
    await page.locator('.lane-names button').first().waitFor();
    assert.match(await summary.innerText(), /onCreate took 5\d\d ms \(.* of main's 1\.75 s\)/);
    assert.ok(await summary.evaluate(one => one.scrollHeight <= one.clientHeight + 1 && one.scrollWidth <= one.clientWidth), 'all of it is seen');
    assert.ok(await shiftOf(page) < 0.02, JSON.stringify(await movedOf(page)));
    await close(page);
});

/* The same of a recording of our own, where the numbers can be known. */
test('what grew between two dumps: 2', { skip }, async () => {
    const heap = await upload(service, heapTrace(), 'heap.pb'), { page, step, steps } = await openAt(heap.url);
    await step(page.locator('#dumps .heap.chosen a[aria-label^="dump 3,"]'));
    await page.locator('#dumps .since', { hasText: 'Dump 3, ' }).waitFor();
    await step(page.locator('#dumps .since').getByRole('link', { name: '2', exact: true }));
    await until(page, () => /from dump 2 to dump 3/.test(document.querySelector('#whole').textContent));
    assert.match(await page.locator('#whole').innerText(), /^97\.7 KiB .*, from dump 2 to dump 3, and 48\.8 KiB less/);
    assert.equal(steps.n, 2);
    await close(page);
});

test('what other threads did during the longest wait of the main thread: 3', { skip }, async () => {
    const { page, step, steps } = await openAt(demo.url);
    await step(others(page));
    await step(page.locator('#verdict li', { hasText: 'waiting.' }).getByRole('link', { name: 'java.util.concurrent.CountDownLatch.await' }).first());
    await page.locator('.lane-marked', { hasText: /: [\d,]+ calls?/ }).waitFor();
    await step(page.getByRole('button', { name: /^The longest call: / }));
    await until(page, () => / from .* of /.test(document.querySelector('.lane-window').textContent));
    const told = async i => {
        await page.locator('.lane-names button').nth(i).focus();
        return page.locator('#lanes [role="status"]').textContent();
    };
    assert.match(await told(0), /^main: .*waiting 9\d %/);
    const worked = [await told(1), await told(2), await told(3), await told(4)].filter(words => /your code \d+ %/.test(words));
    assert.ok(worked.length >= 1, 'another thread runs code of the app meanwhile');
    assert.equal(steps.n, 3);
    await close(page);
});

test('what got slower between two recordings: 0, once they are compared', { skip }, async () => {
    const recordings = await Promise.all([1000, 3000].map(us => upload(service, trace([{ id: 1, name: 'main', us }]))));
    const { page, steps } = await openAt(`${service.url}/d/${recordings[0].id}..${recordings[1].id}`);
    const words = await shownWords(page);
    assert.match(words[0], /^Without waiting, B took .* more than A's /);
    assert.match(words[1], /com\.example\.app\.MainActivity\.onCreate \+/);
    assert.equal(steps.n, 0);
    await close(page);
});
