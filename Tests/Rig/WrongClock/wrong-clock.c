// A wall clock that is wrong, and can be set while its process runs: for LD_PRELOAD.
//
// GODWIT_CLOCK names a file of two numbers: how many seconds the clock is ahead of the machine's (may be
// negative), and the error that adjtimex(2) tells, in microseconds (16000000: nobody keeps the clock). When the
// first number changes, timers that wait for the clock to be set (TFD_TIMER_CANCEL_ON_SET) become readable, as the
// kernel's do; their read gives a count instead of ECANCELED.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

enum { longest_descriptor = 256 };

static atomic_long ahead_s, max_error_us = 16000000;
static atomic_bool watches[longest_descriptor];

static void look(void) {
  const char *path = getenv("GODWIT_CLOCK");
  FILE *file = path ? fopen(path, "r") : NULL;
  if (!file) return;
  long ahead, error;
  if (fscanf(file, "%ld %ld", &ahead, &error) == 2) {
    max_error_us = error;
    if (atomic_exchange(&ahead_s, ahead) != ahead)
      for (int i = 0; i < longest_descriptor; i++)
        if (watches[i]) eventfd_write(i, 1);
  }
  fclose(file);
}

static void *follow(void *unused) {
  for (;;) {
    look();
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
  }
  return unused;
}

__attribute__((constructor)) static void begin(void) {
  look();
  // The process's signals are its own.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  pthread_create(&thread, NULL, follow, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int result = (int)syscall(SYS_clock_gettime, clock, now);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += ahead_s;
  return result;
}

time_t time(time_t *out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out) *out = now.tv_sec;
  return now.tv_sec;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone) {
  (void)zone;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  out->tv_sec = now.tv_sec;
  out->tv_usec = now.tv_nsec / 1000;
  return 0;
}

int adjtimex(struct timex *state) {
  int result = (int)syscall(SYS_adjtimex, state);
  state->maxerror = max_error_us;
  return result;
}

int timerfd_create(clockid_t clock, int flags) {
  if (clock != CLOCK_REALTIME) return (int)syscall(SYS_timerfd_create, clock, flags);
  int descriptor = eventfd(0, (flags & TFD_NONBLOCK ? EFD_NONBLOCK : 0) | (flags & TFD_CLOEXEC ? EFD_CLOEXEC : 0));
  if (descriptor >= 0 && descriptor < longest_descriptor) watches[descriptor] = true;
  return descriptor;
}

int timerfd_settime(int descriptor, int flags, const struct itimerspec *new, struct itimerspec *old) {
  if (descriptor >= 0 && descriptor < longest_descriptor && watches[descriptor]) return 0;
  return (int)syscall(SYS_timerfd_settime, descriptor, flags, new, old);
}
