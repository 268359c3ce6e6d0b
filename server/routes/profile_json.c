#include "server/routes/profile_json.h"

#include <stdio.h>

#include "core/system/utc.h"
#include "server/convert/summary.h"
#include "server/http/message/form.h"

static void put_time(struct json *j, const char *key, int64_t unix_s)
{
    char text[UTC_CHARS + 1];

    utc_format(unix_s, text);
    json_put_string(j, key, str_of(text));
}

/* What the record says; `base` is the URL of the profile. */
static void put_record(struct json *j, const struct record *r, struct str base, const char *token)
{
    json_put_string(j, "id", str_of(r->id));
    json_put_string(j, "url", base);
    if (token != NULL)
        json_put_string(j, "delete_token", str_of(token));
    put_time(j, "created", r->created_s);
    put_time(j, "expires", r->expires_s);
    json_put_string(j, "name", str_of(r->name));
    json_put_string(j, "sha256", str_of(r->sha256));
    if (r->member[0] != '\0')
        json_put_string(j, "member", str_of(r->member));
    json_put_u64(j, "size", r->size);
}

void profile_json_record(struct exchange *x, struct json *j, const struct record *r, const char *token)
{
    struct buf url = {0};

    exchange_base_url(x, &url);
    buf_printf(&url, "/p/%s", r->id);
    put_record(j, r, buf_view(&url), token);
    buf_part_end(&x->reply.body, &url);
}

/* One object of two: the summary has other keys, and may have very many tracks. */
void profile_json(struct exchange *x, unsigned status, const struct record *r, struct str summary,
                  const char *token, const char *split)
{
    struct buf url = {0}, query = {0};
    struct view_options options;
    struct buf *body = reply_text(&x->reply, status, "application/json");
    struct json j = json_into(body);

    exchange_base_url(x, &url);
    buf_printf(&url, "/p/%s", r->id);
    json_open_object(&j, NULL);
    put_record(&j, r, buf_view(&url), token);
    buf_z(&url, "/t/");
    view_defaults(&options);
    snprintf(options.split, sizeof(options.split), "%s", split);
    view_link(&query, &options, "&");
    summary_put_members(&j, summary,
                        &(struct summary_part){.tracks = SIZE_MAX,
                                               .app = str_of(r->app),
                                               .links = url_rest(buf_view(&url)),
                                               .query = buf_view(&query)});
    json_close(&j);
    buf_char(body, '\n');
    body->failed = body->failed || url.failed || query.failed;
    reply_header(&x->reply, "Vary", "Accept, Accept-Encoding");
    buf_free(&url);
    buf_free(&query);
}
