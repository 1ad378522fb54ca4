import Glibc
import Testing

/// A folder of the test's own that a daemon without root can reach too; gone with the object.
final class TemporaryFolder {
  let path: String

  init() throws {
    var template = Array("/tmp/drive-feeder-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    chmod(path, 0o755)
  }

  deinit {
    if let folder = opendir(path) {
      while let entry = readdir(folder) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) {
          String(cString: $0.bindMemory(to: CChar.self).baseAddress!)
        }
        if name != "." && name != ".." { unlink("\(path)/\(name)") }
      }
      closedir(folder)
    }
    rmdir(path)
  }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// The text of a file; empty while it is missing.
  func text(_ name: String) -> String {
    guard let stream = fopen(file(name), "re") else { return "" }
    defer { fclose(stream) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&chunk, 1, chunk.count, stream)
      if count == 0 { return String(decoding: bytes, as: UTF8.self) }
      bytes += chunk[..<count]
    }
  }

  func write(_ text: String, to name: String) throws {
    let stream = try #require(fopen(file(name), "we"))
    fputs(text, stream)
    fclose(stream)
  }
}
