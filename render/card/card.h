/* The card: the picture that chat programs show below a link. The upload's name, what happened in words, and the flame
 * graph. 1200 x 630 pixels, as a PNG, in light colours. */
#pragma once

#include "render/view/input.h"

enum { CARD_WIDTH_PX = 1200, CARD_HEIGHT_PX = 630 };

struct card_words {
    struct str name;     /* raw; any text */
    struct str headline; /* the first sentence of the words, raw; may be empty */
};

/* As an output's render. A profile in which there is nothing to draw has a card too, with its words alone. */
bool card_render(const struct card_words *words, const struct render_input *in, struct buf *out,
                 struct diag *diag) MUST_CHECK;
