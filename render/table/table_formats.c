#include "profile/calls/calls.h"
#include "render/table/methods.h"
#include "render/table/table_format.h"
#include "render/view/fail.h"

const struct table_format *const TABLE_FORMATS[] = {&TABLE_TSV, &TABLE_CSV, &TABLE_JSON, &TABLE_TXT};
const size_t TABLE_FORMATS_COUNT = sizeof(TABLE_FORMATS) / sizeof(TABLE_FORMATS[0]);

const struct table_format *table_format_by_name(struct str name)
{
    for (size_t i = 0; i < TABLE_FORMATS_COUNT; i++)
        if (str_eq(name, str_of(TABLE_FORMATS[i]->text.name)))
            return TABLE_FORMATS[i];
    return NULL;
}

bool table_write(const struct render_input *in, const struct table_request *request,
                 const struct table_format *format, struct buf *out, struct diag *diag)
{
    struct table_output o = {.request = request, .arena = in->scratch};
    struct table with_longest;
    struct str value = str_of(in->view->value);

    o.table = methods_new(in->profile, in->names, in->view, request->group, in->scratch);
    if (o.table == NULL)
        return fail_arena(in->scratch, diag);
    if (in->calls != NULL && request->group != GROUP_THREAD) {
        with_longest = *o.table;
        with_longest.longest = in->calls->longest;
        with_longest.n_clocks = in->calls->n_clocks;
        o.table = &with_longest;
    }
    if (!table_select(o.table, request, value, &o.selection, in->scratch, diag))
        return false;
    o.n_columns = columns_of(o.table, o.columns);
    o.measure = table_measure(o.table, value);
    if (o.measure == o.table->n_measures && o.table->n_measures > 0)
        o.measure = 0;
    if (!format->write(&o, out))
        return diag_no_memory(diag, "No memory is left to write the table.");
    return !out->failed || fail_buf(out, diag);
}
