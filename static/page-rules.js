/* What the pages of a profile decide, apart from the document: no function here touches it. */

/* The delete token in the address, or '': a form's upload left it there, or it is the address that asks to delete. */
export function tokenOf(hash) {
    const found = /^#(?:token|delete)=([a-z2-7]{26})$/.exec(hash);
    return found === null ? '' : found[1];
}

export function asksToDelete(hash) {
    return hash.startsWith('#delete=') && tokenOf(hash) !== '';
}

/* Whether a thread is meant: all words of the text occur in its name, or the text is its id. */
export function meant(text, name, id) {
    const wanted = text.trim().toLowerCase();
    const within = name.toLowerCase();
    return wanted === id || wanted.split(/\s+/).every(word => within.includes(word));
}

/* The fragment with the pass that a link to a picture has, by which the picture fetches without a password. */
export function withPass(hash, pass) {
    return pass === undefined ? hash : `${hash || '#'}${hash.length > 1 ? '&' : ''}pass=${pass}`;
}

export function countWords(shown, all) {
    return shown === all ? '' : `${shown} of ${all}`;
}

/* The keys of filters. */
export const STEPS = ['focus', 'ignore', 'hide', 'show-from', 'recursion', 'preset'];

/* The query with these filters, which are a query themselves, in place of its own. */
export function withFilters(search, filters) {
    const query = new URLSearchParams(search);
    STEPS.forEach(key => query.delete(key));
    for (const [key, pattern] of new URLSearchParams(filters ?? ''))
        query.append(key, pattern);
    return query;
}

/* The query of a link to what is shown: that of a link to what was shown at first, with the options of the state. Those
 * that are as usual are left out. */
export function queryOf(search, state, usualValue) {
    const palette = state.palette === 'change' ? 'change' : 'origin';     /* of a comparison */
    const usual = { value: usualValue, view: 'flame', order: 'name', palette, names: 'short', method: '' };
    const query = withFilters(search, state.filters);
    for (const [key, word] of Object.entries(usual))
        if (state[key] === word || (key === 'method' && state.view !== 'sandwich'))
            query.delete(key);
        else
            query.set(key, state[key]);
    if (state.wide !== undefined)     /* of a comparison, see sidesOf */
        state.wide === 'b' ? query.delete('wide') : query.set('wide', state.wide);
    const text = query.toString();
    return text === '' ? '' : '?' + text;
}

/* The fragment that goes along: what is looked for, and `place` too if the link leads to the same tree. */
export function fragmentOf(state, place) {
    const hash = new URLSearchParams();
    for (const key of place ? ['zoom', 'selected', 'search', 'matchCase'] : ['search', 'matchCase'])
        if (state[key])
            hash.set(key, state[key]);
    const text = hash.toString();
    return text === '' ? '' : '#' + text;
}

/* Of a comparison's picture: `wall_larger` is the value wall, as wide as the larger side. */
export function sidesOf({ value, palette }) {
    const [, name, wide] = /^(.*)_(a|b|larger)$/s.exec(value);
    return { value: name, wide, palette: palette === 'origin' ? 'change' : palette };
}
