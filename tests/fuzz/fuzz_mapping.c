/* A mapping.txt: in one piece and in several it says the same of the names that are asked for. */
#include <stdlib.h>
#include <string.h>

#include "parser/mapping/mapping_reader.h"
#include "tests/support/fuzzing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ARENA_BYTES = 64 << 20 };

static const char *const CLASSES[] = {"a.a", "a.b", "b"}, *const METHODS[] = {"a", "b", "<init>"},
                         *const SIGNATURES[] = {"", "()V", "(La/a;[I)La/b;", "(La"};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

struct reading {
    struct arena arena;
    struct mapping *mapping;
    bool good;
    char title[96];
};

static void begin(struct reading *r)
{
    arena_init(&r->arena, ARENA_BYTES);
    r->mapping = mapping_new(&r->arena, (struct hash_seed){1, 2});
    fuzzing_check(r->mapping != NULL);
    for (size_t i = 0; i < COUNT_OF(CLASSES) * COUNT_OF(METHODS) * COUNT_OF(SIGNATURES); i++)
        fuzzing_check(mapping_want(r->mapping, str_of(CLASSES[i % COUNT_OF(CLASSES)]),
                                   str_of(METHODS[i / COUNT_OF(CLASSES) % COUNT_OF(METHODS)]),
                                   str_of(SIGNATURES[i / COUNT_OF(CLASSES) / COUNT_OF(METHODS)])));
}

static void read_cut(struct reading *r, const uint8_t *data, size_t size, const size_t *cuts, size_t n_cuts)
{
    struct mapping_reader *reader = mapping_reader_new(r->mapping);
    size_t from = 0;

    if (reader == NULL)
        abort();
    r->good = true;
    for (size_t i = 0; r->good && i <= n_cuts; i++) {
        size_t to = i < n_cuts ? cuts[i] : size;
        struct str piece = fuzzing_copy(data + from, to - from);
        r->good = mapping_reader_feed(reader, piece.p, piece.n);
        free((void *)(uintptr_t)piece.p);
        from = to;
    }
    r->good = r->good && mapping_reader_finish(reader);
    fuzzing_check(r->good || mapping_reader_diag(reader)->kind != DIAG_NONE);
    memcpy(r->title, mapping_reader_diag(reader)->title, sizeof(r->title));
    mapping_reader_free(reader);
}

static void check_same(struct reading *one, struct reading *other, const struct mapping_question *q)
{
    struct mapping_answer a = {.found = 0}, b = {.found = 0};

    fuzzing_check(mapping_resolve(one->mapping, q, &a) && mapping_resolve(other->mapping, q, &b));
    fuzzing_check(a.found == b.found && a.n_frames == b.n_frames && a.n_candidates == b.n_candidates);
    fuzzing_check(a.n_frames > 0 || a.outline);
    for (size_t i = 0; a.frames != NULL && b.frames != NULL && i < a.n_frames; i++)
        fuzzing_check(str_eq(a.frames[i].scope, b.frames[i].scope) &&
                      str_eq(a.frames[i].name, b.frames[i].name) &&
                      str_eq(a.frames[i].signature, b.frames[i].signature) &&
                      str_eq(a.frames[i].file, b.frames[i].file));
}

static void ask_all(struct reading *one, struct reading *other)
{
    for (size_t i = 0; i < COUNT_OF(CLASSES) * COUNT_OF(METHODS) * COUNT_OF(SIGNATURES); i++) {
        size_t rest = i;
        struct mapping_question q;
        q.scope = str_of(CLASSES[rest % COUNT_OF(CLASSES)]);
        rest /= COUNT_OF(CLASSES);
        q.name = str_of(METHODS[rest % COUNT_OF(METHODS)]);
        q.signature = str_of(SIGNATURES[rest / COUNT_OF(METHODS)]);
        check_same(one, other, &q);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct reading whole, pieces;
    size_t cuts[FUZZING_CUTS];

    fuzzing_cut_points(data, size, cuts);
    begin(&whole);
    begin(&pieces);
    read_cut(&whole, data, size, NULL, 0);
    read_cut(&pieces, data, size, cuts, FUZZING_CUTS);
    fuzzing_check(whole.good == pieces.good && strcmp(whole.title, pieces.title) == 0);
    if (whole.good) {
        fuzzing_check(whole.mapping->ignored == pieces.mapping->ignored &&
                      whole.mapping->cut == pieces.mapping->cut);
        ask_all(&whole, &pieces);
    }
    arena_free(&whole.arena);
    arena_free(&pieces.arena);
    return 0;
}
