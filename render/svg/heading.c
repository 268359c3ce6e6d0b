#include "render/svg/heading.h"

#include "core/number.h"
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
