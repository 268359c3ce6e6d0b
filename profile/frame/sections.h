/* What sections of system traces are, by their names: what apps and the system mark with android.os.Trace and ATRACE. The
 * table is in sections.c. Names are standard ones, without the numbers of one call (parser/systrace/systrace_name.c). */
#pragma once

#include "profile/profile.h"

enum section_kind {
    SECTION_OTHER,    /* no table knows it: of an app, or of what it uses */
    SECTION_PLATFORM, /* of Android, and nothing more is to be known */
    SECTION_WORK,     /* of Android too; a work that explains all that is within it */
    SECTION_BIND,     /* the process makes its Application */
    SECTION_ACTIVITY, /* an activity is started */
    SECTION_FRAME,    /* one frame of the screen, on the main thread */
    SECTION_DRAWN,    /* the app says that it is ready */
    SECTION_LAUNCH,   /* a start, as the system counts it */
    SECTION_LOCK,     /* waits for a lock that another thread holds */
    SECTION_BINDER,   /* asks another process, until it answers */
    SECTION_GC        /* garbage is collected, or waited for */
};

enum section_kind section_kind_of(struct str name);

/* Whether frames of the profile are sections, not methods, which track events may be, too: those have signatures. */
bool sections_in(const struct profile *p);

/* The class whose code a section is, which stands at its end: "performCreate:com.example.Main"; empty: it names none. */
struct str section_class(struct str name);

/* Of "monitor contention with owner OWNER at METHOD" the two; empty where it has none. */
struct str section_owner(struct str name);
struct str section_owner_method(struct str name);
