#include "server/upload/names_upload.h"

#include <string.h>
#include <time.h>

#include "core/clean.h"
#include "core/sha256.h"
#include "server/convert/mapping_fit.h"
#include "server/http/exchange.h"
#include "server/http/form_body.h"
#include "server/http/message/multipart.h"
#include "server/http/route.h"
#include "server/service.h"
#include "server/store/record.h"
#include "server/store/store.h"
#include "server/symbols/symbol_search.h"
#include "server/upload/keep_blob.h"

/* ---- files that are named ---- */

enum { CHECK_MEMORY_BYTES = 1 << 20 };

static bool no_memory(struct diag *diag)
{
    return diag_no_memory(diag, "No memory to take the file.");
}

static bool refuse_second(enum record_names_file which, struct diag *diag)
{
    static const char *const TITLES[RECORD_NAMES_FILES] = {"more than one mapping",
                                                           "more than one file of symbols"},
                             *const HINTS[RECORD_NAMES_FILES] = {
                                 "Send one mapping.txt.", "Send several files in one archive, zip or tar."};

    return diag_set(diag, DIAG_USAGE, TITLES[which], HINTS[which],
                    "The form has two fields \"%s\"; an upload has one.", RECORD_NAMES_WORDS[which]);
}

bool names_file_begin(struct names_file *f, enum record_names_file which, const struct service *service,
                      struct diag *diag)
{
    if (f->local != NULL)
        return refuse_second(which, diag);
    f->local = store_local(service->store);
    f->which = which;
    f->hash = sha256_new();
    if (f->hash == NULL)
        return no_memory(diag);
    if (which == RECORD_MAPPING) {
        /* Nobody asks for a name: it is only looked whether it is a mapping. */
        f->check = mapping_fit_new(STR(""), CHECK_MEMORY_BYTES, diag);
        if (f->check == NULL)
            return false;
    }
    enum store_result result = local_temp_open(f->local, &f->temp);
    if (result != STORE_OK)
        store_access_failed(service->log, result, "stored", diag);
    return result == STORE_OK;
}

static bool has_ended(const struct names_file *f)
{
    return f->sha256[0] != '\0';
}

/* Symbols are known by their beginning; of a mapping every line is looked at. */
static bool check(struct names_file *f, struct str bytes, struct diag *diag)
{
    if (f->which == RECORD_MAPPING)
        return mapping_fit_feed(f->check, bytes, diag);
    size_t room = sizeof(f->head) - f->head_bytes, n = bytes.n < room ? bytes.n : room;
    if (n == 0)
        return true;
    memcpy(f->head + f->head_bytes, bytes.p, n);
    f->head_bytes += n;
    return f->head_bytes < sizeof(f->head) || symbol_check((struct str){f->head, f->head_bytes}, diag);
}

static bool check_end(struct names_file *f, struct diag *diag)
{
    struct mapping_share share;

    return f->which == RECORD_MAPPING ? mapping_fit_finish(f->check, &share, diag)
                                      : symbol_check((struct str){f->head, f->head_bytes}, diag);
}

bool names_file_data(struct names_file *f, const struct service *service, struct str bytes, struct diag *diag)
{
    /* Else the bytes of both fields would be kept under the digest of the second one's: as a file that
     * somebody else may send. */
    if (has_ended(f))
        return refuse_second(f->which, diag);
    sha256_add(f->hash, bytes);
    f->bytes += bytes.n;
    if (!check(f, bytes, diag))
        return false;
    enum store_result result = local_temp_write(&f->temp, bytes.p, bytes.n);
    if (result != STORE_OK)
        store_access_failed(service->log, result, "stored", diag);
    return result == STORE_OK;
}

bool names_file_end(struct names_file *f, struct diag *diag)
{
    uint8_t digest[SHA256_BYTES];
    struct buf hex = {0};

    if (has_ended(f))
        return true;
    if (!check_end(f, diag))
        return false;
    if (sha256_end(f->hash, digest))
        buf_hex_bytes(&hex, digest, sizeof(digest));
    bool ok = hex.n == RECORD_SHA256_CHARS;
    if (ok)
        memcpy(f->sha256, hex.p, RECORD_SHA256_CHARS);
    buf_free(&hex);
    return ok || no_memory(diag);
}

bool names_file_keep(struct names_file *f, const struct service *service, struct diag *diag)
{
    char key[STORE_KEY_BYTES];

    f->period = record_period((int64_t)time(NULL));
    record_names_key(f->sha256, f->period, key);
    return keep_blob(service, &f->temp, key, false, f->sha256, diag);
}

void names_file_free(struct names_file *f)
{
    if (f->local != NULL)
        local_temp_discard(f->local, &f->temp);
    sha256_free(f->hash);
    mapping_fit_free(f->check);
    *f = (struct names_file){.local = NULL};
}

/* ---- files that are uploaded ---- */

enum { TEXT_BYTES_MAX = 255, DRAIN_BYTES = 8 << 20, QUOTED_BYTES = 60 };

static const char *const HINTS[RECORD_NAMES_FILES] = {
    "Send it as a form: curl -F token=TOKEN -F mapping=@mapping.txt URL.",
    "Send it as a form: curl -F token=TOKEN -F symbols=@libfoo.so URL."};

static const char *hint(const struct names_upload *u)
{
    return HINTS[u->which];
}

/* ---- the form ---- */

static bool refuse_field(struct names_upload *u, struct str name)
{
    static const char *const FIELDS[RECORD_NAMES_FILES] = {
        "token, mapping, known, known_file, from and from_token", "token and symbols"};
    struct buf quoted = {0};

    clean_text(&quoted, clean_cut(name, QUOTED_BYTES));
    diag_set(&u->diag, DIAG_USAGE, "unknown form field", hint(u),
             "The form has a field \"%.*s\"; there are %s.", (int)quoted.n, quoted.n > 0 ? quoted.p : "",
             FIELDS[u->which]);
    buf_free(&quoted);
    return false;
}

/* Where the text of a field goes; NULL: it is none that has text. */
static struct buf *text_of(struct names_upload *u, struct str name)
{
    const struct {
        struct str name;
        struct buf *text;
        bool of_mapping;
    } fields[] = {{STR("token"), &u->token, false},
                  {STR("known"), &u->known, true},
                  {STR("known_file"), &u->known_file, true},
                  {STR("from"), &u->from, true},
                  {STR("from_token"), &u->from_token, true}};

    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
        if (str_eq(name, fields[i].name) && (!fields[i].of_mapping || u->which == RECORD_MAPPING))
            return fields[i].text;
    return NULL;
}

static bool begin_part(void *context, const struct multipart_part *part)
{
    struct names_upload *u = context;

    u->field = text_of(u, part->name);
    if (u->field != NULL)
        return true;
    if (!str_eq(part->name, str_of(RECORD_NAMES_WORDS[u->which])))
        return refuse_field(u, part->name);
    u->seen = true;
    u->unnamed = part->has_filename && part->filename.n == 0;
    return !part->has_filename || u->unnamed ||
           names_file_begin(&u->file, u->which, u->exchange->service, &u->diag);
}

static bool part_data(void *context, const char *p, size_t n)
{
    struct names_upload *u = context;
    const struct service *service = u->exchange->service;

    if (u->field == NULL) {
        u->unnamed = false;
        if (u->file.local == NULL && !names_file_begin(&u->file, u->which, service, &u->diag))
            return false;
        return names_file_data(&u->file, service, (struct str){p, n}, &u->diag);
    }
    struct buf *text = u->field;
    if (n > TEXT_BYTES_MAX - text->n)
        return diag_set(&u->diag, DIAG_USAGE, "form field too long", hint(u),
                        "A field of the form has more than %d bytes.", TEXT_BYTES_MAX);
    buf_bytes(text, p, n);
    return !text->failed || diag_no_memory(&u->diag, "No memory to take the form.");
}

static bool end_part(void *context)
{
    struct names_upload *u = context;

    return u->field != NULL || u->file.local == NULL || names_file_end(&u->file, &u->diag);
}

/* ---- the body ---- */

static void end(void *state)
{
    struct names_upload *u = state;

    names_file_free(&u->file);
    multipart_free(u->multipart);
    buf_free(&u->token);
    buf_free(&u->known);
    buf_free(&u->known_file);
    buf_free(&u->from);
    buf_free(&u->from_token);
}

static enum exchange_step begin(struct exchange *x, enum record_names_file which)
{
    char boundary[MULTIPART_BOUNDARY_MAX + 1];
    struct str type = x->header(x, "Content-Type"), coding = x->header(x, "Content-Encoding");
    struct diag diag = {0};

    if (coding.n > 0 && !str_eq_nocase(str_trim(coding), STR("identity")))
        return form_body_refuse_coding(x);
    if (!multipart_boundary(type.p != NULL ? type : STR(""), boundary, &diag))
        return exchange_diag(x, &diag);
    struct names_upload *u = exchange_state(x, sizeof(*u), end);
    if (u == NULL)
        return exchange_no_memory(x, "the form");
    u->exchange = x;
    u->which = which;
    u->multipart = multipart_new(boundary, (struct multipart_handler){begin_part, part_data, end_part, u});
    x->body = u;
    return u->multipart != NULL ? X_WAIT : exchange_no_memory(x, "the form");
}

enum exchange_step names_upload_begin_mapping(struct exchange *x)
{
    return begin(x, RECORD_MAPPING);
}

enum exchange_step names_upload_begin_symbols(struct exchange *x)
{
    return begin(x, RECORD_SYMBOLS);
}

static bool take(struct names_upload *u, const char *p, size_t n)
{
    uint64_t limit = u->exchange->service->config->max_upload_bytes;

    if (!multipart_feed(u->multipart, p, n, &u->diag))
        return false;
    return u->file.bytes <= limit ||
           diag_set(&u->diag, DIAG_LIMIT, "file too large", "The operator may raise max_upload_bytes.",
                    "The file is larger than the limit max_upload_bytes of %llu bytes.",
                    (unsigned long long)limit);
}

enum body_step names_upload_data(struct exchange *x, const char *p, size_t *n)
{
    struct names_upload *u = x->body;

    u->has_begun = true;
    if (!u->refused)
        u->refused = !take(u, p, *n);
    u->bytes += u->refused ? *n : 0;
    *n = 0;
    if (u->refused)
        x->reply.close = true;
    return u->bytes > DRAIN_BYTES ? BODY_CLOSE : BODY_TAKEN;
}

struct names_upload *names_upload_end(struct exchange *x)
{
    struct names_upload *u = x->body;
    bool ok = !u->refused && multipart_finish(u->multipart, &u->diag);
    int others = (u->known.n > 0) + (u->known_file.n > 0) + (u->from.n > 0);

    if (ok && u->seen + others > 1)
        ok = diag_set(&u->diag, DIAG_USAGE, "two mappings", hint(u),
                      "The form has a mapping, and names another.");
    if (ok && others == 0 && (!u->seen || u->unnamed))
        ok = diag_set(&u->diag, DIAG_USAGE, "no file", hint(u),
                      "The form has no file \"%s\": nothing was chosen.", RECORD_NAMES_WORDS[u->which]);
    if (ok)
        return u;
    exchange_diag(x, &u->diag);
    return NULL;
}
