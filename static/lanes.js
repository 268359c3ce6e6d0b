/* Lanes in the workspace, and the tab that shows calls in the order of time: two places for one machine. What both share is
 * the `Time` (lanes-time.js); a `Timeline` is one place. */
import { element, named } from './dom.js';
import { counterRows, rangeWithin, rangeWords, stepAt, valueWords } from './lanes-counters.js';
import { callAt, callWords, durationWords, messageWords, neighbour, panned, rowsOf, stepped, zoomed } from './lanes-model.js';
import { countWords, frameAt, frameWords, labelOf, nextLate } from './lanes-screen.js';
import { LANE_PX, Pen, ROW_PX, RULER_PX, coloursOf, pictureOf } from './lanes-draw.js';

const MAP_PX = 9, ZOOM = 1.25, PAN = 0.15, STACKS_MAX = 32, CHARTED_FIRST = 8, CLICK_PX = 4, SLACK_PX = 3, OPEN_LEVELS_MAX = 40;
const CLASSES = ['your code', 'libraries', 'Android', 'waiting', 'unknown'];     /* as answers have them: the last one not always */
const KEYS_WORDS = 'w s zoom, a d move, r makes what is in view the range, arrow keys choose a call, Enter zooms to it, n N next and previous call of its method, l the longest, Escape whole recording';

/* Of a thread, or of several that share a row, or of a counter. */
const nameOf = ({ lane, counter, label, behind = '' }) => {
    const one = lane ?? counter;
    return one === undefined ? `${label}${behind}` : `${one.name}${one.behind}`;
};

export class Timeline {
    /* `isChart`: the chosen threads, opened, large. `tracks` of it: their ids; null: all. */
    constructor(root, time, { isChart = false, tracks = null, label }) {
        Object.assign(this, { root, time, isChart, tracks, open: new Set(), unfolded: new Set(), pinned: new Set(), filter: '', active: 0, rows: [], total: 0, found: null });
        this.rowPx = isChart ? ROW_PX.chart : ROW_PX.lanes;
        this.ruler = element('canvas', { className: 'lane-ruler' });
        this.ruler.setAttribute('aria-hidden', 'true');
        this.names = element('ul', { className: 'lane-names' });
        this.canvas = named(element('canvas', { className: 'lane-canvas', tabIndex: 0 }), label);
        this.canvas.setAttribute('role', 'application');
        this.canvas.setAttribute('aria-roledescription', 'timeline');
        this.canvas.title = '';
        this.said = element('p', { className: 'out-of-sight' });
        this.said.setAttribute('role', 'status');
        this.tip = element('p', { className: 'lane-tip', hidden: true });
        this.corner = element('div', { className: 'lane-corner' });
        this.scroll = element('div', { className: 'lane-scroll' }, this.names, element('div', { className: 'lane-stage' }, this.canvas));
        root.replaceChildren(element('div', { className: 'lane-head' }, this.corner, this.ruler), this.scroll, this.tip, this.said);
        root.classList.add('timeline');
        root.classList.toggle('is-chart', isChart);
        this.canvas.setAttribute('aria-description', KEYS_WORDS);
        time.places.add(this);
        this.listen();
        this.look();
        this.observer = new ResizeObserver(() => this.redraw());
        this.observer.observe(this.scroll);
        this.redraw();
    }
    end() {
        this.observer.disconnect();
        this.ended.abort();
        this.time.places.delete(this);
    }
    get width() {
        return Math.max(this.scroll.clientWidth - this.names.offsetWidth, 1);
    }
    look() {
        this.colours = coloursOf(this.root);
    }

    /* ---- rows ---- */

    wantedStacks() {
        if (!this.isChart)
            return [...this.open].filter(track => this.time.store.whole?.lanes.has(track));     /* a link may name others */
        const { scrollTop: top, clientHeight: height } = this.scroll, seen = this.rows.filter(row => row.y + row.height > top - height && row.y < top + 2 * height);
        return (seen.length === 0 ? this.lanes().slice(0, CHARTED_FIRST) : seen.map(({ lane }) => lane)).slice(0, STACKS_MAX).map(({ track }) => track);
    }
    lanes() {
        const all = [...this.time.store.whole?.lanes.values() ?? []];
        return this.tracks === null ? all : all.filter(({ track }) => this.tracks.includes(track));
    }
    stackOf(track) {
        return this.time.store.best(this.time.window, one => one.stacks.has(track))?.stacks.get(track);
    }
    heightOf({ lane }) {
        if (lane === undefined || !(this.isChart || this.open.has(lane.track)))
            return LANE_PX + 2;
        const levels = Math.max(this.levels.get(lane.track) ?? 1, this.stackOf(lane.track)?.rows.length ?? 0);
        this.levels.set(lane.track, levels);
        return LANE_PX + (this.isChart ? levels : Math.min(levels, OPEN_LEVELS_MAX)) * this.rowPx + 6;
    }
    levels = new Map();
    ended = new AbortController();
    arrange() {
        const rows = this.isChart ? this.lanes().map(lane => ({ lane })) : rowsOf(this.lanes(), this);
        const { screen } = this.time.store.whole ?? {};
        if (!this.isChart)
            rows.splice(1, 0, ...counterRows([...this.time.store.whole?.counters.values() ?? []], this));
        if (!this.isChart && screen && this.filter.trim() === '')
            rows.unshift({ screen, label: labelOf(screen) });
        let y = 0;
        this.rows = rows.map(row => {
            const height = this.heightOf(row), made = { ...row, y, height };
            y += height;
            return made;
        });
        this.total = y;
        this.active = Math.min(this.active, Math.max(rows.length - 1, 0));
        const key = JSON.stringify(this.rows.map(({ lane, counter, group, height, isUnfolded, isPinned }) => [lane?.track ?? counter?.key ?? group, height, isUnfolded, isPinned]));
        if (key !== this.namesKey) {
            this.namesKey = key;
            this.drawNames();
        }
    }
    /* The row that keys are about, whose name Tab comes to. The names stay, since one of them may just be pressed. */
    activate(i) {
        this.active = i;
        for (const [row, button] of this.names.querySelectorAll('button').entries())
            button.tabIndex = row === i ? 0 : -1;
    }
    drawNames() {
        const hadFocus = this.names.contains(document.activeElement);
        this.names.style.height = `${this.total}px`;
        this.names.replaceChildren(...this.rows.map((row, i) => {
            if (row.counter !== undefined || row.screen !== undefined)
                return this.nameItem(row, i, row.counter === undefined ? this.screenName(row, i) : this.counterName(row, i));
            const { lane, label, isUnfolded, isInner, isPinned, y, height } = row, { process, behind } = lane ?? row;
            const isOpen = lane === undefined ? isUnfolded : this.open.has(lane.track);
            const button = element('button', { type: 'button', tabIndex: i === this.active ? 0 : -1, className: isInner ? 'inner' : '' },
                element('span', { textContent: `${isPinned ? '\u2691 ' : ''}${lane === undefined ? label : lane.name || `Thread ${lane.track}`}` },
                    ...behind ? [element('span', { className: 'quiet', textContent: behind })] : []),
                ...lane === undefined ? [] : [element('span', { className: 'quiet', textContent: lane.work })]);
            button.title = lane === undefined ? `${label}${process ? ` of ${process}` : ''}` : `${lane.name} (${lane.track})${process ? ` of ${process}` : ''}: ${lane.work}${this.isChart ? '' : '; opens its calls; p pins it'}`;
            if (!this.isChart || lane === undefined)
                button.setAttribute('aria-expanded', String(isOpen));
            return this.nameItem(row, i, button);
        }));
        if (hadFocus)
            this.names.querySelector('[tabindex="0"]')?.focus({ preventScroll: true });
    }
    nameItem({ y, height }, i, button) {
        const li = element('li', {}, button);
        li.style.cssText = `top:${y}px;height:${height}px`;
        li.dataset.row = i;
        return li;
    }
    /* It has nothing to open: whoever comes to it is told of it. */
    counterName({ counter, isInner }, i) {
        const range = rangeWords(counter.least, counter.most, counter);
        return element('button', { type: 'button', tabIndex: i === this.active ? 0 : -1, className: `counter${isInner ? ' inner' : ''}`, title: `${nameOf({ counter })}: ${range}` },
            element('span', { textContent: counter.name }, element('span', { className: 'quiet', textContent: counter.behind })), element('span', { className: 'quiet', textContent: range }));
    }
    screenName({ screen }, i) {
        const title = `${screen.frames > 0 ? 'Frames that the app showed' : 'Steps of the start'}: ${countWords(screen)}${screen.late > 0 ? '; goes to the next late one' : ''}`;
        return element('button', { type: 'button', tabIndex: i === this.active ? 0 : -1, className: 'counter', title },
            element('span', { textContent: labelOf(screen) }), element('span', { className: 'quiet', textContent: countWords(screen) }));
    }
    /* Its time becomes the range; several are shown closer, so that one can be chosen. */
    chooseFrame(frame) {
        const { time } = this;
        this.say(frameWords(frame, durationWords));
        if (frame.n > 1)
            return time.zoomTo(frame);
        time.reveal(frame);
        return time.chooseRange({ from: frame.begin, to: frame.begin + frame.length });
    }
    frameUnder({ offsetX: x, offsetY: y }) {
        const row = this.rows[this.rowAt(y)], { screen } = this.time.store.best(this.time.window) ?? {};
        return row?.screen === undefined || !screen ? undefined : frameAt(screen, this.nsAt(x), y + this.scroll.scrollTop - row.y < LANE_PX / 2 ? 0 : 1);
    }
    toggle(i) {
        const { screen } = this.rows[i] ?? {}, late = screen && nextLate(screen, this.time.range?.from ?? -1);
        if (late !== undefined)
            return void this.chooseFrame(late);
        const { lane, group } = this.rows[i] ?? {}, set = group === undefined ? this.open : this.unfolded, key = group ?? lane?.track;
        if (key === undefined || (this.isChart && group === undefined))
            return;
        set.delete(key) || set.add(key);
        this.active = i;
        this.namesKey = '';
        this.time.tell('arranged');
        this.reveal(i);
    }
    pin(i) {
        const track = this.rows[i]?.lane?.track;
        if (track === undefined || this.isChart)
            return;
        this.pinned.delete(track) || this.pinned.add(track);
        this.time.tell('arranged');
    }
    reveal(i) {
        const { y, height } = this.rows[i], { scrollTop: top, clientHeight } = this.scroll;
        if (y < top || y + Math.min(height, clientHeight) > top + clientHeight)
            this.scroll.scrollTop = y;
    }

    /* ---- drawing ---- */

    redraw() {
        if (this.drawing)
            return;
        this.drawing = requestAnimationFrame(() => {
            this.drawing = undefined;
            this.draw();
        });
    }
    fit(canvas, width, height) {
        const ratio = devicePixelRatio, context = canvas.getContext('2d');
        if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
            Object.assign(canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
            Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
        }
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        return context;
    }
    draw() {
        const { time, scroll } = this;
        if (!this.root.isConnected)
            return this.end();
        if (scroll.clientHeight === 0 || !scroll.checkVisibility())     /* folded */
            return undefined;
        if (time.window === null)
            return time.want();
        this.root.classList.toggle('has-processes', this.lanes().some(({ behind }) => behind !== ''));
        const began = performance.now(), { width } = this, height = scroll.clientHeight;
        this.arrange();
        time.want();     /* first, so that the service works meanwhile */
        const pen = new Pen(this.fit(this.canvas, width, height), time.window, width, this.colours);
        pen.height = height;
        pen.fill('paper', 0, 0, width, height);
        for (const row of this.rows)
            if (row.y + row.height > scroll.scrollTop && row.y < scroll.scrollTop + height)
                this.drawRow(pen, row, row.y - scroll.scrollTop);
        pen.frames(time.hertz, height);
        if (time.store.whole.overflow)
            pen.fill('long', pen.x(time.whole.to) - 2, 0, 2, height);
        if (time.range !== null)
            pen.range(time.range, height, false);
        this.drawRuler(width);
        this.root.dataset.state = time.store.isFine ? 'ready' : 'asking';
        this.root.dataset.workMs = (performance.now() - began).toFixed(2);
        return undefined;
    }
    drawRow(pen, { lane, lanes, group, counter, screen, height }, y) {
        const { time, isChart } = this, { store } = time, list = lane === undefined ? lanes : [lane];
        if (counter !== undefined)
            return this.drawCounter(pen, counter, y, height - 2);
        if (screen !== undefined)
            return pen.screen(store.best(time.window).screen, y);
        if (list.length === 0)
            return undefined;
        pen.ground(list.length === 1 ? lane : { begin: Math.min(...list.map(({ begin }) => begin)), end: Math.max(...list.map(({ end }) => end)) }, y, height - 2);
        const answer = store.best(time.window);
        pen.activity(answer, pictureOf(answer, list, lane?.track ?? group, this.colours, time.byMethod), y);
        const marking = store.best(time.window, one => one.markOf === time.mark.id && time.mark.id !== '');
        for (const { track } of marking === undefined ? [] : list)
            if (marking.lanes.get(track)?.markShares)
                pen.marks(marking, marking.lanes.get(track), y);
        if (lane === undefined)
            return undefined;
        pen.messages(answer.messages.filter(({ track }) => track === lane.track), y);
        const stack = isChart || this.open.has(lane.track) ? this.stackOf(lane.track) : undefined, top = y + LANE_PX + 2;
        if (stack !== undefined)
            pen.stack(stack, top, this.rowPx, { mark: time.mark.id, found: this.found, byMethod: time.byMethod });
        else if (isChart || this.open.has(lane.track))
            pen.say('loading', pen.width / 2, top + this.rowPx / 2);
        const { selected } = time;
        if (selected?.track === lane.track)
            stack === undefined ? pen.outline('focus', selected, y, LANE_PX) : pen.outline('focus', selected, top + (selected.depth - 1) * this.rowPx, this.rowPx);
        return undefined;
    }
    drawCounter(pen, { key }, y, height) {
        const answer = this.time.store.best(this.time.window), counter = answer.counters.get(key);
        pen.ground({ begin: this.time.whole.from, end: this.time.whole.to }, y, height);
        if (counter !== undefined)
            pen.counter(answer, counter, y, height);
    }
    /* What was said of all of the recording, if it can be with the methods that are to be seen. */
    wholeAnswer() {
        const { store, whole, byMethod } = this.time, best = byMethod ? store.best(whole, ({ from, to, hasMethods }) => hasMethods && from <= whole.from && to >= whole.to) : undefined;
        return best ?? store.whole;
    }
    /* All of the recording with the window in it, and below it the times of the window. */
    drawRuler(width) {
        const { time } = this, context = this.fit(this.ruler, width, MAP_PX + RULER_PX), all = new Pen(context, time.whole, width, this.colours);
        const lanes = this.isChart ? this.lanes() : this.lanes().slice(0, 1), picture = pictureOf(this.wholeAnswer(), lanes, `map ${lanes[0]?.track}`, this.colours, time.byMethod);
        all.fill('beyond', 0, 0, width, MAP_PX);
        if (picture !== null)
            context.drawImage(picture, 0, 0, picture.width, picture.height, 0, 0, width, MAP_PX - 1);
        const [x, long] = all.span(time.window.from, time.window.to);
        context.strokeStyle = this.colours.focus.css;
        context.lineWidth = 2;
        context.strokeRect(Math.max(x, 1), 1, Math.min(Math.max(long, 3), width - 2), MAP_PX - 2);
        context.save();
        context.translate(0, MAP_PX);
        const pen = new Pen(context, time.window, width, this.colours);
        pen.ruler();
        if (time.range !== null)
            pen.range(time.range, RULER_PX, true);
        context.restore();
    }

    /* ---- where something is ---- */

    nsAt(x) {
        const { from, to } = this.time.window;
        return from + x / this.width * (to - from);
    }
    rowAt(y) {
        const at = y + this.scroll.scrollTop;
        return this.rows.findIndex(row => at >= row.y && at < row.y + row.height);
    }
    callUnder({ offsetX: x, offsetY: y }) {
        const row = this.rows[this.rowAt(y)], stack = row?.lane === undefined ? undefined : this.isChart || this.open.has(row.lane.track) ? this.stackOf(row.lane.track) : undefined;
        if (stack === undefined)
            return undefined;
        const level = Math.floor((y + this.scroll.scrollTop - row.y - LANE_PX - 2) / this.rowPx);
        return level < 0 ? undefined : callAt(stack.rows[level], this.nsAt(x), SLACK_PX / this.width * (this.time.window.to - this.time.window.from));
    }
    tipAt(event) {
        const { time } = this, call = this.callUnder(event), row = this.rows[this.rowAt(event.offsetY)];
        if (call !== undefined)
            return callWords(call, time.threadOf(call.track));
        if (row?.screen !== undefined) {
            const frame = this.frameUnder(event);
            return frame === undefined ? `${row.label}: ${countWords(row.screen)}` : frameWords(frame, durationWords);
        }
        if (row?.counter !== undefined)
            return this.valueAt(row.counter, this.nsAt(event.offsetX));
        if (row?.lane === undefined)
            return row === undefined ? '' : nameOf(row);
        const answer = time.store.best(time.window), lane = answer.lanes.get(row.lane.track), at = this.nsAt(event.offsetX);
        const i = Math.floor((at - answer.from) / (answer.to - answer.from) * answer.places), shares = lane?.shares?.map(share => share[i] ?? 0);
        if (shares === undefined || at < row.lane.begin || at > row.lane.end)
            return `${nameOf(row)}: no records here`;
        const parts = shares.map((share, k) => [CLASSES[k], share]).filter(([, share]) => share > 0).sort((a, b) => b[1] - a[1]);
        const message = answer.messages.find(one => one.track === row.lane.track && one.begin <= at && at < one.begin + one.length);
        const method = time.byMethod && answer.frames[lane.methods?.[i] - 1];
        return [nameOf(row), parts.map(([word, share]) => `${word} ${Math.round(share / 51 * 100)} %`).join(', ') || 'in no call', ...method ? [`most of its work: ${method.text}`] : [],
                ...message === undefined ? [] : [messageWords([message])],
                `${(lane.counts[i] ?? 0).toLocaleString('en')} calls begin within ${durationWords((answer.to - answer.from) / answer.places)}`].join(' \u00b7 ');
    }

    /* The value of a counter at a time, and how it went in the window. */
    valueAt({ key }, ns) {
        const answer = this.time.store.best(this.time.window), counter = answer.counters.get(key), place = Math.floor((ns - answer.from) / (answer.to - answer.from) * counter.places);
        const step = stepAt(counter, place);
        const value = step === undefined ? 'not read yet' : step.place === place && step.low !== step.high ? rangeWords(step.low, step.high, counter) : valueWords(step.last, counter);
        return `${nameOf({ counter })} \u00b7 ${value} at ${durationWords(ns)} \u00b7 ${this.counterWords(counter)}`;
    }
    counterWords({ key }) {
        const { window, store } = this.time, answer = store.best(window), counter = answer.counters.get(key), perPlace = (answer.to - answer.from) / counter.places;
        const range = rangeWithin(counter, Math.max(0, Math.floor((window.from - answer.from) / perPlace)), Math.ceil((window.to - answer.from) / perPlace));
        return range === undefined ? 'no reading in view' : `${rangeWords(range.least, range.most, counter)} in view`;
    }

    /* ---- what is done ---- */

    zoom(factor, x = this.width / 2) {
        this.goTo(zoomed(this.time.window, this.time.whole, factor, this.nsAt(x)));
    }
    pan(share) {
        const { window, whole } = this.time;
        this.goTo(panned(window, whole, share * (window.to - window.from)));
    }
    /* What is missing is asked for before the next frame is drawn. */
    goTo(window) {
        this.time.show(window);
        this.time.want();
    }
    choose(call) {
        if (call === undefined)
            return;
        this.time.choose(call);
        this.say(callWords(call, this.time.threadOf(call.track)));
    }
    say(words) {
        this.said.textContent = words;
    }
    /* What the threads of a row did in the window. */
    wordsOf(row) {
        const { lane, lanes, counter, screen } = row;
        if (screen !== undefined)
            return `${row.label}: ${countWords(screen)}`;
        if (counter !== undefined)
            return `${nameOf(row)}: ${this.counterWords(counter)}`;
        if (lanes?.length === 0)
            return nameOf(row);
        const { window, store } = this.time, answer = store.best(window), perPlace = (answer.to - answer.from) / answer.places;
        const [first, last] = [Math.max(0, Math.floor((window.from - answer.from) / perPlace)), Math.min(answer.places, Math.ceil((window.to - answer.from) / perPlace))];
        const sums = CLASSES.map(() => 0);
        let calls = 0;
        for (const { shares, counts } of (lanes ?? [lane]).map(({ track }) => answer.lanes.get(track)).filter(one => one?.shares))
            for (let i = first; i < last; i++) {
                shares.forEach((share, k) => { sums[k] += share[i]; });
                calls += counts[i];
            }
        const all = 51 * (last - first) * (lanes?.length ?? 1);
        const parts = CLASSES.map((word, k) => [word, sums[k] / all]).filter(([, share]) => share > 0).map(([word, share]) => `${word} ${share < 0.01 ? '<1' : Math.round(share * 100)} %`);
        const messages = answer.messages.filter(one => one.track === lane?.track && one.begin < window.to && one.begin + one.length > window.from);
        return [`${nameOf(row)}: ${parts.join(', ') || 'in no call'}`, ...messages.length === 0 ? [] : [messageWords(messages)], `${calls.toLocaleString('en')} calls`].join(' \u00b7 ');
    }
    /* The first call of the lane that is looked at, or the one beside the chosen one. */
    move(way) {
        const { selected } = this.time, stack = selected === null ? undefined : this.stackOf(selected.track);
        if (stack === undefined) {
            const row = this.rows.find(({ lane }) => lane !== undefined && this.stackOf(lane.track) !== undefined && (this.isChart || this.open.has(lane.track)));
            const first = row === undefined ? undefined : this.stackOf(row.lane.track).rows[0]?.find(({ begin, length }) => begin + length > this.time.window.from);
            return this.choose(first);
        }
        const next = neighbour(stack, selected, way);
        if (next === undefined)
            return this.say(`There is no ${{ parent: 'caller', child: 'callee', next: 'later call at this depth', previous: 'earlier call at this depth' }[way]} here.`);
        this.choose(next);
        const { from, to } = this.time.window;
        if (next.begin > to || next.begin + next.length < from)
            this.time.reveal(next);
        return this.revealDepth(next);
    }
    revealDepth({ track, depth }) {
        const row = this.rows.find(({ lane }) => lane?.track === track);
        if (row === undefined)
            return;
        const y = row.y + LANE_PX + 2 + (depth - 1) * this.rowPx, { scrollTop: top, clientHeight } = this.scroll;
        if (y < top || y + this.rowPx > top + clientHeight)
            this.scroll.scrollTop = y - clientHeight / 2;
    }
    /* The next call in time whose method is searched for. */
    findNext(way) {
        if (this.found === null)
            return this.say('');
        const { selected } = this.time, all = this.lanes().flatMap(({ track }) => this.stackOf(track)?.rows.flat() ?? []).filter(call => call.frame !== null && this.found(call.frame));
        const next = stepped(all, selected, way) ?? stepped(all, null, way);
        if (next === undefined)
            return this.say('No call that is seen here matches.');
        this.choose(next);
        this.time.reveal(next);
        return this.revealDepth(next);
    }
    async stepMark(way) {
        const { time } = this, { frame } = time.selected ?? {};
        if (time.mark.id === '' && frame)
            time.markMethod(frame.id, frame.text);
        await time.step(way);
        if (time.selected !== null)
            this.say(callWords(time.selected, time.threadOf(time.selected.track)));
    }
    press(event) {
        const { time } = this, acts = {
            w: () => this.zoom(1 / ZOOM), s: () => this.zoom(ZOOM), a: () => this.pan(-PAN), d: () => this.pan(PAN), '+': () => this.zoom(1 / ZOOM), '-': () => this.zoom(ZOOM),
            ArrowLeft: () => this.move('previous'), ArrowRight: () => this.move('next'), ArrowUp: () => this.move('parent'), ArrowDown: () => this.move('child'),
            Enter: () => time.selected && time.zoomTo(time.selected), n: () => this.stepMark('next'), N: () => this.stepMark('previous'), l: () => this.stepMark('longest'),
            r: () => time.chooseRange(time.window), Home: () => time.showAll(), Escape: () => time.showAll(),
        };
        if (event.ctrlKey || event.altKey || event.metaKey || !(event.key in acts) || time.window === null)
            return;
        event.preventDefault();
        event.stopPropagation();
        acts[event.key]();
    }
    pressName(event) {
        const to = { ArrowDown: this.active + 1, ArrowUp: this.active - 1, Home: 0, End: this.rows.length - 1 }[event.key];
        if (event.key === 'p')
            this.pin(this.active);
        if (to === undefined && event.key !== 'p')
            return;
        event.preventDefault();
        event.stopPropagation();
        this.activate(Math.min(Math.max(to ?? this.active, 0), this.rows.length - 1));
        this.arrange();
        this.names.querySelector('[tabindex="0"]')?.focus({ preventScroll: true });
        this.reveal(this.active);
    }

    /* ---- the pointer ---- */

    listen() {
        const { canvas, ruler, names, scroll, time } = this, pointers = new Map();
        let drag = null;
        const wheel = event => {
            if (time.window === null)
                return;
            event.preventDefault();
            const along = event.shiftKey ? event.deltaX || event.deltaY : event.deltaX;
            if (Math.abs(along) > Math.abs(event.shiftKey ? 0 : event.deltaY))
                return this.pan(along / this.width);
            return this.zoom(1.0015 ** Math.max(-400, Math.min(400, event.deltaMode === 1 ? event.deltaY * 30 : event.deltaY)), event.offsetX);
        };
        const down = event => {
            if (event.button !== 0 || time.window === null)
                return;
            event.target.setPointerCapture(event.pointerId);
            pointers.set(event.pointerId, event.offsetX);
            if (pointers.size === 2)
                drag = { pinch: Math.abs([...pointers.values()].reduce((a, b) => a - b)), window: time.window };
            else
                drag = { x: event.offsetX, y: event.offsetY, top: scroll.scrollTop, window: time.window, range: time.range, moved: false,
                         isMap: event.target === ruler && event.offsetY < MAP_PX, isRange: event.shiftKey || (event.target === ruler && event.offsetY >= MAP_PX) };
        };
        const moved = event => {
            if (pointers.has(event.pointerId))
                pointers.set(event.pointerId, event.offsetX);
            if (drag === null)
                return this.hover(event);
            if (drag.pinch !== undefined && pointers.size === 2) {
                const [a, b] = [...pointers.values()], { from, to } = drag.window;
                return time.show(zoomed(drag.window, time.whole, drag.pinch / Math.max(Math.abs(a - b), 10), from + (a + b) / 2 / this.width * (to - from)));
            }
            drag.moved ||= Math.hypot(event.offsetX - drag.x, event.offsetY - drag.y) > CLICK_PX;
            return drag.moved ? this.dragged(drag, event) : undefined;
        };
        const up = event => {
            pointers.delete(event.pointerId);
            if (drag?.isRange && drag.moved && !drag.isMap)
                event.type === 'pointerup' ? time.chooseRange(time.range) : time.setRange(drag.range);
            else if (drag !== null && !drag.moved && drag.pinch === undefined && event.type === 'pointerup')
                this.clicked(event, drag);
            drag = null;
        };
        for (const place of [canvas, ruler]) {
            place.addEventListener('wheel', wheel, { passive: false });
            place.addEventListener('pointerdown', down);
            place.addEventListener('pointermove', moved);
            place.addEventListener('pointerup', up);
            place.addEventListener('pointercancel', up);
            place.addEventListener('pointerleave', () => { this.tip.hidden = true; });
        }
        canvas.addEventListener('dblclick', event => {
            const call = this.callUnder(event);
            call === undefined ? this.zoom(0.5, event.offsetX) : time.zoomTo(call);
        });
        canvas.addEventListener('keydown', event => this.press(event));
        names.addEventListener('keydown', event => this.pressName(event));
        names.addEventListener('click', ({ target }) => target.closest('li') && this.toggle(Number(target.closest('li').dataset.row)));
        names.addEventListener('focusin', ({ target }) => {
            this.activate(Number(target.closest('li').dataset.row));
            if (time.window !== null)
                this.tellRow(this.rows[this.active]);
        });
        names.addEventListener('focusout', () => this.showTip(''));
        scroll.addEventListener('scroll', () => this.redraw(), { passive: true });
        for (const query of ['(prefers-color-scheme: dark)', '(forced-colors: active)'])
            matchMedia(query).addEventListener('change', () => {
                this.look();
                this.redraw();
            }, { signal: this.ended.signal });     /* which would keep it for as long as the page is there */
    }
    dragged(drag, event) {
        const { time } = this, { from, to } = drag.window;
        this.tip.hidden = true;
        if (drag.isMap) {
            const at = time.whole.from + event.offsetX / this.width * (time.whole.to - time.whole.from);
            return time.show({ from: at - (to - from) / 2, to: at + (to - from) / 2 });
        }
        if (drag.isRange) {
            const [a, b] = [drag.x, Math.min(Math.max(event.offsetX, 0), this.width)].map(x => this.nsAt(x)).sort((one, other) => one - other);
            return time.setRange({ from: a, to: b });
        }
        if (event.target === this.canvas)
            this.scroll.scrollTop = drag.top - (event.offsetY - drag.y);
        return time.show(panned(drag.window, time.whole, (drag.x - event.offsetX) / this.width * (to - from)));
    }
    clicked(event, drag) {
        if (drag.isMap)
            return this.dragged(drag, event);
        const call = this.callUnder(event), i = this.rowAt(event.offsetY), frame = event.target === this.canvas ? this.frameUnder(event) : undefined;
        if (frame !== undefined)
            return this.chooseFrame(frame);
        if (event.target !== this.canvas)
            return undefined;
        if (call !== undefined)
            return this.choose(call);
        if (i >= 0)
            this.activate(i);
        return undefined;
    }
    /* Beside its name, for those who go through them by keys. */
    tellRow(row) {
        const words = this.wordsOf(row);
        this.say(words);
        this.showTip(words, this.names.offsetWidth + 4, this.scroll.offsetTop + row.y - this.scroll.scrollTop - 2);
    }
    showTip(words, left = 0, top = 0) {
        const { tip, root } = this;
        tip.textContent = words;
        tip.hidden = words === '';
        tip.style.left = `${Math.min(left, Math.max(root.clientWidth - tip.offsetWidth - 4, 0))}px`;
        tip.style.top = `${top}px`;
    }
    hover(event) {
        if (event.target !== this.canvas || event.pointerType === 'touch' || this.time.window === null)
            return;
        const box = this.root.getBoundingClientRect();
        this.showTip(this.tipAt(event), event.clientX - box.left + 12, event.clientY - box.top + 16);
    }
}
