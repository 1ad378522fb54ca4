import Glibc

/// A file with one secret, such as a token or a password. Read anew for each use, so that a new one is taken up at
/// once, and a mode that lets others read it is found out at once.
public enum SecretFile {
  public enum ReadError: Error, Equatable, CustomStringConvertible {
    case unreadable(path: String, code: Int32)
    case tooLarge(path: String)
    /// No regular file, or one that others may read.
    case refused(OutsideFileError)
    case empty(path: String)
    case byteOrderMark(path: String)
    case blankInside(path: String)
    case carriageReturn(path: String)
    case notPlainText(path: String)

    public var description: String {
      switch self {
      case .unreadable(let path, let code):
        "cannot read \(path): \(String(cString: strerror(code))); is it there, and may this user read it?"
      case .tooLarge(let path):
        "\(path) is larger than \(maxLength / 1024) kB, so no secret: write the secret alone into it"
      case .refused(let error): "\(error)"
      case .empty(let path): "\(path) is empty: write the secret into it"
      case .byteOrderMark(let path):
        "\(path) begins with a byte order mark: save it as plain text without one"
      case .blankInside(let path):
        "\(path) has a blank or a tab within its line: write the token alone, with no word before or after it"
      case .carriageReturn(let path):
        "\(path) has a carriage return within its line: write the secret alone, in one line that ends with a line feed"
      case .notPlainText(let path):
        "\(path) holds what is no visible ASCII character, so no secret: write the secret alone, as plain text"
      }
    }
  }

  /// Secrets are short; more than this is the wrong file.
  static let maxLength = 8192

  /// The first line that is not empty, without white space around it.
  ///
  /// - Parameter mayHaveBlanks: within, as a password or a header's value may.
  public static func read(_ path: String, mayHaveBlanks: Bool = false) throws(ReadError) -> String {
    let bytes: [UInt8]
    do throws(OutsideFileError) {
      bytes = try OutsideFile.read(path, limit_bytes: maxLength, isPrivate: true)
    } catch {
      switch error {
      case .callFailed(_, _, ELOOP), .notAFile, .readableByOthers, .foreignOwner, .notForThisUser:
        throw .refused(error)
      case .callFailed(_, let path, EACCES):
        throw .refused(.notForThisUser(path: path, user: UserName.own()))
      case .callFailed(_, let path, let code): throw .unreadable(path: path, code: code)
      case .tooLarge: throw .tooLarge(path: path)
      }
    }
    return try secret(in: bytes, mayHaveBlanks: mayHaveBlanks, path)
  }

  private static func secret(
    in bytes: [UInt8], mayHaveBlanks: Bool, _ path: String
  ) throws(ReadError) -> String {
    for mark in [[0xEF, 0xBB, 0xBF], [0xFF, 0xFE], [0xFE, 0xFF]] as [[UInt8]] where bytes.starts(with: mark) {
      throw .byteOrderMark(path: path)
    }
    guard let start = bytes.firstIndex(where: { !isBlank($0) && !isLineEnd($0) }) else {
      throw .empty(path: path)
    }
    let line = bytes[start...].prefix { $0 != 0x0A }
    let secret = line[...(line.lastIndex { !isBlank($0) && !isLineEnd($0) } ?? start)]
    if secret.contains(where: isLineEnd) { throw .carriageReturn(path: path) }
    if !mayHaveBlanks, secret.contains(where: isBlank) { throw .blankInside(path: path) }
    guard secret.allSatisfy({ (0x21...0x7E).contains($0) || isBlank($0) }) else {
      throw .notPlainText(path: path)
    }
    return String(decoding: secret, as: UTF8.self)
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
  private static func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }
}
