/* Which profile is meant: of which bytes, read how. Profiles, views, jobs, caches and the command line
 * pass one of these and nothing beside it. Two profiles are equal if their ids are. Plain data, to be
 * copied; zeroed it is of no bytes. Any thread. */
#pragma once

#include "core/buf.h"
#include "profile/calls/window.h"
#include "render/view/view.h"
#include "server/store/record.h"

struct profile_id {
    /* The digest of the bytes. The command line leaves it empty. */
    char sha256[RECORD_SHA256_CHARS + 1];
    /* An upload that has them in the store, or ""; says where they are, and is no part of what is meant. */
    char upload[RECORD_ID_CHARS + 1];
    /* The member that is meant where the bytes are an archive; "": the only one. */
    char member[RECORD_MEMBER_BYTES + 1];
    /* The files that tell its names. */
    struct record_names names;
    /* The label of samples whose values the tracks are, as view_options.split; "": the file's own tracks. */
    char split[VIEW_SPLIT_BYTES_MAX + 1];
    /* The window of time; zeroed: the whole. */
    struct window window;
};

/* The whole profile of the upload, with the tracks of its file. */
struct profile_id profile_id_of(const struct record *record);

static inline bool profile_id_has_window(const struct profile_id *id)
{
    return id->window.to_ns > id->window.from_ns;
}

/* The profile that this one is a window of. */
static inline struct profile_id profile_id_whole(const struct profile_id *id)
{
    struct profile_id whole = *id;

    whole.window = (struct window){0};
    return whole;
}

/* Names what was read, for logs and canonical texts: the digest of the bytes, or, where a member was
 * chosen or files tell the names, of that digest with the member and theirs. Neither split nor window is
 * among it. Empty text: no memory. */
void profile_id_source(const struct profile_id *id, char out[RECORD_SHA256_CHARS + 1]);

/* Appends the canonical text: equal ids have equal texts, others do not. text->failed: no memory. */
void profile_id_canonical(const struct profile_id *id, struct buf *text);
