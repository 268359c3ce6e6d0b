/* What is written from the tables of the program: manual pages, the completion of shells, the tables of
 * the documents. A program of the build, linked with the same objects as aflamed; `make` runs it, nobody
 * installs it. */
#pragma once

#include "core/buf.h"

/* aflamed(1) and aflamed.json(5), in the man macros of roff. */
void reference_man1(struct buf *b);
void reference_man5(struct buf *b);

/* A completion script for bash. */
void reference_bash(struct buf *b);

/* Appends a table in Markdown: "formats", "outputs", "view-options", "view-options-cli", "config-keys", "routes",
 * "facts", "warnings", "commands", or the name of a command for its own options. False if there is no such table. */
bool reference_table(struct buf *b, const char *name) MUST_CHECK;
