// zlib for Swift: inflateInit2 and deflateInit2 are macros, which Swift cannot call.
#ifndef CINFLATE_H
#define CINFLATE_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
  COLLECTOR_GUNZIP_FINE,
  /// Not gzip, damaged, cut off, or with something behind its end.
  COLLECTOR_GUNZIP_DAMAGED,
  /// `capacity` bytes are not enough, or memory is short.
  COLLECTOR_GUNZIP_TOO_LARGE,
} collector_gunzip_result;

/// Unpacks one gzip member (RFC 1952) into `out`; `length` is what it came to.
collector_gunzip_result collector_gunzip(
    const uint8_t *bytes, size_t count, uint8_t *out, size_t capacity, size_t *length);

/// Packs into one gzip member. Returns its length; 0 if it needs more than `capacity` or memory is short.
size_t collector_gzip(const uint8_t *bytes, size_t count, uint8_t *out, size_t capacity);

#endif
