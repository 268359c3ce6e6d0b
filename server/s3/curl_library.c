#include "server/s3/curl_library.h"

#include <stddef.h>

#include "core/system/library.h"

static struct curl_library library;

static const struct library_function FUNCTIONS[] = {
    {"curl_global_init", offsetof(struct curl_library, global_init)},
    {"curl_easy_init", offsetof(struct curl_library, easy_init)},
    {"curl_easy_reset", offsetof(struct curl_library, easy_reset)},
    {"curl_easy_cleanup", offsetof(struct curl_library, easy_cleanup)},
    {"curl_easy_perform", offsetof(struct curl_library, easy_perform)},
    {"curl_easy_strerror", offsetof(struct curl_library, easy_strerror)},
    {"curl_easy_setopt", offsetof(struct curl_library, easy_setopt)},
    {"curl_easy_getinfo", offsetof(struct curl_library, easy_getinfo)},
    {"curl_slist_append", offsetof(struct curl_library, slist_append)},
    {"curl_slist_free_all", offsetof(struct curl_library, slist_free_all)},
};

static bool begin(void)
{
    return library.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

static struct library libcurl = LIBRARY_INIT("libcurl.so.4", FUNCTIONS, library, begin);

const struct curl_library *curl_library(struct diag *diag)
{
    if (library_ready(&libcurl))
        return &library;
    diag_set(diag, DIAG_IO, "no libcurl", "Install it: apt-get install libcurl4.",
             "libcurl (libcurl.so.4), which asks other services, is not there.");
    return NULL;
}
