/* THE TABLE of files that Android people have in the place of a trace, each with its remedy. What nobody
 * mistakes for a trace (pictures, archives, documents, programs, plain text) has no row: such a file is
 * refused as unknown, and the service adds what libmagic calls it. A trace that was changed on its way
 * comes first, for it may hide another row. */
#include "parser/refuse/foreign.h"

#define RECORD_METHODS                                                                                       \
    "Record a method trace: adb shell am profile start PROCESS /data/local/tmp/app.trace, use the app, adb " \
    "shell am profile stop PROCESS, adb pull /data/local/tmp/app.trace; or use Android Studio's "            \
    "Java/Kotlin "                                                                                           \
    "method recording, or Debug.startMethodTracing."
#define PERFETTO_UI "It opens at https://ui.perfetto.dev. " RECORD_METHODS
#define PULL_AGAIN                                                                                      \
    "Pull the file from the device again with adb pull, which changes nothing (in PowerShell > writes " \
    "text), "                                                                                           \
    "and upload it unchanged."

#define AT(offset, literal)                          \
    {                                                \
        FOREIGN_AT, STR_INIT(literal), {0}, (offset) \
    }
#define WITH(where, literal, word)                  \
    {                                               \
        where, STR_INIT(literal), STR_INIT(word), 0 \
    }
#define AT_WITH(literal, word)   WITH(FOREIGN_AT, literal, word)
#define HEAD(literal)            WITH(FOREIGN_HEAD, literal, "")
#define HEAD_WITH(literal, word) WITH(FOREIGN_HEAD, literal, word)
#define KEY(literal)             WITH(FOREIGN_KEY, literal, "")
#define KEY_WITH(literal, word)  WITH(FOREIGN_KEY, literal, word)
#define LINE(literal)            WITH(FOREIGN_LINE, literal, "")
#define LINE_WITH(literal, word) WITH(FOREIGN_LINE, literal, word)

/* clang-format off */
const struct foreign FOREIGN[] = {
    /* ---- method traces that were changed on the way, or are not whole ---- */
    {.code = "trace-utf16", .damaged = true, .title = "damaged by a text conversion",
     .detail = "This is a method trace that was passed through a text conversion to UTF-16, as PowerShell does with the "
               "output of a command; its binary part did not survive.",
     .hint = PULL_AGAIN,
     .marks = {AT(0, "\xff\xfe*\0v\0e\0r\0"), AT(0, "\xff\xfeS\0L\0O\0W\0"), AT(0, "*\0v\0e\0r\0s\0i\0"),
               AT(0, "S\0L\0O\0W\0")}},
    {.code = "trace-as-text", .damaged = true, .title = "damaged by a text conversion",
     .detail = "This is a method trace that was saved as text: it begins with a byte order mark, or has characters of "
               "UTF-8 in its binary header, which no recorder writes. Its binary part did not survive.",
     .hint = PULL_AGAIN,
     .marks = {AT(0, "\xef\xbb\xbf*version"), AT(0, "\xef\xbb\xbfSLOW"), AT(0, "SLOW\xef\xbf\xbd"), AT(0, "SLOW\xc3")}},
    {.code = "trace-base64", .damaged = true, .title = "trace in base64",
     .detail = "This is a method trace that was passed through a text conversion to base64.",
     .hint = "Decode it (base64 -d x > app.trace) and upload the trace, or pull it again with adb pull.",
     .marks = {AT(0, "KnZlcnNpb24K"), AT(0, "KnZlcnNpb24N"), AT(0, "U0xPV")}},
    {.code = "trace-behind-text", .damaged = true, .title = "text in front of the trace",
     .detail = "This is a method trace with lines of text in front of it: messages of the command that fetched it, a "
               "shell's greeting, or the headers of a server's answer went to the same file.",
     .hint = PULL_AGAIN, .marks = {LINE_WITH("*version", "\n*threads")}},
    {.code = "data-file", .damaged = true, .topic = DIAG_ABOUT_TWO_FILES, .title = "key section missing",
     .detail = "This is the data file of a method trace in two files, or the end of one that was cut: the text with its "
               "methods and threads is not there.",
     .hint = "Upload it together with its key file (.key), as a trace in two files. If there is no key file, pull the "
             "trace from the device again (adb pull).",
     .marks = {AT(0, "SLOW\1\0"), AT(0, "SLOW\2\0"), AT(0, "SLOW\3\0")}},
    {.code = "unknown-version", .damaged = true, .title = "unknown trace version",
     .detail = "The file begins as a method trace does (SLOW), with a version that is not known: it was damaged, or a "
               "newer Android wrote it. Known without a key section are 0xf1 to 0xf6, 4, 5 and 6.",
     .hint = PULL_AGAIN, .marks = {AT(0, "SLOW")}},
    {.code = "utf16-text", .title = "text in UTF-16",
     .detail = "This is text in UTF-16, as PowerShell writes it, and no profile that is read here.",
     .hint = "If it should be a method trace, pull it again with adb pull, which changes nothing.",
     .marks = {AT(0, "\xff\xfe"), AT(0, "\xfe\xff")}},

    /* ---- a message, or a stand-in, in the place of the file ---- */
    {.code = "lfs-pointer", .title = "Git LFS pointer",
     .detail = "You have the pointer, not the file: Git LFS keeps the file itself elsewhere.",
     .hint = "Fetch the file with git lfs pull, and upload it then.",
     .marks = {HEAD("version https://git-lfs.github.com/spec/"), HEAD("version https://hawser.github.com/spec/")}},
    {.code = "adb-message", .title = "message in the place of the file",
     .detail = "This is the complaint of a command that should have fetched the file, saved under the file's name.",
     .hint = "Read it, and pull the file again: adb pull /data/local/tmp/app.trace.",
     .marks = {HEAD("adb: "), HEAD("error: "), HEAD("run-as: "), HEAD("/system/bin/"), HEAD_WITH("cat: ", "/")}},

    /* ---- other recordings ---- */
    {.code = "perf-data", .title = "perf.data file",
     .detail = "This is a perf.data file, as simpleperf and perf record it: what is read here is the report that simpleperf "
               "makes of it.",
     .hint = "Make the report: simpleperf report-sample --protobuf --show-callchain -i perf.data -o app.trace (simpleperf "
             "is in the NDK), and upload app.trace. Of perf on Linux upload folded stacks: perf script | stackcollapse-perf.pl.",
     .marks = {AT(0, "PERFILE2"), AT(0, "2ELIFREP")}},
    {.code = "pprof-legacy", .title = "profile of the old pprof",
     .detail = "This is a profile in one of pprof's old formats, as text or as words of addresses, which has no names of "
               "functions.",
     .hint = "Make it a profile.proto with the program it is of: pprof -proto PROGRAM x > x.pb.gz, and upload that.",
     .marks = {AT(0, "heap profile:"), AT(0, "--- heapz"), AT(0, "--- contention"), AT(0, "--- growth"),
               AT(0, "--- thread"), AT(0, "--- symbol\n"), AT(0, "goroutine profile: total"),
               AT(0, "\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0")}},
    {.code = "systrace", .title = "system trace",
     .detail = "This is a system trace of systrace, atrace or ftrace; it has no method calls.",
     .hint = PERFETTO_UI,
     .marks = {HEAD_WITH("<!doctype html", "i18n-values"), HEAD_WITH("<!doctype html", "trace-viewer"),
               HEAD_WITH("<!doctype html", "Android System Trace"), HEAD_WITH("<", "# tracer:"), HEAD("# tracer:"),
               HEAD("TRACE:\n"), HEAD("TRACE:\r\n"), HEAD("capturing trace...")}},
    {.code = "jfr", .title = "recording of Java Flight Recorder",
     .detail = "This is a recording of Java Flight Recorder (JFR) in its binary form, which is not read.",
     .hint = "Make folded stacks or a speedscope file of it, as async-profiler's jfrconv does (jfrconv --cpu -o collapsed x.jfr "
             "x.folded), and upload that.",
     .marks = {AT(0, "FLR\0")}},
    {.code = "instruments", .title = "recording of Instruments",
     .detail = "This is a recording of Apple's Instruments, or a list of tables exported from one, which is not read.",
     .hint = "Record with samply, or export a deep copy of the call tree as text and fold it with stackcollapse-instruments.pl; upload "
             "that.",
     .marks = {HEAD_WITH("<?xml", "<trace-toc"), HEAD_WITH("<?xml", "<trace-query-result"), HEAD("<trace-toc"),
               HEAD("<trace-query-result"), AT_WITH("PK\3\4", ".trace/Trace1.run"), AT_WITH("PK\3\4", ".trace/form.template")}},
    {.code = "sentry", .title = "profile of Sentry",
     .detail = "This is an envelope or a profile of Sentry, whose format is not read.",
     .hint = "Open it in Sentry. To see the same app here, record a method trace, which Sentry's SDK for Android makes, too: it is in "
             "the envelope as sampled_profile, in base64; decode it and upload that.",
     .marks = {KEY_WITH("event_id", "sent_at"), KEY_WITH("event_id", "platform"), KEY("profiler_id"), KEY("chunk_id"),
               KEY("sampled_profile"), KEY_WITH("profile", "transaction"), KEY_WITH("event_id", "dsn")}},
    {.code = "v8-heap-snapshot", .title = "heap snapshot of V8",
     .detail = "This is a heap snapshot of V8: objects of one moment, without stacks.",
     .hint = "Open it in Chrome's DevTools (Memory), or record a CPU profile and upload that.",
     .marks = {KEY_WITH("snapshot", "strings")}},
    {.code = "v8-allocation-profile", .title = "allocation profile of V8",
     .detail = "This is an allocation profile of V8 (.heapprofile), which is not read.",
     .hint = "Open it in Chrome's DevTools (Memory), or record a CPU profile and upload that.",
     .marks = {KEY("selfSize")}},
    {.code = "benchmark-results", .title = "list of benchmark results",
     .detail = "This is the list of results of an Android benchmark: it names profiles, and holds none.",
     .hint = "Upload one of the profiles that it names (profilerOutputs); they are in its folder.",
     .marks = {KEY_WITH("benchmarks", "context")}},
    {.code = "json-of-others", .title = "JSON of another tool",
     .detail = "This is JSON of another tool, which is not read: a recording of Safari, a profile of stackprof or DHAT, a report "
               "of Lighthouse, or traces of OpenTelemetry.",
     .hint = "Convert it with its own tool to folded stacks or to a speedscope file, if it has stacks, and upload that.",
     .marks = {KEY("recording"), KEY_WITH("mode", "interval"), KEY("dhatFileVersion"), KEY_WITH("audits", "lighthouseVersion"),
               KEY("resourceSpans"), KEY("resourceLogs")}},
    {.code = "art-profile", .title = "compilation profile",
     .detail = "This is a profile for ART's compiler (a baseline profile); it lists methods, and has no times.",
     .hint = RECORD_METHODS,
     .marks = {AT(0, "pro\0"), AT(0, "prm\0"), LINE_WITH("HSPL", ";->"), LINE_WITH("HPL", ";->"),
               LINE_WITH("SPL", ";->"), LINE_WITH("PL", ";->")}},

    /* ---- what else a device or a build leaves ---- */
    {.code = "bugreport", .title = "bug report",
     .detail = "This is a bug report of Android (dumpstate); it has no method trace.",
     .hint = RECORD_METHODS,
     .marks = {LINE("== dumpstate: "), HEAD("Bugreport format version"), LINE("------ SYSTEM LOG"), AT(30, "dumpstate"),
               AT(30, "version.txt"), AT(30, "main_entry.txt"), AT_WITH("PK\3\4", "bugreport")}},
    {.code = "stacks-of-a-moment", .title = "stacks of one moment",
     .detail = "These are stacks of threads at one moment, as an ANR report, a crash report (tombstone) or a thread dump "
               "has them. A flame graph needs a recording over time.",
     .hint = RECORD_METHODS,
     .marks = {LINE("----- pid "), LINE("DALVIK THREADS"), LINE("Cmd line: "), LINE("ANR in "),
               LINE("*** *** *** *** ***"), LINE("Full thread dump "), LINE_WITH("\"", " prio="),
               LINE_WITH("\"", " tid=")}},
    {.code = "mapping", .title = "mapping file",
     .detail = "This is a mapping of R8 or ProGuard (mapping.txt): it says what names were before they were shortened, "
               "and holds no recording.",
     .hint = "Upload the trace itself, which was recorded with that build: what Debug.startMethodTracing, am profile or "
             "Android Studio's method recording wrote.",
     .marks = {LINE("# compiler: R8"), LINE("# pg_map_id: "), LINE_WITH("    ", " -> <init>"),
               LINE_WITH("    ", " -> <clinit>"), LINE_WITH("    ", "com.android.tools.r8")}},
    {.code = "app", .title = "Android app",
     .detail = "This is an app, or code of one (APK, bundle, library or DEX), not a recording of it.",
     .hint = RECORD_METHODS,
     .marks = {AT(0, "dex\n0"), AT(0, "cdex0"), AT(0, "vdex0"), AT_WITH("PK\3\4", "AndroidManifest.xml"),
               AT_WITH("PK\3\4", "META-INF/"), AT_WITH("PK\3\4", "classes."), AT_WITH("PK\3\4", "BundleConfig.pb"),
               AT_WITH("PK\3\4", ".apk")}},
    {.code = "html", .title = "web page in the place of the file",
     .detail = "This is a web page, or the error of a server: most likely a login page, or an expired link, saved in the "
               "place of the trace.",
     .hint = "Read it, and download the file again, in a browser that is logged in; or pull it from the device with adb "
             "pull.",
     .marks = {HEAD("<!doctype html"), HEAD("<html"), HEAD_WITH("<?xml", "<html"), HEAD("<head"), HEAD("<title"),
               HEAD("<center"), HEAD("<Error>"), HEAD_WITH("<?xml", "<Error>")}},

    {.code = "perfetto-text", .title = "Perfetto trace as text",
     .detail = "This is a Perfetto trace, or the configuration of one, in the form of text, which is read here in its binary "
               "form only.",
     .hint = "Upload the trace as Perfetto wrote it, or make it binary again with protoc --encode=perfetto.protos.Trace.",
     .marks = {LINE("packet {"), LINE("packet: {")}},
};
/* clang-format on */

const size_t FOREIGN_COUNT = sizeof(FOREIGN) / sizeof(*FOREIGN);
