import Foundation
import Hummingbird

extension Response {
  /// - Parameter texts: members beside those of the value, an object; each stays as its text has it.
  static func json(
    _ value: some Encodable, adding texts: [String: String] = [:], status: HTTPResponse.Status = .ok
  ) -> Response {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // What we encode has no non-finite number and no custom encoding, the only things that can throw.
    guard let data = try? encoder.encode(value) else { return Response(status: .internalServerError) }
    let bytes = texts.isEmpty ? Array(data) : Array(joined(texts, Array(data)).utf8)
    return Response(
      status: status,
      headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }

  private static func joined(_ texts: [String: String], _ object: [UInt8]) -> String {
    let own = (JSONSlices.members(object[...]) ?? []).map {
      ($0.key, String(decoding: $0.value, as: UTF8.self))
    }
    return JSONSlices.object(texts.merging(own) { $1 })
  }
}
