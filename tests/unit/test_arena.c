/* The arena: alignment, the ceiling, failures that are sticky, arrays that grow across the block sizes. */
#include "tests/support/unit.h"

#include "core/arena.h"
#include "core/sanitizer.h"

#include <stdalign.h>
#include <string.h>

#include "core/system/mapped_file.h"
#include "tests/support/scratch.h"

enum { MIB = 1 << 20 };

static bool is_zero(const unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] != 0)
            return false;
    return true;
}

TEST(zeroed_aligned_apart)
{
    struct arena a;
    unsigned char *before = NULL;
    size_t before_bytes = 0;

    arena_init(&a, 64 * MIB);
    for (size_t n = 0; n < 3000; n += 7) {
        unsigned char *p = arena_alloc(&a, n);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % alignof(max_align_t), 0);
        assert_true(is_zero(p, n));
        memset(p, 0xaa, n);
        if (before != NULL)
            assert_true(p >= before + before_bytes || p + n <= before);
        before = p;
        before_bytes = n;
    }
    arena_free(&a);
    assert_int_equal(a.used_bytes, 0);
}

TEST(larger_than_any_block)
{
    struct arena a;

    arena_init(&a, 64 * MIB);
    unsigned char *p = arena_alloc(&a, 5 * MIB);
    assert_non_null(p);
    assert_true(is_zero(p, 5 * MIB));
    assert_true(a.used_bytes >= 5 * MIB);
    assert_true(a.used_bytes <= 6 * MIB); /* whole huge pages */
    assert_non_null(arena_alloc(&a, 1));
    arena_free(&a);
}

TEST(the_ceiling)
{
    struct arena a;
    size_t given = 0;

    arena_init(&a, MIB);
    while (arena_alloc(&a, 1000) != NULL)
        given += 1000;
    assert_int_equal(a.failure, ARENA_LIMIT);
    assert_true(a.used_bytes <= MIB);
    assert_true(given > MIB / 4);
    arena_free(&a);
    assert_int_equal(a.failure, ARENA_OK);
    assert_int_equal(a.limit_bytes, MIB);
    assert_non_null(arena_alloc(&a, 1000)); /* as new */
    arena_free(&a);
}

/* A large array grows as far as the ceiling lets it, in few steps. */
TEST(an_array_up_to_the_ceiling)
{
    struct arena a;
    uint32_t *array = NULL;
    size_t capacity = 0, n = 0, steps = 0, at_first = 0;

    arena_init(&a, MIB);
    for (; ARENA_ROOM(&a, array, capacity, n + 1); n++) {
        steps += capacity != at_first;
        at_first = capacity;
        array[n] = (uint32_t)n;
    }
    assert_int_equal(a.failure, ARENA_LIMIT);
    assert_true(a.used_bytes <= MIB);
    assert_true(n * sizeof(*array) > (MIB - MIB / 8));
    assert_true(steps < 64);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(array[i], i);
    arena_free(&a);
}

TEST(nothing_is_allowed)
{
    struct arena a;
    size_t capacity = 0;

    arena_init(&a, 0);
    assert_null(arena_alloc(&a, 0));
    assert_null(arena_copy(&a, "x", 1));
    assert_null(arena_grow(&a, NULL, &capacity, 1, 1));
    assert_int_equal(capacity, 0);
    assert_int_equal(a.failure, ARENA_LIMIT);
    arena_free(&a);
}

TEST(sizes_that_overflow)
{
    struct arena a;
    size_t capacity = 0;

    arena_init(&a, 16 * MIB);
    assert_null(arena_alloc(&a, SIZE_MAX));
    assert_null(arena_alloc(&a, SIZE_MAX - 14));
    assert_null(arena_array(&a, SIZE_MAX / 2, 4));
    assert_null(arena_array(&a, (SIZE_MAX >> 3) + 1, 8)); /* the product wraps to 0 */
    assert_null(arena_grow(&a, NULL, &capacity, SIZE_MAX / 4, 16));
    assert_null(arena_grow(&a, NULL, &capacity, SIZE_MAX, 1));
    assert_int_equal(a.failure, ARENA_LIMIT);
    assert_non_null(arena_array(&a, 0, 16));
    assert_non_null(arena_array(&a, 16, 0));
    arena_free(&a);
}

TEST(the_system_has_no_more)
{
    struct arena a;

    arena_init(&a, SIZE_MAX / 2);
    assert_null(arena_alloc(&a, SIZE_MAX / 8));
    assert_int_equal(a.failure, ARENA_NO_MEMORY);
    assert_null(arena_alloc(&a, SIZE_MAX)); /* the first failure stays */
    assert_int_equal(a.failure, ARENA_NO_MEMORY);
    assert_int_equal(a.used_bytes, 0);
    arena_free(&a);
}

/* Three arrays grow in turn, from bytes to megabytes, and keep what they hold. */
TEST(arrays_grow)
{
    enum { ARRAYS = 3, ELEMENTS = 300000 };
    struct arena a;
    uint32_t *arrays[ARRAYS] = {NULL};
    size_t capacity[ARRAYS] = {0};

    arena_init(&a, 64 * MIB);
    for (uint32_t i = 0; i < ELEMENTS; i++)
        for (uint32_t k = 0; k < ARRAYS; k++) {
            arrays[k] = arena_grow(&a, arrays[k], &capacity[k], i + 1, sizeof(uint32_t));
            assert_non_null(arrays[k]);
            arrays[k][i] = i * ARRAYS + k;
        }
    for (uint32_t i = 0; i < ELEMENTS; i++)
        for (uint32_t k = 0; k < ARRAYS; k++)
            assert_int_equal(arrays[k][i], i * ARRAYS + k);
    for (uint32_t k = 0; k < ARRAYS; k++)
        assert_in_range(capacity[k], ELEMENTS, ELEMENTS * 2);
    arena_free(&a);
}

TEST(growth_that_is_not_needed)
{
    struct arena a;
    size_t capacity = 0;

    arena_init(&a, MIB);
    char *p = arena_grow(&a, NULL, &capacity, 0, 1);
    assert_non_null(p);
    assert_true(capacity >= 1);
    size_t before = capacity;
    assert_ptr_equal(arena_grow(&a, p, &capacity, before, 1), p);
    assert_int_equal(capacity, before);
    arena_free(&a);
}

TEST(failed_growth_keeps_the_array)
{
    static const size_t FIRST[] = {100, 100000}; /* within a block, and with a block of its own */

    for (size_t i = 0; i < 2; i++) {
        struct arena a;
        size_t capacity = 0;
        arena_init(&a, MIB);
        char *p = arena_grow(&a, NULL, &capacity, FIRST[i], 1);
        assert_non_null(p);
        memset(p, 'x', capacity);
        size_t before = capacity;
        assert_null(arena_grow(&a, p, &capacity, 2 * MIB, 1));
        assert_int_equal(capacity, before);
        for (size_t k = 0; k < capacity; k++)
            assert_int_equal(p[k], 'x');
        assert_int_equal(a.failure, ARENA_LIMIT);
        arena_free(&a);
    }
}

/* Released memory counts no more: far more than the ceiling goes through one arena. */
TEST(released_arrays_come_back)
{
    struct arena a;

    arena_init(&a, 4 * MIB);
    for (size_t i = 0; i < 100; i++) {
        size_t first = 0, second = 0;
        char *p = arena_grow(&a, NULL, &first, MIB, 1);
        char *q = arena_grow(&a, NULL, &second, MIB, 1);
        assert_non_null(p);
        assert_non_null(q);
        arena_release(&a, i % 2 ? p : q, i % 2 ? first : second, 1); /* both ends of the list */
        arena_release(&a, i % 2 ? q : p, i % 2 ? second : first, 1);
    }
    assert_int_equal(a.used_bytes, 0);
    arena_release(&a, NULL, 0, 8);
    arena_free(&a);
}

TEST(release_in_the_middle)
{
    enum { ARRAYS = 5 };
    struct arena a;
    unsigned char *arrays[ARRAYS];
    size_t capacity[ARRAYS] = {0};

    arena_init(&a, 64 * MIB);
    for (size_t i = 0; i < ARRAYS; i++) {
        arrays[i] = arena_grow(&a, NULL, &capacity[i], 50000, 1);
        assert_non_null(arrays[i]);
        memset(arrays[i], (int)i, capacity[i]);
    }
    arena_release(&a, arrays[2], capacity[2], 1);
    for (size_t i = 0; i < ARRAYS; i++) {
        if (i == 2)
            continue;
        arrays[i] = arena_grow(&a, arrays[i], &capacity[i], 200000, 1);
        assert_non_null(arrays[i]);
        for (size_t k = 0; k < 50000; k++)
            assert_int_equal(arrays[i][k], i);
    }
    arena_free(&a);
}

/* Two arrays outgrow the ceiling in turn, beside one that may not: they go on in files, keep what they hold, and leave no
 * descriptor. */
TEST(arrays_in_files)
{
    enum { ELEMENTS = 700000 };
    struct scratch scratch = scratch_make();
    _Atomic uint64_t taken = 0;
    struct mapped_files files = {scratch.path, 16 * MIB, &taken};
    struct arena a;
    uint32_t *in_file[2] = {NULL}, *in_memory = NULL;
    size_t capacity[2] = {0}, memory_capacity = 0, before = scratch_descriptors();

    arena_init(&a, 4 * MIB);
    a.files = (struct arena_files){mapped_file_grow, mapped_file_free, &files};
    for (uint32_t i = 0; i < ELEMENTS; i++) {
        for (uint32_t k = 0; k < 2; k++) {
            in_file[k] = arena_grow_file(&a, in_file[k], &capacity[k], i + 1, sizeof(uint32_t));
            assert_non_null(in_file[k]);
            in_file[k][i] = 2 * i + k;
        }
        if (i < ELEMENTS / 2) {
            in_memory = arena_grow(&a, in_memory, &memory_capacity, i + 1, sizeof(uint32_t));
            assert_non_null(in_memory);
            in_memory[i] = i;
        }
    }
    assert_int_equal(scratch_descriptors(), before + 2);
    assert_in_range(taken, 2 * ELEMENTS * sizeof(uint32_t), 16 * MIB);
    assert_true(a.used_bytes <= 4 * MIB);
    for (uint32_t i = 0; i < ELEMENTS; i++) {
        assert_int_equal(in_file[0][i], 2 * i);
        assert_int_equal(in_file[1][i], 2 * i + 1);
        if (i < ELEMENTS / 2)
            assert_int_equal(in_memory[i], i);
    }
    arena_release(&a, in_file[0], capacity[0], sizeof(uint32_t));
    assert_int_equal(scratch_descriptors(), before + 1);
    arena_free(&a);
    assert_int_equal(scratch_descriptors(), before);
    assert_int_equal(taken, 0);
    assert_non_null(a.files.grow);
    scratch_remove(&scratch);
}

/* Without a folder that can be written to, and beyond the ceiling of files, an array fails as it does in memory. */
TEST(no_room_in_files)
{
    struct scratch scratch = scratch_make();
    _Atomic uint64_t taken = 0;
    const struct {
        const char *folder;
        uint64_t limit_bytes;
        size_t most;
    } cases[] = {{NULL, 64 * MIB, MIB},
                 {"/nowhere", 64 * MIB, MIB},
                 {scratch.path, 0, MIB},
                 {scratch.path, MIB / 2, MIB},
                 {scratch.path, 2 * MIB, 2 * MIB}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct arena a;
        char *p = NULL;
        size_t capacity = 0, n = 0, before = scratch_descriptors();
        arena_init(&a, MIB);
        struct mapped_files files = {cases[i].folder, cases[i].limit_bytes, &taken};
        if (cases[i].folder != NULL)
            a.files = (struct arena_files){mapped_file_grow, mapped_file_free, &files};
        for (; ARENA_ROOM_FILE(&a, p, capacity, n + 1); n++)
            p[n] = (char)n;
        assert_in_range(n, cases[i].most - cases[i].most / 8, cases[i].most);
        assert_int_equal(a.failure, ARENA_LIMIT);
        for (size_t k = 0; k < n; k++)
            assert_int_equal(p[k], (char)k);
        arena_free(&a);
        assert_int_equal(scratch_descriptors(), before);
        assert_int_equal(taken, 0);
    }
    scratch_remove(&scratch);
}

static size_t growths;

static int grow_counted(void *place, int fd, void **p, size_t old_bytes, size_t bytes)
{
    growths++;
    return mapped_file_grow(place, fd, p, old_bytes, bytes);
}

/* Arenas that share the counter share the bound, which is neared in few steps, and what one gives back another may take. */
TEST(files_have_one_bound)
{
    struct scratch scratch = scratch_make();
    _Atomic uint64_t taken = 0;
    struct mapped_files files = {scratch.path, 4 * MIB, &taken};
    struct arena arenas[2];
    char *p[2] = {NULL};
    size_t capacity[2] = {0};

    for (size_t i = 0; i < 2; i++) {
        arena_init(&arenas[i], MIB / 4);
        arenas[i].files = (struct arena_files){grow_counted, mapped_file_free, &files};
        assert_true(ARENA_ROOM_FILE(&arenas[i], p[i], capacity[i], MIB));
    }
    for (char *more = p[1]; more != NULL;
         more = arena_grow_file(&arenas[1], p[1], &capacity[1], capacity[1] + 1, 1)) {
        p[1] = more;
        memset(more, 1, capacity[1]);
    }
    assert_in_range(taken, 4 * MIB - MIB / 8, 4 * MIB);
    assert_true(growths < 64);
    arena_free(&arenas[0]);
    assert_in_range(taken, 3 * MIB - MIB / 8, 3 * MIB);
    assert_true(ARENA_ROOM_FILE(&arenas[1], p[1], capacity[1], 3 * MIB + MIB / 2));
    arena_free(&arenas[1]);
    scratch_remove(&scratch);
}

TEST(copies)
{
    struct arena a;
    char text[] = "a\0b";

    arena_init(&a, MIB);
    char *copy = arena_copy(&a, text, sizeof(text));
    text[0] = 'x';
    assert_memory_equal(copy, "a\0b", 4);
    assert_non_null(arena_copy(&a, NULL, 0));
    arena_free(&a);
}

TEST(what_is_not_used_goes_back)
{
    struct arena a;
    size_t used = 0;

    arena_init(&a, SIZE_MAX);
    arena_trim(&a); /* of nothing */
    assert_int_equal(a.used_bytes, 0);
    while (a.used_bytes < 1 << 20) /* some blocks, the last of which has hardly been begun */
        memset(arena_alloc(&a, 1000), 7, 1000), used += 1000;
    unsigned char *last = arena_alloc(&a, 1000);
    size_t before = a.used_bytes;
    arena_trim(&a);
    arena_trim(&a);
#if SANITIZED
    assert_int_equal(a.used_bytes, before);
#else
    assert_true(a.used_bytes < before / 4 * 3 && a.used_bytes > used);
#endif
    memset(last, 9, 1000);
    for (int i = 0; i < 1000; i++) { /* it can still grow */
        unsigned char *p = arena_alloc(&a, 100);
        assert_non_null(p);
        for (int k = 0; k < 100; k++)
            assert_int_equal(p[k], 0);
        memset(p, 5, 100);
    }
    for (int i = 0; i < 1000; i++)
        assert_int_equal(last[i], 9);
    arena_free(&a);
    assert_int_equal(a.used_bytes, 0);
}

TEST(free_twice)
{
    struct arena a;

    arena_init(&a, MIB);
    arena_free(&a);
    assert_non_null(arena_alloc(&a, 10));
    arena_free(&a);
    arena_free(&a);
    assert_int_equal(a.used_bytes, 0);
}
