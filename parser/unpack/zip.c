/* zip (PKWARE's APPNOTE 6.3), read from its front while it streams by; the directory at its end is not needed. Members
 * one after the other, each
 *
 *   "PK\3\4", u16 version, u16 flags, u16 method, u32 time, u32 CRC-32, u32 packed, u32 unpacked bytes,
 *   u16 bytes of the name, u16 of the extra fields; name; extra fields: u16 kind, u16 bytes, so many
 *   so many packed bytes: stored (method 0) or deflated (8)
 *   with flag 8, where the header may have zeros for them: u32 CRC-32, packed, unpacked bytes, u32 or (zip64) u64 each;
 *   mostly behind "PK\7\8"
 *
 * then the directory, "PK\1\2", or another header that ends the members. Sizes of 2^32 - 1 stand in the extra field 1
 * as u64. An archive in several files begins with "PK\7\8", and one that has become one with "PK00".
 *
 * What is stored with its sizes behind it ends nowhere that could be told, unless it is empty: the descriptor follows
 * at once then, as it does of a folder.
 *
 * A member is usable if it is no folder, not of __MACOSX/, and not empty. A second one that nobody expected is known
 * late: the rest is then read for the names only. Of several members of one name the first one is meant. */
#include <string.h>

#include "core/cursor.h"
#include "parser/unpack/members.h"

enum { FLAGS_ENCRYPTED = 1 | 1 << 6 | 1 << 13, FLAG_DESCRIPTOR = 8 };
enum { METHOD_STORED = 0, METHOD_DEFLATED = 8 };
enum { MARK_BYTES = 4, LOCAL_BYTES = 30, DESCRIPTOR_BYTES_MAX = 24 };

enum mark {
    MARK_LOCAL = 0x04034b50,
    MARK_DIRECTORY = 0x02014b50,
    MARK_EXTRA_DATA = 0x08064b50,
    MARK_END = 0x06054b50,
    MARK_END_64 = 0x06064b50,
    MARK_DESCRIPTOR = 0x08074b50, /* and of an archive in several files */
    MARK_JOINED = 0x30304b50
};

struct zip {
    enum { ZIP_MARK, ZIP_LOCAL, ZIP_NAME, ZIP_STORED, ZIP_DEFLATED, ZIP_SKIPPED, ZIP_DESCRIPTOR } state;
    bool begun;  /* the first mark was seen */
    bool chosen; /* the one that was chosen is behind */
    struct members members;
    struct inflater inflater; /* also counts what was stored */

    /* The member under way. */
    uint16_t flags, method, name_bytes, extra_bytes;
    uint32_t crc;
    uint64_t packed, unpacked; /* bytes, as the header says */
    bool packed_known;
    uint64_t taken; /* of its packed bytes */
    bool file;      /* neither a folder nor of __MACOSX/ */
    bool meant;
    bool noted;   /* as usable */
    bool decoded; /* to its end */
    char name[UNPACK_MEMBER_BYTES + 1];
};

static bool begin(struct unpack *u)
{
    (void)u;
    return true;
}

/* ---- from member to member ---- */

static void end_members(struct unpack *u)
{
    struct zip *z = u->state;

    u->stopped = true;
    members_judge(u, &z->members);
}

static void note(struct unpack *u)
{
    struct zip *z = u->state;

    if (!z->noted && z->file)
        members_note(u, &z->members, z->name, z->meant);
    z->noted = true;
}

/* Whoever chose a member need not know of others, but for those of the same name: these are looked for as far as
 * nothing has to be unpacked for it, and whatever is wrong there is of no matter. */
static void next_member(struct unpack *u)
{
    struct zip *z = u->state;

    z->state = ZIP_MARK;
    z->chosen = z->chosen || (z->meant && u->options.member.p != NULL && z->members.found);
}

static void damage(struct unpack *u, enum unpack_state state)
{
    const struct zip *z = u->state;

    if (!z->chosen)
        unpack_damage(u, state);
}

static void check_sum(struct unpack *u, uint32_t crc, uint64_t unpacked)
{
    const struct zip *z = u->state;

    if (z->meant && z->decoded && (crc != z->inflater.crc || unpacked != z->inflater.bytes))
        u->report.wrong_checksum = true;
}

static void end_data(struct unpack *u)
{
    struct zip *z = u->state;

    if (z->flags & FLAG_DESCRIPTOR) {
        z->state = ZIP_DESCRIPTOR;
    } else {
        check_sum(u, z->crc, z->unpacked);
        next_member(u);
    }
}

/* Where the member ends cannot be told, nor what is behind it. */
static void lose_track(struct unpack *u)
{
    struct zip *z = u->state;

    z->members.more = true;
    end_members(u);
}

/* ---- the local header ---- */

/* The u64 in place of sizes of 2^32 - 1. What is not there stays as it is. */
static void take_zip64(struct zip *z, const uint8_t *p, size_t n)
{
    struct cursor c = cursor_of(p, n);

    while (cursor_left(&c) > 0) {
        uint16_t kind = cursor_u16(&c), bytes = cursor_u16(&c);
        const uint8_t *field = cursor_take(&c, bytes);
        if (field == NULL)
            return;
        struct cursor sizes = cursor_of(field, bytes);
        if (kind == 1 && z->unpacked == UINT32_MAX && bytes >= 8)
            z->unpacked = cursor_u64(&sizes);
        if (kind == 1 && z->packed == UINT32_MAX && cursor_left(&sizes) >= 8)
            z->packed = cursor_u64(&sizes);
    }
}

/* Why it cannot be unpacked; NULL if it can. */
static const char *obstacle(const struct zip *z)
{
    if (z->flags & FLAGS_ENCRYPTED)
        return "is encrypted";
    if (z->method != METHOD_STORED && z->method != METHOD_DEFLATED)
        return "is packed by a method that is not read here";
    return NULL;
}

/* Only nothing at all has an end that can be told then. */
static bool stored_without_size(const struct zip *z)
{
    return z->method == METHOD_STORED && !z->packed_known;
}

static void refuse(struct unpack *u, const char *why)
{
    const struct zip *z = u->state;

    diag_at(u->diag, DIAG_UNUSABLE, u->at - u->head_bytes, "cannot be unpacked",
            "Upload the trace itself, unpacked.", "The file %.120s in the zip archive %s.", z->name, why);
}

/* There are bytes, and no descriptor. */
static void refuse_stored(struct unpack *u)
{
    const struct zip *z = u->state;

    note(u);
    if (z->meant)
        refuse(u, "is stored without its size before it, so that its end cannot be told");
}

/* What comes next is handed out, looked through for its end, or passed over. */
static void begin_data(struct unpack *u)
{
    struct zip *z = u->state;
    const char *why = obstacle(z);

    z->meant = z->file && members_meant(u, &z->members, z->name);
    z->noted = false;
    z->decoded = z->packed_known ? z->packed == 0 : !z->file || stored_without_size(z);
    z->taken = 0;
    u->discard = !z->meant;
    bool empty = z->packed == 0 || (z->unpacked == 0 && !(z->flags & FLAG_DESCRIPTOR));
    if (z->packed_known ? !empty : why != NULL)
        note(u);
    if (!inflater_begin(u, &z->inflater))
        return;
    if (z->meant && why != NULL)
        refuse(u, why);
    if (z->chosen && !z->packed_known) {
        end_members(u);
        return;
    }
    if (z->packed_known && (why != NULL || !z->meant || z->packed == 0))
        z->state = ZIP_SKIPPED;
    else if (why == NULL && !stored_without_size(z))
        z->state = z->method == METHOD_STORED ? ZIP_STORED : ZIP_DEFLATED;
    else if (why == NULL || !z->file)
        z->state = ZIP_DESCRIPTOR; /* a folder has no bytes to pass over, nor has an empty file */
    else
        lose_track(u);
    if (z->state == ZIP_SKIPPED && z->packed == 0)
        end_data(u);
}

static void take_local(struct unpack *u)
{
    struct zip *z = u->state;
    struct cursor c = cursor_of(u->head, LOCAL_BYTES);

    cursor_take(&c, MARK_BYTES + 2);
    z->flags = cursor_u16(&c);
    z->method = cursor_u16(&c);
    cursor_u32(&c);
    z->crc = cursor_u32(&c);
    z->packed = cursor_u32(&c);
    z->unpacked = cursor_u32(&c);
    z->name_bytes = cursor_u16(&c);
    z->extra_bytes = cursor_u16(&c);
    z->state = ZIP_NAME;
}

static void take_name(struct unpack *u)
{
    struct zip *z = u->state;
    struct str name = {(const char *)u->head + LOCAL_BYTES, z->name_bytes};

    take_zip64(z, u->head + LOCAL_BYTES + z->name_bytes, z->extra_bytes);
    if (z->flags & FLAG_DESCRIPTOR && z->packed == UINT32_MAX)
        z->packed = 0;
    z->packed_known = !(z->flags & FLAG_DESCRIPTOR) || z->packed > 0;
    z->file = name.n > 0 && !str_ends(name, STR("/")) && !str_starts(name, STR("__MACOSX/"));
    unpack_member_name(name, z->name);
    u->head_bytes = 0;
    begin_data(u);
}

static void take_mark(struct unpack *u)
{
    struct zip *z = u->state;
    struct cursor c = cursor_of(u->head, MARK_BYTES);
    uint32_t mark = cursor_u32(&c);
    bool first = !z->begun;

    z->begun = true;
    if (mark == MARK_LOCAL) {
        z->state = ZIP_LOCAL;
        return;
    }
    if (first && mark == MARK_JOINED) {
        unpack_drop_head(u, MARK_BYTES);
        return;
    }
    if (first && mark == MARK_DESCRIPTOR)
        diag_at(u->diag, DIAG_UNUSABLE, 0, "part of an archive",
                "Join them: zip -s 0 FILE.zip --out whole.zip",
                "The zip archive is spread over several files.");
    else if (mark != MARK_DIRECTORY && mark != MARK_END && mark != MARK_END_64 && mark != MARK_EXTRA_DATA)
        damage(u, UNPACK_DAMAGED);
    end_members(u);
}

/* ---- the data ---- */

/* At most n bytes that the member still has. */
static size_t left(const struct zip *z, size_t n)
{
    return z->packed_known && n > z->packed - z->taken ? (size_t)(z->packed - z->taken) : n;
}

static void step_skipped(struct unpack *u, size_t n)
{
    struct zip *z = u->state;

    n = left(z, n);
    u->at += n;
    z->taken += n;
    if (z->taken == z->packed)
        end_data(u);
}

static void step_stored(struct unpack *u, const uint8_t *p, size_t n)
{
    struct zip *z = u->state;

    n = left(z, n);
    z->inflater.crc = (uint32_t)crc32(z->inflater.crc, p, (uInt)n);
    z->inflater.bytes += n;
    u->at += n;
    z->taken += n;
    z->decoded = z->taken == z->packed;
    note(u);
    if (unpack_put(u, p, n) && z->decoded)
        end_data(u);
}

static void step_deflated(struct unpack *u, const uint8_t *p, size_t n)
{
    struct zip *z = u->state;
    uint64_t from = u->at;
    enum inflated end = inflater_feed(u, &z->inflater, p, left(z, n));

    z->taken += u->at - from;
    if (z->inflater.bytes > 0)
        note(u);
    if (end == INFLATED_STOPPED)
        return;
    bool used_up = z->packed_known && z->taken == z->packed;
    z->decoded = end == INFLATED_END;
    if (end == INFLATED_BAD || (end == INFLATED_MORE && used_up))
        damage(u, UNPACK_DAMAGED);
    if (used_up || (z->decoded && !z->packed_known))
        end_data(u);
    else if (end != INFLATED_MORE && z->packed_known)
        z->state = ZIP_SKIPPED;
    else if (end == INFLATED_BAD)
        lose_track(u);
}

/* ---- the descriptor ---- */

/* Whether it is one of this form: the sizes are those that were seen, and another header follows. */
static bool is_descriptor(const struct unpack *u, size_t mark_bytes, size_t size_bytes, struct cursor *c)
{
    const struct zip *z = u->state;

    *c = cursor_of(u->head, DESCRIPTOR_BYTES_MAX);
    if (mark_bytes > 0 && cursor_u32(c) != MARK_DESCRIPTOR)
        return false;
    cursor_u32(c); /* CRC-32 */
    if (cursor_le(c, size_bytes) != z->taken)
        return false;
    uint64_t unpacked = cursor_le(c, size_bytes);
    if (z->decoded && unpacked != z->inflater.bytes)
        return false;
    size_t behind = cursor_left(c) < 2 ? cursor_left(c) : 2;
    return memcmp(c->p, "PK", behind) == 0;
}

static void take_descriptor(struct unpack *u)
{
    static const struct {
        size_t mark_bytes, size_bytes;
    } FORMS[] = {{MARK_BYTES, 4}, {MARK_BYTES, 8}, {0, 4}, {0, 8}};
    const struct zip *z = u->state;

    for (size_t i = 0; i < sizeof(FORMS) / sizeof(*FORMS); i++) {
        struct cursor behind, crc;
        if (!is_descriptor(u, FORMS[i].mark_bytes, FORMS[i].size_bytes, &behind))
            continue;
        crc = cursor_of(u->head + FORMS[i].mark_bytes, 4);
        check_sum(u, cursor_u32(&crc), z->inflater.bytes);
        unpack_drop_head(u, (size_t)(behind.p - u->head));
        next_member(u);
        return;
    }
    bool folder = z->taken == 0 && !z->file;
    if (folder && memcmp(u->head, "PK", 2) == 0) { /* promised, and left out */
        next_member(u);
        return;
    }
    if (stored_without_size(z) && z->file)
        refuse_stored(u);
    else
        damage(u, UNPACK_DAMAGED);
    lose_track(u);
}

/* ---- the row ---- */

/* Headers. */
static void step_gathered(struct unpack *u, const uint8_t *p, size_t n)
{
    const struct zip *z = u->state;
    size_t need = z->state == ZIP_MARK         ? MARK_BYTES
                  : z->state == ZIP_LOCAL      ? LOCAL_BYTES
                  : z->state == ZIP_DESCRIPTOR ? DESCRIPTOR_BYTES_MAX
                                               : (size_t)LOCAL_BYTES + z->name_bytes + z->extra_bytes;

    if (!unpack_gather(u, p, n, need))
        return;
    if (z->state == ZIP_MARK)
        take_mark(u);
    else if (z->state == ZIP_LOCAL)
        take_local(u);
    else if (z->state == ZIP_DESCRIPTOR)
        take_descriptor(u);
    else
        take_name(u);
}

static void step(struct unpack *u, const uint8_t *p, size_t n)
{
    const struct zip *z = u->state;

    switch (z->state) {
    case ZIP_STORED:
        step_stored(u, p, n);
        break;
    case ZIP_DEFLATED:
        step_deflated(u, p, n);
        break;
    case ZIP_SKIPPED:
        step_skipped(u, n);
        break;
    case ZIP_MARK:
    case ZIP_LOCAL:
    case ZIP_NAME:
    case ZIP_DESCRIPTOR:
        step_gathered(u, p, n);
    }
}

static void finish(struct unpack *u)
{
    struct zip *z = u->state;

    damage(u, UNPACK_CUT);
    z->members.more = true;
    end_members(u);
}

const struct packer PACKER_ZIP = {
    .name = "zip",
    .noun = "zip archive",
    .magics = {STR_INIT("PK\3\4"), STR_INIT("PK\5\6"), STR_INIT("PK\7\x08"), STR_INIT("PK00")},
    .archive = true,
    .state_bytes = sizeof(struct zip),
    .begin = begin,
    .step = step,
    .finish = finish,
};
