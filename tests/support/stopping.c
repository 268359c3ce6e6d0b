#include "tests/support/stopping.h"

#include "tests/support/random.h"
#include "tests/support/test_input.h"

struct stopping {
    unsigned asked;
    bool made; /* there is a profile */
    bool left; /* what is said is that nobody waits */
};

/* Reads the bytes. The reading is told to end at the left_at-th question. */
static struct stopping read_until(struct str bytes, unsigned left_at)
{
    static const struct reader_limits LIMITS = {.methods = 1000000,
                                                .threads = 100000,
                                                .line_bytes = 1 << 20,
                                                .name_bytes = 4096,
                                                .unpacked = {.bytes = UINT64_C(1) << 30, .ratio = 200}};
    _Atomic unsigned asked = 0;
    const struct stop stop = {.asked = &asked, .left_at = left_at};
    struct stopping s = {0};
    struct arena arena;
    struct reader r;

    arena_init(&arena, (size_t)512 << 20);
    arena.stop = &stop;
    if (reader_init(&r, &arena, &LIMITS, (struct hash_seed){1, 2})) {
        s.made = test_input_read(&r, bytes) != NULL;
        s.left = stop_said_left(&r.diag);
    } else {
        s.left = arena.failure == ARENA_STOPPED;
    }
    s.asked = asked;
    arena_free(&arena);
    return s;
}

const char *stopping_tried(struct str bytes, unsigned times, uint64_t random, unsigned *asked)
{
    const struct stopping whole = read_until(bytes, UINT32_MAX);

    *asked = whole.asked;
    for (unsigned i = 0; i < times; i++) {
        unsigned left_at = 1 + (unsigned)(random_next(&random) % whole.asked);
        const struct stopping s = read_until(bytes, left_at);
        if (s.asked > left_at + STOPPING_ASKED_MAX)
            return "it goes on behind its end";
        if (s.made)
            return "it makes a profile behind its end";
        if (whole.made && !s.left)
            return "it does not say that it was ended";
    }
    return NULL;
}
