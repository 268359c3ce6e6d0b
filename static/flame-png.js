/* The picture as a PNG file. It is painted anew, from its outlines and texts: a page's policy forbids a picture of the
 * picture, and what is not seen of it is wanted as well. */

const PAD = 10, ROW = 18, SIDE_MAX = 32000, AREA_MAX = 2e8;

const textOf = (svg, name) => svg.querySelector('.' + name).textContent;

/* {text, fill of its swatch or undefined}, of what is seen */
function legendOf(svg) {
    return Array.from(svg.querySelectorAll('.legend'))
        .filter(one => getComputedStyle(one).display !== 'none')
        .flatMap(one => Array.from(one.children, item => {
            const swatch = item.querySelector('rect');
            return { text: item.textContent.trim(), fill: swatch === null ? undefined : getComputedStyle(swatch).fill };
        }));
}

function paintLegend(pen, items, y, color) {
    let x = PAD;
    for (const { text, fill } of items) {
        if (fill !== undefined) {
            pen.fillStyle = fill;
            pen.fillRect(x, y - 10, 11, 11);
            x += 16;
        }
        pen.fillStyle = color;
        pen.fillText(text, x, y);
        x += pen.measureText(text).width + 16;
    }
}

function paintFrames(pen, svg, color) {
    pen.save();
    pen.scale(0.1, 0.1);     /* outlines are in tenths of a pixel */
    for (const path of svg.querySelectorAll('.graph > g > path')) {
        pen.fillStyle = getComputedStyle(path).fill;
        pen.fill(new Path2D(path.getAttribute('d')));
    }
    pen.restore();
    pen.fillStyle = color;
    for (const name of svg.querySelectorAll('.texts > text'))
        pen.fillText(name.textContent, name.getAttribute('x'), name.getAttribute('y'));
}

/* A canvas with title, warnings, legend and frames, twice as large as on the screen if a canvas can be. */
function painted(svg) {
    const { width, height: whole } = svg.viewBox.baseVal;
    const topPx = svg.querySelector('.graph').transform.baseVal.getItem(0).matrix.f;
    const said = [textOf(svg, 'title'), ...Array.from(svg.querySelectorAll('.head p'), row => row.textContent), textOf(svg, 'status')];
    const top = 14 + (said.length + 1) * ROW, height = whole - topPx + top;
    const scale = Math.min(2, SIDE_MAX / height, SIDE_MAX / width, Math.sqrt(AREA_MAX / (width * height)));
    const canvas = Object.assign(document.createElement('canvas'), { width: width * scale, height: height * scale });
    const { font, color, backgroundColor } = getComputedStyle(svg.querySelector('.bar'));
    const pen = canvas.getContext('2d');
    pen.scale(scale, scale);
    Object.assign(pen, { font, fillStyle: backgroundColor });
    pen.fillRect(0, 0, width, height);
    pen.fillStyle = color;
    said.forEach((words, i) => pen.fillText(words, PAD, 20 + i * ROW, width - 2 * PAD));
    paintLegend(pen, legendOf(svg), 20 + said.length * ROW, color);
    pen.translate(PAD, top);
    paintFrames(pen, svg, color);
    return canvas;
}

/* Downloads it, under the name of its title. For paper all names are drawn, otherwise those near the window. */
export function savePng(svg) {
    const { parentElement: scroller, parentElement: { scrollTop } } = svg;
    dispatchEvent(new Event('beforeprint'));
    const canvas = painted(svg);
    dispatchEvent(new Event('afterprint'));
    scroller.scrollTop = scrollTop;
    canvas.toBlob(blob => {
        const href = URL.createObjectURL(blob), name = textOf(svg, 'title').replace(/[^\w.-]+/g, '-').slice(0, 80);
        Object.assign(document.createElement('a'), { href, download: name + '.png' }).click();
        setTimeout(() => URL.revokeObjectURL(href), 60_000);
    });
}
