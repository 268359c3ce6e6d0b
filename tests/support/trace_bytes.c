#include "tests/support/trace_bytes.h"

void trace_bytes_le(struct buf *b, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        buf_char(b, (char)(value >> 8 * i & 0xff));
}

void trace_bytes_keys(struct buf *b, unsigned version, const char *clock)
{
    buf_printf(b, "*version\n%u\ndata-file-overflow=false\nclock=%s\nvm=art\n", version, clock);
    buf_z(b, "*threads\n1\tmain\n70000\tworker\n");
    buf_z(
        b,
        "*methods\n0\ta.B\tzero\t()V\tB.java\n0x4\ta/B\tone\t(I)V\tB.java\t17\n0x8\tc.D\ttwo\t()V\tD.java\n");
    buf_z(b, "*end\n");
}

void trace_bytes_header(struct buf *b, unsigned version, unsigned data_offset, unsigned record_bytes)
{
    buf_z(b, "SLOW");
    trace_bytes_le(b, version, 2);
    trace_bytes_le(b, data_offset, 2);
    trace_bytes_le(b, 1234567, 8);
    trace_bytes_le(b, record_bytes, 2);
    for (unsigned i = 18; i < data_offset; i++)
        buf_char(b, '\0');
}

void trace_bytes_record(struct buf *b, unsigned record_bytes, struct trace_record r)
{
    unsigned thread_bytes = record_bytes == 9 ? 1 : 2, used = thread_bytes + 8;

    trace_bytes_le(b, r.thread, thread_bytes);
    trace_bytes_le(b, r.method | r.action, 4);
    trace_bytes_le(b, r.times[0], 4);
    if (record_bytes >= 14) {
        trace_bytes_le(b, r.times[1], 4);
        used += 4;
    }
    for (; used < record_bytes; used++)
        buf_char(b, '?');
}

/* ---- good files ---- */

static const struct trace_record HEALTHY[] = {
    {1, 0x0, EVENT_ENTER, {0, 10}},  {1, 0x4, EVENT_ENTER, {5, 20}},   {4464, 0x8, EVENT_ENTER, {0, 22}},
    {1, 0x4, EVENT_UNROLL, {9, 30}}, {1, 0x4, EVENT_ENTER, {11, 33}},  {4464, 0x4, EVENT_ENTER, {1, 40}},
    {1, 0x4, EVENT_EXIT, {12, 41}},  {4464, 0x4, EVENT_EXIT, {6, 60}}, {4464, 0x8, EVENT_EXIT, {7, 61}},
    {1, 0x0, EVENT_EXIT, {13, 70}},
};

/* Every repair at least once, from the thread that is listed with more than 16 bits on. */
static const struct trace_record BROKEN[] = {
    {4464, 0x8, EVENT_EXIT, {0, 5}},      {4464, 0x4, EVENT_ENTER, {2, 10}},
    {4464, 0x8, EVENT_EXIT, {3, 11}},     {0, 0x0, EVENT_ENTER, {0, 0}},
    {4464, 0x8, EVENT_ENTER, {4, 12}},    {4464, 0x4, EVENT_EXIT, {5, 13}},
    {7, 0x4, EVENT_ENTER, {1, 20}},       {7, 0x7f4, EVENT_ENTER, {2, 30}},
    {7, 0x7f4, EVENT_EXIT, {1, 29}},      {7, 0x4, EVENT_UNKNOWN, {3, 31}},
    {1, 0x0, EVENT_ENTER, {0, 1u << 31}}, {1, 0x4, EVENT_ENTER, {9, 0xffffff00}},
    {1, 0x4, EVENT_ENTER, {10, 16}},      {1, 0x0, EVENT_ENTER, {11, 32}},
    {1, 0xabc, EVENT_ENTER, {12, 33}},    {0, 0x0, EVENT_ENTER, {0, 0}},
};

static void put_records(struct buf *b, unsigned record_bytes, const struct trace_record *r, size_t n)
{
    for (size_t i = 0; i < n; i++)
        trace_bytes_record(b, record_bytes, r[i]);
}

static void put_healthy(struct buf *b, unsigned record_bytes)
{
    put_records(b, record_bytes, HEALTHY, sizeof(HEALTHY) / sizeof(*HEALTHY));
}

static void put_file(struct buf *b, unsigned version, const char *clock, unsigned record_bytes)
{
    trace_bytes_keys(b, version, clock);
    trace_bytes_header(b, version, 32, version == 3 ? record_bytes : 0);
    put_healthy(b, record_bytes);
}

static void put_v1(struct buf *b)
{
    put_file(b, 1, "thread-cpu", 9);
}

static void put_v2_cpu(struct buf *b)
{
    put_file(b, 2, "thread-cpu", 10);
}

static void put_v2_wall(struct buf *b)
{
    put_file(b, 2, "wall", 10);
}

static void put_v3(struct buf *b)
{
    put_file(b, 3, "dual", 14);
}

static void put_v3_one_time(struct buf *b)
{
    put_file(b, 3, "dual", 10);
}

static void put_v3_large_records(struct buf *b)
{
    put_file(b, 3, "dual", 23);
}

static void put_v3_broken(struct buf *b)
{
    trace_bytes_keys(b, 3, "dual");
    trace_bytes_header(b, 3, 32, 14);
    put_records(b, 14, BROKEN, sizeof(BROKEN) / sizeof(*BROKEN));
}

static void put_v1_broken(struct buf *b)
{
    trace_bytes_keys(b, 2, "sundial");
    trace_bytes_header(b, 1, 32, 0);
    put_records(b, 9, BROKEN, sizeof(BROKEN) / sizeof(*BROKEN));
}

static void put_far_data(struct buf *b)
{
    trace_bytes_keys(b, 3, "wall");
    trace_bytes_header(b, 3, 71, 14);
    put_healthy(b, 14);
}

/* More records than are looked at before the header is read. */
static void put_long(struct buf *b)
{
    trace_bytes_keys(b, 3, "dual");
    trace_bytes_header(b, 3, 32, 14);
    for (unsigned i = 0; i < 33; i++)
        put_healthy(b, 14);
}

static void put_cut_record(struct buf *b)
{
    put_v3(b);
    b->n -= 3;
}

static void put_crlf(struct buf *b)
{
    buf_z(b,
          "*version\r\n3\r\nclock=dual\r\n*threads\r\n1\tmain\r\n*methods\r\n0x4\ta.B\tone\t()V\r\n*end\r\n");
    trace_bytes_header(b, 3, 32, 14);
    put_healthy(b, 14);
}

static void put_long_lines(struct buf *b)
{
    buf_z(b, "*version\n3\nclock=dual\n*threads\n1\t");
    for (unsigned i = 0; i < 90; i++)
        buf_z(b, "\xc3\xa4");
    buf_z(b, "\n*methods\n0x4\ta/B/");
    for (unsigned i = 0; i < 90; i++)
        buf_char(b, (char)('a' + i % 26));
    buf_z(b, "\tone\t()V\n0x8\tthe next line\n*end\n");
    trace_bytes_header(b, 3, 32, 14);
    put_healthy(b, 14);
}

static void put_odd_lines(struct buf *b)
{
    buf_z(
        b,
        "*version\n\nclock=dual\nclock=wall\nno value\nstrange=1=2\ndata-file-overflow=true\n*threads\nmain\n"
        "\tmain\n1\n1\tfirst\n1\tlast\n65537\tsame low half\n-1\tx\n4294967295\tx\n"
        "*methods\n\nnonsense\n0x\ta\n0xffffffffffffffff\tfar.Away\tm\t()V\n0x10000000000000000\tx\n"
        "(nil)\ta.B\tzero\n0x4\ta.B\tone\t()V\tB.java\n0x4\ta.B\tother\t()V\n0x8\ta.B\tfile.cc\t12\n"
        "0x5\todd\tid\n*unknown\n*endless\n*end\n");
    trace_bytes_header(b, 3, 32, 14);
    put_healthy(b, 14);
}

static void put_folded(struct buf *b)
{
    buf_z(b, "# taken by hand\r\nmain;a;b 3\r\n\r\nmain;a 2\nmain;a;b 4\nmain;c d;e 18446744073709551615\n"
             "main;c d;e 1\n;;main 2\n  main;a;b\t 5\nno count\nmain;a x1\n 7\nmain;z 5");
}

/* More bytes than detection looks at, and a line that no limit of a test allows. */
static void put_folded_long(struct buf *b)
{
    for (unsigned i = 0; i < 300; i++)
        buf_printf(b, "main;f%u;g %u\n", i % 40, i);
    buf_z(b, "main;");
    for (unsigned i = 0; i < 300; i++)
        buf_z(b, "x;");
    buf_z(b, "y 1\r\nmain;last 1\n");
}

/* ---- files that are refused ---- */

static void put_no_end(struct buf *b)
{
    trace_bytes_keys(b, 3, "dual");
    b->n -= 2;
}

static void put_nothing_behind_end(struct buf *b)
{
    trace_bytes_keys(b, 3, "dual");
}

static void put_bad_magic(struct buf *b)
{
    trace_bytes_keys(b, 3, "dual");
    buf_z(b, "FAST and then something else, of any length");
}

static void put_bad_version(struct buf *b)
{
    trace_bytes_keys(b, 3, "dual");
    trace_bytes_header(b, 0xf3, 32, 14);
}

static void put_header_cut(struct buf *b, unsigned kept)
{
    trace_bytes_keys(b, 3, "dual");
    size_t header = b->n;
    trace_bytes_header(b, 3, 32, 14);
    b->n = header + kept;
}

static void put_header_cut_in_version(struct buf *b)
{
    put_header_cut(b, 5);
}

static void put_header_cut_in_record_size(struct buf *b)
{
    put_header_cut(b, 17);
}

static void put_small_records(struct buf *b)
{
    trace_bytes_keys(b, 3, "dual");
    trace_bytes_header(b, 3, 32, 9);
    put_healthy(b, 9);
}

static void put_data_in_header(struct buf *b)
{
    trace_bytes_keys(b, 3, "dual");
    trace_bytes_header(b, 3, 17, 14);
    put_healthy(b, 14);
}

static void put_data_outside(struct buf *b)
{
    trace_bytes_keys(b, 3, "dual");
    trace_bytes_header(b, 3, 400, 14);
    b->n -= 10;
}

static void put_no_records(struct buf *b)
{
    trace_bytes_keys(b, 3, "dual");
    trace_bytes_header(b, 3, 40, 14);
}

static void put_only_thread_zero(struct buf *b)
{
    put_no_records(b);
    trace_bytes_record(b, 14, (struct trace_record){0});
    trace_bytes_record(b, 14, (struct trace_record){0});
}

static void put_text_damaged(struct buf *b)
{
    struct buf header = {0};

    trace_bytes_keys(b, 3, "dual");
    trace_bytes_header(&header, 3, 32, 14);
    for (size_t i = 0; i < header.n; i++)
        if ((unsigned char)header.p[i] < 0x80)
            buf_char(b, header.p[i]);
        else
            buf_z(b, "\xef\xbf\xbd");
    buf_free(&header);
    for (unsigned i = 0; i < 5; i++)
        buf_z(b, "\xef\xbf\xbd a conversion put this in the place of each byte that it did not know\n");
}

static void put_word_alone(struct buf *b)
{
    buf_z(b, "*version");
}

static void put_prose(struct buf *b)
{
    buf_z(b, "*versions of this text; there is only one\nand it has no counts\n");
}

static void put_counts_far_away(struct buf *b)
{
    buf_z(b, "main;");
    for (unsigned i = 0; i < 5000; i++)
        buf_char(b, 'x');
    buf_z(b, "\n");
}

static void put_binary(struct buf *b)
{
    buf_z(b, "main;a 1\nmain;b 2\n");
    trace_bytes_le(b, 0x89ab00cdef, 8);
}

const struct trace_input TRACE_INPUTS[] = {
    {"v1", put_v1},
    {"v2-cpu", put_v2_cpu},
    {"v2-wall", put_v2_wall},
    {"v3", put_v3},
    {"v3-one-time", put_v3_one_time},
    {"v3-large-records", put_v3_large_records},
    {"v3-broken", put_v3_broken},
    {"v1-broken", put_v1_broken},
    {"far-data", put_far_data},
    {"long", put_long},
    {"cut-record", put_cut_record},
    {"crlf", put_crlf},
    {"long-lines", put_long_lines},
    {"odd-lines", put_odd_lines},
    {"folded", put_folded},
    {"folded-long", put_folded_long},
    {"no-end", put_no_end},
    {"nothing-behind-end", put_nothing_behind_end},
    {"bad-magic", put_bad_magic},
    {"bad-version", put_bad_version},
    {"header-cut-in-version", put_header_cut_in_version},
    {"header-cut-in-record-size", put_header_cut_in_record_size},
    {"small-records", put_small_records},
    {"data-in-header", put_data_in_header},
    {"data-outside", put_data_outside},
    {"no-records", put_no_records},
    {"only-thread-zero", put_only_thread_zero},
    {"text-damaged", put_text_damaged},
    {"counts-far-away", put_counts_far_away},
    {"word-alone", put_word_alone},
    {"prose", put_prose},
    {"binary", put_binary},
};

const size_t TRACE_INPUTS_COUNT = sizeof(TRACE_INPUTS) / sizeof(*TRACE_INPUTS);
