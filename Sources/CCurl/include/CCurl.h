// libcurl for Swift: typed stand-ins for its variadic functions, and the callbacks of its multi interface,
// which keep their books here so that no Swift is called from inside libcurl. No decisions.
#ifndef CCURL_H
#define CCURL_H

#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Once in a process, before all else.
CURLcode godwit_curl_init(void);

/// curl_easy_setopt is variadic, which Swift cannot call.
CURLcode godwit_curl_set_long(CURL *easy, CURLoption option, long value);
CURLcode godwit_curl_set_offset(CURL *easy, CURLoption option, curl_off_t value);
/// `value` may be NULL.
CURLcode godwit_curl_set_text(CURL *easy, CURLoption option, const char *value);
CURLcode godwit_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *value);
/// libcurl copies the bytes.
CURLcode godwit_curl_set_body(CURL *easy, const uint8_t *bytes, size_t count);
/// `error` has CURL_ERROR_SIZE bytes and must outlive the transfer.
CURLcode godwit_curl_set_error_buffer(CURL *easy, char *error);

/// Judges the server's certificate as of `time_s` (Unix), which must outlive the transfer, and not by the system's
/// clock. CURLE_NOT_BUILT_IN where libcurl does not use OpenSSL.
CURLcode godwit_curl_judge_at(CURL *easy, const int64_t *time_s);

typedef enum {
  GODWIT_CERTIFICATE_FINE,
  GODWIT_CERTIFICATE_NOT_YET_VALID,
  GODWIT_CERTIFICATE_EXPIRED,
  /// The certificate that signed it is missing: it is not trusted here, or the server should have sent it.
  GODWIT_CERTIFICATE_NO_ISSUER,
  /// Nobody who is trusted has signed it.
  GODWIT_CERTIFICATE_UNVOUCHED,
  GODWIT_CERTIFICATE_FAULTY,
} godwit_curl_certificate;

/// What was wrong with the server's certificate itself. Its name is libcurl's own matter.
godwit_curl_certificate godwit_curl_certificate_fault(CURL *easy);

/// 0 where libcurl has nothing to say.
long godwit_curl_get_long(CURL *easy, CURLINFO info);
curl_off_t godwit_curl_get_offset(CURL *easy, CURLINFO info);
/// NULL where libcurl has nothing to say; valid until the handle is used again.
const char *godwit_curl_get_text(CURL *easy, CURLINFO info);

/// The socket of the last transfer, if libcurl keeps it open; else -1.
int godwit_curl_kept_socket(CURL *easy);
/// Whether something can be read from a socket, or it was closed.
bool godwit_curl_has_input(int descriptor);
/// Bytes that wait at a socket; 0 where nobody knows.
int godwit_curl_unread(int descriptor);
/// Lets the other end send no more than about so many bytes ahead of what is read.
void godwit_curl_narrow(int descriptor, int bytes);

/// A header of the last reply by its name; NULL without one; valid until the handle is used again.
const char *godwit_curl_get_header(CURL *easy, const char *name);

/// True when `url` leads to this machine: localhost, 127.0.0.0/8 or ::1.
bool godwit_curl_is_loopback(const char *url);

/// The longest host that `godwit_curl_host_of` writes, with its NUL.
#define GODWIT_CURL_HOST_SIZE 256

/// Writes the host of a URL as libcurl reads it, without brackets, into `host` of GODWIT_CURL_HOST_SIZE bytes.
/// Returns its port, `default_port` (0: the scheme's) where the URL has none; 0 for a URL that cannot be read.
long godwit_curl_host_of(const char *url, long default_port, char *host);
/// True when the address is in a network such as 192.0.2.0/24.
bool godwit_curl_is_in_network(const char *address, const char *network);

/// Lets a transfer take the addresses in `entries` (CURLOPT_RESOLVE), which must outlive it, and fail with
/// CURLE_COULDNT_RESOLVE_HOST before it ever looks up a host by itself, on a thread that it would wait for. Not for a
/// host in figures: libcurl takes that for one to look up until it has read it. `entries` may be NULL.
CURLcode godwit_curl_never_look_up(CURL *easy, struct curl_slist *entries);

/// Headers of one reply, with those of interim replies, together at most.
#define GODWIT_CURL_HEADERS 65536

/// What a reply has brought so far.
typedef struct {
  uint8_t *bytes;
  size_t count;
  /// No more than this is ever held.
  size_t limit;
  size_t header_count;
  /// The empty line has come that ends the last reply's headers. libcurl takes headers that break off for whole.
  bool has_head;
  bool is_over_limit;
  /// TLS 1.3: the server has asked for this device's certificate …
  bool wants_certificate;
  /// … and has gone on after it, as a server does that takes it.
  bool took_certificate;
  /// Headers, bodies and what TLS adds to begin with, as libcurl saw them go and come.
  uint64_t bytes_up;
  uint64_t bytes_down;
  /// What of them TLS's own messages took: handshakes.
  uint64_t handshake_up;
  uint64_t handshake_down;
  /// Bytes that the request's body has; set it before the transfer.
  uint64_t body_count;
  /// Bytes of the request's body that libcurl has handed to the connection that is in use …
  uint64_t body_up;
  /// … and how many these were when the last reply's headers had come.
  uint64_t body_up_at_head;
} godwit_curl_reply;

/// Lets `easy` write into `reply`, which must outlive the transfer.
CURLcode godwit_curl_collect(CURL *easy, godwit_curl_reply *reply);
void godwit_curl_reply_free(godwit_curl_reply *reply);

typedef struct {
  int descriptor;
  bool wants_read;
  bool wants_write;
} godwit_curl_socket;

/// A transfer and its idle connections use no more than a handful.
#define GODWIT_CURL_SOCKETS 16

/// What a multi handle wants from the caller's poll.
typedef struct {
  godwit_curl_socket sockets[GODWIT_CURL_SOCKETS];
  int socket_count;
  /// Reading of CLOCK_MONOTONIC at which libcurl wants to be called; -1 for never.
  int64_t deadline_ms;
} godwit_curl_wants;

/// Lets `multi` keep `wants`, which must outlive it, and limits its idle connections.
CURLMcode godwit_curl_watch(CURLM *multi, godwit_curl_wants *wants);
/// The wanted socket at `index`, below `socket_count`.
godwit_curl_socket godwit_curl_wanted(const godwit_curl_wants *wants, int index);
/// Milliseconds until `deadline_ms`, 0 when it has passed, -1 for never.
int64_t godwit_curl_remaining_ms(const godwit_curl_wants *wants);
/// Lets libcurl work: `descriptor` is ready, or with -1 the deadline has passed.
CURLMcode godwit_curl_act(CURLM *multi, godwit_curl_wants *wants, int descriptor);
/// True, once, when a transfer has ended; `code` is its result.
bool godwit_curl_next_result(CURLM *multi, CURLcode *code);

#endif
