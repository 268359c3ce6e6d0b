/* Output "json", read back with another program's parser. */
#include "tests/support/unit.h"

#include <string.h>

#include <jansson.h>

#include "tests/support/fake_profile.h"
#include "tests/support/rendering.h"

static json_t *run(struct rendering *r)
{
    json_error_t error;

    assert_true(rendering_run(r, &OUTPUT_JSON));
    json_t *root = json_loadb(r->out.p, r->out.n, JSON_REJECT_DUPLICATES, &error);
    if (root == NULL)
        print_message("%s at %d\n", error.text, error.position);
    assert_non_null(root);
    return root;
}

/* The value at a path such as "nodes.self.0.3", as text of one line. */
static void at(json_t *value, const char *path, const char *expected)
{
    struct str rest = str_of(path), field;
    uint64_t index;

    while (str_split(&rest, '.', &field)) {
        char key[32] = "";
        memcpy(key, field.p, field.n);
        value = str_to_u64(field, 10, &index) ? json_array_get(value, (size_t)index)
                                              : json_object_get(value, key);
    }
    assert_non_null(value);
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_SORT_KEYS);
    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
}

static struct fake *small(void)
{
    struct fake *f = fake_new();

    fake_usual_values(f);
    fake_track(f, 5, STR("ma\"in</script>"));
    fake_stack(f, "", 1, 0, 0);
    fake_stack(f, "z.Z.z", 10, 4, 2);
    fake_stack(f, "a.A.b(I)V", 20, 3, 1);
    fake_stack(f, "a.A.b(I)V;a.A.b(I)V", 30, 3, 1);
    fake_track(f, 6, STR("second"));
    fake_stack(f, "z.Z.z", 100, 4, 2);
    fake_warning(f, "one", STR("First \"sentence\"."));
    fake_warning(f, "two", STR("Second."));
    return f;
}

TEST(one_track)
{
    struct rendering r;

    rendering_of(&r, small());
    strcpy(r.view.value, "calls");
    r.view.track_ids[0] = 5;
    r.view.n_track_ids = 1;
    json_t *root = run(&r);
    at(root, "format", "\"aflamed-tree\"");
    at(root, "version", "1");
    at(root, "view", "\"flame\"");
    at(root, "tracks", "[{\"id\":5,\"name\":\"ma\\\"in</script>\",\"node\":0}]");
    at(root, "values.0", "{\"derived\":false,\"label\":\"wall\",\"name\":\"wall\",\"unit\":\"ns\"}");
    at(root, "values.2.unit", "\"count\"");
    at(root, "values.3",
       "{\"derived\":true,\"label\":\"waiting time\",\"name\":\"waiting\",\"unit\":\"ns\"}");
    at(root, "strings", "[\"a.A\",\"b\",\"(I)V\",\"\",\"z.Z\",\"z\"]");
    at(root, "frames",
       "{\"file\":[3,3],\"module\":[3,3],\"name\":[1,5],\"scope\":[0,4],\"signature\":[2,3]}");
    at(root, "nodes.parent", "[-1,0,1,0]");
    at(root, "nodes.frame", "[-1,0,0,1]");
    at(root, "nodes.recursive", "[0,0,1,0]");
    at(root, "nodes.calls", "[0,1,1,2]");
    assert_null(json_object_get(json_object_get(root, "nodes"), "track"));
    at(root, "nodes.self", "[[1,20,30,10],[0,3,3,4],[0,1,1,2],[0,17,27,6]]");
    at(root, "nodes.total", "[[61,50,30,10],[10,6,3,4],[4,2,1,2],[50,44,27,6]]");
    at(root, "warnings",
       "[{\"code\":\"one\",\"count\":1,\"offset\":null,\"text\":\"First \\\"sentence\\\".\"},"
       "{\"code\":\"two\",\"count\":2,\"offset\":100,\"text\":\"Second.\"}]");
    assert_null(memmem(r.out.p, r.out.n, "</script", 8));
    json_decref(root);
    rendering_free(&r);
}

TEST(several_tracks)
{
    struct rendering r;

    rendering_of(&r, small());
    r.view.tracks = TRACKS_ALL;
    r.view.order = ORDER_WEIGHT;
    json_t *root = run(&r);
    at(root, "tracks.0.node", "3");
    at(root, "tracks.1.node", "1");
    at(root, "nodes.frame", "[-1,-1,0,-1,1,1,0]");
    at(root, "nodes.track", "[-1,1,-1,0,-1,-1,-1]");
    at(root, "nodes.total.0", "[161,100,100,61,50,30,10]");
    json_decref(root);
    /* By CPU time the first track is the heavier one. */
    strcpy(r.view.value, "cpu");
    root = run(&r);
    at(root, "tracks.0.node", "1");
    json_decref(root);
    r.view.tracks = TRACKS_MERGED;
    root = run(&r);
    at(root, "tracks.1.node", "0");
    at(root, "nodes.total.0", "[161,110,50,30]");
    json_decref(root);
    rendering_free(&r);
}

TEST(odd_profiles)
{
    struct fake *f = fake_new();
    struct rendering r;
    const uint64_t largest[1] = {UINT64_MAX};

    fake_value(f, "bytes\xff", UNIT_BYTES, ROLE_OTHER);
    uint32_t root_node = fake_track(f, 1, STR("\0\x1f"));
    fake_child(f, root_node, fake_frame(f, STR(""), STR("\xed\xa0\x80"), STR("")), largest);
    rendering_of(&r, f);
    assert_true(rendering_run(&r, &OUTPUT_JSON));
    assert_non_null(strstr(rendering_text(&r), "\"self\":[[0,18446744073709551615]]"));
    assert_non_null(strstr(rendering_text(&r), "\"warnings\":[]"));
    rendering_free(&r);
}

TEST(table)
{
    assert_string_equal(OUTPUTS[0]->name, "svg");
    for (size_t i = 0; i < OUTPUTS_COUNT; i++) {
        assert_ptr_equal(output_by_name(str_of(OUTPUTS[i]->name)), OUTPUTS[i]);
        assert_ptr_equal(output_by_suffix(str_of(OUTPUTS[i]->suffix)), OUTPUTS[i]);
    }
    assert_null(output_by_name(STR("")));
    assert_null(output_by_name(STR("SVG")));
    assert_null(output_by_suffix(STR(".svg")));
}

TEST(inverted)
{
    struct rendering r;

    rendering_of(&r, small());
    r.view.view = VIEW_INVERTED;
    r.view.track_ids[0] = 5;
    r.view.n_track_ids = 1;
    json_t *root = run(&r);
    at(root, "view", "\"inverted\"");
    at(root, "tracks", "[{\"id\":5,\"name\":\"ma\\\"in</script>\",\"node\":0}]");
    at(root, "nodes.parent", "[-1,0,1,0]");
    at(root, "nodes.frame", "[-1,0,0,1]");
    at(root, "nodes.recursive", "[0,0,0,0]");
    at(root, "nodes.calls", "[4,2,1,2]");
    at(root, "nodes.self", "[[1,20,30,10],[0,3,3,4],[0,1,1,2],[0,17,27,6]]");
    at(root, "nodes.total", "[[61,50,30,10],[10,6,3,4],[4,2,1,2],[50,44,27,6]]");
    json_decref(root);
    /* Side by side, tracks are the outermost callers, and have their own time below the root; the order is
     * by the value of the view. */
    r.view.tracks = TRACKS_ALL;
    r.view.order = ORDER_WEIGHT;
    strcpy(r.view.value, "calls");
    root = run(&r);
    at(root, "tracks.1.node", "0");
    at(root, "nodes.parent", "[-1,0,1,1,0,4,5,4,0]");
    at(root, "nodes.frame", "[-1,0,-1,-1,1,1,-1,-1,-1]");
    at(root, "nodes.track", "[-1,-1,0,1,-1,-1,0,0,0]");
    at(root, "nodes.total.0", "[161,110,10,100,50,30,30,20,1]");
    at(root, "nodes.total.2", "[6,4,2,2,2,1,1,1,0]");
    at(root, "nodes.self.2", "[0,0,2,2,0,0,1,1,0]");
    json_decref(root);
    rendering_free(&r);
}

TEST(sandwich)
{
    struct rendering r;

    rendering_of(&r, small());
    r.view.view = VIEW_SANDWICH;
    r.view.tracks = TRACKS_MERGED;
    strcpy(r.view.method, "a.A.b");
    json_t *root = run(&r);
    at(root, "view", "\"sandwich\"");
    assert_null(json_object_get(root, "nodes"));
    at(root, "method", "0");
    at(root, "callers.frame", "[0]");
    at(root, "callers.total", "[[50],[6],[2],[44]]");
    at(root, "callers.self", "[[50],[6],[2],[44]]");
    at(root, "callers.calls", "[1]");
    at(root, "callees.parent", "[-1,0]");
    at(root, "callees.frame", "[0,0]");
    at(root, "callees.recursive", "[0,1]");
    at(root, "callees.calls", "[1,1]");
    at(root, "callees.self", "[[20,30],[3,3],[1,1],[17,27]]");
    at(root, "callees.total", "[[50,30],[6,3],[2,1],[44,27]]");
    json_decref(root);
    /* Of the busiest one, by the value of the view. */
    r.view.method[0] = '\0';
    root = run(&r);
    at(root, "frames.scope.0", "0");
    at(root, "strings.0", "\"z.Z\"");
    at(root, "callees.total", "[[110],[8],[4],[102]]");
    json_decref(root);
    strcpy(r.view.method, "a.A.x");
    assert_false(rendering_run(&r, &OUTPUT_JSON));
    assert_int_equal(r.diag.kind, DIAG_NOT_FOUND);
    rendering_free(&r);
}
