/* Whether this is built with AddressSanitizer, as gcc and clang say it. */
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN
#endif
#endif
