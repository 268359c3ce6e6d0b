/* Doors, as people meet them: a link that leads to the login and back, an upload for the team, an owner without a token. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { browser, close, looksWell, openPage, serve, service, skip, until } from './support.mjs';
import { profile, withPage } from './upload_support.mjs';

const folder = skip ? '' : mkdtempSync(join(tmpdir(), 'aflamed-tokens-'));
const tokens = join(folder, 'tokens');

function newToken(name, scope = 'upload,read') {
    return execFileSync(process.env.AFLAMED, ['token', 'new', name, '--scope', scope, '--tokens-file', tokens], { encoding: 'utf8' })
        .trimEnd().split('\n').at(-1);
}

const ann = skip ? '' : newToken('ann'), bob = skip ? '' : newToken('bob'), reader = skip ? '' : newToken('reader', 'read');

async function logIn(page, token) {
    await page.fill('#token', token);
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
}

describe('doors', { skip }, () => {
    serve(async () => {}, { tokens_file: tokens, readers: 'team' });
    after(() => rmSync(folder, { recursive: true, force: true }));

    test('the login looks well', () => withPage(browser, service, {}, async page => {
        await looksWell(page, [360, 800, 1280], async () => {
            await page.goto(`${service.url}/login`);
            await logIn(page, 'wrong');
            assert.match(await page.textContent('[role=alert]'), /no such token/);
        });
    }));

    test('the front page looks well for nobody, and for who is known', () => withPage(browser, service, {}, async page => {
        await looksWell(page, [360, 1280], () => page.goto(`${service.url}/`));
        assert.equal(await page.locator('#upload').count(), 0);
        await page.emulateMedia({ colorScheme: 'light' });
        await page.goto(`${service.url}/login`);
        await logIn(page, ann);
        await looksWell(page, [360, 1280], () => page.goto(`${service.url}/`));
        assert.equal(await page.locator('#readers').inputValue(), 'team');
    }));

    test('who may only read is told so', () => withPage(browser, service, {}, async page => {
        await page.goto(`${service.url}/login`);
        await logIn(page, reader);
        assert.match(await page.textContent('.drop'), /logged in as reader, who may not upload/);
    }));

    test('an upload for the team, by keyboard, to another one who logs in by its link', async () => {
        const page = await openPage(browser, service);
        await page.goto(`${service.url}/login`);
        await until(page, () => document.activeElement.id === 'token');
        await page.keyboard.type(ann);
        await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
        await page.setInputFiles('#trace', profile('team.folded'));
        await page.waitForURL(/\/p\//);
        const link = page.url().split('#')[0];
        assert.equal(link, page.url());
        await page.click('details.rename > summary');
        assert.match(await page.textContent('details.rename'), /You uploaded it/);
        assert.equal(await page.locator('input[name=token]').count(), 0);
        await page.click('details.about > summary');
        assert.match(await page.textContent('details.about'), /Uploaded byann\s+Read bythe team/);

        const other = await openPage(browser, service);
        await other.goto(`${link}?view=icicle`);
        assert.match(other.url(), /\/login\?next=/);
        await logIn(other, bob);
        assert.equal(other.url(), `${link}?view=icicle`);
        await until(other, () => document.querySelector('#picture > svg') !== null);
        await other.click('details.rename > summary');
        assert.match(await other.textContent('details.rename'), /Only the person who uploaded it/);
        assert.equal(await other.locator('details.remove').count(), 0);
        await close(other);

        await page.goto(`${service.url}/uploads`);
        await page.click('button:has-text("Delete") >> nth=0');
        await page.click('dialog button[value=delete]');
        await until(page, () => document.getElementById('uploads-none').hidden === false);
        assert.equal((await page.request.get(link)).status(), 410);
        await page.click('button:has-text("Log out")');
        await until(page, () => document.querySelector('a[href$="login"]') !== null);
        await close(page);
    });

    test('a picture that stands alone fetches its rest without a session', async () => {
        const answer = await fetch(`${service.url}/?readers=team`, {
            method: 'POST', body: profile('x').buffer,
            headers: { Accept: 'application/json', Authorization: `Bearer ${ann}` },
        });
        const { id } = await answer.json();
        const page = await openPage(browser, service);
        await page.goto(`${service.url}/p/${id}`);
        await logIn(page, bob);
        const picture = await page.locator('a[data-pass]').first().getAttribute('href');
        await page.goto(new URL(picture, page.url()).href);
        await until(page, () => document.querySelector('svg') !== null);
        await close(page);
    });
});
