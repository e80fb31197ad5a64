// Connections over TCP with TLS 1.3 between two ends that share a key, by OpenSSL.
#pragma once

#include <stddef.h>
#include <stdint.h>

// MARK: tls.c

/// The number of bytes of a key.
enum { HW_TLS_KEY_SIZE = 32 };

/// Why nothing was read or written.
enum hw_tls_wait {
  /// Something has to arrive first.
  HW_TLS_WAITS_TO_READ = -1,
  /// There has to be room to send first.
  HW_TLS_WAITS_TO_WRITE = -2,
  /// The connection has ended without being closed, or cannot be used any more.
  HW_TLS_FAILED = -3,
  /// The other end does not have the key, or what it says is no TLS.
  HW_TLS_REFUSED = -4,
};

/// A connection. Not thread safe.
struct hw_tls;

/// Creates the client of a connection. Both ends prove that they have the key, and without it nobody can read or
/// change what is sent, not even later: the keys of a connection are forgotten with it (RFC 8446, psk_dhe_ke).
///
/// - `socket` is connected, does not block, and is not closed.
/// - `name` is the identity of the client, which the server gets and can trust; at most 127 bytes.
/// Returns NULL if there is no memory left.
struct hw_tls *hw_tls_connect(int socket, const uint8_t key[HW_TLS_KEY_SIZE], const char *name);

/// Creates the server of a connection. Returns NULL if there is no memory left.
struct hw_tls *hw_tls_accept(int socket, const uint8_t key[HW_TLS_KEY_SIZE]);

/// Goes on with the handshake. Returns 0 once both ends have proved that they have the key, or a `hw_tls_wait`.
int hw_tls_handshake(struct hw_tls *tls);

/// The identity that the client has sent, valid as long as the connection; NULL before it is known.
const char *hw_tls_name(const struct hw_tls *tls);

/// Reads at most `size` bytes. Returns how many, 0 at the end, or a `hw_tls_wait`.
long hw_tls_read(struct hw_tls *tls, void *bytes, size_t size);

/// Writes at most `size` bytes, more than 0. Returns how many, or a `hw_tls_wait`.
long hw_tls_write(struct hw_tls *tls, const void *bytes, size_t size);

/// Sends that nothing more follows (close_notify), unless the connection has failed. Reading is still possible.
void hw_tls_end(struct hw_tls *tls);

/// Does the same, and frees the memory.
void hw_tls_free(struct hw_tls *tls);

// MARK: tcp.c

/// Opens a socket that listens for connections from all machines, by IPv6 and IPv4, or by IPv4 if the system has no IPv6.
///
/// Sets `port` to that of the socket; if it is not 0, that port is used. Returns the socket, which does not block, or -1 and sets
/// errno.
int hw_tcp_listen(uint16_t *port);

/// Accepts a connection. Returns its socket, which does not block, or -1 and sets errno.
int hw_tcp_accept(int listening);

/// Connects to a numeric address, within a time. Returns the socket, which does not block, or -1 and sets errno.
int hw_tcp_connect(const char *address, uint16_t port, int timeout_ms);

/// Calls a function with each numeric address of this machine under which others may reach it; those of the loopback interface
/// come last. Returns 0, or an errno.
int hw_tcp_each_address(void (*body)(void *context, const char *address), void *context);
