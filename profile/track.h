/* What a track is, and how it is called: whoever shows words for one takes them from here, so that a heap
 * is never called a thread. */
#pragma once

#include "core/buf.h"
#include "profile/profile.h"

struct track_noun {
    const char *word;       /* stable, for JSON: "thread" */
    const char *one, *many; /* in sentences: "thread", "threads" */
    const char *number;     /* before its number: "tid"; "" of one that has none */
};

/* By kind; TRACK_KINDS: of tracks of several kinds. */
const struct track_noun *track_noun(enum track_kind kind);
/* The noun with this word; a thread's, if no kind has the word. */
const struct track_noun *track_noun_by_word(struct str word);

/* The kind of all tracks of the profile; TRACK_KINDS, if they are of several. */
enum track_kind track_kind_of_all(const struct profile *p);

/* "thread" or "threads", as fits n tracks of this profile. */
const char *track_word(const struct profile *p, uint64_t n);

/* Appends how folded stacks and trees call a track: "[main tid=21491]", "[com.example pid=71 heap=libc.malloc]". */
void track_label(struct buf *b, const struct profile *p, const struct profile_track *t);

/* Appends what people put behind its name: " (21491)", ", libc.malloc (71)". Not cleaned. */
void track_title_rest(struct buf *b, const struct profile *p, const struct profile_track *t);

/* The pid of the process that the track is, or is of; 0: nobody says it. */
uint32_t track_process(const struct profile *p, const struct profile_track *t);
