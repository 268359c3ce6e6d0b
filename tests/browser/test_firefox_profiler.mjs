/* What is exported for the Firefox Profiler, and as trace events, read by the Firefox Profiler's own importers, as its command line has them. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const TOOL = fileURLToPath(new URL('./node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js', import.meta.url));
const ROWS_LEAST = 10, MS_OFF = 0.0011, LINES_MAX = 100_000, PATIENCE_MS = 60_000;

describe('the Firefox Profiler', { skip: process.env.AFLAMED ? false : 'AFLAMED names no program' }, () => {
    let folder, sessions = 0;
    const tool = (...args) => execFileSync(process.execPath, [TOOL, ...args], {
        encoding: 'utf8', timeout: 60_000, maxBuffer: 64 << 20, stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, PROFILER_CLI_SESSION_DIR: join(folder, 'sessions'), PROFILER_CLI_NO_SYMBOLICATE: '1' } });
    const aflamed = (...args) => execFileSync(process.env.AFLAMED, args, { maxBuffer: 64 << 20 });

    before(() => {
        folder = mkdtempSync(join(tmpdir(), 'firefox-profiler-'));
        writeFileSync(join(folder, 'demo.trace'), aflamed('demo'));
        writeFileSync(join(folder, 'stacks.txt'), 'main;load;read 3\nmain;load;read;load 2\nmain;draw 4\nmain 1\n');
    });
    after(() => {
        tool('stop', '--all');     /* each file that is loaded has a process that answers */
        rmSync(folder, { recursive: true, force: true });
    });

    /* Its name for the file from then on. The tool gives the process that answers half a second to begin, which a busy machine may
     * need for itself: then that process is ended, and another one is tried. */
    function load(file) {
        for (const end = Date.now() + PATIENCE_MS; ;) {
            const session = `${++sessions}`;
            try {
                tool('load', file, '--session', session);
                return session;
            } catch (error) {
                const [, pid] = /as pid (\d+)/.exec(error.stderr) ?? [];
                if (pid === undefined || Date.now() > end)
                    throw error;
                try {
                    process.kill(Number(pid));
                } catch { /* it has ended by itself */ }
            }
        }
    }
    /* What it answers about the export. */
    function loaded(name, format) {
        const exported = join(folder, `${name}.${format}`);
        aflamed('export', format, '-q', '-o', exported, join(folder, name));
        const session = load(exported);
        return (...args) => JSON.parse(tool(...args, '--session', session, '--json', '--limit', String(LINES_MAX)));
    }
    /* {method: row} of our table, without overloads, which have one name there. */
    function methods(name, ...args) {
        const { columns, rows } = JSON.parse(aflamed('methods', '-q', '--format', 'json', ...args, join(folder, name)));
        const all = new Map();
        for (const cells of rows) {
            const row = Object.fromEntries(columns.map((column, i) => [column, cells[i]]));
            const key = row.class ? `${row.class}.${row.method}` : row.method;
            all.set(key, all.has(key) ? null : row);
        }
        return new Map([...all].filter(([, row]) => row !== null));
    }
    const trackNames = name => JSON.parse(aflamed('info', '--json', join(folder, name))).tracks;

    test('has each thread, and its methods with their times', () => {
        const ask = loaded('demo.trace', 'firefox'), { threads } = ask('thread', 'list');
        const tids = trackNames('demo.trace').map(({ id }) => id);
        assert.deepEqual(threads.map(({ tid }) => Number(tid)).sort(), tids.sort());
        let compared = 0;
        for (const { threadHandle, tid } of threads) {
            const ours = methods('demo.trace', '--track', String(tid)), { weightType, functions } = ask('thread', 'functions', '--thread', threadHandle, '--include-idle');
            assert.equal(weightType, 'tracing-ms');
            for (const { name, selfSamples, totalSamples } of functions.filter(({ name }) => ours.has(name))) {
                const { wall_incl: total, wall_excl: self } = ours.get(name);
                assert.ok(Math.abs(totalSamples - total / 1000) < MS_OFF && Math.abs(selfSamples - self / 1000) < MS_OFF, `${name}: ${totalSamples}, ${selfSamples} ms`);
                compared++;
            }
        }
        assert.ok(compared >= 10 * ROWS_LEAST, `${compared} rows`);
    });

    test('has samples as they were counted', () => {
        const { weightType, functions } = loaded('stacks.txt', 'firefox')('thread', 'functions', '--include-idle');
        assert.equal(weightType, 'samples');
        assert.deepEqual(functions.map(({ name, totalSamples, selfSamples }) => [name, totalSamples, selfSamples]).sort(),
                         [['draw', 4, 4], ['load', 5, 2], ['main', 10, 1], ['read', 5, 3]]);
    });

    test('has each call of trace events, with its time', () => {
        const ask = loaded('demo.trace', 'chrome'), { threads } = ask('thread', 'list'), tracks = trackNames('demo.trace');
        assert.equal(threads.length, tracks.length);
        const { threadHandle } = threads.find(({ name }) => name === 'main'), ours = methods('demo.trace', '--track', String(tracks.find(({ name }) => name === 'main').id));
        const { byType } = ask('thread', 'markers', '--thread', threadHandle);
        const known = byType.filter(({ markerName, isInterval }) => isInterval && ours.has(markerName));
        assert.ok(known.length >= ROWS_LEAST, `${known.length} of ${byType.length}`);
        for (const { markerName, count, durationStats } of known) {
            const { calls, recursive, wall_incl: total } = ours.get(markerName);
            assert.equal(count, calls, markerName);
            assert.ok(recursive > 0 || Math.abs(durationStats.avg * count - total / 1000) < MS_OFF, `${markerName}: ${durationStats.avg * count} ms`);
        }
    });
});
