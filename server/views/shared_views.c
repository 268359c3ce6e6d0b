#include "server/views/shared_views.h"

#include <string.h>

#include "core/system/digest.h"
#include "core/system/log.h"

/* A name, a blank, a digest, and the end of the line. */
enum { HEAD_BYTES = 2 * (DIGEST_CHARS + 1) };

/* The words about the whole, as they are told to who asks for nothing else. */
static bool is_words(const struct service *s, const struct view_request *r)
{
    struct view_request plain = {.report = r->report};
    struct buf asked = {0}, asked_plainly = {0};

    if (r->report == NULL || r->report != report_by_name(STR("verdict"), STR("json")))
        return false;
    report_defaults(s->config, &plain.asked);
    report_settle(plain.report, s->config, &plain.asked);
    report_canonical(&r->asked, &asked);
    report_canonical(&plain.asked, &asked_plainly);
    bool equal = !asked.failed && !asked_plainly.failed && str_eq(buf_view(&asked), buf_view(&asked_plainly));
    buf_free(&asked);
    buf_free(&asked_plainly);
    return equal;
}

static bool is_shared(const struct service *s, const struct view_request *r, enum record_shown *which)
{
    if (!s->config->share_views || r->is_light || r->upload.upload[0] == '\0' || r->other.sha256[0] != '\0')
        return false;
    *which = r->output != NULL ? SHOWN_PICTURE : r->report != NULL ? SHOWN_WORDS : SHOWN_PAGE;
    return r->output == &OUTPUT_SVG || (r->output == NULL && r->report == NULL) || is_words(s, r);
}

bool shared_view_is_late(const struct service *s, const struct view_request *r)
{
    enum record_shown which;

    return is_shared(s, r, &which) && which == SHOWN_WORDS;
}

/* The first line. False: no memory. */
static bool make_head(struct str description, struct str bytes, char head[HEAD_BYTES + 1])
{
    digest_hex_of(description.p, description.n, head);
    digest_hex_of(bytes.p, bytes.n, head + DIGEST_CHARS + 1);
    bool ok = head[0] != '\0' && head[DIGEST_CHARS + 1] != '\0';

    head[DIGEST_CHARS] = ' ';
    head[HEAD_BYTES - 1] = '\n';
    head[HEAD_BYTES] = '\0';
    return ok;
}

/* ---- out ---- */

void shared_view_take(const struct service *s, const struct view_request *r, struct str description,
                      struct str bytes, struct shared_view *v)
{
    char head[HEAD_BYTES + 1];

    buf_clear(&v->text);
    if (bytes.n > SHARED_VIEW_BYTES_MAX || !is_shared(s, r, &v->which) ||
        !make_head(description, bytes, head))
        return;
    memcpy(v->id, r->upload.upload, sizeof(v->id));
    buf_z(&v->text, head);
    buf_str(&v->text, bytes);
}

/* The upload may have been deleted meanwhile: either its end finds the object, or this finds the end. */
void shared_view_put(struct service *s, struct shared_view *v)
{
    char key[STORE_KEY_BYTES];

    if (v->text.n > 0 && !v->text.failed) {
        record_shown_key(v->id, v->which, key);
        enum store_result result = store_put(s->store, key, buf_view(&v->text));
        if (result != STORE_OK && result != STORE_EXISTS)
            LOG(s->log, LOG_WARN, "view-not-shared", LOG_STR("key", str_of(key)),
                LOG_STR("why", str_of(store_reason(result))));
        if (result != STORE_EXISTS && record_is_gone(s->store, v->id))
            store_delete(s->store, key);
    }
    buf_free(&v->text);
}

/* ---- in ---- */

/* Takes the head off. False: it is another view, or damaged. */
static bool check(struct str description, struct buf *text)
{
    char head[HEAD_BYTES + 1];

    if (text->n < HEAD_BYTES)
        return false;
    const struct str bytes = {text->p + HEAD_BYTES, text->n - HEAD_BYTES};
    if (!make_head(description, bytes, head) || memcmp(head, text->p, HEAD_BYTES) != 0)
        return false;
    memmove(text->p, bytes.p, bytes.n);
    text->n = bytes.n;
    return true;
}

struct shared_bytes *shared_view_get(struct service *s, const struct view_request *r, struct str description,
                                     struct turn *turn)
{
    char key[STORE_KEY_BYTES];
    enum record_shown which;
    struct buf text = {0};

    if (!is_shared(s, r, &which) || store_has_copy(s->store, r->upload.sha256))
        return NULL;
    record_shown_key(r->upload.upload, which, key);
    turn_give(turn);
    enum store_result result = store_read(s->store, key, HEAD_BYTES + SHARED_VIEW_BYTES_MAX, &text);
    turn_take(turn);
    struct shared_bytes *bytes =
        result == STORE_OK && check(description, &text) ? shared_bytes_new(&text) : NULL;
    buf_free(&text);
    return bytes;
}
