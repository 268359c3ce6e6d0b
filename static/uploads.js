/* The page of this browser's own uploads: open, check, delete, forget. */
import { element, named } from './dom.js';
import * as units from './units.js';
import * as uploads from './upload-list.js';

const CHECKS_AT_A_TIME = 4;
const page = document.getElementById('uploads');
const rows = document.getElementById('uploads-rows');
const status = document.getElementById('uploads-status');
const tools = document.getElementById('uploads-tools');
const filter = document.getElementById('filter');
const check = document.getElementById('check');
const forgetGone = document.getElementById('forget-gone');
const dialog = document.getElementById('ask');
const asked = document.getElementById('ask-name');
const state = { list: [], gone: new Set(), there: new Set(), asking: null };

const shown = one => one.name || 'Profile without a name';
const isGone = one => state.gone.has(one.id) || uploads.expired(one, Date.now());

/* ---- rows ---- */

function button(text, one, act) {
    return named(element('button', { type: 'button', className: 'button', textContent: text, onclick: act }),
                 `${text} ${shown(one)}`);
}

function facts(one) {
    const expires = units.time(one.expires);
    return [one.format, units.bytes(one.size), one.created && `uploaded ${units.time(one.created)}`,
            expires && `kept until ${expires}`].filter(Boolean).join(' · ');
}

function verdict(one) {
    if (uploads.expired(one, Date.now()))
        return 'Expired';
    if (state.gone.has(one.id))
        return 'Gone: deleted or expired';
    return state.there.has(one.id) ? 'Still there' : '';
}

function row(one) {
    const name = element('a', { href: `p/${one.id}` }, element('bdi', { textContent: shown(one) }));
    const actions = element('p', { className: 'upload-actions' });
    if ((one.token !== '' || one.own) && !isGone(one))
        actions.append(button('Delete', one, () => ask(one)));
    actions.append(button('Forget', one, () => forget([one.id], `Forgot ${shown(one)}.`)));
    const item = element('li', {}, element('p', { className: 'upload-name' }, name), actions,
                         element('p', { className: 'upload-facts', textContent: facts(one) }));
    if (verdict(one) !== '')
        item.append(element('p', { className: 'upload-verdict', textContent: verdict(one) }));
    item.dataset.id = one.id;
    item.dataset.state = isGone(one) ? 'gone' : 'known';
    return item;
}

function draw() {
    const some = uploads.matching(state.list, filter.value);
    rows.replaceChildren(...some.map(row));
    tools.hidden = state.list.length === 0;
    forgetGone.hidden = !state.list.some(isGone);
    page.dataset.empty = String(state.list.length === 0);
    const all = state.list.length === 1 ? '1 upload' : `${state.list.length} uploads`;
    document.getElementById('uploads-count').textContent =
        some.length < state.list.length ? `${some.length} of ${all}` : all;
    document.getElementById('uploads-none').hidden = state.list.length > 0;
}

/* Again from the storage, which other tabs write as well. */
function reload() {
    const list = uploads.load();
    state.list = list ?? [];
    document.getElementById('uploads-blocked').hidden = list !== null;
    draw();
    if (list === null)
        document.getElementById('uploads-none').hidden = true;
}

/* The keyboard goes on where the row was. */
function redrawAt(id) {
    const at = [...rows.children].findIndex(item => item.dataset.id === id);
    reload();
    const neighbour = rows.children[Math.min(at, rows.children.length - 1)];
    (neighbour?.querySelector('a') ?? document.querySelector('h1')).focus();
}

function forget(ids, text) {
    const kept = uploads.forget(ids);
    status.textContent = kept ? text : 'The browser did not let the list be changed.';
    redrawAt(ids[0]);
}

/* ---- deleting ---- */

function ask(one) {
    state.asking = one;
    asked.textContent = shown(one);
    dialog.returnValue = '';
    dialog.showModal();
}

async function remove(one) {
    let answer = null;
    try {
        const headers = { ...one.token !== '' ? { 'X-Delete-Token': one.token } : {}, Accept: 'application/json' };
        answer = await fetch(`p/${one.id}`, { method: 'DELETE', headers });
    } catch {
        status.textContent = `${shown(one)} was not deleted: the connection broke. Try again.`;
        return;
    }
    if (answer.ok)
        forget([one.id], `Deleted ${shown(one)}.`);
    else if (answer.status === 404 || answer.status === 410)
        forget([one.id], `${shown(one)} was gone already.`);
    else
        status.textContent = `${shown(one)} was not deleted: ${await reason(answer)}`;
}

async function reason(answer) {
    try {
        const said = await answer.json();
        return [said.detail, said.hint].filter(s => typeof s === 'string').join(' ');
    } catch {
        return `status ${answer.status}.`;
    }
}

/* ---- checking ---- */

async function look(one) {
    try {
        const answer = await fetch(`p/${one.id}`, { method: 'HEAD', cache: 'no-store' });
        if (answer.status === 404 || answer.status === 410)
            state.gone.add(one.id);
        else if (answer.ok)
            state.there.add(one.id);
        else
            return false;
        return true;
    } catch {
        return false;
    }
}

async function checkAll() {
    const waiting = state.list.filter(one => !uploads.expired(one, Date.now()));
    let done = 0, unknown = 0;
    const all = waiting.length;
    async function lane() {
        for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
            unknown += await look(one) ? 0 : 1;
            check.textContent = `Checking ${++done} of ${all}`;
        }
    }
    state.gone.clear();
    state.there.clear();
    check.disabled = true;
    await Promise.all(Array.from({ length: CHECKS_AT_A_TIME }, lane));
    check.disabled = false;
    check.textContent = 'Check which are still there';
    reload();
    status.textContent = `${state.list.filter(isGone).length} gone` +
                         (unknown > 0 ? `, ${unknown} could not be checked.` : '.');
    check.focus();
}

/* ---- */

page.hidden = false;
document.querySelector('[data-without-script]').hidden = true;
check.addEventListener('click', checkAll);
filter.addEventListener('input', draw);
forgetGone.addEventListener('click', () => {
    const gone = state.list.filter(isGone);
    forget(gone.map(one => one.id), `Forgot ${gone.length}.`);
});
dialog.addEventListener('close', () => {
    if (dialog.returnValue === 'delete' && state.asking !== null)
        remove(state.asking);
    state.asking = null;
});
addEventListener('storage', e => {
    if (e.key === uploads.KEY || e.key === null)
        reload();
});
addEventListener('pageshow', reload);
