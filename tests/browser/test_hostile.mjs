/* Names as weapons, in a browser: nothing of them runs, nothing is asked for elsewhere, pages stay readable. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { browser, openPage, overflows, serve, service, skip, trace, until, upload } from './support.mjs';
import { kept } from './upload_support.mjs';

const NAMES = fileURLToPath(new URL('../support/hostile_names.py', import.meta.url));
const OTHER_VIEWS = ['icicle', 'inverted', 'sandwich', 'chart'];
const EXPECTED = [/^\/$/, /^\/uploads$/, /^\/static\/[0-9a-f]+\/[\w.-]+$/, /^\/p\/[a-z2-7]{26}(\/(t\/[\w,.-]+(\/[\w.-]+)?|verdict|lanes\.json|methods\.json|m\/[0-9a-f]{12}\.json|status\.json|events|rename))?$/,
                  /^\/p\/[a-z2-7]{26}\.(json|html|txt)$/, /^\/favicon\.ico$/, /^\/api\/v1\/profiles$/];
const KINDS = ['regular', 'streaming', 'folded'];
const results = {};

/* What the generator writes: a trace of that kind, or names. */
function generated(kind) {
    return execFileSync('python3', ['-B', NAMES, kind], { maxBuffer: 1 << 28 });
}

serve(async () => {
    results.harmless = await upload(service, trace([{ id: 1, name: 'main' }, { id: 2, name: 'b' }]));
    for (const kind of KINDS)
        results[kind] = await upload(service, generated(kind), '"><script>globalThis.ran=1</script>\u202e\u0085 x.trace'.repeat(4));
}, { render_tracks: 2 });

/* A page 800 px wide that complains of dialogs, of windows, and of requests that no page of ours makes. */
async function open() {
    const page = await openPage(browser, service, { viewport: { width: 800, height: 900 } });
    page.on('dialog', dialog => {
        page.complaints.push('dialog: ' + dialog.message());
        dialog.dismiss();
    });
    page.on('popup', popup => page.complaints.push('window: ' + popup.url()));
    page.on('request', request => {
        const { pathname } = new URL(request.url());
        if (!EXPECTED.some(pattern => pattern.test(pathname)))
            page.complaints.push('unexpected request: ' + request.url().slice(0, 200));
    });
    return page;
}

async function assertHarmless(page, where) {
    assert.equal(await page.evaluate(() => globalThis.ran), undefined, where);
    assert.equal(await page.evaluate(() => ({}).ran ?? Object.keys(Object.prototype).length), 0, where);
    assert.equal(new URL(page.url()).origin, service.url, where);
    assert.deepEqual(page.complaints, [], where);
}

async function visit(page, url) {
    const answer = await page.goto(url, { waitUntil: 'load' });
    assert.equal(answer.status(), 200, url);
    await page.waitForTimeout(150);     /* what would run late */
    assert.equal(await overflows(page), false, url + ' is wider than its window');
    await assertHarmless(page, url);
}

/* What could run or fetch something, as words without content, each once. */
function active(page) {
    return page.evaluate(() => [...new Set([...document.querySelectorAll('*')].flatMap(e => {
        const wanted = /^(script|iframe|object|embed|base|foreignobject|animate|set|use|image|img|meta|link|a)$/i;
        const kinds = [...e.attributes].map(a => a.name).filter(name => /^on|^srcdoc$|^http-equiv$|^style$/.test(name));
        const link = /^\s*(javascript|data|vbscript|https?|\/\/)/i.exec(e.getAttribute('href') ?? e.getAttribute('src') ?? '');
        const own = (e.href?.baseVal ?? e.href ?? e.src ?? '').startsWith?.(location.origin + '/');
        return wanted.test(e.localName) || kinds.length > 0 || (link !== null && !own)
            ? [`${e.localName} ${kinds.sort()} ${link === null || own ? '' : link[1]}`] : [];
    }))].sort());
}

/* What is active there is so with a harmless trace as well. */
async function assertNoIntruders(page, address) {
    const found = await active(page);
    await page.goto(address.replace(/\/p\/[a-z2-7]{26}/, new URL(results.harmless.url).pathname));
    await until(page, () => document.getElementById('lanes') === null || document.querySelector('.lane-place')?.dataset.state === 'ready');
    const usual = await active(page);
    assert.deepEqual(found.filter(kind => !usual.includes(kind)), [], address);
}

test('the page of a result', { skip }, async () => {
    const page = await open();
    for (const kind of KINDS) {
        await visit(page, results[kind].url);
        for (const group of await page.locator('details').all())
            await group.evaluate(e => { e.open = true; });
        assert.equal(await overflows(page), false, kind + ' with all groups open');
        const shown = await page.locator('body').innerText();
        assert.match(shown, /<script>globalThis\.ran=1<\/script>/, kind);
        assert.doesNotMatch(shown, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u2028\u2029]/);
        await assertHarmless(page, kind);
        await assertNoIntruders(page, results[kind].url);
    }
    await page.context().close();
});

/* Every choice of the page, frames that are pointed at and clicked, what is searched for and said about each. */
async function tryControls(page, where) {
    await until(page, () => document.querySelector('#picture > svg').dataset.state === 'ready');
    await page.locator('#display').evaluate(menu => { menu.open = true; });
    for (const name of ['view', 'palette', 'names', 'order'])
        for (const word of await page.locator(`#${name} option`).evaluateAll(all => all.map(o => o.value)))
            if (word !== 'chart') {
                await page.locator(`#${name}`).selectOption(word);
                await until(page, ([key, wanted]) => document.querySelector('#picture > svg').flame.state[key] === wanted, [name, word]);
                await assertHarmless(page, `${where} ${name} ${word}`);
            }
    await page.locator('#display').evaluate(menu => { menu.open = false; });
    for (const text of ['script', '<', '/^./', '__proto__', '/(/']) {
        await page.locator('#search').fill(text);
        for (const key of ['Enter', 'Enter', 'Shift+Enter'])
            await page.locator('#search').press(key);
        await assertHarmless(page, `${where} search ${text}`);
    }
    const graph = await page.locator('#picture .graph').boundingBox(), port = await page.locator('#picture').boundingBox();
    for (const share of [0.1, 0.4, 0.7, 0.9]) {
        const y = Math.min(graph.y + graph.height, port.y + port.height) - 24;
        await page.mouse.move(graph.x + graph.width * share, y);
        await page.mouse.click(graph.x + graph.width * share, y);
        await page.locator('[data-do=reset]').click();
    }
    assert.equal(await overflows(page), false, where);
}

test('the pages of threads, in every view', { skip }, async () => {
    const page = await open();
    for (const kind of KINDS) {
        const { url, tracks } = results[kind];
        const some = tracks.filter((_, i) => i % 29 === 0).map(t => t.id);
        for (const track of ['all', ...some, 'merged'])
            await visit(page, `${url}/t/${track}`);
        await assertNoIntruders(page, `${url}/t/merged`);
        for (const view of OTHER_VIEWS)
            if ((await fetch(`${url}/t/merged.svg?view=${view}`)).status === 200)
                await visit(page, `${url}/t/merged?view=${view}`);
        await visit(page, `${url}/t/merged`);
        await tryControls(page, kind);
        await assertHarmless(page, kind);
    }
    await page.context().close();
});

test('pictures that are opened by themselves', { skip }, async () => {
    const page = await open();
    for (const { url } of KINDS.map(kind => results[kind]))
        for (const path of ['all.svg', 'merged.svg?view=icicle&min=0', '1.svg', 'all/thumb.svg']) {
            const answer = await page.goto(`${url}/t/${path}`);
            assert.equal(answer.status(), 200, path);
            await page.waitForTimeout(100);
            assert.equal(await page.evaluate(() => document.documentElement.localName), 'svg', path);
            assert.equal(await page.evaluate(() => document.querySelectorAll('parsererror').length), 0, path);
            await assertHarmless(page, path);
            await assertNoIntruders(page, `${url}/t/${path}`);
        }
    await page.context().close();
});

test('the names of uploads, from the form to the list', { skip }, async () => {
    const names = JSON.parse(generated('uploads')).filter(name => name.trim() !== '' && !name.includes('/'));
    const some = names.filter((_, i) => i < 60 ? i % 5 === 0 : i % 20 === 0);
    const page = await open();
    for (const name of ['\\', ...some]) {
        await visit(page, service.url + '/');
        await page.locator('input[type=file]').first()
            .setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from('main;a;b 1\n') });
        await until(page, () => location.pathname.startsWith('/p/'));
        await page.waitForLoadState('load');
        await assertHarmless(page, name);
        assert.equal(await overflows(page), false, name);
    }
    assert.ok(some.length > 10 && (await kept(page)).length === some.length + 1);
    await visit(page, service.url + '/uploads');
    await page.context().close();
});

test('a list that somebody else wrote', { skip }, async () => {
    const page = await open();
    await visit(page, service.url + '/');
    await page.evaluate(names => {
        const entries = names.map((name, i) => ({ id: ('abcdefghijklmnopqrstuvwxyz' + 'abcdefghijklmnopqrstuvwxyz'.repeat(2)).slice(i % 26, i % 26 + 26),
            name, token: name, created: name, expires: '2099-01-01T00:00:00Z', format: name, size: name }));
        localStorage.setItem('aflamed.uploads', JSON.stringify(entries));
    }, JSON.parse(generated('uploads')).slice(0, 60));
    await visit(page, service.url + '/uploads');
    await page.evaluate(() => localStorage.setItem('aflamed.uploads', '{"__proto__":[{"id":1}]}'));
    await visit(page, service.url + '/uploads');
    await page.context().close();
});
