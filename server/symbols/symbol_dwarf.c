/* Functions, inlined functions and lines, from DWARF, by libdw of elfutils.
 *
 * The ranges of all units are collected once, and those of the functions of one unit when an address is in it: files without
 * .debug_aranges, as clang makes them, are read as fast as others, and no address walks through all entries of its unit. All loops go
 * down by a bounded stack of their own. */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>

#include "server/symbols/symbol_elf.h"

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
static const struct range *find(const struct ranges *all, Dwarf_Addr address)
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

struct symbol_dwarf *symbol_dwarf_new(void *elf)
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

void symbol_dwarf_free(struct symbol_dwarf *d)
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

/* The functions that were inlined at the address, into each other, from the outermost on. How many are in chain[]. */
static uint32_t find_chain(Dwarf_Die *function, Dwarf_Addr address, Dwarf_Die chain[SYMBOLS_NAMES_MAX])
{
    Dwarf_Die at = *function, child;
    uint32_t n = 1;

    chain[0] = *function;
    for (unsigned blocks = 0; blocks < BLOCKS_MAX && n < SYMBOLS_NAMES_MAX; blocks++) {
        int more = dwarf_child(&at, &child);
        for (; more == 0; more = dwarf_siblingof(&child, &child)) {
            int tag = dwarf_tag(&child);
            if ((tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block) &&
                dwarf_haspc(&child, address) > 0)
                break;
        }
        if (more != 0)
            break;
        at = child;
        if (dwarf_tag(&at) == DW_TAG_inlined_subroutine)
            chain[n++] = at;
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

uint32_t symbol_dwarf_at(struct symbol_dwarf *d, uint64_t address,
                         struct symbols_name names[SYMBOLS_NAMES_MAX])
{
    const struct range *in_unit = find(&d->units, address), *in;
    Dwarf_Die unit, function, chain[SYMBOLS_NAMES_MAX];

    if (in_unit == NULL || !enter_unit(d, in_unit->entry, &unit))
        return 0;
    in = find(&d->functions, address);
    if (in == NULL || dwarf_offdie(d->dwarf, in->entry, &function) == NULL)
        return 0;
    uint32_t n = find_chain(&function, address, chain);
    for (uint32_t i = 0; i < n; i++)
        names[i].function = name_of(&chain[n - 1 - i]);
    find_line(&unit, address, &names[0]);
    for (uint32_t i = 1; i < n; i++)
        find_call(&unit, &chain[n - i], &names[i]);
    return names[n - 1].function.n > 0 ? n : 0;
}
