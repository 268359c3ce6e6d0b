/* What changes an upload, or ends it: POST /p/<id>/rename, /p/<id>/mapping, /p/<id>/symbols,
 * /p/<id>/delete, DELETE /p/<id>. Who does has its delete token. */
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "core/system/log.h"
#include "server/http/clients.h"
#include "server/http/exchange.h"
#include "server/http/form_body.h"
#include "server/pages/page_frame.h"
#include "server/pages/pages.h"
#include "server/routes/admit.h"
#include "server/routes/routes_table.h"
#include "server/routes/view_answer.h"
#include "server/service.h"
#include "server/spaces/expiry.h"
#include "server/spaces/spaces.h"
#include "server/spaces/stored_digest.h"
#include "server/store/record_cache.h"
#include "server/store/store.h"
#include "server/store/sweep.h"
#include "server/upload/known_mapping.h"
#include "server/upload/names_upload.h"
#include "server/upload/upload.h"

_Static_assert(sizeof(((struct record *)NULL)->app) == sizeof(((struct view_options *)NULL)->app),
               "what a view takes fits the record");

/* ---- changes ---- */

struct change {
    struct record record;
    unsigned fields; /* of enum record_field */
    /* What its space will list, made of views. */
    struct view_request words_asked;
    struct view_result result; /* that is worked on */
    struct buf summary, words;
    bool renames; /* Its names have changed: it has another digest than before. */
};

static void end_change(void *state)
{
    struct change *c = state;

    buf_free(&c->summary);
    buf_free(&c->words);
}

/* An empty field changes nothing. A profile is never kept for longer than one that is uploaded now could
 * be kept since its upload; the last day is a whole one in what may be said, and ends at that time. False:
 * x->reply says why. */
static bool take_expires(struct exchange *x, struct str text, struct change *c, int64_t now_s)
{
    struct record *r = &c->record;
    uint64_t max_days = x->service->config->max_expires_days, seconds;
    int64_t last_s = r->created_s + (int64_t)max_days * EXPIRY_DAY_S;
    int64_t most_s = last_s > now_s ? last_s - now_s : 0;
    int64_t most_days = (most_s + EXPIRY_DAY_S - 1) / EXPIRY_DAY_S;

    if (str_trim(text).n == 0)
        return true;
    if (!expiry_parse(text, (uint64_t)(most_days * EXPIRY_DAY_S), &seconds)) {
        exchange_problem(
            x, 400, "not that long", "Leave the field empty to change nothing.",
            "It is a number of days (7 or 7d) or of hours (12h). In days, the profile can be kept for "
            "%lld more at most: %llu after its upload.",
            (long long)most_days, (unsigned long long)max_days);
        return false;
    }
    r->expires_s = now_s + (int64_t)seconds < last_s ? now_s + (int64_t)seconds : last_s;
    c->fields |= RECORD_EXPIRY;
    return true;
}

/* Which packages are the app's own, for all who look; an empty field leaves it to the guess. False:
 * x->reply says why. */
static bool take_app(struct exchange *x, struct str app, struct change *c)
{
    struct view_options view;
    struct diag diag = {0};

    if (app.p == NULL)
        return true;
    view_defaults(&view);
    if (!view_set(&view, KEYS_VIEW, STR("app"), app, &diag)) {
        exchange_diag(x, &diag);
        return false;
    }
    memcpy(c->record.app, view.app, sizeof(c->record.app));
    c->fields |= RECORD_APP;
    return true;
}

/* An empty field changes nothing. False: x->reply says why. */
static bool take_readers(struct exchange *x, struct str text, struct change *c)
{
    struct diag diag = {0};

    if (str_trim(text).n == 0)
        return true;
    if (x->who.by != WHO_NOBODY && !admits_owner(x, &c->record)) {
        exchange_problem(x, 403, "not yours", "Ask the person who uploaded it.",
                         "Only its owner says who may read it.");
        return false;
    }
    c->fields |= RECORD_READERS;
    if (readers_parse(x->service, text, &c->record.team, &diag))
        return true;
    exchange_diag(x, &diag);
    return false;
}

/* A field of the form, or else of the query, as an upload takes them. */
static struct str field(struct exchange *x, const struct form *form, const char *name)
{
    struct str value = form_value(form, str_of(name));

    return value.p != NULL ? value : x->query(x, name);
}

/* ---- space and labels ---- */

struct labels_change {
    struct labels *labels;
    struct diag diag;
};

static bool take_label(void *context, struct str name, struct str value)
{
    struct labels_change *l = context;
    struct str key;

    return !label_field(name, &key) || labels_set(l->labels, key, value, &l->diag);
}

/* All labels anew, then single ones, those of the form behind those of the query. False: x->reply says why. */
static bool take_labels(struct exchange *x, const struct form *form, struct change *c)
{
    const struct labels before = c->record.labels;
    struct labels_change l = {.labels = &c->record.labels};
    struct str all = field(x, form, "labels");

    if (all.p != NULL)
        *l.labels = (struct labels){""};
    bool ok = all.p == NULL || labels_set_lines(l.labels, all, &l.diag);
    if (ok)
        x->each_query(x, take_label, &l);
    for (size_t i = 0; l.diag.kind == DIAG_NONE && i < form->n; i++)
        take_label(&l, form_name(form, i), form_value(form, form_name(form, i)));
    if (strcmp(before.lines, l.labels->lines) != 0)
        c->fields |= RECORD_SPACE;
    if (l.diag.kind == DIAG_NONE)
        return true;
    exchange_diag(x, &l.diag);
    return false;
}

/* To put an upload into a space, or to take it out of one, is to upload it there. False: x->reply says why. */
static bool take_space(struct exchange *x, struct str name, struct change *c)
{
    struct diag diag = {0};

    if (name.p == NULL || str_eq(str_trim(name), str_of(c->record.space)))
        return true;
    name = str_trim(name);
    if (!space_name_check(name, &diag)) {
        exchange_diag(x, &diag);
        return false;
    }
    if ((x->who.scopes & SCOPE_UPLOAD) == 0 || !who_is_for(&x->who, name)) {
        exchange_problem(x, 403, "not in that space", "Ask for a token with the scope upload for that space.",
                         "Only who may upload into a space can put an upload there.");
        return false;
    }
    memset(c->record.space, 0, sizeof(c->record.space));
    if (name.n > 0)
        memcpy(c->record.space, name.p, name.n);
    c->fields |= RECORD_SPACE;
    return true;
}

/* Whether its space lists it otherwise behind the change. */
static bool is_listed_anew(const struct change *c)
{
    return c->record.space[0] != '\0' && (c->fields & (RECORD_NAME | RECORD_APP | RECORD_SPACE)) != 0;
}

/* Each entry of a space has a mark of its own. False: x->reply says why. */
static bool take_mark(struct exchange *x, struct change *c, int64_t now_s)
{
    if (is_listed_anew(c))
        c->fields |= RECORD_SPACE;
    if ((c->fields & RECORD_SPACE) == 0 || record_entry_mark(&c->record, now_s))
        return true;
    exchange_problem(x, 500, "no randomness", "Tell the operator.", "The system gave no random numbers.");
    return false;
}

/* False: x->reply says why not. */
static bool take_changes(struct exchange *x, const struct form *form, struct change *c, int64_t now_s)
{
    struct str name = field(x, form, "name");

    if (name.p != NULL && !record_set_name(&c->record, name)) {
        exchange_no_memory(x, "the form");
        return false;
    }
    c->fields = name.p != NULL ? RECORD_NAME : 0;
    return take_app(x, field(x, form, "app"), c) && take_readers(x, field(x, form, "readers"), c) &&
           take_expires(x, field(x, form, "expires"), c, now_s) && take_labels(x, form, c) &&
           take_space(x, field(x, form, "space"), c) && take_mark(x, c, now_s);
}

static void answer_changed(struct exchange *x, const struct record *r)
{
    if (x->accepts == AS_HTML) {
        reply_static(&x->reply, 303, "text/plain; charset=utf-8", STR("changed\n"));
        reply_header(&x->reply, "Location", "../%s", r->id);
    } else {
        reply_static(&x->reply, 200, "text/plain; charset=utf-8", STR("changed\n"));
    }
    reply_header(&x->reply, "Cache-Control", "no-store");
    reply_header(&x->reply, "Vary", "Accept, Accept-Encoding");
}

/* It was there when the request came: one that is not found now is gone. */
static void answer_unchanged(struct exchange *x, enum store_result result)
{
    struct diag diag = {0};

    if (result == STORE_NOT_FOUND) {
        profile_gone(x);
        return;
    }
    store_access_failed(x->service->log, result, "changed", &diag);
    exchange_diag(x, &diag);
}

/* What the space will list, before the record says so. */
static enum store_result put_entry(struct exchange *x, const struct change *c)
{
    struct buf text = {0};
    enum store_result result = STORE_FAILED;

    if (entry_write(&c->record, buf_view(&c->summary), buf_view(&c->words), &text))
        result = spaces_put(x->service->spaces, &c->record, buf_view(&text));
    buf_free(&text);
    return result;
}

static enum store_result change_record(struct exchange *x, struct change *c)
{
    struct record wanted = c->record, before;
    bool listed = is_listed_anew(c);

    if (store_waits(x->service->store, c->record.id))
        return STORE_WAITS; /* before its entry says what the record may not */
    enum store_result result = listed ? put_entry(x, c) : STORE_OK;

    if (result != STORE_OK)
        return result;
    result = record_change_told(x->service->store, &c->record, c->fields, (int64_t)time(NULL), &before);
    if (result == STORE_OK && (c->fields & RECORD_SPACE) != 0)
        spaces_remove(x->service->spaces, &before);
    /* The record before may have been this change's own, if its answer was lost, and who came in between has taken the entry
     * of what it found: so it is put once more. */
    if (result == STORE_OK && listed) {
        result = put_entry(x, c);
        if (!c->renames)
            stored_digest_keep_on(x->service, &before, &c->record);
    }
    /* After any other failure the revision may be there all the same; a sweep removes what does not count. */
    if (result == STORE_NOT_FOUND && listed)
        spaces_remove(x->service->spaces, &wanted);
    record_cache_forget(x->service->record_cache, str_of(wanted.id));
    return result;
}

/* To write it takes until the disk has it. */
static void write_change(struct exchange *x, void *change)
{
    struct change *c = change;
    const struct record *r = &c->record;

    turn_give(x->turn); /* it waits for the store, and computes nothing */
    enum store_result result = change_record(x, c);

    if (result == STORE_OK) {
        sweep_upload_expires(x->service->sweep, r->expires_s);
        admits_log(x, "changed", str_of(r->id));
        answer_changed(x, r);
    } else {
        answer_unchanged(x, result);
    }
}

/* NULL: x->reply says that there is no memory. */
static struct record *new_record(struct exchange *x)
{
    struct record *r = exchange_state(x, sizeof(*r), NULL);

    if (r == NULL)
        exchange_no_memory(x, "the change");
    return r;
}

/* The form, with fields that the route knows. NULL: x->reply. */
static const struct form *read_form(struct exchange *x)
{
    const struct form *form = form_body_read(x);
    struct diag diag = {0};
    bool of_b;

    for (size_t i = 0; form != NULL && i < form->n; i++) {
        struct str name = form_name(form, i);
        if (key_find(x->keys, name, &of_b) != NULL)
            continue;
        keys_refuse(x->keys, "field of the form", name, &diag);
        exchange_diag(x, &diag);
        return NULL;
    }
    return form;
}

static void take_words(struct exchange *x, void *change)
{
    struct change *c = change;

    entry_take_view(&c->result, &c->words);
    write_change(x, c);
}

static enum exchange_step get_words(struct exchange *x, void *context)
{
    struct change *c = context;

    return view_work(x, &c->words_asked, &(struct view_work){&c->result, WORK_ALWAYS, take_words, NULL, c});
}

static void take_summary(struct exchange *x, void *context)
{
    struct change *c = context;

    (void)x;
    entry_take_view(&c->result, &c->summary);
}

enum exchange_step handle_rename(struct exchange *x)
{
    struct change *c = exchange_state(x, sizeof(*c), end_change);
    struct view_request summary;

    if (c == NULL)
        return exchange_no_memory(x, "the change");
    if (!profile_record(x, x->parameters[0], &c->record))
        return X_DONE;
    const struct form *form = read_form(x);
    if (form == NULL || !profile_may_change(x, &c->record, SCOPE_CHANGE, form_value(form, STR("token"))) ||
        !take_changes(x, form, c, (int64_t)time(NULL)))
        return X_DONE;
    if (!is_listed_anew(c))
        return exchange_work(x, WORK_ALWAYS, write_change, NULL, c);
    entry_views(x->service, &c->record, &summary, &c->words_asked);
    return view_work(x, &summary, &(struct view_work){&c->result, WORK_ALWAYS, take_summary, get_words, c});
}

/* ---- files that tell names ---- */

/* Who cannot be let in whatever the form says is refused before the file is taken. False: x->reply says why. */
static bool may_send_names(struct exchange *x)
{
    struct record record;

    return profile_record(x, x->parameters[0], &record) &&
           (record.token_sha256[0] != '\0' ||
            profile_may_change(x, &record, SCOPE_CHANGE, (struct str){NULL, 0}));
}

static enum exchange_step begin_names(struct exchange *x, enum exchange_step (*begin)(struct exchange *x))
{
    return store_is_remote(x->service->store) || may_send_names(x) ? begin(x) : X_DONE;
}

/* An object store is asked behind the headers, when there can be no answer any more: what comes is passed over then, and
 * the handler says why. */
static enum body_step names_data(struct exchange *x, const char *p, size_t *n)
{
    struct names_upload *u = x->body;

    if (!u->has_begun && store_is_remote(x->service->store) && !may_send_names(x)) {
        reply_free(&x->reply);
        reply_init(&x->reply);
        u->refused = true;
    }
    return names_upload_data(x, p, n);
}

static enum exchange_step begin_mapping(struct exchange *x)
{
    return begin_names(x, names_upload_begin_mapping);
}

static enum exchange_step begin_symbols(struct exchange *x)
{
    return begin_names(x, names_upload_begin_symbols);
}

const struct route_body MAPPING_BODY = {"multipart/form-data", begin_mapping, names_data},
                        SYMBOLS_BODY = {"multipart/form-data", begin_symbols, names_data};

struct names_change {
    struct record record;
    struct names_upload *upload;
    struct record_names earlier; /* the mapping of another upload that is to be taken; or none */
};

/* A mapping has more names than a profile shows: only who has the other upload's token may have its mapping. */
static bool find_earlier(struct exchange *x, struct names_change *c)
{
    struct str from = buf_view(&c->upload->from);
    struct record earlier;

    if (from.n == 0)
        return true;
    turn_give(x->turn);
    bool found = profile_record(x, from, &earlier);
    turn_take(x->turn);
    x->profile = x->parameters[0];
    if (!found || !profile_may_change(x, &earlier, SCOPE_CHANGE, buf_view(&c->upload->from_token)))
        return false;
    c->earlier = earlier.names;
    found = c->earlier.of[RECORD_MAPPING][0] != '\0';
    if (!found)
        exchange_problem(x, 404, "no such mapping", "Send the mapping.txt itself.",
                         "The other upload has no mapping.");
    return found;
}

/* The list of its space says what the names make of the upload. That it is listed as before is no reason to fail. */
static void list_with_names(struct exchange *x, const struct record *r)
{
    struct change c = {.record = *r, .fields = RECORD_SPACE, .renames = true};

    if (r->space[0] == '\0' || !record_entry_mark(&c.record, (int64_t)time(NULL)))
        return;
    entry_make_views(x->service, &c.record, x->client, x->turn, &c.summary, &c.words);
    turn_give(x->turn);
    if (c.summary.n == 0 || change_record(x, &c) != STORE_OK)
        LOG(x->service->log, LOG_WARN, "not-listed-with-names", LOG_STR("id", str_of(r->id)));
    buf_free(&c.summary);
    buf_free(&c.words);
}

static void write_names(struct exchange *x, void *context)
{
    struct names_change *c = context;
    struct names_file *file = &c->upload->file;
    enum record_names_file which = c->upload->which;
    const struct service *s = x->service;
    const int64_t begun_s = (int64_t)time(NULL);
    struct diag diag = {0};

    struct str known = buf_view(&c->upload->known), known_file = buf_view(&c->upload->known_file);
    if (!find_earlier(x, c))
        return;
    if ((known.n > 0 && !known_mapping_take(file, s, known, &diag)) ||
        (known_file.n > 0 && !known_mapping_take_file(file, s, known_file, &diag)) ||
        (c->earlier.of[RECORD_MAPPING][0] != '\0' &&
         !known_mapping_take_stored(file, s, &c->earlier, &diag))) {
        exchange_diag(x, &diag);
        return;
    }
    turn_give(x->turn);
    if (file->local != NULL && !names_file_keep(file, s, &diag)) {
        exchange_diag(x, &diag);
        return;
    }
    memcpy(c->record.names.of[which], file->sha256, sizeof(file->sha256));
    c->record.names.period[which] = file->period;
    enum store_result result = record_change_names(s->store, &c->record, which, begun_s, (int64_t)time(NULL));
    record_cache_forget(s->record_cache, str_of(c->record.id));
    if (result == STORE_OK) {
        LOG(s->log, LOG_INFO, "named", LOG_STR("id", str_of(c->record.id)),
            LOG_STR("by", str_of(RECORD_NAMES_WORDS[which])), LOG_STR("file", str_of(file->sha256)),
            LOG_STR("who", who_logged(&x->who)), LOG_STR("client", str_of(x->address)),
            LOG_STR("request", str_of(x->id)));
        list_with_names(x, &c->record);
        answer_changed(x, &c->record);
    } else {
        answer_unchanged(x, result);
    }
}

/* ---- which mapping of the service's own fits the names of the profile ----
 *
 * The names are a view of the profile, which is made and kept as any other. Then the files are read, in turns with others; the search
 * ends if the client has left. */

struct finding {
    const struct record *record;
    struct str token;
    struct service *service; /* whose searches this one is counted with; NULL: it is not, or no more */
    struct view_result result;
    struct buf names;
    struct mapping_search *search; /* NULL: not begun, or x->reply is made */
};

/* When x->reply is made, so that who has the answer can search again; at the latest when the exchange ends. */
static void end_finding(void *state)
{
    struct finding *f = state;

    mapping_search_free(f->search);
    f->search = NULL;
    buf_free(&f->names);
    if (f->service != NULL)
        atomic_fetch_sub(&f->service->mapping_searches, 1);
    f->service = NULL;
}

static void put_offer(struct exchange *x, struct buf *b, const struct finding *f, struct str file,
                      struct str words)
{
    buf_str(b, file);
    buf_char(b, ' ');
    buf_str(b, words);
    buf_z(b, "\nIt is not applied yet. To apply it:\n  curl -F token=TOKEN --form-string 'known_file=");
    buf_str(b, file);
    buf_z(b, "' ");
    exchange_base_url(x, b);
    buf_printf(b, "/p/%s/mapping\n", f->record->id);
}

static void answer_offer(struct exchange *x, struct finding *f)
{
    struct mapping_offer offer = mapping_search_offer(f->search);
    struct buf words = {0};

    mapping_offer_words(&offer, &words);
    if (words.failed) {
        exchange_no_memory(x, "the answer");
    } else if (x->accepts == AS_HTML) {
        const struct page_mapping page = {
            page_root(x->path), f->record, offer.file,
            buf_view(&words),   f->token,  admits_without_token(x, f->record, SCOPE_CHANGE)};
        page_mapping(page_reply(&x->reply, 200), &page);
    } else {
        put_offer(x, reply_text(&x->reply, 200, "text/plain; charset=utf-8"), f, offer.file,
                  buf_view(&words));
        reply_header(&x->reply, "Cache-Control", "no-store");
        reply_header(&x->reply, "Vary", "Accept, Accept-Encoding");
    }
    buf_free(&words);
}

static void search_mappings(struct exchange *x, void *context)
{
    struct finding *f = context;
    struct diag diag = {0};

    /* It is no short work any more. */
    turn_set_class(x->turn, TURN_INPUT);
    if (view_take(x, &f->result, &f->names)) {
        f->search = mapping_search_new(x->service, buf_view(&f->names), &diag);
        if (f->search != NULL && mapping_search_run(f->search, x->turn, &diag))
            answer_offer(x, f);
        else
            exchange_diag(x, &diag);
    }
    end_finding(f);
}

/* The names are those that the profile was recorded with, whatever mapping it has by now. */
static enum exchange_step find_mapping(struct exchange *x, const struct record *record, struct str token)
{
    struct view_request r = {.report = report_by_name(STR("java-names"), STR(""))};
    struct service *s = x->service;
    struct diag diag = {0};

    if (s->config->mappings_dir[0] == '\0')
        return exchange_problem(x, 404, "no mappings here", "Send the mapping.txt itself.",
                                "This service has no mappings of its own (mappings_dir).");
    struct finding *f = exchange_state(x, sizeof(*f), end_finding);
    if (f == NULL)
        return exchange_no_memory(x, "the search");
    if (atomic_fetch_add(&s->mapping_searches, 1) >= s->config->folds) {
        atomic_fetch_sub(&s->mapping_searches, 1);
        diag_set(&diag, DIAG_BUSY, "too many searches", "Try again when another one has ended.",
                 "Each reads many mappings, and so many are done at a time, and no more.");
        return exchange_diag(x, &diag);
    }
    f->record = record;
    f->token = token;
    f->service = s;
    view_of(&r, record);
    r.upload.names.of[RECORD_MAPPING][0] = '\0';
    report_defaults(s->config, &r.asked);
    report_settle(r.report, s->config, &r.asked);
    return view_work(x, &r, &(struct view_work){&f->result, WORK_ALWAYS, search_mappings, NULL, f});
}

enum exchange_step handle_names(struct exchange *x)
{
    struct names_change *c = exchange_state(x, sizeof(*c), NULL);

    if (c == NULL)
        return exchange_no_memory(x, "the change");
    if (!profile_record(x, x->parameters[0], &c->record))
        return X_DONE;
    c->upload = names_upload_end(x);
    if (c->upload == NULL)
        return X_DONE;
    struct str token = c->upload->token.n > 0 ? buf_view(&c->upload->token) : (struct str){NULL, 0};
    if (!profile_may_change(x, &c->record, SCOPE_CHANGE, token))
        return X_DONE;
    if (str_eq(buf_view(&c->upload->known), STR(NAMES_UPLOAD_FIND)))
        return find_mapping(x, &c->record, token);
    return exchange_work(x, WORK_ALWAYS, write_names, NULL, c);
}

/* ---- the end ---- */

static void delete_accepted(struct exchange *x, void *record)
{
    const struct record *r = record;
    struct diag diag = {0};

    turn_give(x->turn);
    uint64_t bytes = record_bytes_alone(x->service->store, r->id);
    enum store_result result = record_delete(x->service->store, r, (int64_t)time(NULL));
    record_cache_forget(x->service->record_cache, str_of(r->id));

    if (result != STORE_OK) {
        store_access_failed(x->service->log, result, "deleted", &diag);
        exchange_diag(x, &diag);
        return;
    }
    spaces_forget(x->service->spaces, r);
    kept_give(sweep_kept(x->service->sweep), r);
    sweep_give_upload_room(x->service->sweep, bytes);
    admits_log(x, "deleted", str_of(r->id));
    if (x->accepts == AS_HTML) {
        page_deleted(page_reply(&x->reply, 200), page_root(x->path), r);
    } else {
        buf_z(reply_text(&x->reply, 200, "text/plain; charset=utf-8"), "deleted\n");
        reply_header(&x->reply, "Cache-Control", "no-store");
    }
}

enum exchange_step handle_delete(struct exchange *x)
{
    struct record *r = new_record(x);

    if (r == NULL || !profile_record(x, x->parameters[0], r) ||
        !profile_may_change(x, r, SCOPE_DELETE, (struct str){NULL, 0}))
        return X_DONE;
    return exchange_work(x, WORK_ALWAYS, delete_accepted, NULL, r);
}

enum exchange_step handle_delete_form(struct exchange *x)
{
    struct record r;

    if (!profile_record(x, x->parameters[0], &r))
        return X_DONE;
    page_delete(page_reply(&x->reply, 200), &r, admits_without_token(x, &r, SCOPE_DELETE));
    return X_DONE;
}

enum exchange_step handle_delete_posted(struct exchange *x)
{
    struct record *r = new_record(x);

    if (r == NULL || !profile_record(x, x->parameters[0], r))
        return X_DONE;
    const struct form *form = read_form(x);
    if (form == NULL || !profile_may_change(x, r, SCOPE_DELETE, form_value(form, STR("token"))))
        return X_DONE;
    return exchange_work(x, WORK_ALWAYS, delete_accepted, NULL, r);
}
