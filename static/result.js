/* The page of one profile, and the one that says that it was deleted: keeps the browser's list of uploads up to date,
 * fills in the delete token, filters the threads, follows the progress. All of it works without, if less well. */
import { countWords, meant, progressWords, tokenOf } from './page-rules.js';
import * as uploads from './upload-list.js';

/* ---- the browser's list ---- */

function entryOf(data, token) {
    return uploads.entry({ id: data.id, name: data.name, token, created: data.created, expires: data.expires,
                           format: data.format, size: Number(data.size) });
}

/* The token leaves the address, where others could read it over a shoulder, as soon as it is kept elsewhere. */
function takeToken(data) {
    const token = tokenOf(location.hash);
    if (token !== '' && uploads.remember(entryOf(data, token)))
        history.replaceState(null, '', location.pathname + location.search);
    return token;
}

/* An entry of this browser's with the name and the expiry that the page has now. */
function refresh(data) {
    const list = uploads.load() ?? [];
    const known = list.find(one => one.id === data.id);
    if (known === undefined)
        return '';
    const now = entryOf(data, known.token);
    if (now.name !== known.name || now.expires !== known.expires)
        uploads.save(list.map(one => (one === known ? now : one)));
    return known.token;
}

function fillToken(token) {
    for (const field of document.querySelectorAll('input.token')) {
        field.value = token;
        field.closest('p').hidden = true;
    }
    document.getElementById('manage-token').textContent = 'This browser has the delete token of this upload.';
}

/* ---- the filter ---- */

function startFilter(box) {
    const text = document.getElementById('filter-text');
    const count = document.getElementById('filter-count');
    const cards = Array.from(document.querySelectorAll('.card'), card => ({
        card, name: card.querySelector('h3').textContent, id: card.dataset.track,
    }));
    const pools = Array.from(document.querySelectorAll('details.pool'), pool => ({ pool, open: pool.open }));
    box.hidden = false;
    text.addEventListener('input', () => {
        const all = text.value.trim() === '';
        for (const { card, name, id } of cards)
            card.hidden = !all && !meant(text.value, name, id);
        for (const { pool, open } of pools) {
            pool.hidden = pool.querySelector('.card:not([hidden])') === null;
            pool.open = all ? open : true;
        }
        count.textContent = countWords(cards.filter(({ card }) => !card.hidden).length, cards.length);
    });
}

/* ---- the progress ---- */

function follow(box, isWaiting) {
    const words = document.getElementById('progress-words');
    const bar = box.querySelector('progress');
    const source = new EventSource(box.dataset.events);
    source.addEventListener('rendered', event => {
        const { made, of } = JSON.parse(event.data);
        words.textContent = progressWords(made, of);
        bar.max = of;
        bar.value = made;
        if (isWaiting) {     /* the first picture comes when the threads are known */
            source.close();
            location.reload();
        }
    });
    source.addEventListener('done', () => {
        source.close();
        if (isWaiting)
            location.reload();
        else
            box.remove();
    });
}

/* ---- start ---- */

function startProfile(profile) {
    const taken = takeToken(profile.dataset);
    const token = refresh(profile.dataset) || taken;
    const filter = document.getElementById('filter');
    const progress = document.getElementById('progress');
    if (token !== '' && document.getElementById('manage-token') !== null)
        fillToken(token);
    if (filter !== null)
        startFilter(filter);
    if (progress !== null)
        follow(progress, 'waiting' in profile.dataset);
}

const profile = document.getElementById('profile');
const deleted = document.getElementById('deleted');
if (profile !== null)
    startProfile(profile);
if (deleted !== null)
    uploads.forget([deleted.dataset.id]);
