/* A method trace in two files, and how they become one:
 *
 *   key, then data       x.key and x.data: the text of a regular trace up to its line *end, and all behind it
 *   stream, joint, key   x.trace and x.trace.sec: a streaming trace without summary, and the summary, which Android 6 and
 *                        7 write to a file of its own; the joint is the head of a summary's packet
 *
 * Which is which is told by their first bytes. The whole that is made of them is a file like any other. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/diag.h"

enum two_files_kind {
    TWO_FILES_NEITHER,
    TWO_FILES_KEY, /* begins as a key section; a whole regular trace does, too */
    TWO_FILES_DATA,
    TWO_FILES_STREAM
};

enum {
    TWO_FILES_HEAD_BYTES = 8, /* of a file, that tell its kind */
    TWO_FILES_TAIL_BYTES = 7, /* of a key file, that tell its end: LF, "*end", CR, LF */
    TWO_FILES_JOINT_BYTES = 7
};

/* By the first TWO_FILES_HEAD_BYTES of the file, or all of it. */
enum two_files_kind two_files_kind(const uint8_t *head, size_t n);

/* Whether the last TWO_FILES_TAIL_BYTES of a file, or all of it, are the end of a key section: a whole trace ends
 * otherwise. */
bool two_files_key_ends(const uint8_t *tail, size_t n);

/* False, with a diag: a key file of more than UINT32_MAX bytes, which the joint cannot say. */
bool two_files_key_too_large(struct diag *diag);

/* What stands between a stream and its summary of so many bytes. */
void two_files_joint(uint8_t joint[TWO_FILES_JOINT_BYTES], uint32_t key_bytes);
