#include "cli/cli_tracks.h"

#include "core/clean.h"
#include "profile/compare/compare.h"

enum {
    LISTED = 8,       /* tracks named in an error */
    QUOTED_BYTES = 60 /* of a wrong name, in an error */
};

static bool no_memory(struct diag *diag)
{
    return diag_no_memory(diag, "No memory is left to look for tracks by their names.");
}

static bool is_id(struct str s)
{
    uint64_t id;

    return str_to_u64(s, 10, &id);
}

/* ---- errors ---- */

struct list {
    struct buf b;
    uint32_t n;
};

static void list_track(struct list *list, const struct profile *p, const struct profile_track *track,
                       bool named)
{
    if (list->n++ >= LISTED)
        return;
    buf_z(&list->b, list->n == 1 ? "" : ", ");
    buf_u64(&list->b, track->id);
    if (named) {
        buf_char(&list->b, ' ');
        clean_text(&list->b, clean_cut(profile_string(p, track->name), QUOTED_BYTES));
    }
}

static void end_list(struct list *list)
{
    if (list->n > LISTED)
        buf_printf(&list->b, " and %u more", list->n - LISTED);
}

static bool refuse_unknown(struct str name, const struct profile *p, struct diag *diag)
{
    struct list all = {.n = 0};
    struct buf shown = {0};

    clean_text(&shown, clean_cut(name, QUOTED_BYTES));
    for (uint32_t i = 0; i < p->n_tracks; i++)
        list_track(&all, p, &p->tracks[i], true);
    end_list(&all);
    diag_set(diag, DIAG_NOT_FOUND, "no such track",
             "Name one of its tracks by id or name, or all, or merged.",
             "track=%.*s: the profile has no track of this name. It has %.*s.", (int)shown.n,
             shown.n > 0 ? shown.p : "", (int)all.b.n, all.b.n > 0 ? all.b.p : "none");
    buf_free(&all.b);
    buf_free(&shown);
    return false;
}

static bool refuse_several(struct str cleaned, struct list *found, struct diag *diag)
{
    struct str cut = clean_cut(cleaned, QUOTED_BYTES);

    end_list(found);
    return diag_set(diag, DIAG_USAGE, "several tracks of one name", "Name them by their ids.",
                    "track=%.*s: %u tracks have this name: %.*s.", (int)cut.n, cut.p, found->n,
                    (int)found->b.n, found->b.n > 0 ? found->b.p : "");
}

/* ---- names ---- */

/* A heap is also called PROCESS/HEAP: a process may have several. */
static bool has_name(const struct profile *p, const struct profile_track *track, struct str cleaned,
                     struct buf *shown)
{
    buf_clear(shown);
    clean_text(shown, profile_string(p, track->name));
    if (str_eq(buf_view(shown), cleaned) || track->part == STRING_EMPTY)
        return str_eq(buf_view(shown), cleaned);
    buf_char(shown, '/');
    clean_text(shown, profile_string(p, track->part));
    return str_eq(buf_view(shown), cleaned);
}

/* Of a comparison: the tracks that have a member of this name, each once. */
static void find_members(const struct profile *p, struct str cleaned, struct buf *shown, struct list *list,
                         uint32_t *id)
{
    for (uint32_t i = 0; i < p->compared->n_members; i++) {
        const struct compare_member *m = &p->compared->members[i];
        buf_clear(shown);
        clean_text(shown, profile_string(p, m->name));
        if (!str_eq(buf_view(shown), cleaned) || (list->n > 0 && *id == m->track))
            continue;
        *id = m->track;
        list_track(list, p, profile_track_by_id(p, m->track), false);
    }
}

/* Appends the id of the only track that is called so to `ids`. *found: how many are. False: diag, for several. */
static bool put_id(struct buf *ids, uint32_t *found, const struct profile *p, struct str name,
                   struct diag *diag)
{
    struct buf cleaned = {0}, shown = {0};
    struct list list = {.n = 0};
    uint32_t id = 0;

    clean_text(&cleaned, name);
    for (uint32_t i = 0; i < p->n_tracks; i++)
        if (has_name(p, &p->tracks[i], buf_view(&cleaned), &shown)) {
            id = p->tracks[i].id;
            list_track(&list, p, &p->tracks[i], false);
        }
    if (list.n == 0 && p->compared != NULL)
        find_members(p, buf_view(&cleaned), &shown, &list, &id);
    *found = list.n;
    if (list.n == 1)
        buf_u64(ids, id);
    bool failed = cleaned.failed || shown.failed || list.b.failed;
    bool ok = !failed ? list.n <= 1 || refuse_several(buf_view(&cleaned), &list, diag) : no_memory(diag);
    buf_free(&cleaned);
    buf_free(&shown);
    buf_free(&list.b);
    return ok;
}

/* The items between commas, as ids. */
static bool put_ids(struct buf *ids, const struct profile *p, struct str written, struct diag *diag)
{
    struct str rest = written, item;
    uint32_t found;

    while (str_split(&rest, ',', &item)) {
        buf_z(ids, ids->n == 0 ? "" : ",");
        if (is_id(item))
            buf_str(ids, item);
        else if (!put_id(ids, &found, p, item, diag))
            return false;
        else if (found == 0)
            return refuse_unknown(item, p, diag);
    }
    return true;
}

bool cli_tracks(struct view_options *view, const struct profile *p, const char *written, struct diag *diag)
{
    struct str text = str_of(written);
    struct buf ids = {0};
    uint32_t found = 0;

    if (text.n == 0 || is_id(text) || str_eq(text, STR("all")) || str_eq(text, STR("merged")))
        return view_set_tracks(view, text, diag);
    bool ok = put_id(&ids, &found, p, text, diag) && (found > 0 || put_ids(&ids, p, text, diag)) &&
              (!ids.failed || no_memory(diag)) && view_set_tracks(view, buf_view(&ids), diag);
    buf_free(&ids);
    return ok;
}
