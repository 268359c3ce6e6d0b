/* Whether a file is a pprof profile, and its way to a profile. See pprof.h for its layout. */
#include "parser/pprof/pprof.h"

#include <stdio.h>

enum { FIELDS_MIN = 2, LAST_FIELD = 15, STRING_TABLE = 6, PERIOD_TYPE = 11, COMMENT = 13 };

/* ---- detection ---- */

/* Whether the bytes can be a message: fields up to their end, or to where they are cut. */
static bool is_message(struct str bytes)
{
    struct protobuf m = protobuf_of_bytes(bytes);
    struct protobuf_field f;

    while (protobuf_next(&m, &f))
        continue;
    return m.state != PROTOBUF_BAD;
}

static bool is_field(const struct protobuf_field *f)
{
    if (f->number == STRING_TABLE)
        return f->wire == PROTOBUF_BYTES;
    if (f->number < STRING_TABLE || f->number == PERIOD_TYPE)
        return f->wire == PROTOBUF_BYTES && is_message(f->bytes);
    return f->number <= LAST_FIELD &&
           (f->wire == PROTOBUF_VARINT || (f->number == COMMENT && f->wire == PROTOBUF_BYTES));
}

/* All fields are those of a profile; and one of them, at least, none of a Perfetto trace, which has field 1 alone. A field
 * that the end of the bytes cuts does not count. */
static enum detection detect(const uint8_t *p, size_t n, bool final)
{
    struct protobuf m = protobuf_of(p, n);
    struct protobuf_field f = {.number = 0};
    size_t fields = 0, of_pprof = 0;

    while (protobuf_next(&m, &f)) {
        if (!is_field(&f))
            return DETECT_NO;
        fields++;
        of_pprof += f.number > 1;
    }
    if (m.state == PROTOBUF_BAD || f.number > LAST_FIELD)
        return DETECT_NO;
    if (n < DETECT_BYTES_MAX && !final)
        return DETECT_MORE;
    return fields >= FIELDS_MIN && of_pprof > 0 ? DETECT_YES : DETECT_NO;
}

/* ---- reading ---- */

static void begin(struct pprof *p, struct reading *r)
{
    struct builder *b = r->builder;

    *p = (struct pprof){.builder = b, .limits = r->limits, .diag = r->diag, .arena = builder_arena(b)};
    idmap_init(&p->function_ids, p->arena, builder_seed(b));
    idmap_init(&p->mapping_ids, p->arena, builder_seed(b));
    idmap_init(&p->location_ids, p->arena, builder_seed(b));
    pprof_labels_begin(p);
}

static bool number_fact(struct pprof *p, struct str name, uint64_t value)
{
    char text[24];

    if (value == 0 || value > INT64_MAX)
        return true;
    snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
    return builder_fact(p->builder, name, str_of(text));
}

/* `10000000 nanoseconds of cpu`: how much of something passes between two samples. */
static bool period_fact(struct pprof *p)
{
    struct str type = pprof_string(p, p->period_type.type), unit = pprof_string(p, p->period_type.unit);
    char text[128];

    if (p->period == 0 || p->period > INT64_MAX || type.n == 0 || type.n > 40 || unit.n > 40)
        return true;
    snprintf(text, sizeof(text), "%llu %.*s of %.*s", (unsigned long long)p->period, (int)unit.n, unit.p,
             (int)type.n, type.p);
    return builder_fact(p->builder, STR("period"), str_of(text));
}

static bool put_facts(struct pprof *p)
{
    struct str comment = p->comment == 0 ? STR("") : pprof_string(p, p->comment);

    return (number_fact(p, STR("start_ns"), p->time_ns) &&
            number_fact(p, STR("elapsed_ns"), p->duration_ns) && period_fact(p) &&
            (comment.n == 0 || builder_fact(p->builder, STR("comment"), comment))) ||
           builder_failed(p->builder, p->diag);
}

static bool no_strings(struct pprof *p)
{
    return diag_set(
        p->diag, DIAG_UNUSABLE, "profile without names",
        "Write the profile again, or fetch it again: the file is cut.",
        "The file is a pprof profile, but its table of strings, which is usually at the end, is missing.");
}

static bool no_samples(struct pprof *p)
{
    return diag_set(p->diag, DIAG_UNUSABLE, "no samples",
                    "Record for a longer time, while the program works.",
                    "The file is a pprof profile without a sample.");
}

/* All of the file: its strings stand last. */
static bool read_profile(struct reading *r)
{
    struct pprof *p = arena_alloc(builder_arena(r->builder), sizeof(*p));
    size_t n;

    if (p == NULL)
        return builder_failed(r->builder, r->diag);
    begin(p, r);
    const uint8_t *bytes = source_need(r->source, SIZE_MAX, &n);
    if (r->source->failed)
        return false;
    p->bytes = (struct str){(const char *)bytes, n};
    return pprof_read_tables(p) && (p->n_strings > 0 || no_strings(p)) && pprof_declare(p) && put_facts(p) &&
           pprof_read_samples(p) && (p->n_samples > 0 || no_samples(p));
}

const struct format FORMAT_PPROF = {
    .name = "pprof",
    .label = "pprof profile",
    .written_by = "pprof, Go, `traceconv profile`, and many profilers: `profile.proto`, plain or gzip'd",
    .labels = true,
    .detect = detect,
    .read = read_profile,
};
