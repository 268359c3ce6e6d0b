#include "server/pages/page_data.h"

#include "core/clean.h"
#include "core/system/utc.h"

enum { DIGITS = 3, NS_PER_US = 1000 };

struct str page_data_text(const json_t *object, const char *key)
{
    const json_t *s = json_object_get(object, key);

    return json_is_string(s) ? (struct str){json_string_value(s), json_string_length(s)} : STR("");
}

uint64_t page_data_number(const json_t *object, const char *key)
{
    json_int_t n = json_integer_value(json_object_get(object, key));

    return n > 0 ? (uint64_t)n : 0;
}

uint64_t page_data_real(const json_t *number)
{
    const double LIMIT = 18446744073709549568.0; /* the largest double that fits */
    double n = json_number_value(number);

    return n >= LIMIT ? UINT64_MAX : n > 0 ? (uint64_t)n : 0;
}

void page_data_put_number(struct buf *b, enum unit unit, uint64_t value)
{
    buf_value(b, unit, value, DIGITS);
}

void page_data_put_us(struct buf *b, uint64_t us)
{
    page_data_put_number(b, UNIT_NS, us > UINT64_MAX / NS_PER_US ? UINT64_MAX : us * NS_PER_US);
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

void page_data_put_value(struct buf *b, const json_t *value, uint64_t amount)
{
    struct str unit = page_data_text(value, "unit");

    if (str_eq(unit, STR("us")))
        page_data_put_us(b, amount);
    else
        page_data_put_number(b, str_eq(unit, STR("bytes")) ? UNIT_BYTES : UNIT_COUNT, amount);
}

bool page_data_has_total(const json_t *value, const json_t *track)
{
    const char *name = json_string_value(json_object_get(value, "name"));

    return name != NULL && json_object_get(json_object_get(track, "totals"), name) != NULL;
}

const json_t *page_data_weight(const json_t *summary)
{
    struct str weight = page_data_text(summary, "weight");
    const json_t *value;
    size_t i;

    json_array_foreach (json_object_get(summary, "values"), i, value) {
        if (weight.n > 0 && str_eq(page_data_text(value, "name"), weight))
            return value;
    }
    return NULL;
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
}

struct str page_data_track_id(const json_t *track, char text[NUMBER_BYTES_MAX])
{
    return (struct str){text, (size_t)(number_u64(text, page_data_number(track, "id")) - text)};
}

struct str page_data_track_id_of(const json_t *id, char text[NUMBER_BYTES_MAX])
{
    return (struct str){text, (size_t)(number_u64(text, page_data_real(id)) - text)};
}

struct str page_data_name(const char *name)
{
    return name[0] != '\0' ? str_of(name) : STR("Profile without a name");
}
