/* Android recordings that are recognised, and cannot be used; each with its remedy.
 *
 *   SLOW, version 1 to 3      the data file of a trace in two files; its methods' names are in the other
 *   SLOW, another version     a binary header that no reader of ours knows, or that was damaged
 *   no magic, tag 0, 1 or 2   a low-overhead trace as art/runtime/trace_profile.cc dumps it (Android 15
 *                             QPR2 and 16), packets without header: u8 2, u32 thread, u24 records, u32
 *                             bytes; u8 0, u32 thread, u16 length, name; u8 1, u64 method, u16 length,
 *                             line. It has no clock to tell the time by, or none that is named */
#include <string.h>

#include "core/cursor.h"
#include "parser/android/converted.h"
#include "parser/two_files.h"

enum { THREAD_MAX = 1 << 22 /* no kernel gives larger ids */ };

/* ---- low-overhead traces ---- */

static bool is_thread(uint64_t id)
{
    return id > 0 && id <= THREAD_MAX;
}

/* Text as names are: no control characters but a line's end and its tabs. */
static bool is_text(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] < ' ' && p[i] != '\t' && p[i] != '\n')
            return false;
    return true;
}

/* Of a packet that begins with these n bytes: 0 if it is none, else its size; more than n if the rest of it
 * is missing. */
static size_t packet_bytes(const uint8_t *p, size_t n)
{
    struct cursor c = cursor_of(p, n);
    uint8_t tag = cursor_u8(&c);
    uint64_t id = tag == 1 ? cursor_u64(&c) : cursor_u32(&c);
    uint32_t records = tag == 2 ? (uint32_t)cursor_le(&c, 3) : 1;
    size_t bytes = tag == 2 ? cursor_u32(&c) : cursor_u16(&c);
    size_t head = (size_t)(c.p - p);

    if (c.failed)
        return tag <= 2 ? n + 1 : 0;
    if (tag > 2 || records == 0 || bytes == 0 || id == 0 || (tag != 1 && !is_thread(id)))
        return 0;
    if (tag == 2)
        return bytes >= records && bytes <= 20 * (size_t)records ? head + bytes : 0;
    size_t seen = bytes < n - head ? bytes : n - head;
    if (!is_text(p + head, seen) || (tag == 1 && seen == bytes && memchr(p + head, '\t', seen) == NULL))
        return 0;
    return head + bytes;
}

/* Packets up to the end of what detection may see; two at least, or one that is larger. */
static enum detection detect_headerless(const uint8_t *p, size_t n, bool final)
{
    size_t at = 0;

    if (n < DETECT_BYTES_MAX && !final)
        return n == 0 || p[0] <= 2 ? DETECT_MORE : DETECT_NO;
    if (n > DETECT_BYTES_MAX)
        n = DETECT_BYTES_MAX;
    while (at < n) {
        size_t size = packet_bytes(p + at, n - at);
        if (size == 0)
            return DETECT_NO;
        if (size > n - at)
            break;
        at += size;
    }
    return at > 0 || n == DETECT_BYTES_MAX ? DETECT_YES : DETECT_NO;
}

/* ---- the row ---- */

struct android_refuse {
    struct diag *diag;
};

static enum detection detect(const uint8_t *p, size_t n, bool final)
{
    uint32_t version;
    enum detection slow = android_slow_version(p, n, final, &version);

    return slow == DETECT_NO ? detect_headerless(p, n, final) : slow;
}

static bool begin(void *state, struct builder *b, const struct reader_limits *limits, struct diag *diag)
{
    struct android_refuse *r = state;

    (void)b;
    (void)limits;
    r->diag = diag;
    return true;
}

static bool refuse_slow(struct diag *diag, uint32_t version)
{
    if (version >= 1 && version <= 3)
        return diag_at(
            diag, DIAG_UNUSABLE, 0, "key section missing", TWO_FILES_HINT,
            "This is the data file of a method trace in two files, or the end of one that was cut: "
            "the text with its methods and threads is not there.");
    if (android_version_converted(version, diag))
        return false;
    return diag_at(
        diag, DIAG_UNUSABLE, 4, "unknown trace version", ANDROID_PULL_AGAIN,
        "The binary header says version 0x%x; known without a key section are 0xf1 to 0xf6, 4, 5 and 6.",
        version);
}

static bool feed(void *state, const uint8_t *p, size_t n, uint64_t offset, bool final, size_t *consumed)
{
    struct android_refuse *r = state;
    uint32_t version;

    (void)offset;
    *consumed = 0;
    if (android_slow_version(p, n, final, &version) == DETECT_YES)
        return refuse_slow(r->diag, version);
    return diag_at(r->diag, DIAG_UNUSABLE, 0, "low-overhead profile",
                   "Record with Debug.startMethodTracing or am profile start instead.",
                   "This is a low-overhead trace of ART as it is dumped without a header: nothing in it says "
                   "what its times are, if it has any.");
}

static bool finish(void *state, uint64_t file_bytes)
{
    (void)state;
    (void)file_bytes;
    return false; /* feed has refused the file */
}

const struct format FORMAT_ANDROID_REFUSE = {
    .name = "android-unusable",
    .label = "Android recording that cannot be used",
    .state_bytes = sizeof(struct android_refuse),
    .detect = detect,
    .begin = begin,
    .feed = feed,
    .finish = finish,
};
