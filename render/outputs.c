#include "render/output.h"

#define ROW(name) &OUTPUT_##name,

const struct output *const OUTPUTS[OUTPUTS_COUNT] = {OUTPUT_ROWS(ROW)};

const struct output *output_by_name(struct str name)
{
    for (size_t i = 0; i < OUTPUTS_COUNT; i++)
        if (str_eq(name, str_of(OUTPUTS[i]->name)))
            return OUTPUTS[i];
    return NULL;
}

const struct output *output_by_suffix(struct str suffix)
{
    for (size_t i = 0; i < OUTPUTS_COUNT; i++)
        if (str_eq(suffix, str_of(OUTPUTS[i]->suffix)))
            return OUTPUTS[i];
    return NULL;
}
