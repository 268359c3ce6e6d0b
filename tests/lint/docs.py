#!/usr/bin/env python3
"""What the documentation names must be there: make targets in *.md, files of this tree in *.md and in the
comments of C sources."""
import os
import re
import sys

FOLDERS = 'core|parser|render|server|static|config|deploy|tests|tools'
PATH = re.compile(r'(?<![\w/.-])((?:%s)/[\w./-]*\w/?)' % FOLDERS)
TARGET = re.compile(r'(?:`|^\s*|\$ |&& )make ((?:[A-Z]+=\S+ )*)([a-z][a-z-]*)', re.M)
PROSE = ('.c', '.h', '.md')


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
    found = list(problems())
    print('\n'.join(found), end='\n' if found else '')
    sys.exit(1 if found else 0)
