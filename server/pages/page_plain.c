/* Pages of one message, one form or one list. */
#include "server/pages/page_data.h"
#include "server/pages/page_frame.h"
#include "server/pages/pages.h"
#include "server/upload/job.h"

void page_problem(struct exchange *x, const struct problem *p)
{
    struct buf *b = page_reply(&x->reply, p->status);
    struct str root = page_root(x->path);
    struct buf detail = {0};

    problem_detail(&detail, p);
    page_frame_begin(b, &(struct page_frame){.title = p->title, .root = root});
    buf_z(b, "<div class=\"notice\">\n");
    page_scene(b, "missing");
    page_put(b, "<h1 class=\"problem\">{}</h1>\n<p class=\"lead\">{}</p>\n", p->title,
             detail.failed ? p->detail : buf_view(&detail));
    if (p->hint.n > 0)
        page_put(b, "<p>{}</p>\n", p->hint);
    buf_z(b, "<p class=\"actions\">");
    if (x->profile.n > 0)
        page_put(b, "<a class=\"button primary\" href=\"{}p/{}\">Back to the profile</a>\n", root,
                 x->profile);
    buf_z(b, x->profile.n > 0 ? "<a class=\"button\"" : "<a class=\"button primary\"");
    page_put(b, " href=\"{}\">Upload a profile</a></p>\n", root);
    buf_printf(b, "<p class=\"quiet\">Status %u, request %s</p>\n</div>\n", p->status, x->id);
    page_frame_end(b);
    buf_free(&detail);
}

void page_preview(struct buf *b, const struct record *r, struct str image)
{
    char page[sizeof("../../") + RECORD_ID_CHARS];
    struct page_preview preview = {page_data_name(r->name), STR("Only team members can open this profile."),
                                   image};

    snprintf(page, sizeof(page), "../../%s", r->id);
    page_frame_begin(
        b, &(struct page_frame){
               .title = preview.title, .preview = &preview, .root = STR("../../../"), .lead_to = page});
    page_put(b,
             "<div class=\"notice\">\n<h1>{}</h1>\n<p class=\"actions\"><a class=\"button primary\" "
             "href=\"{}\">Open the profile</a></p>\n</div>\n",
             preview.title, str_of(page));
    page_frame_end(b);
}

void page_login(const struct exchange *x, struct buf *b, struct str to, bool refused)
{
    page_frame_begin(b, &(struct page_frame){.title = STR("Log in"), .root = page_root(x->path)});
    buf_z(b, "<h1>Log in</h1>\n");
    if (refused)
        buf_z(b, "<p class=\"alert\" role=\"alert\">There is no such token, or it was revoked.</p>\n");
    buf_z(b, "<p class=\"lead\">Ask whoever runs the service for a token.</p>\n"
             "<form method=\"post\" action=\"./login\">\n"
             "<p><label for=\"token\">Token</label>\n<input id=\"token\" name=\"token\" type=\"password\" "
             "autocomplete=\"current-password\" spellcheck=\"false\" autofocus required></p>\n");
    page_put(b,
             "<input type=\"hidden\" name=\"next\" value=\"{}\">\n<p><button>Log in</button></p>\n</form>\n",
             to);
    buf_z(
        b,
        "<p class=\"quiet\">In a terminal there is no login: <code>curl -u NAME:TOKEN</code>. This browser keeps "
        "a cookie, which stands for the token and ends by itself.</p>\n");
    page_frame_end(b);
}

static void put_tools(struct buf *b)
{
    buf_z(b, "<div id=\"uploads-tools\" class=\"uploads-tools\" hidden>\n"
             "<p><label for=\"filter\">Filter</label> "
             "<input id=\"filter\" type=\"search\" autocomplete=\"off\"></p>\n"
             "<p><button type=\"button\" class=\"button\" id=\"check\">Check which are still there</button>\n"
             "<button type=\"button\" class=\"button\" id=\"forget-gone\" hidden>Forget those that are gone"
             "</button></p>\n</div>\n");
}

static void put_question(struct buf *b)
{
    buf_z(
        b,
        "<dialog id=\"ask\" aria-labelledby=\"ask-title\">\n<form method=\"dialog\">\n"
        "<h2 id=\"ask-title\">Delete this profile?</h2>\n<p class=\"name\"><bdi id=\"ask-name\"></bdi></p>\n"
        "<p>Its link stops working for everyone, at once. This cannot be undone.</p>\n"
        "<p><button class=\"danger\" value=\"delete\">Delete</button>\n"
        "<button class=\"button\" value=\"keep\" autofocus>Keep it</button></p>\n</form>\n</dialog>\n");
}

void page_uploads(struct buf *b, const struct page_visitor *visitor)
{
    const struct page_frame frame = {
        .title = STR("My uploads"), .root = STR("./"), .script = "uploads.js", .visitor = visitor};

    page_frame_begin(b, &frame);
    buf_z(
        b,
        "<h1 tabindex=\"-1\">My uploads</h1>\n"
        "<p class=\"lead\">What was uploaded with this browser. Only the browser keeps this list: the service cannot "
        "say which uploads are yours, and in another browser it is another list.</p>\n"
        "<p data-without-script>The list needs JavaScript, because it is kept in the browser and not in the service: "
        "without it nothing was noted, and nothing can be shown. The links of your uploads work all the same.</p>\n"
        "<div id=\"uploads\" hidden>\n");
    put_tools(b);
    buf_z(b, "<p id=\"uploads-count\" class=\"quiet\"></p>\n"
             "<p id=\"uploads-status\" class=\"upload-status\" role=\"status\"></p>\n"
             "<div id=\"uploads-none\" class=\"notice\" hidden>\n");
    page_scene(b, "empty");
    buf_z(b,
          "<p class=\"lead\">There is none yet.</p>\n<p class=\"actions\"><a class=\"button primary\" "
          "href=\"./\">Upload a profile</a></p>\n</div>\n"
          "<p id=\"uploads-blocked\" hidden>This browser does not let the page keep a list. Private windows "
          "and blocked site data have that effect.</p>\n"
          "<ol id=\"uploads-rows\" class=\"upload-rows\"></ol>\n"
          "<p class=\"quiet\">Deleting a profile ends its link for everyone. Forgetting it only takes it off "
          "this list, together with the token that could delete it.</p>\n</div>\n");
    put_question(b);
    page_frame_end(b);
}

static void put_token(struct buf *b, struct str token)
{
    if (token.p != NULL)
        page_put(b, "<input type=\"hidden\" name=\"token\" value=\"{}\">\n", token);
    else
        buf_z(b, "<p><label for=\"token\">Delete token</label>\n<input id=\"token\" name=\"token\" "
                 "autocomplete=\"off\" spellcheck=\"false\" required></p>\n");
}

void page_delete(struct buf *b, const struct record *r, bool may_remove)
{
    page_frame_begin(b, &(struct page_frame){.title = STR("Delete a profile"), .root = STR("../../")});
    page_put(b,
             "<h1>Delete this profile?</h1>\n<p class=\"name\">{}</p>\n<p>Its link stops working for "
             "everyone, at once. This cannot be undone.</p>\n<form method=\"post\" action=\"delete\">\n",
             page_data_name(r->name));
    if (!may_remove)
        put_token(b, (struct str){NULL, 0});
    page_put(b, "<p><button class=\"danger\">Delete</button> <a href=\"../{}\">Keep it</a></p>\n</form>\n",
             str_of(r->id));
    page_frame_end(b);
}

void page_deleted(struct buf *b, struct str root, const struct record *r)
{
    page_frame_begin(b, &(struct page_frame){.title = STR("Deleted"), .root = root, .script = "result.js"});
    page_put(b, "<div id=\"deleted\" class=\"notice\" data-id=\"{}\">\n", str_of(r->id));
    page_scene(b, "empty");
    page_put(
        b,
        "<h1>The profile is deleted</h1>\n<p class=\"lead\">Its link does not work any more.</p>\n"
        "<p class=\"actions\"><a class=\"button primary\" href=\"{}\">Upload another one</a></p>\n</div>\n",
        root);
    page_frame_end(b);
}

void page_mapping(struct buf *b, const struct page_mapping *p)
{
    page_frame_begin(b, &(struct page_frame){.title = STR("The mapping that fits best"), .root = p->root});
    page_put(b,
             "<h1>Is this its mapping?</h1>\n<p class=\"name\">{}</p>\n<p><bdi><code>{}</code></bdi> "
             "{} It is not applied yet. Once applied, it can be taken away again.</p>\n<form "
             "method=\"post\" enctype=\"multipart/form-data\" action=\"mapping\">\n",
             page_data_name(p->record->name), p->file, p->words);
    if (!p->may_change)
        put_token(b, p->token);
    page_put(b,
             "<input type=\"hidden\" name=\"known_file\" value=\"{}\">\n<p><button>Apply this "
             "mapping</button> <a href=\"../{}\">Do not apply it</a></p>\n</form>\n",
             p->file, str_of(p->record->id));
    page_frame_end(b);
}

/* ---- the results of an archive ---- */

static void put_member(struct buf *b, struct str root, const struct job_result *result,
                       const struct job_member *m)
{
    bool owned = result->delete_token[0] == '\0';

    page_put(b, "<li><a href=\"{}p/{}{}{}\"><bdi>{}</bdi></a></li>\n", root, str_of(m->record.id),
             owned ? STR("") : STR("#token="), str_of(result->delete_token), page_data_name(m->record.name));
}

static void put_failure(struct buf *b, const struct job_member *m)
{
    page_put(b, "<li><bdi>{}</bdi>: {}. {} {}</li>\n", str_of(m->record.member), str_of(m->diag.title),
             str_of(m->diag.detail), str_of(m->diag.hint));
}

static void put_failures(struct buf *b, const struct job_result *result)
{
    bool any = false;

    for (size_t i = 0; i < result->n_members; i++) {
        if (result->members[i].diag.kind == DIAG_NONE)
            continue;
        buf_z(b, any ? "" : "<h2>Not read</h2>\n<ul>\n");
        put_failure(b, &result->members[i]);
        any = true;
    }
    buf_z(b, any ? "</ul>\n" : "");
    if (result->members_left_out > 0)
        buf_printf(b, "<p>%llu more files were left out: the limit max_members was reached.</p>\n",
                   (unsigned long long)result->members_left_out);
    if (result->archive_cut)
        buf_z(b, "<p>The archive cannot be read to its end: there may be more files in it.</p>\n");
    if (!result->complete)
        buf_z(b,
              "<p>Not all of these files were read yet. What is wrong with one is said on its page.</p>\n");
}

void page_members(struct buf *b, struct str root, const struct job_result *result)
{
    page_frame_begin(b, &(struct page_frame){.title = STR("Results"), .root = root});
    buf_z(b, "<h1>Results</h1>\n<ul>\n");
    for (size_t i = 0; i < result->n_members; i++)
        if (result->members[i].diag.kind == DIAG_NONE)
            put_member(b, root, result, &result->members[i]);
    buf_z(b, "</ul>\n");
    put_failures(b, result);
    page_frame_end(b);
}
