#include "server/spaces/space_check.h"

#include <stdlib.h>
#include <string.h>

#include "core/clean.h"
#include "core/json.h"

enum { SCRATCH_BYTES = 64 << 20 }; /* more than the checks of all groups need */

/* ---- which uploads ---- */

/* One upload that a query has found. */
struct found {
    struct stored_digest_of digest;
    struct str labels, commit;
    bool is_asked_for; /* by its id */
};

struct collected {
    const struct space_check_asked *asked;
    struct arena *arena;
    struct found *of; /* the newest first */
    uint32_t n, most;
    bool failed;
};

static bool is_only(const struct space_check_asked *asked, const char *id)
{
    for (size_t i = 0; i + RECORD_ID_CHARS <= asked->only.n; i += RECORD_ID_CHARS)
        if (memcmp(asked->only.p + i, id, RECORD_ID_CHARS) == 0)
            return true;
    return asked->only.n == 0;
}

static bool is_free(const void *asked, struct str key)
{
    const struct space_check_asked *a = asked;

    return query_has_label(a->runs, key) || query_has_label(a->baseline, key);
}

static struct str keep(struct collected *l, struct str text)
{
    char *copy = arena_copy(l->arena, text.p, text.n);

    l->failed = l->failed || copy == NULL;
    return copy == NULL ? STR("") : (struct str){copy, text.n};
}

static void take_entry(void *context, const struct entry *e)
{
    struct collected *l = context;
    struct buf labels = {0};

    if (l->n == l->most || l->failed)
        return;
    struct found *f = &l->of[l->n++];
    f->digest = series_digest_of(e);
    f->is_asked_for = is_only(l->asked, e->name.id);
    series_labels(&labels, entry_said_labels(e), is_free, l->asked);
    l->failed = labels.failed;
    f->labels = keep(l, buf_view(&labels));
    f->commit = keep(l, labels_value_in(entry_said_labels(e), STR("commit")));
    buf_free(&labels);
}

static void take_run(void *context, const struct entry *e)
{
    const struct collected *l = context;

    if (l->asked->with_commit || is_only(l->asked, e->name.id))
        take_entry(context, e);
}

/* False: diag. */
static bool collect(struct service *service, const struct query *query, uint32_t most,
                    void (*take)(void *context, const struct entry *e), struct collected *l,
                    struct diag *diag)
{
    const struct spaces_asked asked = {.space = l->asked->space, .query = query, .most = SERIES_RUNS_MOST};
    bool more;

    l->most = most;
    l->of = arena_array(l->arena, most, sizeof(*l->of));
    l->failed = l->of == NULL;
    if (!spaces_list(service->spaces, &asked, take, l, &more, diag))
        return false;
    return !l->failed || diag_no_memory(diag, "No memory for the check.");
}

/* Whether it is of the same kind and commit as one that was asked for by its id. */
static bool is_of_their_commit(const struct collected *runs, const struct found *f)
{
    for (uint32_t i = 0; i < runs->n; i++) {
        const struct found *other = &runs->of[i];
        if (other->is_asked_for && str_eq(other->labels, f->labels) && str_eq(other->commit, f->commit))
            return true;
    }
    return false;
}

/* Leaves those that were asked for, by their ids or with their commit; before that, all are there. */
static void choose_runs(struct collected *runs)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < runs->n; i++)
        runs->of[i].is_asked_for = runs->of[i].is_asked_for || is_of_their_commit(runs, &runs->of[i]);
    for (uint32_t i = 0; i < runs->n; i++)
        if (runs->of[i].is_asked_for)
            runs->of[n++] = runs->of[i];
    runs->n = n;
}

/* ---- groups ---- */

/* NULL: there is none, or no room for one more. */
static struct space_check_group *group_of(struct space_check *c, struct str labels, bool adds)
{
    for (uint32_t i = 0; i < c->n_groups; i++)
        if (str_eq(c->groups[i].labels, labels))
            return &c->groups[i];
    if (!adds || c->n_groups == SPACE_CHECK_GROUPS) {
        c->left_out += adds;
        return NULL;
    }
    struct space_check_group *g = &c->groups[c->n_groups];
    *g = (struct space_check_group){.labels = labels};
    g->runs = arena_array(&c->arena, SPACE_CHECK_RUNS, sizeof(*g->runs));
    g->baseline = arena_array(&c->arena, SPACE_CHECK_BASELINE, sizeof(*g->baseline));
    if (g->runs == NULL || g->baseline == NULL)
        return NULL;
    c->n_groups++;
    return g;
}

static bool is_under_test(const struct collected *runs, const struct found *f)
{
    for (uint32_t i = 0; i < runs->n; i++)
        if (strcmp(runs->of[i].digest.entry.id, f->digest.entry.id) == 0 ||
            (f->commit.n > 0 && str_eq(runs->of[i].commit, f->commit)))
            return true;
    return false;
}

/* False: no memory. */
static bool form_groups(struct space_check *c, const struct collected *runs, const struct collected *baseline)
{
    for (uint32_t i = 0; i < runs->n; i++) {
        struct space_check_group *g = group_of(c, runs->of[i].labels, true);
        if (g != NULL && g->n_runs < SPACE_CHECK_RUNS)
            g->runs[g->n_runs++] = &runs->of[i].digest;
    }
    for (uint32_t i = 0; i < baseline->n; i++) {
        const struct found *f = &baseline->of[i];
        struct space_check_group *g = is_under_test(runs, f) ? NULL : group_of(c, f->labels, false);
        if (g != NULL && g->n_baseline < SPACE_CHECK_BASELINE)
            g->baseline[g->n_baseline++] = &f->digest;
    }
    return c->arena.failure == ARENA_OK;
}

/* ---- judging ---- */

static bool measure_the_same(const struct run_digest *a, const struct run_digest *b)
{
    return str_eq(a->values[0].name, b->values[0].name) && a->values[0].unit == b->values[0].unit;
}

/* Leaves those out that cannot be read, and those that do not measure what `like` does; NULL: the first of them. NULL: no
 * memory. */
static struct run_digest *open_digests(struct service *service, struct str space, struct turn *turn,
                                       struct space_check *c, const struct run_digest *like,
                                       const struct stored_digest_of **of, uint32_t *n, uint32_t *n_other)
{
    struct run_digest *digests = arena_array(&c->arena, (size_t)*n + 1, sizeof(*digests));
    uint32_t opened = 0;

    for (uint32_t i = 0; digests != NULL && i < *n && !arena_stopped(&c->arena); i++) {
        struct stored_digest *d = &c->digests[c->n_digests];
        if (stored_digest_open(service, space, of[i], turn, true, d) != DIGEST_FOUND)
            continue;
        c->n_digests++;
        of[opened] = of[i];
        digests[opened] = d->of;
        like = like == NULL ? &digests[0] : like;
        if (measure_the_same(like, &d->of))
            opened++;
        else
            ++*n_other;
    }
    *n = opened;
    return digests;
}

/* The one whose first total is in the middle. */
static const char *typical(const struct run_digest *digests, const struct stored_digest_of *const *of,
                           uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t below = 0;
        for (uint32_t k = 0; k < n; k++) {
            int64_t a = digests[k].values[0].total, b = digests[i].values[0].total;
            below += a < b || (a == b && k < i);
        }
        if (below == n / 2)
            return of[i]->entry.id;
    }
    return of[0]->entry.id;
}

static bool judge(struct service *service, struct turn *turn, const struct space_check_asked *asked,
                  struct space_check *c, struct space_check_group *g, struct diag *diag)
{
    struct check_input in = {.rules = asked->rules, .n_rules = asked->n_rules};

    in.b = open_digests(service, asked->space, turn, c, NULL, g->runs, &g->n_runs, &g->n_other);
    in.a = open_digests(service, asked->space, turn, c, g->n_runs > 0 ? &in.b[0] : NULL, g->baseline,
                        &g->n_baseline, &g->n_other);
    in.n_b = g->n_runs;
    in.n_a = g->n_baseline;
    if (in.a == NULL || in.b == NULL)
        return diag_no_memory(diag, "No memory for the check.");
    g->is_judged = in.n_a > 0 && in.n_b > 0;
    if (!g->is_judged)
        return true;
    g->typical_run = typical(in.b, g->runs, in.n_b);
    g->typical_baseline = typical(in.a, g->baseline, in.n_a);
    return check_run(&in, &c->arena, &g->check, diag);
}

static enum check_state worse(enum check_state a, enum check_state b)
{
    if (a == CHECK_FAIL || b == CHECK_FAIL)
        return CHECK_FAIL;
    return a == CHECK_INCONCLUSIVE || b == CHECK_INCONCLUSIVE ? CHECK_INCONCLUSIVE : CHECK_PASS;
}

/* Always false. */
static bool say_stopped(const struct arena *arena, struct diag *diag)
{
    if (stop_asked(arena->stop) != STOP_WORK)
        return stop_say(arena->stop, diag);
    return diag_set(
        diag, DIAG_LIMIT, "too much work",
        "Say more labels, so that fewer uploads fit, or fewer rules; or ask the operator to raise work_seconds.",
        "This takes more of a processor than one check may.");
}

static bool judge_all(struct service *service, struct turn *turn, const struct space_check_asked *asked,
                      struct space_check *c, struct diag *diag)
{
    c->state = CHECK_PASS;
    for (uint32_t i = 0; i < c->n_groups; i++) {
        bool judged = judge(service, turn, asked, c, &c->groups[i], diag);
        if (arena_stopped(&c->arena))
            return say_stopped(&c->arena, diag);
        if (!judged)
            return false;
        c->state = worse(c->state, c->groups[i].is_judged ? c->groups[i].check.state : CHECK_INCONCLUSIVE);
        turn_next(turn);
    }
    return true;
}

static bool collect_both(struct service *service, struct turn *turn, struct collected *runs,
                         struct collected *baseline, struct diag *diag)
{
    const struct space_check_asked *asked = runs->asked;

    turn_give(turn); /* the list may have to be read first */
    bool ok = collect(service, asked->runs, SPACE_CHECK_GROUPS * SPACE_CHECK_RUNS, take_run, runs, diag) &&
              collect(service, asked->baseline, SERIES_RUNS_MOST, take_entry, baseline, diag);
    turn_take(turn);
    return ok;
}

bool space_check_run(struct service *service, struct turn *turn, const struct space_check_asked *asked,
                     struct space_check *c, struct diag *diag)
{
    struct collected runs = {.asked = asked, .arena = &c->arena}, baseline = runs;

    arena_init(&c->arena, SCRATCH_BYTES);
    c->groups = arena_array(&c->arena, SPACE_CHECK_GROUPS, sizeof(*c->groups));
    c->digests = calloc(SPACE_CHECK_GROUPS * (SPACE_CHECK_RUNS + SPACE_CHECK_BASELINE), sizeof(*c->digests));
    if (c->groups == NULL || c->digests == NULL)
        return diag_no_memory(diag, "No memory for the check.");
    if (!collect_both(service, turn, &runs, &baseline, diag))
        return false;
    if (asked->with_commit)
        choose_runs(&runs);
    if (runs.n == 0)
        return diag_set(diag, DIAG_NOT_FOUND, "nothing to check",
                        "Look at the list of the space for what is there.",
                        "No upload of the space fits that is to be checked.");
    if (!form_groups(c, &runs, &baseline))
        return diag_no_memory(diag, "No memory for the check.");
    c->arena.stop = asked->stop;
    bool ok = judge_all(service, turn, asked, c, diag);
    c->arena.stop = NULL; /* it ends before the check */
    return ok;
}

void space_check_free(struct space_check *c)
{
    for (size_t i = 0; i < c->n_digests; i++)
        stored_digest_close(&c->digests[i]);
    free(c->digests);
    arena_free(&c->arena);
}

/* ---- how it is written ---- */

static void put_pair(struct buf *b, const struct space_check_links *links, const struct space_check_group *g,
                     const char *behind)
{
    buf_str(b, links->base);
    buf_printf(b, "d/%s..%s%s", g->typical_baseline, g->typical_run, behind);
}

/* The series of the group: all its runs over time. */
static void put_series(struct buf *b, const struct space_check_links *links,
                       const struct space_check_group *g)
{
    struct str lines = g->labels, key, value;
    struct buf query = {0};

    while (labels_next(&lines, &key, &value)) {
        buf_z(&query, query.n > 0 ? " " : "");
        query_put_label(&query, key, value);
    }
    buf_str(b, links->base);
    buf_z(b, "s/");
    buf_str(b, links->space);
    buf_z(b, "/series?q=");
    buf_percent(b, buf_view(&query));
    buf_part_end(b, &query);
}

static void put_group(struct buf *out, const struct space_check_group *g, enum check_format format,
                      const struct space_check_links *links)
{
    struct buf method = {0}, image = {0}, page = {0};

    put_pair(&method, links, g, "/m/");
    put_pair(&image, links, g, "/card.png");
    put_series(&page, links, g);
    const struct check_links of = {buf_view(&method), buf_view(&image), buf_view(&page)};
    check_write(&g->check, format, &of, out);
    buf_part_end(out, &method);
    buf_part_end(out, &image);
    buf_part_end(out, &page);
}

static void put_labels(struct buf *b, struct str lines)
{
    struct str line;
    bool any = false;

    while (lines.n > 0 && str_split(&lines, '\n', &line)) {
        buf_z(b, any ? ", " : "");
        clean_text(b, line);
        any = true;
    }
    buf_z(b, any ? "" : "without labels");
}

const char *space_check_why_not(const struct space_check_group *g)
{
    return g->n_runs == 0 ? "none of its runs can be read"
                          : "the baseline has no run with these labels that can be read";
}

static void put_upload(struct buf *b, const struct space_check_links *links, size_t at)
{
    buf_str(b, links->base);
    buf_printf(b, "p/%.*s", RECORD_ID_CHARS, links->uploads.p + at);
}

static void put_texts(const struct space_check *c, enum check_format format,
                      const struct space_check_links *links, struct buf *out)
{
    for (uint32_t i = 0; i < c->n_groups; i++) {
        const struct space_check_group *g = &c->groups[i];
        buf_z(out, i > 0 ? "\n" : "");
        if (c->n_groups > 1 || !g->is_judged) {
            buf_z(out, format == CHECK_MARKDOWN ? "## " : "");
            put_labels(out, g->labels);
            buf_z(out, "\n\n");
        }
        if (g->is_judged)
            put_group(out, g, format, links);
        else
            buf_printf(out, "%s: %s.\n", CHECK_STATES[CHECK_INCONCLUSIVE], space_check_why_not(g));
        if (g->n_other > 0)
            buf_printf(out, "\nMore with these labels measure something else, and were left out: %u.\n",
                       g->n_other);
    }
    for (size_t i = 0; i < links->uploads.n; i += RECORD_ID_CHARS) {
        buf_z(out, i == 0 ? "\nUploaded: " : ", ");
        put_upload(out, links, i);
    }
    buf_z(out, links->uploads.n > 0 ? "\n" : "");
    if (c->left_out > 0)
        buf_printf(out, "\n%u more runs have labels of their own and were not looked at.\n", c->left_out);
}

static void put_json(const struct space_check *c, const struct space_check_links *links, struct buf *out)
{
    struct json j = json_into(out);

    json_open_object(&j, NULL);
    json_put_string(&j, "space", links->space);
    json_put_string(&j, "state", str_of(CHECK_STATES[c->state]));
    json_open_array(&j, "groups");
    for (uint32_t i = 0; i < c->n_groups; i++) {
        struct buf check = {0};
        json_line(&j);
        json_open_object(&j, NULL);
        labels_put_lines(&j, "labels", c->groups[i].labels);
        if (c->groups[i].is_judged) {
            put_group(&check, &c->groups[i], CHECK_JSON, links);
            json_put_raw(&j, "check", str_trim(buf_view(&check)));
        } else {
            json_put_string(&j, "why_not", str_of(space_check_why_not(&c->groups[i])));
        }
        json_put_u64(&j, "other", c->groups[i].n_other);
        buf_part_end(out, &check);
        json_close(&j);
    }
    json_close(&j);
    json_open_array(&j, "uploads");
    for (size_t i = 0; i < links->uploads.n; i += RECORD_ID_CHARS) {
        struct buf url = {0};
        put_upload(&url, links, i);
        json_put_string(&j, NULL, buf_view(&url));
        buf_part_end(out, &url);
    }
    json_close(&j);
    json_put_u64(&j, "left_out", c->left_out);
    json_close(&j);
    buf_char(out, '\n');
}

void space_check_write(const struct space_check *c, enum check_format format,
                       const struct space_check_links *links, struct buf *out)
{
    if (format == CHECK_JSON)
        put_json(c, links, out);
    else
        put_texts(c, format, links, out);
}
