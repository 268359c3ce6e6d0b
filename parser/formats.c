/* THE TABLE of input formats. A new one is a file with its row, and a line here. */
#include "parser/format.h"

extern const struct format FORMAT_ANDROID_TRACE;
extern const struct format FORMAT_ANDROID_STREAM;
extern const struct format FORMAT_ANDROID_V2;
extern const struct format FORMAT_SIMPLEPERF;
extern const struct format FORMAT_PERFETTO;
extern const struct format FORMAT_PPROF;
extern const struct format FORMAT_HPROF_BINARY;
extern const struct format FORMAT_HPROF_TEXT;
extern const struct format FORMAT_JSON;
extern const struct format FORMAT_PERF_TEXT;
extern const struct format FORMAT_FOLDED_STACKS;
extern const struct format FORMAT_FOREIGN;

const struct format *const FORMATS[] = {
    &FORMAT_ANDROID_TRACE, &FORMAT_ANDROID_STREAM, &FORMAT_ANDROID_V2,
    &FORMAT_SIMPLEPERF,    &FORMAT_PERFETTO, /* before pprof, whose files begin alike */
    &FORMAT_PPROF,         &FORMAT_HPROF_BINARY,   &FORMAT_HPROF_TEXT,
    &FORMAT_JSON,          &FORMAT_PERF_TEXT,      &FORMAT_FOLDED_STACKS, /* last: any text could be it */
};

const size_t FORMATS_COUNT = sizeof(FORMATS) / sizeof(*FORMATS);

const struct format *const REFUSED_FORMATS[] = {&FORMAT_FOREIGN};

const size_t REFUSED_FORMATS_COUNT = sizeof(REFUSED_FORMATS) / sizeof(*REFUSED_FORMATS);
