#include "tests/support/trace_writer.h"

enum { HEADER_BYTES = 32, ACTION_BITS = 2 };

static const char *const CLOCKS[TRACE_CLOCKS] = {"thread-cpu", "wall", "dual", "global"};

const char *trace_writer_clock(enum trace_clock clock)
{
    return CLOCKS[clock];
}

static size_t record_bytes(struct trace_format f)
{
    size_t thread_bytes = f.version == 1 ? 1 : 2, times = f.clock == TRACE_DUAL ? 2 : 1;

    return thread_bytes + sizeof(uint32_t) + times * sizeof(uint32_t);
}

void trace_writer_keys(struct buf *out, struct trace_format f, const struct trace_keys *keys)
{
    buf_printf(out, "*version\n%u\ndata-file-overflow=false\nclock=%s\n", f.version, CLOCKS[f.clock]);
    buf_z(out, "elapsed-time-usec=");
    buf_u64(out, keys->elapsed_us);
    buf_z(out, "\nnum-method-calls=");
    buf_u64(out, keys->records);
    buf_z(out, "\nclock-call-overhead-nsec=");
    buf_u64(out, keys->overhead_ns);
    buf_printf(out, "\nvm=%s\n", keys->vm);
    if (keys->pid != 0)
        buf_printf(out, "pid=%u\n", (unsigned)keys->pid);
    buf_z(out, "*threads\n");
}

void trace_writer_thread(struct buf *out, uint16_t id, struct str name)
{
    buf_u64(out, id);
    buf_char(out, '\t');
    buf_str(out, name);
    buf_char(out, '\n');
}

void trace_writer_methods(struct buf *out)
{
    buf_z(out, "*methods\n");
}

void trace_writer_method(struct buf *out, struct trace_format f, uint32_t method, struct str class_name,
                         struct str name, struct str signature, struct str file)
{
    const struct str columns[] = {class_name, name, signature, file};

    /* As the runtime prints it: id 0 has no prefix. */
    buf_z(out, method == 0 ? "" : "0x");
    buf_hex(out, (uint64_t)method << ACTION_BITS);
    for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
        buf_char(out, '\t');
        buf_str(out, columns[i]);
    }
    buf_z(out, f.version < 3 ? "\t-1\n" : "\n");
}

static char *put_le(char *p, uint64_t value, size_t bytes)
{
    for (; bytes > 0; bytes--, value >>= 8)
        *p++ = (char)(value & 0xff);
    return p;
}

void trace_writer_header(struct buf *out, struct trace_format f, uint64_t start_us)
{
    char header[HEADER_BYTES] = "SLOW", *p = header + 4;

    buf_z(out, "*end\n");
    p = put_le(p, f.version, 2);
    p = put_le(p, HEADER_BYTES, 2);
    p = put_le(p, start_us, 8);
    if (f.version >= 3)
        put_le(p, record_bytes(f), 2);
    buf_bytes(out, header, sizeof(header));
}

void trace_writer_record(struct buf *out, struct trace_format f, const struct trace_record *r)
{
    if (!buf_reserve(out, record_bytes(f)))
        return;
    char *p = put_le(out->p + out->n, r->thread, f.version == 1 ? 1 : 2);
    p = put_le(p, r->method << ACTION_BITS | (uint32_t)r->action, 4);
    if (f.clock == TRACE_CPU || f.clock == TRACE_DUAL)
        p = put_le(p, r->cpu_us, 4);
    if (f.clock != TRACE_CPU)
        p = put_le(p, r->wall_us, 4);
    out->n = (size_t)(p - out->p);
}
