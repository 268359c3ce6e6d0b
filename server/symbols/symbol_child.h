/* The child that reads files of symbols: this program in another mode, with little memory, little time, and nothing that it can open.
 * What it reads may be made to break it; then it ends, and nothing else does. */
#ifndef SERVER_SYMBOLS_SYMBOL_CHILD_H
#define SERVER_SYMBOLS_SYMBOL_CHILD_H

#include "server/symbols/symbol_request.h"

/* The one argument of the program that means this mode. It is no command: nobody is told of it. */
#define SYMBOL_CHILD_ARGUMENT "--read-symbols"

/* Does what descriptor 0 asks (symbol_request.h), and returns the exit status: 0 if the answer is whole. */
int symbol_child(void);

/* What the child takes away from itself before it reads anything of strangers. */

/* From here on: so much memory and processor time and no more, no new descriptor of any kind (no file, no connection), no process, no
 * core file, no answer beyond its size; and, where the kernel and the processor are known, no call to the system that reading does not
 * need. False: a limit cannot be set. */
bool symbol_sandbox(const struct symbol_request *r) __attribute__((warn_unused_result));

#endif
