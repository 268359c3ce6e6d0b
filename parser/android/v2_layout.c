#include "parser/android/v2_layout.h"

#include <string.h>

#include "core/cursor.h"

/* ---- numbers and packets ---- */

bool v2_long_leb(const uint8_t **p, const uint8_t *end, bool is_signed, uint64_t *value)
{
    const uint8_t *at = *p;
    uint64_t v = 0;

    for (unsigned shift = 0; shift < 70 && at < end; shift += 7) {
        uint8_t byte = *at++;
        v |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) != 0)
            continue;
        if (is_signed && (byte & 0x40) != 0 && shift < 57)
            v |= ~UINT64_C(0) << (shift + 7);
        *value = v;
        *p = at;
        return true;
    }
    return false;
}

static void block_head(struct cursor *c, enum v2_layout layout, bool dual, struct v2_packet *packet)
{
    struct v2_values *v = &packet->values;

    packet->id = cursor_u32(c);
    if (!v2_first_in_head(layout)) {
        packet->records = (uint32_t)cursor_le(c, 3);
        packet->body_bytes = cursor_u32(c);
        return;
    }
    v->word = v->first = layout == V2_A ? cursor_u32(c) : cursor_u64(c);
    if (dual)
        v->cpu = cursor_u32(c);
    v->wall = cursor_u32(c);
    packet->records = cursor_u16(c) + 1u;
    packet->body_bytes = cursor_u16(c);
}

enum v2_status v2_packet(const uint8_t *p, size_t n, enum v2_layout layout, bool dual,
                         struct v2_packet *packet)
{
    struct cursor c = cursor_of(p, n);
    uint8_t tag = cursor_u8(&c);

    *packet = (struct v2_packet){.tag = (enum v2_tag)tag};
    switch (tag) {
    case V2_THREAD:
        packet->id = cursor_u32(&c);
        packet->body_bytes = cursor_u16(&c);
        break;
    case V2_METHOD:
        packet->id = layout == V2_A ? (uint64_t)cursor_u32(&c) << 2 : cursor_u64(&c);
        packet->body_bytes = cursor_u16(&c);
        break;
    case V2_BLOCK:
        block_head(&c, layout, dual, packet);
        break;
    case V2_SUMMARY:
        if (layout == V2_F)
            cursor_take(&c, 16);
        else
            packet->body_bytes = cursor_u16(&c);
        break;
    default:
        return n == 0 ? V2_MORE : V2_BAD;
    }
    packet->head_bytes = (uint32_t)(c.p - p);
    return c.failed ? V2_MORE : V2_OK;
}

bool v2_continues(const struct method_table *methods, const struct v2_values *first,
                  const struct v2_values *before, bool counts_more)
{
    bool from_zero = method_table_get(methods, first->word & ~UINT64_C(3)) != FRAME_NONE;
    bool from_last = method_table_get(methods, (first->word + before->word) & ~UINT64_C(3)) != FRAME_NONE;

    return from_zero != from_last ? from_last : counts_more || first->wall < before->wall;
}

/* ---- which layout ---- */

/* How a walk through the window in one layout went. */
struct walk {
    enum v2_layout layout;
    bool dual;
    const struct method_table *methods;
    bool sound; /* no packet that cannot be */
    size_t sound_bytes;
    bool saw_block;
    uint64_t named, listed; /* methods in records, and those of them that are in the table */
    uint64_t thread;        /* of the last block */
    uint32_t records;       /* of that block, as it says */
    struct v2_values values;
};

static void count_method(struct walk *w, const struct v2_values *values)
{
    uint64_t method;

    if (!v2_names_method(w->layout, values, &method))
        return;
    w->named++;
    w->listed += method_table_get(w->methods, method) != FRAME_NONE;
}

/* Of C: the values that the block's first record counts from. */
static void continue_block(struct walk *w, const struct v2_packet *packet, const uint8_t *body,
                           const uint8_t *end, struct v2_values *v)
{
    struct v2_values first = {0};

    if (v2_record(&body, end, w->layout, w->dual, &first) &&
        v2_continues(w->methods, &first, &w->values, v2_counts_more(packet, w->dual)))
        *v = w->values;
}

/* Whether the records are right: `whole`: all of the body is there. */
static bool walk_block(struct walk *w, const struct v2_packet *packet, const uint8_t *body, size_t n,
                       bool whole)
{
    struct v2_values v = packet->values;
    const uint8_t *end = body + n;
    uint32_t records = 0;
    bool same_thread = w->saw_block && packet->id == w->thread;

    if (v2_first_in_head(w->layout)) {
        count_method(w, &v);
        records++;
    } else if (w->layout == V2_C && same_thread) {
        continue_block(w, packet, body, end, &v);
    }
    while (v2_record(&body, end, w->layout, w->dual, &v)) {
        count_method(w, &v);
        records++;
    }
    /* The second part of a split block counts the records of the first one as well. */
    uint32_t counted = same_thread && w->layout == V2_C ? w->records : 0;
    w->saw_block = true;
    w->thread = packet->id;
    w->records = packet->records;
    w->values = v;
    if (!whole)
        return records <= packet->records && (size_t)(end - body) < V2_RECORD_BYTES_MAX;
    return body == end && (records == packet->records || records + counted == packet->records);
}

/* A line without its id: columns, and one LF at its end. */
static bool is_method_line(const uint8_t *p, size_t n, bool whole)
{
    const uint8_t *lf = n == 0 ? NULL : memchr(p, '\n', n);

    if (!whole)
        return lf == NULL;
    return lf == p + n - 1 && memchr(p, '\t', n) != NULL;
}

static bool walk_packet(struct walk *w, const struct v2_packet *packet, const uint8_t *body, size_t n,
                        bool whole)
{
    static const char BEGINNING[] = "*version\n";
    size_t length = sizeof(BEGINNING) - 1;

    switch (packet->tag) {
    case V2_METHOD:
        return is_method_line(body, n, whole);
    case V2_BLOCK:
        return walk_block(w, packet, body, n, whole);
    case V2_SUMMARY:
        return memcmp(body, BEGINNING, n < length ? n : length) == 0;
    case V2_THREAD:
        break;
    }
    return true;
}

static void walk_window(struct walk *w, const uint8_t *p, size_t n)
{
    while (w->sound_bytes < n) {
        struct v2_packet packet;
        size_t left = n - w->sound_bytes;
        enum v2_status status = v2_packet(p + w->sound_bytes, left, w->layout, w->dual, &packet);
        if (status == V2_MORE)
            break;
        if (status == V2_BAD) {
            w->sound = false;
            break;
        }
        const uint8_t *body = p + w->sound_bytes + packet.head_bytes;
        left -= packet.head_bytes;
        bool whole = packet.body_bytes <= left;
        w->sound = walk_packet(w, &packet, body, whole ? packet.body_bytes : left, whole);
        if (!w->sound || !whole || packet.tag == V2_SUMMARY)
            break;
        w->sound_bytes += packet.head_bytes + packet.body_bytes;
    }
}

/* Whether walk b went better than walk a. A layout in which most methods are listed is right even if the
 * file is damaged further on, where a wrong one may get through by luck. */
static bool better(const struct walk *a, const struct walk *b)
{
    bool a_listed = a->listed * 2 > a->named, b_listed = b->listed * 2 > b->named;

    if (a_listed != b_listed)
        return b_listed;
    if (a->sound != b->sound)
        return b->sound;
    if (!a->sound && a->sound_bytes != b->sound_bytes)
        return b->sound_bytes > a->sound_bytes;
    return b->listed * a->named > a->listed * b->named;
}

enum v2_layout v2_choose(unsigned candidates, const uint8_t *p, size_t n, bool dual, bool counter,
                         const struct method_table *methods)
{
    /* Where all is equal, the first one of these. */
    static const enum v2_layout ORDER[2][4] = {{V2_C, V2_E, V2_B, V2_A}, {V2_E, V2_C, V2_B, V2_A}};
    struct walk best = {.layout = V2_LAYOUTS};

    if (n > V2_WINDOW_BYTES)
        n = V2_WINDOW_BYTES;
    for (unsigned i = 0; i < 4; i++) {
        struct walk w = {.layout = ORDER[counter][i], .dual = dual, .methods = methods, .sound = true};
        if ((candidates >> w.layout & 1) == 0)
            continue;
        walk_window(&w, p, n);
        if (best.layout == V2_LAYOUTS || better(&best, &w))
            best = w;
    }
    return best.layout;
}
