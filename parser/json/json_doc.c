/* What all families of JSON profiles stand on: names, refusals, and how calls are declared and closed. */
#include "parser/json/json_impl.h"

string_id json_name(struct json_doc *d, struct str text)
{
    return builder_name(d->builder, text, d->r->limits->name_bytes, json_in_offset(d->in));
}

bool json_refuse(struct json_doc *d, const char *title, const char *hint, const char *detail)
{
    return diag_at(d->diag, DIAG_UNUSABLE, d->begin, title, hint, "%s", detail);
}

bool json_declare_calls(struct json_doc *d, bool cpu)
{
    static const struct profile_value TIMES[] = {{STR_INIT("wall"), STR_INIT("wall time"), UNIT_NS,
                                                  ROLE_WALL},
                                                 {STR_INIT("cpu"), STR_INIT("thread CPU time"), UNIT_NS,
                                                  ROLE_CPU}},
                                      CALLS = {STR_INIT("calls"), STR_INIT("calls"), UNIT_COUNT, ROLE_CALLS};
    bool cpu_only = !cpu && str_eq(d->value_name, STR("cpu"));

    builder_clocks(d->builder, 1, false);
    return builder_values(d->builder, TIMES + cpu_only, cpu ? 2 : 1, &CALLS, 1);
}

bool json_take_value_name(struct json_doc *d)
{
    struct str key, text;

    if (json_in_enter(d->in, JSON_OBJECT))
        while (json_in_key(d->in, &key)) {
            if (!str_eq(key, STR("value")) && !str_eq(key, STR("clock"))) {
                json_in_skip(d->in);
            } else if (json_in_string(d->in, &text)) {
                string_id name = json_name(d, text);
                if (name == STRING_NONE)
                    return false;
                d->value_name = builder_text_of(d->builder, name);
            }
        }
    return true;
}
