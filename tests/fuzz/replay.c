/* Feeds files to a fuzz target without a fuzzer: `replay PATH...`; of a folder, all files in it. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "core/buf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The file in memory of exactly its size, so that a read past its end is seen. */
static bool replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct stat status;

    if (file == NULL || fstat(fileno(file), &status) != 0 || status.st_size < 0) {
        perror(path);
        if (file != NULL)
            fclose(file);
        return false;
    }
    size_t n = (size_t)status.st_size;
    uint8_t *bytes = malloc(n + (n == 0));
    bool ok = bytes != NULL && fread(bytes, 1, n, file) == n;
    if (ok)
        LLVMFuzzerTestOneInput(bytes, n);
    else
        fprintf(stderr, "%s: cannot be read\n", path);
    free(bytes);
    fclose(file);
    return ok;
}

static bool replay_folder(const char *path, DIR *folder, size_t *count)
{
    bool ok = true;

    for (const struct dirent *entry; ok && (entry = readdir(folder)) != NULL;) {
        struct buf name = {0};
        if (entry->d_name[0] == '.')
            continue;
        buf_printf(&name, "%s/%s", path, entry->d_name);
        buf_char(&name, '\0');
        ok = !name.failed && replay_file(name.p);
        buf_free(&name);
        ++*count;
    }
    return ok;
}

int main(int argc, char **argv)
{
    size_t count = 0;
    bool ok = true;

    for (int i = 1; ok && i < argc; i++) {
        DIR *folder = opendir(argv[i]);
        if (folder == NULL) {
            ok = replay_file(argv[i]);
            count++;
            continue;
        }
        ok = replay_folder(argv[i], folder, &count);
        closedir(folder);
    }
    if (ok && count == 0)
        fprintf(stderr, "no file to replay\n");
    else if (ok)
        printf("%zu files replayed\n", count);
    return ok && count > 0 ? 0 : 1;
}
