#include "server/store/migrate.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "server/store/record.h"

struct migration {
    struct store *store;
    const struct log *log;
    uint64_t uploads, unread, blobs;
    bool failed; /* with errno */
};

static bool note_any(void *found, const struct store_object *object)
{
    (void)object;
    *(bool *)found = true;
    return false;
}

/* What is missing cannot be given, and what is there was given before. */
static void give(struct migration *m, const char *sha256, const char *key)
{
    char blob[STORE_KEY_BYTES];

    snprintf(blob, sizeof(blob), "blobs/%.2s/%s", sha256, sha256);
    enum store_result result = local_link(store_local(m->store), blob, key, LOCAL_EVICTABLE);
    m->failed = result != STORE_OK && result != STORE_EXISTS && result != STORE_NOT_FOUND;
}

static void give_names(struct migration *m, const struct record *r, size_t which)
{
    const char *sha256 = r->names.of[which];
    char key[STORE_KEY_BYTES];

    record_names_key(sha256, 0, key);
    give(m, sha256, key);
    if (m->failed)
        return;
    record_need_key(sha256, 0, r->id, key);
    enum store_result result = local_put(store_local(m->store), key, STR(""), LOCAL_EVICTABLE);
    m->failed = result != STORE_OK && result != STORE_EXISTS;
}

static bool give_upload(void *migration, const struct store_object *object)
{
    struct migration *m = migration;
    struct str id = {object->key + strlen("uploads/"), RECORD_ID_CHARS};
    char key[RECORD_BYTES_KEY_CHARS + 1];
    struct record r;

    /* Once for each upload, and of its last revision. */
    if (!str_ends(str_of(object->key), STR(".json")) || !record_id_valid(id))
        return true;
    if (record_load(m->store, id, &r) != RECORD_FOUND) {
        m->unread++;
        return true;
    }
    record_bytes_key(r.id, key);
    give(m, r.sha256, key);
    for (size_t i = 0; !m->failed && i < RECORD_NAMES_FILES; i++)
        if (r.names.of[i][0] != '\0' && r.names.period[i] == 0)
            give_names(m, &r, i);
    m->uploads++;
    return !m->failed;
}

static bool remove_ref(void *migration, const struct store_object *object)
{
    struct migration *m = migration;
    enum store_result result = store_delete(m->store, object->key);

    m->failed = result != STORE_OK && result != STORE_NOT_FOUND;
    return !m->failed;
}

static bool remove_blob(void *migration, const struct store_object *object)
{
    struct migration *m = migration;

    if (m->unread > 0 && object->shares == 1)
        return true;
    m->blobs++;
    return remove_ref(m, object);
}

static bool walk(struct migration *m, const char *folder,
                 bool (*each)(void *migration, const struct store_object *object))
{
    return store_list(m->store, folder, each, m) == STORE_OK && !m->failed;
}

/* False with errno. The blobs go last: as long as one is left, the next start begins again. */
static bool migrate(struct migration *m)
{
    return walk(m, "uploads/", give_upload) && local_sync(store_local(m->store)) == STORE_OK &&
           (m->unread > 0 || walk(m, "refs/", remove_ref)) && walk(m, "blobs/", remove_blob);
}

bool migrate_store(struct store *s, const struct log *log, struct diag *diag)
{
    struct migration m = {.store = s, .log = log};
    bool is_old = false;

    bool ok = store_list(s, "blobs/", note_any, &is_old) == STORE_OK && (!is_old || migrate(&m));
    if (!ok)
        return diag_set(diag, DIAG_IO, "the store cannot be opened",
                        "Nothing is lost: start again when the disk has room and works.",
                        "The store of an earlier version could not be brought to this one: %s.",
                        strerror(errno));
    if (is_old)
        LOG(log, m.unread > 0 ? LOG_WARN : LOG_INFO, "store-migrated", LOG_U64("uploads", m.uploads),
            LOG_U64("unread", m.unread), LOG_U64("blobs", m.blobs));
    return true;
}
