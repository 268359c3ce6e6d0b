/* What people write about spaces, and what stands in the store of them: the first byte says whether the rest is a query,
 * lines of labels, an entry, or the key of one. */
#include <stdlib.h>
#include <string.h>

#include "core/clean.h"
#include "server/spaces/entry.h"
#include "tests/support/fuzzing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ID "abcdefghijklmnopqrstuvwxyz"

/* A query that is taken looks through any text, and finds each of its own terms. */
static void try_query(struct str text)
{
    struct query q;
    struct diag diag = {0};

    if (!query_parse(&q, text, &diag)) {
        fuzzing_check(diag.kind == DIAG_USAGE);
        return;
    }
    for (size_t i = 0; i < q.n; i++) {
        struct query one = {.n = 1, .after_s = INT64_MIN, .before_s = INT64_MAX};
        struct str term = {q.text + q.terms[i].at, q.terms[i].bytes};
        fuzzing_check(term.n > 0 && (size_t)q.terms[i].at + term.n <= sizeof(q.text));
        one.terms[0] = q.terms[i];
        memcpy(one.text, q.text, sizeof(one.text));
        fuzzing_check(query_fits(&one, &(struct query_subject){0, {term, term, term, term}}));
        fuzzing_check(!query_fits(&one, &(struct query_subject){.created_s = 0}));
    }
    (void)query_fits(&q, &(struct query_subject){0, {text, text, text, text}});
}

/* What was taken are labels, which can be taken again and are the same then. */
static void try_labels(struct str text)
{
    struct labels l = {""}, again = {""};
    struct diag diag = {0}, none = {0};
    struct str rest, key, value;

    fuzzing_check(labels_set_lines(&l, text, &diag) == (diag.kind == DIAG_NONE));
    rest = labels_all(&l);
    while (labels_next(&rest, &key, &value)) {
        fuzzing_check(label_key_valid(key) && clean_is_text(value));
        fuzzing_check(value.n > 0 && value.n <= LABEL_VALUE_BYTES);
        fuzzing_check(str_eq(labels_value(&l, key), value));
    }
    fuzzing_check(labels_set_lines(&again, labels_all(&l), &none));
    fuzzing_check(strcmp(l.lines, again.lines) == 0);
}

static void try_entry(struct str text)
{
    static const struct record_entry NAME = {.id = ID};
    struct entry *e = entry_read(&NAME, text);

    if (e == NULL)
        return;
    const struct query_subject subject = entry_subject(e);
    fuzzing_check(str_eq(entry_text(e), text) && str_find(text, '\n') == text.n);
    const struct str labels = subject.of[QUERY_LABELS];
    fuzzing_check(labels.n > 0 && labels.p[0] == '\n' && labels.p[labels.n - 1] == '\n');
    free(e);
}

static void try_key(struct str text)
{
    char key[STORE_KEY_BYTES];
    struct record_entry e;

    if (text.n >= sizeof(key))
        return;
    memcpy(key, text.p, text.n);
    key[text.n] = '\0';
    if (record_entry_read(key, &e))
        fuzzing_check(record_id_valid(str_of(e.id)) && e.created_s >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const TRY[])(struct str text) = {try_query, try_labels, try_entry, try_key};

    if (size == 0)
        return 0;
    struct str text = fuzzing_copy(data + 1, size - 1);
    TRY[data[0] % 4](text);
    free((char *)text.p);
    return 0;
}
