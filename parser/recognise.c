#include "parser/recognise.h"

#include "parser/format.h"

_Static_assert((int)UNPACK_RECOGNISE_BYTES == (int)DETECT_BYTES_MAX, "a format can decide");

const char RECOGNISED_BESIDE[] = "symbols for a trace";

static const char *label_of(const uint8_t *p, size_t n, bool whole)
{
    for (size_t i = 0; i < FORMATS_COUNT; i++)
        if (FORMATS[i]->is_beside != NULL && FORMATS[i]->is_beside(p, n))
            return RECOGNISED_BESIDE;
    for (size_t i = 0; i < FORMATS_COUNT; i++)
        if (FORMATS[i]->detect(p, n, whole || n >= DETECT_BYTES_MAX) == DETECT_YES)
            return FORMATS[i]->label;
    return NULL;
}

const char *recognise_format(const uint8_t *p, size_t n, bool whole)
{
    uint8_t inside[DETECT_BYTES_MAX];
    size_t n_inside = unpack_beginning(p, n, inside, sizeof(inside));

    return n_inside > 0 ? label_of(inside, n_inside, whole) : label_of(p, n, whole);
}
