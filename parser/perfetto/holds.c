/* What a trace without a profile holds, and how to record one. */
#include "parser/perfetto/perfetto_impl.h"

/* Fields of TracePacket (protos/perfetto/trace/trace_packet.proto), in the order in which they are told. */
static const struct {
    uint32_t field;
    const char *what;
} KINDS[] = {{56, "graphs of Java heaps"},
             {61, "symbols"},
             {64, "names for deobfuscation"},
             {1, "scheduling and kernel events (ftrace)"},
             {11, "track events"},
             {66, "counters of linux.perf without call stacks"},
             {5, "events of Chrome"},
             {2, "the list of processes"},
             {9, "memory of processes"},
             {7, "statistics of the system"},
             {39, "Android's log"},
             {38, "battery counters"},
             {40, "power rails"},
             {52, "counters of a GPU"},
             {53, "stages of a GPU"},
             {63, "frames of the display"},
             {76, "frame timelines"},
             {93, "layers of SurfaceFlinger"},
             {35, "its own statistics"}};

enum { HEAP_GRAPH = 56, OOME_HEAP_GRAPH = 130, NAMED_MAX = 4 };

static const char RECORD[] = "For a heap profile record the app with heapprofd (tools/heap_profile -n "
                             "com.example.app, or the data source "
                             "android.heapprofd); for CPU samples with linux.perf (tools/cpu_profile). The "
                             "app must be profileable or debuggable.";

bool pf_refuse(struct perfetto *t)
{
    struct buf b = {0};
    uint32_t named = 0;

    for (size_t i = 0; i < sizeof(KINDS) / sizeof(*KINDS) && named < NAMED_MAX; i++) {
        uint64_t n = t->held[KINDS[i].field];
        if (n == 0)
            continue;
        buf_z(&b, named++ == 0 ? "It holds " : ", ");
        buf_z(&b, KINDS[i].what);
        buf_z(&b, " (");
        buf_u64_grouped(&b, n);
        buf_z(&b, n == 1 ? " packet)" : " packets)");
    }
    if (named > 0)
        buf_z(&b, ".");
    int n = b.failed ? 0 : (int)b.n;
    uint64_t names = t->held[PF_FIELD_SYMBOLS] + t->held[PF_FIELD_DEOBFUSCATION];
    if (t->held[HEAP_GRAPH] > 0)
        diag_set(t->diag, DIAG_FOREIGN, "Java heap graph, no heap profile",
                 "Open it in ui.perfetto.dev, or record allocations with their call stacks: heapprofd with "
                 "the heap "
                 "com.android.art, or without one for native memory.",
                 "The trace has graphs of objects on the Java heap, which tell what holds what, but not "
                 "which code allocated "
                 "it: there is no call stack to draw. %.*s",
                 n, n > 0 ? b.p : "");
    else if (names > 0 && names == t->packets)
        diag_set(t->diag, DIAG_FOREIGN, "symbols without a profile",
                 "Put them behind the trace that they belong to, in one file, or beside it into one archive, "
                 "and upload that.",
                 "The file has names for a trace, and no trace. %.*s", n, n > 0 ? b.p : "");
    else
        diag_set(t->diag, DIAG_FOREIGN, "Perfetto trace without a profile", RECORD,
                 "The trace has %s packets, but no heap profile and no CPU samples with call stacks. %.*s",
                 t->packets > 0 ? "readable" : "no readable", n, n > 0 ? b.p : "");
    buf_free(&b);
    return false;
}
