/* The text of a frame and its parts: what is known of a frame from its names alone. All of it raw: not cleaned. */
#pragma once

#include "profile/profile.h"

/* The text of a frame is scope.name, or the one that is not empty. */
struct frame_parts {
    struct str scope; /* `package.Class`; may be empty */
    struct str name;
    struct str signature; /* JVM descriptor, or empty */
};

/* Where the profile has the whole text in one piece (`com.example.Foo.bar` of folded stacks), it is parted here if it
 * reads like a method of a class in a package. Scope and name are never both empty. */
struct frame_parts frame_parts_of(const struct profile *p, const struct profile_frame *frame);

/* The first two components of the frame's package (`androidx.compose`, `java.util`), which is its scope
 * without the last component; more where many libraries share these (`com.google.gson`); the scope, or else the name, where
 * there is no package. */
struct str frame_package(struct str scope, struct str name);

/* Whether many people have projects below the package: each has a name of three components there, as com.github.ann. */
bool frame_is_host(struct str package);

/* What must be known of such a frame to understand it, as one or two sentences; empty of most. */
struct str frame_note(const struct profile *p, const struct profile_frame *frame);
