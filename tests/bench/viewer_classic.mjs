/* The classic form of a flame graph, to measure beside: every frame is a group of title, rectangle and text, and its
 * script walks through all of them for each zoom and each search. */

const LEVEL_PX = 16;

const escaped = text => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/* The heaviest nodes, parents before children; 0 is none, and 1 the root. */
function heaviest(data, count) {
    const total = data.total(0), order = Array.from(total.keys()).slice(1).sort((a, b) => total[b] - total[a] || a - b);
    return new Set(order.slice(0, count));
}

/* Runs in the picture. */
function classicScript() {
    const frames = Array.from(document.querySelectorAll('g[data-x]'), g => ({
        g, rect: g.querySelector('rect'), text: g.querySelector('text'), name: g.querySelector('title').textContent,
        x: Number(g.dataset.x), width: Number(g.dataset.w),
    }));
    const widthPx = Number(document.documentElement.getAttribute('width'));
    function show(from, width) {
        const scale = widthPx / width;
        for (const frame of frames) {
            const x = (frame.x - from) * scale, w = frame.width * scale, isSeen = x < widthPx && x + w > 0;
            frame.g.setAttribute('display', isSeen ? 'inline' : 'none');
            if (!isSeen)
                continue;
            const left = Math.max(0, x), room = Math.min(widthPx, x + w) - left;
            frame.rect.setAttribute('x', left);
            frame.rect.setAttribute('width', room);
            frame.text.setAttribute('x', left + 3);
            frame.text.textContent = room > 24 ? frame.name.slice(0, Math.floor(room / 7)) : '';
        }
    }
    document.addEventListener('click', event => {
        const g = event.target.closest('g[data-x]');
        if (g !== null)
            show(Number(g.dataset.x), Number(g.dataset.w));
    });
    globalThis.classic = {
        reset: () => show(0, widthPx),
        search(term) {
            const wanted = new RegExp(term);
            for (const { rect, name } of frames)
                rect.setAttribute('fill', wanted.test(name) ? '#e600e6' : '#f2a65a');
        },
    };
    dispatchEvent(new Event('classic-drawn'));
}

/* The text of the file. */
export function classicPicture(data, count, widthPx) {
    const total = data.total(0), kept = heaviest(data, count), scale = widthPx / total[1], made = [], stack = [[1, 0, 0]];
    let levels = 0;
    while (stack.length > 0) {
        const [node, level, at] = stack.pop(), { text } = data.frames[data.frame[node]];
        const x = (at * scale).toFixed(3), w = (total[node] * scale).toFixed(3), y = level * LEVEL_PX;
        levels = Math.max(levels, level + 1);
        made.push(`<g class="l${level}" data-x="${x}" data-w="${w}"><title>${escaped(text)}</title><rect x="${x}" y="${y}" width="${w}" ` +
                  `height="15" fill="#f2a65a"/><text x="${x}" y="${y + 11}">${w > 24 ? escaped(text.slice(0, Math.floor(w / 7))) : ''}</text></g>`);
        let start = at + data.self[0][node];
        for (let kid = node + 1; kid < node + data.size[node]; kid += data.size[kid]) {
            if (kept.has(kid))
                stack.push([kid, level + 1, start]);
            start += total[kid];
        }
    }
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${widthPx}" height="${levels * LEVEL_PX}" font-size="12" font-family="monospace">\n` +
        `<g>\n${made.join('\n')}\n</g>\n<script><![CDATA[(${classicScript})();]]></script>\n</svg>\n`;
}
