#include "server/demo/demo_play.h"

enum { NESTING_MAX = 8 }; /* of scripts in scripts */

/* One line of a script, those of scripts within it included. Calls stand in the order in which they begin. */
struct call {
    uint32_t depth;
    uint32_t method;
    uint32_t repeat;
    uint32_t self_us, wait_us, until_us;
    uint32_t n_children; /* lines one level below */
    uint32_t end;        /* the first call that is not below this one */
};

struct player {
    struct strtab *methods;
    struct demo_records *out;
    struct call *calls;
    size_t n_calls, calls_capacity;
    bool failed;
};

/* ---- reading a script ---- */

static bool take_char(struct str *s, char c)
{
    if (s->n == 0 || s->p[0] != c)
        return false;
    s->p++, s->n--;
    return true;
}

static void add_call(struct player *p, struct str line, uint32_t depth)
{
    struct call *grown =
        arena_grow(p->methods->arena, p->calls, &p->calls_capacity, p->n_calls + 1, sizeof(*p->calls));

    if (grown == NULL) {
        p->failed = true;
        return;
    }
    p->calls = grown;
    struct call *c = &p->calls[p->n_calls++];
    *c = (struct call){.depth = depth, .repeat = 1, .self_us = demo_script_number(&line)};
    if (take_char(&line, '*')) {
        c->repeat = c->self_us;
        c->self_us = demo_script_number(&line);
    }
    if (take_char(&line, '+'))
        c->wait_us = demo_script_number(&line);
    else if (take_char(&line, '@'))
        c->until_us = demo_script_number(&line);
    c->method = take_char(&line, ' ') && line.n > 0 ? strtab_add(p->methods, line) : STRING_NONE;
    p->failed = p->failed || c->method == STRING_NONE;
}

struct open_script {
    struct str rest;
    uint32_t depth; /* of its lines without indentation */
};

/* A line that names a script stands for that script's lines. */
static void add_calls(struct player *p, struct str lines)
{
    struct open_script open[NESTING_MAX] = {{lines, 0}};
    size_t n_open = 1;
    struct str line;

    while (n_open > 0 && !p->failed) {
        struct open_script *s = &open[n_open - 1];
        if (!demo_script_line(&s->rest, &line)) {
            n_open--;
            continue;
        }
        uint32_t depth = s->depth;
        while (take_char(&line, ' '))
            depth++;
        if (take_char(&line, '=')) {
            struct str included = demo_script_find(line);
            p->failed = included.p == NULL || n_open == NESTING_MAX;
            if (!p->failed)
                open[n_open++] = (struct open_script){included, depth};
        } else {
            add_call(p, line, depth);
        }
    }
}

/* Where each call's own calls end, and how many lines they are. */
static void link_calls(struct player *p)
{
    for (size_t i = p->n_calls; i-- > 0;) {
        struct call *c = &p->calls[i];
        uint32_t next = (uint32_t)i + 1;
        for (; next < p->n_calls && p->calls[next].depth > c->depth; next = p->calls[next].end)
            c->n_children++;
        c->end = next;
    }
}

/* ---- running it ---- */

struct clock {
    uint16_t thread;
    uint64_t random; /* state: times vary, but the same way each time */
    uint32_t cpu_us, wall_us;
};

/* SplitMix64 (Steele, Lea and Flood, 2014). */
static uint32_t random_below(struct clock *k, uint32_t limit)
{
    uint64_t z = k->random += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)(((z ^ z >> 31) >> 32) * limit >> 32);
}

/* Works for about that long. Now and then another thread has the core. */
static void work(struct clock *k, uint32_t about_us)
{
    enum { PREEMPTED_ONE_IN = 150, AWAY_US = 350 };
    uint32_t us = about_us - about_us / 4 + random_below(k, about_us / 2 + 2);

    k->cpu_us += us;
    k->wall_us += us;
    if (random_below(k, PREEMPTED_ONE_IN) == 0)
        k->wall_us += random_below(k, AWAY_US);
}

static void sleep_through(struct clock *k, const struct call *c)
{
    if (c->wait_us > 0)
        k->wall_us += c->wait_us - c->wait_us / 8 + random_below(k, c->wait_us / 4 + 1);
    if (k->wall_us < c->until_us)
        k->wall_us = c->until_us;
}

static void record(struct player *p, const struct clock *k, const struct call *c, enum trace_action action)
{
    struct trace_record *grown =
        arena_grow(p->methods->arena, p->out->p, &p->out->capacity, p->out->n + 1, sizeof(*grown));

    if (grown == NULL) {
        p->failed = true;
        return;
    }
    p->out->p = grown;
    p->out->p[p->out->n++] = (struct trace_record){k->thread, c->method, action, k->cpu_us, k->wall_us};
}

/* Its own time falls before, between and behind the calls that it makes. Recursion ends where the indentation
 * of our own scripts does. */
static void run_call(struct player *p, struct clock *k, const struct call *c)
{
    uint32_t slice_us = c->self_us / (c->n_children + 1);

    for (uint32_t i = 0; i < c->repeat && !p->failed; i++) {
        record(p, k, c, TRACE_ENTER);
        sleep_through(k, c);
        for (const struct call *child = c + 1; child < p->calls + c->end; child = p->calls + child->end) {
            work(k, slice_us);
            run_call(p, k, child);
        }
        work(k, slice_us);
        record(p, k, c, TRACE_EXIT);
    }
}

bool demo_play(const struct demo_thread *thread, struct strtab *methods, struct demo_records *out)
{
    struct clock k = {.thread = thread->id, .random = thread->id, .wall_us = thread->start_us};
    struct player p = {.methods = methods, .out = out};

    add_calls(&p, thread->lines);
    link_calls(&p);
    for (uint32_t i = 0; i < p.n_calls && !p.failed; i = p.calls[i].end)
        run_call(&p, &k, &p.calls[i]);
    arena_release(methods->arena, p.calls, p.calls_capacity, sizeof(*p.calls));
    return !p.failed;
}
