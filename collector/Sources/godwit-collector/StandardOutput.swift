@preconcurrency import Glibc

/// To be called first: at the end of the process, standard output that could not be written (a full disk) is reported,
/// and a status of 0 becomes 74 (EX_IOERR): a token that nobody has seen was not handed out.
func watchStandardOutput() {
  _ = on_exit(
    { status, _ in
      errno = 0
      if fflush(stdout) == 0, ferror(stdout) == 0 { return }
      let code = errno == 0 ? EIO : errno
      // A reader that has gone has what it wanted.
      if code == EPIPE { return }
      let words =
        "godwit-collector: standard output: \(String(cString: strerror(code))); what was written is not whole\n"
      _ = words.withCString { write(STDERR_FILENO, $0, strlen($0)) }
      if status == 0 { _exit(74) }
    }, nil)
}
