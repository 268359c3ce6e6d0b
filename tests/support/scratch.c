#include "tests/support/scratch.h"

#include "tests/support/unit.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

struct scratch scratch_make(void)
{
    struct scratch s;
    const char *base = getenv("TMPDIR");

    snprintf(s.path, sizeof(s.path), "%.200s/aflamed-test-XXXXXX", base == NULL ? "/tmp" : base);
    assert_non_null(mkdtemp(s.path));
    return s;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *position)
{
    (void)st, (void)kind, (void)position;
    return remove(path);
}

void scratch_remove(const struct scratch *s)
{
    assert_int_equal(nftw(s->path, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

void scratch_path(const struct scratch *s, const char *name, char *out, size_t out_bytes)
{
    int n = snprintf(out, out_bytes, "%s/%s", s->path, name);

    assert_true(n > 0 && (size_t)n < out_bytes);
}

void scratch_write(const struct scratch *s, const char *name, const void *p, size_t n)
{
    char path[512];

    scratch_path(s, name, path, sizeof(path));
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(p, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static size_t count_below(const char *path)
{
    size_t n = 0;
    DIR *dir = opendir(path);

    if (dir == NULL)
        return 0;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        char below[512];
        if (entry->d_name[0] == '.')
            continue;
        n++;
        snprintf(below, sizeof(below), "%.250s/%.250s", path, entry->d_name);
        if (entry->d_type == DT_DIR)
            n += count_below(below);
    }
    closedir(dir);
    return n;
}

size_t scratch_count(const struct scratch *s, const char *name)
{
    char path[512];

    scratch_path(s, name, path, sizeof(path));
    return count_below(path);
}

size_t scratch_descriptors(void)
{
    return count_below("/proc/self/fd") - 1; /* that of the counting */
}
