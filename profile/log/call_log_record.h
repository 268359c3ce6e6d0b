/* The records of a log of calls: its writer and its reader agree on them here.
 *
 * A record begins with a control byte: the kind in its lowest three bits; how many bytes the first clock
 * went takes, in the next three; and the second clock, in the highest two. Where there are more clocks, a byte behind
 * these two says which others went (the lowest bit: the third clock), and how far each of them did follows as a varint.
 * Behind the control byte stand
 *
 *   enter    the frame in 1, 2 or 4 bytes
 *   enter, leave, stay, sample    the clocks; behind them a sample's values, as varints
 *   switch   a varint: the records from here on are of the track that came as the so-manyth into this block
 *   open     a track comes into this block: varints: its number in the footer; how many of its roots were left; how many calls
 *            are open, and for each of them, the outermost first, how far its number in the footer's calls is behind the last
 *            one's. Then its clocks, in 8 bytes each. The records from here on are its own.
 *
 * At the end of a switch or open stand 4 bytes: how many bytes of records of that track follow, up to the
 * next switch or open or the end of the block. So tracks that are not wanted are passed over.
 *
 * All numbers have their lowest byte first. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "profile/profile.h"

enum call_log_kind {
    LOG_LEAVE,
    LOG_ENTER_1,
    LOG_ENTER_2,
    LOG_ENTER_4,
    LOG_STAY,
    LOG_SAMPLE,
    LOG_SWITCH,
    LOG_OPEN_TRACK,
    LOG_KINDS
};

enum { LOG_RUN_BYTES = 4 };
enum {
    LOG_KIND_BITS = 3,
    LOG_CLOCK_BITS = 3,
    LOG_FIRST_CLOCKS = 2, /* those of the control byte */
    LOG_VARINT_MAX = 10,
    LOG_RECORD_BYTES_MAX = 1 + 4 + 8 + 8 + 1 + (PROFILE_CLOCKS_MAX - LOG_FIRST_CLOCKS) * LOG_VARINT_MAX
};
_Static_assert(PROFILE_CLOCKS_MAX - LOG_FIRST_CLOCKS <= 8, "a bit for each other clock");

/* How many bytes each field has, by its bits in the control byte. */
static const uint8_t LOG_FRAME_BYTES[LOG_KINDS] = {0, 1, 2, 4, 0, 0, 0, 0};
static const uint8_t LOG_CLOCK_BYTES[1 << LOG_CLOCK_BITS] = {0, 1, 2, 3, 4, 5, 6, 8};
static const uint8_t LOG_CPU_BYTES[4] = {0, 1, 2, 8};

/* What a word keeps of a number, by how many bytes the number has. */
static const uint64_t LOG_MASK[9] = {0,
                                     UINT64_MAX >> 56,
                                     UINT64_MAX >> 48,
                                     UINT64_MAX >> 40,
                                     UINT64_MAX >> 32,
                                     UINT64_MAX >> 24,
                                     UINT64_MAX >> 16,
                                     UINT64_MAX >> 8,
                                     UINT64_MAX};

/* A number of `bytes` bytes at p, where 8 can be read. */
static inline uint64_t log_number(const uint8_t *p, unsigned bytes)
{
    uint64_t word;

    memcpy(&word, p, sizeof(word));
    return word & LOG_MASK[bytes];
}

/* False: the varint does not end before `end`, or has more than 64 bits. */
static inline bool log_varint(const uint8_t **p, const uint8_t *end, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; *p < end && shift < 64; shift += 7) {
        uint8_t byte = *(*p)++;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

/* A sum of all the bytes, which damage changes: no protection from somebody who knows it. */
static inline uint64_t log_check(const void *p, size_t n)
{
    const uint8_t *bytes = p;
    uint64_t sums[4] = {1, 2, 3, n}, word[4];
    const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);

    for (size_t step = sizeof(word); n > 0; bytes += step, n -= step) {
        if (n >= sizeof(word)) {
            memcpy(word, bytes, sizeof(word));
        } else {
            step = n;
            memset(word, 0, sizeof(word));
            memcpy(word, bytes, n);
        }
        for (unsigned i = 0; i < 4; i++) {
            sums[i] = (sums[i] ^ word[i]) * factor;
            sums[i] ^= sums[i] >> 32;
        }
    }
    for (unsigned i = 1; i < 4; i++)
        sums[0] = (sums[0] ^ sums[i]) * factor, sums[0] ^= sums[0] >> 32;
    return sums[0];
}

/* The same of several, one behind the other: `sum` is of those before, and 0 at first. */
static inline uint64_t log_check_on(uint64_t sum, const void *p, size_t n)
{
    const uint64_t both[] = {sum, log_check(p, n)};

    return log_check(both, sizeof(both));
}

/* Of a footer: what stands before the calls, these, and the blocks, each of so many bytes. */
static inline uint64_t log_check_footer(const void *footer, size_t before, size_t calls, size_t blocks)
{
    const uint8_t *p = footer;
    uint64_t sum = log_check_on(log_check_on(0, p, before), p + before, calls);

    return log_check_on(sum, p + before + calls, blocks);
}
