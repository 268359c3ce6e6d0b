/* Reports: what is made of a stored profile beside pictures: the table of methods, one method, the
 * verdict. Each is a row of a table; its URL, its media type and its part of cache keys come from the row. */
#pragma once

#include <jansson.h>

#include "render/method/method.h"
#include "render/table/diff.h"
#include "render/table/diff_words.h"
#include "render/table/table_format.h"
#include "render/verdict/verdict.h"
#include "render/view/text_format.h"
#include "runs/fail_rule.h"
#include "server/convert/convert.h"

/* Rules that a comparison must not pass, and what is said of those that it passes. */
struct diff_checks {
    const struct fail_rule *rules;
    uint32_t n;
    bool passed;      /* one of them */
    struct buf *says; /* a line for each that is */
};

/* What a report is made of, and how it is written. */
struct report_input {
    struct convert_source source;     /* with the stored file for reports that read it again */
    const struct view_options *view;  /* resolved against the profile when the report is made */
    const struct asked *request;      /* its other keys */
    struct str method;                /* of a report about one: its id, or its name as shown */
    const struct text_format *format; /* the beginning of the row of the report's own kind of format */
    struct diff_checks *checks;       /* of the table of a comparison; may be NULL */
};

/* The reports. Each is appended to `out`, within view_memory_bytes: the same bytes for the same profile, options and
 * revision of the format, so that they can be kept. Any thread. False: diag, as convert_view has it, and DIAG_USAGE for
 * a column that the table does not have. Those of a comparison take a profile of convert_compare. */

/* The table of methods: what GET /p/<id>/methods and `aflamed methods` answer with. Where longest calls are asked for,
 * the bytes are read again. What calls lasted is of the whole recording, whatever filters take out. A profile that
 * measures no time has no such columns. */
bool convert_methods(const struct report_input *in, struct buf *out, struct diag *diag) MUST_CHECK;
/* One method: see render/method/method.h. Of the table's keys limit, offset and longest count: also how long its calls
 * were. */
bool convert_method(const struct report_input *in, struct buf *out, struct diag *diag) MUST_CHECK;
/* The sentences about a profile. For the long calls of the main thread the bytes are read again; where there is no
 * file, rules that need them stay silent. */
bool convert_verdict(const struct report_input *in, struct buf *out, struct diag *diag) MUST_CHECK;
/* Frames that were shown too late, in the window of the profile. Of the view only the own code counts: all threads and
 * all sections are looked at. */
bool convert_frames(const struct report_input *in, struct buf *out, struct diag *diag) MUST_CHECK;
/* What all threads did in a window of time. Of the view, tracks, app, open, width and the window count, and of tracks
 * that are opened the filters. The profile's log is replayed. */
bool convert_lanes(const struct report_input *in, struct buf *out, struct diag *diag) MUST_CHECK;
/* The table of a comparison: what `aflamed diff` and GET /d/<idA>..<idB>/methods answer with. The value is that of the
 * comparison's keys, and that of the view stays empty. */
bool convert_diff(const struct report_input *in, struct buf *out, struct diag *diag) MUST_CHECK;
/* What both sides have of one method, with its callers and callees, of the profile of both sides
 * (profile/transform/transform.h). Of calls, an edge has those between the two. Of the rows limit and offset count, for
 * each list by itself. */
bool convert_diff_method(const struct report_input *in, struct buf *out, struct diag *diag) MUST_CHECK;
/* The digest of the profile (render/digest/profile_digest.h). */
bool convert_digest(const struct report_input *in, struct buf *out, struct diag *diag) MUST_CHECK;
/* The card of a comparison. */
bool convert_diff_card(const struct report_input *in, struct buf *out, struct diag *diag) MUST_CHECK;

/* Of a comparison the first sentence says by how much, the second one what. */
enum { HEADLINE = 1, HEADLINE_OF_CHANGE = 2 };

/* Appends so many of the sentences, as VERDICT_JSON has them, or the table of a comparison its "verdict": raw. */
void report_headline(const json_t *sentences, size_t n, struct buf *b);
/* The same from JSON with the sentences as a member of that name, which is freed. False: diag. */
bool report_take_headline(struct buf *json, const char *member, size_t n, struct buf *headline,
                          struct diag *diag) MUST_CHECK;

struct report {
    const char *name; /* "methods", "m": a segment of its URL */
    const struct text_format *format;
    unsigned keys;    /* a sum of enum key_group: those beside the keys of every view */
    bool reads_again; /* needs the stored file, whatever is asked */
    /* It takes the keys of this output, and browsers may do with it what they may do with that; NULL: nothing. */
    const struct output *as;
    bool (*make)(const struct report_input *in, struct buf *out, struct diag *diag);
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
