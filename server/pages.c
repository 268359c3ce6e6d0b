#include "server/pages.h"

#include "core/clean.h"
#include "core/hash.h"
#include "render/number.h"
#include "render/output.h"
#include "server/page_frame.h"

enum { HASH_CHARS = 16 };

/* ---- files of static/ ---- */

/* Names the content for caches; nobody gains by forging it, so the seed may be known. */
static void content_hash(char out[HASH_CHARS + 1], struct str bytes)
{
    static const char DIGITS[] = "0123456789abcdef";
    uint64_t hash = hash_bytes((struct hash_seed){0, 0}, bytes.p, bytes.n);

    for (int i = HASH_CHARS; i > 0; i--, hash >>= 4)
        out[i - 1] = DIGITS[hash & 15];
    out[HASH_CHARS] = '\0';
}

static const struct static_file *file_by_name(struct str name)
{
    for (size_t i = 0; i < STATIC_FILES_COUNT; i++)
        if (str_eq(STATIC_FILES[i].name, name))
            return &STATIC_FILES[i];
    return NULL;
}

void static_path(struct buf *b, struct str name)
{
    const struct static_file *file = file_by_name(name);
    char hash[HASH_CHARS + 1];

    if (file == NULL)
        return;
    content_hash(hash, file->bytes);
    buf_z(b, "/static/");
    buf_z(b, hash);
    buf_char(b, '/');
    buf_str(b, name);
}

const struct static_file *static_find(struct str hash, struct str name)
{
    const struct static_file *file = file_by_name(name);
    char expected[HASH_CHARS + 1];

    if (file == NULL)
        return NULL;
    content_hash(expected, file->bytes);
    return str_eq(hash, str_of(expected)) ? file : NULL;
}

/* ---- frame ---- */

void page_headers(struct reply *r)
{
    reply_header(
        r, "Content-Security-Policy",
        "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'");
    reply_header(r, "X-Content-Type-Options", "nosniff");
    reply_header(r, "Referrer-Policy", "no-referrer");
    reply_header(r, "Cache-Control", "private, no-cache");
    reply_header(r, "Vary", "Accept, Accept-Encoding");
}

void page_frame_text(struct buf *b, const char *before, struct str text, const char *after)
{
    buf_z(b, before);
    clean_xml(b, text);
    buf_z(b, after);
}

void page_frame_begin(struct buf *b, struct str title)
{
    buf_z(
        b,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"robots\" content=\"noindex\">\n");
    page_frame_text(b, "<title>", title, " - aflamed</title>\n<link rel=\"stylesheet\" href=\"");
    static_path(b, STR("app.css"));
    buf_z(b, "\">\n</head>\n<body>\n<header><a href=\"/\">aflamed</a></header>\n<main>\n");
}

void page_frame_end(struct buf *b)
{
    buf_z(b, "</main>\n</body>\n</html>\n");
}

/* ---- upload ---- */

static void put_size(struct buf *b, uint64_t bytes)
{
    char text[NUMBER_BYTES_MAX];

    buf_bytes(b, text, (size_t)(number_bytes(text, bytes, 3) - text));
}

static void put_form(struct buf *b, const struct config *config)
{
    buf_z(b, "<form method=\"post\" action=\"/\" enctype=\"multipart/form-data\">\n"
             "<p><label for=\"trace\">Trace file <span class=\"quiet\">(up to ");
    put_size(b, config->max_upload_bytes);
    buf_z(
        b,
        ")</span></label>\n<input id=\"trace\" name=\"trace\" type=\"file\" required></p>\n"
        "<p><label for=\"name\">Name <span class=\"quiet\">(optional; else that of the file)</span></label>\n"
        "<input id=\"name\" name=\"name\" maxlength=\"255\" autocomplete=\"off\"></p>\n"
        "<p><label for=\"expires\">Keep it for how many days</label>\n"
        "<input id=\"expires\" name=\"expires\" type=\"number\" min=\"1\" max=\"");
    buf_u64(b, config->max_expires_days);
    buf_z(b, "\" value=\"");
    buf_u64(b, config->expires_days);
    buf_z(b, "\" required></p>\n<p><button>Upload and draw</button></p>\n</form>\n");
}

void page_upload(struct buf *b, struct str base, const struct config *config)
{
    page_frame_begin(b, STR("Upload a profile"));
    buf_z(b, "<h1>See where an Android app spends its time</h1>\n"
             "<p class=\"lead\">Upload a method trace (<code>Debug.startMethodTracing</code>, <code>am "
             "profile</code>, Android "
             "Studio) or folded stacks, and get a flame graph of each thread.</p>\n");
    put_form(b, config);
    buf_z(b, "<p>Anyone who has the link of a result can see it and download the file, until the days are "
             "over; nobody can "
             "guess the link, and nothing lists it.</p>\n<h2>From the terminal</h2>\n");
    page_frame_text(b, "<pre><code>curl -F trace=@app.trace ", base, "/</code></pre>\n");
    page_frame_text(b,
                    "<p>It answers with the link. Straight from the device, or straight to a picture:</p>\n"
                    "<pre><code>adb exec-out cat /sdcard/app.trace | curl -T - ",
                    base, "/app.trace\n");
    page_frame_text(b, "curl -F trace=@app.trace '", base, "/?output=svg' &gt; app.svg</code></pre>\n");
    page_frame_end(b);
}

static void put_manual_line(struct buf *b, const char *before, struct str base, const char *after)
{
    buf_z(b, before);
    clean_text(b, base);
    buf_z(b, after);
}

void page_manual(struct buf *b, struct str base, const struct config *config)
{
    buf_z(b, "aflamed draws flame graphs of Android method traces and of folded stacks.\n\n");
    put_manual_line(b, "Upload; the answer is the link of the result:\n\n    curl -F trace=@app.trace ", base,
                    "/\n");
    put_manual_line(b, "    adb exec-out cat /sdcard/app.trace | curl -T - ", base, "/app.trace\n");
    put_manual_line(b, "    curl -F trace=@app.trace -F name='cold start' -F expires=7 ", base, "/\n");
    put_manual_line(b,
                    "\nThe result as JSON, or one output at once:\n\n"
                    "    curl -H 'Accept: application/json' -F trace=@app.trace ",
                    base, "/\n");
    put_manual_line(b, "    curl -F trace=@app.trace '", base, "/?output=svg' > app.svg\n");
    put_manual_line(b,
                    "\nDelete, with the token that the upload's JSON answer holds:\n\n"
                    "    curl -X DELETE -H 'X-Delete-Token: TOKEN' ",
                    base, "/p/ID\n");
    buf_z(b, "\nOutputs:");
    for (size_t i = 0; i < OUTPUTS_COUNT; i++)
        buf_printf(b, "%s %s", i == 0 ? "" : ",", OUTPUTS[i]->name);
    buf_z(b, ".\nA file may have up to ");
    put_size(b, config->max_upload_bytes);
    buf_printf(b, ". It is kept for %llu days unless you ask for another time, %llu at most.\n",
               (unsigned long long)config->expires_days, (unsigned long long)config->max_expires_days);
    buf_z(
        b,
        "Anyone who has the link of a result can see it and download the file; nobody can guess the link.\n");
}

/* ---- deleting, problems ---- */

void page_delete(struct buf *b, const struct record *r, struct str token)
{
    page_frame_begin(b, STR("Delete a profile"));
    page_frame_text(b, "<h1>Delete this profile?</h1>\n<p class=\"name\">", str_of(r->name), "</p>\n");
    buf_z(b, "<p>Its link stops working for everyone, at once. This cannot be undone.</p>\n");
    page_frame_text(b, "<form method=\"post\" action=\"/p/", str_of(r->id), "/delete\">\n");
    page_frame_text(b, "<input type=\"hidden\" name=\"token\" value=\"", token, "\">\n");
    page_frame_text(b, "<p><button class=\"danger\">Delete</button> <a href=\"/p/", str_of(r->id),
                    "\">Keep it</a></p>\n");
    buf_z(b, "</form>\n");
    page_frame_end(b);
}

void page_deleted(struct buf *b)
{
    page_frame_begin(b, STR("Deleted"));
    buf_z(b, "<h1>The profile is deleted</h1>\n<p>Its link does not work any more.</p>\n"
             "<p><a href=\"/\">Upload another one</a></p>\n");
    page_frame_end(b);
}

void page_problem(struct buf *b, unsigned status, struct str title, struct str detail, struct str hint,
                  uint64_t request_id)
{
    page_frame_begin(b, title);
    page_frame_text(b, "<h1>", title, "</h1>\n");
    page_frame_text(b, "<p class=\"lead\">", detail, "</p>\n");
    if (hint.n > 0)
        page_frame_text(b, "<p>", hint, "</p>\n");
    buf_printf(b,
               "<p class=\"quiet\">Status %u, request %llu</p>\n<p><a href=\"/\">Upload a profile</a></p>\n",
               status, (unsigned long long)request_id);
    page_frame_end(b);
}
