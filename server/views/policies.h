/* What a browser may do with an output: its Content-Security-Policy, made from the output's row. */
#ifndef SERVER_VIEWS_POLICIES_H
#define SERVER_VIEWS_POLICIES_H

#include "render/output.h"

struct policies;

/* Of all outputs, made once: digests of script and style let these through policies that let nothing else through. NULL: no
 * memory. */
struct policies *policies_new(void) __attribute__((warn_unused_result));
void policies_free(struct policies *all);

/* Terminated; of any thread, as long as `all` is there. */
const char *policies_of(const struct policies *all, const struct output *output);

#endif
