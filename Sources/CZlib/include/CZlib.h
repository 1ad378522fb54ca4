// zlib for Swift: deflateInit2 is a macro, which Swift cannot call. No decisions.
#ifndef CZLIB_H
#define CZLIB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Writes `bytes` in the gzip format (RFC 1952) to `out`. Returns the length, or 0 when `capacity` is not enough or
/// memory is short.
size_t godwit_gzip(const uint8_t *bytes, size_t count, uint8_t *out, size_t capacity);

/// A file that is unpacked as it is read where it begins as gzip does, and else read as it is.
typedef struct godwit_gunzip godwit_gunzip;

/// Reads from where `descriptor` stands, which stays the caller's. NULL without memory.
godwit_gunzip *godwit_gunzip_open(int descriptor);

/// As read(2): 0 at the end. -1 with `is_damaged` for gzip that is cut or broken, else with errno.
ptrdiff_t godwit_gunzip_read(godwit_gunzip *file, uint8_t *out, size_t capacity, bool *is_damaged);

void godwit_gunzip_close(godwit_gunzip *file);

#endif
