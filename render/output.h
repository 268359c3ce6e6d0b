/* What an output is: one file that fills this row, listed in render/outputs.c. Suffixes, media types and
 * names in URLs, on the command line and in cache keys come from the row. Renderers are pure: profile and
 * options in, bytes out. */
#ifndef RENDER_OUTPUT_H
#define RENDER_OUTPUT_H

#include "core/arena.h"
#include "render/names/names.h"
#include "render/view/view.h"

struct spans;

struct render_input {
    const struct profile *profile;
    const struct names *names;       /* of this profile; shared by all its views */
    const struct view_options *view; /* resolved */
    const struct spans *spans;       /* of a chart, see chart_plan.h; else NULL */
    struct arena *scratch;           /* the renderer's own memory; free with it */
};

struct output {
    const char *name;       /* "svg": ?output= and --output */
    const char *suffix;     /* "svg", "folded.txt": after the track in URLs and file names */
    const char *media_type; /* with charset where it has one */
    const char *label;      /* for people: "Flame graph (SVG)" */
    bool text;              /* goes to standard output unless a file is named */
    bool preview;           /* made for pages: they do not offer it as a download */
    bool charts;            /* shows VIEW_CHART */
    unsigned revision;      /* raised when the bytes change for equal input: part of every cache key */

    /* Appends to out, which has its own limit. False: diag is set. */
    bool (*render)(const struct render_input *in, struct buf *out, struct diag *diag);
};

extern const struct output OUTPUT_SVG, OUTPUT_FOLDED, OUTPUT_JSON, OUTPUT_THUMB, OUTPUT_TREE;

/* THE TABLE; the first row is the default. */
extern const struct output *const OUTPUTS[];
extern const size_t OUTPUTS_COUNT;

/* NULL if there is none. */
const struct output *output_by_name(struct str name);
const struct output *output_by_suffix(struct str suffix);

#endif
