#include "profile/frame/short_name.h"

static struct str from_to(struct str s, size_t from, size_t to)
{
    return (struct str){s.p + from, to - from};
}

/* ---- the JVM: lambdas ---- */

static bool is_number(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < '0' || s.p[i] > '9')
            return false;
    return s.n > 0;
}

static bool begins_small(struct str s)
{
    return s.n > 0 && ((s.p[0] >= 'a' && s.p[0] <= 'z') || s.p[0] == '_');
}

/* `method` may be empty. */
static bool put_lambda(struct str method, struct str class, struct buf *name, struct buf *least)
{
    if (class.n == 0)
        return false;
    buf_str(least, method);
    buf_z(least, method.n > 0 ? " lambda" : "lambda");
    buf_str(name, method);
    buf_z(name, method.n > 0 ? " lambda in " : "lambda in ");
    buf_str(name, class);
    return true;
}

/* Foo$bar$1, Foo$bar$1$2: kotlinc names the class of a lambda after the method that it stands in. */
static bool put_kotlin_class(struct str class, struct buf *name, struct buf *least)
{
    struct str rest = class, part, outer = STR(""), method = STR("");
    bool numbered = false;

    while (str_split(&rest, '$', &part)) {
        numbered = is_number(part);
        if (begins_small(part))
            method = part;
        else if (!numbered && method.n == 0)
            outer = part;
    }
    return numbered && method.n > 0 && put_lambda(method, outer, name, least);
}

/* d8 and R8: Foo$$ExternalSyntheticLambda0; before them -$$Lambda$Foo$ and a hash. */
static bool put_synthetic_class(struct str class, struct buf *name, struct buf *least)
{
    static const struct str OLD = STR_INIT("-$$Lambda$"), NEW = STR_INIT("$$ExternalSyntheticLambda");

    if (str_starts(class, OLD)) {
        struct str rest = from_to(class, OLD.n, class.n);
        return put_lambda(STR(""), from_to(rest, 0, str_find(rest, '$')), name, least);
    }
    size_t at = str_find_str(class, NEW);
    return at < class.n && put_lambda(STR(""), str_behind_last(from_to(class, 0, at), '$'), name, least);
}

/* javac: lambda$bar$0; kotlinc with invokedynamic: bar$lambda$0. */
static bool put_lambda_method(struct str class, struct str method, struct buf *name, struct buf *least)
{
    static const struct str BEFORE = STR_INIT("lambda$"), BEHIND = STR_INIT("$lambda$");
    struct str in = str_behind_last(class, '$');

    if (str_starts(method, BEFORE)) {
        struct str rest = from_to(method, BEFORE.n, method.n);
        return put_lambda(from_to(rest, 0, str_find(rest, '$')), in, name, least);
    }
    size_t at = str_find_str(method, BEHIND);
    return at < method.n && at > 0 && put_lambda(from_to(method, 0, at), in, name, least);
}

static bool put_jvm(const struct frame_parts *parts, struct buf *name, struct buf *least)
{
    struct str class = str_behind_last(parts->scope, '.');

    if (str_find(parts->name, '$') < parts->name.n && put_lambda_method(class, parts->name, name, least))
        return true;
    return str_find(class, '$') < class.n && parts->name.n > 0 &&
           (put_synthetic_class(class, name, least) || put_kotlin_class(class, name, least));
}

/* ---- brackets ---- */

static bool opens(char c)
{
    return c == '<' || c == '(' || c == '[' || c == '{';
}

static bool closes(char c)
{
    return c == '>' || c == ')' || c == ']' || c == '}';
}

/* The arrow of operator->, and of a type of Rust, closes nothing. */
static bool is_arrow(struct str s, size_t at)
{
    return s.p[at] == '>' && at > 0 && s.p[at - 1] == '-';
}

/* How deep in brackets the text is behind its character `at`, where it was `depth` deep before it. */
static size_t depth_behind(struct str s, size_t at, size_t depth)
{
    if (opens(s.p[at]))
        return depth + 1;
    return closes(s.p[at]) && !is_arrow(s, at) && depth > 0 ? depth - 1 : depth;
}

/* ---- Go ---- */

/* path/of/package.(*Type).Method.func1, also with brackets of type arguments. */
static bool put_go(struct str text, struct buf *name, struct buf *least)
{
    size_t slash = text.n, depth = 0;

    for (size_t i = 0; i < text.n; i++) {
        depth = depth_behind(text, i, depth);
        if (text.p[i] == ' ' && depth == 0)
            return false; /* words, and no name */
        if (text.p[i] == '/' && depth == 0)
            slash = i;
    }
    if (slash == text.n || slash == 0 || text.p[0] == '/' || text.p[0] == '[')
        return false;
    struct str within = from_to(text, slash + 1, text.n);
    size_t dot = str_find(within, '.');
    if (dot == 0 || dot + 1 >= within.n)
        return false;
    struct str least_of = from_to(within, dot + 1, within.n);
    size_t type_end = least_of.p[0] == '(' ? str_find_str(least_of, STR(").")) : least_of.n;
    if (type_end + 2 < least_of.n)
        least_of = from_to(least_of, type_end + 2, least_of.n);
    buf_str(name, within);
    buf_str(least, least_of);
    return true;
}

/* ---- C++ and Rust ---- */

/* A component of a path of names without what is in brackets. */
static struct str bare(struct str component)
{
    size_t end = 0;

    while (end < component.n && !opens(component.p[end]))
        end++;
    return from_to(component, 0, end);
}

/* Behind the last `::` outside of brackets. */
static struct str last_component(struct str path)
{
    size_t depth = 0, from = 0;

    for (size_t i = 0; i + 1 < path.n; i++) {
        depth = depth_behind(path, i, depth);
        if (depth == 0 && path.p[i] == ':' && path.p[i + 1] == ':')
            from = i + 2;
    }
    return from_to(path, from, path.n);
}

/* `Vec` of `Vec<T>`, and of `<alloc::vec::Vec<T> as core::iter::Extend>`; empty of `(anonymous namespace)` and `{{closure}}`. */
static struct str class_of(struct str component)
{
    if (component.n < 2 || component.p[0] != '<')
        return bare(component);
    struct str type = from_to(component, 1, component.n - 1);
    return bare(last_component(from_to(type, 0, str_find_str(type, STR(" as ")))));
}

/* The path alone: without the parameters, and without the type before it. operator() and its like have brackets that
 * are their name: they end the path. */
static struct str path_of(struct str text)
{
    static const struct str OPERATOR = STR_INIT("operator");
    size_t depth = 0, from = 0;

    for (size_t i = 0; i < text.n; i++) {
        struct str rest = from_to(text, i, text.n);
        if (depth == 0 && str_starts(rest, OPERATOR) &&
            (i == 0 || text.p[i - 1] == ':' || text.p[i - 1] == ' ')) {
            size_t end = OPERATOR.n;
            while (end < rest.n && (rest.p[end] != '(' || end == OPERATOR.n))
                end++;
            return from_to(text, from, i + end);
        }
        if (depth == 0 && text.p[i] == '(' && !str_starts(rest, STR("(anonymous namespace)")) && i > from)
            return from_to(text, from, i);
        depth = depth_behind(text, i, depth);
        if (depth == 0 && text.p[i] == ' ')
            from = i + 1;
    }
    return from_to(text, from, text.n);
}

/* What has no name of its own is told by the function that it stands in. */
static struct str nameless_of(struct str text)
{
    static const struct {
        struct str part, said;
    } KINDS[] = {{STR_INIT("{{closure}}"), STR_INIT(" closure")},
                 {STR_INIT("{lambda("), STR_INIT(" lambda")},
                 {STR_INIT("'lambda"), STR_INIT(" lambda")}};

    for (size_t i = 0; i < sizeof(KINDS) / sizeof(KINDS[0]); i++)
        if (str_find_str(text, KINDS[i].part) < text.n)
            return KINDS[i].said;
    return STR("");
}

static bool put_path(struct str text, struct buf *name, struct buf *least)
{
    /* What simpleperf puts before the functions of the dynamic linker. */
    static const struct str LINKER = STR_INIT("[linker]");

    if (str_find_str(text, STR("::")) == text.n)
        return false;
    if (str_starts(text, LINKER))
        text = from_to(text, LINKER.n, text.n);
    struct str path = path_of(text), method = last_component(path), class = STR("");
    struct str before = from_to(path, 0, path.n - method.n);
    struct str said = str_starts(method, STR("operator")) ? method : bare(method);
    while (before.n >= 2 &&
           (class.n == 0 || said.n == 0)) { /* up to the class, and up to a function with a name */
        before.n -= 2;
        struct str component = last_component(before);
        before.n -= component.n;
        struct str found = class_of(component);
        if (said.n == 0)
            said = found;
        else if (class.n == 0)
            class = found;
    }
    if (said.n == 0)
        return false;
    buf_str(name, class);
    buf_z(name, class.n > 0 ? "::" : "");
    buf_str(name, said);
    buf_str(name, nameless_of(text));
    buf_str(least, said);
    buf_str(least, nameless_of(text));
    return true;
}

bool short_name_put(const struct frame_parts *parts, struct buf *name, struct buf *least)
{
    if (parts->scope.n > 0)
        return put_jvm(parts, name, least);
    return put_path(parts->name, name, least) || put_go(parts->name, name, least);
}
