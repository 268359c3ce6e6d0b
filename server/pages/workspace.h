/* The inside of the workspace page, shared by the files that write its parts (see page_workspace.c). */
#pragma once

#include "server/pages/page_data.h"
#include "server/pages/page_frame.h"
#include "server/pages/pages.h"

struct key;

struct workspace {
    struct buf *b;
    struct page_workspace of;
    const json_t *tracks;
    struct str up; /* from the page to the folder above the profile: "../../" */
    /* From the page to the profile, with a slash at the end: "../../p/<id>/"; or to the comparison:
     * "../d/<ids>/" */
    struct str self;
};

/* Whether the profile has a value of that name, not counting those that follow from others. */
bool workspace_has_value(const struct workspace *w, struct str name);

/* Whether one thread is shown, and which: its index, or else the number of threads. */
bool workspace_is_single(const struct workspace *w);
size_t workspace_find_shown(const struct workspace *w);
/* Whether the track can have the value of the summary, or the one that is derived. */
bool workspace_track_has(const struct workspace *w, const json_t *track, const json_t *value);

/* The chosen thread's name, or what several are called; raw. */
void workspace_put_shown(const struct workspace *w, struct buf *b);

/* `before`, then the path of something below the profile ("t", "raw"), then the options as a query;
 * `after` closes the attribute. */
void workspace_link(const struct workspace *w, const char *before, const char *path,
                    const struct view_options *query, const char *after);

/* "?track=..", with the options behind it: the query of pages whose path does not name the tracks. */
void workspace_query(const struct workspace *w, struct str track);
/* The same with other options. */
void workspace_query_of(const struct workspace *w, struct str track, const struct view_options *options);

/* The address of the picture of these tracks, with these options. */
void workspace_picture(const struct workspace *w, struct str track, const struct view_options *options);

/* The address of a table of methods: `name` below the profile, with what is asked of the table. `sort` empty: as the
 * service sorts. */
void workspace_place(const struct workspace *w, const char *name, struct str sort, struct str grep,
                     enum table_group group, uint32_t offset);

/* The address of one method: its id, or its name as shown. */
void workspace_method_link(const struct workspace *w, struct str method);

/* The address of this tab with other tracks. */
void workspace_track_link(const struct workspace *w, struct str track);

/* What unfolds below a button: `attributes` has its class, `summary` is markup. */
void workspace_menu(struct buf *b, const char *attributes, const char *summary);
/* One that unfolds within another: `icon` stands before its summary. */
void workspace_inner_menu(struct buf *b, const char *class, const char *icon, const char *summary);
void workspace_menu_end(struct buf *b);

/* A choice of words; a `label` that is not seen stands before it. */
void workspace_choice(struct buf *b, const char *name, const char *label);
/* Opens an <option> without its text, which the caller writes. */
void workspace_choice_begin(struct buf *b, struct str word, bool chosen);
void workspace_choice_word(struct buf *b, struct str word, bool chosen, struct str label);
void workspace_choice_end(struct buf *b);

/* What leads away from the page of a profile or of a comparison: items of its menu. */
void workspace_menu_item(struct buf *b, const char *icon, struct str link, const char *words);
void workspace_menu_site(const struct workspace *w);

/* A menu of the warnings; nothing if there are none. */
void workspace_warnings(const struct workspace *w);

/* The line above all: the name, the facts, the warnings, what can be done with the profile. */
void workspace_heading(const struct workspace *w);

/* All threads as links, behind a button that names the chosen one: main first, then by weight; pools in
 * groups, and those that hardly did anything behind a line. Threads of other processes than main's come last, a fold for
 * each process. */
void workspace_threads(const struct workspace *w);

/* The address of what is shown now, with these options. */
void workspace_here(const struct workspace *w, const struct view_options *options);

/* Says which step took out what was left, and how to remove it. */
void workspace_filter_emptied(const struct workspace *w, uint32_t step);
/* What a method's page offers: this view with the method as a filter. */
void workspace_filter_by(const struct workspace *w, struct str name);

/* A hidden field of a form. */
void workspace_hidden(struct buf *b, const char *key, struct str text);

/* The tab of methods: its link, its table; one method with its callers and callees. */
void workspace_methods_link(const struct workspace *w, struct str track);
void workspace_methods(const struct workspace *w);
/* What the script fetches of it: the table as JSON. */
void workspace_methods_json(const struct workspace *w);
void workspace_method(const struct workspace *w);

/* The tab of frames that the app showed too late: whether there are any, its link, its table. */
void workspace_frames(const struct workspace *w);

/* What all threads did in the order of time; nothing for a profile without times. */
bool workspace_is_timed(const struct workspace *w);

/* Of a comparison (workspace_compare.c): what stands in place of that of one profile. The query and the
 * hidden fields of it are nothing where nothing is compared. */
void workspace_compared_query(const struct workspace *w);
void workspace_compared_hidden(const struct workspace *w);
void workspace_compared_whole(const struct workspace *w);
struct str workspace_compared_value(const struct workspace *w); /* the name of the value that is shown */
/* Its fields: in the row, for each tab; in a menu, with some options of the view. */
void workspace_compared_values(const struct workspace *w);
void workspace_compared_sides(const struct workspace *w);

/* The row of tools, and below it what it shows. */
void workspace_tools(const struct workspace *w);
