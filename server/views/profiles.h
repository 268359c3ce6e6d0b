/* The profiles of stored uploads, each read once for all who need it at a time: uploads, pictures, charts
 * and summaries get the same one. A profile stays in memory after its use, for the next who needs it.
 *
 *     profile = profiles_get(p, &id, -1, false, &turn, &use, &diag);     reads it, or waits for who does, or finds it
 *     profiles_release(p, &use);
 *
 * What stays in memory is said in core/system/once.h; the limit is profile_cache_bytes. Beside that, a
 * profile that is larger than the limit alone stays for PROFILES_LINGER_S after its last use, so that a
 * page whose pictures are asked for one after another has it read once. That is at most one profile, the
 * last one used; it goes at once when its memory is needed for another. With profile_cache_bytes of 0 none
 * stays.
 *
 * At most config->folds profiles (one per worker, unless memory is short) are being read, or are read and
 * in use by who waited for it, or linger: each of them may take job_memory_bytes. Others queue. An upload
 * that is read while it arrives is not counted here, see server/upload/job.h.
 *
 * A window of time of a profile is a profile, too, and kept as they are. It uses the profile that it is a
 * window of as long as it is kept; a window of one that is larger than profile_cache_bytes goes with its
 * last use.
 *
 * Each reading, also an upload's own, is a line "folded" in the log, with the profile's source. Any
 * thread. */
#pragma once

#include "core/parallel.h"
#include "core/system/once.h"
#include "core/system/turns.h"
#include "server/convert/convert.h"
#include "server/convert/profile_id.h"
#include "server/service.h"

struct profiles;
struct profile_thing;

enum { PROFILES_LINGER_S = 3 };
struct profiles *profiles_new(const struct service *service); /* NULL: no memory */
void profiles_free(struct profiles *p);                       /* when nobody uses one; NULL is fine */

struct once_counts profiles_counts(struct profiles *p);

/* One use of a profile. Zeroed: of none. */
struct profile_use {
    const struct shared_profile *profile; /* until the release; NULL: none */
    /* of the profiles */
    struct profile_thing *thing;
    bool waited; /* The profile was not there when it was asked for. */
};

/* Blocks without a turn while others read it. NULL: diag, and there is no use. `fd`: the bytes, if they
 * are not in the store yet, else -1, as for a window; the memory for such a reading is the asker's own
 * care. `with_calls`: the log of its calls is needed, too; a reading that begins now writes it. */
const struct shared_profile *profiles_get(struct profiles *p, const struct profile_id *id, int fd,
                                          bool with_calls, struct turn *turn, struct profile_use *use,
                                          struct diag *diag) MUST_CHECK;

/* Whether it is in memory at this moment. */
bool profiles_has(struct profiles *p, const struct profile_id *id) MUST_CHECK;

/* Shares a profile that was read elsewhere, while the bytes of its upload arrived, and owns it from now
 * on. Who waits for the same gets it, too. use->profile is what is to be used: another one if the profile
 * was there already. NULL: diag (no memory); the profile was freed. */
const struct shared_profile *profiles_put(struct profiles *p, const struct profile_id *id,
                                          struct shared_profile *made, struct profile_use *use,
                                          struct diag *diag) MUST_CHECK;

/* ---- side by side, in turns ----
 *
 * Work by several threads, where turns are free that nobody waits for when it begins: each of them has a turn of its own
 * then, of the same class and owner. */

/* One of the threads. */
struct turn_worker {
    struct turn *turn; /* the asker's; else its own: */
    struct turn own;
    struct parallel_job job;
    int64_t took_us; /* of a processor */
};

struct turn_parallel {
    struct parallel parallel;                      /* first */
    struct turn_worker workers[PARALLEL_JOBS_MAX]; /* the asker's comes first */
};

/* Used by the turn's thread; it must stay where it is. */
void turn_parallel_init(struct turn_parallel *p, struct turn *turn);

/* The profile in use as convert reads it, as long as `turn` and *source stay. `fd`: its bytes, or -1. Ends
 * soon after `stop` was asked. The log of the profile's calls is made once for all who need it at a time:
 * in turns, and without a turn for those who wait for it. */
struct profile_source {
    struct convert_source source;
    struct profiles *profiles;
    struct turn *turn;
    struct profile_id id;
    struct turn_parallel threads; /* What is made of the profile may use the turns that are free now. */
};
void profiles_source(struct profiles *p, const struct profile_use *use, int fd, struct turn *turn,
                     const struct stop *stop, struct profile_source *source);

/* Has the log of the calls of a profile made that has times, unless it is there. False: it has none, or diag. */
bool profiles_make_log(struct profiles *p, const struct profile_id *id, struct turn *turn, struct diag *diag);

/* For who uses a profile while it waits for something else: the memory of the profile's reading is for others. */
void profiles_give_slot(struct profiles *p, struct profile_use *use);

/* Ends the use. Does nothing for none. */
void profiles_release(struct profiles *p, struct profile_use *use);

/* Frees the profile that lingers when its time is over. Called once a second. */
void profiles_tick(struct profiles *p);

/* Has the conversion take the names that these files of the store tell: a mapping.txt, symbols. Before its first byte.
 * False: diag. */
struct conversion;
bool stored_names_use(const struct service *service, const struct record_names *names,
                      struct conversion *conversion, struct diag *diag) MUST_CHECK;

/* ---- reading in turns ----
 *
 * A stored file, read in turns: each thread gives its turn back at each piece of input. */

struct turn_reader {
    struct readable file;
    struct turn *turn; /* its thread's */
};

struct turn_file {
    struct turn_parallel threads;
    struct source_input in; /* of the asker's thread, with those of the others */
    struct source_input beside[PARALLEL_JOBS_MAX - 1];
    struct turn_reader readers[PARALLEL_JOBS_MAX]; /* the asker's comes first */
};

/* Used by the turn's thread; the file must stay where it is. Why it could not be read is in readers[0].file.diag. */
void turn_file_open(struct turn_file *f, int fd, struct turn *turn, const struct stop *stop);
