#include "CZlib.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>
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

godwit_gunzip *godwit_gunzip_open(int descriptor) {
  // Closing the gzFile closes its descriptor.
  int own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (own < 0) return NULL;
  gzFile file = gzdopen(own, "rb");
  if (!file) close(own);
  return (godwit_gunzip *)file;
}

ptrdiff_t godwit_gunzip_read(godwit_gunzip *file, uint8_t *out, size_t capacity, bool *is_damaged) {
  *is_damaged = false;
  errno = 0;
  int length = gzread((gzFile)file, out, capacity > INT_MAX ? INT_MAX : (unsigned)capacity);
  if (length > 0) return length;
  int code = Z_OK;
  gzerror((gzFile)file, &code);
  if (code == Z_OK || code == Z_STREAM_END) return 0;
  *is_damaged = code != Z_ERRNO;
  return -1;
}

void godwit_gunzip_close(godwit_gunzip *file) { gzclose((gzFile)file); }
