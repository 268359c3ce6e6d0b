#include "core/system/library.h"

#include <dlfcn.h>
#include <string.h>

bool library_open(const char *file, const struct library_function *functions, size_t n, void *table)
{
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);

    for (size_t i = 0; library != NULL && i < n; i++) {
        void *function = dlsym(library, functions[i].name);
        if (function == NULL)
            return false;
        memcpy((char *)table + functions[i].offset, &function, sizeof(function));
    }
    return library != NULL;
}
