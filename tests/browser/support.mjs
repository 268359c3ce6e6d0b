/* What the browser tests share: a service of their own, a browser, traces, and pages that are watched.
 *
 * Environment: AFLAMED (the program), CHROMIUM (default /usr/bin/chromium; it is used for all tests if it is named). */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before } from 'node:test';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import assert from 'node:assert/strict';
import { chromium } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const STOP_MS = 15_000;
export const PATIENCE_MS = 60_000;     /* for what takes a second unless the machine is busy */

/* ---- the service ---- */

/* {url, pid, stop()}: a process of the program on a port of its own; keys of the configuration as properties. */
export async function startService(config = {}) {
    const folder = mkdtempSync(join(tmpdir(), 'aflamed-browser-'));
    const flags = Object.entries(config).flatMap(([key, value]) => ['--' + key.replaceAll('_', '-'), String(value)]);
    const process_ = spawn(process.env.AFLAMED, ['serve', '--listen', '127.0.0.1:0', '--store', join(folder, 'store'),
                                                 ...flags], { stdio: ['ignore', 'pipe', 'ignore'] });
    const ended = new Promise(resolve => process_.once('exit', resolve));
    const url = await new Promise((resolve, reject) => {
        let said = '';
        process_.stdout.on('data', bytes => {
            said += bytes;
            const found = /^aflamed listens on (http:\S+?)\/?\n/.exec(said);
            if (found !== null)
                resolve(found[1]);
        });
        ended.then(status => reject(new Error(`the service ended with ${status}: ${said}`)));
    });
    return {
        url, pid: process_.pid,
        async stop() {
            process_.kill('SIGTERM');
            const timer = setTimeout(() => process_.kill('SIGKILL'), STOP_MS);
            const status = await ended;
            clearTimeout(timer);
            rmSync(folder, { recursive: true, force: true });
            assert.equal(status, 0, 'the service ends cleanly');
        },
    };
}

/* The answer to an upload, as JSON: {id, url, delete_token, ...} */
export async function upload(service, bytes, name = 'app.trace') {
    const answer = await fetch(`${service.url}/?name=${encodeURIComponent(name)}`, {
        method: 'POST', body: bytes, headers: { Accept: 'application/json' },
    });
    assert.equal(answer.status, 201, await answer.clone().text());
    return answer.json();
}

/* ---- traces ---- */

/* A method trace with both clocks. Each of `threads` ({id, name, us: processor time}) runs a few nested methods. */
export function trace(threads, { overflow = false } = {}) {
    const methods = ['android/os/Looper.loop', 'com/example/app/MainActivity.onCreate', 'java/util/HashMap.get',
                     'androidx/compose/ui/Modifier.then', 'kotlin/sequences/Sequence.map', 'okhttp3/Call.execute'];
    const records = [];
    for (const t of threads)
        for (let i = 0; i < 2 * methods.length; i++) {
            const depth = i < methods.length ? i : 2 * methods.length - 1 - i;
            const at = Math.floor((t.us ?? 1000) * i / (2 * methods.length - 1));
            records.push([t.id, depth * 4 + (i < methods.length ? 0 : 1), at, at * 2]);
        }
    return traceOf(threads, methods, records, overflow);
}

/* Of records [thread, 4 * number of the method, with 1 for an exit, processor time and time in µs]. */
export function traceOf(threads, methods, records, overflow = false) {
    const text = ['*version', '3', 'data-file-overflow=' + overflow, 'clock=dual', 'elapsed-time-usec=500000',
                  'clock-call-overhead-nsec=250', 'vm=art', 'pid=4711', '*threads',
                  ...threads.map(t => `${t.id}\t${t.name}`), '*methods',
                  ...methods.map((m, i) => {
                      const dot = m.lastIndexOf('.');
                      return `0x${(i * 4).toString(16)}\t${m.slice(0, dot)}\t${m.slice(dot + 1)}\t()V\tFile.java`;
                  }), '*end', ''].join('\n');
    const header = Buffer.alloc(32);
    header.write('SLOW', 0, 'latin1');
    header.writeUInt16LE(3, 4);
    header.writeUInt16LE(32, 6);
    header.writeBigUInt64LE(1_600_000_000_000_000n, 8);
    header.writeUInt16LE(14, 16);
    const body = Buffer.alloc(records.length * 14);
    records.forEach(([thread, method, cpu, wall], i) => {
        body.writeUInt16LE(thread, i * 14);
        body.writeUInt32LE(method, i * 14 + 2);
        body.writeUInt32LE(cpu, i * 14 + 6);
        body.writeUInt32LE(wall, i * 14 + 10);
    });
    return Buffer.concat([Buffer.from(text, 'utf8'), header, body]);
}

/* ---- the browser ---- */

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
/* Chromium without a window, for tests that do not ask how things are drawn: it takes less than half of the processor's time. */
const SHELL = '/usr/bin/chromium-headless-shell';

/* Why no browser can be had, or false. */
export function missing() {
    if (!existsSync(CHROMIUM))
        return `no browser at ${CHROMIUM}`;
    return process.env.AFLAMED ? false : 'AFLAMED names no program';
}

/* `whole`: with all that draws and resizes frames. */
export function startBrowser(whole = false) {
    return chromium.launch({
        executablePath: whole || process.env.CHROMIUM || !existsSync(SHELL) ? CHROMIUM : SHELL,
        args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
               '--disable-component-update', '--disable-sync'],
    });
}

/* A page in a fresh context. `page.complaints` collects what must not happen: violations of the content security
 * policy, errors of scripts, requests elsewhere. */
export async function openPage(browser, service, options = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    const page = await context.newPage();
    page.complaints = [];
    page.on('console', said => {
        if (said.type() === 'error' && !said.text().startsWith('Failed to load resource'))
            page.complaints.push(said.text());
    });
    page.on('pageerror', error => page.complaints.push(String(error)));
    page.on('request', request => {
        if (!request.url().startsWith(service.url + '/'))
            page.complaints.push('request to ' + request.url());
    });
    return page;
}

/* Before a page is opened: how far its parts move while it loads, which shiftOf tells, and which parts, which movedOf names. */
export const watchShift = page => page.addInitScript(() => {
    Object.assign(globalThis, { shift: 0, moved: [] });
    const nameOf = ({ node, previousRect: from, currentRect: to }) => `${node?.id || node?.className || node?.nodeName}: ${from.y} to ${to.y}, ${from.height} to ${to.height}`;
    new PerformanceObserver(list => list.getEntries().forEach(({ value, sources }) => {
        globalThis.shift += value;
        globalThis.moved.push(...sources.map(nameOf));
    })).observe({ type: 'layout-shift', buffered: true });
});
export const shiftOf = page => page.evaluate(() => globalThis.shift);
export const movedOf = page => page.evaluate(() => globalThis.moved);

/* How much of the window's height the frames have, without what the picture has above them. */
export const frameShareOf = page => page.evaluate(() => {
    const { top, bottom } = document.getElementById('picture').getBoundingClientRect();
    return (Math.min(bottom, innerHeight) - top - document.querySelector('#picture .bar').getBoundingClientRect().height) / innerHeight;
});

/* The page has been painted, or has nothing to paint. Chromium throws away keys and clicks that come before. */
const isPainted = () => performance.getEntriesByType('paint').length > 0 || document.body.innerText.trim() === '';

/* Waits until the page says so. (What playwright has for this evaluates text within the page, which its policy
 * forbids.) */
export async function until(page, says, argument) {
    const END_MS = Date.now() + PATIENCE_MS;
    const holds = async () => await page.evaluate(says, argument) && await page.evaluate(isPainted);
    while (!await holds().catch(() => false)) {     /* it may be on its way elsewhere */
        assert.ok(Date.now() < END_MS, `waited in vain for ${says}`);
        await page.waitForTimeout(50);
    }
}

/* What axe finds at this page that is serious or critical: in words, one per finding. */
export async function findings(page) {
    await page.evaluate(AXE);
    const { violations } = await page.evaluate(() => globalThis.axe.run());
    return violations.filter(v => v.impact === 'serious' || v.impact === 'critical')
        .map(v => `${v.id}: ${v.help}: ${v.nodes.map(n => n.html.slice(0, 200)).join(' | ')}`);
}

/* Whether the page is wider than its window. */
export function overflows(page) {
    return page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
}

/* `show` opens the page in windows of these widths: it is never wider than its window, and axe finds nothing serious in the
 * narrowest and in the widest. A scheme changes colours only, so that one window in the dark is enough. */
export async function looksWell(page, widths, show) {
    for (const width of widths) {
        await page.setViewportSize({ width, height: 900 });
        await show();
        /* Pictures are drawn anew for the width in the frame behind. */
        await until(page, () => document.documentElement.scrollWidth <= innerWidth).catch(() => {});
        assert.equal(await overflows(page), false, `${width} px`);
        if (width === widths[0] || width === widths.at(-1))
            assert.deepEqual(await findings(page), [], `${width} px`);
    }
    await page.emulateMedia({ colorScheme: 'dark' });
    assert.deepEqual(await findings(page), [], 'dark');
}

/* ---- a file of tests ---- */

export const skip = missing();
/* Both from the first test of a file to its last, if it calls `serve`. */
export let service, browser;

/* Behind the start of both `prepare` is called, which uploads what the tests are about. */
export function serve(prepare = async () => {}, config = {}) {
    before(async () => {
        if (skip)
            return;
        service = await startService(config);
        browser = await startBrowser();
        await prepare();
    });
    after(async () => {
        await browser?.close();
        await service?.stop();
    });
}

/* Of a page of `openPage`, which must not have complained. */
export async function close(page) {
    assert.deepEqual(page.complaints, []);
    await page.context().close();
}
