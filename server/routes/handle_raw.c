/* /p/<id>/raw: the bytes that were uploaded. */
#include <string.h>
#include <unistd.h>

#include "server/http/message/range.h"
#include "server/http/problem.h"
#include "server/routes/profile_access.h"
#include "server/routes/routes_table.h"
#include "server/service.h"
#include "server/store/store.h"

/* RFC 8187: what is not an attr-char is percent-encoded. */
static void put_file_name(struct buf *b, const char *name)
{
    for (const char *c = name; *c != '\0'; c++) {
        bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
                     strchr("!#$&+-.^_`|~", *c) != NULL;
        if (plain)
            buf_char(b, *c);
        else
            buf_printf(b, "%%%02X", (unsigned)(unsigned char)*c);
    }
}

static void raw_headers(struct exchange *x, const struct record *r)
{
    struct buf name = {0};

    put_file_name(&name, r->name[0] == '\0' ? "profile.trace" : r->name);
    if (name.failed)
        x->reply.text.failed = true;
    else
        reply_header(&x->reply, "Content-Disposition", "attachment; filename*=UTF-8''%.*s", (int)name.n,
                     name.p);
    reply_header(&x->reply, "X-Content-Type-Options", "nosniff");
    reply_header(&x->reply, "Content-Security-Policy", "default-src 'none'; sandbox");
    reply_header(&x->reply, "Cache-Control", "private, no-cache");
    reply_header(&x->reply, "Accept-Ranges", "bytes");
    reply_header(&x->reply, "ETag", "\"%s\"", r->sha256);
    buf_free(&name);
}

/* The bytes behind the descriptor, or what the request wants of them. Only a GET has ranges. */
static void answer_bytes(struct exchange *x, const struct record *r, int fd, uint64_t bytes)
{
    static const char TYPE[] = "application/octet-stream";
    struct str field = x->header(x, "Range");
    enum range_answer answer = RANGE_WHOLE;
    struct range part = {0, bytes};

    if (str_eq(x->method, STR("GET")) && range_if(x->header(x, "If-Range"), str_of(r->sha256)))
        answer = range_parse(field, bytes, &part);
    if (answer == RANGE_OUTSIDE) {
        close(fd);
        exchange_problem(x, 416, "range outside the file", "Leave the header Range out to get all of it.",
                         "The upload has %llu bytes.", (unsigned long long)bytes);
        reply_header(&x->reply, "Content-Range", "bytes */%llu", (unsigned long long)bytes);
        return;
    }
    reply_file(&x->reply, answer == RANGE_PART ? 206 : 200, TYPE, fd, part.first, part.n);
    if (answer == RANGE_PART)
        reply_header(&x->reply, "Content-Range", "bytes %llu-%llu/%llu", (unsigned long long)part.first,
                     (unsigned long long)(part.first + part.n - 1), (unsigned long long)bytes);
    raw_headers(x, r);
}

enum exchange_step handle_raw(struct exchange *x)
{
    struct diag diag = {0};
    struct record r;
    uint64_t bytes;

    if (!profile_record(x, x->parameters[0], &r))
        return X_DONE;
    if (range_none_match(x->header(x, "If-None-Match"), str_of(r.sha256))) {
        reply_static(&x->reply, 304, "application/octet-stream", STR(""));
        raw_headers(x, &r);
        return X_DONE;
    }
    int fd = store_access_blob(x->service->store, x->service->log, r.sha256, &bytes, &diag);
    if (fd < 0)
        return exchange_diag(x, &diag);
    answer_bytes(x, &r, fd, bytes);
    return X_DONE;
}
