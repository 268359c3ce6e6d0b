/* Output "folded": one line for each stack, `frame;frame;frame SPACE n`, as flame-graph tools read it,
 * sorted bytewise.
 *
 * A frame is written `package.Class.method`, cleaned, with `:` for `;`; frames that are written alike are
 * one. n is the stack's self in microseconds (nanoseconds are rounded down node by node, then summed),
 * bytes or counts; stacks with n = 0 and the roots' own self are left out. What has changed between two
 * moments can be less than 0.
 *
 * The text can be thousands of times larger than the profile, so the lines are made in their order instead
 * of being sorted. All lines that begin with a node's path are its own line, path + ` n`, and those below
 * it, path + `;` + more. No frame has a `;` in it, so the latter stand together: it is enough to sort,
 * under each node, the *tokens* that may follow its path: `frame ` (a line that ends here) and `frame;`
 * (all the lines below). Only a token that is the beginning of another one, `a ` of `a b;`, needs a look
 * at the number behind it. */
#include <string.h>

#include "core/clean.h"
#include "core/number.h"
#include "core/order.h"
#include "render/names/names.h"
#include "render/output.h"
#include "render/tree/tree.h"
#include "render/view/view.h"

enum { NS_PER_US = 1000 };

/* Tokens of the frame or track with index i (tracks behind the frames): 2i ends a line, 2i + 1 goes on. */
enum token { TOKEN_END, TOKEN_ON };

struct tokens {
    struct str *text;
    uint32_t *rank; /* bytewise; tokens with equal text have equal ranks */
    bool *begins_another;
    uint32_t n;
};

/* Items are tokens at a place of the tree: item 2p + kind. */
struct folder {
    const struct tree *tree;
    struct tokens tokens;
    uint32_t *first, *next; /* by place; by item */
    struct buf prefix;      /* the path, with its last `;` */
    struct buf *out;
};

static uint32_t token_of(const struct folder *f, uint32_t item)
{
    return 2 * tree_frame(f->tree, item / 2) + item % 2;
}

/* --- tokens --- */

static bool make_token_texts(const struct render_input *in, struct tokens *k)
{
    struct buf b = {0};
    const struct profile *p = in->profile;
    bool ok = true;

    for (uint32_t i = 0; ok && i < k->n / 2; i++) {
        buf_clear(&b);
        clean_text(&b, i < p->n_frames ? names_frame(in->names, i) : names_track(in->names, i - p->n_frames));
        for (char *c = b.p; b.n > 0 && (c = memchr(c, ';', b.n - (size_t)(c - b.p))) != NULL;)
            *c = ':';
        buf_char(&b, ' ');
        size_t n = b.n;
        char *end = b.failed ? NULL : arena_copy(in->scratch, b.p, n);
        char *on = end == NULL ? NULL : arena_copy(in->scratch, end, n);
        ok = on != NULL;
        if (ok)
            on[n - 1] = ';';
        k->text[2 * i + TOKEN_END] = (struct str){end, n};
        k->text[2 * i + TOKEN_ON] = (struct str){on, n};
    }
    buf_free(&b);
    return ok;
}

static bool make_tokens(const struct render_input *in, struct tokens *k)
{
    struct arena *a = in->scratch;
    size_t n = ((size_t)in->profile->n_frames + in->profile->n_tracks) * 2;

    k->text = arena_array(a, n, sizeof(*k->text));
    k->rank = arena_array(a, n, sizeof(*k->rank));
    k->begins_another = arena_array(a, n, sizeof(*k->begins_another));
    uint32_t *ids = arena_array(a, n, sizeof(*ids));
    if (n >= ORDER_NONE || k->text == NULL || k->rank == NULL || k->begins_another == NULL || ids == NULL)
        return false;
    k->n = (uint32_t)n;
    for (uint32_t i = 0; i < k->n; i++)
        ids[i] = i;
    if (!make_token_texts(in, k) || !order_strings(ids, k->n, k->text, a))
        return false;
    /* Backwards, so that equal tokens find behind them what they all begin. */
    for (uint32_t i = k->n; i-- > 0;) {
        bool last = i + 1 == k->n;
        bool same = !last && str_eq(k->text[ids[i]], k->text[ids[i + 1]]);
        k->rank[ids[i]] = same ? k->rank[ids[i + 1]] : i;
        if (!last)
            k->begins_another[ids[i]] =
                same ? k->begins_another[ids[i + 1]] : str_starts(k->text[ids[i + 1]], k->text[ids[i]]);
    }
    return true;
}

/* --- the order of items --- */

enum { SIGNED_BYTES_MAX = NUMBER_BYTES_MAX + 1 };

/* What goes down stands in a second column, if the value is signed. */
static uint64_t down_of(const struct tree *t, uint32_t place)
{
    return t->n_columns > 1 ? tree_self(t, place, 1) : 0;
}

/* The number of the line. Returns its length. */
static size_t put_number(const struct tree *t, uint32_t place, char number[SIGNED_BYTES_MAX])
{
    uint64_t up = tree_self(t, place, 0), down = down_of(t, place);
    char *end = number;

    if (down > up)
        *end++ = '-';
    return (size_t)(number_u64(end, down > up ? down - up : up - down) - number);
}

/* What stands behind the item's token: the number, or nothing that is known yet. Returns its length. */
static size_t number_behind(const struct folder *f, uint32_t item, char number[SIGNED_BYTES_MAX])
{
    return item % 2 == TOKEN_ON ? 0 : put_number(f->tree, item / 2, number);
}

static bool before_in_full(const struct folder *f, uint32_t a, uint32_t b)
{
    char number_a[SIGNED_BYTES_MAX], number_b[SIGNED_BYTES_MAX];
    struct str more_a = {number_a, number_behind(f, a, number_a)},
               more_b = {number_b, number_behind(f, b, number_b)};
    struct str ta = f->tokens.text[token_of(f, a)], tb = f->tokens.text[token_of(f, b)];
    size_t shared = ta.n < tb.n ? ta.n : tb.n;
    int order = memcmp(ta.p, tb.p, shared);

    if (order != 0)
        return order < 0;
    /* One token begins the other: its number stands against the rest of the other. */
    struct str rest_a = str_from(ta, shared), rest_b = {tb.p + shared, tb.n - shared};
    return str_cmp(rest_a.n > 0 ? rest_a : more_a, rest_b.n > 0 ? rest_b : more_b) < 0;
}

static bool before(const void *context, uint32_t a, uint32_t b)
{
    const struct folder *f = context;
    uint32_t ta = token_of(f, a), tb = token_of(f, b);

    if (f->tokens.begins_another[ta] || f->tokens.begins_another[tb])
        return before_in_full(f, a, b);
    return f->tokens.rank[ta] < f->tokens.rank[tb];
}

/* The own self of roots and of the nodes of tracks is left out. */
static bool is_line(const struct tree *t, uint32_t place)
{
    return tree_frame(t, place) < t->n_frames && tree_self(t, place, 0) != down_of(t, place);
}

/* Lists, under each place, the items of its children that lead to lines. */
static bool list_items(struct folder *f, struct arena *a)
{
    const struct tree *t = f->tree;
    bool *below = arena_array(a, t->n, sizeof(*below));

    f->first = arena_array(a, t->n, sizeof(*f->first));
    f->next = arena_array(a, (size_t)t->n * 2, sizeof(*f->next));
    if (t->n >= ORDER_NONE / 2 || below == NULL || f->first == NULL || f->next == NULL)
        return false;
    for (uint32_t i = 0; i < t->n; i++)
        f->first[i] = ORDER_NONE;
    for (uint32_t i = t->n; i-- > 1;) {
        uint32_t parent = t->parent[i];
        bool leads_to[2] = {[TOKEN_END] = is_line(t, i), [TOKEN_ON] = below[i]};
        for (uint32_t kind = TOKEN_END; kind <= TOKEN_ON; kind++) {
            if (!leads_to[kind])
                continue;
            below[parent] = true;
            f->next[2 * i + kind] = f->first[parent];
            f->first[parent] = 2 * i + kind;
        }
    }
    return true;
}

/* --- lines --- */

static void put_line(struct folder *f, uint32_t item)
{
    char number[SIGNED_BYTES_MAX + 1];
    size_t n = put_number(f->tree, item / 2, number);
    struct str text = f->tokens.text[token_of(f, item)];

    number[n++] = '\n';
    buf_str(f->out, buf_view(&f->prefix));
    buf_str(f->out, text);
    buf_bytes(f->out, number, n);
}

static void put_lines(struct folder *f)
{
    uint32_t place = 0; /* whose items are being written */
    uint32_t item = f->first[0] = order_list(f->first[0], f->next, before, f);

    while (!f->out->failed && !f->prefix.failed) {
        if (item == ORDER_NONE) {
            if (place == 0)
                return;
            uint32_t done = 2 * place + TOKEN_ON;
            f->prefix.n -= f->tokens.text[token_of(f, done)].n;
            place = f->tree->parent[place];
            item = f->next[done];
        } else if (item % 2 == TOKEN_END) {
            put_line(f, item);
            item = f->next[item];
        } else {
            place = item / 2;
            buf_str(&f->prefix, f->tokens.text[token_of(f, item)]);
            item = f->first[place] = order_list(f->first[place], f->next, before, f);
        }
    }
}

static bool render(const struct render_input *in, struct buf *out, struct diag *diag)
{
    struct folder f = {.out = out};
    struct measure measure, minus;
    struct arena *a = in->scratch;

    if (!measure_by_name(in->profile, in->view->value, &measure))
        return diag_set(diag, DIAG_USAGE, "no such value", "", "The profile has no value of that name.");
    if (!make_tokens(in, &f.tokens))
        return fail_arena(a, diag);
    uint32_t n_frames = in->profile->n_frames, n_tracks = in->profile->n_tracks;
    uint32_t *ranks = arena_array(a, (size_t)n_frames + n_tracks, sizeof(*ranks));
    if (ranks == NULL)
        return fail_arena(a, diag);
    for (uint32_t i = 0; i < n_frames + n_tracks; i++)
        ranks[i] = f.tokens.rank[2 * i + TOKEN_ON];

    struct tree_spec spec = {.measures = {&measure}, .n_measures = 1, .order = ORDER_NAME};
    minus = measure;
    if (!measure.waiting && in->profile->minus[measure.value] > 0) {
        minus.value = in->profile->minus[measure.value];
        spec.measures[spec.n_measures++] = &minus;
    }
    spec.divisor = measure.unit == UNIT_NS ? NS_PER_US : 1;
    spec.frame_rank = ranks;
    spec.track_rank = ranks + n_frames;
    f.tree = tree_new(in, &spec, diag);
    if (f.tree == NULL)
        return false;
    if (!list_items(&f, a))
        return fail_arena(a, diag);
    /* A path is not longer than the lines below it. */
    buf_init(&f.prefix, out->limit);
    put_lines(&f);
    bool ok = (!f.prefix.failed || fail_buf(&f.prefix, diag)) && (!out->failed || fail_buf(out, diag));
    buf_free(&f.prefix);
    return ok;
}

const struct output OUTPUT_FOLDED = {
    .name = "folded",
    .suffix = "folded.txt",
    .media_type = "text/plain; charset=utf-8",
    .label = "Folded stacks",
    .text = true,
    .exported = true,
    .appends = true,
    .views = OUTPUT_PLAIN_VIEWS,
    .revision = 2,
    .render = render,
};
