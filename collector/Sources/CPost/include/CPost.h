// libcurl for Swift, which cannot call functions of variable arguments.
#ifndef CPOST_H
#define CPOST_H

#include <stddef.h>

// Before any thread begins.
void cpost_begin(void);

// POSTs `body` and waits for the answer, whose content is passed over; redirects are not followed.
// `headers` has `count` lines "Name: value". Returns the status; 0: there was no answer, and `problem`, of 256 bytes, says
// why, in libcurl's words.
long cpost(
    const char *url, const char *const *headers, size_t count, const char *body, size_t length, long timeout_s,
    char *problem);

#endif
