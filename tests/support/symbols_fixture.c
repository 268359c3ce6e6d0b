#include "tests/support/symbols_fixture.h"

#include <stdlib.h>
#include <string.h>

#include "profile/build/builder.h"

enum { ARENA_BYTES = 64 << 20 };

static void need(bool ok)
{
    if (!ok)
        abort();
}

static const struct profile *make_profile(struct arena *arena)
{
    struct builder *b = builder_new(arena, (struct hash_seed){1, 2});
    const struct profile_value samples = {STR("samples"), STR("samples"), UNIT_COUNT, ROLE_SAMPLES};

    need(b != NULL && builder_values(b, NULL, 0, &samples, 1));
    builder_keep_addresses(b);
    uint32_t track = builder_track(b, 1, builder_string(b, STR("all")));
    for (uint32_t i = 0; i < 2 * SYMBOLS_FIXTURE_ADDRESSES; i++) {
        bool known = i < SYMBOLS_FIXTURE_ADDRESSES;
        struct profile_frame frame = {
            .name = builder_string(b, STR("unknown")),
            .module = builder_string(b, STR("/lib/" SYMBOLS_FIXTURE_NAME)),
            .build_id = builder_string(b, known ? STR(SYMBOLS_FIXTURE_BUILD_ID) : STR("")),
            .kind = FRAME_KIND_NATIVE,
            .address =
                SYMBOLS_FIXTURE_FIRST + (uint64_t)(i % SYMBOLS_FIXTURE_ADDRESSES) * SYMBOLS_FIXTURE_STEP,
            .nameless = true,
            .load_bias = i % 2 == 0 ? 0 : PROFILE_BIAS_KNOWN,
            .map_offset = 0x1000};
        frame_id id = builder_frame(b, &frame);
        need(id != FRAME_NONE &&
             builder_sample(b, track, builder_stack(b, track, NODE_NONE, &id, 1), (const uint64_t[]){1}));
    }
    const struct profile *p = builder_finish(b, STR("test"), STR("test"));
    need(p != NULL);
    return p;
}

static void make_request(struct symbols_fixture *f)
{
    const struct symbols *s = f->symbols;

    f->head = (struct symbol_head){
        .memory_bytes = ARENA_BYTES, .n_modules = s->n_modules, .n_questions = s->n_questions, .n_files = 1};
    for (uint32_t i = 0; i < s->n_modules; i++) {
        struct symbol_module *m = &f->modules[i];
        struct str build_id = profile_string(s->profile, s->modules[i].build_id);
        m->first = s->modules[i].first;
        m->n = s->modules[i].n;
        memcpy(m->name, SYMBOLS_FIXTURE_NAME, sizeof(SYMBOLS_FIXTURE_NAME));
        if (build_id.n > 0)
            memcpy(m->build_id, build_id.p, build_id.n);
    }
    for (uint32_t i = 0; i < s->n_questions; i++) {
        const struct profile_frame *frame = &s->profile->frames[s->questions[i].frame];
        f->questions[i] = (struct symbol_question){frame->address, frame->load_bias, frame->map_offset};
    }
    f->request = (struct symbol_request){&f->head, f->modules, f->questions, &f->file};
}

void symbols_fixture_begin(struct symbols_fixture *f)
{
    memset(f, 0, sizeof(*f));
    arena_init(&f->arena, ARENA_BYTES);
    f->profile = make_profile(&f->arena);
    f->symbols = symbols_new(f->profile, &f->arena, (struct hash_seed){3, 4});
    need(f->symbols != NULL && f->symbols->n_modules == 2);
    make_request(f);
}

void symbols_fixture_end(struct symbols_fixture *f)
{
    buf_free(&f->out);
    arena_free(&f->arena);
}

/* `out` is to hold all of the answer. */
static bool keep(struct symbol_reading *r)
{
    return !r->out->failed;
}

void symbols_fixture_read(struct symbols_fixture *f, char *bytes, size_t n)
{
    struct symbol_reading r = {
        .request = &f->request, .name = STR(SYMBOLS_FIXTURE_NAME), .out = &f->out, .flush = keep};

    buf_z(&f->out, "file\t0\n");
    symbol_read(&r, bytes, n);
    buf_z(&f->out, "end\n");
}
