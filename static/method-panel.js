/* What the panel says: of the frame that is chosen in the picture, from its numbers; of a method, from the JSON that the service
 * has of it. */
import { copyText } from './copy.js';
import { element } from './dom.js';
import { amount, changeOf, percent, sampleWords, samplesOf, signed } from './units.js';

/* Callers, and callees, that the panel lists. */
export const LISTED_MAX = 12;

/* What the service has at 'methods.json' or 'm/ID.json' beside the picture at `flame`, in its state and of its threads. `keys` change
 * the query, null takes one out. Null: there is no such thing. */
export async function askBeside(flame, end, keys) {
    const url = new URL(flame), track = url.pathname.replace(/^.*\//, '');
    url.pathname = url.pathname.replace(/t\/[^/]*$/, end);
    url.hash = '';
    for (const [key, value] of Object.entries({ track, view: null, method: null, ...keys }))
        value === null ? url.searchParams.delete(key) : url.searchParams.set(key, value);
    const answer = await fetch(url, { headers: { Accept: 'application/json' } });
    return answer.ok ? answer.json() : null;
}

export async function fetchJson(url) {
    const answer = await fetch(url, { headers: { Accept: 'application/json' } });
    if (!answer.ok)
        throw new Error(`${answer.status} ${answer.statusText}`);
    return answer.json();
}

/* Rows of texts or elements, of which the first is what the row is called. `head`: null for none. */
export function tableOf(head, rows, caption = '', first = '') {
    const heads = () => element('thead', {}, element('tr', {}, first === '' ? element('td') : element('th', { scope: 'col', textContent: first }),
        ...head.map(text => element('th', { scope: 'col', textContent: text }))));
    return element('table', {}, ...caption === '' ? [] : [element('caption', { textContent: caption })], ...head === null ? [] : [heads()],
        element('tbody', {}, ...rows.map(([words, ...cells]) => element('tr', {}, element('th', { scope: 'row' }, words), ...cells.map(cell => element('td', {}, cell))))));
}

/* The address of the picture at `flame`, with keys set and filters added. */
export function linkTo(flame, { set = {}, add = {} }) {
    const url = new URL(flame);
    url.hash = '';
    for (const [key, text] of Object.entries(set))
        url.searchParams.set(key, text);
    for (const [key, text] of Object.entries(add))
        url.searchParams.append(key, text);
    return url;
}

function copyButton(words, text) {
    const button = element('button', { type: 'button', className: 'button', textContent: words });
    button.addEventListener('click', () => copyText(text, button, words, 'Copying needs HTTPS'));
    return button;
}

/* A row about sizes and their counts, where they were estimated. `values`: {name, n}. */
function samplesRow(values, every) {
    const numberOf = name => values.find(value => value.name === name)?.n;
    const words = ({ name }) => {
        const size = name.replace(/-count$/, ''), bytes = numberOf(size), count = numberOf(`${size}-count`);
        return name === size && count !== undefined ? sampleWords(samplesOf(bytes, count, every)) : '';
    };
    return every === undefined ? [] : [['samples', ...values.map(words)]];
}

export const nameOf = ({ class: scope, method, id }) => (id === undefined ? '(toplevel)' : scope === '' ? method : `${scope}.${method}`);

/* The expression that matches this text and no other; filters take `;` for `:`. */
export const exactly = text => `/^${text.replace(/[$^\\.*+?()[\]{}|/]/g, '\\$&').replaceAll(';', ':')}$/`;

/* What A and B have of it: pairs of numbers, in ns where they are times. */
export function sidesTable({ unit, total, self, calls }) {
    const inWords = n => (unit === 'ns' ? amount('us', n / 1000) : amount(unit, n));
    const line = (words, [a, b], say, of) => [words, say(a), say(b), signed(of, ...(of === 'us' ? [a / 1000, b / 1000] : [a, b])), changeOf(a, b)];
    const size = unit === 'ns' ? 'us' : unit, perCall = total.map((all, side) => (calls?.[side] > 0 ? all / calls[side] : 0));
    const made = tableOf(['A', 'B', 'change', '%'], [
        line('total', total, inWords, size),
        ...self === null ? [] : [line('self', self, inWords, size)],
        ...calls === null ? [] : [line('calls', calls, n => n.toLocaleString('en'), 'count'), line('per call', perCall, inWords, size)],
    ]);
    made.className = 'of-sides';
    return made;
}

/* `chosen`: as a picture has it, see flame.js; null if nothing is. The buttons are what the picture can do. */
export function framePanel(chosen) {
    if (chosen === null)
        return [];
    const { name, words, isMethod, link, parent, calls, values, compared, sampledBytes } = chosen;
    const cells = make => values.map(({ unit, ...numbers }) => make(numbers, n => (unit === 'ns' ? amount('us', n / 1000) : amount(unit, n))));
    const at = values.findIndex(({ isShown }) => isShown);
    const act = (label, what, to) => {
        const made = element('button', { type: 'button', className: 'button', textContent: label });
        Object.assign(made.dataset, { do: what, to });
        return made;
    };
    const numbers = tableOf(values.map(({ value }) => value), [
        ['total', ...cells(({ total }, inWords) => inWords(total))],
        ['self', ...cells(({ self }, inWords) => inWords(self))],
        ...calls > 0 ? [['per call', ...cells(({ total }, inWords) => inWords(total / calls))]] : [],
        ['of all', ...cells(({ total, all }) => percent(total, all))],
        ['of zoom', ...cells(({ total, zoom }) => percent(total, zoom))],
        ...parent === null ? [] : [['of caller', ...cells(({ total, up }) => percent(total, up))]],
        ...samplesRow(values.map(({ value, total }) => ({ name: value, n: total })), sampledBytes),
    ]);
    if (at >= 0)
        numbers.querySelectorAll(`tr > :nth-child(${at + 2})`).forEach(cell => cell.classList.add('shown'));
    return [
        element('h2', { className: 'method', textContent: name }),
        ...words === '' ? [] : [element('p', { className: 'quiet', textContent: words })],
        ...compared === null ? [numbers] : [sidesTable(compared)],
        ...calls === null || !isMethod ? [] : [element('p', { textContent: `${calls.toLocaleString('en')} ${calls === 1 ? 'call' : 'calls'} on this stack` })],
        element('p', { className: 'buttons' }, act('Zoom', 'zoomTo', link),
                ...parent === null ? [] : [act('Caller', 'zoomTo', parent)],
                ...isMethod ? [act('Callers & callees', 'sandwich', name + chosen.signature)] : []),
        ...isMethod ? [element('p', { className: 'buttons' }, act('Focus', 'filterSelected', 'focus'), act('Ignore', 'filterSelected', 'ignore'),
            act('Hide', 'filterSelected', 'hide'), act('Hide package', 'filterSelected', 'hide package')),
        element('p', { className: 'buttons' }, act('Copy name', 'press', 'c'), act('Copy stack', 'press', 'C'), act('Copy link', 'press', 'y'))] : [],
    ];
}

/* Of one row of the table of changes; `flame` as below. */
export function changePanel(data, at, row, flame) {
    const { name: value, unit } = data.values.find(one => one.name === data.value), name = (row[at.class] === '' ? '' : `${row[at.class]}.`) + row[at.method];
    const pair = column => ['a', 'b'].map(side => row[at[`${column}_${side}`]] * (unit === 'us' && column !== 'calls' ? 1000 : 1));
    const picture = (words, changes) => element('a', { className: 'button place', href: linkTo(flame, changes).href, textContent: words });
    return [
        element('h2', { className: 'method', textContent: name }),
        element('p', { className: 'quiet', textContent: [row[at.signature], row[at.module], row[at.origin], row[at.paired] ? 'paired by a rule' : ''].filter(Boolean).join(' \u00b7 ') }),
        sidesTable({ unit: unit === 'us' ? 'ns' : unit, total: pair(`${value}_incl`), self: pair(`${value}_excl`), calls: row[at.calls_a] === null ? null : pair('calls') }),
        element('p', { className: 'buttons' }, picture('Callers & callees', { set: { view: 'sandwich', method: name + row[at.signature] } }),
                picture('Focus', { add: { focus: exactly(name) } }), copyButton('Copy name', name)),
    ];
}

/* `flame` is the address of the tab of the picture, in its present state. Beside a picture, which names the method itself and
 * filters by it, only what it does not tell. */
export function methodPanel(method, flame, isBesidePicture = false) {
    const { values } = method, name = nameOf(method), hasCalls = method.calls !== undefined;
    const calls = hasCalls ? method.calls - method.recursive : 0;
    const place = end => new URL(`${flame.replace(/\/t\/[^/]*$/, '')}/${end}`);
    const track = new URL(flame).pathname.replace(/^.*\//, '');

    function methodLink(other) {
        if (other.id === undefined)
            return '(toplevel)';
        const url = place(`m/${other.id}`);
        url.search = new URL(flame).search;
        ['view', 'method'].forEach(key => url.searchParams.delete(key));
        url.searchParams.set('track', track);
        return element('a', { className: 'place', href: url.href, title: nameOf(other) + other.signature }, other.method,
                       element('span', { className: 'quiet', textContent: ` ${other.class.replace(/^.*\./, '')}` }));
    }
    function edges(heading, key) {
        const first = values[0], list = method[key], all = method.edges[key];
        return list.length === 0 ? [] : [
            element('h3', { textContent: all > LISTED_MAX ? `${heading}, ${LISTED_MAX} of ${all.toLocaleString('en')}` : heading }),
            element('table', { className: 'edges' }, element('tbody', {}, ...list.slice(0, LISTED_MAX).map(edge => element('tr', {},
                element('th', { scope: 'row' }, methodLink(edge)),
                ...first === undefined ? [] : [element('td', { textContent: amount(first.unit, edge[first.name]) }),
                                               element('td', { textContent: percent(edge[first.name], first.incl) })],
                element('td', { textContent: edge.calls === undefined ? '' : `${edge.calls}/${edge.of_calls}` })))))];
    }
    const filterLink = (words, key, pattern) => {
        const url = new URL(location.href);
        url.searchParams.append(key, pattern);
        return element('a', { className: 'button place', href: url.href, textContent: words });
    };
    const packageName = method.class.replace(/(^|\.)[^.]*$/, '');
    const sandwich = linkTo(flame, { set: { view: 'sandwich', method: name } });
    const page = methodLink(method);
    page.textContent = `${hasCalls ? 'Call durations, b' : 'B'}y ${method.tracks_are}`;
    page.className = 'button place';
    const actions = element('p', { className: 'buttons' }, page);
    if (!isBesidePicture) {
        actions.prepend(element('a', { className: 'button place', href: sandwich.href, textContent: 'Callers & callees' }));
        actions.append(copyButton('Copy name', name));
    }
    return [
        isBesidePicture ? element('h3', { textContent: 'The method, on all of its stacks' }) : element('h2', { className: 'method', textContent: name }),
        element('p', { className: 'quiet', textContent: [isBesidePicture ? '' : method.signature, method.file, method.module, method.origin].filter(Boolean).join(' \u00b7 ') }),
        ...method.note === undefined ? [] : [element('p', { className: 'note', textContent: method.note })],
        tableOf(values.map(value => value.name), [
            ['total', ...values.map(value => amount(value.unit, value.incl))],
            ['self', ...values.map(value => amount(value.unit, value.excl))],
            ['of all', ...values.map(value => percent(value.incl, value.grown ?? value.total))],
            ...samplesRow(values.map(({ name: value, incl }) => ({ name: value, n: incl })), method.sampled_bytes),
            ...calls > 0 ? [['mean', ...values.map(value => amount(value.unit, value.incl / calls))]] : [],
        ]),
        ...hasCalls ? [element('p', { textContent: `${method.calls.toLocaleString('en')} ${method.calls === 1 ? 'call' : 'calls'}, ${method.recursive.toLocaleString('en')} recursive` })] : [],
        actions,
        ...isBesidePicture ? [] : [element('p', { className: 'buttons' }, filterLink('Focus', 'focus', exactly(name)), filterLink('Ignore', 'ignore', exactly(name)),
                filterLink('Hide', 'hide', exactly(name)), ...packageName === '' ? [] : [filterLink('Hide package', 'hide', 'package:' + exactly(packageName))])],
        ...edges('Callers', 'parents'), ...edges('Callees', 'children'),
    ];
}
