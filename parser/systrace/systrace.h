/* System traces: what Perfetto files hold beside profiles. Sections that apps and the system mark (atrace, track
 * events), binder calls, and what the scheduler did, as calls of threads with the time of each state.
 * protos/perfetto/trace of github.com/google/perfetto has the packets; src/trace_processor/importers how they are meant.
 *
 * The reader of packets (parser/perfetto) hands each one over in the order of the file:
 *
 *     s = systrace_new(builder, limits);
 *     for each packet: systrace_clocks, systrace_cleared, systrace_defaults, systrace_interned, as it has them;
 *                      then systrace_packet
 *     if (systrace_has_records(s)) systrace_result(s, beside, n_beside)
 *
 * Records are 24 bytes each until the end, since CPUs are far apart in the file and all must be in the order of time.
 * All that return bool: false when the builder's arena gives no more. */
#pragma once

#include "parser/format.h"

struct systrace;

/* A packet whose state was looked at. */
struct systrace_packet {
    uint64_t timestamp, offset;
    uint32_t clock;    /* that the timestamp is of; 0: none is named */
    uint32_t sequence; /* the number of its sequence, from 0 */
    uint32_t field;    /* of TracePacket, which says what the data are */
    bool has_time, has_sequence;
    bool valid; /* the sequence's interned data can be relied on */
    struct str data;
};

/* NULL: the arena gives no more. */
struct systrace *systrace_new(struct builder *b, const struct reader_limits *limits) MUST_CHECK;

bool systrace_clocks(struct systrace *s, uint32_t sequence, struct str snapshot) MUST_CHECK;
/* The sequence's interned data and defaults start anew. */
void systrace_cleared(struct systrace *s, uint32_t sequence);
/* TracePacketDefaults of the sequence. */
bool systrace_defaults(struct systrace *s, uint32_t sequence, struct str defaults) MUST_CHECK;
/* InternedData of the sequence. */
bool systrace_interned(struct systrace *s, uint32_t sequence, struct str data) MUST_CHECK;
bool systrace_packet(struct systrace *s, const struct systrace_packet *p) MUST_CHECK;

/* What comes is another file of the same recording: its tracks have numbers of their own, and so may its clocks. One that says
 * nothing of clocks counts in the monotonic one, as what AndroidX's benchmarks add to a trace does (androidx.benchmark,
 * InMemoryTracing.kt). */
void systrace_part(struct systrace *s);

/* Whether there are sections or records of the scheduler. */
bool systrace_has_records(const struct systrace *s);
/* When the first record is. Behind the last packet. */
bool systrace_begins(struct systrace *s, uint64_t *ns) MUST_CHECK;
/* The recording had begun at that time: times are told since then, if no record is earlier. */
void systrace_began(struct systrace *s, uint64_t ns);
/* Tells the builder all of it. Behind the last packet, once. The values of samples that the caller tells behind it, none or
 * some. */
bool systrace_result(struct systrace *s, const struct profile_value *beside, uint32_t n_beside) MUST_CHECK;

/* Behind the result: what is known of a thread that has samples. */
struct systrace_whose {
    uint32_t track;          /* the id of the track with its sections and states; 0: there is none */
    string_id name, process; /* STRING_EMPTY: not known; STRING_NONE: the arena gives no more */
};
struct systrace_whose systrace_whose(struct systrace *s, uint32_t pid, uint32_t tid);
/* Whether one of its tracks has that id. */
bool systrace_has_track(const struct systrace *s, uint32_t id);

/* The standard name of a section, in a buffer of as many bytes as the name has: numbers and addresses become `#`, and what
 * follows a known beginning goes. Returns how many bytes there are. */
size_t systrace_standard_name(struct str name, char *to);
