/* The body of an upload request: multipart or raw, into a job; each file of a form into one of its own. Calling sequence, all from the request's own
 * thread: upload_begin -> upload_data .. -> upload_end ->
 * upload_result. */
#pragma once

#include "core/str.h"
#include "parser/unpack/unpack.h"
#include "server/http/route.h"
#include "server/upload/job.h"

/* As in struct route_body. The upload is a state of the exchange: if that ends before upload_end was
 * reached, nothing of the upload stays. */
enum exchange_step upload_begin(struct exchange *x);
enum body_step upload_data(struct exchange *x, const char *p, size_t *n);

/* After the last byte. The exchange waits; behind that the handler goes on with upload_result. False: the form is not
 * good, and x->reply says why. */
bool upload_end(struct exchange *x) MUST_CHECK;

/* Behind the wait: the result, which lives as long as the exchange. NULL: of several files the next one is waited for,
 * and it is to be asked again. */
struct job_result *upload_result(struct exchange *x) MUST_CHECK;

/* All bytes have come, and are paid for (upload_share.h): for a handler, before anything else. */
void upload_arrived(struct exchange *x);

/* Before upload_end: whether there are several files, or each file of an archive was asked for (job.h): the result is a
 * list of members then. */
bool upload_is_several(const struct exchange *x);

/* The space that the form or the URL names; empty: none. */
struct str upload_space(const struct exchange *x);

/* Whether the client said that it would rather not wait: the preference respond-async (RFC 7240, 4.1). */
bool upload_prefers_async(const struct exchange *x);

/* Content codings of request bodies (RFC 9110, 8.4): gzip and zstd, one at a time. Of a raw body the coded
 * bytes are the upload, and are unpacked where any packed upload is; a coded form is unpacked here, before
 * it is a form. */

/* A coded form while it arrives; at most BODY_DECODER_MEMORY_BYTES. */
struct body_decoder;

/* Who may read an upload, as clients write it: "link" or "team"; p == NULL: as `readers` of the configuration says.
 * False: diag; it is another word, or the service knows nobody that could be of a team. */
bool readers_parse(const struct service *service, struct str text, bool *team, struct diag *diag) MUST_CHECK;
