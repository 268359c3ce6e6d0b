/* What every picture, table and text is made from. Renderers are pure: this in, bytes out. */
#pragma once

#include "core/arena.h"
#include "profile/profile.h"
#include "render/view/view.h"

struct names;
struct calls;
struct spans;
struct system_times;

/* What a picture that stands alone says of the upload that it is of, raw; each may be empty. */
struct letterhead {
    struct str name, date, headline;
    struct str link; /* of its page */
};

struct render_input {
    const struct profile *profile;
    const struct names *names;       /* of this profile; shared by all its views */
    const struct view_options *view; /* resolved */
    const struct spans *spans;       /* of a chart, see chart.h; else NULL */
    /* For verdicts of system traces (render/verdict/system_log.h); else NULL. */
    const struct system_times *system;
    const struct growth *growths; /* of verdicts of heaps, see render/verdict/growth.h; else NULL */
    const struct calls *calls;    /* of tables that ask for longest calls; else NULL */
    /* What a query says of a comparison beside the options of a view; else empty. */
    struct str compared;
    const struct letterhead *letter; /* of pictures; NULL: they say nothing of their upload */
    struct arena *scratch;           /* the renderer's own memory; free with it */
};
