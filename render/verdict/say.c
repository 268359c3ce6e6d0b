#include "render/verdict/say.h"

#include "core/number.h"

enum { DIGITS = 3, PERMILLE = 1000 };

void say(struct finding *f, const char *words)
{
    buf_z(f->text, words);
}

void say_value(struct finding *f, const struct analysis *a, uint64_t value)
{
    buf_value(f->text, a->p->n_values > 0 ? a->p->values[a->time].unit : UNIT_COUNT, value, DIGITS);
    if (!a->timed) {
        buf_char(f->text, ' ');
        buf_str(f->text, a->p->values[a->time].label);
    }
}

void say_percent(struct finding *f, uint64_t part, uint64_t whole)
{
    char text[NUMBER_BYTES_MAX];

    buf_bytes(f->text, text, (size_t)(number_percent(text, part, whole) - text));
}

void say_part(struct finding *f, const struct analysis *a, uint64_t part, uint64_t whole)
{
    say_value(f, a, part);
    say(f, " (");
    say_percent(f, part, whole);
    say(f, ")");
}

void say_method(struct finding *f, const struct analysis *a, frame_id frame)
{
    buf_str(f->text, names_frame(a->names, frame));
    if (f->sentence->n_methods < VERDICT_METHODS_MAX)
        f->sentence->methods[f->sentence->n_methods++] = frame;
}

void say_thread(struct finding *f, const struct analysis *a, uint32_t track)
{
    buf_str(f->text, profile_string(a->p, a->p->tracks[track].name));
}

void say_calls(struct finding *f, uint64_t n)
{
    buf_u64_grouped(f->text, n);
    say(f, n == 1 ? " call" : " calls");
}

uint64_t work_of(const struct thread_cost *t)
{
    return number_add(number_add(t->share[SHARE_OWN], t->share[SHARE_THIRD_PARTY]), t->share[SHARE_PLATFORM]);
}

const struct thread_cost *main_of(const struct analysis *a)
{
    return &a->threads[a->main];
}

uint64_t permille(uint64_t part, uint64_t whole)
{
    uint64_t n = whole > 0 ? number_ratio(part < whole ? part : whole, whole, PERMILLE) : 0;

    return n < WEIGHT_MOST ? n : WEIGHT_MOST;
}
