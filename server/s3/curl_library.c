#include "server/s3/curl_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

static struct curl_library library;
static bool loaded;
static pthread_once_t load_once = PTHREAD_ONCE_INIT;

static const struct {
    const char *name;
    size_t offset;
} FUNCTIONS[] = {
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

static void load(void)
{
    void *so = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);

    if (so == NULL)
        return;
    for (size_t i = 0; i < sizeof(FUNCTIONS) / sizeof(FUNCTIONS[0]); i++) {
        void *function = dlsym(so, FUNCTIONS[i].name);
        if (function == NULL)
            return;
        memcpy((char *)&library + FUNCTIONS[i].offset, &function, sizeof(function));
    }
    __typeof__(curl_global_init) *global_init;
    void *function = dlsym(so, "curl_global_init");
    memcpy(&global_init, &function, sizeof(function));
    loaded = function != NULL && global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

const struct curl_library *curl_library(struct diag *diag)
{
    pthread_once(&load_once, load);
    if (loaded)
        return &library;
    diag_set(diag, DIAG_IO, "the object store cannot be used", "Install it: apt-get install libcurl4.",
             "libcurl (libcurl.so.4), which asks object stores, is not there.");
    return NULL;
}
