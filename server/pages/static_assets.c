#include "server/pages/static_assets.h"

#include <pthread.h>
#include <stdlib.h>

#include "core/hash.h"

/* One file in one content coding. The list of them has at most two for each file. */
struct coded_file {
    struct coded_file *next;
    const char *of;
    enum encoding encoding;
    struct buf made;
};

struct static_assets {
    pthread_mutex_t lock;
    struct coded_file *first;
};

struct static_assets *static_assets_new(void)
{
    struct static_assets *k = calloc(1, sizeof(*k));

    if (k != NULL)
        pthread_mutex_init(&k->lock, NULL);
    return k;
}

void static_assets_free(struct static_assets *k)
{
    if (k == NULL)
        return;
    for (struct coded_file *next; k->first != NULL; k->first = next) {
        next = k->first->next;
        buf_free(&k->first->made);
        free(k->first);
    }
    pthread_mutex_destroy(&k->lock);
    free(k);
}

/* Under the lock, so that none is made twice. */
static const struct coded_file *find_or_make(struct static_assets *k, struct str bytes, enum encoding e)
{
    for (const struct coded_file *s = k->first; s != NULL; s = s->next)
        if (s->of == bytes.p && s->encoding == e)
            return s;
    struct coded_file *s = calloc(1, sizeof(*s));
    if (s == NULL)
        return NULL;
    if (!encoding_apply(e, ENCODING_KEPT, bytes, &s->made)) {
        buf_free(&s->made);
        free(s);
        return NULL;
    }
    s->of = bytes.p;
    s->encoding = e;
    s->next = k->first;
    k->first = s;
    return s;
}

struct str static_assets_get(struct static_assets *k, struct str bytes, enum encoding *e)
{
    if (*e == ENCODING_IDENTITY)
        return bytes;
    pthread_mutex_lock(&k->lock);
    const struct coded_file *s = find_or_make(k, bytes, *e);
    pthread_mutex_unlock(&k->lock);
    if (s == NULL) {
        *e = ENCODING_IDENTITY;
        return bytes;
    }
    return buf_view(&s->made);
}

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
