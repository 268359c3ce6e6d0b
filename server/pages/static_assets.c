#include "server/pages/static_assets.h"

#include <pthread.h>
#include <stdlib.h>

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
