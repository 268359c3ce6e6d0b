#include "render/verdict/verdict.h"

#include "core/clean.h"
#include "core/json.h"
#include "core/order.h"
#include "render/names/names.h"
#include "render/verdict/chain.h"
#include "render/verdict/long_calls.h"
#include "render/verdict/rules.h"
#include "render/verdict/system_rules.h"
#include "render/verdict/system_sums.h"
#include "render/view/view.h"

enum { LEVELS_MAX = 1000, SPANS_MAX = 20000 };

_Static_assert((int)WAIT_KINDS <= (int)SPAN_KINDS_MAX, "each kind of wait is a kind of calls");

/* By frame. NULL: the arena gives no more. */
static const uint8_t *wait_kinds(const struct profile *p, const struct names *names, struct arena *arena)
{
    uint8_t *kinds = arena_array(arena, p->n_frames, sizeof(*kinds));

    for (frame_id f = 0; kinds != NULL && f < p->n_frames; f++) {
        struct frame_parts parts = names_parts(names, f);
        kinds[f] = (uint8_t)wait_kind_of(parts.scope, parts.name);
    }
    return kinds;
}

bool verdict_wants_spans(const struct profile *p, const struct names *names, struct arena *arena,
                         struct span_request *request)
{
    const struct profile_track *main = NULL;

    if (p->n_times == 0 || p->n_tracks == 0 || p->values[0].unit != UNIT_NS)
        return false;
    for (uint32_t i = 0; i < p->n_tracks && main == NULL; i++)
        if (str_eq(profile_string(p, p->tracks[i].name), STR("main")))
            main = &p->tracks[i];
    if (main == NULL || main->end_ns <= main->begin_ns)
        return false;
    *request = (struct span_request){.track = main->id,
                                     .ns_per_tick = p->ns_per_tick,
                                     .from_ns = main->begin_ns,
                                     .to_ns = main->end_ns,
                                     .least_ns = LONG_CALLS_LEAST_NS / 2, /* what most of a long one ran */
                                     .levels_max = LEVELS_MAX,
                                     .spans_max = SPANS_MAX,
                                     .wide_only = true,
                                     .kinds = wait_kinds(p, names, arena)};
    return request->kinds != NULL;
}

/* Keeps the list by weight; of equal ones the row that stands first in the table. */
static void keep(struct verdict_sentence *list, uint32_t *n, const struct verdict_sentence *s)
{
    uint32_t at = *n;

    while (at > 0 && list[at - 1].weight < s->weight)
        at--;
    order_insert(list, n, (uint32_t)RULES_COUNT, at, s, sizeof(*s));
}

static bool apply(const struct rule *r, const struct analysis *a, const struct render_input *in,
                  struct buf *text, struct verdict_sentence *list, uint32_t *n)
{
    struct verdict_sentence s = {.rule = r->name, .how = r->how, .track = UINT32_MAX, .once = r->once};
    struct finding f = {text, &s};

    buf_clear(text);
    if ((r->needs_time && !a->timed) || !r->find(r, a, &f))
        return true;
    char *copy = text->failed ? NULL : arena_copy(in->scratch, text->p, text->n);
    if (copy == NULL)
        return false;
    s.text = (struct str){copy, text->n};
    keep(list, n, &s);
    return true;
}

static bool names(const struct verdict_sentence *s, frame_id method)
{
    for (uint32_t i = 0; i < s->n_methods; i++)
        if (s->methods[i] == method)
            return true;
    return false;
}

/* Whether the verdict names all methods of the sentence already. */
static bool is_told(const struct verdict *v, const struct verdict_sentence *s)
{
    uint32_t told = 0;

    for (uint32_t m = 0; m < s->n_methods; m++)
        for (uint32_t i = 0; i < v->n; i++)
            if (names(&v->list[i], s->methods[m])) {
                told++;
                break;
            }
    return s->n_methods > 0 && told == s->n_methods;
}

/* Of a start: the path on which most of its time on a CPU was. NULL: the arena gives no more. */
static const struct chain *chain_of_start(const struct analysis *a, struct arena *arena)
{
    const struct system_sums *s = &a->system->start;
    struct chain *c = arena_alloc(arena, sizeof(*c));

    if (c == NULL)
        return NULL;
    *c = (struct chain){0};
    for (; c->n < s->n_path && c->n < CHAIN_LINKS_MAX; c->n++)
        c->links[c->n] = (struct chain_link){s->path[c->n].frame, s->path[c->n].ns, 0};
    c->last_own = c->below = c->n;
    return c;
}

const struct verdict *verdict_new(const struct render_input *in)
{
    struct analysis *a = analysis_new(in);
    struct verdict *v = arena_alloc(in->scratch, sizeof(*v));
    struct verdict_sentence *list = arena_array(in->scratch, RULES_COUNT, sizeof(*list));
    struct buf text = {0};
    uint32_t n = 0;
    bool ok = a != NULL && v != NULL && list != NULL;

    if (ok)
        ok = (a->chain = chain_new(a, in->scratch)) != NULL;
    for (size_t i = 0; ok && i < RULES_COUNT; i++)
        ok = apply(&RULES[i], a, in, &text, list, &n);
    if (text.failed && in->scratch->failure == ARENA_OK)
        in->scratch->failure = ARENA_NO_MEMORY;
    buf_free(&text);
    if (!ok)
        return NULL;
    *v = (struct verdict){.chain = system_has_start(a) ? chain_of_start(a, in->scratch) : a->chain};
    if (v->chain == NULL)
        return NULL;
    for (uint32_t i = 0; i < n && v->n < VERDICT_SENTENCES_MAX; i++)
        if (!list[i].once || !is_told(v, &list[i]))
            v->list[v->n++] = list[i];
    return v;
}

/* ---- formats ---- */

static void write_txt(const struct render_input *in, const struct verdict *v, struct buf *out)
{
    (void)in;
    if (v->n == 0)
        buf_z(out, "Nothing stands out.\n");
    for (uint32_t i = 0; i < v->n; i++) {
        clean_text(out, v->list[i].text);
        buf_char(out, '\n');
    }
}

static void put_part(struct json *j, struct str text, size_t from, size_t to)
{
    if (from == to)
        return;
    json_open_object(j, NULL);
    json_put_string(j, "text", (struct str){text.p + from, to - from});
    json_close(j);
}

static void put_mention(struct json *j, const struct render_input *in, struct str text,
                        const struct verdict_mention *m)
{
    struct str said = {text.p + m->at, m->n};

    json_open_object(j, NULL);
    json_put_string(j, "text", said);
    if (m->to_ns > 0) {
        json_put_u64(j, "from_ns", m->from_ns);
        json_put_u64(j, "to_ns", m->to_ns);
    } else if (m->is_method) {
        json_put_bool(j, "method", true);
        if (!str_eq(said, names_frame(in->names, m->frame)))
            json_put_string(j, "name", names_frame(in->names, m->frame));
    } else {
        json_put_u64(j, "track", in->profile->tracks[m->track].id);
    }
    json_close(j);
}

static void put_parts(struct json *j, const struct render_input *in, const struct verdict_sentence *s)
{
    size_t from = 0;

    json_open_array(j, "parts");
    for (uint32_t i = 0; i < s->n_mentions; i++) {
        put_part(j, s->text, from, s->mentions[i].at);
        put_mention(j, in, s->text, &s->mentions[i]);
        from = s->mentions[i].at + s->mentions[i].n;
    }
    put_part(j, s->text, from, s->text.n);
    json_close(j);
}

/* The methods on which most of the time goes down, the outermost first. */
static void put_chain(struct json *j, const struct render_input *in, const struct chain *c)
{
    json_open_array(j, "chain");
    for (uint32_t i = 0; i < c->n; i++) {
        const struct chain_link *link = &c->links[i];
        json_open_object(j, NULL);
        json_put_string(j, "method", names_frame(in->names, link->frame));
        json_put_string(j, "origin",
                        str_of(origin_word((enum origin)names_of(in->names, link->frame)->origin)));
        json_put_u64(j, "value", link->took);
        if (link->calls > 0)
            json_put_u64(j, "calls", link->calls);
        json_close(j);
    }
    json_close(j);
}

/* {"version": 1, "app": ["com.foo"],
 *  "chain": [{"method": "com.foo.Bar.baz", "origin": "app", "value": 1200, "calls": 3}, ...],
 *  "sentences": [{"rule": "busy", "text": "...", "how": "...", "track": 1,
 *      "methods": ["com.foo.Bar.baz"], "table": "group=origin",
 *      "parts": [{"text": "main", "track": 1}, {"text": " ran "}, {"text": "com.foo.Bar.baz", "method": true}, ...]}, ...]};
 * "chain" is that of the first sentence, and has values in ns, or as the profile counts; "track" is an id, and missing where
 * the sentence is about no single thread; "table" is the query of the table of methods that shows it, and missing where a
 * view of the methods does; "parts" are the text in pieces, of which some name a method, a thread, or a range of time:
 * "from_ns" to "to_ns". A method that the text names shorter than views do has its "name", too. */
static void write_json(const struct render_input *in, const struct verdict *v, struct buf *out)
{
    const struct own_code *own = names_own(in->names);
    struct json j = json_into(out);

    json_open_object(&j, NULL);
    json_put_u64(&j, "version", 1);
    json_open_array(&j, "app");
    for (uint32_t i = 0; i < own->n; i++)
        json_put_string(&j, NULL, own->prefix[i]);
    json_close(&j);
    put_chain(&j, in, v->chain);
    json_open_array(&j, "sentences");
    for (uint32_t i = 0; i < v->n; i++) {
        const struct verdict_sentence *s = &v->list[i];
        json_open_object(&j, NULL);
        json_put_string(&j, "rule", str_of(s->rule));
        json_put_string(&j, "text", s->text);
        json_put_string(&j, "how", str_of(s->how));
        if (s->track != UINT32_MAX)
            json_put_u64(&j, "track", in->profile->tracks[s->track].id);
        json_open_array(&j, "methods");
        for (uint32_t m = 0; m < s->n_methods; m++)
            json_put_string(&j, NULL, names_frame(in->names, s->methods[m]));
        json_close(&j);
        if (s->table != NULL)
            json_put_string(&j, "table", str_of(s->table));
        put_parts(&j, in, s);
        json_close(&j);
    }
    json_close(&j);
    json_close(&j);
    buf_char(out, '\n');
}

const struct verdict_format VERDICT_TXT = {
    {"txt", "text/plain; charset=utf-8", "one sentence in a line, for people", 3}, write_txt};
const struct verdict_format VERDICT_JSON = {
    {"json", "application/json", "for programs, with the methods and how each sentence was found", 7},
    write_json};

const struct verdict_format *const VERDICT_FORMATS[] = {&VERDICT_TXT, &VERDICT_JSON};
const size_t VERDICT_FORMATS_COUNT = sizeof(VERDICT_FORMATS) / sizeof(VERDICT_FORMATS[0]);

const struct verdict_format *verdict_format_by_name(struct str name)
{
    for (size_t i = 0; i < VERDICT_FORMATS_COUNT; i++)
        if (str_eq(name, str_of(VERDICT_FORMATS[i]->text.name)))
            return VERDICT_FORMATS[i];
    return NULL;
}

bool verdict_write(const struct render_input *in, const struct verdict_format *format, struct buf *out,
                   struct diag *diag)
{
    const struct verdict *v = verdict_new(in);

    if (v == NULL)
        return fail_arena(in->scratch, diag);
    format->write(in, v, out);
    return !out->failed || fail_buf(out, diag);
}
