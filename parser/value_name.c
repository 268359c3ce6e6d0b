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

static bool is_clock(struct str event)
{
    return str_starts(event, STR("cpu-clock")) || str_starts(event, STR("task-clock"));
}

static bool has_cpu(const struct profile_value *values, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (values[i].role == ROLE_CPU)
            return true;
    return false;
}

bool value_name_event(struct builder *b, struct profile_value *values, uint32_t i, struct str event,
                      bool periods)
{
    bool clock = periods && is_clock(event);
    char text[160];
    int n = snprintf(text, sizeof(text), clock ? "CPU time (%.*s)" : "%.*s events",
                     event.n < 100 ? (int)event.n : 100, event.p);
    string_id label = builder_string(b, (struct str){text, (size_t)n});

    if (label == STRING_NONE)
        return false;
    values[i] = (struct profile_value){.label = builder_text_of(b, label),
                                       .unit = clock ? UNIT_NS : UNIT_COUNT,
                                       .role = clock && !has_cpu(values, i) ? ROLE_CPU : ROLE_OTHER};
    return value_name_set(builder_arena(b), values, i, event);
}
