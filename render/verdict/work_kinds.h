/* What people look for on a main thread: kinds of work that are known by the methods that begin them. */
#pragma once

#include <stdint.h>

#include "profile/frame/frame_text.h"

enum work_kind {
    WORK_FILES,
    WORK_DATABASE,
    WORK_PREFERENCES,
    WORK_JSON,
    WORK_INFLATION,
    WORK_IMAGES,
    WORK_REFLECTION,
    WORK_CLASS_LOADING,
    WORK_INITIALISERS,
    WORK_COLLECTION, /* of garbage, asked for by a method */
    WORK_REGEX,
    WORK_ZIP,
    WORK_BASE64,
    WORK_STREAMS,
    WORK_BLOCKING,
    WORK_NETWORK,
    WORK_LIBRARIES,
    WORK_CRYPTO,
    WORK_FONTS,
    WORK_RESOURCES,
    WORK_WEBVIEW,
    WORK_COMPOSE,
    WORK_TRACING, /* by the app itself: Debug.startMethodTracing */
    WORK_VERIFYING,
    WORK_DATES,
    WORK_KINDS
};

/* A bit for each enum work_kind that the method begins. */
uint32_t work_kinds_of(const struct frame_parts *parts);

/* "reading and writing files" */
const char *work_kind_words(enum work_kind kind);

/* What to do about it, as a sentence. */
const char *work_kind_advice(enum work_kind kind);
