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
