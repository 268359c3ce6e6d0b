#include "tests/faults/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/faults/wraps.h"

enum { LINE_BYTES = 2 * PATH_MAX + 100 };

static int journal = -1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("FAULTS_JOURNAL");

    if (path != NULL)
        journal = __real_open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
}

void journal_begin(void)
{
    if (journal >= 0)
        pthread_mutex_lock(&lock);
}

void journal_end(void)
{
    if (journal >= 0)
        pthread_mutex_unlock(&lock);
}

/* A journal that lacks something would prove nothing. */
static void append(const void *p, size_t n)
{
    if (__real_write(journal, p, n) != (ssize_t)n)
        abort();
}

__attribute__((format(printf, 1, 2))) static void line(const char *format, ...)
{
    char text[LINE_BYTES];
    va_list arguments;

    va_start(arguments, format);
    int n = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (n < 0 || (size_t)n >= sizeof(text))
        abort();
    append(text, (size_t)n);
}

struct id {
    char text[50];
};

static struct id id_of(const struct stat *st)
{
    struct id id;

    snprintf(id.text, sizeof(id.text), "%llu:%llu", (unsigned long long)st->st_dev,
             (unsigned long long)st->st_ino);
    return id;
}

static struct id id_of_fd(int fd)
{
    struct stat st = {.st_dev = 0};

    (void)__real_fstat(fd, &st);
    return id_of(&st);
}

/* With the path of the folder before it. */
static const char *absolute(int top, const char *path, char out[LINE_BYTES])
{
    char itself[40];

    snprintf(itself, sizeof(itself), "/proc/self/fd/%d", top);
    ssize_t n = top == AT_FDCWD || path[0] == '/' ? 0 : readlink(itself, out, PATH_MAX);
    n = n < 0 ? 0 : n;
    snprintf(out + n, (size_t)(LINE_BYTES - n), "%s%s", n > 0 ? "/" : "", path);
    return out;
}

static void named(const char *what, int top, const char *path)
{
    char whole[LINE_BYTES];
    struct stat st = {.st_dev = 0};

    (void)__real_fstatat(top, path, &st, AT_SYMLINK_NOFOLLOW);
    line("%s %s %s\n", what, id_of(&st).text, absolute(top, path, whole));
}

void journal_open(int fd, int top, const char *path, int flags)
{
    int why = errno;

    if (journal >= 0 && fd >= 0 && (flags & O_TMPFILE) == O_TMPFILE)
        line("file %s -\n", id_of_fd(fd).text);
    else if (journal >= 0 && fd >= 0 && (flags & O_CREAT) != 0)
        named("file", top, path);
    errno = why;
}

void journal_folder(int top, const char *path)
{
    int why = errno;

    if (journal >= 0)
        named("folder", top, path);
    errno = why;
}

void journal_name(int top, const char *path)
{
    int why = errno;

    if (journal >= 0)
        named("name", top, path);
    errno = why;
}

void journal_unname(int top, const char *path)
{
    int why = errno;
    char whole[LINE_BYTES];

    if (journal >= 0)
        line("unname %s\n", absolute(top, path, whole));
    errno = why;
}

void journal_write(int fd, const void *p, size_t n)
{
    int why = errno;

    if (journal >= 0 && fd == STDOUT_FILENO)
        line("says standard output\n");
    else if (journal >= 0 && fd > STDERR_FILENO) {
        long long end = (long long)__real_lseek(fd, 0, SEEK_CUR);
        line("write %s %lld %zu\n", id_of_fd(fd).text, end - (long long)n, n);
        append(p, n);
        append("\n", 1);
    }
    errno = why;
}

void journal_sync(int fd)
{
    int why = errno;

    if (journal >= 0)
        line("sync %s\n", id_of_fd(fd).text);
    errno = why;
}

void journal_answer(unsigned status, const char *location)
{
    if (journal >= 0)
        line("says answer %u %s\n", status, location == NULL ? "" : location);
}
