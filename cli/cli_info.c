/* aflamed info: what a profile holds, as a table for people or as JSON. */
#include <stdlib.h>

#include "cli/cli_one.h"
#include "core/clean.h"
#include "core/number.h"
#include "profile/symbols/symbols.h"
#include "render/names/names.h"
#include "render/table/text_line.h"
#include "server/convert/summary.h"

enum { DIGITS = 4, CELL_BYTES = 96, FACT_CELLS = 29, UNNAMED_MOST = 20 };

struct options {
    struct cli_one one;
    bool json;
};

/* ---- JSON: the summary, with the file in front ---- */

static bool put_json(struct buf *b, const char *file, const struct shared_profile *folded, struct diag *diag)
{
    const struct summary_part all = {.tracks = SIZE_MAX};
    struct buf summary = {0};
    struct json j = json_into(b);
    bool ok = summary_write(folded, &summary, diag);

    if (ok) {
        json_open_object(&j, NULL);
        json_put_string(&j, "file", str_of(file));
        summary_put_members(&j, buf_view(&summary), &all);
        json_close(&j);
        buf_char(b, '\n');
    }
    buf_free(&summary);
    return ok;
}

/* ---- for people ---- */

static void put_fact(struct buf *b, struct str name, struct str value)
{
    clean_text(b, name);
    for (size_t cells = fit_cells(name); cells < FACT_CELLS; cells++)
        buf_char(b, ' ');
    buf_z(b, "  ");
    clean_text(b, value);
    buf_char(b, '\n');
}

static void put_known(struct buf *b, const struct fact *fact, struct str name, struct str value)
{
    enum fact_kind kind = fact != NULL ? fact->kind : FACT_TEXT;
    struct buf text = {0};

    if (fact_is_void(kind, value))
        return;
    fact_text(&text, kind, value);
    put_fact(b, fact != NULL ? str_of(fact->label) : name, buf_view(&text));
    buf_part_end(b, &text);
}

/* In the order of their table; what is not in it, behind. */
static void put_recorded(struct buf *b, const struct profile *p)
{
    for (size_t i = 0; i < FACTS_COUNT; i++) {
        struct str name = str_of(FACTS[i].name), value = profile_fact(p, name);
        if (value.n > 0)
            put_known(b, &FACTS[i], name, value);
    }
    for (uint32_t i = 0; i < p->n_facts; i++)
        if (fact_by_name(p->facts[i].name) == NULL)
            put_known(b, NULL, p->facts[i].name, p->facts[i].value);
}

/* "endpoint (3 values), tid (12 values)" */
static void put_labels(struct buf *b, const struct profile *p)
{
    struct buf labels = {0};

    for (uint32_t i = 0; i < p->n_labels; i++) {
        const struct profile_label *l = &p->labels[i];
        buf_z(&labels, i == 0 ? "" : ", ");
        buf_str(&labels, l->key);
        if (l->values > 0)
            buf_printf(&labels, " (%s%u value%s)", l->values == PROFILE_LABEL_VALUES_MAX ? "at least " : "",
                       l->values, l->values == 1 ? "" : "s");
    }
    if (labels.n > 0)
        put_fact(b, STR("Labels"), buf_view(&labels));
    buf_part_end(b, &labels);
}

static void put_screen(struct buf *b, const struct profile *p)
{
    struct buf text = {0};

    if (p->n_screen_frames == 0)
        return;
    buf_u64_grouped(&text, p->n_screen_frames);
    buf_z(&text, ", ");
    buf_u64_grouped(&text, profile_late_frames(p));
    buf_z(&text, " of them late");
    put_fact(b, STR("Frames on the screen"), buf_view(&text));
    buf_part_end(b, &text);
}

static void put_facts(struct buf *b, const char *file, const struct shared_profile *folded)
{
    const struct profile *p = shared_profile_get(folded);
    struct buf values = {0}, own = {0};

    for (uint32_t i = 0; i < p->n_values; i++) {
        buf_z(&values, i == 0 ? "" : ", ");
        buf_str(&values, p->values[i].name);
    }
    put_fact(b, STR("File"), str_of(file));
    put_fact(b, STR("Format"), p->format_label);
    put_recorded(b, p);
    put_fact(b, STR("Values"), buf_view(&values));
    own_code_put(shared_profile_own(folded), &own);
    if (own.n > 0)
        put_fact(b, STR("Own code"), buf_view(&own));
    put_screen(b, p);
    put_labels(b, p);
    buf_part_end(b, &values);
    buf_part_end(b, &own);
}

static void put_warnings(struct buf *b, const struct profile *p)
{
    if (p->n_warnings > 0)
        buf_z(b, "\nWarnings\n");
    for (uint32_t i = 0; i < p->n_warnings; i++) {
        buf_z(b, "  ");
        clean_text(b, p->warnings[i].text);
        if (p->warnings[i].has_offset) {
            buf_z(b, " (first at byte ");
            buf_u64(b, p->warnings[i].offset);
            buf_char(b, ')');
        }
        buf_char(b, '\n');
    }
}

static void put_unnamed(struct buf *b, const struct profile *p, const struct unnamed *list)
{
    static const char *const STATES[SYMBOLS_STATES] = {
        [SYMBOLS_MISSING] = "no symbols",
        [SYMBOLS_OTHER] = "symbols of another build",
        [SYMBOLS_FOUND] = "addresses that its symbols do not know",
        [SYMBOLS_BY_NAME] = "addresses that its symbols do not know"};

    if (list->n > 0)
        buf_z(b, "\nLibraries without names (share of the profile, build id)\n");
    for (uint32_t i = 0; i < list->n && i < UNNAMED_MOST; i++) {
        const struct unnamed_module *m = &list->modules[i];
        buf_z(b, "  ");
        buf_fixed(b, unnamed_permille(list, m), 1);
        buf_z(b, " %  ");
        clean_text(b, m->module != STRING_EMPTY ? profile_string(p, m->module) : STR("(no library)"));
        buf_z(b, "  ");
        clean_text(b, m->build_id != STRING_EMPTY ? profile_string(p, m->build_id) : STR("(not recorded)"));
        buf_printf(b, "  %s\n", STATES[m->state]);
    }
}

/* The heaviest libraries whose frames have no names. */
static void put_libraries(struct buf *b, const struct config *config, const struct profile *p)
{
    struct arena scratch;
    struct unnamed list;

    arena_init(&scratch, (size_t)config->job_memory_bytes);
    if (unnamed_list(p, &scratch, &list))
        put_unnamed(b, p, &list);
    else
        b->failed = true;
    arena_free(&scratch);
}

/* ---- tables: numbers in columns, and behind them the name, which may be long ---- */

static void add_cell(struct text_line *l, struct str text)
{
    clean_text(&l->text, clean_cut(text, CELL_BYTES));
    text_line_end_cell(l);
}

static void add_number(struct text_line *l, enum unit unit, uint64_t value)
{
    buf_value(&l->text, unit, value, DIGITS);
    text_line_end_cell(l);
}

static void put_row(struct buf *b, const struct text_line *l, struct str name)
{
    text_line_put(l, b);
    clean_text(b, name);
    buf_char(b, '\n');
}

/* A signed value has a column for what it went down. */
static void heading(struct text_line *l, const struct profile *p)
{
    text_line_begin(l);
    text_line_add(l, "id");
    for (uint32_t i = 0; i < p->n_values; i++)
        if (p->values[i].role != ROLE_CALLS)
            add_cell(l, p->values[i].label);
    for (uint32_t i = 0; i < p->n_values; i++)
        if (p->minus[i] > 0) {
            clean_text(&l->text, clean_cut(p->values[i].label, CELL_BYTES));
            text_line_add(l, " less");
        }
    text_line_add(l, "calls");
    text_line_add(l, "stacks");
}

/* Nothing of a value that only tracks of another kind have. */
static void add_total(struct text_line *l, const struct profile *p, const struct profile_track *track,
                      uint32_t value)
{
    if (!track_has(track, value))
        text_line_add(l, "-");
    else if (value == p->n_values || p->values[value].role == ROLE_CALLS)
        add_number(l, UNIT_COUNT, track->calls);
    else
        add_number(l, p->values[value].unit, profile_total(p, track->first, value));
}

static void track_cells(struct text_line *l, const struct profile *p, const struct profile_track *track)
{
    text_line_begin(l);
    buf_u64(&l->text, track->id);
    text_line_end_cell(l);
    for (uint32_t i = 0; i < p->n_values; i++)
        if (p->values[i].role != ROLE_CALLS)
            add_total(l, p, track, i);
    for (uint32_t i = 0; i < p->n_values; i++)
        if (p->minus[i] > 0)
            add_number(l, p->values[i].unit, profile_minus_total(p, track->first, i));
    add_total(l, p, track, profile_value_by_role(p, ROLE_CALLS));
    add_number(l, UNIT_COUNT, track->count);
}

static bool put_tracks(struct buf *b, const struct profile *p, struct diag *diag)
{
    uint32_t *order = calloc(p->n_tracks + 1u, sizeof(*order));
    struct text_line line = {0};

    if (order == NULL)
        return diag_set(diag, DIAG_NO_MEMORY, "out of memory", "", "No memory is left to sort the tracks.");
    profile_tracks_by_weight(p, order);
    for (uint32_t i = 0; i < p->n_tracks; i++) {
        track_cells(&line, p, &p->tracks[i]);
        text_line_widen(&line);
    }
    heading(&line, p);
    text_line_widen(&line);
    buf_z(b, "\nTracks, busiest first\n");
    put_row(b, &line, STR("name"));
    for (uint32_t i = 0; i < p->n_tracks; i++) {
        const struct profile_track *track = &p->tracks[order[i]];
        track_cells(&line, p, track);
        put_row(b, &line, profile_string(p, track->name));
    }
    text_line_free(&line);
    free(order);
    return true;
}

/* Its unit is the file's own word. */
static void add_value(struct text_line *l, const struct profile *p, const struct profile_counter *counter,
                      int64_t value)
{
    struct buf b = {0};

    profile_counter_value(p, counter, value, &b);
    add_cell(l, buf_view(&b));
    buf_part_end(&l->text, &b);
}

static void counter_cells(struct text_line *l, const struct profile *p, const struct profile_counter *counter)
{
    text_line_begin(l);
    add_value(l, p, counter, counter->least);
    add_value(l, p, counter, counter->most);
    add_number(l, UNIT_COUNT, counter->n);
}

static void put_counters(struct buf *b, const struct profile *p)
{
    struct text_line line = {0};

    if (p->n_counters == 0)
        return;
    for (uint32_t i = 0; i < p->n_counters; i++) {
        counter_cells(&line, p, &p->counters[i]);
        text_line_widen(&line);
    }
    text_line_begin(&line);
    text_line_add(&line, "least");
    text_line_add(&line, "most");
    text_line_add(&line, "readings");
    text_line_widen(&line);
    buf_z(b, "\nCounters\n");
    put_row(b, &line, STR("name"));
    for (uint32_t i = 0; i < p->n_counters; i++) {
        const struct profile_counter *counter = &p->counters[i];
        struct str group = profile_string(p, counter->group);
        struct buf name = {0};
        buf_str(&name, profile_string(p, counter->name));
        buf_z(&name, group.n > 0 ? " of " : "");
        buf_str(&name, group);
        counter_cells(&line, p, counter);
        put_row(b, &line, buf_view(&name));
        buf_free(&name);
    }
    text_line_free(&line);
}

static bool put_table(struct buf *b, const struct config *config, const char *file,
                      const struct shared_profile *folded, struct diag *diag)
{
    const struct profile *p = shared_profile_get(folded);

    put_facts(b, file, folded);
    put_warnings(b, p);
    put_libraries(b, config, p);
    if (!put_tracks(b, p, diag))
        return false;
    put_counters(b, p);
    return true;
}

static bool make(const struct cli_one *one, struct convert_source *source, const char *path, struct buf *b,
                 struct diag *diag)
{
    const struct options *o = (const struct options *)one;

    (void)path;
    return o->json ? put_json(b, one->file, source->profile, diag)
                   : put_table(b, source->config, one->file, source->profile, diag);
}

/* Warnings are a part of the answer. */
static int info(int n_arguments, char *const *arguments)
{
    const struct cli_one_maker maker = {.command = &CLI_INFO, .make = make};
    struct options o = {.one = {.quiet = true}};

    return cli_one_run(&maker, &o.one, n_arguments, arguments);
}

static const struct cli_option OPTIONS[] = {
    {"--json", NULL, CLI_SWITCH, offsetof(struct options, json), NULL, "for programs", NULL},
    CLI_ONE_MEMBER,
    CLI_ONE_NAMES,
};

const struct cli_command CLI_INFO = {
    .name = "info",
    .synopsis = "[OPTION...] FILE",
    .summary = "say what a profile holds: format, facts, warnings, tracks",
    .description = "Says what a profile holds: format, facts, warnings, tracks. - is standard input.\n"
                   "Of a trace in two files, name both: x.key x.data, or x.trace x.trace.sec.\n"
                   "A packed file (gzip, zstd, zip) is unpacked.\n",
    .options = OPTIONS,
    .n_options = sizeof(OPTIONS) / sizeof(OPTIONS[0]),
    .keys = KEYS_PROFILE,
    .run = info,
};
