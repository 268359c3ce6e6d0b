/* How many of a profile's names a mapping knows: the figures by which it is told whether it fits. Pure. */
#ifndef PROFILE_MAPPING_MAPPING_SHARE_H
#define PROFILE_MAPPING_MAPPING_SHARE_H

#include "profile/mapping/mapping.h"

/* Names that are no platform's, and those of them that the mapping knows. Zeroed before the first is counted. */
struct mapping_share {
    uint64_t asked, known;
};

/* Whether a mapping is asked about a frame of this kind at all. */
bool mapping_share_is_java(enum frame_kind kind);

/* Whether the class may be one of the app's, or of what the app brings along: its package is no platform's, or it has none, as R8 leaves
 * classes with -repackageclasses. */
bool mapping_share_is_app(struct str scope);

/* Counts one name, as mapping_parts gives it. `scoped`: the frame itself says of which class it is. A method that the mapping leaves
 * out was not renamed, so a short name is not such a method's. */
void mapping_share_count(struct mapping_share *s, const struct frame_parts *parts, bool scoped,
                         enum mapping_found found);

/* So few are known that it is probably the mapping of another build. */
bool mapping_share_is_few(const struct mapping_share *s);

#endif
