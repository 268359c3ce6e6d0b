/* Packs bytes for the tests, as well as the usual tools do and as badly as a test needs. */
#pragma once

#include "core/buf.h"

/* One member, with name, comment, extra field and checksum in its header. */
void packing_gzip(struct buf *b, struct str bytes);

/* One frame with a checksum, in several blocks. */
void packing_zstd(struct buf *b, struct str bytes);
/* A frame to be skipped, of n bytes. */
void packing_zstd_skipped(struct buf *b, uint32_t n);
/* A frame that announces this window and has a line of folded stacks, then `blocks` runs of 128 KiB of line ends. */
void packing_zstd_runs(struct buf *b, unsigned window_log, uint32_t blocks);

struct packing_member {
    const char *name;
    struct str bytes;
    uint16_t method; /* 0 stored, 8 deflated; of any other the bytes are stored */
    uint16_t flags;  /* with 8: a descriptor behind the data; with 0x800: the name is UTF-8 */
    bool zip64;      /* sizes as u64 */
    bool unmarked;   /* the descriptor is without its mark */
    bool wrong_crc;
};
/* The members and their directory. */
void packing_zip_archive(struct buf *b, const struct packing_member *members, size_t n);
/* An archive of one deflated member. */
void packing_zip(struct buf *b, const char *name, struct str bytes);

/* Files of a tar archive (pax and GNU have the same header), each of the name and bytes of a member. */
void packing_tar(struct buf *b, const struct packing_member *members, size_t n);

/* An archive that lost its directory, which can still be read from its front: member by member, and where
 * the directory began. */
void packing_zip_member(struct buf *b, const struct packing_member *m);
void packing_zip_end(struct buf *b);
