/* Runs a test on a thread with little stack, where whatever recurses as deeply as its input crashes. */
#ifndef AFLAMED_TESTS_SUPPORT_SMALL_STACK_H
#define AFLAMED_TESTS_SUPPORT_SMALL_STACK_H

/* Calls `work` once, on a thread of its own with 256 KiB of stack, and waits for its end. */
void on_small_stack(void *(*work)(void *), void *context);

#endif
