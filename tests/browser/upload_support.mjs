/* What the tests of the upload page and of the list of uploads share beside support.mjs. */
import assert from 'node:assert/strict';
import { openPage } from './support.mjs';

const WAIT_MS = 15_000;

/* Runs the test on a page of its own, which must not have complained at the end. */
export async function withPage(browser, service, options, test) {
    const page = await openPage(browser, service, options);
    page.setDefaultTimeout(WAIT_MS);
    try {
        await test(page, page.context());
        assert.deepEqual(page.complaints, []);
    } finally {
        await page.context().close();
    }
}

/* A file for an input or a drop: folded stacks of about so many bytes. */
export function profile(name, bytes = 100) {
    const line = 'main;Activity.onCreate;inflate 12\n';
    const buffer = Buffer.from(line.repeat(Math.ceil(bytes / line.length)));
    return { name, mimeType: 'application/octet-stream', buffer };
}

/* Drops (or drags, or pastes) files as the system would. */
export async function give(page, type, files) {
    const plain = files.map(file => ({ name: file.name, text: file.buffer.toString('latin1') }));
    await page.evaluate(([kind, list]) => {
        const transfer = new DataTransfer();
        for (const { name, text } of list)
            transfer.items.add(new File([Uint8Array.from(text, c => c.charCodeAt(0))], name));
        const init = { bubbles: true, cancelable: true };
        document.body.dispatchEvent(kind === 'paste'
            ? new ClipboardEvent(kind, { ...init, clipboardData: transfer })
            : new DragEvent(kind, { ...init, dataTransfer: transfer }));
    }, [type, plain]);
}

/* The list as the browser has it. */
export function kept(page) {
    return page.evaluate(() => JSON.parse(localStorage.getItem('aflamed.uploads') ?? '[]'));
}
