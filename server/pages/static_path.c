#include "server/pages/static_path.h"

#include "core/hash.h"

enum { HASH_CHARS = 16 };

/* Names the content for caches; nobody gains by forging it, so the seed may be known. */
static void content_hash(char out[HASH_CHARS + 1])
{
    static const char DIGITS[] = "0123456789abcdef";
    struct str files = STATIC_FILES_DIGEST;
    uint64_t hash = hash_bytes((struct hash_seed){0, 0}, files.p, files.n);

    for (int i = HASH_CHARS; i > 0; i--, hash >>= 4)
        out[i - 1] = DIGITS[hash & 15];
    out[HASH_CHARS] = '\0';
}

bool static_by_name(struct str name, struct static_file *file)
{
    for (size_t i = 0; i < STATIC_FILES_COUNT; i++)
        if (str_eq(STATIC_FILES[i].name, name)) {
            *file = STATIC_FILES[i];
            return true;
        }
    return false;
}

void static_path(struct buf *b, struct str name)
{
    struct static_file file;
    char hash[HASH_CHARS + 1];

    if (!static_by_name(name, &file))
        return;
    content_hash(hash);
    buf_printf(b, "static/%s/", hash);
    buf_str(b, name);
}

bool static_find(struct str hash, struct str name, struct static_file *file)
{
    char expected[HASH_CHARS + 1];

    content_hash(expected);
    return str_eq(hash, str_of(expected)) && static_by_name(name, file);
}
