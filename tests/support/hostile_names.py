#!/usr/bin/env python3
"""Names as weapons: what somebody may put into the names of methods, classes, threads and files so that a page,
a picture, a terminal or a log does what he wants; and traces that are made of them.

usage: hostile_names.py regular|streaming|folded > FILE
       hostile_names.py uploads     a JSON array of names that uploads may have"""
import json
import struct
import sys

MIB = 1 << 20
ELSEWHERE = 'http://elsewhere.invalid/x'     # no page may ask there
RUN = 'globalThis.ran=1'                     # no page may run this

MARKUP = [
    ']]>', '<![CDATA[', '<!--', '--><svg onload=%s>' % RUN, '<script>%s</script>' % RUN, '</script><script>%s//' % RUN,
    '</style><script>%s</script>' % RUN, '</text></svg><script>%s</script>' % RUN, '</title><script>%s</script>' % RUN,
    '</noscript><script>%s</script>' % RUN,
    '"><img src=x onerror=%s>' % RUN, "'><img src=%s onerror=%s>" % (ELSEWHERE, RUN), '" onmouseover="%s' % RUN,
    '<img/src=%s>' % ELSEWHERE, '<iframe srcdoc="<script>parent.%s</script>">' % RUN, '<base href=%s>' % ELSEWHERE,
    '<a href="javascript:%s">a</a>' % RUN, 'javascript:%s' % RUN, 'data:text/html,<script>%s</script>' % RUN,
    '<meta http-equiv=refresh content="0;url=%s">' % ELSEWHERE, '<link rel=stylesheet href=%s>' % ELSEWHERE,
    '<svg><use href="%s#a"/></svg>' % ELSEWHERE, '<foreignObject><body onload=%s>' % RUN, '<animate onbegin=%s>' % RUN,
    '<?xml-stylesheet href="%s"?>' % ELSEWHERE, '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>&b;',
    '&lt;script&gt;', '&#60;script&#62;', '&amp;amp;', '&nbsp;', '\\u003cscript\\u003e', '%3Cscript%3E', '\\', '"', "'", '`',
    '${%s}' % RUN, '{{%s}}' % RUN, "'-(%s)-'" % RUN, 'url(%s)' % ELSEWHERE, '@import "%s"' % ELSEWHERE, '}*{color:red',
    '__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__', 'null', 'NaN',
    '../../../etc/passwd', '..', '.', '/', '\\\\host\\share', 'CON', 'a=b c="d"', '-rf', '$(id)', '%s%n%d', ' ', '  x  ',
]
UNSEEN = [0x61c, 0x200b, 0x200d, 0x200e, 0x200f, 0x2028, 0x2029, *range(0x202a, 0x202f), 0x2060, *range(0x2066, 0x206a),
          0xfeff, 0xfdd0, 0xfffd, 0xfffe, 0xffff, 0x1fffe, 0xe0001, 0x10ffff]
ILL_FORMED = [
    b'\xc0\x80', b'\xc0\xbcscript\xc0\xbe', b'\xe0\x80\xbc', b'\xf0\x80\x80\xbc', b'\xed\xa0\x80', b'\xed\xb0\x80',
    b'\xed\xa0\xbd\xed\xb8\x80', b'\xe2\x82', b'\xf0\x9f\x98', b'\xf4\x90\x80\x80', b'\xff\xfe', b'\x80', b'\xc3',
    b'\xf8\x88\x80\x80\x80',
]
LONG = [b'A' * MIB, b'<' * (MIB + 7), b'\xe2\x80\xae' * 5000, b'a' + b'\xcc\x81' * 3000, b'\xf0\x9f\x94\xa5' * 2000,
        b'W' * 3000, b'a.' * 3000]


def names():
    """Bytes. Control characters stand within words, so that they are not trimmed away."""
    found = [text.encode() for text in MARKUP]
    found += [b'c%cd' % code for code in [*range(32), 127]]
    found += [('c%sd' % chr(code)).encode() for code in [*range(0x80, 0xa0), *UNSEEN]]
    return found + ILL_FORMED + LONG


def record(thread, method, action, time):
    return struct.pack('<HIII', thread, method * 4 | action, time, time)


def header(version):
    return struct.pack('<4sHHQH', b'SLOW', version, 32, 1_600_000_000_000_000, 14).ljust(32, b'\0')


def calls(count):
    """Every name on each of three stacks: alone, above the next one, below it. A thread of each name."""
    for i in range(count):
        at = [1000 * k for k in range(6)]
        yield from (record(i + 1, i, 0, at[0]), record(i + 1, (i + 1) % count, 0, at[1]),
                    record(i + 1, (i + 1) % count, 1, at[2]), record(i + 1, i, 1, at[3]))
    for i in range(count):
        yield from (record(1, i, 0, 10000 + 2000 * i), record(1, i, 1, 11000 + 2000 * i))


def method_line(number, name):
    return b'0x%x\t%s\t%s\t(%s)V\t%s' % (4 * number, name, name, name, name)


def regular():
    """A line ends a name, and a tab does in the table of methods: the others arrive whole."""
    whole = [name.replace(b'\n', b'') for name in names()]
    lines = [b'*version', b'3', b'clock=dual', b'vm=<b>vm</b>', b'*threads']
    lines += [b'%d\t%s' % (i + 1, name) for i, name in enumerate(whole)]
    lines += [b'*methods', *[method_line(i, name.replace(b'\t', b'')) for i, name in enumerate(whole)], b'*end', b'']
    return b'\n'.join(lines) + header(3) + b''.join(calls(len(whole)))


def streaming():
    """Names have a length, so that any byte may be in them; a thread's name has 65535 bytes at most."""
    whole = [name[:60000] for name in names()]
    out = [header(0xF3)]
    for i, name in enumerate(whole):
        line = method_line(i, name[:10000]) + b'\n'
        out += [struct.pack('<HBH', 0, 1, len(line)), line, struct.pack('<HBHH', 0, 2, i + 1, len(name)), name]
    return b''.join([*out, *calls(len(whole))])


def folded():
    """What is seen of a file before it is known must be plain text; behind that, anything may follow."""
    whole = [name.replace(b'\n', b'').replace(b';', b'') for name in names()]
    return b'main;plain 1\n' * 400 + b''.join(b'main;%s;x%s 7\n' % (name, name) for name in whole)


def upload_names():
    """Text, as a browser has it, without lone surrogates."""
    return [name[:5000].decode('utf-8', 'replace') for name in names()]


if __name__ == '__main__':
    WRITE = {'regular': regular, 'streaming': streaming, 'folded': folded,
             'uploads': lambda: json.dumps(upload_names()).encode()}
    if len(sys.argv) != 2 or sys.argv[1] not in WRITE:
        sys.exit(__doc__)
    sys.stdout.buffer.write(WRITE[sys.argv[1]]())
