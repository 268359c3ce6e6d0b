/* The child's answer, which is hostile: read twice, first to see that all of it makes sense. */
#include "server/symbols/symbol_run.h"

struct taking {
    struct symbols *s;
    uint32_t n_files;
    bool for_good; /* the second time */
    bool in_file, ended;
    uint32_t question; /* with has_question */
    bool has_question;
    struct symbols_name names[SYMBOLS_NAMES_MAX];
    uint32_t n;
};

static bool field_u32(struct str *rest, uint32_t below, uint32_t *value)
{
    struct str field;
    uint64_t number;

    if (!str_split(rest, '\t', &field) || !str_to_u64(field, 10, &number) || number >= below)
        return false;
    *value = (uint32_t)number;
    return true;
}

static bool field_text(struct str *rest, struct str *text)
{
    return str_split(rest, '\t', text) && text->n <= SYMBOL_TEXT_BYTES * 4;
}

static bool is_better(const struct taking *t)
{
    const struct symbols_question *q = &t->s->questions[t->question];

    if (t->n != q->n)
        return t->n > q->n;
    return t->n > 0 && t->s->names[q->first].file.n == 0 && t->names[0].file.n > 0;
}

/* What was said of one address is complete. */
static bool finish_question(struct taking *t)
{
    bool ok = !t->has_question || !t->for_good || !is_better(t) ||
              symbols_answer(t->s, t->question, t->names, t->n);

    t->has_question = false;
    t->n = 0;
    return ok;
}

static bool take_fit(struct taking *t, struct str rest)
{
    uint32_t module, state;

    if (!field_u32(&rest, t->s->n_modules, &module) || !field_u32(&rest, SYMBOLS_STATES, &state) ||
        rest.p != NULL)
        return false;
    if (t->for_good)
        symbols_found(t->s, module, (enum symbols_state)state);
    return true;
}

static bool take_name(struct taking *t, struct str rest)
{
    struct symbols_name *name = &t->names[t->n];

    if (!t->has_question || t->n == SYMBOLS_NAMES_MAX || !field_u32(&rest, UINT32_MAX, &name->line) ||
        !field_text(&rest, &name->function) || !field_text(&rest, &name->file) || rest.p != NULL ||
        name->function.n == 0)
        return false;
    t->n++;
    return true;
}

static bool take_line(struct taking *t, struct str line)
{
    struct str word, rest = line;
    uint32_t file;

    if (t->ended || !str_split(&rest, '\t', &word))
        return false;
    if (str_eq(word, STR("in")))
        return take_name(t, rest);
    if (!finish_question(t))
        return false;
    if (str_eq(word, STR("end")))
        return t->ended = rest.p == NULL;
    if (str_eq(word, STR("file")))
        return t->in_file = field_u32(&rest, t->n_files, &file) && rest.p == NULL;
    if (str_eq(word, STR("fit")))
        return t->in_file && take_fit(t, rest);
    t->has_question = str_eq(word, STR("at")) && t->in_file &&
                      field_u32(&rest, t->s->n_questions, &t->question) && rest.p == NULL;
    return t->has_question;
}

static bool take_all(struct taking *t, struct str answer)
{
    struct str line;

    while (answer.n > 0 && str_split(&answer, '\n', &line))
        if (!take_line(t, line))
            return false;
    return t->ended && finish_question(t);
}

bool symbol_take(struct symbols *s, uint32_t n_files, struct str answer)
{
    struct taking check = {.s = s, .n_files = n_files}, take = {.s = s, .n_files = n_files, .for_good = true};

    return take_all(&check, answer) && take_all(&take, answer);
}
