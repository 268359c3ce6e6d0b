/* Children that read symbols and come to no good end; answers that make no sense; and names from those that do. */
#include "tests/support/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/sanitizer.h"
#include "core/system/folder.h"
#include "profile/build/builder.h"
#include "profile/symbols/symbols.h"
#include "server/symbols/symbol_search.h"
#include "tests/support/scratch.h"
#include "tests/support/symbols_fixture.h"

#define ANSWER "file\t0\nfit\t0\t2\nat\t3\nin\t12\tinner\t/src/a.c\nin\t7\touter\t/src/b.c\nend\n"

static bool take(struct symbols_fixture *f, const char *answer)
{
    return symbol_take(f->symbols, 1, str_of(answer));
}

static const char *name_of(const struct profile *p, const char *name)
{
    for (node_id i = 0; i < p->n_nodes; i++)
        if (p->node_frame[i] != FRAME_NONE &&
            str_eq(profile_string(p, p->frames[p->node_frame[i]].name), str_of(name)))
            return frame_kind_word(p->frames[p->node_frame[i]].kind);
    return NULL;
}

TEST(answers_name_frames)
{
    struct symbols_fixture f;
    struct unnamed list;

    symbols_fixture_begin(&f);
    assert_true(take(&f, ANSWER));
    const struct profile *p = symbols_apply(f.profile, f.symbols, &f.arena);
    assert_non_null(p);
    assert_string_equal(name_of(p, "outer"), "native");
    assert_string_equal(name_of(p, "inner"), "inlined");
    assert_true(str_eq(profile_fact(p, STR("symbolized_frames")), STR("1")));
    assert_int_equal(profile_total(p, p->tracks[0].first, 0), profile_total(f.profile, 0, 0));
    assert_true(unnamed_list(p, &f.arena, &list));
    assert_int_equal(list.n, 2);
    assert_int_equal(list.modules[0].state, SYMBOLS_MISSING);
    assert_int_equal(list.modules[1].state, SYMBOLS_FOUND);
    assert_int_equal(unnamed_permille(&list, &list.modules[0]), 500);
    symbols_fixture_end(&f);
}

/* Libraries of which some share a path and some a build id, each in a state of its own. */
TEST(each_library_has_its_own_state)
{
    enum { PATHS = 3, BUILDS = 4, LIBRARIES = PATHS * BUILDS };
    const struct profile_value samples = {STR("samples"), STR("samples"), UNIT_COUNT, ROLE_SAMPLES};
    struct arena arena;
    struct unnamed list;

    arena_init(&arena, 64 << 20);
    struct builder *b = builder_new(&arena, (struct hash_seed){1, 2});
    assert_non_null(b);
    assert_true(builder_values(b, NULL, 0, &samples, 1));
    builder_keep_addresses(b);
    uint32_t track = builder_track(b, 1, builder_string(b, STR("all")));
    for (uint32_t i = 0; i < LIBRARIES; i++) {
        char path = (char)('a' + i % PATHS), build = (char)('a' + i / PATHS);
        struct profile_frame frame = {.name = builder_string(b, STR("unknown")),
                                      .module = builder_string(b, (struct str){&path, 1}),
                                      .build_id = builder_string(b, (struct str){&build, 1}),
                                      .address = i,
                                      .nameless = true};
        frame_id id = builder_frame(b, &frame);
        assert_true(
            builder_sample(b, track, builder_stack(b, track, NODE_NONE, &id, 1), (const uint64_t[]){1}));
    }
    const struct profile *p = builder_finish(b, STR("test"), STR("test"));
    assert_non_null(p);
    struct symbols *s = symbols_new(p, &arena, (struct hash_seed){3, 4});
    assert_non_null(s);
    assert_int_equal(s->n_modules, LIBRARIES);
    for (uint32_t i = 0; i < LIBRARIES; i++)
        symbols_found(s, i, (enum symbols_state)(i % SYMBOLS_STATES));
    p = symbols_apply(p, s, &arena);
    assert_non_null(p);
    assert_true(unnamed_list(p, &arena, &list));
    assert_int_equal(list.n, LIBRARIES);
    for (uint32_t i = 0; i < LIBRARIES; i++)
        for (uint32_t k = 0; k < LIBRARIES; k++)
            if (s->modules[i].path == list.modules[k].module &&
                s->modules[i].build_id == list.modules[k].build_id)
                assert_int_equal(list.modules[k].state, s->modules[i].state);
    arena_free(&arena);
}

TEST(the_better_answer_stays)
{
    struct symbols_fixture f;

    symbols_fixture_begin(&f);
    assert_true(take(&f, "file\t0\nat\t3\nin\t0\tplain\t\nend\n"));
    assert_true(take(&f, ANSWER));
    assert_int_equal(f.symbols->questions[3].n, 2);
    assert_true(take(&f, "file\t0\nat\t3\nin\t9\tother\tc.c\nend\n"));
    assert_int_equal(f.symbols->questions[3].n, 2);
    assert_true(take(&f, "file\t0\nat\t4\nin\t0\tplain\t\nend\n"));
    assert_true(take(&f, "file\t0\nat\t4\nin\t9\tplain\tc.c\nend\n"));
    assert_int_equal(f.symbols->names[f.symbols->questions[4].first].line, 9);
    symbols_fixture_end(&f);
}

TEST(nonsense_is_refused_as_a_whole)
{
    static const char *const BAD[] = {
        "",
        "end",
        "file\t0\n",
        "file\t1\nend\n",
        "file\t0\t\nend\n",
        "at\t3\nin\t1\ta\tb\nend\n",
        "file\t0\nin\t1\ta\tb\nend\n",
        "file\t0\nat\t3\nin\t1\ta\tb\n",
        "file\t0\nat\t96\nin\t1\ta\tb\nend\n",
        "file\t0\nat\t3\nin\t1\t\tb\nend\n",
        "file\t0\nat\t3\nin\t1\ta\nend\n",
        "file\t0\nat\t3\nin\t1\ta\tb\tc\nend\n",
        "file\t0\nat\t3\nin\t-1\ta\tb\nend\n",
        "file\t0\nat\t3\nin\t99999999999\ta\tb\nend\n",
        "file\t0\nfit\t2\t2\nend\n",
        "file\t0\nfit\t0\t9\nend\n",
        "file\t0\nwhat\nend\n",
        ANSWER "end\n",
        ANSWER "at\t3\n",
    };
    struct symbols_fixture f;
    struct buf many = {0};

    symbols_fixture_begin(&f);
    for (size_t i = 2; i < sizeof(BAD) / sizeof(*BAD); i++)
        assert_false(take(&f, BAD[i]));
    assert_false(take(&f, BAD[0]));
    assert_true(take(&f, BAD[1])); /* the last line needs no end */
    buf_z(&many, "file\t0\nat\t3\n");
    for (unsigned i = 0; i < SYMBOLS_NAMES_MAX + 1; i++)
        buf_z(&many, "in\t1\ta\tb\n");
    buf_z(&many, "end\n");
    assert_false(symbol_take(f.symbols, 1, buf_view(&many)));
    assert_int_equal(f.symbols->n_names, 0);
    assert_int_equal(f.symbols->modules[0].state, SYMBOLS_MISSING);
    buf_free(&many);
    symbols_fixture_end(&f);
}

/* ---- reading, as the child does it ---- */

TEST(breakpad_is_read)
{
    static char text[] = "MODULE Linux arm64 0403020106050807090A0B0C0D0E0F100 libseed.so\r\n"
                         "FILE 0 /src/a.c\nFILE 1 /src/b.h\nFILE x bad\n"
                         "INLINE_ORIGIN 0 inlined\nINLINE_ORIGIN 1 innermost\n"
                         "FUNC 1000 20 0 leaf\n"
                         "INLINE 0 11 0 0 1004 10\nINLINE 1 7 1 1 1008 4 1010 2\nINLINE 99 1 1 1 1000 20\n"
                         "1000 4 10 0\n1004 4 6 1\n1008 c 3 1\nnonsense\n"
                         "FUNC m 1030 8 0 _ZN1a1bEv\n1030 8 20 0\nFUNC bad\n"
                         "PUBLIC 1040 0 start\nPUBLIC m 1050 0 other\nSTACK CFI INIT 1000 20 .cfa: sp\n";
    static const char *const NAMES[] = {"leaf", "inlined", "innermost", "a::b()", "start", "other"};
    struct symbols_fixture f;

    symbols_fixture_begin(&f);
    symbols_fixture_read(&f, text, sizeof(text) - 1);
    assert_true(symbol_take(f.symbols, 1, buf_view(&f.out)));
    const struct profile *p = symbols_apply(f.profile, f.symbols, &f.arena);
    assert_non_null(p);
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(*NAMES); i++)
        assert_non_null(name_of(p, NAMES[i]));
    assert_non_null(name_of(p, "unknown"));
    assert_int_equal(f.symbols->modules[0].state + f.symbols->modules[1].state,
                     SYMBOLS_FOUND + SYMBOLS_BY_NAME);
    assert_int_equal(f.symbols->questions[f.symbols->modules[1].first + 2].n, 3); /* at 0x1008 */
    symbols_fixture_end(&f);
}

TEST(what_is_no_file_of_symbols_says_nothing)
{
    static const char *const FILES[] = {"",       "\177ELF",  "MODULE ", "MODULE a b\n",
                                        "PK\3\4", "\x1f\x8b", "picture"};
    struct symbols_fixture f;
    char bytes[64];

    for (size_t i = 0; i < sizeof(FILES) / sizeof(*FILES); i++) {
        symbols_fixture_begin(&f);
        snprintf(bytes, sizeof(bytes), "%s", FILES[i]);
        symbols_fixture_read(&f, bytes, strlen(FILES[i]));
        assert_true(str_eq(buf_view(&f.out), STR("file\t0\nend\n")));
        symbols_fixture_end(&f);
    }
}

/* ---- children ---- */

/* A program that does this instead of reading. */
static void write_program(char path[64], const char *script)
{
    struct buf text = {0};

    snprintf(path, 64, "/tmp/aflamed-child-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    buf_printf(&text, "#!/bin/sh\n%s\n", script);
    assert_true(file_write_all(fd, text.p, text.n));
    assert_int_equal(fchmod(fd, 0700), 0);
    close(fd);
    buf_free(&text);
}

static enum symbol_result run(struct symbols_fixture *f, const char *program, const struct stop *stop,
                              struct diag *diag)
{
    const struct symbol_limits limits = {program, 64 << 20, 1, stop};
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const struct symbol_input input = {fd, STR("x")};

    assert_true(fd >= 0);
    enum symbol_result result = symbol_run(f->symbols, &input, 1, &limits, diag);
    close(fd);
    return result;
}

TEST(children_that_fail)
{
    static const struct {
        const char *script;
        enum symbol_result result;
    } CASES[] = {
        {"kill -9 $$", SYMBOL_RUN_UNREAD},
        {"kill -SEGV $$", SYMBOL_RUN_UNREAD},
        {"exit 1", SYMBOL_RUN_UNREAD},
        {"exit 0", SYMBOL_RUN_UNREAD},
        {"printf 'file\\t0\\nnonsense\\nend\\n'", SYMBOL_RUN_UNREAD},
        {"printf 'file\\t0\\nat\\t3\\nin\\t1\\ta\\tb\\nend\\n'; exit 7", SYMBOL_RUN_UNREAD},
        {"exec sleep 60", SYMBOL_RUN_UNREAD},
        {"truncate -s 300M /proc/self/fd/1", SYMBOL_RUN_UNREAD},
        {"test $# = 1 && test $1 = --read-symbols && test -z \"$HOME\" && printf "
         "'file\\t0\\nat\\t3\\nin\\t1\\ta\\tb\\nend\\n'",
         SYMBOL_RUN_OK},
    };
    struct symbols_fixture f;
    struct diag diag = {0};
    char program[64];

    symbols_fixture_begin(&f);
    for (size_t i = 0; i < sizeof(CASES) / sizeof(*CASES); i++) {
        write_program(program, CASES[i].script);
        assert_int_equal(f.symbols->n_names, 0);
        assert_int_equal(run(&f, program, NULL, &diag), CASES[i].result);
        assert_int_equal(diag.kind, DIAG_NONE);
        unlink(program);
    }
    assert_int_equal(f.symbols->n_names, 1);
    symbols_fixture_end(&f);
}

/* Every library is done after one file that knows source files. */
#define DONE \
    "file\\t0\\nfit\\t0\\t2\\nat\\t3\\nin\\t1\\ta\\tb\\nfit\\t1\\t2\\nat\\t50\\nin\\t1\\ta\\tb\\nend\\n"

/* How many libraries the request asks for, which the child has put there. */
static uint32_t asked_for(const struct scratch *s)
{
    char path[300];
    struct symbol_head head;
    struct symbol_module module;
    uint32_t asked = 0;

    scratch_path(s, "request", path, sizeof(path));
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(&head, sizeof(head), 1, file), 1);
    assert_int_equal(fseek(file, (long)(head.n_questions * sizeof(struct symbol_question)), SEEK_CUR), 0);
    for (uint32_t i = 0; i < head.n_modules; i++) {
        assert_int_equal(fread(&module, sizeof(module), 1, file), 1);
        assert_true((module.n > 0) == (module.name[0] != '\0'));
        asked += module.n > 0;
    }
    fclose(file);
    return asked;
}

TEST(what_is_done_is_not_asked_for)
{
    struct scratch folder = scratch_make();
    struct symbols_fixture f;
    struct diag diag = {0};
    char program[64], script[600];

    symbols_fixture_begin(&f);
    snprintf(script, sizeof(script), "cat /proc/self/fd/0 > %s/request\nprintf 'file\\t0\\nend\\n'",
             folder.path);
    write_program(program, script);
    assert_int_equal(run(&f, program, NULL, &diag), SYMBOL_RUN_OK);
    assert_int_equal(asked_for(&folder), 2);
    symbols_found(f.symbols, 0, SYMBOLS_BY_NAME);
    symbols_found(f.symbols, 1, SYMBOLS_FOUND);
    assert_true(take(&f, "file\t0\nat\t3\nin\t1\ta\tb\nat\t50\nin\t0\ta\t\nend\n"));
    assert_int_equal(run(&f, program, NULL, &diag), SYMBOL_RUN_OK);
    assert_int_equal(asked_for(&folder),
                     2); /* one was found by its name alone, of the other there is no source file */
    assert_true(take(&f, "file\t0\nat\t50\nin\t1\ta\tb\nend\n"));
    assert_int_equal(run(&f, program, NULL, &diag), SYMBOL_RUN_OK);
    assert_int_equal(asked_for(&folder), 1);
    unlink(program);
    symbols_fixture_end(&f);
    scratch_remove(&folder);
}

static void add_source(struct symbol_sources *sources, const char *path)
{
    struct diag diag = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    assert_true(fd >= 0);
    assert_true(symbol_sources_add(sources, fd, STR(SYMBOLS_FIXTURE_NAME), &diag));
    close(fd);
}

/* The folder has the library where it is looked for, and is not read. */
TEST(what_is_done_is_not_looked_for)
{
    struct scratch folder = scratch_make();
    struct symbol_sources sources = {.n = 0};
    struct symbols_fixture f;
    struct diag diag = {0};
    char program[64], script[900], path[300];

    symbols_fixture_begin(&f);
    scratch_write(&folder, SYMBOLS_FIXTURE_NAME, "\177ELF", 4);
    snprintf(script, sizeof(script), "echo >> %s/children\nprintf '" DONE "'", folder.path);
    write_program(program, script);
    const struct symbol_limits limits = {program, 64 << 20, 1, NULL};
    scratch_path(&folder, SYMBOLS_FIXTURE_NAME, path, sizeof(path));
    add_source(&sources, path);
    add_source(&sources, folder.path);
    assert_true(symbol_search(f.symbols, &sources, &limits, &diag));
    assert_true(symbols_is_done(f.symbols, 0) && symbols_is_done(f.symbols, 1));
    scratch_path(&folder, "children", path, sizeof(path));
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_size, 1);
    symbol_sources_close(&sources);
    unlink(program);
    symbols_fixture_end(&f);
    scratch_remove(&folder);
}

TEST(children_that_cannot_begin_or_must_end)
{
    struct symbols_fixture f;
    const struct stop stop = {.reason = STOP_LEFT};
    struct diag diag = {0};
    char program[64];

    symbols_fixture_begin(&f);
    assert_int_equal(run(&f, "/nowhere/program", NULL, &diag), SYMBOL_RUN_FAILED);
    assert_int_equal(diag.kind, DIAG_IO);
    write_program(program, "exec sleep 60");
    diag = (struct diag){0};
    assert_int_equal(run(&f, program, &stop, &diag), SYMBOL_RUN_FAILED);
    assert_int_equal(diag.kind, DIAG_BUSY);
    unlink(program);
    symbols_fixture_end(&f);
}

/* ---- what a child may do ---- */

/* 0, or the number of what it could do all the same. */
static int probe(const struct symbol_request *r, bool filters)
{
    if (!symbol_sandbox(r))
        return 1;
    if (open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0)
        return 2;
    if (socket(AF_UNIX, SOCK_STREAM, 0) >= 0)
        return 3;
    if (memfd_create("x", 0) >= 0)
        return 4;
    if (unlink("/nowhere/at/all") == 0 || (filters && errno != EPERM))
        return 5;
    void *p = malloc(1 << 20);
    free(p);
    return p == NULL ? 6 : 0;
}

TEST(the_child_can_open_nothing)
{
#if (defined(__x86_64__) || defined(__aarch64__)) && !SANITIZED
    bool filters = prctl(PR_GET_SECCOMP) >= 0;
#else
    bool filters = false;
#endif
    struct symbols_fixture f;
    int status = -1;

    symbols_fixture_begin(&f);
    f.head.n_files = 0;
    f.head.cpu_s = 10;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(probe(&f.request, filters));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    symbols_fixture_end(&f);
}
