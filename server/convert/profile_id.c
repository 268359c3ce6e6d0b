#include "server/convert/profile_id.h"

#include <stdio.h>
#include <string.h>

#include "core/system/digest.h"

struct profile_id profile_id_of(const struct record *record)
{
    struct profile_id id = {.names = record->names};

    memcpy(id.sha256, record->sha256, sizeof(id.sha256));
    memcpy(id.upload, record->id, sizeof(id.upload));
    memcpy(id.member, record->member, sizeof(id.member));
    return id;
}

static bool names_equal(const struct record_names *a, const struct record_names *b)
{
    for (size_t i = 0; i < RECORD_NAMES_FILES; i++)
        if (strcmp(a->of[i], b->of[i]) != 0)
            return false;
    return true;
}

void profile_id_source(const struct profile_id *id, char out[RECORD_SHA256_CHARS + 1])
{
    static const char SIGNS[RECORD_NAMES_FILES] = {'+', '*'}; /* that tell apart whose digest follows */
    static const struct record_names NONE = {0};
    char text[(RECORD_NAMES_FILES + 1) * (RECORD_SHA256_CHARS + 1) + RECORD_MEMBER_BYTES + 1];

    if (id->member[0] == '\0' && names_equal(&id->names, &NONE)) {
        memcpy(out, id->sha256, RECORD_SHA256_CHARS + 1);
        return;
    }
    /* The files stand in front: a member may hold any sign. */
    int n = snprintf(text, sizeof(text), "%s", id->sha256);
    for (size_t i = 0; i < RECORD_NAMES_FILES; i++)
        if (id->names.of[i][0] != '\0')
            n += snprintf(text + n, sizeof(text) - (size_t)n, "%c%s", SIGNS[i], id->names.of[i]);
    n += snprintf(text + n, sizeof(text) - (size_t)n, "/%s", id->member);
    digest_hex_of(text, (size_t)n, out);
}

/* The split stands last: it may hold any sign. */
void profile_id_canonical(const struct profile_id *id, struct buf *text)
{
    char source[RECORD_SHA256_CHARS + 1];

    profile_id_source(id, source);
    text->failed = text->failed || source[0] == '\0';
    buf_z(text, source);
    if (profile_id_has_window(id))
        buf_printf(text, "@%llu-%llu", (unsigned long long)id->window.from_ns,
                   (unsigned long long)id->window.to_ns);
    if (id->split[0] != '\0')
        buf_printf(text, "#%zu:%s", strlen(id->split), id->split);
}
