"""The program when memory, files, sockets and libraries fail it, at some of the points that `make faults` walks whole."""
import os
import re
import resource
import subprocess
import unittest

from support import Server, amount, counted, sanitized
from control import FULL, FULL_ONCE, ON, ONCE, PROGRAM, Control, source_of

# What cannot fail, or fails in no way that the caller could see; and MHD_start_daemon and json_pack, whose arguments a
# wrapper could not pass on: the one has memory and threads of its own, the other takes its memory from the program. And what only the
# child that reads symbols calls: it may fail, or crash, as it likes, and tests of it have it do so. readlink and MHD_get_response_header
# are the journal's. dlopen loads the library of object stores, and tests/http/test_store_copy.py has it fail.
SURE = re.compile(r'''_ITM_|__cxa_|__gmon_|__libc_|__errno|__stack_chk|__assert|__sched_cpucount|__\w*printf_chk$|__explicit_bzero_chk$|gete[ug]id$|__mem\w+_chk$|
    __(str|stp)\w+_chk$|abort$|_exit$|access$|clock_gettime$|time$|timegm$|gmtime_r$|getenv$|getpid$|gettid$|environ$|isatty$|signal$|sig\w+$|
    pthread_(mutex|cond|condattr|attr)_\w+$|pthread_(once|join|self|sigmask|getspecific|setattr_default_np)$|mallopt$|
    setpriority$|getrlimit$|(mem|str)[a-z]+$|qsort(_r)?$|
    (vs|s)nprintf$|printf$|fprintf$|stdout$|stderr$|closedir$|alphasort$|freeaddrinfo$|inet_(pton|ntop)$|send$|json_|crc32$|deflate$|
    deflateEnd$|inflate(Reset|Validate|End)$|_?setjmp$|(__)?longjmp(_chk)?$|(rust_demangle|cplus_demangle_v3)_callback$|ZSTD_(isError|getErrorCode|compressBound|freeDStream|DCtx_reset|DCtx_setParameter|sizeof_DStream)$|
    archive_(entry_\w+|errno|filter_bytes|format_name|set_error)$|(free|use)locale$|
    gnutls_(\w+_deinit|certificate_free_credentials|session_get_ptr|strerror)$|
    archive_read_(free|open1|set_\w+|support_(filter_(gzip|zstd)|format_(tar|zip)))$|CRYPTO_memcmp$|pcre2_(\w+_free|set_(callout|\w+_limit))_8$|
    EVP_(EncodeBlock|DecodeBlock|sha256|MD_CTX_free)$|png_image_free$|magic_close$|MHD_(start|stop|quiesce)_daemon$|
    MHD_(suspend|resume)_connection$|MHD_(get|lookup)_connection_\w+$|MHD_destroy_response$|free$|
    kill$|waitpid$|readlink$|MHD_get_response_header$|fts_(read|close)$|posix_spawn_file_actions_destroy$|posix_spawnattr_(destroy|set\w+)$|
    (g?elf|dwarf|dwelf)_\w+$|dlopen$|dlsym$|nanosleep$|archive_read_(data|open_memory|support_(filter_xz|format_raw))$|munmap$|prctl$|reallocarray$'''.replace('\n    ', ''))


# Of the walks those that see most, at so many points.
WALKED = {
    'aflamed render --out-dir out x.trace x.folded': 12,
    'aflamed render --member a/x.trace -o out.svg x.zip': 8,
    'aflamed methods --focus /m[0-3]/ --recursion collapse x.trace': 6,
    'aflamed info --json x.trace': 6,
    'service: start and sweep': 5,
    'service: upload': 12,
    'service: upload without nameless files': 6,
    'service: upload a coded form': 8,
    'service: upload every member': 8,
    'service: picture, compressed': 8,
    'service: page of a thread': 8,
    'service: card': 8,
    'service: page as one file': 8,
    'service: delete': 6,
    'service: rename': 6,
    'service: find a mapping': 8,
}
# Of the steps that need room on a disk which is full so many; each step of an upload.
FILLED = {
    'aflamed render --out-dir out/graphs x.trace': 6,
    'aflamed token revoke ann --tokens-file tokens': 6,
    'service: start and sweep': 10,
    'service: upload': None,
    'service: upload without nameless files': 12,
    'service: upload every member': 12,
    'service: delete': 6,
    'service: rename': 6,
    'service: attach a mapping': 10,
}


class ArmedServer(Server):
    """Its faults begin with it."""
    PROGRAM = PROGRAM

    def __init__(self, control):
        self.ENVIRONMENT = {'FAULTS_CONTROL': control.path}
        super().__init__()


class Faults(unittest.TestCase):
    def setUp(self):
        if not PROGRAM:
            self.skipTest('AFLAMED_TEST_FAULTS names no program')

    def test_all_that_is_called_can_be_made_to_fail(self):
        if sanitized() or counted():
            self.skipTest('a sanitizer, or what counts lines, calls functions of its own')
        def symbols(*options):
            done = subprocess.run(['nm', *options, PROGRAM], capture_output=True, text=True, check=True)
            return {line.split()[-1].split('@')[0] for line in done.stdout.splitlines()}
        called = symbols('-D', '--undefined-only')
        # Those of libraries that are opened when they are needed stand in the program (core/system/library.h).
        called |= {name for name in symbols('--defined-only')
                   if re.match(r'MHD_[a-z]|gnutls_\w|archive_(read|entry|set|errno|filter|format)(_|$)|(EVP|CRYPTO|magic|png|g?elf|dwarf|dwelf)_|HMAC$', name)}
        with open(os.path.join(os.path.dirname(PROGRAM), 'wraps'), encoding='utf-8') as file:
            wrapped = set(re.findall(r'--wrap=(\w+)', file.read()))
        self.assertEqual([name for name in sorted(called - wrapped) if not SURE.match(name)], [])
        self.assertEqual(wrapped - called, set())

    def test_descriptors_that_cannot_be_had_are_logged(self):
        control = Control()
        control.arm(0, ONCE, 'setrlimit')
        before = resource.prlimit(0, resource.RLIMIT_NOFILE)
        resource.prlimit(0, resource.RLIMIT_NOFILE, (100, before[1]))
        try:
            server = ArmedServer(control)
        finally:
            resource.prlimit(0, resource.RLIMIT_NOFILE, before)
        self.addCleanup(server.clean)
        self.assertEqual(control.failed, 1)
        self.assertRegex(server.log(), r'warn few-descriptors wanted=\d+ limit=100 max_connections=\d+\n')

    def test_a_record_is_whole_or_not_there(self):
        """The library that writes it passes over a key for which it gets no memory."""
        import services

        class Named(services.Upload):
            """Its name is of a length with which the text of the record has to grow within a key."""
            NAME, TARGET = 'one/a/x.trace', '/?name=one%2Fa%2Fx.trace&expires=7'
            CONFIG = {'render_tracks': 0}     # fewer calls of others between those of the record
        world = services.World(Named(), ONCE, 'malloc')
        self.addCleanup(world.server.clean)
        sites = world.act_without_fault(10 ** 6 + 2)
        of_json = [n for n, site in enumerate(sites) if 'json_memory.c' in source_of(site)]
        self.assertGreater(len(of_json), 10)
        for number, n in enumerate(of_json):
            world.point(n, number)
        world.end()
        self.assertEqual(world.findings, [])

    def test_a_request_of_a_refused_connection_is_not_begun(self):
        """It may have come before the connection was refused: here for want of memory for its client."""
        import services
        world = services.World(services.SCENARIOS['upload'], ON)
        self.addCleanup(world.server.clean)
        for number in range(30):
            world.point(2, number)
        self.assertEqual(world.findings, [])

    def test_a_change_that_cannot_be_confirmed_loses_nothing(self):
        import services
        points, findings = services.walk(services.SCENARIOS['rename'], ONCE, only='fstatat')
        self.assertGreater(points, 1)
        self.assertEqual(findings, [])


def walked(name, series):
    """At how many points, None: at each; 0: not at all."""
    if series in (FULL, FULL_ONCE):
        return FILLED.get(name, 0)
    return WALKED.get(name, 0) if series == ONCE or name == 'service: upload' else 0


def add_walks():
    """A test for each."""
    from every import walks

    for name, series, walk in walks():
        most = walked(name, series)

        def test(self, walk=walk, most=most):
            points, findings = walk(most or amount(None, 8))
            self.assertGreater(points, 0)
            self.assertEqual(findings, [])

        if most != 0:
            setattr(Faults, 'test_%s_%s' % (re.sub(r'\W+', '_', name), re.sub(' ', '_', series)), test)


add_walks()

if __name__ == '__main__':
    unittest.main()
