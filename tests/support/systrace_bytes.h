/* Writes small system traces by the producers' rules. */
#pragma once

#include "core/buf.h"

/* An app with one thread on one CPU, from `start` ns on: it runs, reads in two sections within bindApplication, waits for
 * input and output, is preempted, and sleeps; an asynchronous section; an end of a section of before the trace. */
void systrace_put(struct buf *b, uint64_t start);
/* Two sections within each other, `outer` and a method, of a program's own track events, by that clock (0: none is named);
 * no scheduler. `apart`: on a second track of the thread, which is called `methods`. */
void systrace_put_track_events(struct buf *b, uint32_t clock, bool apart);
/* The app's thread gets a transaction of binder that was sent before the trace began. */
void systrace_put_received(struct buf *b, uint64_t time);
/* The app asks system_server three times: `attachApplication`, which answers after 50 ns; something that fails after 50 ns;
 * and `notice`, which has no answer. */
void systrace_put_binder(struct buf *b);
/* Counters of the app of systrace_put: `items` (3, 5, 5, 4), a heap in KB (2048, -1), its memory (3 MB by its main thread, 4 KiB
 * and nothing of another process), CPU 0's frequency (1.8 GHz, told behind 0.9 GHz), and fractions of a track (0.5, -1.25). */
void systrace_put_counters(struct buf *b);
/* Three frames of the app of systrace_put as the system tells them: 7 in time, in two layers; 8 late by 100 ns, since the app was;
 * 9 without an end; and one of another process. */
void systrace_put_frames(struct buf *b);
/* Sections of its main thread: a frame in time with one within it, and a slow one. */
void systrace_put_do_frames(struct buf *b);
/* The service tells that it started the recording at that time. */
void systrace_put_started(struct buf *b, uint64_t time);
/* A reading of both clocks at one time. */
void systrace_put_clocks(struct buf *b, uint64_t boot, uint64_t monotonic);
