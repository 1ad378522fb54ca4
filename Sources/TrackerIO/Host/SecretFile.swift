import Glibc

/// A file with one secret, such as a token. Read anew for each use, so that a new one is taken up at once.
public enum SecretFile {
  public enum Failure: Error, CustomStringConvertible {
    case unreadable(path: String, code: Int32)
    case empty(path: String)

    public var description: String {
      switch self {
      case .unreadable(let path, let code):
        "cannot read \(path): \(String(cString: strerror(code))); is it there, and may this user read it?"
      case .empty(let path): "\(path) is empty: write the token into it"
      }
    }
  }

  /// Tokens are short; more than this is the wrong file.
  static let maxLength = 8192

  /// The first line, without white space around it.
  public static func read(_ path: String) throws(Failure) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .unreadable(path: path, code: errno) }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: maxLength)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    guard count >= 0 else { throw .unreadable(path: path, code: errno) }
    let line = bytes.prefix(count).prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    let text = String(decoding: line, as: UTF8.self)
    let word = text.split(separator: " ").first.map { String($0) } ?? ""
    guard !word.isEmpty else { throw .empty(path: path) }
    return word
  }
}
