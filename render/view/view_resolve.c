/* What depends on the profile: which track, which value, and whether it has what is asked for. */
#include <string.h>

#include "core/clean.h"
#include "render/view/measure.h"
#include "render/view/view.h"

enum { LISTED = 8 }; /* tracks named in an error */

static uint32_t heaviest(const struct profile *p)
{
    uint32_t weight = profile_weight_value(p), best = 0;

    for (uint32_t i = 1; i < p->n_tracks; i++)
        if (profile_total(p, p->tracks[i].first, weight) > profile_total(p, p->tracks[best].first, weight))
            best = i;
    return p->tracks[best].id;
}

static bool refuse_track(uint32_t id, const struct profile *p, struct diag *diag)
{
    struct buf b = {0};

    for (uint32_t i = 0; i < p->n_tracks && i < LISTED; i++) {
        buf_z(&b, i == 0 ? "" : ", ");
        buf_u64(&b, p->tracks[i].id);
    }
    if (p->n_tracks > LISTED)
        buf_printf(&b, " and %u more", p->n_tracks - LISTED);
    diag_set(diag, DIAG_NOT_FOUND, "no such track", "Name one of its tracks, or all, or merged.",
             "The profile has no track %u with records. It has %.*s.", id, (int)b.n, b.n > 0 ? b.p : "");
    buf_free(&b);
    return false;
}

static bool refuse_value(const char *value, const struct profile *p, struct diag *diag)
{
    struct measure m[MEASURES_MAX];
    uint32_t n = measures_of(p, m);
    struct buf b = {0}, v = {0};

    for (uint32_t i = 0; i < n; i++) {
        buf_z(&b, i == 0 ? "" : ", ");
        clean_text(&b, measure_key(m[i].name));
    }
    clean_text(&v, str_of(value));
    diag_set(diag, DIAG_USAGE, "no such value", "Name one of its values, or leave the option out.",
             "value=%.*s: the profile does not have it. It has %.*s.", (int)v.n, v.n > 0 ? v.p : "", (int)b.n,
             b.n > 0 ? b.p : "");
    buf_free(&b);
    buf_free(&v);
    return false;
}

bool view_resolve(struct view_options *o, const struct profile *p, struct diag *diag)
{
    struct measure m;

    if (p->n_tracks == 0 || p->n_values == 0)
        return diag_set(diag, DIAG_NOT_FOUND, "nothing to show", "",
                        "The profile has no records of any track.");
    if (o->tracks == TRACKS_LISTED && o->n_track_ids == 0)
        o->track_ids[o->n_track_ids++] = heaviest(p);
    for (uint32_t i = 0; o->tracks == TRACKS_LISTED && i < o->n_track_ids; i++)
        if (profile_track_by_id(p, o->track_ids[i]) == NULL)
            return refuse_track(o->track_ids[i], p, diag);
    if (o->open == OPEN_END && profile_value_by_role(p, ROLE_WALL) == p->n_values)
        return diag_set(diag, DIAG_USAGE, "no wall time", "Leave the option out.",
                        "open=end: methods that are never left can last to the end of the trace in wall time "
                        "only, and the profile has none.");
    if (o->value[0] == '\0') {
        struct str first = measure_key(p->values[0].name);
        if (first.n > 0)
            memcpy(o->value, first.p, first.n);
    }
    if (!measure_by_name(p, o->value, &m))
        return refuse_value(o->value, p, diag);
    return true;
}
