/* What an output is: one file that fills a row, and the row's name in OUTPUT_ROWS. Suffixes, media types
 * and names in URLs, on the command line and in cache keys, downloads, help and the headers of answers
 * come from the row. Renderers are pure: profile and options in, bytes out. */
#pragma once

#include "core/diag.h"
#include "render/view/input.h"

enum {
    OUTPUT_PLAIN_VIEWS = 1 << VIEW_FLAME | 1 << VIEW_ICICLE, /* of the tree as it was called */
    OUTPUT_TREE_VIEWS = OUTPUT_PLAIN_VIEWS | 1 << VIEW_INVERTED | 1 << VIEW_SANDWICH
};

struct output {
    const char *name;       /* "svg": ?output= and --output */
    const char *suffix;     /* "svg", "folded.txt": after the track in URLs and file names */
    const char *media_type; /* with charset where it has one */
    const char *label;      /* for people: "Flame graph (SVG)" */
    bool text;              /* goes to standard output unless a file is named */
    bool exported;          /* what other tools read: `aflamed export` has it */
    bool packed;            /* the bytes are packed already */
    bool appends;           /* only appends to what it is written to, which may be drained on the way */
    /* The format of calls that has the same in the order of time, where that is known; or NULL. */
    const char *calls;
    bool preview;   /* made for pages: they do not offer it as a download */
    unsigned views; /* a bit for each enum view_kind that it shows; others are refused */
    bool fetched;   /* the script of a picture fetches it, from an origin of its own */
    unsigned keys;  /* a sum of enum key_group (view/key.h): those that it has beside those of every view */
    unsigned revision; /* raised when the bytes change for equal input: part of every cache key */

    /* The content of its script and style elements, the same bytes in every one; NULL: it has none. */
    struct str (*script)(void), (*style)(void);

    /* Appends to out, which has its own limit. False: diag is set. */
    bool (*render)(const struct render_input *in, struct buf *out, struct diag *diag);
};

/* THE TABLE; the first row is the default. A row NAME is the constant OUTPUT_NAME. */
#define OUTPUT_ROWS(row) \
    row(SVG) row(FOLDED) row(JSON) row(OUTLINE) row(SPEEDSCOPE) row(PPROF) row(FIREFOX) row(THUMB) row(TREE)

#define OUTPUT_DECLARE(name) extern const struct output OUTPUT_##name;
#define OUTPUT_NUMBER(name)  OUTPUT_NUMBER_##name,
OUTPUT_ROWS(OUTPUT_DECLARE)
enum { OUTPUT_ROWS(OUTPUT_NUMBER) OUTPUTS_COUNT };
extern const struct output *const OUTPUTS[OUTPUTS_COUNT];

/* NULL if there is none. */
const struct output *output_by_name(struct str name);
const struct output *output_by_suffix(struct str suffix);
