/* Whether this is built with a sanitizer, as gcc and clang say it. */
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN
#elif defined(__SANITIZE_THREAD__)
#define WITH_TSAN
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN
#elif __has_feature(thread_sanitizer)
#define WITH_TSAN
#endif
#endif

#if defined(WITH_ASAN) || defined(WITH_TSAN)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif
