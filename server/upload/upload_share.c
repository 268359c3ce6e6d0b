#include "server/upload/upload_share.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "server/http/clients.h"
#include "server/http/exchange.h"
#include "server/service.h"
#include "server/store/sweep.h"

/* The person who is known, else the address. False: there is no limit, or neither is known (a program on a Unix
 * socket). */
static bool name_of(const struct exchange *x, char name[SHARES_NAME_BYTES + 1])
{
    bool known = x->who.by != WHO_NOBODY;
    const char *text = known ? x->who.name : client_text(x->client);

    snprintf(name, SHARES_NAME_BYTES + 1, "%s:%s", known ? "name" : "address", text);
    return x->service->shares != NULL && strcmp(text, "-") != 0;
}

bool upload_share_of(const struct exchange *x, char name[SHARES_NAME_BYTES + 1])
{
    if (name_of(x, name))
        return shares_behind(x->service->shares, str_of(name), (int64_t)time(NULL));
    name[0] = '\0';
    return false;
}

void upload_share_pay_work(const struct service *service, const char *name, uint64_t us)
{
    if (name[0] != '\0')
        shares_pay_work(service->shares, str_of(name), us, (int64_t)time(NULL));
}

bool upload_keeps_enough(const struct service *service, struct diag *diag)
{
    return diag_set(diag, DIAG_FULL, "you keep enough uploads",
                    "Delete some of your uploads, or wait until some have expired.",
                    "The service keeps %llu bytes of each person's uploads at most.",
                    (unsigned long long)service->config->upload_bytes_kept);
}

/* As draft-ietf-httpapi-ratelimit-headers has them. */
static void put_share(struct exchange *x, const struct share_left *left)
{
    const struct config *c = x->service->config;
    struct buf policy = {0}, now = {0};

    if (c->uploads_per_minute > 0) {
        buf_printf(&policy, "\"uploads\";q=%llu;w=60", (unsigned long long)c->uploads_per_minute);
        buf_printf(&now, "\"uploads\";r=%llu;t=%llu", (unsigned long long)left->uploads,
                   (unsigned long long)left->uploads_s);
    }
    if (c->upload_bytes_per_day > 0) {
        const char *comma = policy.n > 0 ? ", " : "";
        buf_printf(&policy, "%s\"bytes\";q=%llu;w=86400", comma, (unsigned long long)c->upload_bytes_per_day);
        buf_printf(&now, "%s\"bytes\";r=%llu;t=%llu", comma, (unsigned long long)left->bytes,
                   (unsigned long long)left->bytes_s);
    }
    if (policy.failed || now.failed) {
        x->reply.text.failed = true;
    } else if (policy.n > 0) {
        reply_header(&x->reply, "RateLimit-Policy", "%.*s", (int)policy.n, policy.p);
        reply_header(&x->reply, "RateLimit", "%.*s", (int)now.n, now.p);
    }
    buf_free(&policy);
    buf_free(&now);
}

void upload_share_headers(struct exchange *x)
{
    char name[SHARES_NAME_BYTES + 1];
    struct share_left left;

    if (!name_of(x, name))
        return;
    shares_look(x->service->shares, str_of(name), (int64_t)time(NULL), &left);
    put_share(x, &left);
}

static bool begin_share(struct exchange *x, const char *name)
{
    struct share_left left;

    if (shares_begin(x->service->shares, str_of(name), (int64_t)time(NULL), &left))
        return true;
    exchange_problem(x, 429, "too many uploads", "Wait as long as Retry-After says.", "%s", left.why);
    reply_header(&x->reply, "Retry-After", "%llu", (unsigned long long)left.retry_s);
    put_share(x, &left);
    return false;
}

void upload_share_pay(const struct service *service, struct upload_share *s, uint64_t bytes)
{
    if (s->name[0] == '\0' || s->paid)
        return;
    s->paid = true;
    shares_pay(service->shares, str_of(s->name), bytes, (int64_t)time(NULL));
}

void upload_share_end(const struct service *service, struct upload_share *s, uint64_t bytes)
{
    upload_share_pay(service, s, bytes);
    if (s->name[0] != '\0')
        shares_end(service->shares, str_of(s->name));
}

bool upload_share_begin(struct exchange *x, struct upload_share *s)
{
    struct diag diag = {0};
    char name[SHARES_NAME_BYTES + 1];

    if (kept_is_full(sweep_kept(x->service->sweep), x->who.name)) {
        upload_keeps_enough(x->service, &diag);
        x->reply.close = true;
        exchange_diag(x, &diag);
        return false;
    }
    if (!name_of(x, name))
        return true;
    if (!begin_share(x, name))
        return false;
    memcpy(s->name, name, sizeof(s->name));
    return true;
}
