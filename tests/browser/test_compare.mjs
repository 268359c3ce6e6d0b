/* Two starts compared: from the page of the first one to what changed, by a link, by name, by a file, and without scripts. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { browser, looksWell, openPage, serve, service, shiftOf, skip, trace, until, upload, watchShift } from './support.mjs';
import { kept, withPage } from './upload_support.mjs';

const EARLIER = trace([{ id: 1, name: 'main', us: 1000 }, { id: 2, name: 'worker', us: 400 }]);
const LATER = trace([{ id: 1, name: 'main', us: 3000 }, { id: 2, name: 'worker', us: 400 }]);

describe('comparing', { skip }, () => {
    let a, b;

    serve(async () => {
        a = await upload(service, EARLIER, 'earlier.trace');
        b = await upload(service, LATER, 'later.trace');
    });

    const pair = () => `${service.url}/d/${a.id}..${b.id}`;

    test('looks well', () => withPage(browser, service, {}, page => looksWell(page, [360, 800, 1280, 1920], () => page.goto(pair()))));

    test('its table looks well', () => withPage(browser, service, {}, page =>
        looksWell(page, [360, 1280], () => page.goto(`${pair()}/methods`))));

    /* The picture of the page, once its script has started. */
    async function shown(page, url = pair()) {
        await page.goto(url);
        await until(page, () => document.querySelector('#picture svg')?.dataset.state === 'ready');
    }
    const stateOf = page => page.evaluate(() => document.querySelector('#picture svg').flame.state);

    test('nothing moves while the page loads', () => withPage(browser, service, { viewport: { width: 1280, height: 800 } }, async page => {
        await watchShift(page);
        await shown(page);
        await page.locator('.more-words').waitFor();
        assert.ok(await shiftOf(page) < 0.02);
    }));

    test('says what changed', () => withPage(browser, service, {}, async page => {
        await shown(page);
        assert.match(await page.textContent('#sentences li:first-child'), /^Without waiting, B took .* more than A's .* \(\+[\d.]+ %\)\.$/);
        assert.match(await page.textContent('#whole'), /^wall time: .* in A, .* in B: \+.* \(\+.* %\)$/);
        const labels = await page.locator('#picture .texts text').allTextContents();
        assert.ok(labels.some(label => /^\+[\d.]+ % /.test(label)), labels.join('|'));
        assert.ok(await page.locator('#picture .legend.change').isVisible());
        assert.ok((await page.textContent('#picture .legend.change')).includes('only in B'));
        assert.ok(await page.locator('#picture .shapes path.d4').count() > 0);
    }));

    test('what it says leads to the picture, to the table and back', () => withPage(browser, service, {}, async page => {
        await shown(page);
        await page.click('.more-words');
        const name = await page.textContent('#sentences a[href*="view=sandwich"]');
        await page.click('#sentences a[href*="view=sandwich"]');
        await until(page, () => document.querySelector('#picture svg')?.flame?.state.view === 'sandwich');
        assert.equal((await stateOf(page)).method.replace(/\(.*/s, ''), name);
        await page.click('#sentences a[href*="only=more"]');
        await until(page, () => document.querySelector('#methods')?.dataset.state === 'ready');
        assert.equal(await page.inputValue('#only'), 'more');
        await page.goBack();
        await until(page, () => document.querySelector('#picture svg')?.flame?.state.view === 'sandwich');
    }));

    test('the picture is alive: width, selection with both sides, search, zoom, back', () => withPage(browser, service, {}, async page => {
        await shown(page);
        await page.selectOption('#wide', 'larger');
        assert.equal((await stateOf(page)).value, 'wall_larger');
        await until(page, () => document.querySelector('.tabs a').search.includes('wide=larger'));
        await page.selectOption('#wide', 'a');
        assert.equal((await stateOf(page)).value, 'wall_a');
        await page.fill('#search', 'main');
        await until(page, () => document.querySelector('#picture .matched').childElementCount > 0);
        await page.keyboard.press('Enter');
        await until(page, () => document.querySelector('#chosen-frame table.of-sides') !== null);
        const rows = await page.locator('#chosen-frame table.of-sides tr').allInnerTexts();
        assert.deepEqual(rows.map(row => row.split('\t')[0].trim()), ['', 'total', 'self', 'calls', 'per call']);
        assert.match(rows[1], /\+200 %$/);
        await page.click('#chosen-frame [data-do="zoomTo"]');
        await until(page, () => document.querySelector('#picture svg').flame.state.zoom !== '');
        await page.goBack();
        await until(page, () => document.querySelector('#picture svg').flame.state.zoom === '');
    }));

    test('another value is another comparison, and its words follow', () => withPage(browser, service, {}, async page => {
        await shown(page);
        await page.selectOption('#value', 'cpu');
        await until(page, () => document.querySelector('#sentences li').textContent.includes(' of thread CPU time'));
        assert.ok(page.url().includes('value=cpu'));
        await until(page, () => document.querySelector('#picture svg').flame?.state.value === 'cpu_b');
    }));

    test('filters are chips, ranges and scales are fields, and stay in the links', () => withPage(browser, service, {}, async page => {
        await shown(page);
        await page.click('#sides summary');
        await page.fill('#normalise', 'total');
        await page.fill('#from_b', '10');
        await page.evaluate(() => { document.querySelector('#picture svg').dataset.before = ''; });
        await page.click('#sides button');
        await until(page, () => location.search.includes('normalise=total') &&
            document.querySelector('#picture svg:not([data-before])')?.flame !== undefined);
        assert.ok(page.url().includes('from_b=10'));
        await page.click('#add-filter summary');
        await page.fill('#add-hide', 'worker');
        await page.click('#add-filter button');
        await until(page, () => document.querySelector('#filters .chip') !== null);
        const link = await page.getAttribute('.tabs a:nth-child(2)', 'href');
        for (const part of ['normalise=total', 'from_b=10', 'hide=worker'])
            assert.ok(link.includes(part), link);
    }));

    test('by the keyboard alone', () => withPage(browser, service, {}, async page => {
        await shown(page);
        await page.focus('#picture .graph');
        await page.keyboard.press('ArrowUp');
        await page.keyboard.press('ArrowUp');
        await until(page, () => document.querySelector('#chosen-frame table.of-sides') !== null);
        await page.keyboard.press('v');
        assert.equal((await stateOf(page)).value, 'wall_larger');
        await page.keyboard.press('v');
        assert.equal((await stateOf(page)).value, 'wall_a');
        assert.match(await page.locator('#picture [aria-selected="true"]').getAttribute('aria-label'), /in A, .* in B: /);
        await page.keyboard.press('2');
        await until(page, () => document.querySelector('#methods')?.dataset.state === 'ready');
        await page.focus('#methods tbody button');
        await page.keyboard.press('Enter');
        await until(page, () => document.querySelector('#panel table.of-sides') !== null);
    }));

    test('the table of changes is sorted by any column, and its rows lead to the picture', () => withPage(browser, service, {}, async page => {
        await page.goto(`${pair()}/methods?all=1`);
        await until(page, () => document.querySelector('#methods')?.dataset.state === 'ready');
        const cells = n => page.locator(`#methods tbody tr[data-line] td:nth-of-type(${n})`).allInnerTexts();
        assert.match((await cells(1))[0], /^\+/);
        const heads = await page.locator('#methods thead th').allInnerTexts();
        assert.deepEqual(heads, ['Method', 'Self', '%', 'in A', 'in B', 'Total', '%', 'in A', 'in B', 'Per call', '%', 'in A', 'in B', 'Calls', '%', 'in A', 'in B']);
        for (const head of ['Total', 'Per call', 'Calls']) {
            await page.click(`#methods thead button:text-is("${head}")`);
            assert.equal(await page.locator('#methods th[aria-sort]').innerText(), head);
        }
        assert.ok(page.url().includes('sort=calls'));
        await page.click('#methods tbody button');
        await page.click('#panel a:has-text("Callers")');
        await until(page, () => document.querySelector('#picture svg')?.flame?.state.view === 'sandwich');
        assert.ok(await page.locator('#picture .shapes path[class^="d"]').count() > 0);
        await page.click('.tabs a:nth-child(2)');
        await page.selectOption('#only', 'new');
        await until(page, () => location.search.includes('only=new') && document.querySelector('#methods')?.dataset.state === 'ready' &&
            document.querySelector('#methods tbody tr[data-line]') === null);
    }));

    /* X takes longer in B; Y, which calls the same, has not changed. */
    const called = us => `com.example.X.x;com.example.Z.z ${us}\ncom.example.Y.y;com.example.Z.z 40\ncom.example.Y.y;com.example.W.w 7\n`;

    test('a row unfolds into callers and callees with both sides, and these lead on', () => withPage(browser, service, {}, async page => {
        const ids = [];
        for (const us of [100, 1000])
            ids.push((await upload(service, Buffer.from(called(us)), `${us}.folded`)).id);
        await page.goto(`${service.url}/d/${ids.join('..')}/methods`);
        await until(page, () => document.querySelector('#methods')?.dataset.state === 'ready');
        const row = name => page.locator('#methods tbody button.row-name:not(.edge)', { hasText: name });
        await row('Z.z').click();
        await until(page, () => document.querySelector('#methods tr.caller') !== null);
        assert.equal(await row('Z.z').getAttribute('aria-expanded'), 'true');
        assert.ok(await page.locator('#panel table.of-sides').isVisible());
        const callers = await page.locator('#methods tr.caller').allInnerTexts();
        assert.deepEqual(callers.map(text => text.split('\t').map(cell => cell.trim())), [
            ['Caller X.x', '', '', '', '', '+900', '+900 %', '100', '1,000'], ['Caller Y.y', '', '', '', '', '0', '0 %', '40', '40']]);
        await page.click('#methods tr.caller button:has-text("X.x")');
        await until(page, () => document.querySelector('#panel h2').textContent === 'com.example.X.x');
        await page.click('#methods tr.caller button:has-text("Y.y")');     /* it does not differ, and has no row */
        await page.waitForURL(/\/m\/[0-9a-f]{12}/);
        assert.equal(await page.textContent('#method h2'), 'com.example.Y.y');
        await page.click('#method a.place:has-text("W.w")');
        await until(page, () => document.querySelector('#method h2').textContent === 'com.example.W.w');
        await page.click('.tabs a:nth-child(2)');
        await until(page, () => document.querySelector('#methods')?.dataset.state === 'ready');
        await page.goBack();
        await until(page, () => document.querySelector('#method h2')?.textContent === 'com.example.W.w');
    }));

    test('the page of a method looks well', () => withPage(browser, service, {}, page => looksWell(page, [360, 1280], async () => {
        await page.goto(`${pair()}/methods`);
        await until(page, () => document.querySelector('#methods')?.dataset.state === 'ready');
        const { json, id } = await page.evaluate(async () => {
            const json = document.getElementById('methods').dataset.json, data = await (await fetch(json)).json();
            return { json, id: data.rows[0][data.columns.indexOf('id')] };
        });
        await page.goto(json.replace(/methods\.json.*/, `m/${id}`));
    })));

    test('the picture alone fetches what it needs', () => withPage(browser, service, {}, async page => {
        await page.goto(`${pair()}.svg?wide=a`);
        await until(page, () => document.documentElement.dataset.state === 'ready');
        await page.evaluate(() => document.documentElement.flame.filter('hide', 'module:none'));
        await until(page, () => document.querySelector('.chip') !== null);
        assert.equal(await page.textContent('.status').then(words => /fetched/.test(words)), false);
    }));

    test('the picture of the download fetches frames, with the pass of its link', () => withPage(browser, service, {}, async page => {
        await shown(page);
        const link = await page.getAttribute('.downloads a[href*="methods.svg"]', 'href'), asked = [];
        page.on('request', request => asked.push(new URL(request.url()).pathname));
        await page.goto(link);
        await until(page, () => document.documentElement.dataset.state === 'ready');
        await page.evaluate(() => document.documentElement.flame.filter('hide', 'module:none'));
        await until(page, () => document.querySelector('.chip') !== null);
        assert.ok(asked.some(path => /^\/d\/[a-z2-7]{26}\.\.[a-z2-7]{26}\/k\/[a-z2-7]{26}\/tree$/.test(path)), asked.join(' '));
        assert.equal(await page.textContent('.status').then(words => /fetched/.test(words)), false);
    }));

    test('by a link that was pasted', () => withPage(browser, service, {}, async page => {
        await page.goto(`${service.url}/p/${a.id}`);
        await page.click('#main-menu > summary');
        await page.click('details.compare summary');
        await page.fill('#compare-with', `${service.url}/p/${b.id}/t/1?value=cpu`);
        await page.click('details.compare button');
        await page.waitForURL(pair());
    }));

    test('by the keyboard, from the menu on', () => withPage(browser, service, {}, async page => {
        await page.goto(`${service.url}/p/${a.id}`);
        await page.focus('#main-menu > summary');
        for (const key of ['Enter', 'Tab', 'Enter', 'Tab'])
            await page.keyboard.press(key);
        await page.keyboard.type(b.id);
        await page.keyboard.press('Enter');
        await page.waitForURL(pair());
    }));

    test('the menu looks well', () => withPage(browser, service, {}, page => looksWell(page, [360, 1280], async () => {
        await page.goto(`${service.url}/p/${a.id}`);
        await page.click('#main-menu > summary');
        await page.click('details.compare summary');
        await until(page, () => !document.querySelector('details.compare .of-file').hidden);
    })));

    test('by an upload that the browser knows', () => withPage(browser, service, {}, async page => {
        await page.goto(service.url);
        await page.evaluate(one => localStorage.setItem('aflamed.uploads', JSON.stringify([one])), { id: b.id, name: 'later.trace' });
        await page.goto(`${service.url}/p/${a.id}`);
        await page.click('#main-menu > summary');
        await page.click('details.compare summary');
        await until(page, () => document.querySelector('#compare-known option')?.label === 'later.trace');
        assert.equal(await page.locator('#compare-known option').getAttribute('value'), b.id);
    }));

    test('by a file', () => withPage(browser, service, {}, async page => {
        await page.goto(`${service.url}/p/${a.id}`);
        await page.click('#main-menu > summary');
        await page.click('details.compare summary');
        await page.setInputFiles('#compare-file', { name: 'third.trace', mimeType: 'application/octet-stream', buffer: Buffer.from(LATER) });
        await page.waitForURL(/\/d\/[a-z2-7]{26}\.\.[a-z2-7]{26}$/);
        assert.ok(page.url().includes(a.id));
        assert.ok((await kept(page)).some(one => one.name === 'third.trace'));
    }));

    test('by a file that is dropped', () => withPage(browser, service, {}, async page => {
        await page.goto(`${service.url}/p/${a.id}`);
        await page.click('#main-menu > summary');
        await page.click('details.compare summary');
        await until(page, () => !document.querySelector('details.compare .of-file').hidden);
        await page.evaluate(bytes => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([new Uint8Array(bytes)], 'dropped.trace'));
            for (const type of ['dragover', 'drop'])
                document.querySelector('details.compare .sheet').dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
        }, [...Buffer.from(LATER)]);
        await page.waitForURL(/\/d\/[a-z2-7]{26}\.\.[a-z2-7]{26}$/);
        assert.ok(page.url().includes(a.id));
        assert.ok((await kept(page)).some(one => one.name === 'dropped.trace'));
    }));

    test('a file that is no profile says why', () => withPage(browser, service, {}, async page => {
        await page.goto(`${service.url}/p/${a.id}`);
        await page.click('#main-menu > summary');
        await page.click('details.compare summary');
        await page.setInputFiles('#compare-file', { name: 'x.png', mimeType: 'image/png', buffer: Buffer.from('\x89PNG\r\n\x1a\n0000', 'latin1') });
        await until(page, () => /:/.test(document.querySelector('details.compare [role="status"]').textContent));
        assert.ok(page.url().endsWith(a.id));
    }));

    test('without scripts', async () => {
        const page = await openPage(browser, service, { javaScriptEnabled: false });
        await page.goto(`${service.url}/p/${a.id}`);
        await page.click('#main-menu > summary');
        await page.click('details.compare summary');
        await page.fill('#compare-with', b.id);
        await page.click('details.compare button');
        await page.waitForURL(pair());
        await page.selectOption('#wide', 'larger');
        await page.selectOption('#value', 'cpu');
        await page.click('#choices noscript button');
        await page.waitForURL(/wide=larger/);
        assert.match(await page.textContent('#picture svg text'), /thread CPU time, the larger of A and B/);
        assert.ok(await page.locator('#picture img').evaluate(async picture => (await picture.decode(), picture.naturalWidth > 500)));
        assert.equal(await page.inputValue('#value'), 'cpu');
        await page.click('.tabs a:nth-child(2)');
        assert.match(await page.textContent('#methods pre'), /\n +change +% +excl A +excl B.*method\n.*\n +\+/);
        await page.click('#methods .sorts a:text-is("Total")');
        await page.waitForURL(/sort=cpu_incl/);
        const name = await page.textContent('#methods pre a');
        await page.click('#methods pre a');
        await page.waitForURL(/\/m\/[^/]*\?/);
        const text = await page.textContent('#method pre');
        assert.ok(text.startsWith(name), text);
        assert.match(text, /\n +cpu_a +cpu_b .*\ninclusive /);
        await page.context().close();
    });
});
