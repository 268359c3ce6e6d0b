/* The upload page in a browser. */
import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import { test } from 'node:test';
import { browser, findings, overflows, PATIENCE_MS, serve, service, shiftOf, skip, startService, watchShift } from './support.mjs';
import { give, kept, profile, withPage } from './upload_support.mjs';

const LIMIT_BYTES = 3 << 20;
const RESULT = /\/p\/[a-z2-7]{26}$/;
const PNG = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
const WRONG = { name: 'photo.trace', mimeType: '', buffer: PNG };
let home;

serve(async () => { home = `${service.url}/`; }, { max_upload_bytes: LIMIT_BYTES });

function onPage(name, subject, options = {}) {
    test(name, { skip }, () => withPage(browser, service, options, async (page, context) => {
        await page.goto(home);
        await subject(page, context);
    }));
}

test('nothing moves while the page loads', { skip }, async () => {
    for (const width of [400, 1280])
        await withPage(browser, service, { viewport: { width, height: 800 } }, async page => {
            await watchShift(page);
            await page.goto(home);
            await page.locator('.command button').first().waitFor();
            assert.ok(await shiftOf(page) < 0.02, `${width} px`);
        });
});

const row = (page, text) => page.locator('#upload-rows > li').filter({ hasText: text });

async function state(page, text, wanted) {
    await row(page, text).and(page.locator(`[data-state="${wanted}"]`)).waitFor();
}

/* So slow that a test can look at an upload while it runs, until the function that this gives is called. */
async function throttle(page, uploadThroughput) {
    const session = await page.context().newCDPSession(page);
    const conditions = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput };
    await session.send('Network.enable');
    await session.send('Network.emulateNetworkConditions', conditions);
    return () => session.detach();
}

async function failOnce(page, answer) {
    let failed = false;
    await page.route(home, route => {
        if (failed || route.request().method() !== 'POST')
            return route.continue();
        failed = true;
        return answer(route);
    });
}

/* The next upload is on its way until the function that this gives is called. */
async function holdNext(page) {
    let letGo, isHeld = false;
    const free = new Promise(resolve => { letGo = resolve; });
    await page.route(home, async route => {
        if (!isHeld && route.request().method() === 'POST') {
            isHeld = true;
            await free;
        }
        await route.continue();
    });
    return letGo;
}

onPage('a chosen file leads to its result, and is noted', async page => {
    await page.setInputFiles('#trace', [profile('first.folded')]);
    await page.waitForURL(RESULT);
    assert.match(await page.locator('h1').innerText(), /first\.folded/);
    const [entry, ...others] = await kept(page);
    assert.deepEqual(others, []);
    assert.ok(page.url().endsWith(`/p/${entry.id}`));
    assert.equal(entry.name, 'first.folded');
    assert.equal(entry.size, profile('').buffer.length);
    assert.match(entry.token, /^[a-z2-7]{26}$/);
    assert.ok(Date.parse(entry.expires) > Date.parse(entry.created));
});

onPage('name and days are taken along', async page => {
    await page.fill('#name', 'cold <start> ü');
    await page.fill('#expires', '3');
    await page.setInputFiles('#trace', [profile('x.folded')]);
    await page.waitForURL(RESULT);
    const [entry] = await kept(page);
    assert.equal(entry.name, 'cold <start> ü');
    assert.equal(Math.round((Date.parse(entry.expires) - Date.parse(entry.created)) / 86_400_000), 3);
});

onPage('a number of days that is none waits for a better one', async page => {
    await page.fill('#expires', '999999');
    await page.setInputFiles('#trace', [profile('x.folded')]);
    await state(page, 'x.folded', 'failed');
    assert.match(await row(page, 'x.folded').innerText(), /1 to \d+ days/);
    await page.fill('#expires', '5');
    await row(page, 'x.folded').getByRole('button', { name: /Retry/ }).click();
    await page.waitForURL(RESULT);
});

onPage('a file that is dropped anywhere', async page => {
    await give(page, 'dragover', [profile('dropped.folded')]);
    assert.ok(await page.locator('#drop-cover').isVisible());
    await give(page, 'drop', [profile('dropped.folded')]);
    await page.waitForURL(RESULT);
    assert.match(await page.locator('h1').innerText(), /dropped\.folded/);
});

onPage('a file that is pasted', async page => {
    await give(page, 'paste', [profile('pasted.folded')]);
    await page.waitForURL(RESULT);
});

onPage('text that is dropped or pasted is left alone', async page => {
    const taken = await page.evaluate(() => ['drop', 'paste'].map(type => {
        const transfer = new DataTransfer();
        transfer.setData('text/plain', 'a;b 1');
        const event = type === 'drop'
            ? new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: transfer })
            : new ClipboardEvent(type, { bubbles: true, cancelable: true, clipboardData: transfer });
        return !document.getElementById('name').dispatchEvent(event);
    }));
    assert.deepEqual(taken, [false, false]);
    assert.equal(await page.locator('#upload-rows > li').count(), 0);
});

onPage('several files: two at a time, then links', async page => {
    let running = 0, most = 0;
    await page.route(home, async route => {
        most = Math.max(most, ++running);
        for (const END_MS = Date.now() + PATIENCE_MS; most < 2 && Date.now() < END_MS;)
            await page.waitForTimeout(50);
        await page.waitForTimeout(150);     /* a third one would come in this time */
        running--;
        await route.continue();
    });
    const names = ['a.folded', 'b.folded', 'c.folded', 'd.folded', 'e.folded'];
    await page.fill('#name', 'morning');
    await page.setInputFiles('#trace', names.map(name => profile(name)));
    for (const name of names)
        await state(page, name, 'done');
    assert.equal(most, 2);
    assert.equal(page.url(), home);
    assert.deepEqual((await kept(page)).map(one => one.name).sort(), names.map(name => `morning: ${name}`));
    await row(page, 'c.folded').getByRole('link').click();
    await page.waitForURL(RESULT);
    assert.match(await page.locator('h1').innerText(), /morning: c\.folded/);
});

onPage('what is wrong with a file is said, with what to do', async page => {
    await page.setInputFiles('#trace', [WRONG]);
    await state(page, 'photo.trace', 'failed');
    const text = await row(page, 'photo.trace').innerText();
    assert.match(text, /PNG image/);
    assert.match(text, /PNG/);
    assert.match(text, /Upload one of these: Android method trace,/);
    assert.match(await page.locator('#upload-status').innerText(), /photo\.trace: .*PNG/);
    assert.equal(await row(page, 'photo.trace').getByRole('button', { name: /Retry/ }).count(), 0);
    await row(page, 'photo.trace').getByRole('button', { name: 'Remove photo.trace' }).click();
    assert.equal(await page.locator('#upload-rows > li').count(), 0);
});

onPage('empty and large files are not sent at all', async page => {
    const sent = [];
    page.on('request', request => request.method() === 'POST' && sent.push(request.url()));
    await page.setInputFiles('#trace', [{ name: 'empty.trace', mimeType: '', buffer: Buffer.alloc(0) },
                                        profile('large.trace', LIMIT_BYTES + 1)]);
    await state(page, 'empty.trace', 'failed');
    await state(page, 'large.trace', 'failed');
    assert.match(await row(page, 'large.trace').innerText(), /the limit is 3 MiB/);
    assert.deepEqual(sent, []);
});

/* A method trace of one thread in two files (docs/formats.md), and the one that they become. */
const KEY = Buffer.from('*version\n3\nclock=global\n*threads\n1\tmain\n*methods\n0x10\ta.B\trun\t()V\tB.java\t1\n*end\n');
const DATA = Buffer.concat([Buffer.from('SLOW\x03\0\x20\0', 'latin1'), Buffer.alloc(8), Buffer.from([10, 0]), Buffer.alloc(14),
                            Buffer.from([1, 0, 0x10, 0, 0, 0, 0, 0, 0, 0]), Buffer.from([1, 0, 0x11, 0, 0, 0, 9, 0, 0, 0])]);
const STREAM = Buffer.concat([Buffer.from('SLOW\xf3\0\x20\0', 'latin1'), Buffer.alloc(8), Buffer.from([14, 0]), Buffer.alloc(14),
                              Buffer.from([1, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
                              Buffer.from([1, 0, 0x11, 0, 0, 0, 9, 0, 0, 0, 9, 0, 0, 0])]);
const half = (name, buffer) => ({ name, mimeType: '', buffer });

/* The bytes that are stored as the upload on whose page we are. */
async function stored(page) {
    const answer = await page.request.get(page.url().replace(/#.*/, '') + '/raw');
    return answer.body();
}

for (const order of [0, 1])
    onPage(`a trace in two files that are given together is one, order ${order}`, async page => {
        const halves = [half('app.key', KEY), half('app.data', DATA)];
        await page.setInputFiles('#trace', order ? halves.reverse() : halves);
        await page.waitForURL(RESULT);
        assert.deepEqual(await stored(page), Buffer.concat([KEY, DATA]));
        assert.match(await page.locator('h1').innerText(), /^app$/m);
    });

onPage('a streaming trace and its summary that are dropped together are one', async page => {
    await give(page, 'drop', [half('s.trace.sec', KEY), half('s.trace', STREAM)]);
    await page.waitForURL(RESULT);
    const joint = Buffer.from([0, 0, 3, KEY.length, 0, 0, 0]);
    assert.deepEqual(await stored(page), Buffer.concat([STREAM, joint, KEY]));
});

onPage('halves among other files go by their names', async page => {
    await page.setInputFiles('#trace', [half('a.key', KEY), half('b.data', DATA), half('b.key', KEY), half('a.data', DATA),
                                        half('c.data', DATA), profile('x.folded')]);
    for (const name of ['a', 'b', 'x.folded'])
        await row(page, name).and(page.locator('[data-state="done"]')).first().waitFor();
    await state(page, 'c.data', 'failed');
    assert.equal(await page.locator('#upload-rows > li').count(), 4);
    assert.match(await row(page, 'c.data').innerText(), /drop both onto the page/);
});

onPage('one half alone is refused with what to do', async page => {
    await page.setInputFiles('#trace', [half('app.key', KEY)]);
    await state(page, 'app.key', 'failed');
    assert.match(await row(page, 'app.key').innerText(), /key file of a trace in two files[^]*drop both onto the page/);
});

onPage('progress, cancel, retry', async page => {
    const unthrottle = await throttle(page, 300_000);
    await page.setInputFiles('#trace', [profile('slow.folded', 2 << 20)]);
    const facts = row(page, 'slow.folded').locator('.upload-facts');
    await facts.filter({ hasText: / of 2 MiB · [\d.]+ KiB\/s · \d+ s left/ }).waitFor();
    const done = await row(page, 'slow.folded').getByRole('progressbar').evaluate(bar => bar.value);
    assert.ok(done > 0 && done < 1);
    await row(page, 'slow.folded').getByRole('button', { name: /Cancel/ }).click();
    await state(page, 'slow.folded', 'cancelled');
    assert.deepEqual(await kept(page), []);
    await unthrottle();
    assert.ok(await row(page, 'slow.folded').getByRole('button', { name: /Retry/ }).evaluate(
        button => button === document.activeElement));
    await page.keyboard.press('Enter');
    await page.waitForURL(RESULT);
});

onPage('one that waits for its turn can be cancelled as well', async page => {
    await throttle(page, 100_000);
    await page.setInputFiles('#trace', ['a', 'b', 'c'].map(name => profile(`${name}.folded`, 1 << 20)));
    await state(page, 'c.folded', 'queued');
    await row(page, 'c.folded').getByRole('button', { name: /Cancel/ }).click();
    await state(page, 'c.folded', 'cancelled');
    await row(page, 'a.folded').getByRole('button', { name: /Cancel/ }).click();
    await state(page, 'a.folded', 'cancelled');
    assert.equal(await page.locator('[data-state="sending"]').count(), 1);
    await row(page, 'b.folded').getByRole('button', { name: /Cancel/ }).click();
    await state(page, 'b.folded', 'cancelled');
});

onPage('a server error says why and can be retried', async page => {
    const problem = { title: 'busy', detail: 'All places are taken.', hint: 'Try again in a minute.' };
    await failOnce(page, route => route.fulfill({ status: 503, contentType: 'application/problem+json',
                                                  body: JSON.stringify(problem) }));
    await page.setInputFiles('#trace', [profile('x.folded')]);
    await state(page, 'x.folded', 'failed');
    const text = await row(page, 'x.folded').innerText();
    for (const part of ['Busy', 'All places are taken.', 'Try again in a minute.'])
        assert.ok(text.includes(part));
    await row(page, 'x.folded').getByRole('button', { name: /Retry/ }).click();
    await page.waitForURL(RESULT);
});

onPage('a retry does not leave the page while another file is on its way', async page => {
    await failOnce(page, route => route.fulfill({ status: 503, body: 'busy' }));
    await page.setInputFiles('#trace', [profile('small.folded')]);
    await state(page, 'small.folded', 'failed');
    const letGo = await holdNext(page);
    await page.setInputFiles('#trace', [profile('large.folded')]);
    await state(page, 'large.folded', 'sending');
    await row(page, 'small.folded').getByRole('button', { name: /Retry/ }).click();
    await state(page, 'small.folded', 'done');
    await page.waitForTimeout(500);
    await state(page, 'large.folded', 'sending');
    letGo();
    await page.waitForURL(RESULT);
    assert.match(await page.locator('h1').innerText(), /large\.folded/);
});

onPage('a page of a proxy instead of an answer', async page => {
    await failOnce(page, route => route.fulfill({ contentType: 'text/html', body: '<h1>Log in' }));
    await page.setInputFiles('#trace', [profile('x.folded')]);
    await state(page, 'x.folded', 'failed');
});

onPage('a connection that breaks says so and can be retried', async page => {
    await failOnce(page, route => route.abort('connectionreset'));
    await page.setInputFiles('#trace', [profile('x.folded')]);
    await state(page, 'x.folded', 'failed');
    assert.match(await row(page, 'x.folded').innerText(), /connection broke/);
    await row(page, 'x.folded').getByRole('button', { name: /Retry/ }).click();
    await page.waitForURL(RESULT);
});

onPage('the demo', async page => {
    await page.getByRole('button', { name: 'Try the demo' }).click();
    await page.waitForURL(RESULT);
    assert.match(await page.locator('h1').innerText(), /demo\.trace/);
});

onPage('hostile file names are shown as they are, and as nothing else', async page => {
    const name = '"><img src=x onerror=alert(1)>\u202egpj.trace';
    await page.setInputFiles('#trace', [{ ...WRONG, name }]);
    await page.locator('[data-state="failed"]').waitFor();
    assert.equal(await page.locator('.upload-name').innerText(), name.replace('\u202e', '\ufffd'));
    assert.equal(await page.locator('#upload-rows img').count(), 0);
});

onPage('a browser that keeps nothing is told how to delete', async page => {
    await page.evaluate(() => { Storage.prototype.setItem = () => { throw new Error('full'); }; });
    await page.setInputFiles('#trace', [profile('x.folded')]);
    await state(page, 'x.folded', 'done');
    assert.equal(page.url(), home);
    await page.getByRole('link', { name: /delete/ }).click();
    await page.getByRole('button', { name: 'Delete this profile' }).click();
    await page.getByRole('heading', { name: /deleted/ }).waitFor();
});

onPage('commands are copied, or selected where that is forbidden', async page => {
    const command = page.locator('.command').first();
    await page.evaluate(() => {
        Object.defineProperty(navigator, 'clipboard', { value: undefined });
        document.execCommand = () => false;
    });
    await command.getByRole('button', { name: 'Copy' }).click();
    await command.getByText('Selected: press Ctrl+C').waitFor();
    assert.equal(await page.evaluate(() => String(getSelection())), `curl -F trace=@app.trace ${home}`);
});

onPage('commands are copied by the browser', async (page, context) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: service.url });
    const command = page.locator('.command').first();
    await command.getByRole('button', { name: 'Copy' }).click();
    await command.getByText('Copied').waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(copied, `curl -F trace=@app.trace ${home}`);
});

onPage('all of it can be reached by keyboard', async page => {
    const reached = new Set();
    for (let i = 0; i < 30; i++) {
        await page.keyboard.press('Tab');
        reached.add(await page.evaluate(() => {
            const at = document.activeElement;
            return at.id || at.textContent;
        }));
    }
    for (const wanted of ['trace', 'name', 'expires', 'demo', 'Download the demo', 'Copy'])
        assert.ok(reached.has(wanted), wanted);
});

for (const javaScriptEnabled of [true, false])
    for (const [width, colorScheme] of [[360, 'light'], [1600, 'dark']])
        onPage(`${width} px, ${colorScheme}, JavaScript ${javaScriptEnabled}`, async page => {
            assert.ok(!await overflows(page));
            if (!javaScriptEnabled)
                return;
            await page.setInputFiles('#trace', [WRONG, { ...WRONG, name: 'x'.repeat(200) }]);
            await page.locator('[data-state="failed"]').nth(1).waitFor();
            assert.ok(!await overflows(page));
            assert.deepEqual(await findings(page), []);
        }, { viewport: { width, height: 800 }, colorScheme, javaScriptEnabled });

onPage('without JavaScript: the form alone', async page => {
    assert.equal(await page.getByRole('button', { name: 'Try the demo' }).count(), 0);
    await page.setInputFiles('#trace', [profile('plain.folded')]);
    await page.fill('#name', 'by form');
    await page.getByRole('button', { name: 'Upload and draw' }).click();
    await page.getByRole('heading', { name: 'by form' }).waitFor();
    assert.match(page.url(), /\/p\/[a-z2-7]{26}(#|$)/);
}, { javaScriptEnabled: false });

onPage('without JavaScript: a wrong file shows its hint', async page => {
    await page.setInputFiles('#trace', [WRONG]);
    await page.getByRole('button', { name: 'Upload and draw' }).click();
    await page.getByText(/PNG/).first().waitFor();
    assert.match(await page.locator('main').innerText(), /Upload one of these: Android method trace,/);
}, { javaScriptEnabled: false });

/* A proxy that puts the service under /profiles/, and nothing at all elsewhere: {url, target, close}. */
async function startProxy() {
    const proxy = { target: null };
    const server = createServer((asked, answer) => {
        if (!asked.url.startsWith('/profiles/'))
            return answer.writeHead(502).end();
        const { method, headers } = asked, url = proxy.target + asked.url.slice('/profiles'.length);
        const passed = request(url, { method, headers }, got => {
            answer.writeHead(got.statusCode, got.headers);
            got.pipe(answer);
        });
        passed.on('error', () => answer.destroy());    // the page that asked may be gone, and the service with it
        return asked.pipe(passed);
    });
    await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
    proxy.url = `http://127.0.0.1:${server.address().port}/profiles`;
    proxy.close = () => { server.closeAllConnections(); server.close(); };
    return proxy;
}

function behindProxy(name, options, subject) {
    test(name, { skip }, async () => {
        const proxy = await startProxy();
        const behind = await startService({ external_url: proxy.url });
        proxy.target = behind.url;
        try {
            await withPage(browser, proxy, options, async page => {
                await page.goto(`${proxy.url}/`);
                await subject(page, proxy.url);
            });
        } finally {
            proxy.close();
            await behind.stop();
        }
    });
}

behindProxy('behind a path of a proxy', {}, async (page, url) => {
    assert.ok((await page.locator('.command').first().innerText()).includes(`trace=@app.trace ${url}/`));
    await page.setInputFiles('#trace', [profile('x.folded')]);
    await page.waitForURL(`${url}/p/*`);
    await page.goto(`${url}/uploads`);
    await page.getByRole('link', { name: 'x.folded' }).click();
    await page.waitForURL(`${url}/p/*`);
    await page.goto(`${url}/uploads`);
    await page.getByRole('button', { name: 'Delete x.folded' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Deleted x.folded.').waitFor();
});

const WITHOUT = { javaScriptEnabled: false };
behindProxy('behind a path of a proxy, without JavaScript', WITHOUT, async (page, url) => {
    await page.setInputFiles('#trace', [profile('x.folded')]);
    await page.getByRole('button', { name: 'Upload and draw' }).click();
    await page.getByRole('heading', { name: 'x.folded' }).waitFor();
    assert.ok(page.url().startsWith(`${url}/p/`));
});

/* A tar of files of at most 512 bytes each (POSIX 1003.1). */
function tarOf(files) {
    const blocks = [];
    for (const [name, text] of files) {
        const header = Buffer.alloc(512), body = Buffer.alloc(512);
        header.write(name, 0);
        header.write('0000644\0', 100);
        header.write(`${text.length.toString(8).padStart(11, '0')}\0`, 124);
        header.write('        0', 148);
        header.write('ustar\x0000', 257);
        const sum = header.reduce((all, byte) => all + byte, 0);
        header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
        body.write(text);
        blocks.push(header, body);
    }
    return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

onPage('of an archive with several files each can be read', async page => {
    const buffer = tarOf([['one.txt', 'main;a 1\n'], ['<b>.txt', 'main;b 2\n'], ['cut.trace', '*version\n3\nclock=wall\n']]);
    await page.setInputFiles('#trace', [{ name: 'report.tar', mimeType: '', buffer }]);
    await state(page, 'report.tar', 'failed');
    assert.match(await row(page, 'report.tar').innerText(), /Several files in the archive/);
    await row(page, 'report.tar').getByRole('button', { name: 'Read each of them' }).click();
    await state(page, 'report.tar', 'done');
    const links = row(page, 'report.tar').locator('.upload-members a');
    assert.deepEqual(await links.allInnerTexts(), ['report.tar/one.txt', 'report.tar/<b>.txt']);
    assert.match(await row(page, 'report.tar').innerText(), /2 results[\s\S]*cut\.trace: /);
    assert.deepEqual((await kept(page)).map(entry => entry.name), ['report.tar/<b>.txt', 'report.tar/one.txt']);
    await links.first().click();
    await page.waitForURL(RESULT);
    assert.match(await page.locator('h1').innerText(), /one\.txt/);
});
