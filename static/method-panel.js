/* What the panel says of a method, from the JSON that the service has of it. */
import { element } from './dom.js';
import { amount, percent } from './units.js';

const LISTED_MAX = 12, SHOWN_MS = 3000;

const row = (words, cells) => element('tr', {}, element('th', { scope: 'row', textContent: words }),
                                      ...cells.map(text => element('td', { textContent: text })));

function table(head, rows) {
    return element('table', {}, element('thead', {}, element('tr', {}, element('td'),
        ...head.map(text => element('th', { scope: 'col', textContent: text })))), element('tbody', {}, ...rows));
}

function copyButton(words, text) {
    const button = element('button', { type: 'button', className: 'button', textContent: words });
    button.addEventListener('click', async () => {
        try {
            await navigator.clipboard.writeText(text);
            button.textContent = 'Copied';
        } catch {
            button.textContent = 'Not allowed here';     /* where the page is not served over TLS */
        }
        setTimeout(() => { button.textContent = words; }, SHOWN_MS);
    });
    return button;
}

const nameOf = ({ class: scope, method, id }) => (id === undefined ? '(toplevel)' : scope === '' ? method : `${scope}.${method}`);
const shortOf = other => nameOf(other).replace(/^.*\.(?=[^.]+\.[^.]+$)/, '');

/* The expression that matches this text and no other; filters take `;` for `:`. */
export const exactly = text => `/^${text.replace(/[$^\\.*+?()[\]{}|/]/g, '\\$&').replaceAll(';', ':')}$/`;

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
        return element('a', { className: 'place', href: url.href, textContent: shortOf(other), title: nameOf(other) + other.signature });
    }
    function edges(heading, list) {
        const first = values[0];
        return list.length === 0 ? [] : [
            element('h3', { textContent: heading }),
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
    const sandwich = new URL(flame);
    sandwich.hash = '';
    sandwich.searchParams.set('view', 'sandwich');
    sandwich.searchParams.set('method', name);
    const page = methodLink(method);
    page.textContent = 'Durations, threads';
    page.className = 'button place';
    const actions = element('p', { className: 'buttons' }, page, copyButton('Copy name', name));
    if (!isBesidePicture)
        actions.prepend(element('a', { className: 'button place', href: sandwich.href, textContent: 'Callers & callees' }));
    return [
        isBesidePicture ? element('h3', { textContent: 'The method, on all of its stacks' }) : element('h2', { className: 'method', textContent: name }),
        element('p', { className: 'quiet', textContent: [isBesidePicture ? '' : method.signature, method.file, method.module, method.origin].filter(Boolean).join(' \u00b7 ') }),
        table(values.map(value => value.name), [
            row('total', values.map(value => amount(value.unit, value.incl))),
            row('self', values.map(value => amount(value.unit, value.excl))),
            row('of all', values.map(value => percent(value.incl, value.total))),
            ...calls > 0 ? [row('mean', values.map(value => amount(value.unit, value.incl / calls)))] : [],
        ]),
        ...hasCalls ? [element('p', { textContent: `${method.calls.toLocaleString('en')} ${method.calls === 1 ? 'call' : 'calls'}, ${method.recursive.toLocaleString('en')} recursive` })] : [],
        actions,
        ...isBesidePicture ? [] : [element('p', { className: 'buttons' }, filterLink('Focus', 'focus', exactly(name)), filterLink('Ignore', 'ignore', exactly(name)),
                filterLink('Hide', 'hide', exactly(name)), ...packageName === '' ? [] : [filterLink('Hide package', 'hide', 'package:' + exactly(packageName))])],
        ...edges('Callers', method.parents), ...edges('Callees', method.children),
    ];
}
