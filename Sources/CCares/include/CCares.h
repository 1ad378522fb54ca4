// c-ares for Swift: one look-up of a host's addresses, with its callbacks kept here so that no Swift is called from
// inside c-ares. No decisions.
#ifndef CCARES_H
#define CCARES_H

#include <stdbool.h>
#include <stdint.h>

/// As many name servers as the C library asks (MAXNS of resolv.h), whatever /etc/resolv.conf lists.
#define GODWIT_CARES_SERVERS 3
/// Each name server may have a socket for UDP and one for TCP.
#define GODWIT_CARES_SOCKETS (2 * GODWIT_CARES_SERVERS)
/// Of the addresses of one host no more are looked at.
#define GODWIT_CARES_ADDRESSES 16
/// An IPv6 address in figures and its NUL, INET6_ADDRSTRLEN.
#define GODWIT_CARES_ADDRESS_SIZE 46

typedef struct {
  int descriptor;
  bool wants_read;
  bool wants_write;
} godwit_cares_socket;

/// What became of a look-up.
typedef enum {
  GODWIT_CARES_RUNNING,
  GODWIT_CARES_FOUND,
  /// The name servers know of no such host.
  GODWIT_CARES_UNKNOWN_HOST,
  /// The host exists and has no address.
  GODWIT_CARES_NO_ADDRESS,
  /// No answer came.
  GODWIT_CARES_SILENT,
  /// The interface is not there or cannot be used.
  GODWIT_CARES_NO_INTERFACE,
  /// No name server could be reached, or each refused; `godwit_cares_words` says more.
  GODWIT_CARES_FAILED,
} godwit_cares_result;

typedef struct godwit_cares godwit_cares;

/// Begins to look `host` up, in /etc/hosts and then with the name servers of /etc/resolv.conf, which are both read
/// here. It may be done already when this returns. NULL for want of memory.
///
/// - interface: the only one to ask through, as far as the name servers are not on this machine; empty: any.
/// - servers: the name servers to ask instead, `address:port,…`; empty: those of the system.
/// - ipv4_only: asks for IPv4 addresses alone.
godwit_cares *godwit_cares_start(const char *host, const char *interface, const char *servers, bool ipv4_only);
/// Ends the look-up, whatever is under way, without waiting.
void godwit_cares_free(godwit_cares *lookup);

int godwit_cares_socket_count(const godwit_cares *lookup);
/// The wanted socket at `index`, below the count.
godwit_cares_socket godwit_cares_wanted(const godwit_cares *lookup, int index);
/// In how many milliseconds c-ares wants to be called even if no socket is ready; -1 for never.
int64_t godwit_cares_remaining_ms(const godwit_cares *lookup);
/// Lets c-ares work: a socket is ready, or with -1 the time has come.
void godwit_cares_act(godwit_cares *lookup, int descriptor);

godwit_cares_result godwit_cares_state(const godwit_cares *lookup);
/// c-ares' own words for how it ended.
const char *godwit_cares_words(const godwit_cares *lookup);
int godwit_cares_address_count(const godwit_cares *lookup);
/// The address at `index`, below the count, in figures: the best first (RFC 6724).
const char *godwit_cares_address(const godwit_cares *lookup, int index);

#endif
