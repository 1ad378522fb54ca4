#define _GNU_SOURCE
#include "CHost.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <linux/iio/events.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

int chost_boot_timer(void) { return timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC); }

int chost_boot_timer_arm(int descriptor, int64_t at_ms) {
  struct itimerspec time = {0};
  if (at_ms > 0) {
    time.it_value.tv_sec = (time_t)(at_ms / 1000);
    time.it_value.tv_nsec = (long)(at_ms % 1000) * 1000000;
  }
  return timerfd_settime(descriptor, TFD_TIMER_ABSTIME, &time, NULL);
}

int chost_clock_watch(void) { return timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC); }

int chost_clock_watch_arm(int descriptor) {
  struct itimerspec time = {0};
  // As far ahead as time_t (32 bits on bookworm's armhf) and the kernel's nanoseconds (year 2262) go.
  time.it_value.tv_sec = sizeof(time_t) > 4 ? (time_t)9000000000LL : (time_t)0x7fffffff;
  return timerfd_settime(descriptor, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &time, NULL);
}

static sigset_t watched_signals(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGHUP);
  return set;
}

int chost_signals(void) {
  sigset_t set = watched_signals();
  int code = pthread_sigmask(SIG_BLOCK, &set, NULL);
  if (code != 0) {
    errno = code;
    return -1;
  }
  return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

int chost_signals_read(int descriptor) {
  struct signalfd_siginfo info;
  ssize_t count = read(descriptor, &info, sizeof info);
  if (count == (ssize_t)sizeof info) return (int)info.ssi_signo;
  if (count >= 0) errno = EIO;
  return -1;
}

void chost_signals_unblock(void) {
  sigset_t set = watched_signals();
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static void need_stack(void) {
  struct rlimit limit;
  const rlim_t least = CHOST_LEAST_STACK_KB * 1024, usual = 8192 * 1024;
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= least) return;
  // The kernel looks at it each time that the stack grows.
  struct rlimit raised = {limit.rlim_max < usual ? limit.rlim_max : usual, limit.rlim_max};
  if (raised.rlim_cur >= least && setrlimit(RLIMIT_STACK, &raised) == 0) return;
  dprintf(STDERR_FILENO, "godwit: the stack may have %ld kB, and %d are needed: ulimit -s 8192, or LimitSTACK=8M in the unit\n",
          (long)(limit.rlim_max / 1024), CHOST_LEAST_STACK_KB);
  _exit(71);
}

void chost_hold_reload(int count, char *const words[]) {
  if (count < 2 || strcmp(words[1], "run") != 0) return;
  sigset_t reload;
  sigemptyset(&reload);
  sigaddset(&reload, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &reload, NULL);
}

static void before_main(int count, char **words, char **environment) {
  (void)environment;
  need_stack();
  chost_hold_reload(count, words);
}

// Before the initialisers of shared libraries, too.
__attribute__((section(".preinit_array"), used)) static void (*const first)(int, char **, char **) = before_main;

static int output_code;

static void report_output(int status, void *unused) {
  (void)unused;
  errno = 0;
  if (fflush(stdout) != 0 || ferror(stdout)) chost_output_failed(errno != 0 ? errno : EIO);
  // A reader that has gone has what it wanted.
  if (output_code == 0 || output_code == EPIPE) return;
  dprintf(STDERR_FILENO, "godwit: standard output: %s; what was written there is not whole\n",
          strerror(output_code));
  if (status == 0) _exit(74);
}

void chost_watch_output(void) { on_exit(report_output, NULL); }
void chost_output_failed(int code) {
  if (output_code == 0) output_code = code;
}
bool chost_has_output_failed(void) { return output_code != 0; }

int64_t chost_clock_max_error_us(void) {
  struct timex state;
  memset(&state, 0, sizeof state);
  return adjtimex(&state) < 0 ? -1 : (int64_t)state.maxerror;
}

int chost_route_watch(void) {
  int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_ROUTE);
  if (descriptor < 0) return -1;
  struct sockaddr_nl address = {.nl_family = AF_NETLINK};
  address.nl_groups =
      RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE;
  if (bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0) return descriptor;
  int code = errno;
  close(descriptor);
  errno = code;
  return -1;
}

long chost_route_read(int descriptor, void *bytes, unsigned long capacity) {
  while (1) {
    struct sockaddr_nl sender = {0};
    socklen_t length = sizeof sender;
    ssize_t count = recvfrom(descriptor, bytes, capacity, 0, (struct sockaddr *)&sender, &length);
    if (count < 0 || sender.nl_pid == 0) return count;
  }
}

int chost_interface_with(const char *address, char *name) {
  struct ifaddrs *all = NULL;
  if (getifaddrs(&all) != 0) return -1;
  int found = -1;
  for (struct ifaddrs *entry = all; entry != NULL && found != 0; entry = entry->ifa_next) {
    char text[INET6_ADDRSTRLEN] = "";
    if (entry->ifa_addr == NULL) continue;
    if (entry->ifa_addr->sa_family == AF_INET) {
      inet_ntop(AF_INET, &((struct sockaddr_in *)(void *)entry->ifa_addr)->sin_addr, text, sizeof text);
    } else if (entry->ifa_addr->sa_family == AF_INET6) {
      inet_ntop(AF_INET6, &((struct sockaddr_in6 *)(void *)entry->ifa_addr)->sin6_addr, text, sizeof text);
    }
    if (text[0] == 0 || strcmp(text, address) != 0) continue;
    strncpy(name, entry->ifa_name, IF_NAMESIZE - 1);
    name[IF_NAMESIZE - 1] = 0;
    found = 0;
  }
  freeifaddrs(all);
  return found;
}

int chost_exchange(const char *path, const char *other) {
  return renameat2(AT_FDCWD, path, AT_FDCWD, other, RENAME_EXCHANGE);
}

int chost_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int chost_spawn(int *process, char *const argv[], char *const environment[]) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int code = posix_spawn_file_actions_init(&actions);
  if (code != 0) return code;
  code = posix_spawnattr_init(&attributes);
  if (code != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return code;
  }
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  for (int end = 0; code == 0 && end <= 2; end++) {
    code = posix_spawn_file_actions_addopen(&actions, end, "/dev/null", end == 0 ? O_RDONLY : O_WRONLY, 0);
  }
  pid_t started = 0;
  if (code == 0) code = posix_spawn(&started, argv[0], &actions, &attributes, argv, environment);
  if (code == 0) *process = (int)started;
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return code;
}

int chost_pidfd(int process) {
#ifdef SYS_pidfd_open
  // The kernel sets close-on-exec itself.
  return (int)syscall(SYS_pidfd_open, process, 0);
#else
  (void)process;
  errno = ENOSYS;
  return -1;
#endif
}

int chost_iio_event_descriptor(const char *path) {
  int device = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (device < 0) return -1;
  int events = -1;
  int result = ioctl(device, IIO_GET_EVENT_FD_IOCTL, &events);
  int code = errno;
  close(device);
  if (result < 0) {
    errno = code;
    return -1;
  }
  // The kernel has set close-on-exec.
  int flags = fcntl(events, F_GETFL);
  if (flags < 0 || fcntl(events, F_SETFL, flags | O_NONBLOCK) < 0) {
    code = errno;
    close(events);
    errno = code;
    return -1;
  }
  return events;
}

int chost_iio_event_take(int descriptor) {
  // As many as the kernel keeps.
  struct iio_event_data events[16];
  int taken = 0;
  for (;;) {
    ssize_t bytes = read(descriptor, events, sizeof events);
    if (bytes > 0) {
      taken += (int)(bytes / (ssize_t)sizeof events[0]);
      // A storm does not end: what comes meanwhile makes it readable again.
      if (taken >= 64) return taken;
    } else if (bytes == 0 || errno == EAGAIN) {
      return taken;
    } else if (errno != EINTR) {
      return taken > 0 ? taken : -1;
    }
  }
}

int chost_open_pty(char *slave_path, unsigned long capacity) {
  int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (master < 0) return -1;
  struct termios mode;
  int code = 0;
  if (grantpt(master) != 0 || unlockpt(master) != 0 || tcgetattr(master, &mode) != 0) code = errno;
  if (code == 0) {
    cfmakeraw(&mode);
    if (tcsetattr(master, TCSANOW, &mode) != 0) code = errno;
  }
  if (code == 0) code = ptsname_r(master, slave_path, capacity);
  if (code == 0 && chmod(slave_path, 0666) != 0) code = errno;
  if (code == 0) return master;
  close(master);
  errno = code;
  return -1;
}
