/* Runs a command and says what it took. The command's peak memory, as the system counts it, includes that
 * of the process that started it: hence a small one in between.
 *
 * usage: timed COMMAND [ARGUMENT...]
 *
 * Output: one line, `NANOSECONDS PEAK_BYTES CPU_NANOSECONDS`, from the start of the process to its end.
 * The command's own output is thrown away, its errors are not. Exit status: the command's; 127 if it could
 * not be run, 126 if a signal ended it, 125 if there was no room for it or no command. */
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t cpu_ns(const struct rusage *u)
{
    return ((int64_t)u->ru_utime.tv_sec + u->ru_stime.tv_sec) * 1000000000 +
           ((int64_t)u->ru_utime.tv_usec + u->ru_stime.tv_usec) * 1000;
}

static bool quiet_output(posix_spawn_file_actions_t *actions)
{
    return posix_spawn_file_actions_init(actions) == 0 &&
           posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) == 0;
}

int main(int argc, char **argv)
{
    posix_spawn_file_actions_t actions;
    struct rusage usage;
    pid_t child;
    int status;

    if (argc < 2 || !quiet_output(&actions)) {
        fputs("usage: timed COMMAND [ARGUMENT...]\n", stderr);
        return 125;
    }
    int64_t start_ns = now_ns();
    int error = posix_spawnp(&child, argv[1], &actions, NULL, argv + 1, environ);
    if (error != 0) {
        fprintf(stderr, "timed: %s: %s\n", argv[1], strerror(error));
        return 127;
    }
    if (wait4(child, &status, 0, &usage) != child)
        return 125;
    printf("%lld %lld %lld\n", (long long)(now_ns() - start_ns), (long long)usage.ru_maxrss * 1024,
           (long long)cpu_ns(&usage));
    posix_spawn_file_actions_destroy(&actions);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}
