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

bool scopes_parse(struct str text, unsigned *scopes)
{
    struct str word;

    *scopes = 0;
    while (str_split(&text, ',', &word)) {
        unsigned one = scope_of(str_trim(word));
        if (one == 0)
            return false;
        *scopes |= one;
    }
    return *scopes != 0;
}

void scopes_put(struct buf *b, unsigned scopes)
{
    bool any = false;

    for (size_t i = 0; i < SCOPES_COUNT; i++)
        if ((scopes & SCOPES[i].scope) != 0) {
            buf_z(b, any ? "," : "");
            buf_z(b, SCOPES[i].word);
            any = true;
        }
}

bool who_name_valid(struct str name)
{
    for (size_t i = 0; i < name.n; i++)
        if (name.p[i] <= ' ' || name.p[i] > '~' || strchr("\"',;#<>&", name.p[i]) != NULL)
            return false;
    return name.n > 0 && name.n <= WHO_NAME_BYTES;
}
