#include "render/view/change.h"

#include "core/number.h"

enum { DIGITS = 4 };

static const struct step {
    uint64_t percent; /* of the larger number: a change of at least so much */
    const char *label;
} STEPS[CHANGE_STEPS] = {
    {100, "only in A"}, {50, "-50 %"}, {20, "-20 %"}, {5, "-5 %"},        {0, "same"},
    {5, "+5 %"},        {20, "+20 %"}, {50, "+50 %"}, {100, "only in B"},
};

static void put_sign(struct buf *out, uint64_t a, uint64_t b)
{
    if (a != b)
        buf_char(out, b > a ? '+' : '-');
}

void change_put(struct buf *out, enum unit unit, uint64_t a, uint64_t b)
{
    put_sign(out, a, b);
    buf_value(out, unit, change_size(a, b), DIGITS);
}

void change_put_percent(struct buf *out, uint64_t a, uint64_t b)
{
    if (a == b) {
        buf_z(out, "0 %");
    } else if (a == 0) {
        buf_z(out, "new");
    } else if (b == 0) {
        buf_z(out, "gone");
    } else {
        uint64_t hundredths = number_ratio(change_size(a, b), a, 10000);
        put_sign(out, a, b);
        if (hundredths == 0) {
            buf_z(out, "<0.01 %");
            return;
        }
        if (hundredths >= 10000)
            buf_u64_grouped(out, (hundredths + 50) / 100);
        else
            buf_fixed(out, hundredths, 2);
        buf_z(out, " %");
    }
}

unsigned change_step(uint64_t a, uint64_t b)
{
    uint64_t larger = a > b ? a : b;
    unsigned side = 0; /* how many steps from the middle */

    if (larger == 0)
        return CHANGE_SAME;
    uint64_t percent = number_ratio(change_size(a, b), larger, 100);
    while (side < CHANGE_SAME && percent >= STEPS[CHANGE_SAME + side + 1].percent)
        side++;
    /* Rounded to all of it, but not all. */
    if (side == CHANGE_SAME && a > 0 && b > 0)
        side--;
    return b > a ? CHANGE_SAME + side : CHANGE_SAME - side;
}

const char *change_step_label(unsigned step)
{
    return STEPS[step].label;
}
