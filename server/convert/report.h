/* Reports: what is made of a stored profile beside pictures: the table of methods, one method, the
 * verdict. Each is a row of a table; its URL, its media type and its part of cache keys come from the row. */
#ifndef SERVER_CONVERT_REPORT_H
#define SERVER_CONVERT_REPORT_H

#include <jansson.h>

#include "render/method/method.h"
#include "render/table/diff.h"
#include "render/table/diff_words.h"
#include "render/table/table_format.h"
#include "render/verdict/verdict.h"
#include "render/view/text_format.h"
#include "runs/fail_rule.h"
#include "server/convert/convert.h"

/* Appends the sentences about a profile in that format. For the long calls of the main thread the bytes are read
 * again; where there is no file, rules that need them stay silent. False: diag. */
bool convert_verdict(const struct convert_source *s, const struct view_options *view,
                     const struct verdict_format *format, struct buf *out, struct diag *diag);

/* Appends the first of the sentences, as VERDICT_JSON has them, or the table of a comparison its "verdict": raw. */
void report_headline(const json_t *sentences, struct buf *b);
/* The same from JSON with the sentences as a member of that name, which is freed. False: diag. */
bool report_take_headline(struct buf *json, const char *member, struct buf *headline, struct diag *diag)
    __attribute__((warn_unused_result));

/* The profile table of a folded profile: what GET /p/<id>/methods and `aflamed methods` answer with. */

/* Appends the table to `out`, within view_memory_bytes. Of the view, tracks, value and open count,
 * resolved against the profile here; the heaviest track is meant where TRACKS_LISTED names none. The same
 * bytes for the same profile, options and format->revision, so that they can be kept. Any thread. Where
 * longest calls are asked for, the bytes are read again. What calls lasted is of the whole recording,
 * whatever filters take out. A profile that measures no time has no such columns. False: diag, as
 * convert_view has it, and DIAG_USAGE for a column that the table does not have. */
bool convert_methods(const struct convert_source *s, const struct view_options *view,
                     const struct table_request *request, const struct table_format *format, struct buf *out,
                     struct diag *diag) __attribute__((warn_unused_result));

/* Appends the digest of the profile (render/digest/profile_digest.h). False: diag. */
bool convert_digest(const struct convert_source *s, const struct view_options *view, struct buf *out,
                    struct diag *diag) __attribute__((warn_unused_result));

/* The same with the report of one method, which is named by its id or its text: see
 * render/method/method.h. Of the request limit, offset and longest count: also how long its calls were. */
bool convert_method(const struct convert_source *s, const struct view_options *view, struct str name,
                    const struct table_request *request, const struct method_format *format, struct buf *out,
                    struct diag *diag) __attribute__((warn_unused_result));

/* The table of a comparison: what `aflamed diff` and GET /d/<idA>..<idB>/methods answer with. */

struct method_format; /* render/method/method.h */

/* Rules that the comparison must not pass, and what is said of those that it passes. */
struct diff_checks {
    const struct fail_rule *rules;
    uint32_t n;
    bool passed;      /* one of them */
    struct buf *says; /* a line for each that is */
};

/* Appends the table to `out`, as convert_methods does. `checks` may be NULL. `f` is of convert_compare;
 * the value is the request's, and that of the view stays empty. False: diag. */
bool convert_diff(const struct shared_profile *f, const struct config *config,
                  const struct view_options *view, const struct table_request *rows,
                  const struct diff_request *request, const struct table_format *format,
                  struct diff_checks *checks, struct buf *out, struct diag *diag)
    __attribute__((warn_unused_result));

/* Of one method, named by its id or its name, what both sides have, with its callers and callees: in the
 * format, of the profile of both sides (profile/transform/transform.h). Of calls, an edge has those
 * between the two. Of the rows limit and offset count, for each list by itself. False: diag. */
bool convert_diff_method(const struct shared_profile *f, const struct config *config,
                         const struct view_options *view, struct str method, const struct table_request *rows,
                         const struct diff_request *request, const struct method_format *format,
                         struct buf *out, struct diag *diag) __attribute__((warn_unused_result));

/* As convert_methods, with what all threads did in a window of time. Of the view, tracks, app, open, width and the window
 * count, and of tracks that are opened the filters. The profile's log is replayed. */
struct lanes_format;
bool convert_lanes(const struct convert_source *s, const struct view_options *view,
                   const struct lanes_asked *asked, const struct lanes_format *format, struct buf *out,
                   struct diag *diag) __attribute__((warn_unused_result));

/* The options that lanes depend on, all others as they are by default: what else a client asks for does not make another
 * answer. */
void convert_lanes_options(const struct config *config, const struct lanes_asked *what,
                           struct view_options *view);

/* The table of frames that were shown too late, in the window of the profile. Of the view only the own code counts: all
 * threads and all sections are looked at. False: diag. */
struct late_frames_format;
bool convert_frames(const struct convert_source *s, const struct view_options *view,
                    const struct late_frames_format *format, struct buf *out, struct diag *diag)
    __attribute__((warn_unused_result));

/* The parts of a page that is one file, for who writes it (server/pages/page_bundle.c). Each is a line, "NAME BYTES", and
 * so many bytes: "words", what VERDICT_JSON has; "lanes", where the profile has times, "methods" and "picture-ID" of each
 * thread that there is room for, the heaviest first, in base64 of gzip. False: diag. */
bool convert_bundle(const struct convert_source *s, const struct view_options *view, struct buf *out,
                    struct diag *diag) __attribute__((warn_unused_result));

/* What a report is made of. */
struct report_input {
    struct convert_source source; /* with the stored file for reports that read it again */
    const struct view_options *view;
    const struct asked *request;
};

/* The card of an upload (render/card/card.h): of the thread that is asked for, else of the main one. False: diag. */
bool convert_card(const struct report_input *in, struct buf *out, struct diag *diag)
    __attribute__((warn_unused_result));
/* The card of a comparison, with these words. False: diag. */
struct card_words; /* render/card/card.h */
bool convert_diff_card(const struct report_input *in, const struct card_words *words, struct buf *out,
                       struct diag *diag) __attribute__((warn_unused_result));
/* The picture OUTPUT_SVG, which also says of what it is. Of no chart. False: diag. */
bool convert_alone(const struct report_input *in, struct buf *out, struct diag *diag)
    __attribute__((warn_unused_result));

struct report {
    const char *name; /* "methods", "m": a segment of its URL */
    const struct text_format *format;
    unsigned keys;    /* a sum of enum key_group: those beside the keys of every view */
    bool reads_again; /* needs the stored file, whatever is asked */
    const struct output *
        as; /* browsers may do with it what they may do with this output, whose keys it takes; NULL: nothing */
    bool (*make)(const struct report *r, const struct report_input *in, struct buf *out, struct diag *diag);
};

/* THE TABLE. Rows of one name stand together; the first of them is meant where no suffix is given. */
extern const struct report REPORTS[];
extern const size_t REPORTS_COUNT;

/* NULL: there is none. An empty suffix: the first of that name. */
const struct report *report_by_name(struct str name, struct str suffix);

/* Whether the stored file is needed for it. */
bool report_reads_again(const struct report *r, const struct asked *request);

/* Behind the last key: what the report does not depend on becomes as it is by default. */
void report_settle(const struct report *r, const struct config *config, struct asked *request);

/* As asked for when nothing is said: all threads, all methods. */
void report_defaults(const struct config *config, struct asked *request);

/* Cuts the text to the budget that was asked for, behind its last line that has room, and says how much that is. Its first
 * lines are those that weigh most. One without a budget stays as it is. */
void report_cut(const struct report *r, const struct asked *request, struct buf *out);

/* Appends what the request says, as part of cache keys. */
void report_canonical(const struct asked *request, struct buf *b);

#endif
