/* Hostile text in XML, JSON and a log: a real parser of each accepts it, and gives back the cleaned text. */
#include <expat.h>
#include <jansson.h>

#include "core/clean.h"
#include "tests/support/fuzzing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct found {
    struct buf attribute, content;
    unsigned elements;
};

static void XMLCALL element(void *context, const XML_Char *name, const XML_Char **attributes)
{
    struct found *f = context;

    (void)name;
    f->elements++;
    buf_z(&f->attribute, attributes[1]);
}

static void XMLCALL content(void *context, const XML_Char *s, int n)
{
    struct found *f = context;

    buf_bytes(&f->content, s, (size_t)n);
}

static void check_xml(struct str text, struct str clean)
{
    struct found found = {0};
    struct buf xml = {0};
    XML_Parser parser = XML_ParserCreate("UTF-8");

    fuzzing_check(parser != NULL);
    for (unsigned i = 0; i < 3; i++) {
        buf_z(&xml, (const char *[]){"<a b=\"", "\">", "</a>"}[i]);
        if (i < 2)
            clean_xml(&xml, text);
    }
    XML_SetUserData(parser, &found);
    XML_SetElementHandler(parser, element, NULL);
    XML_SetCharacterDataHandler(parser, content);
    fuzzing_check(!xml.failed && XML_Parse(parser, xml.p, (int)xml.n, 1) == XML_STATUS_OK);
    fuzzing_check(found.elements == 1);
    fuzzing_check(str_eq(buf_view(&found.attribute), clean) && str_eq(buf_view(&found.content), clean));
    XML_ParserFree(parser);
    buf_free(&xml);
    buf_free(&found.attribute);
    buf_free(&found.content);
}

static void check_json(struct str text, struct str clean)
{
    struct buf json = {0};

    buf_char(&json, '"');
    clean_json(&json, text);
    buf_char(&json, '"');
    fuzzing_check(!json.failed && str_find(buf_view(&json), '<') == json.n);
    json_t *value = json_loadb(json.p, json.n, JSON_DECODE_ANY, NULL);
    fuzzing_check(json_is_string(value));
    fuzzing_check(str_eq((struct str){json_string_value(value), json_string_length(value)}, clean));
    json_decref(value);
    buf_free(&json);
}

static void check_log(struct str text, struct str clean)
{
    struct buf field = {0}, back = {0};

    clean_log(&field, text);
    for (size_t i = 0; i < field.n; i++) {
        fuzzing_check((unsigned char)field.p[i] > ' ' ||
                      (i > 0 && field.p[i] == ' ' && field.p[i - 1] == '\\'));
        if (field.p[i] == '\\')
            fuzzing_check(++i < field.n);
        buf_char(&back, field.p[i]);
    }
    fuzzing_check(str_eq(buf_view(&back), clean));
    buf_free(&field);
    buf_free(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = {(const char *)data, size};
    struct buf clean = {0}, again = {0};

    clean_text(&clean, text);
    clean_text(&again, buf_view(&clean));
    fuzzing_check(!clean.failed && str_eq(buf_view(&clean), buf_view(&again)));
    check_xml(text, buf_view(&clean));
    check_json(text, buf_view(&clean));
    check_log(text, buf_view(&clean));
    fuzzing_check(clean_cut(text, size / 2).n <= size / 2);
    buf_free(&clean);
    buf_free(&again);
    return 0;
}
