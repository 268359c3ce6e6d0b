#include "profile/frame/allocators.h"

/* The allocating functions of C, of C++ with and without demangling, of Android's libc, and of its Java runtime. */
static const struct str NAMES[] = {
    STR_INIT("malloc*"),         STR_INIT("calloc*"),
    STR_INIT("realloc*"),        STR_INIT("memalign*"),
    STR_INIT("posix_memalign*"), STR_INIT("aligned_alloc*"),
    STR_INIT("_Znw*"),           STR_INIT("_Zna*"),
    STR_INIT("operator new*"),   STR_INIT("je_malloc*"),
    STR_INIT("scudo*"),          STR_INIT("strdup"),
    STR_INIT("mmap*"),           STR_INIT("art::VMRuntime_newNonMovableArray*")};

bool frame_allocates(const struct frame_parts *parts)
{
    if (parts->scope.n > 0)
        return false;
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++)
        if (str_fits(parts->name, NAMES[i]))
            return true;
    return false;
}
