#include "profile/warning.h"

#include "profile/profile.h"

/* What is so, and what to do about it. {count} becomes the number; without `many`, `one` serves any count. */
static const struct {
    const char *name, *one, *many, *next;
    bool of_recording; /* nothing is wrong with the file: it says how to record better next time */
} WARNINGS[WARNING_CODES] = {
    [WARN_MOSTLY_UNLISTED] =
        {"mostly-unlisted",
         "The file is damaged: most of its records ({count}) are of methods or threads that it does "
         "not list, and what is shown here is not what ran.",
         NULL, "Pull the file from the device again with adb pull, and upload it unchanged.", false},
    [WARN_OVERFLOW] = {"buffer-overflow",
                       "The recorder's buffer was full: the trace ends before the recording did.", NULL,
                       "Record with a larger buffer, or for a shorter time.", false},
    [WARN_CUT_RECORD] = {"cut-record",
                         "The file ends within a record: it was cut, and what came after is missing.", NULL,
                         "Stop the recording first, then pull the file again (adb pull).", false},
    [WARN_RE_ROOTED] =
        {"exit-without-enter",
         "1 method ended that had begun before the recording: it is shown as the caller of "
         "everything its thread did until then.",
         "{count} methods ended that had begun before the recording: each is shown as the caller "
         "of everything its thread did until then.",
         "Begin to record earlier if what came before them matters.", true},
    [WARN_POPPED] =
        {"mismatched-exit",
         "1 exit was of a method further down the stack: the methods above it lack an exit and were closed.",
         "{count} exits were of a method further down the stack: the methods above it lack an exit and were closed.",
         "Pull the file again (adb pull) if that is not how the app was written.", false},
    [WARN_IGNORED_EXIT] =
        {"alien-exit", "1 exit was of a method that is not on its thread's stack, and was ignored.",
         "{count} exits were of a method that is not on its thread's stack, and were ignored.",
         "Pull the file again (adb pull): records are missing or damaged.", false},
    [WARN_OPEN_FRAMES] =
        {"open-frames", "1 call is unfinished: its time counts up to its thread's last record.",
         "{count} calls are unfinished: their time counts up to their thread's last record.",
         "Under \"Unfinished calls\" choose \"until the end of the trace\" to continue their wall time.",
         false},
    [WARN_TIME_BACK] =
        {"time-back", "Time went back once; the step counts as 0.",
         "Time went back {count} times; these steps count as 0.",
         "Compare with another value, such as CPU time; if it goes on, pull the file again (adb pull).",
         false},
    [WARN_CLOCK_WRAP] = {"clock-wrap", "A 32-bit clock passed its end (71.6 minutes) and was continued.",
                         "32-bit clocks passed their end (71.6 minutes) {count} times and were continued.",
                         "Record for less than an hour to be sure of times.", true},
    [WARN_UNKNOWN_ACTION] =
        {"unknown-action", "1 record is neither enter nor exit nor unroll, and was ignored.",
         "{count} records are neither enter nor exit nor unroll, and were ignored.",
         "Pull the file again (adb pull): it was damaged or written by a tool of its own.", false},
    [WARN_UNKNOWN_METHOD] = {"unknown-method",
                             "1 record is of a method that the file does not list, shown as unknown[0x..]; "
                             "a call through a dynamic proxy is recorded so.",
                             "{count} records are of methods that the file does not list, shown as "
                             "unknown[0x..]; a few calls through dynamic proxies are recorded so.",
                             "Look at their callers and callees to know them.", false},
    [WARN_UNKNOWN_THREAD] =
        {"unknown-thread", "1 thread has records but is not listed; it is shown as Thread-<id>.",
         "{count} threads have records but are not listed; they are shown as Thread-<id>.",
         "Recognize them by their outermost methods: some versions of Android list only threads that still run at "
         "the end.",
         false},
    [WARN_THREAD_ZERO] =
        {"thread-zero", "1 record of thread 0 was ignored: the recorder reserved it and never filled it in.",
         "{count} records of thread 0 were ignored: the recorder reserved them and never filled them in.",
         "Stop the recording when the app is at rest to lose none.", true},
    [WARN_BAD_METHOD_LINE] = {"bad-method-line",
                              "1 line of the method table could not be read, and was left out.",
                              "{count} lines of the method table could not be read, and were left out.",
                              "Pull the file again (adb pull), or look at these lines in an editor.", false},
    [WARN_BAD_THREAD_LINE] = {"bad-thread-line",
                              "1 line of the thread table could not be read, and was left out.",
                              "{count} lines of the thread table could not be read, and were left out.",
                              "Look for a thread whose name has a line end.", false},
    [WARN_BAD_KEY_LINE] = {"bad-key-line", "1 line of the key section is not key=value, and was left out.",
                           "{count} lines of the key section are not key=value, and were left out.",
                           "Pull the file again (adb pull), or look at these lines in an editor.", false},
    [WARN_METHOD_REDEFINED] =
        {"method-redefined",
         "1 time a method id is listed again with another meaning: a call is shown by what was listed last "
         "before it began.",
         "{count} times a method id is listed again with another meaning: a call is shown by what was listed "
         "last before it began.",
         "Calls of these methods may have the wrong name.", false},
    [WARN_NAME_CUT] = {"name-cut", "1 name or line is longer than allowed, and was cut.",
                       "{count} names or lines are longer than allowed, and were cut.",
                       "Ask who runs this service to raise the limit if they matter.", false},
    [WARN_CRLF] = {"crlf",
                   "The key section has Windows line ends: the file went through a text conversion, which "
                   "may have damaged its binary part.",
                   NULL, "Pull it again with adb pull.", false},
    [WARN_VERSION_MISMATCH] =
        {"version-mismatch",
         "The key section and the binary header name different versions: the header's was used.", NULL,
         "Check that the two parts are of one recording.", false},
    [WARN_CLOCK_UNKNOWN] = {"clock-unknown",
                            "The file does not name a known clock, or one that its records contradict: its "
                            "times are taken for what its record size suggests.",
                            NULL, "Compare a time with what you measured otherwise.", false},
    [WARN_THREAD_REDEFINED] = {"thread-redefined",
                               "1 thread id is listed again under another name: the last one is shown, and "
                               "the records of both are together.",
                               "{count} times a thread id is listed again under another name: the last one "
                               "is shown, and the records of all are together.",
                               "Look at the chart of the thread for where one ends.", false},
    [WARN_DAMAGED] =
        {"damaged-part", "1 byte behind a damaged place could not be read.",
         "{count} bytes behind a damaged place could not be read, and calls in them are missing.",
         "Pull the file again (adb pull).", false},
    [WARN_BAD_BLOCK] =
        {"damaged-block", "1 block of records ends in the middle of one, and the rest of it was left out.",
         "{count} blocks of records end in the middle of one, and the rest of them was left out.",
         "Pull the file again (adb pull).", false},
    [WARN_NO_SUMMARY] =
        {"no-summary",
         "The file ends without its summary: the app was killed, or the file pulled before "
         "the recording was stopped, and what came last is missing.",
         NULL,
         "Stop the recording first; of Android 6 and 7, drop the trace and the summary's own file "
         "(.trace.sec) onto the page together, or name both on the command line.",
         false},
    [WARN_TRAILING_BYTES] = {"trailing-bytes", "1 byte stands behind the end of the trace, and was ignored.",
                             "{count} bytes stand behind the end of the trace, and were ignored.",
                             "Check that only one file was joined into this one.", false},
    [WARN_RECORD_COUNT] = {"record-count", "The header counts 1 record more or fewer than the file has.",
                           "The header counts {count} records more or fewer than the file has.",
                           "Check that the file is whole.", false},
    [WARN_ELAPSED] = {"elapsed-time",
                      "The last record is {count} µs later than the recording lasted by its header: one of "
                      "the two is wrong.",
                      NULL, "Compare with what you measured otherwise.", false},
    [WARN_CLOCK_OVERHEAD] =
        {"clock-overhead",
         "Reading the clocks for {count} records took a large part of the recorded time: short methods look slower than they are.",
         NULL, "Compare calls with each other only, or record by sampling, which costs less.", true},
    [WARN_SAMPLED] =
        {"sampled",
         "Time moves in steps of an interval: stacks were sampled, not traced, so calls are "
         "changes between samples and short calls are missing.",
         NULL, "Compare times rather than numbers of calls; a short recording of every method counts calls.",
         true},
    [WARN_WALL_SCALE] = {"wall-scale",
                         "Threads used more CPU time than wall time passed, which cannot be: some builds of "
                         "Android 16 write wall times 1,000 times too small.",
                         NULL, "Trust the CPU times.", false},
    [WARN_TIME_UNIT] = {"time-unit",
                        "Nothing in the file says whether its times are microseconds or nanoseconds: that "
                        "was told from its start time, and all times may be wrong by 1,000.",
                        NULL, "Compare them with what you measured otherwise.", false},
    [WARN_BAD_FOLDED_LINE] = {"bad-folded-line", "1 line is not `frame;frame count`, and was left out.",
                              "{count} lines are not `frame;frame count`, and were left out.",
                              "Look at these lines in an editor: a count must stand at their end.", false},
    [WARN_BAD_LINE] = {"bad-line", "1 line could not be read, and was left out.",
                       "{count} lines could not be read, and were left out.",
                       "Fetch the file again, or look at these lines in an editor.", false},
    [WARN_UNKNOWN_STACK] =
        {"unknown-stack", "1 sample is of a stack that the file does not list, and is shown as unknown.",
         "{count} samples are of stacks that the file does not list, and are shown as unknown.",
         "Fetch the file again: a part of it is missing.", false},
    [WARN_STACK_REDEFINED] =
        {"stack-redefined", "1 time a number is listed again for another stack: the last one is shown.",
         "{count} times a number is listed again for another stack: the last one is shown.",
         "Check that only one recording was joined into this file.", false},
    [WARN_SAMPLES_MISSING] =
        {"samples-missing", "1 sample was taken but is not in the file: the recorder leaves out rare stacks.",
         "{count} samples were taken but are not in the file: the recorder leaves out rare stacks.",
         "Record with a cutoff of 0 to have them.", true},
    [WARN_BAD_REFERENCE] =
        {"bad-reference",
         "1 reference leads to nothing in the file, and what it stands for is shown as unknown.",
         "{count} references lead to nothing in the file, and what they stand for is shown as unknown.",
         "Write the profile again: the program that wrote it made a mistake, or the file was cut.", false},
    [WARN_BAD_SAMPLE] = {"bad-sample",
                         "1 sample does not have one number for each value: missing ones count as 0.",
                         "{count} samples do not have one number for each value: missing ones count as 0.",
                         "Write the profile again: the program that wrote it made a mistake.", false},
    [WARN_FRAMES_NOT_DROPPED] =
        {"frames-not-dropped",
         "The file asks its reader to leave out some frames and what they call (drop_frames), as pprof does: here all are shown.",
         NULL, "Take out with the filter `hide` what is in the way.", false},
    [WARN_VALUES_LEFT_OUT] =
        {"values-left-out", "The file has 1 value more than can be shown, and the last one was left out.",
         "The file has {count} values more than can be shown, and the last ones were left out.",
         "Write a profile with fewer values.", false},
    [WARN_UNKNOWN_EVENT] = {"unknown-event",
                            "1 sample is of an event that the file does not list, and was left out.",
                            "{count} samples are of events that the file does not list, and were left out.",
                            "Make the report again: its list of events is missing.", false},
    [WARN_SAMPLES_UNCOUNTED] =
        {"samples-uncounted", "1 sample does not say how many events it stands for, and counts as one.",
         "{count} samples do not say how many events they stand for, and count as one each.",
         "Compare shares of it, and not its total.", false},
    [WARN_LOST_SAMPLES] = {"lost-samples", "The recorder lost 1 sample, which is missing here.",
                           "The recorder lost {count} samples, which are missing here.",
                           "Record less often (-f), or with a larger buffer (-m).", true},
    [WARN_UNWINDING] =
        {"unwinding",
         "The stack of 1 sample could not be followed to its end: its outermost frames are missing.",
         "The stacks of {count} samples could not be followed to their ends: their outermost frames are missing.",
         "The facts tell the reasons; libraries with unwind information help.", true},
    [WARN_STACKS_CUT] =
        {"stacks-cut",
         "1 stack is as deep as the recorder keeps stacks: its outermost frames may be missing.",
         "{count} stacks are as deep as the recorder keeps stacks: their outermost frames may be missing.",
         "Record with a larger depth.", true},
    [WARN_FRACTION] = {"fractional-count",
                       "1 count has decimals: the sum of its stack is rounded to a whole number.",
                       "{count} counts have decimals: the sum of each stack is rounded to a whole number.",
                       "Multiply the counts by 1,000 if most of them are small.", true},
    [WARN_BAD_EVENT] = {"bad-event", "1 event lacks its phase or its time, and was left out.",
                        "{count} events lack their phase or their time, and were left out.",
                        "Look at the program that wrote the file.", false},
    [WARN_NO_WEIGHTS] = {"no-weights", "The samples of 1 track have no weights, and count as one each.",
                         "The samples of {count} tracks have no weights, and count as one each.",
                         "They say how often a stack was seen, not for how long.", false},
    [WARN_SAMPLE_AT_ZERO] =
        {"sample-at-zero",
         "The first sample stands at time 0, long before the second one, which no sampler means: it was left out.",
         NULL, "Record with a newer Hermes if it matters.", false},
    [WARN_NO_PROFILE] =
        {"chunk-without-profile",
         "1 piece of a CPU profile belongs to no profile of the file, and was left out.",
         "{count} pieces of CPU profiles belong to no profile of the file, and were left out.",
         "Record with a larger buffer.", false},
    [WARN_SLICES_LEFT_OUT] =
        {"slices-left-out", "The file has samples: 1 slice beside them is not shown.",
         "The file has samples: {count} slices beside them are not shown.",
         "Look at the slices in https://ui.perfetto.dev, or record without the profiler to see them here.",
         false},
    [WARN_SAMPLES_LEFT_OUT] = {"samples-left-out", "The file has slices: 1 sample beside them is not shown.",
                               "The file has slices: {count} samples beside them are not shown.",
                               "Record without slices to see the samples.", false},
    [WARN_UNKNOWN_TYPE] = {"unknown-profile-type",
                           "1 profile of the file is of a type that is not known, and was left out.",
                           "{count} profiles of the file are of types that are not known, and were left out.",
                           "Look at them with the tool that wrote the file.", false},
    [WARN_NEWER_VERSION] =
        {"newer-version",
         "The file is of a newer version than is known here: parts of it may be read wrongly.", NULL,
         "Compare with what its own tool shows, or use a newer aflamed.", false},
    [WARN_LONG_LINE] =
        {"long-line",
         "1 line is longer than the limit max_line_bytes, and was left out: its count stands at its end.",
         "{count} lines are longer than the limit max_line_bytes, and were left out: their counts stand at "
         "their ends.",
         "Ask who runs this service to raise the limit, to have them counted.", false},
    [WARN_HEAP_EMPTY] =
        {"heap-empty", "1 heap has no sampled allocation: there is nothing to draw.",
         "{count} heaps have no sampled allocation: there is nothing to draw.",
         "Check that the app is debuggable or profileable from the shell (or the build is userdebug), "
         "that it allocated after the recording began, that no other session recorded it, and that it "
         "allocated more than the sampling interval.",
         true},
    [WARN_HEAP_REJECTED] =
        {"heap-rejected", "1 dump is empty because another session was recording the process already.",
         "{count} dumps are empty because another session was recording the process already.",
         "End the other recording, and record again.", false},
    [WARN_HEAP_DISCONNECTED] =
        {"heap-disconnected",
         "The process ended or left the recording before 1 dump: it holds what came until then.",
         "The process ended or left the recording before {count} dumps: they hold what came until then.",
         "Look for a crash of the app, or record a shorter time.", false},
    [WARN_HEAP_OVERRUN] =
        {"heap-overrun",
         "The buffer between app and recorder was full in 1 dump: recording stopped there, and what came "
         "later is missing.",
         "The buffer between app and recorder was full in {count} dumps: recording stopped there, and what "
         "came later is missing.",
         "Record with a larger shmem_size_bytes, a larger sampling_interval_bytes, or block_client.", false},
    [WARN_HEAP_CORRUPTED] =
        {"heap-corrupted",
         "The buffer between app and recorder was damaged in 1 dump, and its numbers may be wrong.",
         "The buffer between app and recorder was damaged in {count} dumps, and their numbers may be wrong.",
         "Look for memory that the app overwrites, and record again.", false},
    [WARN_HEAP_GUARDRAIL] =
        {"heap-guardrail", "A limit of the recorder's CPU time or memory ended the recording before 1 dump.",
         "A limit of the recorder's CPU time or memory ended the recording before {count} dumps.",
         "Record with a larger sampling_interval_bytes, or raise the guardrails of its configuration.",
         false},
    [WARN_HEAP_CLIENT] =
        {"heap-client-error", "The app could not record its stacks in 1 dump.",
         "The app could not record its stacks in {count} dumps.",
         "Look at the app's log for heapprofd: threads with stacks of their own are not known to it.", false},
    [WARN_HEAP_CUT] =
        {"heap-dump-cut",
         "1 dump has no end, so that its samples are not counted: it shows what the dump before it had.",
         "{count} dumps have no end, so that their samples are not counted: they show what the dumps before them had.",
         "Pull the file again, or choose an earlier dump.", false},
    [WARN_HEAP_BACK] =
        {"heap-counter-back",
         "1 counter of a stack is less than in the dump before, which cannot be, and was left out.",
         "{count} counters of stacks are less than in the dump before, which cannot be, and were left out.",
         "These stacks show what the dump before had.", false},
    [WARN_HEAP_LATE] = {"heap-not-from-startup",
                        "1 dump is of a recording that began when the app ran already: what was allocated "
                        "before is missing.",
                        "{count} dumps are of a recording that began when the app ran already: what was "
                        "allocated before is missing.",
                        "Start the recording first, and then the app, to see all of it.", true},
    [WARN_HEAP_ESTIMATE] =
        {"heap-estimate",
         "Sizes and counts are estimates from samples: a stack with few samples may be far off. What malloc gave is only a part of the memory (RSS) of the process.",
         NULL, "Trust large numbers more than small ones.", true},
    [WARN_LOST_PACKETS] =
        {"lost-packets", "Packets of the trace were lost at 1 place.",
         "Packets of the trace were lost at {count} places, and numbers are too small by what was in them.",
         "Record with a larger buffer (buffers.size_kb).", false},
    [WARN_NO_STATE] = {"no-state", "1 packet refers to a packet that was lost, and was left out.",
                       "{count} packets refer to packets that were lost, and were left out.",
                       "Record with a larger buffer (buffers.size_kb), or with incremental_state_config.",
                       false},
    [WARN_NO_STACK] = {"no-stack", "1 sample has no call stack in the file, and was left out.",
                       "{count} samples have no call stack in the file, and were left out.",
                       "Record with a larger buffer (buffers.size_kb).", false},
    [WARN_BAD_PACKET] = {"bad-packet", "1 packet is damaged, and was left out.",
                         "{count} packets are damaged, and were left out.", "Pull the file again (adb pull).",
                         false},
    [WARN_PACKED_PACKET] = {"packed-packet", "1 compressed packet could not be unpacked, and was left out.",
                            "{count} compressed packets could not be unpacked, and were left out.",
                            "Pull the file again, or record without compression.", false},
    [WARN_LARGE_PACKET] = {"large-packet", "1 packet is larger than any recorder writes, and was left out.",
                           "{count} packets are larger than any recorder writes, and were left out.",
                           "Pull the file again (adb pull).", false},
    [WARN_SAMPLES_LOST] = {"samples-lost", "The kernel lost 1 sample.", "The kernel lost {count} samples.",
                           "Record with a lower frequency, or fewer processes.", false},
    [WARN_SAMPLES_SKIPPED] =
        {"samples-skipped", "1 sample was taken, but its stack was not unwound: it is not counted.",
         "{count} samples were taken, but their stacks were not unwound: they are not counted.",
         "Record with a lower frequency, or fewer processes.", false},
    [WARN_COUNTER_ONLY] = {"counter-only", "1 sample only counts, without a call stack: it is not shown.",
                           "{count} samples only count, without call stacks: they are not shown.",
                           "Record with callstack_sampling to have stacks.", false},
    [WARN_HEAP_UNWINDING] =
        {"unwinding-errors", "1 stack could not be unwound to its end.",
         "{count} stacks could not be unwound to their ends.",
         "Use a larger sampling interval if it ran out of time, and libraries with unwind information.",
         false},
    [WARN_ERROR_FRAMES] =
        {"error-frames",
         "1 frame is no function but an error of unwinding: the callers above it are missing.",
         "{count} frames are no functions but errors of unwinding: the callers above them are missing.",
         "Build the library with unwind information (-funwind-tables), and do not strip .eh_frame.", false},
    [WARN_ONE_FRAME] =
        {"one-frame",
         "Of 1 library all stacks have one frame only, the outermost: it has no unwind information, "
         "and what called it is missing.",
         "Of {count} libraries all stacks have one frame only, the outermost: they have no unwind "
         "information, and what called them is missing.",
         "Build them with -funwind-tables, and keep .eh_frame or .gnu_debugdata when "
         "stripping; the facts name them.",
         false},
    [WARN_DEDUPED] =
        {"deduped",
         "1 frame is marked [DEDUPED]: several methods share its code, so its name may be that of another one.",
         "{count} frames are marked [DEDUPED]: several methods share their code, so their names may be those of others.",
         "Compare with the callers; the linker's folding of identical code has the same effect on native functions.",
         false},
    [WARN_NO_NAMES] = {"no-names", "1 frame has no name and is shown as unknown, with its library.",
                       "{count} frames have no names and are shown as unknown, with their libraries.",
                       "Give the unstripped libraries of the recorded builds as symbols.", false},
    [WARN_BEGINS_LATE] =
        {"begins-late", "1 record is from before all processors have data, and is not used.",
         "{count} records are from before all processors have data, and are not used: the trace comes "
         "from a ring buffer, whose oldest part is not whole.",
         "Record with a larger buffer (buffers.size_kb) to see more of what was before.", false},
    [WARN_EVENTS_LOST] =
        {"events-lost", "At 1 place the kernel lost events of a processor.",
         "At {count} places the kernel lost events of a processor: sections and states that lie across "
         "them may be wrong.",
         "Record with a larger kernel buffer (ftrace_config.buffer_size_kb), or a shorter drain_period_ms.",
         false},
    [WARN_BUFFER_LOST] = {"buffer-lost", "The recorder lost 1 piece of data.",
                          "The recorder lost {count} pieces of data.",
                          "Record with a larger buffer (buffers.size_kb).", false},
    [WARN_STATES_LOST] =
        {"states-lost", "1 time a thread stopped that was never seen to start: its state before is unknown.",
         "{count} times a thread stopped that was never seen to start: its state before is unknown.",
         "Record with a larger kernel buffer (ftrace_config.buffer_size_kb).", false},
    [WARN_EVENTS_UNREAD] = {"events-unread", "1 event makes no sense, and was left out.",
                            "{count} events make no sense, and were left out.",
                            "Pull the file again (adb pull).", false},
    [WARN_CLOCK_FOREIGN] =
        {"clock-foreign", "1 record has a time by a clock that is related to no other: it was left out.",
         "{count} records have times by a clock that is related to no other: they were left out.",
         "Record with clock snapshots, as Perfetto does by default.", false},
    [WARN_SECTION_ENDS] =
        {"section-ends",
         "1 section had begun before the recording: its name is not known, and it is not shown.",
         "{count} sections had begun before the recording: their names are not known, and they are not shown.",
         "Begin to record earlier.", false},
    [WARN_SECTION_DEEP] = {"section-deep", "1 section is deeper than 512 others, and was left out.",
                           "{count} sections are deeper than 512 others, and were left out.",
                           "Look for sections that are begun and never ended.", false},
    [WARN_SECTION_OVERLAPS] =
        {"section-overlaps", "1 section overlaps another one without being within it: it was left out.",
         "{count} sections overlap others without being within them: they were left out.",
         "Give sections that overlap tracks of their own.", false},
    [WARN_SECTION_TEXT] =
        {"section-text", "1 text in the kernel's trace is no section of atrace, and was left out.",
         "{count} texts in the kernel's trace are no sections of atrace, and were left out.",
         "Look for programs that write to trace_marker by themselves.", false},
    [WARN_TRACKS_MANY] = {"tracks-many", "1 section is of more tracks than may be: it was left out.",
                          "{count} sections are of more tracks than may be: they were left out.",
                          "Give asynchronous sections that mean the same one name.", false},
    [WARN_COUNTERS_MANY] = {"counters-many", "1 reading of a counter is left out: there are too many.",
                            "{count} readings of counters are left out: there are too many.",
                            "Record fewer categories of atrace, or for a shorter time.", false},
    [WARN_FRAMES_MANY] = {"frames-many", "1 frame that was shown is left out: there are too many.",
                          "{count} frames that were shown are left out: there are too many.",
                          "Record for a shorter time.", false},
    [WARN_NOTES_MANY] =
        {"annotations-many", "1 annotation of a section is left out: there are too many, or it is too deep.",
         "{count} annotations of sections are left out: there are too many, or they are too deep.",
         "Record fewer categories of track events, or for a shorter time.", false},
    [WARN_NO_SCHEDULER] =
        {"no-scheduler", "The trace does not say when threads ran: sections have wall time, but no CPU time.",
         "The trace does not say when threads ran: sections have wall time, but no CPU time.",
         "Record with sched/sched_switch and sched/sched_waking in ftrace_config.", false},
    [WARN_NO_REASONS] =
        {"no-reasons",
         "The trace does not say why threads were blocked: waiting for input or output counts as blocked.",
         "The trace does not say why threads were blocked: waiting for input or output counts as blocked.",
         "Record with sched/sched_blocked_reason in ftrace_config.", false},
    [WARN_BELOW_ZERO] = {"below-zero", "A sum of changes is below 0, which cannot be, and was set to 0.",
                         "{count} sums of changes are below 0, which cannot be, and were set to 0.",
                         "Do not trust the numbers of these stacks.", false},
    [WARN_DIFFERENCES] =
        {"differences",
         "1 stack has a value below 0, as in the difference of two profiles: totals, percentages and pictures are of "
         "what grew, and what shrank is said beside.",
         "{count} stacks have values below 0, as in the difference of two profiles: totals, percentages and pictures are of "
         "what grew, and what shrank is said beside.",
         "Tables of methods, folded stacks and the export for pprof have both; those for speedscope and the Firefox "
         "Profiler have what grew.",
         false},
    [WARN_VALUE_OVERFLOW] = {"value-overflow", "A sum passed 2^64 - 1 and stays there.",
                             "{count} sums passed 2^64 - 1 and stay there.",
                             "Divide the counts of the file by the same number.", false},
    [WARN_PACKED_CUT] =
        {"packed-cut",
         "The packed file ends early, at byte {count} of the upload, and what came after is missing.", NULL,
         "Copy it again, or upload it unpacked.", false},
    [WARN_PACKED_DAMAGED] =
        {"packed-damaged",
         "The packed file is damaged at byte {count} of the upload, and what stands behind it is missing.",
         NULL, "Copy it again, or upload it unpacked.", false},
    [WARN_PACKED_CHECKSUM] = {"packed-checksum",
                              "What was unpacked does not fit its checksum, so that any of it may be wrong.",
                              NULL, "Copy the packed file again, or upload it unpacked.", false},
    [WARN_MAPPING_FEW] = {"mapping-misfit",
                          "It is probably the mapping of another app, or of another build of it.", NULL,
                          "Use the mapping.txt of the very build that was recorded.", false},
    [WARN_MAPPING_AMBIGUOUS] =
        {"mapping-ambiguous",
         "1 name may be that of several methods, which the mapping does not tell apart: all are written, with \"|\" "
         "between them.",
         "{count} names may be those of several methods each, which the mapping does not tell apart: all are "
         "written, with \"|\" between them.",
         "Look at their callers and callees to know which it was.", false},
    [WARN_MAPPING_CUT] =
        {"mapping-cut",
         "The mapping is not whole, or was changed since its build: some names may be missing.", NULL,
         "Use the file as the build wrote it.", false},
    [WARN_MAPPING_LINES] = {"mapping-lines", "1 line of the mapping was not understood, and left out.",
                            "{count} lines of the mapping were not understood, and left out.",
                            "Use the file as the build wrote it.", false},
    [WARN_SYMBOLS_MISSING] =
        {"symbols-missing", "There are no symbols of this library, and its frames have no names.",
         "There are no symbols of these {count} libraries, and their frames have no names.",
         "Give the unstripped files of these builds: aflamed compares build ids, which file or readelf -n show.",
         false},
    [WARN_SYMBOLS_OTHER] =
        {"symbols-other-build", "The symbols of this library are of another build of it, and were not used.",
         "The symbols of these {count} libraries are of other builds of them, and were not used.",
         "Give the unstripped files of the very builds that were recorded: their build ids are equal.",
         false},
    [WARN_SYMBOLS_BY_NAME] =
        {"symbols-by-name",
         "The recording does not say of which build 1 library is: its symbols were chosen by name.",
         "The recording does not say of which builds {count} libraries are: their symbols were chosen by name.",
         "Make sure that they are of the builds that were recorded.", false},
    [WARN_SYMBOLS_UNREAD] =
        {"symbols-unread",
         "1 file of symbols could not be read: it is damaged, or needs too much memory or time.",
         "{count} files of symbols could not be read: they are damaged, or need too much memory or time.",
         "Give the files as the build wrote them.", false},
    [WARN_SYMBOLS_UNUSED] =
        {"symbols-unused", "No frame of this profile is without a name, so that symbols have nothing to add.",
         NULL, "Leave them out.", false},
    [WARN_SYMBOLS_OTHER_KIND] =
        {"symbols-other-kind",
         "1 file of symbols is that of a Perfetto trace, which this file is not, and was not used.",
         "{count} files of symbols are those of a Perfetto trace, which this file is not, and were not used.",
         "Give the unstripped libraries instead.", false},
    [WARN_PACKED_SAME_NAME] = {"packed-same-name",
                               "The archive has 1 more file of this name; the first one was read.",
                               "The archive has {count} more files of this name; the first one was read.",
                               "Unpack the archive and upload the file that is meant.", false},
    [WARN_WINDOW_EMPTY] = {"range-empty",
                           "There is nothing in the chosen range: no thread ran, and none had a record.",
                           NULL, "Choose another range, or leave it out to see the whole recording.", false},
    [WARN_WINDOW_CUT] =
        {"range-cut", "1 call was cut at an edge of the range: of its time only what lies within is shown.",
         "{count} calls were cut at the edges of the range: of their time only what lies within is shown.",
         "Calls are counted in the range in which they were entered.", false},
    [WARN_WINDOW_RELEASED] =
        {"range-released", "1 stack released more in the range than it allocated: it counts as 0.",
         "{count} stacks released more in the range than they allocated: they count as 0.",
         "To see what shrank, choose two dumps.", false},
};

const char *warning_name(enum warning_code code)
{
    return WARNINGS[code].name;
}

const struct profile_warning *warning_of(const struct profile *p, enum warning_code code)
{
    for (uint32_t i = 0; i < p->n_warnings; i++)
        if (str_eq(p->warnings[i].code, str_of(warning_name(code))))
            return &p->warnings[i];
    return NULL;
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

bool warning_copy(struct arena *a, enum warning_code code, uint64_t count, struct str *text)
{
    struct buf b = {0};

    warning_text(&b, code, count);
    if (b.failed)
        a->failure = ARENA_NO_MEMORY;
    *text = (struct str){b.failed ? NULL : arena_copy(a, b.p, b.n), b.n};
    buf_free(&b);
    return text->p != NULL;
}
