/* The table of configuration keys, and values as text: it drives the file, the environment, the flags, the
 * printed configuration and the help. */
#pragma once

#include "core/buf.h"
#include "core/diag.h"
#include "server/config/config.h"

enum config_kind {
    CONFIG_TEXT,   /* char array */
    CONFIG_BOOL,   /* bool */
    CONFIG_NUMBER, /* uint64_t */
    CONFIG_SIZE    /* uint64_t, in bytes; K, M, G in text */
};

struct config_key {
    struct str name; /* as in the file */
    enum config_kind kind;
    size_t offset;                   /* in struct config */
    uint64_t min, max;               /* of a number; max of a text: its bytes, with the terminating NUL */
    bool (*valid)(struct str value); /* of a text; NULL: any */
    const char *allowed;             /* of a text: for people */
    const char *value;               /* the default, as text */
    const char *help;
};

extern const struct config_key CONFIG_KEYS[];
extern const size_t CONFIG_KEYS_COUNT;

struct config_old_name {
    struct str name, now;
};
enum { CONFIG_OLD_NAMES_COUNT = 2 };
extern const struct config_old_name CONFIG_OLD_NAMES[CONFIG_OLD_NAMES_COUNT];

/* Finds a key by its name, or by the name that it had in the release before: that is noted in
 * c->old_names. NULL: there is no such key. */
const struct config_key *config_keys_find(struct config *c, struct str name);

/* Sets the key of *c from text, and notes that it was given. False if it is not allowed; *c is as before then. */
bool config_keys_set(struct config *c, const struct config_key *key, struct str value) MUST_CHECK;

/* What stands for its value in help: "N", "SIZE" or "TEXT"; NULL for a key that needs none. */
const char *config_keys_metavar(const struct config_key *key);

/* "a number from 1 to 1024", "true or false", ...: what config_keys_set takes. */
void config_keys_allowed(struct buf *b, const struct config_key *key);

/* The value in *c as text that config_keys_set takes back; sizes with the largest suffix that leaves no rest.
 */
void config_keys_value(struct buf *b, const struct config_key *key, const struct config *c);

/* ---- diagnostics: all DIAG_USAGE, under one title ---- */

#define CONFIG_TITLE "unusable configuration"
#define CONFIG_HINT  "aflamed serve --help lists every key."

/* What came from outside: cleaned, short, terminated. */
struct config_shown {
    char text[121];
};
struct config_shown config_keys_shown(struct str s);
