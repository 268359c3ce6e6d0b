/* The calls of a stored profile as a streamed answer. A job makes pieces, and waits for the client to take
 * them: a client that takes its time holds two pieces, the reading and a thread, and neither a turn nor
 * the memory of a reading that others wait for. */
#pragma once

#include "server/convert/call_list.h"
#include "server/convert/convert.h"
#include "server/http/exchange.h"
#include "server/store/record.h"

/* For a handler, which returns what this returns: answers with all calls that the view asks for, in that
 * format, or says why not. As many streams as readings (profiles.h) are made at a time: others are told to
 * come again. */
enum exchange_step calls_stream(struct exchange *x, const struct record *record,
                                const struct view_options *view, const struct call_format *format);
