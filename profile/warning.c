#include "profile/warning.h"

/* What is so, and what to do about it. {count} becomes the number; without `many`, `one` serves any count. */
static const struct {
    const char *name, *one, *many, *next;
    bool of_recording; /* nothing is wrong with the file: it says how to record better next time */
} WARNINGS[WARNING_CODES] = {
    [WARN_MOSTLY_UNLISTED] =
        {"mostly-unlisted",
         "The file is damaged: most of its records ({count}) are of methods or threads that it does "
         "not list, and what is shown here is not what ran.",
         NULL, "Pull the file from the device again with adb pull, and upload it unchanged."},
    [WARN_OVERFLOW] = {"buffer-overflow",
                       "The recorder's buffer was full: the trace ends before the recording did.", NULL,
                       "Record with a larger buffer, or for a shorter time."},
    [WARN_CUT_RECORD] = {"cut-record",
                         "The file ends within a record: it was cut, and what came after is missing.", NULL,
                         "Stop the recording first, then pull the file again (adb pull)."},
    [WARN_RE_ROOTED] = {"exit-without-enter",
                        "1 method was left that was entered before the recording began: it is shown as the "
                        "caller of all that its thread did until then.",
                        "{count} methods were left that were entered before the recording began: each is "
                        "shown as the caller of all that its thread did until then.",
                        "Begin to record earlier if what came before them matters.", true},
    [WARN_POPPED] =
        {"mismatched-exit",
         "1 exit was of a method further down the stack: the methods above it lack an exit and were closed.",
         "{count} exits were of a method further down the stack: the methods above it lack an exit and were "
         "closed.",
         "Pull the file again (adb pull) if that is not how the app was written."},
    [WARN_IGNORED_EXIT] =
        {"alien-exit", "1 exit was of a method that is not on its thread's stack, and was ignored.",
         "{count} exits were of a method that is not on its thread's stack, and were ignored.",
         "Pull the file again (adb pull): records are missing or damaged."},
    [WARN_OPEN_FRAMES] =
        {"open-frames",
         "1 method was still running when its thread's records end: it has its time up to "
         "the thread's last record.",
         "{count} methods were still running when their thread's records end: they have "
         "their time up to the thread's last record.",
         "Under \"Methods never left\" choose \"last to the end of the trace\" to continue their wall time."},
    [WARN_TIME_BACK] =
        {"time-back", "Time went back once; the step counts as 0.",
         "Time went back {count} times; these steps count as 0.",
         "Compare with another value, such as CPU time; if it goes on, pull the file again (adb pull)."},
    [WARN_CLOCK_WRAP] = {"clock-wrap", "A 32-bit clock passed its end (71.6 minutes) and was continued.",
                         "32-bit clocks passed their end (71.6 minutes) {count} times and were continued.",
                         "Record for less than an hour to be sure of times.", true},
    [WARN_UNKNOWN_ACTION] =
        {"unknown-action", "1 record is neither enter nor exit nor unroll, and was ignored.",
         "{count} records are neither enter nor exit nor unroll, and were ignored.",
         "Pull the file again (adb pull): it was damaged or written by a tool of its own."},
    [WARN_UNKNOWN_METHOD] = {"unknown-method",
                             "1 record is of a method that the file does not list, shown as unknown[0x..]; "
                             "a call through a dynamic proxy is recorded so.",
                             "{count} records are of methods that the file does not list, shown as "
                             "unknown[0x..]; a few calls through dynamic proxies are recorded so.",
                             "Look at their callers and callees to know them."},
    [WARN_UNKNOWN_THREAD] =
        {"unknown-thread", "1 thread has records but is not listed; it is shown as Thread-<id>.",
         "{count} threads have records but are not listed; they are shown as Thread-<id>.",
         "Tell them by their outermost methods: some versions of Android list only threads that still run at "
         "the end."},
    [WARN_THREAD_ZERO] =
        {"thread-zero", "1 record of thread 0 was ignored: the recorder reserved it and never filled it in.",
         "{count} records of thread 0 were ignored: the recorder reserved them and never filled them in.",
         "Stop the recording when the app is at rest to lose none.", true},
    [WARN_BAD_METHOD_LINE] = {"bad-method-line",
                              "1 line of the method table could not be read, and was left out.",
                              "{count} lines of the method table could not be read, and were left out.",
                              "Pull the file again (adb pull), or look at these lines in an editor."},
    [WARN_BAD_THREAD_LINE] = {"bad-thread-line",
                              "1 line of the thread table could not be read, and was left out.",
                              "{count} lines of the thread table could not be read, and were left out.",
                              "Look for a thread whose name has a line end."},
    [WARN_BAD_KEY_LINE] = {"bad-key-line", "1 line of the key section is not key=value, and was left out.",
                           "{count} lines of the key section are not key=value, and were left out.",
                           "Pull the file again (adb pull), or look at these lines in an editor."},
    [WARN_METHOD_REDEFINED] =
        {"method-redefined",
         "1 time a method id is listed again with another meaning: a call is shown by what was listed last "
         "before it began.",
         "{count} times a method id is listed again with another meaning: a call is shown by what was listed "
         "last before it began.",
         "Mind that calls of these methods may bear the wrong name."},
    [WARN_NAME_CUT] = {"name-cut", "1 name or line is longer than allowed, and was cut.",
                       "{count} names or lines are longer than allowed, and were cut.",
                       "Ask who runs this service to raise the limit if they matter."},
    [WARN_CRLF] = {"crlf",
                   "The key section has Windows line ends: the file went through a text conversion, which "
                   "may have damaged its binary part.",
                   NULL, "Pull it again with adb pull."},
    [WARN_VERSION_MISMATCH] =
        {"version-mismatch",
         "The key section and the binary header name different versions: the header's was used.", NULL,
         "Check that the two parts are of one recording."},
    [WARN_CLOCK_UNKNOWN] = {"clock-unknown",
                            "The file does not name a known clock, or one that its records contradict: its "
                            "times are taken for what its record size suggests.",
                            NULL, "Compare a time with what you measured otherwise."},
    [WARN_THREAD_REDEFINED] = {"thread-redefined",
                               "1 thread id is listed again under another name: the last one is shown, and "
                               "the records of both are together.",
                               "{count} times a thread id is listed again under another name: the last one "
                               "is shown, and the records of all are together.",
                               "Look at the chart of the thread for where one ends."},
    [WARN_DAMAGED] =
        {"damaged-part", "1 byte behind a damaged place could not be read.",
         "{count} bytes behind a damaged place could not be read, and calls in them are missing.",
         "Pull the file again (adb pull)."},
    [WARN_BAD_BLOCK] =
        {"damaged-block", "1 block of records ends in the middle of one, and the rest of it was left out.",
         "{count} blocks of records end in the middle of one, and the rest of them was left out.",
         "Pull the file again (adb pull)."},
    [WARN_NO_SUMMARY] = {"no-summary",
                         "The file ends without its summary: the app was killed, or the file pulled before "
                         "the recording was stopped, and what came last is missing.",
                         NULL,
                         "Stop the recording first; of Android 6 and 7, upload the summary's own file "
                         "(.trace.sec) as key, together with the trace as data."},
    [WARN_TRAILING_BYTES] = {"trailing-bytes", "1 byte stands behind the end of the trace, and was ignored.",
                             "{count} bytes stand behind the end of the trace, and were ignored.",
                             "Check that only one file was joined into this one."},
    [WARN_RECORD_COUNT] = {"record-count", "The header counts 1 record more or fewer than the file has.",
                           "The header counts {count} records more or fewer than the file has.",
                           "Check that the file is whole."},
    [WARN_ELAPSED] = {"elapsed-time",
                      "The last record is {count} µs later than the recording lasted by its header: one of "
                      "the two is wrong.",
                      NULL, "Compare with what you measured otherwise."},
    [WARN_CLOCK_OVERHEAD] = {"clock-overhead",
                             "Reading the clocks for {count} records took a large part of the recorded time, "
                             "so that short methods look slower than they are.",
                             NULL,
                             "Compare calls with each other only, or record by sampling, which costs less.",
                             true},
    [WARN_SAMPLED] =
        {"sampled",
         "Time moves in steps of an interval: stacks were sampled, not traced, so calls are "
         "changes between samples and short calls are missing.",
         NULL, "Compare times rather than numbers of calls; a short recording of every method counts calls.",
         true},
    [WARN_WALL_SCALE] = {"wall-scale",
                         "Threads used more CPU time than wall time passed, which cannot be: some builds of "
                         "Android 16 write wall times 1,000 times too small.",
                         NULL, "Trust the CPU times."},
    [WARN_TIME_UNIT] = {"time-unit",
                        "Nothing in the file says whether its times are microseconds or nanoseconds: that "
                        "was told from its start time, and all times may be wrong by 1,000.",
                        NULL, "Compare them with what you measured otherwise."},
    [WARN_BAD_FOLDED_LINE] = {"bad-folded-line", "1 line is not `frame;frame count`, and was left out.",
                              "{count} lines are not `frame;frame count`, and were left out.",
                              "Look at these lines in an editor: a count must stand at their end."},
    [WARN_LONG_LINE] =
        {"long-line",
         "1 line is longer than the limit max_line_bytes, and was left out: its count stands at its end.",
         "{count} lines are longer than the limit max_line_bytes, and were left out: their counts stand at "
         "their ends.",
         "Ask who runs this service to raise the limit, to have them counted."},
    [WARN_VALUE_OVERFLOW] = {"value-overflow", "A sum passed 2^64 - 1 and stays there.",
                             "{count} sums passed 2^64 - 1 and stay there.",
                             "Divide the counts of the file by the same number."},
    [WARN_PACKED_CUT] =
        {"packed-cut",
         "The packed file ends early, at byte {count} of the upload, and what came after is missing.", NULL,
         "Copy it again, or upload it unpacked."},
    [WARN_PACKED_DAMAGED] =
        {"packed-damaged",
         "The packed file is damaged at byte {count} of the upload, and what stands behind it is missing.",
         NULL, "Copy it again, or upload it unpacked."},
    [WARN_PACKED_CHECKSUM] = {"packed-checksum",
                              "What was unpacked does not fit its checksum, so that any of it may be wrong.",
                              NULL, "Copy the packed file again, or upload it unpacked."},
    [WARN_PACKED_SAME_NAME] = {"packed-same-name",
                               "The archive has 1 more file of this name; the first one was read.",
                               "The archive has {count} more files of this name; the first one was read.",
                               "Unpack the archive and upload the file that is meant."},
};

const char *warning_name(enum warning_code code)
{
    return WARNINGS[code].name;
}

const char *warning_next(enum warning_code code)
{
    return WARNINGS[code].next;
}

bool warning_of_recording(struct str name)
{
    for (size_t i = 0; i < WARNING_CODES; i++)
        if (str_eq(name, str_of(WARNINGS[i].name)))
            return WARNINGS[i].of_recording;
    return false;
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
    buf_char(b, ' ');
    buf_z(b, warning_next(code));
}
