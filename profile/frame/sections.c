/* Names are those of Android's sources (frameworks/base, art) and of Perfetto's standard library for Android. */
#include "profile/frame/sections.h"

#include "profile/warning.h"

#define OWNER "monitor contention with owner "
#define AT    " at "

/* A `*` at the end: all that begin so. The first row that fits counts. */
struct section_row {
    struct str name;
    enum section_kind kind;
};

/* clang-format off */
static const struct section_row SECTIONS[] = {
    {STR_INIT("bindApplication"), SECTION_BIND},
    {STR_INIT("activityStart"), SECTION_ACTIVITY},
    {STR_INIT("Choreographer#doFrame*"), SECTION_FRAME},
    {STR_INIT("reportFullyDrawn*"), SECTION_DRAWN},
    {STR_INIT("launching: *"), SECTION_LAUNCH},
    {STR_INIT("launchingActivity*"), SECTION_PLATFORM},
    {STR_INIT("monitor contention with *"), SECTION_LOCK},
    {STR_INIT("Lock contention on *"), SECTION_LOCK},
    {STR_INIT("Contending for pthread mutex*"), SECTION_LOCK},
    {STR_INIT("binder transaction async*"), SECTION_PLATFORM},
    {STR_INIT("binder transaction*"), SECTION_BINDER},
    {STR_INIT("binder *"), SECTION_PLATFORM},
    {STR_INIT("GC: Wait For*"), SECTION_GC},
    {STR_INIT("Waiting for GC*"), SECTION_GC},
    {STR_INIT("WaitForGcToComplete*"), SECTION_GC},
    {STR_INIT("MarkingPhase"), SECTION_PLATFORM},
    {STR_INIT("CompactionPhase"), SECTION_PLATFORM},
    {STR_INIT("CopyingPhase"), SECTION_PLATFORM},
    {STR_INIT("ReclaimPhase"), SECTION_PLATFORM},
    {STR_INIT("PostFork"), SECTION_PLATFORM},
    {STR_INIT("ActivityThreadMain"), SECTION_PLATFORM},
    {STR_INIT("ZygoteInit"), SECTION_PLATFORM},
    {STR_INIT("makeApplication"), SECTION_PLATFORM},
    {STR_INIT("activity*"), SECTION_PLATFORM},
    {STR_INIT("performCreate*"), SECTION_PLATFORM},
    {STR_INIT("performResume*"), SECTION_PLATFORM},
    {STR_INIT("clientTransaction*"), SECTION_PLATFORM},
    {STR_INIT("input"), SECTION_PLATFORM},
    {STR_INIT("animation"), SECTION_PLATFORM},
    {STR_INIT("insets_animation"), SECTION_PLATFORM},
    {STR_INIT("traversal"), SECTION_PLATFORM},
    {STR_INIT("performTraversals"), SECTION_PLATFORM},
    {STR_INIT("commit"), SECTION_PLATFORM},
    {STR_INIT("measure"), SECTION_PLATFORM},
    {STR_INIT("layout"), SECTION_PLATFORM},
    {STR_INIT("draw"), SECTION_PLATFORM},
    {STR_INIT("draw-VRI*"), SECTION_PLATFORM},
    {STR_INIT("Record View#draw()"), SECTION_PLATFORM},
    {STR_INIT("DrawFrame*"), SECTION_PLATFORM},
    {STR_INIT("syncFrameState*"), SECTION_PLATFORM},
    {STR_INIT("flush commands"), SECTION_PLATFORM},
    {STR_INIT("eglSwapBuffers*"), SECTION_PLATFORM},
    {STR_INIT("dequeueBuffer*"), SECTION_PLATFORM},
    {STR_INIT("queueBuffer*"), SECTION_PLATFORM},
    {STR_INIT("waitForBufferRelease*"), SECTION_PLATFORM},
    {STR_INIT("postAndWait"), SECTION_PLATFORM},
    {STR_INIT("GPU completion"), SECTION_PLATFORM},
    {STR_INIT("waiting for GPU*"), SECTION_PLATFORM},
    {STR_INIT("waiting for HWC*"), SECTION_PLATFORM},
    {STR_INIT("Texture upload*"), SECTION_PLATFORM},
    {STR_INIT("inflate"), SECTION_WORK},
    {STR_INIT("ResourcesManager#*"), SECTION_WORK},
    {STR_INIT("RV *"), SECTION_WORK},
    {STR_INIT("obtainView"), SECTION_WORK},
    {STR_INIT("setupListItem"), SECTION_WORK},
    {STR_INIT("Compose:*"), SECTION_WORK},
    {STR_INIT("compose:*"), SECTION_WORK},
    {STR_INIT("Recomposer:*"), SECTION_WORK},
    {STR_INIT("AIDL::*"), SECTION_PLATFORM},
    {STR_INIT("HIDL::*"), SECTION_PLATFORM},
    {STR_INIT("JIT *"), SECTION_WORK},
    {STR_INIT("Compiling*"), SECTION_WORK},
    {STR_INIT("ScopedCodeCacheWrite*"), SECTION_PLATFORM},
    {STR_INIT("VerifyClass*"), SECTION_WORK},
    {STR_INIT("OpenDexFilesFromOat*"), SECTION_WORK},
    {STR_INIT("Open oat file*"), SECTION_PLATFORM},
    {STR_INIT("Open dex file*"), SECTION_PLATFORM},
    {STR_INIT("VdexFile*"), SECTION_PLATFORM},
    {STR_INIT("dlopen*"), SECTION_WORK},
    {STR_INIT("LoadApkAssets*"), SECTION_WORK},
    {STR_INIT("mm_vmscan_direct_reclaim"), SECTION_PLATFORM},
    {STR_INIT("dma_fence_wait"), SECTION_PLATFORM},
    {STR_INIT("Suspend*"), SECTION_PLATFORM},
    {STR_INIT("relayoutWindow*"), SECTION_PLATFORM},
    {STR_INIT("MSG_WINDOW_FOCUS_CHANGED"), SECTION_PLATFORM},
    {STR_INIT("deliverInputEvent*"), SECTION_PLATFORM},
    {STR_INIT("broadcastReceive*"), SECTION_PLATFORM},
    {STR_INIT("serviceCreate*"), SECTION_PLATFORM},
    {STR_INIT("serviceStart*"), SECTION_PLATFORM},
    {STR_INIT("ImageDecoder#*"), SECTION_WORK},
    {STR_INIT("decodeBitmap"), SECTION_WORK},
};
/* clang-format on */

enum section_kind section_kind_of(struct str name)
{
    for (size_t i = 0; i < sizeof(SECTIONS) / sizeof(SECTIONS[0]); i++)
        if (str_fits(name, SECTIONS[i].name))
            return SECTIONS[i].kind;
    /* "Background young concurrent mark compact GC" */
    return str_ends(name, STR(" GC")) ? SECTION_GC : SECTION_OTHER;
}

bool sections_in(const struct profile *p)
{
    if (profile_value_by_role(p, ROLE_RUNNABLE) < p->n_values)
        return true;
    if (warning_of(p, WARN_NO_SCHEDULER) == NULL)
        return false;
    for (frame_id f = 0; f < p->n_frames; f++)
        if (profile_string(p, p->frames[f].signature).n > 0)
            return false;
    return true;
}

struct str section_class(struct str name)
{
    size_t at = name.n, dots = 0;

    for (; at > 0 && name.p[at - 1] != ':' && name.p[at - 1] != ' ' && name.p[at - 1] != '/'; at--)
        dots += name.p[at - 1] == '.';
    bool one_colon = at > 1 && name.p[at - 1] == ':' && name.p[at - 2] != ':';
    return one_colon && dots >= 2 ? str_from(name, at) : STR("");
}

struct str section_owner_method(struct str name)
{
    size_t at = str_find_last(name, ' ');
    const struct str word = STR(AT);

    if (!str_starts(name, STR(OWNER)) || at == name.n || at + 1 < word.n ||
        !str_eq((struct str){name.p + at + 1 - word.n, word.n}, word))
        return STR("");
    return str_from(name, at + 1);
}

struct str section_owner(struct str name)
{
    struct str method = section_owner_method(name);
    size_t from = sizeof(OWNER) - 1, behind = method.n > 0 ? method.n + sizeof(AT) - 1 : 0;

    return str_starts(name, STR(OWNER)) && name.n >= from + behind
               ? (struct str){name.p + from, name.n - from - behind}
               : STR("");
}
