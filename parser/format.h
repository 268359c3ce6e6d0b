/* What an input format is: one file that fills this row, listed in parser/formats.c. Nothing else knows
 * formats. */
#pragma once

#include "core/diag.h"
#include "core/parallel.h"
#include "parser/source.h"
#include "parser/unpack/unpack.h"
#include "profile/build/builder.h"

/* How large an input may be. Passing one is DIAG_LIMIT, unless a comment says otherwise. */
struct reader_limits {
    uint32_t methods;    /* lines of the method table */
    uint32_t threads;    /* distinct threads listed or recorded */
    uint32_t line_bytes; /* of one text line; longer ones are cut, those of folded stacks left out, with a
                            warning */
    uint32_t name_bytes; /* of one class, method, signature, file or thread name; longer ones are cut, with a
                            warning */
    struct unpack_limits unpacked;
};

enum detection {
    DETECT_NO,
    DETECT_MORE, /* cannot tell yet */
    DETECT_YES
};

/* A format may look at this many bytes before it must decide. */
enum { DETECT_BYTES_MAX = 4096 };

/* One reading of a file by its format. */
struct reading {
    struct source *source;
    struct builder *builder;
    const struct reader_limits *limits;
    struct diag *diag;
    /* The next file of names beside this one, from its first byte; valid until the next call. NULL: there
     * is no other, or diag is set. For formats with is_beside. */
    struct source *(*next_names)(struct reading *r);
    /* The next file of the same recording, in the same way; all of them come before any file of names. For
     * formats with is_in_parts. */
    struct source *(*next_part)(struct reading *r);
    void *context; /* of both */
    /* For formats that can read pieces of a file at the same time: several threads may read the source's input then
     * (source_input.beside). NULL: they may not. */
    const struct parallel *parallel;
};

struct format {
    const char *name;  /* stable word for URLs, records and JSON */
    const char *label; /* for people: "Android method trace" */
    /* For the documents: the programs that write it. NULL of a row that only refuses. */
    const char *written_by;
    /* Samples have labels: it makes tracks of the values of the one that builder_split_key names. */
    bool labels;
    /* Files of an archive that are of this format and are called Name.pb, side by side, are one recording:
     * reading.next_part. */
    bool is_in_parts;

    /* n bytes from the beginning of the file; `final`: there are no more. Must answer NO or YES when n
     * reaches DETECT_BYTES_MAX or `final` is set. */
    enum detection (*detect)(const uint8_t *p, size_t n, bool final);

    /* NULL, but of a format whose names may stand in other files: whether these bytes begin such a one,
     * which then is no profile by itself. */
    bool (*is_beside)(const uint8_t *p, size_t n);

    /* Reads the file from its first byte to its end, or as far as it is of use, and tells the builder. A
     * state of its own is in the builder's arena. False: diag is set, and says why the file is unusable.
     * Where the source fails, it ends as if the file did; what is told of that is of no matter. */
    bool (*read)(struct reading *r);
};

/* THE TABLE, in the order in which detection asks. */
extern const struct format *const FORMATS[];
extern const size_t FORMATS_COUNT;

/* Rows that recognise a file only to refuse it, with more to say than that it is unknown; asked behind the
 * others. Their `read` always fails. */
extern const struct format *const REFUSED_FORMATS[];
extern const size_t REFUSED_FORMATS_COUNT;
