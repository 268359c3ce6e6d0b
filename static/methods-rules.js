/* What the table of methods decides, apart from the document: no function here touches it. */

/* Numbers the largest first, texts in their order; what is not known comes last. */
function compareCells(a, b) {
    if (a === b)
        return 0;
    if (a === null || b === null)
        return a === null ? 1 : -1;
    if (typeof a === 'number')
        return b - a;
    return a < b ? -1 : 1;
}

/* What a row is called: `short` with the class, `rest` behind it in quiet, `full` for the filter. */
export function methodName(row, at, group) {
    if (group === 'method') {
        const scope = row[at.class], method = row[at.method], dot = scope.lastIndexOf('.');
        const full = scope === '' ? method : `${scope}.${method}`;
        return { short: full.slice(dot + 1), rest: row[at.origin] === 'error' ? 'no function' : dot > 0 ? scope.slice(0, dot) : '', full };
    }
    const full = String(row[at.name ?? at[group]] || '(none)');
    return { short: full, rest: group === 'thread' ? String(row[at.track]) : '', full };
}

/* All words of the text occur in the name, in upper or lower case. */
export function matches(full, text) {
    const name = full.toLowerCase();
    return text.trim().toLowerCase().split(/\s+/).every(word => name.includes(word));
}

/* Indexes of the rows that the text leaves, by a column; equal ones stand as they came. */
export function rowsInOrder(rows, { at, reversed }, names, text) {
    const kept = [];
    for (let i = 0; i < rows.length; i++)
        if (text === '' || matches(names[i].full, text))
            kept.push(i);
    const sign = reversed ? -1 : 1;
    return kept.sort((a, b) => sign * compareCells(rows[a][at], rows[b][at]) || a - b);
}
