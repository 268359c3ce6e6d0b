/* What the service has said of lanes, and what it has still to be asked. Knows no document but fetch. */
import { asked, bestOf, fineness, readAnswer } from './lanes-model.js';

const KEPT = 10, ASKED_MAX = 2, WIDTH_MIN = 200, WIDTH_MAX = 10_000, REST_MS = 150;

/* How many places a question asks for. */
export const widthWords = px => String(Math.round(Math.min(Math.max(px, WIDTH_MIN), WIDTH_MAX)));

const perPx = ({ window, px }) => (window.to - window.from) / px;

const isFineEnough = ({ from, to }, width, wanted) => (to - from) / width <= perPx(wanted) * 1.05;

/* The answer behind the window that has all that is wanted, and was asked to be as fine as the picture: of many threads the service
 * gives fewer places than that, and would not give more. */
function found(answers, wanted) {
    const fits = one => one.markOf === wanted.mark && (one.hasMethods || !wanted.byMethod) && wanted.stacks.every(track => one.stacks.has(track));
    return bestOf(answers.filter(one => fits(one) && isFineEnough(one, one.width, wanted)), wanted.window);
}

/* Whether a small step would lead out of it. */
function isNearEdge({ from, to, whole }, { window }) {
    const margin = (window.to - window.from) / 8;
    return (from > whole.from && window.from - from < margin) || (to < whole.to && to - window.to < margin);
}

/* What to ask for. `hasMargin`: what is on both sides of the window, too. `whole`: null as long as it is not known; then it is asked for. */
function questionOf(base, wanted, whole, hasMargin) {
    const { stacks, mark, byMethod, px } = wanted, url = new URL(base), all = whole === null ? null : hasMargin ? asked(wanted.window, whole) : wanted.window;
    const isAll = all === null || (all.from <= whole.from && all.to >= whole.to), width = all === null ? px : Math.min((all.to - all.from) / perPx(wanted), all.to - all.from);     /* a place has at least 1 ns */
    if (!isAll)
        ['from', 'to'].forEach(key => url.searchParams.set(key, String(all[key] / 1000)));
    url.searchParams.set('width', widthWords(width));
    if (stacks.length > 0)
        url.searchParams.set('stacks', stacks.join(','));
    if (mark !== '')
        url.searchParams.set('mark', mark);
    if (byMethod)
        url.searchParams.set('methods', '1');
    return { url, isAll, mark, byMethod, all, hasMargin };
}

/* Whether nobody waits for it any more: what is wanted now lies elsewhere, has another mark or other colours; or it was asked for beside
 * another window, and is too little or too coarse for this one. */
function isStale({ url, isAll, mark, byMethod, all, hasMargin }, wanted) {
    if (isAll)
        return false;
    const { from, to } = wanted.window, width = Number(url.searchParams.get('width'));
    const isFine = width >= Math.min(WIDTH_MAX, Math.floor(all.to - all.from)) || isFineEnough(all, width, wanted);     /* or as fine as can be */
    const isOfUse = all.from <= from && all.to >= to && isFine;
    return mark !== wanted.mark || byMethod !== wanted.byMethod || all.from >= to || all.to <= from || (hasMargin && !isOfUse);
}

function endStale(asking, wanted) {
    for (const [href, { question, ended }] of asking)
        if (isStale(question, wanted)) {
            asking.delete(href);
            ended.abort();
        }
}

async function fetched({ url, mark, byMethod }, signal) {
    const got = await fetch(url, { headers: { Accept: 'application/json' }, signal });
    const answer = got.ok ? readAnswer(await got.json()) : null;
    if (answer === null)
        throw new Error(`the service answered ${got.status}`);
    return Object.assign(answer, { markOf: mark, hasMethods: byMethod, key: url.href });
}

/* What is drawn of a window until what is wanted comes, the best first. */
function nearest(answers, window, byMethod) {
    const coloured = byMethod ? answers.filter(one => one.hasMethods) : [], touching = ({ from, to }) => from < window.to && to > window.from;
    return bestOf(coloured, window) ?? bestOf(answers, window) ?? answers.filter(touching).sort((a, b) => fineness(a) - fineness(b))[0];
}

/* `base` is the address of /lanes in the state of the page. `changed(error)` is called when something came. */
export function laneStore(base, changed) {
    const answers = [], asking = new Map(), done = new Set();     /* by address: how to end a question; what was answered once is here, or is of no use */
    let whole = null, wanted = null, moves = false, rests = false, resting, isEnded = false;

    async function ask(question) {
        const { url, isAll } = question, ended = new AbortController();
        if (asking.has(url.href) || done.has(url.href))
            return;
        asking.set(url.href, { question, ended });
        try {
            const answer = await fetched(question, ended.signal);
            if (isEnded)
                return;
            done.add(url.href);
            keep(answer, isAll);
        } catch (error) {
            if (ended.signal.aborted || isEnded)
                return;
            done.add(url.href);     /* asked again only where somebody wants something else */
            changed(error);
        } finally {
            if (asking.get(url.href)?.ended === ended)
                asking.delete(url.href);
        }
        follow();
    }

    function keep(answer, isWhole) {
        if (isWhole && whole === null)     /* nobody could say before which window is wanted */
            [whole, wanted] = [answer, { ...wanted, window: answer.whole }];
        answers.push(answer);
        while (answers.length > KEPT) {
            const i = answers.findIndex(one => one !== whole);
            done.delete(answers[i].key);
            answers.splice(i, 1);
        }
        changed();
    }

    /* What is seen comes first, since less is there sooner. What is beside it is asked for when the window moves along or rests. */
    function follow() {
        const best = whole === null ? undefined : found(answers, wanted);
        if (best !== undefined && !((moves || rests) && isNearEdge(best, wanted)))
            return;
        endStale(asking, wanted);
        if (asking.size < ASKED_MAX)
            ask(questionOf(base, wanted, whole?.whole ?? null, moves || best !== undefined));
    }

    function rest() {
        rests = true;
        follow();
    }

    return {
        /* The first one asked for decides what the whole is. */
        want(next) {
            const { from, to } = next.window, before = wanted?.window;
            if (from !== before?.from || to !== before.to) {
                moves = Math.abs(to - from - (before?.to - before?.from)) <= 1;     /* ends are whole ns */
                rests = false;
                clearTimeout(resting);
                resting = setTimeout(rest, REST_MS);
            }
            wanted = next;
            follow();
        },
        get whole() { return whole; },
        /* Whether what is wanted is here, as fine as can be had. */
        get isFine() { return whole !== null && (found(answers, wanted) !== undefined || [false, true].some(hasMargin => done.has(questionOf(base, wanted, whole.whole, hasMargin).url.href))); },
        /* `has` tells whether an answer is of use. */
        best: (window, has = () => true) => nearest(answers.filter(has), window, wanted?.byMethod),
        end() {
            isEnded = true;
            clearTimeout(resting);
            asking.forEach(({ ended }) => ended.abort());
        },
    };
}
