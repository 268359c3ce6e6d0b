/* How fast lanes are in a browser: until the first are there; from the wheel to those that are as fine as the picture, each in a window
 * that nobody asked for before; the script's work for a frame while the window moves, and while 300 threads are scrolled through; from
 * a range to its flame graph. The thread that is busiest has its calls open. Beside the wheel and the range stands the processor time
 * that one took, of the page's main thread and of the service, which other work on the machine does not lengthen much. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startService, upload } from '../browser/support.mjs';

const WHEEL = -400, PATIENCE_MS = 60_000, RANGES = 5, TICK_MS = 10, FIRSTS = 5, LOOK_MS = 10;
const isFine = () => document.querySelector('#lanes .lane-place')?.dataset.state === 'ready';

/* Chromium goes on starting processes when a new window is there; a person has not done anything by then. */
export const REST_MS = 1_000;

const byShare = (list, share) => [...list].sort((a, b) => a - b)[Math.min(Math.floor(list.length * share), list.length - 1)];

/* In the page: ms from the wheel at that share of the lanes' width until the browser has painted the frame that shows lanes as fine as
 * the picture again; null: the first frame does, from answers that were there. */
async function wheel([delta, share]) {
    const canvas = document.querySelector('#lanes .lane-canvas'), place = document.querySelector('#lanes .lane-place'), box = canvas.getBoundingClientRect();
    const painted = () => new Promise(resolve => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => resolve(performance.now());     /* behind the frame in which the state is told */
        new MutationObserver((_, drawn) => {
            drawn.disconnect();
            port2.postMessage(null);
        }).observe(place, { attributeFilter: ['data-state'] });
    });
    const began = performance.now();
    canvas.dispatchEvent(new WheelEvent('wheel', { deltaY: delta, clientX: box.left + box.width * share, clientY: box.top + 8, bubbles: true, cancelable: true }));
    await painted();
    if (place.dataset.state === 'ready')
        return null;
    for (;;) {
        const ended = await painted();
        if (place.dataset.state === 'ready')
            return ended - began;
    }
}

/* In the page: ms of work for each frame that `keys` or scrolling draws. */
async function work([keys, scrollPx, frames]) {
    const canvas = document.querySelector('#lanes .lane-canvas'), place = document.querySelector('#lanes .lane-place'), scroll = document.querySelector('#lanes .lane-scroll'), list = [];
    const frame = () => new Promise(requestAnimationFrame);
    for (let i = 0; i < frames; i++) {
        const began = performance.now();
        if (scrollPx > 0)
            scroll.scrollTop = (i * scrollPx) % Math.max(scroll.scrollHeight - scroll.clientHeight, 1);
        else
            canvas.dispatchEvent(new KeyboardEvent('keydown', { key: keys[Math.floor(i / 10) % keys.length], bubbles: true, cancelable: true }));
        const asked = performance.now() - began;
        await frame();
        await frame();
        list.push(asked + Number(place.dataset.workMs));
    }
    return list;
}

/* In the page: ms from the key that chooses the window as the range until its flame graph is drawn. */
async function range() {
    const frame = () => new Promise(requestAnimationFrame), began = performance.now(), before = document.querySelector('#picture > svg');
    document.querySelector('#lanes .lane-canvas').dispatchEvent(new KeyboardEvent('keydown', { key: 'r', bubbles: true, cancelable: true }));
    for (let svg = before; svg === before || svg?.dataset.state !== 'ready' || document.body.classList.contains('loading'); svg = document.querySelector('#picture > svg'))
        await frame();
    await frame();
    return performance.now() - began;
}

/* ms of the page's main thread, and of the service. */
async function processorTimes(client, pid) {
    const { metrics } = await client.send('Performance.getMetrics'), stat = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ');
    return [1000 * metrics.find(({ name }) => name === 'TaskDuration').value, (Number(stat[11]) + Number(stat[12])) * TICK_MS];
}

/* Looks at a page now and then: to look without end would take the processors from what is measured. */
async function until(page, says) {
    for (const end = Date.now() + PATIENCE_MS; !await page.evaluate(says).catch(() => false); await page.waitForTimeout(LOOK_MS))
        if (Date.now() > end)
            throw new Error(`waited in vain for ${says}`);
}

/* The page, opened by a browser that is at rest and has nothing of it, and ms until its lanes are there. */
async function open(browser, url) {
    const page = await (await browser.newContext({ viewport: { width: 1600, height: 1000 } })).newPage();
    await page.waitForTimeout(REST_MS);
    const began = performance.now();
    await page.goto(url, { waitUntil: 'commit' });
    await until(page, isFine);
    return { page, ms: performance.now() - began };
}

async function measureOne(browser, { url }, pid, rounds) {
    const firsts = [];
    let page;
    for (let i = 0; i < FIRSTS; i++) {
        await page?.context().close();
        const opened = await open(browser, url);
        page = opened.page;
        firsts.push(opened.ms);
    }
    const client = await page.context().newCDPSession(page);
    await client.send('Performance.enable', { timeDomain: 'threadTicks' });
    await page.locator('#lanes .lane-names button').first().click();
    await until(page, isFine);
    const wheels = [], before = await processorTimes(client, pid);
    for (let i = 0; wheels.length < rounds && i < 10 * rounds; i++) {
        if (i % 6 === 0)
            await page.locator('#lanes .lane-canvas').press('Escape');
        const ms = await page.evaluate(wheel, [WHEEL, 0.05 + 0.9 * ((i * 0.37) % 1)]);
        if (ms !== null)
            wheels.push(ms);
    }
    const wheeled = await processorTimes(client, pid), turns = wheels.length;
    const pan = await page.evaluate(work, ['ad', 0, 100]), scroll = await page.evaluate(work, ['', 40, 100]);
    await page.locator('#lanes .lane-canvas').press('Escape');
    await until(page, isFine);
    const ranges = [], spent = [];
    for (let i = 0; i < RANGES; i++) {
        await page.locator('#lanes .lane-canvas').press('w');
        await until(page, isFine);
        const unranged = await processorTimes(client, pid);
        ranges.push(await page.evaluate(range));
        spent.push((await processorTimes(client, pid)).map((ms, k) => ms - unranged[k]));
    }
    await page.context().close();
    const each = list => list.map(ms => ms.toFixed(0)).join('+');
    return [byShare(firsts, 0.5), byShare(wheels, 0.5), each(wheeled.map((ms, k) => (ms - before[k]) / turns)), byShare(pan, 0.95), byShare(scroll, 0.95), byShare(ranges, 0.5),
            each([0, 1].map(k => byShare(spent.map(one => one[k]), 0.5)))];
}

/* Prints a row for each trace. {first, wheel}: ms, of the first one. */
export async function measureLanes(browser, folder, rounds, print) {
    const service = await startService(), told = {};
    try {
        print(['lanes', 'first', 'wheel', 'CPU', 'pan 95%', 'scroll 95%', 'range', 'CPU']);
        for (const [title, options] of [['57 MB, 18 threads', ['--preset', '57']], ['300 threads', ['--family', 'threads', '--size', '300']]]) {
            const path = join(folder, 'lanes.trace');
            execFileSync(process.env.MKTRACE, [...options, '-o', path], { stdio: 'ignore' });
            const cells = await measureOne(browser, await upload(service, readFileSync(path)), service.pid, rounds);
            const [first, wheels] = cells;
            Object.assign(told, { first, wheel: wheels, ...told });
            print([title, ...cells.map(one => (typeof one === 'number' ? one.toFixed(one < 10 ? 1 : 0) : one))]);
        }
    } finally {
        await service.stop();
    }
    return told;
}
