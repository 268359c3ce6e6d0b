/* Which run of the machine this is. */
#include "tests/support/unit.h"

#include <string.h>

#include "core/system/boot_id.h"
#include "tests/support/scratch.h"

TEST(the_kernel_s_is_the_same_each_time)
{
    static const char PATH[] = "/proc/sys/kernel/random/boot_id";
    char one[BOOT_CHARS + 1], two[BOOT_CHARS + 1];

    assert_true(boot_id(PATH, one));
    assert_true(boot_id(PATH, two));
    assert_int_equal(strlen(one), BOOT_CHARS);
    assert_string_equal(one, two);
}

/* What may be spoilt is then taken for spoilt. */
TEST(one_that_cannot_be_read_is_another_one_each_time)
{
    struct scratch scratch = scratch_make();
    char path[512], one[BOOT_CHARS + 1], two[BOOT_CHARS + 1];
    static const char *const TEXTS[] = {NULL, "", "too short\n"};

    for (size_t i = 0; i < sizeof(TEXTS) / sizeof(TEXTS[0]); i++) {
        scratch_path(&scratch, "boot_id", path, sizeof(path));
        if (TEXTS[i] != NULL)
            scratch_write(&scratch, "boot_id", TEXTS[i], strlen(TEXTS[i]));
        assert_true(boot_id(path, one));
        assert_true(boot_id(path, two));
        assert_true(strlen(one) >= 32);
        assert_string_not_equal(one, two);
    }
    scratch_remove(&scratch);
}
