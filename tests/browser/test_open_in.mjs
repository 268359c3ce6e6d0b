/* Exports that are opened in the pages of other tools, which stand in for these here: they take what they are given as the documents of the tools say. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { missing, startBrowser, startService, trace, until, upload } from './support.mjs';
import { withPage } from './upload_support.mjs';

const TRACE = trace([{ id: 1, name: 'main', us: 1000 }, { id: 2, name: 'worker', us: 400 }]);

/* What each page of the other site does; it keeps in `window.got` what it was told. */
const PAGES = {
    '/perfetto/': `addEventListener('message', ({ data, source }) => {
        if (data === 'PING') source.postMessage('PONG', '*');
        else got = { title: data.perfetto.title, bytes: data.perfetto.buffer.byteLength, first: new Uint8Array(data.perfetto.buffer)[0] };
    });`,
    '/firefox/from-post-message/': `addEventListener('message', ({ data, source, origin }) => {
        if (data.name === 'is-ready') source.postMessage({ name: 'is-ready' }, origin);
        else got = { name: data.name, version: data.profile.meta.preprocessedProfileVersion };
    });`,
    '/speedscope/': `const keys = new URLSearchParams(location.hash.slice(1));
        fetch(keys.get('profileURL')).then(answer => answer.json())
            .then(file => { got = file.profiles.map(({ name }) => name); }, error => { got = String(error); });`
};

describe('opening in other tools', { skip: missing() }, () => {
    let other, service, plain, browser, uploaded;

    before(async () => {
        other = createServer((request, response) => {
            const script = PAGES[new URL(request.url, 'http://x').pathname];
            response.writeHead(script === undefined ? 404 : 200, { 'Content-Type': 'text/html' });
            response.end(`<!DOCTYPE html><title>tool</title><script>let got = null; ${script}</script>`);
        });
        other.listen(0, '127.0.0.1');
        await once(other, 'listening');
        const at = `http://127.0.0.1:${other.address().port}`;
        service = await startService({ perfetto_url: `${at}/perfetto`, firefox_profiler_url: `${at}/firefox`, speedscope_url: `${at}/speedscope` });
        plain = await startService();
        browser = await startBrowser();
        uploaded = await upload(service, TRACE, 'my.trace');
    });

    after(async () => {
        await browser?.close();
        await Promise.all([service, plain].map(one => one?.stop()));
        other?.close();
    });

    async function opened(page, words) {
        await page.goto(`${service.url}/p/${uploaded.id}?hide=nothing-has-this`);
        await page.click('#main-menu > summary');
        await page.click('details.downloads summary');
        const [tool] = await Promise.all([page.waitForEvent('popup'), page.click(`button:has-text("${words}")`)]);
        await until(tool, () => got !== null);
        return tool.evaluate(() => got);
    }

    test('Perfetto is given the trace', () => withPage(browser, service, {}, async page => {
        const got = await opened(page, 'Open in Perfetto');
        const sent = await (await fetch(`${service.url}/p/${uploaded.id}/calls.perfetto?hide=nothing-has-this`)).arrayBuffer();
        assert.deepEqual(got, { title: await page.title(), bytes: sent.byteLength, first: 10 });
        await until(page, () => [...document.querySelectorAll('[data-open-in] + [role=status]')].every(one => one.textContent === ''));
    }));

    test('the Firefox Profiler is given the profile', () => withPage(browser, service, {}, async page =>
        assert.deepEqual(await opened(page, 'Open in the Firefox Profiler'), { name: 'inject-profile', version: 48 })));

    test('speedscope fetches it', () => withPage(browser, service, {}, async page =>
        assert.deepEqual(await opened(page, 'Open in speedscope'), ['main tid=1', 'worker tid=2'])));

    test('only what speedscope fetches may be read by its page, and by no other one', async () => {
        const allowed = async path => (await fetch(service.url + path)).headers.get('Access-Control-Allow-Origin');
        const at = `/p/${uploaded.id}`, origin = `http://127.0.0.1:${other.address().port}`;
        assert.equal(await allowed(`${at}/calls.speedscope`), origin);
        assert.equal(await allowed(`${at}/t/all.speedscope.json`), origin);
        for (const path of [at, `${at}.json`, `${at}/raw`, `${at}/calls.perfetto`, `${at}/calls.json`, `${at}/t/all.folded.txt`, `${at}/t/all.firefox.json.gz`])
            assert.equal(await allowed(path), null, path);
    });

    test('says where the data goes', () => withPage(browser, service, {}, async page => {
        await page.goto(`${service.url}/p/${uploaded.id}`);
        await page.click('#main-menu > summary');
        await page.click('details.downloads summary');
        assert.match(await page.textContent('[data-open-in-words]'), /page of another site: http:.*perfetto, .*speedscope\. Only by that click/);
    }));

    test('offers nothing unless it is configured', () => withPage(browser, plain, {}, async page => {
        const { id } = await upload(plain, TRACE);
        await page.goto(`${plain.url}/p/${id}`);
        assert.equal(await page.locator('[data-open-in], [data-open-in-words]').count(), 0);
        assert.equal((await fetch(`${plain.url}/p/${id}/calls.speedscope`)).headers.get('Access-Control-Allow-Origin'), null);
    }));
});
