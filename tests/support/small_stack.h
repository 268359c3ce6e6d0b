/* Runs a test on a thread with little stack, where whatever recurses as deeply as its input crashes. */
#pragma once

/* Calls `work` once, on a thread of its own with 256 KiB of stack, and waits for its end. */
void on_small_stack(void *(*work)(void *), void *context);
