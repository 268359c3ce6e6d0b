/* Packets with symbols or deobfuscated names of a Perfetto trace. They are known here, and read with the trace: see conversion_symbols. */
#include "parser/recognise.h"
#include "server/symbols/symbol_reading.h"

static bool detect(struct str head)
{
    return recognise_format((const uint8_t *)head.p, head.n, false) == RECOGNISED_BESIDE;
}

static void read_none(struct symbol_reading *r, char *bytes, size_t n)
{
    (void)r;
    (void)bytes;
    (void)n;
}

const struct symbol_kind SYMBOL_PACKETS = {"symbols of a Perfetto trace", false, detect, read_none};
