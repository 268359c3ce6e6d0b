/* Hard inputs on a small stack: whatever grows with the input grows elsewhere. Each is read and drawn, by
 * all outputs and in all views. */
#include "tests/support/test_input.h"
#include "tests/support/unit.h"

#include <string.h>

#include "render/view/key.h"
#include "server/config/config_load.h"
#include "server/convert/convert.h"
#include "server/convert/report.h"
#include "tests/support/families.h"
#include "tests/support/sanitized.h"
#include "tests/support/small_stack.h"

enum { SIZE = SANITIZED ? 3000 : 10000 };

struct work {
    enum family family;
    char failed[64]; /* what did not work; empty: all did */
};

static void say(struct work *w, const char *what)
{
    if (w->failed[0] == '\0')
        strncpy(w->failed, what, sizeof(w->failed) - 1);
}

/* What a view is not for, it may refuse. A line of folded stacks for each frame of a deep stack, or the
 * same stack from each of its frames on, takes more than there is room for. */
static void draw(struct work *w, const struct shared_profile *f, const struct config *c,
                 const struct output *output, const char *kind)
{
    struct view_options view;
    struct buf out = {0};
    struct diag diag = {0};

    view_defaults(&view);
    view.tracks = TRACKS_ALL;
    if (!view_set(&view, KEYS_VIEW, STR("view"), str_of(kind), &diag))
        say(w, kind);
    bool ok = convert_view(&(struct convert_source){.profile = f, .config = c, .fd = -1}, output, &view, &out,
                           &diag);
    bool tree = strcmp(kind, "flame") == 0 || strcmp(kind, "icicle") == 0;
    bool large = diag.kind == DIAG_LIMIT && (!tree || output == &OUTPUT_FOLDED);
    bool may_refuse = large || (!tree && diag.kind == DIAG_USAGE);
    if (ok ? out.failed : !may_refuse)
        say(w, output->name);
    buf_free(&out);
}

static void draw_table(struct work *w, const struct shared_profile *f, const struct config *c,
                       enum table_group group, const struct table_format *format)
{
    struct asked asked;
    struct buf out = {0};
    struct diag diag = {0};

    asked_defaults(&asked);
    asked.view.tracks = TRACKS_ALL;
    asked.table.group = group;
    const struct report_input in = {.source = {.profile = f, .config = c, .fd = -1},
                                    .view = &asked.view,
                                    .request = &asked,
                                    .format = &format->text};
    if (!convert_methods(&in, &out, &diag) || out.failed)
        say(w, format->text.name);
    buf_free(&out);
}

static void *run(void *context)
{
    struct work *w = context;
    struct config c;
    struct buf bytes = {0};
    struct diag diag = {0};

    config_defaults(&c);
    family_put(&bytes, w->family, SIZE);
    struct conversion *fold = conversion_new(&c);
    if (fold == NULL || bytes.failed || !conversion_keep_log(fold, true, &diag)) /* charts replay it */
        say(w, "memory");
    struct test_input input = {.bytes = buf_view(&bytes)};
    const struct source_input in = test_input_of(&input);
    struct shared_profile *f = fold == NULL ? NULL : conversion_read(fold, &in, &diag);
    if (f == NULL)
        say(w, "folding");
    for (unsigned kind = 0; f != NULL && key_word("view", kind) != NULL; kind++)
        for (size_t i = 0; i < OUTPUTS_COUNT; i++)
            draw(w, f, &c, OUTPUTS[i], key_word("view", kind));
    for (size_t i = 0; f != NULL && i < TABLE_FORMATS_COUNT; i++)
        draw_table(w, f, &c, (enum table_group)i, TABLE_FORMATS[i]);
    shared_profile_free(f);
    buf_free(&bytes);
    return NULL;
}

TEST(every_family)
{
    for (unsigned i = 0; i < FAMILIES; i++) {
        struct work w = {.family = (enum family)i};
        on_small_stack(run, &w);
        if (w.failed[0] != '\0')
            fail_msg("%s: %s", FAMILY_NAMES[i], w.failed);
    }
}
