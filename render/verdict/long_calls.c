#include "render/verdict/long_calls.h"

#include "core/buf.h"
#include "core/str.h"
#include "profile/calls/span.h"
#include "render/names/names.h"
#include "render/verdict/say.h"

static bool is_dispatch(const struct analysis *a, const struct span *s)
{
    return s->frame != FRAME_NONE &&
           str_eq(names_frame(a->names, s->frame), STR("android.os.Handler.dispatchMessage"));
}

static uint64_t length_of(const struct span *s)
{
    return s->end_ns - s->begin_ns;
}

/* What a message ran: the outermost own method that took at least half of it. FRAME_NONE: there is none. */
static frame_id own_in(const struct analysis *a, const struct spans *spans, const struct span *message)
{
    const struct span *best = NULL;

    for (uint32_t i = 0; i < spans->n; i++) {
        const struct span *s = &spans->list[i];
        if (s->frame != FRAME_NONE && s->depth > message->depth && s->begin_ns >= message->begin_ns &&
            s->end_ns <= message->end_ns && length_of(s) >= length_of(message) / 2 &&
            names_of(a->names, s->frame)->origin == ORIGIN_APP && (best == NULL || s->depth < best->depth))
            best = s;
    }
    return best != NULL ? best->frame : FRAME_NONE;
}

bool long_calls_messages(const struct rule *r, const struct analysis *a, struct finding *f)
{
    const struct spans *spans = a->spans;
    static const uint64_t LIMITS_NS[] = {LONG_CALLS_LEAST_NS, 100000000, 700000000};
    static const char *const WORDS[] = {"16.7 ms", "100 ms", "700 ms"};
    uint64_t counts[3] = {0};
    const struct span *longest = NULL;

    for (uint32_t i = 0; spans != NULL && i < spans->n; i++) {
        const struct span *s = &spans->list[i];
        if (!is_dispatch(a, s))
            continue;
        for (unsigned k = 0; k < 3; k++)
            counts[k] += length_of(s) >= LIMITS_NS[k];
        if (longest == NULL || length_of(s) > length_of(longest))
            longest = s;
    }
    (void)r;
    if (longest == NULL || counts[0] == 0)
        return false;
    buf_u64_grouped(f->text, counts[0]);
    say(f, counts[0] == 1 ? " message on " : " messages on ");
    say_thread(f, a, a->main);
    say(f, " took over 16.7 ms, the time of a frame at 60 Hz");
    for (unsigned k = 1; k < 3 && counts[k] > 0; k++) {
        say(f, ", ");
        buf_u64_grouped(f->text, counts[k]);
        say(f, k == 1 ? " of them over " : " over ");
        say(f, WORDS[k]);
    }
    say(f, "; ");
    say_range(f, "the longest", longest->begin_ns, longest->end_ns);
    say(f, " took ");
    say_value(f, a, length_of(longest));
    frame_id own = own_in(a, spans, longest);
    say(f, own != FRAME_NONE ? " and ran " : "");
    if (own != FRAME_NONE)
        say_method(f, a, own);
    say(f, ".");
    f->sentence->track = a->main;
    f->sentence->weight = counts[1] > 0 ? WEIGHT_MOST : 500;
    return true;
}

/* The second longest call of the frame that is in the list; 0 if there is one only. */
static uint64_t second_longest(const struct spans *spans, const struct span *longest)
{
    uint64_t second = 0;

    for (uint32_t i = 0; i < spans->n; i++)
        if (spans->list[i].frame == longest->frame && &spans->list[i] != longest &&
            length_of(&spans->list[i]) > second)
            second = length_of(&spans->list[i]);
    return second;
}

/* A caller's one long call contains that of its callee: the deepest one that is nearly as long says more. */
bool long_calls_outlier(const struct rule *r, const struct analysis *a, struct finding *f)
{
    const struct spans *spans = a->spans;
    enum { CALLS_LEAST = 5, TIMES_LONGER = 5, LOOKED_AT = 200 };
    const struct span *best = NULL;
    uint64_t other = 0;

    (void)r;
    for (uint32_t i = 0, looked = 0; spans != NULL && i < spans->n && looked < LOOKED_AT; i++) {
        const struct span *s = &spans->list[i];
        if (s->frame == FRAME_NONE || length_of(s) < LONG_CALLS_LEAST_NS ||
            a->calls_all[s->frame] < CALLS_LEAST || names_of(a->names, s->frame)->origin != ORIGIN_APP)
            continue;
        looked++;
        uint64_t second = second_longest(spans, s);
        if (second > length_of(s) / TIMES_LONGER)
            continue;
        if (best == NULL || length_of(s) > length_of(best) + length_of(best) / 4 ||
            (s->depth > best->depth && length_of(s) >= length_of(best) - length_of(best) / 4)) {
            best = s;
            other = second;
        }
    }
    if (best == NULL)
        return false;
    say(f, "One call of ");
    say_method(f, a, best->frame);
    say(f, " took ");
    say_value(f, a, length_of(best));
    say(f, "; none of the others on ");
    say_thread(f, a, a->main);
    say(f, " took ");
    say(f, other > 0 ? "more than " : "as much as ");
    if (other == 0)
        other = spans->least_ns > LONG_CALLS_LEAST_NS ? spans->least_ns : LONG_CALLS_LEAST_NS;
    say_value(f, a, other);
    say(f, ". It was called ");
    buf_u64_grouped(f->text, a->calls_all[best->frame]);
    say(f, " times in all.");
    f->sentence->track = a->main;
    f->sentence->weight = permille(length_of(best), main_of(a)->total);
    return true;
}
