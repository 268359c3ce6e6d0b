#include "profile/mapping/mapping_share.h"

#include "profile/frame/own_code.h"

enum { OBFUSCATED_CHARS = 2 /* of a name: so short are those that are made up */ };

bool mapping_share_is_java(enum frame_kind kind)
{
    return kind == FRAME_KIND_JAVA || kind == FRAME_KIND_UNKNOWN;
}

bool mapping_share_is_app(struct str scope)
{
    return scope.n > 0 && (origin_package(scope).n == 0 || origin_of_scope(scope) == ORIGIN_APP);
}

void mapping_share_count(struct mapping_share *s, const struct frame_parts *parts, bool scoped,
                         enum mapping_found found)
{
    bool of_class = found == MAPPING_FOUND_CLASS && parts->name.n > OBFUSCATED_CHARS;
    bool is_method = scoped || found != MAPPING_FOUND_NOTHING;

    if (!is_method || !mapping_share_is_app(parts->scope))
        return;
    s->asked++;
    s->known += of_class || found == MAPPING_FOUND_METHOD;
}

bool mapping_share_is_few(const struct mapping_share *s)
{
    return s->known * 2 < s->asked || s->known == 0;
}
