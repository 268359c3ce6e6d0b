/* Each page once in Firefox: it opens without an error, draws what it is for, and does the first thing that somebody does there. */
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PATIENCE_MS, missing, startService, trace, upload } from './support.mjs';
import { missingFirefox, openTab, startFirefox } from './firefox_support.mjs';

const skip = missing() || await missingFirefox();
const isDrawn = () => document.querySelector('#picture > svg')?.dataset.state === 'ready';
const isListed = () => document.getElementById('methods')?.dataset.state === 'ready';
let service, firefox, folder, bytes, its, tab;

before(async () => {
    if (skip)
        return;
    folder = mkdtempSync(join(tmpdir(), 'aflamed-firefox-'));
    service = await startService();
    firefox = await startFirefox();
    bytes = trace([{ id: 1, name: 'main', us: 900_000 }, { id: 2, name: 'worker', us: 600_000 }]);
    its = await upload(service, bytes);
});

after(async () => {
    await firefox?.stop();
    await service?.stop();
    if (folder !== undefined)
        rmSync(folder, { recursive: true });
});

function page(name, action) {
    test(`Firefox: ${name}`, { skip }, async () => {
        tab = await openTab(firefox);
        await action();
        assert.deepEqual(tab.complaints, []);
        assert.equal(await tab.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, 'no wider than the window');
        await tab.close();
    });
}

const widths = () => tab.evaluate(() => Array.from(document.querySelectorAll('.graph .shapes path'), e => e.getBBox().width).filter(px => px > 0).length);

page('an upload leads to the workspace', async () => {
    writeFileSync(join(folder, 'app.trace'), bytes);
    await tab.goto(service.url);
    await tab.choose('#trace', [join(folder, 'app.trace')]);
    await tab.until(() => location.pathname.startsWith('/p/'));
    await tab.until(isDrawn);
    assert.ok(await widths() > 3);
    await tab.until(() => document.querySelectorAll('#verdict li').length > 1);
});

page('the flame graph zooms, searches, filters, and says what is chosen', async () => {
    await tab.goto(`${its.url}/t/1`);
    await tab.until(isDrawn);
    await tab.evaluate(() => document.querySelector('#picture .graph').focus());
    await tab.press('ArrowUp', 'ArrowUp', 'ArrowUp', 'Enter');
    await tab.until(() => location.hash.includes('zoom='));
    await tab.until(() => document.querySelectorAll('#chosen-frame tbody tr').length === 6 && document.querySelector('#chosen table') !== null);
    await tab.press('Escape', '/');
    await tab.press(...'HashMap');
    await tab.until(() => document.querySelector('#picture .matched > path') !== null);
    await tab.press('Enter', 'Escape', 'h');
    await tab.until(() => document.querySelector('.chip span')?.textContent === 'hide java.util.HashMap.get');
    assert.equal(await tab.evaluate(() => document.querySelector('.graph .texts').textContent.includes('HashMap')), false);
    await tab.press('u', '?');
    await tab.until(() => document.querySelectorAll('#picture [role=dialog] dt').length > 10);
});

page('methods: a filter, a row that opens, its method', async () => {
    await tab.goto(`${its.url}/methods?track=1`);
    await tab.until(isListed);
    assert.equal(await tab.evaluate(() => document.querySelectorAll('.row-name').length), 6);
    await tab.press('/');
    await tab.press(...'hash');
    await tab.until(() => document.querySelectorAll('.row-name').length === 1);
    await tab.evaluate(() => document.querySelector('.row-name').focus());
    await tab.press('Enter');
    await tab.until(() => document.querySelectorAll('tr.caller').length === 1 && document.querySelector('#panel .method') !== null);
    await tab.evaluate(() => Array.from(document.querySelectorAll('#panel a')).find(a => a.textContent === 'Call durations, by thread').click());
    await tab.until(() => document.querySelector('#durations meter') !== null);
    assert.equal(await tab.evaluate(() => document.querySelector('h2.method').textContent), 'java.util.HashMap.get');
});

page('all threads side by side, merged, and the chart', async () => {
    for (const path of ['t/all', 't/merged', 't/1?view=sandwich', 't/1?view=inverted']) {
        await tab.goto(`${its.url}/${path}`);
        await tab.until(isDrawn);
        assert.ok(await widths() > 2, path);
    }
    await tab.goto(`${its.url}/t/1?view=chart`);
    await tab.until(() => document.getElementById('chart')?.dataset.state === 'ready');
    await tab.until(() => document.querySelectorAll('#lanes canvas, #chart canvas').length > 1);
});

page('the verdict as a page', async () => {
    await tab.goto(`${its.url}/verdict`);
    assert.ok(await tab.evaluate(() => document.querySelectorAll('#sentences li').length) > 1);
});

page('my uploads', async () => {
    await tab.goto(`${service.url}/uploads`);
    await tab.until(() => document.querySelectorAll('main a[href*="/p/"], main a[href^="p/"]').length > 0);
});

page('a picture that stands alone', async () => {
    await tab.goto(`${its.url}/t/1.svg`);
    await tab.until(() => document.documentElement.dataset.state === 'ready');
    await tab.evaluate(() => document.documentElement.flame.filter('focus', 'HashMap'));
    await tab.until(() => document.querySelectorAll('.chip').length === 1);
    assert.ok(await widths() > 3);
});

/* Goes to a page that says what is wrong: with that status, and words. */
async function gotoProblem(url, status, words) {
    await tab.goto(url);
    assert.match(await tab.evaluate(() => document.querySelector('h1.problem').textContent), words);
    assert.match(await tab.evaluate(() => document.querySelector('main').textContent), new RegExp(`Status ${status}`));
    await tab.until(() => document.readyState === 'complete');
    const expected = `${status} ${url}`, end = Date.now() + PATIENCE_MS;
    while (!tab.complaints.includes(expected) && Date.now() < end)     /* the event may come later */
        await new Promise(resolve => setTimeout(resolve, 20));
    assert.deepEqual(tab.complaints.splice(0), [expected]);
}

const isDeleted = () => document.querySelector('#deleted h1')?.textContent === 'The profile is deleted';
const deleteButton = words => [...document.querySelectorAll('button.danger')].find(button => button.textContent === words)?.click();

page('an address that asks to delete, and the page behind it', async () => {
    const one = await upload(service, bytes);
    await tab.goto(`${one.url}#delete=${one.delete_token}`);
    await tab.until(() => document.querySelector('details.remove')?.open && document.querySelector('details.remove input.token').value.length === 26);
    await tab.until(() => document.querySelector('#lanes .lane-place')?.dataset.state === 'ready');     /* it asks for nothing any more */
    await tab.evaluate(deleteButton, 'Delete this profile');
    await tab.until(isDeleted);
    await tab.until(id => !localStorage.getItem('aflamed.uploads')?.includes(id), one.id);     /* this browser forgets it */
    await gotoProblem(one.url, 410, /deleted|gone/i);
});

page('the page that deletes, with the token typed in', async () => {
    const one = await upload(service, bytes);
    await tab.goto(`${one.url}/delete`);
    await tab.evaluate(() => document.getElementById('token').focus());
    await tab.press(...one.delete_token, 'Enter');
    await tab.until(isDeleted);
    await gotoProblem(`${one.url}/methods`, 410, /deleted|gone/i);
});

page('pages that say what is wrong, with a way on', async () => {
    await gotoProblem(`${service.url}/nothing/here`, 404, /not found/i);
    assert.ok(await tab.evaluate(() => [...document.querySelectorAll('main a')].some(a => a.textContent === 'Upload a profile')));
    await gotoProblem(`${its.url}/t/1?hide=%2F(%2F`, 400, /option not understood|pattern/i);
    await gotoProblem(`${its.url}/m/no.such.Method`, 404, /no such method/i);
    await tab.evaluate(() => [...document.querySelectorAll('main a')].find(a => a.textContent === 'Back to the profile').click());
    await tab.until(isDrawn);
});
