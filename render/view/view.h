/* What to show of a profile: which tracks, which value, drawn how. The same words and values in URLs, on the
 * command line and in cache keys. */
#pragma once

#include "core/arena.h"
#include "core/buf.h"
#include "core/diag.h"
#include "core/unit.h"
#include "profile/calls/window.h"
#include "profile/filter/filter_pattern.h"
#include "profile/profile.h"
#include "profile/thread_time.h"
#include "profile/transform/transform.h"

enum view_kind {
    VIEW_FLAME,    /* root at the bottom */
    VIEW_ICICLE,   /* root on top */
    VIEW_INVERTED, /* callers: see invert.h */
    VIEW_SANDWICH, /* callers and callees of one method: see sandwich.h */
    VIEW_CHART     /* calls in the order of time, of one track: see chart.h */
};

enum view_order {
    ORDER_NAME,  /* bytewise by what is written in the frame */
    ORDER_WEIGHT /* largest total first, equal ones by name */
};

enum view_open {
    OPEN_LAST, /* frames that are never left have their time up to the last record of their thread */
    OPEN_END   /* wall time: up to the last record of all; see transform.h */
};

enum view_mode {
    MODE_CUMULATIVE, /* all up to a moment of the series */
    MODE_INTERVAL    /* what changed since an earlier moment */
};

/* Moments of a series of dumps, from 1. */
struct view_moment {
    uint32_t number; /* 0: the last one */
    uint32_t since;  /* what changed from this one to `number`, whatever the mode; 0: as the mode says */
};

enum view_palette {
    COLOURS_ORIGIN, /* app, library, AndroidX, ...: see own_code.h */
    COLOURS_PACKAGE,
    COLOURS_SELF,    /* the more self, the stronger */
    COLOURS_CLASSIC, /* yellow to red, by a hash of the text */
    COLOURS_CHANGE /* of a comparison, and there always: from less to more, see names of its classes in names/palette.h */
};

enum view_names {
    NAMES_SHORT, /* the longest form that fits its box: see names.h */
    NAMES_FULL   /* the whole text, cut at its end */
};

enum view_tracks {
    TRACKS_LISTED, /* one, or several side by side under one root */
    TRACKS_ALL,    /* all, side by side under one root */
    TRACKS_MERGED  /* all, equal stacks summed */
};

enum {
    VIEW_TRACKS_MAX = 64, /* named one by one */
    VIEW_METHOD_BYTES_MAX = 500,
    VIEW_APP_BYTES_MAX = 200,
    VIEW_SPLIT_BYTES_MAX = 200
};
#define VIEW_TIME_NONE UINT64_MAX
enum { VIEW_TOKEN_BYTES = 4 }; /* what language models count: about so many bytes of English or code */

/* One step of the filters; its text is in struct view_options, see view_filter. */
struct view_filter {
    uint16_t key; /* enum filter_key */
    uint16_t at, bytes;
};

/* The filters, in the order in which they are applied. Their texts stand without gaps; what is unused is zero. */
struct view_filters {
    uint32_t n, bytes;
    struct view_filter of[FILTER_STEPS_MAX];
    char text[FILTER_BYTES_MAX];
};

struct view_options {
    enum view_tracks tracks;
    uint32_t track_ids[VIEW_TRACKS_MAX]; /* ascending, each once */
    uint32_t n_track_ids;                /* 0 with TRACKS_LISTED: the heaviest track */
    char value[32];                      /* name of the value; empty = the profile's first */
    enum view_kind view;
    enum view_order order;
    enum view_open open;
    struct view_moment moment;
    enum view_mode mode;
    /* The key of the label of samples whose values the tracks are; empty: the file's own tracks. The
     * profile is read so. */
    char split[VIEW_SPLIT_BYTES_MAX + 1];
    uint32_t width_px;
    uint32_t min_milli_px; /* frames narrower than this are not drawn, but counted */
    enum view_palette palette;
    enum view_names names;
    /* Of a sandwich: as shown, cleaned, with or without signature; empty = the one with the largest self. */
    char method[VIEW_METHOD_BYTES_MAX + 1];
    /* Packages that are the app's own code, as own_code_parse reads them; empty: guessed, see own_code.h. */
    char app[VIEW_APP_BYTES_MAX + 1];
    struct view_filters filters;
    /* Presets of the configuration, terminated (filter_pattern.h); NULL: none. Outlives the options. */
    const char *presets;
    /* The range, since the trace's start; VIEW_TIME_NONE: from its begin, or up to its end. */
    uint64_t from_ns, to_ns;
    /* How much of the tree a picture carries for its script. */
    uint32_t embed_nodes;
    uint64_t embed_bytes;
    /* How long an outline, or a text that is asked for with it, may be: in tokens of VIEW_TOKEN_BYTES; UINT32_MAX: not said. */
    uint32_t budget;
    /* Of the output "tree" (data.h), and 0 for all others: the place of the node, and how many of its
     * children are there already. */
    uint32_t node, skip;
};

/* Groups of keys. The functions below that take text know the rows of a table: key.h. */
enum key_group {
    KEYS_VIEW = 1 << 0,      /* of every view */
    KEYS_TRACK = 1 << 1,     /* which tracks: a view's URL says it in its path, not in its query */
    KEYS_BUDGET = 1 << 2,    /* for who runs the service, and the command line */
    KEYS_PIECE = 1 << 3,     /* of what the script of a picture loads later */
    KEYS_PROFILE = 1 << 4,   /* of those of views: which profile is meant (struct profile_id) */
    KEYS_FILTERS = 1 << 5,   /* of those of views: the steps of filters */
    KEYS_MOMENT = 1 << 6,    /* of those of views: which dump of a series */
    KEYS_CALLS = 1 << 7,     /* of lists of calls */
    KEYS_TABLE = 1 << 8,     /* of the profile table: which rows, in which order */
    KEYS_METHOD = 1 << 9,    /* of one method's callers and callees */
    KEYS_LONGEST = 1 << 10,  /* what takes another reading of the file, which comparisons do not have */
    KEYS_COMPARED = 1 << 11, /* of a comparison */
    KEYS_LANES = 1 << 12,    /* of the timeline */
    KEYS_UPLOAD = 1 << 13,   /* of an upload's query */
    KEYS_FORM = 1 << 14,     /* fields of the form of an upload */
    KEYS_RENAME = 1 << 15,   /* fields of other forms, each for its route */
    KEYS_DELETE = 1 << 16,
    KEYS_MAPPING = 1 << 17,
    KEYS_SYMBOLS = 1 << 18,
    KEYS_STATUS = 1 << 19,  /* of the wait for views that are being made */
    KEYS_PAIR = 1 << 20,    /* of the choice of two uploads */
    KEYS_LOGIN = 1 << 21,   /* of the form that takes a token */
    KEYS_ABOUT = 1 << 23,   /* of a picture that stands alone: what it says of its upload */
    KEYS_SPACE = 1 << 25,   /* of the list of a space */
    KEYS_SERIES = 1 << 26,  /* of its series */
    KEYS_CHECK = 1 << 27,   /* of a check of its uploads */
    KEYS_OUTLINE = 1 << 24, /* of texts that can be cut to a budget */
    KEYS_ANY = 1 << 22      /* no key has it: nothing looks at the query */
};

/* Those whose fields are in struct view_options. */
enum { KEYS_OF_VIEWS = KEYS_VIEW | KEYS_TRACK | KEYS_BUDGET | KEYS_OUTLINE | KEYS_PIECE };

/* As its rows say. */
void view_defaults(struct view_options *o);

/* As asked_set (asked.h), of keys of views. */
bool view_set(struct view_options *o, unsigned groups, struct str key, struct str value, struct diag *diag);

/* Sets the tracks from "21491", "21491,21500", "all" or "merged". False as above. */
bool view_set_tracks(struct view_options *o, struct str text, struct diag *diag);

/* Whether the track with this id is among those that are shown. */
bool view_shows_track(const struct view_options *o, uint32_t id);

/* The tracks that are shown: indexes of p->tracks, ascending. NULL: the arena gives no more. */
uint32_t *view_tracks(const struct profile *p, const struct view_options *o, uint32_t *n,
                      struct arena *arena) MUST_CHECK;

/* The step number i of the filters, i < o->filters.n. The text stays as long as *o does not change. */
struct filter_step view_filter(const struct view_options *o, uint32_t i);

/* Takes that step out: what the cross of a chip links to. */
void view_filter_remove(struct view_options *o, uint32_t i);

/* Whether a window of time is asked for, and which one. A chart shows its window of the whole profile, and
 * asks for none. False with diag set to DIAG_USAGE: it would end where it begins, or before. */
bool view_window(const struct view_options *o, struct window *window, struct diag *diag);

/* DIAG_USAGE for a range that ends where it begins, or before. `what` says so, up to the times that there
 * are. Always false. */
bool view_refuse_range(uint64_t whole_from_ns, uint64_t whole_to_ns, const char *what, const char *hint,
                       struct diag *diag);

/* Which moment is shown, for profile/transform/transform.h. */
struct moment_request view_moment(const struct view_options *o);

/* Appends which dump is shown, for people: ", dump 3", ", dump 3 since the one before", ", from dump 1 to
 * dump 3"; nothing where it is the last one with all up to it. */
void view_moment_words(struct buf *b, const struct view_options *o);

/* Appends the range for people: "1.2 s to 1.5 s", "up to 300 ms", "from 2 s on"; nothing where there is none. */
void view_range_words(struct buf *b, const struct view_options *o);

/* What view_options.presets says, as text; empty if it is NULL. */
struct str view_presets(const struct view_options *o);

/* Fills in what depends on the profile (the heaviest track, the default value) and checks that it is there:
 * false, with DIAG_NOT_FOUND for a track and DIAG_USAGE for a value that the profile does not have, naming
 * those that it has; and DIAG_USAGE for OPEN_END without wall time. */
bool view_resolve(struct view_options *o, const struct profile *p, struct diag *diag);

/* Appends every option in one line, in a fixed order: equal text means an equal picture of the same profile. */
void view_canonical(const struct view_options *o, struct buf *b);

/* Appends what differs from the defaults as the query of a link to another view of the same profile:
 * `?value=cpu&view=icicle`, or nothing. The tracks are not among it, since the URL's path names them, nor
 * is what only KEYS_BUDGET and KEYS_PIECE have. Between two options stands `ampersand`: "&", or "&amp;" in
 * XML and HTML. */
void view_link(struct buf *b, const struct view_options *o, const char *ampersand);

/* What to say when a view's memory or output is used up. */

/* Both set diag, if it is not set already, and always return false. */
bool fail_arena(const struct arena *a, struct diag *diag);
bool fail_buf(const struct buf *b, struct diag *diag);

/* What a view can measure: the values of the profile, and those derived from them. */

struct measure {
    struct str name, label;
    enum unit unit;
    bool waiting;   /* max(0, value - minus) of each node's self; not a value of the profile */
    uint32_t value; /* index of the profile's value */
    uint32_t minus; /* with `waiting` */
};

enum { MEASURES_MAX = PROFILE_VALUES_MAX + 1 };

/* Fills m with the profile's values, in its order, and "waiting" (wall time minus thread-CPU time) behind
 * them where both are recorded and no value has that name. Returns how many there are. */
uint32_t measures_of(const struct profile *p, struct measure m[MEASURES_MAX]);

/* Of these the ones that the chosen tracks can have, and all where the profile has tracks of one kind. A value's place among them
 * is not its number in the profile. */
uint32_t measures_shown(const struct profile *p, const struct view_options *o,
                        struct measure m[MEASURES_MAX]);

/* What view_options.value holds of a name: as much as fits, up to the first NUL. */
struct str measure_key(struct str name);

/* By that key. False if there is none. */
bool measure_by_name(const struct profile *p, const char *name, struct measure *m);

/* About how many samples stand behind sizes and counts that are estimated from samples: a sample stands
 * for `every` bytes, or for one allocation that is larger. Rounded up. */
static inline uint64_t measure_samples(uint64_t bytes, uint64_t count, uint64_t every)
{
    uint64_t n = bytes / every + (bytes % every > 0);

    return count < n ? count : n;
}

/* Of a measure in bytes that is estimated so, the one that counts the same allocations: "unreleased-count"
 * of "unreleased". False if there is none. */
bool measure_counts(const struct profile *p, const struct measure *bytes, struct measure *counts);
static inline uint64_t measure_self(const struct profile *p, const struct measure *m, node_id node)
{
    return m->waiting ? profile_waiting(p, node, m->value, m->minus) : profile_self(p, node, m->value);
}

/* How much a number changed from one recording to another, in words and as one of the steps of a scale.
 * Knows two numbers and nothing else. */

enum { CHANGE_STEPS = 9, CHANGE_SAME = CHANGE_STEPS / 2 };

/* Appends "+12.5 ms" or "-3"; "0 ns". */
void change_put(struct buf *out, enum unit unit, uint64_t a, uint64_t b);

/* Appends the change in percent of a: "+25 %", "-3.5 %"; "new" where a is nothing, "gone" where b is nothing. */
void change_put_percent(struct buf *out, uint64_t a, uint64_t b);

/* From 0, all of it gone, over CHANGE_SAME to CHANGE_STEPS - 1, all of it new: how large the change is
 * beside the larger of the two. */
unsigned change_step(uint64_t a, uint64_t b);

/* What a step says, for legends: "-20 %". */
const char *change_step_label(unsigned step);
