#include "parser/warning.h"

/* {count} becomes the number. No second sentence: the first one serves any count. */
static const struct {
    const char *name, *one, *many;
} WARNINGS[WARNING_CODES] = {
    [WARN_OVERFLOW] = {"buffer-overflow",
                       "The recorder's buffer was full: the trace ends before the recording did. Record with "
                       "a larger buffer.",
                       NULL},
    [WARN_CUT_RECORD] = {"cut-record",
                         "The file ends within a record: it was cut, and what came after is missing.", NULL},
    [WARN_RE_ROOTED] =
        {"exit-without-enter",
         "1 method was left that was entered before the recording began: it is shown as the caller of all "
         "that its thread did until then.",
         "{count} methods were left that were entered before the recording began: each is shown as the "
         "caller of all that its thread did until then."},
    [WARN_POPPED] =
        {"mismatched-exit",
         "1 exit was of a method further down the stack: the methods above it lack an exit and were closed.",
         "{count} exits were of a method further down the stack: the methods above it lack an exit and were "
         "closed."},
    [WARN_IGNORED_EXIT] =
        {"alien-exit", "1 exit was of a method that is not on its thread's stack, and was ignored.",
         "{count} exits were of a method that is not on its thread's stack, and were ignored."},
    [WARN_OPEN_FRAMES] =
        {"open-frames",
         "1 method was still running when its thread's records end: it has its time up to the thread's "
         "last record.",
         "{count} methods were still running when their thread's records end: they have their time up "
         "to the thread's last record."},
    [WARN_TIME_BACK] = {"time-back", "Time went back once; the step counts as 0.",
                        "Time went back {count} times; these steps count as 0."},
    [WARN_CLOCK_WRAP] = {"clock-wrap", "A 32-bit clock passed its end (71.6 minutes) and was continued.",
                         "32-bit clocks passed their end (71.6 minutes) {count} times and were continued."},
    [WARN_UNKNOWN_ACTION] = {"unknown-action",
                             "1 record is neither enter nor exit nor unroll, and was ignored.",
                             "{count} records are neither enter nor exit nor unroll, and were ignored."},
    [WARN_UNKNOWN_METHOD] =
        {"unknown-method",
         "1 record is of a method that the file does not list, shown as unknown[0x..]; calls through "
         "dynamic proxies are recorded so.",
         "{count} records are of methods that the file does not list, shown as unknown[0x..]; calls "
         "through dynamic proxies are recorded so."},
    [WARN_UNKNOWN_THREAD] =
        {"unknown-thread", "1 thread has records but is not listed; it is shown as Thread-<id>.",
         "{count} threads have records but are not listed; they are shown as Thread-<id>."},
    [WARN_THREAD_ZERO] =
        {"thread-zero", "1 record of thread 0 was ignored: the recorder reserved it and never filled it in.",
         "{count} records of thread 0 were ignored: the recorder reserved them and never filled them in."},
    [WARN_BAD_METHOD_LINE] = {"bad-method-line",
                              "1 line of the method table could not be read, and was left out.",
                              "{count} lines of the method table could not be read, and were left out."},
    [WARN_BAD_THREAD_LINE] = {"bad-thread-line",
                              "1 line of the thread table could not be read, and was left out.",
                              "{count} lines of the thread table could not be read, and were left out."},
    [WARN_BAD_KEY_LINE] = {"bad-key-line", "1 line of the key section is not key=value, and was left out.",
                           "{count} lines of the key section are not key=value, and were left out."},
    [WARN_METHOD_REDEFINED] =
        {"method-redefined", "1 method id is listed with two meanings: the last one is shown.",
         "{count} method ids are listed again with another meaning: the last one is shown."},
    [WARN_NAME_CUT] = {"name-cut", "1 name or line is longer than allowed, and was cut.",
                       "{count} names or lines are longer than allowed, and were cut."},
    [WARN_CRLF] = {"crlf",
                   "The key section has Windows line ends: the file went through a text conversion, which "
                   "may have damaged "
                   "its binary part. Pull it again with adb pull.",
                   NULL},
    [WARN_VERSION_MISMATCH] =
        {"version-mismatch",
         "The key section and the binary header name different versions: the header's was used.", NULL},
    [WARN_CLOCK_UNKNOWN] =
        {"clock-unknown",
         "The file does not name a known clock, or one that its records contradict: its times are taken for "
         "what its record size suggests.",
         NULL},
    [WARN_THREAD_REDEFINED] =
        {"thread-redefined",
         "1 thread id is listed again under another name: the last one is shown, and the records of both are "
         "together; look for where one thread ends in the timeline.",
         "{count} times a thread id is listed again under another name: the last one is shown, and the "
         "records of all are together; look for where one thread ends in the timeline."},
    [WARN_DAMAGED] =
        {"damaged-part",
         "1 byte behind a damaged place could not be read: pull the file again (adb pull) if calls are "
         "missing.",
         "{count} bytes behind a damaged place could not be read, and calls in them are missing: pull the "
         "file again (adb pull)."},
    [WARN_BAD_BLOCK] =
        {"damaged-block",
         "1 block of records ends in the middle of one, and the rest of it was left out: pull the file again "
         "(adb pull).",
         "{count} blocks of records end in the middle of one, and the rest of them was left out: pull the "
         "file again (adb pull)."},
    [WARN_NO_SUMMARY] =
        {"no-summary",
         "The file ends without its summary: the app was killed, or the file pulled before the recording was "
         "stopped, and what came last is missing; stop the recording first (Android 6 and 7 write the "
         "summary to a file of its own, where nothing is missing).",
         NULL},
    [WARN_TRAILING_BYTES] =
        {"trailing-bytes",
         "1 byte stands behind the end of the trace, and was ignored: check that only one "
         "file was joined into this one.",
         "{count} bytes stand behind the end of the trace, and were ignored: check that only one file was "
         "joined into this one."},
    [WARN_RECORD_COUNT] =
        {"record-count",
         "The header counts 1 record more or fewer than the file has: check that the file is whole.",
         "The header counts {count} records more or fewer than the file has: check that the file is whole."},
    [WARN_ELAPSED] = {"elapsed-time",
                      "The last record is {count} µs later than the recording lasted by its header: one of "
                      "the two is wrong; compare with what you measured otherwise.",
                      NULL},
    [WARN_CLOCK_OVERHEAD] =
        {"clock-overhead",
         "Reading the clocks for {count} records took a large part of the recorded time, so that short "
         "methods look slower than they are: compare calls with each other only, or record by sampling.",
         NULL},
    [WARN_SAMPLED] =
        {"sampled",
         "Time moves in steps of an interval: stacks were sampled, not traced, so calls are changes between "
         "samples and short calls are missing; record without sampling to count calls.",
         NULL},
    [WARN_WALL_SCALE] =
        {"wall-scale",
         "Threads used more CPU time than wall time passed, which cannot be: some builds of Android 16 write "
         "wall times 1,000 times too small; trust the CPU times.",
         NULL},
    [WARN_TIME_UNIT] =
        {"time-unit",
         "Nothing in the file says whether its times are microseconds or nanoseconds: that was told from its "
         "start time, and all times may be wrong by 1,000; compare them with what you measured otherwise.",
         NULL},
    [WARN_BAD_FOLDED_LINE] = {"bad-folded-line", "1 line is not `frame;frame count`, and was left out.",
                              "{count} lines are not `frame;frame count`, and were left out."},
    [WARN_VALUE_OVERFLOW] = {"value-overflow", "A sum passed 2^64 - 1 and stays there.",
                             "{count} sums passed 2^64 - 1 and stay there."},
};

const char *warning_name(enum warning_code code)
{
    return WARNINGS[code].name;
}

void warning_text(struct buf *b, enum warning_code code, uint64_t count)
{
    bool many = count != 1 && WARNINGS[code].many != NULL;
    struct str text = str_of(many ? WARNINGS[code].many : WARNINGS[code].one);
    size_t at = str_find_str(text, STR("{count}"));

    buf_bytes(b, text.p, at);
    if (at < text.n) {
        buf_u64_grouped(b, count);
        buf_z(b, text.p + at + STR("{count}").n);
    }
}
