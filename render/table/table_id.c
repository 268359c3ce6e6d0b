#include "render/table/table_id.h"

bool table_frame_id(const struct profile *p, frame_id id_of, struct sha256 *h, char id[TABLE_ID_DIGITS + 1])
{
    static const char DIGITS[] = "0123456789abcdef";
    const struct profile_frame *frame = &p->frames[id_of];
    const string_id parts[] = {frame->scope, frame->name, frame->signature, frame->module};
    const struct str kind = str_of(frame_kind_word(frame->kind));
    uint8_t digest[SHA256_BYTES];

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        sha256_add(h, profile_string(p, parts[i]));
        sha256_add(h, (struct str){"", 1}); /* the NUL */
    }
    sha256_add(h, kind);
    if (!sha256_end(h, digest))
        return false;
    for (unsigned i = 0; i < TABLE_ID_DIGITS; i++)
        id[i] = DIGITS[(i % 2 == 0 ? digest[i / 2] >> 4 : digest[i / 2]) & 0xf];
    id[TABLE_ID_DIGITS] = '\0';
    return true;
}

bool table_id(const struct table *t, uint32_t row, struct sha256 *h, char id[TABLE_ID_DIGITS + 1])
{
    return table_frame_id(t->profile, t->frame[row], h, id);
}

bool table_by_id(const struct table *t, struct str id, struct sha256 *h, uint32_t *rows, uint32_t max,
                 uint32_t *n)
{
    char of_row[TABLE_ID_DIGITS + 1];

    *n = 0;
    for (uint32_t row = 0; row < t->n; row++) {
        if (!t->present[row])
            continue;
        if (!table_id(t, row, h, of_row))
            return false;
        if (!str_eq(str_of(of_row), id))
            continue;
        if (*n < max)
            rows[*n] = row;
        ++*n;
    }
    return true;
}
