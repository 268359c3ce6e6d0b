/* What the upload page decides, without the page. Pure. */
import { bytes } from './units.js';

const NAME_BYTES_MAX = 255;

/* Why a file is not worth sending: {title, detail, hint}, or null. */
export function refusal(file, maxBytes) {
    if (file.isFolder)
        return { title: 'A folder', detail: 'Only files can be uploaded.',
                 hint: 'Drop the traces that are in it.' };
    if (file.size === 0)
        return { title: 'Empty file', detail: 'The file has no bytes.',
                 hint: 'Was the recording stopped before the file was copied?' };
    if (file.size > maxBytes)
        return { title: 'Too large',
                 detail: `The file has ${bytes(file.size)}; the limit is ${bytes(maxBytes)}.`,
                 hint: 'Record a shorter trace, or sample instead of tracing.' };
    return null;
}

/* Longest beginning of whole characters within so many bytes of UTF-8. */
export function cut(text, maxBytes) {
    let end = 0, used = 0;
    for (const c of text) {
        const code = c.codePointAt(0);
        used += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
        if (used > maxBytes)
            break;
        end += c.length;
    }
    return text.slice(0, end);
}

/* With the pictures of control characters in their place: no header may hold them. */
function withoutControls(text) {
    return Array.from(text, c => c < ' ' ? String.fromCodePoint(0x2400 + c.codePointAt(0)) : c === '\x7f' ? '\u2421' : c).join('');
}

/* What the upload will be called: the given name; of several files with the file's behind it. */
export function nameFor(given, file, several) {
    const name = given.trim();
    const whole = name === '' ? file : several ? `${name}: ${file}` : name;
    return cut(withoutControls(whole), NAME_BYTES_MAX);
}

/* The file's name within a form: browsers write a backslash as it is, others read an escape in it. */
export function fileName(file) {
    return withoutControls(file).replaceAll('\\', '_');
}

/* Days from the field: a number, '' for the service's own choice, null if it makes no sense. */
export function days(text, max) {
    if (text.trim() === '')
        return '';
    const n = Number(text);
    return Number.isInteger(n) && n >= 1 && n <= max ? n : null;
}

/* What an answer that is not a result says; any proxy may have written it. */
export function problem(status, body) {
    let said = {};
    try {
        said = JSON.parse(body) ?? {};
    } catch {
        /* a page or text of somebody in between: the status has to do */
    }
    const text = key => typeof said[key] === 'string' ? said[key] : '';
    const offset = Number.isSafeInteger(said.offset) ? ` (at byte ${said.offset})` : '';
    return { title: text('title') || `Refused with status ${status}`,
             detail: (text('detail') || 'The answer does not say why.') + offset, hint: text('hint') };
}

/* Whether the file is an archive of which a file should be chosen, or all of them. */
export function hasSeveralFiles(said) {
    return said.title === 'several files in the archive';
}

/* Of an archive that was read with all that is in it: {results, failed}, each result with its token, and why others were not
 * read, in words; null of another answer. */
export function members(answer) {
    if (answer === null || typeof answer !== 'object' || !Array.isArray(answer.results))
        return null;
    const failed = (Array.isArray(answer.failed) ? answer.failed : [])
        .map(one => `${one.member}: ${one.title}. ${one.detail} ${one.hint}`.trim());
    if (answer.left_out > 0)
        failed.push(`${answer.left_out} more files were left out: the limit of the service was reached.`);
    if (answer.cut)
        failed.push('The archive cannot be read to its end: there may be more files in it.');
    return { results: answer.results.map(one => ({ ...one, delete_token: answer.delete_token, owner: answer.owner })), failed };
}

/* Whether the same file could be taken at another time. */
export function worthRetrying(status) {
    return status === 0 || status === 401 || status === 408 || status === 429 || status >= 500;
}
