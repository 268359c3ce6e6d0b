#include "profile/symbols/symbols.h"

#include <stdlib.h>

const char *symbols_state_word(enum symbols_state state)
{
    static const char *const WORDS[SYMBOLS_STATES] = {"missing", "other-build", "found", "found-by-name"};

    return WORDS[state];
}

static bool is_asked(const struct profile_frame *f)
{
    return f->nameless && f->module != STRING_EMPTY;
}

/* By module, build id and address. */
static int by_place(const void *a, const void *b, void *frames)
{
    const struct profile_frame *fa = (const struct profile_frame *)frames +
                                     ((const struct symbols_question *)a)->frame,
                               *fb = (const struct profile_frame *)frames +
                                     ((const struct symbols_question *)b)->frame;

    if (fa->module != fb->module)
        return fa->module < fb->module ? -1 : 1;
    if (fa->build_id != fb->build_id)
        return fa->build_id < fb->build_id ? -1 : 1;
    return fa->address != fb->address ? (fa->address < fb->address ? -1 : 1) : 0;
}

static bool collect(struct symbols *s)
{
    const struct profile *p = s->profile;
    uint32_t n = 0;

    for (frame_id i = 0; i < p->n_frames; i++)
        n += is_asked(&p->frames[i]);
    s->questions = arena_array(s->arena, n, sizeof(*s->questions));
    s->modules = arena_array(s->arena, n, sizeof(*s->modules));
    if (s->questions == NULL || s->modules == NULL)
        return false;
    for (frame_id i = 0; i < p->n_frames; i++)
        if (is_asked(&p->frames[i]))
            s->questions[s->n_questions++] = (struct symbols_question){.frame = i};
    qsort_r(s->questions, n, sizeof(*s->questions), by_place, (void *)(uintptr_t)p->frames);
    return true;
}

static void group(struct symbols *s)
{
    const struct profile_frame *frames = s->profile->frames;

    for (uint32_t i = 0; i < s->n_questions; i++) {
        const struct profile_frame *f = &frames[s->questions[i].frame];
        const struct symbols_module module = {.path = f->module, .build_id = f->build_id, .first = i};
        if (s->n_modules == 0 || s->modules[s->n_modules - 1].path != f->module ||
            s->modules[s->n_modules - 1].build_id != f->build_id)
            s->modules[s->n_modules++] = module;
        s->modules[s->n_modules - 1].n++;
    }
}

struct symbols *symbols_new(const struct profile *p, struct arena *arena, struct hash_seed seed)
{
    struct symbols *s = arena_alloc(arena, sizeof(*s));

    if (s == NULL)
        return NULL;
    *s = (struct symbols){.profile = p, .arena = arena};
    if (!strtab_init(&s->strings, arena, seed) || !collect(s))
        return NULL;
    group(s);
    return s;
}

void symbols_found(struct symbols *s, uint32_t module, enum symbols_state state)
{
    if (state > s->modules[module].state)
        s->modules[module].state = state;
}

bool symbols_is_done(const struct symbols *s, uint32_t module)
{
    const struct symbols_module *m = &s->modules[module];

    if (m->state != SYMBOLS_FOUND)
        return false;
    for (uint32_t q = m->first; q < m->first + m->n; q++)
        if (s->questions[q].n > 0 && s->names[s->questions[q].first].file.n > 0)
            return true;
    return false;
}

static bool keep(struct symbols *s, struct str *text)
{
    string_id id = strtab_add(&s->strings, *text);

    if (id == STRING_NONE)
        return false;
    *text = strtab_get(&s->strings, id);
    return true;
}

bool symbols_answer(struct symbols *s, uint32_t question, const struct symbols_name *names, uint32_t n)
{
    if (!ARENA_ROOM(s->arena, s->names, s->names_capacity, s->n_names + n))
        return false;
    s->questions[question].first = (uint32_t)s->n_names;
    s->questions[question].n = n;
    for (uint32_t i = 0; i < n; i++) {
        struct symbols_name *name = &s->names[s->n_names++];
        *name = names[i];
        if (!keep(s, &name->function) || !keep(s, &name->file))
            return false;
    }
    return true;
}
