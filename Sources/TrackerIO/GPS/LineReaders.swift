import Glibc

/// Programs that read a receiver's line: of two, each gets a part of every sentence.
public enum LineReaders {
  /// Without root only the user's own processes can be looked into; of each gpsd its arguments count, too.
  ///
  /// - Parameters:
  ///   - device: as gpsd names it.
  ///   - proc: where the kernel shows the processes.
  /// - Returns: name and number of each process.
  public static func all(of device: String, proc: String = "/proc") -> [String] {
    guard let path = real(device) else { return [] }
    let numbers = FolderEntry.all(in: proc).compactMap { Int($0.name) }.sorted()
    return numbers.compactMap { number in
      let folder = "\(proc)/\(number)"
      let name = words(of: "\(folder)/comm", endedBy: 10).first ?? "?"
      // What feeds a pseudo-terminal holds it open itself.
      guard name == "gpsd" || !path.hasPrefix("/dev/pts/") else { return nil }
      let isOpen = FolderEntry.all(in: "\(folder)/fd").contains {
        target(of: "\(folder)/fd/\($0.name)") == path
      }
      let arguments = name == "gpsd" ? words(of: "\(folder)/cmdline", endedBy: 0) : []
      return isOpen || arguments.contains { real($0) == path } ? "\(name) (\(number))" : nil
    }
  }

  private static func words(of file: String, endedBy end: UInt8) -> [String] {
    let bytes = (try? OutsideFile.read(file, limit_bytes: 65_536)) ?? []
    return bytes.split(separator: end).map { String(decoding: $0, as: UTF8.self) }
  }

  private static func target(of link: String) -> String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(link, &bytes, bytes.count)
    return count < 0 ? nil : String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func real(_ path: String) -> String? {
    guard let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    return String(cString: found)
  }
}
