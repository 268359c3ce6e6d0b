/* libarchive, which opens itself when it is first called: see archive_library.c. */
#pragma once

/* Opens it now: for who can open no files later. */
void archive_library_open(void);
