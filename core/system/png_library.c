/* libpng, opened when the first picture becomes one (library.h). The functions that are used stand here under their own names.
 * Where it is not there no picture is made. */
#include <png.h>
#include <stddef.h>

#include "core/system/library.h"

struct functions {
    __typeof__(png_image_write_to_memory) *write_to_memory;
    __typeof__(png_image_free) *free;
};

static const struct library_function NAMES[] = {
    {"png_image_write_to_memory", offsetof(struct functions, write_to_memory)},
    {"png_image_free", offsetof(struct functions, free)}};

static struct functions library;
static struct library libpng = LIBRARY_INIT("libpng16.so.16", NAMES, library, NULL);

int png_image_write_to_memory(png_imagep image, void *to, png_alloc_size_t *n, int to_8_bits,
                              const void *from, png_int_32 stride, const void *colours)
{
    return library_ready(&libpng) ? library.write_to_memory(image, to, n, to_8_bits, from, stride, colours)
                                  : 0;
}

void png_image_free(png_imagep image)
{
    if (library_ready(&libpng))
        library.free(image);
}
