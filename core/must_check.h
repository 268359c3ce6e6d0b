/* For results that say what failed. */
#ifndef CORE_MUST_CHECK_H
#define CORE_MUST_CHECK_H

/* Behind a declaration: the compiler refuses callers that do not look at the result. */
#define MUST_CHECK __attribute__((warn_unused_result))

#endif
