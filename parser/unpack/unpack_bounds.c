/* What the packers share: how a file is known by its first bytes, the bounds of what is unpacked, and what
 * damage was met. */
#include <string.h>

#include "parser/unpack/unpack_impl.h"

/* Whether the magic stands in the n bytes, at its place; *more: as far as they go. */
static bool has_magic(const uint8_t *p, size_t n, size_t at, struct str magic, bool *more)
{
    size_t there = n > at ? n - at : 0;

    if (magic.n == 0 || (there > 0 && memcmp(p + at, magic.p, there < magic.n ? there : magic.n) != 0))
        return false;
    if (there >= magic.n)
        return true;
    *more = true;
    return false;
}

bool unpack_begins(const struct packer *packer, const uint8_t *p, size_t n, bool *more)
{
    for (size_t m = 0; m < UNPACK_MAGICS_MAX; m++)
        if (has_magic(p, n, packer->magic_at, packer->magics[m], more))
            return true;
    return false;
}

void unpack_no_memory(struct unpack *u)
{
    u->stopped = true;
    if (u->arena->failure == ARENA_STOPPED) {
        stop_say(u->arena->stop, u->diag);
        return;
    }
    if (u->arena->failure != ARENA_LIMIT) {
        diag_set(u->diag, DIAG_NO_MEMORY, "out of memory", "Try again later, or on a larger machine.",
                 "The machine has no memory left to unpack the %s.", u->packer->noun);
        return;
    }
    diag_set(u->diag, DIAG_LIMIT, "too large to unpack", "Send the file unpacked.",
             "Unpacking the %s needs more than the limit of %zu bytes of memory.", u->packer->noun,
             u->arena->limit_bytes);
    u->diag->topic = DIAG_ABOUT_MEMORY;
}

static bool too_much(struct unpack *u, enum diag_topic topic, const char *of_what, uint64_t limit)
{
    u->stopped = true;
    diag_set(u->diag, DIAG_LIMIT, "unpacks to too much", "Record a shorter trace, or send it unpacked.",
             "The %s unpacks to more than the limit of %llu bytes%s.", u->packer->noun,
             (unsigned long long)limit, of_what);
    u->diag->topic = topic;
    return false;
}

static bool pass_over(struct unpack *u, size_t n)
{
    const struct unpack_limits *limits = &u->options.limits;

    u->out_bytes += n;
    if (u->out_bytes > limits->bytes)
        return too_much(u, DIAG_ABOUT_UNPACKED_BYTES, "", limits->bytes);
    /* At the beginning any ratio may come out; and before the first byte is done with, `at` is 0. */
    if (u->out_bytes > UNPACK_RATIO_FROM_BYTES && u->out_bytes / (u->at + 1) >= limits->ratio)
        return too_much(u, DIAG_ABOUT_UNPACKED_RATIO, " for each of its own", limits->ratio);
    return true;
}

/* What comes out of an archive within another one comes out of that one, too. */
bool unpack_pass_over(struct unpack *u, size_t n)
{
    if (arena_stopped(u->arena)) {
        unpack_no_memory(u);
        return false;
    }
    for (struct unpack *x = u; x != NULL && !u->stopped; x = x->outer)
        u->stopped = !pass_over(x, n);
    return !u->stopped;
}

void unpack_damage(struct unpack *u, enum unpack_state state, uint64_t at)
{
    if (u->report.state != UNPACK_WHOLE)
        return;
    u->report.state = state;
    u->report.at = at;
}
