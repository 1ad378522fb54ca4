import Foundation
import Hummingbird

extension Response {
  static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) -> Response {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // What we encode has no non-finite number and no custom encoding, the only things that can throw.
    guard let data = try? encoder.encode(value) else { return Response(status: .internalServerError) }
    return Response(
      status: status,
      headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: data)))
  }
}
