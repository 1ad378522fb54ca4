// What Swift's Glibc module lacks and the simulated module needs: pseudo-terminals, signalfd(2), ppoll(2).
#ifndef CFEEDER_H
#define CFEEDER_H

#include <poll.h>
#include <stddef.h>
#include <stdint.h>

/// Opens a pty pair whose slave is raw (8 bits, no echo) and has mode 0666; the slave's path goes to `name`.
/// The slave is closed again: as long as nobody has it open, poll(2) reports POLLHUP on the master.
/// Returns the master, non-blocking and close-on-exec, or -1 with errno, and in `call` the call that failed.
int feeder_open_pty(char *name, size_t size, const char **call);

/// Blocks SIGTERM, SIGINT and SIGHUP, ignores SIGPIPE, and returns a descriptor that is readable once one
/// of the three has come; -1 with errno.
int feeder_open_stop_signals(void);

/// poll(2) with a timeout in nanoseconds; below 0 it waits without end.
int feeder_poll(struct pollfd *descriptors, nfds_t count, int64_t timeout_ns);

#endif
