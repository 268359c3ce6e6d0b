/* The pure parts of the scripts of a profile's pages: no browser. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { countWords, fittingWidth, meant, progressWords, tokenOf, withoutStyle } from '../../static/page-rules.js';

test('a token is taken only if it has the form of one', () => {
    const token = 'abcdefghijklmnopqrstuvwxy2';
    assert.equal(tokenOf('#token=' + token), token);
    for (const hash of ['', '#', '#token=', '#token=' + token + 'a', '#token=' + token.toUpperCase(), '#x&token=' + token])
        assert.equal(tokenOf(hash), '', hash);
});

test('a thread is meant by words of its name or by its id', () => {
    assert.ok(meant('', 'main', '1'));
    assert.ok(meant('  MAI ', 'main', '1'));
    assert.ok(meant('worker disp', 'DefaultDispatcher-worker-3', '9'));
    assert.ok(meant('9', 'main', '9'));
    assert.ok(!meant('9', 'main', '99'));
    assert.ok(!meant('main x', 'main', '1'));
    assert.ok(!meant('(', 'main', '1'));
});

test('words', () => {
    assert.equal(countWords(3, 3), '');
    assert.equal(countWords(0, 3), '0 of 3 threads');
    assert.equal(progressWords(2, 5), 'Drawing: 2 of 5 graphs are ready.');
});

test('a style is taken out, and nothing else', () => {
    assert.equal(withoutStyle('<svg>\n<style>.a{b:c}</style>\n<g/></svg>'), '<svg>\n\n<g/></svg>');
    assert.equal(withoutStyle('<svg>&lt;style></svg>'), '<svg>&lt;style></svg>');
});

test('widths come in steps, between a least and a most', () => {
    assert.equal(fittingWidth(1234), 1200);
    assert.equal(fittingWidth(1250), 1250);
    assert.equal(fittingWidth(10), 600);
    assert.equal(fittingWidth(99_999), 4000);
});
