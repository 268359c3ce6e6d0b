/* What a mapped file is, by its name: the kernel's, Java code of the app or of the system, or native code. */
#pragma once

#include "profile/profile.h"

enum frame_kind module_kind(struct str path);
