/* The digest of a run, and a check of it against itself: what is taken can be looked up line by line, and equal runs pass. */
#include <stdlib.h>

#include "runs/check.h"
#include "tests/support/fuzzing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ARENA_BYTES = 64 << 20, COPIES = 4 };

static void look_up_all(const struct run_digest *d)
{
    struct str rest = d->methods;
    struct run_digest_row row, found;

    while (run_digest_next_method(d, &rest, &row)) {
        fuzzing_check(run_digest_find(d, row.name, &found));
        fuzzing_check(str_eq(row.name, found.name) && row.calls == found.calls);
    }
    fuzzing_check(rest.n == 0);
    for (rest = d->threads; run_digest_next_thread(d, &rest, &row);)
        fuzzing_check(run_digest_find_thread(d, row.name, &found));
    fuzzing_check(rest.n == 0);
    for (uint32_t i = 0; i < d->n_values; i++)
        fuzzing_check(run_digest_value(d, d->values[i].name) >= 0);
}

static void check_itself(const struct run_digest *d)
{
    struct run_digest copies[COPIES];
    struct fail_rule rules[2];
    struct arena arena;
    struct check c;
    struct diag diag = {0};

    for (unsigned i = 0; i < COPIES; i++)
        copies[i] = *d;
    fuzzing_check(fail_rule_parse(STR("total>0%"), &rules[0], &diag));
    fuzzing_check(fail_rule_parse(STR("*>0%"), &rules[1], &diag));
    arena_init(&arena, ARENA_BYTES);
    const struct check_input in = {copies, copies, COPIES, COPIES, rules, d->n_methods > 0 ? 2 : 1};
    fuzzing_check(check_run(&in, &arena, &c, &diag));
    fuzzing_check(c.state == CHECK_PASS && c.n_changed == 0 && c.n_added == 0 && c.n_gone == 0);
    for (unsigned format = CHECK_TEXT; format <= CHECK_JSON; format++) {
        const struct check_links links = {.method = STR_INIT("https://host/")};
        struct buf b = {0};
        check_write(&c, (enum check_format)format, &links, &b);
        fuzzing_check(!b.failed && b.n > 0);
        buf_free(&b);
    }
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = fuzzing_copy(data, size);
    struct run_digest d;
    struct run_digest_row row;
    struct diag diag = {0};

    if (run_digest_open(&d, text, &diag)) {
        (void)run_digest_find(&d, STR("main"), &row);
        if (run_digest_check(&d, &diag)) {
            look_up_all(&d);
            check_itself(&d);
        }
    }
    fuzzing_check(diag.kind == DIAG_NONE || diag.kind == DIAG_UNUSABLE);
    free((char *)(uintptr_t)text.p);
    return 0;
}
