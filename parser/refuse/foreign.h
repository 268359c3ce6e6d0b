/* Files that Android people upload in the place of a trace: what each is, and what to do with it. They are
 * recognised only to be refused, and only by their beginning. The table knows nothing of how traces are
 * read. A kind that is read one day leaves this table and gets a row in parser/formats.c. */
#pragma once

#include "core/diag.h"
#include "core/str.h"

enum { FOREIGN_MARKS = 8 };

enum foreign_where {
    FOREIGN_NOWHERE, /* no mark */
    FOREIGN_AT,      /* these bytes, `at` bytes from the beginning */
    FOREIGN_HEAD,    /* behind a byte order mark and blanks; ASCII letters in either case */
    FOREIGN_LINE,    /* at the beginning of a line */
    FOREIGN_KEY      /* of JSON: a member of the outermost object, as is `with`, if that is not empty */
};

/* A sign of a kind: bytes at a place, and elsewhere in the beginning `with`, if that is not empty. */
struct foreign_mark {
    enum foreign_where where;
    struct str bytes;
    struct str with;
    size_t at;
};

struct foreign {
    const char *code;                         /* stable word */
    const char *title, *detail, *hint;        /* for a diag: name, sentence, next step */
    struct foreign_mark marks[FOREIGN_MARKS]; /* one suffices */
    enum diag_topic topic; /* what else can be said of it by those who know how it came; usually nothing */
    bool damaged; /* A method trace, changed on its way or not whole: DIAG_UNUSABLE. Else DIAG_FOREIGN. */
};

/* THE TABLE; the first row that matches counts. */
extern const struct foreign FOREIGN[];
extern const size_t FOREIGN_COUNT;

/* The row of a file that begins with these bytes, of which at most DETECT_BYTES_MAX are looked at; NULL: none.
 * They must be the whole file if they are fewer. */
const struct foreign *foreign_find(struct str head);

/* The same of JSON whose outermost object has members with these keys. */
const struct foreign *foreign_find_keys(const struct str *keys, size_t n);

/* Whether a file that begins so is the list of results that AndroidX's benchmarks write beside their traces
 * (androidx.benchmark, ResultWriter.kt: "context", then "benchmarks"). */
bool foreign_lists_benchmarks(struct str head);

/* Sets diag from the row. Always returns false. */
bool foreign_refuse(const struct foreign *f, struct diag *diag);
