/* Lanes in the workspace, in a browser. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { annotated, counters, frames, systemTrace } from './systrace_support.mjs';
import { browser, close, findings, looksWell, openPage, serve, service, skip, trace, until, upload } from './support.mjs';

let some, many, folded, demo, system, drawn;

const threadsOf = n => Array.from({ length: n }, (_, i) => ({ id: i + 1, name: i === 0 ? 'main' : i % 2 ? `Binder:4711_${i}` : `task ${i}x${'abcdef'[i % 6].repeat(i)}`,
                                                              us: Math.max(400_000 - 1500 * i, 100) }));

serve(async () => {
    some = await upload(service, trace(threadsOf(12), { overflow: true }));
    many = await upload(service, trace(threadsOf(300)));
    demo = await upload(service, Buffer.from(await (await fetch(`${service.url}/demo.trace`)).arrayBuffer()));
    system = await upload(service, systemTrace(counters()), 'system.perfetto-trace');
    drawn = await upload(service, systemTrace([], frames()), 'drawn.perfetto-trace');
    folded = await upload(service, Buffer.from('a;b 1\na;c 2\n'), 'x.folded');
});

const isReady = () => document.querySelector('#lanes .lane-place')?.dataset.state === 'ready';
const open = async (url, options) => {
    const page = await openPage(browser, service, options);
    await page.goto(url);
    await until(page, isReady);
    return page;
};
const words = page => page.locator('.lane-window').textContent();
const canvas = page => page.locator('#lanes .lane-canvas');

test('first the whole recording, main on top; the wheel, keys and the pointer move through it', { skip }, async () => {
    const page = await open(some.url);
    assert.equal(await words(page), '800 ms');
    assert.match(await page.locator('.lane-facts').textContent(), /buffer was full/);
    assert.match(await page.locator('.lane-names button').first().textContent(), /^main/);
    const box = await canvas(page).boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + 10);
    await page.mouse.wheel(0, -600);
    await until(page, () => /from .* of 800 ms/.test(document.querySelector('.lane-window').textContent));
    const before = await words(page);
    await page.mouse.down();
    await page.mouse.move(box.x + 60, box.y + 10, { steps: 4 });
    await page.mouse.up();
    assert.notEqual(await words(page), before);
    await canvas(page).focus();
    await page.keyboard.press('w');
    const length = async () => (await words(page)).split(' from')[0];
    const closer = await length();
    await page.keyboard.press('s');
    assert.notEqual(await length(), closer);
    await page.keyboard.press('d');
    await page.keyboard.press('Escape');
    assert.equal(await words(page), '800 ms');
    for (let i = 0; i < 80; i++)
        await page.keyboard.press('w');
    assert.match(await words(page), /^1 \u00b5s from/);
    await until(page, isReady);
    await close(page);
});

test('nobody who has the timeline folded asks for it', { skip }, async () => {
    const page = await openPage(browser, service), asked = [];
    page.on('request', request => /lanes\.json/.test(request.url()) && asked.push(request.url()));
    await page.addInitScript(() => localStorage.setItem('aflamed.lanes', 'folded'));
    await page.goto(some.url);
    await until(page, () => document.querySelector('#picture > svg')?.dataset.state === 'ready');
    assert.deepEqual(asked, []);
    await close(page);
});

test('activity is of all calls, which is said where filters are', { skip }, async () => {
    const says = page => page.locator('#lanes .unfiltered').isVisible();
    for (const [query, isSaid] of [['', false], ['?from=100&to=700000', false], ['?hide=nothing', true]]) {
        const page = await open(some.url.replace(/[^/]*$/, '$&/t/1') + query);
        assert.equal(await says(page), isSaid, query);
        await close(page);
    }
});

test('a name that is pressed while lanes are drawn again is clicked all the same', { skip }, async () => {
    const page = await open(some.url), name = page.locator('#lanes .lane-names button').nth(1), box = await name.boundingBox();
    await page.mouse.move(box.x + 20, box.y + 6);
    await page.mouse.down();
    await page.evaluate(() => new Promise(done => {
        document.querySelector('#lanes .lane-scroll').dispatchEvent(new Event('scroll'));
        requestAnimationFrame(() => requestAnimationFrame(done));
    }));
    await page.mouse.up();
    await until(page, () => document.querySelectorAll('#lanes .lane-names button')[1].getAttribute('aria-expanded') === 'true');
    await close(page);
});

test('what is seen of lanes is in the address: a link shows the same, and Back goes to where a move began', { skip }, async () => {
    const page = await open(some.url), names = page.locator('#lanes .lane-names button');
    const entries = () => page.evaluate(() => history.length), first = await entries();
    const hash = part => page.waitForURL(url => part.test(url.hash));
    const press = async keys => {
        for (const key of keys)
            await page.keyboard.press(key);
    };
    /* What the address says is what is shown. */
    const rest = () => until(page, () => {
        const [from, to] = (new URLSearchParams(location.hash.slice(1)).get('lanes') ?? '0-800000').split('-').map(us => us / 1000);
        const [length, begin] = document.querySelector('.lane-window').textContent.split(' ms').map(text => Number(text.replace(' from ', '')));
        return Math.abs(length - (to - from)) < 1 && Math.abs((begin || 0) - from) < 1;
    });
    const rows = of => of.locator('#lanes .lane-names button').evaluateAll(all => all.map(one => one.textContent + one.getAttribute('aria-expanded')));
    await names.first().click();
    await hash(/lanes-open=1/);
    await page.keyboard.press('p');
    await hash(/lanes-pinned=1/);
    await names.filter({ hasText: 'Binder:#_#' }).click();
    await hash(/lanes-group=pool\+Binder/);
    await canvas(page).focus();
    await press('www');
    await rest();
    await press('ddaws');
    await rest();
    assert.equal(await entries(), first + 1, 'moving about is one entry');
    const seen = await words(page), opened = await rows(page);
    const there = await open(page.url());
    assert.equal(await words(there), seen);
    assert.deepEqual(await rows(there), opened);
    await close(there);
    await page.keyboard.press('Escape');     /* a jump */
    await hash(/^(?!.*lanes=)/);
    assert.equal(await entries(), first + 2);
    await page.goBack();
    await until(page, text => document.querySelector('.lane-window').textContent === text, seen);
    assert.deepEqual(await rows(page), opened);
    await page.keyboard.press('2');     /* another tab shows the same lanes */
    await page.waitForURL(/\/methods.*#.*lanes=/);
    assert.equal(await words(page), seen);
    await page.goBack();
    await page.waitForURL(url => !url.pathname.includes('methods'));
    assert.equal(await words(page), seen);
    await page.goBack();
    await until(page, () => document.querySelector('.lane-window').textContent === '800 ms' &&
        document.querySelector('.lane-names button').getAttribute('aria-expanded') === 'false');
    await close(page);
});

test('a link to lanes that are not there, or to no time, shows what there is', { skip }, async () => {
    const page = await open(`${some.url}#lanes=5-4&lanes-open=99-x-1&lanes-pinned=-3&lanes-group=nothing`);
    assert.equal(await words(page), '800 ms');
    assert.equal(await page.locator('.lane-names [aria-expanded="true"]').count(), 1);
    await page.goto('about:blank');
    await page.goto(`${some.url}#lanes=700000-99999999999999999999999`);
    await until(page, isReady);
    assert.equal(await words(page), '800 ms');
    await close(page);
});

test('two fingers zoom', { skip }, async () => {
    const page = await open(some.url, { hasTouch: true }), box = await canvas(page).boundingBox(), client = await page.context().newCDPSession(page);
    const touch = (type, ...xs) => client.send('Input.dispatchTouchEvent', { type, touchPoints: xs.map((x, id) => ({ x: box.x + x, y: box.y + 20, id })) });
    await touch('touchStart', 400, 500);
    for (let i = 1; i <= 5; i++)
        await touch('touchMove', 400 - 40 * i, 500 + 40 * i);
    await touch('touchEnd');
    await until(page, () => / from /.test(document.querySelector('.lane-window').textContent));
    assert.match(await words(page), /^1\d\d ms from/);     /* 100 px have become 500 */
    await close(page);
});

test('a thread opens by its name; calls are chosen by arrow keys and told', { skip }, async () => {
    const page = await open(some.url);
    const name = page.locator('.lane-names button').first();
    await name.focus();
    await page.keyboard.press('Enter');
    await until(page, () => document.querySelector('.lane-names button').getAttribute('aria-expanded') === 'true');
    await until(page, isReady);
    await canvas(page).focus();
    await page.keyboard.press('ArrowDown');
    const said = page.locator('#lanes [role="status"]');
    assert.match(await said.textContent(), /Looper\.loop .* depth 1, main/);
    await page.keyboard.press('ArrowDown');
    assert.match(await said.textContent(), /MainActivity\.onCreate .* depth 2, main/);
    assert.equal(await page.locator('#chosen-call h2').textContent(), 'com.example.app.MainActivity.onCreate');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    assert.match(await said.textContent(), /no caller/);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('n');
    await until(page, () => /12 calls/.test(document.querySelector('.lane-marked').textContent));
    const thread = () => page.locator('#chosen-call tr', { hasText: 'thread' }).locator('td').textContent();
    const first = await thread();
    await page.keyboard.press('n');
    await until(page, from => document.querySelector('#chosen-call tr:nth-child(4) td').textContent !== from, first);
    await page.keyboard.press('Enter');
    assert.match(await words(page), /from/);
    await page.getByRole('button', { name: /Remove the mark/ }).click();
    assert.equal(await page.locator('.lane-marked').isVisible(), false);
    await close(page);
});

test('a frame that is chosen in the picture is marked on all threads, of which the service plays the calls once', { skip }, async () => {
    const page = await open(some.url), asked = [];
    page.on('request', request => {
        const { pathname, searchParams } = new URL(request.url());
        searchParams.sort();
        if (pathname.endsWith('/lanes.json') && searchParams.has('mark'))
            asked.push(String(searchParams));
    });
    await page.locator('#picture .graph').focus();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await until(page, () => /: 12 calls in all/.test(document.querySelector('.lane-marked').textContent));
    await until(page, () => document.querySelector('#lanes .lane-place')?.dataset.state === 'ready');
    assert.deepEqual([asked.length, new Set(asked).size], [2, 1], asked.join(' '));
    await page.getByRole('button', { name: /The longest call/ }).click();
    await until(page, () => document.querySelector('#chosen-call') !== null);
    await close(page);
});

test('300 threads: folded by pools, filtered, pinned, few tab stops', { skip }, async () => {
    const page = await open(many.url);
    const names = page.locator('.lane-names button');
    assert.ok(await names.count() < 160);
    await page.locator('.lane-names button', { hasText: 'Binder:#_#' }).click();
    await until(page, () => document.querySelectorAll('.lane-names button').length > 160);
    await page.locator('.lane-corner input').fill('binder 4711_9');
    await until(page, () => document.querySelectorAll('.lane-names button').length === 6);
    assert.equal(await page.locator('#lanes :is(button, canvas, input, select, [tabindex])').evaluateAll(all => all.filter(one => one.tabIndex >= 0 && one.checkVisibility()).length), 9);
    await page.locator('.lane-corner input').fill('');
    await names.nth(3).focus();
    await page.keyboard.press('p');
    await until(page, () => document.querySelector('.lane-names button').textContent.includes('\u2691'));
    await page.locator('.lane-scroll').evaluate(e => { e.scrollTop = 3000; });
    await until(page, isReady);
    await close(page);
});

test('they fold, stay folded, and have the height that they were given', { skip }, async () => {
    const page = await open(some.url), height = () => page.locator('.lane-place').evaluate(e => e.offsetHeight);
    const handle = page.getByRole('separator', { name: 'Height of the timeline' }), before = await height();
    assert.ok(before >= 0.1 * 800 && before <= 0.25 * 800, String(before));
    await handle.focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    assert.equal(await height(), before + 32);
    await page.locator('#lanes > summary').click();
    await page.locator('#lanes:not([open])').waitFor();
    await page.evaluate(() => new Promise(done => setTimeout(done)));     /* the page is told of it by a task of its own */
    await page.reload();
    await page.locator('#lanes:not([open])').waitFor();
    await page.locator('#lanes > summary').click();
    await until(page, isReady);
    assert.equal(await height(), before + 32);
    await close(page);
});

const isCharted = () => document.querySelector('#chart.timeline')?.dataset.state === 'ready';

test('the tab of calls in the order of time: search, keys, details, and few tab stops', { skip }, async () => {
    const page = await open(some.url);
    await page.keyboard.press('3');
    await page.waitForURL(/\/t\/1\?view=chart/);
    await until(page, isCharted);
    assert.equal(await page.locator('.tabs [aria-current]').textContent(), 'Chart');
    await page.keyboard.press('/');
    await page.keyboard.type('hashmap');
    await page.keyboard.press('Enter');
    await page.locator('#chosen-call h2', { hasText: 'java.util.HashMap.get' }).waitFor();
    await page.locator('#chosen-call h3', { hasText: 'Callers' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('ArrowUp');
    await page.locator('#chosen-call h2', { hasText: 'MainActivity.onCreate' }).waitFor();
    await page.keyboard.press('Enter');
    await until(page, () => /from/.test(document.querySelector('.lane-window').textContent));
    assert.equal(await page.locator('#chart :is(button, canvas, input, [tabindex])').evaluateAll(all => all.filter(one => one.tabIndex >= 0).length), 3);
    assert.deepEqual(await findings(page), []);
    await page.goto(`${some.url}/t/all?view=chart`);
    await until(page, isCharted);
    assert.equal(await page.locator('#chart .lane-names li').count(), 12);
    await close(page);
});

/* What a person wants to know who reads that main had to wait: meanwhile, who worked? */
test('by keyboard only: what other threads did during the longest wait of the main thread', { skip }, async () => {
    const page = await open(demo.url);
    await page.keyboard.press('3');
    await until(page, isCharted);
    await page.keyboard.press('/');
    await page.keyboard.type('nativePollOnce');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await page.keyboard.press('l');
    await until(page, () => document.querySelector('#chosen-call td') !== null);
    await until(page, () => /: [\d,]+ calls?/.test(document.querySelector('.lane-marked').textContent));
    const longest = await page.locator('#chosen-call td').first().textContent();
    await page.keyboard.press('Enter');
    await until(page, () => / from /.test(document.querySelector('.lane-window').textContent));
    assert.equal(await page.locator('#chosen-call tr', { hasText: 'thread' }).locator('td').textContent(), 'main');
    const isInLanes = () => document.querySelector('#lanes .lane-names').contains(document.activeElement);
    for (let i = 0; i < 40 && !await page.evaluate(isInLanes); i++)
        await page.keyboard.press('Shift+Tab');
    assert.ok(await page.evaluate(isInLanes));
    const told = [];
    for (let i = 0; i < 3; i++) {
        await page.keyboard.press('ArrowDown');
        told.push(await page.locator('#lanes [role="status"]').textContent());
        assert.match(told.at(-1), /: .* \u00b7 [\d,]+ calls$/, `${longest}: ${told}`);
    }
    assert.equal(new Set(told).size, 3);
    assert.equal(await page.locator('#lanes .lane-tip:visible').textContent(), told.at(-1));
    await close(page);
});

test('by method a place has the colour that the classic palette gives the method, here and on other pages', { skip }, async () => {
    const page = await open(demo.url), choice = page.getByLabel('Colours of the timeline');
    const shades = () => page.evaluate(() => {
        const lane = document.querySelector('#lanes .lane-canvas'), { data } = lane.getContext('2d').getImageData(0, 8, lane.width / 4, 1), all = new Set();
        for (let i = 0; i < data.length; i += 4)
            all.add([data[i], data[i + 1], data[i + 2]].map(n => n.toString(16).padStart(2, '0')).join(''));
        return [...all];
    });
    const CLASSIC = ['f9e076', 'f7cf5e', 'f5be55', 'f3ac50', 'f29c52', 'f08d57', 'ee8260', 'ec7b6c'];
    const shows = async says => {
        const count = async () => (await shades()).filter(shade => CLASSIC.includes(shade)).length;
        for (let i = 0; i < 200 && !says(await count()); i++)
            await page.waitForTimeout(50);
        assert.ok(says(await count()), (await shades()).join(' '));
    };
    await shows(n => n === 0);
    await choice.selectOption('method');
    await shows(n => n > 4);
    const box = await canvas(page).boundingBox();
    await page.mouse.move(box.x + 40, box.y + 9);
    await page.locator('.lane-tip', { hasText: 'most of its work: ' }).waitFor();
    await page.locator('.lane-names button').first().click();
    await until(page, isReady);
    await page.goto(some.url);
    await until(page, isReady);
    assert.equal(await choice.inputValue(), 'method');
    await shows(n => n > 0);
    await choice.selectOption('');
    await shows(n => n === 0);
    await close(page);
});

test('what the marks mean stands behind a button; long calls of the main thread are told, in a part of the recording, too', { skip }, async () => {
    const page = await open(demo.url), told = () => page.locator('#lanes [role="status"]').textContent();
    const sheet = page.locator('.lane-legend .sheet'), button = page.locator('.lane-legend > summary');
    await button.focus();
    await page.keyboard.press('Enter');
    await sheet.getByText('no call is open').waitFor();
    assert.deepEqual((await sheet.locator('li').allTextContents()).slice(0, 4), ['your code', 'libraries', 'Android', 'unknown']);
    assert.deepEqual(await findings(page), []);
    await page.keyboard.press('Escape');
    await until(page, () => !document.querySelector('.lane-legend').open);
    assert.ok(await button.evaluate(one => one === document.activeElement));
    await page.locator('.lane-names button').first().focus();
    assert.match(await told(), /^main: .* \u00b7 5 long calls, the longest of Handler\.dispatchMessage, 606 ms \u00b7 [\d,]+ calls$/);
    await page.goto('about:blank');
    await page.goto(`${demo.url}#lanes=850000-890000`);
    await until(page, isReady);
    await page.locator('.lane-names button').first().focus();
    assert.match(await told(), / \u00b7 a long call of Handler\.dispatchMessage, 91\.5 ms \u00b7 /);
    const box = await canvas(page).boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + 9);
    await page.locator('.lane-tip', { hasText: 'a long call of Handler.dispatchMessage, 91.5 ms' }).waitFor();
    await close(page);
});

test('a range is chosen by dragging on the ruler, or by a key, and holds for all views', { skip }, async () => {
    const page = await open(some.url);
    await until(page, () => document.querySelector('#picture > svg')?.dataset.state === 'ready');
    const box = await page.locator('#lanes .lane-ruler').boundingBox();
    await page.mouse.move(box.x + box.width / 4, box.y + 18);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + 18, { steps: 5 });
    await page.mouse.up();
    await page.waitForURL(/from=[0-9.]+&to=[0-9.]+/);
    await page.locator('#range').waitFor();
    const { searchParams: query } = new URL(page.url());
    assert.ok(Math.abs(query.get('from') - 200_000) < 3000 && Math.abs(query.get('to') - 400_000) < 3000, page.url());
    await page.keyboard.press('2');
    await page.waitForURL(/methods.*from=/);
    await page.goBack();
    await page.goBack();
    await page.waitForURL(url => !url.search.includes('from='));
    await canvas(page).focus();
    await page.keyboard.press('w');
    await page.keyboard.press('r');
    await page.waitForURL(/from=/);
    await page.locator('#range').waitFor();
    await close(page);
});

test('a picture is drawn once, for all the room that it has', { skip }, async () => {
    const page = await openPage(browser, service), isAtRest = () => document.querySelector('#picture > svg')?.dataset.state === 'ready' && !document.body.classList.contains('loading');
    await page.addInitScript(() => {
        globalThis.drawn = 0;
        addEventListener('flame-drawn', () => { globalThis.drawn++; });
    });
    const timesDrawn = async () => {
        await until(page, isAtRest);
        await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))));
        return page.evaluate(() => globalThis.drawn);
    };
    await page.goto(some.url);
    assert.equal(await timesDrawn(), 1);
    await until(page, isReady);
    await canvas(page).press('w');
    await canvas(page).press('r');
    await page.locator('#range').waitFor();
    assert.equal(await timesDrawn(), 2);
    assert.equal(await page.locator('#panel').isVisible(), false);
    await close(page);
});

test('counters stand below the main thread: two of the app, the others behind a row; each says its value, in a part of the recording, too', { skip }, async () => {
    const page = await open(system.url), names = page.locator('.lane-names button'), labels = () => names.allTextContents();
    assert.deepEqual((await labels()).slice(0, 5), ['start1 step', 'main100 ms', 'items3 to 12,345', 'queue1', '3 more counters']);
    await names.nth(4).press('Enter');
    await until(page, () => document.querySelectorAll('.lane-names button').length >= 8);
    assert.deepEqual((await labels()).slice(5, 8), ['Heap size2 to 3 MiB', 'CPU 0300 MHz to 1.8 GHz', 'locks \u00b7 system_server5']);
    await page.locator('#lanes .lane-scroll').evaluate(place => { place.scrollTop = 0; });
    const box = await canvas(page).boundingBox(), tip = page.locator('#lanes .lane-tip');
    const says = async (x, pattern) => {
        await page.mouse.move(box.x + box.width * x, box.y + 2 * 18 + 8);
        assert.match(await tip.textContent(), pattern);
    };
    await says(0.02, /^items \u00b7 not read yet at 2(\.\d+)? ms/);
    await says(0.3, /^items \u00b7 3 at 30(\.\d+)? ms \u00b7 3 to 12,345 in view$/);
    await says(0.7, /^items \u00b7 12,345 at /);
    await names.nth(2).focus();
    assert.match(await page.locator('#lanes [role=status]').textContent(), /^items: 3 to 12,345 in view$/);
    await canvas(page).focus();
    await page.mouse.move(box.x + box.width * 0.99, box.y + 8);
    for (let i = 0; i < 8; i++)
        await page.mouse.wheel(0, -400);
    await until(page, isReady);
    await says(0.5, /^items \u00b7 12,345 at .* \u00b7 12,345 in view$/);
    await page.locator('.lane-corner input').fill('heap');
    await until(page, () => document.querySelectorAll('.lane-names button').length === 1);
    assert.deepEqual(await labels(), ['Heap size2 to 3 MiB']);
    await close(page);
});

test('frames stand above the main thread; each says how late it was and why, and becomes the range', { skip }, async () => {
    const page = await open(drawn.url), names = page.locator('.lane-names button'), range = page.locator('#range');
    assert.deepEqual((await names.allTextContents()).slice(0, 2), ['frames2 of 3 late', 'main100 ms']);
    const box = await canvas(page).boundingBox(), tip = page.locator('#lanes .lane-tip');
    const at = (ms, y) => page.mouse.move(box.x + box.width * ms / 100, box.y + y);
    await at(15, 4);
    assert.equal(await tip.textContent(), 'frame 7 \u00b7 10 ms from 10 ms \u00b7 in time');
    await at(55, 4);
    assert.equal(await tip.textContent(), 'frame 8 \u00b7 30 ms from 30 ms \u00b7 14 ms late: the app missed its deadline');
    await at(55, 12);
    assert.match(await tip.textContent(), /^frame 9 .* 4 ms late: SurfaceFlinger began too late$/);
    await at(5, 4);
    assert.equal(await tip.textContent(), 'bindApplication \u00b7 20 ms from 0 ns');
    await at(90, 4);
    assert.equal(await tip.textContent(), 'frames: 2 of 3 late');
    await at(40, 4);
    await page.mouse.down();
    await page.mouse.up();
    await until(page, () => /[?&]from=30000&to=60000/.test(location.search));
    await range.waitFor();
    await names.first().focus();     /* by keyboard: the next late one */
    await page.keyboard.press('Enter');
    await until(page, () => /[?&]from=50000&to=70000/.test(location.search));
    assert.match(await page.locator('#lanes [role=status]').textContent(), /^frame 9 /);
    await close(page);
});

test('late frames are a table, whose rows lead to their range', { skip }, async () => {
    const page = await open(drawn.url), rows = page.locator('#frames tbody tr');
    await page.locator('.tabs a', { hasText: 'Frames' }).focus();
    await page.keyboard.press('Enter');
    await rows.first().waitFor();
    assert.deepEqual(await rows.locator('th').allTextContents(), ['30 ms', '50 ms']);
    assert.deepEqual(await rows.allTextContents(), ['30 ms30 ms14 msinflate 30 msthe app missed its deadline', '50 ms20 ms4 msinflate 10 msSurfaceFlinger began too late']);
    assert.equal(await page.locator('.tabs [aria-current]').textContent(), 'Frames');
    await rows.last().locator('th a').focus();
    await page.keyboard.press('Enter');
    await until(page, () => /[?&]from=50000&to=70000/.test(location.search));
    await page.locator('#picture').waitFor();
    await page.goBack();
    await rows.first().waitFor();
    await close(page);
});

test('what the file says of a call stands in its panel', { skip }, async () => {
    const { url } = await upload(service, systemTrace([], annotated(22, 58)), 'annotated.perfetto-trace'), page = await open(url);
    await page.locator('.lane-names button', { hasText: 'main' }).first().click();
    await until(page, isReady);
    const box = await canvas(page).boundingBox();
    await page.mouse.click(box.x + box.width * 0.4, box.y + 48);
    const panel = page.locator('#chosen-call');
    await panel.locator('caption', { hasText: 'Annotations' }).waitFor();
    assert.match(await panel.textContent(), /request.*Annotations.*urlhttps:\/\/example\.com.*size4711/s);
    await close(page);
});

test('narrow, wide, dark: nothing serious, and no page wider than its window', { skip }, async () => {
    const page = await openPage(browser, service);
    await looksWell(page, [400, 1280, 2560], async () => {
        await page.goto(many.url);
        await until(page, isReady);
    });
    await looksWell(page, [400, 1280], async () => {
        await page.goto(system.url);
        await until(page, isReady);
        await page.goto(drawn.url);
        await until(page, isReady);
        await page.goto(`${drawn.url}/frames`);
        await until(page, isReady);
    });
    await close(page);
});

test('a profile without times has none', { skip }, async () => {
    const page = await openPage(browser, service);
    await page.goto(folded.url);
    assert.equal(await page.locator('#lanes').count(), 0);
    await close(page);
});

test('without scripts all lanes are a picture', { skip }, async () => {
    const page = await openPage(browser, service, { javaScriptEnabled: false });
    await page.goto(some.url);
    assert.ok(await page.getByAltText('What each thread did').isVisible());
    const summary = page.locator('#lanes > summary');
    assert.equal((await summary.innerText()).trim(), 'Timeline');     /* no filter is set, and it does not say so */
    await page.goto(some.url.replace(/[^/]*$/, '$&/t/1?hide=nothing'));
    assert.equal((await summary.innerText()).trim(), 'Timeline (activity without filters)');
    await close(page);
});
