/* The calls of a stored profile as a streamed answer: pieces are made on the pool, the next one while one is sent, so that a client
 * that takes its time holds two pieces and the reading, and no thread. A stream lives as long as its exchange. */
#ifndef SERVER_VIEWS_CALLS_STREAM_H
#define SERVER_VIEWS_CALLS_STREAM_H

#include "server/convert/call_list.h"
#include "server/http/exchange.h"
#include "server/store/record.h"

/* For a handler, which returns what this returns: answers with all calls that the view asks for, in that format, or says why
 * not. As many streams as folds (profiles.h) are read at a time: others are told to come again. */
enum exchange_step calls_stream(struct exchange *x, const struct record *record,
                                const struct view_options *view, const struct call_format *format);

#endif
