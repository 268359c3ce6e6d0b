/* Where the object store is, and with which keys it is asked. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/system/folder.h"
#include "server/s3/s3_impl.h"

/* ---- keys ---- */

static bool copy(struct str text, char *to, size_t room)
{
    if (text.n >= room)
        return false;
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] <= ' ' || text.p[i] > '~')
            return false;
    memcpy(to, text.p, text.n);
    to[text.n] = '\0';
    return true;
}

static bool from_environment(const char *name, char *to, size_t room)
{
    const char *value = getenv(name);

    return copy(str_of(value != NULL ? value : ""), to, room);
}

static bool next_line(struct str *text, char *to, size_t room)
{
    struct str line = STR("");

    str_split(text, '\n', &line);
    return copy(str_trim(line), to, room);
}

static bool read_file(const char *file, struct buf *text, struct diag *diag)
{
    int fd = file_open(AT_FDCWD, file, O_RDONLY | O_NONBLOCK);
    bool ok = fd >= 0 && file_read_all(fd, (size_t)2 * S3_SECRET_BYTES, text);

    if (!ok)
        diag_set(diag, DIAG_USAGE, "no keys for the object store", "Look at its path and who may read it.",
                 "The file of keys %.200s cannot be read: %m.", file);
    if (fd >= 0)
        close(fd);
    return ok;
}

bool s3_read_keys(const char *file, struct s3_keys *keys, struct diag *diag)
{
    struct buf text = {0};
    bool ok;

    if (file != NULL && file[0] != '\0') {
        if (!read_file(file, &text, diag)) {
            buf_free(&text);
            return false;
        }
        struct str rest = buf_view(&text);
        ok = next_line(&rest, keys->access, sizeof(keys->access)) &&
             next_line(&rest, keys->secret, sizeof(keys->secret)) &&
             next_line(&rest, keys->session, sizeof(keys->session));
        buf_free(&text);
    } else {
        ok = from_environment("AWS_ACCESS_KEY_ID", keys->access, sizeof(keys->access)) &&
             from_environment("AWS_SECRET_ACCESS_KEY", keys->secret, sizeof(keys->secret)) &&
             from_environment("AWS_SESSION_TOKEN", keys->session, sizeof(keys->session));
    }
    if (ok && keys->access[0] != '\0' && keys->secret[0] != '\0')
        return true;
    return diag_set(diag, DIAG_USAGE, "no keys for the object store",
                    "Name a file with two lines, the access key and the secret, by --s3-keys-file, or set "
                    "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
                    "%s",
                    file != NULL && file[0] != '\0' ? "The file of keys has no such two lines."
                                                    : "The environment has no keys.");
}

/* ---- the name ---- */

static const struct str SCHEME = STR_INIT("s3://");

/* Letters, digits, '.' and '-': what a signature holds as it stands in the address. */
static bool is_bucket(struct str bucket)
{
    for (size_t i = 0; i < bucket.n; i++)
        if ((bucket.p[i] < 'a' || bucket.p[i] > 'z') && (bucket.p[i] < '0' || bucket.p[i] > '9') &&
            bucket.p[i] != '.' && bucket.p[i] != '-')
            return false;
    return bucket.n >= 3 && bucket.n <= 63 && bucket.p[0] != '.' && bucket.p[0] != '-';
}

bool s3_is_path(struct str path)
{
    static const char ALLOWED[] = "abcdefghijklmnopqrstuvwxyz0123456789/._-";

    for (size_t i = 0; i < path.n; i++)
        if (memchr(ALLOWED, path.p[i], sizeof(ALLOWED) - 1) == NULL)
            return false;
    return true;
}

/* Up to three folders, as in keys. */
static bool is_prefix(struct str prefix)
{
    enum { CHARS_MAX = 60, FOLDERS_MAX = 3 };
    size_t folders = 0;
    struct str part;

    if (!s3_is_path(prefix) || prefix.n > CHARS_MAX)
        return false;
    for (struct str rest = prefix; str_split(&rest, '/', &part); folders++)
        if (part.n == 0 || part.p[0] == '.')
            return false;
    return folders <= FOLDERS_MAX;
}

bool s3_is_named(const char *name)
{
    return str_starts(str_of(name), SCHEME);
}

bool s3_read_name(const char *text, struct s3_name *name, struct diag *diag)
{
    static const char HINT[] = "Say s3://BUCKET or s3://BUCKET/PREFIX.";
    struct str rest = str_of(text), bucket = STR("");

    if (s3_is_named(text))
        rest = (struct str){rest.p + SCHEME.n, rest.n - SCHEME.n};
    str_split(&rest, '/', &bucket);
    while (str_ends(rest, STR("/")))
        rest.n--;
    if (!is_bucket(bucket))
        return diag_set(diag, DIAG_USAGE, "no name of a bucket", HINT,
                        "%.*s is no name of a bucket: 3 to 63 of a-z, 0-9, '.' and '-'.",
                        (int)(bucket.n < 100 ? bucket.n : 100), bucket.p);
    if (!is_prefix(rest))
        return diag_set(diag, DIAG_USAGE, "no prefix", HINT,
                        "%.*s is no prefix: up to three folders of a-z, 0-9, '.', '_' and '-'.",
                        (int)(rest.n < 100 ? rest.n : 100), rest.p);
    snprintf(name->bucket, sizeof(name->bucket), "%.*s", (int)bucket.n, bucket.p);
    snprintf(name->prefix, sizeof(name->prefix), "%.*s%s", (int)rest.n, rest.p, rest.n > 0 ? "/" : "");
    return true;
}

/* ---- endpoints ---- */

static bool is_address(struct str host)
{
    for (size_t i = 0; i < host.n; i++)
        if (host.p[i] <= ' ' || host.p[i] > '~' || strchr("/?#@\\\"", host.p[i]) != NULL)
            return false;
    return host.n > 0;
}

/* One endpoint with the bucket in its place. */
static bool put_endpoint(struct str text, struct str bucket, char *to, size_t room)
{
    static const struct str SCHEMES[] = {STR_INIT("https://"), STR_INIT("http://")},
                            PLACE = STR_INIT("{bucket}");
    struct buf b = {0};
    struct str host = text;

    while (str_ends(host, STR("/")))
        host.n--;
    for (size_t i = 0; i < sizeof(SCHEMES) / sizeof(SCHEMES[0]) && b.n == 0; i++)
        if (str_starts(host, SCHEMES[i])) {
            buf_str(&b, SCHEMES[i]);
            host = (struct str){host.p + SCHEMES[i].n, host.n - SCHEMES[i].n};
        }
    bool ok = b.n > 0 && is_address(host);
    size_t at = str_find_str(host, PLACE);
    if (at < host.n) {
        buf_bytes(&b, host.p, at);
        buf_str(&b, bucket);
        buf_bytes(&b, host.p + at + PLACE.n, host.n - at - PLACE.n);
    } else {
        buf_str(&b, host);
        buf_char(&b, '/');
        buf_str(&b, bucket);
    }
    ok = ok && !b.failed && b.n < room;
    if (ok) {
        memcpy(to, b.p, b.n);
        to[b.n] = '\0';
    }
    buf_free(&b);
    return ok;
}

bool s3_read_endpoints(const char *text, const char *bucket, struct s3_endpoints *endpoints,
                       struct diag *diag)
{
    static const char HINT[] = "For instance --s3-endpoints http://10.0.0.5:7480,http://10.0.0.6:7480, or "
                               "https://{bucket}.s3.eu-central-1.amazonaws.com.";
    struct str rest = str_of(text != NULL ? text : ""), one;

    endpoints->n = 0;
    while (rest.n > 0 && str_split(&rest, ',', &one)) {
        one = str_trim(one);
        if (endpoints->n == S3_ENDPOINTS_MAX ||
            !put_endpoint(one, str_of(bucket), endpoints->of[endpoints->n], sizeof(endpoints->of[0])))
            return diag_set(diag, DIAG_USAGE, "no address of an object store", HINT,
                            "%.*s is none, or is one too many: http(s)://HOST[:PORT], up to %d of them.",
                            (int)one.n, one.p, S3_ENDPOINTS_MAX);
        endpoints->n++;
    }
    return endpoints->n > 0 ||
           diag_set(diag, DIAG_USAGE, "no address of an object store", HINT, "No endpoint is named.");
}
