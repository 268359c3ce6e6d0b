#include "tests/support/mktrace/packets.h"

enum {
    HEADER_BYTES = 32,
    STREAM_RECORD_BYTES = 14,
    RECORD_BYTES_MAX = 30,
    SMALL_BLOCK_BYTES = 65535,   /* of A and B, which say their size in 16 bits */
    LARGE_BLOCK_BYTES = 1 << 20, /* of the others */
    POINTERS = 0x70001000,       /* methods of B to E are such */
    POINTER_STEP = 0x28
};

static const char *const WORDS[PACKETS_LAYOUTS] = {NULL, "stream", "a", "b", "c", "d", "e"};

const char *packets_word(enum packets_layout layout)
{
    return layout < PACKETS_LAYOUTS ? WORDS[layout] : NULL;
}

static void put_le(struct buf *b, uint64_t value, unsigned bytes)
{
    for (; bytes > 0; bytes--, value >>= 8)
        buf_char(b, (char)(value & 0xff));
}

static void put_uleb(struct buf *b, uint64_t value)
{
    for (; value > 127; value >>= 7)
        buf_char(b, (char)(value | 128));
    buf_char(b, (char)value);
}

static void put_sleb(struct buf *b, uint64_t difference)
{
    int64_t value = (int64_t)difference;

    for (; value < -64 || value > 63; value >>= 7)
        buf_char(b, (char)((value & 127) | 128));
    buf_char(b, (char)(value & 127));
}

static bool in_head(enum packets_layout layout)
{
    return layout == PACKETS_A || layout == PACKETS_B;
}

static uint64_t method_id(enum packets_layout layout, uint32_t method)
{
    return layout == PACKETS_A ? method : POINTERS + (uint64_t)method * POINTER_STEP;
}

void packets_begin(struct buf *out, enum packets_layout layout, uint64_t start_us)
{
    size_t begin = out->n;

    buf_z(out, "SLOW");
    if (layout == PACKETS_STREAM) {
        put_le(out, 0xf3, 2);
        put_le(out, HEADER_BYTES, 2);
        put_le(out, start_us, 8);
        put_le(out, STREAM_RECORD_BYTES, 2);
    } else {
        put_le(out, 0xf5, 2);
        put_le(out, layout >= PACKETS_D ? start_us * 1000 : start_us, 8);
    }
    while (!out->failed && out->n - begin < HEADER_BYTES)
        buf_char(out, '\0');
}

void packets_thread(struct buf *out, enum packets_layout layout, uint16_t id, struct str name)
{
    if (layout == PACKETS_STREAM)
        put_le(out, 0, 2);
    put_le(out, layout == PACKETS_STREAM ? 2 : 0, 1);
    put_le(out, id, layout == PACKETS_STREAM ? 2 : 4);
    put_le(out, name.n, 2);
    buf_str(out, name);
}

void packets_method(struct buf *out, enum packets_layout layout, uint32_t method, struct str line)
{
    if (layout == PACKETS_STREAM) {
        put_le(out, 0, 2);
        put_le(out, 1, 1);
    } else {
        size_t tab = str_find(line, '\t');
        put_le(out, 1, 1);
        put_le(out, method_id(layout, method), layout == PACKETS_A ? 4 : 8);
        line = (struct str){line.p + tab + 1, line.n - tab - 1};
    }
    put_le(out, line.n, 2);
    buf_str(out, line);
}

void packets_block_end(struct buf *out, enum packets_layout layout, struct packets_block *b)
{
    if (b->records == 0)
        return;
    put_le(out, 2, 1);
    put_le(out, b->thread, 4);
    if (in_head(layout)) {
        put_le(out, b->first, layout == PACKETS_A ? 4 : 8);
        put_le(out, b->first_cpu, 4);
        put_le(out, b->first_wall, 4);
    }
    put_le(out, in_head(layout) ? b->records - 1 : b->records, in_head(layout) ? 2 : 3);
    put_le(out, b->body.n, in_head(layout) ? 2 : 4);
    buf_str(out, buf_view(&b->body));
    out->failed = out->failed || b->body.failed;
    buf_free(&b->body);
    *b = (struct packets_block){.thread = b->thread};
}

/* The first record of a block of A or B stands in its head. */
static void put_words(enum packets_layout layout, struct packets_block *b, const struct trace_record *r)
{
    uint64_t scale = layout == PACKETS_D ? 1000 : 1, wall = r->wall_us * scale, cpu = r->cpu_us * scale;
    uint64_t id = method_id(layout, r->method), word = (layout == PACKETS_A ? id << 2 : id) | r->action;

    if (in_head(layout) && b->records == 0) {
        b->first = word;
        b->first_wall = r->wall_us;
        b->first_cpu = r->cpu_us;
    } else {
        put_sleb(&b->body, word - (layout == PACKETS_A ? b->first : b->word));
        put_uleb(&b->body, wall - b->wall);
        put_uleb(&b->body, cpu - b->cpu);
    }
    b->word = word;
    b->wall = wall;
    b->cpu = cpu;
}

static void put_times(enum packets_layout layout, struct packets_block *b, const struct trace_record *r)
{
    uint64_t word = (uint64_t)r->wall_us * 1000 << 2 | r->action, cpu = (uint64_t)r->cpu_us * 1000;

    put_sleb(&b->body, word - b->word);
    put_sleb(&b->body, cpu - b->cpu);
    b->word = word;
    b->cpu = cpu;
    if (r->action != TRACE_ENTER)
        return;
    put_sleb(&b->body, method_id(layout, r->method) - b->method);
    b->method = method_id(layout, r->method);
}

void packets_record(struct buf *out, enum packets_layout layout, struct packets_block *b,
                    const struct trace_record *r)
{
    if (layout == PACKETS_STREAM) {
        trace_writer_record(out, (struct trace_format){3, TRACE_DUAL}, r);
        return;
    }
    b->thread = r->thread;
    if (layout == PACKETS_E)
        put_times(layout, b, r);
    else
        put_words(layout, b, r);
    b->records++;
    size_t most = in_head(layout) ? SMALL_BLOCK_BYTES : LARGE_BLOCK_BYTES;
    if (b->body.n + RECORD_BYTES_MAX > most || b->body.failed)
        packets_block_end(out, layout, b);
}

void packets_end(struct buf *out, enum packets_layout layout, const struct trace_keys *keys)
{
    bool stream = layout == PACKETS_STREAM, ns = layout >= PACKETS_D;
    struct buf text = {0};

    buf_printf(&text, "*version\n%d\ndata-file-overflow=false\nclock=dual\nelapsed-time-%s=%llu\n",
               stream ? 3 : 5, ns ? "nsec" : "usec", (unsigned long long)keys->elapsed_us * (ns ? 1000 : 1));
    buf_printf(&text, "clock-call-overhead-nsec=%llu\nvm=%s\n", (unsigned long long)keys->overhead_ns,
               keys->vm);
    buf_z(&text, stream ? "*threads\n*methods\n*end\n" : "*end\n");
    if (stream)
        put_le(out, 0, 2);
    put_le(out, 3, 1);
    put_le(out, text.n, stream ? 4 : 2);
    buf_str(out, buf_view(&text));
    out->failed = out->failed || text.failed;
    buf_free(&text);
}
