#include "render/lanes/lanes_screen.h"

enum { PLACES_MAX = 2000 };

struct run {
    uint64_t place, begin_ns, end_ns, due_ns, number, n, late;
    uint32_t causes;
};

static void put_run(struct json *j, const struct run *x)
{
    const uint64_t numbers[] = {x->begin_ns,
                                x->end_ns - x->begin_ns,
                                x->due_ns > x->begin_ns ? x->due_ns - x->begin_ns : 0,
                                x->n,
                                x->late,
                                x->causes,
                                x->number};

    if (x->n == 0)
        return;
    json_open_array(j, NULL);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
        json_put_element(j, numbers[i]);
    json_close(j);
}

static void add(struct run *x, const struct profile_screen_frame *f)
{
    x->end_ns = f->end_ns > x->end_ns ? f->end_ns : x->end_ns;
    x->n++;
    x->late += f->causes != 0;
    x->causes |= f->causes;
}

static void put_list(struct json *j, const struct profile *p, const struct lanes_request *r)
{
    uint64_t places = r->width_px < PLACES_MAX ? r->width_px : PLACES_MAX;
    uint64_t per_place = (r->to_ns - r->from_ns) / places + 1;
    struct run run = {.n = 0};

    for (uint32_t i = 0; i < p->n_screen_frames; i++) {
        const struct profile_screen_frame *f = &p->screen_frames[i];
        if (f->end_ns <= r->from_ns || f->begin_ns >= r->to_ns)
            continue;
        uint64_t place = f->begin_ns < r->from_ns ? 0 : (f->begin_ns - r->from_ns) / per_place;
        if (run.n == 0 || place != run.place) {
            put_run(j, &run);
            run = (struct run){
                .place = place, .begin_ns = f->begin_ns, .due_ns = f->due_ns, .number = f->number};
        }
        add(&run, f);
    }
    put_run(j, &run);
}

void lanes_put_screen(struct json *j, const struct profile *p, const struct lanes_request *r)
{
    if (p->n_screen_frames == 0 && p->n_phases == 0)
        return;
    json_open_object(j, "screen");
    json_put_u64(j, "frames", p->n_screen_frames);
    json_put_u64(j, "late", profile_late_frames(p));
    json_open_array(j, "list");
    put_list(j, p, r);
    json_close(j);
    json_open_array(j, "phases");
    for (uint32_t i = 0; i < p->n_phases; i++) {
        json_open_array(j, NULL);
        json_put_string(j, NULL, profile_string(p, p->phases[i].name));
        json_put_element(j, p->phases[i].begin_ns);
        json_put_element(j, p->phases[i].end_ns - p->phases[i].begin_ns);
        json_close(j);
    }
    json_close(j);
    json_close(j);
}
