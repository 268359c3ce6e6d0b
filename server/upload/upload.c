#include "server/upload/upload.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/clean.h"
#include "core/str.h"
#include "parser/unpack/unpack.h"
#include "server/config/config.h"
#include "server/convert/identify.h"
#include "server/http/exchange.h"
#include "server/http/message/multipart.h"
#include "server/http/route.h"
#include "server/service.h"
#include "server/spaces/expiry.h"
#include "server/upload/job.h"
#include "server/upload/names_upload.h"
#include "server/upload/upload_share.h"

/* ---- coded bodies ---- */

#define BODY_DECODER_ACCEPTED "gzip, zstd"

/* Windows are as small as RFC 9659 has them for content codings. */
enum {
    BODY_DECODER_WINDOW_BYTES = 8 << 20,
    BODY_DECODER_MEMORY_BYTES = BODY_DECODER_WINDOW_BYTES + (1 << 20)
};

/* A piece of a body that comes out as a few MiB at most, whatever it is. */
enum { BODY_DECODER_PIECE_BYTES = 128 };

static void body_decoder_free(struct body_decoder *c);

static const char HINT[] = "Send the body again, or without Content-Encoding.";

/* Of a Content-Encoding field. *packer is NULL for none, and for identity. False: another coding, or several. */
static bool body_decoder_find(struct str field, const struct packer **packer)
{
    struct str coding = str_trim(field);

    *packer = NULL;
    if (coding.n == 0 || str_eq_nocase(coding, STR("identity")))
        return true;
    *packer = unpack_by_coding(coding);
    return *packer != NULL;
}

/* Whether a raw body begins as its coding says. False: diag. */
static bool body_decoder_agrees(const struct packer *packer, struct str head, struct diag *diag)
{
    bool more;

    if (unpack_detect(head.p, head.n, &more) == packer)
        return true;
    return diag_set(diag, DIAG_USAGE, "body not in its coding", HINT,
                    "Content-Encoding says %s, but the body is no %s.", unpack_name(packer),
                    unpack_noun(packer));
}

struct body_decoder {
    struct arena arena;
    struct unpack *unpack;
    const struct packer *packer;
    struct diag diag;
    uint8_t head[UNPACK_MAGIC_BYTES];
    size_t head_bytes;
};

/* `sink` as in unpack.h. NULL: diag. */
static struct body_decoder *body_decoder_new(const struct packer *packer, const struct config *config,
                                             bool (*sink)(void *context, const uint8_t *p, size_t n),
                                             void *context, struct diag *diag)
{
    const struct unpack_options options = {.limits = {config->max_unpacked_bytes, config->max_unpacked_ratio},
                                           .window_bytes = BODY_DECODER_WINDOW_BYTES,
                                           .step_bytes = BODY_DECODER_PIECE_BYTES,
                                           .sink = sink,
                                           .context = context};
    struct body_decoder *c = calloc(1, sizeof(*c));

    if (c == NULL) {
        diag_no_memory(diag, "No memory for one more upload.");
        return NULL;
    }
    arena_init(&c->arena, BODY_DECODER_MEMORY_BYTES);
    c->packer = packer;
    c->unpack = unpack_new(packer, &c->arena, &options, &c->diag);
    if (c->unpack != NULL)
        return c;
    *diag = c->diag;
    body_decoder_free(c);
    return NULL;
}

/* What is wrong, unless the sink has said so. Always false. */
static bool refuse(const struct body_decoder *c, struct diag *diag)
{
    if (diag->kind == DIAG_NONE)
        *diag = c->diag;
    return false;
}

/* False: diag, or the sink wanted no more. */
static bool body_decoder_feed(struct body_decoder *c, const void *p, size_t n, struct diag *diag)
{
    const uint8_t *bytes = p;

    for (size_t i = 0; i < n && c->head_bytes < sizeof(c->head); i++)
        c->head[c->head_bytes++] = bytes[i];
    if (c->head_bytes == sizeof(c->head) &&
        !body_decoder_agrees(c->packer, (struct str){(const char *)c->head, c->head_bytes}, diag))
        return false;
    return unpack_feed(c->unpack, p, n) || refuse(c, diag);
}

/* After the last byte. A body that is cut or damaged is refused. False as above. */
static bool body_decoder_finish(struct body_decoder *c, struct diag *diag)
{
    struct unpack_report report;

    if (!unpack_finish(c->unpack))
        return refuse(c, diag);
    unpack_report(c->unpack, &report);
    if (report.state == UNPACK_WHOLE && !report.wrong_checksum && report.trailing_bytes == 0)
        return true;
    if (report.state == UNPACK_WHOLE)
        return diag_set(diag, DIAG_USAGE, "damaged body", HINT,
                        "The body's %s does not fit its checksum or length.", unpack_noun(c->packer));
    return diag_at(diag, DIAG_USAGE, report.at, "damaged body", HINT, "The body's %s %s there.",
                   unpack_noun(c->packer), report.state == UNPACK_CUT ? "ends early" : "makes no sense");
}

/* NULL is fine */
static void body_decoder_free(struct body_decoder *c)
{
    if (c == NULL)
        return;
    unpack_free(c->unpack);
    arena_free(&c->arena);
    free(c);
}

/* ---- fields ---- */

enum {
    FIELD_BYTES_MAX = RECORD_MEMBER_BYTES,
    DRAIN_BYTES_MIN = 8 << 20,
    FORM_OVERHEAD_BYTES = 64 << 10, /* delimiters and fields around the file */
    NAME_BYTES_MAX = FORM_OVERHEAD_BYTES,
    FIELD_QUOTED_BYTES = 60 /* of an unknown field's name */
};

static const char UPLOAD_HINT[] = "Send a file: curl -F trace=@file.trace URL, or curl -T file.trace URL.";

/* One file of the form, and what it is called. */
struct upload_file {
    struct job *job;
    struct buf name;
};

struct upload {
    struct exchange *exchange;
    struct job *job; /* of the file that arrives, or arrived last; NULL behind the end */
    struct upload_file files[JOB_FILES_MAX]; /* those before it; behind the end all of them */
    size_t n_files;
    uint64_t files_bytes;        /* of those before it */
    struct upload_share share;   /* what it is counted with */
    struct multipart *multipart; /* NULL: the body is the file */
    const struct packer *packer; /* of the body's content coding, or NULL */
    struct body_decoder *coding; /* of a coded form, until its end */
    struct diag diag;            /* of the form; the job has its own */
    struct job_result result;
    struct job_member *members; /* what became of each, where there are several; else NULL */
    size_t n_members;
    struct job_asked asked;
    bool refused; /* the rest is drained */
    uint64_t drained_bytes;
    enum {
        FIELD_NONE,
        FIELD_FILE,
        FIELD_NAME,
        FIELD_EXPIRES,
        FIELD_READERS,
        FIELD_MEMBER,
        FIELD_SPACE,
        FIELD_LABEL,
        FIELD_LABELS,
        FIELD_NAMES,
        FIELD_OTHER
    } field;
    bool have_file;               /* a file part with a name or bytes was seen */
    enum record_names_file which; /* of FIELD_NAMES */
    struct names_file names[RECORD_NAMES_FILES];
    struct buf name; /* of all files */
    struct buf file_name, expires, readers, value;
    struct labels labels;
    char space[SPACE_NAME_BYTES + 1];
    char label[LABEL_KEY_BYTES + 2]; /* the key of FIELD_LABEL, cut where it is too long for one */
    size_t value_bytes;              /* of the field, with those that are not kept */
};

/* ---- the form ---- */

/* Each file is an upload of its own; what the form says is of all. They wait for its end: fields may still come. */
static bool begin_next_file(struct upload *u)
{
    if (u->n_files == JOB_FILES_MAX - 1)
        return diag_set(&u->diag, DIAG_USAGE, "too many files", "Send the others in another request.",
                        "A form has at most %d files.", JOB_FILES_MAX);
    if (job_is_about_member(u->job))
        return diag_set(&u->diag, DIAG_USAGE, "several files and a member", "Send the archive alone.",
                        "The field member is of one archive, and the form has several files.");
    if (!job_wait_for_others(u->job, &u->diag))
        return false;
    u->files[u->n_files++] = (struct upload_file){u->job, u->file_name};
    u->files_bytes += job_bytes(u->job);
    u->file_name = (struct buf){0};
    u->job = job_new(u->exchange, &u->diag);
    if (u->job == NULL)
        return false;
    job_await_choice(u->job);
    return true;
}

static bool begin_file(struct upload *u, const struct multipart_part *part)
{
    if (u->have_file && !begin_next_file(u))
        return false;
    u->field = FIELD_FILE;
    u->have_file = !part->has_filename || part->filename.n > 0;
    buf_clear(&u->file_name);
    buf_str(&u->file_name, part->filename);
    return true;
}

static bool begin_names_file(struct upload *u)
{
    return names_file_begin(&u->names[u->which], u->which, u->exchange->service, &u->diag);
}

/* A file that tells names. A form whose field was left empty has none. */
static bool begin_names(struct upload *u, enum record_names_file which, const struct multipart_part *part)
{
    u->field = FIELD_NAMES;
    u->which = which;
    return (part->has_filename && part->filename.n == 0) || begin_names_file(u);
}

/* It may also be a file that was meant to be sent, and whose name was sent instead. */
static bool refuse_field(struct diag *diag, struct str name)
{
    struct buf quoted = {0};

    clean_text(&quoted, clean_cut(name, FIELD_QUOTED_BYTES));
    diag_set(
        diag, DIAG_USAGE, "unknown form field",
        "Fields are: a file (any name), name, expires (days), readers (link or team), space, label.KEY, labels, "
        "member (of an archive, or all), mapping (a mapping.txt file), symbols (a library, or an archive of "
        "several). To send a file, write curl -F trace=@FILE with the @; a label is written -F label.branch=main.",
        "The service does not know the form's field \"%.*s\".", (int)quoted.n, quoted.n > 0 ? quoted.p : "");
    buf_free(&quoted);
    return false;
}

static void begin_label(struct upload *u, struct str key)
{
    size_t n = key.n < sizeof(u->label) - 1 ? key.n : sizeof(u->label) - 1;

    u->field = FIELD_LABEL;
    memcpy(u->label, key.p, n);
    u->label[n] = '\0';
}

static bool take_space(struct upload *u, struct str name)
{
    name = str_trim(name);
    if (!space_name_check(name, &u->diag))
        return false;
    if (name.n > 0)
        memcpy(u->space, name.p, name.n);
    u->space[name.n] = '\0';
    return true;
}

static bool begin_part(void *context, const struct multipart_part *part)
{
    struct upload *u = context;
    struct str key;

    buf_clear(&u->value);
    u->value_bytes = 0;
    for (int i = 0; i < RECORD_NAMES_FILES; i++)
        if (str_eq(part->name, str_of(RECORD_NAMES_WORDS[i])))
            return begin_names(u, (enum record_names_file)i, part);
    if (part->has_filename || str_eq(part->name, STR("trace")))
        return begin_file(u, part);
    if (label_field(part->name, &key)) {
        begin_label(u, key);
        return true;
    }
    u->field = str_eq(part->name, STR("name"))      ? FIELD_NAME
               : str_eq(part->name, STR("expires")) ? FIELD_EXPIRES
               : str_eq(part->name, STR("readers")) ? FIELD_READERS
               : str_eq(part->name, STR("member"))  ? FIELD_MEMBER
               : str_eq(part->name, STR("space"))   ? FIELD_SPACE
               : str_eq(part->name, STR("labels"))  ? FIELD_LABELS
                                                    : FIELD_OTHER;
    return u->field != FIELD_OTHER || refuse_field(&u->diag, part->name);
}

static bool no_memory(struct upload *u)
{
    return diag_no_memory(&u->diag, "No memory to take the form.");
}

/* A name is cut, wherever it comes from (record_set_name): what is kept of it here is enough for that. */
static bool field_data(struct upload *u, const char *p, size_t n)
{
    bool whole = u->field == FIELD_MEMBER || u->field == FIELD_LABELS; /* nothing of it may be cut */
    size_t limit = u->field == FIELD_NAME || whole ? NAME_BYTES_MAX : FIELD_BYTES_MAX;
    size_t room = (whole ? limit : FIELD_BYTES_MAX) - u->value.n;

    /* Neither difference wraps: value_bytes stays within the limit, and value.n within its room. */
    if (n > limit - u->value_bytes)
        return diag_set(&u->diag, DIAG_USAGE, "form field too long",
                        "Shorten name, expires, member or labels.",
                        "A field of the form has more than %zu bytes.", limit);
    u->value_bytes += n;
    buf_bytes(&u->value, p, n < room ? n : room);
    return !u->value.failed || no_memory(u);
}

static bool names_data(struct upload *u, struct str bytes)
{
    struct names_file *file = &u->names[u->which];

    return (file->local != NULL || begin_names_file(u)) &&
           names_file_data(file, u->exchange->service, bytes, &u->diag);
}

static uint64_t names_bytes(const struct upload *u)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < RECORD_NAMES_FILES; i++)
        sum += u->names[i].bytes;
    return sum;
}

/* A file that is refused does not end the form: what follows is other files, or says of all who may read them. */
static bool part_data(void *context, const char *p, size_t n)
{
    struct upload *u = context;

    if (u->field == FIELD_FILE) {
        u->have_file = true;
        job_push(u->job, p, n);
        return true;
    }
    if (u->field == FIELD_NAMES)
        return names_data(u, (struct str){p, n});
    return field_data(u, p, n);
}

static bool end_part(void *context)
{
    struct upload *u = context;
    bool ok = true;

    if (u->field == FIELD_NAME && u->value.n > 0) {
        buf_clear(&u->name);
        buf_str(&u->name, buf_view(&u->value));
    } else if (u->field == FIELD_EXPIRES) {
        buf_clear(&u->expires);
        buf_str(&u->expires, buf_view(&u->value));
    } else if (u->field == FIELD_READERS) {
        buf_clear(&u->readers);
        buf_str(&u->readers, buf_view(&u->value));
    } else if (u->field == FIELD_MEMBER && u->value.n > 0) {
        job_choose(u->job, buf_view(&u->value));
    } else if (u->field == FIELD_SPACE) {
        ok = take_space(u, buf_view(&u->value));
    } else if (u->field == FIELD_LABEL) {
        ok = labels_set(&u->labels, str_of(u->label), buf_view(&u->value), &u->diag);
    } else if (u->field == FIELD_LABELS) {
        ok = labels_set_lines(&u->labels, buf_view(&u->value), &u->diag);
    } else if (u->field == FIELD_NAMES && u->names[u->which].local != NULL) {
        ok = names_file_end(&u->names[u->which], &u->diag);
    }
    u->field = FIELD_NONE;
    return ok;
}

/* ---- begin ---- */

static bool refuse_large(const struct exchange *x, struct diag *diag)
{
    return diag_set(
        diag, DIAG_LIMIT, "upload too large",
        "Record a shorter trace or sample instead of tracing; the operator may raise max_upload_bytes.",
        "The upload is larger than the limit max_upload_bytes of %llu bytes.",
        (unsigned long long)x->service->config->max_upload_bytes);
}

/* Content-Length was vetted to be one number or absent. */
static bool check_length(struct exchange *x, bool form)
{
    struct str length = x->header(x, "Content-Length");
    uint64_t limit = x->service->config->max_upload_bytes + (form ? FORM_OVERHEAD_BYTES : 0);
    struct diag diag = {0};
    uint64_t bytes = 0;

    if (length.p == NULL && x->header(x, "Transfer-Encoding").p == NULL) {
        exchange_problem(x, 411, "length required", UPLOAD_HINT,
                         "The request says neither Content-Length nor chunked.");
        return false;
    }
    if (length.p != NULL && (!str_to_u64(length, 10, &bytes) || bytes > limit)) {
        refuse_large(x, &diag);
        exchange_diag(x, &diag);
        x->reply.close = true;
        return false;
    }
    return true;
}

static bool is_form(const struct exchange *x, struct str type)
{
    struct str kind = {type.p, str_find(type, '/')};

    return str_eq_nocase(kind, STR("multipart")) && !str_eq(x->method, STR("PUT"));
}

static bool open_form(struct upload *u, struct str type, struct diag *diag)
{
    char boundary[MULTIPART_BOUNDARY_MAX + 1];
    struct multipart_handler handler = {begin_part, part_data, end_part, u};

    if (!multipart_boundary(type, boundary, diag))
        return false;
    u->multipart = multipart_new(boundary, handler);
    if (u->multipart == NULL)
        return diag_no_memory(diag, "No memory for one more upload.");
    return true;
}

static bool take_query_label(void *context, struct str name, struct str value)
{
    struct upload *u = context;
    struct str key;

    return !label_field(name, &key) || labels_set(&u->labels, key, value, &u->diag);
}

/* Fields of the form come behind these in the order in which they are sent, and count then. False: diag. */
static bool labels_from_url(struct upload *u, const struct exchange *x)
{
    if (!take_space(u, x->query(x, "space")) ||
        !labels_set_lines(&u->labels, x->query(x, "labels"), &u->diag))
        return false;
    x->each_query(x, take_query_label, u);
    return u->diag.kind == DIAG_NONE;
}

/* The name of a raw body: ?name=, else the last part of PUT's path. */
static void name_from_url(struct upload *u, const struct exchange *x)
{
    struct str name = x->query(x, "name"), expires = x->query(x, "expires");

    if (name.p == NULL && str_eq(x->method, STR("PUT")))
        name = x->parameters[0];
    buf_str(&u->name, name);
    buf_str(&u->expires, expires);
    buf_str(&u->readers, x->query(x, "readers"));
}

/* The sink of a coded form. */
static bool push_form(void *context, const uint8_t *p, size_t n)
{
    struct upload *u = context;

    return multipart_feed(u->multipart, (const char *)p, n, &u->diag);
}

static void open_body(struct upload *u, struct str type, bool form, struct diag *diag)
{
    struct exchange *x = u->exchange;
    struct str member = x->query(x, "member");

    if (form && !open_form(u, type, diag))
        return;
    if (form && u->packer != NULL)
        u->coding = body_decoder_new(u->packer, x->service->config, push_form, u, diag);
    if (diag->kind == DIAG_NONE)
        u->job = job_new(x, diag);
    if (u->job != NULL && member.n > 0)
        job_choose(u->job, member);
    if (u->job != NULL && form)
        job_await_choice(u->job);
}

/* False: diag. */
static bool expiry(struct upload *u, int64_t now_s, int64_t *expires_s)
{
    const struct config *config = u->exchange->service->config;
    struct str text = str_trim(buf_view(&u->expires));
    uint64_t seconds = config->expires_days * EXPIRY_DAY_S;

    if (u->expires.failed || u->name.failed)
        return no_memory(u);
    if (text.n == 0 && expiry_of_labels(str_of(config->keep_labels), &u->labels, &seconds)) {
        *expires_s = now_s + (int64_t)seconds;
        return true;
    }
    if (text.n > 0 && !expiry_parse(text, config->max_expires_days * EXPIRY_DAY_S, &seconds))
        return diag_set(
            &u->diag, DIAG_USAGE, "bad expiry",
            "Give a number of days (7 or 7d) or of hours (12h); the operator may raise max_expires_days.",
            "expires must be between one hour and the limit max_expires_days of %llu days.",
            (unsigned long long)config->max_expires_days);
    *expires_s = now_s + (int64_t)seconds;
    return true;
}

bool readers_parse(const struct service *service, struct str text, bool *team, struct diag *diag)
{
    if (text.p == NULL)
        text = str_of(service->config->readers);
    *team = str_eq(str_trim(text), STR("team"));
    if (!*team && !str_eq(str_trim(text), STR("link")))
        return diag_set(diag, DIAG_USAGE, "unknown readers", "Say readers=link or readers=team.",
                        "An upload is read by who has its link, or by the team.");
    return !*team || service->doors != NULL ||
           diag_set(diag, DIAG_USAGE, "no team here",
                    "Leave readers out; who runs the service can set tokens_file.",
                    "The service knows nobody, so that nobody could read the upload.");
}

/* An empty field of a form says nothing. False: diag. */
static bool readers(struct upload *u, bool *team)
{
    struct str text = str_trim(buf_view(&u->readers));

    if (u->readers.failed)
        return no_memory(u);
    return readers_parse(u->exchange->service, text.n > 0 ? text : (struct str){NULL, 0}, team, &u->diag);
}

static bool check_coding(struct exchange *x, const struct packer **packer)
{
    if (body_decoder_find(x->header(x, "Content-Encoding"), packer))
        return true;
    exchange_problem(x, 415, "unknown content coding", "Code the body once, as gzip or zstd, or not at all.",
                     "The request's Content-Encoding is not one that is read here.");
    reply_header(&x->reply, "Accept-Encoding", BODY_DECODER_ACCEPTED);
    x->reply.close = true;
    return false;
}

/* With those that nobody wants. */
static uint64_t bytes_so_far(const struct upload *u)
{
    return u->files_bytes + (u->job == NULL ? 0 : job_bytes(u->job)) + names_bytes(u) + u->drained_bytes;
}

static void end(void *state)
{
    struct upload *u = state;

    upload_share_end(u->exchange->service, &u->share, bytes_so_far(u));
    job_release(u->job);
    for (size_t i = 0; i < u->n_files; i++) {
        job_release(u->files[i].job);
        buf_free(&u->files[i].name);
    }
    for (size_t i = 0; i < RECORD_NAMES_FILES; i++)
        names_file_free(&u->names[i]);
    shared_bytes_unref(u->result.summary);
    body_decoder_free(u->coding);
    multipart_free(u->multipart);
    free(u->members);
    buf_free(&u->name);
    buf_free(&u->file_name);
    buf_free(&u->expires);
    buf_free(&u->readers);
    buf_free(&u->value);
}

enum exchange_step upload_begin(struct exchange *x)
{
    struct str type = x->header(x, "Content-Type");
    bool form = type.p != NULL && is_form(x, type);
    const struct packer *packer;
    int64_t expires_s = 0;
    bool team, asks;

    if (!check_length(x, form) || !check_coding(x, &packer))
        return X_DONE;
    struct upload *u = exchange_state(x, sizeof(*u), end);
    if (u == NULL)
        return exchange_no_memory(x, "one more upload");
    u->exchange = x;
    if (!upload_share_begin(x, &u->share))
        return X_DONE;
    u->have_file = !form;
    u->packer = packer;
    x->body = u;
    name_from_url(u, x);
    /* Only checked here: what is wrong in the URL is refused before the body is sent. */
    if (store_is_away(x->service->store, &asks) && !asks && !store_accepts_alone(x->service->store))
        store_access_failed(x->service->log, STORE_UNAVAILABLE, "stored", &u->diag);
    else if (expiry(u, 0, &expires_s) && readers(u, &team) && labels_from_url(u, x))
        open_body(u, type, form, &u->diag);
    if (u->diag.kind == DIAG_NONE)
        return X_WAIT;
    exchange_diag(x, &u->diag);
    x->reply.close = true;
    return X_DONE;
}

/* ---- data ---- */

static bool push(struct upload *u, const char *p, size_t n)
{
    bool ok = u->coding != NULL      ? body_decoder_feed(u->coding, p, n, &u->diag)
              : u->multipart != NULL ? multipart_feed(u->multipart, p, n, &u->diag)
                                     : job_push(u->job, p, n);

    if (!ok)
        return false;
    return u->files_bytes + job_bytes(u->job) + names_bytes(u) <=
               u->exchange->service->config->max_upload_bytes ||
           refuse_large(u->exchange, &u->diag);
}

/* No answer can be given in the middle of a body: the rest of a refused one is taken and dropped, so that
 * its client sees why. One that goes on beyond any upload's size is cut off. */
static uint64_t drain_limit(const struct config *config)
{
    return config->max_upload_bytes > DRAIN_BYTES_MIN ? config->max_upload_bytes : DRAIN_BYTES_MIN;
}

enum body_step upload_data(struct exchange *x, const char *p, size_t *n)
{
    struct upload *u = x->body;

    while (*n > 0 && !u->refused) {
        size_t piece = u->coding != NULL && *n > BODY_DECODER_PIECE_BYTES ? BODY_DECODER_PIECE_BYTES : *n;
        if (!job_ready(u->job, x))
            return BODY_WAIT;
        u->refused = !push(u, p, piece);
        p += piece;
        *n -= piece;
    }
    if (!u->refused)
        return BODY_TAKEN;
    x->reply.close = true;
    u->drained_bytes += *n;
    *n = 0;
    return u->drained_bytes > drain_limit(x->service->config) ? BODY_CLOSE : BODY_TAKEN;
}

/* ---- end ---- */

/* Whether the body was coded as its header says. */
static bool check_coded(struct upload *u)
{
    if (u->packer == NULL || (u->refused && u->multipart != NULL))
        return true;
    if (u->multipart == NULL)
        return body_decoder_agrees(u->packer, job_head(u->job), &u->diag);
    bool ok = u->coding == NULL || body_decoder_finish(u->coding, &u->diag);
    body_decoder_free(u->coding);
    u->coding = NULL;
    return ok;
}

/* What can be said of one file only. */
static bool check_several(struct upload *u)
{
    bool has_names = u->names[RECORD_MAPPING].local != NULL || u->names[RECORD_SYMBOLS].local != NULL;

    if (u->n_files == 0 || (!has_names && !job_is_about_member(u->job)))
        return true;
    return diag_set(&u->diag, DIAG_USAGE, "several files", "Send the files in a request each.",
                    "A member, a mapping or symbols are of one file, and the form has several.");
}

/* A field for one more file that was left empty is no file. */
static void drop_empty_file(struct upload *u)
{
    job_release(u->job);
    buf_free(&u->file_name);
    u->job = u->files[--u->n_files].job;
    u->file_name = u->files[u->n_files].name;
    u->files_bytes -= job_bytes(u->job);
    u->have_file = true;
}

static bool check_form(struct upload *u)
{
    if (!check_coded(u))
        return false;
    if (u->multipart == NULL || u->refused)
        return u->diag.kind == DIAG_NONE;
    if (!multipart_finish(u->multipart, &u->diag))
        return false;
    if (!u->have_file && u->n_files > 0)
        drop_empty_file(u);
    if (!u->have_file)
        return diag_set(&u->diag, DIAG_USAGE, "no file", UPLOAD_HINT,
                        "The form has no file: nothing was chosen.");
    return check_several(u);
}

void upload_arrived(struct exchange *x)
{
    struct upload *u = x->body;

    upload_share_pay(x->service, &u->share, bytes_so_far(u));
}

bool upload_is_several(const struct exchange *x)
{
    const struct upload *u = x->body;

    return u->job != NULL && (u->n_files > 0 || job_wants_every_member(u->job));
}

struct str upload_space(const struct exchange *x)
{
    const struct upload *u = x->body;

    return str_of(u->space);
}

/* What the client prefers (RFC 7240): the first one of that name counts. *value: empty if it has none. */
static bool prefers(const struct exchange *x, struct str wanted, struct str *value)
{
    struct str all = x->header(x, "Prefer"), preference, name;

    while (str_split(&all, ',', &preference)) {
        (void)str_split(&preference, ';', value); /* without its parameters */
        (void)str_split(value, '=', &name);
        *value = str_trim(*value);
        if (str_eq_nocase(str_trim(name), wanted))
            return true;
    }
    return false;
}

bool upload_prefers_async(const struct exchange *x)
{
    struct str none;

    return prefers(x, STR("respond-async"), &none);
}

/* ---- one file after the other becomes an upload ---- */

/* What became of a file, as if it were a member of an archive. */
static void add_member(struct upload *u, const struct job_result *result)
{
    struct job_member *m = &u->members[u->n_members++];
    struct str name = str_of(result->record.name);

    *m = (struct job_member){.diag = result->diag, .record = result->record, .read = true};
    if (result->diag.kind != DIAG_NONE)
        unpack_member_name(name, m->record.member);
    else
        u->result.complete = u->result.complete && result->complete;
    shared_bytes_unref(result->summary);
}

/* The result of several is that of the first which was kept, with all as members; or else why the first was not. */
static struct job_result *end_members(struct upload *u)
{
    size_t first = 0;

    while (first + 1 < u->n_members && u->members[first].diag.kind != DIAG_NONE)
        first++;
    if (u->members[first].diag.kind != DIAG_NONE)
        first = 0;
    u->result.diag = u->members[first].diag;
    u->result.record = u->members[first].record;
    u->result.members = u->members;
    u->result.n_members = u->n_members;
    for (size_t i = 0; i < u->n_files; i++)
        job_told(u->files[i].job);
    return &u->result;
}

/* A link is all that an answer needs, unless it is JSON, which has the summary. Whoever says how long it would wait, waits for
 * the picture, too (RFC 7240, 4.3). */
static struct job_patience patience_of(const struct exchange *x)
{
    enum { WAIT_MAX_S = 3600 };
    struct str wait;
    uint64_t seconds;

    if (prefers(x, STR("wait"), &wait) && str_to_u64(wait, 10, &seconds))
        return (struct job_patience){JOB_VIEWS, (seconds < WAIT_MAX_S ? seconds : WAIT_MAX_S) * 1000};
    return (struct job_patience){.views = x->accepts == AS_JSON ? 1 : 0,
                                 .ms = upload_prefers_async(x) ? 0 : x->service->config->answer_within_ms};
}

/* One token is for all of them. */
static void end_next(struct upload *u)
{
    struct upload_file *file = &u->files[u->n_members];
    const struct job_patience patience = patience_of(u->exchange);

    u->asked.name = u->name.n > 0 ? buf_view(&u->name) : buf_view(&file->name);
    u->asked.token = u->result.delete_token;
    job_end(file->job, u->exchange, &u->asked, &patience);
}

struct job_result *upload_result(struct exchange *x)
{
    struct upload *u = x->body;
    struct job_result result;

    if (u->n_files == 1) {
        job_result(u->files[0].job, &u->result);
        job_told(u->files[0].job);
        return &u->result;
    }
    job_result(u->files[u->n_members].job, &result);
    memcpy(u->result.delete_token, result.delete_token, sizeof(u->result.delete_token));
    add_member(u, &result);
    if (u->n_members == u->n_files)
        return end_members(u);
    end_next(u);
    return NULL;
}

bool upload_end(struct exchange *x)
{
    struct upload *u = x->body;

    u->asked =
        (struct job_asked){.created_s = (int64_t)time(NULL), .space = str_of(u->space), .labels = &u->labels};
    if (!check_form(u) || !expiry(u, u->asked.created_s, &u->asked.expires_s) ||
        !readers(u, &u->asked.team)) {
        diag_add_words(&u->diag);
        exchange_diag(x, &u->diag);
        return false;
    }
    if (!who_is_for(&x->who, u->asked.space)) {
        exchange_problem(x, 403, "not in that space", "Say space=NAME with a space that your token is for.",
                         "You may upload into some spaces alone, and this is none of them.");
        return false;
    }
    for (size_t i = 0; i < RECORD_NAMES_FILES; i++)
        if (u->names[i].local != NULL)
            job_names(u->job, &u->names[i]);
    u->files[u->n_files++] = (struct upload_file){u->job, u->file_name};
    u->job = NULL;
    u->file_name = (struct buf){0};
    u->result.complete = true;
    if (u->n_files > 1 && (u->members = calloc(u->n_files, sizeof(*u->members))) == NULL) {
        exchange_no_memory(x, "one more upload");
        return false;
    }
    end_next(u);
    return true;
}
