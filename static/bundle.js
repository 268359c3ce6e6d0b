/* A page that is one file (server/pages/page_bundle.c): the workspace without a service. Pictures filter and search by
 * themselves; the timeline and the table are those of the workspace, but for what only the service can tell. */
import { hasPart, part } from './bundle-parts.js';
import { element, named } from './dom.js';
import { Timeline } from './lanes.js';
import { legend } from './lanes-legend.js';
import { durationWords } from './lanes-model.js';
import { Time } from './lanes-time.js';
import { MethodTable } from './methods.js';

const SAID_MS = 8000, TRACK = 'track';
const LANE_KEYS = [['w s', 'zoom'], ['a d', 'move'], ['p', 'on a name: pin it'], ['Enter', 'on a name: its flame graph'], ['Escape', 'the whole recording']];
const byId = id => document.getElementById(id);
const flameOf = () => document.querySelector('#picture > svg')?.flame;

/* ---- what is said ---- */

let saying;
function say(words) {
    byId('said').textContent = words;
    clearTimeout(saying);
    saying = setTimeout(() => { byId('said').textContent = ''; }, SAID_MS);
}

/* The first sentence is the headline; the others are a click away. */
function foldWords() {
    const sentences = byId('sentences'), n = (sentences?.querySelectorAll('li').length ?? 0) - 1;
    if (n < 1)
        return;
    const button = element('button', { type: 'button', className: 'more-words' });
    const put = isBrief => {
        sentences.classList.toggle('brief', isBrief);
        button.textContent = isBrief ? `${n} more` : 'Less';
        button.setAttribute('aria-expanded', !isBrief);
    };
    button.setAttribute('aria-controls', 'sentences');
    button.addEventListener('click', () => put(!sentences.classList.contains('brief')));
    sentences.before(button);
    put(true);
}

/* ---- tabs ---- */

const tabs = () => Array.from(document.querySelectorAll('.tabs button'));

function showTab(name) {
    for (const tab of tabs()) {
        const isIt = tab.dataset.tab === name;
        isIt ? tab.setAttribute('aria-current', 'page') : tab.removeAttribute('aria-current');
        for (const one of document.querySelectorAll(`[data-of="${tab.dataset.tab}"]`))
            one.hidden = !isIt;
    }
    dispatchEvent(new Event('resize'));     /* what was hidden has its size now */
}

/* ---- pictures ---- */

let shown = '', turn = 0;

const wanted = () => new URLSearchParams(location.hash.slice(1)).get(TRACK);

async function showThread(id) {
    const mine = ++turn, place = byId('picture');
    shown = id;
    byId('thread').value = id;
    const text = await (await part(`picture-${id}`)).text();
    if (mine !== turn)
        return;
    const page = new DOMParser().parseFromString(text, 'text/html');
    place.replaceChildren(document.adoptNode(page.querySelector('svg')));
    document.dispatchEvent(new Event('flame-start'));     /* the pictures' script starts what it has not started yet */
    place.scrollTop = place.scrollHeight;     /* the root of a flame graph is at its end */
}

/* What the picture before it had in the address is not of this one. */
function chooseThread(id) {
    if (!hasPart(`picture-${id}`))
        return say('The flame graph of this thread is not in this file.');
    showTab('flame');
    location.hash = new URLSearchParams({ [TRACK]: id });
    return undefined;
}

function followHash() {
    const track = wanted() ?? byId('thread').dataset.first;
    if (track !== shown && hasPart(`picture-${track}`))
        showThread(track);
}

function startPictures() {
    if (byId('thread').options.length === 0)
        return;
    byId('thread').addEventListener('change', ({ target }) => chooseThread(target.value));
    addEventListener('hashchange', followHash);
    followHash();
}

/* ---- methods ---- */

class Rows extends MethodTable {
    /* Its callers and callees are those of the picture, which has one thread. */
    async open(n) {
        const row = this.data.rows[this.lines[n].i], { full } = this.names[this.lines[n].i], name = full + (row[this.at.signature] ?? '');
        if (!flameOf()?.hasMethod(name))
            return say(`${byId('thread').selectedOptions[0]?.textContent ?? 'The picture'}: this thread does not call ${full}. Choose another one beside the flame graph.`);
        showTab('flame');
        return flameOf().sandwich(name);
    }
    rowOf(line) {
        const [name, ...cells] = super.rowOf(line);
        name.firstChild.removeAttribute('aria-expanded');
        return [name, ...cells];
    }
}

async function startMethods() {
    if (!hasPart('methods'))
        return;
    const data = await (await part('methods')).json(), left = data.matching - data.rows.length;
    new Rows(byId('methods'), byId('grep'), () => {}, () => {}, data).start();
    byId('cut').textContent = left > 0 ? `The ${data.rows.length.toLocaleString('en')} heaviest methods; ${left.toLocaleString('en')} others are not in this file.` : '';
}

/* ---- the timeline ---- */

class SavedTimeline extends Timeline {
    wantedStacks() {
        return [];     /* calls one by one are not in the file */
    }
    toggle(i) {
        const { lane } = this.rows[i] ?? {};
        lane === undefined ? super.toggle(i) : chooseThread(String(lane.track));
    }
    drawNames() {
        super.drawNames();
        for (const button of this.names.querySelectorAll('button[title*="opens its calls"]')) {
            button.title = button.title.replace('opens its calls', 'shows its flame graph');
            button.removeAttribute('aria-expanded');
        }
    }
    press(event) {
        if (/^([wsad+-]|Home|Escape)$/.test(event.key))
            super.press(event);
    }
}

function laneTools(section, time, lanes) {
    const button = (words, title, act) => {
        const made = named(element('button', { type: 'button', textContent: words, title }), title);
        made.addEventListener('click', act);
        return made;
    };
    const filter = named(element('input', { type: 'search', placeholder: 'Filter threads' }), 'Filter the timeline by thread name');
    filter.addEventListener('input', () => {
        lanes.filter = filter.value;
        lanes.redraw();
    });
    lanes.corner.append(filter);
    section.querySelector('summary').after(element('div', { className: 'lane-tools' }, button('Fit', 'The whole recording', () => time.showAll()),
        button('+', 'Zoom in', () => lanes.zoom(0.5)), button('\u2212', 'Zoom out', () => lanes.zoom(2)), legend(LANE_KEYS)));
}

function startLanes() {
    const section = byId('lanes'), place = element('div', { className: 'lane-place' });
    if (section === null || !hasPart('lanes'))
        return;
    section.append(place);
    const time = new Time('file:///lanes'), lanes = new SavedTimeline(place, time, { label: 'Timeline: what each thread did' });
    lanes.canvas.setAttribute('aria-description', LANE_KEYS.map(one => one.join(' ')).join(', '));
    time.chooseRange = range => {     /* there is nothing that it could be the range of */
        time.setRange(null);
        time.show(range, true);
    };
    laneTools(section, time, lanes);
    section.addEventListener('toggle', () => lanes.redraw());
    const tell = () => {
        const { window, whole } = time, isAll = window === null || (window.from === whole.from && window.to === whole.to);
        section.querySelector('.lane-window').textContent = isAll ? durationWords(whole.to - whole.from)
            : `${durationWords(window.to - window.from)} from ${durationWords(window.from)} of ${durationWords(whole.to - whole.from)}`;
    };
    time.addEventListener('window', tell);
    time.addEventListener('came', tell);
}

/* ---- start ---- */

function onKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest('input, select, textarea, svg'))
        return;
    if (/^[1-9]$/.test(event.key))
        tabs()[event.key - 1]?.click();
    else if (/^[^ ]$/.test(event.key) && !byId('picture').hidden && flameOf()?.press(event.key))
        event.preventDefault();     /* the keys of the picture, wherever on the page somebody is */
}

document.addEventListener('click', ({ target }) => {
    const tab = target.closest('.tabs button');
    if (tab !== null)
        showTab(tab.dataset.tab);
    for (const menu of document.querySelectorAll('details.menu[open]'))
        menu.open &&= menu.contains(target);
});
document.addEventListener('keydown', onKey);
document.addEventListener('flame-said', ({ detail }) => say(detail));
document.addEventListener('flame-tab', ({ detail }) => tabs()[detail - 1]?.click());
showTab('flame');
foldWords();
startPictures();
startLanes();
startMethods();
