/* What to show of a profile: which tracks, which value, drawn how. The same words and values in URLs, on the
 * command line and in cache keys. */
#ifndef RENDER_VIEW_H
#define RENDER_VIEW_H

#include "core/buf.h"
#include "core/diag.h"
#include "parser/profile.h"

enum view_kind {
    VIEW_FLAME, /* root at the bottom */
    VIEW_ICICLE /* root on top */
};

enum view_order {
    ORDER_NAME,  /* bytewise by what is written in the frame */
    ORDER_WEIGHT /* largest total first, equal ones by name */
};

enum view_tracks {
    TRACKS_LISTED, /* one, or several side by side under one root */
    TRACKS_ALL,    /* all, side by side under one root */
    TRACKS_MERGED  /* all, equal stacks summed */
};

enum { VIEW_TRACKS_MAX = 64 }; /* named one by one */

struct view_options {
    enum view_tracks tracks;
    uint32_t track_ids[VIEW_TRACKS_MAX]; /* ascending, each once */
    uint32_t n_track_ids;                /* 0 with TRACKS_LISTED: the heaviest track */
    char value[32];                      /* name of the value; empty = the profile's first */
    enum view_kind view;
    enum view_order order;
    uint32_t width_px;
    uint32_t min_milli_px; /* frames narrower than this are not drawn, but counted */
};

/* Flame, by name, 1200 px wide, frames from 0.5 px on. */
void view_defaults(struct view_options *o);

/* Sets one option from text: "view", "order", "value", "width", "min". False (diag: DIAG_USAGE, naming the
 * key, the value and what is allowed) for a key or a value that is not known. */
bool view_set(struct view_options *o, struct str key, struct str value, struct diag *diag);
/* The words that "view" and "order" can be set to, by number, for forms; NULL behind the last. */
const char *view_kind_word(unsigned kind);
const char *view_order_word(unsigned order);

/* Sets the tracks from "21491", "21491,21500", "all" or "merged". False as above. */
bool view_set_tracks(struct view_options *o, struct str text, struct diag *diag);

/* Fills in what depends on the profile (the heaviest track, the default value) and checks that it is there:
 * false, with DIAG_NOT_FOUND for a track and DIAG_USAGE for a value that the profile does not have, naming
 * those that it has. */
bool view_resolve(struct view_options *o, const struct profile *p, struct diag *diag);

/* Every option in one line, in a fixed order: equal text means an equal picture of the same profile. */
void view_canonical(const struct view_options *o, struct buf *b);

#endif
