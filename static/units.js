/* Sizes, rates and times in words. Pure: no page, no state. */

const SIZES = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
const DIGITS = 3;

/* Three significant digits, zeros at the end dropped; whole numbers are never cut. */
function rounded(value) {
    const whole = String(Math.trunc(value)).length;
    return Number(value.toFixed(Math.max(0, DIGITS - whole)));
}

/* 1234567.5 -> "1,234,567.5". What browsers have for it takes as long as all else in a large table. */
export const grouped = n => String(n).replace(/^-?\d+/, whole => whole.replace(/\B(?=(\d{3})+$)/g, ','));

/* 57472596 -> "54.8 MiB"; what is no size is "0 B". */
export function bytes(n) {
    let value = Number.isFinite(n) && n > 0 ? n : 0;
    let unit = 0;
    while (rounded(value) >= 1024 && unit < SIZES.length - 1) {
        value /= 1024;
        unit++;
    }
    return `${rounded(value)} ${SIZES[unit]}`;
}

/* Empty while there is nothing to say. */
export function rate(bytesPerSecond) {
    return bytesPerSecond > 0 && Number.isFinite(bytesPerSecond) ? `${bytes(bytesPerSecond)}/s` : '';
}

/* Of a transfer with this much to go: "4 s left", "2 min left", "1 h 5 min left"; empty if nobody knows. */
export function remaining(bytesLeft, bytesPerSecond) {
    const seconds = Math.ceil(bytesLeft / bytesPerSecond);
    if (!(bytesPerSecond > 0) || !Number.isFinite(seconds) || seconds < 1)
        return '';
    if (seconds < 100)
        return `${seconds} s left`;
    const minutes = Math.ceil(seconds / 60);
    if (minutes < 100)
        return `${minutes} min left`;
    const hours = Math.floor(minutes / 60);
    return hours < 100 ? `${hours} h ${minutes % 60} min left` : 'more than four days left';
}

/* "2026-11-20T11:48:03Z" -> "2026-11-20 11:48 UTC"; empty for what is no time. */
export function time(iso) {
    const ms = Date.parse(iso);
    return Number.isNaN(ms) ? '' : new Date(ms).toISOString().replace('T', ' ').slice(0, -8) + ' UTC';
}

/* Rate of a transfer over its last seconds, so that a pause or a burst long ago does not count. */
export function meter(windowMs = 5000, leastMs = 400) {
    const samples = [];
    return {
        add(nowMs, done) {
            samples.push({ nowMs, done });
            while (samples.length > 2 && nowMs - samples[1].nowMs >= windowMs)
                samples.shift();
        },
        /* Bytes per second; 0 while it is too early to say. */
        rate() {
            const first = samples[0], last = samples[samples.length - 1];
            if (samples.length < 2 || last.nowMs - first.nowMs < leastMs)
                return 0;
            return Math.max(0, (last.done - first.done) * 1000 / (last.nowMs - first.nowMs));
        },
    };
}

/* 83 -> "1 min 23 s", 7500 -> "2 h 5 min" */
function minutes(s) {
    const seconds = s < 3599.5 ? Math.round(s) : Math.floor((Math.round(s) + 30) / 60) * 60;
    return [[Math.floor(seconds / 3600), 'h'], [Math.floor(seconds / 60) % 60, 'min'], [seconds % 60, 's']]
        .filter(([n]) => n > 0).map(([n, word]) => `${grouped(n)} ${word}`).join(' ');
}

/* Of the values of a profile, in the units of its JSON: 1413000 us -> "1.41 s", 4096 bytes -> "4 KiB", 12345 -> "12,345". */
export function amount(unit, n) {
    if (typeof n !== 'number')
        return '';
    if (n < 0)
        return `-${amount(unit, -n)}`;
    if (unit === 'bytes')
        return bytes(n);
    if (unit !== 'us')
        return grouped(Math.round(n));
    if (Math.round(n / 1e5) >= 600)
        return minutes(n / 1e6);
    const [factor, word] = [[1e6, 's'], [1e3, 'ms'], [1, '\u00b5s']].find(([least]) => n >= least) ?? [1, '\u00b5s'];
    return `${grouped(rounded(n / factor))} ${word}`;
}

/* How sure sizes are that are estimated from samples, of which each stands for `every` bytes or for one larger allocation. */
export function samplesOf(bytes, count, every) {
    return Math.ceil(Math.min(count, bytes / every));
}

export function sampleWords(n) {
    return n > 0 ? `~${grouped(n)}, \u00b1${Math.ceil(100 / Math.sqrt(n))} %` : '';
}

/* Of nothing there is no share. */
export function percent(part, whole) {
    if (!(whole > 0) || typeof part !== 'number')
        return '';
    if (part < 0)
        return `-${percent(-part, whole)}`;
    const share = 100 * part / whole;
    return share > 0 && share < 0.01 ? '<0.01 %' : `${Number(share.toFixed(share < 10 ? 2 : 1))} %`;
}

/* The change from A to B with its sign. */
export const signed = (unit, a, b) => (a === b ? '' : b > a ? '+' : '-') + amount(unit, Math.abs(b - a));

/* In percent of A; what is new or gone is said. */
export function changeOf(a, b) {
    if (a === b)
        return '0 %';
    if (a === 0 || b === 0)
        return a === 0 ? 'new' : 'gone';
    const share = 100 * Math.abs(b - a) / a, digits = share < 10 ? 2 : share < 100 ? 1 : 0;
    return `${b > a ? '+' : '-'}${share < 0.01 ? '<0.01' : grouped(Number(share.toFixed(digits)))} %`;
}
