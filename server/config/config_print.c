#include "core/json.h"
#include "core/system/file.h"
#include "server/config/config_keys.h"
#include "server/config/config_load.h"

static bool write_out(struct buf *b, int fd)
{
    bool ok = !b->failed && file_write_all(fd, b->p, b->n);

    buf_free(b);
    return ok;
}

static bool is_json_word(struct str value)
{
    uint64_t number;

    return str_eq(value, STR("true")) || str_eq(value, STR("false")) || str_to_u64(value, 10, &number);
}

bool config_print(const struct config *c, int fd)
{
    struct buf out = {0}, value = {0};
    struct json json = json_into_indented(&out, 4);

    json_open_object(&json, NULL);
    for (size_t i = 0; i < CONFIG_KEYS_COUNT; i++) {
        const struct config_key *key = &CONFIG_KEYS[i];
        buf_clear(&value);
        config_keys_value(&value, key, c);
        json_put_key(&json, key->name);
        if (key->kind != CONFIG_TEXT && is_json_word(buf_view(&value)))
            json_put_raw(&json, NULL, buf_view(&value));
        else
            json_put_string(&json, NULL, buf_view(&value));
        out.failed = out.failed || value.failed;
    }
    json_close(&json);
    buf_char(&out, '\n');
    buf_free(&value);
    return write_out(&out, fd);
}
