#include "server/config/config_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/system/file.h"
#include "core/system/json_memory.h"
#include "server/config/config_keys.h"

enum { FILE_BYTES_MAX = 1 << 20 };

/* Offset of the quote that ends the string that begins before `at`. */
static size_t string_end(struct str text, size_t at)
{
    while (at < text.n && text.p[at] != '"')
        at += text.p[at] == '\\' ? 2 : 1;
    return at < text.n ? at : text.n;
}

static bool colon_follows(struct str text, size_t at)
{
    while (at < text.n && strchr(" \t\r\n", text.p[at]) != NULL && text.p[at] != '\0')
        at++;
    return at < text.n && text.p[at] == ':';
}

/* The line of a key, in valid JSON: the JSON library tells lines of syntax errors only. Objects within the
 * object need no care, because what holds one is refused before. 0 for a key that is written with escapes. */
static unsigned line_of(struct str text, struct str key)
{
    unsigned line = 1;

    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (c == '\n') {
            line++;
        } else if (c == '"') {
            size_t end = string_end(text, i + 1);
            struct str inside = {text.p + i + 1, end - i - 1};
            if (str_eq(inside, key) && colon_follows(text, end + 1))
                return line;
            i = end;
        }
    }
    return 0;
}

/* As text for config_keys_set; false if the type does not fit the key. */
static bool value_text(const struct config_key *key, const json_t *value, struct buf *text)
{
    bool is_number = key->kind == CONFIG_NUMBER || key->kind == CONFIG_SIZE;

    if (json_is_boolean(value) && key->kind == CONFIG_BOOL)
        buf_z(text, json_is_true(value) ? "true" : "false");
    else if (json_is_integer(value) && is_number)
        buf_printf(text, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_string(value) && (key->kind == CONFIG_TEXT || key->kind == CONFIG_SIZE))
        buf_bytes(text, json_string_value(value), json_string_length(value));
    else
        return false;
    return !text->failed;
}

static bool take_member(struct config *c, const char *where, struct str name, const json_t *value,
                        struct diag *diag)
{
    const struct config_key *key = config_keys_find(name);
    struct buf text = {0};

    if (key == NULL)
        return config_keys_unknown(name, where, diag);
    bool fits = value_text(key, value, &text);
    bool ok = fits && config_keys_set(c, key, buf_view(&text));
    if (text.failed)
        diag_set(diag, DIAG_NO_MEMORY, "out of memory", "", "No memory is left for the configuration.");
    if (!fits) {
        char *dumped = json_memory_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
        buf_clear(&text);
        buf_z(&text, dumped == NULL ? "" : dumped);
        free(dumped);
    }
    if (!ok)
        config_keys_refuse(key, buf_view(&text), where, diag);
    buf_free(&text);
    return ok;
}

static bool take_object(struct config *c, const char *path, struct str text, json_t *object,
                        struct diag *diag)
{
    const char *name;
    json_t *value;

    json_object_foreach (object, name, value) {
        char where[160];
        unsigned line = line_of(text, str_of(name));
        if (line > 0)
            snprintf(where, sizeof(where), "%s, line %u", path, line);
        else
            snprintf(where, sizeof(where), "%s", path);
        if (!take_member(c, where, str_of(name), value, diag))
            return false;
    }
    return true;
}

static bool take_text(struct config *c, const char *path, struct str text, struct diag *diag)
{
    json_error_t error;
    json_t *root = json_memory_load(text, JSON_REJECT_DUPLICATES, &error);
    bool ok = false;

    if (root == NULL && error.text[0] == '\0')
        diag_set(diag, DIAG_NO_MEMORY, "out of memory", "", "No memory is left for the configuration.");
    else if (root == NULL)
        diag_set(diag, DIAG_USAGE, CONFIG_TITLE,
                 "The file is one JSON object; config/aflamed.json shows every key.", "%s, line %d: %s.",
                 path, error.line, config_keys_shown(str_of(error.text)).text);
    else if (!json_is_object(root))
        diag_set(diag, DIAG_USAGE, CONFIG_TITLE, "config/aflamed.json shows every key.",
                 "%s, line 1: it is not a JSON object.", path);
    else
        ok = take_object(c, path, text, root, diag);
    json_decref(root);
    return ok;
}

bool config_file_take(struct config *c, const char *path, struct diag *diag)
{
    struct config_shown name = config_keys_shown(str_of(path));
    struct buf text = {0};
    int fd = file_open(AT_FDCWD, path, O_RDONLY);

    if (fd < 0)
        return diag_set(diag, DIAG_USAGE, CONFIG_TITLE, "Name a file that can be read.", "%s: %m.",
                        name.text);
    bool ok = file_read_all(fd, FILE_BYTES_MAX, &text);
    if (!ok && errno == EFBIG)
        diag_set(diag, DIAG_USAGE, CONFIG_TITLE, CONFIG_HINT, "%s: more than %d bytes are no configuration.",
                 name.text, FILE_BYTES_MAX);
    else if (!ok)
        diag_set(diag, DIAG_USAGE, CONFIG_TITLE, "Name a file that can be read.", "%s: %m.", name.text);
    close(fd);
    ok = ok && take_text(c, name.text, buf_view(&text), diag);
    buf_free(&text);
    return ok;
}
