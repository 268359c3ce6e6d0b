#include "render/card/glyphs.h"

#include <stdbool.h>
#include <stddef.h>

/* The first digit is the advance. */

enum { ASCII_FIRST = 0x20, ASCII_END = 0x7f, LATIN_FIRST = 0xc0, LATIN_END = 0x180 };
enum { SMALL_TOP = 22, CAPITAL_TOP = 28, ACCENT_MIDDLE = 8 };

/* From the space to the tilde. */
static const char *const ASCII[ASCII_END - ASCII_FIRST] = {
    "8",
    "63s3e 38",
    "a3s3m 7s7m",
    "i7s58 dsb8 2lgl 1fff",
    "gdp.bs8s.2s2n.2j8i.ehed.e888.482b 8v85",
    "m5s.8s8n.8i5i.2i2n.2s5s hi.kikd.k8h8.e8ed.eihi gs68",
    "ki86l.5s9s.dsdn.dk7h.2e2d.2888.e8gg",
    "63s3m",
    "97u.2o2h.2a74",
    "92u.7o7h.7a24",
    "e7s7i 2qck cq2k",
    "g8m8a 2geg",
    "63924",
    "a2g8g",
    "638",
    "cau14",
    "g8s.esei.e888.282i.2s8s",
    "g3o8s88",
    "g2n.2s8s.esen.ei28e8",
    "g2p.4s8s.dsdn.di8i.eied.e888.382b",
    "gb8bs2dfd",
    "gds4s3i.5k8k.ekee.e888.482b",
    "gdq.bs9s.2s2f 2f.2l8l.elef.e888.282f",
    "g2ses68",
    "g8s.dsdn.di8i.3i3n.3s8s 8i.eied.e888.282d.2i8i",
    "g3a.5878.e8el el.ef8f.2f2l.2s8s.esel",
    "638 3k",
    "63924 3k",
    "gdm2gda",
    "g2jej 2ded",
    "g3meg3a",
    "e2o.2s7s.cscn.cj7h7e 78",
    "qdl.hlhg.hbdb.9b9g.9ldl hlhd.hbkb.obog.osds.2s2g.24d4.h4j6",
    "i289sg8 4eee",
    "h282s9s.esen.ei9i2i 9i.fifd.f89828",
    "ifo.ds9s.2s2i.2898.d8fc",
    "i282s8s.gsgi.g88828",
    "fds2s28d8 2ici",
    "ecs2s28 2ibi",
    "jgo.es9s.2s2i.2898.g8geghah",
    "i282s g8gs 2igi",
    "6383s",
    "dasae.a868.282c",
    "g282s es2f 6jf8",
    "e2s28c8",
    "m282sbcksk8",
    "i282sg8gs",
    "kas.isii.i8a8.282i.2sas",
    "h282s9s.fsfm.fg9g2g",
    "kas.isii.i8a8.282i.2sas cdi6",
    "h282s9s.fsfm.fg9g2g 9gf8",
    "gdp.bs8s.2s2n.2j8i.ehed.e888.482b",
    "g1sfs 8s88",
    "i2s2f.2898.g8gfgs",
    "g1s88fs",
    "o1s68cqi8ns",
    "g2se8 es28",
    "g1s8ifs 8i88",
    "g2ses28e8",
    "97u3u3474",
    "c1ua4",
    "92u6u6424",
    "g3j8sdj",
    "g04g4",
    "83t6o",
    "f3k.5m7m.cmchc8 cg7g.2g2c.2868.b8cc",
    "g2s28 2f.2m8m.emef.e888.282f",
    "ecj.bm8m.2m2f.2888.b8cb",
    "gese8 ef.em8m.2m2f.2888.e8ef",
    "f2fdf.dm8m.2m2f.2888.b8db",
    "a9s.4s4n48 1m8m",
    "gef.em8m.2m2f.2888.e8ef eme7.e282.5234",
    "f2s28 2g.2m8m.dmdgd8",
    "63m38 3s",
    "63m35.3202 3s",
    "e2s28 cm2d 5gd8",
    "63s38",
    "m2m28 2g.2m7m.bmbgb8 bg.bmgm.kmkgk8",
    "f2m28 2g.2m8m.dmdgd8",
    "g8m.emef.e888.282f.2m8m",
    "g2m22 2f.2m8m.emef.e888.282f",
    "geme2 ef.em8m.2m2f.2888.e8ef",
    "b2m28 2g.2m9m",
    "ebj.am7m.2m2i.2f7f.cfcc.c878.382b",
    "a4r4d.4898 1m9m",
    "f2m2e.2878.d8de dmd8",
    "e1m78dm",
    "k1m58akf8jm",
    "e2mc8 cm28",
    "e1m78 dm42",
    "e2mcm28c8",
    "a8u.5u5q5k.5h2h.5h5e58.5484",
    "63u34",
    "a2u.5u5q5k.5h8h.5h5e58.5424",
    "g2f.4j8g.cdeh",
};

static const char DOTLESS_I[] = "63m38";
static const char UNKNOWN[] = "g282sese828 6m.6p8p.apam.aj8i8g 8c";

static const struct {
    uint16_t code_point;
    const char *strokes;
} OTHERS[] = {
    {0xa0, "8"},
    {0xb0, "a5s.8s8p.8m5m.2m2p.2s5s"},
    {0xb1, "g8o8c 2iei 28e8"},
    {0xb5, "f2m22 2e.2878.d8de dmd8"},
    {0xb7, "84g"},
    {0xc6, "n18bsks bsb8k8 biji 5fbf"},
    {0xd7, "g3lda dl3a"},
    {0xde, "h282s 2o9o.fofi.fc9c2c"},
    {0xdf, "g282n.2s7s.cscn.cj7i.ehed.e868"},
    {0xe6, "o3k.5m7m.cmcf cg7g.2g2c.2868.b8cc cfmf.mmhm.cmcf.c8h8.k8mb"},
    {0xf7, "g2geg 8m 8a"},
    {0xfe, "g2s22 2f.2m8m.emef.e888.282f"},
    {0x152, "pbs.2s2i.28b8n8 bsns bsb8 bili"},
    {0x153, "o7m.cmcf.c878.282f.2m7m cfmf.mmhm.cmcf.c8h8.k8mb"},
    {0x394, "i289sg828"},
    {0x3bc, "f2m22 2e.2878.d8de dmd8"},
    {0x2010, "a2g8g"},
    {0x2011, "a2g8g"},
    {0x2013, "e2gcg"},
    {0x2014, "k2gig"},
    {0x2018, "63s3m"},
    {0x2019, "63s3m"},
    {0x201c, "a3s3m 7s7m"},
    {0x201d, "a3s3m 7s7m"},
    {0x2022, "84g4h"},
    {0x2026, "k48 a8 g8"},
    {0x20ac, "ifo.ds9s.2s2i.2898.d8fc 0kak 0g9g"},
    {0x2192, "m2gkg elkgeb"},
    {0x2212, "g2geg"},
};

/* From U+00C0 to U+017F: the letter, and what stands above, below or across it. 1 is the i without its dot. What
 * OTHERS has is not looked for here. */
static const char BASES[LATIN_END - LATIN_FIRST + 1] =
    "AAAAAA?CEEEEIIIIDNOOOOO?OUUUUY??aaaaaa?ceeee1111dnooooo?ouuuuy?y"
    "AaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgGgGgHhHhI1I1I1IiI1IiJjKkkLlLlLlL"
    "lLlNnNnNnnNnOoOoOo??RrRrRrSsSsSsSsTtTtTtUuUuUuUuUuUuWwYyYZzZzZzs";
static const char ACCENTS[LATIN_END - LATIN_FIRST + 1] =
    "`'^~:o ,`'^:`'^:=~`'^~: /`'^:'  `'^~:o ,`'^:`'^:=~`'^~: /`'^:' :"
    "--uukk''^^..vvvv==--uu..kkvv^^uu..,'^^==~~--uukk.   ^^,, '',,vv "
    " ll'',,vv   --uu\"\"  '',,vv''^^,,vv,,vv==~~--uuoo\"\"kk^^^^:''..vv ";

/* Around x = 8; those above are as high above a small letter as these are above the base line. */
static const struct accent {
    char name;
    enum { ABOVE, BELOW, ACROSS } where;
    const char *strokes, *capital;
} ACCENT_STROKES[] = {
    {'`', ABOVE, "5f9b", NULL},      {'\'', ABOVE, "7bbf", NULL},
    {'^', ABOVE, "4b8fcb", NULL},    {'~', ABOVE, "3c.5f8d.bbde", NULL},
    {':', ABOVE, "5d bd", NULL},     {'o', ABOVE, "8g.bgbd.ba8a.5a5d.5g8g", NULL},
    {'-', ABOVE, "4dcd", NULL},      {'u', ABOVE, "4f.4b8b.cbcf", NULL},
    {'.', ABOVE, "8d", NULL},        {'v', ABOVE, "4f8bcf", NULL},
    {'"', ABOVE, "4b7f 9bcf", NULL}, {',', BELOW, "8886.b5a3.9262", NULL},
    {'k', BELOW, "b8.74c2", NULL},   {'/', ACROSS, "47cn", "37dt"},
    {'l', ACROSS, "5fbl", "1f8l"},   {'=', ACROSS, "5pcp", "0i8i"},
};

/* The digit of base 36. */
static unsigned digit(char c)
{
    return c >= 'a' ? 10U + (unsigned)(c - 'a') : (unsigned)(c - '0');
}

static struct glyph of_strokes(const char *strokes)
{
    return (struct glyph){.advance = digit(strokes[0]), .strokes = strokes + 1};
}

static const struct accent *find_accent(char name)
{
    for (size_t i = 0; i < sizeof(ACCENT_STROKES) / sizeof(*ACCENT_STROKES); i++)
        if (ACCENT_STROKES[i].name == name)
            return &ACCENT_STROKES[i];
    return NULL;
}

static struct glyph accented(char base, char name)
{
    struct glyph g = of_strokes(base == '1' ? DOTLESS_I : ASCII[base - ASCII_FIRST]);
    const struct accent *accent = find_accent(name);
    bool capital = base >= 'A' && base <= 'Z', tall = capital || base == 'd' || base == 'h' || base == 'l';

    if (accent == NULL)
        return g;
    g.accent = capital && accent->capital != NULL ? accent->capital : accent->strokes;
    g.accent_x = (int)(g.advance / 2) - ACCENT_MIDDLE;
    g.accent_y = accent->where != ABOVE ? 0 : tall ? CAPITAL_TOP - GLYPH_BASE : SMALL_TOP - GLYPH_BASE;
    return g;
}

/* Combining marks, joiners, and what chooses the form of the character before it. */
static bool takes_no_room(uint32_t c)
{
    return (c >= 0x300 && c <= 0x36f) || (c >= 0x200b && c <= 0x200f) || (c >= 0xfe00 && c <= 0xfe0f) ||
           c == 0x2060 || c == 0xad;
}

struct glyph glyph_of(uint32_t c)
{
    if (takes_no_room(c))
        return (struct glyph){.strokes = ""};
    if (c >= ASCII_FIRST && c < ASCII_END)
        return of_strokes(ASCII[c - ASCII_FIRST]);
    for (size_t i = 0; i < sizeof(OTHERS) / sizeof(*OTHERS); i++)
        if (OTHERS[i].code_point == c)
            return of_strokes(OTHERS[i].strokes);
    if (c >= LATIN_FIRST && c < LATIN_END)
        return accented(BASES[c - LATIN_FIRST], ACCENTS[c - LATIN_FIRST]);
    return of_strokes(UNKNOWN);
}
