#include "parser/two_files.h"

#include <string.h>

#include "parser/unpack/unpack.h"

_Static_assert((int)TWO_FILES_HEAD_BYTES >= (int)UNPACK_MAGIC_BYTES, "the head tells every packer");

const char TWO_FILES_HINT[] =
    "Send both files together: the key file (x.key, x.trace.sec) as key and the other one as data.";

static bool begins(const uint8_t *head, size_t n, const char *magic, size_t magic_bytes)
{
    return n >= magic_bytes && memcmp(head, magic, magic_bytes) == 0;
}

enum two_files_kind two_files_kind(const uint8_t *head, size_t n)
{
    bool more;

    if (begins(head, n, "*version", 8))
        return TWO_FILES_KEY;
    if (begins(head, n, "SLOW", 4) && n >= 6) {
        unsigned version = head[4] | (unsigned)head[5] << 8;
        return version >= 1 && version <= 3         ? TWO_FILES_DATA
               : version >= 0xf1 && version <= 0xf3 ? TWO_FILES_STREAM
                                                    : TWO_FILES_NEITHER;
    }
    return unpack_detect(head, n, &more) != NULL ? TWO_FILES_PACKED : TWO_FILES_NEITHER;
}

static bool is_data(enum two_files_kind kind)
{
    return kind == TWO_FILES_DATA || kind == TWO_FILES_STREAM;
}

static bool refuse(struct diag *diag, const char *title, const char *hint, const char *detail)
{
    diag_set(diag, DIAG_UNUSABLE, title, hint, "%s", detail);
    diag->topic = DIAG_ABOUT_TWO_FILES;
    return false;
}

bool two_files_match(enum two_files_kind key, enum two_files_kind data, struct diag *diag)
{
    if (key == TWO_FILES_KEY && is_data(data))
        return true;
    if (key == TWO_FILES_PACKED || data == TWO_FILES_PACKED)
        return diag_set(diag, DIAG_UNUSABLE, "packed in two files", "Unpack both, then send them again.",
                        "Of a trace in two files, neither may be packed.");
    if (is_data(key) && data == TWO_FILES_KEY)
        return refuse(diag, "key and data exchanged", TWO_FILES_HINT,
                      "What was given as key is the data file, and what was given as data is the key file.");
    if (key != TWO_FILES_KEY)
        return refuse(diag, "no key file", TWO_FILES_HINT,
                      "What was given as key does not begin with the line *version, as a key file (x.key, "
                      "x.trace.sec) does.");
    return refuse(diag, "no data file", "A trace that is one file is sent alone.",
                  "What was given as data does not begin with SLOW and a version as the data file of a trace "
                  "in two files does, or a streaming trace.");
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

bool two_files_check_key_end(const uint8_t *tail, size_t n, struct diag *diag)
{
    return two_files_key_ends(tail, n) ||
           diag_set(diag, DIAG_UNUSABLE, "key file without end",
                    "Pull both files from the device again (adb pull) and send them unchanged.",
                    "What was given as key does not end with the line *end: it was cut, or is no key file.");
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
