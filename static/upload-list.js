/* The uploads that this browser knows, in localStorage under `aflamed.uploads`: a JSON list, newest first, of
 * {id, name, token, created, expires, format, size}, and mapping, the beginning of its digest, where one tells the names. The
 * token is what deletes the upload; `own` says that none is needed by who is logged in as its owner.
 *
 * Whatever is stored may be wrong, hostile, full or forbidden: entries are checked one by one, and every
 * function here says what happened instead of throwing. The pure ones take and give plain lists. */

export const KEY = 'aflamed.uploads';
const ENTRIES_MAX = 500;
const NAME_CHARS_MAX = 255;
const SECRET = /^[a-z2-7]{26}$/;     /* ids and tokens */
const MAPPING = /^[0-9a-f]{12}$/;
/* Controls, bidirectional controls, line separators: what could disguise the text around it. */
const UNFIT = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffe\uffff]/g;

export function clean(text, max = NAME_CHARS_MAX) {
    if (typeof text !== 'string')
        return '';
    return Array.from(text.slice(0, 2 * max)).slice(0, max).join('').replace(UNFIT, '\ufffd');
}

function time(text) {
    const ms = typeof text === 'string' ? Date.parse(text) : NaN;
    return Number.isNaN(ms) ? '' : new Date(ms).toISOString();
}

const secret = text => typeof text === 'string' && SECRET.test(text);

/* A fit copy of an entry, or null if it names no upload. */
export function entry(raw) {
    if (raw === null || typeof raw !== 'object' || !secret(raw.id))
        return null;
    return {
        id: raw.id,
        name: clean(raw.name),
        token: secret(raw.token) ? raw.token : '',
        created: time(raw.created),
        expires: time(raw.expires),
        format: clean(raw.format, 32),
        ...raw.own === true || (typeof raw.owner === 'string' && raw.owner !== '') ? { own: true } : {},
        size: Number.isSafeInteger(raw.size) && raw.size >= 0 ? raw.size : 0,
        ...typeof raw.mapping === 'string' && MAPPING.test(raw.mapping) ? { mapping: raw.mapping } : {},
    };
}

/* From the service's answer to an upload; null if it is none. */
export function fromAnswer(answer) {
    return answer !== null && typeof answer === 'object' ? entry({ ...answer, token: answer.delete_token })
                                                         : null;
}

/* Each upload once, the first mention counts. */
function fit(raws) {
    const seen = new Set(), list = [];
    for (const raw of Array.isArray(raws) ? raws : []) {
        const one = entry(raw);
        if (one !== null && !seen.has(one.id) && list.length < ENTRIES_MAX) {
            seen.add(one.id);
            list.push(one);
        }
    }
    return list;
}

export function parse(text) {
    try {
        return fit(JSON.parse(text));
    } catch {
        return [];
    }
}

/* A token that is there stays: whoever makes a link to a page can put another one into it. */
export function added(list, one) {
    const known = list.find(other => other.id === one.id);
    return fit([{ ...one, token: known?.token || one.token }, ...list]);
}

export function removed(list, ids) {
    const gone = new Set(ids);
    return list.filter(one => !gone.has(one.id));
}

/* Those whose name, format or id contains the text, in whatever case. */
export function matching(list, text) {
    const wanted = text.trim().toLowerCase();
    return list.filter(one => [one.name, one.format, one.id].some(s => s.toLowerCase().includes(wanted)));
}

/* Uploads whose mapping may be taken for this one: each mapping once, by the newest upload that has it. */
export function withMappings(list, { id, mapping }, nowMs) {
    const seen = new Set([undefined, mapping]);
    return list.filter(one => {
        const fits = one.id !== id && (one.token !== '' || one.own) && !expired(one, nowMs) && !seen.has(one.mapping);
        if (fits)
            seen.add(one.mapping);
        return fits;
    });
}

export function expired(one, nowMs) {
    return one.expires !== '' && Date.parse(one.expires) <= nowMs;
}

/* ---- the browser's storage: `give` returns it, or throws where it is forbidden ---- */

const browser = () => globalThis.localStorage;

/* The list, or null if the browser does not let the page have one. */
export function load(give = browser) {
    try {
        return parse(give().getItem(KEY) ?? '[]');
    } catch {
        return null;
    }
}

/* Where it is full, the oldest half makes room. False: nothing was kept. */
export function save(list, give = browser) {
    for (let kept = list; ; kept = kept.slice(0, Math.ceil(kept.length / 2))) {
        try {
            give().setItem(KEY, JSON.stringify(kept));
            return true;
        } catch {
            if (kept.length <= 1)
                return false;
        }
    }
}

/* Reads again before it writes, since other tabs write as well. */
export function remember(one, give = browser) {
    const list = load(give);
    return list !== null && save(added(list, one), give);
}

export function forget(ids, give = browser) {
    const list = load(give);
    return list !== null && save(removed(list, ids), give);
}
