#include "tests/support/data_read.h"
#include "render/tree/tree.h"

#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

enum { NODES_MAX = 4000, FRAMES_MAX = 4000 };

uint64_t data_read_number(struct str *s)
{
    static const char DIGITS[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
    uint64_t value = 0;

    for (unsigned shift = 0;; shift += 5) {
        assert_true(s->n > 0);
        const char *digit = memchr(DIGITS, s->p[0], sizeof(DIGITS) - 1);
        assert_non_null(digit);
        s->p++, s->n--;
        value |= (uint64_t)((digit - DIGITS) & 31) << shift;
        if (digit - DIGITS < 32)
            return value;
    }
}

/* What an XML parser makes of it. */
static struct str unescape(char *to, struct str xml)
{
    static const struct {
        struct str entity;
        char c;
    } ENTITIES[] = {{STR_INIT("&lt;"), '<'}, {STR_INIT("&gt;"), '>'}, {STR_INIT("&amp;"), '&'}};
    char *start = to;

    while (xml.n > 0) {
        size_t taken = 1;
        assert_true(xml.p[0] != '<' && xml.p[0] != '>');
        char c = xml.p[0];
        for (size_t i = 0; xml.p[0] == '&' && i < 3; i++)
            if (str_starts(xml, ENTITIES[i].entity)) {
                c = ENTITIES[i].c;
                taken = ENTITIES[i].entity.n;
            }
        assert_true(xml.p[0] != '&' || taken > 1);
        *to++ = c;
        xml.p += taken, xml.n -= taken;
    }
    return (struct str){start, (size_t)(to - start)};
}

/* The values that the header lists, of which only this is of interest here. */
static void read_values(struct data_read *r)
{
    static const struct str ROLE = STR_INIT("\"role\":\""), SCALE = STR_INIT("\"scale\":"),
                            DERIVED = STR_INIT(",\"derived\":");
    struct str rest = r->header;

    for (size_t at; (at = str_find_str(rest, ROLE)) < rest.n;) {
        rest.p += at + ROLE.n, rest.n -= at + ROLE.n;
        r->role[r->n_values] = str_starts(rest, STR("calls\"")) ? 'C'
                               : str_starts(rest, STR("wait"))  ? 'W'
                                                                : rest.p[0];
        at = str_find_str(rest, SCALE);
        rest.p += at + SCALE.n, rest.n -= at + SCALE.n;
        size_t comma = str_find(rest, ',');
        assert_true(str_to_u64((struct str){rest.p, comma}, 10, &r->scale[r->n_values]));
        rest.p += comma, rest.n -= comma;
        assert_true(str_starts(rest, DERIVED));
        r->derived[r->n_values++] = rest.p[DERIVED.n] == 't';
    }
    assert_true(r->n_values > 0);
}

/* The lines first, then the numbers: a text is known once its prefix is. */
static void read_frames(struct data_read *r, struct str *rest)
{
    struct str line, last = {NULL, 0};
    uint64_t rank = 0;

    for (; str_split(rest, '\n', &line) && line.n > 0; r->n_frames++) {
        assert_true(r->n_frames < FRAMES_MAX);
        r->frames[r->n_frames].text = line;
    }
    for (uint32_t n = 0; n < r->n_frames; n++) {
        struct data_read_frame *f = &r->frames[n];
        uint64_t step = data_read_number(rest), prefix = data_read_number(rest);
        f->origin = data_read_number(rest);
        f->colour = data_read_number(rest);
        assert_true(n == 0 || step > 0);
        assert_true(prefix <= last.n);
        char *text = r->texts;
        for (size_t i = 0; i < prefix; i++) {
            assert_true((unsigned char)last.p[i] < 0x80);
            text[i] = last.p[i];
        }
        memcpy(text + prefix, f->text.p, f->text.n);
        last = f->text = (struct str){text, prefix + f->text.n};
        r->texts += last.n;
        f->rank = rank += step;
    }
}

/* The self of value i, unless the first number of the node tells it. */
static uint64_t read_self(const struct data_read *r, struct str *rest, const struct data_read_node *n,
                          uint32_t i, uint64_t first)
{
    if (r->role[i] == 'c' && (first & 4) != 0)
        for (uint32_t wall = 0; wall < i; wall++)
            if (r->role[wall] == 'w')
                return n->self[wall];
    if (r->role[i] == 'C' && (first & 2) != 0)
        return 1;
    return data_read_number(rest) * r->scale[i];
}

static void read_node(struct data_read *r, struct str *rest, const struct data_read_node *before)
{
    struct data_read_node *n = &r->nodes[r->n_nodes];
    uint64_t first = data_read_number(rest), up = first >> 3;

    *n = (struct data_read_node){.stub = first & 1};
    assert_true(before == NULL ? up == 0 : up <= before->depth);
    n->depth = before == NULL ? 0 : before->depth + 1 - (uint32_t)up;
    n->line = (uint32_t)data_read_number(rest);
    assert_true(n->line <= r->n_frames);
    for (uint32_t i = 0; i < r->n_values; i++)
        if (!r->derived[i])
            n->self[i] = read_self(r, rest, n, i, first);
    for (uint32_t i = 0; i < r->n_values; i++)
        if (r->derived[i])
            n->self[i] = n->self[0] > n->self[1] ? n->self[0] - n->self[1] : 0; /* wall and cpu */
    if (!n->stub)
        return;
    n->place = data_read_number(rest);
    n->shown = data_read_number(rest);
    n->hidden_children = data_read_number(rest);
    n->hidden_nodes = data_read_number(rest);
    for (uint32_t i = 0; i < r->n_values; i++)
        n->hidden_total[i] = data_read_number(rest) * r->scale[i];
}

void data_read(struct data_read *r, struct str data)
{
    *r = (struct data_read){.memory = malloc(data.n + 1 + data.n * 64 + (1 << 20))};
    r->frames = calloc(FRAMES_MAX, sizeof(*r->frames));
    r->nodes = calloc(NODES_MAX, sizeof(*r->nodes));
    assert_non_null(r->memory);
    struct str rest = unescape(r->memory, data);
    r->texts = r->memory + data.n;
    assert_true(str_split(&rest, '\n', &r->header));
    read_values(r);
    read_frames(r, &rest);
    assert_true(rest.n > 0 && rest.p[rest.n - 1] == '\n');
    for (rest.n--; rest.n > 0; r->n_nodes++) {
        assert_true(r->n_nodes < NODES_MAX);
        read_node(r, &rest, r->n_nodes == 0 ? NULL : &r->nodes[r->n_nodes - 1]);
    }
    assert_true(r->n_nodes > 0);
}

void data_read_free(struct data_read *r)
{
    free(r->memory);
    free(r->frames);
    free(r->nodes);
}

uint64_t data_read_header(const struct data_read *r, const char *key)
{
    size_t at = str_find_str(r->header, str_of(key));
    struct str rest = {r->header.p + at + strlen(key), r->header.n - at - strlen(key)};
    uint64_t value;

    assert_true(at < r->header.n);
    size_t n = 0;
    while (n < rest.n && rest.p[n] >= '0' && rest.p[n] <= '9')
        n++;
    assert_true(str_to_u64((struct str){rest.p, n}, 10, &value));
    return value;
}

void data_embedded(struct data_embedded *e, struct rendering *r)
{
    struct diag diag = {0};

    *e = (struct data_embedded){.n = 0};
    assert_true(view_resolve(&r->view, r->input.profile, &diag));
    assert_true(data_tree_open(&e->data, &r->input, &diag));
    assert_true(data_put(&e->data, &e->out, &e->n, &diag));
    struct tree_spec spec = e->data.spec;
    spec.n_measures = e->data.n_measures;
    e->full = tree_new(&r->input, &spec, &diag);
    assert_non_null(e->full);
    data_read(&e->read, buf_view(&e->out));
}

void data_embedded_free(struct data_embedded *e)
{
    data_read_free(&e->read);
    buf_free(&e->out);
}
