"""The service under faults, request by request: an answer is right, or an error, or the connection ends; what is
acknowledged is there, also after a restart; nothing is leaked; and the next request without a fault succeeds."""
import gzip
import http.client
import json
import pathlib
import re
import subprocess
import tempfile
import time

from commands import MAPPING, SUMMARY, STREAM, native, zipped
from control import FULL, FULL_ONCE, ON, ONCE, PROGRAM, Control, points
from support import TIMEOUT_S, Answer, Server, eventually, form, id_of, token_of, trace

MISSES_MOST = 3      # calls of other threads come and go: so many points in a row that were not reached are the end
SETTLE_S = 5
ERRORS = (500, 503, 507)
NO_ROOM = 507
CLOSED = None        # the answer of a connection that ended without one


class FaultyServer(Server):
    PROGRAM = PROGRAM

    def __init__(self, control, nameless=True, **config):
        self.control, self.nameless = control, nameless
        self.ENVIRONMENT = {'FAULTS_CONTROL': control.path}
        super().__init__(workers=1, log_level='debug', **config)

    def start(self):
        self.control.disarm()
        if not self.nameless:     # the probe for files without a name fails
            self.control.arm(0, ONCE, 'linkat')
        super().start()
        self.control.disarm()

    def ask(self, method, target, body=None, **headers):
        try:
            return self.request(method, target, body, **headers)
        except (OSError, http.client.HTTPException):
            return CLOSED


def status_of(answer):
    return answer.status if answer is not CLOSED else 'closed'


def shown(answer):
    """What an error says."""
    if answer is CLOSED:
        return 'nothing'
    text = answer.body.decode('utf-8', 'replace')
    said = text if len(text) < 500 else text[text.find('<h1'):][:400]
    return '%d %s' % (answer.status, said)


def says_error(answer):
    return answer is CLOSED or b'error' in answer.body or b'title' in answer.body


class Scenario:
    """Each point has an `n` of its own, which makes its upload another."""
    CONFIG = {}
    NAMELESS = True

    def content(self, n):
        return trace(threads=3, methods=24, records=600, depth=8, salt=n)

    def begin(self, world, n):
        """Without faults; the result is what the others get."""

    def act(self, world, state):
        """With faults: an answer, or CLOSED."""
        raise NotImplementedError

    def check(self, world, state, answer):
        """Without faults again: what is wrong, or ''."""
        raise NotImplementedError


# ---- uploads ----
class Upload(Scenario):
    """Of the raw body."""
    HEADERS, TARGET = {}, '/?name=one&expires=7'
    NAME, DAYS = 'one', 7

    def body(self, n):
        """(headers, body, what is stored)"""
        return {}, self.content(n), self.content(n)

    def begin(self, world, n):
        return self.body(n)

    def send(self, world, state):
        headers, body, _ = state
        return world.server.ask('POST', self.TARGET, body, **{**self.HEADERS, **headers})

    def act(self, world, state):
        return self.send(world, state)

    def problem_of_stored(self, world, state, answer):
        problem = world.problem_of_upload(id_of(answer), state[2])
        if not problem:
            facts = json.loads(world.server.get('/p/%s.json' % id_of(answer)).body)
            days = (time.mktime(time.strptime(facts['expires'], '%Y-%m-%dT%H:%M:%SZ')) -
                    time.mktime(time.strptime(facts['created'], '%Y-%m-%dT%H:%M:%SZ'))) / 86400
            if facts['name'] != self.NAME or days != self.DAYS:
                problem = 'acknowledged with name %r and %r days' % (facts['name'], days)
        return problem

    def check(self, world, state, answer):
        """An error behind which the upload is there all the same is like an answer that was lost."""
        if status_of(answer) in (201, 202, 303):
            if answer['Location'] is None:
                return 'acknowledged without its link'
            world.acknowledged[id_of(answer)] = state[2]
            problem = self.problem_of_stored(world, state, answer)
            if problem:
                return problem
        elif status_of(answer) not in ('closed', *world.errors) or not says_error(answer):
            return 'answered ' + shown(answer)
        again = self.send(world, state)
        if status_of(again) not in (201, 202, 303):
            return 'the next one got ' + shown(again)
        world.acknowledged[id_of(again)] = state[2]
        return self.problem_of_stored(world, state, again)


class UploadWithoutNameless(Upload):
    """Where the file system holds no files without a name."""
    NAMELESS = False


class UploadAsync(Upload):
    """Answered before the views are there."""
    HEADERS = {'Prefer': 'respond-async', 'Accept': 'application/json'}

    def check(self, world, state, answer):
        if answer is not CLOSED and answer.status in (201, 202):
            answer.headers['Location'] = json.loads(answer.body)['url']
            world.server.get('/p/%s/status.json?wait=20' % id_of(answer))
        return super().check(world, state, answer)

    def send(self, world, state):
        answer = super().send(world, state)
        if answer is not CLOSED and answer.status in (201, 202) and answer['Location'] is None:
            answer.headers['Location'] = json.loads(answer.body)['url']
        return answer


class UploadForm(Upload):
    """A form with fields behind the file, of a browser."""
    HEADERS, TARGET = {'Accept': 'text/html'}, '/'

    def body(self, n):
        packed = zipped({'a/x.trace': self.content(n), 'b.trace': trace(records=60)})
        kind, body = form(('name', None, b'one'), ('expires', None, b'7'), ('member', None, b'a/x.trace'),
                          ('trace', 'x.zip', packed))
        return {'Content_Type': kind}, body, packed


class UploadMembers(Upload):
    """An archive of which each file is meant: two that can be read, and one that only begins as if it could."""
    HEADERS, TARGET = {'Accept': 'application/json'}, '/?member=all&name=one&expires=7'
    MEMBERS = 2

    def body(self, n):
        content = self.content(n)
        packed = zipped({'a/x.trace': content, 'cut.trace': content[:300], 'b.trace': content})
        return {}, packed, packed

    def problem_of_results(self, world, state, answer):
        said = json.loads(answer.body)
        for result in said['results']:
            problem = self.problem_of_result(world, state, result)
            if problem:
                return '%s: %s' % (result['member'], problem)
        named = [r['member'] for r in said['results']] + [f['member'] for f in said['failed']]
        if not said['results'] or sorted(named) != ['a/x.trace', 'b.trace', 'cut.trace']:
            return 'answered with %r' % said
        return ''

    def problem_of_result(self, world, state, result):
        world.acknowledged[result['id']] = state[2]
        return world.problem_of_upload(result['id'], state[2])

    def check(self, world, state, answer):
        if status_of(answer) in (201, 202):
            problem = self.problem_of_results(world, state, answer)
            if problem:
                return problem
        elif status_of(answer) not in ('closed', *world.errors) or not says_error(answer):
            return 'answered ' + shown(answer)
        again = self.send(world, state)
        if status_of(again) not in (201, 202):
            return 'the next one got ' + shown(again)
        if len(json.loads(again.body)['results']) < self.MEMBERS:
            return 'the next one got ' + again.text
        return self.problem_of_results(world, state, again)


class UploadMembersAsync(UploadMembers):
    """Answered before they are read: the link of the one that cannot be read says so."""
    HEADERS = {'Accept': 'application/json', 'Prefer': 'respond-async'}

    def problem_of_result(self, world, state, result):
        path = '/p/' + result['id']
        world.server.get(path + '/status.json?wait=20')
        if result['member'] != 'cut.trace':
            return super().problem_of_result(world, state, result)
        raw, view = world.server.get(path + '/raw'), world.server.get(path + '/t/1.svg')
        return '' if (raw.status, raw.body, view.status) == (200, state[2], 422) else 'raw is %r, the picture %r' % (raw, view)


class UploadPacked(Upload):
    """A packed file within a packed request."""

    def body(self, n):
        packed = gzip.compress(self.content(n), mtime=n)
        return {'Content_Encoding': 'gzip'}, packed, packed


class UploadCodedForm(UploadForm):
    """A form in a packed request."""

    def body(self, n):
        headers, body, stored = super().body(n)
        return {**headers, 'Content_Encoding': 'gzip'}, gzip.compress(body), stored


class UploadAndSee(Upload):
    """The picture itself as the answer."""
    HEADERS = {'Accept': 'image/svg+xml', 'Accept_Encoding': 'gzip'}
    SEEN = 201

    def check(self, world, state, answer):
        if status_of(answer) == self.SEEN:
            picture = gzip.decompress(answer.body) if answer['Content-Encoding'] == 'gzip' else answer.body
            if picture != world.views['/t/1.svg']:
                return 'answered with another picture'
        elif answer is not CLOSED and answer.status not in world.errors:
            return 'answered ' + shown(answer)
        again = self.send(world, state)
        return '' if status_of(again) == self.SEEN else 'the next one got ' + shown(again)


# ---- what is asked of an upload ----
class Ask(Scenario):
    """Of a fresh upload, nothing of it made before. {} stands for its path."""
    SAME = True     # for all uploads of the same calls
    CONFIG = {'render_tracks': 0, 'profile_cache_bytes': 0, 'views_in_memory_bytes': 0}

    def __init__(self, target='', **headers):
        self.target, self.headers = target, headers

    def begin(self, world, n):
        answer = world.server.upload(self.content(n))
        world.acknowledged[id_of(answer)] = self.content(n)
        return '/p/' + id_of(answer)

    def act(self, world, state):
        return world.server.ask('GET', self.target.replace('{}', state), **self.headers)

    def check(self, world, state, answer):
        again = self.act(world, state)
        if status_of(again) not in (200, 206):
            return 'the next one got ' + shown(again)
        plain = self.plain(again, state)
        if self.SAME and plain != world.once.setdefault(self.target, plain):
            return 'what comes then is another view'
        if answer is CLOSED or answer.status in world.errors:
            return '' if says_error(answer) else 'said %r' % answer
        if answer['Content-Encoding'] != again['Content-Encoding']:     # what cannot be encoded is good as it is
            plainly = {name: value for name, value in self.headers.items() if name != 'Accept_Encoding'}
            again = world.server.get(self.target.replace('{}', state), **plainly)
            plain = self.plain(again, state)
        if answer.status != again.status or self.plain(answer, state) != plain:
            return 'answered %d, but not the view' % answer.status
        return ''

    def plain(self, answer, state):
        """The body, without what is of this upload alone: its id, and the pages' words about its time."""
        body = gzip.decompress(answer.body) if answer['Content-Encoding'] == 'gzip' else answer.body
        return body.replace(state.encode(), b'{}')


class AskPage(Ask):
    """What holds the time of its upload, or its bytes, or the service's address."""
    SAME = False


class AskFigures(AskPage):
    """Of the listener that has them alone. The numbers are others each time, and series come."""
    CONFIG = {'metrics_listen': '127.0.0.1:0'}

    def act(self, world, state):
        port = re.findall(r'also-listening key=metrics_listen address=127\.0\.0\.1:(\d+)', world.server.log())[-1]
        connection = http.client.HTTPConnection('127.0.0.1', int(port), timeout=TIMEOUT_S)
        try:
            connection.request('GET', '/metrics')
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read())
        except (OSError, http.client.HTTPException):
            return CLOSED
        finally:
            connection.close()

    def plain(self, answer, state):
        return b'\n'.join(re.findall(b'^# TYPE .*', super().plain(answer, state), re.M))


class AskCached(Ask):
    """When it is in memory."""
    CONFIG = {}

    def begin(self, world, n):
        state = super().begin(world, n)
        for _ in range(3):
            world.server.get(self.target.replace('{}', state), **self.headers)
        return state


class Delete(Ask):
    def begin(self, world, n):
        answer = world.server.upload(self.content(n))
        return '/p/' + id_of(answer), token_of(answer)

    def act(self, world, state):
        return world.server.ask('DELETE', state[0], X_Delete_Token=state[1])

    def check(self, world, state, answer):
        seen = world.server.get(state[0]).status
        if status_of(answer) == 200 and seen != 410:
            return 'deleted, but then %d' % seen
        if status_of(answer) not in (200, 'closed', *world.errors) or seen not in (200, 410):
            return 'answered %r, then %d' % (answer, seen)
        again = self.act(world, state)
        seen = world.server.get(state[0]).status
        if status_of(again) not in (200, 410) or seen != 410:
            return 'the next one got %r, then %d' % (again, seen)
        world.deleted.append(state[0])
        return ''


class Rename(Ask):
    def begin(self, world, n):
        answer = world.server.upload(self.content(n))
        world.acknowledged[id_of(answer)] = self.content(n)
        return '/p/' + id_of(answer), token_of(answer)

    def act(self, world, state):
        return world.server.ask('POST', state[0] + '/rename', b'token=%s&name=another&expires=9' % state[1].encode(),
                                Content_Type='application/x-www-form-urlencoded')

    def check(self, world, state, answer):
        name = json.loads(world.server.get(state[0] + '.json').body)['name']
        if status_of(answer) in (200, 303) and name != 'another':
            return 'renamed, but its name is %r' % name
        if status_of(answer) not in (200, 303, 'closed', *world.errors):
            return 'answered ' + shown(answer)
        again = self.act(world, state)
        name = json.loads(world.server.get(state[0] + '.json').body)['name']
        return '' if status_of(again) in (200, 303) and name == 'another' else 'the next one got ' + shown(again)


class Attach(Rename):
    """A mapping, instead of another one."""

    def begin(self, world, n):
        answer = world.server.upload(self.content(n))
        state = '/p/' + id_of(answer), token_of(answer)
        self.send(world, state, b'com.other.A -> a:\n# %d\n' % n)
        return state

    @staticmethod
    def send(world, state, content, field='mapping'):
        kind, body = form(('token', None, state[1].encode()), (field, 'mapping.txt', content))
        return world.server.ask('POST', state[0] + '/mapping', body, Content_Type=kind)

    def act(self, world, state):
        return self.send(world, state, MAPPING)

    def check(self, world, state, answer):
        if status_of(answer) not in (200, 303, 'closed', *world.errors):
            return 'answered ' + shown(answer)
        again = self.act(world, state)
        folded = world.server.get(state[0] + '/t/merged.folded.txt')
        named = folded.status == 200 and b'com.real.Shop.open' in folded.body
        return '' if status_of(again) in (200, 303) and named else 'the next one got ' + shown(again)


class FindMapping(Attach):
    """One of the service's own is named, and none applied."""
    FOLDER = tempfile.TemporaryDirectory()     # pylint: disable=consider-using-with
    CONFIG = {'mappings_dir': FOLDER.name}

    def content(self, n):
        pathlib.Path(self.FOLDER.name, 'fits.txt').write_bytes(MAPPING)
        return b'com.example.Class0.method0;com.example.Class%d.b 10\n' % n

    def act(self, world, state):
        return self.send(world, state, b'by-names', 'known')

    def check(self, world, state, answer):     # 404: what cannot be read is passed over
        again = status_of(self.act(world, state)) == 200
        return '' if again and status_of(answer) in (200, 404, 'closed', *world.errors) else 'answered ' + shown(answer)


class AttachSymbols(Attach):
    """Symbols, instead of others."""
    LIBRARY = native.Library('/lib/liba.so', 'ab' * 20)
    TEXT = b'MODULE Linux arm64 0 liba.so\nINFO CODE_ID ' + b'ab' * 20 + b'\nFUNC %x 8 0 %s\n'

    def content(self, n):
        return native.pprof([([(self.LIBRARY, 16), (self.LIBRARY, 4096 + n)], 3)])

    def begin(self, world, n):
        answer = world.server.upload(self.content(n))
        state = '/p/' + id_of(answer), token_of(answer)
        self.send(world, state, self.TEXT % (64, b'other%d' % n))
        return state

    @staticmethod
    def send(world, state, content):
        kind, body = form(('token', None, state[1].encode()), ('symbols', 'a.sym', content))
        return world.server.ask('POST', state[0] + '/symbols', body, Content_Type=kind)

    def act(self, world, state):
        return self.send(world, state, self.TEXT % (16, b'com.real.Shop.open'))


SCENARIOS = {
    'upload': Upload(),
    'upload without nameless files': UploadWithoutNameless(),
    'upload, answered early': UploadAsync(),
    'upload a form with a member': UploadForm(),
    'upload a coded form': UploadCodedForm(),
    'upload every member': UploadMembers(),
    'upload every member, answered early': UploadMembersAsync(),
    'upload packed': UploadPacked(),
    'upload and see': UploadAndSee(),
    'picture': Ask('{}/t/1.svg'),
    'picture, compressed': Ask('{}/t/1.svg', Accept_Encoding='gzip'),
    'picture, zstd': Ask('{}/t/1.svg', Accept_Encoding='zstd'),
    'picture from memory': AskCached('{}/t/1.svg'),
    'chart': Ask('{}/t/2.svg?view=chart'),
    'sandwich': Ask('{}/t/all.svg?view=sandwich'),
    'folded': Ask('{}/t/all.folded.txt'),
    'tree as JSON': Ask('{}/t/merged.json'),
    'subtree': Ask('{}/t/1/tree?node=1'),
    'preview': Ask('{}/t/1/thumb.svg'),
    'card': Ask('{}/card.png'),
    'page as one file': AskPage('{}/bundle.html'),
    'result page': AskPage('{}', Accept='text/html'),
    'result as JSON': AskPage('{}.json'),
    'result as text': AskPage('{}.txt'),
    'page of a thread': AskPage('{}/t/1', Accept='text/html'),
    'status': Ask('{}/status.json'),
    'events': Ask('{}/events'),
    'raw': AskPage('{}/raw'),
    'part of raw': AskPage('{}/raw', Range='bytes=10-99'),
    'front page': AskPage('/', Accept='text/html', Accept_Encoding='gzip'),
    'manual': AskPage('/'),
    'demo': Ask('/demo.trace'),
    'figures': AskFigures(),
    'delete form': AskPage('{}/delete', Accept='text/html'),
    'delete': Delete(),
    'rename': Rename(),
    'attach a mapping': Attach(),
    'attach symbols': AttachSymbols(),
    'find a mapping': FindMapping(),
}


# ---- walking ----
class World:
    """A service, and what it has acknowledged."""

    def __init__(self, scenario, series, only=''):
        self.scenario, self.series, self.only, self.control = scenario, series, only, Control()
        self.acknowledged, self.deleted = {}, []
        self.views, self.once = {}, {}
        self.left = set()     # files that could not be removed
        self.findings = []
        self.errors = (NO_ROOM,) if series in (FULL_ONCE, FULL) else ERRORS
        self.server = FaultyServer(self.control, scenario.NAMELESS, **scenario.CONFIG)
        self.warm_up()

    def warm_up(self):
        answer = self.server.upload(self.scenario.content(10 ** 6))
        self.acknowledged[id_of(answer)] = self.scenario.content(10 ** 6)
        for view in ('/t/1.svg', '/t/all.folded.txt'):
            self.views[view] = self.server.get('/p/%s%s' % (id_of(answer), view)).body
        self.act_without_fault(10 ** 6 + 1)
        self.descriptors = self.server.settled_descriptors()

    def act_without_fault(self, n):
        """The trace of its calls."""
        state = self.scenario.begin(self, n)
        self.control.arm(series=self.series, only=self.only)
        answer = self.scenario.act(self, state)
        self.control.disarm()
        problem = self.scenario.check(self, state, answer)
        if problem or answer is CLOSED or answer.status >= 300 and answer.status != 303:
            raise AssertionError('without a fault: %s; answered %r' % (problem, answer))
        return self.control.trace()

    def problem_of_upload(self, identity, content):
        raw = self.server.get('/p/%s/raw' % identity)
        if (raw.status, raw.body) != (200, content):
            return 'acknowledged, but raw is %r' % raw
        for view, whole in self.views.items():
            got = self.server.get('/p/%s%s' % (identity, view))
            if (got.status, got.body) != (200, whole):
                return 'acknowledged, but %s is %r' % (view, got)
        return ''

    def settled(self):
        files = set(self.server.files('tmp'))
        if self.may_leave_files():
            self.left |= files
        return self.server.descriptors() == self.descriptors and files <= self.left

    def may_leave_files(self):
        return self.series == ON or self.control.function.startswith('unlink')

    def leftovers(self):
        """What of a request is still there when it has been over for a while."""
        end = time.monotonic() + SETTLE_S
        while not self.settled():
            if time.monotonic() > end:
                return 'tmp/ has %s; descriptors are %s, were %s' % (
                    self.server.files('tmp'), self.server.descriptors(), self.descriptors)
            time.sleep(0.002)
        return ''

    def problem_of(self, state, answer):
        if self.server.process.poll() is not None:
            return 'the service ended with %s' % self.server.process.returncode
        problem = self.scenario.check(self, state, answer)
        if not problem:
            return self.leftovers()
        try:     # a crash takes a moment, and answers nothing meanwhile
            return 'the service ended with %s' % self.server.process.wait(1)
        except subprocess.TimeoutExpired:
            return problem

    def point(self, n, number):
        """False: nothing failed."""
        state = self.scenario.begin(self, number)
        self.control.arm(n, self.series, self.only)
        answer = self.scenario.act(self, state)
        self.control.disarm()
        if self.control.failed == 0:
            return False
        try:
            problem = self.problem_of(state, answer)
        except (OSError, http.client.HTTPException, ValueError) as error:
            problem = 'then %r' % error
        if problem:
            self.findings.append('call %d, %s (%s): %s' % (n, self.control.where(), self.series, problem))
            self.start_again(kill=True)
        return True

    def start_again(self, kill=False):
        """Ends the service, which must go well, and starts it again on the same store."""
        if kill:
            self.server.kill()
        else:
            self.control.arm()
            status, said = self.server.stop(), self.control.left_over()
            if status != 0 or 'Sanitizer' in self.server.log() or not self.control.ended() or said:
                self.findings.append('at its end: status %s, left %s%s' % (status, said, self.server.log_tail(40)
                                                                           if status != 0 else ''))
        self.server.start()
        if not eventually(lambda: not self.server.files('tmp')):    # the sweep may write there while it begins
            self.findings.append('after a restart: tmp/ has %s' % self.server.files('tmp'))
        self.server.settled_descriptors(self.descriptors)     # the sweep holds one while it begins

    def end(self):
        self.start_again()
        for identity, content in self.acknowledged.items():
            problem = self.problem_of_upload(identity, content)
            if problem:
                self.findings.append('after a restart: ' + problem)
        for path in self.deleted:
            if self.server.get(path).status != 410:
                self.findings.append('after a restart: deleted, but %s is back' % path)
        self.start_again()


def walk(scenario, series, most=None, only=''):
    """(points, [findings]); of calls to one function, if `only` names it."""
    world, n_done, misses = World(scenario, series, only), 0, 0
    try:
        chosen = points(world.act_without_fault(10 ** 6 + 2), most)
        number = 0
        while misses < MISSES_MOST and (chosen is None or number < len(chosen)):
            if world.point(number if chosen is None else chosen[number], number):
                n_done, misses = n_done + 1, 0
            else:
                misses += 1
            number += 1
        world.end()
        return n_done, world.findings
    finally:
        world.server.clean()
