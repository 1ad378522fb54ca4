import CInflate
import Hummingbird

/// How the body of an upload is coded (RFC 9110, 8.4): not at all, or as gzip.
enum ContentEncoding {
  /// What every answer to an upload announces (RFC 7694).
  static let accepted = "gzip"

  case identity, gzip

  init(_ request: Request) throws(Refusal) {
    switch request.headers[.contentEncoding]?.lowercased() {
    case nil, "identity": self = .identity
    case "gzip", "x-gzip": self = .gzip
    default: throw Refusal(.unsupportedMediaType, "this collector reads bodies that are plain or gzip")
    }
  }

  /// - Parameter limit: bytes of the decoded body, at most.
  func decoded(_ body: [UInt8], limit: Int, tooLarge: Refusal) throws(Refusal) -> [UInt8] {
    guard self == .gzip else { return body }
    var result = COLLECTOR_GUNZIP_FINE
    let decoded = [UInt8](unsafeUninitializedCapacity: limit) { buffer, length in
      result = collector_gunzip(body, body.count, buffer.baseAddress, limit, &length)
    }
    switch result {
    case COLLECTOR_GUNZIP_FINE: return decoded
    case COLLECTOR_GUNZIP_TOO_LARGE: throw tooLarge
    default: throw Refusal.badBody("the body is not the gzip that Content-Encoding says it is")
    }
  }
}

extension ContentEncoding {
  /// As gzip; nil where that saves less than a tenth.
  static func packed(_ bytes: [UInt8]) -> [UInt8]? {
    let capacity = bytes.count / 10 * 9
    let packed = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, length in
      length = buffer.baseAddress.map { collector_gzip(bytes, bytes.count, $0, capacity) } ?? 0
    }
    return packed.isEmpty ? nil : packed
  }

  /// Whether a client takes gzip (RFC 9110, 12.5.3): it names it, and not with a weight of 0.
  static func isGzipAccepted(_ request: Request) -> Bool {
    (request.headers[.acceptEncoding] ?? "").lowercased().split(separator: ",").contains { choice in
      let parts = choice.split(separator: ";").map { $0.filter { $0 != " " } }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
      return parts.first == "gzip" && weight > 0
    }
  }
}

/// Reports devices, with every answer to an upload, that they may compress.
struct AcceptEncodingMiddleware<Context: RequestContext>: RouterMiddleware {
  let path: RequestPath

  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    var response = try await next(request, context)
    if RequestPath(request.uri.path) == path { response.headers[.acceptEncoding] = ContentEncoding.accepted }
    return response
  }
}
