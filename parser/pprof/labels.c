/* Labels of samples: which there are, and their values as text. */
#include <string.h>

#include "core/clean.h"
#include "core/number.h"
#include "parser/pprof/pprof.h"

enum { UNLISTED = PROFILE_LABELS_MAX }; /* in place of an index: there were that many before it */

void pprof_labels_begin(struct pprof *p)
{
    idmap_init(&p->labels.places, p->arena, builder_seed(p->builder));
    idmap_init(&p->labels.values, p->arena, builder_seed(p->builder));
}

struct pprof_label pprof_label_of(struct pprof *p, struct str message)
{
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f;
    uint64_t numbers[PPROF_LABEL_UNIT + 1] = {0};
    struct pprof_label l = {.has_number = false};

    while (protobuf_next(&m, &f))
        if (f.wire == PROTOBUF_VARINT && f.number <= PPROF_LABEL_UNIT) {
            numbers[f.number] = f.value;
            l.has_number = l.has_number || f.number > PPROF_LABEL_TEXT;
        }
    l.place = numbers[PPROF_LABEL_KEY];
    l.key = pprof_string(p, l.place);
    l.text = pprof_string(p, numbers[PPROF_LABEL_TEXT]);
    l.number = numbers[PPROF_LABEL_NUMBER];
    l.unit = pprof_string(p, numbers[PPROF_LABEL_UNIT]);
    return l;
}

struct str pprof_label_value(const struct pprof_label *l, char room[PPROF_NUMBER_BYTES])
{
    bool below = (int64_t)l->number < 0;
    char *at = room;

    if (l->text.n > 0 || !l->has_number)
        return l->text;
    if (below)
        *at++ = '-';
    at = number_u64(at, below ? 0 - l->number : l->number);
    struct str unit = clean_cut(l->unit, PPROF_NUMBER_BYTES - (size_t)(at - room) - 1);
    if (unit.n > 0) {
        *at++ = ' ';
        memcpy(at, unit.p, unit.n);
    }
    return (struct str){room, (size_t)(at - room) + unit.n};
}

/* Whether tracks are to be made of it. Its key may be said as it is shown. */
static bool is_chosen(const struct pprof *p, struct str key)
{
    struct str split = builder_split_key(p->builder);
    struct buf shown = {0};

    if (split.n == 0 || str_eq(key, split))
        return split.n > 0;
    clean_text(&shown, key);
    bool same = !shown.failed && str_eq(buf_view(&shown), split);
    buf_free(&shown);
    return same;
}

/* The index of the label's key. False: the arena gives no more. */
static bool index_of(struct pprof *p, const struct pprof_label *l, uint32_t *index)
{
    struct pprof_labels *all = &p->labels;

    *index = idmap_get(&all->places, l->place);
    if (*index != IDMAP_NONE)
        return true;
    string_id name = pprof_name(p, l->key);
    if (name == STRING_NONE)
        return false;
    struct str key = builder_text_of(p->builder, name);
    for (*index = 0; *index < all->n && !str_eq(all->list[*index].key, key);)
        ++*index;
    if (*index == all->n && all->n < PROFILE_LABELS_MAX) {
        all->chosen[all->n] = is_chosen(p, key);
        all->list[all->n++] = (struct profile_label){.key = key};
    }
    return idmap_set(&all->places, l->place, *index);
}

bool pprof_label_count(struct pprof *p, struct pprof_label *l, struct str value)
{
    struct pprof_labels *all = &p->labels;
    struct hash_seed seed = builder_seed(p->builder);
    uint32_t index;

    if (l->key.n == 0 || value.n == 0)
        return true;
    if (!index_of(p, l, &index))
        return false;
    l->chosen = index == UNLISTED ? str_eq(l->key, builder_split_key(p->builder)) : all->chosen[index];
    if (index == UNLISTED || all->list[index].values == PROFILE_LABEL_VALUES_MAX)
        return true;
    uint64_t hash = hash_u64(seed, hash_bytes(seed, value.p, value.n) + index);
    if (idmap_get(&all->values, hash) != IDMAP_NONE)
        return true;
    all->list[index].values++;
    return idmap_set(&all->values, hash, 0);
}

void pprof_labels_tell(const struct pprof *p)
{
    for (uint32_t i = 0; i < p->labels.n; i++)
        builder_label(p->builder, &p->labels.list[i]);
}

bool pprof_no_label(struct pprof *p)
{
    struct str split = clean_cut(builder_split_key(p->builder), 100);
    struct buf keys = {0};

    for (uint32_t i = 0; i < p->labels.n; i++) {
        buf_z(&keys, i == 0 ? "" : ", ");
        clean_text(&keys, p->labels.list[i].key);
    }
    struct str listed = clean_cut(keys.failed ? STR("") : buf_view(&keys), 300);
    if (listed.n > 0)
        diag_set(p->diag, DIAG_USAGE, "no such label", "Name one of its labels, or leave the option out.",
                 "split=%.*s: no sample has this label. There are: %.*s%s.", (int)split.n, split.p,
                 (int)listed.n, listed.p, listed.n < keys.n ? " .." : "");
    else
        diag_set(p->diag, DIAG_USAGE, "no such label", "Leave the option out.",
                 "split=%.*s: the samples of this profile have no labels.", (int)split.n, split.p);
    buf_free(&keys);
    return false;
}
