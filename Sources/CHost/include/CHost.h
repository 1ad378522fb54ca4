#ifndef CHOST_H
#define CHOST_H

#include <stdbool.h>
#include <stdint.h>

// What Swift's Glibc module does not show: timerfd, signalfd, adjtimex, pipe2, O_DIRECT,
// pseudo-terminals. Each returns what the
// system call returns, with errno.

// A timer on CLOCK_BOOTTIME, disarmed.
int chost_boot_timer(void);
// Fires once the boot clock reads at_ms; at_ms <= 0 disarms.
int chost_boot_timer_arm(int descriptor, int64_t at_ms);

// A timer on CLOCK_REALTIME, disarmed.
int chost_clock_watch(void);
// Never fires, but its read gives ECANCELED once somebody has set the clock.
int chost_clock_watch_arm(int descriptor);

// Blocks SIGTERM, SIGINT and SIGHUP in this thread and gives a descriptor that delivers them.
int chost_signals(void);
// The next signal, or -1 with errno (EAGAIN: none).
int chost_signals_read(int descriptor);
// Delivers SIGTERM, SIGINT and SIGHUP to this thread again.
void chost_signals_unblock(void);

// Before main, for the agent: SIGHUP, which is to reload it, waits from here on for chost_signals and does not end it.
// Nothing else runs on a stack of less than CHOST_LEAST_STACK_KB: it is raised as far as is allowed, else the process
// ends with 71 and says so.
#define CHOST_LEAST_STACK_KB 512
void chost_hold_reload(int count, char *const words[]);

// To be called first: at the end of the process, standard output that could not be written is reported, and a status
// of 0 becomes 74 (EX_IOERR). The second is for what is written without stdio.
void chost_watch_output(void);
void chost_output_failed(int code);
// Whether it was called.
bool chost_has_output_failed(void);

// The kernel's own bound on the error of the wall clock, or -1.
int64_t chost_clock_max_error_us(void);

// A descriptor on which the kernel reports links, addresses and routes that come and go (rtnetlink(7)).
int chost_route_watch(void);
// The next datagram of the kernel, whole messages; -1 with errno (EAGAIN: none, ENOBUFS: some are lost). One that
// does not fit is cut off. What other processes send is passed over.
long chost_route_read(int descriptor, void *bytes, unsigned long capacity);

// The name of the interface with that address (in figures), into `name` of IF_NAMESIZE bytes. 0, or -1 if there is none.
int chost_interface_with(const char *address, char *name);

// The two files take each other's name, both at once. 0, or -1 with errno (EINVAL: this file system cannot).
int chost_exchange(const char *path, const char *other);

// A pipe that no child inherits, not even one that another thread starts at this moment.
int chost_pipe(int ends[2]);

// Starts argv[0] in a process group of its own, with these variables alone, default signals, and /dev/null for
// standard input, output and error. Returns 0 or an errno.
int chost_spawn(int *process, char *const argv[], char *const environment[]);
// A descriptor that becomes readable when the process ends, or -1 with errno. Linux 5.3.
int chost_pidfd(int process);

// The events of an IIO device, by the path of its device file, as a descriptor that never blocks; -1 with errno.
int chost_iio_event_descriptor(const char *path);
// Takes all that wait. Returns how many, 0 if none; -1 with errno (ENODEV: the device is gone).
int chost_iio_event_take(int descriptor);

// A raw pseudo-terminal, as a serial GPS module looks to gpsd. Returns the master and writes the path of the
// slave, which every user may open: gpsd drops its privileges before it opens the device.
int chost_open_pty(char *slave_path, unsigned long capacity);

#endif
