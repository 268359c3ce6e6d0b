/* Other kinds of files that people upload, each with what it is and what to do with it. Recognised only to be
 * refused, and only by their beginning. A kind that is read one day moves from this table to
 * parser/formats.c. */
#ifndef PARSER_REFUSE_FOREIGN_H
#define PARSER_REFUSE_FOREIGN_H

#include "core/diag.h"
#include "core/str.h"

enum { FOREIGN_MARKS = 8 };

enum foreign_where {
    FOREIGN_NOWHERE, /* no mark */
    FOREIGN_AT,      /* these bytes, `at` bytes from the beginning */
    FOREIGN_HEAD,    /* behind a byte order mark, blanks, comments <!-- -->; ASCII letters in either case */
    FOREIGN_LINE     /* at the beginning of a line */
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
    bool (*test)(struct str head);            /* where marks do not; may be NULL */
    bool damaged; /* a file of ours that was changed on its way: DIAG_UNUSABLE, not DIAG_FOREIGN */
};

/* THE TABLE; the first row that matches counts. */
extern const struct foreign FOREIGN[];
extern const size_t FOREIGN_COUNT;

/* The row of a file that begins with these bytes, of which at most DETECT_BYTES_MAX are looked at; NULL: none.
 * They must be the whole file if they are fewer. */
const struct foreign *foreign_find(struct str head);

/* Sets diag from the row. Always returns false. */
bool foreign_refuse(const struct foreign *f, struct diag *diag);

#endif
