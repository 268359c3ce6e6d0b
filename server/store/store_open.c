#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/system/file.h"
#include "core/system/folder.h"
#include "server/store/store_impl.h"

/* Tried once, with a real link: file systems and containers lack one half or the other of what it takes. */
static bool probe_nameless(const struct store *s)
{
    int fd = store_open_nameless(s);

    if (fd < 0)
        return false;
    bool ok = store_link_nameless(s, fd, "tmp/probe") == 0 && unlinkat(s->top, "tmp/probe", 0) == 0;
    close(fd);
    return ok;
}

struct clearing {
    int top;
    int error; /* errno of what does not go away */
};

static bool remove_file(void *clearing, const char *path)
{
    struct clearing *c = clearing;

    if (unlinkat(c->top, path, 0) != 0)
        c->error = errno;
    return c->error == 0;
}

/* False with errno. */
static bool clear_tmp(const struct store *s)
{
    struct clearing c = {.top = s->top};

    if (!folder_make_parents(s->top, "tmp/") || !folder_walk(s->top, "tmp/", remove_file, &c))
        return false;
    errno = c.error;
    return c.error == 0;
}

static bool take_lock(struct store *s, const char *directory, struct diag *diag)
{
    s->lock = file_open(s->top, "lock", O_RDWR | O_CREAT);
    if (s->lock < 0)
        return diag_set(diag, DIAG_IO, "the store cannot be opened",
                        "Give the service a directory of its own that it may write to.",
                        "No lock file can be made in %.200s: %m.", directory);
    if (flock(s->lock, LOCK_EX | LOCK_NB) == 0)
        return true;
    if (errno == EWOULDBLOCK)
        return diag_set(diag, DIAG_IO, "the store is in use",
                        "Stop the other one, or give this one another directory with --store DIR.",
                        "Another aflamed uses the directory %.200s.", directory);
    return diag_set(diag, DIAG_IO, "the store cannot be opened", "Put it on a file system that has locks.",
                    "The lock in %.200s cannot be taken: %m.", directory);
}

static bool prepare(struct store *s, const char *directory, struct diag *diag)
{
    static const char HINT[] = "Check its owner and permissions, or name another one with --store DIR.";

    if (!folder_make(directory))
        return diag_set(diag, DIAG_IO, "the store cannot be opened", HINT,
                        "The directory %.200s cannot be made: %m.", directory);
    s->top = file_open(AT_FDCWD, directory, O_RDONLY | O_DIRECTORY);
    if (s->top < 0)
        return diag_set(diag, DIAG_IO, "the store cannot be opened", HINT, "%.200s: %m.", directory);
    if (!take_lock(s, directory, diag))
        return false;
    if (!clear_tmp(s))
        return diag_set(diag, DIAG_IO, "the store cannot be opened", HINT,
                        "Temporary files in %.200s cannot be swept: %m.", directory);
    /* After clearing: a probe that a crash has left would make this one fail. */
    s->nameless = probe_nameless(s);
    return true;
}

struct store *store_open(const char *directory, struct diag *diag)
{
    struct store *s = malloc(sizeof(*s));

    if (s == NULL) {
        diag_set(diag, DIAG_NO_MEMORY, "out of memory", "", "The store cannot be opened.");
        return NULL;
    }
    *s = (struct store){.top = -1, .lock = -1};
    pthread_mutex_init(&s->lock_for_all, NULL);
    pthread_mutex_init(&s->changing, NULL);
    if (prepare(s, directory, diag))
        return s;
    store_close(s);
    return NULL;
}

void store_close(struct store *s)
{
    if (s == NULL)
        return;
    if (s->lock >= 0)
        close(s->lock);
    if (s->top >= 0)
        close(s->top);
    pthread_mutex_destroy(&s->lock_for_all);
    pthread_mutex_destroy(&s->changing);
    free(s);
}
