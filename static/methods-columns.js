/* The columns of the table of methods: what they are called, what stands in them, how wide they are. No function here touches
 * the document. */
import { amount, changeOf, grouped, percent, sampleWords, samplesOf, signed } from './units.js';

const NAME_REM = 14, AMOUNT_REM = 4.25, BYTES_REM = 4.75, PERCENT_REM = 4.125, SAMPLES_REM = 6.5, CHARACTER_REM = 0.52, GAP_REM = 0.5;

const count = n => (n === null || n === undefined ? '' : grouped(n));

/* As wide as its largest number; times and sizes have three digits. */
function remOf(unit, rows, at) {
    const largest = () => rows.reduce((most, row) => Math.max(most, Math.abs(row[at])), 0);
    const signRem = rows.some(row => row[at] < 0) ? CHARACTER_REM : 0;
    return signRem + (unit === 'us' ? AMOUNT_REM : unit === 'bytes' ? BYTES_REM :
        Math.max(AMOUNT_REM, count(largest()).length * CHARACTER_REM + GAP_REM));
}

/* A heading is broken between words. */
const remOfWords = label => Math.max(...label.split(' ').map(word => word.length)) * CHARACTER_REM + GAP_REM;

function valueColumns({ rows }, at, end, value, withShare) {
    const name = `${value.name}_${end}`, isInclusive = end === 'incl', words = isInclusive ? 'Incl.' : 'Excl.';
    const label = `${words} ${value.name.replaceAll('-', ' ')}`;
    return [{
        label, sortAt: at[name], rem: Math.max(remOf(value.unit, rows, at[name]), remOfWords(label)),
        words: row => amount(value.unit, row[at[name]]),
        ofEdge: edge => (isInclusive ? amount(value.unit, edge[value.name]) : ''),
    }, ...withShare ? [{
        label: `${words} %`, rem: PERCENT_REM, words: row => percent(row[at[name]], value.grown ?? value.total),
        ofEdge: (edge, row) => (isInclusive ? percent(edge[value.name], row[at[name]]) : ''),
    }] : []];
}

function callColumn({ rows }, at) {
    const isRecursive = rows.some(row => row[at.recursive] > 0);
    const words = row => count(row[at.calls]) + (row[at.recursive] > 0 ? ` + ${count(row[at.recursive])}` : '');
    const most = [at.calls, at.recursive].map(column => rows.reduce((all, row) => Math.max(all, row[column]), 0));
    return {
        label: isRecursive ? 'Calls + rec.' : 'Calls', sortAt: at.calls, words,
        rem: Math.max(AMOUNT_REM, most.map(count).join(isRecursive ? ' + ' : '').length * CHARACTER_REM + GAP_REM),
        ofEdge: edge => (edge.calls === undefined ? '' : `${count(edge.calls)}/${count(edge.of_calls)}`),
    };
}

/* How sure the inclusive size is that the table is sorted by. */
function sampleColumn({ sampled_bytes: every }, at, { name }) {
    const bytes = at[`${name}_incl`], count = at[`${name}-count_incl`];
    return every === undefined || count === undefined ? [] : [{
        label: 'Samples', rem: SAMPLES_REM, words: row => sampleWords(samplesOf(row[bytes], row[count], every)), ofEdge: () => '',
    }];
}

function callTimes({ columns }, at, value) {
    const incl = at[`${value.name}_incl`], longest = `${value.name}_longest`, calls = row => row[at.calls] - row[at.recursive];
    return [{
        label: 'Mean', rem: AMOUNT_REM, words: row => (calls(row) > 0 ? amount(value.unit, row[incl] / calls(row)) : ''), ofEdge: () => '',
    }, ...columns.includes(longest) ? [{
        label: 'Longest', sortAt: at[longest], rem: AMOUNT_REM, words: row => amount(value.unit, row[at[longest]]), ofEdge: () => '',
    }] : []];
}

/* ---- comparisons ---- */

/* Puts behind each row how large its changes are, in columns that the service sorts by as well. */
export function addChanges(data) {
    const at = Object.fromEntries(data.columns.map((name, i) => [name, i])), hasCalls = data.rows.some(row => row[at.calls_a] !== null);
    const perCall = (row, name, side) => (row[at[`calls_${side}`]] > 0 ? Math.floor(row[at[`${name}_incl_${side}`]] / row[at[`calls_${side}`]]) : 0);
    const made = [];
    for (const { name } of data.values) {
        for (const end of ['incl', 'excl'])
            made.push([`${name}_${end}`, row => Math.abs(row[at[`${name}_${end}_b`]] - row[at[`${name}_${end}_a`]])]);
        if (hasCalls)
            made.push([`${name}_per_call`, row => Math.abs(perCall(row, name, 'b') - perCall(row, name, 'a'))],
                      [`${name}_per_call_a`, row => perCall(row, name, 'a')], [`${name}_per_call_b`, row => perCall(row, name, 'b')]);
    }
    if (hasCalls)
        made.push(['calls', row => Math.abs(row[at.calls_b] - row[at.calls_a])]);
    data.columns.push(...made.map(([name]) => name));
    for (const row of data.rows)
        row.push(...made.map(([, sizeOf]) => sizeOf(row)));
}

/* Change with its sign, in percent, and what both sides have. `edgeSide(edge, side)`: what a caller or callee has, or undefined. */
function changeColumns({ columns }, at, name, unit, words, edgeSide) {
    const [a, b] = [`${name}_a`, `${name}_b`].map(side => at[side]);
    const column = (label, sortAt, rem, say) => ({
        label, sortAt, rem, words: row => say(row[a], row[b]),
        ofEdge: edge => (edgeSide(edge, 'a') === undefined ? '' : say(edgeSide(edge, 'a'), edgeSide(edge, 'b'))),
    });
    return !columns.includes(name) ? [] : [
        column(words, at[name], AMOUNT_REM + 0.5, (x, y) => signed(unit, x, y)),
        column('%', undefined, PERCENT_REM, changeOf),
        column('in A', at[a], AMOUNT_REM, x => amount(unit, x)),
        column('in B', at[b], AMOUNT_REM, (x, y) => amount(unit, y)),
    ];
}

/* Of the value that was asked for. `at` knows the columns of addChanges. */
export function columnsOfChanges(data, at) {
    const { name, unit } = data.values.find(one => one.name === data.value);
    const none = () => undefined, totalOf = (edge, side) => edge[`${name}_${side}`], callsOf = (edge, side) => edge[`calls_${side}`];
    return [['excl', 'Self', none], ['incl', 'Total', totalOf], ['per_call', 'Per call', none]]
        .flatMap(([end, words, edgeSide]) => changeColumns(data, at, `${name}_${end}`, unit, words, edgeSide))
        .concat(changeColumns(data, at, 'calls', 'count', 'Calls', callsOf));
}

/* What is shown of each value: that which the table is sorted by with its share of all, the others by themselves. `at`: columns of
 * the data by name. Each is {label, rem: its width, sortAt: column of the data, words(row), ofEdge(edge, row)}. */
export function columnsOf(data, at) {
    const { values, columns, sort, group } = data;
    const chosen = values.find(({ name }) => sort.startsWith(name + '_')) ?? values[0];
    const isCounted = columns.includes('calls') && data.rows.some(row => row[at.calls] !== null);
    return [
        ...chosen === undefined ? [] : ['incl', 'excl'].flatMap(end => valueColumns(data, at, end, chosen, true)),
        ...chosen === undefined ? [] : sampleColumn(data, at, chosen),
        ...isCounted ? [callColumn(data, at)] : [],
        ...isCounted && chosen !== undefined && group === 'method' ? callTimes(data, at, chosen) : [],
        ...values.filter(value => value !== chosen).flatMap(value => ['incl', 'excl'].flatMap(end => valueColumns(data, at, end, value, false))),
    ];
}

/* The least width of all, with that of names. */
export function leastRem(columns) {
    return columns.reduce((sum, { rem }) => sum + rem, NAME_REM);
}
