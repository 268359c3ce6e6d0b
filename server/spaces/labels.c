#include "server/spaces/labels.h"

#include <string.h>

#include "core/clean.h"

/* ---- names ---- */

static bool name_valid(struct str name, size_t bytes_max)
{
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        if ((c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '.' && c != '_' && c != '-')
            return false;
    }
    return name.n > 0 && name.n <= bytes_max && name.p[0] != '.';
}

/* What is behind the last dot of a URL says as what it is answered. */
static bool ends_as_suffix(struct str name)
{
    return str_ends(name, STR(".json")) || str_ends(name, STR(".html")) || str_ends(name, STR(".txt"));
}

bool space_name_valid(struct str name)
{
    return name_valid(name, SPACE_NAME_BYTES) && !ends_as_suffix(name);
}

bool space_name_is_one(struct str name, struct diag *diag)
{
    return space_name_valid(name) ||
           diag_set(diag, DIAG_NOT_FOUND, "not found",
                    "The name stands in the answer to an upload with space=.", "No space has such a name.");
}

bool space_name_check(struct str name, struct diag *diag)
{
    return name.n == 0 || space_name_valid(name) ||
           diag_set(
               diag, DIAG_USAGE, "bad name of a space", "Call it as space=checkout.",
               "The name of a space is made of a to z, 0 to 9, dots, underscores and hyphens, has at most "
               "%d bytes, does not begin with a dot, and does not end in .json, .html or .txt.",
               SPACE_NAME_BYTES);
}

/* ---- labels ---- */

bool label_key_valid(struct str key)
{
    return name_valid(key, LABEL_KEY_BYTES);
}

bool label_field(struct str name, struct str *key)
{
    static const struct str BEFORE = STR_INIT(LABEL_PREFIX);

    *key = (struct str){name.p + BEFORE.n, name.n - BEFORE.n};
    return name.n > BEFORE.n && str_starts(name, BEFORE);
}

bool labels_next(struct str *rest, struct str *key, struct str *value)
{
    if (rest->n == 0 || !str_split(rest, '\n', value))
        return false;
    return str_split(value, '=', key);
}

struct str labels_value_in(struct str lines, struct str key)
{
    struct str at, value;

    while (labels_next(&lines, &at, &value))
        if (str_eq(at, key))
            return value;
    return (struct str){NULL, 0};
}

void labels_put_lines(struct json *j, const char *key, struct str lines)
{
    struct str name, value;

    json_open_object(j, key);
    while (labels_next(&lines, &name, &value)) {
        json_put_key(j, name);
        json_put_string(j, NULL, value);
    }
    json_close(j);
}

static size_t count(const struct labels *l)
{
    size_t n = 0;

    for (const char *c = l->lines; *c != '\0'; c++)
        n += *c == '\n';
    return n;
}

/* Offset of the first label whose key is not before this one. */
static size_t place_of(const struct labels *l, struct str key)
{
    struct str rest = labels_all(l), at, value;
    size_t place = 0;

    while (labels_next(&rest, &at, &value)) {
        if (str_cmp(at, key) >= 0)
            break;
        place += at.n + value.n + 2;
    }
    return place;
}

static bool refuse(struct diag *diag, const char *sentence)
{
    return diag_set(diag, DIAG_USAGE, "bad label", "Write a label as label.branch=main.", "%s", sentence);
}

static bool check(struct str key, struct str value, struct diag *diag)
{
    if (!label_key_valid(key))
        return refuse(
            diag,
            "The key of a label is made of a to z, 0 to 9, dots, underscores and hyphens, has at most 64 "
            "bytes, and does not begin with a dot.");
    if (value.n > LABEL_VALUE_BYTES)
        return refuse(diag, "The value of a label has at most 200 bytes.");
    return clean_is_text(value) ||
           refuse(diag, "The value of a label is UTF-8 text without control characters.");
}

static void take_away(struct labels *l, size_t place)
{
    char *line = l->lines + place, *end = strchr(line, '\n') + 1;

    memmove(line, end, strlen(end) + 1);
}

static void put_in(struct labels *l, size_t place, struct str key, struct str value)
{
    char *line = l->lines + place;

    memmove(line + key.n + value.n + 2, line, strlen(line) + 1);
    memcpy(line, key.p, key.n);
    line[key.n] = '=';
    memcpy(line + key.n + 1, value.p, value.n);
    line[key.n + 1 + value.n] = '\n';
}

bool labels_set(struct labels *l, struct str key, struct str value, struct diag *diag)
{
    value = str_trim(value);
    if (!check(key, value, diag))
        return false;
    bool is_there = labels_value(l, key).p != NULL;
    size_t place = place_of(l, key);
    if (!is_there && value.n > 0 && count(l) == LABELS_MAX)
        return refuse(diag, "An upload has at most 32 labels.");
    if (is_there)
        take_away(l, place);
    if (value.n > 0)
        put_in(l, place, key, value);
    return true;
}

bool labels_set_lines(struct labels *l, struct str text, struct diag *diag)
{
    struct str line, key;

    while (text.n > 0 && str_split(&text, '\n', &line)) {
        line = str_trim(str_without_line_end(line));
        if (line.n == 0)
            continue;
        if (str_find(line, '=') == line.n)
            return refuse(diag, "Each line of labels is KEY=VALUE.");
        str_split(&line, '=', &key);
        if (!labels_set(l, str_trim(key), line, diag))
            return false;
    }
    return true;
}
