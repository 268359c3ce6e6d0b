#include "render/verdict/say.h"

#include "core/number.h"
#include "profile/frame/short_name.h"
#include "profile/track.h"

enum { PERMILLE = 1000 };

/* ---- what all rules say sentences with ---- */

void say(struct finding *f, const char *words)
{
    buf_z(f->text, words);
}

void say_number(struct finding *f, const struct analysis *a, uint64_t value)
{
    enum unit unit = a->timed ? UNIT_NS : a->p->n_values > 0 ? a->p->values[a->value].unit : UNIT_COUNT;

    buf_value(f->text, unit, value, SAY_DIGITS);
}

void say_value(struct finding *f, const struct analysis *a, uint64_t value)
{
    say_number(f, a, value);
    if (a->timed || a->p->n_values == 0)
        return;
    const struct profile_value *v = &a->p->values[a->value];
    say(f, a->p->minus[a->value] > 0 ? " more" : "");
    say(f, v->unit == UNIT_COUNT ? " " : " of ");
    struct str label = v->label;
    label.n -=
        v->unit == UNIT_COUNT && value == 1 && str_ends(label, STR("s")); /* of one there is no plural */
    buf_label(f->text, label);
}

void say_percent(struct finding *f, uint64_t part, uint64_t whole)
{
    char text[NUMBER_BYTES_MAX];

    buf_bytes(f->text, text, (size_t)(number_percent(text, part, whole) - text));
}

static void mention(struct finding *f, struct str name, struct verdict_mention m)
{
    struct verdict_sentence *s = f->sentence;

    m.at = f->text->n;
    m.n = name.n;
    if (s->n_mentions < VERDICT_MENTIONS_MAX && name.n > 0)
        s->mentions[s->n_mentions++] = m;
    buf_str(f->text, name);
}

void say_range(struct finding *f, const char *words, uint64_t from_ns, uint64_t to_ns)
{
    mention(f, str_of(words), (struct verdict_mention){.from_ns = from_ns, .to_ns = to_ns});
}

/* A native function without its parameters and its templates' arguments, which can take ten lines. */
static bool say_native(struct finding *f, const struct analysis *a, frame_id frame)
{
    struct frame_parts parts = names_parts(a->names, frame);
    struct buf name = {0}, least = {0};
    bool said = parts.scope.n == 0 && short_name_put(&parts, &name, &least) && name.n > 0;

    if (said)
        mention(f, buf_view(&name), (struct verdict_mention){.is_method = true, .frame = frame});
    buf_part_end(f->text, &name);
    buf_part_end(f->text, &least);
    return said;
}

/* The sentence links to it, as to threads. */
void say_method(struct finding *f, const struct analysis *a, frame_id frame)
{
    if (!say_native(f, a, frame))
        mention(f, names_frame(a->names, frame), (struct verdict_mention){.is_method = true, .frame = frame});
    if (f->sentence->n_methods < VERDICT_METHODS_MAX)
        f->sentence->methods[f->sentence->n_methods++] = frame;
}

void say_thread(struct finding *f, const struct analysis *a, uint32_t track)
{
    mention(f, profile_string(a->p, a->p->tracks[track].name), (struct verdict_mention){.track = track});
}

void say_thread_of(struct finding *f, const struct analysis *a, uint32_t track)
{
    const struct profile_track *t = &a->p->tracks[track];

    say_thread(f, a, track);
    if (t->group == STRING_EMPTY || t->group == a->p->tracks[a->main].group || t->group == t->name)
        return;
    say(f, " of ");
    buf_str(f->text, profile_string(a->p, t->group));
}

/* "1 call", "1,234 calls" */
void say_calls(struct finding *f, uint64_t n)
{
    buf_u64_grouped(f->text, n);
    say(f, n == 1 ? " call" : " calls");
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

/* ---- what percentages are of ---- */

/* Whether the clock of the recording is that of the CPU alone. */
bool is_cpu_alone(const struct analysis *a)
{
    return a->has_cpu && !time_has_waiting(&a->clocks);
}

/* " of main's 3.55 s": all that was recorded of the main thread. */
static void say_of_main(struct finding *f, const struct analysis *a)
{
    bool is_whole = a->p->n_tracks == 1 && a->p->tracks[a->main].kind == TRACK_WHOLE;
    bool names_it = (a->timed && !is_whole) || a->p->n_tracks > 1;

    say(f, names_it ? " of " : " of the ");
    if (names_it) {
        say_thread(f, a, a->main);
        say(f, "'s ");
    }
    say_value(f, a, main_of(a)->total);
    say(f, is_cpu_alone(a) ? " of CPU time" : "");
}

void say_part_of_main(struct finding *f, const struct analysis *a, uint64_t part, bool first)
{
    say_number(f, a, part);
    say(f, " (");
    say_percent(f, part, main_of(a)->total);
    if (first)
        say_of_main(f, a);
    say(f, ")");
}

void say_of_all(struct finding *f, const struct analysis *a)
{
    say(f, " of the ");
    say_value(f, a, active_of(&a->all));
    if (a->timed)
        say(f, a->has_cpu ? " of CPU time" : a->sections ? " in sections" : " in methods");
    if ((is_cpu_alone(a) || !a->timed) && active_of(&a->all) < a->all.total)
        say(f, a->sections ? " in sections" : " in methods");
    if (a->p->n_tracks > 1) {
        say(f, " of all ");
        say(f, track_word(a->p, 2));
    }
}

void say_part_of_all(struct finding *f, const struct analysis *a, uint64_t part, bool first)
{
    say_number(f, a, part);
    say(f, " (");
    say_percent(f, part, active_of(&a->all));
    if (first)
        say_of_all(f, a);
    say(f, ")");
}

/* The main thread has less than 1 % of its time in methods that do something, and so have all others. */
bool is_idle(const struct analysis *a)
{
    enum { LEAST = 10 };

    return a->timed && !is_cpu_alone(a) && a->all.total > 0 &&
           permille(active_of(&a->all), a->all.total) < LEAST &&
           permille(active_of(main_of(a)), main_of(a)->total) < LEAST &&
           permille(a->took_all, main_of(a)->total) < LEAST;
}
