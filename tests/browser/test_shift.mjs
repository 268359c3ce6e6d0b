/* Nothing moves that can be read or clicked already: the shift of the layout while a page loads, of every page, with answers that
 * come one after another and late. */
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { heapTrace } from './heap_support.mjs';
import { browser, close, movedOf, openPage, serve, service, shiftOf, skip, trace, upload, watchShift } from './support.mjs';

const LIMIT = 0.02, LATE_MS = 120;
const START = process.env.AFLAMED_SAMPLES && `${process.env.AFLAMED_SAMPLES}/samples/system-trace/start-small.pb`;
const pages = {};     /* what it is: path */

async function methodOf(id, index) {
    const { columns, rows } = await (await fetch(`${service.url}/p/${id}/methods.json?limit=${index + 1}`)).json();
    return rows[index][columns.indexOf('id')];
}

async function pagesOf(what, id) {
    pages[what] = `/p/${id}`;
    for (const end of ['methods', 'verdict', `m/${await methodOf(id, 1)}`])
        pages[`${what}, ${end.replace(/\/.*/, '')}`] = `/p/${id}/${end}`;
}

serve(async () => {
    const demo = await upload(service, Buffer.from(await (await fetch(`${service.url}/demo.trace`)).arrayBuffer()));
    const heap = await upload(service, heapTrace(), 'heap.pb');
    const [a, b] = await Promise.all([1000, 3000].map(us => upload(service, trace([{ id: 1, name: 'main', us }]))));
    Object.assign(pages, { 'the front page': '/', 'my uploads': '/uploads', 'a comparison': `/d/${a.id}..${b.id}`, 'changes': `/d/${a.id}..${b.id}/methods`,
                           'a page that is not there': '/p/aaaaaaaaaaaaaaaaaaaaaaaaaa' });
    await pagesOf('method trace', demo.id);
    await pagesOf('heap profile', heap.id);
    if (START && existsSync(START))
        await pagesOf('system trace', (await upload(service, readFileSync(START), 'start.pb')).id);
});

/* What the scripts of a page fetch comes late, each a little later than the one before. */
async function delay(page, path) {
    let n = 0;
    await page.route(url => url.pathname !== path && !/\.(?:js|css|svg|png)$/.test(url.pathname), async route => {
        await new Promise(resolve => { setTimeout(resolve, LATE_MS * ++n); });
        await route.continue().catch(() => {});
    });
}

for (const width of [1280, 400])
    test(`no page moves by ${LIMIT} or more, ${width} px`, { skip }, async () => {
        const moved = {};
        for (const [what, path] of Object.entries(pages)) {
            const page = await openPage(browser, service, { viewport: { width, height: 800 } });
            await watchShift(page);
            await delay(page, path);
            await page.goto(service.url + path);
            await page.waitForLoadState('networkidle');
            const shift = await shiftOf(page);
            if (shift >= LIMIT)
                moved[what] = { shift, parts: await movedOf(page) };
            await close(page);
        }
        assert.deepEqual(moved, {});
    });
