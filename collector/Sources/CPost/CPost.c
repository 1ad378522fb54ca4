#include "CPost.h"

#include <curl/curl.h>
#include <stdio.h>

void cpost_begin(void) { curl_global_init(CURL_GLOBAL_DEFAULT); }

static size_t pass_over(char *bytes, size_t size, size_t count, void *nobody) {
  (void)bytes, (void)nobody;
  return size * count;
}

long cpost(
    const char *url, const char *const *headers, size_t count, const char *body, size_t length, long timeout_s,
    char *problem) {
  long status = 0;
  struct curl_slist *list = NULL;
  CURL *easy = curl_easy_init();
  snprintf(problem, 256, "out of memory");
  if (!easy) return 0;
  for (size_t i = 0; i < count; i++) {
    struct curl_slist *longer = curl_slist_append(list, headers[i]);
    if (!longer) goto end;
    list = longer;
  }
  curl_easy_setopt(easy, CURLOPT_URL, url);
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_TIMEOUT, timeout_s);
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, list);
  curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)length);
  curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, pass_over);
  CURLcode code = curl_easy_perform(easy);
  if (code != CURLE_OK) {
    snprintf(problem, 256, "%s", curl_easy_strerror(code));
  } else {
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  }
end:
  curl_slist_free_all(list);
  curl_easy_cleanup(easy);
  return status;
}
