/* The page of one method with scripts: what it cost, who calls it, what it calls, on which threads, and how long its calls were,
 * from the JSON that the service has of it (render/method/method_formats.c), in place of the service's text. */
import { element } from './dom.js';
import { exactly, fetchJson, linkTo, nameOf, tableOf } from './method-panel.js';
import { amount, changeOf, percent, signed } from './units.js';

const EDGES = [['parents', 'Callers'], ['children', 'Callees'], ['recursive_parents', 'Callers while recursive'],
               ['recursive_children', 'Callees while recursive']];
const FIGURES = [['min_ns', 'shortest'], ['median_ns', 'median'], ['p95_ns', '95 % within'], ['p99_ns', '99 % within'],
                 ['max_ns', 'longest'], ['mean_ns', 'mean']];

const ofNs = ns => amount('us', ns / 1000);
const count = n => n.toLocaleString('en');
const link = (url, words, className = 'place') => element('a', { className, href: url.href, textContent: words });

/* The cells of each value with its share; of a comparison those of both sides and what changed. */
function columnsOf({ values }, compares) {
    if (!compares)
        return { heads: values.flatMap(({ name }) => [name, '%']), callHeads: ['Calls'],
                 sides: (pick, whole) => values.flatMap(value => [amount(value.unit, pick(value)), percent(pick(value), whole(value))]),
                 calls: ({ calls, of_calls: all }) => (calls === undefined ? [] : [all === undefined ? count(calls) : `${count(calls)}/${count(all)}`]) };
    const heads = words => [`${words} A`, `${words} B`, 'Change', '%'];
    const cells = (pick, [a, b]) => (a === undefined ? [] :
        [amount(a.unit, pick(a) ?? 0), amount(a.unit, pick(b) ?? 0), signed(a.unit, pick(a) ?? 0, pick(b) ?? 0), changeOf(pick(a) ?? 0, pick(b) ?? 0)]);
    const ofCalls = values.slice(3);     /* profile/transform/transform.h: A, B, the larger; calls of A, of B */
    return { heads: heads('In'), callHeads: ofCalls.length > 0 ? heads('Calls in') : [], sides: pick => cells(pick, values),
             calls: edge => cells(({ name }) => edge[name], ofCalls), ownCalls: () => cells(({ excl }) => excl, ofCalls) };
}

class MethodPage {
    constructor(box, method, { flame, compares }) {
        Object.assign(this, { box, method, compares, flame, columns: columnsOf(method, compares) });
    }

    /* ---- links ---- */

    place(end, changes = {}) {
        const url = new URL(this.box.dataset.json);
        url.pathname = url.pathname.replace(/\/m\/[^/]*$/, `/${end}`);
        for (const [key, text] of Object.entries({ limit: null, longest: null, ...changes }))
            text === null ? url.searchParams.delete(key) : url.searchParams.set(key, text);
        return url;
    }

    methodLink(other, words) {
        return other.id === undefined ? '(toplevel)' :
            Object.assign(link(this.place(`m/${other.id}`), words ?? nameOf(other)), { title: nameOf(other) + (other.signature ?? '') });
    }

    buttons() {
        const { method, flame } = this, name = nameOf(method), scope = method.class.replace(/(^|\.)[^.]*$/, '');
        const picture = changes => link(linkTo(flame, changes), changes.words, 'button place');
        return element('p', { className: 'buttons' },
            picture({ words: 'Callers and callees as a picture', set: { view: 'sandwich', method: name } }),
            ...[['Focus', 'focus'], ['Ignore', 'ignore'], ['Hide', 'hide']].map(([words, key]) => picture({ words, add: { [key]: exactly(name) } })),
            ...scope === '' ? [] : [picture({ words: 'Hide package', add: { hide: 'package:' + exactly(scope) } })]);
    }

    /* ---- tables ---- */

    sums() {
        const { method, columns } = this, whole = value => value.grown ?? value.total;
        return tableOf(columns.heads, [
            ['total', ...columns.sides(({ incl }) => incl, whole)], ['self', ...columns.sides(({ excl }) => excl, whole)],
            ...this.compares && columns.callHeads.length > 0 ? [['calls', ...columns.ownCalls()]] : []],
        `Of the chosen ${method.tracks_are === 'process' ? 'processes' : method.tracks_are + 's'}`);
    }

    edges([key, caption]) {
        const { method, columns } = this, list = method[key], all = method.edges[key];
        if (list.length === 0)
            return [];
        const rows = list.map(edge => [this.methodLink(edge), ...columns.sides(({ name }) => edge[name], ({ incl }) => incl), ...columns.calls(edge)]);
        const made = [tableOf([...columns.heads, ...method.calls === undefined && !this.compares ? [] : columns.callHeads], rows, caption)];
        return all <= list.length ? made : [...made, element('p', {}, `${count(list.length)} of ${count(all)}, the heaviest first. `,
                                                             link(this.place(`m/${method.id}`, { limit: all }), 'All'))];
    }

    threads() {
        const { method, columns, compares } = this;
        return method.threads.length === 0 ? [] : [tableOf([...columns.heads, ...method.calls === undefined || compares ? [] : columns.callHeads],
            method.threads.map(thread => [thread.name || '(no name)', ...columns.sides(({ name }) => thread[`${name}_incl`] ?? 0, ({ name }) => thread[`${name}_total`]),
                                          ...compares ? [] : columns.calls(thread)]),
            compares ? `By ${method.tracks_are}` : `By ${method.tracks_are}, with its share of each`)];
    }

    overloads() {
        const { overloads } = this.method;
        return overloads.length === 0 ? [] : [element('p', {}, 'Other signatures: ',
            ...overloads.flatMap((other, i) => [...i > 0 ? [', '] : [], this.methodLink({ ...other, class: this.method.class, method: this.method.method }, other.signature)]))];
    }

    draw() {
        const { box, method } = this, { calls, recursive } = method;
        this.durations = element('div', { id: 'durations' });
        box.replaceChildren(
            element('h2', { className: 'method', textContent: nameOf(method) }),
            element('p', { className: 'quiet', textContent: [method.signature, method.file, method.module, method.origin].filter(Boolean).join(' ') }),
            ...method.note === undefined ? [] : [element('p', { className: 'note', textContent: method.note })],
            this.buttons(), this.sums(),
            ...calls === undefined || this.compares ? [] : [element('p', { textContent: `${count(calls)} ${calls === 1 ? 'call' : 'calls'}, of which ${count(recursive)} recursive` })],
            this.durations);
    }

    /* What stands below the durations comes behind them: nothing moves that can be read or clicked already. */
    drawRest() {
        this.box.append(...this.overloads(), ...EDGES.flatMap(part => this.edges(part)), ...this.threads());
        this.box.dataset.state = 'ready';
    }

    /* ---- how long its calls were: this takes a second reading of the file ---- */

    async loadDurations() {
        const { method, compares, durations } = this;
        if (compares || method.calls === undefined)
            return;
        durations.replaceChildren(element('p', { className: 'quiet', role: 'status', textContent: 'Measuring how long its calls were \u2026' }));
        const { calls, clocks } = (await fetchJson(this.place(`m/${method.id}.json`, { longest: 1, limit: 0 }))).durations ?? { clocks: [] };
        durations.replaceChildren();
        if (clocks.length === 0)
            return;
        const [first] = clocks;
        const words = calls === 1 ? `1 call, which took ${ofNs(first.max_ns)}` :
            `${count(calls)} calls, which took from ${ofNs(first.min_ns)} to ${ofNs(first.max_ns)}, half of them no more than ${ofNs(first.median_ns)}`;
        durations.append(
            element('p', { textContent: `${words}. Calls within others of the same method are not counted.` }),
            element('div', { className: 'side-by-side' },
                tableOf(clocks.map(({ name }) => name), FIGURES.map(([key, figure]) => [figure, ...clocks.map(clock => ofNs(clock[key]))]), 'Call durations'),
                ...clocks.map(clock => this.histogram(clock)), ...clocks.map(clock => this.longest(clocks, clock))));
    }

    histogram({ name, bars }) {
        const max = Math.max(1, ...bars.map(({ calls }) => calls));
        const made = tableOf(null, bars.map(bar => [`${ofNs(bar.from_ns)} to ${ofNs(bar.to_ns)}`, element('meter', { min: 0, max, value: bar.calls }), count(bar.calls)]),
                             `Calls by their ${name} time`);
        made.className = 'bars';
        return made;
    }

    longest(clocks, clock) {
        return tableOf([...clocks.map(({ name }) => name), 'Thread'], clock.longest.map(call => [
            this.chartLink(call, call[`${clocks[0].name}_ns`]), ...clocks.map(({ name }) => ofNs(call[`${name}_ns`])), call.thread]),
        `Longest calls by ${clock.name} time`, 'Begins at');
    }

    /* The chart of the call's thread, with a tenth of its length before and behind it. */
    chartLink({ track, begin_ns: begin }, durationNs) {
        const url = this.place(`t/${track}`), pad = durationNs / 10 + 1000;
        url.search = new URLSearchParams({ view: 'chart', from: Math.max(0, begin - pad) / 1000, to: (begin + durationNs + pad) / 1000 });
        return link(url, ofNs(begin));
    }
}

/* `box` is #method; `flame` is the address of the tab of the picture. The text stays where the JSON cannot be had. */
export async function startMethod(box, at) {
    const page = new MethodPage(box, await fetchJson(box.dataset.json), at);
    if (!box.isConnected)     /* the page has gone on */
        return;
    page.draw();
    await page.loadDurations().catch(() => page.durations.replaceChildren());
    page.drawRest();
}
