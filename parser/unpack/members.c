#include "parser/unpack/members.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/clean.h"
#include "core/hash.h"

static const char DOTS[] = "...";

static void copy(char *out, struct str s)
{
    if (s.n > 0)
        memcpy(out, s.p, s.n);
    out[s.n] = '\0';
}

void unpack_member_name(struct str name, char out[UNPACK_MEMBER_BYTES + 1])
{
    enum { DIGEST_CHARS = 1 + 16 };
    /* Always the same one: the digest is kept. Nobody gains by two names that have the same. */
    static const struct hash_seed SEED = {0, 0};
    /* At its limit from the beginning: it takes no memory, and nothing more when it is full. */
    struct buf cleaned = {.p = out, .capacity = UNPACK_MEMBER_BYTES, .limit = UNPACK_MEMBER_BYTES};
    struct str rest = name;

    while (rest.n > 0 && !cleaned.failed)
        clean_put(&cleaned, clean_next(&rest));
    out[cleaned.n] = '\0';
    if (cleaned.failed) {
        size_t n = clean_cut((struct str){out, cleaned.n}, UNPACK_MEMBER_BYTES - DIGEST_CHARS).n;
        snprintf(out + n, DIGEST_CHARS + 1, "~%016" PRIx64, hash_bytes(SEED, name.p, name.n));
    }
}

/* The number in `#N`; 0: it is a name. */
static uint64_t place_of(struct str member)
{
    uint64_t place;

    if (member.n < 2 || member.p[0] != '#' ||
        !str_to_u64((struct str){member.p + 1, member.n - 1}, 10, &place))
        return 0;
    return place;
}

bool members_is_choice(const struct unpack *u, const char *what)
{
    return what != NULL && what != u->options.beside;
}

static bool is_meant(const struct unpack *u, const struct members *m, struct str name, const char *what)
{
    uint64_t place = place_of(u->options.member);

    if (u->options.member.p == NULL)
        return members_is_choice(u, what) ? m->recognised == 0 : m->usable == 0;
    if (m->found)
        return false;
    return place > 0 ? m->usable + 1 == place : str_eq(name, u->options.member);
}

static void list_one(struct member *listed, struct str name)
{
    copy(listed->whole, name);
    listed->cut = name.n > MEMBERS_LISTED_BYTES;
    if (!listed->cut) {
        copy(listed->name, name);
        return;
    }
    /* The end of a long path says most. */
    size_t from = name.n - (MEMBERS_LISTED_BYTES - (sizeof(DOTS) - 1));
    while (from < name.n && (name.p[from] & 0xc0) == 0x80)
        from++;
    memcpy(listed->name, DOTS, sizeof(DOTS));
    copy(listed->name + sizeof(DOTS) - 1, (struct str){name.p + from, name.n - from});
}

/* Room in the list; if there is none, and it is worth it, that of the last one that is not recognised. NULL: none. */
static struct member *room_for(struct members *m, const char *what)
{
    size_t at = m->n_listed;

    if (at < MEMBERS_LISTED_MAX)
        return &m->listed[m->n_listed++];
    while (at > 0 && m->listed[at - 1].what != NULL)
        at--;
    if (what == NULL || at == 0)
        return NULL;
    memmove(&m->listed[at - 1], &m->listed[at], (MEMBERS_LISTED_MAX - at) * sizeof(m->listed[0]));
    return &m->listed[MEMBERS_LISTED_MAX - 1];
}

static void take(struct unpack *u, struct members *m, struct str name, uint64_t place)
{
    m->found = true;
    m->place = place;
    copy(m->taken, name);
    u->report.member = str_of(m->taken);
}

/* The folder of a name, with its slash. */
static struct str folder_of(struct str name)
{
    while (name.n > 0 && name.p[name.n - 1] != '/')
        name.n--;
    return name;
}

/* AndroidX's benchmarks write a zip of Trace.pb, InMemoryTrace.pb and MethodTrace.pb: one recording. Recordings that have
 * nothing to do with each other are called otherwise, or are in folders of their own. (androidx.benchmark,
 * PerfettoOutput.kt) */
static bool is_part_name(struct str name)
{
    struct str folder = folder_of(name);

    return str_ends(name, STR(".pb")) && name.p[folder.n] >= 'A' && name.p[folder.n] <= 'Z';
}

static void note_part(struct unpack *u, struct members *m, struct str name, uint64_t place, const char *what)
{
    bool beside_others = !m->found || str_eq(folder_of(name), folder_of(str_of(m->taken)));

    if (u->options.is_part != NULL && u->options.member.p == NULL && members_is_choice(u, what) &&
        u->options.is_part(what) && is_part_name(name) && beside_others && m->n_parts < UNPACK_PARTS_MAX)
        m->parts[m->n_parts++] = place;
}

bool members_are_parts(const struct members *m)
{
    return m->n_parts > 1 && m->n_parts == m->recognised && m->unseen == 0;
}

bool members_is_index(struct str name)
{
    return str_ends(name, STR("benchmarkData.json"));
}

void members_note(struct unpack *u, struct members *m, const char *name, uint64_t place,
                  const struct look *look)
{
    const char *what = look->what;
    struct str whole = str_of(name);
    bool meant = is_meant(u, m, whole, what);
    struct member *listed = room_for(m, what);

    if (listed != NULL) {
        list_one(listed, whole);
        listed->number = m->usable + 1;
        listed->what = what;
    }
    m->usable++;
    if (m->index[0] == '\0' && members_is_index(whole)) {
        copy(m->index, whole);
        u->report.index = str_of(m->index);
    }
    if (!look->inside)
        note_part(u, m, whole, place, what);
    m->recognised += members_is_choice(u, what);
    u->report.recognised = m->recognised;
    if (meant)
        take(u, m, whole, place);
    else if (m->found && u->options.member.p != NULL && str_eq(whole, str_of(m->taken)))
        u->report.same_names++;
}

/* Whether its name, as it is listed, does not tell it from the others. */
static bool needs_place(const struct members *m, uint64_t at, uint64_t listed)
{
    for (uint64_t i = 0; i < listed; i++)
        if (i != at && strcmp(m->listed[i].name, m->listed[at].name) == 0)
            return true;
    return m->listed[at].cut;
}

/* "a (folded stacks), b (#2), c and 3 more" */
static void list(const struct unpack *u, const struct members *m, struct buf *b)
{
    const struct unpack_options *o = &u->options;

    for (size_t i = 0; i < m->n_listed; i++) {
        buf_z(b, i == 0 ? "" : ", ");
        bool titled = o->title != NULL && o->title(o->context, str_of(m->listed[i].whole), b);
        if (!titled)
            buf_z(b, m->listed[i].name);
        if (titled || needs_place(m, i, m->n_listed))
            buf_printf(b, " (#%llu)", (unsigned long long)m->listed[i].number);
        if (m->listed[i].what != NULL)
            buf_printf(b, " (%s)", m->listed[i].what);
    }
    if (m->n_listed < m->usable)
        buf_printf(b, " and %llu more", (unsigned long long)(m->usable - m->n_listed));
    if (m->n_listed == 0)
        buf_z(b, "nothing usable");
    if (m->more)
        buf_z(b, ", as far as it can be read");
}

/* An archive within an archive, in which nothing can be chosen. */
static void refuse_inner(struct unpack *u, const struct members *m, struct str shown)
{
    diag_set(
        u->diag, DIAG_UNUSABLE, "archive within an archive",
        "An archive may hold archives, each with one recording in it. Unpack this one, and upload what it has.",
        "%.120s in the %s is a %s of %llu files%s: %.*s.", u->outer->report.member.p, u->outer->packer->noun,
        u->packer->noun, (unsigned long long)m->usable,
        m->recognised == 0 ? ", none of which is read here" : "", (int)shown.n, shown.p);
}

bool members_judge(struct unpack *u, const struct members *m)
{
    static const char HINT[] = "Choose one by its name, or by its place in this list, as #2.";
    bool named = u->options.member.p != NULL;
    bool several = !named && m->usable > 1 && !members_are_parts(m) && (m->recognised != 1 || m->unseen > 0);
    struct buf names = {0};

    list(u, m, &names);
    struct str shown = names.failed ? STR("") : buf_view(&names);
    if (several && u->outer != NULL) {
        refuse_inner(u, m, shown);
    } else if (several && m->recognised == 0 && m->unseen == 0 && !m->more) {
        diag_set(
            u->diag, DIAG_UNUSABLE, "nothing to read in the archive",
            "Pack recordings, or archives of one recording each. A file that is chosen by its name says what it is.",
            "The %s has %llu files, none of which is read here: %.*s.", u->packer->noun,
            (unsigned long long)m->usable, (int)shown.n, shown.p);
    } else if (several) {
        diag_set(u->diag, DIAG_UNUSABLE, "several files in the archive", HINT, "The %s has %llu files: %.*s.",
                 u->packer->noun, (unsigned long long)m->usable, (int)shown.n, shown.p);
        u->diag->topic = DIAG_ABOUT_MEMBER;
    } else if (named && !m->found) {
        diag_set(u->diag, DIAG_UNUSABLE, "no such file in the archive", HINT,
                 "The %s has no file of the name that was given. It has: %.*s.", u->packer->noun,
                 (int)shown.n, shown.p);
        u->diag->topic = DIAG_ABOUT_MEMBER;
    } else if (m->usable == 0 && u->report.state == UNPACK_WHOLE) {
        diag_set(u->diag, DIAG_UNUSABLE, "no file in the archive",
                 "Pack the trace again, or send it unpacked.", "The %s has no file with anything in it.",
                 u->packer->noun);
    }
    buf_free(&names);
    return u->diag->kind == DIAG_NONE;
}
