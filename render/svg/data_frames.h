/* The frames that a block of DATA uses: each has a line, in the order of their ranks. */
#ifndef RENDER_SVG_DATA_FRAMES_H
#define RENDER_SVG_DATA_FRAMES_H

#include "render/svg/frame_colours.h"
#include "render/view/input.h"

/* A set of small numbers that knows how many of them are below each: one bit, and half a bit for counting. */
struct data_set {
    uint64_t *bits;
    uint32_t *below; /* by word of `bits`; data_set_count fills it */
    uint32_t n_words;
};

struct data_frames {
    const struct render_input *in;
    const struct package_colours *colours;
    struct data_set frames, ranks; /* ids in use, and their ranks */
    uint32_t n;
    uint32_t *line_of;  /* by position in `frames` */
    frame_id *frame_at; /* by line */
    uint32_t *prefix;   /* by line; data_frames_put finds it */
    size_t capacity_of_line_of, capacity_of_frame_at, capacity_of_prefix;
    struct buf text, last_text; /* of this line and the one before */
};

/* Lives in in->scratch, but for what data_frames_free ends. Frames that stand for tracks count as in a tree:
 * n_frames + index. False: the arena gives no more. */
bool data_frames_init(struct data_frames *f, const struct render_input *in,
                      const struct package_colours *colours) __attribute__((warn_unused_result));
void data_frames_free(struct data_frames *f);

/* Forgets all frames. */
void data_frames_clear(struct data_frames *f);

static inline void data_frames_use(struct data_frames *f, frame_id frame)
{
    f->frames.bits[frame >> 6] |= UINT64_C(1) << (frame & 63);
}

/* Gives each frame in use its line. False: the arena gives no more. */
bool data_frames_number(struct data_frames *f) __attribute__((warn_unused_result));

static inline uint32_t data_set_position(const struct data_set *s, uint32_t member)
{
    uint64_t below = s->bits[member >> 6] & ((UINT64_C(1) << (member & 63)) - 1);
    return s->below[member >> 6] + (uint32_t)__builtin_popcountll(below);
}

/* Of a frame in use. */
static inline uint32_t data_frames_line(const struct data_frames *f, frame_id frame)
{
    return f->line_of[data_set_position(&f->frames, frame)];
}

/* Appends the lines, as long as `out` is shorter than `end` bytes. `xml`: escaped. */
void data_frames_put(struct data_frames *f, struct buf *out, size_t end, bool xml);
/* Then their numbers. */
void data_frames_put_numbers(const struct data_frames *f, struct buf *out, size_t end);

#endif
