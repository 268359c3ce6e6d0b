/* Lines of tables for people. */
#include "tests/support/unit.h"

#include "render/table/text_line.h"

TEST(test_cells_end_with_their_columns)
{
    struct text_line l = {0};
    struct buf out = {0};

    text_line_add(&l, "1 \xC2\xB5s"); /* four cells of a terminal, in five bytes */
    text_line_add(&l, "");
    text_line_widen(&l);
    text_line_begin(&l);
    text_line_add(&l, "7");
    text_line_add(&l, "12");
    text_line_widen(&l);
    text_line_put(&l, &out);
    assert_buf(&out, "     7  12  ");
    text_line_free(&l);
}

/* Of a line that is wider than its column there would be blanks without end. */
TEST(test_a_line_that_failed_fails_the_output)
{
    struct text_line l = {.text = {.limit = 4}};
    struct buf out = {0};

    text_line_add(&l, "12345");
    text_line_widen(&l);
    text_line_begin(&l);
    text_line_add(&l, "1");
    text_line_put(&l, &out);
    assert_true(out.failed);
    text_line_free(&l);
    buf_free(&out);
}
