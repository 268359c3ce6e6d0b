/* One wrapper for each function that the program calls and that can fail. All are alike: see WRAP. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <archive.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>
#include <locale.h>
#include <magic.h>
#include <microhttpd.h>
#include <netdb.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <pcre2.h>
#include <png.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "tests/faults/faults.h"
#include "tests/faults/journal.h"
#include "tests/faults/wraps.h"

/* type name(parameters), called with the arguments, that fails by returning `failure` with errno `error`. */
#define WRAP(type, name, parameters, arguments, failure, error)                                   \
    type __real_##name parameters;                                                                \
    type __wrap_##name parameters;                                                                \
    type __wrap_##name parameters                                                                 \
    {                                                                                             \
        return faults_hit(#name, __builtin_return_address(0), (error)) ? (failure)                \
                                                                       : __real_##name arguments; \
    }

/* The same for what changes files: `note` tells the journal of a result that is no failure. */
#define WRAP_CHANGE(type, name, parameters, arguments, error, note)  \
    type __real_##name parameters;                                   \
    type __wrap_##name parameters;                                   \
    type __wrap_##name parameters                                    \
    {                                                                \
        if (faults_hit(#name, __builtin_return_address(0), (error))) \
            return -1;                                               \
        journal_begin();                                             \
        type result = __real_##name arguments;                       \
        if (result >= 0) {                                           \
            note;                                                    \
        }                                                            \
        journal_end();                                               \
        return result;                                               \
    }

/* ---- the clock: FAULTS_CLOCK_S is by how much it is wrong, which the times of files are then, too ---- */

time_t __real_time(time_t *now);
time_t __wrap_time(time_t *now);

time_t __wrap_time(time_t *now)
{
    const char *wrong_s = getenv("FAULTS_CLOCK_S");
    time_t told = __real_time(NULL) + (wrong_s == NULL ? 0 : (time_t)strtoll(wrong_s, NULL, 10));

    if (now != NULL)
        *now = told;
    return told;
}

/* Times to set: those of now, where none are given. */
static const struct timespec *on_clock(const struct timespec times[2])
{
    static _Thread_local struct timespec now[2];

    if (times != NULL || getenv("FAULTS_CLOCK_S") == NULL)
        return times;
    now[0] = now[1] = (struct timespec){.tv_sec = __wrap_time(NULL)};
    return now;
}

/* ---- memory ---- */

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t bytes);
void *__real_realloc(void *block, size_t n);
char *__real_strdup(const char *s);
char *__real_realpath(const char *path, char *resolved);
void __real_free(void *block);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t bytes);
void *__wrap_realloc(void *block, size_t n);
char *__wrap_strdup(const char *s);
char *__wrap_realpath(const char *path, char *resolved);
void __wrap_free(void *block);

void *__wrap_malloc(size_t n)
{
    void *site = __builtin_return_address(0);
    void *block = faults_hit("malloc", site, ENOMEM) ? NULL : __real_malloc(n);

    faults_got(block, site);
    return block;
}

void *__wrap_calloc(size_t n, size_t bytes)
{
    void *site = __builtin_return_address(0);
    void *block = faults_hit("calloc", site, ENOMEM) ? NULL : __real_calloc(n, bytes);

    faults_got(block, site);
    return block;
}

/* Forgotten before it is freed: another thread may get the same block at once. */
void *__wrap_realloc(void *block, size_t n)
{
    void *site = __builtin_return_address(0);

    if (faults_hit("realloc", site, ENOMEM))
        return NULL;
    faults_gave(block);
    void *moved = __real_realloc(block, n);
    faults_got(moved != NULL ? moved : block, site);
    return moved;
}

char *__wrap_strdup(const char *s)
{
    void *site = __builtin_return_address(0);
    char *copy = faults_hit("strdup", site, ENOMEM) ? NULL : __real_strdup(s);

    faults_got(copy, site);
    return copy;
}

char *__wrap_realpath(const char *path, char *resolved)
{
    void *site = __builtin_return_address(0);
    char *found = faults_hit("realpath", site, ENOMEM) ? NULL : __real_realpath(path, resolved);

    if (resolved == NULL)
        faults_got(found, site);
    return found;
}

void __wrap_free(void *block)
{
    faults_gave(block);
    __real_free(block);
}

/* ---- files ---- */

int __real_openat(int top, const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_openat(int top, const char *path, int flags, ...);
int __wrap_fcntl(int fd, int command, ...);
int __wrap_close(int fd);

static bool makes(int flags)
{
    return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
}

static mode_t mode_of(int flags, va_list arguments)
{
    return makes(flags) ? va_arg(arguments, mode_t) : 0;
}

int __wrap_open(const char *path, int flags, ...)
{
    va_list arguments;

    va_start(arguments, flags);
    mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    if (faults_hit(makes(flags) ? FAULTS_CREATE : "open", __builtin_return_address(0), EMFILE))
        return -1;
    journal_begin();
    int fd = __real_open(path, flags, mode);
    journal_open(fd, AT_FDCWD, path, flags);
    journal_end();
    return fd;
}

/* After the power cut that a test plays the machine would have another boot id than before. */
static const char *path_of(const char *path)
{
    const char *boot_id = getenv("FAULTS_BOOT_ID");

    return boot_id != NULL && strcmp(path, "/proc/sys/kernel/random/boot_id") == 0 ? boot_id : path;
}

int __wrap_openat(int top, const char *path, int flags, ...)
{
    va_list arguments;

    va_start(arguments, flags);
    mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    if (faults_hit(makes(flags) ? FAULTS_CREATE : "openat", __builtin_return_address(0), EMFILE))
        return -1;
    journal_begin();
    int fd = __real_openat(top, path_of(path), flags, mode);
    journal_open(fd, top, path, flags);
    journal_end();
    return fd;
}

/* Of commands whose argument, if there is one, is a number. */
int __wrap_fcntl(int fd, int command, ...)
{
    va_list arguments;

    va_start(arguments, command);
    int argument = va_arg(arguments, int);
    va_end(arguments);
    return faults_hit("fcntl", __builtin_return_address(0), EMFILE) ? -1
                                                                    : __real_fcntl(fd, command, argument);
}

/* A close that fails has closed all the same. */
int __wrap_close(int fd)
{
    int result = __real_close(fd);

    return faults_hit("close", __builtin_return_address(0), EIO) ? -1 : result;
}

WRAP(ssize_t, read, (int fd, void *p, size_t n), (fd, p, n), -1, EIO)
WRAP(ssize_t, pread, (int fd, void *p, size_t n, off_t at), (fd, p, n, at), -1, EIO)

ssize_t __wrap_write(int fd, const void *p, size_t n);

ssize_t __wrap_write(int fd, const void *p, size_t n)
{
    if (faults_hit(fd > STDERR_FILENO ? FAULTS_WRITE : "write", __builtin_return_address(0), EIO))
        return -1;
    journal_begin();
    ssize_t written = __real_write(fd, p, n);
    if (written >= 0)
        journal_write(fd, p, (size_t)written);
    journal_end();
    return written;
}

WRAP(off_t, lseek, (int fd, off_t at, int from), (fd, at, from), -1, EIO)
WRAP_CHANGE(int, fsync, (int fd), (fd), EIO, journal_sync(fd))
WRAP(int, syncfs, (int fd), (fd), -1, EIO)
WRAP(int, fallocate, (int fd, int mode, off_t at, off_t n), (fd, mode, at, n), -1, ENOSPC)
WRAP(int, sync_file_range, (int fd, off64_t at, off64_t n, unsigned flags), (fd, at, n, flags), -1, EIO)
WRAP(int, stat, (const char *path, struct stat *st), (path, st), -1, EACCES)
WRAP(int, lstat, (const char *path, struct stat *st), (path, st), -1, EACCES)
WRAP(int, fstat, (int fd, struct stat *st), (fd, st), -1, EIO)
WRAP(int, fstatat, (int top, const char *path, struct stat *st, int flags), (top, path, st, flags), -1,
     EACCES)
WRAP(int, fchmod, (int fd, mode_t mode), (fd, mode), -1, EPERM)
WRAP(int, futimens, (int fd, const struct timespec times[2]), (fd, on_clock(times)), -1, EPERM)
WRAP(int, utimensat, (int top, const char *path, const struct timespec times[2], int flags),
     (top, path, on_clock(times), flags), -1, EPERM)
WRAP(int, fchown, (int fd, uid_t user, gid_t group), (fd, user, group), -1, EPERM)
WRAP(int, flock, (int fd, int operation), (fd, operation), -1, ENOLCK)
WRAP_CHANGE(int, linkat, (int a, const char *from, int b, const char *to, int flags), (a, from, b, to, flags),
            EIO, journal_name(b, to))
WRAP_CHANGE(int, unlink, (const char *path), (path), EIO, journal_unname(AT_FDCWD, path))
WRAP_CHANGE(int, unlinkat, (int top, const char *path, int flags), (top, path, flags), EIO,
            journal_unname(top, path))
WRAP_CHANGE(int, rename, (const char *from, const char *to), (from, to), EIO,
            (journal_name(AT_FDCWD, to), journal_unname(AT_FDCWD, from)))
WRAP_CHANGE(int, renameat, (int a, const char *from, int b, const char *to), (a, from, b, to), EIO,
            (journal_name(b, to), journal_unname(a, from)))
WRAP_CHANGE(int, mkdir, (const char *path, mode_t mode), (path, mode), EACCES, journal_folder(AT_FDCWD, path))
WRAP_CHANGE(int, mkdirat, (int top, const char *path, mode_t mode), (top, path, mode), EACCES,
            journal_folder(top, path))
WRAP(int, mkostemp, (char *path, int flags), (path, flags), -1, EACCES)
WRAP(DIR *, fdopendir, (int fd), (fd), NULL, ENOMEM)
WRAP(struct dirent *, readdir, (DIR * dir), (dir), NULL, EIO)
WRAP(int, scandir,
     (const char *path, struct dirent ***list, int (*is_wanted)(const struct dirent *),
      int (*order)(const struct dirent **, const struct dirent **)),
     (path, list, is_wanted, order), -1, ENOMEM)
WRAP(FTS *, fts_open, (char *const *paths, int flags, int (*order)(const FTSENT **a, const FTSENT **b)),
     (paths, flags, order), NULL, ENOMEM)
/* Only some flags have a fifth argument; without them it is passed on, and not looked at. */
WRAP(void *, mremap, (void *at, size_t old_n, size_t n, int flags, void *to), (at, old_n, n, flags, to),
     MAP_FAILED, ENOMEM)
WRAP(void *, mmap, (void *at, size_t n, int protection, int flags, int fd, off_t offset),
     (at, n, protection, flags, fd, offset), MAP_FAILED, ENOMEM)
WRAP(int, madvise, (void *at, size_t n, int advice), (at, n, advice), -1, EINVAL)
WRAP(int, memfd_create, (const char *name, unsigned flags), (name, flags), -1, EMFILE)
WRAP(int, fflush, (FILE * stream), (stream), EOF, EIO)

/* ---- sockets ---- */

WRAP(int, socket, (int domain, int type, int protocol), (domain, type, protocol), -1, EMFILE)
WRAP(int, bind, (int fd, const struct sockaddr *address, socklen_t n), (fd, address, n), -1, EADDRINUSE)
WRAP(int, listen, (int fd, int backlog), (fd, backlog), -1, EADDRINUSE)
WRAP(int, connect, (int fd, const struct sockaddr *address, socklen_t n), (fd, address, n), -1, EACCES)
WRAP(int, shutdown, (int fd, int how), (fd, how), -1, ENOTCONN)
WRAP(int, getsockname, (int fd, struct sockaddr *address, socklen_t *n), (fd, address, n), -1, ENOBUFS)
WRAP(int, getsockopt, (int fd, int level, int option, void *p, socklen_t *n), (fd, level, option, p, n), -1,
     ENOBUFS)
WRAP(int, setsockopt, (int fd, int level, int option, const void *p, socklen_t n), (fd, level, option, p, n),
     -1, ENOBUFS)
WRAP(int, getaddrinfo,
     (const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **found),
     (node, service, hints, found), EAI_MEMORY, ENOMEM)
WRAP(int, getnameinfo,
     (const struct sockaddr *address, socklen_t n, char *host, socklen_t host_bytes, char *service,
      socklen_t service_bytes, int flags),
     (address, n, host, host_bytes, service, service_bytes, flags), EAI_MEMORY, ENOMEM)

/* ---- the system otherwise ---- */

WRAP(ssize_t, getrandom, (void *p, size_t n, unsigned flags), (p, n, flags), -1, ENOSYS)
WRAP(int, sched_getaffinity, (pid_t pid, size_t bytes, cpu_set_t *set), (pid, bytes, set), -1, EINVAL)
WRAP(int, setrlimit, (__rlimit_resource_t which, const struct rlimit *limit), (which, limit), -1, EPERM)
WRAP(int, posix_spawn,
     (pid_t * pid, const char *path, const posix_spawn_file_actions_t *actions,
      const posix_spawnattr_t *attributes, char *const *arguments, char *const *environment),
     (pid, path, actions, attributes, arguments, environment), EAGAIN, EAGAIN)
WRAP(int, posix_spawnp,
     (pid_t * pid, const char *file, const posix_spawn_file_actions_t *actions,
      const posix_spawnattr_t *attributes, char *const *arguments, char *const *environment),
     (pid, file, actions, attributes, arguments, environment), ENOMEM, ENOMEM)
WRAP(int, posix_spawnattr_init, (posix_spawnattr_t * attributes), (attributes), ENOMEM, ENOMEM)
WRAP(struct tm *, localtime_r, (const time_t *t, struct tm *tm), (t, tm), NULL, EOVERFLOW)
WRAP(int, posix_spawn_file_actions_init, (posix_spawn_file_actions_t * actions), (actions), ENOMEM, ENOMEM)
WRAP(int, posix_spawn_file_actions_adddup2, (posix_spawn_file_actions_t * actions, int from, int to),
     (actions, from, to), ENOMEM, ENOMEM)
WRAP(int, posix_spawn_file_actions_addopen,
     (posix_spawn_file_actions_t * actions, int fd, const char *path, int flags, mode_t mode),
     (actions, fd, path, flags, mode), ENOMEM, ENOMEM)
WRAP(int, posix_spawn_file_actions_addclosefrom_np, (posix_spawn_file_actions_t * actions, int from),
     (actions, from), ENOMEM, ENOMEM)
WRAP(long, sysconf, (int name), (name), -1, EINVAL)
WRAP(int, pthread_create,
     (pthread_t * thread, const pthread_attr_t *how, void *(*run)(void *), void *argument),
     (thread, how, run, argument), EAGAIN, EAGAIN)
WRAP(int, pthread_getcpuclockid, (pthread_t thread, clockid_t *clock), (thread, clock), ENOENT, ENOENT)
WRAP(int, pthread_key_create, (pthread_key_t * key, void (*end)(void *)), (key, end), EAGAIN, EAGAIN)
WRAP(int, pthread_setspecific, (pthread_key_t key, const void *value), (key, value), ENOMEM, ENOMEM)

/* ---- libraries ---- */

WRAP(EVP_MD *, EVP_MD_fetch, (OSSL_LIB_CTX * library, const char *name, const char *properties),
     (library, name, properties), NULL, ENOMEM)
WRAP(EVP_MD_CTX *, EVP_MD_CTX_new, (void), (), NULL, ENOMEM)
WRAP(int, EVP_DigestInit_ex, (EVP_MD_CTX * c, const EVP_MD *type, ENGINE *engine), (c, type, engine), 0,
     ENOMEM)
WRAP(int, EVP_DigestUpdate, (EVP_MD_CTX * c, const void *p, size_t n), (c, p, n), 0, ENOMEM)
WRAP(int, EVP_DigestFinal_ex, (EVP_MD_CTX * c, unsigned char *out, unsigned *n), (c, out, n), 0, ENOMEM)
WRAP(int, EVP_Digest,
     (const void *p, size_t n, unsigned char *out, unsigned *out_n, const EVP_MD *type, ENGINE *engine),
     (p, n, out, out_n, type, engine), 0, ENOMEM)
WRAP(struct archive *, archive_read_new, (void), (), NULL, ENOMEM)
WRAP(int, archive_read_next_header, (struct archive * a, struct archive_entry **entry), (a, entry),
     (archive_set_error(a, ENOMEM, "fault"), ARCHIVE_FATAL), ENOMEM)
WRAP(int, archive_read_data_block, (struct archive * a, const void **p, size_t *n, la_int64_t *at),
     (a, p, n, at), (archive_set_error(a, ENOMEM, "fault"), ARCHIVE_FATAL), ENOMEM)
WRAP(locale_t, newlocale, (int mask, const char *name, locale_t base), (mask, name, base), (locale_t)0,
     ENOMEM)
WRAP(ZSTD_DStream *, ZSTD_createDStream, (void), (), NULL, ENOMEM)
WRAP(size_t, ZSTD_compress, (void *to, size_t room, const void *p, size_t n, int level),
     (to, room, p, n, level), (size_t)-64, ENOMEM)
WRAP(size_t, ZSTD_decompressStream, (ZSTD_DStream * z, ZSTD_outBuffer *out, ZSTD_inBuffer *in), (z, out, in),
     (size_t)-64, ENOMEM)
WRAP(int, deflateInit2_,
     (z_streamp z, int level, int method, int bits, int memory, int strategy, const char *version, int bytes),
     (z, level, method, bits, memory, strategy, version, bytes), Z_MEM_ERROR, ENOMEM)
WRAP(int, inflateInit2_, (z_streamp z, int bits, const char *version, int size), (z, bits, version, size),
     Z_MEM_ERROR, ENOMEM)
WRAP(int, inflate, (z_streamp z, int flush), (z, flush), Z_MEM_ERROR, ENOMEM)
WRAP(unsigned char *, HMAC,
     (const EVP_MD *kind, const void *key, int key_bytes, const unsigned char *p, size_t n,
      unsigned char *out, unsigned *out_bytes),
     (kind, key, key_bytes, p, n, out, out_bytes), NULL, ENOMEM)
WRAP(int, gnutls_certificate_allocate_credentials, (gnutls_certificate_credentials_t * c), (c),
     GNUTLS_E_MEMORY_ERROR, ENOMEM)
WRAP(int, gnutls_certificate_set_x509_key_mem,
     (gnutls_certificate_credentials_t c, const gnutls_datum_t *certificate, const gnutls_datum_t *key,
      gnutls_x509_crt_fmt_t format),
     (c, certificate, key, format), GNUTLS_E_MEMORY_ERROR, ENOMEM)
WRAP(int, gnutls_pcert_list_import_x509_raw,
     (gnutls_pcert_st * list, unsigned *n, const gnutls_datum_t *certificate, gnutls_x509_crt_fmt_t format,
      unsigned flags),
     (list, n, certificate, format, flags), GNUTLS_E_MEMORY_ERROR, ENOMEM)
WRAP(int, gnutls_privkey_init, (gnutls_privkey_t * key), (key), GNUTLS_E_MEMORY_ERROR, ENOMEM)
WRAP(int, gnutls_privkey_import_x509_raw,
     (gnutls_privkey_t key, const gnutls_datum_t *data, gnutls_x509_crt_fmt_t format, const char *password,
      unsigned flags),
     (key, data, format, password, flags), GNUTLS_E_MEMORY_ERROR, ENOMEM)
WRAP(int, poll, (struct pollfd * fds, nfds_t n, int wait_ms), (fds, n, wait_ms), -1, ENOMEM)
WRAP(pcre2_code *, pcre2_compile_8,
     (PCRE2_SPTR pattern, PCRE2_SIZE n, uint32_t options, int *error, PCRE2_SIZE *offset,
      pcre2_compile_context *context),
     (pattern, n, options, error, offset, context), (*error = PCRE2_ERROR_HEAP_FAILED, NULL), ENOMEM)
WRAP(pcre2_match_data *, pcre2_match_data_create_8, (uint32_t n, pcre2_general_context *context),
     (n, context), NULL, ENOMEM)
WRAP(pcre2_match_context *, pcre2_match_context_create_8, (pcre2_general_context * context), (context), NULL,
     ENOMEM)
WRAP(int, pcre2_match_8,
     (const pcre2_code *code, PCRE2_SPTR text, PCRE2_SIZE n, PCRE2_SIZE from, uint32_t options,
      pcre2_match_data *data, pcre2_match_context *context),
     (code, text, n, from, options, data, context), PCRE2_ERROR_NOMEMORY, ENOMEM)
WRAP(int, png_image_write_to_memory,
     (png_image * image, void *to, png_alloc_size_t *n, int as_8_bit, const void *rgb, png_int_32 stride,
      const void *map),
     (image, to, n, as_8_bit, rgb, stride, map), 0, ENOMEM)
WRAP(magic_t, magic_open, (int flags), (flags), NULL, ENOMEM)
WRAP(int, magic_load, (magic_t m, const char *path), (m, path), -1, ENOMEM)
WRAP(const char *, magic_buffer, (magic_t m, const void *p, size_t n), (m, p, n), NULL, ENOMEM)

WRAP(struct MHD_Response *, MHD_create_response_from_fd_at_offset64, (uint64_t n, int fd, uint64_t at),
     (n, fd, at), NULL, ENOMEM)
WRAP(struct MHD_Response *, MHD_create_response_from_callback,
     (uint64_t n, size_t block, MHD_ContentReaderCallback read, void *context,
      MHD_ContentReaderFreeCallback free_context),
     (n, block, read, context, free_context), NULL, ENOMEM)
WRAP(enum MHD_Result, MHD_add_response_header,
     (struct MHD_Response * response, const char *name, const char *value), (response, name, value), MHD_NO,
     ENOMEM)

enum MHD_Result __real_MHD_queue_response(struct MHD_Connection *connection, unsigned status,
                                          struct MHD_Response *response);
enum MHD_Result __wrap_MHD_queue_response(struct MHD_Connection *connection, unsigned status,
                                          struct MHD_Response *response);

/* From here on the client may have been told. */
enum MHD_Result __wrap_MHD_queue_response(struct MHD_Connection *connection, unsigned status,
                                          struct MHD_Response *response)
{
    if (faults_hit("MHD_queue_response", __builtin_return_address(0), ENOMEM))
        return MHD_NO;
    journal_begin();
    journal_answer(status, MHD_get_response_header(response, "Location"));
    journal_end();
    return __real_MHD_queue_response(connection, status, response);
}

WRAP(struct MHD_Response *, MHD_create_response_from_buffer,
     (size_t n, void *p, enum MHD_ResponseMemoryMode mode), (n, p, mode), NULL, ENOMEM)
