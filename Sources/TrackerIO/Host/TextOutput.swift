import Glibc
import TrackerBase

/// Standard output or error as the agent writes to it: without ever waiting for whoever reads.
///
/// The journal's socket and a pipe fill up when nobody reads them, and a stopped terminal takes nothing: a plain
/// write(2) would then hold up the loop, and with it the GPS power, the watchdog and SIGTERM. What is not taken waits in
/// a ring; the loop writes it when `descriptor` is ready for it (docs/decisions.md).
public final class TextOutput {
  /// How bytes reach the reader without waiting. `O_NONBLOCK` on the descriptor itself would change it for every process
  /// that shares it, such as the shell of a terminal.
  private enum Way {
    /// A socket: send(2) with MSG_DONTWAIT.
    case send
    /// A file, or a device that never makes anybody wait.
    case write
    /// A pipe or a terminal, opened once more for ourselves alone, with `O_NONBLOCK`.
    case own(Int32)
    /// One that may not be opened again (another user's): as much as it has room for when poll(2) says that it has some.
    case whenReady
  }

  /// Of the process. One thread writes: that of the loop, or of the command.
  nonisolated(unsafe) public static let standardError = TextOutput(STDERR_FILENO)
  nonisolated(unsafe) public static let standardOutput = TextOutput(STDOUT_FILENO)

  /// A pipe that is ready takes at least as much (PIPE_BUF is 4096), and so does a terminal.
  private static let mostWhenReady_bytes = 256

  private let descriptor: Int32
  /// What to wait for while `isWaiting`.
  public var poll: PollDescriptor {
    PollDescriptor(descriptor: descriptor, wantsRead: false, wantsWrite: true)
  }
  public let isTerminal: Bool
  private let way: Way
  private var ring = LineRing()
  /// What `Log` has written here.
  public internal(set) var recent = RecentLines()

  public convenience init(_ descriptor: Int32) { self.init(descriptor, opensAgain: true) }

  init(_ descriptor: Int32, opensAgain: Bool) {
    isTerminal = isatty(descriptor) == 1
    way = TextOutput.way(descriptor, isTerminal: isTerminal, opensAgain: opensAgain)
    if case .own(let own) = way { self.descriptor = own } else { self.descriptor = descriptor }
  }

  deinit { if case .own(let own) = way { close(own) } }

  /// Something is yet to be written.
  public var isWaiting: Bool { !ring.isEmpty && !isBroken }
  /// Since it was made.
  public var lostLines: Int { ring.lost }
  /// The last write failed for good: the next line tries again, but nothing is waited for.
  private var isBroken = false

  /// Whole lines, each with its line end.
  public func write(_ text: some Sequence<UInt8>) {
    for line in Array(text).split(separator: UInt8(ascii: "\n")) { ring.append(line + [UInt8(ascii: "\n")]) }
    flush()
  }

  /// Writes what is taken at this moment.
  public func flush() {
    isBroken = false
    while let piece = ring.next(notice: notice) {
      let (count, code) = put(piece)
      if count > 0 {
        ring.wrote(count)
      } else if count == 0 || code == EAGAIN {
        return
      } else {
        // Nobody will ever read it (EPIPE), or the disk is full.
        ring.loseAll()
        isBroken = true
        return
      }
    }
  }

  /// Before the process ends: waits so long for the reader at most.
  public func finish(within_ms: Int) {
    flush()
    let end_ms = HostClock.now().boot_ms + Int64(within_ms)
    while isWaiting {
      let left_ms = Int(end_ms - HostClock.now().boot_ms)
      guard left_ms > 0 else { return }
      if Poller.wait([poll], timeout_ms: left_ms).isEmpty { return }
      flush()
    }
  }

  // MARK: Parts

  private func notice(_ count: Int) -> [UInt8] {
    let prefix = isTerminal ? "warning: " : "<4>"
    return Array(
      "\(prefix)\(counted(count, "line of the log was", "lines of the log were")) lost: nobody read them\n"
        .utf8)
  }

  private func put(_ piece: ArraySlice<UInt8>) -> (Int, Int32) {
    switch way {
    case .send:
      return uninterrupted {
        piece.withUnsafeBytes {
          Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        }
      }
    case .write, .own: return plain(piece)
    case .whenReady:
      if Poller.wait([poll], timeout_ms: 0).isEmpty { return (-1, EAGAIN) }
      return plain(piece.prefix(TextOutput.mostWhenReady_bytes))
    }
  }

  private func plain(_ piece: ArraySlice<UInt8>) -> (Int, Int32) {
    uninterrupted { piece.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) } }
  }

  private static func way(_ descriptor: Int32, isTerminal: Bool, opensAgain: Bool) -> Way {
    var info = stat()
    guard fstat(descriptor, &info) == 0 else { return .write }
    let kind = info.st_mode & S_IFMT
    if kind == S_IFSOCK { return .send }
    guard kind == S_IFIFO || isTerminal else { return .write }
    let flags = O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    let own = !opensAgain ? -1 : open("/proc/self/fd/\(descriptor)", flags)
    return own >= 0 ? .own(own) : .whenReady
  }
}
