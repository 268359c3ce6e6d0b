#include "tests/support/markup.h"

#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

const char *markup_text(struct buf *b)
{
    buf_char(b, '\0');
    assert_false(b->failed);
    return b->p;
}

size_t markup_count(const char *text, const char *part)
{
    size_t n = 0;

    for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part))
        n++;
    return n;
}

void markup_check(const char *page)
{
    static const char *const ELEMENTS[] = {
        "a",       "article", "b",    "bdi",      "button", "code",   "dd",    "details", "dialog",
        "div",     "dl",      "dt",   "form",     "h1",     "h2",     "h3",    "header",  "label",
        "li",      "main",    "nav",  "noscript", "ol",     "option", "p",     "pre",     "script",
        "section", "select",  "span", "summary",  "svg",    "text",   "title", "ul"};

    assert_ptr_equal(strstr(page, "<!doctype html>\n<html lang=\"en\">"), page);
    assert_int_equal(markup_count(page, "<h1"), 1);
    assert_null(strstr(page, "<style"));
    assert_null(strstr(page, "style="));
    for (size_t i = 0; i < sizeof(ELEMENTS) / sizeof(ELEMENTS[0]); i++) {
        char bare[32], attributed[32], end[32];
        snprintf(bare, sizeof(bare), "<%s>", ELEMENTS[i]);
        snprintf(attributed, sizeof(attributed), "<%s ", ELEMENTS[i]);
        snprintf(end, sizeof(end), "</%s>", ELEMENTS[i]);
        size_t begun = markup_count(page, bare) + markup_count(page, attributed);
        if (begun != markup_count(page, end))
            fail_msg("%zu times <%s>, %zu times its end", begun, ELEMENTS[i], markup_count(page, end));
    }
}
