#include "render/svg/data_frames.h"

#include "core/clean.h"
#include "core/put.h"
#include "profile/frame/origin.h"
#include "render/svg/data_number.h"

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

bool data_frames_init(struct data_frames *f, const struct render_input *in,
                      const struct package_colours *colours)
{
    size_t n = (size_t)in->profile->n_frames + in->profile->n_tracks;

    *f = (struct data_frames){.in = in, .colours = colours};
    return set_init(&f->frames, n, in->scratch) && set_init(&f->ranks, n, in->scratch);
}

void data_frames_free(struct data_frames *f)
{
    buf_free(&f->text);
    buf_free(&f->last_text);
}

void data_frames_clear(struct data_frames *f)
{
    memset(f->frames.bits, 0, f->frames.n_words * sizeof(*f->frames.bits));
    memset(f->ranks.bits, 0, f->ranks.n_words * sizeof(*f->ranks.bits));
    f->n = 0;
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

bool data_frames_number(struct data_frames *f)
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
};

static struct piece piece_of(const struct data_frames *f, frame_id frame)
{
    uint32_t n_frames = f->in->profile->n_frames;

    if (frame >= n_frames)
        return (struct piece){STR(""), names_track(f->in->names, frame - n_frames), STR(""), false};
    const struct names_frame *n = names_of(f->in->names, frame);
    struct frame_parts parts = names_parts(f->in->names, frame);
    return (struct piece){parts.scope, parts.scope.n + parts.name.n > 0 ? parts.name : n->text,
                          parts.signature, n->plain && n->full.p == n->text.p};
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

static char *put_escaped(char *to, struct str s)
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
    struct str text = buf_view(&f->text);
    size_t prefix = prefix_of(text, buf_view(&f->last_text));
    struct str rest = {text.p + prefix, text.n - prefix};
    bool escape = xml && !piece.plain;
    if (f->text.failed || !buf_reserve(out, 1 + rest.n * (escape ? ESCAPED_BYTES_MAX : 1))) {
        out->failed = true;
        return;
    }
    f->prefix[line] = (uint32_t)prefix;
    char *to = out->p + out->n;
    to = escape ? put_escaped(to, rest) : put_str(to, rest);
    *to++ = '\n';
    out->n = (size_t)(to - out->p);
    struct buf last = f->last_text;
    f->last_text = f->text;
    f->text = last;
}

void data_frames_put(struct data_frames *f, struct buf *out, size_t end, bool xml)
{
    buf_clear(&f->last_text);
    for (uint32_t line = 0; line < f->n && out->n < end && !out->failed; line++)
        put_line(f, out, line, xml);
}

void data_frames_put_numbers(const struct data_frames *f, struct buf *out, size_t end)
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
