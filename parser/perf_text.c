/* What perf and simpleperf print of samples as text, in three forms.
 *
 *   perf script, and report_sample.py of simpleperf: a line for each sample, then its frames, the innermost first, then an
 *   empty line.
 *
 *     COMM [PID/]TID [[CPU]] [TIME:] [PERIOD] EVENT: [what a tracepoint says, or the only frame]
 *             ADDRESS SYMBOL[+0xOFFSET] (LIBRARY)
 *
 *   COMM may have blanks and digits, so the line is read from its time, a number with a point and a colon, to both sides.
 *   Without a time COMM is as short as can be. A sample without frames has no empty line behind it. `#` begins a comment.
 *
 *   simpleperf report-sample without --protobuf: `sample:`, then indented `name: value` lines, of which vaddr_in_file, file and symbol
 *   come once for each frame, the innermost first.
 *
 * Sources: builtin-script.c and evsel_fprintf.c of Linux's perf; report_sample.py and cmd_report_sample.cpp of AOSP's
 * system/extras/simpleperf. */
#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "core/order.h"
#include "core/strtab.h"
#include "parser/format.h"
#include "parser/json/json_stacks.h"
#include "parser/module_kind.h"
#include "parser/text_lines.h"
#include "parser/value_name.h"

enum { NS_DECIMALS = 9, TID_BYTES = 24 };

/* The line that begins a sample. */
struct header {
    struct str comm, pid, tid; /* pid may be empty */
    struct str event, rest;
    int64_t time_ns, period; /* COLUMN_NONE: not there */
};

struct sample {
    int64_t time_ns, period;
    uint32_t thread, event, stack;
};

struct thread {
    string_id comm, pid;
    int64_t tid; /* below 0: no thread of its own */
};

struct event_of {
    string_id name;
    bool periods; /* all samples of it say how much they count for */
};

/* Frames of a text, which comes many times. */
struct known {
    uint32_t first, n;
};

struct perf_text {
    struct reading *r;
    struct builder *b;
    struct arena *arena;
    struct text_lines lines;
    struct strtab keys; /* of threads and events, and texts of frames */
    struct idmap thread_of, event_of, known_of;
    struct thread *threads;
    size_t n_threads, threads_capacity;
    struct event_of *events;
    size_t n_events, events_capacity;
    struct known *known;
    size_t n_known, known_capacity;
    frame_id *frames; /* of all known texts, innermost first */
    size_t n_frames, frames_capacity;
    frame_id *stack; /* of the sample at hand, innermost first */
    size_t depth, stack_capacity;
    struct sample *samples;
    size_t n_samples, samples_capacity;
    struct json_stacks stacks;
    struct json_tracks tracks;
    bool open;     /* there is a sample at hand, the last one */
    bool skipping; /* `tracing data:` */
    uint64_t lost;

    /* Of report-sample: the sample and the frame at hand. */
    struct {
        string_id event, tid, name, file, symbol;
        int64_t time_ns, count;
        uint64_t address;
        bool open, frame;
    } report;
};

/* ---- words of a line ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_number(struct str s)
{
    uint64_t unused;

    return s.n > 0 && s.n < 20 && s.p[0] != '-' && str_to_u64(s, 10, &unused);
}

/* Takes the last word off the end. */
static bool take_last(struct str *s, struct str *word)
{
    *s = str_trim(*s);
    size_t n = s->n;

    while (n > 0 && !is_blank(s->p[n - 1]))
        n--;
    *word = (struct str){s->p + n, s->n - n};
    s->n = n;
    return word->n > 0;
}

/* Takes the first word off the front. */
static bool take_first(struct str *s, struct str *word)
{
    *s = str_trim(*s);
    size_t n = 0;

    while (n < s->n && !is_blank(s->p[n]))
        n++;
    *word = (struct str){s->p, n};
    s->p += n;
    s->n -= n;
    return n > 0;
}

static bool is_signed_number(struct str s)
{
    if (s.n > 0 && s.p[0] == '-')
        s.p++, s.n--;
    return is_number(s);
}

/* 5791/5860 or 5860, also -1 */
static bool parse_tid(struct str s, struct header *h)
{
    size_t slash = str_find(s, '/');

    h->pid = (struct str){s.p, slash < s.n ? slash : 0};
    h->tid = slash < s.n ? (struct str){s.p + slash + 1, s.n - slash - 1} : s;
    return is_signed_number(h->tid) && (h->pid.n == 0 || is_signed_number(h->pid));
}

/* [003] */
static bool is_cpu(struct str s)
{
    return s.n > 2 && s.p[0] == '[' && s.p[s.n - 1] == ']' &&
           is_signed_number((struct str){s.p + 1, s.n - 2});
}

/* d..1, as the kernel's flags are written */
static bool is_flags(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] != '.' && (s.p[i] < '0' || s.p[i] > '9') &&
            ((s.p[i] | 0x20) < 'a' || (s.p[i] | 0x20) > 'z'))
            return false;
    return s.n >= 4 && s.n <= 8;
}

/* COMM [PID/]TID [[CPU]] [FLAGS], read from its end */
static bool parse_before(struct str s, struct header *h)
{
    struct str word;

    if (!take_last(&s, &word))
        return false;
    if (!parse_tid(word, h) && is_flags(word) && !take_last(&s, &word))
        return false;
    if (is_cpu(word) && !take_last(&s, &word))
        return false;
    h->comm = str_trim(s);
    return parse_tid(word, h) && h->comm.n > 0;
}

/* [PERIOD] EVENT: [REST] */
static bool parse_behind(struct str s, struct header *h)
{
    struct str word;
    uint64_t period;

    h->period = COLUMN_NONE;
    if (!take_first(&s, &word))
        return false;
    if (is_number(word) && str_to_u64(word, 10, &period)) {
        h->period = period > INT64_MAX ? INT64_MAX : (int64_t)period;
        if (!take_first(&s, &word))
            return false;
    }
    h->event = (struct str){word.p, word.n - 1};
    h->rest = str_trim(s);
    return word.n > 1 && word.p[word.n - 1] == ':';
}

/* Where ` 123.456: ` ends in the line, from `from` on; line.n: there is none. *time: the number. */
static size_t find_time(struct str line, size_t from, struct str *time)
{
    for (size_t i = from; i + 1 < line.n; i++) {
        const char *colon = memchr(line.p + i, ':', line.n - i);
        if (colon == NULL)
            return line.n;
        i = (size_t)(colon - line.p);
        size_t begin = i, points = 0;
        while (begin > 0 && (is_digit(line.p[begin - 1]) || line.p[begin - 1] == '.'))
            points += line.p[--begin] == '.';
        *time = (struct str){line.p + begin, i - begin};
        if (points == 1 && time->n > 2 && time->p[0] != '.' && time->p[time->n - 1] != '.' && begin > 0 &&
            is_blank(line.p[begin - 1]) && i + 1 < line.n && is_blank(line.p[i + 1]))
            return i + 1;
    }
    return line.n;
}

/* COMM [PID/]TID [[CPU]] [PERIOD] EVENT: with COMM as short as can be */
static bool parse_untimed(struct str line, struct header *h)
{
    struct str word, period = {NULL, 0}, number;

    if (line.n == 0 || is_blank(line.p[0]) || !take_last(&line, &word) || word.n < 2 ||
        word.p[word.n - 1] != ':' || str_find(word, '(') < word.n ||
        is_number((struct str){word.p, word.n - 1}))
        return false;
    h->event = (struct str){word.p, word.n - 1};
    h->rest = (struct str){NULL, 0};
    h->time_ns = h->period = COLUMN_NONE;
    struct str before = line;
    if (!take_last(&before, &number))
        return false;
    /* A number in front of the event is its period, if a thread can stand in front of that. */
    if (is_number(number) && parse_before(before, h)) {
        uint64_t value;
        period = number;
        h->period = str_to_u64(period, 10, &value) && value <= INT64_MAX ? (int64_t)value : INT64_MAX;
        return true;
    }
    return parse_before(line, h);
}

static bool parse_header(struct str line, struct header *h)
{
    struct json_number number;
    struct str time;

    for (size_t at = 0; (at = find_time(line, at, &time)) < line.n;) {
        struct str before = {line.p, (size_t)(time.p - line.p)}, behind = {line.p + at, line.n - at};
        if (!parse_behind(behind, h) || !parse_before(before, h) || !json_in_parse_number(time, &number))
            continue;
        h->time_ns = json_in_scaled(number, NS_DECIMALS);
        return true;
    }
    return parse_untimed(line, h);
}

/* ---- frames ---- */

/* The group in parentheses that ends the text: *inside; the text is cut to what stands before it. */
static bool take_parentheses(struct str *text, struct str *inside)
{
    size_t depth = 0;

    *text = str_trim(*text);
    for (size_t i = text->n; i-- > 0 && text->p[text->n - 1] == ')';) {
        depth += text->p[i] == ')';
        depth -= text->p[i] == '(';
        if (depth > 0)
            continue;
        *inside = (struct str){text->p + i + 1, text->n - i - 2};
        *text = str_trim((struct str){text->p, i});
        return true;
    }
    return false;
}

/* Takes ADDRESS and the blank behind it off the front of a line of a stack. */
static bool take_address(struct str *line)
{
    struct str word;

    *line = str_trim(*line);
    if (str_starts(*line, STR("<-")))
        *line = str_trim((struct str){line->p + 2, line->n - 2});
    size_t n = 0;
    while (n < line->n &&
           (is_digit(line->p[n]) || ((line->p[n] | 0x20) >= 'a' && (line->p[n] | 0x20) <= 'f')))
        n++;
    word = (struct str){line->p, n};
    if (n == 0 || n >= line->n || !is_blank(line->p[n]))
        return false;
    line->p += word.n;
    line->n -= word.n;
    return true;
}

static void drop_offset(struct str *symbol)
{
    size_t plus = str_find_last(*symbol, '+');
    uint64_t unused;

    if (plus + 3 < symbol->n && symbol->p[plus + 1] == '0' && symbol->p[plus + 2] == 'x' &&
        str_to_u64((struct str){symbol->p + plus + 3, symbol->n - plus - 3}, 16, &unused))
        symbol->n = plus;
}

static bool is_jit_map(struct str library)
{
    struct str base = json_base_name(library);

    return str_starts(base, STR("perf-")) && str_ends(base, STR(".map")) && base.n < library.n &&
           is_number((struct str){base.p + 5, base.n - 9});
}

static bool add_frame(struct perf_text *t, frame_id frame)
{
    if (frame == FRAME_NONE || !ARENA_ROOM(t->arena, t->frames, t->frames_capacity, t->n_frames + 1))
        return false;
    t->frames[t->n_frames++] = frame;
    return true;
}

static string_id name_of(struct perf_text *t, struct str text)
{
    return builder_name(t->b, text, t->r->limits->name_bytes, source_offset(t->r->source));
}

/* `[libfoo.so]`, or `[vdso]` as it stands: the address is none within the file. */
static frame_id unknown_in(struct perf_text *t, struct str library, struct profile_frame frame)
{
    struct str base = json_base_name(library);
    char text[256];

    if (base.n == 0 || str_eq(base, STR("[unknown]")) || str_eq(base, STR("unknown")))
        return json_frame(t->b, builder_string(t->b, STR("unknown")), &frame);
    base.n = base.n > 200 ? 200 : base.n;
    int n = snprintf(text, sizeof(text), base.p[0] == '[' ? "%.*s" : "[%.*s]", (int)base.n, base.p);
    return json_frame(t->b, builder_string(t->b, (struct str){text, (size_t)n}), &frame);
}

/* a->b->c of a JIT's map: inlined methods, the outermost first. */
static bool add_inlined(struct perf_text *t, struct str symbol, struct profile_frame frame)
{
    size_t first = t->n_frames;
    struct str arrow = STR("->");

    for (bool more = true; more;) {
        size_t at = str_find_str(symbol, arrow);
        more = at < symbol.n;
        if (!add_frame(t, json_frame(t->b, name_of(t, (struct str){symbol.p, at}), &frame)))
            return false;
        symbol = more ? (struct str){symbol.p + at + arrow.n, symbol.n - at - arrow.n} : symbol;
        frame.kind = FRAME_KIND_INLINED;
    }
    order_reverse(t->frames + first, t->n_frames - first);
    return true;
}

/* SYMBOL[+0xOFFSET] (LIBRARY): adds its frames. Nothing of what is no frame. */
static bool add_frames(struct perf_text *t, struct str text)
{
    struct str library = {NULL, 0}, inner = {NULL, 0};
    uint64_t address;

    if (!take_parentheses(&text, &library))
        return true;
    bool inlined = str_eq(library, STR("inlined"));
    if (inlined) {
        struct str rest = text;
        bool has_library = take_parentheses(&rest, &inner) &&
                           (str_find(inner, '/') < inner.n || (inner.n > 0 && inner.p[0] == '['));
        library = has_library ? inner : STR("");
        text = has_library ? rest : text;
    }
    drop_offset(&text);
    struct profile_frame frame = {.module = name_of(t, library),
                                  .kind = inlined ? FRAME_KIND_INLINED : module_kind(library)};
    if (frame.module == STRING_NONE)
        return false;
    if (text.n == 0 || str_eq(text, STR("[unknown]")))
        return add_frame(t, unknown_in(t, library, frame));
    if (is_jit_map(library) && str_find_str(text, STR("->")) < text.n)
        return add_inlined(t, text, frame);
    if (json_is_nameless(text, &address))
        return add_frame(t, json_nameless_frame(t->b, frame.module, address, frame));
    return add_frame(t, json_frame(t->b, name_of(t, text), &frame));
}

/* Puts frames on the stack at hand. *n: how many. */
static bool put_frames(struct perf_text *t, struct str text, uint32_t *n)
{
    string_id key = strtab_add(&t->keys, text);
    uint32_t place = key == STRING_NONE ? IDMAP_NONE : idmap_get(&t->known_of, key);

    if (key != STRING_NONE && place == IDMAP_NONE) {
        size_t first = t->n_frames;
        if (!add_frames(t, text) || !ARENA_ROOM(t->arena, t->known, t->known_capacity, t->n_known + 1) ||
            !idmap_set(&t->known_of, key, (uint32_t)t->n_known))
            return false;
        place = (uint32_t)t->n_known;
        t->known[t->n_known++] = (struct known){(uint32_t)first, (uint32_t)(t->n_frames - first)};
    }
    if (place == IDMAP_NONE)
        return false;
    *n = t->known[place].n;
    if (!ARENA_ROOM(t->arena, t->stack, t->stack_capacity, t->depth + *n + 1))
        return false;
    for (uint32_t i = 0; i < *n; i++)
        t->stack[t->depth++] = t->frames[t->known[place].first + i];
    return true;
}

/* ---- samples ---- */

/* STACK_NONE: no memory. */
static uint32_t thread_of(struct perf_text *t, struct str pid, struct str tid)
{
    char key[2 * TID_BYTES + 2];
    struct json_number number;
    int64_t value;

    int n = snprintf(key, sizeof(key), "%.*s/%.*s", pid.n < TID_BYTES ? (int)pid.n : TID_BYTES,
                     pid.p == NULL ? "" : pid.p, tid.n < TID_BYTES ? (int)tid.n : TID_BYTES, tid.p);
    string_id id = strtab_add(&t->keys, (struct str){key, (size_t)n});
    uint32_t place = id == STRING_NONE ? IDMAP_NONE : idmap_get(&t->thread_of, id);
    if (id == STRING_NONE || place != IDMAP_NONE)
        return place;
    if (!ARENA_ROOM(t->arena, t->threads, t->threads_capacity, t->n_threads + 1) ||
        !idmap_set(&t->thread_of, id, (uint32_t)t->n_threads))
        return STACK_NONE;
    bool good = json_in_parse_number(tid, &number) && json_in_whole(number, &value) && value >= 0 &&
                value < UINT32_MAX;
    t->threads[t->n_threads] = (struct thread){.pid = pid.n > 0 ? builder_string(t->b, pid) : STRING_EMPTY,
                                               .tid = good ? value : -1};
    return t->threads[t->n_threads].pid == STRING_NONE ? STACK_NONE : (uint32_t)t->n_threads++;
}

/* STACK_NONE: no memory. */
static uint32_t event_of(struct perf_text *t, struct str name)
{
    string_id id = name_of(t, name);
    uint32_t place = id == STRING_NONE ? IDMAP_NONE : idmap_get(&t->event_of, id);

    if (id == STRING_NONE || place != IDMAP_NONE)
        return place;
    if (!ARENA_ROOM(t->arena, t->events, t->events_capacity, t->n_events + 1) ||
        !idmap_set(&t->event_of, id, (uint32_t)t->n_events))
        return STACK_NONE;
    t->events[t->n_events] = (struct event_of){id, true};
    return (uint32_t)t->n_events++;
}

/* The stack of the sample at hand is complete. */
static bool close_sample(struct perf_text *t)
{
    uint32_t stack = STACK_NONE;

    if (!t->open)
        return true;
    t->open = false;
    while (t->depth > 0) {
        stack = json_stack_child(&t->stacks, stack, t->stack[--t->depth]);
        if (stack == STACK_NONE)
            return false;
    }
    t->samples[t->n_samples - 1].stack = stack;
    return true;
}

static bool open_sample(struct perf_text *t, const struct header *h)
{
    if (!close_sample(t) || !ARENA_ROOM(t->arena, t->samples, t->samples_capacity, t->n_samples + 1))
        return false;
    struct sample s = {.time_ns = h->time_ns,
                       .period = h->period,
                       .thread = thread_of(t, h->pid, h->tid),
                       .event = event_of(t, h->event),
                       .stack = STACK_NONE};
    if (s.thread == STACK_NONE || s.event == STACK_NONE)
        return false;
    t->threads[s.thread].comm = name_of(t, h->comm);
    t->events[s.event].periods = t->events[s.event].periods && h->period != COLUMN_NONE;
    t->samples[t->n_samples++] = s;
    t->open = true;
    t->skipping = false;
    t->depth = 0;
    return t->threads[s.thread].comm != STRING_NONE;
}

/* A line of perf script. */
static bool take_line(struct perf_text *t, struct str line, uint64_t offset)
{
    struct header h;
    struct str text = str_trim(line);
    uint32_t n = 0;

    if (text.n == 0) {
        t->skipping = false;
        return close_sample(t);
    }
    if (text.p[0] == '#')
        return true;
    if (parse_header(line, &h)) {
        struct str only = h.rest;
        return open_sample(t, &h) && (!take_address(&only) || put_frames(t, only, &n));
    }
    t->skipping = t->skipping || str_eq(text, STR("tracing data:"));
    if (t->skipping)
        return true;
    bool frame = t->open && take_address(&text);
    if (frame && !put_frames(t, text, &n))
        return false;
    if (n == 0)
        builder_warn(t->b, WARN_BAD_LINE, 1, offset);
    return true;
}

/* ---- report-sample ---- */

static bool close_frame(struct perf_text *t)
{
    struct str symbol = builder_text_of(t->b, t->report.symbol), file = builder_text_of(t->b, t->report.file);
    struct profile_frame frame = {.module = t->report.file, .kind = module_kind(file)};

    if (!t->report.frame)
        return true;
    t->report.frame = false;
    frame_id id = symbol.n == 0 || str_eq(symbol, STR("unknown"))
                      ? json_nameless_frame(t->b, t->report.file, t->report.address, frame)
                      : json_frame(t->b, t->report.symbol, &frame);
    if (id == FRAME_NONE || !ARENA_ROOM(t->arena, t->stack, t->stack_capacity, t->depth + 1))
        return false;
    t->stack[t->depth++] = id;
    return true;
}

static bool close_report(struct perf_text *t)
{
    struct str tid = builder_text_of(t->b, t->report.tid), name = builder_text_of(t->b, t->report.name);
    char text[TID_BYTES + 8];

    if (!t->report.open)
        return true;
    t->report.open = false;
    if (!close_frame(t))
        return false;
    size_t depth = t->depth;
    int n = snprintf(text, sizeof(text), "Thread-%.*s", tid.n < TID_BYTES ? (int)tid.n : TID_BYTES, tid.p);
    struct str event = builder_text_of(t->b, t->report.event);
    struct header h = {.comm = name.n > 0 ? name : (struct str){text, (size_t)n},
                       .tid = tid,
                       .event = event.n > 0 ? event : STR("events"),
                       .time_ns = t->report.time_ns,
                       .period = t->report.count};
    if (!open_sample(t, &h))
        return false;
    t->depth = depth; /* they stand there already */
    return close_sample(t);
}

static int64_t number_of(struct str value)
{
    struct json_number number;

    return json_in_parse_number(value, &number) ? json_in_scaled(number, 0) : COLUMN_NONE;
}

static bool take_report_value(struct perf_text *t, struct str key, struct str value)
{
    string_id *to = str_eq(key, STR("event_type"))    ? &t->report.event
                    : str_eq(key, STR("thread_id"))   ? &t->report.tid
                    : str_eq(key, STR("thread_name")) ? &t->report.name
                    : str_eq(key, STR("file"))        ? &t->report.file
                    : str_eq(key, STR("symbol"))      ? &t->report.symbol
                                                      : NULL;

    if (str_eq(key, STR("vaddr_in_file"))) {
        if (!close_frame(t))
            return false;
        t->report.frame = true;
        t->report.file = t->report.symbol = STRING_EMPTY;
        t->report.address = 0;
        (void)str_to_u64(value, 16, &t->report.address);
    } else if (str_eq(key, STR("time"))) {
        t->report.time_ns = number_of(value);
    } else if (str_eq(key, STR("event_count"))) {
        t->report.count = number_of(value) == COLUMN_NONE ? 0 : number_of(value);
    } else if (to != NULL) {
        *to = name_of(t, value);
        return *to != STRING_NONE;
    }
    return true;
}

static bool take_report_line(struct perf_text *t, struct str line)
{
    bool indented = line.n > 0 && is_blank(line.p[0]);
    struct str text = str_trim(line);
    size_t colon = str_find(text, ':');
    struct str key = {text.p, colon}, value = {text.p + colon + 1, colon < text.n ? text.n - colon - 1 : 0};
    uint64_t lost;

    if (colon == text.n)
        return true;
    value = str_trim(value);
    if (indented && !t->report.open && str_eq(key, STR("lost_count")) && str_to_u64(value, 10, &lost))
        t->lost = number_add(t->lost, lost);
    if (indented)
        return !t->report.open || take_report_value(t, key, value);
    if (!close_report(t))
        return false;
    if (str_eq(key, STR("sample"))) {
        memset(&t->report, 0, sizeof(t->report));
        t->report.time_ns = COLUMN_NONE;
        t->report.open = true;
        t->depth = 0;
    }
    return true;
}

/* ---- the end ---- */

static bool declare(struct perf_text *t)
{
    struct profile_value values[PROFILE_VALUES_MAX];
    uint32_t n = t->n_events < PROFILE_VALUES_MAX ? (uint32_t)t->n_events : PROFILE_VALUES_MAX;
    bool ok = true;

    for (uint32_t i = 0; ok && i < n; i++)
        ok =
            value_name_event(t->b, values, i, builder_text_of(t->b, t->events[i].name), t->events[i].periods);
    if (t->n_events > n)
        builder_warn(t->b, WARN_VALUES_LEFT_OUT, t->n_events - n, WARNING_NO_OFFSET);
    builder_clocks(t->b, 1, false);
    return ok && builder_values(t->b, NULL, 0, values, n);
}

/* What a process is called: as the thread that has its number. */
static struct str comm_of(const struct perf_text *t, string_id pid)
{
    struct str number = builder_text_of(t->b, pid);
    uint64_t value;

    for (size_t i = 0; i < t->n_threads && i < t->r->limits->threads && str_to_u64(number, 10, &value); i++)
        if (t->threads[i].pid == pid && t->threads[i].tid == (int64_t)value)
            return builder_text_of(t->b, t->threads[i].comm);
    return STR("");
}

/* NULL: diag, or no memory. */
static uint32_t *make_tracks(struct perf_text *t)
{
    uint32_t *tracks = arena_array(t->arena, t->n_threads + 1, sizeof(*tracks));
    struct idmap groups;

    idmap_init(&groups, t->arena, builder_seed(t->b));
    for (size_t i = 0; tracks != NULL && i < t->n_threads; i++) {
        const struct thread *thread = &t->threads[i];
        struct track_words words = {.kind = TRACK_THREAD,
                                    .number = thread->tid >= 0 ? (uint32_t)thread->tid : (uint32_t)i + 1};
        uint32_t group = idmap_get(&groups, thread->pid);
        if (thread->pid != STRING_EMPTY && group == IDMAP_NONE) {
            group = json_group(t->b, comm_of(t, thread->pid), builder_text_of(t->b, thread->pid));
            if (group == STRING_NONE || !idmap_set(&groups, thread->pid, group))
                return NULL;
        }
        if (thread->pid != STRING_EMPTY) {
            words.group = group;
            words.process = json_process(builder_text_of(t->b, thread->pid));
        }
        tracks[i] = json_track(&t->tracks, thread->comm, &words);
        if (tracks[i] == NODE_NONE)
            return NULL;
    }
    return tracks;
}

static bool put_samples(struct perf_text *t)
{
    uint64_t values[PROFILE_VALUES_MAX] = {0};
    int64_t begin_ns = INT64_MAX;
    const uint32_t *tracks = declare(t) ? make_tracks(t) : NULL;

    if (tracks == NULL)
        return false;
    for (size_t i = 0; i < t->n_samples; i++)
        if (t->samples[i].time_ns != COLUMN_NONE && t->samples[i].time_ns < begin_ns)
            begin_ns = t->samples[i].time_ns;
    for (size_t i = 0; i < t->n_samples; i++) {
        const struct sample *s = &t->samples[i];
        if (s->event >= PROFILE_VALUES_MAX)
            continue;
        uint32_t track = tracks[s->thread];
        node_id node = json_stack_node(&t->stacks, track, s->stack);
        values[s->event] = t->events[s->event].periods ? (uint64_t)(s->period < 0 ? 0 : s->period) : 1;
        if (!(s->time_ns == COLUMN_NONE
                  ? builder_sample(t->b, track, node, values)
                  : builder_sample_at(t->b, track, node, values, (uint64_t)s->time_ns - (uint64_t)begin_ns)))
            return false;
        values[s->event] = 0;
    }
    return true;
}

/* ---- the beginning of a file, and all of it ---- */

enum form { FORM_NONE, FORM_SCRIPT, FORM_REPORT };

/* By the lines at the beginning. The last one may be cut. */
static enum form form_of(struct str text, bool final)
{
    bool sample = false, header = false;
    struct header h;
    struct str line;

    if (str_starts(text, STR("# ========\n")))
        return FORM_SCRIPT;
    while (str_split(&text, '\n', &line)) {
        bool whole = text.p != NULL || final;
        line = str_without_line_end(line);
        struct str address = line, inside;
        if (!whole || line.n == 0 || line.p[0] == '#')
            continue;
        if (sample && str_starts(str_trim(line), STR("event_type: ")))
            return FORM_REPORT;
        sample = str_eq(line, STR("sample:")) || (sample && is_blank(line.p[0]));
        bool begins = parse_header(line, &h);
        address = begins ? h.rest : line;
        header = header || begins;
        if (header && take_address(&address) && take_parentheses(&address, &inside))
            return FORM_SCRIPT;
    }
    return FORM_NONE;
}

/* Text ends at a NUL: what stands behind it changes no answer that was given before it came. */
static enum detection detect(const uint8_t *p, size_t n, bool final)
{
    char room[TEXT_BEGINNING_BYTES(DETECT_BYTES_MAX)];
    struct str text = text_beginning(p, n, room, sizeof(room));
    size_t end = text.n == n ? str_find(text, '\0') : text.n;
    bool is_text = end == text.n;

    if (form_of((struct str){text.p, end}, final && is_text) != FORM_NONE)
        return DETECT_YES;
    if (!is_text)
        return DETECT_NO;
    return n < DETECT_BYTES_MAX && !final ? DETECT_MORE : DETECT_NO;
}

static bool begin(struct perf_text *t, struct reading *r)
{
    struct hash_seed seed = builder_seed(r->builder);

    t->r = r;
    t->b = r->builder;
    t->arena = builder_arena(r->builder);
    t->lines =
        (struct text_lines){.source = r->source, .arena = t->arena, .limit_bytes = r->limits->line_bytes};
    idmap_init(&t->thread_of, t->arena, seed);
    idmap_init(&t->event_of, t->arena, seed);
    idmap_init(&t->known_of, t->arena, seed);
    json_stacks_init(&t->stacks, t->b);
    json_tracks_init(&t->tracks, r);
    return strtab_init(&t->keys, t->arena, seed);
}

static bool read_lines(struct perf_text *t)
{
    char room[TEXT_BEGINNING_BYTES(DETECT_BYTES_MAX)];
    struct text_line line;
    size_t n;
    const uint8_t *p = source_need(t->r->source, DETECT_BYTES_MAX, &n);
    bool final = n < DETECT_BYTES_MAX, ok = true;

    n = final ? n : DETECT_BYTES_MAX;
    bool report = form_of(text_beginning(p, n, room, sizeof(room)), final) == FORM_REPORT;
    for (uint64_t i = 0; ok && text_lines_next(&t->lines, &line); i++) {
        if (line.too_long && !line.is_rest)
            builder_warn(t->b, WARN_BAD_LINE, 1, line.offset);
        if (line.too_long)
            continue;
        ok = !arena_stopped_at(t->arena, i) &&
             (report ? take_report_line(t, line.text) : take_line(t, line.text, line.offset));
    }
    return ok && !t->lines.failed && close_report(t) && close_sample(t);
}

static bool read_perf_text(struct reading *r)
{
    struct perf_text *t = arena_alloc(builder_arena(r->builder), sizeof(*t));
    bool good = t != NULL && begin(t, r) && read_lines(t);

    if (good && t->n_samples == 0)
        return diag_set(
            r->diag, DIAG_UNUSABLE, "no samples",
            "Record while the program works, and print it with perf script, or with simpleperf's report_sample.py.",
            "The file is a text of perf or simpleperf, and has no samples.");
    if (good && t->lost > 0)
        builder_warn(t->b, WARN_LOST_SAMPLES, t->lost, WARNING_NO_OFFSET);
    if (good && put_samples(t))
        return true;
    return r->diag->kind != DIAG_NONE ? false : builder_failed(r->builder, r->diag);
}

const struct format FORMAT_PERF_TEXT = {
    .name = "perf-text",
    .label = "perf samples as text",
    .written_by = "`perf script`; simpleperf's `report_sample.py`; `simpleperf report-sample`",
    .detect = detect,
    .read = read_perf_text,
};
