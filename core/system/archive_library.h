/* libarchive, which opens itself when it is first called: see archive_library.c. */
#ifndef CORE_SYSTEM_ARCHIVE_LIBRARY_H
#define CORE_SYSTEM_ARCHIVE_LIBRARY_H

/* Opens it now: for who can open no files later. */
void archive_library_open(void);

#endif
