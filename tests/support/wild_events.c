#include "tests/support/wild_events.h"

#include "tests/support/random.h"

void wild_events(uint64_t *random, struct event *events, size_t n, uint32_t tracks, uint32_t frames)
{
    uint64_t clock[WILD_TRACKS_MAX][2] = {{100, 0}, {UINT32_MAX - 300, 5}, {0, 70}};
    frame_id open[WILD_TRACKS_MAX][WILD_EVENTS_MAX];
    size_t depth[WILD_TRACKS_MAX] = {0};
    unsigned wild = random_below(random, 15), back = random_below(random, 4);

    for (size_t i = 0; i < n; i++) {
        uint32_t t = random_below(random, tracks);
        struct event *e = &events[i];
        *e = (struct event){.track = t, .frame = random_below(random, frames)};
        for (unsigned c = 0; c < 2; c++) {
            clock[t][c] += random_below(random, random_below(random, 8) == 0 ? 300 : 3);
            e->clock[c] = (clock[t][c] - (random_below(random, 100) < back ? 3 : 0)) & UINT32_MAX;
        }
        if (random_below(random, 100) < wild) {
            e->action = (enum event_action)(1 + random_below(random, 3));
            if (random_below(random, 4) == 0)
                e->frame = FRAME_NONE;
        } else if (depth[t] > 0 && random_below(random, 2) == 0) {
            e->action = EVENT_EXIT;
            e->frame = open[t][--depth[t]];
        } else {
            open[t][depth[t]++] = e->frame;
        }
    }
}
