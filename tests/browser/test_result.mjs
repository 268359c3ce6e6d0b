/* The workspace around the picture, in a browser. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { browser, close, findings, frameShareOf, looksWell, openPage, overflows, serve, service, shiftOf, skip, trace, traceOf, until, upload, watchShift } from './support.mjs';

const LONG = 'OkHttp https://api.example.com/' + 'segment/'.repeat(46);
const HOSTILE = '"><img src=x onerror=alert(1)><script>alert(2)</script>';
let small, some, many;

/* Of both kinds of pool, of none, with the worst names. */
function threadsOf(n) {
    const threads = [{ id: 1, name: 'main', us: 400_000 }, { id: 2, name: LONG, us: 90_000 },
                     { id: 3, name: HOSTILE, us: 50_000 }];
    for (let i = 4; i <= n; i++) {
        const name = i < n / 3 ? `Binder:4711_${i}` : i < n * 2 / 3 ? `DefaultDispatcher-worker-${i}` : `task ${i}x`;
        threads.push({ id: i, us: 30_000 - 90 * i, name });
    }
    return threads;
}

serve(async () => {
    small = await upload(service, trace([{ id: 1, name: 'main' }]), 'one thread.trace');
    some = await upload(service, trace(threadsOf(20), { overflow: true }));
    many = await upload(service, trace(threadsOf(300), { overflow: true }), 'many <b>threads</b>.trace');
});

function open(options) {
    return openPage(browser, service, options);
}

/* A message loop that waits for 70 of 100 ms and runs two methods of the app by one way. */
function loopTrace() {
    const methods = ['android/app/ActivityThread.main', 'android/os/Looper.loop', 'android/os/MessageQueue.nativePollOnce', 'android/os/Handler.dispatchMessage',
                     'android/os/Handler.handleCallback', 'com/example/app/Work.a', 'com/example/app/Work.b'];
    const calls = [[0, 0], [1, 0], [2, 0], [2, 70, 1], [3, 70], [4, 70], [5, 70], [5, 85, 1], [6, 85], [6, 100, 1], [4, 100, 1], [3, 100, 1], [1, 100, 1], [0, 100, 1]];
    return traceOf([{ id: 1, name: 'main' }], methods, calls.map(([method, ms, exit = 0]) => [1, 4 * method + exit, Math.max(0, ms - 70) * 1000, ms * 1000]));
}

const isReady = () => document.querySelector('#picture > svg')?.dataset.state === 'ready';

test('nothing serious for axe, nothing wider than the window', { skip }, async () => {
    for (const profile of [small, some]) {
        const page = await open();
        await looksWell(page, [360, 800, 2560], async () => {
            await page.goto(profile.url);
            await until(page, isReady);
        });
        await close(page);
    }
    for (const width of [360, 1600]) {
        const page = await open({ viewport: { width, height: 900 } });
        await page.goto(many.url);
        assert.equal(await overflows(page), false, `${width} px`);
        await close(page);
    }
});

test('a phone shows the name and the words first', { skip }, async () => {
    const page = await open({ viewport: { width: 400, height: 600 } });
    await page.goto(many.url);
    await until(page, isReady);
    await until(page, () => document.querySelector('#picture').scrollTop > 0 || document.querySelector('#picture').scrollHeight <= document.querySelector('#picture').clientHeight);
    assert.equal(await page.evaluate(() => scrollY), 0);
    await close(page);
});

test('the main thread is shown without a click, hostile names stay words', { skip }, async () => {
    const page = await open();
    await page.goto(many.url);
    await until(page, isReady);
    assert.equal(await page.locator('h1').textContent(), 'many <b>threads</b>.trace');
    assert.equal(await page.locator('#threads .shown').textContent(), 'main');
    assert.match(await page.locator('#whole').textContent(), /^[\d.]+ \w+ · wall time · main \(1\)$/);
    assert.equal(await page.locator('#threads a', { hasText: 'onerror' }).evaluate(a => a.firstChild.data.trim()), HOSTILE);
    assert.equal(await page.locator('img').count(), 0);
    await page.locator('.warned > summary').click();
    assert.match(await page.locator('.warned li').first().innerText(), /buffer was full/);
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('.warned li').first().isVisible(), false);
    await close(page);
});

/* With two warnings and a legend; what the picture has above its frames is not theirs. */
test('the frames get most of the window', { skip }, async () => {
    for (const [width, height, least, isFolded] of [[1280, 800, 0.75, true], [1280, 800, 0.65, false], [1366, 768, 0.65, false], [1920, 1080, 0.7, false]]) {
        const page = await open({ viewport: { width, height } });
        await page.goto(some.url);
        await until(page, isReady);
        await page.locator('#verdict[open] li').first().waitFor();
        if (isFolded)
            for (const strip of ['#lanes', '#verdict'])
                await page.locator(`${strip} > summary`).click();
        const room = await page.evaluate(() => {
            const { top, bottom } = document.getElementById('picture').getBoundingClientRect();
            return { frames: Math.min(bottom, innerHeight) - top - document.querySelector('#picture .bar').getBoundingClientRect().height,
                     width: document.getElementById('picture').clientWidth,
                     legend: document.querySelector('.legend.origin').getBoundingClientRect().height, bottom,
                     scrolled: document.documentElement.scrollHeight };
        });
        assert.ok(room.frames >= least * height && room.width === width, JSON.stringify(room));
        assert.ok(room.legend > 0 && room.scrolled <= height, JSON.stringify(room));
        assert.ok(await page.locator('.warned li').count() >= 1);
        await close(page);
    }
});

test('the frames of the demo get most of the window, below a long trail', { skip }, async () => {
    const demo = await upload(service, Buffer.from(await (await fetch(`${service.url}/demo.trace`)).arrayBuffer()));
    const page = await open({ viewport: { width: 1280, height: 800 } });
    await page.goto(demo.url);
    await until(page, isReady);
    await page.locator('#verdict[open] li').first().waitFor();
    assert.ok(await page.locator('#picture .crumbs > *').count() > 3);
    assert.ok(await frameShareOf(page) >= 0.65);
    await close(page);
});

/* What could be clicked would no longer be there. */
test('nothing moves while the page loads', { skip }, async () => {
    const page = await open({ viewport: { width: 1280, height: 800 } });
    await watchShift(page);
    await page.goto(some.url);
    await until(page, isReady);
    await page.locator('#verdict[open] li').first().waitFor();
    await page.locator('.lane-names button').first().waitFor();
    assert.ok(await shiftOf(page) < 0.02);
    await close(page);
});

test('the verdict comes by itself, its links lead on, it stays folded', { skip }, async () => {
    const page = await open();
    await page.goto(some.url);
    await page.locator('#verdict[open] li').first().waitFor();
    await until(page, isReady);
    const foot = () => page.evaluate(() => {
        const { scrollTop, clientHeight, scrollHeight } = document.getElementById('picture');
        return scrollHeight - scrollTop - clientHeight;
    });
    assert.ok(await foot() < 2, 'the root of the graph is still in sight');
    assert.deepEqual(await findings(page), []);
    assert.equal(await page.locator('#verdict li:visible').count(), 1);
    await page.getByRole('button', { name: /^\d+ more$/ }).click();
    assert.ok(await page.locator('#verdict li:visible').count() > 1);
    assert.ok(await foot() < 2);
    await page.locator('#verdict a', { hasText: 'MainActivity' }).first().click();
    await page.waitForURL(/\/t\/\w+\?view=sandwich&method=com\.example\.app\.MainActivity/);
    await until(page, isReady);
    await page.locator('#verdict > summary').click();
    assert.equal(await page.locator('#verdict li').first().isVisible(), false);
    assert.match(await page.locator('#verdict > summary').innerText(), /^In words: .* took /);
    assert.match(await page.locator('#panel .method').innerText(), /MainActivity/, 'its numbers stand beside its callers');
    await page.reload();
    await page.locator('#verdict:not([open]) > summary', { hasText: ' took ' }).waitFor();
    await page.locator('#verdict > summary').click();
    assert.ok(await page.locator('#verdict li').nth(1).isVisible(), 'all are still shown');
    await close(page);
});

test('one click shows own code, no framework, no idle', { skip }, async () => {
    const page = await open(), pressed = () => page.locator('.toggle[aria-current]').allInnerTexts();
    await page.goto(some.url);
    await until(page, isReady);
    assert.deepEqual(await page.locator('.toggle').allInnerTexts(), ['own code', 'no framework', 'no idle']);
    await page.getByRole('link', { name: 'no framework' }).click();
    await until(page, () => document.querySelector('.toggle[aria-current]') !== null);
    assert.deepEqual(await pressed(), ['no framework']);
    assert.equal(await page.locator('.chip').count(), 1);
    await page.getByRole('link', { name: 'no framework' }).click();
    await until(page, () => document.querySelector('.toggle[aria-current]') === null);
    assert.equal(await page.locator('.chip').count(), 0);
    await page.getByRole('link', { name: 'Methods' }).click();
    await page.locator('#methods').waitFor();
    await page.getByRole('link', { name: 'own code' }).click();
    await page.waitForURL(/preset=own-code/);
    await until(page, () => document.querySelector('.toggle[aria-current]')?.textContent === 'own code');
    await close(page);
});

test('words and timeline are asked for before the picture is read; it starts without the page\'s script, too', { skip }, async () => {
    const page = await open();
    await page.addInitScript(() => {
        const { fetch } = globalThis;
        globalThis.asked = [];
        globalThis.fetch = (url, ...more) => {
            globalThis.asked.push([new URL(url).pathname.replace(/.*\//, ''), document.querySelector('#picture > svg').dataset.state ?? 'waits']);
            return fetch(url, ...more);
        };
    });
    await page.goto(some.url);
    await until(page, isReady);
    assert.deepEqual(await page.evaluate(() => globalThis.asked.slice(0, 2)), [['lanes.json', 'waits'], ['verdict', 'waits']]);
    await page.route(/workspace\.js/, route => route.abort());
    await page.reload();
    await until(page, isReady);
    await close(page);
});

test('a comparison of what mostly waits begins without idle time, too', { skip }, async () => {
    const page = await open(), [a, b] = [await upload(service, loopTrace(), 'a.trace'), await upload(service, loopTrace(), 'b.trace')];
    await page.goto(`${service.url}/d/${a.id}..${b.id}`);
    await until(page, isReady);
    assert.deepEqual(await page.locator('.toggle[aria-current]').allInnerTexts(), ['no idle']);
    assert.match(await page.locator('#picture .crumbs').innerText(), /^1 thread.*without 70 ms idle \(70 %\)/s);
    await page.getByRole('button', { name: 'Show idle time, too' }).click();
    await until(page, () => document.querySelector('.toggle[aria-current]') === null);
    await close(page);
});

test('what is seen first: where callees part, without idle time, and the way back', { skip }, async () => {
    const page = await open(), profile = await upload(service, loopTrace(), 'loop.trace');
    const trail = () => page.locator('#picture .crumbs > *').allInnerTexts();
    const whole = ['main (1)'], first = ['main (1)', 'android.app.ActivityThread.main', 'android.os.Looper.loop', 'a.o.Handler.dispatchMessage', 'a.o.Handler.handleCallback',
                                         'without 70 ms idle (70 %) Show all'];
    const shows = async (wanted, words) => {
        await until(page, n => document.querySelectorAll('#picture .crumbs > *').length === n, wanted.length);
        assert.deepEqual((await trail()).map(text => text.trim()), wanted, words);
    };
    await page.goto(profile.url);
    await until(page, isReady);
    await shows(first, 'of an address that says nothing');
    assert.equal(page.url(), profile.url, 'which stays');
    assert.deepEqual(await page.locator('.toggle[aria-current]').allInnerTexts(), ['no idle']);
    assert.equal(await page.locator('.chip').count(), 0);
    assert.match(await page.locator('#whole').innerText(), /^30 ms of 100 ms/);
    assert.doesNotMatch(await page.getByRole('link', { name: 'Methods' }).getAttribute('href'), /preset|zoom/, 'it is the picture\'s alone');
    assert.deepEqual(await findings(page), []);
    await page.getByRole('button', { name: 'Show idle time, too' }).click();
    await shows(whole);
    assert.equal(await page.locator('.toggle[aria-current]').count(), 0);
    await page.reload();
    await until(page, isReady);
    await shows(whole, 'the address says so');
    await page.goBack();
    await until(page, isReady);
    await shows(first, 'that was before');
    await page.locator('#picture .graph').focus();
    await page.keyboard.press('Escape');
    await shows([...first.slice(0, -2), first.at(-1)], 'one frame out');
    await page.getByRole('button', { name: 'Reset zoom' }).click();
    await shows(whole);
    for (const said of ['?value=wall', '#search=a', '?view=icicle', '#view=flame']) {
        await page.goto('about:blank');
        await page.goto(profile.url + said);
        await until(page, isReady);
        await shows(whole, said);
    }
    await page.setViewportSize({ width: 400, height: 600 });
    await page.goto('about:blank');
    await page.goto(profile.url);
    await until(page, isReady);
    await shows(first, 'in a narrow window');
    assert.deepEqual(await page.locator('#picture .crumbs > :visible').allInnerTexts().then(all => all.map(text => text.trim())), [first[0], ...first.slice(-2)]);
    assert.ok(await page.evaluate(() => document.querySelector('#picture > svg').getBoundingClientRect().bottom <= innerHeight + 1), 'its last row is in sight');
    await page.goto(`${profile.url}/t/1.svg`);
    await until(page, () => document.documentElement.dataset.state === 'ready');
    assert.equal(await page.locator('.crumbs button').count(), 1, 'a picture alone shows all');
    await close(page);
});

test('beside the picture: the method of the chosen frame, by all values', { skip }, async () => {
    const page = await open();
    await page.goto(some.url);
    await until(page, isReady);
    await page.locator('#picture .graph').focus();
    for (let i = 0; i < 3; i++)
        await page.keyboard.press('ArrowUp');
    await page.locator('#chosen table').first().waitFor();
    assert.deepEqual(await page.locator('#chosen-frame thead th').allInnerTexts(), ['wall', 'cpu', 'waiting']);
    assert.deepEqual(await page.locator('#chosen-frame tbody th').allInnerTexts(), ['total', 'self', 'per call', 'of all', 'of zoom', 'of caller']);
    assert.match(await page.locator('#chosen-frame .method').innerText(), /^\S+\.\S+$/);
    assert.deepEqual(await page.locator('#chosen thead th').allInnerTexts(), ['wall', 'cpu', 'waiting']);
    assert.deepEqual(await page.locator('#chosen table').first().locator('tbody th').allInnerTexts(), ['total', 'self', 'of all', 'mean']);
    assert.match(await page.locator('#chosen > p').first().innerText(), /^File\.java/);
    assert.deepEqual(await findings(page), []);
    await page.getByRole('link', { name: 'Call durations, by thread' }).click();
    await page.waitForURL(/\/m\/[0-9a-f]{12}\?/);
    await page.locator('#durations meter').first().waitFor();
    await close(page);
});

test('the details can be put away, and stay so', { skip }, async () => {
    const page = await open(), width = () => page.locator('#picture').evaluate(e => e.getBoundingClientRect().width);
    await page.goto(some.url);
    await until(page, isReady);
    const alone = await width();
    assert.equal(await page.locator('#panel').isVisible(), false);
    await page.locator('#picture .graph').press('ArrowUp');
    await page.locator('#panel').waitFor();
    const before = await width();
    assert.ok(alone > before + 200);
    await page.getByRole('button', { name: 'Details', expanded: true }).click();
    assert.equal(await page.locator('#panel').isVisible(), false);
    assert.equal(await width(), alone);
    await page.reload();
    await until(page, isReady);
    assert.equal(await page.locator('#panel').isVisible(), false);
    await page.getByRole('button', { name: 'Details', expanded: false }).click();
    assert.equal(await page.locator('#panel').isVisible(), true);
    assert.equal(await width(), before);
    await close(page);
});

test('own code can be corrected from the legend', { skip }, async () => {
    const page = await open();
    await page.goto(some.url);
    await until(page, isReady);
    await page.locator('.legend.origin span', { hasText: 'app' }).first().click();
    assert.equal(await page.evaluate(() => document.activeElement.id), 'app');
    assert.equal(await page.locator('#app').getAttribute('placeholder'), 'guessed: com.example.app');
    await page.locator('#app').fill('java.util');
    await page.keyboard.press('Enter');
    await page.waitForURL(/app=java\.util/);
    await until(page, () => /app: java\.util/.test(document.querySelector('.legend.origin')?.textContent));
    await page.locator('#verdict li', { hasText: 'java.util.HashMap.get' }).first().waitFor({ state: 'attached' });
    assert.match(await page.getByRole('link', { name: 'Methods' }).getAttribute('href'), /app=java\.util/);
    await close(page);
});

test('filters of the picture are the page\'s', { skip }, async () => {
    const page = await open();
    const chips = () => page.locator('.chip > span').allInnerTexts();
    await page.goto(`${some.url}/t/1?preset=hide-idle`);
    await until(page, isReady);
    assert.deepEqual(await chips(), ['hide idle']);
    const whole = await page.locator('#value option').first().getAttribute('data-whole');
    assert.equal((await page.locator('#whole').innerText()).split(' · ')[0].split(' of ')[1], whole);
    await page.locator('#add-filter > summary').click();
    await page.locator('#add-hide').fill('modifier.then');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await until(page, () => document.querySelectorAll('.chip').length === 2);
    assert.equal(new URL(page.url()).searchParams.get('hide'), null, 'the picture has done it itself');
    assert.match(await page.getByRole('link', { name: 'Methods' }).getAttribute('href'), /preset=hide-idle&hide=modifier.then/);
    await page.locator('#add-filter > summary').click();
    await page.locator('#add-focus').fill('/(/');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.locator('.adds .problem', { hasText: 'a ( has no ) behind it' }).waitFor();
    await page.locator('#add-focus').fill('no such frame');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.locator('#emptied', { hasText: 'The filters leave nothing: behind focus no such frame no method is left.' }).waitFor();
    assert.deepEqual(await findings(page), []);
    await page.getByRole('button', { name: 'Remove the filter: focus no such frame' }).click();
    await until(page, () => document.getElementById('emptied') === null);
    await page.getByRole('button', { name: 'Remove the filter: hide idle' }).click();
    await page.waitForURL(/\?hide=modifier.then$/);
    await until(page, () => document.querySelectorAll('.chip').length === 1);
    await until(page, isReady);
    assert.deepEqual(await chips(), ['hide modifier.then']);
    await page.locator('#view').selectOption('chart');
    await page.waitForURL(/view=chart/);
    await until(page, () => document.querySelector('.chip') === null);
    await close(page);
});

test('threads of a pool stand together, all can be found', { skip }, async () => {
    const page = await open();
    await page.goto(many.url);
    await until(page, isReady);
    await page.locator('#threads > summary').click();
    assert.deepEqual(await page.locator('#threads li > details:not(.idle) > summary').evaluateAll(all => all.map(s => s.firstChild.data.trim())),
                     ['Binder:*', 'DefaultDispatcher-worker-*']);
    assert.equal(await page.locator('#threads a').evaluateAll(all => all.filter(a => /^\d/.test(a.dataset.track)).length), 300);
    const text = page.getByLabel('Filter by name or id');
    await text.fill('worker 15');
    assert.equal(await page.locator('#threads a:visible').count(), 11);
    assert.match(await page.locator('#thread-count').textContent(), /^11 of 300$/);
    await text.fill('1');
    assert.ok(await page.locator('#threads a[data-track="1"]').isVisible());
    await text.fill('');
    assert.equal(await page.locator('#thread-count').textContent(), '');
    await page.locator('#threads a[data-track="2"]').focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/t\/2$/);
    await until(page, isReady);
    await until(page, () => document.querySelector('#threads a[data-track="2"]').getAttribute('aria-current') === 'true');
    await close(page);
});

/* What Chrome's tracing writes: threads of several processes, as [process, thread, us]. */
function processesTrace(threads) {
    const events = threads.flatMap(([process, name, dur], i) => [
        { ph: 'M', name: 'process_name', pid: process.length, args: { name: process } }, { ph: 'M', name: 'thread_name', pid: process.length, tid: i + 1, args: { name } },
        { ph: 'X', name: `work ${i}`, pid: process.length, tid: i + 1, ts: 5, dur }]);
    return Buffer.from(JSON.stringify({ traceEvents: events }));
}

test('threads of other processes stand behind the names of these, and are found by them', { skip }, async () => {
    const threads = [['com.app', 'main', 90_000], ['com.app', 'RenderThread', 80_000], ['com.android.systemui', 'RenderThread', 70_000], ['com.android.systemui', 'ui', 60_000],
                     ['system_server', 'display', 99_000], ['system_server', 'fg', 98_000]];
    const { url } = await upload(service, processesTrace(threads), 'system.json'), page = await open();
    const names = locator => locator.evaluateAll(all => all.filter(a => /^\d/.test(a.dataset.track) && a.checkVisibility()).map(a => a.firstChild.data.trim()));
    const links = page.locator('#threads a[data-track]'), summaries = page.locator('#threads li > details > summary'), text = page.getByLabel('Filter by name or id');
    await page.goto(url);
    await until(page, isReady);
    await page.locator('#threads > summary').click();
    assert.deepEqual(await names(links), ['main', 'RenderThread']);
    assert.match((await summaries.allTextContents()).join(), /^system_server.* 2 threads.*,com.android.systemui.* 2 threads/);
    assert.deepEqual(await findings(page), []);
    await summaries.last().focus();
    await page.keyboard.press('Enter');
    assert.deepEqual(await names(links), ['main', 'RenderThread', 'RenderThread', 'ui']);
    assert.deepEqual(await findings(page), []);
    await text.fill('systemui render');
    assert.deepEqual(await names(links), ['RenderThread']);
    await text.fill('com.app');
    assert.deepEqual(await names(links), ['main', 'RenderThread']);
    await text.fill('fg');
    assert.deepEqual(await names(links), ['fg']);
    await links.filter({ hasText: 'fg' }).click();
    await until(page, () => document.querySelector('#threads .shown').textContent === 'fg');
    await until(page, isReady);
    await page.locator('#threads > summary').click();
    assert.deepEqual(await names(links), ['main', 'RenderThread', 'display', 'fg']);
    await text.fill('ui');
    await text.fill('');
    assert.deepEqual(await names(links), ['main', 'RenderThread', 'display', 'fg']);     /* as before */
    const lane = page.locator('.lane-names button', { hasText: 'RenderThread \u00b7 systemui (20)' });
    assert.match(await lane.getAttribute('title'), /^RenderThread \(\d+\) of com.android.systemui \(20\): /);
    await close(page);
});

test('on paper the picture is on one page', { skip }, async () => {
    const page = await open();
    await page.goto(some.url);
    await until(page, isReady);
    const pdf = (await page.pdf({ format: 'A4', landscape: true })).toString('latin1');
    assert.equal(pdf.match(/\/Type\s*\/Page\b/g).length, 1);
    await close(page);
});

test('the browser shows an icon', { skip }, async () => {
    for (const path of ['/favicon.ico', ...(await (await fetch(many.url, { headers: { Accept: 'text/html' } })).text()).match(/\/static\/\w+\/icon.svg/g)]) {
        const answer = await fetch(service.url + path);
        assert.equal(answer.headers.get('content-type'), 'image/svg+xml');
        assert.match(await answer.text(), /^<svg /);
    }
});

test('the token of a form upload goes from the address into the list of the browser', { skip }, async () => {
    const one = await upload(service, trace([{ id: 1, name: 'main' }]), 'mine.trace');
    const page = await open();
    await page.goto(`${one.url}#token=${one.delete_token}`);
    await until(page, () => location.hash === '');
    const list = await page.evaluate(() => JSON.parse(localStorage.getItem('aflamed.uploads')));
    assert.equal(list.length, 1);
    assert.equal(list[0].id, one.id);
    assert.equal(list[0].token, one.delete_token);
    assert.equal(list[0].name, 'mine.trace');
    await page.reload();
    await page.locator('.rename > summary').click();
    await page.getByLabel('Name', { exact: true }).fill('renamed <i>');
    await page.getByRole('button', { name: 'Change' }).click();
    await page.waitForURL(one.url);
    assert.equal(await page.locator('h1').textContent(), 'renamed <i>');
    const renamed = await page.evaluate(() => JSON.parse(localStorage.getItem('aflamed.uploads')));
    assert.equal(renamed[0].name, 'renamed <i>');
    await page.locator('#main-menu > summary').click();
    await page.locator('.remove > summary').click();
    await page.getByRole('button', { name: 'Delete this profile' }).click();
    await page.getByRole('heading', { name: 'The profile is deleted' }).waitFor();
    assert.equal(await page.evaluate(() => localStorage.getItem('aflamed.uploads')), '[]');
    assert.equal((await fetch(one.url)).status, 410);
    await close(page);
});

test('an address that asks to delete opens the form, with the token filled in', { skip }, async () => {
    for (const keeps of [true, false]) {
        const answer = await fetch(service.url, { method: 'POST', body: trace([{ id: 1, name: 'main' }]) });
        const address = answer.headers.get('x-delete-url');
        assert.equal(address.split('#')[0], (await answer.text()).trim());
        const page = await open();
        if (!keeps)
            await page.addInitScript(() => { Storage.prototype.setItem = () => { throw new Error('full'); }; });
        const sent = [];
        page.on('request', request => sent.push(request.url()));
        await page.goto(address);
        await page.getByRole('button', { name: 'Delete this profile' }).click();
        await page.getByRole('heading', { name: 'The profile is deleted' }).waitFor();
        assert.equal(sent.some(url => url.split('#')[0].includes(address.split('#delete=')[1])), false);
        assert.equal((await fetch(address)).status, 410);
        await close(page);
    }
});

test('behind another tab or thread the keyboard goes on from there; printed, the headline stands above the picture', { skip }, async () => {
    const both = await upload(service, trace([{ id: 1, name: 'main', us: 900_000 }, { id: 2, name: 'worker', us: 300_000 }]));
    const page = await open(), focused = wanted => until(page, selector => document.activeElement?.matches(selector), wanted);
    await page.goto(both.url);
    await until(page, () => document.querySelector('#picture > svg')?.dataset.state === 'ready' && document.querySelector('#verdict li') !== null);
    await page.locator('#picture .graph').focus();
    await page.keyboard.press('2');
    await page.locator('#methods tbody tr:visible').first().waitFor();
    await focused('.tabs a[aria-current]');
    await page.locator('#threads > summary').click();
    await page.locator('#threads a[data-track="2"]').focus();
    await page.keyboard.press('Enter');
    await until(page, () => /worker/.test(document.querySelector('#threads > summary').textContent));
    await focused('#threads > summary');
    await page.emulateMedia({ media: 'print' });
    assert.equal(await page.locator('#sentences li').first().isVisible(), true);
    assert.equal(await page.locator('#verdict button').isVisible(), false);
    await close(page);
});

test('the total has room for a number with its unit on a phone, too', { skip }, async () => {
    const one = await upload(service, trace([{ id: 1, name: 'main', us: 900_000 }]));
    const page = await open({ viewport: { width: 400, height: 800 } });
    await page.goto(one.url);
    await until(page, () => /\u00b7/.test(document.querySelector('#whole').textContent));
    assert.ok(await page.locator('#whole').evaluate(place => place.clientWidth) >= 60);
    await close(page);
});

test('without scripts the token is typed in', { skip }, async () => {
    const one = await upload(service, trace([{ id: 1, name: 'main' }]), 'mine.trace');
    const page = await open({ javaScriptEnabled: false });
    await page.goto(one.url + '/delete');
    await page.getByLabel('Delete token').fill(one.delete_token);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'The profile is deleted' }).waitFor();
    await close(page);
});

test('a token in the address does not take the place of the one that is known', { skip }, async () => {
    const one = await upload(service, trace([{ id: 1, name: 'main' }]), 'mine.trace');
    const page = await open();
    await page.goto(`${one.url}#token=${one.delete_token}`);
    await until(page, () => location.hash === '');
    await page.goto('about:blank');
    await page.goto(`${one.url}#token=${'c'.repeat(26)}`);
    await until(page, () => location.hash === '');
    const list = await page.evaluate(() => JSON.parse(localStorage.getItem('aflamed.uploads')));
    assert.deepEqual(list.map(entry => entry.token), [one.delete_token]);
    assert.equal(await page.locator('.rename input.token').first().inputValue(), one.delete_token);
    await page.locator('.rename > summary').click();
    await page.getByLabel('Name', { exact: true }).fill('still mine');
    await page.getByRole('button', { name: 'Change' }).click();
    await page.waitForURL(one.url);
    assert.equal(await page.locator('h1').textContent(), 'still mine');
    await close(page);
});

test('without scripts all that matters is there', { skip }, async () => {
    const page = await open({ javaScriptEnabled: false });
    await page.goto(many.url);
    await page.locator('#threads > summary').click();
    assert.ok(await page.locator('#threads a[data-track="1"]').isVisible());
    assert.equal(await page.getByLabel('Filter by name or id').isVisible(), false);
    assert.equal(await page.locator('#panel').isVisible(), false);
    await page.locator('#threads > summary').click();
    await page.getByRole('link', { name: 'In words' }).click();
    assert.match(await page.locator('#sentences li').first().innerText(), / took /);
    await page.goto(many.url);
    await page.locator('.rename > summary').click();
    const form = page.locator('form[action$="/rename"]');
    await form.getByLabel('Delete token').fill(many.delete_token);
    await form.getByLabel('Keep it for how many more days').fill('3');
    await form.getByRole('button', { name: 'Change' }).click();
    await page.waitForURL(many.url);
    const days = (Date.parse((await (await fetch(many.url, { headers: { Accept: 'application/json' } })).json()).expires) - Date.now()) / 86_400_000;
    assert.ok(days > 2.9 && days <= 3, `${days}`);
    await close(page);
});
