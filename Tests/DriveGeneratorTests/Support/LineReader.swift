import Glibc
import Testing

/// Lines from a descriptor, each with a deadline.
final class LineReader {
  let descriptor: Int32
  private var pending: [UInt8] = []

  init(_ descriptor: Int32) throws {
    try #require(descriptor >= 0, "\(String(cString: strerror(errno)))")
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// The next line without its end, or nil if nothing more comes for `silence_ms`.
  func next(silence_ms: Int32 = 20_000) throws -> String? {
    while true {
      if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
        let line = pending[..<end].filter { $0 != UInt8(ascii: "\r") }
        pending.removeSubrange(...end)
        return String(decoding: line, as: UTF8.self)
      }
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = poll(&waiting, 1, silence_ms)
      if ready < 0 && errno == EINTR { continue }
      if ready <= 0 { return nil }
      var chunk = [UInt8](repeating: 0, count: 16_384)
      let count = read(descriptor, &chunk, chunk.count)
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { return nil }
      pending += chunk[..<count]
    }
  }

  /// Reads on to the first line that has `part`.
  func skip(to part: String) throws -> String {
    while let line = try next() {
      if line.contains(part) { return line }
    }
    try #require(Bool(false), "nothing more came before '\(part)'")
    return ""
  }
}

/// The number behind `"key":` in one JSON line of a known shape.
func number(_ key: String, in json: String) -> Double? {
  value(key, in: json).flatMap { Double($0) }
}

/// The text or number behind `"key":` in one JSON line of a known shape.
func value(_ key: String, in json: String) -> String? {
  let parts = json.split(separator: "\"\(key)\":", maxSplits: 1, omittingEmptySubsequences: false)
  guard parts.count == 2 else { return nil }
  if parts[1].first == "\"" { return String(parts[1].dropFirst().prefix { $0 != "\"" }) }
  return String(parts[1].prefix { $0 != "," && $0 != "}" })
}
