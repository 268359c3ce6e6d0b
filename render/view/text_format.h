/* What is known of a text that is made of a profile: the first member of each row of a table of formats. */
#pragma once

struct text_format {
    const char *name;       /* --format, and the suffix of URLs */
    const char *media_type; /* with charset where it has one */
    const char *help;       /* what it is for, in a few words that can stand in brackets */
    unsigned revision;      /* raised when the bytes change for equal input: part of every cache key */
};
