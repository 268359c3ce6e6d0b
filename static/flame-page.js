/* The page of one picture: a choice takes effect at once, and the picture is as wide as its place. */
import { fittingWidth, withoutStyle } from './page-rules.js';

const SETTLED_MS = 300;
const place = document.getElementById('picture');
const choices = document.getElementById('choices');

/* ---- choices ---- */

choices.querySelector('.submit').hidden = true;
choices.addEventListener('change', () => choices.requestSubmit());

/* ---- the width ---- */

function urlOf(widthPx) {
    const query = new URLSearchParams(location.search);
    query.set('width', String(widthPx));
    return `${place.dataset.svg}?${query}`;
}

/* The elements of a picture; null if it is none. */
function elementsOf(text) {
    const root = new DOMParser().parseFromString(withoutStyle(text), 'image/svg+xml').documentElement;
    const isPicture = root.localName === 'svg' && root.namespaceURI === 'http://www.w3.org/2000/svg';
    return isPicture ? document.importNode(root, true) : null;
}

/* What cannot be had stays as it is: the picture that is there can be scrolled. */
async function fit() {
    const widthPx = fittingWidth(place.clientWidth);
    const shown = place.querySelector('svg');
    if (Number(shown.getAttribute('width')) === widthPx)
        return;
    const answer = await fetch(urlOf(widthPx)).catch(() => null);
    const next = answer !== null && answer.ok ? elementsOf(await answer.text()) : null;
    if (next !== null && fittingWidth(place.clientWidth) === widthPx)
        place.querySelector('svg').replaceWith(next);
}

if (!new URLSearchParams(location.search).has('width')) {
    let timer = 0;
    fit();
    addEventListener('resize', () => {
        clearTimeout(timer);
        timer = setTimeout(fit, SETTLED_MS);
    });
}
