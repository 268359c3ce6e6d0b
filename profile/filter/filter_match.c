/* Frames against a pattern: each distinct frame once. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <string.h>

#include "core/clean.h"
#include "profile/filter/filter_pattern.h"
#include "profile/filter/filter_regex.h"
#include "profile/frame/frame_text.h"
#include "profile/frame/origin.h"

/* How far an expression may search in all frames together, and in one of them; in steps of PCRE2. */
enum {
    STEPS_OF_ALL = 400000000,
    STEPS_LEAST = 2000,
    STEPS_MOST = 1000000,
    DEPTH_MOST = 20000,
    HEAP_KIB = 8192
};

struct matcher {
    const struct profile *profile;
    const uint8_t *origins;
    enum filter_part part;
    struct buf text; /* of the frame that is looked at */
    /* A text: */
    struct str wanted;
    /* or an expression: */
    pcre2_code *code;
    pcre2_match_data *data;
    pcre2_match_context *context;
};

/* ---- what is looked at ---- */

static void put_part(struct buf *b, struct str s)
{
    size_t begin = b->n;

    clean_text(b, s);
    for (size_t i = begin; !b->failed && i < b->n; i++)
        if (b->p[i] == ';')
            b->p[i] = ':';
}

static void put_whole(struct buf *b, const struct frame_parts *parts)
{
    put_part(b, parts->scope);
    if (parts->scope.n > 0 && parts->name.n > 0)
        buf_char(b, '.');
    put_part(b, parts->name);
}

void filter_pattern_text(const struct profile *p, frame_id frame, struct buf *b)
{
    struct frame_parts parts = frame_parts_of(p, &p->frames[frame]);

    put_whole(b, &parts);
}

static void put_looked_at(struct matcher *m, frame_id frame)
{
    const struct profile_frame *f = &m->profile->frames[frame];
    struct frame_parts parts = frame_parts_of(m->profile, f);

    switch (m->part) {
    case FILTER_PART_CLASS:
        put_part(&m->text, parts.scope);
        break;
    case FILTER_PART_PACKAGE:
        put_part(&m->text, origin_package(parts.scope));
        break;
    case FILTER_PART_SIGNATURE:
        put_part(&m->text, parts.signature);
        break;
    case FILTER_PART_FILE:
        put_part(&m->text, profile_string(m->profile, f->file));
        break;
    case FILTER_PART_MODULE:
        put_part(&m->text, profile_string(m->profile, f->module));
        break;
    case FILTER_PART_ORIGIN:
        buf_z(&m->text, origin_word((enum origin)m->origins[frame]));
        break;
    case FILTER_PART_TEXT:
    case FILTER_PARTS:
        put_whole(&m->text, &parts);
        break;
    }
}

/* ---- texts ---- */

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool has_at(const char *text, struct str wanted)
{
    for (size_t i = 0; i < wanted.n; i++)
        if (lower(text[i]) != lower(wanted.p[i]))
            return false;
    return true;
}

static bool has_text(struct str text, struct str wanted)
{
    char first = lower(wanted.p[0]);

    for (size_t i = 0; i + wanted.n <= text.n; i++)
        if (lower(text.p[i]) == first && has_at(text.p + i, wanted))
            return true;
    return false;
}

/* ---- expressions ---- */

static bool refuse(struct diag *diag, struct str pattern, const char *problem)
{
    struct buf quoted = {0};

    clean_text(&quoted, clean_cut(pattern, 60));
    diag_set(diag, DIAG_USAGE, "filter not usable", "Use a shorter or simpler expression, or a plain text.",
             "/%.*s/: %s.", (int)quoted.n, quoted.n > 0 ? quoted.p : "", problem);
    buf_free(&quoted);
    return false;
}

static bool no_memory(struct diag *diag)
{
    return diag_no_memory(diag, "No memory is left to apply a filter.");
}

/* Only limits and want of memory make PCRE2 refuse what filter_regex_translate has passed. */
static bool compile(struct matcher *m, struct str expression, struct diag *diag)
{
    struct buf pcre = {0};
    PCRE2_SIZE offset;
    int error = 0;

    if (filter_regex_translate(expression, &pcre) == NULL && !pcre.failed)
        m->code = pcre2_compile((PCRE2_SPTR)pcre.p, pcre.n, PCRE2_UTF | PCRE2_CASELESS | PCRE2_DOLLAR_ENDONLY,
                                &error, &offset, NULL);
    bool failed = pcre.failed;
    buf_free(&pcre);
    if (m->code == NULL && !failed && error != 0 && error != PCRE2_ERROR_HEAP_FAILED)
        return refuse(diag, expression, "the expression is too large");
    if (m->code != NULL) {
        m->data = pcre2_match_data_create(1, NULL);
        m->context = pcre2_match_context_create(NULL);
    }
    if (m->data == NULL || m->context == NULL)
        return no_memory(diag);
    uint32_t n = m->profile->n_frames + 1, steps = STEPS_OF_ALL / n;
    steps = steps < STEPS_LEAST ? STEPS_LEAST : steps > STEPS_MOST ? STEPS_MOST : steps;
    pcre2_set_match_limit(m->context, steps);
    pcre2_set_depth_limit(m->context, DEPTH_MOST);
    pcre2_set_heap_limit(m->context, HEAP_KIB);
    return true;
}

enum found { FOUND_NOT, FOUND, FOUND_TOO_SLOWLY, FOUND_NO_MEMORY };

static enum found has_match(const struct matcher *m, struct str text)
{
    PCRE2_SPTR at = (PCRE2_SPTR)(text.n > 0 ? text.p : "");
    int found = pcre2_match(m->code, at, text.n, 0, PCRE2_NO_UTF_CHECK, m->data, m->context);

    if (found >= 0)
        return FOUND;
    return found == PCRE2_ERROR_NOMATCH    ? FOUND_NOT
           : found == PCRE2_ERROR_NOMEMORY ? FOUND_NO_MEMORY
                                           : FOUND_TOO_SLOWLY;
}

/* ---- all frames ---- */

static bool match_all(struct matcher *m, struct str expression, uint8_t *matches, struct diag *diag)
{
    for (frame_id i = 0; i < m->profile->n_frames; i++) {
        buf_clear(&m->text);
        put_looked_at(m, i);
        if (m->text.failed)
            return no_memory(diag);
        enum found found = m->code != NULL                           ? has_match(m, buf_view(&m->text))
                           : has_text(buf_view(&m->text), m->wanted) ? FOUND
                                                                     : FOUND_NOT;
        if (found == FOUND_TOO_SLOWLY)
            return refuse(diag, expression, "the expression takes too many steps");
        if (found == FOUND_NO_MEMORY)
            return no_memory(diag);
        matches[i] = found == FOUND;
    }
    return true;
}

bool filter_pattern_match(const struct profile *p, struct str pattern, const uint8_t *origins,
                          uint8_t *matches, struct diag *diag)
{
    struct matcher m = {.profile = p, .origins = origins};
    struct str text;
    bool is_regex;
    const char *problem = filter_pattern_parse(pattern, &m.part, &text, &is_regex);

    if (problem != NULL)
        return refuse(diag, pattern, problem);
    m.wanted = text;
    bool ok = (!is_regex || compile(&m, text, diag)) && match_all(&m, text, matches, diag);
    pcre2_match_context_free(m.context);
    pcre2_match_data_free(m.data);
    pcre2_code_free(m.code);
    buf_free(&m.text);
    return ok;
}
