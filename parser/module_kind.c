#include "parser/module_kind.h"

enum frame_kind module_kind(struct str path)
{
    static const struct str JAVA[] = {
        STR_INIT(".jar"), STR_INIT(".dex"), STR_INIT(".vdex"),           STR_INIT(".odex"),
        STR_INIT(".oat"), STR_INIT(".art"), STR_INIT("[JIT app cache]"), STR_INIT("[JIT cache]")};

    if (str_starts(path, STR("[kernel")) || str_ends(path, STR(".ko")))
        return FRAME_KIND_KERNEL;
    for (size_t i = 0; i < sizeof(JAVA) / sizeof(*JAVA); i++)
        if (str_ends(path, JAVA[i]))
            return FRAME_KIND_JAVA;
    return path.n == 0 || str_eq(path, STR("unknown")) ? FRAME_KIND_UNKNOWN : FRAME_KIND_NATIVE;
}
