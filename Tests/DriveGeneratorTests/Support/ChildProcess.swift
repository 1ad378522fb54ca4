import Glibc
import Testing

/// A program under test; killed with the object if it still runs.
final class ChildProcess {
  let pid: pid_t
  private var exitCode: Int32?

  /// Starts `arguments[0]` (a path) with its output and errors in the file `output`.
  init(_ arguments: [String], output: String) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    let pointers = arguments.map { strdup($0) } + [nil]
    defer { pointers.forEach { free($0) } }
    var child: pid_t = 0
    let code = posix_spawn(&child, arguments[0], &actions, nil, pointers, environ)
    try #require(code == 0, "\(arguments[0]): \(String(cString: strerror(code)))")
    pid = child
  }

  deinit {
    if exitCode == nil {
      kill(pid, SIGKILL)
      _ = waitForExit()
    }
  }

  func terminate() { kill(pid, SIGTERM) }

  /// Waits for the end and returns the exit status, or -signal.
  @discardableResult
  func waitForExit() -> Int32 {
    if let exitCode { return exitCode }
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
    let code = status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
    exitCode = code
    return code
  }

  /// The drive-feeder that was built with these tests: it lies beside the test's own program.
  static func driveFeeder() throws -> String {
    if let path = getenv("DRIVE_FEEDER") { return String(cString: path) }
    var buffer = [CChar](repeating: 0, count: 4_096)
    try #require(readlink("/proc/self/exe", &buffer, buffer.count - 1) > 0)
    let own = buffer.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    let folder = own[..<(try #require(own.lastIndex(of: "/")))]
    return "\(folder)/drive-feeder"
  }
}

/// Looks at `condition` until it holds; fails the test after `deadline_s`.
func waitFor(_ what: String, deadline_s: Int = 300, _ condition: () throws -> Bool) throws {
  for _ in 0..<deadline_s * 100 {
    if try condition() { return }
    usleep(10_000)
  }
  try #require(Bool(false), "waited \(deadline_s) s in vain for \(what)")
}
