/* A profile's summary (see summary.c) as the pages read it. What is missing or of another type reads as empty or
 * 0: a summary comes out of a store. */
#pragma once

#include <jansson.h>

#include "core/buf.h"
#include "core/number.h"
#include "core/system/json_memory.h"

struct track_noun; /* profile/track.h */

struct str page_data_text(const json_t *object, const char *key);
/* The object of the array whose `key` is this text, or NULL. */
const json_t *page_data_find(const json_t *array, const char *key, struct str text);
/* The value of that name, else the first of all; NULL: there is none. */
const json_t *page_data_value(const json_t *values, const char *name);
uint64_t page_data_integer(const json_t *number);
uint64_t page_data_number(const json_t *object, const char *key);

/* A number as text, in `text`: its digits; for people, three of them; so as the amount of a value, by its unit. */
enum { PAGE_TEXT_BYTES = NUMBER_BYTES_MAX };
struct str page_data_digits(char text[PAGE_TEXT_BYTES], uint64_t number);
struct str page_data_number_text(char text[PAGE_TEXT_BYTES], enum unit unit, uint64_t number);
struct str page_data_amount_text(char text[PAGE_TEXT_BYTES], const json_t *value, uint64_t amount);

/* The same for page_put (page_frame.h): texts that live as long as the block that they stand in. */
#define PAGE_TEXT                  ((char[PAGE_TEXT_BYTES]){0})
#define PAGE_NUMBER(unit, number)  page_data_number_text(PAGE_TEXT, unit, number)
#define PAGE_COUNT(number)         PAGE_NUMBER(UNIT_COUNT, number)
#define PAGE_AMOUNT(value, amount) page_data_amount_text(PAGE_TEXT, value, amount)
#define PAGE_ID(id)                page_data_digits(PAGE_TEXT, page_data_integer(id)) /* of a track */

/* Written for people, three digits; never markup. */
void page_data_put_number(struct buf *b, enum unit unit, uint64_t value);
void page_data_put_time(struct buf *b, int64_t unix_s); /* a <time> element */

/* The track's total of one of the summary's values, by its unit. */
uint64_t page_data_total(const json_t *value, const json_t *track);
/* The values that tracks have totals of: not calls, which is a field of the track. */
bool page_data_has_total(const json_t *value, const json_t *track);
/* The value by which the tracks are sorted; NULL: the summary does not say. */
const json_t *page_data_weight(const json_t *summary);

/* Index of the track that is shown first: the heaviest one named main, else the heaviest. The tracks are
 * by weight. */
size_t page_data_main_track(const json_t *tracks);

/* Escaped; a track may have no name. */
void page_data_put_track_name(struct buf *b, const json_t *track);
/* What the tracks of a summary are called. */
const struct track_noun *page_data_noun(const json_t *summary);

/* What the file is called, or else that it is not. */
struct str page_data_name(const char *name);
