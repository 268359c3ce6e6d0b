/* Bytes -> folded profile -> views, with their limits and owners. */
#include "tests/support/unit.h"

#include "core/sanitizer.h"
#include "server/config/config_load.h"
#include "server/convert/convert.h"
#include "server/convert/report.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/packing.h"
#include "tests/support/scratch.h"
#include "tests/support/test_input.h"
#include "tests/support/trace_bytes.h"

static const char STACKS[] = "main;a.B.run;c 7\nmain;a.B.run 2\nmain;d 1\n";

static struct config configuration(void)
{
    struct config c;

    config_defaults(&c);
    return c;
}

static struct shared_profile *read_input(const struct config *c, struct test_input *t, struct diag *diag)
{
    const struct source_input in = test_input_of(t);
    struct conversion *f = conversion_new(c);

    assert_non_null(f);
    return conversion_read(f, &in, diag);
}

/* In pieces of at most `step` bytes. */
static struct shared_profile *fold_text(const struct config *c, const char *text, size_t n, size_t step,
                                        struct diag *diag)
{
    struct test_input t = {.bytes = {text, n}, .random = step, .largest = step};

    return read_input(c, &t, diag);
}

static bool draw(const struct shared_profile *f, const struct config *c, const struct output *output,
                 const struct view_options *view, struct buf *out, struct diag *diag)
{
    return convert_view(&(struct convert_source){.profile = f, .config = c, .fd = -1}, output, view, out,
                        diag);
}

static struct buf view_of(const struct shared_profile *f, const struct config *c, const char *output)
{
    struct view_options view;
    struct buf out = {0};
    struct diag diag = {0};

    view_defaults(&view);
    assert_true(draw(f, c, output_by_name(str_of(output)), &view, &out, &diag));
    assert_int_equal(diag.kind, DIAG_NONE);
    return out;
}

TEST(folds_and_draws)
{
    const struct config c = configuration();
    struct diag diag = {0};
    struct shared_profile *f = fold_text(&c, STACKS, strlen(STACKS), 1000, &diag);

    assert_non_null(f);
    assert_true(str_eq(shared_profile_get(f)->format, STR("folded-stacks")));
    assert_int_equal(shared_profile_get(f)->n_tracks, 1);
    assert_true(shared_profile_bytes(f) > sizeof(STACKS));
    struct buf out = view_of(f, &c, "folded");
    assert_true(str_eq(buf_view(&out), STR("main;a.B.run 2\nmain;a.B.run;c 7\nmain;d 1\n")));
    buf_free(&out);
    shared_profile_free(f);
}

/* Of 6,000 methods, each called once: what finds strings and frames while they are read is gone, and the arena's last block ends
 * where it is used. */
TEST(what_stays_is_what_is_needed)
{
    enum { STACKS_N = 3000, METHOD_BYTES = SANITIZED ? 500 : 370 }; /* malloc keeps the end of a block */
    const struct config c = configuration();
    struct diag diag = {0};
    struct buf text = {0};

    for (int i = 0; i < STACKS_N; i++)
        buf_printf(&text, "com.example.Outer%d.run;com.example.Inner%d.call 1\n", i, i);
    struct shared_profile *f = fold_text(&c, text.p, text.n, text.n, &diag);
    assert_non_null(f);
    assert_int_equal(shared_profile_get(f)->n_frames, 2 * STACKS_N);
    assert_true(shared_profile_bytes(f) < METHOD_BYTES * 2 * STACKS_N);
    shared_profile_free(f);
    buf_free(&text);
}

TEST(any_cutting_gives_the_same)
{
    const struct config c = configuration();
    struct buf first = {0};

    for (size_t step = 1; step <= strlen(STACKS); step++) {
        struct diag diag = {0};
        struct shared_profile *f = fold_text(&c, STACKS, strlen(STACKS), step, &diag);
        assert_non_null(f);
        struct buf out = view_of(f, &c, "svg");
        if (step == 1)
            buf_str(&first, buf_view(&out));
        assert_true(str_eq(buf_view(&first), buf_view(&out)));
        buf_free(&out);
        shared_profile_free(f);
    }
    buf_free(&first);
}

TEST(refusals)
{
    static const char LFS_POINTER[] = "version https://git-lfs.github.com/spec/v1\noid sha256:";
    const struct config c = configuration();
    struct diag diag = {0};

    assert_null(fold_text(&c, "", 0, 1, &diag));
    assert_int_equal(diag.kind, DIAG_EMPTY);
    diag = (struct diag){0};
    assert_null(fold_text(&c, LFS_POINTER, sizeof(LFS_POINTER), 3, &diag));
    assert_int_equal(diag.kind, DIAG_FOREIGN);
    conversion_abandon(NULL);
    shared_profile_free(NULL);
    conversion_abandon(conversion_new(&c));
}

/* With every ceiling from none at all to plenty: a profile, or an error that says so. */
TEST(limit_of_memory)
{
    struct config c = configuration();
    bool failed = false, succeeded = false;

    for (size_t limit = 0; limit < (1 << 20); limit += limit < 100000 ? 997 : 60000) {
        struct diag diag = {0};
        c.job_memory_bytes = limit;
        struct shared_profile *f = fold_text(&c, STACKS, strlen(STACKS), 10, &diag);
        if (f == NULL)
            assert_int_equal(diag.kind, DIAG_LIMIT);
        else
            assert_true(shared_profile_bytes(f) <= limit + 1024);
        failed = failed || f == NULL;
        succeeded = succeeded || f != NULL;
        shared_profile_free(f);
    }
    assert_true(failed && succeeded);
}

TEST(view_limits)
{
    struct config c = configuration();
    struct diag diag = {0};
    struct view_options view;
    struct shared_profile *f = fold_text(&c, STACKS, strlen(STACKS), 1000, &diag);
    struct buf out;

    assert_non_null(f);
    view_defaults(&view);
    c.view_memory_bytes = 100;
    buf_init(&out, 0);
    assert_false(draw(f, &c, OUTPUTS[0], &view, &out, &diag));
    assert_int_equal(diag.kind, DIAG_LIMIT);
    assert_int_equal(out.limit, 0);
    buf_free(&out);

    c = configuration();
    diag = (struct diag){0};
    buf_init(&out, 50); /* the caller's own limit is kept, and stays */
    assert_false(draw(f, &c, OUTPUTS[0], &view, &out, &diag));
    assert_int_equal(diag.kind, DIAG_LIMIT);
    assert_int_equal(out.limit, 50);
    assert_true(out.n <= 50);
    buf_free(&out);
    shared_profile_free(f);
}

/* Two thousand frames with a kilobyte of name each, in a megabyte. */
TEST(a_budget_above_the_memory_embeds_less)
{
    struct config c = configuration();
    struct diag diag = {0};
    struct view_options view;
    struct buf stacks = {0}, out = {0};

    for (unsigned i = 0; i < 2000; i++) {
        buf_z(&stacks, "main;com.example.");
        for (unsigned k = 0; k < 100; k++)
            buf_printf(&stacks, "%010u", (i * 100 + k) * 2654435761u);
        buf_printf(&stacks, ".m %u\n", i + 1);
    }
    struct shared_profile *f = fold_text(&c, stacks.p, stacks.n, 1 << 16, &diag);
    assert_non_null(f);
    view_defaults(&view);
    view.embed_nodes = UINT32_MAX - 1;
    view.embed_bytes = UINT64_MAX;
    c.view_memory_bytes = 1 << 20;
    view.min_milli_px = 10000;
    assert_true(draw(f, &c, OUTPUTS[0], &view, &out, &diag));
    assert_in_range(out.n, 100000, c.view_memory_bytes);
    shared_profile_free(f);
    buf_free(&stacks);
    buf_free(&out);
}

TEST(options_are_checked)
{
    const struct config c = configuration();
    struct diag diag = {0};
    struct shared_profile *f = fold_text(&c, STACKS, strlen(STACKS), 1000, &diag);
    struct view_options view;
    struct buf out = {0};

    view_defaults(&view);
    assert_true(view_set_tracks(&view, STR("99"), &diag));
    const struct view_options asked = view;
    assert_false(draw(f, &c, OUTPUTS[0], &view, &out, &diag));
    assert_int_equal(diag.kind, DIAG_NOT_FOUND);
    assert_memory_equal(&view, &asked, sizeof(view));
    diag = (struct diag){0};
    view_defaults(&view);
    assert_true(view_set(&view, KEYS_VIEW, STR("value"), STR("joules"), &diag));
    assert_false(draw(f, &c, OUTPUTS[0], &view, &out, &diag));
    assert_int_equal(diag.kind, DIAG_USAGE);
    assert_int_equal(out.n, 0);
    buf_free(&out);
    shared_profile_free(f);
}

/* A cached profile's options are resolved in a copy: what was asked for is what the next one is asked for. */
TEST(asking_changes_nothing)
{
    const struct config c = configuration();
    struct diag diag = {0};
    struct shared_profile *f = fold_text(&c, STACKS, strlen(STACKS), 1000, &diag);
    struct view_options view, asked;
    struct buf out = {0};

    view_defaults(&view);
    asked = view;
    buf_z(&out, "before ");
    assert_true(draw(f, &c, output_by_name(STR("folded")), &view, &out, &diag));
    assert_memory_equal(&view, &asked, sizeof(view));
    assert_true(str_starts(buf_view(&out), STR("before main;")));
    buf_free(&out);
    shared_profile_free(f);
}

static struct shared_profile *fold_file(const struct config *c, int fd, struct diag *diag)
{
    struct readable file = {.fd = fd};
    const struct source_input in = readable_input(&file);
    struct conversion *f = conversion_new(c);

    assert_non_null(f);
    return conversion_read(f, &in, diag);
}

TEST(from_a_file)
{
    enum { LINES = 40000 }; /* more than one piece */
    const struct config c = configuration();
    const struct scratch scratch = scratch_make();
    struct buf text = {0};
    struct diag diag = {0};
    char path[512];

    for (int i = 0; i < LINES; i++)
        buf_z(&text, "main;a.B.run 1\n");
    scratch_write(&scratch, "stacks", text.p, text.n);
    scratch_path(&scratch, "stacks", path, sizeof(path));
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(lseek(fd, 12345, SEEK_SET) == 12345); /* where the descriptor stands does not matter */
    for (int i = 0; i < 2; i++) {
        struct shared_profile *f = fold_file(&c, fd, &diag);
        assert_non_null(f);
        struct buf out = view_of(f, &c, "folded");
        assert_true(str_eq(buf_view(&out), STR("main;a.B.run 40000\n")));
        buf_free(&out);
        shared_profile_free(f);
    }
    close(fd);
    buf_free(&text);
    scratch_remove(&scratch);
}

TEST(unreadable_file)
{
    const struct config c = configuration();
    struct diag diag = {0};
    int ends[2];

    assert_null(fold_file(&c, -1, &diag));
    assert_int_equal(diag.kind, DIAG_IO);
    diag = (struct diag){0};
    assert_int_equal(pipe(ends), 0);
    assert_null(fold_file(&c, ends[0], &diag));
    assert_int_equal(diag.kind, DIAG_IO);
    close(ends[0]);
    close(ends[1]);
}

/* As of a form that names it behind the file. */
TEST(member_that_is_named_late)
{
    static const struct packing_member MEMBERS[] = {{.name = "a", .bytes = STR_INIT("main;a 1\n")},
                                                    {.name = "b", .bytes = STR_INIT("main;b 2\n")}};
    const struct config c = configuration();
    struct diag diag = {0};
    struct buf zip = {0};

    packing_zip_archive(&zip, MEMBERS, 2);
    struct test_input t = {.bytes = buf_view(&zip), .largest = 100, .member = "b"};
    struct shared_profile *f = read_input(&c, &t, &diag);
    assert_non_null(f);
    struct buf out = view_of(f, &c, "folded");
    assert_true(str_eq(buf_view(&out), STR("main;b 2\n")));
    buf_free(&out);
    shared_profile_free(f);
    t.member = NULL;
    assert_null(read_input(&c, &t, &diag));
    assert_int_equal(diag.kind, DIAG_UNUSABLE);
    diag = (struct diag){0};
    t = (struct test_input){.bytes = STR("main;a 1\n"), .member = "b"};
    assert_null(read_input(&c, &t, &diag));
    assert_int_equal(diag.kind, DIAG_USAGE);
    buf_free(&zip);
}

TEST(input_that_fails)
{
    const struct config c = configuration();
    struct test_input t = {.bytes = {STACKS, strlen(STACKS)}, .largest = 5, .fails_at = 7};
    struct diag diag = {0};

    assert_null(read_input(&c, &t, &diag));
    assert_int_equal(diag.kind, DIAG_IO);
}

TEST(told_to_stop)
{
    const struct config c = configuration();
    const struct stop stop = {.reason = STOP_DEADLINE};
    struct test_input t = {.bytes = {STACKS, strlen(STACKS)}};
    const struct source_input in = test_input_of(&t);
    struct conversion *f = conversion_new(&c);
    struct diag diag = {0};

    assert_non_null(f);
    conversion_stop(f, &stop);
    assert_null(conversion_read(f, &in, &diag));
    assert_int_equal(diag.kind, DIAG_LIMIT);
    assert_string_equal(diag.title, "too much work");
}

/* Whether the log of calls was kept: there are no bytes of which it could be made. */
static bool keeps_log(const struct config *c, struct str trace, uint64_t calls, size_t limit_bytes)
{
    struct test_input t = {.bytes = trace, .random = 1, .largest = trace.n};
    const struct source_input in = test_input_of(&t);
    struct conversion *f = conversion_new(c);
    struct diag diag = {0};

    assert_non_null(f);
    conversion_may_keep_log(f, limit_bytes);
    struct shared_profile *made = conversion_read(f, &in, &diag);
    assert_non_null(made);
    assert_int_equal(shared_profile_get(made)->tracks[0].calls, calls);
    const struct convert_source source = {.profile = made, .config = c, .fd = -1};
    bool kept = profile_log_make(&source, &diag);
    assert_int_equal(kept, diag.kind == DIAG_NONE);
    shared_profile_free(made);
    return kept;
}

/* That many calls, one behind the other; or of each only its end. */
static struct buf calls_in_a_row(unsigned calls, bool ends)
{
    struct buf b = {0};

    trace_bytes_keys(&b, 3, "dual");
    trace_bytes_header(&b, 3, 32, 14);
    for (unsigned i = 0; i < (ends ? calls : 2 * calls); i++)
        trace_bytes_record(&b, 14,
                           (struct trace_record){.thread = 1,
                                                 .action = i % 2 == 0 && !ends ? EVENT_ENTER : EVENT_EXIT,
                                                 .times = {i, i}});
    assert_false(b.failed);
    return b;
}

TEST(a_log_that_may_lack)
{
    enum { FEW = 300, MANY = 40000, LIMIT_BYTES = 2 << 20 };
    const struct config c = configuration();
    struct buf few = calls_in_a_row(FEW, false), many = calls_in_a_row(MANY, true);

    assert_true(keeps_log(&c, buf_view(&few), FEW, LIMIT_BYTES));
    assert_false(keeps_log(&c, buf_view(&few), FEW, 100));
    assert_false(keeps_log(&c, buf_view(&few), FEW, 0));
    /* A short log, whose writer remembers each call that had begun before. */
    assert_true(keeps_log(&c, buf_view(&many), MANY, 16 << 20));
    assert_false(keeps_log(&c, buf_view(&many), MANY, LIMIT_BYTES));
    buf_free(&many);
    buf_free(&few);
}

static void *draw_often(void *shared)
{
    const struct config c = configuration();
    struct shared_profile *f = shared;

    for (int i = 0; i < 50; i++) {
        struct buf out = view_of(f, &c, "svg");
        buf_free(&out);
    }
    return NULL;
}

TEST(shared_by_threads)
{
    const struct config c = configuration();
    struct diag diag = {0};
    struct shared_profile *f = fold_text(&c, STACKS, strlen(STACKS), 1000, &diag);
    pthread_t threads[3];

    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, draw_often, f), 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    shared_profile_free(f);
}

/* The first row of a name is the one without a suffix, so that rows of one name stand together, each with
 * another suffix. */
TEST(each_report_has_one_row)
{
    for (size_t i = 0; i < REPORTS_COUNT; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(REPORTS[i].name, REPORTS[j].name) == 0) {
                assert_string_not_equal(REPORTS[i].format->name, REPORTS[j].format->name);
                assert_string_equal(REPORTS[i].name, REPORTS[i - 1].name);
            }
}
