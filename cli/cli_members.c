#include "cli/cli_members.h"

#include <unistd.h>

#include "server/convert/archive_members.h"

/* What of the archive is not among those that were listed. */
static int judge(const struct archive_members *list, const struct config *config, const char *shown)
{
    struct diag diag = {0};

    if (list->left_out > 0)
        diag_set(&diag, DIAG_LIMIT, "more files in the archive", "Choose others by --member NAME.",
                 "%llu more were left out: the limit is %llu.", (unsigned long long)list->left_out,
                 (unsigned long long)config->max_members);
    else if (list->cut)
        diag_set(&diag, DIAG_UNUSABLE, "archive cut or damaged", "Copy it again.",
                 "It cannot be read to its end: there may be more files in it.");
    else if (list->n == 0)
        diag_set(&diag, DIAG_UNUSABLE, "nothing usable in the archive",
                 "aflamed info FILE says what is in it.",
                 "None of its files is of a format that is read here.");
    return diag.kind == DIAG_NONE ? CLI_OK : cli_error(shown, &diag);
}

int cli_each_member(const struct config *config, const char *path, const char *shown, cli_member_fn *each,
                    void *context)
{
    struct archive_members list = {.n = 0};
    struct diag diag = {0};
    int fd = cli_open_again(path, &diag), status = CLI_OK;
    enum archive_found found = fd < 0 ? ARCHIVE_FAILED : archive_members_list(config, fd, NULL, &list, &diag);

    if (fd >= 0)
        close(fd);
    if (found == ARCHIVE_NONE)
        diag_set(&diag, DIAG_USAGE, "no archive", "Leave --member out.", "The file is no archive.");
    if (found != ARCHIVE_LISTED)
        return cli_error(shown, &diag);
    for (size_t i = 0; i < list.n; i++) {
        int of_member = each(context, list.list[i].name, list.list[i].choice, i + 1);
        status = of_member > status ? of_member : status;
    }
    int of_archive = judge(&list, config, shown);
    archive_members_free(&list);
    return of_archive > status ? of_archive : status;
}
