// zlib for Swift: deflateInit2 is a macro, which Swift cannot call. No decisions.
#ifndef CZLIB_H
#define CZLIB_H

#include <stddef.h>
#include <stdint.h>

/// Writes `bytes` in the gzip format (RFC 1952) to `out`. Returns the length, or 0 when `capacity` is not enough or
/// memory is short.
size_t godwit_gzip(const uint8_t *bytes, size_t count, uint8_t *out, size_t capacity);

#endif
