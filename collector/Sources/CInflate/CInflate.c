#include "CInflate.h"

#include <limits.h>
#include <string.h>
#include <zlib.h>

collector_gunzip_result collector_gunzip(
    const uint8_t *bytes, size_t count, uint8_t *out, size_t capacity, size_t *length) {
  *length = 0;
  if (count > UINT_MAX || capacity > UINT_MAX) return COLLECTOR_GUNZIP_TOO_LARGE;
  z_stream stream;
  memset(&stream, 0, sizeof stream);
  // The window of 15 bits is the largest; 16 more take gzip's header, and nothing else.
  if (inflateInit2(&stream, 15 + 16) != Z_OK) return COLLECTOR_GUNZIP_TOO_LARGE;
  stream.next_in = (Bytef *)bytes;
  stream.avail_in = (uInt)count;
  stream.next_out = out;
  stream.avail_out = (uInt)capacity;
  int code = inflate(&stream, Z_FINISH);
  *length = stream.total_out;
  int is_full = stream.avail_out == 0;
  int has_rest = stream.avail_in > 0;
  inflateEnd(&stream);
  if (code == Z_STREAM_END) return has_rest ? COLLECTOR_GUNZIP_DAMAGED : COLLECTOR_GUNZIP_FINE;
  return (code == Z_BUF_ERROR && is_full) || code == Z_MEM_ERROR ? COLLECTOR_GUNZIP_TOO_LARGE
                                                                  : COLLECTOR_GUNZIP_DAMAGED;
}

size_t collector_gzip(const uint8_t *bytes, size_t count, uint8_t *out, size_t capacity) {
  if (count > UINT_MAX || capacity > UINT_MAX) return 0;
  z_stream stream;
  memset(&stream, 0, sizeof stream);
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
  stream.next_in = (Bytef *)bytes;
  stream.avail_in = (uInt)count;
  stream.next_out = out;
  stream.avail_out = (uInt)capacity;
  int code = deflate(&stream, Z_FINISH);
  size_t length = code == Z_STREAM_END ? stream.total_out : 0;
  deflateEnd(&stream);
  return length;
}
