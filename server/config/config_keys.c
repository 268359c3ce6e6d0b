#include "server/config/config_keys.h"

#include <stddef.h>
#include <string.h>

#include "core/clean.h"
#include "core/system/log.h"
#include "profile/filter/filter_pattern.h"
#include "server/config/network.h"
#include "server/doors/who.h"
#include "server/spaces/expiry.h"

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)
#define TIB (1024 * GIB)

static bool listen_valid(struct str value)
{
    struct address address;

    return address_parse(value, &address);
}

static bool listen_valid_or_none(struct str value)
{
    return value.n == 0 || listen_valid(value);
}

/* Empty, or http(s)://HOST and what may stand behind it, but for these characters. */
static bool is_url_without(struct str value, struct str never)
{
    for (size_t i = 0; i < value.n; i++)
        if (value.p[i] < '!' || value.p[i] > '~' || str_find(never, value.p[i]) < never.n)
            return false;
    size_t scheme = str_starts(value, STR("https://")) ? 8 : str_starts(value, STR("http://")) ? 7 : value.n;
    return value.n == 0 || (scheme < value.n && value.p[scheme] != '/');
}

static bool url_valid(struct str value)
{
    return is_url_without(value, STR(" \"<>\\^`{|}?#")) && !str_ends(value, STR("/"));
}

static bool webhook_valid(struct str value)
{
    return is_url_without(value, STR(" \"<>\\^`{|}#"));
}

static const char URL_FORM[] = "http://HOST or https://HOST, with a path if need be, and no slash at the end";

static bool level_valid(struct str value)
{
    enum log_level level;

    return log_level_parse(value, &level);
}

static bool format_valid(struct str value)
{
    enum log_format format;

    return log_format_parse(value, &format);
}

static bool header_valid(struct str value)
{
    for (size_t i = 0; i < value.n; i++)
        if (value.p[i] != '-' && (value.p[i] < '0' || value.p[i] > '9') &&
            (value.p[i] < 'A' || value.p[i] > 'Z') && (value.p[i] < 'a' || value.p[i] > 'z'))
            return false;
    return true;
}

/* What a Host can be: no URL, and no pattern. */
static bool hosts_valid(struct str value)
{
    static const struct str OTHERS = STR_INIT("-._:[]");
    struct str one;

    while (str_split(&value, ',', &one)) {
        one = str_trim(one);
        for (size_t i = 0; i < one.n; i++)
            if ((one.p[i] < '0' || one.p[i] > '9') && (one.p[i] < 'A' || one.p[i] > 'Z') &&
                (one.p[i] < 'a' || one.p[i] > 'z') && str_find(OTHERS, one.p[i]) == OTHERS.n)
                return false;
    }
    return true;
}

static bool readers_valid(struct str value)
{
    return str_eq(value, STR("link")) || str_eq(value, STR("team"));
}

static bool durability_valid(struct str value)
{
    return str_eq(value, STR("store")) || str_eq(value, STR("local"));
}

static bool scopes_valid(struct str value)
{
    char spaces[WHO_SPACES_BYTES + 1];
    unsigned scopes;

    return scopes_parse(value, &scopes, spaces);
}

#define TEXT(field, valid, allowed, value, help)                             \
    {                                                                        \
        STR_INIT(#field), CONFIG_TEXT, offsetof(struct config, field), 0,    \
            sizeof(((struct config *)0)->field), valid, allowed, value, help \
    }
#define FLAG(field, value, help)                                                                     \
    {                                                                                                \
        STR_INIT(#field), CONFIG_BOOL, offsetof(struct config, field), 0, 1, NULL, NULL, value, help \
    }
#define NUMBER(field, min, max, value, help)                                                               \
    {                                                                                                      \
        STR_INIT(#field), CONFIG_NUMBER, offsetof(struct config, field), min, max, NULL, NULL, value, help \
    }
#define SIZE(field, min, max, value, help)                                                               \
    {                                                                                                    \
        STR_INIT(#field), CONFIG_SIZE, offsetof(struct config, field), min, max, NULL, NULL, value, help \
    }

const struct config_key CONFIG_KEYS[] = {
    TEXT(
        listen, listen_valid, "HOST:PORT, :PORT, [IPV6]:PORT or unix:/PATH", "127.0.0.1:8192",
        "where to listen: HOST:PORT, [IPV6]:PORT, :PORT for all IPv4 addresses, [::]:PORT for all, or unix:/PATH"),
    TEXT(
        store, NULL, "a directory, or s3://BUCKET/PREFIX", "",
        "where uploads are kept: a directory, or s3://BUCKET/PREFIX of an S3-compatible object store, which several "
        "machines may share; empty: $XDG_DATA_HOME/aflamed, ~/.local/share/aflamed or /var/lib/aflamed"),
    TEXT(
        cache, NULL, "a directory", "",
        "where the store is an object store: this machine's own directory, for views and copies of uploads, which it "
        "keeps within views_on_disk_bytes; empty: the directory that `store` would be"),
    TEXT(
        s3_endpoints, NULL, "http(s)://HOST[:PORT], several with commas", "",
        "where the object store is; of several the next one is asked when one does not answer; {bucket} in it stands for "
        "the bucket"),
    TEXT(s3_region, NULL, "a region", "us-east-1",
         "region of the object store, which requests are signed for"),
    TEXT(s3_keys_file, NULL, "a file", "",
         "file with the object store's access key and secret, a line each; empty: AWS_ACCESS_KEY_ID and "
         "AWS_SECRET_ACCESS_KEY of the environment"),
    NUMBER(
        s3_stalled_s, 1, 3600, "20",
        "seconds that a file may be on its way to or from the object store with less than 64 KiB in each of them: then it "
        "is sent or asked for once more, and then given up; what is small may take a quarter of them, or five seconds"),
    FLAG(
        share_views, "false",
        "what the page of an upload shows first (summary, words, picture) is kept in the object store, too: another machine "
        "shows it without reading the upload, if that is larger than 64 KiB"),
    TEXT(
        durability, durability_valid, "store or local", "store",
        "with an object store, when an upload is acknowledged: when the object store has it (store), or, while that does not "
        "answer, when it is on the disk of `cache` (local): it is sent later, and the answer says so"),
    SIZE(
        waiting_bytes, MIB, 1024 * TIB, "10G",
        "with durability=local, bytes of uploads that may wait for the object store; what comes above it gets 503"),
    TEXT(
        tokens_file, NULL, "a file", "",
        "file of tokens, which `aflamed token` writes: only who has one may upload, and read what is for the team; "
        "empty: whoever reaches the service may"),
    TEXT(
        user_header, header_valid, "the name of a header", "",
        "header in which a proxy of trusted_proxies, or one before a Unix socket, names the user; empty: none"),
    TEXT(
        user_scopes, scopes_valid,
        "upload, read, change, delete, admin, spaces:NAME, with commas between them", "upload,read",
        "what a user of user_header may do: upload, read, change, delete, admin; with spaces:NAME only in that space"),
    TEXT(
        readers, readers_valid, "link or team", "link",
        "who may read an upload that does not say: link (who has its link) or team (of these, who is known)"),
    NUMBER(session_hours, 1, 8760, "720", "hours that a browser stays logged in"),
    TEXT(
        tls_certificate, NULL, "a file", "",
        "file with the certificate to show, and those that vouch for it (PEM): the service speaks HTTPS; empty: HTTP"),
    TEXT(tls_key, NULL, "a file", "", "file with the private key of the certificate (PEM)"),
    TEXT(redirect_listen, listen_valid_or_none, "HOST:PORT, or empty", "",
         "where to lead plain HTTP on to external_url, as :80; empty: nowhere"),
    NUMBER(uploads_per_minute, 0, 1000000, "0",
           "uploads that one person or address may begin in a minute; above it 429; 0: no limit"),
    NUMBER(uploads_at_once, 0, 1000000, "0", "the same at a time; 0: no limit"),
    SIZE(upload_bytes_per_day, 0, 1024 * TIB, "0",
         "bytes that one person or address may upload in a day; 0: no limit"),
    SIZE(upload_bytes_kept, 0, 1024 * TIB, "0",
         "bytes of uploads that are kept of one person who is known; above it 507; 0: no limit"),
    NUMBER(
        work_seconds_per_minute, 0, 1000000, "0",
        "seconds of a processor in a minute that the uploads of one person or address may take; who takes more "
        "waits behind all others; 0: no limit"),
    FLAG(open, "false", "may listen on other than loopback without authentication"),
    TEXT(external_url, url_valid, URL_FORM, "", "what clients see, as http://HOST; empty: from the request"),
    TEXT(
        hosts, hosts_valid, "names with commas between them, each with or without a port", "",
        "further names of the service, with commas between them; if these or external_url are given, others get 421"),
    FLAG(link_previews, "true",
         "chat programs that are given a link show name, first sentence and picture of the upload"),
    TEXT(log_level, level_valid, "error, warn, info or debug", "info", "error, warn, info or debug"),
    TEXT(log_format, format_valid, "text or json", "text",
         "lines of the log: text, as key=value, or json, an object a line"),
    TEXT(metrics_listen, listen_valid_or_none, "HOST:PORT, [IPV6]:PORT or unix:/PATH, or empty", "",
         "where to serve /metrics, /healthz and /readyz alone, to anybody who reaches it; empty: nowhere"),
    NUMBER(workers, 0, 1024, "0", "threads that read and draw profiles; 0: one per core that may be used"),
    NUMBER(open_jobs, 0, 100000, "0",
           "uploads that are read at a time, at most half of them while they arrive; 0: twice the workers"),
    SIZE(job_memory_bytes, 64 * KIB, TIB, "512M", "memory of one profile while it is built"),
    SIZE(
        job_file_bytes, 0, TIB, "4G",
        "files of all profiles while they are built, for records of system traces that job_memory_bytes has no room for; 0: none"),
    SIZE(view_memory_bytes, 64 * KIB, TIB, "128M", "memory of one view while it is drawn, and its size"),
    SIZE(queue_bytes, 4 * KIB, GIB, "4M",
         "without effect: what arrives is written to the store at once; will go"),
    NUMBER(
        work_seconds, 0, 1000000, "60",
        "seconds of a processor that reading one upload, or one check, may take; beyond it 413; 0: no limit"),
    NUMBER(work_seconds_per_mb, 0, 1000000, "10", "the same, for each MB of it beside these"),
    SIZE(max_upload_bytes, 1, 1024 * TIB, "2G", "largest upload"),
    SIZE(max_unpacked_bytes, 1, 1024 * TIB, "8G", "what a packed upload may unpack to"),
    NUMBER(max_unpacked_ratio, 1, 1000000, "200",
           "how many times its size a packed upload may unpack to, above 16 MiB"),
    NUMBER(max_members, 1, 1000, "20", "files of an archive that are read when all of them are asked for"),
    NUMBER(max_connections, 1, 1000000, "1000",
           "connections at a time; each takes up to three descriptors (ulimit -n)"),
    NUMBER(max_connections_per_address, 1, 1000000, "512",
           "connections at a time from one address (IPv6: from one /64), unless it is of trusted_proxies"),
    NUMBER(max_waiting_per_address, 1, 1000000, "256",
           "pictures and pages that one address waits for at a time; above it 503"),
    TEXT(trusted_proxies, network_list_valid, "addresses or networks ADDRESS/BITS, with commas between them",
         "",
         "proxies whose X-Forwarded-For names the client: addresses or networks, with commas between them"),
    NUMBER(
        header_timeout_s, 1, 86400, "30",
        "seconds until the header of a request has arrived, from the beginning of the connection or the end of the "
        "request before"),
    NUMBER(idle_timeout_s, 1, 86400, "60", "seconds that a connection may be silent"),
    NUMBER(request_timeout_s, 1, 86400, "900",
           "seconds that a client may take to send a body or to take an answer, beside one for each MB"),
    NUMBER(
        answer_within_ms, 0, 3600000, "5000",
        "milliseconds until a durable upload is answered though the summary that the answer has is still being made, "
        "or the files of its archive read"),
    NUMBER(expires_days, 1, 36500, "30", "days that an upload is kept, unless it asks for another time"),
    NUMBER(max_expires_days, 1, 36500, "365", "days that an upload may ask for"),
    TEXT(
        keep_labels, expiry_rules_valid, "KEY=VALUE TIME; KEY=* TIME", "",
        "how long uploads with a label are kept that ask for no time: branch=main 365d; release=* 365d; the first that fits counts"),
    NUMBER(
        render_tracks, 0, 1000000, "64",
        "previews drawn behind an upload of more than 64 KiB, of the heaviest threads; others at first sight"),
    NUMBER(svg_embed_nodes, 0, UINT32_MAX - 1, "200000",
           "stacks that a picture carries for its script; the rest it fetches when it is looked at"),
    SIZE(svg_embed_bytes, 0, TIB, "4000000", "the same, in bytes"),
    SIZE(profile_cache_bytes, 0, TIB, "128M", "profiles kept in memory"),
    SIZE(views_in_memory_bytes, 0, TIB, "64M",
         "views kept in memory as they are sent, those of small uploads there alone; 0: all on the disk"),
    SIZE(answer_memory_bytes, 64 * KIB, TIB, "256M",
         "answers in memory until their clients have taken them; above it 503"),
    SIZE(views_on_disk_bytes, 0, 1024 * TIB, "2G",
         "views kept on the disk, and copies of what is in an object store; the least recently used ones go"),
    SIZE(
        store_bytes, 0, 1024 * TIB, "0",
        "uploaded files kept, in blocks of the disk; an upload for which no ended one makes room gets 507; 0: no "
        "limit"),
    NUMBER(sweep_interval_s, 1, 86400, "3600",
           "seconds between looks through the whole store for what nobody needs"),
    NUMBER(
        delete_within_s, 3, 86400, "60",
        "seconds until the bytes and views of an expired upload are removed; those of a deleted one go at once"),
    TEXT(filter_presets, filter_presets_valid, "NAME:KEY=PATTERN;KEY=PATTERN;;NAME:..., see docs/filters.md",
         "", "presets of filters beside the built-in ones: NAME:KEY=PATTERN;KEY=PATTERN;;NAME:..."),
    TEXT(mappings_dir, NULL, "a directory", "",
         "directory of mapping.txt files; that of a build is offered to who uploads its profile, by its id "
         "or by names; empty: none"),
    TEXT(
        webhook_url, webhook_valid, "http://HOST or https://HOST, with path and query, or empty", "",
        "what is told, by a POST of JSON, of a check of an upload that fails, and of a change in a series, see "
        "docs/spaces.md; empty: nothing"),
    TEXT(webhook_secret_file, NULL, "a file", "",
         "file with the secret that what webhook_url is told is signed with; empty: it is not signed"),
    TEXT(perfetto_url, url_valid, URL_FORM, "",
         "the Perfetto UI that pages offer to open profiles in, https://ui.perfetto.dev or one of your own; "
         "empty: none"),
    TEXT(firefox_profiler_url, url_valid, URL_FORM, "",
         "the same for the Firefox Profiler, https://profiler.firefox.com"),
    TEXT(speedscope_url, url_valid, URL_FORM, "",
         "the same for speedscope, https://www.speedscope.app; its page may then read profiles that it knows "
         "the link of"),
    NUMBER(max_methods, 1, 1000000000, "4000000", "methods of one profile"),
    NUMBER(max_threads, 1, 1000000000, "200000", "threads of one profile"),
    SIZE(
        max_line_bytes, 64, GIB, "1M",
        "longest line of text in a profile; a longer one is cut, of folded stacks it is left out, with a warning"),
    SIZE(max_name_bytes, 16, GIB, "4K",
         "longest name of a method or thread; a longer one is cut, with a warning"),
};
const size_t CONFIG_KEYS_COUNT = sizeof(CONFIG_KEYS) / sizeof(CONFIG_KEYS[0]);

/* Names that keys had before 0.2. They are read for one release, and log_old_names of serve.c says so. */
const struct config_old_name CONFIG_OLD_NAMES[CONFIG_OLD_NAMES_COUNT] = {
    {STR_INIT("hot_bytes"), STR_INIT("views_in_memory_bytes")},
    {STR_INIT("view_cache_bytes"), STR_INIT("views_on_disk_bytes")},
};

static const struct suffix {
    char letter;
    unsigned shift;
} SUFFIXES[] = {{'G', 30}, {'M', 20}, {'K', 10}};

const struct config_key *config_keys_find(struct config *c, struct str name)
{
    for (unsigned i = 0; i < CONFIG_OLD_NAMES_COUNT; i++)
        if (str_eq(CONFIG_OLD_NAMES[i].name, name)) {
            c->old_names |= UINT64_C(1) << i;
            name = CONFIG_OLD_NAMES[i].now;
        }
    for (size_t i = 0; i < CONFIG_KEYS_COUNT; i++)
        if (str_eq(CONFIG_KEYS[i].name, name))
            return &CONFIG_KEYS[i];
    return NULL;
}

/* Text that is shown as it is: what a terminal or a JSON file would spoil has no place in a configuration. */
static bool is_clean(struct str value)
{
    enum {
        CONTROL_FIRST = 0x2400,
        CONTROL_LAST = 0x2421,
        REPLACEMENT = 0xfffd
    }; /* what clean_next shows instead */

    while (value.n > 0) {
        const char *at = value.p;
        uint32_t shown = clean_next(&value);
        struct str read = {at, (size_t)(value.p - at)};
        if (shown == REPLACEMENT && !str_eq(read, STR("\ufffd")))
            return false;
        if (shown >= CONTROL_FIRST && shown <= CONTROL_LAST && read.n == 1)
            return false;
    }
    return true;
}

static bool set_text(char *out, const struct config_key *key, struct str value)
{
    if (value.n >= key->max || !is_clean(value) || (key->valid != NULL && !key->valid(value)))
        return false;
    if (value.n > 0)
        memcpy(out, value.p, value.n);
    out[value.n] = '\0';
    return true;
}

static bool set_bool(bool *out, struct str value)
{
    bool yes = str_eq(value, STR("true")) || str_eq(value, STR("1"));

    if (!yes && !str_eq(value, STR("false")) && !str_eq(value, STR("0")))
        return false;
    *out = yes;
    return true;
}

static bool set_number(uint64_t *out, const struct config_key *key, struct str value)
{
    unsigned shift = 0;
    uint64_t number;

    for (size_t i = 0; key->kind == CONFIG_SIZE && i < sizeof(SUFFIXES) / sizeof(SUFFIXES[0]); i++)
        if (str_ends(value, (struct str){&SUFFIXES[i].letter, 1}))
            shift = SUFFIXES[i].shift;
    if (shift > 0)
        value.n--;
    if (!str_to_u64(value, 10, &number) || number > UINT64_MAX >> shift)
        return false;
    number <<= shift;
    if (number < key->min || number > key->max)
        return false;
    *out = number;
    return true;
}

static bool set_field(void *field, const struct config_key *key, struct str value)
{
    switch (key->kind) {
    case CONFIG_TEXT:
        return set_text(field, key, value);
    case CONFIG_BOOL:
        return set_bool(field, value);
    case CONFIG_NUMBER:
    case CONFIG_SIZE:
        break;
    }
    return set_number(field, key, value);
}

_Static_assert(sizeof(CONFIG_KEYS) / sizeof(CONFIG_KEYS[0]) <= 128, "a bit of struct config for each key");

bool config_keys_set(struct config *c, const struct config_key *key, struct str value)
{
    if (!set_field((char *)c + key->offset, key, value))
        return false;
    c->given[(key - CONFIG_KEYS) / 64] |= UINT64_C(1) << ((key - CONFIG_KEYS) % 64);
    return true;
}

static void put_size(struct buf *b, uint64_t bytes)
{
    for (size_t i = 0; bytes > 0 && i < sizeof(SUFFIXES) / sizeof(SUFFIXES[0]); i++) {
        uint64_t unit = UINT64_C(1) << SUFFIXES[i].shift;
        if (bytes % unit == 0) {
            buf_u64(b, bytes / unit);
            buf_char(b, SUFFIXES[i].letter);
            return;
        }
    }
    buf_u64(b, bytes);
}

const char *config_keys_metavar(const struct config_key *key)
{
    switch (key->kind) {
    case CONFIG_BOOL:
        return NULL;
    case CONFIG_NUMBER:
        return "N";
    case CONFIG_SIZE:
        return "SIZE";
    case CONFIG_TEXT:
        break;
    }
    return "TEXT";
}

void config_keys_allowed(struct buf *b, const struct config_key *key)
{
    switch (key->kind) {
    case CONFIG_TEXT:
        buf_z(b, key->allowed);
        break;
    case CONFIG_BOOL:
        buf_z(b, "true or false");
        break;
    case CONFIG_NUMBER:
        buf_printf(b, "a number from %llu to %llu", (unsigned long long)key->min,
                   (unsigned long long)key->max);
        break;
    case CONFIG_SIZE:
        buf_z(b, "a number of bytes, or one with K, M or G behind it, from ");
        put_size(b, key->min);
        buf_z(b, " to ");
        put_size(b, key->max);
        break;
    }
}

void config_keys_value(struct buf *b, const struct config_key *key, const struct config *c)
{
    const void *field = (const char *)c + key->offset;

    switch (key->kind) {
    case CONFIG_TEXT:
        buf_z(b, field);
        break;
    case CONFIG_BOOL:
        buf_z(b, *(const bool *)field ? "true" : "false");
        break;
    case CONFIG_NUMBER:
        buf_u64(b, *(const uint64_t *)field);
        break;
    case CONFIG_SIZE:
        put_size(b, *(const uint64_t *)field);
        break;
    }
}

struct config_shown config_keys_shown(struct str s)
{
    struct config_shown out = {{0}};
    struct buf b = {0};

    clean_text(&b, clean_cut(s, sizeof(out.text) - 1));
    struct str cut = clean_cut(buf_view(&b), sizeof(out.text) - 1);
    if (!b.failed && cut.n > 0)
        memcpy(out.text, cut.p, cut.n);
    buf_free(&b);
    return out;
}
