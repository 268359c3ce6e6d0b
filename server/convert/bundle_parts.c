/* The parts of a page that is one file: the words, the timeline, the table of methods, and the picture of each thread. */
#include <openssl/evp.h>
#include <stdlib.h>

#include "core/gzip.h"
#include "render/lanes/lanes_formats.h"
#include "render/svg/svg_header.h"
#include "render/table/table_format.h"
#include "render/verdict/verdict.h"
#include "server/convert/report.h"

enum {
    ROWS_MAX = 20000,          /* of the table */
    LANES_WIDTH_PX = 4000,     /* so fine is the timeline */
    PICTURES_MAX = 500,        /* of the heaviest threads */
    PICTURES_BYTES = 24 << 20, /* of their texts in the file; those behind are left out */
    LEVEL = 7                  /* of gzip: what is better costs twice the time for 1 % */
};

/* "NAME BYTES\n", then so many bytes, which hold the text packed, in base64. False: diag. */
static bool put_packed(const char *name, const struct buf *text, struct buf *out, struct diag *diag)
{
    struct buf packed = {0};
    bool ok = !text->failed && gzip_put(&packed, buf_view(text), LEVEL) && packed.n < INT32_MAX / 2;

    if (ok) {
        size_t n = (packed.n + 2) / 3 * 4;
        buf_printf(out, "%s %zu\n", name, n);
        ok = buf_reserve(out, n + 1); /* with the end that the library writes */
        if (ok)
            out->n += (size_t)EVP_EncodeBlock((unsigned char *)out->p + out->n,
                                              (const unsigned char *)packed.p, (int)packed.n);
    }
    buf_free(&packed);
    return (ok && !out->failed) || fail_buf(out, diag);
}

static bool put_words(const struct report_input *in, struct buf *out, struct diag *diag)
{
    struct report_input verdict = *in;
    struct buf words = {0};

    verdict.format = &VERDICT_JSON.text;
    bool ok = convert_verdict(&verdict, &words, diag);
    if (ok) {
        buf_printf(out, "words %zu\n", words.n);
        buf_str(out, buf_view(&words));
    }
    buf_part_end(out, &words);
    return ok && (!out->failed || fail_buf(out, diag));
}

static bool put_lanes(const struct report_input *in, struct buf *out, struct diag *diag)
{
    struct view_options wide = *in->view;
    struct report_input timeline = *in;
    struct buf lanes = {0};

    if (!shared_profile_get(in->source.profile)->timed)
        return true;
    wide.view = VIEW_CHART;
    wide.width_px = LANES_WIDTH_PX;
    timeline.view = &wide;
    timeline.format = &LANES_JSON.text;
    bool ok = convert_lanes(&timeline, &lanes, diag) && put_packed("lanes", &lanes, out, diag);
    buf_free(&lanes);
    return ok;
}

static bool put_methods(const struct report_input *in, struct buf *out, struct diag *diag)
{
    struct asked asked = *in->request;
    struct report_input methods = *in;
    struct buf table = {0};

    asked.table = (struct table_request){.limit = ROWS_MAX};
    methods.request = &asked;
    methods.format = &TABLE_JSON.text;
    bool ok = convert_methods(&methods, &table, diag) && put_packed("methods", &table, out, diag);

    buf_free(&table);
    return ok;
}

/* Without style and script, of which the page has one for all, and without the drawing, which the script makes. A thread of which there is no picture is left out. */
static bool put_picture(const struct report_input *in, uint32_t track, struct buf *out, struct diag *diag)
{
    struct view_options one = *in->view;
    struct buf svg = {0}, text = {0};
    struct diag trouble = {0};
    char name[32];

    one.tracks = TRACKS_LISTED;
    one.n_track_ids = 1;
    one.track_ids[0] = track;
    bool ok = convert_view(&in->source, &OUTPUT_SVG, &one, &svg, &trouble);
    if (!ok && (trouble.kind == DIAG_EMPTY || trouble.kind == DIAG_LIMIT)) {
        buf_free(&svg);
        return true;
    }
    if (!ok)
        *diag = trouble;
    struct svg_parts parts = svg_without_code(buf_view(&svg));
    for (size_t i = 0; i < SVG_PIECES; i++)
        if (i != SVG_DRAWING)
            buf_str(&text, parts.pieces[i]);
    snprintf(name, sizeof(name), "picture-%u", track);
    ok = ok && put_packed(name, &text, out, diag);
    buf_free(&text);
    buf_free(&svg);
    return ok;
}

static bool put_pictures(const struct report_input *in, struct buf *out, struct diag *diag)
{
    const struct profile *p = shared_profile_get(in->source.profile);
    uint32_t *order = calloc(p->n_tracks + 1, sizeof(*order));
    size_t start = out->n;
    bool ok = true;

    if (order == NULL)
        return diag_no_memory(diag, "No memory for the order of the threads.");
    profile_tracks_by_weight(p, order);
    for (uint32_t i = 0; ok && i < p->n_tracks && i < PICTURES_MAX && out->n - start < PICTURES_BYTES; i++)
        ok = put_picture(in, p->tracks[order[i]].id, out, diag);
    free(order);
    return ok;
}

bool convert_bundle(const struct report_input *in, struct buf *out, struct diag *diag)
{
    return put_words(in, out, diag) && put_lanes(in, out, diag) && put_methods(in, out, diag) &&
           put_pictures(in, out, diag);
}
