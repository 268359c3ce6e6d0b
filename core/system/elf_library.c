/* libdw and libelf of elfutils, opened when the first file with symbols is read (library.h). The functions that are used stand
 * here under their own names, so that who reads symbols includes their headers and knows nothing of this. Where they are not there
 * elf_version returns EV_NONE, and no other may be called. */
#include "core/system/elf_library.h"

#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <gelf.h>

#include "core/system/library.h"

/* Result, name, parameters, arguments. Those of libelf are found through libdw, which needs it. */
#define FUNCTIONS(F)                                                                                         \
    F(Dwarf_Attribute *, dwarf_attr, (Dwarf_Die * die, unsigned int name, Dwarf_Attribute *to),              \
      (die, name, to))                                                                                       \
    F(Dwarf_Attribute *, dwarf_attr_integrate, (Dwarf_Die * die, unsigned int name, Dwarf_Attribute *to),    \
      (die, name, to))                                                                                       \
    F(Dwarf *, dwarf_begin_elf, (Elf * elf, Dwarf_Cmd cmd, Elf_Scn * group), (elf, cmd, group))              \
    F(int, dwarf_child, (Dwarf_Die * die, Dwarf_Die * to), (die, to))                                        \
    F(int, dwarf_cu_info,                                                                                    \
      (Dwarf_CU * cu, Dwarf_Half * version, uint8_t * unit_type, Dwarf_Die * unit, Dwarf_Die * sub,          \
       uint64_t * unit_id, uint8_t * address_size, uint8_t * offset_size),                                   \
      (cu, version, unit_type, unit, sub, unit_id, address_size, offset_size))                               \
    F(const char *, dwarf_diename, (Dwarf_Die * die), (die))                                                 \
    F(Dwarf_Off, dwarf_dieoffset, (Dwarf_Die * die), (die))                                                  \
    F(int, dwarf_end, (Dwarf * dwarf), (dwarf))                                                              \
    F(const char *, dwarf_filesrc, (Dwarf_Files * file, size_t idx, Dwarf_Word * time, Dwarf_Word * length), \
      (file, idx, time, length))                                                                             \
    F(const char *, dwarf_formstring, (Dwarf_Attribute * a), (a))                                            \
    F(int, dwarf_formudata, (Dwarf_Attribute * a, Dwarf_Word * to), (a, to))                                 \
    F(int, dwarf_get_units,                                                                                  \
      (Dwarf * dwarf, Dwarf_CU * cu, Dwarf_CU * *next_cu, Dwarf_Half * version, uint8_t * unit_type,         \
       Dwarf_Die * unit, Dwarf_Die * sub),                                                                   \
      (dwarf, cu, next_cu, version, unit_type, unit, sub))                                                   \
    F(Dwarf_Line *, dwarf_getsrc_die, (Dwarf_Die * unit, Dwarf_Addr addr), (unit, addr))                     \
    F(int, dwarf_getsrcfiles, (Dwarf_Die * unit, Dwarf_Files * *files, size_t * nfiles),                     \
      (unit, files, nfiles))                                                                                 \
    F(int, dwarf_haspc, (Dwarf_Die * die, Dwarf_Addr pc), (die, pc))                                         \
    F(int, dwarf_lineno, (Dwarf_Line * line, int *linep), (line, linep))                                     \
    F(const char *, dwarf_linesrc, (Dwarf_Line * line, Dwarf_Word * time, Dwarf_Word * length),              \
      (line, time, length))                                                                                  \
    F(Dwarf_Die *, dwarf_offdie, (Dwarf * dbg, Dwarf_Off offset, Dwarf_Die * to), (dbg, offset, to))         \
    F(ptrdiff_t, dwarf_ranges,                                                                               \
      (Dwarf_Die * die, ptrdiff_t offset, Dwarf_Addr * basep, Dwarf_Addr * startp, Dwarf_Addr * endp),       \
      (die, offset, basep, startp, endp))                                                                    \
    F(int, dwarf_siblingof, (Dwarf_Die * die, Dwarf_Die * to), (die, to))                                    \
    F(int, dwarf_tag, (Dwarf_Die * die), (die))                                                              \
    F(ssize_t, dwelf_elf_gnu_build_id, (Elf * elf, const void **to), (elf, to))                              \
    F(int, elf_end, (Elf * elf), (elf))                                                                      \
    F(Elf_Data *, elf_getdata, (Elf_Scn * section, Elf_Data * data), (section, data))                        \
    F(int, elf_getphdrnum, (Elf * elf, size_t * to), (elf, to))                                              \
    F(int, elf_getshdrstrndx, (Elf * elf, size_t * to), (elf, to))                                           \
    F(Elf_Kind, elf_kind, (Elf * elf), (elf))                                                                \
    F(Elf *, elf_memory, (char *image, size_t n), (image, n))                                                \
    F(Elf_Scn *, elf_nextscn, (Elf * elf, Elf_Scn * section), (elf, section))                                \
    F(Elf_Data *, elf_rawdata, (Elf_Scn * section, Elf_Data * data), (section, data))                        \
    F(char *, elf_strptr, (Elf * elf, size_t index, size_t at), (elf, index, at))                            \
    F(GElf_Dyn *, gelf_getdyn, (Elf_Data * data, int index, GElf_Dyn *to), (data, index, to))                \
    F(GElf_Ehdr *, gelf_getehdr, (Elf * elf, GElf_Ehdr * to), (elf, to))                                     \
    F(GElf_Phdr *, gelf_getphdr, (Elf * elf, int index, GElf_Phdr *to), (elf, index, to))                    \
    F(GElf_Shdr *, gelf_getshdr, (Elf_Scn * section, GElf_Shdr * to), (section, to))                         \
    F(GElf_Sym *, gelf_getsym, (Elf_Data * data, int index, GElf_Sym *to), (data, index, to))

struct functions {
    __typeof__(elf_version) *elf_version;
    FUNCTIONS(LIBRARY_MEMBER)
};

static const struct library_function NAMES[] = {{"elf_version", offsetof(struct functions, elf_version)},
                                                FUNCTIONS(LIBRARY_ENTRY)};

static struct functions library;
static struct library libelf = LIBRARY_INIT("libdw.so.1", NAMES, library, NULL);

void elf_library_open(void)
{
    library_ready(&libelf);
}

unsigned elf_version(unsigned version)
{
    return library_ready(&libelf) ? library.elf_version(version) : EV_NONE;
}

FUNCTIONS(LIBRARY_FORWARD)
