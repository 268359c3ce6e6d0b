/* Opens an export in the page of another tool, by a person's click: the link beside the button leads to the export, and the button says
 * whose page that is. How each of them takes it is told by its documentation: "Deep linking to the Perfetto UI", "Loading in profiles from various
 * sources" of the Firefox Profiler, "Importing via URL" of speedscope. */
const ASK_MS = 200, WAIT_MS = 60_000;

async function bytesOf(url) {
    const answer = await fetch(url);
    if (!answer.ok)
        throw new Error((await answer.json().catch(() => ({}))).detail ?? `The service answers ${answer.status}.`);
    return answer;
}

async function unpacked(answer) {
    return new Response(answer.body.pipeThrough(new DecompressionStream('gzip'))).json();
}

/* Those that are given it: where they are ready to take it, what they are asked whether they are, what they answer, and what they are told. */
const GIVEN = {
    perfetto: {
        path: '/', ask: 'PING', ready: data => data === 'PONG',
        content: async (answer, title) => ({ perfetto: { buffer: await answer.arrayBuffer(), title } })
    },
    firefox: {
        path: '/from-post-message/', ask: { name: 'is-ready' }, ready: data => data?.name === 'is-ready',
        content: async answer => ({ name: 'inject-profile', profile: await unpacked(answer) })
    }
};

/* Until the other page listens it hears nothing: it is asked again and again. */
function isReady(tab, origin, { ask, ready }) {
    return new Promise((resolve, reject) => {
        const end = problem => {
            clearInterval(timer);
            removeEventListener('message', heard);
            problem === undefined ? resolve() : reject(new Error(problem));
        };
        const heard = event => event.source === tab && event.origin === origin && ready(event.data) && end();
        const begun = Date.now();
        const timer = setInterval(() => {
            if (tab.closed)
                end('Its page was closed.');
            else if (Date.now() - begun > WAIT_MS)
                end('Its page does not answer.');
            else
                tab.postMessage(ask, origin);
        }, ASK_MS);
        addEventListener('message', heard);
    });
}

async function give(link, at, how, title) {
    const { origin } = new URL(at), tab = open(at + how.path);
    if (tab === null)
        throw new Error('The browser has blocked the new page. Let this site open pages, and try again.');
    const [content] = await Promise.all([bytesOf(link.href).then(answer => how.content(answer, title)), isReady(tab, origin, how)]);
    tab.postMessage(content, origin);
}

async function openIn(button, link, status, title) {
    const { openIn: name, at } = button.dataset;
    if (GIVEN[name] === undefined) {
        open(`${at}/#profileURL=${encodeURIComponent(link.href)}`, '_blank', 'noopener');
        return;
    }
    button.disabled = true;
    status.textContent = ' Opening \u2026';
    try {
        await give(link, at, GIVEN[name], title);
        status.textContent = '';
    } catch (error) {
        status.textContent = ` ${error.message}`;
    } finally {
        button.disabled = false;
    }
}

/* Every button [data-open-in] of the page, now and when its parts are made anew. */
export function startOpenIn() {
    document.addEventListener('click', event => {
        const button = event.target.closest('button[data-open-in]'), line = button?.closest('li');
        if (line)
            openIn(button, line.querySelector('a'), line.querySelector('[role="status"]'), document.title);
    });
}
