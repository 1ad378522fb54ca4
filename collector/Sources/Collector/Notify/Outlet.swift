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
