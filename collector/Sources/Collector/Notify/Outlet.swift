import AsyncHTTPClient
import Foundation
import NIOCore

/// Tells somebody of one event, once. Throws an ``OutletError``.
protocol Outlet: Sendable {
  func tell(_ delivery: Delivery, at now_ms: Int64) async throws
}

/// Why somebody could not be told; never with the body or the secret.
enum OutletError: Error, Equatable, CustomStringConvertible {
  case status(Int)
  case failed(String)

  var description: String {
    switch self {
    case .status(let status): "the answer was \(status)"
    case .failed(let words): words
    }
  }
}

/// POSTs JSON. Any 2xx counts, and redirects are not followed: they would take the body elsewhere.
struct HTTPOutlet: Outlet {
  static let longest = TimeAmount.seconds(15)

  func tell(_ delivery: Delivery, at now_ms: Int64) async throws {
    var request = HTTPClientRequest(url: delivery.target)
    request.method = .POST
    request.headers.add(name: "Content-Type", value: "application/json")
    request.headers.add(name: "User-Agent", value: "godwit-collector")
    request.headers.add(name: "Godwit-Event-Id", value: Self.plain(delivery.eventID))
    request.headers.add(
      name: "Godwit-Signature", value: Signature.header(delivery.body, secret: delivery.secret, at: now_ms))
    request.body = .bytes(ByteBuffer(string: delivery.body))
    let status: Int
    do {
      let answer = try await Self.client.execute(request, timeout: Self.longest)
      status = Int(answer.status.code)
    } catch {
      throw OutletError.failed("no answer: \(String(describing: error).prefix(200))")
    }
    guard (200..<300).contains(status) else { throw OutletError.status(status) }
  }

  /// A device's name may be part of it, and a header is ASCII.
  private static func plain(_ id: String) -> String {
    id.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? ""
  }

  private static let client = HTTPClient(
    eventLoopGroupProvider: .singleton, configuration: .init(redirectConfiguration: .disallow))
}

/// Hands a mail to a sendmail command, which reads the receiver from the head (`-t`).
struct MailOutlet: Outlet {
  let sendmail: String

  private static let queue = DispatchQueue(label: "sendmail", qos: .utility)

  func tell(_ delivery: Delivery, at now_ms: Int64) async throws {
    let message = Self.message(delivery)
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      Self.queue.async { continuation.resume(with: Result { try run(message) }) }
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
    let process = Process()
    process.executableURL = URL(fileURLWithPath: sendmail)
    process.arguments = ["-t", "-oi"]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    let input = Pipe()
    process.standardInput = input
    do {
      try process.run()
    } catch {
      throw OutletError.failed("cannot run \(sendmail): \(error.localizedDescription)")
    }
    // It may have ended before it has read; how it ended says more than that.
    let isWritten = (try? input.fileHandleForWriting.write(contentsOf: Data(message.utf8))) != nil
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw OutletError.failed("\(sendmail) ended with \(process.terminationStatus)")
    }
    guard isWritten else { throw OutletError.failed("\(sendmail) has not read the whole mail") }
  }
}
