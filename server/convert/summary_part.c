#include "server/convert/summary.h"

/* Every line of a track begins with this and its id, and ends with a brace. It comes out of a store. */
static const struct str ID = STR_INIT("{\"id\":");

static bool next_track(struct str *lines, struct str *line)
{
    while (str_split(lines, '\n', line))
        if (str_starts(*line, ID) && str_ends(*line, STR("}")))
            return true;
    return false;
}

static struct str id_of(struct str line)
{
    struct str id = {line.p + ID.n, line.n - ID.n};

    return (struct str){id.p, str_find(id, ',')};
}

/* What stands between the braces of an object. */
static struct str members_of(struct str object)
{
    return (struct str){object.p + 1, object.n - 2};
}

static void put_track(struct json *j, struct str line, const struct summary_part *part)
{
    struct str id = id_of(line);
    struct buf link = {0};

    if (part->links.n == 0) {
        json_put_raw(j, NULL, line);
        return;
    }
    buf_str(&link, part->links);
    buf_str(&link, id);
    buf_z(&link, ".svg");
    buf_str(&link, part->query);
    json_open_object(j, NULL);
    json_put_raw(j, NULL, members_of(line));
    json_put_string(j, "svg", buf_view(&link));
    json_close(j);
    buf_part_end(j->b, &link);
}

/* The tracks [*first, *end) are the one with this id and those beside it; none if it is not there. */
static void find_beside(struct str lines, uint32_t track, size_t *first, size_t *end)
{
    uint64_t id;
    struct str line;

    *first = *end = 0;
    for (size_t i = 0; next_track(&lines, &line); i++) {
        if (!str_to_u64(id_of(line), 10, &id) || id != track)
            continue;
        *first = i > 0 ? i - 1 : 0;
        *end = i + 2;
        return;
    }
}

static void put_tracks(struct json *j, struct str lines, const struct summary_part *part)
{
    size_t first = 0, end = 0;
    struct str line;

    if (part->track != NULL)
        find_beside(lines, *part->track, &first, &end);
    json_open_array(j, "tracks");
    for (size_t i = 0; (i < part->tracks || i < end) && next_track(&lines, &line); i++)
        if (i < part->tracks || i >= first)
            put_track(j, line, part);
    json_close(j);
}

/* What stands behind the array that *at begins with. A bracket within a text of it is none. */
static struct str behind_array(struct str at)
{
    bool quoted = false;
    size_t i = 0;

    for (; i < at.n && (quoted || at.p[i] != ']'); i++) {
        if (quoted && at.p[i] == '\\')
            i++;
        else if (at.p[i] == '"')
            quoted = !quoted;
    }
    return i < at.n ? (struct str){at.p + i + 1, at.n - i - 1} : STR("");
}

/* The members with another "app". A quote within a text is escaped, so that the key is found only where it is one. */
static void put_with_app(struct json *j, struct str members, struct str app)
{
    static const struct str KEY = STR_INIT(",\"app\":[");
    size_t at = str_find_str(members, KEY);
    struct str field;

    json_put_raw(j, NULL, (struct str){members.p, at});
    if (at == members.n)
        return;
    json_open_array(j, "app");
    while (str_split(&app, ',', &field))
        json_put_string(j, NULL, field);
    json_close(j);
    struct str rest = behind_array((struct str){members.p + at + KEY.n, members.n - at - KEY.n});
    if (rest.n > 1)
        json_put_raw(j, NULL, (struct str){rest.p + 1, rest.n - 1});
}

void summary_put_members(struct json *j, struct str summary, const struct summary_part *part)
{
    struct str head;

    if (!str_split(&summary, '\n', &head) || !str_starts(head, STR("{\"")) || !str_ends(head, STR("}")))
        return;
    if (part->app.n > 0)
        put_with_app(j, members_of(head), part->app);
    else
        json_put_raw(j, NULL, members_of(head));
    put_tracks(j, summary, part);
}

void summary_put(struct buf *out, struct str summary, const struct summary_part *part)
{
    struct json j = json_into(out);

    json_open_object(&j, NULL);
    summary_put_members(&j, summary, part);
    json_close(&j);
}
