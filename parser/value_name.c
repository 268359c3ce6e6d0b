#include "parser/value_name.h"

#include <stdio.h>
#include <string.h>

#include "core/clean.h"

static char letter_of(uint32_t c)
{
    if (c >= 'A' && c <= 'Z')
        return (char)(c - 'A' + 'a');
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? (char)c : '-';
}

static bool is_taken(const struct profile_value *values, uint32_t n, struct str name)
{
    for (uint32_t i = 0; i < n; i++)
        if (str_eq(values[i].name, name))
            return true;
    return false;
}

bool value_name_set(struct arena *arena, struct profile_value *values, uint32_t i, struct str name)
{
    char text[VALUE_NAME_BYTES + 1] = "value";
    size_t n = 0, stem;

    while (name.n > 0 && n < VALUE_NAME_BYTES)
        text[n++] = letter_of(clean_next(&name));
    n = n > 0 ? n : strlen(text);
    stem = n;
    for (unsigned number = 2; is_taken(values, i, (struct str){text, n}); number++) {
        char suffix[12];
        size_t digits = (size_t)snprintf(suffix, sizeof(suffix), "-%u", number);
        size_t at = stem < VALUE_NAME_BYTES - digits ? stem : VALUE_NAME_BYTES - digits;
        memcpy(text + at, suffix, digits);
        n = at + digits;
    }
    values[i].name = (struct str){arena_copy(arena, text, n), n};
    return values[i].name.p != NULL;
}
