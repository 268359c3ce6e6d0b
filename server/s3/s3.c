/* One request to the object store: its attempts, their signatures, and what the answers mean. The rules that signing
 * needs were found by trial with libcurl 7.88.1: each header that is signed is sent, query and path are signed as they
 * stand, so keys have only characters that stand for themselves. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "core/clean.h"
#include "core/system/clock.h"
#include "server/s3/curl_library.h"
#include "server/s3/s3_impl.h"

enum {
    ATTEMPTS = 5,
    CONNECT_MS = 3000,
    STALLED_S = 20,        /* an attempt is given up when it was slow for so long */
    SLOW_BYTES = 64 << 10, /* in a second: what is less is slow */
    SHORT_MS = 5000,       /* the longest attempt without a file, or a quarter of STALLED_S if that is more */
    SHORT_ALL = 2,         /* behind so many of these times no further attempt is begun */
    PAUSE_MS = 100,        /* before the second attempt, at most; twice as long before each further one */
    PART_BYTES = 16 << 20,
    BUFFER_BYTES = 512 << 10, /* of a file that is sent or fetched */
    BUDGET = 100, /* tenths of attempts in store: one more attempt takes ten, an answer gives one back */
    ATTEMPT_COST = 10,
    IDLE_MAX = 64 /* handles that are kept with their connections */
};

struct s3 {
    const struct curl_library *curl;
    struct s3_endpoints endpoints;
    struct s3_keys keys;
    struct s3_name name;
    char signature[S3_NAME_BYTES]; /* what libcurl signs for */
    unsigned stalled_s, short_ms;
    uint64_t part_bytes;
    const struct stop *stop;
    atomic_uint endpoint; /* that is asked first: the last that answered */
    atomic_int budget;
    _Atomic int64_t ahead_s;
    pthread_mutex_t lock; /* of the idle handles */
    CURL *idle[IDLE_MAX];
    size_t n_idle;
};

/* ---- opening ---- */

struct s3 *s3_open(const char *name, const struct s3_settings *settings, struct diag *diag)
{
    const struct curl_library *curl = curl_library(diag);
    struct s3 *s = curl == NULL ? NULL : calloc(1, sizeof(*s));

    if (s == NULL) {
        diag_no_memory(diag, "No memory is left for the object store.");
        return NULL;
    }
    pthread_mutex_init(&s->lock, NULL);
    s->curl = curl;
    s->stalled_s = settings->stalled_s > 0 ? settings->stalled_s : STALLED_S;
    s->short_ms = s->stalled_s * 250 > SHORT_MS ? s->stalled_s * 250 : SHORT_MS;
    s->part_bytes = settings->part_bytes > 0 ? settings->part_bytes : PART_BYTES;
    s->stop = settings->stop;
    atomic_store(&s->budget, BUDGET);
    int n = snprintf(s->signature, sizeof(s->signature), "aws:amz:%s:s3", settings->region);
    bool ok = (size_t)n < sizeof(s->signature) ||
              diag_set(diag, DIAG_USAGE, "no region", "", "The name of the region is too long.");
    if (ok && s3_read_name(name, &s->name, diag) &&
        s3_read_endpoints(settings->endpoints, s->name.bucket, &s->endpoints, diag) &&
        s3_read_keys(settings->keys_file, &s->keys, diag))
        return s;
    s3_close(s);
    return NULL;
}

void s3_close(struct s3 *s)
{
    if (s == NULL)
        return;
    while (s->n_idle > 0)
        s->curl->easy_cleanup(s->idle[--s->n_idle]);
    pthread_mutex_destroy(&s->lock);
    explicit_bzero(&s->keys, sizeof(s->keys));
    free(s);
}

const char *s3_prefix(const struct s3 *s)
{
    return s->name.prefix;
}

uint64_t s3_part_bytes(const struct s3 *s)
{
    return s->part_bytes;
}

bool s3_is_stopped(const struct s3 *s)
{
    return stop_asked(s->stop) != STOP_NONE;
}

int64_t s3_clock_ahead_s(const struct s3 *s)
{
    return atomic_load(&s->ahead_s);
}

static CURL *take_handle(struct s3 *s)
{
    pthread_mutex_lock(&s->lock);
    CURL *handle = s->n_idle > 0 ? s->idle[--s->n_idle] : NULL;
    pthread_mutex_unlock(&s->lock);
    return handle != NULL ? handle : s->curl->easy_init();
}

static void give_handle(struct s3 *s, CURL *handle)
{
    s->curl->easy_reset(handle); /* keeps the connections */
    pthread_mutex_lock(&s->lock);
    bool kept = s->n_idle < IDLE_MAX;
    if (kept)
        s->idle[s->n_idle++] = handle;
    pthread_mutex_unlock(&s->lock);
    if (!kept)
        s->curl->easy_cleanup(handle);
}

/* ---- one attempt ---- */

struct attempt {
    const struct curl_library *curl;
    CURL *handle;
    struct s3_request *request;
    uint64_t from;  /* where it begins in an object of which a part is here already */
    uint64_t sent;  /* bytes of the file */
    int read_errno; /* of the file */
    int64_t date_s; /* of the answer; 0: it says none */
    char etag[S3_ETAG_BYTES];
    struct buf answer; /* of a refusal, or of a list */
    long status;
    CURLcode code;
};

static bool sends(const struct s3_request *r)
{
    return r->method[0] == 'P'; /* PUT, POST */
}

static bool is_good(long status)
{
    return status >= 200 && status <= 299;
}

static long status_of(const struct attempt *a)
{
    long status = 0;

    a->curl->easy_getinfo(a->handle, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

/* What comes goes on behind what is here already, if it is the same object. */
static bool goes_on(const struct attempt *a)
{
    const struct s3_request *r = a->request;

    return a->from == 0 || (status_of(a) == 206 && a->etag[0] != '\0' && strcmp(a->etag, r->etag) == 0);
}

static size_t on_bytes(char *p, size_t size, size_t n, void *attempt)
{
    struct attempt *a = attempt;
    struct s3_request *r = a->request;

    n *= size;
    if (!is_good(status_of(a)) || r->take == NULL) {
        size_t most = r->page != NULL ? S3_PAGE_BYTES : S3_ERROR_BYTES;
        size_t room = most > a->answer.n ? most - a->answer.n : 0;
        buf_bytes(&a->answer, p, n < room ? n : room);
        return r->page != NULL && n > room ? 0 : n;
    }
    if (!goes_on(a))
        return 0;
    if (r->taken == 0)
        memcpy(r->etag, a->etag, sizeof(r->etag));
    r->taken += n;
    r->ended = !r->take(r->context, p, n);
    return r->ended ? 0 : n;
}

/* The value of a header line, if it is of this name. */
static bool header(struct str line, struct str name, struct str *value)
{
    if (line.n <= name.n || !str_eq_nocase((struct str){line.p, name.n}, name) || line.p[name.n] != ':')
        return false;
    *value = str_trim((struct str){line.p + name.n + 1, line.n - name.n - 1});
    return true;
}

/* A date as HTTP has it, as Unix time; 0: it is none. */
static int64_t date_of(struct str value)
{
    char text[64];
    struct tm tm = {0};

    if (value.n >= sizeof(text))
        return 0;
    memcpy(text, value.p, value.n);
    text[value.n] = '\0';
    return strptime(text, "%a, %d %b %Y %H:%M:%S GMT", &tm) != NULL ? (int64_t)timegm(&tm) : 0;
}

static size_t on_header(char *p, size_t size, size_t n, void *attempt)
{
    struct attempt *a = attempt;
    struct str line = str_without_line_end((struct str){p, size * n}), value;

    if (header(line, STR("etag"), &value) && value.n < sizeof(a->etag)) {
        memcpy(a->etag, value.p, value.n);
        a->etag[value.n] = '\0';
    } else if (header(line, STR("date"), &value)) {
        a->date_s = date_of(value);
    } else if (header(line, STR("last-modified"), &value)) {
        a->request->modified_s = date_of(value);
    } else if (header(line, STR("content-length"), &value)) {
        (void)str_to_u64(value, 10, &a->request->length);
    }
    return size * n;
}

static size_t on_read(char *to, size_t size, size_t n, void *attempt)
{
    struct attempt *a = attempt;
    uint64_t left = a->request->bytes - a->sent;
    size_t wanted = size * n < left ? size * n : (size_t)left;

    if (wanted == 0)
        return 0;
    if (a->request->text != NULL) {
        memcpy(to, a->request->text + a->sent, wanted);
        a->sent += wanted;
        return wanted;
    }
    ssize_t got =
        TEMP_FAILURE_RETRY(pread(a->request->fd, to, wanted, (off_t)(a->request->from_byte + a->sent)));
    if (got <= 0) {
        a->read_errno = got == 0 ? EIO : errno;
        return CURL_READFUNC_ABORT;
    }
    a->sent += (uint64_t)got;
    return (size_t)got;
}

/* Asked when the connection broke after the first bytes, and libcurl begins anew on another one. */
static int on_seek(void *attempt, curl_off_t offset, int origin)
{
    struct attempt *a = attempt;

    if (origin != SEEK_SET || offset < 0 || (uint64_t)offset > a->request->bytes)
        return CURL_SEEKFUNC_FAIL;
    a->sent = (uint64_t)offset;
    return CURL_SEEKFUNC_OK;
}

/* Asked some times a second, also while nothing comes. */
static int on_progress(void *s3, curl_off_t to_get, curl_off_t got, curl_off_t to_send, curl_off_t sent)
{
    (void)to_get, (void)got, (void)to_send, (void)sent;
    return s3_is_stopped(s3);
}

static bool add_header(const struct attempt *a, struct curl_slist **list, const char *name, const char *value)
{
    struct buf line = {0};

    buf_printf(&line, "%s: %s", name, value);
    buf_char(&line, '\0');
    struct curl_slist *longer = line.failed ? NULL : a->curl->slist_append(*list, line.p);
    buf_free(&line);
    if (longer != NULL)
        *list = longer;
    return longer != NULL;
}

/* A copy's source, "/BUCKET/KEY". */
static bool add_source(const struct s3 *s, const struct attempt *a, struct curl_slist **list)
{
    char source[3 * S3_NAME_BYTES];

    if (a->request->from == NULL)
        return true;
    snprintf(source, sizeof(source), "/%s/%s%s", s->name.bucket, s->name.prefix, a->request->from);
    return add_header(a, list, "x-amz-copy-source", source);
}

static bool add_headers(const struct s3 *s, const struct attempt *a, struct curl_slist **list)
{
    /* SHA-256 of nothing */
    static const char EMPTY[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    const struct s3_request *r = a->request;
    char range[64];

    snprintf(range, sizeof(range), "bytes=%llu-", (unsigned long long)r->taken);
    return add_header(a, list, "x-amz-content-sha256", r->sha256 != NULL ? r->sha256 : EMPTY) &&
           (!r->creates || add_header(a, list, "If-None-Match", "*")) && add_source(s, a, list) &&
           (r->taken == 0 || add_header(a, list, "Range", range)) &&
           (s->keys.session[0] == '\0' || add_header(a, list, "x-amz-security-token", s->keys.session));
}

static bool put_url(const struct s3 *s, const struct s3_request *r, unsigned endpoint, struct buf *url)
{
    buf_z(url, s->endpoints.of[endpoint]);
    if (r->key[0] != '\0')
        buf_printf(url, "/%s%s", s->name.prefix, r->key);
    else
        buf_char(url, '/');
    if (r->query.n > 0) {
        buf_char(url, '?');
        buf_str(url, r->query);
    }
    buf_char(url, '\0');
    return !url->failed;
}

/* Without the signature libcurl would send the secret as it is: then nothing may be sent. */
static CURLcode set_options(struct s3 *s, struct attempt *a, const char *url,
                            const struct curl_slist *headers)
{
    CURLcode (*set)(CURL * handle, CURLoption option, ...) = a->curl->easy_setopt;
    const struct s3_request *r = a->request;
    bool is_head = strcmp(r->method, "HEAD") == 0;

    CURLcode code = set(a->handle, CURLOPT_AWS_SIGV4, s->signature);
    set(a->handle, CURLOPT_URL, url);
    set(a->handle, CURLOPT_PROTOCOLS_STR, "http,https");
    set(a->handle, CURLOPT_PATH_AS_IS, 1L);
    set(a->handle, CURLOPT_NOSIGNAL, 1L);
    set(a->handle, CURLOPT_USERNAME, s->keys.access);
    set(a->handle, CURLOPT_PASSWORD, s->keys.secret);
    set(a->handle, CURLOPT_HTTPHEADER, headers);
    set(a->handle, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
    if (r->is_short) {
        set(a->handle, CURLOPT_TIMEOUT_MS, (long)s->short_ms);
    } else {
        set(a->handle, CURLOPT_BUFFERSIZE, (long)BUFFER_BYTES);
        set(a->handle, CURLOPT_UPLOAD_BUFFERSIZE, (long)BUFFER_BYTES);
        set(a->handle, CURLOPT_LOW_SPEED_LIMIT, (long)SLOW_BYTES);
        set(a->handle, CURLOPT_LOW_SPEED_TIME, (long)s->stalled_s);
        set(a->handle, CURLOPT_NOPROGRESS, 0L);
        set(a->handle, CURLOPT_XFERINFOFUNCTION, on_progress);
        set(a->handle, CURLOPT_XFERINFODATA, s);
    }
    set(a->handle, CURLOPT_WRITEFUNCTION, on_bytes);
    set(a->handle, CURLOPT_WRITEDATA, a);
    set(a->handle, CURLOPT_HEADERFUNCTION, on_header);
    set(a->handle, CURLOPT_HEADERDATA, a);
    if (sends(r)) {
        set(a->handle, CURLOPT_UPLOAD, 1L);
        set(a->handle, CURLOPT_INFILESIZE_LARGE, (curl_off_t)r->bytes);
        set(a->handle, CURLOPT_READFUNCTION, on_read);
        set(a->handle, CURLOPT_READDATA, a);
        set(a->handle, CURLOPT_SEEKFUNCTION, on_seek);
        set(a->handle, CURLOPT_SEEKDATA, a);
    } else if (is_head) {
        set(a->handle, CURLOPT_NOBODY, 1L);
    }
    if (strcmp(r->method, "POST") == 0 || strcmp(r->method, "DELETE") == 0)
        set(a->handle, CURLOPT_CUSTOMREQUEST, r->method);
    return code;
}

/* False: no memory. */
static bool try_once(struct s3 *s, struct attempt *a, unsigned endpoint)
{
    struct curl_slist *headers = NULL;
    struct buf url = {0};

    a->handle = take_handle(s);
    bool ok = a->handle != NULL && add_headers(s, a, &headers) && put_url(s, a->request, endpoint, &url);
    if (ok) {
        a->code = set_options(s, a, url.p, headers);
        if (a->code == CURLE_OK)
            a->code = s->curl->easy_perform(a->handle);
        a->status = status_of(a);
        if (a->date_s > 0)
            atomic_store(&s->ahead_s, a->date_s - (int64_t)time(NULL));
    }
    s->curl->slist_free_all(headers);
    buf_free(&url);
    if (a->handle != NULL)
        give_handle(s, a->handle);
    return ok;
}

/* ---- what an answer means ---- */

static bool says(const struct attempt *a, struct str code)
{
    struct str rest = buf_view(&a->answer), text = STR("");

    return s3_xml_next(&rest, STR("Code"), &text) && str_eq(text, code);
}

static enum s3_result refused(const struct s3 *s, const struct attempt *a, unsigned endpoint,
                              enum s3_result result, const char *hint, struct diag *diag)
{
    struct str rest = buf_view(&a->answer), code = STR("no reason");
    struct buf words = {0};

    s3_xml_next(&rest, STR("Code"), &code);
    clean_text(&words, (struct str){code.p, code.n < 80 ? code.n : 80});
    diag_set(diag, result == S3_FULL ? DIAG_FULL : DIAG_IO, "the object store refused a request", hint,
             "%s of %s%s at %s was answered %ld (%.*s).", a->request->method, s->name.prefix, a->request->key,
             s->endpoints.of[endpoint], a->status, (int)words.n, words.n > 0 ? words.p : "");
    buf_free(&words);
    return result;
}

static enum s3_result failed(const struct s3 *s, const struct attempt *a, unsigned endpoint,
                             struct diag *diag)
{
    bool untrusted = a->code == CURLE_PEER_FAILED_VERIFICATION;

    diag_set(diag, DIAG_IO, "the object store cannot be reached",
             untrusted
                 ? "If the certificate is signed by your own authority, add that to those of this machine "
                   "(update-ca-certificates)."
                 : "Look at its address, the network, and the store itself.",
             "%s of %s%s at %s: %s.", a->request->method, s->name.prefix, a->request->key,
             s->endpoints.of[endpoint], s->curl->easy_strerror(a->code));
    return untrusted ? S3_DENIED : S3_UNAVAILABLE;
}

/* Another attempt may help: also of a put that met another one (409), which may have failed. It makes no room (507). */
static bool is_passing(const struct attempt *a)
{
    if (a->code != CURLE_OK)
        return a->read_errno == 0 && a->code != CURLE_PEER_FAILED_VERIFICATION;
    return (a->status >= 500 && a->status != 501 && a->status != 507) || a->status == 429 ||
           a->status == 408 || a->status == 409;
}

static enum s3_result judge_refusal(const struct s3 *s, const struct attempt *a, unsigned endpoint,
                                    struct diag *diag)
{
    if (a->status == 404 && (says(a, STR("NoSuchKey")) || strcmp(a->request->method, "GET") != 0) &&
        !says(a, STR("NoSuchBucket")))
        return S3_NOT_FOUND;
    if (a->status == 404)
        return refused(s, a, endpoint, S3_DENIED, "Make the bucket, or mend its name or the address.", diag);
    if (a->request->creates && a->status == 412)
        return S3_EXISTS;
    if (a->status == 507 || says(a, STR("QuotaExceeded")))
        return refused(s, a, endpoint, S3_FULL, "Make room in the object store, or raise the quota.", diag);
    if (says(a, STR("XAmzContentSHA256Mismatch")) || says(a, STR("BadDigest")))
        return refused(s, a, endpoint, S3_CORRUPT,
                       "Send it again; if that does not help, look at the memory and the network.", diag);
    if (says(a, STR("RequestTimeTooSkewed")))
        return refused(s, a, endpoint, S3_DENIED, "Set the clock of this machine.", diag);
    if (a->status >= 300 && a->status <= 399)
        return refused(s, a, endpoint, S3_DENIED,
                       "The bucket is in another region: mend the endpoint and the region.", diag);
    return refused(s, a, endpoint, S3_DENIED, "Look at the keys, and what they may do in this bucket.", diag);
}

static enum s3_result judge(const struct s3 *s, const struct attempt *a, unsigned endpoint, struct diag *diag)
{
    if (a->request->ended)
        return S3_ENDED;
    if (a->read_errno != 0) {
        diag_set(diag, DIAG_IO, "a file cannot be read", "",
                 "What should be sent as %s%s cannot be read: %s.", s->name.prefix, a->request->key,
                 strerror(a->read_errno));
        return S3_CORRUPT;
    }
    if (a->code != CURLE_OK)
        return failed(s, a, endpoint, diag);
    /* A store that is in trouble while it copies says so in an answer that looks good. */
    if (is_good(a->status) && (a->request->from == NULL ||
                               str_find_str(buf_view(&a->answer), STR("<CopyObjectResult")) < a->answer.n))
        return S3_OK;
    if (is_passing(a) || is_good(a->status))
        return refused(s, a, endpoint, S3_UNAVAILABLE, "Look at the object store.", diag);
    return judge_refusal(s, a, endpoint, diag);
}

/* ---- attempts ---- */

/* Full jitter: those who failed together do not come back together. */
static void pause_behind(unsigned attempt)
{
    uint32_t random = 0;
    const uint64_t most_ms = (uint64_t)PAUSE_MS << (attempt - 1);

    (void)!getrandom(&random, sizeof(random), 0);
    uint64_t ms = random % most_ms;
    struct timespec left = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        ;
}

static bool spend(struct s3 *s)
{
    int there = atomic_load(&s->budget);

    while (there >= ATTEMPT_COST)
        if (atomic_compare_exchange_weak(&s->budget, &there, there - ATTEMPT_COST))
            return true;
    return false;
}

static void earn(struct s3 *s)
{
    int there = atomic_load(&s->budget);

    while (there < BUDGET && !atomic_compare_exchange_weak(&s->budget, &there, there + 1))
        ;
}

/* The next endpoint is asked first from now on, unless somebody else has turned already. */
static void turn_from(struct s3 *s, unsigned endpoint)
{
    unsigned next = (endpoint + 1) % (unsigned)s->endpoints.n;

    atomic_compare_exchange_strong(&s->endpoint, &endpoint, next);
}

/* The attempts of one request. */
struct attempts {
    int64_t begun_ms;
    unsigned n, late; /* how many, and those that were not answered in time */
};

/* Whether another one is worth it. To wait for a file takes long: two such attempts are enough, or one of each endpoint. */
static bool may_try_again(struct s3 *s, const struct attempt *a, struct attempts *all)
{
    unsigned late_most = s->endpoints.n > 2 ? (unsigned)s->endpoints.n : 2;
    bool is_in_time = a->request->is_short ? clock_ms() < all->begun_ms + SHORT_ALL * s->short_ms : true;

    if (a->code == CURLE_OPERATION_TIMEDOUT && !a->request->is_short)
        is_in_time = ++all->late < late_most;
    return is_passing(a) && is_in_time && all->n < ATTEMPTS && !s3_is_stopped(s) && spend(s);
}

/* A put may have succeeded although its answer did not come. The next attempt then finds the key there:
 * objects are named by what they hold or by chance, so what it finds is its own. */
enum s3_result s3_send(struct s3 *s, struct s3_request *r, struct diag *diag)
{
    struct attempts all = {.begun_ms = clock_ms()};

    for (;;) {
        unsigned endpoint = atomic_load(&s->endpoint) % (unsigned)s->endpoints.n;
        struct attempt a = {.curl = s->curl, .request = r, .from = r->taken};
        struct diag why = {0};
        enum s3_result result = S3_UNAVAILABLE;
        if (try_once(s, &a, endpoint))
            result = judge(s, &a, endpoint, &why);
        else
            diag_no_memory(&why, "No memory is left to ask the object store.");
        all.n++;
        bool again = result == S3_UNAVAILABLE && may_try_again(s, &a, &all);
        if (result == S3_UNAVAILABLE)
            turn_from(s, endpoint);
        else
            earn(s);
        if (result == S3_OK && r->page != NULL) {
            buf_free(r->page);
            *r->page = a.answer;
            a.answer = (struct buf){0};
        }
        if (result == S3_OK && sends(r))
            memcpy(r->etag, a.etag, sizeof(r->etag));
        buf_free(&a.answer);
        if (!again) {
            if (why.kind != DIAG_NONE && diag->kind == DIAG_NONE)
                *diag = why;
            return result;
        }
        pause_behind(all.n);
    }
}

enum s3_result s3_look(struct s3 *s, const char *key, struct s3_object *o, struct diag *diag)
{
    struct s3_request r = {.method = "HEAD", .key = key, .is_short = true};
    enum s3_result result = s3_send(s, &r, diag);

    *o = (struct s3_object){key, r.length, r.modified_s};
    return result;
}
