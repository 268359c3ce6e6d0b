/* THE TABLE of URLs, and nothing else. A new route is a row here, and a file or a function with its handler, whose
 * prototype is made of the row too. The columns are those of struct route (http/route.h). Rows are looked through in this
 * order; the last one is PUT of any name, since nothing else can be put. */
#ifndef SERVER_ROUTES_ROUTES_TABLE_H
#define SERVER_ROUTES_ROUTES_TABLE_H

#include "server/http/form_body.h"
#include "server/http/route.h"

/* handle_upload.c */
extern const struct route_body UPLOAD_BODY;

/* clang-format off */
#define ROUTES_TABLE(ROUTE) \
    ROUTE("GET", "/", NULL, NULL, handle_home, \
          "The upload form; the manual for a terminal") \
    ROUTE("POST", "/", NULL, &UPLOAD_BODY, handle_upload, \
          "Uploads a profile; the answer is its link, or the picture with output=") \
    ROUTE("POST", "/api/v1/profiles", NULL, &UPLOAD_BODY, handle_upload, \
          "The same as POST /") \
    ROUTE("GET", "/p/{}", NULL, NULL, handle_profile, \
          "One profile: its workspace, line of text, or JSON, by Accept or by .html, .txt, .json") \
    ROUTE("DELETE", "/p/{}", "", NULL, handle_delete, \
          "Deletes the upload whose token is in X-Delete-Token") \
    ROUTE("GET", "/p/{}/delete", "", NULL, handle_delete_form, \
          "The question before deleting, and a field for the token") \
    ROUTE("POST", "/p/{}/delete", "", &FORM_BODY, handle_delete_posted, \
          "Deletes the upload; field: token") \
    ROUTE("GET", "/p/{}/status.json", "wait made", NULL, handle_status, \
          "How many views are made; waits up to wait= seconds until more than made= are") \
    ROUTE("GET", "/p/{}/events", "", NULL, handle_events, \
          "The same as a stream of server-sent events") \
    ROUTE("GET", "/p/{}/raw", "", NULL, handle_raw, \
          "The uploaded file") \
    ROUTE("POST", "/p/{}/rename", "name expires app", &FORM_BODY, handle_rename, \
          "Changes name, expiry and which packages are the app's own; fields: token, name, expires, app") \
    ROUTE("GET", "/p/{}/t", NULL, NULL, handle_track_choice, \
          "Leads on to the track and the options that a form chose") \
    ROUTE("GET", "/p/{}/t/{}", NULL, NULL, handle_track, \
          "One track, several, all or merged: in the workspace, or with a suffix one output") \
    ROUTE("GET", "/p/{}/t/{}/thumb.svg", NULL, NULL, handle_thumb, \
          "A small picture of it") \
    ROUTE("GET", "/p/{}/t/{}/tree", NULL, NULL, handle_tree, \
          "What the script of a picture loads later") \
    ROUTE("GET", "/p/{}/k/{}/t/{}/tree", NULL, NULL, handle_tree_by_pass, \
          "The same with a pass from the link of the picture, for which a proxy needs no password") \
    ROUTE("GET", "/p/{}/m/{}", NULL, NULL, handle_method, \
          "One method, by its id or its name: cost, threads, callers and callees; in the workspace, text or JSON, by Accept or by .txt, .json") \
    ROUTE("GET", "/p/{}/methods{}", NULL, NULL, handle_methods, \
          "The profile table: in the workspace, text or JSON, by Accept or by .txt, .json, .tsv, .csv") \
    ROUTE("GET", "/p/{}/verdict{}", NULL, NULL, handle_verdict, \
          "In words where the time went: in the workspace, text or JSON, by Accept or by .txt, .json") \
    ROUTE("GET", "/uploads", NULL, NULL, handle_uploads, \
          "The uploads that this browser knows") \
    ROUTE("GET", "/healthz", NULL, NULL, handle_healthz, \
          "Answers ok while the service runs") \
    ROUTE("GET", "/favicon.ico", NULL, NULL, handle_icon, \
          NULL) \
    ROUTE("GET", "/version", NULL, NULL, handle_version, \
          "Name and version of the service") \
    ROUTE("GET", "/demo.trace", NULL, NULL, handle_demo, \
          "A trace to try the service with") \
    ROUTE("GET", "/static/{}/{}", NULL, NULL, handle_static, \
          NULL) \
    ROUTE("PUT", "/{}", NULL, &UPLOAD_BODY, handle_upload, \
          "Uploads a profile of that name, as POST / does")
/* clang-format on */

#define ROUTE_PROTOTYPE(method, path, query, body, handle, help) \
    enum exchange_step handle(struct exchange *x);
ROUTES_TABLE(ROUTE_PROTOTYPE)
#undef ROUTE_PROTOTYPE

#endif
