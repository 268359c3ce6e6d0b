/* Breakpad's symbol files: parser/symbols/breakpad.c reads them; its addresses are those of the file. */
#include "parser/perfetto/demangle.h"
#include "parser/recognise.h"
#include "parser/symbols/breakpad.h"
#include "server/symbols/symbol_reading.h"

/* ---- Breakpad ---- */

struct answering {
    struct symbol_reading *reading;
    uint32_t first; /* question */
};

static bool answer(void *context, size_t i, const struct symbols_name *names, uint32_t n)
{
    struct answering *a = context;
    bool ok = symbol_at(a->reading, a->first + (uint32_t)i);

    for (uint32_t k = 0; ok && k < n; k++)
        ok = symbol_in(a->reading, names[k].function, names[k].file, names[k].line);
    return ok;
}

static void answer_module(struct symbol_reading *r, const struct breakpad *b, const struct symbol_module *m)
{
    struct answering a = {r, m->first};
    uint64_t *addresses = arena_array(b->arena, m->n, sizeof(*addresses));

    for (uint32_t i = 0; addresses != NULL && i < m->n; i++)
        addresses[i] = r->request->questions[m->first + i].address;
    if (addresses != NULL)
        breakpad_answer(b, addresses, m->n, answer, &a);
}

static void read_file(struct symbol_reading *r, char *bytes, size_t n)
{
    const struct symbol_head *head = r->request->head;
    struct arena arena;
    struct breakpad b;

    arena_init(&arena, (size_t)head->memory_bytes);
    bool ok = breakpad_open(&b, (struct str){bytes, n}, &arena);
    for (uint32_t i = 0; ok && i < head->n_modules; i++)
        if (symbol_fit(r, i, breakpad_is_of(&b, str_of(r->request->modules[i].build_id)), b.name))
            answer_module(r, &b, &r->request->modules[i]);
    arena_free(&arena);
}

const struct symbol_kind SYMBOL_BREAKPAD = {"Breakpad symbols", true, breakpad_detect, read_file};

/* ---- packets of Perfetto ---- */

/* Packets with symbols or deobfuscated names of a Perfetto trace. They are known here, and read with the trace: see conversion_symbols. */

static bool detect(struct str head)
{
    return recognise_format((const uint8_t *)head.p, head.n, false) == RECOGNISED_BESIDE;
}

static void read_none(struct symbol_reading *r, char *bytes, size_t n)
{
    (void)r;
    (void)bytes;
    (void)n;
}

const struct symbol_kind SYMBOL_PACKETS = {"symbols of a Perfetto trace", false, detect, read_none};

/* ---- the table ---- */

/* THE TABLE of files of symbols. */
static const struct symbol_kind *const KINDS[] = {&SYMBOL_ELF, &SYMBOL_BREAKPAD, &SYMBOL_PACKETS,
                                                  &SYMBOL_ZIP, &SYMBOL_TAR,      &SYMBOL_PACKED};

enum { KINDS_COUNT = sizeof(KINDS) / sizeof(*KINDS), FLUSH_BYTES = 64 << 10 };

const struct symbol_kind *symbol_kind_of(struct str head)
{
    for (size_t i = 0; i < KINDS_COUNT; i++)
        if (KINDS[i]->detect(head))
            return KINDS[i];
    return NULL;
}

void symbol_kinds_list(struct buf *b)
{
    for (size_t i = 0; i < KINDS_COUNT; i++)
        buf_printf(b, "%s%s", i > 0 ? ", " : "", KINDS[i]->name);
}

void symbol_read(struct symbol_reading *r, char *bytes, size_t n)
{
    const struct symbol_kind *kind =
        symbol_kind_of((struct str){bytes, n < SYMBOL_HEAD_BYTES ? n : SYMBOL_HEAD_BYTES});

    if (kind != NULL && r->depth <= SYMBOL_DEPTH_MAX)
        kind->read(r, bytes, n);
}

/* ---- what the rows share ---- */

bool symbol_same_id(const struct symbol_module *m, struct str build_id)
{
    return build_id.n > 0 && str_eq_nocase(str_of(m->build_id), build_id);
}

bool symbol_fit(struct symbol_reading *r, uint32_t module, bool same_build, struct str own_name)
{
    const struct symbol_module *m = &r->request->modules[module];
    struct str name = str_of(m->name);
    bool same_name = name.n > 0 && (str_eq(name, r->name) || str_eq(name, own_name));
    enum symbols_state state = same_build               ? SYMBOLS_FOUND
                               : !same_name             ? SYMBOLS_MISSING
                               : m->build_id[0] == '\0' ? SYMBOLS_BY_NAME
                                                        : SYMBOLS_OTHER;

    if (state != SYMBOLS_MISSING)
        buf_printf(r->out, "fit\t%u\t%u\n", module, (unsigned)state);
    return state == SYMBOLS_FOUND || state == SYMBOLS_BY_NAME;
}

bool symbol_at(struct symbol_reading *r, uint32_t question)
{
    bool ok = r->out->n < FLUSH_BYTES || r->flush(r);

    buf_printf(r->out, "at\t%u\n", question);
    return ok && !r->out->failed;
}

static void put_text(struct buf *b, struct str text)
{
    for (size_t i = 0; i < text.n && i < SYMBOL_TEXT_BYTES; i++) {
        unsigned char c = (unsigned char)text.p[i];
        buf_char(b, c < ' ' || c == 0x7f ? '?' : (char)c);
    }
}

bool symbol_in(struct symbol_reading *r, struct str function, struct str file, uint32_t line)
{
    struct buf readable = {0};

    demangle(&readable, function.n > 0 ? function : STR("unknown"), SYMBOL_TEXT_BYTES);
    buf_printf(r->out, "in\t%u\t", line);
    put_text(r->out, buf_view(&readable));
    buf_char(r->out, '\t');
    put_text(r->out, file);
    buf_char(r->out, '\n');
    bool ok = !readable.failed && !r->out->failed;
    buf_free(&readable);
    return ok;
}
