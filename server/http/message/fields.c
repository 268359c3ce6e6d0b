#include "server/http/message/fields.h"

#include "core/clean.h"

enum { QUOTED_BYTES = 60 };

bool fields_have(const char *known, struct str name)
{
    struct str rest = str_of(known), one;

    while (str_split(&rest, ' ', &one))
        if (one.n > 0 && str_eq(one, name))
            return true;
    return false;
}

bool fields_refuse(struct diag *diag, const char *what, struct str name, const char *known)
{
    struct buf quoted = {0};

    clean_text(&quoted, clean_cut(name, QUOTED_BYTES));
    diag_set(diag, DIAG_USAGE, "unknown field", "Correct its name, or leave it out.",
             "There is no %s \"%.*s\" here. Known: %s.", what, (int)quoted.n, quoted.n > 0 ? quoted.p : "",
             known[0] == '\0' ? "none" : known);
    buf_free(&quoted);
    return false;
}
