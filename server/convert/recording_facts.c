#include "server/convert/recording_facts.h"

#include "core/number.h"
#include "core/system/utc.h"

enum { DIGITS = 3, NS_PER_US = 1000, NS_PER_S = 1000000000, PLAUSIBLE_S = 1000000000 };

const struct fact FACTS[] = {
    {"version", "Format version", FACT_NUMBER, false},
    {"streaming", "Streaming", FACT_YES_NO, false},
    {"layout", "Layout as of", FACT_TEXT, false},
    {"packed", "Packed", FACT_TEXT, false},
    {"vm", "Virtual machine", FACT_TEXT, false},
    {"clock", "Clock", FACT_TEXT, false},
    {"package", "Package", FACT_TEXT, false},
    {"app_type", "Kind of app", FACT_TEXT, false},
    {"android_sdk", "Android SDK", FACT_NUMBER, false},
    {"build_type", "Kind of system", FACT_TEXT, false},
    {"unwinding", "Stacks that end early", FACT_TEXT, false},
    {"one-frame", "Without unwind information", FACT_TEXT, false},
    {"period", "Sampled every", FACT_TEXT, false},
    {"comment", "Comment", FACT_TEXT, false},
    {"stack_depth", "Stacks are kept to a depth of", FACT_COUNT, false},
    {"pid", "Process id", FACT_NUMBER, false},
    {"elapsed_us", "Duration", FACT_US, false},
    {"elapsed_ns", "Duration", FACT_NS, false},
    {"sampling_interval_us", "Sampled about every", FACT_US, false},
    {"mapped_names", "Names that the mapping knew", FACT_COUNT, false},
    {"mappable_names", "Names that it was asked for", FACT_COUNT, false},
    {"symbolized_frames", "Addresses that symbols named", FACT_COUNT, false},
    {"nameless_frames", "Addresses without a name", FACT_COUNT, false},
    {"map_id", "Mapping's id (pg_map_id)", FACT_TEXT, false},
    {"build_map_id", "Id of the build's mapping", FACT_TEXT, true},
    {"map_hash", "Mapping's hash", FACT_TEXT, true},
    {"overflow", "Buffer overflow", FACT_YES_NO, false},
    {"clock_overhead_ns", "Cost of reading the clock", FACT_NS, false},
    {"start_us", "Started", FACT_TIME_US, true},
    {"start_ns", "Started", FACT_TIME_NS, true},
    {"time_unit", "Unit of the times", FACT_UNIT, true},
    {"counter_hz", "Ticks of its clock per second", FACT_COUNT, true},
    {"declared_records", "Records announced", FACT_COUNT, true},
    {"record_bytes", "Bytes of a record", FACT_COUNT, true},
    {"declared_record_bytes", "Bytes announced of a record", FACT_COUNT, true},
    {"listed_methods", "Methods listed", FACT_COUNT, true},
    {"listed_threads", "Threads listed", FACT_COUNT, true},
    {"alloc_count", "Allocations", FACT_COUNT, true},
    {"alloc_bytes", "Allocated", FACT_BYTES, true},
    {"gc_count", "Garbage collections", FACT_COUNT, true},
};
const size_t FACTS_COUNT = sizeof(FACTS) / sizeof(FACTS[0]);

const struct fact *fact_by_name(struct str name)
{
    for (size_t i = 0; i < FACTS_COUNT; i++)
        if (str_eq(name, str_of(FACTS[i].name)))
            return &FACTS[i];
    return NULL;
}

/* A time as ns; false if it is no number, or none of this kind. */
static bool point_ns(enum fact_kind kind, struct str value, uint64_t *ns)
{
    if ((kind != FACT_TIME_NS && kind != FACT_TIME_US) || !str_to_u64(value, 10, ns))
        return false;
    if (kind == FACT_TIME_US)
        *ns = number_multiply(*ns, NS_PER_US);
    return true;
}

bool fact_is_void(enum fact_kind kind, struct str value)
{
    uint64_t ns;

    return point_ns(kind, value, &ns) && ns == 0;
}

bool fact_date(enum fact_kind kind, struct str value, int64_t *unix_s)
{
    uint64_t ns;

    if (!point_ns(kind, value, &ns) || ns / NS_PER_S < PLAUSIBLE_S)
        return false;
    *unix_s = (int64_t)(ns / NS_PER_S);
    return *unix_s <= UTC_LAST_S && ns != UINT64_MAX;
}

static void put_number(struct buf *b, enum unit unit, uint64_t value)
{
    buf_value(b, unit, value, DIGITS);
}

static void put_point(struct buf *b, enum fact_kind kind, struct str value)
{
    char text[UTC_CHARS + 1];
    uint64_t ns;
    int64_t unix_s;

    if (fact_date(kind, value, &unix_s)) {
        utc_format(unix_s, text);
        buf_z(b, text);
    } else if (point_ns(kind, value, &ns)) {
        put_number(b, UNIT_NS, ns);
        buf_z(b, " on the device's clock");
    } else {
        buf_str(b, value);
    }
}

static void put_amount(struct buf *b, enum fact_kind kind, struct str value)
{
    uint64_t number;

    if (!str_to_u64(value, 10, &number))
        buf_str(b, value);
    else if (kind == FACT_US)
        put_number(b, UNIT_NS, number_multiply(number, NS_PER_US));
    else
        put_number(b, kind == FACT_NS ? UNIT_NS : kind == FACT_BYTES ? UNIT_BYTES : UNIT_COUNT, number);
}

void fact_text(struct buf *b, enum fact_kind kind, struct str value)
{
    switch (kind) {
    case FACT_TEXT:
    case FACT_NUMBER:
        buf_str(b, value);
        break;
    case FACT_YES_NO:
        buf_str(b, str_eq(value, STR("true")) ? STR("yes") : str_eq(value, STR("false")) ? STR("no") : value);
        break;
    case FACT_UNIT:
        buf_str(b, str_eq(value, STR("us")) ? STR("µs") : value);
        break;
    case FACT_TIME_NS:
    case FACT_TIME_US:
        put_point(b, kind, value);
        break;
    case FACT_COUNT:
    case FACT_BYTES:
    case FACT_NS:
    case FACT_US:
        put_amount(b, kind, value);
        break;
    }
}
