#include "server/config/config_load.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/diag.h"
#include "core/json.h"
#include "core/system/folder.h"
#include "core/system/json_memory.h"
#include "core/system/memory_limit.h"
#include "server/config/config.h"
#include "server/config/config_keys.h"
#include "server/config/network.h"
#include "server/spaces/expiry.h"

/* ---- the file ---- */

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

static bool config_keys_refuse(const struct config_key *key, struct str value, const char *where,
                               struct diag *diag)
{
    struct buf allowed = {0};

    config_keys_allowed(&allowed, key);
    diag_set(diag, DIAG_USAGE, CONFIG_TITLE, CONFIG_HINT, "%s: %.*s cannot be '%s', but %.*s.", where,
             (int)key->name.n, key->name.p, config_keys_shown(value).text, (int)allowed.n,
             allowed.n == 0 ? "" : allowed.p);
    buf_free(&allowed);
    return false;
}

/* Says at `where` ("aflamed.json, line 3", "the flag --workers") that the key cannot have the value, and
 * which it can. Always false. */
static bool config_keys_unknown(struct str name, const char *where, struct diag *diag)
{
    return diag_set(diag, DIAG_USAGE, CONFIG_TITLE, CONFIG_HINT, "%s: there is no key '%s'.", where,
                    config_keys_shown(name).text);
}

static bool take_member(struct config *c, const char *where, struct str name, const json_t *value,
                        struct diag *diag)
{
    const struct config_key *key = config_keys_find(c, name);
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

/* ---- what depends on the machine ---- */

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)

enum {
    FIXED_MIB = 32,      /* the program, its libraries, libmagic's table, buffers that are kept */
    JOBS_MOST = 2,       /* open jobs of each worker */
    CONNECTION_KIB = 32, /* each, by libmicrohttpd */
    FEWEST_CONNECTIONS = 64
};

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Whether the key of this field of *c was set since nothing of c->given was set. */
static bool config_keys_given(const struct config *c, const uint64_t *field)
{
    size_t offset = (size_t)((const char *)field - (const char *)c);

    for (size_t i = 0; i < CONFIG_KEYS_COUNT; i++)
        if (CONFIG_KEYS[i].offset == offset)
            return (c->given[i / 64] >> i % 64 & 1) != 0;
    return false;
}

/* A part of the memory, between `floor` and the value that is there, unless somebody has chosen it. */
static void lower(const struct config *c, uint64_t *value, uint64_t part, uint64_t floor)
{
    if (!config_keys_given(c, value))
        *value = least(*value, most(part, floor));
}

/* Of the memory, what the service may plan with. Others run on a machine, and what is mapped is more than
 * what is used. */
static uint64_t budget_of(const struct memory_limit *l, uint64_t mapped)
{
    if (l->bytes == UINT64_MAX)
        return UINT64_MAX;
    if (l->kind == MEMORY_OF_ADDRESSES)
        return l->bytes > mapped ? (l->bytes - mapped) / 4 * 3 : 0;
    return l->kind == MEMORY_OF_MACHINE ? l->bytes / 2 : l->bytes / 4 * 3;
}

/* The profile, the second reading for a view of time, and that for a list of calls: of these there are as
 * many as folds. */
static uint64_t of_a_fold(const struct config *c)
{
    return 3 * c->job_memory_bytes;
}

/* Its profile; of one that a page sends also its log of calls, with what writing it takes (server/upload/job.c). */
static uint64_t of_an_upload(const struct config *c)
{
    return c->job_memory_bytes + c->profile_cache_bytes / 2;
}

static uint64_t of_views(const struct config *c)
{
    return (c->workers + 1) * 2 * c->view_memory_bytes + c->profile_cache_bytes + c->views_in_memory_bytes +
           c->answer_memory_bytes;
}

uint64_t config_ceiling(const struct config *c)
{
    return FIXED_MIB * MIB + of_views(c) + c->folds * of_a_fold(c) + c->open_jobs * of_an_upload(c);
}

/* Half of what is left is for uploads, half for profiles that are read again: at least one of each. */
static void settle_numbers(struct config *s, const struct config *c, uint64_t budget)
{
    uint64_t taken = FIXED_MIB * MIB + of_views(s);
    uint64_t left = budget > taken ? budget - taken : 0;

    s->folds = most(1, least(s->workers, left / 2 / of_a_fold(s)));
    left -= least(left, s->folds * of_a_fold(s));
    s->open_jobs =
        c->open_jobs > 0 ? c->open_jobs : most(2, least(JOBS_MOST * s->workers, left / of_an_upload(s)));
}

struct config config_settle(const struct config *c, const struct memory_limit *limit, uint64_t mapped,
                            unsigned cores)
{
    uint64_t budget = budget_of(limit, mapped);
    struct config s = *c;

    if (s.workers == 0)
        s.workers = most(1, cores);
    lower(&s, &s.job_memory_bytes, budget / 10, 8 * MIB);
    lower(&s, &s.view_memory_bytes, budget / 32, 4 * MIB);
    lower(&s, &s.profile_cache_bytes, budget / 32, 0);
    lower(&s, &s.views_in_memory_bytes, budget / 64, 0);
    lower(&s, &s.answer_memory_bytes, budget / 16, 4 * MIB);
    lower(&s, &s.max_connections, budget / 8 / (CONNECTION_KIB * KIB), FEWEST_CONNECTIONS);
    settle_numbers(&s, c, budget);
    while (c->workers == 0 && s.workers > 1 && config_ceiling(&s) > budget) {
        s.workers--;
        settle_numbers(&s, c, budget);
    }
    return s;
}

void config_lower_connections(struct config *c, uint64_t connections)
{
    lower(c, &c->max_connections, connections, FEWEST_CONNECTIONS);
}

/* ---- as JSON ---- */

static bool write_out(struct buf *b, int fd)
{
    bool ok = !b->failed && file_write_all(fd, b->p, b->n);

    buf_free(b);
    return ok;
}

static bool is_json_word(struct str value)
{
    uint64_t number;

    return str_eq(value, STR("true")) || str_eq(value, STR("false")) || str_to_u64(value, 10, &number);
}

bool config_print(const struct config *c, int fd)
{
    struct buf out = {0}, value = {0};
    struct json json = json_into_indented(&out, 4);

    json_open_object(&json, NULL);
    for (size_t i = 0; i < CONFIG_KEYS_COUNT; i++) {
        const struct config_key *key = &CONFIG_KEYS[i];
        buf_clear(&value);
        config_keys_value(&value, key, c);
        json_put_key(&json, key->name);
        if (key->kind != CONFIG_TEXT && is_json_word(buf_view(&value)))
            json_put_raw(&json, NULL, buf_view(&value));
        else
            json_put_string(&json, NULL, buf_view(&value));
        out.failed = out.failed || value.failed;
    }
    json_close(&json);
    buf_char(&out, '\n');
    buf_free(&value);
    return write_out(&out, fd);
}

/* ---- defaults ---- */

static void set_defaults(struct config *c)
{
    *c = (struct config){0};
    for (size_t i = 0; i < CONFIG_KEYS_COUNT; i++) {
        bool ok = config_keys_set(c, &CONFIG_KEYS[i], str_of(CONFIG_KEYS[i].value));
        (void)ok; /* built-in values are good */
    }
    memset(c->given, 0, sizeof(c->given));
}

/* NULL if it is not there. */
static const char *variable(char *const *environment, struct str name)
{
    for (; *environment != NULL; environment++) {
        struct str entry = str_of(*environment);
        if (str_starts(entry, name) && entry.n > name.n && entry.p[name.n] == '=')
            return entry.p + name.n + 1;
    }
    return NULL;
}

enum { STORE_BYTES = sizeof(((struct config *)NULL)->store) };

/* The XDG base directory specification passes over a path that is not absolute. */
static bool place_below(const char *base, const char *folder, char place[STORE_BYTES])
{
    if (base == NULL || base[0] != '/')
        return false;
    int n = snprintf(place, STORE_BYTES, "%s%s", base, folder);
    return n > 0 && (size_t)n < STORE_BYTES;
}

static bool has_bucket(const struct config *c)
{
    return str_starts(str_of(c->store), STR("s3://"));
}

const char *config_place(const struct config *c)
{
    return has_bucket(c) ? c->cache : c->store;
}

static void place_store(struct config *c, char *const *environment)
{
    char *place = has_bucket(c) ? c->cache : c->store;

    if (place[0] == '\0' && !place_below(variable(environment, STR("XDG_DATA_HOME")), "/aflamed", place) &&
        !place_below(variable(environment, STR("HOME")), "/.local/share/aflamed", place))
        snprintf(place, STORE_BYTES, "/var/lib/aflamed");
}

void config_defaults(struct config *c)
{
    set_defaults(c);
    place_store(c, environ);
}

/* ---- environment ---- */

static const struct str PREFIX = STR_INIT("AFLAMED_");

/* The key whose name is `upper` in capitals. */
static const struct config_key *find_upper(struct config *c, struct str upper)
{
    char name[64];

    if (upper.n >= sizeof(name))
        return NULL;
    for (size_t i = 0; i < upper.n; i++) {
        char letter = upper.p[i];
        if (letter >= 'a' && letter <= 'z')
            return NULL;
        name[i] = letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
    }
    return config_keys_find(c, (struct str){name, upper.n});
}

static bool take_variable(struct config *c, struct str entry, struct diag *diag)
{
    size_t equals = str_find(entry, '=');
    struct str name = {entry.p + PREFIX.n, equals - PREFIX.n};
    struct str value = str_from(entry, equals + 1);
    const struct config_key *key = find_upper(c, name);
    char where[160];

    if (str_eq(name, STR("CONFIG")) || str_eq(name, STR("SAMPLES")) || str_starts(name, STR("TEST_")))
        return true;
    snprintf(where, sizeof(where), "the variable %s", config_keys_shown((struct str){entry.p, equals}).text);
    if (key == NULL)
        return config_keys_unknown(name, where, diag);
    return config_keys_set(c, key, value) || config_keys_refuse(key, value, where, diag);
}

static bool take_environment(struct config *c, char *const *environment, struct diag *diag)
{
    for (; *environment != NULL; environment++) {
        struct str entry = str_of(*environment);
        if (str_starts(entry, PREFIX) && str_find(entry, '=') < entry.n && !take_variable(c, entry, diag))
            return false;
    }
    return true;
}

/* ---- flags ---- */

struct flags {
    struct config *config; /* what they set; also where an old name is noted */
    char *const *arguments;
    int n, next;
};

struct flag {
    char name[64]; /* without the dashes in front, the others as underscores */
    struct str value;
    const struct config_key *key; /* NULL: --config, --print-config, --check-config */
};

static bool is_action(const char *name)
{
    return strcmp(name, "print_config") == 0 || strcmp(name, "check_config") == 0;
}

static bool name_flag(struct config *c, struct flag *f, struct str argument)
{
    struct str name = str_from(argument, 2);

    if (name.n == 0 || name.n >= sizeof(f->name))
        return false;
    for (size_t i = 0; i < name.n; i++)
        f->name[i] = name.p[i] == '-' ? '_' : name.p[i];
    f->name[name.n] = '\0';
    f->key = config_keys_find(c, str_of(f->name));
    return f->key != NULL || is_action(f->name) || strcmp(f->name, "config") == 0;
}

/* The value of a flag that has none of its own: the next argument, which a boolean may do without. */
static bool borrow_value(struct flags *all, struct flag *f)
{
    struct str next = all->next < all->n ? str_of(all->arguments[all->next]) : (struct str){NULL, 0};
    bool is_word = str_eq(next, STR("true")) || str_eq(next, STR("false"));

    if (is_action(f->name))
        return true;
    f->value = STR("true");
    if (f->key != NULL && f->key->kind == CONFIG_BOOL && !is_word)
        return true;
    f->value = next;
    all->next++;
    return next.p != NULL;
}

/* Takes the next flag; only while all->next < all->n. */
static bool next_flag(struct flags *all, struct flag *f, struct diag *diag)
{
    struct str argument = str_of(all->arguments[all->next++]);
    size_t equals = str_find(argument, '=');
    bool has_value = equals < argument.n;
    struct config_shown name = config_keys_shown((struct str){argument.p, equals});

    *f = (struct flag){0};
    if (!str_starts(argument, STR("--")))
        return diag_set(diag, DIAG_USAGE, CONFIG_TITLE, CONFIG_HINT, "'%s' is not expected here.", name.text);
    if (!name_flag(all->config, f, (struct str){argument.p, equals}))
        return diag_set(diag, DIAG_USAGE, CONFIG_TITLE, CONFIG_HINT, "There is no flag '%s'.", name.text);
    if (has_value)
        f->value = str_from(argument, equals + 1);
    if (has_value && is_action(f->name))
        return diag_set(diag, DIAG_USAGE, CONFIG_TITLE, CONFIG_HINT, "The flag %s takes no value.",
                        name.text);
    if (!has_value && !borrow_value(all, f))
        return diag_set(diag, DIAG_USAGE, CONFIG_TITLE, CONFIG_HINT, "The flag %s needs a value.", name.text);
    return true;
}

/* Flags are walked twice, since the file they may name comes before the values they set. */
static bool find_file(struct flags all, const char **path, struct diag *diag)
{
    struct flag f;

    while (all.next < all.n) {
        if (!next_flag(&all, &f, diag))
            return false;
        if (strcmp(f.name, "config") == 0)
            *path = f.value.p;
    }
    return true;
}

static bool take_flags(struct config *c, struct flags all, enum config_action *action, struct diag *diag)
{
    struct flag f;

    while (all.next < all.n) {
        const char *argument = all.arguments[all.next];
        if (!next_flag(&all, &f, diag))
            return false;
        if (strcmp(f.name, "print_config") == 0)
            *action = CONFIG_PRINT;
        if (strcmp(f.name, "check_config") == 0)
            *action = CONFIG_CHECK;
        if (f.key != NULL && !config_keys_set(c, f.key, f.value)) {
            char where[160];
            struct str written = str_of(argument);
            snprintf(where, sizeof(where), "the flag %s",
                     config_keys_shown((struct str){argument, str_find(written, '=')}).text);
            return config_keys_refuse(f.key, f.value, where, diag);
        }
    }
    return true;
}

/* ---- all together ---- */

bool config_load(struct config *c, int n_arguments, char *const *arguments, char *const *environment,
                 enum config_action *action, struct diag *diag)
{
    struct flags flags = {c, arguments, n_arguments, 0};
    const char *path = variable(environment, STR("AFLAMED_CONFIG"));

    *action = CONFIG_RUN;
    set_defaults(c);
    if (!find_file(flags, &path, diag) || (path != NULL && !config_file_take(c, path, diag)) ||
        !take_environment(c, environment, diag) || !take_flags(c, flags, action, diag))
        return false;
    place_store(c, environment);
    if (c->expires_days > c->max_expires_days)
        return diag_set(diag, DIAG_USAGE, CONFIG_TITLE, "Set both.",
                        "expires_days (%llu) cannot be more than max_expires_days (%llu).",
                        (unsigned long long)c->expires_days, (unsigned long long)c->max_expires_days);
    if (expiry_rules_longest(str_of(c->keep_labels)) > c->max_expires_days * EXPIRY_DAY_S)
        return diag_set(diag, DIAG_USAGE, CONFIG_TITLE, "Set both.",
                        "keep_labels cannot say more than max_expires_days (%llu).",
                        (unsigned long long)c->max_expires_days);
    return true;
}

bool config_listen_is_loopback(const struct config *c)
{
    struct address address;

    return address_parse(str_of(c->listen), &address) && address_is_loopback(&address);
}
