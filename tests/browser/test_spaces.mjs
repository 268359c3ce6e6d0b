/* Spaces, as people meet them: fields that remember, a list that is searched, labels that are changed. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { browser, looksWell, serve, service, skip, until } from './support.mjs';
import { give, profile, withPage } from './upload_support.mjs';

async function put(name, fields) {
    const form = new FormData();
    for (const [key, value] of Object.entries({ name, ...fields }))
        form.append(key, value);
    form.append('trace', new File([profile(name).buffer], name));
    const answer = await fetch(`${service.url}/`, { method: 'POST', body: form, headers: { Accept: 'application/json' } });
    assert.equal(answer.status, 201);
    return answer.json();
}

const names = page => page.locator('.space-rows h2').allTextContents();

describe('spaces', { skip }, () => {
    serve(async () => {
        for (let i = 0; i < 4; i++)
            await put(`run ${i}`, { space: 'checkout', 'label.branch': i % 2 === 0 ? 'main' : 'a long branch', 'label.run': String(i) });
    });

    test('an upload says where it is listed, and the page remembers', () => withPage(browser, service, {}, async page => {
        await page.goto(`${service.url}/`);
        assert.ok(!await page.locator('#space').isVisible());
        await page.click('#listing > summary');
        await page.fill('#space', 'page');
        await page.fill('#labels', 'branch=main\nrun=1\n');
        await give(page, 'drop', [profile('one.folded'), profile('two.folded')]);
        await until(page, () => document.querySelectorAll('#upload-rows > [data-state=done]').length === 2);
        await page.reload();
        assert.deepEqual([await page.inputValue('#space'), await page.inputValue('#labels')], ['page', 'branch=main\nrun=1\n']);
        assert.ok(await page.locator('#space').isVisible());
        await page.goto(`${service.url}/s/page?q=run:1`);
        assert.deepEqual((await names(page)).sort(), ['one.folded', 'two.folded']);
        await page.goto(`${service.url}/`);
        await page.fill('#space', '');
        await page.fill('#labels', '');
        await page.reload();
        assert.ok(!await page.locator('#space').isVisible());
    }));

    test('the list is searched, and leads to the profile', () => withPage(browser, service, {}, async page => {
        await page.goto(`${service.url}/s/checkout`);
        assert.equal((await names(page)).length, 4);
        await page.fill('#q', 'branch:main');
        await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
        assert.deepEqual((await names(page)).sort(), ['run 0', 'run 2']);
        await Promise.all([page.waitForNavigation(), page.click('.label >> text=run: 2')]);
        assert.deepEqual(await names(page), ['run 2']);
        assert.equal(await page.inputValue('#q'), 'run:2');
        await until(page, () => [...document.images].every(image => image.complete && image.naturalWidth > 0));
        await Promise.all([page.waitForNavigation(), page.click('.space-rows h2 a')]);
        assert.match(page.url(), /\/p\/[a-z2-7]{26}$/);
    }));

    test('a series shows where it changed, and two points are compared', () => withPage(browser, service, {}, async page => {
        for (let commit = 0; commit < 14; commit++) {
            const weight = (commit < 7 ? 1000 : 1200) + commit % 3;
            const form = new FormData();
            for (const [key, value] of Object.entries({ space: 'series', 'label.branch': 'main', 'label.commit': `c${String(commit).padStart(2, '0')}` }))
                form.append(key, value);
            form.append('trace', new File([`main;com.example.Feed.load ${weight}\nmain;com.example.Feed.show 500\n`], 'x.folded'));
            assert.equal((await fetch(`${service.url}/`, { method: 'POST', body: form })).status, 201);
        }
        await page.goto(`${service.url}/s/series?q=branch:main`);
        await Promise.all([page.waitForNavigation(), page.click('text=Over time')]);
        assert.equal(await page.inputValue('#q'), 'branch:main');
        assert.equal(await page.locator('.series-chart a').count(), 14);
        assert.match(await page.locator('.changes .grew').textContent(), /At commit c07 .* grew from 1,501 to 1,701/);
        await page.fill('#of', 'com.example.Feed.show');
        await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
        assert.equal(await page.locator('.changes').count(), 0);
        await page.fill('#of', 'com.example.Feed.load');
        await Promise.all([page.waitForNavigation(), page.click('text=Show')]);
        const [point] = await Promise.all([page.waitForNavigation(), page.locator('.series-chart a').nth(3).press('Enter')]);
        assert.match(point.url(), /\/p\/[a-z2-7]{26}$/);
        await page.goBack();
        await page.click('.series-points summary');
        await page.locator('input[name=a]').nth(13).check();
        await Promise.all([page.waitForNavigation(), page.click('.series-points button')]);
        assert.match(page.url(), /\/d\/[a-z2-7]{26}\.\.[a-z2-7]{26}/);
        assert.match(await page.textContent('main, body'), /com\.example\.Feed|Feed\.load/);
    }));

    test('a series looks well', () => withPage(browser, service, {}, async page => {
        await looksWell(page, [360, 800, 1280], () => page.goto(`${service.url}/s/series/series?of=com.example.Feed.load`));
        await looksWell(page, [360, 1280], () => page.goto(`${service.url}/s/series/check?q=commit:c13&baseline=branch:main`));
    }));

    test('the list looks well', () => withPage(browser, service, {}, async page => {
        await looksWell(page, [360, 800, 1280], () => page.goto(`${service.url}/s/checkout?rows=3`));
        await looksWell(page, [360, 1280], () => page.goto(`${service.url}/s/nothing?q=x`));
    }));

    test('labels are shown on the page of the upload, and changed there', () => withPage(browser, service, {}, async page => {
        const made = await put('edited', { space: 'edit', 'label.branch': 'main' });
        await page.goto(`${service.url}/p/${made.id}#token=${made.delete_token}`);
        await page.click('.about > summary');
        assert.match(await page.getAttribute('.about a >> text=edit', 'href'), /s\/edit$/);
        await page.keyboard.press('Escape');
        await page.click('.rename > summary');
        assert.equal(await page.inputValue('#labels'), 'branch=main\n');
        await page.fill('#labels', 'branch=fix\ndevice=Pixel 8');
        if (await page.locator('#token-rename').isVisible())
            await page.fill('#token-rename', made.delete_token);
        await Promise.all([page.waitForNavigation(), page.click('.rename button >> text=Change')]);
        await page.click('.about > summary');
        await Promise.all([page.waitForNavigation(), page.click('.about .label >> text=Pixel 8')]);
        assert.equal(await page.inputValue('#q'), 'device:"Pixel 8"');
        assert.deepEqual(await names(page), ['edited']);
    }));
});
