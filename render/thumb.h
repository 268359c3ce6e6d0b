/* Output "thumb": a small preview, without script. */
#ifndef RENDER_THUMB_H
#define RENDER_THUMB_H

#include "render/output.h"

/* The content of its <style> element: the same bytes in every preview. */
struct str thumb_style(void);

#endif
