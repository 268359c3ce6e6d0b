#include "render/lanes/lanes_asked.h"

#include <string.h>

#include "core/clean.h"
#include "core/order.h"

bool lanes_takes(struct str key)
{
    return str_eq(key, STR("stacks")) || str_eq(key, STR("mark"));
}

/* Inserts it where it belongs; false: there is no room. */
static bool add(struct lanes_asked *asked, uint32_t id)
{
    uint32_t at = asked->n_stacks;

    while (at > 0 && asked->stacks[at - 1] > id)
        at--;
    if (at > 0 && asked->stacks[at - 1] == id)
        return true;
    if (asked->n_stacks == LANES_STACKS_MAX)
        return false;
    order_insert(asked->stacks, &asked->n_stacks, LANES_STACKS_MAX, at, &id, sizeof(id));
    return true;
}

static bool parse_id(struct str text, uint32_t *id)
{
    uint64_t value = 0;

    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] < '0' || text.p[i] > '9')
            return false;
        value = value * 10 + (uint64_t)(text.p[i] - '0');
        if (value > UINT32_MAX)
            return false;
    }
    *id = (uint32_t)value;
    return text.n > 0;
}

static bool parse_stacks(struct lanes_asked *asked, struct str value)
{
    uint32_t id;

    asked->n_stacks = 0;
    while (value.n > 0) {
        size_t n = str_find(value, ',');
        if (!parse_id((struct str){value.p, n}, &id) || !add(asked, id))
            return false;
        bool more = n < value.n;
        value = (struct str){value.p + n + more, value.n - n - more};
        if (more && value.n == 0)
            return false;
    }
    return true;
}

bool lanes_set(struct lanes_asked *asked, struct str key, struct str value, struct diag *diag)
{
    struct lanes_asked changed = *asked;

    if (str_eq(key, STR("stacks")) && parse_stacks(&changed, value)) {
        *asked = changed;
        return true;
    }
    if (str_eq(key, STR("mark")) && value.n <= LANES_MARK_BYTES_MAX && str_find(value, '\0') == value.n) {
        memcpy(asked->mark, value.p, value.n);
        asked->mark[value.n] = '\0';
        return true;
    }
    struct str shown = clean_cut(value, 60);
    return diag_set(diag, DIAG_USAGE, "not an allowed value",
                    "stacks takes ids of at most 32 threads with commas between them; mark takes the id of a "
                    "method, or its "
                    "name as shown.",
                    "%.*s=%.*s is not allowed.", (int)key.n, key.p, (int)shown.n, shown.p);
}

void lanes_canonical(const struct lanes_asked *asked, struct buf *b)
{
    buf_z(b, "stacks=");
    for (uint32_t i = 0; i < asked->n_stacks; i++)
        buf_printf(b, "%s%u", i > 0 ? "," : "", asked->stacks[i]);
    buf_printf(b, "&mark=%zu:%s", strlen(asked->mark), asked->mark);
}
