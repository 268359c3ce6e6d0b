/* What is kept of a profile of the Firefox Profiler while it is read (json_firefox.c), for the profile that is made of it
 * (json_firefox_result.c). */
#pragma once

#include "parser/json/json_impl.h"

enum { JSON_MILLION = 1000000 };

enum json_firefox_column {
    COLUMN_STACK,
    COLUMN_TIME,
    COLUMN_TIME_DELTAS,
    COLUMN_WEIGHT,
    COLUMN_CPU,
    COLUMN_FRAME,
    COLUMN_PREFIX,
    COLUMN_PREFIX_OFFSET,
    COLUMN_FUNC,
    COLUMN_ADDRESS,
    COLUMN_INLINE_DEPTH,
    COLUMN_CATEGORY,
    COLUMN_LINE,
    COLUMN_LIB,
    COLUMN_LOCATION,
    COLUMN_NAME,
    COLUMN_RESOURCE,
    COLUMN_FILE_NAME,
    COLUMN_SOURCE,
    COLUMN_LINE_NUMBER,
    COLUMNS
};

enum json_firefox_table { TABLE_SAMPLES, TABLE_STACKS, TABLE_FRAMES, TABLE_FUNCS, TABLE_RESOURCES, TABLES };

struct json_firefox_rows {
    struct json_column *columns[COLUMNS]; /* NULL: not there */
    struct json_column *rows;             /* by place in a row; NULL: the table has columns */
    size_t n_rows;
    bool millionths;       /* numbers in rows are kept as such */
    int8_t place[COLUMNS]; /* of a column in a row, from 1; 0: none */
    enum json_value weight_type;
};

/* Strings, stacks and what they refer to: of a thread, or shared by all. */
struct json_firefox_tables {
    struct json_firefox_rows *of[TABLES];
    string_id *strings;
    size_t n_strings, strings_capacity;
    size_t libs, n_libs;
};

struct json_firefox_lib {
    string_id path, build_id;
    int64_t start, end, offset; /* COLUMN_NONE: not known */
};

struct json_firefox_process {
    int64_t start_ns; /* of meta */
    int cpu_decimals; /* from millionths of threadCPUDelta to ns; -1: it is no time */
    size_t libs, n_libs;
};

struct json_firefox_thread {
    string_id name, pid, process_name;
    int64_t tid; /* -1: no number */
    uint32_t process;
    struct json_firefox_tables tables;
};

struct json_firefox {
    int64_t version; /* of a processed profile; -1: not said */
    bool has_version, gecko, ours;
    uint32_t texts; /* that are read within each other */
    string_id *categories;
    size_t n_categories, categories_capacity;
    struct json_firefox_process *processes;
    size_t n_processes, processes_capacity;
    struct json_firefox_lib *libs;
    size_t n_libs, libs_capacity;
    struct json_firefox_thread *threads;
    size_t n_threads, threads_capacity;
    struct json_firefox_tables shared;
    struct json_column sources; /* strings of their files */
    bool has_threads;
    uint32_t now; /* the process at hand */
};

/* A column of a table, of either form. NULL: it is not there. */
const struct json_column *json_firefox_column(const struct json_firefox_rows *t, enum json_firefox_column c);
/* One value of it; times, weights and differences of CPU time are millionths. COLUMN_NONE of what is not there. */
int64_t json_firefox_cell(const struct json_firefox_rows *t, enum json_firefox_column c, size_t i);
