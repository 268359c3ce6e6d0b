"""A made-up team: runs of an app whose methods take known times, with noise, as method traces; and their uploads with
labels, commit by commit."""
import random
import struct

import support
from support import fields_of

# What a start of the app does on the main thread: method, CPU time in us, waiting in us.
STARTUP = (('com.example.feed.Start.onCreate', 2000, 0), ('com.example.feed.FeedListAdapter.getView', 12000, 0),
           ('com.example.feed.ImageLoader.decode', 30000, 0), ('com.example.feed.Json.parse', 18000, 500),
           ('com.example.feed.Db.query', 3000, 25000), ('com.example.feed.Net.await', 400, 40000))


def run_trace(work, noise, chance, salt):
    """A trace of one run: each method of `work` is called once, below Start.run, and takes its times with noise (a
    standard deviation, as a share)."""
    names = ['com.example.feed.Start.run'] + [name for name, _, _ in work]
    methods = ['0x%x\t%s\t%s\t()V\tX.java' % (i * support.METHOD_ID_STEP, *name.rsplit('.', 1))
               for i, name in enumerate(names)]
    record = struct.Struct('<HIII')
    cpu = wall = 0
    out = [support.text_part(3, 'dual', [(1, 'main')], methods, ['pid=%d' % salt]), support.binary_header(3, record.size)]
    out.append(record.pack(1, 0, cpu, wall))
    for i, (_, runs_us, waits_us) in enumerate(work, 1):
        out.append(record.pack(1, i * support.METHOD_ID_STEP, cpu, wall))
        runs_us, waits_us = (max(0, int(us * (1 + chance.gauss(0, noise)))) for us in (runs_us, waits_us))
        cpu += runs_us
        wall += runs_us + waits_us
        out.append(record.pack(1, i * support.METHOD_ID_STEP | 1, cpu, wall))
    out.append(record.pack(1, 1, cpu, wall))
    return b''.join(out)


def changed(work, method, runs=1.0, waits=1.0):
    return tuple((name, cpu * runs, wait * waits) if name.endswith(method) else (name, cpu, wait)
                 for name, cpu, wait in work)


class Team:
    """Uploads runs into a space; `at`: {commit number: function of the work from there on}."""

    def __init__(self, server, space, seed=1, noise=0.03):
        self.server, self.space, self.noise = server, space, noise
        self.chance = random.Random(seed)
        self.salt = 0

    def upload(self, work, target='/', **labels):
        self.salt += 1
        body = run_trace(work, self.noise, self.chance, self.salt)
        answer = self.server.upload_form(*fields_of(space=self.space, **{'label.' + k: v for k, v in labels.items()}),
                                         ('trace', 'run.trace', body), target=target)
        if answer.status not in (200, 201):
            raise AssertionError(answer.text)
        return answer

    def commits(self, numbers, runs, at=None, **labels):
        work = STARTUP
        for number in numbers:
            work = (at or {}).get(number, lambda same: same)(work)
            for run in range(runs):
                self.upload(work, commit='c%03d' % number, run=str(run), **labels)
        return work
