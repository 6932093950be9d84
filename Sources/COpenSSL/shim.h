// libssl, and those of its macros that Swift can't import, as functions and constants.
#ifndef COPENSSL_SHIM_H
#define COPENSSL_SHIM_H

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

static const uint64_t copenssl_no_compression = SSL_OP_NO_COMPRESSION;
static const uint64_t copenssl_no_renegotiation = SSL_OP_NO_RENEGOTIATION;

static inline int copenssl_set_minimum_version(SSL_CTX *context, int version) {
    return SSL_CTX_set_min_proto_version(context, version);
}

static inline int copenssl_set_maximum_version(SSL_CTX *context, int version) {
    return SSL_CTX_set_max_proto_version(context, version);
}

static inline void copenssl_set_mode(SSL_CTX *context, uint32_t mode) {
    SSL_CTX_set_mode(context, mode);
}

static inline void copenssl_clear_mode(SSL_CTX *context, uint32_t mode) {
    SSL_CTX_clear_mode(context, mode);
}

static inline void copenssl_set_cache_mode(SSL_CTX *context, int mode) {
    SSL_CTX_set_session_cache_mode(context, mode);
}

static inline void copenssl_read_ahead(SSL_CTX *context) { SSL_CTX_set_read_ahead(context, 1); }

static inline int copenssl_set_groups(SSL_CTX *context, const char *groups) {
    return SSL_CTX_set1_groups_list(context, groups);
}

static inline STACK_OF(X509) *copenssl_new_chain(void) { return sk_X509_new_null(); }

// The chain owns the certificate from here on, unless this returns 0.
static inline int copenssl_append(STACK_OF(X509) *chain, X509 *certificate) {
    return sk_X509_push(chain, certificate);
}

static inline void copenssl_free_chain(STACK_OF(X509) *chain) {
    sk_X509_pop_free(chain, X509_free);
}

// For clients, which tests are.
static inline long copenssl_set_server_name(SSL *ssl, const char *name) {
    return SSL_set_tlsext_host_name(ssl, name);
}

#endif
