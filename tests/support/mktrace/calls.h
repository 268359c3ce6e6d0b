/* What a thread calls: a tree of distinct stacks grown from a static call graph, and a walk over it that
 * never ends. Each thread sits in a loop that handles messages, some frames deep; below it the tree is thin
 * and deep, a few methods are called from everywhere, and now and then a small subtree is run through again.
 *
 * What is entered next decides how fast a reader finds it. In recordings of real apps, 16 to 31 % of the enters are of
 * the child that the caller entered last, 84 to 92 % of the one behind it in the order of first calls (a child that is
 * alone is both). Here these are 23 % and 86 %. */
#pragma once

#include "tests/support/mktrace/chance.h"
#include "tests/support/trace_writer.h"

enum { CALLS_DEPTH_MAX = 120 };

/* A distinct stack; node 0 is the outermost call, and no node's child. */
struct call_node {
    uint32_t method, parent;
    uint32_t first, last, next; /* children, and the next child of the parent; 0: none */
    uint16_t depth, n_children;
    uint16_t repeats; /* of the call, each time that its caller runs */
};

struct call_frame {
    uint32_t node, child; /* the child that was called last; 0: none yet */
    uint32_t repeats_left;
};

struct calls {
    uint64_t seed;      /* of the call graph, which all threads share */
    uint32_t n_methods; /* in it */
    struct call_node *nodes;
    uint32_t n_nodes;
    uint32_t loop; /* the node that handles messages, for ever */
    struct call_frame frames[CALLS_DEPTH_MAX];
    uint32_t depth;
    bool warm; /* everything was called once */
};

/* The stack that a sampling recorder saw last, as far as its records are written. All 0 at first. */
struct call_sample {
    uint32_t nodes[CALLS_DEPTH_MAX], depth;
    uint32_t kept; /* frames that are on the stack of the next sample, too */
};

/* Grows a tree of that many stacks, or fewer if the graph has no more; seed and n_methods are set. False: no
 * memory.
 */
bool calls_grow(struct calls *t, struct chance *c, uint32_t stacks, uint32_t loop_depth) MUST_CHECK;
void calls_free(struct calls *t);

/* The next enter or exit: method and action of *r. */
void calls_step(struct calls *t, struct chance *c, struct trace_record *r);

/* The same of a recorder that looks at the stack now and then: it writes exits and enters for what is different.
 * True: the record is the first one of a sample. */
bool calls_sample(struct calls *t, struct chance *c, struct call_sample *s, struct trace_record *r);
