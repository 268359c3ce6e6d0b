/* Lines of a text file, whatever wrote it: in UTF-8, or in UTF-16 as PowerShell's > writes it; with a byte
 * order mark or without; ended by LF or CR LF.
 *
 *     struct text_lines t = {.source = source, .arena = arena, .limit_bytes = limits->line_bytes};
 *     while (text_lines_next(&t, &line))
 *         ...line.text...
 *
 * UTF-16 is known by its byte order mark only. What is ill-formed in it becomes U+FFFD; UTF-8 is not
 * looked at. */
#pragma once

#include "core/arena.h"
#include "core/str.h"
#include "parser/source.h"

enum text_encoding { TEXT_UTF_8, TEXT_UTF_16_LE, TEXT_UTF_16_BE };

struct text_lines {
    struct source *source; /* set by the caller */
    struct arena *arena;   /* set by the caller; holds a line of UTF-16 */
    uint32_t limit_bytes;  /* set by the caller: of the file's bytes in one line, without its end */
    enum text_encoding encoding;
    bool begun; /* the byte order mark was looked for */
    bool in_long_line;
    bool failed;  /* the arena gave no more */
    size_t taken; /* bytes of the line that was given last */
    char *utf_8;
    size_t utf_8_capacity;
};

struct text_line {
    uint64_t offset; /* of its first byte in the file */
    struct str text; /* in UTF-8, without its end; valid until the next call */
    bool too_long;   /* it passed the limit, and text is empty */
    bool is_rest;    /* this is only the end, or a middle, of a line that was too long */
};

/* The next line. The last one needs no end. False: there is none, or `failed`. */
bool text_lines_next(struct text_lines *t, struct text_line *line);

/* The beginning of a file as UTF-8, for detection: in `room`, or where it stands. A character that the end
 * of the bytes cuts is left out of UTF-16. */
struct str text_beginning(const uint8_t *p, size_t n, char *room, size_t room_bytes);

/* Room for the beginning of a file of so many bytes. */
#define TEXT_BEGINNING_BYTES(n) ((n) / 2 * 3)
