#include "render/svg/frame_colours.h"

#include "profile/frame/origin.h"
#include "render/view/change.h"

bool frame_colours_find(struct frame_colours *p, const struct names *n, enum view_palette kind,
                        const struct tree *base, struct arena *arena)
{
    *p = (struct frame_colours){.names = n, .kind = kind};
    for (uint32_t i = 0; kind == COLOURS_SELF && i < base->n; i++) {
        uint64_t self = tree_self(base, i, 0);
        frame_id frame = tree_frame(base, i);
        if (frame < base->n_frames && self > p->self_largest && names_of(n, frame)->origin != ORIGIN_IDLE)
            p->self_largest = self;
    }
    return kind != COLOURS_PACKAGE || package_colours_find(&p->packages, n, base, arena);
}

static struct frame_colours_class class_text(char letter, unsigned number)
{
    struct frame_colours_class made = {{letter, (char)('0' + number % 10)}};

    if (number >= 10) {
        made.text[1] = (char)('0' + number / 10);
        made.text[2] = (char)('0' + number % 10);
    }
    return made;
}

struct frame_colours_class frame_colours_class(const struct frame_colours *p, const struct tree *t,
                                               struct frame_colours_node node)
{
    if (node.frame >= t->n_frames)
        return (struct frame_colours_class){"cr"};
    const struct names_frame *f = names_of(p->names, node.frame);
    switch (p->kind) {
    case COLOURS_ORIGIN:
        return class_text('o', f->origin);
    case COLOURS_PACKAGE:
        return class_text('c', p->packages.of[f->package]);
    case COLOURS_SELF:
        return class_text('h', palette_self_class(node.self, p->self_largest));
    case COLOURS_CHANGE:
        return class_text('d', change_step(node.a, node.b));
    case COLOURS_CLASSIC:
        break;
    }
    return class_text('y', palette_classic_class(f->text));
}
