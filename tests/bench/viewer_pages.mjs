/* How fast the pages of a large trace are: from the choice of the file to the flame graph that can be used, and to the words; the
 * tab of methods, and a row of it that opens. And what the flame graph has of a window of usual size, and how far parts of the
 * page move while it loads. */
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { frameShareOf, shiftOf, startService, watchShift } from '../browser/support.mjs';
import { REST_MS } from './viewer_lanes.mjs';

const LOOK_MS = 20;     /* between two looks at a page */

/* ms until the page says so. */
async function wait(page, says, began = performance.now()) {
    while (!await page.evaluate(says).catch(() => false))
        await page.waitForTimeout(LOOK_MS);
    return performance.now() - began;
}

/* Runs before the pages' own scripts. The page that a file was chosen on leaves the time of that for the page of its result, which
 * notes when it has a picture and words: `sinceChoice` is {drop, words}, ms. Looking from outside costs more than what is looked at. */
function noteTimes() {
    const CHOSEN = 'bench.chosen', LOOK_MS = 5;
    const now = () => performance.timeOrigin + performance.now();
    addEventListener('change', () => sessionStorage.setItem(CHOSEN, String(now())), true);
    const times = globalThis.sinceChoice = {};
    const isThere = { drop: () => document.querySelector('#picture > svg')?.dataset.state === 'ready',
                      words: () => document.querySelector('#verdict[open] li') !== null };
    const look = setInterval(() => {
        for (const what of Object.keys(isThere))
            if (times[what] === undefined && isThere[what]())
                times[what] = now() - Number(sessionStorage.getItem(CHOSEN));
        if (times.drop !== undefined && times.words !== undefined)
            clearInterval(look);
    }, LOOK_MS);
}

const isShown = () => sinceChoice.drop !== undefined && sinceChoice.words !== undefined;
const isListed = () => document.getElementById('methods')?.dataset.state === 'ready';

/* In the page: clicks a row, until its callers are there and painted. */
async function openRow(n) {
    const OPENED = '.row-name[aria-expanded="true"]';
    const row = document.querySelectorAll('.row-name[aria-expanded="false"]')[n], began = performance.now();
    row.click();
    while (document.querySelector('#panel .method') === null || document.querySelector(OPENED) === null)
        await new Promise(done => setTimeout(done));
    const ms = performance.now() - began;
    document.querySelector(OPENED).click();
    while (document.querySelector(OPENED) !== null)
        await new Promise(done => setTimeout(done));
    document.querySelector('#panel').replaceChildren();
    return ms;
}

/* {drop, words, methods, row}: lists of ms; in each round the file is uploaded anew. {space, shift}: shares of the window. */
export async function measurePages(browser, folder, rounds) {
    const trace = join(folder, 'page.trace'), service = await startService(), times = { drop: [], words: [], methods: [], row: [], space: [], shift: [] };
    execFileSync(process.env.MKTRACE, ['--preset', '57', '-o', trace], { stdio: 'ignore' });
    try {
        for (let i = 0; i < rounds; i++) {
            const context = await browser.newContext({ viewport: { width: 1280, height: 800 } }), page = await context.newPage();
            await watchShift(page);
            await page.addInitScript(noteTimes);
            await page.goto(service.url);
            await page.waitForTimeout(REST_MS);
            await page.locator('#trace').setInputFiles(trace);
            await wait(page, isShown);
            const { drop, words } = await page.evaluate(() => sinceChoice);
            times.drop.push(drop);
            times.words.push(words);
            times.space.push(await frameShareOf(page));
            times.shift.push(await shiftOf(page));
            const { pathname } = new URL(page.url());
            const opened = performance.now();
            await page.goto(`${service.url}${pathname.replace(/\/t\/.*$/, '')}/methods`, { waitUntil: 'commit' });
            times.methods.push(await wait(page, isListed, opened));
            for (let n = 0; n < 3; n++)
                times.row.push(await page.evaluate(openRow, 4 * n));
            await context.close();
        }
    } finally {
        await service.stop();
    }
    return times;
}
