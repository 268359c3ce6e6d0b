#include "core/diag.h"

#include <stdarg.h>
#include <stdio.h>

static void fill(struct diag *d, enum diag_kind kind, const char *title, const char *hint, const char *detail,
                 va_list arguments)
{
    d->kind = kind;
    snprintf(d->title, sizeof(d->title), "%s", title);
    snprintf(d->hint, sizeof(d->hint), "%s", hint);
    vsnprintf(d->detail, sizeof(d->detail), detail, arguments);
}

bool diag_set(struct diag *d, enum diag_kind kind, const char *title, const char *hint, const char *detail,
              ...)
{
    va_list arguments;

    if (d->kind != DIAG_NONE)
        return false;
    va_start(arguments, detail);
    fill(d, kind, title, hint, detail, arguments);
    va_end(arguments);
    return false;
}

bool diag_at(struct diag *d, enum diag_kind kind, uint64_t offset, const char *title, const char *hint,
             const char *detail, ...)
{
    va_list arguments;

    if (d->kind != DIAG_NONE)
        return false;
    va_start(arguments, detail);
    fill(d, kind, title, hint, detail, arguments);
    va_end(arguments);
    d->has_offset = true;
    d->offset = offset;
    return false;
}

bool diag_no_memory(struct diag *d, const char *detail)
{
    return diag_set(d, DIAG_NO_MEMORY, "out of memory", "Try again later.", "%s", detail);
}
