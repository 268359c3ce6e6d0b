/* Calls of other processes. The kernel says which thread sends a transaction to which process, and which thread receives it;
 * what is asked for the first section of the receiving thread says, which code that is made of AIDL writes
 * (system/tools/aidl of Android: "AIDL::java::IFoo::bar::server"; HIDL::IFoo::bar::server of older ones). */
#include "core/buf.h"
#include "core/clean.h"
#include "parser/systrace/systrace_impl.h"

#define RECEIVED (UINT32_MAX - 1) /* in the map of senders: no record, since it was received */

static const struct str TRANSACTION = STR_INIT("binder transaction");

bool sy_binder_settle(struct systrace *s, uint32_t at)
{
    struct sy_record *r = &s->records[at];
    struct sy_thread *t = &s->threads[r->thread];

    if (r->kind == SY_FAILED) {
        if (t->asks != SY_NONE)
            s->records[t->asks].b |= SY_BINDER_FAILED;
        t->asks = SY_NONE;
        return true;
    }
    if (r->kind == SY_BINDER) {
        if ((r->b & SY_BINDER_REPLY) != 0)
            t->serves = SY_NONE;
        else if ((r->b & SY_BINDER_ONE_WAY) == 0)
            t->asks = at;
        return idmap_set(&s->senders, r->a, at);
    }
    uint32_t sender = idmap_get(&s->senders, r->a);
    r->b = sender == RECEIVED ? SY_NONE : sender;
    if (r->b == SY_NONE)
        return true;
    if ((s->records[sender].b & SY_BINDER_REPLY) != 0)
        t->asks = SY_NONE;
    else
        t->serves = sender;
    return idmap_set(&s->senders, r->a, RECEIVED);
}

/* Takes the last part, behind "::", off. */
static struct str last_part(struct str *text)
{
    size_t n = text->n;

    while (n > 0 && !(n > 1 && text->p[n - 1] == ':' && text->p[n - 2] == ':'))
        n--;
    struct str part = {text->p + n, text->n - n};
    text->n = n > 1 ? n - 2 : 0;
    return part;
}

bool sy_binder_section(struct systrace *s, uint32_t thread, string_id name)
{
    uint32_t sender = s->threads[thread].serves;

    if (sender == SY_NONE)
        return true;
    struct str text = builder_text_of(s->builder, name);
    if (!str_starts(text, STR("AIDL::")) && !str_starts(text, STR("HIDL::")))
        return true;
    struct str side = last_part(&text), method = last_part(&text), interface = last_part(&text);
    if ((!str_ends(side, STR("server")) && !str_ends(side, STR("Server"))) || interface.n == 0)
        return true;
    struct buf b = {0};
    s->threads[thread].serves = SY_NONE;
    buf_str(&b, interface);
    buf_char(&b, '.');
    buf_str(&b, method);
    string_id id = builder_string_of(s->builder, &b);
    return id != STRING_NONE && idmap_set(&s->asked, sender, id);
}

/* " to system_server: IFoo.bar (failed)", as far as it is known. */
static void put_whom(const struct systrace *s, const struct sy_record *r, struct buf *b)
{
    uint32_t pid = r->b >> SY_BINDER_TO, process = pid > 0 ? idmap_get(&s->pids, pid) : IDMAP_NONE,
             method = idmap_get(&s->asked, (uint64_t)(r - s->records));
    struct str whom =
        process != IDMAP_NONE ? builder_text_of(s->builder, s->processes[process].name) : STR("");

    buf_z(b, whom.n > 0 || method != IDMAP_NONE ? " to " : "");
    buf_str(b, clean_cut(whom, s->limits->name_bytes / 4));
    buf_z(b, whom.n > 0 && method != IDMAP_NONE ? ": " : "");
    if (method != IDMAP_NONE)
        buf_str(b, clean_cut(builder_text_of(s->builder, method), s->limits->name_bytes / 4));
    buf_z(b, (r->b & SY_BINDER_FAILED) != 0 ? " (failed)" : "");
}

string_id sy_binder_name(struct systrace *s, const struct sy_record *r)
{
    bool received = r->kind == SY_RECEIVED,
         one_way = ((received ? s->records[r->b].b : r->b) & SY_BINDER_ONE_WAY) != 0;
    struct buf b = {0};

    if (received) {
        buf_z(&b, one_way ? "binder async rcv" : "binder reply");
    } else {
        buf_str(&b, TRANSACTION);
        buf_z(&b, one_way ? " async" : "");
        put_whom(s, r, &b);
    }
    return builder_string_of(s->builder, &b);
}

bool sy_is_binder(const struct systrace *s, string_id name)
{
    return name != STRING_EMPTY && str_starts(builder_text_of(s->builder, name), TRANSACTION);
}
