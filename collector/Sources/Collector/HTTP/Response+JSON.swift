import Foundation
import Hummingbird

extension Response {
  /// - Parameter texts: members beside those of the value, an object; each stays as its text has it.
  static func json(
    _ value: some Encodable, adding texts: [String: String] = [:], status: HTTPResponse.Status = .ok
  ) -> Response {
    guard let text = objectText(value, adding: texts) else { return Response(status: .internalServerError) }
    return json(text: text, status: status)
  }

  /// What ``json(_:adding:status:)`` answers, for other ways than HTTP.
  static func objectText(_ value: some Encodable, adding texts: [String: String] = [:]) -> String? {
    encoded(value).map { texts.isEmpty ? String(decoding: $0, as: UTF8.self) : joined(texts, $0) }
  }

  static func json(text: String, status: HTTPResponse.Status = .ok) -> Response {
    Response(
      status: status,
      headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }

  static func jsonText(_ value: some Encodable) -> String {
    encoded(value).map { String(decoding: $0, as: UTF8.self) } ?? "null"
  }

  /// What we encode has no non-finite number and no custom encoding that throws, the only things that can fail.
  private static func encoded(_ value: some Encodable) -> [UInt8]? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(value)).map { Array($0) }
  }

  private static func joined(_ texts: [String: String], _ object: [UInt8]) -> String {
    let own = (JSONSlices.members(object[...]) ?? []).map {
      ($0.key, String(decoding: $0.value, as: UTF8.self))
    }
    return JSONSlices.object(texts.merging(own) { $1 })
  }
}
