#include "profile/value_words.h"

static const struct str MEANINGS[ROLE_ROLES] = {
    [ROLE_OTHER] = STR_INIT(""),
    [ROLE_WALL] = STR_INIT("all that passed, running or waiting"),
    [ROLE_CPU] = STR_INIT("what was spent on a processor"),
    [ROLE_CALLS] = STR_INIT("how often methods were called"),
    [ROLE_SAMPLES] = STR_INIT("how often the recorder saw a stack"),
    [ROLE_ALLOCATED] = STR_INIT("all that was allocated, whether it was released since or not"),
    [ROLE_UNRELEASED] = STR_INIT("what was allocated and is not released yet"),
    [ROLE_OBJECTS] = STR_INIT("how many allocations these are"),
};

struct str value_meaning(enum profile_role role)
{
    return MEANINGS[role];
}

const char *value_unit_words(enum unit unit)
{
    switch (unit) {
    case UNIT_NS:
        return "time";
    case UNIT_BYTES:
        return "bytes";
    case UNIT_COUNT:
        break;
    }
    return "count";
}
