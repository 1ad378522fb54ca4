import CPost
import Foundation

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

/// POSTs JSON, by libcurl. Any 2xx counts, and redirects are not followed: they would take the body elsewhere.
struct HTTPOutlet: Outlet {
  static let longest_s = 15

  /// So many wait for their answers as ``Deliverer`` lets them.
  private static let queue = DispatchQueue(label: "webhooks", qos: .utility, attributes: .concurrent)
  private static let isReady: Void = cpost_begin()

  func tell(_ delivery: Delivery, at now_ms: Int64) async throws {
    let headers = [
      "Content-Type: application/json", "User-Agent: godwit-collector",
      "Godwit-Event-Id: \(Self.plain(delivery.eventID))",
      "Godwit-Signature: \(Signature.header(delivery.body, secret: delivery.secret, at: now_ms))",
    ]
    let (status, problem) = await withCheckedContinuation { continuation in
      Self.queue.async {
        continuation.resume(returning: Self.post(delivery.body, to: delivery.target, headers))
      }
    }
    guard status > 0 else { throw OutletError.failed("no answer: \(problem)") }
    guard (200..<300).contains(status) else { throw OutletError.status(status) }
  }

  /// - Returns: the status; 0: there was no answer, with libcurl's words.
  private static func post(_ body: String, to url: String, _ headers: [String]) -> (Int, String) {
    _ = isReady
    var problem = [CChar](repeating: 0, count: 256)
    let copies = headers.map { strdup($0) }
    defer { copies.forEach { free($0) } }
    let status = copies.map { UnsafePointer($0) }.withUnsafeBufferPointer {
      cpost(url, $0.baseAddress, headers.count, body, body.utf8.count, longest_s, &problem)
    }
    return (status, String(decoding: problem.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
  }

  /// A device's name may be part of it, and a header is ASCII.
  private static func plain(_ id: String) -> String {
    id.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? ""
  }
}
