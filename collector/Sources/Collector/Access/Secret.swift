import Foundation

/// Secrets that the collector makes, and what it keeps of them.
///
/// A token has 256 bits of chance and a code 80, so nobody finds one by trying hashes: a plain SHA-256 is enough, and
/// a slow hash, which passwords need, would only make each request slow.
enum Secret {
  static let hash_bytes = 32

  static func random(_ count: Int) -> [UInt8] {
    // The system's generator is a cryptographic one: getrandom(2).
    (0..<count).map { _ in UInt8.random(in: .min ... .max) }
  }

  static func hash(_ text: String) -> Data { Digest.sha256(Data(text.utf8)) }

  /// A token, from so many bytes: letters, digits, - and _ (RFC 4648, section 5), fit for a header and a file's line.
  static func token(_ bytes: some Sequence<UInt8>) -> String {
    "gwt_"
      + Data(bytes).base64EncodedString().replacingOccurrences(of: "+", with: "-")
      .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
  }

  static func newToken() -> String { token(random(32)) }

  /// The token of whoever brings this code and this nonce: the same for the same, so that nothing but hashes need to be
  /// kept for a box that asks again.
  ///
  /// - Parameters:
  ///   - salt: 32 bytes of chance, kept with the code: the token is as good as these where a box draws a poor nonce.
  ///   - nonce: that the box has drawn, and that is kept nowhere here.
  static func token(code: String, nonce: String, salt: Data) -> String {
    let message = Data("godwit enrolment 1\n\(code)\n\(nonce)".utf8)
    return token(Digest.code(message, key: salt))
  }

  /// - Returns: nil for what are no 64 hexadecimal digits.
  static func hash(hex text: String) -> Data? {
    let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
    guard digits.count == 2 * hash_bytes, text.utf8.count == 2 * hash_bytes else { return nil }
    var hash = Data(capacity: hash_bytes)
    for at in stride(from: 0, to: digits.count, by: 2) {
      hash.append(UInt8(digits[at] << 4 | digits[at + 1]))
    }
    return hash
  }
}

/// A code that lets one box in, once: made to be typed. 16 letters and digits (80 bits) in groups of four, without I, L, O
/// and U, which are misread or misheard (Crockford's base 32).
enum EnrolmentCode {
  private static let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
  private static let length = 16

  static func make() -> String {
    let text = (0..<length).map { _ in digits[Int.random(in: 0..<32)] }
    return stride(from: 0, to: length, by: 4).map { String(text[$0..<$0 + 4]) }.joined(separator: "-")
  }

  /// As it was made, whatever has become of it on paper: small letters, blanks, other dashes, O for 0, I and L for 1.
  ///
  /// - Returns: nil for what can be no code.
  static func plain(_ text: String) -> String? {
    guard text.utf8.count <= 100 else { return nil }
    var plain: [Character] = []
    for letter in text.uppercased() where !letter.isWhitespace && !"-–—_.".contains(letter) {
      let letter: Character = letter == "O" ? "0" : letter == "I" || letter == "L" ? "1" : letter
      guard digits.contains(letter) else { return nil }
      plain.append(letter)
    }
    return plain.count == length ? String(plain) : nil
  }
}
