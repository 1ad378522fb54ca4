import CHost
import Glibc

/// What the process' surroundings may have set too tight.
public enum ProcessLimits {
  /// With fewer some parts fail at times: the queue has 5, each server up to 4, the loop a dozen.
  public static let enoughDescriptors = 64

  /// First thing in `main`: a file that is opened later must not become standard input, output or error, or what is
  /// meant for the journal would be written into it.
  public static func fillStandardDescriptors() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
      // The kernel gives the lowest free number.
      _ = open("/dev/null", O_RDWR)
    }
  }

  /// At the end of the process, standard output that could not be written becomes a message and the exit code 74.
  public static func watchStandardOutput() { chost_watch_output() }

  public static func writeToStandardOutput(_ text: String) {
    let code = writeAll(text.utf8, to: STDOUT_FILENO)
    if code != 0 { chost_output_failed(code) }
  }

  public static var hasOutputFailed: Bool { chost_has_output_failed() }

  /// A file at RLIMIT_FSIZE becomes an error code (EFBIG), which is handled as a full disk is, instead of a signal.
  public static func ignoreFileSizeSignal() { signal(SIGXFSZ, SIG_IGN) }

  /// A reader that goes away becomes an error code (EPIPE).
  public static func ignorePipeSignal() { signal(SIGPIPE, SIG_IGN) }

  /// As many descriptors as are allowed. - Returns: how many that are.
  public static func raiseDescriptorLimit() -> Int {
    var limit = rlimit()
    guard getrlimit(descriptors, &limit) == 0 else { return .max }
    if limit.rlim_cur < limit.rlim_max {
      // More than this nobody needs, and some libraries close them all one by one.
      let wanted = rlimit(rlim_cur: min(limit.rlim_max, max(limit.rlim_cur, 1024)), rlim_max: limit.rlim_max)
      withUnsafePointer(to: wanted) { _ = setrlimit(descriptors, $0) }
      getrlimit(descriptors, &limit)
    }
    return Int(clamping: limit.rlim_cur)
  }

  private static let descriptors = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
}
