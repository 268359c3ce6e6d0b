"""The control of a program that fails from inside (faults.h), and the points to fail at."""
import mmap
import os
import struct
import subprocess
import tempfile

PROGRAM = os.environ.get('AFLAMED_TEST_FAULTS', '')
FOREVER = 2 ** 64 - 1
ONCE, ON, STARVED = 'once', 'from then on', 'no memory from then on'
FULL_ONCE, FULL = 'disk full once', 'disk full from then on'
SERIES = (ONCE, ON, STARVED, FULL_ONCE, FULL)
FUNCTIONS = {STARVED: 'memory', FULL_ONCE: 'space', FULL: 'space'}     # all that fail for want of it

# struct control
ARMED, FIRST, LAST, ONLY, CALLS, FAILED, SITE, NAME = 0, 8, 16, 24, 56, 64, 72, 80
ENDED, DESCRIPTORS, BLOCKS, SITES, TRACE = 112, 120, 128, 136, 264
NAME_BYTES, SITES_MOST, TRACE_MOST = 32, 16, 1 << 16
SIZE = TRACE + 4 * TRACE_MOST


def source_of(site):
    """Function and line of an address behind a call, the innermost first where the compiler joined functions."""
    run = subprocess.run(['addr2line', '-f', '-i', '-s', '-e', PROGRAM, hex(site - 1)], capture_output=True,
                         text=True, check=False)
    words = run.stdout.split('\n')
    return ' < '.join('%s %s' % (words[i], words[i + 1].split(' ')[0]) for i in range(0, len(words) - 1, 2)) or hex(site)


class Control:
    def __init__(self):
        self.file = tempfile.NamedTemporaryFile(prefix='aflamed-faults-')
        self.file.truncate(SIZE)
        self.memory = mmap.mmap(self.file.fileno(), SIZE)

    @property
    def path(self):
        return self.file.name

    def get(self, at):
        return struct.unpack_from('<Q', self.memory, at)[0]

    def put(self, at, value):
        struct.pack_into('<Q', self.memory, at, value)

    def arm(self, first=FOREVER, series=ONCE, only=''):
        """From now on calls are counted, and the one numbered `first` fails, or all from it on; none by default."""
        only = FUNCTIONS.get(series, only)
        self.put(ARMED, 0)
        self.memory[FIRST:TRACE] = bytes(TRACE - FIRST)
        self.memory[ONLY:ONLY + NAME_BYTES] = only.encode().ljust(NAME_BYTES, b'\0')
        self.put(FIRST, first)
        self.put(LAST, first if series in (ONCE, FULL_ONCE) else FOREVER)
        self.put(ARMED, 1)

    def disarm(self):
        self.put(ARMED, 0)

    @property
    def calls(self):
        return self.get(CALLS)

    @property
    def failed(self):
        """How many did."""
        return self.get(FAILED)

    @property
    def function(self):
        """The first that failed."""
        return self.memory[NAME:NAME + NAME_BYTES].rstrip(b'\0').decode()

    def where(self):
        return '%s < %s' % (self.function, source_of(self.get(SITE)))

    def trace(self):
        """Sites of the calls."""
        return struct.unpack_from('<%dI' % min(self.calls, TRACE_MOST), self.memory, TRACE)

    def ended(self):
        return self.get(ENDED) == 1

    def left_over(self):
        """What a program that has ended regularly did not give back, in words; '' if it gave all."""
        said = []
        if self.get(DESCRIPTORS) != 0:
            said.append('%d descriptors' % struct.unpack_from('<q', self.memory, DESCRIPTORS))
        blocks = self.get(BLOCKS)
        if blocks > 0:
            sites = struct.unpack_from('<%dQ' % min(blocks, SITES_MOST), self.memory, SITES)
            said.append('%d blocks of memory, from %s' % (blocks, '; '.join(sorted({source_of(s) for s in sites}))))
        return ' and '.join(said)


def points(trace, most):
    """Up to `most` numbers of the calls with these sites: of each site the first and the last call, then others, at
    equal distances. None: every one, and on beyond."""
    if most is None:
        return None
    first, last = {}, {}
    for n, site in enumerate(trace):
        first.setdefault(site, n)
        last[site] = n
    chosen = sorted({*first.values(), *last.values()})
    if len(chosen) > most:
        return [chosen[i * len(chosen) // most] for i in range(most)]
    others = most - len(chosen)
    return sorted({*chosen, *(i * len(trace) // others for i in range(others))})
