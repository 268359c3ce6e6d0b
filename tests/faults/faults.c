#include "tests/faults/faults.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/faults/wraps.h"

enum { BLOCKS = 1 << 20, DESCRIPTORS = 256 };

struct block {
    void *at; /* NULL: none; FREED: none any more */
    void *site;
};

static char FREED[1];
extern const char __executable_start[];

static struct control *control;
static struct block *blocks; /* a hash table with open addressing */
static size_t n_used;        /* places of the table that are not NULL */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t descriptors_before;

static uint64_t offset_of(const void *site)
{
    return (uint64_t)((const char *)site - __executable_start);
}

static uint64_t open_descriptors(void)
{
    uint64_t n = 0;

    for (int fd = 0; fd < DESCRIPTORS; fd++)
        n += __real_fcntl(fd, F_GETFD) >= 0;
    return n;
}

/* ---- failing ---- */

static bool takes_space(const char *function)
{
    static const char *const ALL[] = {FAULTS_CREATE, FAULTS_WRITE, "fsync", "linkat",
                                      "rename",      "renameat",   "mkdir", "mkdirat"};

    for (size_t i = 0; i < sizeof(ALL) / sizeof(ALL[0]); i++)
        if (strcmp(ALL[i], function) == 0)
            return true;
    return false;
}

static bool concerns(const struct control *c, const char *function, int error)
{
    if (strcmp(c->only, FAULTS_MEMORY) == 0)
        return error == ENOMEM;
    if (strcmp(c->only, FAULTS_SPACE) == 0)
        return takes_space(function);
    return c->only[0] == '\0' || strcmp(c->only, function) == 0;
}

bool faults_hit(const char *function, void *site, int error)
{
    struct control *c = control;

    if (c == NULL || atomic_load(&c->armed) == 0 || !concerns(c, function, error))
        return false;
    /* The driver may reset the counts while threads are here: two of them can have the same number then. */
    uint64_t n = atomic_fetch_add(&c->calls, 1);
    if (n < FAULTS_TRACE)
        atomic_store(&c->trace[n], (uint32_t)offset_of(site));
    if (n < atomic_load(&c->first) || n > atomic_load(&c->last))
        return false;
    if (atomic_fetch_add(&c->failed, 1) == 0) {
        pthread_mutex_lock(&lock);
        strncpy(c->name, function, FAULTS_NAME_BYTES - 1);
        pthread_mutex_unlock(&lock);
        atomic_store(&c->site, offset_of(site));
    }
    errno = strcmp(c->only, FAULTS_SPACE) == 0 ? ENOSPC : error;
    return true;
}

/* ---- memory ---- */

static size_t hash_of(const void *block)
{
    return (size_t)(((uint64_t)(uintptr_t)block >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 40) % BLOCKS;
}

void faults_got(void *block, void *site)
{
    if (blocks == NULL || block == NULL)
        return;
    pthread_mutex_lock(&lock);
    size_t i = hash_of(block);
    while (blocks[i].at != NULL && blocks[i].at != FREED)
        i = (i + 1) % BLOCKS;
    if (blocks[i].at == NULL && ++n_used == BLOCKS / 2)
        abort(); /* more memory in pieces than a test should need */
    blocks[i] = (struct block){block, site};
    pthread_mutex_unlock(&lock);
}

/* What nothing stands behind need not be looked past. */
static void forget(size_t i)
{
    blocks[i].at = FREED;
    if (blocks[(i + 1) % BLOCKS].at != NULL)
        return;
    for (; blocks[i].at == FREED; i = (i + BLOCKS - 1) % BLOCKS)
        blocks[i].at = NULL, n_used--;
}

/* Memory from a library is none of ours, and not found. */
void faults_gave(void *block)
{
    if (blocks == NULL || block == NULL)
        return;
    pthread_mutex_lock(&lock);
    size_t i = hash_of(block);
    while (blocks[i].at != NULL && blocks[i].at != block)
        i = (i + 1) % BLOCKS;
    if (blocks[i].at == block)
        forget(i);
    pthread_mutex_unlock(&lock);
}

/* ---- begin and end ---- */

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("FAULTS_CONTROL");
    int fd = path == NULL ? -1 : __real_open(path, O_RDWR | O_CLOEXEC);

    if (fd < 0)
        return;
    void *mapped = mmap(NULL, sizeof(*control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    void *table =
        mmap(NULL, BLOCKS * sizeof(*blocks), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    __real_close(fd);
    if (mapped == MAP_FAILED || table == MAP_FAILED)
        abort();
    blocks = table;
    descriptors_before = open_descriptors();
    control = mapped;
}

__attribute__((destructor)) static void end(void)
{
    struct control *c = control;

    if (c == NULL)
        return;
    atomic_store(&c->armed, 0);
    c->descriptors = open_descriptors() - descriptors_before;
    c->blocks = 0;
    for (size_t i = 0; i < BLOCKS; i++) {
        if (blocks[i].at == NULL || blocks[i].at == FREED)
            continue;
        if (c->blocks < FAULTS_SITES)
            c->sites[c->blocks] = offset_of(blocks[i].site);
        c->blocks++;
    }
    c->ended = 1;
}
