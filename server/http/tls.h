/* The certificate that the service shows, and its private key. Any thread.
 *
 * The library does TLS itself (GnuTLS): it asks for the certificate with each handshake, so that a new one is shown as
 * soon as it was read. */
#pragma once

#include <stdbool.h>

#include "core/diag.h"
#include "server/config/config.h"

struct tls;

/* What GnuTLS is to speak: TLS 1.2 and 1.3, with keys of their own for each connection. */
#define TLS_PRIORITIES "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-RSA"

/* Of the files tls_certificate and tls_key, both PEM. NULL: diag. */
struct tls *tls_new(const struct config *config, struct diag *diag);
void tls_free(struct tls *t); /* behind the last connection; NULL is fine */

/* Reads the files again. False: diag, and the certificate of before is shown. */
bool tls_reload(struct tls *t, struct diag *diag) MUST_CHECK;

/* For gnutls_certificate_set_retrieve_function3(3): what is shown now. It stays until tls_free. Returns 0. */
struct gnutls_pcert_st;
struct gnutls_privkey_st;
int tls_show(struct tls *t, struct gnutls_pcert_st **chain, unsigned *chain_n,
             struct gnutls_privkey_st **key);
