#include "cli/cli_send.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"
#include "core/clean.h"
#include "server/s3/curl_library.h"

enum { ANSWER_BYTES = 4 << 20, LINE_BYTES = 300 };

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

int cli_send(const char *url, const char *name, int fd, uint64_t bytes, struct diag *diag)
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
