/* How long an upload is kept, as clients and operators write it. Pure. */
#pragma once

#include "server/spaces/labels.h"

enum { EXPIRY_DAY_S = 86400 };

/* "7" and "7d" are days, "12h" hours; blanks around them are passed over. False: it is neither, or 0, or more than
 * max_s seconds. */
bool expiry_parse(struct str text, uint64_t max_s, uint64_t *seconds) MUST_CHECK;

/* What the key keep_labels of the configuration holds: "branch=main 365d; release=* 730d". The first item whose label the
 * upload has counts; * stands for any value. */
bool expiry_rules_valid(struct str rules);

/* The longest time that an item says, in seconds; 0 without any. */
uint64_t expiry_rules_longest(struct str rules);

/* False: no item is about these labels. */
bool expiry_of_labels(struct str rules, const struct labels *labels, uint64_t *seconds) MUST_CHECK;
