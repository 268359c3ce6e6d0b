/* The only place that knows both a parser and a renderer: bytes -> profile -> views.
 *
 *     conversion_new -> conversion_feed .. -> conversion_finish: a shared profile
 *     convert_view, convert_chart: one view of it
 *
 * Knows no store, no HTTP and no threads: see server/views/profiles.h for who shares a profile. A conversion is used by
 * one thread at a time; a shared profile by any number of them. */
#ifndef SERVER_CONVERT_CONVERT_H
#define SERVER_CONVERT_CONVERT_H

#include <stdatomic.h>

#include "core/buf.h"
#include "core/diag.h"
#include "profile/calls.h"
#include "profile/own_code.h"
#include "profile/profile.h"
#include "profile/span.h"
#include "render/output.h"
#include "render/view/view.h"
#include "server/config/config.h"

/* A profile, with what all its views need (the short names of its frames), in one piece of memory. It never changes, so
 * that threads may share it without a lock. It has one owner, who frees it when nobody uses it any more. */
struct shared_profile;

void shared_profile_free(struct shared_profile *f); /* NULL is fine */
const struct profile *shared_profile_get(const struct shared_profile *f);
const struct own_code *shared_profile_own(const struct shared_profile *f); /* as guessed */
size_t shared_profile_bytes(const struct shared_profile *f);               /* memory it holds */

/* The bytes of an upload, on their way to a shared profile. */
struct conversion;

/* NULL: no memory. */
struct conversion *conversion_new(const struct config *config);
/* Of an archive this member is meant; "" is none. Copied. Before the first byte. */
void conversion_choose(struct conversion *f, const char *member);
/* False once no more bytes are taken: the input is known to be unusable (conversion_diag says why), or conversion_wants_whole. */
bool conversion_feed(struct conversion *f, const void *p, size_t n);
/* Whether the file is of a kind that is read as a whole: then conversion_finish needs it. */
bool conversion_wants_whole(const struct conversion *f);
/* After the last byte; ends and frees f in every case. NULL: diag says why. `fd`: the file, for conversion_wants_whole; -1 if there is
 * none, and what is read as a whole is refused. `stop` may be NULL; the work ends soon after *stop has become true, with
 * convert_stopped. */
struct shared_profile *conversion_finish(struct conversion *f, int fd, const atomic_bool *stop,
                                         struct diag *diag);
void conversion_abandon(struct conversion *f); /* NULL is fine */

/* A stored file in steps, so that a long fold can take turns with other work. Feeds the piece at *offset and moves on.
 * The position of the descriptor does not matter; `stop` as for conversion_finish. */
enum convert_step {
    CONVERT_MORE,  /* to be called again */
    CONVERT_FED,   /* The end was reached, or no more bytes are wanted: conversion_finish comes next. */
    CONVERT_FAILED /* diag: the file cannot be read, or *stop has become true */
};
enum convert_step conversion_feed_file(struct conversion *f, int fd, uint64_t *offset,
                                       const atomic_bool *stop, struct diag *diag)
    __attribute__((warn_unused_result));
const struct diag *conversion_diag(const struct conversion *f);

/* Sets diag to say that the service is stopping. Always false. */
bool convert_stopped(struct diag *diag);

/* The options of a view when nothing is said: the defaults, with the budget that the configuration gives a picture. */
void convert_defaults(const struct config *config, struct view_options *view);

/* Renders one view, options resolved against the profile here. The bytes are appended to `out`, within
 * view_memory_bytes. False: diag. */
bool convert_view(const struct shared_profile *f, const struct config *config, const struct output *output,
                  const struct view_options *view, struct buf *out, struct diag *diag);

/* Something else that is made of a profile: draw(what, ...) appends it to `out`, as a renderer does. */
struct convert_drawing {
    bool (*draw)(const void *what, const struct render_input *in, struct buf *out, struct diag *diag);
    const void *what;
};

/* As convert_view. */
bool convert_drawn(const struct shared_profile *f, const struct config *config,
                   const struct convert_drawing *d, const struct view_options *view, struct buf *out,
                   struct diag *diag);

/* The same with the calls that the request asks for, as in->spans: the profile's bytes are read again, from behind the
 * descriptor; `stop` as for conversion_finish. */
bool convert_with_spans(const struct shared_profile *f, const struct config *config, int fd,
                        const atomic_bool *stop, const struct span_request *request,
                        const struct convert_drawing *d, const struct view_options *view, struct buf *out,
                        struct diag *diag);

/* How long calls were, in the arena: the profile's bytes are read again, as above. `request` is of shared_profile_get(f). False:
 * diag. */
bool convert_calls(const struct shared_profile *f, const struct config *config, int fd,
                   const atomic_bool *stop, const struct calls_request *request, struct arena *arena,
                   const struct calls **calls, struct diag *diag) __attribute__((warn_unused_result));

/* As convert_view for VIEW_CHART, for which the profile's bytes are read again, from behind the descriptor; `stop` as for conversion_finish. */
bool convert_chart(const struct shared_profile *f, const struct config *config, int fd,
                   const atomic_bool *stop, const struct output *output, const struct view_options *view,
                   struct buf *out, struct diag *diag);

#endif
