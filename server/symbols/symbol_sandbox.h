/* What the child takes away from itself before it reads anything of strangers. */
#ifndef SERVER_SYMBOLS_SYMBOL_SANDBOX_H
#define SERVER_SYMBOLS_SYMBOL_SANDBOX_H

#include "server/symbols/symbol_request.h"

/* From here on: so much memory and processor time and no more, no new descriptor of any kind (no file, no connection), no process, no
 * core file, no answer beyond its size; and, where the kernel and the processor are known, no call to the system that reading does not
 * need. False: a limit cannot be set. */
bool symbol_sandbox(const struct symbol_request *r) __attribute__((warn_unused_result));

#endif
