#include "server/symbols/symbol_archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdlib.h>

#include "server/symbols/symbol_reading.h"

enum { TAR_MAGIC_AT = 257 };

/* ---- one member ---- */

/* All bytes of the member, the caller's to free. NULL: it is damaged or too large, or there is no memory. */
static char *member_bytes(struct archive *a, size_t *n)
{
    size_t capacity = 1 << 20, have = 0;
    char *bytes = malloc(capacity);
    la_ssize_t got = 0;

    while (bytes != NULL && (got = archive_read_data(a, bytes + have, capacity - have)) > 0) {
        have += (size_t)got;
        if (have < capacity)
            continue;
        char *grown = capacity < SYMBOL_UNPACKED_BYTES ? realloc(bytes, capacity * 2) : NULL;
        if (grown == NULL)
            break;
        bytes = grown;
        capacity *= 2;
    }
    *n = have;
    /* 0 is the end of the member. Else it is damaged or too large, or memory ended: a part of one is not read. */
    if (got == 0 || bytes == NULL)
        return bytes;
    free(bytes);
    return NULL;
}

char *symbol_unpack(struct str packed, size_t *n)
{
    struct archive *a = archive_read_new();
    struct archive_entry *entry;
    char *bytes = NULL;

    if (a == NULL)
        return NULL;
    if (archive_read_support_filter_xz(a) >= ARCHIVE_WARN &&
        archive_read_support_filter_gzip(a) >= ARCHIVE_WARN &&
        archive_read_support_filter_zstd(a) >= ARCHIVE_WARN &&
        archive_read_support_format_raw(a) >= ARCHIVE_WARN &&
        archive_read_open_memory(a, packed.p, packed.n) == ARCHIVE_OK &&
        archive_read_next_header(a, &entry) == ARCHIVE_OK)
        bytes = member_bytes(a, n);
    archive_read_free(a);
    return bytes;
}

/* ---- archives ---- */

static void read_member(struct symbol_reading *r, struct archive *a, struct archive_entry *entry)
{
    const char *path = archive_entry_pathname(entry);
    struct symbol_reading inner = *r;
    size_t n;

    if (archive_entry_filetype(entry) != AE_IFREG)
        return;
    char *bytes = member_bytes(a, &n);
    inner.depth++;
    inner.name = path == NULL ? STR("") : str_behind_last(str_of(path), '/');
    if (bytes != NULL)
        symbol_read(&inner, bytes, n);
    free(bytes);
}

static void read_archive(struct symbol_reading *r, const char *bytes, size_t n,
                         int (*enable)(struct archive *a))
{
    struct archive *a = archive_read_new();
    struct archive_entry *entry;

    if (a == NULL)
        return;
    if (enable(a) >= ARCHIVE_WARN && archive_read_open_memory(a, bytes, n) == ARCHIVE_OK)
        while (archive_read_next_header(a, &entry) >= ARCHIVE_WARN && !r->out->failed)
            read_member(r, a, entry);
    archive_read_free(a);
}

static bool is_zip(struct str head)
{
    return str_starts(head, STR("PK\3\4"));
}

static void read_zip(struct symbol_reading *r, char *bytes, size_t n)
{
    read_archive(r, bytes, n, archive_read_support_format_zip);
}

static bool is_tar(struct str head)
{
    return head.n > TAR_MAGIC_AT &&
           str_starts((struct str){head.p + TAR_MAGIC_AT, head.n - TAR_MAGIC_AT}, STR("ustar"));
}

static void read_tar(struct symbol_reading *r, char *bytes, size_t n)
{
    read_archive(r, bytes, n, archive_read_support_format_tar);
}

/* gzip, xz, zstd */
static bool is_packed(struct str head)
{
    return str_starts(head, STR("\x1f\x8b")) ||
           str_starts(head, STR("\xfd"
                                "7zXZ")) ||
           str_starts(head, STR("\x28\xb5\x2f\xfd"));
}

static void read_packed(struct symbol_reading *r, char *bytes, size_t n)
{
    struct symbol_reading inner = *r;
    size_t unpacked_n = 0;
    char *unpacked = symbol_unpack((struct str){bytes, n}, &unpacked_n);

    inner.depth++;
    if (unpacked != NULL)
        symbol_read(&inner, unpacked, unpacked_n);
    free(unpacked);
}

const struct symbol_kind SYMBOL_ZIP = {"zip archive of such files", false, is_zip, read_zip},
                         SYMBOL_TAR = {"tar archive of such files", false, is_tar, read_tar},
                         SYMBOL_PACKED = {"one packed by gzip, xz or zstd", false, is_packed, read_packed};
