/* The only place that knows both a parser and a renderer: bytes -> folded profile -> views. Pure but for
 * memory; any thread, one thread at a time per `struct fold`. */
#ifndef SERVER_CONVERT_CONVERT_H
#define SERVER_CONVERT_CONVERT_H

#include <stdatomic.h>

#include "core/buf.h"
#include "core/diag.h"
#include "profile/profile.h"
#include "render/output.h"
#include "render/view/view.h"
#include "server/config/config.h"

/* A folded profile with what its views share. Immutable, counted, shared by threads. */
struct folded;

struct folded *folded_ref(struct folded *f);
void folded_unref(struct folded *f); /* NULL is fine */
const struct profile *folded_profile(const struct folded *f);
size_t folded_bytes(const struct folded *f); /* memory it holds */

/* A profile while its bytes arrive. */
struct fold;

/* NULL: no memory. */
struct fold *fold_new(const struct config *config);
/* Of an archive this member is meant; "" is none. Copied. Before the first byte. */
void fold_choose(struct fold *f, const char *member);
/* False once the input is known to be unusable; fold_diag says why. */
bool fold_feed(struct fold *f, const void *p, size_t n);
/* After the last byte; ends and frees f in every case. NULL: diag says why. */
struct folded *fold_finish(struct fold *f, struct diag *diag);
void fold_abandon(struct fold *f); /* NULL is fine */
const struct diag *fold_diag(const struct fold *f);

/* Says that it ended because *stop became true, below. False. */
bool convert_stopped(struct diag *diag);

/* Folds what is behind the descriptor, from its beginning to its end; `member` as for fold_choose. NULL: diag; also
 * when *stop became true meanwhile, if that is not NULL. */
struct folded *fold_file(const struct config *config, int fd, const char *member, const atomic_bool *stop,
                         struct diag *diag);

/* The options of a view when nothing is said: the defaults, with the budget that the configuration gives a picture. */
void convert_defaults(const struct config *config, struct view_options *view);

/* Renders one view, options resolved against the profile here. The bytes are appended to `out`, within
 * view_memory_bytes. False: diag. */
bool convert_view(const struct folded *f, const struct config *config, const struct output *output,
                  const struct view_options *view, struct buf *out, struct diag *diag);

/* Something else that is made of a profile: draw(what, ...) appends it to `out`, as a renderer does. */
struct convert_drawing {
    bool (*draw)(const void *what, const struct render_input *in, struct buf *out, struct diag *diag);
    const void *what;
};

/* As convert_view. */
bool convert_drawn(const struct folded *f, const struct config *config, const struct convert_drawing *d,
                   const struct view_options *view, struct buf *out, struct diag *diag);

/* As convert_view for VIEW_CHART, for which the profile's bytes are read again, from behind the descriptor; `stop` as for fold_file. */
bool convert_chart(const struct folded *f, const struct config *config, int fd, const atomic_bool *stop,
                   const struct output *output, const struct view_options *view, struct buf *out,
                   struct diag *diag);

#endif
