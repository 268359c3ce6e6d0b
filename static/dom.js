/* Elements, made without markup: text stays text; and what is kept of how a person has folded them. */

export function element(name, properties = {}, ...children) {
    const e = Object.assign(document.createElement(name), properties);
    e.append(...children);
    return e;
}

/* One of static/icons.svg, which stands in the page. */
export function icon(name) {
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg'), use = document.createElementNS(svg.namespaceURI, 'use');
    svg.setAttribute('class', 'icon');
    svg.setAttribute('aria-hidden', 'true');
    use.setAttribute('href', `#i-${name}`);
    svg.append(use);
    return svg;
}

/* The same element, with a name for those who do not see where it stands. */
export function named(e, label) {
    e.setAttribute('aria-label', label);
    return e;
}

/* The text that `keep` has kept in this browser, on whatever page; or null. A browser may forbid both: then nothing is kept. */
export function kept(key) {
    try {
        return localStorage.getItem(key);
    } catch {
        return null;
    }
}

/* `text`: null for nothing. */
export function keep(key, text) {
    try {
        text === null ? localStorage.removeItem(key) : localStorage.setItem(key, text);
    } catch {
        /* forbidden, or full */
    }
}
