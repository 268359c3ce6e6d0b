"""A trace as a release build would have written it, and the mapping.txt that goes with it."""
import re

PLATFORM = ('android.', 'com.android.', 'java.', 'javax.', 'dalvik.', 'libcore.', 'sun.')
PRIMITIVES = {'V': 'void', 'Z': 'boolean', 'B': 'byte', 'C': 'char', 'S': 'short', 'I': 'int', 'J': 'long', 'F': 'float',
              'D': 'double'}
TYPE = re.compile(r'\[*(?:L[^;]+;|[VZBCSIJFD])')


def letters(n):
    """0 -> a, 25 -> z, 26 -> aa, ..."""
    text = ''
    while True:
        text = chr(ord('a') + n % 26) + text
        n = n // 26 - 1
        if n < 0:
            return text


def in_source(descriptor):
    """[Ljava/lang/String; -> java.lang.String[]"""
    arrays = len(descriptor) - len(descriptor.lstrip('['))
    inner = descriptor[arrays:]
    name = PRIMITIVES[inner] if inner in PRIMITIVES else inner[1:-1].replace('/', '.')
    return name + '[]' * arrays


def types(signature):
    params, returns = signature[1:].split(')')
    return TYPE.findall(params), returns


class Obfuscation:
    """Of the methods in a trace's text, [(class, name, signature, file)]. Without packages as with -repackageclasses."""

    def __init__(self, methods, packages):
        classes = sorted({m[0] for m in methods if not m[0].startswith(PLATFORM)})
        self.classes = {c: 'p%d.%s' % (i % packages, letters(i // packages)) if packages > 0 else letters(i)
                        for i, c in enumerate(classes)}
        self.files = {m[0]: m[3] for m in methods}
        self.methods = {}
        taken = set()
        for i, (scope, name, signature, _) in enumerate(sorted(set(methods))):
            if scope not in self.classes or name.startswith('<'):
                residual = name
            params, returns = types(self.residual(signature))
            # Some lose a parameter, as methods do whose caller never uses it.
            dropped = scope in self.classes and i % 5 == 2 and len(params) > 0
            descriptor = '(%s)%s' % (''.join(params[dropped:]), returns)
            if scope in self.classes and not name.startswith('<'):
                n = 0
                while (scope, letters(n), descriptor) in taken:
                    n += 1
                residual = letters(n)
            taken.add((scope, residual, descriptor))
            self.methods[scope, name, signature] = (residual, descriptor, dropped)

    def residual(self, signature):
        """The same types under their residual names."""
        return re.sub(r'L([^;]+);', lambda m: 'L%s;' % self.classes.get(m[1].replace('/', '.'), m[1].replace('/', '.')).replace('.', '/'),
                      signature)

    def mapping(self):
        lines = ['# compiler: R8', '# pg_map_id: 0123abc', '# {"id":"com.android.tools.r8.mapping","version":"2.2"}']
        for scope, residual_scope in self.classes.items():
            lines += ['%s -> %s:' % (scope, residual_scope),
                      '# {"id":"sourceFile","fileName":"%s"}' % self.files[scope],
                      '    java.lang.Object field -> a']
            at = 1
            for (of, name, signature), (residual, descriptor, dropped) in self.methods.items():
                if of != scope:
                    continue
                params, returns = types(signature)
                member = '%s %s(%s)' % (in_source(returns), name, ','.join(map(in_source, params)))
                comment = ['      # {"id":"com.android.tools.r8.residualsignature","signature":"%s"}' % descriptor] * dropped
                lines += ['    %d:%d:%s:%d:%d -> %s' % (at, at + 2, member, at + 100, at + 102, residual), *comment,
                          '    %d:%d:void com.example.Inlined.step(int):7:8 -> %s' % (at + 3, at + 4, residual),
                          '    %d:%d:%s:%d -> %s' % (at + 3, at + 4, member, at + 110, residual),
                          '    # {"id":"of.a.later.day","what":[1,{"a":"b"}]}']
                at += 5
        return '\n'.join(lines) + '\n'


def obfuscate(trace, source_file='SourceFile', packages=7):
    """(the trace, its mapping): of a trace with a text part in UTF-8. All classes are of that source file, and of so many packages."""
    start = trace.index(b'*methods\n') + len(b'*methods\n')
    end = trace.index(b'*end\n', start)
    rows = [line.split('\t') for line in trace[start:end].decode().splitlines()]
    o = Obfuscation([(r[1], r[2], r[3], r[4]) for r in rows], packages)
    for row in rows:
        residual, descriptor, _ = o.methods[row[1], row[2], row[3]]
        if row[1] in o.classes:
            row[4] = source_file
        row[1:4] = o.classes.get(row[1], row[1]), residual, descriptor
    text = ''.join('\t'.join(row) + '\n' for row in rows)
    return trace[:start] + text.encode() + trace[end:], o.mapping()
