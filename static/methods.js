/* The tab of methods with scripts: all rows of the profile table, of which only those in sight are elements. A row opens its
 * callers and callees; the one that was opened last is the method that is chosen. */
import { element } from './dom.js';
import { addChanges, columnsOf, columnsOfChanges, leastRem } from './methods-columns.js';
import { fetchJson } from './method-panel.js';
import { methodName, rowsInOrder } from './methods-rules.js';
import { amount } from './units.js';

const ROW_PX = 24, BEYOND = 6;     /* as panes.css has them */
const EDGES_FIRST = 100;            /* of a row's callers, and of its callees, until more are wanted: main loops have thousands */
const PARTS = [['parents', 'Caller'], ['children', 'Callee'], ['recursive_parents', 'Caller while recursive'],
               ['recursive_children', 'Callee while recursive']];

/* `box` is #methods, with the service's text in it; `told(method)` is called with the JSON of the method that was opened last;
 * of a comparison told(row, data, at) with the row that was chosen: the columns of the data are in `at` by name.
 * `moved(url)` is called with the address that the page has from now on. */
export async function startMethods(box, filter, told, moved) {
    const data = await fetchJson(box.dataset.json);
    if (!box.isConnected)     /* the page has gone on */
        return;
    if (data.emptied_by === undefined)
        new MethodTable(box, filter, told, moved, data).start();
    else
        sayEmptied(box, data.emptied_by);
    if (data.format === 'aflamed-methods')
        document.getElementById('whole').textContent = wholeWords(data, new URL(box.dataset.json).searchParams.get('value'), box.dataset.kinds);
}

/* Which filter left nothing, with the way out: its chip has both. */
function sayEmptied(box, step) {
    const chip = document.querySelectorAll('#filters .chips:not(#range) .chip')[step];
    box.replaceChildren(element('p', { id: 'emptied', className: 'problem' }, 'The filters leave nothing: behind ',
        element('strong', { textContent: chip?.firstElementChild.textContent ?? '' }), ' no method is left. ',
        element('a', { className: 'place', href: chip?.lastElementChild.href ?? '', textContent: 'Remove this filter' })));
}

/* What 100 % of the value is, which is the first one unless the address names one. `kinds`: of which tracks, where not all have it. */
function wholeWords({ values }, name, kinds) {
    const value = values.find(one => one.name === name) ?? values[0];
    if (value === undefined)
        return '';
    const { unit, label, total, before, grown, shrunk } = value;
    const less = grown === undefined ? '' : ` that was added; ${amount(unit, shrunk)} less elsewhere makes ${amount(unit, total)} in all`;
    return `100 % = ${amount(unit, grown ?? total)} ${label}${kinds === undefined ? '' : ` ${kinds}`}${less}${before > total ? `; filters took out ${amount(unit, before - total)}` : ''}`;
}

const quiet = textContent => element('span', { className: 'quiet', textContent });

export class MethodTable {
    constructor(box, filter, told, moved, data) {
        const compares = data.format === 'aflamed-diff';
        if (compares)
            addChanges(data);
        const at = Object.fromEntries(data.columns.map((name, i) => [name, i]));
        Object.assign(this, { box, filter, told, moved, data, at, compares, columns: (compares ? columnsOfChanges : columnsOf)(data, at), isOfMethods: data.group === 'method',
            names: data.rows.map(row => methodName(row, at, data.group)),
            opened: new Map(),     /* by row: the JSON of its method */
            sort: { at: at[data.sort], reversed: data.reversed },
            lines: [],             /* what is shown: {i: row}, {i, edge, words}, or {i, words, left: how many more} */
            focused: -1, turn: 0,
            head: element('tr'), body: element('tbody'), above: element('tr'), below: element('tr') });
    }

    start() {
        const { box, filter, head, body, above, below, columns } = this;
        this.table = element('table', { className: 'virtual' }, element('thead', {}, head), body);
        this.table.style.minWidth = `${leastRem(columns)}rem`;
        for (const spacer of [above, below]) {
            spacer.append(element('td', { colSpan: columns.length + 1 }));
            spacer.setAttribute('aria-hidden', 'true');
        }
        body.addEventListener('click', event => this.onClick(event));
        body.addEventListener('keydown', event => this.onKey(event));
        body.addEventListener('focusin', ({ target }) => { this.focused = lineOf(target); });
        box.addEventListener('scroll', () => requestAnimationFrame(() => this.draw()), { passive: true });
        new ResizeObserver(() => box.clientHeight === this.drawnPx || this.draw()).observe(box);     /* is told of the first size, too */
        filter.addEventListener('input', () => {
            box.scrollTop = 0;
            this.arrange();
        });
        box.removeAttribute('tabindex');
        box.replaceChildren(this.table);
        this.drawHead();
        this.arrange();
        box.dataset.state = 'ready';
    }

    /* ---- which rows ---- */

    /* Those that the filter leaves, in their order. */
    arrange() {
        const { data, sort, names, filter } = this;
        this.order = rowsInOrder(data.rows, sort, names, filter.value);
        this.unfold();
    }

    unfold() {
        const { order, opened } = this;
        this.lines = order.flatMap(i => (opened.has(i) ? [{ i }, ...this.edgeLines(i, opened.get(i))] : { i }));
        this.table.setAttribute('aria-rowcount', this.lines.length + 1);
        this.focused = Math.min(this.focused, this.lines.length - 1);
        this.draw();
    }

    edgeLines(i, method) {
        return PARTS.flatMap(([key, words]) => {
            const left = method.edges[key] - method[key].length;
            return [...method[key].map(edge => ({ i, edge, words })), ...left > 0 ? [{ i, words, left }] : []];
        });
    }

    lineOfRow(i) { return this.lines.findIndex(line => line.i === i && line.words === undefined); }

    /* ---- cells ---- */

    rowOf({ i }) {
        const row = this.data.rows[i], { short, rest, full } = this.names[i];
        const name = element('button', { type: 'button', className: 'row-name', title: full }, short, quiet(rest === '' ? '' : ' ' + rest));
        if (this.isOfMethods)
            name.setAttribute('aria-expanded', this.opened.has(i));
        return [element('th', { scope: 'row' }, name), ...this.columns.map(({ words }) => element('td', { textContent: words(row) }))];
    }

    edgeOf({ i, edge, words }) {
        const text = edge.id === undefined ? '(toplevel)' : `${edge.class === '' ? '' : edge.class + '.'}${edge.method}`;
        const name = element('button', { type: 'button', className: 'row-name edge', title: text + (edge.signature ?? '') },
                             quiet(words + ' '), text.replace(/^.*\.(?=[^.]+\.[^.]+$)/, ''));
        return [element('th', { scope: 'row' }, name),
                ...this.columns.map(({ ofEdge }) => element('td', { textContent: ofEdge(edge, this.data.rows[i]) }))];
    }

    /* The rest, which a click brings. */
    leftOf({ words, left }) {
        const name = element('button', { type: 'button', className: 'row-name edge', title: 'Show all' }, quiet(words + ' '), `${left.toLocaleString('en')} more`);
        return [element('th', { scope: 'row' }, name), ...this.columns.map(() => element('td'))];
    }

    draw() {
        const { box, lines, body, above, below } = this;
        const px = this.drawnPx = box.clientHeight, top = Math.max(0, Math.floor(box.scrollTop / ROW_PX) - BEYOND);
        const end = Math.min(lines.length, Math.ceil((box.scrollTop + px) / ROW_PX) + BEYOND);
        const hadFocus = body.contains(document.activeElement);
        above.style.height = `${top * ROW_PX}px`;
        below.style.height = `${(lines.length - end) * ROW_PX}px`;
        body.replaceChildren(above, ...lines.slice(top, end).map((line, n) => {
            const made = element('tr', { className: line.words?.toLowerCase().replace(/ .*/, '') ?? '' },
                                 ...line.edge ? this.edgeOf(line) : line.left ? this.leftOf(line) : this.rowOf(line));
            made.setAttribute('aria-rowindex', top + n + 2);
            made.dataset.line = top + n;
            return made;
        }), below);
        if (hadFocus)
            this.focusLine(this.focused);
    }

    /* ---- headings ---- */

    drawHead() {
        const { data, at, columns, head } = this;
        const named = data.columns.find(name => /^(class|name|package|origin)$/.test(name));
        head.replaceChildren(this.headOf({ label: this.isOfMethods ? 'Method' : 'Name', sortAt: at[named] }),
                             ...columns.map(column => this.headOf(column)));
    }

    headOf({ label, sortAt, rem }) {
        const { data, sort } = this, th = element('th', { scope: 'col' });
        if (rem !== undefined)
            th.style.width = `${rem}rem`;
        if (sortAt === undefined) {
            th.textContent = label;
            return th;
        }
        const button = element('button', { type: 'button', textContent: label });
        button.addEventListener('click', () => this.sortBy(sortAt));
        if (sort.at === sortAt)
            th.setAttribute('aria-sort', (typeof data.rows[0]?.[sortAt] === 'string') === sort.reversed ? 'descending' : 'ascending');
        th.append(button);
        return th;
    }

    sortBy(sortAt) {
        const { data, sort, columns, head, box } = this, url = new URL(location.href);
        this.sort = { at: sortAt, reversed: sort.at === sortAt && !sort.reversed };
        url.searchParams.set('sort', (this.sort.reversed ? '-' : '') + data.columns[sortAt]);
        this.moved(url);
        this.drawHead();
        box.scrollTop = 0;
        this.arrange();
        head.children[1 + columns.findIndex(one => one.sortAt === sortAt)].querySelector('button').focus();
    }

    /* ---- what is done with a row ---- */

    async open(n) {
        const { opened } = this, { i, edge, left } = this.lines[n], id = this.data.rows[i][this.at.id];
        if (edge !== undefined)
            return edge.id === undefined ? undefined : this.jump(edge.id);
        if (!this.isOfMethods)
            return undefined;
        const turn = ++this.turn;
        if (left === undefined && opened.delete(i))
            return this.unfold();
        const method = await this.methodOf(id, left === undefined ? EDGES_FIRST : undefined);
        if (method === null)
            return undefined;
        opened.set(i, method);
        this.unfold();     /* before the panel changes: it measures what is laid out */
        return left === undefined ? this.tell(i, method, turn) : undefined;
    }

    /* To the row of a caller or callee, which is chosen then. */
    async jump(id) {
        const i = this.data.rows.findIndex(row => row[this.at.id] === id), turn = ++this.turn;
        if (i < 0)     /* of a comparison: what does not differ, or does otherwise than was asked for */
            return this.compares ? location.assign(this.pageUrl(id)) : undefined;
        if (this.lineOfRow(i) < 0) {     /* the filter hides it */
            this.filter.value = '';
            this.arrange();
        }
        this.focusLine(this.lineOfRow(i));
        const method = this.compares ? undefined : await this.methodOf(id, EDGES_FIRST);
        return method === null ? undefined : this.tell(i, method, turn);
    }

    /* Of answers the last one counts that was asked for, as long as the page shows the table. */
    tell(i, method, turn) {
        if (turn === this.turn && this.box.isConnected)
            this.compares ? this.told(this.data.rows[i], this.data, this.at) : this.told(method);
    }

    /* With so many callers and so many callees at most; without a number all. Null: it cannot be had, which is said. */
    async methodOf(id, edges) {
        try {
            return await fetchJson(this.methodUrl(id, edges));
        } catch ({ message }) {
            this.box.dispatchEvent(new CustomEvent('flame-said', { bubbles: true, detail: `The method could not be fetched: ${message}` }));
            return null;
        }
    }

    methodUrl(id, edges) {
        const url = new URL(this.box.dataset.json);
        url.pathname = url.pathname.replace(/methods\.json$/, `m/${id}.json`);
        for (const key of ['group', 'sort', 'grep', 'limit', 'offset'])
            url.searchParams.delete(key);
        if (edges !== undefined)
            url.searchParams.set('limit', edges);
        return url;
    }

    pageUrl(id) {
        const url = this.methodUrl(id);
        url.pathname = url.pathname.replace(/\.json$/, '');
        return url;
    }

    /* ---- the row that has the focus ---- */

    focusLine(n) {
        const { box, body, head, lines } = this, rowAt = () => body.querySelector(`[data-line="${n}"]`);
        if (n < 0 || n >= lines.length)
            return;
        this.focused = n;
        const top = n * ROW_PX, headPx = head.offsetHeight;
        if (top < box.scrollTop)
            box.scrollTop = top;
        else if (top + ROW_PX + headPx > box.scrollTop + box.clientHeight)
            box.scrollTop = top + ROW_PX + headPx - box.clientHeight;
        if (rowAt() === null)
            this.draw();
        rowAt()?.querySelector('button').focus({ preventScroll: true });
    }

    onClick({ target }) {
        const n = lineOf(target);
        if (n < 0)
            return;
        this.focusLine(n);
        this.open(n);
    }

    onKey(event) {
        const n = lineOf(event.target), page = Math.floor(this.box.clientHeight / ROW_PX) - 1, last = this.lines.length - 1;
        const to = { ArrowDown: n + 1, ArrowUp: n - 1, PageDown: n + page, PageUp: n - page, Home: 0, End: last }[event.key];
        if (to === undefined || n < 0)
            return;
        event.preventDefault();
        this.focusLine(Math.min(Math.max(to, 0), last));
    }
}

const lineOf = target => Number(target.closest('[data-line]')?.dataset.line ?? -1);
