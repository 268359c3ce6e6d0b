/* THE TABLE of other kinds of files. Text conversions come first: they hide what the file was. */
#include "parser/refuse/foreign.h"
#include "parser/refuse/foreign_shapes.h"

#define RECORD_METHODS                                                                                 \
    "Record a method trace instead: adb shell am profile start PACKAGE /data/local/tmp/app.trace, or " \
    "Debug.startMethodTracing, or Java/Kotlin method recording in Android Studio."
#define PERFETTO_UI \
    "It opens at https://ui.perfetto.dev. For a flame graph of Java methods record a method trace."
#define UPLOAD_TRACE                                                                                 \
    "Upload the trace itself: what Debug.startMethodTracing, am profile or Android Studio's method " \
    "recording wrote."
#define CLEAN_PULL                                                                                      \
    "Pull the file from the device again with adb pull, which changes nothing (in PowerShell > writes " \
    "text), "                                                                                           \
    "and upload it unchanged."

#define AT(offset, literal)                          \
    {                                                \
        FOREIGN_AT, STR_INIT(literal), {0}, (offset) \
    }
#define AT_WITH(literal, word)                           \
    {                                                    \
        FOREIGN_AT, STR_INIT(literal), STR_INIT(word), 0 \
    }
#define HEAD(literal)                           \
    {                                           \
        FOREIGN_HEAD, STR_INIT(literal), {0}, 0 \
    }
#define HEAD_WITH(literal, word)                           \
    {                                                      \
        FOREIGN_HEAD, STR_INIT(literal), STR_INIT(word), 0 \
    }
#define LINE(literal)                           \
    {                                           \
        FOREIGN_LINE, STR_INIT(literal), {0}, 0 \
    }
#define LINE_WITH(literal, word)                           \
    {                                                      \
        FOREIGN_LINE, STR_INIT(literal), STR_INIT(word), 0 \
    }

/* clang-format off */
const struct foreign FOREIGN[] = {
    /* ---- ours, changed on the way ---- */
    {.code = "trace-utf16", .damaged = true, .title = "damaged by a text conversion",
     .detail = "This is a method trace that was passed through a text conversion to UTF-16, as PowerShell does "
               "with the output of a command; its binary part did not survive.",
     .hint = CLEAN_PULL,
     .marks = {AT(0, "\xff\xfe*\0v\0e\0r\0"), AT(0, "\xff\xfeS\0L\0O\0W\0"), AT(0, "*\0v\0e\0r\0s\0i\0"),
               AT(0, "\xfe\xff\0*\0v\0e\0r"), AT(0, "\xfe\xff\0S\0L\0O\0W"), AT(0, "\0*\0v\0e\0r\0s\0i"),
               AT(0, "S\0L\0O\0W\0"), AT(0, "\0S\0L\0O\0W")}},
    {.code = "trace-bom", .damaged = true, .title = "damaged by a text conversion",
     .detail = "This is a method trace that was saved as text: it begins with a byte order mark, which no "
               "recorder writes, and its binary part did not survive.",
     .hint = CLEAN_PULL,
     .marks = {AT(0, "\xef\xbb\xbf*version"), AT(0, "\xef\xbb\xbfSLOW")}},
    {.code = "trace-base64", .damaged = true, .title = "trace in base64",
     .detail = "This is a method trace that was passed through a text conversion to base64.",
     .hint = "Decode it (base64 -d x > app.trace) and upload the trace, or pull it again with adb pull.",
     .test = foreign_is_base64_trace},
    {.code = "trace-behind-blanks", .damaged = true, .title = "blanks in front of the trace",
     .detail = "This is a method trace with line ends or blanks in front of it, which no recorder writes; what else "
               "was changed with them cannot be told.",
     .hint = CLEAN_PULL, .test = foreign_is_trace_behind_blanks},
    {.code = "trace-behind-http", .damaged = true, .title = "HTTP headers in front of the trace",
     .detail = "This is a method trace with the status line and the headers of a server's answer in front of it.",
     .hint = "Save the body alone: curl without -i and --include, with -o app.trace; and upload that.",
     .test = foreign_is_trace_behind_http},
    {.code = "trace-behind-text", .damaged = true, .title = "text in front of the trace",
     .detail = "This is a method trace with lines of text in front of it: messages of the command that fetched it, or "
               "a shell's greeting, which went to the same file.",
     .hint = CLEAN_PULL, .test = foreign_is_trace_behind_text},
    {.code = "utf16-page", .title = "web page in the place of the file",
     .detail = "This is a web page in UTF-16, or another text with markup, which a server sent in the place of the trace.",
     .hint = "Download the file again, in a browser that is logged in; or pull it from the device with adb pull.",
     .marks = {AT(0, "\xff\xfe<\0"), AT(0, "\xfe\xff\0<"), AT(0, "<\0!\0d\0o\0"), AT(0, "<\0!\0D\0O\0"),
               AT(0, "<\0h\0t\0m\0"), AT(0, "<\0H\0T\0M\0"), AT(0, "\0<\0!\0D\0O"), AT(0, "\0<\0h\0t\0m")}},
    {.code = "utf16-text", .title = "text in UTF-16",
     .detail = "This is text in UTF-16; text is read in UTF-8 only.",
     .hint = "If these are folded stacks, convert them: iconv -f UTF-16 -t UTF-8 x > x.folded. If it should be a "
             "method trace, pull it again with adb pull.",
     .marks = {AT(0, "\xff\xfe"), AT(0, "\xfe\xff")}},

    /* ---- a message, or a stand-in, in the place of the file ---- */
    {.code = "lfs-pointer", .title = "Git LFS pointer",
     .detail = "You have the pointer, not the file: Git LFS keeps the file itself elsewhere.",
     .hint = "Fetch the file with git lfs pull, and upload it then.",
     .marks = {HEAD("version https://git-lfs.github.com/spec/"), HEAD("version https://hawser.github.com/spec/")}},
    {.code = "adb-message", .title = "message in the place of the file",
     .detail = "This is the complaint of a command that should have fetched the file, saved under the file's name.",
     .hint = "Read it, and pull the file again: adb pull /data/local/tmp/app.trace.",
     .marks = {HEAD("adb: "), HEAD("error: "), HEAD("run-as: "), HEAD("/system/bin/"), HEAD("* daemon not running"),
               HEAD_WITH("cat: ", "/"), HEAD("- waiting for device"), HEAD_WITH("Exception occurred", "android")},
     .test = foreign_is_complaint},
    {.code = "zeros", .title = "nothing but zeros",
     .detail = "The file begins with nothing but zeros: its place was reserved, and its content never written.",
     .hint = "Pull it again, after the recording was stopped.",
     .test = foreign_is_zeros},

    /* ---- recordings ---- */
    {.code = "simpleperf", .title = "simpleperf recording",
     .detail = "These are samples of native and Java stacks, as simpleperf and Android Studio's callstack sampling "
               "record them; it is not a method trace, whatever its name ends in.",
     .hint = "Turn perf.data into folded stacks, which are read here: simpleperf's stackcollapse.py -i perf.data > "
             "app.folded. Or record Java/Kotlin methods.",
     .marks = {AT(0, "SIMPLEPERF"), AT(0, "PERFILE2"), AT(0, "2ELIFREP")}},
    {.code = "simpleperf-report", .title = "simpleperf report",
     .detail = "This is the text that simpleperf report prints; it has no stacks to draw.",
     .hint = "Turn perf.data into folded stacks: simpleperf's stackcollapse.py -i perf.data > app.folded.",
     .marks = {HEAD_WITH("Cmdline: ", "simpleperf"), HEAD_WITH("Cmdline: ", "Samples: ")}},
    {.code = "perf-script", .title = "samples as text",
     .detail = "These are samples as perf script and simpleperf's report_sample.py print them.",
     .hint = "Turn them into folded stacks: stackcollapse-perf.pl x > x.folded.",
     .test = foreign_is_perf_script},
    {.code = "systrace-html", .title = "systrace report",
     .detail = "This is a system trace of systrace or atrace in a web page; it has no method calls.",
     .hint = PERFETTO_UI,
     .marks = {HEAD_WITH("<!doctype html", "i18n-values"), HEAD_WITH("<!doctype html", "trace-viewer"),
               HEAD_WITH("<!doctype html", "Android System Trace"), HEAD_WITH("<html", "i18n-values"),
               HEAD_WITH("<html", "trace-viewer"), HEAD_WITH("<", "# tracer:")}},
    {.code = "systrace", .title = "system trace as text",
     .detail = "This is a system trace of systrace, atrace or ftrace; it has no method calls.",
     .hint = PERFETTO_UI,
     .marks = {HEAD("# tracer:"), HEAD("TRACE:\n"), HEAD("TRACE:\r\n"), HEAD("capturing trace...")}},
    {.code = "perfetto-text", .title = "Perfetto file as text",
     .detail = "This is a Perfetto trace or configuration written as text.",
     .hint = PERFETTO_UI,
     .marks = {LINE("packet {"), LINE("packet: {"), LINE_WITH("buffers {", "data_source"),
               LINE_WITH("buffers: {", "data_source")}},
    {.code = "hprof-text", .title = "hprof file as text",
     .detail = "This is text of the hprof agent or of Dalvik's SamplingProfiler; it is not a method trace.",
     .hint = RECORD_METHODS,
     .marks = {HEAD("THREAD START (obj="), HEAD("JAVA PROFILE 1.0.1, created")}},
    {.code = "heap-dump", .title = "hprof file",
     .detail = "This is a heap dump, or another recording in the hprof format; it is not a method trace.",
     .hint = "Open a heap dump in Android Studio, or in Eclipse MAT after hprof-conv. " RECORD_METHODS,
     .marks = {AT(0, "JAVA PROFILE 1.0"), AT_WITH("Version: ", "JAVA PROFILE 1.0")}},
    {.code = "art-profile", .title = "compilation profile",
     .detail = "This is a profile for ART's compiler (a baseline profile); it lists methods, and has no times.",
     .hint = RECORD_METHODS,
     .marks = {AT(0, "pro\0"), AT(0, "prm\0"), LINE_WITH("HSPL", ";->"), LINE_WITH("HPL", ";->"),
               LINE_WITH("SPL", ";->"), LINE_WITH("PL", ";->")}},
    {.code = "jfr", .title = "JDK Flight Recorder file",
     .detail = "This is a recording of JDK Flight Recorder or async-profiler.",
     .hint = "Turn it into folded stacks with async-profiler's jfrconv: jfrconv -o collapsed x.jfr x.folded.",
     .marks = {AT(0, "FLR\0")}},
    {.code = "nettrace", .title = "nettrace file",
     .detail = "This is a recording of .NET's dotnet-trace.",
     .hint = "Open it with PerfView, or turn it into a speedscope file: dotnet-trace convert --format speedscope.",
     .marks = {AT(0, "Nettrace"), AT(4, "!FastSerialization")}},
    {.code = "property-list", .title = "property list",
     .detail = "This is a property list of Apple, as it stands within the .trace folder of Instruments. The .trace "
               "files that are read here are Android's.",
     .hint = "Export stacks from Instruments with xctrace export, and make folded stacks of them.",
     .marks = {AT(0, "bplist00"), HEAD_WITH("<?xml", "<!DOCTYPE plist")}},
    {.code = "pprof-text", .title = "pprof file as text",
     .detail = "This is a profile in the old text form of pprof.",
     .hint = "Open it with pprof, or make folded stacks of it: pprof -raw x | stackcollapse-go.pl > x.folded.",
     .marks = {HEAD("--- contention"), HEAD("--- heap"), HEAD("--- thread"), HEAD("--- symbol"),
               HEAD("heap profile: "), HEAD("PeriodType: "), HEAD("goroutine profile: ")}},

    /* ---- recordings as JSON ---- */
    {.code = "speedscope", .title = "speedscope file",
     .detail = "This is a profile in speedscope's format.",
     .hint = "It opens at https://www.speedscope.app. Upload the trace that it was made of.",
     .marks = {HEAD_WITH("{", "speedscope.app/file-format-schema"), HEAD_WITH("{", "\"exporter\":\"speedscope"),
               HEAD_WITH("{", "\"exporter\": \"speedscope")}},
    {.code = "gecko", .title = "Firefox Profiler file",
     .detail = "This is a profile in the format of the Firefox Profiler (Gecko).",
     .hint = "It opens at https://profiler.firefox.com. Upload the trace that it was made of.",
     .marks = {HEAD_WITH("{", "\"preprocessedProfileVersion\""), HEAD_WITH("{", "\"processType\""),
               HEAD_WITH("{", "\"geckoProfile")}},
    {.code = "chrome-trace", .title = "Chrome trace",
     .detail = "This is a trace of Chrome's trace events, as JSON.",
     .hint = PERFETTO_UI,
     .marks = {HEAD_WITH("{", "\"traceEvents\""), HEAD_WITH("[", "\"ph\""), HEAD_WITH("{", "\"chromeVersion\"")}},
    {.code = "cpuprofile", .title = "JavaScript CPU profile",
     .detail = "This is a profile of JavaScript (.cpuprofile), as Chrome, Node.js and Hermes write it.",
     .hint = "It opens in Chrome's developer tools, under Performance.",
     .marks = {HEAD_WITH("{", "\"callFrame\""), HEAD_WITH("{", "\"hitCount\""), HEAD_WITH("{", "\"stackFrames\"")}},
    {.code = "benchmark-data", .title = "benchmark results",
     .detail = "These are the results of Jetpack Benchmark; they name traces, and hold none.",
     .hint = "Upload the trace that stands beside them; of those that Macrobenchmark writes, the method traces.",
     .marks = {HEAD_WITH("{", "\"benchmarks\"")}},
    {.code = "json", .title = "JSON",
     .detail = "This is JSON; no format in JSON is read.",
     .hint = UPLOAD_TRACE,
     .marks = {HEAD("{\""), HEAD("{\n"), HEAD("{\r"), HEAD("{ "), HEAD("{}"), HEAD("[{"), HEAD("[\n"),
               HEAD("[]")}},

    /* ---- logs ---- */
    {.code = "anr", .title = "ANR report",
     .detail = "These are stacks of threads at one moment, as Android writes them when an app does not respond.",
     .hint = "A flame graph needs a recording over time. " RECORD_METHODS,
     .marks = {LINE("----- pid "), LINE("Cmd line: "), LINE("Subject: ANR"), LINE("Subject: Input dispatching"),
               LINE_WITH("Subject: ", "Broadcast of Intent"), LINE("ANR in "), LINE("DALVIK THREADS"),
               LINE_WITH("\"main\" prio=", "tid=")}},
    {.code = "thread-dump", .title = "thread dump",
     .detail = "These are stacks of threads at one moment, as a runtime prints them when it is asked to.",
     .hint = "A flame graph needs a recording over time. " RECORD_METHODS,
     .marks = {LINE("Full thread dump "), LINE_WITH("\"", " prio="), LINE_WITH("\"", " tid=")}},
    {.code = "tombstone", .title = "crash report",
     .detail = "This is a tombstone: the stacks of a process at the moment of its crash.",
     .hint = "A flame graph needs a recording over time. " RECORD_METHODS,
     .marks = {LINE("*** *** *** *** ***")}},
    {.code = "bugreport", .title = "bug report",
     .detail = "This is a bug report of Android (dumpstate); it has no method trace.",
     .hint = RECORD_METHODS,
     .marks = {LINE("== dumpstate: "), HEAD("Bugreport format version"), LINE("------ SYSTEM LOG")}},
    {.code = "logcat", .title = "logcat output",
     .detail = "This is text of logcat; it has no method calls.",
     .hint = RECORD_METHODS,
     .test = foreign_is_logcat},
    {.code = "mapping", .title = "mapping file",
     .detail = "This is a mapping of ProGuard or R8, which says what names were before they were shortened.",
     .hint = "Upload the trace that was recorded with that build.",
     .marks = {LINE("# compiler: R8"), LINE("# pg_map_id: ")}, .test = foreign_is_mapping},

    /* ---- pages and pictures ---- */
    {.code = "svg", .title = "SVG picture",
     .detail = "This is a picture, as this service gives it; a trace is what it is made of.",
     .hint = UPLOAD_TRACE,
     .marks = {HEAD("<svg"), HEAD_WITH("<?xml", "<svg")}},
    {.code = "server-error", .title = "error of a server in the place of the file",
     .detail = "This is an error of a server that keeps files (as of S3), in XML, saved under the file's name.",
     .hint = "Read it, and download the file again: the link may have expired, or need a login.",
     .marks = {HEAD("<Error>"), HEAD_WITH("<?xml", "<Error>"), HEAD_WITH("<?xml", "<Error "),
               HEAD_WITH("<?xml", "<ListBucketResult")}},
    {.code = "html", .title = "web page in the place of the file",
     .detail = "This is a web page: most likely a login page, which a server sent in the place of the trace.",
     .hint = "Download the file again, in a browser that is logged in or with its session (curl -b cookies.txt); or "
             "pull it from the device with adb pull.",
     .marks = {HEAD("<!doctype html"), HEAD("<html"), HEAD_WITH("<?xml", "<html"), HEAD_WITH("<?xml", "<HTML"),
               HEAD("<head"), HEAD("<script"), HEAD("<body"), HEAD("<meta")}},
    {.code = "html-piece", .title = "web page in the place of the file",
     .detail = "This is a piece of a web page: most likely the error of a server or proxy, sent in the place of the trace.",
     .hint = "Read it, and download the file again; or pull it from the device with adb pull.",
     .marks = {HEAD("<title"), HEAD("<center"), HEAD("<h1"), HEAD("<div"), HEAD("<p>"), HEAD("<form"), HEAD("<style"),
               HEAD("<link")}},
    {.code = "xml", .title = "XML", .detail = "This is XML; no format in XML is read.", .hint = UPLOAD_TRACE,
     .marks = {HEAD("<?xml")}},
    {.code = "png", .title = "PNG picture", .detail = "This is a picture (PNG image); no picture is read.",
     .hint = UPLOAD_TRACE, .marks = {AT(0, "\x89PNG\r\n\x1a\n")}},
    {.code = "jpeg", .title = "JPEG picture", .detail = "This is a picture (JPEG image); no picture is read.",
     .hint = UPLOAD_TRACE, .marks = {AT(0, "\xff\xd8\xff")}},
    {.code = "gif", .title = "GIF picture", .detail = "This is a picture (GIF image); no picture is read.",
     .hint = UPLOAD_TRACE, .marks = {AT(0, "GIF87a"), AT(0, "GIF89a")}},
    {.code = "webp", .title = "WebP picture", .detail = "This is a picture (WebP image); no picture is read.",
     .hint = UPLOAD_TRACE, .marks = {AT_WITH("RIFF", "WEBP")}},
    {.code = "heif", .title = "HEIF picture", .detail = "This is a picture (HEIF or HEIC image); no picture is read.",
     .hint = UPLOAD_TRACE, .marks = {AT(4, "ftyphei"), AT(4, "ftyphev"), AT(4, "ftypmif1"), AT(4, "ftypmsf1")}},
    {.code = "avif", .title = "AVIF picture", .detail = "This is a picture (AVIF image); no picture is read.",
     .hint = UPLOAD_TRACE, .marks = {AT(4, "ftypavi")}},
    {.code = "tiff", .title = "TIFF picture", .detail = "This is a picture (TIFF image); no picture is read.",
     .hint = UPLOAD_TRACE, .marks = {AT(0, "II*\0"), AT(0, "MM\0*")}},
    {.code = "bmp", .title = "BMP picture", .detail = "This is a picture (BMP image); no picture is read.",
     .hint = UPLOAD_TRACE,
     .marks = {AT_WITH("BM", "\0\0\0\0\x36\0\0\0\x28"), AT_WITH("BM", "\0\0\0\0\x36\x04\0\0\x28"),
               AT_WITH("BM", "\0\0\0\0\x7a\0\0\0\x6c"), AT_WITH("BM", "\0\0\0\0\x8a\0\0\0\x7c")}},
    {.code = "video", .title = "video", .detail = "This is a video, as screenrecord writes it; no picture is read.",
     .hint = UPLOAD_TRACE, .marks = {AT(4, "ftypisom"), AT(4, "ftypmp4"), AT(4, "ftypMSNV"), AT(4, "ftypqt"),
                                     AT(0, "\x1a\x45\xdf\xa3")}},
    {.code = "pdf", .title = "PDF document", .detail = "This is a PDF document; no document is read.",
     .hint = UPLOAD_TRACE, .marks = {AT(0, "%PDF-")}},

    /* ---- programs ---- */
    {.code = "elf", .title = "native program", .detail = "This is a program or a library (ELF), not a recording of one.",
     .hint = RECORD_METHODS, .marks = {AT(0, "\x7f" "ELF")}},
    {.code = "dex", .title = "Android code", .detail = "This is code of an app (DEX), not a recording of it.",
     .hint = RECORD_METHODS, .marks = {AT(0, "dex\n0"), AT(0, "cdex0"), AT(0, "vdex0"), AT(0, "dey\n0"),
                                       AT(0, "\xca\xfe\xba\xbe")}},
    {.code = "apk", .title = "Android app", .detail = "This is an app (APK, bundle or library), not a recording of it.",
     .hint = RECORD_METHODS,
     .marks = {AT(30, "AndroidManifest.xml"), AT(30, "classes.dex"), AT(30, "BundleConfig.pb"), AT(30, "META-INF/"),
               AT_WITH("PK\3\4", "AndroidManifest.xml"), AT_WITH("PK\3\4", "META-INF/com/android/"),
               AT_WITH("PK\3\4", "assets/dexopt/"), AT_WITH("PK\3\4", "classes.jar")}},
    {.code = "sqlite", .title = "SQLite database", .detail = "This is a database (SQLite), not a profile.",
     .hint = UPLOAD_TRACE, .marks = {AT(0, "SQLite format 3")}},

    /* ---- packed ---- */
    {.code = "instruments", .title = "trace of Instruments",
     .detail = "This is a .trace folder of Apple's Instruments, packed. The .trace files that are read here are Android's.",
     .hint = "Export stacks from Instruments with xctrace export, and make folded stacks of them.",
     .marks = {AT_WITH("PK\3\4", ".trace/form.template"), AT_WITH("PK\3\4", ".trace/instrument_data/"),
               AT_WITH("PK\3\4", ".trace/corespace/"), AT_WITH("PK\3\4", ".trace/open.creq"),
               AT_WITH("PK\3\4", ".trace/Trace1.run/")}},
    {.code = "apk-set", .title = "Android app",
     .detail = "This is an app in several parts (.apks, .xapk or .apkm), not a recording of it.",
     .hint = RECORD_METHODS, .marks = {AT(30, "toc.pb"), AT_WITH("PK\3\4", ".apk")}},
    {.code = "bugreport-zip", .title = "bug report",
     .detail = "This is a bug report of Android, packed; it has no method trace.",
     .hint = RECORD_METHODS,
     .marks = {AT(30, "bugreport-"), AT(30, "dumpstate"), AT(30, "version.txt"), AT(30, "main_entry.txt"),
               AT_WITH("PK\3\4", "bugreport")}},
    {.code = "bzip2", .title = "packed with bzip2", .detail = "The file is packed (bzip2), in a way that is not read.",
     .hint = "Unpack it first: bunzip2 app.trace.bz2.", .marks = {AT(0, "BZh")}},
    {.code = "xz", .title = "packed with xz", .detail = "The file is packed (xz), in a way that is not read.",
     .hint = "Unpack it first: unxz app.trace.xz.",
     .marks = {AT(0, "\xfd" "7zXZ\0"), AT(0, "\x5d\0\0\x80\0"), AT(0, "LZIP")}},
    {.code = "lz4", .title = "packed with lz4", .detail = "The file is packed (lz4), in a way that is not read.",
     .hint = "Unpack it first: unlz4 app.trace.lz4.", .marks = {AT(0, "\x04\x22\x4d\x18"), AT(0, "\x02\x21\x4c\x18")}},
    {.code = "7z", .title = "7-Zip archive", .detail = "The file is packed (7-Zip), in a way that is not read.",
     .hint = "Unpack it first: 7z x app.7z.", .marks = {AT(0, "7z\xbc\xaf\x27\x1c")}},
    {.code = "rar", .title = "RAR archive", .detail = "The file is packed (RAR), in a way that is not read.",
     .hint = "Unpack it first: unrar x app.rar.", .marks = {AT(0, "Rar!\x1a\x07")}},
    {.code = "tar", .title = "tar archive", .detail = "The file is packed (tar), in a way that is not read.",
     .hint = "Unpack it first: tar xf app.tar.", .marks = {AT(257, "ustar")}},

    /* ---- protocol buffers have no magic: what is left ---- */
    {.code = "perfetto", .title = "Perfetto trace",
     .detail = "This is a Perfetto trace: a system trace, a heap profile, or callstack samples, whatever its name "
               "ends in.",
     .hint = PERFETTO_UI,
     .test = foreign_is_perfetto},
    {.code = "pprof", .title = "pprof profile",
     .detail = "This is a profile in the format of pprof (profile.proto).",
     .hint = "Open it with pprof, or make folded stacks of it: pprof -raw x | stackcollapse-go.pl > x.folded.",
     .test = foreign_is_pprof},
};
/* clang-format on */

const size_t FOREIGN_COUNT = sizeof(FOREIGN) / sizeof(*FOREIGN);
