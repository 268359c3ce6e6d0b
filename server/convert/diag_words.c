#include "server/convert/diag_words.h"

#include <stdio.h>
#include <string.h>

static const char *const WORDS[] = {
    [DIAG_ABOUT_MEMORY] = "The service's operator may raise job_memory_bytes.",
    [DIAG_ABOUT_UNPACKED_BYTES] = "The service's operator may raise max_unpacked_bytes.",
    [DIAG_ABOUT_UNPACKED_RATIO] = "The service's operator may raise max_unpacked_ratio.",
    [DIAG_ABOUT_METHODS] = "The service's operator may raise max_methods.",
    [DIAG_ABOUT_THREADS] = "The service's operator may raise max_threads.",
    [DIAG_ABOUT_MEMBER] = "That is: curl -F member=NAME -F trace=@FILE, or member=all for each that is read "
                          "here; ?member=NAME in the "
                          "URL, where # is written %23; or --member NAME on the command line.",
    [DIAG_ABOUT_TWO_FILES] =
        "Both as one: cat x.key x.data | curl -T - URL; or drop both onto the page; or aflamed render "
        "x.key x.data.",
};

void diag_add_words(struct diag *diag)
{
    size_t said = strlen(diag->hint);
    const char *words = (size_t)diag->topic < sizeof(WORDS) / sizeof(*WORDS) ? WORDS[diag->topic] : NULL;

    diag->topic = DIAG_ABOUT_NOTHING;
    if (words != NULL)
        snprintf(diag->hint + said, sizeof(diag->hint) - said, "%s%s", said > 0 ? " " : "", words);
}
