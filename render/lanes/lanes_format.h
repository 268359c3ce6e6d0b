/* The formats of lanes: each is a file that fills a row. */
#ifndef RENDER_LANES_LANES_FORMAT_H
#define RENDER_LANES_LANES_FORMAT_H

#include "render/lanes/lanes_plan.h"
#include "render/view/text_format.h"

struct lanes_format {
    struct text_format text;
    /* Appends to out. False: diag. */
    bool (*write)(const struct render_input *in, const struct lanes_plan *plan, const struct lanes *lanes,
                  struct buf *out, struct diag *diag);
};

/* For the page's script, and for programs: the shape is in docs/http-api.md. */
extern const struct lanes_format LANES_JSON;
/* A picture that needs no script. */
extern const struct lanes_format LANES_SVG;

#endif
