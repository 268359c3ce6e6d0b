/* The child's inside: reading one file of symbols, of whatever kind it is.
 *
 * symbol_read decides the kind by content, THE TABLE of which is in symbol_elf.c, and has its row read the
 * bytes. The row finds out which libraries of the request the file is of (symbol_fit), and writes what
 * stands at the addresses that are asked for. What it cannot read it passes over: nobody is told more than
 * what was found. It may take as much memory and time as the child may, and may crash: that is what the
 * child is for. One thread. */
#pragma once

#include "core/buf.h"
#include "server/symbols/symbol_request.h"

enum { SYMBOL_DEPTH_MAX = 2 /* archives within archives */ };

struct symbol_reading {
    const struct symbol_request *request;
    struct str name;                         /* of the file, without folders; or empty */
    uint32_t depth;                          /* of archives around it */
    struct buf *out;                         /* the answer */
    bool (*flush)(struct symbol_reading *r); /* called when `out` has grown; false: no more is taken */
};

/* What a file may be. A row. */
struct symbol_kind {
    const char *name; /* for people: "ELF file" */
    /* Whether such files are read where all of a folder is looked at. Others are read if somebody names them. */
    bool in_folders;
    bool (*detect)(struct str head); /* by its first SYMBOL_HEAD_BYTES, or all that there are */
    /* The bytes may be changed: they are a copy, or a private mapping. */
    void (*read)(struct symbol_reading *r, char *bytes, size_t n);
};

/* NULL: it is no file of symbols. */
const struct symbol_kind *symbol_kind_of(struct str head);
/* "ELF file, Breakpad symbols, ..", for messages. */
void symbol_kinds_list(struct buf *b);

void symbol_read(struct symbol_reading *r, char *bytes, size_t n);

/* Rows. */
extern const struct symbol_kind SYMBOL_ELF, SYMBOL_BREAKPAD, SYMBOL_PACKETS, SYMBOL_ZIP, SYMBOL_TAR,
    SYMBOL_PACKED;

/* The answer to one question: symbol_at, then symbol_in, the innermost first. False: no more is taken. */
