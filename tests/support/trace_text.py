#!/usr/bin/env python3
"""Turns a call tree that is written as text into the bytes of an Android method trace.

    version 3                       text and binary version; decides the record layout
    clock dual                      the line clock=dual; leave it out for a file without one
    key pid=1234                    one more line among the keys
    thread 1 main                   one line of *threads
    method 0x10 a.B run ()V B.java  one line of *methods: columns as given, separated by tabs
    enter  1 run   0 0              a record: thread, method, clock values in file order
      enter 1 0x14 5 7              a method is an id, or the name (column 3) of one that is declared above
      exit  1 0x14 +4 +4            +N: N more than the last value of that thread
    unroll 1 run   20 30            exit by an exception
    action3 1 run  20 30            the fourth action code, which no recorder should write
    repeat 3 enter 1 run +1 +1      a record several times

Kinds of files that have no text in front (see trace_art.py):

    streaming                       methods and threads are defined before their first record
    art2 A                          ART's version 2 (version 4 or 5; 6 with F) in one of the layouts A to F; the
                                    layout D is C with ns; records are sorted by thread
    block N                         of it, N records per block; default: all of a thread
    split                           of it, each block in two, the second one going on with the first one's numbers
    counter                         of it, times are those of a counter of 19.2 MHz
    no-summary                      the text at the end is missing
    behind TEXT                     bytes behind the end

Fields stand between blanks; indentation means nothing and shows the tree. In fields, \\s is a blank, \\t \\n
\\r \\xNN \\\\ are as in C, and "" is an empty field. A line that begins with # is a comment. Damage and rare
shapes:

    key-line / thread-line / method-line TEXT   a line of that section, verbatim
    eol crlf                        all text lines end in CR LF
    no-end                          no line *end
    no-header                       no binary part at all
    magic TEXT, binary-version N, data-offset N, record-size N, start-time N    fields of the binary header
    layout N                        records have N bytes, filled up with 0xEE; default: by version and clock
    raw 00 ff 12                    bytes in place of a record
    truncate N                      the file is N bytes long; -N: N bytes are cut off
    as-text                         the binary part has been through a UTF-8 text conversion
    as-text HOW                     the whole file through another one: crlf, latin-1, utf-8-sig, utf-16, base64
    only-text TEXT                  the file is exactly this

usage: trace_text.py INPUT.calls OUTPUT.trace"""
import base64
import re
import struct
import sys

import trace_art

ACTIONS = {'enter': 0, 'exit': 1, 'unroll': 2, 'action3': 3}
HEADER_BYTES = 32
ESCAPES = {'s': b' ', 't': b'\t', 'n': b'\n', 'r': b'\r', '\\': b'\\'}


def unescape(text):
    """Bytes of a field."""
    if text == '""':
        return b''
    parts = re.split(r'\\(x[0-9a-fA-F]{2}|.)', text)
    out = b''
    for i, part in enumerate(parts):
        if i % 2 == 0:
            out += part.encode()
        elif part[0] == 'x' and len(part) == 3:
            out += bytes([int(part[1:], 16)])
        else:
            out += ESCAPES[part]
    return out


def converted(text, binary, how):
    """Both parts, after somebody took them for text."""
    if how == 'utf-8':
        return text + binary.decode('utf-8', 'replace').encode()
    whole = text + binary
    if how == 'crlf':
        return whole.replace(b'\n', b'\r\n')
    if how == 'latin-1':
        return whole.decode('latin-1').encode()
    if how == 'utf-8-sig':
        return whole.decode('utf-8', 'replace').encode('utf-8-sig')
    if how == 'utf-16':
        return whole.decode('utf-8', 'replace').encode('utf-16')
    if how == 'base64':
        return base64.encodebytes(whole)
    return whole


class Trace:
    def __init__(self):
        self.version, self.clock = 3, None
        self.keys, self.threads, self.methods = [], [], []
        self.ids = {}        # method name -> id
        self.last = {}       # thread -> clock values of its last record
        self.records = []    # ('event', thread, word, times) or ('raw', bytes)
        self.eol, self.end, self.header = b'\n', True, True
        self.fields = {'magic': b'SLOW', 'data-offset': HEADER_BYTES, 'start-time': 0}
        self.layout, self.cut, self.as_text, self.only = None, None, None, None
        self.kind, self.summary, self.behind = None, True, b''
        self.block, self.split, self.counter = 0, False, False

    def record_bytes(self):
        if self.layout is not None:
            return self.layout
        return {1: 9, 2: 10}.get(self.version, 14 if self.clock in (None, b'dual') else 10)

    def event(self, action, thread, method, times):
        thread = int(thread, 0)
        word = self.ids[method] if method in self.ids else int(method, 0)
        before = self.last.get(thread, [0] * len(times))
        times = [b + int(t) if t.startswith('+') else int(t) for t, b in zip(times, before)]
        self.last[thread] = times
        self.records.append(('event', thread, (word & ~3) | ACTIONS[action], times))

    def statement(self, word, rest):
        fields = rest.split()
        if word == 'version':
            self.version = int(rest)
        elif word == 'clock':
            self.clock = unescape(rest)
        elif word in ('key', 'key-line'):
            self.keys.append(unescape(rest))
        elif word == 'thread':
            number, name = rest.split(None, 1)
            self.threads.append(unescape(number) + b'\t' + unescape(name))
        elif word == 'method':
            if len(fields) > 2 and re.fullmatch(r'(0x)?[0-9a-fA-F]+', fields[0]):
                self.ids[fields[2]] = int(fields[0], 16)
            self.methods.append(b'\t'.join(map(unescape, fields)))
        elif word == 'thread-line':
            self.threads.append(unescape(rest))
        elif word == 'method-line':
            self.methods.append(unescape(rest))
        elif word in ACTIONS:
            self.event(word, fields[0], fields[1], fields[2:])
        elif word == 'repeat':
            for _ in range(int(fields[0])):
                self.event(fields[1], fields[2], fields[3], fields[4:])
        elif word == 'raw':
            self.records.append(('raw', bytes.fromhex(rest)))
        elif not self.without_text(word, rest):
            self.damage(word, rest)

    def without_text(self, word, rest):
        if word == 'streaming':
            self.kind = trace_art.Stream
        elif word == 'art2':
            self.kind = lambda trace: trace_art.Version2(trace, rest)
        elif word == 'block':
            self.block = int(rest)
        elif word == 'split':
            self.split = True
        elif word == 'counter':
            self.counter = True
        elif word == 'no-summary':
            self.summary = False
        elif word == 'behind':
            self.behind = unescape(rest)
        else:
            return False
        return True

    def damage(self, word, rest):
        if word == 'eol' and rest == 'crlf':
            self.eol = b'\r\n'
        elif word == 'no-end':
            self.end = False
        elif word == 'no-header':
            self.header = False
        elif word == 'magic':
            self.fields['magic'] = unescape(rest)
        elif word in ('binary-version', 'data-offset', 'record-size', 'start-time'):
            self.fields[word] = int(rest, 0)
        elif word == 'layout':
            self.layout = int(rest)
        elif word == 'truncate':
            self.cut = int(rest)
        elif word == 'as-text':
            self.as_text = rest or 'utf-8'
        elif word == 'only-text':
            self.only = unescape(rest)
        else:
            raise ValueError('unknown statement %r' % word)

    def text_part(self):
        lines = [b'*version', b'%d' % self.version]
        if self.clock is not None:
            lines.append(b'clock=' + self.clock)
        lines += self.keys + [b'*threads'] + self.threads + [b'*methods'] + self.methods
        if self.end:
            lines.append(b'*end')
        return b''.join(line + self.eol for line in lines)

    def header_part(self):
        version = self.fields.get('binary-version', self.version)
        size = self.fields.get('record-size', self.record_bytes() if self.version >= 3 else 0)
        header = struct.pack('<4sHHQH', self.fields['magic'], version, self.fields['data-offset'],
                             self.fields['start-time'], size)
        return header.ljust(max(HEADER_BYTES, min(self.fields['data-offset'], 4096)), b'\0')

    def record_part(self, record):
        if record[0] == 'raw':
            return record[1]
        _, thread, word, times = record
        thread_bytes = 1 if self.version == 1 else 2
        out = struct.pack('<I', thread & 0xFFFFFFFF)[:thread_bytes]
        out += struct.pack('<I', word) + b''.join(struct.pack('<I', t & 0xFFFFFFFF) for t in times)
        return out.ljust(self.record_bytes(), b'\xee')

    def position(self, where):
        """Byte offset of line:N (from 1), record:N (from 0), header+N, end-N, or a plain number."""
        if where.startswith('end-'):
            return len(self.bytes()) - int(where[4:])
        if self.kind is not None:
            return self.kind(self).offsets[int(where[7:])] if where.startswith('record:') else int(where)
        text = self.text_part()
        kind, _, number = where.replace('+', ':').partition(':')
        if kind == 'line':
            return sum(len(line) + 1 for line in text.split(b'\n')[:int(number) - 1])
        if kind == 'header':
            return len(text) + int(number or 0)
        if kind == 'record':
            before = map(self.record_part, self.records[:int(number)])
            return len(text) + len(self.header_part()) + sum(map(len, before))
        return int(where)

    def bytes(self):
        if self.only is not None:
            return self.only
        if self.kind is not None:
            whole = self.kind(self).bytes
            return whole if self.cut is None else whole[:self.cut]
        binary = b''
        if self.header:
            binary = self.header_part() + b''.join(map(self.record_part, self.records))
        whole = converted(self.text_part(), binary, self.as_text)
        if self.cut is not None:
            whole = whole[:self.cut]
        return whole


def parse(text):
    """The Trace that the text describes. ValueError names the line that is wrong."""
    trace = Trace()
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith('#'):
            continue
        word, _, rest = line.partition(' ')
        try:
            trace.statement(word, rest.strip())
        except (ValueError, KeyError, IndexError) as error:
            raise ValueError('line %d: %s: %s' % (number, line, error)) from error
    return trace


if __name__ == '__main__':
    with open(sys.argv[1], encoding='utf-8') as source:
        built = parse(source.read()).bytes()
    with open(sys.argv[2], 'wb') as target:
        target.write(built)
