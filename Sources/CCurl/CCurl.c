// For memmem.
#define _GNU_SOURCE
#include "CCurl.h"

#include <arpa/inet.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>

CURLcode godwit_curl_init(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }

// MARK: Options

CURLcode godwit_curl_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

CURLcode godwit_curl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(easy, option, value);
}

CURLcode godwit_curl_set_text(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}

CURLcode godwit_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(easy, option, value);
}

CURLcode godwit_curl_set_body(CURL *easy, const uint8_t *bytes, size_t count) {
  // The size first: without it COPYPOSTFIELDS measures with strlen.
  CURLcode code = curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
  if (code != CURLE_OK) return code;
  // NULL would let libcurl read the body from standard input.
  return curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, count == 0 ? "" : (const char *)bytes);
}

CURLcode godwit_curl_set_error_buffer(CURL *easy, char *error) {
  return curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, error);
}

long godwit_curl_get_long(CURL *easy, CURLINFO info) {
  long value = 0;
  return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

curl_off_t godwit_curl_get_offset(CURL *easy, CURLINFO info) {
  curl_off_t value = 0;
  return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

const char *godwit_curl_get_text(CURL *easy, CURLINFO info) {
  char *value = NULL;
  return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : NULL;
}

int godwit_curl_kept_socket(CURL *easy) {
  curl_socket_t descriptor = CURL_SOCKET_BAD;
  return curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &descriptor) == CURLE_OK ? descriptor : -1;
}

bool godwit_curl_has_input(int descriptor) {
  struct pollfd entry = {.fd = descriptor, .events = POLLIN};
  return poll(&entry, 1, 0) > 0;
}

int godwit_curl_unread(int descriptor) {
  int count = 0;
  return ioctl(descriptor, FIONREAD, &count) == 0 && count > 0 ? count : 0;
}

void godwit_curl_narrow(int descriptor, int bytes) {
  // Where it fails the kernel's own window stays.
  (void)setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

const char *godwit_curl_get_header(CURL *easy, const char *name) {
  struct curl_header *header = NULL;
  return curl_easy_header(easy, name, 0, CURLH_HEADER, -1, &header) == CURLHE_OK ? header->value : NULL;
}

// MARK: Certificates

static CURLcode judge_at(CURL *easy, void *ssl_context, void *time_s) {
  (void)easy;
  X509_VERIFY_PARAM_set_time(SSL_CTX_get0_param(ssl_context), (time_t) * (const int64_t *)time_s);
  return CURLE_OK;
}

CURLcode godwit_curl_judge_at(CURL *easy, const int64_t *time_s) {
  const char *library = curl_version_info(CURLVERSION_NOW)->ssl_version;
  // Another library's context would be something else behind the same pointer.
  if (library == NULL || strncmp(library, "OpenSSL/", 8) != 0) return CURLE_NOT_BUILT_IN;
  CURLcode code = curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, judge_at);
  return code == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, time_s) : code;
}

godwit_curl_certificate godwit_curl_certificate_fault(CURL *easy) {
  switch (godwit_curl_get_long(easy, CURLINFO_SSL_VERIFYRESULT)) {
  case X509_V_OK:
  // libcurl's own initial value, if it refused the name after OpenSSL had found the rest fine.
  case X509_V_ERR_UNSPECIFIED: return GODWIT_CERTIFICATE_FINE;
  case X509_V_ERR_CERT_NOT_YET_VALID: return GODWIT_CERTIFICATE_NOT_YET_VALID;
  case X509_V_ERR_CERT_HAS_EXPIRED: return GODWIT_CERTIFICATE_EXPIRED;
  case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
  case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
  case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE: return GODWIT_CERTIFICATE_NO_ISSUER;
  case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
  case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
  case X509_V_ERR_CERT_SIGNATURE_FAILURE: return GODWIT_CERTIFICATE_UNVOUCHED;
  default: return GODWIT_CERTIFICATE_FAULTY;
  }
}

// MARK: Where a URL leads

static bool is_loopback_host(const char *host) {
  if (strcasecmp(host, "localhost") == 0) return true;
  struct in_addr v4;
  if (inet_pton(AF_INET, host, &v4) == 1) return ntohl(v4.s_addr) >> 24 == 127;
  return strcmp(host, "[::1]") == 0;
}

bool godwit_curl_is_loopback(const char *url) {
  CURLU *parts = curl_url();
  char *host = NULL;
  bool is_loopback = parts != NULL && curl_url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK &&
                     curl_url_get(parts, CURLUPART_HOST, &host, 0) == CURLUE_OK && is_loopback_host(host);
  curl_free(host);
  curl_url_cleanup(parts);
  return is_loopback;
}

/// Copies the host without the brackets of an IPv6 address.
static bool copy_host(const char *host, char *into) {
  size_t length = strlen(host);
  if (length >= 2 && host[0] == '[' && host[length - 1] == ']') {
    host++;
    length -= 2;
  }
  if (length == 0 || length >= GODWIT_CURL_HOST_SIZE) return false;
  memcpy(into, host, length);
  into[length] = '\0';
  return true;
}

long godwit_curl_host_of(const char *url, long default_port, char *host) {
  CURLU *parts = curl_url();
  char *name = NULL;
  char *port = NULL;
  long number = 0;
  // A proxy may have no scheme, and one that this reader need not know.
  unsigned reading = default_port > 0 ? CURLU_GUESS_SCHEME | CURLU_NON_SUPPORT_SCHEME : CURLU_DEFAULT_SCHEME;
  if (parts != NULL && curl_url_set(parts, CURLUPART_URL, url, reading) == CURLUE_OK &&
      curl_url_get(parts, CURLUPART_HOST, &name, 0) == CURLUE_OK && copy_host(name, host)) {
    bool is_encrypted = strncasecmp(url, "https:", 6) == 0;
    if (curl_url_get(parts, CURLUPART_PORT, &port, default_port > 0 ? 0 : CURLU_DEFAULT_PORT) == CURLUE_OK)
      number = strtol(port, NULL, 10);
    else
      number = is_encrypted ? 443 : default_port;
  }
  curl_free(name);
  curl_free(port);
  curl_url_cleanup(parts);
  return number;
}

/// Writes an address's bytes; their count, or 0.
static int address_bytes(const char *text, uint8_t bytes[16]) {
  if (inet_pton(AF_INET, text, bytes) == 1) return 4;
  return inet_pton(AF_INET6, text, bytes) == 1 ? 16 : 0;
}

bool godwit_curl_is_in_network(const char *address, const char *network) {
  const char *slash = strchr(network, '/');
  char base[INET6_ADDRSTRLEN];
  uint8_t bytes[16], network_bytes[16];
  if (slash == NULL || slash - network >= (long)sizeof base) return false;
  memcpy(base, network, (size_t)(slash - network));
  base[slash - network] = '\0';
  int count = address_bytes(address, bytes);
  char *end;
  long bits = strtol(slash + 1, &end, 10);
  if (count == 0 || address_bytes(base, network_bytes) != count || *end != '\0' || bits < 1 || bits > 8 * count)
    return false;
  for (long bit = 0; bit < bits; bit++)
    if (((bytes[bit / 8] ^ network_bytes[bit / 8]) >> (7 - bit % 8)) & 1) return false;
  return true;
}

static int refuse_look_up(void *state, void *reserved, void *context) {
  (void)state;
  (void)reserved;
  (void)context;
  return 1;
}

CURLcode godwit_curl_never_look_up(CURL *easy, struct curl_slist *entries) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_RESOLVE, entries);
  // libcurl calls it for every host that it has no entry for.
  return code == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_RESOLVER_START_FUNCTION, refuse_look_up) : code;
}

// MARK: Reply

static size_t receive_body(char *bytes, size_t size, size_t count, void *context) {
  godwit_curl_reply *reply = context;
  size_t length = size * count;
  // Of one that is too long, its beginning: an acknowledgement may stand there.
  bool is_over = length > reply->limit - reply->count;
  if (is_over) length = reply->limit - reply->count;
  uint8_t *grown = realloc(reply->bytes, reply->count + length + 1);
  if (grown == NULL) return 0;
  memcpy(grown + reply->count, bytes, length);
  reply->bytes = grown;
  reply->count += length;
  if (!is_over) return length;
  reply->is_over_limit = true;
  return 0; // Ends the transfer with CURLE_WRITE_ERROR.
}

static size_t receive_header(char *bytes, size_t size, size_t count, void *context) {
  godwit_curl_reply *reply = context;
  reply->header_count += size * count;
  // After an interim reply another status line comes; what else comes behind a head are trailers (RFC 9112, 7.1.2).
  if (size * count >= 5 && memcmp(bytes, "HTTP/", 5) == 0) reply->has_head = false;
  if (!reply->has_head && size * count > 0 && (bytes[0] == '\r' || bytes[0] == '\n')) {
    reply->has_head = true;
    reply->body_up_at_head = reply->body_up;
  }
  if (reply->header_count <= GODWIT_CURL_HEADERS) return size * count;
  reply->is_over_limit = true;
  return 0;
}

/// What OpenSSL's messages, as libcurl reports them, say of this device's certificate. A server of TLS 1.3 judges it when
/// the handshake is over for the client; the tickets that come behind it are the first sign that it was taken.
static void see_handshake(godwit_curl_reply *reply, const char *text, size_t length) {
  static const char asks[] = "TLSv1.3 (IN), TLS handshake, Request CERT", takes[] = "Newsession Ticket";
  if (memmem(text, length, asks, sizeof asks - 1) != NULL) {
    reply->wants_certificate = true;
    reply->took_certificate = false;
  } else if (memmem(text, length, takes, sizeof takes - 1) != NULL) {
    reply->took_certificate = true;
  }
}

/// A server may think as long as the whole request may take: silence counts while the request goes out, and from the
/// first byte of the answer on.
static void mind_silence(CURL *easy, const godwit_curl_reply *reply, bool is_answered) {
  bool counts = is_answered || reply->body_up < reply->body_count;
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, counts ? 1L : 0L);
}

/// The only figures of libcurl that count headers and bodies each once, in 7.88 and in 8: CURLINFO_REQUEST_SIZE
/// holds a part of the body in some versions. Of what is sent and comes only lengths are looked at.
static int count_bytes(CURL *easy, curl_infotype type, char *bytes, size_t length, void *context) {
  godwit_curl_reply *reply = context;
  switch (type) {
  case CURLINFO_HEADER_OUT:
    // A request that is sent again, on another connection, begins anew.
    reply->body_up = 0;
    reply->bytes_up += length;
    mind_silence(easy, reply, false);
    break;
  case CURLINFO_DATA_OUT:
    reply->body_up += length;
    reply->bytes_up += length;
    mind_silence(easy, reply, false);
    break;
  case CURLINFO_SSL_DATA_OUT:
    reply->handshake_up += length;
    reply->bytes_up += length;
    break;
  case CURLINFO_SSL_DATA_IN:
    reply->handshake_down += length;
    reply->bytes_down += length;
    break;
  case CURLINFO_HEADER_IN:
    reply->bytes_down += length;
    mind_silence(easy, reply, true);
    break;
  case CURLINFO_DATA_IN: reply->bytes_down += length; break;
  case CURLINFO_TEXT: see_handshake(reply, bytes, length); break;
  default: break;
  }
  return 0;
}

CURLcode godwit_curl_collect(CURL *easy, godwit_curl_reply *reply) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, receive_body);
  if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_WRITEDATA, reply);
  if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, receive_header);
  if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_HEADERDATA, reply);
  if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, count_bytes);
  if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_DEBUGDATA, reply);
  // Without it the debug function is not called. Nothing is printed.
  if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_VERBOSE, 1L);
  return code;
}

void godwit_curl_reply_free(godwit_curl_reply *reply) {
  free(reply->bytes);
  memset(reply, 0, sizeof *reply);
}

// MARK: What the poll has to watch

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int watch_socket(CURL *easy, curl_socket_t descriptor, int events, void *context, void *unused) {
  (void)easy;
  (void)unused;
  godwit_curl_wants *wants = context;
  int index = 0;
  while (index < wants->socket_count && wants->sockets[index].descriptor != descriptor) index++;
  if (events == CURL_POLL_REMOVE) {
    if (index < wants->socket_count) wants->sockets[index] = wants->sockets[--wants->socket_count];
    return 0;
  }
  if (index == GODWIT_CURL_SOCKETS) return -1;
  if (index == wants->socket_count) wants->socket_count++;
  wants->sockets[index].descriptor = descriptor;
  wants->sockets[index].wants_read = (events & CURL_POLL_IN) != 0;
  wants->sockets[index].wants_write = (events & CURL_POLL_OUT) != 0;
  return 0;
}

static int watch_timer(CURLM *multi, long timeout_ms, void *context) {
  (void)multi;
  godwit_curl_wants *wants = context;
  wants->deadline_ms = timeout_ms < 0 ? -1 : now_ms() + timeout_ms;
  return 0;
}

CURLMcode godwit_curl_watch(CURLM *multi, godwit_curl_wants *wants) {
  wants->socket_count = 0;
  wants->deadline_ms = -1;
  CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, watch_socket);
  if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, wants);
  if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, watch_timer);
  if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_TIMERDATA, wants);
  // One server, one request at a time: a new connection takes the place of the kept one.
  if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, 1L);
  return code;
}

godwit_curl_socket godwit_curl_wanted(const godwit_curl_wants *wants, int index) {
  return wants->sockets[index];
}

CURLMcode godwit_curl_act(CURLM *multi, godwit_curl_wants *wants, int descriptor) {
  int running;
  // A deadline is for one call. libcurl sets the next one during the call, or wants none and says nothing.
  if (descriptor == CURL_SOCKET_TIMEOUT) wants->deadline_ms = -1;
  return curl_multi_socket_action(multi, descriptor, 0, &running);
}

int64_t godwit_curl_remaining_ms(const godwit_curl_wants *wants) {
  if (wants->deadline_ms < 0) return -1;
  int64_t remaining_ms = wants->deadline_ms - now_ms();
  return remaining_ms > 0 ? remaining_ms : 0;
}

bool godwit_curl_next_result(CURLM *multi, CURLcode *code) {
  int left;
  CURLMsg *message;
  while ((message = curl_multi_info_read(multi, &left)) != NULL) {
    if (message->msg != CURLMSG_DONE) continue;
    *code = message->data.result;
    return true;
  }
  return false;
}
