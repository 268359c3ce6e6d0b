/* Where an absolute URL's authority ends. */
#include "tests/support/unit.h"
#include <string.h>

#include "server/http/message/form.h"

TEST(parts)
{
    static const struct {
        struct str origin, rest;
    } ALL[] = {
        {STR_INIT("http://host"), STR_INIT("")},
        {STR_INIT("http://host:81"), STR_INIT("/")},
        {STR_INIT("HTTPS://[::1]:81"), STR_INIT("/a/b?c=/")},
        {STR_INIT("http://host"), STR_INIT("?a=/")},
        {STR_INIT("http://host"), STR_INIT("/a://b/")},
        {STR_INIT("http://"), STR_INIT("")},
        {STR_INIT("http://"), STR_INIT("/a")},
        {STR_INIT(""), STR_INIT("/")},
        {STR_INIT(""), STR_INIT("/a://b/c")},
        {STR_INIT(""), STR_INIT("?a=http://b/")},
        {STR_INIT(""), STR_INIT("*")},
        {STR_INIT(""), STR_INIT("host:81")},
        {STR_INIT(""), STR_INIT("")},
    };

    for (size_t i = 0; i < sizeof(ALL) / sizeof(*ALL); i++) {
        char text[64];
        struct str url = {text, ALL[i].origin.n + ALL[i].rest.n};
        memcpy(text, ALL[i].origin.p, ALL[i].origin.n);
        memcpy(text + ALL[i].origin.n, ALL[i].rest.p, ALL[i].rest.n);
        assert_true(str_eq(url_origin(url), ALL[i].origin));
        assert_true(str_eq(url_rest(url), ALL[i].rest));
    }
}
