/* libarchive, opened when the first archive is (library.h): it needs libxml2, ICU and the C++ library. The functions that are used stand here under their own names, so that who unpacks includes
 * <archive.h> and knows nothing of this. Where the library is not there, archive_read_new returns NULL; all others get what
 * it returned. */
#include "core/system/archive_library.h"

#include <archive.h>
#include <archive_entry.h>

#include "core/system/library.h"

/* Result, name, parameters, arguments. */
#define FUNCTIONS(F)                                                                                  \
    F(int, archive_errno, (struct archive * a), (a))                                                  \
    F(const char *, archive_format_name, (struct archive * a), (a))                                   \
    F(la_int64_t, archive_filter_bytes, (struct archive * a, int filter), (a, filter))                \
    F(int, archive_read_next_header, (struct archive * a, struct archive_entry * *entry), (a, entry)) \
    F(la_ssize_t, archive_read_data, (struct archive * a, void *to, size_t n), (a, to, n))            \
    F(int, archive_read_data_block, (struct archive * a, const void **p, size_t *n, la_int64_t *at),  \
      (a, p, n, at))                                                                                  \
    F(int, archive_read_open1, (struct archive * a), (a))                                             \
    F(int, archive_read_open_memory, (struct archive * a, const void *p, size_t n), (a, p, n))        \
    F(int, archive_read_set_callback_data, (struct archive * a, void *context), (a, context))         \
    F(int, archive_read_set_read_callback, (struct archive * a, archive_read_callback * f), (a, f))   \
    F(int, archive_read_set_seek_callback, (struct archive * a, archive_seek_callback * f), (a, f))   \
    F(int, archive_read_set_skip_callback, (struct archive * a, archive_skip_callback * f), (a, f))   \
    F(int, archive_read_support_filter_gzip, (struct archive * a), (a))                               \
    F(int, archive_read_support_filter_xz, (struct archive * a), (a))                                 \
    F(int, archive_read_support_filter_zstd, (struct archive * a), (a))                               \
    F(int, archive_read_support_format_raw, (struct archive * a), (a))                                \
    F(int, archive_read_support_format_tar, (struct archive * a), (a))                                \
    F(int, archive_read_support_format_zip, (struct archive * a), (a))                                \
    F(__LA_MODE_T, archive_entry_filetype, (struct archive_entry * e), (e))                           \
    F(int, archive_entry_is_encrypted, (struct archive_entry * e), (e))                               \
    F(const char *, archive_entry_pathname, (struct archive_entry * e), (e))                          \
    F(la_int64_t, archive_entry_size, (struct archive_entry * e), (e))                                \
    F(int, archive_entry_size_is_set, (struct archive_entry * e), (e))

struct functions {
    __typeof__(archive_read_new) *archive_read_new;
    __typeof__(archive_read_free) *archive_read_free;
    __typeof__(archive_set_error) *archive_set_error;
    FUNCTIONS(LIBRARY_MEMBER)
};

static const struct library_function NAMES[] = {
    {"archive_read_new", offsetof(struct functions, archive_read_new)},
    {"archive_read_free", offsetof(struct functions, archive_read_free)},
    {"archive_set_error", offsetof(struct functions, archive_set_error)},
    FUNCTIONS(LIBRARY_ENTRY)};

static struct functions library;
static struct library libarchive = LIBRARY_INIT("libarchive.so.13", NAMES, library, NULL);

void archive_library_open(void)
{
    library_ready(&libarchive);
}

struct archive *archive_read_new(void)
{
    return library_ready(&libarchive) ? library.archive_read_new() : NULL;
}

int archive_read_free(struct archive *a)
{
    return a == NULL ? ARCHIVE_OK : library.archive_read_free(a);
}

/* What is said here has no more arguments. */
void archive_set_error(struct archive *a, int number, const char *format, ...)
{
    library.archive_set_error(a, number, "%s", format);
}

FUNCTIONS(LIBRARY_FORWARD)
