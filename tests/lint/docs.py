#!/usr/bin/env python3
"""What the documentation names must be there: make targets in *.md, files of this tree in *.md and in the
comments of C sources. What is there the README must name: every source in its code map, every key of the
configuration in its table, with its default."""
import os
import re
import sys

FOLDERS = 'core|parser|render|server|static|config|deploy|tests|tools'
PATH = re.compile(r'(?<![\w/.-])((?:%s)/[\w./-]*\w/?)' % FOLDERS)
TARGET = re.compile(r'(?:`|^\s*|\$ |&& )make ((?:[A-Z]+=\S+ )*)([a-z][a-z-]*)', re.M)
PROSE = ('.c', '.h', '.md')

LAYERS = ('core', 'parser', 'render', 'server')
KEYS = 'server/config/config_keys.c'
KEY = re.compile(r'^    (?:TEXT|FLAG|NUMBER|SIZE)\((\w+),(.*?)\),$', re.M | re.S)
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
KEY_ROW = re.compile(r'^\| `(\w+)` \| (?:`([^`|]*)`)? ?\|', re.M)
MAP_ROW = re.compile(r'^((?:%s)/\w+\.[ch])  ' % '|'.join(LAYERS), re.M)


def files():
    for folder, below, names in os.walk('.'):
        below[:] = sorted(d for d in below if d not in ('.git', 'build', 'data', '__pycache__'))
        for name in sorted(names):
            if name.endswith(PROSE):
                yield os.path.normpath(os.path.join(folder, name))


def targets():
    with open('Makefile', encoding='utf-8') as file:
        return set(re.findall(r'^([a-z-]+):', file.read(), re.M))


def comments(path, text):
    """The prose of a file: all of a document, the comments of a C source."""
    return text if path.endswith('.md') else '\n'.join(re.findall(r'/\*.*?\*/', text, re.S))


def exists(path):
    """A source may be named without its suffix."""
    return os.path.exists(path) or os.path.exists(path + '.c')


def modules():
    """Each source; of a header with a source beside it, the source."""
    for layer in LAYERS:
        names = set(os.listdir(layer))
        for name in sorted(names):
            if name.endswith('.c') or name.endswith('.h') and name[:-2] + '.c' not in names:
                yield '%s/%s' % (layer, name)


def keys_of_program():
    """(name, default) of each row; a row's last two literals are the default and the help."""
    with open(KEYS, encoding='utf-8') as file:
        rows = KEY.findall(file.read())
    for name, rest in rows:
        joined = re.sub(r'"\s+"', '', rest)
        yield name, LITERAL.findall(joined)[-2]


def readme_problems():
    with open('README.md', encoding='utf-8') as file:
        readme = file.read()
    listed, keys, rows = MAP_ROW.findall(readme), list(keys_of_program()), KEY_ROW.findall(readme)
    for module in modules():
        if listed.count(module) != 1:
            yield 'README.md: the code map names %s %d times' % (module, listed.count(module))
    if not keys:
        yield '%s: no row of the table was understood' % KEYS
    for name, default in sorted(set(keys) - set(rows)):
        yield 'README.md: the configuration table lacks %s with the default `%s`' % (name, default)
    for name, default in sorted(set(rows) - set(keys)):
        yield 'README.md: the configuration table has %s with the default `%s`, the program has not' % (name, default)
    if set(rows) == set(keys) and rows != keys:
        yield 'README.md: the keys of the configuration stand in another order than in %s' % KEYS


def problems():
    known = targets()
    for path in files():
        with open(path, encoding='utf-8') as file:
            text = comments(path, file.read())
        for named in sorted(set(PATH.findall(text))):
            if not exists(named):
                yield '%s: names %s, which is not there' % (path, named)
        for _, target in TARGET.findall(text) if path.endswith('.md') else ():
            if target not in known:
                yield '%s: names `make %s`, which is no target' % (path, target)


if __name__ == '__main__':
    found = [*problems(), *readme_problems()]
    print('\n'.join(found), end='\n' if found else '')
    sys.exit(1 if found else 0)
