/* ELF files: debug information where there is some (symbol_dwarf.c), else the functions of .symtab, of the small file that is packed
 * into .gnu_debugdata by xz, and of .dynsym. By libelf of elfutils. */
#include "server/symbols/symbol_elf.h"

#include <archive.h>
#include <archive_entry.h>
#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <libelf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/str.h"
#include "server/symbols/symbol_reading.h"

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
    return head.n > TAR_MAGIC_AT &&
           str_starts((struct str){head.p + TAR_MAGIC_AT, head.n - TAR_MAGIC_AT}, STR("ustar"));
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

/* ELF files: debug information where there is some (symbol_dwarf.c), else the functions of .symtab, of the small file that is packed
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
    bool has_code, has_bytes;      /* .. which are in the file */
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

static const struct function *find(const struct elf_file *f, uint64_t address)
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

/* How far the code is shifted in the file. A file that holds nothing but debug information has no offsets of its own: there the place
 * where the recorded file was mapped serves, which is at the segment's offset but for the rest of a page. */
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

static bool answer(struct elf_file *f, uint32_t question)
{
    struct symbol_reading *r = f->reading;
    struct symbols_name names[SYMBOLS_NAMES_MAX];
    uint64_t address = address_of(f, &r->request->questions[question]);
    uint32_t n = f->dwarf != NULL ? symbol_dwarf_at(f->dwarf, address, names) : 0;

    if (n == 0) {
        collect(f);
        const struct function *function = find(f, address);
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
