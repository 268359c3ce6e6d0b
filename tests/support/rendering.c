#include "tests/support/rendering.h"

#include <stdlib.h>

void rendering_init(struct rendering *r, const struct profile *p)
{
    *r = (struct rendering){0};
    arena_init(&r->arena, (size_t)1 << 30);
    view_defaults(&r->view);
    r->input = (struct render_input){
        .profile = p, .names = names_new(p, &r->arena), .view = &r->view, .scratch = &r->arena};
    if (r->input.names == NULL)
        abort();
}

void rendering_of(struct rendering *r, struct fake *fake)
{
    rendering_init(r, fake_finish(fake));
    r->fake = fake;
}

bool rendering_run(struct rendering *r, const struct output *output)
{
    buf_clear(&r->out);
    r->diag = (struct diag){0};
    return view_resolve(&r->view, r->input.profile, &r->diag) && output->render(&r->input, &r->out, &r->diag);
}

const struct table *rendering_table(struct rendering *r, enum table_group group)
{
    if (!view_resolve(&r->view, r->input.profile, &r->diag))
        abort();
    const struct table *t = methods_new(r->input.profile, r->input.names, &r->view, group, &r->arena);
    if (t == NULL)
        abort();
    return t;
}

void rendering_free(struct rendering *r)
{
    if (r->fake != NULL)
        fake_free(r->fake);
    buf_free(&r->out);
    arena_free(&r->arena);
}

const char *rendering_text(struct rendering *r)
{
    struct buf *b = &r->out;

    if (b->n == 0 || b->p[b->n - 1] != '\0')
        buf_char(b, '\0');
    return b->failed ? "" : b->p;
}
