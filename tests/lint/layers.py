#!/usr/bin/env python3
"""The rules of the house that a compiler does not know: which layer may include which, who may see a library,
how long a file may be, how an include guard is spelt."""
import os
import re
import sys

LAYERS = {'core': ('core',), 'parser': ('core', 'parser'), 'render': ('core', 'render'),
          'server': ('core', 'parser', 'render', 'server')}
RENDER_SEES = ('profile/profile.h', 'profile/span.h')
# The one file of the server that knows how a profile is read and how it is drawn.
CONVERT = 'server/convert/convert.c'
CONVERT_HEADER = 'server/convert/convert.h'
LIBRARIES = {'microhttpd.h': ('server/http', 'server/upload'), 'magic.h': ('server/identify',)}
LINES_MAX = 600


def files():
    for layer in LAYERS:
        for folder, _, names in os.walk(layer):
            for name in sorted(names):
                if name.endswith(('.c', '.h')):
                    yield layer, os.path.join(folder, name)


def includes(text):
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*(["<])([^">]+)', line)
        if match:
            yield number, match.group(1) == '"', match.group(2)


def wrong_include(layer, path, ours, target):
    """Why the file may not include the target, or None."""
    if not ours:
        allowed = LIBRARIES.get(target)
        if allowed and not path.startswith(allowed):
            return 'only %s* may include <%s>' % ('*, '.join(allowed), target)
        return None
    if '/' not in target:
        return '"%s": includes name the file from the root' % target
    other = target.split('/')[0]
    if layer == 'render' and target in RENDER_SEES:
        return None
    if other not in LAYERS[layer]:
        return '%s does not know %s ("%s")' % (layer, other, target)
    return None


def both_sides(path, targets):
    """The server knows parsers and renderers in one place only."""
    if not path.startswith('server/') or path in (CONVERT, CONVERT_HEADER):
        return None
    parsers = [t for t in targets if t.startswith('parser/') and t not in RENDER_SEES]
    renderers = [t for t in targets if t.startswith('render/')]
    if parsers and renderers:
        return 'includes %s and %s; only %s may know both sides' % (parsers[0], renderers[0], CONVERT)
    return None


def problems():
    for layer, path in files():
        with open(path, encoding='utf-8') as file:
            text = file.read()
        found = list(includes(text))
        for number, ours, target in found:
            why = wrong_include(layer, path, ours, target)
            if why:
                yield '%s:%d: %s' % (path, number, why)
        why = both_sides(path, [t for _, ours, t in found if ours])
        if why:
            yield '%s: %s' % (path, why)
        lines = text.count('\n')
        if lines > LINES_MAX:
            yield '%s: %d lines, more than %d' % (path, lines, LINES_MAX)
        if path.endswith('.h'):
            guard = path.upper().replace('/', '_').replace('.', '_')
            if '#ifndef %s\n#define %s\n' % (guard, guard) not in text:
                yield '%s: the include guard should be %s' % (path, guard)


if __name__ == '__main__':
    found_problems = list(problems())
    print('\n'.join(found_problems), end='\n' if found_problems else '')
    sys.exit(1 if found_problems else 0)
