#include "server/http/form_body.h"

#include "server/http/exchange.h"
#include "server/http/message/multipart.h"

#define URLENCODED "application/x-www-form-urlencoded"
#define MULTIPART  "multipart/form-data"

enum { DRAIN_BYTES = 1 << 20 }; /* of a form that is too large */

/* A state of the exchange. */
struct form_body {
    char boundary[MULTIPART_BOUNDARY_MAX + 1]; /* "": urlencoded */
    struct buf bytes;
    uint64_t sent_bytes; /* with those that had no room */
    struct form form;
};

static void end(void *state)
{
    struct form_body *b = state;

    buf_free(&b->bytes);
    form_free(&b->form);
}

/* What the header names before its parameters; empty if it is not there. */
static struct str first_word(struct exchange *x, const char *header)
{
    struct str field = x->header(x, header);

    return field.p == NULL ? STR("") : mime_word(&field);
}

static enum exchange_step refuse_type(struct exchange *x)
{
    exchange_problem(x, 415, "not a form that is read here",
                     "Send its fields by curl -F, -d or --data-urlencode.",
                     "The body has to be " URLENCODED " or " MULTIPART ".");
    reply_header(&x->reply, "Accept", URLENCODED ", " MULTIPART);
    return X_DONE;
}

enum exchange_step form_body_refuse_coding(struct exchange *x)
{
    exchange_problem(x, 415, "a form with a content coding", "Send it without one.",
                     "A form has to be sent without Content-Encoding.");
    reply_header(&x->reply, "Accept-Encoding", "identity");
    return X_DONE;
}

/* A body of another type must not be read as a form that has no token. */
static enum exchange_step begin(struct exchange *x)
{
    struct str type = first_word(x, "Content-Type"), coding = first_word(x, "Content-Encoding");
    bool multipart = str_eq_nocase(type, STR(MULTIPART));
    struct diag diag = {0};

    if (!multipart && type.n > 0 && !str_eq_nocase(type, STR(URLENCODED)))
        return refuse_type(x);
    if (coding.n > 0 && !str_eq_nocase(coding, STR("identity")))
        return form_body_refuse_coding(x);
    struct form_body *b = exchange_state(x, sizeof(*b), end);
    if (b == NULL)
        return exchange_no_memory(x, "the form");
    buf_init(&b->bytes, FORM_BYTES_MAX);
    x->body = b;
    if (!multipart || multipart_boundary(x->header(x, "Content-Type"), b->boundary, &diag))
        return X_WAIT;
    return exchange_diag(x, &diag);
}

static enum body_step data(struct exchange *x, const char *p, size_t *n)
{
    struct form_body *b = x->body;

    b->sent_bytes += *n;
    /* What has no room fails the buffer, and read_form() says so when the whole body is there. */
    buf_bytes(&b->bytes, p, *n);
    *n = 0;
    return b->sent_bytes > DRAIN_BYTES ? BODY_CLOSE : BODY_TAKEN;
}

const struct route_body FORM_BODY = {URLENCODED " or " MULTIPART, begin, data};

static bool read_form(struct form_body *b, struct diag *diag)
{
    if (b->bytes.failed && b->bytes.full)
        return diag_set(diag, DIAG_LIMIT, "form too large", "Send its fields alone, and a shorter name.",
                        "The form has more than %d bytes.", (int)FORM_BYTES_MAX);
    if (b->bytes.failed)
        return diag_no_memory(diag, "No memory for the form.");
    return form_parse(&b->form, buf_view(&b->bytes), b->boundary, diag);
}

const struct form *form_body_read(struct exchange *x)
{
    struct form_body *b = x->body;
    struct diag diag = {0};

    if (read_form(b, &diag))
        return &b->form;
    exchange_diag(x, &diag);
    return NULL;
}
