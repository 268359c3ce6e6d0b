/* A trace in pieces. Each piece is told to a builder of its own, which does not know what is open where it begins: an exit
 * of what was entered before is an exit on an empty stack there, and re-roots (builder.h). So the piece's track has a
 * chain of frames from its first root up to its last one: what it left without having entered it. builder_join looks
 * whether these are what the pieces before have open. If so, they are the same calls, and all else of the piece's tree is
 * found or made below them; frames of the chain beyond what was open are re-roots of the whole.
 *
 * A piece is joined only where this gives exactly what one reading gives. These depend on what came before the piece, or
 * on more than a track's stack and its last times, and keep it apart:
 *   - an exit that left another frame than the one on top, and was not found in the piece
 *   - times that go back from one piece to the next, or wrap, or could
 *   - methods that were redefined
 *   - with a log of calls, methods that are not listed, whose frames have other numbers in the piece. */
#include "profile/build/builder_impl.h"
#include "profile/log/call_log.h"

/* No reading of a 32-bit clock up to here is nearer to a wrap than to the start. */
static const uint64_t CLOCK_SAFE = UINT64_C(1) << 31;

bool builder_has_pieces(const struct builder *b)
{
    return b->earlier.count == 0 && b->layout.n_times > 0 && b->layout.n_times <= EVENT_CLOCKS_MAX &&
           fold_sample_values(b) == 0;
}

struct builder *builder_piece(const struct builder *of, struct arena *arena)
{
    struct builder *b = builder_new(arena, of->seed);

    if (b == NULL)
        return NULL;
    b->layout = of->layout;
    b->stride = of->stride;
    b->ns_per_tick = of->ns_per_tick;
    b->wraps = of->wraps;
    for (uint32_t v = 0; v < of->layout.n_columns; v++)
        b->columns[v] = of->columns[v];
    if (of->log != NULL) {
        b->log = call_log_piece(of->log, arena);
        return b->log != NULL ? b : NULL;
    }
    return b;
}

/* ---- whether a piece fits ---- */

static frame_id joined_frame(const struct builder_joint *j, frame_id frame)
{
    return frame < j->n_shared || frame == FRAME_NONE ? frame : j->frames[frame - j->n_shared];
}

static bool times_fit(const struct builder *b, const struct fold_track *t, const struct fold_track *of_piece)
{
    for (uint32_t c = 0; c < b->layout.n_times; c++)
        if (t->use != FOLD_UNUSED && of_piece->first[c] < t->last[c])
            return false;
    return of_piece->last[0] <= CLOCK_SAFE;
}

/* What the piece left without having entered it, against what is open. *beyond: the frames of it that are not. */
static bool stacks_fit(const struct builder *b, const struct fold_track *t, const struct builder *piece,
                       const struct fold_track *of_piece, const struct builder_joint *j, uint64_t *beyond)
{
    node_id left = of_piece->held, open = t->current;

    while (left != of_piece->root && open != t->root) {
        const struct fold_node *l = fold_node_at(piece, left), *o = fold_node_at(b, open);
        if (joined_frame(j, l->frame) != o->frame)
            return false;
        left = l->parent;
        open = o->parent;
    }
    for (; left != of_piece->root; left = fold_node_at(piece, left)->parent)
        ++*beyond;
    return true;
}

static bool fits(struct builder *b, const struct builder *piece, const struct builder_joint *j)
{
    uint64_t beyond = 0, re_rooted = piece->warnings[WARN_RE_ROOTED].count;

    if (piece->warnings[WARN_IGNORED_EXIT].count > 0 || piece->warnings[WARN_CLOCK_WRAP].count > 0 ||
        b->warnings[WARN_CLOCK_WRAP].count > 0 || fold_latest_time(b) > CLOCK_SAFE)
        return false;
    for (size_t i = 0; i < piece->n_tracks; i++) {
        const struct fold_track *of_piece = &piece->tracks[i], *t = &b->tracks[j->tracks[i]];
        if (of_piece->root != NODE_NONE &&
            (t->indexed || !times_fit(b, t, of_piece) || !stacks_fit(b, t, piece, of_piece, j, &beyond)))
            return false;
    }
    /* Of the piece's re-roots only the first offset is known, which may be that of one that is none. */
    return beyond == 0 || beyond == re_rooted || b->warnings[WARN_RE_ROOTED].count > 0;
}

static bool log_fits(const struct builder *b, const struct builder *piece, const struct builder_joint *j)
{
    if (b->log == NULL)
        return true;
    for (size_t i = 0; i < j->n_frames; i++)
        if (j->frames[i] != j->n_shared + i)
            return false;
    return !call_log_failed(piece->log) && call_log_fits(b->log, piece->log, j->tracks);
}

/* ---- joining ---- */

static void add_columns(const struct builder *b, node_id to, const struct builder *piece, node_id from,
                        uint32_t n)
{
    uint64_t *sums = fold_node_at(b, to)->columns;
    const uint64_t *columns = fold_node_at(piece, from)->columns;

    for (uint32_t v = 0; v < n; v++)
        sums[v] += columns[v];
}

/* The time from the last record before the piece to its first one. */
static void join_times(const struct builder *b, struct fold_track *t, const struct fold_track *of_piece)
{
    for (uint32_t c = 0; c < b->layout.n_times; c++) {
        if (t->use == FOLD_UNUSED)
            t->first[c] = of_piece->first[c];
        else
            fold_node_at(b, t->current)->columns[c] += of_piece->first[c] - t->last[c];
        t->last[c] = of_piece->last[c];
    }
    t->use = FOLD_EVENTS;
    t->records += of_piece->records;
}

/* The chain from the piece's first root up to its last one, which is where `places` says then. A frame of the chain was
 * entered before the piece: the call that the re-root counted is no new one. */
static bool join_chain(struct builder *b, uint32_t track, const struct builder *piece,
                       const struct fold_track *of_piece, const struct builder_joint *j, node_id *places)
{
    const uint32_t calls = b->layout.calls;
    node_id at = b->tracks[track].current;

    for (node_id left = of_piece->held;; left = fold_node_at(piece, left)->parent) {
        const struct fold_node *node = fold_node_at(piece, left);
        places[left] = at;
        add_columns(b, at, piece, left, b->layout.n_times);
        if (left == of_piece->root)
            return true;
        if (at == b->tracks[track].root) {
            b->tracks[track].current = at;
            if (!fold_re_root(b, track, joined_frame(j, node->frame), piece->warnings[WARN_RE_ROOTED].offset))
                return false;
        }
        fold_node_at(b, at)->columns[calls] += node->columns[calls] - 1;
        at = fold_node_at(b, at)->parent;
    }
}

static bool join_tracks(struct builder *b, const struct builder *piece, const struct builder_joint *j,
                        node_id *places)
{
    for (size_t i = 0; i < piece->n_tracks; i++) {
        const struct fold_track *of_piece = &piece->tracks[i];
        struct fold_track *t = &b->tracks[j->tracks[i]];
        if (of_piece->root == NODE_NONE)
            continue;
        if (fold_root(b, t) == NODE_NONE)
            return false;
        join_times(b, t, of_piece);
        if (!join_chain(b, j->tracks[i], piece, of_piece, j, places))
            return false;
    }
    return true;
}

/* All other nodes: a node has a smaller id than its children, but for the roots, which have their places already. So
 * children come into `b` in the order of their first calls. */
static bool join_nodes(struct builder *b, const struct builder *piece, const struct builder_joint *j,
                       node_id *places)
{
    for (node_id id = 0; id < piece->n_nodes; id++) {
        const struct fold_node *node = fold_node_at(piece, id);
        if (places[id] != NODE_NONE)
            continue;
        places[id] = builder_goes_on(b, 1) ? fold_child(b, places[node->parent], joined_frame(j, node->frame))
                                           : NODE_NONE;
        if (places[id] == NODE_NONE)
            return false;
        add_columns(b, places[id], piece, id, b->layout.n_columns);
    }
    return true;
}

static void join_warnings(struct builder *b, const struct builder *piece)
{
    for (unsigned i = 0; i < WARNING_CODES; i++)
        if (i != WARN_RE_ROOTED) /* join_chain has told those that are some */
            builder_warn(b, (enum warning_code)i, piece->warnings[i].count, piece->warnings[i].offset);
}

/* Before the tracks join, which are not begun yet. */
static void join_log(struct builder *b, const struct builder *piece, const struct builder_joint *j)
{
    for (size_t i = 0; i < piece->n_tracks; i++)
        if (piece->tracks[i].root != NODE_NONE && b->tracks[j->tracks[i]].use == FOLD_UNUSED)
            fold_log_begin(b, j->tracks[i], piece->tracks[i].first);
    call_log_join(b->log, piece->log, j->tracks);
}

static bool join_all(struct builder *b, const struct builder *piece, const struct builder_joint *j,
                     node_id *places)
{
    struct call_log_writer *log = b->log;

    if (log != NULL)
        join_log(b, piece, j);
    b->log = NULL; /* It has all of it. */
    bool ok = join_tracks(b, piece, j, places) && join_nodes(b, piece, j, places);
    b->log = log;
    return ok;
}

enum builder_joined builder_join(struct builder *b, struct builder *piece, const struct builder_joint *j)
{
    node_id *places = arena_lend(piece->arena, piece->n_nodes, sizeof(*places));

    if (places == NULL || !fits(b, piece, j) || !log_fits(b, piece, j))
        return BUILDER_APART;
    for (size_t i = 0; i < piece->n_nodes; i++)
        places[i] = NODE_NONE;
    if (!join_all(b, piece, j, places))
        return BUILDER_NO_MEMORY;
    for (size_t i = 0; i < piece->n_tracks; i++) {
        const struct fold_track *of_piece = &piece->tracks[i];
        struct fold_track *t = &b->tracks[j->tracks[i]];
        if (of_piece->root == NODE_NONE)
            continue;
        t->current = places[of_piece->current];
        b->latest = t->last[0] > b->latest ? t->last[0] : b->latest;
    }
    b->n_events += piece->n_events;
    join_warnings(b, piece);
    return BUILDER_JOINED;
}
