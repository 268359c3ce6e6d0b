#include "profile/frame/origin.h"

#include <stdlib.h>

#include "core/number.h"

static const char *const WORDS[ORIGINS] = {
    [ORIGIN_APP] = "app",         [ORIGIN_THIRD_PARTY] = "third party", [ORIGIN_ANDROIDX] = "AndroidX",
    [ORIGIN_ANDROID] = "Android", [ORIGIN_JAVA] = "Java/Kotlin",        [ORIGIN_NATIVE] = "native",
    [ORIGIN_IDLE] = "idle",       [ORIGIN_UNKNOWN] = "unknown",         [ORIGIN_ERROR] = "error",
};

const char *origin_word(enum origin origin)
{
    return origin < ORIGINS ? WORDS[origin] : "track";
}

struct str origin_package(struct str scope)
{
    size_t dot = str_find_last(scope, '.');

    return (struct str){scope.p, dot < scope.n ? dot : 0};
}

/* --- tables --- */

static const struct origin_prefix *find_prefix(struct str package)
{
    size_t low = 0, high = ORIGIN_PREFIXES_COUNT;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = str_cmp(ORIGIN_PREFIXES[middle].package, package);
        if (order == 0)
            return &ORIGIN_PREFIXES[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* Up to and without the dot behind the next component. */
static size_t next_component(struct str s, size_t at)
{
    return at + str_find((struct str){s.p + at, s.n - at}, '.');
}

enum origin origin_of_scope(struct str scope)
{
    enum { COMPONENTS_MAX = 4 }; /* as many as the longest prefix has */
    struct str package = origin_package(scope);
    enum origin found = package.n > 0 ? ORIGIN_APP : ORIGIN_UNKNOWN;
    size_t end = 0;

    for (unsigned i = 0; i < COMPONENTS_MAX && end < package.n; i++) {
        end = next_component(package, i == 0 ? 0 : end + 1);
        const struct origin_prefix *prefix = find_prefix((struct str){package.p, end});
        if (prefix != NULL)
            found = prefix->origin;
    }
    return found;
}

bool origin_is_idle(struct str scope, struct str name)
{
    for (size_t i = 0; i < ORIGIN_IDLES_COUNT; i++)
        if (str_eq(ORIGIN_IDLES[i].scope, scope) && str_fits(name, ORIGIN_IDLES[i].name))
            return true;
    return false;
}

/* --- the app --- */

bool origin_is_app(struct str package, struct str app)
{
    return app.n > 0 && str_starts(package, app) && (package.n == app.n || package.p[app.n] == '.');
}

/* All of it, where it has fewer components. */
static struct str first_components(struct str package, unsigned n)
{
    size_t end = 0;

    for (unsigned i = 0; i < n && end < package.n; i++)
        end = next_component(package, i == 0 ? 0 : end + 1);
    return (struct str){package.p, end};
}

/* A dot sorts before all that a component is made of, so that equal beginnings stand together. */
static int compare_packages(const void *a, const void *b)
{
    const struct origin_package_weight *x = a, *y = b;
    struct str s = x->package, t = y->package;

    for (size_t i = 0; i < s.n && i < t.n; i++)
        if (s.p[i] != t.p[i]) {
            int c = s.p[i] == '.' ? -1 : (unsigned char)s.p[i],
                d = t.p[i] == '.' ? -1 : (unsigned char)t.p[i];
            return c < d ? -1 : 1;
        }
    return s.n < t.n ? -1 : s.n > t.n;
}

/* The heaviest of those that begin as `within`, by their first components, and its weight. */
static struct origin_package_weight heaviest(const struct origin_package_weight *list, uint32_t n,
                                             struct str within, unsigned components)
{
    struct origin_package_weight best = {{NULL, 0}, 0};

    for (uint32_t i = 0, end; i < n; i = end) {
        struct origin_package_weight group = {first_components(list[i].package, components), 0};
        for (end = i; end < n && str_eq(first_components(list[end].package, components), group.package);
             end++)
            group.weight = number_add(group.weight, list[end].weight);
        if (group.weight > best.weight && (within.n == 0 || origin_is_app(group.package, within)))
            best = group;
    }
    return best;
}

/* Who has a project there has a name of three components. */
static bool is_host(struct str package)
{
    static const struct str HOSTS[] = {STR_INIT("com.github"), STR_INIT("com.gitlab"), STR_INIT("io.github"),
                                       STR_INIT("io.gitlab"), STR_INIT("org.bitbucket")};

    for (size_t i = 0; i < sizeof(HOSTS) / sizeof(HOSTS[0]); i++)
        if (str_eq(package, HOSTS[i]))
            return true;
    return false;
}

/* Whether the table knows the package or one below it: then it is no name of one app or one company. */
static bool is_shared(struct str package)
{
    for (size_t i = 0; i < ORIGIN_PREFIXES_COUNT; i++)
        if (origin_is_app(ORIGIN_PREFIXES[i].package, package))
            return true;
    return is_host(package);
}

static struct origin_package_weight narrowed(const struct origin_package_weight *list, uint32_t n,
                                             struct origin_package_weight app, unsigned *components)
{
    enum { COMPONENTS_MAX = 6 };

    while (app.weight > 0 && is_shared(app.package) && *components < COMPONENTS_MAX)
        app = heaviest(list, n, app.package, ++*components);
    return app;
}

/* Sorts the list. */
static struct origin_package_weight heaviest_name(struct origin_package_weight *list, uint32_t n,
                                                  unsigned *components)
{
    *components = 2;
    if (n > 1)
        qsort(list, n, sizeof(*list), compare_packages);
    return narrowed(list, n, heaviest(list, n, (struct str){NULL, 0}, *components), components);
}

struct str origin_guess_name(struct origin_package_weight *list, uint32_t n)
{
    unsigned components;

    return heaviest_name(list, n, &components).package;
}

struct str origin_guess_app(struct origin_package_weight *list, uint32_t n)
{
    unsigned components;
    struct origin_package_weight app = heaviest_name(list, n, &components);
    struct origin_package_weight narrow = heaviest(list, n, app.package, components + 1);

    return components == 2 && narrow.weight >= app.weight - app.weight / 4 ? narrow.package : app.package;
}
