#include "core/system/json_memory.h"

#include <stdlib.h>
#include <string.h>

/* The library takes no context for its memory: all that can be told apart is the thread. */
static _Thread_local bool failed;

static void *get(size_t n)
{
    void *p = malloc(n);

    failed = failed || p == NULL;
    return p;
}

void json_memory_watch(void)
{
    json_set_alloc_funcs(get, free);
}

json_t *json_memory_load(struct str text, size_t flags, json_error_t *error)
{
    failed = false;
    json_t *value = json_loadb(text.n == 0 ? "" : text.p, text.n, flags, error);
    if (!failed)
        return value;
    json_decref(value);
    if (error != NULL)
        memset(error, 0, sizeof(*error));
    return NULL;
}

char *json_memory_dumps(const json_t *value, size_t flags)
{
    failed = false;
    char *text = json_dumps(value, flags);
    if (!failed)
        return text;
    free(text);
    return NULL;
}

struct str json_memory_text(const json_t *string)
{
    return json_is_string(string) ? (struct str){json_string_value(string), json_string_length(string)}
                                  : STR("");
}
