/* The budget of nodes is kept by choosing them, that of bytes by trying: with how many nodes the text is short
 * enough is found by halving. */
#include "render/svg/data.h"

#include <string.h>

#include "core/clean.h"
#include "core/json.h"
#include "core/number.h"
#include "core/put.h"
#include "profile/filter/filter_pattern.h"
#include "profile/frame/own_code.h"
#include "profile/frame/short_name.h"
#include "profile/track.h"
#include "render/names/names.h"
#include "render/svg/data_nodes.h"
#include "render/svg/layout.h"
#include "render/svg/svg_header.h"
#include "render/tree/tree.h"
#include "render/view/key.h"
#include "render/view/view.h"

enum {
    PIECE_BYTES_MAX = 64000,
    RECORD_BYTES_LEAST = 2, /* of a node in a text */
    CLOSE_ENOUGH = 16       /* a part of the nodes that the budget would allow may be missing: this one */
};

/* ---- frames ---- */

enum {
    NUMBERS_BYTES = 4 * DATA_NUMBER_BYTES_MAX,
    ESCAPED_BYTES_MAX = 5 /* "&amp;" */
};

/* --- the set --- */

static bool set_init(struct data_set *s, size_t n, struct arena *arena)
{
    size_t words = n / 64 + 1;

    s->bits = arena_array(arena, words, sizeof(*s->bits));
    s->below = arena_array(arena, words, sizeof(*s->below));
    s->n_words = (uint32_t)words;
    return s->bits != NULL && s->below != NULL;
}

/* Returns how many members there are. */
static uint32_t set_count(struct data_set *s)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < s->n_words; i++) {
        s->below[i] = n;
        n += (uint32_t)__builtin_popcountll(s->bits[i]);
    }
    return n;
}

/* --- frames and their lines --- */

/* Lives in in->scratch, but for what data_frames_free ends. Frames that stand for tracks count as in a tree:
 * n_frames + index. False: the arena gives no more. */
static bool data_frames_init(struct data_frames *f, const struct render_input *in,
                             const struct package_colours *colours)
{
    size_t n = (size_t)in->profile->n_frames + in->profile->n_tracks;

    *f = (struct data_frames){.in = in, .colours = colours};
    return set_init(&f->frames, n, in->scratch) && set_init(&f->ranks, n, in->scratch);
}

static void data_frames_free(struct data_frames *f)
{
    buf_free(&f->text);
    buf_free(&f->last_text);
}

static uint32_t rank_of(const struct data_frames *f, frame_id frame)
{
    uint32_t n_frames = f->in->profile->n_frames;

    return frame < n_frames ? names_rank(f->in->names, frame)
                            : n_frames + names_track_rank(f->in->names, frame - n_frames);
}

static bool make_room(struct data_frames *f)
{
    struct arena *a = f->in->scratch;

    return ARENA_ROOM(a, f->line_of, f->capacity_of_line_of, f->n + 1) &&
           ARENA_ROOM(a, f->frame_at, f->capacity_of_frame_at, f->n + 1) &&
           ARENA_ROOM(a, f->prefix, f->capacity_of_prefix, f->n + 1);
}

/* The ids in use, ascending. */
static void list_frames(struct data_frames *f)
{
    uint32_t n = 0;

    for (uint32_t word = 0; word < f->frames.n_words; word++)
        for (uint64_t bits = f->frames.bits[word]; bits != 0; bits &= bits - 1)
            f->frame_at[n++] = word * 64 + (uint32_t)__builtin_ctzll(bits);
}

/* Gives each frame in use its line. False: the arena gives no more. */
static bool data_frames_number(struct data_frames *f)
{
    f->n = set_count(&f->frames);
    if (!make_room(f))
        return false;
    list_frames(f);
    for (uint32_t i = 0; i < f->n; i++) {
        uint32_t rank = rank_of(f, f->frame_at[i]);
        f->ranks.bits[rank >> 6] |= UINT64_C(1) << (rank & 63);
    }
    set_count(&f->ranks);
    for (uint32_t i = 0; i < f->n; i++)
        f->line_of[i] = data_set_position(&f->ranks, rank_of(f, f->frame_at[i]));
    for (uint32_t word = 0, i = 0; word < f->frames.n_words; word++)
        for (uint64_t bits = f->frames.bits[word]; bits != 0; bits &= bits - 1)
            f->frame_at[f->line_of[i++]] = word * 64 + (uint32_t)__builtin_ctzll(bits);
    return true;
}

/* --- text --- */

struct piece {
    struct str scope, name, signature;
    bool plain; /* as they are; else to be cleaned */
    bool is_track;
};

static struct piece piece_of(const struct data_frames *f, frame_id frame)
{
    uint32_t n_frames = f->in->profile->n_frames;

    if (frame >= n_frames)
        return (struct piece){STR(""), names_track(f->in->names, frame - n_frames), STR(""), false, true};
    const struct names_frame *n = names_of(f->in->names, frame);
    struct frame_parts parts = names_parts(f->in->names, frame);
    return (struct piece){parts.scope, parts.scope.n + parts.name.n > 0 ? parts.name : n->text,
                          parts.signature, n->plain && n->full.p == n->text.p, false};
}

/* Behind the signature, where there are any. What is plain makes plain ones. */
static void put_short_names(struct buf *b, const struct piece *of)
{
    const struct frame_parts parts = {of->scope, of->name, of->signature};
    struct buf name = {0}, least = {0};

    if (!of->is_track && short_name_put(&parts, &name, &least)) {
        buf_char(b, '\t');
        clean_text(b, buf_view(&name));
        buf_char(b, '\t');
        clean_text(b, buf_view(&least));
    }
    buf_part_end(b, &name);
    buf_part_end(b, &least);
}

static void make_text(struct buf *b, const struct piece *of)
{
    buf_clear(b);
    if (!of->plain) {
        clean_text(b, of->scope);
        buf_char(b, '\t');
        clean_text(b, of->name);
        buf_char(b, '\t');
        clean_text(b, of->signature);
        return;
    }
    if (!buf_reserve(b, of->scope.n + of->name.n + of->signature.n + 2))
        return;
    char *to = put_str(b->p, of->scope);
    *to++ = '\t';
    to = put_str(to, of->name);
    *to++ = '\t';
    b->n = (size_t)(put_str(to, of->signature) - b->p);
}

/* Bytes of ASCII that a text and the one before begin with: characters and bytes are the same for whoever reads them.
 * One is left, so that no line is empty. */
static size_t prefix_of(struct str a, struct str b)
{
    size_t n = 0;

    while (n + 1 < a.n && n < b.n && a.p[n] == b.p[n] && (unsigned char)a.p[n] < 0x80)
        n++;
    return n;
}

static char *copy_escaped(char *to, struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        switch (s.p[i]) {
        case '<':
            to = PUT(to, "&lt;");
            break;
        case '>':
            to = PUT(to, "&gt;");
            break;
        case '&':
            to = PUT(to, "&amp;");
            break;
        default:
            *to++ = s.p[i];
        }
    }
    return to;
}

static void put_line(struct data_frames *f, struct buf *out, uint32_t line, bool xml)
{
    struct piece piece = piece_of(f, f->frame_at[line]);

    make_text(&f->text, &piece);
    put_short_names(&f->text, &piece);
    struct str text = buf_view(&f->text);
    size_t prefix = prefix_of(text, buf_view(&f->last_text));
    struct str rest = str_from(text, prefix);
    bool escape = xml && !piece.plain;
    if (f->text.failed || !buf_reserve(out, 1 + rest.n * (escape ? ESCAPED_BYTES_MAX : 1))) {
        out->failed = true;
        return;
    }
    f->prefix[line] = (uint32_t)prefix;
    char *to = out->p + out->n;
    to = escape ? copy_escaped(to, rest) : put_str(to, rest);
    *to++ = '\n';
    out->n = (size_t)(to - out->p);
    struct buf last = f->last_text;
    f->last_text = f->text;
    f->text = last;
}

/* Appends the lines, as long as `out` is shorter than `end` bytes. `xml`: escaped. */
static void data_frames_put(struct data_frames *f, struct buf *out, size_t end, bool xml)
{
    buf_clear(&f->last_text);
    for (uint32_t line = 0; line < f->n && out->n < end && !out->failed; line++)
        put_line(f, out, line, xml);
}

/* Then their numbers. */
static void data_frames_put_numbers(const struct data_frames *f, struct buf *out, size_t end)
{
    uint32_t last_rank = 0;

    for (uint32_t line = 0; line < f->n && out->n < end && buf_reserve(out, NUMBERS_BYTES); line++) {
        frame_id frame = f->frame_at[line];
        bool is_track = frame >= f->in->profile->n_frames;
        uint32_t rank = rank_of(f, frame);
        char *to = data_number(out->p + out->n, rank - last_rank);
        to = data_number(to, f->prefix[line]);
        to = data_number(to, is_track ? ORIGIN_TRACK : names_of(f->in->names, frame)->origin);
        to = data_number(to, is_track ? 0 : f->colours->of[names_of(f->in->names, frame)->package]);
        out->n = (size_t)(to - out->p);
        last_rank = rank;
    }
}

/* ---- the header ---- */

struct header {
    const struct render_input *in;
    const struct measure *measures;
    uint32_t n_measures;
    struct str root;
    const struct data_nodes *nodes;
    uint32_t skip; /* as asked for */
    bool whole;    /* of a picture, not a piece */
};

/* The roles of values that the script asks for. */
static const char *role_of(const struct header *h, const struct measure *m)
{
    enum profile_role role = h->in->profile->values[m->value].role;

    if (m->waiting)
        return "waiting";
    return role == ROLE_WALL ? "wall" : role == ROLE_CPU ? "cpu" : role == ROLE_CALLS ? "calls" : "other";
}

static void put_label(const struct header *h, struct json *j, const struct measure *m)
{
    struct buf label = {0};

    heading_value(&label, h->in, m);
    json_put_string(j, "label", buf_view(&label));
    buf_part_end(j->b, &label);
}

static void put_values(const struct header *h, struct json *j)
{
    json_open_array(j, "values");
    for (uint32_t i = 0; i < h->n_measures; i++) {
        const struct measure *m = &h->measures[i];
        json_open_object(j, NULL);
        json_put_string(j, "name", measure_key(m->name));
        put_label(h, j, m);
        json_put_string(j, "unit", str_of(unit_word(m->unit)));
        json_put_string(j, "role", str_of(role_of(h, m)));
        json_put_u64(j, "scale", h->nodes->scale[i]);
        json_put_bool(j, "derived", h->nodes->derived[i]);
        json_close(j);
    }
    json_close(j);
}

static void only_filters(struct view_options *plain, const struct view_options *o)
{
    view_defaults(plain);
    plain->filters = o->filters;
}

/* As a query, without the question mark. */
static void put_link(struct json *j, const char *key, const struct view_options *o, struct str more)
{
    struct buf query = {0};

    view_link(&query, o, "&");
    if (more.n > 0) {
        buf_z(&query, query.n > 0 ? "&" : "?");
        buf_str(&query, more);
    }
    struct str text = buf_view(&query);
    if (text.n > 0)
        text = str_from(text, 1);
    json_put_string(j, key, text);
    buf_part_end(j->b, &query);
}

/* The options that the script changes by itself. */
static void put_options(const struct header *h, struct json *j)
{
    static const char *const NAMES[] = {"view", "value", "order", "palette", "names", "method"};
    struct buf text = {0};
    struct view_options filters;

    only_filters(&filters, h->in->view);
    json_open_object(j, "options");
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
        buf_clear(&text);
        key_text(key_by_name(str_of(NAMES[i])), h->in->view, &text);
        json_put_string(j, NAMES[i], buf_view(&text));
        j->b->failed = j->b->failed || text.failed;
    }
    put_link(j, "filters", &filters, STR(""));
    json_close(j);
    buf_free(&text);
}

/* Only what makes another tree: not how it is drawn. */
static void put_query(const struct header *h, struct json *j)
{
    const struct view_options *o = h->in->view;
    struct view_options plain;

    only_filters(&plain, o);
    memcpy(plain.value, o->value, sizeof(plain.value));
    memcpy(plain.app, o->app, sizeof(plain.app));
    plain.open = o->open;
    plain.from_ns = o->from_ns;
    plain.to_ns = o->to_ns;
    put_link(j, "query", &plain, h->in->compared);
}

static void put_preset(void *context, struct str name, struct str steps)
{
    struct buf key = {0};

    buf_str(&key, name);
    buf_char(&key, '\0');
    if (!key.failed)
        json_put_string(context, key.p, steps);
    ((struct json *)context)->b->failed |= key.failed;
    buf_free(&key);
}

/* A piece goes to a picture that has them already. */
static void put_presets(const struct header *h, struct json *j)
{
    json_open_object(j, "presets");
    if (h->whole)
        filter_presets_each(view_presets(h->in->view), put_preset, j);
    json_close(j);
}

/* What the tracks had before they were filtered. */
static void put_before(const struct header *h, struct json *j)
{
    if (h->in->profile->filtered == NULL)
        return;
    json_open_array(j, "before");
    for (uint32_t i = 0; i < h->n_measures; i++)
        json_put_u64(j, NULL, heading_before(h->in, h->nodes->data->tree, h->measures[i].name));
    json_close(j);
}

static void put_own(const struct header *h, struct json *j)
{
    struct buf own = {0};

    own_code_put(names_own(h->in->names), &own);
    json_put_string(j, "app", buf_view(&own));
    buf_part_end(j->b, &own);
}

static void put_header(const struct header *h, struct buf *b)
{
    const struct data_nodes *nodes = h->nodes;
    const struct tree *t = nodes->data->tree;
    struct json j = json_into(b);

    json_open_object(&j, NULL);
    json_put_string(&j, "format", STR("aflamed-flame"));
    json_put_u64(&j, "version", 2);
    json_put_string(&j, "root", h->root);
    put_values(h, &j);
    put_options(h, &j);
    put_query(h, &j);
    put_presets(h, &j);
    put_before(h, &j);
    json_put_u64(&j, "nodes", t->n - 1);
    json_put_u64(&j, "embedded", nodes->n);
    json_put_bool(&j, "side_by_side", t->side_by_side);
    json_put_bool(&j, "merged", h->in->view->tracks == TRACKS_MERGED);
    json_put_string(&j, "track", str_of(track_noun(track_kind_of_all(h->in->profile))->one));
    json_put_bool(&j, "compared", h->in->profile->compared != NULL);
    if (profile_sample_bytes(h->in->profile) > 0)
        json_put_u64(&j, "sampled_bytes", profile_sample_bytes(h->in->profile));
    put_own(h, &j);
    json_put_fixed(&j, "min", h->in->view->min_milli_px, 3);
    json_put_u64(&j, "node", nodes->first);
    json_put_u64(&j, "skip", h->skip);
    json_close(&j);
    buf_char(b, '\n');
}

/* Three characters; clean_json has made quotes of attributes harmless, which this is not. */
static void put_escaped(struct buf *b, struct str s)
{
    for (size_t run; s.n > 0; s.p += run, s.n -= run) {
        for (run = 0; run < s.n && s.p[run] != '<' && s.p[run] != '>' && s.p[run] != '&';)
            run++;
        buf_bytes(b, s.p, run);
        if (run < s.n) {
            buf_z(b, s.p[run] == '<' ? "&lt;" : s.p[run] == '>' ? "&gt;" : "&amp;");
            run++;
        }
    }
}

/* ---- within the budget ---- */

struct writer {
    struct data_nodes nodes;
    struct data_frames frames;
    struct header header;
    struct buf scratch; /* the header, before it is escaped */
    struct buf *out;
    size_t start, most_bytes;
    uint32_t least_nodes; /* of which the bytes do not matter */
    bool xml;

    /* The nodes that could be written, as many as the budget of nodes allows. */
    uint64_t *totals;
    uint32_t *places, n;
    struct heaviest_cut widest; /* takes all of them */
};

/* Writes with the cut as it is. *fits: within the budget, or with so few nodes as there must be; if not, what is
 * written breaks off. False: no memory. */
static bool attempt(struct writer *w, bool *fits)
{
    size_t end = w->most_bytes < SIZE_MAX / 2 ? w->start + w->most_bytes + 1 : SIZE_MAX;

    w->out->n = w->start;
    data_nodes_survey(&w->nodes);
    if (w->nodes.n <= w->least_nodes)
        end = SIZE_MAX;
    if (!data_frames_number(&w->frames))
        return false;
    buf_clear(&w->scratch);
    put_header(&w->header, &w->scratch);
    if (w->xml)
        put_escaped(w->out, buf_view(&w->scratch));
    else
        buf_str(w->out, buf_view(&w->scratch));
    data_frames_put(&w->frames, w->out, end, w->xml);
    buf_char(w->out, '\n');
    data_frames_put_numbers(&w->frames, w->out, end);
    data_nodes_put(&w->nodes, w->out, end);
    w->out->failed = w->out->failed || w->scratch.failed;
    *fits = w->out->n < end;
    return true;
}

static bool list_candidates(struct writer *w)
{
    struct arena *a = w->header.in->scratch;
    uint32_t n = w->nodes.end - w->nodes.first;

    w->totals = arena_array(a, n, sizeof(*w->totals));
    w->places = arena_array(a, n, sizeof(*w->places));
    if (w->totals == NULL || w->places == NULL)
        return false;
    data_nodes_list(&w->nodes, w->totals, w->places, &w->n);
    return true;
}

/* Keeps the heaviest k of the candidates, so that trying fewer is cheap. */
static void keep_heaviest(struct writer *w, uint32_t k)
{
    uint32_t kept = 0;

    w->widest = heaviest_cut(w->totals, w->places, w->n, k);
    for (uint32_t i = 0; i < w->n; i++)
        if (heaviest_takes(w->widest, w->totals[i], w->places[i])) {
            w->totals[kept] = w->totals[i];
            w->places[kept++] = w->places[i];
        }
    w->n = kept;
}

static bool attempt_with(struct writer *w, uint32_t k, bool *fits)
{
    w->nodes.cut = k == w->n ? w->widest : heaviest_cut(w->totals, w->places, w->n, k);
    return attempt(w, fits);
}

static bool find_fitting(struct writer *w)
{
    uint32_t fitting = 0, too_many = w->n + 1, k = w->n;
    bool fits;

    for (;; k = fitting + (too_many - fitting) / 2) {
        if (!attempt_with(w, k, &fits))
            return false;
        *(fits ? &fitting : &too_many) = k;
        if (too_many <= 1 || too_many - fitting <= 1 + too_many / CLOSE_ENOUGH)
            break;
    }
    return fits || attempt_with(w, fitting, &fits);
}

/* The column of waiting, if the tree was made without. False: the arena gives no more. */
static bool data_tree_add_waiting(struct data_tree *d)
{
    const struct tree *of = d->tree;
    const struct measure *m = &d->measures[d->n_measures - 1];
    uint32_t wall = d->column[m->value], cpu = d->column[m->minus];

    if (of->n_columns == d->n_measures)
        return true;
    struct tree *made = arena_alloc(d->in->scratch, sizeof(*made));
    uint64_t *self = arena_array(d->in->scratch, of->n, sizeof(*self));
    uint64_t *total = arena_array(d->in->scratch, of->n, sizeof(*total));
    if (made == NULL || self == NULL || total == NULL)
        return false;
    for (uint32_t place = of->n; place-- > 0;) {
        uint64_t all = tree_self(of, place, wall), less = tree_self(of, place, cpu);
        uint32_t row = of->row[place];
        self[row] = all > less ? all - less : 0;
        total[row] = number_add(total[row], self[row]);
        if (place > 0)
            total[of->row[of->parent[place]]] = number_add(total[of->row[of->parent[place]]], total[row]);
    }
    *made = *of;
    made->columns[made->n_columns++] = (struct tree_column){self, total, 1};
    d->tree = made;
    return true;
}

static bool write_within(struct writer *w, struct data_tree *d, uint32_t most_nodes)
{
    bool fits = false;

    if (w->nodes.end - w->nodes.first - 1 <= most_nodes && !attempt(w, &fits))
        return false;
    if (fits)
        return true;
    w->nodes.cut = HEAVIEST_ALL;
    if (!data_tree_add_waiting(d) || !list_candidates(w))
        return false;
    if (w->n > most_nodes)
        keep_heaviest(w, most_nodes);
    return find_fitting(w);
}

static bool run(struct writer *w, struct data_tree *d, uint32_t node, uint32_t skip, uint32_t most_nodes,
                struct diag *diag)
{
    struct buf root = {0};

    heading_root(&root, d->in, d->tree, SIZE_MAX / 8);
    w->header = (struct header){.in = d->in,
                                .measures = d->measures,
                                .n_measures = d->n_measures,
                                .root = buf_view(&root),
                                .nodes = &w->nodes,
                                .skip = skip,
                                .whole = w->xml};
    w->start = w->out->n;
    w->widest = HEAVIEST_ALL;
    struct package_colours colours;
    bool ok = package_colours_find(&colours, d->in->names, d->tree, d->in->scratch) &&
              data_frames_init(&w->frames, d->in, &colours) &&
              data_nodes_init(&w->nodes, d, &w->frames, node, skip) && write_within(w, d, most_nodes);
    if (!ok)
        fail_arena(d->in->scratch, diag);
    else if (w->out->failed || root.failed)
        ok = fail_buf(w->out, diag);
    data_frames_free(&w->frames);
    buf_free(&w->scratch);
    buf_free(&root);
    return ok;
}

bool data_put(struct data_tree *d, struct buf *out, uint32_t *embedded, struct diag *diag)
{
    const struct view_options *o = d->in->view;
    struct writer w = {.out = out, .most_bytes = (size_t)o->embed_bytes, .xml = true};

    bool ok = run(&w, d, 0, 0, o->embed_nodes, diag);
    *embedded = w.nodes.n;
    return ok;
}

/* ---- a piece ---- */

/* Of the whole tree as much as a picture carries, if that is more than a piece has. With a child at least, however long the
 * names are: who asks for one piece after the other gets further. */
bool data_render_piece(const struct render_input *in, struct buf *out, struct diag *diag)
{
    const struct view_options *o = in->view;
    struct writer w = {.out = out, .most_bytes = PIECE_BYTES_MAX, .least_nodes = 1, .xml = false};
    struct data_tree d;

    if (!data_tree_open(&d, in, diag))
        return false;
    if (o->node >= d.tree->n)
        return diag_set(diag, DIAG_NOT_FOUND, "no such node", "Ask for one that a stub of the picture names.",
                        "node=%u: the tree has %u nodes, and the first is node 0.", o->node, d.tree->n);
    uint32_t most = PIECE_BYTES_MAX / RECORD_BYTES_LEAST;
    if (o->node == 0 && o->skip == 0) {
        w.most_bytes = o->embed_bytes > w.most_bytes ? (size_t)o->embed_bytes : w.most_bytes;
        most = o->embed_nodes > most ? o->embed_nodes : most;
    }
    return run(&w, &d, o->node, o->skip, most, diag);
}
