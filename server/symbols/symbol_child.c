#include "server/symbols/symbol_child.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/system/file.h"
#include "server/symbols/symbol_reading.h"
#include "server/symbols/symbol_sandbox.h"

/* ---- the request ---- */

/* It comes from this program itself: what does not add up is somebody's who started the mode by hand. */
static bool open_request(struct symbol_request *r)
{
    struct stat st;
    void *mapped = MAP_FAILED;

    if (fstat(STDIN_FILENO, &st) == 0 && st.st_size >= (off_t)sizeof(struct symbol_head))
        mapped = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, STDIN_FILENO, 0);
    if (mapped == MAP_FAILED)
        return false;
    r->head = mapped;
    r->questions = (const struct symbol_question *)(r->head + 1);
    r->modules = (const struct symbol_module *)(const void *)(r->questions + r->head->n_questions);
    r->files = (const struct symbol_file *)(const void *)(r->modules + r->head->n_modules);
    return r->head->bytes == (uint64_t)st.st_size && r->head->n_files <= SYMBOL_FILES_MAX &&
           (const char *)(r->files + r->head->n_files) == (const char *)mapped + st.st_size;
}

/* ---- the answer ---- */

static bool flush(struct symbol_reading *r)
{
    bool ok = !r->out->failed && file_write_all(STDOUT_FILENO, r->out->p, r->out->n);

    buf_clear(r->out);
    r->out->failed = !ok;
    return ok;
}

static void read_one(struct symbol_reading *r, uint32_t file)
{
    struct stat st;
    int fd = SYMBOL_FIRST_FILE + (int)file;

    r->name = str_of(r->request->files[file].name);
    buf_printf(r->out, "file\t%u\n", file);
    if (fstat(fd, &st) != 0 || st.st_size <= 0)
        return;
    char *bytes = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED) {
        r->out->failed =
            true; /* it is too large for the memory that there is: no answer is better than half of one */
        return;
    }
    symbol_read(r, bytes, (size_t)st.st_size);
    munmap(bytes, (size_t)st.st_size);
}

int symbol_child(void)
{
    struct symbol_request request;
    struct buf out = {0};
    struct symbol_reading r = {.request = &request, .out = &out, .flush = flush};

    if (!open_request(&request) || !symbol_sandbox(&request))
        return EXIT_FAILURE;
    for (uint32_t i = 0; i < request.head->n_files && !out.failed; i++)
        read_one(&r, i);
    buf_z(&out, "end\n");
    bool ok = flush(&r);
    buf_free(&out);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
