/* THE TABLE of URLs, and nothing else. A new route is a row here, and a file or a function with its
 * handler, whose prototype is made of the row too. The columns are those of struct route (http/route.h).
 * The door says who may ask; tests/http/test_doors.py asks for every row as everybody.
 * Rows are looked through in this order; the last one is PUT of any name, since nothing else can be put. */
#pragma once

#include "render/view/key.h"
#include "server/http/form_body.h"
#include "server/http/route.h"

/* handle_upload.c */
extern const struct route_body UPLOAD_BODY;
/* handle_mcp.c */
extern const struct route_body MCP_BODY;
/* handle_change.c */
extern const struct route_body MAPPING_BODY, SYMBOLS_BODY;

/* clang-format off */
#define ROUTES_TABLE(ROUTE) \
    ROUTE("GET", "/", DOOR_OPEN, KEYS_ANY, NULL, handle_home, \
          "The upload form; the manual for a terminal") \
    ROUTE("POST", "/", DOOR_UPLOAD, KEYS_UPLOAD | KEYS_TRACK | KEYS_VIEW, &UPLOAD_BODY, handle_upload, \
          "Uploads a profile; the answer is its link, or the picture with output=") \
    ROUTE("POST", "/api/v1/profiles", DOOR_UPLOAD, KEYS_UPLOAD | KEYS_TRACK | KEYS_VIEW, &UPLOAD_BODY, handle_upload, \
          "The same as POST /") \
    ROUTE("GET", "/p/{id}", DOOR_READ, KEYS_VIEW, NULL, handle_profile, \
          "One profile: its workspace, line of text, or JSON, by Accept or by .html, .txt, .json") \
    ROUTE("DELETE", "/p/{id}", DOOR_DELETE, 0, NULL, handle_delete, \
          "Deletes the upload whose token is in X-Delete-Token") \
    ROUTE("GET", "/p/{id}/delete", DOOR_READ, 0, NULL, handle_delete_form, \
          "The question before deleting, and a field for the token") \
    ROUTE("POST", "/p/{id}/delete", DOOR_DELETE, KEYS_DELETE, &FORM_BODY, handle_delete_posted, \
          "Deletes the upload; field: token") \
    ROUTE("GET", "/p/{id}/status.json", DOOR_READ, KEYS_STATUS, NULL, handle_status, \
          "How many views are made; waits up to wait= seconds until more than made= are") \
    ROUTE("GET", "/p/{id}/events", DOOR_READ, 0, NULL, handle_events, \
          "The same as a stream of server-sent events") \
    ROUTE("GET", "/p/{id}/raw", DOOR_READ, 0, NULL, handle_raw, \
          "The uploaded file") \
    ROUTE("POST", "/p/{id}/rename", DOOR_CHANGE, KEYS_RENAME, &FORM_BODY, handle_rename, \
          "Changes name, expiry, readers and which packages are the app's own; fields: token, name, expires, readers, app") \
    ROUTE("POST", "/p/{id}/mapping", DOOR_CHANGE, KEYS_MAPPING, &MAPPING_BODY, handle_names, \
          "Tells the names of a release build; fields: token; mapping (a mapping.txt; empty text takes it away), known (id of one that the service has; by-names: only says which fits best), known_file (one that the service has, by its name), or from and from_token (another upload that has one)") \
    ROUTE("POST", "/p/{id}/symbols", DOOR_CHANGE, KEYS_SYMBOLS, &SYMBOLS_BODY, handle_names, \
          "Names the addresses of native code; fields: token; symbols (an unstripped library or Breakpad symbols, or an archive of them; empty text takes them away)") \
    ROUTE("GET", "/p/{id}/t", DOOR_READ, KEYS_TRACK | KEYS_VIEW, NULL, handle_track_choice, \
          "Leads on to the track and the options that a form chose") \
    ROUTE("GET", "/p/{id}/t/{track}", DOOR_READ, KEYS_VIEW | KEYS_ABOUT, NULL, handle_track, \
          "One track, several, all or merged: in the workspace, or with a suffix one output") \
    ROUTE("GET", "/p/{id}/t/{track}/thumb.svg", DOOR_READ, KEYS_VIEW, NULL, handle_thumb, \
          "A small picture of it") \
    ROUTE("GET", "/p/{id}/t/{track}/tree", DOOR_READ, KEYS_VIEW | KEYS_PIECE, NULL, handle_tree, \
          "What the script of a picture loads later") \
    ROUTE("GET", "/p/{id}/k/{pass}/t/{track}/tree", DOOR_READ, KEYS_VIEW | KEYS_PIECE, NULL, handle_tree_by_pass, \
          "The same with a pass from the link of the picture, for which a proxy needs no password") \
    ROUTE("GET", "/p/{id}/k/{pass}", DOOR_READ, 0, NULL, handle_preview, \
          "What chat programs are told by the owner's link with a preview, whoever asks; people are led on to the page") \
    ROUTE("GET", "/p/{id}/k/{pass}/card.png", DOOR_READ, 0, NULL, handle_card_by_pass, \
          "The card of that link") \
    ROUTE("GET", "/p/{id}/m/{method}", DOOR_READ, KEYS_TRACK | KEYS_VIEW | KEYS_METHOD | KEYS_LONGEST, NULL, handle_method, \
          "One method, by its id or its name: cost, threads, callers and callees; in the workspace, text or JSON, by Accept or by .txt, .json") \
    ROUTE("GET", "/p/{id}/methods{suffix}", DOOR_READ, KEYS_TRACK | KEYS_VIEW | KEYS_TABLE | KEYS_LONGEST, NULL, handle_methods, \
          "The profile table: in the workspace, text or JSON, by Accept or by .txt, .json, .tsv, .csv") \
    ROUTE("GET", "/p/{id}/calls{suffix}", DOOR_READ, KEYS_TRACK | KEYS_VIEW | KEYS_CALLS, NULL, handle_calls, \
          "All calls one by one, streamed: .tsv, .csv, .json, .txt, .chrome, .perfetto, .speedscope, or by Accept") \
    ROUTE("GET", "/p/{id}/verdict{suffix}", DOOR_READ, KEYS_TRACK | KEYS_VIEW, NULL, handle_verdict, \
          "In words where the time went: in the workspace, text or JSON, by Accept or by .txt, .json") \
    ROUTE("GET", "/p/{id}/frames{suffix}", DOOR_READ, KEYS_TRACK | KEYS_VIEW, NULL, handle_frames, \
          "Frames that an app showed too late, and what its threads did meanwhile: in the workspace, text or JSON, by Accept or by .txt, .json") \
    ROUTE("GET", "/p/{id}/digest{suffix}", DOOR_READ, 0, NULL, handle_digest, \
          "What is kept to compare many profiles: values, threads, and the 5,000 heaviest methods, as .tsv") \
    ROUTE("GET", "/p/{id}/card.png", DOOR_READ, KEYS_TRACK | KEYS_VIEW, NULL, handle_card, \
          "What chat programs show below a link: the name, the first sentence of the words, the flame graph") \
    ROUTE("GET", "/p/{id}/bundle.html", DOOR_READ, 0, NULL, handle_bundle, \
          "The whole page as one file, which needs no service: words, timeline, methods, the flame graphs of all threads") \
    ROUTE("GET", "/p/{id}/lanes{suffix}", DOOR_READ, KEYS_TRACK | KEYS_VIEW | KEYS_LANES, NULL, handle_lanes, \
          "What all threads did in a window of time, per pixel: JSON, or a picture by .svg") \
    ROUTE("GET", "/s/{space}", DOOR_SPACE, KEYS_SPACE, NULL, handle_space, \
          "The uploads of a space, the newest first: a page, text or JSON, by Accept or by .html, .txt, .json") \
    ROUTE("GET", "/s/{space}/series{suffix}", DOOR_SPACE, KEYS_SERIES, NULL, handle_series, \
          "One value of the uploads of a space over time, for each set of labels, with the changes that noise does not explain: a page, text or JSON, by Accept or by .txt, .json") \
    ROUTE("GET", "/s/{space}/check{suffix}", DOOR_SPACE, KEYS_CHECK, NULL, handle_check, \
          "Whether uploads of a space have become slower than a baseline of it: PASS, INCONCLUSIVE, or FAIL with status 422; Markdown, or by .txt, .json, or by Accept") \
    ROUTE("GET", "/d", DOOR_OPEN, KEYS_PAIR, NULL, handle_compare_choice, \
          "Leads on to the comparison of two uploads, each named by its link or its id") \
    ROUTE("GET", "/d/{pair}", DOOR_READ, KEYS_TRACK | KEYS_VIEW | KEYS_TABLE | KEYS_COMPARED, NULL, handle_compare, \
          "Two uploads compared, ID..ID: a page, text or JSON, by Accept; as long as both are there; with a suffix as its table") \
    ROUTE("GET", "/d/{pair}/tree", DOOR_READ, KEYS_TRACK | KEYS_VIEW | KEYS_TABLE | KEYS_COMPARED | KEYS_PIECE, NULL, handle_compare_tree, \
          "What the script of the comparison's picture loads later") \
    ROUTE("GET", "/d/{pair}/k/{pass}/tree", DOOR_READ, KEYS_TRACK | KEYS_VIEW | KEYS_TABLE | KEYS_COMPARED | KEYS_PIECE, NULL, handle_compare_tree_by_pass, \
          "The same with a pass from the link of the picture, for which a proxy needs no password") \
    ROUTE("GET", "/d/{pair}/card.png", DOOR_READ, KEYS_TRACK | KEYS_VIEW | KEYS_TABLE | KEYS_COMPARED, NULL, handle_compare_card, \
          "What chat programs show below a link of the comparison") \
    ROUTE("GET", "/d/{pair}/methods{suffix}", DOOR_READ, KEYS_TRACK | KEYS_VIEW | KEYS_TABLE | KEYS_COMPARED, NULL, handle_compare_methods, \
          "The table of the comparison: a page, or .json, .tsv, .csv, .txt, .md; .svg is its picture") \
    ROUTE("GET", "/d/{pair}/m/{method}", DOOR_READ, KEYS_TRACK | KEYS_VIEW | KEYS_TABLE | KEYS_COMPARED, NULL, handle_compare_method, \
          "One method of the comparison, by its id or its name, with its callers and callees: a page, or JSON, by Accept or by .json") \
    ROUTE("GET", "/login", DOOR_OPEN, KEYS_LOGIN, NULL, handle_login, \
          "The form that takes a token and starts a session; prompt=1: the browser asks by itself (Basic)") \
    ROUTE("POST", "/login", DOOR_OPEN, KEYS_LOGIN, &FORM_BODY, handle_login_posted, \
          "Starts a session, as a cookie; fields: token, next") \
    ROUTE("POST", "/logout", DOOR_OPEN, 0, &FORM_BODY, handle_logout, \
          "Ends the session of this browser") \
    ROUTE("GET", "/uploads", DOOR_OPEN, KEYS_ANY, NULL, handle_uploads, \
          "The uploads that this browser knows") \
    ROUTE("POST", "/mcp", DOOR_OPEN, KEYS_ANY, &MCP_BODY, handle_mcp, \
          "Tools for language models (Model Context Protocol): find, series, check, verdict, threads, tree, methods, method, frames, diff") \
    ROUTE("GET", "/llms.txt", DOOR_OPEN, KEYS_ANY, NULL, handle_llms, \
          "For language models: what can be asked, and how") \
    ROUTE("GET", "/api", DOOR_OPEN, 0, NULL, handle_api, \
          "The interface described for programs (OpenAPI 3.1), or as a page") \
    ROUTE("GET", "/api.json", DOOR_OPEN, 0, NULL, handle_api_json, \
          "The same, whatever Accept says") \
    ROUTE("GET", "/healthz", DOOR_OPEN, KEYS_ANY, NULL, handle_healthz, \
          "Answers ok while the service runs") \
    ROUTE("GET", "/readyz", DOOR_OPEN, KEYS_ANY, NULL, handle_readyz, \
          "Answers ready while uploads can be taken; else 503 with the reason") \
    ROUTE("GET", "/metrics", DOOR_ADMIN, KEYS_ANY, NULL, handle_metrics, \
          "Figures about the service, for Prometheus; as OpenMetrics by Accept") \
    ROUTE("GET", "/favicon.ico", DOOR_OPEN, KEYS_ANY, NULL, handle_icon, \
          NULL) \
    ROUTE("GET", "/version", DOOR_OPEN, KEYS_ANY, NULL, handle_version, \
          "Name and version of the service") \
    ROUTE("GET", "/demo.trace", DOOR_OPEN, KEYS_ANY, NULL, handle_demo, \
          "A trace to try the service with") \
    ROUTE("GET", "/static/{version}/{file}", DOOR_OPEN, KEYS_ANY, NULL, handle_static, \
          NULL) \
    ROUTE("PUT", "/{name}", DOOR_UPLOAD, KEYS_UPLOAD | KEYS_TRACK | KEYS_VIEW, &UPLOAD_BODY, handle_upload, \
          "Uploads a profile of that name, as POST / does")
/* clang-format on */

#define ROUTE_PROTOTYPE(method, path, door, keys, body, handle, help) \
    enum exchange_step handle(struct exchange *x);
ROUTES_TABLE(ROUTE_PROTOTYPE)
#undef ROUTE_PROTOTYPE
