/* What an input format is: one file that fills this row, listed in parser/formats.c. Nothing else knows
 * formats. */
#ifndef PARSER_FORMAT_H
#define PARSER_FORMAT_H

#include "core/diag.h"
#include "parser/unpack/unpack.h"
#include "parser/whole_file.h"
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

/* .. and at so many from its first record on, before it reads that. */
enum { HOLD_BYTES_MAX = 256 << 10 };

struct format {
    const char *name;  /* stable word for URLs, records and JSON */
    const char *label; /* for people: "Android method trace" */
    const char
        *written_by; /* for the documents: the programs that write it; NULL of a row that only refuses */
    size_t state_bytes;
    bool
        labels; /* Samples have labels: it makes tracks of the values of the one that builder_split_key names. */

    /* n bytes from the beginning of the file; `final`: there are no more. Must answer NO or YES when n
     * reaches DETECT_BYTES_MAX or `final` is set. */
    enum detection (*detect)(const uint8_t *p, size_t n, bool final);

    /* The state arrives zeroed. False: diag is set. */
    bool (*begin)(void *state, struct builder *b, const struct reader_limits *limits, struct diag *diag);

    /* Takes whole records from the front of the n unconsumed bytes, which begin at `offset` of the file, and
     * says in *consumed how many bytes they were; the rest comes again, with more behind it. `final`: nothing
     * comes behind it; what is left then is a cut record. Depends on the bytes only, never on where they were
     * cut. False: diag is set. */
    bool (*feed)(void *state, const uint8_t *p, size_t n, uint64_t offset, bool final, size_t *consumed);

    /* NULL, but of a format whose records can be read from any of them on. `held`: from now on feed takes nothing behind what
     * stands in front of the first record; or it goes on there. is_held: it has come there. */
    void (*hold)(void *state, bool held);
    bool (*is_held)(const void *state);
    /* NULL, but of such a format that tells a state of its own with checkpoints (builder.h): here it is again, before what stands
     * there. False: diag is set. */
    bool (*resume)(void *state, const void *saved, size_t bytes);

    /* NULL, but of a format whose names may stand in other files. is_beside: whether these bytes begin such a one, which then is
     * no profile by itself. beside, behind the last feed: from now on feed is given one of these, from its front to `final`. */
    bool (*is_beside)(const uint8_t *p, size_t n);
    void (*beside)(void *state);

    /* NULL, but of a format that cannot be read from front to back. Such a one has no `feed`, and is given the whole file once,
     * which is there during this call only. Packed in a stream or an archive, it is what comes out, kept in the arena.
     * False: diag is set. */
    bool (*read_whole)(void *state, const struct whole_file *file);

    /* After the last feed, or read_whole; the place to say that the file is unusable. False: diag is set. */
    bool (*finish)(void *state, uint64_t file_bytes);
};

/* THE TABLE, in the order in which detection asks. */
extern const struct format *const FORMATS[];
extern const size_t FORMATS_COUNT;

/* Rows that recognise a file only to refuse it, with more to say than that it is unknown; asked behind the
 * others. Their feed always fails. */
extern const struct format *const REFUSED_FORMATS[];
extern const size_t REFUSED_FORMATS_COUNT;

#endif
