#include "core/clean.h"
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

static void put_track(struct buf *out, struct str line, struct str links)
{
    if (links.n == 0) {
        buf_str(out, line);
        return;
    }
    buf_bytes(out, line.p, line.n - 1); /* without its brace */
    buf_z(out, ",\"svg\":\"");
    clean_json(out, links);
    buf_str(out, id_of(line));
    buf_z(out, ".svg\"}");
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

static void put_tracks(struct buf *out, struct str lines, const struct summary_part *part)
{
    size_t first = 0, end = 0, n = 0;
    struct str line;

    if (part->track != NULL)
        find_beside(lines, *part->track, &first, &end);
    for (size_t i = 0; (i < part->tracks || i < end) && next_track(&lines, &line); i++) {
        if (i >= part->tracks && i < first)
            continue;
        buf_z(out, n++ == 0 ? "" : ",");
        put_track(out, line, part->links);
    }
}

void summary_put(struct buf *out, struct str summary, const struct summary_part *part)
{
    struct str head;

    if (!str_split(&summary, '\n', &head) || !str_starts(head, STR("{\"")) || !str_ends(head, STR("}"))) {
        buf_z(out, "{}");
        return;
    }
    buf_bytes(out, head.p, head.n - 1); /* without its brace */
    buf_z(out, ",\"tracks\":[");
    put_tracks(out, summary, part);
    buf_z(out, "]}");
}
