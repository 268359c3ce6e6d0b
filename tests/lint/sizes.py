#!/usr/bin/env python3
"""No file has more than 900 lines, no function more than 80: what is larger does two things. Functions are looked at in C,
Python, and scripts of pages and pictures; a test in JavaScript is a function, a group of tests is none."""
import ast
import os
import re
import sys

FILE_LINES_MAX, FUNCTION_LINES_MAX = 900, 80
PLACES = ('core', 'profile', 'parser', 'runs', 'render', 'server', 'cli', 'static', 'tools', 'tests')
SUFFIXES = ('.c', '.h', '.js', '.mjs', '.css', '.py')

# What may be larger, each with the reason: a file, or file:function.
EXCEPTIONS = {}

C_HEAD = re.compile(r'^(?:[A-Z_]*TEST[A-Z_]*\((\w+)|\w.*?(\w+)\((?!.*\);$))')
JS_HEAD = re.compile(r'^( *)(?!describe\b|if\b|for\b|while\b|switch\b)(?:.*\bfunction\*? (\w+)\(.*|(?:static |async )*(\w+)\(.*\)|(.*=>)) \{$')


def files():
    for place in PLACES:
        for folder, below, names in os.walk(place):
            below[:] = sorted(d for d in below if d not in ('data', 'corpus', 'node_modules', '__pycache__'))
            yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith(SUFFIXES))


def functions_of_c(lines):
    """Each stands between braces at the beginning of a line, behind its head."""
    head = begun = None
    for number, line in enumerate(lines):
        found = C_HEAD.match(line)
        if found:
            head = found.group(found.lastindex)
        if line == '{':
            begun = number
        elif line == '}' and begun is not None:
            yield head, number - begun + 2     # the head is one line of it
            begun = None


def functions_of_js(lines):
    """Each ends at the first brace below its head that is not further to the right."""
    for number, line in enumerate(lines):
        head = JS_HEAD.match(line)
        if head:
            end = re.compile(head.group(1) + r'\}')
            length = next((n for n, other in enumerate(lines[number:]) if n > 0 and end.match(other)), 0) + 1
            yield head.group(2) or head.group(3) or head.group(4).strip()[:60], length


def functions_of_python(lines):
    for node in ast.walk(ast.parse('\n'.join(lines))):
        if isinstance(node, ast.FunctionDef):
            yield node.name, node.end_lineno - node.lineno + 1


FUNCTIONS = {'.c': functions_of_c, '.js': functions_of_js, '.mjs': functions_of_js, '.py': functions_of_python}


def too_large(path, text):
    """(what, lines, limit) of the file and of each function in it that has too many lines."""
    lines = text.splitlines()
    if len(lines) > FILE_LINES_MAX:
        yield path, len(lines), FILE_LINES_MAX
    for name, length in FUNCTIONS.get(os.path.splitext(path)[1], lambda _: ())(lines):
        if length > FUNCTION_LINES_MAX:
            yield '%s:%s' % (path, name), length, FUNCTION_LINES_MAX


def proof():
    """That the check sees what it should: a function of each language with one line too many."""
    for path, first, last in (('a.c', ['static int f(int a)', '{'], ['}']), ('a.js', ['async function f(a) {'], ['}']),
                              ('b.mjs', ["test('f', async () => {"], ['});']), ('a.py', ['def f():'], [])):
        counts = [len(list(too_large(path, '\n'.join(first + ['    x()'] * lines + last))))
                  for lines in (FUNCTION_LINES_MAX - len(first) - len(last) + more for more in (0, 1))]
        if counts != [0, 1]:
            yield 'sizes.py: a function of %s is not measured as it should be' % path


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..'))
    problems, unused = list(proof()), set(EXCEPTIONS)
    for path in files():
        with open(path, encoding='utf-8') as file:
            for what, lines, limit in too_large(path, file.read()):
                unused.discard(what)
                if what not in EXCEPTIONS:
                    problems.append('%s has %d lines; at most %d are allowed' % (what, lines, limit))
    problems += ['%s is no exception any more: take it out of sizes.py' % what for what in sorted(unused)]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
