#include "server/pages/pages.h"

#include "core/hash.h"
#include "server/pages/page_data.h"
#include "server/pages/page_frame.h"

enum { HASH_CHARS = 16 };

/* ---- files of static/ ---- */

/* Names the content for caches; nobody gains by forging it, so the seed may be known. */
static void content_hash(char out[HASH_CHARS + 1])
{
    static const char DIGITS[] = "0123456789abcdef";
    struct str files = STATIC_FILES_DIGEST;
    uint64_t hash = hash_bytes((struct hash_seed){0, 0}, files.p, files.n);

    for (int i = HASH_CHARS; i > 0; i--, hash >>= 4)
        out[i - 1] = DIGITS[hash & 15];
    out[HASH_CHARS] = '\0';
}

static bool file_by_name(struct str name, struct static_file *file)
{
    for (size_t i = 0; i < STATIC_FILES_COUNT; i++)
        if (str_eq(STATIC_FILES[i].name, name)) {
            *file = STATIC_FILES[i];
            return true;
        }
    return false;
}

void static_path(struct buf *b, struct str name)
{
    struct static_file file;
    char hash[HASH_CHARS + 1];

    if (!file_by_name(name, &file))
        return;
    content_hash(hash);
    buf_printf(b, "static/%s/", hash);
    buf_str(b, name);
}

bool static_find(struct str hash, struct str name, struct static_file *file)
{
    char expected[HASH_CHARS + 1];

    content_hash(expected);
    return str_eq(hash, str_of(expected)) && file_by_name(name, file);
}

/* ---- deleting, problems ---- */

void page_delete(struct buf *b, const struct record *r, struct str token)
{
    page_frame_begin(b, &(struct page_frame){.title = STR("Delete a profile"), .root = STR("../../")});
    page_frame_text(b, "<h1>Delete this profile?</h1>\n<p class=\"name\">", page_data_name(r->name),
                    "</p>\n");
    buf_z(b, "<p>Its link stops working for everyone, at once. This cannot be undone.</p>\n");
    buf_z(b, "<form method=\"post\" action=\"delete\">\n");
    if (token.n > 0)
        page_frame_text(b, "<input type=\"hidden\" name=\"token\" value=\"", token, "\">\n");
    else
        buf_z(b, "<p><label for=\"token\">Delete token</label>\n<input id=\"token\" name=\"token\" "
                 "autocomplete=\"off\" spellcheck=\"false\" required></p>\n");
    page_frame_text(b, "<p><button class=\"danger\">Delete</button> <a href=\"../", str_of(r->id),
                    "\">Keep it</a></p>\n");
    buf_z(b, "</form>\n");
    page_frame_end(b);
}

void page_deleted(struct buf *b, struct str root, const struct record *r)
{
    page_frame_begin(b, &(struct page_frame){.title = STR("Deleted"), .root = root, .script = "result.js"});
    page_frame_text(b, "<div id=\"deleted\" data-id=\"", str_of(r->id), "\">\n");
    buf_z(b, "<h1>The profile is deleted</h1>\n<p>Its link does not work any more.</p>\n");
    page_frame_text(b, "<p><a href=\"", root, "\">Upload another one</a></p>\n</div>\n");
    page_frame_end(b);
}

void page_problem(struct buf *b, const struct page_problem *p)
{
    page_frame_begin(b, &(struct page_frame){.title = p->title, .root = p->root});
    page_frame_text(b, "<h1 class=\"problem\">", p->title, "</h1>\n");
    page_frame_text(b, "<p class=\"lead\">", p->detail, "</p>\n");
    if (p->hint.n > 0)
        page_frame_text(b, "<p>", p->hint, "</p>\n");
    buf_printf(b, "<p class=\"quiet\">Status %u, request %llu</p>\n", p->status,
               (unsigned long long)p->request_id);
    if (p->profile.n > 0) {
        page_frame_text(b, "<p><a href=\"", p->root, "p/");
        page_frame_text(b, "", p->profile, "\">Back to the profile</a></p>\n");
    }
    page_frame_text(b, "<p><a href=\"", p->root, "\">Upload a profile</a></p>\n");
    page_frame_end(b);
}
