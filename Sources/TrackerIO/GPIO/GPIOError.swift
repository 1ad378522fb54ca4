import Glibc

/// Why a GPIO line cannot be used.
public enum GPIOError: Error, Equatable, CustomStringConvertible {
  /// `available`: each chip of this board as `label (name)`.
  case noSuchChip(_ chip: String, available: [String])
  case ambiguousChip(_ chip: String, paths: [String])
  case chipFailed(path: String, call: String, code: Int32)
  case noSuchLine(_ line: String, chip: String, lines: Int)
  case ambiguousLine(_ line: String, chip: String, offsets: [Int])
  /// `holder`: the name that the holder gave; empty if it gave none.
  case busy(line: String, chip: String, holder: String)
  case lineFailed(line: String, chip: String, call: String, code: Int32)
  case badFileName(_ line: String)
  case fileFailed(path: String, call: String, code: Int32)
  case badLevel(path: String)
  case notAFile(OutsideFileError)
  case closed

  public var description: String { words(settings: "gps.power") }

  /// - Parameters:
  ///   - group: where the settings of the line stand, such as `ignition`.
  ///   - key: the setting that names the line.
  public func words(settings group: String, key: String = "line") -> String {
    switch self {
    case .noSuchChip(let chip, let available) where available.isEmpty:
      """
      there is no GPIO chip "\(chip)": this board has none at all (/dev/gpiochip*). \
      \(group).chip = "simulated:DIRECTORY" works without one.
      """
    case .noSuchChip(let chip, let available):
      """
      there is no GPIO chip "\(chip)"\(BoardChip.owner(of: chip)): this board has \
      \(available.joined(separator: ", ")). \(BoardChip.remedy(among: available, group: group))
      """
    case .ambiguousChip(let chip, let paths):
      """
      more than one GPIO chip is labelled "\(chip)": \(paths.joined(separator: ", ")). \
      Set \(group).chip to the right path.
      """
    case .chipFailed(let path, let call, let code):
      "GPIO chip \(path): \(call): \(systemWords(code)).\(accessHint(code))"
    case .noSuchLine(let line, let chip, let lines):
      """
      GPIO chip \(chip) has no line "\(line)" among its \(lines). \
      \(group).\(key) takes a name or an offset; gpioinfo(1) lists them.
      """
    case .ambiguousLine(let line, let chip, let offsets):
      """
      GPIO chip \(chip) has more than one line "\(line)", at the offsets \
      \(offsets.map(String.init).joined(separator: ", ")). Set \(group).\(key) to the right offset.
      """
    case .busy(let line, let chip, let holder):
      """
      GPIO line \(line) of \(chip) is held by \(holder.isEmpty ? "somebody without a name" : "\"\(holder)\""). \
      Stop that, or set \(group).\(key) to the right line.
      """
    case .lineFailed(let line, let chip, let call, let code):
      "GPIO line \(line) of \(chip): \(call): \(systemWords(code)).\(accessHint(code))"
    case .badFileName(let line):
      "\"\(line)\" cannot be the file name of a simulated line: set \(group).\(key) to a plain name."
    case .fileFailed(let path, let call, let code):
      "simulated GPIO line \(path): \(call): \(systemWords(code)). The folder has to exist and be writable."
    case .badLevel(let path):
      "simulated GPIO line \(path) holds neither 0 nor 1."
    case .notAFile(let error):
      "simulated GPIO line \(error)."
    case .closed:
      "the GPIO line has been closed."
    }
  }

  static func file(_ error: OutsideFileError) -> GPIOError {
    switch error {
    case .callFailed(let call, let path, let code): .fileFailed(path: path, call: call, code: code)
    case .notAFile, .tooLarge, .readableByOthers, .foreignOwner, .notForThisUser: .notAFile(error)
    }
  }

  private func accessHint(_ code: Int32) -> String {
    code == EACCES || code == EPERM
      ? " The user of this process needs the group that owns the device, often gpio." : ""
  }
}
