/* What the marks of lanes mean, and their keys: a sheet behind a button. */
import { element, named } from './dom.js';

/* The style of the sample, and what it means. */
const MARKS = [
    ['own', 'your code'], ['library', 'libraries'], ['platform', 'Android'], ['unknown', 'unknown'], ['waiting', 'waiting'],
    ['method', 'by method: what most of a place is, in the colour that the classic palette of the picture gives the method'],
    ['pause', 'no call is open'], ['beyond', 'before the thread\u2019s first record, or behind its last one'],
    ['long', 'on top: a long call by which the system runs code on the main thread, 16.7 ms or more; at the end: the buffer was full'],
    ['counter', 'a counter: from the least to the most that was read of it'],
    ['frames', 'frames that the app showed; late ones in red: all of it where the app was late, half where the system was; before them the steps of a start; a click makes one the range'],
    ['torn', 'a call whose begin or end is not in the recording'], ['found', 'calls of the marked method, or calls that match the search'],
];
const KEYS = [['w s', 'zoom'], ['a d', 'move'], ['arrow keys', 'choose a call'], ['Enter', 'zoom to it'], ['n N', 'next and previous call of its method'],
              ['l', 'its longest call, then the next longest'], ['r', 'what is in view becomes the range'], ['p', 'on a name: pin it'], ['Escape', 'the whole recording']];

export function legend(keys = KEYS) {
    const rows = keys.map(([names, words]) => element('div', {}, element('dt', { textContent: names }), element('dd', { textContent: words })));
    const marks = MARKS.map(([kind, words]) => {
        const sample = element('span', { className: `lane-sample ${kind}` });
        sample.setAttribute('aria-hidden', 'true');
        return element('li', {}, sample, words);
    });
    return element('details', { className: 'menu lane-legend' }, named(element('summary', { textContent: '?' }), 'What the timeline shows, and its keys'),
                   element('div', { className: 'sheet' }, element('ul', {}, ...marks), element('dl', {}, ...rows)));
}
