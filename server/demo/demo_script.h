/* The text of static/demo.txt, by its parts; its first lines say what they are. Slices live as long as the
 * program. Any thread. */
#ifndef SERVER_DEMO_DEMO_SCRIPT_H
#define SERVER_DEMO_DEMO_SCRIPT_H

#include "core/str.h"

struct demo_thread {
    uint16_t id;
    uint32_t start_us;
    struct str name;
    struct str lines; /* for demo_script_line, which knows their end */
};

/* The next thread of the text; *rest is demo_script_all() at first. False: no more. */
struct str demo_script_all(void);
bool demo_script_thread(struct str *rest, struct demo_thread *thread);

/* The lines of the script with this name, for demo_script_line; p NULL: there is none. */
struct str demo_script_find(struct str name);

/* The next line of a thread or script, without its end. False: the part ends here. */
bool demo_script_line(struct str *rest, struct str *line);

/* Where the type is, as "java/lang"; p NULL: it is not in the table. */
struct str demo_script_package(struct str type);

/* Takes the digits at the front of *s as a number: 0 if there are none. */
uint32_t demo_script_number(struct str *s);

#endif
