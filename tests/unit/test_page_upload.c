/* The upload page, the manual for terminals, and the page of a browser's own uploads: that they say what is true, and
 * hold together as markup. */
#include "tests/support/unit.h"

#include "parser/format.h"
#include "render/output.h"
#include "render/view/key.h"
#include "server/config/config_load.h"
#include "server/pages/pages.h"
#include "tests/support/markup.h"

#include <stdio.h>
#include <string.h>

#define BASE    "http://build.lan:8192"
#define HOSTILE "http://x\"><script>alert('x')</script>&\x01\xff"

/* Elements are balanced, fields are labelled, ids are there once, and nothing is inline or from elsewhere. */
static void check_page(const char *page, const char *script)
{
    markup_check(page);
    assert_int_equal(markup_count(page, "<script"), 1);
    assert_int_equal(markup_count(page, script), 1);
    assert_null(strstr(page, "onclick"));
    assert_null(strstr(page, "href=\"/"));
    assert_null(strstr(page, "src=\"/"));
    assert_null(strstr(page, "action=\"/"));
    assert_null(strstr(page, "src=\"http"));
    assert_null(strstr(page, "href=\"http"));
    assert_int_equal(markup_count(page, "<label for="),
                     markup_count(page, "<input") + markup_count(page, "<textarea"));
    for (const char *at = strstr(page, " id=\""); at != NULL; at = strstr(at + 1, " id=\"")) {
        char id[64];
        snprintf(id, sizeof(id), "%.*s", (int)(strchr(at + 5, '"') + 1 - at), at);
        assert_int_equal(markup_count(page, id), 1);
    }
}

/* What labels and descriptions refer to is there. */
static void check_references(const char *page, const char *attribute)
{
    for (const char *at = strstr(page, attribute); at != NULL; at = strstr(at + 1, attribute)) {
        const char *name = at + strlen(attribute);
        char id[64];
        snprintf(id, sizeof(id), " id=\"%.*s\"", (int)(strchr(name, '"') - name), name);
        assert_int_equal(markup_count(page, id), 1);
    }
}

static struct config config_of(uint64_t days, uint64_t max_days)
{
    struct config config;

    config_defaults(&config);
    config.expires_days = days;
    config.max_expires_days = max_days;
    return config;
}

TEST(upload_page)
{
    struct config config = config_of(17, 99);
    struct buf b = {0};

    page_upload(&b, STR(BASE), &config, NULL);
    const char *page = markup_text(&b);
    check_page(page, "/upload.js\"");
    check_references(page, "for=\"");
    check_references(page, "aria-labelledby=\"");
    check_references(page, "aria-describedby=\"");
    assert_non_null(strstr(page, "method=\"post\" action=\"./\" enctype=\"multipart/form-data\""));
    assert_non_null(strstr(page, "data-max-upload-bytes=\"2147483648\""));
    assert_non_null(strstr(page, "up to 2 GiB"));
    assert_non_null(strstr(page, "max=\"99\" value=\"17\""));
    assert_non_null(strstr(page, "<pre><code>curl -F trace=@app.trace " BASE "/</code></pre>"));
    assert_non_null(strstr(page, "href=\"demo.trace\""));
    assert_non_null(strstr(page, "64 &lt;&lt; 20)\n"));
    assert_non_null(strstr(page, "nobody can guess the link"));
    for (size_t i = 0; i < FORMATS_COUNT; i++)
        assert_non_null(strstr(page, FORMATS[i]->label));
    buf_free(&b);
}

/* The form by itself takes one file, so what adds to it stays hidden until there is a script. */
TEST(upload_page_without_script)
{
    struct config config = config_of(30, 365);
    struct buf b = {0};

    page_upload(&b, STR(BASE), &config, NULL);
    const char *page = markup_text(&b);
    assert_null(strstr(page, " multiple"));
    assert_non_null(strstr(page, "type=\"file\" required"));
    assert_non_null(strstr(page, "<p data-without-script><button>Upload and draw</button></p>"));
    assert_int_equal(markup_count(page, "data-with-script"), markup_count(page, "data-with-script hidden"));
    buf_free(&b);
}

/* The host comes from a request. */
TEST(hostile_host)
{
    struct config config = config_of(30, 365);
    struct buf b = {0};

    page_upload(&b, STR(HOSTILE), &config, NULL);
    const char *page = markup_text(&b);
    check_page(page, "/upload.js\"");
    assert_non_null(strstr(page, "&lt;script&gt;"));
    assert_null(strchr(page, '\x01'));
    assert_null(strchr(page, '\xff'));
    buf_free(&b);
    page_manual(&b, STR(HOSTILE), &config);
    const char *manual = markup_text(&b);
    assert_null(strchr(manual, '\x01'));
    assert_null(strchr(manual, '\xff'));
    buf_free(&b);
}

TEST(manual)
{
    struct config config = config_of(17, 99);
    struct buf b = {0};

    page_manual(&b, STR(BASE), &config);
    const char *text = markup_text(&b);
    assert_non_null(strstr(text, "curl -F trace=@app.trace " BASE "/)\n"));
    assert_non_null(strstr(text, "17 days"));
    assert_non_null(strstr(text, "99 at most"));
    assert_non_null(strstr(text, "2 GiB"));
    assert_null(strstr(text, "{}"));
    for (size_t i = 0; i < OUTPUTS_COUNT; i++) {
        assert_non_null(strstr(text, OUTPUTS[i]->suffix));
        assert_non_null(strstr(text, OUTPUTS[i]->label));
    }
    for (size_t i = 0; i < FORMATS_COUNT; i++)
        assert_non_null(strstr(text, FORMATS[i]->label));
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        assert_true(strcspn(line, "\n") <= 100);
    }
    buf_free(&b);
}

/* The text with one blank for each run of blanks and line ends. */
static void unwrap(struct buf *b, const char *text)
{
    for (; *text != '\0'; text++)
        if (*text != ' ' && *text != '\n')
            buf_char(b, *text);
        else if (b->n == 0 || b->p[b->n - 1] != ' ')
            buf_char(b, ' ');
}

/* Every option that a URL can have is there with all that is said of it, and no other. */
TEST(manual_options)
{
    struct config config = config_of(30, 365);
    struct buf b = {0}, text = {0}, expected = {0};

    page_manual(&b, STR(BASE), &config);
    unwrap(&text, markup_text(&b));
    for (size_t i = 0; i < KEYS_COUNT; i++) {
        const struct key *r = &KEYS[i];
        bool listed = (r->groups & (KEYS_VIEW | KEYS_TRACK)) != 0;
        buf_clear(&expected);
        buf_printf(&expected, (r->groups & KEYS_TRACK) != 0 ? " TRACK " : " %s= ", r->name);
        key_describe(r, false, &expected);
        assert_int_equal(str_find_str(buf_view(&text), buf_view(&expected)) < text.n, listed);
    }
    buf_free(&expected);
    buf_free(&text);
    buf_free(&b);
}

TEST(formats)
{
    struct buf b = {0};

    page_formats(&b, ", ");
    const char *text = markup_text(&b);
    assert_int_equal(markup_count(text, ", "), FORMATS_COUNT - 1);
    assert_true(strncmp(text, FORMATS[0]->label, strlen(FORMATS[0]->label)) == 0);
    assert_null(strpbrk(text, "<>&\""));
    buf_free(&b);
}

TEST(uploads_page)
{
    struct buf b = {0};

    page_uploads(&b, NULL);
    const char *page = markup_text(&b);
    check_page(page, "/uploads.js\"");
    check_references(page, "for=\"");
    check_references(page, "aria-labelledby=\"");
    assert_non_null(strstr(page, "<p data-without-script>The list needs JavaScript"));
    assert_non_null(strstr(page, "<div id=\"uploads\" hidden>"));
    buf_free(&b);
}
