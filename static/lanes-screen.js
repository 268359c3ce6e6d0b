/* Frames that an app showed, and the steps of its start, in the order of time above its lanes: what the service says of them, and their words. Pure. */

/* Bits of what made a frame late, as Android's FrameTimeline has them, and the last one, which stands for no bit of it. */
const CAUSES = [[0x40, 'the app missed its deadline'], [0x10000, 'its work on the main thread took more than 16.7 ms'], [0x10, 'SurfaceFlinger missed its deadline'],
                [0x20, 'SurfaceFlinger missed its deadline on the GPU'], [0x2, 'SurfaceFlinger began too late'], [0x4, 'its time was predicted wrongly'],
                [0x8, 'the display was late'], [0x80, 'earlier frames of the app still waited'], [0x200, 'earlier frames still waited in SurfaceFlinger'],
                [0x400, 'it was dropped'], [0x1000, 'the app was brought in step again'], [0x100, 'for an unknown reason']];
const OF_APP = 0x40 | 0x100 | 0x1000 | 0x10000;

/* Of /lanes; null: the recording has none. An entry stands for n frames that begin in one place. Those that overlap have another level. */
export function readScreen({ screen }) {
    if (screen === undefined)
        return null;
    let end = -1;
    const list = screen.list.map(([begin, length, due, n, late, causes, number]) => {
        const level = begin < end ? 1 : 0;
        end = level === 0 ? begin + length : end;
        return { begin, length, due, n, late, causes, number, level, isOfApp: (causes & OF_APP) !== 0 };
    });
    const phases = screen.phases.map(([name, begin, length]) => ({ name, begin, length, n: 1 }));
    return { frames: screen.frames, late: screen.late, list, phases };
}

/* The one that is shown at a time, of those that overlap the one on that level, if there is one; else the step of the start; undefined:
 * none. */
export function frameAt({ list, phases }, ns, level) {
    const isAt = ({ begin, length }) => begin <= ns && ns < begin + length, found = list.filter(isAt);
    return found.find(one => one.level === level) ?? found[0] ?? phases.find(isAt);
}

/* The next entry with a late frame behind a time, or the first one of all; undefined: none is late. */
export function nextLate({ list }, ns) {
    return list.find(({ late, begin }) => late > 0 && begin > ns) ?? list.find(({ late }) => late > 0);
}

export const labelOf = ({ frames }) => (frames > 0 ? 'frames' : 'start');
export const countWords = ({ frames, late, phases }) => (frames > 0 ? `${late.toLocaleString('en')} of ${frames.toLocaleString('en')} late` : `${phases.length} ${phases.length === 1 ? 'step' : 'steps'}`);

/* `duration` writes a time in words. */
export function frameWords({ name, begin, length, due, n, late, causes, number }, duration) {
    if (name !== undefined)
        return `${name} \u00b7 ${duration(length)} from ${duration(begin)}`;
    const why = CAUSES.filter(([bit]) => (causes & bit) !== 0).map(([, words]) => words).join(', '), over = due > 0 && length > due ? `${duration(length - due)} late` : 'late';
    if (n > 1)
        return `${n.toLocaleString('en')} frames from ${duration(begin)}${late > 0 ? ` \u00b7 ${late} of them late: ${why}` : ' \u00b7 all in time'}`;
    return `frame${number > 0 ? ` ${number}` : ''} \u00b7 ${duration(length)} from ${duration(begin)} \u00b7 ${late === 0 ? 'in time' : `${over}: ${why}`}`;
}
