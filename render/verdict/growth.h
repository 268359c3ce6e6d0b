/* What heaps have more than at an earlier dump: sentences beside those about the dump that is shown. */
#pragma once

#include "render/verdict/say.h"

struct rule;

enum { GROWTH_TOP = 3 };

/* Numbers of one kind, the largest first. */
struct growth_top {
    uint32_t n, index[GROWTH_TOP]; /* frames, or strings */
    uint64_t bytes[GROWTH_TOP];
};

struct growth {
    uint32_t since;      /* the earlier dump, from 1; 0: there is none to compare with */
    uint64_t came, went; /* bytes, of all heaps */
    struct growth_top methods, libraries;
};

enum { GROWTH_SINCE_FIRST, GROWTH_SINCE_BEFORE, GROWTHS };

/* Of a profile that has what changed since the dump `since`. False: in->scratch gives no more. */
bool growth_find(const struct render_input *in, uint32_t since, struct growth *g) MUST_CHECK;

/* Rows of the table of rules. */
bool growth_since_first(const struct rule *r, const struct analysis *a, struct finding *f);
bool growth_since_before(const struct rule *r, const struct analysis *a, struct finding *f);
