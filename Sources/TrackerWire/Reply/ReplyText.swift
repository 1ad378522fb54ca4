import TrackerBase

/// What the body of a reply says, beside the records that it names.
enum ReplyText {
  /// Without what others put around it: byte order marks, white space, NULs and comments of HTML and C, as a proxy's
  /// mark or a program's timing.
  static func bare(_ body: [UInt8]) -> [UInt8] {
    var rest = body[...]
    var length = -1
    while length != rest.count {
      length = rest.count
      if rest.starts(with: mark) { rest = rest.dropFirst(mark.count) }
      for (begin, end) in comments {
        if rest.starts(with: begin), let close = first(end, in: rest.dropFirst(begin.count)) {
          rest = rest[(close + end.count)...]
        }
        if rest.suffix(end.count).elementsEqual(end), let open = last(begin, in: rest.dropLast(end.count)) {
          rest = rest[..<open]
        }
      }
      rest = rest.drop(while: isSpace)
      while let byte = rest.last, isSpace(byte) { rest.removeLast() }
    }
    return Array(rest)
  }

  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
  private static let comments = [("<!--", "-->"), ("/*", "*/")].map { (Array($0.0.utf8), Array($0.1.utf8)) }

  private static func isSpace(_ byte: UInt8) -> Bool { [0x00, 0x09, 0x0A, 0x0D, 0x20].contains(byte) }

  private static func first(_ text: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
    bytes.indices.first { bytes[$0...].starts(with: text) }
  }

  private static func last(_ text: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
    bytes.indices.last { bytes[$0...].starts(with: text) }
  }

  static func contains(_ text: String, in body: [UInt8]) -> Bool {
    first(Array(text.utf8), in: body[...]) != nil
  }
}

extension ServerReply {
  /// What a 2xx without an `ack` is worth; docs/sync.md has the rule.
  ///
  /// - Parameter accept: `sync.accept`.
  public static func answer(
    _ body: [UInt8], to format: SyncSettings.Format, accept: String
  ) -> UploadReply.Answer {
    if !accept.isEmpty { return ReplyText.contains(accept, in: body) ? .accepted : .notAccepted }
    let body = ReplyText.bare(body)
    let value = JSONReader.parse(body)
    if saysFailed(value, body) { return .failed }
    guard format.traits.answersJSON else { return .other }
    switch value {
    case .array, .object: return .expected
    case nil, .null, .bool, .integer, .number, .outOfRange, .string: return .unexpected
    }
  }

  private static func saysFailed(_ value: JSONValue?, _ body: [UInt8]) -> Bool {
    switch value {
    case .object(let members)?: members.contains(where: saysFailed)
    // An answer to each record, as of some webhooks.
    case .array(let values)?: values.contains { saysFailed($0, []) }
    case .bool(let isSo)?: !isSo
    default: beginsWithError(value?.string, body)
    }
  }

  /// Some programs write their keys with capitals.
  private static func saysFailed(_ member: JSONMember) -> Bool {
    let value = member.value
    return switch member.key.lowercased() {
    case "error", "errors", "exception": isSomething(value)
    case "success", "ok": isNo(value)
    case "result": isFailure(value)
    case "status", "statuscode", "code": isFailedStatus(value)
    default: false
    }
  }

  private static func isFailedStatus(_ value: JSONValue) -> Bool {
    if case .bool(let isSo) = value { return !isSo }
    if let code = value.number ?? value.string.flatMap({ Double($0) }) { return (400..<600).contains(code) }
    return ["error", "fail", "failed", "failure", "rejected", "denied"].contains(value.string?.lowercased())
  }

  /// In a language of markup too.
  private static func beginsWithError(_ text: String?, _ body: [UInt8]) -> Bool {
    let beginning = (text ?? String(decoding: body.prefix(16), as: UTF8.self)).lowercased()
    let words = beginning.drop { $0 == "<" || $0 == "[" || $0 == "\"" || $0.isWhitespace }
    return ["error", "fail", "fatal", "exception"].contains { words.hasPrefix($0) }
  }

  /// `null`, `false`, `0`, `""`, `[]` and `{}` say that there is none.
  private static func isSomething(_ value: JSONValue) -> Bool {
    switch value {
    case .null: false
    case .bool(let isSo): isSo
    case .integer, .number, .outOfRange: value.number != 0
    case .string(let text): !text.isEmpty
    case .array(let values): !values.isEmpty
    case .object(let members): !members.isEmpty
    }
  }

  private static func isNo(_ value: JSONValue) -> Bool {
    switch value {
    case .bool(let isSo): !isSo
    case .integer, .number: value.number == 0
    case .string(let text): ["false", "no", "0"].contains(text.lowercased())
    case .null, .outOfRange, .array, .object: false
    }
  }

  /// Other than ok. Results that are values, such as those of JSON-RPC, are none.
  private static func isFailure(_ result: JSONValue) -> Bool {
    switch result {
    case .string(let text): text.lowercased() != "ok"
    case .bool(let isSo): !isSo
    case .integer, .number, .outOfRange, .null: true
    case .array, .object: false
    }
  }
}
