/* The child that reads files of symbols: this program in another mode, with little memory, little time, and nothing that it can open.
 * What it reads may be made to break it; then it ends, and nothing else does. */
#ifndef SERVER_SYMBOLS_SYMBOL_CHILD_H
#define SERVER_SYMBOLS_SYMBOL_CHILD_H

/* The one argument of the program that means this mode. It is no command: nobody is told of it. */
#define SYMBOL_CHILD_ARGUMENT "--read-symbols"

/* Does what descriptor 0 asks (symbol_request.h), and returns the exit status: 0 if the answer is whole. */
int symbol_child(void);

#endif
