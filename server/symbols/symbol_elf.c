/* Kinds of files with symbols, read by the child: ELF with DWARF, Breakpad's, and packets of Perfetto. */
#include <archive.h>
#include <archive_entry.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <libelf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/str.h"
#include "parser/demangle.h"
#include "parser/recognise.h"
#include "parser/symbols/breakpad.h"
#include "server/symbols/symbol_reading.h"

/* ---- DWARF: functions and lines of an address ---- */

struct symbol_dwarf;
static void symbol_dwarf_free(struct symbol_dwarf *d);

/* Functions, inlined functions and lines, from DWARF, by libdw of elfutils.
 *
 * The ranges of all units are collected once, and those of the functions of one unit when an address is in
 * it: files without .debug_aranges, as clang makes them, are read as fast as others, and no address walks
 * through all entries of its unit. All loops go down by a bounded stack of their own. */

enum { DEPTH_MAX = 64, BLOCKS_MAX = 4096 /* within each other, in one function */ };

/* Code of a unit or function. */
struct range {
    Dwarf_Addr low, high;
    Dwarf_Off entry;
};

struct ranges {
    struct range *of;
    size_t n, capacity;
};

struct symbol_dwarf {
    Dwarf *dwarf;
    struct ranges units;
    bool has_unit;
    Dwarf_Off unit; /* whose functions these are: */
    struct ranges functions;
};

/* ---- ranges ---- */

static bool add_range(struct ranges *all, Dwarf_Addr low, Dwarf_Addr high, Dwarf_Off entry)
{
    if (low >= high)
        return true;
    if (all->n == all->capacity) {
        size_t capacity = all->capacity == 0 ? 64 : all->capacity * 2;
        struct range *grown = reallocarray(all->of, capacity, sizeof(*grown));
        if (grown == NULL)
            return false;
        all->of = grown;
        all->capacity = capacity;
    }
    all->of[all->n++] = (struct range){low, high, entry};
    return true;
}

static bool add_ranges(struct ranges *all, Dwarf_Die *die)
{
    Dwarf_Addr base, low, high;
    ptrdiff_t at = 0;

    while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0)
        if (!add_range(all, low, high, dwarf_dieoffset(die)))
            return false;
    return true;
}

static int by_low(const void *a, const void *b)
{
    const struct range *ra = a, *rb = b;

    if (ra->low != rb->low)
        return ra->low < rb->low ? -1 : 1;
    return (ra->high < rb->high) - (ra->high > rb->high);
}

static void sort(struct ranges *all)
{
    if (all->n > 0)
        qsort(all->of, all->n, sizeof(*all->of), by_low);
}

/* Ranges should not overlap. Where some do, that which begins last is the address's, of a few that are looked at. */
static const struct range *find_range(const struct ranges *all, Dwarf_Addr address)
{
    enum { LOOKED_AT = 16 };
    size_t from = 0, to = all->n;

    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (all->of[middle].low <= address)
            from = middle + 1;
        else
            to = middle;
    }
    for (size_t i = from; i > 0 && from - i < LOOKED_AT; i--)
        if (address < all->of[i - 1].high)
            return &all->of[i - 1];
    return NULL;
}

/* ---- units and functions ---- */

static bool collect_units(struct symbol_dwarf *d)
{
    Dwarf_CU *cu = NULL;
    Dwarf_Die die;
    bool ok = true;

    while (ok && dwarf_get_units(d->dwarf, cu, &cu, NULL, NULL, &die, NULL) == 0)
        if (dwarf_tag(&die) == DW_TAG_compile_unit || dwarf_tag(&die) == DW_TAG_partial_unit)
            ok = add_ranges(&d->units, &die);
    sort(&d->units);
    return ok;
}

static bool may_hold_functions(int tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
           tag == DW_TAG_union_type || tag == DW_TAG_module;
}

/* All functions of the unit, also those within namespaces and classes. */
static bool collect_functions(struct symbol_dwarf *d, Dwarf_Die *unit)
{
    Dwarf_Die at[DEPTH_MAX], inner;
    size_t depth = 0;

    d->functions.n = 0;
    if (dwarf_child(unit, &at[0]) != 0)
        return true;
    for (;;) {
        int tag = dwarf_tag(&at[depth]);
        if (tag == DW_TAG_subprogram && !add_ranges(&d->functions, &at[depth]))
            return false;
        if (may_hold_functions(tag) && depth + 1 < DEPTH_MAX && dwarf_child(&at[depth], &inner) == 0) {
            at[++depth] = inner;
            continue;
        }
        while (dwarf_siblingof(&at[depth], &at[depth]) != 0)
            if (depth-- == 0)
                return true;
    }
}

/* NULL: the file, an Elf of libelf, has no debug information that can be read. */
static struct symbol_dwarf *symbol_dwarf_new(void *elf)
{
    struct symbol_dwarf *d = calloc(1, sizeof(*d));

    if (d == NULL)
        return NULL;
    d->dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
    if (d->dwarf != NULL && collect_units(d) && d->units.n > 0)
        return d;
    symbol_dwarf_free(d);
    return NULL;
}

/* NULL is fine */
static void symbol_dwarf_free(struct symbol_dwarf *d)
{
    if (d == NULL)
        return;
    free(d->units.of);
    free(d->functions.of);
    dwarf_end(d->dwarf);
    free(d);
}

/* ---- one address ---- */

static struct str text_of(const char *text)
{
    return text == NULL ? (struct str){"", 0} : str_of(text);
}

/* As the linker knows it, which is more than the bare name. */
static struct str name_of(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));

    if (name == NULL)
        name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute));
    return text_of(name != NULL ? name : dwarf_diename(die));
}

static uint32_t number_of(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value;

    return dwarf_formudata(dwarf_attr(die, name, &attribute), &value) == 0 && value <= UINT32_MAX
               ? (uint32_t)value
               : 0;
}

static bool is_within(Dwarf_Die *die)
{
    return dwarf_tag(die) == DW_TAG_inlined_subroutine || dwarf_tag(die) == DW_TAG_lexical_block;
}

/* In DWARF 2 each entry has one range, so what was inlined may be at an address that those around it do not have.
 * The way to it goes behind way[0]. How long it is; 0: there is none. */
static uint32_t find_stray(Dwarf_Addr address, Dwarf_Die way[DEPTH_MAX])
{
    uint32_t n = dwarf_child(&way[0], &way[1]) == 0;
    Dwarf_Half version = 0;

    if (dwarf_cu_info(way[0].cu, &version, NULL, NULL, NULL, NULL, NULL, NULL) != 0 || version > 2)
        return 0;
    for (unsigned seen = 0; seen < BLOCKS_MAX && n > 0; seen++) {
        if (is_within(&way[n]) && dwarf_haspc(&way[n], address) > 0)
            return n;
        if (is_within(&way[n]) && n + 1 < DEPTH_MAX && dwarf_child(&way[n], &way[n + 1]) == 0) {
            n++;
            continue;
        }
        while (n > 0 && dwarf_siblingof(&way[n], &way[n]) != 0)
            n--;
    }
    return 0;
}

/* The functions that were inlined at the address, into each other, from the outermost on. How many are in chain[]. */
static uint32_t find_chain(Dwarf_Die *function, Dwarf_Addr address, Dwarf_Die chain[SYMBOLS_NAMES_MAX])
{
    Dwarf_Die way[DEPTH_MAX] = {*function};
    uint32_t n = 1, last = 1;

    chain[0] = *function;
    for (unsigned blocks = 0; blocks < BLOCKS_MAX && last > 0; blocks++) {
        int more = dwarf_child(&way[0], &way[1]);
        while (more == 0 && (!is_within(&way[1]) || dwarf_haspc(&way[1], address) <= 0))
            more = dwarf_siblingof(&way[1], &way[1]);
        last = more == 0 ? 1 : find_stray(address, way);
        for (uint32_t i = 1; i <= last && n < SYMBOLS_NAMES_MAX; i++)
            if (dwarf_tag(&way[i]) == DW_TAG_inlined_subroutine)
                chain[n++] = way[i];
        way[0] = way[last];
    }
    return n;
}

static void find_line(Dwarf_Die *unit, Dwarf_Addr address, struct symbols_name *name)
{
    Dwarf_Line *line = dwarf_getsrc_die(unit, address);
    int number = 0;

    name->file = (struct str){"", 0};
    name->line = 0;
    if (line == NULL)
        return;
    name->file = text_of(dwarf_linesrc(line, NULL, NULL));
    if (dwarf_lineno(line, &number) == 0 && number > 0)
        name->line = (uint32_t)number;
}

/* Where an inlined function was called: that is the place in the function around it. */
static void find_call(Dwarf_Die *unit, Dwarf_Die *inlined, struct symbols_name *around)
{
    Dwarf_Files *files;
    size_t n_files;
    uint32_t file = number_of(inlined, DW_AT_call_file);

    around->file = (struct str){"", 0};
    around->line = number_of(inlined, DW_AT_call_line);
    if (dwarf_getsrcfiles(unit, &files, &n_files) == 0 && file < n_files)
        around->file = text_of(dwarf_filesrc(files, file, NULL, NULL));
}

static bool enter_unit(struct symbol_dwarf *d, Dwarf_Off offset, Dwarf_Die *unit)
{
    if (dwarf_offdie(d->dwarf, offset, unit) == NULL)
        return false;
    if (d->has_unit && d->unit == offset)
        return true;
    d->has_unit = collect_functions(d, unit);
    d->unit = offset;
    sort(&d->functions);
    return d->has_unit;
}

/* The functions at an address, the innermost first; the inlined ones before the one that they are in.
 * Texts live as long as `d`. How many; 0: none is known. Fast for addresses that go up. */
static uint32_t symbol_dwarf_at(struct symbol_dwarf *d, uint64_t address,
                                struct symbols_name names[SYMBOLS_NAMES_MAX])
{
    const struct range *in_unit = find_range(&d->units, address), *in;
    Dwarf_Die unit, function, chain[SYMBOLS_NAMES_MAX];

    if (in_unit == NULL || !enter_unit(d, in_unit->entry, &unit))
        return 0;
    in = find_range(&d->functions, address);
    if (in == NULL || dwarf_offdie(d->dwarf, in->entry, &function) == NULL)
        return 0;
    uint32_t n = find_chain(&function, address, chain);
    for (uint32_t i = 0; i < n; i++)
        names[i].function = name_of(&chain[n - 1 - i]);
    find_line(&unit, address, &names[0]);
    for (uint32_t i = 1; i < n; i++)
        find_call(&unit, &chain[n - i], &names[i]);
    return n > 0 && names[n - 1].function.n > 0 ? n : 0;
}

/* ---- ELF ---- */

/* The parts of the reader of ELF files. Only this file sees elfutils. */

enum {
    SYMBOL_UNPACKED_BYTES =
        1 << 30 /* of one file in an archive; the child's memory ends earlier, as a rule */
};

/* ---- archives ---- */

enum { TAR_MAGIC_AT = 257 };

/* ---- one member ---- */

/* All bytes of the member, the caller's to free. NULL: it is damaged or too large, or there is no memory. */
static char *member_bytes(struct archive *a, size_t *n)
{
    size_t capacity = 1 << 20, have = 0;
    char *bytes = malloc(capacity);
    la_ssize_t got = 0;

    while (bytes != NULL && (got = archive_read_data(a, bytes + have, capacity - have)) > 0) {
        have += (size_t)got;
        if (have < capacity)
            continue;
        char *grown = capacity < SYMBOL_UNPACKED_BYTES ? realloc(bytes, capacity * 2) : NULL;
        if (grown == NULL)
            break;
        bytes = grown;
        capacity *= 2;
    }
    *n = have;
    /* 0 is the end of the member. Else it is damaged or too large, or memory ended: a part of one is not read. */
    if (got == 0 || bytes == NULL)
        return bytes;
    free(bytes);
    return NULL;
}

/* What one stream of xz, gzip or zstd holds, the caller's to free. NULL: it cannot be unpacked. */
static char *symbol_unpack(struct str packed, size_t *n)
{
    struct archive *a = archive_read_new();
    struct archive_entry *entry;
    char *bytes = NULL;

    if (a == NULL)
        return NULL;
    if (archive_read_support_filter_xz(a) >= ARCHIVE_WARN &&
        archive_read_support_filter_gzip(a) >= ARCHIVE_WARN &&
        archive_read_support_filter_zstd(a) >= ARCHIVE_WARN &&
        archive_read_support_format_raw(a) >= ARCHIVE_WARN &&
        archive_read_open_memory(a, packed.p, packed.n) == ARCHIVE_OK &&
        archive_read_next_header(a, &entry) == ARCHIVE_OK)
        bytes = member_bytes(a, n);
    archive_read_free(a);
    return bytes;
}

/* ---- archives ---- */

static void read_member(struct symbol_reading *r, struct archive *a, struct archive_entry *entry)
{
    const char *path = archive_entry_pathname(entry);
    struct symbol_reading inner = *r;
    size_t n;

    if (archive_entry_filetype(entry) != AE_IFREG)
        return;
    char *bytes = member_bytes(a, &n);
    inner.depth++;
    inner.name = path == NULL ? STR("") : str_behind_last(str_of(path), '/');
    if (bytes != NULL)
        symbol_read(&inner, bytes, n);
    free(bytes);
}

static void read_archive(struct symbol_reading *r, const char *bytes, size_t n,
                         int (*enable)(struct archive *a))
{
    struct archive *a = archive_read_new();
    struct archive_entry *entry;

    if (a == NULL)
        return;
    if (enable(a) >= ARCHIVE_WARN && archive_read_open_memory(a, bytes, n) == ARCHIVE_OK)
        while (archive_read_next_header(a, &entry) >= ARCHIVE_WARN && !r->out->failed)
            read_member(r, a, entry);
    archive_read_free(a);
}

static bool is_zip(struct str head)
{
    return str_starts(head, STR("PK\3\4"));
}

static void read_zip(struct symbol_reading *r, char *bytes, size_t n)
{
    read_archive(r, bytes, n, archive_read_support_format_zip);
}

static bool is_tar(struct str head)
{
    return head.n > TAR_MAGIC_AT && str_starts(str_from(head, TAR_MAGIC_AT), STR("ustar"));
}

static void read_tar(struct symbol_reading *r, char *bytes, size_t n)
{
    read_archive(r, bytes, n, archive_read_support_format_tar);
}

/* gzip, xz, zstd */
static bool is_packed(struct str head)
{
    return str_starts(head, STR("\x1f\x8b")) ||
           str_starts(head, STR("\xfd"
                                "7zXZ")) ||
           str_starts(head, STR("\x28\xb5\x2f\xfd"));
}

static void read_packed(struct symbol_reading *r, char *bytes, size_t n)
{
    struct symbol_reading inner = *r;
    size_t unpacked_n = 0;
    char *unpacked = symbol_unpack((struct str){bytes, n}, &unpacked_n);

    inner.depth++;
    if (unpacked != NULL)
        symbol_read(&inner, unpacked, unpacked_n);
    free(unpacked);
}

const struct symbol_kind SYMBOL_ZIP = {"zip archive of such files", false, is_zip, read_zip},
                         SYMBOL_TAR = {"tar archive of such files", false, is_tar, read_tar},
                         SYMBOL_PACKED = {"one packed by gzip, xz or zstd", false, is_packed, read_packed};

/* ---- ELF files ---- */

/* ELF files: debug information where there is some, else the functions of .symtab, of the small file that is packed
 * into .gnu_debugdata by xz, and of .dynsym. By libelf of elfutils. */

struct function {
    uint64_t address, bytes; /* 0 bytes: up to the next one */
    const char *name;
};

struct elf_file {
    struct symbol_reading *reading;
    Elf *elf;
    char *packed; /* the file within .gnu_debugdata, or NULL */
    Elf *within;
    struct function *functions; /* by address */
    size_t n, capacity;
    bool collected;
    struct symbol_dwarf *dwarf;
    uint64_t vaddr, offset, align; /* of the first segment with code */
    bool has_code, has_bytes;      /* It has such a segment, and its bytes are in the file. */
};

static bool detect(struct str head)
{
    return str_starts(head, STR("\177ELF"));
}

/* ---- functions by address ---- */

static bool add_function(struct elf_file *f, const struct function *function)
{
    if (f->n == f->capacity) {
        size_t capacity = f->capacity == 0 ? 1024 : f->capacity * 2;
        struct function *grown = reallocarray(f->functions, capacity, sizeof(*grown));
        if (grown == NULL)
            return false;
        f->functions = grown;
        f->capacity = capacity;
    }
    f->functions[f->n++] = *function;
    return true;
}

/* Of 32-bit ARM the lowest bit says that the code is Thumb. */
static bool add_table(struct elf_file *f, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
    GElf_Ehdr ehdr;
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Sym symbol;
    bool ok = true;

    if (data == NULL || header->sh_entsize == 0 || gelf_getehdr(elf, &ehdr) == NULL)
        return true;
    size_t n = header->sh_size / header->sh_entsize;
    for (size_t i = 0; ok && i < n && i <= INT32_MAX && gelf_getsym(data, (int)i, &symbol) != NULL; i++) {
        unsigned type = GELF_ST_TYPE(symbol.st_info);
        const char *name = type == STT_FUNC || type == STT_GNU_IFUNC
                               ? elf_strptr(elf, header->sh_link, symbol.st_name)
                               : NULL;
        if (name == NULL || *name == '\0' || symbol.st_shndx == SHN_UNDEF)
            continue;
        ok = add_function(
            f, &(struct function){ehdr.e_machine == EM_ARM ? symbol.st_value & ~UINT64_C(1) : symbol.st_value,
                                  symbol.st_size, name});
    }
    return ok;
}

static void open_within(struct elf_file *f, Elf_Scn *section)
{
    Elf_Data *data = elf_rawdata(section, NULL);
    size_t n = 0;

    if (f->packed != NULL || data == NULL || data->d_buf == NULL)
        return;
    f->packed = symbol_unpack((struct str){data->d_buf, data->d_size}, &n);
    if (f->packed != NULL && n > 0)
        f->within = elf_memory(f->packed, n);
}

/* Tables of one file; what is packed into it is opened. */
static bool add_tables(struct elf_file *f, Elf *elf)
{
    size_t names;
    Elf_Scn *section = NULL;
    GElf_Shdr header;

    if (elf == NULL || elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &names) != 0)
        return true;
    while ((section = elf_nextscn(elf, section)) != NULL) {
        if (gelf_getshdr(section, &header) == NULL)
            continue;
        const char *name = elf_strptr(elf, names, header.sh_name);
        if ((header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM) &&
            !add_table(f, elf, section, &header))
            return false;
        if (elf == f->elf && name != NULL && strcmp(name, ".gnu_debugdata") == 0)
            open_within(f, section);
    }
    return true;
}

static int by_address(const void *a, const void *b)
{
    const struct function *fa = a, *fb = b;

    if (fa->address != fb->address)
        return fa->address < fb->address ? -1 : 1;
    return (fa->bytes < fb->bytes) - (fa->bytes > fb->bytes); /* the longest is the first of several names */
}

static void collect(struct elf_file *f)
{
    if (f->collected)
        return;
    f->collected = true;
    /* Without memory for all of them none is known: what is not in order would be found under wrong names. */
    if (!add_tables(f, f->elf) || !add_tables(f, f->within))
        f->n = 0;
    if (f->n > 0)
        qsort(f->functions, f->n, sizeof(*f->functions), by_address);
}

static const struct function *find_function(const struct elf_file *f, uint64_t address)
{
    size_t from = 0, to = f->n;

    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (f->functions[middle].address <= address)
            from = middle + 1;
        else
            to = middle;
    }
    if (from == 0)
        return NULL;
    const struct function *last = &f->functions[from - 1];
    while (last > f->functions && last[-1].address == last->address)
        last--;
    return last->bytes == 0 || address - last->address < last->bytes ? last : NULL;
}

/* ---- addresses ---- */

static void find_code(struct elf_file *f)
{
    size_t n;
    GElf_Phdr header;

    if (elf_getphdrnum(f->elf, &n) != 0)
        return;
    for (size_t i = 0; i < n && i <= INT32_MAX && !f->has_code; i++) {
        if (gelf_getphdr(f->elf, (int)i, &header) == NULL || header.p_type != PT_LOAD ||
            (header.p_flags & PF_X) == 0)
            continue;
        f->has_code = true;
        f->has_bytes = header.p_filesz > 0;
        f->vaddr = header.p_vaddr;
        f->offset = header.p_offset;
        f->align = header.p_align > 0 && (header.p_align & (header.p_align - 1)) == 0 ? header.p_align : 1;
    }
}

/* How far the code is shifted in the file. A file that holds nothing but debug information has no offsets
 * of its own: there the place where the recorded file was mapped serves, which is at the segment's offset
 * but for the rest of a page. */
static uint64_t bias_of(const struct elf_file *f, const struct symbol_question *q)
{
    if (f->has_bytes)
        return f->vaddr >= f->offset ? f->vaddr - f->offset : 0;
    return f->vaddr >= q->map_offset ? (f->vaddr - q->map_offset) & ~(f->align - 1) : 0;
}

static uint64_t address_of(const struct elf_file *f, const struct symbol_question *q)
{
    uint64_t bias = f->has_code && q->load_bias != PROFILE_BIAS_KNOWN ? bias_of(f, q) : 0;

    return bias > q->load_bias ? q->address + (bias - q->load_bias) : q->address;
}

/* ---- the file ---- */

static bool symbol_at(struct symbol_reading *r, uint32_t question);

static bool symbol_in(struct symbol_reading *r, struct str function, struct str file, uint32_t line);

static bool answer(struct elf_file *f, uint32_t question)
{
    struct symbol_reading *r = f->reading;
    struct symbols_name names[SYMBOLS_NAMES_MAX];
    uint64_t address = address_of(f, &r->request->questions[question]);
    uint32_t n = f->dwarf != NULL ? symbol_dwarf_at(f->dwarf, address, names) : 0;

    if (n == 0) {
        collect(f);
        const struct function *function = find_function(f, address);
        if (function == NULL)
            return true;
        n = 1;
        names[0] = (struct symbols_name){.function = str_of(function->name), .file = {"", 0}};
    }
    bool ok = symbol_at(r, question);
    for (uint32_t i = 0; ok && i < n; i++)
        ok = symbol_in(r, names[i].function, names[i].file, names[i].line);
    return ok;
}

static struct str build_id_of(Elf *elf, struct buf *hex)
{
    const void *id;
    ssize_t n = dwelf_elf_gnu_build_id(elf, &id);

    if (n > 0 && n <= SYMBOL_ID_CHARS / 2)
        buf_hex_bytes(hex, id, (size_t)n);
    return buf_view(hex);
}

static struct str soname_in(Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Dyn entry;

    for (int i = 0; data != NULL && gelf_getdyn(data, i, &entry) != NULL && entry.d_tag != DT_NULL; i++)
        if (entry.d_tag == DT_SONAME) {
            const char *name = elf_strptr(elf, header->sh_link, entry.d_un.d_val);
            return name == NULL ? STR("") : str_of(name);
        }
    return STR("");
}

/* What the library calls itself. */
static struct str soname_of(Elf *elf)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;

    while ((section = elf_nextscn(elf, section)) != NULL)
        if (gelf_getshdr(section, &header) != NULL && header.sh_type == SHT_DYNAMIC)
            return soname_in(elf, section, &header);
    return STR("");
}

static bool symbol_fit(struct symbol_reading *r, uint32_t module, bool same_build, struct str own_name);

static bool symbol_same_id(const struct symbol_module *m, struct str build_id);

static void answer_all(struct elf_file *f)
{
    const struct symbol_request *request = f->reading->request;
    struct buf hex = {0};
    struct str build_id = build_id_of(f->elf, &hex), soname = soname_of(f->elf);
    bool ok = !hex.failed, opened = false;

    for (uint32_t i = 0; ok && i < request->head->n_modules; i++) {
        const struct symbol_module *m = &request->modules[i];
        if (!symbol_fit(f->reading, i, symbol_same_id(m, build_id), soname))
            continue;
        if (!opened)
            f->dwarf = symbol_dwarf_new(f->elf);
        opened = true;
        for (uint32_t q = m->first; ok && q < m->first + m->n; q++)
            ok = answer(f, q);
    }
    buf_free(&hex);
}

static void read_file(struct symbol_reading *r, char *bytes, size_t n)
{
    struct elf_file f = {.reading = r};

    if (elf_version(EV_CURRENT) == EV_NONE)
        return;
    f.elf = elf_memory(bytes, n);
    if (f.elf != NULL && elf_kind(f.elf) == ELF_K_ELF) {
        find_code(&f);
        answer_all(&f);
    }
    symbol_dwarf_free(f.dwarf);
    free(f.functions);
    elf_end(f.within);
    free(f.packed);
    elf_end(f.elf);
}

const struct symbol_kind SYMBOL_ELF = {"ELF file", true, detect, read_file};

/* ---- Breakpad's files, packets, and the table of kinds ---- */

/* Breakpad's symbol files: parser/symbols/breakpad.c reads them; its addresses are those of the file. */

/* ---- Breakpad ---- */

struct answering {
    struct symbol_reading *reading;
    uint32_t first; /* question */
};

static bool answer_breakpad(void *context, size_t i, const struct symbols_name *names, uint32_t n)
{
    struct answering *a = context;
    bool ok = symbol_at(a->reading, a->first + (uint32_t)i);

    for (uint32_t k = 0; ok && k < n; k++)
        ok = symbol_in(a->reading, names[k].function, names[k].file, names[k].line);
    return ok;
}

static void answer_module(struct symbol_reading *r, const struct breakpad *b, const struct symbol_module *m)
{
    struct answering a = {r, m->first};
    uint64_t *addresses = arena_array(b->arena, m->n, sizeof(*addresses));

    for (uint32_t i = 0; addresses != NULL && i < m->n; i++)
        addresses[i] = r->request->questions[m->first + i].address;
    if (addresses != NULL)
        breakpad_answer(b, addresses, m->n, answer_breakpad, &a);
}

static void read_breakpad(struct symbol_reading *r, char *bytes, size_t n)
{
    const struct symbol_head *head = r->request->head;
    struct arena arena;
    struct breakpad b;

    arena_init(&arena, (size_t)head->memory_bytes);
    bool ok = breakpad_open(&b, (struct str){bytes, n}, &arena);
    for (uint32_t i = 0; ok && i < head->n_modules; i++)
        if (symbol_fit(r, i, breakpad_is_of(&b, str_of(r->request->modules[i].build_id)), b.name))
            answer_module(r, &b, &r->request->modules[i]);
    arena_free(&arena);
}

const struct symbol_kind SYMBOL_BREAKPAD = {"Breakpad symbols", true, breakpad_detect, read_breakpad};

/* ---- packets of Perfetto ---- */

/* Packets with symbols or deobfuscated names of a Perfetto trace. They are known here, and read with the
 * trace: see conversion_symbols. */

static bool detect_packets(struct str head)
{
    return recognise_format((const uint8_t *)head.p, head.n, false) == RECOGNISED_BESIDE;
}

static void read_none(struct symbol_reading *r, char *bytes, size_t n)
{
    (void)r;
    (void)bytes;
    (void)n;
}

const struct symbol_kind SYMBOL_PACKETS = {"symbols of a Perfetto trace", false, detect_packets, read_none};

/* ---- the table ---- */

/* THE TABLE of files of symbols. */
static const struct symbol_kind *const KINDS[] = {&SYMBOL_ELF, &SYMBOL_BREAKPAD, &SYMBOL_PACKETS,
                                                  &SYMBOL_ZIP, &SYMBOL_TAR,      &SYMBOL_PACKED};

enum { KINDS_COUNT = sizeof(KINDS) / sizeof(*KINDS), FLUSH_BYTES = 64 << 10 };

const struct symbol_kind *symbol_kind_of(struct str head)
{
    for (size_t i = 0; i < KINDS_COUNT; i++)
        if (KINDS[i]->detect(head))
            return KINDS[i];
    return NULL;
}

void symbol_kinds_list(struct buf *b)
{
    for (size_t i = 0; i < KINDS_COUNT; i++)
        buf_printf(b, "%s%s", i > 0 ? ", " : "", KINDS[i]->name);
}

void symbol_read(struct symbol_reading *r, char *bytes, size_t n)
{
    const struct symbol_kind *kind =
        symbol_kind_of((struct str){bytes, n < SYMBOL_HEAD_BYTES ? n : SYMBOL_HEAD_BYTES});

    if (kind != NULL && r->depth <= SYMBOL_DEPTH_MAX)
        kind->read(r, bytes, n);
}

/* ---- what the rows share ---- */

/* Whether the library has this build id, which is in hexadecimal digits or empty. */
static bool symbol_same_id(const struct symbol_module *m, struct str build_id)
{
    return build_id.n > 0 && str_eq_nocase(str_of(m->build_id), build_id);
}

/* Whether the file is of the library, and writes it if so. `same_build`: they have the same build id, as
 * the caller found out. `own_name` is what the file calls itself. True: the library's questions are to be
 * answered. */
static bool symbol_fit(struct symbol_reading *r, uint32_t module, bool same_build, struct str own_name)
{
    const struct symbol_module *m = &r->request->modules[module];
    struct str name = str_of(m->name);
    bool same_name = name.n > 0 && (str_eq(name, r->name) || str_eq(name, own_name));
    enum symbols_state state = same_build               ? SYMBOLS_FOUND
                               : !same_name             ? SYMBOLS_MISSING
                               : m->build_id[0] == '\0' ? SYMBOLS_BY_NAME
                                                        : SYMBOLS_OTHER;

    if (state != SYMBOLS_MISSING)
        buf_printf(r->out, "fit\t%u\t%u\n", module, (unsigned)state);
    return state == SYMBOLS_FOUND || state == SYMBOLS_BY_NAME;
}

static bool symbol_at(struct symbol_reading *r, uint32_t question)
{
    bool ok = r->out->n < FLUSH_BYTES || r->flush(r);

    buf_printf(r->out, "at\t%u\n", question);
    return ok && !r->out->failed;
}

static void put_text(struct buf *b, struct str text)
{
    for (size_t i = 0; i < text.n && i < SYMBOL_TEXT_BYTES; i++) {
        unsigned char c = (unsigned char)text.p[i];
        buf_char(b, c < ' ' || c == 0x7f ? '?' : (char)c);
    }
}

static bool symbol_in(struct symbol_reading *r, struct str function, struct str file, uint32_t line)
{
    struct buf readable = {0};

    demangle(&readable, function.n > 0 ? function : STR("unknown"), SYMBOL_TEXT_BYTES);
    buf_printf(r->out, "in\t%u\t", line);
    put_text(r->out, buf_view(&readable));
    buf_char(r->out, '\t');
    put_text(r->out, file);
    buf_char(r->out, '\n');
    bool ok = !readable.failed && !r->out->failed;
    buf_free(&readable);
    return ok;
}
