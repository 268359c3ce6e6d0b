#include "server/views/turn_file.h"

#include "core/system/clock.h"
#include "core/system/threads.h"

/* Where pieces are smaller, starting a thread and joining what it read costs more than it gains. */
enum { PIECE_BYTES = 4 << 20 };

static ptrdiff_t read_at(void *context, uint64_t at, void *to, size_t n)
{
    struct turn_reader *r = context;
    const struct source_input in = readable_input(&r->file);

    turn_next(r->turn);
    return in.read_at(in.context, at, to, n);
}

static bool size_of(void *context, uint64_t *bytes)
{
    struct turn_reader *r = context;
    const struct source_input in = readable_input(&r->file);

    return in.size(in.context, bytes);
}

/* While the asker waits for the others, its turn may be theirs. */
static void run_asker(void *reader)
{
    struct turn_reader *r = reader;

    r->job.run(r->job.of);
    turn_give(r->turn);
}

static void run_beside(void *reader)
{
    struct turn_reader *r = reader;
    int64_t begun_us = clock_thread_us();

    turn_take(&r->own);
    r->job.run(r->job.of);
    turn_give(&r->own);
    r->took_us += clock_thread_us() - begun_us;
}

static void run(const struct parallel *parallel, const struct parallel_job *jobs, unsigned n)
{
    struct turn_file *f = (struct turn_file *)(uintptr_t)parallel; /* its first member */
    struct parallel_job readers[PARALLEL_JOBS_MAX] = {{run_asker, &f->readers[0]}};
    const struct turn *asker = f->readers[0].turn;

    f->readers[0].job = jobs[0];
    for (unsigned i = 1; i < n; i++) {
        struct turn_reader *r = &f->readers[i];
        r->job = jobs[i];
        turn_init(&r->own, asker->turns, asker->place.turn_class, asker->place.owner, asker->stop);
        readers[i] = (struct parallel_job){run_beside, r};
    }
    threads_parallel(readers, n);
    for (unsigned i = 1; i < n; i++)
        turn_end(&f->readers[i].own);
    turn_take(f->readers[0].turn);
}

/* The asker's turn, and those that are free. */
static unsigned turns_for(struct turns *turns)
{
    unsigned workers = turns_workers(turns), busy = turns_busy(turns);
    unsigned n = turns_waiting(turns) > 0 || busy >= workers ? 1 : 1 + workers - busy;

    return n < PARALLEL_JOBS_MAX ? n : PARALLEL_JOBS_MAX;
}

void turn_file_open(struct turn_file *f, int fd, struct turn *turn, const struct stop *stop)
{
    f->parallel = (struct parallel){turns_for(turn->turns), PIECE_BYTES, run};
    for (unsigned i = 0; i < f->parallel.jobs; i++) {
        struct turn_reader *r = &f->readers[i];
        *r = (struct turn_reader){.file = {.fd = fd, .stop = stop}};
        r->turn = i == 0 ? turn : &r->own;
        *(i == 0 ? &f->in : &f->beside[i - 1]) =
            (struct source_input){.read_at = read_at, .size = size_of, .context = r};
    }
    f->in.beside = f->beside;
}

int64_t turn_file_beside_us(const struct turn_file *f)
{
    int64_t us = 0;

    for (unsigned i = 1; i < f->parallel.jobs; i++)
        us += f->readers[i].took_us;
    return us;
}
