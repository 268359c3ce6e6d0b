/* JSON when memory is short: jansson passes over some of its own failures to get memory. It reads text
 * with a character missing for the whole, and writes objects of which a key is missing. Here it is the
 * whole, or nothing. */
#pragma once

#include <jansson.h>

#include "core/str.h"

/* Lets the library's failures be seen. Once, before anything else uses it. */
void json_memory_watch(void);

/* As json_loadb; also NULL, with nothing in `error`, when there was no memory. Any thread. */
json_t *json_memory_load(struct str text, size_t flags, json_error_t *error) MUST_CHECK;

/* As json_dumps: the text is the caller's to free; NULL: no memory, or `value` is NULL. Any thread. */
char *json_memory_dumps(const json_t *value, size_t flags) MUST_CHECK;

/* The text of a string; of all else, and of NULL, the empty one. */
struct str json_memory_text(const json_t *string);
