/* The list of a space, for its route and for tools. */
#pragma once

#include "server/http/exchange.h"
#include "server/spaces/spaces.h"

/* Zeroed, and ended by space_list_end. */
struct space_list {
    struct buf rows; /* the entries (server/spaces/entry.h), one a line */
    struct buf ids;  /* of the rows, RECORD_ID_CHARS each */
    size_t n;
    bool more;                /* There are others behind them. */
    struct record_entry last; /* of the rows */
    struct spaces_asked asked;
    struct query query;
    char space[SPACE_NAME_BYTES + 1];
};

/* The name of the space is valid; of the others p == NULL: not said. False: diag. */
bool space_asked(struct space_list *l, struct str space, struct str query, struct str next, struct str rows,
                 struct diag *diag) MUST_CHECK;
/* Fills the rows, on a thread that may block. False: diag. */
bool space_rows(const struct service *service, struct space_list *l, struct diag *diag) MUST_CHECK;
void space_list_end(void *space_list);

/* Appends a line for each upload: its link, when, name, labels, headline. */
void space_put_text(struct exchange *x, const struct space_list *l, struct buf *b);
