/* The interface described for programs: an OpenAPI 3.1 document. URLs and what they take are made of the tables (api_paths.h).
 * How JSON answers look is written down by hand, as JSON schemas, in static/api-answers.json; tests hold the answers of the
 * service against them. */
#ifndef SERVER_ROUTES_API_DOCUMENT_H
#define SERVER_ROUTES_API_DOCUMENT_H

#include "core/buf.h"
#include "core/str.h"

/* Appends the document; `base` is the service's own URL. */
void api_document(struct buf *b, struct str base);

#endif
