#include "parser/archive_list.h"

#include "parser/recognise.h"

enum { HEAD_BYTES = 16 << 10 };

const struct packer *archive_list_packer(const struct source_input *file)
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

bool archive_list(const struct packer *archive, const struct source_input *file, struct arena *arena,
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
