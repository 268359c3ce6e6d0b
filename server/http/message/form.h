/* A small form, read whole: application/x-www-form-urlencoded, as browsers and curl -d send it, or
 * multipart/form-data, as curl -F does. Pure. */
#pragma once

#include "core/buf.h"
#include "core/diag.h"
#include "core/str.h"

/* Scheme and authority, "http://host:8192". Empty: the URL has none, but begins with its path. */
struct str url_origin(struct str url);

/* "host:8192" of "http://host:8192/path". Empty: the URL has none. */
struct str url_authority(struct str url);

/* What stands behind them: all of it if there are none; empty, or beginning with / or ?. */
struct str url_rest(struct str url);

enum { FORM_FIELDS_MAX = 32 };

/* Zeroed it has no field. */
struct form {
    struct buf text; /* names and values, decoded; any bytes may come out */
    struct form_field {
        size_t name, name_bytes, value, value_bytes; /* in text */
    } fields[FORM_FIELDS_MAX];
    size_t n;
};

/* Reads a body; `boundary` is that of its multipart type, or "" of an urlencoded one: there a + is a blank, and a %
 * without two digits stands for itself. False: diag; form_free all the same. */
bool form_parse(struct form *f, struct str body, const char *boundary, struct diag *diag) MUST_CHECK;
void form_free(struct form *f);
struct str form_name(const struct form *f, size_t i);

/* Of the first field of that name. p == NULL: there is none. */
struct str form_value(const struct form *f, struct str name);
