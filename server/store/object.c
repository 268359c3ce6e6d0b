#include "server/store/object.h"

#include <errno.h>
#include <string.h>

#include "core/str.h"
#include "core/system/folder.h"

static bool part_valid(struct str part)
{
    static const char ALLOWED[] = "abcdefghijklmnopqrstuvwxyz0123456789._-";

    if (part.n == 0 || part.p[0] == '.')
        return false;
    for (size_t i = 0; i < part.n; i++)
        if (memchr(ALLOWED, part.p[i], sizeof(ALLOWED) - 1) == NULL)
            return false;
    return true;
}

/* A path of from `least` to `most` parts. */
bool store_path_valid(struct str path, size_t least, size_t most)
{
    size_t parts = 0;
    struct str part;

    if (path.n >= STORE_KEY_BYTES || str_starts(path, STR("tmp/")))
        return false;
    for (; str_split(&path, '/', &part); parts++)
        if (!part_valid(part))
            return false;
    return parts >= least && parts <= most;
}

bool store_key_valid(const char *key)
{
    return store_path_valid(str_of(key), 2, FOLDER_DEPTH_MAX);
}

const char *store_reason(enum store_result result)
{
    switch (result) {
    case STORE_DENIED:
        return "the object store refuses";
    case STORE_UNAVAILABLE:
        return "the object store does not answer";
    case STORE_WAITS:
        return "the upload is not in the object store yet";
    case STORE_CORRUPT:
        return "the object has other bytes than were put";
    case STORE_NOT_FOUND:
        return "it is not there";
    case STORE_FULL:
        return "no room is left";
    default:
        return strerror(errno);
    }
}
