/* libmagic, opened when the first file of no known kind comes (library.h). The functions that are used stand here under their own
 * names. Where it is not there magic_open returns NULL, and no other may be called. */
#include <magic.h>
#include <stddef.h>

#include "core/system/library.h"

/* Result, name, parameters, arguments. */
#define FUNCTIONS(F)                                                               \
    F(const char *, magic_buffer, (magic_t m, const void *p, size_t n), (m, p, n)) \
    F(int, magic_load, (magic_t m, const char *file), (m, file))                   \
    F(void, magic_close, (magic_t m), (m))

struct functions {
    __typeof__(magic_open) *magic_open;
    FUNCTIONS(LIBRARY_MEMBER)
};

static const struct library_function NAMES[] = {{"magic_open", offsetof(struct functions, magic_open)},
                                                FUNCTIONS(LIBRARY_ENTRY)};

static struct functions library;
static struct library libmagic = LIBRARY_INIT("libmagic.so.1", NAMES, library, NULL);

magic_t magic_open(int flags)
{
    return library_ready(&libmagic) ? library.magic_open(flags) : NULL;
}

FUNCTIONS(LIBRARY_FORWARD)
