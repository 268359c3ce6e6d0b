/* Where a frame's code comes from: known by its package, by a table of prefixes; waiting methods by name. What no
 * table knows is the app's or a third party's: own_code.h tells which. */
#ifndef PROFILE_FRAME_ORIGIN_H
#define PROFILE_FRAME_ORIGIN_H

#include "profile/frame/origin_table.h"

/* "app", "third party", ... of those below ORIGINS. */
const char *origin_word(enum origin origin);

/* The package of a scope `package.Class`, which is all but its last component; empty if it has one only. */
struct str origin_package(struct str scope);

/* Of a frame by its parts (names.h). What no table knows is given as ORIGIN_APP: it is the app's if origin_is_app says
 * so, else a third party's. The first function is enough for all frames of a scope: the second one tells which of
 * them are idle. */
enum origin origin_of_scope(struct str scope);
bool origin_is_idle(struct str scope, struct str name);

/* Whether the package is `app` or stands below it. False if app is empty. */
bool origin_is_app(struct str package, struct str app);

/* Packages that no table knows, with what they weigh: from them the app is guessed. */
struct origin_package_weight {
    struct str package;
    uint64_t weight;
};

/* Added up by the first two components, the heaviest; by as many more as are needed while the table knows other packages
 * below it (com.google), or where it is a host of many projects (com.github). Equal weights: the first, bytewise. Empty
 * if nothing weighs anything. Sorts the list. */
struct str origin_guess_name(struct origin_package_weight *list, uint32_t n);

/* The same, but of two components where at least three quarters of the weight are below one third component: with that. */
struct str origin_guess_app(struct origin_package_weight *list, uint32_t n);

#endif
