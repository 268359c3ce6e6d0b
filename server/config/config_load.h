/* The configuration: built-in defaults < configuration file (JSON) < environment AFLAMED_<KEY> < flags
 * --<key>, one name everywhere (`max_upload_bytes`, AFLAMED_MAX_UPLOAD_BYTES, --max-upload-bytes).
 * config/aflamed.json holds every key with its default. Immutable once loaded.
 *
 * Without --config and AFLAMED_CONFIG no file is read; one has at most 1 MiB. A size is a number of bytes, or
 * a text with one of the suffixes K, M, G (powers of 1024). AFLAMED_SAMPLES and AFLAMED_TEST_* belong to the
 * tests and are passed over; any other unknown AFLAMED_* is an error. */
#pragma once

#include "core/diag.h"
#include "core/system/memory_limit.h"
#include "server/config/config.h"

enum config_action { CONFIG_RUN, CONFIG_PRINT, CONFIG_CHECK };

/* Reads all sources. `arguments` are those after the subcommand: every key as --key VALUE or --key=VALUE,
 * booleans also as bare --key; --config FILE; --print-config; --check-config. False: diag (DIAG_USAGE) names
 * the source (file and line, variable or flag), the key, and what is allowed; an unknown key is an error. */
bool config_load(struct config *c, int n_arguments, char *const *arguments, char *const *environment,
                 enum config_action *action, struct diag *diag) MUST_CHECK;

/* The built-in values, with the place of the store that the process's environment gives. */
void config_defaults(struct config *c);

/* True if only this machine can reach what is listened on: 127.0.0.0/8, ::1, localhost, or a Unix socket. */
bool config_listen_is_loopback(const struct config *c);

/* The effective configuration as JSON, in the form of the configuration file. False when memory is short, or fd takes
 * no more. */
bool config_print(const struct config *c, int fd) MUST_CHECK;

/* Sets in *c what the file names and leaves the rest. False: diag (DIAG_USAGE) names the file, the line, the
 * key, and what is allowed. */
bool config_file_take(struct config *c, const char *path, struct diag *diag) MUST_CHECK;

/* What the configuration leaves to the machine: how many threads work, and how much memory each may take.
 *
 * The built-in ceilings of memory are for a machine that is large enough. Where it is not, those that
 * nobody has chosen are lowered until all of them together fit: a profile may take less, fewer are folded
 * at a time, less is kept. What an operator has chosen stays, whatever follows from it.
 * docs/configuration.md has the sum. */

/* `mapped` counts where the limit is one of addresses. */
struct config config_settle(const struct config *c, const struct memory_limit *limit, uint64_t mapped,
                            unsigned cores);

/* Lowers max_connections to this many, but not below 64, unless somebody has chosen it. */
void config_lower_connections(struct config *c, uint64_t connections);

/* How many bytes all ceilings of a settled configuration come to, without connections. */
uint64_t config_ceiling(const struct config *c);

/* The folder on this machine that the service writes to: its store, or what it keeps of a bucket. */
const char *config_place(const struct config *c);
