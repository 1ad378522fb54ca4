#include "CCares.h"

// c-ares 1.34 calls functions deprecated whose successors 1.18 does not have.
#define CARES_NO_DEPRECATED
#include <ares.h>

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

struct godwit_cares {
  ares_channel channel;
  godwit_cares_socket sockets[GODWIT_CARES_SOCKETS];
  int socket_count;
  char interface[IF_NAMESIZE];
  bool is_interface_missing;
  bool is_done;
  int status;
  char addresses[GODWIT_CARES_ADDRESSES][GODWIT_CARES_ADDRESS_SIZE];
  int address_count;
};

// MARK: Sockets

static void watch_socket(void *context, ares_socket_t descriptor, int readable, int writable) {
  godwit_cares *lookup = context;
  int index = 0;
  while (index < lookup->socket_count && lookup->sockets[index].descriptor != descriptor) index++;
  if (!readable && !writable) {
    if (index < lookup->socket_count) lookup->sockets[index] = lookup->sockets[--lookup->socket_count];
    return;
  }
  // There is room: a server has two sockets at most.
  if (index == GODWIT_CARES_SOCKETS) return;
  if (index == lookup->socket_count) lookup->socket_count++;
  lookup->sockets[index] = (godwit_cares_socket){descriptor, readable != 0, writable != 0};
}

/// Not ares_set_local_dev, which goes out through any interface when that one is not there.
static int bind_socket(ares_socket_t descriptor, int type, void *context) {
  (void)type;
  godwit_cares *lookup = context;
  socklen_t length = (socklen_t)strlen(lookup->interface);
  if (setsockopt(descriptor, SOL_SOCKET, SO_BINDTODEVICE, lookup->interface, length) == 0) return 0;
  lookup->is_interface_missing = true;
  return -1;
}

// MARK: Name servers

static bool is_loopback(const struct ares_addr_port_node *server) {
  if (server->family == AF_INET) return ntohl(server->addr.addr4.s_addr) >> 24 == 127;
  return memcmp(&server->addr.addr6, &in6addr_loopback, sizeof in6addr_loopback) == 0;
}

/// Keeps to the first few, and to the interface unless a name server is on this machine (such as systemd-resolved's
/// 127.0.0.53, which chooses the way itself and cannot be reached through another interface).
static int limit_servers(godwit_cares *lookup) {
  struct ares_addr_port_node *servers = NULL;
  int status = ares_get_servers_ports(lookup->channel, &servers);
  if (status != ARES_SUCCESS) return status;
  bool is_local = false;
  int count = 0;
  for (struct ares_addr_port_node *server = servers; server != NULL; server = server->next) {
    is_local = is_local || is_loopback(server);
    if (++count < GODWIT_CARES_SERVERS || server->next == NULL) continue;
    struct ares_addr_port_node *rest = server->next;
    server->next = NULL;
    status = ares_set_servers_ports(lookup->channel, servers);
    server->next = rest;
    break;
  }
  ares_free_data(servers);
  if (lookup->interface[0] != '\0' && !is_local)
    ares_set_socket_configure_callback(lookup->channel, bind_socket, lookup);
  return status;
}

// MARK: Answers

/// 0.0.0.0 and ::, which liars answer, would lead to this machine.
static bool is_unspecified(const struct sockaddr *address) {
  if (address->sa_family == AF_INET) return ((const struct sockaddr_in *)address)->sin_addr.s_addr == 0;
  const struct in6_addr *v6 = &((const struct sockaddr_in6 *)address)->sin6_addr;
  return IN6_IS_ADDR_UNSPECIFIED(v6) || (IN6_IS_ADDR_V4MAPPED(v6) && v6->s6_addr32[3] == 0);
}

static void keep_address(godwit_cares *lookup, const struct sockaddr *address) {
  if (lookup->address_count == GODWIT_CARES_ADDRESSES) return;
  if (address->sa_family != AF_INET && address->sa_family != AF_INET6) return;
  if (is_unspecified(address)) return;
  const void *figures = address->sa_family == AF_INET ? (const void *)&((const struct sockaddr_in *)address)->sin_addr
                                                      : &((const struct sockaddr_in6 *)address)->sin6_addr;
  char *text = lookup->addresses[lookup->address_count];
  if (inet_ntop(address->sa_family, figures, text, GODWIT_CARES_ADDRESS_SIZE) != NULL) lookup->address_count++;
}

static void finish(void *context, int status, int timeouts, struct ares_addrinfo *answer) {
  (void)timeouts;
  godwit_cares *lookup = context;
  lookup->is_done = true;
  lookup->status = status;
  if (answer == NULL) return;
  for (struct ares_addrinfo_node *node = answer->nodes; node != NULL; node = node->ai_next)
    keep_address(lookup, node->ai_addr);
  ares_freeaddrinfo(answer);
}

// MARK: A look-up

/// The first question is repeated after this time, then after twice as long, and so on: the caller's time limit ends it.
static const int first_timeout_ms = 2000;
static const int tries = 10;

static int begin(godwit_cares *lookup, const char *servers) {
  struct ares_options options = {
      .timeout = first_timeout_ms,
      .tries = tries,
      .sock_state_cb = watch_socket,
      .sock_state_cb_data = lookup,
  };
  int status =
      ares_init_options(&lookup->channel, &options, ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB);
  if (status != ARES_SUCCESS) {
    lookup->channel = NULL;
    return status;
  }
  if (servers[0] != '\0') status = ares_set_servers_ports_csv(lookup->channel, servers);
  return status == ARES_SUCCESS ? limit_servers(lookup) : status;
}

godwit_cares *godwit_cares_start(const char *host, const char *interface, const char *servers, bool ipv4_only) {
  godwit_cares *lookup = calloc(1, sizeof *lookup);
  if (lookup == NULL) return NULL;
  strncpy(lookup->interface, interface, sizeof lookup->interface - 1);
  int status = ares_library_init(ARES_LIB_INIT_ALL);
  if (status == ARES_SUCCESS) status = begin(lookup, servers);
  if (status != ARES_SUCCESS) {
    lookup->is_done = true;
    lookup->status = status;
    return lookup;
  }
  struct ares_addrinfo_hints hints = {
      .ai_family = ipv4_only ? AF_INET : AF_UNSPEC,
      .ai_socktype = SOCK_STREAM,
  };
  ares_getaddrinfo(lookup->channel, host, NULL, &hints, finish, lookup);
  return lookup;
}

void godwit_cares_free(godwit_cares *lookup) {
  if (lookup->channel != NULL) ares_destroy(lookup->channel);
  ares_library_cleanup();
  free(lookup);
}

int godwit_cares_socket_count(const godwit_cares *lookup) { return lookup->socket_count; }

godwit_cares_socket godwit_cares_wanted(const godwit_cares *lookup, int index) { return lookup->sockets[index]; }

int64_t godwit_cares_remaining_ms(const godwit_cares *lookup) {
  struct timeval left;
  if (lookup->channel == NULL || ares_timeout(lookup->channel, NULL, &left) == NULL) return -1;
  // Rounded up: called too early, c-ares would find nothing to do.
  return (int64_t)left.tv_sec * 1000 + (left.tv_usec + 999) / 1000;
}

void godwit_cares_act(godwit_cares *lookup, int descriptor) {
  if (lookup->channel == NULL) return;
  bool wants_write = false;
  for (int index = 0; index < lookup->socket_count; index++)
    if (lookup->sockets[index].descriptor == descriptor) wants_write = lookup->sockets[index].wants_write;
  ares_socket_t ready = descriptor < 0 ? ARES_SOCKET_BAD : descriptor;
  ares_process_fd(lookup->channel, ready, wants_write ? ready : ARES_SOCKET_BAD);
}

godwit_cares_result godwit_cares_state(const godwit_cares *lookup) {
  if (!lookup->is_done) return GODWIT_CARES_RUNNING;
  if (lookup->is_interface_missing && lookup->status != ARES_SUCCESS) return GODWIT_CARES_NO_INTERFACE;
  switch (lookup->status) {
  case ARES_SUCCESS: return lookup->address_count > 0 ? GODWIT_CARES_FOUND : GODWIT_CARES_NO_ADDRESS;
  case ARES_ENODATA: return GODWIT_CARES_NO_ADDRESS;
  case ARES_ENOTFOUND:
  case ARES_EBADNAME: return GODWIT_CARES_UNKNOWN_HOST;
  case ARES_ETIMEOUT: return GODWIT_CARES_SILENT;
  default: return GODWIT_CARES_FAILED;
  }
}

const char *godwit_cares_words(const godwit_cares *lookup) { return ares_strerror(lookup->status); }

int godwit_cares_address_count(const godwit_cares *lookup) { return lookup->address_count; }

const char *godwit_cares_address(const godwit_cares *lookup, int index) { return lookup->addresses[index]; }
