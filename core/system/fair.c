#include "core/system/fair.h"

/* There are as many owners as clients with work: a walk is short. */
static struct fair_place *first_of(const struct fair_queue *q, const struct fair_place *place)
{
    struct fair_place *at = q->rings[place->turn_class].first;

    while (at != NULL && at->owner != place->owner)
        at = at->next;
    return at;
}

static void hang_in(struct fair_queue *q, struct fair_place *first)
{
    enum turn_class c = first->turn_class;

    first->next = NULL;
    if (q->rings[c].first == NULL)
        q->rings[c].first = first;
    else
        q->rings[c].last->next = first;
    q->rings[c].last = first;
}

void fair_add(struct fair_queue *q, struct fair_place *place)
{
    struct fair_place *first = first_of(q, place);

    q->n++;
    place->behind = NULL;
    place->last = place;
    if (first == NULL) {
        hang_in(q, place);
        return;
    }
    first->last->behind = place;
    first->last = place;
}

/* The owner whose turn it is goes behind the others. */
static struct fair_place *take_from(struct fair_queue *q, enum turn_class c)
{
    struct fair_place *place = q->rings[c].first, *behind = place->behind;

    q->n--;
    q->rings[c].first = place->next;
    if (behind != NULL) {
        behind->last = place->last;
        hang_in(q, behind);
    }
    return place;
}

struct fair_place *fair_take(struct fair_queue *q, bool short_only)
{
    if (q->n == 0)
        return NULL;
    bool lowest_first = !short_only && ++q->taken % FAIR_LOWEST == 0;

    for (unsigned i = 0; i < TURN_CLASSES; i++) {
        enum turn_class c = (enum turn_class)(lowest_first ? TURN_CLASSES - 1 - i : i);
        if (q->rings[c].first != NULL && (!short_only || turn_class_is_short(c)))
            return take_from(q, c);
    }
    return NULL;
}

/* Puts `with`, or nothing, in the place of the first one of an owner. */
static void replace_first(struct fair_queue *q, const struct fair_place *first, struct fair_place *with)
{
    enum turn_class c = first->turn_class;
    struct fair_place *before = NULL;

    for (struct fair_place *at = q->rings[c].first; at != first; at = at->next)
        before = at;
    struct fair_place *next = with != NULL ? with : first->next;
    if (with != NULL) {
        with->next = first->next;
        with->last = first->last;
    }
    if (before == NULL)
        q->rings[c].first = next;
    else
        before->next = next;
    if (q->rings[c].last == first)
        q->rings[c].last = with != NULL ? with : before;
}

void fair_remove(struct fair_queue *q, struct fair_place *place)
{
    struct fair_place *first = first_of(q, place), *before = first;

    q->n--;
    if (first == place) {
        replace_first(q, place, place->behind);
        return;
    }
    while (before->behind != place)
        before = before->behind;
    before->behind = place->behind;
    if (first->last == place)
        first->last = before;
}
