/* Lanes on a canvas: what a place, a call, the ruler look like. Knows a canvas's context, and no state. */
import { durationWords, hueName, mergedMethods, mergedShares, pauses, recordedPlaces, ticks, timeWords } from './lanes-model.js';

export const LANE_PX = 16;
export const ROW_PX = { lanes: 8, chart: 17 };
export const RULER_PX = 18;
const ALL = 51, CELL_PX = 6.62, FONT = '11px ui-monospace, Menlo, "DejaVu Sans Mono", "Liberation Mono", Consolas, monospace';
const RULER_FONT = '11px system-ui, sans-serif', FRAMES_LEAST_PX = 4, PAUSE_PLACES = 6, TORN_LEAST_PX = 4, MESSAGE_PX = 4;

/* ---- colours: those of the style, as numbers ---- */

const KEYS = ['own', 'library', 'platform', 'unknown', 'waiting', 'waiting-line', 'paper', 'beyond', 'ink', 'quiet', 'line', 'found', 'focus', 'long', 'on-call',
              'o0', 'o1', 'o2', 'o3', 'o4', 'o5', 'o6', 'o7', 'o8', 'y0', 'y1', 'y2', 'y3', 'y4', 'y5', 'y6', 'y7'];

export function coloursOf(element) {
    const style = getComputedStyle(element), probe = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const colours = Object.fromEntries(KEYS.map(key => {
        probe.fillStyle = style.getPropertyValue(`--lane-${key}`).trim();
        probe.fillRect(0, 0, 1, 1);
        const [r, g, b] = probe.getImageData(0, 0, 1, 1).data;
        return [key, { css: `rgb(${r} ${g} ${b})`, rgba: (255 << 24 | b << 16 | g << 8 | r) >>> 0 }];
    }));
    return { ...colours, isOutlined: matchMedia('(forced-colors: active)').matches };
}

/* ---- activity ---- */

/* The places of a lane as a picture, a pixel for each, which is stretched when it is drawn: own code at the bottom, then that of
 * libraries, Android's, that of unknown origin, and what was spent waiting, hatched. A dotted line is a pause.
 * `hues`: of each place the colour of its method, for all that was not spent waiting; or null. */
function activityPicture(shares, places, recorded, colours, hues) {
    const canvas = new OffscreenCanvas(Math.max(places, 1), LANE_PX), context = canvas.getContext('2d');
    const image = context.createImageData(canvas.width, LANE_PX), pixels = new Uint32Array(image.data.buffer);
    const width = canvas.width, layers = [['own', 0], ['library', 1], ['platform', 2], ['unknown', 4], ['waiting', 3]].filter(([, k]) => shares[k]);
    const fills = layers.map(([key]) => colours[key].rgba), parts = layers.map(([, k]) => shares[k]), line = colours['waiting-line'].rgba;
    /* By index: iterators would cost more than the pixels. */
    for (let x = 0; x < places; x++)
        for (let y = LANE_PX, k = 0; k < parts.length; k++) {
            const share = parts[k][x], isWaiting = layers[k][1] === 3;
            if (share === 0)
                continue;
            const top = Math.max(0, y - Math.max(1, Math.round(share / ALL * LANE_PX))), fill = (isWaiting ? undefined : hues?.[x]) ?? fills[k];
            for (; y > top; y--)
                pixels[(y - 1) * width + x] = isWaiting && y % 3 === 0 ? line : fill;
        }
    for (const [first, end] of pauses(shares, recorded, PAUSE_PLACES))
        for (let x = first; x < end; x++)
            if (x % 4 < 2)
                pixels[LANE_PX / 2 * canvas.width + x] = colours.quiet.rgba;
    context.putImageData(image, 0, 0);
    return canvas;
}

/* Of each place the colour of the method that it is most of; null: none is known. */
function huesOf(known, { frames, places }, colours) {
    const methods = known.length === 1 ? known[0].methods : mergedMethods(known, places);
    return methods === undefined ? null : Array.from(methods, n => (n === 0 ? undefined : colours[hueName(frames[n - 1])].rgba));
}

/* The pictures of an answer, each made when it is first drawn. */
const pictures = new WeakMap();

export function pictureOf(answer, lanes, name, colours, byMethod) {
    if (!pictures.has(answer) || pictures.get(answer).colours !== colours)
        pictures.set(answer, { colours, made: new Map() });
    const { made } = pictures.get(answer), key = `${name} ${byMethod}`;
    if (!made.has(key)) {
        const known = lanes.map(({ track }) => answer.lanes.get(track)).filter(lane => lane?.shares);
        const shares = known.length === 1 ? known[0].shares : mergedShares(known, answer.places);
        made.set(key, known.length === 0 ? null : activityPicture(shares, answer.places, recordedPlaces(known, answer), colours, byMethod ? huesOf(known, answer, colours) : null));
    }
    return made.get(key);
}

/* ---- the canvas ---- */

/* Draws for one window of time and one width. */
export class Pen {
    constructor(context, window, width, colours) {
        Object.assign(this, { context, window, width, colours, scale: width / (window.to - window.from) });
    }
    x(ns) {
        return (ns - this.window.from) * this.scale;
    }
    /* Within the canvas, with a margin so that edges outside are not seen. */
    span(begin, end) {
        const from = Math.max(this.x(begin), -2), to = Math.min(this.x(end), this.width + 2);
        return [from, Math.max(to - from, 0)];
    }
    fill(colour, x, y, width, height) {
        this.context.fillStyle = this.colours[colour].css;
        this.context.fillRect(x, y, width, height);
    }
    /* The time of records stands out from that before and behind it. */
    ground({ begin, end }, y, height) {
        this.fill('beyond', 0, y, this.width, height);
        const [x, width] = this.span(begin, end);
        this.fill('paper', x, y, Math.max(width, 1), height);
    }
    activity(answer, picture, y) {
        if (picture === null)
            return;
        const { context, window } = this, perPlace = (answer.to - answer.from) / answer.places;
        const first = Math.max(0, Math.floor((window.from - answer.from) / perPlace)), last = Math.min(answer.places, Math.ceil((window.to - answer.from) / perPlace));
        if (last <= first)
            return;
        context.imageSmoothingEnabled = false;
        context.drawImage(picture, first, 0, last - first, LANE_PX, this.x(answer.from + first * perPlace), y, (last - first) * perPlace * this.scale, LANE_PX);
    }
    /* Steps from value to value, on a scale from its least to its most in all of the recording; what it was within one place is a
     * line from the least to the most there. */
    counter({ from, to }, { steps, places, least, most }, y, height) {
        const { context, colours } = this, perPlace = (to - from) / places, room = height - 3, base = y + height;
        const top = value => (most === least ? base - room / 2 : base - 1 - (value - least) / (most - least) * room);
        const at = place => Math.round(Math.min(Math.max(this.x(from + place * perPlace), -1), this.width + 1));
        steps.forEach((step, i) => {
            const x = at(step.place), end = i + 1 < steps.length ? at(steps[i + 1].place) : at(places);
            if (end < 0 || x > this.width)
                return;
            context.fillStyle = colours.line.css;
            context.fillRect(x, top(step.last), Math.max(end - x, 1), base - top(step.last));
            context.fillStyle = colours.quiet.css;
            const from = i > 0 ? steps[i - 1].last : step.low, low = Math.min(step.low, from, step.last), high = Math.max(step.high, from, step.last);
            context.fillRect(x, top(high), 1, top(low) - top(high) + 1);
            context.fillRect(x, top(step.last), Math.max(end - x, 1), 1);
        });
    }
    /* Frames on the screen, those that overlap in two levels. A late one is in the colour of what takes long: all of its level if the
     * app was late, else the lower half. */
    screen({ list, phases }, y) {
        const { context } = this, room = LANE_PX / 2 - 1;
        context.font = FONT;
        for (const phase of phases) {
            const [x, width] = this.span(phase.begin, phase.begin + phase.length);
            if (x > this.width || x + width < 0)
                continue;
            this.fill('o3', x, y, Math.max(width - 1, 1), LANE_PX);
            context.textBaseline = 'middle';
            this.name(phase.name, Math.max(x, 0), Math.min(x + width, this.width), y + LANE_PX / 2);
        }
        for (const { begin, length, late, level, isOfApp } of list) {
            const [x, width] = this.span(begin, begin + length), top = y + level * (room + 1);
            if (x > this.width || x + width < 0)
                continue;
            context.globalAlpha = 0.4;
            this.fill('quiet', x, top, Math.max(width - 1, 1), room);
            context.globalAlpha = 1;
            if (late > 0)
                this.fill('long', x, isOfApp ? top : top + room / 2, Math.max(width - 1, 1), isOfApp ? room : room / 2);
        }
    }
    /* Where a marked method is open: a bracket below the lane, whose ends are as wide as a call. */
    marks(answer, { markShares, markCounts }, y) {
        const perPlace = (answer.to - answer.from) / answer.places, px = perPlace * this.scale;
        this.context.fillStyle = this.colours.found.css;
        const first = Math.max(0, Math.floor((this.window.from - answer.from) / perPlace)), last = Math.min(answer.places, Math.ceil((this.window.to - answer.from) / perPlace));
        for (let i = first; i < last; i++) {
            if (markShares[i] === 0 && markCounts[i] === 0)
                continue;
            const x = this.x(answer.from + i * perPlace);
            this.context.fillRect(x, y + LANE_PX - 2, Math.max(px, 1), 2);
            if (markCounts[i] > 0)
                this.context.fillRect(x, y + LANE_PX - 6, 1, 6);
        }
    }
    /* The calls of a thread, callees below their callers. */
    stack({ rows }, y, rowPx, { mark, found, byMethod }) {
        const { context, colours, width } = this, isNamed = rowPx > 12;
        context.font = FONT;
        context.textBaseline = 'middle';
        rows.forEach((row, level) => {
            const top = y + level * rowPx;
            if (top > this.height || top + rowPx < 0)
                return;
            for (const call of row) {
                if (call.begin >= this.window.to)
                    break;
                const [x, long] = this.span(call.begin, call.begin + call.length);
                if (x + long < 0)
                    continue;
                const w = Math.max(long - (isNamed && long > 3 ? 0.5 : 0), 0.7), { frame } = call;
                context.fillStyle = frame === null ? colours.quiet.css : colours[byMethod ? hueName(frame) : `o${frame.origin}`].css;
                if (frame === null) {     /* as full as it has calls in it */
                    context.globalAlpha = 0.25 + 0.5 * Math.min(1, call.self / Math.max(call.length, 1));
                    context.fillRect(x, top, w, rowPx - 1);
                    context.globalAlpha = 1;
                    continue;
                }
                context.fillRect(x, top, w, rowPx - 1);
                if (colours.isOutlined && w > 2)     /* where all calls have one colour */
                    this.outline('ink', call, top + 0.5, rowPx - 1, 1);
                if (frame.id === mark || frame.text === mark || found?.(frame)) {
                    context.fillStyle = colours.found.css;
                    context.fillRect(x, top + rowPx - 3, w, 2);
                }
                if (call.flags !== 0 && w > TORN_LEAST_PX)     /* its begin, or its end, is not in the recording */
                    this.torn(call, x, w, top, rowPx);
                if (isNamed && w > 3 * CELL_PX)
                    this.name(frame.text, Math.max(x, 0), Math.min(x + w, width), top + rowPx / 2);
            }
        });
    }
    torn({ flags }, x, w, top, rowPx) {
        this.context.fillStyle = this.colours.ink.css;
        for (let y = top; y < top + rowPx - 1; y += 4) {
            if (flags & 1)
                this.context.fillRect(x, y, 2, 2);
            if (flags & 2)
                this.context.fillRect(x + w - 2, y, 2, 2);
        }
    }
    /* As much of Class.method as there is room for. */
    name(text, from, to, middle) {
        const cells = Math.floor((to - from - 4) / CELL_PX), parts = text.split('.');
        const forms = [text, parts.slice(-2).join('.'), parts.at(-1)];
        const form = forms.find(one => one.length <= cells) ?? (cells > 2 ? `${forms[2].slice(0, cells - 1)}\u2026` : '');
        this.context.fillStyle = this.colours['on-call'].css;
        this.context.fillText(form, from + 2, middle);
    }
    outline(colour, call, top, rowPx, linePx = 2) {
        const [x, width] = this.span(call.begin, call.begin + call.length);
        this.context.strokeStyle = this.colours[colour].css;
        this.context.lineWidth = linePx;
        this.context.strokeRect(x, top, Math.max(width, 2), rowPx - 1);
    }
    /* Long calls of the main thread, as lines on top of its lane. */
    messages(list, y) {
        for (const call of list) {
            const [x, width] = this.span(call.begin, call.begin + call.length);
            if (x <= this.width && x + width >= 0)
                this.fill('long', x, y, Math.max(width, 1), MESSAGE_PX);
        }
    }
    /* Times of a screen's frames, if there is room for them. */
    frames(hertz, height) {
        const step = 1e9 / hertz;
        if (hertz === 0 || step * this.scale < FRAMES_LEAST_PX)
            return;
        this.context.fillStyle = this.colours.line.css;
        this.context.globalAlpha = 0.5;
        for (let i = Math.ceil(this.window.from / step); i * step < this.window.to; i++)
            this.context.fillRect(Math.round(this.x(i * step)), 0, 1, height);
        this.context.globalAlpha = 1;
    }
    ruler() {
        const { context, colours } = this, { step, list } = ticks(this.window, this.width);
        this.fill('paper', 0, 0, this.width, RULER_PX);
        context.font = RULER_FONT;
        context.textBaseline = 'middle';
        for (const ns of list) {
            const x = Math.round(this.x(ns));
            this.fill('line', x, 0, 1, RULER_PX);
            context.fillStyle = colours.quiet.css;
            context.fillText(timeWords(ns, step), x + 4, RULER_PX / 2 + 1);
        }
        this.fill('line', 0, RULER_PX - 1, this.width, 1);
    }
    /* What is dragged over, with its length. */
    range({ from, to }, height, words) {
        const [x, width] = this.span(from, to);
        this.context.globalAlpha = 0.18;
        this.fill('focus', x, 0, width, height);
        this.context.globalAlpha = 1;
        this.fill('focus', x - 1, 0, 2, height);
        this.fill('focus', x + width - 1, 0, 2, height);
        if (words)
            this.say(durationWords(to - from), x + width / 2, RULER_PX / 2);
    }
    say(text, x, y) {
        const { context, colours } = this;
        context.font = RULER_FONT;
        const width = context.measureText(text).width + 8, at = Math.min(Math.max(x - width / 2, 0), this.width - width);
        this.fill('ink', at, y - 8, width, 16);
        context.fillStyle = colours.paper.css;
        context.textBaseline = 'middle';
        context.fillText(text, at + 4, y + 1);
    }
}
