#include "server/webhook/webhook_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/system/clock.h"
#include "core/system/folder.h"
#include "server/service.h"

enum { STOP_MS = 3000 }; /* for the thread to end */

/* ---- the thread ---- */

static void *run(void *webhook)
{
    struct webhook *w = webhook;
    struct webhook_item *item;
    struct turn turn;

    turn_init(&turn, w->service->turns, TURN_AHEAD, w, &w->stop);
    while ((item = webhook_take(w, true)) != NULL) {
        if (item->is_series)
            webhook_tell_changes(w, item, &turn);
        else
            webhook_send(w, buf_view(&item->text));
        webhook_item_free(item);
    }
    turn_end(&turn);
    pthread_mutex_lock(&w->lock);
    w->ended = true;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static bool read_secret(struct webhook *w, const char *file, struct diag *diag)
{
    struct buf text = {0};
    int fd = file_open(AT_FDCWD, file, O_RDONLY | O_NONBLOCK);
    bool ok = (fd >= 0 && file_read_all(fd, WEBHOOK_SECRET_BYTES, &text)) ||
              diag_set(diag, DIAG_USAGE, "no secret for the webhook",
                       "Look at its path, and who may read it; it has at most 1,024 bytes.",
                       "The file of webhook_secret_file cannot be read: %s.", strerror(errno));

    struct str secret = str_without_line_end(buf_view(&text));
    if (ok && secret.n == 0)
        ok = diag_set(diag, DIAG_USAGE, "no secret for the webhook", "Put one there, or leave the key out.",
                      "The file of webhook_secret_file is empty.");
    if (ok) {
        memcpy(w->secret, secret.p, secret.n);
        w->secret_bytes = secret.n;
    }
    if (text.n > 0)
        explicit_bzero(text.p, text.n);
    if (fd >= 0)
        close(fd);
    buf_free(&text);
    return ok;
}

struct webhook *webhook_open(struct service *service, struct diag *diag)
{
    const struct curl_library *curl = curl_library(diag);
    struct webhook *w = curl == NULL ? NULL : webhook_new(service);
    const char *file = service->config->webhook_secret_file;

    if (w == NULL) {
        diag_no_memory(diag, "No memory is left for the webhook.");
        return NULL;
    }
    w->curl = curl;
    bool ok = file[0] == '\0' || read_secret(w, file, diag);
    if (ok) {
        w->has_thread = pthread_create(&w->thread, NULL, run, w) == 0;
        ok = w->has_thread || diag_no_memory(diag, "No thread could be started for the webhook.");
    }
    if (ok)
        return w;
    webhook_free(w);
    return NULL;
}

bool webhook_stop(struct webhook *w)
{
    int64_t until = clock_ms() + STOP_MS;

    if (w == NULL || !w->has_thread)
        return true;
    stop_ask(&w->stop, STOP_SERVICE);
    pthread_mutex_lock(&w->lock);
    pthread_cond_broadcast(&w->changed);
    while (!w->ended && clock_ms() < until)
        clock_wait_until(&w->changed, &w->lock, until);
    bool ended = w->ended;
    pthread_mutex_unlock(&w->lock);
    if (ended)
        pthread_join(w->thread, NULL);
    w->has_thread = !ended;
    return ended;
}

void webhook_free(struct webhook *w)
{
    if (w == NULL || !webhook_stop(w))
        return;
    if (w->first != NULL)
        LOG(w->service->log, LOG_WARN, "webhook-dropped", LOG_U64("n", w->n),
            LOG_STR("why", STR("the service ends")));
    while (w->first != NULL) {
        struct webhook_item *next = w->first->next;
        webhook_item_free(w->first);
        w->first = next;
    }
    if (w->handle != NULL)
        w->curl->easy_cleanup(w->handle);
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    explicit_bzero(w->secret, sizeof(w->secret));
    free(w);
}
