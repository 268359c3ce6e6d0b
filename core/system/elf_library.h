/* libdw and libelf, which open themselves when elf_version is called: see elf_library.c. */
#pragma once

/* Opens them now: for who can open no files later. */
void elf_library_open(void);
