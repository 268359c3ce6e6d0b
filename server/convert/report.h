/* Reports: what is made of a stored profile beside pictures: the table of methods, one method, the verdict. Each is a row of a
 * table; its URL, its media type and its part of cache keys come from the row. */
#ifndef SERVER_CONVERT_REPORT_H
#define SERVER_CONVERT_REPORT_H

#include "render/view/key.h"
#include "render/view/text_format.h"
#include "server/convert/convert.h"

/* What a report is made of. */
struct report_input {
    struct convert_source source; /* with the stored file for reports that read it again */
    const struct view_options *view;
    const struct asked *request;
};

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

/* Appends what the request says, as part of cache keys. */
void report_canonical(const struct asked *request, struct buf *b);

#endif
