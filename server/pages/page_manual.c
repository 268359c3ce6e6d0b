/* The front page for terminals: everything that curl needs to know. */
#include "core/clean.h"
#include "core/wrap.h"
#include "render/output.h"
#include "render/view/key.h"
#include "server/pages/page_data.h"
#include "server/pages/pages.h"

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
        text = (struct str){text.p + at + MARK.n, text.n - at - MARK.n};
    }
}

static const char UPLOADING[] =
    "UPLOAD; the answer is one line, the link of the result\n\n"
    "    URL=$(curl -F trace=@app.trace {}/)\n"
    "    curl -T app.trace {}/app.trace\n"
    "    adb exec-out cat /sdcard/app.trace | curl -T - {}/app.trace\n\n"
    "  With a name, and for 7 days (or 12h):\n\n"
    "    curl -F trace=@app.trace -F name='cold start' -F expires=7 {}/\n"
    "    curl -T app.trace '{}/app.trace?name=cold%20start&expires=12h'\n\n"
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
               "  the file; nobody can guess the link, and nothing lists it.\n",
               (unsigned long long)config->expires_days, (unsigned long long)config->max_expires_days);
}

void page_manual(struct buf *b, struct str base, const struct config *config)
{
    buf_z(b, "aflamed draws flame graphs of profiles: Android method traces above all.\n\n");
    put_text(b, base, UPLOADING);
    put_text(b, base, READING);
    put_outputs(b);
    put_options(b);
    put_text(b, base, DELETING_AND_RECORDING);
    put_limits(b, config);
}
