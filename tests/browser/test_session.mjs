/* A whole session, from the front page on: nothing that the page asks for is missing, whichever way somebody goes. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { browser, findings, missing, openPage, serve, service, skip, trace, until, upload } from './support.mjs';


serve();

const isDrawn = () => !document.body.classList.contains('loading') && document.querySelector('#picture > svg')?.dataset.state === 'ready';
const isListed = () => document.getElementById('methods')?.dataset.state === 'ready';

test('a whole session asks for nothing that is not there', { skip }, async () => {
    const page = await openPage(browser, service), failed = [], icons = [];
    page.on('response', answer => {
        if (answer.status() >= 400)
            failed.push(`${answer.status()} ${answer.url()}`);
    });
    const iconOf = () => page.evaluate(() => new URL(document.querySelector('link[rel=icon]').getAttribute('href'), document.baseURI).href);
    await page.goto(service.url);
    await page.locator('#trace').setInputFiles({ name: 'app.trace', mimeType: 'application/octet-stream',
                                                 buffer: trace([{ id: 1, name: 'main', us: 900_000 }, { id: 2, name: 'worker', us: 300_000 }]) });
    await page.waitForURL(/\/p\/[a-z2-7]{26}/);
    await until(page, isDrawn);
    icons.push(await iconOf());
    await page.keyboard.press('2');
    await until(page, isListed);
    icons.push(await iconOf());
    await page.locator('.row-name').nth(2).click();
    await page.getByRole('link', { name: 'Call durations, by thread' }).click();
    await page.locator('#durations meter').first().waitFor();
    icons.push(await iconOf());
    await page.keyboard.press('1');
    await until(page, isDrawn);
    await page.locator('#threads > summary').click();
    await page.locator('#threads a[data-track="2"]').click();
    await page.waitForURL(/\/t\/2/);
    await until(page, isDrawn);
    const before = page.url();
    await page.locator('#verdict a').first().click();
    await page.waitForURL(url => url.href !== before);
    await until(page, isDrawn);
    await page.goBack();
    await page.waitForURL(/\/t\/2/);
    await until(page, isDrawn);
    icons.push(await iconOf());
    await page.locator('#main-menu > summary').click();
    await page.getByRole('link', { name: 'My uploads' }).click();
    await page.getByRole('link', { name: 'app.trace' }).first().waitFor();
    for (const icon of icons)
        assert.equal((await fetch(icon)).status, 200, icon);
    assert.equal(new Set(icons).size, 1, 'it is not asked for anew at each place');
    assert.deepEqual(failed, []);
    assert.deepEqual(page.complaints, []);
    await page.context().close();
});

/* Every page and tab, with what unfolds unfolded; in other colours those that have the most of them. */
test('axe finds nothing serious on any page or tab', { skip }, async () => {
    const its = await upload(service, trace([{ id: 1, name: 'main', us: 900_000 }, { id: 2, name: 'worker', us: 300_000 }])), { id } = its;
    const table = await (await fetch(`${its.url}/methods.json`)).json();
    const coloured = [`p/${id}/t/1`, `p/${id}/methods?hide=HashMap`], others = [
        '', 'uploads', 'p/nothing', `p/${id}/t/all`, `p/${id}/t/1?view=sandwich`, `p/${id}/t/1?focus=nowhere`, `p/${id}/t/1?view=chart`,
        `p/${id}/methods?group=package&longest=1`, `p/${id}/methods?focus=nowhere`, `p/${id}/methods?sort=nothing`,
        `p/${id}/m/${table.rows[0][0]}?longest=1`, `p/${id}/verdict`, `p/${id}/delete`];
    for (const [options, paths] of [[{}, [...coloured, ...others]], [{ colorScheme: 'dark' }, coloured], [{ forcedColors: 'active' }, coloured]]) {
        const page = await openPage(browser, service, options);
        for (const path of paths) {
            await page.goto(`${service.url}/${path}`);
            await until(page, () => document.querySelector('#verdict > a') === null);
            await until(page, () => document.querySelector('#picture > svg:has(metadata)') === null ||
                document.querySelector('#picture > svg').dataset.state === 'ready');
            for (const details of await page.locator('details:not([name])').all())
                await details.evaluate(one => { one.open = true; });
            assert.deepEqual(await findings(page), [], `${path} ${JSON.stringify(options)}`);
        }
        await page.context().close();
    }
});
