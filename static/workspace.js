/* The workspace: what its links and forms lead to is shown without loading the page again. The picture itself is the
 * business of flame.js; where that could not start, or where the picture is a chart, the form is sent instead.
 *
 * A place is a URL of this profile. What the service needs of it is its path and query; the fragment is the picture's own
 * state. Going to a place fetches its page and takes over the parts below, so that both ways always show the same. */
import { startCompare } from './compare.js';
import { copyText } from './copy.js';
import { element, icon, keep, kept } from './dom.js';
import { savePng } from './flame-png.js';
import { startMethod } from './method-page.js';
import { startMethods } from './methods.js';
import { askBeside, changePanel, framePanel, LISTED_MAX, methodPanel } from './method-panel.js';
import { startOpenIn } from './open-in.js';
import { countWords, fragmentOf, meant, queryOf, sidesOf, STEPS, withFilters, withPass } from './page-rules.js';
import './result.js';
import { areLanesAwaited, followRange, markMethod, showCall, startChart, startLanes, theTime, withLanesHere } from './workspace-lanes.js';

/* Selects that the picture takes at once; what the others choose is another picture. */
const CHOICES = ['value', 'view', 'order', 'palette', 'names'];
const PARTS = ['.tabs', '#threads', '#choices', '#filters', '#whole', '#content', 'header nav'];
const VERDICT_KEY = 'aflamed.verdict', PANEL_KEY = 'aflamed.panel';     /* are set while a person has them folded */
const WORDS_KEY = 'aflamed.words';     /* is set while a person has all sentences shown */
const CHART_PX_MIN = 300, CHART_PX_MAX = 10_000, SAID_MS = 8000, SETTLED_MS = 200, OVERLOADS_MAX = 100, REST_MOST_MS = 2000;

const byId = id => document.getElementById(id);
const svgOf = () => document.querySelector('#picture > svg');
const flameOf = () => svgOf()?.flame;
const placeOf = url => url.pathname + url.search;
let here = placeOf(location);     /* the place that is shown, or on its way */
/* Of two profiles: the values of its picture have a side behind their name (profile/transform/transform.h). */
const compares = byId('comparison') !== null;

/* ---- links ---- */

/* Parts of the page stay while its address changes: what they link to is told from the root. */
function anchor(root, base) {
    for (const [name, attribute] of [['a[href]', 'href'], ['link[rel="icon"]', 'href'], ['form[action]', 'action'], ['[data-flame-tree]', 'data-flame-tree'],
                                     ['[data-json]', 'data-json'], ['[data-lanes]', 'data-lanes']])
        for (const one of root.querySelectorAll(name))
            if (!one.getAttribute(attribute).startsWith('#'))
                one.setAttribute(attribute, new URL(one.getAttribute(attribute), base).href);
}

async function pageAt(href) {
    const answer = await fetch(href, { headers: { Accept: 'text/html' } });
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    anchor(page, href);
    return page;
}

/* ---- places ---- */

let asked = 0;

/* `isBack`: by the browser's history. */
async function show(url, isBack = false) {
    const mine = ++asked, isLatest = () => mine === asked;
    here = placeOf(url);
    document.body.classList.add('loading');
    try {
        const answer = await fetch(url.href.replace(/#.*/, ''), { headers: { Accept: 'text/html' } });
        const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
        if (!isLatest())
            return;
        if (answer.redirected) {     /* from the form's address to that of what it chose */
            const { hash } = url;
            url = Object.assign(new URL(answer.url), { hash });
            replacePlace(url);
        }
        if (page.getElementById('content') === null)
            return location.reload();     /* it says what is wrong, or that there is nothing any more */
        const focused = document.activeElement, { id } = focused, isThread = focused.closest('#threads') !== null;
        page.querySelector('#picture noscript')?.remove();     /* it would be loaded */
        takeOver(page, url);
        startTime(isBack);
        startPicture();
        if (svgOf()?.querySelector('metadata.d') && !flameOf())
            return location.reload();     /* it could not start: its drawing is there then */
        start();
        if (!focused.isConnected)     /* what follows in the order of the page is found again from there */
            (isThread ? document.querySelector('#threads summary') : byId(id) ?? document.querySelector('.tabs [aria-current]'))?.focus({ preventScroll: true });
    } catch {
        if (isLatest())
            location.reload();
    } finally {
        if (isLatest())
            document.body.classList.remove('loading');
    }
}

/* The same is at another address now. */
function replacePlace(url) {
    history.replaceState(null, '', url);
    here = placeOf(url);
}

/* Of what is shown; the address may be that of another place already, which is on its way. */
function moveHere(url) {
    if (!document.body.classList.contains('loading'))
        replacePlace(url);
}

function takeOver(page, url) {
    anchor(page, url);
    for (const part of PARTS) {
        const from = page.querySelector(part), to = document.querySelector(part);
        if (part === '#choices' && to.innerHTML === from.innerHTML)
            to.reset();     /* what was chosen in it did not come to pass */
        else
            to.replaceWith(document.adoptNode(from));
    }
    const tools = page.getElementById('tools');
    if ((byId('tools') === null) !== (tools === null))
        tools === null ? byId('tools').remove() : byId('whole').before(document.adoptNode(tools));
    followVerdict(page);
    const lanes = page.getElementById('lanes');
    const dumps = page.getElementById('dumps');
    if (dumps !== null) {
        dumps.open = byId('dumps')?.open ?? true;
        byId('dumps')?.replaceWith(document.adoptNode(dumps));
    }
    if (lanes !== null && lanes.dataset.lanes !== byId('lanes')?.dataset.lanes)
        byId('lanes')?.replaceWith(document.adoptNode(lanes));
    document.title = page.title;
}

function go(href) {
    const url = new URL(href, location.href);
    url.hash = withLanesHere(url.hash);
    if (placeOf(url) === here)
        return void (location.hash = url.hash);
    show(url);     /* asks at once: the browser takes its time for a new address */
    history.pushState(null, '', url);
}

/* ---- the verdict ---- */

/* It is about the profile: it stays while other states of it are shown, until other packages are own. */
function followVerdict(page) {
    const link = page.querySelector('#verdict > a'), verdict = byId('verdict');
    if (compares) {
        byId('sentences').replaceWith(document.adoptNode(page.getElementById('sentences')));
        return foldWords();
    }
    if (verdict !== null && verdict.dataset.from === link?.href)
        return;
    verdict?.remove();
    if (link !== null) {
        document.querySelector('main').prepend(document.adoptNode(link.parentElement));
        loadVerdict().catch(() => {});
    }
}

/* The first sentence is the headline, of a comparison the first two; the others are a click away, and stay shown on other pages. */
function moreWords(sentences) {
    const n = sentences.querySelectorAll(':scope > ol > li').length - (sentences.classList.contains('two') ? 2 : 1);
    if (n < 1)
        return [];
    const button = element('button', { type: 'button', className: 'more-words' });
    const put = isAll => {
        sentences.classList.toggle('brief', !isAll);
        button.textContent = isAll ? 'Less' : `${n} more`;
        button.setAttribute('aria-expanded', isAll);
    };
    button.setAttribute('aria-controls', 'sentences');
    button.addEventListener('click', () => {
        const isAll = sentences.classList.contains('brief');
        keep(WORDS_KEY, isAll ? 'all' : null);
        put(isAll);
    });
    put(kept(WORDS_KEY) !== null);
    return [button];
}

/* Of a comparison, whose words are there with the page. */
function foldWords() {
    document.querySelector('#verdict > .more-words')?.remove();
    byId('sentences').before(...moreWords(byId('sentences')));
}

/* The link stays where the words cannot be had. */
async function loadVerdict() {
    const place = byId('verdict'), link = place?.querySelector(':scope > a');
    if (!link)
        return;
    const page = await pageAt(link.href);
    const sentences = page.getElementById('sentences'), first = sentences?.querySelector('li')?.textContent;
    if (first === undefined)
        return;
    const details = element('details', { id: 'verdict', className: place.className, open: kept(VERDICT_KEY) === null && matchMedia('(min-width: 48rem)').matches },
                            element('summary', {}, 'In words', element('span', { className: 'unfiltered', textContent: ', without filters' }),
                                    element('span', { className: 'first', textContent: ': ' + first })),
                            ...moreWords(sentences), document.adoptNode(sentences));
    details.dataset.from = link.href;
    place.replaceWith(details);
    details.querySelector('summary').addEventListener('click', () => {     /* before it opens or closes */
        keep(VERDICT_KEY, details.open ? 'folded' : null);
    });
}

/* ---- from the picture to the page ---- */

function followState(state) {
    let { said } = flameOf();
    const choices = byId('choices'), search = byId('search');
    const usualValue = choices.elements.namedItem('value').options[0].value;
    [state, said] = [state, said].map(one => (compares ? { ...one, ...sidesOf(one) } : one));
    for (const key of compares ? [...CHOICES, 'wide'] : CHOICES)
        choices.elements.namedItem(key).value = state[key];
    if (state.view === 'sandwich' && state.method !== '')
        theTime()?.markMethod(state.method.replace(/\(.*/s, ''), state.method.replace(/\(.*/s, ''));
    choices.elements.namedItem('method').value = state.view === 'sandwich' ? state.method : '';
    byId('match-case').checked = state.matchCase;
    if (document.activeElement !== search)
        search.value = state.search;
    for (const link of document.querySelectorAll('a.follows, #threads a[data-track]')) {
        const isKnown = link.dataset.plain === undefined || !/inverted|sandwich/.test(said.view);
        const known = isKnown ? said : { ...said, view: 'flame' };
        link.search = queryOf(link.search, link.dataset.ownValue === undefined ? known : { ...known, value: usualValue }, usualValue);
        link.hash = withPass(fragmentOf(said, link.dataset.track === undefined), link.dataset.pass);
    }
    const { whole } = choices.elements.namedItem('value').selectedOptions[0].dataset, { filters } = flameOf();
    if (!compares) {     // The total first: where the row is short, the rest is cut, and is in the choices beside it.
        const [track, value, total] = svgOf().querySelector('.title').textContent.split(' · ');
        byId('whole').textContent = `${total}${filters.length > 0 && whole ? ` of ${whole}` : ''} · ${value} · ${track}`;
        byId('whole').title = byId('whole').textContent;
    }
    showChips(filters);
    showChosen(flameOf().chosen);
    tellMethod().catch(() => {});
}

/* The panel opens with the first frame that is chosen. What a click in the timeline has put there stays. */
function showChosen(chosen) {
    byId('chosen-frame')?.replaceChildren(...framePanel(chosen));
    if (chosen !== null)
        byId('panel').hidden = false;
    else
        byId('panel').hidden = byId('chosen-call') === null && nameOfChosen() === '';
}

/* The root of a flame graph is at its end. A link that leads elsewhere does so by itself. */
function showRoot() {
    const { view, zoom, selected } = flameOf().said;
    if (view !== 'flame' || zoom !== '' || selected !== '')
        return;
    byId('picture').scrollTop = byId('picture').scrollHeight;
}

/* As the service writes them, but with buttons: the picture filters by itself what it has. */
function showChips(filters) {
    const chips = element('ul', { className: 'chips' });
    chips.setAttribute('aria-label', 'Filters, in the order in which they are applied');
    const button = (sign, label, words, act) => {
        const made = element('button', { type: 'button', title: label }, icon(sign));
        made.setAttribute('aria-label', `${label}: ${words}`);
        made.addEventListener('click', act);
        return made;
    };
    const chip = ({ key, text, words: full }, i) => {
        const option = Array.from(byId(`add-${key}`)?.options ?? []).find(({ value }) => value === text);
        const words = option?.textContent.replace(/: .*/, '') ?? full;
        return element('li', { className: 'chip' },
            element('span', { textContent: words, title: `${key}=${text}` }),
            ...i > 0 ? [button('previous', 'Apply earlier', words, () => flameOf().moveFilter(i, -1))] : [],
            ...i + 1 < filters.length ? [button('next', 'Apply later', words, () => flameOf().moveFilter(i, 1))] : [],
            button('close', 'Remove the filter', words, () => flameOf().unfilter(i)));
    };
    const told = filters.filter(({ isFirst }) => !isFirst);     /* of the first view the trail tells */
    chips.append(...told.map(chip));
    document.querySelector('#filters .chips:not(#range)')?.remove();
    if (told.length > 0)
        byId('range') ? byId('range').after(chips) : byId('filters').prepend(chips);
    for (const toggle of document.querySelectorAll('.toggle'))
        stepOf(toggle, filters) < 0 ? toggle.removeAttribute('aria-current') : toggle.setAttribute('aria-current', 'true');
    showEmptied(filters);
}

/* The filter that the toggle sets, or -1. */
const stepOf = ({ dataset: { preset } }, filters) => filters.findIndex(({ key, text }) => key === 'preset' && text === preset);

/* False: there is no picture that filters by itself; the toggle is a link. */
function pressToggle(toggle) {
    const flame = flameOf();
    if (!flame)
        return false;
    const at = stepOf(toggle, flame.filters);
    at < 0 ? flame.filter('preset', toggle.dataset.preset) : flame.unfilter(at);
    return true;
}

/* Which filter left nothing, with the way out. */
function showEmptied(filters) {
    const by = flameOf().emptiedBy, button = element('button', { type: 'button', className: 'button', textContent: 'Remove this filter' });
    byId('emptied')?.remove();
    if (by < 0 || filters.length === 0)
        return;
    button.addEventListener('click', () => flameOf().unfilter(by));
    byId('picture').before(element('p', { id: 'emptied', className: 'problem' }, 'The filters leave nothing: behind ',
        element('strong', { textContent: filters[by].words }), ' no method is left. ', button));
}

/* What comes or goes above the picture takes from its top. Where it grows, the browser moves what is shown by itself: so the place counts
 * that it had at its former height. */
function keepFoot(picture) {
    let { clientHeight: height, scrollTop: top } = picture;
    picture.addEventListener('scroll', () => { top = picture.clientHeight === height ? picture.scrollTop : top; }, { passive: true });
    new ResizeObserver(() => {
        if (flameOf()?.state.view === 'flame')
            picture.scrollTop = top + height - picture.clientHeight;
        ({ clientHeight: height, scrollTop: top } = picture);
    }).observe(picture);
}

/* Where there is no picture its state goes along to the next one. */
function followHash() {
    for (const link of document.querySelectorAll('a.follows, #threads a[data-track]'))
        link.hash = withPass(location.hash, link.dataset.pass);
}

function showMethod(method, data, at) {
    const { href } = document.querySelector('.tabs a');
    if (!compares)
        markMethod(method);
    byId('panel').replaceChildren(...compares ? changePanel(data, at, method, href) : methodPanel(method, href));
    byId('panel').hidden = false;
}

/* The JSON of the method of that name and signature, which the table knows by its id; or null. */
async function methodOf(name, flame) {
    const table = await askBeside(flame, 'methods.json', { grep: name.replace(/\(.*/s, ''), limit: OVERLOADS_MAX });
    const [id, scope, method, signature] = ['id', 'class', 'method', 'signature'].map(column => table?.columns.indexOf(column));
    const nameOf = row => (row[scope] && `${row[scope]}.`) + row[method];
    const row = table?.rows.find(one => [nameOf(one) + one[signature], nameOf(one)].includes(name));
    return row === undefined ? null : askBeside(flame, `m/${row[id]}.json`, { limit: LISTED_MAX });
}

/* Of the chosen frame, else of the method whose callers and callees are shown; empty: no method is chosen. */
function nameOfChosen() {
    const { chosen, state } = flameOf();
    return chosen === null ? (state.view === 'sandwich' ? state.method : '') : chosen.isMethod ? chosen.name + chosen.signature : '';
}

let toldOf = '';

/* What the service knows of the chosen frame's method stands below what the picture says of the frame. */
async function tellMethod() {
    const section = compares ? null : byId('chosen'), name = nameOfChosen();
    const flame = document.querySelector('.tabs a').href, place = name + flame;
    if (section === null || place === toldOf)
        return;
    toldOf = place;
    if (name === '')
        return section.replaceChildren();
    await new Promise(resolve => setTimeout(resolve, SETTLED_MS));     /* arrow keys pass over many */
    if (place !== toldOf)
        return;
    const method = await methodOf(name, flame);
    if (place !== toldOf)
        return;
    if (method !== null) {
        markMethod(method);
        byId('panel').hidden = false;
    }
    section.replaceChildren(...method === null ? [] : methodPanel(method, flame, flameOf()?.chosen !== null));
}

/* What is chosen in the picture stands beside it. */
function openPanel() {
    byId('panel').replaceChildren(element('section', { id: 'chosen-frame' }), element('section', { id: 'chosen' }));
    toldOf = '';
}

/* The panel can be put away; what is shown gets its room. It stays so on other pages. */
function offerPanel() {
    if (byId('panel-toggle') !== null)
        return;
    const button = element('button', { id: 'panel-toggle', type: 'button', title: 'Details beside it' });
    const put = isAway => {
        document.body.classList.toggle('without-panel', isAway);
        button.textContent = isAway ? '\u00ab' : '\u00bb';
        button.setAttribute('aria-expanded', !isAway);
        button.setAttribute('aria-label', 'Details');
    };
    button.setAttribute('aria-controls', 'panel');
    button.addEventListener('click', () => {
        const isAway = !document.body.classList.contains('without-panel');
        keep(PANEL_KEY, isAway ? 'folded' : null);
        put(isAway);
    });
    put(kept(PANEL_KEY) !== null);
    byId('whole').parentElement.append(button);
}

/* ---- from the page to the picture ---- */

/* A chart is drawn by the service, for the width that it has here, and of the first value only: who chooses another one
 * on its page wants a picture of that. */
function send(target) {
    const choices = byId('choices'), { value, view } = choices.elements;
    if (!compares && target === value && value.selectedIndex > 0 && view?.value === 'chart')
        view.value = 'flame';
    const form = new URLSearchParams(new FormData(choices)), query = flameOf() ? withFilters(form, flameOf().state.filters) : form;
    query.delete('width');
    if (!query.has('longest') && /_longest$/.test(query.get('sort')))
        query.delete('sort');
    if (view?.value === 'chart') {
        query.delete('value');
        query.set('width', widthHere());
        STEPS.forEach(key => query.delete(key));     /* it shows all calls */
    }
    for (const [key, word] of [...query])
        if (word === '')
            query.delete(key);
    go(`${choices.action}?${query}`);
}

/* False: the picture says what is wrong with it. */
async function addFilter(flame, key, text, problem) {
    const before = flame.filters.length;
    await flame.filter(key, text);
    const isTaken = flame.filters.length > before;
    problem.hidden = isTaken;
    problem.textContent = isTaken ? '' : svgOf().querySelector('.status').textContent.replace(/^.*Not used: /s, '');
    return isTaken;
}

/* What is wrong with a filter is said beside its field. */
async function addFilters(form) {
    const flame = flameOf(), problem = form.querySelector('.problem');
    if (flame) {
        for (const { name, value } of form.querySelectorAll('input:not([type="hidden"]), select'))
            if (value !== '' && !await addFilter(flame, name, value, problem))
                return;
        form.reset();
        return closeMenus(null);
    }
    const query = new URLSearchParams(Array.from(new FormData(form)).filter(([, text]) => text !== ''));
    const url = `${form.action}?${query}`;
    const answer = await fetch(url, { headers: { Accept: 'text/html' } });
    if (answer.ok)
        return go(url + location.hash);
    problem.textContent = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('.lead').textContent;
    problem.hidden = false;
}

/* Beside a chart there is no panel. */
function widthHere() {
    return Math.min(Math.max(byId('content').clientWidth, CHART_PX_MIN), CHART_PX_MAX);
}

function choose({ target }) {
    if (target.id === 'grep' && byId('methods')?.dataset.state === 'ready')
        return;
    if (target.closest('#sides'))
        return;     /* several fields, and a button behind them */
    if (target.id === 'match-case')
        look();
    else if (flameOf() && compares && target.name === 'wide')
        flameOf().set({ value: `${byId('value').value}_${target.value}` });
    else if (flameOf() && CHOICES.includes(target.name) && target.value !== 'chart' && !(compares && target.name === 'value'))
        flameOf().set({ [target.name]: target.value });
    else
        send(target);
}

function look() {
    flameOf()?.search(byId('search').value, { matchCase: byId('match-case').checked });
}

function focusPicture() {
    ['#picture .graph', '#methods tbody button', '#picture', '#methods', '#method'].map(place => document.querySelector(place))
        .find(Boolean)?.focus();
}

function onSearchKey(event) {
    if (event.key === 'Enter')
        event.shiftKey ? flameOf()?.previous() : flameOf()?.next();
    else if (event.key === 'Escape')
        focusPicture();
}

/* ---- menus ---- */

const menus = () => Array.from(document.querySelectorAll('details.menu[open]'));

function closeMenus(except) {
    for (const menu of menus().filter(menu => !menu.contains(except))) {
        if (menu.contains(document.activeElement))
            menu.querySelector('summary').focus();     /* what has the focus is hidden with its menu */
        menu.open = false;
    }
}

function focusSearch() {
    const field = byId('search') ?? byId('grep');
    field?.focus();
    field?.select();
}

function toTab(number) {
    document.querySelectorAll('.tabs a')[number - 1]?.click();
}

function onKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey)
        return;
    if (event.key === 'Escape' && menus().length > 0) {
        const menu = menus().at(-1);
        menu.open = false;
        menu.querySelector('summary').focus();
    } else if (event.key === '/' && !event.target.closest('input, select, textarea')) {
        event.preventDefault();
        focusSearch();
    } else if (/^[1-9]$/.test(event.key) && !event.target.closest('input, select, textarea')) {
        toTab(event.key);
    } else if (/^[^ ]$/.test(event.key) && !event.target.closest('input, select, textarea') && flameOf()?.press(event.key)) {
        event.preventDefault();     /* the keys of the picture, wherever on the page somebody is */
    }
}

/* ---- threads ---- */

function filterThreads() {
    const text = byId('thread-text').value, isAll = text.trim() === '';
    let n = 0, all = 0;
    for (const link of document.querySelectorAll('#threads a[data-track]')) {
        const { track } = link.dataset, isOne = /^\d/.test(track);
        const { process = '' } = link.closest('[data-process]')?.dataset ?? {};     /* as well as its own name */
        const isMeant = isAll || (isOne && meant(text, `${process} ${link.firstChild.data}`, track));
        link.closest('li').hidden = !isMeant;
        all += isOne;
        n += isOne && isMeant;
    }
    for (const group of document.querySelectorAll('#threads li details')) {
        group.parentElement.hidden = group.querySelector('li:not([hidden])') === null;
        group.open = !isAll || (group.parentElement.dataset.process !== undefined && group.querySelector('[aria-current]') !== null);
    }
    byId('thread-count').textContent = countWords(n, all);
}

/* ---- share ---- */

function share(event) {
    event.preventDefault();
    copyText(location.href, event.currentTarget.querySelector('span'), 'Share', 'Copy the address');
}

/* Its address is in the menu where it cannot be copied. */
function sharePreview(event) {
    event.preventDefault();
    copyText(event.currentTarget.href, event.currentTarget.querySelector('span'), 'Copy link with preview', 'Copy its address with the right button');
}

/* ---- start ---- */

/* What is chosen there is shown here: a call beside the picture, a range as that of all views. */
function startTime(isBack) {
    const before = theTime();
    startLanes();
    if (theTime() !== before) {
        theTime().addEventListener('chosen', () => showCall(document.querySelector('.tabs a').href).catch(() => {}));
        theTime().addEventListener('ranged', () => {
            const url = new URL(location.href);
            for (const key of ['from', 'to'])
                url.searchParams.set(key, String(theTime().range[key] / 1000));
            go(url.href);
        });
    }
    followRange(location.search, isBack);
    startChart();
}

/* The pictures' script starts those that it has not started yet. */
const startPicture = () => document.dispatchEvent(new Event('flame-start'));

/* Of a page that has been loaded. Words and timeline are asked for first: the service answers while a large picture keeps the browser
 * busy. */
function startFirst() {
    startTime(false);
    if (compares)
        foldWords();
    loadVerdict().catch(() => {});
    startPicture();
    start();
}

/* With every picture. */
function start() {
    const flame = flameOf(), search = byId('search'), drawing = document.querySelector('#picture .still noscript');
    if (drawing !== null)
        drawing.outerHTML = drawing.textContent;     /* the picture's script could not start: the drawing of those who have none */
    byId('panel').hidden = true;
    offerPanel();
    byId('thread-filter').hidden = false;
    byId('thread-text').addEventListener('input', filterThreads);
    for (const id of ['tools', 'case', 'png'])
        byId(id)?.toggleAttribute('hidden', flame === undefined);
    for (const offer of document.querySelectorAll('[data-open-in], [data-open-in-words]'))
        offer.hidden = false;
    document.querySelector('.share').addEventListener('click', share);
    byId('preview-link')?.addEventListener('click', sharePreview);
    search?.addEventListener('input', look);
    search?.addEventListener('keydown', onSearchKey);
    search?.addEventListener('blur', () => { search.value = flameOf()?.state.search ?? ''; });
    if (byId('methods') !== null)
        startMethods(byId('methods'), byId('grep'), showMethod, moveHere).catch(() => {});     /* the service's text stays */
    if (byId('method') !== null)
        startMethod(byId('method'), { flame: document.querySelector('.tabs a').href, compares }).catch(() => {});
    if (flame === undefined)
        return followHash();
    byId('picture').removeAttribute('tabindex');     /* its frames have the focus now */
    openPanel();
    followState(flame.state);
    showRoot();
    keepFoot(byId('picture'));
}

/* Links to places of this profile, if nothing else is wanted of the click. */
function onClick(event) {
    const link = event.target.closest('.tabs a, #threads a[data-track], #dumps a, #picture a, a.place');
    closeMenus(event.target);
    if (link === null || event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)
        return;
    event.preventDefault();
    closeMenus(null);
    if (!link.matches('.toggle') || !pressToggle(link))
        go(link.href.baseVal ?? link.href);
}

const doers = { png: () => savePng(svgOf()) };

anchor(document, location.href);
document.addEventListener('click', onClick);
document.addEventListener('click', ({ target }) => {
    const { do: wanted, to } = target.closest('[data-do]')?.dataset ?? {};
    if (wanted !== undefined && target.closest('svg') === null)
        (doers[wanted] ?? flameOf()?.[wanted])?.(to);
});
/* What the legend says of own code can be corrected, and names of a release build have a file that tells them. */
document.addEventListener('click', event => {
    const isOwnCode = event.target.closest('#picture .legend.origin') !== null, link = event.target.closest('#sentences a[href="#mapping"]');
    const field = isOwnCode ? byId('app') : link && byId('mapping');
    if (field === null)
        return;
    event.preventDefault();
    field.closest('details').open = true;
    field.focus();
});

document.addEventListener('keydown', onKey);
startCompare();
startOpenIn();

document.addEventListener('submit', event => {
    if (!event.target.matches('#choices, .adds'))
        return;
    event.preventDefault();
    event.target.id === 'choices' ? send(event.target) : addFilters(event.target).catch(() => event.target.submit());
});
document.addEventListener('change', event => event.target.closest('#choices') && choose(event));
document.addEventListener('flame-rest', event => {
    if (!areLanesAwaited())
        return;
    const { target } = event, fetchRest = () => target.flame.rest();
    event.preventDefault();     /* what is seen first comes first */
    theTime().addEventListener('came', fetchRest, { once: true });
    setTimeout(fetchRest, REST_MOST_MS);     /* lanes may be long in coming; it is fetched once */
});
document.addEventListener('flame-filters', ({ detail: { filters } }) => go(`${location.pathname}?${withFilters(location.search, filters)}`));
let saying;
document.addEventListener('flame-said', ({ detail }) => {
    byId('said').textContent = detail;
    clearTimeout(saying);
    saying = setTimeout(() => { byId('said').textContent = ''; }, SAID_MS);
});
document.addEventListener('flame-search', focusSearch);
document.addEventListener('flame-tab', ({ detail }) => toTab(detail));
document.addEventListener('flame-state', ({ detail }) => followState(detail));
document.querySelector('.skip').addEventListener('click', event => {
    event.preventDefault();     /* its fragment would be a state of the picture */
    focusPicture();
});
addEventListener('popstate', () => placeOf(location) !== here && show(new URL(location.href), true));
startFirst();
