/* libmicrohttpd, and GnuTLS that it speaks HTTPS through, opened when a service starts (core/system/library.h): commands
 * that serve nothing need neither. The functions that are used stand here under their own names, so that the
 * other files include the libraries' headers and know nothing of this. Two are called first: MHD_start_daemon returns NULL
 * where its library is not there, and gnutls_certificate_allocate_credentials an error. */
#include "server/http/http_impl.h"

#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>
#include <stdarg.h>

#include "core/system/library.h"

/* Result, name, parameters, arguments. */
#define MHD_FUNCTIONS(F)                                                                                 \
    F(enum MHD_Result, MHD_add_response_header,                                                          \
      (struct MHD_Response * r, const char *name, const char *value), (r, name, value))                  \
    F(struct MHD_Response *, MHD_create_response_from_buffer,                                            \
      (size_t n, void *p, enum MHD_ResponseMemoryMode mode), (n, p, mode))                               \
    F(struct MHD_Response *, MHD_create_response_from_callback,                                          \
      (uint64_t n, size_t block, MHD_ContentReaderCallback read, void *context,                          \
       MHD_ContentReaderFreeCallback done),                                                              \
      (n, block, read, context, done))                                                                   \
    F(struct MHD_Response *, MHD_create_response_from_fd_at_offset64, (uint64_t n, int fd, uint64_t at), \
      (n, fd, at))                                                                                       \
    F(int, MHD_get_connection_values,                                                                    \
      (struct MHD_Connection * c, enum MHD_ValueKind kind, MHD_KeyValueIterator each, void *context),    \
      (c, kind, each, context))                                                                          \
    F(const char *, MHD_lookup_connection_value,                                                         \
      (struct MHD_Connection * c, enum MHD_ValueKind kind, const char *name), (c, kind, name))           \
    F(enum MHD_Result, MHD_queue_response,                                                               \
      (struct MHD_Connection * c, unsigned status, struct MHD_Response *r), (c, status, r))              \
    F(MHD_socket, MHD_quiesce_daemon, (struct MHD_Daemon * d), (d))                                      \
    F(void, MHD_destroy_response, (struct MHD_Response * r), (r))                                        \
    F(void, MHD_resume_connection, (struct MHD_Connection * c), (c))                                     \
    F(void, MHD_stop_daemon, (struct MHD_Daemon * d), (d))                                               \
    F(void, MHD_suspend_connection, (struct MHD_Connection * c), (c))

#define TLS_FUNCTIONS(F)                                                                                     \
    F(void, gnutls_certificate_free_credentials, (gnutls_certificate_credentials_t c), (c))                  \
    F(int, gnutls_certificate_set_x509_key_mem,                                                              \
      (gnutls_certificate_credentials_t c, const gnutls_datum_t *certificate, const gnutls_datum_t *key,     \
       gnutls_x509_crt_fmt_t format),                                                                        \
      (c, certificate, key, format))                                                                         \
    F(void, gnutls_pcert_deinit, (gnutls_pcert_st * c), (c))                                                 \
    F(int, gnutls_pcert_list_import_x509_raw,                                                                \
      (gnutls_pcert_st * all, unsigned *n, const gnutls_datum_t *data, gnutls_x509_crt_fmt_t format,         \
       unsigned flags),                                                                                      \
      (all, n, data, format, flags))                                                                         \
    F(void, gnutls_privkey_deinit, (gnutls_privkey_t key), (key))                                            \
    F(int, gnutls_privkey_import_x509_raw,                                                                   \
      (gnutls_privkey_t key, const gnutls_datum_t *data, gnutls_x509_crt_fmt_t format, const char *password, \
       unsigned flags),                                                                                      \
      (key, data, format, password, flags))                                                                  \
    F(int, gnutls_privkey_init, (gnutls_privkey_t * key), (key))                                             \
    F(void *, gnutls_session_get_ptr, (gnutls_session_t session), (session))                                 \
    F(const char *, gnutls_strerror, (int error), (error))

#define MEMBER(type, name, parameters, arguments)    __typeof__(name) *(name);
#define MHD_ENTRY(type, name, parameters, arguments) {#name, offsetof(struct mhd_functions, name)},
#define TLS_ENTRY(type, name, parameters, arguments) {#name, offsetof(struct tls_functions, name)},
#define MHD_FORWARD(type, name, parameters, arguments) \
    type name parameters                               \
    {                                                  \
        return mhd.name arguments;                     \
    }
#define TLS_FORWARD(type, name, parameters, arguments) \
    type name parameters                               \
    {                                                  \
        return tls.name arguments;                     \
    }

struct mhd_functions {
    __typeof__(MHD_start_daemon_va) *start_daemon_va;
    __typeof__(MHD_get_connection_info) *get_connection_info;
    MHD_FUNCTIONS(MEMBER)
};

struct tls_functions {
    __typeof__(gnutls_certificate_allocate_credentials) *allocate_credentials;
    TLS_FUNCTIONS(MEMBER)
};

static const struct library_function MHD_NAMES[] = {
    {"MHD_start_daemon_va", offsetof(struct mhd_functions, start_daemon_va)},
    {"MHD_get_connection_info", offsetof(struct mhd_functions, get_connection_info)},
    MHD_FUNCTIONS(MHD_ENTRY)};

static const struct library_function TLS_NAMES[] = {
    {"gnutls_certificate_allocate_credentials", offsetof(struct tls_functions, allocate_credentials)},
    TLS_FUNCTIONS(TLS_ENTRY)};

static struct mhd_functions mhd;
static struct tls_functions tls;
static struct library libmicrohttpd = LIBRARY_INIT("libmicrohttpd.so.12", MHD_NAMES, mhd, NULL),
                      libgnutls = LIBRARY_INIT("libgnutls.so.30", TLS_NAMES, tls, NULL);

struct MHD_Daemon *MHD_start_daemon(unsigned flags, uint16_t port, MHD_AcceptPolicyCallback accepts,
                                    void *accepts_context, MHD_AccessHandlerCallback step, void *step_context,
                                    ...)
{
    struct MHD_Daemon *daemon = NULL;
    va_list options;

    va_start(options, step_context);
    if (library_ready(&libmicrohttpd))
        daemon = mhd.start_daemon_va(flags, port, accepts, accepts_context, step, step_context, options);
    va_end(options);
    return daemon;
}

/* What is asked for here has no more arguments. */
const union MHD_ConnectionInfo *MHD_get_connection_info(struct MHD_Connection *c,
                                                        enum MHD_ConnectionInfoType what, ...)
{
    return mhd.get_connection_info(c, what);
}

int gnutls_certificate_allocate_credentials(gnutls_certificate_credentials_t *c)
{
    return library_ready(&libgnutls) ? tls.allocate_credentials(c) : GNUTLS_E_MEMORY_ERROR;
}

MHD_FUNCTIONS(MHD_FORWARD)
TLS_FUNCTIONS(TLS_FORWARD)
