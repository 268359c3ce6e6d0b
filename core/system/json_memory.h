/* Reading JSON when memory is short: jansson passes over some of its own failures to get memory, and gives text with a
 * character missing for the whole. Here it is the whole, or nothing. */
#ifndef CORE_SYSTEM_JSON_MEMORY_H
#define CORE_SYSTEM_JSON_MEMORY_H

#include <jansson.h>

#include "core/str.h"

/* Lets the library's failures be seen. Once, before anything else uses it. */
void json_memory_watch(void);

/* As json_loadb; also NULL, with nothing in `error`, when there was no memory. Any thread. */
json_t *json_memory_load(struct str text, size_t flags, json_error_t *error)
    __attribute__((warn_unused_result));

#endif
