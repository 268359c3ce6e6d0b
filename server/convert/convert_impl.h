/* The inside of a conversion, shared by convert.c (bytes to profile to view) and again.c (what is read a second time). */
#ifndef SERVER_CONVERT_CONVERT_IMPL_H
#define SERVER_CONVERT_CONVERT_IMPL_H

#include "parser/reader.h"
#include "profile/calls/checkpoints.h"
#include "profile/calls/span_rows.h"
#include "profile/filter/filter.h"
#include "server/convert/convert.h"
#include "server/convert/map_names.h"
#include "server/convert/readable.h"
#include "server/symbols/symbol_search.h"

struct shared_profile {
    struct arena arena; /* holds the profile; of a whole one, the names and the member's name too */
    const struct profile *profile;
    const struct names *names;
    bool addresses;                     /* of nameless frames were kept (reader_keep_addresses) */
    const char *member;                 /* of an archive, the member that was chosen; or "" */
    const struct shared_profile *whole; /* of a window of time, what it is a window of; else NULL */
    struct window window;               /* with `whole` */
    /* Of a whole one whose file can be read in parts; NULL: it cannot. NULL within: they were not taken yet. Once there, they stay. */
    struct checkpoints *_Atomic *checkpoints;
    size_t checkpoints_bytes;      /* that they may take */
    int packets[READER_NAMES_MAX]; /* of a whole one: files that are read beside its own */
    size_t n_packets;
};

/* Files that are read beside the input (reader_attach). */
struct names_packets {
    struct readable of[READER_NAMES_MAX];
    struct whole_file files[READER_NAMES_MAX];
};

struct conversion {
    struct shared_profile *made; /* not complete yet: the reader allocates in its arena */
    struct reader reader;
    struct hash_seed seed;
    struct names_packets packets; /* with the descriptors of `made` */
    struct symbol_sources symbols;
    struct map_names_files mappings;
};

/* What the configuration says of the size of inputs. */
struct reader_limits conversion_limits(const struct config *config);

/* These set diag, from the arena's failure or to say that there is no memory or no random number, and are always false. */
bool conversion_arena_failed(const struct arena *a, struct diag *diag);
bool conversion_no_memory(struct diag *diag);
bool conversion_no_seed(struct diag *diag);

/* Of a second reading of a profile's bytes: begun, NULL with diag; whom it tells, and a seed; and its end, behind the last byte,
 * which finds out whether the bytes were the same. */
struct conversion *conversion_again(const struct shared_profile *f, const struct config *config,
                                    struct diag *diag);
bool conversion_watch(struct conversion *again, const struct shared_profile *first, struct watcher *w,
                      struct diag *diag);
struct hash_seed conversion_seed(const struct conversion *again);
bool conversion_end_again(struct conversion *again, const struct convert_source *s, struct diag *diag);

/* Has this file read beside the input: takes a duplicate of the descriptor. False: diag. */
bool conversion_packets(struct conversion *f, int fd, struct diag *diag);

/* Names with the own code that the view says. NULL: the arena gives no more. */
const struct names *conversion_names(const struct shared_profile *f, const struct view_options *view,
                                     struct arena *arena);
/* The filters of a view; `steps` has room for FILTER_STEPS_MAX. False: the arena gives no more. */
bool conversion_filter(const struct profile *p, const struct names *names, const struct view_options *view,
                       struct filter_step *steps, struct filter_request *filter, struct arena *arena);

/* filtered_spans.c: what the filters of a view leave of the stacks of the profile; and what has to be known
 * to tell the calls of filter->tracks, which are set before: the profile's bytes may be read for that. In the arena. False: diag. */
bool conversion_stacks(const struct shared_profile *f, const struct view_options *view, struct arena *arena,
                       struct filter_stacks *stacks, struct diag *diag);
bool conversion_span_filter(const struct convert_source *s, const struct view_options *view,
                            struct arena *arena, struct span_filter *filter, struct diag *diag);

/* Ends the reading; NULL: f->reader.diag. */
const struct profile *conversion_finish_reading(struct conversion *f, int fd, const struct stop *stop);

/* part.c: parts of a file. part_prepare, once: false when the arena gives no more. part_record, for a reading of all before its first
 * byte: takes checkpoints, if there are none yet; NULL: it does not. part_recorded, with that: keeps them, if all went well. part_read,
 * where there are checkpoints: tells the watcher what matters to the window; false: diag. part_outside_is_less: there are checkpoints,
 * and what lies outside of the window is fewer bytes than what lies within. */
bool part_prepare(struct shared_profile *whole);
struct checkpoints *part_record(const struct shared_profile *whole, struct conversion *again);
void part_recorded(const struct shared_profile *whole, const struct conversion *again, struct checkpoints *c,
                   bool ok);
bool part_outside_is_less(const struct shared_profile *whole, const struct window *window);
bool part_read(const struct shared_profile *whole, struct conversion *again, const struct window *window,
               int fd, const struct stop *stop, struct watcher *w, struct diag *diag);

/* As conversion_feed_file, but of nothing behind `end`. */
enum convert_step conversion_feed_until(struct conversion *f, int fd, uint64_t *offset, uint64_t end,
                                        const struct stop *stop, struct diag *diag);

/* Draws; `view` is resolved. */
bool convert_within(const struct shared_profile *f, const struct config *config,
                    const struct convert_drawing *d, const struct view_options *view,
                    const struct spans *spans, struct buf *out, struct diag *diag);

#endif
