#include "server/http/shared_bytes.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "server/http/reply_memory.h"

struct shared_bytes {
    atomic_uint references;
    struct str bytes;
    _Atomic(void *) answer;
    void (*end_answer)(void *answer);
};

struct shared_bytes *shared_bytes_new(struct buf *taken)
{
    struct shared_bytes *s = taken->failed ? NULL : malloc(sizeof(*s));

    if (s == NULL) {
        buf_free(taken);
        return NULL;
    }
    atomic_init(&s->references, 1);
    atomic_init(&s->answer, NULL);
    /* Shared bytes live long: the room that was left for growing goes back. */
    char *fitting = taken->n > 0 ? realloc(taken->p, taken->n) : NULL;
    if (fitting != NULL)
        taken->p = fitting;
    s->bytes = buf_view(taken);
    reply_memory_add(s->bytes.n);
    buf_init(taken, taken->limit);
    return s;
}

struct shared_bytes *shared_bytes_ref(struct shared_bytes *s)
{
    atomic_fetch_add_explicit(&s->references, 1, memory_order_relaxed);
    return s;
}

void shared_bytes_unref(struct shared_bytes *s)
{
    if (s == NULL || atomic_fetch_sub_explicit(&s->references, 1, memory_order_acq_rel) != 1)
        return;
    if (shared_bytes_answer(s) != NULL)
        s->end_answer(shared_bytes_answer(s));
    reply_memory_take_off(s->bytes.n);
    free((void *)(uintptr_t)s->bytes.p);
    free(s);
}

struct str shared_bytes_view(const struct shared_bytes *s)
{
    return s->bytes;
}

void *shared_bytes_answer(struct shared_bytes *s)
{
    return atomic_load_explicit(&s->answer, memory_order_acquire);
}

bool shared_bytes_set_answer(struct shared_bytes *s, void *answer, void (*end)(void *answer))
{
    void *none = NULL;

    if (!atomic_compare_exchange_strong(&s->answer, &none, answer))
        return false;
    s->end_answer = end; /* for who drops the last reference: the caller has one still */
    return true;
}
