#include "tests/support/small_stack.h"

#include "tests/support/unit.h"

#include <pthread.h>

enum { STACK_BYTES = 256 << 10 };

void on_small_stack(void *(*work)(void *), void *context)
{
    pthread_attr_t attributes;
    pthread_t thread;

    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, STACK_BYTES), 0);
    assert_int_equal(pthread_create(&thread, &attributes, work, context), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
}
