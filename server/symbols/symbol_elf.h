/* The parts of the reader of ELF files. Only symbol_elf.c and symbol_dwarf.c see elfutils. */
#ifndef SERVER_SYMBOLS_SYMBOL_ELF_H
#define SERVER_SYMBOLS_SYMBOL_ELF_H

#include "server/symbols/symbol_reading.h"

struct symbol_dwarf;

/* NULL: the file, an Elf of libelf, has no debug information that can be read. */
struct symbol_dwarf *symbol_dwarf_new(void *elf);

void symbol_dwarf_free(struct symbol_dwarf *d); /* NULL is fine */

/* The functions at an address, the innermost first; the inlined ones before the one that they are in. Texts live as long as `d`. How
 * many; 0: none is known. Fast for addresses that go up. */
uint32_t symbol_dwarf_at(struct symbol_dwarf *d, uint64_t address,
                         struct symbols_name names[SYMBOLS_NAMES_MAX]);

#endif
