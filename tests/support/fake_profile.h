/* Profiles made by hand, for tests of what reads them. Stacks may be added in any order; fake_finish numbers
 * the nodes in pre-order, as every profile has them. All memory is one arena's; running out of it aborts. */
#pragma once

#include "core/arena.h"
#include "core/buf.h"
#include "profile/profile.h"

struct fake;

struct fake *fake_new(void);
void fake_free(struct fake *f);

/* wall (ns), cpu (ns), calls; without these calls a profile has no values. */
void fake_usual_values(struct fake *f);
void fake_value(struct fake *f, const char *name, enum unit unit, enum profile_role role);

/* A new one with these values and a first track, 1. */
struct fake *fake_thread(struct str name);

/* Tracks must be made in the order of their ids. Returns the root's node, for fake_child. */
uint32_t fake_track(struct fake *f, uint32_t id, struct str name);

/* A frame by its parts; a new one at every call. */
frame_id fake_frame(struct fake *f, struct str scope, struct str name, struct str signature);

void fake_kind(struct fake *f, frame_id frame, enum frame_kind kind);

/* A new node under a parent; numbers are those of making. self has one element per value. */
uint32_t fake_child(struct fake *f, uint32_t parent, frame_id frame, const uint64_t *self);

/* Adds self to the stack "a.B.c;d.E.f(I)V" of the latest track: `;` parts frames, `(` begins a signature, the
 * last `.` before it the name. "" is the track itself. Makes frames and nodes that are not there. */
void fake_stack(struct fake *f, const char *stack, uint64_t wall, uint64_t cpu, uint64_t calls);

void fake_warning(struct fake *f, const char *code, struct str text);

/* A new one with so many nodes in each track, the root among them, all of it from *seed. The numbers are
 * few, so that many weights are equal; in units of a thousand if so told. */
struct fake *fake_random(uint64_t *seed, uint32_t n_tracks, uint32_t n_nodes, bool thousands);

/* The profile is the fake's and ends with it. */
const struct profile *fake_finish(struct fake *f);
