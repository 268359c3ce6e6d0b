/* The packets of an ART "version 2" method trace, in the five layouts that go by the same version numbers,
 * and the layout of long-running methods. What they have in common stands in parser/android/v2.c.
 *
 * Header of a block of records behind tag and thread, u32 each; then the records. sleb, uleb: LEB128, signed
 * and unsigned; wall before cpu, one of them with a single clock:
 *
 *   A  Android 14 QPR3     u32 first word [, u32 cpu], u32 wall, u16 records - 1, u16 bytes
 *                          sleb word - FIRST word, uleb wall step [, uleb cpu step]
 *   B  Android 15          as A with a u64 first word
 *                          sleb word - last word, uleb wall step [, uleb cpu step]
 *   C  Android 15 QPR1, 16 u24 records, u32 bytes
 *                          as B, all three from 0 at the beginning of the block
 *   E  2026                as C
 *                          sleb step of (time << 2 | action) [, sleb cpu step],
 *                          of an enter: sleb method - last method
 *   F  version 6           as C
 *                          sleb step of (time << 1 | is exit), of an enter: sleb method - last method
 *
 * A word is method | action; methods are an index << 2 (A) or a pointer. Exits of E and F carry no method.
 * The two u16 of A and B overflow for blocks of more than 65535 bytes or 65536 records: the size of such a
 * block is lost, and nothing behind it can be read. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/cursor.h"
#include "parser/android/key_section.h"

enum v2_layout { V2_A, V2_B, V2_C, V2_E, V2_F, V2_LAYOUTS };

enum v2_tag { V2_THREAD, V2_METHOD, V2_BLOCK, V2_SUMMARY };

enum {
    V2_RECORD_BYTES_MAX = 30,   /* three numbers of ten bytes */
    V2_WINDOW_BYTES = 256 << 10 /* that v2_choose looks at */
};

/* Where the numbers of a block stand that are written as steps. */
struct v2_values {
    uint64_t word;  /* method | action; of E and F: time and action */
    uint64_t first; /* word of the block's first record: A counts from it */
    uint64_t wall, cpu;
    uint64_t method; /* E and F: of the last enter */
};

struct v2_packet {
    enum v2_tag tag;
    uint32_t head_bytes; /* the tag included; the body follows */
    uint32_t body_bytes;
    uint64_t id;             /* thread; of a method packet, the method */
    uint32_t records;        /* of a block, with the one in its head */
    struct v2_values values; /* of a block: before its first record in the body */
};

enum v2_status { V2_MORE, V2_BAD, V2_OK };

/* Whether a block's first record stands in its head. */
static inline bool v2_first_in_head(enum v2_layout layout)
{
    return layout == V2_A || layout == V2_B;
}

/* Whether exits are written without their method. */
static inline bool v2_bare_exits(enum v2_layout layout)
{
    return layout == V2_E || layout == V2_F;
}

/* The low seven bits of each byte side by side. */
static inline uint64_t v2_squeeze(uint64_t x)
{
    x = (x & 0x007f007f007f007f) | (x & 0x7f007f007f007f00) >> 1;
    x = (x & 0x00003fff00003fff) | (x & 0x3fff00003fff0000) >> 2;
    return (x & 0x000000000fffffff) | (x & 0x0fffffff00000000) >> 4;
}

/* v2_leb, byte by byte. */
bool v2_long_leb(const uint8_t **p, const uint8_t *end, bool is_signed, uint64_t *value);

/* One LEB128 number; false if it does not end before `end`, or not within ten bytes. Lengths change from
 * number to number, so that a branch per byte costs more than all of this: eight bytes at once, up to the
 * first one without its highest bit. */
static inline __attribute__((always_inline)) bool v2_leb(const uint8_t **p, const uint8_t *end,
                                                         bool is_signed, uint64_t *value)
{
    if (end - *p < 8)
        return v2_long_leb(p, end, is_signed, value);
    uint64_t x = cursor_le64(*p), stop = ~x & 0x8080808080808080;
    if (stop == 0)
        return v2_long_leb(p, end, is_signed, value);
    unsigned bytes = ((unsigned)__builtin_ctzll(stop) >> 3) + 1;
    uint64_t v = v2_squeeze(x & (stop ^ (stop - 1)));
    uint64_t sign = is_signed ? UINT64_C(1) << (7 * bytes - 1) : 0;
    *value = (v ^ sign) - sign;
    *p += bytes;
    return true;
}

/* One record from the front of [*p, end). False if there is no whole one: nothing is changed then. */
static inline __attribute__((always_inline)) bool v2_record(const uint8_t **p, const uint8_t *end,
                                                            enum v2_layout layout, bool dual,
                                                            struct v2_values *values)
{
    const uint8_t *at = *p;
    uint64_t word, wall = 0, cpu = 0, method = 0;

    if (!v2_leb(&at, end, true, &word))
        return false;
    word += layout == V2_A ? values->first : values->word;
    if (v2_bare_exits(layout)) {
        bool is_enter = (word & (layout == V2_E ? 3 : 1)) == 0;
        if ((dual && !v2_leb(&at, end, true, &cpu)) || (is_enter && !v2_leb(&at, end, true, &method)))
            return false;
    } else if (!v2_leb(&at, end, false, &wall) || (dual && !v2_leb(&at, end, false, &cpu))) {
        return false;
    }
    values->word = word;
    values->wall += wall;
    values->cpu += cpu;
    values->method += method;
    *p = at;
    return true;
}

/* Whether the record that was read last names a method, and which. */
static inline bool v2_names_method(enum v2_layout layout, const struct v2_values *values, uint64_t *method)
{
    if (!v2_bare_exits(layout)) {
        *method = values->word & ~UINT64_C(3);
        return true;
    }
    *method = values->method;
    return (values->word & (layout == V2_E ? 3 : 1)) == 0;
}

/* Whether the head of a block of C counts more records than its body has room for: those of an earlier part.
 */
static inline bool v2_counts_more(const struct v2_packet *packet, bool dual)
{
    return (uint64_t)packet->records * (dual ? 3 : 2) > packet->body_bytes;
}
