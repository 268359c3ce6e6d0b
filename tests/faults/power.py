"""Power cuts: a program writes a journal of what it does to a folder (journal.h); for every place in it at which the power
may go, and every way in which the disk may lose what was not synced (disk.py), the folder is built as it would be
then, and the program is asked for what it had acknowledged.

The law: what was answered is there, and what was deleted stays so; what was not answered is there as a whole or not at
all; nothing is left behind that nobody needs; of a file that is replaced there is the old one or the new one."""
import json
import os
import random
import re
import shutil
import subprocess
import tempfile
import time

from commands import MAPPING, zipped
from control import FOREVER, ONCE, PROGRAM, Control
from disk import LOSSES, Disk, Loss, build, lines
from support import Server, eventually, form, id_of, in_parallel, trace

GONE, SHARES = 'gone', 'keys/shares'
TIMEOUT_S = 60
USED_S = 60          # before a start everything was used so long ago: as after a cut, and not just now
SEEDS = 3            # of each place
DURABLE = re.compile(r'store/(bytes|names|uploads|gone|keys)/|tokens$')
FORM = 'application/x-www-form-urlencoded'
CONFIG = {'workers': 1, 'log_level': 'debug', 'uploads_per_minute': 100}


def environment():
    return {k: v for k, v in os.environ.items() if not k.startswith('AFLAMED')}


def shown(value):
    """Without its bytes."""
    return value if not isinstance(value, tuple) else '%d bytes and %r' % (len(value[0]), value[1:])


# ---- what is done, and acknowledged ----
class FaultsServer(Server):
    PROGRAM = PROGRAM

    def __init__(self, store, variables, **config):
        self.ENVIRONMENT = variables
        super().__init__(store=store, **config)


class Service:
    """Two lives of a service on one store. worlds[n]: what holds when n answers were given: of each upload's id its bytes,
    its name and whether a mapping tells names, or GONE; of a session's cookie True;
    and what was said of shares at an end."""
    NAMELESS = True

    def __init__(self, folder):
        self.folder, self.top, self.journal = folder, os.path.join(folder, 'top'), os.path.join(folder, 'journal')
        self.store, self.tokens = os.path.join(self.top, 'store'), os.path.join(folder, 'tokens')
        self.worlds, self.pictures, self.server = [{}], {}, None
        os.mkdir(self.top)
        said = subprocess.run([PROGRAM, 'token', 'new', 'ann', '--scope', 'upload,read,change,delete', '--tokens-file', self.tokens],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True, timeout=TIMEOUT_S)
        self.who = {'Authorization': 'Bearer ' + said.stdout.split()[-1]}

    def ask(self, method, path, body=None, **headers):
        answer = self.server.request(method, path, body, **{**self.who, **headers})
        if answer.status >= 400:
            raise AssertionError('without a fault: %r' % answer)
        return answer

    def now(self, changes):
        self.worlds.append({**self.worlds[-1], **changes})

    def upload(self, content, name='x'):
        identity = id_of(self.ask('POST', '/?name=' + name, content))
        self.now({identity: (content, name, False)})
        return identity

    def upload_members(self, *contents):
        packed = zipped({'%d.trace' % i: content for i, content in enumerate(contents)})
        said = json.loads(self.ask('POST', '/?member=all', packed, Accept='application/json').body)
        self.now({result['id']: (packed, result['member'], False) for result in said['results']})

    def upload_at_once(self, contents):
        """The journal has the order in which they were answered."""
        answers = in_parallel(lambda content: self.ask('POST', '/?name=x', content), contents, threads=len(contents))
        stored = {id_of(answer): (content, 'x', False) for answer, content in zip(answers, contents)}
        with open(self.journal, 'rb') as file:
            said = [words for what, words, _ in lines(file.read()) if what == 'says']
        for words in said[-len(contents):]:
            identity = words.rsplit('/', 1)[1]
            self.now({identity: stored[identity]})

    def rename(self, identity, name):
        self.ask('POST', '/p/%s/rename' % identity, 'name=%s&expires=9' % name, Content_Type=FORM)
        content, _, mapped = self.worlds[-1][identity]
        self.now({identity: (content, name, mapped)})

    def attach(self, identity):
        kind, body = form(('mapping', 'mapping.txt', MAPPING))
        self.ask('POST', '/p/%s/mapping' % identity, body, Content_Type=kind)
        content, name, _ = self.worlds[-1][identity]
        self.now({identity: (content, name, True)})

    def delete(self, identity):
        self.ask('DELETE', '/p/' + identity)
        self.now({identity: GONE})

    def look(self, identity):
        """Pictures are asked for again after the cut."""
        value = self.worlds[-1][identity]
        self.pictures[value] = self.ask('GET', '/p/%s/t/1.svg' % identity).body
        self.now({})

    def login(self):
        answer = self.ask('POST', '/login', 'token=' + self.who['Authorization'].split()[1], Content_Type=FORM)
        self.now({answer['Set-Cookie'].split(';')[0]: True})

    def start(self, variables):
        """Where the file system cannot hold files without a name, the probe for them fails."""
        control = Control()
        control.arm(0 if not self.NAMELESS else FOREVER, ONCE, 'linkat')
        self.server = FaultsServer(self.store, {**variables, 'FAULTS_CONTROL': control.path}, tokens_file=self.tokens, **CONFIG)

    def record(self):
        variables = {'FAULTS_JOURNAL': self.journal}
        one, other = trace(threads=2, records=240, salt=1), trace(records=96, salt=2)
        try:
            self.start(variables)
            self.upload_at_once([one, other, *(trace(records=12 * n, salt=n) for n in (3, 4, 5)), one])
            a, b, c = self.upload(one), self.upload(other), self.upload(one, 'again')
            self.login()
            self.rename(a, 'renamed')
            self.attach(b)
            self.look(a)
            self.look(b)
            self.delete(c)
            self.delete(b)
            self.end()
            self.start(variables)
            self.upload(other)
            self.upload_members(one, other)
            self.rename(a, 'twice')
            self.delete(a)
            self.end()
        finally:
            if self.server is not None:
                self.server.clean()

    def end(self):
        status = self.server.stop()
        self.server.clean()
        if status != 0:
            raise AssertionError('without a fault: status %r' % status)
        with open(self.journal, 'ab') as journal:
            journal.write(b'says that it has ended\n')
        with open(os.path.join(self.store, SHARES), 'rb') as file:
            self.now({SHARES: file.read()})

    # -- after the cut --
    def problem_of(self, tree, answered):
        before, after = self.worlds[answered], self.worlds[min(answered + 1, len(self.worlds) - 1)]
        folder = tempfile.mkdtemp(prefix='aflamed-faults-')
        server = None
        try:
            build(tree, folder, time.time() - USED_S)
            boot = os.path.join(folder, 'boot-id')
            with open(boot, 'w') as file:
                file.write('%032x\n' % random.getrandbits(128))
            server = FaultsServer(os.path.join(folder, 'store'), {'FAULTS_BOOT_ID': boot}, tokens_file=self.tokens, **CONFIG)
            if not eventually(lambda: ' swept ' in server.log()):
                return 'it does not sweep'
            if tree.get('store/' + SHARES) not in (before.get(SHARES), after.get(SHARES)):
                return 'the shares are %r' % tree.get('store/' + SHARES)
            return self.problem_of_uploads(server, before, after) or self.problem_of_garbage(server)
        except (AssertionError, OSError) as error:
            return str(error)
        finally:
            if server is not None:
                server.clean()
            shutil.rmtree(folder)

    def problem_of_uploads(self, server, before, after):
        for key in self.worlds[-1].keys() - {SHARES}:
            if key.startswith('aflamed_session='):
                if before.get(key) and server.get('/login?prompt=1', Cookie=key).status != 303:
                    return 'the session is none any more'
                continue
            found = self.found(server, key)
            first = next(world[key] for world in self.worlds if key in world)     # of several at once any may be first
            if found not in (before.get(key), after.get(key)) and (key in before or found != first):
                return 'upload %s is %s; before the request it was %s' % (key, shown(found), shown(before.get(key)))
        unknown = [name for name in server.files('uploads') if re.split('[/.]', name)[1] not in self.worlds[-1]]
        return 'there are %s' % unknown if unknown else ''

    def found(self, server, identity):
        """As in worlds; None: there is none; a longer text: what is wrong."""
        facts = server.get('/p/%s.json' % identity)
        if facts.status in (404, 410):
            return GONE if facts.status == 410 else None
        raw, folded = server.get('/p/%s/raw' % identity), server.get('/p/%s/t/1.folded.txt' % identity)
        if (facts.status, raw.status, folded.status) != (200, 200, 200):
            return 'not readable: %r, %r, %r' % (facts, raw, folded)
        value = (raw.body, json.loads(facts.body)['name'], b'com.real.Shop.open' in folded.body)
        if value in self.pictures and server.get('/p/%s/t/1.svg' % identity).body != self.pictures[value]:
            return 'drawn as another picture'
        return value

    @staticmethod
    def problem_of_garbage(server):
        """Files of names are left for weeks: somebody might be about to need them."""
        uploads = {re.split('[/.]', path)[1] for path in server.files('uploads')}
        left = server.files('tmp') + [path for path in server.files('bytes') if os.path.basename(path) not in uploads]
        return 'left behind: %s' % left if left else ''


class ServiceWithNames(Service):
    """Where the file system wants a name for each file."""
    NAMELESS = False


class Tokens:
    """One change of a file of tokens, which was there or was not."""

    def __init__(self, folder, words, is_there):
        self.top, self.journal = os.path.join(folder, 'top'), os.path.join(folder, 'journal')
        self.file, self.words = os.path.join(self.top, 'tokens'), words
        os.mkdir(self.top)
        if is_there:
            self.run(['new', 'ann'], {})
        self.worlds = [self.content()]

    def run(self, words, variables):
        done = subprocess.run([PROGRAM, 'token', *words, '--tokens-file', self.file], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=TIMEOUT_S, check=False,
                              env={**environment(), **variables})
        if done.returncode != 0:
            raise AssertionError('without a fault: ' + done.stderr)

    def content(self):
        if not os.path.exists(self.file):
            return None
        with open(self.file, 'rb') as file:
            return file.read()

    def record(self):
        self.run(self.words, {'FAULTS_JOURNAL': self.journal})
        self.worlds.append(self.content())

    def problem_of(self, tree, answered):
        found = tree.get('tokens')
        return '' if found in self.worlds[answered:] else 'the file is %r' % found


SCENARIOS = {
    'service': Service,
    'service without nameless files': ServiceWithNames,
    'token new, the first': lambda folder: Tokens(folder, ['new', 'bob'], False),
    'token new': lambda folder: Tokens(folder, ['new', 'bob'], True),
    'token revoke': lambda folder: Tokens(folder, ['revoke', 'ann'], True),
}


# ---- the walk ----
class Cuts:
    """All states that a cut may leave behind, each once, with the most answers that may have been given by then."""

    def __init__(self, journal, disk, seed):
        self.disk, self.seed, self.places, self.answers = disk, seed, 0, 0
        self.states = {}     # a tree, frozen -> (answers, words)
        self.note()
        for what, words, data in lines(journal):
            if what == 'says':
                self.answers += 1
            elif not self.disk.apply(what, words, data):
                continue
            self.places += 1
            self.note()

    def note(self):
        losses = [Loss(*kind) for kind in LOSSES]
        losses += [Loss(seed=(self.seed + self.places) * SEEDS + i) for i in range(SEEDS)]
        for loss in losses:
            key = frozenset(self.disk.after(loss).items())
            if key not in self.states or self.states[key][0] < self.answers:
                self.states[key] = (self.answers, 'cut at change %d, %s' % (self.places, loss.words))

    def torn(self, tree):
        """What is under the name of an object, and never was one. Views may be so: they are of the boot that made them."""
        for path, data in tree.items():
            if data is not None and DURABLE.match(path) and data not in (n.data for n in self.disk.given[path] if n):
                return '%s is torn: %r' % (path, data[:100])
        return ''


def walk(make, most=None, seed=1, deaf=()):
    """(points, findings)"""
    folder = tempfile.mkdtemp(prefix='aflamed-faults-')
    try:
        scenario = make(folder)
        disk = Disk(scenario.top, deaf)
        scenario.record()
        with open(scenario.journal, 'rb') as file:
            cuts = Cuts(file.read(), disk, seed)
        findings = []
        if cuts.answers != len(scenario.worlds) - 1:
            findings.append('%d answers to %d requests' % (cuts.answers, len(scenario.worlds) - 1))
        chosen = list(cuts.states.items())
        if most is not None and len(chosen) > most:
            chosen = [chosen[i * len(chosen) // most] for i in range(most)]

        def look(state):
            tree, (answered, words) = dict(state[0]), state[1]
            problem = cuts.torn(tree) or scenario.problem_of(tree, answered)
            return ['%s, behind %d answers: %s' % (words, answered, problem)] if problem else []

        for found in in_parallel(look, chosen, threads=os.cpu_count()):
            findings += found
        return len(chosen), findings
    finally:
        shutil.rmtree(folder)
