/* Values of headers and forms. The first byte chooses who reads them. */
#include <stdlib.h>

#include "server/http/exchange.h"
#include "server/http/message/accept.h"
#include "server/http/message/form.h"
#include "server/http/message/multipart.h"
#include "server/http/message/range.h"
#include "tests/support/fuzzing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_within(struct str part, struct str whole)
{
    fuzzing_check(part.n <= whole.n);
    fuzzing_check(part.n == 0 || (part.p >= whole.p && part.p + part.n <= whole.p + whole.n));
}

static void read_accept(struct str field)
{
    struct str rest = field, value;
    unsigned quality;

    while (accept_next(&rest, &value, &quality)) {
        check_within(value, field);
        fuzzing_check(quality <= ACCEPT_GLADLY);
    }
    fuzzing_check(negotiate(field) <= AS_SVG);
    struct encoding_choice choice = encoding_negotiate(field);
    fuzzing_check(choice.best <= ENCODING_ZSTD);
    fuzzing_check(encoding_for(choice, 1) == ENCODING_IDENTITY || !choice.plain);
}

static void read_range(struct str field)
{
    for (uint64_t total = 0; total < UINT64_MAX / 1000; total = total * 999 + 1) {
        struct range r = {0, 0};
        if (range_parse(field, total, &r) == RANGE_PART)
            fuzzing_check(r.n > 0 && r.first < total && r.n <= total - r.first);
    }
    fuzzing_check(!range_if(field, STR("etag")) || field.p == NULL ||
                  str_eq(str_trim(field), STR("\"etag\"")));
    if (field.p != NULL && range_match(field, STR("etag")))
        fuzzing_check(range_none_match(field, STR("etag")));
}

/* Whatever a field holds comes back through a form. */
static void read_form(struct str field)
{
    struct form form = {0};
    struct buf body = {0};
    struct diag diag = {0};

    fuzzing_check(form_parse(&form, field, "", &diag) || diag.kind != DIAG_NONE);
    for (size_t i = 0; i < form.n; i++)
        check_within(form_name(&form, i), buf_view(&form.text));
    form_free(&form);
    buf_z(&body, "b=1&a=");
    for (size_t i = 0; i < field.n; i++)
        buf_printf(&body, "%%%02x", (unsigned char)field.p[i]);
    buf_z(&body, "&c");
    fuzzing_check(form_parse(&form, buf_view(&body), "", &diag));
    fuzzing_check(str_eq(form_value(&form, STR("a")), field));
    form_free(&form);
    buf_free(&body);
}

static void read_mime(struct str field)
{
    struct str rest = field, text;
    struct mime_parameter parameter;

    check_within(mime_word(&rest), field);
    while (mime_parameter(&rest, &parameter) == MIME_PARAMETER) {
        check_within(parameter.name, field);
        check_within(parameter.value, field);
        struct str own = fuzzing_copy(parameter.value.p, parameter.value.n);
        fuzzing_check(mime_unescape((char *)own.p, own.n) <= own.n);
        free((char *)own.p);
        own = fuzzing_copy(parameter.value.p, parameter.value.n);
        if (mime_decode_extended((char *)own.p, own.n, &text))
            check_within(text, own);
        free((char *)own.p);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const READ[])(struct str field) = {read_accept, read_range, read_form, read_mime};

    if (size == 0)
        return 0;
    struct str field = fuzzing_copy(data + 1, size - 1);
    READ[data[0] % 4](field);
    free((char *)field.p);
    return 0;
}
