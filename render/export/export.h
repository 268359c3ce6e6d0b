/* What the outputs for other tools are written from: the tree of what the view shows, in the units of the
 * profile, and its parts, each of which is a thread, heap or process of its own, or all of them merged. Of
 * values with a sign each column has what goes up; what goes down stands in a column of its own. */
#pragma once

#include "core/json.h"
#include "render/tree/tree.h"

struct export
{
    const struct render_input *in;
    const struct tree *tree;
    struct measure measures[MEASURES_MAX]; /* the view's value is the first one */
    uint32_t n_measures;
    uint32_t minus[MEASURES_MAX]; /* by measure: the column of what goes down; 0: the value is not signed */
    uint32_t n_parts;
};

struct export_part {
    struct str name;                   /* `main tid=1`, or `merged`; raw */
    const struct profile_track *track; /* NULL: several, merged */
    uint32_t first,
        end;       /* places of its nodes: without the one that stands for it, which is their root's parent */
    uint32_t root; /* that place */
};

/* False: diag. Everything lives in in->scratch. */
bool export_begin(struct export *e, const struct render_input *in, struct diag *diag) MUST_CHECK;
/* Calls each(context, part) for each part, in the order of places, until it returns false. */
bool export_parts(const struct export *e, bool (*each)(void *context, const struct export_part *part),
                  void *context);

/* Appends the frame as other tools show it, `package.Class.method`, with the signature where only that
 * tells it from another one; raw. */
void export_frame(const struct export *e, frame_id frame, struct buf *b);

/* Of a signed value, what went down and so has no place among the weights of the file: in ns, bytes or counts. */
void export_put_shrunk(const struct export *e, struct json *j);

/* Appends the bytes to out, packed. False, and diag, also where `plain` has failed. */
bool export_pack(struct buf *plain, struct buf *out, struct diag *diag) MUST_CHECK;
