/* The calls on objects, as requests. */
#include <string.h>

#include "core/system/digest.h"
#include "core/system/utc.h"
#include "server/s3/s3_impl.h"

enum s3_result s3_get(struct s3 *s, const char *key, bool (*take)(void *context, const char *p, size_t n),
                      void *context, struct diag *diag)
{
    struct s3_request r = {.method = "GET", .key = key, .take = take, .context = context};

    return s3_send(s, &r, diag);
}

enum s3_result s3_get_small(struct s3 *s, const char *key,
                            bool (*take)(void *context, const char *p, size_t n), void *context,
                            struct diag *diag)
{
    struct s3_request r = {.method = "GET", .key = key, .take = take, .context = context, .is_short = true};

    return s3_send(s, &r, diag);
}

enum s3_result s3_put(struct s3 *s, struct s3_parts **parts, const char *key, int fd, uint64_t bytes,
                      const char *sha256, struct diag *diag)
{
    enum { WHOLE_PARTS = 4 }; /* What has no more is sent at once. */
    struct s3_request r = {
        .method = "PUT", .key = key, .fd = fd, .bytes = bytes, .sha256 = sha256, .creates = true};
    struct s3_parts *own = NULL;
    struct diag ignored = {0};

    if ((parts == NULL || *parts == NULL) && bytes <= WHOLE_PARTS * s3_part_bytes(s))
        return s3_send(s, &r, diag);
    enum s3_result result = s3_end_parts(s, parts != NULL ? parts : &own, key, fd, bytes, sha256, diag);
    if (own != NULL)
        (void)!s3_drop_parts(s, &own, &ignored);
    return result;
}

enum s3_result s3_put_text(struct s3 *s, const char *key, struct str text, struct diag *diag)
{
    char sha256[DIGEST_CHARS + 1];
    struct s3_request r = {.method = "PUT",
                           .key = key,
                           .text = text.n > 0 ? text.p : "",
                           .bytes = text.n,
                           .sha256 = sha256,
                           .creates = true,
                           .is_short = true};

    digest_hex_of(text.p, text.n, sha256);
    if (sha256[0] != '\0')
        return s3_send(s, &r, diag);
    diag_no_memory(diag, "No memory is left to sign what is sent to the object store.");
    return S3_UNAVAILABLE;
}

enum s3_result s3_copy(struct s3 *s, const char *from, const char *key, struct diag *diag)
{
    struct s3_request r = {.method = "PUT", .key = key, .text = "", .from = from};

    return s3_send(s, &r, diag);
}

enum s3_result s3_delete(struct s3 *s, const char *key, struct diag *diag)
{
    struct s3_request r = {.method = "DELETE", .key = key, .is_short = true};
    enum s3_result result = s3_send(s, &r, diag);

    return result == S3_NOT_FOUND ? S3_OK : result;
}

/* ---- list ---- */

struct page {
    struct buf text;
    struct buf token; /* of the next page; empty: this is the last */
};

static bool is_key(struct str key)
{
    return s3_is_path(key) && key.n > 0 && key.n < S3_NAME_BYTES && key.p[key.n - 1] != '/';
}

/* "2026-11-26T10:00:00.000Z"; 0: it is none. */
static int64_t time_of(struct str text)
{
    char whole[UTC_CHARS + 1];
    int64_t time_s;

    if (text.n < UTC_CHARS - 1)
        return 0;
    memcpy(whole, text.p, UTC_CHARS - 1);
    memcpy(whole + UTC_CHARS - 1, "Z", 2);
    return utc_parse(str_of(whole), &time_s) ? time_s : 0;
}

/* The text of the element, without looking at its entities; empty: there is none. */
static struct str element(struct str contents, struct str name)
{
    struct str text = STR("");

    s3_xml_next(&contents, name, &text);
    return text;
}

/* One <Contents>. False: `each` wants no more. A store that tells of objects elsewhere is not believed. */
static bool tell(const struct s3 *s, struct str contents, const char *folder,
                 bool (*each)(void *context, const struct s3_object *object), void *context)
{
    struct str key = element(contents, STR("Key")), prefix = str_of(s3_prefix(s));
    char text[S3_NAME_BYTES];
    struct s3_object o = {.key = text, .time_s = time_of(element(contents, STR("LastModified")))};

    if (!str_starts(key, prefix) || !str_to_u64(element(contents, STR("Size")), 10, &o.bytes))
        return true;
    key = (struct str){key.p + prefix.n, key.n - prefix.n};
    if (!is_key(key) || !str_starts(key, str_of(folder)))
        return true;
    memcpy(text, key.p, key.n);
    text[key.n] = '\0';
    return each(context, &o);
}

static bool tell_all(const struct s3 *s, const struct page *g, const char *folder,
                     bool (*each)(void *context, const struct s3_object *object), void *context)
{
    static const struct str OPEN = STR_INIT("<Contents>"), CLOSE = STR_INIT("</Contents>");
    struct str rest = buf_view(&g->text);

    for (size_t at; (at = str_find_str(rest, OPEN)) < rest.n;) {
        rest = (struct str){rest.p + at, rest.n - at};
        size_t end = str_find_str(rest, CLOSE);
        if (!tell(s, (struct str){rest.p, end}, folder, each, context))
            return false;
        rest = (struct str){rest.p + end, rest.n - end};
    }
    return true;
}

/* Reads the token of the next page. False: the page is no whole list, or the next one would be the same. */
static bool read_token(struct page *g)
{
    struct str rest = buf_view(&g->text), cut = STR(""), token = STR("");
    struct buf next = {0};

    bool ok = str_find_str(rest, STR("</ListBucketResult>")) < rest.n;
    s3_xml_next(&rest, STR("IsTruncated"), &cut);
    rest = buf_view(&g->text);
    s3_xml_next(&rest, STR("NextContinuationToken"), &token);
    s3_xml_text(&next, token);
    ok = ok && (next.n > 0 ? !str_eq(buf_view(&next), buf_view(&g->token)) : !str_eq(cut, STR("true")));
    buf_free(&g->token);
    g->token = next;
    return ok;
}

static void put_query(const struct s3 *s, const struct page *g, const char *prefix, struct buf *query)
{
    if (g->token.n > 0) {
        buf_z(query, "continuation-token=");
        buf_percent(query, buf_view(&g->token));
        buf_char(query, '&');
    }
    buf_z(query, "list-type=2&prefix=");
    buf_percent(query, str_of(s3_prefix(s)));
    buf_percent(query, str_of(prefix));
}

static enum s3_result get_page(struct s3 *s, struct page *g, const char *prefix, struct diag *diag)
{
    struct buf query = {0};
    enum s3_result result = S3_UNAVAILABLE;

    buf_clear(&g->text);
    put_query(s, g, prefix, &query);
    struct s3_request r = {
        .method = "GET", .key = "", .query = buf_view(&query), .page = &g->text, .is_short = true};
    if (!query.failed && !g->token.failed)
        result = s3_send(s, &r, diag);
    if (result == S3_OK && !g->text.failed && !read_token(g) && !g->token.failed) {
        diag_set(diag, DIAG_IO, "the object store is not fit",
                 "Look at its address: something else may answer there.",
                 "What it answered is no whole list of %s%s.", s3_prefix(s), prefix);
        result = S3_CORRUPT;
    }
    if (query.failed || g->token.failed || g->text.failed) {
        diag_no_memory(diag, "No memory is left for the object store's list.");
        result = S3_UNAVAILABLE;
    }
    buf_free(&query);
    return result;
}

enum s3_result s3_list(struct s3 *s, const char *prefix,
                       bool (*each)(void *context, const struct s3_object *object), void *context,
                       struct diag *diag)
{
    struct page g = {.token = {0}};
    enum s3_result result;

    do {
        result = get_page(s, &g, prefix, diag);
        if (result == S3_OK && !tell_all(s, &g, prefix, each, context))
            result = S3_ENDED;
    } while (result == S3_OK && g.token.n > 0);
    buf_free(&g.text);
    buf_free(&g.token);
    return result;
}
