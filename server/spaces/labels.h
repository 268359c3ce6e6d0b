/* Labels of an upload, KEY=VALUE, and the names of spaces. Pure.
 *
 * A name of a space, and a key, is made of [a-z0-9._-], has at most 64 bytes and does not begin with a dot. A value is text
 * (core/clean.h) without control characters, of at most 200 bytes and at least one; blanks around it are left out. */
#pragma once

#include "core/diag.h"
#include "core/json.h"
#include "core/str.h"

enum {
    SPACE_NAME_BYTES = 64,
    LABEL_KEY_BYTES = 64,
    LABEL_VALUE_BYTES = 200,
    LABELS_MAX = 32,
    LABELS_BYTES = LABELS_MAX * (LABEL_KEY_BYTES + 1 + LABEL_VALUE_BYTES + 1)
};

/* In front of a key, where labels stand among other fields. The lines of a field "labels" beside them are set first, so that
 * these count. */
#define LABEL_PREFIX "label."
/* The key behind it in the name of a field. False: it is another field. */
bool label_field(struct str name, struct str *key);

/* Lines "KEY=VALUE\n", in the order of their keys; zeroed there are none. */
struct labels {
    char lines[LABELS_BYTES + 1];
};

bool space_name_valid(struct str name);
bool label_key_valid(struct str key);
/* Of a URL. False: diag, DIAG_NOT_FOUND. */
bool space_name_is_one(struct str name, struct diag *diag) MUST_CHECK;
/* False: diag says what a name is. An empty one is none, and fine. */
bool space_name_check(struct str name, struct diag *diag) MUST_CHECK;

/* Gives the key this value, in place of the one that it had; an empty value takes it away. False: diag, and nothing has
 * changed. */
bool labels_set(struct labels *l, struct str key, struct str value, struct diag *diag) MUST_CHECK;
/* The same with each line KEY=VALUE of a text; lines that are blank are passed over. False: diag, and those before the bad
 * line are set. */
bool labels_set_lines(struct labels *l, struct str text, struct diag *diag) MUST_CHECK;

/* Takes the next label off the front of *rest, which begins as labels_all. False: there is none. */
bool labels_next(struct str *rest, struct str *key, struct str *value);
static inline struct str labels_all(const struct labels *l)
{
    return str_of(l->lines);
}

/* As an object of texts, of that key. */
void labels_put_lines(struct json *j, const char *key, struct str lines);
static inline void labels_put(struct json *j, const char *key, const struct labels *l)
{
    labels_put_lines(j, key, labels_all(l));
}

/* p == NULL: no label has the key. */
struct str labels_value_in(struct str lines, struct str key);
static inline struct str labels_value(const struct labels *l, struct str key)
{
    return labels_value_in(labels_all(l), key);
}
