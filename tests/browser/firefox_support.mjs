/* Firefox for tests, by WebDriver BiDi, which it speaks itself: a window's worth of pages, keys, files, and what went wrong.
 *
 * Environment: FIREFOX (default /usr/bin/firefox-esr). Source of the protocol: https://w3c.github.io/webdriver-bidi/ */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import assert from 'node:assert/strict';
import { PATIENCE_MS } from './support.mjs';

const FIREFOX = process.env.FIREFOX ?? '/usr/bin/firefox-esr', STOP_MS = 10_000, ASK_MS = 5_000;
const PREFERENCES = {
    'app.update.auto': false, 'browser.shell.checkDefaultBrowser': false, 'browser.startup.page': 0, 'datareporting.policy.dataSubmissionEnabled': false,
    'network.captive-portal-service.enabled': false, 'network.connectivity-service.enabled': false, 'toolkit.telemetry.enabled': false,
};
const KEYS = { Enter: '\ue007', Tab: '\ue004', Escape: '\ue00c', ArrowUp: '\ue013', ArrowDown: '\ue015' };

/* Why Firefox cannot be had, or false. */
export async function missingFirefox() {
    if (!existsSync(FIREFOX))
        return `no Firefox at ${FIREFOX}`;
    const hasSockets = await import('ws').then(() => true, () => false);
    return hasSockets ? false : 'npm has not installed ws';
}

/* {send(method, params), onEvent(act), stop()} */
export async function startFirefox() {
    const { WebSocket } = await import('ws');
    const folder = mkdtempSync(join(tmpdir(), 'aflamed-firefox-'));
    writeFileSync(join(folder, 'user.js'), Object.entries(PREFERENCES).map(([key, value]) => `user_pref(${JSON.stringify(key)}, ${value});\n`).join(''));
    const browser = spawn(FIREFOX, ['--headless', '--no-remote', '--profile', folder, '--remote-debugging-port', '0'],
                          { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, HOME: folder, MOZ_CRASHREPORTER_DISABLE: '1' } });
    const ended = new Promise(resolve => browser.once('exit', resolve));
    const address = await new Promise((resolve, reject) => {
        let said = '';
        browser.stderr.on('data', bytes => {
            said += bytes;
            const found = /WebDriver BiDi listening on (ws:\S+)/.exec(said);
            if (found !== null)
                resolve(found[1]);
        });
        ended.then(status => reject(new Error(`Firefox ended with ${status}: ${said}`)));
    });
    const socket = new WebSocket(`${address}/session`), waiting = new Map(), listeners = new Set();
    await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject));
    socket.on('message', text => {
        const { id, type, method, params, result, error, message } = JSON.parse(text);
        if (type === 'event')
            return listeners.forEach(act => act(method, params));
        if (!waiting.has(id))
            return undefined; // it comes too late
        const { resolve, reject, timer } = waiting.get(id);
        clearTimeout(timer);
        waiting.delete(id);
        return error === undefined ? resolve(result) : reject(new Error(`${error}: ${message}`));
    });
    let sent = 0;
    /* Firefox does not answer all that it is asked: a script's answer may be lost with the page that it ran in. */
    const send = (method, params = {}, patience_ms = PATIENCE_MS) => new Promise((resolve, reject) => {
        const id = ++sent, timer = setTimeout(() => {
            waiting.delete(id);
            reject(new Error(`Firefox has not answered ${method} ${JSON.stringify(params).slice(0, 200)}`));
        }, patience_ms);
        waiting.set(id, { resolve, reject, timer });
        socket.send(JSON.stringify({ id, method, params }));
    });
    await send('session.new', { capabilities: {} });
    await send('session.subscribe', { events: ['log.entryAdded', 'network.responseCompleted'] });
    return {
        send, onEvent: act => listeners.add(act),
        async stop() {
            const timer = setTimeout(() => browser.kill('SIGKILL'), STOP_MS);
            browser.kill('SIGTERM');
            await ended;
            clearTimeout(timer);
            socket.terminate();
            rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
        },
    };
}

/* A tab of its own. `complaints`: errors of scripts, what the content security policy forbade, answers that are errors. */
export async function openTab(firefox, width = 1280, height = 800) {
    const { context } = await firefox.send('browsingContext.create', { type: 'tab' }), complaints = [];
    await firefox.send('browsingContext.setViewport', { context, viewport: { width, height } });
    firefox.onEvent((method, { level, text, source, context: of, response }) => {
        if (method === 'log.entryAdded' && level === 'error' && source.context === context)
            complaints.push(text);
        else if (method === 'network.responseCompleted' && of === context && response.status >= 400)
            complaints.push(`${response.status} ${response.url}`);
    });
    async function evaluate(action, argument, patience_ms = PATIENCE_MS) {
        const expression = `Promise.resolve((${action})(${JSON.stringify(argument) ?? ''})).then(made => JSON.stringify(made) ?? 'null')`;
        const { result, exceptionDetails } = await firefox.send('script.evaluate', { expression, awaitPromise: true, target: { context } }, patience_ms);
        assert.equal(exceptionDetails, undefined, exceptionDetails?.text);
        return JSON.parse(result.value);
    }
    return {
        complaints, evaluate,
        goto: url => firefox.send('browsingContext.navigate', { context, url, wait: 'complete' }),
        /* Waits until the page says so; it may be on its way elsewhere. */
        async until(says, argument) {
            const end = Date.now() + PATIENCE_MS;
            while (!await evaluate(says, argument, ASK_MS).catch(() => false)) {
                assert.ok(Date.now() < end, `waited in vain for ${says}`);
                await new Promise(resolve => setTimeout(resolve, 50));
            }
        },
        press: (...keys) => firefox.send('input.performActions', { context, actions: [{ type: 'key', id: 'keys', actions: keys.flatMap(key =>
            ['keyDown', 'keyUp'].map(type => ({ type, value: KEYS[key] ?? key }))) }] }),
        async choose(selector, files) {
            const { nodes: [element] } = await firefox.send('browsingContext.locateNodes', { context, locator: { type: 'css', value: selector } });
            await firefox.send('input.setFiles', { context, element: { sharedId: element.sharedId }, files });
        },
        close: () => firefox.send('browsingContext.close', { context }),
    };
}
