/* What can be copied: texts of the page, and its commands. */
import { element } from './dom.js';

const SHOWN_MS = 3000;

function say(element, words, usual) {
    element.textContent = words;
    setTimeout(() => { element.textContent = usual; }, SHOWN_MS);
}

/* The element says for a moment what became of it: `failed` where the page is not served over TLS, when only a person may copy. */
export async function copyText(text, element, usual, failed) {
    try {
        await navigator.clipboard.writeText(text);
        say(element, 'Copied', usual);
    } catch {
        say(element, failed, usual);
    }
}

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
    say(button, done ? 'Copied' : 'Selected: press Ctrl+C', 'Copy');
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
