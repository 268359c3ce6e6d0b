/* What a mapped file is, by its name: the kernel's, Java code of the app or of the system, or native code. */
#ifndef PARSER_MODULE_KIND_H
#define PARSER_MODULE_KIND_H

#include "profile/profile.h"

enum frame_kind module_kind(struct str path);

#endif
