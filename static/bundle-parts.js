/* What a page that is one file has in itself: packed parts in elements, and the one answer of the service that its scripts ask for.
 * tools/bundle_script puts `answer` in place of fetch for all of them, so that nothing is ever asked elsewhere. */

async function unpacked({ textContent }) {
    const bytes = Uint8Array.from(atob(textContent), letter => letter.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')));
}

const elementOf = name => document.getElementById(`part-${name}`);

export const hasPart = name => elementOf(name) !== null;

/* As an answer of fetch. */
export const part = name => unpacked(elementOf(name));

/* The lanes of all of the recording, however wide they are wanted. */
export async function answer(url) {
    const isWhole = ['from', 'to', 'stacks', 'mark'].every(key => !new URL(url).searchParams.has(key));
    return isWhole && hasPart('lanes') ? part('lanes') : new Response('', { status: 404 });
}
