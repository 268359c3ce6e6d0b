#include "profile/transform/open_frames.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "profile/warning.h"

/* How much longer the track's open frames last; the root alone is no frame. */
static uint64_t rest_ns(const struct profile_track *t)
{
    return t->open == t->first ? 0 : t->rest_ns;
}

static bool changes(const struct profile *p)
{
    for (uint32_t i = 0; i < p->n_tracks; i++)
        if (rest_ns(&p->tracks[i]) > 0)
            return true;
    return false;
}

/* Gives the rest to the innermost open frame, and to the totals of all above it. `self` and `total` are copies of the
 * profile's columns. Sums that pass 64 bits stay at the largest. */
static void extend(const struct profile *p, const struct profile_track *t, uint32_t wall, uint64_t *self,
                   uint64_t *total)
{
    uint64_t rest = rest_ns(t);

    if (rest == 0)
        return;
    uint64_t *of_frame = &self[(size_t)t->open * profile_stride(p) + wall];
    *of_frame = number_add(*of_frame, rest);
    for (node_id node = t->open; node != NODE_NONE; node = p->node_parent[node]) {
        uint64_t *of_node = &total[(size_t)node * profile_stride(p) + wall];
        *of_node = number_add(*of_node, rest);
    }
}

static struct str extended_text(uint64_t count, struct arena *a)
{
    char text[256];
    int n = snprintf(
        text, sizeof(text), "%" PRIu64 " %s to the end of the trace.", count,
        count == 1
            ? "method was still running when its thread's records end: as was chosen, its wall time goes on"
            : "methods were still running when their thread's records end: as was chosen, their wall "
              "time goes on");

    return (struct str){arena_copy(a, text, (size_t)n), (size_t)n};
}

/* The warnings, of which one says what is not so any more. False when the arena gives no more. */
static bool put_warnings(struct profile *to, struct arena *a)
{
    const struct str code = str_of(warning_name(WARN_OPEN_FRAMES));
    struct profile_warning *warnings = arena_array(a, to->n_warnings, sizeof(*warnings));

    if (warnings == NULL)
        return false;
    for (uint32_t i = 0; i < to->n_warnings; i++) {
        warnings[i] = to->warnings[i];
        if (!str_eq(warnings[i].code, code))
            continue;
        warnings[i].text = extended_text(warnings[i].count, a);
        if (warnings[i].text.p == NULL)
            return false;
    }
    to->warnings = warnings;
    return true;
}

const struct profile *open_frames_to_end(const struct profile *p, struct arena *a)
{
    uint32_t wall = profile_value_by_role(p, ROLE_WALL);
    size_t values = (size_t)p->n_nodes * profile_stride(p);

    if (wall == p->n_values || !changes(p))
        return p;
    struct profile *to = arena_alloc(a, sizeof(*to));
    uint64_t *self = arena_array(a, values, sizeof(*self)), *total = arena_array(a, values, sizeof(*total));
    if (to == NULL || self == NULL || total == NULL)
        return NULL;
    memcpy(self, p->node_self, values * sizeof(*self));
    memcpy(total, p->node_total, values * sizeof(*total));
    for (uint32_t i = 0; i < p->n_tracks; i++)
        extend(p, &p->tracks[i], wall, self, total);
    *to = *p;
    to->node_self = self;
    to->node_total = total;
    return put_warnings(to, a) ? to : NULL;
}
