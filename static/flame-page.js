/* The page of one picture: its controls. The picture itself is the business of flame.js, which has run by now; where it
 * could not, or where the picture is a chart, the controls are those of the form. */
import { element } from './dom.js';
import { savePng } from './flame-png.js';
import { fragmentOf, queryOf } from './page-rules.js';

/* Selects that the picture takes at once; what the others choose is another picture. */
const CHOICES = ['value', 'view', 'order', 'palette', 'names'];
const CHART_PX_MIN = 300, CHART_PX_MAX = 10_000;

const choices = document.getElementById('choices');
const picture = document.getElementById('picture');
const flame = picture.querySelector('svg')?.flame;

/* A chart is drawn by the service, for the width that it has here, and of the first value only: who chooses another one
 * on its page wants a picture of that. */
function send({ target }) {
    const { value, view } = choices.elements;
    choices.elements.namedItem('width')?.remove();
    if (target === value && value.selectedIndex > 0 && view.value === 'chart')
        view.value = 'flame';
    if (view.value !== 'chart')
        return choices.requestSubmit();
    value.selectedIndex = 0;
    choices.append(element('input', { type: 'hidden', name: 'width', value: widthHere() }));
    return choices.requestSubmit();
}

function widthHere() {
    const { paddingLeft, paddingRight } = getComputedStyle(picture);
    const width = picture.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
    return Math.min(Math.max(Math.floor(width), CHART_PX_MIN), CHART_PX_MAX);
}

function startControls() {
    const tools = document.getElementById('tools');
    const search = document.getElementById('search');
    const matchCase = document.getElementById('match-case');
    const method = choices.elements.namedItem('method');
    const action = choices.getAttribute('action');
    const usualValue = choices.elements.namedItem('value').options[0].value;
    const links = Array.from(document.querySelectorAll('a.follows'));

    /* ---- from the picture to the page ---- */

    function followState(state) {
        for (const key of CHOICES)
            choices.elements.namedItem(key).value = state[key];
        method.value = state.view === 'sandwich' ? state.method : '';
        choices.setAttribute('action', action + fragmentOf(state, false));
        matchCase.checked = state.matchCase;
        if (document.activeElement !== search)
            search.value = state.search;
        for (const link of links) {
            const isKnown = link.dataset.plain === undefined || !/inverted|sandwich/.test(state.view);
            link.search = queryOf(link.search, isKnown ? state : { ...state, view: 'flame' }, usualValue);
            link.hash = fragmentOf(state, link.rel === '');
        }
    }

    /* The root of a flame graph is at its end. A link that leads elsewhere does so by itself. */
    function showRoot() {
        const { view, zoom, selected } = flame.state;
        if (view !== 'flame' || zoom !== '' || selected !== '')
            return;
        picture.scrollTop = picture.scrollHeight;
        picture.scrollIntoView({ block: 'nearest' });
    }

    /* ---- from the page to the picture ---- */

    function choose({ target }) {
        if (CHOICES.includes(target.name) && target.value !== 'chart')
            flame.set({ [target.name]: target.value });
        else
            send({ target });
    }

    function look() {
        flame.search(search.value, { matchCase: matchCase.checked });
    }

    const doers = { ...flame, png: () => savePng(picture.querySelector('svg')) };

    function focusPicture() {
        picture.querySelector('.graph').focus();
    }

    function onSearchKey(event) {
        if (event.key === 'Enter')
            event.shiftKey ? flame.previous() : flame.next();
        else if (event.key === 'Escape')
            focusPicture();
    }

    function onKey(event) {
        if (event.key !== '/' || event.ctrlKey || event.altKey || event.metaKey || event.target.closest('input, select'))
            return;
        event.preventDefault();
        search.focus();
        search.select();
    }

    /* ---- start ---- */

    tools.hidden = false;
    picture.removeAttribute('tabindex');     /* its frames have the focus now */
    choices.addEventListener('change', choose);
    search.addEventListener('input', look);
    search.addEventListener('keydown', onSearchKey);
    search.addEventListener('blur', () => { search.value = flame.state.search; });
    matchCase.addEventListener('change', look);
    tools.addEventListener('click', ({ target }) => doers[target.closest('[data-do]')?.dataset.do]?.());
    document.addEventListener('keydown', onKey);
    document.addEventListener('flame-state', ({ detail }) => followState(detail));
    /* Its fragment would be a state of the picture. */
    document.querySelector('.skip').addEventListener('click', event => {
        event.preventDefault();
        focusPicture();
    });
    followState(flame.state);
    showRoot();
}

choices.querySelector('.submit').hidden = true;
if (flame === undefined)
    choices.addEventListener('change', send);
else
    startControls();
