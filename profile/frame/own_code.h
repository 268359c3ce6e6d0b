/* Which packages are the app's own code: guessed from what Android calls, or said by a person.
 *
 * The guess looks at three things, the most certain first:
 *  1. A class that Android calls as an application, an activity or an instrumentation is the app's, then one that it
 *     calls as a fragment, service, receiver or provider, or a test runner as a test (the table is in own_code.c).
 *  2. Packages that the table of origins lists as the platform's or a library's are passed over while another one
 *     qualifies. So Settings is the app in its own profile, and a listed library is not in a profile of its user.
 *  3. Time below the framework's ladder: of each stack the outermost frame that no table knows has all the time below
 *     it, without waiting. It decides among equals, and where Android is not seen to call anything.
 * Packages of the language, of androidx and of Android's framework itself are never the app's. */
#pragma once

#include "core/arena.h"
#include "core/buf.h"
#include "profile/frame/origin_table.h"
#include "profile/profile.h"

/* "app", "library", ... of those below ORIGINS. */
const char *origin_word(enum origin origin);

/* The package of a scope `package.Class`, which is all but its last component; empty if it has one only. */
struct str origin_package(struct str scope);

/* Of a frame by its parts (names.h). What no table knows is given as ORIGIN_APP: it is the app's if
 * origin_is_app says so, else a library's. It is the same of all frames of a scope, but for those that
 * are idle (waits.h). */
enum origin origin_of_scope(struct str scope);

/* Whether the package is `app` or stands below it. False if app is empty. */
bool origin_is_app(struct str package, struct str app);

/* Packages that no table knows, with what they weigh: from them the app is guessed. */
struct origin_package_weight {
    struct str package;
    uint64_t weight;
};

/* The same, but of two components where at least three quarters of the weight are below one third
 * component: with that. */
struct str origin_guess_app(struct origin_package_weight *list, uint32_t n);

enum { OWN_CODE_MAX = 8 };

/* Packages, each with all that stand below it; the most certain first. None: nothing is known to be the app's. */
struct own_code {
    struct str prefix[OWN_CODE_MAX];
    uint32_t n;
};

/* Whether the package is one of them or stands below one. */
bool own_code_has(const struct own_code *own, struct str package);

/* Appends them with commas between them, as own_code_parse reads them. */
void own_code_put(const struct own_code *own, struct buf *b);

/* Reads "com.foo,com.bar". False for an empty list, more than OWN_CODE_MAX, and what is no package; the
 * slices are of `text`. */
bool own_code_parse(struct str text, struct own_code *own);

/* Guesses from a profile. origins[n_frames] are those that the tables know (origin_of_scope,
 * wait_is_idle). The slices are of the profile's memory. The arena lends scratch memory; false when it
 * gives no more. */
bool own_code_guess(const struct profile *p, const uint8_t *origins, struct own_code *own,
                    struct arena *arena) MUST_CHECK;

/* Makes ORIGIN_APP of what is the app's, except of idle and native frames, and ORIGIN_LIBRARY of what
 * no table knows and is not the app's. */
void own_code_settle(const struct profile *p, const struct own_code *own, uint8_t *origins);
