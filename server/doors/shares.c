#include "server/doors/shares.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MINUTE_S = 60, DAY_S = 86400, SECOND_US = 1000000 };

/* One upload is worth a minute of seconds, in each of which `uploads_per_minute` come back: so all numbers are whole. */
struct share {
    char name[SHARES_NAME_BYTES + 1]; /* "": the place is free */
    int64_t uploads;                  /* that may be begun, times MINUTE_S */
    int64_t bytes;                    /* that may come; below 0: they came already */
    int64_t work_us;                  /* of a processor, that may be taken; below 0: it was taken already */
    int64_t at_s;                     /* when all were so */
    unsigned running;
};

struct shares {
    const struct config *config;
    pthread_mutex_t lock;
    struct share of[SHARES_MAX];
};

bool shares_wanted(const struct config *config)
{
    return config->uploads_per_minute > 0 || config->upload_bytes_per_day > 0 ||
           config->uploads_at_once > 0 || config->work_seconds_per_minute > 0;
}

struct shares *shares_new(const struct config *config)
{
    struct shares *s = calloc(1, sizeof(*s));

    if (s == NULL)
        return NULL;
    s->config = config;
    pthread_mutex_init(&s->lock, NULL);
    return s;
}

void shares_free(struct shares *s)
{
    if (s == NULL)
        return;
    pthread_mutex_destroy(&s->lock);
    free(s);
}

/* ---- one share; under the lock ---- */

static int64_t whole_uploads(const struct shares *s)
{
    return (int64_t)s->config->uploads_per_minute * MINUTE_S;
}

static int64_t whole_bytes(const struct shares *s)
{
    return (int64_t)s->config->upload_bytes_per_day;
}

static int64_t bytes_per_s(const struct shares *s)
{
    return (whole_bytes(s) + DAY_S - 1) / DAY_S;
}

static int64_t whole_work(const struct shares *s)
{
    return (int64_t)s->config->work_seconds_per_minute * SECOND_US;
}

static int64_t work_per_s(const struct shares *s)
{
    return (whole_work(s) + MINUTE_S - 1) / MINUTE_S;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* A clock that was put back gives nothing, and takes nothing. */
static void come_back(const struct shares *s, struct share *one, int64_t now_s)
{
    int64_t passed_s = now_s - one->at_s;

    one->at_s = now_s;
    if (passed_s <= 0)
        return;
    passed_s = least(passed_s, 100 * DAY_S); /* so that no product overflows */
    one->uploads = least(whole_uploads(s), one->uploads + passed_s * (int64_t)s->config->uploads_per_minute);
    one->bytes = least(whole_bytes(s), one->bytes + passed_s * bytes_per_s(s));
    one->work_us = least(whole_work(s), one->work_us + passed_s * work_per_s(s));
}

static bool is_unused(const struct shares *s, const struct share *one)
{
    return one->running == 0 && one->uploads == whole_uploads(s) && one->bytes == whole_bytes(s) &&
           one->work_us == whole_work(s);
}

/* The place that is taken from somebody: a free one, else that of who came longest ago and has nothing under way. */
static struct share *place_for(struct shares *s)
{
    struct share *oldest = NULL;

    for (size_t i = 0; i < SHARES_MAX; i++) {
        struct share *one = &s->of[i];
        if (one->name[0] == '\0')
            return one;
        if (one->running == 0 && (oldest == NULL || one->at_s < oldest->at_s))
            oldest = one;
    }
    return oldest;
}

static struct share *find(struct shares *s, struct str name)
{
    for (size_t i = 0; i < SHARES_MAX && s->of[i].name[0] != '\0'; i++)
        if (str_eq(str_of(s->of[i].name), name))
            return &s->of[i];
    return NULL;
}

/* Names and addresses are printable, without a blank: so they stand in a line of text. */
static bool is_name(struct str name)
{
    for (size_t i = 0; i < name.n; i++)
        if (name.p[i] <= ' ' || name.p[i] > '~')
            return false;
    return name.n > 0 && name.n <= SHARES_NAME_BYTES;
}

/* NULL: it is no name, or all places are of those with uploads under way. */
static struct share *share_of(struct shares *s, struct str name, int64_t now_s)
{
    struct share *one = find(s, name);

    if (one == NULL) {
        one = is_name(name) ? place_for(s) : NULL;
        if (one == NULL)
            return NULL;
        *one = (struct share){
            .uploads = whole_uploads(s), .bytes = whole_bytes(s), .work_us = whole_work(s), .at_s = now_s};
        memcpy(one->name, name.p, name.n);
    }
    come_back(s, one, now_s);
    return one;
}

static uint64_t seconds_for(int64_t missing, int64_t per_s)
{
    return missing <= 0 || per_s <= 0 ? 0 : (uint64_t)((missing + per_s - 1) / per_s);
}

static void tell(const struct shares *s, const struct share *one, struct share_left *left)
{
    int64_t per_s = (int64_t)s->config->uploads_per_minute;

    *left = (struct share_left){.uploads = (uint64_t)(one->uploads / MINUTE_S),
                                .uploads_s = seconds_for(MINUTE_S - one->uploads % MINUTE_S, per_s),
                                .bytes = one->bytes > 0 ? (uint64_t)one->bytes : 0,
                                .bytes_s = seconds_for(whole_bytes(s) - one->bytes, bytes_per_s(s))};
}

static void refuse(struct share_left *left, uint64_t retry_s, const char *why)
{
    left->retry_s = retry_s;
    left->why = why;
}

/* `one` is NULL where nobody else can be counted. */
static void judge(const struct shares *s, const struct share *one, struct share_left *left)
{
    enum { SOON_S = 5 };
    const struct config *c = s->config;

    *left = (struct share_left){.why = NULL};
    if (one == NULL) {
        refuse(left, SOON_S, "Too many others upload at the moment.");
        return;
    }
    tell(s, one, left);
    if (c->uploads_at_once > 0 && one->running >= c->uploads_at_once)
        refuse(left, SOON_S, "You have as many uploads under way as you may have at a time.");
    else if (c->uploads_per_minute > 0 && one->uploads < MINUTE_S)
        refuse(left, left->uploads_s, "You have begun as many uploads as you may in a minute.");
    else if (c->upload_bytes_per_day > 0 && one->bytes <= 0)
        refuse(left, seconds_for(1 - one->bytes, bytes_per_s(s)),
               "You have uploaded as many bytes as you may in a day.");
}

/* ---- any thread ---- */

bool shares_begin(struct shares *s, struct str name, int64_t now_s, struct share_left *left)
{
    pthread_mutex_lock(&s->lock);
    struct share *one = share_of(s, name, now_s);
    judge(s, one, left);
    bool begins = left->why == NULL;
    if (begins) {
        one->running++;
        one->uploads -= s->config->uploads_per_minute > 0 ? MINUTE_S : 0;
    }
    pthread_mutex_unlock(&s->lock);
    return begins;
}

/* So that no sum overflows, what is below 0 ends somewhere. */
static void take(int64_t *left, uint64_t n)
{
    const uint64_t MOST = UINT64_C(1) << 60;

    *left -= least((int64_t)(n < MOST ? n : MOST), *left + (int64_t)MOST);
}

static void pay(struct shares *s, struct str name, uint64_t bytes, uint64_t work_us, int64_t now_s)
{
    pthread_mutex_lock(&s->lock);
    struct share *one = find(s, name); /* it stays while an upload of it is under way */
    if (one != NULL) {
        come_back(s, one, now_s);
        take(&one->bytes, s->config->upload_bytes_per_day > 0 ? bytes : 0);
        take(&one->work_us, s->config->work_seconds_per_minute > 0 ? work_us : 0);
    }
    pthread_mutex_unlock(&s->lock);
}

void shares_pay(struct shares *s, struct str name, uint64_t bytes, int64_t now_s)
{
    pay(s, name, bytes, 0, now_s);
}

void shares_pay_work(struct shares *s, struct str name, uint64_t us, int64_t now_s)
{
    pay(s, name, 0, us, now_s);
}

bool shares_behind(struct shares *s, struct str name, int64_t now_s)
{
    pthread_mutex_lock(&s->lock);
    struct share *one = find(s, name);
    if (one != NULL)
        come_back(s, one, now_s);
    bool behind = one != NULL && one->work_us < 0;
    pthread_mutex_unlock(&s->lock);
    return behind;
}

void shares_end(struct shares *s, struct str name)
{
    pthread_mutex_lock(&s->lock);
    struct share *one = find(s, name);
    if (one != NULL && one->running > 0)
        one->running--;
    pthread_mutex_unlock(&s->lock);
}

void shares_look(struct shares *s, struct str name, int64_t now_s, struct share_left *left)
{
    pthread_mutex_lock(&s->lock);
    struct share *one = share_of(s, name, now_s);
    *left = (struct share_left){.why = NULL};
    if (one != NULL)
        tell(s, one, left);
    pthread_mutex_unlock(&s->lock);
}

/* ---- as text: NAME UPLOADS BYTES WORK SECOND ---- */

static void put_signed(struct buf *b, int64_t n)
{
    buf_z(b, n < 0 ? " -" : " ");
    buf_u64(b, (uint64_t)(n < 0 ? -n : n));
}

void shares_put(struct shares *s, struct buf *b)
{
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < SHARES_MAX && s->of[i].name[0] != '\0'; i++) {
        const struct share *one = &s->of[i];
        if (is_unused(s, one))
            continue;
        buf_z(b, one->name);
        put_signed(b, one->uploads);
        put_signed(b, one->bytes);
        put_signed(b, one->work_us);
        put_signed(b, one->at_s);
        buf_char(b, '\n');
    }
    pthread_mutex_unlock(&s->lock);
}

static bool take_signed(struct str *line, int64_t *n)
{
    struct str field = STR("");
    uint64_t number;

    str_split(line, ' ', &field);
    bool below = str_starts(field, STR("-"));
    if (below)
        field.p++, field.n--;
    if (!str_to_u64(field, 10, &number) || number > (uint64_t)INT64_MAX / 4)
        return false;
    *n = below ? -(int64_t)number : (int64_t)number;
    return true;
}

static void take_line(struct shares *s, struct str line)
{
    struct str name = STR("");
    struct share read = {.running = 0};

    str_split(&line, ' ', &name);
    if (!take_signed(&line, &read.uploads) || !take_signed(&line, &read.bytes) ||
        !take_signed(&line, &read.work_us) || !take_signed(&line, &read.at_s))
        return;
    struct share *one = share_of(s, name, read.at_s);
    if (one == NULL)
        return;
    one->uploads = least(read.uploads, whole_uploads(s));
    one->bytes = least(read.bytes, whole_bytes(s));
    one->work_us = least(read.work_us, whole_work(s));
    one->at_s = read.at_s;
}

void shares_take(struct shares *s, struct str text)
{
    struct str line;

    pthread_mutex_lock(&s->lock);
    while (text.n > 0 && str_split(&text, '\n', &line))
        if (line.n > 0)
            take_line(s, line);
    pthread_mutex_unlock(&s->lock);
}
