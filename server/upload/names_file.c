#include "server/upload/names_file.h"

#include <string.h>

#include "server/store/record.h"
#include "server/store/store.h"
#include "server/upload/keep_blob.h"

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
    if (f->store != NULL)
        return refuse_second(which, diag);
    f->store = service->store;
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
    enum store_result result = store_temp_open(f->store, &f->temp);
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
    /* Else the bytes of both fields would be kept under the digest of the second one's: as a file that somebody else may send. */
    if (has_ended(f))
        return refuse_second(f->which, diag);
    sha256_add(f->hash, bytes);
    f->bytes += bytes.n;
    if (!check(f, bytes, diag))
        return false;
    enum store_result result = store_temp_write(&f->temp, bytes.p, bytes.n);
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
    return keep_blob(service, &f->temp, f->sha256, f->bytes, diag);
}

void names_file_free(struct names_file *f)
{
    if (f->store != NULL)
        store_temp_discard(f->store, &f->temp);
    sha256_free(f->hash);
    mapping_fit_free(f->check);
    *f = (struct names_file){.store = NULL};
}
