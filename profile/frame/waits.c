/* THE TABLE of methods that wait. Dalvik, and Android before and after 7, name some of them differently. Not
 * those that may compute (Object.notify, Looper.loop). */
#include "profile/frame/waits.h"

#include <stddef.h>

/* A `*` at the end of scope or name: all that begin so. */
struct wait_row {
    struct str scope, name;
    enum wait_kind kind;
    bool idle;
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* clang-format off */
static const struct wait_row WAITS[] = {
    {STR_INIT("android.os.MessageQueue"), STR_INIT("nativePollOnce"), WAIT_MESSAGES, true},
    {STR_INIT("android.os.MessageQueue"), STR_INIT("next*"), WAIT_MESSAGES, false},
    {STR_INIT("android.os.BinderProxy"), STR_INIT("transact*"), WAIT_BINDER, false},
    {STR_INIT("android.os.SystemClock"), STR_INIT("sleep"), WAIT_SLEEP, false},
    {STR_INIT("android.system.Os"), STR_INIT("poll"), WAIT_IO, true},
    {STR_INIT("android.view.ThreadedRenderer"), STR_INIT("nSyncAndDrawFrame"), WAIT_DRAWING, false},
    {STR_INIT("android.graphics.HardwareRenderer"), STR_INIT("nSyncAndDrawFrame"), WAIT_DRAWING, false},
    {STR_INIT("java.lang.Object"), STR_INIT("wait*"), WAIT_LOCK, true},
    {STR_INIT("java.lang.Thread"), STR_INIT("join*"), WAIT_LOCK, true},
    {STR_INIT("java.lang.Thread"), STR_INIT("park*"), WAIT_PARK, true},
    {STR_INIT("java.lang.Thread"), STR_INIT("sleep*"), WAIT_SLEEP, true},
    {STR_INIT("java.lang.VMThread"), STR_INIT("sleep"), WAIT_SLEEP, true},
    {STR_INIT("java.util.concurrent.locks.LockSupport"), STR_INIT("park*"), WAIT_PARK, true},
    {STR_INIT("java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject"), STR_INIT("await*"), WAIT_LOCK, false},
    {STR_INIT("java.util.concurrent.CountDownLatch"), STR_INIT("await"), WAIT_LOCK, false},
    {STR_INIT("java.util.concurrent.FutureTask"), STR_INIT("get"), WAIT_LOCK, false},
    {STR_INIT("java.util.concurrent.FutureTask"), STR_INIT("awaitDone"), WAIT_LOCK, false},
    {STR_INIT("android.os.ConditionVariable"), STR_INIT("block"), WAIT_LOCK, false},
    {STR_INIT("jdk.internal.misc.Unsafe"), STR_INIT("park"), WAIT_PARK, true},
    {STR_INIT("sun.misc.Unsafe"), STR_INIT("park"), WAIT_PARK, true},
    {STR_INIT("libcore.io.*"), STR_INIT("poll"), WAIT_IO, true},
    {STR_INIT("libcore.io.*"), STR_INIT("accept*"), WAIT_IO, false},
    {STR_INIT("libcore.io.*"), STR_INIT("connect*"), WAIT_IO, false},
    {STR_INIT("libcore.io.*"), STR_INIT("recv*"), WAIT_IO, false},
    {STR_INIT("sun.nio.ch.EPoll"), STR_INIT("wait"), WAIT_IO, true},
    {STR_INIT("sun.nio.ch.*"), STR_INIT("epollWait"), WAIT_IO, true},
    {STR_INIT("sun.nio.ch.*"), STR_INIT("poll*"), WAIT_IO, true},
    {STR_INIT("java.net.SocketInputStream"), STR_INIT("socketRead*"), WAIT_IO, false},
    {STR_INIT(""), STR_INIT("(idle)"), WAIT_MESSAGES, false}, /* V8: nothing to run */
    {STR_INIT("runtime"), STR_INIT("gopark"), WAIT_PARK, false},
    {STR_INIT("runtime"), STR_INIT("notesleep"), WAIT_PARK, false},
    {STR_INIT(""), STR_INIT("__futex_abstimed_wait*"), WAIT_LOCK, false},
    {STR_INIT(""), STR_INIT("pthread_cond_wait*"), WAIT_LOCK, false},
    {STR_INIT(""), STR_INIT("pthread_cond_timedwait*"), WAIT_LOCK, false},
    {STR_INIT(""), STR_INIT("__epoll_pwait"), WAIT_IO, false},
    {STR_INIT(""), STR_INIT("epoll_wait"), WAIT_IO, false},
    {STR_INIT(""), STR_INIT("epoll_pwait"), WAIT_IO, false},
    {STR_INIT(""), STR_INIT("nanosleep"), WAIT_SLEEP, false},
    {STR_INIT(""), STR_INIT("clock_nanosleep"), WAIT_SLEEP, false},
};
/* clang-format on */

static const char *const WORDS[WAIT_KINDS] = {
    [WAIT_NONE] = "",
    [WAIT_MESSAGES] = "for messages",
    [WAIT_LOCK] = "for a lock or another thread",
    [WAIT_PARK] = "parked, until another thread lets it go on",
    [WAIT_SLEEP] = "asleep",
    [WAIT_IO] = "for a socket or a pipe",
    [WAIT_BINDER] = "for another process (binder)",
    [WAIT_DRAWING] = "for a frame to be drawn",
    [WAIT_UNKNOWN] = "for something that the trace does not name, or for a CPU",
};

static const struct wait_row *find(struct str scope, struct str name)
{
    for (size_t i = 0; i < COUNT_OF(WAITS); i++)
        if (str_fits(scope, WAITS[i].scope) && str_fits(name, WAITS[i].name))
            return &WAITS[i];
    return NULL;
}

enum wait_kind wait_kind_of(struct str scope, struct str name)
{
    const struct wait_row *row = find(scope, name);

    return row != NULL ? row->kind : WAIT_NONE;
}

bool wait_is_idle(struct str scope, struct str name)
{
    const struct wait_row *row = find(scope, name);

    return row != NULL && row->idle;
}

const char *wait_kind_words(enum wait_kind kind)
{
    return WORDS[kind];
}
