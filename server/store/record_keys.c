#include "server/store/record_keys.h"

#include <stdio.h>

void record_bytes_key(const char *id, char key[RECORD_BYTES_KEY_CHARS + 1])
{
    snprintf(key, RECORD_BYTES_KEY_CHARS + 1, "bytes/%.*s", RECORD_ID_CHARS, id);
}

uint32_t record_period(int64_t now_s)
{
    return now_s < 0 ? 1 : (uint32_t)(now_s / RECORD_PERIOD_S) + 1;
}

void record_names_key(const char *sha256, uint32_t period, char key[STORE_KEY_BYTES])
{
    snprintf(key, STORE_KEY_BYTES, "names/%u/%.*s", (unsigned)period, RECORD_SHA256_CHARS, sha256);
}

void record_need_key(const char *sha256, uint32_t period, const char *id, char key[STORE_KEY_BYTES])
{
    snprintf(key, STORE_KEY_BYTES, "names/%u/%.*s.for/%.*s", (unsigned)period, RECORD_SHA256_CHARS, sha256,
             RECORD_ID_CHARS, id);
}

void record_views_prefix(const char *sha256, char prefix[RECORD_VIEWS_PREFIX_CHARS + 1])
{
    snprintf(prefix, RECORD_VIEWS_PREFIX_CHARS + 1, "views/%.2s/%.*s/", sha256, RECORD_SHA256_CHARS, sha256);
}

void record_shown_key(const char *id, enum record_shown which, char key[STORE_KEY_BYTES])
{
    static const char *const NAMES[RECORD_SHOWN] = {"page", "words", "picture"};

    snprintf(key, STORE_KEY_BYTES, "shown/%.*s/%s", RECORD_ID_CHARS, id, NAMES[which]);
}

void record_first_key(const char *id, char key[STORE_KEY_BYTES])
{
    snprintf(key, STORE_KEY_BYTES, "uploads/%.*s.json", RECORD_ID_CHARS, id);
}

void record_gone_key(const char *id, char key[STORE_KEY_BYTES])
{
    snprintf(key, STORE_KEY_BYTES, "gone/%.*s", RECORD_ID_CHARS, id);
}
