/* What the service has said of lanes, and what it has still to be asked. Knows no document but fetch. */
import { asked, bestOf, fineness, readAnswer } from './lanes-model.js';

const KEPT = 10, ASKED_MAX = 2, WIDTH_MIN = 200, WIDTH_MAX = 10_000;

const perPx = ({ window, px }) => (window.to - window.from) / px;

/* The answer behind the window that has all that is wanted, and was asked to be as fine as the picture: of many threads the service
 * gives fewer places than that, and would not give more. */
function found(answers, wanted) {
    const fits = one => one.markOf === wanted.mark && (one.hasMethods || !wanted.byMethod) && wanted.stacks.every(track => one.stacks.has(track));
    return bestOf(answers.filter(one => fits(one) && (one.to - one.from) / one.width <= perPx(wanted) * 1.05), wanted.window);
}

/* Whether a small step would lead out of it. */
function isNearEdge({ from, to, whole }, { window }) {
    const margin = (window.to - window.from) / 8;
    return (from > whole.from && window.from - from < margin) || (to < whole.to && to - window.to < margin);
}

/* What to ask for: the address, or null for all of the recording that is not known yet. */
function questionOf(base, wanted, whole) {
    const { stacks, mark, byMethod, px } = wanted, url = new URL(base), all = whole === null ? null : asked(wanted.window, whole);
    const isAll = all === null || (all.from <= whole.from && all.to >= whole.to), width = all === null ? px : Math.min((all.to - all.from) / perPx(wanted), all.to - all.from);     /* a place has at least 1 ns */
    if (!isAll)
        ['from', 'to'].forEach(key => url.searchParams.set(key, String(all[key] / 1000)));
    url.searchParams.set('width', String(Math.round(Math.min(Math.max(width, WIDTH_MIN), WIDTH_MAX))));
    if (stacks.length > 0)
        url.searchParams.set('stacks', stacks.join(','));
    if (mark !== '')
        url.searchParams.set('mark', mark);
    if (byMethod)
        url.searchParams.set('methods', '1');
    return { url, isAll, mark, byMethod, all };
}

/* Whether nobody waits for it any more: what is wanted now lies elsewhere, has another mark or other colours. */
const isStale = ({ isAll, mark, byMethod, all }, wanted) => !isAll && (mark !== wanted.mark || byMethod !== wanted.byMethod || all.from >= wanted.window.to || all.to <= wanted.window.from);

/* `base` is the address of /lanes in the state of the page. `changed(error)` is called when something came. */
export function laneStore(base, changed) {
    const answers = [], asking = new Map(), done = new Set();     /* by address: how to end a question; what was answered once is here, or is of no use */
    let whole = null, wanted = null, isEnded = false;

    async function ask(question) {
        const { url, isAll, mark, byMethod } = question, ended = new AbortController();
        if (asking.has(url.href) || done.has(url.href))
            return;
        asking.set(url.href, { question, ended });
        try {
            const got = await fetch(url, { headers: { Accept: 'application/json' }, signal: ended.signal });
            const answer = got.ok ? readAnswer(await got.json()) : null;
            if (isEnded)
                return;
            done.add(url.href);
            if (answer === null)
                return void changed(new Error(`the service answered ${got.status}`));
            keep(Object.assign(answer, { markOf: mark, hasMethods: byMethod, key: url.href }), isAll);
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

    function endStale() {
        for (const [href, { question, ended }] of asking)
            if (isStale(question, wanted)) {
                asking.delete(href);
                ended.abort();
            }
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

    function follow() {
        const best = wanted === null || whole === null ? undefined : found(answers, wanted);
        if (wanted === null || (best !== undefined && !isNearEdge(best, wanted)))
            return;
        endStale();
        if (asking.size < ASKED_MAX)
            ask(questionOf(base, wanted, whole?.whole ?? null));
    }

    return {
        /* The first one asked for decides what the whole is. */
        want(next) {
            wanted = next;
            follow();
        },
        get whole() { return whole; },
        /* Whether what is wanted is here, as fine as can be had. */
        get isFine() { return whole !== null && (found(answers, wanted) !== undefined || done.has(questionOf(base, wanted, whole.whole).url.href)); },
        /* What is drawn of a window, the best first: `has` tells whether an answer is of use. */
        best: (window, has = () => true) => {
            const usable = answers.filter(has), coloured = wanted?.byMethod ? usable.filter(one => one.hasMethods) : [];
            return bestOf(coloured, window) ?? bestOf(usable, window) ?? usable.filter(({ from, to }) => from < window.to && to > window.from).sort((a, b) => fineness(a) - fineness(b))[0];
        },
        end() {
            isEnded = true;
            asking.forEach(({ ended }) => ended.abort());
        },
    };
}
