// Ends the process at its n-th call that changes a file, before the call: for LD_PRELOAD. GODWIT_CUT has n. A sleep is a
// tenth of a second where GODWIT_SLEEPS names a file, which gets a line with the seconds that were wanted.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

enum { cut_status = 99 };

static void count(void) {
  static int left = -1;
  if (left == -1) {
    const char *text = getenv("GODWIT_CUT");
    left = text ? atoi(text) : 0;
  }
  if (left > 0 && --left == 0) _exit(cut_status);
}

#define NEXT(name) (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

int fsync(int file) {
  count();
  return (NEXT(fsync))(file);
}

int rename(const char *old, const char *new) {
  count();
  return (NEXT(rename))(old, new);
}

int unlink(const char *path) {
  count();
  return (NEXT(unlink))(path);
}

ssize_t write(int file, const void *bytes, size_t length) {
  if (file > STDERR_FILENO) count();
  return (NEXT(write))(file, bytes, length);
}

ssize_t pwrite(int file, const void *bytes, size_t length, off_t place) {
  count();
  return (NEXT(pwrite))(file, bytes, length, place);
}

unsigned sleep(unsigned seconds) {
  const char *path = getenv("GODWIT_SLEEPS");
  if (!path) return (NEXT(sleep))(seconds);
  FILE *file = fopen(path, "a");
  if (file) {
    fprintf(file, "%u\n", seconds);
    fclose(file);
  }
  usleep(100000);
  return 0;
}

static int opened(const char *name, const char *path, int flags, mode_t mode) {
  if (flags & (O_CREAT | O_TRUNC)) count();
  return ((int (*)(const char *, int, ...))dlsym(RTLD_NEXT, name))(path, flags, mode);
}

static mode_t mode_of(int flags, va_list *more) { return flags & O_CREAT ? va_arg(*more, mode_t) : 0; }

int open(const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  mode_t mode = mode_of(flags, &more);
  va_end(more);
  return opened("open", path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  mode_t mode = mode_of(flags, &more);
  va_end(more);
  return opened("open64", path, flags, mode);
}
