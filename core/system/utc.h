/* Points in time as text: ISO 8601 in UTC, to the second, `2026-11-20T10:49:19Z`. */
#pragma once

#include "core/str.h"

enum { UTC_CHARS = 20 };
#define UTC_LAST_S INT64_C(253402300799) /* the end of the year 9999 */

/* Unix time; what is outside of 1970 to 9999 is moved to the nearer end. Returns `out`. */
const char *utc_format(int64_t unix_s, char out[UTC_CHARS + 1]);
/* The same as a text that lives as long as the block that it stands in. */
#define UTC_TEXT(unix_s) utc_format(unix_s, (char[UTC_CHARS + 1]){0})

/* False unless it is exactly what utc_format writes. */
bool utc_parse(struct str text, int64_t *unix_s) MUST_CHECK;
