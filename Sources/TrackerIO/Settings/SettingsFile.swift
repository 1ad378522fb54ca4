import Glibc
import TrackerBase

/// Why there are no settings.
public enum SettingsFileError: Error, Equatable, CustomStringConvertible {
  case cannotRead(call: String, path: String, code: Int32)
  case tooLarge(path: String)
  /// A directory, a pipe, a device or a circle of links stands there.
  case notAFile(OutsideFileError)
  /// It cannot be what somebody wrote. - Parameter reason: as it stands after the path.
  case damaged(path: String, reason: String)
  /// At least one, in the order of the file.
  case invalid([SettingsProblem])
  /// The file is fine, but not the files with secrets that it names.
  case unfitFiles([SettingsProblem])

  public var description: String {
    switch self {
    case .cannotRead(_, let path, ENOENT):
      "\(path): there is no such file. Name the settings file, or begin with one of "
        + "/usr/share/doc/godwit/examples/profiles (config/profiles in the source)."
    case .cannotRead(_, let path, EACCES): OutsideFile.unreadableWords(path)
    case .cannotRead(let call, let path, let code):
      "\(path): \(call) failed: \(String(cString: strerror(code))) (\(code))"
    case .tooLarge(let path):
      "\(path): larger than \(SettingsFile.largest / 1024) kB, so not a settings file"
    case .notAFile(let error): "\(error)"
    case .damaged(let path, let reason): "\(path): \(reason)"
    case .invalid(let problems), .unfitFiles(let problems):
      problems.map(\.description).joined(separator: "\n")
    }
  }
}

/// A settings file that has been read and found free of problems.
public struct SettingsFile: Equatable, Sendable {
  /// No settings file comes near; a wrong path may lead to anything.
  static let largest = 256 * 1024

  /// The name for messages.
  public let name: String
  public private(set) var settings: Settings
  /// The files of `sync.also`, in its order; `settings.others` has what they say.
  private var others: [SettingsFile] = []
  /// Where the settings stand that name files with secrets, further settings files, or a zone.
  private let filePlaces: [String: SettingPlace]
  /// Of the agent's own file, without those of `sync.also`.
  private var entries: [SettingEntry] = []
  /// What was read, for `LastGoodSettings`.
  public private(set) var sources: [LastGoodSettings.File] = []

  /// - Parameters:
  ///   - kept: what an agent ran with before: a file that is only the beginning of that is refused.
  ///   - checkSchedule: why a schedule rule is malformed; nil when it is fine.
  public static func read(
    _ path: String, kept: LastGoodSettings? = nil, checkSchedule: (String) -> String? = Schedule.check
  ) throws(SettingsFileError) -> SettingsFile {
    try read(path, checkSchedule: checkSchedule) { path throws(SettingsFileError) in
      try uncut(path, kept)
    }
  }

  private static func uncut(_ path: String, _ kept: LastGoodSettings?) throws(SettingsFileError) -> [UInt8] {
    let bytes = try whole(path)
    guard let kept, kept.isCut(bytes, path: path) else { return bytes }
    throw .damaged(
      path: path,
      reason:
        "is only the beginning of what the agent ran with, as after a power cut or on a full disk: write it "
        + "anew. If settings were removed on purpose, end the file with a line such as # end")
  }

  /// A file of another machine: further servers' files, which lie there, are not looked at.
  public static func readElsewhere(_ path: String) throws(SettingsFileError) -> SettingsFile {
    try parse(whole(path), name: path, checkSchedule: Schedule.check)
  }

  /// What an agent ran with before.
  ///
  /// - Parameter name: of the file that it was read from, as the operator gives it: problems with the one and the other
  ///   are to be known for the same.
  /// - Throws: what that file would.
  public static func read(
    _ kept: LastGoodSettings, as name: String, checkSchedule: (String) -> String? = Schedule.check
  ) throws(SettingsFileError) -> SettingsFile {
    try read(name, checkSchedule: checkSchedule) { path throws(SettingsFileError) in
      guard let bytes = kept.bytes(of: path) else {
        throw .cannotRead(call: "open", path: path, code: ENOENT)
      }
      return bytes
    }
  }

  private static func read(
    _ path: String, checkSchedule: (String) -> String?,
    bytes: (String) throws(SettingsFileError) -> [UInt8]
  ) throws(SettingsFileError) -> SettingsFile {
    let own = try bytes(path)
    var file = try parse(own, name: path, checkSchedule: checkSchedule)
    file.sources = [LastGoodSettings.File(path: path, bytes: own)]
    for path in file.settings.sync.also {
      do throws(SettingsFileError) {
        let other = try bytes(path)
        try file.add(SettingsFile.server(other, name: path))
        file.sources.append(LastGoodSettings.File(path: path, bytes: other))
      } catch { throw file.blamed(for: error) }
    }
    return file
  }

  /// Nobody writes an empty file, or one with NULs: a power cut does. Comments alone are a file of defaults.
  private static func whole(_ path: String) throws(SettingsFileError) -> [UInt8] {
    let bytes = try bytes(of: path)
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      throw .damaged(path: path, reason: "is UTF-16 text: save it as UTF-8")
    }
    if bytes.contains(0) {
      throw .damaged(path: path, reason: "holds NUL bytes, as files do after a power cut: write it anew")
    }
    guard bytes.contains(where: { $0 > UInt8(ascii: " ") }) else {
      throw .damaged(
        path: path,
        reason: "is empty, as files are after a power cut: write it anew. For the defaults a comment will do")
    }
    return bytes
  }

  private static func bytes(of path: String) throws(SettingsFileError) -> [UInt8] {
    do throws(OutsideFileError) { return try OutsideFile.read(path, limit_bytes: largest) } catch {
      switch error {
      case .callFailed(_, _, ELOOP), .notAFile: throw .notAFile(error)
      case .callFailed(let call, let path, let code): throw .cannotRead(call: call, path: path, code: code)
      case .tooLarge, .readableByOthers, .foreignOwner, .notForThisUser: throw .tooLarge(path: path)
      }
    }
  }

  /// That a further server's file cannot be read is a mistake in this one.
  private func blamed(for error: SettingsFileError) -> SettingsFileError {
    let reason: String
    switch error {
    case .invalid, .unfitFiles: return error
    case .tooLarge, .notAFile, .damaged: reason = "\(error)"
    case .cannotRead(let call, let path, let code):
      reason = "\(call) of \(path) failed: \(String(cString: strerror(code))) (\(code))"
    }
    let key = SettingsFile.alsoKey
    return .invalid([SettingsProblem(file: name, place: filePlaces[key], key: key, reason: reason)])
  }

  private mutating func add(_ other: SettingsFile) {
    others.append(other)
    let name = OtherServer.name(ofFile: other.name) ?? ""
    settings.others.append(OtherServer(name: name, sync: other.settings.sync))
  }

  /// The file of a further server: its settings are those of `[sync]`, and defaults.
  private static func server(_ bytes: [UInt8], name: String) throws(SettingsFileError) -> SettingsFile {
    try file(SettingsReader.server(entries(in: bytes, name: name), file: name))
  }

  /// A file, or the defaults where there is none, with some values set anew.
  ///
  /// - Parameter overrides: see `SettingsOverride`. Problems with them name `--set` instead of the file.
  public static func read(
    _ path: String?, overrides: [SettingEntry]
  ) throws(SettingsFileError) -> Settings {
    let name = path ?? SettingsOverride.option
    var entries: [SettingEntry] = []
    if let path { entries = try Self.entries(in: bytes(of: path), name: name) }
    entries = SettingsOverride.merged(entries, with: overrides)
    let reader = SettingsReader(entries, file: name, checkSchedule: Schedule.check)
    guard reader.problems.isEmpty else {
      throw .invalid(reader.problems.map { SettingsOverride.blamed($0, overrides) })
    }
    return reader.settings
  }

  /// Pure: looks at the text only.
  public static func parse(
    _ text: String, name: String, checkSchedule: (String) -> String?
  ) throws(SettingsFileError) -> SettingsFile {
    try parse(Array(text.utf8), name: name, checkSchedule: checkSchedule)
  }

  static func parse(
    _ bytes: [UInt8], name: String, checkSchedule: (String) -> String?
  ) throws(SettingsFileError) -> SettingsFile {
    let entries = try entries(in: bytes, name: name)
    var file = try file(SettingsReader(entries, file: name, checkSchedule: checkSchedule))
    file.entries = entries
    return file
  }

  /// The settings of the file with those of the server over them.
  public func settings(under overlay: Overlay) throws(OverlayProblem) -> Settings {
    var settings = try overlay.laid(over: entries)
    settings.others = self.settings.others
    return settings
  }

  private static func file(_ reader: SettingsReader) throws(SettingsFileError) -> SettingsFile {
    guard reader.problems.isEmpty else { throw .invalid(reader.problems) }
    var places: [String: SettingPlace] = [:]
    let secrets = reader.settings.sync.allSecretFiles.map { SettingText.dotted($0.path) }
    for key in secrets + [alsoKey, zoneKey] { places[key] = reader.place(of: key) }
    return SettingsFile(name: reader.file, settings: reader.settings, filePlaces: places)
  }

  private static func entries(in bytes: [UInt8], name: String) throws(SettingsFileError) -> [SettingEntry] {
    do throws(TOMLSyntaxError) { return try TOMLDocument(bytes).entries } catch {
      throw .invalid(problems(of: error, in: bytes, name: name))
    }
  }

  /// For switching the GPS off after a file was broken: a mistake outside of `gps` does not matter, and the setting
  /// concerned has its default.
  ///
  /// - Parameter kept: what an agent ran with before: a file that is only the beginning of that is refused.
  public static func readForPower(
    _ path: String, kept: LastGoodSettings? = nil
  ) throws(SettingsFileError) -> Settings {
    let entries = try entries(in: uncut(path, kept), name: path)
    let reader = SettingsReader(entries, file: path) { _ in nil }
    let problems = reader.problems.filter { $0.key == "gps" || $0.key.hasPrefix("gps.") }
    guard problems.isEmpty else { throw .invalid(problems) }
    return reader.settings
  }

  /// Files that the agent must read and that are no secrets: which of them this user may not.
  public func unreadableFiles() -> [String] {
    let named =
      settings.servers.flatMap { [$0.sync.caFile, $0.sync.clientCertFile] } + [settings.geofencesFile]
    return (sources.map(\.path) + named.filter { !$0.isEmpty }).compactMap { OutsideFile.unreadable($0) }
  }

  /// Whether the files that the settings name are fit for use.
  public func checkFiles() -> [SettingsProblem] {
    let own = settings.sync.allSecretFiles.compactMap { path, file -> SettingsProblem? in
      guard let reason = problem(ofSecretFile: file) else { return nil }
      let key = SettingText.dotted(path)
      return SettingsProblem(file: name, place: filePlaces[key], key: key, reason: reason)
    }
    return own + others.flatMap { $0.checkFiles() }
  }

  private static let alsoKey = "sync.also"
  private static let zoneKey = "timezone"

  /// For what is found out about the zone later. - Returns: file and line, or the file where the zone is the system's.
  public var zonePlace: String { filePlaces[SettingsFile.zoneKey].map { "\(name):\($0.line)" } ?? name }

  /// A secret must be readable by its owner only, and the owner be this user or root.
  private func problem(ofSecretFile path: String) -> String? {
    do throws(OutsideFileError) {
      try OutsideFile.checkIsPrivate(path)
      return nil
    } catch {
      // The command will write it.
      if error.isMissing, !settings.sync.authCommand.isEmpty { return nil }
      // The service does not run, or has none yet.
      if error.isMissing, CredentialsFolder.holds(path), access(CredentialsFolder.path, F_OK) != 0 {
        return nil
      }
      if error.isMissing, let advice = CredentialsFolder.advice(on: path) { return "\(error): \(advice)" }
      return "\(error)"
    }
  }
}

extension SettingsFileError {
  /// Of a command that ends for it.
  public var exitCode: Int32 {
    switch self {
    case .cannotRead, .tooLarge, .notAFile: ExitReason.noInput.rawValue
    case .invalid, .damaged, .unfitFiles: ExitReason.settings.rawValue
    }
  }
}
