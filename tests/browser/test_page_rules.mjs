/* The pure parts of the scripts of a profile's pages: no browser. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { asksToDelete, countWords, fragmentOf, meant, queryOf, tokenOf, withPass } from '../../static/page-rules.js';

test('a token is taken only if it has the form of one', () => {
    const token = 'abcdefghijklmnopqrstuvwxy2';
    assert.equal(tokenOf('#token=' + token), token);
    assert.equal(tokenOf('#delete=' + token), token);
    assert.equal(asksToDelete('#delete=' + token), true);
    for (const hash of ['', '#delete', '#delete=', '#token=' + token, '#delete=' + token + 'a'])
        assert.equal(asksToDelete(hash), false);
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
    assert.equal(countWords(0, 3), '0 of 3');
});

const USUAL = { view: 'flame', value: 'wall', order: 'name', palette: 'origin', names: 'short', method: '', zoom: '', selected: '',
                search: '', matchCase: false };

test('the query of a link has what is not as usual, and keeps what is no choice', () => {
    assert.equal(queryOf('', USUAL, 'wall'), '');
    assert.equal(queryOf('?value=cpu&view=icicle&width=900', USUAL, 'wall'), '?width=900');
    assert.equal(queryOf('?value=wall', { ...USUAL, value: 'cpu', names: 'full' }, 'wall'), '?value=cpu&names=full');
    assert.equal(queryOf('?method=a.b', { ...USUAL, method: 'c.d' }, 'wall'), '', 'only a sandwich has a method');
    assert.equal(queryOf('', { ...USUAL, view: 'sandwich', method: 'a.B & c?#' }, 'wall'), '?view=sandwich&method=a.B+%26+c%3F%23');
});

test('the fragment of a link has the search, and the place where the tree is the same', () => {
    const state = { ...USUAL, zoom: 'aaaaa', selected: 'bbbbb', search: '/a&b/', matchCase: true };
    assert.equal(fragmentOf(USUAL, true), '');
    assert.equal(fragmentOf(state, false), '#search=%2Fa%26b%2F&matchCase=true');
    assert.equal(fragmentOf(state, true), '#zoom=aaaaa&selected=bbbbb&search=%2Fa%26b%2F&matchCase=true');
});

test('a link to a picture has its pass behind the state', () => {
    assert.equal(withPass('', undefined), '');
    assert.equal(withPass('#zoom=0', undefined), '#zoom=0');
    assert.equal(withPass('', 'abc'), '#pass=abc');
    assert.equal(withPass('#', 'abc'), '#pass=abc');
    assert.equal(withPass('#zoom=0', 'abc'), '#zoom=0&pass=abc');
});
