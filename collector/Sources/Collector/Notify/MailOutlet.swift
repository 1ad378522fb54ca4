import Foundation
import Glibc

/// Hands a mail to a sendmail command, which reads the receiver from the head (`-t`).
struct MailOutlet: Outlet {
  let sendmail: String
  /// One that takes longer is killed, with all that it has started.
  var longest_s = 30

  func tell(_ delivery: Delivery, at now_ms: Int64) async throws {
    let message = Self.message(delivery)
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      // It waits, which no thread that serves requests may.
      Thread.detachNewThread { continuation.resume(with: Result { try run(message) }) }
    }
  }

  /// No line of the head holds anything that a device has sent.
  static func message(_ delivery: Delivery) -> String {
    let event = JSONValue(text: delivery.body)
    let kind = event?["event"]?.string.flatMap(FleetEvent.Kind.init)?.rawValue ?? "event"
    let words = (event?.members ?? [:]).sorted { $0.key < $1.key }
      .map { "\($0.key): \($0.value.string ?? $0.value.text)" }
    return """
      To: \(delivery.target.dropFirst("mailto:".count))
      Subject: Godwit: \(kind)
      MIME-Version: 1.0
      Content-Type: text/plain; charset=utf-8
      Content-Transfer-Encoding: 8bit
      Auto-Submitted: auto-generated

      \(words.joined(separator: "\n"))

      """
  }

  private func run(_ message: String) throws {
    let end = DispatchTime.now() + .seconds(longest_s)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: sendmail)
    process.arguments = ["-t", "-oi"]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    let input = Pipe()
    process.standardInput = input
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    do {
      try process.run()
    } catch {
      throw OutletError.failed("cannot run \(sendmail): \(error.localizedDescription)")
    }
    // It may have ended before it has read; how it ended says more than that.
    let isWritten = Self.write(message, to: input.fileHandleForWriting.fileDescriptor, until: end)
    try? input.fileHandleForWriting.close()
    guard ended.wait(timeout: end) == .success else {
      // Foundation makes it the leader of a group of its own.
      kill(-process.processIdentifier, SIGKILL)
      throw OutletError.failed("\(sendmail) has not ended within \(longest_s) s, and was killed")
    }
    guard process.terminationStatus == 0 else {
      throw OutletError.failed("\(sendmail) ended with \(process.terminationStatus)")
    }
    guard isWritten else { throw OutletError.failed("\(sendmail) has not read the whole mail") }
  }

  /// - Returns: whether all of it was taken in time.
  private static func write(_ text: String, to descriptor: Int32, until end: DispatchTime) -> Bool {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let now = DispatchTime.now()
      guard now < end else { return false }
      var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      _ = poll(&room, 1, Int32((end.uptimeNanoseconds - now.uptimeNanoseconds) / 1_000_000) + 1)
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 { rest = rest.dropFirst(count) }
      if count < 0, errno != EAGAIN, errno != EINTR { return false }
    }
    return true
  }
}
