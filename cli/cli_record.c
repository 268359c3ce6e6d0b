/* aflamed record: a method trace of an app on a device, by adb, into a file or to a service.
 *
 * adb is run with a vector of arguments, never by a shell of this machine. `adb shell` joins what stands behind it for the
 * device's shell, so whatever comes from outside is made of characters that no shell reads. What the device answers is
 * found in Android's ActivityManagerShellCommand, ActivityManagerService and AppProfiler. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/cli_output.h"
#include "cli/command.h"
#include "core/clean.h"
#include "core/diag.h"
#include "core/system/clock.h"
#include "core/system/folder.h"
#include "core/system/random_bytes.h"
#include "server/s3/curl_library.h"

/* ---- sending ---- */

enum { ANSWER_BYTES = 4 << 20, LINE_BYTES = 300 /* of what others say, shown */ };

struct sending {
    int fd;
    off_t at;          /* what was sent so far */
    struct buf answer; /* its beginning */
    bool fails;        /* a check that was asked for */
};

static size_t on_read(char *to, size_t size, size_t n, void *sending)
{
    struct sending *s = sending;
    ssize_t got = TEMP_FAILURE_RETRY(pread(s->fd, to, size * n, s->at));

    s->at += got > 0 ? got : 0;
    return got < 0 ? CURL_READFUNC_ABORT : (size_t)got;
}

/* Asked where the connection broke, and the file is sent again on another one. */
static int on_seek(void *sending, curl_off_t offset, int origin)
{
    struct sending *s = sending;

    s->at = offset;
    return origin == SEEK_SET ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL;
}

static size_t on_bytes(char *p, size_t size, size_t n, void *sending)
{
    struct sending *s = sending;

    buf_bytes(&s->answer, p, size * n);
    return s->answer.failed ? 0 : size * n;
}

static size_t on_header(char *p, size_t size, size_t n, void *sending)
{
    struct sending *s = sending;
    struct str line = str_without_line_end((struct str){p, size * n});

    s->fails = s->fails || str_eq_nocase(line, STR("X-Check: FAIL"));
    return size * n;
}

/* With the name behind it, unless it has one. */
static bool put_url(struct buf *b, const char *url, const char *name)
{
    struct str of = str_of(url);
    bool has_name = str_find_str(of, STR("?name=")) < of.n || str_find_str(of, STR("&name=")) < of.n;

    buf_z(b, url);
    if (!has_name) {
        buf_z(b, str_find(of, '?') < of.n ? "&name=" : "?name=");
        buf_percent(b, str_of(name));
    }
    buf_char(b, '\0');
    return !b->failed;
}

static struct curl_slist *list_headers(const struct curl_library *curl, struct diag *diag)
{
    const char *token = getenv("AFLAMED_TOKEN");
    struct curl_slist *list = curl->slist_append(NULL, "Content-Type: application/octet-stream"),
                      *longer = list;
    struct buf line = {0};

    if (list != NULL && token != NULL && token[0] != '\0') {
        buf_printf(&line, "Authorization: Bearer %s", token);
        buf_char(&line, '\0');
        longer = line.failed ? NULL : curl->slist_append(list, line.p);
        buf_free(&line);
    }
    if (longer == NULL) {
        curl->slist_free_all(list);
        diag_no_memory(diag, "No memory is left for the upload.");
    }
    return longer;
}

/* 0: diag. */
static long send_to(const struct curl_library *curl, CURL *handle, const char *url, struct sending *s,
                    uint64_t bytes, struct diag *diag)
{
    CURLcode (*set)(CURL * handle, CURLoption option, ...) = curl->easy_setopt;
    struct curl_slist *headers = list_headers(curl, diag);
    long status = 0;

    if (headers == NULL)
        return 0;
    set(handle, CURLOPT_URL, url);
    set(handle, CURLOPT_PROTOCOLS_STR, "http,https");
    set(handle, CURLOPT_NOSIGNAL, 1L);
    set(handle, CURLOPT_POST, 1L);
    set(handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)bytes);
    set(handle, CURLOPT_HTTPHEADER, headers);
    set(handle, CURLOPT_READFUNCTION, on_read);
    set(handle, CURLOPT_READDATA, s);
    set(handle, CURLOPT_SEEKFUNCTION, on_seek);
    set(handle, CURLOPT_SEEKDATA, s);
    set(handle, CURLOPT_WRITEFUNCTION, on_bytes);
    set(handle, CURLOPT_WRITEDATA, s);
    set(handle, CURLOPT_HEADERFUNCTION, on_header);
    set(handle, CURLOPT_HEADERDATA, s);
    CURLcode code = curl->easy_perform(handle);
    if (code == CURLE_OK)
        curl->easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    else
        diag_set(diag, DIAG_IO, "not uploaded", "Is that the address of a service?", "%s.",
                 curl->easy_strerror(code));
    curl->slist_free_all(headers);
    return status;
}

/* A problem is told by its first line. */
static int answer(const struct sending *s, long status, struct diag *diag)
{
    struct str rest = buf_view(&s->answer), line = STR("");

    if ((status >= 200 && status <= 299) || s->fails) {
        if (!cli_write("-", buf_view(&s->answer), diag))
            return CLI_UNUSABLE;
        return s->fails ? CLI_PASSED : CLI_OK;
    }
    struct buf said = {0};
    str_split(&rest, '\n', &line);
    clean_text(&said, clean_cut(str_without_line_end(line), LINE_BYTES));
    diag_set(diag, DIAG_IO, "not uploaded",
             status == 401 ? "Say who you are: AFLAMED_TOKEN=TOKEN in the environment."
                           : "Look at the address, and at what stands behind its ?.",
             "The service answers %ld: %.*s", status, (int)said.n, said.n > 0 ? said.p : "");
    buf_free(&said);
    return CLI_UNUSABLE;
}

/* Sends the file, of so many bytes, as an upload of that name to the address, which may have a query, such as
 * ?space=shop&check=branch:main; with the token in AFLAMED_TOKEN, if there is one. What is answered goes to standard output.
 * Returns the exit status: CLI_PASSED for a check that fails; CLI_UNUSABLE with diag. */
static int cli_send(const char *url, const char *name, int fd, uint64_t bytes, struct diag *diag)
{
    const struct curl_library *curl = curl_library(diag);
    struct sending s = {.fd = fd, .answer = {.limit = ANSWER_BYTES}};
    CURL *handle = curl == NULL ? NULL : curl->easy_init();
    struct buf whole = {0};
    int status = CLI_UNUSABLE;

    if (handle == NULL || !put_url(&whole, url, name)) {
        diag_no_memory(diag, "No memory is left for the upload.");
    } else {
        long answered = send_to(curl, handle, whole.p, &s, bytes, diag);
        if (answered != 0)
            status = answer(&s, answered, diag);
    }
    if (handle != NULL)
        curl->easy_cleanup(handle);
    buf_free(&whole);
    buf_free(&s.answer);
    return status;
}

static const char HINT[] = "aflamed record --help lists the options.";

enum {
    ARGUMENTS_MAX = 16,
    SAID_BYTES = 16 << 10, /* of what adb says */
    NAME_BYTES = 200,      /* of a package, a serial and an activity */
    SECONDS = 5,
    SECONDS_MAX = 3600,
    SAMPLING_US = 1000,
    SAMPLING_US_MAX = 1000000,
    LOOK_MS = 500,   /* from one look at the file's size to the next */
    EMPTY_LOOKS = 20 /* at a file that stays empty */
};

struct options {
    const char *package, *serial, *seconds, *sampling, *to, *out; /* NULL: not given */
    bool start, print;
    uint64_t seconds_n, sampling_us;
};

struct recording {
    const struct options *o;
    char file[64];              /* on the device */
    char name[NAME_BYTES + 40]; /* of the file here, where none is given */
    int fd;                     /* what was fetched */
    uint64_t bytes;
    bool no_adb;     /* There is no such program. */
    struct buf said; /* by the last adb */
    struct diag *diag;
};

/* ---- adb ---- */

/* What is wrong, by a part of what was said. The first that fits counts. */
static const struct complaint {
    const char *said, *title, *hint;
} COMPLAINTS[] = {
    {"no devices", "no device", "Connect one and allow USB debugging on it; `adb devices` lists them."},
    {"more than one", "several devices", "Say which one by --serial; `adb devices` lists them."},
    {"unauthorized", "the device does not trust this machine", "Look at its screen, and allow it."},
    {"not debuggable", "the app cannot be recorded",
     "Record a debug build, or one whose manifest has <profileable android:shell=\"true\"/>."},
    {"Unknown process", "the app does not run", "Open it on the device first, or say --start."},
    {"PROFILE FAILED", "the app does not run", "Open it on the device first, or say --start."},
    {"No activity found", "no such app", "Look at its name; `adb shell pm list packages` lists them."},
};

/* The line that says what is wrong, before those that say where. */
static struct str told(const struct buf *said)
{
    struct str rest = buf_view(said), line, best = STR("");

    while (rest.n > 0 && str_split(&rest, '\n', &line)) {
        line = str_trim(str_without_line_end(line));
        if (str_starts(line, STR("* "))) /* adb starts its own service */
            continue;
        if (best.n == 0 || str_find_str(line, STR("Exception: ")) < line.n)
            best = line;
    }
    return clean_cut(best, LINE_BYTES);
}

static bool holds(const struct buf *said, const char *text)
{
    return str_find_str(buf_view(said), str_of(text)) < said->n;
}

static bool complain(struct recording *r, int status)
{
    const struct complaint other = {"", "adb failed", "Run it with the same device by hand."};
    const struct complaint *c = &other;
    struct buf line = {0};

    for (size_t i = sizeof(COMPLAINTS) / sizeof(*COMPLAINTS); i-- > 0;)
        if (holds(&r->said, COMPLAINTS[i].said))
            c = &COMPLAINTS[i];
    clean_text(&line, told(&r->said));
    if (line.n > 0)
        diag_set(r->diag, DIAG_IO, c->title, c->hint, "%.*s", (int)line.n, line.p);
    else
        diag_set(r->diag, DIAG_IO, c->title, c->hint, "It ended with status %d, and said nothing.", status);
    buf_free(&line);
    return false;
}

/* Starts adb with its output, and what it says of itself unless `is_quiet`, going to a descriptor; Ctrl-C is not blocked for it.
 * 0, or an error number. */
static int start_adb(char *const *arguments, int output, bool is_quiet, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;

    sigemptyset(&none);
    if (posix_spawn_file_actions_init(&actions) != 0)
        return ENOMEM;
    int error = posix_spawnattr_init(&attributes);
    if (error == 0) {
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
        error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        if (error == 0)
            error = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
        if (error == 0 && !is_quiet)
            error = posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
        if (error == 0)
            error = posix_spawnp(pid, "adb", &actions, &attributes, arguments, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* "adb", the device, and what is asked of it, up to a NULL. */
static void list_arguments(const struct options *o, const char *const *asked, char **arguments)
{
    const char *first[] = {"adb", "-s", o->serial};
    size_t n = 0;

    for (size_t i = 0; i < (o->serial != NULL ? 3 : 1); i++)
        arguments[n++] = (char *)(uintptr_t)first[i];
    while (*asked != NULL && n + 1 < ARGUMENTS_MAX)
        arguments[n++] = (char *)(uintptr_t)*asked++;
    arguments[n] = NULL;
}

/* Old devices say that something went wrong, and tell status 0. */
static bool went_well(const struct buf *said)
{
    static const char *const BAD[] = {"Exception: ", "Error: ", "PROFILE FAILED", "No activity found"};

    for (size_t i = 0; i < sizeof(BAD) / sizeof(*BAD); i++)
        if (holds(said, BAD[i]))
            return false;
    return true;
}

/* Runs adb with these arguments, which end with a NULL. Its output goes to `into`, or if that is -1, is in r->said. False:
 * diag. */
static bool run_adb(struct recording *r, int into, const char *const *asked)
{
    char *arguments[ARGUMENTS_MAX];
    int status = 0, fd = into >= 0 ? into : cli_spool_open(), error = fd < 0 ? errno : 0;
    pid_t pid = -1;

    buf_clear(&r->said);
    list_arguments(r->o, asked, arguments);
    if (error == 0)
        error = start_adb(arguments, fd, into >= 0, &pid);
    if (error == 0 && TEMP_FAILURE_RETRY(waitpid(pid, &status, 0)) != pid)
        error = errno;
    bool read =
        into >= 0 || (error == 0 && lseek(fd, 0, SEEK_SET) == 0 && file_read_all(fd, SAID_BYTES, &r->said));
    if (into < 0 && fd >= 0)
        close(fd);
    r->no_adb = pid < 0 && error == ENOENT;
    if (error != 0)
        return diag_set(r->diag, DIAG_IO, r->no_adb ? "no adb" : "adb cannot be run",
                        "Install adb, which is a part of the Android SDK, or run the commands where it is.",
                        "A program adb of the PATH would be needed: %s.", strerror(error));
    return (status == 0 && read && went_well(&r->said)) || complain(r, WEXITSTATUS(status));
}

#define ADB(r, ...) run_adb((r), -1, (const char *const[]){__VA_ARGS__, NULL})

/* ---- what stands in commands ---- */

static bool is_made_of(struct str text, struct str more)
{
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if ((c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') &&
            str_find(more, c) == more.n)
            return false;
    }
    return text.n > 0 && text.n <= NAME_BYTES && text.p[0] != '-';
}

static bool read_number(const char *text, uint64_t least, uint64_t most, const char *what, uint64_t *n,
                        struct diag *diag)
{
    return text == NULL || (str_to_u64(str_of(text), 10, n) && *n >= least && *n <= most) ||
           diag_set(diag, DIAG_USAGE, "option not understood", HINT, "%s takes a number from %llu to %llu.",
                    what, (unsigned long long)least, (unsigned long long)most);
}

/* For the commands that are printed, which have it between single quotes. */
static bool is_address(struct str url)
{
    for (size_t i = 0; i < url.n; i++)
        if (url.p[i] <= ' ' || url.p[i] > '~' || url.p[i] == '\'' || url.p[i] == '\\')
            return false;
    return str_starts(url, STR("http://")) || str_starts(url, STR("https://"));
}

static bool check_options(struct options *o, struct diag *diag)
{
    if (o->package == NULL)
        return diag_set(diag, DIAG_USAGE, "no app", HINT, "Name the package of the app, as com.example.app.");
    if (!is_made_of(str_of(o->package), STR("._:")))
        return diag_set(diag, DIAG_USAGE, "no package", HINT,
                        "A package, or a process of it, is made of letters, digits and . _ :");
    if (o->serial != NULL && !is_made_of(str_of(o->serial), STR("._:-")))
        return diag_set(diag, DIAG_USAGE, "no serial", "`adb devices` lists them.",
                        "A serial is made of letters, digits and . _ : -");
    if (o->to != NULL && !is_address(str_of(o->to)))
        return diag_set(diag, DIAG_USAGE, "no address", "Blanks and quotes are written as %20 and %27.",
                        "--to takes the address of a service, http://HOST or https://HOST.");
    return read_number(o->seconds, 1, SECONDS_MAX, "--seconds", &o->seconds_n, diag) &&
           read_number(o->sampling, 0, SAMPLING_US_MAX, "--sampling", &o->sampling_us, diag);
}

static bool name_files(struct recording *r)
{
    uint32_t random;
    time_t now = time(NULL);
    struct tm tm;

    if (!random_bytes(&random, sizeof(random)) || localtime_r(&now, &tm) == NULL)
        return diag_set(r->diag, DIAG_IO, "no name", "Try again.",
                        "The system gave no random numbers for a name.");
    snprintf(r->file, sizeof(r->file), "/data/local/tmp/aflamed-%08x.trace", random);
    snprintf(r->name, sizeof(r->name), "%s-%04d%02d%02d-%02d%02d%02d.trace", r->o->package, tm.tm_year + 1900,
             tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
    for (char *at = r->name; (at = strchr(at, ':')) != NULL;) /* of a process */
        *at = '-';
    return true;
}

/* ---- printed ---- */

static void put_adb(struct buf *b, const struct options *o, const char *what)
{
    buf_printf(b, "adb %s%s%s%s", o->serial != NULL ? "-s " : "", o->serial != NULL ? o->serial : "",
               o->serial != NULL ? " " : "", what);
}

/* As one word of a shell. */
static void put_word(struct buf *b, const char *text)
{
    buf_char(b, '\'');
    for (; *text != '\0'; text++)
        buf_str(b, *text == '\'' ? STR("'\\''") : (struct str){text, 1});
    buf_char(b, '\'');
}

/* Where the bytes go that adb writes. The token stays in the environment. */
static void put_target(struct buf *b, const struct recording *r)
{
    const char *token = getenv("AFLAMED_TOKEN"), *to = r->o->to;
    const char *file = r->o->out == NULL && to == NULL ? r->name : r->o->out;

    if (file != NULL && strcmp(file, "-") != 0) {
        buf_z(b, to == NULL ? " > " : " | tee ");
        put_word(b, file);
    }
    if (to == NULL)
        return;
    buf_z(b, " | curl --fail-with-body --globoff ");
    if (token != NULL && token[0] != '\0')
        buf_z(b, "-H \"Authorization: Bearer $AFLAMED_TOKEN\" ");
    buf_printf(b, "-F 'trace=@-;filename=%s' ", r->name);
    put_word(b, to);
}

/* One line for a shell. The device's shell waits until the file has its size. */
static bool print_commands(const struct recording *r)
{
    const struct options *o = r->o;
    struct buf b = {0};
    char sampling[40] = "";

    if (o->sampling_us > 0)
        snprintf(sampling, sizeof(sampling), "--sampling %llu ", (unsigned long long)o->sampling_us);
    put_adb(&b, o, "shell ");
    if (o->start)
        buf_printf(
            &b,
            "'am start-activity -S -W --start-profiler %s %s-n $(cmd package resolve-activity --brief %s | tail -n 1)'",
            r->file, sampling, o->package);
    else
        buf_printf(&b, "am profile start %s%s %s", sampling, o->package, r->file);
    buf_printf(&b, " && sleep %llu && ", (unsigned long long)o->seconds_n);
    put_adb(&b, o, "shell ");
    buf_printf(
        &b,
        "'am profile stop %s; n=; until [ -s %s ] && [ \"$n\" = \"$(stat -c %%s %s)\" ]; do n=$(stat -c %%s %s); sleep 1; done' && ",
        o->package, r->file, r->file, r->file);
    put_adb(&b, o, "exec-out cat ");
    buf_z(&b, r->file);
    put_target(&b, r);
    buf_z(&b, " && ");
    put_adb(&b, o, "shell rm ");
    buf_printf(&b, "%s\n", r->file);
    bool ok = b.failed ? diag_no_memory(r->diag, "No memory is left for the commands.")
                       : cli_write("-", buf_view(&b), r->diag);
    buf_free(&b);
    return ok;
}

/* ---- recorded ---- */

/* Sets `activity` to the one that a launcher would start. */
static bool find_activity(struct recording *r, char activity[NAME_BYTES + 1])
{
    struct str rest, line, last = STR("");

    if (!ADB(r, "shell", "cmd", "package", "resolve-activity", "--brief", r->o->package))
        return false;
    rest = buf_view(&r->said);
    while (rest.n > 0 && str_split(&rest, '\n', &line))
        if (str_trim(str_without_line_end(line)).n > 0)
            last = str_trim(str_without_line_end(line));
    if (!is_made_of(last, STR("._/")) || str_find(last, '/') == last.n)
        return diag_set(r->diag, DIAG_IO, "no activity to start",
                        "Start the app by hand, and leave --start out.",
                        "The device names no activity of %s that can be started.", r->o->package);
    memcpy(activity, last.p, last.n);
    activity[last.n] = '\0';
    return true;
}

static bool begin(struct recording *r)
{
    const bool samples = r->o->sampling_us > 0;
    char activity[NAME_BYTES + 1], interval[24];

    snprintf(interval, sizeof(interval), "%llu", (unsigned long long)r->o->sampling_us);
    if (!r->o->start)
        return samples
                   ? ADB(r, "shell", "am", "profile", "start", "--sampling", interval, r->o->package, r->file)
                   : ADB(r, "shell", "am", "profile", "start", r->o->package, r->file);
    if (!find_activity(r, activity))
        return false;
    return samples ? ADB(r, "shell", "am", "start-activity", "-S", "-W", "--start-profiler", r->file,
                         "--sampling", interval, "-n", activity)
                   : ADB(r, "shell", "am", "start-activity", "-S", "-W", "--start-profiler", r->file, "-n",
                         activity);
}

/* Until the time is over, or somebody presses Enter, or Ctrl-C, which is blocked. */
static void wait_for_end(const struct options *o, const sigset_t *interrupts)
{
    int64_t until = clock_ms() + (int64_t)o->seconds_n * 1000, left;
    bool asks = isatty(STDIN_FILENO) == 1;
    struct pollfd of[] = {{signalfd(-1, interrupts, SFD_CLOEXEC), POLLIN, 0},
                          {asks ? STDIN_FILENO : -1, POLLIN, 0}};
    struct buf b = {0};

    buf_printf(&b, "Recording %s for %llu s.%s\n", o->package, (unsigned long long)o->seconds_n,
               asks ? " Enter or Ctrl-C ends it." : "");
    cli_say(buf_view(&b));
    buf_free(&b);
    while ((left = until - clock_ms()) > 0) {
        int n = poll(of, 2, (int)left);
        if (n > 0 || (n < 0 && errno != EINTR))
            break;
    }
    if (of[0].revents != 0) {
        struct signalfd_siginfo taken;
        ssize_t got = read(of[0].fd, &taken, sizeof(taken));
        (void)got;
    }
    if (of[0].fd >= 0)
        close(of[0].fd);
}

/* The app writes it when the recording has been stopped, which takes a while. */
static bool wait_until_written(struct recording *r)
{
    uint64_t before = 0;

    for (unsigned empty = 0; empty < EMPTY_LOOKS;) {
        if (!ADB(r, "shell", "stat", "-c", "%s", r->file))
            return false;
        if (!str_to_u64(str_trim(str_without_line_end(buf_view(&r->said))), 10, &r->bytes))
            return complain(r, 0);
        if (r->bytes > 0 && r->bytes == before)
            return true;
        before = r->bytes;
        empty += r->bytes == 0;
        (void)poll(NULL, 0, LOOK_MS);
    }
    return diag_set(
        r->diag, DIAG_EMPTY, "nothing was recorded",
        "Is the app debuggable, or <profileable android:shell=\"true\"/>? Did it run until the end?",
        "The file on the device stays empty.");
}

static bool fetch(struct recording *r)
{
    r->fd = cli_spool_open();
    if (r->fd < 0)
        return diag_set(r->diag, DIAG_IO, "no room", "Set TMPDIR to a folder with room.",
                        "No file for the trace: %s.", strerror(errno));
    if (!run_adb(r, r->fd, (const char *const[]){"exec-out", "cat", r->file, NULL}))
        return false;
    return lseek(r->fd, 0, SEEK_END) == (off_t)r->bytes ||
           diag_set(r->diag, DIAG_IO, "not all was fetched", "Is there room in TMPDIR? Try again.",
                    "The trace has %llu bytes on the device, and others arrived.",
                    (unsigned long long)r->bytes);
}

static bool take(struct recording *r, const sigset_t *interrupts)
{
    struct diag ignored = {0}, *diag = r->diag;
    bool ok = begin(r);

    if (ok) {
        wait_for_end(r->o, interrupts);
        ok = ADB(r, "shell", "am", "profile", "stop", r->o->package) && wait_until_written(r) && fetch(r);
    }
    r->diag = &ignored;
    if (!r->no_adb)
        (void)ADB(r, "shell", "rm", "-f", r->file);
    r->diag = diag;
    return ok;
}

/* ---- kept ---- */

static bool write_file(const struct recording *r, const char *path, struct diag *diag)
{
    struct cli_output out;
    struct buf b = {0};

    if (!cli_output_open(&out, path, diag))
        return false;
    bool ok = (lseek(r->fd, 0, SEEK_SET) == 0 && cli_spool_append(out.fd, r->fd)) ||
              diag_set(diag, DIAG_IO, "cannot write the result", "Check that there is room.", "%s: %s.", path,
                       strerror(errno));
    if (!cli_output_close(&out, ok, diag))
        return false;
    if (path == r->name) {
        buf_printf(&b, "%s: ", path);
        buf_value(&b, UNIT_BYTES, r->bytes, 3);
        buf_printf(&b, ". What it tells: aflamed verdict %s\n", path);
        cli_say(buf_view(&b));
        buf_free(&b);
    }
    return true;
}

/* What was recorded is not lost when it cannot be written or uploaded as it was to be. */
static int keep(const struct recording *r)
{
    const struct options *o = r->o;
    struct diag ignored = {0};
    int status = CLI_OK;

    if (o->out == NULL && o->to == NULL)
        return write_file(r, r->name, r->diag) ? CLI_OK : CLI_UNUSABLE;
    bool written = o->out != NULL && write_file(r, o->out, r->diag);
    if (o->out != NULL && !written)
        status = CLI_UNUSABLE;
    else if (o->to != NULL)
        status = cli_send(o->to, r->name, r->fd, r->bytes, r->diag);
    if (status == CLI_UNUSABLE && !written)
        (void)write_file(r, r->name, &ignored);
    return status;
}

/* Ctrl-C ends the recording, and whatever adb does; what is on the device is removed all the same. */
static int record_app(struct recording *r)
{
    sigset_t interrupts, before;

    sigemptyset(&interrupts);
    sigaddset(&interrupts, SIGINT);
    sigprocmask(SIG_BLOCK, &interrupts, &before);
    bool ok = take(r, &interrupts);
    sigprocmask(SIG_SETMASK, &before, NULL);
    int status = ok ? keep(r) : CLI_UNUSABLE;
    if (r->fd >= 0)
        close(r->fd);
    return status;
}

/* ---- arguments ---- */

static bool take_operand(struct options *o, const char *operand, struct diag *diag)
{
    if (o->package != NULL)
        return diag_set(diag, DIAG_USAGE, "too many names", HINT, "One app is recorded at a time.");
    o->package = operand;
    return true;
}

static bool parse(struct options *o, int n_arguments, char *const *arguments, struct diag *diag)
{
    struct cli_arguments all = {arguments, n_arguments, false};
    struct cli_argument a;

    *o = (struct options){.seconds_n = SECONDS, .sampling_us = SAMPLING_US};
    while (cli_next(&all, &a))
        if (!(a.name.n > 0 ? cli_take(&CLI_RECORD, o, NULL, &all, &a, diag)
                           : take_operand(o, a.value.p, diag)))
            return false;
    return check_options(o, diag);
}

/* Without adb the commands are printed for where it is, and nothing is recorded. */
static int record(int n_arguments, char *const *arguments)
{
    struct diag diag = {0}, ignored = {0};
    struct options o;
    struct recording r = {.o = &o, .fd = -1, .diag = &diag};

    if (!parse(&o, n_arguments, arguments, &diag) || !name_files(&r))
        return cli_error(NULL, &diag);
    int status = o.print ? CLI_OK : record_app(&r);
    if (r.no_adb)
        r.diag = &ignored;
    if ((o.print || r.no_adb) && !print_commands(&r))
        status = CLI_UNUSABLE;
    buf_free(&r.said);
    return diag.kind == DIAG_NONE ? status : cli_error(NULL, &diag);
}

#define FIELD(member) offsetof(struct options, member)

static const struct cli_option OPTIONS[] = {
    {"--seconds", NULL, CLI_TEXT, FIELD(seconds), "N",
     "how long, unless Enter or Ctrl-C ends it before; default: 5", NULL},
    {"--start", NULL, CLI_SWITCH, FIELD(start), NULL,
     "start the app, and record from its first method on; one that runs is ended before", NULL},
    {"--sampling", NULL, CLI_TEXT, FIELD(sampling), "US",
     "microseconds from one look at all stacks to the next; 0: every call, which slows the app down; default: 1000",
     NULL},
    {"--to", NULL, CLI_TEXT, FIELD(to), "URL",
     "upload it to this service, and print the link; the address may have a query, as ?space=NAME&check=branch:main, and AFLAMED_TOKEN of the environment a token",
     NULL},
    {"-o", NULL, CLI_PATH, FIELD(out), "FILE", "where to write it; default, without --to: PACKAGE-DATE.trace",
     NULL},
    {"--serial", NULL, CLI_TEXT, FIELD(serial), "SERIAL",
     "the device, if there are several; default: what ANDROID_SERIAL says", NULL},
    {"--print", NULL, CLI_SWITCH, FIELD(print), NULL, "only print the commands, for a shell where adb is",
     NULL},
};

const struct cli_command CLI_RECORD = {
    .name = "record",
    .synopsis = "[OPTION...] PACKAGE",
    .summary = "record a method trace of an app, by adb",
    .description =
        "Records the methods of an app that runs on a device or an emulator, and fetches the file. The app has to be debuggable or "
        "profileable. The file on the device is removed.\n"
        "Where there is no adb the commands that do the same are printed, and the status is 1.\n",
    .options = OPTIONS,
    .n_options = sizeof(OPTIONS) / sizeof(OPTIONS[0]),
    .run = record,
};
