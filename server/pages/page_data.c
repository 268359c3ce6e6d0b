#include "server/pages/page_data.h"

#include "core/clean.h"
#include "core/number.h"
#include "core/system/utc.h"
#include "profile/track.h"

enum { DIGITS = 3, NS_PER_US = 1000 };

struct str page_data_text(const json_t *object, const char *key)
{
    return json_memory_text(json_object_get(object, key));
}

const json_t *page_data_find(const json_t *array, const char *key, struct str text)
{
    const json_t *each;
    size_t i;

    json_array_foreach (array, i, each) {
        if (str_eq(page_data_text(each, key), text))
            return each;
    }
    return NULL;
}

const json_t *page_data_value(const json_t *values, const char *name)
{
    const json_t *named = page_data_find(values, "name", str_of(name));

    return named != NULL ? named : json_array_get(values, 0);
}

uint64_t page_data_integer(const json_t *number)
{
    json_int_t n = json_integer_value(number);

    return n > 0 ? (uint64_t)n : 0;
}

uint64_t page_data_number(const json_t *object, const char *key)
{
    return page_data_integer(json_object_get(object, key));
}

struct str page_data_number_text(char text[PAGE_TEXT_BYTES], enum unit unit, uint64_t number)
{
    return (struct str){text, (size_t)(number_value(text, unit, number, DIGITS) - text)};
}

struct str page_data_amount_text(char text[PAGE_TEXT_BYTES], const json_t *value, uint64_t amount)
{
    struct str unit = page_data_text(value, "unit");

    if (str_eq(unit, STR("us")))
        return page_data_number_text(text, UNIT_NS, number_multiply(amount, NS_PER_US));
    return page_data_number_text(text, str_eq(unit, STR("bytes")) ? UNIT_BYTES : UNIT_COUNT, amount);
}

void page_data_put_number(struct buf *b, enum unit unit, uint64_t value)
{
    buf_value(b, unit, value, DIGITS);
}

void page_data_put_time(struct buf *b, int64_t unix_s)
{
    char text[UTC_CHARS + 1];

    utc_format(unix_s, text);
    buf_printf(b, "<time datetime=\"%s\">%.10s %.5s UTC</time>", text, text, text + 11);
}

uint64_t page_data_total(const json_t *value, const json_t *track)
{
    const char *name = json_string_value(json_object_get(value, "name"));

    return name == NULL ? 0 : page_data_number(json_object_get(track, "totals"), name);
}

bool page_data_has_total(const json_t *value, const json_t *track)
{
    const char *name = json_string_value(json_object_get(value, "name"));

    return name != NULL && json_object_get(json_object_get(track, "totals"), name) != NULL;
}

const json_t *page_data_weight(const json_t *summary)
{
    struct str weight = page_data_text(summary, "weight");

    return weight.n > 0 ? page_data_find(json_object_get(summary, "values"), "name", weight) : NULL;
}

size_t page_data_main_track(const json_t *tracks)
{
    const json_t *track;
    size_t i;

    json_array_foreach (tracks, i, track) {
        if (str_eq(page_data_text(track, "name"), STR("main")))
            return i;
    }
    return 0;
}

void page_data_put_track_name(struct buf *b, const json_t *track)
{
    struct str name = page_data_text(track, "name");

    if (name.n > 0)
        clean_xml(b, name);
    else
        buf_z(b, "(no name)");
    if (page_data_text(track, "part").n > 0) {
        buf_z(b, ", ");
        clean_xml(b, page_data_text(track, "part"));
    }
}

const struct track_noun *page_data_noun(const json_t *summary)
{
    return track_noun_by_word(page_data_text(summary, "tracks_are"));
}

struct str page_data_digits(char text[PAGE_TEXT_BYTES], uint64_t number)
{
    return (struct str){text, (size_t)(number_u64(text, number) - text)};
}

struct str page_data_name(const char *name)
{
    return name[0] != '\0' ? str_of(name) : STR("Profile without a name");
}
