import Foundation

/// The tokens that open the collector. There may be several, so that a fleet can change from one to the next
/// without a gap.
public struct Tokens: Sendable {
  private let tokens: [[UInt8]]

  /// One token a line; empty lines, and those that begin with `#`, do not count. Nil if there is none.
  public init?(text: String) {
    let lines = text.split(whereSeparator: \.isNewline)
    tokens = lines.map { Array($0.trimmingCharacters(in: .whitespaces).utf8) }
      .filter { !$0.isEmpty && $0.first != UInt8(ascii: "#") }
    if tokens.isEmpty { return nil }
  }

  /// Takes as long for a token that is nearly right as for one that is all wrong.
  func contains(_ candidate: String) -> Bool {
    let candidate = Array(candidate.utf8)
    return tokens.reduce(false) { found, token in Self.isEqual(token, candidate) || found }
  }

  private static func isEqual(_ token: [UInt8], _ candidate: [UInt8]) -> Bool {
    var difference = token.count ^ candidate.count
    for (index, byte) in candidate.enumerated() {
      difference |= Int(byte ^ token[index % token.count])
    }
    return difference == 0
  }
}

extension Tokens {
  /// What an `Authorization` header brings.
  static func candidate(in header: String) -> String? {
    let parts = header.split(separator: " ", maxSplits: 1)
    guard parts.count == 2 else { return nil }
    switch parts[0].lowercased() {
    case "bearer": return parts[1].trimmingCharacters(in: .whitespaces)
    case "basic":
      guard let data = Data(base64Encoded: String(parts[1])), let text = String(data: data, encoding: .utf8),
        let colon = text.firstIndex(of: ":")
      else { return nil }
      return String(text[text.index(after: colon)...])
    default: return nil
    }
  }
}
