/* usage: reference man1 | man5 | bash | TABLE: prints that part. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/system/folder.h"
#include "tools/reference/reference.h"

static const struct part {
    const char *name;
    void (*put)(struct buf *b);
} PARTS[] = {{"man1", reference_man1}, {"man5", reference_man5}, {"bash", reference_bash}};

static bool put(struct buf *b, const char *name)
{
    for (size_t i = 0; i < sizeof(PARTS) / sizeof(PARTS[0]); i++)
        if (strcmp(PARTS[i].name, name) == 0) {
            PARTS[i].put(b);
            return true;
        }
    return reference_table(b, name);
}

int main(int argc, char **argv)
{
    struct buf b = {0};

    if (argc != 2 || !put(&b, argv[1])) {
        fprintf(stderr, "usage: reference man1 | man5 | bash | TABLE\n");
        return 2;
    }
    bool ok = !b.failed && file_write_all(STDOUT_FILENO, b.p, b.n);
    buf_free(&b);
    return ok ? 0 : 1;
}
