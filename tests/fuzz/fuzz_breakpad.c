/* Breakpad's symbol files: answers are of addresses that were asked for, each at most once, and no text
 * lies outside of the file. */
#include <stdlib.h>

#include "parser/symbols/breakpad.h"
#include "tests/support/fuzzing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ARENA_BYTES = 64 << 20, ADDRESSES = 64 };

struct answers {
    struct str bytes;
    bool known[ADDRESSES];
    char sum; /* of all texts: each byte is looked at */
};

static void look_at(struct answers *a, struct str text)
{
    fuzzing_check(text.n <= a->bytes.n);
    for (size_t i = 0; i < text.n; i++)
        a->sum = (char)(a->sum ^ text.p[i]);
}

static bool answer(void *context, size_t i, const struct symbols_name *names, uint32_t n)
{
    struct answers *a = context;

    fuzzing_check(i < ADDRESSES && !a->known[i] && n > 0 && n <= SYMBOLS_NAMES_MAX);
    a->known[i] = true;
    for (uint32_t k = 0; k < n; k++) {
        look_at(a, names[k].function);
        look_at(a, names[k].file);
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str bytes = fuzzing_copy(data, size);
    struct answers answers = {.bytes = bytes};
    uint64_t addresses[ADDRESSES];
    struct arena arena;
    struct breakpad b;

    for (uint64_t i = 0; i < ADDRESSES; i++)
        addresses[i] = i < ADDRESSES / 2 ? 0x1000 + i * 8 : UINT64_MAX - (ADDRESSES - i) * 0x1000;
    arena_init(&arena, ARENA_BYTES);
    if (breakpad_detect(bytes) && breakpad_open(&b, bytes, &arena)) {
        (void)breakpad_is_of(&b, STR("0102030405060708090a0b0c0d0e0f1011121314"));
        breakpad_answer(&b, addresses, ADDRESSES, answer, &answers);
    }
    arena_free(&arena);
    free((void *)(uintptr_t)bytes.p);
    return 0;
}
