/* A reader of just the XML that a picture may use. */
#pragma once

#include "core/str.h"

/* Well-formed, with no element, attribute or entity but those of pictures, and no character that has to be escaped.
 * What is not so fails the running test. */
void svg_xml_check(struct str svg);
