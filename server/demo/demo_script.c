#include "server/demo/demo_script.h"

#include "static/static_files.h"

struct str demo_script_all(void)
{
    for (size_t i = 0; i < STATIC_FILES_COUNT; i++)
        if (str_eq(STATIC_FILES[i].name, STR("demo.txt")))
            return STATIC_FILES[i].bytes;
    return (struct str){NULL, 0};
}

/* The next line that begins with the keyword, without that; *rest is what follows it. */
static bool next_keyword(struct str *rest, struct str keyword, struct str *line)
{
    while (str_split(rest, '\n', line))
        if (str_starts(*line, keyword)) {
            *line = (struct str){line->p + keyword.n, line->n - keyword.n};
            return true;
        }
    return false;
}

bool demo_script_thread(struct str *rest, struct demo_thread *thread)
{
    struct str line;

    if (!next_keyword(rest, STR("thread "), &line))
        return false;
    thread->id = (uint16_t)demo_script_number(&line);
    line = str_trim(line);
    thread->start_us = demo_script_number(&line);
    thread->name = str_trim(line);
    thread->lines = *rest;
    return true;
}

struct str demo_script_find(struct str name)
{
    struct str rest = demo_script_all(), line;

    while (next_keyword(&rest, STR("script "), &line))
        if (str_eq(line, name))
            return rest;
    return (struct str){NULL, 0};
}

bool demo_script_line(struct str *rest, struct str *line)
{
    /* A part ends with an empty line, or at the next keyword. */
    return str_split(rest, '\n', line) && line->n > 0 && !(line->p[0] >= 'a' && line->p[0] <= 'z');
}

struct str demo_script_package(struct str type)
{
    struct str rest = demo_script_all(), line, package, name;

    while (next_keyword(&rest, STR("types "), &line)) {
        bool more = str_split(&line, ' ', &package);
        while (more && str_split(&line, ' ', &name))
            if (str_eq(name, type))
                return package;
    }
    return (struct str){NULL, 0};
}

uint32_t demo_script_number(struct str *s)
{
    uint32_t value = 0;

    for (; s->n > 0 && s->p[0] >= '0' && s->p[0] <= '9'; s->p++, s->n--)
        value = value * 10 + (uint32_t)(s->p[0] - '0');
    return value;
}
