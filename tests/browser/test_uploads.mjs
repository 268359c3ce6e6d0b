/* The list of a browser's own uploads, and what the pages compute without a page. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as list from '../../static/upload-list.js';
import * as rules from '../../static/upload-rules.js';
import * as units from '../../static/units.js';
import { browser, findings, overflows, serve, service, skip, upload } from './support.mjs';
import { kept, profile, withPage } from './upload_support.mjs';

const DIGITS = 'abcdefghijklmnopqrstuvwxyz234567';
const idOf = n => 'a'.repeat(24) + DIGITS[n >> 5 & 31] + DIGITS[n & 31];
const entryOf = (n, more = {}) => ({ id: idOf(n), name: `start ${n}.trace`, token: 'b'.repeat(26),
                                     created: '2026-11-20T10:00:00.000Z', expires: '2099-11-20T10:00:00.000Z',
                                     format: 'Android method trace', size: 57472596, ...more });
const many = (n, more) => Array.from({ length: n }, (_, i) => entryOf(i, more));

/* ---- words ---- */

describe('units', () => {
    test('bytes', () => {
        const cases = [[0, '0 B'], [1, '1 B'], [1023, '1023 B'], [1024, '1 KiB'], [57472596, '54.8 MiB'],
                       [1048575, '1 MiB'], [2 ** 31, '2 GiB'], [2 ** 53, '8 PiB'], [2 ** 70, '1048576 PiB'],
                       [-1, '0 B'], [NaN, '0 B'], [Infinity, '0 B'], [undefined, '0 B']];
        for (const [n, text] of cases)
            assert.equal(units.bytes(n), text);
    });

    test('rate and remaining', () => {
        assert.equal(units.rate(0), '');
        assert.equal(units.rate(NaN), '');
        assert.equal(units.rate(1536), '1.5 KiB/s');
        const cases = [[100, 0, ''], [0, 10, ''], [1, 10, '1 s left'], [99, 1, '99 s left'],
                       [100, 1, '2 min left'], [5999, 1, '1 h 40 min left'],
                       [1e12, 1, 'more than four days left'], [NaN, 1, ''], [1, NaN, '']];
        for (const [left, rate, text] of cases)
            assert.equal(units.remaining(left, rate), text, `${left} at ${rate}`);
    });

    test('amounts', () => {
        const cases = [['us', 999, '999 \u00b5s'], ['us', 1_413_000, '1.41 s'], ['us', 59_940_000, '59.9 s'], ['us', 59_960_000, '1 min'],
                       ['us', 83_000_000, '1 min 23 s'], ['us', 3_599_500_000, '1 h'], ['us', 7_529_000_000, '2 h 5 min'],
                       ['us', -83_000_000, '-1 min 23 s'], ['bytes', 4096, '4 KiB'], ['count', 12345, '12,345']];
        for (const [unit, n, text] of cases)
            assert.equal(units.amount(unit, n), text, `${n} ${unit}`);
    });

    test('digits in groups', () => {
        for (const n of [0, 1, 12, 999, 1000, -1000, -123456, 1234567, 1e9, 1000.25, -999.5, 123456.125])
            assert.equal(units.grouped(n), n.toLocaleString('en'), String(n));
    });

    test('time', () => {
        assert.equal(units.time('2026-11-20T11:48:03Z'), '2026-11-20 11:48 UTC');
        for (const none of ['', 'soon', undefined, null, '2026-13-40'])
            assert.equal(units.time(none), '');
    });

    test('a meter forgets what was long ago', () => {
        const meter = units.meter(5000, 400);
        assert.equal(meter.rate(), 0);
        meter.add(0, 0);
        meter.add(100, 1_000_000);
        assert.equal(meter.rate(), 0);     /* too early */
        for (let t = 1000; t <= 20_000; t += 1000)
            meter.add(t, 1_000_000 + t);
        assert.equal(Math.round(meter.rate()), 1000);
        meter.add(30_000, 0);              /* a retry begins anew */
        assert.equal(meter.rate(), 0);
    });
});

describe('rules', () => {
    test('refusal', () => {
        assert.equal(rules.refusal({ size: 1 }, 1), null);
        assert.equal(rules.refusal({ size: 0 }, 1).title, 'Empty file');
        assert.equal(rules.refusal({ size: 2048 }, 1024).detail, 'The file has 2 KiB; the limit is 1 KiB.');
        assert.equal(rules.refusal({ size: 0, isFolder: true }, 1).title, 'A folder');
    });

    test('a cut never splits a character', () => {
        assert.equal(rules.cut('abc', 2), 'ab');
        assert.equal(rules.cut('aü', 2), 'a');
        assert.equal(rules.cut('a\u{1f525}b', 4), 'a');
        assert.equal(rules.cut('a\u{1f525}b', 5), 'a\u{1f525}');
        assert.equal(rules.cut('abc', 100), 'abc');
        assert.equal(rules.cut('\ud800x', 3), '\ud800');
    });

    test('names', () => {
        assert.equal(rules.nameFor('', 'a.trace', true), 'a.trace');
        assert.equal(rules.nameFor('  ', 'a.trace', false), 'a.trace');
        assert.equal(rules.nameFor(' cold ', 'a.trace', false), 'cold');
        assert.equal(rules.nameFor('', 'a\0\n\x1b\x7f\u{1f525}.trace', false), 'a\u2400\u240a\u241b\u2421\u{1f525}.trace');
        assert.equal(rules.fileName('a\tb\\'), 'a\u2409b_');
        assert.equal(rules.nameFor('cold', 'a.trace', true), 'cold: a.trace');
        assert.equal(Buffer.byteLength(rules.nameFor('ü'.repeat(300), 'a', false)), 254);
    });

    test('days', () => {
        const cases = [['', ''], ['7', 7], [' 7 ', 7], ['0', null], ['366', null],
                       ['1.5', null], ['x', null], ['-1', null]];
        for (const [text, days] of cases)
            assert.equal(rules.days(text, 365), days, text);
    });

    test('problems of any shape', () => {
        const said = JSON.stringify({ title: 't', detail: 'd', hint: 'h', offset: 5 });
        assert.deepEqual(rules.problem(422, said), { title: 't', detail: 'd (at byte 5)', hint: 'h' });
        for (const body of ['', '<html>', 'null', '5', '[]', '{"title":{}}'])
            assert.deepEqual(rules.problem(502, body), { title: 'Refused with status 502',
                                                         detail: 'The answer does not say why.', hint: '' });
    });

    test('what is worth another try', () => {
        for (const status of [0, 401, 408, 429, 500, 503, 507])
            assert.ok(rules.worthRetrying(status), status);
        for (const status of [400, 403, 413, 415, 422])
            assert.ok(!rules.worthRetrying(status), status);
    });
});

/* ---- the list ---- */

function storage(text, more = {}) {
    return { getItem: () => text, setItem(_, value) { this.kept = value; }, ...more };
}

describe('list', () => {
    test('hostile text gives what is fit of it', () => {
        for (const text of ['', 'x', 'null', '5', '{}', '[]', '[null,1,"a",[],{}]', '[{"id":"../../etc"}]'])
            assert.deepEqual(list.parse(text), []);
        const hostile = { id: idOf(1), url: 'javascript:alert(1)', name: 'a\u202eb\u0000' + 'x'.repeat(999),
                          token: 'short', size: -1, created: {}, expires: 'never', format: 7 };
        assert.deepEqual(list.parse(JSON.stringify([hostile])),
                         [{ id: idOf(1), name: 'a\ufffdb\ufffd' + 'x'.repeat(251), token: '', created: '',
                            expires: '', format: '', size: 0 }]);
        assert.equal(list.entry({ id: { toString: () => idOf(1) } })?.id, undefined);
    });

    test('newest first, each once, at most 500', () => {
        const full = list.added(many(600), entryOf(1000));
        assert.equal(full.length, 500);
        assert.equal(full[0].id, idOf(1000));
        assert.deepEqual(list.added(many(3), entryOf(2)).map(one => one.id), [2, 0, 1].map(idOf));
        assert.deepEqual(list.removed(many(3), [idOf(1)]).map(one => one.id), [0, 2].map(idOf));
    });

    test('a token that is there stays', () => {
        const other = entryOf(1, { token: 'c'.repeat(26), name: 'renamed' });
        assert.deepEqual(list.added(many(3), other)[0], entryOf(1, { name: 'renamed' }));
        assert.deepEqual(list.added([entryOf(1, { token: '' })], other), [other]);
        assert.deepEqual(list.added(many(3), entryOf(1, { token: '' }))[0], entryOf(1));
    });

    test('matching and expiry', () => {
        const all = [entryOf(1, { name: 'Cold Start' }), entryOf(2, { format: 'folded' })];
        assert.deepEqual(list.matching(all, ' cold ').map(one => one.id), [idOf(1)]);
        assert.deepEqual(list.matching(all, 'FOLDED').map(one => one.id), [idOf(2)]);
        assert.equal(list.matching(all, '').length, 2);
        assert.equal(list.expired(entryOf(1), Date.parse('2099-11-20T10:00:00Z')), true);
        assert.equal(list.expired(entryOf(1), 0), false);
        assert.equal(list.expired(entryOf(1, { expires: '' }), 1e15), false);
    });

    test('an answer becomes an entry', () => {
        const { token, ...rest } = entryOf(1);
        assert.deepEqual(list.fromAnswer({ ...rest, delete_token: token, tracks: [] }), entryOf(1));
        for (const none of [null, 5, 'x', {}, []])
            assert.equal(list.fromAnswer(none), null);
    });

    test('storage that is forbidden', () => {
        const forbidden = () => { throw new Error('SecurityError'); };
        assert.equal(list.load(forbidden), null);
        assert.equal(list.save([], forbidden), false);
        assert.equal(list.remember(entryOf(1), forbidden), false);
        assert.equal(list.forget([idOf(1)], forbidden), false);
    });

    test('storage that is full: the oldest make room', () => {
        const small = storage('[]', { setItem(_, value) {
            if (value.length > 5000)
                throw new Error('QuotaExceededError');
            this.kept = value;
        } });
        assert.equal(list.save(many(400), () => small), true);
        const left = JSON.parse(small.kept);
        assert.ok(left.length >= 10 && left.length < 30);
        assert.equal(left[0].id, idOf(0));
        const none = storage('[]', { setItem() { throw new Error('QuotaExceededError'); } });
        assert.equal(list.save(many(3), () => none), false);
    });

    test('others that wrote meanwhile are kept', () => {
        const shared = storage(JSON.stringify([entryOf(7)]));
        assert.equal(list.remember(entryOf(8), () => shared), true);
        assert.deepEqual(JSON.parse(shared.kept).map(one => one.id), [8, 7].map(idOf));
    });
});

/* ---- the page ---- */

describe('page', { skip }, () => {
    serve();

    /* Into the browser: a list, or any text. */
    function put(page, entries) {
        const text = typeof entries === 'string' ? entries : JSON.stringify(entries);
        return page.evaluate(value => localStorage.setItem('aflamed.uploads', value), text);
    }

    /* With these in the browser before the page is loaded. */
    function onList(name, entries, subject, options = {}) {
        test(name, () => withPage(browser, service, options, async (page, context) => {
            await page.goto(`${service.url}/uploads`);
            await put(page, entries);
            await page.reload();
            await subject(page, context);
        }));
    }

    const rows = page => page.locator('#uploads-rows > li');
    const status = page => page.locator('#uploads-status');

    /* Uploads for real: the entry. */
    async function entryOfUpload(name) {
        return list.fromAnswer(await upload(service, profile('').buffer, name));
    }

    onList('empty', [], async page => {
        await page.getByText('There is none yet.').waitFor();
        assert.equal(await page.locator('#uploads-tools').isVisible(), false);
        assert.deepEqual(await findings(page), []);
    });

    onList('text that is no list', '[{"id":5},"x"', async page => {
        await page.getByText('There is none yet.').waitFor();
    });

    onList('what an entry shows, and where it leads', [entryOf(1)], async page => {
        const text = await rows(page).first().innerText();
        for (const part of ['start 1.trace', 'Android method trace', '54.8 MiB', 'uploaded 2026-11-20 10:00 UTC',
                            'kept until 2099-11-20 10:00 UTC'])
            assert.ok(text.includes(part), part);
        assert.equal(await rows(page).first().getByRole('link').getAttribute('href'), `p/${idOf(1)}`);
        await page.getByText('1 upload', { exact: true }).waitFor();
    });

    const MARKUP = '<img src=x onerror=alert(1)>';
    const HOSTILE = entryOf(1, { name: MARKUP + '\u202e', url: 'javascript:alert(1)' });
    onList('hostile entries', [HOSTILE], async page => {
        assert.equal(await rows(page).locator('.upload-name').innerText(), MARKUP + '\ufffd');
        assert.equal(await rows(page).getByRole('link').getAttribute('href'), `p/${idOf(1)}`);
        assert.equal(await page.locator('main img').count(), 0);
    });

    onList('500 entries, filtered', many(500), async page => {
        assert.equal(await rows(page).count(), 500);
        await page.fill('#filter', 'START 49');
        assert.equal(await rows(page).count(), 11);
        await page.getByText('11 of 500 uploads').waitFor();
    });

    onList('forget, and the keyboard stays', many(3), async page => {
        await page.getByRole('button', { name: 'Forget start 1.trace' }).focus();
        await page.keyboard.press('Enter');
        assert.equal(await rows(page).count(), 2);
        assert.deepEqual((await kept(page)).map(one => one.id), [0, 2].map(idOf));
        assert.equal(await page.evaluate(() => document.activeElement.textContent), 'start 2.trace');
    });

    onList('one without a token cannot be deleted', [entryOf(1, { token: '' })], async page => {
        assert.equal(await page.getByRole('button', { name: /Delete start/ }).count(), 0);
        assert.equal(await page.getByRole('button', { name: /Forget start/ }).count(), 1);
    });

    onList('delete, after a question', [], async page => {
        const entry = await entryOfUpload('mine.folded');
        await put(page, [entry]);
        await page.reload();
        await page.getByRole('button', { name: 'Delete mine.folded' }).click();
        await page.getByRole('dialog').getByText('mine.folded').waitFor();
        await page.keyboard.press('Escape');
        assert.equal((await fetch(`${service.url}/p/${entry.id}`)).status, 200);
        await page.getByRole('button', { name: 'Delete mine.folded' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Keep it' }).click();
        assert.equal((await fetch(`${service.url}/p/${entry.id}`)).status, 200);
        await page.getByRole('button', { name: 'Delete mine.folded' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
        await status(page).getByText('Deleted mine.folded.').waitFor();
        assert.equal((await fetch(`${service.url}/p/${entry.id}`)).status, 410);
        assert.deepEqual(await kept(page), []);
    });

    onList('a wrong token deletes nothing and says so', [], async page => {
        const entry = { ...await entryOfUpload('other.folded'), token: 'c'.repeat(26) };
        await put(page, [entry]);
        await page.reload();
        await page.getByRole('button', { name: /Delete other/ }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
        await status(page).getByText(/was not deleted: This is not the delete token/).waitFor();
        assert.equal(await rows(page).count(), 1);
        assert.equal((await fetch(`${service.url}/p/${entry.id}`)).status, 200);
    });

    onList('a connection that breaks deletes nothing', [entryOf(1)], async page => {
        await page.route(/\/p\//, route => route.abort('connectionreset'));
        await page.getByRole('button', { name: /Delete start/ }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
        await status(page).getByText(/connection broke/).waitFor();
        assert.equal(await rows(page).count(), 1);
    });

    onList('check asks only when told, and marks what is gone', [], async page => {
        const there = await entryOfUpload('there.folded'), gone = entryOf(1);
        const old = entryOf(2, { expires: '2020-01-01T00:00:00Z' });
        await put(page, [there, gone, old]);
        const asked = [];
        page.on('request', request => /\/p\//.test(request.url()) && asked.push(request.method()));
        await page.reload();
        await page.getByText('3 uploads').waitFor();
        assert.deepEqual(asked, []);
        await page.getByRole('button', { name: /Check/ }).click();
        await status(page).getByText('2 gone.').waitFor();
        assert.deepEqual(asked, ['HEAD', 'HEAD']);
        assert.match(await rows(page).nth(0).innerText(), /Still there/);
        assert.match(await rows(page).nth(1).innerText(), /Gone: deleted or expired/);
        assert.match(await rows(page).nth(2).innerText(), /Expired/);
        await page.getByRole('button', { name: 'Forget those that are gone' }).click();
        assert.deepEqual((await kept(page)).map(one => one.id), [there.id]);
    });

    onList('another tab', many(1), async (page, context) => {
        const other = await context.newPage();
        await other.goto(`${service.url}/uploads`);
        await other.getByRole('button', { name: /Forget/ }).first().click();
        await page.getByText('There is none yet.').waitFor();
    });

    test('a browser that forbids storage', () => withPage(browser, service, {}, async page => {
        await page.addInitScript(() => Object.defineProperty(globalThis, 'localStorage', {
            get() { throw new Error('SecurityError'); } }));
        await page.goto(`${service.url}/uploads`);
        await page.getByText('does not let the page keep a list').waitFor();
    }));

    onList('with JavaScript it does not speak of it', [], async page => {
        await page.getByText('There is none yet.').waitFor();
        assert.equal(await page.getByText('The list needs JavaScript').isVisible(), false);
    });

    const without = { javaScriptEnabled: false };
    test('without JavaScript it says why', () => withPage(browser, service, without, async page => {
        await page.goto(`${service.url}/uploads`);
        await page.getByText('The list needs JavaScript').waitFor();
    }));

    const LONG = 'x'.repeat(255);
    for (const [width, colorScheme] of [[360, 'light'], [360, 'dark'], [1600, 'light'], [1600, 'dark']])
        onList(`${width} px, ${colorScheme}`, [...many(3), entryOf(9, { name: LONG })], async page => {
            await page.getByRole('button', { name: /Delete start 0/ }).click();
            assert.deepEqual(await findings(page), []);
            await page.keyboard.press('Escape');
            assert.deepEqual(await findings(page), []);
            assert.ok(!await overflows(page));
        }, { viewport: { width, height: 800 }, colorScheme });
});
