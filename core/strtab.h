/* String table: each distinct byte string once, named by a dense 32-bit id. Id 0 is the empty string. */
#pragma once

#include "core/arena.h"
#include "core/hash_index.h"
#include "core/str.h"

typedef uint32_t string_id;

enum { STRING_EMPTY = 0 };
#define STRING_NONE UINT32_MAX

struct strtab {
    struct arena *arena; /* holds the bytes */
    struct hash_seed seed;
    struct str *strings;
    size_t count, capacity;
    struct hash_index index; /* of strings */
};

/* False when the arena gives no more. */
bool strtab_init(struct strtab *t, struct arena *arena, struct hash_seed seed) MUST_CHECK;
/* The id of s, which is copied if it is new; STRING_NONE when the arena gives no more. */
string_id strtab_add(struct strtab *t, struct str s) MUST_CHECK;
/* The same without adding it: STRING_NONE if it is not there. */
string_id strtab_find(const struct strtab *t, struct str s);

static inline struct str strtab_get(const struct strtab *t, string_id id)
{
    return t->strings[id];
}
