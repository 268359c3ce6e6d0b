/* Pictures that say of what they are, as they leave the service: the card below a link, and the flame graph that stands
 * alone. */
#include <string.h>

#include "render/card/card.h"
#include "render/verdict/verdict.h"
#include "server/convert/convert.h"
#include "server/convert/report.h"

/* ---- the first sentence ---- */

/* Of a profile that has no words there is no headline; what may be otherwise at the next try fails. */
static bool has_no_words(const struct diag *d)
{
    return d->kind == DIAG_EMPTY || d->kind == DIAG_UNUSABLE || d->kind == DIAG_LIMIT ||
           d->kind == DIAG_USAGE;
}

/* The words are of the whole recording, or of the range, as those beside the picture on its page. False: diag. */
static bool write_headline(const struct report_input *in, struct buf *headline, struct diag *diag)
{
    struct view_options view;
    struct report_input words = *in;
    struct diag trouble = {0};
    struct buf said = {0};

    words.view = &view;
    words.format = &VERDICT_JSON.text;
    convert_defaults(in->source.config, &view);
    view.tracks = TRACKS_ALL;
    memcpy(view.app, in->view->app, sizeof(view.app));
    view.from_ns = in->view->from_ns;
    view.to_ns = in->view->to_ns;
    if (convert_verdict(&words, &said, &trouble))
        return report_take_headline(&said, "sentences", HEADLINE, headline, diag);
    buf_free(&said);
    if (!has_no_words(&trouble))
        *diag = trouble;
    return has_no_words(&trouble);
}

/* ---- the card ---- */

static bool draw_card(const void *what, const struct render_input *in, struct buf *out, struct diag *diag)
{
    return card_render(what, in, out, diag);
}

bool convert_card(const struct report_input *in, struct buf *out, struct diag *diag)
{
    struct view_options view = *in->view;
    struct buf headline = {0};

    const struct profile *p = shared_profile_get(in->source.profile);
    bool ok = write_headline(in, &headline, diag);
    if (view.tracks == TRACKS_LISTED && view.n_track_ids == 0 && p->n_tracks > 0)
        view.track_ids[view.n_track_ids++] = p->tracks[profile_first_shown(p)].id;
    const struct card_words words = {str_of(in->request->title), buf_view(&headline)};
    ok = ok && convert_drawn(&in->source, &(struct convert_drawing){draw_card, &words}, &view, out, diag);
    buf_part_end(out, &headline);
    return ok;
}

/* ---- the picture alone ---- */

static bool draw_alone(const void *what, const struct render_input *in, struct buf *out, struct diag *diag)
{
    struct render_input with_letter = *in;

    with_letter.letter = what;
    return OUTPUT_SVG.render(&with_letter, out, diag);
}

bool convert_alone(const struct report_input *in, struct buf *out, struct diag *diag)
{
    struct buf headline = {0};

    bool ok = write_headline(in, &headline, diag);
    const struct letterhead letter = {str_of(in->request->title), str_of(in->request->date),
                                      buf_view(&headline), str_of(in->request->link)};
    ok =
        ok && convert_drawn(&in->source, &(struct convert_drawing){draw_alone, &letter}, in->view, out, diag);
    buf_part_end(out, &headline);
    return ok;
}
