#include "tests/support/profile_dump.h"

#include "tests/support/test_input.h"

#include <stdlib.h>

enum { ARENA_BYTES = 64 << 20 };

static void put_number(struct buf *b, uint64_t value)
{
    buf_char(b, ' ');
    buf_u64(b, value);
}

/* Quoted by its length, so that no text can look like another. */
static void put_text(struct buf *b, struct str s)
{
    put_number(b, s.n);
    buf_char(b, ':');
    buf_str(b, s);
}

static void put_names(struct buf *b, const struct profile *p)
{
    put_text(b, p->format);
    put_text(b, p->format_label);
    for (uint32_t i = 0; i < p->n_values; i++) {
        buf_z(b, "\nvalue");
        put_text(b, p->values[i].name);
        put_text(b, p->values[i].label);
        put_number(b, p->values[i].unit);
        put_number(b, p->values[i].role);
    }
    for (uint32_t i = 0; i < p->n_strings; i++) {
        buf_z(b, "\nstring");
        put_text(b, p->strings[i]);
    }
    for (uint32_t i = 0; i < p->n_frames; i++) {
        const struct profile_frame *f = &p->frames[i];
        buf_z(b, "\nframe");
        put_number(b, f->scope);
        put_number(b, f->name);
        put_number(b, f->signature);
        put_number(b, f->file);
        put_number(b, f->module);
    }
}

static void put_nodes(struct buf *b, const struct profile *p)
{
    for (uint32_t i = 0; i < p->n_tracks; i++) {
        const struct profile_track *t = &p->tracks[i];
        buf_z(b, "\ntrack");
        put_number(b, t->id);
        put_number(b, t->name);
        put_number(b, t->first);
        put_number(b, t->count);
        put_number(b, t->records);
        put_number(b, t->calls);
    }
    for (uint32_t i = 0; i < p->n_nodes; i++) {
        buf_z(b, "\nnode");
        put_number(b, p->node_frame[i]);
        put_number(b, p->node_parent[i]);
        put_number(b, p->node_flags[i]);
        for (uint32_t v = 0; v < p->n_values; v++) {
            put_number(b, profile_self(p, i, v));
            put_number(b, profile_total(p, i, v));
        }
    }
}

void profile_dump(struct buf *b, const struct profile *p)
{
    buf_z(b, "profile");
    put_names(b, p);
    put_nodes(b, p);
    for (uint32_t i = 0; i < p->n_warnings; i++) {
        const struct profile_warning *w = &p->warnings[i];
        buf_z(b, "\nwarning");
        put_text(b, w->code);
        put_number(b, w->count);
        if (w->has_offset)
            put_number(b, w->offset);
        put_text(b, w->text);
    }
    for (uint32_t i = 0; i < p->n_facts; i++) {
        buf_z(b, "\nfact");
        put_text(b, p->facts[i].name);
        put_text(b, p->facts[i].value);
    }
    buf_char(b, '\n');
}

void profile_dump_diag(struct buf *b, const struct diag *d)
{
    buf_z(b, "diag");
    put_number(b, d->kind);
    if (d->has_offset)
        put_number(b, d->offset);
    put_text(b, str_of(d->title));
    put_text(b, str_of(d->detail));
    put_text(b, str_of(d->hint));
    buf_char(b, '\n');
}

static void put_answer(struct buf *b, const struct reader *r, const struct profile *p)
{
    if (p != NULL)
        profile_dump(b, p);
    else
        profile_dump_diag(b, &r->diag);
}

void profile_dump_read(struct buf *b, struct reader *r, struct str bytes)
{
    put_answer(b, r, test_input_read(r, bytes));
}

void profile_dump_cut(struct buf *b, const struct reader_limits *limits, const void *p, size_t n,
                      const size_t *cuts, size_t n_cuts)
{
    struct test_input t = {.bytes = {p, n}, .cuts = cuts, .n_cuts = n_cuts};
    const struct source_input in = test_input_of(&t);
    struct arena arena;
    struct reader r;

    arena_init(&arena, ARENA_BYTES);
    if (!reader_init(&r, &arena, limits, (struct hash_seed){1, 2}))
        abort();
    put_answer(b, &r, reader_read(&r, &in));
    arena_free(&arena);
}
