#define _GNU_SOURCE
#include "CFeeder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

// Raw, and readable for a gpsd that has given up root. Sets `*call` to what failed.
static int prepare_slave(int slave, const char **call) {
  struct termios raw;
  *call = "tcgetattr";
  if (tcgetattr(slave, &raw) != 0) return -1;
  cfmakeraw(&raw);
  *call = "tcsetattr";
  if (tcsetattr(slave, TCSANOW, &raw) != 0) return -1;
  *call = "fchmod";
  return fchmod(slave, 0666);
}

int feeder_open_pty(char *name, size_t size, const char **call) {
  *call = "posix_openpt";
  int master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (master < 0) return -1;
  int slave = -1, result = -1;
  *call = "grantpt";
  if (grantpt(master) == 0) {
    *call = "unlockpt";
    result = unlockpt(master);
  }
  if (result == 0) {
    *call = "ptsname_r";
    // ptsname_r returns the error number instead of setting it on some C libraries.
    int code = ptsname_r(master, name, size);
    if (code != 0) { errno = code > 0 ? code : errno; result = -1; }
  }
  if (result == 0) {
    *call = "open of the pty's slave";
    slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    result = slave < 0 ? -1 : prepare_slave(slave, call);
  }
  int saved = errno;
  if (slave >= 0) close(slave);
  if (result != 0) { close(master); errno = saved; return -1; }
  return master;
}

int feeder_open_stop_signals(void) {
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTERM);
  sigaddset(&stop, SIGINT);
  sigaddset(&stop, SIGHUP);
  if (sigprocmask(SIG_BLOCK, &stop, NULL) != 0) return -1;
  signal(SIGPIPE, SIG_IGN);
  return signalfd(-1, &stop, SFD_NONBLOCK | SFD_CLOEXEC);
}

int feeder_poll(struct pollfd *descriptors, nfds_t count, int64_t timeout_ns) {
  struct timespec timeout = {timeout_ns / 1000000000, timeout_ns % 1000000000};
  return ppoll(descriptors, count, timeout_ns < 0 ? NULL : &timeout, NULL);
}
