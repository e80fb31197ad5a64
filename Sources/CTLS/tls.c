// TLS 1.3 with a key that both ends have, and no certificates.
#include "CTLS.h"

#include <limits.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

struct hw_tls {
  SSL *ssl;
  uint8_t key[HW_TLS_KEY_SIZE];
  /// The identity of the client.
  char name[128];
  /// Whether the connection can still be used.
  int is_usable;
};

/// The only cipher suite: the hash function of a shared key is a part of the key.
static const char cipher_suite[] = "TLS_AES_128_GCM_SHA256";
static const unsigned char cipher_suite_id[] = {0x13, 0x01};

/// The connection of a callback.
static struct hw_tls *connection(SSL *ssl) { return SSL_get_app_data(ssl); }

/// Creates the session that stands for the shared key; NULL if there is no memory left.
static SSL_SESSION *session(SSL *ssl) {
  const SSL_CIPHER *cipher = SSL_CIPHER_find(ssl, cipher_suite_id);
  SSL_SESSION *session = SSL_SESSION_new();
  if (session && cipher && SSL_SESSION_set1_master_key(session, connection(ssl)->key, HW_TLS_KEY_SIZE) &&
      SSL_SESSION_set_cipher(session, cipher) && SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION))
    return session;
  SSL_SESSION_free(session);
  return NULL;
}

/// Gives OpenSSL the identity and the key, in the client.
static int use_session(
    SSL *ssl, const EVP_MD *hash, const unsigned char **name, size_t *size, SSL_SESSION **result) {
  *result = NULL;
  *name = NULL;
  *size = 0;
  if (hash && EVP_MD_get_type(hash) != NID_sha256) return 1;
  *result = session(ssl);
  if (!*result) return 0;
  *name = (const unsigned char *)connection(ssl)->name;
  *size = strlen(connection(ssl)->name);
  return 1;
}

/// Finds the key for an identity, in the server: it is the same for all.
static int find_session(SSL *ssl, const unsigned char *name, size_t size, SSL_SESSION **result) {
  *result = NULL;
  struct hw_tls *tls = connection(ssl);
  if (size == 0 || size >= sizeof tls->name || memchr(name, 0, size)) return 1;
  *result = session(ssl);
  if (!*result) return 0;
  memcpy(tls->name, name, size);
  tls->name[size] = 0;
  return 1;
}

/// The sockets of OpenSSL, but for writing: if the other end is gone, that fails, and no signal is sent.
static BIO_METHOD *sockets;

static int write_without_signal(BIO *bio, const char *bytes, int size) {
  int socket = -1;
  BIO_get_fd(bio, &socket);
  BIO_clear_retry_flags(bio);
  int written = (int)send(socket, bytes, (size_t)size, MSG_NOSIGNAL);
  if (written <= 0 && BIO_sock_should_retry(written)) BIO_set_retry_write(bio);
  return written;
}

static void create_sockets(void) {
  const BIO_METHOD *usual = BIO_s_socket();
  sockets = BIO_meth_new(BIO_TYPE_SOCKET, "socket");
  if (!sockets) return;
  BIO_meth_set_write(sockets, write_without_signal);
  BIO_meth_set_read(sockets, BIO_meth_get_read(usual));
  BIO_meth_set_puts(sockets, BIO_meth_get_puts(usual));
  BIO_meth_set_ctrl(sockets, BIO_meth_get_ctrl(usual));
  BIO_meth_set_create(sockets, BIO_meth_get_create(usual));
  BIO_meth_set_destroy(sockets, BIO_meth_get_destroy(usual));
}

/// What all connections have in common, for clients and for servers; NULL if there is no memory left.
static SSL_CTX *contexts[2];

static SSL_CTX *context(const SSL_METHOD *method) {
  SSL_CTX *context = SSL_CTX_new(method);
  if (!context || !SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) ||
      !SSL_CTX_set_ciphersuites(context, cipher_suite)) {
    SSL_CTX_free(context);
    return NULL;
  }
  SSL_CTX_set_mode(
      context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  // Connections are not resumed.
  SSL_CTX_set_num_tickets(context, 0);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_psk_use_session_callback(context, use_session);
  SSL_CTX_set_psk_find_session_callback(context, find_session);
  return context;
}

static void create_contexts(void) {
  create_sockets();
  contexts[0] = context(TLS_client_method());
  contexts[1] = context(TLS_server_method());
  // The client trusts no certificate: the server has the key, or the handshake fails.
  if (contexts[0]) SSL_CTX_set_verify(contexts[0], SSL_VERIFY_PEER, NULL);
}

static struct hw_tls *create(int socket, const uint8_t *key, int is_server) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, create_contexts);
  struct hw_tls *tls = calloc(1, sizeof *tls);
  if (!tls || !contexts[is_server]) {
    free(tls);
    return NULL;
  }
  memcpy(tls->key, key, sizeof tls->key);
  tls->is_usable = 1;
  tls->ssl = SSL_new(contexts[is_server]);
  BIO *bio = sockets ? BIO_new(sockets) : NULL;
  if (!tls->ssl || !bio || !SSL_set_app_data(tls->ssl, tls)) {
    BIO_free(bio);
    hw_tls_free(tls);
    return NULL;
  }
  BIO_set_fd(bio, socket, BIO_NOCLOSE);
  SSL_set_bio(tls->ssl, bio, bio);
  return tls;
}

struct hw_tls *hw_tls_connect(int socket, const uint8_t key[HW_TLS_KEY_SIZE], const char *name) {
  struct hw_tls *tls = create(socket, key, 0);
  if (!tls) return NULL;
  strncpy(tls->name, name, sizeof tls->name - 1);
  SSL_set_connect_state(tls->ssl);
  return tls;
}

struct hw_tls *hw_tls_accept(int socket, const uint8_t key[HW_TLS_KEY_SIZE]) {
  struct hw_tls *tls = create(socket, key, 1);
  if (tls) SSL_set_accept_state(tls->ssl);
  return tls;
}

/// Why a call has not succeeded.
static int reason(struct hw_tls *tls, int result) {
  switch (SSL_get_error(tls->ssl, result)) {
    case SSL_ERROR_WANT_READ: return HW_TLS_WAITS_TO_READ;
    case SSL_ERROR_WANT_WRITE: return HW_TLS_WAITS_TO_WRITE;
    default: tls->is_usable = 0; return HW_TLS_FAILED;
  }
}

int hw_tls_handshake(struct hw_tls *tls) {
  ERR_clear_error();
  int result = SSL_do_handshake(tls->ssl);
  if (result != 1) {
    int why = reason(tls, result);
    // Otherwise the connection was cut, or the other end was too busy to go on.
    unsigned long error = ERR_peek_error();
    if (why == HW_TLS_FAILED && error && ERR_GET_REASON(error) != SSL_R_UNEXPECTED_EOF_WHILE_READING)
      return HW_TLS_REFUSED;
    return why;
  }
  // The session is that of the key.
  if (SSL_session_reused(tls->ssl)) return 0;
  tls->is_usable = 0;
  return HW_TLS_REFUSED;
}

const char *hw_tls_name(const struct hw_tls *tls) { return tls->name[0] ? tls->name : NULL; }

long hw_tls_read(struct hw_tls *tls, void *bytes, size_t size) {
  ERR_clear_error();
  int result = SSL_read(tls->ssl, bytes, size > INT_MAX ? INT_MAX : (int)size);
  if (result > 0) return result;
  // The other end has said that nothing more comes.
  if (SSL_get_error(tls->ssl, result) == SSL_ERROR_ZERO_RETURN) return 0;
  return reason(tls, result);
}

long hw_tls_write(struct hw_tls *tls, const void *bytes, size_t size) {
  ERR_clear_error();
  int result = SSL_write(tls->ssl, bytes, size > INT_MAX ? INT_MAX : (int)size);
  return result > 0 ? result : reason(tls, result);
}

void hw_tls_end(struct hw_tls *tls) {
  if (!tls->is_usable || !SSL_is_init_finished(tls->ssl) || SSL_get_shutdown(tls->ssl) & SSL_SENT_SHUTDOWN) return;
  ERR_clear_error();
  SSL_shutdown(tls->ssl);
}

void hw_tls_free(struct hw_tls *tls) {
  if (tls->ssl) hw_tls_end(tls);
  SSL_free(tls->ssl);
  OPENSSL_cleanse(tls->key, sizeof tls->key);
  free(tls);
}
