#include "parser/recognise.h"

#include "parser/refuse/foreign.h"

_Static_assert((int)UNPACK_RECOGNISE_BYTES == (int)DETECT_BYTES_MAX, "a format can decide");

const char RECOGNISED_BESIDE[] = "symbols for a trace";

/* A list of results beside traces is JSON, and no choice. */
static const char *label_of(const uint8_t *p, size_t n, bool whole)
{
    if (foreign_lists_benchmarks((struct str){(const char *)p, n}))
        return NULL;
    for (size_t i = 0; i < FORMATS_COUNT; i++)
        if (FORMATS[i]->is_beside != NULL && FORMATS[i]->is_beside(p, n))
            return RECOGNISED_BESIDE;
    for (size_t i = 0; i < FORMATS_COUNT; i++)
        if (FORMATS[i]->detect(p, n, whole || n >= DETECT_BYTES_MAX) == DETECT_YES)
            return FORMATS[i]->label;
    return NULL;
}

const char *recognise_format(const uint8_t *p, size_t n, bool whole)
{
    uint8_t inside[DETECT_BYTES_MAX];
    size_t n_inside = unpack_beginning(p, n, inside, sizeof(inside));

    return n_inside > 0 ? label_of(inside, n_inside, whole) : label_of(p, n, whole);
}

enum { HEAD_BYTES = 16 << 10 };

const struct packer *recognise_archive(const struct source_input *file)
{
    uint8_t head[HEAD_BYTES], inside[UNPACK_HEAD_BYTES];
    ptrdiff_t n = source_input_read(file, 0, head, sizeof(head));
    bool more;
    const struct packer *packer = n <= 0 ? NULL : unpack_detect(head, (size_t)n, &more);

    if (packer == NULL || unpack_is_archive(packer))
        return packer;
    return unpack_archive_in(packer, inside, unpack_beginning(head, (size_t)n, inside, sizeof(inside)));
}

static bool unreadable(struct diag *diag)
{
    return diag_set(diag, DIAG_IO, "cannot read the file", "Try again later.",
                    "The archive could not be read again after it had arrived.");
}

bool recognise_members(const struct packer *archive, const struct source_input *file, struct arena *arena,
                       const struct unpack_limits *limits,
                       bool (*each)(void *context, const struct unpack_member *member), void *context,
                       struct unpack_report *report, struct diag *diag)
{
    const struct unpack_options options = {.limits = *limits,
                                           .recognise = recognise_format,
                                           .beside = RECOGNISED_BESIDE,
                                           .listed = each,
                                           .context = context};
    struct unpack *u = unpack_new(archive, arena, &options, diag);

    if (u == NULL)
        return false;
    uint64_t bytes;
    bool ok = file->size(file->context, &bytes) ? unpack_open(u, file, bytes) : unreadable(diag);
    unpack_report(u, report);
    unpack_free(u);
    return ok || diag->kind == DIAG_NONE;
}
