#include "CZlib.h"

#include <limits.h>
#include <string.h>
#include <zlib.h>

size_t godwit_gzip(const uint8_t *bytes, size_t count, uint8_t *out, size_t capacity) {
  if (count > UINT_MAX || capacity > UINT_MAX) return 0;
  z_stream stream;
  memset(&stream, 0, sizeof stream);
  // The window of 15 bits is the largest; 16 more ask for gzip's header. 8 is zlib's default of memory.
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
  stream.next_in = (Bytef *)bytes;
  stream.avail_in = (uInt)count;
  stream.next_out = out;
  stream.avail_out = (uInt)capacity;
  size_t length = deflate(&stream, Z_FINISH) == Z_STREAM_END ? stream.total_out : 0;
  deflateEnd(&stream);
  return length;
}
