#include "server/store/trusted_time.h"

static const char KEY[] = "clock/seen";

struct trusted_time trusted_time_begin(struct store *s, int64_t now_ms)
{
    struct trusted_time t = {.seen_s = -1, .at_ms = now_ms, .doubted_from_ms = -1};
    struct store_object seen;

    if (store_look(s, KEY, &seen) == STORE_OK)
        t.seen_s = seen.used_s;
    return t;
}

static int64_t believe(struct trusted_time *t, int64_t wall_s, int64_t now_ms)
{
    *t = (struct trusted_time){.seen_s = wall_s, .at_ms = now_ms, .doubted_from_ms = -1};
    return wall_s;
}

int64_t trusted_time(struct trusted_time *t, int64_t wall_s, int64_t now_ms)
{
    int64_t expected_s = t->seen_s + (now_ms - t->at_ms) / 1000;

    if (t->seen_s < 0 || wall_s <= expected_s + TRUSTED_LEAP_S)
        return believe(t, wall_s, now_ms);
    if (t->doubted_from_ms < 0)
        t->doubted_from_ms = now_ms;
    if (now_ms - t->doubted_from_ms >= TRUSTED_DOUBT_MS)
        return believe(t, wall_s, now_ms);
    return expected_s;
}

enum store_result trusted_time_keep(const struct trusted_time *t, struct store *s)
{
    if (t->seen_s < 0 || t->doubted_from_ms >= 0)
        return STORE_OK;
    enum store_result result = store_put(s, KEY, STR(""), STORE_EVICTABLE);
    return result == STORE_EXISTS ? STORE_OK : result;
}
