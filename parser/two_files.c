#include "parser/two_files.h"

#include <string.h>

static bool begins(const uint8_t *head, size_t n, const char *magic, size_t magic_bytes)
{
    return n >= magic_bytes && memcmp(head, magic, magic_bytes) == 0;
}

enum two_files_kind two_files_kind(const uint8_t *head, size_t n)
{
    if (begins(head, n, "*version", 8))
        return TWO_FILES_KEY;
    if (begins(head, n, "SLOW", 4) && n >= 6) {
        unsigned version = head[4] | (unsigned)head[5] << 8;
        return version >= 1 && version <= 3         ? TWO_FILES_DATA
               : version >= 0xf1 && version <= 0xf3 ? TWO_FILES_STREAM
                                                    : TWO_FILES_NEITHER;
    }
    return TWO_FILES_NEITHER;
}

static bool ends(const uint8_t *tail, size_t n, const char *text)
{
    size_t length = strlen(text);

    return n >= length && memcmp(tail + n - length, text, length) == 0;
}

bool two_files_key_ends(const uint8_t *tail, size_t n)
{
    return ends(tail, n, "\n*end\n") || ends(tail, n, "\n*end\r\n");
}

bool two_files_key_too_large(struct diag *diag)
{
    return diag_set(diag, DIAG_LIMIT, "key file too large", "Record fewer methods.",
                    "The key file has more than 4 GiB.");
}

void two_files_joint(uint8_t joint[TWO_FILES_JOINT_BYTES], uint32_t key_bytes)
{
    enum { OP_SUMMARY = 3 };

    memcpy(joint, (const uint8_t[]){0, 0, OP_SUMMARY}, 3);
    for (unsigned i = 0; i < 4; i++)
        joint[3 + i] = (uint8_t)(key_bytes >> (8 * i));
}
