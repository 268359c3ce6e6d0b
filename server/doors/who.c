#include "server/doors/who.h"

#include <string.h>

const struct scope_word SCOPES[] = {
    {SCOPE_UPLOAD, "upload", "may upload profiles"},
    {SCOPE_READ, "read", "may see uploads that are for the team"},
    {SCOPE_CHANGE, "change", "may change any upload: its name, its expiry, its names files"},
    {SCOPE_DELETE, "delete", "may delete any upload"},
    {SCOPE_ADMIN, "admin", "may see the figures of the service"},
};

const size_t SCOPES_COUNT = sizeof(SCOPES) / sizeof(SCOPES[0]);

static unsigned scope_of(struct str word)
{
    for (size_t i = 0; i < SCOPES_COUNT; i++)
        if (str_eq(word, str_of(SCOPES[i].word)))
            return SCOPES[i].scope;
    return 0;
}

static bool add_space(struct str name, char spaces[WHO_SPACES_BYTES + 1])
{
    size_t n = strlen(spaces);

    if (!space_name_valid(name) || n + 1 + name.n > WHO_SPACES_BYTES)
        return false;
    if (n > 0)
        spaces[n++] = ',';
    memcpy(spaces + n, name.p, name.n);
    spaces[n + name.n] = '\0';
    return true;
}

/* The name behind "spaces:". */
static bool names_space(struct str *word)
{
    static const struct str BEFORE = STR_INIT("spaces:");

    if (!str_starts(*word, BEFORE))
        return false;
    *word = str_from(*word, BEFORE.n);
    return true;
}

bool scopes_parse(struct str text, unsigned *scopes, char spaces[WHO_SPACES_BYTES + 1])
{
    struct str word;

    *scopes = 0;
    memset(spaces, 0, WHO_SPACES_BYTES + 1);
    while (str_split(&text, ',', &word)) {
        word = str_trim(word);
        if (names_space(&word)) {
            if (!add_space(word, spaces))
                return false;
            continue;
        }
        unsigned one = scope_of(word);
        if (one == 0)
            return false;
        *scopes |= one;
    }
    return *scopes != 0;
}

bool who_is_for(const struct who *w, struct str space)
{
    struct str rest = str_of(w->spaces), name;

    if (rest.n == 0)
        return true;
    while (str_split(&rest, ',', &name))
        if (str_eq(name, space))
            return true;
    return false;
}

static void put_spaces(struct buf *b, const char *spaces)
{
    struct str rest = str_of(spaces), name;

    while (rest.n > 0 && str_split(&rest, ',', &name)) {
        buf_z(b, ",spaces:");
        buf_str(b, name);
    }
}

void scopes_put(struct buf *b, unsigned scopes, const char *spaces)
{
    bool any = false;

    for (size_t i = 0; i < SCOPES_COUNT; i++)
        if ((scopes & SCOPES[i].scope) != 0) {
            buf_z(b, any ? "," : "");
            buf_z(b, SCOPES[i].word);
            any = true;
        }
    put_spaces(b, spaces);
}

bool who_name_valid(struct str name)
{
    for (size_t i = 0; i < name.n; i++)
        if (name.p[i] <= ' ' || name.p[i] > '~' || strchr("\"',;#<>&", name.p[i]) != NULL)
            return false;
    return name.n > 0 && name.n <= WHO_NAME_BYTES;
}
