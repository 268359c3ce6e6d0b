/* The keys of an upload's objects; record.h says what they are. */
#pragma once

#include "server/store/object.h"
#include "server/store/record_text.h"

/* How long a file of names is shared by those who come. Period 0 has the files that an earlier version has put. */
enum { RECORD_PERIOD_S = 7 * 86400 };

enum { RECORD_BYTES_KEY_CHARS = sizeof("bytes/") - 1 + RECORD_ID_CHARS };

/* The folder of all views that are made from those bytes, views/ab/<sha256>/. */
enum { RECORD_VIEWS_PREFIX_CHARS = sizeof("views/ab//") - 1 + RECORD_SHA256_CHARS };

/* Views that machines with one object store share. */
enum record_shown { SHOWN_PAGE, SHOWN_WORDS, SHOWN_PICTURE, RECORD_SHOWN };

void record_bytes_key(const char *id, char key[RECORD_BYTES_KEY_CHARS + 1]);
void record_first_key(const char *id, char key[STORE_KEY_BYTES]); /* of the record as it was put first */
void record_gone_key(const char *id, char key[STORE_KEY_BYTES]);
void record_names_key(const char *sha256, uint32_t period, char key[STORE_KEY_BYTES]);
void record_need_key(const char *sha256, uint32_t period, const char *id, char key[STORE_KEY_BYTES]);
void record_shown_key(const char *id, enum record_shown which, char key[STORE_KEY_BYTES]);
uint32_t record_period(int64_t now_s);
void record_views_prefix(const char *sha256, char prefix[RECORD_VIEWS_PREFIX_CHARS + 1]);
