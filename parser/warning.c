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
         "The file does not name a known clock: its times are taken for what its record size suggests.",
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
