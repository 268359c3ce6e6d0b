/* --track of the command line: what URLs take, and names of tracks as well. */
#pragma once

#include "render/view/view.h"

/* Sets the tracks of *view from what was written behind --track: all, merged, ids, names, or ids and names
 * with commas between them. A number is an id, whatever the tracks are called. A name is compared as it is
 * shown, that is cleaned (core/clean.h); one that holds commas can stand alone only. Of a comparison also
 * the names that its tracks have on either side. False: diag, DIAG_NOT_FOUND for a name that no track has,
 * DIAG_USAGE for one that several tracks have, with their ids, and for what view_set_tracks refuses. An id
 * that the profile does not have is left to view_resolve. */
bool cli_tracks(struct view_options *view, const struct profile *p, const char *written,
                struct diag *diag) MUST_CHECK;
