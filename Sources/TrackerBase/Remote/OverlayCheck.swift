/// Whether an overlay may lie over a settings file: by the same reader and the same checks as the file.
public struct OverlayProblem: Error, Equatable, Sendable, CustomStringConvertible {
  /// In words, with the settings concerned and without a value; in the order of the document, as far as they stand in it.
  public let problems: [String]

  /// A status has room for so many.
  static let mostShown = 8

  /// - Parameter problems: at least one.
  public init(_ problems: [String]) { self.problems = problems }

  public var description: String {
    let more = problems.count - OverlayProblem.mostShown
    return problems.prefix(OverlayProblem.mostShown).joined(separator: "; ")
      + (more > 0 ? "; and \(more) more" : "")
  }
}

extension Overlay {
  /// - Parameter file: the entries of the settings file, which is fine by itself.
  /// - Returns: the settings of both.
  public func laid(over file: [SettingEntry]) throws(OverlayProblem) -> Settings {
    var problems: [(index: Int, words: String)] = []
    var own: [SettingEntry] = []
    for (index, entry) in settings.enumerated() {
      if let words = Overlay.problem(ofKey: entry.path, at: index) {
        problems.append((index, words))
      } else {
        own.append(entry)
      }
    }
    let paths = Set(own.map(\.path))
    let entries = file.filter { !paths.contains($0.path) } + own
    let reader = SettingsReader(entries, file: "", showsValues: false, checkSchedule: Schedule.check)
    for problem in reader.problems {
      let index = settings.firstIndex { SettingText.dotted($0.path) == problem.key }
      problems.append((index ?? settings.count, problem.words))
    }
    guard problems.isEmpty else {
      throw OverlayProblem(problems.sorted { $0.index < $1.index }.map(\.words))
    }
    return reader.settings
  }

  /// Whether this is the name of a setting, remote or not.
  public static func isSetting(_ key: String) -> Bool { known.contains { $0.key == key } }

  private static let known = SettingsListing.lines(of: Settings())

  /// With the setting, by a name of ours or by one of small letters: nothing that could be a place or a secret.
  private static func problem(ofKey path: [String], at index: Int) -> String? {
    let key = path.joined(separator: ".")
    if let line = known.first(where: { $0.key == key || key.hasPrefix($0.key + ".") }) {
      return line.isRemote && line.key == key ? nil : "\(line.key): cannot be set from afar"
    }
    guard (1...60).contains(key.utf8.count), key.utf8.allSatisfy(isNameByte) else {
      return "setting \(index + 1): this is no name of a setting"
    }
    var names = SettingNames()
    names.settings = known.filter(\.isRemote).map { $0.key.split(separator: ".").map(String.init) }
    let meant = names.nearest(to: path, isTable: false).map { "; did you mean \($0)?" } ?? ""
    return "\(key): unknown setting\(meant)"
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "_")
      || byte == UInt8(ascii: ".")
  }
}
