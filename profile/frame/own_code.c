#include "profile/frame/own_code.h"

#include <stdlib.h>

#include "core/arena.h"
#include "core/buf.h"
#include "core/clean.h"
#include "core/number.h"
#include "profile/frame/frame_text.h"
#include "profile/frame/origin_table.h"
#include "profile/frame/sections.h"

/* ---- origin of a package ---- */

static const char *const WORDS[ORIGINS] = {
    [ORIGIN_APP] = "app",         [ORIGIN_LIBRARY] = "library",  [ORIGIN_ANDROIDX] = "AndroidX",
    [ORIGIN_ANDROID] = "Android", [ORIGIN_JAVA] = "Java/Kotlin", [ORIGIN_NATIVE] = "native",
    [ORIGIN_IDLE] = "idle",       [ORIGIN_UNKNOWN] = "unknown",  [ORIGIN_ERROR] = "error",
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
    return at + str_find(str_from(s, at), '.');
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

/* Whether the table knows the package or one below it: then it is no name of one app or one company. */
static bool is_shared(struct str package)
{
    for (size_t i = 0; i < ORIGIN_PREFIXES_COUNT; i++)
        if (origin_is_app(ORIGIN_PREFIXES[i].package, package))
            return true;
    return frame_is_host(package);
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

/* Added up by the first two components, the heaviest; by as many more as are needed while the table knows
 * other packages below it (com.google), or where it is a host of many projects (com.github). Equal
 * weights: the first, bytewise. Empty if nothing weighs anything. Sorts the list. */
static struct str origin_guess_name(struct origin_package_weight *list, uint32_t n)
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

/* ---- own code ---- */

/* --- who calls an app --- */

/* How sure it makes us that a method is the app's when it is called from there. */
enum evidence {
    EVIDENCE_NONE,
    EVIDENCE_PART, /* as a fragment, service, receiver, provider or test: libraries have such, too */
    EVIDENCE_APP   /* as the application, an activity or its instrumentation */
};

struct entry {
    struct str scope; /* a `*` at its end: all that begin so */
    struct str name;  /* the same */
    enum evidence evidence;
};

/* The methods of Android that call what an app has overridden, by the sources of android.app and androidx. The first
 * row that fits counts. */
static const struct entry ENTRIES[] = {
    {STR_INIT("android.app.Activity"), STR_INIT("perform*"), EVIDENCE_APP},
    {STR_INIT("android.app.Activity"), STR_INIT("attach"), EVIDENCE_APP},
    {STR_INIT("android.app.AppComponentFactory"), STR_INIT("instantiateA*"), EVIDENCE_APP},
    {STR_INIT("android.app.AppComponentFactory"), STR_INIT("instantiate*"), EVIDENCE_PART},
    {STR_INIT("androidx.core.app.CoreComponentFactory"), STR_INIT("instantiateA*"), EVIDENCE_APP},
    {STR_INIT("androidx.core.app.CoreComponentFactory"), STR_INIT("instantiate*"), EVIDENCE_PART},
    {STR_INIT("android.app.Application"), STR_INIT("attach"), EVIDENCE_APP},
    {STR_INIT("android.app.Instrumentation"), STR_INIT("*"), EVIDENCE_APP},
    {STR_INIT("android.app.ActivityThread*"), STR_INIT("*"), EVIDENCE_PART},
    {STR_INIT("android.app.LoadedApk*"), STR_INIT("*"), EVIDENCE_PART},
    {STR_INIT("android.app.Fragment*"), STR_INIT("*"), EVIDENCE_PART},
    {STR_INIT("android.app.IntentService*"), STR_INIT("*"), EVIDENCE_PART},
    {STR_INIT("android.app.job.Job*"), STR_INIT("*"), EVIDENCE_PART},
    {STR_INIT("android.content.ContentProvider*"), STR_INIT("*"), EVIDENCE_PART},
    {STR_INIT("android.accessibilityservice.*"), STR_INIT("*"), EVIDENCE_PART},
    {STR_INIT("android.inputmethodservice.*"), STR_INIT("*"), EVIDENCE_PART},
    {STR_INIT("android.service.*"), STR_INIT("*"), EVIDENCE_PART},
    {STR_INIT("android.support.v4.app.Fragment*"), STR_INIT("*"), EVIDENCE_PART},
    {STR_INIT("android.test.*"), STR_INIT("*"), EVIDENCE_PART},
    {STR_INIT("androidx.core.app.JobIntentService*"), STR_INIT("*"), EVIDENCE_PART},
    {STR_INIT("androidx.fragment.app.Fragment*"), STR_INIT("*"), EVIDENCE_PART},
    {STR_INIT("junit.framework.TestCase"), STR_INIT("run*"), EVIDENCE_PART},
    {STR_INIT("org.junit.runners.model.FrameworkMethod*"), STR_INIT("*"), EVIDENCE_PART},
};

static enum evidence evidence_from(const struct frame_parts *caller)
{
    for (size_t i = 0; i < sizeof(ENTRIES) / sizeof(ENTRIES[0]); i++)
        if (str_fits(caller->scope, ENTRIES[i].scope) && str_fits(caller->name, ENTRIES[i].name))
            return ENTRIES[i].evidence;
    return EVIDENCE_NONE;
}

/* --- packages as people write them --- */

bool own_code_has(const struct own_code *own, struct str package)
{
    for (uint32_t i = 0; i < own->n; i++)
        if (origin_is_app(package, own->prefix[i]))
            return true;
    return false;
}

void own_code_put(const struct own_code *own, struct buf *b)
{
    for (uint32_t i = 0; i < own->n; i++) {
        if (i > 0)
            buf_char(b, ',');
        buf_str(b, own->prefix[i]);
    }
}

/* Components with dots between them, of what Java allows in names; bytes above 127 are letters of some
 * script. What is pasted may have marks in it that nobody sees: those are in no name. */
static bool is_package(struct str text)
{
    bool begins = true;

    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        bool letter = ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_' || c == '$' || c == '-' || c > 127;
        if (!(letter || (c == '.' && !begins) || (is_digit(c) && !begins)))
            return false;
        begins = c == '.';
    }
    return text.n > 0 && !begins && clean_is_text(text);
}

bool own_code_parse(struct str text, struct own_code *own)
{
    own->n = 0;
    for (;;) {
        size_t comma = str_find(text, ',');
        struct str package = {text.p, comma};
        if (!is_package(package) || own->n == OWN_CODE_MAX)
            return false;
        own->prefix[own->n++] = package;
        if (comma == text.n)
            return true;
        text = str_from(text, comma + 1);
    }
}

/* --- the guess --- */

/* How well a frame qualifies: the better first. */
enum rank {
    RANK_NEVER,
    RANK_TIME,        /* no table knows it, and it has time */
    RANK_LISTED_PART, /* called by Android, but listed as a library's or the platform's */
    RANK_LISTED_APP,
    RANK_PART, /* called by Android, and no table knows it */
    RANK_APP
};

struct guess {
    const struct profile *p;
    const uint8_t *origins;
    uint64_t *weight;    /* [n_frames]: time below its outermost occurrences */
    uint8_t *calls_as;   /* [n_frames]: enum evidence that a callee of the frame gets */
    uint8_t *evidence;   /* [n_frames]: enum evidence that the frame has */
    struct str *package; /* [n_frames]: of the frame's class */
    uint8_t *rank;       /* [n_frames]: enum rank */
    uint64_t *busy;      /* [n_nodes]: the weight value of the node and all below it, without waiting */
    uint8_t *reached;    /* [n_nodes]: see walk */
};

/* The class that a section names. */
static struct str scope_of(const struct profile *p, frame_id frame)
{
    struct frame_parts parts = frame_parts_of(p, &p->frames[frame]);

    return parts.scope.n > 0 ? parts.scope : section_class(parts.name);
}

/* A platform's package that may hold an app all the same, as com.android.settings does. */
static bool may_be_app(enum origin origin, struct str scope)
{
    if (origin == ORIGIN_APP || origin == ORIGIN_LIBRARY)
        return true;
    return origin == ORIGIN_ANDROID && !str_starts(scope, STR("android.")) &&
           !str_starts(scope, STR("dalvik.")) && !str_starts(scope, STR("libcore.")) &&
           !str_starts(scope, STR("org.")) && !str_starts(scope, STR("com.android.internal."));
}

/* Children have larger ids than their parents: from the back all are complete before they are added to
 * their parent. */
static void sum_busy(const struct guess *g)
{
    const struct profile *p = g->p;
    uint32_t value = profile_weight_value(p);

    for (node_id i = 0; i < p->n_nodes; i++) {
        frame_id f = p->node_frame[i];
        bool idle = f != FRAME_NONE && g->origins[f] == ORIGIN_IDLE;
        g->busy[i] = idle || p->n_values == 0 ? 0 : profile_self(p, i, value);
    }
    for (node_id i = p->n_nodes; i-- > 0;)
        if (p->node_parent[i] != NODE_NONE)
            g->busy[p->node_parent[i]] = number_add(g->busy[p->node_parent[i]], g->busy[i]);
}

/* What the walk notes of each node: in the low bits who calls its callees, and whether an outer frame has been given the
 * time of the stack. Java's own methods pass on who called them, because reflection stands between Android and an app's
 * class. */
enum { REACHED_EVIDENCE = 3, REACHED_GIVEN = 4 };

static void walk(const struct guess *g)
{
    const struct profile *p = g->p;

    for (node_id i = 0; i < p->n_nodes; i++) {
        frame_id f = p->node_frame[i];
        uint8_t outer = p->node_parent[i] == NODE_NONE ? 0 : g->reached[p->node_parent[i]];
        uint8_t called_as = outer & REACHED_EVIDENCE, given = outer & REACHED_GIVEN;
        if (f == FRAME_NONE) {
            g->reached[i] = outer;
            continue;
        }
        if (called_as > g->evidence[f])
            g->evidence[f] = called_as;
        if (given == 0 && (g->origins[f] == ORIGIN_APP || called_as != EVIDENCE_NONE)) {
            g->weight[f] = number_add(g->weight[f], g->busy[i]);
            given = g->origins[f] == ORIGIN_APP ? REACHED_GIVEN : 0;
        }
        uint8_t passed = g->origins[f] == ORIGIN_JAVA ? called_as : 0;
        g->reached[i] = given | (g->calls_as[f] != EVIDENCE_NONE ? g->calls_as[f] : passed);
    }
}

static enum rank rank_of(const struct guess *g, frame_id f, struct str scope)
{
    enum origin origin = (enum origin)g->origins[f];

    if (!may_be_app(origin, scope))
        return RANK_NEVER;
    if (g->evidence[f] == EVIDENCE_NONE)
        return origin == ORIGIN_APP && g->weight[f] > 0 ? RANK_TIME : RANK_NEVER;
    if (origin == ORIGIN_APP)
        return g->evidence[f] == EVIDENCE_APP ? RANK_APP : RANK_PART;
    return g->evidence[f] == EVIDENCE_APP ? RANK_LISTED_APP : RANK_LISTED_PART;
}

/* Packages and ranks are asked for many times. */
static void rank_all(const struct guess *g)
{
    for (frame_id f = 0; f < g->p->n_frames; f++) {
        struct str scope = scope_of(g->p, f);
        g->package[f] = origin_package(scope);
        g->rank[f] = (uint8_t)rank_of(g, f, scope);
    }
}

/* The packages of frames of that rank at least which no prefix has yet, and are below `within` unless that
 * is empty. What was called counts even if it took no time. */
static uint32_t list_rank(const struct guess *g, enum rank rank, struct str within,
                          const struct own_code *own, struct origin_package_weight *list, uint64_t *sum)
{
    uint32_t n = 0;

    *sum = 0;
    for (frame_id f = 0; f < g->p->n_frames; f++) {
        struct str package = g->package[f];
        if (g->rank[f] < rank || package.n == 0 || own_code_has(own, package) ||
            (within.n > 0 && !origin_is_app(package, within)))
            continue;
        uint64_t weight = number_add(g->weight[f], 1);
        list[n++] = (struct origin_package_weight){package, weight};
        *sum = number_add(*sum, weight);
    }
    return n;
}

/* What Android calls tells which name it is: com.example, say. How much of that name is the app's is told
 * by all that has time there: an app whose activities are below com.example.ui may have its other code
 * below com.example.net. */
static struct str best_prefix(const struct guess *g, enum rank rank, const struct own_code *own,
                              struct origin_package_weight *list, uint64_t *sum)
{
    struct str none = {NULL, 0};
    uint32_t n = list_rank(g, rank, none, own, list, sum);
    struct str name = origin_guess_name(list, n);
    uint64_t below;

    if (name.n == 0)
        return name;
    n = list_rank(g, rank > RANK_TIME ? RANK_TIME : rank, name, own, list, &below);
    struct str app = origin_guess_app(list, n);
    return list_rank(g, rank, app, own, list, &below) > 0 ? app : name;
}

/* The packages that Android calls as an app beside the first one are the app's, too, unless they are a
 * small part: a library may bring an activity of its own. */
static void choose(const struct guess *g, struct own_code *own, struct origin_package_weight *list)
{
    enum { SMALL_PART = 4 };
    enum rank best = RANK_NEVER;
    uint64_t all = 0, rest;

    for (frame_id f = 0; f < g->p->n_frames; f++)
        if (g->rank[f] > best && g->package[f].n > 0)
            best = (enum rank)g->rank[f];
    while (best != RANK_NEVER && own->n < OWN_CODE_MAX) {
        struct str prefix = best_prefix(g, best, own, list, &rest);
        all = own->n == 0 ? rest : all;
        if (prefix.n == 0 || rest < all / SMALL_PART)
            break;
        own->prefix[own->n++] = prefix;
        if (best != RANK_APP)
            break;
    }
}

/* ---- the app's organisation ---- */

/* Whether the profile has code of the organisation that no table knows, beside the package. */
static bool has_related(const struct profile *p, const uint8_t *origins, struct str organisation,
                        struct str package)
{
    for (frame_id i = 0; i < p->n_frames; i++) {
        struct str other = origin_package(scope_of(p, i));
        if (origins[i] == ORIGIN_APP && origin_is_app(other, organisation) && !origin_is_app(other, package))
            return true;
    }
    return false;
}

/* What the organisation of the app has written is own code, too: com.example.core beside com.example.shop. Not where a
 * name of two components is that of many (com.google, com.github). */
static void take_related(const struct profile *p, const uint8_t *origins, struct own_code *own)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < own->n; i++) {
        struct str organisation = first_components(own->prefix[i], 2);
        if (organisation.n < own->prefix[i].n && !is_shared(organisation) &&
            has_related(p, origins, organisation, own->prefix[i]))
            own->prefix[i] = organisation;
        bool told = false;
        for (uint32_t k = 0; k < n; k++)
            told = told || origin_is_app(own->prefix[i], own->prefix[k]);
        if (!told)
            own->prefix[n++] = own->prefix[i];
    }
    own->n = n;
}

/* A system trace names the app's process, which is called as its package; sections have no packages that a guess
 * could go by. */
static bool is_known(const struct profile *p, struct own_code *own)
{
    struct str process = profile_fact(p, STR("app_process"));
    struct str package = {process.p, str_find(process, ':')}; /* com.example.app:remote */

    if (process.n == 0)
        return false;
    if (is_package(package) && str_find(package, '.') < package.n)
        own->prefix[own->n++] = package;
    return own->n > 0 || sections_in(p);
}

bool own_code_guess(const struct profile *p, const uint8_t *origins, struct own_code *own,
                    struct arena *arena)
{
    own->n = 0;
    if (is_known(p, own)) {
        take_related(p, origins, own);
        return true;
    }
    struct guess g = {.p = p, .origins = origins};
    struct origin_package_weight *list = arena_lend(arena, p->n_frames, sizeof(*list));
    g.weight = arena_lend(arena, p->n_frames, sizeof(*g.weight));
    g.calls_as = arena_lend(arena, p->n_frames, 1);
    g.evidence = arena_lend(arena, p->n_frames, 1);
    g.package = arena_lend(arena, p->n_frames, sizeof(*g.package));
    g.rank = arena_lend(arena, p->n_frames, 1);
    g.busy = arena_lend(arena, p->n_nodes, sizeof(*g.busy));
    g.reached = arena_lend(arena, p->n_nodes, 1);
    bool ok = list != NULL && g.weight != NULL && g.calls_as != NULL && g.evidence != NULL &&
              g.package != NULL && g.rank != NULL && g.busy != NULL && g.reached != NULL;

    for (frame_id f = 0; ok && f < p->n_frames; f++) {
        struct frame_parts parts = frame_parts_of(p, &p->frames[f]);
        g.weight[f] = 0;
        g.evidence[f] = EVIDENCE_NONE;
        g.calls_as[f] = (uint8_t)evidence_from(&parts);
    }
    if (ok) {
        sum_busy(&g);
        walk(&g);
        rank_all(&g);
        choose(&g, own, list);
        take_related(p, origins, own);
    }
    arena_release(arena, g.reached, p->n_nodes, 1);
    arena_release(arena, g.busy, p->n_nodes, sizeof(*g.busy));
    arena_release(arena, g.rank, p->n_frames, 1);
    arena_release(arena, g.package, p->n_frames, sizeof(*g.package));
    arena_release(arena, g.evidence, p->n_frames, 1);
    arena_release(arena, g.calls_as, p->n_frames, 1);
    arena_release(arena, g.weight, p->n_frames, sizeof(*g.weight));
    arena_release(arena, list, p->n_frames, sizeof(*list));
    return ok;
}

void own_code_settle(const struct profile *p, const struct own_code *own, uint8_t *origins)
{
    for (frame_id i = 0; i < p->n_frames; i++) {
        if (origins[i] == ORIGIN_IDLE || origins[i] == ORIGIN_NATIVE || origins[i] == ORIGIN_ERROR)
            continue;
        if (own_code_has(own, origin_package(scope_of(p, i))))
            origins[i] = ORIGIN_APP;
        else if (origins[i] == ORIGIN_APP)
            origins[i] = ORIGIN_LIBRARY;
    }
}
