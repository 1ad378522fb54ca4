import Glibc
import TrackerBase

/// The settings that an agent last ran with, word for word: for when the file is lost, and to notice one that was cut.
public struct LastGoodSettings: Equatable, Sendable {
  /// One settings file; the first is the agent's own, the others those of `sync.also`.
  public struct File: Equatable, Sendable {
    /// Absolute.
    public let path: String
    public let bytes: [UInt8]

    /// - Parameter path: a relative one is that of the working directory.
    public init(path: String, bytes: [UInt8]) {
      (self.path, self.bytes) = (LastGoodSettings.absolute(path), bytes)
    }
  }

  public var files: [File]
  private static let title = "godwit settings 1\n"
  /// Five files of the largest size.
  private static let mostBytes = 5 * 256 * 1024 + 8192

  public init(files: [File]) { self.files = files }

  public func bytes(of path: String) -> [UInt8]? {
    let path = LastGoodSettings.absolute(path)
    return files.first { $0.path == path }?.bytes
  }

  /// Whether what is there now is but the beginning of what was there, with settings missing: a power cut, or a full
  /// disk. Comments and blank lines may go. What an editor or a repaired file system adds does not count: blanks and
  /// newlines at the end, other line ends, a byte order mark.
  public func isCut(_ bytes: [UInt8], path: String) -> Bool {
    guard let whole = self.bytes(of: path).map(LastGoodSettings.lines) else { return false }
    let lines = LastGoodSettings.lines(of: bytes)
    guard lines.count <= whole.count, zip(lines.dropLast(), whole).allSatisfy({ $0 == $1 }) else {
      return false
    }
    var missing = whole.dropFirst(lines.count)
    if let last = lines.last, last != whole[lines.count - 1] {
      // A cut within a line is one as well.
      guard bytes.last != UInt8(ascii: "\n"), whole[lines.count - 1].starts(with: last) else { return false }
      missing = whole.dropFirst(lines.count - 1)
    }
    return missing.contains { line in
      let first = line.first { $0 > UInt8(ascii: " ") }
      return first != nil && first != UInt8(ascii: "#")
    }
  }

  /// Without the blanks at their ends, and without empty ones at the end.
  private static func lines(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let text = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
    var lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
      line.prefix(upTo: line.lastIndex { $0 > UInt8(ascii: " ") }.map { $0 + 1 } ?? line.startIndex)
    }
    while lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }
}

/// Where systemd or the package keeps the agent's state, whatever the settings say.
public enum StateFolder {
  public static var path: String {
    let folders = getenv("STATE_DIRECTORY").map { String(cString: $0) } ?? ""
    return folders.split(separator: ":").first.map { String($0) } ?? "/var/lib/godwit"
  }
}

// MARK: on storage

extension LastGoodSettings {
  /// In the folder of the agent's state; not beside `queue.path`, which only the settings say.
  public static func file(for path: String) -> String {
    let folder = StateFolder.path
    var hash = FNV1a()
    hash.add(absolute(path))
    return "\(folder)/settings-\(SettingText.hex(hash.value, digits: 16)).last"
  }

  /// - Parameter path: of the agent's own settings file.
  public static func read(for path: String) -> LastGoodSettings? {
    guard let bytes = try? OutsideFile.read(file(for: path), limit_bytes: mostBytes),
      let kept = LastGoodSettings(text: bytes), kept.files.first?.path == absolute(path)
    else { return nil }
    return kept
  }

  /// Why nobody can say here whether the file was cut; nil where one can, or nothing was kept.
  public static func unreadable(for path: String) -> String? {
    do throws(OutsideFileError) {
      _ = try OutsideFile.read(file(for: path), limit_bytes: mostBytes)
      return nil
    } catch { return error.isMissing ? nil : "\(error)" }
  }

  /// On storage once this has returned. Nothing is written where it says the same.
  public func keep() throws(HostError) {
    guard let path = files.first?.path, LastGoodSettings.read(for: path) != self else { return }
    try DurableFile.write(LastGoodSettings.file(for: path), text)
  }

  /// A name alone stands for another file in each folder. An absolute path stays as it was written.
  public static func absolute(_ path: String) -> String {
    if path.hasPrefix("/") { return path }
    // The file itself may be gone.
    let folder = FolderEntry.folder(of: path)
    if let place = real(folder) { return place + "/" + (path.split(separator: "/").last ?? "") }
    return (real(".") ?? "?") + "/" + path
  }

  /// Without links, and without a `/` at its end.
  private static func real(_ folder: String) -> String? {
    guard let found = realpath(folder, nil) else { return nil }
    defer { free(found) }
    let place = String(cString: found)
    return place == "/" ? "" : place
  }

  private var text: String {
    let parts = files.map {
      "file \($0.bytes.count) \($0.path)\n" + String(decoding: $0.bytes, as: UTF8.self) + "\n"
    }
    let body = LastGoodSettings.title + parts.joined()
    return TextSum.appended(to: body)
  }

  private init?(text bytes: [UInt8]) {
    guard let body = TextSum.body(of: String(decoding: bytes, as: UTF8.self)) else { return nil }
    var rest = Array(body.utf8)[...]
    guard rest.starts(with: LastGoodSettings.title.utf8) else { return nil }
    rest = rest.dropFirst(LastGoodSettings.title.utf8.count)
    files = []
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      let words = rest[..<end].split(separator: UInt8(ascii: " "), maxSplits: 2)
      guard words.count == 3, let count = Int(String(decoding: words[1], as: UTF8.self)), count >= 0,
        rest[(end + 1)...].count > count
      else { return nil }
      let path = String(decoding: words[2], as: UTF8.self)
      files.append(File(path: path, bytes: Array(rest[(end + 1)...].prefix(count))))
      rest = rest[(end + 1)...].dropFirst(count + 1)
    }
    guard !files.isEmpty else { return nil }
  }
}
