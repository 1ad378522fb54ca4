import CHost
import Glibc
import TrackerBase

/// A program that runs beside the loop: no shell, a clean environment, nothing to read and nowhere to write to.
///
/// `descriptors` become ready when it has ended or its time is up; `poll` then says how it ended. It and what it
/// has started are killed when its time is up, and with this object.
public final class ChildProcess {
  public enum End: Equatable, Sendable {
    case exited(status: Int32)
    case killed(signal: Int32)
    case tookTooLong

    /// What is wrong with this end, without a word of the program's arguments and output: either may hold a secret.
    public func problem(of program: String, timeout_s: Double) -> String? {
      switch self {
      case .exited(status: 0): nil
      case .exited(let status): "\(program) ended with exit status \(status)"
      case .killed(let signal): "\(program) was ended by signal \(signal)"
      case .tookTooLong: "\(program) took longer than \(Int(timeout_s)) s and was killed"
      }
    }
  }

  /// All that the program finds in its environment.
  static let environment = ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C"]

  /// Longer than a process lives that was killed on a busy board.
  private static let killed_ms = 500

  private let process: pid_t
  private let exit: Int32
  private let timer: BootTimer
  private let deadline_ms: Int64
  private var isReaped = false

  /// - Parameter command: the program's path, then its arguments.
  public init(_ command: [String], timeout_s: Double) throws(HostError) {
    timer = try BootTimer()
    deadline_ms = HostClock.now().boot_ms + milliseconds(timeout_s)
    try timer.arm(at: deadline_ms)
    var process: pid_t = 0
    var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    var environment: [UnsafeMutablePointer<CChar>?] = ChildProcess.environment.map { strdup($0) } + [nil]
    defer { (arguments + environment).forEach { free($0) } }
    let code = chost_spawn(&process, &arguments, &environment)
    guard code == 0 else { throw .callFailed("posix_spawn", code: code) }
    let exit = chost_pidfd(process)
    // Before the last property is set: `deinit` would kill whoever has its number by then.
    guard exit >= 0 else {
      let code = errno
      kill(-process, SIGKILL)
      waitpid(process, nil, 0)
      throw .callFailed("pidfd_open", code: code)
    }
    self.process = process
    self.exit = exit
  }

  deinit {
    if !isReaped { end() }
    close(exit)
  }

  public var descriptors: [PollDescriptor] {
    [PollDescriptor(descriptor: exit), PollDescriptor(descriptor: timer.descriptor)]
  }

  /// nil while it runs. Never waits for longer than `killed_ms`.
  public func poll() -> End? {
    var status: Int32 = 0
    guard !isReaped else { return nil }
    if waitpid(process, &status, WNOHANG) == process {
      isReaped = true
      let signal = status & 0x7F
      return signal == 0 ? .exited(status: (status >> 8) & 0xFF) : .killed(signal: signal)
    }
    guard HostClock.now().boot_ms >= deadline_ms else { return nil }
    end()
    return .tookTooLong
  }

  /// The kernel ends it within a moment, except while it hangs in the kernel, on a dead disk or a network file system.
  /// Then nobody waits: it is left to init when the agent ends.
  private func end() {
    kill(-process, SIGKILL)
    if waitpid(process, nil, WNOHANG) == 0 {
      _ = Poller.wait([PollDescriptor(descriptor: exit)], timeout_ms: ChildProcess.killed_ms)
      waitpid(process, nil, WNOHANG)
    }
    isReaped = true
  }
}
