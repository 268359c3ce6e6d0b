/* What can be wrong with an input that is used nevertheless. The sentences stand in warning.c. */
#pragma once

#include "core/arena.h"
#include "core/buf.h"

struct profile;
struct profile_warning;

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
    WARN_BAD_LINE,           /* of another text: lines that could not be read */
    WARN_UNKNOWN_STACK,      /* samples of stacks that the file does not list */
    WARN_STACK_REDEFINED,    /* one number, two stacks */
    WARN_SAMPLES_MISSING,    /* samples that the file counts, and does not list */
    WARN_BAD_REFERENCE,      /* ids or strings that the file does not list */
    WARN_BAD_SAMPLE,         /* samples with other than one number for each value */
    WARN_FRAMES_NOT_DROPPED, /* the file asks to leave out frames */
    WARN_VALUES_LEFT_OUT,    /* more values than a profile has room for */
    WARN_UNKNOWN_EVENT,      /* samples of events that the file does not list */
    WARN_SAMPLES_UNCOUNTED,  /* samples that do not say how many events they stand for */
    WARN_LOST_SAMPLES,       /* samples that the recorder lost */
    WARN_UNWINDING,          /* samples whose stack was not unwound to its end */
    WARN_STACKS_CUT,         /* stacks as deep as the recorder keeps them */
    WARN_FRACTION,           /* counts with decimals */
    WARN_BAD_EVENT,          /* events that say too little */
    WARN_NO_WEIGHTS,         /* tracks whose samples have no weights */
    WARN_SAMPLE_AT_ZERO,     /* samples at time 0, long before the next */
    WARN_NO_PROFILE,         /* pieces of a profile whose beginning is missing */
    WARN_SLICES_LEFT_OUT,    /* slices beside samples */
    WARN_SAMPLES_LEFT_OUT,   /* samples beside slices */
    WARN_UNKNOWN_TYPE,       /* profiles in a file of a type that is not known */
    WARN_NEWER_VERSION,      /* the file is of a version that is newer than those that are known */
    WARN_LONG_LINE,          /* folded stacks over the limit, which were left out */
    /* of heap profiles: what went wrong where, from worst to least */
    WARN_HEAP_EMPTY,        /* heaps of which no allocation was sampled */
    WARN_HEAP_REJECTED,     /* dumps: another session recorded the process already */
    WARN_HEAP_DISCONNECTED, /* dumps: the process went away */
    WARN_HEAP_OVERRUN,      /* dumps: the buffer was full */
    WARN_HEAP_CORRUPTED,    /* dumps: the buffer was damaged */
    WARN_HEAP_GUARDRAIL,    /* dumps: a limit of heapprofd ended it */
    WARN_HEAP_CLIENT,       /* dumps: the process failed to record */
    WARN_HEAP_CUT,          /* dumps whose end is missing */
    WARN_HEAP_BACK,         /* counters that go back */
    WARN_HEAP_LATE,         /* dumps of a recording that did not begin with the process */
    WARN_HEAP_ESTIMATE,     /* changes of stacks, which are estimates */
    WARN_LOST_PACKETS,
    WARN_NO_STATE,        /* packets that refer to lost ones */
    WARN_NO_STACK,        /* samples whose stack is not there */
    WARN_BAD_PACKET,      /* packets that are no message */
    WARN_PACKED_PACKET,   /* compressed packets that cannot be unpacked */
    WARN_LARGE_PACKET,    /* packets that are too large */
    WARN_SAMPLES_LOST,    /* CPU samples that the kernel had no room for */
    WARN_SAMPLES_SKIPPED, /* CPU samples whose stack was not unwound */
    WARN_COUNTER_ONLY,    /* CPU samples that count, and have no stack */
    WARN_HEAP_UNWINDING,  /* of heap profiles: stacks that were not unwound to their end */
    WARN_ERROR_FRAMES,    /* frames that are errors of unwinding */
    WARN_ONE_FRAME,       /* libraries beyond whose first frame no stack could be followed */
    WARN_DEDUPED,         /* frames that stand for several methods */
    WARN_NO_NAMES,        /* frames without a name */
    /* of system traces */
    WARN_BEGINS_LATE,      /* records of before all processors have some */
    WARN_EVENTS_LOST,      /* places where the kernel lost events */
    WARN_BUFFER_LOST,      /* pieces that the recorder lost */
    WARN_STATES_LOST,      /* threads that stopped without having run */
    WARN_EVENTS_UNREAD,    /* events that make no sense */
    WARN_CLOCK_FOREIGN,    /* records by a clock that is related to no other */
    WARN_SECTION_ENDS,     /* ends of sections that began before the recording */
    WARN_SECTION_DEEP,     /* sections that are too deep */
    WARN_SECTION_OVERLAPS, /* sections that neither follow nor contain each other */
    WARN_SECTION_TEXT,     /* texts of atrace that are none */
    WARN_TRACKS_MANY,      /* sections of more tracks than there may be */
    WARN_COUNTERS_MANY,    /* readings of counters beyond those that are kept */
    WARN_FRAMES_MANY,      /* frames on the screen beyond those that are kept */
    WARN_NOTES_MANY,       /* annotations of sections beyond those that are kept */
    WARN_NO_SCHEDULER,     /* nothing tells when threads ran */
    WARN_NO_REASONS,       /* nothing tells input and output from other reasons to be blocked */
    WARN_BELOW_ZERO,       /* sums of changes that are below 0 */
    WARN_DIFFERENCES,      /* stacks with values below 0, which may be so */
    WARN_VALUE_OVERFLOW,   /* sums that passed 64 bits */
    WARN_PACKED_CUT,       /* where in the upload what is packed ends early */
    WARN_PACKED_DAMAGED,   /* where in the upload it makes no sense any more */
    WARN_PACKED_CHECKSUM,
    WARN_MAPPING_FEW,        /* names that a mapping does not know, which are most */
    WARN_MAPPING_AMBIGUOUS,  /* names that a mapping has several originals for */
    WARN_MAPPING_CUT,        /* a mapping is not whole */
    WARN_MAPPING_LINES,      /* lines of a mapping that make no sense */
    WARN_SYMBOLS_MISSING,    /* libraries with nameless frames of which there are no symbols */
    WARN_SYMBOLS_OTHER,      /* libraries with nameless frames whose symbols are of another build */
    WARN_SYMBOLS_BY_NAME,    /* libraries that were found by their name alone */
    WARN_SYMBOLS_UNREAD,     /* files of symbols that could not be read to their end */
    WARN_SYMBOLS_UNUSED,     /* no frame needs symbols */
    WARN_SYMBOLS_OTHER_KIND, /* files of symbols that only another kind of profile takes */
    WARN_PACKED_SAME_NAME,   /* members of an archive, behind the one of that name that was read */
    WARN_WINDOW_EMPTY,       /* a window of time in which there is nothing */
    WARN_WINDOW_CUT,         /* calls that an edge of the window cuts */
    WARN_WINDOW_RELEASED,    /* stacks that released more in a window of time than they allocated */
    WARNING_CODES
};

#define WARNING_NO_OFFSET UINT64_MAX

/* Stable word for JSON. */
const char *warning_name(enum warning_code code);
/* The profile's warning with this code; NULL: it has none. */
const struct profile_warning *warning_of(const struct profile *p, enum warning_code code);
/* Whether the warning of that name is about how to record better, not about this file. */
bool warning_of_recording(struct str name);
/* One sentence for people on what to do about it. */
const char *warning_next(enum warning_code code);
/* What it means, with the count in it, and what to do: two sentences. */
void warning_text(struct buf *b, enum warning_code code, uint64_t count);
/* The same into the arena. False when it gives no more. */
bool warning_copy(struct arena *a, enum warning_code code, uint64_t count, struct str *text) MUST_CHECK;
