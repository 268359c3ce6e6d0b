#include "parser/reader_impl.h"

#include "parser/refuse/foreign.h"

enum { SIZE_DIGITS = 4 };

static bool put_fact(struct reader *r, const struct unpack_report *report)
{
    struct buf text = {0};

    buf_z(&text, unpack_name(report->packer));
    if (report->member.n > 0) {
        buf_z(&text, " (");
        buf_str(&text, report->member);
        buf_char(&text, ')');
    }
    buf_z(&text, ", ");
    buf_value(&text, UNIT_BYTES, report->packed_bytes, SIZE_DIGITS);
    buf_z(&text, " -> ");
    buf_value(&text, UNIT_BYTES, report->unpacked_bytes, SIZE_DIGITS);
    buf_z(&text, "; places in the file are counted in unpacked bytes");
    bool ok = !text.failed && builder_fact(r->builder, STR("packed"), buf_view(&text));
    buf_free(&text);
    return ok || builder_failed(r->builder, &r->diag);
}

static void warn_of_packing(struct reader *r, const struct unpack *u, struct unpack_report *report)
{
    unpack_report(u, report);
    if (report->state == UNPACK_CUT)
        builder_warn(r->builder, WARN_PACKED_CUT, report->at, WARNING_NO_OFFSET);
    if (report->state == UNPACK_DAMAGED)
        builder_warn(r->builder, WARN_PACKED_DAMAGED, report->at, WARNING_NO_OFFSET);
    if (report->wrong_checksum)
        builder_warn(r->builder, WARN_PACKED_CHECKSUM, 1, WARNING_NO_OFFSET);
    if (report->same_names > 0)
        builder_warn(r->builder, WARN_PACKED_SAME_NAME, report->same_names, WARNING_NO_OFFSET);
    if (report->trailing_bytes > 0)
        builder_warn(r->builder, WARN_TRAILING_BYTES, report->trailing_bytes, WARNING_NO_OFFSET);
}

bool reader_note_packing(struct reader *r)
{
    struct unpack_report report, inner;

    warn_of_packing(r, r->unpack, &report);
    if (r->inner.unpack != NULL) {
        warn_of_packing(r, r->inner.unpack, &inner);
        report.unpacked_bytes = inner.unpacked_bytes;
    }
    return put_fact(r, &report);
}

void reader_blame_damage(struct reader *r)
{
    const struct diag said = r->diag;
    struct unpack_report report;

    unpack_report(r->unpack, &report);
    if (report.state == UNPACK_WHOLE && r->inner.unpack != NULL)
        unpack_report(r->inner.unpack, &report);
    const char *noun = unpack_noun(report.packer);
    if (report.state != UNPACK_WHOLE &&
        (said.kind == DIAG_EMPTY || said.kind == DIAG_UNKNOWN || said.kind == DIAG_UNUSABLE)) {
        r->diag = (struct diag){.kind = DIAG_NONE};
        diag_at(&r->diag, DIAG_UNUSABLE, report.at,
                report.state == UNPACK_CUT ? "packed file cut" : "packed file damaged",
                "Copy it again and check that it is whole, or upload it unpacked.",
                "The %s %s there, and what comes out before is of no use: %.300s", noun,
                report.state == UNPACK_CUT ? "ends early" : "is damaged", said.detail);
    } else if (said.kind == DIAG_EMPTY) {
        r->diag = (struct diag){.kind = DIAG_NONE};
        diag_set(&r->diag, DIAG_EMPTY, said.title, said.hint, "What the %s unpacks to has no bytes.", noun);
    }
}

void reader_name_archive(struct reader *r, const struct source_input *file)
{
    const struct diag said = r->diag;
    char head[DETECT_BYTES_MAX];
    ptrdiff_t n = source_input_read(file, 0, head, sizeof(head));
    struct unpack_report report;

    unpack_report(r->unpack, &report);
    const struct foreign *kind =
        n < 0 || report.recognised > 0 ? NULL : foreign_find((struct str){head, (size_t)n});

    if (said.kind != DIAG_UNUSABLE || r->member.p != NULL || kind == NULL)
        return;
    r->diag = (struct diag){.kind = DIAG_NONE};
    diag_set(&r->diag, DIAG_FOREIGN, kind->title, kind->hint, "%s %s", kind->detail, said.detail);
}
