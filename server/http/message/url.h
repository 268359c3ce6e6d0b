/* Parts of absolute URLs, http://HOST/PATH?QUERY. Pure; what they give lies within the URL. */
#ifndef SERVER_HTTP_MESSAGE_URL_H
#define SERVER_HTTP_MESSAGE_URL_H

#include "core/str.h"

/* Scheme and authority, "http://host:8192". Empty: the URL has none, but begins with its path. */
struct str url_origin(struct str url);

/* "host:8192" of "http://host:8192/path". Empty: the URL has none. */
struct str url_authority(struct str url);

/* What stands behind them: all of it if there are none; empty, or beginning with / or ?. */
struct str url_rest(struct str url);

#endif
