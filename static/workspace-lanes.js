/* Lanes in the workspace: the part of the page above the tabs, what is said there of a marked method, and the chosen call. */
import { element, icon, keep, kept, named } from './dom.js';
import { Timeline } from './lanes.js';
import { legend } from './lanes-legend.js';
import { lanesOf, lanesPart, withLanes } from './lanes-link.js';
import { durationWords } from './lanes-model.js';
import { Time } from './lanes-time.js';
import { askBeside, LISTED_MAX, methodPanel, tableOf } from './method-panel.js';
import { tokenOf } from './page-rules.js';

const FOLDED_KEY = 'aflamed.lanes', HEIGHT_KEY = 'aflamed.lanes-height', COLOURS_KEY = 'aflamed.lanes-colours', SHARE_LEAST = 0.05, SHARE_MOST = 0.5, STEP_PX = 16, NS_PER_US = 1000;
const HERTZ = [60, 90, 120];
const byId = id => document.getElementById(id);

const SETTLED_MS = 200, REST_MS = 300;
let time = null, lanes = null, chart = null;

export const theTime = () => time;

/* Whether the first of them are on their way. */
export const areLanesAwaited = () => byId('lanes')?.open === true && time !== null && !time.window && time.problem === '';

/* Of the profile that the page shows; again when its lanes have become others (own code, open calls, filters): at the same place. */
export function startLanes() {
    const section = byId('lanes');
    if (section === null || section.dataset.started !== undefined)
        return;
    section.dataset.started = '';
    lanes?.end();
    time?.store.end();
    time = new Time(section.dataset.lanes);
    const place = element('div', { className: 'lane-place' });
    section.querySelector('noscript')?.remove();
    section.append(place, handle(section));
    section.open = kept(FOLDED_KEY) === null;
    section.addEventListener('toggle', () => {
        keep(FOLDED_KEY, section.open ? null : 'folded');
        lanes.redraw();
    });
    resize(Number(kept(HEIGHT_KEY)));
    lanes = new Timeline(place, time, { label: 'Timeline: what each thread did' });
    readLink();     /* where those before it were, of a link within the page */
    tools(section);
    time.addEventListener('came', () => tellCame(section));
    time.addEventListener('marked', () => tellMark(section));
    for (const event of ['window', 'came'])
        time.addEventListener(event, () => tellWindow(section));
    for (const event of ['window', 'arranged'])
        time.addEventListener(event, () => {
            clearTimeout(writing);
            writing = setTimeout(writeLink, REST_MS);
        });
    if (section.open)
        time.want();     /* not only when the first frame is drawn */
}

/* ---- its part of the address ---- */

let linked = '', writing;     /* what the address says as far as we know; the timer of what it will say */

/* The fragment of a link within the page, of which lanes stay as they are. */
export function withLanesHere(hash) {
    if (!time?.window)
        return hash;
    const { open, pinned, unfolded } = lanes, link = withLanes(hash, { window: time.window, whole: time.whole, open, pinned, unfolded });
    linked = lanesPart(link);
    return link;
}

/* When lanes have come to rest. Moving on is no new entry of the history; a jump is one, and the first move after anything else. */
function writeLink(isNew = !history.state?.moved || time.jumped) {
    const url = location.pathname + location.search + withLanesHere(location.hash);
    clearTimeout(writing);
    if (time.window === null || tokenOf(location.hash) !== '')
        return;
    if (lanesPart(location.hash) !== linked)
        isNew ? history.pushState({ moved: !time.jumped }, '', url) : history.replaceState(history.state, '', url);
    time.jumped = false;
}

function readLink() {
    const { window, ...sets } = lanesOf(location.hash);
    linked = lanesPart(location.hash);
    Object.assign(lanes, sets);
    if (time.window === null)
        time.first = window;
    else
        time.show(window ?? time.whole);
}

addEventListener('popstate', () => time !== null && lanesPart(location.hash) !== linked && readLink());

/* ---- the tab of calls in the order of time ---- */

/* In place of what the service draws: the chosen threads, all of which are open. */
export function startChart() {
    const place = byId('chart');
    if (place === null || time === null)
        return;
    const { track } = place.dataset, tracks = /^\d/.test(track) ? track.split(',').map(Number) : null;
    chart?.end();
    chart = new Timeline(place, time, { isChart: true, tracks, label: 'Calls by time' });
    const search = named(element('input', { type: 'search', id: 'search', placeholder: 'Search methods' }), 'Search methods');
    search.addEventListener('input', () => {
        const text = search.value.trim().toLowerCase();
        chart.found = text === '' ? null : frame => frame.text.toLowerCase().includes(text);
        chart.redraw();
    });
    search.addEventListener('keydown', event => {
        if (event.key === 'Enter')
            chart.findNext(event.shiftKey ? 'previous' : 'next');
        else if (event.key === 'Escape')
            chart.canvas.focus();
    });
    chart.corner.append(search);
}

/* The range of the page's address, in \u00b5s. The chart begins with it, unless somebody came back to what was seen of it. */
export function followRange(search, isBack) {
    const query = new URLSearchParams(search), [from, to] = ['from', 'to'].map(key => (query.has(key) ? Number(query.get(key)) * 1000 : null));
    if (time === null)
        return;
    if (from === null && to === null)
        return void time.setRange(null);
    const range = { from: from ?? 0, to: to ?? Number.MAX_SAFE_INTEGER };
    const isNew = time.range === null || time.range.from !== range.from || time.range.to !== range.to;
    if (isNew && byId('chart') !== null && !isBack && time.window === null)
        time.first ??= range;
    else if (isNew && byId('chart') !== null && !isBack) {
        time.show(range);
        writeLink(false);
    }
    time.setRange(range);
}

/* ---- its size ---- */

function resize(px) {
    if (px > 0)
        byId('lanes').style.setProperty('--lanes-px', `${Math.round(Math.min(Math.max(px, innerHeight * SHARE_LEAST), innerHeight * SHARE_MOST))}px`);
}

function handle(section) {
    const made = named(element('div', { className: 'lane-handle', tabIndex: 0 }), 'Height of the timeline');
    made.setAttribute('role', 'separator');
    made.setAttribute('aria-orientation', 'horizontal');
    const height = () => section.querySelector('.lane-place').offsetHeight;
    const tell = () => made.setAttribute('aria-valuenow', String(Math.round(height() / innerHeight * 100)));
    const set = px => {
        resize(px);
        keep(HEIGHT_KEY, String(height()));
        tell();
    };
    made.setAttribute('aria-valuenow', '17');
    made.addEventListener('pointerdown', event => {
        const from = event.clientY, px = height(), move = ({ clientY }) => set(px + clientY - from);
        made.setPointerCapture(event.pointerId);
        made.addEventListener('pointermove', move);
        made.addEventListener('lostpointercapture', () => made.removeEventListener('pointermove', move), { once: true });
    });
    made.addEventListener('keydown', event => {
        const step = { ArrowDown: STEP_PX, ArrowUp: -STEP_PX }[event.key];
        if (step === undefined)
            return;
        event.preventDefault();
        set(height() + step);
    });
    return made;
}

/* ---- its tools ---- */

function button(words, title, act) {
    const made = element('button', { type: 'button', title }, words);
    made.addEventListener('click', act);
    return made;
}

function tools(section) {
    const filter = named(element('input', { type: 'search', placeholder: 'Filter threads' }), 'Filter the timeline by thread name');
    filter.addEventListener('input', () => {
        lanes.filter = filter.value;
        lanes.redraw();
    });
    lanes.corner.append(filter);
    const grid = named(element('select', {}, element('option', { value: '0', textContent: 'no grid' }),
        ...HERTZ.map(hertz => element('option', { value: String(hertz), textContent: `${hertz} Hz` }))), 'Grid of a screen\u2019s frames');
    grid.addEventListener('change', () => {
        time.hertz = Number(grid.value);
        time.tell('window');
    });
    const colours = named(element('select', {}, element('option', { value: '', textContent: 'by origin' }), element('option', { value: 'method', textContent: 'by method' })), 'Colours of the timeline');
    colours.value = kept(COLOURS_KEY) ?? '';
    time.byMethod = colours.value === 'method';
    colours.addEventListener('change', () => {
        keep(COLOURS_KEY, colours.value === '' ? null : colours.value);
        time.byMethod = colours.value === 'method';
        time.tell('window');
    });
    const marked = element('span', { className: 'lane-marked', hidden: true });
    section.querySelector('summary').after(element('div', { className: 'lane-tools' }, marked, colours, grid,
        button('Fit', 'The whole recording (Escape)', () => time.showAll()),
        button('+', 'Zoom in (w)', () => lanes.zoom(0.5)), button('\u2212', 'Zoom out (s)', () => lanes.zoom(2)), legend()));
    for (const [sign, label] of [['+', 'Zoom in'], ['\u2212', 'Zoom out']])
        named([...section.querySelectorAll('.lane-tools button')].find(one => one.textContent === sign), label);
}

function tellWindow(section) {
    const { window, whole } = time;
    if (window === null)
        return;
    const isAll = window.from === whole.from && window.to === whole.to;
    section.querySelector('.lane-window').textContent = isAll ? durationWords(whole.to - whole.from)
        : `${durationWords(window.to - window.from)} from ${durationWords(window.from)} of ${durationWords(whole.to - whole.from)}`;
}

function tellCame(section) {
    const { whole } = time.store, facts = section.querySelector('.lane-facts');
    if (whole === null)
        return void (facts.textContent = time.problem === '' ? '' : ` \u00b7 cannot be shown: ${time.problem}`);
    facts.textContent = [whole.clock === 'wall' ? '' : 'by each thread\u2019s own CPU time: threads cannot be compared',
        whole.overflow ? 'the buffer was full: the end is missing' : '', whole.leftOut > 0 ? `${whole.leftOut} threads left out` : ''].filter(Boolean).map(words => ` \u00b7 ${words}`).join('');
    if (time.mark.id !== '')
        tellMark(section);
}

function tellMark(section) {
    const place = section.querySelector('.lane-marked'), { id, name, lists, isLost } = time.mark;
    place.hidden = id === '';
    if (id === '')
        return;
    const short = name.split('.').slice(-2).join('.');
    const calls = isLost ? 'its calls could not be had' : lists === undefined ? 'looking for its calls' : `${lists.calls.toLocaleString('en')} ${lists.calls === 1 ? 'call' : 'calls'} in all`;
    const step = way => lanes.stepMark(way);
    const steps = [button(icon('previous'), 'The call before (N)', () => step('previous')), button(icon('next'), 'The next call (n)', () => step('next')),
                   button('Longest', 'The longest call, then the next longest (l)', () => step('longest')), button(icon('close'), 'No mark', () => time.markMethod('', ''))];
    ['The call before', 'The next call', 'The longest call', 'Remove the mark'].forEach((label, i) => named(steps[i], `${label}: ${short}`));
    const had = place.contains(document.activeElement) ? [...place.querySelectorAll('button')].indexOf(document.activeElement) : -1;
    place.replaceChildren(element('span', { className: 'lane-name', textContent: `${short}:`, title: name }), ` ${calls} `, ...lists === undefined || lists.calls === 0 ? [steps[3]] : steps);
    if (had >= 0)
        place.querySelectorAll('button')[had]?.focus();
}

const MARK_AFTER_MS = 150;
let marking;

/* A method was chosen somewhere: its calls are marked. The service reads the recording for it, so it is asked when the choice has
 * rested, and what was chosen is there first. */
export function markMethod({ id, class: scope, method }) {
    clearTimeout(marking);
    if (id !== undefined)
        marking = setTimeout(() => time?.markMethod(id, scope === '' ? method : `${scope}.${method}`), MARK_AFTER_MS);
}

/* ---- the chosen call, in the panel ---- */

/* The page of the samples' track, in the range of the call. */
function samplesIn({ begin, length }, samples, flame) {
    const url = new URL(flame);
    url.pathname = url.pathname.replace(/t\/[^/]*$/, `t/${samples}`);
    url.hash = '';
    ['value', 'view', 'method'].forEach(key => url.searchParams.delete(key));
    url.searchParams.set('from', begin / NS_PER_US);
    url.searchParams.set('to', (begin + length) / NS_PER_US);
    return url.href;
}

function callPanel(call, flame) {
    const samples = time.samplesOf(call.track);
    const { frame, length, begin, self, depth, track, calls, flags } = call, row = (words, text) =>
        element('tr', {}, element('th', { scope: 'row', textContent: words }), element('td', { textContent: text }));
    const act = (words, title, doing) => Object.assign(button(words, title, doing), { className: 'button' });
    return [element('h2', { className: 'method', textContent: frame === null ? `${calls.toLocaleString('en')} short calls` : frame.text }),
            element('table', {}, element('tbody', {}, row('takes', durationWords(length)), ...self === undefined ? [] : [row(frame === null ? 'in them' : 'self', durationWords(self))],
                row('begins at', durationWords(begin)), row('thread', time.threadOf(track)), row('depth', String(depth)),
                ...flags & 1 ? [row('entered', 'before the first record')] : [], ...flags & 2 ? [row('left', 'never')] : [])),
            element('p', { className: 'buttons' }, act('Zoom', 'Enter', () => time.zoomTo(call)),
                act('Its range', 'What all threads did in it: pictures, tables and words are of this range', () => time.chooseRange({ from: begin, to: begin + length })),
                ...samples === undefined ? [] : [element('a', { className: 'button place', textContent: 'CPU samples in it', href: samplesIn(call, samples, flame) })],
                ...frame === null ? [] : [act('Mark its calls', 'All calls of the method, on all threads', () => time.markMethod(frame.id, frame.text))])];
}

/* What the file says of the call beside its method: [name, value]s. */
async function annotationsOf({ frame, track, begin }, flame) {
    if (byId('lanes')?.dataset.annotated === undefined)
        return [];
    const list = await askBeside(flame, 'calls.json', { track, value: null, from: begin / NS_PER_US, to: (begin + 1) / NS_PER_US });
    const nameOf = row => (row.class && `${row.class}.`) + row.method;
    return Object.entries(list?.calls.find(row => row.annotations && nameOf(row) === frame.text)?.annotations ?? {});
}

/* The JSON of its method, in all of the recording, on the threads of the page; null: there is none. */
function methodOf({ frame }, flame) {
    return askBeside(flame, `m/${frame.id}.json`, { limit: LISTED_MAX, from: null, to: null, ...byId('chart') === null ? { track: 'all' } : {} });
}

/* Above what else is chosen; `flame` is the address of the tab of the picture. */
export async function showCall(flame) {
    const call = time.selected, panel = byId('panel');
    byId('chosen-call')?.remove();
    if (call === null) {
        panel.hidden ||= panel.textContent === '';
        return;
    }
    const section = element('section', { id: 'chosen-call' }, ...callPanel(call, flame));
    panel.prepend(section);
    panel.hidden = false;
    await new Promise(resolve => setTimeout(resolve, SETTLED_MS));     /* arrow keys pass over many */
    if (time.selected !== call || call.frame === null)
        return;
    const annotations = await annotationsOf(call, flame);
    if (annotations.length > 0 && section.isConnected)
        section.querySelector('table').after(tableOf(null, annotations, 'Annotations'));
    const method = await methodOf(call, flame);
    if (method !== null && section.isConnected)
        section.append(...methodPanel(method, flame, true));
}
