/* Elements, made without markup: text stays text. */

export function element(name, properties = {}, ...children) {
    const e = Object.assign(document.createElement(name), properties);
    e.append(...children);
    return e;
}

/* The same element, with a name for those who do not see where it stands. */
export function named(e, label) {
    e.setAttribute('aria-label', label);
    return e;
}
