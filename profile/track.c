#include "profile/track.h"

/* THE TABLE of words for tracks. */
static const struct track_noun NOUNS[] = {
    [TRACK_THREAD] = {"thread", "thread", "threads", "tid"},
    [TRACK_HEAP] = {"heap", "heap", "heaps", "pid"},
    [TRACK_PROCESS] = {"process", "process", "processes", "pid"},
    [TRACK_LABEL] = {"label", "label value", "label values", ""},
    [TRACK_ASYNC] = {"async", "asynchronous track", "asynchronous tracks", "pid"},
    [TRACK_SAMPLES] = {"samples", "track of samples", "tracks of samples", "tid"},
    [TRACK_SECOND] = {"second", "second track of a thread", "second tracks of threads", "tid"},
    [TRACK_WHOLE] = {"whole", "profile", "profiles", ""},
    [TRACK_KINDS] = {"track", "track", "tracks", ""},
};

const struct track_noun *track_noun(enum track_kind kind)
{
    return &NOUNS[kind];
}

const struct track_noun *track_noun_by_word(struct str word)
{
    for (size_t i = 0; i < sizeof(NOUNS) / sizeof(*NOUNS); i++)
        if (str_eq(word, str_of(NOUNS[i].word)))
            return &NOUNS[i];
    return &NOUNS[TRACK_THREAD];
}

enum track_kind track_kind_of_all(const struct profile *p)
{
    for (uint32_t i = 1; i < p->n_tracks; i++)
        if (p->tracks[i].kind != p->tracks[0].kind)
            return TRACK_KINDS;
    return p->n_tracks > 0 ? p->tracks[0].kind : TRACK_KINDS;
}

const char *track_word(const struct profile *p, uint64_t n)
{
    const struct track_noun *noun = track_noun(track_kind_of_all(p));

    return n == 1 ? noun->one : noun->many;
}

void track_label(struct buf *b, const struct profile *p, const struct profile_track *t)
{
    const struct track_noun *noun = track_noun(t->kind);

    buf_char(b, '[');
    buf_str(b, profile_string(p, t->name));
    if (noun->number[0] != '\0') {
        buf_printf(b, " %s=", noun->number);
        buf_u64(b, t->number);
    }
    if (t->part != STRING_EMPTY) {
        buf_printf(b, " %s=", noun->word);
        buf_str(b, profile_string(p, t->part));
    }
    buf_char(b, ']');
}

void track_title_rest(struct buf *b, const struct profile *p, const struct profile_track *t)
{
    if (t->part != STRING_EMPTY) {
        buf_z(b, ", ");
        buf_str(b, profile_string(p, t->part));
    }
    if (track_noun(t->kind)->number[0] != '\0') {
        buf_z(b, " (");
        buf_u64(b, t->number);
        buf_char(b, ')');
    }
}

uint32_t track_process(const struct profile *p, const struct profile_track *t)
{
    uint64_t pid = 0;

    if (t->kind == TRACK_PROCESS || t->kind == TRACK_HEAP || t->kind == TRACK_ASYNC)
        return t->number;
    if (t->process != 0 || !str_to_u64(profile_fact(p, STR("pid")), 10, &pid) || pid > UINT32_MAX)
        return t->process;
    return (uint32_t)pid; /* A method trace is of one process, and says it of the whole. */
}
