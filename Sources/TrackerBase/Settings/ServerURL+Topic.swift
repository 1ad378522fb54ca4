/// The path of an MQTT URL: the topic that records are published to.
extension ServerURL {
  /// The device's name stands in it as one level (`DeviceName.topicLevel`).
  ///
  /// - Returns: nil when it would be longer than MQTT allows.
  public func topic(for device: String) -> String? {
    let topic = topicPieces.joined(separator: DeviceName.topicLevel(device))
    return topic.utf8.count <= Self.longest ? topic : nil
  }

  /// Behind a topic: where the consumer confirms what came on it.
  public static let answers = "/ack"

  /// Behind a topic: where commands come. As long as `answers`.
  public static let commands = "/cmd"

  /// MQTT 5, 1.5.4: a string's length has two bytes.
  static let longest = 65_535

  /// MQTT 5, 4.7: no wildcards and no NUL. Other control characters are legal, and never meant.
  public static func isTopic(_ text: String) -> Bool {
    !text.unicodeScalars.contains { $0 == "+" || $0 == "#" || SettingText.isControl($0) }
  }

  static func topicPieces(_ path: Substring) throws(ParseError) -> [String] {
    guard path.first == "/", path.dropFirst() != "" else {
      throw ParseError(reason: "has no topic: name it behind the host, such as /fleet/{device}/records")
    }
    if path.contains("?") { throw ParseError(reason: "may not hold a ? in the topic: write %3F") }
    var pieces: [String] = []
    for (index, part) in path.dropFirst().split(separator: "{", omittingEmptySubsequences: false).enumerated()
    {
      let rest = index == 0 ? part : part.hasPrefix("device}") ? part.dropFirst("device}".count) : "}"
      if rest.contains("}") {
        throw ParseError(reason: "may hold {device} in the topic, and no other braces")
      }
      guard let piece = percentDecoded(rest) else {
        throw ParseError(reason: "has a % in the topic that does not stand for a character of UTF-8")
      }
      pieces.append(piece)
    }
    guard pieces.allSatisfy(isTopic) else {
      throw ParseError(
        reason: "may not hold +, # or a control character in the topic: records go to one topic")
    }
    // MQTT 5, 4.8.2.
    if pieces[0].hasPrefix("$share/") {
      throw ParseError(
        reason: "may not begin its topic with $share/, which is for subscribers: leave it away")
    }
    let names = (pieces.count - 1) * DeviceName.longestLevel_bytes
    guard pieces.reduce(names + answers.utf8.count, { $0 + $1.utf8.count }) <= longest else {
      throw ParseError(
        reason:
          "has a topic that may be longer than MQTT's \(longest) bytes, with the longest device_id and \(answers) behind it: shorten it"
      )
    }
    return pieces
  }

  /// RFC 3986, 2.1. nil where a `%` is not followed by two hexadecimal digits, or the bytes are no UTF-8.
  static func percentDecoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
        return nil
      }
      bytes.append(high << 4 | low)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) }
  }
}
