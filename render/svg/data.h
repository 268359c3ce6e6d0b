/* DATA: the tree of a view for the script of the picture, in one block of text, and in pieces that it
 * fetches.
 *
 *     {header as JSON}\n
 *     a line for each frame, \n ... \n
 *     \n
 *     numbers of the frames, and of the nodes\n
 *
 * A number is written in digits of base 32, the least significant first, over the alphabet 0-9 A-Z a-z - _
 * : its last digit is one of the first 32 characters, those before it are of the last 32.
 *
 * Header: format "aflamed-flame", version 2; "root": text of the root; "values": all measures, each with
 * name, label, unit (ns, bytes, count), role (wall, cpu, calls, waiting, other), scale (its numbers are
 * written divided by it) and derived (self is not written: max(0, wall - cpu) of each node); "options":
 * view, value, order, palette, names, method, filters (a query: what the tree was filtered by); "presets":
 * steps by name, but of a piece; "before": what was there before the filters, by value, if there are any;
 * "query": what a request for a piece must say to mean the same tree; "nodes": of the whole tree, without
 * the root; "embedded": of them in here; "side_by_side", "merged"; "track": what one is ("thread");
 * "sampled_bytes": of sizes that are estimated, how many bytes a sample stands for; "app": package guessed
 * to be the app's own; "min": least width of a drawn frame in pixels; "node", "skip": of a piece, else 0.
 * "compared": it is of a comparison, and the values are those of profile/transform/transform.h.
 *
 * Frames, in the order of their ranks: the line is the text without its first `prefix` bytes, which are
 * those of the text before and ASCII, but one byte at least. The text is scope TAB name TAB signature, and, where
 * profile/frame/short_name.h has them, TAB short name TAB shortest name; all of it cleaned. Nodes that stand for tracks are frames here: ranks behind all others, origin 9, their text as
 * name. Then for each frame number(rank less that of the frame before) number(prefix) number(origin)
 * number(package colour).
 *
 * Nodes, in pre-order, children by rank: number(8 * up + 4 * same + 2 * one + stub) number(0 for the root,
 * else 1 + line of the frame) number(self / scale) of each value that is not derived. With same = 1 the
 * value of role cpu is that of role wall, which is before it, with one = 1 the value of role calls is 1:
 * they are not written. The depth is that of the node before, + 1 - up. With stub = 1, nodes below this
 * one are left out: number(place) number(children shown: the heaviest) number(children left out)
 * number(nodes left out, all in all) number(total of those children / scale) of each value, derived or
 * not. A place is a node's position in pre-order in the whole tree, the root's 0.
 *
 * The nodes that are written are the heaviest by the value of the view (render/tree/tree.h), as many as
 * the budget allows. A piece is one node, its children from the skip-th heaviest on, one at least if there
 * are more, and what is below them; "children shown" of its first node counts those that were skipped as
 * well, so that it is the next skip. */
#pragma once

#include "render/svg/data_nodes.h"

/* Appends DATA of the whole tree, within the budget of the view, with the characters escaped that XML needs.
 * *embedded: nodes that are in it, without the root. False: diag. */
bool data_put(struct data_tree *d, struct buf *out, uint32_t *embedded, struct diag *diag) MUST_CHECK;

/* As an output's render: the piece of DATA that view->node and view->skip ask for; of the root, from its first child on, as much
 * as the budget of the view allows, if that is more. */
bool data_render_piece(const struct render_input *in, struct buf *out, struct diag *diag);
