/* A trace to try the service with: the start of an app for recipes, as a phone would have recorded it,
 * about 300 KB. It is made up and complete: reading it gives no warnings. tests/support/demo/make_demo.py
 * makes it; static/demo.trace.gz holds it. */
#pragma once

#include "core/buf.h"

/* The name to store it under. */
#define DEMO_FILE_NAME "demo.trace"

/* Appends the trace: version 3, two clocks. False when memory is short; nothing is appended then. Any thread. */
bool demo_write(struct buf *out) MUST_CHECK;
