/* Output "outline": the heaviest part of the tree as indented text, as much of it as a budget allows. For programs that read
 * little at a time, language models among them, and for people in a terminal.
 *
 *     [main tid=15983]: 5.99 s (wall time). 35 of 7,447 frames are shown, callees below their callers; ..
 *     100 % 5.99 s, 1 call: android.app.ActivityThread.main > android.os.Looper.loop
 *      72.3 % 4.34 s, 24 calls: android.os.Handler.dispatchMessage, self 15.1 ms
 *
 * Frames are chosen by their totals, the heaviest of all first, until the next one has no room. A caller's total is
 * never less than a callee's, so what is chosen hangs together. A frame whose callee has nearly all of its time is joined
 * with it, since stacks of Android are long and a line costs as much as what it says: numbers are of the first frame of a
 * line, the self is of the last. What a frame has beside its self and its callees that are shown is in callees that are
 * not. */

#include "core/clean.h"
#include "core/number.h"
#include "render/names/names.h"
#include "render/output.h"
#include "render/tree/invert.h"
#include "render/tree/tree.h"
#include "render/view/view.h"

enum {
    USUAL_TOKENS = 2000,
    HEAD_BYTES = 450, /* what the first line takes, at most */
    INDENT_MAX = 60,  /* deeper lines are not indented further: their level stands in front */
    DIGITS = 3,
    JOINED_PERCENT = 99,   /* of the caller's total: then caller and callee are one line */
    NAMED_MAX = 3,         /* frames of a line that are named; of a longer one, its ends and the app's own */
    NAMES_BYTES = 400,     /* of a line: further frames are not named */
    NAME_BYTES = 200,      /* of one frame; a longer name is cut */
    INVERTED_MAX = 100000, /* frames that have callers, when the heaviest of an inverted tree are made */
    TRACK_BYTES = 100      /* of a track in the first line */
};

static const uint32_t CANDIDATE = UINT32_C(1) << 31; /* of a level: its line may be shown */

struct outline {
    const struct render_input *in;
    const struct tree *tree;
    struct measure measure;
    uint64_t whole;  /* what shares are of */
    uint32_t *level; /* by place of the first frame of a line, from 1; 0: not shown */
    uint32_t *heap;  /* places that may come next, the heaviest first */
    uint32_t n_heap;
    uint32_t n_shown; /* frames */
    struct buf line;
};

/* ---- one line: a frame, and the callees that have nearly all that it has ---- */

static bool is_joined(const struct tree *t, uint32_t place, uint32_t child)
{
    return tree_total(t, child, 0) >= number_ratio(JOINED_PERCENT, 100, tree_total(t, place, 0)) &&
           !tree_is_track(t, tree_frame(t, place));
}

/* The callee that goes on in the line; 0: none. Only the first can: children stand by weight. */
static uint32_t next_of(const struct tree *t, uint32_t place)
{
    return t->size[place] > 1 && is_joined(t, place, place + 1) ? place + 1 : 0;
}

/* Names are as long as a profile makes them. */
static void put_cut(struct buf *b, struct str name, size_t limit)
{
    struct str cut = clean_cut(name, limit);

    clean_text(b, cut);
    buf_z(b, cut.n < name.n ? ".." : "");
}

static void put_name(struct outline *o, uint32_t place)
{
    frame_id frame = tree_frame(o->tree, place);

    put_cut(&o->line,
            tree_is_track(o->tree, frame) ? names_track(o->in->names, frame - o->tree->n_frames)
                                          : names_frame(o->in->names, frame),
            NAME_BYTES);
}

static bool is_own(const struct outline *o, uint32_t place)
{
    frame_id frame = tree_frame(o->tree, place);

    return !tree_is_track(o->tree, frame) && names_of(o->in->names, frame)->origin == ORIGIN_APP;
}

/* Returns the last frame of the line. */
static uint32_t put_names(struct outline *o, uint32_t place, uint32_t n)
{
    uint32_t left_out = 0;

    for (uint32_t i = 0; i < n; i++, place = i < n ? next_of(o->tree, place) : place) {
        if (n > NAMED_MAX && i > 0 && i + 1 < n && (o->line.n > NAMES_BYTES || !is_own(o, place))) {
            left_out++;
            continue;
        }
        if (left_out > 0)
            buf_printf(&o->line, " > (%u)", left_out);
        left_out = 0;
        buf_z(&o->line, i > 0 ? " > " : "");
        put_name(o, place);
    }
    return place;
}

static uint32_t length_of(const struct tree *t, uint32_t place)
{
    uint32_t n = 1;

    while ((place = next_of(t, place)) != 0)
        n++;
    return n;
}

/* Returns how many frames it stands for. *last: the last of them. */
static uint32_t put_line(struct outline *o, uint32_t place, uint32_t level, uint32_t *last)
{
    uint64_t total = tree_total(o->tree, place, 0), calls = tree_calls(o->tree, place);
    uint32_t n = length_of(o->tree, place);
    char percent[NUMBER_BYTES_MAX];

    buf_clear(&o->line);
    for (uint32_t i = 1; i < level && i <= INDENT_MAX; i++)
        buf_char(&o->line, ' ');
    if (level > INDENT_MAX)
        buf_printf(&o->line, "[%u] ", level);
    buf_bytes(&o->line, percent, (size_t)(number_percent(percent, total, o->whole) - percent));
    buf_char(&o->line, ' ');
    buf_value(&o->line, o->measure.unit, total, DIGITS);
    if (calls > 0) {
        buf_z(&o->line, ", ");
        buf_u64_grouped(&o->line, calls);
        buf_z(&o->line, calls == 1 ? " call" : " calls");
    }
    buf_z(&o->line, ": ");
    *last = put_names(o, place, n);
    uint64_t self = tree_self(o->tree, *last, 0);
    if (self > 0 && self < total && o->in->view->view != VIEW_INVERTED) {
        buf_z(&o->line, ", self ");
        buf_value(&o->line, o->measure.unit, self, DIGITS);
    }
    buf_char(&o->line, '\n');
    return n;
}

/* ---- which ---- */

/* The larger total comes first; of equal ones the one that is first in the tree. */
static bool is_before(const struct outline *o, uint32_t a, uint32_t b)
{
    uint64_t of_a = tree_total(o->tree, a, 0), of_b = tree_total(o->tree, b, 0);

    return of_a > of_b || (of_a == of_b && a < b);
}

static void swap(struct outline *o, uint32_t i, uint32_t j)
{
    uint32_t kept = o->heap[i];

    o->heap[i] = o->heap[j];
    o->heap[j] = kept;
}

static void push(struct outline *o, uint32_t place)
{
    uint32_t i = o->n_heap++;

    o->heap[i] = place;
    for (; i > 0 && is_before(o, o->heap[i], o->heap[(i - 1) / 2]); i = (i - 1) / 2)
        swap(o, i, (i - 1) / 2);
}

static uint32_t pop(struct outline *o)
{
    uint32_t first = o->heap[0];

    o->heap[0] = o->heap[--o->n_heap];
    for (uint32_t i = 0, child; (child = 2 * i + 1) < o->n_heap; i = child) {
        if (child + 1 < o->n_heap && is_before(o, o->heap[child + 1], o->heap[child]))
            child++;
        if (!is_before(o, o->heap[child], o->heap[i]))
            break;
        swap(o, i, child);
    }
    return first;
}

/* The callees of the last frame of a line. Those of the others have less than what is joined leaves. */
static void push_children(struct outline *o, uint32_t place, uint32_t level)
{
    const struct tree *t = o->tree;
    uint32_t end = place + t->size[place];

    for (uint32_t child = place + 1; child < end; child += t->size[child])
        if (tree_total(t, child, 0) > 0) {
            o->level[child] = level | CANDIDATE;
            push(o, child);
        }
}

/* A line that has no room ends it: lighter ones would hide what is missing. The first is shown in any case. */
static bool choose(struct outline *o, uint64_t room)
{
    struct arena *a = o->in->scratch;
    uint32_t last;

    o->level = arena_array(a, o->tree->n, sizeof(*o->level));
    o->heap = arena_array(a, o->tree->n, sizeof(*o->heap));
    if (o->level == NULL || o->heap == NULL)
        return false;
    push_children(o, 0, 1);
    while (o->n_heap > 0) {
        uint32_t place = pop(o), level = o->level[place] & ~CANDIDATE;
        uint32_t n = put_line(o, place, level, &last);
        if (o->line.n > room && o->n_shown > 0)
            return true;
        room -= o->line.n < room ? o->line.n : room;
        o->level[place] = level;
        o->n_shown += n;
        push_children(o, last, level + 1);
    }
    return true;
}

/* ---- the text ---- */

static void put_head(const struct outline *o, struct buf *out)
{
    const struct tree *t = o->tree;
    uint32_t n = t->n - 1;

    if (t->n_tracks == 1)
        put_cut(out, names_track(o->in->names, t->tracks[0]), TRACK_BYTES);
    else
        buf_printf(out, "%u tracks", t->n_tracks);
    buf_z(out, ": ");
    buf_value(out, o->measure.unit, o->whole, DIGITS);
    buf_z(out, " (");
    buf_str(out, o->measure.label);
    buf_z(out, "). ");
    buf_u64_grouped(out, o->n_shown);
    buf_z(out, t->cut_short ? " of more than " : " of ");
    buf_u64_grouped(out, n);
    buf_printf(
        out,
        " frames are shown, %s; A > (2) > B stands for frames of which each has %d %% of the one before.",
        o->in->view->view == VIEW_INVERTED ? "callers below what they call" : "callees below their callers",
        JOINED_PERCENT);
    if (o->n_shown < n || t->cut_short)
        buf_z(
            out,
            " The rest is lighter. For more: a larger budget, a range of time, focus or show-from of a frame.");
    buf_char(out, '\n');
}

static void put_lines(struct outline *o, struct buf *out)
{
    uint32_t last;

    for (uint32_t place = 1; place < o->tree->n && !out->failed; place++)
        if (o->level[place] != 0 && (o->level[place] & CANDIDATE) == 0) {
            put_line(o, place, o->level[place], &last);
            buf_str(out, buf_view(&o->line));
            out->failed = out->failed || o->line.failed;
        }
}

static bool find_calls(const struct profile *p, struct measure *calls)
{
    struct measure all[MEASURES_MAX];
    uint32_t n = measures_of(p, all);

    for (uint32_t i = 0; i < n; i++)
        if (!all[i].waiting && p->values[all[i].value].role == ROLE_CALLS) {
            *calls = all[i];
            return true;
        }
    return false;
}

static bool make_tree(struct outline *o, struct diag *diag)
{
    static const struct invert_cut CUT = {.nodes_max = INVERTED_MAX};
    const struct render_input *in = o->in;
    struct measure calls;
    struct tree_spec spec = {
        .measures = {&o->measure, &calls}, .n_measures = 1, .divisor = 1, .order = ORDER_WEIGHT};

    if (!measure_by_name(in->profile, in->view->value, &o->measure))
        return diag_set(diag, DIAG_USAGE, "no such value", "", "The profile has no value of that name.");
    if (!o->measure.waiting && in->profile->minus[o->measure.value] > 0)
        return diag_set(diag, DIAG_USAGE, "no outline of this", "Choose one moment, or another output.",
                        "What has become more and less between two moments has no heaviest part.");
    if (find_calls(in->profile, &calls)) {
        spec.n_measures = 2;
        spec.has_calls = true;
        spec.calls_column = 1;
    }
    o->tree = tree_new(in, &spec, diag);
    if (o->tree != NULL && in->view->view == VIEW_INVERTED)
        o->tree = invert_new(in, &spec, o->tree, &CUT, diag);
    return o->tree != NULL;
}

static bool render(const struct render_input *in, struct buf *out, struct diag *diag)
{
    struct outline o = {.in = in};
    uint64_t tokens = in->view->budget == UINT32_MAX ? USUAL_TOKENS : in->view->budget;
    uint64_t room = tokens * VIEW_TOKEN_BYTES;

    if (!make_tree(&o, diag))
        return false;
    o.whole = tree_total(o.tree, 0, 0);
    bool ok = choose(&o, room > HEAD_BYTES ? room - HEAD_BYTES : 0) || fail_arena(in->scratch, diag);
    if (ok) {
        put_head(&o, out);
        put_lines(&o, out);
        ok = !out->failed || fail_buf(out, diag);
    }
    buf_free(&o.line);
    return ok;
}

const struct output OUTPUT_OUTLINE = {
    .name = "outline",
    .suffix = "txt",
    .media_type = "text/plain; charset=utf-8",
    .label = "Outline for programs that read little",
    .text = true,
    .views = OUTPUT_PLAIN_VIEWS | 1 << VIEW_INVERTED,
    .keys = KEYS_OUTLINE,
    .revision = 3,
    .render = render,
};
