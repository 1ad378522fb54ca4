/// What a server answered, as far as the device understands it.
public struct ServerReply: Equatable, Sendable {
  public enum Stored: Equatable, Sendable {
    /// The uuids that the server says it has stored.
    case uuids([String])
    /// The sequences that it says so of, as `Godwit-Batch` names them: `41-45`.
    case sequences(ClosedRange<Int64>)
  }

  /// nil when it does not say.
  public var ack: Stored?

  public init(ack: Stored? = nil) { self.ack = ack }

  /// nil when `body` is no JSON object: not our server, perhaps the page of a captive portal.
  ///
  /// `ack` is an array of uuids, or the text of `Godwit-Batch`; anything else acknowledges nothing.
  public static func parse(body: [UInt8]) -> ServerReply? {
    guard let value = JSONReader.parse(body), case .object = value else { return nil }
    guard let ack = value["ack"] else { return ServerReply() }
    if let range = ack.string.flatMap(sequences) { return ServerReply(ack: .sequences(range)) }
    let values = ack.array ?? []
    let uuids = values.compactMap(\.string)
    return ServerReply(ack: .uuids(uuids.count == values.count ? uuids : []))
  }

  private static func sequences(_ text: String) -> ClosedRange<Int64>? {
    let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
    guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last else { return nil }
    return first...last
  }

  /// Those of `sent` that the reply names; nil when it names none at all. Only our own leave, whatever it names.
  public func echoed(of sent: [Int64], queueID: UInt64) -> [Int64]? {
    switch ack {
    case nil: return nil
    case .sequences(let range): return sent.filter(range.contains)
    case .uuids(let uuids):
      let named = Set(uuids)
      return sent.filter { named.contains(UUIDv8.text(queueID: queueID, sequence: $0)) }
    }
  }

  /// Whether a body begins as a web page does, behind white space, a byte order mark or comments.
  public static func looksLikePage(_ body: [UInt8]) -> Bool {
    let start = String(decoding: body.prefix(512), as: UTF8.self).lowercased()
      .drop { $0.isWhitespace || $0 == "\u{FEFF}" }
    return ["<!doctype html", "<html", "<head", "<body", "<script", "<meta", "<!--"].contains {
      start.hasPrefix($0)
    }
  }
}
