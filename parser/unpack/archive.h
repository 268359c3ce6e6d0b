/* Archives, read by libarchive from a whole file: which of their members is meant, and its bytes.
 *
 * The archive is gone through twice. The first time only members are listed; nothing is unpacked for it where the archive
 * says how large they are. If one member is meant, the second time goes to it and hands out its bytes.
 *
 * Memory: libarchive takes ARCHIVE_BYTES at most, and of an archive with a directory (zip) ARCHIVE_DIRECTORY_FACTOR times
 * the directory's bytes, which are charged to the arena while the directory is read. */
#ifndef PARSER_UNPACK_ARCHIVE_H
#define PARSER_UNPACK_ARCHIVE_H

#include "parser/unpack/unpack_impl.h"
#include "parser/whole_file.h"

struct archive; /* libarchive's */

/* The smallest entry of a zip's directory has 46 bytes; libarchive keeps less than 184 of each. */
enum { ARCHIVE_BYTES = 512 << 10, ARCHIVE_DIRECTORY_FACTOR = 4, ARCHIVE_METHODS_MAX = 2 };

/* What is known of one kind of archive; a row in its packer. */
struct archive_format {
    int (*enable)(struct archive *a); /* archive_read_support_format_.. */
    /* Words by which archive_format_name tells how a member is packed; those of a method whose memory is bounded. All empty:
     * any will do. */
    const char *methods[ARCHIVE_METHODS_MAX];
    /* The first bytes of a file that is one of several into which an archive was split; may be empty. */
    struct str split_magic;
    const char *split_hint; /* how to join them */
};

/* Hands out the bytes of the member that u->options mean. False: u->diag is set, or the sink wanted no more. */
bool archive_unpack(struct unpack *u, const struct whole_file *file) __attribute__((warn_unused_result));

#endif
