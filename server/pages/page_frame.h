/* What the pages are made of: the frame around each, and text that is escaped. All links of a page are relative
 * to its own URL, so that they hold behind a proxy that puts the service under a path of its own. */
#pragma once

#include "server/http/exchange.h"

/* Who looks, where the service has doors. */
struct page_visitor {
    struct str name;  /* empty: nobody is logged in */
    bool has_session; /* that can be ended */
    bool may_upload;
};

/* What a chat program shows below a link. */
struct page_preview {
    struct str title, description; /* escaped here */
    struct str image;              /* its whole address, as markup */
};

struct page_frame {
    const struct page_visitor *visitor; /* NULL: the header says nothing of who looks */
    struct str title;                   /* escaped here */
    const struct page_preview *preview; /* NULL: nothing is shown */
    /* Where the front page is, seen from this page: page_root(), or a literal of that form. */
    struct str root;
    const char *style;  /* a file of static/ to load beside app.css; NULL: none */
    const char *script; /* a file of static/, loaded as a module; it can import its neighbours; NULL: none */
    const char *viewer; /* a file of static/, loaded before it as a plain script; NULL: none */
    /* What the script fetches in any case, asked for at once: its address, as markup; empty: nothing. */
    struct str fetched;
    const char *lead_to; /* the browser goes on there at once: a relative reference; NULL: it stays */
    unsigned refresh_s;  /* without scripts, the page is loaded again after so long; 0: not */
    bool bare; /* The page writes its own header and opens <main> itself: it takes the whole window. */
};

/* From the path of a URL ("/p/ID/t/1") to the front page: "./", "../", "../../", ... */
struct str page_root(struct str path);

/* The headers that every page is sent with: what it may load (nothing from elsewhere, nothing inline), and
 * how long it may be kept. */
void page_headers(struct reply *r);
/* A small picture for people who see, without words: one of static/icons.svg, which each page begins with. */
void page_icon(struct buf *b, const char *name);
/* A large one, above the words of a page that has nothing else to show. */
void page_scene(struct buf *b, const char *name);
/* A field of a form: who may read an upload, anyone or the team. */
void page_readers(struct buf *b, bool team);
/* The name of the service, as a link to the front page. */
void page_brand(struct buf *b, struct str root);

/* Begins an answer that is a page, with these headers. Returns where the page is to be written. */
struct buf *page_reply(struct reply *r, unsigned status);

/* Everything from the doctype to the beginning of the content, <main>. */
void page_frame_begin(struct buf *b, const struct page_frame *frame);
void page_frame_end(struct buf *b);

/* Markup of our own, in which each {} stands for the next of the texts (struct str), which are cleaned and escaped:
 *     page_put(b, "<a href=\"{}\">{}</a>", link, words); */
#define page_put(b, markup, ...)                                 \
    page_put_texts(b, markup, (const struct str[]){__VA_ARGS__}, \
                   sizeof((const struct str[]){__VA_ARGS__}) / sizeof(struct str))
void page_put_texts(struct buf *b, const char *markup, const struct str *texts, size_t n_texts);
