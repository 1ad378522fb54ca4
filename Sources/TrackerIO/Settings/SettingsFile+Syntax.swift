import TrackerBase

/// What is wrong with a text that is no TOML.
extension SettingsFile {
  static func problems(of error: TOMLSyntaxError, in bytes: [UInt8], name: String) -> [SettingsProblem] {
    switch error.kind {
    case .other(let reason): [syntax(plain(reason, at: error.place, in: bytes), at: error.place, name: name)]
    case .duplicate: DoubledSettings(error, in: bytes, name: name).problems.sorted()
    }
  }

  /// Other languages have other words for true and false, people write units and decimal commas. Nothing else of the line
  /// is said: it may be a secret.
  private static func plain(_ reason: String, at place: SettingPlace, in bytes: [UInt8]) -> String {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard lines.indices.contains(place.line - 1) else { return reason }
    let sides = String(decoding: lines[place.line - 1], as: UTF8.self).split(separator: "=", maxSplits: 1)
    guard sides.count == 2 else { return reason }
    let value = sides[1].prefix { $0 != "#" }.split { " \t\r".contains($0) }
    let key = sides[0].split { " \t.\"'".contains($0) }.last.map { String($0) } ?? ""
    // Not of a text or a list, where another thing is wrong.
    let isName =
      !key.isEmpty && key.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "_") }
    if isName, let first = value.first?.first, first.isNumber || first == "-",
      let number = SettingText.number(meantBy: value.joined(), of: key)
    {
      return "a number has a point and no unit: write \(key) = \(number)"
    }
    guard reason == TOMLSyntaxError.Kind.notAValue else { return reason }
    let word = value.first.map { String($0) } ?? ""
    switch word.lowercased() {
    case "true", "false": return "true and false are written in small letters: write \(word.lowercased())"
    case "yes", "on": return "not a value: write true instead of \(word)"
    case "no", "off": return "not a value: write false instead of \(word)"
    default: return reason
    }
  }

  fileprivate static func syntax(_ reason: String, at place: SettingPlace, name: String) -> SettingsProblem {
    let words = "cannot be read as TOML: \(reason) (column \(place.column))"
    return SettingsProblem(file: name, place: place, key: "", reason: words)
  }
}

/// toml++ stops at what is set twice. Each such line is noted and taken out, so that all that stands beside it is looked
/// at as well.
private struct DoubledSettings {
  private(set) var problems: [SettingsProblem] = []
  private let name: String
  private var lines: [ArraySlice<UInt8>]
  /// Of groups that are opened once more.
  private var apart: [SettingEntry] = []
  private var keys: Set<String> = []
  /// Lines up to this one, from 1, were looked at.
  private var lastLine = 0

  /// Each takes the text to be read anew.
  private static let most = 50

  init(_ error: TOMLSyntaxError, in bytes: [UInt8], name: String) {
    self.name = name
    lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    var next: TOMLSyntaxError? = error
    for _ in 0..<DoubledSettings.most {
      guard let error = next else {
        check(entries(of: lines) ?? [], isWhole: true)
        return
      }
      guard take(error) else {
        if case .other(let reason) = error.kind {
          problems.append(SettingsFile.syntax(reason, at: error.place, name: name))
        }
        break
      }
      next = DoubledSettings.error(in: lines)
    }
    let above = next.map { Array(lines.prefix(max(0, $0.place.line - 1))) } ?? lines
    check(entries(of: above) ?? [], isWhole: false)
  }

  /// - Returns: false for what has nothing to do with a doubled setting.
  private mutating func take(_ error: TOMLSyntaxError) -> Bool {
    let line = error.place.line
    guard lines.indices.contains(line - 1) else { return false }
    switch error.kind {
    case .duplicate(let isTable, let written):
      note(isTable: isTable, written, at: error.place)
      if isTable { takeGroup(from: line) } else { takeOut(line...line) }
    case .other:
      // The next line of a value that has several.
      guard line > lastLine, lines[lastLine..<(line - 1)].allSatisfy(DoubledSettings.saysNothing) else {
        return false
      }
      takeOut(line...line)
    }
    return true
  }

  private mutating func note(isTable: Bool, _ written: String?, at place: SettingPlace) {
    let above = (entries(of: Array(lines.prefix(place.line - 1))) ?? []) + apart
    // A key is a duplicate within the last table that was opened: the last entry of that name is the first one.
    let first = above.last { entry in
      let name = SettingText.dotted(entry.path)
      return written == name || (!isTable && written.map { name.hasSuffix("." + $0) } == true)
    }
    var reason = isTable ? "this group is opened twice" : "this is set twice"
    if let first { reason += ", first in line \(first.place.line)" }
    let key = first.map { SettingText.dotted($0.path) } ?? written.map { SettingText.dotted([$0]) } ?? ""
    keys.insert(key)
    problems.append(SettingsProblem(file: name, place: place, key: key, reason: reason))
  }

  /// Up to the next header.
  private mutating func takeGroup(from line: Int) {
    let next = lines[line...].firstIndex { $0.first { $0 > UInt8(ascii: " ") } == UInt8(ascii: "[") }
    let end = next ?? lines.count
    let blank = Array(repeating: ArraySlice<UInt8>(), count: line - 1)
    apart += (entries(of: blank + lines[(line - 1)..<end]) ?? []).filter { $0.value != .table }
    takeOut(line...end)
  }

  private mutating func takeOut(_ range: ClosedRange<Int>) {
    for line in range { lines[line - 1] = [] }
    lastLine = range.upperBound
  }

  /// What follows for other settings from a doubled one is not told: nobody knows which of the two is meant.
  private mutating func check(_ entries: [SettingEntry], isWhole: Bool) {
    let entries = entries + apart
    let alone = SettingsReader(entries, file: name, isWhole: false) { _ in nil }.problems
    let all = SettingsReader(entries, file: name, isWhole: isWhole, checkSchedule: Schedule.check).problems
    let sure = entries.filter { !keys.contains(SettingText.dotted($0.path)) }
    let without = SettingsReader(sure, file: name, isWhole: isWhole, checkSchedule: Schedule.check).problems
    problems += all.filter { keys.contains($0.key) || alone.contains($0) || without.contains($0) }
  }

  private func entries(of lines: [ArraySlice<UInt8>]) -> [SettingEntry]? {
    try? TOMLDocument(DoubledSettings.text(lines)).entries
  }

  private static func error(in lines: [ArraySlice<UInt8>]) -> TOMLSyntaxError? {
    do throws(TOMLSyntaxError) {
      _ = try TOMLDocument(text(lines))
      return nil
    } catch { return error }
  }

  private static func text(_ lines: [ArraySlice<UInt8>]) -> [UInt8] {
    Array(lines.joined(separator: [UInt8(ascii: "\n")]))
  }

  /// Blank, or a comment.
  private static func saysNothing(_ line: ArraySlice<UInt8>) -> Bool {
    let first = line.first { $0 > UInt8(ascii: " ") }
    return first == nil || first == UInt8(ascii: "#")
  }
}
