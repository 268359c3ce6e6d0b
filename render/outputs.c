#include "render/output.h"

const struct output *const OUTPUTS[] = {&OUTPUT_SVG, &OUTPUT_FOLDED, &OUTPUT_JSON, &OUTPUT_THUMB,
                                        &OUTPUT_TREE};
const size_t OUTPUTS_COUNT = sizeof(OUTPUTS) / sizeof(OUTPUTS[0]);

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
