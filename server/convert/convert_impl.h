/* The inside of a conversion, shared by convert.c (from bytes to a profile, and to its log of calls) and
 * convert_draw.c (what is drawn and listed of both). */
#pragma once

#include "core/system/mapped_file.h"
#include "parser/reader.h"
#include "profile/calls/call_rows.h"
#include "profile/filter/filter.h"
#include "server/convert/convert.h"
#include "server/symbols/symbol_search.h"

struct shared_profile {
    struct arena arena;        /* holds the profile; of a whole one, the names and the member's name too */
    struct mapped_files files; /* of that arena */
    const struct profile *profile;
    const struct names *names;
    bool addresses;                     /* of nameless frames were kept (reader_keep_addresses) */
    const char *member;                 /* of an archive, the member that was chosen; or "" */
    const struct shared_profile *whole; /* of a window of time, what it is a window of; else NULL */
    struct window window;               /* with `whole` */
    struct kept_log *_Atomic
        *log; /* Of a whole one; NULL within: it was not made yet. Once there, it stays. */
    int packets[READER_NAMES_MAX]; /* of a whole one: files that are read beside its own */
    size_t n_packets;
};

/* Files that are read beside the input (reader_attach). */
struct names_packets {
    struct readable of[READER_NAMES_MAX];
    struct source_input files[READER_NAMES_MAX];
};

struct conversion {
    struct shared_profile *made; /* not complete yet: the reader allocates in its arena */
    struct reader reader;
    struct hash_seed seed;
    struct names_packets packets; /* with the descriptors of `made` */
    struct symbol_sources symbols;
    struct map_names_files mappings;
    struct kept_log *keeps; /* that is written with this reading; NULL: none is */
    bool logs_samples;      /* also of a profile of samples alone */
    bool log_may_lack;      /* The profile is good without it. */
};

/* What the configuration says of the size of inputs. */
struct reader_limits conversion_limits(const struct config *config);

/* These set diag, from the arena's failure or to say that there is no memory, and are always false. */
bool conversion_arena_failed(const struct arena *a, struct diag *diag);
bool conversion_no_memory(struct diag *diag);

/* Names with the own code that the view says. NULL: the arena gives no more. */
const struct names *conversion_names(const struct shared_profile *f, const struct view_options *view,
                                     struct arena *arena);
/* The filters of a view; `steps` has room for FILTER_STEPS_MAX. False: the arena gives no more. */
bool conversion_filter(const struct profile *p, const struct names *names, const struct view_options *view,
                       struct filter_step *steps, struct filter_request *filter, struct arena *arena);

/* What the filters of a view leave of the stacks of the profile, in the arena. False: diag. */
bool conversion_stacks(const struct shared_profile *f, const struct view_options *view, struct arena *arena,
                       struct filter_stacks *stacks, struct diag *diag);
/* All that is to be known to tell the calls of filter->tracks, which are set before. In the arena. False: diag. */
bool conversion_span_filter(const struct shared_profile *f, const struct view_options *view,
                            struct arena *arena, struct span_filter *filter, struct diag *diag);
/* Says why there is less than all, if diag does not yet: the arena gave no more, or the sink ended the
 * replay, which it does only where the log has stacks that the profile does not have. Always false. */
bool conversion_replay_failed(struct arena *arena, struct diag *diag);
/* A seed for tables. False: diag. */
bool conversion_seed(struct hash_seed *seed, struct diag *diag);

struct kept_log;
void kept_log_free(struct kept_log *k); /* NULL is fine */
/* Behind the reading. False: diag. */
bool kept_log_finish(struct kept_log *k, const struct profile *p, struct diag *diag) MUST_CHECK;

/* Reads all of the bytes once more, as conversion_read does, but gives no other names. NULL: f->reader.diag. */
const struct profile *conversion_read_bytes(struct conversion *f, const struct source_input *in);

/* Draws; `view` is resolved. */
bool convert_within(const struct convert_source *s, const struct convert_drawing *d,
                    const struct view_options *view, const struct spans *spans, struct buf *out,
                    struct diag *diag);
