#include "server/spaces/entry.h"

#include <stdlib.h>
#include <string.h>

#include "core/clean.h"
#include "core/json.h"
#include "core/system/json_memory.h"
#include "core/system/utc.h"
#include "server/convert/convert.h"
#include "server/convert/report.h"
#include "server/convert/summary.h"
#include "server/spaces/stored_digest.h"

/* ---- its views ---- */

void entry_views(const struct service *service, const struct record *r, struct view_request *summary,
                 struct view_request *words)
{
    *summary = (struct view_request){.output = NULL};
    view_of(summary, r);
    convert_defaults(service->config, &summary->asked.view);
    *words = (struct view_request){.report = report_by_name(STR("verdict"), STR("json"))};
    view_of(words, r);
    report_defaults(service->config, &words->asked);
    view_of_owner(&words->asked.view, r);
    report_settle(words->report, service->config, &words->asked);
}

void entry_take_view(struct view_result *view, struct buf *bytes)
{
    if (view->bytes == NULL && view->fd >= 0)
        view->bytes = view_read_object(view->fd, view->file_bytes);
    if (view->bytes != NULL)
        buf_str(bytes, shared_bytes_view(view->bytes));
    view_result_free(view);
}

void entry_make_views(struct service *service, const struct record *r, struct client *client,
                      struct turn *turn, struct buf *summary, struct buf *words)
{
    struct view_request of[3];
    struct view_ahead ahead[3];
    struct view_result made;

    entry_views(service, r, &of[0], &of[1]);
    stored_digest_view(service, r, &of[2]);
    for (size_t i = 0; i < 3; i++)
        views_begin(service->views, &of[i], client, &ahead[i]);
    views_await(service->views, &ahead[0], turn, &made);
    entry_take_view(&made, summary);
    views_await(service->views, &ahead[1], turn, &made);
    entry_take_view(&made, words);
    views_await(service->views, &ahead[2], turn, &made); /* One that failed is tried again by who needs it. */
    stored_digest_keep(service, r, &made);
    view_result_free(&made);
}

/* ---- what the file knows ---- */

/* THE TABLE of what becomes a label by itself: its key, and the fact of the recording. */
static const struct {
    const char *key, *fact;
} KNOWN[] = {
    {"package", "package"},           {"process", "app_process"}, {"android.sdk", "android_sdk"},
    {"android.build", "build"},       {"app.type", "app_type"},   {"map.id", "map_id"},
    {"map.id", "build_map_id"},       {"benchmark", "benchmark"}, {"iteration", "benchmark_iteration"},
    {"metrics", "benchmark_metrics"},
};

/* Nobody is to see what is wrong with it: a fact that makes no label is left out. */
static void set_known(struct labels *known, const struct record *r, const char *key, struct str value)
{
    struct diag ignored = {0};
    struct buf cleaned = {0};

    clean_text(&cleaned, value);
    bool fits = !cleaned.failed && value.n > 0 && labels_value(&r->labels, str_of(key)).p == NULL &&
                labels_value(known, str_of(key)).p == NULL &&
                labels_set(known, str_of(key), clean_cut(buf_view(&cleaned), LABEL_VALUE_BYTES), &ignored);
    (void)fits;
    buf_free(&cleaned);
}

static void find_known(const json_t *summary, const struct record *r, struct labels *known)
{
    const json_t *facts = json_object_get(summary, "facts");
    struct buf number = {0};

    for (size_t i = 0; i < sizeof(KNOWN) / sizeof(KNOWN[0]); i++) {
        const json_t *fact = json_object_get(facts, KNOWN[i].fact);
        buf_clear(&number);
        if (json_is_integer(fact) && json_integer_value(fact) >= 0)
            buf_u64(&number, (uint64_t)json_integer_value(fact));
        set_known(known, r, KNOWN[i].key, json_is_integer(fact) ? buf_view(&number) : json_memory_text(fact));
    }
    set_known(known, r, "package", json_memory_text(json_array_get(json_object_get(summary, "app"), 0)));
    set_known(known, r, "format", str_of(r->format));
    buf_free(&number);
}

/* ---- writing ---- */

/* The heaviest one, of which there is a small picture. */
static void put_track(struct json *j, const json_t *summary)
{
    const json_t *id = json_object_get(json_array_get(json_object_get(summary, "tracks"), 0), "id");

    if (json_is_integer(id))
        json_put_i64(j, "track", json_integer_value(id));
}

static void put_totals(struct json *j, const json_t *summary)
{
    const json_t *totals = json_object_get(json_object_get(summary, "whole"), "totals"), *value;
    size_t i;

    json_open_array(j, "totals");
    json_array_foreach (json_object_get(summary, "values"), i, value) {
        const json_t *total = json_object_get(totals, json_memory_text(json_object_get(value, "name")).p);
        if (!json_is_integer(total))
            continue;
        json_open_object(j, NULL);
        json_put_string(j, "value", json_memory_text(json_object_get(value, "name")));
        json_put_string(j, "unit", json_memory_text(json_object_get(value, "unit")));
        json_put_i64(j, "total", json_integer_value(total));
        json_close(j);
    }
    json_close(j);
}

static void put_record(struct json *j, const struct record *r)
{
    char created[UTC_CHARS + 1];

    utc_format(r->created_s, created);
    json_put_string(j, "id", str_of(r->id));
    json_put_string(j, "created", str_of(created));
    json_put_string(j, "name", str_of(r->name));
    if (r->owner[0] != '\0')
        json_put_string(j, "owner", str_of(r->owner));
    json_put_string(j, "format", str_of(r->format));
    json_put_u64(j, "size", r->size);
    json_put_string(j, "sha256", str_of(r->sha256));
    json_put_u64(j, "warnings", r->warnings);
}

/* NULL where there is none, or it is not readable: what it would say is left out. */
static json_t *load_summary(struct str stored)
{
    struct buf text = {0};

    if (stored.n > 0)
        summary_put(&text, stored, &(struct summary_part){.tracks = 1});
    json_t *loaded = text.failed || text.n == 0 ? NULL : json_memory_load(buf_view(&text), 0, NULL);
    buf_free(&text);
    return loaded;
}

static void put_headline(struct json *j, const json_t *sentences)
{
    enum { HEADLINE_BYTES_MAX = 1000 };
    struct buf headline = {0};

    report_headline(sentences, HEADLINE, &headline);
    if (headline.n > 0)
        json_put_string(j, "headline", clean_cut(buf_view(&headline), HEADLINE_BYTES_MAX));
    buf_part_end(j->b, &headline);
}

/* What a list has put of the texts that the sentences have: each once, and no more than fits an entry. */
struct named {
    struct str of[64];
    size_t n, bytes;
};

static void put_named(struct json *j, struct named *named, struct str text)
{
    enum { NAMED_BYTES_MAX = 4 << 10 };
    bool is_new = text.n > 0 && named->n < sizeof(named->of) / sizeof(named->of[0]) &&
                  named->bytes + text.n <= NAMED_BYTES_MAX;

    for (size_t i = 0; i < named->n && is_new; i++)
        is_new = !str_eq(named->of[i], text);
    if (!is_new)
        return;
    named->of[named->n++] = text;
    named->bytes += text.n;
    json_put_string(j, NULL, text);
}

static void put_rules(struct json *j, const json_t *sentences)
{
    struct named named = {.n = 0};
    const json_t *sentence;
    size_t i;

    json_open_array(j, "rules");
    json_array_foreach (sentences, i, sentence)
        put_named(j, &named, json_memory_text(json_object_get(sentence, "rule")));
    json_close(j);
}

static void put_methods(struct json *j, const json_t *sentences)
{
    struct named named = {.n = 0};
    const json_t *sentence, *method;
    size_t i, k;

    json_open_array(j, "methods");
    json_array_foreach (sentences, i, sentence)
        json_array_foreach (json_object_get(sentence, "methods"), k, method)
            put_named(j, &named, json_memory_text(method));
    json_close(j);
}

static void put_words(struct json *j, struct str words)
{
    json_t *said = words.n > 0 ? json_memory_load(words, 0, NULL) : NULL;
    const json_t *sentences = json_object_get(said, "sentences");

    put_headline(j, sentences);
    if (sentences != NULL) {
        put_rules(j, sentences);
        put_methods(j, sentences);
    }
    json_decref(said);
}

bool entry_write(const struct record *r, struct str summary, struct str words, struct buf *out)
{
    struct labels known = {""};
    struct json j = json_into(out);
    json_t *loaded = load_summary(summary);

    json_open_object(&j, NULL);
    put_record(&j, r);
    labels_put(&j, "label", &r->labels);
    find_known(loaded, r, &known);
    labels_put(&j, "known", &known);
    if (loaded != NULL) {
        put_track(&j, loaded);
        json_put_i64(&j, "tracks",
                     json_integer_value(json_object_get(json_object_get(loaded, "whole"), "tracks")));
        put_totals(&j, loaded);
    }
    put_words(&j, words);
    json_close(&j);
    json_decref(loaded);
    return !out->failed;
}

/* ---- reading ---- */

static void add_labels(struct buf *b, const json_t *labels)
{
    const char *key;
    json_t *value;

    json_object_foreach ((json_t *)(uintptr_t)labels, key, value) {
        buf_z(b, key);
        buf_char(b, '=');
        buf_str(b, json_memory_text(value));
        buf_char(b, '\n');
    }
}

static void add_lines(struct buf *b, const json_t *texts)
{
    const json_t *text;
    size_t i;

    json_array_foreach (texts, i, text) {
        buf_str(b, json_memory_text(text));
        buf_char(b, '\n');
    }
}

static void add_where(struct entry *sizes, const json_t *object, enum query_where where, struct buf *b)
{
    switch (where) {
    case QUERY_WORDS:
        buf_str(b, json_memory_text(json_object_get(object, "name")));
        buf_char(b, '\n');
        buf_str(b, json_memory_text(json_object_get(object, "headline")));
        return;
    case QUERY_LABELS:
        sizes->said_bytes = (uint32_t)b->n;
        buf_char(b, '\n');
        add_labels(b, json_object_get(object, "label"));
        sizes->said_bytes = (uint32_t)(b->n - sizes->said_bytes);
        add_labels(b, json_object_get(object, "known"));
        return;
    case QUERY_RULES:
        add_lines(b, json_object_get(object, "rules"));
        return;
    case QUERY_METHODS:
    case QUERY_WHERES:
        add_lines(b, json_object_get(object, "methods"));
    }
}

/* Behind the text, as struct entry has it. */
static void add_subject(struct entry *sizes, const json_t *object, struct buf *b)
{
    for (int where = 0; where < QUERY_WHERES; where++) {
        size_t at = b->n;
        add_where(sizes, object, (enum query_where)where, b);
        if (where != QUERY_LABELS && !b->failed)
            query_small(b->p + at, b->n - at);
        sizes->of_bytes[where] = (uint32_t)(b->n - at);
    }
}

struct entry *entry_read(const struct record_entry *name, struct str text)
{
    bool is_line = text.n <= ENTRY_BYTES_MAX && str_find(text, '\n') == text.n;
    json_t *object = !is_line ? NULL : json_memory_load(text, JSON_REJECT_DUPLICATES, NULL);
    struct entry head = {.name = *name, .text_bytes = (uint32_t)text.n}, *e = NULL;
    struct buf bytes = {0};

    if (json_is_object(object) && str_eq(json_memory_text(json_object_get(object, "id")), str_of(name->id))) {
        buf_str(&bytes, text);
        add_subject(&head, object, &bytes);
        e = bytes.failed ? NULL : malloc(sizeof(*e) + bytes.n);
    }
    if (e != NULL) {
        *e = head;
        memcpy(e->bytes, bytes.p, bytes.n);
    }
    buf_free(&bytes);
    json_decref(object);
    return e;
}

size_t entry_bytes(const struct entry *e)
{
    size_t bytes = sizeof(*e) + e->text_bytes;

    for (int where = 0; where < QUERY_WHERES; where++)
        bytes += e->of_bytes[where];
    return bytes;
}

struct str entry_text(const struct entry *e)
{
    return (struct str){e->bytes, e->text_bytes};
}

/* It stands before what people have said, in whose texts quotes are escaped. */
struct str entry_sha256(const struct entry *e)
{
    static const struct str MEMBER = STR_INIT("\"sha256\":\"");
    struct str text = entry_text(e);
    size_t at = str_find_str(text, MEMBER) + MEMBER.n;
    struct str digest = {text.p + at, RECORD_SHA256_CHARS};

    return at + RECORD_SHA256_CHARS <= text.n && record_sha256_valid(digest) ? digest : STR("");
}

struct str entry_said_labels(const struct entry *e)
{
    struct str labels = entry_subject(e).of[QUERY_LABELS];

    return (struct str){labels.p + 1, e->said_bytes - 1}; /* behind the "\n" */
}

struct query_subject entry_subject(const struct entry *e)
{
    struct query_subject subject = {.created_s = e->name.created_s};
    const char *at = e->bytes + e->text_bytes;

    for (int where = 0; where < QUERY_WHERES; where++) {
        subject.of[where] = (struct str){at, e->of_bytes[where]};
        at += e->of_bytes[where];
    }
    return subject;
}
