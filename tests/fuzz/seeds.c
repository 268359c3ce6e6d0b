/* Writes what fuzzing begins with: `seeds FOLDER` makes FOLDER/<target>/<name>, from the builders of the tests
 * and from the texts below. Other files stay. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "parser/refuse/foreign.h"
#include "tests/support/hprof_bytes.h"
#include "tests/support/packing.h"
#include "tests/support/perfetto_bytes.h"
#include "tests/support/pprof_bytes.h"
#include "tests/support/replayed.h"
#include "tests/support/simpleperf_bytes.h"
#include "tests/support/span_model.h"
#include "tests/support/systrace_bytes.h"
#include "tests/support/trace_bytes.h"
#include "tests/support/trace_variants.h"
#include "tests/support/wild_events.h"

struct seed {
    const char *target, *name;
    struct str bytes;
};

#define PART(headers, content) "--B\r\n" headers "\r\n\r\n" content "\r\n"
#define DIGEST                 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define RECORD(times)                                                                              \
    "{\"id\":\"abcdefghijklmnopqrstuvwxyz\",\"name\":\"app.trace\"," times ",\"sha256\":\"" DIGEST \
    "\",\"size\":12,\"format\":\"android-trace\",\"token_sha256\":\"" DIGEST "\",\"warnings\":2}"

static const struct seed SEEDS[] = {
    {"multipart", "file",
     STR_INIT(PART("Content-Disposition: form-data; name=\"trace\"; filename=\"C:\\\\a\\\"b.trace\"\r\n"
                   "Content-Type: application/octet-stream",
                   "*version\n3\r\n--C\r\n-") "--B--\r\n")},
    {"multipart", "fields",
     STR_INIT("preamble\r\n" PART("content-disposition:form-data;NAME=f", "7") PART(
         "Content-Disposition: form-data; name=g; filename*=UTF-8''%e2%82%ac", "") "--B-- \r\nepilogue")},
    {"multipart", "cut", STR_INIT(PART("Content-Disposition: form-data; name=f", "x") "--B-")},
    {"multipart", "wrong", STR_INIT("--B\r\nContent-Disposition: form-data\r\n x\r\n\r\n--B--")},
    {"vet", "curl",
     STR_INIT("HTTP/1.1\n/app.trace?name=a%20b\nHost: 127.0.0.1:8192\nContent-Length: 12\nAccept: */*")},
    {"vet", "chunked", STR_INIT("HTTP/1.1\n/\nHost: [::1]\nTransfer-Encoding: chunked")},
    {"vet", "both", STR_INIT("HTTP/1.1\n/\nHost: x\nContent-Length: 1\nTransfer-Encoding: chunked")},
    {"vet", "dots", STR_INIT("HTTP/1.0\n/a/%2e%2E/./..%2f\nHost: a\nHost: b\nX\x01: \x7f")},
    {"fields", "accept", STR_INIT("\0text/html;q=0.9,image/svg+xml;level=1, */*;q=0.001,gzip;q=1.0, zstd")},
    {"fields", "range", STR_INIT("\1bytes=3-100")},
    {"fields", "suffix", STR_INIT("\1bytes=-5")},
    {"fields", "tags", STR_INIT("\1\"a\", W/\"etag\", *")},
    {"fields", "tag-and-blanks", STR_INIT("\1\"etag\"   ")},
    {"fields", "form", STR_INIT("\2a=%e2%82+b&a=2&c&=d&a%3d=%")},
    {"fields", "disposition", STR_INIT("\3form-data; name=\"a\\\"b\"; filename*=UTF-8'en'%e2%82%ac%20;; x")},
    {"spaces", "query",
     STR_INIT("\0branch:main device:\"Pixel 8\" after:2026-11-01 before:2026-12-01T00:00:00Z Slow")},
    {"spaces", "labels", STR_INIT("\1branch=main\r\n device = Pixel 8 \n\nrun=\n")},
    {"spaces", "entry",
     STR_INIT(
         "\2{\"id\":\"abcdefghijklmnopqrstuvwxyz\",\"name\":\"x\",\"label\":{\"branch\":\"main\"},\"known\":{\"a\":1},"
         "\"headline\":\"Slow\"}")},
    {"spaces", "key",
     STR_INIT("\3spaces/checkout/692/001795690105-abcdefghijklmnopqrstuvwxyz.001795690200-abcdef")},
    {"doors", "bearer", STR_INIT("\0Bearer aflamed_2nx554zk73fs3hikl3bv6ofymm")},
    {"doors", "basic", STR_INIT("\0Basic YW5uOmFiY2Q=")},
    {"doors", "cookies", STR_INIT("\0a=1; s=two; xs=3; s=")},
    {"doors", "session", STR_INIT("\0010123456789abcdef.1798240209." DIGEST)},
    {"doors", "tokens",
     STR_INIT("\2# team\r\n\nann upload,read " DIGEST " 2026-11-25T10:00:00Z\r\n bob  admin " DIGEST " x\n")},
    {"doors", "shares",
     STR_INIT("\3name:ann 60 -864000 1000000000\naddress:192.0.2.1 3540 5 1700000000\n\nx 1\n")},
    {"config", "every-kind",
     STR_INIT("{\n\"listen\": \"[::1]:80\",\n\"open\": true,\n\"workers\": 2,\n\"queue_bytes\": \"4M\"\n}")},
    {"config", "number-for-size", STR_INIT("{\"queue_bytes\": 4194304, \"external_url\": \"https://a/b\"}")},
    {"config", "unknown", STR_INIT("{\"workers\": 1,\n\n\"x\\u0000\\ud83d\\ude00\": [1, {\"a\": null}]}")},
    {"config", "twice", STR_INIT("{\"workers\": 1, \"workers\": -2}")},
    {"config", "array", STR_INIT("[]")},
    {"record", "found",
     STR_INIT(RECORD("\"created\":\"2023-01-01T00:00:00Z\",\"expires\":\"2033-01-01T00:00:00Z\""))},
    {"record", "expired",
     STR_INIT(RECORD("\"created\":\"2020-01-01T00:00:00Z\",\"expires\":\"2021-02-03T04:05:06Z\""))},
    {"record", "broken", STR_INIT(RECORD("\"created\":\"2020-13-01T00:00:00Z\",\"expires\":1"))},
    {"clean", "plain", STR_INIT("a.B$<init> \"x\" & 'y' \\ = ]]> </script>")},
    {"clean", "controls",
     STR_INIT("\0\t\n\r\x1b[31m\x7f\xc2\x85\xe2\x80\xae\xe2\x80\xa8\xef\xbb\xbf\xef\xbf\xbe")},
    {"clean", "ill-formed",
     STR_INIT("\xc0\x80\xed\xa0\x80\xed\xb0\x80\xf4\x90\x80\x80\xf0\x9f\x98\xff\xe2\x82")},
    {"clean", "astral", STR_INIT("\xf0\x9f\x98\x80 \xf0\x9f\xbf\xbf W\xc3\xb6rter \xe4\xb8\xad")},
    {"detect", "perfetto", STR_INIT("\x0a\x04\x08\x01\x10\x02\x0a\x02\x08\x03")},
    {"detect", "two-messages", STR_INIT("\x0a\x04\x08\x01\x10\x02\x12\x04\x0a\x02\x01\x02\x32\0\x32\1a")},
    {"detect", "base64", STR_INIT("KnZlcnNpb24KMwo=\n")},
    {"detect", "logcat", STR_INIT("05-06 07:08:09.123 1 1 I A: a\r\n05-06 07:08:09.124 1 1 I A: b\r\n")},
    {"detect", "mapping", STR_INIT("a.B -> c:\n    int d -> e\n")},
    {"detect", "perf-script", STR_INIT("# c\na b:\n\tff main (x)\n")},
    {"detect", "zeros", STR_INIT("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0")},
    {"detect", "low-overhead", STR_INIT("\2\1\0\0\0\2\0\0\6\0\0\0\2\x80\1\3\4\5\0\1\0\0\0\4\0main")},
    {"folded", "lines", STR_INIT("# c\r\n;;main 2\n  main;a;b\t 5\nno count\na;b 18446744073709551615\nz;5")},
    {"folded", "decimals", STR_INIT("a;b 1.5\na;b 0.500001\na;b 3.\na 1.x\na .5\n")},
    {"reader", "folded-two-counts", STR_INIT("a;b 1 2\na;b 3\na;b 3 0.7\n")},
    {"reader", "folded-utf-16",
     STR_INIT("\xff\xfe"
              "a\0;\0b\0 \0"
              "1\0\r\0\n\0")},
};

static void put(const char *folder, const char *target, const char *name, struct str bytes)
{
    char path[512];

    snprintf(path, sizeof(path), "%s/%s", folder, target);
    if (mkdir(path, 0777) != 0 && errno != EEXIST) {
        perror(path);
        exit(1);
    }
    snprintf(path, sizeof(path), "%s/%s/%s", folder, target, name);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes.p, 1, bytes.n, file) != bytes.n || fclose(file) != 0) {
        perror(path);
        exit(1);
    }
}

/* The target adds the beginning itself. */
static void put_regular(const char *folder, const char *name, struct str bytes)
{
    static const struct str BEGINNING = STR_INIT("*version\n");

    put(folder, "reader", name, bytes);
    if (str_starts(bytes, BEGINNING))
        put(folder, "regular", name, (struct str){bytes.p + BEGINNING.n, bytes.n - BEGINNING.n});
}

/* The first byte is the version's number in the target's list. */
static void put_variant(const char *folder, enum variant v, const struct variant_options *options,
                        const char *suffix)
{
    static const struct str VERSIONS[] = {STR_INIT("\xf1\xf2\xf3"), STR_INIT("\4\5\6\xf4\xf5\xf6")};
    enum { BEHIND_VERSION = 6 };
    struct buf bytes = {0}, seed = {0};
    char name[80];

    variant_put(&bytes, v, VARIANT_HEALTHY, VARIANT_HEALTHY_COUNT, options);
    buf_char(&seed, (char)str_find(VERSIONS[variant_is_v2(v)], bytes.p[4]));
    buf_bytes(&seed, bytes.p + BEHIND_VERSION, bytes.n - BEHIND_VERSION);
    snprintf(name, sizeof(name), "%s%s", VARIANT_NAMES[v], suffix);
    put(folder, variant_is_v2(v) ? "v2" : "stream", name, buf_view(&seed));
    buf_free(&bytes);
    buf_free(&seed);
}

static void put_foreign(const char *folder, const struct foreign *f)
{
    const struct foreign_mark *m = &f->marks[0];
    struct buf b = {0};

    for (size_t i = 0; m->where == FOREIGN_AT && i < m->at; i++)
        buf_char(&b, '\1');
    buf_z(&b, m->where == FOREIGN_LINE ? "line\n" : "");
    buf_str(&b, m->bytes);
    buf_str(&b, m->with);
    if (m->where != FOREIGN_NOWHERE)
        put(folder, "detect", f->code, buf_view(&b));
    buf_free(&b);
}

/* Logs of calls, of as many tracks and frames as the target's profile has. */
static void put_log(const char *folder, const char *name, uint64_t random, size_t n)
{
    static const uint32_t IDS[] = {1, 2, 3};
    struct event events[WILD_EVENTS_MAX];
    struct replayed log;
    struct arena arena;

    arena_init(&arena, 64 << 20);
    wild_events(&random, events, n, 3, SPAN_MODEL_FRAMES);
    span_model_fold(&arena, &log, IDS, 3, events, n);
    char *bytes = arena_alloc(&arena, (size_t)log.memory.bytes);
    if (bytes == NULL || !log.log.source.read_at(log.log.source.context, 0, bytes, (size_t)log.memory.bytes))
        abort();
    put(folder, "call_log", name, (struct str){bytes, (size_t)log.memory.bytes});
    replayed_close(&log);
    arena_free(&arena);
}

/* The first byte chooses the beginning in the target's list. */
static void put_hprof(const char *folder)
{
    enum { BINARY_HEAD = 31 };
    struct buf text = {0}, binary = {0}, wide = {0}, seed = {0};

    hprof_put_text(&text);
    hprof_put_binary(&binary, &(struct hprof_options){0});
    hprof_put_binary(&wide, &(struct hprof_options){.id_bytes = 8});
    buf_char(&seed, '\0');
    buf_bytes(&seed, binary.p + BINARY_HEAD, binary.n - BINARY_HEAD);
    put(folder, "hprof", "binary", buf_view(&seed));
    buf_clear(&seed);
    buf_char(&seed, '\1');
    buf_bytes(&seed, wide.p + BINARY_HEAD, wide.n - BINARY_HEAD);
    put(folder, "hprof", "wide", buf_view(&seed));
    buf_clear(&seed);
    buf_char(&seed, '\2');
    buf_str(&seed, buf_view(&text));
    put(folder, "hprof", "text", buf_view(&seed));
    buf_free(&text);
    buf_free(&binary);
    buf_free(&wide);
    buf_free(&seed);
}

static void put_perfetto(const char *folder)
{
    static const struct perfetto_options OPTIONS[] = {{.samples = true, .names = true},
                                                      {.legacy = true},
                                                      {.cleared = true, .art = true},
                                                      {.packing = PERFETTO_DEFLATE},
                                                      {.packing = PERFETTO_ZSTD}};
    static const char *const NAMES[] = {"samples", "legacy", "cleared", "deflate", "zstd"};
    struct buf b = {0};

    for (size_t i = 0; i < sizeof(OPTIONS) / sizeof(*OPTIONS); i++) {
        buf_clear(&b);
        perfetto_put(&b, &OPTIONS[i]);
        put(folder, "perfetto", NAMES[i], buf_view(&b));
    }
    buf_clear(&b);
    systrace_put(&b, 0);
    put(folder, "perfetto", "system", buf_view(&b));
    systrace_put_counters(&b);
    systrace_put_frames(&b);
    systrace_put_do_frames(&b);
    put(folder, "perfetto", "counters", buf_view(&b));
    buf_clear(&b);
    systrace_put_binder(&b);
    put(folder, "perfetto", "binder", buf_view(&b));
    buf_clear(&b);
    systrace_put_track_events(&b, 0, false);
    put(folder, "perfetto", "track-events", buf_view(&b));
    buf_free(&b);
}

static void put_pprof(const char *folder)
{
    static const struct pprof_options OPTIONS[] = {
        {0}, {.packed = true, .labels = true}, {.strings_first = true}};
    static const char *const NAMES[] = {"plain", "packed", "strings-first"};
    struct buf b = {0};

    for (size_t i = 0; i < sizeof(OPTIONS) / sizeof(*OPTIONS); i++) {
        buf_clear(&b);
        pprof_put(&b, &OPTIONS[i]);
        put(folder, "pprof", NAMES[i], buf_view(&b));
    }
    buf_free(&b);
}

/* The target adds the header itself. */
static void put_simpleperf(const char *folder)
{
    static const struct simpleperf_options OPTIONS[] = {
        {0}, {.meta_last = true}, {.no_off_cpu = true, .no_end = true}};
    static const char *const NAMES[] = {"plain", "meta-last", "no-end"};
    enum { HEADER = 12 };
    struct buf b = {0};

    for (size_t i = 0; i < sizeof(OPTIONS) / sizeof(*OPTIONS); i++) {
        buf_clear(&b);
        simpleperf_put(&b, &OPTIONS[i]);
        put(folder, "simpleperf", NAMES[i], (struct str){b.p + HEADER, b.n - HEADER});
    }
    buf_free(&b);
}

/* The first byte is the length of the pieces. */
static void put_packed(const char *folder)
{
    const struct packing_member streamed = {.name = "a", .bytes = STR("a;b 1\n"), .method = 8, .flags = 8};
    const struct packing_member stored = {.name = "b", .bytes = STR("c;d 2\n"), .zip64 = true};
    struct buf gzip = {0}, zstd = {0}, zip = {0};

    buf_char(&gzip, 7);
    packing_gzip(&gzip, STR("main;a;b 2\n"));
    packing_gzip(&gzip, STR("main;a;b 3\n"));
    put(folder, "unpack", "gzip", buf_view(&gzip));
    buf_char(&zstd, 2);
    packing_zstd(&zstd, STR("main;a;b 2\nmain;a;b 3\n"));
    packing_zstd_skipped(&zstd, 3);
    packing_zstd_runs(&zstd, 17, 2);
    put(folder, "unpack", "zstd", buf_view(&zstd));
    buf_char(&zip, 11);
    packing_zip_member(&zip, &streamed);
    size_t n = zip.n;
    packing_zip_end(&zip);
    put(folder, "unpack", "zip", buf_view(&zip));
    zip.n = n;
    packing_zip_member(&zip, &stored);
    packing_zip_end(&zip);
    put(folder, "unpack", "zip-of-two", buf_view(&zip));
    buf_free(&gzip);
    buf_free(&zstd);
    buf_free(&zip);
}

/* Archives within an archive: of one recording, of two, of parts of one, of a deeper one. */
static void put_inner(const char *folder)
{
    static const char *const NAMES[] = {"inner-zip", "inner-tar", "inner-tar-gzip"};
    struct buf one = {0}, two = {0}, parts = {0}, deep = {0}, trace = {0};
    const struct packing_member stacks[] = {{.name = "d/a", .bytes = STR("a;b 1\n"), .method = 8, .flags = 8},
                                            {.name = "d/a", .bytes = STR("a;c 1\n")}};

    systrace_put_track_events(&trace, 0, false);
    const struct packing_member traces[] = {
        {.name = "Trace.pb", .bytes = buf_view(&trace), .method = 8, .flags = 8},
        {.name = "InMemoryTrace.pb", .bytes = buf_view(&trace), .method = 8, .flags = 8}};
    packing_zip_archive(&one, stacks, 1);
    packing_tar(&two, stacks, 2);
    packing_zip_archive(&parts, traces, 2);
    packing_zip(&deep, "one.zip", buf_view(&one));
    const struct packing_member members[] = {{.name = "parts", .bytes = buf_view(&parts)},
                                             {.name = "one.zip", .bytes = buf_view(&one), .method = 8},
                                             {.name = "two.tar", .bytes = buf_view(&two), .method = 8},
                                             {.name = "deep.zip", .bytes = buf_view(&deep)}};
    for (size_t i = 0; i < sizeof(members) / sizeof(*members) * 3; i++) {
        struct buf archive = {0}, seed = {0};
        char name[80];
        if (i % 3 == 0)
            packing_zip_archive(&archive, &members[i / 3], 1);
        else
            packing_tar(&archive, &members[i / 3], 1);
        buf_char(&seed, 100);
        if (i % 3 == 2)
            packing_gzip(&seed, buf_view(&archive));
        else
            buf_str(&seed, buf_view(&archive));
        snprintf(name, sizeof(name), "%s-%s", NAMES[i % 3], members[i / 3].name);
        put(folder, "unpack", name, buf_view(&seed));
        buf_free(&archive);
        buf_free(&seed);
    }
    buf_free(&one);
    buf_free(&two);
    buf_free(&parts);
    buf_free(&deep);
    buf_free(&trace);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: seeds FOLDER\n");
        return 2;
    }
    for (size_t i = 0; i < sizeof(SEEDS) / sizeof(*SEEDS); i++)
        put(argv[1], SEEDS[i].target, SEEDS[i].name, SEEDS[i].bytes);
    for (size_t i = 0; i < TRACE_INPUTS_COUNT; i++) {
        struct buf bytes = {0};
        TRACE_INPUTS[i].put(&bytes);
        put_regular(argv[1], TRACE_INPUTS[i].name, buf_view(&bytes));
        buf_free(&bytes);
    }
    for (enum variant v = 0; v < VARIANTS; v++) {
        put_variant(argv[1], v, &(struct variant_options){.events_per_block = 3}, "");
        put_variant(argv[1], v, &(struct variant_options){.no_summary = true}, "-no-summary");
    }
    for (size_t i = 0; i < FOREIGN_COUNT; i++)
        put_foreign(argv[1], &FOREIGN[i]);
    put_hprof(argv[1]);
    put_log(argv[1], "short", 3, 12);
    put_log(argv[1], "long", 4, WILD_EVENTS_MAX);
    put_log(argv[1], "turns", 5, 100);
    put_log(argv[1], "roots", 8, 60);
    put_perfetto(argv[1]);
    put_pprof(argv[1]);
    put_simpleperf(argv[1]);
    put_packed(argv[1]);
    put_inner(argv[1]);
    return 0;
}
