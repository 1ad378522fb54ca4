import TrackerBase

/// What `godwit-provision.toml` on the boot partition gives a box, once: docs/provisioning.md.
public struct ProvisionFile: Equatable, Sendable {
  /// Empty: the settings', or the machine's own.
  public private(set) var deviceID = ""
  /// One of them at most.
  public private(set) var token = ""
  public private(set) var code = ""
  /// Where the code is good; empty: at the server of the settings.
  public private(set) var enrolmentURL = ""
  /// Of the settings file; empty: the one that is there stays.
  public private(set) var settingsText = ""
  /// What that says; nil without one.
  public private(set) var settings: Settings?
  /// For godwit-setup; empty: nothing is set up.
  public private(set) var hat = ""
  public private(set) var apn = ""

  /// A thousand times what one needs.
  public static let largest_bytes = 512 * 1024

  /// Pure: looks at the text only. - Throws: all that is wrong, in the order of the file.
  public static func parse(_ bytes: [UInt8], name: String) throws(SettingsFileError) -> ProvisionFile {
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      throw .damaged(path: name, reason: "is UTF-16 text: save it as UTF-8")
    }
    if bytes.contains(0) {
      throw .damaged(path: name, reason: "holds NUL bytes, as files do after a power cut: write it anew")
    }
    let entries: [SettingEntry]
    do throws(TOMLSyntaxError) { entries = try TOMLDocument(bytes).entries } catch {
      throw .invalid(SettingsFile.problems(of: error, in: bytes, name: name))
    }
    var reader = ProvisionReader(name: name, bytes: bytes)
    for entry in entries { reader.read(entry) }
    reader.finish()
    guard reader.problems.isEmpty else { throw .invalid(reader.problems.sorted()) }
    return reader.file
  }

  fileprivate enum Key: String, CaseIterable {
    case version
    case deviceID = "device_id"
    case token
    case enrolmentCode = "enrolment_code"
    case enrolmentURL = "enrolment_url"
    case settings, hat, apn
  }

  fileprivate mutating func set(_ key: Key, _ text: String) {
    switch key {
    case .version: break
    case .deviceID: deviceID = text
    case .token: token = text
    case .enrolmentCode: code = text
    case .enrolmentURL: enrolmentURL = text
    case .settings: settingsText = text
    case .hat: hat = text
    case .apn: apn = text
    }
  }

  fileprivate mutating func take(_ settings: Settings) {
    self.settings = settings
    if deviceID.isEmpty { deviceID = settings.deviceID }
  }
}

/// Reads the entries one by one, and notes all that is wrong. No value stands in a message: it may be a secret.
private struct ProvisionReader {
  private typealias Key = ProvisionFile.Key

  private(set) var file = ProvisionFile()
  private(set) var problems: [SettingsProblem] = []
  private let name: String
  private let bytes: [UInt8]
  private var places: [Key: SettingPlace] = [:]

  init(name: String, bytes: [UInt8]) { (self.name, self.bytes) = (name, bytes) }

  mutating func read(_ entry: SettingEntry) {
    guard entry.path.count == 1, let key = Key(rawValue: entry.path[0]) else {
      // What is in a group that is none is not named besides.
      guard entry.path.count == 1 else { return }
      let known = Key.allCases.map(\.rawValue).joined(separator: ", ")
      return refuse(entry.path, entry.place, "is not known here; there are \(known)")
    }
    places[key] = entry.place
    switch (key, entry.value) {
    case (.version, .integer(1)): break
    case (.version, _):
      refuse(entry.path, entry.place, "must be 1: the file is of a newer godwit-provision, so update godwit")
    case (.settings, .table):
      refuse(entry.path, entry.place, "is a group; write the text of the settings file between ''' and '''")
    case (_, .text(let text)):
      if let problem = problem(of: text, key) {
        refuse(entry.path, entry.place, problem)
      } else {
        file.set(key, text)
      }
    case (_, .table), (_, .integer), (_, .number), (_, .flag), (_, .texts), (_, .other):
      refuse(entry.path, entry.place, "must be a text, between quotes")
    }
  }

  private func problem(of text: String, _ key: Key) -> String? {
    switch key {
    case .version, .settings: return nil
    case .deviceID: return text.isEmpty ? "is empty: leave it out" : DeviceName.problem(of: text)
    case .token:
      let isToken = text.utf8.count >= 16 && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
      return isToken ? nil : "is no token: 16 or more visible ASCII characters, without a blank"
    case .enrolmentCode:
      return (4...100).contains(text.utf8.count) ? nil : "is no code, such as ABCD-EFGH-JKMN-PQRS"
    case .enrolmentURL:
      do throws(ServerURL.ParseError) {
        return try ServerURL(text).isMQTT ? "must begin with https://" : nil
      } catch { return error.reason }
    // Words on a command line.
    case .hat, .apn:
      let isWord =
        (1...100).contains(text.utf8.count) && text.first != "-"
        && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
      return isWord ? nil : "must be one word of ASCII characters that does not begin with -"
    }
  }

  mutating func finish() {
    checkEnd()
    if !file.settingsText.isEmpty { readSettings() }
    if !file.token.isEmpty, !file.code.isEmpty {
      refuse(["enrolment_code"], places[.enrolmentCode], "is there beside a token: one of them is too much")
    }
    if problems.isEmpty, isEmpty {
      refuse([], nil, "gives this box nothing: no token, code, settings, hat or apn")
    }
  }

  /// A file that was cut between two lines is good TOML, and would give a box half of what it needs.
  private mutating func checkEnd() {
    guard let place = places[.version] else {
      return refuse(
        ["version"], nil, "is missing: the file was cut, or its last line, version = 1, was never written")
    }
    guard places.values.contains(where: { $0.line > place.line }) else { return }
    refuse(["version"], place, "must stand in the last line: it says that nothing was cut off")
  }

  private var isEmpty: Bool {
    [file.deviceID, file.token, file.code, file.settingsText, file.hat, file.apn].allSatisfy(\.isEmpty)
  }

  private mutating func readSettings() {
    let place = places[.settings] ?? SettingPlace(line: 1, column: 1)
    do throws(SettingsFileError) {
      let text = file.settingsText
      let settings = try SettingsFile.parse(text, name: name, checkSchedule: Schedule.check).settings
      if !file.deviceID.isEmpty, !settings.deviceID.isEmpty, file.deviceID != settings.deviceID {
        refuse(["device_id"], places[.deviceID], "is another one than that of the settings below")
      }
      if !(file.token + file.code).isEmpty, settings.sync.tokenFile.isEmpty {
        refuse(["settings"], place, "must name sync.token_file, where the token goes: \"/etc/godwit/token\"")
      }
      file.take(settings)
    } catch {
      guard case .invalid(let found) = error else { return refuse(["settings"], place, "\(error)") }
      // In the lines of this file.
      problems += found.map { problem in
        var problem = problem
        problem.line = problem.line == 0 ? place.line : problem.line + linesBefore(place)
        problem.key = problem.key.isEmpty ? "settings" : "settings: \(problem.key)"
        return problem
      }
    }
  }

  /// A line feed right behind the opening quotes is none of the text's.
  private func linesBefore(_ place: SettingPlace) -> Int {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard lines.indices.contains(place.line - 1) else { return place.line }
    let line = lines[place.line - 1].filter { $0 > 0x20 }
    let opens = ["'''", "\"\"\""].contains { line.suffix(3).elementsEqual($0.utf8) }
    return opens ? place.line : place.line - 1
  }

  private mutating func refuse(_ path: [String], _ place: SettingPlace?, _ reason: String) {
    problems.append(
      SettingsProblem(file: name, place: place, key: SettingText.dotted(path), reason: reason))
  }
}
