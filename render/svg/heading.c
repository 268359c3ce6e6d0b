#include "render/svg/heading.h"

#include "core/number.h"
#include "profile/filter/filter.h"
#include "profile/track.h"
#include "render/names/fit.h"

enum { LESS_DIGITS = 3 };

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
        const struct profile_track *track = &in->profile->tracks[t->tracks[0]];
        struct str name = heading_name(in, t);
        fit_text(b, name.n > 0 ? name : str_of(track_noun(track->kind)->one), cells);
        track_title_rest(b, in->profile, track);
        return;
    }
    if (in->view->tracks != TRACKS_LISTED && t->n_tracks != 1)
        buf_z(b, "all ");
    buf_u64_grouped(b, t->n_tracks);
    buf_char(b, ' ');
    buf_z(b, track_word(in->profile, t->n_tracks));
    if (in->view->tracks == TRACKS_MERGED)
        buf_z(b, ", merged");
}

static bool is_shown(const struct view_options *o, const struct profile_track *t)
{
    bool shown = o->tracks != TRACKS_LISTED;

    for (uint32_t i = 0; i < o->n_track_ids && !shown; i++)
        shown = o->track_ids[i] == t->id;
    return shown;
}

/* Which dump of a series; and how much less there is elsewhere, which no frame can be drawn for. */
static void put_moment(struct buf *b, const struct render_input *in, const struct measure *m)
{
    const struct profile *p = in->profile;
    uint64_t less = 0;

    view_moment_words(b, in->view);
    for (uint32_t i = 0; i < p->n_tracks && !m->waiting; i++)
        if (is_shown(in->view, &p->tracks[i]))
            less = number_add(less, profile_minus_total(p, p->tracks[i].first, m->value));
    if (less > 0) {
        buf_z(b, ", and ");
        buf_value(b, m->unit, less, LESS_DIGITS);
        buf_z(b, " less elsewhere");
    }
}

void heading_value(struct buf *b, const struct render_input *in, const struct measure *m)
{
    buf_str(b, m->label);
    put_moment(b, in, m);
    if (in->view->open == OPEN_END && (m->waiting || in->profile->values[m->value].role == ROLE_WALL))
        buf_z(b, ", methods never left to the end of the trace");
    if (in->view->view != VIEW_CHART &&
        (in->view->from_ns != VIEW_TIME_NONE || in->view->to_ns != VIEW_TIME_NONE)) {
        buf_z(b, ", ");
        view_range_words(b, in->view);
    }
}

void heading_count(struct buf *b, uint64_t n, const char *noun)
{
    buf_u64_grouped(b, n);
    buf_char(b, ' ');
    buf_z(b, noun);
    if (n != 1)
        buf_char(b, 's');
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
