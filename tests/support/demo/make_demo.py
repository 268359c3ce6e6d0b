#!/usr/bin/env python3
"""Makes the demo trace from its script, demo.txt: version 3, two clocks, complete, the same bytes each time.

    tests/support/demo/make_demo.py            writes static/demo.trace.gz
    tests/support/demo/make_demo.py -          writes the trace, unpacked, to standard output
"""
import gzip
import os
import re
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PACKED = os.path.normpath(os.path.join(HERE, '..', '..', '..', 'static', 'demo.trace.gz'))
START_US = 8041733120   # since the phone was switched on
OVERHEAD_NS = 251
ENTER, EXIT = 0, 1
KOTLIN = ('com.example.', 'com.squareup.moshi.', 'kotlin', 'okhttp3.', 'okio.', 'retrofit2.Kotlin', 'androidx.datastore.core.',
          'timber.')


class Script:
    """demo.txt by its parts; its first lines say what they are."""

    def __init__(self, text):
        self.threads, self.scripts, self.packages = [], {}, {}
        part = None
        for line in text.split('\n'):
            word, _, rest = line.partition(' ')
            if word == 'types':
                package, *names = rest.split(' ')
                for name in names:
                    self.packages.setdefault(name, package)
                part = None
            elif word == 'thread':
                number, start, name = rest.split(maxsplit=2)
                part = []
                self.threads.append((int(number), int(start), name, part))
            elif word == 'script':
                part = self.scripts.setdefault(rest, [])
            elif line == '' or line[0].islower():
                part = None
            elif part is not None:
                part.append(line)

    def lines(self, part, depth=0):
        """(depth, line) of each call, the lines of named scripts in the places of their names."""
        for line in part:
            text = line.lstrip(' ')
            at = depth + len(line) - len(text)
            if text.startswith('='):
                yield from self.lines(self.scripts[text[1:]], at)
            else:
                yield at, text


CALL = re.compile(r'(?:(\d+)\*)?(\d+)(?:\+(\d+)|@(\d+))? (.+)')


class Call:
    def __init__(self, text):
        repeat, self_us, wait_us, until_us, self.method = CALL.fullmatch(text).groups()
        self.repeat, self.self_us = int(repeat or 1), int(self_us)
        self.wait_us, self.until_us = int(wait_us or 0), int(until_us or 0)
        self.children = []


def tree(lines):
    """The outermost calls, each with those below it."""
    outermost, stack = [], []
    for depth, text in lines:
        call = Call(text)
        while stack and stack[-1][0] >= depth:
            stack.pop()
        (stack[-1][1].children if stack else outermost).append(call)
        stack.append((depth, call))
    return outermost


class Thread:
    """Does what its calls say. Times vary a little from call to call, but the same way each time."""

    def __init__(self, number, start_us, methods):
        self.number, self.methods, self.records = number, methods, []
        self.random, self.cpu_us, self.wall_us = number, 0, start_us

    def below(self, limit):
        """SplitMix64 (Steele, Lea and Flood, 2014)."""
        mask = (1 << 64) - 1
        self.random = z = self.random + 0x9e3779b97f4a7c15 & mask
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 & mask
        z = (z ^ z >> 27) * 0x94d049bb133111eb & mask
        return ((z ^ z >> 31) >> 32) * limit >> 32

    def work(self, about_us):
        """For about that long. Now and then another thread has the core."""
        us = about_us - about_us // 4 + self.below(about_us // 2 + 2)
        self.cpu_us += us
        self.wall_us += us
        if self.below(150) == 0:
            self.wall_us += self.below(350)

    def sleep(self, call):
        if call.wait_us > 0:
            self.wall_us += call.wait_us - call.wait_us // 8 + self.below(call.wait_us // 4 + 1)
        self.wall_us = max(self.wall_us, call.until_us)

    def record(self, call, action):
        self.records.append((self.wall_us, struct.pack('<HIII', self.number, self.methods[call.method] << 2 | action,
                                                       self.cpu_us, self.wall_us)))

    def run(self, call):
        """Its own time falls before, between and behind the calls that it makes."""
        slice_us = call.self_us // (len(call.children) + 1)
        for _ in range(call.repeat):
            self.record(call, ENTER)
            self.sleep(call)
            for child in call.children:
                self.work(slice_us)
                self.run(child)
            self.work(slice_us)
            self.record(call, EXIT)


def source_file(class_name):
    """Named after the outermost class, but FileKt is what Kotlin calls the functions of a file, and FacadeKt__FileKt those of
    one of several."""
    name = class_name.rpartition('.')[2].split('$')[0]
    generated = class_name.startswith('com.example.') and ('_' in class_name or 'Binding' in class_name)
    if generated or not class_name.startswith(KOTLIN):
        return name + '.java'
    if name.endswith('Kt'):
        name = name.partition('__')[2] or name
        name = name[:-2]
    return name + '.kt'


def method_line(script, index, text):
    """A line of the list of methods, of the text CLASS.METHOD(SIGNATURE)RESULT."""
    head, parenthesis, signature = text.partition('(')
    class_name, _, name = head.rpartition('.')
    signature = re.sub(r'{([^}]*)}', lambda m: 'L%s;' % (m[1] if '/' in m[1] else script.packages[m[1]] + '/' + m[1]),
                       parenthesis + signature)
    return '0x%x\t%s\t%s\t%s\t%s\n' % (index << 2, class_name, name, signature, source_file(class_name))


def demo_trace():
    with open(os.path.join(HERE, 'demo.txt')) as file:
        script = Script(file.read())
    methods, threads = {}, []
    for number, start_us, _, part in script.threads:
        lines = list(script.lines(part))
        for _, text in lines:
            methods.setdefault(CALL.fullmatch(text)[5], len(methods) + 1)
        thread = Thread(number, start_us, methods)
        for call in tree(lines):
            thread.run(call)
        threads.append(thread)
    # sorted() is stable: of records of one time, those of the first thread come first.
    records = sorted((record for thread in threads for record in thread.records), key=lambda record: record[0])
    text = ('*version\n3\ndata-file-overflow=false\nclock=dual\nelapsed-time-usec=%d\nnum-method-calls=%d\n'
            'clock-call-overhead-nsec=%d\nvm=art\npid=%d\n*threads\n' % (records[-1][0], len(records), OVERHEAD_NS, threads[0].number))
    text += ''.join('%d\t%s\n' % (number, name) for number, _, name, _ in script.threads) + '*methods\n'
    text += ''.join(method_line(script, index, method) for method, index in methods.items()) + '*end\n'
    header = struct.pack('<4sHHQH14x', b'SLOW', 3, 32, START_US, 14)
    return text.encode() + header + b''.join(record for _, record in records)


def main():
    if sys.argv[1:] == ['-']:
        sys.stdout.buffer.write(demo_trace())
        return
    with open(PACKED, 'wb') as file:
        file.write(gzip.compress(demo_trace(), 9, mtime=0))


if __name__ == '__main__':
    main()
