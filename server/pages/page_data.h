/* A profile's summary (see summary.c) as the pages read it. What is missing or of another type reads as empty or
 * 0: a summary comes out of a store. */
#ifndef SERVER_PAGES_PAGE_DATA_H
#define SERVER_PAGES_PAGE_DATA_H

#include <jansson.h>

#include "core/buf.h"
#include "core/number.h"

struct track_noun; /* profile/track.h */

struct str page_data_string(const json_t *string);
struct str page_data_text(const json_t *object, const char *key);
/* The object of the array whose `key` is this text, or NULL. */
const json_t *page_data_find(const json_t *array, const char *key, struct str text);
/* The value of that name, else the first of all; NULL: there is none. */
const json_t *page_data_value(const json_t *values, const char *name);
/* The place of a column in the rows of a table; of one that is not there, behind the last. */
size_t page_data_column(const json_t *columns, struct str name);
uint64_t page_data_number(const json_t *object, const char *key);
/* Of JSON whose integers were read as real numbers, since they may be too large for jansson's own; rounded then. */
uint64_t page_data_real(const json_t *number);

/* The same of a number that may be below 0; and its share of `whole`, where that is more than 0. */
void page_data_put_signed(struct buf *b, const json_t *value, const json_t *number);
void page_data_put_share(struct buf *b, const json_t *part, const json_t *whole);
/* What 100 % of a report's value is: all that went up, where some went down. */
const json_t *page_data_whole(const json_t *value);

/* The number in `text`. */
struct str page_data_digits(char text[NUMBER_BYTES_MAX], uint64_t number);

/* Written for people, three digits; never markup. */
void page_data_put_number(struct buf *b, enum unit unit, uint64_t value);
void page_data_put_time(struct buf *b, int64_t unix_s); /* a <time> element */

/* The track's total of one of the summary's values, by its unit. */
uint64_t page_data_total(const json_t *value, const json_t *track);
void page_data_put_value(struct buf *b, const json_t *value, uint64_t amount);
/* The values that tracks have totals of: not calls, which is a field of the track. */
bool page_data_has_total(const json_t *value, const json_t *track);
/* The value by which the tracks are sorted; NULL: the summary does not say. */
const json_t *page_data_weight(const json_t *summary);

/* Index of the track that is shown first: the heaviest one named main, else the heaviest. The tracks are by weight. */
size_t page_data_main_track(const json_t *tracks);

/* Escaped; a track may have no name. */
void page_data_put_track_name(struct buf *b, const json_t *track);
/* What the tracks of a summary are called. */
const struct track_noun *page_data_noun(const json_t *summary);
struct str page_data_track_id(const json_t *track, char text[NUMBER_BYTES_MAX]);
/* The same of an id that page_data_real reads. */
struct str page_data_track_id_of(const json_t *id, char text[NUMBER_BYTES_MAX]);

/* What the file is called, or else that it is not. */
struct str page_data_name(const char *name);

#endif
