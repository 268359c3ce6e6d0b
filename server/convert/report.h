/* Reports: what is made of a stored profile beside pictures: the table of methods, one method, the verdict. Each is a row of a
 * table; its URL, its media type and its part of cache keys come from the row. */
#ifndef SERVER_CONVERT_REPORT_H
#define SERVER_CONVERT_REPORT_H

#include "render/lanes/lanes_asked.h"
#include "render/table/diff.h"
#include "render/table/table_request.h"
#include "render/view/text_format.h"
#include "server/convert/convert.h"

enum { REPORT_METHOD_BYTES_MAX = 500 };

/* What is asked of a report, beside the options of a view. */
struct report_request {
    struct table_request table;
    struct diff_request diff;                 /* of a comparison */
    char method[REPORT_METHOD_BYTES_MAX + 1]; /* an id, or a name as shown; "": none */
    struct lanes_asked lanes;
};

/* What a report is made of. */
struct report_input {
    struct convert_source source; /* with the stored file for reports that read it again */
    const struct view_options *view;
    const struct report_request *request;
};

struct report {
    const char *name; /* "methods", "m": a segment of its URL */
    const struct text_format *format;
    bool takes_table; /* the keys of the table (render/table/table_request.h) */
    bool of_method;   /* its URL names a method; of these keys it takes those that are of a method, too */
    bool reads_again; /* needs the stored file, whatever is asked */
    bool
        takes_diff; /* is of a comparison: the keys of the table but those that need another reading, and those of diff.h */
    bool takes_lanes; /* the keys of lanes (render/lanes/lanes_asked.h) */
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
bool report_reads_again(const struct report *r, const struct report_request *request);

/* Whether the report has a key of its own with that name, beside the options of a view. */
bool report_takes(const struct report *r, struct str key);
/* Sets it. False: diag (DIAG_USAGE), and *request is as before. */
bool report_set(const struct report *r, struct report_request *request, struct str key, struct str value,
                struct diag *diag) __attribute__((warn_unused_result));
/* Behind the last key: what the report does not depend on becomes as it is by default. */
void report_settle(const struct report *r, const struct config *config, const struct report_request *request,
                   struct view_options *view);

/* As asked for when nothing is said: all threads, all methods. */
void report_defaults(const struct config *config, struct view_options *view, struct report_request *request);

/* Appends what the request says, as part of cache keys. */
void report_canonical(const struct report_request *request, struct buf *b);

#endif
