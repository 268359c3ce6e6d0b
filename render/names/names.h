/* What all views of one profile share: the text, the rank, the origin and the colour class of each frame and
 * track, made once. */
#pragma once

#include "core/arena.h"
#include "core/buf.h"
#include "profile/frame/frame_text.h"
#include "profile/frame/own_code.h"
#include "render/view/view.h"

struct names;

struct cell_style {
    char separator;
    /* Appends the text; `scratch` is an empty or used buffer of the caller's. */
    void (*put)(struct buf *out, struct str text, struct buf *scratch);
};
extern const struct cell_style CELL_TSV, CELL_CSV;

/* Text in cells of a monospace font, by arithmetic alone: a picture does not know the viewer's fonts. What is
 * counted and written is the cleaned text (core/clean.h). */

enum {
    FIT_EM_TENTHS = 6,  /* advance of one cell, in tenths of the font size */
    FIT_CELLS_LEAST = 3 /* with fewer, nothing is written */
};

/* Cells that the text takes: East Asian wide characters two, combining marks and joiners none, all others
 * one. */
size_t fit_cells(struct str s);

/* How many cells of the font stand in the width. */
size_t fit_in_px(uint32_t width_px, uint32_t font_px);

/* Appends the text, or as much of it as stands in `cells` with ".." behind it, escaped for XML; nothing below
 * FIT_CELLS_LEAST cells. True if all of it was written. */
bool fit_xml(struct buf *b, struct str s, size_t cells);

/* The same, not escaped. */
bool fit_text(struct buf *b, struct str s, size_t cells);

/* Names that fit their box. */

/* Appends the longest form of the frame's text that stands in `cells` (see fit_cells), cleaned and escaped
 * for XML:
 *
 *   com.example.foo.Foo.bar    c.e.f.Foo.bar    Foo.bar    bar    ba..
 *   com.example.foo.Foo$bar$1.invoke    bar lambda in Foo    bar lambda    bar la..     (profile/frame/short_name.h)
 *
 * With NAMES_FULL the first, cut at its end. Nothing below FIT_CELLS_LEAST cells. `parameters`: with their
 * types behind it, as `(int, String)`, or the signature as it is where it is no descriptor of the JVM. */
void shorten_xml(struct buf *b, const struct names *n, frame_id frame, enum view_names names, bool parameters,
                 size_t cells);

/* One frame, ready to be drawn. */
struct names_frame {
    struct str text;    /* `package.Class.method`, raw (not cleaned); never empty */
    struct str full;    /* text and signature, cleaned and escaped for XML */
    uint32_t rank;      /* see names_rank */
    uint32_t text_rank; /* the least rank of those with the same text */
    uint32_t package;   /* see names_package */
    uint8_t origin;     /* enum origin, see own_code.h */
    bool plain; /* the text is printable ASCII without any character that XML escapes: a byte is a cell */
    bool overloaded; /* another frame has the same text: only the signature tells them apart */
};

/* Lives in the arena, is immutable, may be read by many threads; the profile must outlive it. NULL when the arena
 * gives no more. */
struct names *names_new(const struct profile *p, struct arena *arena) MUST_CHECK;

/* The same names of the same profile, for which a person has said what is the app's own code. Shares with
 * `n`, which must outlive it, all that is the same. */
const struct names *names_with_own(const struct names *n, const struct profile *p, const struct own_code *own,
                                   struct arena *arena) MUST_CHECK;

/* The packages of all frames, as frame_package tells them, each once, in the order of their bytes. */
uint32_t names_packages(const struct names *n);
struct str names_package(const struct names *n, uint32_t package);
const struct names_frame *names_of(const struct names *n, frame_id frame);

/* `package.Class.method`, raw (not cleaned). */
struct str names_frame(const struct names *n, frame_id frame);

/* Appends that text, with the signature where only this tells the frame from another one; raw. */
void names_put_distinct(const struct names *n, const struct profile *p, frame_id frame, struct buf *b);

/* As frame_parts_of. */
struct frame_parts names_parts(const struct names *n, frame_id frame);

/* Position of the frame in the bytewise order of its text; frames with equal text are ordered by signature,
 * then id, so that no two frames share a rank. */
uint32_t names_rank(const struct names *n, frame_id frame);

/* The packages that were taken for the app's own, raw. */
const struct own_code *names_own(const struct names *n);

/* The frame that stands for a track where several are shown: `[NAME tid=ID]`, raw. `track` is an index of
 * p->tracks. */
struct str names_track(const struct names *n, uint32_t track);

/* Position of the track in the bytewise order of that text; no two tracks share a rank. */
uint32_t names_track_rank(const struct names *n, uint32_t track);
