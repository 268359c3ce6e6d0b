/* The log of calls of a profile (profile/log/call_log.h): made by reading the profile's bytes a second time, when it is first
 * needed, and then kept with the profile for all who need it. It is of the bytes: names, filters and windows do not change it. */
#ifndef SERVER_CONVERT_PROFILE_LOG_H
#define SERVER_CONVERT_PROFILE_LOG_H

#include "profile/calls/replay.h"
#include "server/convert/convert.h"

/* Whether the log is there; of a window of time, that of the whole. Any thread. */
bool profile_log_is_there(const struct shared_profile *f);

/* Makes the log if it is not there yet, by s->make_log, or else from s->fd. False: diag. */
bool profile_log_make(const struct convert_source *s, struct diag *diag) __attribute__((warn_unused_result));
/* Makes the log of the source's profile: reads all of its bytes. Of two who do so at a time the first one's log is kept. False: diag,
 * with DIAG_IO where these are not the profile's bytes; not set where `in` knows why they cannot be had. */
bool profile_log_read(const struct convert_source *s, const struct source_input *in, const struct stop *stop,
                      struct diag *diag) __attribute__((warn_unused_result));

/* Fills in the log, which is there, and the profile: that of the source, or the whole that it is a window of. */
void profile_log_request(const struct shared_profile *f, struct replay_request *request);
/* Replays with it, made if it is not there yet. False: diag; if that is not set, the sink has ended the replay. */
bool profile_log_replay(const struct convert_source *s, struct replay_request *request, struct diag *diag)
    __attribute__((warn_unused_result));
/* What a replay's answer means: true if it is REPLAY_DONE; diag is set where the log is damaged. */
bool profile_log_ended(enum replay_end end, struct diag *diag);

#endif
