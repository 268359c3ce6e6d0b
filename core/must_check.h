/* For results that say what failed. */
#pragma once

/* Behind a declaration: the compiler refuses callers that do not look at the result. */
#define MUST_CHECK __attribute__((warn_unused_result))
