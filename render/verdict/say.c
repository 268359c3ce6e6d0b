#include "render/verdict/say.h"

#include "core/number.h"
#include "profile/track.h"

enum { DIGITS = 3, PERMILLE = 1000 };

void say(struct finding *f, const char *words)
{
    buf_z(f->text, words);
}

/* In a sentence, a label does not begin with a capital, unless its first word is an abbreviation. */
static void say_label(struct finding *f, struct str label)
{
    bool is_word =
        label.n > 1 && label.p[0] >= 'A' && label.p[0] <= 'Z' && label.p[1] >= 'a' && label.p[1] <= 'z';

    if (is_word)
        buf_char(f->text, (char)(label.p[0] - 'A' + 'a'));
    buf_bytes(f->text, label.p + is_word, label.n - is_word);
}

void say_value(struct finding *f, const struct analysis *a, uint64_t value)
{
    enum unit unit = a->p->n_values > 0 ? a->p->values[a->time].unit : UNIT_COUNT;

    buf_value(f->text, unit, value, DIGITS);
    if (!a->timed) {
        say(f, unit == UNIT_BYTES ? " of " : " ");
        say_label(f, a->p->values[a->time].label);
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

static void mention(struct finding *f, struct str name, bool is_method, uint32_t track)
{
    struct verdict_sentence *s = f->sentence;

    if (s->n_mentions < VERDICT_MENTIONS_MAX && name.n > 0)
        s->mentions[s->n_mentions++] = (struct verdict_mention){f->text->n, name.n, is_method, track};
    buf_str(f->text, name);
}

void say_method(struct finding *f, const struct analysis *a, frame_id frame)
{
    mention(f, names_frame(a->names, frame), true, 0);
    if (f->sentence->n_methods < VERDICT_METHODS_MAX)
        f->sentence->methods[f->sentence->n_methods++] = frame;
}

void say_thread(struct finding *f, const struct analysis *a, uint32_t track)
{
    mention(f, profile_string(a->p, a->p->tracks[track].name), false, track);
}

void say_everywhere(struct finding *f, const struct analysis *a, const char *before)
{
    if (track_kind_of_all(a->p) == TRACK_WHOLE)
        return;
    say(f, before);
    say(f, track_word(a->p, 2));
}

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
