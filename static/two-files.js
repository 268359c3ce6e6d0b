/* A trace in two files becomes one before it is sent, as parser/two_files.h says: a key file and its data file, or a
 * streaming trace and its summary. The first and last bytes tell which is which, never the names. Works on any Blob. */

const HEAD_BYTES = 8, TAIL_BYTES = 7, KEY_BYTES_MAX = 0xffffffff;

async function latin1(blob) {
    const bytes = new Uint8Array(await blob.arrayBuffer());
    return String.fromCharCode(...bytes);
}

/* 'key', 'data', 'stream', or '' for every other file, and for one that cannot be read. */
export async function kindOf(file) {
    if (file.isFolder)
        return '';
    try {
        const head = await latin1(file.slice(0, HEAD_BYTES));
        if (head === '*version')
            return /\n\*end\r?\n$/.test(await latin1(file.slice(-TAIL_BYTES))) ? 'key' : '';
        return /^SLOW[\x01-\x03]\x00/.test(head) ? 'data' : /^SLOW[\xf1-\xf3]\x00/.test(head) ? 'stream' : '';
    } catch {
        return '';
    }
}

/* The head of the packet that a streaming trace's summary stands in. */
function joint(keyBytes) {
    const bytes = new DataView(new ArrayBuffer(7));
    bytes.setUint8(2, 3);
    bytes.setUint32(3, keyBytes, true);
    return bytes.buffer;
}

/* The name without what tells the two files of one trace apart. */
const stem = file => file.name.replace(/\.(key|data|sec)$/, '');

function joined(key, data, kind) {
    const parts = kind === 'stream' ? [data, joint(key.size), key] : [key, data];
    return new File(parts, stem(data));
}

/* The other half of a key file, as a place in `files`, or -1: the only one, or else the only one of the same name. */
function otherHalf(files, kinds, key) {
    const halves = [...files.keys()].filter(i => kinds[i] === 'data' || kinds[i] === 'stream');
    const same = halves.filter(i => stem(files[i]) === stem(files[key]));
    const keys = kinds.filter(kind => kind === 'key').length;
    return same.length === 1 ? same[0] : halves.length === 1 && keys === 1 ? halves[0] : -1;
}

/* The files to be sent, in order: two halves of one trace as one file in the place of the data, the others as they are. */
export async function joinHalves(files) {
    if (files.length < 2)
        return files;
    const kinds = await Promise.all(files.map(kindOf)), whole = [...files];
    for (const [i, key] of files.entries()) {
        const data = kinds[i] === 'key' && key.size <= KEY_BYTES_MAX ? otherHalf(files, kinds, i) : -1;
        if (data < 0)
            continue;
        whole[data] = joined(key, files[data], kinds[data]);
        whole[i] = null;
        kinds[i] = kinds[data] = '';
    }
    return whole.filter(file => file !== null);
}
