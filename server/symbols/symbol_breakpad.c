/* Breakpad's symbol files: parser/symbols/breakpad.c reads them; its addresses are those of the file. */
#include "parser/symbols/breakpad.h"
#include "server/symbols/symbol_reading.h"

struct answering {
    struct symbol_reading *reading;
    uint32_t first; /* question */
};

static bool answer(void *context, size_t i, const struct symbols_name *names, uint32_t n)
{
    struct answering *a = context;
    bool ok = symbol_at(a->reading, a->first + (uint32_t)i);

    for (uint32_t k = 0; ok && k < n; k++)
        ok = symbol_in(a->reading, names[k].function, names[k].file, names[k].line);
    return ok;
}

static void answer_module(struct symbol_reading *r, const struct breakpad *b, const struct symbol_module *m)
{
    struct answering a = {r, m->first};
    uint64_t *addresses = arena_array(b->arena, m->n, sizeof(*addresses));

    for (uint32_t i = 0; addresses != NULL && i < m->n; i++)
        addresses[i] = r->request->questions[m->first + i].address;
    if (addresses != NULL)
        breakpad_answer(b, addresses, m->n, answer, &a);
}

static void read_file(struct symbol_reading *r, char *bytes, size_t n)
{
    const struct symbol_head *head = r->request->head;
    struct arena arena;
    struct breakpad b;

    arena_init(&arena, (size_t)head->memory_bytes);
    bool ok = breakpad_open(&b, (struct str){bytes, n}, &arena);
    for (uint32_t i = 0; ok && i < head->n_modules; i++)
        if (symbol_fit(r, i, breakpad_is_of(&b, str_of(r->request->modules[i].build_id)), b.name))
            answer_module(r, &b, &r->request->modules[i]);
    arena_free(&arena);
}

const struct symbol_kind SYMBOL_BREAKPAD = {"Breakpad symbols", true, breakpad_detect, read_file};
