/* What can be wrong with an input that is used nevertheless. The sentences stand in warning.c. */
#ifndef PROFILE_WARNING_H
#define PROFILE_WARNING_H

#include "core/buf.h"

/* In the order in which they are shown. */
enum warning_code {
    /* Records: most of all, of methods or threads that the file does not list. */
    WARN_MOSTLY_UNLISTED,

    WARN_OVERFLOW,     /* the recorder's buffer was full */
    WARN_CUT_RECORD,   /* the file ends within a record */
    WARN_RE_ROOTED,    /* exits without enter */
    WARN_POPPED,       /* exits of a frame further down the stack */
    WARN_IGNORED_EXIT, /* exits of a frame that is not on the stack */
    WARN_OPEN_FRAMES,  /* frames never left */
    WARN_TIME_BACK,    /* clock values that go back */
    WARN_CLOCK_WRAP,   /* 32-bit wraps that were unwrapped */
    WARN_UNKNOWN_ACTION,
    WARN_UNKNOWN_METHOD, /* records of methods that the file does not list */
    WARN_UNKNOWN_THREAD, /* threads with records that the file does not list */
    WARN_THREAD_ZERO,    /* records of thread 0 */
    WARN_BAD_METHOD_LINE,
    WARN_BAD_THREAD_LINE,
    WARN_BAD_KEY_LINE,
    WARN_METHOD_REDEFINED, /* one id, two methods */
    WARN_NAME_CUT,         /* names or lines over the limit */
    WARN_CRLF,             /* key section with CR LF */
    WARN_VERSION_MISMATCH, /* text and binary version differ */
    WARN_CLOCK_UNKNOWN,    /* no clock named, or not one that is known */
    WARN_THREAD_REDEFINED, /* one id, two names */
    WARN_DAMAGED,          /* bytes behind a place where the file makes no sense any more */
    WARN_BAD_BLOCK,        /* blocks of records that end in the middle of one */
    WARN_NO_SUMMARY,       /* the text at the end of a streaming file is missing */
    WARN_TRAILING_BYTES,   /* bytes behind the end of the trace */
    WARN_RECORD_COUNT,     /* records more or fewer than the header says */
    WARN_ELAPSED,          /* µs by which records are later than the recording lasted */
    WARN_CLOCK_OVERHEAD,   /* records, where reading the clocks took much of the time */
    WARN_SAMPLED,          /* stacks at intervals, not each call */
    WARN_WALL_SCALE,       /* more CPU time than wall time */
    WARN_TIME_UNIT,        /* nothing says whether times are µs or ns */
    WARN_BAD_FOLDED_LINE,
    WARN_LONG_LINE,      /* folded stacks over the limit, which were left out */
    WARN_VALUE_OVERFLOW, /* sums that passed 64 bits */
    WARN_PACKED_CUT,     /* where in the upload what is packed ends early */
    WARN_PACKED_DAMAGED, /* where in the upload it makes no sense any more */
    WARN_PACKED_CHECKSUM,
    WARN_PACKED_SAME_NAME, /* members of an archive, behind the one of that name that was read */
    WARNING_CODES
};

#define WARNING_NO_OFFSET UINT64_MAX

/* Stable word for JSON. */
const char *warning_name(enum warning_code code);
/* Whether the warning of that name is about how to record better, not about this file. */
bool warning_of_recording(struct str name);
/* One sentence for people on what to do about it. */
const char *warning_next(enum warning_code code);
/* What it means, with the count in it, and what to do: two sentences. */
void warning_text(struct buf *b, enum warning_code code, uint64_t count);

#endif
