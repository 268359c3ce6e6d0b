/* The files of static/, compiled into the binary by the build. */
#pragma once

#include "core/str.h"

struct static_file {
    struct str name; /* "app.css" */
    struct str media_type;
    struct str bytes;
};

extern const struct static_file STATIC_FILES[];
extern const size_t STATIC_FILES_COUNT;
extern const struct str STATIC_FILES_DIGEST; /* of all their names and bytes */
