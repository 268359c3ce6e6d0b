#include "server/pages/page_data.h"

#include "core/clean.h"
#include "core/number.h"
#include "core/system/utc.h"
#include "profile/track.h"

enum { DIGITS = 3, NS_PER_US = 1000 };

struct str page_data_string(const json_t *string)
{
    return json_is_string(string) ? (struct str){json_string_value(string), json_string_length(string)}
                                  : STR("");
}

struct str page_data_text(const json_t *object, const char *key)
{
    return page_data_string(json_object_get(object, key));
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

size_t page_data_column(const json_t *columns, struct str name)
{
    const json_t *column;
    size_t i;

    json_array_foreach (columns, i, column) {
        if (json_is_string(column) && str_eq(page_data_string(column), name))
            break;
    }
    return i;
}

uint64_t page_data_number(const json_t *object, const char *key)
{
    json_int_t n = json_integer_value(json_object_get(object, key));

    return n > 0 ? (uint64_t)n : 0;
}

static uint64_t whole_of(double n)
{
    const double LIMIT = 18446744073709549568.0; /* the largest double that fits */

    return n >= LIMIT ? UINT64_MAX : n > 0 ? (uint64_t)n : 0;
}

uint64_t page_data_real(const json_t *number)
{
    return whole_of(json_number_value(number));
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

void page_data_put_value(struct buf *b, const json_t *value, uint64_t amount)
{
    buf_str(b, PAGE_AMOUNT(value, amount));
}

/* Takes the sign off, which stands at *text then, behind which the rest goes. */
static uint64_t take_sign(const json_t *number, char **text)
{
    double n = json_number_value(number);

    if (n <= -1)
        *(*text)++ = '-';
    return whole_of(n < 0 ? -n : n);
}

struct str page_data_signed_text(char text[PAGE_TEXT_BYTES], const json_t *value, const json_t *number)
{
    char *behind = text;
    uint64_t size = take_sign(number, &behind);
    struct str rest = page_data_amount_text(behind, value, size);

    return (struct str){text, (size_t)(behind - text) + rest.n};
}

struct str page_data_share_text(char text[PAGE_TEXT_BYTES], const json_t *number, const json_t *whole)
{
    uint64_t all = page_data_real(whole);
    char *behind = text;

    if (all == 0)
        return STR("");
    uint64_t size = take_sign(number, &behind);
    return (struct str){text, (size_t)(number_percent(behind, size, all) - text)};
}

const json_t *page_data_whole(const json_t *value)
{
    const json_t *grown = json_object_get(value, "grown");

    return grown != NULL ? grown : json_object_get(value, "total");
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
