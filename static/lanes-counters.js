/* Counters of a recording beside its lanes: what the service says of them, which rows they are, and their words. Pure. */
import { bytes } from './units.js';

const SEEN_FIRST = 2, NUMBERS = 4;

/* Of /lanes: each with the places in which it was read: the least, the most and the last value there. */
export function readCounters({ counters = [], counter_step: step = 1, width }) {
    const places = Math.ceil(width / step);
    return new Map(counters.map(({ name, group = '', unit = '', kind, decimals, least, most, steps }) => {
        const list = [];
        for (let i = 0; i < steps.length; i += NUMBERS)
            list.push({ place: steps[i], low: steps[i + 1], high: steps[i + 2], last: steps[i + 3] });
        const key = `${kind} ${name} ${group} ${decimals}`;
        return [key, { key, name, process: group, unit, kind, decimals, least, most, steps: list, places }];
    }));
}

/* -1536 bytes -> "-1.5 KiB", 1803000 (MHz, 3 decimals) -> "1.803 GHz" */
export function valueWords(value, { unit, decimals }) {
    const number = value / 10 ** decimals;
    if (unit === 'bytes')
        return number < 0 ? `-${bytes(-number)}` : bytes(number);
    const [shown, word] = unit === 'MHz' && number >= 1000 ? [number / 1000, 'GHz'] : [number, unit];
    return `${shown.toLocaleString('en', { maximumFractionDigits: 3 })}${word === '' ? '' : ` ${word}`}`;
}

/* "20.2 to 22.9 MiB", "3" */
export function rangeWords(least, most, counter) {
    const [a, b] = [least, most].map(value => valueWords(value, counter)), [number, unit = ''] = a.split(' ');
    return a === b ? a : b.split(' ')[1] === (unit || undefined) ? `${number} to ${b}` : `${a} to ${b}`;
}

/* Where it is at a place: the last step that is not behind it; undefined: nothing was read so far. */
export const stepAt = ({ steps }, place) => steps.findLast(one => one.place <= place);

/* The range of places [first, end): what held at its beginning counts. */
export function rangeWithin(counter, first, end) {
    const before = stepAt(counter, first - 1), within = counter.steps.filter(({ place }) => place >= first && place < end);
    const lows = [...before === undefined ? [] : [before.last], ...within.map(({ low }) => low)], highs = [...before === undefined ? [] : [before.last], ...within.map(({ high }) => high)];
    return lows.length === 0 ? undefined : { least: Math.min(...lows), most: Math.max(...highs) };
}

/* The rows of counters: the first of the app's own are seen, all others stand behind one row. */
export function counterRows(counters, { unfolded, filter }) {
    const words = filter.trim().toLowerCase().split(/\s+/);
    if (filter.trim() !== '')
        return counters.filter(({ name, process }) => words.every(word => `${name} ${process}`.toLowerCase().includes(word))).map(counter => ({ counter }));
    const own = counters.filter(({ kind }) => kind === 'app' || kind === 'memory').slice(0, SEEN_FIRST), rest = counters.filter(one => !own.includes(one));
    const isUnfolded = unfolded.has('counters') || rest.length === 1;
    return [...own.map(counter => ({ counter })),
            ...rest.length > 1 ? [{ group: 'counters', label: own.length > 0 ? `${rest.length} more counters` : `${rest.length} counters`, lanes: [], isUnfolded }] : [],
            ...isUnfolded ? rest.map(counter => ({ counter, isInner: rest.length > 1 })) : []];
}
