/* Commands that can be copied. */
import { element } from './dom.js';

const SHOWN_MS = 3000;

function copyBySelection(pre) {
    getSelection().selectAllChildren(pre);
    try {
        /* Where the page is not served over TLS there is no other way. */
        return document.execCommand('copy');
    } catch {
        return false;
    }
}

async function copy(pre, button) {
    let done = false;
    try {
        await navigator.clipboard.writeText(pre.textContent.trimEnd());
        done = true;
    } catch {
        done = copyBySelection(pre);
    }
    button.textContent = done ? 'Copied' : 'Selected: press Ctrl+C';
    setTimeout(() => { button.textContent = 'Copy'; }, SHOWN_MS);
}

/* Every .command gets a button that copies its <pre>. */
export function addCopyButtons() {
    for (const command of document.querySelectorAll('.command')) {
        const pre = command.querySelector('pre');
        const b = element('button', { type: 'button', className: 'button', textContent: 'Copy' });
        b.addEventListener('click', () => copy(pre, b));
        command.append(b);
    }
}
