/* What a link says of lanes, in its fragment: `lanes=FROM-TO` in \u00b5s (without it all of the recording), `lanes-open` and
 * `lanes-pinned` with ids of threads, `lanes-group` for each group that is unfolded. No function here touches the document. */

const LISTS = { 'lanes-open': 'open', 'lanes-pinned': 'pinned' }, GROUP = 'lanes-group', WINDOW = 'lanes';

/* The fragment with this view of lanes in place of its own; other keys stay. `window`: null or the whole: it is left out. */
export function withLanes(hash, { window, whole, open, pinned, unfolded }) {
    const all = new URLSearchParams(hash.slice(1)), isWhole = window === null || (window.from === whole.from && window.to === whole.to);
    [WINDOW, GROUP, ...Object.keys(LISTS)].forEach(key => all.delete(key));
    if (!isWhole)
        all.set(WINDOW, `${window.from / 1000}-${window.to / 1000}`);
    for (const [key, list] of [['lanes-open', open], ['lanes-pinned', pinned]])
        if (list.size > 0)
            all.set(key, [...list].join('-'));
    unfolded.forEach(group => all.append(GROUP, group));
    const text = all.toString();
    return text === '' ? '' : `#${text}`;
}

/* {window: null for all of the recording, open, pinned, unfolded}; what is no number is left out. */
export function lanesOf(hash) {
    const all = new URLSearchParams(hash.slice(1)), [from, to] = numbers(all.get(WINDOW)).map(us => us * 1000);
    return { window: to > from ? { from, to } : null, unfolded: new Set(all.getAll(GROUP)),
             ...Object.fromEntries(Object.entries(LISTS).map(([key, name]) => [name, new Set(numbers(all.get(key)))])) };
}

const numbers = text => (text ?? '').split('-').filter(word => /^\d+(\.\d+)?$/.test(word)).map(Number);

/* That part of the fragment alone, to compare. */
export function lanesPart(hash) {
    return withLanes('', { ...lanesOf(hash), whole: {} });
}
