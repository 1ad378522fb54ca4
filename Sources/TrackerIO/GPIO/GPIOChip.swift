import CGPIO
import Glibc

/// An open GPIO chip.
final class GPIOChip {
  let path: String
  let handle: OpaquePointer
  /// As the kernel numbers it, such as `gpiochip0`.
  let name: String
  /// As its driver calls it, such as `pinctrl-bcm2711`.
  let label: String
  let lineCount: Int

  init(path: String) throws(GPIOError) {
    guard let handle = cgpio_open(path) else {
      throw .chipFailed(path: path, call: "gpiod_chip_open", code: errno)
    }
    var info = cgpio_chip_info()
    guard cgpio_describe(handle, &info) == 0 else {
      let code = errno
      cgpio_close(handle)
      throw .chipFailed(path: path, call: "gpiod_chip_get_info", code: code)
    }
    self.path = path
    self.handle = handle
    name = text(of: info.name)
    label = text(of: info.label)
    lineCount = Int(info.lines)
  }

  deinit { cgpio_close(handle) }

  /// The line's own name and that of its holder, nil if nobody holds it.
  func describe(_ offset: Int) throws(GPIOError) -> (name: String, holder: String?) {
    var info = cgpio_line_info()
    guard cgpio_describe_line(handle, UInt32(offset), &info) == 0 else {
      throw .lineFailed(line: "\(offset)", chip: label, call: "gpiod_chip_get_line_info", code: errno)
    }
    return (text(of: info.name), info.used ? text(of: info.consumer) : nil)
  }

  /// Why a line could not be taken, with errno as it is now.
  func refusal(of line: String, at offset: Int, call: String) -> GPIOError {
    let code = errno
    if code == EBUSY { return .busy(line: line, chip: label, holder: (try? describe(offset).holder) ?? "") }
    return .lineFailed(line: line, chip: label, call: call, code: code)
  }

  /// The offset of a line given by offset ("17") or by name ("GPIO17").
  func offset(of line: String) throws(GPIOError) -> Int {
    if let offset = Int(line) {
      guard (0..<lineCount).contains(offset) else { throw .noSuchLine(line, chip: label, lines: lineCount) }
      return offset
    }
    var found: [Int] = []
    for offset in 0..<lineCount {
      // Most lines of most boards have no name; an empty setting must not match them.
      let name = try describe(offset).name
      if name == line && !name.isEmpty { found.append(offset) }
    }
    if found.count > 1 { throw .ambiguousLine(line, chip: label, offsets: found) }
    guard let offset = found.first else { throw .noSuchLine(line, chip: label, lines: lineCount) }
    return offset
  }
}

/// The C string in an array that Swift imports as a tuple.
private func text<Characters>(of characters: Characters) -> String {
  withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
}
