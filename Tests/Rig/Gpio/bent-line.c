// A short circuit for libgpiod: while the file GODWIT_RIG_BENT exists, each line reads back the opposite. The kernel's
// simulated chips cannot do this. For both generations of libgpiod.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static int bent(int level) {
  const char *file = getenv("GODWIT_RIG_BENT");
  return level >= 0 && file && access(file, F_OK) == 0 ? !level : level;
}

int gpiod_line_get_value(void *line) {
  int (*real)(void *) = (int (*)(void *))dlsym(RTLD_NEXT, "gpiod_line_get_value");
  return bent(real(line));
}

int gpiod_line_request_get_value(void *request, unsigned offset) {
  int (*real)(void *, unsigned) = (int (*)(void *, unsigned))dlsym(RTLD_NEXT, "gpiod_line_request_get_value");
  return bent(real(request, offset));
}
