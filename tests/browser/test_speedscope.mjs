/* The export for speedscope, opened by a click in speedscope itself: its own importer reads it, and its table says what ours does. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { missing, startBrowser, startService, until, upload } from './support.mjs';
import { withPage } from './upload_support.mjs';

const FILES = new URL('./node_modules/speedscope/dist/release/', import.meta.url), ROWS_LEAST = 10;
const TYPES = { html: 'text/html', js: 'text/javascript', css: 'text/css' };
const NS = { ns: 1, 'µs': 1e3, ms: 1e6, s: 1e9 };

async function answer(request, response) {
    const name = new URL(request.url, 'http://x').pathname.slice(1) || 'index.html';
    const bytes = await readFile(new URL(name, FILES)).catch(() => null);
    response.writeHead(bytes === null ? 404 : 200, { 'Content-Type': TYPES[name.split('.').pop()] ?? 'application/octet-stream' });
    response.end(bytes);
}

/* "2.50ms (3%)": [nanoseconds, how far they may be from the exact number]. */
function timeOf(text) {
    const [, number, unit] = text.match(/^([\d.]+)(ns|µs|ms|s)/);
    return [Number(number) * NS[unit], 0.006 * NS[unit]];
}

describe('speedscope', { skip: missing() }, () => {
    let other, service, browser, uploaded;

    before(async () => {
        other = createServer(answer).listen(0, '127.0.0.1');
        await once(other, 'listening');
        service = await startService({ speedscope_url: `http://127.0.0.1:${other.address().port}` });
        browser = await startBrowser();
        uploaded = await upload(service, execFileSync(process.env.AFLAMED, ['demo']), 'demo.trace');
    });

    after(async () => {
        await browser?.close();
        await service?.stop();
        other?.close();
    });

    /* The rows of its table of methods, which come after its head. */
    async function tableOf(tool) {
        await until(tool, () => document.body.innerText.includes('Sandwich'));
        await tool.keyboard.press('3');
        await until(tool, () => Array.from(document.querySelectorAll('tr'), row => row.cells[0]).some(cell => /\(.*%\)/.test(cell?.innerText)));
        return tool.evaluate(() => Array.from(document.querySelectorAll('tr'), row => Array.from(row.cells, cell => cell.innerText.trim()))
            .filter(cells => cells.length === 3 && /\(.*%\)/.test(cells[0]))
            .map(([total, self, name]) => [total, self, name.replace(/ \{.*\}$/, '')]));     // it adds the arguments of trace events
    }

    /* Overloads have one name there: they are left out. */
    async function compare(shown) {
        const { columns, rows } = await (await fetch(`${service.url}/p/${uploaded.id}/methods.json?track=9417`)).json();
        const of = name => columns.indexOf(name), ours = new Map();
        for (const row of rows) {
            const name = `${row[of('class')]}.${row[of('method')]}`;
            ours.set(name, [...(ours.get(name) ?? []), [row[of('wall_incl')] * 1e3, row[of('wall_excl')] * 1e3]]);
        }
        const known = shown.filter(([, , name]) => ours.get(name)?.length === 1);
        assert.ok(known.length >= ROWS_LEAST, `${known.length} of ${shown.length} rows`);
        for (const [total, self, name] of known)
            for (const [text, exact] of [[total, ours.get(name)[0][0]], [self, ours.get(name)[0][1]]]) {
                const [near, off] = timeOf(text);
                assert.ok(Math.abs(near - exact) <= off, `${name}: ${text} is ${exact} ns here`);
            }
    }

    test('has each thread, and its methods with their times', () => withPage(browser, service, {}, async page => {
        await page.goto(`${service.url}/p/${uploaded.id}`);
        await page.click('#main-menu > summary');
        await page.click('details.downloads summary');
        const [tool] = await Promise.all([page.waitForEvent('popup'), page.click('button:has-text("Open in speedscope")')]);
        await until(tool, () => / \(\d+\/\d+\)/.test(document.body.innerText));
        const { tracks } = await (await fetch(`${service.url}/p/${uploaded.id}.json`)).json();
        assert.match(await tool.locator('body').innerText(), new RegExp(`^main tid=9417 \\(\\d+/${tracks.length}\\)$`, 'm'));
        await compare(await tableOf(tool));
    }));

    /* It has readers of its own for the formats of other tools. */
    for (const [path, name] of [['calls.chrome?track=9417', 'calls.json'], ['t/9417.pb.gz', 'demo.pb.gz']])
        test(`reads ${path}`, () => withPage(browser, service, {}, async page => {
            const got = await fetch(`${service.url}/p/${uploaded.id}/${path}`), buffer = Buffer.from(await got.arrayBuffer());
            assert.equal(got.status, 200);
            const tool = await page.context().newPage();
            await tool.goto(`http://127.0.0.1:${other.address().port}/`);
            await tool.setInputFiles('input[type=file]', { name, mimeType: '', buffer });
            await compare(await tableOf(tool));
        }));
});
