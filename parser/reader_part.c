/* Reading a part of a file: from its beginning to its first record, then on from another one. */
#include "parser/format.h"
#include "parser/reader.h"

bool reader_may_hold(struct str format)
{
    for (size_t i = 0; i < FORMATS_COUNT; i++)
        if (str_eq(format, str_of(FORMATS[i]->name)))
            return FORMATS[i]->hold != NULL;
    return false;
}

void reader_hold(struct reader *r)
{
    r->hold = true;
}

bool reader_is_held(const struct reader *r)
{
    return r->way == READER_PLAIN && r->format != NULL && r->format->is_held != NULL &&
           r->format->is_held(r->state);
}

void reader_go_on(struct reader *r, uint64_t offset)
{
    r->format->hold(r->state, false);
    r->offset = offset;
    r->carry_bytes = 0;
    r->enough_bytes = 0;
}
