#ifndef GODWIT_COPENSSL_H
#define GODWIT_COPENSSL_H

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

// The setters below are macros over SSL_CTX_ctrl, and the options are computed constants: Swift sees neither.
static inline SSL_CTX *copenssl_context(int is_server) {
  SSL_CTX *context = SSL_CTX_new(is_server ? TLS_server_method() : TLS_client_method());
  if (!context) return NULL;
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  // An idle connection gives its buffers of 34 kB back.
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  // Clients that resume a session keep its ticket themselves.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  return context;
}

// A client that offers other protocols alone gets none confirmed, and HTTP/1.1 all the same.
static int copenssl_choose_http1(
    SSL *ssl, const unsigned char **out, unsigned char *out_length, const unsigned char *in, unsigned int in_length,
    void *arg) {
  static const unsigned char http1[] = "\x08http/1.1";
  (void)ssl, (void)arg;
  return SSL_select_next_proto((unsigned char **)out, out_length, http1, sizeof http1 - 1, in, in_length)
          == OPENSSL_NPN_NEGOTIATED
      ? SSL_TLSEXT_ERR_OK
      : SSL_TLSEXT_ERR_NOACK;
}

// The list of protocols must outlive the context; a constant of C does (ALPN, RFC 7301).
static inline void copenssl_offer_http1(SSL_CTX *context) {
  SSL_CTX_set_alpn_select_cb(context, copenssl_choose_http1, NULL);
}

// A macro as well (SNI, RFC 6066).
static inline int copenssl_name_server(SSL *ssl, const char *name) { return (int)SSL_set_tlsext_host_name(ssl, name); }

#endif
