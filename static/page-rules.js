/* What the pages of a profile decide, apart from the document: no function here touches it. */

/* The delete token that a form's upload left in the address, or ''. */
export function tokenOf(hash) {
    const found = /^#token=([a-z2-7]{26})$/.exec(hash);
    return found === null ? '' : found[1];
}

/* Whether a thread is meant: all words of the text occur in its name, or the text is its id. */
export function meant(text, name, id) {
    const wanted = text.trim().toLowerCase();
    const within = name.toLowerCase();
    return wanted === id || wanted.split(/\s+/).every(word => within.includes(word));
}

export function countWords(shown, all) {
    return shown === all ? '' : `${shown} of ${all} threads`;
}

export function progressWords(made, of) {
    return `Drawing: ${made} of ${of} graphs are ready.`;
}

/* A picture's text without its style, which the page has already and would not be allowed to take again. */
export function withoutStyle(svg) {
    return svg.replace(/<style>[^<]*<\/style>/, '');
}

/* The width of a picture for a place of so many pixels: in steps, so that windows of nearly one size share it. */
export function fittingWidth(placePx) {
    const STEP_PX = 50, LEAST_PX = 600, MOST_PX = 4000;
    return Math.min(MOST_PX, Math.max(LEAST_PX, Math.floor(placePx / STEP_PX) * STEP_PX));
}
