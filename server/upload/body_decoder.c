#include "server/upload/body_decoder.h"

#include <stdlib.h>

static const char HINT[] = "Send the body again, or without Content-Encoding.";

bool body_decoder_find(struct str field, const struct packer **packer)
{
    struct str coding = str_trim(field);

    *packer = NULL;
    if (coding.n == 0 || str_eq_nocase(coding, STR("identity")))
        return true;
    *packer = unpack_by_coding(coding);
    return *packer != NULL;
}

bool body_decoder_agrees(const struct packer *packer, struct str head, struct diag *diag)
{
    bool more;

    if (unpack_detect(head.p, head.n, &more) == packer)
        return true;
    return diag_set(diag, DIAG_USAGE, "body not in its coding", HINT,
                    "Content-Encoding says %s, but the body is no %s.", unpack_name(packer),
                    unpack_noun(packer));
}

struct body_decoder {
    struct arena arena;
    struct unpack *unpack;
    const struct packer *packer;
    struct diag diag;
    uint8_t head[UNPACK_MAGIC_BYTES];
    size_t head_bytes;
};

struct body_decoder *body_decoder_new(const struct packer *packer, const struct config *config,
                                      bool (*sink)(void *context, const uint8_t *p, size_t n), void *context,
                                      struct diag *diag)
{
    const struct unpack_options options = {.limits = {config->max_unpacked_bytes, config->max_unpacked_ratio},
                                           .window_bytes = BODY_DECODER_WINDOW_BYTES,
                                           .step_bytes = BODY_DECODER_PIECE_BYTES,
                                           .sink = sink,
                                           .context = context};
    struct body_decoder *c = calloc(1, sizeof(*c));

    if (c == NULL) {
        diag_no_memory(diag, "No memory for one more upload.");
        return NULL;
    }
    arena_init(&c->arena, BODY_DECODER_MEMORY_BYTES);
    c->packer = packer;
    c->unpack = unpack_new(packer, &c->arena, &options, &c->diag);
    if (c->unpack != NULL)
        return c;
    *diag = c->diag;
    body_decoder_free(c);
    return NULL;
}

/* What is wrong, unless the sink has said so. Always false. */
static bool refuse(const struct body_decoder *c, struct diag *diag)
{
    if (diag->kind == DIAG_NONE)
        *diag = c->diag;
    return false;
}

bool body_decoder_feed(struct body_decoder *c, const void *p, size_t n, struct diag *diag)
{
    const uint8_t *bytes = p;

    for (size_t i = 0; i < n && c->head_bytes < sizeof(c->head); i++)
        c->head[c->head_bytes++] = bytes[i];
    if (c->head_bytes == sizeof(c->head) &&
        !body_decoder_agrees(c->packer, (struct str){(const char *)c->head, c->head_bytes}, diag))
        return false;
    return unpack_feed(c->unpack, p, n) || refuse(c, diag);
}

bool body_decoder_finish(struct body_decoder *c, struct diag *diag)
{
    struct unpack_report report;

    if (!unpack_finish(c->unpack))
        return refuse(c, diag);
    unpack_report(c->unpack, &report);
    if (report.state == UNPACK_WHOLE && !report.wrong_checksum && report.trailing_bytes == 0)
        return true;
    if (report.state == UNPACK_WHOLE)
        return diag_set(diag, DIAG_USAGE, "damaged body", HINT,
                        "The body's %s does not fit its checksum or length.", unpack_noun(c->packer));
    return diag_at(diag, DIAG_USAGE, report.at, "damaged body", HINT, "The body's %s %s there.",
                   unpack_noun(c->packer), report.state == UNPACK_CUT ? "ends early" : "makes no sense");
}

void body_decoder_free(struct body_decoder *c)
{
    if (c == NULL)
        return;
    unpack_free(c->unpack);
    arena_free(&c->arena);
    free(c);
}
