#include "tests/support/systrace_bytes.h"

#include "tests/support/proto_bytes.h"

enum { APP = 42, OTHER = 7, SEQUENCE = 3 };

enum { EVENT_PRINT = 3, EVENT_SWITCH = 4, EVENT_BLOCKED = 18, EVENT_WAKING = 20 };

/* One event of CPU 0, in a bundle. */
static void put_event(struct buf *bundle, uint64_t time, uint32_t tid, uint32_t field, struct buf *body)
{
    struct buf event = {0};

    proto_put_number(&event, 1, time);
    proto_put_number(&event, 2, tid);
    proto_put_message(&event, field, body);
    proto_put_message(bundle, 2, &event);
    buf_free(&event);
}

static void put_text_of(struct buf *bundle, uint64_t time, uint32_t tid, const char *text)
{
    struct buf body = {0};

    proto_put_text(&body, 2, text);
    put_event(bundle, time, tid, EVENT_PRINT, &body);
    buf_free(&body);
}

static void put_text(struct buf *bundle, uint64_t time, const char *text)
{
    put_text_of(bundle, time, APP, text);
}

static void put_switch(struct buf *bundle, uint64_t time, uint32_t from, uint32_t state, uint32_t to)
{
    enum { PRIORITY = 120 };
    struct buf body = {0};

    proto_put_text(&body, 1, from == APP ? "m.example.app" : "other");
    proto_put_number(&body, 2, from);
    proto_put_number(&body, 3, PRIORITY);
    proto_put_number(&body, 4, state);
    proto_put_text(&body, 5, to == APP ? "m.example.app" : "other");
    proto_put_number(&body, 6, to);
    proto_put_number(&body, 7, PRIORITY);
    put_event(bundle, time, from, EVENT_SWITCH, &body);
    buf_free(&body);
}

static void put_number(struct buf *bundle, uint64_t time, uint32_t field, uint32_t first, uint32_t second,
                       uint32_t third)
{
    struct buf body = {0};

    proto_put_number(&body, 1, first);
    proto_put_number(&body, 2, second);
    proto_put_number(&body, 3, third);
    put_event(bundle, time, OTHER, field, &body);
    buf_free(&body);
}

static void put_waking(struct buf *bundle, uint64_t time)
{
    struct buf body = {0};

    proto_put_number(&body, 2, APP);
    put_event(bundle, time, OTHER, EVENT_WAKING, &body);
    buf_free(&body);
}

static void put_process(struct buf *b, uint32_t pid, const char *name, uint32_t uid)
{
    struct buf packet = {0}, tree = {0}, process = {0};

    proto_put_number(&process, 1, pid);
    proto_put_text(&process, 3, name);
    proto_put_number(&process, 5, uid);
    proto_put_message(&tree, 1, &process);
    proto_put_message(&packet, 2, &tree);
    proto_put_message(b, 1, &packet);
    buf_free(&packet);
    buf_free(&tree);
    buf_free(&process);
}

static void put_people(struct buf *b)
{
    struct buf packet = {0}, system = {0}, name = {0};

    put_process(b, APP, "com.example.app", 10001);
    proto_put_text(&name, 3, "5.10.1");
    proto_put_message(&system, 1, &name);
    proto_put_message(&packet, 45, &system);
    proto_put_message(b, 1, &packet);
    buf_free(&packet);
    buf_free(&system);
    buf_free(&name);
}

void systrace_put(struct buf *b, uint64_t start)
{
    struct buf bundle = {0}, packet = {0};

    put_people(b);
    proto_put_number(&bundle, 1, 0);
    put_switch(&bundle, start + 1000, OTHER, 1, APP);
    put_text(&bundle, start + 1050, "E|42");
    put_text(&bundle, start + 1100, "B|42|bindApplication\n");
    put_text(&bundle, start + 1200, "S|42|load|5");
    put_text(&bundle, start + 1300, "B|42|read 11");
    put_switch(&bundle, start + 1400, APP, 2, OTHER); /* D */
    put_waking(&bundle, start + 2100);
    put_number(&bundle, start + 2110, EVENT_BLOCKED, APP, 0, 1);
    put_switch(&bundle, start + 2200, OTHER, 0, APP);
    put_text(&bundle, start + 2300, "E|42");
    put_text(&bundle, start + 2400, "B|42|read 12");
    put_switch(&bundle, start + 2500, APP, 1, OTHER); /* S */
    put_switch(&bundle, start + 2700, OTHER, 0, APP);
    put_text(&bundle, start + 2700, "F|42|load|5");
    put_text(&bundle, start + 2800, "E|42");
    put_text(&bundle, start + 3000, "E|42");
    put_switch(&bundle, start + 3000, APP, 1, OTHER);
    put_switch(&bundle, start + 4000, OTHER, 0, 0);
    proto_put_message(&packet, 1, &bundle);
    proto_put_message(b, 1, &packet);
    buf_free(&packet);
    buf_free(&bundle);
}

static void put_track_event(struct buf *b, uint64_t time, uint32_t clock, uint32_t type, const char *name)
{
    struct buf packet = {0}, event = {0};

    proto_put_number(&event, 9, type);
    proto_put_number(&event, 11, 77);
    if (name != NULL)
        proto_put_text(&event, 23, name);
    proto_put_number(&packet, 8, time);
    proto_put_number(&packet, 10, SEQUENCE);
    if (clock != 0)
        proto_put_number(&packet, 58, clock);
    proto_put_message(&packet, 11, &event);
    proto_put_message(b, 1, &packet);
    buf_free(&event);
    buf_free(&packet);
}

void systrace_put_track_events(struct buf *b, uint32_t clock, bool apart)
{
    struct buf packet = {0}, track = {0}, thread = {0};

    proto_put_number(&track, 1, 77);
    proto_put_number(&thread, 1, APP);
    proto_put_number(&thread, 2, APP);
    proto_put_text(&thread, 5, "main");
    proto_put_message(&track, 4, &thread);
    if (apart) {
        proto_put_number(&track, 9, 1);
        proto_put_text(&track, 2, "methods");
    }
    proto_put_message(&packet, 60, &track);
    proto_put_message(b, 1, &packet);
    put_track_event(b, 100, clock, 1, "outer");
    put_track_event(b, 120, clock, 1, "com.example.Foo.access$12(I)V");
    put_track_event(b, 160, clock, 2, NULL);
    put_track_event(b, 200, clock, 2, NULL);
    buf_free(&packet);
    buf_free(&track);
    buf_free(&thread);
}

void systrace_put_started(struct buf *b, uint64_t time)
{
    struct buf packet = {0}, started = {0};

    proto_put_number(&started, 2, 1);
    proto_put_number(&packet, 8, time);
    proto_put_message(&packet, 69, &started);
    proto_put_message(b, 1, &packet);
    buf_free(&packet);
    buf_free(&started);
}

enum { EVENT_TRANSACTION = 50, EVENT_RECEIVED = 51, EVENT_RETURN = 486 };

static void put_received(struct buf *bundle, uint64_t time, uint32_t tid, uint32_t number)
{
    struct buf body = {0};

    proto_put_number(&body, 1, number);
    put_event(bundle, time, tid, EVENT_RECEIVED, &body);
    buf_free(&body);
}

static void put_transaction(struct buf *bundle, uint64_t time, uint32_t tid, uint32_t number, bool reply,
                            bool one_way)
{
    struct buf body = {0};

    proto_put_number(&body, 1, number);
    proto_put_number(&body, 3, reply ? APP : OTHER);
    proto_put_number(&body, 5, reply);
    proto_put_number(&body, 7, one_way);
    put_event(bundle, time, tid, EVENT_TRANSACTION, &body);
    buf_free(&body);
}

static void put_bundle(struct buf *b, struct buf *events)
{
    struct buf bundle = {0}, packet = {0};

    proto_put_number(&bundle, 1, 0);
    buf_str(&bundle, buf_view(events));
    proto_put_message(&packet, 1, &bundle);
    proto_put_message(b, 1, &packet);
    buf_free(events);
    buf_free(&bundle);
    buf_free(&packet);
}

void systrace_put_received(struct buf *b, uint64_t time)
{
    struct buf events = {0};

    put_received(&events, time, APP, 9);
    put_bundle(b, &events);
}

void systrace_put_binder(struct buf *b)
{
    enum { SERVES = 8, FAILED_REPLY = 0x7211 };
    struct buf events = {0}, failed = {0};

    put_people(b);
    put_process(b, OTHER, "system_server", 1000);
    put_transaction(&events, 5000, APP, 20, false, false);
    put_received(&events, 5010, SERVES, 20);
    put_text_of(&events, 5020, SERVES, "B|7|AIDL::java::IActivityManager::attachApplication::server");
    put_text_of(&events, 5030, SERVES, "E|7");
    put_text_of(&events, 5032, SERVES, "B|7|AIDL::java::ILater::within::server");
    put_text_of(&events, 5034, SERVES, "E|7");
    put_transaction(&events, 5040, SERVES, 21, true, false);
    put_received(&events, 5050, APP, 21);
    put_transaction(&events, 5100, APP, 22, false, false);
    proto_put_number(&failed, 1, FAILED_REPLY);
    put_event(&events, 5150, APP, EVENT_RETURN, &failed);
    put_transaction(&events, 5200, APP, 23, false, true);
    put_received(&events, 5210, SERVES, 23);
    put_text_of(&events, 5220, SERVES, "B|7|AIDL::cpp::IGone::notice::cppServer");
    put_text_of(&events, 5230, SERVES, "E|7");
    put_bundle(b, &events);
    buf_free(&failed);
}

static void put_memory(struct buf *b, uint64_t time, uint32_t pid, uint64_t kb)
{
    struct buf packet = {0}, stats = {0}, process = {0};

    proto_put_number(&process, 1, pid);
    proto_put_number(&process, 4, kb);
    proto_put_message(&stats, 1, &process);
    proto_put_number(&packet, 8, time);
    proto_put_message(&packet, 9, &stats);
    proto_put_message(b, 1, &packet);
    buf_free(&process);
    buf_free(&stats);
    buf_free(&packet);
}

static void put_fraction(struct buf *b, uint64_t time, double value)
{
    struct buf packet = {0}, event = {0};
    proto_put_number(&event, 9, 4);
    proto_put_number(&event, 11, 88);
    proto_put_varint(&event, 44 << 3 | 1);
    buf_bytes(&event, &value, sizeof(value)); /* in the order of bytes that this machine has */
    proto_put_number(&packet, 8, time);
    proto_put_number(&packet, 10, SEQUENCE);
    proto_put_message(&packet, 11, &event);
    proto_put_message(b, 1, &packet);
    buf_free(&event);
    buf_free(&packet);
}

static void put_counter_track(struct buf *b)
{
    struct buf packet = {0}, track = {0}, counter = {0};

    proto_put_number(&track, 1, 88);
    proto_put_text(&track, 2, "load");
    proto_put_text(&counter, 6, "jobs");
    proto_put_message(&track, 8, &counter);
    proto_put_message(&packet, 60, &track);
    proto_put_message(b, 1, &packet);
    buf_free(&counter);
    buf_free(&track);
    buf_free(&packet);
}

void systrace_put_counters(struct buf *b)
{
    enum { EVENT_FREQUENCY = 11, EVENT_RSS = 313, EVENT_ZERO = 331, ZERO_COUNTER = 4, ANONYMOUS = 1 };
    struct buf events = {0}, heap = {0}, rss = {0};

    put_text(&events, 1300, "C|42|items|3\n");
    put_number(&events, 1300, EVENT_FREQUENCY, 1800000, 0, 0);
    put_text(&events, 1500, "C|42|items|5");
    put_text(&events, 1600, "C|42|items|5");
    put_text(&events, 1700, "C|42|items|4");
    put_text(&events, 1800, "C|42|items|many");
    proto_put_number(&heap, 1, ZERO_COUNTER);
    proto_put_text(&heap, 2, "Heap size (KB)");
    proto_put_number(&heap, 3, APP);
    proto_put_number(&heap, 4, 2048);
    put_event(&events, 1400, APP, EVENT_ZERO, &heap);
    put_text(&events, 1900, "C|42|Heap size (KB)|-1");
    proto_put_number(&rss, 1, ANONYMOUS);
    proto_put_number(&rss, 2, 3 << 20);
    proto_put_number(&rss, 3, 1);
    put_event(&events, 1500, APP, EVENT_RSS, &rss);
    put_bundle(b, &events);
    put_number(&events, 1100, EVENT_FREQUENCY, 900000, 0, 0);
    put_bundle(b, &events);
    put_memory(b, 1200, APP, 4);
    put_memory(b, 1200, OTHER, 8);
    put_counter_track(b);
    put_fraction(b, 1300, 0.5);
    put_fraction(b, 1400, -1.25);
    put_fraction(b, 1500, 1e300);
    buf_free(&heap);
    buf_free(&rss);
}

static void put_frame_event(struct buf *b, uint64_t time, uint32_t field, struct buf *body)
{
    struct buf packet = {0}, event = {0};

    proto_put_message(&event, field, body);
    proto_put_number(&packet, 8, time);
    proto_put_message(&packet, 76, &event);
    proto_put_message(b, 1, &packet);
    buf_free(&event);
    buf_free(&packet);
}

enum { EXPECTED_FRAME = 3, ACTUAL_FRAME = 4, END_OF_FRAME = 5, FRAME_IN_TIME = 1, FRAME_OF_LATE_APP = 0x40 };

static void put_frame(struct buf *b, uint32_t kind, uint64_t cookie, uint32_t token, uint32_t pid,
                      uint32_t jank, uint64_t begin, uint64_t end)
{
    struct buf body = {0};

    proto_put_number(&body, 1, cookie);
    proto_put_number(&body, 2, token);
    proto_put_number(&body, 4, pid);
    proto_put_number(&body, 9, jank);
    put_frame_event(b, begin, kind, &body);
    proto_put_number(&body, 1, cookie);
    if (end > 0)
        put_frame_event(b, end, END_OF_FRAME, &body);
    buf_free(&body);
}

void systrace_put_frames(struct buf *b)
{
    put_frame(b, EXPECTED_FRAME, 1, 7, APP, 0, 1100, 1300);
    put_frame(b, EXPECTED_FRAME, 2, 8, APP, 0, 1300, 1500);
    put_frame(b, ACTUAL_FRAME, 4, 8, APP, FRAME_OF_LATE_APP, 1350, 1600);
    put_frame(b, ACTUAL_FRAME, 3, 7, APP, FRAME_IN_TIME, 1120, 1280);
    put_frame(b, ACTUAL_FRAME, 5, 7, APP, FRAME_IN_TIME, 1130, 1290);
    put_frame(b, ACTUAL_FRAME, 6, 9, APP, FRAME_IN_TIME, 1700, 0);
    put_frame(b, ACTUAL_FRAME, 7, 10, OTHER, FRAME_OF_LATE_APP, 1700, 1800);
}

void systrace_put_do_frames(struct buf *b)
{
    struct buf events = {0};

    put_text(&events, 3100, "B|42|Choreographer#doFrame 5");
    put_text(&events, 3150, "B|42|Choreographer#doFrame - resynced to 6 in 0.0s");
    put_text(&events, 3200, "E|42");
    put_text(&events, 3300, "E|42");
    put_text(&events, 3400, "B|42|Choreographer#doFrame 6");
    put_text(&events, 20003400, "E|42");
    put_bundle(b, &events);
}

static void put_clock(struct buf *snapshot, uint32_t id, uint64_t time)
{
    struct buf clock = {0};

    proto_put_number(&clock, 1, id);
    proto_put_number(&clock, 2, time);
    proto_put_message(snapshot, 1, &clock);
    buf_free(&clock);
}

void systrace_put_clocks(struct buf *b, uint64_t boot, uint64_t monotonic)
{
    enum { CLOCK_MONOTONIC_ID = 3, CLOCK_BOOT_ID = 6 };
    struct buf packet = {0}, snapshot = {0};

    put_clock(&snapshot, CLOCK_BOOT_ID, boot);
    put_clock(&snapshot, CLOCK_MONOTONIC_ID, monotonic);
    proto_put_message(&packet, 6, &snapshot);
    proto_put_message(b, 1, &packet);
    buf_free(&packet);
    buf_free(&snapshot);
}
