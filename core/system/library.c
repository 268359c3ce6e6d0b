#include "core/system/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

enum { UNTRIED, READY, MISSING }; /* states */

static bool open_library(const struct library *l)
{
    void *file = dlopen(l->file, RTLD_NOW | RTLD_LOCAL);

    for (size_t i = 0; file != NULL && i < l->n; i++) {
        void *function = dlsym(file, l->functions[i].name);
        if (function == NULL)
            return false;
        memcpy((char *)l->table + l->functions[i].offset, &function, sizeof(function));
    }
    return file != NULL && (l->begin == NULL || l->begin());
}

/* Who finds it ready without the lock sees the table as it was left. */
bool library_ready(struct library *library)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

    if (atomic_load_explicit(&library->state, memory_order_acquire) == UNTRIED) {
        pthread_mutex_lock(&lock);
        if (atomic_load_explicit(&library->state, memory_order_relaxed) == UNTRIED)
            atomic_store_explicit(&library->state, open_library(library) ? READY : MISSING,
                                  memory_order_release);
        pthread_mutex_unlock(&lock);
    }
    return atomic_load_explicit(&library->state, memory_order_acquire) == READY;
}
