/* "Compare with" of the workspace: the uploads that this browser knows are offered by name, and a file that is chosen or dropped
 * there is uploaded and compared at once. Without this script the form takes a link. */
import { element } from './dom.js';
import * as uploads from './upload-list.js';
import { problem } from './upload-rules.js';

const menuOf = event => event.target.closest?.('details.compare');

/* The profile itself is not offered. */
function offer(menu) {
    const own = menu.querySelector('[name="a"]').value, known = menu.querySelector('datalist');
    known.replaceChildren(...(uploads.load() ?? []).filter(one => one.id !== own)
        .map(one => element('option', { value: one.id, label: one.name || one.id })));
    menu.querySelector('.of-file').hidden = false;
}

async function send(menu, file) {
    const form = menu.querySelector('form'), status = menu.querySelector('[role="status"]'), data = new FormData();
    data.append('trace', file, file.name);
    status.textContent = `Sending ${file.name}`;
    try {
        const answer = await fetch(new URL('./', form.action), { method: 'POST', body: data, headers: { Accept: 'application/json' } });
        const text = await answer.text(), one = answer.ok ? uploads.fromAnswer(JSON.parse(text)) : null;
        if (one === null) {
            const why = problem(answer.status, text);
            status.textContent = `${why.title}: ${why.detail}`;
            return;
        }
        uploads.remember(one);
        location.assign(new URL(`d/${form.elements.a.value}..${one.id}`, new URL('./', form.action)));
    } catch {
        status.textContent = 'The connection broke: the file did not arrive. Choose it again.';
    }
}

export function startCompare() {
    document.addEventListener('toggle', event => {
        if (event.target.matches?.('details.compare') && event.target.open)
            offer(event.target);
    }, true);
    document.addEventListener('change', event => {
        if (event.target.matches('details.compare [type="file"]') && event.target.files.length > 0)
            send(menuOf(event), event.target.files[0]);
    });
    for (const name of ['dragover', 'drop'])
        document.addEventListener(name, event => {
            const menu = menuOf(event), file = event.dataTransfer?.files[0];
            if (menu === null || menu === undefined)
                return;
            event.preventDefault();
            if (name === 'drop' && file !== undefined)
                send(menu, file);
        });
}
