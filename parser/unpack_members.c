#include "parser/unpack_members.h"

#include <string.h>

#include "core/clean.h"

static void copy(char *out, struct str s)
{
    if (s.n > 0)
        memcpy(out, s.p, s.n);
    out[s.n] = '\0';
}

void unpack_member_name(struct str name, char out[UNPACK_MEMBER_BYTES + 1])
{
    /* At its limit from the beginning: it takes no memory, and nothing more when it is full. */
    struct buf cleaned = {.p = out, .capacity = UNPACK_MEMBER_BYTES, .limit = UNPACK_MEMBER_BYTES};

    while (name.n > 0 && !cleaned.failed)
        clean_put(&cleaned, clean_next(&name));
    out[cleaned.n] = '\0';
}

bool members_meant(const struct unpack *u, struct members *m, const char *name)
{
    if (u->options.member.p == NULL)
        return m->usable == 0;
    if (m->found || !str_eq(str_of(name), u->options.member))
        return false;
    m->found = true;
    return true;
}

void members_note(struct unpack *u, struct members *m, const char *name, bool meant)
{
    static const char DOTS[] = "...";
    char *listed = m->usable < MEMBERS_LISTED_MAX ? m->listed[m->usable] : NULL;
    struct str whole = str_of(name);

    m->usable++;
    if (listed != NULL && whole.n <= MEMBERS_LISTED_BYTES) {
        copy(listed, whole);
    } else if (listed != NULL) {
        struct str cut = clean_cut(whole, MEMBERS_LISTED_BYTES - (sizeof(DOTS) - 1));
        copy(listed, cut);
        memcpy(listed + cut.n, DOTS, sizeof(DOTS));
    }
    if (meant) {
        copy(m->taken, whole);
        u->report.member = str_of(m->taken);
    }
}

/* "a, b, c and 3 more" */
static void list(const struct members *m, struct buf *b)
{
    uint64_t listed = m->usable < MEMBERS_LISTED_MAX ? m->usable : MEMBERS_LISTED_MAX;

    for (uint64_t i = 0; i < listed; i++)
        buf_printf(b, "%s%s", i == 0 ? "" : ", ", m->listed[i]);
    if (listed < m->usable)
        buf_printf(b, " and %llu more", (unsigned long long)(m->usable - listed));
    if (listed == 0)
        buf_z(b, "nothing usable");
    if (m->more)
        buf_z(b, ", as far as it can be read");
}

void members_judge(struct unpack *u, const struct members *m)
{
    static const char HINT[] =
        "Choose one by its name: curl -F member=NAME -F trace=@FILE, ?member=NAME in the URL, "
        "or --member NAME on the command line.";
    bool named = u->options.member.p != NULL;
    struct buf names = {0};

    list(m, &names);
    struct str shown = names.failed ? STR("") : buf_view(&names);
    if (!named && m->usable > 1) {
        *u->diag = (struct diag){.kind = DIAG_NONE}; /* it was about a member that may not be meant */
        diag_set(u->diag, DIAG_UNUSABLE, "several files in the archive", HINT, "The %s has %llu files: %.*s.",
                 u->packer->noun, (unsigned long long)m->usable, (int)shown.n, shown.p);
    } else if (named && !m->found) {
        diag_set(u->diag, DIAG_UNUSABLE, "no such file in the archive", HINT,
                 "The %s has no file of the name that was given. It has: %.*s.", u->packer->noun,
                 (int)shown.n, shown.p);
    } else if (!named && m->usable == 0 && u->report.state == UNPACK_WHOLE) {
        diag_set(u->diag, DIAG_UNUSABLE, "no file in the archive",
                 "Pack the trace again, or upload it unpacked.", "The %s has no file with anything in it.",
                 u->packer->noun);
    }
    buf_free(&names);
}
