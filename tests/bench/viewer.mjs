/* How fast a picture is in a browser: until it can be used (ready: its script says so; load: that has been painted), zoom,
 * search, another view, a filter; and how many elements it has. Two large trees, and beside them the classic form of a smaller one:
 * every frame an element, and a zoom that walks through all of them. Then the pages of a trace, from the file on. Prints a table of medians; fails nothing.
 *
 * usage: viewer.mjs [ROUNDS]
 * Environment: AFLAMED, MKTRACE (the programs), CHROMIUM. All other times are until the browser has painted. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startBrowser } from '../browser/support.mjs';
import { pureHalf } from '../support/flame_data.mjs';
import { classicPicture } from './viewer_classic.mjs';
import { measureLanes } from './viewer_lanes.mjs';
import { measurePages } from './viewer_pages.mjs';

const ROUNDS = Number(process.argv[2] ?? 20), PAGE_ROUNDS = 7;
const CLASSIC_NODES = 25_000;
const WIDTH_PX = 1600, HEIGHT_PX = 1000;
const LARGE = ['--records', '6000000', '--threads', '1', '--methods', '20000', '--stacks', '659000'];
const TERMS = ['get', 'on', 'init', 'View', 'run', 'set', 'a', 'Map', 'create', 'x'];
const VIEWS = ['inverted', 'icicle', 'sandwich', 'flame'];

/* What is promised: of what, its name, the limit, and whether it is the least. Times in ms, the others shares of the window. */
const LIMITS = [
    ['drop', 'file chosen to flame graph', 1000], ['words', 'file chosen to words', 1300], ['methods', 'tab of methods', 400],
    ['row', 'a row of it that opens', 100], ['first', 'first timeline', 500], ['wheel', 'timeline after the wheel', 60],
    ['space', 'frames of the window', 0.65, true], ['shift', 'parts that move', 0.02],
];

function printLimit(title, value, limit, isAtLeast = false) {
    const isMet = isAtLeast ? value >= limit : value <= limit, shown = number => number.toFixed(limit < 10 ? 3 : 0);
    console.log(`${isMet ? 'met   ' : 'MISSED'} ${title.padEnd(30)} ${shown(value).padStart(8)}  ${isAtLeast ? 'at least' : 'at most'} ${limit}`);
}

/* ---- the pictures ---- */

function render(folder, name, options, flags) {
    const trace = join(folder, name + '.trace'), svg = join(folder, name + '.svg');
    execFileSync(process.env.MKTRACE, [...options, '-o', trace], { stdio: 'ignore' });
    execFileSync(process.env.AFLAMED, ['render', '-q', ...flags, '-o', svg, trace], { stdio: 'ignore' });
    rmSync(trace);
    return svg;
}

function classicOf(folder, svg) {
    const [, escaped] = /<metadata class="d">([^]*?)<\/metadata>/.exec(readFileSync(svg, 'utf8'));
    const data = new (pureHalf().Data)(escaped.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'));
    const path = join(folder, 'classic.svg');
    writeFileSync(path, classicPicture(data, CLASSIC_NODES, WIDTH_PX));
    return path;
}

/* ---- in the page ---- */

/* Runs before the page's own scripts. `bench.time(action)`: ms until the browser has painted what it did. */
function prepare() {
    const painted = () => new Promise(resolve => requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => resolve(performance.now());
        port2.postMessage(null);
    }));
    const bench = { ready: null, painted: null, async time(action) {
        const began = performance.now();
        await action();
        return await painted() - began;
    } };
    globalThis.bench = bench;
    for (const event of ['flame-drawn', 'classic-drawn'])
        addEventListener(event, () => {
            bench.ready ??= performance.now();
            bench.painted ??= painted();
        });
}

/* Clicks a frame some way up, and comes back: [ms, whether it was one to zoom into]. */
async function zoomOurs([level, share]) {
    const svg = document.documentElement, box = svg.querySelector('.graph').getBoundingClientRect(), { flame } = svg;
    const at = { bubbles: true, clientX: box.left + 5 + (box.width - 10) * share, clientY: box.bottom - 8 - 16 * level };
    const ms = await globalThis.bench.time(() => svg.querySelector('.graph').dispatchEvent(new MouseEvent('click', at)));
    const isZoomed = flame.state.zoom !== '';
    await flame.reset();
    return [ms, isZoomed];
}
const searchOurs = term => globalThis.bench.time(() => document.documentElement.flame.search(term));
/* A frame is hidden, or stacks without it are dropped: in the whole tree each time. */
async function filterOurs([i, term]) {
    const { flame } = document.documentElement;
    const ms = await globalThis.bench.time(() => flame.filter(['hide', 'focus', 'show-from', 'ignore'][i % 4], term));
    await flame.undoFilter();
    return ms;
}
const switchOurs = view => globalThis.bench.time(() => document.documentElement.flame.set({ view }));

async function zoomClassic([level, share]) {
    const row = document.querySelectorAll(`g.l${level}`), frame = row[Math.floor(row.length * share)];
    const ms = frame === undefined ? 0 : await globalThis.bench.time(() => frame.dispatchEvent(new MouseEvent('click', { bubbles: true })));
    await globalThis.bench.time(() => globalThis.classic.reset());
    return [ms, frame !== undefined];
}
const searchClassic = term => globalThis.bench.time(() => globalThis.classic.search(term));

/* ---- measuring ---- */

const median = list => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? NaN;

async function measure(browser, path, { zoom, search, change, filter }) {
    const context = await browser.newContext({ viewport: { width: WIDTH_PX, height: HEIGHT_PX } }), page = await context.newPage();
    const times = { ready: [], load: [], zoom: [], search: [], change: [], filter: [] };
    let elements = 0;
    const count = async () => { elements = Math.max(elements, await page.evaluate(() => document.querySelectorAll('*').length)); };
    await page.addInitScript(prepare);
    page.setDefaultTimeout(120_000);
    for (let i = 0; i < ROUNDS; i++) {
        await page.goto('about:blank');
        await page.goto(pathToFileURL(path).href);
        times.load.push(await page.evaluate(() => globalThis.bench.painted));
        times.ready.push(await page.evaluate(() => globalThis.bench.ready));
        await count();
    }
    for (let i = 0; times.zoom.length < ROUNDS && i < 10 * ROUNDS; i++) {
        const [ms, isZoomed] = await page.evaluate(zoom, [4 + i % 12, (i * 0.37) % 1]);
        if (isZoomed)
            times.zoom.push(ms);
        await count();
    }
    for (let i = 0; i < ROUNDS; i++)
        times.search.push(await page.evaluate(search, TERMS[i % TERMS.length]));
    await count();
    for (let i = 0; change !== null && i < ROUNDS; i++) {
        times.change.push(await page.evaluate(change, VIEWS[i % VIEWS.length]));
        await count();
    }
    for (let i = 0; filter !== null && i < ROUNDS; i++)
        times.filter.push(await page.evaluate(filter, [i, TERMS[i % TERMS.length]]));
    await context.close();
    return { elements, ...Object.fromEntries(Object.entries(times).map(([key, list]) => [key, median(list)])) };
}

function print(cells) {
    console.log(cells.map((cell, i) => (i === 0 ? String(cell).padEnd(30) : String(cell).padStart(9))).join(' '));
}

function printRow(title, nodes, path, { ready, load, zoom, search, change, filter, elements }) {
    const ms = value => (Number.isNaN(value) ? '' : value < 10 ? value.toFixed(1) : value.toFixed(0));
    print([title, nodes, (statSync(path).size / 1e6).toFixed(1), ms(ready), ms(load), ms(zoom), ms(search), ms(change), ms(filter), elements]);
}

const nodesOf = path => Number(/data-nodes="(\d+)"/.exec(readFileSync(path, 'utf8'))[1]);

const folder = mkdtempSync(join(tmpdir(), 'bench-viewer-'));
const browser = await startBrowser();
try {
    const ours = { zoom: zoomOurs, search: searchOurs, change: switchOurs, filter: filterOurs };
    const usual = render(folder, 'usual', ['--preset', '57'], []);
    const large = render(folder, 'large', LARGE, ['--embed-nodes', '1000000', '--embed-bytes', '100000000']);
    const classic = classicOf(folder, usual);
    console.log(`Chromium ${browser.version()}, medians of ${ROUNDS}, ms until painted; load average ${loadavg()[0].toFixed(1)}\n`);
    print(['picture', 'nodes', 'MB', 'ready', 'load', 'zoom', 'search', 'view', 'filter', 'elements']);
    printRow('main thread of 57 MB', nodesOf(usual), usual, await measure(browser, usual, ours));
    printRow('large, all embedded', nodesOf(large), large, await measure(browser, large, ours));
    printRow('classic, all frames', CLASSIC_NODES, classic,
             await measure(browser, classic, { zoom: zoomClassic, search: searchClassic, change: null, filter: null }));
    console.log();
    const pages = await measurePages(browser, folder, Math.min(ROUNDS, PAGE_ROUNDS));
    const { first, wheel } = await measureLanes(browser, folder, ROUNDS, print);
    const measured = { ...Object.fromEntries(Object.entries(pages).map(([key, list]) => [key, median(list)])), first, wheel };
    console.log('\n57 MB in a window of 1280 x 800 (the timeline: 1600 x 1000)');
    for (const [key, title, limit, isAtLeast] of LIMITS)
        printLimit(title, measured[key], limit, isAtLeast);
} finally {
    await browser.close();
    rmSync(folder, { recursive: true });
}
