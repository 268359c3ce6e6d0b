/* Every page of one profile, and the one that says that it was deleted: keeps the browser's list of uploads up to date,
 * fills in the delete token. All of it works without, if less well. */
import { asksToDelete, tokenOf } from './page-rules.js';
import * as uploads from './upload-list.js';

/* ---- the browser's list ---- */

function entryOf(data, token) {
    return uploads.entry({ id: data.id, name: data.name, token, created: data.created, expires: data.expires,
                           format: data.format, size: Number(data.size), mapping: data.mapping, own: data.own !== undefined });
}

/* The token leaves the address, where others could read it over a shoulder, as soon as it is kept elsewhere. An address that
 * asks to delete is left alone until the page has the form for it. */
function takeToken(data) {
    const token = tokenOf(location.hash);
    const asks = asksToDelete(location.hash);
    const menu = document.querySelector('details.remove');
    if (asks && menu === null)
        return token;
    if (asks)
        menu.open = document.getElementById('main-menu').open = true;
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
    if (now.name !== known.name || now.expires !== known.expires || now.mapping !== known.mapping)
        uploads.save(list.map(one => (one === known ? now : one)));
    return known.token;
}

function fillToken(token) {
    for (const field of document.querySelectorAll('input.token')) {
        field.value = token;
        field.closest('p').hidden = true;
    }
    for (const words of document.querySelectorAll('.token-words'))
        words.textContent = 'This browser has the delete token of this upload.';
}

/* Names of an earlier build of the same app are wrong, and nobody but its owner knows: they are offered, not applied. */
function offerMappings(data) {
    const offer = document.getElementById('earlier-mappings'), choice = offer?.elements.namedItem('from');
    const uploadsOf = uploads.withMappings(uploads.load() ?? [], uploads.entry({ id: data.id, mapping: data.mapping }), Date.now());
    if (!offer || uploadsOf.length === 0)
        return;
    const take = () => { offer.elements.namedItem('from_token').value = uploadsOf[choice.selectedIndex].token; };
    choice.replaceChildren(...uploadsOf.map(one => new Option(`of ${one.name || one.id}, ${new Date(one.created).toLocaleString()}`, one.id)));
    choice.addEventListener('change', take);
    take();
    offer.hidden = false;
}

/* ---- start ---- */

function startProfile(profile) {
    const taken = takeToken(profile.dataset);
    const token = refresh(profile.dataset) || taken;
    if (token !== '')
        fillToken(token);
    if (token !== '' || profile.dataset.own !== undefined)
        offerMappings(profile.dataset);
}

const profile = document.getElementById('profile');
const deleted = document.getElementById('deleted');
if (profile !== null)
    startProfile(profile);
if (deleted !== null)
    uploads.forget([deleted.dataset.id]);
