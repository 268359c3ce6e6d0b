#include "server/config/config_load.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "server/config/address.h"
#include "server/config/config_file.h"
#include "server/config/config_keys.h"

/* ---- defaults ---- */

static void set_defaults(struct config *c)
{
    *c = (struct config){0};
    for (size_t i = 0; i < CONFIG_KEYS_COUNT; i++) {
        bool ok = config_keys_set(c, &CONFIG_KEYS[i], str_of(CONFIG_KEYS[i].value));
        (void)ok; /* built-in values are good */
    }
    c->given = 0;
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

/* The XDG base directory specification passes over a path that is not absolute. */
static bool store_below(struct config *c, const char *base, const char *folder)
{
    if (base == NULL || base[0] != '/')
        return false;
    int n = snprintf(c->store, sizeof(c->store), "%s%s", base, folder);
    return n > 0 && (size_t)n < sizeof(c->store);
}

static void place_store(struct config *c, char *const *environment)
{
    if (c->store[0] == '\0' && !store_below(c, variable(environment, STR("XDG_DATA_HOME")), "/aflamed") &&
        !store_below(c, variable(environment, STR("HOME")), "/.local/share/aflamed"))
        snprintf(c->store, sizeof(c->store), "/var/lib/aflamed");
}

void config_defaults(struct config *c)
{
    set_defaults(c);
    place_store(c, environ);
}

/* ---- environment ---- */

static const struct str PREFIX = STR_INIT("AFLAMED_");

/* The key whose name is `upper` in capitals. */
static const struct config_key *find_upper(struct str upper)
{
    char name[64];

    if (upper.n >= sizeof(name))
        return NULL;
    for (size_t i = 0; i < upper.n; i++) {
        char c = upper.p[i];
        if (c >= 'a' && c <= 'z')
            return NULL;
        name[i] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    return config_keys_find((struct str){name, upper.n});
}

static bool take_variable(struct config *c, struct str entry, struct diag *diag)
{
    size_t equals = str_find(entry, '=');
    struct str name = {entry.p + PREFIX.n, equals - PREFIX.n};
    struct str value = {entry.p + equals + 1, entry.n - equals - 1};
    const struct config_key *key = find_upper(name);
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

static bool name_flag(struct flag *f, struct str argument)
{
    struct str name = {argument.p + 2, argument.n - 2};

    if (name.n == 0 || name.n >= sizeof(f->name))
        return false;
    for (size_t i = 0; i < name.n; i++)
        f->name[i] = name.p[i] == '-' ? '_' : name.p[i];
    f->name[name.n] = '\0';
    f->key = config_keys_find(str_of(f->name));
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
    if (!name_flag(f, (struct str){argument.p, equals}))
        return diag_set(diag, DIAG_USAGE, CONFIG_TITLE, CONFIG_HINT, "There is no flag '%s'.", name.text);
    if (has_value)
        f->value = (struct str){argument.p + equals + 1, argument.n - equals - 1};
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
    struct flags flags = {arguments, n_arguments, 0};
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
    return true;
}

bool config_listen_is_loopback(const struct config *c)
{
    struct address address;

    return address_parse(str_of(c->listen), &address) && address_is_loopback(&address);
}
