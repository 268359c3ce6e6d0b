"""Readers of what other tools read, each written from the other tool's definition alone. All give the same shape:
{track: {stack: value}} with a stack as a tuple of frames, the root first; () is what a thread spends in no frame."""
import collections
import decimal
import gzip
import json
import struct


def speedscope(content):
    """Its schema: frames are indexes, and what opens last closes first. Stacks of each thread, with ns."""
    file = json.loads(content, parse_float=decimal.Decimal)
    names = [frame['name'] for frame in file['shared']['frames']]
    tracks = {}
    for profile in file['profiles']:
        assert profile['type'] == 'evented' and profile['startValue'] == 0
        stacks, stack, at = collections.Counter(), [], 0
        scale = {'microseconds': 1000}.get(profile['unit'], 1)
        for event in profile['events']:
            assert event['at'] >= at
            stacks[tuple(stack)] += int((event['at'] - at) * scale)
            at = event['at']
            if event['type'] == 'O':
                stack.append(names[event['frame']])
            else:
                assert event['type'] == 'C' and stack.pop() == names[event['frame']]
        assert not stack
        stacks[()] += int((profile['endValue'] - at) * scale)
        tracks[profile['name']] = stacks
    return tracks


def chrome(content):
    """Events that begin and end calls: stacks as of the others, in ns."""
    file = json.loads(content, parse_float=decimal.Decimal)
    threads = {e['tid']: e['args']['name'] for e in file['traceEvents'] if e['ph'] == 'M'}
    processes = {e['tid']: e['pid'] for e in file['traceEvents'] if e['ph'] == 'M'}
    tracks, open_ = {}, collections.defaultdict(lambda: ([], [0]))
    for e in file['traceEvents']:
        assert e['ph'] in 'MBE' and e['pid'] == processes[e['tid']]
        if e['ph'] == 'M':
            continue
        stack, last = open_[e['tid']]
        stacks, at = tracks.setdefault(threads[e['tid']], collections.Counter()), int(e['ts'] * 1000)
        assert at >= last[0]
        if stack:
            stacks[tuple(stack)] += at - last[0]
        last[0] = at
        if e['ph'] == 'B':
            stack.append(e['name'])
        else:
            assert stack.pop() == e['name']
    assert not any(stack for stack, _ in open_.values())
    return tracks


def fields(message):
    """(number, value) of each field of a protobuf message: an integer, or bytes."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(message):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        elif key & 7 == 1:
            yield key >> 3, struct.unpack_from('<Q', message, at)[0]
            at += 8
        else:
            assert key & 7 == 2, key
            n = varint()
            assert at + n <= len(message)
            yield key >> 3, message[at:at + n]
            at += n


def varints(packed):
    return [value for _, value in fields(b''.join(b'\x08' + part for part in split(packed)))]


def split(packed):
    begin = 0
    for end, byte in enumerate(packed, 1):
        if byte < 128:
            yield packed[begin:end]
            begin = end


def one(message, number, default=0):
    return next((value for field, value in fields(message) if field == number), default)


class Pprof:
    """profile.proto."""

    def __init__(self, content):
        message = gzip.decompress(content)
        lists = collections.defaultdict(list)
        for field, value in fields(message):
            lists[field].append(value)
        self.strings = [text.decode() for text in lists[6]]
        assert self.strings[0] == ''
        self.types = [(self.strings[one(t, 1)], self.strings[one(t, 2)]) for t in lists[1]]
        self.default = self.strings[lists[14][0]]
        self.functions = {one(f, 1): self.strings[one(f, 2)] for f in lists[5]}
        self.files = {one(f, 1): self.strings[one(f, 4)] for f in lists[5]}
        self.mappings = {one(m, 1): (self.strings[one(m, 5)], self.strings[one(m, 6)]) for m in lists[3]}
        self.locations = {one(x, 1): (self.functions[one(one(x, 4), 1)], one(x, 2), one(one(x, 4), 2)) for x in lists[4]}
        self.samples = [self.sample(s) for s in lists[2]]

    def sample(self, message):
        """(stack, values, labels)"""
        stack = tuple(self.locations[i][0] for i in reversed(varints(one(message, 1))))
        values = [v - (1 << 64) if v >> 63 else v for v in varints(one(message, 2))]
        labels = [label for field, label in fields(message) if field == 3]
        return stack, values, {self.strings[one(x, 1)]: self.strings[one(x, 2)] or one(x, 3) for x in labels}

    def tracks(self, value):
        index = [name for name, _ in self.types].index(value)
        tracks = collections.defaultdict(collections.Counter)
        for stack, values, labels in self.samples:
            assert len(values) == len(self.types)
            tracks['%s tid=%d' % (labels['thread'], labels['tid']) if labels else 'merged'][stack] += values[index]
        return tracks


class Perfetto:
    """A trace of Perfetto, of the messages that TrackEvent's documentation tells of, as its importer takes them: packets of one
    sequence, whose names and categories are interned; an event belongs to the track of its uuid."""
    BEGIN, END = 1, 2

    def __init__(self, content):
        self.names, self.categories, self.threads, self.pids, self.stacks, self.of_cpu = {}, {}, {}, {}, {}, {}
        self.events = collections.defaultdict(list)     # of each uuid: (type, name, category, ns, CPU us or None)
        self.cleared = False
        for field, packet in fields(content):
            assert field == 1
            self.packet(dict(fields(packet)))
        self.tracks = {self.threads[uuid][1]: self.nested(events, 3, 1) for uuid, events in self.events.items()}
        self.cpu_tracks = {self.threads[uuid][1]: self.nested(events, 4, 1000) for uuid, events in self.events.items()
                           if events[0][4] is not None}

    def packet(self, packet):
        assert packet[10] == 1
        self.cleared = self.cleared or packet[13] & 1
        assert self.cleared, 'nothing counts before the state was cleared'
        for kind, entry in fields(packet.get(12, b'')):
            table = {1: self.categories, 2: self.names}[kind]
            assert one(entry, 1) > 0 and one(entry, 1) not in table, 'an id is told once'
            table[one(entry, 1)] = one(entry, 2).decode()
        if 60 in packet:
            self.describe(dict(fields(packet[60])))
        if 11 in packet:
            event = dict(fields(packet[11]))
            assert event[9] in (self.BEGIN, self.END) and event[11] in self.threads
            name = self.names[event[10]] if event[9] == self.BEGIN else None
            category = self.categories[event[3]] if event[9] == self.BEGIN else None
            self.events[event[11]].append((event[9], name, category, packet[8], event.get(17)))

    def describe(self, track):
        if 3 in track:
            self.pid = one(track[3], 1)
        else:
            thread = dict(fields(track[4]))
            assert track[1] not in self.threads
            self.threads[track[1]] = (thread[2], thread[5].decode())
            self.pids[track[1]] = thread[1]

    @staticmethod
    def nested(events, clock, unit):
        stacks, stack, at = collections.Counter(), (), 0
        for event in events:
            assert event[clock] * unit >= at
            stacks[stack] += event[clock] * unit - at
            at = event[clock] * unit
            if event[0] == Perfetto.BEGIN:
                stack += (event[1],)
            else:
                assert stack, 'an end without a beginning'
                stack = stack[:-1]
        assert not stack, 'a beginning without an end'
        del stacks[()]
        return stacks


def firefox(content):
    """A processed profile of version 48; weights of time are ms, and given back in ns."""
    file = json.loads(gzip.decompress(content))
    assert file['meta']['preprocessedProfileVersion'] == 48
    categories = len(file['meta']['categories'])
    tracks = {}
    for thread in file['threads']:
        for table in ('samples', 'stackTable', 'frameTable', 'funcTable'):
            for name, column in thread[table].items():
                assert not isinstance(column, list) or len(column) == thread[table]['length'], (table, name)
        strings, frames, stacks = thread['stringArray'], thread['frameTable'], thread['stackTable']
        whole = []
        for frame, prefix, category in zip(stacks['frame'], stacks['prefix'], stacks['category']):
            assert prefix is None or prefix < len(whole)
            assert category < categories
            name = strings[thread['funcTable']['name'][frames['func'][frame]]]
            whole.append((() if prefix is None else whole[prefix]) + (name,))
        samples = collections.Counter()
        scale = 10 ** 6 if thread['samples']['weightType'] == 'tracing-ms' else 1
        assert thread['samples']['time'] == sorted(thread['samples']['time'])
        for stack, weight in zip(thread['samples']['stack'], thread['samples']['weight']):
            samples[() if stack is None else whole[stack]] += round(weight * scale)
        tracks[thread['name']] = samples
    return tracks
