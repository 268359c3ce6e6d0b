/* The upload page with JavaScript: several files, dropped, pasted or chosen, each with its progress.
 * Without it the page is a plain form. */
import { addCopyButtons } from './copy.js';
import { element, keep, kept, named } from './dom.js';
import { joinHalves } from './two-files.js';
import * as rules from './upload-rules.js';
import * as units from './units.js';
import * as uploads from './upload-list.js';

const AT_A_TIME = 2;
const form = document.getElementById('upload');
const input = form.elements.namedItem('trace');
const nameField = form.elements.namedItem('name');
const daysField = form.elements.namedItem('expires');
const readersField = form.elements.namedItem('readers');     /* null where nobody is known */
const spaceField = form.elements.namedItem('space'), labelsField = form.elements.namedItem('labels');
const SPACE = 'aflamed.space', LABELS = 'aflamed.labels';     /* what was said last, kept by the browser */
const list = document.getElementById('upload-rows');
const status = document.getElementById('upload-status');
const cover = document.getElementById('drop-cover');
const demo = document.getElementById('demo');
const maxBytes = Number(form.dataset.maxUploadBytes);
const state = { queue: [], running: 0, batch: null };

function announce(row, text) {
    status.textContent = `${row.shown}: ${text}`;
}

const isIdle = () => state.running === 0 && state.queue.length === 0;

/* ---- rows: one per file ---- */

function button(text, row, act) {
    return named(element('button', { type: 'button', className: 'button', textContent: text, onclick: act }),
                 `${text} ${row.shown}`);
}

function newRow(file, name, batch) {
    const row = { file, name, batch, shown: uploads.clean(file.name) || 'file' };
    row.bar = named(element('progress', { max: 1, value: 0 }), `Upload of ${row.shown}`);
    row.facts = element('p', { className: 'upload-facts' });
    row.members = element('div', { className: 'upload-members' });
    row.problem = element('div', { className: 'upload-problem' });
    row.actions = element('p', { className: 'upload-actions' });
    row.item = element('li', {},
                       element('p', { className: 'upload-name' }, element('bdi', { textContent: row.shown })),
                       row.actions, row.bar, row.facts, row.members, row.problem);
    list.append(row.item);
    return row;
}

/* Replaces what can be done; the keyboard stays on the row if it was there. */
function setActions(row, ...actions) {
    const focused = row.actions.contains(document.activeElement);
    row.actions.replaceChildren(...actions);
    if (focused && actions.length > 0)
        actions[0].focus();
    else if (focused)
        input.focus();
}

function setState(row, name, facts, ...actions) {
    row.item.dataset.state = name;
    row.facts.textContent = facts;
    row.members.replaceChildren();
    row.problem.replaceChildren();
    row.bar.hidden = name !== 'sending' && name !== 'drawing';
    setActions(row, ...actions);
}

function dismiss(row) {
    setActions(row);
    row.item.remove();
}

function fail(row, problem, retry) {
    const remove = button('Remove', row, () => dismiss(row));
    const again = () => {
        row.everyMember = rules.hasSeveralFiles(problem);
        enqueue(row);
    };
    const actions = retry ? [button('Retry', row, () => enqueue(row)), remove]
        : rules.hasSeveralFiles(problem) ? [button('Read each of them', row, again), remove] : [remove];
    setState(row, 'failed', '', ...actions);
    row.problem.append(element('p', { className: 'upload-title', textContent: problem.title }),
                       element('p', { textContent: problem.detail }));
    if (problem.hint)
        row.problem.append(element('p', { textContent: problem.hint }));
    announce(row, `${problem.title}. ${problem.detail} ${problem.hint}`);
}

/* ---- one transfer ---- */

function showProgress(row, meter, done, total) {
    meter.add(performance.now(), done);
    row.bar.value = total > 0 ? done / total : 0;
    row.facts.textContent = [`${units.bytes(done)} of ${units.bytes(total)}`, units.rate(meter.rate()),
                             units.remaining(total - done, meter.rate())].filter(s => s !== '').join(' · ');
}

function showDrawing(row) {
    row.item.dataset.state = 'drawing';
    row.bar.removeAttribute('value');
    row.facts.textContent = `${units.bytes(row.file.size)} sent; reading and drawing`;
}

function body(row, days) {
    const data = new FormData();
    if (row.name !== '')
        data.append('name', row.name);
    if (days !== '')
        data.append('expires', String(days));
    if (readersField !== null)
        data.append('readers', readersField.value);
    if (spaceField.value.trim() !== '')
        data.append('space', spaceField.value.trim());
    if (labelsField.value.trim() !== '')
        data.append('labels', labelsField.value);
    if (row.everyMember)
        data.append('member', 'all');
    data.append('trace', row.file, rules.fileName(row.file.name));
    return data;
}

function send(row, days) {
    const xhr = new XMLHttpRequest(), meter = units.meter();
    const ended = act => () => {
        state.running--;
        act();
        next();
    };
    row.bar.value = 0;
    setState(row, 'sending', 'Sending', button('Cancel', row, () => xhr.abort()));
    xhr.upload.addEventListener('progress', e => showProgress(row, meter, e.loaded, e.total));
    xhr.upload.addEventListener('load', () => showDrawing(row));
    xhr.addEventListener('load', ended(() => answered(row, xhr)));
    xhr.addEventListener('abort', ended(() => cancelled(row)));
    xhr.addEventListener('error', ended(() => broke(row)));
    state.running++;
    xhr.open('POST', './');
    xhr.setRequestHeader('Accept', 'application/json');
    xhr.send(body(row, days));
}

function broke(row) {
    fail(row, { title: 'The connection broke',
                detail: 'The file did not arrive, or the answer did not come back.',
                hint: 'Retry. If it breaks again at once, the file may have changed since you chose it, or ' +
                      'a proxy on the way may take less than the service.' }, true);
}

function answered(row, xhr) {
    let result = null, members = null;
    try {
        const answer = JSON.parse(xhr.responseText);
        members = rules.members(answer);
        result = uploads.fromAnswer(answer);
    } catch {
        /* no result, then */
    }
    if (members !== null && xhr.status === 201)
        allSucceeded(row, members);
    else if (xhr.status < 200 || xhr.status > 299 || result === null)
        fail(row, rules.problem(xhr.status, xhr.responseText), rules.worthRetrying(xhr.status));
    else
        succeeded(row, result);
}

/* Of an archive several results, and files of it that could not be read. */
function allSucceeded(row, members) {
    const kept = members.results.map(one => uploads.fromAnswer(one)).filter(one => one !== null);
    const links = kept.map(one => {
        const page = `p/${one.id}`, isNoted = uploads.remember(one);
        return element('li', {}, element('a', { href: isNoted || one.token === '' ? page : `${page}#delete=${one.token}`,
                                                textContent: one.name || 'result' }));
    });
    setState(row, 'done', `${units.bytes(row.file.size)}, ${kept.length === 1 ? 'one result' : `${kept.length} results`}`);
    row.members.append(element('ul', {}, ...links));
    for (const text of members.failed)
        row.problem.append(element('p', { textContent: text }));
    announce(row, 'done');
}

/* Only a token that is kept can be left behind. */
function succeeded(row, result) {
    const kept = uploads.remember(result);
    const page = `p/${result.id}`;
    setState(row, 'done', `${units.bytes(row.file.size)}, done`,
             element('a', { href: page, textContent: 'Open the result' }));
    announce(row, 'done');
    if (!kept && result.token !== '')
        row.facts.append(' · ', element('a', { href: `${page}#delete=${result.token}`,
                                               textContent: 'keep this link to delete it' }));
    else if (row.batch.size === 1 && isIdle())
        location.assign(page);
}

function cancelled(row) {
    setState(row, 'cancelled', 'Cancelled', button('Retry', row, () => enqueue(row)),
             button('Remove', row, () => dismiss(row)));
    announce(row, 'cancelled');
}

/* ---- the queue ---- */

function enqueue(row) {
    const unqueue = () => {
        state.queue = state.queue.filter(other => other !== row);
        cancelled(row);
    };
    setState(row, 'queued', `${units.bytes(row.file.size)}, waiting for its turn`,
             button('Cancel', row, unqueue));
    state.queue.push(row);
    next();
}

function next() {
    while (state.running < AT_A_TIME && state.queue.length > 0) {
        const row = state.queue.shift();
        const days = rules.days(daysField.value, Number(daysField.max));
        if (days === null || daysField.validity.badInput)
            fail(row, { title: 'For how long?', detail: `It can be kept for 1 to ${daysField.max} days.`,
                        hint: 'Correct the number of days, then retry.' }, true);
        else
            send(row, days);
    }
}

/* Two halves of a trace count as one file. The only file of a batch leads to its result, unless another is on its way; several are listed. */
async function add(chosen) {
    const given = nameField.value;
    nameField.value = '';
    const files = await joinHalves(chosen);
    if (state.batch === null || isIdle())
        state.batch = { size: 0 };
    state.batch.size += files.length;
    for (const file of files) {
        const row = newRow(file, rules.nameFor(given, file.name, files.length > 1), state.batch);
        const problem = rules.refusal(file, maxBytes);
        if (problem !== null)
            fail(row, problem, false);
        else
            enqueue(row);
    }
    list.lastElementChild?.scrollIntoView({ block: 'nearest' });
}

/* ---- where files come from ---- */

/* A folder looks like a file of some bytes that then cannot be read. */
function filesOf(transfer) {
    const files = [];
    for (const item of transfer.items) {
        const file = item.kind === 'file' ? item.getAsFile() : null;
        if (file !== null)
            files.push(item.webkitGetAsEntry?.()?.isDirectory ? { name: file.name, size: 0, isFolder: true }
                                                              : file);
    }
    return files.length > 0 ? files : [...transfer.files];
}

const hasFiles = transfer => transfer !== null && transfer.types.includes('Files');

function watchDrops() {
    const drag = on => { cover.hidden = !on; };
    for (const type of ['dragenter', 'dragover'])
        document.addEventListener(type, e => {
            if (!hasFiles(e.dataTransfer))
                return;
            e.preventDefault();
            e.dataTransfer.dropEffect = 'copy';
            drag(true);
        });
    document.addEventListener('dragleave', e => e.relatedTarget === null && drag(false));
    document.addEventListener('drop', e => {
        drag(false);
        if (!hasFiles(e.dataTransfer))
            return;
        e.preventDefault();
        add(filesOf(e.dataTransfer));
    });
}

function watchPaste() {
    document.addEventListener('paste', e => {
        if (e.clipboardData === null || e.clipboardData.files.length === 0)
            return;
        e.preventDefault();
        add(filesOf(e.clipboardData));
    });
}

async function tryDemo() {
    demo.disabled = true;
    try {
        const answer = await fetch('demo.trace');
        if (!answer.ok)
            throw new Error(`status ${answer.status}`);
        add([new File([await answer.blob()], 'demo.trace')]);
    } catch {
        status.textContent = 'The demo could not be fetched. Try again.';
    } finally {
        demo.disabled = false;
    }
}

/* Space and labels stay for the next upload; who has said some sees them. */
function rememberListing() {
    for (const [field, key] of [[spaceField, SPACE], [labelsField, LABELS]]) {
        field.value = kept(key) ?? '';
        field.addEventListener('input', () => keep(key, field.value.trim() === '' ? null : field.value));
    }
    document.getElementById('listing').open = spaceField.value !== '' || labelsField.value !== '';
}

/* ---- */

function start() {
    form.classList.add('with-script');
    for (const e of document.querySelectorAll('[data-with-script]'))
        e.hidden = false;
    for (const e of document.querySelectorAll('[data-without-script]'))
        e.hidden = true;
    input.multiple = true;
    input.value = '';
    rememberListing();
    input.addEventListener('change', () => {
        const files = [...input.files];
        input.value = '';     /* so that the same file can be chosen again */
        if (files.length > 0)
            add(files);
    });
    form.addEventListener('submit', e => {
        e.preventDefault();     /* Enter in a field */
        input.click();
    });
    demo.addEventListener('click', tryDemo);
    addEventListener('beforeunload', e => {
        if (!isIdle())
            e.preventDefault();
    });
    watchDrops();
    watchPaste();
    addCopyButtons();
}

start();
