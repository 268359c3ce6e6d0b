/* libcurl, loaded when it is first needed: with all that it needs itself it takes longer to load than the program, and
 * a service that keeps its uploads in a directory never needs it. */
#pragma once

#include <curl/curl.h>

#include "core/diag.h"

/* The functions of libcurl that are used, under their own names without "curl_". */
struct curl_library {
    __typeof__(curl_global_init) *global_init; /* was called */
    __typeof__(curl_easy_init) *easy_init;
    __typeof__(curl_easy_reset) *easy_reset;
    __typeof__(curl_easy_cleanup) *easy_cleanup;
    __typeof__(curl_easy_perform) *easy_perform;
    __typeof__(curl_easy_strerror) *easy_strerror;
    CURLcode (*easy_setopt)(CURL *handle, CURLoption option, ...);
    CURLcode (*easy_getinfo)(CURL *handle, CURLINFO info, ...);
    __typeof__(curl_slist_append) *slist_append;
    __typeof__(curl_slist_free_all) *slist_free_all;
};

/* Stays loaded until the program ends. NULL: diag. Any thread. */
const struct curl_library *curl_library(struct diag *diag) MUST_CHECK;
