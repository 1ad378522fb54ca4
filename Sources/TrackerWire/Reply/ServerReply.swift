import TrackerBase

/// What a server answered, as far as the device understands it.
public struct ServerReply: Equatable, Sendable {
  public enum Stored: Equatable, Sendable {
    /// The uuids that the server says it has stored.
    case uuids([String])
    /// The sequences that it says so of, as `Godwit-Batch` names them: `41-45`.
    case sequences(ClosedRange<Int64>)
    /// `status`, as `Godwit-Batch` names a request without records.
    case status
    /// It is there and cannot be read, or the reply was cut: nothing is stored for certain.
    case unreadable
  }

  /// nil when it does not say.
  public var ack: Stored?
  /// By uuid in lower case: what the server will never store, and why.
  public var refused: [String: String] = [:]
  /// Those of `refused` whose `code` is `identity_conflict`: it has another record under their identity.
  public var conflicts: Set<String> = []
  /// What it says of a refusal to a person (`error`), without numbers that could be a place; empty without one.
  public var words = ""
  public var commands = CommandOffers()

  /// Settings for the device; nil: none.
  public var config: ConfigOffer?

  /// Of a record in `refused`: another one is stored under its identity.
  public static let conflictCode = "identity_conflict"
  /// The statuses that are about records.
  public static let refusals = [400, 409, 422]

  public init(ack: Stored? = nil, refused: [String: String] = [:]) {
    self.ack = ack
    self.refused = refused
  }

  /// nil when `body` is no JSON object: not our server, perhaps the page of a captive portal. One that begins as an object
  /// and is none, because it was cut or garbled on the way, acknowledges nothing: nobody knows what it would have said.
  ///
  /// `ack` is an array of uuids, or the text of `Godwit-Batch`; anything else is unreadable. `refused` is an array
  /// of objects with `uuid`, `reason` and perhaps `code`.
  ///
  /// - Parameter secrets: what the server's words may not repeat.
  public static func parse(body: [UInt8], secrets: [String] = []) -> ServerReply? {
    let body = ReplyText.bare(body)
    guard let value = JSONReader.parse(body) else {
      return body.first == UInt8(ascii: "{") ? ServerReply(ack: .unreadable) : nil
    }
    guard case .object = value else { return nil }
    var reply = acknowledgement(in: value, secrets: secrets)
    reply.config =
      value.doubled.contains("config")
      ? .malformed("stands twice in the reply", version: nil)
      : ConfigDocument.offer(in: value["config"], secrets: secrets)
    // `error` is ours; the others are those of RFC 9457 and of many servers.
    let words = ["error", "detail", "message", "title"].lazy.compactMap { value[$0]?.string }.first
    reply.words = ServerWords.clean(words ?? "", secrets: secrets)
    reply.commands = CommandsDocument.offers(value["commands"])
    return reply
  }

  /// The beginning of a reply that was too long to be read: what it acknowledges by name, if that stands whole in it
  /// before what it was too long for. Of settings and commands, which may be cut short, nothing counts.
  public static func parse(beginning: [UInt8]) -> ServerReply? {
    guard let ack = JSONReader.value(of: "ack", beginning: ReplyText.bare(beginning)) else { return nil }
    return acknowledgement(in: .object([JSONMember(key: "ack", value: ack)]), secrets: [])
  }

  /// What a reply that is no acknowledgement says to a person, in JSON or as the title of a page, without numbers that
  /// could be a place; empty without such words.
  public static func words(in body: [UInt8], secrets: [String] = []) -> String {
    parse(body: body, secrets: secrets)?.words ?? ServerWords.clean(WebPage.title(of: body), secrets: secrets)
  }

  /// nginx answers a client without a certificate, or with one that it does not take, with 400 and these words.
  public static func isAboutCertificate(status: Int, words: String) -> Bool {
    status == 400 && words.contains("SSL certificate")
  }

  private static func acknowledgement(in value: JSONValue, secrets: [String]) -> ServerReply {
    var reply = ServerReply(refused: refused(value["refused"], secrets: secrets))
    let conflicting = (value["refused"]?.array ?? []).filter { $0["code"]?.string == conflictCode }
    reply.conflicts = Set(conflicting.compactMap { $0["uuid"]?.string?.lowercased() })
    reply.ack = value["ack"].map(stored)
    return reply
  }

  private static func stored(_ ack: JSONValue) -> Stored {
    if let values = ack.array {
      let uuids = values.compactMap(\.string)
      return uuids.count == values.count ? .uuids(uuids) : .unreadable
    }
    guard let text = ack.string else { return .unreadable }
    return text == statusBatch ? .status : sequences(text).map { .sequences($0) } ?? .unreadable
  }

  /// What `Godwit-Batch` says of a request without records.
  public static let statusBatch = "status"

  private static func refused(_ value: JSONValue?, secrets: [String]) -> [String: String] {
    var refused: [String: String] = [:]
    for entry in value?.array ?? [] {
      guard let uuid = entry["uuid"]?.string else { continue }
      refused[uuid.lowercased()] = ServerWords.clean(entry["reason"]?.string ?? "", secrets: secrets)
    }
    return refused
  }

  private static func sequences(_ text: String) -> ClosedRange<Int64>? {
    let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
    guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last else { return nil }
    return first...last
  }

  /// Those of `sent` that the reply names as stored; nil when it names no records at all. One that names only what it
  /// refuses has stored none that it names. Only our own leave, whatever it names. Upper case is as good as lower
  /// (RFC 9562, section 4). Of a status alone, where there are none to name: nil unless its `ack` says just that.
  public func echoed(of sent: [Int64], queueID: UInt64) -> [Int64]? {
    guard !sent.isEmpty else { return ack == .uuids([]) || ack == .status ? [] : nil }
    switch ack {
    case nil: return refused.isEmpty ? nil : []
    case .status, .unreadable: return []
    case .sequences(let range): return sent.filter(range.contains)
    case .uuids(let uuids):
      let named = Set(uuids.map { $0.lowercased() })
      return sent.filter { named.contains(UUIDv8.text(queueID: queueID, sequence: $0)) }
    }
  }

  /// Those of `sent` that a reply of that status refuses since it has another record under their identity.
  public func conflicts(of sent: [Int64], queueID: UInt64, status: Int) -> Set<Int64> {
    let refused = refused(of: sent, queueID: queueID, status: status)
    return Set(
      refused.keys.filter { conflicts.contains(UUIDv8.text(queueID: queueID, sequence: $0)) })
  }

  /// Those of `sent` that a reply of that status refuses by name: a 2xx, or a refusal of records.
  public func refused(of sent: [Int64], queueID: UInt64, status: Int) -> [Int64: String] {
    if refused.isEmpty { return [:] }
    guard ServerReply.refusals.contains(status) || (200..<300).contains(status) else { return [:] }
    var found: [Int64: String] = [:]
    for sequence in sent { found[sequence] = refused[UUIDv8.text(queueID: queueID, sequence: sequence)] }
    return found
  }

  /// It refuses records by name, and none of `sent`.
  public func refusesOthers(than sent: [Int64], queueID: UInt64) -> Bool {
    !sent.isEmpty && !refused.isEmpty
      && !sent.contains { refused[UUIDv8.text(queueID: queueID, sequence: $0)] != nil }
  }
}

/// What a server says to a person about a record. It goes into the quarantine and the journal, which hold no places: so
/// numbers that could be part of one are left out.
enum ServerWords {
  static let longest = 200

  /// Printable, short, and with `…` for each number that has a fraction or more than three digits. Nothing of a text
  /// that repeats a secret.
  static func clean(_ text: String, secrets: [String] = []) -> String {
    if secrets.contains(where: { !$0.isEmpty && text.contains($0) }) { return "" }
    var cleaned = ""
    var number = ""
    func shown(_ number: String) -> String {
      let isShort = number.count <= 3 && number.allSatisfy(\.isNumber)
      return number.isEmpty || isShort || !number.contains(where: \.isNumber) ? number : "…"
    }
    for character in text.prefix(longest) {
      if character.isNumber || character == "." || character == "," {
        number.append(character)
        continue
      }
      cleaned += shown(number)
      number = ""
      cleaned.append(character.unicodeScalars.contains(where: PlainText.isHidden) ? " " : character)
    }
    return cleaned + shown(number)
  }
}
