#include "render/svg/heading.h"

#include "core/number.h"
#include "profile/filter.h"
#include "render/names/fit.h"

static bool one_track(const struct render_input *in, const struct tree *t)
{
    return in->view->tracks == TRACKS_LISTED && t->n_tracks == 1;
}

struct str heading_name(const struct render_input *in, const struct tree *t)
{
    if (!one_track(in, t))
        return STR("");
    return profile_string(in->profile, in->profile->tracks[t->tracks[0]].name);
}

void heading_root(struct buf *b, const struct render_input *in, const struct tree *t, size_t cells)
{
    if (one_track(in, t)) {
        struct str name = heading_name(in, t);
        fit_text(b, name.n > 0 ? name : STR("thread"), cells);
        buf_z(b, " (");
        buf_u64(b, in->profile->tracks[t->tracks[0]].id);
        buf_z(b, ")");
        return;
    }
    if (in->view->tracks != TRACKS_LISTED && t->n_tracks != 1)
        buf_z(b, "all ");
    heading_count(b, t->n_tracks, "thread");
    if (in->view->tracks == TRACKS_MERGED)
        buf_z(b, ", merged");
}

void heading_value(struct buf *b, const struct render_input *in, const struct measure *m)
{
    buf_str(b, m->label);
    if (in->view->open == OPEN_END && (m->waiting || in->profile->values[m->value].role == ROLE_WALL))
        buf_z(b, ", methods never left to the end of the trace");
}

void heading_count(struct buf *b, uint64_t n, const char *noun)
{
    buf_u64_grouped(b, n);
    buf_char(b, ' ');
    buf_z(b, noun);
    if (n != 1)
        buf_char(b, 's');
}

const char *heading_of_what(enum unit unit)
{
    switch (unit) {
    case UNIT_NS:
        return "time";
    case UNIT_BYTES:
        return "bytes";
    case UNIT_COUNT:
        break;
    }
    return "count";
}

static uint64_t track_before(const struct profile *p, const struct profile_track *t, const struct measure *m)
{
    uint64_t sum = 0;

    if (!m->waiting)
        return profile_total(p, t->first, m->value);
    for (node_id i = t->first; i < t->first + t->count; i++)
        sum = number_add(sum, measure_self(p, m, i));
    return sum;
}

uint64_t heading_before(const struct render_input *in, const struct tree *t, struct str value)
{
    struct measure measures[MEASURES_MAX];
    const struct profile *p = in->profile->filtered != NULL ? in->profile->filtered->before : NULL;
    uint32_t n = p != NULL ? measures_of(p, measures) : 0;
    uint64_t sum = 0;

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t track = 0; str_eq(measures[i].name, value) && track < t->n_tracks; track++)
            sum = number_add(sum, track_before(p, &p->tracks[t->tracks[track]], &measures[i]));
    return sum;
}
