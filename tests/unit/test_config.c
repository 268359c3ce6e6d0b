/* The configuration: its sources and their order, and what is said about each mistake. */
#include "tests/support/unit.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/buf.h"
#include "core/system/folder.h"
#include "server/config/config_load.h"
#include "server/config/network.h"
#include "tests/support/scratch.h"

/* ---- loading ---- */

enum { MOST = 8 };

struct sources {
    char *flags[MOST], *variables[MOST]; /* up to the first NULL */
    const char *file;                    /* text; NULL: none */
};

struct loaded {
    bool ok;
    struct config config;
    enum config_action action;
    struct diag diag;
};

static struct loaded load(struct sources from)
{
    struct loaded to = {.ok = false};
    struct scratch scratch = scratch_make();
    char option[600] = "--config=";
    char *arguments[MOST + 2];
    int n = 0;

    if (from.file != NULL) {
        scratch_write(&scratch, "c.json", from.file, strlen(from.file));
        scratch_path(&scratch, "c.json", option + strlen(option), sizeof(option) - strlen(option));
        arguments[n++] = option;
    }
    for (size_t i = 0; i < MOST && from.flags[i] != NULL; i++)
        arguments[n++] = from.flags[i];
    char *variables[MOST + 1] = {NULL};
    memcpy(variables, from.variables, sizeof(from.variables));
    to.ok = config_load(&to.config, n, arguments, variables, &to.action, &to.diag);
    assert_int_equal(to.diag.kind, to.ok ? DIAG_NONE : DIAG_USAGE);
    scratch_remove(&scratch);
    return to;
}

#define LOAD(...) load((struct sources){__VA_ARGS__})

static struct config loaded(struct sources from)
{
    struct loaded l = load(from);

    if (!l.ok)
        fail_msg("%s", l.diag.detail);
    return l.config;
}

static void assert_refused(struct sources from, const char *const *words)
{
    struct loaded l = load(from);

    if (l.ok)
        fail_msg("accepted, without \"%s\"", words[0]);
    for (; *words != NULL; words++)
        if (strstr(l.diag.detail, *words) == NULL)
            fail_msg("\"%s\" lacks \"%s\"", l.diag.detail, *words);
    assert_true(l.diag.hint[0] != '\0');
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* ---- tests ---- */

TEST(defaults)
{
    struct loaded l = LOAD(.variables = {"HOME=/home/x", "PATH=/bin"});

    assert_true(l.ok);
    assert_int_equal(l.action, CONFIG_RUN);
    assert_string_equal(l.config.listen, "127.0.0.1:8192");
    assert_string_equal(l.config.external_url, "");
    assert_string_equal(l.config.log_level, "info");
    assert_string_equal(l.config.log_format, "text");
    assert_false(l.config.open);
    assert_int_equal(l.config.workers, 0);
    assert_int_equal(l.config.open_jobs, 0);
    assert_int_equal(l.config.job_memory_bytes, 512 << 20);
    assert_int_equal(l.config.view_memory_bytes, 128 << 20);
    assert_int_equal(l.config.queue_bytes, 4 << 20);
    assert_int_equal(l.config.max_upload_bytes, UINT64_C(2) << 30);
    assert_int_equal(l.config.max_connections, 1000);
    assert_int_equal(l.config.idle_timeout_s, 60);
    assert_int_equal(l.config.request_timeout_s, 900);
    assert_int_equal(l.config.expires_days, 30);
    assert_int_equal(l.config.max_expires_days, 365);
    assert_int_equal(l.config.render_tracks, 64);
    assert_int_equal(l.config.profile_cache_bytes, 128 << 20);
    assert_int_equal(l.config.views_in_memory_bytes, 64 << 20);
    assert_int_equal(l.config.answer_memory_bytes, 256 << 20);
    assert_int_equal(l.config.views_on_disk_bytes, UINT64_C(2) << 30);
    assert_int_equal(l.config.store_bytes, 0);
    assert_int_equal(l.config.sweep_interval_s, 3600);
    assert_int_equal(l.config.delete_within_s, 60);
    assert_string_equal(l.config.filter_presets, "");
    assert_int_equal(l.config.max_methods, 4000000);
    assert_int_equal(l.config.max_threads, 200000);
    assert_int_equal(l.config.max_line_bytes, 1048576);
    assert_int_equal(l.config.max_name_bytes, 4096);
}

TEST(place_of_the_store)
{
    static char too_long[5000];

    memset(too_long, 'x', sizeof(too_long) - 1);
    memcpy(too_long, "HOME=/", 6);
    assert_string_equal(loaded((struct sources){.variables = {"HOME=/h"}}).store, "/h/.local/share/aflamed");
    assert_string_equal(loaded((struct sources){.variables = {"HOME=/h", "XDG_DATA_HOME=/d"}}).store,
                        "/d/aflamed");
    assert_string_equal(loaded((struct sources){.variables = {"HOME=/h", "XDG_DATA_HOME=d"}}).store,
                        "/h/.local/share/aflamed");
    assert_string_equal(loaded((struct sources){.variables = {"HOMER=/h"}}).store, "/var/lib/aflamed");
    assert_string_equal(loaded((struct sources){.variables = {too_long}}).store, "/var/lib/aflamed");
    assert_string_equal(loaded((struct sources){.file = "{\"store\":\"\"}", .variables = {"HOME=/h"}}).store,
                        "/h/.local/share/aflamed");
    assert_string_equal(loaded((struct sources){.flags = {"--store", "rel/dir"}}).store, "rel/dir");
}

TEST(later_sources_win)
{
    static const char FILE_TEXT[] =
        "{\"workers\": 2, \"queue_bytes\": \"8K\", \"open\": true, \"expires_days\": 3}";
    struct config c = loaded((struct sources){
        .file = FILE_TEXT,
        .variables = {"AFLAMED_WORKERS=3", "AFLAMED_QUEUE_BYTES=9000"},
        .flags = {"--workers=4", "--open=false"},
    });

    assert_int_equal(c.workers, 4);
    assert_int_equal(c.queue_bytes, 9000);
    assert_false(c.open);
    assert_int_equal(c.expires_days, 3);
    assert_int_equal(c.render_tracks, 64);
}

/* Keys that were renamed are read for one release, and it is known that they were used. */
TEST(old_names_are_read)
{
    struct config none = loaded((struct sources){.file = "{\"views_in_memory_bytes\": \"1M\"}"});
    struct config c = loaded((struct sources){
        .file = "{\"hot_bytes\": \"1M\", \"view_cache_bytes\": \"2M\"}",
        .variables = {"AFLAMED_HOT_BYTES=3M"},
    });
    struct config flag = loaded((struct sources){.flags = {"--view-cache-bytes=5M"}});

    assert_int_equal(none.views_in_memory_bytes, 1 << 20);
    assert_int_equal(none.old_names, 0);
    assert_int_equal(c.views_in_memory_bytes, 3 << 20);
    assert_int_equal(c.views_on_disk_bytes, 2 << 20);
    assert_int_equal(c.old_names, 3);
    assert_int_equal(flag.views_on_disk_bytes, 5 << 20);
    assert_int_equal(flag.old_names, 2);
}

TEST(forms_of_flags)
{
    struct config c =
        loaded((struct sources){.flags = {"--max-upload-bytes", "3M", "--open", "--log-level", "debug"}});

    assert_int_equal(c.max_upload_bytes, 3 << 20);
    assert_true(c.open);
    assert_string_equal(c.log_level, "debug");
    assert_true(loaded((struct sources){.flags = {"--open", "true"}}).open);
    assert_false(loaded((struct sources){.flags = {"--open", "false"}}).open);
    assert_string_equal(loaded((struct sources){.flags = {"--store", "--config"}}).store, "--config");
    assert_string_equal(loaded((struct sources){.flags = {"--external_url=http://h/a=b"}}).external_url,
                        "http://h/a=b");
    assert_int_equal(LOAD(.flags = {"--print-config"}).action, CONFIG_PRINT);
    assert_int_equal(LOAD(.flags = {"--check-config", "--workers=1"}).action, CONFIG_CHECK);
}

TEST(bad_flags)
{
    static char long_flag[200];

    memset(long_flag, '-', sizeof(long_flag) - 1);
    assert_refused((struct sources){.flags = {"--worker=1"}}, WORDS("There is no flag '--worker'"));
    assert_refused((struct sources){.flags = {long_flag}}, WORDS("There is no flag"));
    assert_refused((struct sources){.flags = {"--"}}, WORDS("There is no flag '--'"));
    assert_refused((struct sources){.flags = {"-x"}}, WORDS("'-x' is not expected"));
    assert_refused((struct sources){.flags = {""}}, WORDS("'' is not expected"));
    assert_refused((struct sources){.flags = {"serve"}}, WORDS("'serve' is not expected"));
    assert_refused((struct sources){.flags = {"--open", "no"}}, WORDS("'no' is not expected"));
    assert_refused((struct sources){.flags = {"--open", "--workers"}}, WORDS("--workers needs a value"));
    assert_refused((struct sources){.flags = {"--config"}}, WORDS("--config needs a value"));
    assert_refused((struct sources){.flags = {"--hosts=https://a.example"}}, WORDS("--hosts", "names"));
    assert_refused((struct sources){.flags = {"--hosts=a.example,*.example"}}, WORDS("--hosts", "names"));
    assert_string_equal(
        loaded((struct sources){.flags = {"--hosts=a.example, B-c.example:80,[::1]:8192"}}).hosts,
        "a.example, B-c.example:80,[::1]:8192");
    assert_refused((struct sources){.flags = {"--print-config=1"}}, WORDS("--print-config takes no value"));
    assert_refused((struct sources){.flags = {"--max-upload-bytes=12k"}},
                   WORDS("the flag --max-upload-bytes", "max_upload_bytes", "'12k'", "K, M or G"));
    assert_refused((struct sources){.flags = {"--workers", "\x1b[0m\n"}},
                   WORDS("the flag --workers", "'\xe2\x90\x9b[0m\xe2\x90\x8a'", "from 0 to 1024"));
}

TEST(bad_variables)
{
    assert_refused((struct sources){.variables = {"AFLAMED_WORKER=1"}},
                   WORDS("the variable AFLAMED_WORKER", "no key 'WORKER'"));
    assert_refused((struct sources){.variables = {"AFLAMED_workers=1"}}, WORDS("no key 'workers'"));
    assert_refused((struct sources){.variables = {"AFLAMED_=1"}}, WORDS("no key ''"));
    assert_refused((struct sources){.variables = {"AFLAMED_WORKERS="}},
                   WORDS("the variable AFLAMED_WORKERS", "workers cannot be ''", "from 0 to 1024"));
    assert_refused((struct sources){.variables = {"AFLAMED_CONFIG=/nowhere/x.json"}},
                   WORDS("/nowhere/x.json", "No such file"));
    struct config c = loaded((struct sources){
        .variables = {"AFLAMED_SAMPLES=/x", "AFLAMED_TEST_X=1", "AFLAMEDX=1", "AFLAMED_NOTHING"}});
    assert_int_equal(c.workers, 0);
}

TEST(files_are_named_by_the_environment_too)
{
    struct scratch scratch = scratch_make();
    char variable[600] = "AFLAMED_CONFIG=";
    char option[600] = "--config=";
    size_t n = strlen(variable), k = strlen(option);

    scratch_write(&scratch, "a.json", "{\"workers\":5}", 13);
    scratch_write(&scratch, "b.json", "{\"open_jobs\":6}", 15);
    scratch_path(&scratch, "a.json", variable + n, sizeof(variable) - n);
    scratch_path(&scratch, "b.json", option + k, sizeof(option) - k);
    assert_int_equal(loaded((struct sources){.variables = {variable}}).workers, 5);
    struct config c = loaded((struct sources){.variables = {variable}, .flags = {option}});
    assert_int_equal(c.workers, 0);
    assert_int_equal(c.open_jobs, 6);
    scratch_remove(&scratch);
}

TEST(bad_files_name_line_and_key)
{
    static const struct {
        const char *file;
        const char *words[4];
    } CASES[] = {
        {"", {"c.json, line 1"}},
        {"[]", {"not a JSON object"}},
        {"{\n\"workers\": 1,\n}", {"c.json, line 3"}},
        {"{\"workers\": 1,\n\"workers\": 2}", {"c.json, line 2", "duplicate"}},
        {"{\n\n\"worker\": 1}", {"c.json, line 3", "no key 'worker'"}},
        {"{\"open\": false,\n\"workers\": \"1\"}",
         {"c.json, line 2", "workers cannot be '\"1\"'", "from 0 to 1024"}},
        {"{\"listen\": \"workers\\\"\", \n \"workers\"\n: 1025}", {"c.json, line 1", "listen", "HOST:PORT"}},
        {"{\"external_url\": \"\",\n\"store\":\"workers\",\n \"workers\"\n: 1025}", {"line 3", "'1025'"}},
        {"{\"workers\": -1}", {"c.json, line 1", "'-1'"}},
        {"{\"workers\": 1.5}", {"'1.5'"}},
        {"{\"workers\": 1e3}", {"'1000.0'"}},
        {"{\"workers\": 99999999999999999999}", {"line 1"}},
        {"{\"workers\": null}", {"'null'"}},
        {"{\"open\": 1}", {"open cannot be '1'", "true or false"}},
        {"{\"open\": \"true\"}", {"true or false"}},
        {"{\"store\": {\"workers\": [1]}}", {"store cannot be '{\"workers\":[1]}'"}},
        {"{\"store\": \"a\\u0007b\"}", {"store cannot be"}},
        {"{\"store\": \"a\\u0000b\"}", {"line 1"}},
        {"{\"queue_bytes\": \"4m\"}", {"queue_bytes", "'4m'", "from 4K to 1G"}},
        {"{\"queue_bytes\": 1}", {"'1'"}},
        {"{\"job_memory_bytes\": \"18014398509482048K\"}", {"'18014398509482048K'"}},
        {"{\"job_memory_bytes\": \"K\"}", {"'K'"}},
        {"{\"filter_presets\": \"a:preset=hide-idle\"}", {"filter_presets"}},
        {"{\"filter_presets\": \"a:hide=/(/\"}", {"filter_presets"}},
        {"{\"\\u0077orker\": 1}", {"c.json: there is no key 'worker'"}},
        {"{\"log_level\": \"verbose\"}", {"error, warn, info or debug"}},
        {"{\"log_format\": \"xml\"}", {"text or json"}},
        {"{\"external_url\": \"ftp://x\"}", {"http://HOST"}},
        {"{\"external_url\": \"http://\"}", {"http://HOST"}},
        {"{\"external_url\": \"http://x/\"}", {"no slash at the end"}},
        {"{\"external_url\": \"http://x\\\"y\"}", {"http://HOST"}},
        {"{\"expires_days\": 400}", {"expires_days (400)", "max_expires_days (365)"}},
        {"{\"keep_labels\": \"a=b 366d\"}", {"keep_labels", "max_expires_days (365)"}},
        {"{\"keep_labels\": \"a=b\"}", {"keep_labels", "KEY=VALUE TIME"}},
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++)
        assert_refused((struct sources){.file = CASES[i].file}, CASES[i].words);
}

TEST(large_and_odd_files)
{
    struct scratch scratch = scratch_make();
    static char text[(1 << 20) + 1];
    char path[512];
    struct config c;
    enum config_action action;
    char *none[] = {NULL};

    memset(text, ' ', sizeof(text));
    memcpy(text, "{}", 2);
    for (size_t over = 0; over < 2; over++) {
        struct diag diag = {0};
        scratch_write(&scratch, "c.json", text, sizeof(text) - 1 + over);
        scratch_path(&scratch, "c.json", path, sizeof(path));
        char *arguments[] = {"--config", path};
        assert_int_equal(config_load(&c, 2, arguments, none, &action, &diag), over == 0);
    }
    struct diag diag = {0};
    char *arguments[] = {"--config", scratch.path};
    assert_false(config_load(&c, 2, arguments, none, &action, &diag));
    assert_non_null(strstr(diag.detail, "Is a directory"));
    memset(text, '[', 100000); /* nested beyond what the reader takes */
    text[100000] = '\0';
    assert_refused((struct sources){.file = text}, WORDS("line 1"));
    scratch_remove(&scratch);
}

TEST(text_has_room_for_its_longest)
{
    static char flag[5000] = "--store=";

    memset(flag + 8, 'x', 4095);
    assert_int_equal(strlen(loaded((struct sources){.flags = {flag}}).store), 4095);
    flag[8 + 4095] = 'x';
    assert_refused((struct sources){.flags = {flag}}, WORDS("store cannot be"));
}

TEST(addresses)
{
    static const struct {
        const char *text;
        enum address_kind kind;
        bool loopback;
    } GOOD[] = {
        {"127.0.0.1:8192", ADDRESS_IPV4, true},
        {"127.8.9.10:0", ADDRESS_IPV4, true},
        {"0.0.0.0:80", ADDRESS_IPV4, false},
        {"128.0.0.1:65535", ADDRESS_IPV4, false},
        {"[::1]:8192", ADDRESS_IPV6, true},
        {"[::]:8192", ADDRESS_IPV6, false},
        {"[::ffff:127.0.0.1]:1", ADDRESS_IPV6, true},
        {"[::ffff:10.0.0.1]:1", ADDRESS_IPV6, false},
        {"localhost:1", ADDRESS_NAME, true},
        {"LocalHost:1", ADDRESS_NAME, true},
        {"localhost.example.org:1", ADDRESS_NAME, false},
        {"127.example:1", ADDRESS_NAME, false},
        {":8192", ADDRESS_ANY, false},
        {"unix:/run/aflamed.sock", ADDRESS_UNIX, true},
    };
    static const char *const BAD[] = {"",
                                      ":",
                                      "127.0.0.1",
                                      "127.0.0.1:",
                                      "127.0.0.1:65536",
                                      "127.0.0.1:-1",
                                      "127.0.0.1:+1",
                                      "127.0.0.1: 1",
                                      "127.0.0.1:080000",
                                      "127.0.1:80",
                                      "127.0.0.256:80",
                                      "::1:80",
                                      "[::1]",
                                      "[::1]80",
                                      "[::1:80",
                                      "[]:80",
                                      "[:80",
                                      "[127.0.0.1]:80",
                                      "[::g]:80",
                                      "a b:80",
                                      "http://h:80",
                                      "unix:",
                                      "unix:/",
                                      "unix:relative",
                                      "a/b:80"};
    struct address a;
    struct config c;
    char long_path[200] = "unix:/";

    config_defaults(&c);
    assert_true(config_listen_is_loopback(&c));
    for (size_t i = 0; i < sizeof(GOOD) / sizeof(GOOD[0]); i++) {
        assert_true(address_parse(str_of(GOOD[i].text), &a));
        assert_int_equal(a.kind, GOOD[i].kind);
        snprintf(c.listen, sizeof(c.listen), "%s", GOOD[i].text);
        assert_int_equal(config_listen_is_loopback(&c), GOOD[i].loopback);
    }
    for (size_t i = 0; i < sizeof(BAD) / sizeof(BAD[0]); i++)
        if (address_parse(str_of(BAD[i]), &a))
            fail_msg("accepted: %s", BAD[i]);
    assert_false(address_parse(STR("unix:/a\0b"), &a));
    memset(long_path + 6, 'x', 106);
    assert_true(address_parse(str_of(long_path), &a));
    assert_int_equal(strlen(a.path), 107);
    long_path[112] = 'x';
    assert_false(address_parse(str_of(long_path), &a));
    assert_true(address_parse(STR("[::1]:8192"), &a));
    assert_string_equal(a.host, "::1");
    assert_int_equal(a.port, 8192);
}

/* What is written to a descriptor. */
static struct buf captured(const struct config *c)
{
    struct buf text = {0};
    FILE *f = tmpfile();

    assert_non_null(f);
    assert_true(config_print(c, fileno(f)));
    rewind(f);
    assert_true(file_read_all(fileno(f), 1 << 20, &text));
    fclose(f);
    buf_char(&text, '\0');
    return text;
}

static void assert_same(const struct config *a, const struct config *b)
{
    struct buf text_a = captured(a), text_b = captured(b);

    assert_string_equal(text_a.p, text_b.p);
    buf_free(&text_a);
    buf_free(&text_b);
}

TEST(what_is_printed_loads_again)
{
    struct config c = loaded((struct sources){
        .flags = {"--store=/a \"b\"\\<\xc3\xa9", "--open", "--max-upload-bytes=1537", "--queue-bytes=5M"}});
    struct buf text = captured(&c);
    struct config again = loaded((struct sources){.file = text.p});

    assert_same(&again, &c);
    assert_non_null(strstr(text.p, "\"queue_bytes\": \"5M\""));
    assert_non_null(strstr(text.p, "\"max_upload_bytes\": 1537"));
    assert_non_null(strstr(text.p, "\"open\": true"));
    assert_string_equal(again.store, "/a \"b\"\\<\xc3\xa9");
    buf_free(&text);
}

/* config/aflamed.json is what is printed when nothing is set, but for the place of the store. */
TEST(the_file_that_is_delivered_holds_the_defaults)
{
    struct config c = loaded((struct sources){.variables = {"HOME=/h"}});
    struct buf delivered = {0};
    int fd = open("config/aflamed.json", O_RDONLY | O_CLOEXEC);

    assert_true(fd >= 0);
    assert_true(file_read_all(fd, 1 << 20, &delivered));
    close(fd);
    struct config from_file =
        loaded((struct sources){.variables = {"HOME=/h"}, .flags = {"--config=config/aflamed.json"}});
    assert_same(&from_file, &c);
    c.store[0] = '\0';
    struct buf printed = captured(&c);
    assert_int_equal(printed.n - 1, delivered.n);
    assert_memory_equal(printed.p, delivered.p, delivered.n);
    buf_free(&printed);
    buf_free(&delivered);
}

TEST(printing_to_nowhere_fails)
{
    struct config c;

    config_defaults(&c);
    assert_true(c.store[0] != '\0');
    assert_false(config_print(&c, -1));
}
