/* What is told from the bytes of a picture alone. */
#include "tests/support/unit.h"

#include "render/svg/svg_header.h"

TEST(no_code_to_leave_out)
{
    static const char *const NONE[] = {"", "<svg></svg>\n", "<svg><style><![CDATA[",
                                       "<svg><style>a{}</style></svg>\n"};

    for (size_t i = 0; i < sizeof(NONE) / sizeof(NONE[0]); i++) {
        struct svg_parts parts = svg_without_code(str_of(NONE[i]));
        assert_true(str_eq(parts.pieces[0], str_of(NONE[i])));
        assert_int_equal(parts.pieces[1].n + parts.pieces[SVG_DRAWING].n + parts.pieces[3].n, 0);
    }
}

TEST(which_filter_left_nothing)
{
    static const struct {
        const char *svg;
        bool found;
        uint32_t step;
    } CASES[] = {
        {"<svg class=\"af\" data-emptied-by=\"3\" data-nodes=\"0\">\n", true, 3},
        {"<svg data-emptied-by=\"4294967295\">\n", true, UINT32_MAX},
        {"<svg data-nodes=\"0\">\n<text> data-emptied-by=\"3\"</text>", false, 0}, /* not of the element */
        {"<svg data-emptied-by=\"4294967296\">\n", false, 0},
        {"<svg data-emptied-by=\"\">\n", false, 0},
        {"<svg data-emptied-by=\"1", true, 1},
        {"<svg data-emptied-by=\"", false, 0},
        {"", false, 0},
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        uint32_t step = 0;
        assert_int_equal(svg_emptied_by(str_of(CASES[i].svg), &step), CASES[i].found);
        if (CASES[i].found)
            assert_int_equal(step, CASES[i].step);
    }
}
