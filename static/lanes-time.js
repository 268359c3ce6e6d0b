/* What all places that show lanes share: the window of time, the chosen call, the marked method, the range, and what the service
 * said. Events: `window`, `came`, `chosen`, `marked`, `ranged` (by a person), `arranged` (rows were opened or pinned). */
import { readAnswer, stepped, within } from './lanes-model.js';
import { laneStore, widthWords } from './lanes-store.js';

const STACKS_MAX = 32, MARKS_ALL = 200;

export class Time extends EventTarget {
    constructor(base) {
        super();
        Object.assign(this, { window: null, first: null, jumped: false, selected: null, mark: { id: '', name: '' }, range: null, hertz: 0, byMethod: false, problem: '', px: 1 });
        this.places = new Set();
        this.store = laneStore(base, error => {
            this.problem = error === undefined ? '' : error.message;
            if (this.window === null && this.store.whole !== null)
                this.window = within(this.first ?? this.whole, this.whole);
            this.tell('came');
        });
        this.base = base;
        this.stepping = Promise.resolve();
    }
    get whole() {
        return this.store.whole?.whole ?? { from: 0, to: 1 };
    }
    tell(name) {
        this.dispatchEvent(new CustomEvent(name));
        for (const place of this.places)
            place.redraw();
    }
    /* Asks for what all places show together. */
    want() {
        this.px = Math.max(...Array.from(this.places, place => place.width), 1) * Math.min(devicePixelRatio, 2);
        const stacks = [...new Set(Array.from(this.places, place => place.wantedStacks()).flat())].slice(-STACKS_MAX).sort((a, b) => a - b);
        this.store.want({ window: this.window ?? this.whole, px: this.px, stacks, mark: this.mark.id, byMethod: this.byMethod });
    }
    /* `isJump`: to another place, which somebody may want to come back from. */
    show(window, isJump = false) {
        this.window = within(window, this.whole);
        this.jumped ||= isJump;
        this.tell('window');
    }
    showAll() {
        this.show(this.whole, true);
    }
    /* The part of the recording that all views are of; null: all of it. */
    setRange(range) {
        this.range = range;
        this.tell('window');
    }
    /* As setRange, by a person. */
    chooseRange({ from, to }) {
        this.setRange({ from: Math.max(Math.floor(from), 0), to: Math.max(Math.ceil(to), Math.floor(from) + 1) });
        this.tell('ranged');
    }
    choose(call) {
        this.selected = call;
        this.tell('chosen');
    }
    markMethod(id, name) {
        if (id === this.mark.id && !this.mark.isLost)
            return;
        const mark = { id, name, at: -1, lists: undefined, isLost: false, asked: Promise.resolve() };
        this.mark = mark;
        if (id !== '')
            mark.asked = this.listsOf(id).then(lists => { mark.lists = lists; }, () => { mark.isLost = true; }).then(() => this.tell('came'));
        this.tell('marked');
    }
    /* Of a method in all of the recording, or from or to a time: how many calls, the first, the last and the longest. The question is the
     * one that the store has, where all of the recording is shown: the service plays it once for both. */
    async listsOf(id, key, ns) {
        const url = new URL(this.base);
        url.searchParams.set('mark', id);
        url.searchParams.set('width', widthWords(key === undefined ? this.px : 1));
        if (key !== undefined)
            url.searchParams.set(key, String(ns / 1000));
        const answer = await fetch(url, { headers: { Accept: 'application/json' } });
        if (!answer.ok)
            throw new Error(`the service answered ${answer.status}`);
        return readAnswer(await answer.json()).mark;
    }
    threadOf(track) {
        const lane = this.store.whole?.lanes.get(track);
        return lane === undefined ? String(track) : `${lane.name}${lane.behind}`;
    }
    /* The track with the samples of that track's thread, or undefined. */
    samplesOf(track) {
        return [...this.store.whole?.lanes.values() ?? []].find(({ beside }) => beside === track)?.track;
    }
    /* Moves so that the call can be seen, closer only if it would be too narrow. */
    reveal(call) {
        const { from, to } = this.window, length = to - from;
        if (call.length > length || call.length < length / 100)
            this.show({ from: call.begin - call.length, to: call.begin + 2 * call.length }, true);
        else if (call.begin < from || call.begin + call.length > to)
            this.show({ from: call.begin + call.length / 2 - length / 2, to: call.begin + call.length / 2 + length / 2 });
        else
            this.tell('window');
    }
    zoomTo(call) {
        const margin = Math.max(call.length * 0.05, 500);
        this.show({ from: call.begin - margin, to: call.begin + call.length + margin }, true);
    }
    /* To another call of the marked method: 'next', 'previous' in time on any thread, 'longest' and then by length. One step after the
     * other: each begins where the one before it has led. */
    step(way) {
        this.stepping = this.stepping.then(() => this.stepNow(way)).catch(() => {});     /* the service does not answer: it stays where it is */
        return this.stepping;
    }
    async stepNow(way) {
        const { mark, selected } = this, isNext = way === 'next';
        await mark.asked;
        const { lists } = mark;
        if (lists === undefined || lists.calls === 0 || mark !== this.mark)
            return;
        if (way === 'longest') {
            mark.at = (mark.at + 1) % lists.longest.length;
            this.choose(lists.longest[mark.at]);
            return this.zoomTo(lists.longest[mark.at]);     /* so that what others did meanwhile is beside it */
        }
        let list = isNext ? lists.first : lists.last;
        if (lists.calls > MARKS_ALL && selected !== null)     /* more than are listed: those nearest to it */
            list = (isNext ? await this.listsOf(mark.id, 'from', selected.begin) : await this.listsOf(mark.id, 'to', selected.begin + 1))[isNext ? 'first' : 'last'];
        if (mark === this.mark)
            this.stepTo(stepped(list, selected, way) ?? (isNext ? lists.first[0] : lists.last[0]));
    }
    stepTo(call) {
        this.choose(call);
        this.reveal(call);
    }
}
