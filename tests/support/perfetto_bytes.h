/* Writes a small Perfetto trace by the producers' rules: a process with a heap that is dumped twice, as it
 * comes on devices. */
#pragma once

#include "core/buf.h"

enum perfetto_packing { PERFETTO_PLAIN, PERFETTO_DEFLATE, PERFETTO_ZSTD, PERFETTO_NESTED };

struct perfetto_options {
    bool legacy;  /* Android 10: what is interned stands in the packet */
    bool cleared; /* the interned data begins anew before the second dump, with other ids */
    bool names;   /* symbols and deobfuscated names behind all */
    bool samples; /* CPU samples of two threads */
    bool art;     /* the heap is that of ART */
    bool at_max;
    bool
        no_unwind; /* three functions of /lib/libn.so are the outermost ones, and nothing of it calls others */
    bool cut_dump; /* the second dump has no end */
    enum perfetto_packing packing;
};

/* Stacks main;b and main;c of /lib/libx.so, and with `names` of app code. The first dump has 100 and 40
 * bytes allocated in 1 and 2 pieces, the second 100 and 90 in 1 and 5, of which 100 and 30 are freed in 1
 * and 2. */
void perfetto_put(struct buf *b, const struct perfetto_options *options);
/* What `names` puts behind it: a file of symbols. */
void perfetto_put_names(struct buf *b);
