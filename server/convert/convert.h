/* The only place that knows both a parser and a renderer: bytes -> profile -> views.
 *
 *     conversion_new -> conversion_read: a shared profile
 *     convert_window: the same within a window of time
 *     convert_view: one view of it
 *
 * Knows no store, no HTTP and no threads: see server/views/profiles.h for who shares a profile. A
 * conversion is used by one thread at a time; a shared profile by any number of them. */
#pragma once

#include "core/arena.h"
#include "core/buf.h"
#include "core/diag.h"
#include "core/parallel.h"
#include "core/stop.h"
#include "core/str.h"
#include "parser/source.h"
#include "profile/calls/calls.h"
#include "profile/calls/replay.h"
#include "profile/calls/span.h"
#include "profile/frame/own_code.h"
#include "profile/profile.h"
#include "render/output.h"
#include "render/view/view.h"
#include "server/config/config.h"

struct readable {
    int fd;
    const struct stop *stop; /* reading fails once it was asked; may be NULL */
    struct diag diag;        /* why it could not be read */
};

/* It as the parser reads it, as long as *file stays; of no bytes if there is no such descriptor. */
struct source_input readable_input(struct readable *file);

/* The names of a profile from mapping.txt files: reads the files and applies them. */

/* More are no build's: an app and the parts that are delivered apart from it have one each. */
enum { MAP_NAMES_MAX = 16, MAP_NAMES_PACKAGE_BYTES = 255 };

struct map_names_files {
    int fds[MAP_NAMES_MAX];                                    /* regular files, read by pread */
    char packages[MAP_NAMES_MAX][MAP_NAMES_PACKAGE_BYTES + 1]; /* as struct mapping_use has it */
    uint32_t n;
};

/* A profile, with what all its views need (the short names of its frames), in one piece of memory. It
 * never changes, so that threads may share it without a lock. It has one owner, who frees it when nobody
 * uses it any more. */
struct shared_profile;
void shared_profile_free(struct shared_profile *f); /* NULL is fine */
const struct profile *shared_profile_get(const struct shared_profile *f);

/* Of a window of time the profile of the whole, else itself; and the window, else NULL. */
const struct shared_profile *shared_profile_whole(const struct shared_profile *f);
const struct own_code *shared_profile_own(const struct shared_profile *f); /* as guessed */

/* Memory it holds, with the log of its calls, once that was made. */
size_t shared_profile_bytes(const struct shared_profile *f);

/* The bytes of an upload, on their way to a shared profile:
 *
 *     conversion_new -> conversion_choose, _split, _map, _symbols, _stop as wanted -> conversion_read
 */
struct conversion;

/* NULL: no memory. */
struct conversion *conversion_new(const struct config *config);

/* Of an archive this member is meant; "" is none, or the one that the input names. Copied. */
void conversion_choose(struct conversion *f, const char *member);

/* Tracks are made of the values of this label of samples (reader_split); "" is none. */
void conversion_split(struct conversion *f, const char *key);

/* The names of the profile are told by this mapping.txt too, a regular file: it takes a duplicate of the
 * descriptor, and reads it when the profile is complete. `package`: of which processes, see struct
 * mapping_use. False: diag. */
bool conversion_map(struct conversion *f, int fd, struct str package, struct diag *diag) MUST_CHECK;

/* Symbols are looked for in this regular file or folder too, of which it takes a duplicate of the
 * descriptor: see symbol_search.h. `name` is that of the file, without folders; or empty. False: diag. */
bool conversion_symbols(struct conversion *f, int fd, struct str name, struct diag *diag) MUST_CHECK;

/* Has the profile's log of calls written with this reading, for who is going to need it. Of events it takes a third more
 * time; of samples it may take three times as long, so that it is written of them only if `of_samples`. Before the first
 * byte. False: diag. */
bool conversion_keep_log(struct conversion *f, bool of_samples, struct diag *diag) MUST_CHECK;
/* The same of events, for who will probably need it: a log of more bytes, or whose writing takes more beside, is not kept, and
 * the profile is as good without. */
void conversion_may_keep_log(struct conversion *f, size_t limit_bytes);

/* What can be done side by side is done so: see source_input.beside. `parallel` must stay. */
void conversion_parallel(struct conversion *f, const struct parallel *parallel);

/* The work of conversion_read ends soon after `stop` was asked, which must outlive it. NULL is fine. */
void conversion_stop(struct conversion *f, const struct stop *stop);

/* Reads all that the profile needs of the input, on this thread, which blocks where the input does. Ends
 * and frees f in every case. NULL: diag says why; the input may have more bytes then, which nobody reads.
 * When `in` fails, diag is of DIAG_IO and who gave it knows more. */
struct shared_profile *conversion_read(struct conversion *f, const struct source_input *in,
                                       struct diag *diag) MUST_CHECK;
void conversion_abandon(struct conversion *f); /* NULL is fine */

/* Profiles to compare: n_a runs of A, then n_b of B. Of each run `open` says how far methods that are
 * never left have wall time, and `moment_a` and `moment_b` which one of a series is meant
 * (profile/transform/transform.h): views of the comparison leave both as they are. */
struct convert_runs {
    const struct shared_profile *const *of;
    uint32_t n_a, n_b;
    enum view_open open;
    struct moment_request moment_a, moment_b;
};

/* What is asked of views of the comparison, when these have been made of its runs. */
void convert_compared_options(struct view_options *view);

/* Profiles as one (profile/compare/compare.h), which needs them no longer. NULL: diag. */
struct shared_profile *convert_compare(const struct config *config, const struct convert_runs *runs,
                                       struct diag *diag) MUST_CHECK;

/* The options of a view when nothing is said: the defaults, with the budget that the configuration gives a
 * picture. */
void convert_defaults(const struct config *config, struct view_options *view);

/* Of the picture within the page of an upload of so many bytes: it carries no more than what is wide enough to be seen at
 * first. The script fetches the rest when the page is there (static/flame.js). Small uploads have one picture for the page and
 * as a file. */
void convert_for_page(struct view_options *view, uint64_t bytes);

/* A profile and its bytes, for what reads them again. */
struct convert_source {
    const struct shared_profile *profile;
    const struct config *config;
    int fd;                          /* the file; -1: there is none */
    const struct stop *stop;         /* reading and drawing end soon after it was asked; may be NULL */
    const struct parallel *parallel; /* what may be done side by side; NULL: all is done by one thread */
    /* Has profile_log_read make the log of the profile's calls, for who shares the profile with others.
     * NULL: nobody does. False: diag. */
    bool (*make_log)(void *context, const struct convert_source *s, struct diag *diag);
    void *make_log_context;
};

/* Renders one view, options resolved against the profile here. The bytes are appended to `out`, within
 * view_memory_bytes. VIEW_CHART replays the profile's log of calls. False: diag. */
bool convert_view(const struct convert_source *s, const struct output *output,
                  const struct view_options *view, struct buf *out, struct diag *diag);

/* Something else that is made of a profile: draw(what, ...) appends it to `out`, as a renderer does. */
struct convert_drawing {
    bool (*draw)(const void *what, const struct render_input *in, struct buf *out, struct diag *diag);
    const void *what;
};

/* As convert_view. */
bool convert_drawn(const struct convert_source *s, const struct convert_drawing *d,
                   const struct view_options *view, struct buf *out, struct diag *diag);

/* What follows is made by replaying the profile's log of calls, which is made where it is not there yet. */

/* As convert_drawn, with the calls that the request asks for, as in->spans; `filtered`: those that the
 * view's filters leave. */
bool convert_with_spans(const struct convert_source *s, const struct span_request *request, bool filtered,
                        const struct convert_drawing *d, const struct view_options *view, struct buf *out,
                        struct diag *diag);

/* A window of time of a whole profile, which must outlive it. The options of a view
 * say which one by view_window. NULL: diag; DIAG_USAGE where the profile has no times. */
struct shared_profile *convert_window(const struct convert_source *whole, const struct window *window,
                                      struct diag *diag) MUST_CHECK;

/* The log of calls of a profile (profile/log/call_log.h): made by reading the profile's bytes a second
 * time, when it is first needed, and then kept with the profile for all who need it. It is of the bytes:
 * names, filters and windows do not change it. */

/* Makes the log if it is not there yet, by s->make_log, or else from s->fd. False: diag. */
bool profile_log_make(const struct convert_source *s, struct diag *diag) MUST_CHECK;

/* Makes the log of the source's profile: reads all of its bytes. `parallel` as in conversion_parallel; may be NULL. Of two
 * who do so at a time the first one's log is kept. False: diag, with DIAG_IO where these are not the profile's bytes; not
 * set where `in` knows why they cannot be had. */
bool profile_log_read(const struct convert_source *s, const struct source_input *in,
                      const struct parallel *parallel, const struct stop *stop, struct diag *diag) MUST_CHECK;

/* Fills in the log, which is there, and the profile: that of the source, or the whole that it is a window of. */
void profile_log_request(const struct shared_profile *f, struct replay_request *request);

/* Replays with it, made if it is not there yet. False: diag; if that is not set, the sink has ended the replay. */
bool profile_log_replay(const struct convert_source *s, struct replay_request *request,
                        struct diag *diag) MUST_CHECK;

/* What a replay's answer means: true if it is REPLAY_DONE; diag is set where the log is damaged. */
bool profile_log_ended(enum replay_end end, struct diag *diag);
