/* What rules say sentences with. A percentage names what it is of: the first one of a sentence in words, and
 * those behind it are of the same. */
#pragma once

#include "core/buf.h"
#include "render/verdict/analysis.h"
#include "render/verdict/sentence.h"

/* Weights: a sentence about a part of the time weighs its permille, at most WEIGHT_MOST. Those about the
 * whole stand in front. */
enum {
    WEIGHT_MOST = 900,
    WEIGHT_BOX = 940,
    WEIGHT_OWN = 950,
    WEIGHT_THIRD = 998,
    WEIGHT_SECOND = 999,
    WEIGHT_FIRST = 1000,
    WEIGHT_WAIT = 1001, /* what was waited for says more than the section that waited */
    WEIGHT_JANK = 1002, /* frames were late: what people see of it comes before where the time went */
    WEIGHT_SHOWN = 1003 /* and what the system says of them before what sections of the app say */
};

/* What a rule says, while it says it. */
struct finding {
    struct buf *text;
    struct verdict_sentence *sentence;
};

enum { SAY_DIGITS = 3 }; /* of a value, in a sentence */

void say(struct finding *f, const char *words);

/* In the unit of what is looked at. */
void say_number(struct finding *f, const struct analysis *a, uint64_t value);

/* The same, of a profile without clocks with its label behind. */
void say_value(struct finding *f, const struct analysis *a, uint64_t value);

/* "34 %" */
void say_percent(struct finding *f, uint64_t part, uint64_t whole);

/* The name in full; of a native function without its parameters. The sentence links to it, as to threads. */
void say_method(struct finding *f, const struct analysis *a, frame_id frame);
void say_thread(struct finding *f, const struct analysis *a, uint32_t track);
/* As say_thread, with its process if that is not the main thread's: "RenderThread of com.android.systemui". */
void say_thread_of(struct finding *f, const struct analysis *a, uint32_t track);

/* Words that stand for a range of time, since the trace's start: the sentence links to what was in it. */
void say_range(struct finding *f, const char *words, uint64_t from_ns, uint64_t to_ns);

/* "1 call", "1,234 calls" */
void say_calls(struct finding *f, uint64_t n);

/* "1.2 ms (34 % of main's 3.55 s)"; behind the first of a sentence "1.2 ms (34 %)". */
void say_part_of_main(struct finding *f, const struct analysis *a, uint64_t part, bool first);

/* The same of active time: " of the 3.55 s of CPU time of all threads". */
void say_of_all(struct finding *f, const struct analysis *a);
void say_part_of_all(struct finding *f, const struct analysis *a, uint64_t part, bool first);

/* ---- what rules compare ---- */

const struct thread_cost *main_of(const struct analysis *a);

/* At most WEIGHT_MOST. */
uint64_t permille(uint64_t part, uint64_t whole);

/* Whether the clock of the recording is that of the CPU alone. */
bool is_cpu_alone(const struct analysis *a);

/* Whether the main thread, and all together, have less than 1 % of their time in methods that do something. */
bool is_idle(const struct analysis *a);
