#include "core/clean.h"
#include "core/wrap.h"
#include "parser/format.h"
#include "render/output.h"
#include "render/view/key.h"
#include "server/pages/page_data.h"
#include "server/pages/page_frame.h"
#include "server/pages/pages.h"
#include "server/pages/static_assets.h"

/* The page that takes uploads: a plain form that works by itself; static/upload.js makes more of it. What only
 * a script can do is hidden until there is one. */

/* A field is refused above 512 bytes, and a UTF-16 unit, which is what browsers count, takes at most 3. */
enum { NAME_UNITS_MAX = 512 / 3 };

/* ---- the form ---- */

static void put_drop_zone(struct buf *b, const struct config *config)
{
    buf_z(
        b,
        "<div class=\"drop\">\n<label for=\"trace\"><span class=\"drop-choose\">Choose a trace</span>"
        "<span class=\"drop-more\" data-with-script hidden>or several; or drop them anywhere on this page, or paste "
        "them. The upload starts at once. A trace in two files: give both together.</span></label>\n"
        "<input id=\"trace\" name=\"trace\" type=\"file\" required aria-describedby=\"accepted\">\n"
        "<p id=\"accepted\" class=\"quiet\">");
    page_formats(b, ", ");
    page_put(b, "; up to {}</p>\n</div>\n", PAGE_NUMBER(UNIT_BYTES, config->max_upload_bytes));
}

/* Few uploads are for a list: it unfolds. What was said is kept by the script, for the next one. */
static void put_space(struct buf *b)
{
    buf_printf(
        b,
        "<details class=\"more\" id=\"listing\"><summary>List it in a space, with labels</summary>\n"
        "<p><label for=\"space\">Space</label>\n<input id=\"space\" name=\"space\" maxlength=\"%d\" "
        "pattern=\"[a-z0-9_\\-][a-z0-9._\\-]*\" autocomplete=\"off\" autocapitalize=\"none\" spellcheck=\"false\" "
        "placeholder=\"checkout\" aria-describedby=\"space-help\"></p>\n"
        "<p><label for=\"labels\">Labels, each on a line</label>\n<textarea id=\"labels\" name=\"labels\" rows=\"3\" "
        "autocapitalize=\"none\" spellcheck=\"false\" placeholder=\"branch=main\"></textarea></p>\n"
        "<p id=\"space-help\" class=\"quiet\">Whoever may read the space finds the profile in its list, at /s/ and the name. "
        "Small letters, digits, dots, hyphens, underscores.</p>\n</details>\n",
        SPACE_NAME_BYTES);
}

static void put_form(struct buf *b, const struct config *config, bool has_team)
{
    buf_printf(b,
               "<form id=\"upload\" class=\"upload\" method=\"post\" action=\"./\" "
               "enctype=\"multipart/form-data\" data-max-upload-bytes=\"%llu\">\n",
               (unsigned long long)config->max_upload_bytes);
    put_drop_zone(b, config);
    buf_printf(
        b,
        "<div class=\"upload-options\">\n"
        "<p><label for=\"name\">Name <span class=\"quiet\">(optional)</span></label>\n"
        "<input id=\"name\" name=\"name\" maxlength=\"%d\" autocomplete=\"off\" placeholder=\"the file's own\"></p>\n"
        "<p><label for=\"expires\">Days to keep it</label>\n"
        "<input id=\"expires\" name=\"expires\" type=\"number\" min=\"1\" max=\"%llu\" value=\"%llu\" required></p>\n",
        NAME_UNITS_MAX, (unsigned long long)config->max_expires_days,
        (unsigned long long)config->expires_days);
    if (has_team)
        page_readers(b, str_eq(str_of(config->readers), STR("team")));
    buf_z(b, "</div>\n");
    put_space(b);
    buf_z(b, "<p data-without-script><button>Upload and draw</button></p>\n</form>\n");
}

/* In the place of the form. */
static void put_way_in(struct buf *b, const struct page_visitor *v)
{
    buf_z(b, "<div class=\"upload-place\">\n<div class=\"drop\">\n");
    if (v->name.n == 0)
        buf_z(b, "<p>Log in to upload.</p>\n"
                 "<p><a class=\"button\" href=\"login\">Log in</a></p>\n");
    else
        page_put(
            b,
            "<p>You are logged in as <bdi>{}</bdi>, who may not upload. Ask whoever runs the service.</p>\n",
            v->name);
    buf_z(b, "</div>\n</div>\n");
}

static void put_upload(struct buf *b, const struct config *config, bool has_team)
{
    buf_z(b, "<div class=\"upload-place\">\n");
    put_form(b, config, has_team);
    buf_z(
        b,
        "<p id=\"upload-status\" class=\"out-of-sight\" role=\"status\"></p>\n"
        "<ol id=\"upload-rows\" class=\"upload-rows\" aria-label=\"Uploads\"></ol>\n"
        "<p class=\"quiet\">Whoever has the link of a result can see it and download the file until its days "
        "are over or you delete it; nobody can guess the link, and nothing lists it but the space that you name.");
    if (has_team)
        buf_z(b, " For team members only, it also takes a login.");
    buf_z(b, "</p>\n</div>\n");
}

/* ---- commands: markup of our own around the service's URL ---- */

static void put_command(struct buf *b, const char *before, struct str base, const char *after)
{
    buf_printf(b, "<div class=\"command\"><pre><code>%s", before);
    page_put(b, "{}", base);
    buf_printf(b, "%s</code></pre></div>\n", after);
}

/* What one gets, and how to see it without a trace of one's own. */
static void put_picture(struct buf *b, bool may_upload)
{
    buf_z(b, "<figure class=\"example\"><img src=\"./");
    static_path(b, STR("screenshot.png"));
    buf_z(
        b,
        "\" width=\"1280\" height=\"800\" alt=\"The page of a profile: in words where the time went, what the "
        "threads did, and the flame graph of the main thread\">\n<figcaption>No trace at hand?\n");
    if (may_upload)
        buf_z(
            b,
            "<button id=\"demo\" type=\"button\" class=\"button\" data-with-script hidden>Try the demo</button>\n");
    buf_z(b, "<a href=\"demo.trace\" download>Download the demo</a></figcaption></figure>\n");
}

static void put_terminal(struct buf *b, struct str base, bool has_tokens)
{
    buf_z(b, "<section class=\"terminal\" aria-labelledby=\"terminal\">\n"
             "<h2 id=\"terminal\">From the terminal</h2>\n<p>The answer is the link.");
    if (has_tokens)
        buf_z(b, " Add <code>-u NAME:TOKEN</code>, or <code>-n</code> with a line in <code>~/.netrc</code>.");
    buf_z(b, "</p>\n");
    put_command(b, "curl -F trace=@app.trace ", base, "/");
    buf_z(
        b,
        "<details class=\"more\"><summary>More commands</summary>\n<p>From the device, without a file in between:</p>\n");
    put_command(b, "adb exec-out cat /sdcard/app.trace | curl -T - ", base, "/app.trace");
    buf_z(b, "<p>The flame graph of the busiest thread at once:</p>\n");
    put_command(b, "curl -F trace=@app.trace '", base, "/?output=svg' &gt; app.svg");
    buf_z(b, "<p>The whole manual:</p>\n");
    put_command(b, "curl ", base, "/");
    buf_z(b,
          "<p>For programs: <a href=\"api\">all URLs, and what they take</a>.</p>\n</details>\n</section>\n");
}

/* ---- how to record; all of it markup ---- */

static const struct recipe {
    const char *title, *text;
    const char *code;    /* of the app; NULL: none */
    const char *command; /* of the terminal, up to the service's URL; NULL: none */
} RECIPES[] = {
    {"In the code, every call",
     "Complete, but the app runs several times slower while it is recorded. The second argument is the size of the "
     "buffer in bytes; without it there are 8 MiB, and what comes later is lost.",
     "Debug.startMethodTracing(\"start\", 64 &lt;&lt; 20)\n// what you want to "
     "see\nDebug.stopMethodTracing()",
     "adb exec-out cat /sdcard/Android/data/PACKAGE/files/start.trace | curl -T - "},
    {"In the code, by sampling",
     "Looks at all stacks every so many microseconds: cheap enough for long recordings, and the proportions are true. "
     "Calls shorter than that may be missing, and counts of calls mean little.",
     "Debug.startMethodTracingSampling(\"start\", 64 &lt;&lt; 20, 1000)\n// what you want to see\n"
     "Debug.stopMethodTracing()",
     "adb exec-out cat /sdcard/Android/data/PACKAGE/files/start.trace | curl -T - "},
    {"From outside, an app that runs",
     "The app must be debuggable or profileable. Without <code>--sampling 1000</code> every call is recorded. The "
     "file is complete a moment after the stop.",
     NULL,
     "adb shell am profile start --sampling 1000 PACKAGE /data/local/tmp/app.trace\n"
     "adb shell am profile stop PACKAGE\nadb exec-out cat /data/local/tmp/app.trace | curl -T - "},
    {"From outside, the start of an app", "Ends the app if it runs, and records from its first moment on.",
     NULL,
     "adb shell am start -S -W --start-profiler /data/local/tmp/app.trace --sampling 1000 -n "
     "PACKAGE/.MainActivity\n"
     "adb shell am profile stop PACKAGE\nadb exec-out cat /data/local/tmp/app.trace | curl -T - "},
    {"In Android Studio",
     "In the profiler choose the task that records Java/Kotlin methods. When the recording has ended, export it: that "
     "is the <code>.trace</code> file to drop here. Its callstack samples are read as well.",
     NULL, NULL},
    {"Native and Java code, by simpleperf",
     "Samples of all threads, with the time off the CPU as well; <code>simpleperf</code> is in the NDK. What is "
     "uploaded is the report, not <code>perf.data</code>.",
     "adb shell simpleperf record -g --app PACKAGE --duration 10 --trace-offcpu -o /data/local/tmp/perf.data\n"
     "adb pull /data/local/tmp/perf.data\n"
     "simpleperf report-sample --protobuf --show-callchain -i perf.data -o app.trace",
     "curl -T app.trace "},
    {"The memory of an app, by Perfetto",
     "A heap profile: who allocated what is not released, and all that was allocated; with <code>-c 10000</code> "
     "again every 10 seconds, to see what grows. <code>--heaps com.android.art</code> is Java's memory. The app must "
     "be debuggable or profileable; start the recording before the app to see all of it. The script is in Perfetto's "
     "repository, as <code>tools/heap_profile</code>.",
     "./heap_profile -n PACKAGE -c 10000 -o heap\n# Ctrl-C ends it", "curl -T heap/raw-trace "},
    {"CPU samples, by Perfetto",
     "Samples of all threads of an app or of the system, with kernel frames; <code>tools/cpu_profile</code> is in "
     "Perfetto's repository as well. What <code>traceconv symbolize</code> and <code>traceconv deobfuscate</code> "
     "write may stand behind the trace.",
     "./cpu_profile -n PACKAGE -o cpu\n# Ctrl-C ends it", "curl -T cpu/raw-trace "},
    {"By other profilers",
     "Profiles of pprof (<code>.pb.gz</code>), folded stacks, and Java samples of <code>SamplingProfiler</code> or "
     "the JDK (<code>.hprof</code>, <code>java.hprof.txt</code>) are uploaded as they are; one file, or an archive.",
     NULL, "curl -T cpu.pb.gz "},
};

static void put_recipe(struct buf *b, const struct recipe *r, struct str base)
{
    buf_printf(b, "<section>\n<h3>%s</h3>\n<p>%s</p>\n", r->title, r->text);
    if (r->code != NULL)
        put_command(b, r->code, STR(""), "");
    if (r->command != NULL)
        put_command(b, r->command, base, "/app.trace");
    buf_z(b, "</section>\n");
}

static void put_recipes(struct buf *b, struct str base)
{
    buf_z(b, "<section class=\"recipes\" aria-labelledby=\"record\">\n"
             "<h2 id=\"record\">How to record a trace</h2>\n<div class=\"recipe-list\">\n");
    for (size_t i = 0; i < sizeof(RECIPES) / sizeof(RECIPES[0]); i++)
        put_recipe(b, &RECIPES[i], base);
    buf_z(b, "</div>\n</section>\n");
}

void page_upload(struct buf *b, struct str base, const struct config *config,
                 const struct page_visitor *visitor)
{
    const struct page_frame frame = {.title = STR("Upload a profile"),
                                     .root = STR("./"),
                                     .script = visitor == NULL || visitor->may_upload ? "upload.js" : NULL,
                                     .visitor = visitor};

    page_frame_begin(b, &frame);
    buf_z(
        b,
        "<h1>See where an Android app spends its time</h1>\n"
        "<p class=\"lead\">Give it a method trace, a system trace, CPU samples or a heap profile, and read what took the time.</p>\n"
        "<div class=\"upload-columns\">\n");
    bool may_upload = visitor == NULL || visitor->may_upload;
    if (may_upload)
        put_upload(b, config, visitor != NULL);
    else
        put_way_in(b, visitor);
    buf_z(b, "<div>\n");
    put_picture(b, may_upload);
    put_terminal(b, base, config->tokens_file[0] != '\0');
    buf_z(b, "</div>\n</div>\n");
    put_recipes(b, base);
    buf_z(b, "<div id=\"drop-cover\" class=\"drop-cover\" hidden><p>Drop to upload</p></div>\n");
    page_frame_end(b);
}

/* The front page for terminals: everything that curl needs to know. */

/* Text with the service's URL where it says {}. */
static void put_text(struct buf *b, struct str base, const char *terminated)
{
    static const struct str MARK = STR_INIT("{}");
    struct str text = str_of(terminated);

    for (;;) {
        size_t at = str_find_str(text, MARK);
        buf_bytes(b, text.p, at);
        if (at == text.n)
            return;
        clean_text(b, base);
        text = str_from(text, at + MARK.n);
    }
}

static const char TOKENS[] =
    "WHO ASKS; uploads, and what is for the team, need a token in each command below\n\n"
    "    curl -u NAME:TOKEN -F trace=@app.trace {}/\n\n"
    "  or the header Authorization: Bearer TOKEN, or curl -n with a line in ~/.netrc. Who uploads is the\n"
    "  owner, and needs no delete token. For who is known alone: -F readers=team\n\n";

static const char UPLOADING[] =
    "UPLOAD; the answer is one line, the link of the result\n\n"
    "    URL=$(curl -F trace=@app.trace {}/)\n"
    "    curl -T app.trace {}/app.trace\n"
    "    adb exec-out cat /sdcard/app.trace | curl -T - {}/app.trace\n\n"
    "  With a name, and for 7 days (or 12h):\n\n"
    "    curl -F trace=@app.trace -F name='cold start' -F expires=7 {}/\n"
    "    curl -T app.trace '{}/app.trace?name=cold%20start&expires=12h'\n\n"
    "  Into the list of a space, with labels to look for; /s/checkout has all of them:\n\n"
    "    curl -F trace=@app.trace -F space=checkout -F label.branch=main {}/\n"
    "    curl '{}/s/checkout?q=branch:main'\n\n"
    "  Packed, by gzip, zstd, zip or tar; of an archive with several files, one by its name:\n\n"
    "    curl -T app.trace.gz {}/app.trace.gz\n"
    "    curl -F member=logs/app.trace -F trace=@report.zip {}/\n\n"
    "  A trace in two files, a key file and its data file, becomes one:\n\n"
    "    cat app.key app.data | curl -T - {}/app.trace\n\n"
    "  In scripts add --fail-with-body: curl then fails if the service refuses; the answer says why.\n"
    "  Its headers hold the link (Location), its end (X-Expires), the page that deletes it\n"
    "  (X-Delete-URL). If there is much to draw, the answer (202) comes before all is drawn; the link\n"
    "  is the same. To wait for the end:\n\n"
    "    curl \"$URL/status.json?wait=60\"\n\n";

static const char READING[] =
    "THE RESULT AS JSON: id, url, delete_token, expires, warnings, tracks by weight\n\n"
    "    curl -H 'Accept: application/json' -F trace=@app.trace {}/\n"
    "    curl \"$URL.json\"\n\n"
    "ONE OUTPUT AT ONCE, of the busiest thread unless you name others\n\n"
    "    curl -F trace=@app.trace '{}/?output=svg' > app.svg\n"
    "    curl -F trace=@app.trace '{}/?output=folded&track=all' > app.folded.txt\n\n"
    "OUTPUTS OF A RESULT: $URL/t/TRACK.SUFFIX\n\n"
    "    curl \"$URL/t/merged.svg?value=calls&view=icicle\" > app.svg\n"
    "    curl \"$URL/t/all.folded.txt\"\n"
    "    curl \"$URL/raw\" > app.trace\n\n";

static const char DELETING_AND_RECORDING[] =
    "DELETE, with the token that the JSON answer to the upload holds\n\n"
    "    curl -X DELETE -H \"X-Delete-Token: $TOKEN\" \"$URL\"\n\n"
    "ALL URLS, for programs: an OpenAPI 3.1 document\n\n"
    "    curl {}/api\n\n"
    "RECORD, of an app that is debuggable or profileable; without --sampling every call is recorded\n\n"
    "    adb shell am profile start --sampling 1000 PACKAGE /data/local/tmp/app.trace\n"
    "    adb shell am profile stop PACKAGE\n"
    "    adb exec-out cat /data/local/tmp/app.trace | curl -T - {}/app.trace\n\n"
    "  Use exec-out, not shell: what goes through a terminal is damaged. No trace at hand?\n\n"
    "    curl {}/demo.trace | curl -T - {}/demo.trace\n\n";

static void put_outputs(struct buf *b)
{
    buf_z(b, "  output=  SUFFIX\n");
    for (size_t i = 0; i < OUTPUTS_COUNT; i++)
        buf_printf(b, "  %-8s %-12s %s\n", OUTPUTS[i]->name, OUTPUTS[i]->suffix, OUTPUTS[i]->label);
    buf_char(b, '\n');
}

/* A row of the list of options: where its text begins is the same in all of them. */
static void put_option(struct buf *b, const struct key *r)
{
    enum { COLUMN = 12, WIDTH = 96 };
    struct buf text = {0};
    size_t begin = b->n;

    buf_printf(b, (r->groups & KEYS_TRACK) != 0 ? "  TRACK" : "  %s=", r->name);
    do
        buf_char(b, ' ');
    while (!b->failed && b->n - begin < COLUMN);
    key_describe(r, false, &text);
    wrap_text(b, buf_view(&text), COLUMN, COLUMN, WIDTH);
    buf_part_end(b, &text);
}

static void put_options(struct buf *b)
{
    for (size_t i = 0; i < KEYS_COUNT; i++)
        if (KEYS[i].groups & (KEYS_VIEW | KEYS_TRACK))
            put_option(b, &KEYS[i]);
    buf_char(b, '\n');
}

static void put_limits(struct buf *b, const struct config *config)
{
    buf_z(b, "ACCEPTED, one file per upload, up to ");
    page_data_put_number(b, UNIT_BYTES, config->max_upload_bytes);
    buf_z(b, "\n\n    ");
    page_formats(b, "\n    ");
    buf_printf(b,
               "\n\n  An upload is kept for %llu days unless you ask for another time, %llu at most. Until\n"
               "  then, or until you delete it, whoever has the link of a result can see it and download\n"
               "  the file; nobody can guess the link; nothing lists it but a space that you name.\n",
               (unsigned long long)config->expires_days, (unsigned long long)config->max_expires_days);
}

void page_manual(struct buf *b, struct str base, const struct config *config)
{
    buf_z(b, "aflamed draws flame graphs of profiles: Android method traces above all.\n\n");
    if (config->tokens_file[0] != '\0')
        put_text(b, base, TOKENS);
    put_text(b, base, UPLOADING);
    put_text(b, base, READING);
    put_outputs(b);
    put_options(b);
    put_text(b, base, DELETING_AND_RECORDING);
    put_limits(b, config);
}

void page_formats(struct buf *b, const char *separator)
{
    for (size_t i = 0; i < FORMATS_COUNT; i++) {
        buf_z(b, i == 0 ? "" : separator);
        buf_z(b, FORMATS[i]->label);
    }
}
