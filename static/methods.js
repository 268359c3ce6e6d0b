/* The tab of methods with scripts: all rows of the profile table, of which only those in sight are elements. A row opens its
 * callers and callees; the one that was opened last is the method that is chosen. */
import { element } from './dom.js';
import { methodName, rowsInOrder } from './methods-rules.js';
import { amount, percent } from './units.js';

const ROW_PX = 24, BEYOND = 12, NAME_REM = 18, COLUMN_REM = 4.5;     /* as app.css has them */
const PARTS = [['parents', 'Caller'], ['children', 'Callee'], ['recursive_parents', 'Caller while recursive'],
               ['recursive_children', 'Callee while recursive']];

const fetchJson = async url => {
    const answer = await fetch(url, { headers: { Accept: 'application/json' } });
    if (!answer.ok)
        throw new Error(`${answer.status} ${answer.statusText}`);
    return answer.json();
};

/* `box` is #methods, with the service's table in it; `told(method)` is called with the JSON of a method that was opened. */
export async function startMethods(box, filter, told) {
    const data = await fetchJson(box.dataset.json);
    const at = Object.fromEntries(data.columns.map((name, i) => [name, i]));
    const columns = columnsOf(data, at);
    const names = data.rows.map(row => methodName(row, at, data.group));
    const opened = new Map();     /* by row: the JSON of its method */
    let sort = { at: at[data.sort], reversed: data.reversed }, lines = [], focused = -1;

    const head = element('tr'), body = element('tbody'), above = element('tr'), below = element('tr');
    const table = element('table', { className: 'virtual' }, element('thead', {}, head), body);
    table.style.minWidth = `${NAME_REM + columns.length * COLUMN_REM}rem`;
    for (const spacer of [above, below]) {
        spacer.append(element('td', { colSpan: columns.length + 1 }));
        spacer.setAttribute('aria-hidden', 'true');
    }

    /* ---- which rows ---- */

    function arrange() {
        const kept = rowsInOrder(data.rows, sort, names, filter.value);
        lines = [];
        for (const i of kept) {
            lines.push({ i });
            for (const [key, words] of opened.has(i) ? PARTS : [])
                for (const edge of opened.get(i)[key] ?? [])
                    lines.push({ i, edge, words });
        }
        table.setAttribute('aria-rowcount', lines.length + 1);
        focused = Math.min(focused, lines.length - 1);
        draw();
    }

    /* ---- cells ---- */

    const cell = (words, share) => element('td', { textContent: words, title: share ?? '' });

    function rowOf({ i }) {
        const row = data.rows[i], { short, rest, full } = names[i];
        const name = element('button', { type: 'button', className: 'row-name', title: full }, short,
                             element('span', { className: 'quiet', textContent: rest === '' ? '' : ' ' + rest }));
        if (data.group === 'method')
            name.setAttribute('aria-expanded', opened.has(i));
        const first = element('th', { scope: 'row' }, name);
        return [first, ...columns.map(({ words }) => cell(words(row)))];
    }

    function edgeOf({ i, edge, words }) {
        const text = edge.id === undefined ? '(toplevel)' : `${edge.class === '' ? '' : edge.class + '.'}${edge.method}`;
        const name = element('button', { type: 'button', className: 'row-name edge', title: text + (edge.signature ?? '') },
                             element('span', { className: 'quiet', textContent: words + ' ' }), text.replace(/^.*\.(?=[^.]+\.[^.]+$)/, ''));
        return [element('th', { scope: 'row' }, name), ...columns.map(one => cell(one.ofEdge(edge, data.rows[i])))];
    }

    function draw() {
        const top = Math.max(0, Math.floor(box.scrollTop / ROW_PX) - BEYOND);
        const end = Math.min(lines.length, Math.ceil((box.scrollTop + box.clientHeight) / ROW_PX) + BEYOND);
        const hadFocus = body.contains(document.activeElement);
        above.style.height = `${top * ROW_PX}px`;
        below.style.height = `${(lines.length - end) * ROW_PX}px`;
        body.replaceChildren(above, ...lines.slice(top, end).map((line, n) => {
            const made = element('tr', { className: line.edge ? line.words.toLowerCase().replace(/ .*/, '') : '' },
                                 ...(line.edge ? edgeOf(line) : rowOf(line)));
            made.setAttribute('aria-rowindex', top + n + 2);
            made.dataset.line = top + n;
            return made;
        }), below);
        if (hadFocus)
            focusLine(focused);
    }

    /* ---- headings ---- */

    function drawHead() {
        head.replaceChildren(...[{ label: data.group === 'method' ? 'Method' : 'Name', sortAt: at[data.columns.find(name => /^(class|name|package|origin)$/.test(name))] },
                                 ...columns].map(({ label, sortAt }) => {
            const th = element('th', { scope: 'col' });
            if (sortAt === undefined) {
                th.textContent = label;
                return th;
            }
            const button = element('button', { type: 'button', textContent: label });
            button.addEventListener('click', () => {
                sort = { at: sortAt, reversed: sort.at === sortAt && !sort.reversed };
                const url = new URL(location.href);
                url.searchParams.set('sort', (sort.reversed ? '-' : '') + data.columns[sortAt]);
                history.replaceState(null, '', url);
                drawHead();
                box.scrollTop = 0;
                arrange();
                head.children[[undefined, ...columns].findIndex(one => one?.sortAt === sortAt) || 0]?.querySelector('button').focus();
            });
            if (sort.at === sortAt)
                th.setAttribute('aria-sort', (typeof data.rows[0]?.[sortAt] === 'string') === sort.reversed ? 'descending' : 'ascending');
            th.append(button);
            return th;
        }));
    }

    /* ---- what is done with a row ---- */

    async function open(n) {
        const { i, edge } = lines[n];
        if (edge !== undefined)
            return edge.id === undefined ? undefined : jump(edge.id);
        if (data.group !== 'method')
            return undefined;
        if (opened.delete(i))
            return arrange();
        const method = await fetchJson(methodUrl(data.rows[i][at.id]));
        opened.set(i, method);
        told(method);
        return arrange();
    }

    /* To the row of a caller or callee, which is chosen then. */
    async function jump(id) {
        const i = data.rows.findIndex(row => row[at.id] === id);
        if (i < 0)
            return;
        let n = lines.findIndex(line => line.i === i && line.edge === undefined);
        if (n < 0) {     /* the filter hides it */
            filter.value = '';
            arrange();
            n = lines.findIndex(line => line.i === i && line.edge === undefined);
        }
        told(await fetchJson(methodUrl(id)));
        focusLine(n);
    }

    function methodUrl(id) {
        const url = new URL(box.dataset.json);
        url.pathname = url.pathname.replace(/methods\.json$/, `m/${id}.json`);
        for (const key of ['group', 'sort', 'grep', 'limit', 'offset'])
            url.searchParams.delete(key);
        return url;
    }

    function focusLine(n) {
        if (n < 0 || n >= lines.length)
            return;
        focused = n;
        const top = n * ROW_PX, headPx = head.offsetHeight;
        if (top < box.scrollTop)
            box.scrollTop = top;
        else if (top + ROW_PX + headPx > box.scrollTop + box.clientHeight)
            box.scrollTop = top + ROW_PX + headPx - box.clientHeight;
        let row = body.querySelector(`[data-line="${n}"]`);
        if (row === null) {
            draw();
            row = body.querySelector(`[data-line="${n}"]`);
        }
        row?.querySelector('button').focus({ preventScroll: true });
    }

    const lineOf = target => Number(target.closest('[data-line]')?.dataset.line ?? -1);
    body.addEventListener('click', ({ target }) => {
        const n = lineOf(target);
        if (n < 0)
            return;
        focused = n;
        open(n).then(() => focusLine(focused));
    });
    body.addEventListener('keydown', event => {
        const n = lineOf(event.target), page = Math.floor(box.clientHeight / ROW_PX) - 1;
        const to = { ArrowDown: n + 1, ArrowUp: n - 1, PageDown: n + page, PageUp: n - page, Home: 0, End: lines.length - 1 }[event.key];
        if (to === undefined || n < 0)
            return;
        event.preventDefault();
        focusLine(Math.min(Math.max(to, 0), lines.length - 1));
    });
    body.addEventListener('focusin', ({ target }) => { focused = lineOf(target); });
    box.addEventListener('scroll', () => requestAnimationFrame(draw), { passive: true });
    new ResizeObserver(draw).observe(box);
    filter.addEventListener('input', () => {
        box.scrollTop = 0;
        arrange();
    });
    box.removeAttribute('tabindex');
    box.replaceChildren(table);
    drawHead();
    arrange();
    box.dataset.state = 'ready';
}

/* What is shown of each value: the first with its share of all, the others by themselves. */
function columnsOf({ values, columns, sort, group }, at) {
    const chosen = values.find(({ name }) => sort.startsWith(name + '_')) ?? values[0];
    const others = values.filter(value => value !== chosen);
    const shown = (end, value) => ({
        label: `${end === 'incl' ? 'Incl.' : 'Excl.'} ${value.name}`, sortAt: at[`${value.name}_${end}`],
        words: row => amount(value.unit, row[at[`${value.name}_${end}`]]),
        ofEdge: edge => (end === 'incl' ? amount(value.unit, edge[value.name]) : ''),
    });
    const share = (end, value) => ({
        label: '%', words: row => percent(row[at[`${value.name}_${end}`]], value.total),
        ofEdge: (edge, row) => (end === 'incl' ? percent(edge[value.name], row[at[`${value.name}_incl`]]) : ''),
    });
    const isCounted = columns.includes('calls');
    return [
        ...(chosen === undefined ? [] : [shown('incl', chosen), share('incl', chosen), shown('excl', chosen), share('excl', chosen)]),
        ...(isCounted ? [{
            label: 'Calls', sortAt: at.calls, words: row => count(row[at.calls]) + (row[at.recursive] > 0 ? ` + ${count(row[at.recursive])} rec.` : ''),
            ofEdge: edge => (edge.calls === undefined ? '' : `${count(edge.calls)}/${count(edge.of_calls)}`),
        }] : []),
        ...(isCounted && chosen !== undefined && group === 'method' ? [{
            label: 'Mean', words: row => (row[at.calls] > row[at.recursive] ? amount(chosen.unit, row[at[`${chosen.name}_incl`]] / (row[at.calls] - row[at.recursive])) : ''),
            ofEdge: () => '',
        }] : []),
        ...(chosen !== undefined && columns.includes(`${chosen.name}_longest`) ? [{
            label: 'Longest', sortAt: at[`${chosen.name}_longest`], words: row => amount(chosen.unit, row[at[`${chosen.name}_longest`]]), ofEdge: () => '',
        }] : []),
        ...others.flatMap(value => [shown('incl', value), shown('excl', value)]),
    ];
}

const count = n => (n === null || n === undefined ? '' : n.toLocaleString('en'));
