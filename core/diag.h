/* The diagnostic belongs to the caller: what is wrong, where, and what to do next. Texts are for people who
 * never saw the code; they hold no path and nothing of the program's inside. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/must_check.h"

enum diag_kind {
    DIAG_NONE,
    DIAG_EMPTY,     /* nothing was given */
    DIAG_UNKNOWN,   /* no format that is known */
    DIAG_FOREIGN,   /* a known format that is none of ours */
    DIAG_UNUSABLE,  /* a known format, damaged beyond use */
    DIAG_LIMIT,     /* larger than the configuration allows */
    DIAG_NO_MEMORY, /* the system has no more */
    DIAG_BUSY,      /* not now */
    DIAG_USAGE,     /* the request itself makes no sense */
    DIAG_NOT_FOUND,
    DIAG_GONE,      /* it was there, and is not any more */
    DIAG_AMBIGUOUS, /* several are meant by one name */
    DIAG_FULL,      /* no room left on the device */
    DIAG_CORRUPT,   /* another store has damaged what it was given */
    DIAG_IO
};

/* What a caller may have more to say about, in words that only it knows: the name of the setting that
 * raises a limit, or how a choice is made in a form, a URL or a command. */
enum diag_topic {
    DIAG_ABOUT_NOTHING,
    DIAG_ABOUT_MEMORY,         /* the memory for one profile is used up */
    DIAG_ABOUT_UNPACKED_BYTES, /* a packed file unpacks to more bytes than its limit */
    DIAG_ABOUT_UNPACKED_RATIO, /* a packed file unpacks to too many bytes for each packed one */
    DIAG_ABOUT_METHODS,        /* a profile lists more methods than its limit */
    DIAG_ABOUT_THREADS,        /* a profile lists more threads than its limit */
    DIAG_ABOUT_MEMBER,         /* a file of an archive should be chosen */
    DIAG_ABOUT_TWO_FILES,      /* a trace in two files should be sent as both, or as one */
};

struct diag {
    enum diag_kind kind;
    enum diag_topic topic; /* may be set behind diag_set */
    bool has_offset;
    uint64_t offset;   /* bytes from the beginning of the file */
    char title[96];    /* the kind of problem, the same for each occurrence */
    char detail[1600]; /* room for a list of names */
    char hint[400];    /* the next step; may be empty */
};

/* Sets d unless it is set already: the first error is the one to show. Always returns false. */
bool diag_set(struct diag *d, enum diag_kind kind, const char *title, const char *hint, const char *detail,
              ...) __attribute__((format(printf, 5, 6)));
bool diag_at(struct diag *d, enum diag_kind kind, uint64_t offset, const char *title, const char *hint,
             const char *detail, ...) __attribute__((format(printf, 6, 7)));
/* The same of DIAG_NO_MEMORY: "No memory is left to .." */
bool diag_no_memory(struct diag *d, const char *detail);
