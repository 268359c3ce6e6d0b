/* Names of a profile from files that are in the store: a mapping.txt, symbols. */
#ifndef SERVER_VIEWS_STORED_NAMES_H
#define SERVER_VIEWS_STORED_NAMES_H

#include "server/convert/convert.h"
#include "server/service.h"
#include "server/store/record.h"

/* Has the conversion take the names that these files tell. Before its first byte. False: diag. */
bool stored_names_use(const struct service *service, const struct record_names *names,
                      struct conversion *conversion, struct diag *diag) __attribute__((warn_unused_result));

#endif
