#include "render/calls/call_format.h"

#include <string.h>

#include "core/clean.h"
#include "core/json.h"
#include "core/number.h"
#include "core/put.h"
#include "profile/rename/rename.h"
#include "profile/track.h"
#include "render/names/names.h"

enum { NS_PER_US = 1000, DIGITS = 6, TIME_CELLS = 12, THREAD_CELLS = 8 };

/* Six numbers, and less than 64 bytes of names. */
enum { JSON_NUMBERS_BYTES_MAX = 6 * NUMBER_BYTES_MAX + 64 };

static const char *const NAMES[] = {"thread", "start", "end",    "cpu",      "self",
                                    "depth",  "class", "method", "signature"};
enum { COLUMNS = sizeof(NAMES) / sizeof(NAMES[0]) };

static uint32_t thread_of(const struct call_writer *w, const struct call_row *row)
{
    return w->profile->tracks[row->track].id;
}

/* ---- what the file says of one call ---- */

/* Calls `put` for each note of the row's call; of several with one name the first counts. */
static void each_note(const struct call_writer *w, const struct call_row *row,
                      void (*put)(void *context, struct str name, struct str value), void *context)
{
    const struct profile *p = w->profile;
    uint32_t n;
    const struct profile_note *notes = profile_notes(p, thread_of(w, row), row->begin_ns, &n);

    for (uint32_t i = 0; i < n; i++) {
        bool known = rename_became(p, row->track, notes[i].frame) != row->frame;
        for (uint32_t k = 0; k < i; k++)
            known = known || (notes[k].name == notes[i].name && notes[k].frame == notes[i].frame);
        if (!known)
            put(context, profile_string(p, notes[i].name), profile_string(p, notes[i].value));
    }
}

/* ---- for programs ---- */

static void begin_lines(const struct cell_style *style, struct buf *out)
{
    for (unsigned i = 0; i < COLUMNS; i++) {
        if (i > 0)
            buf_char(out, style->separator);
        buf_z(out, NAMES[i]);
    }
    buf_char(out, '\n');
}

const struct call_text *call_writer_keep(struct call_writer *w, frame_id frame, struct buf *text,
                                         size_t before)
{
    struct call_text *kept = text->failed ? NULL : arena_alloc(w->arena, sizeof(*kept) + text->n);

    if (kept != NULL) {
        kept->before = before;
        kept->behind = text->n - before;
        memcpy(kept->p, text->p, text->n);
    }
    buf_free(text);
    return w->texts[frame] = kept;
}

/* The cells that all calls of a frame have in common, with the end of the line. NULL: no memory. */
static const struct call_text *make_tail(struct call_writer *w, const struct cell_style *style,
                                         frame_id frame)
{
    const struct profile *p = w->profile;
    const struct profile_frame *f = &p->frames[frame];
    const string_id names[] = {f->scope, f->name, f->signature};
    struct buf cells = {0};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        buf_char(&cells, style->separator);
        style->put(&cells, profile_string(p, names[i]), &w->scratch);
    }
    buf_char(&cells, '\n');
    return call_writer_keep(w, frame, &cells, 0);
}

/* Made once: there are thousands of frames, and millions of calls. To look at the frame itself would take memory in that
 * the processor has not at hand. */
static const struct call_text *tail_of(struct call_writer *w, const struct cell_style *style, frame_id frame)
{
    const struct call_text *tail = w->texts[frame];

    return tail != NULL ? tail : make_tail(w, style, frame);
}

/* The first cell: many calls one behind the other are of one thread. */
static char *put_thread(struct call_writer *w, char *to, const struct call_row *row)
{
    if (!w->of_track.made || w->of_track.track != row->track) {
        char *end = number_u64(w->of_track.text, thread_of(w, row));
        w->of_track.made = true;
        w->of_track.track = row->track;
        w->of_track.n = (size_t)(end - w->of_track.text);
    }
    return call_writer_put_track(w, to);
}

static void put_line(struct call_writer *w, const struct cell_style *style, const struct call_row *row,
                     struct buf *out)
{
    const struct call_text *tail = tail_of(w, style, row->frame);

    if (tail == NULL || !buf_reserve(out, COLUMNS * NUMBER_BYTES_MAX + tail->behind)) {
        out->failed = true;
        return;
    }
    char *to = put_thread(w, out->p + out->n, row);
    *to++ = style->separator;
    to = number_u64_next(&w->times, to, row->begin_ns / NS_PER_US);
    *to++ = style->separator;
    to = number_u64_next(&w->ends, to, row->end_ns / NS_PER_US);
    *to++ = style->separator;
    if (w->has_cpu)
        to = number_u64(to, row->cpu_ns / NS_PER_US);
    *to++ = style->separator;
    to = number_u64(to, row->self_ns / NS_PER_US);
    *to++ = style->separator;
    to = number_u64(to, row->depth);
    out->n = (size_t)(put_bytes(to, tail->p, tail->behind) - out->p);
}

static void begin_tsv(struct call_writer *w, struct buf *out)
{
    (void)w;
    begin_lines(&CELL_TSV, out);
}

static void row_tsv(struct call_writer *w, const struct call_row *row, struct buf *out)
{
    put_line(w, &CELL_TSV, row, out);
}

static void begin_csv(struct call_writer *w, struct buf *out)
{
    (void)w;
    begin_lines(&CELL_CSV, out);
}

static void row_csv(struct call_writer *w, const struct call_row *row, struct buf *out)
{
    put_line(w, &CELL_CSV, row, out);
}

/* {"unit": "us", "calls": [
 *  {"thread": 1, "start": 5, "end": 9, "cpu": 3, "self": 4, "depth": 1, "class": "a.B", "method": "c", "signature": "()V"}, ..
 * ]}: an object in each line, without the blanks. Of a call of which the file says more also "annotations": {"name": "value", ..}. */
static void begin_json(struct call_writer *w, struct buf *out)
{
    (void)w;
    buf_z(out, "{\"unit\":\"us\",\"calls\":[");
}

struct json_notes {
    struct json j;
    bool begun;
};

static void put_json_note(void *context, struct str name, struct str value)
{
    struct json_notes *notes = context;

    if (!notes->begun) {
        buf_z(notes->j.b, ",\"annotations\":");
        json_open_object(&notes->j, NULL);
    }
    notes->begun = true;
    json_put_key(&notes->j, name);
    json_put_string(&notes->j, NULL, value);
}

/* The members that all calls of a frame have in common, made once, with the comma before them. NULL: no memory. */
static const struct call_text *members_of(struct call_writer *w, frame_id frame)
{
    const struct profile_frame *f = &w->profile->frames[frame];
    struct buf text = {0};

    if (w->texts[frame] != NULL)
        return w->texts[frame];
    struct json j = json_into(&text);
    json_open_object(&j, NULL);
    json_put_string(&j, "class", profile_string(w->profile, f->scope));
    json_put_string(&j, "method", profile_string(w->profile, f->name));
    json_put_string(&j, "signature", profile_string(w->profile, f->signature));
    if (text.n > 0)
        text.p[0] = ','; /* in place of the object's bracket */
    return call_writer_keep(w, frame, &text, 0);
}

static char *put_numbers(struct call_writer *w, const struct call_row *row, char *to)
{
    to = put_thread(w, PUT(to, "{\"thread\":"), row);
    to = number_u64_next(&w->times, PUT(to, ",\"start\":"), row->begin_ns / NS_PER_US);
    to = number_u64_next(&w->ends, PUT(to, ",\"end\":"), row->end_ns / NS_PER_US);
    if (w->has_cpu)
        to = number_u64(PUT(to, ",\"cpu\":"), row->cpu_ns / NS_PER_US);
    to = number_u64(PUT(to, ",\"self\":"), row->self_ns / NS_PER_US);
    return number_u64(PUT(to, ",\"depth\":"), row->depth);
}

static void row_json(struct call_writer *w, const struct call_row *row, struct buf *out)
{
    const struct call_text *members = members_of(w, row->frame);
    struct json_notes notes = {json_into(out), false};

    if (members == NULL || !buf_reserve(out, JSON_NUMBERS_BYTES_MAX + members->behind)) {
        out->failed = true;
        return;
    }
    char *to = PUT(out->p + out->n, ",\n");
    out->n = (size_t)(put_bytes(put_numbers(w, row, to), members->p, members->behind) - out->p);
    each_note(w, row, put_json_note, &notes);
    if (notes.begun)
        json_close(&notes.j);
    buf_char(out, '}');
}

static void end_json(struct call_writer *w, struct buf *out)
{
    (void)w;
    buf_z(out, "\n]}\n");
}

/* ---- for people ---- */

static void put_right(struct buf *out, struct str text, size_t cells, size_t extra_bytes)
{
    for (size_t n = text.n - extra_bytes; n < cells; n++)
        buf_char(out, ' ');
    buf_str(out, text);
}

/* The sign of microseconds has two bytes in one cell. */
static void put_time(struct buf *out, uint64_t ns)
{
    char text[NUMBER_BYTES_MAX];
    struct str value = {text, (size_t)(number_value(text, UNIT_NS, ns, DIGITS) - text)};

    put_right(out, value, TIME_CELLS, str_find_str(value, STR("µ")) < value.n);
}

static void begin_txt(struct call_writer *w, struct buf *out)
{
    put_right(out, STR("thread"), THREAD_CELLS, 0);
    put_right(out, STR("start"), TIME_CELLS, 0);
    put_right(out, STR("end"), TIME_CELLS, 0);
    if (w->has_cpu)
        put_right(out, STR("cpu"), TIME_CELLS, 0);
    put_right(out, STR("self"), TIME_CELLS, 0);
    put_right(out, STR("depth"), THREAD_CELLS, 0);
    buf_z(out, "  method\n");
}

struct txt_notes {
    struct buf *out;
    bool begun;
};

static void put_txt_note(void *context, struct str name, struct str value)
{
    struct txt_notes *notes = context;

    buf_z(notes->out, notes->begun ? ", " : "  {");
    notes->begun = true;
    clean_text(notes->out, name);
    buf_z(notes->out, ": ");
    clean_text(notes->out, value);
}

static void row_txt(struct call_writer *w, const struct call_row *row, struct buf *out)
{
    const struct profile *p = w->profile;
    const struct profile_frame *f = &p->frames[row->frame];
    char text[NUMBER_BYTES_MAX];

    put_right(out, (struct str){text, (size_t)(number_u64(text, thread_of(w, row)) - text)}, THREAD_CELLS, 0);
    put_time(out, row->begin_ns);
    put_time(out, row->end_ns);
    if (w->has_cpu)
        put_time(out, row->cpu_ns);
    put_time(out, row->self_ns);
    put_right(out, (struct str){text, (size_t)(number_u64(text, row->depth) - text)}, THREAD_CELLS, 0);
    buf_z(out, "  ");
    clean_text(out, profile_string(p, f->scope));
    if (f->scope != STRING_EMPTY && f->name != STRING_EMPTY)
        buf_char(out, '.');
    clean_text(out, profile_string(p, f->name));
    clean_text(out, profile_string(p, f->signature));
    struct txt_notes notes = {out, false};
    each_note(w, row, put_txt_note, &notes);
    buf_z(out, notes.begun ? "}\n" : "\n");
}

/* ---- processes ---- */

/* The main thread of a process has the process's number. */
static uint32_t main_process(const struct profile *p)
{
    for (uint32_t i = 0; i < p->n_tracks; i++)
        if (str_eq(profile_string(p, p->tracks[i].name), STR("main")))
            return p->tracks[i].number;
    return 1;
}

void call_processes(const struct profile *p, uint32_t *processes)
{
    uint32_t otherwise = main_process(p);

    for (uint32_t i = 0; i < p->n_tracks; i++) {
        uint32_t process = track_process(p, &p->tracks[i]);
        processes[i] = process != 0 ? process : otherwise;
    }
}

/* ---- the table ---- */

static const struct call_format TSV = {
    .text = {"tsv", "text/tab-separated-values; charset=utf-8", "tab-separated, for scripts", 1},
    .begin = begin_tsv,
    .row = row_tsv,
};

static const struct call_format CSV = {
    .text = {"csv", "text/csv; charset=utf-8", "for spreadsheets", 1},
    .begin = begin_csv,
    .row = row_csv,
};

static const struct call_format JSON = {
    .text = {"json", "application/json", "for programs", 2},
    .begin = begin_json,
    .row = row_json,
    .end = end_json,
    .comma = true,
};

static const struct call_format TXT = {
    .text = {"txt", "text/plain; charset=utf-8", "for people", 2},
    .begin = begin_txt,
    .row = row_txt,
};

const struct call_format *const CALL_FORMATS[] = {&TSV,         &CSV,           &JSON,           &TXT,
                                                  &CALL_CHROME, &CALL_PERFETTO, &CALL_SPEEDSCOPE};
const size_t CALL_FORMATS_COUNT = sizeof(CALL_FORMATS) / sizeof(CALL_FORMATS[0]);

const struct call_format *call_format_by_name(struct str name)
{
    for (size_t i = 0; i < CALL_FORMATS_COUNT; i++)
        if (str_eq(name, str_of(CALL_FORMATS[i]->text.name)))
            return CALL_FORMATS[i];
    return NULL;
}
