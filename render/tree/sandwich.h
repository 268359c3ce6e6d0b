/* A sandwich: the callers of one method above it, what it calls below.
 *
 * Both trees have the method as their root, and equal totals. The outermost instances of the method are the base
 * tree's nodes of its frame without such a node above them.
 * Callees: their subtrees, merged: self, total and calls are sums over the merged nodes.
 * Callers: a node at the path M <- g <- h has the sum of the totals of those outermost instances that were called
 * this way; its self is the sum over those whose stack begins with h; its calls are the calls of M of these
 * instances. Nodes that stand for tracks are the outermost callers. None is marked recursive. */
#pragma once

#include "render/tree/invert.h"

struct sandwich {
    frame_id method;
    const struct tree *callers, *callees;
};

/* The frame that in->view->method names: first by cleaned text and signature, then by text alone, by rank. Without a
 * name, the frame with the largest self in column 0 of the base tree, all its nodes together; equal ones by rank.
 * False: diag (DIAG_NOT_FOUND). */
bool sandwich_method(const struct render_input *in, const struct tree *base, frame_id *method,
                     struct diag *diag) MUST_CHECK;

/* The text that names the frame, cleaned: with its signature where other frames have the same text. It can be longer
 * than what view_options.method has room for. */
void sandwich_name(struct buf *b, const struct names *n, const struct profile *p, frame_id method);

/* From the tree of the same spec. `cut` is one for the whole base tree: the callers get the method's share of it, as
 * they are drawn as wide. A method that is not in the base tree has trees of a root without total. Lives in
 * in->scratch. False: diag is set. */
bool sandwich_new(const struct render_input *in, const struct tree_spec *spec, const struct tree *base,
                  frame_id method, const struct invert_cut *cut, struct sandwich *made,
                  struct diag *diag) MUST_CHECK;
