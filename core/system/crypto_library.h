/* libcrypto, which opens itself when it is first called: see crypto_library.c. */
#pragma once

#include <stdbool.h>

/* Opens it now. False: it is not there. */
bool crypto_library_open(void);
