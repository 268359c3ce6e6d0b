/* The picture in the workspace: each of its controls and links. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import http from 'node:http';
import { readFileSync } from 'node:fs';
import { browser, close, findings, looksWell, openPage, overflows, serve, service, skip, startService, trace, traceOf, until, upload } from './support.mjs';

const RUN = 'com.example.app.MainActivity.onCreate';
let one, deep;

serve(async () => {
    one = await upload(service, trace([{ id: 1, name: 'main', us: 900_000 }, { id: 2, name: 'x'.repeat(400), us: 600_000 },
                                       { id: 7, name: 'Thread <7>', us: 3_000 }]));
    const stack = Array.from({ length: 2000 }, (_, i) => `a.b.C${i}.run`).join(';');
    deep = await upload(service, Buffer.from(`main;flat;a 5\nmain;flat;b 5\nmain;${stack} 10\n`), 'deep.folded');
});

/* Behind the verdict, which moves the picture when it comes. */
const isReady = () => document.querySelector('#picture > svg')?.dataset.state === 'ready' && document.querySelector('#verdict > a') === null;

async function goto(page, url) {
    await page.goto(url);
    await until(page, isReady);
}

async function open(path, { of = one, ...options } = {}) {
    const page = await openPage(browser, service, options);
    await goto(page, `${of.url}/t/${path}`);
    return page;
}

/* As a file, over what the page has of it. */
async function isPictureThere(page) {
    const file = page.locator('#picture img'), { x, y } = await file.boundingBox(), around = await page.locator('#picture > svg').boundingBox();
    const [width, height] = await file.evaluate(async one => (await one.decode(), [one.naturalWidth, one.naturalHeight]));
    return width > 500 && height > 100 && Math.hypot(x - around.x, y - around.y) < 1 && Math.abs(height - around.height) < 1;
}
const stateOf = page => page.evaluate(() => document.querySelector('#picture > svg').flame.state);
const button = (page, name) => page.getByRole('button', { name, exact: true });
/* Of what is chosen once and seldom. */
async function display(page, act) {
    await page.locator('#display > summary').click();
    await act();
    await page.locator('#display > summary').click();
}
const hrefsOf = page => page.locator('a.follows').evaluateAll(all => all.map(a => a.href));
const hashOf = page => decodeURIComponent(new URL(page.url()).hash);

async function chooseThread(page, id) {
    await page.locator('#threads > summary').click();
    await page.locator(`#threads a[data-track="${id}"]`).click();
}

/* What is drawn: outlines by colour, and names; and what is said about the frame that is selected. */
function drawn(page) {
    return page.evaluate(() => Array.from(document.querySelectorAll('#picture :is(.graph path, .graph text), #chosen-frame, #whole'),
                                          e => e.getAttribute('class') + e.getAttribute('d') + e.textContent).join('|'));
}

test('nothing serious for axe, nothing wider than the window', { skip }, async () => {
    for (const track of ['2', 'all']) {
        const page = await openPage(browser, service);
        await looksWell(page, [360, 800, 2560], () => goto(page, `${one.url}/t/${track}`));
        await close(page);
    }
});

test('the picture comes to life, as wide as its place, without controls of its own', { skip }, async () => {
    const page = await open('1', { viewport: { width: 1900, height: 900 } });
    assert.equal(await page.locator('#picture :is(style, script, select, input)').count(), 0);
    assert.ok(await page.locator('#picture > svg').evaluate(svg => svg.getBoundingClientRect().width) > 1500);
    assert.equal(await button(page, 'Show').count(), 0, 'nothing is left to be sent');
    await close(page);
});

test('no word of a control is cut in a narrow window', { skip }, async () => {
    const page = await open('1', { viewport: { width: 360, height: 740 } });
    const cut = await page.locator('#choices select').evaluateAll(all => {
        const pen = document.createElement('canvas').getContext('2d');
        return all.filter(select => {
            const style = getComputedStyle(select), room = select.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) + 1;
            pen.font = style.font;
            return select.name !== 'track' && pen.measureText(select.selectedOptions[0].text).width > room;
        }).map(select => select.name);
    });
    assert.deepEqual(cut, []);
    await close(page);
});

test('each select takes effect without a new page, and stands in the link', { skip }, async () => {
    const page = await open('1');
    await page.evaluate(() => { globalThis.isSamePage = true; });
    const choices = [['View', 'icicle'], ['View', 'inverted'], ['View', 'sandwich'], ['View', 'flame'], ['Value', 'cpu'], ['Value', 'calls'],
                     ['Value', 'waiting'], ['Order', 'weight'], ['Colours', 'package'], ['Colours', 'self'], ['Colours', 'classic'],
                     ['Names', 'full']];
    for (const [label, word] of choices) {
        await page.locator('#picture .graph').press('ArrowUp');     /* a frame is selected, or the one above it */
        const old = await drawn(page);
        const select = page.getByLabel(label, { exact: true });
        if (await select.isVisible())
            await select.selectOption(word);
        else
            await display(page, () => select.selectOption(word));
        await until(page, w => Object.values(document.querySelector('#picture > svg').flame.state).includes(w), word);
        if (label !== 'Order')     /* of one callee there is one */
            assert.notEqual(await drawn(page), old, `${label} ${word}`);
    }
    await button(page, 'Reset zoom and search').click();
    assert.equal(hashOf(page), '#value=waiting&order=weight&palette=classic&names=full');
    assert.ok(await page.evaluate(() => globalThis.isSamePage));
    const again = await open('1' + new URL(page.url()).hash);
    await until(again, () => document.getElementById('names').value === 'full');
    assert.deepEqual(await stateOf(again), await stateOf(page));
    assert.deepEqual(await again.locator('#choices select').evaluateAll(all => all.map(s => s.value)),
                     ['waiting', 'flame', 'weight', 'classic', 'full']);
    await close(again);
    await close(page);
});

test('back and forward lead the controls as well', { skip }, async () => {
    const page = await open('1');
    await page.locator('#value').selectOption('cpu');
    await until(page, () => location.hash === '#value=cpu');
    await page.getByLabel('View').selectOption('inverted');
    await until(page, () => location.hash.includes('view=inverted'));
    await page.goBack();
    await until(page, () => document.getElementById('view').value === 'flame' && document.getElementById('value').value === 'cpu');
    await page.goForward();
    await until(page, () => document.getElementById('view').value === 'inverted');
    await close(page);
});

test('downloads and the threads beside it follow what is shown', { skip }, async () => {
    const page = await open('2?width=900');
    await page.locator('#value').selectOption('cpu');
    await display(page, () => page.getByLabel('Order').selectOption('weight'));
    await page.getByLabel('Search', { exact: true }).fill('loop');
    await until(page, () => document.querySelectorAll('a.follows')[0].href.includes('search=loop'));
    for (const href of await hrefsOf(page)) {
        const url = new URL(href);
        assert.match(url.search, /^\?(track=2&)?width=900&(about=link&)?value=cpu&order=weight$/, href);
        assert.equal(url.hash.replace(/&pass=[a-z2-7]{26}$/, ''), '#search=loop', href);
        const answer = await fetch(href);
        assert.equal(answer.status, 200, href);
        await answer.arrayBuffer();
    }
    await chooseThread(page, '7');
    await page.waitForURL(/\/t\/7\?width=900&value=cpu&order=weight#search=loop$/);
    await until(page, isReady);
    await until(page, () => document.getElementById('search').value === 'loop');
    assert.equal(await page.locator('#value').inputValue(), 'cpu');
    await close(page);
});

test('another thread: what is shown goes along', { skip }, async () => {
    const page = await open('1');
    await page.locator('#value').selectOption('cpu');
    await page.getByLabel('Search', { exact: true }).fill('get');
    await until(page, () => location.hash.includes('search=get'));
    await page.evaluate(() => { globalThis.isSamePage = true; });
    await chooseThread(page, '7');
    await page.waitForURL(/\/t\/7\?value=cpu#search=get$/);
    await until(page, () => document.querySelector('#threads .shown').textContent === 'Thread <7>');
    await until(page, isReady);
    assert.equal((await stateOf(page)).search, 'get');
    assert.match(await page.locator('#whole').textContent(), /Thread <7>/);
    await page.goBack();
    await until(page, () => document.querySelector('#threads .shown').textContent === 'main');
    await until(page, isReady);
    await until(page, () => document.querySelector('#picture > svg').flame.state.value === 'cpu');
    assert.ok(await page.evaluate(() => globalThis.isSamePage), 'nothing was loaded anew');
    await close(page);
});

test('a sandwich of a method, from its details to its download and back', { skip }, async () => {
    const page = await open('1');
    await page.evaluate(name => {
        const { flame } = document.querySelector('#picture > svg');
        return flame.set({ view: 'sandwich', method: name });
    }, RUN);
    await until(page, () => document.getElementById('view').value === 'sandwich');
    const svg = (await hrefsOf(page)).find(href => href.includes('.svg'));
    assert.equal(new URL(svg).searchParams.get('method'), RUN);
    assert.match(await (await fetch(svg)).text(), /MainActivity/);
    await page.getByLabel('View').selectOption('flame');
    await until(page, () => !document.querySelector('a.follows').href.includes('method'));
    await close(page);
});

test('a chart is a page of its own, and leads back', { skip }, async () => {
    const page = await open('1', { viewport: { width: 1700, height: 900 } });
    await page.locator('#value').selectOption('cpu');
    await page.getByLabel('View').selectOption('chart');
    await page.waitForURL(/\/t\/1\?.*view=chart/);
    await until(page, () => document.querySelector('#chart')?.dataset.state === 'ready');
    assert.equal(await page.locator('#tools').count(), 0);
    assert.deepEqual(await findings(page), []);
    await page.getByLabel('View').selectOption('flame');
    await page.waitForURL(url => !/chart|from=/.test(url.href));
    await close(page);
});

test('without scripts the service draws the chart, as wide as it is asked for', { skip }, async () => {
    const page = await openPage(browser, service, { javaScriptEnabled: false });
    await page.goto(`${one.url}/t/1?view=chart&width=1000`);
    const widths = await page.locator('#picture > svg').getAttribute('width');
    assert.equal(widths, '1000');
    await page.locator('#picture a', { hasText: 'zoom in' }).click();
    await page.waitForURL(/from=.*to=/);
    await close(page);
});

test('search: field, case, next, previous, Enter, Escape, slash, reset', { skip }, async () => {
    const page = await open('1'), field = page.getByLabel('Search', { exact: true });
    await page.keyboard.press('/');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'search');
    await page.keyboard.type('MAP');
    await until(page, () => document.querySelector('#picture .matched > path') !== null);
    await display(page, () => page.getByLabel('Match case').check());
    await until(page, () => document.querySelector('#picture .matched > path') === null);
    await field.fill('/Map|Call/');
    await until(page, () => document.querySelector('#picture .matched > path') !== null);
    const selected = async () => (await stateOf(page)).selected, seen = [];
    for (const press of [() => button(page, 'Next match').click(), () => button(page, 'Next match').click(),
                         () => button(page, 'Previous match').click(), () => field.press('Enter'), () => field.press('Shift+Enter')]) {
        await press();
        seen.push(await selected());
    }
    assert.ok(seen[0] !== '' && seen[0] !== seen[1]);
    assert.deepEqual(seen.slice(2), [seen[0], seen[1], seen[0]]);
    await field.press('Escape');
    assert.equal(await page.evaluate(() => document.activeElement.classList.contains('graph')), true);
    await page.keyboard.press('n');
    assert.equal(await selected(), seen[1]);
    await button(page, 'Reset zoom and search').click();
    await until(page, () => document.getElementById('search').value === '');
    assert.equal(await selected(), '');
    await close(page);
});

test('Save as PNG saves one', { skip }, async () => {
    const page = await open('1', { acceptDownloads: true });
    await page.locator('#main-menu > summary').click();
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator('.downloads summary').click().then(() => button(page, 'Save as PNG').click())]);
    const bytes = readFileSync(await download.path());
    assert.match(download.suggestedFilename(), /\.png$/);
    assert.equal(bytes.subarray(1, 4).toString(), 'PNG');
    assert.ok(bytes.readUInt32BE(16) > 1800, 'twice as wide as the picture');
    const fill = await page.locator('.legend.origin rect').first().evaluate(swatch => getComputedStyle(swatch).fill);
    const blank = await page.context().newPage();
    const colours = await blank.evaluate(async base64 => {
        const image = new Image();
        image.src = `data:image/png;base64,${base64}`;
        await image.decode();
        const pen = Object.assign(document.createElement('canvas'), { width: image.width, height: 160 }).getContext('2d');
        pen.drawImage(image, 0, 0);
        return Array.from({ length: 160 }, (_, y) => [...pen.getImageData(30, y, 1, 1).data].slice(0, 3).join(', '));
    }, bytes.toString('base64'));
    assert.ok(colours.filter(one => `rgb(${one})` === fill).length > 10, 'its legend has colours');
    await close(page);
});

test('the keys of the picture work wherever on the page somebody is, but in fields', { skip }, async () => {
    const page = await open('1');
    await page.getByRole('link', { name: 'Share' }).focus();
    await page.keyboard.press('v');
    assert.equal((await stateOf(page)).value, 'cpu');
    await page.keyboard.press('?');
    assert.equal(await page.locator('#picture .menu[role=dialog]').count(), 1);
    const help = await page.locator('#picture .menu').boundingBox(), room = await page.locator('#picture').boundingBox();
    assert.ok(help.y >= room.y && help.y + help.height <= room.y + room.height, 'all of the help can be seen, or scrolled to');
    await page.keyboard.press('Escape');
    await page.keyboard.press('f');
    await page.getByText('Select a frame first').and(page.locator('#said')).waitFor();
    await page.locator('#picture .graph').focus();
    await page.keyboard.press('/');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'search', 'also from within the picture');
    await page.keyboard.press('Escape');
    await page.keyboard.press('2');
    await page.waitForURL(/\/methods/);
    await page.keyboard.press('1');
    await until(page, isReady);
    await page.locator('#search').fill('');
    await page.keyboard.type('vo');
    const { value, order } = await stateOf(page);
    assert.deepEqual([value, order], ['cpu', 'name']);
    assert.equal(await page.locator('#search').inputValue(), 'vo');
    await close(page);
});

test('by keyboard only: the skip link, the order of focus, select, zoom and back', { skip }, async () => {
    const page = await open('1');
    const focused = () => page.evaluate(() => {
        const e = document.activeElement;
        return e.classList.contains('graph') ? 'graph' : e.closest('.about') ? 'facts' : e.closest('#main-menu') ? 'main-menu' : e.closest('#verdict') ? 'verdict' : e.closest('#lanes') ? 'lanes' : e.id || e.dataset.do || e.textContent.trim();
    });
    await page.locator('#verdict > summary').click();     /* folded, so that its links are passed over */
    await page.locator('#lanes > summary').click();
    /* From the first link on: where the first Tab leads depends on what the browser has scrolled to. */
    await page.getByRole('link', { name: 'aflamed' }).focus();
    const order = [await focused()];
    for (let i = 1; i < 20 && order.at(-1) !== 'graph'; i++) {
        await page.keyboard.press('Tab');
        order.push(await focused());
    }
    assert.deepEqual(order, ['aflamed', 'app.trace', 'facts', '1 warning', 'Share', 'main-menu', 'verdict', 'lanes', 'Flame',
                             'Methods', 'Chart', 'Thread: main', 'value', 'view', 'Display', 'search', 'previous', 'next', 'reset', 'own code']);
    await page.locator('.skip').focus();
    assert.ok((await page.locator('.skip').boundingBox()).width > 50, 'it is seen when it has the focus');
    await page.keyboard.press('Enter');
    assert.equal(await focused(), 'graph');
    assert.equal(hashOf(page), '');
    for (const key of ['ArrowUp', 'ArrowUp', 'ArrowUp', 'Enter'])
        await page.keyboard.press(key);
    const { zoom } = await stateOf(page);
    assert.equal(zoom.length, 10);
    await page.keyboard.press('Escape');
    assert.equal((await stateOf(page)).zoom.length, 5);
    await close(page);
});

test('a picture of 2,000 levels scrolls by itself, to its root', { skip }, async () => {
    for (const width of [360, 1200]) {
        const page = await open('merged', { of: deep, viewport: { width, height: 740 } });
        const isAtFoot = () => {
            const p = document.getElementById('picture');
            return Math.abs(p.scrollHeight - p.clientHeight - p.scrollTop) <= 1;
        };
        await until(page, () => document.querySelector('#verdict li') !== null);     /* it has taken room above the picture */
        await until(page, isAtFoot);
        for (const height of [840, 700, 740]) {
            await page.setViewportSize({ width, height });
            await page.evaluate(() => new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve))));
            await until(page, isAtFoot);
        }
        const place = await page.evaluate(() => {
            const p = document.getElementById('picture'), { top, bottom } = p.getBoundingClientRect();
            return { end: p.scrollHeight - p.clientHeight - p.scrollTop, top, bottom, page: scrollY, all: p.scrollHeight };
        });
        assert.ok(place.all > 30_000 && Math.abs(place.end) <= 1 && place.page === 0 && place.top >= 0, JSON.stringify(place));
        assert.ok(place.bottom <= (width > 1000 ? 741 : 1000), JSON.stringify(place));     /* a phone shows the words above it first */
        assert.ok(await page.evaluate(() => document.querySelectorAll('*').length) < 2500);
        await page.getByLabel('View').selectOption('icicle');
        await until(page, () => document.getElementById('view').value === 'icicle');
        assert.equal(await overflows(page), false);
        await close(page);
    }
});

test('what was left out is fetched from the service', { skip }, async () => {
    const small = await startService({ svg_embed_nodes: 3 });
    const page = await openPage(browser, small);
    const its = await upload(small, trace([{ id: 1, name: 'main', us: 900_000 }]));
    const asked = [];
    page.on('request', request => asked.push(new URL(request.url()).pathname));
    await goto(page, `${its.url}/t/1?value=cpu`);
    const whole = await open('1');
    await whole.getByLabel('Search', { exact: true }).fill('execute');
    await whole.getByLabel('Search', { exact: true }).press('Enter');
    const { selected } = await stateOf(whole);
    await close(whole);
    assert.equal(selected.length, 30);
    await page.evaluate(link => document.querySelector('#picture > svg').flame.zoomTo(link), selected);
    assert.equal((await stateOf(page)).zoom, selected);
    assert.ok(asked.some(path => path.endsWith('/t/1/tree')), asked.join());
    await close(page);
    await small.stop();
});

/* A page whose rest does not come until `letThrough` is called. */
async function withoutRest() {
    const page = await openPage(browser, service);
    const held = new Promise(resolve => { page.letThrough = resolve; });
    await page.route('**/tree?*', async route => {
        await held;
        await route.continue();
    });
    return page;
}
const hasRare = () => document.querySelector('#picture > svg').flame.hasMethod('a.b.C.rare');

test('a page begins with its heaviest frames, and gets the rest by itself', { skip }, async () => {
    const STACKS = 60_000;     /* small files have one picture for all */
    const stacks = Array.from({ length: STACKS }, (_, i) => `main;a.b.C.m${i} ${2 * STACKS - i}`);
    const its = await upload(service, Buffer.from([...stacks, 'main;a.b.C.m0;a.b.C.rare 1'].join('\n')), 'wide.folded');
    const page = await withoutRest();
    const facts = () => document.querySelector('#picture .matches').textContent;
    await goto(page, its.url);
    assert.equal(await page.locator('#picture > svg').getAttribute('data-embedded'), '3000');
    assert.equal(await page.evaluate(hasRare), false);
    await page.getByLabel('Search', { exact: true }).fill('C.m');
    await until(page, () => document.querySelector('#picture .matches').textContent !== '');     /* all of them are too narrow to be drawn */
    assert.match(await page.evaluate(facts), /in the 3,000 of 60,00\d frames loaded/);
    await page.evaluate(() => document.querySelector('#picture > svg').flame.filter('hide', '/^a.b.C.m0$/'));
    await until(page, () => document.querySelector('#picture .matches').textContent.startsWith('2,998 frames'));
    page.letThrough();
    await until(page, hasRare);
    await until(page, () => document.querySelector('#picture .matches').textContent.startsWith('59,999 frames of 60,000 methods: '));
    assert.doesNotMatch(await page.evaluate(facts), /loaded/);
    const { search, filters } = await stateOf(page);
    assert.deepEqual([search, new URLSearchParams(filters).get('hide')], ['C.m', '/^a.b.C.m0$/']);
    assert.match(page.url(), /hide=/);
    const key = await page.evaluate(async () => {
        const { flame } = document.querySelector('#picture > svg');
        await flame.set({ filters: '', search: '' });
        flame.selectMethod('a.b.C.rare');
        return flame.state.selected.slice(-5);
    });
    assert.equal(key.length, 5);
    await close(page);

    /* A link into the rest stays as it is, and leads there when the rest has come. */
    for (const hash of ['#view=sandwich&method=a.b.C.rare&search=C.m', `#view=inverted&zoom=${key}`]) {
        const other = await withoutRest(), linkOf = () => new URL(other.url()).hash;
        await goto(other, its.url + hash);
        assert.equal(linkOf(), hash);
        other.letThrough();
        await until(other, hasRare);
        const { view, zoom } = await stateOf(other), words = await other.evaluate(() => document.querySelector('#picture .status').textContent);
        assert.ok(view === 'inverted' ? zoom === key : /callees \(below\) of a\.b\.C\.rare/.test(words), `${zoom} ${words}`);
        assert.equal(linkOf(), hash);
        await close(other);
    }
});

test('the rest of a large picture is asked for behind the first lanes, and where these do not come', { skip }, async () => {
    const METHODS = 30_000, methods = Array.from({ length: METHODS }, (_, i) => `a/b/C.m${i}`);
    const records = methods.flatMap((_, i) => [[1, 4 * i, 2 * i, 2 * i], [1, 4 * i + 1, 2 * i + 1, 2 * i + 1]]);
    const its = await upload(service, traceOf([{ id: 1, name: 'main' }], methods, records));
    const isWhole = () => document.querySelector('#picture > svg').flame.hasMethod(`a.b.C.m29999()V`);
    for (const end of ['continue', 'abort', 'nothing']) {
        const page = await openPage(browser, service), seen = [];
        if (end !== 'nothing')     /* however slow the machine is */
            await page.addInitScript(() => {
                const { setTimeout: later } = window;
                window.setTimeout = (what, ms, ...more) => ms === 2000 ? 0 : later(what, ms, ...more);
            });
        let letThrough;
        const held = new Promise(resolve => { letThrough = resolve; });
        await page.route('**/lanes.json?*', async route => {
            await held;
            seen.push(end);
            await route[end]?.();
        });
        await page.route('**/tree?*', route => {
            seen.push('tree');
            return route.continue();
        });
        await goto(page, its.url);
        await page.evaluate(() => new Promise(resolve => { requestIdleCallback(() => requestIdleCallback(resolve)); }));
        if (end !== 'nothing') {
            assert.equal(await page.evaluate(isWhole), false);
            letThrough();
        }
        await until(page, isWhole);
        assert.deepEqual(seen, end === 'nothing' ? ['tree'] : [end, 'tree']);
        letThrough();
        await close(page);
    }
});

/* A browser sends no password for what a page of an opaque origin fetches: the pass of its link has to do. */
test('a picture alone fetches what was left out from behind a password', { skip }, async () => {
    const small = await startService({ svg_embed_nodes: 3 });
    const word = `Basic ${Buffer.from('ann:secret').toString('base64')}`;
    const asked = [];
    const proxy = http.createServer((request, answer) => {
        const isLetThrough = /^\/p\/[a-z2-7]+\/k\/[a-z2-7]+\/t\/[^/]+\/tree\?/.test(request.url);
        asked.push(request.url);
        if (!isLetThrough && request.headers.authorization !== word) {
            answer.writeHead(401, { 'WWW-Authenticate': 'Basic realm="x"' }).end();
            return;
        }
        const through = http.request(small.url + request.url, { headers: request.headers }, its => {
            answer.writeHead(its.statusCode, its.headers);
            its.pipe(answer);
        });
        request.pipe(through);
    });
    await new Promise(resolve => proxy.listen(0, '127.0.0.1', resolve));
    const its = await upload(small, trace([{ id: 1, name: 'main', us: 900_000 }]));
    const url = `http://127.0.0.1:${proxy.address().port}`;
    const page = await openPage(browser, { url }, { httpCredentials: { username: 'ann', password: 'secret' } });
    await page.goto(url + new URL(its.url).pathname);
    await page.locator('#main-menu > summary').click();
    await page.locator('.downloads > summary').click();
    await page.getByRole('link', { name: 'This view: Flame graph (SVG)' }).click();
    await page.waitForURL(/\/t\/1\.svg.*pass=/);
    asked.length = 0;     /* the page has fetched, too */
    const whole = await open('1');
    await whole.getByLabel('Search', { exact: true }).fill('execute');
    await whole.getByLabel('Search', { exact: true }).press('Enter');
    const { selected } = await stateOf(whole);
    await close(whole);
    await until(page, () => document.documentElement.dataset.state === 'ready');
    await page.evaluate(link => document.documentElement.flame.zoomTo(link), selected);
    assert.equal(await page.evaluate(() => document.documentElement.flame.state.zoom), selected);
    assert.ok(asked.some(url => /\/k\/[a-z2-7]{26}\/t\/1\/tree\?/.test(url)), asked.join('\n'));
    assert.equal(asked.some(url => /\/t\/1\/tree/.test(url) && !url.includes('/k/')), false);
    await close(page);
    proxy.close();
    proxy.closeAllConnections();
    await small.stop();
});

test('every link of the page leads somewhere', { skip }, async () => {
    const page = await open('2?value=waiting&order=weight&width=900');
    const links = await page.locator('article a').evaluateAll(all => all.map(a => a.href));
    assert.ok(links.length >= 5);
    for (const link of links) {
        const answer = await fetch(link);
        assert.equal(answer.status, 200, link);
        await answer.arrayBuffer();
    }
    await close(page);
});

test('where the script of the picture cannot start the drawing is there', { skip }, async () => {
    const page = await openPage(browser, service);
    await page.route(`${one.url}/t/1`, async route => {
        const answer = await route.fetch();
        await route.fulfill({ response: answer, body: (await answer.text()).replace('{"format":"aflamed-flame"', '{"format":"other"') });
    });
    await page.goto(`${one.url}/t/1`);
    assert.ok(await isPictureThere(page));
    assert.match(page.complaints.pop(), /the data is damaged/);
    await close(page);
});

test('it works without scripts', { skip }, async () => {
    const page = await openPage(browser, service, { javaScriptEnabled: false });
    await page.goto(`${one.url}/t/1`);
    assert.equal(await page.locator('#tools').isVisible(), false);
    await page.locator('#display > summary').click();
    await page.locator('#order').selectOption('weight');     /* the picture has one of its own, which is not shown */
    await page.locator('#value').selectOption('cpu');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.waitForURL(/\/t\/1\?value=cpu&order=weight$/);
    await chooseThread(page, 'merged');
    await page.waitForURL(/\/t\/merged\?value=cpu&order=weight$/);
    assert.equal(await page.locator('#threads .shown').textContent(), 'All threads merged');
    assert.ok(await isPictureThere(page));
    assert.equal(await page.locator('#picture svg .live').isVisible(), false);
    await close(page);
});
