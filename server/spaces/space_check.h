/* A check of uploads of a space against others of it (runs/check.h): which runs are compared with which.
 *
 * Those under test are the uploads that a query finds. A baseline is the newest uploads that another query finds and that
 * have the same labels, but for those that differ from run to run (series.h) and those that one of the queries speaks of: so
 * a branch is compared with main, scenario by scenario and device by device. Uploads of a commit that is under test are
 * no baseline. */
#pragma once

#include "runs/check.h"
#include "server/spaces/series.h"
#include "server/spaces/stored_digest.h"

enum {
    SPACE_CHECK_BASELINE = 30, /* uploads, the newest */
    SPACE_CHECK_RUNS = 60,     /* under test */
    SPACE_CHECK_GROUPS = 20,
    SPACE_CHECK_RULES = 20
};

struct space_check_asked {
    struct str space;
    const struct query *runs, *baseline;
    struct str only;  /* ids under test, RECORD_ID_CHARS each; empty: all that the query finds */
    bool with_commit; /* with the other runs of their commit that have the same labels */
    const struct fail_rule *rules;
    uint32_t n_rules;
    const struct stop *stop; /* of the work */
};

/* Runs with the same labels, and their baseline. */
struct space_check_group {
    struct str labels;                                /* lines KEY=VALUE */
    const struct stored_digest_of **runs, **baseline; /* the newest first */
    uint32_t n_runs, n_baseline;
    uint32_t n_other; /* of both, left out since they measure something else, as a heap among traces */
    bool is_judged;   /* else there is no baseline, or no run of either side can be read */
    struct check check;
    const char *typical_run,
        *typical_baseline; /* ids, of the median by the first value; where it is judged */
};

struct space_check {
    enum check_state state; /* the worst of all groups; one that is not judged is inconclusive */
    struct space_check_group *groups;
    uint32_t n_groups;
    uint32_t left_out; /* groups, for which there was no room */
    /* of space_check.c */
    struct arena arena;
    struct stored_digest *digests;
    size_t n_digests;
};

/* Fills a zeroed check, whose parts last until space_check_free. Digests that are not there are made. False: diag;
 * DIAG_NOT_FOUND if nothing is under test. Waits without the turn, and leaves it to others now and then. */
bool space_check_run(struct service *service, struct turn *turn, const struct space_check_asked *asked,
                     struct space_check *c, struct diag *diag) MUST_CHECK;
void space_check_free(struct space_check *c);

/* What links begin with: "https://host/", the space, and the ids of what was uploaded for it, if something was. */
struct space_check_links {
    struct str base, space, uploads;
};

/* Why a group is not judged: a sentence without its end. */
const char *space_check_why_not(const struct space_check_group *g);

/* Appends it in that format, which is not CHECK_HTML (server/pages/page_check.h). */
void space_check_write(const struct space_check *c, enum check_format format,
                       const struct space_check_links *links, struct buf *out);
