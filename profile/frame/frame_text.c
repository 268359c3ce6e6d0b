#include "profile/frame/frame_text.h"

/* Whether it can be a component of `package.Class.method`. */
static bool is_word(struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c >= 0x80;
        bool inner = is_digit(c) || c == '-';
        if (!letter && !(inner && i > 0))
            return false;
    }
    return s.n > 0;
}

/* Needs a package, a class and a method; `<init>` is one. */
static size_t scope_within(struct str name)
{
    size_t dot = str_find_last(name, '.'), words = 0;

    if (dot == name.n)
        return 0;
    struct str rest = {name.p, dot}, word, last = {name.p + dot + 1, name.n - dot - 1};
    if (last.n > 2 && last.p[0] == '<' && last.p[last.n - 1] == '>')
        last = (struct str){last.p + 1, last.n - 2};
    while (str_split(&rest, '.', &word)) {
        if (!is_word(word))
            return 0;
        words++;
    }
    return words >= 2 && is_word(last) ? dot : 0;
}

struct frame_parts frame_parts_of(const struct profile *p, const struct profile_frame *frame)
{
    struct frame_parts parts = {profile_string(p, frame->scope), profile_string(p, frame->name),
                                profile_string(p, frame->signature)};
    size_t scope = parts.scope.n == 0 && !frame->is_script ? scope_within(parts.name) : 0;

    if (scope > 0) {
        parts.scope = (struct str){parts.name.p, scope};
        parts.name = str_from(parts.name, scope + 1);
    }
    if (parts.scope.n + parts.name.n == 0)
        parts.name = STR("(no name)");
    return parts;
}

static bool is_listed(struct str package, const struct str *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(package, list[i]))
            return true;
    return false;
}

bool frame_is_host(struct str package)
{
    static const struct str HOSTS[] = {STR_INIT("com.github"), STR_INIT("com.gitlab"), STR_INIT("io.github"),
                                       STR_INIT("io.gitlab"), STR_INIT("org.bitbucket")};

    return is_listed(package, HOSTS, sizeof(HOSTS) / sizeof(HOSTS[0]));
}

/* Below these stand libraries that have nothing to do with each other: one component more names one. */
static bool is_shared_package(struct str package)
{
    static const struct str PUBLISHERS[] = {STR_INIT("com.android"),   STR_INIT("com.facebook"),
                                            STR_INIT("com.google"),    STR_INIT("com.google.android"),
                                            STR_INIT("com.microsoft"), STR_INIT("com.squareup"),
                                            STR_INIT("com.tencent"),   STR_INIT("org.apache"),
                                            STR_INIT("org.jetbrains"), STR_INIT("org.mozilla")};

    return frame_is_host(package) ||
           is_listed(package, PUBLISHERS, sizeof(PUBLISHERS) / sizeof(PUBLISHERS[0]));
}

/* The package with one component more, if it has another one. */
static struct str longer(struct str package, struct str whole)
{
    if (package.n == whole.n)
        return package;
    struct str rest = str_from(whole, package.n + 1);
    return (struct str){whole.p, package.n + 1 + str_find(rest, '.')};
}

struct str frame_package(struct str scope, struct str name)
{
    struct str whole = {scope.p, str_find_last(scope, '.')};

    if (whole.n == scope.n)
        whole = scope.n > 0 ? scope : name;
    struct str package = longer((struct str){whole.p, str_find(whole, '.')}, whole);
    while (is_shared_package(package) && package.n < whole.n)
        package = longer(package, whole);
    return package;
}

struct str frame_note(const struct profile *p, const struct profile_frame *frame)
{
    static const struct str SHARED = STR_INIT("[DEDUPED]");
    struct str name = profile_string(p, frame->name);

    if (frame->kind == FRAME_KIND_ERROR)
        return STR(
            "This is no function: the stack could not be followed further, and the callers are missing. What "
            "is said of it is said of all stacks that ended so.");
    if (str_find_str(name, SHARED) < name.n)
        return STR(
            "Several methods share this code, so that the name may be that of another one. The callers tell "
            "which it is.");
    return STR("");
}
