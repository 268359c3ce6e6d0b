/* aflamed store: copies what a service keeps of its uploads, and tries an object store. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "core/system/clock.h"
#include "core/system/random_bytes.h"
#include "server/copy/copy.h"
#include "server/s3/s3.h"

static const char HINT[] = "aflamed store --help lists the options.";

struct options {
    const char *endpoints, *region, *keys_file; /* NULL: not given */
    const char *operands[3];                    /* what to do, and the places */
    size_t n_operands;
};

static struct place *open_place(const struct options *o, const char *name, bool is_written, struct diag *diag)
{
    const struct s3_settings settings = {
        o->endpoints, o->region != NULL ? o->region : "us-east-1", o->keys_file, 0, 0, NULL};

    return place_open(name, is_written, &settings, diag);
}

static bool say(struct buf *text, struct diag *diag)
{
    bool ok = text->failed ? diag_no_memory(diag, "No memory is left for the answer.")
                           : cli_write("-", buf_view(text), diag);

    buf_free(text);
    return ok;
}

/* ---- copy ---- */

static void tell_damaged(void *context, const char *key)
{
    (void)context;
    fprintf(stderr, "damaged, and not copied: %s\n", key);
}

static bool tell_counts(const struct copy_counts *c, struct diag *diag)
{
    struct buf text = {0};

    buf_u64_grouped(&text, c->copied);
    buf_z(&text, " objects copied (");
    buf_value(&text, UNIT_BYTES, c->copied_bytes, 3);
    buf_z(&text, "), ");
    buf_u64_grouped(&text, c->there);
    buf_z(&text, " there already, ");
    buf_u64_grouped(&text, c->gone);
    buf_z(&text, " removed meanwhile, ");
    buf_u64_grouped(&text, c->damaged);
    buf_z(&text, " damaged\n");
    return say(&text, diag);
}

static bool copy(const struct options *o, struct diag *diag)
{
    struct copy_counts counts = {0};

    if (o->n_operands != 3)
        return diag_set(diag, DIAG_USAGE, "not two places", HINT,
                        "Behind copy stand two places: from where, and to where.");
    struct place *from = open_place(o, o->operands[1], false, diag);
    struct place *to = from == NULL ? NULL : open_place(o, o->operands[2], true, diag);
    bool ok = to != NULL && copy_all(from, to, tell_damaged, NULL, &counts, diag);
    if (to != NULL && !tell_counts(&counts, diag))
        ok = false;
    place_close(from);
    place_close(to);
    if (ok && counts.damaged > 0)
        return diag_set(diag, DIAG_IO, "not all was copied",
                        "Delete these uploads, or bring their files from a backup.",
                        "%llu objects are not what their names say.", (unsigned long long)counts.damaged);
    return ok;
}

/* ---- check ---- */

struct trial {
    struct s3 *s3;
    char key[64], copy[72], folder[64];
    bool is_listed, is_same;
    struct buf text;
};

static const char BYTES[] = "aflamed store check\n";

static bool take(void *trial, const char *p, size_t n)
{
    struct trial *t = trial;

    t->is_same = n == sizeof(BYTES) - 1 && memcmp(p, BYTES, n) == 0;
    return true;
}

static bool see(void *trial, const struct s3_object *object)
{
    struct trial *t = trial;

    t->is_listed = t->is_listed || (strcmp(object->key, t->key) == 0 && object->bytes == sizeof(BYTES) - 1);
    return true;
}

static enum s3_result put(struct trial *t, struct diag *diag)
{
    return s3_put_text(t->s3, t->key, STR(BYTES), diag);
}

static enum s3_result get(struct trial *t, struct diag *diag)
{
    enum s3_result result = s3_get(t->s3, t->key, take, t, diag);

    return result == S3_OK && !t->is_same ? S3_CORRUPT : result;
}

static enum s3_result look(struct trial *t, struct diag *diag)
{
    struct s3_object o;
    enum s3_result result = s3_look(t->s3, t->key, &o, diag);

    return result == S3_OK && o.bytes != sizeof(BYTES) - 1 ? S3_CORRUPT : result;
}

static enum s3_result list(struct trial *t, struct diag *diag)
{
    enum s3_result result = s3_list(t->s3, t->folder, see, t, diag);

    return result == S3_OK && !t->is_listed ? S3_NOT_FOUND : result;
}

static enum s3_result copy_object(struct trial *t, struct diag *diag)
{
    enum s3_result result = s3_copy(t->s3, t->key, t->copy, diag);

    return result == S3_OK ? s3_delete(t->s3, t->copy, diag) : result;
}

static enum s3_result take_away(struct trial *t, struct diag *diag)
{
    return s3_delete(t->s3, t->key, diag);
}

static const struct step {
    const char *words;
    enum s3_result (*run)(struct trial *t, struct diag *diag);
    enum s3_result expected;
    const char *otherwise; /* why it matters */
} STEPS[] = {
    {"an object is made", put, S3_OK, "It cannot be made."},
    {"it is not made twice", put, S3_EXISTS,
     "The store replaces an object that it should keep (If-None-Match): two services could not share it."},
    {"its bytes come back", get, S3_OK, "Other bytes came back."},
    {"it is copied", copy_object, S3_OK, "The store cannot copy it (x-amz-copy-source)."},
    {"it is seen", look, S3_OK, "It is not there, or has another size."},
    {"it is listed", list, S3_OK, "The list does not have it."},
    {"it is deleted", take_away, S3_OK, "It cannot be deleted."},
    {"it is gone", look, S3_NOT_FOUND, "It is still there."},
};

static bool try_steps(struct trial *t, struct diag *diag)
{
    for (size_t i = 0; i < sizeof(STEPS) / sizeof(STEPS[0]); i++) {
        int64_t begun_us = clock_us();
        if (STEPS[i].run(t, diag) != STEPS[i].expected)
            return diag_set(diag, DIAG_IO, "the object store is not fit", "", "Tried: %s. %s", STEPS[i].words,
                            STEPS[i].otherwise);
        buf_printf(&t->text, "%-22s %8.1f ms\n", STEPS[i].words, (double)(clock_us() - begun_us) / 1000);
    }
    buf_printf(&t->text, "clocks differ by        %7lld s\n", (long long)s3_clock_ahead_s(t->s3));
    return true;
}

/* After a step that failed nothing is left, if that can be had. */
static void tidy(struct trial *t)
{
    struct diag ignored = {0};

    (void)!take_away(t, &ignored);
    (void)!s3_delete(t->s3, t->copy, &ignored);
}

static bool check(const struct options *o, struct diag *diag)
{
    struct trial t = {.folder = "check/"};
    uint64_t random = 0;

    struct place *place = o->n_operands != 2 ? NULL : open_place(o, o->operands[1], false, diag);
    if (diag->kind != DIAG_NONE || place == NULL || place_s3(place) == NULL) {
        place_close(place);
        return diag_set(diag, DIAG_USAGE, "no object store", HINT,
                        "Behind check stands s3://BUCKET or s3://BUCKET/PREFIX.");
    }
    t.s3 = place_s3(place);
    bool ok = random_bytes(&random, sizeof(random)) ||
              diag_set(diag, DIAG_IO, "no randomness", "", "The system gave no random numbers for a key.");
    snprintf(t.key, sizeof(t.key), "check/%016llx", (unsigned long long)random);
    snprintf(t.copy, sizeof(t.copy), "%s.copy", t.key);
    ok = ok && try_steps(&t, diag);
    if (!ok)
        tidy(&t);
    place_close(place);
    return say(&t.text, diag) && ok;
}

/* ---- arguments ---- */

static bool act(const struct options *o, struct diag *diag)
{
    const char *what = o->n_operands > 0 ? o->operands[0] : "";

    if (strcmp(what, "copy") == 0)
        return copy(o, diag);
    if (strcmp(what, "check") == 0)
        return check(o, diag);
    return diag_set(diag, DIAG_USAGE, "nothing to do", HINT, "Say copy or check.");
}

static bool parse(struct options *o, int n_arguments, char *const *arguments, struct diag *diag)
{
    struct cli_arguments all = {arguments, n_arguments, false};
    struct cli_argument a;

    *o = (struct options){.endpoints = NULL};
    while (cli_next(&all, &a)) {
        if (a.name.n == 0 && o->n_operands < 3) {
            o->operands[o->n_operands++] = a.value.p;
            continue;
        }
        if (a.name.n == 0)
            return diag_set(diag, DIAG_USAGE, "too many places", HINT, "One place is copied to one other.");
        if (!cli_take(&CLI_STORE, o, NULL, &all, &a, diag))
            return false;
    }
    return true;
}

static int store(int n_arguments, char *const *arguments)
{
    struct diag diag = {0};
    struct options o;
    bool ok = parse(&o, n_arguments, arguments, &diag) && act(&o, &diag);

    return ok ? CLI_OK : cli_error(NULL, &diag);
}

static const struct cli_option OPTIONS[] = {
    {"--s3-endpoints", NULL, CLI_PATH, offsetof(struct options, endpoints), "URLS",
     "where the object store answers: http(s)://HOST[:PORT], several with commas; the bucket is the first part of the "
     "path, or takes the place of {bucket} in the address",
     NULL},
    {"--s3-region", NULL, CLI_PATH, offsetof(struct options, region), "REGION",
     "what requests are signed for; default: us-east-1", NULL},
    {"--s3-keys-file", NULL, CLI_PATH, offsetof(struct options, keys_file), "FILE",
     "a file with the access key and the secret, a line each; default: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and "
     "AWS_SESSION_TOKEN of the environment",
     NULL},
};

const struct cli_command CLI_STORE = {
    .name = "store",
    .synopsis = "copy FROM TO | check s3://BUCKET[/PREFIX] [--s3-endpoints URLS] [OPTION...]",
    .summary = "back up a store to an object store or a directory, and bring it back",
    .description =
        "A place is the directory of a service's store, or s3://BUCKET/PREFIX of an S3-compatible object store.\n"
        "copy brings all uploads that FROM has to TO, without views, which are made again. FROM may be in use by a "
        "service; TO must not be. What TO has already is not copied again, so a copy that was ended goes on where it "
        "ended. Nothing is removed from TO. Uploads are compared with their digests on the way: a damaged one is named, "
        "not copied, and the exit status is 1.\n"
        "check tries whether an object store does what is needed, and says how long each step took.\n",
    .options = OPTIONS,
    .n_options = sizeof(OPTIONS) / sizeof(OPTIONS[0]),
    .run = store,
};
